//! Laws of mechanics that relate compiled functions to each other, without reference values.

use crate::common::{condition, error, everyone, for_everyone, inputs, inverts, named, tolerance};
use generated_tests::{Inputs, Subject};
use nalgebra::{DMatrix, DVector};
use rbd_build::Function;
use rbd_runtime::Model;
use rbd_runtime::random::random_state;

/// The only output of `function` at `x`.
fn one(robot: &Subject<f64>, function: Function, x: &Inputs<f64>) -> DMatrix<f64> {
    robot.run(function, x).swap_remove(0).1
}

fn list(x: &DMatrix<f64>) -> Vec<f64> {
    x.as_slice().to_vec()
}

fn columns(x: &[f64]) -> DMatrix<f64> {
    DMatrix::from_column_slice(x.len(), 1, x)
}

/// Forward dynamics undoes inverse dynamics, and the other way round, with and without forces.
#[test]
fn inverse_and_forward_dynamics_undo_each_other() {
    use Function::{Aba, AbaFext, Rnea, RneaFext};
    let mut pairs = 0;
    for_everyone(3, |robot, model, state| {
        let limit = 1e-13 * condition(&model.crba(state.q.as_slice())).max(100.0);
        for (inverse, forward) in [(Rnea, Aba), (RneaFext, AbaFext)] {
            if !robot.has(inverse) || !robot.has(forward) {
                continue;
            }
            pairs += 1;
            let x = inputs(state);
            let there = Inputs { tau: list(&one(robot, inverse, &x)), ..x.clone() };
            let back = one(robot, forward, &there);
            assert!(error(&back, &columns(&x.a), 1.0) < limit, "{}: fd(id(a))", robot.name);
            let there = Inputs { a: list(&one(robot, forward, &x)), ..x.clone() };
            let back = one(robot, inverse, &there);
            assert!(error(&back, &columns(&x.tau), 1.0) < limit, "{}: id(fd(tau))", robot.name);
        }
    });
    assert!(pairs > 50, "{pairs}");
}

/// M is exactly symmetric and positive definite; so is its inverse; their product is the identity.
#[test]
fn mass_matrices_are_symmetric_and_positive_definite() {
    for_everyone(3, |robot, _, state| {
        if !robot.has(Function::Crba) {
            return;
        }
        let m = one(robot, Function::Crba, &inputs(state));
        assert_eq!(m, m.transpose(), "{}: symmetry of M", robot.name);
        assert!(m.clone().cholesky().is_some(), "{}: M is not positive definite", robot.name);
        if !robot.has(Function::Minv) {
            return;
        }
        let minv = one(robot, Function::Minv, &inputs(state));
        assert_eq!(minv, minv.transpose(), "{}: symmetry of M^-1", robot.name);
        assert!(minv.clone().cholesky().is_some(), "{}: M^-1 is not positive definite", robot.name);
        let identity = DMatrix::identity(m.nrows(), m.ncols());
        let e = error(&(&m * &minv), &identity, 1.0);
        assert!(
            e < 1e-14 * condition(&m).max(100.0),
            "{}: M M^-1 is off the identity by {e:.1e}",
            robot.name
        );
    });
}

/// `tau = M a + C v + g`: the parts of inverse dynamics.
#[test]
fn torques_are_linear_in_the_acceleration() {
    for_everyone(2, |robot, _, state| {
        if ![Function::Rnea, Function::Bias, Function::Crba].iter().all(|f| robot.has(*f)) {
            return;
        }
        let x = inputs(state);
        let sum = one(robot, Function::Crba, &x) * columns(&x.a) + one(robot, Function::Bias, &x);
        assert!(error(&one(robot, Function::Rnea, &x), &sum, 1.0) < 1e-12, "{}", robot.name);
        if robot.has(Function::Gravity) {
            let at_rest = Inputs { v: vec![0.0; x.v.len()], ..x };
            let (g, bias) = (one(robot, Function::Gravity, &at_rest), one(robot, Function::Bias, &at_rest));
            assert!(error(&g, &bias, 1.0) < 1e-12, "{}: gravity", robot.name);
        }
    });
}

