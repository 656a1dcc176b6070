//! Rollouts in C, their derivative along a direction and their adjoint, against chains of the reference's
//! steps and of its derivatives. The adjoint is the transposed derivative.

use crate::actuated::{CONTROLS, actuated};
use crate::c_compiler::compilers;
use crate::steps::{close, expected, given, integrators, list, numbers, weights};
use nalgebra::{DMatrix, DVector};
use rbd_build::C;
use rbd_runtime::random::{State, random_state};
use rbd_runtime::{Integrator, Model};
use std::fmt::Write;

const STEPS: usize = 4;
const DT: f64 = 0.02;

/// A step: the next state, A and B.
struct Linear {
    next: [DVector<f64>; 2],
    a: DMatrix<f64>,
    b: DMatrix<f64>,
}

fn linear(model: &Model<f64>, integrator: Integrator, state: &State) -> Linear {
    let (n, zeros) = (model.nv, vec![0.0; model.nv]);
    let of = expected(model, integrator, state, DT, [&zeros, &zeros]).derivatives;
    let block = |name: &str| {
        let (_, numbers) = of.iter().find(|(of, _)| *of == name).unwrap();
        DMatrix::from_column_slice(n, n, numbers)
    };
    let (mut a, mut b) = (DMatrix::zeros(2 * n, 2 * n), DMatrix::zeros(2 * n, n));
    for (row, of) in ["dq", "dv"].into_iter().enumerate() {
        for (column, by) in ["dq", "dv"].into_iter().enumerate() {
            a.view_mut((n * row, n * column), (n, n)).copy_from(&block(&format!("{of}_{by}")));
        }
        b.view_mut((n * row, 0), (n, n)).copy_from(&block(&format!("{of}_dtau")));
    }
    let next = [0, 1].map(|k| DVector::from_column_slice(&of[k].1));
    Linear { next, a, b }
}

/// Under torques, and under controls of some joints.
#[test]
fn are_chains_of_steps() {
    check("rollouts", false);
}

/// Inertias and gravity are arguments.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn with_inertias_and_gravity_at_run_time() {
    check("rollouts_given", true);
}

