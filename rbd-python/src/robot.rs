//! A loaded robot as an object of Python: sizes, joints, and its functions as attributes.

use crate::array;
use crate::function::Function;
use crate::load::{Source, engine_name};
use crate::real::{Either, with_robot};
use crate::table::{Item, default_inertia, items};
use crate::{contact_hessian, friction, rows};
use numpy::{PyArray1, PyArray2, PyArrayDescr, PyArrayMethods};
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple};
use rbd_jit::Number;
use rbd_runtime::Model;
use rbd_runtime::model::Body;
use std::sync::Arc;

/// A robot, and functions of it that are machine code. `rbd.load` makes one.
#[pyclass(frozen, dict, weakref, module = "rbd")]
#[derive(Debug)]
pub struct Robot {
    loaded: Either,
    source: Arc<Source>,
}

impl Robot {
    /// An object with all attributes.
    pub fn new(py: Python<'_>, loaded: Either, source: Source) -> PyResult<Bound<'_, Self>> {
        let source = Arc::new(source);
        let object = Bound::new(py, Self { loaded: loaded.clone(), source: Arc::clone(&source) })?;
        let robot = object.get();
        let model = robot.model();
        let set = |name: &str, value: Bound<'_, PyAny>| object.setattr(name, value);
        for (names, size) in
            [(["NQ", "nq"], model.nq), (["NV", "nv"], model.nv), (["NB", "nb"], model.bodies.len())]
        {
            for name in names {
                set(name, size.into_pyobject(py)?.into_any())?;
            }
        }
        set("NAME", model.name.as_str().into_pyobject(py)?.into_any())?;
        let joints = model.bodies.iter().map(|body| joint(py, body)).collect::<PyResult<Vec<_>>>()?;
        set("JOINTS", PyTuple::new(py, joints)?.into_any())?;
        let names = model.bodies.iter().map(|body| body.joint.as_str());
        set("joint_names", PyTuple::new(py, names)?.into_any())?;
        let inertias = model.run_time.inertias.iter().map(|inertia| inertia.name.as_str());
        set("INERTIAS", PyTuple::new(py, inertias.collect::<Vec<_>>())?.into_any())?;
        let actuated = with_robot!(&loaded, loaded => loaded.robot.actuated());
        set("NU", actuated.len().into_pyobject(py)?.into_any())?;
        set("ACTUATED", PyTuple::new(py, actuated)?.into_any())?;
        let contacts = with_robot!(&loaded, loaded => loaded.robot.contacts());
        set("NC", contacts.len().into_pyobject(py)?.into_any())?;
        let names: Vec<&str> = contacts.iter().map(|contact| contact.name.as_str()).collect();
        set("CONTACTS", PyTuple::new(py, names)?.into_any())?;
        let rows = PyDict::new(py);
        for contact in contacts {
            let (start, end) = (contact.rows.start as isize, contact.rows.end as isize);
            rows.set_item(&contact.name, PySlice::new(py, start, end, 1))?;
        }
        set("contact_rows", rows.into_any())?;
        let items = robot.items();
        let mut frames: Vec<&str> = Vec::new();
        for variant in items.iter().flat_map(|item| &item.variants) {
            if !variant.frame.is_empty() && !frames.contains(&variant.frame.as_str()) {
                frames.push(&variant.frame);
            }
        }
        set("FRAMES", PyTuple::new(py, frames)?.into_any())?;
        for item in items {
            let function = Function::new(py, loaded.clone(), Arc::clone(&source), item)?;
            let name = function.name().to_owned();
            set(&name, Bound::new(py, function)?.into_any())?;
        }
        Ok(object)
    }

    fn model(&self) -> &Model<f64> {
        with_robot!(&self.loaded, loaded => loaded.robot.model())
    }

    fn items(&self) -> Vec<Item> {
        with_robot!(&self.loaded, loaded => items(&loaded.robot))
    }

    /// An array of the robot's type.
    fn array<'py>(&self, py: Python<'py>, shape: &[usize], numbers: &[f64]) -> Bound<'py, PyAny> {
        with_robot!(&self.loaded, loaded => array::of(loaded, py, shape, numbers))
    }

    /// A limit of each coordinate: a joint's, if it has one coordinate, else none.
    fn limits<'py>(
        &self,
        py: Python<'py>,
        n: usize,
        none: f64,
        of: impl Fn(&Body<f64>) -> (usize, usize, f64),
    ) -> Bound<'py, PyAny> {
        let mut all = vec![none; n];
        for body in &self.model().bodies {
            if let (first, 1, limit) = of(body) {
                all[first] = limit;
            }
        }
        self.array(py, &[n], &all)
    }
}

