//! Products with M^-1, in place.

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::linalg::columns::{ByColumns, ColumnGroup, Columns, RowBlock, by_columns};
use crate::simd::Register;
use core::marker::PhantomData;
use nalgebra::SMatrix;

/// `-minv * d`, both full.
///
/// ```
/// use nalgebra::Matrix2;
/// let (m, d) = (Matrix2::new(2.0, 0.0, 0.0, 4.0), Matrix2::new(1.0, 2.0, 3.0, 4.0));
/// assert_eq!(rbd_runtime::linalg::neg_mul(&m, &d), Matrix2::new(-2.0, -4.0, -12.0, -16.0));
/// ```
#[must_use]
pub fn neg_mul<T: Scalar, const N: usize>(minv: &SMatrix<T, N, N>, d: &SMatrix<T, N, N>) -> SMatrix<T, N, N> {
    let mut out = *d;
    let groups = &[ColumnGroup { columns: (0, N), blocks: &[RowBlock { rows: (0, N), terms: &[(0, N)] }] }];
    T::dispatch(NegativeProduct { a: minv, x: &mut out, groups });
    out
}

/// `x = -a x`, with `groups` naming the entries that may be nonzero. Columns in no group stay as
/// they are. Rows and columns beyond `N` are ignored.
#[derive(Debug)]
pub struct NegativeProduct<'a, T, const N: usize> {
    /// The first factor.
    pub a: &'a SMatrix<T, N, N>,
    /// The second factor, and then the product.
    pub x: &'a mut SMatrix<T, N, N>,
    /// Each column once.
    pub groups: &'a [ColumnGroup<'a>],
}

dispatched!(NegativeProduct<N: usize>, X8);

impl<T: Scalar, const N: usize> NegativeProduct<'_, T, N> {
    /// Computes the product with registers of type `L`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (a, x) = (&recast.matrix(self.a).data.0, &mut recast.matrix_mut(self.x).data.0);
        let kept = [[S::zero(); N]; 4];
        by_columns(self.groups, N, &mut Negative { a, x, kept, registers: PhantomData::<L> });
    }
}

/// `-a x`, in place of `x`.
struct Negative<'k, T, L, const N: usize> {
    a: &'k [[T; N]; N],
    x: &'k mut [[T; N]; N],
    /// `-x` in the columns that are made.
    kept: [[T; N]; 4],
    registers: PhantomData<L>,
}

impl<T: Scalar, L: Register<Of = T>, const N: usize> ByColumns for Negative<'_, T, L, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let columns = self.x.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let (Some((out, _)), Some(x)) = (columns, self.kept.first_chunk_mut::<C>()) else { return };
        for &(from, to) in blocks.iter().flat_map(|b| b.terms) {
            for k in from..to.min(N) {
                for (x, out) in x.iter_mut().zip(&*out) {
                    x[k] = -out[k];
                }
            }
        }
        Columns { a: self.a, first: 0, x, base: None, out }.make::<L>(blocks);
    }
}
