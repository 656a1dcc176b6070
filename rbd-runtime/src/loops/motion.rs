//! Motion of every row: sums along paths, and the rows' terms of these sums.

use super::algebra::{V3, add, cross, cross_add, scale, scale_add, select};
use super::forward::{
    Coordinates, Work, World, blocks, constant, frame, pick_row, rows_of, segments, with_many, within,
};
use super::placements::turning;
use super::scratch::Scratch;
use super::tables::{Joint, Tables, Topology, WORLD};
use super::{LANES, Register, algebra};
use crate::Scalar;

/// Computes each row's motion subspace s and its velocity term.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn axes<T: Scalar, L: Register<Of = T>, const P: usize>(
    tables: &Tables<'_, P>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    let blocks = blocks::<P>(&tables.topology);
    for b in 0..blocks {
        let at = b * LANES;
        let turning = turning(&tables.topology, b);
        let z = scale(constant(&tables.numbers.ratio, 0, at), frame::<T, L, P>(w, 2, at));
        let lever = cross(frame::<T, L, P>(w, 3, at), z);
        let (linear, angular) = (select(z, lever, turning), select([L::splat(T::zero()); 3], z, turning));
        let v = rows.v::<L>(at);
        w.linear.put(0, at, linear);
        w.angular.put(0, at, angular);
        w.v.put(0, at, scale(v, linear));
        w.v.put(3, at, scale(v, angular));
    }
    w.linear.clear::<L>(blocks * LANES);
    w.angular.clear::<L>(blocks * LANES);
    w.v.clear::<L>(blocks * LANES);
}

/// A motion at a point that is `d` further on.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn motion_at<T: Scalar>(x: [T; 6], d: [T; 4]) -> [T; 6] {
    let shift = cross([x[3], x[4], x[5]], [d[0], d[1], d[2]]);
    [x[0] + shift[0], x[1] + shift[1], x[2] + shift[2], x[3], x[4], x[5]]
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn row6<T: Scalar, const P: usize>(x: &Scratch<T, 6, P>, row: usize) -> [T; 6] {
    [x.get(0, row), x.get(1, row), x.get(2, row), x.get(3, row), x.get(4, row), x.get(5, row)]
}

/// Motion of a joint's parent (`start` if that is the world), at the point of the joint's segment.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn of_parent<T: Scalar, const P: usize>(
    x: &Scratch<T, 6, P>,
    topology: &Topology<'_>,
    joint: &Joint,
    start: [T; 6],
    hop: &[[T; 4]; P],
) -> [T; 6] {
    if joint.parent == WORLD {
        return start;
    }
    let above = row6(x, within::<P>(topology, joint.parent));
    let (crosses, segment) = segments(topology, joint);
    if crosses { motion_at(above, hop[segment.min(P - 1)]) } else { above }
}

/// Sums the rows' terms from the root along the tree, in place: each row gets the sum at its body.
///
/// Within a register, doubling steps run along stretches of consecutive rows of a path.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn along_paths<T: Scalar, L: Register<Of = T>, const P: usize>(
    topology: &Topology<'_>,
    x: &mut Scratch<T, 6, P>,
    start: [T; 6],
    hop: &[[T; 4]; P],
) {
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        let Some(block) = topology.blocks.get(b) else { continue };
        let mut y = [L::splat(T::zero()); 6];
        for k in 0..6 {
            y[k] = x.load(k, at);
        }
        let mut steps = block.follows;
        if steps != 0 {
            for k in 0..6 {
                y[k] = y[k] + y[k].shift_up::<1>().keep(steps);
            }
        }
        steps &= steps << 1;
        if steps != 0 {
            for k in 0..6 {
                y[k] = y[k] + y[k].shift_up::<2>().keep(steps);
            }
        }
        steps &= steps << 2;
        if steps != 0 {
            for k in 0..6 {
                y[k] = y[k] + y[k].shift_up::<4>().keep(steps);
            }
        }
        let (from, to) = (block.stretches.0 as usize, block.stretches.1 as usize);
        let stretches = match topology.stretches.get(from..to) {
            Some(stretches) => stretches,
            None => &[],
        };
        for stretch in stretches {
            let lanes = stretch.lanes;
            if stretch.parent == WORLD {
                for k in 0..6 {
                    y[k] = y[k] + L::splat(start[k]).keep(lanes);
                }
                continue;
            }
            // Not from a later row, whose sum is not computed yet.
            let parent = within::<P>(topology, stretch.parent).min(at + LANES - 1);
            let own = pick_row(topology.segment, at + lanes.trailing_zeros() as usize);
            if pick_row(topology.segment, parent) != own {
                if parent >= at {
                    for k in 0..6 {
                        x.store(k, at, y[k]);
                    }
                }
                let sum = motion_at(row6(x, parent), hop[usize::from(own).min(P - 1)]);
                for k in 0..6 {
                    y[k] = y[k] + L::splat(sum[k]).keep(lanes);
                }
            } else if parent >= at {
                for k in 0..6 {
                    y[k] = y[k] + y[k].broadcast(parent - at).keep(lanes);
                }
            } else {
                for k in 0..6 {
                    y[k] = y[k] + x.all::<L>(k, parent).keep(lanes);
                }
            }
        }
        for k in 0..6 {
            x.store(k, at, y[k]);
        }
    }
    // All rows of a joint get the sum of its last row.
    for joint in with_many(topology) {
        if joint.kind.nv() > 1 {
            let (first, lanes) = lanes_of::<P>(topology, joint);
            let sum = row6(x, rows_of::<P>(topology, joint).end.max(1) - 1);
            for k in 0..6 {
                let y: L = x.load(k, first);
                x.store(k, first, y.select(L::splat(sum[k]), lanes));
            }
        }
    }
}

