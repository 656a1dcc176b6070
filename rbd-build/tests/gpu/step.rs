//! The discrete step for GPUs against the runtime's on the generic reference.

use crate::c_compiler::{Batch, all_seeds, batches, compilers, some};
use crate::common_steps::{close, expected, weights};
use crate::{FEW, PLAIN, kernels, robot, side_by_side, states};
use rbd_build::emit::c::Real;
use rbd_build::emit::gpu::Writer;
use rbd_build::{Base, Function, Generated, Gpu, Robot};
use rbd_runtime::Integrator::{self, Explicit, ImplicitDamping, Rk4, SemiImplicit};
use rbd_runtime::Model;
use rbd_runtime::random::State;
use rbd_runtime::spatial::Inertia;

/// So long that joints turn by more than a radian, and so short that some do not.
const TIMES: [f64; 3] = [0.3, 0.002, -0.1];
const FUNCTIONS: [&str; 3] = ["step", "step_derivatives", "step_hessian"];
/// Their results after the next state.
const STEP: [&str; 3] = ["q", "v", "ddq"];
const BLOCKS: [&str; 6] = ["dq_dq", "dq_dv", "dq_dtau", "dv_dq", "dv_dv", "dv_dtau"];
const HESSIAN: [&str; 13] = [
    "ddq_dq", "ddq_dv", "ddq_dtau", "value", "dq", "dv", "dtau", "dqdq", "dqdv", "dvdv", "dqdtau", "dvdtau",
    "dtaudtau",
];

/// Arguments of a state: configuration, velocity, torques, time, and both weights.
type Arguments = [Vec<f64>; 6];

fn arguments(model: &Model<f64>, integrator: Integrator) -> Vec<Arguments> {
    let of = |(k, (state, dt)): (usize, (State, f64))| {
        let [q, v, tau] = [&state.q, &state.v, &state.tau].map(|x| x.as_slice().to_vec());
        let weights = [0.4, 2.2].map(|first| weights(model.nv, first + k as f64));
        let [of_q, of_v] = weights;
        let dt = match integrator {
            // Back in time, damping has no solution if it is large.
            ImplicitDamping => dt.abs(),
            // Four stages of a long time leave all bounds.
            Rk4 => dt / 8.0,
            _ => dt,
        };
        [q, v, tau, vec![dt], of_q, of_v]
    };
    states(model).into_iter().zip(TIMES).enumerate().map(of).collect()
}

