//! The report for machines.

use super::{Measured, Report, Snapped};
use rbd_build::fused::Saving;
use rbd_build::measure::{Entry, Pattern};
use rbd_build::plan::{Plan, Rejected};
use rbd_build::{Function, Rust};
use rbd_runtime::Model;
use rbd_runtime::model::Body;
use serde_json::{Value, json};

/// One object. Patterns are a string a row: `x` varies, `c` is constant, `.` is zero.
pub fn write(report: &Report) -> String {
    let generated = &report.generated;
    let model = &generated.model;
    let (mass, base_mass) = report.mass();
    let functions = report.functions.iter().zip(&generated.functions);
    let value = json!({
        "robot": model.name,
        "type": generated.name,
        "nq": model.nq,
        "nv": model.nv,
        "bodies": model.bodies.len(),
        "mimic": report.mimics(),
        "mass": mass,
        "mass_on_fixed_base": base_mass,
        "gravity": model.gravity.as_slice(),
        "warnings": generated.warnings.warnings().map(|f| f.code).collect::<Vec<_>>(),
        "joints": model.bodies.iter().map(|b| joint(model, b)).collect::<Vec<_>>(),
        "functions": functions.map(|(m, t)| function(m, t)).collect::<Vec<_>>(),
        "fused": report.savings.iter().map(fused).collect::<Vec<_>>(),
        "patterns": report.patterns.iter().map(|(name, p)| pattern(name, p)).collect::<Vec<_>>(),
        "file_bytes": report.file_bytes,
        "snapped": report.snapped.as_ref().map(snapped),
    });
    format!("{value:#}\n")
}

fn fused(saving: &Saving) -> Value {
    json!({
        "name": saving.name,
        "total": saving.count.total(),
        "angles": saving.count.sin_cos,
        "fused": saving.instructions,
        "one_by_one": saving.one_by_one().total(),
        "dearest": saving.dearest(),
        "parts": saving.parts.iter().map(|part| json!({
            "function": part.function.name(),
            "frame": part.frame,
            "total": part.count.total(),
            "angles": part.count.sin_cos,
            "fused": part.instructions,
        })).collect::<Vec<_>>(),
    })
}

fn joint(model: &Model<f64>, body: &Body<f64>) -> Value {
    // JSON has no infinity: a missing limit is null.
    let limits = &body.limits;
    json!({
        "name": body.joint,
        "link": body.link,
        "parent": body.parent.map(|p| &model.bodies[p].joint),
        "kind": format!("{:?}", body.kind).to_lowercase(),
        "idx_q": body.idx_q,
        "nq": body.nq(),
        "idx_v": body.idx_v,
        "nv": body.nv(),
        "lower": limits.lower,
        "upper": limits.upper,
        "velocity": limits.velocity,
        "effort": limits.effort,
        "mimic": body.mimic.map(|m| json!({
            "joint": model.bodies[m.joint].joint,
            "multiplier": m.multiplier,
            "offset": m.offset,
        })),
    })
}

fn function(measured: &Measured, plan: &Plan) -> Value {
    let count = measured.cost.count;
    let loser = |way: &Rejected| {
        json!({
            "formulation": way.strategy.to_string(),
            "adds_and_muls": way.count.adds_and_muls(),
            "total": way.count.total(),
            "cost": way.cost,
        })
    };
    json!({
        "name": measured.cost.function.name(),
        "adds": count.adds,
        "muls": count.muls,
        "divs": count.divs,
        "angles": count.sin_cos,
        "adds_and_muls": count.adds_and_muls(),
        "total": count.total(),
        "in_loops": measured.cost.in_loops(),
        "fused": measured.cost.fused,
        "source_bytes": measured.cost.source_bytes,
        "generic": measured.dense.map(|d| json!({
            "adds": d.add,
            "muls": d.mul,
            "divs": d.div,
            "angles": d.sin_cos,
            "total": d.total(),
        })),
        "ratio": measured.ratio(),
        "formulation": plan.strategy.to_string(),
        "shape": plan.shape().name(),
        "cost": Rust::COSTS.cost_of(plan),
        "rewrite": plan.rewrite().map(ToString::to_string),
        "limbs": plan.stages.iter().flat_map(|stage| &stage.simd).map(|limbs| json!({
            "formulation": limbs.strategy.to_string(),
            "adds_and_muls": limbs.count().adds_and_muls(),
            "moves": limbs.count().moves,
            "fused": limbs.fused(),
        })).collect::<Vec<_>>(),
        "rejected": plan.rejected.iter().map(loser).collect::<Vec<_>>(),
    })
}

/// Gain of `snap: 1e-5`.
fn snapped(snapped: &Snapped) -> Value {
    let total = |(function, own, other): &(Function, usize, usize)| json!({ "name": function.name(), "total": own, "snapped": other });
    json!({
        "right_angles": snapped.angles.count,
        "taken": snapped.angles.snapped,
        "largest_change": snapped.angles.largest,
        "functions": snapped.totals.iter().map(total).collect::<Vec<_>>(),
    })
}

fn pattern(name: &str, pattern: &Pattern) -> Value {
    let letter = |entry| match entry {
        Entry::Zero => '.',
        Entry::Constant => 'c',
        Entry::Varies => 'x',
    };
    let row = |r| (0..pattern.columns).map(|c| letter(pattern.entry(r, c))).collect::<String>();
    json!({
        "name": name,
        "zero": pattern.count(Entry::Zero),
        "constant": pattern.count(Entry::Constant),
        "rows": (0..pattern.rows).map(row).collect::<Vec<_>>(),
    })
}
