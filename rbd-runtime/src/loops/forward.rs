//! From the joints' coordinates to where every row is and how it moves: s, p, r, x, and the bodies' velocities and
//! accelerations (docs/math.md#loops-over-tables).

use super::tables::{Joint, Rows, Tables, Topology, WORLD};
use super::vector::{Scratch, V3, cross, v3};
use super::{LANES, Register};
use crate::limbs::Limbs;
use crate::{JointKind, Scalar};
use core::ops::Range;

/// What passes from stage to stage. Spatial vectors are `[linear; angular]`, split where the two halves are moved from point
/// to point in different ways.
#[repr(C, align(64))]
pub(super) struct Work<T, const P: usize> {
    /// Frames: three columns of the rotation and the origin, of four numbers each.
    pub frames: [[[T; 4]; 4]; P],
    /// For each segment, its point less that of the segment which carries it.
    pub hop: [[T; 4]; P],
    /// Placements in the parent's frame: three columns of the rotation, and the translation.
    pub relative: Scratch<T, 12, P>,
    /// Linear halves of s, x, r.
    pub linear: Scratch<T, 9, P>,
    /// Angular halves of s, x, r, p.
    pub angular: Scratch<T, 12, P>,
    /// Linear half of p.
    pub p: Scratch<T, 3, P>,
    /// Velocities of the rows' bodies.
    pub v: Scratch<T, 6, P>,
    /// Accelerations of the rows' bodies, less gravity.
    pub a: Scratch<T, 6, P>,
    /// First moment, and second moments xx, xy, xz, yy, yz, zz: of bodies, then of subtrees.
    pub inertia: Scratch<T, 9, P>,
    /// Twice the momentum, and the angular block of the Coriolis operator: of bodies, then of subtrees.
    pub drift: Scratch<T, 12, P>,
    /// Forces: of bodies, then of subtrees.
    pub force: Scratch<T, 6, P>,
}

impl<T: Scalar, const P: usize> Work<T, P> {
    /// # Safety
    /// Stages are called in the order in which the fields' readers and writers say; see [`Scratch`].
    #[inline(always)]
    pub unsafe fn new() -> Self {
        let zero = T::zero();
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                frames: [[[zero; 4]; 4]; P],
                hop: [[zero; 4]; P],
                relative: Scratch::new(),
                linear: Scratch::new(),
                angular: Scratch::new(),
                p: Scratch::new(),
                v: Scratch::new(),
                a: Scratch::new(),
                inertia: Scratch::new(),
                drift: Scratch::new(),
                force: Scratch::new(),
            }
        }
    }
}

/// Coordinates, one a row.
pub(super) struct Coordinates<T, const P: usize> {
    pub q: [T; P],
    pub v: [T; P],
    pub a: [T; P],
    /// Sines and cosines of what turns, if they are given.
    pub turned: Option<[[T; P]; 2]>,
}

/// What the world is to the robot: axes are those of a floating base, where the first joint is one.
pub(super) struct World<T> {
    /// Columns of the rotation from the world's axes.
    pub columns: [[T; 4]; 3],
    /// Acceleration that stands for gravity.
    pub minus_gravity: [T; 3],
    /// Whether the first joint is a floating base.
    pub floating: bool,
}

/// Blocks of rows, none beyond the arrays.
#[inline(always)]
pub(super) fn blocks<const P: usize>(topology: &Topology<'_>) -> usize {
    count::<P>(topology).div_ceil(LANES)
}

/// A row of the tables, as a place that every stage over blocks fills; the kernels do nothing where there are no rows.
#[inline(always)]
pub(super) fn within<const P: usize>(topology: &Topology<'_>, row: u16) -> usize {
    usize::from(row).min(count::<P>(topology).saturating_sub(1))
}

/// The number of rows, none beyond the arrays.
#[inline(always)]
pub(super) fn count<const P: usize>(topology: &Topology<'_>) -> usize {
    topology.rows.min(P - LANES)
}

/// A joint's rows.
#[inline(always)]
fn rows_of<const P: usize>(topology: &Topology<'_>, joint: &Joint) -> Range<usize> {
    let first = within::<P>(topology, joint.first);
    first..(first + joint.kind.nv()).min(count::<P>(topology))
}

