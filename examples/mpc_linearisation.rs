//! Linear model of a step for MPC: `x' = A x + B u` about a state, by the option `step`.
//!
//! `cargo run --release --example mpc_linearisation`. From it the program computes a
//! linear-quadratic regulator that holds a double pendulum upright, and tries it on the nonlinear
//! model. The linearisation works for any robot, with quaternions too: the state's error is in the
//! tangent space of q. It asserts what it prints. `rbd view --trajectory` replays the motion
//! (docs/view.md).

mod recording;

use nalgebra::{SMatrix, SVector};
use recording::Recording;

rbd::rbd_robot! {
    pub struct DoublePendulum {
        urdf: "robots/double_pendulum.urdf",
        functions: [inverse_dynamics],
        step: semi_implicit,
    }
}

const N: usize = DoublePendulum::NV;
type Vector<const N: usize> = SVector<f64, N>;
type State = Vector<{ 2 * N }>;

/// The gain K of `u = -K x` that makes the sum of `x' Q x + u' R u` least: Riccati's recursion
/// until it rests.
fn regulator(
    a: &SMatrix<f64, { 2 * N }, { 2 * N }>,
    b: &SMatrix<f64, { 2 * N }, N>,
    state_cost: &SMatrix<f64, { 2 * N }, { 2 * N }>,
    control_cost: &SMatrix<f64, N, N>,
) -> SMatrix<f64, N, { 2 * N }> {
    let mut p = *state_cost;
    let mut gain = SMatrix::zeros();
    for _ in 0..2000 {
        let bp = b.transpose() * p;
        let factors = (control_cost + bp * b).cholesky().expect("positive definite");
        gain = factors.solve(&(bp * a));
        p = state_cost + a.transpose() * p * (a - b * gain);
    }
    gain
}

fn main() -> std::io::Result<()> {
    let h = 2e-3;
    let goal = Vector::from([std::f64::consts::PI, 0.0]);
    let holds = DoublePendulum::gravity(&goal);
    let l = DoublePendulum::step_derivatives(&goal, &Vector::zeros(), &holds, h);
    let (mut a, mut b) =
        (SMatrix::<f64, { 2 * N }, { 2 * N }>::zeros(), SMatrix::<f64, { 2 * N }, N>::zeros());
    for (at, block) in [((0, 0), l.dq_dq), ((0, N), l.dq_dv), ((N, 0), l.dv_dq), ((N, N), l.dv_dv)] {
        a.fixed_view_mut::<N, N>(at.0, at.1).copy_from(&block);
    }
    b.fixed_view_mut::<N, N>(0, 0).copy_from(&l.dq_dtau);
    b.fixed_view_mut::<N, N>(N, 0).copy_from(&l.dv_dtau);
    // An error of 0.1 rad is as bad as a speed of 1 rad/s, or a torque of 1 N m.
    let state_cost = SMatrix::from_diagonal(&State::from_fn(|i, _| if i < N { 100.0 } else { 1.0 }));
    let gain = regulator(&a, &b, &state_cost, &SMatrix::identity());

    let (mut q, mut v) = (goal + Vector::from([0.3, -0.2]), Vector::<N>::zeros());
    let error = |q: &Vector<N>, v: &Vector<N>| {
        let e = DoublePendulum::difference(&goal, q);
        State::from_fn(|i, _| if i < N { e[i] } else { v[i - N] })
    };
    let (before, mut recording) = (error(&q, &v).amax(), Recording::default());
    for k in 0..2000 {
        recording.add(f64::from(k) * h, q.as_slice(), v.as_slice());
        let tau = holds - gain * error(&q, &v);
        let next = DoublePendulum::step(&q, &v, &tau, h);
        (q, v) = (next.q, next.v);
    }
    let after = error(&q, &v).amax();
    println!("{before:.1} rad from upright at first, {after:.1e} after four seconds under the regulator");
    assert!(after < 1e-3);
    recording.write("mpc_linearisation", "robots/double_pendulum.urdf", "")
}
