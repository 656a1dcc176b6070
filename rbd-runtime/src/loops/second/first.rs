//! First derivatives of torques, and the vectors of which they consist (docs/math.md#loops-over-tables).

use super::super::algebra::*;
use super::super::forward::rows_of;
use super::super::scratch::Scratch;
use super::super::tables::{Tables, Topology};
use super::super::{LANES, Register};
use super::square::Square;
use super::state::{Row, State};
use crate::Scalar;

/// Forces of each row that are multiplied with the columns of rows above it.
pub struct Forces<S, const P: usize> {
    /// Force `s x* F + I r + B p`.
    pub by_q: Scratch<S, 6, P>,
    /// Force `B s + I x`.
    pub by_v: Scratch<S, 6, P>,
    /// Force `I s`.
    pub by_a: Scratch<S, 6, P>,
    /// Moment of `B^T s`.
    pub moment: Scratch<S, 3, P>,
}

/// Derivatives of tau, column by column.
pub struct Jacobians<'a, S> {
    /// Derivatives by q and v.
    pub by: [&'a mut [S]; 2],
}

/// Sets all numbers to zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn clear<S: Scalar>(x: &mut [S]) {
    for x in x {
        *x = S::zero();
    }
}

/// Coordinates of the rows. Empty if rows are coordinates.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn merged<'a, const P: usize>(tables: &Tables<'a, P>) -> &'a [u16] {
    if tables.topology.merges() { tables.topology.coordinate } else { &[] }
}

/// One past the last row of a joint's subtree, at most `count`. `first` is the joint's first row.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn end_of(topology: &Topology<'_>, first: usize, count: usize) -> usize {
    if first < topology.end.len() { usize::from(topology.end[first]).min(count) } else { 0 }
}

impl<S: Scalar, const P: usize> Forces<S, P> {
    /// # Safety
    /// [`Self::fill`]ed before anything reads it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        // SAFETY: `fill` precedes any read, by the contract of this function.
        unsafe {
            Self { by_q: Scratch::new(), by_v: Scratch::new(), by_a: Scratch::new(), moment: Scratch::new() }
        }
    }

    /// Fills whole blocks of rows, and the block after them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fill<X: Register<Of = S>>(&mut self, state: &State<'_, S, P>) {
        let out = self;
        let blocks = state.count().div_ceil(LANES);
        for b in 0..blocks {
            let row = b * LANES;
            let (i, b) = (state.inertia::<X>(row), state.coriolis::<X>(row));
            let (s, p) = (state.s::<X>(row), state.p::<X>(row));
            let (r, x) = (state.r::<X>(row), state.x::<X>(row));
            let g = add(inertia_times(i, r), coriolis_times(b, angular(p)));
            out.by_q.put(0, row, add(force_cross(s, state.force::<X>(row)), g));
            out.by_v.put(0, row, add(coriolis_times(b, angular(s)), inertia_times(i, x)));
            out.by_a.put(0, row, inertia_times(i, s));
            out.moment.put(0, row, coriolis_transposed(b, s));
        }
        out.by_q.clear::<X>(blocks * LANES);
        out.by_v.clear::<X>(blocks * LANES);
        out.by_a.clear::<X>(blocks * LANES);
        out.moment.clear::<X>(blocks * LANES);
    }

    /// Recomputes the forces that depend on accelerations.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn accelerate<X: Register<Of = S>>(&mut self, state: &State<'_, S, P>) {
        for b in 0..state.count().div_ceil(LANES) {
            let row = b * LANES;
            let (i, b) = (state.inertia::<X>(row), state.coriolis::<X>(row));
            let (s, p, r) = (state.s::<X>(row), state.p::<X>(row), state.r::<X>(row));
            let g = add(inertia_times(i, r), coriolis_times(b, angular(p)));
            self.by_q.put(0, row, add(force_cross(s, state.force::<X>(row)), g));
        }
    }

    /// Mass matrix M, armature included. It is full and exactly symmetric.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn mass<X: Register<Of = S>>(&self, tables: &Tables<'_, P>, state: &State<'_, S, P>, out: &mut [S]) {
        let (topology, merged, n) = (&tables.topology, merged(tables), tables.damping.len());
        clear(out);
        let mut da = Square { of: out, n, merged };
        for joint in topology.joints {
            let rows = rows_of::<P>(topology, joint);
            let end = end_of(topology, rows.start, state.count());
            for d in rows {
                let Row { s, .. } = state.of_row(d).splat::<X>();
                let mut c = d;
                while c < end {
                    let lanes = (end - c).min(LANES);
                    let m = dot(self.by_a.wide::<X, 6>(0, c), s);
                    da.column(c, d, m, 0, lanes);
                    da.row(d, c, m, usize::from(c == d), lanes);
                    c += LANES;
                }
            }
        }
        for k in 0..n.min(tables.armature.len()) {
            if let Some(m) = da.of.get_mut(k * n + k) {
                *m += S::from_f64(tables.armature[k]);
            }
        }
    }

    /// First derivatives of tau by q and v, damping included.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn jacobians<X: Register<Of = S>>(
        &self,
        tables: &Tables<'_, P>,
        state: &State<'_, S, P>,
        out: Jacobians<'_, S>,
    ) {
        let (topology, merged) = (&tables.topology, merged(tables));
        let n = tables.damping.len();
        let [by_q, by_v] = out.by;
        clear(by_q);
        clear(by_v);
        let mut dq = Square { of: by_q, n, merged };
        let mut dv = Square { of: by_v, n, merged };
        for joint in topology.joints {
            let rows = rows_of::<P>(topology, joint);
            let (first, beyond) = (rows.start, rows.end);
            let end = end_of(topology, first, state.count());
            for d in rows {
                let Row { s, p, r, x } = state.of_row(d).splat::<X>();
                let mut c = first;
                while c < end {
                    let lanes = (end - c).min(LANES);
                    // Lanes of the joint's own rows.
                    let own = beyond.saturating_sub(c).min(lanes);
                    let (is, bs) = (self.by_a.wide::<X, 6>(0, c), self.moment.wide::<X, 3>(0, c));
                    dq.column(c, d, dot_add(is, r, dot(bs, angular(p))), 0, lanes);
                    dv.column(c, d, dot_add(is, x, dot(bs, angular(s))), 0, lanes);
                    dq.row(d, c, dot(self.by_q.wide::<X, 6>(0, c), s), own, lanes);
                    dv.row(d, c, dot(self.by_v.wide::<X, 6>(0, c), s), own, lanes);
                    c += LANES;
                }
            }
        }
        for k in 0..n {
            if let Some(x) = dv.of.get_mut(k * n + k) {
                *x += S::from_f64(tables.damping[k]);
            }
        }
    }
}
