//! Differential dynamic programming with exact Hessians of the dynamics, against Gauss-Newton
//! (iLQR): `cargo run --release --example ddp`.
//!
//! An arm reaches, and four legs that hang from a fixed trunk swing, in half a second. Both methods
//! are one program: the backward pass with `aba_hessian_with_first_into`, or with
//! `aba_derivatives_into` and no second derivatives. With `v' = v + h ddq`, `q' = q + h v'` the
//! dynamics enter second derivatives only as `lambda . ddq` with `lambda = h (V_v + h V_q)`: one
//! Hessian of n x n blocks and no tensor.
//!
//! Far from the solution exact Hessians are often indefinite, and Gauss-Newton's steps go further.
//! The exact method therefore uses Gauss-Newton's steps until the gradient is a hundredth of its
//! first value, and wherever a Hessian is indefinite. From there on each iteration doubles the
//! correct digits.
//!
//! The program prints the gradient, iterations and time. It asserts that both methods end at the
//! same cost, the exact one in no more iterations. The legs hardly disturb one another, so
//! Gauss-Newton is as good for them; for the arm it is not.

use nalgebra::{Cholesky, SMatrix, SVector};
use rbd::{AbaDerivatives, AbaHessian, ForwardDynamics, ForwardDynamicsDerivatives, InverseDynamics};
use std::time::{Duration, Instant};

rbd::rbd_robot! {
    pub struct Iiwa14 {
        urdf: "robots/iiwa14.urdf",
        functions: [inverse_dynamics, forward_dynamics, forward_dynamics_derivatives, aba_hessian],
    }
}
rbd::rbd_robot! {
    pub struct HangingHyq {
        urdf: "robots/hyq.urdf",
        base: fixed,
        functions: [inverse_dynamics, forward_dynamics, forward_dynamics_derivatives, aba_hessian],
    }
}

type Vector<const N: usize> = SVector<f64, N>;
type Matrix<const N: usize> = SMatrix<f64, N, N>;

/// Seconds of a step, and steps.
const STEP: f64 = 0.01;
const STEPS: usize = 50;
/// Weights of torques and velocities on the way, and of the error at the end.
const TORQUE: f64 = 1e-3;
const SPEED: f64 = 1e-2;
const REST: f64 = 1e2;
const GOAL: f64 = 1e3;
/// Gradient by the torques, relative to the first one, that ends the iterations.
const TOLERANCE: f64 = 1e-9;

/// Gradient from which on the Hessians are exact.
const NEAR: f64 = 1e-2;

/// `aba_hessian_with_first_into` of a robot: first derivatives of the accelerations and the Hessian
/// of their weighted sum.
type Both<const N: usize> =
    fn(&Vector<N>, &Vector<N>, &Vector<N>, &Vector<N>, &mut AbaDerivatives<f64, N>, &mut AbaHessian<f64, N>);

/// Optimisation problem: a robot whose joints all have one coordinate, and its target.
struct Task<const N: usize> {
    goal: Vector<N>,
    both: Both<N>,
}

/// States and torques of all steps.
#[derive(Clone)]
struct Motion<const N: usize> {
    q: Vec<Vector<N>>,
    v: Vec<Vector<N>>,
    tau: Vec<Vector<N>>,
}

/// Change of a step's torques: `k + by_q dq + by_v dv`.
struct Gain<const N: usize> {
    k: Vector<N>,
    by_q: Matrix<N>,
    by_v: Matrix<N>,
}

/// The cost of a motion that is to end at rest at `goal`.
fn cost<const N: usize>(motion: &Motion<N>, goal: &Vector<N>) -> f64 {
    let way: f64 = motion.tau.iter().zip(&motion.v).map(|(u, v)| TORQUE * u.dot(u) + SPEED * v.dot(v)).sum();
    let (q, v) = (motion.q[STEPS] - goal, motion.v[STEPS]);
    (STEP * way + GOAL * q.dot(&q) + REST * v.dot(&v)) / 2.0
}

/// The motion that gains make of another one, with `size` of their step.
fn roll_out<R: ForwardDynamics<N, N>, const N: usize>(
    from: &Motion<N>,
    gains: &[Gain<N>],
    size: f64,
) -> Motion<N> {
    let mut to = from.clone();
    for t in 0..STEPS {
        if let Some(gain) = gains.get(t) {
            let (dq, dv) = (to.q[t] - from.q[t], to.v[t] - from.v[t]);
            to.tau[t] = from.tau[t] + gain.k * size + gain.by_q * dq + gain.by_v * dv;
        }
        to.v[t + 1] = to.v[t] + R::aba(&to.q[t], &to.v[t], &to.tau[t]) * STEP;
        to.q[t + 1] = to.q[t] + to.v[t + 1] * STEP;
    }
    to
}

