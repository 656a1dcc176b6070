//! Kernels of all contacts' rows, in the cheapest frames of bodies.

use super::Search;
use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::run_time::Given;
use crate::algorithms::strategy::{Algorithm, ProductBy, Strategy};
use crate::algorithms::{Draft, contact_factors, contact_rows};
use crate::search::stages::{self, Stage};
use crate::search::trace::TracedStage;
use crate::signatures::contact_rows::{ContactRow, ROW_FORCES};
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::{GRAVITY, INERTIA, Output, Q, Sizes};
use crate::table::contact_rows::{CONTACT_ROWS, RowsSpec};
use crate::table::functions::Function;
use crate::tree::{Rewrite, Tree};
use rbd_ir::graph::{Graph, Rules};
use rbd_ir::passes::Ir;

/// A kernel of all contacts' rows.
#[derive(Clone, Debug)]
pub struct RowsPlan {
    /// Number of its row in [`CONTACT_ROWS`].
    pub number: usize,
    /// Its only stage.
    pub stage: Stage,
    /// Sizes of its arrays.
    pub sizes: Sizes,
}

impl RowsPlan {
    /// Row of the table.
    pub fn spec(&self) -> &'static RowsSpec {
        &CONTACT_ROWS[self.number]
    }
}

impl Search<'_> {
    /// Kernels of the rows of these contacts and closed loops.
    ///
    /// `is_straight` is true of functions of the whole robot that have no loops over tables.
    pub(crate) fn contact_rows(
        &self,
        contacts: &[ContactAt],
        is_straight: impl Fn(Function) -> bool,
    ) -> Vec<RowsPlan> {
        let rows = ContactRow::all(self.trees.model(), contacts);
        if rows.is_empty() {
            return Vec::new();
        }
        let sizes = Sizes::from(self.trees.model()).with_contacts(contacts);
        let with_factors = self.factors(&rows, sizes);
        let plan = |(number, spec): (usize, &'static RowsSpec)| {
            if spec.like.is_some_and(|function| !is_straight(function)) {
                return None;
            }
            if spec.has_factors {
                let (sizes, trees) = with_factors.as_ref()?;
                let stage = Stage {
                    scalar: trace(spec, &rows, *sizes, &trees.0).version(),
                    simd: trees.1.iter().map(|tree| trace(spec, &rows, *sizes, tree).version()).collect(),
                };
                let is_short = stage.scalar.straight_line.total() <= spec.longest;
                return is_short.then_some(RowsPlan { number, stage, sizes: *sizes });
            }
            let (scalar, rewrite) = self.cheapest(spec, &rows, sizes);
            let limbs = self.rows_with_limbs(spec, &rows, sizes, (&scalar, &rewrite));
            let simd = limbs.map(|(stage, _)| stage.version()).into_iter().collect();
            Some(RowsPlan { number, stage: Stage { scalar: scalar.version(), simd }, sizes })
        };
        let plans: Vec<RowsPlan> = CONTACT_ROWS.iter().enumerate().filter_map(plan).collect();
        debug_assert_eq!(verify(&plans), Ok(()));
        plans
    }

    /// The cheapest stage without limbs as lanes.
    fn cheapest(&self, spec: &RowsSpec, rows: &[ContactRow], sizes: Sizes) -> (TracedStage, Rewrite) {
        let as_given = Rewrite { realign: false, ..self.plain() };
        let all = [self.plain(), as_given];
        let traced = all.map(|rewrite| (trace(spec, rows, sizes, &self.trees.get(&rewrite)), rewrite));
        let cheapest = traced.into_iter().min_by_key(|(stage, _)| self.costs.cost([&stage.ir]));
        cheapest.expect("there are two")
    }

    /// The cheapest stage with limbs as lanes, if it pays, and its tree.
    fn rows_with_limbs(
        &self,
        spec: &RowsSpec,
        rows: &[ContactRow],
        sizes: Sizes,
        (straight, rewrite): (&TracedStage, &Rewrite),
    ) -> Option<(TracedStage, Tree)> {
        let cost = |stage: &TracedStage| self.costs.cost([&stage.ir]);
        let packed = |packing| {
            let tree = self.trees.get(rewrite).with_limbs(packing)?;
            let is_possible = contact_rows::can_be_lanes(&tree, rows);
            is_possible.then(|| (trace(spec, rows, sizes, &tree), tree))
        };
        let all = self.costs.packings.iter().copied().flatten().filter_map(|packing| packed(*packing));
        let best = all.min_by_key(|(stage, _)| cost(stage))?;
        (cost(&best.0) * 4 < cost(straight) * self.costs.packed_quarters).then_some(best)
    }

    /// Trees of the kernels with factors of the mass matrix, and sizes: without limbs as lanes, and with them
    /// if that pays. `None` if joints share coordinates.
    fn factors(&self, rows: &[ContactRow], sizes: Sizes) -> Option<(Sizes, (Tree, Option<Tree>))> {
        let tree = self.trees.get(&self.plain());
        if tree.has_mimic {
            return None;
        }
        let spec = CONTACT_ROWS.iter().find(|spec| spec.has_factors && spec.reads.is_empty())?;
        let entries = |tree: &Tree| {
            let graph = Graph::with(Rules::default());
            let mut draft = draft(spec, sizes);
            let q = draft.param(Q);
            contact_factors::entries_of_factors(&SymbolicRobot::new(&graph, tree, q, Given::default()))
        };
        let sizes = Sizes { nf: entries(&tree), ..sizes };
        let (straight, rewrite) = self.cheapest(spec, rows, sizes);
        let tree = self.trees.get(&rewrite);
        let limbs = self.rows_with_limbs(spec, rows, sizes, (&straight, &rewrite)).map(|(_, tree)| tree);
        let nf = limbs.iter().map(entries).chain([sizes.nf]).max()?;
        Some((Sizes { nf, ..sizes }, ((*tree).clone(), limbs)))
    }
}

