//! The discrete step for GPUs against that of the generic reference.

use crate::c_compiler::{Batch, batches, compilers, some};
use crate::common_steps::{close, expected, weights};
use crate::{Called, FEW, PLAIN, by_result, check, robot, states};
use rbd_build::emit::c::Real;
use rbd_build::emit::gpu::Writer;
use rbd_build::{Base, Error, Function, Generated, Gpu, Robot};
use rbd_runtime::Integrator::{Explicit, SemiImplicit};
use rbd_runtime::manifold::integrate;
use rbd_runtime::random::State;
use rbd_runtime::{Integrator, Model};

/// So long that joints turn by more than a radian, and so short that some do not.
const TIMES: [f64; 3] = [0.3, 0.002, -0.1];

/// Next configuration, next velocity and acceleration.
fn stepped(model: &Model<f64>, integrator: Integrator, (state, dt): (&State, f64)) -> Vec<Vec<f64>> {
    let ddq = model.aba(state.q.as_slice(), state.v.as_slice(), state.tau.as_slice());
    let v = &state.v + &ddq * dt;
    let along = if integrator == Explicit { &state.v } else { &v } * dt;
    let mut q = state.q.clone();
    for b in model.bodies.iter().filter(|b| b.mimic.is_none()) {
        let (of_q, of_v) = (b.idx_q..b.idx_q + b.kind.nq(), b.idx_v..b.idx_v + b.kind.nv());
        let from = state.q.as_slice();
        integrate(b.kind, &from[of_q.clone()], &along.as_slice()[of_v], &mut q.as_mut_slice()[of_q]);
    }
    [q, v, ddq].map(|x| x.as_slice().to_vec()).to_vec()
}

fn called(model: &Model<f64>, prefix: &str, integrator: Integrator) -> Called {
    let states = states(model);
    let each = || states.iter().zip(TIMES);
    let results: Vec<_> = each().map(|of| stepped(model, integrator, of)).collect();
    let of = |array: fn(&State) -> &nalgebra::DVector<f64>| -> Vec<Vec<f64>> {
        states.iter().map(|state| array(state).as_slice().to_vec()).collect()
    };
    let times = TIMES.map(|dt| vec![dt]).to_vec();
    Called {
        function: format!("{prefix}_step"),
        given: Vec::new(),
        arguments: vec![of(|s| &s.q), of(|s| &s.v), of(|s| &s.tau), times],
        results: by_result(&results),
    }
}

fn is_the_references(name: &str, made: &Generated, text: String, tolerance: (&str, f64)) {
    let integrator = made.integrator().unwrap();
    let cases = called(&made.model, &made.name, integrator).both(&text);
    let file = (format!("{}.cuh", made.name), text);
    check(&format!("step_{name}"), &file, tolerance.0, &cases, (&compilers(), tolerance.1));
}

fn joints() -> Robot {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    Robot::from_urdf(format!("{root}/tests/step/joints.urdf")).name("joints").functions([])
}

#[test]
fn every_joint_kind() {
    for (k, integrator) in [SemiImplicit, Explicit].into_iter().enumerate() {
        let base = if k == 0 { Base::Floating } else { Base::Fixed };
        let robot = joints().base(base).step(integrator);
        let made = robot.plan(Gpu::default()).unwrap();
        // Derivatives are not asked for.
        assert_eq!(made.functions.iter().map(|plan| plan.function).collect::<Vec<_>>(), [Function::Aba]);
        is_the_references(&format!("whole{k}"), &made, made.files().remove(0).1, ("double", 1e-11));
        let single = robot.plan(Gpu { float: true }).unwrap();
        is_the_references(&format!("single{k}"), &single, single.files().remove(0).1, ("float", 1e-3));
        // The next state after all parts of the accelerations.
        let gpu = Writer { prefix: "joints", real: Real::F64, origin: "a test", most_alive: FEW };
        let text = gpu.robot_that_steps(&made.model, &made.functions, integrator);
        assert!(text.contains("#define JOINTS_STEP_KERNELS 2"));
        is_the_references(&format!("parts{k}"), &made, text, ("double", 1e-11));
    }
}

/// The next state, the accelerations and all blocks, by the runtime's joining of the reference.
fn differentiated(model: &Model<f64>, integrator: Integrator, (state, dt): (&State, f64)) -> Vec<Vec<f64>> {
    let weights = [weights(model.nv, 0.4), weights(model.nv, 2.2)];
    let of = expected(model, integrator, state, dt, [&weights[0], &weights[1]]).derivatives;
    let ddq = model.aba(state.q.as_slice(), state.v.as_slice(), state.tau.as_slice());
    let mut all: Vec<Vec<f64>> = of.into_iter().map(|(_, x)| x).collect();
    all.insert(2, ddq.as_slice().to_vec());
    all
}

fn derivatives_are_the_references(name: &str, made: &Generated, text: String, tolerance: (&str, f64)) {
    let (integrator, model) = (made.integrator().unwrap(), &made.model);
    let states = states(model);
    let results: Vec<_> = states.iter().zip(TIMES).map(|of| differentiated(model, integrator, of)).collect();
    let called = called(model, &made.name, integrator);
    let called = Called {
        function: format!("{}_step_derivatives", made.name),
        results: by_result(&results),
        ..called
    };
    let file = (format!("{}.cuh", made.name), text);
    let cases = called.both(&file.1);
    check(&format!("step_derivatives_{name}"), &file, tolerance.0, &cases, (&compilers(), tolerance.1));
}

