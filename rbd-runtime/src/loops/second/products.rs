//! Products of matrices over coordinates that leave out what a tree makes zero.

use super::super::tables::{Strip, Topology};
use super::super::{LANES, Register};
use super::inverse::Padded;
use super::vectors::{Lane, Wide};
use crate::Scalar;

/// Ranges of coordinates that some are related to: all, where joints follow others.
#[derive(Clone, Copy)]
pub struct Ranges<'a> {
    strips: &'a [Strip],
    all: Option<usize>,
}

impl Ranges<'_> {
    /// The range with this number; none after the last.
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

    /// Whether this coordinate is among them.
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

/// Coordinates that are done together, with this number: from, to before, and what they are related to.
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

/// Rows from `row` on, `R` registers of them, of `a b` in up to `C` columns from j on, a padded and column after column, as sums
/// over these ranges.
#[cfg_attr(not(debug_assertions), inline(always))]
fn tile<S: Scalar, X: Register<S>, const R: usize, const C: usize, const P: usize>(
    a: &Padded<S, P>,
    b: &[S],
    n: usize,
    ranges: Ranges<'_>,
    row: usize,
    (j, columns): (usize, usize),
) -> [[Wide<S, X>; R]; C] {
    let mut sums = [[Wide::splat(S::zero()); R]; C];
    let mut range = 0;
    while let Some((from, to)) = ranges.get(range) {
        range += 1;
        let to = to.min(P).min(n);
        let Some(rows) = a.get(from..to) else { continue };
        let mut of = [&[][..]; C];
        for k in 0..C {
            // Columns beyond the last one are the last one once more.
            let at = (j + k.min(columns - 1)) * n + from;
            let Some(column) = b.get(at..).and_then(|b| b.get(..rows.len())) else { return sums };
            of[k] = column;
        }
        for e in 0..rows.len() {
            let mut x = [Wide::splat(S::zero()); R];
            for r in 0..R {
                if let Some(a) = rows[e].get(row + r * LANES..).and_then(<[S]>::first_chunk) {
                    x[r] = Wide::new(X::load(a));
                }
            }
            for k in 0..C {
                let by = Wide::splat(if e < of[k].len() { of[k][e] } else { S::zero() });
                for r in 0..R {
                    sums[k][r] = x[r].fma(by, sums[k][r]);
                }
            }
        }
    }
    sums
}

/// Calls [`tile`] for all rows of columns from `from` to before `to`: what takes them gets a row, a column, the register of rows
/// from there on, and how many there are.
#[cfg_attr(not(debug_assertions), inline(always))]
fn tiles<S: Scalar, X: Register<S>, const P: usize>(
    a: &Padded<S, P>,
    b: &[S],
    n: usize,
    ranges: Ranges<'_>,
    (from, to): (usize, usize),
    take: &mut impl Take<S, X>,
) {
    let mut j = from;
    while j < to {
        let mut row = 0;
        if n <= LANES {
            let columns = (to - j).min(6);
            let sums = tile::<S, X, 1, 6, P>(a, b, n, ranges, row, (j, columns));
            for k in 0..columns {
                take.take(row, j + k, sums[k % 6][0], n);
            }
            j += columns;
            continue;
        }
        let columns = (to - j).min(3);
        while row < n {
            let sums = tile::<S, X, 2, 3, P>(a, b, n, ranges, row, (j, columns));
            for k in 0..columns {
                take.take(row, j + k, sums[k % 3][0], n - row);
                if row + LANES < n {
                    take.take(row + LANES, j + k, sums[k % 3][1], n - row - LANES);
                }
            }
            row += 2 * LANES;
        }
        j += columns;
    }
}

/// Takes a product, negated.
struct Negated<'a, S> {
    out: &'a mut [S],
    n: usize,
}

impl<S: Scalar, X: Register<S>> Take<S, X> for Negated<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, row: usize, column: usize, x: Wide<S, X>, count: usize) {
        put(self.out, column * self.n + row, -x, count);
    }
}

/// `out = -a b` with a symmetric and padded, and b zero where the tree says so, column after column. With `only`, columns that
/// are not related to that coordinate are zero in b, and left as they are.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn minus_product<S: Scalar, X: Register<S>, const P: usize>(
    topology: &Topology<'_>,
    n: usize,
    a: &Padded<S, P>,
    b: &[S],
    out: &mut [S],
    only: Option<usize>,
) {
    let mut number = 0;
    while let Some((from, to, ranges)) = window(topology, n, number) {
        number += 1;
        if let Some(only) = only
            && !ranges.contain(only)
        {
            continue;
        }
        tiles::<S, X, P>(a, b, n, ranges, (from, to), &mut Negated { out: &mut *out, n });
    }
}

/// Rows of `a b` for all columns of b, where a's columns are zero but for these ranges. `take` gets a row, a column, the register
/// of rows from there on, and how many there are.
pub trait Take<S, X> {
    /// The next rows of a column.
    fn take(&mut self, row: usize, column: usize, x: Wide<S, X>, count: usize);
}

/// See [`Take`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn for_product<S: Scalar, X: Register<S>, const P: usize>(
    n: usize,
    a: &Padded<S, P>,
    b: &[S],
    ranges: Ranges<'_>,
    to: &mut impl Take<S, X>,
) {
    tiles::<S, X, P>(a, b, n, ranges, (0, n), to);
}

/// `out = z a`, column after column, z padded and zero where the tree says so.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn product<S: Scalar, X: Register<S>, const P: usize>(
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
            let columns = (n - j).min(6);
            let sums = tile::<S, X, 1, 6, P>(z, a, n, ranges, from, (j, columns));
            for k in 0..columns {
                put(out, (j + k) * n + from, sums[k % 6][0], to - from);
            }
            j += columns;
        }
    }
}

/// The first lanes to a place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn put<S: Scalar, X: Register<S>>(out: &mut [S], at: usize, x: Wide<S, X>, count: usize) {
    if count >= LANES {
        if let Some(out) = out.get_mut(at..).and_then(<[S]>::first_chunk_mut) {
            x.0.store(out);
        }
    } else if let Some(out) = out.get_mut(at..at + count) {
        x.0.store_first(out);
    }
}
