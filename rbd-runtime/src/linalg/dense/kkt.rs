//! Inverse of a matrix of the form `[[M, J^T], [J, -mu]]`, and products with it: the core of the
//! contacts' derivatives.

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use crate::linalg::columns::{ByColumns, ColumnGroup, Columns, Range, RowBlock, by_columns, registers};
use crate::linalg::products::{mirror_into, transposed};
use crate::simd::{LANES, Register};
use core::marker::PhantomData;
use nalgebra::SMatrix;

/// The blocks of the solution of `M x - J^T f = t`, `J x + mu f = -r`: `x = p t - k r`, `f = -k^T t - s r`.
pub(crate) struct KktInverse<'a, T, const N: usize, const R: usize> {
    /// `M^-1`.
    pub minv: &'a SMatrix<T, N, N>,
    /// `M^-1 J^T`.
    pub minv_jt: &'a SMatrix<T, N, R>,
    /// `(J M^-1 J^T + mu)^-1`, which is symmetric.
    pub s: &'a SMatrix<T, R, R>,
    /// `k = M^-1 J^T s`.
    pub k: &'a mut SMatrix<T, N, R>,
    /// `-k^T`.
    pub minus_kt: &'a mut SMatrix<T, R, N>,
    /// `p = M^-1 - M^-1 J^T k^T`.
    pub p: &'a mut SMatrix<T, N, N>,
}

impl<T: Scalar, const N: usize, const R: usize> KktInverse<'_, T, N, R> {
    /// Computes the blocks.
    ///
    /// Products have AVX-512 where the processor does. Transposes have not: the compiler would gather numbers
    /// one by one.
    pub fn make(self) {
        let Self { minv, minv_jt, s, k, minus_kt, p } = self;
        T::dispatch(Sums { base: None, a: minv_jt, b: s, out: &mut *k });
        T::dispatch(MinusTransposed { a: &*k, out: &mut *minus_kt });
        T::dispatch(Sums { base: Some(minv), a: minv_jt, b: &*minus_kt, out: &mut *p });
        mirror_into(p);
    }
}

/// `out = a b`; with a `base`, its sum with the product, below the diagonal.
struct Sums<'a, T, const M: usize, const K: usize, const N: usize> {
    base: Option<&'a SMatrix<T, M, N>>,
    a: &'a SMatrix<T, M, K>,
    b: &'a SMatrix<T, K, N>,
    out: &'a mut SMatrix<T, M, N>,
}

dispatched!(Sums<M: usize, K: usize, N: usize>, wide, X8);

impl<T: Scalar, const M: usize, const K: usize, const N: usize> Sums<'_, T, M, K, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        #[allow(clippy::manual_map, reason = "a closure is not allowed a kernel's instructions")]
        let base = match self.base {
            Some(base) => Some(&recast.matrix(base).data.0),
            None => None,
        };
        let (a, b) = (&recast.matrix(self.a).data.0, &recast.matrix(self.b).data.0);
        let out = &mut recast.matrix_mut(self.out).data.0;
        let blocks = [RowBlock { rows: (0, M), terms: &[(0, K)] }];
        let groups = [ColumnGroup { columns: (0, N), blocks: &blocks }];
        by_columns(&groups, N, &mut Sum { base, a, b, out, registers: PhantomData::<L> });
    }
}

/// `out = -a^T`.
struct MinusTransposed<'a, T, const R: usize, const N: usize> {
    a: &'a SMatrix<T, N, R>,
    out: &'a mut SMatrix<T, R, N>,
}

dispatched!(MinusTransposed<R: usize, N: usize>, X4);

impl<T: Scalar, const R: usize, const N: usize> MinusTransposed<'_, T, R, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let out = &mut recast.matrix_mut(self.out).data.0;
        *out = transposed::<S, Q, R, N>(&recast.matrix(self.a).data.0);
        for column in out.iter_mut() {
            for x in column {
                *x = -*x;
            }
        }
    }
}

