//! Arrays of numpy as slices of numbers, and what is said where an array is not what it should be.
// The same for every robot.

use numpy::{Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use rbd_runtime::batch;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The numbers of arrays.
pub trait Real: batch::Float + Element + bytemuck::Pod {}
impl Real for f64 {}
impl Real for f32 {}

/// Where a number of a result is written.
pub type Place<T> = MaybeUninit<T>;

/// What a function takes or gives: its name, and its shape for one state.
#[derive(Clone, Copy)]
pub struct Array {
    pub name: &'static str,
    pub shape: &'static [usize],
}

impl Array {
    /// Numbers of one state.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    fn shape_of(&self, states: Option<usize>) -> Vec<usize> {
        states.into_iter().chain(self.shape.iter().copied()).collect()
    }

    /// `(7,) or (states, 7)`.
    fn shapes(&self) -> String {
        let numbers: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        format!("{} or {}", tuple(&numbers), tuple(&[&["states".to_owned()], &numbers[..]].concat()))
    }
}

/// As Python writes a tuple.
fn tuple(items: &[String]) -> String {
    if items.len() == 1 { format!("({},)", items[0]) } else { format!("({})", items.join(", ")) }
}

fn shown(numbers: impl IntoIterator<Item = impl ToString>) -> String {
    tuple(&numbers.into_iter().map(|n| n.to_string()).collect::<Vec<_>>())
}

/// Whether the numbers are `f64`, else they are `f32`.
pub fn is_f64(function: &str, what: &Array, array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name = what.name;
    let Ok(untyped) = array.cast::<PyUntypedArray>() else {
        let given = array.get_type().name()?;
        let shapes = what.shapes();
        return Err(PyTypeError::new_err(format!(
            "{function}: {name} is of type {given}; it must be a numpy array of float64 or float32, of shape {shapes}"
        )));
    };
    let dtype = untyped.dtype();
    if dtype.is_equiv_to(&numpy::dtype::<f64>(array.py())) {
        Ok(true)
    } else if dtype.is_equiv_to(&numpy::dtype::<f32>(array.py())) {
        Ok(false)
    } else {
        Err(PyTypeError::new_err(format!("{function}: {name} is of {dtype}; it must be float64 or float32")))
    }
}

/// How many states an array has, or `None` if it is of one state and has no axis for them.
pub fn states<T: Real>(function: &str, what: &Array, array: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let typed = typed::<T>(function, what, array, "")?;
    let shape = typed.shape();
    let states = (shape.len() == what.shape.len() + 1).then(|| shape[0]);
    if shape[usize::from(states.is_some()).min(shape.len())..] == *what.shape {
        return Ok(states);
    }
    let (name, shape, shapes) = (what.name, shown(shape), what.shapes());
    Err(PyValueError::new_err(format!("{function}: {name} has shape {shape}; it must be {shapes}")))
}

fn typed<'a, 'py, T: Real>(
    function: &str,
    what: &Array,
    array: &'a Bound<'py, PyAny>,
    as_what: &str,
) -> PyResult<&'a Bound<'py, PyArrayDyn<T>>> {
    array.cast::<PyArrayDyn<T>>().or_else(|_| {
        // Says what is wrong, if it is no array or has other numbers than ours.
        is_f64(function, what, array)?;
        let (name, wanted) = (what.name, numpy::dtype::<T>(array.py()));
        let given = array.getattr("dtype")?;
        Err(PyTypeError::new_err(format!("{function}: {name} is of {given}; it must be of {wanted}, as {as_what} is")))
    })
}

