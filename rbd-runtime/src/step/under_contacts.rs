//! A robot whose contacts hold, as the integrators see it: with constant inertia and gravity or given ones.

use super::compiled::{Joints, Own, derivatives_of, joints, nothing, step_of, vector, with_squares};
use super::damped::solve_of;
use super::{
    Accelerations, ContactStep, ContactStepDerivatives, ContactSteps, ContactStepsWithParameters,
    DiscreteDynamics, Integrator, State, StepRobot, Weighted, euler,
};
use crate::__private::zeros;
use crate::contact::{ContactDynamics, ContactDynamicsDerivatives};
use crate::{ContactSettings, HasParameters, Mechanism, Scalar, linalg};
use nalgebra::{SMatrix, SVector};

/// Dynamics under contacts, with constant inertia and gravity or given ones.
pub(super) trait Source<T: Scalar, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> {
    /// The robot.
    type Robot: ContactSteps<NQ, NV, NC, NR> + ?Sized;

    fn dynamics(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactDynamics<T, NV, NR>;

    fn derivatives(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        out: &mut ContactDynamicsDerivatives<T, NV, NR>,
    );
}

/// A robot with these parameters.
pub(super) struct Given<'p, R: HasParameters + ?Sized, T: Scalar>(pub(super) &'p R::Parameters<T>);

/// Implements [`Source`] by two functions of a robot, which take arguments of the source's before their own.
macro_rules! source {
    ($source:ty where R: $robot:ident, $this:ident: ($($given:expr,)?), $dynamics:ident, $derivatives:ident) => {
        impl<R, T: Scalar, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
            Source<T, NQ, NV, NC, NR> for $source
        where
            R: $robot<NQ, NV, NC, NR> + ?Sized,
        {
            type Robot = R;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn dynamics(
                &$this,
                q: &SVector<T, NQ>,
                v: &SVector<T, NV>,
                tau: &SVector<T, NV>,
                active: &[bool; NC],
                settings: &ContactSettings<T, NC>,
            ) -> ContactDynamics<T, NV, NR> {
                R::$dynamics($($given,)? q, v, tau, active, settings)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn derivatives(
                &$this,
                q: &SVector<T, NQ>,
                v: &SVector<T, NV>,
                tau: &SVector<T, NV>,
                active: &[bool; NC],
                settings: &ContactSettings<T, NC>,
                out: &mut ContactDynamicsDerivatives<T, NV, NR>,
            ) {
                R::$derivatives($($given,)? q, v, tau, active, settings, out);
            }
        }
    };
}
source!(Own<R> where R: ContactSteps, self: (), contact_dynamics, contact_dynamics_derivatives_into);
source!(
    Given<'_, R, T> where R: ContactStepsWithParameters, self: (self.0,),
    contact_dynamics_with, contact_dynamics_derivatives_with_into
);

/// A state with its torques.
pub(super) type At<'a, T, const NQ: usize, const NV: usize> =
    (&'a SVector<T, NQ>, &'a SVector<T, NV>, &'a SVector<T, NV>);

/// [`ContactSteps::contact_step`] of any source.
pub(super) fn step_under_contacts<
    S,
    T: Scalar,
    const NQ: usize,
    const NV: usize,
    const NC: usize,
    const NR: usize,
>(
    source: S,
    (q, v, tau): At<'_, T, NQ, NV>,
    dt: T,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
) -> ContactStep<T, NQ, NV, NR>
where
    S: Source<T, NQ, NV, NC, NR>,
{
    let mut out = ContactStep::zeros();
    let to = [out.q.data.0.as_flattened_mut(), out.v.data.0.as_flattened_mut()];
    let at = State { q: &q.data.0[0], v: &v.data.0[0], tau: &tau.data.0[0], dt };
    let robot = UnderContacts::new(&source, active, settings);
    if S::Robot::INTEGRATOR == Integrator::ImplicitDamping {
        let mut found = ContactDynamicsDerivatives::zeros();
        let robot = &mut UnderContacts { later: Some(&mut found), ..robot };
        step_of::<_, _, NQ, NV>(robot, S::Robot::INTEGRATOR, &at, to);
        let mut tau = *tau;
        for (tau, damping, gained) in each(&mut tau, S::Robot::DAMPING, &(out.v - v)) {
            *tau -= damping * gained;
        }
        out.dynamics = source.dynamics(q, v, &tau, active, settings);
    } else {
        let robot = &mut UnderContacts { begins: Some(&mut out.dynamics), ..robot };
        step_of::<_, _, NQ, NV>(robot, S::Robot::INTEGRATOR, &at, to);
    }
    out
}

/// [`ContactSteps::contact_step_derivatives_into`] of any source.
pub(super) fn derivatives_under_contacts<
    S,
    T: Scalar,
    const NQ: usize,
    const NV: usize,
    const NC: usize,
    const NR: usize,
>(
    source: S,
    (q, v, tau): At<'_, T, NQ, NV>,
    dt: T,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    out: &mut ContactStepDerivatives<T, NQ, NV, NR>,
) where
    S: Source<T, NQ, NV, NC, NR>,
{
    let ContactStepDerivatives { step, dynamics } = out;
    let integrator = S::Robot::INTEGRATOR;
    if matches!(integrator, Integrator::SemiImplicit | Integrator::Explicit) {
        source.derivatives(q, v, tau, active, settings, dynamics);
        let found = Some((&dynamics.ddq, [&dynamics.ddq_dq, &dynamics.ddq_dv, &dynamics.ddq_dtau]));
        return euler::derivatives_from::<S::Robot, T, NQ, NV>((q, v), dt, found, step);
    }
    let robot = UnderContacts { first: Some(dynamics), ..UnderContacts::new(&source, active, settings) };
    let mut later = ContactDynamicsDerivatives::zeros();
    let robot = &mut UnderContacts { later: Some(&mut later), ..robot };
    derivatives_of::<S::Robot, _, _, NQ, NV>(robot, (q, v, tau), dt, step);
    if integrator == Integrator::ImplicitDamping {
        along_torques(S::Robot::DAMPING, out);
    }
}

/// Each number of a vector, with the damping of its coordinate and a number of another vector.
fn each<'a, T: Scalar, const NV: usize>(
    x: &'a mut SVector<T, NV>,
    damping: &'a [f64],
    of: &'a SVector<T, NV>,
) -> impl Iterator<Item = (&'a mut T, T, T)> {
    let damping = damping.iter().map(|d| T::from_f64(*d));
    x.iter_mut().zip(damping).zip(of.iter()).map(|((x, d), of)| (x, d, *of))
}

/// Derivatives at fixed torques become those of a step with implicit damping, whose torques
/// `tau - D (v+ - v)` move with it.
fn along_torques<T: Scalar, const NQ: usize, const NV: usize, const NR: usize>(
    damping: &[f64],
    out: &mut ContactStepDerivatives<T, NQ, NV, NR>,
) {
    let (step, of) = (&out.step, &mut out.dynamics);
    // Derivatives of those torques.
    let by = |gained: &SMatrix<T, NV, NV>, own: T, velocity: T| {
        let mut by = zeros::<T, NV, NV>();
        for (j, (to, gained)) in by.data.0.iter_mut().zip(&gained.data.0).enumerate() {
            for (i, ((to, gained), d)) in to.iter_mut().zip(gained).zip(damping).enumerate() {
                let is_own = i == j;
                let gained = if is_own { *gained - velocity } else { *gained };
                *to = if is_own { own } else { T::zero() } - T::from_f64(*d) * gained;
            }
        }
        by
    };
    let by_q = by(&step.dv_dq, T::zero(), T::zero());
    let by_v = by(&step.dv_dv, T::zero(), T::one());
    let by_tau = by(&step.dv_dtau, T::one(), T::zero());
    linalg::add_mul(&of.forces_dtau, &by_q, &mut of.forces_dq);
    linalg::add_mul(&of.forces_dtau, &by_v, &mut of.forces_dv);
    of.forces_dtau = linalg::mul(&of.forces_dtau, &by_tau);
    linalg::add_mul(&of.ddq_dtau, &by_q, &mut of.ddq_dq);
    linalg::add_mul(&of.ddq_dtau, &by_v, &mut of.ddq_dv);
    of.ddq_dtau = linalg::mul(&of.ddq_dtau, &by_tau);
}

/// A robot whose contacts hold, with memory for results.
struct UnderContacts<'m, S, T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> {
    source: &'m S,
    active: &'m [bool; NC],
    settings: &'m ContactSettings<T, NC>,
    /// Accelerations and forces of the first call go here.
    begins: Option<&'m mut ContactDynamics<T, NV, NR>>,
    /// Derivatives of the first call go here, and those of later calls to `later`.
    first: Option<&'m mut ContactDynamicsDerivatives<T, NV, NR>>,
    later: Option<&'m mut ContactDynamicsDerivatives<T, NV, NR>>,
}

