//! A function of a robot as an object that Python calls.

use crate::array::{self, Array};
use crate::call::{Argument, Computes, Job, Loaded, MOST};
use crate::contacts::{Held, default_of};
use crate::friction;
use crate::layout::Layout;
use crate::load::{Source, fault};
use crate::real::{Either, Real, with_robot};
use crate::rows::Extent;
use crate::states::{States, broadcast};
use crate::table::{ChosenBy, Item, Variant, reference_name};
use crate::xla;
use numpy::{PyArrayDescr, PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use std::sync::Arc;

// A function of a robot, on numpy arrays of one state or of many. Not a documentation comment: that would
// hide `__doc__`, which is the function's own.
#[pyclass(frozen, module = "rbd")]
#[derive(Debug)]
pub struct Function {
    loaded: Either,
    source: Arc<Source>,
    item: Item,
    /// The class of several results, and `tuple.__new__`.
    class: Option<(Py<PyAny>, Py<PyAny>)>,
}

/// The keyword of calls that leave zeros of given matrices alone.
const LEAVING_ZEROS: &str = "leaving_zeros";

/// Arguments of a call, by their places: positions first, then keywords.
struct Arguments<'py> {
    all: [Option<Bound<'py, PyAny>>; MOST],
    frame: Option<Bound<'py, PyAny>>,
    reference: Option<Bound<'py, PyAny>>,
    held: Vec<(String, Bound<'py, PyAny>)>,
    out: Option<Bound<'py, PyAny>>,
    leaves_zeros: bool,
    threads: usize,
}

impl Function {
    /// A function of this robot.
    pub fn new(py: Python<'_>, loaded: Either, source: Arc<Source>, item: Item) -> PyResult<Self> {
        assert!(item.takes.len() <= MOST && item.gives.len() <= MOST);
        let class = match &item.result {
            None => None,
            Some(name) => {
                let fields: Vec<&str> = item.gives.iter().map(|layout| layout.name.as_str()).collect();
                let class = py.import("rbd.results")?.getattr("_named")?.call1((name, fields))?;
                Some((class.unbind(), PyType::new::<PyTuple>(py).getattr("__new__")?.unbind()))
            }
        };
        Ok(Self { loaded, source, item, class })
    }

    /// Name of the function.
    pub fn name(&self) -> &str {
        &self.item.name
    }

    /// Returns whether the function may leave zeros of given matrices alone.
    /// A result of a frame may be another frame's next.
    fn may_leave_zeros(&self) -> bool {
        matches!(self.item.variants[..], [Variant { computes: Computes::Function(_), .. }])
            && self.item.chosen_by == ChosenBy::Nothing
            && self.item.gives.iter().any(|layout| layout.shape.len() > 1)
    }

    /// Number of arrays that a call has to have.
    fn required(&self) -> usize {
        self.item.takes.len() - self.item.defaults.len()
    }

    /// Largest number of arguments by position.
    fn positions(&self) -> usize {
        let chosen = match self.item.chosen_by {
            ChosenBy::Nothing => 0,
            ChosenBy::Frame => 1,
            ChosenBy::FrameAndReference => 2,
        };
        self.required() + chosen
    }

    fn arguments<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Arguments<'py>> {
        let name = self.name();
        let mut given = Arguments {
            all: [const { None }; MOST],
            frame: None,
            reference: None,
            held: Vec::new(),
            out: None,
            leaves_zeros: false,
            threads: 1,
        };
        let (most, n) = (self.positions(), args.len());
        if n > most {
            return Err(PyTypeError::new_err(format!(
                "{name}() takes {most} positional arguments, and was given {n}"
            )));
        }
        for (k, value) in args.iter_borrowed().enumerate() {
            let place = match k.checked_sub(self.required()) {
                None => &mut given.all[k],
                Some(0) => &mut given.frame,
                Some(_) => &mut given.reference,
            };
            *place = Some(value.to_owned());
        }
        for (key, mut value) in kwargs.into_iter().flatten() {
            let key = key.cast_into::<PyString>()?;
            let key = key.to_str()?;
            if key == "last" && friction::is_one(self.name()) {
                if value.is_none() {
                    continue;
                }
                // What the last step returned.
                if value.is_instance_of::<PyTuple>() && value.hasattr("impulses")? {
                    let of_joints = self.item.takes.iter().position(|of| of.name == friction::LAST_JOINTS);
                    if let (Some(place), true) = (of_joints, value.hasattr("joints")?) {
                        let place = &mut given.all[place];
                        if place.is_some() {
                            let key = friction::LAST_JOINTS;
                            return Err(PyTypeError::new_err(format!("{name}() was given {key} twice")));
                        }
                        *place = Some(value.getattr("joints")?);
                    }
                    value = value.getattr("impulses")?;
                }
            }
            let chosen_by = self.item.chosen_by;
            let place = match key {
                "out" => {
                    given.out = (!value.is_none()).then_some(value);
                    continue;
                }
                LEAVING_ZEROS if self.may_leave_zeros() => {
                    given.leaves_zeros = value.extract::<bool>().map_err(|_| {
                        PyTypeError::new_err(format!("{name}: {LEAVING_ZEROS} must be True or False"))
                    })?;
                    continue;
                }
                "threads" => {
                    given.threads = threads(name, &value)?;
                    continue;
                }
                "frame" if chosen_by != ChosenBy::Nothing => &mut given.frame,
                "reference" if chosen_by == ChosenBy::FrameAndReference => &mut given.reference,
                _ if self.item.keywords.contains(&key) => {
                    given.held.push((key.to_owned(), value));
                    continue;
                }
                _ => match self.item.takes.iter().position(|layout| layout.name == key) {
                    Some(k) => &mut given.all[k],
                    None => {
                        let said = format!("{name}() has no argument {}", Quoted(key));
                        return Err(PyTypeError::new_err(said));
                    }
                },
            };
            if place.is_some() {
                return Err(PyTypeError::new_err(format!("{name}() was given {key} twice")));
            }
            *place = Some(value);
        }
        let missing =
            self.item.takes[..self.required()].iter().zip(&given.all).find(|(_, value)| value.is_none());
        let chosen = [(&given.frame, 1, "frame"), (&given.reference, 2, "reference")];
        let of_frame =
            chosen.into_iter().find(|(value, k, _)| value.is_none() && most >= self.required() + k);
        if let Some(missing) = missing.map(|(layout, _)| layout.name.as_str()).or(of_frame.map(|(.., x)| x)) {
            return Err(PyTypeError::new_err(format!("{name}() was not given {missing}")));
        }
        Ok(given)
    }

    /// Number of steps of a rollout, from the shape of its controls.
    fn steps(&self, py: Python<'_>, given: &Arguments<'_>) -> PyResult<usize> {
        let all = &self.item.takes;
        let place = all.iter().position(|layout| layout.name == "controls").expect("a rollout has controls");
        let shape = match &given.all[place] {
            Some(value) => array::numpy(py)?.call_method1("shape", (value,))?.extract::<Vec<usize>>()?,
            None => Vec::new(),
        };
        let n = all[place].shape[1];
        match shape[..] {
            [.., steps, last] if last == n => Ok(steps),
            _ => {
                let (name, shape) = (self.name(), array::tuple(&shape));
                Err(PyValueError::new_err(format!(
                    "{name}: controls has shape {shape}; it must be (N, {n}), or (..., N, {n}) for many states"
                )))
            }
        }
    }

    /// Kind of computation of the variant that the arguments choose.
    fn computes(&self, given: &Arguments<'_>) -> PyResult<Computes> {
        let variants = &self.item.variants;
        let Some(frame) = &given.frame else { return Ok(variants[0].computes) };
        let mut names: Vec<&str> = variants.iter().map(|variant| variant.frame.as_str()).collect();
        names.dedup();
        let frame = self.one_of("frame", frame, &names)?;
        let of_frame = variants.iter().filter(|variant| variant.frame == names[frame]);
        let of_frame: Vec<_> = of_frame.collect();
        let Some(reference) = &given.reference else { return Ok(of_frame[0].computes) };
        let references: Vec<&str> =
            of_frame.iter().map(|variant| reference_name(variant.reference)).collect();
        Ok(of_frame[self.one_of("reference", reference, &references)?].computes)
    }

    fn one_of(&self, what: &str, value: &Bound<'_, PyAny>, names: &[&str]) -> PyResult<usize> {
        let wrong = |found: &str| {
            let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            let (name, names) = (self.name(), names.join(", "));
            PyValueError::new_err(format!("{name}: {what} is {found}; it must be one of {names}"))
        };
        let Ok(text) = value.cast::<PyString>() else { return Err(wrong(&value.repr()?.to_string())) };
        let text = text.to_str()?;
        names.iter().position(|name| *name == text).ok_or_else(|| wrong(&format!("{text:?}")))
    }

    /// A call of Python's, with arrays of the robot's type of numbers.
    fn call<'py, T: Real>(
        &self,
        loaded: &Loaded<T>,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = self.arguments(args, kwargs)?;
        let computes = self.computes(&given)?;
        let sized = self.item.rollout.map(|(row, extent)| -> PyResult<_> {
            let steps = self.steps(py, &given)?;
            let (mut takes, gives) = row.layouts(Extent { steps, ..extent });
            takes.extend_from_slice(&self.item.takes[self.required()..]);
            Ok((takes, gives))
        });
        let sized = sized.transpose()?;
        let (takes, gives) = match &sized {
            Some((takes, gives)) => (&takes[..], &gives[..]),
            None => (&self.item.takes[..], &self.item.gives[..]),
        };
        let mut arrays = Vec::with_capacity(MOST);
        for (k, layout) in takes.iter().enumerate() {
            arrays.push(match &given.all[k] {
                Some(value) if layout.is_repeated => {
                    array::argument(self.name(), layout, &array::repeated(layout, value)?)?
                }
                Some(value) => array::argument(self.name(), layout, value)?,
                None => array::vector(py, &layout.shape, &self.item.defaults[k - self.required()]),
            });
        }
        let held = match self.item.keywords.is_empty() {
            false => &Held::new(self.name(), loaded.robot.contacts(), &given.held)?,
            true => &Held::by_default(0),
        };
        let states = broadcast(self.name(), takes, arrays)?;
        let (out, is_direct) = match &given.out {
            Some(out) => {
                let (arrays, is_direct) = self.taken(out, gives, &states)?;
                (Some(arrays), is_direct)
            }
            None => (None, true),
        };
        let direct = out.as_deref().filter(|_| is_direct);
        // New arrays are zeros. A call of one state would first make another version of its code for them,
        // which takes longer than it saves in thousands of calls.
        let is_batch = !states.axes.is_empty();
        let leaves_zeros = given.leaves_zeros || (is_batch && direct.is_none());
        let work = (loaded, computes, held, leaves_zeros);
        let results = match states.axes.is_empty() {
            true => self.one(py, work, gives, &states, direct)?,
            false => self.many(py, work, (takes, gives), &states, direct, given.threads)?,
        };
        if let (Some(out), false) = (&out, is_direct) {
            for (to, from) in out.iter().zip(&results) {
                array::numpy(py)?.call_method1("copyto", (to, from))?;
            }
        }
        match (given.out, &self.class) {
            (Some(out), _) => Ok(out),
            (None, Some((class, make))) => {
                let results = results.into_iter().zip(gives).map(|(array, layout)| match layout.dtype {
                    None => Ok(array.into_any()),
                    Some(dtype) => array.call_method1("astype", (dtype,)),
                });
                let results = results.collect::<PyResult<Vec<_>>>()?;
                make.bind(py).call1((class, PyTuple::new(py, results)?))
            }
            (None, None) => Ok(results.into_iter().next().expect("a function gives something").into_any()),
        }
    }

    fn one<'py, T: Real>(
        &self,
        py: Python<'py>,
        (loaded, computes, held, leaves_zeros): (&Loaded<T>, Computes, &Held<T>, bool),
        gives: &[Layout],
        states: &States<'py, T>,
        out: Option<&[Array<'py, T>]>,
    ) -> PyResult<Vec<Array<'py, T>>> {
        let mut inputs: [&[T]; MOST] = [&[]; MOST];
        inputs.iter_mut().zip(&states.arrays).for_each(|(input, array)| *input = array::numbers(array));
        let mut poses: Vec<Vec<T>> = Vec::new();
        let is_direct = |layout: &Layout| layout.is_c || layout.is_fortran;
        let arrays: Vec<Array<'py, T>> = match out {
            Some(out) => out.to_vec(),
            None => gives
                .iter()
                .map(|layout| array::zeros(py, &layout.shape, !layout.is_c && layout.is_fortran))
                .collect(),
        };
        for layout in gives.iter().filter(|layout| !is_direct(layout)) {
            poses.push(vec![T::zero(); layout.length]);
        }
        {
            let mut rest = poses.iter_mut();
            let mut outputs: [&mut [T]; MOST] = std::array::from_fn(|_| Default::default());
            for ((layout, array), output) in gives.iter().zip(&arrays).zip(&mut outputs) {
                *output = match is_direct(layout) {
                    // SAFETY: a new array, or one that `taken` has checked.
                    true => unsafe { array::places(array) },
                    false => rest.next().expect("one for each that is not direct"),
                };
            }
            let (inputs, outputs) = (&inputs[..states.arrays.len()], &mut outputs[..gives.len()]);
            loaded.one(computes, held, inputs, outputs, leaves_zeros).map_err(fault)?;
        }
        let indirect = gives.iter().zip(&arrays).filter(|(layout, _)| !is_direct(layout));
        for ((layout, array), from) in indirect.zip(&poses) {
            // SAFETY: as above.
            layout.in_c(from, unsafe { array::places(array) });
        }
        Ok(arrays)
    }

    fn many<'py, T: Real>(
        &self,
        py: Python<'py>,
        (loaded, computes, held, leaves_zeros): (&Loaded<T>, Computes, &Held<T>, bool),
        (takes, gives): (&[Layout], &[Layout]),
        states: &States<'py, T>,
        out: Option<&[Array<'py, T>]>,
        threads: usize,
    ) -> PyResult<Vec<Array<'py, T>>> {
        let shape =
            |layout: &Layout| -> Vec<usize> { states.axes.iter().chain(&layout.shape).copied().collect() };
        let arrays: Vec<Array<'py, T>> = match out {
            Some(out) => out.to_vec(),
            None => gives.iter().map(|layout| array::zeros(py, &shape(layout), false)).collect(),
        };
        let all = states.arrays.iter().zip(takes).zip(&states.is_each);
        let inputs: Vec<Argument<'_, T>> = all
            .map(|((array, layout), is_each)| Argument {
                numbers: array::numbers(array),
                length: layout.length,
                is_each: *is_each,
            })
            .collect();
        // SAFETY: new arrays, or some that `taken` has checked.
        let outputs = arrays.iter().map(|array| unsafe { array::places(array) });
        let job = Job::new(loaded, computes, held, states.count(), &inputs, gives, outputs);
        let job = job.leaving_zeros(leaves_zeros);
        py.detach(|| job.run(threads)).map_err(fault)?;
        drop(job);
        Ok(arrays)
    }

    /// The arrays of `out`, and whether results can be written to each where it is.
    fn taken<'py, T: Real>(
        &self,
        out: &Bound<'py, PyAny>,
        gives: &[Layout],
        states: &States<'py, T>,
    ) -> PyResult<(Vec<Array<'py, T>>, bool)> {
        let name = self.name();
        if let Some(layout) = gives.iter().find(|layout| layout.dtype.is_some()) {
            let of = &layout.name;
            return Err(PyTypeError::new_err(format!("{name}() has no out: {of} are no real numbers")));
        }
        let arrays: Vec<Bound<'py, PyAny>> = match &self.item.result {
            None => vec![out.clone()],
            Some(class) => {
                let items = out.cast::<PyTuple>().ok().filter(|items| items.len() == gives.len());
                let items = items.ok_or_else(|| {
                    let fields: Vec<&str> = gives.iter().map(|layout| layout.name.as_str()).collect();
                    let fields = fields.join(", ");
                    PyTypeError::new_err(format!(
                        "{name}: out must be what it returns, a tuple {class} of {fields}"
                    ))
                })?;
                items.iter().collect()
            }
        };
        let mut taken: Vec<_> = states.arrays.iter().map(array::bytes).collect();
        let (mut all, mut is_direct) = (Vec::with_capacity(arrays.len()), true);
        for (layout, array) in gives.iter().zip(arrays) {
            let of = &layout.name;
            let wanted: Vec<usize> = states.axes.iter().chain(&layout.shape).copied().collect();
            let typed = array.cast_into::<PyArrayDyn<T>>().map_err(|_| {
                let dtype = T::NAME;
                PyTypeError::new_err(format!("{name}: out for {of} must be a numpy array of {dtype}"))
            })?;
            if !array::is_same(typed.shape(), &wanted) {
                let (found, wanted) = (array::tuple(typed.shape()), array::tuple(&wanted));
                return Err(PyValueError::new_err(format!(
                    "{name}: out for {of} has shape {found}; it must be {wanted}"
                )));
            }
            if !array::is_writeable(&typed) {
                return Err(PyValueError::new_err(format!("{name}: out for {of} cannot be written to")));
            }
            let is_fortran = states.axes.is_empty() && !layout.is_c && layout.is_fortran;
            let is_right = if is_fortran { typed.is_fortran_contiguous() } else { typed.is_c_contiguous() };
            let is_here = is_right && typed.is_aligned();
            is_direct &= is_here;
            if is_here {
                let bytes = array::bytes(&typed);
                if taken.iter().any(|other| bytes.start < other.end && other.start < bytes.end) {
                    return Err(PyValueError::new_err(format!(
                        "{name}: out for {of} overlaps another array of the call"
                    )));
                }
                taken.push(bytes);
            }
            all.push(typed);
        }
        Ok((all, is_direct))
    }
}

