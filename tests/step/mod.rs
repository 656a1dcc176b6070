//! The discrete step of a robot with every joint kind, and of a floating one: derivatives against dual
//! numbers, orders of the integrators, adjoints against forward sensitivities.

mod batches;
mod by_model;
mod contact_hessians;
mod contacts;
mod given;
mod parameters;
mod zeros;

use nalgebra::{DMatrix, DVector, SVector};
use num_dual::{Dual64, HyperDual64};
use rbd::{DiscreteDynamics, Integrator, Scalar, Step, StepHessian};

macro_rules! robot {
    ($name:ident $integrator:ident $shape:tt) => {
        rbd::rbd_robot! {
            pub struct $name {
                urdf: "tests/step/joints.urdf",
                functions: [crba],
                step: $integrator,
                shape: $shape,
                contacts: { "finger": plane, "kite": point },
            }
        }
    };
}

robot!(Semi semi_implicit straight);
robot!(Plain explicit loops);
robot!(Runge rk4 loops);

// By the name that generated code has for its type parameter.
rbd::rbd_robot! {
    pub struct T { urdf: "tests/step/joints.urdf", base: floating, functions: [aba], shape: loops, step: rk4 }
}

rbd::rbd_robot! {
    pub struct Damped {
        urdf: "tests/step/damped.urdf",
        damping: true,
        functions: [crba, rnea, bias],
        step: implicit_damping,
        contacts: { "finger": plane, "kite": point },
    }
}

rbd::rbd_robot! {
    pub struct DampedAfloat {
        urdf: "tests/step/damped.urdf",
        base: floating,
        damping: true,
        functions: [aba],
        shape: loops,
        step: implicit_damping,
    }
}

/// Its damping: the raft, the rail, the shoulder, the elbow with half of the mimic joint, the kite.
const DAMPING: [f64; Damped::NV] =
    [4.0, 4.0, 4.0, 20.0, 0.8, 0.8, 0.8, 0.3 + 0.25 * 0.1, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5];

/// The robot of [`Damped`], by an explicit step and by one of high order.
mod other {
    rbd::rbd_robot! {
        pub struct Semi {
            urdf: "tests/step/damped.urdf", damping: true, functions: [aba], step: semi_implicit
        }
    }
    rbd::rbd_robot! {
        pub struct Runge { urdf: "tests/step/damped.urdf", damping: true, functions: [aba], step: rk4 }
    }
}

fn state<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    seed: f64,
) -> (SVector<f64, NQ>, [SVector<f64, NV>; 2]) {
    let numbers = |first: f64| SVector::<f64, NV>::from_fn(|k, _| (seed + first + 1.7 * k as f64).sin());
    (R::integrate(&R::neutral(), &numbers(0.3)), [numbers(1.1), numbers(2.4) * 5.0])
}

/// Next state, in the tangent space at `at`.
fn tangent<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    at: &Step<f64, NQ, NV>,
    next: &Step<Dual64, NQ, NV>,
) -> DVector<f64> {
    let there = R::difference(&at.q.map(Dual64::from), &next.q);
    DVector::from_iterator(2 * NV, there.iter().chain(next.v.iter()).map(|x| x.eps))
}

/// The step of a robot in another number: generated code, or [`by_model::step`].
type StepOf<T, const NQ: usize, const NV: usize> =
    fn(&SVector<T, NQ>, [&SVector<T, NV>; 2], T) -> Step<T, NQ, NV>;

/// The step of generated code.
fn own_step<R: DiscreteDynamics<NQ, NV>, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    [v, tau]: [&SVector<T, NV>; 2],
    dt: T,
) -> Step<T, NQ, NV> {
    R::step(q, v, tau, dt)
}

/// `[A B]` by dual numbers.
fn by_duals<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    q: &SVector<f64, NQ>,
    [v, tau]: &[SVector<f64, NV>; 2],
    dt: f64,
    step: StepOf<Dual64, NQ, NV>,
) -> DMatrix<f64> {
    let next = R::step(q, v, tau, dt);
    let columns: Vec<_> = (0..3 * NV)
        .map(|j| {
            let unit = |of: usize| {
                SVector::<Dual64, NV>::from_fn(|k, _| Dual64::new(0.0, f64::from(j == of * NV + k)))
            };
            let moved = R::integrate(&q.map(Dual64::from), &unit(0));
            let (v, tau) = (v.map(Dual64::from) + unit(1), tau.map(Dual64::from) + unit(2));
            tangent::<R, NQ, NV>(&next, &step(&moved, [&v, &tau], Dual64::from(dt)))
        })
        .collect();
    DMatrix::from_columns(&columns)
}

