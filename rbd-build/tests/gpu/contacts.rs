//! Dynamics under contacts for GPUs against the runtime's, on the reference's matrices.

#[path = "../../../rbd-runtime/tests/contacting/mod.rs"]
mod contacting;

use crate::c_compiler::{Batch, all_seeds, compilers, some};
use crate::common_steps::on_accelerations;
use crate::step::of_controls;
use crate::{PLAIN, batches, error, kernels, root, side_by_side};
use contacting::Padded;
use nalgebra::{DMatrix, DVector};
use rbd_build::{Base, ContactKind, Error, Function, Gpu, Robot};
use rbd_runtime::contact::{self, ContactSettings};
use rbd_runtime::random::{State, random_state};
use rbd_runtime::{ContactDynamicsDerivatives, ContactImpulse, Integrator, Model};
use std::fmt::Write;

/// The most degrees of freedom and bodies of a robot here; others are padded.
const NV: usize = 24;
const NB: usize = 16;
/// The functions, in the order of results of [`expected`], then of steps under controls and of [`impact`].
const FUNCTIONS: [&str; 7] = [
    "contact_dynamics",
    "contact_dynamics_derivatives",
    "contact_step",
    "contact_step_derivatives",
    "actuated_contact_step",
    "actuated_contact_step_derivatives",
    "contact_impulse",
];
/// Indices of functions under controls, and of the impact.
const UNDER_CONTROLS: std::ops::Range<usize> = 4..6;
const IMPACT: usize = 6;
/// Results of steps.
const STEP: [&str; 14] = [
    "q",
    "v",
    "ddq",
    "forces",
    "residual",
    "dq_dq",
    "dq_dv",
    "dq_dtau",
    "dv_dq",
    "dv_dv",
    "dv_dtau",
    "forces_dq",
    "forces_dv",
    "forces_dtau",
];
/// The time of a state's step.
const TIMES: [f64; 5] = [0.3, 0.002, -0.1, 0.02, 0.0];

fn time(integrator: Integrator, k: usize) -> f64 {
    match integrator {
        // Back in time, damping has no solution if it is large.
        Integrator::ImplicitDamping => TIMES[k].abs(),
        // Four stages of a long time leave all bounds.
        Integrator::Rk4 => TIMES[k] / 100.0,
        _ => TIMES[k],
    }
}

/// Masks, and settings: mu and kd.
fn asked<const NC: usize>(k: usize) -> ([bool; NC], [f64; 2]) {
    // All, all but one, some, none.
    let active = core::array::from_fn(|contact| match k % 5 {
        0 | 4 => true,
        1 => contact != NC / 2,
        2 => contact % 2 == 1,
        _ => false,
    });
    (active, [[0.0, 0.0], [0.02, 3.0], [0.0, 7.0], [0.1, 0.0], [0.05, 2.0]][k % 5])
}

