//! Functions of contacts and closed loops. What says how contacts hold is the same for all states of a call.

use crate::array::{Array, numbers, tuple};
use crate::call::Computes;
use crate::layout::Layout;
use crate::parameters::{Given, parameters};
use crate::real::Real;
use crate::table::{self, ChosenBy, Item, Variant};
use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rbd_build::functions::{CONTACT_FUNCTIONS, ContactParam, ContactSpec};
use rbd_build::signature::{Dim, Dims, Output, Sizes};
use rbd_jit::{Contact, ContactSettings, Error, FrictionSettings, Loaded, Number, ReferenceFrame, Workspace};
use rbd_runtime::ContactAxes;
use rbd_runtime::spatial::Placement;

/// A function of contacts, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OfContacts(usize);

/// Settings of how contacts hold or slide.
#[derive(Clone, Debug)]
pub struct Held<T> {
    active: Vec<bool>,
    restitution: T,
    mu: T,
    iterations: usize,
    kp: T,
    kd: T,
    anchors: Vec<Option<Placement<T>>>,
    axes: ContactAxes,
    /// Settings of steps with friction.
    pub friction: FrictionSettings<T>,
}

/// The keywords of a function, in order.
pub fn names_of(spec: &ContactSpec) -> impl Iterator<Item = &'static str> + use<> {
    let of = |param: &ContactParam| match param {
        ContactParam::Active => &["active"][..],
        ContactParam::Restitution => &["restitution"],
        ContactParam::Settings => &["mu", "iterations", "kp", "kd", "anchors", "axes"],
        ContactParam::Axes | ContactParam::State(_) | ContactParam::Forces => &[],
    };
    spec.params.iter().flat_map(of).copied().chain(spec.has_axes.then_some("axes"))
}

/// The default of a keyword as Python writes it.
pub fn default_of(name: &str) -> &'static str {
    match name {
        "iterations" => "1",
        "axes" => "'local'",
        "active" | "anchors" | "tolerance" => "None",
        "correction" => "0.2",
        "sweeps" => "5",
        "newton_steps" => "20",
        "admm_iterations" => "100",
        "rounds" => "4",
        "continuations" => "3",
        _ => "0.0",
    }
}

/// Meaning of a keyword, for documentation.
pub fn doc_of(name: &str) -> &'static str {
    match name {
        "active" => {
            "which contacts hold, by their names or as a truth value for each of `CONTACTS`; by default all"
        }
        "restitution" => "the share of the velocity with which contacts part again",
        "mu" => "regularisation, added to the diagonal of the Delassus matrix; 1/kg",
        "iterations" => "solutions, each for the residual of the last one",
        "kp" => "Baumgarte's stiffness; 1/s^2",
        "kd" => "Baumgarte's damping; 1/s",
        "anchors" => "(NC, 4, 4): poses to which `kp` pulls contacts back; one with a NaN is none",
        "tolerance" => "the largest residual of a converged solution; by default 1e-9, of float32 1e-4",
        "correction" => "the share of a penetration, and of a closed loop's error, that a step takes back",
        "least_impact" => "approach velocity below which nothing rebounds; m/s",
        "sweeps" => "sweeps of projected Gauss-Seidel before Newton's steps",
        "newton_steps" => "the most steps of each run of Newton's method",
        "admm_iterations" => "iterations of the method of multipliers in each round",
        "rounds" => "rounds of the method of multipliers",
        "continuations" => "how often friction is lowered and grows again, if all of that failed",
        _ => "of rows: `local`, those of the contacts' frames, or `local_world_aligned`, the world's",
    }
}

/// All functions of a robot that has contacts.
pub fn items<T: Number>(robot: &Loaded<T>) -> Vec<Item> {
    let contacts = robot.contacts();
    if contacts.is_empty() {
        return Vec::new();
    }
    let nr = contacts.iter().map(|contact| contact.rows.len()).sum();
    let sizes = Sizes { nc: contacts.len(), nr, ..Sizes::from(robot.model()) };
    CONTACT_FUNCTIONS.iter().enumerate().map(|(k, spec)| item(k, spec, sizes, robot)).collect()
}

/// Forces of all contacts as the table has results.
const FORCES: Output = Output {
    name: "forces",
    shape: Dims::Vector(Dim::Nr),
    symmetric: false,
    unit: "N, N m",
    doc: "forces of all contacts, row by row",
};

