//! Differential dynamic programming with exact Hessians of the dynamics, against Gauss-Newton
//! (iLQR): `cargo run --release --example ddp`.
//!
//! An arm reaches, and four legs that hang from a fixed trunk swing, in half a second. Both methods
//! are one program for any robot with the option `step`: the backward pass with `step_hessian`, or with
//! `step_derivatives` alone. The dynamics enter second derivatives only as the Hessian of the next
//! state, weighted with the gradient of the value: blocks of n x n and no tensor.
//!
//! Far from the solution exact Hessians are often indefinite, and Gauss-Newton's steps go further.
//! The exact method therefore uses Gauss-Newton's steps until the gradient is a hundredth of its
//! first value, and wherever a Hessian is indefinite. From there on each iteration doubles the
//! correct digits.
//!
//! The program prints the gradient, iterations and time. It asserts that both methods end at the
//! same cost, the exact one in no more iterations. The legs hardly disturb one another, so
//! Gauss-Newton is as good for them; for the arm it is not.

use nalgebra::{SMatrix, SVector};
use rbd::linalg::{Cholesky, add_mul, add_tr_mul, mul, tr_mul};
use rbd::{DiscreteDynamics, InverseDynamics, Step, StepDerivatives, StepHessian};
use std::time::{Duration, Instant};

