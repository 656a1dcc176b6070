//! Factors of the mass matrix, and its inverse (docs/math.md#ltl-factorisation).

use super::super::tables::{Tables, WORLD};
use super::super::{LANES, Register};
use crate::Scalar;

/// A square matrix over coordinates, by rows or by columns, each padded.
pub type Padded<S, const P: usize> = [[S; P]; P];

/// Factors of M. Row k has `L[k][i]` for the coordinates i above k, and `1/D_k` on the diagonal.
pub struct Factors<S, const P: usize> {
    l: Padded<S, P>,
    /// Coordinate above each coordinate. `WORLD` for the first of a path.
    over: [u16; P],
    /// One past the last coordinate below each coordinate.
    end: [u16; P],
    n: usize,
}

impl<S: Scalar, const P: usize> Factors<S, P> {
    /// Factors M, given by columns. With mimic joints, each coordinate counts as above the next one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new<X: Register<Of = S>>(tables: &Tables<'_, P>, m: &[S]) -> Self {
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
                // Entries off the path are zero. Entries beyond the diagonal are not read.
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

    /// Inverse `M^-1`, exactly symmetric.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn inverse<X: Register<Of = S>>(&self, out: &mut Padded<S, P>) {
        // This bound lets the compiler drop index checks.
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
        // Entries below the diagonal are not final until here.
        for k in 0..n {
            for c in k + 1..n {
                out[c][k] = out[k][c];
            }
        }
    }
}

/// Solves `x = M^-1 b` with one step of refinement. M is given by columns.
///
/// Refinement matters since derivatives magnify an error of the accelerations by M^-1.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn solve<S: Scalar, X: Register<Of = S>, const P: usize>(
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

/// Product `out = a x`, with a padded and by columns.
#[cfg_attr(not(debug_assertions), inline(always))]
fn times<S: Scalar, X: Register<Of = S>, const P: usize>(
    a: &Padded<S, P>,
    n: usize,
    x: &[S; P],
    out: &mut [S; P],
) {
    let mut row = 0;
    while row < n {
        let (mut even, mut odd) = (X::splat(S::zero()), X::splat(S::zero()));
        for c in 0..n.min(P) {
            if let Some(a) = a[c].get(row..).and_then(<[S]>::first_chunk) {
                let sum = if c % 2 == 0 { &mut even } else { &mut odd };
                *sum = X::load(a).mul_add(X::splat(x[c]), *sum);
            }
        }
        if let Some(out) = out.get_mut(row..).and_then(<[S]>::first_chunk_mut) {
            (even + odd).store(out);
        }
        row += LANES;
    }
}

/// Subtracts `x by` from `to`, from one column to before another, in whole registers within the padding.
#[cfg_attr(not(debug_assertions), inline(always))]
fn minus<S: Scalar, X: Register<Of = S>, const P: usize>(
    to: &mut [S; P],
    x: S,
    by: &[S; P],
    from: usize,
    end: usize,
) {
    let x = X::splat(-x);
    let mut c = from / LANES * LANES;
    while c < end {
        if let (Some(to), Some(by)) =
            (to.get_mut(c..).and_then(<[S]>::first_chunk_mut), by.get(c..).and_then(<[S]>::first_chunk))
        {
            x.mul_add(X::load(by), X::load(to)).store(to);
        }
        c += LANES;
    }
}
