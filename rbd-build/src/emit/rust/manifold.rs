//! Functions `neutral`, `integrate` and `difference` of the configuration manifold.
//!
//! Jacobians of `integrate` and `difference` are here too.

use crate::emit::manifold::{curved, owners};
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

pub fn write(text: &mut String, type_name: &str, model: &Model<f64>) {
    let (nq, nv) = (model.nq, model.nv);
    let mut neutral = vec!["0.0"; nq];
    let (mut integrate, mut difference) = (String::new(), String::new());
    let (mut integrate_by, mut difference_by) = (String::new(), String::new());
    for b in owners(model) {
        let q = |from: &str| list(from, b.idx_q, b.kind.nq());
        let Some(name) = curved(b.kind) else {
            let (q, v) = (b.idx_q, b.idx_v);
            let _ = writeln!(integrate, "to[{q}] = q[{q}] + dv[{v}];");
            let _ = writeln!(difference, "to[{v}] = q1[{q}] - q0[{q}];");
            let one = "[[T::from_f64(1.0)]]";
            let _ =
                writeln!(integrate_by, "rt::place_blocks([&mut to.dq, &mut to.dv], ({one}, {one}), {v});");
            let minus = "[[T::from_f64(-1.0)]]";
            let _ = writeln!(
                difference_by,
                "rt::place_blocks([&mut to.dq0, &mut to.dq1], ({minus}, {one}), {v});"
            );
            continue;
        };
        if b.kind != JointKind::Planar {
            neutral[b.idx_q + b.kind.nq() - 1] = "1.0";
        }
        let (to_q, to_v) = (list("to", b.idx_q, b.kind.nq()), list("to", b.idx_v, b.kind.nv()));
        let dv = list("dv", b.idx_v, b.kind.nv());
        let _ = writeln!(integrate, "{to_q} = rt::manifold::integrate_{name}({}, {dv});", q("q"));
        let _ = writeln!(difference, "{to_v} = rt::manifold::difference_{name}({}, {});", q("q0"), q("q1"));
        let at = b.idx_v;
        let of = format!("rt::manifold::integrate_{name}_jacobians({dv})");
        let _ = writeln!(integrate_by, "rt::place_blocks([&mut to.dq, &mut to.dv], {of}, {at});");
        let of = format!("rt::manifold::difference_{name}_jacobians({}, {})", q("q0"), q("q1"));
        let _ = writeln!(difference_by, "rt::place_blocks([&mut to.dq0, &mut to.dq1], {of}, {at});");
    }
    let neutral: Vec<String> = neutral.iter().map(|x| format!("T::from_f64({x})")).collect();
    let _ = write!(
        text,
        "/// # Configurations\n\
         impl {type_name} {{\n\
         /// The configuration in which every joint is at zero (quaternions at the identity).\n\
         #[must_use]\n\
         pub fn neutral<T: rt::Scalar>() -> rt::SVector<T, {nq}> {{\n\
         rt::vector([{}])\n}}\n\
         /// The configuration reached from `q` by the tangent vector `dv` (a velocity times a time).\n\
         #[must_use]\n\
         pub fn integrate<T: rt::Scalar>(q: &rt::SVector<T, {nq}>, dv: &rt::SVector<T, {nv}>) -> rt::SVector<T, {nq}> {{\n\
         let (q, dv) = (&q.data.0[0], &dv.data.0[0]);\n\
         let mut to = *q;\n{integrate}rt::vector(to)\n}}\n\
         /// The tangent vector that leads from `q0` to `q1`: `integrate(q0, difference(q0, q1))` is `q1`.\n\
         #[must_use]\n\
         pub fn difference<T: rt::Scalar>(q0: &rt::SVector<T, {nq}>, q1: &rt::SVector<T, {nq}>) -> rt::SVector<T, {nv}> {{\n\
         let (q0, q1) = (&q0.data.0[0], &q1.data.0[0]);\n\
         let mut to = [T::from_f64(0.0); {nv}];\n{difference}rt::vector(to)\n}}\n\
         /// The derivatives of `integrate`: `dq` by `q` and `dv` by `dv`, both in tangent spaces. A matrix is moved\n\
         /// from the tangent space at `q` to that at `integrate(q, dv)` by the product with `dq`.\n\
         #[must_use]\n\
         pub fn integrate_jacobians<T: rt::Scalar>(q: &rt::SVector<T, {nq}>, dv: &rt::SVector<T, {nv}>) -> rt::IntegrateJacobians<T, {nv}> {{\n\
         let (_, dv) = (q, &dv.data.0[0]);\n\
         let _ = dv;\n\
         let mut to = rt::IntegrateJacobians::zeros();\n{integrate_by}to\n}}\n\
         /// The derivatives of `difference`: `dq0` by `q0` and `dq1` by `q1`, both in tangent spaces.\n\
         #[must_use]\n\
         pub fn difference_jacobians<T: rt::Scalar>(q0: &rt::SVector<T, {nq}>, q1: &rt::SVector<T, {nq}>) -> rt::DifferenceJacobians<T, {nv}> {{\n\
         let (q0, q1) = (&q0.data.0[0], &q1.data.0[0]);\n\
         let _ = (q0, q1);\n\
         let mut to = rt::DifferenceJacobians::zeros();\n{difference_by}to\n}}\n}}\n",
        neutral.join(", ")
    );
}

/// Array of consecutive entries: `[from[k], from[k + 1], ...]`.
fn list(from: &str, start: usize, n: usize) -> String {
    format!("[{}]", (start..start + n).map(|k| format!("{from}[{k}]")).collect::<Vec<_>>().join(", "))
}
