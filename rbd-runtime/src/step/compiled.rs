//! Steps of robots that are compiled: their functions and sizes are known to the compiler.

use super::damped::{Damped, Order, solve_of};
use super::{
    Accelerations, Blocks, DerivativesOut, DiscreteDynamics, Integrator, MovingJoint, Scratch, State, Step,
    StepDerivatives, StepHessian, StepRobot, Weighted, WeightedStep, euler, in_place,
};
use crate::dispatch::Recast;
use crate::{AbaDerivatives, AbaHessian, Joint, Mechanism, Scalar, linalg};
use core::marker::PhantomData;
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Forward dynamics of a compiled robot, with constant inertia and gravity or given ones.
pub(super) trait Source<T: Scalar, const NQ: usize, const NV: usize> {
    /// The robot.
    type Robot: DiscreteDynamics<NQ, NV> + ?Sized;

    fn aba(&self, q: &SVector<T, NQ>, v: &SVector<T, NV>, tau: &SVector<T, NV>) -> SVector<T, NV>;

    /// Writes accelerations and their derivatives by the torques.
    fn aba_by_torques(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    );

    fn aba_derivatives(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    );

    fn aba_hessian(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        lambda: &SVector<T, NV>,
        first: &mut AbaDerivatives<T, NV>,
        out: &mut AbaHessian<T, NV>,
    );
}

/// A robot's functions without parameters.
pub(super) struct Own<R: ?Sized>(pub(super) PhantomData<fn() -> R>);

/// Implements [`Source`] by four functions of a robot, which take arguments of the source's before their own.
macro_rules! source {
    (
        $source:ty where R: $robot:ident, $this:ident: ($($given:expr,)?),
        $aba:ident, $by_torques:ident, $derivatives:ident, $hessian:ident
    ) => {
        impl<R, T: Scalar, const NQ: usize, const NV: usize> Source<T, NQ, NV> for $source
        where
            R: $robot<NQ, NV> + ?Sized,
        {
            type Robot = R;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn aba(
                &$this,
                q: &SVector<T, NQ>,
                v: &SVector<T, NV>,
                tau: &SVector<T, NV>,
            ) -> SVector<T, NV> {
                R::$aba($($given,)? q, v, tau)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn aba_by_torques(
                &$this,
                q: &SVector<T, NQ>,
                v: &SVector<T, NV>,
                tau: &SVector<T, NV>,
                out: &mut AbaDerivatives<T, NV>,
            ) {
                R::$by_torques($($given,)? q, v, tau, out);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn aba_derivatives(
                &$this,
                q: &SVector<T, NQ>,
                v: &SVector<T, NV>,
                tau: &SVector<T, NV>,
                out: &mut AbaDerivatives<T, NV>,
            ) {
                R::$derivatives($($given,)? q, v, tau, out);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn aba_hessian(
                &$this,
                q: &SVector<T, NQ>,
                v: &SVector<T, NV>,
                tau: &SVector<T, NV>,
                lambda: &SVector<T, NV>,
                first: &mut AbaDerivatives<T, NV>,
                out: &mut AbaHessian<T, NV>,
            ) {
                R::$hessian($($given,)? q, v, tau, lambda, first, out);
            }
        }
    };
}
pub(super) use source;

source!(
    Own<R> where R: DiscreteDynamics, self: (),
    aba, accelerations_by_torques, aba_derivatives_into, weighted_accelerations
);

/// A robot, with memory for the results of its functions.
struct Compiled<'m, S, T, const NQ: usize, const NV: usize> {
    source: S,
    first: Option<&'m mut AbaDerivatives<T, NV>>,
    second: Option<&'m mut AbaHessian<T, NV>>,
}

/// Iterator over the joints of a compiled robot.
#[derive(Clone)]
pub(super) struct Joints(core::slice::Iter<'static, Joint>);

impl Joints {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of(joints: &'static [Joint]) -> Self {
        Self(joints.iter())
    }
}

impl Iterator for Joints {
    type Item = MovingJoint;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&mut self) -> Option<MovingJoint> {
        let joint = self.0.next()?;
        Some(MovingJoint { kind: joint.kind, idx_q: joint.idx_q, idx_v: joint.idx_v, nv: joint.nv })
    }
}

/// The joints of a robot.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn joints<R: DiscreteDynamics<NQ, NV> + ?Sized, const NQ: usize, const NV: usize>() -> Joints {
    Joints::of(R::JOINTS)
}

/// Calls a function of `linalg` with matrices of `N` rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn with_squares<T: Scalar, const N: usize>(
    to: &mut [T],
    a: &[T],
    b: &[T],
    f: fn(&SMatrix<T, N, N>, &SMatrix<T, N, N>, &mut SMatrix<T, N, N>),
) {
    let as_matrix = Recast::<T, T>::identity();
    let (Some(a), Some(b)) = (as_matrix.matrix_of::<N, N>(a), as_matrix.matrix_of::<N, N>(b)) else { return };
    if let Some(to) = as_matrix.matrix_of_mut::<N, N>(to) {
        f(a, b, to);
    }
}

