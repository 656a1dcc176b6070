//! Inertias, Coriolis operators and forces of bodies, and their sums over subtrees
//! (docs/math.md#loops-over-tables).

use super::algebra::{V3, cross, cross_add, dot, scale, scale_add, sub};
use super::forward::{Work, blocks, constant, count, frame, within};
use super::scratch::Scratch;
use super::tables::{Block, Tables, Topology};
use super::{LANES, Register};
use crate::Scalar;
use nalgebra::SVector;

/// Second moments of eight bodies about their centres of mass, along the common axes, and other
/// quantities of the bodies.
pub(super) struct Bodies<L> {
    /// Rows of the symmetric matrix.
    pub spread: [V3<L>; 3],
    pub center: V3<L>,
    pub mass: L,
}

/// Quantities of eight bodies. Centres are relative to a point. `origin` leads from it to the rows' origins.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn bodies<T: Scalar, L: Register<Of = T>, const P: usize>(
    tables: &Tables<'_, P>,
    w: &Work<T, P>,
    at: usize,
    origin: V3<L>,
) -> Bodies<L> {
    let r = [frame::<T, L, P>(w, 0, at), frame::<T, L, P>(w, 1, at), frame::<T, L, P>(w, 2, at)];
    let mass = constant(&tables.numbers.mass, 0, at);
    let mut center = origin;
    for c in 0..3 {
        center = scale_add(constant(&tables.numbers.center, c, at), r[c], center);
    }
    // R S R^T: the columns of R S, then six entries.
    let s: [[L; 3]; 3] = [
        [
            constant(&tables.numbers.spread, 0, at),
            constant(&tables.numbers.spread, 1, at),
            constant(&tables.numbers.spread, 2, at),
        ],
        [
            constant(&tables.numbers.spread, 1, at),
            constant(&tables.numbers.spread, 3, at),
            constant(&tables.numbers.spread, 4, at),
        ],
        [
            constant(&tables.numbers.spread, 2, at),
            constant(&tables.numbers.spread, 4, at),
            constant(&tables.numbers.spread, 5, at),
        ],
    ];
    let mut rs = [r[0]; 3];
    for c in 0..3 {
        rs[c] = scale_add(s[2][c], r[2], scale_add(s[1][c], r[1], scale(s[0][c], r[0])));
    }
    let mut m = [[L::splat(T::zero()); 3]; 3];
    for i in 0..3 {
        for j in i..3 {
            let sum = rs[2][i].mul_add(r[2][j], rs[1][i].mul_add(r[1][j], rs[0][i] * r[0][j]));
            m[i][j] = sum;
            m[j][i] = sum;
        }
    }
    Bodies { spread: m, center, mass }
}

impl<T: Scalar, L: Register<Of = T>> Bodies<L> {
    /// First and second moments about the segment's point.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store_inertia<const P: usize>(&self, inertia: &mut Scratch<T, 9, P>, at: usize) {
        let h = scale(self.mass, self.center);
        inertia.put(0, at, h);
        let mut k = 3;
        for i in 0..3 {
            for j in i..3 {
                inertia.store(k, at, h[i].mul_add(self.center[j], self.spread[i][j]));
                k += 1;
            }
        }
    }
}

/// Inertias of the bodies.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn inertias<T: Scalar, L: Register<Of = T>, const P: usize>(
    tables: &Tables<'_, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(&tables.topology) {
        let at = b * LANES;
        bodies::<T, L, P>(tables, w, at, frame(w, 3, at)).store_inertia(&mut w.inertia, at);
    }
}

/// Forces that the bodies' motions take; with `DERIVATIVES`, also their inertias and Coriolis operators.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn forces<T: Scalar, L: Register<Of = T>, const P: usize, const DERIVATIVES: bool>(
    tables: &Tables<'_, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(&tables.topology) {
        forces_of_block::<T, L, P, DERIVATIVES>(tables, w, b);
    }
}