/// `[A B]` by the robot's own derivatives.
fn own<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    q: &SVector<f64, NQ>,
    [v, tau]: &[SVector<f64, NV>; 2],
    dt: f64,
) -> DMatrix<f64> {
    let d = R::step_derivatives(q, v, tau, dt);
    let next = R::step(q, v, tau, dt);
    assert!((d.q - next.q).amax() < 1e-13 && (d.v - next.v).amax() < 1e-11 * next.v.amax().max(1.0));
    let mut all = DMatrix::zeros(2 * NV, 3 * NV);
    let blocks = [[d.dq_dq, d.dq_dv, d.dq_dtau], [d.dv_dq, d.dv_dv, d.dv_dtau]];
    for (row, blocks) in blocks.iter().enumerate() {
        for (column, block) in blocks.iter().enumerate() {
            all.view_mut((row * NV, column * NV), (NV, NV)).copy_from(block);
        }
    }
    all
}

#[track_caller]
fn close(got: &DMatrix<f64>, expected: &DMatrix<f64>) {
    near(got, expected, 1e-12);
}

#[track_caller]
fn near(got: &DMatrix<f64>, expected: &DMatrix<f64>, tolerance: f64) {
    let error = (got - expected).amax() / expected.amax().max(1.0);
    assert!(error < tolerance, "{error:.1e}: {got:.6}{expected:.6}");
}

fn derivatives_are_exact<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    step: StepOf<Dual64, NQ, NV>,
) {
    for (seed, dt) in [(0.0, 0.01), (1.0, 0.1), (2.0, -0.02), (3.0, 0.0)] {
        let (q, rest) = state::<R, NQ, NV>(seed);
        close(&own::<R, NQ, NV>(&q, &rest, dt), &by_duals::<R, NQ, NV>(&q, &rest, dt, step));
    }
}

#[test]
fn derivatives_agree_with_dual_numbers() {
    derivatives_are_exact::<Semi, _, _>(by_model::step::<Semi, _, _, _>);
    derivatives_are_exact::<Plain, _, _>(by_model::step::<Plain, _, _, _>);
    derivatives_are_exact::<Runge, _, _>(own_step::<Runge, _, _, _>);
    derivatives_are_exact::<T, _, _>(own_step::<T, _, _, _>);
    derivatives_are_exact::<Damped, _, _>(by_model::step::<Damped, _, _, _>);
    derivatives_are_exact::<DampedAfloat, _, _>(own_step::<DampedAfloat, _, _, _>);
}

/// Gradient and Hessian of a weighted step by q, v and tau, from hyper-dual numbers.
fn by_hyper_duals<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    q: &SVector<f64, NQ>,
    [v, tau]: &[SVector<f64, NV>; 2],
    [lambda_q, lambda_v]: &[SVector<f64, NV>; 2],
    step: impl Fn(&SVector<HyperDual64, NQ>, [&SVector<HyperDual64, NV>; 2]) -> Step<HyperDual64, NQ, NV>,
) -> (DVector<f64>, DMatrix<f64>) {
    let still = [v, tau].map(|x| x.map(HyperDual64::from));
    let at = step(&q.map(HyperDual64::from), still.each_ref()).q;
    let (mut gradient, mut hessian) = (DVector::zeros(3 * NV), DMatrix::zeros(3 * NV, 3 * NV));
    let mut entry = |i: usize, j: usize| {
        let part = |of: usize, is_first: bool, index: usize| {
            SVector::<HyperDual64, NV>::from_fn(|k, _| {
                let one = f64::from(index == of * NV + k);
                let (first, second) = if is_first { (one, 0.0) } else { (0.0, one) };
                HyperDual64::new(0.0, first, second, 0.0)
            })
        };
        // The second derivative moves the configuration first.
        let moved =
            R::integrate(&R::integrate(&q.map(HyperDual64::from), &part(0, false, j)), &part(0, true, i));
        let of = |x: &SVector<f64, NV>, of| x.map(HyperDual64::from) + part(of, false, j) + part(of, true, i);
        let next = step(&moved, [&of(v, 1), &of(tau, 2)]);
        let there = R::difference(&at, &next.q);
        let weighted = |x: SVector<HyperDual64, NV>, by: &SVector<f64, NV>| {
            x.iter().zip(by).map(|(x, by)| *x * *by).sum::<HyperDual64>()
        };
        let sum = weighted(there, lambda_q) + weighted(next.v, lambda_v);
        gradient[i] = sum.eps1;
        // Two configurations do not commute; the other variables do.
        hessian[(i, j)] = sum.eps1eps2;
        if i >= NV || j >= NV {
            hessian[(j, i)] = sum.eps1eps2;
        }
    };
    (0..3 * NV).for_each(|i| (0..NV.max(i + 1)).for_each(|j| entry(i, j)));
    (gradient, hessian)
}

