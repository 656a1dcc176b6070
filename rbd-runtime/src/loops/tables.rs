//! Constants of a robot for the loops: topology, lengths and inertias.
//!
//! Plain data, which generated code writes as a `static`. Tables that are not those of a tree give
//! wrong numbers and nothing worse: every index is checked or bounded before use.

use super::LANES;
use crate::JointKind;

/// Stands for the world in place of a row or segment.
pub const WORLD: u16 = u16::MAX;

/// A moving joint, with its body. They are numbered as the robot's `JOINTS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Joint type.
    pub kind: JointKind,
    /// First row of the joint. Its last row, `first + kind.nv() - 1`, is where its body is.
    pub first: u16,
    /// The last row of the joint that carries it, or [`WORLD`].
    pub parent: u16,
    /// First coordinate of q; for a mimic joint, the first coordinate of the joint that it follows.
    pub position: u16,
}

/// A stretch of the tree whose vectors share a reference point, at its first joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First row.
    pub first: u16,
    /// The row after the last one.
    pub end: u16,
    /// The segment that carries it, or [`WORLD`]: where a row's parent is in another segment, it is
    /// in this one.
    pub parent: u16,
    /// True if the point moves with its first joint, which may go far.
    ///
    /// Otherwise the point is where that joint is at q = 0, and other limbs on the same body may
    /// share it.
    pub rides: bool,
}

/// Rows, at most [`LANES`], that follow one another in one segment: the lanes of one register while
/// a matrix is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First row.
    pub first: u16,
    /// Number of rows.
    pub rows: u16,
    /// The segment that they are in.
    pub segment: u16,
    /// Strips of the window in [`Topology::strips`]: the first, and the one after the last.
    pub strips: (u32, u32),
}

/// Columns of a window whose nonzero entries are in the same lanes. A window's strips cover all
/// columns in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// First column.
    pub from: u16,
    /// The column after the last one.
    pub to: u16,
    /// Lanes (bit l is row `first + l`) whose joint is a proper ancestor of the column's joint.
    pub above: u8,
    /// Lanes whose joint is the column's own or a descendant of it.
    pub below: u8,
}

/// A term of a block of rows in sums over subtrees.
///
/// The sum at a row, which is complete, is added to its ancestors in the block that follow one
/// another without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carry {
    /// Row whose sum is added.
    pub source: u16,
    /// Lanes of the block to which it is added.
    pub lanes: u8,
    /// True if the two are in different segments.
    pub crosses: bool,
}

/// Consecutive rows of a block on a path in one segment, and the row before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The rows, as lanes of their block.
    pub lanes: u8,
    /// Row before the first of them, or [`WORLD`].
    pub parent: u16,
}

/// Sums over subtrees, and along paths, in the block of rows from `LANES * b` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Lanes that take the lane one, two, four further on: steps of doubling along unbranched
    /// stretches.
    pub steps: [u8; 3],
    /// Carries from other rows, in this order, in [`Topology::carries`]: the first, and the one
    /// after the last.
    pub carries: (u32, u32),
    /// Lanes that follow the lane before them on a path, in the same segment.
    pub follows: u8,
    /// The block's stretches in [`Topology::stretches`]: the first, and the one after the last.
    pub stretches: (u32, u32),
    /// Lanes whose degree of freedom is a rotation; the others are translations.
    pub turning: u8,
}

/// Topology of the tree. Rows, joints and segments are numbered depth first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology<'a> {
    /// Number of rows: degrees of freedom, with those of mimic joints counted separately.
    pub rows: usize,
    /// The joints, from the root.
    pub joints: &'a [Joint],
    /// For each row, the last row of the parent joint, or [`WORLD`].
    pub parent: &'a [u16],
    /// For each row, the first row of its joint.
    pub first: &'a [u16],
    /// For each row, the row after the last one of its body's subtree.
    ///
    /// The joint with first row a is, or carries, the joint with first row b if
    /// `a <= b && b < end[a]`.
    pub end: &'a [u16],
    /// For each row, its velocity coordinate. Without mimic joints, each row's own number.
    pub coordinate: &'a [u16],
    /// For each row, the coordinate of q that is its angle or length; any value for spherical and
    /// floating joints.
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

