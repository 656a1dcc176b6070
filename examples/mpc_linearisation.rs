//! Linear model of a step for MPC: `x' = A x + B u` about a state, from the derivatives of forward
//! dynamics.
//!
//! `cargo run --release --example mpc_linearisation`. From it the program computes a
//! linear-quadratic regulator that holds a double pendulum upright, and tries it on the nonlinear
//! model. The linearisation works for any robot, with quaternions too: the state's error is in the
//! tangent space of q. It asserts what it prints.

use nalgebra::{SMatrix, SVector};
use rbd::ForwardDynamicsDerivatives;

rbd::rbd_robot! {
    pub struct DoublePendulum {
        urdf: "robots/double_pendulum.urdf",
        functions: [inverse_dynamics, aba, aba_derivatives],
    }
}

const N: usize = DoublePendulum::NV;
type Vector<const N: usize> = SVector<f64, N>;
type State = Vector<{ 2 * N }>;

/// Blocks of A, for rows and columns (q, v), and of B, for one step of length h with the velocity
/// at its end: `v' = v + h ddq`, `q' = q + h v'`.
struct Linear<const NV: usize> {
    qq: SMatrix<f64, NV, NV>,
    qv: SMatrix<f64, NV, NV>,
    vq: SMatrix<f64, NV, NV>,
    vv: SMatrix<f64, NV, NV>,
    qu: SMatrix<f64, NV, NV>,
    vu: SMatrix<f64, NV, NV>,
}

fn linearise<R: ForwardDynamicsDerivatives<NQ, NV>, const NQ: usize, const NV: usize>(
    q: &Vector<NQ>,
    v: &Vector<NV>,
    tau: &Vector<NV>,
    h: f64,
) -> Linear<NV> {
    let d = R::aba_derivatives(q, v, tau);
    let one = SMatrix::<f64, NV, NV>::identity();
    let (vq, vv, vu) = (d.ddq_dq * h, one + d.ddq_dv * h, d.ddq_dtau * h);
    // For a vector space. With quaternions, the first term and the terms of v are derivatives of
    // `integrate`.
    Linear { qq: one + vq * h, qv: vv * h, vq, vv, qu: vu * h, vu }
}

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

fn main() {
    let h = 2e-3;
    let goal = Vector::from([std::f64::consts::PI, 0.0]);
    let holds = DoublePendulum::gravity(&goal);
    let l = linearise::<DoublePendulum, N, N>(&goal, &Vector::zeros(), &holds, h);
    let (mut a, mut b) =
        (SMatrix::<f64, { 2 * N }, { 2 * N }>::zeros(), SMatrix::<f64, { 2 * N }, N>::zeros());
    for (at, block) in [((0, 0), l.qq), ((0, N), l.qv), ((N, 0), l.vq), ((N, N), l.vv)] {
        a.fixed_view_mut::<N, N>(at.0, at.1).copy_from(&block);
    }
    b.fixed_view_mut::<N, N>(0, 0).copy_from(&l.qu);
    b.fixed_view_mut::<N, N>(N, 0).copy_from(&l.vu);
    // An error of 0.1 rad is as bad as a speed of 1 rad/s, or a torque of 1 N m.
    let state_cost = SMatrix::from_diagonal(&State::from_fn(|i, _| if i < N { 100.0 } else { 1.0 }));
    let gain = regulator(&a, &b, &state_cost, &SMatrix::identity());

    let (mut q, mut v) = (goal + Vector::from([0.3, -0.2]), Vector::<N>::zeros());
    let error = |q: &Vector<N>, v: &Vector<N>| {
        let e = DoublePendulum::difference(&goal, q);
        State::from_fn(|i, _| if i < N { e[i] } else { v[i - N] })
    };
    let before = error(&q, &v).amax();
    for _ in 0..2000 {
        let tau = holds - gain * error(&q, &v);
        v += DoublePendulum::aba(&q, &v, &tau) * h;
        q = DoublePendulum::integrate(&q, &(v * h));
    }
    let after = error(&q, &v).amax();
    println!("{before:.1} rad from upright at first, {after:.1e} after four seconds under the regulator");
    assert!(after < 1e-3);
}
