//! The step with friction and limits of joints in C against the runtime's, against the laws of contacts and
//! joints, and against closed forms.

use crate::c_compiler::{answered, compilers, some};
use crate::contact_paths;
use crate::contacts::{Contacts, contacting::Padded, frame};
use crate::friction::laws::of_joint;
use crate::friction::{Asked, From, OfJoints, found, listed, violation};
use crate::friction_robots::{joints, of_joints, one_loop, random};
use crate::steps::{Given, given};
use nalgebra::SVector;
use rbd_build::{Base, C, Generated, Robot};
use rbd_runtime::contact;
use rbd_runtime::friction::{JointContacts, JointLaw};
use rbd_runtime::random::Random;
use rbd_runtime::{ContactKind, Model};

/// The steps of another test, with friction and limits of some coordinates, or the URDF's.
pub fn with_joints<const NC: usize, const NR: usize>(model: &Model<f64>, count: u64) -> Vec<Asked<NC, NR>> {
    let mut all = random::<NC, NR>(model, count);
    let mut random = Random::new(23);
    for (k, asked) in all.iter_mut().enumerate() {
        let some = |random: &mut Random, none: f64, low: f64, high: f64| -> Vec<f64> {
            (0..model.nv).map(|_| if random.chance(0.5) { random.uniform(low, high) } else { none }).collect()
        };
        let friction = some(&mut random, 0.0, 0.0, 60.0);
        // Infinite, or the largest number.
        let none = if k % 2 == 0 { f64::INFINITY } else { f64::MAX };
        let limits = [(); 2].map(|()| some(&mut random, none, -0.002, 0.02));
        let [lower, upper] = limits;
        let given = (k % 5 != 0).then_some([friction, lower, upper]);
        let start = (0..model.nv).map(|_| random.uniform(-0.05, 0.05)).collect();
        asked.joints = Some(OfJoints { given, start });
    }
    all
}

/// What the runtime takes.
pub fn of_runtime<const NV: usize>(
    model: &Model<f64>,
    q: &[f64],
    asked: &OfJoints,
) -> JointContacts<f64, NV> {
    let mut joints = JointContacts::none();
    match &asked.given {
        Some([friction, lower, upper]) => {
            let end = |x: &f64| if *x == f64::MAX { f64::INFINITY } else { *x };
            joints.friction = SVector::from_column_slice(friction);
            joints.to_lower = SVector::from_iterator(lower.iter().map(end));
            joints.to_upper = SVector::from_iterator(upper.iter().map(end));
        }
        None => {
            for body in model.bodies.iter().filter(|body| body.kind.nv() == 1 && body.mimic.is_none()) {
                joints.friction[body.idx_v] = body.friction;
                let at = q[body.idx_q];
                if body.limits.lower > -f64::MAX {
                    joints.to_lower[body.idx_v] = at - body.limits.lower;
                }
                if body.limits.upper < f64::MAX {
                    joints.to_upper[body.idx_v] = body.limits.upper - at;
                }
            }
        }
    }
    joints
}