impl<'m, S, T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
    UnderContacts<'m, S, T, NQ, NV, NC, NR>
{
    fn new(source: &'m S, active: &'m [bool; NC], settings: &'m ContactSettings<T, NC>) -> Self {
        Self { source, active, settings, begins: None, first: None, later: None }
    }
}

fn accelerations<T: Scalar, const NV: usize, const NR: usize>(
    of: &ContactDynamicsDerivatives<T, NV, NR>,
) -> Accelerations<'_, T> {
    let by = [&of.ddq_dq, &of.ddq_dv, &of.ddq_dtau].map(|by| by.data.0.as_flattened());
    Accelerations { ddq: of.ddq.data.0.as_flattened(), by }
}

impl<S, T: Scalar, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> StepRobot<T>
    for UnderContacts<'_, S, T, NQ, NV, NC, NR>
where
    S: Source<T, NQ, NV, NC, NR>,
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
        let (q, v, tau) = (vector(q), vector(v), vector(tau));
        let found = self.source.dynamics(&q, &v, &tau, self.active, self.settings);
        super::arithmetic::copy(ddq, &found.ddq.data.0[0]);
        if let Some(begins) = self.begins.take() {
            *begins = found;
        }
    }

    /// The results do not belong to the step: torques are found by them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_by_torques(&mut self, q: &[T], v: &[T], tau: &[T]) -> [&[T]; 2] {
        let Some(to) = self.later.as_deref_mut() else { return [&[], &[]] };
        let (q, v, tau) = (vector(q), vector(v), vector(tau));
        self.source.derivatives(&q, &v, &tau, self.active, self.settings, to);
        [to.ddq.data.0.as_flattened(), to.ddq_dtau.data.0.as_flattened()]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        let Some(to) = self.first.take().or(self.later.as_deref_mut()) else { return nothing() };
        let (q, v, tau) = (vector(q), vector(v), vector(tau));
        self.source.derivatives(&q, &v, &tau, self.active, self.settings, to);
        accelerations(to)
    }

    /// No second derivatives: no step under contacts asks for them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_hessian(&mut self, _: &[T], _: &[T], _: &[T], _: &[T]) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        (nothing(), Weighted::nothing())
    }
}
