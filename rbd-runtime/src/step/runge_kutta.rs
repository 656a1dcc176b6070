//! Runge and Kutta's method of order 4 on the manifold, by Munthe-Kaas (docs/math.md#discrete-step).
//!
//! A stage's configuration is `integrate(q, u)`. The rate of `u` under a velocity has three terms
//! (`rate.rs`); further ones do not change the order.

use super::arithmetic::{
    Scratch, add, add_diagonal, add_scaled, add_scaled_matrix, copy, scale, scale_matrix,
};
use super::jacobians::through_integrate;
use super::rate::{self, rate};
use super::robot::StepRobot;
use super::{DerivativesOut, State};
use crate::Scalar;

/// A stage's time from the beginning, and its weight, in steps.
pub(super) const STAGES: [(f64, f64); 4] =
    [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn step<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    at: &State<'_, T>,
    mut scratch: Scratch<'_, T>,
    [q, v]: [&mut [T]; 2],
) {
    let n = at.v.len();
    let [k, a, along, gained] = core::array::from_fn(|_| scratch.zeros(n));
    let [u, now] = core::array::from_fn(|_| scratch.vector(n));
    let place = scratch.configuration(at.q.len());
    for (time, weight) in STAGES {
        let (time, weight) = (T::from_f64(time) * at.dt, T::from_f64(weight) * at.dt);
        scale(u, k, time);
        copy(now, at.v);
        add_scaled(now, a, time);
        robot.integrate(at.q, u, place);
        robot.aba(place, now, at.tau, a);
        rate(robot.joints(), u, now, k);
        add_scaled(along, k, weight);
        add_scaled(gained, a, weight);
    }
    robot.integrate(at.q, along, q);
    copy(v, at.v);
    add(v, gained);
}

/// Derivatives by q, by v and by tau of one quantity.
type Each<'a, T> = [&'a mut [T]; 3];

fn shared<'a, T>(each: &'a Each<'_, T>) -> [&'a [T]; 3] {
    each.each_ref().map(|of| &**of)
}

/// A stage: the motion that leads to its configuration, its velocity, and their derivatives.
pub(super) struct Stage<'a, T> {
    u: &'a mut [T],
    v: &'a mut [T],
    by_u: Each<'a, T>,
    by_v: Each<'a, T>,
}

impl<'a, T: Scalar> Stage<'a, T> {
    fn new(scratch: &mut Scratch<'a, T>, n: usize) -> Self {
        Self {
            u: scratch.vector(n),
            v: scratch.vector(n),
            by_u: scratch.matrices(n),
            by_v: scratch.matrices(n),
        }
    }

    pub(super) fn at(&self) -> [&[T]; 2] {
        [self.u, self.v]
    }

    /// Derivatives of u and of v by q, v and tau.
    pub(super) fn by(&self) -> [[&[T]; 3]; 2] {
        [shared(&self.by_u), shared(&self.by_v)]
    }
}

/// Sums over the stages of a step, and their derivatives.
pub(super) struct Sums<'a, T> {
    /// Motion from the old configuration to the new one.
    pub(super) along: &'a mut [T],
    /// Change of the velocity.
    pub(super) gained: &'a mut [T],
    by_along: Each<'a, T>,
    by_gained: Each<'a, T>,
    by_rate: Each<'a, T>,
    by_acceleration: Each<'a, T>,
    /// The derivatives of a stage's configuration.
    pub(super) by_place: Each<'a, T>,
    place: &'a mut [T],
    rate: &'a mut [T],
    acceleration: &'a mut [T],
}

impl<'a, T: Scalar> Sums<'a, T> {
    pub(super) fn new(scratch: &mut Scratch<'a, T>, nq: usize, n: usize) -> Self {
        Self {
            along: scratch.zeros(n),
            gained: scratch.zeros(n),
            by_along: scratch.zero_matrices(n),
            by_gained: scratch.zero_matrices(n),
            by_rate: scratch.zero_matrices(n),
            by_acceleration: scratch.zero_matrices(n),
            by_place: scratch.matrices(n),
            place: scratch.configuration(nq),
            rate: scratch.zeros(n),
            acceleration: scratch.zeros(n),
        }
    }

    pub(super) fn by_along(&self) -> [&[T]; 3] {
        shared(&self.by_along)
    }