/// Compares C with the runtime, and with the laws. `is_unique`: no impulse is redundant.
fn check<const NV: usize, const NB: usize, const NC: usize, const NR: usize, const NA: usize>(
    name: &str,
    (c, given): (&Generated, Option<&Given>),
    contacts: &Contacts<NC>,
    all: &[Asked<NC, NR>],
    is_unique: bool,
) {
    let model = given.map_or(&c.model, |given| &given.model);
    assert_eq!((model.nv, model.bodies.len()), (NV, NB));
    for (compiler, found) in found::<NV, NC, NR>(name, c, false, given, all) {
        let (mut seen, mut modes, mut solved) = ([0; 4], [0; 3], 0);
        let [mut worst, mut apart] = [0.0_f64; 2];
        for (k, (asked, found)) in all.iter().zip(&found).enumerate() {
            let q = asked.state.q.as_slice();
            let robot = Padded::<f64, NV, NB, NC>::closed(model, model, q, contacts.0, contacts.1);
            let settings = asked.settings.unwrap_or_default();
            let of_joints = asked.joints.as_ref().unwrap();
            let joints = of_runtime::<NV>(model, q, of_joints);
            let start = SVector::from_column_slice(&of_joints.start);
            let (own, on_joints) = contact::friction_step_with_joints::<_, _, NV, NB, NC, NR, NA>(
                &robot,
                (&robot.pad(&asked.state.v), &robot.pad(&asked.state.tau), asked.dt),
                &asked.surfaces,
                &joints,
                &settings,
                (asked.from != From::Nothing).then_some((&asked.start, &start)),
            );
            let numbers = found.v.iter().chain(&found.impulses).chain(&found.joints);
            assert!(numbers.into_iter().all(|x| x.is_finite()), "{name}, {k}");
            assert_eq!(found.converged, own.report.converged, "{name}, {k}: {:?}", own.report);
            if !found.converged {
                continue;
            }
            solved += 1;
            found.modes.iter().for_each(|mode| modes[*mode as usize] += 1);
            worst = worst.max(violation((model, contacts), &robot, asked, found));
            for j in 0..NV {
                let law = law_of(
                    [joints.friction[j], joints.to_lower[j], joints.to_upper[j]],
                    asked.dt,
                    settings.correction,
                );
                let (f, c) = (found.joints[j], found.v[j]);
                worst = worst.max(of_joint(&law, f, c) / f.abs().max(1.0));
                let kind = [c <= law.least + 1e-9, c >= law.most - 1e-9, c.abs() < 1e-9, true];
                seen[kind.iter().position(|x| *x).unwrap()] += 1;
            }
            assert!(worst < 1e-8, "{name}, {compiler}, {k}: {worst:.1e}");
            let here = (found.v - own.v).amax() / own.v.amax().max(1.0);
            apart = apart.max(here);
            if is_unique {
                assert_eq!(found.modes, own.modes, "{name}, {k}");
                apart = apart.max((found.impulses - own.impulses).amax() / own.impulses.amax().max(1.0));
                apart = apart.max((found.joints - on_joints).amax() / on_joints.amax().max(1.0));
            }
            assert!(apart < 1e-9, "{name}, {compiler}, {k}: {apart:.1e}");
        }
        println!(
            "{name}, {compiler}: {solved} of {}; contacts open, stick, slide: {modes:?}; joints at limits, stick, \
             move: {seen:?}; laws {worst:.1e}, runtime {apart:.1e}",
            all.len(),
        );
        assert!(
            5 * solved >= 4 * all.len() && seen.iter().all(|count| *count > 1),
            "{name}: {solved} {seen:?}"
        );
    }
}

/// The law of a coordinate, by docs/math.md#contacts-with-friction.
fn law_of([friction, lower, upper]: [f64; 3], dt: f64, correction: f64) -> JointLaw<f64> {
    let reach = |distance: f64| match () {
        () if dt > 0.0 && distance > 0.0 => distance / dt,
        () if dt > 0.0 => correction * distance / dt,
        () if distance > 0.0 => f64::INFINITY,
        () => 0.0,
    };
    JointLaw { friction: friction * dt, least: -reach(lower), most: reach(upper) }
}

#[test]
fn of_a_joint_of_every_kind() {
    for base in some(1, &[Base::Floating, Base::Fixed]) {
        let c = joints(*base).plan(C::default()).unwrap();
        let (contacts, all) = (of_joints(&c.model), with_joints(&c.model, 60));
        match base {
            Base::Fixed => check::<14, 6, 4, 12, 26>("joints_fixed", (&c, None), &contacts, &all, false),
            Base::Floating => check::<20, 7, 4, 12, 32>("joints_floating", (&c, None), &contacts, &all, true),
        }
    }
}