/// An array of the right type, shape and order.
fn checked<'a, 'py, T: Real>(
    function: &str,
    what: &Array,
    states: Option<usize>,
    first: &str,
    array: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, PyArrayDyn<T>>> {
    let array = typed::<T>(function, what, array, first)?;
    let name = what.name;
    let shape = array.shape();
    let (of_state, fits) = match (states, shape) {
        (None, of_state) => (of_state, true),
        (Some(states), [n, of_state @ ..]) => (of_state, *n == states),
        (Some(_), []) => (shape, false),
    };
    if of_state != what.shape || !fits {
        let (given, wanted) = (shown(shape), shown(what.shape_of(states)));
        let of = states.map_or(format!("{first} is of one state"), |n| format!("{first} has {n} states"));
        return Err(PyValueError::new_err(format!(
            "{function}: {name} has shape {given}; it must be {wanted}, as {of}"
        )));
    }
    // Not `as_slice` of the array: that takes Fortran's order as well, where numbers are in other places.
    if !array.is_c_contiguous() || !array.is_aligned() {
        let strides = shown(array.strides());
        return Err(PyValueError::new_err(format!(
            "{function}: {name} must be contiguous in C's order, and has strides {strides}; numpy.ascontiguousarray makes it so"
        )));
    }
    Ok(array)
}

/// The numbers of an argument where numpy has them, state by state.
pub fn numbers<'a, T: Real>(
    function: &str,
    what: &Array,
    states: Option<usize>,
    first: &str,
    array: &'a Bound<'_, PyAny>,
) -> PyResult<&'a [T]> {
    let array = checked::<T>(function, what, states, first, array)?;
    if array.len() == 0 {
        return Ok(&[]);
    }
    // SAFETY: an aligned array in C's order is that many numbers one after the other, all of which numpy has initialised. It
    // is kept alive by the reference that was given. Nobody may write to it meanwhile: Python cannot while this
    // thread has the interpreter, and while a batch is computed without it the documentation asks other threads not to, as
    // for numpy's own functions; our own results are checked not to overlap.
    Ok(unsafe { std::slice::from_raw_parts(array.data(), array.len()) })
}

/// An array for a result.
pub fn new<'py, T: Real>(py: Python<'py>, what: &Array, states: Option<usize>) -> Bound<'py, PyAny> {
    let mut shape = [0; 5];
    let mut axes = 0;
    for n in states.into_iter().chain(what.shape.iter().copied()) {
        shape[axes] = n;
        axes += 1;
    }
    // SAFETY: nobody reads it before every number is written, see `places`; a number needs no drop.
    unsafe { PyArrayDyn::<T>::new(py, &shape[..axes], false) }.into_any()
}

/// Whether an array that was given can take a result.
pub fn can_take<T: Real>(
    function: &str,
    what: &Array,
    states: Option<usize>,
    first: &str,
    array: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let out = Array { name: "out", ..*what };
    let typed = checked::<T>(function, &out, states, first, array)?;
    let flags = typed.getattr(intern!(array.py(), "flags"))?;
    if !flags.getattr(intern!(array.py(), "writeable"))?.is_truthy()? {
        return Err(PyValueError::new_err(format!("{function}: out cannot be written to")));
    }
    Ok(())
}

/// The bytes of an array in C's order.
pub fn bytes<T: Real>(array: &Bound<'_, PyAny>) -> Range<usize> {
    // SAFETY: every caller has checked the type, or made the array.
    let array = unsafe { array.cast_unchecked::<PyArrayDyn<T>>() };
    let start = array.data() as usize;
    start..start + array.len() * size_of::<T>()
}

/// The places of a result where numpy has them. New arrays are not initialised: whoever has the places writes all of them.
///
/// # Safety
/// The array is one that [`new`] made or [`can_take`] accepted, as `T`, and overlaps no other that is read or written while
/// the slice is there.
pub unsafe fn places<'a, T: Real>(array: &'a Bound<'_, PyAny>) -> &'a mut [Place<T>] {
    // SAFETY: of the type that was checked.
    let array = unsafe { array.cast_unchecked::<PyArrayDyn<T>>() };
    if array.len() == 0 {
        return &mut [];
    }
    // SAFETY: as in `numbers`, but for that the numbers may be there only later; exclusive by what the caller promises.
    unsafe { std::slice::from_raw_parts_mut(array.data().cast(), array.len()) }
}
