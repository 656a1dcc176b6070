//! How every row moves: sums along paths, and what the rows add to them.

use super::forward::{
    Coordinates, Work, World, blocks, constant, count, frame, load, pick_row, rows_of, segments, within,
};
use super::placements::turning;
use super::tables::{Joint, Tables, Topology, WORLD};
use super::vector::{Scratch, V3, cross};
use super::{LANES, Register};
use crate::Scalar;

/// s, and what each row adds to velocities.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn axes<T: Scalar, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    let blocks = blocks::<P>(&tables.topology);
    for b in 0..blocks {
        let at = b * LANES;
        let turning = turning(&tables.topology, b);
        let z = frame::<T, L, P>(w, 2, at).scale(constant(&tables.ratio, 0, at));
        let lever = frame::<T, L, P>(w, 3, at).cross(z);
        let (linear, angular) = (z.select(lever, turning), V3::zero().select(z, turning));
        let v = load::<T, L, P>(&rows.v, at);
        w.linear.store3(0, at, linear);
        w.angular.store3(0, at, angular);
        w.v.store3(0, at, linear.scale(v));
        w.v.store3(3, at, angular.scale(v));
    }
    w.linear.clear::<L>(blocks * LANES);
    w.angular.clear::<L>(blocks * LANES);
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

/// What a joint's parent does (`start`, where it is the world), at the point of the joint's segment.
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

/// The row before on a row's path, or [`WORLD`].
#[cfg_attr(not(debug_assertions), inline(always))]
fn above(topology: &Topology<'_>, row: usize) -> u16 {
    if usize::from(pick_row(topology.first, row)) < row {
        (row - 1) as u16
    } else {
        match topology.parent.get(row) {
            Some(parent) => *parent,
            None => WORLD,
        }
    }
}

/// Sums from the root along the tree, in place: what the rows of a path add, to each row the sum at its body. Within a register
/// by doubling steps along stretches of rows that follow one another on a path.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn along_paths<T: Scalar, L: Register<T>, const P: usize>(
    topology: &Topology<'_>,
    x: &mut Scratch<T, 6, P>,
    start: [T; 6],
    hop: &[[T; 4]; P],
) {
    let count = count::<P>(topology);
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        // Lanes that follow the lane before, in the same segment.
        let mut follows = 0_u8;
        let last = (count - at).min(LANES);
        for l in 1..last {
            let (row, segment) = (at + l, |row| pick_row(topology.segment, row));
            let one = usize::from(above(topology, row)) + 1 == row && segment(row) == segment(row - 1);
            follows |= u8::from(one) << l;
        }
        let mut y = [L::splat(T::zero()); 6];
        for k in 0..6 {
            y[k] = x.load(k, at);
        }
        let mut steps = follows;
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
        let mut lane = 0;
        while lane < last {
            // A stretch, and what it begins with.
            let mut end = lane + 1;
            while end < last && follows >> end & 1 == 1 {
                end += 1;
            }
            let lanes = (u8::MAX << lane) & (u8::MAX >> (LANES - end));
            let parent = above(topology, at + lane);
            if lane > 0 && usize::from(parent) >= at {
                // It is in this register.
                for k in 0..6 {
                    x.store(k, at, y[k]);
                }
            }
            let mut sum = start;
            if parent != WORLD {
                let parent = within::<P>(topology, parent);
                sum = row6(x, parent.min(at + lane));
                let own = pick_row(topology.segment, at + lane);
                if pick_row(topology.segment, parent) != own {
                    sum = motion_at(sum, hop[usize::from(own).min(P - 1)]);
                }
            }
            for k in 0..6 {
                y[k] = y[k] + L::splat(sum[k]).keep(lanes);
            }
            lane = end;
        }
        for k in 0..6 {
            x.store(k, at, y[k]);
        }
    }
    // All rows of a joint have what its last one has.
    for joint in topology.joints {
        if joint.kind.nv() > 1 {
            let rows = rows_of::<P>(topology, joint);
            let sum = row6(x, rows.end.max(1) - 1);
            for row in rows {
                for k in 0..6 {
                    x.set(k, row, sum[k]);
                }
            }
        }
    }
}