/// A joint's first row, and its rows as lanes of the register that begins there.
#[cfg_attr(not(debug_assertions), inline(always))]
fn lanes_of<const P: usize>(topology: &Topology<'_>, joint: &Joint) -> (usize, u8) {
    let rows = rows_of::<P>(topology, joint);
    (rows.start, u8::MAX >> (LANES - rows.len().clamp(1, LANES)))
}

/// A vector of one row in all lanes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn every<T: Scalar, L: Register<Of = T>>(x: [T; 6]) -> (V3<L>, V3<L>) {
    (algebra::every([x[0], x[1], x[2]]), algebra::every([x[3], x[4], x[5]]))
}

/// `m x s`, by linear and angular halves.
#[cfg_attr(not(debug_assertions), inline(always))]
fn crossed<T: Scalar, L: Register<Of = T>>((v, w): (V3<L>, V3<L>), (l, a): (V3<L>, V3<L>)) -> (V3<L>, V3<L>) {
    (cross_add(w, l, cross(v, a)), cross(w, a))
}

/// Each row's acceleration term, from p.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn accelerations<T: Scalar, L: Register<Of = T>, const P: usize>(
    topology: &Topology<'_>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        let (v, a) = (rows.v::<L>(at), rows.a::<L>(at));
        let (sl, sw) = (w.linear.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(0, at));
        let (pl, pw) = (w.p.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(9, at));
        w.a.put(0, at, scale_add(v, pl, scale(a, sl)));
        w.a.put(3, at, scale_add(v, pw, scale(a, sw)));
    }
    w.a.clear::<L>(blocks::<P>(topology) * LANES);
}

/// p and x, and each row's acceleration term, from the bodies' velocities.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn rates<T: Scalar, L: Register<Of = T>, const P: usize>(
    topology: &Topology<'_>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        let (sl, sw) = (w.linear.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(0, at));
        let (vl, vw) = (w.v.wide::<L, 3>(0, at), w.v.wide::<L, 3>(3, at));
        let (pl, pw) = (cross_add(vw, sl, cross(vl, sw)), cross(vw, sw));
        let (v, a) = (rows.v::<L>(at), rows.a::<L>(at));
        w.p.put(0, at, pl);
        w.angular.put(9, at, pw);
        // Along one degree of freedom, x = 2 p.
        w.linear.put(3, at, add(pl, pl));
        w.angular.put(3, at, add(pw, pw));
        w.a.put(0, at, scale_add(v, pl, scale(a, sl)));
        w.a.put(3, at, scale_add(v, pw, scale(a, sw)));
    }
    // Registers are read from a joint's first row on.
    w.p.clear::<L>(blocks::<P>(topology) * LANES);
    w.a.clear::<L>(blocks::<P>(topology) * LANES);
    for joint in with_many(topology) {
        if joint.kind.nv() > 1 {
            rates_of_many::<T, L, P>(topology, joint, rows, w);
        }
    }
}

/// Rates of a joint of several degrees of freedom, each of which moves with the others: p depends
/// on the parent's velocity only.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rates_of_many<T: Scalar, L: Register<Of = T>, const P: usize>(
    topology: &Topology<'_>,
    joint: &Joint,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    let (at, lanes) = lanes_of::<P>(topology, joint);
    let parent = every(of_parent(&w.v, topology, joint, [T::zero(); 6], &w.hop));
    let own = every(row6(&w.v, at));
    let s = (w.linear.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(0, at));
    let ((pl, pw), (xl, xw)) = (crossed(parent, s), crossed(own, s));
    let (v, a) = (rows.v::<L>(at), rows.a::<L>(at));
    w.p.replace3(0, at, pl, lanes);
    w.angular.replace3(9, at, pw, lanes);
    w.linear.replace3(3, at, add(pl, xl), lanes);
    w.angular.replace3(3, at, add(pw, xw), lanes);
    w.a.replace3(0, at, scale_add(v, pl, scale(a, s.0)), lanes);
    w.a.replace3(3, at, scale_add(v, pw, scale(a, s.1)), lanes);
}

/// r, from the bodies' accelerations.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn second_rates<T: Scalar, L: Register<Of = T>, const P: usize>(
    topology: &Topology<'_>,
    world: &World<T>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        let (sl, sw) = (w.linear.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(0, at));
        let (pl, pw) = (w.p.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(9, at));
        let (vl, vw) = (w.v.wide::<L, 3>(0, at), w.v.wide::<L, 3>(3, at));
        let (al, aw) = (w.a.wide::<L, 3>(0, at), w.a.wide::<L, 3>(3, at));
        w.linear.put(6, at, cross_add(vw, pl, cross_add(vl, pw, cross_add(al, sw, cross(aw, sl)))));
        w.angular.put(6, at, cross_add(vw, pw, cross(aw, sw)));
    }
    let start = world.acceleration();
    for joint in with_many(topology) {
        if joint.kind.nv() == 1 {
            continue;
        }
        let (at, lanes) = lanes_of::<P>(topology, joint);
        let v = every(of_parent(&w.v, topology, joint, [T::zero(); 6], &w.hop));
        let a = every(of_parent(&w.a, topology, joint, start, &w.hop));
        let s = (w.linear.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(0, at));
        let p = (w.p.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(9, at));
        let ((al, aw), (vl, vw)) = (crossed(a, s), crossed(v, p));
        w.linear.replace3(6, at, add(al, vl), lanes);
        w.angular.replace3(6, at, add(aw, vw), lanes);
    }
}
