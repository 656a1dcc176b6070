//! A plan for a processor with many threads, each of which has few registers.
//!
//! A function whose values do not fit the registers of a thread is cut into parts, each of which makes some columns of the
//! results. What several parts need is computed by each of them. What has to wait for all parts, such as a product of
//! what they made, is another step. Each part has its statements in an order of its own, in which few values are alive.

use crate::kernel::{Kernel, Stmt};
use crate::plan::{Version, Wire};
use crate::products::Product;

/// Parts that do not wait for one another. All of the next step waits for all of this one.
#[derive(Clone, Debug)]
pub struct Step {
    /// Each is done by a thread of its own.
    pub parts: Vec<Part>,
}

/// Kernels one after the other.
pub type Part = Vec<Version>;

/// Steps that do these stages, of which no part has more values alive at once than these, where that can be had.
pub fn steps(stages: &[&Version], most_alive: usize) -> Vec<Step> {
    let cut: Vec<Vec<Version>> = stages.iter().map(|version| cut(version, most_alive)).collect();
    if cut.iter().all(|parts| parts.len() < 2) {
        let whole = stages.iter().map(|version| whole(version));
        return vec![Step { parts: vec![whole.collect()] }];
    }
    let mut steps = Vec::new();
    for (version, parts) in stages.iter().zip(cut) {
        if has_own_memory(version) {
            // A thread's own memory is not there for the next step.
            steps.push(Step { parts: vec![vec![whole(version)]] });
            continue;
        }
        steps.push(Step { parts: parts.into_iter().map(|part| vec![part]).collect() });
        // Products that do not read what another one makes are beside one another.
        let mut beside: Vec<&Product> = Vec::new();
        for product in version.kernel.products() {
            if beside.iter().any(|other| product.factors().contains(&other.result())) {
                steps.push(by_columns(version, &beside));
                beside.clear();
            }
            beside.push(product);
        }
        if !beside.is_empty() {
            steps.push(by_columns(version, &beside));
        }
    }
    steps
}

/// The most values alive at once in any part.
pub fn most_alive(steps: &[Step]) -> usize {
    let kernels = steps.iter().flat_map(|step| &step.parts).flatten().map(|version| &version.kernel);
    kernels.map(Kernel::most_alive).max().unwrap_or(0)
}

fn with(version: &Version, kernel: Kernel) -> Version {
    Version { kernel, ..version.clone() }
}

/// All of it by one thread, with nothing written twice.
fn whole(version: &Version) -> Version {
    let mut kernel = version.kernel.part(|_| true).lean();
    kernel.body.extend(version.kernel.products().cloned().map(Stmt::Product));
    with(version, kernel)
}

fn has_own_memory(version: &Version) -> bool {
    let kernel = &version.kernel;
    kernel.declared().any(|(id, decl)| version.wire(id) == Wire::Own && !decl.is_empty())
}

/// Products, a part for each group of their columns.
fn by_columns(version: &Version, products: &[&Product]) -> Step {
    let groups = products.iter().flat_map(|product| {
        product.groups.iter().map(|group| Product { kind: product.kind, groups: vec![group.clone()] })
    });
    let of = |product: Product| {
        let arrays = version.kernel.arrays.clone();
        vec![with(version, Kernel { arrays, lane_constants: Vec::new(), body: vec![Stmt::Product(product)] })]
    };
    Step { parts: groups.map(of).collect() }
}

/// The straight line, in as few parts as have no more values alive than these; else in those with the fewest.
fn cut(version: &Version, most_alive: usize) -> Vec<Version> {
    let kernel = &version.kernel;
    let columns = |k: usize| kernel.arrays[k].columns;
    let widest = (0..kernel.arrays.len()).map(columns).max().unwrap_or(1);
    let mut best = vec![kernel.part(|_| true).lean()];
    let mut least = best[0].most_alive();
    if !has_own_memory(version) {
        for count in 2..=widest {
            if least <= most_alive {
                break;
            }
            let parts = dealt(kernel, count);
            let alive = parts.iter().map(Kernel::most_alive).max().unwrap_or(0);
            if alive < least {
                (best, least) = (parts, alive);
            }
        }
    }
    best.into_iter().map(|kernel| with(version, kernel)).collect()
}

/// Parts with as many columns each, as near as that can be; vectors are made by the first.
fn dealt(kernel: &Kernel, count: usize) -> Vec<Kernel> {
    let part_of = |array: usize, index: usize| {
        let decl = &kernel.arrays[array];
        index / decl.rows * count / decl.columns
    };
    let parts = (0..count)
        .map(|k| kernel.part(|place| part_of(place.array.index(), place.index as usize) == k).lean());
    parts.filter(|part| part.body.iter().any(|stmt| matches!(stmt, Stmt::Store { .. }))).collect()
}
