//! Reads a URDF and writes code specialised for that one robot.
//!
//! A robot passes through four representations:
//!
//! - a validated [`Model`](rbd_runtime::Model): physics
//! - an expression [`graph`]: pure arithmetic without robots
//! - a [`kernel`]: statements over arrays
//! - text: spelling only
#![deny(missing_docs)]
#![cfg_attr(
    not(feature = "targets"),
    allow(dead_code, unused_imports, reason = "what those targets alone call")
)]

#[allow(dead_code, reason = "an algebra is whole, whether or not an algorithm needs all of it today")]
mod algebra;
mod algorithms;
pub mod emit;
mod frontend;
pub mod fused;
mod search;
mod table;
pub mod tree;
pub mod urdf;

#[cfg(feature = "targets")]
pub use emit::c::C;
#[cfg(feature = "targets")]
pub use emit::gpu::Gpu;
#[cfg(feature = "targets")]
pub use emit::js::Js;
pub use emit::{Module, Rust, Target};
pub use frontend::cache::Cache;
pub use frontend::config::{Error, Kept, Robot, Written, option_table};
pub use frontend::generated::Generated;
pub use frontend::naming::interned;
pub use frontend::options::{self, Base, Shape};
pub use frontend::out_of_tree::outside_crate;
pub use frontend::progress::Step;
pub use rbd_ir::{calls, graph, kernel, passes, products};
pub use rbd_runtime::{ContactKind, Integrator};
pub use search::{cost, measure, plan, steps, strategy};
pub use table::family::Family;
pub use table::functions::{self, Function};
pub use table::{frames, quantities, routines, second_order, signature};
pub use urdf::findings::{self, Finding, Findings};
pub use urdf::{codes, nearest::nearest};
