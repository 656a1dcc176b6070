//! Cost of code where it runs, and the effort of the search.

use crate::search::plan::{Composition, Plan};
use crate::signatures::second_order::{D2TAU_DQDQ, DQDQ};
use crate::signatures::signature::{DDQ_DQ, DDQ_DTAU, DTAU_DQ, MINV};
use crate::table::functions::Function;
pub use crate::table::routines::LoopCosts;
use crate::table::routines::{self, Dependency, Way};
use crate::tree::Packing;
use rbd_ir::calls::{Call, Routine};
use rbd_ir::kernel::Stmt;
use rbd_ir::passes::Ir;
use rbd_ir::products::{ColumnGroup, Product};
use rbd_runtime::Model;
use rbd_runtime::loops::of_model::Owned;

/// A [target](crate::emit::Target)'s costs, in operations of straight-line code.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// Operations that run at full speed: those that fit the first-level instruction cache.
    pub straight_line_budget: usize,
    /// Additional cost of an operation beyond the budget, in tenths.
    pub beyond_budget: usize,
    /// True if stages share the cache; otherwise each is a program of its own.
    pub stages_share_cache: bool,
    /// Operations that a looped product does in the time of one.
    pub looped_at_once: usize,
    /// Rows and columns of a looped product's register block.
    pub block: (usize, usize),
    /// Cost to begin and end such a block.
    pub per_block: usize,
    /// Cost of a pivot of a looped factorisation, for which the next steps wait.
    pub per_pivot: usize,
    /// Ways to put limbs side by side. The first group with one that pays is used.
    pub packings: &'static [&'static [Packing]],
    /// Limbs side by side pay below this many quarters of the straight line's operations.
    pub packed_quarters: usize,
    /// Number of operations beyond which limbs are not put side by side in pairs.
    pub operations_in_pairs: usize,
    /// Costs of loops over tables and of loops for factors; `None` if the target has no loops.
    pub tables: Option<LoopCosts>,
    /// Cost of a straight line beyond which Hessians are loops, even if these cost more: robots share the
    /// loops' code in the first-level cache. With mimic joints the limit is that of tensors.
    pub longest_hessian: usize,
    /// Number of operations beyond which tensors are not a straight line, to limit compile time.
    /// Zero if the target has no straight lines for tensors.
    pub longest_tensors: usize,
    /// Factor of the loops' cost above which a straight line is not traced, judged by its lower
    /// bound.
    pub hopeless: usize,
    /// Nodes of graphs that the search for one family of functions may trace. Every build pays for it.
    pub nodes_traced: usize,
}