/// All entries of a gradient and a Hessian, to this share of the largest one.
fn is_hessian<const NV: usize>(
    got: &StepHessian<f64, NV>,
    (gradient, hessian): (DVector<f64>, DMatrix<f64>),
    tolerance: f64,
) {
    let own = DVector::from_iterator(3 * NV, [got.dq, got.dv, got.dtau].iter().flatten().copied());
    near(&DMatrix::from_columns(&[own]), &DMatrix::from_columns(&[gradient]), tolerance);
    let (vq, tq, tv) = (got.dqdv.transpose(), got.dqdtau.transpose(), got.dvdtau.transpose());
    let rows = [[got.dqdq, got.dqdv, got.dqdtau], [vq, got.dvdv, got.dvdtau], [tq, tv, got.dtaudtau]];
    let mut all = DMatrix::zeros(3 * NV, 3 * NV);
    for (row, blocks) in rows.iter().enumerate() {
        for (column, block) in blocks.iter().enumerate() {
            all.view_mut((row * NV, column * NV), (NV, NV)).copy_from(block);
        }
    }
    near(&all, &hessian, tolerance);
}

fn hessians_are_exact<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    states: &[(f64, f64)],
    step: StepOf<HyperDual64, NQ, NV>,
) {
    for &(seed, dt) in states {
        let (q, rest) = state::<R, NQ, NV>(seed);
        let (_, weights) = state::<R, NQ, NV>(seed + 0.5);
        let got = R::step_hessian(&q, &rest[0], &rest[1], dt, &weights[0], &weights[1]);
        let along = |q: &_, x: [&_; 2]| step(q, x, HyperDual64::from(dt));
        let expected = by_hyper_duals::<R, NQ, NV>(&q, &rest, &weights, along);
        is_hessian(&got, expected, 1e-12);
        let next = R::step(&q, &rest[0], &rest[1], dt);
        let single = R::JOINTS.iter().filter(|joint| joint.nv == 1);
        let of_q: f64 = single.map(|joint| next.q[joint.idx_q] * weights[0][joint.idx_v]).sum();
        let value = of_q + next.v.dot(&weights[1]);
        assert!((got.value - value).abs() < 1e-12 * next.v.amax().max(1.0), "{} is not {value}", got.value);
    }
}

#[test]
fn hessians_agree_with_hyper_dual_numbers() {
    let states = [(1.0, 0.1), (2.0, -0.02), (3.0, 0.0)];
    hessians_are_exact::<Semi, _, _>(&states, by_model::step::<Semi, _, _, _>);
    hessians_are_exact::<Plain, _, _>(&states[..1], by_model::step::<Plain, _, _, _>);
    hessians_are_exact::<Runge, _, _>(&states[1..2], own_step::<Runge, _, _, _>);
    hessians_are_exact::<T, _, _>(&states[..1], own_step::<T, _, _, _>);
    hessians_are_exact::<Damped, _, _>(&states[..2], by_model::step::<Damped, _, _, _>);
    hessians_are_exact::<DampedAfloat, _, _>(&states[..1], own_step::<DampedAfloat, _, _, _>);
}