/// Forces of one block of rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn forces_of_block<T: Scalar, L: Register<Of = T>, const P: usize, const DERIVATIVES: bool>(
    tables: &Tables<'_, P>,
    w: &mut Work<T, P>,
    b: usize,
) {
    let at = b * LANES;
    let body = bodies::<T, L, P>(tables, w, at, frame(w, 3, at));
    let (c, s, m) = (body.center, body.spread, body.mass);
    let (vl, vw) = (w.v.wide::<L, 3>(0, at), w.v.wide::<L, 3>(3, at));
    let (al, aw) = (w.a.wide::<L, 3>(0, at), w.a.wide::<L, 3>(3, at));
    let vc = cross_add(vw, c, vl);
    // Columns of [w] S.
    let ws = [cross(vw, s[0]), cross(vw, s[1]), cross(vw, s[2])];
    if DERIVATIVES {
        body.store_inertia(&mut w.inertia, at);
        // Twice the momentum l = 2 m v_c, and 2 [w] S + l c^T - (c . l) 1.
        let l = scale(m + m, vc);
        let along = dot(c, l);
        w.drift.put(0, at, l);
        for i in 0..3 {
            for j in 0..3 {
                let twice = ws[j][i] + ws[j][i];
                let x = l[i].mul_add(c[j], twice);
                w.drift.store(3 + 3 * i + j, at, if i == j { x - along } else { x });
            }
        }
    }
    // m times the acceleration of the centre; J aw + w x J w with J = tr(S) 1 - S.
    let ac = cross_add(vw, vc, cross_add(aw, c, al));
    let f = scale(m, ac);
    let trace = s[0][0] + s[1][1] + s[2][2];
    let sa = [dot(s[0], aw), dot(s[1], aw), dot(s[2], aw)];
    let wsw = scale_add(vw[2], ws[2], scale_add(vw[1], ws[1], scale(vw[0], ws[0])));
    let n = cross_add(c, f, sub(sub(scale(trace, aw), sa), wsw));
    w.force.put(0, at, f);
    w.force.put(3, at, n);
}

/// Subtracts external forces, which are in the bodies' joint frames.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn external<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    fext: &[SVector<T, 6>],
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(&tables.topology) {
        external_of_block(tables, fext, w, b);
    }
}

/// Subtracts external forces of one block of rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn external_of_block<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    fext: &[SVector<T, 6>],
    w: &mut Work<T, P>,
    b: usize,
) {
    for (joint, f) in tables.topology.joints.iter().zip(fext) {
        let last = usize::from(joint.first) + joint.kind.nv() - 1;
        let row = last.min(count::<P>(&tables.topology).saturating_sub(1));
        if row / LANES != b {
            continue;
        }
        let frame = w.frames.get(row);
        let (mut force, mut moment) = ([T::zero(); 3], [T::zero(); 3]);
        for i in 0..3 {
            // Component i in the row's frame, then along the common axes.
            let (mut l, mut n) = (T::zero(), T::zero());
            for j in 0..3 {
                let m = T::from_f64(tables.numbers.joint_frame.0[3 * j + i][row]);
                l = m.mul_add(f[j], l);
                n = m.mul_add(f[3 + j], n);
            }
            for k in 0..3 {
                force[k] = frame[i][k].mul_add(l, force[k]);
                moment[k] = frame[i][k].mul_add(n, moment[k]);
            }
        }
        let lever = cross([frame[3][0], frame[3][1], frame[3][2]], force);
        for k in 0..3 {
            let (l, n) = (w.force.get(k, row), w.force.get(3 + k, row));
            w.force.set(k, row, l - force[k]);
            w.force.set(3 + k, row, n - (moment[k] + lever[k]));
        }
    }
}

/// A quantity that is summed over subtrees, `K` numbers a row.
pub(super) trait Summed<T, const K: usize> {
    /// Moves the quantity to a point whose vector to the old one is `d`; `mass` is the subtree's
    /// mass.
    fn at_parent(x: [T; K], d: [T; 3], mass: T) -> [T; K];
}

/// First and second moments.
pub(super) struct Moments;
impl<T: Scalar> Summed<T, 9> for Moments {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at_parent(x: [T; 9], d: [T; 3], mass: T) -> [T; 9] {
        let mut y = x;
        let h = [x[0], x[1], x[2]];
        let mut k = 3;
        for i in 0..3 {
            // S + d h^T + h d^T + m d d^T
            let to = mass.mul_add(d[i], h[i]);
            y[i] = to;
            for j in i..3 {
                y[k] = d[i].mul_add(h[j], to.mul_add(d[j], x[k]));
                k += 1;
            }
        }
        y
    }
}

