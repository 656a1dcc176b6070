//! Runge and Kutta's method of order 4 on the manifold, by Munthe-Kaas (docs/math.md#discrete-step).
//!
//! A stage's configuration is `integrate(q, u)`. The rate of `u` under a velocity has three terms
//! (`rate.rs`); further ones do not change the order.

use super::arithmetic::{add_diagonal, add_scaled, plus_scaled};
use super::jacobians::through_integrate;
use super::rate::{self, rate};
use super::{Step, StepDerivatives};
use crate::__private::zeros;
use crate::linalg::{add_mul, mul};
use crate::{AbaDerivatives, ForwardDynamics, ForwardDynamicsDerivatives, Scalar};
use nalgebra::{SMatrix, SVector};

/// A stage's time from the beginning, and its weight, in steps.
pub(super) const STAGES: [(f64, f64); 4] =
    [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

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
        let u = k * time;
        let now = plus_scaled(v, &a, time);
        a = R::aba(&R::integrate(q, &u), &now, tau);
        k = rate(R::JOINTS, &u, &now);
        add_scaled(&mut along, &k, weight);
        add_scaled(&mut gained, &a, weight);
    }
    Step { q: R::integrate(q, &along), v: *v + gained }
}

/// Derivatives by q, by v and by tau of one quantity.
pub(super) type Each<T, const NV: usize> = [SMatrix<T, NV, NV>; 3];

/// A stage: the motion that leads to its configuration, its velocity, and their derivatives.
pub(super) struct Stage<T, const NV: usize> {
    pub(super) u: SVector<T, NV>,
    pub(super) v: SVector<T, NV>,
    pub(super) by_u: Each<T, NV>,
    pub(super) by_v: Each<T, NV>,
}

/// All stages, and what they sum up to.
pub(super) struct Stages<T, const NV: usize> {
    pub(super) each: [Stage<T, NV>; 4],
    /// Motion from the old configuration to the new one.
    pub(super) along: SVector<T, NV>,
    /// Change of the velocity.
    pub(super) gained: SVector<T, NV>,
    pub(super) by_along: Each<T, NV>,
    pub(super) by_gained: Each<T, NV>,
}

impl<T: Scalar, const NV: usize> Stages<T, NV> {
    pub(super) fn new<R, const NQ: usize>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
    ) -> Self
    where
        R: ForwardDynamicsDerivatives<NQ, NV> + ?Sized,
    {
        let none = || -> Each<T, NV> { [zeros(), zeros(), zeros()] };
        let (mut along, mut gained) = (zeros::<T, NV, 1>(), zeros::<T, NV, 1>());
        let (mut by_along, mut by_gained) = (none(), none());
        let (mut k, mut by_k) = (zeros::<T, NV, 1>(), none());
        let mut d = AbaDerivatives::zeros();
        let mut by_a = none();
        let each = STAGES.map(|(time, weight)| {
            let (time, weight) = (T::from_f64(time) * dt, T::from_f64(weight) * dt);
            let by_u = by_k.map(|by| by * time);
            let mut by_v = by_a.map(|by| by * time);
            add_diagonal(&mut by_v[1], T::one());
            let stage = Stage { u: k * time, v: plus_scaled(v, &d.ddq, time), by_u, by_v };
            R::aba_derivatives_into(&R::integrate(q, &stage.u), &stage.v, tau, &mut d);
            k = rate(R::JOINTS, &stage.u, &stage.v);
            add_scaled(&mut along, &k, weight);
            add_scaled(&mut gained, &d.ddq, weight);
            let mut place = stage.by_u;
            let [of_q, of_v, of_tau] = &mut place;
            through_integrate(R::JOINTS, &stage.u, of_q, [of_v, of_tau]);
            for (of, by_k) in by_k.iter_mut().enumerate() {
                let by_a = &mut by_a[of];
                *by_a = mul(&d.ddq_dq, &place[of]);
                add_mul(&d.ddq_dv, &stage.by_v[of], by_a);
                if of == 2 {
                    *by_a += d.ddq_dtau;
                }
                let by = [&stage.by_u[of], &stage.by_v[of]];
                rate::derivatives(R::JOINTS, [&stage.u, &stage.v], by, by_k);
                add_scaled(&mut by_along[of], by_k, weight);
                add_scaled(&mut by_gained[of], by_a, weight);
            }
            stage
        });
        Self { each, along, gained, by_along, by_gained }
    }
}

pub(super) fn derivatives<R, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    dt: T,
    out: &mut StepDerivatives<T, NQ, NV>,
) where
    R: ForwardDynamicsDerivatives<NQ, NV> + ?Sized,
{
    let stages = Stages::new::<R, NQ>(q, v, tau, dt);
    out.q = R::integrate(q, &stages.along);
    out.v = *v + stages.gained;
    [out.dq_dq, out.dq_dv, out.dq_dtau] = stages.by_along;
    let others = [&mut out.dq_dv, &mut out.dq_dtau];
    through_integrate(R::JOINTS, &stages.along, &mut out.dq_dq, others);
    [out.dv_dq, out.dv_dv, out.dv_dtau] = stages.by_gained;
    add_diagonal(&mut out.dv_dv, T::one());
}
