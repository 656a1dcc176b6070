//! The triangle of a QR decomposition, with more rows folded in: what identification keeps of its states.

use crate::array;
use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Dispatched, Recast};

/// Folds rows into a triangle: R of the QR decomposition of both, one above the other.
///
/// `triangle`, (n, n), has a diagonal that is not negative, and keeps it. `rows`, (m, n), are used up.
#[pyfunction]
pub fn fold(
    py: Python<'_>,
    triangle: &Bound<'_, PyArrayDyn<f64>>,
    rows: &Bound<'_, PyArrayDyn<f64>>,
) -> PyResult<()> {
    let (square, wide) = (triangle.shape(), rows.shape());
    let fit = matches!((square, wide), ([n, k], [_, l]) if n == k && n == l);
    let is_plain = |array: &Bound<'_, PyArrayDyn<f64>>| {
        let writeable = array.getattr("flags")?.getattr("writeable")?.is_truthy()?;
        Ok::<bool, PyErr>(array.is_c_contiguous() && array.is_aligned() && writeable)
    };
    let (a, b) = (array::bytes(triangle), array::bytes(rows));
    let apart = a.end <= b.start || b.end <= a.start;
    if !fit || !apart || !is_plain(triangle)? || !is_plain(rows)? {
        return Err(PyValueError::new_err(
            "fold: arrays must be of shapes (n, n) and (m, n), in C's order, writeable and apart",
        ));
    }
    let n = square[0];
    // SAFETY: contiguous, aligned and apart, as was checked.
    let (triangle, rows) = unsafe { (array::places(triangle), array::places(rows)) };
    py.detach(|| f64::dispatch(Fold { triangle, rows, n }));
    Ok(())
}

/// Householder's reflections, a column at a time (Golub and Van Loan, Matrix Computations, 5.1 and 5.2).
struct Fold<'a> {
    triangle: &'a mut [f64],
    rows: &'a mut [f64],
    n: usize,
}

impl Dispatched<f64> for Fold<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<f64, S>) {
        let n = self.n;
        // A row of a regressor begins with zeros for the bodies that its joint does not move.
        let mut starts = Vec::with_capacity(self.rows.len() / n.max(1));
        for row in self.rows.chunks_exact(n.max(1)) {
            starts.push(row.iter().position(|x| *x != 0.0).unwrap_or(n));
        }
        let (triangle, rows) = (recast.slice_mut(self.triangle), recast.slice_mut(self.rows));
        let mut sums = vec![S::zero(); n];
        for j in 0..n {
            let mut squares = S::zero();
            for (row, start) in rows.chunks_exact(n).zip(&starts) {
                if *start <= j {
                    squares = row[j].mul_add(row[j], squares);
                }
            }
            if squares == S::zero() {
                continue;
            }
            let top = &mut triangle[j * n..][..n];
            let norm = top[j].mul_add(top[j], squares).sqrt();
            // The reflection takes the column to -norm; the sign of the whole row is then changed.
            let first = top[j] + norm;
            let (scale, factor) = (S::one() / first, first / norm);
            let sums = &mut sums[j..];
            sums.copy_from_slice(&top[j..]);
            for (row, start) in rows.chunks_exact(n).zip(&starts) {
                if *start <= j {
                    let row = &row[j..];
                    let x = row[0] * scale;
                    for k in 0..row.len() {
                        sums[k] = x.mul_add(row[k], sums[k]);
                    }
                }
            }
            let top = &mut top[j..];
            top[0] = norm;
            for k in 1..top.len() {
                sums[k] *= factor;
                top[k] = sums[k] - top[k];
            }
            for (row, start) in rows.chunks_exact_mut(n).zip(&starts) {
                if *start <= j {
                    let row = &mut row[j..];
                    let x = -(row[0] * scale);
                    for k in 1..row.len() {
                        row[k] = x.mul_add(sums[k], row[k]);
                    }
                    row[0] = S::zero();
                }
            }
        }
    }
}
