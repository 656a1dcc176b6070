//! Loops over tables: a robot's tables, and calls of the fixed text in `text/loops/` that reads them.

use super::Writer;
use super::dialect::Body;
use super::interface::GIVEN;
use super::spell::table;
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::products;
use crate::emit::c_family::spelling::Real;
use crate::emit::c_family::tables::{
    Angle, above, angles, component, joint_end, joint_kind, last_row, reach, slides, up,
};
use crate::table::routines::RoutineRow;
use rbd_ir::calls::{Call, Routine, Terms};
use rbd_ir::kernel::ArrayId;
use rbd_ir::products::{ColumnGroup, Panels};
use rbd_runtime::Model;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::{Topology, WORLD};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Rows in a vector. Arrays are padded to whole vectors plus one.
const LANES: usize = 4;

/// Most rows of a table, whose indices are `short`.
pub const MOST_ROWS: usize = i16::MAX as usize;

/// Coordinates whose sines and cosines the loops read.
pub(super) fn coordinates(robot: &Owned) -> Vec<u32> {
    let (t, numbers) = (&robot.topology(), robot.numbers());
    let angles = angles(t, &component(&numbers, "ratio")[0]);
    let given = angles.iter().zip(t.position).filter(|((angle, _), _)| *angle == Angle::Given);
    given.map(|(_, at)| u32::from(*at)).collect()
}

/// Writes a call of a routine.
pub(super) fn call(text: &mut Written, prefix: &str, body: &Body<'_>, call: &Call) {
    let routine = RoutineRow::of(call).in_c.expect("it is offered for C");
    text.needs(Helper::Loops(routine));
    let name = format!("{prefix}_table_{routine}");
    let place = |id: &ArrayId| body.array(*id);
    let mut arrays: Vec<String> =
        call.arguments.iter().map(|id| id.as_ref().map_or("0".into(), place)).collect();
    arrays.extend(call.scratch.iter().chain(&call.results).map(place));
    if call.robot().is_some() {
        // Sines and cosines follow the configuration.
        arrays.splice(1..1, GIVEN.map(str::to_owned));
    }
    let arrays = arrays.join(", ");
    let _ = match (call.routine, call.terms.as_deref()) {
        (Routine::AbaDerivatives, Some(Terms { panels, by_q, by_v, knows_base })) => writeln!(
            text,
            "{{\n{}{}{}    const unsigned short *const tables[3] = {{inverse, by_q, by_v}};\n    \
             const int groups[3] = {{{}, {}, {}}};\n    {name}({arrays}, tables, groups, {});\n}}",
            terms("inverse", &panels.gram),
            terms("by_q", by_q),
            terms("by_v", by_v),
            panels.gram.len(),
            by_q.len(),
            by_v.len(),
            u8::from(*knows_base)
        ),
        (_, Some(Terms { panels: Panels { gram, .. }, .. })) => {
            writeln!(text, "{{\n{}    {name}({arrays}, terms, {});\n}}", terms("terms", gram), gram.len())
        }
        (_, None) => writeln!(text, "{name}({arrays});"),
    };
}

pub(super) fn terms(name: &str, groups: &[ColumnGroup]) -> String {
    let mut numbers = products::numbers(groups);
    if numbers.is_empty() {
        numbers.push(0);
    }
    format!(
        "    static const unsigned short {name}[{}] = {{\n        {}}};\n",
        numbers.len(),
        table(&numbers)
    )
}

/// Fixed text with the helpers that it calls.
type Piece = (&'static str, &'static [Helper]);

/// Fixed text of the called loops, in order.
pub(super) fn pieces(model: &Model<f64>, helpers: &BTreeSet<Helper>) -> Vec<Piece> {
    let called = |name| helpers.contains(&Helper::Loops(name));
    let forward = called("inverse") || called("aba_derivatives");
    let (second, tensors) = (called("rnea_hessian"), called("rnea_tensors"));
    let any = forward || second || tensors || called("crba") || called("rnea_derivatives");
    let all = [
        (WORK, any),
        (MOTION, any),
        (FRICTION, any && slides(model)),
        (PAIRS, any),
        (FORWARD, forward),
        (POINT, second || tensors),
        (SECOND, second),
        (TENSORS, tensors),
        (FORWARD_TENSORS, called("aba_tensors")),
    ];
    all.into_iter().filter(|(_, wanted)| *wanted).map(|(piece, _)| piece).collect()
}

