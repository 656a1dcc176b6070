//! Accelerations under damping that is taken at the end of a step (docs/math.md#implicit-damping).
//!
//! [`Damped`] is a robot whose forward dynamics are `x = (M + dt D)^-1 (tau - b)`. Euler's semi-implicit step
//! of that robot is the step with implicit damping. It is made of the robot's own functions, by
//! `x = aba(q, v, tau - dt D x)`.

use super::arithmetic::{Scratch, add_scaled, columns, columns_mut, copy, scale};
use super::robot::{Accelerations, StepRobot, Weighted};
use crate::Scalar;

/// Which results a step asks for.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Order {
    Values,
    Derivatives,
    Hessian,
}

/// A robot whose joint damping is taken at the end of the step.
pub(super) struct Damped<'r, 'a, R, T> {
    robot: &'r mut R,
    n: usize,
    /// `dt d` of each velocity coordinate.
    damping: &'a mut [T],
    /// Triangular factors of `1 + dt M^-1 D`.
    factors: &'a mut [T],
    /// The accelerations x, and `tau - dt D x`.
    ddq: &'a mut [T],
    tau: &'a mut [T],
    /// Derivatives of x by q, v and tau.
    by: [&'a mut [T]; 3],
    /// Weights of `aba` that weigh x by others.
    weight: &'a mut [T],
    /// Hessians by qq, qv and q tau, and memory for two matrices.
    second: [&'a mut [T]; 3],
    work: [&'a mut [T]; 2],
}

impl<'r, 'a, R: StepRobot<T>, T: Scalar> Damped<'r, 'a, R, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(robot: &'r mut R, dt: T, n: usize, order: Order, scratch: &mut Scratch<'a, T>) -> Self {
        let [damping, ddq, tau] = core::array::from_fn(|_| scratch.vector(n));
        for (k, damping) in damping.iter_mut().enumerate() {
            *damping = T::from_f64(robot.damping(k)) * dt;
        }
        let factors = scratch.matrix(n);
        let of_first = if order >= Order::Derivatives { n } else { 0 };
        let of_second = if order >= Order::Hessian { n } else { 0 };
        Self {
            robot,
            n,
            damping,
            factors,
            ddq,
            tau,
            by: scratch.matrices(of_first),
            weight: scratch.vector(of_second),
            second: scratch.matrices(of_second),
            work: [scratch.matrix(of_second), scratch.matrix(of_second)],
        }
    }

    /// Finds x and the torques at which `aba` gives it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn find(&mut self, q: &[T], v: &[T], tau: &[T]) {
        let [ddq, by_tau] = self.robot.aba_by_torques(q, v, tau);
        let each = columns_mut(self.factors, self.n).zip(columns(by_tau, self.n));
        for (k, ((to, from), damping)) in each.zip(&*self.damping).enumerate() {
            scale(to, from, *damping);
            if let Some(x) = to.get_mut(k) {
                *x += T::one();
            }
        }
        copy(self.ddq, ddq);
        factor(self.factors, self.n);
        solve(self.factors, self.ddq, self.n);
        let each = self.tau.iter_mut().zip(tau).zip(&*self.damping).zip(&*self.ddq);
        for (((to, tau), damping), x) in each {
            *to = *tau - *damping * *x;
        }
    }
}

/// Writes derivatives of x: those of `aba` at the torques found, solved with the factors.
#[cfg_attr(not(debug_assertions), inline(always))]
fn solve_each<T: Scalar>(to: &mut [&mut [T]; 3], from: [&[T]; 3], factors: &[T], n: usize) {
    for (to, from) in to.iter_mut().zip(from) {
        for (to, from) in columns_mut(to, n).zip(columns(from, n)) {
            copy(to, from);
            solve(factors, to, n);
        }
    }
}

impl<R: StepRobot<T>, T: Scalar> StepRobot<T> for Damped<'_, '_, R, T> {
    type Joints = R::Joints;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn joints(&self) -> Self::Joints {
        self.robot.joints()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]) {
        self.robot.integrate(q, u, out);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn damping(&self, coordinate: usize) -> f64 {
        self.robot.damping(coordinate)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        self.find(q, v, tau);
        copy(ddq, self.ddq);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        self.find(q, v, tau);
        let first = self.robot.aba_derivatives(q, v, self.tau);
        solve_each(&mut self.by, first.by, self.factors, self.n);
        Accelerations { ddq: self.ddq, by: self.by.each_ref().map(|by| &**by) }
    }

    fn aba_hessian(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
    ) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        self.find(q, v, tau);
        let Self { robot, n, damping, factors, ddq, tau, by, weight, second, work } = self;
        let n = *n;
        copy(weight, lambda);
        solve_transposed(factors, weight, n);
        let (first, of) = robot.aba_hessian(q, v, tau, weight);
        solve_each(by, first.by, factors, n);
        let by = by.each_ref().map(|by| &**by);
        for (to, from) in second.iter_mut().zip([of.dqdq, of.dqdv, of.dqdtau]) {
            copy(to, from);
        }
        // The torques of `aba` move by -dt D dx, and its Hessian has `dqdtau` along them.
        let ([through, product], [dqdq, dqdv, dqdtau]) = (work, second);
        let each = columns_mut(through, n).zip(columns(of.dqdtau, n));
        for ((to, from), damping) in each.zip(&**damping) {
            scale(to, from, -*damping);
        }
        product.fill(T::zero());
        R::add_product(product, through, by[0], n);
        R::add_product(dqdv, through, by[1], n);
        R::add_product(dqdtau, through, by[2], n);
        for (i, (to, column)) in columns_mut(dqdq, n).zip(columns(product, n)).enumerate() {
            for ((to, x), row) in to.iter_mut().zip(column).zip(columns(product, n)) {
                *to += *x + row.get(i).copied().unwrap_or(T::zero());
            }
        }
        let weighted = Weighted { gradients: of.gradients, dqdq, dqdv, dvdv: of.dvdv, dqdtau };
        (Accelerations { ddq, by }, weighted)
    }
}

