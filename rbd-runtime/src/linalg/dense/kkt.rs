//! Inverse of a matrix of the form `[[M, J^T], [J, -mu]]`, and products with it: the core of the
//! contacts' derivatives.

mod product;

pub(crate) use product::KktProduct;

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use crate::linalg::columns::{ByColumns, ColumnGroup, Columns, RowBlock, by_columns};
use crate::linalg::products::{mirror_into, transposed};
use crate::simd::{LANES, Register};
use core::marker::PhantomData;
use nalgebra::SMatrix;

/// The blocks of the solution of `M x - J^T f = t`, `J x + mu f = -r`: `x = p t - k r`, `f = -k^T t - s r`.
pub(crate) struct KktInverse<'a, T, const N: usize, const R: usize> {
    /// `M^-1 J^T`.
    pub minv_jt: &'a SMatrix<T, N, R>,
    /// `(J M^-1 J^T + mu)^-1`, which is symmetric.
    pub s: &'a SMatrix<T, R, R>,
    /// `k = M^-1 J^T s`.
    pub k: &'a mut SMatrix<T, N, R>,
    /// `-k^T`.
    pub minus_kt: &'a mut SMatrix<T, R, N>,
    /// `M^-1`, and then `p = M^-1 - M^-1 J^T k^T`.
    pub p: &'a mut SMatrix<T, N, N>,
}

impl<T: Scalar, const N: usize, const R: usize> KktInverse<'_, T, N, R> {
    /// Computes the blocks.
    pub fn make(self) {
        let Self { minv_jt, s, k, minus_kt, p } = self;
        T::dispatch(Sums::<_, N, R, R, false> { a: minv_jt, b: s, out: &mut *k });
        T::dispatch(MinusTransposed { a: &*k, out: &mut *minus_kt });
        T::dispatch(Sums::<_, N, R, N, true> { a: minv_jt, b: &*minus_kt, out: &mut *p });
        mirror_into(p);
    }
}

/// `out = a b`; or `out += a b` below the diagonal.
struct Sums<'a, T, const M: usize, const K: usize, const N: usize, const ADD: bool> {
    a: &'a SMatrix<T, M, K>,
    b: &'a SMatrix<T, K, N>,
    out: &'a mut SMatrix<T, M, N>,
}

dispatched!(Sums<M: usize, K: usize, N: usize, ADD: bool>, wide, X8);

impl<T: Scalar, const M: usize, const K: usize, const N: usize, const ADD: bool> Sums<'_, T, M, K, N, ADD> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (a, b) = (&recast.matrix(self.a).data.0, &recast.matrix(self.b).data.0);
        let out = &mut recast.matrix_mut(self.out).data.0;
        let blocks = [RowBlock { rows: (0, M), terms: &[(0, K)] }];
        let groups = [ColumnGroup { columns: (0, N), blocks: &blocks }];
        by_columns::<_, N>(&groups, &mut Sum::<S, L, M, K, N, ADD> { a, b, out, registers: PhantomData });
    }
}

/// `out = -a^T`.
struct MinusTransposed<'a, T, const R: usize, const N: usize> {
    a: &'a SMatrix<T, N, R>,
    out: &'a mut SMatrix<T, R, N>,
}

dispatched!(MinusTransposed<R: usize, N: usize>, wide, R4, X8);

impl<T: Scalar, const R: usize, const N: usize> MinusTransposed<'_, T, R, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (a, out) = (&recast.matrix(self.a).data.0, &mut recast.matrix_mut(self.out).data.0);
        if const { L::IS_ONE && N >= LANES && R >= LANES } {
            let mut first = 0;
            while first < N {
                minus_transposed::<S, L, R, N>(a, out, first.min(N - LANES));
                first += LANES;
            }
            return;
        }
        *out = transposed::<S, Q, R, N>(a);
        for column in out.iter_mut() {
            for x in column {
                *x = -*x;
            }
        }
    }
}

