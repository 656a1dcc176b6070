//! Pose of every row.

use super::algebra::{scale, scale_add};
use super::forward::{
    Coordinates, Work, World, blocks, constant, constant3, count, load, pick, pick_row, rows_of, segments,
    turned, within,
};
use super::motion::axes;
use super::tables::{Joint, Tables, Topology, WORLD};
use super::{Given, LANES, Register};
use crate::limbs::Limbs;
use crate::{JointKind, Scalar};

/// Rotation matrix of a unit quaternion `[x, y, z, w]`, by columns.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rotation<T: Scalar>(q: [T; 4]) -> [[T; 3]; 3] {
    let [x, y, z, w] = q;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let one = T::one();
    [
        [one - (yy + zz), xy + wz, xz - wy],
        [xy - wz, one - (xx + zz), yz + wx],
        [xz + wy, yz - wx, one - (xx + yy)],
    ]
}

/// A joint's constant placement: columns and translation.
#[cfg_attr(not(debug_assertions), inline(always))]
fn fixed<T: Scalar, const P: usize>(tables: &Tables<'_, P>, row: usize) -> [[T; 3]; 4] {
    let mut columns = [[T::zero(); 3]; 4];
    for c in 0..4 {
        for k in 0..3 {
            columns[c][k] = T::from_f64(tables.numbers.placement.0[3 * c + k][row.min(P - 1)]);
        }
    }
    columns
}

/// `m x`, by columns.
#[cfg_attr(not(debug_assertions), inline(always))]
fn combined<T: Scalar>(m: &[[T; 3]; 4], x: [T; 3]) -> [T; 3] {
    let mut y = [T::zero(); 3];
    for k in 0..3 {
        y[k] = m[0][k].mul_add(x[0], m[1][k].mul_add(x[1], m[2][k] * x[2]));
    }
    y
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn quaternion<T: Scalar>(q: &[T], at: usize) -> [T; 4] {
    [pick(q, at), pick(q, at + 1), pick(q, at + 2), pick(q, at + 3)]
}

/// The placement of a joint of several degrees of freedom, in its parent's frame. `plain`: as a joint of one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn placement_of_many<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    joint: &Joint,
    row: usize,
    q: &[T],
    plain: [[T; 3]; 4],
) -> [[T; 3]; 4] {
    let at = usize::from(joint.position);
    let m = fixed::<T, P>(tables, row);
    let mut place = plain;
    let (turn, shift) = match joint.kind {
        JointKind::Spherical => (Some(quaternion(q, at)), [T::zero(); 3]),
        JointKind::Floating => (Some(quaternion(q, at + 3)), [pick(q, at), pick(q, at + 1), pick(q, at + 2)]),
        _ => (None, [pick(q, at), pick(q, at + 1), T::zero()]),
    };
    if let Some(turn) = turn {
        let turn = rotation(turn);
        for c in 0..3 {
            place[c] = combined(&m, turn[c]);
        }
    }
    let shift = combined(&m, shift);
    for k in 0..3 {
        place[3][k] = m[3][k] + shift[k];
    }
    place
}

/// The world's axes in the robot's axes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn world<T: Scalar, const P: usize>(tables: &Tables<'_, P>, q: &[T]) -> World<T> {
    let (o, one) = (T::zero(), T::one());
    let mut columns = [[one, o, o, o], [o, one, o, o], [o, o, one, o]];
    let floating = tables.topology.floats();
    if floating && let Some(joint) = tables.topology.joints.first() {
        let row = usize::from(joint.first) + 5;
        let place = placement_of_many::<T, P>(tables, joint, row, q, [[o; 3]; 4]);
        for c in 0..3 {
            for k in 0..3 {
                columns[k][c] = place[c][k];
            }
        }
    }
    let mut minus_gravity = [o; 3];
    for (column, g) in columns.iter().zip(tables.gravity) {
        for k in 0..3 {
            minus_gravity[k] = (-column[k]).mul_add(T::from_f64(g), minus_gravity[k]);
        }
    }
    World { columns, minus_gravity, floating }
}

