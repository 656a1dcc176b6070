//! Contacts and closed loops: every function, set of active contacts and kind of axes in both precisions,
//! beside the compiled robot.

use nalgebra::SVector;
use rbd::ContactAxes;
use rbd::spatial::Placement;
use rbd_build::Robot;
use rbd_jit::{Base, ContactKind, ContactSettings, Engine, Id, Loaded, Options};
use std::path::{Path, PathBuf};

rbd::rbd_robot! {
    struct Acrobat {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        functions: [crba],
        contacts: { "link1": plane, "link2", "base_link": point },
    }
}
rbd::rbd_robot! {
    struct ThreeLimbs {
        urdf: "../rbd-build/tests/good/three_limbs.urdf",
        base: floating,
        functions: [crba],
        contacts: ["left_foot", "right_foot", "hand"],
    }
}
rbd::rbd_robot! {
    struct FourBar {
        urdf: "../rbd-build/tests/good/four_bar.urdf",
        functions: [aba],
        closed_loops: { "bar": { frames: ["rod_end", "rocker_end"], rows: 3 } },
    }
}

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(robot)
}

/// The largest difference, relative to the largest entry or one, may be as large as this.
#[track_caller]
pub fn within<T: Copy + Into<f64>>(tolerance: f64, found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(1.0, |a: f64, b| a.max((*b).into().abs()));
    for (a, b) in found.iter().zip(expected) {
        let [a, b]: [f64; 2] = [(*a).into(), (*b).into()];
        assert!(
            a == b || (a - b).abs() <= tolerance * largest,
            "{a:e} is not {b:e}, to {tolerance:e} of {largest:e}"
        );
    }
}

/// Sums over matrices with padding may be in another order: the largest difference in units of the last place
/// of the largest entry. Of doubles that is 1e-13.
pub const UNITS: f64 = 450.0;

