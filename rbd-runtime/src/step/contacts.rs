//! The step under contacts: the same integrators, on the accelerations of `contact_dynamics`.
//!
//! With implicit damping, accelerations and forces are those under the torques `tau - D (v+ - v)`: contacts
//! hold what damping at the end of the step leaves (docs/math.md#implicit-damping).

use super::compiled::{Joints, derivatives_of, joints, nothing, step_of, vector};
use super::{
    Accelerations, DerivativesOut, DiscreteDynamics, Integrator, State, StepDerivatives, StepRobot, Weighted,
};
use crate::__private::zeros;
use crate::contact::{ContactDynamics, ContactDynamicsDerivatives, Contacts};
use crate::{ContactSettings, Scalar};
use core::marker::PhantomData;
use nalgebra::{SMatrix, SVector};

/// Result of [`ContactSteps::contact_step`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactStep<T, const NQ: usize, const NV: usize, const NR: usize> {
    /// Next configuration (NQ); rad, m, unit quaternions x, y, z, w.
    pub q: SVector<T, NQ>,
    /// Next velocity (NV); rad/s, m/s.
    pub v: SVector<T, NV>,
    /// Accelerations and contact forces at the beginning of the step.
    pub dynamics: ContactDynamics<T, NV, NR>,
}

/// Result of [`ContactSteps::contact_step_derivatives`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactStepDerivatives<T, const NQ: usize, const NV: usize, const NR: usize> {
    /// The next state and its derivatives.
    pub step: StepDerivatives<T, NQ, NV>,
    /// Accelerations and contact forces at the beginning of the step, with their derivatives.
    pub dynamics: ContactDynamicsDerivatives<T, NV, NR>,
}

impl<T: Scalar, const NQ: usize, const NV: usize, const NR: usize> ContactStep<T, NQ, NV, NR> {
    /// All zero: a place for a result, and no state of a robot with quaternions.
    #[must_use]
    pub fn zeros() -> Self {
        Self { q: zeros(), v: zeros(), dynamics: ContactDynamics::zeros() }
    }
}

impl<T: Scalar, const NQ: usize, const NV: usize, const NR: usize> ContactStepDerivatives<T, NQ, NV, NR> {
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self { step: StepDerivatives::zeros(), dynamics: ContactDynamicsDerivatives::zeros() }
    }
}

