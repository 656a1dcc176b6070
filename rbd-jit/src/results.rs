//! Several results of a function, as a struct of vectors.

use crate::{Function, Number};

/// A struct of `N` results, each a vector of numbers.
pub trait Results<T, const N: usize> {
    /// All results, in the table's order.
    fn all(&mut self) -> [&mut Vec<T>; N];

    /// All results as slices.
    fn slices(&mut self) -> [&mut [T]; N] {
        self.all().map(Vec::as_mut_slice)
    }
}

/// Resizes each vector to the length of the function's result for this many states.
///
/// Vectors that have it already are left as they are, so that later calls allocate nothing.
pub fn fit<T: Number, const N: usize>(out: &mut impl Results<T, N>, function: &Function<T>, states: usize) {
    for (result, output) in out.all().into_iter().zip(function.outputs()) {
        let length = output.length * states;
        if result.len() != length {
            result.clear();
            result.resize(length, T::zero());
        }
    }
}

/// Number of states of a batch, from its configurations.
pub fn states<T: Number>(function: &Function<T>, q: &[T]) -> usize {
    function.inputs().first().map_or(0, |first| q.len() / first.length.max(1))
}
