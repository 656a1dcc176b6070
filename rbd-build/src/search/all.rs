//! Cheapest plans of all functions of a robot, searched on all cores.

use super::Search;
use crate::search::plan::Plan;
use crate::search::progress::Step;
use crate::search::shape::Shape;
use crate::signatures::frames::FrameAt;
use crate::table::functions::Function;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Instructions above which compiling a straight line once instead of twice matters.
const LONG: usize = 3000;
/// Estimate of the operations that an external force adds to derivatives, for each body.
///
/// Quadrupeds have 8 to 16 (tests/costs.txt).
const OPERATIONS_OF_A_FORCE: usize = 12;
/// Stack of a thread in bytes, as large as a main thread's.
const STACK: usize = 8 << 20;

impl Search<'_> {
    /// Cheapest plans of the functions of one robot.
    ///
    /// If a function under external forces is long, the function without forces calls it with zero forces.
    /// That halves the code to compile. Forces add at most a fiftieth of the operations.
    pub fn all(
        &self,
        wanted: &[(Function, Option<FrameAt>)],
        shape: impl Fn(Function) -> Option<Shape> + Sync,
    ) -> Vec<Plan> {
        self.observer.tell(Step::Searching { functions: wanted.len() });
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

    /// Cheapest plans of some functions, in their order.
    fn in_parallel(
        &self,
        wanted: &[(Function, Option<FrameAt>)],
        some: &[usize],
        shape: impl Fn(Function) -> Option<Shape> + Sync,
    ) -> Vec<Plan> {
        // Long functions start first. One function of each family precedes all others.
        // Other members of a family wait for its forms of bodies.
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
                // If a thread cannot start, the other threads do its work.
                let _ = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            }
            work();
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|(k, _)| *k);
        found.into_iter().map(|(_, plan)| plan).collect()
    }

    /// True if a function under forces is a long straight line to which forces add little.
    fn hardly_feels_forces(&self, plan: &Plan) -> bool {
        let of_forces = OPERATIONS_OF_A_FORCE * self.trees.model().bodies.len();
        let straight: usize = plan.stages.iter().map(|stage| stage.scalar.kernel.instructions()).sum();
        straight > LONG && 100 * of_forces <= 2 * plan.count().total()
    }
}
