//! The discrete step for CasADi, by fixed text: the next state as a function of x = [q; v], torques and time,
//! differentiated twice.

use super::Writer;
use super::casadi::{Quantity, describe};
use super::manifold::is_flat;
use crate::emit::c_family::text;
use rbd_runtime::{Integrator, Model};

const STEP: &str = include_str!("text/step/casadi.c");

fn quantity(name: &str, rows: usize, columns: usize) -> Quantity {
    Quantity { name: name.into(), rows, columns, is_zero: false }
}

/// Writes the function and its derivatives. Returns their shapes.
///
/// There are none of a robot with quaternions, whose coordinates are not those of its tangent space, and
/// none of Runge and Kutta's method and of implicit damping, whose derivatives by time are missing.
pub fn forms(
    functions: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    step: Option<Integrator>,
) -> Vec<Quantity> {
    let semi = match step {
        Some(Integrator::SemiImplicit) => "1",
        Some(Integrator::Explicit) => "0",
        Some(Integrator::Rk4 | Integrator::ImplicitDamping) | None => return Vec::new(),
    };
    if !is_flat(model) || model.nv == 0 {
        return Vec::new();
    }
    let n = model.nv;
    functions.push_str(&text::of(&STEP.replace("SEMI", semi), c.prefix, c.real, n));
    let given = || vec![quantity("x", 2 * n, 1), quantity("u", n, 1), quantity("dt", 1, 1)];
    let of = |begin: &str| {
        ["x", "u", "dt"]
            .map(|name| format!("{begin}{name}"))
            .into_iter()
            .zip(given().into_iter().map(|x| x.rows))
    };
    let next = quantity("x_next", 2 * n, 1);
    let with_result = || given().into_iter().chain([quantity("out_x_next", 2 * n, 1)]);
    let first: Vec<Quantity> =
        of("jac_x_next_").map(|(name, columns)| quantity(&name, 2 * n, columns)).collect();
    let seeded: Vec<Quantity> = with_result().chain([quantity("adj_x_next", 2 * n, 1)]).collect();
    let adjoint: Vec<Quantity> = of("adj_").map(|(name, rows)| quantity(&name, rows, 1)).collect();
    let all = || {
        let results = of("out_adj_").map(|(name, rows)| quantity(&name, rows, 1));
        with_result().chain([quantity("adj_x_next", 2 * n, 1)]).chain(results)
    };
    let second: Vec<Quantity> = adjoint
        .iter()
        .flat_map(|row| {
            seeded.iter().map(|by| {
                let is_zero = by.name.starts_with("out_") || row.name == "adj_u" && by.name == "u";
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
