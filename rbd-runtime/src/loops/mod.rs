//! Dynamics as loops over tables, with several joints of one robot in the lanes of a SIMD register.
//!
//! Straight-line code removes operations and wins while it fits the instruction cache. Beyond that (humanoids'
//! derivatives, long chains) a few loops that are the same code for every robot win: they do more arithmetic, but
//! eight lanes at once, in some forty kilobytes of code that compile once. What is a robot's own is a table of constants.
//!
//! - [`tables`]: the topology (what moves what) and the constants (lengths and inertias).
//! - [`register`]: eight numbers that go through the same operation.
//!
//! # Rows
//! A *row* is one degree of freedom: a lane of every array here. A joint of several degrees of freedom is several rows
//! that follow one another; its body's inertia is at the last of them, the others are massless. So everything is in one
//! index, sums over a subtree give each of a joint's rows the same composite, and no stage asks what kind a joint
//! is. The frame of a row has its z axis along the degree of freedom and its origin in the joint. A joint that follows
//! another has rows of its own, scaled by the ratio; they are added up in the results.
//!
//! # Segments
//! All vectors are along the same axes: those of a floating base, else those of the world. The point that they refer to is
//! that of the row's *segment*, a stretch of the tree near it: far from a body, a small force has a large moment, and
//! what is left of it at the body has lost digits. Stages that go from row to row carry quantities over where the segment
//! changes.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "components by their number; iterators and closures would not be allowed the instructions of a kernel"
)]

pub mod aba;
pub mod aba_derivatives;
mod articulated;
mod composites;
pub mod crba;
mod forward;
mod matrices;
mod motion;
#[cfg(feature = "alloc")]
pub mod of_model;
mod pairs;
mod placements;
pub mod register;
pub mod rnea;
pub mod rnea_derivatives;
pub mod second;
pub mod tables;
mod vector;

pub use register::Register;
pub use tables::{Block, Carry, Joint, Rows, Segment, Stretch, Strip, Tables, Topology, WORLD, Window};

/// Lanes of a register, and rows of a [`Window`]: for every scalar and processor, so that tables do not depend on them.
pub const LANES: usize = 8;

/// Rows that tables can number: degrees of freedom, those of mimic joints counted on their own. Numbers have 16 bits, and the last is
/// [`WORLD`]'s.
pub const MOST_ROWS: usize = WORLD as usize - 1;

/// The length of every array over rows, where there are `rows` of them: whole registers, and one to spare, so that a
/// register can be read from any row on.
#[must_use]
pub const fn padded(rows: usize) -> usize {
    rows.next_multiple_of(LANES) + LANES
}
