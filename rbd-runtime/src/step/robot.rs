//! A robot as its steps see it: joints, `integrate`, and functions of forward dynamics on slices.

use crate::{JointKind, Scalar};

/// Type and coordinates of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovingJoint {
    /// Joint type.
    pub kind: JointKind,
    /// First configuration coordinate.
    pub idx_q: usize,
    /// First velocity coordinate.
    pub idx_v: usize,
    /// Number of velocity coordinates; 0 for a mimic joint.
    pub nv: usize,
}

/// First derivatives of accelerations. Matrices are by columns.
#[derive(Clone, Copy, Debug)]
pub struct Accelerations<'a, T> {
    /// The accelerations.
    pub ddq: &'a [T],
    /// Derivatives by q, v and tau.
    pub by: [&'a [T]; 3],
}

/// Gradient and Hessian of weighted accelerations.
#[derive(Clone, Copy, Debug)]
pub struct Weighted<'a, T> {
    /// Gradients by q, v and tau.
    pub gradients: [&'a [T]; 3],
    /// Hessian by q and q.
    pub dqdq: &'a [T],
    /// Hessian by q and v.
    pub dqdv: &'a [T],
    /// Hessian by v and v.
    pub dvdv: &'a [T],
    /// Hessian by q and tau.
    pub dqdtau: &'a [T],
}

impl<T> Weighted<'_, T> {
    /// Empty results, of a robot that was not given memory for them.
    pub(super) const fn nothing() -> Self {
        Self { gradients: [&[]; 3], dqdq: &[], dqdv: &[], dvdv: &[], dqdtau: &[] }
    }
}

/// A robot as its steps see it. Results are in memory of its own.
pub trait StepRobot<T: Scalar> {
    /// Iterator over joints.
    type Joints: Iterator<Item = MovingJoint> + Clone;
    /// The joints.
    fn joints(&self) -> Self::Joints;
    /// Writes the configuration that the motion `u` leads to.
    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]);
    /// Damping of a velocity coordinate, N m s/rad or N s/m, whose force is part of the accelerations. Only
    /// [`ImplicitDamping`](crate::Integrator::ImplicitDamping) asks for it. Zero unless the robot states it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn damping(&self, coordinate: usize) -> f64 {
        let _ = coordinate;
        0.0
    }
    /// Writes accelerations.
    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]);
    /// Accelerations, and their derivatives by the torques: the inverse of the mass matrix.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aba_by_torques(&mut self, q: &[T], v: &[T], tau: &[T]) -> [&[T]; 2] {
        let first = self.aba_derivatives(q, v, tau);
        [first.ddq, first.by[2]]
    }
    /// Accelerations with first derivatives.
    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T>;
    /// Accelerations with first derivatives, and the Hessian of their sum weighted with `lambda`.
    fn aba_hessian(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
    ) -> (Accelerations<'_, T>, Weighted<'_, T>);

    /// Solves `(1 + dt M^-1 D) y = x` in the place of `x`, and inverts the matrix in its place if `inverts`.
    /// `column` is memory for a column.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn solve_damped(&self, matrix: &mut [T], x: &mut [T], column: &mut [T], inverts: bool) {
        let is_damped = |k| self.damping(k) != 0.0;
        match inverts {
            true => super::damped::solve::<T, true>(matrix, x, column, is_damped),
            false => super::damped::solve::<T, false>(matrix, x, column, is_damped),
        }
    }

    /// `to += a b`, of matrices of `n` rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add_product(to: &mut [T], a: &[T], b: &[T], n: usize) {
        super::arithmetic::add_product(to, a, b, n);
    }

    /// `to += a^T b`, of matrices of `n` rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add_transposed_product(to: &mut [T], a: &[T], b: &[T], n: usize) {
        super::arithmetic::add_transposed_product(to, a, b, n);
    }

    /// True if any joint turns.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn turns(&self) -> bool {
        self.joints().any(|joint| joint.nv > 1)
    }
}
