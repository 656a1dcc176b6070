//! Second derivatives of inverse dynamics as tensors (docs/math.md#second-derivatives).
//!
//! For each row c, one array of numbers over all rows r that can be nonzero: what has to be multiplied with s, p, r, x of
//! a row d on the path of c gives the entries for (c, d) in all four tensors. The rows r come packed: the path of c, then
//! the subtree of its joint. So every register is full but the last one.

use super::super::forward::rows_of;
use super::super::vector::Scratch;
use super::super::{LANES, Register};
use super::contracted::{Forces, end_of};
use super::operators::*;
use super::packing::{Packing, Sink, Tensor};
use super::state::{Row, State};
use super::vectors::*;
use crate::Scalar;

/// Numbers over packed rows, what they are multiplied with written beside.
struct Multiplied<S, const P: usize> {
    /// s for D, r for H, x for X.
    a: Scratch<S, 6, P>,
    /// p for H, s for X, angular components.
    b: Scratch<S, 3, P>,
    /// s for W, p for X, angular components.
    k: Scratch<S, 3, P>,
    /// s for H, for rows strictly above d.
    g: Scratch<S, 6, P>,
    /// s for X, there.
    e: Scratch<S, 6, P>,
    /// s for D, there.
    f: Scratch<S, 6, P>,
}

/// Columns of the path, packed: s, p, r, x.
struct Path<S, const P: usize> {
    s: Scratch<S, 6, P>,
    p: Scratch<S, 6, P>,
    r: Scratch<S, 6, P>,
    x: Scratch<S, 6, P>,
}

/// Lanes below this packed row, of a register that begins at another one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn before(limit: usize, from: usize) -> u8 {
    match limit.saturating_sub(from) {
        n @ 0..LANES => (1 << n) - 1,
        _ => u8::MAX,
    }
}

/// All entries of the four tensors that can be nonzero. A robot's packed rows have to fit `P`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn tensors<S: Scalar, X: Register<S>, K: Sink<S, X, P>, const P: usize>(
    state: &State<'_, S, P>,
    forces: &Forces<S, P>,
    sink: &mut K,
) {
    let topology = state.topology();
    let mut path =
        Path::<S, P> { s: Scratch::zeros(), p: Scratch::zeros(), r: Scratch::zeros(), x: Scratch::zeros() };
    let mut with = Multiplied::<S, P> {
        a: Scratch::zeros(),
        b: Scratch::zeros(),
        k: Scratch::zeros(),
        g: Scratch::zeros(),
        e: Scratch::zeros(),
        f: Scratch::zeros(),
    };
    // SAFETY: filled at once.
    let mut operators = unsafe { Operators::new() };
    operators.fill::<X>(state);
    for joint in topology.joints {
        let rows = rows_of::<P>(topology, joint);
        let (first, count) = (rows.start, rows.len());
        let end = end_of(topology, first, state.count());
        let packing = Packing::<P>::new(topology, first, end, count);
        let above = packing.above;
        // Depth first: what the path has above this joint is there already.
        for k in 0..count {
            let row = state.of_row(first + k);
            path.s.set_all(above + k, row.s);
            path.p.set_all(above + k, row.p);
            path.r.set_all(above + k, row.r);
            path.x.set_all(above + k, row.x);
        }
        for own in 0..count {
            let c = first + own;
            with.above::<X>(&operators, forces, &path, c, above);
            with.below::<X>(&operators, state, forces, c, (first, end), above);
            sink.begin(&packing);
            let mut block = 0;
            while block < packing.rows {
                sink.rows(&packing, block);
                let lanes = with.load::<X>(block);
                let mut d = 0;
                if first > 0 && state.floats() {
                    while d < 6 {
                        lanes.with_root(&path, [c, d], sink);
                        d += 1;
                    }
                }
                while d < above {
                    let row_d = packing.row(d);
                    let first_d = topology.first.get(row_d).map_or(row_d, |&first| usize::from(first));
                    let start = (d + first_d).saturating_sub(row_d);
                    let sums = lanes.pair(&path, d, before(start, block));
                    sink.put(Tensor::Qq, [c, row_d], (d, 0), sums.h);
                    sink.put(Tensor::Qq, [row_d, c], (d, 0), sums.h);
                    sink.put(Tensor::Vv, [c, row_d], (d, 1), sums.w);
                    sink.put(Tensor::Vv, [row_d, c], (d, 1), sums.w);
                    sink.put(Tensor::Qv, [c, row_d], (d, 2), sums.x);
                    sink.put(Tensor::Qv, [row_d, c], (d, 3), sums.y);
                    sink.put(Tensor::Qa, [c, row_d], (d, 4), sums.d);
                    sink.put(Tensor::Qa, [row_d, c], (d, 5), sums.e);
                    d += 1;
                }
                for other in 0..count {
                    let (d, row_d) = (above + other, first + other);
                    let up = before(above, block);
                    let sums = lanes.pair(&path, d, up);
                    // W within a joint: below, without what is M's; above, both of the two orders.
                    let mut both = sums.e;
                    if count == 1 {
                        both = both + sums.e;
                    } else {
                        let s = every(state.of_row(c).s);
                        let turned = force_cross(s, every(forces.by_a.one(row_d)));
                        both = both + dot(path.s.wide::<X, 6>(0, block), turned).keep(up);
                    }
                    let w = both + (sums.w - sums.d).keep(!up);
                    sink.put(Tensor::Qq, [c, row_d], (d, 0), sums.h);
                    if other <= own {
                        sink.put(Tensor::Vv, [c, row_d], (d, 1), w);
                    }
                    if other < own {
                        sink.put(Tensor::Vv, [row_d, c], (d, 1), w);
                    }
                    sink.put(Tensor::Qv, [row_d, c], (d, 3), sums.y);
                    sink.put(Tensor::Qa, [row_d, c], (d, 5), sums.e);
                }
                block += LANES;
            }
        }
    }
}

