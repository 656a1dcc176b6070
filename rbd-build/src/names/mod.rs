//! Names: legal ones for a language, and the nearest of those that exist.

pub mod nearest;
mod spelling;

pub use spelling::{distinct, interned, legal_name, snake_case, upper_camel_case};
