//! Kernels of all contacts' rows, in the cheapest frames of bodies.

use super::Search;
use crate::algorithms::Draft;
use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::run_time::Given;
use crate::algorithms::strategy::{Algorithm, ProductBy, Strategy};
use crate::search::stages::{self, Stage};
use crate::search::trace::TracedStage;
use crate::signatures::contact_rows::ContactRow;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::{Q, Sizes};
use crate::table::contact_rows::{CONTACT_ROWS, RowsSpec};
use crate::tree::{Rewrite, Tree};
use rbd_ir::graph::{Graph, Rules};
use rbd_ir::passes::Ir;

/// A kernel of all contacts' rows.
#[derive(Clone, Debug)]
pub struct RowsPlan {
    /// Number of its row in [`CONTACT_ROWS`].
    pub number: usize,
    /// Its only stage, without limbs as lanes.
    pub stage: Stage,
}

impl RowsPlan {
    /// Row of the table.
    pub fn spec(&self) -> &'static RowsSpec {
        &CONTACT_ROWS[self.number]
    }
}

impl Search<'_> {
    /// Kernels of the rows of these contacts. There are none of robots with closed loops.
    pub(crate) fn contact_rows(&self, contacts: &[ContactAt]) -> Vec<RowsPlan> {
        let rows = ContactRow::all(self.trees.model(), contacts).unwrap_or_default();
        if rows.is_empty() {
            return Vec::new();
        }
        let sizes = Sizes::from(self.trees.model()).with_contacts(contacts);
        let plan = |(number, spec): (usize, &'static RowsSpec)| {
            let as_given = Rewrite { realign: false, ..self.plain() };
            let all = [self.plain(), as_given];
            let traced = all.map(|rewrite| trace(spec, &rows, sizes, &self.trees.get(&rewrite)));
            let cheapest = traced.into_iter().min_by_key(|stage| self.costs.cost([&stage.ir]));
            let stage = Stage::of(cheapest.expect("there are two").version());
            debug_assert_eq!(stages::verify(std::slice::from_ref(&stage), spec.outputs), Ok(()));
            RowsPlan { number, stage }
        };
        CONTACT_ROWS.iter().enumerate().map(plan).collect()
    }
}

fn trace(spec: &RowsSpec, rows: &[ContactRow], sizes: Sizes, tree: &Tree) -> TracedStage {
    let graph = Graph::with(Rules::default());
    let strategy = Strategy::new(Algorithm::Inward, ProductBy::None);
    let mut draft = Draft::new(sizes, spec.params, strategy, 0);
    let q = draft.param(Q);
    (spec.trace)(&SymbolicRobot::new(&graph, tree, q, Given::default()), rows, &mut draft);
    let Draft { arrays, wires, entries, calls, products, .. } = draft;
    let entries = entries.into_iter().map(|(array, entries)| (array, entries.values())).collect();
    let ir = Ir { nodes: graph.finish(), arrays, entries, calls, products }.simplified(Rules::default());
    TracedStage { strategy, rewrite: tree.rewrite.clone(), ir, wires }
}
