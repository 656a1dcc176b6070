//! Plans for processors whose threads have few registers.

use super::Search;
use crate::algorithms::strategy::{ProductBy, Strategy};
use crate::search::plan::{Plan, Version};
use crate::search::steps::{MOST_WORK, most_alive, steps, work};
use crate::table::functions::Function;

impl Search<'_> {
    /// Returns a plan whose parts keep at most `most` values alive, if a strategy gives one at little extra
    /// work.
    /// Alternatives have several stages, or no memory of their own. Otherwise `plan` is returned.
    pub(crate) fn for_threads(&self, plan: Plan, most: usize) -> Plan {
        let measured = |plan: &Plan| {
            let stages: Vec<&Version> = plan.stages.iter().map(|stage| &stage.scalar).collect();
            let steps = steps(&stages, most);
            (most_alive(&steps), work(&steps))
        };
        if plan.stages.len() != 1 {
            return plan;
        }
        let (alive, instructions) = measured(&plan);
        if alive <= most {
            return plan;
        }
        let is_other = |strategy: &Strategy| {
            let unrolled = plan.function == Function::Minv && strategy.product == ProductBy::StraightLine;
            strategy.stages > 1 || unrolled
        };
        let Some(other) = self.straight_ways(plan.function, plan.frame, None, is_other) else { return plan };
        let (other_alive, other_instructions) = measured(&other);
        if other_alive < alive && other_instructions <= MOST_WORK * instructions { other } else { plan }
    }
}