macro_rules! beside_compiled {
    ($test:ident, $robot:ident, $loaded:expr, $number:ident, $new:ident, $mu:literal) => {
        #[test]
        fn $test() {
            const NQ: usize = $robot::NQ;
            const NV: usize = $robot::NV;
            const NC: usize = $robot::NC;
            const NR: usize = $robot::CONTACT_ROWS;
            const UNIT: f64 = $number::EPSILON as f64;
            /// Regularisation: of single precision larger, so that rounding leaves digits to compare.
            const MU: $number = $mu;
            let generated = $loaded.trace().unwrap();
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), check: false, ..Options::default() };
                let robot = Loaded::$new(generated.clone(), options).unwrap();
                assert_eq!((robot.nq(), robot.nv(), robot.contacts().len()), (NQ, NV, NC));
                let mut workspace = robot.workspace();
                let numbers = |first: f64| {
                    SVector::<$number, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin() as $number)
                };
                let q = $robot::integrate(&$robot::neutral(), &numbers(0.3));
                let (v, tau) = (numbers(1.1), numbers(2.4) * 5.0);
                let here: [Placement<$number>; NC] = $robot::contact_placements(&q);
                let anchors = here.map(|at| {
                    let translation = at.translation.add_scalar(0.05);
                    Some(Placement { translation, ..at })
                });
                let mut placements = vec![$number::NAN; 12 * NC];
                robot.contact_placements(&mut workspace, q.as_slice(), &mut placements).unwrap();
                for (found, expected) in placements.chunks(12).zip(&here) {
                    within(UNITS * UNIT, &found[..9], expected.rotation.as_slice());
                    within(UNITS * UNIT, &found[9..], expected.translation.as_slice());
                }
                for (mask, axes) in (0..1 << NC).flat_map(|m| ContactAxes::ALL.map(|axes| (m, axes))) {
                    let active: [bool; NC] = std::array::from_fn(|k| mask >> k & 1 == 1);
                    let close =
                        |found: &[$number], expected: &[$number]| within(UNITS * UNIT, found, expected);
                    for anchored in [false, true] {
                        let kept = if anchored { anchors } else { [None; NC] };
                        let (kp, kd) = if anchored { (9.0, 5.0) } else { (0.0, 0.0) };
                        // With one iteration, contacts with limbs of their own have a kernel of their own.
                        let iterations = if axes == ContactAxes::Local { 1 } else { 2 };
                        let of = rbd::ContactSettings::<$number, NC>::default()
                            .proximal(MU, iterations)
                            .baumgarte(kp, kd, kept)
                            .in_axes(axes);
                        let settings = ContactSettings { mu: MU, iterations, kp, kd, anchors: &kept, axes };
                        let vector = || vec![$number::NAN; NV];
                        let rows = || vec![$number::NAN; NR];
                        let [mut ddq, mut forces, mut residual] = [vector(), rows(), rows()];
                        let (q, v, tau) = (&q, &v, &tau);
                        let (qs, vs, taus) = (q.as_slice(), v.as_slice(), tau.as_slice());
                        let work = &mut workspace;
                        robot
                            .contact_dynamics(
                                work,
                                qs,
                                vs,
                                taus,
                                &active,
                                &settings,
                                &mut ddq,
                                &mut forces,
                                &mut residual,
                            )
                            .unwrap();
                        let expected = $robot::contact_dynamics(q, v, tau, &active, &of);
                        close(&ddq, expected.ddq.as_slice());
                        close(&forces, expected.forces.as_slice());
                        close(&residual, expected.residual.as_slice());

                        let [mut a, mut b, mut c] = [(); 3].map(|()| vec![$number::NAN; NV * NV]);
                        let [mut d, mut e, mut f] = [(); 3].map(|()| vec![$number::NAN; NR * NV]);
                        robot
                            .contact_dynamics_derivatives(
                                work,
                                qs,
                                vs,
                                taus,
                                &active,
                                &settings,
                                [&mut ddq, &mut forces, &mut residual],
                                [&mut a, &mut b, &mut c],
                                [&mut d, &mut e, &mut f],
                            )
                            .unwrap();
                        let expected = $robot::contact_dynamics_derivatives(q, v, tau, &active, &of);
                        close(&ddq, expected.ddq.as_slice());
                        close(&forces, expected.forces.as_slice());
                        close(&residual, expected.residual.as_slice());
                        close(&a, expected.ddq_dq.as_slice());
                        close(&b, expected.ddq_dv.as_slice());
                        close(&c, expected.ddq_dtau.as_slice());
                        close(&d, expected.forces_dq.as_slice());
                        close(&e, expected.forces_dv.as_slice());
                        close(&f, expected.forces_dtau.as_slice());

                        robot
                            .contact_impulse(
                                work,
                                qs,
                                vs,
                                &active,
                                0.3,
                                &settings,
                                &mut ddq,
                                &mut forces,
                                &mut residual,
                            )
                            .unwrap();
                        let expected = $robot::contact_impulse(q, v, &active, 0.3, &of);
                        close(&ddq, expected.v_plus.as_slice());
                        close(&forces, expected.impulses.as_slice());
                        close(&residual, expected.residual.as_slice());

                        let mut by_restitution = (vector(), rows());
                        robot
                            .contact_impulse_derivatives(
                                work,
                                qs,
                                vs,
                                &active,
                                0.3,
                                &settings,
                                [&mut ddq, &mut forces, &mut residual],
                                [&mut a, &mut b, &mut by_restitution.0],
                                [&mut d, &mut e, &mut by_restitution.1],
                            )
                            .unwrap();
                        let expected = $robot::contact_impulse_derivatives(q, v, &active, 0.3, &of);
                        close(&ddq, expected.v_plus.as_slice());
                        close(&a, expected.v_plus_dq.as_slice());
                        close(&b, expected.v_plus_dv.as_slice());
                        close(&by_restitution.0, expected.v_plus_drestitution.as_slice());
                        close(&d, expected.impulses_dq.as_slice());
                        close(&e, expected.impulses_dv.as_slice());
                        close(&by_restitution.1, expected.impulses_drestitution.as_slice());

                        let mut errors = rows();
                        robot.contact_errors(work, qs, &active, &settings, &mut errors).unwrap();
                        close(&errors, $robot::contact_errors(q, &active, &of).as_slice());
                    }
                    let work = &mut workspace;
                    let mut jacobian = vec![$number::NAN; NR * NV];
                    robot.contact_jacobian(work, q.as_slice(), &active, axes, &mut jacobian).unwrap();
                    close(&jacobian, $robot::contact_jacobian_in(&q, &active, axes).as_slice());
                    let mut delassus = vec![$number::NAN; NR * NR];
                    robot.delassus(work, q.as_slice(), &active, axes, &mut delassus).unwrap();
                    close(&delassus, $robot::delassus_in(&q, &active, axes).as_slice());
                    let forces = SVector::<$number, NR>::from_fn(|k, _| (0.7 * k as f64).cos() as $number);
                    let mut torques = vec![$number::NAN; NV];
                    let (v, a) = (v.as_slice(), tau.as_slice());
                    robot
                        .contact_inverse_dynamics(
                            work,
                            q.as_slice(),
                            v,
                            a,
                            forces.as_slice(),
                            axes,
                            &mut torques,
                        )
                        .unwrap();
                    let (v, a) = (SVector::from_column_slice(v), &tau);
                    let expected = $robot::contact_inverse_dynamics_in(&q, &v, a, &forces, axes);
                    close(&torques, expected.as_slice());
                }
            }
        }
    };
}

