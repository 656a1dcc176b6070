//! Plans for processors whose threads have few registers.

use super::Search;
use crate::plan::{Plan, Version};
use crate::steps::{most_alive, steps};

impl Search<'_> {
    /// This plan, or where its parts have more values alive than these, one in several stages if that has fewer.
    pub(crate) fn for_threads(&self, plan: Plan, most: usize) -> Plan {
        let alive = |plan: &Plan| {
            let stages: Vec<&Version> = plan.stages.iter().map(|stage| &stage.scalar).collect();
            most_alive(&steps(&stages, most))
        };
        if plan.stages.len() != 1 || alive(&plan) <= most {
            return plan;
        }
        let ways = self.straight_ways(plan.function, plan.frame, None, |strategy| strategy.stages > 1);
        match ways {
            Some(other) if alive(&other) < alive(&plan) => other,
            _ => plan,
        }
    }
}
