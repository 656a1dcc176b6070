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
mod cache;
pub mod codes;
mod config;
pub mod cost;
pub mod emit;
mod family;
pub mod findings;
pub mod frames;
pub mod functions;
pub mod fused;
mod generated;
pub mod measure;
mod naming;
mod nearest;
pub mod options;
mod out_of_tree;
pub mod plan;
mod progress;
pub mod quantities;
pub mod routines;
mod search;
pub mod second_order;
pub mod signature;
pub mod steps;
pub mod strategy;
mod trace;
pub mod tree;
pub mod urdf;

pub use cache::Cache;
pub use config::option_table;
pub use config::{Error, Kept, Robot, Written};
#[cfg(feature = "targets")]
pub use emit::c::C;
#[cfg(feature = "targets")]
pub use emit::gpu::Gpu;
#[cfg(feature = "targets")]
pub use emit::python::{Python, RuntimeAt};
pub use emit::{Module, Rust, Target};
pub use family::Family;
pub use findings::{Finding, Findings};
pub use functions::Function;
pub use generated::Generated;
pub use naming::interned;
pub use nearest::nearest;
pub use options::{Base, Shape};
pub use out_of_tree::outside_crate;
pub use progress::Step;
pub use rbd_ir::{calls, graph, kernel, passes, products};
pub use rbd_runtime::ContactKind;
