//! What the generator of `rbd` computes with: an expression [`graph`] (pure arithmetic), the [`passes`] that make it
//! cheaper, and the [`kernel`]s that every target is written from. Here are no equations of robots and no text.
//!
//! A crate of its own, since nearly all of the generator's time is spent here: profiles optimise it, and not the rest.
#![deny(missing_docs)]

pub mod calls;
pub mod graph;
pub mod kernel;
pub mod passes;
pub mod products;
