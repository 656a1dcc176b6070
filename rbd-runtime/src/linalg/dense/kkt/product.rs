//! Products with the inverse of a matrix of the form `[[M, J^T], [J, -mu]]`.

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::linalg::columns::{ByRows, ColumnGroup, Range, RowBlock, add_products, by_rows, minus, registers};
use crate::simd::{LANES, Register};
use nalgebra::SMatrix;

/// `x = -p t - k r`, `f = k^T t - s r`: the solution for the right-hand side `-t, -r`, for two of them. `r`
/// is stored in `f`.
pub(crate) struct KktProduct<'a, T, const N: usize, const R: usize, const B: usize> {
    /// The inverse's blocks, as [`KktInverse`](super::KktInverse) makes them.
    pub p: &'a SMatrix<T, N, N>,
    /// `k`.
    pub k: &'a SMatrix<T, N, R>,
    /// `-k^T`.
    pub minus_kt: &'a SMatrix<T, R, N>,
    /// `s`.
    pub s: &'a SMatrix<T, R, R>,
    /// `t`, unless it is stored in `x`.
    pub t: Option<[&'a SMatrix<T, N, N>; 2]>,
    /// Columns of each `t` that may be nonzero, from the first on. In columns of no group, `r` and the
    /// results are zero too. Entries of `t` in no group are not read.
    pub groups: [&'a [ColumnGroup<'a>]; 2],
    /// Rows of `r` that may be nonzero, with their columns as terms.
    pub rows: &'a [RowBlock<'a>; B],
    /// `x`.
    pub x: [&'a mut SMatrix<T, N, N>; 2],
    /// `r`, and then `f`.
    pub f: [&'a mut SMatrix<T, R, N>; 2],
}

dispatched!(KktProduct<N: usize, R: usize, B: usize>, wide, X8);

impl<T: Scalar, const N: usize, const R: usize, const B: usize> KktProduct<'_, T, N, R, B> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let ([first, second], [f_first, f_second]) = (self.x, self.f);
        let t = match self.t {
            Some([first, second]) => Some([&recast.matrix(first).data.0, &recast.matrix(second).data.0]),
            None => None,
        };
        let mut product = Both::<S, N, R> {
            p: &recast.matrix(self.p).data.0,
            k: &recast.matrix(self.k).data.0,
            minus_kt: &recast.matrix(self.minus_kt).data.0,
            s: &recast.matrix(self.s).data.0,
            t,
            x: [&mut recast.matrix_mut(first).data.0, &mut recast.matrix_mut(second).data.0],
            f: [&mut recast.matrix_mut(f_first).data.0, &mut recast.matrix_mut(f_second).data.0],
        };
        for side in 0..2 {
            product.clear(side, self.groups[side]);
            for group in self.groups[side] {
                let mut runs = [(0, 0); B];
                let count = rows_in(group, self.rows, &mut runs);
                product.by_group::<L>(side, group, runs.get(..count).unwrap_or(&[]));
            }
        }
    }
}

/// Writes the runs of rows where `r` may be nonzero in any column of the group. Returns their number.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rows_in<const B: usize>(
    group: &ColumnGroup<'_>,
    rows: &[RowBlock<'_>; B],
    runs: &mut [Range; B],
) -> usize {
    let ((from, to), mut count) = (group.columns, 0_usize);
    for block in rows {
        let mut is_there = false;
        for &(first, end) in block.terms {
            if first < to && from < end {
                is_there = true;
                break;
            }
        }
        if !is_there || block.rows.0 >= block.rows.1 {
            continue;
        }
        if let Some(last) = count.checked_sub(1).and_then(|last| runs.get_mut(last))
            && last.1 == block.rows.0
        {
            last.1 = block.rows.1;
        } else if let Some(run) = runs.get_mut(count) {
            *run = block.rows;
            count += 1;
        }
    }
    count
}

