//! Robot dynamics specialised at run time: reads a URDF and makes machine code for that one robot, without
//! a compiler.
//!
//! ```
//! use rbd_jit::{Base, Id, Robot};
//! # fn main() -> Result<(), rbd_jit::Error> {
//! # let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
//! let robot = Robot::load(Robot::from_urdf(urdf).base(Base::Fixed).functions([Id::Rnea]))?;
//! let mut workspace = robot.workspace();
//! let mut tau = vec![0.0; robot.nv()];
//! robot.rnea(&mut workspace, &[0.3, -0.2], &[0.0; 2], &[0.0; 2], &mut tau)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Robot::from_urdf`] is `rbd_build`'s builder, with all its options; [`Robot::load`] makes the code.
//! Results are those of compiled Rust to the last bit. `docs/run-time.md` says what it costs, and what is
//! not there yet.
//!
//! Inside: `lower` makes plain instructions of a kernel, `allocate` gives their values registers, `x86_64`
//! writes machine code, and `interpret` runs the same instructions where there is no machine code.
#![deny(missing_docs)]

mod allocate;
mod arrays;
mod batch;
mod calls;
mod check;
mod code;
mod contacts;
mod engine;
mod error;
mod function;
mod interpret;
mod kept;
mod lower;
mod manifold;
#[cfg(target_arch = "x86_64")]
mod memory;
mod methods;
mod products;
#[cfg(test)]
mod random;
mod reference;
mod robot;
mod routine;
mod runner;
mod second_order;
mod sines;
#[cfg(test)]
mod trees;
mod turn;
mod workspace;
#[cfg(target_arch = "x86_64")]
mod x86_64;
mod zeros;

pub use batch::Batch;
pub use check::Sample;
pub use contacts::{Contact, ContactSettings};
pub use engine::Engine;
pub use error::{Error, Nearest};
pub use function::{Argument, Function};
pub use manifold::CoordinateOrder;
pub use rbd_build::{Base, Cache, Function as Id, Shape};
pub use rbd_runtime::spatial::Placement;
pub use rbd_runtime::{ContactAxes, ContactKind, ReferenceFrame};
pub use robot::{Options, Robot};
pub use runner::Runner;
pub use workspace::Workspace;