#[test]
fn euler_steps_are_their_formulas() {
    let (q, [v, tau]) = state::<Semi, { Semi::NQ }, { Semi::NV }>(0.5);
    let next = v + Semi::aba(&q, &v, &tau) * 0.03;
    let semi = Semi::step(&q, &v, &tau, 0.03);
    assert!((semi.v - next).amax() < 1e-13 * next.amax());
    assert!((semi.q - Semi::integrate(&q, &(next * 0.03))).amax() < 1e-14);
    let plain = Plain::step(&q, &v, &tau, 0.03);
    assert_eq!((plain.v, plain.q), (semi.v, Plain::integrate(&q, &(v * 0.03))));
    assert_eq!(Plain::step_derivatives(&q, &v, &tau, 0.03).dq_dtau.amax(), 0.0);
    assert_eq!(<Plain as DiscreteDynamics<_, _>>::INTEGRATOR, Integrator::Explicit);
}

/// Against the formula, solved by nalgebra with the mass matrix.
#[test]
fn implicit_damping_is_its_formula() {
    type Matrix = nalgebra::SMatrix<f64, { Damped::NV }, { Damped::NV }>;
    let (q, [v, tau]) = state::<Damped, { Damped::NQ }, { Damped::NV }>(0.4);
    for dt in [0.01, 0.5] {
        let m = Damped::crba(&q) + Matrix::from_diagonal(&SVector::from(DAMPING)) * dt;
        let expected = v + m.cholesky().unwrap().solve(&(tau - Damped::bias(&q, &v))) * dt;
        let next = Damped::step(&q, &v, &tau, dt);
        assert!((next.v - expected).amax() < 1e-12 * expected.amax());
        assert!((next.q - Damped::integrate(&q, &(expected * dt))).amax() < 1e-12);
    }
    assert_eq!(<Damped as DiscreteDynamics<_, _>>::INTEGRATOR, Integrator::ImplicitDamping);
}

/// With a step of twenty times the joints' time constants, the velocities of explicit damping explode.
#[test]
fn implicit_damping_is_stable_where_an_explicit_step_diverges() {
    fn speed<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(dt: f64) -> f64 {
        let (q, [v, _]) = state::<R, NQ, NV>(0.0);
        let mut states = [Step { q, v }; 50];
        R::rollout(&q, &v, &[SVector::zeros(); 50], dt, &mut states);
        let last = states[49].v.amax();
        if last.is_finite() { last } else { f64::INFINITY }
    }
    const NQ: usize = Damped::NQ;
    const NV: usize = Damped::NV;
    let (implicit, semi) = (speed::<Damped, NQ, NV>(0.3), speed::<other::Semi, NQ, NV>(0.3));
    assert!(implicit < 10.0 && semi > 1e6, "{implicit} {semi}");
}

/// Distance to the truth after a fixed time, in steps of `1 / steps` of it. The truth is in small steps.
fn error<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    steps: usize,
    truth: &Step<f64, NQ, NV>,
) -> f64 {
    let end = after::<R, NQ, NV>(steps);
    R::difference(&truth.q, &end.q).amax().max((truth.v - end.v).amax())
}

fn after<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(steps: usize) -> Step<f64, NQ, NV> {
    let (q, [v, tau]) = state::<R, NQ, NV>(0.0);
    let (v, tau) = (v * 0.5, tau * 0.2);
    let mut states = vec![Step { q, v }; steps];
    R::rollout(&q, &v, &vec![tau; steps], 0.1 / steps as f64, &mut states);
    states[steps - 1]
}

/// Order of an integrator, by halving its step.
fn order<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    steps: usize,
    truth: &Step<f64, NQ, NV>,
) -> f64 {
    (error::<R, NQ, NV>(steps, truth) / error::<R, NQ, NV>(2 * steps, truth)).log2()
}

#[test]
fn integrators_have_their_orders() {
    const NQ: usize = Runge::NQ;
    const NV: usize = Runge::NV;
    let truth = after::<Runge, NQ, NV>(2000);
    for (got, expected) in [
        (order::<Semi, NQ, NV>(200, &truth), 1.0),
        (order::<Plain, NQ, NV>(200, &truth), 1.0),
        (order::<Runge, NQ, NV>(20, &truth), 4.0),
        (order::<T, { T::NQ }, { T::NV }>(10, &after::<T, { T::NQ }, { T::NV }>(1000)), 4.0),
        (order::<Damped, NQ, NV>(200, &after::<other::Runge, NQ, NV>(2000)), 1.0),
    ] {
        assert!((got - expected).abs() < 0.15, "{got} is not {expected}");
    }
}