/// Coordinates, poses and motion subspaces of all rows, and their velocity terms.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn place<T: Scalar, Q: Limbs<T, 4>, L: Register<Of = T>, const P: usize>(
    tables: &Tables<'_, P>,
    topology: &Topology<'_>,
    world: &World<T>,
    given: &Given<'_, T>,
    rows: &mut Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    const { assert!(P / LANES * LANES == P && P > LANES, "whole registers, and one to spare") };
    rows.gather::<L>(topology, [given.q, given.v, given.a]);
    if let Some(angles) = given.turned {
        rows.turned = Some(turned(tables, given.q, angles));
    }
    relative::<T, L, P>(tables, rows, w);
    placements::<T, Q, P>(tables, topology, world, given.q, w);
    axes::<T, L, P>(tables, rows, w);
}

/// Placements in the parents' frames: three columns of the rotation, and the translation.
///
/// Joints of several degrees of freedom are placed as if they had only their last one. Coriolis
/// operators use the array later.
#[cfg_attr(not(debug_assertions), inline(always))]
fn relative<T: Scalar, L: Register<Of = T>, const P: usize>(
    tables: &Tables<'_, P>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(&tables.topology) {
        let at = b * LANES;
        let x = rows.q::<L>(at);
        let x = x.mul_add(constant(&tables.numbers.ratio, 0, at), constant(&tables.numbers.offset, 0, at));
        let turning = turning(&tables.topology, b);
        let zero = L::splat(T::zero());
        let (sin, cos) = match &rows.turned {
            None => zero.select(x, turning).sin_cos(),
            Some([sin, cos]) => (
                zero.select(load::<T, L, P>(sin, at), turning),
                L::splat(T::one()).select(load::<T, L, P>(cos, at), turning),
            ),
        };
        let length = x.select(zero, turning);
        let m0 = constant3::<T, L, 12, P>(&tables.numbers.placement, 0, at);
        let m1 = constant3::<T, L, 12, P>(&tables.numbers.placement, 3, at);
        let m2 = constant3::<T, L, 12, P>(&tables.numbers.placement, 6, at);
        let d = constant3::<T, L, 12, P>(&tables.numbers.placement, 9, at);
        w.drift.put(0, at, scale_add(cos, m0, scale(sin, m1)));
        w.drift.put(3, at, scale_add(cos, m1, scale(-sin, m0)));
        w.drift.put(6, at, m2);
        w.drift.put(9, at, scale_add(length, m2, d));
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn turning(topology: &Topology<'_>, block: usize) -> u8 {
    match topology.blocks.get(block) {
        Some(block) => block.turning,
        None => 0,
    }
}

/// The frame that is placed so in the frame of columns `r` and origin `p`: three columns and the origin.
#[cfg_attr(not(debug_assertions), inline(always))]
fn combined_frames<T: Scalar, Q: Limbs<T, 4>>(r: [Q; 3], p: Q, place: [[T; 3]; 4]) -> [Q; 4] {
    let mut moved = [p; 4];
    for c in 0..4 {
        let x = place[c];
        let sum = if c < 3 { Q::splat(x[0]) * r[0] } else { Q::splat(x[0]).mul_add(r[0], p) };
        moved[c] = Q::splat(x[2]).mul_add(r[2], Q::splat(x[1]).mul_add(r[1], sum));
    }
    moved
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn has_one_row(joint: &Joint) -> bool {
    matches!(joint.kind, JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic)
}

/// Places one body after the other, along the tree.
///
/// The topology is the tables' own, or one with other segments. Frames of all blocks are written
/// for any tables: rows of no joint, or rows that precede their turn, are at the origin.
#[cfg_attr(not(debug_assertions), inline(always))]
fn placements<T: Scalar, Q: Limbs<T, 4>, const P: usize>(
    tables: &Tables<'_, P>,
    topology: &Topology<'_>,
    world: &World<T>,
    q: &[T],
    w: &mut Work<T, P>,
) {
    let origin = Q::splat(T::zero());
    let base = [Q::gather(world.columns[0]), Q::gather(world.columns[1]), Q::gather(world.columns[2])];
    let (mut r, mut p, mut before) = (base, origin, WORLD);
    let mut root = world.floating;
    let several = topology.segments.len() > 1;
    let count = count::<P>(topology);
    // Up to where frames are written without a gap.
    let mut next = 0;
    let mut joints = topology.joints;
    while let Some((joint, after)) = joints.split_first() {
        joints = after;
        let rows = joint.kind.nv();
        let of_joint = rows_of::<P>(topology, joint);
        let mut row = of_joint.end - 1;
        if joint.parent != before {
            let parent = within::<P>(topology, joint.parent);
            if joint.parent == WORLD || parent >= next {
                (r, p) = (base, origin);
            } else {
                let frame = w.frames.get(parent);
                r = [Q::gather(frame[0]), Q::gather(frame[1]), Q::gather(frame[2])];
                p = Q::gather(frame[3]);
            }
        }
        let mut place =
            [w.drift.get3(0, row), w.drift.get3(3, row), w.drift.get3(6, row), w.drift.get3(9, row)];
        if rows > 1 {
            place = placement_of_many(tables, joint, row, q, place);
        }
        let mut moved = combined_frames::<T, Q>(r, p, place);
        let (crosses, segment) = if several { segments(topology, joint) } else { (false, 0) };
        if crosses || joint.parent == WORLD {
            let at = segment.min(P - 1);
            if let Some(segment) = topology.segments.get(segment)
                && segment.first == joint.first
            {
                let point = if segment.rides {
                    moved[3]
                } else {
                    let d = fixed::<T, P>(tables, row)[3];
                    let sum = Q::splat(d[1]).mul_add(r[1], Q::splat(d[0]).mul_add(r[0], p));
                    Q::splat(d[2]).mul_add(r[2], sum)
                };
                w.hop[at] = point.lanes();
            }
            moved[3] = moved[3] - Q::gather(w.hop[at]);
        }
        r = [moved[0], moved[1], moved[2]];
        p = moved[3];
        if root {
            let (o, one) = (T::zero(), T::one());
            r = [Q::gather([one, o, o, o]), Q::gather([o, one, o, o]), Q::gather([o, o, one, o])];
            root = false;
        }
        if of_joint.start <= next {
            next = next.max(of_joint.end);
        }
        let [x, y, z, o] = [r[0].lanes(), r[1].lanes(), r[2].lanes(), p.lanes()];
        w.frames.set(row, [x, y, z, o]);
        if rows > 1 {
            // The z axis of a row is along its degree of freedom: x, y, z in turn.
            for at in of_joint.start..row {
                let frame = match (row - at) % 3 {
                    0 => [x, y, z, o],
                    1 => [z, x, y, o],
                    _ => [y, z, x, o],
                };
                w.frames.set(at, frame);
            }
        }
        before = row as u16;
        // Followers on the same path with one degree of freedom, in the same segment, are a plain
        // product.
        while let Some((follower, after)) = joints.split_first()
            && follower.parent == before
            && usize::from(follower.first) == row + 1
            && row + 1 < count
            && has_one_row(follower)
            && (!several || pick_row(topology.segment, row + 1) == pick_row(topology.segment, row))
        {
            joints = after;
            row += 1;
            let place =
                [w.drift.get3(0, row), w.drift.get3(3, row), w.drift.get3(6, row), w.drift.get3(9, row)];
            let [x, y, z, o] = combined_frames::<T, Q>(r, p, place);
            (r, p) = ([x, y, z], o);
            w.frames.set(row, [x.lanes(), y.lanes(), z.lanes(), o.lanes()]);
            if row <= next {
                next = next.max(row + 1);
            }
            before = row as u16;
        }
    }
    for row in next..blocks::<P>(topology) * LANES {
        w.frames.set(row, [[T::zero(); 4]; 4]);
    }
}