/// Subtracts from the entries below each pivot what the columns of L have of `x`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn forward<T: Scalar>(lower: &[T], x: &mut [T], n: usize) {
    for (k, column) in columns(lower, n).enumerate() {
        let Some((pivot, below)) = x.get_mut(k..).and_then(<[T]>::split_first_mut) else { return };
        if let Some(column) = column.get(k + 1..) {
            add_scaled(below, column, -*pivot);
        }
    }
}

/// Factors a matrix into L, whose diagonal is 1, and U, in its place. The diagonal receives the reciprocals
/// of U's.
///
/// No pivots are searched. `1 + dt M^-1 D` has those of the positive definite matrix
/// `1 + dt D^1/2 M^-1 D^1/2`, and its factors have the accuracy of Cholesky's.
fn factor<T: Scalar>(matrix: &mut [T], n: usize) {
    for k in 0..n {
        let done = (k * n).min(matrix.len());
        let (lower, rest) = matrix.split_at_mut(done);
        let Some(column) = columns_mut(rest, n).next() else { return };
        forward(lower, column, n);
        let Some((pivot, below)) = column.get_mut(k..).and_then(<[T]>::split_first_mut) else { return };
        *pivot = T::one() / *pivot;
        for x in below {
            *x *= *pivot;
        }
    }
}

/// Solves with the factors, in place.
#[cfg_attr(not(debug_assertions), inline(always))]
fn solve<T: Scalar>(factors: &[T], x: &mut [T], n: usize) {
    forward(factors, x, n);
    for (k, column) in columns(factors, n).enumerate().rev() {
        let Some((last, above)) = x.get_mut(..=k).and_then(<[T]>::split_last_mut) else { return };
        let Some((pivot, column)) = column.get(..=k).and_then(<[T]>::split_last) else { return };
        *last *= *pivot;
        add_scaled(above, column, -*last);
    }
}

/// Solves with the transposed factors, in place.
fn solve_transposed<T: Scalar>(factors: &[T], x: &mut [T], n: usize) {
    let less = |x: T, [a, b]: [&[T]; 2]| a.iter().zip(b).fold(x, |x, (a, b)| x - *a * *b);
    for (k, column) in columns(factors, n).enumerate() {
        let Some((last, above)) = x.get_mut(..=k).and_then(<[T]>::split_last_mut) else { return };
        let Some((pivot, column)) = column.get(..=k).and_then(<[T]>::split_last) else { return };
        *last = less(*last, [above, column]) * *pivot;
    }
    for (k, column) in columns(factors, n).enumerate().rev() {
        let Some((first, below)) = x.get_mut(k..).and_then(<[T]>::split_first_mut) else { return };
        if let Some(column) = column.get(k + 1..) {
            *first = less(*first, [below, column]);
        }
    }
}