impl CostModel {
    /// Cost of stages that share the cache.
    pub fn cost<'a>(&self, stages: impl IntoIterator<Item = &'a Ir>) -> usize {
        let (mut straight, mut alone, mut products, mut handed_over) = (0, 0, 0, 0);
        let mut stages = stages.into_iter().peekable();
        while let Some(stage) = stages.next() {
            straight += Self::straight_line(stage);
            alone += self.with_misses(Self::straight_line(stage));
            // The next stage reads this stage's results from memory.
            handed_over += if stages.peek().is_some() { stage.values().count() } else { 0 };
            products += stage.products.iter().map(|p| self.product(p)).sum::<usize>();
            products += stage.calls.iter().map(|c| self.call(c)).sum::<usize>();
        }
        let straight = if self.stages_share_cache { self.with_misses(straight) } else { alone };
        straight + products + handed_over
    }

    /// Cost of independent stages, for comparison with loops over tables as by [`Self::cost_of`].
    pub fn cost_without_misses<'a>(&self, stages: impl IntoIterator<Item = &'a Ir>) -> usize {
        let of = |stage: &Ir| {
            let products = stage.products.iter().map(|p| self.product(p)).sum::<usize>();
            let calls = stage.calls.iter().map(|c| self.call(c)).sum::<usize>();
            Self::straight_line(stage) + products + calls
        };
        stages.into_iter().map(of).sum()
    }

    /// Cost of a plan, for comparison with loops over tables. It uses registers of limbs if the
    /// plan has a version for them, and leaves out the part of [`Self::cost`] for code beyond the
    /// cache.
    pub fn cost_of(&self, plan: &Plan) -> usize {
        let (straight, loops) = self.parts_of(plan);
        straight + loops
    }

    /// [`Self::cost_of`] of straight lines, and of everything else.
    pub(crate) fn parts_of(&self, plan: &Plan) -> (usize, usize) {
        let (mut straight, mut loops) = (0, 0);
        let stages = plan.stages.iter().enumerate();
        for (k, version) in stages.flat_map(|(k, stage)| stage.fastest().iter().map(move |v| (k, v))) {
            let kernel = &version.kernel;
            straight += version.straight_line.total() + version.straight_line.moves;
            let stores = kernel.body.iter().filter(|stmt| matches!(stmt, Stmt::Store { .. })).count();
            loops += if k + 1 < plan.stages.len() { stores } else { 0 };
            loops += kernel.products().map(|p| self.product(p)).sum::<usize>();
            loops += kernel.calls().map(|c| self.call(c)).sum::<usize>();
        }
        (straight, loops)
    }

    /// Cost of a composition, without its dependencies; those that are called again for each row count here.
    /// Zero if the target has no loops.
    pub(crate) fn of_composition(&self, composition: &Composition, model: &Model<f64>) -> usize {
        let (Some(costs), Some(robot)) = (self.tables, Owned::from_model(model)) else { return 0 };
        let again = |part: &Plan| (model.nv - 1) * self.cost_of(part);
        // Products of three pairs of matrices.
        let joined = 6 * model.nv.pow(3) / self.looped_at_once;
        match composition.way() {
            Way::Hessian => costs.hessian(&robot),
            Way::Torques => costs.tensors(&robot),
            Way::Accelerations => costs.tensors(&robot) + model.nv * joined,
            Way::OfParts => joined,
            Way::TorqueByTorque => composition.dependency(Dependency::Hessian).map_or(0, again),
            Way::OneByOne => composition.dependency(Dependency::Hessian).map_or(0, again) + model.nv * joined,
        }
    }

    /// Cost of a straight line of so many operations, including cache misses due to its size.
    fn with_misses(&self, straight: usize) -> usize {
        straight + straight.saturating_sub(self.straight_line_budget) * self.beyond_budget / 10
    }

    /// Lower bound of the cost of a function's straight line. No robot of the repository has as few
    /// operations for each body, or for each pair or triple of coordinates on one path.
    pub fn least(&self, function: Function, model: &Model<f64>) -> usize {
        let mut depths: Vec<usize> = Vec::new();
        for body in &model.bodies {
            let above = body.parent.map_or(0, |p| depths[p]);
            depths.push(above + body.kind.nv());
        }
        let of = |each: fn(usize) -> usize| {
            let dofs = model.bodies.iter().zip(&depths).map(|(b, depth)| b.kind.nv() * each(*depth));
            dofs.sum::<usize>()
        };
        let spec = function.spec();
        let differentiates = spec.outputs.iter().any(|o| [DTAU_DQ, DDQ_DQ].contains(o));
        let inverts = spec.outputs.iter().any(|o| [MINV, DDQ_DTAU].contains(o));
        let has_hessian = spec.outputs.contains(&DQDQ);
        let has_tensors = spec.outputs.contains(&D2TAU_DQDQ);
        let each = if has_hessian { 60 } else { 40 };
        let pairs = if differentiates || has_hessian { each * of(|depth| depth) } else { 0 };
        let triples = if has_tensors { 40 * of(|depth| depth * depth / 2) } else { 0 };
        let factors = if inverts { of(|depth| depth * depth) / 2 } else { 0 };
        // Of robots of the repository: 52 of bias and 111 of accelerations a body, of iiwa14.
        let of_body = match function {
            Function::Rnea | Function::RneaFext | Function::Bias => 40,
            Function::Aba | Function::AbaFext => 100,
            _ => 20,
        };
        // Of long chains entries cost more than bodies.
        let entries = if function == Function::Crba { 3 * of(|depth| depth) } else { 0 };
        entries.max(pairs + triples + factors + of_body * model.bodies.len())
    }

    /// Operations before any loops, and moves between lanes.
    pub fn straight_line(stage: &Ir) -> usize {
        let count = stage.count();
        count.total() + count.moves
    }

    /// Part of a call's cost that is loops over tables, without products and factors.
    pub fn over_tables(&self, call: &Call) -> usize {
        self.tables.as_ref().map_or(0, |costs| routines::over_tables(call, costs))
    }

    fn call(&self, call: &Call) -> usize {
        let Some(terms) = &call.terms else { return self.over_tables(call) };
        let (rows, columns) = self.block;
        let tiles: usize = routines::groups(call).map(|group| group.tiles(rows, columns)).sum();
        let products = match call.routine {
            Routine::Inverse => routines::count_of(call).total(),
            _ => 2 * routines::groups(call).map(ColumnGroup::multiplications).sum::<usize>(),
        };
        self.over_tables(call)
            + products / self.looped_at_once
            + tiles * self.per_block
            + terms.panels.n() * self.per_pivot
    }

    fn product(&self, product: &Product) -> usize {
        let (rows, columns) = self.block;
        product.count().total() / self.looped_at_once + product.tiles(rows, columns) * self.per_block
    }
}