/// `out = a b`, or `base` plus this product below the diagonal if there is a `base`, which is
/// symmetric as the product is.
struct Sum<'k, T, L, const M: usize, const K: usize, const N: usize> {
    base: Option<&'k [[T; M]; N]>,
    a: &'k [[T; M]; K],
    b: &'k [[T; K]; N],
    out: &'k mut [[T; M]; N],
    registers: PhantomData<L>,
}

impl<T: Scalar, L: Register<Of = T>, const M: usize, const K: usize, const N: usize> ByColumns
    for Sum<'_, T, L, M, K, N>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let out = self.out.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let x = self.b.get(column..).and_then(<[_]>::split_first_chunk::<C>);
        let (Some((out, _)), Some((x, _))) = (out, x) else { return };
        let base = match self.base {
            None => None,
            Some(base) => match base.get(column..).and_then(<[_]>::split_first_chunk::<C>) {
                Some((base, _)) => Some(base),
                None => return,
            },
        };
        // Entries above the diagonal of a symmetric product are mirrored.
        let below = RowBlock { rows: (column, M), terms: &[(0, K)] };
        let blocks = if base.is_some() { core::slice::from_ref(&below) } else { blocks };
        Columns { a: self.a, first: 0, x, base, out }.make::<L>(blocks);
    }
}

/// `x = -p t - k r`, `f = k^T t - s r`: the solution for the right-hand side `-t, -r`. `r` is
/// stored in `f`.
pub(crate) struct KktProduct<'a, T, const N: usize, const R: usize, const B: usize> {
    /// The inverse's blocks, as [`KktInverse`] makes them.
    pub p: &'a SMatrix<T, N, N>,
    /// `k`.
    pub k: &'a SMatrix<T, N, R>,
    /// `-k^T`.
    pub minus_kt: &'a SMatrix<T, R, N>,
    /// `s`.
    pub s: &'a SMatrix<T, R, R>,
    /// `t`.
    pub t: &'a SMatrix<T, N, N>,
    /// Columns of `t` that may be nonzero, from the first on. In columns of no group, `r` and the
    /// results are zero too.
    pub groups: &'a [ColumnGroup<'a>],
    /// Rows of `r` that may be nonzero, with their columns as terms.
    pub rows: &'a [RowBlock<'a>; B],
    /// `x`.
    pub x: &'a mut SMatrix<T, N, N>,
    /// `r`, and then `f`.
    pub f: &'a mut SMatrix<T, R, N>,
}

dispatched!(KktProduct<N: usize, R: usize, B: usize>, wide, X8);

impl<T: Scalar, const N: usize, const R: usize, const B: usize> KktProduct<'_, T, N, R, B> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let mut product = Both::<S, L, N, R, B> {
            p: &recast.matrix(self.p).data.0,
            k: &recast.matrix(self.k).data.0,
            minus_kt: &recast.matrix(self.minus_kt).data.0,
            s: &recast.matrix(self.s).data.0,
            t: &recast.matrix(self.t).data.0,
            runs: [(0, 0); B],
            count: 0,
            x: &mut recast.matrix_mut(self.x).data.0,
            f: &mut recast.matrix_mut(self.f).data.0,
            registers: PhantomData,
        };
        let mut next = 0;
        for group in self.groups {
            let (from, to) = group.columns;
            product.clear(next, from);
            next = to;
            product.count = 0;
            for block in self.rows {
                let mut is_there = false;
                for &(first, end) in block.terms {
                    is_there |= first < to && from < end;
                }
                if is_there {
                    product.add(block.rows);
                }
            }
            by_columns(core::slice::from_ref(group), N, &mut product);
        }
        product.clear(next, N);
    }
}

