//! Products of square matrices whose size is known at run time.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays are indexed alike, and closures are not for kernels"
)]

use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};
use crate::limbs::LimbScalar;
use crate::simd::{LANES, Register};

/// `out = a x`, or `out = a x + plus`, of matrices of `n` rows, stored by columns.
///
/// Each entry is a sum of fused products in the order of its terms, from zero on. A slice with fewer than
/// `n * n` numbers leaves columns of the result as they are.
///
/// ```
/// use rbd_runtime::{Scalar, linalg::SquareProduct};
/// let (a, x, mut out) = ([2.0, 0.0, 1.0, 3.0], [1.0, 1.0, 0.0, 2.0], [0.0; 4]);
/// f64::dispatch(SquareProduct { n: 2, a: &a, x: &x, plus: Some(&[1.0; 4]), out: &mut out });
/// assert_eq!(out, [4.0, 4.0, 3.0, 7.0]);
/// ```
#[derive(Debug)]
pub struct SquareProduct<'a, T> {
    /// Number of rows and columns of each matrix.
    pub n: usize,
    /// The first factor.
    pub a: &'a [T],
    /// The second factor.
    pub x: &'a [T],
    /// Matrix that is added to the product.
    pub plus: Option<&'a [T]>,
    /// The result.
    pub out: &'a mut [T],
}

impl<T: Scalar> Dispatched<T> for SquareProduct<'_, T> {
    type Output = ();
    const WIDE: bool = true;

    /// Scalars without registers are registers themselves.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        self.one_by_one(recast);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run_limbs<S: LimbScalar>(self, recast: Recast<T, S>) {
        self.with::<S, S::X8>(recast);
    }
}

impl<T: Scalar> SquareProduct<'_, T> {
    /// Four rows of three columns at a time: as many sums as sixteen registers have room for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn one_by_one<S: Scalar>(self, recast: Recast<T, S>) {
        let plus = match self.plus {
            Some(plus) => Some(recast.slice(plus)),
            None => None,
        };
        let (n, a, x, out) = (self.n, recast.slice(self.a), recast.slice(self.x), recast.slice_mut(self.out));
        let mut column = 0;
        while column < n {
            let columns = if n - column == 4 { 2 } else { (n - column).min(3) };
            let mut row = 0;
            while row < n {
                let block = Block { n, row, column, a, x, plus };
                match ((n - row).min(4), columns) {
                    (4, 3) => block.entries::<4, 3>(out),
                    (4, 2) => block.entries::<4, 2>(out),
                    (4, _) => block.entries::<4, 1>(out),
                    (3, 3) => block.entries::<3, 3>(out),
                    (3, 2) => block.entries::<3, 2>(out),
                    (3, _) => block.entries::<3, 1>(out),
                    (2, 3) => block.entries::<2, 3>(out),
                    (2, 2) => block.entries::<2, 2>(out),
                    (2, _) => block.entries::<2, 1>(out),
                    (_, 3) => block.entries::<1, 3>(out),
                    (_, 2) => block.entries::<1, 2>(out),
                    _ => block.entries::<1, 1>(out),
                }
                row += 4;
            }
            column += columns;
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, X: Register<Of = S>>(self, recast: Recast<T, S>) {
        let plus = match self.plus {
            Some(plus) => Some(recast.slice(plus)),
            None => None,
        };
        let (n, a, x, out) = (self.n, recast.slice(self.a), recast.slice(self.x), recast.slice_mut(self.out));
        let mut row = 0;
        while row < n {
            // The last register begins earlier, and computes some rows again.
            let first = if n < LANES { 0 } else { row.min(n - LANES) };
            let mut column = 0;
            while column < n {
                let tile = Block { n, row: first, column, a, x, plus };
                // Few columns keep the arithmetic waiting: none are left over.
                let together = match n - column {
                    0..=6 => n - column,
                    7..=12 => (n - column).div_ceil(2),
                    _ => 6,
                };
                match together {
                    1 => tile.make::<X, 1>(out),
                    2 => tile.make::<X, 2>(out),
                    3 => tile.make::<X, 3>(out),
                    4 => tile.make::<X, 4>(out),
                    5 => tile.make::<X, 5>(out),
                    _ => tile.make::<X, 6>(out),
                }
                column += together;
            }
            row += LANES;
        }
    }
}

