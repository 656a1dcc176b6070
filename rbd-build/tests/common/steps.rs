//! Steps of the reference, by the runtime's own joining.

use nalgebra::DMatrix;
use rbd_runtime::random::State;
use rbd_runtime::reference::{self, Data};
use rbd_runtime::step::{
    self, Accelerations, Blocks, DerivativesOut, MOST_SCRATCH, MovingJoint, Scratch, StepRobot, Weighted,
    WeightedStep,
};
use rbd_runtime::{Integrator, Model};

pub const INTEGRATORS: [Integrator; 4] =
    [Integrator::SemiImplicit, Integrator::Explicit, Integrator::Rk4, Integrator::ImplicitDamping];

/// Accelerations and their derivatives at a configuration, a velocity and torques.
pub type Dynamics<'m> = dyn Fn(&[f64], &[f64], &[f64]) -> [Vec<f64>; 4] + 'm;

/// The reference as a robot that steps.
struct Reference<'m> {
    model: &'m Model<f64>,
    dynamics: &'m Dynamics<'m>,
    first: [Vec<f64>; 4],
    second: Vec<Vec<f64>>,
}

impl Reference<'_> {
    fn differentiate(&mut self, q: &[f64], v: &[f64], tau: &[f64]) {
        self.first = (self.dynamics)(q, v, tau);
    }
}

/// The model's own dynamics.
fn of_model(model: &Model<f64>) -> impl Fn(&[f64], &[f64], &[f64]) -> [Vec<f64>; 4] {
    |q, v, tau| {
        let d = model.aba_derivatives(q, v, tau, None);
        let [by_q, by_v, by_tau] = [d.ddq_dq, d.ddq_dv, d.ddq_dtau].map(|m| m.as_slice().to_vec());
        [d.ddq.as_slice().to_vec(), by_q, by_v, by_tau]
    }
}

fn accelerations([ddq, by_q, by_v, by_tau]: &[Vec<f64>; 4]) -> Accelerations<'_, f64> {
    Accelerations { ddq, by: [by_q, by_v, by_tau] }
}

impl StepRobot<f64> for Reference<'_> {
    type Joints = std::vec::IntoIter<MovingJoint>;

    fn joints(&self) -> Self::Joints {
        let joint = |b: &rbd_runtime::model::Body<f64>| MovingJoint {
            kind: b.kind,
            idx_q: b.idx_q,
            idx_v: b.idx_v,
            nv: b.nv(),
        };
        self.model.bodies.iter().map(joint).collect::<Vec<_>>().into_iter()
    }

    fn integrate(&self, q: &[f64], u: &[f64], out: &mut [f64]) {
        self.model.integrate_into(q, u, out);
    }

    fn damping(&self, coordinate: usize) -> f64 {
        self.model.damping()[coordinate]
    }

    fn aba(&mut self, q: &[f64], v: &[f64], tau: &[f64], ddq: &mut [f64]) {
        self.differentiate(q, v, tau);
        ddq.copy_from_slice(&self.first[0]);
    }

    fn aba_derivatives(&mut self, q: &[f64], v: &[f64], tau: &[f64]) -> Accelerations<'_, f64> {
        self.differentiate(q, v, tau);
        accelerations(&self.first)
    }

    fn aba_hessian(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        lambda: &[f64],
    ) -> (Accelerations<'_, f64>, Weighted<'_, f64>) {
        self.differentiate(q, v, tau);
        let n = self.model.nv;
        let of = reference::aba_second_derivatives(self.model, &mut Data::new(self.model), q, v, tau, None);
        let by = nalgebra::DVector::from_column_slice(lambda);
        let gradients = self.first[1..].iter();
        let gradients =
            gradients.map(|m| DMatrix::from_column_slice(n, n, m).tr_mul(&by).as_slice().to_vec());
        let tensors = [of.d2ddq_dqdq, of.d2ddq_dqdv, of.d2ddq_dvdv, of.d2ddq_dqdtau];
        let blocks = tensors.iter().map(|pages| {
            pages.iter().flat_map(|page| page.tr_mul(&by).as_slice().to_vec()).collect::<Vec<f64>>()
        });
        self.second = gradients.chain(blocks).collect();
        let [by_q, by_v, by_tau, dqdq, dqdv, dvdv, dqdtau] = &self.second[..] else { unreachable!() };
        let weighted = Weighted { gradients: [by_q, by_v, by_tau], dqdq, dqdv, dvdv, dqdtau };
        (accelerations(&self.first), weighted)
    }
}