#[test]
fn adjoints_are_transposed_sensitivities() {
    const NQ: usize = Runge::NQ;
    const NV: usize = Runge::NV;
    const N: usize = 6;
    let (dt, (q, [v, tau])) = (0.02, state::<Runge, NQ, NV>(0.7));
    let controls: Vec<_> = (0..N).map(|k| tau * (1.0 - 0.3 * k as f64)).collect();
    let mut states = vec![Step::zeros(); N];
    Runge::rollout(&q, &v, &controls, dt, &mut states);
    let weight =
        |k: usize, first: f64| SVector::<f64, NV>::from_fn(|i, _| (first + (k * 3 + i) as f64).cos());
    let stages: Vec<_> = (0..N).map(|k| (weight(k, 0.2), weight(k, 0.9))).collect();
    let (mut gradient, mut by_controls) = (stages.clone(), vec![SVector::zeros(); N]);
    let (by_q, by_v) =
        Runge::rollout_adjoint(&q, &v, &controls, dt, &states, &mut gradient, &mut by_controls);

    // Forward: the derivative of all later states by each input, and the sum of what they cost.
    let mut total = DMatrix::<f64>::zeros(1, 2 * NV + N * NV);
    let mut sensitivity = DMatrix::<f64>::zeros(2 * NV, 2 * NV + N * NV);
    sensitivity.view_mut((0, 0), (2 * NV, 2 * NV)).fill_with_identity();
    let (mut at_q, mut at_v) = (q, v);
    for k in 0..N {
        let ab = own::<Runge, NQ, NV>(&at_q, &[at_v, controls[k]], dt);
        sensitivity = ab.columns(0, 2 * NV) * &sensitivity;
        sensitivity.view_mut((0, 2 * NV + k * NV), (2 * NV, NV)).copy_from(&ab.columns(2 * NV, NV));
        let cost = DMatrix::from_iterator(1, 2 * NV, stages[k].0.iter().chain(&stages[k].1).copied());
        total += cost * &sensitivity;
        (at_q, at_v) = (states[k].q, states[k].v);
    }
    let adjoint = by_q.iter().chain(&by_v).chain(by_controls.iter().flatten()).copied();
    close(&DMatrix::from_iterator(1, total.ncols(), adjoint), &total);

    // The cost's change along a direction, by the runtime's sensitivities and by its adjoint.
    let controls_along: Vec<_> = (0..N).map(|k| weight(k, 2.2)).collect();
    let (q_along, v_along) = (weight(7, 0.1), weight(8, 0.4));
    let (mut again, mut changes) = (vec![Step::zeros(); N], vec![(SVector::zeros(), SVector::zeros()); N]);
    let direction = (&q_along, &v_along, &controls_along[..]);
    Runge::rollout_sensitivity(&q, &v, &controls, dt, direction, &mut again, &mut changes);
    for (state, again) in states.iter().zip(&again) {
        assert!((state.q - again.q).amax() < 1e-13);
        assert!((state.v - again.v).amax() < 1e-11 * state.v.amax().max(1.0));
    }
    let forward: f64 = stages.iter().zip(&changes).map(|(by, x)| by.0.dot(&x.0) + by.1.dot(&x.1)).sum();
    let of_controls: f64 = by_controls.iter().zip(&controls_along).map(|(by, x)| by.dot(x)).sum();
    let backward = by_q.dot(&q_along) + by_v.dot(&v_along) + of_controls;
    assert!((forward - backward).abs() < 1e-12 * forward.abs(), "{forward} is not {backward}");
}