struct Both<'k, T, const N: usize, const R: usize> {
    p: &'k [[T; N]; N],
    k: &'k [[T; N]; R],
    minus_kt: &'k [[T; R]; N],
    s: &'k [[T; R]; R],
    t: Option<[&'k [[T; N]; N]; 2]>,
    x: [&'k mut [[T; N]; N]; 2],
    f: [&'k mut [[T; R]; N]; 2],
}

impl<T: Scalar, const N: usize, const R: usize> Both<'_, T, N, R> {
    /// Sets the results in columns of no group to zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clear(&mut self, side: usize, groups: &[ColumnGroup<'_>]) {
        let (mut next, mut at) = (0, 0);
        while next < N {
            let (from, to) = groups.get(at).map_or((N, N), |group| group.columns);
            for column in next..from.min(N) {
                self.x[side][column] = [T::zero(); N];
                self.f[side][column] = [T::zero(); R];
            }
            (next, at) = (to.max(next), at + 1);
        }
    }

    /// Columns of one group, at most four at once.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn by_group<L: Register<Of = T>>(&mut self, side: usize, group: &ColumnGroup<'_>, rows: &[Range]) {
        let (mut column, end) = (group.columns.0, group.columns.1.min(N));
        while column < end {
            // Few columns keep the arithmetic waiting: none are left over. Three are as fast as four, and
            // with five registers of x and two of f all that registers hold.
            let together = match end - column {
                4 if const { N.div_ceil(LANES) == 5 && R.div_ceil(LANES) == 2 } => 2,
                5.. if const { N.div_ceil(LANES) == 5 && R.div_ceil(LANES) == 2 } => 3,
                left @ 0..=4 => left,
                5 | 6 | 9 => 3,
                _ => 4,
            };
            match together {
                1 => self.columns::<L, 1>((side, column), group.blocks, rows),
                2 if const { N >= 2 } => self.columns::<L, 2>((side, column), group.blocks, rows),
                3 if const { N >= 3 } => self.columns::<L, 3>((side, column), group.blocks, rows),
                _ if const { N >= 4 } => self.columns::<L, 4>((side, column), group.blocks, rows),
                _ => {}
            }
            column += together;
        }
    }

    /// `C` columns from this one on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<L: Register<Of = T>, const C: usize>(
        &mut self,
        (side, column): (usize, usize),
        blocks: &[RowBlock<'_>],
        rows: &[Range],
    ) {
        if const { L::IS_ONE && N >= LANES && R >= LANES } {
            // All rows are sums of the same terms.
            let [RowBlock { terms, .. }, ..] = blocks else { return };
            let (at, of) = ((side, column), (*terms, rows));
            // One of these is compiled.
            if const { N.div_ceil(LANES) == 1 && R.div_ceil(LANES) == 1 } {
                return self.at_once::<L, C, 1, 1>(at, of);
            } else if const { N.div_ceil(LANES) == 2 && R.div_ceil(LANES) == 1 } {
                return self.at_once::<L, C, 2, 1>(at, of);
            } else if const { N.div_ceil(LANES) == 3 && R.div_ceil(LANES) == 1 } {
                return self.at_once::<L, C, 3, 1>(at, of);
            } else if const { N.div_ceil(LANES) == 4 && R.div_ceil(LANES) == 1 } {
                return self.at_once::<L, C, 4, 1>(at, of);
            } else if const { N.div_ceil(LANES) == 1 && R.div_ceil(LANES) == 2 } {
                return self.at_once::<L, C, 1, 2>(at, of);
            } else if const { N.div_ceil(LANES) == 2 && R.div_ceil(LANES) == 2 } {
                return self.at_once::<L, C, 2, 2>(at, of);
            } else if const { N.div_ceil(LANES) == 3 && R.div_ceil(LANES) == 2 } {
                return self.at_once::<L, C, 3, 2>(at, of);
            } else if const { N.div_ceil(LANES) == 4 && R.div_ceil(LANES) == 2 } {
                return self.at_once::<L, C, 4, 2>(at, of);
            } else if const { N.div_ceil(LANES) == 5 && R.div_ceil(LANES) == 2 && C <= 3 } {
                return self.at_once::<L, C, 5, 2>(at, of);
            }
        }
        let x = self.x[side].get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let f = self.f[side].get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let (Some((x, _)), Some((f, _))) = (x, f) else { return };
        let (mut t, r) = (*x, *f);
        if let Some(of) = self.t {
            let Some((of, _)) = of[side].get(column..).and_then(<[_]>::split_first_chunk::<C>) else {
                return;
            };
            t = *of;
        }
        // All rows are sums of the same terms.
        let [RowBlock { terms, .. }, ..] = blocks else { return };
        let of_x = (Factors { a: self.p, x: &t, terms }, Factors { a: self.k, x: &r, terms: rows });
        let of_f = (Factors { a: self.minus_kt, x: &t, terms }, Factors { a: self.s, x: &r, terms: rows });
        if const { L::IS_ONE && N >= LANES } {
            minus_products::<T, L, N, R, N, C>(&of_x, x);
        } else {
            by_rows::<T, _, N, C>((0, N), &mut MinusRows { both: &of_x, out: x });
        }
        if const { L::IS_ONE && R >= LANES } {
            minus_products::<T, L, N, R, R, C>(&of_f, f);
        } else {
            by_rows::<T, _, R, C>((0, R), &mut MinusRows { both: &of_f, out: f });
        }
    }

    /// `C` columns of `G` registers of x and `H` of f, all of which are computed before the first is stored:
    /// `t` and `r` need no copy.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
    fn at_once<L: Register<Of = T>, const C: usize, const G: usize, const H: usize>(
        &mut self,
        (side, column): (usize, usize),
        (terms, rows): (&[Range], &[Range]),
    ) {
        let (mut of_x, mut of_f) = ([[L::splat(T::zero()); G]; C], [[L::splat(T::zero()); H]; C]);
        let (at_x, at_f) = (starts::<N, G>(), starts::<R, H>());
        let t: &[[T; N]; N] = match self.t {
            Some(t) => t[side],
            None => self.x[side],
        };
        let t = t.get(column..).and_then(<[_]>::first_chunk::<C>);
        let r = self.f[side].get(column..).and_then(<[_]>::first_chunk::<C>);
        let (Some(t), Some(r)) = (t, r) else { return };
        let by_t = TwoFactors { a: self.p, b: self.minus_kt, x: t, terms };
        let by_r = TwoFactors { a: self.k, b: self.s, x: r, terms: rows };
        let at = (&at_x, &at_f);
        let is_done = add_both(by_t, at, &mut of_x, &mut of_f) && add_both(by_r, at, &mut of_x, &mut of_f);
        let x = self.x[side].get_mut(column..).and_then(<[_]>::first_chunk_mut::<C>);
        let f = self.f[side].get_mut(column..).and_then(<[_]>::first_chunk_mut::<C>);
        let (Some(x), Some(f), true) = (x, f, is_done) else { return };
        for c in 0..C {
            for g in 0..G {
                let Some(to) = x[c].get_mut(at_x[g]..).and_then(<[T]>::first_chunk_mut) else { return };
                (L::splat(T::zero()) - of_x[c][g]).store(to);
            }
            for h in 0..H {
                let Some(to) = f[c].get_mut(at_f[h]..).and_then(<[T]>::first_chunk_mut) else { return };
                (L::splat(T::zero()) - of_f[c][h]).store(to);
            }
        }
    }
}

