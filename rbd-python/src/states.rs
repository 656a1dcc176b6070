//! Number of states in the arguments of a call, by numpy's rules of broadcasting.

use crate::array::{Array, numpy, tuple};
use crate::layout::Layout;
use crate::real::Real;
use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Arguments whose axes for states fit one another.
pub struct States<'py, T> {
    /// The axes for states; none for a single state.
    pub axes: Vec<usize>,
    /// The arguments, in C's order.
    pub arrays: Vec<Array<'py, T>>,
    /// For each argument, whether it has numbers of its own for each state; else they are for all states.
    /// Empty for a single state.
    pub is_each: Vec<bool>,
}

impl<T> States<'_, T> {
    /// Number of states.
    pub fn count(&self) -> usize {
        self.axes.iter().product()
    }
}

/// Brings arguments to the axes that they have together.
///
/// # Errors
/// If they do not fit one another.
pub fn broadcast<'py, T: Real>(
    function: &str,
    takes: &[Layout],
    mut arrays: Vec<Array<'py, T>>,
) -> PyResult<States<'py, T>> {
    if arrays.iter().zip(takes).all(|(array, layout)| array.shape().len() == layout.shape.len()) {
        return Ok(States { axes: Vec::new(), arrays, is_each: Vec::new() });
    }
    let of = |k: usize, array: &Array<'py, T>| {
        let shape = array.shape();
        shape[..shape.len() - takes[k].shape.len()].to_vec()
    };
    let mut axes: Vec<usize> = Vec::new();
    for (k, array) in arrays.iter().enumerate() {
        let other = of(k, array);
        axes = together(&axes, &other).ok_or_else(|| {
            let (name, first) = (&takes[k].name, &takes[0].name);
            let (other, axes) = (tuple(&other), tuple(&axes));
            PyValueError::new_err(format!(
                "{function}: {name} has states {other}, which do not fit {axes} of {first} and the others"
            ))
        })?;
    }
    let mut is_each = Vec::with_capacity(arrays.len());
    for (k, array) in arrays.iter_mut().enumerate() {
        let of = of(k, array);
        let is_one = of.iter().all(|n| *n == 1);
        is_each.push(!is_one || of == axes);
        if !is_one && of != axes {
            *array = repeated(array, &axes, &takes[k].shape)?;
        }
    }
    Ok(States { axes, arrays, is_each })
}

/// Axes that both shapes can be repeated to.
fn together(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let axes = a.len().max(b.len());
    let at = |shape: &[usize], k: usize| (k + shape.len()).checked_sub(axes).map_or(1, |k| shape[k]);
    (0..axes)
        .map(|k| match (at(a, k), at(b, k)) {
            (m, n) if m == n => Some(m),
            (1, n) | (n, 1) => Some(n),
            _ => None,
        })
        .collect()
}

fn repeated<'py, T: Real>(array: &Array<'py, T>, axes: &[usize], core: &[usize]) -> PyResult<Array<'py, T>> {
    let numpy = numpy(array.py())?;
    let shape: Vec<usize> = axes.iter().chain(core).copied().collect();
    let wide = numpy.call_method1("broadcast_to", (array, shape))?;
    Ok(numpy.call_method1("ascontiguousarray", (wide,))?.cast_into::<PyArrayDyn<T>>()?)
}
