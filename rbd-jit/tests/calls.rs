//! Calls: no allocation, threads, and errors that say what is wrong.

use rbd_build::cost::CostModel;
use rbd_build::emit::Capabilities;
use rbd_build::{Generated, Rust, Target};
use rbd_jit::{
    AbaDerivatives, ActuatedContactStepDerivatives, ActuatedStepHessian, Base, ContactSettings, ContactStep,
    ContactStepDerivatives, ContactSurface, Engine, FrictionSettings, FrictionStep, FrictionStepDerivatives,
    Id, Integrator, JointContacts, JointFrictionStep, JointFrictionStepDerivatives, Loaded, Options,
    Parameters, ReferenceFrame, Robot, Workspace,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// Counts what the thread at hand allocates.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots").join(robot)
}

fn pendulum() -> Robot {
    Robot::from_urdf(path("double_pendulum.urdf"))
}

#[test]
fn allocate_nothing() {
    let functions = [Id::Aba, Id::Minv, Id::AbaDerivatives, Id::AbaHessian, Id::AbaSecondDerivatives];
    let hyq = rbd_build::Robot::from_urdf(path("hyq.urdf")).base(Base::Floating).functions(functions);
    let hyq = hyq.contacts(["lf_foot", "rh_foot"]).fused("Now: ddq, m, com".parse().unwrap());
    let hyq = hyq.step(Integrator::Rk4).actuated(["lf_hfe_joint", "rh_kfe_joint"]);
    let generated = hyq.trace().unwrap();
    for engine in [Engine::best(), Engine::Interpreter] {
        let options = Options { engine: Some(engine), check: false, ..Options::default() };
        let robot = Loaded::new(generated.clone(), options).unwrap();
        let mut workspace = robot.workspace();
        let (mut q, v, tau) = (vec![0.1; robot.nq()], vec![0.2; robot.nv()], vec![0.3; robot.nv()]);
        q[3..7].copy_from_slice(&[0.0, 0.6, 0.0, 0.8]);
        let n = robot.nv();
        let (mut ddq, mut minv, mut derivatives) =
            (vec![0.0; n], vec![0.0; n * n], AbaDerivatives::default());
        // The first call gives the results their lengths.
        robot.aba_derivatives(&mut workspace, &q, &v, &tau, &mut derivatives).unwrap();
        let [hessian, tensors] =
            ["aba_hessian", "aba_second_derivatives"].map(|f| robot.function(f).unwrap());
        let step = robot.function("now").unwrap();
        let mut results = [hessian, tensors, step].map(|function| -> Vec<Vec<f64>> {
            function.outputs().iter().map(|output| vec![0.0; output.length]).collect()
        });
        let mut results = results
            .each_mut()
            .map(|results| -> Vec<&mut [f64]> { results.iter_mut().map(Vec::as_mut_slice).collect() });
        let [mut first, mut second] = [(); 2].map(|()| [(); 3].map(|()| vec![0.0; n]));
        let [mut by, mut forces_by] = [(); 2].map(|()| [(); 3].map(|()| vec![0.0; n * n]));
        let rows = robot.contacts().last().unwrap().rows.end;
        for forces in first.iter_mut().skip(1).chain(second.iter_mut().skip(1)) {
            forces.truncate(rows);
        }
        forces_by.iter_mut().for_each(|by| by.truncate(rows * n));
        let settings = ContactSettings { kd: 5.0, ..ContactSettings::default() };
        let (mut held, mut held_by) = (ContactStep::default(), ContactStepDerivatives::default());
        let mut of_controls = ActuatedContactStepDerivatives::default();
        let mut of_free_controls = ActuatedStepHessian::default();
        let [mut slides, mut last] = [(); 2].map(|()| FrictionStep::default());
        last.impulses.resize(rows, 0.0);
        let (mut slides_by, mut rubs) = (FrictionStepDerivatives::default(), JointFrictionStep::default());
        let mut rubs_by = JointFrictionStepDerivatives::default();
        let mut joints = JointContacts::default();
        let surfaces = [Some(ContactSurface::ground(0.0, 0.6)), None];
        let of_friction = FrictionSettings::default();
        let (controls, mut by_controls) = (vec![0.1; 3 * n], vec![0.0; 3 * n]);
        let (mut qs, mut vs) = (vec![0.0; 3 * robot.nq()], vec![0.0; 3 * n]);
        let [mut dqs, mut dvs] = [(); 2].map(|()| vec![0.0; 3 * n]);
        let [mut dq, mut dv] = [(); 2].map(|()| vec![0.0; n]);
        let mut steps = |workspace: &mut Workspace| {
            let (work, dt, active) = (workspace, 1e-3, &[true, false]);
            robot.contact_step(work, &q, &v, &tau, dt, active, &settings, &mut held).unwrap();
            robot.contact_step_derivatives(work, &q, &v, &tau, dt, active, &settings, &mut held_by).unwrap();
            let (given, u) = (robot.steps_with(Parameters::default()), &controls[..2]);
            given
                .actuated_contact_step_derivatives(work, &q, &v, u, dt, active, &settings, &mut of_controls)
                .unwrap();
            given.actuated_step_hessian(work, &q, &v, u, dt, &v, &tau, &mut of_free_controls).unwrap();
            for _ in 0..2 {
                robot
                    .friction_step(work, &q, &v, &tau, dt, &surfaces, &of_friction, Some(&last), &mut slides)
                    .unwrap();
                std::mem::swap(&mut last, &mut slides);
                robot
                    .friction_step_derivatives(
                        work,
                        &q,
                        &v,
                        &tau,
                        dt,
                        &surfaces,
                        &of_friction,
                        Some(&last),
                        &mut slides_by,
                    )
                    .unwrap();
                robot.joint_contacts(&q, &mut joints).unwrap();
                robot
                    .friction_step_with_joints(
                        work,
                        &q,
                        &v,
                        &tau,
                        dt,
                        &surfaces,
                        &joints,
                        &of_friction,
                        None,
                        &mut rubs,
                    )
                    .unwrap();
                robot
                    .friction_step_with_joints_derivatives(
                        work,
                        &q,
                        &v,
                        &tau,
                        dt,
                        &surfaces,
                        &joints,
                        &of_friction,
                        Some(&rubs),
                        &mut rubs_by,
                    )
                    .unwrap();
            }
            robot.rollout(work, &q, &v, &controls, dt, &mut qs, &mut vs).unwrap();
            let (states, changes) = ([&mut qs[..], &mut vs], [&mut dqs[..], &mut dvs]);
            let direction = [&v[..], &tau, &controls];
            robot.rollout_sensitivity(work, &q, &v, &controls, dt, direction, states, changes).unwrap();
            let (states, gradient) = ([&qs[..], &vs], [&mut dqs[..], &mut dvs]);
            let first = [&mut dq[..], &mut dv];
            robot
                .rollout_adjoint(work, &q, &v, &controls, dt, states, gradient, &mut by_controls, first)
                .unwrap();
        };
        steps(&mut workspace);
        let before = ALLOCATIONS.with(Cell::get);
        steps(&mut workspace);
        hessian.call(&mut workspace, &[&q, &v, &tau, &v], &mut results[0]).unwrap();
        tensors.call(&mut workspace, &[&q, &v, &tau], &mut results[1]).unwrap();
        step.call(&mut workspace, &[&q, &v, &tau], &mut results[2]).unwrap();
        let work = &mut workspace;
        let [a, b, c] = first.each_mut().map(Vec::as_mut_slice);
        robot.contact_dynamics(work, &q, &v, &tau, &[true, false], &settings, a, b, c).unwrap();
        let (second, by) = (second.each_mut(), by.each_mut());
        let (second, by) = (second.map(Vec::as_mut_slice), by.map(Vec::as_mut_slice));
        let forces_by = forces_by.each_mut().map(Vec::as_mut_slice);
        robot
            .contact_dynamics_derivatives(work, &q, &v, &tau, &[true; 2], &settings, second, by, forces_by)
            .unwrap();
        robot.aba(&mut workspace, &q, &v, &tau, &mut ddq).unwrap();
        robot.minv(&mut workspace, &q, &mut minv).unwrap();
        robot.aba_derivatives(&mut workspace, &q, &v, &tau, &mut derivatives).unwrap();
        assert_eq!(ALLOCATIONS.with(Cell::get), before, "{engine}");
        let AbaDerivatives { ddq: again, ddq_dq, ddq_dv, ddq_dtau } = &derivatives;
        assert!(ddq.iter().chain(again).chain(ddq_dq).chain(ddq_dv).all(|x| x.is_finite()));
        // Two formulations of one matrix.
        assert!(minv.iter().zip(ddq_dtau).all(|(a, b)| (a - b).abs() < 1e-12 * minv[n * n - 1]));
    }
}

