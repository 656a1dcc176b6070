//! Derivatives of the step with friction in C, with joints and without: against the runtime's, and against
//! differences of steps in C.

use crate::c_compiler::some;
use crate::contact_paths;
use crate::contacts::{Contacts, contacting::Padded, frame};
use crate::friction::{Asked, Found, From, OfJoints, found, found_with, is_regular};
use crate::friction_joints::{of_runtime, with_joints};
use crate::friction_robots::{joints, of_joints, one_loop, random};
use crate::steps::{Given, given};
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use rbd_build::{Base, C, Generated};
use rbd_runtime::contact::{self, FrictionDerivativesOut, FrictionVelocities};
use rbd_runtime::friction::{ContactMode, FrictionSettings};
use rbd_runtime::random::Random;
use rbd_runtime::{ContactKind, Model};

/// Derivatives by q, v and tau, as the program prints them, and the margin.
struct Blocks {
    q: [DMatrix<f64>; 3],
    v: [DMatrix<f64>; 3],
    impulses: [DMatrix<f64>; 3],
    joints: Option<[DMatrix<f64>; 3]>,
    margin: f64,
}

impl Blocks {
    fn of<const NV: usize, const NC: usize, const NR: usize>(
        found: &Found<NV, NC, NR>,
        with_joints: bool,
    ) -> Self {
        let mut rest = &found.derivatives[..];
        let mut three = |rows: usize| {
            [(); 3].map(|()| {
                let (own, others) = rest.split_at(rows * NV);
                rest = others;
                DMatrix::from_column_slice(rows, NV, own)
            })
        };
        let (q, v, impulses) = (three(NV), three(NV), three(NR));
        let joints = with_joints.then(|| three(NV));
        let [margin] = rest[..] else { panic!("{} more", rest.len()) };
        Self { q, v, impulses, joints, margin }
    }
}

/// The runtime's result: the step, derivatives of velocities, of impulses and of those on coordinates.
struct Own<const NV: usize, const NC: usize, const NR: usize> {
    step: FrictionVelocities<f64, NV, NC, NR>,
    v: [SMatrix<f64, NV, NV>; 3],
    impulses: [SMatrix<f64, NR, NV>; 3],
    joints: [SMatrix<f64, NV, NV>; 3],
    margin: f64,
}

