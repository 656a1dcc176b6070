//! Loading a robot: a URDF, and options as the command's flags have them.

use crate::real::Either;
use crate::robot::Robot;
use crate::{friction, rows};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rbd_build::functions::{CONTACT_FUNCTIONS, FUNCTIONS};
use rbd_build::option_table::{OPTIONS, SetFlag};
use rbd_jit::{Engine, Error};

/// Source of a robot, which a pickle holds.
#[derive(Clone, Debug, Hash)]
pub struct Source {
    /// The text of the URDF.
    pub urdf: String,
    /// Path that messages name, and from which the robot's name comes.
    pub path: String,
    /// Flags of the command with their values.
    pub flags: Vec<(String, String)>,
    /// True if the robot is compared with the generic reference.
    pub check: bool,
    /// Engine that computes the functions; by default the fastest of the processor.
    pub engine: Option<String>,
    /// Type of the robot's numbers, as numpy calls it.
    pub dtype: String,
}

impl Source {
    /// Arguments of `rbd._restore`.
    pub fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { urdf, path, flags, check, engine, dtype } = self;
        (urdf, path, flags.clone(), check, engine, dtype).into_pyobject(py)
    }
}

/// Loads a robot.
///
/// `urdf` is the text of a URDF, and messages call it `path`. `flags` are those of `rbd generate`, with their
/// values. `engine` is one of `avx512`, `avx2` and `interpreter`, `dtype` one of `float64` and `float32`.
#[pyfunction]
#[pyo3(signature = (urdf, path, flags, check, engine = None, dtype = "float64".into()))]
pub fn load<'py>(
    py: Python<'py>,
    urdf: String,
    path: String,
    flags: Vec<(String, String)>,
    check: bool,
    engine: Option<String>,
    dtype: String,
) -> PyResult<Bound<'py, Robot>> {
    let source = Source { urdf, path, flags, check, engine, dtype };
    let builder = builder(&source)?;
    let engine = source.engine.as_deref().map(engine_of).transpose()?;
    let options = rbd_jit::Options { check, engine, ..rbd_jit::Options::default() };
    let loaded = py.detach(|| Either::load(&source.dtype, builder.into(), options))?;
    Robot::new(py, loaded, source)
}

/// Names of the options that the flags set.
#[pyfunction]
pub fn option_names() -> Vec<&'static str> {
    OPTIONS.iter().map(|row| row.name).collect()
}

/// Names of all functions that a robot can have, but for fused ones.
#[pyfunction]
pub fn function_names() -> Vec<&'static str> {
    let of_contacts = CONTACT_FUNCTIONS.iter().map(|spec| spec.name);
    FUNCTIONS
        .iter()
        .map(|spec| spec.name)
        .chain(of_contacts)
        .chain(rows::names())
        .chain(friction::ALL.map(|(name, ..)| name))
        .collect()
}

/// Classes of several results, with their fields.
#[pyfunction]
pub fn result_fields() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut classes: Vec<(&str, Vec<&str>)> = Vec::new();
    for spec in &FUNCTIONS {
        if let Some(name) = spec.result.filter(|name| classes.iter().all(|(other, _)| other != name)) {
            classes.push((name, spec.outputs.iter().map(|output| output.name).collect()));
        }
    }
    classes.extend(
        CONTACT_FUNCTIONS
            .iter()
            .filter_map(|spec| Some((spec.result?, spec.outputs.iter().map(|output| output.name).collect()))),
    );
    classes.extend(rows::result_fields());
    classes.extend(friction::ALL.map(|(_, class, of)| (class, friction::fields(of))));
    classes
}

fn engine_of(name: &str) -> PyResult<Engine> {
    let all = [Engine::Avx512, Engine::Avx2, Engine::Interpreter];
    all.into_iter().find(|engine| engine_name(*engine) == name).ok_or_else(|| {
        let names = all.map(engine_name).join(", ");
        PyValueError::new_err(format!("engine is {name:?}; it must be one of {names}"))
    })
}

/// Name of an engine in Python.
pub fn engine_name(engine: Engine) -> String {
    format!("{engine:?}").to_lowercase()
}

fn builder(source: &Source) -> PyResult<rbd_build::Robot> {
    let mut robot = rbd_build::Robot::from_urdf_text(&source.path, source.urdf.clone());
    for (name, value) in &source.flags {
        let mut flags = OPTIONS.iter().flat_map(|row| row.flags);
        let flag = flags.find(|flag| flag.name == name);
        let flag = flag.ok_or_else(|| PyValueError::new_err(format!("there is no option `{name}`")))?;
        robot = match flag.set {
            SetFlag::Switch(set) => set(robot),
            SetFlag::Once(set) | SetFlag::Each(set) | SetFlag::List(set) => {
                set(robot, value).map_err(|said| PyValueError::new_err(format!("{name}: {said}")))?
            }
        };
    }
    Ok(robot)
}

/// Converts an error to Python's exception.
pub fn fault(error: Error) -> PyErr {
    match error {
        Error::Robot(_) | Error::NotZero { .. } => PyValueError::new_err(error.to_string()),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}
