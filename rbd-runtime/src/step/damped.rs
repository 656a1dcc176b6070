//! Accelerations under damping that is taken at the end of a step (docs/math.md#implicit-damping).
//!
//! [`Damped`] is a robot whose forward dynamics are `x = (M + dt D)^-1 (tau - b)`. Euler's semi-implicit step
//! of that robot is the step with implicit damping. It is made of the robot's own functions, by
//! `x = aba(q, v, tau - dt D x)`.

use super::arithmetic::{Scratch, add_scaled, columns, columns_mut, copy, scale};
use super::robot::{Accelerations, StepRobot, Weighted};
use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};
use nalgebra::{SMatrix, SVector};

/// Results that a step asks for.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Order {
    Values,
    Derivatives,
    Hessian,
}

/// A robot whose joint damping is taken at the end of the step.
pub(super) struct Damped<'r, 'a, R, T> {
    robot: &'r mut R,
    order: Order,
    n: usize,
    /// `dt d` of each velocity coordinate.
    damping: &'a mut [T],
    /// `(1 + dt M^-1 D)^-1`: the derivative of x by the accelerations of `aba`. Values leave it alone.
    by_undamped: &'a mut [T],
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
    pub(super) fn new(
        robot: &'r mut R,
        dt: T,
        order: Order,
        by: [&'a mut [T]; 3],
        (n, scratch): (usize, &mut Scratch<'a, T>),
    ) -> Self {
        let [damping, ddq, tau] = core::array::from_fn(|_| scratch.vector(n));
        for (k, damping) in damping.iter_mut().enumerate() {
            *damping = T::from_f64(robot.damping(k)) * dt;
        }
        let by_undamped = scratch.matrix(n);
        let of_second = if order >= Order::Hessian { n } else { 0 };
        Self {
            robot,
            order,
            n,
            damping,
            by_undamped,
            ddq,
            tau,
            by,
            weight: scratch.vector(of_second),
            second: scratch.matrices(of_second),
            work: [scratch.matrix(of_second), scratch.matrix(of_second)],
        }
    }

    /// Finds x and the torques at which `aba` gives it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn find(&mut self, q: &[T], v: &[T], tau: &[T]) {
        let [ddq, by_tau] = self.robot.aba_by_torques(q, v, tau);
        let each = columns_mut(self.by_undamped, self.n).zip(columns(by_tau, self.n));
        for (k, ((to, from), damping)) in each.zip(&*self.damping).enumerate() {
            scale(to, from, *damping);
            if let Some(x) = to.get_mut(k) {
                *x += T::one();
            }
        }
        copy(self.ddq, ddq);
        // Until they are found, the torques' memory is the elimination's.
        self.robot.solve_damped(self.by_undamped, self.ddq, self.tau, self.order > Order::Values);
        let each = self.tau.iter_mut().zip(tau).zip(&*self.damping).zip(&*self.ddq);
        for (((to, tau), damping), x) in each {
            *to = *tau - *damping * *x;
        }
    }
}

/// Writes derivatives of x, from those of `aba` at the torques found.
#[cfg_attr(not(debug_assertions), inline(always))]
fn damp_each<R: StepRobot<T>, T: Scalar>(
    to: &mut [&mut [T]; 3],
    from: [&[T]; 3],
    by_undamped: &[T],
    n: usize,
) {
    for (to, from) in to.iter_mut().zip(from) {
        to.fill(T::zero());
        R::add_product(to, by_undamped, from, n);
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
        damp_each::<R, T>(&mut self.by, first.by, self.by_undamped, self.n);
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
        let Self { robot, n, damping, by_undamped, ddq, tau, by, weight, second, work, .. } = self;
        let n = *n;
        for (weight, column) in weight.iter_mut().zip(columns(by_undamped, n)) {
            *weight = column.iter().zip(lambda).fold(T::zero(), |sum, (a, b)| a.mul_add(*b, sum));
        }
        let (first, of) = robot.aba_hessian(q, v, tau, weight);
        damp_each::<R, T>(by, first.by, by_undamped, n);
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

/// Takes from a column its multiple of the pivot's, by Gauss and Jordan. Row `k` receives the multiple.
#[cfg_attr(not(debug_assertions), inline(always))]
fn eliminate<T: Scalar>(column: &mut [T], pivots: &[T], k: usize, pivot: T) {
    let Some(multiple) = column.get(k).map(|x| *x * pivot) else { return };
    add_scaled(column, pivots, -multiple);
    if let Some(x) = column.get_mut(k) {
        *x = multiple;
    }
}

/// Solves `(1 + dt M^-1 D) y = x` in the place of `x`, and leaves the inverse in that of the matrix if
/// `INVERT`. `pivots` is memory for a column.
///
/// No pivots are searched. The matrix has those of the positive definite `1 + dt D^1/2 M^-1 D^1/2`, which
/// needs no search (Higham, Accuracy and Stability of Numerical Algorithms, 14.4). Columns of coordinates
/// without damping are those of 1, and remain so.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn solve<T: Scalar, const INVERT: bool>(
    matrix: &mut [T],
    x: &mut [T],
    pivots: &mut [T],
    is_damped: impl Fn(usize) -> bool,
) {
    let n = x.len();
    for k in 0..n {
        if !is_damped(k) {
            continue;
        }
        let Some(column) = columns_mut(matrix, n).nth(k) else { return };
        copy(pivots, column);
        let Some(pivot) = pivots.get(k).map(|x| T::one() / *x) else { return };
        if INVERT {
            // The inverse's column is made of that of 1, in the place of the matrix'.
            column.fill(T::zero());
            if let Some(x) = column.get_mut(k) {
                *x = T::one();
            }
        }
        eliminate(x, pivots, k, pivot);
        for (j, column) in columns_mut(matrix, n).enumerate() {
            if (INVERT || j > k) && is_damped(j) {
                eliminate(column, pivots, k, pivot);
            }
        }
    }
}

/// [`solve`] of a compiled robot, whose columns are registers since the compiler knows their length.
pub(super) struct Solve<'a, T, const NV: usize, const INVERT: bool> {
    pub matrix: &'a mut SMatrix<T, NV, NV>,
    pub x: &'a mut SVector<T, NV>,
    pub damping: &'static [f64],
}

impl<T: Scalar, const NV: usize, const INVERT: bool> Dispatched<T> for Solve<'_, T, NV, INVERT> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, _: Recast<T, S>) {
        let is_damped = |k| matches!(self.damping.get(k), Some(d) if *d != 0.0);
        let (matrix, mut pivots) = (self.matrix.data.0.as_flattened_mut(), [T::zero(); NV]);
        solve::<T, INVERT>(matrix, &mut self.x.data.0[0], &mut pivots, is_damped);
    }
}

/// [`solve`] with the instructions that the processor has, and the inverse if `inverts`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn solve_of<T: Scalar, const NV: usize>(
    matrix: &mut [T],
    x: &mut [T],
    damping: &'static [f64],
    inverts: bool,
) {
    let as_matrix = Recast::<T, T>::identity();
    let Some(matrix) = as_matrix.matrix_of_mut::<NV, NV>(matrix) else { return };
    let Some(x) = as_matrix.matrix_of_mut::<NV, 1>(x) else { return };
    match inverts {
        true => T::dispatch(Solve::<_, _, true> { matrix, x, damping }),
        false => T::dispatch(Solve::<_, _, false> { matrix, x, damping }),
    }
}
