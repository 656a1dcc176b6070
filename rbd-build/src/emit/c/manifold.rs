//! The configuration manifold: `neutral`, `integrate`, `difference`, `interpolate`, random configurations.
//!
//! Jacobians of `integrate` and `difference` are here too.

use super::Writer;
use crate::emit::c_family::text::{self, length, wrapped};
use crate::emit::manifold::{curved, is_flat, owners};
use rbd_runtime::manifold::random;
use rbd_runtime::model::Body;
use rbd_runtime::{JointKind, Model};
use std::f64::consts::PI;
use std::fmt::Write;

use JointKind::{Floating, Planar, Spherical};

/// Fixed text for planar, spherical and floating joints. Each piece lists the joints that need it.
const PIECES: [(&str, &[JointKind]); 11] = [
    (include_str!("text/manifold.c"), &[Planar, Spherical, Floating]),
    (include_str!("text/quaternion.c"), &[Spherical, Floating]),
    (include_str!("text/planar.c"), &[Planar]),
    (include_str!("text/spherical.c"), &[Spherical]),
    (include_str!("text/floating.c"), &[Floating]),
    (include_str!("text/manifold_jacobians.c"), &[Planar, Spherical, Floating]),
    (include_str!("text/rotation_jacobians.c"), &[Spherical, Floating]),
    (include_str!("text/planar_jacobians.c"), &[Planar]),
    (include_str!("text/spherical_jacobians.c"), &[Spherical]),
    (include_str!("text/floating_jacobians.c"), &[Floating]),
    (include_str!("text/random_rotation.c"), &[Spherical, Floating]),
];

/// All fixed text.
pub fn pieces() -> String {
    PIECES.map(|(piece, _)| piece).concat()
}

/// Structs of Jacobians: name, and each field with its documentation.
const JACOBIANS: [(&str, [(&str, &str); 2]); 2] = [
    ("IntegrateJacobians", [("dq", "derivative of integrate by q"), ("dv", "derivative of integrate by dv")]),
    (
        "DifferenceJacobians",
        [("dq0", "derivative of difference by q0"), ("dq1", "derivative of difference by q1")],
    ),
];

/// Writes structs and declarations for the header.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>) {
    let (real, nv) = (c.real.name(), model.nv);
    for (name, fields) in JACOBIANS {
        text.push_str("typedef struct {\n");
        for (field, doc) in fields {
            let _ = writeln!(
                text,
                "    {real} {field}[{}]; /* [{nv} x {nv}] {doc}, in tangent spaces */",
                length(nv * nv)
            );
        }
        let _ = writeln!(text, "}} {};\n", c.result_type(name));
    }
    for (doc, head) in functions(c, model) {
        let _ = writeln!(text, "/* {doc} */\n{head};\n");
    }
}

/// Documentation and head of each function.
fn functions(c: &Writer<'_>, model: &Model<f64>) -> [(String, String); 7] {
    let (real, [nq, nv]) = (c.real.name(), [model.nq, model.nv].map(length));
    let array = |name: &str, n: usize| format!("const {real} {name}[{n}]");
    let head = |name: &str, parameters: &[String]| {
        wrapped(&format!("void {}_{name}({})", c.prefix, parameters.join(", ")))
    };
    let [by_step, by_ends] = JACOBIANS.map(|(name, _)| format!("{} *out", c.result_type(name)));
    let ends = [array("q0", nq), array("q1", nq)];
    let [from, to] = ends.clone();
    [
        (
            "The configuration in which every joint is at zero, and quaternions are the identity.".into(),
            head("neutral", &[format!("{real} q[{nq}]")]),
        ),
        (
            "The configuration reached from q by the tangent vector dv, a velocity times a time. `to` may be q."
                .into(),
            head("integrate", &[array("q", nq), array("dv", nv), format!("{real} to[{nq}]")]),
        ),
        (
            "The tangent vector that leads from q0 to q1.".into(),
            head("difference", &[from.clone(), to.clone(), format!("{real} dv[{nv}]")]),
        ),
        (
            "The derivatives of integrate: column j of `dq` is that along integrate(q, e * unit(j)), read in the tangent\n \
             * space at the result, column j of `dv` that along dv + e * unit(j)."
                .into(),
            head("integrate_jacobians", &[array("q", nq), array("dv", nv), by_step]),
        ),
        (
            "The derivatives of difference by q0 and by q1, both in tangent spaces.".into(),
            head("difference_jacobians", &[from.clone(), to.clone(), by_ends]),
        ),
        (
            "The configuration at t on the way from q0 (t = 0) to q1 (t = 1): integrate(q0, t * difference(q0, q1)). `to` may\n \
             * be q0 or q1."
                .into(),
            head("interpolate", &[from, to, format!("{real} t"), format!("{real} to[{nq}]")]),
        ),
        (
            "A configuration within the limits, of numbers from 0 to 1 that a random generator gives. Coordinates are uniform\n \
             * between their limits, and where there are none over a whole turn or from -1 to 1 m; quaternions are uniform\n \
             * over all rotations."
                .into(),
            head("random_configuration", &[array("uniform", nv), format!("{real} q[{nq}]")]),
        ),
    ]
}

