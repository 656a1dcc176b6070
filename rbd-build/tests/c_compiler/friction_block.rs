//! The step with friction of a block in C: closed forms, redundant corners, numbers that are none, and which
//! robots have the step.

use crate::c_compiler::{answered, as_cpp, compilers};
use crate::contacts::{Contacts, contacting::Padded, frame};
use crate::friction::{Asked, From, expected, found, listed, points, violation};
use crate::root;
use nalgebra::{DVector, SVector, Vector3};
use rbd_build::{Base, C, Error, Function, Robot};
use rbd_runtime::friction::{ContactMode, ContactSurface, FrictionSettings};
use rbd_runtime::random::{Random, random_state};
use rbd_runtime::{ContactKind, Model};

/// A block on a slope, its sole along it. The place of the result is that of the last one and of the state.
/// Reads angle, friction, restitution, speed downhill, speed along the normal, time and number of steps.
/// Prints the base's velocity in its axes, and how often the solver failed.
const SLOPE: &str = r#"
#include "points.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    static points_friction_step_t now;
    points_contact_surface_t ground[POINTS_NC] = {{{0}, 0, 0, 0, 0}};
    double x[7], at[12 * POINTS_NC], tau[POINTS_NV] = {0};
    int k, c, step, failures;
    while (scanf("%lf %lf %lf %lf %lf %lf %lf", x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6) == 7) {
        const double normal[3] = {sin(x[0]), 0, cos(x[0])};
        points_friction_step_t none = {{0}, {0}, {0}, {0}, {0, 0, 0, 0}, {0, 0, 0}, 0};
        now = none, failures = 0;
        for (c = 0; c < 3; c++) now.q[c] = 0.05 * normal[c];
        now.q[4] = sin(x[0] / 2), now.q[6] = cos(x[0] / 2);
        now.v[0] = x[3], now.v[2] = x[4];
        for (step = 0; step < (int)x[6]; step++) {
            points_contact_placements(now.q, at);
            for (k = 0; k < POINTS_NC; k++) {
                ground[k].distance = 0;
                for (c = 0; c < 3; c++) ground[k].normal[c] = normal[c], ground[k].distance += normal[c] * at[12 * k + 9 + c];
                ground[k].friction = x[1], ground[k].restitution = x[2];
            }
            points_friction_step(now.q, now.v, tau, x[5], ground, 0, &now, &now);
            failures += !now.converged;
        }
        for (k = 0; k < POINTS_NV; k++) printf("%.17g\n", now.v[k]);
        printf("%d\n", failures);
    }
    return 0;
}
"#;

/// What the program prints of a block that moves by this velocity along the slope, and along its normal.
fn moved(along: f64, up: f64) -> [f64; 7] {
    [along, 0.0, up, 0.0, 0.0, 0.0, 0.0]
}

#[test]
fn a_block_slides_sticks_and_rebounds() {
    let (g, dt): (f64, f64) = (9.81, 1e-3);
    // Steps from rest, or from a speed that friction stops.
    let (angle, sliding, sticking) = (0.4_f64, 0.3, 0.5);
    let downhill = g * (angle.sin() - sliding * angle.cos());
    let all = [
        ([angle, sliding, 0.0, 0.0, 0.0, dt, 200.0], moved(downhill * dt * 200.0, 0.0)),
        ([angle, 0.0, 0.0, 0.0, 0.0, dt, 200.0], moved(g * angle.sin() * dt * 200.0, 0.0)),
        ([angle, sticking, 0.0, 0.0, 0.0, dt, 200.0], moved(0.0, 0.0)),
        ([0.0, 0.2, 0.0, 0.5, 0.0, dt, 100.0], moved(0.5 - 0.2 * g * dt * 100.0, 0.0)),
        ([0.0, 0.2, 0.0, 0.5, 0.0, dt, 400.0], moved(0.0, 0.0)),
        // Impacts: friction takes mu (1 + e) of the approach from the sliding, and all of less.
        ([0.0, 0.2, 0.5, 3.0, -1.0, 0.0, 1.0], moved(3.0 - 0.2 * 1.5, 0.5)),
        ([0.0, 0.0, 1.0, 3.0, -1.0, 0.0, 1.0], moved(3.0, 1.0)),
        // What separates is left alone.
        ([0.0, 0.2, 0.5, 3.0, 1.0, 0.0, 1.0], moved(3.0, 1.0)),
        ([0.0, 0.2, 0.5, 3.0, 1.0, dt, 1.0], moved(3.0, 1.0 - g * dt)),
    ];
    let c = points(4).plan(C::default()).unwrap();
    let input: String = all.iter().map(|(given, _)| listed(given)).collect();
    for compiler in compilers() {
        let name = format!("friction_slope_{compiler}");
        let found = answered(compiler, &name, &c.files(), SLOPE, &[], &input);
        assert_eq!(found.len(), 7 * all.len());
        for ((given, expected), found) in all.iter().zip(found.chunks_exact(7)) {
            let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            let apart = apart.fold(0.0_f64, |most, x| if x.is_nan() { f64::INFINITY } else { most.max(x) });
            assert!(apart < 1e-7, "{compiler}, {given:?}: {apart:.1e} {found:?} {expected:?}");
        }
    }
}