fn expected<const NV: usize, const NB: usize, const NC: usize, const NR: usize, const NA: usize>(
    (model, robot): (&Model<f64>, &Padded<'_, f64, NV, NB, NC>),
    asked: &Asked<NC, NR>,
) -> Own<NV, NC, NR> {
    let (mut v, mut impulses, mut joints) =
        ([SMatrix::zeros(); 3], [SMatrix::zeros(); 3], [SMatrix::zeros(); 3]);
    let out = FrictionDerivativesOut { v: v.each_mut(), impulses: impulses.each_mut() };
    let (velocity, tau) = (robot.pad(&asked.state.v), robot.pad(&asked.state.tau));
    let at = (&velocity, &tau, asked.dt);
    let (surfaces, settings) = (&asked.surfaces, &asked.settings.unwrap_or_default());
    let starts = asked.from != From::Nothing;
    let (step, margin) = match &asked.joints {
        Some(given) => {
            let start = SVector::from_column_slice(&given.start);
            let start = starts.then_some((&asked.start, &start));
            let given = of_runtime::<NV>(model, asked.state.q.as_slice(), given);
            let out = (out, joints.each_mut());
            let (step, _, margin) = contact::friction_step_with_joints_derivatives::<_, _, NV, NB, NC, NR, NA>(
                robot, at, surfaces, &given, settings, start, out,
            );
            (step, margin)
        }
        None => {
            let start = starts.then_some(&asked.start);
            contact::friction_step_derivatives(robot, at, surfaces, settings, start, out)
        }
    };
    Own { step, v, impulses, joints, margin }
}

/// Compares C with the runtime: with joints, if these are asked for. `is_unique`: no impulse is redundant
/// beside them.
fn check<const NV: usize, const NB: usize, const NC: usize, const NR: usize, const NA: usize>(
    name: &str,
    (c, given): (&Generated, Option<&Given>),
    contacts: &Contacts<NC>,
    all: &mut [Asked<NC, NR>],
    is_unique: bool,
) {
    let model = given.map_or(&c.model, |given| &given.model);
    assert_eq!((model.nv, model.bodies.len()), (NV, NB));
    // The state is not in the place of the result.
    all.iter_mut().filter(|asked| asked.from == From::Out).for_each(|asked| asked.from = From::Last);
    let with_joints = all[0].joints.is_some();
    for (compiler, found) in found_with::<NV, NC, NR>(name, c, (false, true), given, all) {
        let (mut compared, mut modes, mut worst) = (0, [0; 3], [0.0_f64; 2]);
        for (k, (asked, found)) in all.iter().zip(&found).enumerate() {
            let robot = Padded::closed(model, model, asked.state.q.as_slice(), contacts.0, contacts.1);
            let own = expected::<NV, NB, NC, NR, NA>((model, &robot), asked);
            let got = Blocks::of(found, with_joints);
            assert_eq!(found.converged, own.step.report.converged, "{name}, {k}");
            if !found.converged || own.margin < 1e-5 {
                continue;
            }
            compared += 1;
            found.modes.iter().for_each(|mode| modes[*mode as usize] += 1);
            // Of redundant impulses there are several, also if joints hold what contacts or loops do.
            let unique = is_regular(&robot, &own.step.modes) && (is_unique || !with_joints);
            if unique {
                assert_eq!(found.modes, own.step.modes, "{name}, {k}");
                // Without a contact that touches, the largest number is infinite.
                let apart = (got.margin - own.margin).abs();
                assert!(
                    apart < 1e-9 || (own.margin.is_infinite() && got.margin == f64::MAX),
                    "{name} {k}: {apart}"
                );
            }
            for by in 0..3 {
                let apart = |got: &DMatrix<f64>, own: &[f64]| {
                    let own = DMatrix::from_column_slice(got.nrows(), NV, own);
                    (got - &own).amax() / own.amax().max(1.0)
                };
                worst[0] = worst[0].max(apart(&got.v[by], own.v[by].as_slice()));
                if unique {
                    worst[1] = worst[1].max(apart(&got.impulses[by], own.impulses[by].as_slice()));
                }
                if let (Some(joints), true) = (&got.joints, unique) {
                    worst[1] = worst[1].max(apart(&joints[by], own.joints[by].as_slice()));
                }
            }
            assert!(worst[0] < 1e-7 && worst[1] < 1e-7, "{name}, {compiler}, {k}: {worst:?} {}", own.margin);
        }
        println!(
            "{name}, {compiler}: {compared} of {}; open, stick, slide: {modes:?}; apart {:.1e} {:.1e}",
            all.len(),
            worst[0],
            worst[1]
        );
        assert!(
            2 * compared > all.len() && modes.iter().all(|count| *count > 0),
            "{name}: {compared} {modes:?}"
        );
    }
}

/// Steps with joints, or `plain` ones.
fn asked<const NC: usize, const NR: usize>(model: &Model<f64>, kind: &str, count: u64) -> Vec<Asked<NC, NR>> {
    if kind == "joints" { with_joints(model, count) } else { random(model, count) }
}

#[test]
fn of_a_joint_of_every_kind() {
    for base in some(1, &[Base::Floating, Base::Fixed]) {
        let c = joints(*base).plan(C::default()).unwrap();
        let contacts = of_joints(&c.model);
        for kind in ["plain", "joints"] {
            let mut all = asked(&c.model, kind, 40);
            let name = format!("derivatives_{kind}_{base:?}");
            match base {
                Base::Fixed => check::<14, 6, 4, 12, 26>(&name, (&c, None), &contacts, &mut all, false),
                Base::Floating => check::<20, 7, 4, 12, 32>(&name, (&c, None), &contacts, &mut all, true),
            }
        }
    }
}

#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn with_inertias_and_gravity_at_run_time() {
    let robot = joints(Base::Floating).inertia_at_run_time(["arm"]).gravity_at_run_time(true);
    let c = robot.plan(C::default()).unwrap();
    let (contacts, other) = (of_joints(&c.model), given(&c.name, &c.model));
    for (name, given) in some(1, &[("given", Some(&other)), ("own", None)]) {
        for kind in some(1, &["joints", "plain"]) {
            let mut all = asked(&c.model, kind, 10);
            let name = format!("derivatives_{kind}_{name}");
            check::<20, 7, 4, 12, 32>(&name, (&c, *given), &contacts, &mut all, true);
        }
    }
}