#[test]
fn threads_share_a_robot() {
    let robot = pendulum().functions([Id::Rnea]).load().unwrap();
    let results: Vec<[f64; 2]> = std::thread::scope(|scope| {
        let call = || {
            let mut tau = [0.0; 2];
            robot.rnea(&mut robot.workspace(), &[0.3, 0.4], &[0.5, 0.6], &[0.7, 0.8], &mut tau).unwrap();
            tau
        };
        let all: Vec<_> = (0..4).map(|_| scope.spawn(call)).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(results.iter().all(|tau| *tau == results[0]));
    fn is_shared<T: Send + Sync + 'static>(_: &T) {}
    is_shared(&robot);
}

/// What is wrong is said in a sentence.
#[test]
fn errors_name_what_is_wrong() {
    let robot = pendulum().functions([Id::Rnea, Id::Aba, Id::AbaSecondDerivatives]).load().unwrap();
    let mut workspace = robot.workspace();
    let said = |result: Result<(), rbd_jit::Error>| result.unwrap_err().to_string();
    let mut tau = [0.0; 2];
    let rnea = robot.function("rnea").unwrap();
    assert_eq!(
        said(robot.rnea(&mut workspace, &[0.0; 2], &[0.0; 3], &[0.0; 2], &mut tau)),
        "`rnea`: `v` has 2 numbers, and was given 3"
    );
    assert_eq!(
        said(rnea.call(&mut workspace, &[&[0.0; 2]], &mut [&mut tau])),
        "`rnea` takes 3 arguments, and was given 1"
    );
    assert_eq!(
        said(rnea.call(&mut workspace, &[&[0.0; 2][..]; 3], &mut [&mut tau[..1]])),
        "`rnea`: `tau` has 2 numbers, and was given 1"
    );
    assert_eq!(
        said(robot.crba(&mut workspace, &[0.0; 2], &mut [0.0; 4])),
        "`crba` is not among the functions that this robot was loaded with"
    );
    assert_eq!(said(robot.function("rnae").map(drop)), "there is no function `rnae`; did you mean `rnea`?");
    for (name, why) in robot.left_out() {
        let expected = format!("`{name}` cannot be had at run time yet: {why}");
        assert_eq!(said(robot.function(name).map(drop)), expected);
    }
    assert_eq!(
        said(robot.batch().rnea(&[0.0; 4], &[0.0; 4], &[0.0; 3], &mut [0.0; 4])),
        "`rnea`: `a` has 4 numbers, and was given 3"
    );
    assert_eq!(
        said(robot.batch().rnea(&[0.0; 3], &[0.0; 4], &[0.0; 4], &mut [0.0; 4])),
        "`rnea`: `q` has 2 numbers a state, and 3 are no whole number of states"
    );
    let larger = Robot::from_urdf(path("iiwa14.urdf")).functions(["rnea"]).load().unwrap();
    let smaller = pendulum().functions([Id::Gravity]).load().unwrap().workspace();
    let mut torques = [0.0; 7];
    assert_eq!(
        said(larger.rnea(&mut smaller.clone(), &[0.0; 7], &[0.0; 7], &[0.0; 7], &mut torques)),
        "`rnea` needs more memory than this workspace has: it is another robot's"
    );
    let missing = Robot::from_urdf("no/such.urdf").load().unwrap_err().to_string();
    assert!(missing.contains("no/such.urdf"), "{missing}");
}

/// A target without the runtime.
#[derive(Debug)]
struct Nothing;

impl Target for Nothing {
    fn capabilities(&self) -> Capabilities {
        Capabilities::straight_lines("as nothing")
    }

    fn costs(&self) -> CostModel {
        Rust::COSTS
    }

    fn files(&self, _: &Generated) -> Vec<(String, String)> {
        Vec::new()
    }
}

#[test]
fn plans_for_another_target_are_refused() {
    let planned = pendulum().functions([Id::Rnea]).builder().unwrap().plan(Nothing).unwrap();
    let said = Loaded::new(planned, Options::default()).unwrap_err().to_string();
    assert_eq!(said, "the functions were planned for another target than Rust; plan them with `trace`");
}

/// Functions of frames are found by the frame, and those of parameters take them after their own arguments.
#[test]
fn frames_and_parameters() {
    let robot = pendulum().functions([Id::FramePlacement, Id::FrameJacobian]).load().unwrap();
    let frame = robot.functions()[0].frame().unwrap().0;
    let frame = &robot.model().frames[frame].name;
    let jacobian = robot.frame_function("frame_jacobian", frame, ReferenceFrame::World).unwrap();
    assert_eq!(jacobian.outputs()[0].length, 6 * robot.nv());
    assert!(robot.frame_function("frame_jacobian", "nowhere", ReferenceFrame::World).is_err());

    let robot = pendulum().functions([Id::Gravity]).gravity_at_run_time(true).load().unwrap();
    let gravity = robot.function("gravity").unwrap();
    assert_eq!(
        gravity.inputs().iter().map(|a| (a.name, a.length)).collect::<Vec<_>>(),
        [("q", 2), ("gravity", 3)]
    );
    let mut workspace = robot.workspace();
    let mut torques = |field: f64| {
        let mut tau = [0.0; 2];
        gravity.call(&mut workspace, &[&[0.3, 0.4], &[0.0, 0.0, field]], &mut [&mut tau]).unwrap();
        tau
    };
    let (earth, moon) = (torques(-9.81), torques(-1.62));
    assert!(earth.iter().zip(moon).all(|(e, m)| (e / m - 9.81 / 1.62).abs() < 1e-12 && *e != 0.0));
}