/// Results of the runtime for each function, in the order of the arrays.
fn expected<const NC: usize, const NR: usize>(
    model: &Model<f64>,
    contacts: [(usize, ContactKind); NC],
    integrator: Integrator,
    (state, k): (&State, usize),
) -> [Vec<Vec<f64>>; 4] {
    let (active, [mu, kd]) = asked::<NC>(k);
    let settings = ContactSettings::default().proximal(mu, 1).baumgarte(0.0, kd, [None; NC]);
    let n = model.nv;
    let found = |q: &[f64], v: &[f64], tau: &[f64]| -> ContactDynamicsDerivatives<f64, NV, NR> {
        let at: Padded<'_, f64, NV, NB, NC> = Padded::of(model, model, q, contacts);
        let [v, tau] = [v, tau].map(|x| at.pad(&DVector::from_column_slice(x)));
        contact::derivatives(&at, &v, &tau, &active, &settings)
    };
    let rows = |rows: usize, all: usize, x: &[f64]| -> Vec<f64> {
        (0..n).flat_map(|column| x[all * column..all * column + rows].to_vec()).collect()
    };
    let of_accelerations = |d: &ContactDynamicsDerivatives<f64, NV, NR>| {
        let [of_q, of_v, of_tau] = [&d.ddq_dq, &d.ddq_dv, &d.ddq_dtau].map(|m| rows(n, NV, m.as_slice()));
        [d.ddq.as_slice()[..n].to_vec(), of_q, of_v, of_tau]
    };
    let of_forces = |d: &ContactDynamicsDerivatives<f64, NV, NR>| {
        let plain = vec![d.forces.as_slice().to_vec(), d.residual.as_slice().to_vec()];
        (plain, [&d.forces_dq, &d.forces_dv, &d.forces_dtau].map(|m| rows(NR, NR, m.as_slice())))
    };
    let [q, v, tau] = [&state.q, &state.v, &state.tau].map(|x| x.as_slice());
    let d = found(q, v, tau);
    let ([mut ddq, by_q, by_v, by_tau], (plain, mut by)) = (of_accelerations(&d), of_forces(&d));
    let dynamics = [vec![ddq.clone()], plain.clone()].concat();
    let differentiated = [dynamics.clone(), vec![by_q, by_v, by_tau], by.to_vec()].concat();

    let stepped = on_accelerations(model, integrator, state, time(integrator, k), &|q, v, tau| {
        of_accelerations(&found(q, v, tau))
    });
    let stepped: Vec<_> = stepped.into_iter().map(|(_, x)| x).collect();
    let mut plain = plain;
    if integrator == Integrator::ImplicitDamping {
        // Forces under the torques that act, which move with the next velocity.
        let damping = DMatrix::from_diagonal(&DVector::from_vec(model.damping()));
        let torques = &state.tau - &damping * (DVector::from_column_slice(&stepped[1]) - &state.v);
        let d = found(q, v, torques.as_slice());
        (ddq, (plain, by)) = (of_accelerations(&d)[0].clone(), of_forces(&d));
        let gained = |block: &[f64], own: f64| {
            -&damping * (DMatrix::from_column_slice(n, n, block) - DMatrix::identity(n, n) * own)
        };
        let moved = [
            gained(&stepped[5], 0.0),
            gained(&stepped[6], 1.0),
            gained(&stepped[7], 0.0) + DMatrix::identity(n, n),
        ];
        let by_torques = DMatrix::from_column_slice(NR, n, &by[2]);
        for (k, (by, moved)) in by.iter_mut().zip(moved).enumerate() {
            let before = DMatrix::from_column_slice(NR, n, by) * if k == 2 { 0.0 } else { 1.0 };
            *by = (before + &by_torques * moved).as_slice().to_vec();
        }
    }
    let step = [stepped[..2].to_vec(), vec![ddq], plain].concat();
    let all = [step.clone(), stepped[2..].to_vec(), by.to_vec()].concat();
    [dynamics, differentiated, step, all]
}

/// A state's coefficient of restitution.
fn restitution(k: usize) -> f64 {
    [0.0, 0.5, 1.0, 0.2, 0.0][k % 5]
}

/// Results of the runtime for the impact.
fn impact<const NC: usize, const NR: usize>(
    model: &Model<f64>,
    contacts: [(usize, ContactKind); NC],
    (state, k): (&State, usize),
) -> Vec<Vec<f64>> {
    let (active, [mu, _]) = asked::<NC>(k);
    let settings = ContactSettings::default().proximal(mu, 1);
    let at: Padded<'_, f64, NV, NB, NC> = Padded::of(model, model, state.q.as_slice(), contacts);
    let found: ContactImpulse<f64, NV, NR> =
        contact::impulse(&at, &at.pad(&state.v), &active, restitution(k), &settings);
    vec![
        found.v_plus.as_slice()[..model.nv].to_vec(),
        found.impulses.as_slice().to_vec(),
        found.residual.as_slice().to_vec(),
    ]
}

/// All functions of a robot, for all states by kernels and for one by the device function. Each result of
/// each state is compared, of its largest entry.
fn check<const NC: usize, const NR: usize>(
    name: &str,
    robot: &Robot,
    contacts: [(&str, ContactKind); NC],
    accuracy: (Gpu, f64),
) {
    let integrator = if NC.is_multiple_of(2) { Integrator::SemiImplicit } else { Integrator::Explicit };
    check_by::<NC, NR>(integrator, name, robot, contacts, accuracy);
}

