//! Factors of a symmetric positive definite matrix.

use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};
use crate::limbs::Plain;
use crate::linalg::columns::{Columns, RowBlock, mirror};
use crate::simd::LANES;
use core::fmt;
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Factors `L D L^T` of a symmetric positive definite matrix: L has a unit diagonal, D is diagonal.
/// No square root is taken.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 4.1.2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cholesky<T, const N: usize> {
    /// L below the diagonal, L^T above, the reciprocals of D on it.
    factors: SMatrix<T, N, N>,
}

/// A matrix is not positive definite, or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indefinite {
    /// The first pivot that is not positive: the leading block of this many rows is positive definite.
    pub pivot: usize,
}

impl fmt::Display for Indefinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the matrix is not positive definite: pivot {} is not positive", self.pivot)
    }
}

impl core::error::Error for Indefinite {}

impl<T: Scalar + PartialOrd, const N: usize> Cholesky<T, N> {
    /// Factors a matrix. Only the diagonal and the entries below it are read.
    ///
    /// ```
    /// use nalgebra::{Matrix2, Vector2};
    /// use rbd_runtime::linalg::{Cholesky, Indefinite};
    /// # fn main() -> Result<(), Indefinite> {
    /// let factors = Cholesky::new(&Matrix2::new(4.0, 2.0, 2.0, 3.0))?;
    /// assert_eq!(factors.solve(&Vector2::new(8.0, 8.0)), Vector2::new(1.0, 2.0));
    /// let saddle = Matrix2::new(1.0, 2.0, 2.0, 3.0);
    /// assert_eq!(Cholesky::new(&saddle), Err(Indefinite { pivot: 1 }));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Indefinite`] if a pivot is not positive, NaN or infinite.
    pub fn new(matrix: &SMatrix<T, N, N>) -> Result<Self, Indefinite> {
        let mut factors = *matrix;
        let mut pivots = SVector::from_data(ArrayStorage([[T::zero(); N]]));
        T::dispatch(Factor { factors: &mut factors, pivots: &mut pivots });
        // Only finite numbers times zero are zero.
        let zero = T::zero();
        let good = |x: &T| *x > zero && *x * zero == zero;
        match pivots.iter().position(|pivot| !good(pivot)) {
            Some(pivot) => Err(Indefinite { pivot }),
            None => Ok(Self { factors }),
        }
    }
}

impl<T: Scalar, const N: usize> Cholesky<T, N> {
    /// The solution x of `M x = b`, for each column of `b`.
    #[must_use]
    pub fn solve<const C: usize>(&self, b: &SMatrix<T, N, C>) -> SMatrix<T, N, C> {
        let mut x = *b;
        self.solve_in_place(&mut x);
        x
    }

    /// [`Self::solve`] where `b` is.
    pub fn solve_in_place<const C: usize>(&self, b: &mut SMatrix<T, N, C>) {
        T::dispatch(Solve { factors: &self.factors, x: b });
    }
}

/// Factors a matrix in place, four columns at a time: the columns before them are subtracted as a
/// product.
struct Factor<'a, T, const N: usize> {
    factors: &'a mut SMatrix<T, N, N>,
    pivots: &'a mut SVector<T, N>,
}

impl<T: Scalar, const N: usize> Dispatched<T> for Factor<'_, T, N> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let f = &mut recast.matrix_mut(self.factors).data.0;
        let [d] = &mut recast.matrix_mut(self.pivots).data.0;
        let mut column = 0;
        while column < N {
            match N - column {
                1 => panel::<S, N, 1>(f, d, column),
                2 => panel::<S, N, 2>(f, d, column),
                3 => panel::<S, N, 3>(f, d, column),
                _ => panel::<S, N, 4>(f, d, column),
            }
            column += 4;
        }
        mirror(f);
    }
}

/// Whole columns, whose length the compiler knows. Entries above the diagonal are meaningless until
/// they are mirrored.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn panel<T: Scalar, const N: usize, const C: usize>(f: &mut [[T; N]; N], d: &mut [T; N], column: usize) {
    let Some((mut own, _)) = f.get(column..).and_then(<[_]>::split_first_chunk::<C>).map(|(x, y)| (*x, y))
    else {
        return;
    };
    if column > 0 {
        let mut x = [[T::zero(); N]; C];
        for k in 0..column {
            for c in 0..C {
                x[c][k] = f[k][column + c] * d[k];
            }
        }
        let mut taken = [[T::zero(); N]; C];
        let blocks = [RowBlock { rows: (column, N), terms: &[(0, column)] }];
        Columns { a: f, first: 0, x: &x, base: None, out: &mut taken }.make::<Plain<T, LANES>>(&blocks);
        for c in 0..C {
            for i in 0..N {
                own[c][i] -= taken[c][i];
            }
        }
    }
    for c in 0..C {
        let j = column + c;
        for p in 0..c {
            let before = own[p];
            let factor = -(before[j] * d[column + p]);
            for i in 0..N {
                own[c][i] = before[i].mul_add(factor, own[c][i]);
            }
        }
        d[j] = own[c][j];
        let reciprocal = T::one() / d[j];
        for i in 0..N {
            own[c][i] *= reciprocal;
        }
        own[c][j] = reciprocal;
    }
    if let Some((place, _)) = f.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>) {
        *place = own;
    }
}