/// p and x, and what each row adds to accelerations, from the bodies' velocities.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn rates<T: Scalar, L: Register<T>, const P: usize>(
    topology: &Topology<'_>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        let (sl, sw) = (w.linear.load3::<L>(0, at), w.angular.load3::<L>(0, at));
        let (vl, vw) = (w.v.load3::<L>(0, at), w.v.load3::<L>(3, at));
        let (pl, pw) = (vw.cross_add(sl, vl.cross(sw)), vw.cross(sw));
        let (v, a) = (load::<T, L, P>(&rows.v, at), load::<T, L, P>(&rows.a, at));
        w.p.store3(0, at, pl);
        w.angular.store3(9, at, pw);
        // Along one degree of freedom, x = 2 p.
        w.linear.store3(3, at, pl + pl);
        w.angular.store3(3, at, pw + pw);
        w.a.store3(0, at, pl.scale_add(v, sl.scale(a)));
        w.a.store3(3, at, pw.scale_add(v, sw.scale(a)));
    }
    for joint in topology.joints {
        if joint.kind.nv() > 1 {
            rates_of_many(topology, joint, rows, w);
        }
    }
}

/// Of a joint of several degrees of freedom, each of which moves with the others: p is by the parent's velocity alone.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rates_of_many<T: Scalar, const P: usize>(
    topology: &Topology<'_>,
    joint: &Joint,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    let of_joint = rows_of::<P>(topology, joint);
    let parent = of_parent(&w.v, topology, joint, [T::zero(); 6], &w.hop);
    let own = row6(&w.v, of_joint.start);
    for row in of_joint {
        let (sl, sw) = (w.linear.get3(0, row), w.angular.get3(0, row));
        let p = motion_cross(parent, sl, sw);
        let vs = motion_cross(own, sl, sw);
        for k in 0..3 {
            w.p.set(k, row, p[k]);
            w.angular.set(9 + k, row, p[3 + k]);
            w.linear.set(3 + k, row, p[k] + vs[k]);
            w.angular.set(3 + k, row, p[3 + k] + vs[3 + k]);
            w.a.set(k, row, p[k].mul_add(rows.v[row], sl[k] * rows.a[row]));
            w.a.set(3 + k, row, p[3 + k].mul_add(rows.v[row], sw[k] * rows.a[row]));
        }
    }
}

/// `m x [linear; angular]`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn motion_cross<T: Scalar>(m: [T; 6], linear: [T; 3], angular: [T; 3]) -> [T; 6] {
    let (v, w) = ([m[0], m[1], m[2]], [m[3], m[4], m[5]]);
    let (a, b, c) = (cross(w, linear), cross(v, angular), cross(w, angular));
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], c[0], c[1], c[2]]
}

/// r, from the bodies' accelerations.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn second_rates<T: Scalar, L: Register<T>, const P: usize>(
    topology: &Topology<'_>,
    world: &World<T>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        let (sl, sw) = (w.linear.load3::<L>(0, at), w.angular.load3::<L>(0, at));
        let (pl, pw) = (w.p.load3::<L>(0, at), w.angular.load3::<L>(9, at));
        let (vl, vw) = (w.v.load3::<L>(0, at), w.v.load3::<L>(3, at));
        let (al, aw) = (w.a.load3::<L>(0, at), w.a.load3::<L>(3, at));
        w.linear.store3(6, at, vw.cross_add(pl, vl.cross_add(pw, al.cross_add(sw, aw.cross(sl)))));
        w.angular.store3(6, at, vw.cross_add(pw, aw.cross(sw)));
    }
    let g = world.minus_gravity;
    let start = [g[0], g[1], g[2], T::zero(), T::zero(), T::zero()];
    for joint in topology.joints {
        if joint.kind.nv() == 1 {
            continue;
        }
        let v = of_parent(&w.v, topology, joint, [T::zero(); 6], &w.hop);
        let a = of_parent(&w.a, topology, joint, start, &w.hop);
        for row in rows_of::<P>(topology, joint) {
            let by_a = motion_cross(a, w.linear.get3(0, row), w.angular.get3(0, row));
            let by_v = motion_cross(v, w.p.get3(0, row), w.angular.get3(9, row));
            for k in 0..3 {
                w.linear.set(6 + k, row, by_a[k] + by_v[k]);
                w.angular.set(6 + k, row, by_a[3 + k] + by_v[3 + k]);
            }
        }
    }
}
