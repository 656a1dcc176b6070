//! Base of the targets with the syntax of C: `c` and `gpu` beside it build on it, and on nothing of each other.
//!
//! `body` spells kernels. What languages spell differently there is a [`Dialect`]. `names` are those of functions, `spelling` is
//! that of numbers, prefixes and comments, and `documentation` is what stands above a function. Functions ask for fixed text while
//! they are written: `helpers`.

pub(crate) mod body;
mod dialect;
pub(crate) mod documentation;
pub(crate) mod helpers;
pub(crate) mod names;
pub(crate) mod parameters;
pub(crate) mod sines;
pub(crate) mod spelling;
pub(crate) mod text;

pub(crate) use body::Body;
pub(crate) use dialect::Dialect;