rbd::rbd_robot! {
    pub struct Iiwa14 { urdf: "robots/iiwa14.urdf", functions: [inverse_dynamics], step: semi_implicit }
}
rbd::rbd_robot! {
    pub struct HangingHyq { urdf: "robots/hyq.urdf", functions: [inverse_dynamics], step: semi_implicit }
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

/// States before and after all steps, and the steps' torques.
#[derive(Clone)]
struct Motion<const Q: usize, const N: usize> {
    states: Vec<Step<f64, Q, N>>,
    tau: Vec<Vector<N>>,
}

/// Change of a step's torques: `k + by_x[0] dq + by_x[1] dv`.
struct Gain<const N: usize> {
    k: Vector<N>,
    by_x: [Matrix<N>; 2],
}

/// The cost of a motion that is to end at rest at `goal`.
fn cost<R: DiscreteDynamics<Q, N>, const Q: usize, const N: usize>(
    motion: &Motion<Q, N>,
    goal: &Vector<Q>,
) -> f64 {
    let way = motion.tau.iter().zip(&motion.states);
    let way: f64 = way.map(|(u, x)| TORQUE * u.dot(u) + SPEED * x.v.dot(&x.v)).sum();
    let (q, v) = (R::difference(goal, &motion.states[STEPS].q), motion.states[STEPS].v);
    (STEP * way + GOAL * q.dot(&q) + REST * v.dot(&v)) / 2.0
}

/// The motion that gains make of another one, with `size` of their step.
fn roll_out<R: DiscreteDynamics<Q, N>, const Q: usize, const N: usize>(
    from: &Motion<Q, N>,
    gains: &[Gain<N>],
    size: f64,
) -> Motion<Q, N> {
    let mut to = from.clone();
    for t in 0..STEPS {
        let (was, now) = (from.states[t], to.states[t]);
        if let Some(Gain { k, by_x: [by_q, by_v] }) = gains.get(t) {
            let (dq, dv) = (R::difference(&was.q, &now.q), now.v - was.v);
            to.tau[t] = from.tau[t] + k * size + by_q * dq + by_v * dv;
        }
        to.states[t + 1] = R::step(&now.q, &now.v, &to.tau[t], STEP);
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

/// `a b + c d`.
fn sum<const N: usize>(a: &Matrix<N>, b: &Matrix<N>, c: &Matrix<N>, d: &Matrix<N>) -> Matrix<N> {
    let mut sum = mul(a, b);
    add_mul(c, d, &mut sum);
    sum
}

/// `a^T b + c^T d`.
fn tr_sum<const N: usize>(a: &Matrix<N>, b: &Matrix<N>, c: &Matrix<N>, d: &Matrix<N>) -> Matrix<N> {
    let mut sum = tr_mul(a, b);
    add_tr_mul(c, d, &mut sum);
    sum
}

/// Backward pass: gradient `p` and Hessian of the value by (q, v), in blocks, from the last step to the
/// first.
///
/// `None` if the Hessian by the torques, with `extra` on its diagonal, is not positive definite.
fn backward<R: DiscreteDynamics<Q, N>, const Q: usize, const N: usize>(
    motion: &Motion<Q, N>,
    goal: &Vector<Q>,
    exact: bool,
    extra: f64,
) -> Option<Backward<N>> {
    let (h, one) = (STEP, Matrix::<N>::identity());
    let end = &motion.states[STEPS];
    let by_end = R::difference_jacobians(goal, &end.q).dq1;
    let mut p = [by_end.tr_mul(&R::difference(goal, &end.q)) * GOAL, end.v * REST];
    // The block by v and q is the transposed one.
    let (mut pqq, mut pqv, mut pvv) = (by_end.tr_mul(&by_end) * GOAL, Matrix::<N>::zeros(), one * REST);
    let (mut d, mut second) = (StepDerivatives::zeros(), StepHessian::zeros());
    let mut found = Backward { gains: Vec::with_capacity(STEPS), gradient: 0.0, decrease: 0.0 };
    for (Step { q, v }, tau) in motion.states.iter().zip(&motion.tau).rev() {
        R::step_derivatives_into(q, v, tau, h, &mut d);
        if exact {
            R::step_hessian_into(q, v, tau, h, &p[0], &p[1], &mut second);
        }
        // Derivatives of q' and v' by q, v and the torques, and the value's Hessian times them.
        let (of_q, of_v) = ([&d.dq_dq, &d.dq_dv, &d.dq_dtau], [&d.dv_dq, &d.dv_dv, &d.dv_dtau]);
        let pvq = pqv.transpose();
        let w: [_; 3] =
            [0, 1, 2].map(|x| (sum(&pqq, of_q[x], &pqv, of_v[x]), sum(&pvq, of_q[x], &pvv, of_v[x])));
        let block = |x: usize, y: usize| tr_sum(of_q[x], &w[y].0, of_v[x], &w[y].1);
        let gradient = |x: usize| of_q[x].tr_mul(&p[0]) + of_v[x].tr_mul(&p[1]);
        let [gq, gv, gu] = [gradient(0), gradient(1) + v * (SPEED * h), gradient(2) + tau * (TORQUE * h)];
        let [mut qq, mut qv, mut vv] = [block(0, 0), block(0, 1), block(1, 1) + one * (SPEED * h)];
        let [mut uq, mut uv, mut uu] = [block(2, 0), block(2, 1), block(2, 2) + one * (TORQUE * h)];
        if exact {
            qq += second.dqdq;
            qv += second.dqdv;
            vv += second.dvdv;
            uq += second.dqdtau.transpose();
            uv += second.dvdtau.transpose();
            uu += second.dtaudtau;
        }
        let factors = Cholesky::new(&(uu + one * extra)).ok()?;
        let gain = Gain { k: -factors.solve(&gu), by_x: [-factors.solve(&uq), -factors.solve(&uv)] };
        let (k, [by_q, by_v]) = (&gain.k, &gain.by_x);
        let (uuk, uu_by_q, uu_by_v) = (uu * k + gu, mul(&uu, by_q) + uq, mul(&uu, by_v) + uv);
        p = [gq + by_q.tr_mul(&uuk) + uq.tr_mul(k), gv + by_v.tr_mul(&uuk) + uv.tr_mul(k)];
        pqq = qq + tr_sum(by_q, &uu_by_q, &uq, by_q);
        pqv = qv + tr_sum(by_q, &uu_by_v, &uq, by_v);
        pvv = vv + tr_sum(by_v, &uu_by_v, &uv, by_v);
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

fn optimise<R, const Q: usize, const N: usize>(goal: &Vector<Q>, exact: bool) -> Report
where
    R: InverseDynamics<Q, N> + DiscreteDynamics<Q, N>,
{
    // The robot is held against gravity at rest.
    let start = Step { q: R::neutral(), v: Vector::zeros() };
    let still = Motion { states: vec![start; STEPS + 1], tau: vec![R::gravity(&start.q); STEPS] };
    let mut motion = roll_out::<R, Q, N>(&still, &[], 1.0);
    let mut now = cost::<R, Q, N>(&motion, goal);
    let (mut extra, mut gradients, mut in_backward) = (0.0_f64, Vec::<f64>::new(), Duration::ZERO);
    let (begin, mut first) = (Instant::now(), None);
    while gradients.len() < 500 {
        let clock = Instant::now();
        let near = gradients.last().is_some_and(|g| *g < NEAR);
        let newton = if exact && near { backward::<R, Q, N>(&motion, goal, true, extra) } else { None };
        let step = newton.or_else(|| backward::<R, Q, N>(&motion, goal, false, extra));
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
            let tried = roll_out::<R, Q, N>(&motion, &step.gains, size);
            let value = cost::<R, Q, N>(&tried, goal);
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

fn compare<R, const Q: usize, const N: usize>(robot: &str, goal: &Vector<Q>)
where
    R: InverseDynamics<Q, N> + DiscreteDynamics<Q, N>,
{
    println!("{robot}, {N} joints, {STEPS} steps of {STEP} s");
    println!("  {:16} {:>10} {:>18} {:>14} {:>12}", "", "iterations", "cost", "a pass, us", "all, ms");
    let run = |name: &str, exact: bool| {
        let report = optimise::<R, Q, N>(goal, exact);
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
    compare::<Iiwa14, _, { Iiwa14::NV }>("iiwa14", &goal);
    // Hips forward, knees bent, every second leg the other way.
    let goal = Vector::from_fn(|k, _| [0.2, 0.7, -1.2][k % 3] * if k / 3 % 2 == 0 { 1.0 } else { -0.8 });
    compare::<HangingHyq, _, { HangingHyq::NV }>("hanging HyQ", &goal);
}