struct Both<'k, T, L, const N: usize, const R: usize, const B: usize> {
    p: &'k [[T; N]; N],
    k: &'k [[T; N]; R],
    minus_kt: &'k [[T; R]; N],
    s: &'k [[T; R]; R],
    t: &'k [[T; N]; N],
    /// The first `count` runs are the rows where `r` is nonzero in any of the current columns.
    runs: [Range; B],
    count: usize,
    x: &'k mut [[T; N]; N],
    f: &'k mut [[T; R]; N],
    registers: PhantomData<L>,
}

impl<T: Scalar, L, const N: usize, const R: usize, const B: usize> Both<'_, T, L, N, R, B> {
    /// Sets the results in these columns to zero.
    #[inline(always)]
    fn clear(&mut self, from: usize, to: usize) {
        for column in from..to.min(N) {
            self.x[column] = [T::zero(); N];
            self.f[column] = [T::zero(); R];
        }
    }

    /// Adds a run of rows that comes after the others.
    #[inline(always)]
    fn add(&mut self, rows: Range) {
        if rows.0 >= rows.1 {
            return;
        }
        if let Some(last) = self.count.checked_sub(1).and_then(|last| self.runs.get_mut(last))
            && last.1 == rows.0
        {
            last.1 = rows.1;
        } else if let Some(run) = self.runs.get_mut(self.count) {
            *run = rows;
            self.count += 1;
        }
    }
}

impl<T: Scalar, L: Register<Of = T>, const N: usize, const R: usize, const B: usize> ByColumns
    for Both<'_, T, L, N, R, B>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let x = self.x.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let f = self.f.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let t = self.t.get(column..).and_then(<[_]>::split_first_chunk::<C>);
        let (Some((x, _)), Some((f, _)), Some((t, _))) = (x, f, t) else { return };
        if L::IS_ONE && N >= LANES && R >= LANES {
            // All rows are sums of the same terms.
            let [RowBlock { terms, .. }, ..] = blocks else { return };
            let rows = self.runs.get(..self.count).unwrap_or(&[]);
            let r = *f;
            let (mut of_t, mut of_r): ([&[T]; C], [&[T]; C]) = ([&[]; C], [&[]; C]);
            for c in 0..C {
                (of_t[c], of_r[c]) = (&t[c], &r[c]);
            }
            let (by_t, by_r) =
                (Factors { a: self.p, x: of_t, terms }, Factors { a: self.k, x: of_r, terms: rows });
            minus_products::<T, L, N, C>(by_t, by_r, x);
            let (by_t, by_r) =
                (Factors { a: self.minus_kt, x: of_t, terms }, Factors { a: self.s, x: of_r, terms: rows });
            minus_products::<T, L, R, C>(by_t, by_r, f);
            return;
        }
        let (mut minus_t, mut minus_r) = ([[T::zero(); N]; C], [[T::zero(); R]; C]);
        for block in blocks {
            negate(block.terms, t, &mut minus_t);
        }
        let rows = self.runs.get(..self.count).unwrap_or(&[]);
        negate(rows, f, &mut minus_r);
        for block in blocks {
            let of_t = [RowBlock { rows: (0, N), terms: block.terms }];
            Columns { a: self.p, first: 0, x: &minus_t, base: None, out: x }.make::<L>(&of_t);
            let of_t = [RowBlock { rows: (0, R), terms: block.terms }];
            Columns { a: self.minus_kt, first: 0, x: &minus_t, base: None, out: f }.make::<L>(&of_t);
        }
        if !rows.is_empty() {
            let (of_t, of_r) = (*x, [RowBlock { rows: (0, N), terms: rows }]);
            Columns { a: self.k, first: 0, x: &minus_r, base: Some(&of_t), out: x }.make::<L>(&of_r);
            let (of_t, of_r) = (*f, [RowBlock { rows: (0, R), terms: rows }]);
            Columns { a: self.s, first: 0, x: &minus_r, base: Some(&of_t), out: f }.make::<L>(&of_r);
        }
    }
}

/// Factors of a product `a x` with sums over these terms.
struct Factors<'k, T, const M: usize, const C: usize> {
    a: &'k [[T; M]],
    x: [&'k [T]; C],
    terms: &'k [Range],
}

