//! Intermediate representations of the generator `rbd`: an expression [`graph`] (pure arithmetic),
//! the [`passes`] that make it cheaper, and the [`kernel`]s that every target is written from. The
//! crate contains neither equations of robots nor text of targets.
//!
//! It is a separate crate because nearly all of the generator's time is spent here: profiles
//! optimise only this crate.
#![deny(missing_docs)]

mod array;
pub mod calls;
pub mod graph;
pub mod kernel;
pub mod passes;
pub mod products;
