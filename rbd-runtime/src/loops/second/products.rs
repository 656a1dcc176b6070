//! Products of matrices over coordinates, without the terms that a tree makes zero.

use super::super::tables::{Strip, Topology};
use super::super::{LANES, Register};
use super::inverse::Padded;
use crate::Scalar;

/// Ranges of coordinates related to some others. With mimic joints, all coordinates are related.
#[derive(Clone, Copy)]
pub struct Ranges<'a> {
    strips: &'a [Strip],
    all: Option<usize>,
}

impl Ranges<'_> {
    /// Range number `k`. `None` after the last.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn get(&self, k: usize) -> Option<(usize, usize)> {
        match self.all {
            Some(n) if k == 0 => Some((0, n)),
            None if k < self.strips.len() => {
                let strip = &self.strips[k];
                let related = strip.above | strip.below != 0;
                Some((usize::from(strip.from), if related { usize::from(strip.to) } else { 0 }))
            }
            _ => None,
        }
    }

    /// True if a coordinate is in one of the ranges.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn contain(&self, c: usize) -> bool {
        let mut k = 0;
        while let Some((from, to)) = self.get(k) {
            if from <= c && c < to {
                return true;
            }
            k += 1;
        }
        false
    }
}

/// Coordinates of window `k`: the first, one past the last, and the ranges related to them.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn window<'a>(topology: &Topology<'a>, n: usize, k: usize) -> Option<(usize, usize, Ranges<'a>)> {
    if topology.merges() {
        let from = k * LANES;
        return (from < n).then_some((from, n.min(from + LANES), Ranges { strips: &[], all: Some(n) }));
    }
    let window = topology.windows.get(k)?;
    let (from, rows) = (usize::from(window.first), usize::from(window.rows));
    let strips = topology.strips.get(window.strips.0 as usize..window.strips.1 as usize)?;
    Some((from, from + rows, Ranges { strips, all: None }))
}

/// Columns multiplied at once.
pub const COLUMNS: usize = 6;

/// Copies of columns that a product in place overwrites.
pub type Kept<S, const P: usize> = [[S; P]; COLUMNS];

/// Second factor of a product.
#[derive(Clone, Copy)]
pub struct Columns<'a, S> {
    /// Numbers.
    pub of: &'a [S],
    /// Beginning of the first column.
    pub at: usize,
    /// Distance from one column to the next.
    pub stride: usize,
}

impl<'a, S> Columns<'a, S> {
    /// Consecutive columns of `n` numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(of: &'a [S], n: usize) -> Self {
        Self { of, at: 0, stride: n }
    }

    /// One column. Empty if the slice is too short.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn column(&self, number: usize, n: usize) -> &'a [S] {
        let at = self.at + number * self.stride;
        match self.of.get(at..at + n) {
            Some(column) => column,
            None => &[],
        }
    }
}

/// Place of a product's second factor.
enum Second<'a, S, const P: usize> {
    There(Columns<'a, S>),
    /// Place of the results. Columns are copied here before they are overwritten.
    InPlace(&'a mut Kept<S, P>),
}

/// Receiver of a product's columns.
pub trait Take<S, X> {
    /// Column of the second factor, for products in place. It is read before the product overwrites it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn column(&self, _: usize) -> &[S] {
        &[]
    }
    /// Receives `count` entries of a column of the product, from `row` on.
    fn take(&mut self, row: usize, column: usize, x: X, count: usize);
}

