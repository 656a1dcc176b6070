//! Products of dense matrices and Cholesky factors, in loops with blocks in registers.
//!
//! By default, rustc compiles your code, nalgebra's products included, for the oldest processor of
//! the architecture; on x86-64 that is SSE2. Generated dynamics choose the best instructions at run
//! time ([`crate::dispatch`]), so a solver then spends its time in products. [`mul`] and the other
//! functions here choose at run time as well. They allocate nothing and cannot panic. A vector is a
//! matrix of one column.
//!
//!  One step of a Riccati recursion, with the feedback `K = Quu^-1 Qux`:
//!
//! ```
//! use nalgebra::{Matrix2, Matrix2x1, Matrix1, SMatrix};
//! use rbd_runtime::linalg::{self, Cholesky};
//! # fn main() -> Result<(), linalg::Indefinite> {
//! let (a, b) = (Matrix2::new(1.0, 0.1, 0.0, 1.0), Matrix2x1::new(0.005, 0.1));
//! let (mut qxx, mut quu, value) = (Matrix2::identity(), Matrix1::new(0.01), Matrix2::identity() * 3.0);
//! let (va, vb) = (linalg::mul(&value, &a), linalg::mul(&value, &b));
//! linalg::add_symmetric_tr_mul(&a, &va, &mut qxx); // Qxx += A^T V A
//! linalg::add_symmetric_tr_mul(&b, &vb, &mut quu); // Quu += B^T V B
//! let qux: SMatrix<f64, 1, 2> = linalg::tr_mul(&b, &va);
//! let feedback = Cholesky::new(&quu)?.solve(&qux);
//! assert!((quu * feedback - qux).norm() < 1e-12);
//! # Ok(())
//! # }
//! ```
//!
//! Nanoseconds of `f64` on an Intel Xeon with AVX2, not alone on the machine
//! (`cargo run --release -p rbd-runtime --example timings -- solver`), nalgebra as compiled for
//! SSE2:
//!
//! | | 14 states, 7 controls: nalgebra | here | 36 states, 12 controls: nalgebra | here |
//! |---|---|---|---|---|
//! | A B | 351 | 146 | 6755 | 2178 |
//! | A^T B | 993 | 211 | 10035 | 2580 |
//! | C += A^T A | 695 | 283 | 10244 | 2170 |
//! | A x | 26 | 18 | 186 | 78 |
//! | Cholesky of Quu | 126 | 134 | 267 | 302 |
//! | Quu^-1 Qux, factored | 237 | 120 | 3959 | 474 |
//!
//! # Block products
//!
//! The derivatives of forward dynamics end with `-M^-1 D`, where `D` are the derivatives of inverse
//! dynamics. M^-1 itself is a product of the factors of M. As straight-line code these products
//! would be the largest part of a robot's code by far, and slower for want of instruction cache.
//!
//! One product of `f64`, ns, on an AMD Zen 3 at 2.4 to 3.5 GHz (`benches/timings.rs`), for matrices
//! of a 7-joint arm, a quadruped and a humanoid; the last column leaves out the zeros of the tree:
//!
//! | N | nalgebra, SSE2 | here, SSE2 | AVX2 and FMA | with groups |
//! |---|---|---|---|---|
//! | 7 | 112 | 87 | 64 | - |
//! | 18 | 1413 | 964 | 410 | 312 |
//! | 38 | 9830 | 7750 | 2840 | 1737 |

mod columns;
mod dense;
mod products;
mod tiles;
mod tree;

pub use columns::{ColumnGroup, RowBlock};
pub use dense::{Cholesky, Indefinite};
pub(crate) use dense::{Factor, Inverse, KktInverse, KktProduct, Solve};
pub use products::{
    NegativeProduct, SquareProduct, add_mul, add_symmetric_tr_mul, add_tr_mul, mul, mul_into, neg_mul,
    tr_mul, tr_mul_into,
};
pub(crate) use products::{
    add_multiple, add_transposed_multiple, mul_groups_into, scaled_square_into, symmetric_tr_mul_groups_into,
    transpose_into,
};
pub(crate) use tree::multiply_add;
pub use tree::{GramProduct, RefinedSolution, SymmetricInverse};

#[cfg(test)]
mod tests;
