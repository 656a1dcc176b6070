//! Savings of a fused function against separate calls.

use super::FusedFunction;
use crate::search::Search;
use crate::search::plan::Plan;
use crate::table::functions::Function;
use rbd_ir::graph::OperationCount;

/// Operations of a fused function, and of the separate calls that it replaces.
#[derive(Clone, Debug)]
pub struct Saving {
    /// Name of the function.
    pub name: String,
    /// Operations.
    pub count: OperationCount,
    /// Instructions after products are fused with sums, without sines and cosines.
    pub instructions: usize,
    /// Fewest separate calls with equal results.
    pub parts: Vec<SavingPart>,
}

/// A separate call that a fused function replaces.
#[derive(Clone, Debug)]
pub struct SavingPart {
    /// The function.
    pub function: Function,
    /// Name of the frame, for a function of a frame.
    pub frame: Option<String>,
    /// Operations.
    pub count: OperationCount,
    /// Instructions after products are fused with sums, without sines and cosines.
    pub instructions: usize,
}

impl Saving {
    /// Operations of all separate calls.
    pub fn one_by_one(&self) -> OperationCount {
        self.parts.iter().map(|part| part.count).fold(OperationCount::default(), |a, b| a + b)
    }

    /// Additions, multiplications and divisions, relative to separate calls. `None` if those need none.
    pub fn ratio(&self) -> Option<f64> {
        let all = self.one_by_one().total();
        (all > 0).then(|| self.count.total() as f64 / all as f64)
    }
}

impl Saving {
    /// Share of the most expensive call in all separate calls.
    ///
    /// It is a lower bound of [`Self::ratio`]: no function with these results costs less than that call.
    pub fn dearest(&self) -> Option<f64> {
        let all = self.one_by_one().total();
        let dearest = self.parts.iter().map(|part| part.count.total()).max()?;
        (all > 0).then(|| dearest as f64 / all as f64)
    }
}

impl Saving {
    /// Saving of a fused function of a robot with these functions.
    pub(crate) fn of(plan: &Plan<FusedFunction>, functions: &[Plan], search: &Search<'_>) -> Self {
        let model = search.trees.model();
        let part = |part: &super::Component| {
            let known = |p: &&Plan| p.function == part.function && p.frame.map(same) == part.frame.map(same);
            let own;
            let plan = match functions.iter().find(known) {
                Some(plan) => plan,
                None => {
                    own = search.cheapest_of(part.function, part.frame, None);
                    &own
                }
            };
            SavingPart {
                function: part.function,
                frame: part.frame.map(|at| model.frames[at.index].name.clone()),
                count: plan.count(),
                instructions: plan.fused(),
            }
        };
        let parts = plan.function.components.iter().map(part).collect();
        let (count, instructions) = (plan.count(), plan.fused());
        Self { name: plan.function.fused.method(), count, instructions, parts }
    }
}

/// Identity of a frame in a plan.
fn same(at: crate::signatures::frames::FrameAt) -> (usize, rbd_runtime::ReferenceFrame) {
    (at.index, at.reference)
}