/// By dual numbers of time: at its beginning a step moves by the velocity, and the velocity by the
/// acceleration.
#[test]
fn time_can_be_a_dual_number() {
    const NQ: usize = Runge::NQ;
    const NV: usize = Runge::NV;
    let (q, [v, tau]) = state::<Runge, NQ, NV>(0.9);
    let dual = |x: f64| Dual64::from(x);
    let along = |dt: f64| {
        let next = Runge::step(&q, &v, &tau, dt);
        let (q, v, tau) = (q.map(dual), v.map(dual), tau.map(dual));
        tangent::<Runge, NQ, NV>(&next, &Runge::step(&q, &v, &tau, Dual64::new(dt, 1.0)))
    };
    let start = along(0.0);
    assert!((start.rows(0, NV) - v).amax() < 1e-13);
    let ddq = Runge::aba(&q, &v, &tau);
    assert!((start.rows(NV, NV) - ddq).amax() < 1e-12 * ddq.amax());
    // And by differences later on.
    let (dt, h) = (0.05, 1e-3);
    let next = Runge::step(&q, &v, &tau, dt);
    let moved = |dt: f64| {
        let there = Runge::step(&q, &v, &tau, dt);
        let q = Runge::difference(&next.q, &there.q);
        DVector::from_iterator(2 * NV, q.iter().chain(&there.v).copied())
    };
    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| moved(dt + k * h));
    let differences = ((c - b) * 8.0 - (d - a)) / (12.0 * h);
    assert!((along(dt) - &differences).amax() < 1e-7 * differences.amax());
}

rbd::rbd_robot! {
    pub struct Motors {
        urdf: "tests/step/damped.urdf",
        damping: true,
        functions: [aba],
        step: implicit_damping,
        actuated: ["elbow", "shoulder", "rail"],
    }
}

/// Controls are torques of the named joints, in the order of the names.
#[test]
fn controls_are_torques_of_the_actuated_joints() {
    const NV: usize = Motors::NV;
    assert_eq!(Motors::NU, 5);
    let order = [7, 4, 5, 6, 3];
    let (q, [v, tau]) = state::<Motors, { Motors::NQ }, NV>(0.2);
    let u = SVector::<f64, 5>::from_fn(|k, _| tau[order[k]]);
    let torques = SVector::<f64, NV>::from_fn(|k, _| if order.contains(&k) { tau[k] } else { 0.0 });
    assert_eq!(Motors::torques(&u), torques);
    let next = Motors::actuated_step(&q, &v, &u, 0.01);
    assert_eq!(next, Motors::step(&q, &v, &torques, 0.01));

    // By dual numbers along each control.
    let d = Motors::actuated_step_derivatives(&q, &v, &u, 0.01);
    let all = Motors::step_derivatives(&q, &v, &torques, 0.01);
    assert_eq!([d.dq_dq, d.dq_dv, d.dv_dq, d.dv_dv], [all.dq_dq, all.dq_dv, all.dv_dq, all.dv_dv]);
    assert_eq!((d.q, d.v), (all.q, all.v));
    for j in 0..Motors::NU {
        let moved = SVector::from_fn(|k, _| Dual64::new(u[k], f64::from(k == j)));
        let (q, v, dt) = (q.map(Dual64::from), v.map(Dual64::from), Dual64::from(0.01));
        let along = tangent::<Motors, { Motors::NQ }, NV>(&next, &Motors::actuated_step(&q, &v, &moved, dt));
        let own: Vec<f64> = d.dq_du.column(j).iter().chain(d.dv_du.column(j).iter()).copied().collect();
        close(&DMatrix::from_vec(2 * NV, 1, own), &DMatrix::from_columns(&[along]));
    }

    let (of_q, of_v) = (v * 0.3, tau * 0.1);
    let h = Motors::actuated_step_hessian(&q, &v, &u, 0.01, &of_q, &of_v);
    let all = Motors::step_hessian(&q, &v, &torques, 0.01, &of_q, &of_v);
    assert_eq!((h.value, h.dq, h.dv), (all.value, all.dq, all.dv));
    assert_eq!((h.dqdq, h.dqdv, h.dvdv), (all.dqdq, all.dqdv, all.dvdv));
    for (j, column) in order.into_iter().enumerate() {
        assert_eq!(h.du[j], all.dtau[column]);
        assert_eq!(h.dqdu.column(j), all.dqdtau.column(column));
        assert_eq!(h.dvdu.column(j), all.dvdtau.column(column));
        for (i, row) in order.into_iter().enumerate() {
            assert_eq!(h.dudu[(i, j)], all.dtaudtau[(row, column)]);
        }
    }
    assert!(h.dudu.amax() > 0.0 && h.dvdu.amax() > 0.0);
}