fn item<T: Number>(k: usize, spec: &'static ContactSpec, sizes: Sizes, robot: &Loaded<T>) -> Item {
    let mut takes = Vec::new();
    let mut lines: Vec<String> = spec.paragraphs().flat_map(|text| [text, String::new()]).collect();
    for param in spec.params {
        let (layout, doc) = match param {
            ContactParam::State(param) => (Layout::of_param(param, sizes), param.doc),
            ContactParam::Forces => (Layout::of_output(&FORCES, sizes), FORCES.doc),
            _ => continue,
        };
        lines.push(format!("- `{}`, {}: {doc}", layout.name, tuple(&layout.shape)));
        takes.push(layout);
    }
    let is_given = spec.takes_parameters(robot.model());
    let given = if is_given { Given::of(robot, sizes) } else { Given::default() };
    takes.extend(given.takes);
    lines.extend(given.lines);
    lines.extend(names_of(spec).map(|name| format!("- `{name}`: {}", doc_of(name))));
    let gives: Vec<Layout> = spec.outputs.iter().map(|output| Layout::of_output(output, sizes)).collect();
    lines.push(table::doc(&[], &[], &[], spec.outputs, &gives, ChosenBy::Nothing));
    let computes = Computes::Contacts(OfContacts(k));
    let variant = Variant { computes, frame: String::new(), reference: ReferenceFrame::Local };
    Item {
        name: spec.name.into(),
        doc: lines.join("\n"),
        takes,
        defaults: given.defaults,
        gives,
        result: spec.result.map(str::to_owned),
        variants: vec![variant],
        keywords: names_of(spec).collect(),
        rollout: None,
        chosen_by: ChosenBy::Nothing,
    }
}

impl<T: Real> Held<T> {
    /// All of so many contacts hold, by default settings.
    pub fn by_default(contacts: usize) -> Self {
        let zero = T::zero();
        Self {
            active: vec![true; contacts],
            restitution: zero,
            mu: zero,
            iterations: 1,
            kp: zero,
            kd: zero,
            anchors: Vec::new(),
            axes: ContactAxes::Local,
            friction: FrictionSettings::default(),
        }
    }