/// `dtau_da` is M, `ddq_dtau` is M^-1, and forward dynamics' derivatives are `-M^-1` times those of
/// inverse dynamics at the resulting acceleration, with forces too.
#[test]
fn derivatives_of_forward_and_inverse_dynamics_belong_together() {
    use Function::{AbaDerivatives, AbaDerivativesFext, Crba, Minv, RneaDerivatives, RneaDerivativesFext};
    for_everyone(2, |robot, _, state| {
        for (inverse, forward) in
            [(RneaDerivatives, AbaDerivatives), (RneaDerivativesFext, AbaDerivativesFext)]
        {
            if ![Crba, Minv, inverse, forward].iter().all(|f| robot.has(*f)) {
                continue;
            }
            let x = inputs(state);
            let (m, minv) = (one(robot, Crba, &x), one(robot, Minv, &x));
            let limit = tolerance(forward, &m, 0.0);
            let fd = robot.run(forward, &x);
            let id = robot.run(inverse, &Inputs { a: list(named(&fd, "ddq")), ..x.clone() });
            let close = |what: &str, got: &DMatrix<f64>, expected: &DMatrix<f64>| {
                let e = error(got, expected, 1e-3);
                assert!(e <= limit, "{}, {}, {what}: {e:.1e}", robot.name, forward.name());
            };
            close("dtau_da", named(&id, "dtau_da"), &m);
            close("ddq_dtau", named(&fd, "ddq_dtau"), &minv);
            close("tau", named(&id, "tau"), &columns(&x.tau));
            close("ddq_dq", named(&fd, "ddq_dq"), &-(&minv * named(&id, "dtau_dq")));
            close("ddq_dv", named(&fd, "ddq_dv"), &-(&minv * named(&id, "dtau_dv")));
        }
    });
}

/// Pairs of velocity coordinates on one path from the root to some body.
fn on_one_path(model: &Model<f64>) -> DMatrix<bool> {
    let mut related = DMatrix::from_element(model.nv, model.nv, false);
    for mut body in 0..model.bodies.len() {
        let mut path = Vec::new();
        loop {
            let b = &model.bodies[body];
            path.extend(b.idx_v..b.idx_v + b.kind.nv());
            match b.parent {
                Some(parent) => body = parent,
                None => break,
            }
        }
        for &i in &path {
            for &j in &path {
                related[(i, j)] = true;
            }
        }
    }
    related
}

/// Structural zeros are zero to the last bit: M and the derivatives of torques between different
/// limbs, and everything between trees that share only the ground.
#[test]
fn zeros_of_the_tree_are_exact() {
    let mut zeros = 0;
    for_everyone(1, |robot, model, state| {
        let path = on_one_path(model);
        let mut tree = path.clone();
        for _ in 0..model.nv {
            tree = DMatrix::from_fn(model.nv, model.nv, |i, j| {
                (0..model.nv).any(|k| tree[(i, k)] && path[(k, j)])
            });
            if tree.iter().all(|x| *x) {
                break;
            }
        }
        for function in robot.functions() {
            let mask = if inverts(function) { &tree } else { &path };
            for (output, value) in robot.run(function, &inputs(state)) {
                if value.ncols() != model.nv || matches!(output, "tau" | "ddq") {
                    continue;
                }
                for i in 0..model.nv {
                    for j in 0..model.nv {
                        if !mask[(i, j)] {
                            zeros += 1;
                            let x = value[(i, j)];
                            assert_eq!(x, 0.0, "{}, {}, {output} ({i}, {j})", robot.name, function.name());
                        }
                    }
                }
            }
        }
    });
    assert!(zeros > 2000, "{zeros}");
}

/// `structure` names every entry that is not zero in some state, and few others.
#[test]
fn structures_are_those_of_the_results() {
    let (mut matrices, mut named, mut seen) = (0, 0, 0);
    for robot in everyone() {
        let model = (robot.model)();
        let states: Vec<_> = (0..3).map(|seed| inputs(&random_state(&model, seed))).collect();
        for function in robot.functions() {
            let results: Vec<_> = states.iter().map(|x| robot.run(function, x)).collect();
            for (k, (output, first)) in results[0].iter().enumerate() {
                let Some(structure) = (robot.structure)(function.name(), output) else {
                    let is_matrix = first.ncols() == model.nv && model.nv > 1 && first.nrows() == model.nv;
                    assert!(!is_matrix, "{}, {}: no structure of {output}", robot.name, function.name());
                    continue;
                };
                assert_eq!((structure.rows(), structure.columns()), first.shape());
                assert_eq!((structure.function(), structure.output()), (function.name(), *output));
                matrices += 1;
                named += structure.count();
                for (row, column) in (0..first.ncols()).flat_map(|c| (0..first.nrows()).map(move |r| (r, c)))
                {
                    let is_zero = results.iter().all(|result| result[k].1[(row, column)] == 0.0);
                    seen += usize::from(!is_zero);
                    assert!(
                        is_zero || !structure.is_zero(row, column),
                        "{}, {}, {output} ({row}, {column})",
                        robot.name,
                        function.name()
                    );
                }
            }
        }
    }
    println!("{matrices} matrices: {named} entries can differ from zero, {seen} did");
    assert!(matrices > 100 && named - seen < named / 50, "{matrices}, {named}, {seen}");
}

