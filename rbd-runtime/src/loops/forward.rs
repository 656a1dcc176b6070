//! Kinematics that all loops share: stages from the joints' coordinates to poses, s, p, r, x, and
//! the bodies' velocities and accelerations (docs/math.md#loops-over-tables).

use super::algebra::V3;
use super::scratch::{Frames, Scratch};
use super::tables::{Joint, Rows, Tables, Topology, WORLD};
use super::{LANES, Register};
use crate::Scalar;
use core::ops::Range;

/// Arrays that pass from stage to stage.
///
/// Spatial vectors are `[linear; angular]`, split if the two halves are moved from point to point
/// in different ways.
#[repr(C, align(64))]
pub(super) struct Work<T, const P: usize> {
    /// Pose of every row.
    pub frames: Frames<T, P>,
    /// For each segment, the vector from the point of its parent segment to its own point.
    pub hop: [[T; 4]; P],
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
    /// Twice the momentum, and the angular block of the Coriolis operator, of bodies and then of
    /// subtrees. Earlier stages store placements in the parents' frames here.
    pub drift: Scratch<T, 12, P>,
    /// Forces: of bodies, then of subtrees.
    pub force: Scratch<T, 6, P>,
}

impl<T: Scalar, const P: usize> Work<T, P> {
    /// # Safety
    /// Each stage reads only fields that an earlier stage wrote; see [`Scratch`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        let zero = T::zero();
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                frames: Frames::new(),
                hop: [[zero; 4]; P],
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
    /// q, v and a; zero beyond the rows.
    of: Scratch<T, 3, P>,
    /// Known sines and cosines of the rotating rows, if any.
    pub turned: Option<[[T; P]; 2]>,
}

impl<T: Scalar, const P: usize> Coordinates<T, P> {
    /// # Safety
    /// [`Self::gather`] is called before anything is read.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        Self { of: unsafe { Scratch::new() }, turned: None }
    }
    /// Each row's coordinates.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn gather<L: Register<Of = T>>(&mut self, topology: &Topology<'_>, [q, v, a]: [&[T]; 3]) {
        let count = count::<P>(topology);
        for at in (0..count).step_by(LANES) {
            self.of.store(0, at, eight::<T, L>(q, topology.position, at, count));
            self.of.store(1, at, eight::<T, L>(v, topology.coordinate, at, count));
        }
        self.of.clear::<L>(blocks::<P>(topology) * LANES);
        self.accelerate::<L>(topology, a);
    }
    /// Sets the accelerations of the rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn accelerate<L: Register<Of = T>>(&mut self, topology: &Topology<'_>, a: &[T]) {
        let count = count::<P>(topology);
        for at in (0..count).step_by(LANES) {
            self.of.store(2, at, eight::<T, L>(a, topology.coordinate, at, count));
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn q<L: Register<Of = T>>(&self, at: usize) -> L {
        self.of.load(0, at)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn v<L: Register<Of = T>>(&self, at: usize) -> L {
        self.of.load(1, at)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn a<L: Register<Of = T>>(&self, at: usize) -> L {
        self.of.load(2, at)
    }
}

/// Numbers of `x` at the indices `of`, for the rows from `at` on; zero from row `count` on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn eight<T: Scalar, L: Register<Of = T>>(x: &[T], of: &[u16], at: usize, count: usize) -> L {
    if x.is_empty() {
        return L::splat(T::zero());
    }
    if let Some(places) = of.get(at..).and_then(<[u16]>::first_chunk::<LANES>) {
        // Mostly they follow one another.
        let mut follow = true;
        for l in 0..LANES {
            follow &= places[l] == places[0].wrapping_add(l as u16);
        }
        if follow && let Some(x) = x.get(usize::from(places[0])..).and_then(<[T]>::first_chunk) {
            return L::load(x);
        }
    }
    let mut some = [T::zero(); LANES];
    for l in 0..LANES {
        if at + l < count {
            some[l] = pick(x, usize::from(pick_row(of, at + l)));
        }
    }
    L::load(&some)
}

/// The world as the robot sees it. Axes are those of a floating base if the first joint is one.
pub(super) struct World<T> {
    /// Columns of the rotation from the world's axes.
    pub columns: [[T; 4]; 3],
    /// Acceleration that stands for gravity.
    pub minus_gravity: [T; 3],
    /// True if the first joint is a floating base.
    pub floating: bool,
}

impl<T: Scalar> World<T> {
    /// Acceleration of bodies that are fixed to the world, less gravity.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn acceleration(&self) -> [T; 6] {
        let ([x, y, z], zero) = (self.minus_gravity, T::zero());
        [x, y, z, zero, zero, zero]
    }
}

