//! What the robot says of itself and its joints.
// The same for every robot.

use crate::call::Tuple;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rbd_runtime::{CoordinateOrder, Joint, Mechanism};

static JOINT: Tuple = Tuple::new(
    "Joint",
    &[
        "name", "kind", "idx_q", "nq", "idx_v", "nv", "parent", "mimic", "lower", "upper", "velocity", "effort",
        "damping", "friction", "armature",
    ],
);

static MIMIC: Tuple = Tuple::new("Mimic", &["joint", "multiplier", "offset"]);

static ORDER: Tuple = Tuple::new("CoordinateOrder", &["q", "v"]);

/// Adds sizes, names and the table of joints.
pub fn add<M: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("NQ", NQ)?;
    module.add("NV", NV)?;
    module.add("NB", M::NB)?;
    module.add("NAME", M::NAME)?;
    module.add("Joint", JOINT.class(py)?)?;
    module.add("Mimic", MIMIC.class(py)?)?;
    module.add("CoordinateOrder", ORDER.class(py)?)?;
    let joints = M::JOINTS.iter().map(|j| joint(py, j)).collect::<PyResult<Vec<_>>>()?;
    module.add("JOINTS", PyTuple::new(py, joints)?)?;
    module.add("joint_names", PyTuple::new(py, M::JOINTS.iter().map(|joint| joint.name))?)
}

fn joint<'py>(py: Python<'py>, joint: &Joint) -> PyResult<Bound<'py, PyAny>> {
    let mimic = match joint.mimic {
        None => None,
        Some(m) => Some(MIMIC.of(py, (m.joint, m.multiplier, m.offset).into_pyobject(py)?)?),
    };
    let kind = format!("{:?}", joint.kind).to_lowercase();
    let indices = (joint.idx_q, joint.nq, joint.idx_v, joint.nv, joint.parent).into_pyobject(py)?;
    let limits = [joint.lower, joint.upper, joint.velocity, joint.effort];
    let resistance = [joint.damping, joint.friction, joint.armature];
    let mut items = vec![joint.name.into_pyobject(py)?.into_any(), kind.into_pyobject(py)?.into_any()];
    items.extend(indices.iter());
    items.push(mimic.into_pyobject(py)?.into_any());
    for number in limits.into_iter().chain(resistance) {
        items.push(number.into_pyobject(py)?.into_any());
    }
    JOINT.of(py, PyTuple::new(py, items)?)
}

/// The order of coordinates in Pinocchio, or where joints come in the order of these names.
pub fn order<M: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>(
    py: Python<'_>,
    names: Option<Vec<String>>,
) -> PyResult<Bound<'_, PyAny>> {
    let CoordinateOrder { q, v } = match names {
        None => M::pinocchio_order(),
        Some(names) => by_names::<M, NQ, NV>(&names)?,
    };
    let [q, v] = [&q[..], &v[..]].map(|order| {
        let order: Vec<i64> = order.iter().map(|&i| i as i64).collect();
        PyArray1::from_vec(py, order).into_any()
    });
    ORDER.of(py, PyTuple::new(py, [q, v])?)
}

fn by_names<M: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>(
    names: &[String],
) -> PyResult<CoordinateOrder<NQ, NV>> {
    let mut order = Vec::new();
    // Pinocchio's list begins with the world.
    for name in names.iter().skip_while(|name| *name == "universe") {
        let joint = M::joint(name);
        let joint = joint.ok_or_else(|| PyValueError::new_err(format!("there is no joint {name:?}")))?;
        if order.contains(&joint) {
            return Err(PyValueError::new_err(format!("the joint {name:?} is there twice")));
        }
        order.push(joint);
    }
    // A joint that follows another has no coordinate, and need not be there.
    match M::JOINTS.iter().enumerate().find(|(k, joint)| joint.nv > 0 && !order.contains(k)) {
        Some((_, joint)) => Err(PyValueError::new_err(format!("the joint {:?} is missing", joint.name))),
        None => Ok(rbd_runtime::__private::coordinate_order(M::JOINTS, &order)),
    }
}

/// A vector as a new array.
pub fn vector<'py, const N: usize>(py: Python<'py>, vector: nalgebra::SVector<f64, N>) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, vector.as_slice())
}