/// A piece of fixed text for a robot. Lines marked `FRICTION` remain only if joints have friction.
pub(super) fn with_friction(model: &Model<f64>, piece: &str) -> String {
    let slides = slides(model);
    let line = |line: &str| match line.split_once("FRICTION ") {
        None => line.to_owned(),
        Some((indent, call)) if slides => format!("{indent}{call}"),
        Some(_) => String::new(),
    };
    piece.split_inclusive('\n').map(line).collect()
}

/// Placement of each row.
const WORK: Piece = (include_str!("text/loops/work.c"), &[Helper::Sines]);
/// Motion of each row, and sums over subtrees.
const MOTION: Piece = (include_str!("text/loops/motion.c"), &[]);
/// Torques of joint friction.
const FRICTION: Piece = (include_str!("text/loops/friction.c"), &[Helper::Hypot]);
/// Matrices over pairs of rows.
const PAIRS: Piece = (include_str!("text/loops/pairs.c"), &[]);
/// Factors of the mass matrix, and forward dynamics.
const FORWARD: Piece =
    (include_str!("text/loops/forward.c"), &[Helper::NegativeProduct, Helper::GramProduct]);
/// All rows at one point, for second derivatives.
const POINT: Piece = (include_str!("text/loops/point.c"), &[]);
/// Hessians of weighted torques.
const SECOND: Piece = (include_str!("text/loops/second.c"), &[]);
/// Tensors of torques.
const TENSORS: Piece = (include_str!("text/loops/tensors.c"), &[]);
/// Tensors of accelerations, from tensors of torques.
const FORWARD_TENSORS: Piece = (include_str!("text/loops/forward_tensors.c"), &[Helper::NegativeProduct]);

/// Tables of a robot.
pub(super) fn tables(c: &Writer<'_>, model: &Model<f64>) -> String {
    let robot = Owned::from_model(model).expect("joints are numbered depth first");
    let (t, numbers) = (&robot.topology(), robot.numbers());
    let of = |name: &str| component(&numbers, name);
    let vectors = t.rows.div_ceil(LANES) * LANES;
    let padded = vectors + LANES;
    let mut text = Text { prefix: c.prefix, real: c.real, text: String::new() };
    let runs = runs(t);
    text.sizes(&[
        ("rows", t.rows),
        ("vectors", vectors),
        ("padded", padded),
        ("joints", t.joints.len()),
        ("segments", t.segments.len().max(1)),
        ("runs", runs.len()),
        ("floats", usize::from(t.floats())),
        ("merges", usize::from(t.merges())),
    ]);

    let run = |row: usize| runs.iter().rposition(|(first, _)| *first <= row).unwrap_or_default() as u16;
    let angles = angles(t, &of("ratio")[0]);
    text.whole("above", above(t));
    text.whole("first", t.first.iter().copied());
    text.whole("joint_end", joint_end(t));
    text.whole("end", t.end.iter().copied());
    text.whole("coordinate", t.coordinate.iter().copied());
    text.whole("position", t.position.iter().copied());
    text.whole("segment", t.segment.iter().copied());
    text.whole("run", (0..t.rows).map(run));
    text.whole("angle", angles.iter().map(|(angle, _)| *angle as u16));
    text.whole("joint_first", t.joints.iter().map(|j| j.first));
    text.whole("joint_last", t.joints.iter().map(last_row));
    text.whole("joint_position", t.joints.iter().map(|j| j.position));
    text.whole("joint_kind", t.joints.iter().map(joint_kind));
    text.whole("segment_first", t.segments.iter().map(|s| s.first));
    text.whole("segment_parent", t.segments.iter().map(|s| s.parent));
    text.whole("segment_rides", t.segments.iter().map(|s| u16::from(s.rides)));
    text.whole("run_first", runs.iter().map(|(first, _)| *first as u16).chain([t.rows as u16]));
    text.whole("run_segment", runs.iter().map(|(_, segment)| *segment));
    let up = up(t, model.nv);
    text.whole("reach", reach(&up));
    text.whole("up", up);

    for name in ["placement", "joint_frame", "center", "spread"] {
        text.rows(name, of(name), padded);
    }
    let of_rows = |name: &str| of(name)[0][..padded].to_vec();
    text.numbers("ratio", &of_rows("ratio"));
    text.numbers("offset", &of_rows("offset"));
    let turned: Vec<(f64, f64)> = of_rows("offset").iter().map(|x| x.sin_cos()).collect();
    text.numbers("offset_sine", &turned.iter().map(|(s, _)| *s).collect::<Vec<_>>());
    text.numbers("offset_cosine", &turned.iter().map(|(_, c)| *c).collect::<Vec<_>>());
    let mut turning: Vec<f64> = angles.iter().map(|(_, turns)| f64::from(u8::from(*turns))).collect();
    turning.resize(padded, 0.0);
    text.numbers("turning", &turning);
    text.numbers("mass", &of_rows("mass"));
    text.numbers("subtree_mass", &of_rows("subtree_mass"));
    let [armature, damping] = robot.on_coordinates();
    text.numbers("armature", armature);
    text.numbers("damping", damping);
    text.numbers("gravity", &robot.gravity());
    if slides(model) {
        let of = model.bodies.iter().flat_map(|body| vec![body.friction; body.kind.nv()]);
        text.numbers("rubs", &of.collect::<Vec<_>>());
        text.numbers("smoothing", &[model.friction_smoothing.unwrap_or_default()]);
    }
    text.text
}

