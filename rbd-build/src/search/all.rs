//! The cheapest ways to all functions of one robot, looked for on all cores.

use super::Search;
use crate::frames::FrameAt;
use crate::functions::Function;
use crate::options::Shape;
use crate::plan::Plan;
use crate::progress::Step;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Instructions from which on it matters whether a straight line is compiled once or twice.
const LONG: usize = 3000;
/// What an external force is taken to add to the operations of derivatives, a body: on quadrupeds it is 8 to 16 (tests/costs.txt).
const OPERATIONS_OF_A_FORCE: usize = 12;
/// Bytes of a thread's stack, as large as a main thread's.
const STACK: usize = 8 << 20;

impl Search<'_> {
    /// The cheapest ways to functions that one robot is to have. Where a function under external forces is long, the one without
    /// is that with forces of zero: this halves what is to be compiled. What forces add is about a fiftieth of its operations at most.
    pub fn all(
        &self,
        wanted: &[(Function, Option<FrameAt>)],
        shape: impl Fn(Function) -> Option<Shape> + Sync,
    ) -> Vec<Plan> {
        let under_forces = |function: Function| {
            let forced = function.under_forces().filter(|f| shape(*f) == shape(function));
            wanted.iter().position(|(f, _)| Some(*f) == forced)
        };
        let partners: Vec<Option<usize>> =
            wanted.iter().map(|(function, _)| under_forces(*function)).collect();
        let mut plans: Vec<Option<Plan>> = wanted.iter().map(|_| None).collect();
        let search = |plans: &mut Vec<Option<Plan>>, of: Vec<usize>| {
            let found = self.in_parallel(wanted, &of, &shape);
            of.into_iter().zip(found).for_each(|(k, plan)| plans[k] = Some(plan));
        };
        let first = (0..wanted.len()).filter(|&k| partners[k].is_none()).collect();
        search(&mut plans, first);
        for (k, at) in partners.iter().enumerate() {
            let forced = at.and_then(|at| plans[at].as_ref()).filter(|plan| self.hardly_feels_forces(plan));
            if let Some(without) = forced.map(|plan| plan.without_forces(wanted[k].0)) {
                plans[k] = Some(without);
            }
        }
        let left = (0..wanted.len()).filter(|&k| plans[k].is_none()).collect();
        search(&mut plans, left);
        plans.into_iter().flatten().collect()
    }

    /// The cheapest ways to some of the functions, in their order.
    fn in_parallel(
        &self,
        wanted: &[(Function, Option<FrameAt>)],
        some: &[usize],
        shape: impl Fn(Function) -> Option<Shape> + Sync,
    ) -> Vec<Plan> {
        // The longest first, and of each family one before all others: these wait until it is known how its bodies are written.
        let mut order: Vec<usize> = (0..some.len()).collect();
        order.sort_by_cached_key(|&k| Reverse(self.costs.least(wanted[some[k]].0, self.trees.model())));
        let mut families = BTreeSet::new();
        order.sort_by_cached_key(|&k| !families.insert(wanted[some[k]].0.spec().searched_as.first()));
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some(&k) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                let (function, frame) = wanted[some[k]];
                let plan = self.cheapest_of(function, frame, shape(function));
                self.observer.tell(Step::Found { function });
                found.lock().unwrap_or_else(PoisonError::into_inner).push((k, plan));
            }
        };
        thread::scope(|scope| {
            let threads = thread::available_parallelism().map_or(1, NonZero::get).min(some.len());
            for _ in 1..threads {
                // What a thread that cannot be had would have done, others do.
                let _ = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            }
            work();
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|(k, _)| *k);
        found.into_iter().map(|(_, plan)| plan).collect()
    }

    /// Whether a function under forces is a long straight line, to which these add little.
    fn hardly_feels_forces(&self, plan: &Plan) -> bool {
        let of_forces = OPERATIONS_OF_A_FORCE * self.trees.model().bodies.len();
        let straight: usize = plan.stages.iter().map(|stage| stage.scalar.kernel.instructions()).sum();
        straight > LONG && 100 * of_forces <= 2 * plan.count().total()
    }
}