#[test]
fn derivatives_of_every_joint_kind() {
    for &(integrator, float) in some(2, &[(SemiImplicit, false), (Explicit, true), (SemiImplicit, true)]) {
        let robot = joints().functions([Function::AbaDerivatives]).step(integrator);
        let made = robot.plan(Gpu { float }).unwrap();
        let tolerance = if float { ("float", 5e-3) } else { ("double", 1e-10) };
        let name = format!("{integrator:?}_{}", tolerance.0);
        derivatives_are_the_references(&name, &made, made.files().remove(0).1, tolerance);
    }
    let arm = robot("iiwa14").functions([Function::AbaDerivatives]).step(SemiImplicit);
    let made = arm.plan(Gpu::default()).unwrap();
    derivatives_are_the_references("arm", &made, made.files().remove(0).1, ("double", 1e-10));
}

/// All results of the weighted step, first derivatives of accelerations among them.
fn weighted(
    model: &Model<f64>,
    integrator: Integrator,
    (state, dt): (&State, f64),
    weights: [&[f64]; 2],
) -> Vec<Vec<f64>> {
    let of = expected(model, integrator, state, dt, weights);
    let first = model.aba_derivatives(state.q.as_slice(), state.v.as_slice(), state.tau.as_slice(), None);
    let by = [first.ddq_dq, first.ddq_dv, first.ddq_dtau].map(|m| m.as_slice().to_vec());
    let hessian = |name: &str| of.hessian.iter().find(|(of, _)| *of == name).unwrap().1.clone();
    let names =
        ["value", "dq", "dv", "dtau", "dqdq", "dqdv", "dvdv", "dqdtau", "dvdtau", "dtaudtau"].map(hessian);
    let state = of.next.into_iter().map(|(_, x)| x).chain([first.ddq.as_slice().to_vec()]);
    state.chain(by).chain(names).collect()
}

fn hessians_are_the_references(name: &str, made: &Generated, tolerance: (&str, f64)) {
    let (integrator, model) = (made.integrator().unwrap(), &made.model);
    let states = states(model);
    let of = |first: f64| -> Vec<Vec<f64>> {
        (0..states.len()).map(|k| weights(model.nv, first + k as f64)).collect()
    };
    let (of_q, of_v) = (of(0.4), of(2.2));
    let mut results: Vec<Vec<Vec<f64>>> = (0..states.len())
        .map(|k| weighted(model, integrator, (&states[k], TIMES[k]), [&of_q[k], &of_v[k]]))
        .collect();
    let text = made.files().remove(0).1;
    let defined = format!("#define {}_STEP_HESSIAN_WORK ", made.name.to_uppercase());
    let work: usize = text.split_once(&defined).unwrap().1.split_once('\n').unwrap().0.parse().unwrap();
    // What is in the memory afterwards is not compared.
    results.iter_mut().for_each(|of| of.push(vec![0.0; work]));
    let mut called = called(model, &made.name, integrator);
    called.function = format!("{}_step_hessian", made.name);
    called.arguments.extend([of_q, of_v]);
    called.results = by_result(&results);
    let numbers = [states.len(), 1];
    let cases: Vec<Batch> = called.both(&text).into_iter().map(|(batch, _)| batch).collect();
    let file = (format!("{}.cuh", made.name), text);
    for compiler in compilers() {
        let found =
            batches(compiler, &format!("step_hessian_{name}_{compiler}"), &file, tolerance.0, &PLAIN, &cases);
        for (found, states) in found.iter().zip(numbers) {
            let mut from = 0;
            for (j, result) in results[0].iter().enumerate().take(results[0].len() - 1) {
                for (k, expected) in results.iter().enumerate().take(states) {
                    let own: Vec<f64> = (0..result.len()).map(|i| found[from + i * states + k]).collect();
                    // Blocks that are zero have the rounding of the others.
                    let all = expected[4 + 6..16].iter().flatten().fold(1e-3_f64, |m, x| m.max(x.abs()));
                    close(
                        &format!("{name}, {compiler}, result {j}, state {k}"),
                        &own,
                        &expected[j],
                        all,
                        tolerance.1,
                    );
                }
                from += result.len() * states;
            }
        }
    }
}

#[test]
fn hessians_of_every_joint_kind() {
    for &(integrator, float) in some(1, &[(SemiImplicit, false), (Explicit, false), (SemiImplicit, true)]) {
        let robot = joints().functions([Function::AbaHessian]).step(integrator);
        let made = robot.plan(Gpu { float }).unwrap();
        let tolerance = if float { ("float", 5e-3) } else { ("double", 1e-9) };
        hessians_are_the_references(&format!("{integrator:?}_{}", tolerance.0), &made, tolerance);
    }
    let arm = robot("iiwa14").functions([Function::AbaHessian]).step(SemiImplicit);
    hessians_are_the_references("arm", &arm.plan(Gpu::default()).unwrap(), ("double", 1e-10));
}

#[test]
fn an_arm_has_one_kernel() {
    let made = robot("iiwa14").functions([]).step(SemiImplicit).plan(Gpu::default()).unwrap();
    let text = made.files().remove(0).1;
    assert!(text.contains("RBD_KERNEL iiwa14_step_kernel(") && !text.contains("integrate_"));
    is_the_references("arm", &made, text, ("double", 1e-11));
}

#[test]
fn other_integrators_are_refused() {
    for (integrator, name) in [(Integrator::Rk4, "rk4"), (Integrator::ImplicitDamping, "implicit_damping")] {
        match robot("iiwa14").damping(true).functions([]).step(integrator).plan(Gpu::default()) {
            Err(Error::Option { name: "step", what }) => {
                let said =
                    format!("`{name}` is not written for GPUs yet; `semi_implicit` and `explicit` are");
                assert_eq!(what, said);
            }
            other => panic!("{other:?}"),
        }
    }
}
