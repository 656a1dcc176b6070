//! Hessians of contact dynamics, as a function of Python.

use crate::call::Computes;
use crate::contacts::Held;
use crate::real::Real;
use crate::rows::{Dims, HELD, Row};
use rbd_jit::{ContactsWithParameters, Error, Workspace};

/// Computes one state.
pub fn call<T: Real>(
    robot: &ContactsWithParameters<'_, T>,
    work: &mut Workspace<T>,
    held: &Held<T>,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) -> Result<(), Error> {
    let ([q, v, tau, lambda, kappa], [a, b, c, d, e, f, g, h]) = (inputs, outputs) else {
        unreachable!("it has other arguments");
    };
    let (settings, tangent) = (held.settings(), [*v, *tau, *lambda]);
    let out = [a, b, c, d, e, f, g, h].map(|out| &mut **out);
    robot.contact_dynamics_hessian_in(work, q, tangent, kappa, (held.active(), &settings), out)
}

/// The function.
pub static ROW: Row = Row {
    computes: Computes::ContactHessian,
    name: "contact_dynamics_hessian",
    doc: "Accelerations and forces of `contact_dynamics`, weighted: value, gradient and Hessian by the \
          configuration (in its tangent space), the velocity and the torques. Second derivatives by velocity \
          and torques, and by torques twice, are zero.",
    equation: "lambda . ddq + kappa . forces",
    takes: &["q", "v", "tau"],
    takes_more: &[
        ("lambda", Dims::Tangent, "weights of the accelerations"),
        ("kappa", Dims::Rows, "weights of the forces of all contacts; those of inactive ones do not count"),
    ],
    gives: &[
        ("value", Dims::Scalar, "the sum"),
        ("dq", Dims::Tangent, "gradient by the configuration"),
        ("dv", Dims::Tangent, "gradient by the velocity"),
        ("dtau", Dims::Tangent, "gradient by the torques"),
        ("dqdq", Dims::Square, "derivative of `dq` by the configuration"),
        ("dqdv", Dims::Square, "derivative of `dq` by the velocity"),
        ("dvdv", Dims::Square, "derivative of `dv` by the velocity"),
        ("dqdtau", Dims::Square, "derivative of `dq` by the torques"),
    ],
    result: Some("ContactDynamicsHessian"),
    keywords: HELD,
};