#[test]
fn with_inertias_and_gravity_at_run_time() {
    let robot = joints(Base::Floating).inertia_at_run_time(["arm"]).gravity_at_run_time(true);
    let c = robot.plan(C::default()).unwrap();
    let (contacts, other) = (of_joints(&c.model), given(&c.name, &c.model));
    let all = with_joints(&c.model, 20);
    for (name, given) in some(1, &[("joints_given", Some(&other)), ("joints_own", None)]) {
        check::<20, 7, 4, 12, 32>(name, (&c, *given), &contacts, &all, true);
    }
}

/// A point beside a loop of the robot with itself.
#[test]
fn beside_closed_loops() {
    use contact_paths::{NB, NV};
    let c = one_loop("limbs_joints").plan(C::default()).unwrap();
    let [foot, hand, shin] = ["foot", "hand", "shin"].map(|name| frame(&c.model, name));
    let contacts = ([(foot, ContactKind::Point), (hand, ContactKind::Point)], [None, Some(shin)]);
    let all = with_joints(&c.model, 60);
    check::<NV, NB, 2, 6, 15>("joints_loops", (&c, None), &contacts, &all, false);
}

/// In single precision the laws hold to some hundred units of rounding. Only with all seeds.
#[test]
fn in_single_precision() {
    if some(0, &[()]).is_empty() {
        return;
    }
    let c = joints(Base::Floating).plan(C { float: true, ..C::default() }).unwrap();
    let (model, contacts, mut all) = (&c.model, of_joints(&c.model), with_joints::<4, 12>(&c.model, 40));
    for settings in all.iter_mut().filter_map(|asked| asked.settings.as_mut()) {
        settings.tolerance = 1e-4;
    }
    for asked in &mut all {
        // The largest number of `double` is none of `float`.
        let of_joints = asked.joints.as_mut().unwrap();
        for x in of_joints.given.iter_mut().flatten().flatten() {
            *x = if *x == f64::MAX { f64::INFINITY } else { *x };
        }
    }
    for (compiler, found) in found::<20, 4, 12>("joints_float", &c, true, None, &all) {
        let (mut solved, mut worst) = (0, 0.0_f64);
        for (asked, found) in all.iter().zip(&found).filter(|(_, found)| found.converged) {
            let q = asked.state.q.as_slice();
            let robot = Padded::<f64, 20, 7, 4>::closed(model, model, q, contacts.0, contacts.1);
            solved += 1;
            worst = worst.max(violation((model, &contacts), &robot, asked, found));
        }
        println!("joints in float, {compiler}: {solved} of {}; laws {worst:.1e}", all.len());
        assert!(10 * solved >= 9 * all.len() && worst < 1e-3, "{solved} {worst:.1e}");
    }
}

/// Reads position, speed and force of a cart, friction (its URDF's if negative), distances from its limits,
/// and the number of steps of a millisecond. Prints position, speed, the last impulse, and how often the
/// solver failed.
const CART: &str = r#"
#include "cart.h"
#include <stdio.h>

int main(void)
{
    static cart_joint_friction_step_t now;
    static const cart_contact_surface_t none[CART_NC];
    cart_joint_contacts_t joints;
    double x[7];
    while (scanf("%lf %lf %lf %lf %lf %lf %lf", x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6) == 7) {
        int step, failures = 0;
        now.step.q[0] = x[0], now.step.v[0] = x[1], now.step.impulses[0] = now.joints[0] = 0;
        joints.friction[0] = x[3], joints.to_lower[0] = x[4], joints.to_upper[0] = x[5];
        for (step = 0; step < (int)x[6]; step++) {
            cart_friction_step_with_joints(now.step.q, now.step.v, x + 2, 1e-3, none, x[3] < 0 ? 0 : &joints, 0, &now, &now);
            failures += !now.step.converged;
        }
        printf("%.17g\n%.17g\n%.17g\n%d\n", now.step.q[0], now.step.v[0], now.joints[0], failures);
    }
    return 0;
}
"#;

