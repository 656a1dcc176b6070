//! Factors of a mass matrix that is as sparse as a tree: `M = L^T D L`.

mod gram;
mod inverse;
mod solve;

pub use gram::GramProduct;
pub use inverse::SymmetricInverse;
pub use solve::RefinedSolution;
pub(crate) use solve::multiply_add;
