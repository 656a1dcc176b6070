//! Value, gradient and Hessians of `mu . tau` (docs/math.md#contracted-second-derivatives).
//!
//! The loops run over rows d and, for each, over registers of the rows that the joint of d carries.

use super::super::forward::rows_of;
use super::super::scratch::Scratch;
use super::super::tables::{Tables, Topology};
use super::super::{LANES, Lane, Register};
use super::first::{Forces, clear, end_of, merged};
use super::square::{Square, add_to};
use super::state::{Multiplier, Row, State};
use crate::__private::NOT_ZERO;
use crate::Scalar;
use crate::loops::algebra::*;

/// Factors of the Hessians for each row, to be multiplied with those of another row.
struct Contracted<S, const P: usize> {
    /// Vector g1.
    along_r: Scratch<S, 6, P>,
    /// Vector g2.
    along_p: Scratch<S, 6, P>,
    /// Vector h1.
    back: Scratch<S, 3, P>,
    /// Vector hv.
    by_vv: Scratch<S, 6, P>,
    /// Sum `hv + s x* P`.
    by_vv_beyond: Scratch<S, 6, P>,
}

/// Value of `mu . tau` and its derivatives.
pub struct Hessian<'a, S> {
    /// Value, as the first number.
    pub value: &'a mut [S],
    /// Gradient by q, v and a.
    pub gradient: [&'a mut [S]; 3],
    /// Second derivatives by q and q, q and v, v and v, q and a, column by column.
    pub blocks: [&'a mut [S]; 4],
    /// True if entries of the blocks that are zero in every state are left alone. They are zero already.
    pub leaves_zeros: bool,
}

impl<S: Scalar, const P: usize> Contracted<S, P> {
    /// # Safety
    /// [`Self::fill`]ed before anything reads it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn new() -> Self {
        // SAFETY: `fill` precedes any read, by the contract of this function.
        unsafe {
            Self {
                along_r: Scratch::new(),
                along_p: Scratch::new(),
                back: Scratch::new(),
                by_vv: Scratch::new(),
                by_vv_beyond: Scratch::new(),
            }
        }
    }

    /// Fills whole blocks of rows, and the block after them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fill<X: Register<Of = S>>(&mut self, state: &State<'_, S, P>, multiplier: &Multiplier<S, P>) {
        let out = self;
        let blocks = state.count().div_ceil(LANES);
        for b in 0..blocks {
            let row = b * LANES;
            let (i, b) = (state.inertia::<X>(row), state.coriolis::<X>(row));
            let (s, p, o) = (state.s::<X>(row), state.p::<X>(row), multiplier.o.wide::<X, 6>(0, row));
            let (momentum, moment, operator) = parts(multiplier.of.wide::<X, 21>(0, row));
            let turned = force_cross(s, momentum);
            out.along_r.put(0, row, add(inertia_times(i, o), turned));
            let twice = force_cross(p, momentum);
            let g = sub(add(twice, twice), coriolis_times(operator, angular(p)));
            let m = add(coriolis_transposed(b, o), cross(angular(s), moment));
            out.along_p.put(0, row, join(linear(g), add(angular(g), m)));
            out.back.put(0, row, neg(coriolis_transposed(operator, s)));
            let by_vv = sub(turned, coriolis_times(operator, angular(s)));
            out.by_vv.put(0, row, by_vv);
            out.by_vv_beyond.put(0, row, add(by_vv, turned));
        }
        out.along_r.clear::<X>(blocks * LANES);
        out.along_p.clear::<X>(blocks * LANES);
        out.back.clear::<X>(blocks * LANES);
        out.by_vv.clear::<X>(blocks * LANES);
        out.by_vv_beyond.clear::<X>(blocks * LANES);
    }
}

/// Splits a register of rows into `P`, `Q` and `R`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn parts<L: Lane>(x: [L; 21]) -> (V6<L>, V3<L>, [L; 12]) {
    (
        [x[0], x[1], x[2], x[3], x[4], x[5]],
        [x[6], x[7], x[8]],
        [x[9], x[10], x[11], x[12], x[13], x[14], x[15], x[16], x[17], x[18], x[19], x[20]],
    )
}

