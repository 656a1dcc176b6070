//! The step with friction in C against the runtime's, and against the laws of contact: a joint of every kind,
//! parameters at run time, closed loops, and single precision.

use crate::c_compiler::some;
use crate::contact_paths;
use crate::contacts::{Contacts, contacting::Padded, frame};
use crate::friction::{Asked, From, expected, found, is_regular, violation};
use crate::root;
use crate::steps::{Given, given};
use nalgebra::{DVector, SVector};
use rbd_build::{Base, C, Generated, Robot, Shape};
use rbd_runtime::contact::{self, FrictionVelocities};
use rbd_runtime::friction::{ContactSurface, FrictionSettings};
use rbd_runtime::random::{Random, random_state};
use rbd_runtime::{ContactKind, Model};

/// Surfaces of all kinds; near all contacts, or some.
fn surfaces<const NC: usize>(random: &mut Random) -> [Option<ContactSurface<f64>>; NC] {
    let all = [(); NC].map(|()| ContactSurface {
        normal: random.unit3() * random.uniform(0.1, 3.0),
        distance: if random.chance(0.3) { 0.0 } else { random.uniform(-0.02, 0.02) },
        friction: if random.chance(0.1) { 0.0 } else { random.uniform(0.0, 1.2) },
        restitution: if random.chance(0.3) { random.uniform(0.0, 1.0) } else { 0.0 },
        compliance: if random.chance(0.7) { 0.0 } else { random.uniform(0.0, 0.5) },
    });
    all.map(|surface| (!random.chance(0.1)).then_some(surface))
}

/// Steps from random states: of a time, of none, from nothing, and from other impulses.
pub fn random<const NC: usize, const NR: usize>(model: &Model<f64>, count: u64) -> Vec<Asked<NC, NR>> {
    let mut random = Random::new(11);
    let step = |seed: u64| {
        let softer = FrictionSettings { correction: 0.5, ..FrictionSettings::default() };
        let from = [From::Nothing, From::Last, From::Out][seed as usize % 3];
        let start = SVector::from_fn(|_, _| random.uniform(-0.2, 0.2));
        Asked {
            state: random_state(model, 5 + seed),
            dt: if seed % 5 == 4 { 0.0 } else { 0.01 },
            surfaces: surfaces(&mut random),
            settings: (seed % 2 == 1).then_some(softer),
            from,
            start: if from == From::Nothing { SVector::zeros() } else { start },
            joints: None,
        }
    };
    (0..count).map(step).collect()
}

/// Compares C with the runtime, and with the laws.
fn check<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    name: &str,
    (c, given): (&Generated, Option<&Given>),
    contacts: &Contacts<NC>,
    all: &[Asked<NC, NR>],
) {
    let model = given.map_or(&c.model, |given| &given.model);
    assert_eq!((model.nv, model.bodies.len()), (NV, NB));
    for (compiler, found) in found::<NV, NC, NR>(name, c, false, given, all) {
        let (mut seen, [mut solved, mut regular]) = ([0; 3], [0; 2]);
        let [mut worst, mut apart] = [0.0_f64; 2];
        for (k, (asked, found)) in all.iter().zip(&found).enumerate() {
            let robot = Padded::closed(model, model, asked.state.q.as_slice(), contacts.0, contacts.1);
            let own = expected::<NV, NB, NC, NR>(&robot, asked);
            assert!(found.v.iter().chain(&found.impulses).chain(&found.q).all(|x| x.is_finite()), "{k}");
            assert_eq!(found.converged, own.report.converged, "{name}, {k}: {:?}", own.report);
            if !found.converged {
                continue;
            }
            solved += 1;
            found.modes.iter().for_each(|mode| seen[*mode as usize] += 1);
            assert!(found.residuals[3] <= 1e-9, "{name}, {k}");
            worst = worst.max(violation((model, contacts), &robot, asked, found));
            assert!(worst < 1e-8, "{name}, {compiler}, {k}: {worst:.1e}");
            apart = apart.max((found.v - own.v).amax() / own.v.amax().max(1.0));
            if is_regular(&robot, &own.modes) {
                apart = apart.max((found.impulses - own.impulses).amax() / own.impulses.amax().max(1.0));
                assert_eq!(found.modes, own.modes, "{name}, {compiler}, {k}");
                regular += 1;
            }
            assert!(apart < 1e-9, "{name}, {compiler}, {k}: {apart:.1e}");
            let q = model.integrate(asked.state.q.as_slice(), (found.v * asked.dt).as_slice());
            assert!((DVector::from_column_slice(&found.q) - q).amax() < 1e-12, "{name}, {k}");
        }
        println!(
            "{name}, {compiler}: {solved} of {}, regular {regular}; open, stick, slide: {seen:?}; laws {worst:.1e}, \
             runtime {apart:.1e}; \
             {} by multipliers",
            all.len(),
            found.iter().filter(|found| found.admm > 0.0).count()
        );
        let unique = name == "locked" || 2 * regular > solved;
        assert!(
            2 * solved > all.len() && unique && seen.iter().all(|count| *count > 0),
            "{name}: {solved} {seen:?}"
        );
    }
}

/// Four links of a robot with a joint of every kind touch. On the way to `finger`, a joint follows another.
pub fn joints(base: Base) -> Robot {
    let robot = Robot::from_urdf(root().join("tests/step/damped.urdf")).base(base).functions([]);
    let robot = robot.shape(Shape::Loops).damping(true);
    TOUCHING.into_iter().fold(robot, |robot, link| robot.contact(link, ContactKind::Point))
}

const TOUCHING: [&str; 4] = ["finger", "kite", "ball", "raft"];

pub fn of_joints(model: &Model<f64>) -> Contacts<4> {
    (TOUCHING.map(|link| (frame(model, link), ContactKind::Point)), [None; 4])
}