/// Result of a backward pass: gains, largest component of the gradient by the torques, and decrease
/// that the model expects of a full step.
struct Backward<const N: usize> {
    gains: Vec<Gain<N>>,
    gradient: f64,
    decrease: f64,
}

/// Backward pass: second derivatives of the value by (q, v) in blocks, and its gradient, from the
/// last step to the first.
///
/// `None` if the Hessian by the torques, with `extra` on its diagonal, is not positive definite.
fn backward<R: ForwardDynamicsDerivatives<N, N>, const N: usize>(
    motion: &Motion<N>,
    task: &Task<N>,
    exact: bool,
    extra: f64,
) -> Option<Backward<N>> {
    let (h, one) = (STEP, Matrix::<N>::identity());
    let (mut pq, mut pv) = ((motion.q[STEPS] - task.goal) * GOAL, motion.v[STEPS] * REST);
    let (mut pqq, mut pqv, mut pvv) = (one * GOAL, Matrix::<N>::zeros(), one * REST);
    let (mut first, mut second) = (AbaDerivatives::zeros(), AbaHessian::zeros());
    let mut found = Backward { gains: Vec::with_capacity(STEPS), gradient: 0.0, decrease: 0.0 };
    for t in (0..STEPS).rev() {
        let (q, v, tau) = (&motion.q[t], &motion.v[t], &motion.tau[t]);
        // By v', as q' = q + h v'.
        let by_next = pv + pq * h;
        if exact {
            (task.both)(q, v, tau, &(by_next * h), &mut first, &mut second);
        } else {
            R::aba_derivatives_into(q, v, tau, &mut first);
        }
        let wqv = pqv + pqq * h;
        let wvv = pvv + (pqv + pqv.transpose()) * h + pqq * (h * h);
        let (fq, fv, fu) = (first.ddq_dq * h, one + first.ddq_dv * h, first.ddq_dtau * h);
        let gq = pq + fq.tr_mul(&by_next);
        let gv = v * (SPEED * h) + fv.tr_mul(&by_next);
        let gu = tau * (TORQUE * h) + fu.tr_mul(&by_next);
        let (wfq, wfv, wfu) = (wvv * fq, wvv * fv, wvv * fu);
        let cross = wqv * fq;
        let mut qq = pqq + cross + cross.transpose() + fq.tr_mul(&wfq);
        let mut qv = wqv * fv + fq.tr_mul(&wfv);
        let mut vv = one * (SPEED * h) + fv.tr_mul(&wfv);
        let mut uq = fu.tr_mul(&wqv.transpose()) + fu.tr_mul(&wfq);
        let uv = fu.tr_mul(&wfv);
        let uu = one * (TORQUE * h) + fu.tr_mul(&wfu);
        if exact {
            qq += second.dqdq;
            qv += second.dqdv;
            vv += second.dvdv;
            uq += second.dqdtau.transpose();
        }
        let factors = Cholesky::new(uu + one * extra)?;
        let gain = Gain { k: -factors.solve(&gu), by_q: -factors.solve(&uq), by_v: -factors.solve(&uv) };
        let Gain { k, by_q, by_v } = &gain;
        let (uuk, uu_by_q, uu_by_v) = (uu * k + gu, uu * by_q + uq, uu * by_v + uv);
        pq = gq + by_q.tr_mul(&uuk) + uq.tr_mul(k);
        pv = gv + by_v.tr_mul(&uuk) + uv.tr_mul(k);
        pqq = qq + by_q.tr_mul(&uu_by_q) + uq.tr_mul(by_q);
        pqv = qv + by_q.tr_mul(&uu_by_v) + uq.tr_mul(by_v);
        pvv = vv + by_v.tr_mul(&uu_by_v) + uv.tr_mul(by_v);
        (pqq, pvv) = ((pqq + pqq.transpose()) * 0.5, (pvv + pvv.transpose()) * 0.5);
        found.gradient = found.gradient.max(gu.amax());
        found.decrease -= k.dot(&gu) + 0.5 * k.dot(&(uu * k));
        found.gains.push(gain);
    }
    found.gains.reverse();
    Some(found)
}

/// How it went.
struct Report {
    /// The gradient before each iteration, as a part of the first one.
    gradients: Vec<f64>,
    cost: f64,
    backward: Duration,
    total: Duration,
}

