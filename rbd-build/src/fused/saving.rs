//! What a fused function saves against its parts called one by one.

use super::FusedPlan;
use crate::config::Generated;
use crate::emit::{Rust, Target as _};
use crate::functions::Function;
use crate::graph::OperationCount;
use crate::plan::Plan;
use crate::search::Search;

/// A fused function's arithmetic, and that of the calls in whose place it is.
#[derive(Clone, Debug)]
pub struct Saving {
    /// The function's name.
    pub name: String,
    /// Its arithmetic.
    pub count: OperationCount,
    /// Its instructions once products are fused with sums, sines and cosines apart.
    pub instructions: usize,
    /// The fewest calls that give the same.
    pub parts: Vec<SavingPart>,
}

/// A call that a fused one is in place of.
#[derive(Clone, Debug)]
pub struct SavingPart {
    /// The function.
    pub function: Function,
    /// The frame that it is of, by name, if it is of one.
    pub frame: Option<String>,
    /// Its arithmetic.
    pub count: OperationCount,
    /// Its instructions once products are fused with sums, sines and cosines apart.
    pub instructions: usize,
}

impl Saving {
    /// The arithmetic of all calls.
    pub fn one_by_one(&self) -> OperationCount {
        self.parts.iter().map(|part| part.count).fold(OperationCount::default(), |a, b| a + b)
    }

    /// Additions, multiplications and divisions of the fused call, of those of the calls one by one; nothing, where these
    /// need none.
    pub fn ratio(&self) -> Option<f64> {
        let all = self.one_by_one().total();
        (all > 0).then(|| self.count.total() as f64 / all as f64)
    }
}

impl Saving {
    /// The share of the dearest call among all: less than that one costs no call can that gives the same.
    pub fn dearest(&self) -> Option<f64> {
        let all = self.one_by_one().total();
        let dearest = self.parts.iter().map(|part| part.count.total()).max()?;
        (all > 0).then(|| dearest as f64 / all as f64)
    }
}

impl Generated {
    /// What each fused function saves: counts are exact, before any product is fused with a sum.
    pub fn savings(&self) -> Vec<Saving> {
        let search = Search::new(&self.model, Rust::COSTS);
        self.fused.iter().map(|plan| self.saving(&search, plan)).collect()
    }

    fn saving(&self, search: &Search<'_>, plan: &FusedPlan) -> Saving {
        let part = |part: &super::Part| {
            let known = |p: &&Plan| p.function == part.function && p.frame.map(same) == part.frame.map(same);
            let own;
            let plan = match self.functions.iter().find(known) {
                Some(plan) => plan,
                None => {
                    own = search.cheapest_of(part.function, part.frame, None);
                    &own
                }
            };
            SavingPart {
                function: part.function,
                frame: part.frame.map(|at| self.model.frames[at.index].name.clone()),
                count: plan.count(),
                instructions: plan.fused(),
            }
        };
        let parts = plan.call.parts.iter().map(part).collect();
        let (count, instructions) = (plan.count(), plan.instructions());
        Saving { name: plan.call.fused.method(), count, instructions, parts }
    }
}

/// What makes a plan of a frame that plan.
fn same(at: crate::frames::FrameAt) -> (usize, rbd_runtime::ReferenceFrame) {
    (at.index, at.reference)
}
