//! Second derivatives of inverse dynamics as tensors (docs/math.md#second-derivatives).
//!
//! Each row c has numbers for all rows r that can be nonzero.
//! Their products with s, p, r, x of a row d on the path of c are the entries for (c, d) in all four tensors.
//! Rows r are packed: the path of c, then the subtree of its joint. So most registers are full.
//! Lanes outside of the rows belong to no entry.

use super::super::forward::rows_of;
use super::super::scratch::Scratch;
use super::super::{LANES, Register};
use super::dense::Dense;
use super::first::{Forces, end_of};
use super::packing::{OfRoot, Sums, Walk, before};
use super::state::{Row, State};
use crate::Scalar;
use crate::loops::algebra::*;

/// Computes all entries of the four tensors that can be nonzero. A robot's packed rows must fit into `P`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn tensors<S: Scalar, X: Register<Of = S>, const P: usize>(
    state: &State<'_, S, P>,
    forces: &Forces<S, P>,
    out: &mut Dense<'_, S>,
) {
    let topology = state.topology();
    let mut walk = Walk::<P>::new();
    // SAFETY: `fill` follows before any read.
    let mut operators = unsafe { Operators::new() };
    operators.fill::<X>(state);
    let root = Root::of(state);
    for joint in topology.joints {
        let rows = rows_of::<P>(topology, joint);
        let (first, count) = (rows.start, rows.len());
        let end = end_of(topology, first, state.count());
        walk.enter(topology, first, end, count);
        let packing = &walk.packing;
        let above = packing.above;
        if let Some(root) = &root
            && first == 0
        {
            // Entries of a translation are zero or equal those of another row.
            for c in 3..ROOT {
                let mut from = 0;
                while from < packing.rows {
                    out.rows(&packing.block(from));
                    // The base comes first, so packed rows are rows. Invalid tables may differ, hence the
                    // bound.
                    let (h, w) = root.own(&operators, forces, c, from.min(state.count()));
                    out.root_own(c, h, w);
                    from += LANES;
                }
            }
            continue;
        }
        for c in first..first + count {
            let mut from = 0;
            while from < packing.rows {
                let block = packing.block(from);
                out.rows(&block);
                let up = before(packing.at, from);
                let mut lanes = if up == u8::MAX {
                    Lanes::zero()
                } else {
                    let row = (first + from).saturating_sub(packing.at);
                    Lanes::below(&operators, state, forces, c, row)
                };
                let s = state.s_of::<X>(&block);
                if up != 0 {
                    lanes.over(&operators, forces, c, s, up);
                }
                let mut d = 0;
                if let Some(root) = &root {
                    out.root(c, &lanes.with_root(root));
                    d = ROOT;
                }
                while d < above {
                    let row = packing.row(d);
                    let sums = lanes.pair(&state.of_row(row), before(walk.start(d), from));
                    out.pair(c, row, &sums);
                    d += 1;
                }
                for other in 0..count {
                    let row_d = first + other;
                    let mut sums = lanes.pair(&state.of_row(row_d), up);
                    // Entries W of one joint: below it, without the terms of M. Above it, both orders of the
                    // variables.
                    let mut both = sums.e;
                    if count == 1 {
                        both = both + sums.e;
                    } else if up != 0 {
                        let turned = force_cross(every(state.of_row(c).s), every(forces.by_a.one(row_d)));
                        both = both + dot(s, turned).keep(up);
                    }
                    sums.w = both + (sums.w - sums.d).keep(!up);
                    out.own(c, row_d, &sums);
                }
                from += LANES;
            }
        }
    }
}

/// Operators of the subtree of each row.
struct Operators<S, const P: usize> {
    /// Change `s o I`.
    change: Scratch<S, 9, P>,
    /// Sum `s o B + B(I, p)`.
    coriolis: Scratch<S, 12, P>,
    /// Coriolis operator `B(I, s)`.
    own: Scratch<S, 12, P>,
}

impl<S: Scalar, const P: usize> Operators<S, P> {
    /// # Safety
    /// [`Self::fill`]ed before anything reads it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn new() -> Self {
        // SAFETY: `fill` precedes any read, by the contract of this function.
        unsafe { Self { change: Scratch::new(), coriolis: Scratch::new(), own: Scratch::new() } }
    }

    /// Fills whole blocks of rows. Operators read from unaligned rows also have the block after them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fill<X: Register<Of = S>>(&mut self, state: &State<'_, S, P>) {
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

/// Rows of a floating base.
const ROOT: usize = 6;

/// Floating base that carries everything ([`State::floats`]), from which its s, p, r, x follow.
///
/// Its s are unit vectors and its p are zero. x is the base's velocity times s, r minus gravity times s.
struct Root<L> {
    linear: V3<L>,
    angular: V3<L>,
    minus_gravity: V3<L>,
}

/// Entries by q and q, and by v and v.
type OfOwn<L> = (V3<L>, V6<L>);

impl<S: Scalar, X: Register<Of = S>> Root<X> {
    /// Root of a state, if it has one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of<const P: usize>(state: &State<'_, S, P>) -> Option<Self> {
        let (v, minus_gravity) = state.of_root()?;
        let (v, minus_gravity) = (every(v), every(minus_gravity));
        Some(Self { linear: linear(v), angular: angular(v), minus_gravity })
    }

    /// Entries of c, a rotation of the base, with all rows of the base.
    ///
    /// Entries by q and q are for rotations, entries by v and v for all rows.
    /// For a unit vector e, they follow from `e x l` and `(s o I) e`, with l the linear half of `I s`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn own<const P: usize>(
        &self,
        operators: &Operators<S, P>,
        forces: &Forces<S, P>,
        c: usize,
        row: usize,
    ) -> OfOwn<X> {
        let zero = X::splat(S::zero());
        let [x, y, z] = forces.by_a.wide::<X, 3>(0, row);
        let [xx, xy, xz, yy, yz, zz] = operators.change.wide::<X, 6>(3, row);
        let (turned, column) = match c {
            3 => ([zero, -z, y], [xx, xy, xz]),
            4 => ([z, zero, -x], [xy, yy, yz]),
            _ => ([-y, x, zero], [xz, yz, zz]),
        };
        (cross(turned, self.minus_gravity), join(neg(turned), neg(column)))
    }
}

