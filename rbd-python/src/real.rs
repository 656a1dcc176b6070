//! The numbers of a robot's arrays, float64 or float32, and robots of either.

use crate::call::Loaded;
use numpy::PyArrayDescr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rbd_jit::Number;
use std::ffi::c_int;
use std::sync::Arc;

/// A type of numbers that arrays have.
pub trait Real: Number + numpy::Element {
    /// Name of the type in numpy.
    const NAME: &'static str;
    /// Number of the type in XLA: `XLA_FFI_DataType_F64` or `_F32`.
    const XLA: c_int;

    /// A number of the other type, or of this one.
    fn of<T: Real>(x: T) -> Self {
        Self::from_f64(x.double())
    }
}

impl Real for f64 {
    const NAME: &'static str = "float64";
    const XLA: c_int = 12;
}

impl Real for f32 {
    const NAME: &'static str = "float32";
    const XLA: c_int = 11;
}

/// A robot in the precision that it was loaded for.
#[derive(Clone, Debug)]
pub enum Either {
    /// Robot in float64.
    Double(Arc<Loaded<f64>>),
    /// Robot in float32.
    Single(Arc<Loaded<f32>>),
}

/// Evaluates an expression with the robot, whichever precision it has.
macro_rules! with_robot {
    ($either:expr, $loaded:ident => $what:expr) => {
        match $either {
            $crate::real::Either::Double($loaded) => $what,
            $crate::real::Either::Single($loaded) => $what,
        }
    };
}
pub(crate) use with_robot;

impl Either {
    /// The type of its numbers.
    pub fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        match self {
            Self::Double(_) => numpy::dtype::<f64>(py),
            Self::Single(_) => numpy::dtype::<f32>(py),
        }
    }

    /// A robot of this type of numbers.
    ///
    /// # Errors
    /// If the name is none of a type.
    pub fn load(dtype: &str, robot: rbd_jit::Robot, options: rbd_jit::Options) -> PyResult<Self> {
        let fault = crate::load::fault;
        match dtype {
            f64::NAME => Ok(Self::Double(Arc::new(Loaded::new(robot.load_with(options).map_err(fault)?)))),
            f32::NAME => {
                Ok(Self::Single(Arc::new(Loaded::new(robot.load_f32_with(options).map_err(fault)?))))
            }
            other => Err(PyValueError::new_err(format!("dtype is {other}; it must be float64 or float32"))),
        }
    }
}
