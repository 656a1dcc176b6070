//! Runs plans without compiling them, and their reference values.
#![allow(dead_code, reason = "each test uses its part")]

pub mod scan;
pub mod second_order;
pub mod twice;
pub mod written;

use nalgebra::{DMatrix, DVector};
use rbd_build::Function;
use rbd_build::plan::Plan;
use rbd_build::second_order::MU;
use rbd_build::signature::{A, FEXT, Output, Param, Q, Sizes, TAU_GIVEN, V};
use rbd_runtime::random::State;
use rbd_runtime::{Model, Scalar};

/// Results of a plan's kernels at a state, by name. Entries that are not written are NaN.
pub fn evaluate(plan: &Plan, state: &State) -> Vec<(&'static str, DMatrix<f64>)> {
    evaluate_in(plan, state)
}

/// Results of a plan's kernels at a state in another scalar.
pub fn evaluate_in<T: Scalar>(plan: &Plan, state: &State) -> Vec<(&'static str, DMatrix<T>)> {
    plan.verify().unwrap_or_else(|what| panic!("{} ({}): {what}", plan.function.name(), plan.strategy));
    shaped(plan.run(|param| argument(plan, state, param)), state)
}

/// [`evaluate_in`] of plans that may call loops: as much code to compile for each scalar as all
/// loops of the runtime.
pub fn evaluate_with_loops<T: Scalar>(plan: &Plan, state: &State) -> Vec<(&'static str, DMatrix<T>)> {
    plan.verify().unwrap_or_else(|what| panic!("{} ({}): {what}", plan.function.name(), plan.strategy));
    shaped(plan.run_with_loops(|param| argument(plan, state, param)), state)
}

/// The value of a parameter at a state.
pub fn argument<T: Scalar>(plan: &Plan, state: &State, param: Param) -> Vec<T> {
    let numbers: Vec<f64> = match param {
        Q => state.q.as_slice().to_vec(),
        V => state.v.as_slice().to_vec(),
        A => state.a.as_slice().to_vec(),
        TAU_GIVEN => state.tau.as_slice().to_vec(),
        FEXT => state.fext.iter().flat_map(|f| f.iter().copied()).collect(),
        MU => second_order::weights(state.v.len()),
        other => panic!("{} has no value here: {}", other.name, plan.function.name()),
    };
    numbers.into_iter().map(T::from_f64).collect()
}

fn shaped<T: Scalar>(results: Vec<(Output, Vec<T>)>, state: &State) -> Vec<(&'static str, DMatrix<T>)> {
    let sizes = Sizes { nq: state.q.len(), nv: state.v.len(), nb: state.fext.len(), ..Sizes::default() };
    let matrix = |(output, values): (Output, Vec<T>)| {
        let (rows, columns) = output.shape.extent(sizes);
        (output.name, DMatrix::from_vec(rows, columns, values))
    };
    results.into_iter().map(matrix).collect()
}

/// Results of the reference, by the same names.
pub fn reference<T: Scalar>(
    function: Function,
    model: &Model<T>,
    s: &State,
) -> Vec<(&'static str, DMatrix<T>)> {
    let cast = |x: &DVector<f64>| -> Vec<T> { x.iter().map(|x| T::from_f64(*x)).collect() };
    let (q, v, a, tau) = (&cast(&s.q)[..], &cast(&s.v)[..], &cast(&s.a)[..], &cast(&s.tau)[..]);
    let fext: Vec<_> = s.fext.iter().map(|f| f.map(T::from_f64)).collect();
    let vector = |x: DVector<T>| DMatrix::from_column_slice(x.len(), 1, x.as_slice());
    let derivatives = |fext| {
        let d = model.rnea_derivatives(q, v, a, fext);
        vec![("tau", vector(d.tau)), ("dtau_dq", d.dtau_dq), ("dtau_dv", d.dtau_dv), ("dtau_da", d.dtau_da)]
    };
    let forward_derivatives = |fext| {
        let d = model.aba_derivatives(q, v, tau, fext);
        vec![("ddq", vector(d.ddq)), ("ddq_dq", d.ddq_dq), ("ddq_dv", d.ddq_dv), ("ddq_dtau", d.ddq_dtau)]
    };
    match function {
        Function::Rnea => vec![("tau", vector(model.rnea(q, v, a)))],
        Function::RneaFext => vec![("tau", vector(model.rnea_fext(q, v, a, &fext)))],
        Function::Bias => vec![("tau", vector(model.bias(q, v)))],
        Function::Gravity => vec![("tau", vector(model.gravity_torques(q)))],
        Function::Aba => vec![("ddq", vector(model.aba(q, v, tau)))],
        Function::AbaFext => vec![("ddq", vector(model.aba_fext(q, v, tau, &fext)))],
        Function::Crba => vec![("m", model.crba(q))],
        Function::Minv => vec![("minv", model.minv(q))],
        Function::RneaDerivatives => derivatives(None),
        Function::RneaDerivativesFext => derivatives(Some(&fext[..])),
        Function::RneaHessian => second_order::rnea_hessian(model, [q, v, a], None),
        Function::RneaHessianFext => second_order::rnea_hessian(model, [q, v, a], Some(&fext[..])),
        Function::RneaSecondDerivatives => second_order::tensors(model, [q, v, a], None),
        Function::RneaSecondDerivativesFext => second_order::tensors(model, [q, v, a], Some(&fext[..])),
        Function::AbaDerivatives => forward_derivatives(None),
        Function::AbaDerivativesFext => forward_derivatives(Some(&fext[..])),
        other => whole_body(other, model, (q, v, a)),
    }
}