/// Eight columns of `-a^T` from this one on, six rows at a time. The registers' last two numbers are
/// overwritten by the next six rows.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn minus_transposed<T: Scalar, L: Register<Of = T>, const R: usize, const N: usize>(
    a: &[[T; N]; R],
    out: &mut [[T; R]; N],
    first: usize,
) {
    let Some(out) = out.get_mut(first..).and_then(<[_]>::first_chunk_mut::<LANES>) else { return };
    let mut row = 0;
    while row < R {
        let mut rows = [L::splat(T::zero()); 6];
        for r in 0..6 {
            if row + r < R {
                let Some(numbers) = a[row + r].get(first..).and_then(<[T]>::first_chunk) else { return };
                rows[r] = L::splat(T::zero()) - L::load(numbers);
            }
        }
        let columns = L::transposed(rows);
        for c in 0..LANES {
            let Some(to) = out[c].get_mut(row..) else { return };
            if let Some(eight) = to.first_chunk_mut() {
                columns[c].store(eight);
            } else {
                let end = to.len().min(6);
                let Some(to) = to.get_mut(..end) else { return };
                columns[c].store_first(to);
            }
        }
        row += 6;
    }
}

/// `out = a b`, or `out += a b` below the diagonal for a symmetric product and a symmetric `out`.
struct Sum<'k, T, L, const M: usize, const K: usize, const N: usize, const ADD: bool> {
    a: &'k [[T; M]; K],
    b: &'k [[T; K]; N],
    out: &'k mut [[T; M]; N],
    registers: PhantomData<L>,
}