/// Twice the momentum, and the Coriolis operator's angular block.
pub(super) struct Drift;
impl<T: Scalar> Summed<T, 12> for Drift {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at_parent(x: [T; 12], d: [T; 3], _: T) -> [T; 12] {
        let mut y = x;
        let along = d[0].mul_add(x[0], d[1].mul_add(x[1], d[2] * x[2]));
        for i in 0..3 {
            for j in 0..3 {
                let at = 3 + 3 * i + j;
                y[at] = x[i].mul_add(d[j], x[at]);
                if i == j {
                    y[at] -= along;
                }
            }
        }
        y
    }
}

/// Force and moment.
pub(super) struct Force;
impl<T: Scalar> Summed<T, 6> for Force {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at_parent(x: [T; 6], d: [T; 3], _: T) -> [T; 6] {
        let n = cross(d, [x[0], x[1], x[2]]);
        [x[0], x[1], x[2], x[3] + n[0], x[4] + n[1], x[5] + n[2]]
    }
}

/// Sums over subtrees, in place. Within a block of rows by doubling steps along unbranched
/// stretches, then by the carries from other rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn over_subtrees<T, L, S, const K: usize, const P: usize>(
    topology: &Topology<'_>,
    mass: &[f64; P],
    hop: &[[T; 4]; P],
    x: &mut Scratch<T, K, P>,
) where
    T: Scalar,
    L: Register<Of = T>,
    S: Summed<T, K>,
{
    for b in (0..blocks::<P>(topology)).rev() {
        block_over_subtrees::<T, L, S, K, P>(topology, mass, hop, x, b);
    }
}

/// Sums over subtrees of one block of rows, when all blocks after it are done.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn block_over_subtrees<T, L, S, const K: usize, const P: usize>(
    topology: &Topology<'_>,
    mass: &[f64; P],
    hop: &[[T; 4]; P],
    x: &mut Scratch<T, K, P>,
    b: usize,
) where
    T: Scalar,
    L: Register<Of = T>,
    S: Summed<T, K>,
{
    let at = b * LANES;
    let block = match topology.blocks.get(b) {
        Some(block) => *block,
        None => NO_BLOCK,
    };
    let mut y = [L::splat(T::zero()); K];
    for k in 0..K {
        y[k] = x.load(k, at);
    }
    if block.steps[0] != 0 {
        for k in 0..K {
            y[k] = y[k] + y[k].shift::<1>().keep(block.steps[0]);
        }
    }
    if block.steps[1] != 0 {
        for k in 0..K {
            y[k] = y[k] + y[k].shift::<2>().keep(block.steps[1]);
        }
    }
    if block.steps[2] != 0 {
        for k in 0..K {
            y[k] = y[k] + y[k].shift::<4>().keep(block.steps[2]);
        }
    }
    let (from, to) = (block.carries.0 as usize, block.carries.1 as usize);
    let carries = match topology.carries.get(from..to) {
        Some(carries) => carries,
        None => &[],
    };
    for carry in carries {
        // Not from blocks before, which may not be computed yet.
        let source = within::<P>(topology, carry.source).max(at);
        let own = (at..at + LANES).contains(&source);
        if carry.crosses {
            if own {
                for k in 0..K {
                    x.store(k, at, y[k]);
                }
            }
            let mut moved = [T::zero(); K];
            for k in 0..K {
                moved[k] = x.get(k, source);
            }
            let segment = match topology.segment.get(source) {
                Some(segment) => usize::from(*segment).min(P - 1),
                None => 0,
            };
            let d = hop[segment];
            let moved = S::at_parent(moved, [d[0], d[1], d[2]], T::from_f64(mass[source]));
            for k in 0..K {
                y[k] = y[k] + L::splat(moved[k]).keep(carry.lanes);
            }
        } else if own {
            for k in 0..K {
                y[k] = y[k] + y[k].broadcast(source % LANES).keep(carry.lanes);
            }
        } else {
            for k in 0..K {
                y[k] = y[k] + x.all::<L>(k, source).keep(carry.lanes);
            }
        }
    }
    for k in 0..K {
        x.store(k, at, y[k]);
    }
}

/// A block that tables do not have.
const NO_BLOCK: Block = Block { steps: [0; 3], carries: (0, 0), follows: 0, stretches: (0, 0), turning: 0 };