/// Constants of eight rows from `at` on.
#[inline(always)]
pub(super) fn constant<T, L: Register<T>, const K: usize, const P: usize>(
    rows: &Rows<f64, K, P>,
    k: usize,
    at: usize,
) -> L {
    match rows.0[k].get(at..).and_then(<[f64]>::first_chunk) {
        Some(x) => L::constant(x),
        None => L::constant(&[0.0; LANES]),
    }
}
#[inline(always)]
fn constant3<T, L: Register<T>, const K: usize, const P: usize>(
    rows: &Rows<f64, K, P>,
    k: usize,
    at: usize,
) -> V3<T, L> {
    v3([constant(rows, k, at), constant(rows, k + 1, at), constant(rows, k + 2, at)])
}

/// The element, or zero where there is none.
#[inline(always)]
fn pick<T: Scalar>(x: &[T], at: usize) -> T {
    match x.get(at) {
        Some(x) => *x,
        None => T::zero(),
    }
}
#[inline(always)]
fn pick_row(x: &[u16], at: usize) -> u16 {
    match x.get(at) {
        Some(x) => *x,
        None => 0,
    }
}

/// Each row's coordinates; zero beyond the rows.
#[inline(always)]
pub(super) fn gather<T: Scalar, const P: usize>(
    topology: &Topology<'_>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Coordinates<T, P> {
    let zero = [T::zero(); P];
    let mut rows = Coordinates { q: zero, v: zero, a: zero, turned: None };
    let n = count::<P>(topology);
    for (row, &at) in rows.q[..n].iter_mut().zip(topology.position) {
        *row = pick(q, usize::from(at));
    }
    for ((v_row, a_row), &at) in rows.v[..n].iter_mut().zip(&mut rows.a[..n]).zip(topology.coordinate) {
        *v_row = pick(v, usize::from(at));
        *a_row = pick(a, usize::from(at));
    }
    rows
}

/// Sines and cosines of rows from those of the coordinates; of a row that turns by another ratio than 1 or -1 they are taken.
#[inline(always)]
pub(super) fn turned<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    q: &[T],
    [sin, cos]: [&[T]; 2],
) -> [[T; P]; 2] {
    let [mut sines, mut cosines] = [[T::zero(); P]; 2];
    let n = count::<P>(&tables.topology);
    for (row, &at) in tables.topology.position.iter().take(n).enumerate() {
        let (ratio, offset) = (tables.ratio.0[0][row], tables.offset.0[0][row]);
        let factor = T::from_f64(ratio);
        let (s, c) = if ratio.abs() == 1.0 {
            let (s, c) = (pick(sin, usize::from(at)) * factor, pick(cos, usize::from(at)));
            if offset == 0.0 {
                (s, c)
            } else {
                let (by_s, by_c) = T::from_f64(offset).sin_cos();
                (s.mul_add(by_c, c * by_s), c.mul_add(by_c, -(s * by_s)))
            }
        } else {
            pick(q, usize::from(at)).mul_add(factor, T::from_f64(offset)).sin_cos()
        };
        (sines[row], cosines[row]) = (s, c);
    }
    [sines, cosines]
}

/// Rotation matrix of a unit quaternion `[x, y, z, w]`, by columns.
#[inline(always)]
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
#[inline(always)]
fn fixed<T: Scalar, const P: usize>(tables: &Tables<'_, P>, row: usize) -> [[T; 3]; 4] {
    let mut columns = [[T::zero(); 3]; 4];
    for c in 0..4 {
        for k in 0..3 {
            columns[c][k] = T::from_f64(tables.placement.0[3 * c + k][row.min(P - 1)]);
        }
    }
    columns
}

/// `m x`, by columns.
#[inline(always)]
fn combined<T: Scalar>(m: &[[T; 3]; 4], x: [T; 3]) -> [T; 3] {
    let mut y = [T::zero(); 3];
    for k in 0..3 {
        y[k] = m[0][k].mul_add(x[0], m[1][k].mul_add(x[1], m[2][k] * x[2]));
    }
    y
}

