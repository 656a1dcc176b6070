//! Functions of a robot in fixed point, and as circuits in Verilog.
//!
//! Every step has a module:
//!
//! ```text
//!   Plan (rbd-build)
//!     |    straight            one list of operations on numbers
//!     |    range, precision    bits before the point; errors in fixed point
//!     |    formats             where the points are
//!     |    integers            operations on integers, bit for bit
//!     |    micro               work of multipliers, adders and dividers
//!     |
//!     |-- Circuit: units are shared
//!     |    schedule            the cycle in which each piece of work begins
//!     |    bind                the unit that does it
//!     |
//!     |-- Pipeline: a unit for every operation
//!     |    pipeline_schedule   the cycle, so that few registers are needed
//!     v
//!   Verilog, test bench, schedule
//! ```
//!
//! Sums of wrapping integers may be computed in any order, so they are reordered to suit the units.
//! Results are still those of [`rbd_runtime::Fixed`], bit for bit.
//! Formats, circuits and figures: docs/hardware.md.
#![deny(missing_docs)]

pub mod bind;
mod circuit;
mod format;
pub mod formats;
pub mod integers;
mod lower;
pub mod micro;
mod options;
mod pipeline;
pub mod pipeline_schedule;
pub mod precision;
pub mod range;
mod refusal;
pub mod schedule;
pub mod straight;
mod text;
mod work;

pub use circuit::Circuit;
pub use format::Format;
pub use formats::Formats;
pub use integers::Integers;
pub use options::{Angles, Options};
pub use pipeline::Pipeline;
pub use precision::Precision;
pub use range::Limits;
pub use refusal::Refusal;
pub use straight::Straight;