/// Value and gradient of `mu . tau`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn gradient<S: Scalar, X: Register<Of = S>, const P: usize>(
    tables: &Tables<'_, P>,
    state: &State<'_, S, P>,
    multiplier: &Multiplier<S, P>,
    [v, a, mu]: [&[S]; 3],
    value: &mut [S],
    [by_q, by_v, by_a]: [&mut [S]; 3],
) {
    let topology = &tables.topology;
    clear(by_q);
    clear(by_v);
    clear(by_a);
    let mut row = 0;
    // The value w . f over the roots' subtrees equals the sum over all rows of mu (s . F).
    let mut sum = S::zero();
    let rows = state.count();
    while row < rows {
        let count = (rows - row).min(LANES);
        let (momentum, moment, _) = parts(multiplier.of.wide::<X, 21>(0, row));
        let (s, p) = (state.s::<X>(row), state.p::<X>(row));
        let (r, x, o) = (state.r::<X>(row), state.x::<X>(row), multiplier.o.wide::<X, 6>(0, row));
        let force = state.force::<X>(row);
        let q = dot_add(o, force, dot_add(r, momentum, dot(angular(p), moment)));
        add_to(by_q, topology.coordinate, row, q, count);
        add_to(by_v, topology.coordinate, row, dot_add(x, momentum, dot(angular(s), moment)), count);
        add_to(by_a, topology.coordinate, row, dot(s, momentum), count);
        let tau = dot(s, force).lanes();
        for k in 0..count {
            if row + k < topology.coordinate.len() {
                let c = usize::from(topology.coordinate[row + k]);
                if c < mu.len() {
                    sum = mu[c].mul_add(tau[k], sum);
                }
            }
        }
        row += LANES;
    }
    let n = mu.len().min(tables.armature.len()).min(tables.damping.len());
    for c in 0..n.min(v.len()).min(a.len()).min(by_v.len()).min(by_a.len()) {
        let (armature, damping) = (S::from_f64(tables.armature[c]), S::from_f64(tables.damping[c]));
        sum = mu[c].mul_add(armature.mul_add(a[c], damping * v[c]), sum);
        by_v[c] = damping.mul_add(mu[c], by_v[c]);
        by_a[c] = armature.mul_add(mu[c], by_a[c]);
    }
    if let Some(value) = value.first_mut() {
        *value = sum;
    }
}