/// First rows of `G` registers that cover `M` rows, of which there are at least eight. The last two overlap.
#[cfg_attr(not(debug_assertions), inline(always))]
fn starts<const M: usize, const G: usize>() -> [usize; G] {
    let mut starts = [0; G];
    for (g, start) in starts.iter_mut().enumerate() {
        *start = (g * LANES).min(M.saturating_sub(LANES));
    }
    starts
}

/// Factors of two products `a x` and `b x` with sums over these terms.
struct TwoFactors<'k, T, const N: usize, const R: usize, const K: usize, const C: usize> {
    a: &'k [[T; N]; K],
    b: &'k [[T; R]; K],
    x: &'k [[T; K]; C],
    terms: &'k [Range],
}

/// Adds two products to these sums, in registers from these rows on. False if a register is beyond the rows.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn add_both<
    T: Scalar,
    L: Register<Of = T>,
    const N: usize,
    const R: usize,
    const K: usize,
    const C: usize,
    const G: usize,
    const H: usize,
>(
    TwoFactors { a, b, x, terms }: TwoFactors<'_, T, N, R, K, C>,
    (at_a, at_b): (&[usize; G], &[usize; H]),
    of_a: &mut [[L; G]; C],
    of_b: &mut [[L; H]; C],
) -> bool {
    for &(from, to) in terms {
        for k in from..to.min(K) {
            let (mut rows_of_a, mut rows_of_b) = ([L::splat(T::zero()); G], [L::splat(T::zero()); H]);
            for g in 0..G {
                let Some([rows]) = registers::<T, 1>(&a[k], at_a[g]) else { return false };
                rows_of_a[g] = L::load(rows);
            }
            for h in 0..H {
                let Some([rows]) = registers::<T, 1>(&b[k], at_b[h]) else { return false };
                rows_of_b[h] = L::load(rows);
            }
            for c in 0..C {
                let x = L::splat(x[c][k]);
                for g in 0..G {
                    of_a[c][g] = rows_of_a[g].mul_add(x, of_a[c][g]);
                }
                for h in 0..H {
                    of_b[c][h] = rows_of_b[h].mul_add(x, of_b[c][h]);
                }
            }
        }
    }
    true
}

/// Factors of a product `a x` with sums over these terms.
struct Factors<'k, T, const M: usize, const K: usize, const C: usize> {
    a: &'k [[T; M]],
    x: &'k [[T; K]; C],
    terms: &'k [Range],
}

