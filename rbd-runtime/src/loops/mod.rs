//! Dynamics as loops over tables, with several joints of one robot in the lanes of a SIMD register.
//!
//! Straight-line code leaves out operations and wins while it fits the instruction cache. For
//! larger functions (humanoids' derivatives, long chains) a few loops win, whose code all robots
//! share. They do more arithmetic, but in eight lanes at once, in some forty kilobytes of code that
//! compile once. A robot is a table of constants.
//!
//! - [`tables`]: the topology (parents and subtrees) and the constants (lengths and inertias).
//! - `algebra`: vectors, inertias and Coriolis operators, on numbers and registers.
//!
//! # Rows
//! A *row* is one degree of freedom: a lane of every array here. A joint of several degrees of
//! freedom is several consecutive rows. Its body's inertia is at the last row; the others are
//! massless. Arrays therefore have a single index, sums over a subtree give all rows of a joint the
//! same composite, and no stage depends on the joint type. The frame of a row has its z axis along
//! the degree of freedom and its origin in the joint. A mimic joint has rows of its own, scaled by
//! its ratio; the results add them up.
//!
//! # Segments
//! All vectors are in the axes of a floating base if there is one, otherwise of the world. Their
//! reference point is that of the row's *segment*, a stretch of the tree near it. A far reference
//! point would cost digits: there a small force has a large moment. Stages that go from row to row
//! move quantities where the segment changes.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "components by their number; iterators and closures would not be allowed the instructions of a kernel"
)]

pub mod aba;
pub mod aba_derivatives;
pub mod aba_derivatives_solved;
pub(crate) mod algebra;
mod arguments;
mod articulated;
mod composites;
pub mod crba;
mod forward;
mod matrices;
pub mod minv;
mod motion;
#[cfg(feature = "alloc")]
pub mod of_model;
mod pairs;
mod placements;
pub mod rnea;
pub mod rnea_derivatives;
mod scratch;
pub mod second;
mod solves;
pub mod tables;

pub use crate::simd::{LANES, Lane, Register};
pub use arguments::Given;
pub use tables::{
    Block, Carry, Joint, Numbers, Rows, Segment, Stretch, Strip, Tables, Topology, WORLD, Window,
};

/// Largest number of rows of the tables. Rows are degrees of freedom, with those of mimic joints
/// counted separately.
///
/// Row numbers have 16 bits, and the last number is [`WORLD`].
pub const MOST_ROWS: usize = WORLD as usize - 1;

/// Length of every array over `rows` rows: whole registers and one to spare, so that a register can
/// be loaded from any row on.
#[must_use]
pub const fn padded(rows: usize) -> usize {
    rows.next_multiple_of(LANES) + LANES
}