/// Results of the three functions, in the order of their arrays, for one state.
fn known(model: &Model<f64>, integrator: Integrator, of: &Arguments) -> [Vec<Vec<f64>>; 3] {
    let [q, v, tau, dt, of_q, of_v] = of;
    let (n, dt) = (model.nv, dt[0]);
    let [q, v, tau] = [q, v, tau].map(|x| nalgebra::DVector::from_column_slice(x));
    let state = State { q, v, tau, ..states(model).remove(0) };
    let all = expected(model, integrator, &state, dt, [of_q, of_v]);
    let values = |of: Vec<(&'static str, Vec<f64>)>| of.into_iter().map(|(_, x)| x).collect::<Vec<_>>();
    let (mut next, mut derivatives) = (values(all.next), values(all.derivatives));
    let of_dynamics =
        model.aba_derivatives(state.q.as_slice(), state.v.as_slice(), state.tau.as_slice(), None);
    let mut first =
        [&of_dynamics.ddq_dq, &of_dynamics.ddq_dv, &of_dynamics.ddq_dtau].map(|m| m.as_slice().to_vec());
    let mut ddq = of_dynamics.ddq.as_slice().to_vec();
    if integrator == ImplicitDamping {
        ddq = next[1].iter().zip(state.v.iter()).map(|(a, b)| (a - b) / dt).collect();
        for (k, (first, of)) in first.iter_mut().zip(&derivatives[5..]).enumerate() {
            let own = |entry: usize| if k == 1 && entry.is_multiple_of(n + 1) { 1.0 } else { 0.0 };
            *first = of.iter().enumerate().map(|(entry, x)| (x - own(entry)) / dt).collect();
        }
    }
    [&mut next, &mut derivatives].into_iter().for_each(|of| of.insert(2, ddq.clone()));
    let block = |name: &str| all.hessian.iter().find(|(of, _)| *of == name).unwrap().1.clone();
    let hessian = HESSIAN[3..].iter().map(|name| block(name));
    let hessian = next.iter().cloned().chain(first).chain(hessian).collect();
    [next, derivatives, hessian]
}

/// What controls have of a result by all torques.
pub fn of_controls(name: &str, of: &[f64], n: usize, controls: &[usize]) -> Vec<f64> {
    let columns = |of: &[f64], rows: usize| -> Vec<f64> {
        controls.iter().flat_map(|at| of[at * rows..(at + 1) * rows].to_vec()).collect()
    };
    match name.matches("tau").count() {
        0 => of.to_vec(),
        1 => columns(of, of.len() / n),
        _ => columns(of, n).chunks(n).flat_map(|column| columns(column, 1)).collect(),
    }
}

/// The model under other parameters than the URDF's, and these, if it has any at run time.
fn given(model: &Model<f64>) -> (Model<f64>, Vec<Vec<f64>>) {
    let (mut model, mut given) = (model.clone(), Vec::new());
    let heavier = |of: &mut Inertia<f64>| {
        let numbers = of.parameters().map(|x| 1.3 * x);
        *of = Inertia::from_parameters(numbers);
        numbers
    };
    let bodies: Vec<usize> = model.run_time.inertias.iter().map(|of| of.body).collect();
    let inertias: Vec<f64> = bodies.iter().flat_map(|k| heavier(&mut model.bodies[*k].inertia)).collect();
    given.extend((!inertias.is_empty()).then_some(inertias));
    if model.run_time.gravity {
        model.gravity = [1.0, -2.0, -8.0].into();
        given.push(model.gravity.as_slice().to_vec());
    }
    (model, given)
}

/// The functions of steps in a text, for all states by kernels and for one by the device function. Each
/// result of each state is compared, of its largest entry.
fn check(name: &str, made: &Generated, text: String, (real, tolerance): (&str, f64)) -> usize {
    let (integrator, upper) = (made.integrator().unwrap(), made.name.to_uppercase());
    let (model, given) = &given(&made.model);
    let (form, sets) = if given.is_empty() { ("", None) } else { ("_with", Some(1)) };
    let (mut states, controls) = (arguments(model, integrator), made.controls());
    if !controls.is_empty() {
        let is_control = |k: &usize| controls.contains(k);
        let others: Vec<usize> = (0..model.nv).filter(|k| !is_control(k)).collect();
        states.iter_mut().for_each(|of| others.iter().for_each(|k| of[2][*k] = 0.0));
    }
    let mut known: Vec<Vec<Vec<Vec<f64>>>> =
        states.iter().map(|of| known(model, integrator, of).to_vec()).collect();
    // The forms of controls have the numbers after those of torques.
    let names = [STEP.to_vec(), [&STEP[..], &BLOCKS].concat(), [&STEP[..], &HESSIAN].concat()];
    for known in &mut known {
        for which in 0..names.len() {
            let each = names[which].iter().zip(&known[which]);
            let results = each.map(|(name, of)| of_controls(name, of, model.nv, &controls)).collect();
            known.push(results);
        }
    }
    let mut cases = Vec::new();
    let actuated = FUNCTIONS.map(|name| format!("actuated_{name}"));
    for (which, function) in FUNCTIONS.into_iter().chain(actuated.each_ref().map(|x| &**x)).enumerate() {
        let called = format!("{}_{function}{form}", made.name);
        let argument = |of: &Arguments, k: usize| match (which >= FUNCTIONS.len(), k) {
            (true, 2) => controls.iter().map(|at| of[2][*at]).collect(),
            _ => of[k].clone(),
        };
        if !text.contains(&format!(" {called}(")) {
            continue;
        }
        let defined = format!("#define {upper}_{}_WORK ", function.to_uppercase());
        let work =
            text.split_once(&defined).map(|(_, rest)| rest.split_once('\n').unwrap().0.parse().unwrap());
        let batch = |functions: Vec<String>, of: &[Arguments]| Batch {
            functions,
            whole: [of.len()].into_iter().chain(sets).collect(),
            arguments: (0..if which % 3 == 2 { 6 } else { 4 })
                .map(|k| side_by_side(&of.iter().map(|of| argument(of, k)).collect::<Vec<_>>()))
                .fold(given.clone(), |all, more| [all, vec![more]].concat()),
            outputs: known[0][which].iter().map(Vec::len).chain(work).map(|len| len * of.len()).collect(),
        };
        cases.push((which, 0..states.len(), batch(kernels(&text, &called), &states)));
        cases.push((which, 1..2, batch(vec![called], &states[1..2])));
    }
    let file = (format!("{}.cuh", made.name), text);
    let all: Vec<Batch> = cases.iter().map(|case| case.2.clone()).collect();
    for compiler in compilers() {
        let found = batches(compiler, &format!("gpu_step_{name}_{compiler}"), &file, real, &PLAIN, &all);
        for ((which, of, _), found) in cases.iter().zip(&found) {
            let mut from = 0;
            for (j, len) in known[0][*which].iter().map(Vec::len).enumerate() {
                for (at, k) in of.clone().enumerate() {
                    let own: Vec<f64> = (0..len).map(|i| found[from + i * of.len() + at]).collect();
                    let expected = &known[k][*which];
                    // Blocks that are zero have the rounding of the others.
                    let all = expected[3..].iter().flatten().fold(1e-3_f64, |m, x| m.max(x.abs()));
                    let who = format!("{name}, {compiler}, function {which}, result {j}, state {k}");
                    close(&who, &own, &expected[j], all, tolerance);
                }
                from += len * of.len();
            }
        }
    }
    cases.len() / 2
}

fn joints() -> Robot {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    Robot::from_urdf(format!("{root}/tests/step/damped.urdf")).damping(true).name("joints").functions([])
}

#[test]
fn every_joint_kind() {
    for &integrator in some(1, &[Rk4, ImplicitDamping, SemiImplicit, Explicit]) {
        let robot = joints().base(Base::Floating).step(integrator);
        let made = robot.plan(Gpu::default()).unwrap();
        // Derivatives are not asked for.
        let functions: Vec<Function> = made.functions.iter().map(|plan| plan.function).collect();
        assert_eq!(functions.len(), if integrator == ImplicitDamping { 2 } else { 1 });
        assert_eq!(check(&format!("{integrator:?}"), &made, made.files().remove(0).1, ("double", 1e-11)), 1);
        let single = robot.plan(Gpu { float: true }).unwrap();
        check(&format!("single_{integrator:?}"), &single, single.files().remove(0).1, ("float", 1e-3));
        // The next state after all parts of the accelerations.
        let made = joints().step(integrator).plan(Gpu::default()).unwrap();
        let gpu = Writer { prefix: "joints", real: Real::F64, origin: "a test", most_alive: FEW };
        let text = gpu.robot_that_steps(&made.model, &made.functions, integrator);
        assert!(text.contains("#define JOINTS_STEP_KERNELS "));
        check(&format!("parts_{integrator:?}"), &made, text, ("double", 1e-11));
    }
}

#[test]
fn derivatives_of_every_joint_kind() {
    for &(integrator, float) in some(
        1,
        &[
            (Rk4, false),
            (ImplicitDamping, false),
            (Explicit, true),
            (SemiImplicit, false),
            (SemiImplicit, true),
            (ImplicitDamping, true),
            (Rk4, true),
        ],
    ) {
        let robot = joints().functions([Function::AbaDerivatives]).step(integrator);
        let made = robot.plan(Gpu { float }).unwrap();
        let tolerance = if float { ("float", 5e-3) } else { ("double", 1e-10) };
        let name = format!("derivatives_{integrator:?}_{}", tolerance.0);
        assert_eq!(check(&name, &made, made.files().remove(0).1, tolerance), 2);
    }
    let arm = robot("iiwa14").functions([Function::AbaDerivatives]).step(SemiImplicit);
    let made = arm.plan(Gpu::default()).unwrap();
    check("derivatives_arm", &made, made.files().remove(0).1, ("double", 1e-10));
}

#[test]
fn hessians_of_every_joint_kind() {
    for &(integrator, float) in some(
        1,
        &[
            (Rk4, false),
            (ImplicitDamping, false),
            (SemiImplicit, false),
            (Explicit, false),
            (SemiImplicit, true),
            (ImplicitDamping, true),
            (Rk4, true),
        ],
    ) {
        let robot = joints().functions([Function::AbaHessian]).step(integrator);
        let made = robot.plan(Gpu { float }).unwrap();
        let tolerance = if float { ("float", 5e-3) } else { ("double", 1e-9) };
        let name = format!("hessian_{integrator:?}_{}", tolerance.0);
        assert_eq!(check(&name, &made, made.files().remove(0).1, tolerance), 2);
    }
    let arm = robot("double_pendulum").functions([Function::AbaHessian]).step(SemiImplicit);
    let made = arm.plan(Gpu::default()).unwrap();
    check("hessian_arm", &made, made.files().remove(0).1, ("double", 1e-10));
}

#[test]
fn an_arm_has_one_kernel() {
    for (integrator, name) in
        [(SemiImplicit, "iiwa14"), (ImplicitDamping, "double_pendulum"), (Rk4, "double_pendulum")]
    {
        let arm = robot(name).damping(true).functions([]).step(integrator);
        let made = arm.plan(Gpu::default()).unwrap();
        let text = made.files().remove(0).1;
        assert!(text.contains(&format!("RBD_KERNEL {name}_step_kernel(")) && !text.contains("integrate_"));
        check(&format!("arm_{integrator:?}"), &made, text, ("double", 1e-11));
    }
}

#[test]
fn with_inertias_and_gravity_at_run_time() {
    let pendulum = |base| robot("double_pendulum").base(base);
    let cases = [
        (ImplicitDamping, "given", pendulum(Base::Floating), "link2"),
        (Rk4, "given", pendulum(Base::Fixed), "link2"),
        (ImplicitDamping, "given_joints", joints(), "arm"),
        (Rk4, "given_joints", joints(), "arm"),
    ];
    for (integrator, name, robot, link) in some(2, &cases) {
        let robot = robot.clone().damping(true).functions([Function::AbaDerivatives]).step(*integrator);
        let made = robot.inertia_at_run_time([*link]).gravity_at_run_time(true).plan(Gpu::default()).unwrap();
        let text = made.files().remove(0).1;
        assert_eq!(check(&format!("{name}_{integrator:?}"), &made, text, ("double", 1e-10)), 2);
    }
}

/// Controls in another order than that of the coordinates, of joints of one coordinate and of several.
#[test]
fn under_controls_of_some_joints() {
    let asked = |robot: Robot, integrator| {
        let robot = robot.damping(true).base(Base::Floating).functions([Function::AbaHessian]);
        robot.step(integrator)
    };
    let pendulum = asked(robot("double_pendulum"), ImplicitDamping).actuated(["joint2", "joint1"]);
    let made = pendulum.plan(Gpu::default()).unwrap();
    assert_eq!(check("actuated_pendulum", &made, made.files().remove(0).1, ("double", 1e-9)), 4);
    for integrator in [SemiImplicit, ImplicitDamping, Rk4].into_iter().filter(|_| all_seeds()) {
        let robot = asked(joints(), integrator).base(Base::Fixed).actuated(["elbow", "shoulder", "rail"]);
        let made = robot.plan(Gpu::default()).unwrap();
        assert_eq!(made.controls(), [7, 4, 5, 6, 3]);
        let text = made.files().remove(0).1;
        assert!(text.contains("#define JOINTS_NU 5 "));
        assert_eq!(check(&format!("actuated_{integrator:?}"), &made, text, ("double", 1e-9)), 4);
    }
    let arm = robot("double_pendulum").functions([]).step(SemiImplicit).actuated(["joint2"]);
    let made = arm.plan(Gpu::default()).unwrap();
    let text = made.files().remove(0).1;
    assert!(text.contains("RBD_KERNEL double_pendulum_actuated_step_kernel("));
    assert_eq!(check("actuated_arm", &made, text, ("double", 1e-11)), 2);
}

/// Where nothing is damped, the text is that of semi-implicit Euler.
#[test]
fn without_damping_implicit_damping_is_semi_implicit() {
    let of = |integrator| {
        let robot = robot("iiwa14").damping(true).functions([Function::Minv]);
        let made = robot.step(integrator).plan(Gpu::default()).unwrap();
        assert!(made.model.damping().iter().all(|x| *x == 0.0));
        made.files().remove(0).1
    };
    assert!(of(ImplicitDamping) == of(SemiImplicit));
}