/// `out = -(a x + b y)`, from the last row up.
#[cfg_attr(not(debug_assertions), inline(always))]
fn minus_products<T: Scalar, L: Register<Of = T>, const M: usize, const C: usize>(
    first: Factors<'_, T, M, C>,
    second: Factors<'_, T, M, C>,
    out: &mut [[T; M]; C],
) {
    let (both, mut end) = ([first, second], M);
    while end > 0 {
        if end > 2 * LANES {
            minus_tile::<T, L, M, C, 3>(&both, out, end);
            end = end.saturating_sub(3 * LANES);
        } else if end > LANES {
            minus_tile::<T, L, M, C, 2>(&both, out, end);
            end = 0;
        } else {
            minus_tile::<T, L, M, C, 1>(&both, out, LANES);
            end = 0;
        }
    }
}

/// `G` registers of rows up to `end`. The first two overlap if there are fewer rows.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn minus_tile<T: Scalar, L: Register<Of = T>, const M: usize, const C: usize, const G: usize>(
    both: &[Factors<'_, T, M, C>; 2],
    out: &mut [[T; M]; C],
    end: usize,
) {
    let mut rows = [0; G];
    for g in 0..G {
        rows[g] = end.saturating_sub((G - g) * LANES);
    }
    let mut sums = [[L::splat(T::zero()); G]; C];
    for Factors { a, x, terms } in both {
        for &(from, to) in *terms {
            for k in from..to {
                let Some(column) = a.get(k) else { return };
                let mut numbers = [L::splat(T::zero()); G];
                for g in 0..G {
                    let Some([of_rows]) = registers::<T, 1>(column, rows[g]) else { return };
                    numbers[g] = L::load(of_rows);
                }
                for c in 0..C {
                    let Some(x) = x[c].get(k) else { return };
                    let x = L::splat(*x);
                    for g in 0..G {
                        sums[c][g] = numbers[g].mul_add(x, sums[c][g]);
                    }
                }
            }
        }
    }
    for c in 0..C {
        for g in 0..G {
            let Some(to) = out[c].get_mut(rows[g]..).and_then(<[T]>::first_chunk_mut) else { return };
            (L::splat(T::zero()) - sums[c][g]).store(to);
        }
    }
}

