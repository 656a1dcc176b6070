//! `neutral`, `integrate` and `difference` on the robot's configuration manifold.

use super::{C, text};
use rbd_runtime::model::Body;
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

/// What planar, spherical and floating joints are computed by: each piece of text with the joints that need it.
const PIECES: [(&str, &[JointKind]); 5] = [
    (include_str!("text/manifold.c"), &[JointKind::Planar, JointKind::Spherical, JointKind::Floating]),
    (include_str!("text/quaternion.c"), &[JointKind::Spherical, JointKind::Floating]),
    (include_str!("text/planar.c"), &[JointKind::Planar]),
    (include_str!("text/spherical.c"), &[JointKind::Spherical]),
    (include_str!("text/floating.c"), &[JointKind::Floating]),
];

/// The joints that have coordinates of their own.
fn owners(model: &Model<f64>) -> impl Iterator<Item = &Body<f64>> {
    model.bodies.iter().filter(|b| b.mimic.is_none())
}

/// What a kind that is no line is called.
fn curved(kind: JointKind) -> Option<&'static str> {
    match kind {
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => None,
        JointKind::Planar => Some("planar"),
        JointKind::Spherical => Some("spherical"),
        JointKind::Floating => Some("floating"),
    }
}

/// Whether every joint moves along a line, so that a step in coordinates is a step in the tangent space.
pub fn is_flat(model: &Model<f64>) -> bool {
    owners(model).all(|b| curved(b.kind).is_none())
}

/// The three functions, and what they call.
pub fn write(text: &mut String, c: &C<'_>, model: &Model<f64>) {
    for (piece, of) in PIECES {
        if owners(model).any(|b| of.contains(&b.kind)) {
            text.push_str(&text::of(piece, c.prefix, c.real, model.nv));
        }
    }
    let (mut neutral, mut integrate, mut difference) = (String::new(), String::new(), String::new());
    let prefix = c.prefix;
    for b in owners(model) {
        let (q, v) = (b.idx_q, b.idx_v);
        for k in 0..b.kind.nq() {
            let last = k + 1 == b.kind.nq();
            let one = last && matches!(b.kind, JointKind::Spherical | JointKind::Floating);
            let _ = writeln!(neutral, "    q[{}] = {};", q + k, u8::from(one));
        }
        match curved(b.kind) {
            None => {
                let _ = writeln!(integrate, "    to[{q}] = q[{q}] + dv[{v}];");
                let _ = writeln!(difference, "    dv[{v}] = q1[{q}] - q0[{q}];");
            }
            Some(kind) => {
                let _ = writeln!(integrate, "    {prefix}_integrate_{kind}(q + {q}, dv + {v}, to + {q});");
                let _ = writeln!(difference, "    {prefix}_difference_{kind}(q0 + {q}, q1 + {q}, dv + {v});");
            }
        }
    }
    if neutral.is_empty() {
        neutral.push_str("    (void)q;\n");
        integrate.push_str("    (void)q, (void)dv, (void)to;\n");
        difference.push_str("    (void)q0, (void)q1, (void)dv;\n");
    }
    for ((_, signature), body) in
        c.manifold_functions(model).into_iter().zip([neutral, integrate, difference])
    {
        let _ = writeln!(text, "{signature}\n{{\n{body}}}\n");
    }
}