/// A point beside a loop of the robot with itself.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn beside_closed_loops() {
    use contact_paths::{NB, NV};
    let c = one_loop("limbs_derivatives").plan(C::default()).unwrap();
    let [foot, hand, shin] = ["foot", "hand", "shin"].map(|name| frame(&c.model, name));
    let contacts = ([(foot, ContactKind::Point), (hand, ContactKind::Point)], [None, Some(shin)]);
    for kind in some(1, &["joints", "plain"]) {
        let mut all = asked(&c.model, kind, 50);
        let name = format!("derivatives_loops_{kind}");
        check::<NV, NB, 2, 6, 15>(&name, (&c, None), &contacts, &mut all, false);
    }
}

/// In single precision they are near those of double. Only with all seeds.
#[test]
fn in_single_precision() {
    if some(0, &[()]).is_empty() {
        return;
    }
    let [wide, narrow] =
        [false, true].map(|float| joints(Base::Floating).plan(C { float, ..C::default() }).unwrap());
    let mut all = with_joints::<4, 12>(&wide.model, 40);
    for asked in &mut all {
        asked.from = From::Nothing;
        let given = asked.joints.as_mut().unwrap().given.iter_mut().flatten().flatten();
        given.for_each(|x| *x = if *x == f64::MAX { f64::INFINITY } else { *x });
        asked.settings = Some(FrictionSettings { tolerance: 1e-4, ..asked.settings.unwrap_or_default() });
    }
    let [wide, narrow] = [("double", &wide, false), ("float", &narrow, true)].map(|(name, c, float)| {
        let name = format!("derivatives_{name}");
        found_with::<20, 4, 12>(&name, c, (float, true), None, &all).remove(0).1
    });
    let (mut compared, mut worst) = (0, 0.0_f64);
    for (wide, narrow) in wide.iter().zip(&narrow) {
        let [of, to] = [wide, narrow].map(|found| Blocks::of(found, true));
        if !(wide.converged && narrow.converged && of.margin > 1e-3 && wide.modes == narrow.modes) {
            continue;
        }
        compared += 1;
        for (of, to) in of.q.iter().chain(&of.v).zip(to.q.iter().chain(&to.v)) {
            worst = worst.max((of - to).amax() / of.amax().max(1.0));
        }
    }
    println!("derivatives in float: {compared} of {}; {worst:.1e} from double", all.len());
    assert!(2 * compared > all.len() && worst < 1e-2, "{compared} {worst:.1e}");
}

