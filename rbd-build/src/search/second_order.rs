//! Search for plans of second derivatives: loops over tables, a straight line, or composition of other
//! functions.

use super::{Search, TOO_LONG};
use crate::algorithms::strategy::{Algorithm, ProductBy, Strategy};
use crate::search::plan::{Plan, Rejected};
use crate::search::shape::Shape;
use crate::search::trace::{Candidate, TracedStage};
use crate::table::functions::Function;
use crate::table::routines::Way;
use crate::tree::{Place, Tree};
use rbd_ir::graph::Rules;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::second::MOST_ROWS;
use std::collections::BTreeMap;

/// Factor by which loops for tensors take longer if joints mimic others (docs/shapes.md#batches).
const MERGED: usize = 4;

impl Search<'_> {
    /// Returns the cheapest plan found for second derivatives. With `shape`, only plans of that shape
    /// compete.
    pub(super) fn second_order(&self, function: Function, shape: Option<Shape>) -> Plan {
        let model = self.trees.model();
        let dependencies =
            function.dependencies(model).iter().map(|dependency| self.cheapest_of(*dependency, None, shape));
        let composed = Plan::composed(function, model, dependencies.collect());
        match Way::of(function, composed.dependencies().len()) {
            Way::Hessian => self.hessian(function, shape, composed),
            Way::Torques => self.tensors(function, shape, composed),
            _ => composed,
        }
    }

    /// Hessian of weighted torques: the straight line if it costs less than loops.
    fn hessian(&self, function: Function, shape: Option<Shape>, tables: Plan) -> Plan {
        let model = self.trees.model();
        match shape {
            Some(Shape::Loops) => return tables,
            Some(Shape::Straight | Shape::Limbs) => return self.straight(function, None, shape),
            None if self.costs.tables.is_none() => return self.straight(function, None, shape),
            None => {}
        }
        if !model.run_time.is_none() {
            // Tables hold only constant inertias and gravity.
            return self.straight(function, None, shape);
        }
        let (Some(costs), Some(robot)) = (self.costs.tables, Owned::from_model(model)) else { return tables };
        let cost = costs.hessian(&robot);
        if self.costs.least(function, model) > TOO_LONG.min(self.costs.hopeless * cost) {
            return tables;
        }
        let straight = self.straight(function, None, shape);
        let other = self.costs.cost_of(&straight);
        let longest = if robot.topology().merges() {
            // The runtime adds up results one number at a time: only compile time limits straight lines.
            self.costs.longest_hessian.max(self.costs.longest_tensors)
        } else {
            self.costs.longest_hessian
        };
        if other > cost.min(longest) {
            let rejected = Rejected { strategy: straight.strategy, count: straight.count(), cost: other };
            return Plan { rejected: vec![rejected], ..tables };
        }
        let rejected = Rejected { strategy: Strategy::LOOPS, count: costs.count_of_hessian(&robot), cost };
        Plan { rejected: vec![rejected], ..straight }
    }

    /// Tensors of torques: the straight line if it costs less than loops.
    fn tensors(&self, function: Function, shape: Option<Shape>, tables: Plan) -> Plan {
        let (model, longest) = (self.trees.model(), self.costs.longest_tensors);
        let (Some(costs), Some(robot)) = (self.costs.tables, Owned::from_model(model)) else { return tables };
        if shape == Some(Shape::Loops) || self.costs.least(function, model) >= longest {
            return tables;
        }
        let (straight, mut rejected) = self.in_one_frame(function);
        let count = straight.count();
        let limbs = (count.total() <= longest)
            .then(|| self.with_limbs((function, None), straight.strategy, (0, &straight.stages[0]), shape))
            .flatten();
        let cost = match &limbs {
            Some(limbs) => self.costs.cost([&limbs.ir]),
            None => self.costs.cost(straight.graphs()),
        };
        // If joints mimic others, the runtime adds up results one number at a time.
        let loops = costs.tensors(&robot) * if robot.topology().merges() { MERGED } else { 1 };
        if count.total() > longest || shape.is_none() && cost >= loops {
            rejected.insert(0, Rejected { strategy: straight.strategy, count, cost });
            return Plan { rejected, ..tables };
        }
        let (strategy, count) = (Strategy::LOOPS, costs.count_of_tensors(&robot));
        rejected.insert(0, Rejected { strategy, count, cost: loops });
        let mut plan = Plan { rejected, ..straight.plan() };
        plan.stages[0].simd.extend(limbs.map(TracedStage::version));
        debug_assert_eq!(plan.verify(), Ok(()));
        plan
    }

    /// Cheapest frame found for a straight line of tensors, with the rejected frames and their costs.
    ///
    /// Candidates are the world and the bodies on the longest path.
    /// The optimum lies between the ends, and costs rise on both sides.
    fn in_one_frame(&self, function: Function) -> (Candidate, Vec<Rejected>) {
        let tree = self.trees.get(&self.best_rewrite(Function::RneaDerivatives));
        let mut path: Vec<Option<u16>> = vec![None];
        path.extend(longest_path(&tree).into_iter().map(|body| Some(body as u16)));
        let mut tried: BTreeMap<usize, Candidate> = BTreeMap::new();
        let cost = |candidate: &Candidate| candidate.count().total();
        let mut best = path.len() / 3;
        loop {
            for at in [best.saturating_sub(1), best, (best + 1).min(path.len() - 1)] {
                tried.entry(at).or_insert_with(|| {
                    let strategy = Strategy::new(Algorithm::OneFrame(path[at]), ProductBy::None);
                    function.candidate(&tree, None, strategy, Rules::default())
                });
            }
            let (&least, _) = tried.iter().min_by_key(|(_, c)| cost(c)).expect("some were tried");
            if least == best {
                break;
            }
            best = least;
        }
        let winner = tried.remove(&best).expect("it was tried");
        let rejected =
            tried.into_values().map(|c| Rejected { strategy: c.strategy, count: c.count(), cost: cost(&c) });
        (winner, rejected.collect())
    }

    /// True if the Hessian of weighted torques can be loops: no parameters at run time, and few enough rows.
    ///
    /// Friction is not checked.
    pub(crate) fn has_hessian_by_constants(&self) -> bool {
        let model = self.trees.model();
        let rows = Owned::from_model(model).map(|robot| robot.rows());
        model.run_time.is_none() && rows.is_some_and(|rows| rows <= MOST_ROWS)
    }

    /// True if a target with loops should use them for tensors, and not a Hessian for each row.
    ///
    /// The cost of the Hessian is its lower bound.
    pub(crate) fn has_tensors_by_loops(&self, shape: Option<Shape>) -> bool {
        let model = self.trees.model();
        let (Some(costs), Some(robot)) = (self.costs.tables, Owned::from_model(model)) else { return false };
        match shape {
            Some(Shape::Loops) => true,
            Some(Shape::Straight | Shape::Limbs) => false,
            None => costs.tensors(&robot) < model.nv * self.costs.least(Function::RneaHessian, model),
        }
    }
}

/// Longest path of bodies, from a root to a leaf.
fn longest_path(tree: &Tree) -> Vec<usize> {
    let path = |body: usize| tree.path(Place { body, lane: 0 }).map(|place| place.body).collect::<Vec<_>>();
    let longest = (0..tree.bodies.len()).map(path).max_by_key(Vec::len);
    longest.into_iter().flat_map(|path| path.into_iter().rev()).collect()
}
