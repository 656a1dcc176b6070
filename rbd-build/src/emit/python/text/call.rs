//! Calls of the robot's functions on arrays: one state, or many in lanes and on threads.
// The same for every robot.

use crate::arrays::{self, Array, Place, Real};
use crate::rows::{Lay, Many, One};
use numpy::ndarray::ArrayD;
use numpy::{PyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use rbd_runtime::{ReferenceFrame, Scalar};
use rbd_runtime::batch::{self, Arguments};
use std::array::from_fn;

/// A function of the robot, for any scalar, with what arrays it takes and gives.
pub trait Function<const N: usize, const K: usize>: Copy + Send + Sync {
    /// Its name in Python.
    const NAME: &'static str;
    const TAKES: [Array; N];
    const GIVES: [Array; K];
    /// What a state costs, in operations of several states side by side.
    const OPERATIONS: usize;
    /// The arguments of one state, or of as many as `T` has lanes.
    type Values<T: Scalar>;
    /// Those of many states, one after the other.
    type Slices<'a, R: Real>: Arguments<Float = R, Lanes = Self::Values<R::Lanes>> + Copy + Send;
    type Results<T: Scalar>;
    /// What several results are given as.
    fn tuple() -> Option<&'static Tuple> {
        None
    }
    fn slices<R: Real>(numbers: [&[R]; N]) -> Self::Slices<'_, R>;
    /// The arguments of one of the states.
    fn at<R: Real>(slices: Self::Slices<'_, R>, state: usize) -> Self::Values<R>;
    fn zeros<T: Scalar>() -> Self::Results<T>;
    fn call<T: Scalar>(self, values: &Self::Values<T>, results: &mut Self::Results<T>);
    /// The states from `first` on, on this thread: [`in_lanes`], or [`one_by_one`] where a single state fills registers.
    fn some<R: Real>(self, slices: Self::Slices<'_, R>, first: usize, states: usize, places: [&mut [Place<R>]; K]);
    /// Writes the results to the places of one state or, of lanes, to those of as many states: to every place.
    fn write<R: Real, L: Lay<R>>(results: &Self::Results<L::From>, places: [&mut [Place<R>]; K]);
}

/// A class of named tuples.
pub struct Tuple {
    pub name: &'static str,
    pub fields: &'static [&'static str],
    /// The class, and what makes an instance: `tuple.__new__`.
    made: PyOnceLock<(Py<PyAny>, Py<PyAny>)>,
}

impl Tuple {
    pub const fn new(name: &'static str, fields: &'static [&'static str]) -> Self {
        Self { name, fields, made: PyOnceLock::new() }
    }

    fn made(&self, py: Python<'_>) -> PyResult<&(Py<PyAny>, Py<PyAny>)> {
        self.made.get_or_try_init(py, || {
            let named = py.import("collections")?.getattr("namedtuple")?;
            let options = PyDict::new(py);
            // So that instances can be pickled.
            options.set_item("module", crate::MODULE)?;
            let class = named.call((self.name, PyTuple::new(py, self.fields)?), Some(&options))?;
            Ok((class.unbind(), PyType::new::<PyTuple>(py).getattr("__new__")?.unbind()))
        })
    }

    pub fn class<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.made(py)?.0.bind(py).clone())
    }

    pub fn of<'py>(&self, py: Python<'py>, items: Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let (class, make) = self.made(py)?;
        make.bind(py).call1((class, items))
    }
}

/// Calls the function on arrays of one state or of many, all `f64` or all `f32`.
pub fn call<'py, F: Function<N, K>, const N: usize, const K: usize>(
    f: F,
    arguments: [&Bound<'py, PyAny>; N],
    out: Option<&Bound<'py, PyAny>>,
    threads: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if arrays::is_f64(F::NAME, &F::TAKES[0], arguments[0])? {
        of_type::<f64, F, N, K>(f, arguments, out, threads)
    } else {
        of_type::<f32, F, N, K>(f, arguments, out, threads)
    }
}

