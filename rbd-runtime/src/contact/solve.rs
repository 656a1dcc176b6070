//! The Delassus matrix and its factors.

use crate::__private::zeros;
use crate::Scalar;
use crate::linalg::{self, Factor, Inverse, Solve};
use nalgebra::SMatrix;

/// Delassus matrix `G = J M^-1 J^T`, with factors `L D L^T` of `G + mu I` that leave out dependent
/// rows.
pub(super) struct Delassus<T, const NR: usize> {
    pub matrix: SMatrix<T, NR, NR>,
    /// None before they are made: memory that is zeroed costs as much as a solution.
    factors: Option<SMatrix<T, NR, NR>>,
    iterations: usize,
}

impl<T: Scalar, const NR: usize> Delassus<T, NR> {
    /// The matrix of no active row, with a number of iterations.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn zeros(iterations: usize) -> Self {
        Self { matrix: zeros(), factors: None, iterations }
    }

    /// Makes the factors of the matrix that is there. Rows that are not active are zero in it, and stay so.
    pub fn factor(&mut self, active: &[bool; NR], mu: T) {
        let factors = self.factors.insert(self.matrix);
        for (k, (column, active)) in factors.data.0.iter_mut().zip(active).enumerate() {
            if let (Some(x), true) = (column.get_mut(k), active) {
                *x += mu;
            }
        }
        T::dispatch(Factor { factors });
    }

    /// The solution `f` of `G f = rhs`, as far as the iterations lead; zero without factors.
    pub fn solve<const C: usize>(&self, rhs: &SMatrix<T, NR, C>) -> SMatrix<T, NR, C> {
        let Some(factors) = &self.factors else { return zeros() };
        let mut f = *rhs;
        T::dispatch(Solve { factors, x: &mut f });
        self.refine(rhs, &mut f);
        f
    }

    /// Returns whether the active rows are so independent that products with an inverse are as good
    /// as solutions.
    ///
    /// Each row must keep a thousandth of its diagonal entry (in numbers of seven digits, a tenth)
    /// next to the rows before it, without `mu`. If rows nearly depend on others, the inverse is
    /// huge, and digits that cancel in solutions do not cancel in products. Several states in lanes
    /// are judged together.
    pub fn is_regular(&self, active: &[bool; NR], mu: T) -> bool {
        let Some(factors) = &self.factors else { return false };
        let (zero, one) = (T::zero(), T::one());
        let mut lost = zero;
        let digits = (one + T::from_f64(1e-10)) - one;
        let kept = digits.select_lt(1e-11, T::from_f64(0.1), T::from_f64(1e-3));
        // In arrays, so that rows do not wait for one another.
        let (mut entries, mut reciprocals) = ([one; NR], [one; NR]);
        let columns = self.matrix.data.0.iter().zip(&factors.data.0).zip(active);
        for (k, ((column, factors), _)) in columns.enumerate().filter(|(_, (_, active))| **active) {
            let (Some(&entry), Some(&reciprocal)) = (column.get(k), factors.get(k)) else { continue };
            if let (Some(to), Some(of)) = (entries.get_mut(k), reciprocals.get_mut(k)) {
                (*to, *of) = (entry, reciprocal);
            }
        }
        for ((entry, reciprocal), active) in entries.iter().zip(&reciprocals).zip(active) {
            let (entry, reciprocal, mu) = (*entry, *reciprocal, if *active { mu } else { zero });
            // NaN is not less.
            let small = entry * kept + mu;
            let large = (small * reciprocal - one).select_lt(0.0, zero, one);
            // The quotient of entry and pivot is at least 1, or zero for a row that is left out.
            lost += ((entry + mu) * reciprocal - T::from_f64(0.5)).select_lt(0.0, one, large);
        }
        lost == zero
    }

    /// The solutions for all unit vectors: the inverse. It is symmetric, and zero without factors.
    pub fn inverse(&self) -> SMatrix<T, NR, NR> {
        let Some(factors) = &self.factors else { return zeros() };
        let mut f = unit();
        T::dispatch(Inverse { factors, out: &mut f });
        if self.iterations > 1 {
            self.refine(&unit(), &mut f);
        }
        f
    }

    /// Adds the iterations after the first to a solution.
    fn refine<const C: usize>(&self, rhs: &SMatrix<T, NR, C>, f: &mut SMatrix<T, NR, C>) {
        let Some(factors) = &self.factors else { return };
        for _ in 1..self.iterations {
            let mut rest = self.left(rhs, f);
            T::dispatch(Solve { factors, x: &mut rest });
            *f += rest;
        }
    }

    /// `rhs - G f`.
    pub fn left<const C: usize>(&self, rhs: &SMatrix<T, NR, C>, f: &SMatrix<T, NR, C>) -> SMatrix<T, NR, C> {
        let mut taken = zeros();
        linalg::mul_into(&self.matrix, f, &mut taken);
        *rhs - taken
    }
}

/// The identity.
pub(super) fn unit<T: Scalar, const N: usize>() -> SMatrix<T, N, N> {
    let mut unit: SMatrix<T, N, N> = zeros();
    for (k, column) in unit.data.0.iter_mut().enumerate() {
        if let Some(x) = column.get_mut(k) {
            *x = T::one();
        }
    }
    unit
}
