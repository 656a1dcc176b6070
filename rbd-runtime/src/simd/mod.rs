//! Registers of several numbers, and the choice of instructions that a processor has.
//!
//! - [`lanes`]: registers as scalars, one state a lane.
//! - [`limbs`]: registers of four and eight numbers of one state.
//! - [`by_value`]: limbs that are numbers between operations.
//! - [`register`]: eight numbers that undergo the same operation, for loops.
//! - [`dispatch`]: runs a kernel with the widest registers.
//! - [`sincos`]: sines and cosines of all lanes.

mod by_value;
pub mod dispatch;
mod lane;
pub mod lanes;
pub mod limbs;
pub mod register;
pub mod sincos;

pub use lane::Lane;
pub use register::{LANES, Register};
