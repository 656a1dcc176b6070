//! Products with M^-1 of fewer rows than two registers of AVX2 have.
//!
//! The registers overlap, so that all rows of some columns are made at once: sums of four rows alone keep
//! the arithmetic waiting.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays are indexed alike, and closures are not for kernels"
)]

use super::are_full;
use crate::Scalar;
use crate::linalg::columns::{
    ByColumns, ColumnGroup, RowBlock, add_products, by_columns, has_few_registers, minus,
};
use crate::simd::LANES;

/// Rows of a register.
const ROWS: usize = LANES / 2;

/// `x = -a x` in the groups' columns. False, with nothing done, if there are other numbers of rows, terms are
/// left out, registers are few, or numbers are lanes, which fill registers by themselves.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn multiply<T: Scalar, const N: usize>(
    a: &[[T; N]; N],
    x: &mut [[T; N]; N],
    groups: &[ColumnGroup<'_>],
) -> bool {
    let is_few = const { N > ROWS && N < LANES && size_of::<T>() <= 8 }
        && !has_few_registers::<T>()
        && are_full::<N>(groups);
    if is_few {
        by_columns::<_, N>(groups, &mut Few { a, x });
    }
    is_few
}

struct Few<'k, T, const N: usize> {
    a: &'k [[T; N]; N],
    x: &'k mut [[T; N]; N],
}

impl<T: Scalar, const N: usize> ByColumns for Few<'_, T, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, _: &[RowBlock<'_>]) {
        let Some(out) = self.x.get_mut(column..).and_then(<[_]>::first_chunk_mut::<C>) else { return };
        let x = *out;
        let mut first = [[T::zero(); ROWS]; C];
        let mut last = [[T::zero(); ROWS]; C];
        for k in 0..N {
            let a = &self.a[k];
            let (Some(top), Some(bottom)) = (a.first_chunk::<ROWS>(), a.last_chunk::<ROWS>()) else { return };
            add_products(&mut first, &minus(top), &x, k);
            add_products(&mut last, &minus(bottom), &x, k);
        }
        for c in 0..C {
            let Some(top) = out[c].first_chunk_mut() else { return };
            *top = first[c];
            let Some(bottom) = out[c].last_chunk_mut() else { return };
            *bottom = last[c];
        }
    }
}
