//! Plans for a processor with many threads, each of which has few registers.
//!
//! A function whose values do not fit a thread's registers is cut into shares, each of which
//! computes some entries of the results. Values that several shares need are computed by each of
//! them. Work that must wait for all shares, such as a product of their results, is another step.
//! The statements of each share are ordered so that few values are alive.

use crate::search::plan::{Version, Wire};
use crate::signatures::signature::Output;
use rbd_ir::kernel::{Kernel, Place, Role, Stmt};
use rbd_ir::products::{ColumnGroup, Product};
use rustc_hash::FxHashMap;

/// Shares that do not wait for one another. All of the next step waits for all of this one.
#[derive(Clone, Debug)]
pub struct Step {
    /// Shares of the step, each for a thread of its own.
    pub shares: Vec<Share>,
}

/// Kernels one after the other.
pub type Share = Vec<Version>;

/// Steps that run these stages. No share has more than `most_alive` values alive at once, if that is
/// possible.
pub fn steps(stages: &[&Version], most_alive: usize) -> Vec<Step> {
    let lent = with_lent_memory(stages);
    let stages: Vec<&Version> = lent.iter().collect();
    let cut: Vec<Vec<Version>> = stages.iter().map(|version| cut(version, most_alive)).collect();
    if cut.iter().all(|shares| shares.len() < 2) {
        let whole = stages.iter().map(|version| whole(version));
        return vec![Step { shares: vec![whole.collect()] }];
    }
    let mut steps = Vec::new();
    for (version, shares) in stages.iter().zip(cut) {
        if has_own_memory(version) {
            // A thread's own memory is not there for the next step.
            steps.push(Step { shares: vec![vec![whole(version)]] });
            continue;
        }
        steps.push(Step { shares: shares.into_iter().map(|share| vec![share]).collect() });
        // Products that do not read each other's results run side by side.
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

/// Stages that keep their own arrays in the memory of a later stage's results, as far as possible:
/// a thread's own memory is lost at the next step.
fn with_lent_memory(stages: &[&Version]) -> Vec<Version> {
    let mut all: Vec<Version> = stages.iter().map(|version| (*version).clone()).collect();
    for at in 0..all.len() {
        let (stage, later) = all[at..].split_first_mut().expect("there is this one");
        let mut free: Vec<(Output, usize)> = Vec::new();
        for version in later.iter() {
            for (id, output) in version.outputs(Role::Out) {
                free.push((output, version.kernel.array(id).len()));
            }
        }
        free.retain(|(output, _)| {
            let is_it = |wire: &Wire| *wire == Wire::Output(*output);
            !stage.wires.iter().any(is_it)
        });
        for (decl, wire) in stage.kernel.arrays.iter_mut().zip(&mut stage.wires) {
            if *wire == Wire::Own
                && let Some(k) = free.iter().position(|(_, len)| *len >= decl.len())
            {
                (decl.role, *wire) = (Role::Lent, Wire::Output(free.remove(k).0));
            }
        }
    }
    all
}

/// Instructions of all shares together.
pub fn work(steps: &[Step]) -> usize {
    steps.iter().flat_map(|step| &step.shares).flatten().map(|version| version.kernel.instructions()).sum()
}

/// The most values alive at once in any share.
pub fn most_alive(steps: &[Step]) -> usize {
    let kernels = steps.iter().flat_map(|step| &step.shares).flatten().map(|version| &version.kernel);
    kernels.map(Kernel::most_alive).max().unwrap_or(0)
}

fn with(version: &Version, kernel: Kernel) -> Version {
    Version { kernel, ..version.clone() }
}

/// The whole stage in one thread, without writing an entry twice.
fn whole(version: &Version) -> Version {
    let mut kernel = version.kernel.part(|_| true).lean();
    kernel.body.extend(version.kernel.products().cloned().map(Stmt::Product));
    with(version, kernel)
}

fn has_own_memory(version: &Version) -> bool {
    let kernel = &version.kernel;
    kernel.declared().any(|(id, decl)| version.wire(id) == Wire::Own && !decl.is_empty())
}

/// Columns of a product that a share computes together, at most. More threads hide the time that memory
/// takes; fewer read each entry of the left factor less often.
const COLUMNS: usize = 3;

/// Products, a share for every few columns of each group.
fn by_columns(version: &Version, products: &[&Product]) -> Step {
    let groups = products.iter().flat_map(|product| {
        let few = product.groups.iter().flat_map(few_columns);
        few.map(|group| Product { kind: product.kind, groups: vec![group] })
    });
    let of = |product: Product| {
        let arrays = version.kernel.arrays.clone();
        vec![with(version, Kernel { arrays, lane_constants: Vec::new(), body: vec![Stmt::Product(product)] })]
    };
    Step { shares: groups.map(of).collect() }
}

/// A group's columns, evenly in runs of at most [`COLUMNS`].
fn few_columns(group: &ColumnGroup) -> impl Iterator<Item = ColumnGroup> {
    let (first, end) = group.columns;
    let (length, runs) = (end - first, (end - first).div_ceil(COLUMNS));
    let bounds = move |run: usize| first + run * length / runs;
    (0..runs).map(move |run| ColumnGroup { columns: (bounds(run), bounds(run + 1)), ..group.clone() })
}

/// Largest number of statements of all shares together, in multiples of the whole: more would take
/// longer than memory does.
pub const MOST_WORK: usize = 4;

/// The straight line in the fewest shares with at most `most_alive` values alive each. If that takes
/// too much work, shares have as few more as necessary.
fn cut(version: &Version, most_alive: usize) -> Vec<Version> {
    let kernel = &version.kernel;
    let whole = kernel.part(|_| true).lean();
    let (alive, work) = (whole.most_alive(), MOST_WORK * whole.instructions().max(LITTLE));
    if has_own_memory(version) {
        return vec![with(version, whole)];
    }
    let mut most = most_alive;
    while most < alive {
        if let Some(shares) = dealt(kernel, most, work) {
            return shares.into_iter().map(|kernel| with(version, kernel)).collect();
        }
        most += most.div_ceil(4);
    }
    vec![with(version, whole)]
}

/// Number of statements that is no work, however often they are repeated.
const LITTLE: usize = 1000;

/// Shares with as many results each as fit, in the order of the algorithm, in which neighbours share
/// most. `None` if that takes more than `work`.
fn dealt(kernel: &Kernel, most_alive: usize, work: usize) -> Option<Vec<Kernel>> {
    let stores = kernel.body.iter().filter_map(|stmt| match stmt {
        Stmt::Store { to, .. } => Some(*to),
        _ => None,
    });
    let mut numbers: FxHashMap<Place, usize> = FxHashMap::default();
    for to in stores {
        let next = numbers.len();
        numbers.entry(to).or_insert(next);
    }
    let (mut shares, mut done) = (Vec::new(), 0);
    let (mut from, mut guess) = (0, numbers.len().div_ceil(4));
    while from < numbers.len() {
        // Filled entries go to the first share.
        let of = |end: usize, most: usize| {
            let is_kept = |place: Place| (from..end).contains(numbers.get(&place).unwrap_or(&0));
            let share = kernel.part(is_kept).lean_within(most);
            (share.most_alive() <= most).then_some(share)
        };
        let found = longest(from, numbers.len(), guess, |end| of(end, most_alive)).or_else(|| {
            // A single result is too large: others that need no more values join it.
            let alone = of(from + 1, usize::MAX)?.lean();
            longest(from, numbers.len(), guess, |end| of(end, alone.most_alive()))
        });
        let (share, end) = found.expect("one result alone has as many values alive as it has");
        done += share.instructions();
        if done > work {
            return None;
        }
        shares.push(share);
        (from, guess) = (end, end - from);
    }
    Some(shares)
}

/// The longest run from here on that fits, by bisection from a guess. If a run does not fit, longer
/// ones are assumed not to fit.
fn longest<T>(
    from: usize,
    end: usize,
    guess: usize,
    fits: impl Fn(usize) -> Option<T>,
) -> Option<(T, usize)> {
    let (mut best, mut known, mut too_much) = (None, from, end + 1);
    let mut next = (from + guess).clamp(from + 1, end);
    while known + 1 < too_much {
        match fits(next) {
            Some(found) => (best, known) = (Some(found), next),
            None => too_much = next,
        }
        // Doubles until a run is too long.
        next = if too_much > end { (2 * next - from).min(end) } else { known.midpoint(too_much) };
        if next == known {
            next += 1;
        }
    }
    best.map(|found| (found, known))
}
