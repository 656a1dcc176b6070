//! What is given beside the states' arrays, the same for all states of a call: inertias, gravity, contacts and how these are held.
// The same for every robot.

use crate::arrays::Real;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use rbd_runtime::Scalar;
use rbd_runtime::contact::{ContactAxes, ContactSettings};
use rbd_runtime::spatial::Placement;

/// Puts the numbers of an array of this shape where the default was; nothing, if none was given.
pub fn numbers(
    function: &str,
    name: &str,
    given: Option<&Bound<'_, PyAny>>,
    shape: &[usize],
    to: &mut [f64],
) -> PyResult<()> {
    let Some(given) = given else { return Ok(()) };
    match (of_type::<f64>(given, shape), of_type::<f32>(given, shape)) {
        (Some(numbers), _) => to.copy_from_slice(&numbers),
        (None, Some(numbers)) => to.iter_mut().zip(numbers).for_each(|(to, x)| *to = x.into()),
        (None, None) => {
            let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
            let shape = if shape.len() == 1 { format!("({},)", shape[0]) } else { format!("({})", shape.join(", ")) };
            return Err(PyTypeError::new_err(format!(
                "{function}: {name} must be a numpy array of float64 or float32, of shape {shape} for all states"
            )));
        }
    }
    Ok(())
}

/// The numbers by rows, if it is such an array.
fn of_type<R: Real>(given: &Bound<'_, PyAny>, shape: &[usize]) -> Option<Vec<R>> {
    let array = given.cast::<PyArrayDyn<R>>().ok()?;
    if array.shape() != shape || !array.is_aligned() {
        return None;
    }
    Some(array.try_readonly().ok()?.as_array().iter().copied().collect())
}

/// Which contacts hold: those that are named, or as many truth values as there are contacts; all, if nothing is given.
pub fn active<const NC: usize>(
    function: &str,
    given: Option<&Bound<'_, PyAny>>,
    names: [&'static str; NC],
) -> PyResult<[bool; NC]> {
    let Some(given) = given else { return Ok([true; NC]) };
    let wrong = || {
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        PyValueError::new_err(format!(
            "{function}: active must be a list of contacts, of {}, or {NC} truth values in that order",
            names.join(", ")
        ))
    };
    if given.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    let items: Vec<Bound<'_, PyAny>> =
        given.try_iter().map_err(|_| wrong())?.collect::<PyResult<_>>().map_err(|_| wrong())?;
    let mut active = [false; NC];
    if items.iter().all(|item| item.is_instance_of::<PyString>()) {
        for item in items {
            let name: String = item.extract()?;
            let at = names.iter().position(|known| *known == name).ok_or_else(wrong)?;
            active[at] = true;
        }
        return Ok(active);
    }
    if items.len() != NC {
        return Err(wrong());
    }
    for (active, item) in active.iter_mut().zip(items) {
        *active = item.extract().map_err(|_| wrong())?;
    }
    Ok(active)
}

/// Where contacts are pulled back to: poses, of which those with a number that is none are left out; none, if none were given.
pub fn anchors<const NC: usize>(
    function: &str,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<[Option<Placement<f64>>; NC]> {
    let mut of_all = vec![f64::NAN; 16 * NC];
    numbers(function, "anchors", given, &[NC, 4, 4], &mut of_all)?;
    Ok(std::array::from_fn(|k| {
        let pose = &of_all[16 * k..16 * (k + 1)];
        let mut placement = Placement::identity();
        for i in 0..3 {
            for j in 0..3 {
                placement.rotation[(i, j)] = pose[4 * i + j];
            }
            placement.translation[i] = pose[4 * i + 3];
        }
        (!pose.iter().any(|x| x.is_nan())).then_some(placement)
    }))
}

/// The settings in the numbers of a call.
pub fn settings<T: Scalar, const NC: usize>(of: &ContactSettings<f64, NC>) -> ContactSettings<T, NC> {
    ContactSettings {
        mu: T::from_f64(of.mu),
        iterations: of.iterations,
        kp: T::from_f64(of.kp),
        kd: T::from_f64(of.kd),
        anchors: of.anchors.map(|anchor| {
            anchor.map(|at| Placement {
                rotation: at.rotation.map(T::from_f64),
                translation: at.translation.map(T::from_f64),
            })
        }),
        axes: of.axes,
    }
}

/// Axes of rows, as they are called in Python.
pub fn axes_name(axes: ContactAxes) -> &'static str {
    match axes {
        ContactAxes::Local => "local",
        ContactAxes::LocalWorldAligned => "local_world_aligned",
    }
}