/// `out = -(a x + b y)`, from the last row up.
#[cfg_attr(not(debug_assertions), inline(always))]
fn minus_products<
    T: Scalar,
    L: Register<Of = T>,
    const K: usize,
    const J: usize,
    const M: usize,
    const C: usize,
>(
    both: &(Factors<'_, T, M, K, C>, Factors<'_, T, M, J, C>),
    out: &mut [[T; M]; C],
) {
    let mut end = M;
    while end > 0 {
        if const { M > 2 * LANES } && end > 2 * LANES {
            minus_tile::<T, L, K, J, M, C, 3>(both, out, end);
            end = end.saturating_sub(3 * LANES);
        } else if const { M > LANES } && end > LANES {
            minus_tile::<T, L, K, J, M, C, 2>(both, out, end);
            end = 0;
        } else {
            minus_tile::<T, L, K, J, M, C, 1>(both, out, LANES);
            end = 0;
        }
    }
}

/// `G` registers of rows up to `end`. The first two overlap if there are fewer rows.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn minus_tile<
    T: Scalar,
    L: Register<Of = T>,
    const K: usize,
    const J: usize,
    const M: usize,
    const C: usize,
    const G: usize,
>(
    (first, second): &(Factors<'_, T, M, K, C>, Factors<'_, T, M, J, C>),
    out: &mut [[T; M]; C],
    end: usize,
) {
    let mut rows = [0; G];
    for g in 0..G {
        rows[g] = end.saturating_sub((G - g) * LANES);
    }
    let mut sums = [[L::splat(T::zero()); G]; C];
    if !add::<T, L, M, K, C, G>(first, &rows, &mut sums) || !add::<T, L, M, J, C, G>(second, &rows, &mut sums)
    {
        return;
    }
    for c in 0..C {
        for g in 0..G {
            let Some(to) = out[c].get_mut(rows[g]..).and_then(<[T]>::first_chunk_mut) else { return };
            (L::splat(T::zero()) - sums[c][g]).store(to);
        }
    }
}

/// Adds a product to the sums. False if the factors end before the terms.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn add<T: Scalar, L: Register<Of = T>, const M: usize, const K: usize, const C: usize, const G: usize>(
    Factors { a, x, terms }: &Factors<'_, T, M, K, C>,
    rows: &[usize; G],
    sums: &mut [[L; G]; C],
) -> bool {
    for &(from, to) in *terms {
        for k in from..to.min(K) {
            let Some(column) = a.get(k) else { return false };
            let mut numbers = [L::splat(T::zero()); G];
            for g in 0..G {
                let Some([of_rows]) = registers::<T, 1>(column, rows[g]) else { return false };
                numbers[g] = L::load(of_rows);
            }
            for c in 0..C {
                let x = L::splat(x[c][k]);
                for g in 0..G {
                    sums[c][g] = numbers[g].mul_add(x, sums[c][g]);
                }
            }
        }
    }
    true
}

/// [`minus_products`] where a register of eight is several: rows of `out = -(a x + b y)`.
struct MinusRows<'t, 'k, T, const K: usize, const J: usize, const M: usize, const C: usize> {
    both: &'t (Factors<'k, T, M, K, C>, Factors<'k, T, M, J, C>),
    out: &'t mut [[T; M]; C],
}

impl<T: Scalar, const K: usize, const J: usize, const M: usize, const C: usize> ByRows
    for MinusRows<'_, '_, T, K, J, M, C>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rows<const G: usize>(&mut self, row: usize) {
        let mut sums = [[T::zero(); G]; C];
        add_rows(&self.both.0, row, &mut sums);
        add_rows(&self.both.1, row, &mut sums);
        for (sums, out) in sums.iter().zip(&mut *self.out) {
            if let Some(out) = out.get_mut(row..).and_then(<[_]>::first_chunk_mut::<G>) {
                *out = minus(sums);
            }
        }
    }
}

/// Adds `G` rows of a product to the sums.
#[cfg_attr(not(debug_assertions), inline(always))]
fn add_rows<T: Scalar, const M: usize, const K: usize, const C: usize, const G: usize>(
    Factors { a, x, terms }: &Factors<'_, T, M, K, C>,
    row: usize,
    sums: &mut [[T; G]; C],
) {
    for &(from, to) in *terms {
        for k in from..to.min(K) {
            let rows = a.get(k).and_then(|column| column.get(row..)).and_then(<[_]>::first_chunk::<G>);
            let Some(rows) = rows else { return };
            add_products(sums, rows, x, k);
        }
    }
}
