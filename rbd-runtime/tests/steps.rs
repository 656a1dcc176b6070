//! The discrete step of random trees of every joint kind: A, B and Hessians against dual numbers.
//!
//! Forward dynamics and its derivatives are the generic reference's.

use crate::common::{close, seeds, tries_all};
use nalgebra::{DMatrix, DVector};
use num_dual::{Dual64, HyperDual64};
use rbd_runtime::random::{Options, random_model, random_state};
use rbd_runtime::reference::{self, AbaDerivatives, Data};
use rbd_runtime::step::{
    self, Accelerations, Blocks, DerivativesOut, MOST_SCRATCH, MovingJoint, Scratch, State, StepRobot,
    Weighted, WeightedStep,
};
use rbd_runtime::{Integrator, JointKind, Model, Scalar};

/// Integrators, each with a step's time.
const INTEGRATORS: [(Integrator, f64); 5] = [
    (Integrator::SemiImplicit, 0.02),
    (Integrator::Explicit, -0.03),
    (Integrator::Rk4, 0.04),
    (Integrator::ImplicitDamping, 0.5),
    (Integrator::ImplicitDamping, -0.003),
];

/// A model as steps see it.
struct Reference<T: Scalar> {
    model: Model<T>,
    joints: Vec<MovingJoint>,
    damping: Vec<f64>,
    first: Option<AbaDerivatives<T>>,
    weighted: Vec<Vec<T>>,
}

impl<T: Scalar> Reference<T> {
    fn new(model: &Model<f64>) -> Self {
        let joint = |body: &rbd_runtime::model::Body<f64>| MovingJoint {
            kind: body.kind,
            idx_q: body.idx_q,
            idx_v: body.idx_v,
            nv: body.nv(),
        };
        let joints = model.bodies.iter().map(joint).collect();
        let damping = model.damping();
        Self { model: model.cast(), joints, damping, first: None, weighted: Vec::new() }
    }

    fn accelerations(&self) -> Accelerations<'_, T> {
        let first = self.first.as_ref().unwrap();
        let by = [&first.ddq_dq, &first.ddq_dv, &first.ddq_dtau].map(|matrix| matrix.as_slice());
        Accelerations { ddq: first.ddq.as_slice(), by }
    }
}

impl<T: Scalar> StepRobot<T> for Reference<T> {
    type Joints = std::vec::IntoIter<MovingJoint>;

    fn joints(&self) -> Self::Joints {
        self.joints.clone().into_iter()
    }

    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]) {
        self.model.integrate_into(q, u, out);
    }

    fn damping(&self, coordinate: usize) -> f64 {
        self.damping[coordinate]
    }

    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        ddq.copy_from_slice(self.model.aba(q, v, tau).as_slice());
    }

    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        self.first = Some(self.model.aba_derivatives(q, v, tau, None));
        self.accelerations()
    }

    fn aba_hessian(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
    ) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        self.first = Some(self.model.aba_derivatives(q, v, tau, None));
        let n = self.model.nv;
        let first = self.first.as_ref().unwrap();
        let data = &mut Data::new(&self.model);
        let second = reference::aba_second_derivatives(&self.model, data, q, v, tau, None);
        let lambda = DVector::from_column_slice(lambda);
        // Element [k][(i, j)] is the derivative of acceleration i by the first variable's j-th, then the
        // second one's k-th coordinate.
        let contracted = |pages: &[DMatrix<T>]| {
            let entry = |i: usize, k: usize| lambda.dot(&pages[k].column(i));
            DMatrix::from_fn(n, n, entry).as_slice().to_vec()
        };
        self.weighted = [&first.ddq_dq, &first.ddq_dv, &first.ddq_dtau]
            .map(|by| by.tr_mul(&lambda).as_slice().to_vec())
            .into_iter()
            .chain(
                [&second.d2ddq_dqdq, &second.d2ddq_dqdv, &second.d2ddq_dvdv, &second.d2ddq_dqdtau]
                    .map(|pages| contracted(pages)),
            )
            .collect();
        let [dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau] = &self.weighted[..] else { unreachable!() };
        (self.accelerations(), Weighted { gradients: [dq, dv, dtau], dqdq, dqdv, dvdv, dqdtau })
    }
}

/// Memory of steps.
struct Memory<T>([Vec<T>; 3]);

impl<T: Scalar> Memory<T> {
    fn new(model: &Model<f64>) -> Self {
        let [matrices, vectors, configurations] = MOST_SCRATCH;
        let (n, nq) = (model.nv, model.nq);
        Self([matrices * n * n, vectors * n, configurations * nq].map(|length| vec![T::zero(); length]))
    }

    fn scratch(&mut self) -> Scratch<'_, T> {
        let [matrices, vectors, configurations] = &mut self.0;
        Scratch { matrices, vectors, configurations }
    }
}

