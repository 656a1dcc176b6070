//! Kernels of all contacts' rows, in the cheapest frames of bodies.

mod limbs;

use super::Search;
use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::run_time::Given;
use crate::algorithms::strategy::{Algorithm, ProductBy, Strategy};
use crate::algorithms::{Draft, contact_factors, contact_propagators, contact_rows};
use crate::search::stages::{self, Stage, Version};
use crate::search::trace::TracedStage;
use crate::signatures::contact_rows::{ACTIVITY, ContactRow, GAINS, PULLS, ROW_FORCES};
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::{GRAVITY, INERTIA, Output, Q, Sizes};
use crate::table::contact_rows::{CONTACT_ROWS, RowsSpec};
use crate::table::functions::Function;
use crate::table::routines;
use crate::tree::{Rewrite, Tree};
use limbs::{can_hold, has_limbs};
use rbd_ir::graph::{Graph, Rules};
use rbd_ir::passes::Ir;
use rbd_runtime::Model;
use std::sync::Arc;

/// A kernel of all contacts' rows.
#[derive(Clone, Debug)]
pub struct RowsPlan {
    /// Number of its row in [`CONTACT_ROWS`].
    pub number: usize,
    /// The kernel's only stage.
    pub stage: Stage,
    /// Sizes of the kernel's arrays.
    pub sizes: Sizes,
}

impl RowsPlan {
    /// Row of the table.
    pub fn spec(&self) -> &'static RowsSpec {
        &CONTACT_ROWS[self.number]
    }

    /// The stage without stores of structural zeros.
    pub fn without_zeros(&self) -> Stage {
        let Stage { scalar, simd } = &self.stage;
        Stage { scalar: scalar.without_zeros(), simd: simd.iter().map(Version::without_zeros).collect() }
    }

    /// The kernels of these contacts as straight lines of a tree, without a search.
    pub fn trace_all(model: &Model<f64>, tree: &Tree, contacts: &[ContactAt]) -> Vec<Self> {
        let (rows, sizes) = (ContactRow::all(model, contacts), Sizes::from(model).with_contacts(contacts));
        let nf = if tree.has_mimic { 0 } else { entries(tree, sizes, false) };
        let sizes = Sizes { nf, ..sizes };
        let plan = |(number, spec): (usize, &'static RowsSpec)| {
            let stage = Stage::of(trace(spec, &rows, sizes, tree, Way::STRAIGHT).version());
            Self { number, stage, sizes }
        };
        let has_limbs = has_limbs(tree, &rows, sizes);
        let is_made = |(_, spec): &(usize, &RowsSpec)| {
            !(tree.has_mimic && spec.has_factors()) && (has_limbs || !spec.of_limbs)
        };
        CONTACT_ROWS.iter().enumerate().filter(is_made).map(plan).collect()
    }
}

/// Way in which the kernels with factors of the mass matrix are made.
#[derive(Clone, Debug)]
struct Factoring {
    /// True if they are made by articulated bodies, in place of the mass matrix.
    by_bodies: bool,
    /// Sizes of arrays.
    sizes: Sizes,
    /// Without limbs as lanes.
    tree: Arc<Tree>,
    /// With limbs as lanes, if that pays.
    limbs: Option<Tree>,
}