/// Numbers of a robot's rows. `P` is at least [`padded`](super::padded) rows; entries beyond the rows are
/// zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers<const P: usize> {
    /// The row's frame in its parent's at q = 0: three columns of the rotation, then the
    /// translation, m.
    ///
    /// The frame of a body (of its joint's last row) has the joint's axis as z.
    pub placement: Rows<f64, 12, P>,
    /// A body's joint frame in the row's frame, for external forces: three columns of the rotation.
    /// The origins coincide.
    pub joint_frame: Rows<f64, 9, P>,
    /// Angle or length of a joint of one row: `ratio * q + offset`. The ratio is one for all but
    /// mimic joints.
    pub ratio: Rows<f64, 1, P>,
    /// See `ratio`.
    pub offset: Rows<f64, 1, P>,
    /// Mass, kg.
    pub mass: Rows<f64, 1, P>,
    /// Centre of mass in the row's frame, m.
    pub center: Rows<f64, 3, P>,
    /// xx, xy, xz, yy, yz, zz of the second moments of mass about the centre, kg m^2: half the
    /// trace of the rotational inertia times one, minus that inertia.
    pub spread: Rows<f64, 6, P>,
    /// Mass of the subtree, kg.
    pub subtree_mass: Rows<f64, 1, P>,
}

/// A robot for the loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tables<'a, const P: usize> {
    /// Topology of the tree. `P` is at least [`padded`](super::padded)`(topology.rows)`.
    pub topology: Topology<'a>,
    /// Lengths and inertias.
    pub numbers: &'a Numbers<P>,
    /// For each velocity coordinate, the rotor inertia on the diagonal of M.
    pub armature: &'a [f64],
    /// For each velocity coordinate, the damping; zero if damping is not part of the torque.
    pub damping: &'a [f64],
    /// Gravitational acceleration in the world, m/s^2.
    pub gravity: [f64; 3],
}

impl<const P: usize> Tables<'_, P> {
    /// Returns whether there is anything to compute.
    ///
    /// Ask before a kernel is called. A kernel that returned early would set up its stack frame
    /// late, with the flag already in registers, and LLVM 22's probes of a large frame overwrite
    /// r11.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn has_rows(&self) -> bool {
        self.topology.rows > 0
    }

    /// Returns whether columns of a floating base are known, as [`Topology::knows_base`].
    #[inline]
    pub(super) fn knows_base(&self) -> bool {
        self.topology.knows_base([self.armature, self.damping])
    }
}

impl Topology<'_> {
    /// Returns whether the first joint is a floating base.
    #[must_use]
    #[inline]
    pub fn floats(&self) -> bool {
        matches!(self.joints.first(), Some(Joint { kind: JointKind::Floating, parent: WORLD, .. }))
    }

    /// Returns whether columns of a floating base are known: of forward dynamics, the first six by q and the
    /// first three by v (docs/math.md#root-columns). Its coordinates then have neither armature nor damping.
    #[must_use]
    #[inline]
    pub fn knows_base(&self, constants: [&[f64]; 2]) -> bool {
        let mut knows = self.floats();
        for of_coordinates in constants {
            for x in of_coordinates.iter().take(6) {
                knows &= *x == 0.0;
            }
        }
        knows
    }

    /// Returns whether there are mimic joints, so that several rows are one coordinate.
    #[must_use]
    #[inline]
    pub fn merges(&self) -> bool {
        self.rows != self.coordinate.iter().fold(0, |n, &c| n.max(usize::from(c) + 1))
    }
}

const _: () = assert!(LANES == u8::BITS as usize, "lanes are the bits of a `u8`");
