//! The report for people, made for a terminal of 100 columns.

use super::{Report, Snapped, pattern, summary};
use crate::output;
use comfy_table::{CellAlignment, Table};
use rbd_build::Rust;
use rbd_build::graph::OperationCount;
use rbd_runtime::model::Body;
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

/// Everything, section by section.
pub fn write(report: &Report) -> String {
    let sections = [
        header(report),
        summary::sentences(report),
        joints(&report.generated.model),
        shapes(report),
        functions(report),
        fused(report),
        formulations(report),
        snapped(report),
        zeros(report),
    ];
    // Tables pad their last column.
    let sections: Vec<String> = sections.into_iter().filter(|s| !s.is_empty()).collect();
    sections.join("\n").lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn header(report: &Report) -> String {
    let generated = &report.generated;
    let model = &generated.model;
    let floating = model.bodies.first().is_some_and(|b| b.kind == JointKind::Floating && b.parent.is_none());
    let (mass, base) = report.mass();
    let mut text = format!(
        "{} ({}, {} base)\n",
        if model.name.is_empty() { "nameless" } else { &model.name },
        generated.name,
        if floating { "floating" } else { "fixed" }
    );
    let _ = write!(
        text,
        "nq {}   nv {}   bodies {}   mimic {}   frames {}\nmass {:.4} kg",
        model.nq,
        model.nv,
        model.bodies.len(),
        report.mimics(),
        model.frames.len(),
        mass
    );
    if base > 0.0 {
        let _ = write!(text, ", {base:.4} of it on the fixed base");
    }
    let [x, y, z]: [f64; 3] = model.gravity.into();
    let _ = writeln!(text, "   gravity [{x}, {y}, {z}] m/s^2");
    match generated.warnings.warnings().count() {
        0 => {}
        1 => text.push_str("1 warning: `rbd check` shows it\n"),
        n => {
            let _ = writeln!(text, "{n} warnings: `rbd check` shows them");
        }
    }
    text
}

fn joints(model: &Model<f64>) -> String {
    let mut table = output::table(["", "joint", "kind", "parent", "q", "v", "range", "mass"]);
    for (i, body) in model.bodies.iter().enumerate() {
        let parent = body.parent.map_or("world", |p| &model.bodies[p].joint);
        table.add_row([
            i.to_string(),
            shortened(&body.joint, 25),
            format!("{:?}", body.kind).to_lowercase(),
            shortened(parent, 17),
            coordinates(body.idx_q, body.nq()),
            coordinates(body.idx_v, body.nv()),
            range(model, body),
            format!("{:.3}", body.inertia.mass),
        ]);
    }
    pad(&mut table);
    right(&mut table, &[0, 7]);
    format!("{table}\n")
}

/// Range of coordinates, such as `7..10`; empty for a joint without coordinates.
fn coordinates(first: usize, n: usize) -> String {
    match n {
        0 => String::new(),
        1 => first.to_string(),
        n => format!("{first}..{}", first + n),
    }
}

/// Limits of position, or the joint that a mimic joint follows.
fn range(model: &Model<f64>, body: &Body<f64>) -> String {
    let limits = &body.limits;
    match body.mimic {
        Some(m) => {
            let offset = if m.offset == 0.0 { String::new() } else { format!(" {:+}", rounded(m.offset)) };
            format!("{} q{}{offset}", rounded(m.multiplier), model.bodies[m.joint].idx_q)
        }
        None if limits.lower == f64::NEG_INFINITY && limits.upper == f64::INFINITY => String::new(),
        None => format!("{} to {}", rounded(limits.lower), rounded(limits.upper)),
    }
}

fn rounded(x: f64) -> f64 {
    (x * 1e3).round() / 1e3 + 0.0
}

/// The shape of code that each function has, and those that were rejected, with their costs: a line each.
fn shapes(report: &Report) -> String {
    let mut table = output::table(["function", "shape", "cost", "rejected, with cost"]);
    let mut rows = 0;
    for plan in &report.generated.functions {
        let others = summary::other_shapes(plan);
        if others.is_empty() {
            continue;
        }
        rows += 1;
        let others = others.iter().map(|(shape, cost)| format!("{} {}", shape.name(), grouped(*cost)));
        table.add_row([
            summary::name(report, plan),
            plan.shape().name().to_owned(),
            match Rust::COSTS.cost_of(plan) {
                // The runtime's own loops.
                0 => "-".to_owned(),
                cost => grouped(cost),
            },
            others.collect::<Vec<_>>().join(", "),
        ]);
    }
    if rows == 0 {
        return String::new();
    }
    pad(&mut table);
    right(&mut table, &[2]);
    format!(
        "{table}\nFunctions of which several shapes of code were compared; the option `shape` takes another.\n"
    )
}

fn functions(report: &Report) -> String {
    let mut table = output::table([
        "function", "add", "mul", "angles", "total", "fused", "loops", "generic", "ratio", "kB",
    ]);
    for measured in &report.functions {
        let (cost, dense) = (&measured.cost, measured.dense);
        let size = format!("{:.1}", cost.source_bytes as f64 / 1e3);
        if cost.function.is_second_order() && cost.count.total() == 0 {
            let nothing = || "-".to_owned();
            let mut row = vec![cost.function.name().to_owned()];
            row.extend((1..9).map(|_| nothing()));
            row.push(size);
            table.add_row(row);
            continue;
        }
        let line = cost.straight_line;
        let in_loops = match cost.in_loops() {
            0 => String::new(),
            n => grouped(n),
        };
        table.add_row([
            cost.function.name().to_owned(),
            grouped(line.adds),
            grouped(line.muls),
            grouped(line.sin_cos),
            grouped(line.total()),
            grouped(cost.fused_in_straight_line()),
            in_loops,
            dense.map_or("-".into(), |d| grouped(d.total() as usize)),
            measured.ratio().map_or("-".into(), |r| format!("{r:.1}")),
            size,
        ]);
    }
    pad(&mut table);
    right(&mut table, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let counts = report.functions.iter().map(|m| m.cost.straight_line);
    format!(
        "{table}\n{} additions and multiplications in straight lines; {} bytes of Rust in all.\n\
         From add to fused: the straight line, before fusing and (fused) once products are fused with sums.\n\
         loops: operations in loops, several at once, on dense blocks. generic: total of the generic\n\
         algorithm on dense 6-vectors; ratio: how many times the own operations that is. kB: source.\n\
         Without figures: computed by loops over tables, by code that robots share, or of other functions.\n",
        grouped(counts.map(|c| c.adds_and_muls()).sum()),
        grouped(report.file_bytes),
    )
}

/// Functions that each fused function replaces, and its savings.
fn fused(report: &Report) -> String {
    if report.savings.is_empty() {
        return String::new();
    }
    let mut table = output::table(["call", "total", "angles", "fused"]);
    for saving in &report.savings {
        let all = saving.one_by_one();
        let less = saving.ratio().map_or(String::new(), |ratio| format!(" {:.0} %", 100.0 * ratio));
        let dearest = saving.dearest().map_or(String::new(), |share| format!(" ({:.0} %)", 100.0 * share));
        let row = |name: String, count: OperationCount, instructions: usize| {
            [name, grouped(count.total()), grouped(count.sin_cos), grouped(instructions)]
        };
        table.add_row(row(format!("{}{less}", saving.name), saving.count, saving.instructions));
        let instructions = saving.parts.iter().map(|part| part.instructions).sum();
        table.add_row(row(format!("one by one{dearest}"), all, instructions));
        for part in &saving.parts {
            let of =
                part.frame.as_ref().map_or(String::new(), |frame| format!(" of {}", shortened(frame, 25)));
            let name = format!("· {}{of}", part.function.name());
            table.add_row(row(name, part.count, part.instructions));
        }
    }
    pad(&mut table);
    right(&mut table, &[1, 2, 3]);
    format!(
        "{table}\nFused functions, and the fewest calls that give the same. The percentage is of their total; in brackets the\n\
         share of the dearest of them, below which no call that gives the same can be.\n"
    )
}

fn formulations(report: &Report) -> String {
    let mut table = output::table(["function", "add+mul", "cost", "formulation", "frames, inertias"]);
    let (mut costlier, mut lanes) = (false, false);
    for (measured, plan) in report.functions.iter().zip(&report.generated.functions) {
        // The runtime's own have one way, but where a straight line was tried.
        if plan.composition.is_some() && plan.rejected.is_empty() {
            continue;
        }
        let own = measured.cost.count.adds_and_muls();
        table.add_row([
            measured.cost.function.name().to_owned(),
            grouped(own),
            grouped(Rust::COSTS.cost_of(plan)),
            plan.strategy.to_string(),
            plan.rewrite().map_or(String::new(), ToString::to_string),
        ]);
        for limbs in plan.stages.iter().flat_map(|stage| &stage.simd) {
            lanes = true;
            let count = grouped(limbs.count().adds_and_muls());
            table.add_row([
                String::new(),
                count,
                String::new(),
                format!("+ {}, limbs as lanes", limbs.strategy),
                String::new(),
            ]);
        }
        for way in &plan.rejected {
            let (name, count) = (way.strategy, way.count.adds_and_muls());
            costlier |= count < own;
            let cost = grouped(way.cost);
            table.add_row([String::new(), grouped(count), cost, format!("· {name}"), String::new()]);
        }
    }
    pad(&mut table);
    right(&mut table, &[1, 2]);
    let why = if costlier {
        "Fewer operations lose to a loop that does several at once, or where code outgrows the cache.\n"
    } else {
        ""
    };
    let limbs = if lanes {
        "+ is what `f64` takes: limbs of one shape side by side, one instruction for all of them.\n"
    } else {
        ""
    };
    let cost = "The cost is what shapes of code are compared by: operations, those of loops weighed.\n\
                Among straight lines, those past the cache count more.\n";
    format!("{table}\n{cost}{limbs}· was tried and not taken.\n{why}")
}

/// Gain of right angles that are written with few digits.
fn snapped(report: &Report) -> String {
    let Some(Snapped { angles, totals }) = &report.snapped else { return String::new() };
    let mut table = output::table(["function", "total", "with snap: 1e-5", "less, %"]);
    for (function, own, other) in totals {
        let less = if *own == 0 { 0.0 } else { 100.0 * (1.0 - *other as f64 / *own as f64) };
        table.add_row([function.name().to_owned(), grouped(*own), grouped(*other), format!("{less:.0}")]);
    }
    pad(&mut table);
    right(&mut table, &[1, 2, 3]);
    format!(
        "{table}\n{} of {} right angles with few digits are near enough for an explicit `snap: 1e-5`, which\n\
         changes none of them by more than {:.1e} rad.\n",
        angles.snapped, angles.count, angles.largest
    )
}

fn zeros(report: &Report) -> String {
    if report.patterns.is_empty() {
        return String::new();
    }
    format!("█ varies   ▒ constant   · zero in every state\n\n{}", pattern::draw(&report.patterns))
}

/// Two spaces between columns.
fn pad(table: &mut Table) {
    let last = table.column_iter().count() - 1;
    for (i, column) in table.column_iter_mut().enumerate() {
        // One more parts a column from the next.
        column.set_padding((0, u16::from(i < last)));
    }
}

fn right(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Writes a number with its digits grouped, such as `12,345`.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn shortened(name: &str, longest: usize) -> String {
    if name.chars().count() <= longest {
        return name.to_owned();
    }
    name.chars().take(longest - 1).chain(['…']).collect()
}
