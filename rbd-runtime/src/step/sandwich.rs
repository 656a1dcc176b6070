//! Products `left^T middle right` with the rows of one joint, which Hessians of steps are sums of.

use super::arithmetic::{add, add_scaled, columns, columns_mut};
use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};
use crate::manifold::Columns;

/// Entries of a column that are summed side by side.
const SIDE_BY_SIDE: usize = 8;

/// `to += left^T middle right`, by the rows of a joint, for the registers that the processor has.
struct Sandwich<'a, T, const N: usize> {
    to: &'a mut [T],
    left: &'a [T],
    middle: &'a Columns<T, N>,
    right: &'a [T],
    at: usize,
    n: usize,
}

impl<T: Scalar, const N: usize> Dispatched<T> for Sandwich<'_, T, N> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let Self { at, n, .. } = self;
        let (to, middle) = (recast.slice_mut(self.to), recast.rows(self.middle));
        let [left, right] = [self.left, self.right].map(|of| recast.slice(of));
        let mut done = 0;
        while done < n {
            let strip = times_strip(left, middle, (done, at, n));
            for (to, right) in columns_mut(to, n).zip(columns(right, n)) {
                let Some(right) = right.get(at..).and_then(<[S]>::first_chunk::<N>) else { return };
                let mut sums = [S::zero(); SIDE_BY_SIDE];
                for (row, x) in strip.iter().zip(right) {
                    add_scaled(&mut sums, row, *x);
                }
                let Some(to) = to.get_mut(done..) else { return };
                // The compiler knows the length of a whole strip, and makes registers of it.
                match to.first_chunk_mut::<SIDE_BY_SIDE>() {
                    Some(to) => add(to, &sums),
                    None => add(to, &sums),
                }
            }
            done += SIDE_BY_SIDE;
        }
    }
}

/// `middle^T left`, by rows: columns of `left` from `done` on, or zeros where there are no more.
#[cfg_attr(not(debug_assertions), inline(always))]
fn times_strip<T: Scalar, const N: usize>(
    left: &[T],
    middle: &Columns<T, N>,
    (done, at, n): (usize, usize, usize),
) -> [[T; SIDE_BY_SIDE]; N] {
    let mut own = [[T::zero(); SIDE_BY_SIDE]; N];
    let mut strip = own;
    for k in 0..SIDE_BY_SIDE.min(n - done) {
        let column = left.get((done + k) * n + at..).and_then(<[T]>::first_chunk::<N>);
        let Some(column) = column else { return strip };
        for (own, x) in own.iter_mut().zip(column) {
            own[k] = *x;
        }
    }
    for (to, middle) in strip.iter_mut().zip(middle) {
        for (own, x) in own.iter().zip(middle) {
            add_scaled(to, own, *x);
        }
    }
    strip
}

/// `to += left^T middle right`, by the rows of a joint.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_sandwich<T: Scalar, const N: usize>(
    to: &mut [T],
    [left, right]: [&[T]; 2],
    middle: &Columns<T, N>,
    at: usize,
    n: usize,
) {
    T::dispatch(Sandwich { to, left, middle, right, at, n });
}