/// A name in quotation marks as Python has them.
struct Quoted<'a>(&'a str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{}'", self.0)
    }
}

/// On how many threads: a number, or all cores for `True`.
fn threads(function: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    if let Ok(all) = value.extract::<bool>() {
        return Ok(if all { std::thread::available_parallelism().map_or(1, usize::from) } else { 1 });
    }
    match value.extract::<usize>() {
        Ok(n) if n > 0 => Ok(n),
        _ => {
            let given = value.repr()?;
            Err(PyValueError::new_err(format!(
                "{function}: threads is {given}; it must be True, False or a number from 1 on"
            )))
        }
    }
}

#[pymethods]
impl Function {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        with_robot!(&self.loaded, loaded => self.call(loaded, py, args, kwargs))
    }

    #[getter]
    fn __name__(&self) -> &str {
        self.name()
    }

    #[getter]
    fn __qualname__(&self) -> &str {
        self.name()
    }

    #[getter]
    fn __doc__(&self) -> &str {
        &self.item.doc
    }

    #[getter]
    fn __text_signature__(&self) -> String {
        let (required, given) = self.item.takes.split_at(self.required());
        let mut names: Vec<&str> = required.iter().map(|layout| layout.name.as_str()).collect();
        names.extend(&["frame", "reference"][..self.positions() - required.len()]);
        let mut text = format!("({}, *", names.join(", "));
        for layout in given {
            text += &format!(", {}=None", layout.name);
        }
        for name in &self.item.keywords {
            text += &format!(", {name}={}", default_of(name));
        }
        if self.may_leave_zeros() {
            text += &format!(", {LEAVING_ZEROS}=False");
        }
        text + ", out=None, threads=False)"
    }

    /// The number by which XLA's handler knows the function of this frame.
    #[pyo3(signature = (frame = None, reference = None))]
    fn _xla<'py>(
        &self,
        frame: Option<Bound<'py, PyAny>>,
        reference: Option<Bound<'py, PyAny>>,
    ) -> PyResult<i64> {
        let given = Arguments {
            all: [const { None }; MOST],
            frame,
            reference,
            held: Vec::new(),
            out: None,
            leaves_zeros: false,
            threads: 1,
        };
        Ok(xla::register(&self.loaded, &self.source, self.computes(&given)?, &self.item))
    }

    /// Whether it is there for arrays of numpy alone, and not for JAX, torch and columns.
    #[getter]
    fn _is_of_numpy(&self) -> bool {
        self.item.rollout.is_some() || self.item.gives.iter().any(|layout| layout.dtype.is_some())
    }

    /// The class of several results.
    #[getter]
    fn _result(&self) -> Option<&str> {
        self.item.result.as_deref()
    }

    /// The arguments by keyword with their defaults.
    fn _defaults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let defaults = PyDict::new(py);
        for (layout, default) in self.item.takes[self.required()..].iter().zip(&self.item.defaults) {
            let shape = &layout.shape;
            let array = with_robot!(&self.loaded, loaded => array::of(loaded, py, shape, default));
            defaults.set_item(&layout.name, array)?;
        }
        Ok(defaults)
    }

    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("rbd")?.getattr("_signature")?.call1((self.__text_signature__(),))
    }

    /// The arguments, each with its shape for one state.
    #[getter]
    fn inputs(&self) -> Vec<(&str, Vec<usize>)> {
        self.item.takes.iter().map(|layout| (layout.name.as_str(), layout.shape.clone())).collect()
    }

    /// The results, each with its shape for one state.
    #[getter]
    fn outputs(&self) -> Vec<(&str, Vec<usize>)> {
        self.item.gives.iter().map(|layout| (layout.name.as_str(), layout.shape.clone())).collect()
    }

    /// The type of its numbers.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        self.loaded.dtype(py)
    }

    fn __repr__(&self) -> String {
        let robot = with_robot!(&self.loaded, loaded => &loaded.robot.model().name);
        format!("<function {}{} of {robot}>", self.name(), self.__text_signature__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("rbd")?.getattr("_function")?;
        let source = self.source.arguments(py)?;
        Ok((restore, PyTuple::new(py, [source.into_any(), self.name().into_pyobject(py)?.into_any()])?))
    }
}