fn acrobat() -> Robot {
    Robot::from_urdf(path("robots/double_pendulum.urdf"))
        .base(Base::Floating)
        .functions([Id::Crba])
        .contact("link1", ContactKind::Plane)
        .contacts(["link2", "base_link"])
}

fn three_limbs() -> Robot {
    Robot::from_urdf(path("rbd-build/tests/good/three_limbs.urdf"))
        .base(Base::Floating)
        .functions([Id::Crba])
        .contacts(["left_foot", "right_foot", "hand"])
}

fn four_bar() -> Robot {
    let robot = Robot::from_urdf(path("rbd-build/tests/good/four_bar.urdf")).functions([Id::Aba]);
    robot.closed_loop("bar", ["rod_end", "rocker_end"], ContactKind::Point)
}

beside_compiled!(contacts_are_those_of_the_compiled_robot, Acrobat, acrobat(), f64, new, 1e-4);
beside_compiled!(closed_loops_are_those_of_the_compiled_robot, FourBar, four_bar(), f64, new, 1e-4);
beside_compiled!(limbs_are_those_of_the_compiled_robot, ThreeLimbs, three_limbs(), f64, new, 1e-4);
beside_compiled!(limbs_in_single_precision, ThreeLimbs, three_limbs(), f32, new_f32, 1e-2);
beside_compiled!(contacts_in_single_precision, Acrobat, acrobat(), f32, new_f32, 1e-2);
beside_compiled!(closed_loops_in_single_precision, FourBar, four_bar(), f32, new_f32, 1e-2);

/// What is not there is said.
#[test]
fn errors_name_what_is_wrong() {
    let load = |robot: Robot| rbd_jit::Robot::from(robot).load().unwrap();
    let pendulum = || Robot::from_urdf(path("robots/double_pendulum.urdf")).functions([Id::Rnea]);
    let robot = load(pendulum().contacts(["link2"]));
    assert_eq!(robot.contacts()[0].rows, 0..3);
    let mut work = robot.workspace();
    let [mut ddq, mut forces, mut residual] = [vec![0.0; 2], vec![0.0; 3], vec![0.0; 3]];
    let (x, settings) = ([0.0; 2], ContactSettings::default());
    let mut said = |active: &[bool], settings: &ContactSettings<'_>| {
        let out = (&mut ddq, &mut forces, &mut residual);
        robot.contact_dynamics(&mut work, &x, &x, &x, active, settings, out.0, out.1, out.2)
    };
    assert!(said(&[true], &settings).is_ok());
    let message = "`contact_dynamics`: `active` has 1 numbers, and was given 2";
    assert_eq!(said(&[true, false], &settings).unwrap_err().to_string(), message);
    let settings = ContactSettings { anchors: &[None, None], ..settings };
    let message = "`contact_dynamics`: `anchors` has 1 numbers, and was given 2";
    assert_eq!(said(&[true], &settings).unwrap_err().to_string(), message);

    let robot = load(pendulum());
    let refused = robot.contact_placements(&mut robot.workspace(), &x, &mut []).unwrap_err();
    let message = "`contact_placements` is not among the functions that this robot was loaded with";
    assert_eq!(refused.to_string(), message);
}