/// A cart of 2 kg on a rail from -1 to 0.5 m with a dry friction of 3 N.
fn cart() -> Robot {
    let text = "<robot name=\"cart\"><link name=\"rail\"/><link name=\"cart\"><inertial><mass value=\"2\"/>\
                <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\
                <joint name=\"x\" type=\"prismatic\"><parent link=\"rail\"/><child link=\"cart\"/><axis xyz=\"1 0 0\"/>\
                <limit lower=\"-1\" upper=\"0.5\" effort=\"9\" velocity=\"9\"/><dynamics friction=\"3\"/></joint></robot>";
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("c");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("cart.urdf");
    std::fs::write(&file, text).unwrap();
    Robot::from_urdf(file).name("cart").functions([]).contact("cart", ContactKind::Point)
}

#[test]
fn a_cart_slides_sticks_and_stops() {
    let (nan, inf, own) = (f64::NAN, f64::INFINITY, -1.0);
    // Sums of speeds from rest, and from 1 m/s on, which friction of 3 N stops in two thirds of a second.
    let sum = |from: f64, a: f64, steps: f64| 1e-3 * (from * steps + a * 1e-3 * steps * (steps + 1.0) / 2.0);
    let stopped = -0.5 + sum(1.0, -1.5, 666.0);
    let all = [
        ([-0.5, 1.0, 0.0, own, 0.0, 0.0, 100.0], [-0.5 + sum(1.0, -1.5, 100.0), 0.85, -3e-3, 0.0]),
        ([-0.5, 1.0, 0.0, own, 0.0, 0.0, 667.0], [stopped, 0.0, -2e-3, 0.0]),
        ([-0.5, 1.0, 0.0, own, 0.0, 0.0, 900.0], [stopped, 0.0, 0.0, 0.0]),
        // A force less than friction, and one that is larger.
        ([0.0, 0.0, 2.0, own, 0.0, 0.0, 300.0], [0.0, 0.0, -2e-3, 0.0]),
        ([0.0, 0.0, 5.0, own, 0.0, 0.0, 100.0], [sum(0.0, 1.0, 100.0), 0.1, -3e-3, 0.0]),
        // The stops, against which a force leans.
        ([0.0, 3.0, 5.0, own, 0.0, 0.0, 900.0], [0.5, 0.0, -5e-3, 0.0]),
        ([0.0, -4.0, 0.0, own, 0.0, 0.0, 900.0], [-1.0, 0.0, 0.0, 0.0]),
        // Beyond a stop, a fifth is taken back in a step.
        ([0.6, 0.0, 0.0, own, 0.0, 0.0, 1.0], [0.58, -20.0, -40.0, 0.0]),
        // Without friction and limits, also if these are no numbers.
        ([0.0, 1.0, 2.0, 0.0, inf, inf, 100.0], [sum(1.0, 1.0, 100.0), 1.1, 0.0, 0.0]),
        ([0.0, 1.0, 2.0, nan, nan, nan, 100.0], [sum(1.0, 1.0, 100.0), 1.1, 0.0, 0.0]),
        // Other distances than the URDF's.
        ([0.0, 1.0, 0.0, 0.0, inf, 1e-4, 1.0], [1e-4, 0.1, -1.8, 0.0]),
    ];
    let c = cart().plan(C::default()).unwrap();
    // And a limit that no speed reaches.
    let input: String = all.iter().map(|(given, _)| listed(given)).collect::<String>()
        + &listed(&[0.0, 1.0, 0.0, 0.0, -inf, inf, 1.0]);
    for compiler in compilers() {
        let found = answered(compiler, &format!("friction_cart_{compiler}"), &c.files(), CART, &[], &input);
        assert_eq!(found.len(), 4 * all.len() + 4);
        for ((given, expected), found) in all.iter().zip(found.chunks_exact(4)) {
            let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            let apart = apart.fold(0.0_f64, |most, x| if x.is_nan() { f64::INFINITY } else { most.max(x) });
            assert!(apart < 1e-9, "{compiler}, {given:?}: {apart:.1e} {found:?} {expected:?}");
        }
        let [.., impulse, failures] = found[..] else { panic!("{found:?}") };
        assert!(impulse.is_finite() && failures == 1.0, "{impulse} {failures}");
    }
}