/// Some rows of some columns, from these on.
struct Block<'k, S> {
    n: usize,
    row: usize,
    column: usize,
    a: &'k [S],
    x: &'k [S],
    plus: Option<&'k [S]>,
}

impl<S: Scalar> Block<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn entries<const R: usize, const C: usize>(&self, out: &mut [S]) {
        let n = self.n;
        let Some(x) = self.columns::<C>() else { return };
        let mut sums = [[S::zero(); R]; C];
        for k in 0..n {
            let Some(a) = self.a.get(k * n + self.row..).and_then(<[S]>::first_chunk::<R>) else { return };
            for c in 0..C {
                let Some(x) = x[c].get(k) else { return };
                for r in 0..R {
                    sums[c][r] = a[r].mul_add(*x, sums[c][r]);
                }
            }
        }
        for c in 0..C {
            let at = (self.column + c) * n + self.row;
            let Some(to) = out.get_mut(at..).and_then(<[S]>::first_chunk_mut::<R>) else { return };
            *to = sums[c];
            if let Some(plus) = self.plus.and_then(|plus| plus.get(at..)).and_then(<[S]>::first_chunk::<R>) {
                for r in 0..R {
                    to[r] += plus[r];
                }
            }
        }
    }

    /// The columns of the second factor.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&self) -> Option<[&[S]; C]> {
        let mut x: [&[S]; C] = [&[]; C];
        for c in 0..C {
            x[c] = self.x.get((self.column + c) * self.n..(self.column + c + 1) * self.n)?;
        }
        Some(x)
    }

    /// Eight rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make<X: Register<Of = S>, const C: usize>(&self, out: &mut [S]) {
        let n = self.n;
        let Some(x) = self.columns::<C>() else { return };
        let mut sums = [X::splat(S::zero()); C];
        for k in 0..n {
            let a = load::<S, X>(self.a, k * n + self.row);
            for c in 0..C {
                let Some(x) = x[c].get(k) else { return };
                sums[c] = a.mul_add(X::splat(*x), sums[c]);
            }
        }
        for c in 0..C {
            let at = (self.column + c) * n;
            let sum = match self.plus {
                Some(plus) => sums[c] + load::<S, X>(plus, at + self.row),
                None => sums[c],
            };
            if let Some(column) = out.get_mut(at + self.row..at + n) {
                sum.store_first(column);
            }
        }
    }
}

/// The register of eight numbers from this one on; zeros beyond the last.
#[cfg_attr(not(debug_assertions), inline(always))]
fn load<S: Scalar, X: Register<Of = S>>(of: &[S], at: usize) -> X {
    let Some(from) = of.get(at..) else { return X::splat(S::zero()) };
    if let Some(numbers) = from.first_chunk() {
        return X::load(numbers);
    }
    let mut numbers = [S::zero(); LANES];
    for l in 0..LANES {
        if let Some(x) = from.get(l) {
            numbers[l] = *x;
        }
    }
    X::load(&numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn of_every_size() {
        let number = |k: usize| ((k * 7 + k * k) % 23) as f64 / 3.0 - 3.0;
        for n in 0..40 {
            let [a, x, plus] =
                [1, 5, 11].map(|seed| (0..n * n).map(|k| number(k + seed)).collect::<Vec<_>>());
            for plus in [None, Some(&plus[..])] {
                let (mut widest, mut compiled) = (vec![f64::NAN; n * n], vec![f64::NAN; n * n]);
                f64::dispatch(SquareProduct { n, a: &a, x: &x, plus, out: &mut widest });
                let product = SquareProduct { n, a: &a, x: &x, plus, out: &mut compiled };
                product.with::<f64, crate::limbs::Plain<f64, 8>>(Recast::<f64, f64>::identity());
                let mut alone = vec![f64::NAN; n * n];
                let product = SquareProduct { n, a: &a, x: &x, plus, out: &mut alone };
                product.one_by_one(Recast::<f64, f64>::identity());
                for at in 0..n * n {
                    let (r, c) = (at % n, at / n);
                    let sum: f64 = (0..n).map(|k| a[k * n + r] * x[c * n + k]).sum();
                    let expected = sum + plus.map_or(0.0, |plus| plus[at]);
                    assert!((widest[at] - expected).abs() < 1e-11, "{n}: {at}");
                    assert!((compiled[at] - expected).abs() < 1e-11, "{n}: {at}");
                    assert!((alone[at] - expected).abs() < 1e-11, "{n}: {at}");
                }
            }
        }
    }
}
