//! How second derivatives are computed: by loops over tables, as a straight line, or of other functions' results.

use super::{Search, TOO_LONG};
use crate::algorithms::loops::MOST_ROWS;
use crate::functions::Function;
use crate::options::Shape;
use crate::plan::{Plan, Rejected};
use crate::strategy::Strategy;
use rbd_runtime::loops::of_model::Owned;

impl Search<'_> {
    /// The cheapest way to second derivatives that is found, in this shape if one is asked for.
    pub(super) fn second_order(&self, function: Function, shape: Option<Shape>) -> Plan {
        let tables = Plan { strategy: Strategy::LOOPS, is_outline: false, ..self.outline(function, None) };
        let parts = function.parts(self.trees.model());
        if !parts.is_empty() {
            let parts = parts.iter().map(|part| self.cheapest_of(*part, None, shape)).collect();
            return Plan { parts, ..tables };
        }
        match function {
            Function::RneaHessian | Function::RneaHessianFext => self.hessian(function, shape, tables),
            _ => tables,
        }
    }

    /// Of weighted torques: the straight line, if it costs less than loops.
    fn hessian(&self, function: Function, shape: Option<Shape>, tables: Plan) -> Plan {
        let model = self.trees.model();
        match shape {
            Some(Shape::Loops) => return tables,
            Some(Shape::Straight | Shape::Limbs) => return self.straight(function, None, shape),
            None if self.costs.tables.is_none() => return self.straight(function, None, shape),
            None => {}
        }
        if !model.run_time.is_none() {
            // Tables know the model's inertias and gravity alone.
            return self.straight(function, None, shape);
        }
        let (Some(costs), Some(robot)) = (self.costs.tables, Owned::from_model(model)) else { return tables };
        let cost = costs.hessian(&robot);
        if self.costs.least(function, model) > TOO_LONG.min(self.costs.hopeless * cost) {
            return tables;
        }
        let straight = self.straight(function, None, shape);
        let other = self.costs.cost_of(&straight);
        // Beyond the first-level cache, code that robots share is the better one to have.
        if other > cost.min(self.costs.straight_line_budget) {
            let rejected = Rejected { strategy: straight.strategy, count: straight.count(), cost: other };
            return Plan { rejected: vec![rejected], ..tables };
        }
        let rejected = Rejected { strategy: Strategy::LOOPS, count: costs.count_of_hessian(&robot), cost };
        Plan { rejected: vec![rejected], ..straight }
    }

    /// Whether loops whose tables are constants have the Hessian of weighted torques, if they know friction.
    pub(crate) fn has_hessian_by_constants(&self) -> bool {
        let model = self.trees.model();
        let rows = Owned::from_model(model).map(|robot| robot.rows());
        model.run_time.is_none() && rows.is_some_and(|rows| rows <= MOST_ROWS)
    }

    /// Whether tensors are best made by loops, in a target that has some, and not of a Hessian for each row. The Hessian is
    /// taken for as short as it can be.
    pub(crate) fn has_tensors_by_loops(&self, shape: Option<Shape>) -> bool {
        let model = self.trees.model();
        let (Some(costs), Some(robot)) = (self.costs.tables, Owned::from_model(model)) else { return false };
        match shape {
            Some(Shape::Loops) => true,
            Some(Shape::Straight | Shape::Limbs) => false,
            None => costs.tensors(&robot) < model.nv * self.costs.least(Function::RneaHessian, model),
        }
    }

    /// What is made of the results of these plans, where the target has no loops for it.
    pub(crate) fn of_parts(&self, function: Function, parts: Vec<Plan>) -> Plan {
        Plan { parts, is_outline: false, ..self.outline(function, None) }
    }

    /// Whether a straight line has more operations than these.
    pub(crate) fn is_longer_than(&self, function: Function, most: usize) -> bool {
        self.costs.least(function, self.trees.model()) > most
    }
}
