//! What the loops know of a robot, as constants: its topology, and its lengths and inertias.
//!
//! Plain data, for generated code to write as a `static`. Where a table is not that of a tree, results are wrong
//! numbers; nothing else can happen, as every place is checked or cut to size where it is used.

use super::LANES;
use crate::JointKind;

/// In place of a row or segment: the world.
pub const WORLD: u16 = u16::MAX;

/// A moving joint, with its body. They are numbered as the robot's `JOINTS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    /// How it moves.
    pub kind: JointKind,
    /// Its first row. Its last row, `first + kind.nv() - 1`, is where its body is.
    pub first: u16,
    /// The last row of the joint that carries it, or [`WORLD`].
    pub parent: u16,
    /// First coordinate of q; that of the followed joint, for a mimic joint.
    pub position: u16,
}

/// A stretch of the tree whose vectors refer to the same point, at its first joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First row.
    pub first: u16,
    /// The row after the last one.
    pub end: u16,
    /// The segment that carries it, or [`WORLD`]: where a row's parent is in another segment, it is in this one.
    pub parent: u16,
    /// Whether the point moves with its first joint, which may go far; otherwise it is where that joint is at q = 0, and
    /// other limbs on the same body may have it too.
    pub rides: bool,
}

/// Rows, at most [`LANES`], that follow one another in one segment: the lanes of one register while a matrix is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First row.
    pub first: u16,
    /// Number of rows.
    pub rows: u16,
    /// The segment that they are in.
    pub segment: u16,
    /// Its strips in [`Topology::strips`]: the first, and the one after the last.
    pub strips: (u32, u32),
}

/// Columns of a window that have their nonzero entries in the same lanes. A window's strips cover all columns in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// First column.
    pub from: u16,
    /// The column after the last one.
    pub to: u16,
    /// Lanes (bit l is row `first + l`) whose joint carries the column's joint: proper ancestors.
    pub above: u8,
    /// Lanes whose joint is the column's own or is carried by it.
    pub below: u8,
}

/// What is added to a block of rows when sums over subtrees are formed: the sum at a row, which is complete, to its
/// ancestors in the block that follow one another without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carry {
    /// The row whose sum is added.
    pub source: u16,
    /// The block's lanes to which it is added.
    pub lanes: u8,
    /// Whether the two are in different segments.
    pub crosses: bool,
}

/// Rows of a block that follow one another on a path in one segment, and what comes before them on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The rows, as lanes of their block.
    pub lanes: u8,
    /// The row before the first of them, or [`WORLD`].
    pub parent: u16,
}

/// Sums over subtrees, and along paths, in the block of rows from `LANES * b` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Lanes that take what is one, two, four lanes further on: steps of doubling along unbranched stretches.
    pub steps: [u8; 3],
    /// What then comes from elsewhere, in this order, in [`Topology::carries`]: the first, and the one after the last.
    pub carries: (u32, u32),
    /// Lanes that follow the lane before on a path, in the same segment.
    pub follows: u8,
    /// The block's stretches in [`Topology::stretches`]: the first, and the one after the last.
    pub stretches: (u32, u32),
    /// Lanes whose degree of freedom is a rotation; the others are translations.
    pub turning: u8,
}

/// What moves what. Rows, joints and segments are numbered depth first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology<'a> {
    /// Number of rows: degrees of freedom, those of mimic joints counted on their own.
    pub rows: usize,
    /// The joints, from the root.
    pub joints: &'a [Joint],
    /// For each row, the last row of the joint that carries its joint, or [`WORLD`].
    pub parent: &'a [u16],
    /// For each row, the first row of its joint.
    pub first: &'a [u16],
    /// For each row, the row after the last one of its body's subtree. A joint with first row a carries that with first
    /// row b, or is it, if `a <= b && b < end[a]`.
    pub end: &'a [u16],
    /// For each row, its velocity coordinate. Each row's own number, where no joint follows another.
    pub coordinate: &'a [u16],
    /// For each row, the coordinate of q that its angle or length is taken from; any, for spherical and floating joints.
    pub position: &'a [u16],
    /// For each row, its segment.
    pub segment: &'a [u16],
    /// The segments.
    pub segments: &'a [Segment],
    /// The windows: each row once, in order.
    pub windows: &'a [Window],
    /// The windows' strips.
    pub strips: &'a [Strip],
    /// The blocks of rows.
    pub blocks: &'a [Block],
    /// The blocks' carries.
    pub carries: &'a [Carry],
    /// The blocks' stretches.
    pub stretches: &'a [Stretch],
}

/// Numbers, one a row, at an address that suits a register.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Rows<T, const K: usize, const P: usize>(pub [[T; P]; K]);

/// A robot for the loops. `P` is at least [`padded`](super::padded)`(topology.rows)`; what is beyond the rows is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tables<'a, const P: usize> {
    /// What moves what.
    pub topology: Topology<'a>,
    /// The row's frame in that of its parent at q = 0: three columns of the rotation, then the translation, m. The frame of
    /// a body (that of its joint's last row) has the joint's axis as z.
    pub placement: Rows<f64, 12, P>,
    /// A body's joint frame in the row's: three columns of the rotation (the origins are the same). For external forces.
    pub joint_frame: Rows<f64, 9, P>,
    /// Angle or length of a joint of one row: `ratio * q + offset`. The ratio is one for all but mimic joints.
    pub ratio: Rows<f64, 1, P>,
    /// See `ratio`.
    pub offset: Rows<f64, 1, P>,
    /// Mass, kg.
    pub mass: Rows<f64, 1, P>,
    /// Centre of mass in the row's frame, m.
    pub center: Rows<f64, 3, P>,
    /// xx, xy, xz, yy, yz, zz of the second moments of mass about the centre, kg m^2: half the trace of the rotational inertia
    /// times one, minus that inertia.
    pub spread: Rows<f64, 6, P>,
    /// Mass of the subtree, kg.
    pub subtree_mass: Rows<f64, 1, P>,
    /// For each velocity coordinate, the rotor inertia on M's diagonal.
    pub armature: &'a [f64],
    /// For each velocity coordinate, the damping; zero where it does not enter.
    pub damping: &'a [f64],
    /// Gravitational acceleration in the world, m/s^2.
    pub gravity: [f64; 3],
}

impl<const P: usize> Tables<'_, P> {
    /// Whether there is anything to compute. To be asked before a kernel is called: one that returned early would have its stack
    /// frame set up late, once what it asked about is in registers, and LLVM 22's probes of a large frame overwrite r11.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn has_rows(&self) -> bool {
        self.topology.rows > 0
    }
}

impl Topology<'_> {
    /// Whether joints follow others, so that several rows are one coordinate.
    #[must_use]
    #[inline]
    pub fn merges(&self) -> bool {
        self.rows != self.coordinate.iter().fold(0, |n, &c| n.max(usize::from(c) + 1))
    }
}

const _: () = assert!(LANES == u8::BITS as usize, "lanes are the bits of a `u8`");