fn check(name: &str, is_given: bool) {
    // Robots of the tests of controls: they are compiled once.
    for integrator in integrators(if is_given { "actuated_given" } else { "actuated" }) {
        let c = actuated(is_given).step(integrator).plan(C::default()).unwrap();
        let other = is_given.then(|| given(&c.name, &c.model));
        let of_parameters = other.as_ref().map_or(&c.model, |other| &other.model);
        let mut main = String::from(
            "#include \"tree.h\"\n#include <stdio.h>\nstatic void show(const double *x, int n)\n{\n    int i;\n    \
             for (i = 0; i < n; i++) printf(\"%.17g\\n\", x[i]);\n}\n",
        );
        main.push_str(other.as_ref().map_or("", |other| &other.declared));
        let (mut calls, mut results) = (String::new(), Vec::new());
        for form in [("", "tau"), ("actuated_", "u")] {
            let with = if is_given { ("_with", "&given, ") } else { ("", "") };
            write(&mut main, &mut calls, &c.model, form, with);
            results.extend(known(of_parameters, integrator, form.1 == "u"));
        }
        let _ = write!(main, "int main(void)\n{{\n    int k;\n{calls}    return 0;\n}}\n");
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

/// First state, controls of all steps, a direction of both, and the gradient of a cost by each state.
struct Given {
    state: State,
    controls: Vec<f64>,
    direction: DVector<f64>,
    by_control: Vec<f64>,
    gradient: Vec<DVector<f64>>,
}

fn arguments(model: &Model<f64>, count: usize) -> Given {
    let n = model.nv;
    let of = |first: f64, n: usize| DVector::from_vec(weights(n, first));
    Given {
        state: random_state(model, 6),
        controls: weights(STEPS * count, 0.7),
        direction: of(1.9, 2 * n),
        by_control: weights(STEPS * count, 3.1),
        gradient: (0..STEPS).map(|k| of(0.3 + k as f64, 2 * n)).collect(),
    }
}

/// Results of the three functions, by the reference's steps.
fn known(model: &Model<f64>, integrator: Integrator, few: bool) -> Vec<(&'static str, Vec<f64>)> {
    let (n, which) = (model.nv, if few { CONTROLS.to_vec() } else { (0..model.nv).collect() });
    let count = which.len();
    let of = arguments(model, count);
    let (mut state, mut steps) = (of.state.clone(), Vec::new());
    for controls in of.controls.chunks_exact(count) {
        state.tau.fill(0.0);
        which.iter().zip(controls).for_each(|(at, u)| state.tau[*at] = *u);
        let step = linear(model, integrator, &state);
        [state.q, state.v] = step.next.clone();
        let b = step.b.select_columns(&which);
        steps.push(Linear { b, ..step });
    }
    let states: Vec<f64> = steps.iter().flat_map(|step| step.next.iter().flatten().copied()).collect();
    let (mut change, mut changes) = (of.direction.clone(), Vec::new());
    for (step, by) in steps.iter().zip(of.by_control.chunks_exact(count)) {
        change = &step.a * &change + &step.b * DVector::from_column_slice(by);
        changes.extend_from_slice(change.as_slice());
    }
    let (mut later, mut gradients, mut by_controls) = (DVector::zeros(2 * n), Vec::new(), Vec::new());
    for (step, own) in steps.iter().zip(&of.gradient).rev() {
        let all = own + &later;
        by_controls.push(step.b.tr_mul(&all));
        later = step.a.tr_mul(&all);
        gradients.push(all);
    }
    // The adjoint is the transposed derivative.
    let along: f64 = of
        .gradient
        .iter()
        .zip(changes.chunks_exact(2 * n))
        .map(|(g, x)| g.dot(&DVector::from_column_slice(x)))
        .sum();
    let flat = |of: Vec<DVector<f64>>| of.iter().rev().flatten().copied().collect::<Vec<f64>>();
    let (gradients, by_controls) = (flat(gradients), flat(by_controls));
    let back =
        later.dot(&of.direction) + by_controls.iter().zip(&of.by_control).map(|(a, b)| a * b).sum::<f64>();
    assert!((along - back).abs() <= 1e-12 * along.abs().max(1.0), "{along} and {back}");
    vec![
        ("rollout", states.clone()),
        ("states of the derivative", states),
        ("changes", changes),
        ("gradients by states", gradients),
        ("gradient by controls", by_controls),
        ("gradient by the first state", later.as_slice().to_vec()),
    ]
}

/// Arguments, calls of the three functions, and the printing of their results.
fn write(
    main: &mut String,
    calls: &mut String,
    model: &Model<f64>,
    (prefix, control): (&str, &str),
    (with, first): (&str, &str),
) {
    let (n, nq) = (model.nv, model.nq);
    let count = if control == "u" { CONTROLS.len() } else { n };
    let of = arguments(model, count);
    let state = [("q", of.state.q.as_slice()), ("v", of.state.v.as_slice())];
    for (name, x) in state.into_iter().chain([("c", &of.controls[..]), ("by", &of.by_control)]) {
        let _ = writeln!(main, "static const double {prefix}{name}[] = {{{}}};", list(x));
    }
    let tangent =
        |x: &DVector<f64>| format!("{{{{{}}}, {{{}}}}}", list(&x.as_slice()[..n]), list(&x.as_slice()[n..]));
    let gradients: Vec<String> = of.gradient.iter().map(tangent).collect();
    let _ = writeln!(
        main,
        "static const tree_tangent_t {prefix}direction = {};\nstatic tree_tangent_t {prefix}gradient[] = {{{}}};\n\
         static tree_step_t {prefix}states[{STEPS}], {prefix}again[{STEPS}];\nstatic tree_tangent_t {prefix}changes[{STEPS}], {prefix}first;\n\
         static double {prefix}by_controls[{}];",
        tangent(&of.direction),
        gradients.join(", "),
        STEPS * count
    );
    let begin = format!("{first}{prefix}q, {prefix}v, {prefix}c, {DT:?}, {STEPS}");
    let each = |of: &str, nq: usize| {
        format!(
            "    for (k = 0; k < {STEPS}; k++) {{\n        show({prefix}{of}[k].q, {nq});\n        show({prefix}{of}[k].v, {n});\n    }}\n"
        )
    };
    let _ = write!(
        calls,
        "    tree_{prefix}rollout{with}({begin}, {prefix}states);\n{}    \
         tree_{prefix}rollout_sensitivity{with}({begin}, &{prefix}direction, {prefix}by, {prefix}again, {prefix}changes);\n{}{}    \
         tree_{prefix}rollout_adjoint{with}({begin}, {prefix}states, {prefix}gradient, {prefix}by_controls, &{prefix}first);\n{}    \
         show({prefix}by_controls, {});\n    show({prefix}first.q, {n});\n    show({prefix}first.v, {n});\n",
        each("states", nq),
        each("again", nq),
        each("changes", n),
        each("gradient", n),
        STEPS * count
    );
}