/// Names of the block's corners, as contacts.
fn corners<const NC: usize>(model: &Model<f64>) -> Contacts<NC> {
    let corner = |k: usize| (frame(model, &format!("c{k}")), ContactKind::Point);
    (std::array::from_fn(corner), [None; NC])
}

/// All eight corners of a block in a corner of a room share impulses in many ways: the laws hold.
#[test]
fn redundant_contacts_obey_the_laws() {
    let c = points(8).plan(C::default()).unwrap();
    let (model, contacts) = (&c.model, corners::<8>(&c.model));
    let mut random = Random::new(3);
    let all: Vec<Asked<8, 24>> = (0..150)
        .map(|seed| {
            let mut state = random_state(model, seed);
            state.q.as_mut_slice().copy_from_slice(&[0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0]);
            // The floor under the lower four, and a wall at the upper ones.
            let wall = Vector3::new(0.4, -0.3, 0.1);
            let mu = random.uniform(0.0, 0.6);
            let surfaces = std::array::from_fn(|k| {
                let normal = if k < 4 { Vector3::z() } else { wall };
                let restitution = if seed % 3 == 0 { 0.4 } else { 0.0 };
                (k < 4 || seed % 2 == 0)
                    .then(|| ContactSurface::new(normal, 0.0, mu).with_restitution(restitution))
            });
            let from = if seed % 4 == 3 { From::Out } else { From::Nothing };
            let start = SVector::from_fn(|_, _| random.uniform(0.0, 0.1));
            Asked { state, dt: 0.01, surfaces, settings: None, from, start, joints: None }
        })
        .collect();
    for (compiler, found) in found::<6, 8, 24>("redundant", &c, false, None, &all) {
        let (mut seen, mut solved) = ([0; 3], 0);
        for (k, (asked, found)) in all.iter().zip(&found).enumerate() {
            if !found.converged {
                continue;
            }
            solved += 1;
            found.modes.iter().for_each(|mode| seen[*mode as usize] += 1);
            let robot = Padded::<f64, 6, 1, 8>::of(model, model, asked.state.q.as_slice(), contacts.0);
            let worst = violation((model, &contacts), &robot, asked, found);
            assert!(worst < 1e-8, "{compiler}, {k}: {worst:.1e}");
        }
        println!("redundant, {compiler}: {solved} of {}; open, stick, slide: {seen:?}", all.len());
        assert!(solved == all.len() && seen.iter().all(|count| *count > 10), "{solved} {seen:?}");
    }
}

