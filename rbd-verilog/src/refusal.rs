//! Errors: why there is no circuit of a function.

use crate::Format;
use thiserror::Error;

/// Why there is no circuit of a function.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Refusal {
    /// A sine that is to be an input is not one of a coordinate.
    #[error(
        "a joint's angle is no coordinate of its own (it follows another, or has an offset); take `--angles inside`"
    )]
    AngleIsNoCoordinate,
    /// It takes roots, as joint friction does.
    #[error(
        "it takes roots, as joint friction does, and circuits have no unit for these; leave friction out"
    )]
    TakesRoots,
    /// It has too many operations to be worth a circuit.
    #[error("it has {0} operations; a circuit is written of at most {1}")]
    TooLarge(usize, usize),
    /// Its values do not fit the format.
    #[error(
        "its values reach {largest:.3e}, which takes {needed} bits in all with {} behind the point, and {format} has {}; \
         give each value a format of its own (`--formats each`), or see `rbd report --format`",
        .format.frac,
        .format.bits
    )]
    DoesNotFit {
        /// The largest value that was found.
        largest: f64,
        /// Bits that it takes.
        needed: i32,
        /// The format that was asked for.
        format: Format,
    },
}
