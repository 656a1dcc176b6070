//! The configuration manifold: `neutral`, `integrate`, `difference`, `interpolate`.

use crate::emit::manifold::{curved, owners};
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

use JointKind::{Floating, Planar, Spherical};

/// Fixed text, and the joints that need it.
const PIECES: [(&str, &[JointKind]); 5] = [
    (include_str!("text/manifold.js"), &[Planar, Spherical, Floating]),
    (include_str!("text/quaternion.js"), &[Spherical, Floating]),
    (include_str!("text/planar.js"), &[Planar]),
    (include_str!("text/spherical.js"), &[Spherical]),
    (include_str!("text/floating.js"), &[Floating]),
];

/// The functions, and the fixed text that they call.
pub fn text(model: &Model<f64>) -> String {
    let (nq, nv) = (model.nq, model.nv);
    let mut text = String::new();
    for (piece, of) in PIECES {
        if owners(model).any(|b| of.contains(&b.kind)) {
            text.push_str(piece);
        }
    }
    let [mut neutral, mut integrate, mut difference] = [const { String::new() }; 3];
    for b in owners(model) {
        let (q, v) = (b.idx_q, b.idx_v);
        let last = q + b.kind.nq() - 1;
        for k in q..=last {
            let one = k == last && matches!(b.kind, Spherical | Floating);
            let _ = writeln!(neutral, "    q[{k}] = {};", u8::from(one));
        }
        let Some(kind) = curved(b.kind) else {
            let _ = writeln!(integrate, "    to[{q}] = q[{q}] + dv[{v}];");
            let _ = writeln!(difference, "    dv[{v}] = q1[{q}] - q0[{q}];");
            continue;
        };
        let (of_q, of_v) =
            (format!("slice({q}, {})", q + b.kind.nq()), format!("slice({v}, {})", v + b.kind.nv()));
        let _ = writeln!(integrate, "    _store(to, {q}, _integrate_{kind}(q.{of_q}, dv.{of_v}));");
        let _ = writeln!(difference, "    _store(dv, {v}, _difference_{kind}(q0.{of_q}, q1.{of_q}));");
    }
    let checks = |function: &str, arrays: &[(&str, usize)]| -> String {
        let each =
            arrays.iter().map(|(array, n)| format!("    _check(\"{function}: {array}\", {array}, {n});\n"));
        each.collect()
    };
    let _ = write!(
        text,
        "export function neutral(q = new Float64Array({nq})) {{\n{}{neutral}    return q;\n}}\n\n\
         export function integrate(q, dv, to = new Float64Array({nq})) {{\n{}{integrate}    return to;\n}}\n\n\
         export function difference(q0, q1, dv = new Float64Array({nv})) {{\n{}{difference}    return dv;\n}}\n\n\
         export function interpolate(q0, q1, t, to = new Float64Array({nq})) {{\n    \
         return integrate(q0, difference(q0, q1).map((x) => x * t), to);\n}}\n\n",
        checks("neutral", &[("q", nq)]),
        checks("integrate", &[("q", nq), ("dv", nv), ("to", nq)]),
        checks("difference", &[("q0", nq), ("q1", nq), ("dv", nv)]),
    );
    text
}
