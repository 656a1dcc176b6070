//! The mass matrix's factors, its inverse, and products that leave out what a tree makes zero
//! (docs/math.md#ltl-factorisation).

use super::super::tables::{Strip, Tables, Topology, WORLD};
use super::super::{LANES, Register};
use super::vectors::{Lane, Wide};
use crate::Scalar;

/// A square matrix over coordinates, row after row (or column after column), rows padded.
pub type Padded<S, const P: usize> = [[S; P]; P];

/// Factors of M: of row k, `L[k][i]` for the coordinates i over k, and `1/D_k` in place of the diagonal.
pub struct Factors<S, const P: usize> {
    l: Padded<S, P>,
    /// The coordinate over each one, where it is not the first of its path.
    over: [u16; P],
    /// The coordinate after the last one that each one is over.
    end: [u16; P],
    n: usize,
}

impl<S: Scalar, const P: usize> Factors<S, P> {
    /// Of M, column after column. Where joints follow others every coordinate counts as over the next one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new<X: Register<S>>(tables: &Tables<'_, P>, m: &[S]) -> Self {
        let topology = &tables.topology;
        let n = tables.damping.len().min(P);
        let dense = topology.merges();
        let mut out = Self { l: [[S::zero(); P]; P], over: [WORLD; P], end: [n as u16; P], n };
        for k in 0..n {
            if dense {
                out.over[k] = if k == 0 { WORLD } else { (k - 1) as u16 };
            } else if k < topology.first.len() && k < topology.parent.len() && k < topology.end.len() {
                let first = usize::from(topology.first[k]);
                out.over[k] = if first < k { (k - 1) as u16 } else { topology.parent[k] };
                out.end[k] = topology.end[k];
            }
            for i in 0..=k {
                let at = i * n + k;
                if at < m.len() {
                    out.l[k][i] = m[at];
                }
            }
        }
        for k in (0..n).rev() {
            let row = out.l[k];
            let inverse = S::one() / row[k];
            let mut i = usize::from(out.over[k]);
            while i < k {
                let factor = row[i] * inverse;
                // Off the path the row is zero; what comes beyond the diagonal is not read.
                minus::<S, X, P>(&mut out.l[i], factor, &row, 0, i + 1);
                out.l[k][i] = factor;
                let over = usize::from(out.over[i]);
                if over >= i {
                    break;
                }
                i = over;
            }
            out.l[k][k] = inverse;
        }
        out
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&self, i: usize) -> usize {
        let over = usize::from(self.over[i]);
        if over < i { over } else { usize::MAX }
    }

    /// `M^-1`, symmetric to the last bit.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn inverse<X: Register<S>>(&self, out: &mut Padded<S, P>) {
        // So that the compiler knows that the rows are there.
        let n = self.n.min(P);
        for k in 0..n {
            for c in 0..P {
                out[k][c] = S::zero();
            }
            out[k][k] = S::one();
        }
        for k in (0..n).rev() {
            let (end, row) = (usize::from(self.end[k]), out[k]);
            let mut i = usize::from(self.over[k]);
            while i < k {
                minus::<S, X, P>(&mut out[i], self.l[k][i], &row, k, end);
                i = self.next(i);
            }
            let inverse = self.l[k][k];
            for c in k..end.min(P) {
                out[k][c] *= inverse;
            }
        }
        for k in 0..n {
            let mut row = out[k];
            let mut i = usize::from(self.over[k]);
            while i < k {
                minus::<S, X, P>(&mut row, self.l[k][i], &out[i], k, n);
                i = self.next(i);
            }
            out[k] = row;
        }
        // Below the diagonal there is nothing of use yet.
        for k in 0..n {
            for c in k + 1..n {
                out[c][k] = out[k][c];
            }
        }
    }
}

/// `x = M^-1 b`, refined once: derivatives magnify an error of the accelerations by M^-1. M column after column.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn solve<S: Scalar, X: Register<S>, const P: usize>(
    inverse: &Padded<S, P>,
    m: &[S],
    n: usize,
    b: &[S; P],
    x: &mut [S; P],
) {
    let n = n.min(P);
    times::<S, X, P>(inverse, n, b, x);
    let mut rest = *b;
    for c in 0..n {
        let Some(column) = m.get(c * n..c * n + n) else { return };
        let by = -x[c];
        for r in 0..n {
            rest[r] = by.mul_add(column[r], rest[r]);
        }
    }
    let mut more = [S::zero(); P];
    times::<S, X, P>(inverse, n, &rest, &mut more);
    for c in 0..n {
        x[c] += more[c];
    }
}

/// `out = a x`, a padded and column after column.
#[cfg_attr(not(debug_assertions), inline(always))]
fn times<S: Scalar, X: Register<S>, const P: usize>(
    a: &Padded<S, P>,
    n: usize,
    x: &[S; P],
    out: &mut [S; P],
) {
    let mut row = 0;
    while row < n {
        let (mut even, mut odd) = (Wide::<S, X>::splat(S::zero()), Wide::<S, X>::splat(S::zero()));
        for c in 0..n.min(P) {
            if let Some(a) = a[c].get(row..).and_then(<[S]>::first_chunk) {
                let sum = if c % 2 == 0 { &mut even } else { &mut odd };
                *sum = Wide::new(X::load(a)).fma(Wide::splat(x[c]), *sum);
            }
        }
        if let Some(out) = out.get_mut(row..).and_then(<[S]>::first_chunk_mut) {
            (even + odd).0.store(out);
        }
        row += LANES;
    }
}

/// `to -= x by` from a column to before another one: whole registers, as far as there is room.
#[cfg_attr(not(debug_assertions), inline(always))]
fn minus<S: Scalar, X: Register<S>, const P: usize>(
    to: &mut [S; P],
    x: S,
    by: &[S; P],
    from: usize,
    end: usize,
) {
    let x = Wide::<S, X>::splat(-x);
    let mut c = from / LANES * LANES;
    while c < end {
        if let (Some(to), Some(by)) =
            (to.get_mut(c..).and_then(<[S]>::first_chunk_mut), by.get(c..).and_then(<[S]>::first_chunk))
        {
            x.fma(Wide::new(X::load(by)), Wide::new(X::load(to))).0.store(to);
        }
        c += LANES;
    }
}

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