/// Rows from `row` on, in `R` registers, of a times columns. Sums run over the ranges.
#[cfg_attr(not(debug_assertions), inline(always))]
fn tile<S: Scalar, X: Register<Of = S>, const R: usize, const C: usize, const P: usize>(
    a: &Padded<S, P>,
    of: &[&[S]; COLUMNS],
    n: usize,
    ranges: Ranges<'_>,
    (row, first): (usize, usize),
) -> [[X; R]; C] {
    for k in 0..COLUMNS {
        if of[k].len() < n {
            return [[X::splat(S::zero()); R]; C];
        }
    }
    let mut at = [0; R];
    for r in 0..R {
        at[r] = (row + r * LANES).min(P - LANES);
    }
    let mut sums = [[X::splat(S::zero()); R]; C];
    let mut range = 0;
    while let Some((from, to)) = ranges.get(range) {
        range += 1;
        for e in from..to.min(P).min(n) {
            let mut x = [X::splat(S::zero()); R];
            for r in 0..R {
                // SAFETY: `at[r]` is at most the last position at which a register still fits into the row.
                let a = unsafe { &*a[e].as_ptr().add(at[r]).cast::<[S; LANES]>() };
                x[r] = X::load(a);
            }
            for k in 0..C {
                // SAFETY: e is below n, and every column has n numbers.
                let by = X::splat(unsafe { *of[(first + k) % COLUMNS].get_unchecked(e) });
                for r in 0..R {
                    sums[k][r] = x[r].mul_add(by, sums[k][r]);
                }
            }
        }
    }
    sums
}

/// Computes rows of columns from `j` on by [`tile`], and passes them to `take`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rows<S: Scalar, X: Register<Of = S>, const R: usize, const C: usize, const P: usize>(
    a: &Padded<S, P>,
    of: &[&[S]; COLUMNS],
    n: usize,
    ranges: Ranges<'_>,
    row: usize,
    (j, columns): (usize, usize),
    take: &mut impl Take<S, X>,
) {
    let mut first = 0;
    while first < columns {
        let sums = tile::<S, X, R, C, P>(a, of, n, ranges, (row, first));
        for k in 0..C.min(columns - first) {
            for r in 0..R {
                let at = row + r * LANES;
                if at < n {
                    take.take(at, j + first + k, sums[k][r], n - at);
                }
            }
        }
        first += C;
    }
}

/// Computes all rows of some columns of a product.
#[cfg_attr(not(debug_assertions), inline(always))]
fn tiles<S: Scalar, X: Register<Of = S>, const P: usize>(
    a: &Padded<S, P>,
    mut b: Second<'_, S, P>,
    n: usize,
    ranges: Ranges<'_>,
    (from, to): (usize, usize),
    take: &mut impl Take<S, X>,
) {
    let mut j = from;
    while j < to {
        let columns = (to - j).min(COLUMNS);
        if let Second::InPlace(kept) = &mut b {
            for k in 0..columns {
                copy(take.column(j + k), &mut kept[k % COLUMNS]);
            }
        }
        let mut of = [&[][..]; COLUMNS];
        for k in 0..COLUMNS {
            // Beyond the last column, the tile repeats it.
            let k_there = k.min(columns - 1);
            of[k] = match &b {
                Second::There(b) => b.column(j + k_there, n),
                Second::InPlace(kept) => &kept[k_there],
            };
        }
        let mut row = 0;
        while row < n {
            let at = (j, columns);
            if n - row <= LANES {
                rows::<S, X, 1, 6, P>(a, &of, n, ranges, row, at, take);
                row += LANES;
            } else if X::IS_ONE && n - row > 2 * LANES {
                rows::<S, X, 3, 6, P>(a, &of, n, ranges, row, at, take);
                row += 3 * LANES;
            } else {
                rows::<S, X, 2, 3, P>(a, &of, n, ranges, row, at, take);
                row += 2 * LANES;
            }
        }
        j += columns;
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn copy<S: Scalar, const P: usize>(from: &[S], to: &mut [S; P]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// Takes a product, negated.
struct Negated<'a, S> {
    out: &'a mut [S],
    n: usize,
}

impl<S: Scalar, X: Register<Of = S>> Take<S, X> for Negated<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, row: usize, column: usize, x: X, count: usize) {
        put(self.out, column * self.n + row, -x, count);
    }
}

/// Takes a product, negated, in place of the second factor.
struct InPlace<'a, S> {
    out: &'a mut [S],
    n: usize,
}