/// [`check`] of steps by an integrator.
fn check_by<const NC: usize, const NR: usize>(
    integrator: Integrator,
    name: &str,
    robot: &Robot,
    contacts: [(&str, ContactKind); NC],
    (gpu, tolerance): (Gpu, f64),
) {
    let robot = contacts.iter().fold(robot.clone(), |robot, (frame, kind)| robot.contact(*frame, *kind));
    let made = robot.step(integrator).plan(gpu).unwrap();
    let (mut model, file) = (made.model.clone(), made.files().remove(0));
    // Gravity at run time, if it is: one set for all states.
    let given: Vec<Vec<f64>> = if model.run_time.gravity { vec![vec![0.5, -1.0, -3.0]] } else { Vec::new() };
    let (form, sets) = if given.is_empty() { ("", None) } else { ("_with", Some(1)) };
    if let Some(gravity) = given.first() {
        model.gravity.copy_from_slice(gravity);
        model.run_time.gravity = false;
    }
    let model = &model;
    let frame = |name: &str| model.frames.iter().position(|f| f.name == name).unwrap();
    let contacts = contacts.map(|(name, kind)| (frame(name), kind));
    let mut states: Vec<State> = (0..5).map(|seed| random_state(model, seed + 70)).collect();
    let controls = made.controls();
    for k in (0..model.nv).filter(|k| !controls.is_empty() && !controls.contains(k)) {
        states.iter_mut().for_each(|state| state.tau[k] = 0.0);
    }
    let work = |function: &str| -> usize {
        let defined = format!("#define {}_{}_WORK ", made.name.to_uppercase(), function.to_uppercase());
        file.1.split_once(&defined).unwrap().1.split_once('\n').unwrap().0.parse().unwrap()
    };
    let arguments = |states: &[(usize, &State)], which: usize| -> Vec<Vec<f64>> {
        let of = |(k, state): &(usize, &State)| {
            let (active, settings) = asked::<NC>(*k);
            let active = active.map(|x| f64::from(u8::from(x))).to_vec();
            let [q, v, tau] = [&state.q, &state.v, &state.tau].map(|x| x.as_slice().to_vec());
            if which == IMPACT {
                return vec![q, v, active, vec![restitution(*k)], settings.to_vec()];
            }
            let torques = if UNDER_CONTROLS.contains(&which) {
                controls.iter().map(|at| tau[*at]).collect()
            } else {
                tau
            };
            let time = (which > 1).then(|| vec![time(integrator, *k)]);
            [q, v, torques].into_iter().chain(time).chain([active, settings.to_vec()]).collect::<Vec<_>>()
        };
        let all: Vec<_> = states.iter().map(of).collect();
        let of_states =
            (0..all[0].len()).map(|j| side_by_side(&all.iter().map(|of| of[j].clone()).collect::<Vec<_>>()));
        given.iter().cloned().chain(of_states).collect()
    };
    let of_state = |(k, state): (usize, &State)| {
        let by_torques = expected::<NC, NR>(model, contacts, integrator, (state, k));
        // The forms of controls.
        let by_controls = |of: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            STEP.iter().zip(of).map(|(name, of)| of_controls(name, of, model.nv, &controls)).collect()
        };
        let more = by_torques[2..].iter().map(by_controls).collect::<Vec<_>>();
        let impact = impact::<NC, NR>(model, contacts, (state, k));
        by_torques.into_iter().chain(more).chain([impact]).collect::<Vec<_>>()
    };
    let known: Vec<Vec<Vec<Vec<f64>>>> = states.iter().enumerate().map(of_state).collect();
    let mut cases = Vec::new();
    for (which, function) in
        FUNCTIONS.into_iter().enumerate().filter(|(k, _)| !UNDER_CONTROLS.contains(k) || !controls.is_empty())
    {
        let called = format!("{}_{function}{form}", made.name);
        let lengths: Vec<usize> = known[0][which].iter().map(Vec::len).chain([work(function)]).collect();
        let numbered: Vec<(usize, &State)> = states.iter().enumerate().collect();
        let batch = |functions: Vec<String>, of: &[(usize, &State)]| Batch {
            functions,
            whole: [of.len()].into_iter().chain(sets).collect(),
            arguments: arguments(of, which),
            outputs: lengths.iter().map(|n| n * of.len()).collect(),
        };
        cases.push((
            which,
            (0..states.len()).collect::<Vec<_>>(),
            batch(kernels(&file.1, &called), &numbered),
        ));
        for k in [0, 1] {
            cases.push((which, vec![k], batch(vec![called.clone()], &numbered[k..=k])));
        }
    }
    let real = if gpu.float { "float" } else { "double" };
    let all: Vec<Batch> = cases.iter().map(|case| case.2.clone()).collect();
    let found = compilers();
    for compiler in &found[found.len().saturating_sub(1)..] {
        let results =
            batches(compiler, &format!("gpu_contacts_{name}_{compiler}"), &file, real, &PLAIN, &all);
        for ((which, of, _), found) in cases.iter().zip(&results) {
            let mut from = 0;
            for (j, result) in known[0][*which].iter().enumerate() {
                let len = result.len();
                for (at, k) in of.iter().enumerate() {
                    let own: Vec<f64> = (0..len).map(|i| found[from + i * of.len() + at]).collect();
                    // Of numbers that are all nearly zero, beside one.
                    let mut expected = known[*k][*which][j].clone();
                    let is_residual = j == [2, 2, 4, 4, 4, 4, 2][*which];
                    let least = if is_residual { 1e3 } else { 1e-6 };
                    let own = [own, vec![least]].concat();
                    expected.push(least);
                    let error = error(&expected, &own);
                    assert!(
                        error <= tolerance,
                        "{name}, {compiler}, {}, result {j}, state {k}: {error:e}",
                        FUNCTIONS[*which]
                    );
                }
                from += len * of.len();
            }
        }
    }
}