fn of_type<'py, R: Real, F: Function<N, K>, const N: usize, const K: usize>(
    f: F,
    arguments: [&Bound<'py, PyAny>; N],
    out: Option<&Bound<'py, PyAny>>,
    threads: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (takes, py) = (F::TAKES, arguments[0].py());
    let first = takes[0].name;
    let states = arrays::states::<R>(F::NAME, &takes[0], arguments[0])?;
    let mut numbers: [&[R]; N] = [&[]; N];
    for ((numbers, what), array) in numbers.iter_mut().zip(&takes).zip(arguments) {
        *numbers = arrays::numbers(F::NAME, what, states, first, array)?;
    }
    let given: [Bound<'py, PyAny>; K] = match out {
        None => from_fn(|k| arrays::new::<R>(py, &F::GIVES[k], states)),
        Some(out) => given::<R, F, N, K>(out, states, arguments)?,
    };
    // SAFETY: new arrays, which nobody else knows of, or arrays that `given` has checked, overlaps included.
    let places = given.each_ref().map(|array| unsafe { arrays::places::<R>(array) });
    match states {
        None => {
            let mut results = F::zeros::<R>();
            f.call(&F::at(F::slices(numbers), 0), &mut results);
            F::write::<R, One>(&results, places);
        }
        Some(states) => py.detach(|| {
            let least = if threads { batch::grain(states, F::OPERATIONS) } else { states };
            on_threads::<R, F, N, K>(f, F::slices(numbers), 0, states, least, places);
        }),
    }
    match (out, F::tuple()) {
        (Some(out), _) => Ok(out.clone()),
        (None, Some(class)) => class.of(py, PyTuple::new(py, given)?),
        (None, None) => Ok(given.into_iter().next().expect("a function gives something")),
    }
}

/// The arrays of `out`.
fn given<'py, R: Real, F: Function<N, K>, const N: usize, const K: usize>(
    out: &Bound<'py, PyAny>,
    states: Option<usize>,
    arguments: [&Bound<'py, PyAny>; N],
) -> PyResult<[Bound<'py, PyAny>; K]> {
    let (function, first) = (F::NAME, F::TAKES[0].name);
    let arrays: Vec<Bound<'py, PyAny>> = match F::tuple() {
        None => vec![out.clone()],
        Some(class) => {
            let items = out.cast::<PyTuple>().ok().filter(|items| items.len() == K).ok_or_else(|| {
                let (name, fields) = (class.name, class.fields.join(", "));
                PyTypeError::new_err(format!("{function}: out must be what it returns, a tuple {name} of {fields}"))
            })?;
            items.iter().collect()
        }
    };
    let mut taken = arguments.map(|array| arrays::bytes::<R>(array)).to_vec();
    for (what, array) in F::GIVES.iter().zip(&arrays) {
        arrays::can_take::<R>(function, what, states, first, array)?;
        let bytes = arrays::bytes::<R>(array);
        if taken.iter().any(|other| bytes.start < other.end && other.start < bytes.end) {
            return Err(PyValueError::new_err(format!(
                "{function}: out for {} overlaps another array of the call",
                what.name
            )));
        }
        taken.push(bytes);
    }
    let mut arrays = arrays.into_iter();
    Ok(from_fn(|_| arrays.next().expect("as many as there are results")))
}

/// The states from `first` on, on all threads, of which each takes `least` states or more.
fn on_threads<R: Real, F: Function<N, K>, const N: usize, const K: usize>(
    f: F,
    slices: F::Slices<'_, R>,
    first: usize,
    states: usize,
    least: usize,
    places: [&mut [Place<R>]; K],
) {
    let half = (states / 2).next_multiple_of(R::LANES);
    if half < least || half >= states {
        return f.some(slices, first, states, places);
    }
    let mut given = F::GIVES.iter();
    let halves = places.map(|places| {
        let size = given.next().map_or(0, Array::len);
        places.split_at_mut(half * size)
    });
    let mut right: [&mut [Place<R>]; K] = from_fn(|_| &mut [][..]);
    let mut rest = right.iter_mut();
    let left = halves.map(|(left, right)| {
        *rest.next().expect("K places") = right;
        left
    });
    rayon::join(
        || on_threads::<R, F, N, K>(f, slices, first, half, least, left),
        || on_threads::<R, F, N, K>(f, slices, first + half, states - half, least, right),
    );
}

