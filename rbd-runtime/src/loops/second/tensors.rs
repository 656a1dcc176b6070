//! Second derivatives of inverse dynamics as tensors (docs/math.md#second-derivatives).
//!
//! For each row c, one array of numbers over all rows r that can be nonzero: what has to be multiplied with s, p, r, x of
//! a row d on the path of c gives the entries for (c, d) in all four tensors. The rows r come packed: the path of c, then
//! the subtree of its joint. So every register is full but the last one.

use super::super::tables::{Rows, Tables};
use super::super::{LANES, Register};
use super::contracted::Forces;
use super::operators::*;
use super::packing::{Packing, Sink, Tensor};
use super::state::State;
use super::vectors::*;
use crate::Scalar;

/// Numbers over packed rows, what they are multiplied with written beside.
struct Multiplied<S, const P: usize> {
    /// s for D, r for H, x for X.
    a: Rows<S, 6, P>,
    /// p for H, s for X, angular components.
    b: Rows<S, 3, P>,
    /// s for W, p for X, angular components.
    k: Rows<S, 3, P>,
    /// s for H, for rows strictly above d.
    g: Rows<S, 6, P>,
    /// s for X, there.
    e: Rows<S, 6, P>,
    /// s for D, there.
    f: Rows<S, 6, P>,
}

/// Columns of the path, packed: s, p, r, x.
struct Path<S, const P: usize> {
    s: Rows<S, 6, P>,
    p: Rows<S, 6, P>,
    r: Rows<S, 6, P>,
    x: Rows<S, 6, P>,
}

/// Lanes below this packed row, of a register that begins at another one.
#[inline(always)]
fn before(limit: usize, from: usize) -> u8 {
    match limit.saturating_sub(from) {
        n @ 0..LANES => (1 << n) - 1,
        _ => u8::MAX,
    }
}

/// All entries of the four tensors that can be nonzero. A robot's packed rows have to fit `P`.
#[inline(always)]
pub fn tensors<S: Scalar, X: Register<S>, K: Sink<S, X, P>, const P: usize>(
    tables: &Tables<'_, P>,
    state: &State<S, P>,
    forces: &Forces<S, P>,
    sink: &mut K,
) {
    let topology = &tables.topology;
    let mut path = Path::<S, P> { s: Rows::zeros(), p: Rows::zeros(), r: Rows::zeros(), x: Rows::zeros() };
    let mut with = Multiplied::<S, P> {
        a: Rows::zeros(),
        b: Rows::zeros(),
        k: Rows::zeros(),
        g: Rows::zeros(),
        e: Rows::zeros(),
        f: Rows::zeros(),
    };
    let operators = Operators::new::<X>(tables, state);
    for joint in topology.joints {
        let (first, count) = (usize::from(joint.first), joint.kind.nv());
        if first >= topology.end.len() {
            return;
        }
        let end = usize::from(topology.end[first]);
        let packing = Packing::<P>::new(topology, first, end, count);
        let above = packing.above;
        // Depth first: what the path has above this joint is there already.
        for k in 0..count {
            path.s.set(above + k, state.s.at(first + k));
            path.p.set(above + k, state.p.at(first + k));
            path.r.set(above + k, state.r.at(first + k));
            path.x.set(above + k, state.x.at(first + k));
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
                        let turned = force_cross(state.s.splat::<X>(c), forces.by_a.splat::<X>(row_d));
                        both = both + dot(path.s.load::<X>(block), turned).keep(up);
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
    change: Rows<S, 9, P>,
    /// `s o B + B(I, p)`.
    coriolis: Rows<S, 12, P>,
    /// `B(I, s)`.
    own: Rows<S, 12, P>,
    /// The moment of `B^T s`.
    moment: Rows<S, 3, P>,
}

impl<S: Scalar, const P: usize> Operators<S, P> {
    #[inline(always)]
    fn new<X: Register<S>>(tables: &Tables<'_, P>, state: &State<S, P>) -> Self {
        let mut out = Self {
            change: Rows::zeros(),
            coriolis: Rows::zeros(),
            own: Rows::zeros(),
            moment: Rows::zeros(),
        };
        let mut row = 0;
        while row < tables.topology.rows {
            let (i, b) = (state.inertia.load::<X>(row), state.coriolis.load::<X>(row));
            let (s, p) = (state.s.load::<X>(row), state.p.load::<X>(row));
            out.change.store(row, carried_inertia(s, i));
            out.coriolis.store(row, add(carried_coriolis(s, b), coriolis(i, p)));
            out.own.store(row, coriolis(i, s));
            out.moment.store(row, coriolis_transposed(b, s));
            row += LANES;
        }
        out
    }
}

impl<S: Scalar, const P: usize> Multiplied<S, P> {
    /// For the rows above c's joint.
    #[inline(always)]
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
            let s = path.s.load::<X>(packed);
            self.a.store(packed, change_times(operators.change.splat::<X>(c), s));
            self.b.store(packed, coriolis_transposed(operators.coriolis.splat::<X>(c), s));
            self.k.store(packed, coriolis_transposed(operators.own.splat::<X>(c), s));
            self.g.store(packed, neg(force_cross(s, forces.by_q.splat::<X>(c))));
            self.e.store(packed, neg(force_cross(s, forces.by_v.splat::<X>(c))));
            self.f.store(packed, neg(force_cross(s, forces.by_a.splat::<X>(c))));
            packed += LANES;
        }
    }

    /// For the rows from c's joint on.
    #[inline(always)]
    fn below<X: Register<S>>(
        &mut self,
        operators: &Operators<S, P>,
        state: &State<S, P>,
        forces: &Forces<S, P>,
        c: usize,
        (first, end): (usize, usize),
        above: usize,
    ) {
        let (s, p) = (state.s.splat::<X>(c), state.p.splat::<X>(c));
        let mut row = first;
        while row < end {
            let (t1, t4) = (forces.by_a.load::<X>(row), operators.moment.load::<X>(row));
            let change = operators.change.load::<X>(row);
            let a = force_cross(s, t1);
            let b = cross_add(angular(s), t4, force_cross_moment(p, t1));
            let packed = above + row - first;
            self.a.store(packed, a);
            self.b.store(packed, sub(b, change_moment(change, p)));
            self.k.store(packed, sub(angular(a), change_moment(change, s)));
            row += LANES;
        }
    }

    #[inline(always)]
    fn load<X: Register<S>>(&self, packed: usize) -> Lanes<Wide<S, X>> {
        Lanes {
            a: self.a.load::<X>(packed),
            b: self.b.load::<X>(packed),
            k: self.k.load::<X>(packed),
            g: self.g.load::<X>(packed),
            e: self.e.load::<X>(packed),
            f: self.f.load::<X>(packed),
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
    /// With the packed row d of the path; `above` are the lanes strictly above its joint.
    #[inline(always)]
    fn pair<const P: usize>(&self, path: &Path<S, P>, d: usize, above: u8) -> Sums<Wide<S, X>> {
        let (s, p) = (path.s.splat::<X>(d), angular(path.p.splat::<X>(d)));
        let w = angular(s);
        let mut out = Sums {
            h: dot_add(self.a, path.r.splat::<X>(d), dot(self.b, p)),
            w: dot(self.k, w),
            x: dot_add(self.a, path.x.splat::<X>(d), dot(self.b, w)),
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