fn joint<'py>(py: Python<'py>, body: &Body<f64>) -> PyResult<Bound<'py, PyAny>> {
    let joints = py.import("rbd.joints")?;
    let mimic = match body.mimic {
        None => None,
        Some(m) => Some(joints.getattr("Mimic")?.call1((m.joint, m.multiplier, m.offset))?),
    };
    let fields = PyDict::new(py);
    fields.set_item("name", &body.joint)?;
    fields.set_item("kind", format!("{:?}", body.kind).to_lowercase())?;
    fields.set_item("idx_q", body.idx_q)?;
    fields.set_item("nq", body.nq())?;
    fields.set_item("idx_v", body.idx_v)?;
    fields.set_item("nv", body.nv())?;
    fields.set_item("parent", body.parent)?;
    fields.set_item("mimic", mimic)?;
    fields.set_item("lower", body.limits.lower)?;
    fields.set_item("upper", body.limits.upper)?;
    fields.set_item("velocity", body.limits.velocity)?;
    fields.set_item("effort", body.limits.effort)?;
    fields.set_item("damping", body.damping)?;
    fields.set_item("friction", body.friction)?;
    fields.set_item("armature", body.armature)?;
    joints.getattr("Joint")?.call((), Some(&fields))
}

#[pymethods]
impl Robot {
    /// The configuration in which every joint is at zero (quaternions at the identity).
    fn neutral<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let model = self.model();
        self.array(py, &[model.nq], model.neutral().as_slice())
    }

    /// The least configuration that limits allow; minus infinity where there is none.
    fn lower_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.limits(py, self.model().nq, f64::NEG_INFINITY, |b| (b.idx_q, b.nq(), b.limits.lower))
    }

    /// The greatest configuration that limits allow; infinity where there is none.
    fn upper_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.limits(py, self.model().nq, f64::INFINITY, |b| (b.idx_q, b.nq(), b.limits.upper))
    }

    /// The greatest speeds of the joints, rad/s or m/s; infinity where the URDF has none.
    fn velocity_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.limits(py, self.model().nv, f64::INFINITY, |b| (b.idx_v, b.nv(), b.limits.velocity))
    }

    /// The greatest torques of the joints, N m or N; infinity where the URDF has none.
    fn effort_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.limits(py, self.model().nv, f64::INFINITY, |b| (b.idx_v, b.nv(), b.limits.effort))
    }

    /// The inertias that functions take by default: the URDF's, and no loads. Shape (len(INERTIAS), 10).
    fn default_inertia<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let inertia = with_robot!(&self.loaded, loaded => default_inertia(&loaded.robot));
        self.array(py, &[inertia.len() / 10, 10], &inertia)
    }

    /// The gravitational acceleration in the world that functions take by default, m/s^2.
    fn default_gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.array(py, &[3], self.model().gravity.as_slice())
    }

    /// The ten inertial parameters of each body as the URDF has them: m, m times the centre of mass, and
    /// Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about the origin of its joint's frame. Shape (NB, 10).
    fn inertial_parameters<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let bodies = &self.model().bodies;
        let all: Vec<f64> = bodies.iter().flat_map(|body| body.inertia.parameters()).collect();
        self.array(py, &[bodies.len(), 10], &all)
    }

    /// The order in which Pinocchio has q and v: `v_pinocchio = v[order.v]`, and `v[order.v] = v_pinocchio`
    /// for the way back.
    ///
    /// With `names`, such as `list(model.names)`, that of joints in this order.
    #[pyo3(signature = (names = None))]
    fn pinocchio_order<'py>(
        &self,
        py: Python<'py>,
        names: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let model = self.model();
        let order = match names {
            None => model.pinocchio_order.clone(),
            Some(names) => by_names(model, &names)?,
        };
        let bodies = || order.iter().map(|&k| &model.bodies[k]);
        let range = |first: usize, n: usize| (first..first + n).map(|i| i as i64);
        let q: Vec<i64> = bodies().flat_map(|body| range(body.idx_q, body.nq())).collect();
        let v: Vec<i64> = bodies().flat_map(|body| range(body.idx_v, body.nv())).collect();
        let class = py.import("rbd.joints")?.getattr("CoordinateOrder")?;
        class.call1((PyArray1::from_vec(py, q), PyArray1::from_vec(py, v)))
    }

    /// Which entries of a matrix can differ from zero: an array of bool in the matrix's shape. All others are
    /// zero in every state.
    ///
    /// `scipy.sparse.csc_array(robot.structure("rnea_derivatives", "dtau_dq"))` is what sparse solvers take.
    fn structure<'py>(
        &self,
        py: Python<'py>,
        function: &str,
        output: &str,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let (entries, extent) =
            with_robot!(&self.loaded, loaded => entries(&loaded.robot, function, output))?;
        PyArray1::from_vec(py, entries).reshape(extent)
    }

    /// What was odd about the URDF, a sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = with_robot!(&self.loaded, loaded => loaded.robot.warnings());
        warnings.brief().warnings().map(ToString::to_string).collect()
    }

    /// What computes the functions: `avx512`, `avx2`, `neon` or `interpreter`.
    #[getter]
    fn engine(&self) -> String {
        with_robot!(&self.loaded, loaded => engine_name(loaded.robot.engine()))
    }

    /// The type of its numbers: `numpy.dtype("float64")` or `numpy.dtype("float32")`.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        self.loaded.dtype(py)
    }

    /// The functions that were loaded, by name.
    #[getter]
    fn functions<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let functions = PyDict::new(slf.py());
        for item in slf.get().items() {
            functions.set_item(&item.name, slf.getattr(item.name.as_str())?)?;
        }
        Ok(functions)
    }

    /// The functions for columns of Apache Arrow: `rbd.arrow.functions(robot)`.
    #[getter]
    fn arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("rbd.arrow")?.getattr("functions")?.call1((slf,))
    }

    /// The functions for JAX, on CPUs: `rbd.jax.functions(robot)`.
    #[getter]
    fn jax<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("rbd.jax")?.getattr("functions")?.call1((slf,))
    }

    /// The functions for torch, on CPUs: `rbd.torch.functions(robot)`.
    #[getter]
    fn torch<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("rbd.torch")?.getattr("functions")?.call1((slf,))
    }

    fn __getattr__(&self, name: &str) -> PyResult<()> {
        let robot = &self.model().name;
        if let Some(row) = rows::step_row(name) {
            let has_steps = with_robot!(&self.loaded, loaded => loaded.robot.integrator().is_some());
            let is_actuated = with_robot!(&self.loaded, loaded => loaded.robot.nu() > 0);
            let not_asked = rbd_jit::Error::NotAsked(row.name);
            let said = match has_steps {
                true if row.is_actuated() && !is_actuated => {
                    format!("{not_asked}; `actuated=` of rbd.load names joints with motors")
                }
                true => {
                    // Steps are there, and contacts or second derivatives are missing.
                    let why = with_robot!(&self.loaded, loaded => loaded.robot.contact_hessian_is_there());
                    let has_contacts =
                        with_robot!(&self.loaded, loaded => !loaded.robot.contacts().is_empty());
                    match why {
                        Err(why) if row.is_contact_hessian() && has_contacts => why.to_string(),
                        _ => format!("{not_asked}; `contacts=` of rbd.load names contacts"),
                    }
                }
                false => {
                    let missing = with_robot!(&self.loaded, loaded => loaded.robot.missing_step(row.name));
                    missing.unwrap_or(rbd_jit::Error::NoSteps(row.name)).to_string()
                }
            };
            return Err(PyAttributeError::new_err(said));
        }
        if name == contact_hessian::ROW.name {
            let why = with_robot!(&self.loaded, loaded => loaded.robot.contact_hessian_is_there());
            let said = why.map_or_else(|error| error.to_string(), |()| format!("{robot} has {name}"));
            return Err(PyAttributeError::new_err(said));
        }
        if friction::is_one(name) {
            let why = with_robot!(&self.loaded, loaded => loaded.robot.friction_is_there());
            let said = why.map_or_else(|error| error.to_string(), |()| format!("{robot} has {name}"));
            return Err(PyAttributeError::new_err(said));
        }
        let found = with_robot!(&self.loaded, loaded => loaded.robot.function(name).map(|_| ()));
        let said = match found {
            // Names of functions that are there are attributes.
            Ok(()) => format!("{robot} has no attribute '{name}'"),
            Err(rbd_jit::Error::Unknown(..)) => format!("{robot} has no attribute or function '{name}'"),
            Err(error) => format!("{error}; `functions=` of rbd.load says which are loaded"),
        };
        Err(PyAttributeError::new_err(said))
    }

    fn __repr__(&self) -> String {
        let Model { name, nq, nv, .. } = self.model();
        format!("<robot {name}: NQ {nq}, NV {nv}, {} functions>", self.items().len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("rbd")?.getattr("_restore")?;
        Ok((restore, self.source.arguments(py)?))
    }
}