/// Central differences of two sizes, of steps in C alone: of the next state, impulses, and those on
/// coordinates. Only with all seeds.
#[test]
fn derivatives_are_those_of_the_step() {
    if some(0, &[()]).is_empty() {
        return;
    }
    const SIZE: f64 = 1e-4;
    let c = joints(Base::Floating).plan(C::default()).unwrap();
    let (model, settings) = (&c.model, FrictionSettings { tolerance: 1e-11, ..FrictionSettings::default() });
    let (mut random, mut states) = (Random::new(5), with_joints::<4, 12>(model, 15));
    for asked in &mut states {
        (asked.dt, asked.from, asked.settings) = (0.01, From::Nothing, Some(settings));
        let OfJoints { given, start } = asked.joints.as_mut().unwrap();
        // On a surface, its offset has two rates.
        let on_it = asked.surfaces.iter_mut().flatten().filter(|surface| surface.distance == 0.0);
        on_it.for_each(|surface| surface.distance = -0.005);
        given.get_or_insert_with(|| [vec![0.0; 20], vec![f64::INFINITY; 20], vec![f64::INFINITY; 20]]);
        start.fill(0.0);
    }
    let directions: Vec<DVector<f64>> =
        states.iter().map(|_| DVector::from_fn(20, |_, _| random.uniform(-1.0, 1.0))).collect();
    let sizes = [SIZE, -SIZE, SIZE / 2.0, -SIZE / 2.0];
    let contacts = of_joints(model);
    let mut moved = Vec::new();
    for (asked, direction) in states.iter().zip(&directions) {
        for (by, size) in (0..3).flat_map(|by| sizes.map(|size| (by, size))) {
            let (change, mut to) = (direction * size, asked.state.clone());
            let mut joints = asked.joints.as_ref().unwrap().given.clone().unwrap();
            let mut surfaces = asked.surfaces;
            match by {
                0 => {
                    to.q = DVector::from_vec(
                        model.integrate(asked.state.q.as_slice(), change.as_slice()).as_slice().to_vec(),
                    );
                    for (k, change) in change.iter().enumerate() {
                        joints[1][k] += change;
                        joints[2][k] -= change;
                    }
                    for (surface, (frame, _)) in surfaces.iter_mut().zip(contacts.0) {
                        let Some(surface) = surface else { continue };
                        let place = |q: &DVector<f64>| {
                            let mut data = rbd_runtime::reference::Data::new(model);
                            rbd_runtime::reference::frame_placement(model, &mut data, q.as_slice(), frame)
                                .translation
                        };
                        surface.distance +=
                            surface.normal.normalize().dot(&(place(&to.q) - place(&asked.state.q)));
                    }
                }
                1 => to.v += change,
                _ => to.tau += change,
            }
            let joints = Some(OfJoints { given: Some(joints), start: vec![0.0; 20] });
            moved.push(Asked { state: to, surfaces, joints, ..*asked });
        }
    }
    let steps = found::<20, 4, 12>("differences", &c, false, None, &moved);
    let derivatives = found_with::<20, 4, 12>("differentiated", &c, (false, true), None, &states);
    for ((compiler, steps), (_, derivatives)) in steps.iter().zip(&derivatives) {
        let (mut compared, mut worst) = (0, 0.0_f64);
        for (k, got) in derivatives.iter().enumerate() {
            let blocks = Blocks::of(got, true);
            for by in 0..3 {
                let own = &steps[12 * k + 4 * by..][..4];
                let same = own.iter().all(|x| x.converged && x.modes == got.modes);
                if !(got.converged && same && blocks.margin > 1e-2) {
                    continue;
                }
                // The next state, impulses, and impulses on coordinates.
                let all = own.iter().map(|x| {
                    let q = model.difference(&got.q, &x.q);
                    let numbers = q.iter().chain(&x.v).chain(&x.impulses).chain(&x.joints);
                    DVector::from_iterator(72, numbers.copied())
                });
                let all: Vec<_> = all.collect();
                let [wide, narrow] = [(&all[0] - &all[1]) / (2.0 * SIZE), (&all[2] - &all[3]) / SIZE];
                if (&wide - &narrow).amax() > 1e-4 * narrow.amax().max(1.0) {
                    // A limit or a surface is between them.
                    continue;
                }
                let expected = (&narrow * 4.0 - &wide) / 3.0;
                let joints = blocks.joints.as_ref().unwrap();
                let of = [&blocks.q[by], &blocks.v[by], &blocks.impulses[by], &joints[by]];
                let parts = of.map(|of| of * &directions[k]);
                let given = DVector::from_iterator(72, parts.iter().flat_map(|part| part.iter().copied()));
                let error = (given - &expected).amax() / expected.amax().max(1.0);
                assert!(error < 1e-6, "{compiler}, {k} by {by}: {error:.1e}");
                (compared, worst) = (compared + 1, worst.max(error));
            }
        }
        println!("{compiler}: {compared} differences, {worst:.1e}");
        assert!(compared > 10 && got_all(derivatives), "{compared}");
    }
}

/// Whether contacts of all modes were there.
fn got_all<const NV: usize, const NC: usize, const NR: usize>(of: &[Found<NV, NC, NR>]) -> bool {
    let modes = [ContactMode::Open, ContactMode::Stick, ContactMode::Slide];
    modes.iter().all(|mode| of.iter().any(|found| found.modes.contains(mode)))
}