/// Solves in place: L, then D, then L^T, each time a multiple of a column at once.
struct Solve<'a, T, const N: usize, const C: usize> {
    factors: &'a SMatrix<T, N, N>,
    x: &'a mut SMatrix<T, N, C>,
}

impl<T: Scalar, const N: usize, const C: usize> Dispatched<T> for Solve<'_, T, N, C> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let f = &recast.matrix(self.factors).data.0;
        for x in &mut recast.matrix_mut(self.x).data.0 {
            for k in 0..N {
                let factor = -x[k];
                for i in k + 1..N {
                    x[i] = f[k][i].mul_add(factor, x[i]);
                }
            }
            for k in 0..N {
                x[k] *= f[k][k];
            }
            for k in (0..N).rev() {
                let factor = -x[k];
                for i in 0..k {
                    x[i] = f[k][i].mul_add(factor, x[i]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::tests::on_heap;
    use nalgebra::DMatrix;

    fn number(r: usize, c: usize, seed: usize) -> f64 {
        ((r * 7 + c * 3 + r * c + seed * 5) % 11) as f64 * 0.1 - 0.5
    }

    fn definite(n: usize) -> DMatrix<f64> {
        let factor = DMatrix::from_fn(n, n, |r, c| number(r, c, 1));
        &factor * factor.transpose() + DMatrix::identity(n, n) * 0.3
    }

    fn check<const N: usize>() {
        let m = definite(N);
        // Entries above the diagonal are not read.
        let lower = SMatrix::<f64, N, N>::from_fn(|r, c| if r < c { f64::NAN } else { m[(r, c)] });
        let factors = Cholesky::new(&lower).unwrap();
        let b = SMatrix::<f64, N, 5>::from_fn(|r, c| number(r, c, 2));
        let solved = factors.solve(&b);
        let (b, x) = (on_heap(&b), on_heap(&solved));
        let expected = nalgebra::linalg::Cholesky::new(m.clone()).unwrap().solve(&b);
        let error = (&x - &expected).amax();
        assert!(error <= 1e-12 * expected.amax(), "{N}: {error}");
        assert!((&m * x - &b).amax() < 1e-12);
        let mut vector = SVector::<f64, N>::from_fn(|r, _| b[(r, 0)]);
        factors.solve_in_place(&mut vector);
        assert_eq!(vector, solved.column(0));
        // As compiled.
        let (mut again, mut pivots) = (lower, SVector::<f64, N>::zeros());
        Factor { factors: &mut again, pivots: &mut pivots }.run(Recast::<f64, f64>::identity());
        let l = DMatrix::from_fn(N, N, |r, c| if r == c { 1.0 } else { again[(r, c)] }).lower_triangle();
        let scaled = DMatrix::from_fn(N, N, |r, c| l[(r, c)] * pivots[c]);
        let error = (scaled * l.transpose() - m).amax();
        assert!(error < 1e-13, "{N}: {error}");
    }

    #[test]
    fn agrees_with_nalgebra_for_every_size_of_remainder() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<7>();
        check::<8>();
        check::<13>();
        check::<18>();
        check::<23>();
        check::<36>();
    }

    #[test]
    fn nothing_is_definite() {
        assert_eq!(
            Cholesky::new(&SMatrix::<f64, 0, 0>::zeros())
                .unwrap()
                .solve(&SMatrix::<f64, 0, 2>::zeros())
                .len(),
            0
        );
    }

    #[test]
    fn the_first_pivot_that_is_not_positive_is_named() {
        for pivot in 0..9 {
            for wrong in [-1.0, 0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut m = SMatrix::<f64, 9, 9>::identity() * 2.0;
                m[(pivot, pivot)] = wrong;
                assert_eq!(Cholesky::new(&m), Err(Indefinite { pivot }), "{wrong}");
            }
        }
        // Its diagonal is positive, and so are all 2 by 2 blocks.
        let m = nalgebra::Matrix3::new(1.0, 0.9, 0.9, 0.9, 1.0, 0.5, 0.9, 0.5, 1.0);
        assert_eq!(Cholesky::new(&m), Err(Indefinite { pivot: 2 }));
        assert_eq!(Cholesky::new(&m.map(|x| x as f32)), Err(Indefinite { pivot: 2 }));
    }

    #[test]
    fn says_what_is_wrong() {
        extern crate std;
        let said = std::string::ToString::to_string(&Indefinite { pivot: 3 });
        assert_eq!(said, "the matrix is not positive definite: pivot 3 is not positive");
    }
}