/// Sparsity of a matrix by rows: true for entries that can differ from zero. Then its rows and columns.
fn entries<T: Number>(
    robot: &rbd_jit::Loaded<T>,
    function: &str,
    output: &str,
) -> PyResult<(Vec<bool>, [usize; 2])> {
    let structure = match robot.structure(function, output) {
        Some(structure) => structure,
        None => return Err(PyValueError::new_err(no_matrix(robot, function, output))),
    };
    let (rows, columns) = (structure.rows(), structure.columns());
    let entry = |k: usize| !structure.is_zero(k / columns, k % columns);
    Ok(((0..rows * columns).map(entry).collect(), [rows, columns]))
}

/// Message that there is no such matrix.
fn no_matrix<T: Number>(robot: &rbd_jit::Loaded<T>, function: &str, output: &str) -> String {
    let names: Vec<_> = match robot.function(function) {
        _ if function == "step_derivatives" => match robot.missing_step("step_derivatives") {
            Some(missing) => return missing.to_string(),
            None => rbd_build::step_zeros::BLOCKS.to_vec(),
        },
        Ok(found) => found.outputs().iter().map(|other| other.name).collect(),
        Err(e) => return e.to_string(),
    };
    format!("{function} has no matrix '{output}'; its results are {}", names.join(", "))
}

/// Bodies in the order of their joints' names.
fn by_names(model: &Model<f64>, names: &[String]) -> PyResult<Vec<usize>> {
    let mut order = Vec::new();
    // Pinocchio's list begins with the world.
    for name in names.iter().skip_while(|name| *name == "universe") {
        let body = model.bodies.iter().position(|body| body.joint == *name);
        let body = body.ok_or_else(|| PyValueError::new_err(format!("there is no joint {name:?}")))?;
        if order.contains(&body) {
            return Err(PyValueError::new_err(format!("the joint {name:?} is there twice")));
        }
        order.push(body);
    }
    // A joint that follows another has no coordinate, and need not be there.
    match model.bodies.iter().enumerate().find(|(k, body)| body.nv() > 0 && !order.contains(k)) {
        Some((_, body)) => Err(PyValueError::new_err(format!("the joint {:?} is missing", body.joint))),
        None => Ok(order),
    }
}