/// Blocks of rows, none beyond the arrays.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn blocks<const P: usize>(topology: &Topology<'_>) -> usize {
    count::<P>(topology).div_ceil(LANES)
}

/// Bounds a row index of the tables by the rows that every stage over blocks writes. Kernels do
/// nothing if there are no rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn within<const P: usize>(topology: &Topology<'_>, row: u16) -> usize {
    usize::from(row).min(count::<P>(topology).saturating_sub(1))
}

/// The number of rows, none beyond the arrays.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn count<const P: usize>(topology: &Topology<'_>) -> usize {
    topology.rows.min(P - LANES)
}

/// The first joints, up to the last one of several degrees of freedom: mostly none, or a floating base.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn with_many<'a>(topology: &Topology<'a>) -> &'a [Joint] {
    let joints = topology.joints;
    let mut more = topology.rows.saturating_sub(joints.len());
    let mut end = 0;
    while more > 0
        && let Some(joint) = joints.get(end)
    {
        more = more.saturating_sub(joint.kind.nv() - 1);
        end += 1;
    }
    match joints.get(..end) {
        Some(joints) => joints,
        None => &[],
    }
}

/// A joint's rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn rows_of<const P: usize>(topology: &Topology<'_>, joint: &Joint) -> Range<usize> {
    let first = within::<P>(topology, joint.first);
    first..(first + joint.kind.nv()).min(count::<P>(topology))
}

/// Constants of eight rows from `at` on.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn constant<T, L: Register<Of = T>, const K: usize, const P: usize>(
    rows: &Rows<f64, K, P>,
    k: usize,
    at: usize,
) -> L {
    match rows.0[k].get(at..).and_then(<[f64]>::first_chunk) {
        Some(x) => L::constant(x),
        None => L::constant(&[0.0; LANES]),
    }
}
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn constant3<T, L: Register<Of = T>, const K: usize, const P: usize>(
    rows: &Rows<f64, K, P>,
    k: usize,
    at: usize,
) -> V3<L> {
    [constant(rows, k, at), constant(rows, k + 1, at), constant(rows, k + 2, at)]
}

/// The element, or zero if there is none.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pick<T: Scalar>(x: &[T], at: usize) -> T {
    match x.get(at) {
        Some(x) => *x,
        None => T::zero(),
    }
}
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pick_row(x: &[u16], at: usize) -> u16 {
    match x.get(at) {
        Some(x) => *x,
        None => 0,
    }
}

/// Sines and cosines of rows from those of the coordinates. If a row's ratio is not 1 or -1, they
/// are computed from q.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn turned<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    q: &[T],
    [sin, cos]: [&[T]; 2],
) -> [[T; P]; 2] {
    let [mut sines, mut cosines] = [[T::zero(); P]; 2];
    let n = count::<P>(&tables.topology);
    let rows = sines[..n].iter_mut().zip(&mut cosines[..n]);
    let constants = tables.numbers.ratio.0[0].iter().zip(&tables.numbers.offset.0[0]);
    for (((sine, cosine), &at), (&ratio, &offset)) in rows.zip(tables.topology.position).zip(constants) {
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
        (*sine, *cosine) = (s, c);
    }
    [sines, cosines]
}

/// Eight of an array from `at` on.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn load<T: Scalar, L: Register<Of = T>, const P: usize>(x: &[T; P], at: usize) -> L {
    match x.get(at..).and_then(<[T]>::first_chunk) {
        Some(x) => L::load(x),
        None => L::splat(T::zero()),
    }
}

/// Returns whether a joint and its parent are in different segments, and the joint's segment.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn segments(topology: &Topology<'_>, joint: &Joint) -> (bool, usize) {
    let own = pick_row(topology.segment, usize::from(joint.first));
    let crosses = joint.parent != WORLD && pick_row(topology.segment, usize::from(joint.parent)) != own;
    (crosses, usize::from(own))
}

/// The frames of eight rows from `at` on: three columns of the rotation, and the origin.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn frame<T: Scalar, L: Register<Of = T>, const P: usize>(
    w: &Work<T, P>,
    column: usize,
    at: usize,
) -> V3<L> {
    let f = |l: usize| &w.frames.get(at + l)[column];
    L::columns([f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)])
}