fn optimise<R, const N: usize>(task: &Task<N>, exact: bool) -> Report
where
    R: InverseDynamics<N, N> + ForwardDynamics<N, N> + ForwardDynamicsDerivatives<N, N>,
{
    let start = Vector::<N>::zeros();
    let rest = vec![Vector::zeros(); STEPS + 1];
    // The arm is held against gravity at rest.
    let still = Motion { q: vec![start; STEPS + 1], v: rest, tau: vec![R::gravity(&start); STEPS] };
    let mut motion = roll_out::<R, N>(&still, &[], 1.0);
    let mut now = cost(&motion, &task.goal);
    let (mut extra, mut gradients, mut in_backward) = (0.0_f64, Vec::<f64>::new(), Duration::ZERO);
    let (begin, mut first) = (Instant::now(), None);
    while gradients.len() < 500 {
        let clock = Instant::now();
        let near = gradients.last().is_some_and(|g| *g < NEAR);
        let newton = if exact && near { backward::<R, N>(&motion, task, true, extra) } else { None };
        let step = newton.or_else(|| backward::<R, N>(&motion, task, false, extra));
        in_backward += clock.elapsed();
        let Some(step) = step else {
            extra = (extra * 10.0).max(1e-8);
            continue;
        };
        let relative = step.gradient / *first.get_or_insert(step.gradient);
        gradients.push(relative);
        if relative < TOLERANCE {
            break;
        }
        let better = (0..12).map(|k| 0.5_f64.powi(k)).find_map(|size| {
            let tried = roll_out::<R, N>(&motion, &step.gains, size);
            let value = cost(&tried, &task.goal);
            let expected = step.decrease * size;
            (value < now - 1e-4 * expected || (expected.abs() < 1e-12 * now && value <= now * (1.0 + 1e-14)))
                .then_some((tried, value))
        });
        match better {
            Some((tried, value)) => {
                (motion, now) = (tried, value);
                extra = if extra > 1e-8 { extra / 10.0 } else { 0.0 };
            }
            None => extra = (extra * 10.0).max(1e-8),
        }
    }
    Report { gradients, cost: now, backward: in_backward, total: begin.elapsed() }
}

fn compare<R, const N: usize>(robot: &str, task: &Task<N>)
where
    R: InverseDynamics<N, N> + ForwardDynamics<N, N> + ForwardDynamicsDerivatives<N, N>,
{
    println!("{robot}, {N} joints, {STEPS} steps of {STEP} s");
    println!("  {:16} {:>10} {:>18} {:>14} {:>12}", "", "iterations", "cost", "a pass, us", "all, ms");
    let run = |name: &str, exact: bool| {
        let report = optimise::<R, N>(task, exact);
        let passes = report.gradients.len();
        println!(
            "  {name:16} {passes:>10} {:>18.10} {:>14.1} {:>12.2}",
            report.cost,
            report.backward.as_secs_f64() * 1e6 / passes as f64,
            report.total.as_secs_f64() * 1e3,
        );
        report
    };
    let newton = run("exact in the end", true);
    let gauss = run("Gauss-Newton", false);
    println!("  gradient, relative to the first one, before each iteration:");
    for (k, size) in newton.gradients.iter().enumerate() {
        let other = gauss.gradients.get(k).map_or_else(String::new, |x| format!("{x:.1e}"));
        println!("  {k:4} {:>10} {other:>10}", format!("{size:.1e}"));
    }
    println!();
    for report in [&newton, &gauss] {
        assert!(report.gradients.last().is_some_and(|g| *g < TOLERANCE), "{robot} does not converge");
    }
    assert!((newton.cost - gauss.cost).abs() < 1e-9 * gauss.cost, "{robot} ends elsewhere");
    assert!(newton.gradients.len() <= gauss.gradients.len(), "{robot}: more iterations");
}

fn main() {
    let goal = Vector::from([0.8, 0.9, -0.6, -1.2, 0.5, 0.7, 1.0]);
    compare::<Iiwa14, _>("iiwa14", &Task { goal, both: Iiwa14::aba_hessian_with_first_into });
    // Hips forward, knees bent, every second leg the other way.
    let goal = Vector::from_fn(|k, _| [0.2, 0.7, -1.2][k % 3] * if k / 3 % 2 == 0 { 1.0 } else { -0.8 });
    compare::<HangingHyq, _>("hanging HyQ", &Task { goal, both: HangingHyq::aba_hessian_with_first_into });
}
