//! Plans for targets whose code calls no runtime: second derivatives are composed of other functions, which
//! have plans of their own.

use super::Search;
use crate::search::plan::Plan;
use crate::search::progress::Step;
use crate::search::shape::{Shape, Shapes};
use crate::signatures::frames::FrameAt;
use crate::table::functions::Function;

/// A function, and the frame that it is of, if it is of one.
type Wanted = (Function, Option<FrameAt>);

impl Search<'_> {
    /// Cheapest plans found of these functions and of their dependencies, in the table's order.
    ///
    /// With `most_alive`, kernels that a thread has too few registers for are planned to be cut.
    pub fn composed(&self, asked: &[Wanted], shapes: &Shapes, most_alive: Option<usize>) -> Vec<Plan> {
        let has_loops = self.loops.is_some() && self.has_hessian_by_constants();
        let has_tensors = has_loops && self.loops.is_some_and(|loops| loops.tensors);
        let straight = self.without_loops();
        let tensors = asked.iter().map(|(f, _)| *f).filter(|f| f.is_tensor());
        let tensors: Vec<Function> =
            tensors.filter(|f| has_tensors && self.has_tensors_by_loops(shapes.within(*f, asked))).collect();
        let made_of = |function: Function| match tensors.contains(&function) {
            true => function.dependencies(self.trees.model()),
            false => function.dependencies_without_loops(),
        };
        let mut wanted = asked.to_vec();
        for dependency in asked.iter().flat_map(|(f, _)| made_of(*f)) {
            if wanted.iter().all(|(f, _)| f != dependency) {
                wanted.push((*dependency, None));
            }
        }
        wanted.sort_by_key(|(f, _)| *f);
        self.observer.tell(Step::Searching { functions: wanted.len() });
        let mut plans: Vec<Plan> = Vec::new();
        // Second derivatives of torques come first: those of accelerations are composed of them.
        let of_torques = |(f, _): &&Wanted| f.is_second_order() && made_of(*f).is_empty();
        for &(function, frame) in
            wanted.iter().filter(of_torques).chain(wanted.iter().filter(|f| !of_torques(f)))
        {
            // First derivatives that are only dependencies become loops if loops are emitted anyway: their
            // text is then there.
            let beside_loops = || {
                let is_part = asked.iter().all(|(f, _)| *f != function);
                let are_there = plans.iter().any(|p| p.composition.is_some() && p.dependencies().is_empty());
                (is_part && (are_there || !tensors.is_empty())).then_some(Shape::Loops)
            };
            let made_of = made_of(function);
            plans.push(if made_of.is_empty() {
                let shape = shapes.within(function, &wanted).or_else(beside_loops);
                if function.is_second_order() && !has_loops {
                    straight.cheapest_of(function, frame, shape.filter(|shape| *shape != Shape::Loops))
                } else {
                    let plan = self.cheapest_of(function, frame, shape);
                    match most_alive {
                        Some(most) => self.for_threads(plan, most),
                        None => plan,
                    }
                }
            } else {
                // Dependencies precede the function in the table, so their plans exist.
                let dependencies =
                    plans.iter().filter(|p| made_of.contains(&p.function) && p.dependencies().is_empty());
                Plan::composed(function, self.trees.model(), dependencies.cloned().collect())
            });
            self.observer.tell(Step::Found { function });
        }
        plans.sort_by_key(|plan| plan.function);
        plans
    }
}

impl Shapes {
    /// The requested shape of a function, or of one that it is a dependency of.
    pub(crate) fn within(&self, function: Function, wanted: &[Wanted]) -> Option<Shape> {
        let makes = |of: &&Function| of.dependencies_without_loops().contains(&function);
        let asked = |f: Function| self.of.get(&f).copied();
        let of_whole = || wanted.iter().map(|(f, _)| f).filter(makes).find_map(|f| asked(*f));
        asked(function).or_else(of_whole).or(self.of_all)
    }
}