/// Operators of the rows' subtrees.
struct Operators<S, const P: usize> {
    /// `s o I`.
    change: Scratch<S, 9, P>,
    /// `s o B + B(I, p)`.
    coriolis: Scratch<S, 12, P>,
    /// `B(I, s)`.
    own: Scratch<S, 12, P>,
}

impl<S: Scalar, const P: usize> Operators<S, P> {
    /// # Safety
    /// [`Self::fill`]ed before anything reads it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { change: Scratch::new(), coriolis: Scratch::new(), own: Scratch::new() } }
    }

    /// The whole blocks of rows, and where registers are read from any row on the block after them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fill<X: Register<S>>(&mut self, state: &State<'_, S, P>) {
        let out = self;
        let blocks = state.count().div_ceil(LANES);
        for b in 0..blocks {
            let row = b * LANES;
            let (i, b) = (state.inertia::<X>(row), state.coriolis::<X>(row));
            let (s, p) = (state.s::<X>(row), state.p::<X>(row));
            out.change.put(0, row, carried_inertia(s, i));
            out.coriolis.put(0, row, add(carried_coriolis(s, b), coriolis(i, p)));
            out.own.put(0, row, coriolis(i, s));
        }
        out.change.clear::<X>(blocks * LANES);
    }
}

impl<S: Scalar, const P: usize> Multiplied<S, P> {
    /// For the rows above c's joint.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn above<X: Register<S>>(
        &mut self,
        operators: &Operators<S, P>,
        forces: &Forces<S, P>,
        path: &Path<S, P>,
        c: usize,
        above: usize,
    ) {
        let mut packed = 0;
        while packed < above {
            let s = path.s.wide::<X, 6>(0, packed);
            self.a.put(0, packed, change_times(every(operators.change.one(c)), s));
            self.b.put(0, packed, coriolis_transposed(every(operators.coriolis.one(c)), s));
            self.k.put(0, packed, coriolis_transposed(every(operators.own.one(c)), s));
            self.g.put(0, packed, neg(force_cross(s, every(forces.by_q.one(c)))));
            self.e.put(0, packed, neg(force_cross(s, every(forces.by_v.one(c)))));
            self.f.put(0, packed, neg(force_cross(s, every(forces.by_a.one(c)))));
            packed += LANES;
        }
    }

    /// For the rows from c's joint on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn below<X: Register<S>>(
        &mut self,
        operators: &Operators<S, P>,
        state: &State<'_, S, P>,
        forces: &Forces<S, P>,
        c: usize,
        (first, end): (usize, usize),
        above: usize,
    ) {
        let Row { s, p, .. } = state.of_row(c).splat::<X>();
        let mut row = first;
        while row < end {
            let (t1, t4) = (forces.by_a.wide::<X, 6>(0, row), forces.moment.wide::<X, 3>(0, row));
            let change = operators.change.wide::<X, 9>(0, row);
            let a = force_cross(s, t1);
            let b = cross_add(angular(s), t4, force_cross_moment(p, t1));
            let packed = above + row - first;
            self.a.put(0, packed, a);
            self.b.put(0, packed, sub(b, change_moment(change, p)));
            self.k.put(0, packed, sub(angular(a), change_moment(change, s)));
            row += LANES;
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load<X: Register<S>>(&self, packed: usize) -> Lanes<Wide<S, X>> {
        Lanes {
            a: self.a.wide(0, packed),
            b: self.b.wide(0, packed),
            k: self.k.wide(0, packed),
            g: self.g.wide(0, packed),
            e: self.e.wide(0, packed),
            f: self.f.wide(0, packed),
        }
    }
}

/// A register of packed rows of [`Multiplied`].
struct Lanes<L> {
    a: V6<L>,
    b: V3<L>,
    k: V3<L>,
    g: V6<L>,
    e: V6<L>,
    f: V6<L>,
}

/// The entries of a pair.
struct Sums<L> {
    /// By q_c and q_d.
    h: L,
    /// By v_c and v_d.
    w: L,
    /// By q_c and v_d.
    x: L,
    /// By q_d and v_c.
    y: L,
    /// By q_c of M's column d.
    d: L,
    /// By q_d of M's column c.
    e: L,
}

impl<S: Scalar, X: Register<S>> Lanes<Wide<S, X>> {
    /// All entries of row c with a row d of a floating base that carries everything, the path's first one: of p, r and x there
    /// is little that is not zero ([`State::floats`]).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_root<K: Sink<S, X, P>, const P: usize>(
        &self,
        path: &Path<S, P>,
        [c, d]: [usize; 2],
        sink: &mut K,
    ) {
        let (s, x): (V6<_>, V6<_>) = (every(path.s.one(d)), every(path.x.one(d)));
        let zero = Wide::splat(S::zero());
        let (mut h, mut w) = (zero, zero);
        let (by_x, by_s);
        if d < 3 {
            by_x = dot(linear(self.a), linear(x));
            by_s = dot(linear(self.a), linear(s));
        } else {
            let r: V6<_> = every(path.r.one(d));
            h = dot(linear(self.a), linear(r));
            w = dot(self.k, angular(s));
            by_x = dot_add(self.a, x, dot(self.b, angular(s)));
            by_s = dot(self.a, s);
        }
        if d >= 3 || K::TAKES_ZEROS {
            sink.put(Tensor::Qq, [c, d], (d, 0), h);
            sink.put(Tensor::Qq, [d, c], (d, 0), h);
            sink.put(Tensor::Vv, [c, d], (d, 1), w);
            sink.put(Tensor::Vv, [d, c], (d, 1), w);
        }
        sink.put(Tensor::Qv, [c, d], (d, 2), by_x);
        sink.put(Tensor::Qa, [c, d], (d, 4), by_s);
        if K::TAKES_ZEROS {
            sink.put(Tensor::Qv, [d, c], (d, 3), zero);
            sink.put(Tensor::Qa, [d, c], (d, 5), zero);
        }
    }

    /// With the packed row d of the path; `above` are the lanes strictly above its joint.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pair<const P: usize>(&self, path: &Path<S, P>, d: usize, above: u8) -> Sums<Wide<S, X>> {
        let (s, p): (V6<_>, _) = (every(path.s.one(d)), angular(every(path.p.one(d))));
        let w = angular(s);
        let mut out = Sums {
            h: dot_add(self.a, every(path.r.one(d)), dot(self.b, p)),
            w: dot(self.k, w),
            x: dot_add(self.a, every(path.x.one(d)), dot(self.b, w)),
            y: dot(self.k, p),
            d: dot(self.a, s),
            e: Wide::splat(S::zero()),
        };
        if above != 0 {
            out.h = out.h + dot(self.g, s).keep(above);
            out.y = out.y + dot(self.e, s).keep(above);
            out.e = dot(self.f, s).keep(above);
        }
        out
    }
}