    /// Reads the settings from the keywords of a call.
    pub fn new(function: &str, contacts: &[Contact], given: &[(String, Bound<'_, PyAny>)]) -> PyResult<Self> {
        let mut held = Self::by_default(contacts.len());
        for (name, value) in given.iter().filter(|(_, value)| !value.is_none()) {
            let number = || {
                let wrong =
                    |_| PyValueError::new_err(format!("{function}: {name} must be a number for all states"));
                value.extract::<f64>().map(T::of).map_err(wrong)
            };
            match name.as_str() {
                "active" => held.active = active(function, value, contacts)?,
                "restitution" => held.restitution = number()?,
                "mu" => held.mu = number()?,
                "kp" => held.kp = number()?,
                "kd" => held.kd = number()?,
                "iterations" => held.iterations = count(function, name, value, 1)?,
                "tolerance" => held.friction.tolerance = number()?,
                "correction" => held.friction.correction = number()?,
                "least_impact" => held.friction.least_impact = number()?,
                "sweeps" => held.friction.sweeps = count(function, name, value, 0)?,
                "newton_steps" => held.friction.newton_steps = count(function, name, value, 0)?,
                "admm_iterations" => held.friction.admm_iterations = count(function, name, value, 0)?,
                "rounds" => held.friction.rounds = count(function, name, value, 0)?,
                "continuations" => held.friction.continuations = count(function, name, value, 0)?,
                "anchors" => held.anchors = anchors(function, value, contacts.len())?,
                _ => held.axes = axes(function, value)?,
            }
        }
        Ok(held)
    }

    /// Truth value for each contact: true for active ones.
    pub fn active(&self) -> &[bool] {
        &self.active
    }

    /// Settings of how active contacts hold.
    pub fn settings(&self) -> ContactSettings<'_, T> {
        let Self { mu, iterations, kp, kd, axes, .. } = *self;
        ContactSettings { mu, iterations, kp, kd, anchors: &self.anchors, axes }
    }
}

/// A whole number that is at least as large as this.
fn count(function: &str, name: &str, value: &Bound<'_, PyAny>, least: usize) -> PyResult<usize> {
    value.extract().ok().filter(|count| *count >= least).ok_or_else(|| {
        PyValueError::new_err(format!("{function}: {name} must be a whole number from {least} on"))
    })
}

/// By names, or as many truth values as there are contacts.
fn active(function: &str, value: &Bound<'_, PyAny>, contacts: &[Contact]) -> PyResult<Vec<bool>> {
    let wrong = || {
        let names: Vec<String> = contacts.iter().map(|contact| format!("{:?}", contact.name)).collect();
        let (names, n) = (names.join(", "), contacts.len());
        PyValueError::new_err(format!(
            "{function}: active must be a list of contacts, of {names}, or {n} truth values in that order"
        ))
    };
    if value.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    let items = value.try_iter().map_err(|_| wrong())?.collect::<PyResult<Vec<_>>>().map_err(|_| wrong())?;
    if items.iter().all(|item| item.is_instance_of::<PyString>()) {
        let mut active = vec![false; contacts.len()];
        for item in items {
            let name: String = item.extract()?;
            let at = contacts.iter().position(|contact| contact.name == name).ok_or_else(wrong)?;
            active[at] = true;
        }
        return Ok(active);
    }
    let values: Result<Vec<bool>, _> = items.iter().map(|item| item.extract()).collect();
    values.ok().filter(|values| values.len() == contacts.len()).ok_or_else(wrong)
}

fn anchors<T: Real>(
    function: &str,
    value: &Bound<'_, PyAny>,
    contacts: usize,
) -> PyResult<Vec<Option<Placement<T>>>> {
    let wrong = || {
        let (shape, dtype) = (tuple(&[contacts, 4, 4]), T::NAME);
        PyValueError::new_err(format!(
            "{function}: anchors must be an array of {dtype}, of shape {shape} for all states"
        ))
    };
    let array: &Array<'_, T> = value.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?;
    if array.shape() != [contacts, 4, 4] || !array.is_c_contiguous() || !array.is_aligned() {
        return Err(wrong());
    }
    let of = |pose: &[T]| {
        let mut placement = Placement::identity();
        for i in 0..3 {
            for j in 0..3 {
                placement.rotation[(i, j)] = pose[4 * i + j];
            }
            placement.translation[i] = pose[4 * i + 3];
        }
        (!pose.iter().any(|x| x.double().is_nan())).then_some(placement)
    };
    Ok(numbers(array).chunks_exact(16).map(of).collect())
}

fn axes(function: &str, value: &Bound<'_, PyAny>) -> PyResult<ContactAxes> {
    match value.extract::<String>().as_deref() {
        Ok("local") => Ok(ContactAxes::Local),
        Ok("local_world_aligned") => Ok(ContactAxes::LocalWorldAligned),
        _ => {
            let given = value.repr()?;
            Err(PyValueError::new_err(format!(
                "{function}: axes is {given}; it must be one of \"local\", \"local_world_aligned\""
            )))
        }
    }
}

impl OfContacts {
    /// Computes one state.
    pub fn call<T: Real>(
        self,
        robot: &Loaded<T>,
        work: &mut Workspace<T>,
        held: &Held<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        let spec = &CONTACT_FUNCTIONS[self.0];
        let own = spec.params.iter().filter(|p| matches!(p, ContactParam::State(_) | ContactParam::Forces));
        // What is given at run time comes after the function's own arguments.
        let (inputs, given) = inputs.split_at(own.count());
        let robot = robot.contacts_with(parameters(robot, given));
        let (settings, active, restitution, axes) =
            (&held.settings(), &held.active, held.restitution, held.axes);
        match (spec.name, inputs, outputs) {
            ("contact_dynamics", [q, v, tau], [ddq, forces, residual]) => {
                robot.contact_dynamics(work, q, v, tau, active, settings, ddq, forces, residual)
            }
            ("contact_dynamics_derivatives", [q, v, tau], [a, b, c, d, e, f, g, h, i]) => robot
                .contact_dynamics_derivatives(
                    work,
                    q,
                    v,
                    tau,
                    active,
                    settings,
                    [a, b, c],
                    [d, e, f],
                    [g, h, i],
                ),
            ("contact_impulse", [q, v], [a, b, c]) => {
                robot.contact_impulse(work, q, v, active, restitution, settings, a, b, c)
            }
            ("contact_impulse_derivatives", [q, v], [a, b, c, d, e, f, g, h, i]) => robot
                .contact_impulse_derivatives(
                    work,
                    q,
                    v,
                    active,
                    restitution,
                    settings,
                    [a, b, c],
                    [d, e, f],
                    [g, h, i],
                ),
            ("contact_inverse_dynamics", [q, v, a, forces], [tau]) => {
                robot.contact_inverse_dynamics(work, q, v, a, forces, axes, tau)
            }
            ("contact_jacobian", [q], [out]) => robot.contact_jacobian(work, q, active, axes, out),
            ("delassus", [q], [out]) => robot.delassus(work, q, active, axes, out),
            ("contact_errors", [q], [out]) => robot.contact_errors(work, q, active, settings, out),
            ("contact_placements", [q], [out]) => robot.contact_placements(work, q, out),
            (name, ..) => unreachable!("{name} has other arguments"),
        }
    }
}