/// The vector of these numbers.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn vector<T: Scalar, const N: usize>(x: &[T]) -> SVector<T, N> {
    SVector::from_data(ArrayStorage([x.first_chunk().copied().unwrap_or([T::zero(); N])]))
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn accelerations<T: Scalar, const NV: usize>(of: &AbaDerivatives<T, NV>) -> Accelerations<'_, T> {
    let by = [&of.ddq_dq, &of.ddq_dv, &of.ddq_dtau].map(|by| by.data.0.as_flattened());
    Accelerations { ddq: of.ddq.data.0.as_flattened(), by }
}

/// Empty results, of a robot that was not given memory for them.
pub(super) const fn nothing<'a, T>() -> Accelerations<'a, T> {
    Accelerations { ddq: &[], by: [&[], &[], &[]] }
}

impl<S, T: Scalar, const NQ: usize, const NV: usize> StepRobot<T> for Compiled<'_, S, T, NQ, NV>
where
    S: Source<T, NQ, NV>,
{
    type Joints = Joints;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn joints(&self) -> Joints {
        joints::<S::Robot, NQ, NV>()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]) {
        super::arithmetic::copy(out, &S::Robot::integrate(&vector(q), &vector(u)).data.0[0]);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add_product(to: &mut [T], a: &[T], b: &[T], _: usize) {
        with_squares::<T, NV>(to, a, b, linalg::add_mul);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add_transposed_product(to: &mut [T], a: &[T], b: &[T], _: usize) {
        with_squares::<T, NV>(to, a, b, linalg::add_tr_mul);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn damping(&self, coordinate: usize) -> f64 {
        S::Robot::DAMPING.get(coordinate).copied().unwrap_or_default()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn solve_damped(&self, matrix: &mut [T], x: &mut [T], _: &mut [T], inverts: bool) {
        solve_of::<T, NV>(matrix, x, S::Robot::DAMPING, inverts);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        super::arithmetic::copy(ddq, &self.source.aba(&vector(q), &vector(v), &vector(tau)).data.0[0]);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_by_torques(&mut self, q: &[T], v: &[T], tau: &[T]) -> [&[T]; 2] {
        let Some(first) = self.first.as_deref_mut() else { return [&[], &[]] };
        self.source.aba_by_torques(&vector(q), &vector(v), &vector(tau), first);
        [first.ddq.data.0.as_flattened(), first.ddq_dtau.data.0.as_flattened()]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        let Some(first) = self.first.as_deref_mut() else { return nothing() };
        self.source.aba_derivatives(&vector(q), &vector(v), &vector(tau), first);
        accelerations(first)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_hessian(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
    ) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        let (Some(first), Some(second)) = (self.first.as_deref_mut(), self.second.as_deref_mut()) else {
            return (nothing(), Weighted::nothing());
        };
        let (v, tau, lambda) = (vector(v), vector(tau), vector(lambda));
        self.source.aba_hessian(&vector(q), &v, &tau, &lambda, first, second);
        let gradients = [&second.dq, &second.dv, &second.dtau].map(|of| of.data.0.as_flattened());
        let [dqdq, dqdv, dvdv, dqdtau] =
            [&second.dqdq, &second.dqdv, &second.dvdv, &second.dqdtau].map(|of| of.data.0.as_flattened());
        (accelerations(first), Weighted { gradients, dqdq, dqdv, dvdv, dqdtau })
    }
}

/// Memory for so many matrices, vectors of velocities and configurations.
struct Memory<T, const NQ: usize, const NV: usize, const M: usize, const V: usize, const Q: usize> {
    matrices: [[[T; NV]; NV]; M],
    vectors: [[T; NV]; V],
    configurations: [[T; NQ]; Q],
}

impl<T: Scalar, const NQ: usize, const NV: usize, const M: usize, const V: usize, const Q: usize>
    Memory<T, NQ, NV, M, V, Q>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new() -> Self {
        Self {
            matrices: [[[T::zero(); NV]; NV]; M],
            vectors: [[T::zero(); NV]; V],
            configurations: [[T::zero(); NQ]; Q],
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scratch(&mut self) -> Scratch<'_, T> {
        Scratch {
            matrices: self.matrices.as_flattened_mut().as_flattened_mut(),
            vectors: self.vectors.as_flattened_mut(),
            configurations: self.configurations.as_flattened_mut(),
        }
    }
}

/// A step of a robot of known size, with the memory that its integrator takes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn step_of<R: StepRobot<T>, T: Scalar, const NQ: usize, const NV: usize>(
    robot: &mut R,
    integrator: Integrator,
    at: &State<'_, T>,
    to: [&mut [T]; 2],
) {
    match integrator {
        Integrator::Rk4 => {
            let mut memory = Memory::<T, NQ, NV, 0, 6, 1>::new();
            super::step(robot, integrator, at, memory.scratch(), to);
        }
        Integrator::ImplicitDamping => {
            let mut memory = Memory::<T, NQ, NV, 1, 5, 0>::new();
            super::step(robot, integrator, at, memory.scratch(), to);
        }
        _ => {
            let mut memory = Memory::<T, NQ, NV, 0, 2, 0>::new();
            super::step(robot, integrator, at, memory.scratch(), to);
        }
    }
}

/// [`step_of`] with derivatives, by `rk4` or implicit damping: Euler's are [`euler::derivatives_from`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn derivatives_of<D, R: StepRobot<T>, T: Scalar, const NQ: usize, const NV: usize>(
    robot: &mut R,
    (q, v, tau): (&SVector<T, NQ>, &SVector<T, NV>, &SVector<T, NV>),
    dt: T,
    out: &mut StepDerivatives<T, NQ, NV>,
) where
    D: DiscreteDynamics<NQ, NV> + ?Sized,
{
    let at = State { q: &q.data.0[0], v: &v.data.0[0], tau: &tau.data.0[0], dt };
    if D::INTEGRATOR == Integrator::Rk4 {
        let mut memory = Memory::<T, NQ, NV, 21, 6, 1>::new();
        return super::step_derivatives(
            robot,
            Integrator::Rk4,
            &at,
            memory.scratch(),
            &mut DerivativesOut::of(out),
        );
    }
    let mut memory = Memory::<T, NQ, NV, 1, 3, 0>::new();
    let AbaDerivatives { ddq, ddq_dq, ddq_dv, ddq_dtau } = out.as_accelerations();
    let by = [ddq_dq, ddq_dv, ddq_dtau].map(|by| by.data.0.as_flattened_mut());
    let mut damped = Damped::new(robot, dt, Order::Derivatives, by, (NV, &mut memory.scratch()));
    *ddq = vector(damped.aba_derivatives(at.q, at.v, at.tau).ddq);
    euler::derivatives_from::<D, T, NQ, NV>((q, v), dt, None, out);
}

pub(super) fn step<S, T: Scalar, const NQ: usize, const NV: usize>(
    source: S,
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    dt: T,
) -> Step<T, NQ, NV>
where
    S: Source<T, NQ, NV>,
{
    let mut out = Step::zeros();
    let to = [out.q.data.0.as_flattened_mut(), out.v.data.0.as_flattened_mut()];
    let at = State { q: &q.data.0[0], v: &v.data.0[0], tau: &tau.data.0[0], dt };
    let integrator = S::Robot::INTEGRATOR;
    let robot = Compiled { source, first: None, second: None };
    if integrator == Integrator::ImplicitDamping {
        let mut first = AbaDerivatives::zeros();
        let robot = &mut Compiled { first: Some(&mut first), ..robot };
        step_of::<_, _, NQ, NV>(robot, integrator, &at, to);
    } else {
        step_of::<_, _, NQ, NV>(&mut { robot }, integrator, &at, to);
    }
    out
}

pub(super) fn derivatives<S, T: Scalar, const NQ: usize, const NV: usize>(
    source: S,
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    dt: T,
    out: &mut StepDerivatives<T, NQ, NV>,
) where
    S: Source<T, NQ, NV>,
{
    if matches!(S::Robot::INTEGRATOR, Integrator::SemiImplicit | Integrator::Explicit) {
        let first = out.as_accelerations();
        in_place::clear::<S::Robot, T, NQ, NV>(first);
        source.aba_derivatives(q, v, tau, first);
        return euler::derivatives_from::<S::Robot, T, NQ, NV>((q, v), dt, None, out);
    }
    let mut first = AbaDerivatives::zeros();
    let robot = &mut Compiled { source, first: Some(&mut first), second: None };
    derivatives_of::<S::Robot, _, _, NQ, NV>(robot, (q, v, tau), dt, out);
}

pub(super) fn hessian<S, T: Scalar, const NQ: usize, const NV: usize>(
    source: S,
    q: &SVector<T, NQ>,
    [v, tau]: [&SVector<T, NV>; 2],
    dt: T,
    [lambda_q, lambda_v]: [&SVector<T, NV>; 2],
    out: &mut StepHessian<T, NV>,
) where
    S: Source<T, NQ, NV>,
{
    let StepHessian { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau, dvdtau, dtaudtau } = out;
    let gradients = [dq, dv, dtau].map(|of| of.data.0.as_flattened_mut());
    let blocks = [dqdq, dqdv, dqdtau, dvdv, dvdtau, dtaudtau].map(|of| of.data.0.as_flattened_mut());
    let mut out = Blocks { value, gradients, blocks };
    let [v, tau, lambda_q, lambda_v] = [v, tau, lambda_q, lambda_v].map(|x| x.data.0.as_flattened());
    let of = WeightedStep { q: &q.data.0[0], v, tau, dt, lambda_q, lambda_v };
    let (mut first, mut second) = (AbaDerivatives::zeros(), AbaHessian::zeros());
    let robot = &mut Compiled { source, first: Some(&mut first), second: Some(&mut second) };
    match S::Robot::INTEGRATOR {
        Integrator::Rk4 => {
            let mut memory = Memory::<T, NQ, NV, 41, 21, 3>::new();
            super::step_hessian(robot, S::Robot::INTEGRATOR, &of, memory.scratch(), &mut out);
        }
        Integrator::ImplicitDamping => {
            let mut memory = Memory::<T, NQ, NV, 12, 10, 1>::new();
            super::step_hessian(robot, S::Robot::INTEGRATOR, &of, memory.scratch(), &mut out);
        }
        _ => {
            let mut memory = Memory::<T, NQ, NV, 3, 6, 1>::new();
            super::step_hessian(robot, S::Robot::INTEGRATOR, &of, memory.scratch(), &mut out);
        }
    }
}