/// The next state.
fn next<T: Scalar>(
    model: &Model<f64>,
    integrator: Integrator,
    [q, v, tau]: [&[T]; 3],
    dt: f64,
) -> [Vec<T>; 2] {
    let (mut robot, mut memory) = (Reference::new(model), Memory::new(model));
    let (mut to_q, mut to_v) = (vec![T::zero(); q.len()], vec![T::zero(); v.len()]);
    let at = State { q, v, tau, dt: T::from_f64(dt) };
    step::step(&mut robot, integrator, &at, memory.scratch(), [&mut to_q, &mut to_v]);
    [to_q, to_v]
}

/// Random trees: every kind of joint with and without mimic joints, on the ground and afloat.
fn trees() -> Vec<Model<f64>> {
    let mut all = Vec::new();
    for seed in seeds(6) {
        for mimic in [0.0, 0.4] {
            let of = Options { mimic, ..Options::everything(4, seed % 2 == 0) };
            all.push(random_model(700 + 10 * seed + (mimic > 0.0) as u64, &of));
        }
    }
    for kind in [JointKind::Planar, JointKind::Spherical, JointKind::Floating, JointKind::Prismatic] {
        assert!(all.iter().any(|m| m.bodies.iter().skip(1).any(|b| b.kind == kind)), "{kind:?}");
    }
    all
}

/// Numbers with these derivatives by coordinate `i` of q, v and tau.
fn along<T: Scalar + From<f64>>(
    model: &Model<f64>,
    [q, v, tau]: [&[f64]; 3],
    moves: &[(usize, T)],
) -> [Vec<T>; 3] {
    let (n, cast) = (model.nv, |x: &[f64]| x.iter().map(|x| T::from_f64(*x)).collect::<Vec<T>>());
    let (wide, mut q, mut rest) = (model.cast::<T>(), cast(q), [cast(v), cast(tau)]);
    for (index, part) in moves {
        if *index < n {
            let mut motion = vec![T::zero(); n];
            motion[*index] = *part;
            q = wide.integrate(&q, &motion).as_slice().to_vec();
        } else {
            rest[index / n - 1][index % n] += *part;
        }
    }
    let [v, tau] = rest;
    [q, v, tau]
}

#[test]
fn derivatives_of_random_trees_agree_with_dual_numbers() {
    for model in trees() {
        let (n, x) = (model.nv, random_state(&model, 5));
        let state = [x.q.as_slice(), x.v.as_slice(), x.tau.as_slice()];
        for (integrator, dt) in INTEGRATORS {
            let (mut robot, mut memory) = (Reference::new(&model), Memory::new(&model));
            let (mut q, mut v) = (vec![0.0; model.nq], vec![0.0; n]);
            let mut blocks = [(); 6].map(|()| vec![f64::NAN; n * n]);
            let mut out =
                DerivativesOut { q: &mut q, v: &mut v, blocks: blocks.each_mut().map(Vec::as_mut_slice) };
            let at = State { q: state[0], v: state[1], tau: state[2], dt };
            step::step_derivatives(&mut robot, integrator, &at, memory.scratch(), &mut out);
            let [next_q, next_v] = next(&model, integrator, state, dt);
            close("q", &q, &next_q, 1e-13);
            close("v", &v, &next_v, 1e-13);
            let at: Vec<Dual64> = next_q.iter().map(|x| Dual64::from(*x)).collect();
            let wide = model.cast::<Dual64>();
            for j in 0..3 * n {
                let [q, v, tau] = along(&model, state, &[(j, Dual64::new(0.0, 1.0))]);
                let [next_q, next_v] = next(&model, integrator, [&q, &v, &tau], dt);
                let there = wide.difference(&at, &next_q);
                for (rows, by) in [there.as_slice(), &next_v].into_iter().enumerate() {
                    let expected: Vec<f64> = by.iter().map(|x| x.eps).collect();
                    let column = &blocks[3 * rows + j / n][n * (j % n)..][..n];
                    close(&format!("{integrator:?}, {rows}, {j}"), column, &expected, 1e-12);
                }
            }
        }
    }
}