/// Value and derivatives of `mu . tau`. The state must be filled with the v and a of `given`.
///
/// The multiplier must be filled with its mu.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn hessian<S: Scalar, X: Register<Of = S>, const P: usize>(
    tables: &Tables<'_, P>,
    (state, multiplier, forces): (&State<'_, S, P>, &Multiplier<S, P>, &Forces<S, P>),
    given: [&[S]; 3],
    out: Hessian<'_, S>,
) {
    gradient::<S, X, P>(tables, state, multiplier, given, out.value, out.gradient);
    // SAFETY: `fill` follows before any read.
    let mut with = unsafe { Contracted::new() };
    with.fill::<X>(state, multiplier);
    let (topology, merged) = (&tables.topology, merged(tables));
    let n = tables.damping.len();
    let [qq, qv, vv, qa] = out.blocks;
    // Rows that share a coordinate add up.
    if out.leaves_zeros && merged.is_empty() {
        check_zeros(topology, n, [&*qq, &*qv, &*vv, &*qa]);
    } else {
        clear(qq);
        clear(qv);
        clear(vv);
        clear(qa);
    }
    let mut qq = Square { of: qq, n, merged };
    let mut qv = Square { of: qv, n, merged };
    let mut vv = Square { of: vv, n, merged };
    let mut qa = Square { of: qa, n, merged };
    for joint in topology.joints {
        let rows = rows_of::<P>(topology, joint);
        let (first, count) = (rows.start, rows.len());
        let end = end_of(topology, first, state.count());
        for d in rows {
            let Row { s, p, r, x } = state.of_row(d).splat::<X>();
            let o = every(multiplier.o.one(d));
            // If one register holds all rows, it begins at row 0 for every d. Lanes before d are not written.
            let mut c = if state.count() <= LANES && count == 1 { 0 } else { first };
            if count > 1 {
                // Within a joint, each ordered pair is written on its own. Symmetric entries are computed
                // once.
                qq.column(c, d, by_qq(forces, &with, c, o, r, p), 0, count);
                qv.row(d, c, by_qv(forces, &with, c, o, p), 0, count);
                qa.row(d, c, dot(forces.by_a.wide::<X, 6>(0, c), o), 0, count);
                let own = dot(with.by_vv.wide::<X, 6>(0, c), s);
                vv.column(c, d, own, d - first, count);
                vv.row(d, c, own, d - first + 1, count);
                c += count;
            }
            if first == 0 && state.floats() {
                // Most factors are zero for a floating base. Both g2 and hv + s x* P have zero force.
                while c < end {
                    let lanes = (end - c).min(LANES);
                    let g1 = with.along_r.wide::<X, 6>(0, c);
                    if d < 3 {
                        qv.column(c, d, dot(linear(g1), linear(x)), 0, lanes);
                        qa.column(c, d, dot(linear(g1), linear(s)), 0, lanes);
                    } else {
                        let h = dot(linear(g1), linear(r));
                        qq.column(c, d, h, 0, lanes);
                        qq.row(d, c, h, 0, lanes);
                        let g2 = with.along_p.wide::<X, 3>(3, c);
                        qv.column(c, d, dot_add(g2, angular(s), dot(g1, x)), 0, lanes);
                        qa.column(c, d, dot(g1, s), 0, lanes);
                        let w = dot(with.by_vv_beyond.wide::<X, 3>(3, c), angular(s));
                        vv.column(c, d, w, 0, lanes);
                        vv.row(d, c, w, 0, lanes);
                    }
                    c += LANES;
                }
                continue;
            }
            while c < end {
                let lanes = (end - c).min(LANES);
                // If the register contains row d, lane `from` is d. Its own entry is written once.
                let from = d.saturating_sub(c);
                let skip = if c <= d { from + 1 } else { 0 };
                let h = by_qq(forces, &with, c, o, r, p);
                qq.column(c, d, h, from, lanes);
                qq.row(d, c, h, skip, lanes);
                let (g1, g2) = (with.along_r.wide::<X, 6>(0, c), with.along_p.wide::<X, 6>(0, c));
                qv.column(c, d, dot_add(g2, s, dot(g1, x)), from, lanes);
                qv.row(d, c, by_qv(forces, &with, c, o, p), skip, lanes);
                qa.column(c, d, dot(g1, s), from, lanes);
                qa.row(d, c, dot(forces.by_a.wide::<X, 6>(0, c), o), skip, lanes);
                let w = dot(with.by_vv_beyond.wide::<X, 6>(0, c), s);
                vv.column(c, d, w, from, lanes);
                vv.row(d, c, w, skip, lanes);
                c += LANES;
            }
        }
    }
}

/// Panics if an entry of two rows that are on no path is not zero, in builds with debug assertions.
#[cfg_attr(not(debug_assertions), inline(always))]
fn check_zeros<S: Scalar>(topology: &Topology<'_>, n: usize, blocks: [&[S]; 4]) {
    if !cfg!(debug_assertions) {
        return;
    }
    let first = |row: usize| topology.first.get(row).map_or(0, |first| usize::from(*first));
    let carries = |a: usize, b: usize| a <= b && topology.end.get(a).is_some_and(|end| b < usize::from(*end));
    for (column, row) in (0..n * n).map(|k| (k / n, k % n)) {
        let (a, b) = (first(row), first(column));
        if !carries(a, b) && !carries(b, a) {
            for block in blocks {
                let is_zero = block.get(column * n + row).is_none_or(|x| *x == S::zero());
                assert!(is_zero, "{NOT_ZERO}");
            }
        }
    }
}

/// Derivative by q_d of the derivative by q_c, for a register of rows from c on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_qq<S: Scalar, X: Register<Of = S>, const P: usize>(
    forces: &Forces<S, P>,
    with: &Contracted<S, P>,
    c: usize,
    o: V6<X>,
    r: V6<X>,
    p: V6<X>,
) -> X {
    let along_r = dot(with.along_r.wide::<X, 6>(0, c), r);
    let along_p = dot(with.along_p.wide::<X, 6>(0, c), p);
    dot_add(forces.by_q.wide::<X, 6>(0, c), o, along_r) + along_p
}

/// Derivative by v_c of the derivative by q_d, for a register of rows from c on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_qv<S: Scalar, X: Register<Of = S>, const P: usize>(
    forces: &Forces<S, P>,
    with: &Contracted<S, P>,
    c: usize,
    o: V6<X>,
    p: V6<X>,
) -> X {
    dot_add(forces.by_v.wide::<X, 6>(0, c), o, dot(with.back.wide::<X, 3>(0, c), angular(p)))
}