/// Velocities enter the torques by products of two: at rest their derivatives are exactly zero (but
/// for damping).
#[test]
fn derivatives_by_velocity_vanish_at_rest() {
    for_everyone(1, |robot, model, state| {
        if !robot.has(Function::RneaDerivatives) {
            return;
        }
        let at_rest = Inputs { v: vec![0.0; model.nv], ..inputs(state) };
        let mut dv = robot.get(Function::RneaDerivatives, "dtau_dv", &at_rest);
        if model.damping_enters {
            // Damping lies on the diagonal, on a floating base and in joints without damping none does.
            for b in &model.bodies {
                let ratio = b.mimic.map_or(1.0, |m| m.multiplier);
                for k in b.idx_v..b.idx_v + b.kind.nv() {
                    dv[(k, k)] -= ratio * ratio * b.damping;
                }
            }
            assert!(dv.iter().all(|x| x.abs() < 1e-14), "{}: {dv}", robot.name);
        } else {
            assert!(dv.iter().all(|x| *x == 0.0), "{}: {dv}", robot.name);
        }
    });
}

/// The `_into` variants write the same bits, whatever numbers were there where the result is not zero.
#[test]
fn written_results_are_returned_results() {
    for_everyone(1, |robot, _, state| {
        let x = inputs(state);
        for function in robot.functions() {
            assert_eq!(
                robot.run_into(function, &x),
                robot.run(function, &x),
                "{}, {}",
                robot.name,
                function.name()
            );
        }
    });
}

/// `difference` undoes `integrate` and the reverse (up to a quaternion's sign); `neutral` is the
/// configuration without rotation.
#[test]
fn integrate_and_difference_undo_each_other() {
    for_everyone(4, |robot, model, state| {
        // Shorter than half a turn about every axis together: the way that `difference` finds.
        let dv = &state.v * (1.0 / state.v.amax().max(1.0));
        let q = (robot.integrate)(state.q.as_slice(), dv.as_slice());
        let back = (robot.difference)(state.q.as_slice(), &q);
        assert!(error(&columns(&back), &columns(dv.as_slice()), 1.0) < 1e-13, "{}", robot.name);

        let other = random_state(model, 99).q;
        let way = (robot.difference)(state.q.as_slice(), other.as_slice());
        let there = (robot.integrate)(state.q.as_slice(), &way);
        let rest = (robot.difference)(&there, other.as_slice());
        assert!(rest.iter().all(|x| x.abs() < 1e-13), "{}", robot.name);

        let neutral = (robot.neutral)();
        let from = (robot.difference)(&neutral, &neutral);
        assert!(from.iter().all(|x| *x == 0.0), "{}", robot.name);
    });
}

/// Derivatives are those of the functions themselves, by central differences along `integrate`.
#[test]
fn derivatives_agree_with_central_differences() {
    use Function::{Aba, AbaDerivatives, AbaDerivativesFext, AbaFext};
    use Function::{Rnea, RneaDerivatives, RneaDerivativesFext, RneaFext};
    let mut compared = 0;
    for robot in everyone() {
        let model = (robot.model)();
        let x = inputs(&random_state(&model, 7));
        let m = model.crba(&x.q);
        for (function, derivatives) in [
            (Rnea, RneaDerivatives),
            (RneaFext, RneaDerivativesFext),
            (Aba, AbaDerivatives),
            (AbaFext, AbaDerivativesFext),
        ] {
            if !robot.has(derivatives) || !robot.has(function) {
                continue;
            }
            compared += 1;
            // Of sixth order.
            let differences = |h: f64, moved: &dyn Fn(&[f64]) -> Inputs<f64>| {
                let by = (0..model.nv).map(|j| {
                    let at = |step: f64| {
                        let mut e = vec![0.0; model.nv];
                        e[j] = step * h;
                        one(robot, function, &moved(&e)).column(0).into_owned()
                    };
                    let by = |k: f64| (at(k) - at(-k)) / h;
                    by(1.0) * (3.0 / 4.0) - by(2.0) * (3.0 / 20.0) + by(3.0) * (1.0 / 60.0)
                });
                DMatrix::from_columns(&by.collect::<Vec<DVector<f64>>>())
            };
            let plus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
            let d = robot.run(derivatives, &x);
            // By q: with this step the truncation error of the humanoid's accelerations, the
            // largest here, is 2e-10 of the largest entry (with four times the step 8e-7), and
            // rounding is below that.
            let by_q = differences(2.5e-3, &|e| Inputs { q: (robot.integrate)(&x.q, e), ..x.clone() });
            // By v, and by the acceleration or torque: quadratic functions have no truncation
            // error.
            let by_v = differences(0.1, &|e| Inputs { v: plus(&x.v, e), ..x.clone() });
            let by_third =
                differences(0.1, &|e| Inputs { a: plus(&x.a, e), tau: plus(&x.tau, e), ..x.clone() });
            let limit = if inverts(function) { 1e-15 * condition(&m).max(1e6) } else { 1e-9 };
            for (expected, (name, got)) in [by_q, by_v, by_third].iter().zip(&d[1..]) {
                let e = error(got, expected, 1.0);
                assert!(e < limit, "{}, {}, {name}: {e:.1e}", robot.name, derivatives.name());
            }
        }
    }
    assert!(compared > 30, "{compared}");
}