/// Writes the functions and the fixed text that they call.
pub fn write(text: &mut String, c: &Writer<'_>, model: &Model<f64>) {
    for (piece, of) in PIECES {
        if owners(model).any(|b| of.contains(&b.kind)) {
            text.push_str(&text::of(piece, c.prefix, c.real, model.nv));
        }
    }
    let bodies = bodies(c, model);
    for ((_, head), body) in functions(c, model).into_iter().zip(bodies) {
        let _ = writeln!(text, "{head}\n{{\n{body}}}\n");
    }
}

/// Statements of each function, in the order of the heads.
fn bodies(c: &Writer<'_>, model: &Model<f64>) -> [String; 7] {
    let (prefix, real, nv) = (c.prefix, c.real.name(), model.nv);
    let [mut neutral, mut integrate, mut difference, mut random] = [const { String::new() }; 4];
    let zero = |[a, b]: [&str; 2]| {
        let n = length(nv * nv);
        format!("    for (int i = 0; i < {n}; i++) out->{a}[i] = out->{b}[i] = 0;\n")
    };
    let (mut by_step, mut by_ends) = (zero(["dq", "dv"]), zero(["dq0", "dq1"]));
    for b in owners(model) {
        let (q, v) = (b.idx_q, b.idx_v);
        for k in 0..b.kind.nq() {
            let last = k + 1 == b.kind.nq();
            let one = last && matches!(b.kind, Spherical | Floating);
            let _ = writeln!(neutral, "    q[{}] = {};", q + k, u8::from(one));
        }
        let at = (nv + 1) * v;
        match curved(b.kind) {
            None => {
                let _ = writeln!(integrate, "    to[{q}] = q[{q}] + dv[{v}];");
                let _ = writeln!(difference, "    dv[{v}] = q1[{q}] - q0[{q}];");
                let _ = writeln!(by_step, "    out->dq[{at}] = out->dv[{at}] = 1;");
                let _ = writeln!(by_ends, "    out->dq0[{at}] = -1;\n    out->dq1[{at}] = 1;");
            }
            Some(kind) => {
                let _ = writeln!(integrate, "    {prefix}_integrate_{kind}(q + {q}, dv + {v}, to + {q});");
                let _ = writeln!(difference, "    {prefix}_difference_{kind}(q0 + {q}, q1 + {q}, dv + {v});");
                let _ = writeln!(
                    by_step,
                    "    {prefix}_integrate_jacobians_{kind}(dv + {v}, out->dq + {at}, out->dv + {at});"
                );
                let _ = writeln!(
                    by_ends,
                    "    {prefix}_difference_jacobians_{kind}(q0 + {q}, q1 + {q}, out->dq0 + {at}, out->dq1 + {at});"
                );
            }
        }
        random.push_str(&random_of(c, b));
    }
    by_step.insert_str(0, if is_flat(model) { "    (void)q, (void)dv;\n" } else { "    (void)q;\n" });
    if is_flat(model) {
        by_ends.insert_str(0, "    (void)q0, (void)q1;\n");
    }
    if nv == 0 {
        neutral.push_str("    (void)q;\n");
        integrate.push_str("    (void)q, (void)dv, (void)to;\n");
        difference.push_str("    (void)q0, (void)q1, (void)dv;\n");
        random.push_str("    (void)uniform, (void)q;\n");
    }
    let interpolate = format!(
        "    {real} dv[{n}];\n    {prefix}_difference(q0, q1, dv);\n    for (int i = 0; i < {n}; i++) dv[i] *= t;\n    \
         {prefix}_integrate(q0, dv, to);\n",
        n = length(nv)
    );
    [neutral, integrate, difference, by_step, by_ends, interpolate, random]
}

/// Statements for one joint of a random configuration.
fn random_of(c: &Writer<'_>, b: &Body<f64>) -> String {
    let (prefix, q, v) = (c.prefix, b.idx_q, b.idx_v);
    let between = |k: usize, lower: f64, range: f64| {
        let [lower, range] = [lower, range].map(|x| c.real.number(x));
        format!("    q[{}] = {lower} + {range} * uniform[{}];\n", q + k, v + k)
    };
    let symmetric = |k: usize, reach: f64| between(k, -reach, 2.0 * reach);
    let turn = |k: usize| format!("    {prefix}_random_rotation(uniform + {}, q + {});\n", v + k, q + k);
    match b.kind {
        Spherical => turn(0),
        Floating => (0..3).map(|k| symmetric(k, 1.0)).chain([turn(3)]).collect(),
        Planar => [1.0, 1.0, PI].into_iter().enumerate().map(|(k, reach)| symmetric(k, reach)).collect(),
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {
            let (lower, range) = random::range(b.kind, b.limits.lower, b.limits.upper);
            between(0, lower, range)
        }
    }
}