impl Search<'_> {
    /// Kernels of the rows of these contacts and closed loops.
    ///
    /// `is_straight` is true of functions of the whole robot that have no loops over tables. With a
    /// `runtime`, products may be loops.
    pub(crate) fn contact_rows(
        &self,
        contacts: &[ContactAt],
        runtime: bool,
        is_straight: impl Fn(Function) -> bool,
    ) -> Vec<RowsPlan> {
        let rows = ContactRow::all(self.trees.model(), contacts);
        if rows.is_empty() {
            return Vec::new();
        }
        let sizes = Sizes::from(self.trees.model()).with_contacts(contacts);
        let has_limbs = runtime && has_limbs(&self.trees.get(&self.plain()), &rows, sizes);
        let knows_root = runtime && routines::knows_root(self.trees.model(), contacts);
        let factoring = self.factoring(&rows, sizes, runtime);
        let plan = |(number, spec): (usize, &'static RowsSpec)| {
            if spec.like.is_some_and(|function| !is_straight(function)) || (spec.of_limbs && !has_limbs) {
                return None;
            }
            if spec.has_factors() {
                let Factoring { by_bodies, sizes, tree, limbs } = factoring.as_ref()?;
                let stage = |product| {
                    let way = Way { by_bodies: *by_bodies, product, ..Way::STRAIGHT };
                    let version = |tree: &Tree| trace(spec, &rows, *sizes, tree, way).version();
                    Stage { scalar: version(tree), simd: limbs.iter().map(version).collect() }
                };
                let straight = stage(ProductBy::None);
                let stage = match straight.scalar.straight_line.total() <= spec.longest {
                    true => straight,
                    false if runtime => stage(ProductBy::Loops),
                    false => return None,
                };
                return Some(RowsPlan { number, stage, sizes: *sizes });
            }
            let way = Way { knows_root, ..Way::STRAIGHT };
            let traced = |tree: &Tree| [trace(spec, &rows, sizes, tree, way)];
            let (scalar, rewrite) = self.cheapest(traced);
            let limbs = self.rows_with_limbs(traced, &rows, (&scalar, &rewrite));
            let simd = limbs.into_iter().flat_map(|(stages, _)| stages.map(TracedStage::version)).collect();
            let [scalar] = scalar.map(TracedStage::version);
            let stage = Stage { scalar, simd };
            let length: usize = stage.fastest().iter().map(|version| version.straight_line.total()).sum();
            let is_made = !spec.of_limbs
                || (length <= spec.longest && can_hold(&stage.scalar, self.trees.model(), sizes));
            is_made.then_some(RowsPlan { number, stage, sizes })
        };
        let plans: Vec<RowsPlan> = CONTACT_ROWS.iter().enumerate().filter_map(plan).collect();
        debug_assert_eq!(verify(&plans), Ok(()));
        plans
    }

    /// The cheapest kernels without limbs as lanes.
    fn cheapest<const N: usize>(
        &self,
        trace: impl Fn(&Tree) -> [TracedStage; N],
    ) -> ([TracedStage; N], Rewrite) {
        let as_given = Rewrite { realign: false, ..self.plain() };
        let traced = [self.plain(), as_given].map(|rewrite| (trace(&self.trees.get(&rewrite)), rewrite));
        let cheapest = traced.into_iter().min_by_key(|(stages, _)| self.cost_of_each(stages));
        cheapest.expect("there are two")
    }

    /// The cheapest kernels with limbs as lanes, if they pay, and their tree.
    fn rows_with_limbs<const N: usize>(
        &self,
        trace: impl Fn(&Tree) -> [TracedStage; N],
        rows: &[ContactRow],
        (straight, rewrite): (&[TracedStage; N], &Rewrite),
    ) -> Option<([TracedStage; N], Tree)> {
        let packed = |packing| {
            let tree = self.trees.get(rewrite).with_limbs(packing)?;
            let is_possible = contact_rows::can_be_lanes(&tree, rows);
            is_possible.then(|| (trace(&tree), tree))
        };
        let all = self.costs.packings.iter().copied().flatten().filter_map(|packing| packed(*packing));
        let best = all.min_by_key(|(stages, _)| self.cost_of_each(stages))?;
        let pays = self.cost_of_each(&best.0) * 4 < self.cost_of_each(straight) * self.costs.packed_quarters;
        pays.then_some(best)
    }

    /// Cost of kernels that other code runs between.
    fn cost_of_each(&self, stages: &[TracedStage]) -> usize {
        stages.iter().map(|stage| self.costs.cost([&stage.ir])).sum()
    }

    /// Chooses how the mass matrix is factored: the cheapest way to dynamics. `None` if joints share
    /// coordinates.
    ///
    /// Without a `runtime` the target is a GPU, where the kernels are apart and each takes its own sines. By
    /// bodies, an H200 takes 1.1 to 1.2 of HyQ's time for a few operations less, and 0.83 to 0.96 of G1's for
    /// a fifth less.
    fn factoring(&self, rows: &[ContactRow], sizes: Sizes, runtime: bool) -> Option<Factoring> {
        let plain = self.trees.get(&self.plain());
        if plain.has_mimic {
            return None;
        }
        let with_entries = |tree: &Tree, by_bodies| Sizes { nf: entries(tree, sizes, by_bodies), ..sizes };
        let of_dynamics = |tree: &Tree, by_bodies| {
            let sizes = with_entries(tree, by_bodies);
            let way = Way { by_bodies, ..Way::STRAIGHT };
            OF_DYNAMICS.map(|name| trace(spec(name), rows, sizes, tree, way))
        };
        let by_bodies = if runtime {
            let cost = |by_bodies| self.cost_of_each(&of_dynamics(&plain, by_bodies));
            cost(true) < cost(false)
        } else {
            let cost = |by_bodies| {
                self.costs.cost_without_misses(of_dynamics(&plain, by_bodies).iter().map(|stage| &stage.ir))
            };
            cost(true) * 10 < cost(false) * 9
        };
        let traced = |tree: &Tree| of_dynamics(tree, by_bodies);
        let (straight, rewrite) = self.cheapest(traced);
        let tree = self.trees.get(&rewrite);
        let limbs = self.rows_with_limbs(traced, rows, (&straight, &rewrite)).map(|(_, tree)| tree);
        let trees = std::iter::once(&*tree).chain(&limbs);
        let nf = trees.map(|tree| entries(tree, sizes, by_bodies)).max()?;
        Some(Factoring { by_bodies, sizes: Sizes { nf, ..sizes }, tree, limbs })
    }
}