/// A result: its name, and its numbers.
pub type Numbers = (&'static str, Vec<f64>);

/// Results of the three functions.
pub struct Expected {
    pub next: Vec<Numbers>,
    pub derivatives: Vec<Numbers>,
    #[allow(dead_code, reason = "not every target has Hessians")]
    pub hessian: Vec<Numbers>,
}

fn scratch(of: &mut [Vec<f64>; 3]) -> Scratch<'_, f64> {
    let [matrices, vectors, configurations] = of;
    Scratch { matrices, vectors, configurations }
}

pub fn expected(
    model: &Model<f64>,
    integrator: Integrator,
    State { q, v, tau, .. }: &State,
    dt: f64,
    [of_q, of_v]: [&[f64]; 2],
) -> Expected {
    let (nq, n) = (model.nq, model.nv);
    let [matrices, vectors, configurations] = MOST_SCRATCH;
    let work = &mut [vec![0.0; matrices * n * n], vec![0.0; vectors * n], vec![0.0; configurations * nq]];
    let dynamics = &of_model(model);
    let robot = &mut Reference { model, dynamics, first: Default::default(), second: Vec::new() };
    let [q, v, tau] = [q, v, tau].map(|x| x.as_slice());
    let at = step::State { q, v, tau, dt };
    let matrix = || vec![0.0; n * n];
    let (mut next_q, mut next_v) = (vec![0.0; nq], vec![0.0; n]);
    step::step(robot, integrator, &at, scratch(work), [&mut next_q, &mut next_v]);
    let next = vec![("q", next_q), ("v", next_v)];
    let derivatives = differentiated(robot, integrator, &at, work);
    let (mut value, mut gradients) = (0.0, [vec![0.0; n], vec![0.0; n], vec![0.0; n]]);
    let mut blocks: [Vec<f64>; 6] = std::array::from_fn(|_| matrix());
    let mut out = Blocks {
        value: &mut value,
        gradients: gradients.each_mut().map(|b| &mut b[..]),
        blocks: blocks.each_mut().map(|b| &mut b[..]),
    };
    let of = WeightedStep { q, v, tau, dt, lambda_q: of_q, lambda_v: of_v };
    step::step_hessian(robot, integrator, &of, scratch(work), &mut out);
    let of_gradients = ["dq", "dv", "dtau"].into_iter().zip(gradients);
    let names = ["dqdq", "dqdv", "dqdtau", "dvdv", "dvdtau", "dtaudtau"];
    let hessian =
        std::iter::once(("value", vec![value])).chain(of_gradients).chain(names.into_iter().zip(blocks));
    Expected { next, derivatives, hessian: hessian.collect() }
}

/// The next state and its derivatives.
fn differentiated(
    robot: &mut Reference<'_>,
    integrator: Integrator,
    at: &step::State<'_, f64>,
    work: &mut [Vec<f64>; 3],
) -> Vec<Numbers> {
    let (nq, n) = (robot.model.nq, robot.model.nv);
    let (mut q, mut v) = (vec![0.0; nq], vec![0.0; n]);
    let mut blocks: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; n * n]);
    let mut out = DerivativesOut { q: &mut q, v: &mut v, blocks: blocks.each_mut().map(|b| &mut b[..]) };
    step::step_derivatives(robot, integrator, at, scratch(work), &mut out);
    let names = ["dq_dq", "dq_dv", "dq_dtau", "dv_dq", "dv_dv", "dv_dtau"];
    [("q", q), ("v", v)].into_iter().chain(names.into_iter().zip(blocks)).collect()
}

/// The next state and its derivatives, of these accelerations and their derivatives.
#[allow(dead_code, reason = "not every target has contacts")]
pub fn on_accelerations(
    model: &Model<f64>,
    integrator: Integrator,
    State { q, v, tau, .. }: &State,
    dt: f64,
    dynamics: &Dynamics<'_>,
) -> Vec<Numbers> {
    let [matrices, vectors, configurations] = MOST_SCRATCH;
    let n = model.nv;
    let work =
        &mut [vec![0.0; matrices * n * n], vec![0.0; vectors * n], vec![0.0; configurations * model.nq]];
    let robot = &mut Reference { model, dynamics, first: Default::default(), second: Vec::new() };
    let [q, v, tau] = [q, v, tau].map(|x| x.as_slice());
    differentiated(robot, integrator, &step::State { q, v, tau, dt }, work)
}

pub fn weights(n: usize, first: f64) -> Vec<f64> {
    (0..n).map(|k| (first + 1.7 * k as f64).sin()).collect()
}

#[track_caller]
pub fn close(who: &str, found: &[f64], expected: &[f64], all: f64, tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{who}");
    let largest = expected.iter().fold(1e-6 * all, |m, x| m.max(x.abs()));
    for (found, expected) in found.iter().zip(expected) {
        // A NaN is not close.
        let error = (found - expected).abs() / largest;
        assert!(error < tolerance, "{who}: {found} and not {expected}, {error:.1e}");
    }
}
