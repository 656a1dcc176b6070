//! Weighted Hessians of steps under contacts: the integrators' own, on second derivatives of contact
//! dynamics.

use super::compiled::{self, Source};
use super::{ContactSteps, StepHessian};
use crate::__private::zeros;
use crate::contact::{ContactDynamicsDerivatives, ContactDynamicsHessian, ContactHessians};
use crate::{AbaDerivatives, AbaHessian, ContactSettings, Scalar};
use core::marker::PhantomData;
use nalgebra::SVector;

/// Robots with weighted Hessians of steps under contacts.
///
/// Every robot with [`ContactSteps`] and [`ContactHessians`] has it.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..`, and with `contacts: [..]` or `closed_loops: {{ .. }}`, and has `rnea_hessian`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait ContactStepHessians<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
    ContactSteps<NQ, NV, NC, NR> + ContactHessians<NQ, NV, NC, NR>
{
    /// Value, gradient and Hessian of the next state of [`ContactSteps::contact_step`], weighted with
    /// `lambda_q` and `lambda_v`.
    ///
    /// The weighted sum, its blocks and their order are those of
    /// [`DiscreteDynamics::step_hessian`](super::DiscreteDynamics::step_hessian).
    #[must_use]
    #[expect(clippy::too_many_arguments, reason = "those of steps under contacts, and the weights")]
    fn contact_step_hessian<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
    ) -> StepHessian<T, NV> {
        let mut out = StepHessian::zeros();
        Self::contact_step_hessian_into(q, v, tau, dt, active, settings, lambda_q, lambda_v, &mut out);
        out
    }

    /// [`Self::contact_step_hessian`] without a copy. Writes every entry of `out`.
    #[expect(clippy::too_many_arguments, reason = "those of steps under contacts, and the weights")]
    fn contact_step_hessian_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
        out: &mut StepHessian<T, NV>,
    ) {
        let held = Held::<Self, T, NC, NR> { active, settings, robot: PhantomData };
        compiled::hessian(held, q, [v, tau], dt, [lambda_q, lambda_v], out);
    }
}

impl<R, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
    ContactStepHessians<NQ, NV, NC, NR> for R
where
    R: ContactSteps<NQ, NV, NC, NR> + ContactHessians<NQ, NV, NC, NR> + ?Sized,
{
}

/// A robot whose contacts hold.
struct Held<'a, R: ?Sized, T, const NC: usize, const NR: usize> {
    active: &'a [bool; NC],
    settings: &'a ContactSettings<T, NC>,
    robot: PhantomData<fn() -> R>,
}

/// Accelerations and their derivatives alone.
fn keep<T: Scalar, const NV: usize, const NR: usize>(
    of: &ContactDynamicsDerivatives<T, NV, NR>,
    to: &mut AbaDerivatives<T, NV>,
) {
    to.ddq = of.ddq;
    (to.ddq_dq, to.ddq_dv, to.ddq_dtau) = (of.ddq_dq, of.ddq_dv, of.ddq_dtau);
}

impl<R, T: Scalar, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> Source<T, NQ, NV>
    for Held<'_, R, T, NC, NR>
where
    R: ContactStepHessians<NQ, NV, NC, NR> + ?Sized,
{
    type Robot = R;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba(&self, q: &SVector<T, NQ>, v: &SVector<T, NV>, tau: &SVector<T, NV>) -> SVector<T, NV> {
        R::contact_dynamics(q, v, tau, self.active, self.settings).ddq
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_by_torques(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    ) {
        self.aba_derivatives(q, v, tau, out);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_derivatives(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    ) {
        let mut found = ContactDynamicsDerivatives::zeros();
        R::contact_dynamics_derivatives_into(q, v, tau, self.active, self.settings, &mut found);
        keep(&found, out);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_hessian(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        lambda: &SVector<T, NV>,
        first: &mut AbaDerivatives<T, NV>,
        out: &mut AbaHessian<T, NV>,
    ) {
        let (mut found, mut of) = (ContactDynamicsDerivatives::zeros(), ContactDynamicsHessian::zeros());
        let (active, settings, no_forces) = (self.active, self.settings, &zeros());
        R::contact_dynamics_hessian_with_first_into(
            q, v, tau, active, settings, lambda, no_forces, &mut found, &mut of,
        );
        keep(&found, first);
        let ContactDynamicsHessian { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau } = of;
        *out = AbaHessian { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau };
    }
}