impl<S: Scalar, X: Register<Of = S>> Take<S, X> for InPlace<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn column(&self, number: usize) -> &[S] {
        Columns::new(self.out, self.n).column(number, self.n)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, row: usize, column: usize, x: X, count: usize) {
        put(self.out, column * self.n + row, -x, count);
    }
}

/// Product `out = -a b` by columns. a is symmetric and padded, and b has the tree's zeros.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn minus_product<S: Scalar, X: Register<Of = S>, const P: usize>(
    topology: &Topology<'_>,
    n: usize,
    a: &Padded<S, P>,
    b: &[S],
    out: &mut [S],
) {
    let mut number = 0;
    while let Some((from, to, ranges)) = window(topology, n, number) {
        number += 1;
        let b = Second::There(Columns::new(b, n));
        tiles::<S, X, P>(a, b, n, ranges, (from, to), &mut Negated { out: &mut *out, n });
    }
}

/// Product `b = -a b` in place. Columns of b that are unrelated to coordinate `only` are zero and stay zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn minus_product_in_place<S: Scalar, X: Register<Of = S>, const P: usize>(
    topology: &Topology<'_>,
    n: usize,
    a: &Padded<S, P>,
    b: &mut [S],
    only: usize,
    kept: &mut Kept<S, P>,
) {
    let mut number = 0;
    while let Some((from, to, ranges)) = window(topology, n, number) {
        number += 1;
        if ranges.contain(only) {
            tiles::<S, X, P>(
                a,
                Second::InPlace(&mut *kept),
                n,
                ranges,
                (from, to),
                &mut InPlace { out: &mut *b, n },
            );
        }
    }
}

/// Product `a b` for all columns of b. Columns of a outside the ranges are zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn for_product<S: Scalar, X: Register<Of = S>, const P: usize>(
    n: usize,
    a: &Padded<S, P>,
    b: Columns<'_, S>,
    ranges: Ranges<'_>,
    take: &mut impl Take<S, X>,
) {
    tiles::<S, X, P>(a, Second::There(b), n, ranges, (0, n), take);
}

/// Product `a b` for the columns of b in the ranges. Columns of a outside the ranges are zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn for_related<S: Scalar, X: Register<Of = S>, const P: usize>(
    n: usize,
    a: &Padded<S, P>,
    b: Columns<'_, S>,
    ranges: Ranges<'_>,
    take: &mut impl Take<S, X>,
) {
    let mut range = 0;
    while let Some((from, to)) = ranges.get(range) {
        range += 1;
        tiles::<S, X, P>(a, Second::There(b), n, ranges, (from, to.min(n)), take);
    }
}

/// Product `out = z a` by columns. z is padded and has the tree's zeros.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn product<S: Scalar, X: Register<Of = S>, const P: usize>(
    topology: &Topology<'_>,
    n: usize,
    z: &Padded<S, P>,
    a: &[S],
    out: &mut [S],
) {
    let mut number = 0;
    while let Some((from, to, ranges)) = window(topology, n, number) {
        number += 1;
        let mut j = 0;
        while j < n {
            let columns = (n - j).min(COLUMNS);
            let mut of = [&[][..]; COLUMNS];
            for k in 0..COLUMNS {
                of[k] = Columns::new(a, n).column(j + k.min(columns - 1), n);
            }
            let sums = tile::<S, X, 1, COLUMNS, P>(z, &of, n, ranges, (from, 0));
            for k in 0..columns {
                put(out, (j + k) * n + from, sums[k % COLUMNS][0], to - from);
            }
            j += columns;
        }
    }
}

/// Stores the first `count` lanes at a place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn put<S: Scalar, X: Register<Of = S>>(out: &mut [S], at: usize, x: X, count: usize) {
    if count >= LANES {
        if let Some(out) = out.get_mut(at..).and_then(<[S]>::first_chunk_mut) {
            x.store(out);
        }
    } else if let Some(out) = out.get_mut(at..at + count) {
        x.store_first(out);
    }
}
