//! Errors of circuits.

use crate::Format;
use thiserror::Error;

/// Reason why a function cannot be a circuit.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Refusal {
    /// A sine that should be an input is not that of a coordinate.
    #[error(
        "a joint's angle is no coordinate of its own (it follows another, or has an offset); take `--angles inside`"
    )]
    AngleIsNoCoordinate,
    /// The function takes roots, as joint friction does.
    #[error(
        "it takes roots, as joint friction does, and circuits have no unit for these; leave friction out"
    )]
    TakesRoots,
    /// The function has too many operations.
    #[error("it has {0} operations; a circuit is written of at most {1}")]
    TooLarge(usize, usize),
    /// Values do not fit the format.
    #[error(
        "its values reach {largest:.3e}, which takes {needed} bits in all with {} behind the point, and {format} has {}; \
         give each value a format of its own (`--formats each`), or see `rbd report --format`",
        .format.frac,
        .format.bits
    )]
    DoesNotFit {
        /// Largest value found.
        largest: f64,
        /// Bits that it needs.
        needed: i32,
        /// Requested format.
        format: Format,
    },
}
