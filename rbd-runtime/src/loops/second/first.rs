//! What first derivatives of torques are made of, and these (docs/math.md#loops-over-tables).

use super::super::forward::rows_of;
use super::super::tables::{Tables, Topology};
use super::super::vector::Scratch;
use super::super::{LANES, Register};
use super::operators::*;
use super::square::Square;
use super::state::{Row, State};
use super::vectors::*;
use crate::Scalar;

/// What is multiplied with a shallower row's columns, for each row: of first derivatives.
pub struct Forces<S, const P: usize> {
    /// `s x* F + I r + B p`.
    pub by_q: Scratch<S, 6, P>,
    /// `B s + I x`.
    pub by_v: Scratch<S, 6, P>,
    /// `I s`.
    pub by_a: Scratch<S, 6, P>,
    /// The moment of `B^T s`.
    pub moment: Scratch<S, 3, P>,
}

/// Derivatives of tau, column after column.
pub struct Jacobians<'a, S> {
    /// By q and v.
    pub by: [&'a mut [S]; 2],
}

/// Makes all of it zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn clear<S: Scalar>(x: &mut [S]) {
    for x in x {
        *x = S::zero();
    }
}

/// The coordinates of the rows, where they are not the rows themselves.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn merged<'a, const P: usize>(tables: &Tables<'a, P>) -> &'a [u16] {
    if tables.topology.merges() { tables.topology.coordinate } else { &[] }
}

/// The row after a joint's subtree, which begins with this row; none beyond `count`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn end_of(topology: &Topology<'_>, first: usize, count: usize) -> usize {
    if first < topology.end.len() { usize::from(topology.end[first]).min(count) } else { 0 }
}

impl<S: Scalar, const P: usize> Forces<S, P> {
    /// # Safety
    /// [`Self::fill`]ed before anything reads it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self { by_q: Scratch::new(), by_v: Scratch::new(), by_a: Scratch::new(), moment: Scratch::new() }
        }
    }

    /// Of a state: the whole blocks of rows, and the block after them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fill<X: Register<S>>(&mut self, state: &State<'_, S, P>) {
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

    /// What depends on the accelerations, again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn accelerate<X: Register<S>>(&mut self, state: &State<'_, S, P>) {
        for b in 0..state.count().div_ceil(LANES) {
            let row = b * LANES;
            let (i, b) = (state.inertia::<X>(row), state.coriolis::<X>(row));
            let (s, p, r) = (state.s::<X>(row), state.p::<X>(row), state.r::<X>(row));
            let g = add(inertia_times(i, r), coriolis_times(b, angular(p)));
            self.by_q.put(0, row, add(force_cross(s, state.force::<X>(row)), g));
        }
    }

    /// M, full and symmetric to the last bit, armature included.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn mass<X: Register<S>>(&self, tables: &Tables<'_, P>, state: &State<'_, S, P>, out: &mut [S]) {
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
    pub fn jacobians<X: Register<S>>(
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
                    // The lanes of the joint's own rows.
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