/// `to = -from` in the given rows.
#[cfg_attr(not(debug_assertions), inline(always))]
fn negate<T: Scalar, const N: usize, const C: usize>(
    rows: &[Range],
    from: &[[T; N]; C],
    to: &mut [[T; N]; C],
) {
    for &(first, end) in rows {
        for k in first..end.min(N) {
            for (to, from) in to.iter_mut().zip(from) {
                to[k] = -from[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::F64x4;
    use nalgebra::DMatrix;
    use num_traits::Zero;

    const N: usize = 11;
    const R: usize = 7;
    /// A trunk of two coordinates and limbs of four and three. Two coordinates on which nothing
    /// depends are in no group.
    const GROUPS: [ColumnGroup<'_>; 3] = [
        ColumnGroup { columns: (1, 2), blocks: &[RowBlock { rows: (0, N), terms: &[(0, 9)] }] },
        ColumnGroup { columns: (2, 6), blocks: &[RowBlock { rows: (0, N), terms: &[(0, 6)] }] },
        ColumnGroup { columns: (6, 9), blocks: &[RowBlock { rows: (0, N), terms: &[(0, 2), (6, 9)] }] },
    ];
    /// Three contacts: on the first limb, one that is not active, on the second limb.
    const ROWS: [RowBlock<'_>; 3] = [
        RowBlock { rows: (0, 3), terms: &[(0, 6)] },
        RowBlock { rows: (3, 3), terms: &[(0, 9)] },
        RowBlock { rows: (4, 7), terms: &[(0, 2), (6, 9)] },
    ];

    fn number(r: usize, c: usize) -> f64 {
        ((r * 7 + c * 3 + r * c) % 11) as f64 - 5.0
    }

    fn is_in(runs: &[Range], k: usize) -> bool {
        runs.iter().any(|(from, to)| (*from..*to).contains(&k))
    }

    /// A number in the entries of the groups, zero elsewhere.
    fn of_groups(r: usize, c: usize) -> f64 {
        let group = GROUPS.iter().find(|g| is_in(&[g.columns], c));
        if group.is_some_and(|g| is_in(g.blocks[0].terms, r)) { number(r, c) } else { 0.0 }
    }

    fn of_rows(r: usize, c: usize) -> f64 {
        let row = ROWS.iter().find(|block| is_in(&[block.rows], r));
        // A column in no group has no row either.
        let is_there = row.is_some_and(|block| is_in(block.terms, c)) && c != 0;
        if is_there { number(c, r + 2) } else { 0.0 }
    }

    fn typed<T: Scalar, const A: usize, const B: usize>(x: &DMatrix<f64>) -> SMatrix<T, A, B> {
        SMatrix::from_fn(|r, c| T::from_f64(x[(r, c)]))
    }

    /// `[[M, -J^T], [J, mu]] [x; f] = -[t; r]`.
    fn check<T: Scalar>(value: impl Fn(T) -> f64) {
        let m =
            DMatrix::from_fn(N, N, |r, c| number(r.min(c), r.max(c)) * 0.1 + if r == c { 9.0 } else { 0.0 });
        let (j, mu) = (DMatrix::from_fn(R, N, of_rows), 0.25);
        let minv = m.clone().try_inverse().unwrap();
        let minv_jt = &minv * j.transpose();
        let s = (&j * &minv_jt + DMatrix::identity(R, R) * mu).try_inverse().unwrap();
        let (mut k, mut minus_kt, mut p) = (SMatrix::zero(), SMatrix::zero(), SMatrix::zero());
        let inverse = KktInverse::<T, N, R> {
            minv: &typed(&minv),
            minv_jt: &typed(&minv_jt),
            s: &typed(&s),
            k: &mut k,
            minus_kt: &mut minus_kt,
            p: &mut p,
        };
        inverse.make();
        let t: SMatrix<T, N, N> = SMatrix::from_fn(|r, c| T::from_f64(of_groups(r, c)));
        let mut f: SMatrix<T, R, N> = SMatrix::from_fn(|r, c| T::from_f64(of_rows(r, c)));
        let mut x = SMatrix::from_fn(|_, _| T::from_f64(f64::NAN));
        let s = typed(&s);
        let (groups, rows) = (&GROUPS[..], &ROWS);
        T::dispatch(KktProduct {
            p: &p,
            k: &k,
            minus_kt: &minus_kt,
            s: &s,
            t: &t,
            groups,
            rows,
            x: &mut x,
            f: &mut f,
        });
        let (x, f) = (
            DMatrix::from_fn(N, N, |r, c| value(x[(r, c)])),
            DMatrix::from_fn(R, N, |r, c| value(f[(r, c)])),
        );
        let torques = &m * &x - j.transpose() * &f + DMatrix::from_fn(N, N, of_groups);
        let rows = &j * &x + &f * mu + DMatrix::from_fn(R, N, of_rows);
        assert!(torques.amax() < 1e-11, "{torques}");
        assert!(rows.amax() < 1e-11, "{rows}");
        assert!(x.column(0).iter().chain(&x.column(10)).all(|x| *x == 0.0) && x.column(1).amax() > 0.1);
        let symmetric = DMatrix::from_fn(N, N, |r, c| value(p[(r, c)]) - value(p[(c, r)]));
        assert_eq!(symmetric.amax(), 0.0);
    }

    #[test]
    fn what_stands_on_the_left_is_made_up_for() {
        check::<f64>(|x| x);
        check::<F64x4>(|x| x.to_array()[2]);
    }
}