/// As many states at once as there are lanes.
pub fn in_lanes<R: Real, F: Function<N, K>, const N: usize, const K: usize>(
    f: F,
    slices: F::Slices<'_, R>,
    first: usize,
    states: usize,
    mut places: [&mut [Place<R>]; K],
) {
    let sizes: [usize; K] = from_fn(|k| F::GIVES[k].len());
    let mut results = F::zeros::<R::Lanes>();
    let whole = states - states % R::LANES;
    for done in (0..whole).step_by(R::LANES) {
        f.call(&slices.pack(|lane| first + done + lane), &mut results);
        let mut sizes = sizes.into_iter();
        let group = places.each_mut().map(|places| {
            let size = sizes.next().expect("K sizes");
            &mut places[done * size..(done + R::LANES) * size]
        });
        F::write::<R, Many>(&results, group);
    }
    if whole < states {
        // The lanes that are left have the last state.
        let last = first + states - 1;
        f.call(&slices.pack(|lane| last.min(first + whole + lane)), &mut results);
        let mut group: [Vec<Place<R>>; K] = from_fn(|k| vec![Place::uninit(); R::LANES * sizes[k]]);
        F::write::<R, Many>(&results, group.each_mut().map(|numbers| &mut numbers[..]));
        for ((places, numbers), size) in places.iter_mut().zip(&group).zip(sizes) {
            places[whole * size..].copy_from_slice(&numbers[..(states - whole) * size]);
        }
    }
}

/// State by state.
#[allow(dead_code, reason = "for robots with functions by tables")]
pub fn one_by_one<R: Real, F: Function<N, K>, const N: usize, const K: usize>(
    f: F,
    slices: F::Slices<'_, R>,
    first: usize,
    states: usize,
    mut places: [&mut [Place<R>]; K],
) {
    let mut results = F::zeros::<R>();
    for state in 0..states {
        f.call(&F::at(slices, first + state), &mut results);
        let mut given = F::GIVES.iter();
        let of_state = places.each_mut().map(|places| {
            let size = given.next().map_or(0, Array::len);
            &mut places[state * size..(state + 1) * size]
        });
        F::write::<R, One>(&results, of_state);
    }
}

/// A number that is for all states, as an array of the first argument's type; an array as it is.
pub fn number<'py>(
    first: &Array,
    array: &Bound<'py, PyAny>,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (Ok(untyped), Ok(number)) = (array.cast::<PyUntypedArray>(), given.extract::<f64>()) else {
        return Ok(given.clone());
    };
    if given.cast::<PyUntypedArray>().is_ok() {
        return Ok(given.clone());
    }
    let (py, shape) = (array.py(), untyped.shape());
    let states = shape.get(..shape.len().saturating_sub(first.shape.len())).unwrap_or_default();
    Ok(match array.cast::<PyArrayDyn<f32>>() {
        Ok(_) => PyArrayDyn::from_owned_array(py, ArrayD::from_elem(states, number as f32)).into_any(),
        Err(_) => PyArrayDyn::from_owned_array(py, ArrayD::from_elem(states, number)).into_any(),
    })
}

/// The value of this name: a frame, or a reference frame.
#[allow(dead_code, reason = "for robots with functions of frames")]
pub fn named<V: Copy, const N: usize>(
    function: &str,
    what: &str,
    name: &str,
    all: [V; N],
    name_of: impl Fn(V) -> &'static str,
) -> PyResult<V> {
    all.into_iter().find(|value| name_of(*value) == name).ok_or_else(|| {
        let names: Vec<String> = all.into_iter().map(|value| format!("{:?}", name_of(value))).collect();
        PyValueError::new_err(format!("{function}: {what} is {name:?}; it must be one of {}", names.join(", ")))
    })
}

/// What a reference frame is called in Python.
#[allow(dead_code, reason = "for robots with functions of frames")]
pub fn reference_name(reference: ReferenceFrame) -> &'static str {
    match reference {
        ReferenceFrame::Local => "local",
        ReferenceFrame::World => "world",
        ReferenceFrame::LocalWorldAligned => "local_world_aligned",
    }
}