/// Results of the reference for functions of the whole robot.
fn whole_body<T: Scalar>(
    function: Function,
    model: &Model<T>,
    (q, v, a): (&[T], &[T], &[T]),
) -> Vec<(&'static str, DMatrix<T>)> {
    use rbd_runtime::reference as r;
    let data = &mut r::Data::new(model);
    let column = |x: &[T]| DMatrix::from_column_slice(x.len(), 1, x);
    let row = |x: DVector<T>| DMatrix::from_column_slice(1, x.len(), x.as_slice());
    match function {
        Function::ForwardKinematics => {
            let numbers = |at: &rbd_runtime::spatial::Placement<T>| -> Vec<T> {
                at.rotation.iter().chain(at.translation.iter()).copied().collect()
            };
            let all: Vec<T> = r::forward_kinematics(model, data, q).iter().flat_map(numbers).collect();
            vec![("placements", DMatrix::from_column_slice(3, 4 * model.bodies.len(), &all))]
        }
        Function::CenterOfMass => vec![("com", column(r::center_of_mass(model, data, q).as_slice()))],
        Function::CenterOfMassVelocity => {
            vec![("com_velocity", column(r::center_of_mass_velocity(model, data, q, v).as_slice()))]
        }
        Function::CenterOfMassJacobian => {
            vec![("com_jacobian", r::center_of_mass_jacobian(model, data, q))]
        }
        Function::CentroidalMomentum => {
            vec![("momentum", column(r::centroidal_momentum(model, data, q, v).as_slice()))]
        }
        Function::CentroidalMomentumMatrix => {
            vec![("momentum_matrix", r::centroidal_momentum_matrix(model, data, q).clone())]
        }
        Function::CentroidalMomentumRate => {
            vec![("rate", column(r::centroidal_momentum_rate(model, data, q, v, a).as_slice()))]
        }
        Function::CentroidalDerivatives => {
            let d = r::centroidal_derivatives(model, data, q, v, a);
            vec![
                ("momentum", column(d.momentum.as_slice())),
                ("rate", column(d.rate.as_slice())),
                ("dmomentum_dq", d.dmomentum_dq),
                ("drate_dq", d.drate_dq),
                ("drate_dv", d.drate_dv),
                ("drate_da", d.drate_da),
            ]
        }
        Function::KineticEnergy => vec![("energy", column(&[r::kinetic_energy(model, data, q, v)]))],
        Function::KineticEnergyDerivatives => {
            let d = r::kinetic_energy_derivatives(model, data, q, v);
            vec![
                ("energy", column(&[d.energy])),
                ("denergy_dq", column(d.denergy_dq.as_slice())),
                ("denergy_dv", column(d.denergy_dv.as_slice())),
            ]
        }
        Function::PotentialEnergy => vec![("energy", column(&[r::potential_energy(model, data, q)]))],
        Function::CoriolisMatrix => vec![("coriolis", r::coriolis_matrix(model, data, q, v).clone())],
        Function::Regressor => vec![("regressor", r::regressor(model, data, q, v, a).clone())],
        Function::KineticEnergyRegressor => {
            vec![("kinetic_energy_regressor", row(r::kinetic_energy_regressor(model, data, q, v)))]
        }
        Function::PotentialEnergyRegressor => {
            vec![("potential_energy_regressor", row(r::potential_energy_regressor(model, data, q)))]
        }
        other => panic!("{} is of a frame", other.name()),
    }
}

/// The largest difference, relative to the largest entry.
pub fn relative_error(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    // NaN must not pass for small, as it does in `amax`.
    let difference = a - b;
    if difference.iter().any(|x| x.is_nan()) { f64::INFINITY } else { difference.amax() / b.amax().max(1.0) }
}
