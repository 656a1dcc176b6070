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
mod names;
mod search;
mod signatures;
mod table;
pub mod tree;
pub mod urdf;

pub use algorithms::strategy;
#[cfg(feature = "targets")]
pub use emit::c::C;
pub use emit::generated::Generated;
#[cfg(feature = "targets")]
pub use emit::gpu::Gpu;
#[cfg(feature = "targets")]
pub use emit::js::Js;
pub use emit::{Module, Rust, Target};
pub use frontend::cache::Cache;
pub use frontend::config::{Error, Kept, Robot, Written, option_table};
pub use frontend::out_of_tree::outside_crate;
pub use names::{interned, nearest::nearest};
pub use rbd_ir::{calls, graph, kernel, passes, products};
pub use rbd_runtime::{ContactKind, Integrator};
pub use search::contact_rows::RowsPlan;
pub use search::progress::Step;
pub use search::shape::Shape;
pub use search::{cost, measure, plan, step_zeros, steps};
pub use signatures::{frames, quantities, second_order, signature};
pub use table::contact_rows;
pub use table::family::Family;
pub use table::functions::{self, Function};
pub use table::routines;
pub use urdf::codes;
pub use urdf::findings::{self, Finding, Findings};
pub use urdf::options::{self, Base};
