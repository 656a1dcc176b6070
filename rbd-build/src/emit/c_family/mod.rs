//! Base of the targets with the syntax of C. `c` and `gpu` use it and import nothing of each other.
//! JavaScript uses all but its kernels.
//!
//! - `body` spells kernels. A [`Dialect`] holds the differences between languages.
//! - `names` makes names of functions, `spelling` writes numbers, prefixes and comments.
//! - `documentation` writes the comment above a function, `second_order` what composed second derivatives
//!   are made of.
//! - `contacts` and `parameters` name contacts and inertias by their numbers.
//! - `helpers` collects the fixed text that emitted functions call.
//! - `products` and `tables` write what loops read.

pub(crate) mod body;
pub(crate) mod contacts;
mod dialect;
pub(crate) mod documentation;
pub(crate) mod helpers;
pub(crate) mod names;
pub(crate) mod parameters;
pub(crate) mod products;
pub(crate) mod second_order;
pub(crate) mod sines;
pub(crate) mod spelling;
pub(crate) mod tables;
pub(crate) mod text;

pub(crate) use body::Body;
pub(crate) use dialect::Dialect;