impl<T: Scalar, L: Register<Of = T>, const M: usize, const K: usize, const N: usize, const ADD: bool>
    ByColumns for Sum<'_, T, L, M, K, N, ADD>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let out = self.out.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let x = self.b.get(column..).and_then(<[_]>::split_first_chunk::<C>);
        let (Some((out, _)), Some((x, _))) = (out, x) else { return };
        if ADD {
            let base = *out;
            // Entries above the diagonal are mirrored.
            let below = [RowBlock { rows: (column, M), terms: &[(0, K)] }];
            Columns { a: self.a, first: 0, x, base: Some(&base), out }.make::<L>(&below);
        } else {
            Columns { a: self.a, first: 0, x, base: None, out }.make::<L>(blocks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::F64x4;
    use crate::linalg::columns::Range;
    use nalgebra::DMatrix;
    use num_traits::Zero;

    /// A trunk of two coordinates and limbs of four and three. Two coordinates on which nothing
    /// depends are in no group.
    const GROUPS: [ColumnGroup<'_>; 3] = [
        ColumnGroup { columns: (1, 2), blocks: &[RowBlock { rows: (0, 11), terms: &[(0, 9)] }] },
        ColumnGroup { columns: (2, 6), blocks: &[RowBlock { rows: (0, 11), terms: &[(0, 6)] }] },
        ColumnGroup { columns: (6, 9), blocks: &[RowBlock { rows: (0, 11), terms: &[(0, 2), (6, 9)] }] },
    ];
    /// The other derivative depends on another coordinate of the trunk, and on all of one limb.
    const OTHERS: [ColumnGroup<'_>; 3] = [
        ColumnGroup { columns: (0, 2), blocks: &[RowBlock { rows: (0, 11), terms: &[(0, 9)] }] },
        ColumnGroup { columns: (2, 6), blocks: &[RowBlock { rows: (0, 11), terms: &[(0, 6)] }] },
        ColumnGroup { columns: (6, 9), blocks: &[RowBlock { rows: (0, 11), terms: &[(0, 9)] }] },
    ];
    /// Three contacts: on the first limb, one that is not active, on the second limb.
    const ROWS: [RowBlock<'_>; 3] = [
        RowBlock { rows: (0, 3), terms: &[(0, 6)] },
        RowBlock { rows: (3, 3), terms: &[(0, 9)] },
        RowBlock { rows: (4, 7), terms: &[(0, 2), (6, 9)] },
    ];
    /// A base and limbs of seven, five and one.
    const LARGE: [ColumnGroup<'_>; 4] = [
        ColumnGroup { columns: (3, 6), blocks: &[RowBlock { rows: (0, 19), terms: &[(0, 19)] }] },
        ColumnGroup { columns: (6, 13), blocks: &[RowBlock { rows: (0, 19), terms: &[(0, 13)] }] },
        ColumnGroup { columns: (13, 18), blocks: &[RowBlock { rows: (0, 19), terms: &[(0, 6), (13, 18)] }] },
        ColumnGroup { columns: (18, 19), blocks: &[RowBlock { rows: (0, 19), terms: &[(0, 6), (18, 19)] }] },
    ];
    const LARGE_OTHERS: [ColumnGroup<'_>; 4] =
        [ColumnGroup { columns: (0, 6), ..LARGE[0] }, LARGE[1], LARGE[2], LARGE[3]];
    /// Planes on the first two limbs, and a point on the last.
    const MANY_ROWS: [RowBlock<'_>; 3] = [
        RowBlock { rows: (0, 6), terms: &[(0, 13)] },
        RowBlock { rows: (6, 12), terms: &[(0, 6), (13, 18)] },
        RowBlock { rows: (12, 15), terms: &[(0, 6), (18, 19)] },
    ];

    /// A base whose turns are known, legs of six and arms of eight and nine.
    const HUMANOID: [ColumnGroup<'_>; 5] = [
        ColumnGroup { columns: (3, 6), blocks: &[RowBlock { rows: (0, 35), terms: &[] }] },
        ColumnGroup { columns: (6, 12), blocks: &[RowBlock { rows: (0, 35), terms: &[(0, 12)] }] },
        ColumnGroup { columns: (12, 18), blocks: &[RowBlock { rows: (0, 35), terms: &[(0, 6), (12, 18)] }] },
        ColumnGroup { columns: (18, 26), blocks: &[RowBlock { rows: (0, 35), terms: &[(0, 6), (18, 26)] }] },
        ColumnGroup { columns: (26, 35), blocks: &[RowBlock { rows: (0, 35), terms: &[(0, 6), (26, 35)] }] },
    ];
    const HUMANOID_OTHERS: [ColumnGroup<'_>; 6] = [
        ColumnGroup { columns: (0, 3), ..HUMANOID[0] },
        ColumnGroup { columns: (3, 6), blocks: &[RowBlock { rows: (0, 35), terms: &[(0, 35)] }] },
        HUMANOID[1],
        HUMANOID[2],
        HUMANOID[3],
        HUMANOID[4],
    ];
    /// Planes at both legs.
    const SOLES: [RowBlock<'_>; 3] = [
        RowBlock { rows: (0, 6), terms: &[(0, 12)] },
        RowBlock { rows: (6, 12), terms: &[(0, 6), (12, 18)] },
        RowBlock { rows: (12, 12), terms: &[(0, 6)] },
    ];

    fn number(r: usize, c: usize) -> f64 {
        ((r * 7 + c * 3 + r * c) % 11) as f64 - 5.0
    }

    fn is_in(runs: &[Range], k: usize) -> bool {
        runs.iter().any(|(from, to)| (*from..*to).contains(&k))
    }

    /// A number in the entries of the groups, nothing elsewhere.
    fn of_groups(groups: &[ColumnGroup<'_>], seed: usize, r: usize, c: usize) -> Option<f64> {
        let group = groups.iter().find(|g| is_in(&[g.columns], c))?;
        is_in(group.blocks[0].terms, r).then(|| number(r + seed, c))
    }

    /// A number in the rows of a contact that its column moves. A column in no group has none.
    fn of_rows(rows: &[RowBlock<'_>], groups: &[ColumnGroup<'_>], seed: usize, r: usize, c: usize) -> f64 {
        let row = rows.iter().find(|block| is_in(&[block.rows], r));
        let is_there =
            row.is_some_and(|block| is_in(block.terms, c)) && groups.iter().any(|g| is_in(&[g.columns], c));
        if is_there { number(c + seed, r + 2) } else { 0.0 }
    }

    fn typed<T: Scalar, const A: usize, const B: usize>(x: &DMatrix<f64>) -> SMatrix<T, A, B> {
        SMatrix::from_fn(|r, c| T::from_f64(x[(r, c)]))
    }

    /// `[[M, -J^T], [J, mu]] [x; f] = -[t; r]`.
    fn check<T: Scalar, const N: usize, const R: usize>(
        groups: [&[ColumnGroup<'_>]; 2],
        rows: &[RowBlock<'_>; 3],
        is_apart: bool,
        value: impl Fn(T) -> f64,
    ) {
        let m =
            DMatrix::from_fn(N, N, |r, c| number(r.min(c), r.max(c)) * 0.1 + if r == c { 9.0 } else { 0.0 });
        let whole = [ColumnGroup { columns: (0, N), blocks: &[] }];
        let (j, mu) = (DMatrix::from_fn(R, N, |r, c| of_rows(rows, &whole, 0, r, c)), 0.25);
        let minv = m.clone().try_inverse().unwrap();
        let minv_jt = &minv * j.transpose();
        let s = (&j * &minv_jt + DMatrix::identity(R, R) * mu).try_inverse().unwrap();
        let (mut k, mut minus_kt, mut p) = (SMatrix::zero(), SMatrix::zero(), typed::<T, N, N>(&minv));
        let s = typed(&s);
        let minv_jt = &typed(&minv_jt);
        KktInverse::<T, N, R> { minv_jt, s: &s, k: &mut k, minus_kt: &mut minus_kt, p: &mut p }.make();
        // Entries in no group are not read.
        let t_of = |side: usize, r: usize, c: usize| of_groups(groups[side], side, r, c);
        let [mut x, mut other] = [0, 1].map(|side| {
            SMatrix::<T, N, N>::from_fn(|r, c| T::from_f64(t_of(side, r, c).unwrap_or(f64::NAN)))
        });
        let [mut f, mut f_other] = [0, 1].map(|side| {
            SMatrix::<T, R, N>::from_fn(|r, c| T::from_f64(of_rows(rows, groups[side], side, r, c)))
        });
        let (t_of_x, t_of_other) = (x, other);
        let t = if is_apart { Some([&t_of_x, &t_of_other]) } else { None };
        if is_apart {
            (x, other) = (SMatrix::zero(), SMatrix::zero());
        }
        let product = KktProduct {
            p: &p,
            k: &k,
            minus_kt: &minus_kt,
            s: &s,
            t,
            groups,
            rows,
            x: [&mut x, &mut other],
            f: [&mut f, &mut f_other],
        };
        T::dispatch(product);
        for (side, (x, f)) in [(x, f), (other, f_other)].into_iter().enumerate() {
            let x = DMatrix::from_fn(N, N, |r, c| value(x[(r, c)]));
            let f = DMatrix::from_fn(R, N, |r, c| value(f[(r, c)]));
            let t = DMatrix::from_fn(N, N, |r, c| t_of(side, r, c).unwrap_or(0.0));
            let r = DMatrix::from_fn(R, N, |r, c| of_rows(rows, groups[side], side, r, c));
            let torques = &m * &x - j.transpose() * &f + t;
            let rows = &j * &x + &f * mu + r;
            assert!(torques.amax() < 1e-11, "{torques}");
            assert!(rows.amax() < 1e-11, "{rows}");
            for column in 0..N {
                let is_there = groups[side].iter().any(|g| is_in(&[g.columns], column));
                assert_eq!(x.column(column).amax() > 0.1, is_there, "{side}: {column}");
                assert!(is_there || f.column(column).amax() == 0.0, "{side}: {column}");
            }
        }
        let symmetric = DMatrix::from_fn(N, N, |r, c| value(p[(r, c)]) - value(p[(c, r)]));
        assert_eq!(symmetric.amax(), 0.0);
    }

    #[test]
    fn what_stands_on_the_left_is_made_up_for() {
        for groups in [[&GROUPS[..], &OTHERS], [&OTHERS, &GROUPS], [&GROUPS, &GROUPS]] {
            check::<f64, 11, 7>(groups, &ROWS, false, |x| x);
            check::<f64, 11, 7>(groups, &ROWS, true, |x| x);
            check::<F64x4, 11, 7>(groups, &ROWS, false, |x| x.to_array()[2]);
        }
        for groups in [[&LARGE[..], &LARGE_OTHERS], [&LARGE_OTHERS, &LARGE], [&LARGE_OTHERS, &LARGE_OTHERS]] {
            check::<f64, 19, 15>(groups, &MANY_ROWS, false, |x| x);
            check::<f64, 19, 15>(groups, &MANY_ROWS, true, |x| x);
            check::<F64x4, 19, 15>(groups, &MANY_ROWS, true, |x| x.to_array()[2]);
        }
        for groups in [[&HUMANOID[..], &HUMANOID_OTHERS], [&HUMANOID_OTHERS, &HUMANOID]] {
            check::<f64, 35, 12>(groups, &SOLES, false, |x| x);
            check::<f64, 35, 12>(groups, &SOLES, true, |x| x);
        }
    }
}