#[inline(always)]
fn quaternion<T: Scalar>(q: &[T], at: usize) -> [T; 4] {
    [pick(q, at), pick(q, at + 1), pick(q, at + 2), pick(q, at + 3)]
}

/// The placement of a joint of several degrees of freedom, in its parent's frame. `plain`: as a joint of one.
#[inline(always)]
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

/// The world's axes in those of the robot.
#[inline(always)]
pub(super) fn world<T: Scalar, const P: usize>(tables: &Tables<'_, P>, q: &[T]) -> World<T> {
    let (o, one) = (T::zero(), T::one());
    let mut columns = [[one, o, o, o], [o, one, o, o], [o, o, one, o]];
    let first = tables.topology.joints.first();
    let floating = first.is_some_and(|j| j.kind == JointKind::Floating && j.parent == WORLD);
    if floating && let Some(joint) = first {
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

/// Placements in the parents' frames, those of joints of several degrees of freedom as if they had only their last one.
#[inline(always)]
pub(super) fn relative<T: Scalar, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(&tables.topology) {
        let at = b * LANES;
        let x = load::<T, L, P>(&rows.q, at);
        let x = x.mul_add(constant(&tables.ratio, 0, at), constant(&tables.offset, 0, at));
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
        let m0 = constant3::<T, L, 12, P>(&tables.placement, 0, at);
        let m1 = constant3::<T, L, 12, P>(&tables.placement, 3, at);
        let m2 = constant3::<T, L, 12, P>(&tables.placement, 6, at);
        let d = constant3::<T, L, 12, P>(&tables.placement, 9, at);
        w.relative.store3(0, at, m0.scale_add(cos, m1.scale(sin)));
        w.relative.store3(3, at, m1.scale_add(cos, m0.scale(-sin)));
        w.relative.store3(6, at, m2);
        w.relative.store3(9, at, m2.scale_add(length, d));
    }
}

/// Eight of an array from `at` on.
#[inline(always)]
pub(super) fn load<T: Scalar, L: Register<T>, const P: usize>(x: &[T; P], at: usize) -> L {
    match x.get(at..).and_then(<[T]>::first_chunk) {
        Some(x) => L::load(x),
        None => L::splat(T::zero()),
    }
}

#[inline(always)]
fn turning(topology: &Topology<'_>, block: usize) -> u8 {
    match topology.blocks.get(block) {
        Some(block) => block.turning,
        None => 0,
    }
}

/// Whether a joint and what carries it are in different segments, and the joint's segment.
#[inline(always)]
pub(super) fn segments(topology: &Topology<'_>, joint: &Joint) -> (bool, usize) {
    let own = pick_row(topology.segment, usize::from(joint.first));
    let crosses = joint.parent != WORLD && pick_row(topology.segment, usize::from(joint.parent)) != own;
    (crosses, usize::from(own))
}

/// Places one body after the other, along the tree.
#[inline(always)]
pub(super) fn placements<T: Scalar, Q: Limbs<T, 4>, const P: usize>(
    tables: &Tables<'_, P>,
    world: &World<T>,
    q: &[T],
    w: &mut Work<T, P>,
) {
    let topology = &tables.topology;
    let origin = Q::splat(T::zero());
    let base = [Q::gather(world.columns[0]), Q::gather(world.columns[1]), Q::gather(world.columns[2])];
    let (mut r, mut p, mut before) = (base, origin, WORLD);
    let mut root = world.floating;
    for joint in topology.joints {
        let rows = joint.kind.nv();
        let of_joint = rows_of::<P>(topology, joint);
        let row = of_joint.end - 1;
        if joint.parent != before {
            if joint.parent == WORLD {
                (r, p) = (base, origin);
            } else {
                let frame = &w.frames[within::<P>(topology, joint.parent)];
                r = [Q::gather(frame[0]), Q::gather(frame[1]), Q::gather(frame[2])];
                p = Q::gather(frame[3]);
            }
        }
        let mut place = [
            w.relative.get3(0, row),
            w.relative.get3(3, row),
            w.relative.get3(6, row),
            w.relative.get3(9, row),
        ];
        if rows > 1 {
            place = placement_of_many(tables, joint, row, q, place);
        }
        let mut moved = [origin; 4];
        for c in 0..4 {
            let x = place[c];
            let sum = if c < 3 { Q::splat(x[0]) * r[0] } else { Q::splat(x[0]).mul_add(r[0], p) };
            moved[c] = Q::splat(x[2]).mul_add(r[2], Q::splat(x[1]).mul_add(r[1], sum));
        }
        let (crosses, segment) = segments(topology, joint);
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
        // The z axis of a row is along its degree of freedom: x, y, z in turn.
        for at in of_joint {
            let frame = match (row - at) % 3 {
                0 => [r[0], r[1], r[2], p],
                1 => [r[2], r[0], r[1], p],
                _ => [r[1], r[2], r[0], p],
            };
            let to = &mut w.frames[at.min(P - 1)];
            for c in 0..4 {
                to[c] = frame[c].lanes();
            }
        }
        before = row as u16;
    }
}

/// The frames of eight rows from `at` on: three columns of the rotation, and the origin.
#[inline(always)]
pub(super) fn frame<T: Scalar, L: Register<T>, const P: usize>(
    w: &Work<T, P>,
    column: usize,
    at: usize,
) -> V3<T, L> {
    let f = |l: usize| &w.frames[(at + l).min(P - 1)][column];
    v3(L::columns([f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]))
}

/// s, and what each row adds to velocities.
#[inline(always)]
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
#[inline(always)]
pub(super) fn motion_at<T: Scalar>(x: [T; 6], d: [T; 4]) -> [T; 6] {
    let shift = cross([x[3], x[4], x[5]], [d[0], d[1], d[2]]);
    [x[0] + shift[0], x[1] + shift[1], x[2] + shift[2], x[3], x[4], x[5]]
}

#[inline(always)]
fn row6<T: Scalar, const P: usize>(x: &Scratch<T, 6, P>, row: usize) -> [T; 6] {
    [x.get(0, row), x.get(1, row), x.get(2, row), x.get(3, row), x.get(4, row), x.get(5, row)]
}

/// What a joint's parent does (`start`, where it is the world), at the point of the joint's segment.
#[inline(always)]
fn of_parent<T: Scalar, const P: usize>(
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

/// Sums from the root along the tree, in place: what the rows of a path add, to each row the sum at its body.
#[inline(always)]
pub(super) fn along_paths<T: Scalar, const P: usize>(
    topology: &Topology<'_>,
    x: &mut Scratch<T, 6, P>,
    start: [T; 6],
    hop: &[[T; 4]; P],
) {
    let (mut sum, mut before) = (start, WORLD);
    let mut last_segment = WORLD;
    for joint in topology.joints {
        let segment = pick_row(topology.segment, usize::from(joint.first));
        if joint.parent != before || segment != last_segment {
            sum = of_parent(x, topology, joint, start, hop);
            last_segment = segment;
        }
        let rows = rows_of::<P>(topology, joint);
        for row in rows.clone() {
            for k in 0..6 {
                sum[k] += x.get(k, row);
            }
        }
        before = (rows.end - 1) as u16;
        for row in rows {
            for k in 0..6 {
                x.set(k, row, sum[k]);
            }
        }
    }
}

/// p and x, and what each row adds to accelerations, from the bodies' velocities.
#[inline(always)]
pub(super) fn rates<T: Scalar, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    for b in 0..blocks::<P>(&tables.topology) {
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
    let topology = &tables.topology;
    for joint in topology.joints {
        if joint.kind.nv() > 1 {
            rates_of_many(topology, joint, rows, w);
        }
    }
}

/// Of a joint of several degrees of freedom, each of which moves with the others: p is by the parent's velocity alone.
#[inline(always)]
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
#[inline(always)]
fn motion_cross<T: Scalar>(m: [T; 6], linear: [T; 3], angular: [T; 3]) -> [T; 6] {
    let (v, w) = ([m[0], m[1], m[2]], [m[3], m[4], m[5]]);
    let (a, b, c) = (cross(w, linear), cross(v, angular), cross(w, angular));
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], c[0], c[1], c[2]]
}

/// r, from the bodies' accelerations.
#[inline(always)]
pub(super) fn second_rates<T: Scalar, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    world: &World<T>,
    w: &mut Work<T, P>,
) {
    let topology = &tables.topology;
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