    /// Computes a stage, and adds its terms to the sums.
    fn stage<R: StepRobot<T>>(
        &mut self,
        robot: &mut R,
        at: &State<'_, T>,
        (time, weight): (T, T),
        stage: &mut Stage<'_, T>,
    ) {
        let n = at.v.len();
        scale(stage.u, self.rate, time);
        copy(stage.v, at.v);
        add_scaled(stage.v, self.acceleration, time);
        for (to, from) in stage.by_u.iter_mut().zip(&self.by_rate) {
            scale_matrix(to, from, time);
        }
        for (to, from) in stage.by_v.iter_mut().zip(&self.by_acceleration) {
            scale_matrix(to, from, time);
        }
        let [_, by_v, _] = &mut stage.by_v;
        add_diagonal(by_v, T::one(), n);
        for (to, from) in self.by_place.iter_mut().zip(&stage.by_u) {
            copy(to, from);
        }
        let [of_q, of_v, of_tau] = &mut self.by_place;
        through_integrate(robot.joints(), stage.u, of_q, [of_v, of_tau], n);
        robot.integrate(at.q, stage.u, self.place);
        let joints = robot.joints();
        let first = robot.aba_derivatives(self.place, stage.v, at.tau);
        copy(self.acceleration, first.ddq);
        let [ddq_dq, ddq_dv, ddq_dtau] = first.by;
        let each = self.by_acceleration.iter_mut().zip(&self.by_place).zip(&stage.by_v);
        for ((to, place), velocity) in each {
            to.fill(T::zero());
            R::add_product(to, ddq_dq, place, n);
            R::add_product(to, ddq_dv, velocity, n);
        }
        let [_, _, by_tau] = &mut self.by_acceleration;
        add(by_tau, ddq_dtau);
        rate(joints.clone(), stage.u, stage.v, self.rate);
        let each = self.by_rate.iter_mut().zip(&stage.by_u).zip(&stage.by_v);
        for ((to, by_u), by_v) in each {
            rate::derivatives(joints.clone(), [stage.u, stage.v], [by_u, by_v], to, n);
        }
        add_scaled(self.along, self.rate, weight);
        add_scaled(self.gained, self.acceleration, weight);
        for (to, from) in self.by_along.iter_mut().zip(&self.by_rate) {
            add_scaled_matrix(to, from, weight);
        }
        for (to, from) in self.by_gained.iter_mut().zip(&self.by_acceleration) {
            add_scaled_matrix(to, from, weight);
        }
    }
}

pub(super) fn derivatives<R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    at: &State<'_, T>,
    mut scratch: Scratch<'_, T>,
    out: &mut DerivativesOut<'_, T>,
) {
    let n = at.v.len();
    let mut sums = Sums::new(&mut scratch, at.q.len(), n);
    let mut stage = Stage::new(&mut scratch, n);
    for (time, weight) in STAGES {
        let times = (T::from_f64(time) * at.dt, T::from_f64(weight) * at.dt);
        sums.stage(robot, at, times, &mut stage);
    }
    robot.integrate(at.q, sums.along, out.q);
    copy(out.v, at.v);
    add(out.v, sums.gained);
    let sum = sums.by_along.iter().chain(&sums.by_gained);
    for (to, from) in out.blocks.iter_mut().zip(sum) {
        copy(to, from);
    }
    let [dq_dq, dq_dv, dq_dtau, _, dv_dv, _] = &mut out.blocks;
    through_integrate(robot.joints(), sums.along, dq_dq, [dq_dv, dq_dtau], n);
    add_diagonal(dv_dv, T::one(), n);
}

/// All stages of a step, with their sums.
pub(super) fn stages<'a, R: StepRobot<T>, T: Scalar>(
    robot: &mut R,
    at: &State<'_, T>,
    scratch: &mut Scratch<'a, T>,
) -> ([Stage<'a, T>; 4], Sums<'a, T>) {
    let n = at.v.len();
    let mut sums = Sums::new(scratch, at.q.len(), n);
    let stages = STAGES.map(|(time, weight)| {
        let mut stage = Stage::new(scratch, n);
        let times = (T::from_f64(time) * at.dt, T::from_f64(weight) * at.dt);
        sums.stage(robot, at, times, &mut stage);
        stage
    });
    (stages, sums)
}