/// Robots with a discrete step under contacts: those made with the options `step`, and `contacts` or
/// `closed_loops`.
///
/// `active` says for each contact and closed loop whether it holds during the step, as in [`Contacts`]. A
/// contact that is made within the step takes an impact first:
/// [`contact_impulse`](Contacts::contact_impulse).
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..`, and with `contacts: [..]` or `closed_loops: {{ .. }}`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait ContactSteps<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
    DiscreteDynamics<NQ, NV> + Contacts<NQ, NV, NC, NR>
{
    /// The state after a time `dt` (s) under the torques `tau`, with the active contacts held.
    ///
    /// The integrator is the robot's own, on the accelerations of [`contact_dynamics`]. With no active
    /// contact it is [`DiscreteDynamics::step`]. With implicit damping, the forces of the result are those
    /// that act during the step.
    ///
    /// [`contact_dynamics`]: Contacts::contact_dynamics
    #[must_use]
    fn contact_step<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactStep<T, NQ, NV, NR> {
        let mut out = ContactStep::zeros();
        let to = [out.q.data.0.as_flattened_mut(), out.v.data.0.as_flattened_mut()];
        let at = State { q: &q.data.0[0], v: &v.data.0[0], tau: &tau.data.0[0], dt };
        let robot = UnderContacts::<Self, T, NQ, NV, NC, NR>::new(active, settings);
        if Self::INTEGRATOR == Integrator::ImplicitDamping {
            let mut found = ContactDynamicsDerivatives::zeros();
            let robot = &mut UnderContacts { later: Some(&mut found), ..robot };
            step_of::<_, _, NQ, NV>(robot, Self::INTEGRATOR, &at, to);
            let mut tau = *tau;
            for (tau, damping, gained) in each(&mut tau, Self::DAMPING, &(out.v - v)) {
                *tau -= damping * gained;
            }
            out.dynamics = Self::contact_dynamics(q, v, &tau, active, settings);
        } else {
            let robot = &mut UnderContacts { begins: Some(&mut out.dynamics), ..robot };
            step_of::<_, _, NQ, NV>(robot, Self::INTEGRATOR, &at, to);
        }
        out
    }

    /// [`Self::contact_step`] with exact derivatives by the state and the torques.
    ///
    /// Tangent spaces are those of [`DiscreteDynamics::step_derivatives`].
    #[must_use]
    fn contact_step_derivatives<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactStepDerivatives<T, NQ, NV, NR> {
        let mut out = ContactStepDerivatives::zeros();
        Self::contact_step_derivatives_into(q, v, tau, dt, active, settings, &mut out);
        out
    }

    /// [`Self::contact_step_derivatives`] without a copy. Writes every entry of `out`.
    fn contact_step_derivatives_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        out: &mut ContactStepDerivatives<T, NQ, NV, NR>,
    ) {
        let mut blocks = DerivativesOut::of(&mut out.step);
        let at = State { q: &q.data.0[0], v: &v.data.0[0], tau: &tau.data.0[0], dt };
        let robot = UnderContacts::<Self, T, NQ, NV, NC, NR> {
            first: Some(&mut out.dynamics),
            ..UnderContacts::new(active, settings)
        };
        match Self::INTEGRATOR {
            Integrator::Rk4 => {
                let mut later = ContactDynamicsDerivatives::zeros();
                let robot = &mut UnderContacts { later: Some(&mut later), ..robot };
                derivatives_of::<_, _, NQ, NV>(robot, Self::INTEGRATOR, &at, &mut blocks);
            }
            Integrator::ImplicitDamping => {
                let mut found = ContactDynamicsDerivatives::zeros();
                let robot = &mut UnderContacts { later: Some(&mut found), ..robot };
                derivatives_of::<_, _, NQ, NV>(robot, Self::INTEGRATOR, &at, &mut blocks);
                along_torques(Self::DAMPING, out);
            }
            _ => derivatives_of::<_, _, NQ, NV>(&mut { robot }, Self::INTEGRATOR, &at, &mut blocks),
        }
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
    crate::linalg::add_mul(&of.forces_dtau, &by_q, &mut of.forces_dq);
    crate::linalg::add_mul(&of.forces_dtau, &by_v, &mut of.forces_dv);
    of.forces_dtau = crate::linalg::mul(&of.forces_dtau, &by_tau);
    crate::linalg::add_mul(&of.ddq_dtau, &by_q, &mut of.ddq_dq);
    crate::linalg::add_mul(&of.ddq_dtau, &by_v, &mut of.ddq_dv);
    of.ddq_dtau = crate::linalg::mul(&of.ddq_dtau, &by_tau);
}

/// A robot whose contacts hold, with memory for results.
struct UnderContacts<'m, R: ?Sized, T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> {
    active: &'m [bool; NC],
    settings: &'m ContactSettings<T, NC>,
    /// Accelerations and forces of the first call go here.
    begins: Option<&'m mut ContactDynamics<T, NV, NR>>,
    /// Derivatives of the first call go here, and those of later calls to `later`.
    first: Option<&'m mut ContactDynamicsDerivatives<T, NV, NR>>,
    later: Option<&'m mut ContactDynamicsDerivatives<T, NV, NR>>,
    robot: PhantomData<fn() -> R>,
}

impl<'m, R: ?Sized, T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
    UnderContacts<'m, R, T, NQ, NV, NC, NR>
{
    fn new(active: &'m [bool; NC], settings: &'m ContactSettings<T, NC>) -> Self {
        Self { active, settings, begins: None, first: None, later: None, robot: PhantomData }
    }
}

fn accelerations<T: Scalar, const NV: usize, const NR: usize>(
    of: &ContactDynamicsDerivatives<T, NV, NR>,
) -> Accelerations<'_, T> {
    let by = [&of.ddq_dq, &of.ddq_dv, &of.ddq_dtau].map(|by| by.data.0.as_flattened());
    Accelerations { ddq: of.ddq.data.0.as_flattened(), by }
}

impl<R, T: Scalar, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> StepRobot<T>
    for UnderContacts<'_, R, T, NQ, NV, NC, NR>
where
    R: ContactSteps<NQ, NV, NC, NR> + ?Sized,
{
    type Joints = Joints;

    #[inline(always)]
    fn joints(&self) -> Joints {
        joints::<R, NQ, NV>()
    }

    #[inline(always)]
    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]) {
        super::arithmetic::copy(out, &R::integrate(&vector(q), &vector(u)).data.0[0]);
    }

    #[inline(always)]
    fn damping(&self, coordinate: usize) -> f64 {
        R::DAMPING.get(coordinate).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        let (q, v, tau) = (vector(q), vector(v), vector(tau));
        let found = R::contact_dynamics(&q, &v, &tau, self.active, self.settings);
        super::arithmetic::copy(ddq, &found.ddq.data.0[0]);
        if let Some(begins) = self.begins.take() {
            *begins = found;
        }
    }

    /// The results do not belong to the step: torques are found by them.
    #[inline(always)]
    fn aba_by_torques(&mut self, q: &[T], v: &[T], tau: &[T]) -> [&[T]; 2] {
        let Some(to) = self.later.as_deref_mut() else { return [&[], &[]] };
        let (q, v, tau) = (vector(q), vector(v), vector(tau));
        R::contact_dynamics_derivatives_into(&q, &v, &tau, self.active, self.settings, to);
        [to.ddq.data.0.as_flattened(), to.ddq_dtau.data.0.as_flattened()]
    }

    #[inline(always)]
    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        let Some(to) = self.first.take().or(self.later.as_deref_mut()) else { return nothing() };
        let (q, v, tau) = (vector(q), vector(v), vector(tau));
        R::contact_dynamics_derivatives_into(&q, &v, &tau, self.active, self.settings, to);
        accelerations(to)
    }

    /// No second derivatives: no step under contacts asks for them.
    #[inline(always)]
    fn aba_hessian(&mut self, _: &[T], _: &[T], _: &[T], _: &[T]) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        (nothing(), Weighted::nothing())
    }
}
