//! Factors of dense matrices.

mod cholesky;
mod kkt;
mod semidefinite;

pub use cholesky::{Cholesky, Indefinite};
pub(crate) use kkt::{KktInverse, KktProduct};
pub(crate) use semidefinite::{Factor, Inverse, Solve};
