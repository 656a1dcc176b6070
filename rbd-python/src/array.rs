//! Arrays of numpy as slices of numbers, and what is said where an array is not what it should be.

use crate::call::Loaded;
use crate::layout::Layout;
use crate::real::Real;
use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule};
use std::ops::Range;

/// An array of numbers.
pub type Array<'py, T> = Bound<'py, PyArrayDyn<T>>;

/// Numpy itself.
pub fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?;
    Ok(module.bind(py))
}

/// Writes numbers as a Python tuple.
pub fn tuple(numbers: &[usize]) -> String {
    let items: Vec<String> = numbers.iter().map(usize::to_string).collect();
    if items.len() == 1 { format!("({},)", items[0]) } else { format!("({})", items.join(", ")) }
}

/// An argument as an aligned array in C's order: the caller's, or a copy that has been converted.
///
/// # Errors
/// If it is not an array of real numbers, or has other axes than the argument's last ones.
pub fn argument<'py, T: Real>(
    function: &str,
    what: &Layout,
    given: &Bound<'py, PyAny>,
) -> PyResult<Array<'py, T>> {
    let array = match given.cast::<PyArrayDyn<T>>() {
        Ok(array) if array.is_c_contiguous() && array.is_aligned() => array.clone(),
        _ => converted(function, what, given)?,
    };
    let (shape, core) = (array.shape(), &what.shape[..]);
    if shape.len() >= core.len() && is_same(&shape[shape.len() - core.len()..], core) {
        return Ok(array);
    }
    let mut axes = tuple(core);
    axes.insert_str(1, if core.is_empty() { "..." } else { "..., " });
    let (name, of_state, shape) = (&what.name, tuple(core), tuple(shape));
    Err(PyValueError::new_err(format!(
        "{function}: {name} has shape {shape}; it must be {of_state}, or {} for many states",
        axes.replace(",)", ")")
    )))
}

/// An argument with the axes of a state, if it has fewer: one number for all contacts, or one vector.
pub fn repeated<'py>(what: &Layout, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(given.py())?;
    let shape: Vec<usize> = numpy.call_method1("shape", (given,))?.extract()?;
    let fits = shape.len() < what.shape.len()
        && shape.iter().rev().zip(what.shape.iter().rev()).all(|(own, wanted)| own == wanted);
    match fits {
        true => numpy.call_method1("broadcast_to", (given, what.shape.clone())),
        false => Ok(given.clone()),
    }
}

fn converted<'py, T: Real>(
    function: &str,
    what: &Layout,
    given: &Bound<'py, PyAny>,
) -> PyResult<Array<'py, T>> {
    let (py, name) = (given.py(), &what.name);
    let array = numpy(py)?.call_method1("asarray", (given,));
    let kind = |array: &Bound<'py, PyAny>| array.getattr("dtype")?.getattr("kind")?.extract::<String>();
    match array {
        Ok(array) if matches!(kind(&array)?.as_str(), "f" | "i" | "u") => {
            let options = PyDict::new(py);
            options.set_item("dtype", numpy::dtype::<T>(py))?;
            options.set_item("requirements", ["C", "A", "E"])?;
            Ok(numpy(py)?.call_method("require", (array,), Some(&options))?.cast_into::<PyArrayDyn<T>>()?)
        }
        array => {
            let is_array = given.cast::<PyUntypedArray>().is_ok();
            let found = match array {
                Ok(array) if is_array => format!("{}", array.getattr("dtype")?),
                _ => format!("{}", given.get_type().name()?),
            };
            let of = tuple(&what.shape);
            Err(PyTypeError::new_err(format!(
                "{function}: {name} is of type {found}; it must be an array of real numbers, of shape {of}"
            )))
        }
    }
}

/// The numbers of an array that [`argument`] has checked.
pub fn numbers<'a, T: Real>(array: &'a Array<'_, T>) -> &'a [T] {
    if array.len() == 0 {
        return &[];
    }
    // SAFETY: an aligned array in C's order is that many initialised numbers one after the other, which the
    // reference keeps alive. Nobody may write to them meanwhile. Python cannot while this thread has the
    // interpreter. A batch runs without it; then documentation asks other threads not to, as for numpy's own
    // functions. Results of ours are checked not to overlap.
    unsafe { std::slice::from_raw_parts(array.data(), array.len()) }
}

/// Returns whether two shapes are the same.
///
/// Comparing slices calls `memcmp`, also of no bytes. Where that is made of masked loads of AVX-512, an empty
/// vector's address, which is no memory, costs a hundred nanoseconds.
pub fn is_same(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// Numbers up to which an array is filled with zeros here. Larger memory comes from the system as zeros.
const FEW: usize = 512;

/// A new array of zeros.
pub fn zeros<'py, T: Real>(py: Python<'py>, shape: &[usize], is_fortran: bool) -> Array<'py, T> {
    let count: usize = shape.iter().product();
    if count > FEW {
        return PyArrayDyn::zeros(py, shape, is_fortran);
    }
    // SAFETY: its numbers are written before anything reads them.
    let array: Array<'py, T> = unsafe { PyArrayDyn::new(py, shape, is_fortran) };
    for k in 0..count {
        // SAFETY: so many numbers are there, one after the other.
        unsafe { array.data().add(k).write(T::zero()) };
    }
    array
}

/// A new array of these numbers, rounded to the type.
pub fn vector<'py, T: Real>(py: Python<'py>, shape: &[usize], numbers: &[f64]) -> Array<'py, T> {
    let array = zeros(py, shape, false);
    // SAFETY: a new array.
    let places = unsafe { places(&array) };
    places.iter_mut().zip(numbers).for_each(|(to, from)| *to = T::of(*from));
    array
}

/// A new array of these numbers, of the robot's type.
pub fn of<'py, T: Real>(
    _: &Loaded<T>,
    py: Python<'py>,
    shape: &[usize],
    numbers: &[f64],
) -> Bound<'py, PyAny> {
    vector::<T>(py, shape, numbers).into_any()
}

/// The numbers of a result in the order of memory.
///
/// # Safety
/// The array is contiguous and aligned, and overlaps none that is read or written while the slice is there.
#[allow(clippy::mut_from_ref, reason = "an array is a handle to memory of numpy's")]
pub unsafe fn places<'a, T: Real>(array: &'a Array<'_, T>) -> &'a mut [T] {
    if array.len() == 0 {
        return &mut [];
    }
    // SAFETY: as in `numbers`; exclusive by what the caller promises.
    unsafe { std::slice::from_raw_parts_mut(array.data(), array.len()) }
}

/// Returns whether numpy lets numbers of an array be written.
pub fn is_writeable<T: Real>(array: &Array<'_, T>) -> bool {
    // SAFETY: the pointer is to numpy's object, which the reference keeps alive.
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    flags & NPY_ARRAY_WRITEABLE != 0
}

/// The bytes of a contiguous array.
pub fn bytes<T: Real>(array: &Array<'_, T>) -> Range<usize> {
    let start = array.data() as usize;
    start..start + array.len() * size_of::<T>()
}
