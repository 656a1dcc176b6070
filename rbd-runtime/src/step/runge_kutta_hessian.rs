//! Hessian of a weighted step of Runge and Kutta's method: stages forward with their derivatives, then
//! backward with their weights (docs/math.md#discrete-step).

use super::arithmetic::{add_scaled, plus_scaled};
use super::hessian::{Blocks, Curvature, gradients, value};
use super::jacobians::through_integrate;
use super::runge_kutta::{Each, STAGES, Stages};
use super::{DiscreteDynamics, StepHessian, rate, turning};
use crate::__private::zeros;
use crate::linalg::{add_mul, add_tr_mul, mul, tr_mul};
use crate::{AbaDerivatives, AbaHessian, Scalar};
use nalgebra::SVector;

fn each<T, const NV: usize>(of: &Each<T, NV>) -> [&nalgebra::SMatrix<T, NV, NV>; 3] {
    [&of[0], &of[1], &of[2]]
}

/// Adds the Hessian of weighted accelerations, by derivatives of the place and of the velocity.
fn add_accelerations<T: Scalar, const NV: usize>(
    of: &AbaHessian<T, NV>,
    (place, velocity): (&Each<T, NV>, &Each<T, NV>),
    out: &mut Blocks<T, NV>,
) {
    for y in 0..3 {
        let mut by_place = mul(&of.dqdq, &place[y]);
        add_mul(&of.dqdv, &velocity[y], &mut by_place);
        let mut by_velocity = tr_mul(&of.dqdv, &place[y]);
        add_mul(&of.dvdv, &velocity[y], &mut by_velocity);
        if y == 2 {
            by_place += of.dqdtau;
        }
        for (to, x, _) in out.pairs().into_iter().filter(|pair| pair.2 == y) {
            add_tr_mul(&place[x], &by_place, to);
            add_tr_mul(&velocity[x], &by_velocity, to);
            if x == 2 {
                add_tr_mul(&of.dqdtau, &place[y], to);
            }
        }
    }
}

pub(super) fn hessian<R, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    [v, tau]: [&SVector<T, NV>; 2],
    dt: T,
    [lambda_q, lambda_v]: [&SVector<T, NV>; 2],
    out: &mut StepHessian<T, NV>,
) where
    R: DiscreteDynamics<NQ, NV> + ?Sized,
{
    let stages = Stages::new::<R, NQ>(q, v, tau, dt);
    *out = StepHessian::zeros();
    let (along, next) = (&stages.along, *v + stages.gained);
    out.value = value(R::JOINTS, (&R::integrate(q, along), &next), [lambda_q, lambda_v]);
    let by = each(&stages.by_along);
    let mut curvature = Curvature { u: along, lambda: lambda_q, by, is_fixed: true, out: &mut *out };
    turning::visit(R::JOINTS, &mut curvature);
    let [by_q, by_along] = gradients(R::JOINTS, along, lambda_q);
    (out.dq, out.dv) = (by_q, *lambda_v);
    // Weights of a stage's rate and acceleration, from the stage after it.
    let (mut of_rate, mut of_acceleration) = (zeros::<T, NV, 1>(), zeros::<T, NV, 1>());
    for (stage, (time, weight)) in stages.each.iter().zip(STAGES).rev() {
        let (time, weight) = (T::from_f64(time) * dt, T::from_f64(weight) * dt);
        add_scaled(&mut of_rate, &by_along, weight);
        add_scaled(&mut of_acceleration, lambda_v, weight);
        let (u, now) = (&stage.u, &stage.v);
        let by = [each(&stage.by_u), each(&stage.by_v)];
        let [mut of_u, mut of_v] = rate::back(R::JOINTS, [u, now], &of_rate, by, out);

        let mut place = stage.by_u;
        let [first, second, third] = &mut place;
        through_integrate(R::JOINTS, u, first, [second, third]);
        let (mut d, mut of) = (AbaDerivatives::zeros(), AbaHessian::zeros());
        R::weighted_accelerations(&R::integrate(q, u), now, tau, &of_acceleration, &mut d, &mut of);
        add_accelerations(&of, (&place, &stage.by_v), out);
        of_v += of.dv;
        out.dtau += of.dtau;

        let by = each(&stage.by_u);
        let mut curvature = Curvature { u, lambda: &of.dq, by, is_fixed: false, out: &mut *out };
        turning::visit(R::JOINTS, &mut curvature);
        let [of_q, back] = gradients(R::JOINTS, u, &of.dq);
        out.dq += of_q;
        out.dv += of_v;
        of_u += back;
        of_rate = plus_scaled(&zeros(), &of_u, time);
        of_acceleration = plus_scaled(&zeros(), &of_v, time);
    }
}