/// What kernels read that no other kernel gives.
const GIVEN: [Output; 4] = [ROW_FORCES, ACTIVITY, PULLS, GAINS];

/// Kernels with factors that dynamics under contacts call.
const OF_DYNAMICS: [&str; 2] = ["row_factors", "accelerations"];

/// The kernel of this name.
fn spec(name: &str) -> &'static RowsSpec {
    CONTACT_ROWS.iter().find(|spec| spec.name == name).expect("a row of the table")
}

/// Entries of the factors.
fn entries(tree: &Tree, sizes: Sizes, by_bodies: bool) -> usize {
    let graph = Graph::with(Rules::default());
    let q = draft(spec(OF_DYNAMICS[0]), sizes, ProductBy::None).param(Q);
    let robot = SymbolicRobot::new(&graph, tree, q, Given::default());
    match by_bodies {
        true => contact_propagators::entries_of_handles(&robot),
        false => contact_factors::entries_of_factors(&robot),
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
        let given: Vec<Output> = GIVEN.into_iter().filter(|given| !outputs.contains(given)).collect();
        stages::verify_with(&given, &stages, &outputs)?;
    }
    Ok(())
}

/// Way in which a kernel with factors is made.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// True for articulated bodies, as in [`Factoring`].
    by_bodies: bool,
    /// True if columns of a floating root are known.
    knows_root: bool,
    /// Form of products of matrices.
    product: ProductBy,
}

impl Way {
    /// By factors of the mass matrix, without loops and without known columns.
    const STRAIGHT: Self = Self { by_bodies: false, knows_root: false, product: ProductBy::None };
}

fn draft<'g>(spec: &RowsSpec, sizes: Sizes, product: ProductBy) -> Draft<'g> {
    Draft::new(sizes, spec.params, Strategy::new(Algorithm::Inward, product), 0)
}

fn trace(spec: &RowsSpec, rows: &[ContactRow], sizes: Sizes, tree: &Tree, way: Way) -> TracedStage {
    let graph = Graph::with(Rules::default());
    let mut draft = draft(spec, sizes, way.product);
    let strategy = draft.strategy;
    let q = draft.param(Q);
    let inertia = (tree.np > 0 && spec.takes_parameters).then(|| draft.given(INERTIA));
    let gravity = (tree.gravity_is_given && spec.takes_parameters).then(|| draft.given(GRAVITY));
    let by_bodies = spec.by_bodies.filter(|_| way.by_bodies);
    let algorithm = by_bodies.or(spec.beside_root.filter(|_| way.knows_root)).unwrap_or(spec.trace);
    algorithm(&SymbolicRobot::new(&graph, tree, q, Given { inertia, gravity }), rows, &mut draft);
    let Draft { arrays, wires, entries, calls, products, .. } = draft;
    let entries = entries.into_iter().map(|(array, entries)| (array, entries.values())).collect();
    let ir = Ir { nodes: graph.finish(), arrays, entries, calls, products }.simplified(Rules::default());
    TracedStage { strategy, rewrite: tree.rewrite.clone(), ir, wires }
}

#[cfg(test)]
mod tests;
