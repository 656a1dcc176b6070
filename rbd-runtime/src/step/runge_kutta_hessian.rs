//! Hessian of a weighted step of Runge and Kutta's method: stages forward with their derivatives, then
//! backward with their weights (docs/math.md#discrete-step).

use super::arithmetic::{Scratch, add, add_scaled, copy, scale};
use super::hessian::{Blocks, Curvature, WeightedStep, pairs, value};
use super::jacobians::{gradients, through_integrate};
use super::robot::{StepRobot, Weighted};
use super::runge_kutta::{STAGES, stages};
use super::{State, rate, turning};
use crate::Scalar;

/// Adds the Hessian of weighted accelerations, by derivatives of the place and of the velocity.
fn add_accelerations<R: StepRobot<T>, T: Scalar>(
    of: &Weighted<'_, T>,
    [place, velocity]: [[&[T]; 3]; 2],
    [by_place, by_velocity]: [&mut [T]; 2],
    out: &mut Blocks<'_, T>,
    n: usize,
) {
    let ([place_q, place_v, place_tau], [velocity_q, velocity_v, velocity_tau]) = (place, velocity);
    let each = [(0, place_q, velocity_q), (1, place_v, velocity_v), (2, place_tau, velocity_tau)];
    for (y, place_y, velocity_y) in each {
        by_place.fill(T::zero());
        R::add_product(by_place, of.dqdq, place_y, n);
        R::add_product(by_place, of.dqdv, velocity_y, n);
        by_velocity.fill(T::zero());
        R::add_transposed_product(by_velocity, of.dqdv, place_y, n);
        R::add_product(by_velocity, of.dvdv, velocity_y, n);
        if y == 2 {
            add(by_place, of.dqdtau);
        }
        let of_y = out.blocks.iter_mut().zip(pairs(each)).filter(|(_, [_, (second, ..)])| *second == y);
        for (to, [(x, place_x, velocity_x), _]) in of_y {
            R::add_transposed_product(to, place_x, by_place, n);
            R::add_transposed_product(to, velocity_x, by_velocity, n);
            if x == 2 {
                R::add_transposed_product(to, of.dqdtau, place_y, n);
            }
        }
    }
}

pub(super) fn hessian<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    of: &WeightedStep<'_, T>,
    mut scratch: Scratch<'_, T>,
    out: &mut Blocks<'_, T>,
) {
    let WeightedStep { q, v, tau, dt, lambda_q, lambda_v } = *of;
    let n = v.len();
    let (stages, mut sums) = stages(robot, &State { q, v, tau, dt }, &mut scratch);
    let [next_q, place] = core::array::from_fn(|_| scratch.configuration(q.len()));
    let [of_rate, of_acceleration] = core::array::from_fn(|_| scratch.zeros(n));
    let [next, by_q, along_weight, of_u, of_v, more_q, more_u] = core::array::from_fn(|_| scratch.vector(n));
    let temporary = [scratch.matrix(n), scratch.matrix(n)];

    copy(next, v);
    add(next, sums.gained);
    robot.integrate(q, sums.along, next_q);
    *out.value = value(robot.joints(), [next_q, next], of);
    for to in &mut out.blocks {
        to.fill(T::zero());
    }
    let by = sums.by_along();
    let mut curvature = Curvature { u: sums.along, lambda: lambda_q, by, is_fixed: true, out, n };
    turning::visit(robot.joints(), &mut curvature);
    gradients(robot.joints(), sums.along, lambda_q, [by_q, along_weight]);
    let [to_q, to_v, to_tau] = &mut out.gradients;
    copy(to_q, by_q);
    copy(to_v, lambda_v);
    to_tau.fill(T::zero());

    // Weights of a stage's rate and acceleration come from the stage after it.
    let [by_place, by_velocity] = temporary;
    for (stage, (time, weight)) in stages.iter().rev().zip(STAGES.into_iter().rev()) {
        let (time, weight) = (T::from_f64(time) * dt, T::from_f64(weight) * dt);
        add_scaled(of_rate, along_weight, weight);
        add_scaled(of_acceleration, lambda_v, weight);
        let ([u, now], by) = (stage.at(), stage.by());
        rate::back(robot.joints(), [u, now], of_rate, by, [of_u, of_v], out, n);

        for (to, from) in sums.by_place.iter_mut().zip(by[0]) {
            copy(to, from);
        }
        let [first, second, third] = &mut sums.by_place;
        through_integrate(robot.joints(), u, first, [second, third], n);
        robot.integrate(q, u, place);
        let joints = robot.joints();
        let (_, weighted) = robot.aba_hessian(place, now, tau, of_acceleration);
        let places = sums.by_place.each_ref().map(|of| &**of);
        add_accelerations::<R, _>(&weighted, [places, by[1]], [&mut *by_place, &mut *by_velocity], out, n);
        let [of_place, by_now, by_tau] = weighted.gradients;
        add(of_v, by_now);
        let mut curvature = Curvature { u, lambda: of_place, by: by[0], is_fixed: false, out: &mut *out, n };
        turning::visit(joints.clone(), &mut curvature);
        gradients(joints, u, of_place, [more_q, more_u]);
        let [to_q, to_v, to_tau] = &mut out.gradients;
        add(to_tau, by_tau);
        add(to_q, more_q);
        add(to_v, of_v);
        add(of_u, more_u);
        scale(of_rate, of_u, time);
        scale(of_acceleration, of_v, time);
    }
}