const DOUBLE: (Gpu, f64) = (Gpu { float: false }, 1e-10);

/// A robot with a joint of every kind but one that mimics another.
fn joints() -> Robot {
    without_mimics("joints")
}

fn without_mimics(name: &str) -> Robot {
    let text = std::fs::read_to_string(root().join(format!("tests/step/{name}.urdf"))).unwrap();
    let mimic = "<mimic joint=\"elbow\" multiplier=\"-0.5\" offset=\"0.1\"/>";
    assert!(text.contains(mimic));
    Robot::from_urdf_text("joints.urdf", text.replace(mimic, "")).base(Base::Floating).functions([])
}

#[test]
fn of_every_kind_of_joint() {
    use ContactKind::{Plane, Point};
    // More rows than a thread keeps factors of.
    let contacts = [("finger", Plane), ("kite", Point), ("ball", Point), ("raft", Point)];
    check::<4, 15>("joints", &joints(), contacts, DOUBLE);
}

/// Steps that call the dynamics several times.
#[test]
fn of_every_integrator() {
    use ContactKind::{Plane, Point};
    for (integrator, name) in [(Integrator::ImplicitDamping, "damped"), (Integrator::Rk4, "stages")] {
        let robot = pendulum().damping(true).actuated(["joint2"]).gravity_at_run_time(true);
        check_by::<1, 6>(integrator, name, &robot, [("link2", Plane)], DOUBLE);
        if all_seeds() {
            let (robot, name) = (without_mimics("damped").damping(true), format!("{name}_joints"));
            let contacts = [("finger", Plane), ("kite", Point), ("ball", Point)];
            check_by::<3, 12>(integrator, &name, &robot, contacts, DOUBLE);
        }
    }
}

/// More rows than degrees of freedom on the way to them: some follow from others.
#[test]
fn of_redundant_rows() {
    use ContactKind::Plane;
    let robots =
        [("pendulum", pendulum(), ["base_link", "link1"]), ("redundant", joints(), ["base", "raft"])];
    for (name, robot, planes) in some(1, &robots) {
        check::<2, 12>(name, robot, planes.map(|frame| (frame, Plane)), DOUBLE);
    }
}

/// Numbers without a pattern.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn number(&mut self) -> f64 {
        self.below(2001) as f64 / 1000.0 - 1.0
    }
}

