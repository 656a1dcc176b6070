//! The discrete step for CasADi, by fixed text: the next state as a function of x = [q; v], torques and time.
//!
//! It is differentiated twice, by the coordinates of q (`coordinates`).

use super::Writer;
use super::casadi::{Quantity, describe};
use crate::emit::c_family::text;
use crate::emit::manifold::is_flat;
use rbd_runtime::{Integrator, Model};

/// Text for joints of one coordinate.
const FLAT: &str = include_str!("text/step/casadi.c");
/// Derivatives of the next state by coordinates.
pub(super) const NEXT: &str = include_str!("text/casadi/next.c");
/// Text that second derivatives of steps are made of.
pub(super) const BEND: &str = concat!(
    include_str!("text/casadi/bend.c"),
    include_str!("text/casadi/put.c"),
    include_str!("text/casadi/by_time.c"),
    include_str!("text/casadi/step_blocks.c")
);
/// Text of [`BEND`] that does not depend on time.
pub(super) const BENDING: &str =
    concat!(include_str!("text/casadi/bend.c"), include_str!("text/casadi/put.c"));
const STEP: &str = include_str!("text/casadi/step.c");
const SECOND: &str = include_str!("text/casadi/step_second.c");

/// 1 or 0 in C. There are no functions by Runge and Kutta's method and by implicit damping, whose derivatives
/// by time are missing.
pub(super) fn is_semi_implicit(step: Option<Integrator>) -> Option<&'static str> {
    match step {
        Some(Integrator::SemiImplicit) => Some("1"),
        Some(Integrator::Explicit) => Some("0"),
        Some(Integrator::Rk4 | Integrator::ImplicitDamping) | None => None,
    }
}

/// Writes the function and its derivatives. Returns their shapes.
pub fn forms(
    functions: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    step: Option<Integrator>,
) -> Vec<Quantity> {
    let Some(semi) = is_semi_implicit(step) else { return Vec::new() };
    if model.nv == 0 {
        return Vec::new();
    }
    let (is_flat, n, rows) = (is_flat(model), model.nv, model.nq + model.nv);
    let fixed = if is_flat { FLAT.to_owned() } else { format!("{NEXT}{STEP}\n{BEND}{SECOND}") };
    functions.push_str(&text::of(&fixed.replace("SEMI", semi), c.prefix, c.real, n));
    let given = || vec![Quantity::of("x", rows, 1), Quantity::of("u", n, 1), Quantity::of("dt", 1, 1)];
    let of = |begin: &str| {
        ["x", "u", "dt"]
            .map(|name| format!("{begin}{name}"))
            .into_iter()
            .zip(given().into_iter().map(|x| x.rows))
    };
    let next = Quantity::of("x_next", rows, 1);
    let with_result = || given().into_iter().chain([Quantity::of("out_x_next", rows, 1)]);
    let first: Vec<Quantity> =
        of("jac_x_next_").map(|(name, columns)| Quantity::of(&name, rows, columns)).collect();
    let seeded: Vec<Quantity> = with_result().chain([Quantity::of("adj_x_next", rows, 1)]).collect();
    let adjoint: Vec<Quantity> = of("adj_").map(|(name, rows)| Quantity::of(&name, rows, 1)).collect();
    let all = || {
        let results = of("out_adj_").map(|(name, rows)| Quantity::of(&name, rows, 1));
        with_result().chain([Quantity::of("adj_x_next", rows, 1)]).chain(results)
    };
    let second: Vec<Quantity> = adjoint
        .iter()
        .flat_map(|row| {
            seeded.iter().map(|by| {
                let is_linear = is_flat && row.name == "adj_u" && by.name == "u";
                let is_zero = by.name.starts_with("out_") || is_linear;
                let name = format!("jac_{}_{}", row.name, by.name);
                Quantity { name, rows: row.rows, columns: by.rows, is_zero }
            })
        })
        .collect();
    let name = format!("{}_casadi_step", c.prefix);
    let each = [
        (name.clone(), given(), vec![next]),
        (format!("jac_{name}"), with_result().collect(), first),
        (format!("adj1_{name}"), seeded, adjoint),
        (format!("jac_adj1_{name}"), all().collect(), second),
    ];
    let mut shapes = Vec::new();
    for (name, inputs, outputs) in each {
        describe(functions, c.prefix, &name, &inputs, &outputs);
        shapes.extend(inputs.into_iter().chain(outputs));
    }
    shapes
}
