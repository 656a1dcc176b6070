//! Runge and Kutta's method of order 4 on the manifold, by Munthe-Kaas (docs/math.md#discrete-step).
//!
//! A stage's configuration is `integrate(q, u)`. The rate of `u` under the velocity v is
//! `v + [u, v]/2 + [u, [u, v]]/12`; further terms do not change the order.

use super::blocks::{add_diagonal, bracket, through_integrate};
use super::{Step, StepDerivatives};
use crate::__private::zeros;
use crate::linalg::{add_mul, mul};
use crate::{ForwardDynamics, ForwardDynamicsDerivatives, Joint, Scalar};
use nalgebra::{SMatrix, SVector};

/// A stage's time from the beginning, and its weight, in steps.
const STAGES: [(f64, f64); 4] = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

/// Joints whose motions' order matters. Others have no bracket.
fn turning(joints: &[Joint]) -> bool {
    joints.iter().any(|joint| joint.nv > 1)
}

fn combined<T: Scalar, const NV: usize>(
    v: &SVector<T, NV>,
    terms: [(&SVector<T, NV>, f64); 2],
) -> SVector<T, NV> {
    let mut sum = *v;
    for (term, by) in terms {
        let by = T::from_f64(by);
        for (sum, x) in sum.data.0[0].iter_mut().zip(&term.data.0[0]) {
            *sum = x.mul_add(by, *sum);
        }
    }
    sum
}

/// Rate of `u` under the velocity `v`.
fn rate<T: Scalar, const NV: usize>(
    joints: &[Joint],
    u: &SVector<T, NV>,
    v: &SVector<T, NV>,
) -> SVector<T, NV> {
    if !turning(joints) {
        return *v;
    }
    let once = bracket(joints, u, v);
    combined(v, [(&once, 0.5), (&bracket(joints, u, &once), 1.0 / 12.0)])
}

/// Derivative of [`rate`] along changes `du` and `dv`.
fn rate_along<T: Scalar, const NV: usize>(
    joints: &[Joint],
    (u, v): (&SVector<T, NV>, &SVector<T, NV>),
    (du, dv): (&SVector<T, NV>, &SVector<T, NV>),
) -> SVector<T, NV> {
    if !turning(joints) {
        return *dv;
    }
    let once = bracket(joints, u, v);
    let change = bracket(joints, du, v) + bracket(joints, u, dv);
    let twice = bracket(joints, du, &once) + bracket(joints, u, &change);
    combined(dv, [(&change, 0.5), (&twice, 1.0 / 12.0)])
}

fn moved<T: Scalar, const R: usize, const C: usize>(
    from: &SMatrix<T, R, C>,
    along: &SMatrix<T, R, C>,
    by: T,
) -> SMatrix<T, R, C> {
    let mut to = *from;
    for (to, along) in to.data.0.iter_mut().zip(&along.data.0) {
        for (to, along) in to.iter_mut().zip(along) {
            *to = along.mul_add(by, *to);
        }
    }
    to
}

pub(super) fn step<R, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    dt: T,
) -> Step<T, NQ, NV>
where
    R: ForwardDynamics<NQ, NV> + ?Sized,
{
    let (mut k, mut a) = (zeros::<T, NV, 1>(), zeros::<T, NV, 1>());
    let (mut along, mut gained) = (zeros::<T, NV, 1>(), zeros::<T, NV, 1>());
    for (time, weight) in STAGES {
        let (time, weight) = (T::from_f64(time) * dt, T::from_f64(weight) * dt);
        let u = k.map(|x| x * time);
        let now = moved(v, &a, time);
        a = R::aba(&R::integrate(q, &u), &now, tau);
        k = rate(R::JOINTS, &u, &now);
        along = moved(&along, &k, weight);
        gained = moved(&gained, &a, weight);
    }
    Step { q: R::integrate(q, &along), v: *v + gained }
}

/// Derivatives by q, by v and by tau of one quantity.
type Each<T, const NV: usize> = [SMatrix<T, NV, NV>; 3];

pub(super) fn derivatives<R, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    dt: T,
    out: &mut StepDerivatives<T, NQ, NV>,
) where
    R: ForwardDynamicsDerivatives<NQ, NV> + ?Sized,
{
    let (mut k, mut a) = (zeros::<T, NV, 1>(), zeros::<T, NV, 1>());
    let (mut along, mut gained) = (zeros::<T, NV, 1>(), zeros::<T, NV, 1>());
    let nothing = || -> Each<T, NV> { [zeros(), zeros(), zeros()] };
    let (mut by_k, mut by_a) = (nothing(), nothing());
    let (mut by_along, mut by_gained) = (nothing(), nothing());
    let mut d = crate::AbaDerivatives::zeros();
    for (time, weight) in STAGES {
        let (time, weight) = (T::from_f64(time) * dt, T::from_f64(weight) * dt);
        let u = k.map(|x| x * time);
        let now = moved(v, &a, time);
        R::aba_derivatives_into(&R::integrate(q, &u), &now, tau, &mut d);
        a = d.ddq;
        k = rate(R::JOINTS, &u, &now);
        along = moved(&along, &k, weight);
        gained = moved(&gained, &a, weight);
        let by_u = by_k.map(|x| x.map(|x| x * time));
        let mut by_now = by_a.map(|x| x.map(|x| x * time));
        add_diagonal(&mut by_now[1], T::one());
        let mut by_place = by_u;
        let [of_q, of_v, of_tau] = &mut by_place;
        through_integrate(R::JOINTS, &u, of_q, [Some(of_v), Some(of_tau)]);
        by_a = core::array::from_fn(|of| {
            let mut by = mul(&d.ddq_dq, &by_place[of]);
            add_mul(&d.ddq_dv, &by_now[of], &mut by);
            by
        });
        by_a[2] += d.ddq_dtau;
        for of in 0..3 {
            for (to, (du, dv)) in
                by_k[of].data.0.iter_mut().zip(by_u[of].data.0.iter().zip(&by_now[of].data.0))
            {
                let (du, dv) = (SVector::from(*du), SVector::from(*dv));
                *to = rate_along(R::JOINTS, (&u, &now), (&du, &dv)).data.0[0];
            }
            by_along[of] = moved(&by_along[of], &by_k[of], weight);
            by_gained[of] = moved(&by_gained[of], &by_a[of], weight);
        }
    }
    out.q = R::integrate(q, &along);
    out.v = *v + gained;
    [out.dq_dq, out.dq_dv, out.dq_dtau] = by_along;
    through_integrate(R::JOINTS, &along, &mut out.dq_dq, [Some(&mut out.dq_dv), Some(&mut out.dq_dtau)]);
    [out.dv_dq, out.dv_dv, out.dv_dtau] = by_gained;
    add_diagonal(&mut out.dv_dv, T::one());
}