#[test]
fn hessians_of_random_trees_agree_with_hyper_dual_numbers() {
    for model in trees().into_iter().step_by(if tries_all() { 2 } else { 4 }) {
        let (n, x) = (model.nv, random_state(&model, 6));
        let state = [x.q.as_slice(), x.v.as_slice(), x.tau.as_slice()];
        let (lambda_q, lambda_v) = (x.a.as_slice(), random_state(&model, 7).v);
        for (integrator, dt) in INTEGRATORS {
            let (mut robot, mut memory) = (Reference::new(&model), Memory::new(&model));
            let (mut value, mut gradients) = (f64::NAN, [(); 3].map(|()| vec![f64::NAN; n]));
            let mut blocks = [(); 6].map(|()| vec![f64::NAN; n * n]);
            let mut out = Blocks {
                value: &mut value,
                gradients: gradients.each_mut().map(Vec::as_mut_slice),
                blocks: blocks.each_mut().map(Vec::as_mut_slice),
            };
            let lambda_v = lambda_v.as_slice();
            let of = WeightedStep { q: state[0], v: state[1], tau: state[2], dt, lambda_q, lambda_v };
            step::step_hessian(&mut robot, integrator, &of, memory.scratch(), &mut out);
            let at = next(&model, integrator, state, dt)[0]
                .iter()
                .map(|x| HyperDual64::from(*x))
                .collect::<Vec<_>>();
            let wide = model.cast::<HyperDual64>();
            let weighted = |i: usize, j: usize| {
                // The second variable moves first.
                let (first, second) =
                    (HyperDual64::from(0.0).derivative1(), HyperDual64::from(0.0).derivative2());
                let [q, v, tau] = along(&model, state, &[(j, second), (i, first)]);
                let [next_q, next_v] = next(&model, integrator, [&q, &v, &tau], dt);
                let there = wide.difference(&at, &next_q);
                let sum = |x: &[HyperDual64], by: &[f64]| {
                    x.iter().zip(by).map(|(x, by)| *x * *by).sum::<HyperDual64>()
                };
                sum(there.as_slice(), lambda_q) + sum(&next_v, lambda_v)
            };
            // Solving with the mass matrix amplifies the rounding of its entries.
            let eigenvalues = model.crba(state[0]).symmetric_eigenvalues();
            let condition = eigenvalues.max() / eigenvalues.min();
            let limit = (n as f64 * f64::EPSILON * condition).max(1e-12);
            let largest = blocks.iter().flatten().fold(1.0, |most: f64, x| most.max(x.abs()));
            // Blocks by the pairs qq, qv, q tau, vv, v tau and tau tau.
            let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            // Some columns: all of them take minutes.
            for j in (0..n).step_by(3) {
                for ((first, second), block) in pairs.into_iter().zip(&blocks) {
                    let column: Vec<HyperDual64> =
                        (0..n).map(|i| weighted(first * n + i, second * n + j)).collect();
                    let expected: Vec<f64> = column.iter().map(|x| x.eps1eps2 / largest).collect();
                    let what = format!("{integrator:?}, {first} {second}, column {j}");
                    // Of the Hessian's largest entry, which products of first derivatives share.
                    let entries = block[n * j..][..n].iter().map(|x| x / largest);
                    close(&what, &entries.collect::<Vec<_>>(), &expected, limit);
                    let gradient: Vec<f64> = column.iter().map(|x| x.eps1).collect();
                    close(&what, &gradients[first], &gradient, 1e-12);
                }
            }
        }
    }
}

/// Joints of equal damping, which is part of the dynamics.
fn damped(model: &Model<f64>, damping: f64) -> Model<f64> {
    let mut model = model.clone();
    for body in model.bodies.iter_mut().filter(|body| body.joint != "root_joint") {
        body.damping = damping;
    }
    model
}

/// A step with implicit damping against its formula, solved by nalgebra.
#[test]
fn implicit_damping_is_its_formula() {
    for model in trees() {
        for (damping, dt, limit) in [(0.3, 0.1, 1e-13), (50.0, 0.1, 1e-11), (0.0, 0.1, 1e-13)] {
            let (model, x) = (damped(&model, damping), random_state(&model, 8));
            let (q, v, tau) = (x.q.as_slice(), &x.v, &x.tau);
            let [next_q, next_v] =
                next(&model, Integrator::ImplicitDamping, [q, v.as_slice(), tau.as_slice()], dt);
            let of_damping = DMatrix::from_diagonal(&DVector::from_vec(model.damping())) * dt;
            let m = model.crba(q) + of_damping;
            let force = tau - model.rnea(q, v.as_slice(), &vec![0.0; model.nv]);
            let expected = v + m.cholesky().unwrap().solve(&force) * dt;
            close("v", &next_v, expected.as_slice(), limit);
            close("q", &next_q, model.integrate(q, (expected * dt).as_slice()).as_slice(), limit);
        }
    }
}

/// Damping that explicit steps blow up with only stops the joints.
#[test]
fn implicit_damping_is_stable_where_explicit_steps_diverge() {
    for model in trees().into_iter().step_by(2) {
        let model = damped(&model, 100.0);
        let x = random_state(&model, 9);
        let speed = |integrator: Integrator| {
            let (mut q, mut v) = (x.q.as_slice().to_vec(), x.v.as_slice().to_vec());
            for _ in 0..40 {
                [q, v] = next(&model, integrator, [&q, &v, &vec![0.0; model.nv]], 0.05);
            }
            let joints =
                model.bodies.iter().filter(|body| body.joint != "root_joint" && body.mimic.is_none());
            let of = joints.flat_map(|body| v[body.idx_v..][..body.nv()].to_vec());
            of.fold(0.0, |most: f64, v| if v.is_finite() { most.max(v.abs()) } else { f64::INFINITY })
        };
        let (implicit, semi) = (speed(Integrator::ImplicitDamping), speed(Integrator::SemiImplicit));
        assert!(implicit < 5.0, "{implicit}");
        assert!(semi > 1e6, "{semi}");
    }
}
