//! Summary for the reader: slowest and largest functions, and suggestions.

use super::text::grouped;
use super::{Report, Snapped};
use rbd_build::plan::{Plan, Stage};
use rbd_build::{Rust, Shape};

/// Largest excess of another shape's cost over the chosen one's, in percent, that is worth a
/// measurement.
const CLOSE: usize = 25;
/// Least saving of `snap`, in percent of all operations, that is worth a try.
const WORTHWHILE: usize = 3;
/// Bytes of Rust that take the compiler half a minute.
const LARGE: usize = 3_000_000;

/// Three sentences, a line each.
pub fn sentences(report: &Report) -> String {
    format!("{}\n{}\n{}\n", slowest(report), largest(report), to_try(report))
}

/// A function's name, with its frame.
pub fn name(report: &Report, plan: &Plan) -> String {
    let of = plan.frame.map(|at| format!(" of {}", report.generated.model.frames[at.index].name));
    format!("{}{}", plan.function.name(), of.unwrap_or_default())
}

/// Other shapes that were compared with a function's shape, and their costs.
pub fn other_shapes(plan: &Plan) -> Vec<(Shape, usize)> {
    let mut others: Vec<(Shape, usize)> = Vec::new();
    let own = plan.shape();
    if own == Shape::Limbs {
        let stages = plan.stages.iter().map(|stage| Stage::of(stage.scalar.clone()));
        let straight = Plan { stages: stages.collect(), ..plan.clone() };
        others.push((Shape::Straight, Rust::COSTS.cost_of(&straight)));
    }
    for way in &plan.rejected {
        let shape = if way.strategy.is_loops() { Shape::Loops } else { Shape::Straight };
        // Other straight lines than the best are no other shape; the first of a shape is its best.
        let is_other = (shape == Shape::Loops) != (own == Shape::Loops);
        if is_other && others.iter().all(|(known, _)| *known != shape) {
            others.push((shape, way.cost));
        }
    }
    others
}

fn slowest(report: &Report) -> String {
    let cost = |plan: &Plan| Rust::COSTS.cost_of(plan);
    let plans = &report.generated.functions;
    match plans.iter().filter(|plan| cost(plan) > 0).max_by_key(|plan| cost(plan)) {
        Some(plan) => format!(
            "Slowest by its cost: `{}`, {} ({}: {}).",
            name(report, plan),
            grouped(cost(plan)),
            plan.shape().name(),
            plan.strategy
        ),
        None => "Slowest: nothing here has a cost, as the runtime computes it.".into(),
    }
}

fn largest(report: &Report) -> String {
    let kilobytes = |bytes: usize| grouped(bytes.div_ceil(1000));
    match report.functions.iter().max_by_key(|measured| measured.cost.source_bytes) {
        Some(measured) => format!(
            "Largest: `{}`, {} kB of the {} kB of Rust.",
            measured.cost.function.name(),
            kilobytes(measured.cost.source_bytes),
            kilobytes(report.file_bytes)
        ),
        None => format!("Largest: fused functions alone, {} kB of Rust.", kilobytes(report.file_bytes)),
    }
}

/// The most useful suggestion: exact right angles, another shape that costs nearly as much, or
/// fewer functions.
fn to_try(report: &Report) -> String {
    if let Some(Snapped { totals, .. }) = &report.snapped {
        let sum =
            |of: fn(&(rbd_build::Function, usize, usize)) -> usize| totals.iter().map(of).sum::<usize>();
        let (own, snapped) = (sum(|t| t.1), sum(|t| t.2));
        let saved = own.saturating_sub(snapped) * 100;
        if saved >= WORTHWHILE * own.max(1) {
            let percent = saved / own.max(1);
            return format!("To try: `snap: 1e-5`, which saves {percent} % of the operations; see below.");
        }
    }
    let close = report.generated.functions.iter().flat_map(|plan| {
        let own = Rust::COSTS.cost_of(plan);
        other_shapes(plan).into_iter().map(move |(shape, cost)| (plan, own, shape, cost))
    });
    let close = close.filter(|(_, own, _, cost)| 100 * cost <= (100 + CLOSE) * own);
    if let Some((plan, own, shape, cost)) = close.max_by_key(|(_, own, ..)| *own) {
        return format!(
            "To try: `shape: {{ {}: {} }}` costs {} beside {}; measure both on your processor.",
            plan.function.name(),
            shape.name(),
            grouped(cost),
            grouped(own)
        );
    }
    if report.file_bytes > LARGE {
        return "To try: `functions: [..]` with those that you call, which compiles sooner.".into();
    }
    "To try: nothing; no other shape of code comes near, and the text is small.".into()
}