/// Checks the kernels. Those that read results of another are checked with it.
fn verify(plans: &[RowsPlan]) -> Result<(), String> {
    for (k, plan) in plans.iter().enumerate() {
        let is_before =
            |other: &&RowsPlan| plan.spec().reads.iter().any(|o| other.spec().outputs.contains(o));
        let before: Vec<&RowsPlan> = plans[..k].iter().filter(is_before).collect();
        let all = || before.iter().copied().chain([plan]);
        let stages: Vec<Stage> = all().map(|plan| plan.stage.clone()).collect();
        let outputs: Vec<Output> = all().flat_map(|plan| plan.spec().outputs).copied().collect();
        stages::verify_with(&[ROW_FORCES], &stages, &outputs)?;
    }
    Ok(())
}

fn draft<'g>(spec: &RowsSpec, sizes: Sizes) -> Draft<'g> {
    Draft::new(sizes, spec.params, Strategy::new(Algorithm::Inward, ProductBy::None), 0)
}

fn trace(spec: &RowsSpec, rows: &[ContactRow], sizes: Sizes, tree: &Tree) -> TracedStage {
    let graph = Graph::with(Rules::default());
    let mut draft = draft(spec, sizes);
    let strategy = draft.strategy;
    let q = draft.param(Q);
    let inertia = (tree.np > 0 && spec.takes_parameters).then(|| draft.given(INERTIA));
    let gravity = (tree.gravity_is_given && spec.takes_parameters).then(|| draft.given(GRAVITY));
    (spec.trace)(&SymbolicRobot::new(&graph, tree, q, Given { inertia, gravity }), rows, &mut draft);
    let Draft { arrays, wires, entries, calls, products, .. } = draft;
    let entries = entries.into_iter().map(|(array, entries)| (array, entries.values())).collect();
    let ir = Ir { nodes: graph.finish(), arrays, entries, calls, products }.simplified(Rules::default());
    TracedStage { strategy, rewrite: tree.rewrite.clone(), ir, wires }
}

#[cfg(test)]
mod tests;