#[test]
fn of_a_joint_of_every_kind() {
    for base in some(1, &[Base::Floating, Base::Fixed]) {
        let c = joints(*base).plan(C::default()).unwrap();
        let contacts = of_joints(&c.model);
        match base {
            Base::Fixed => check::<14, 6, 4, 12>("fixed", (&c, None), &contacts, &random(&c.model, 60)),
            Base::Floating => check::<20, 7, 4, 12>("floating", (&c, None), &contacts, &random(&c.model, 60)),
        }
    }
}

#[test]
fn with_inertias_and_gravity_at_run_time() {
    let robot = joints(Base::Fixed).inertia_at_run_time(["arm"]).gravity_at_run_time(true);
    let c = robot.plan(C::default()).unwrap();
    let (contacts, other) = (of_joints(&c.model), given(&c.name, &c.model));
    for (name, given) in some(1, &[("given", Some(&other)), ("own", None)]) {
        check::<14, 6, 4, 12>(name, (&c, *given), &contacts, &random(&c.model, 20));
    }
}

/// The robot of [`contact_paths`] with one loop, which it can close. `file` is that of its URDF.
pub fn one_loop(file: &str) -> Robot {
    contact_paths::robot(file);
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c/{file}.urdf"));
    let robot = Robot::from_urdf(file).name("limbs").shape(Shape::Loops).functions([]);
    let robot = robot.contact("foot", ContactKind::Point);
    robot.closed_loop("bar", ["hand", "shin"], ContactKind::Point)
}

/// A point beside a loop with the world and another of the robot with itself.
#[test]
fn beside_closed_loops() {
    use contact_paths::{NB, NC, NR, NV};
    // Loops that it can close in part.
    for file in some(0, &["limbs_friction"]) {
        let c = contact_paths::robot(file).plan(C::default()).unwrap();
        let contacts = contact_paths::contacts(&c.model);
        check::<NV, NB, NC, NR>("locked", (&c, None), &contacts, &random(&c.model, 60));
    }
    // A loop that the robot can close.
    let c = one_loop("limbs_closed").plan(C::default()).unwrap();
    let [foot, hand, shin] = ["foot", "hand", "shin"].map(|name| frame(&c.model, name));
    let contacts = ([(foot, ContactKind::Point), (hand, ContactKind::Point)], [None, Some(shin)]);
    check::<NV, NB, 2, 6>("loops", (&c, None), &contacts, &random(&c.model, 60));
}

/// To some hundred units of rounding.
#[test]
fn in_single_precision() {
    let c = joints(Base::Floating).plan(C { float: true, ..C::default() }).unwrap();
    let (model, contacts, mut all) = (&c.model, of_joints(&c.model), random::<4, 12>(&c.model, 40));
    for settings in all.iter_mut().filter_map(|asked| asked.settings.as_mut()) {
        settings.tolerance = 1e-4;
    }
    for (compiler, found) in found::<20, 4, 12>("float", &c, true, None, &all) {
        let (mut solved, [mut worst, mut apart]) = (0, [0.0_f64; 2]);
        for (k, (asked, found)) in all.iter().zip(&found).enumerate() {
            let robot = Padded::<f64, 20, 7, 4>::closed(
                model,
                model,
                asked.state.q.as_slice(),
                contacts.0,
                contacts.1,
            );
            let own = of_float(model, &contacts, asked);
            let [v, impulses] = [own.v.map(f64::from).as_slice(), own.impulses.map(f64::from).as_slice()]
                .map(DVector::from_column_slice);
            assert!(found.v.iter().chain(&found.impulses).all(|x| x.is_finite()), "{k}");
            assert_eq!(found.converged, own.report.converged, "{k}");
            if found.converged {
                solved += 1;
                worst = worst.max(violation((model, &contacts), &robot, asked, found));
                let own = [(found.v.as_slice(), v), (found.impulses.as_slice(), impulses)];
                for (found, own) in own {
                    let apart_here = (DVector::from_column_slice(found) - &own).amax();
                    apart = apart.max(apart_here / own.amax().max(1.0));
                }
            }
        }
        println!("float, {compiler}: {solved} of {}; laws {worst:.1e}, runtime {apart:.1e}", all.len());
        assert!(solved + 2 >= all.len() && apart < 1e-4 && worst < 1e-3, "{solved} {apart:.1e} {worst:.1e}");
    }
}

/// The runtime's step of the reference, in single precision.
fn of_float(
    model: &Model<f64>,
    contacts: &Contacts<4>,
    asked: &Asked<4, 12>,
) -> FrictionVelocities<f32, 20, 4, 12> {
    let narrow = |x: f64| x as f32;
    let cast = model.cast::<f32>();
    let q: Vec<f32> = asked.state.q.iter().map(|x| *x as f32).collect();
    let robot: Padded<'_, f32, 20, 7, 4> = Padded::closed(model, &cast, &q, contacts.0, contacts.1);
    let [v, tau] = [&asked.state.v, &asked.state.tau].map(|x| robot.pad(&x.map(narrow)));
    let surfaces = asked.surfaces.map(|of| {
        of.map(|of| ContactSurface {
            normal: of.normal.map(narrow),
            distance: narrow(of.distance),
            friction: narrow(of.friction),
            restitution: narrow(of.restitution),
            compliance: narrow(of.compliance),
        })
    });
    let start = (asked.from != From::Nothing).then(|| asked.start.map(narrow));
    let settings = asked.settings.map_or_else(FrictionSettings::default, |of| FrictionSettings {
        correction: narrow(of.correction),
        ..FrictionSettings::default()
    });
    contact::friction_step(&robot, (&v, &tau, narrow(asked.dt)), &surfaces, &settings, start.as_ref())
}