/// What numbers that are none lead to is said, as by the runtime; impulses are finite.
#[test]
fn nonsense_is_said() {
    let c = points(4).plan(C::default()).unwrap();
    let (model, contacts) = (&c.model, corners::<4>(&c.model));
    // Impulses of compliant contacts are unique.
    let ground = ContactSurface::ground(-0.001, 0.5).with_compliance(0.01);
    let asked = || -> Asked<4, 12> {
        let mut state = random_state(model, 1);
        state.q.as_mut_slice().copy_from_slice(&[0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0]);
        let (settings, start) = (None, SVector::repeat(0.1));
        Asked {
            state,
            dt: 0.01,
            surfaces: [Some(ground); 4],
            settings,
            from: From::Last,
            start,
            joints: None,
        }
    };
    let with = |change: &dyn Fn(&mut Asked<4, 12>)| {
        let mut asked = asked();
        change(&mut asked);
        asked
    };
    let surface = |of: ContactSurface<f64>| with(&|asked| asked.surfaces[1] = Some(of));
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let strict = FrictionSettings { tolerance: nan, ..FrictionSettings::default() };
    // And whether the step can converge.
    let all = [
        (asked(), true),
        (with(&|asked| asked.state.q[5] = nan), false),
        (with(&|asked| asked.state.q.fill(0.0)), true),
        (with(&|asked| asked.state.v[0] = inf), false),
        (with(&|asked| asked.state.tau[4] = nan), false),
        (with(&|asked| asked.dt = nan), false),
        (with(&|asked| asked.dt = -0.01), true),
        (with(&|asked| asked.dt = inf), false),
        (with(&|asked| asked.start.fill(nan)), true),
        (with(&|asked| asked.start[3] = inf), true),
        (with(&|asked| asked.start.fill(1e200)), true),
        (with(&|asked| asked.settings = Some(strict)), false),
        (with(&|asked| asked.surfaces = [None; 4]), true),
        (surface(ContactSurface { normal: Vector3::zeros(), ..ground }), true),
        (surface(ContactSurface { normal: Vector3::new(0.0, nan, 1.0), ..ground }), true),
        (surface(ContactSurface { normal: Vector3::new(0.0, inf, 1.0), ..ground }), true),
        (surface(ContactSurface { normal: Vector3::new(0.0, 0.0, 1e-300), ..ground }), true),
        (surface(ContactSurface { distance: nan, ..ground }), false),
        (surface(ContactSurface { distance: -inf, ..ground }), false),
        (surface(ContactSurface { distance: inf, ..ground }), false),
        (surface(ContactSurface { friction: -1.0, ..ground }), true),
        (surface(ContactSurface { friction: nan, ..ground }), true),
        (surface(ContactSurface { restitution: nan, ..ground }), true),
        (surface(ContactSurface { compliance: -1.0, ..ground }), true),
        (surface(ContactSurface { compliance: nan, ..ground }), true),
    ];
    let (all, can): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    for (compiler, found) in found::<6, 4, 12>("nonsense", &c, false, None, &all) {
        for (k, (asked, found)) in all.iter().zip(&found).enumerate() {
            let robot = Padded::<f64, 6, 1, 4>::of(model, model, asked.state.q.as_slice(), contacts.0);
            let own = expected::<6, 1, 4, 12>(&robot, asked);
            assert!(found.impulses.iter().all(|x| x.is_finite()), "{compiler}, {k}: {}", found.impulses);
            assert_eq!(
                (found.converged, own.report.converged),
                (can[k], can[k]),
                "{compiler}, {k}: {:?}",
                own.report
            );
            if can[k] {
                let apart = (found.impulses - own.impulses).amax().max((found.v - own.v).amax());
                assert!(apart < 1e-7, "{compiler}, {k}: {apart:.1e}");
            }
        }
        // Without a surface, nothing but gravity and torques.
        let (asked, found) = (&all[12], &found[12]);
        assert!(found.impulses.amax() == 0.0 && found.modes == [ContactMode::Open; 4]);
        let mass = DVector::from_vec(vec![3.0, 3.0, 3.0]);
        let [v, w] = [0, 3].map(|at| Vector3::from_column_slice(&asked.state.v.as_slice()[at..at + 3]));
        let force = asked.state.tau.rows(0, 3).component_div(&mass) - w.cross(&v) - Vector3::z() * 9.81;
        assert!((found.v.fixed_rows::<3>(0) - (v + force * 0.01)).amax() < 1e-12);
    }
}

/// Robots whose contacts with the world are points have the step, and others cost nothing.
#[test]
fn what_is_written_and_what_is_refused() {
    let arm = || Robot::from_urdf(root().join("robots/double_pendulum.urdf")).functions([]);
    let files = |robot: Robot| robot.plan(C::default()).unwrap().files();
    let has = |robot: Robot| {
        let all: Vec<bool> = files(robot)
            .iter()
            .map(|(_, text)| text.contains("friction_step") || text.contains("cones_"))
            .collect();
        assert_eq!(all[0], all[1]);
        all[0]
    };
    assert!(!has(arm().functions([Function::Rnea])) && has(arm().contacts(["link2"])));
    assert!(!has(arm().contact("link2", ContactKind::Plane)));
    assert!(!has(arm().contact("link2", ContactKind::Plane).contact("link1", ContactKind::Point)));
    let closed = |robot: Robot| robot.closed_loop("bar", ["link2", "base_link"], ContactKind::Plane);
    assert!(!has(closed(arm())) && has(closed(arm().contacts(["link1"]))));
    // Loops cost nothing where there are none.
    let source = |robot: Robot| files(robot).remove(1).1;
    assert!(!source(arm().contacts(["link2"])).contains("cones_close"));
    assert!(source(closed(arm().contacts(["link1"]))).contains("cones_close"));
    let given = files(arm().contacts(["link2"]).gravity_at_run_time(true)).remove(0);
    assert!(given.1.contains("void double_pendulum_friction_step_with(const double_pendulum_parameters_t"));
    as_cpp(&given);
    for list in [
        "FrictionStep: tau",
        "FrictionSettings: tau",
        "ContactSurface: tau",
        "JointContacts: tau",
        "ConesSolve: tau",
    ] {
        match arm().base(Base::Floating).fused(list.parse().unwrap()).plan(C::default()) {
            Err(Error::Option { name: "fused", what }) => {
                assert!(what.contains("another function"), "{what}")
            }
            other => panic!("{list}: {:?}", other.err()),
        }
    }
}