/// The URDF of a random tree.
fn tree(seed: u64, joints: usize) -> String {
    let numbers = &mut Numbers(seed);
    let mut text = String::from("<robot name=\"tree\">");
    for k in 0..=joints {
        let [x, y, z] = [0; 3].map(|_| 0.2 * numbers.number());
        let _ = write!(
            text,
            "<link name=\"l{k}\"><inertial><origin xyz=\"{x} {y} {z}\" rpy=\"{z} {x} {y}\"/><mass value=\"{}\"/>\
             <inertia ixx=\"0.11\" iyy=\"0.13\" izz=\"0.17\" ixy=\"0.01\" ixz=\"-0.02\" iyz=\"0.015\"/></inertial></link>",
            1.5 + numbers.number()
        );
    }
    for k in 1..=joints {
        let kinds = ["revolute", "continuous", "prismatic", "planar", "spherical", "revolute", "revolute"];
        let kind = kinds[numbers.below(kinds.len())];
        let parent = k - 1 - numbers.below(k.min(3));
        let [x, y, z] = [0; 3].map(|_| numbers.number());
        let axis = ["1 0 0", "0 1 0", "0 0 1", "0.6 0 -0.8"][numbers.below(4)];
        let _ = write!(
            text,
            "<joint name=\"j{k}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{k}\"/>\
             <origin xyz=\"{} {} {}\" rpy=\"{y} {z} {x}\"/><axis xyz=\"{axis}\"/>\
             <limit effort=\"9\" velocity=\"9\" lower=\"-2\" upper=\"2\"/></joint>",
            0.4 * x,
            0.4 * y,
            0.4 * z
        );
    }
    text + "</robot>"
}

#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn of_random_trees() {
    use ContactKind::{Plane, Point};
    for &(seed, base) in
        some(1, &[(3, Base::Floating), (8, Base::Fixed), (21, Base::Floating), (34, Base::Fixed)])
    {
        let robot = Robot::from_urdf_text("tree.urdf", tree(seed, 7)).base(base).functions([]);
        let contacts = [("l7", Point), ("l3", Plane), ("l5", Point), ("l6", Point)];
        check::<4, 15>(&format!("tree{seed}"), &robot, contacts, DOUBLE);
    }
}

/// A quadruped in parts, and in `float`.
#[test]
fn of_a_quadruped() {
    let hyq = crate::robot("hyq").base(Base::Floating).functions([]);
    let feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"].map(|foot| (foot, ContactKind::Point));
    check::<4, 12>("hyq", &hyq, feet, DOUBLE);
    if all_seeds() {
        check::<4, 12>("hyq_float", &hyq, feet, (Gpu { float: true }, 2e-3));
    }
}

/// A floating double pendulum whose joints have dry friction.
fn pendulum() -> Robot {
    let text = std::fs::read_to_string(root().join("robots/double_pendulum.urdf")).unwrap();
    let damped = "<dynamics damping=\"0.05\"/>";
    assert!(text.contains(damped));
    let text = text.replace(damped, "<dynamics damping=\"0.05\" friction=\"0.4\"/>");
    Robot::from_urdf_text("arm.urdf", text).base(Base::Floating).functions([])
}

/// Dry friction of joints, smoothed, and their damping.
#[test]
fn with_friction() {
    let robot = pendulum().friction(0.1).damping(true);
    check::<1, 6>("friction", &robot, [("link2", ContactKind::Plane)], DOUBLE);
}

#[test]
fn with_gravity_at_run_time() {
    for (name, robot, frame) in
        some(1, &[("given_pendulum", pendulum(), "link2"), ("given", joints(), "kite")])
    {
        let robot = robot.clone().gravity_at_run_time(true);
        check::<1, 6>(name, &robot, [(*frame, ContactKind::Plane)], DOUBLE);
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let fault = |robot: Robot| match robot.plan(Gpu::default()) {
        Err(Error::Option { name, what }) => (name, what),
        other => panic!("{:?}", other.err()),
    };
    let mimics = Robot::from_urdf(root().join("tests/step/joints.urdf")).contacts(["kite"]);
    let (name, what) = fault(mimics);
    assert!(name == "contacts" && what.contains("contacts of robots with mimic joints"), "{what}");
    let arm = || Robot::from_urdf(root().join("robots/double_pendulum.urdf")).functions([]);
    let closed = arm().closed_loop("loop", ["link1", "link2"], ContactKind::Point);
    let (name, what) = fault(closed);
    assert!(
        name == "closed_loops" && what.contains("functions of closed loops are not written for GPUs"),
        "{what}"
    );
    let fused = arm().contacts(["link2"]).fused("ContactSolve: ddq".parse().unwrap());
    assert_eq!(fault(fused).0, "fused");
    // Functions that are not asked for are not written.
    let text = arm().contacts(["link2"]).plan(Gpu::default()).unwrap().files().remove(0).1;
    assert!(!text.contains("_minv(") && !text.contains("_frame_jacobian("));
    let listed = arm().functions([Function::Minv]).contacts(["link2"]).plan(Gpu::default()).unwrap();
    assert!(listed.files().remove(0).1.contains("double_pendulum_minv("));
}