/// Factors of c over a register of packed rows. Each field names its partners in the products.
struct Lanes<L> {
    /// Multiplied with s for D, r for H, x for X.
    a: V6<L>,
    /// Multiplied with p for H, s for X, angular components only.
    b: V3<L>,
    /// Multiplied with s for W, p for X, angular components only.
    k: V3<L>,
    /// Multiplied with s for H, in rows strictly above d.
    g: V6<L>,
    /// Multiplied with s for X, in rows strictly above d.
    e: V6<L>,
    /// Multiplied with s for D, in rows strictly above d.
    f: V6<L>,
}

impl<S: Scalar, X: Register<Of = S>> Lanes<X> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        let zero = X::splat(S::zero());
        let (three, six) = ([zero; 3], [zero; 6]);
        Self { a: six, b: three, k: three, g: six, e: six, f: six }
    }

    /// Factors for rows from c's joint on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn below<const P: usize>(
        operators: &Operators<S, P>,
        state: &State<'_, S, P>,
        forces: &Forces<S, P>,
        c: usize,
        row: usize,
    ) -> Self {
        let of = state.of_row(c);
        let (s, p) = (every(of.s), every(of.p));
        let (t1, t4) = (forces.by_a.wide::<X, 6>(0, row), forces.moment.wide::<X, 3>(0, row));
        let change = operators.change.wide::<X, 9>(0, row);
        let a = force_cross(s, t1);
        let b = cross_add(angular(s), t4, force_cross_moment(p, t1));
        let (b, k) = (sub(b, change_moment(change, p)), sub(angular(a), change_moment(change, s)));
        Self { a, b, k, ..Self::zero() }
    }

    /// Replaces the lanes `up`, which are rows above c's joint. `s` are the columns of those rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn over<const P: usize>(
        &mut self,
        operators: &Operators<S, P>,
        forces: &Forces<S, P>,
        c: usize,
        s: V6<X>,
        up: u8,
    ) {
        let a = change_times(every(operators.change.one(c)), s);
        let b = coriolis_transposed(every(operators.coriolis.one(c)), s);
        let k = coriolis_transposed(every(operators.own.one(c)), s);
        for i in 0..6 {
            self.a[i] = self.a[i].select(a[i], up);
        }
        for i in 0..3 {
            self.b[i] = self.b[i].select(b[i], up);
            self.k[i] = self.k[i].select(k[i], up);
        }
        // Rows strictly above d lie above c. The other lanes are not used.
        self.g = minus_force_cross(s, every(forces.by_q.one(c)));
        self.e = minus_force_cross(s, every(forces.by_v.one(c)));
        self.f = minus_force_cross(s, every(forces.by_a.one(c)));
    }

    /// Entries of c with the rows of a floating base that carries everything.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_root(&self, root: &Root<X>) -> OfRoot<X> {
        let (l, n) = (linear(self.a), angular(self.a));
        let Root { linear: v, angular: w, minus_gravity } = *root;
        // Products such as l . (w x e) become (l x w) . e.
        let turning = cross_add(n, w, cross_add(l, v, self.b));
        OfRoot { h: cross(l, minus_gravity), w: self.k, x: join(cross(l, w), turning), d: self.a }
    }

    /// Entries of c with a row of the path. `above` is the mask of lanes strictly above its joint.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pair(&self, of: &Row<S>, above: u8) -> Sums<X> {
        let zero = X::splat(S::zero());
        // Component by component: six sums grow at once, and few factors occupy registers.
        let s = X::splat(of.s[0]);
        let mut h = self.a[0] * X::splat(of.r[0]);
        let mut x = self.a[0] * X::splat(of.x[0]);
        let mut d = self.a[0] * s;
        let (mut w, mut y) = (zero, zero);
        for k in 1..6 {
            let s = X::splat(of.s[k]);
            h = self.a[k].mul_add(X::splat(of.r[k]), h);
            x = self.a[k].mul_add(X::splat(of.x[k]), x);
            d = self.a[k].mul_add(s, d);
            if k >= 3 {
                let p = X::splat(of.p[k]);
                h = self.b[k - 3].mul_add(p, h);
                x = self.b[k - 3].mul_add(s, x);
                (w, y) = if k == 3 {
                    (self.k[0] * s, self.k[0] * p)
                } else {
                    (self.k[k - 3].mul_add(s, w), self.k[k - 3].mul_add(p, y))
                };
            }
        }
        let mut out = Sums { h, w, x, y, d, e: zero };
        if above != 0 {
            let (mut g, mut e, mut f) = (self.g[0] * s, self.e[0] * s, self.f[0] * s);
            for k in 1..6 {
                let s = X::splat(of.s[k]);
                g = self.g[k].mul_add(s, g);
                e = self.e[k].mul_add(s, e);
                f = self.f[k].mul_add(s, f);
            }
            out.h = out.h + g.keep(above);
            out.y = out.y + e.keep(above);
            out.e = f.keep(above);
        }
        out
    }
}