/// Runs of consecutive rows in one segment: the first row and the segment of each.
fn runs(t: &Topology<'_>) -> Vec<(usize, u16)> {
    let mut runs: Vec<(usize, u16)> = Vec::new();
    for (row, segment) in t.segment.iter().enumerate() {
        if runs.last().is_none_or(|(_, last)| last != segment) {
            runs.push((row, *segment));
        }
    }
    runs
}

/// Declarations of constants.
struct Text<'a> {
    prefix: &'a str,
    real: Real,
    text: String,
}

impl Text<'_> {
    fn sizes(&mut self, sizes: &[(&str, usize)]) {
        let all: Vec<String> =
            sizes.iter().map(|(name, n)| format!("    {}_table_{name} = {n}", self.prefix)).collect();
        let _ = write!(
            self.text,
            "\n/* The robot, for loops over tables. */\nenum {{\n{}\n}};\n",
            all.join(",\n")
        );
    }

    /// Writes integers. The world is -1.
    fn whole(&mut self, name: &str, numbers: impl IntoIterator<Item = u16>) {
        let spelled = |x: u16| if x == WORLD { "-1".into() } else { x.to_string() };
        let numbers: Vec<String> = numbers.into_iter().map(spelled).collect();
        self.array("short", name, "", &numbers);
    }

    fn numbers(&mut self, name: &str, numbers: &[f64]) {
        let numbers: Vec<String> = numbers.iter().map(|x| self.real.number(*x)).collect();
        self.array(self.real.name(), name, "", &numbers);
    }

    fn rows(&mut self, name: &str, rows: &[Vec<f64>], padded: usize) {
        let row = |row: &Vec<f64>| {
            let numbers: Vec<String> = row[..padded].iter().map(|x| self.real.number(*x)).collect();
            format!("{{{}}}", lines(&numbers, 8))
        };
        let rows: Vec<String> = rows.iter().map(row).collect();
        self.array(self.real.name(), name, &format!("[{padded}]"), &rows);
    }

    fn array(&mut self, of: &str, name: &str, more: &str, items: &[String]) {
        let all =
            if items.is_empty() { "0".into() } else { lines(items, if more.is_empty() { 20 } else { 1 }) };
        let length = items.len().max(1);
        let _ = writeln!(
            self.text,
            "RBD_PERHAPS_UNUSED\nstatic const {of} {}_table_{name}[{length}]{more} = {{\n    {all}}};",
            self.prefix
        );
    }
}

fn lines(items: &[String], each: usize) -> String {
    items.chunks(each).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::c_family::spelling::names;

    #[test]
    fn pieces_ask_for_what_they_call() {
        let calls = [
            (Helper::Hypot, "RBD_HYPOT"),
            (Helper::Sines, "ROBOT_sin_cos"),
            (Helper::NegativeProduct, "ROBOT_negative_product"),
            (Helper::GramProduct, "ROBOT_gram_product"),
        ];
        for (text, helpers) in
            [WORK, MOTION, FRICTION, PAIRS, FORWARD, POINT, SECOND, TENSORS, FORWARD_TENSORS]
        {
            for (helper, name) in calls {
                assert_eq!(helpers.contains(&helper), names(text, name), "{name} in {}", &text[..80]);
            }
        }
    }
}
