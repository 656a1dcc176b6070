//! Steps under controls of some joints in C, against the runtime's steps on the reference under these
//! torques.

use crate::c_compiler::compilers;
use crate::steps::{close, expected, given, integrators, joints, list, numbers, weights};
use nalgebra::DMatrix;
use rbd_build::{Base, C, Robot};
use rbd_runtime::random::random_state;
use std::fmt::Write;

/// Columns of a matrix of so many rows.
fn columns(of: &[f64], rows: usize, which: &[usize]) -> Vec<f64> {
    which.iter().flat_map(|k| of[k * rows..(k + 1) * rows].to_vec()).collect()
}

/// Controls in another order than that of the coordinates, of joints of one coordinate and of several.
#[test]
fn under_controls_of_some_joints() {
    check("actuated", false);
}

/// Functions that are given inertias and gravity.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn with_inertias_and_gravity_at_run_time() {
    check("actuated_given", true);
}

/// Coordinates of the controls of [`actuated`].
pub const CONTROLS: [usize; 5] = [7, 4, 5, 6, 3];

/// A robot under controls of some joints, with parameters at run time or without.
pub fn actuated(is_given: bool) -> Robot {
    let robot = joints(Base::Fixed).actuated(["elbow", "shoulder", "rail"]);
    if is_given { robot.inertia_at_run_time(["arm"]).gravity_at_run_time(true) } else { robot }
}

fn check(name: &str, is_given: bool) {
    let (with, first) = if is_given { ("_with", "&given, ") } else { ("", "") };
    for integrator in integrators(name) {
        let c = actuated(is_given).step(integrator).plan(C::default()).unwrap();
        let other = is_given.then(|| given(&c.name, &c.model));
        let (model, nu, dt) = (&c.model, CONTROLS.len(), 0.02);
        let n = model.nv;
        let (u, lambda) = (weights(nu, 0.7), [weights(n, 0.4), weights(n, 2.2)]);
        let mut state = random_state(model, 6);
        state.tau.fill(0.0);
        CONTROLS.iter().zip(&u).for_each(|(at, u)| state.tau[*at] = *u);
        let of_parameters = other.as_ref().map_or(model, |other| &other.model);
        let all = expected(of_parameters, integrator, &state, dt, [&lambda[0], &lambda[1]]);
        let of_controls = |field: &str, values: &[f64]| -> Vec<f64> {
            match field.matches("tau").count() {
                0 => values.to_vec(),
                1 => columns(values, values.len() / n, &CONTROLS),
                _ => {
                    let rows = DMatrix::from_vec(n, nu, columns(values, n, &CONTROLS)).transpose();
                    columns(rows.as_slice(), nu, &CONTROLS)
                }
            }
        };
        let arguments = [("q", &state.q), ("v", &state.v)].map(|(name, x)| (name, x.as_slice()));
        let arguments =
            arguments.into_iter().chain([("u", &u[..]), ("lambda_q", &lambda[0]), ("lambda_v", &lambda[1])]);
        let mut main = String::from(
            "#include \"tree.h\"\n#include <stdio.h>\nstatic void show(const double *x, int n)\n{\n    int i;\n    \
             for (i = 0; i < n; i++) printf(\"%.17g\\n\", x[i]);\n}\n\
             static double tau[TREE_NV], few[3 * TREE_NU];\nstatic tree_step_t actuated_step;\n\
             static tree_actuated_step_derivatives_t actuated_step_derivatives;\n\
             static tree_actuated_step_hessian_t actuated_step_hessian;\n",
        );
        main.push_str(other.as_ref().map_or("", |other| &other.declared));
        for (name, x) in arguments {
            let _ = writeln!(main, "static const double {name}[] = {{{}}};", list(x));
        }
        let wide = weights(3 * n, 1.3);
        let _ = writeln!(main, "static const double wide[] = {{{}}};", list(&wide));
        let mut calls = format!(
            "    printf(\"%d\\n\", TREE_NU);\n    tree_torques(u, tau);\n    show(tau, {n});\n    \
             tree_of_controls(wide, 3, few);\n    show(few, {});\n",
            3 * nu
        );
        let mut results: Vec<(String, Vec<f64>)> = vec![
            ("NU".into(), vec![nu as f64]),
            ("torques".into(), state.tau.as_slice().to_vec()),
            ("of_controls".into(), columns(&wide, 3, &CONTROLS)),
        ];
        for (function, of) in [
            ("actuated_step", all.next),
            ("actuated_step_derivatives", all.derivatives),
            ("actuated_step_hessian", all.hessian),
        ] {
            let more = if function == "actuated_step_hessian" { ", lambda_q, lambda_v" } else { "" };
            let _ = writeln!(calls, "    tree_{function}{with}({first}q, v, u, {dt:?}{more}, &{function});");
            for (field, values) in of {
                let (name, values) = (field.replace("tau", "u"), of_controls(field, &values));
                let _ = writeln!(calls, "    show({function}.{name}, {});", values.len());
                results.push((format!("{function}.{name}"), values));
            }
        }
        let _ = write!(main, "int main(void)\n{{\n{calls}    return 0;\n}}\n");
        for compiler in compilers() {
            let folder = format!("{name}_{integrator:?}_{compiler}");
            let found = numbers(compiler, &folder, &c.files(), &main, &[]);
            let mut found = &found[..];
            for (field, values) in &results {
                let (now, rest) = found.split_at(values.len().min(found.len()));
                close(&format!("{folder}, {field}"), now, values, 1.0, 1e-10);
                found = rest;
            }
            assert!(found.is_empty());
        }
    }
}
