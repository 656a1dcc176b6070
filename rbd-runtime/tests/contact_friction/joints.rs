//! Dry friction and limits of joints beside contacts: random problems, and closed forms.

use super::laws::{Contacts, of_joint, of_surface, violation};
use super::problems::{Numbers, memory_of};
use super::trees::{DT, Kind, NB, NC, NR, NV, Places, rows_of, surfaces};
use crate::common::for_all;
use nalgebra::{DMatrix, DVector, SVector, Vector3};
use rbd_runtime::contact::{friction_step, friction_step_with_joints};
use rbd_runtime::friction::{
    ContactMode, FrictionMemory, FrictionProblem, FrictionReport, FrictionSettings, JointContacts, JointLaw,
    impulse_derivatives_with_joints, solve_with_joints,
};
use rbd_runtime::random::Random;
use rbd_runtime::reference::{Data, bias, crba, frame_placement};

/// The solution of a problem whose last rows are joints'.
fn solved(
    delassus: &DMatrix<f64>,
    free: &DVector<f64>,
    friction: &[f64],
    joints: &[JointLaw<f64>],
) -> (Vec<f64>, FrictionReport<f64>) {
    let (contacts, rows) = (friction.len(), free.len());
    let problem = FrictionProblem {
        delassus: delassus.as_slice(),
        velocity: free.as_slice(),
        friction,
        compliance: &vec![0.0; contacts],
    };
    let (mut impulses, mut modes) = (vec![0.0; rows], vec![ContactMode::Open; contacts]);
    let sizes = [FrictionMemory::<f64>::matrices_of_rows(rows), FrictionMemory::<f64>::vectors_of_rows(rows)];
    let [mut matrices, mut vectors] = memory_of(f64::NAN, sizes);
    let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
    let settings = FrictionSettings::default();
    let report = solve_with_joints(&problem, joints, &settings, &mut impulses, &mut modes, memory);
    (impulses, report)
}

/// Contacts obey their laws, joints theirs, or the report says that it did not converge.
#[test]
fn random_problems_with_joints_are_solved() {
    let (mut left, mut worst, mut seen, mut first) = (Vec::new(), 0.0_f64, [0; 4], 0);
    for seed in 0..1000 {
        let mut numbers = Numbers::new(seed + 5000);
        let (contacts, joints) = ((numbers.uniform() * 5.0) as usize, 1 + (numbers.uniform() * 8.0) as usize);
        let (rows, first_joint) = (3 * contacts + joints, 3 * contacts);
        let freedoms = if seed % 3 == 0 { rows.saturating_sub(2).max(2) } else { rows + 2 };
        let jacobian = DMatrix::from_fn(rows, freedoms, |_, _| numbers.normal());
        let exponent = if seed % 2 == 0 { 0.0 } else { 3.0 };
        let masses = DVector::from_fn(freedoms, |_, _| 10_f64.powf(-exponent * numbers.uniform()));
        let delassus = &jacobian * DMatrix::from_diagonal(&masses) * jacobian.transpose();
        let free = &jacobian * DVector::from_fn(freedoms, |_, _| numbers.normal());
        let friction: Vec<f64> = (0..contacts).map(|_| numbers.uniform()).collect();
        let laws: Vec<JointLaw<f64>> = (0..joints)
            .map(|_| {
                let mut limit = || match numbers.uniform() {
                    x if x < 0.3 => f64::INFINITY,
                    x if x < 0.5 => 0.0,
                    x => x,
                };
                let (least, most) = (-limit(), limit());
                let friction = if numbers.uniform() < 0.4 { 0.0 } else { numbers.uniform() };
                JointLaw { friction, least, most }
            })
            .collect();
        let (f, report) = solved(&delassus, &free, &friction, &laws);
        assert!(f.iter().all(|x| x.is_finite()), "{seed}");
        if !report.converged {
            left.push(seed);
            continue;
        }
        first += usize::from(report.iterations.admm == 0);
        let c = &delassus * DVector::from_column_slice(&f) + &free;
        // The joints' impulses move the contacts: they are free velocities there.
        let of_joints = delassus.view((0, first_joint), (first_joint, joints))
            * DVector::from_column_slice(&f[first_joint..]);
        let of_contacts = Contacts {
            delassus: delassus.view((0, 0), (first_joint, first_joint)).into_owned(),
            free: free.rows(0, first_joint) + of_joints,
            friction,
        };
        let mut found = if contacts > 0 { violation(&of_contacts, &f[..first_joint]) } else { 0.0 };
        for (k, law) in laws.iter().enumerate() {
            let (f, c) = (f[first_joint + k], c[first_joint + k]);
            found = found.max(of_joint(law, f, c) / f.abs().max(1.0));
            let kind = [c <= law.least + 1e-9, c >= law.most - 1e-9, c.abs() < 1e-9, true];
            seen[kind.iter().position(|x| *x).unwrap()] += 1;
        }
        assert!(found < 1e-8, "{seed}: {found:.1e}, called converged: {report:?}");
        worst = worst.max(found);
    }
    println!(
        "{left:?} did not converge; worst {worst:.1e}; {first} without multipliers; lower, upper limit, sticking, moving: {seen:?}"
    );
    assert!(left.is_empty() && seen.iter().all(|x| *x > 100), "{left:?} {seen:?}");
}

/// One coordinate of inertia 2.
fn alone(v: f64, law: JointLaw<f64>) -> (f64, f64) {
    let (f, report) = solved(&DMatrix::from_element(1, 1, 0.5), &DVector::from_element(1, v), &[], &[law]);
    assert!(report.converged, "{report:?}");
    (f[0], v + 0.5 * f[0])
}

#[test]
fn a_coordinate_obeys_its_closed_form() {
    let free = JointLaw { friction: 0.0, least: f64::NEG_INFINITY, most: f64::INFINITY };
    let rubbing = JointLaw { friction: 1.5, ..free };
    let stopped = JointLaw { friction: 1.5, least: -0.25, most: 0.5 };
    for (law, v, expected) in [
        (free, 3.0, (0.0, 3.0)),
        // Friction takes 0.75 m/s, and no more than there is.
        (rubbing, 3.0, (-1.5, 2.25)),
        (rubbing, -3.0, (1.5, -2.25)),
        (rubbing, 0.6, (-1.2, 0.0)),
        (rubbing, -0.6, (1.2, 0.0)),
        (rubbing, 0.0, (0.0, 0.0)),
        // Limits take the rest.
        (stopped, 3.0, (-5.0, 0.5)),
        (stopped, 1.0, (-1.5, 0.25)),
        (stopped, 0.5, (-1.0, 0.0)),
        (stopped, -0.8, (1.5, -0.05)),
        (stopped, -3.0, (5.5, -0.25)),
        // A penetration is pushed out: the limit moves, against friction.
        (JointLaw { least: 0.2, ..stopped }, 0.0, (0.4, 0.2)),
        (JointLaw { least: 0.2, ..stopped }, 1.1, (-1.5, 0.35)),
        // What is no number is no limit, and friction of another sign is none.
        (JointLaw { friction: -1.0, least: f64::NAN, most: f64::NAN }, 2.0, (0.0, 2.0)),
    ] {
        let (f, c) = alone(v, law);
        assert!((f - expected.0).abs() < 1e-9 && (c - expected.1).abs() < 1e-9, "{law:?} {v}: {f} {c}");
    }
}

/// Changes of the impulse and of the velocity of that coordinate by four parameters: the velocity without
/// impulses, the friction's bound, and the limits' velocities. The margin is beside them.
fn changes(v: f64, law: JointLaw<f64>) -> ([[f64; 2]; 4], f64) {
    let (f, _) = alone(v, law);
    let problem = FrictionProblem { delassus: &[0.5], velocity: &[v], friction: &[], compliance: &[] };
    let by = |column, _| match (column, JointLaw::zero()) {
        (1, law) => JointLaw { friction: 1.0, ..law },
        (2, law) => JointLaw { least: 1.0, ..law },
        (3, law) => JointLaw { most: 1.0, ..law },
        (_, law) => law,
    };
    let mut columns = [1.0, 0.0, 0.0, 0.0];
    let [mut matrices, mut vectors] = memory_of(f64::NAN, [4, 13]);
    let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
    let margin = impulse_derivatives_with_joints(&problem, (&[law], by), (&[f], &[]), &mut columns, memory);
    (core::array::from_fn(|k| [columns[k], 0.5 * columns[k] + f64::from(k == 0)]), margin)
}

#[test]
fn changes_of_a_coordinate_have_a_closed_form() {
    let free = JointLaw { friction: 0.0, least: f64::NEG_INFINITY, most: f64::INFINITY };
    let rubbing = JointLaw { friction: 1.5, ..free };
    let stopped = JointLaw { friction: 1.5, least: -0.25, most: 0.5 };
    let still = [0.0, 0.0];
    let held = |limit: usize| {
        // The velocity is that of the limit.
        core::array::from_fn(|k| {
            if k == 0 {
                [-2.0, 0.0]
            } else if k == limit {
                [2.0, 1.0]
            } else {
                still
            }
        })
    };
    for (law, v, expected) in [
        (free, 3.0, [[0.0, 1.0], [-1.0, -0.5], still, still]),
        (rubbing, 3.0, [[0.0, 1.0], [-1.0, -0.5], still, still]),
        (rubbing, -3.0, [[0.0, 1.0], [1.0, 0.5], still, still]),
        (rubbing, 0.6, held(0)),
        (stopped, 1.0, [[0.0, 1.0], [-1.0, -0.5], still, still]),
        (stopped, 0.5, held(0)),
        (stopped, 3.0, held(3)),
        (stopped, -3.0, held(2)),
        (JointLaw { least: 0.2, ..stopped }, 0.0, held(2)),
        (JointLaw { most: -0.2, ..stopped }, 0.0, held(3)),
    ] {
        let (got, margin) = changes(v, law);
        assert!(margin > 1e-2, "{law:?} {v}: {margin}");
        for (got, expected) in got.iter().flatten().zip(expected.iter().flatten()) {
            assert!((got - expected).abs() < 1e-9, "{law:?} {v}: {got} {expected}");
        }
    }
    // Where modes change there is no margin: on the edge of sticking, at a limit, and at an empty range.
    for (law, v) in [
        (rubbing, 0.75),
        (stopped, 1.25),
        (JointLaw { least: 0.0, ..stopped }, 0.5),
        (JointLaw { least: 0.5, ..stopped }, 0.0),
    ] {
        let (_, margin) = changes(v, law);
        assert!(margin.abs() < 1e-9, "{law:?} {v}: {margin}");
    }
}

/// Sizes that do not fit, and numbers that are none, are said.
#[test]
fn nonsense_of_joints_is_said() {
    let law = JointLaw { friction: 1.0, least: -1.0, most: 1.0 };
    let settings = FrictionSettings::default();
    let said = |delassus: &[f64], velocity: &[f64], sizes: [usize; 2], impulses: usize| {
        let problem = FrictionProblem { delassus, velocity, friction: &[], compliance: &[] };
        let [mut matrices, mut vectors] = memory_of(0.0, sizes);
        let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
        let mut f = vec![1.0; impulses];
        let report = solve_with_joints(&problem, &[law], &settings, &mut f, &mut [], memory);
        assert!(f.iter().all(|x| *x == 0.0), "{f:?}");
        report.converged
    };
    assert!(said(&[1.0], &[0.0], [4, 13], 1));
    assert!(!said(&[1.0], &[0.0], [3, 13], 1) && !said(&[1.0], &[0.0], [4, 12], 1));
    assert!(!said(&[], &[0.0], [4, 13], 1) && !said(&[1.0], &[], [4, 13], 1));
    assert!(!said(&[1.0], &[0.0], [4, 13], 2));
    assert!(!said(&[f64::NAN], &[2.0], [4, 13], 1) && !said(&[1.0], &[f64::NAN], [4, 13], 1));
    assert!(!said(&[0.0], &[2.0], [4, 13], 1), "nothing moves it");
    let changed = |delassus: &[f64], sizes: [usize; 2], impulses: &[f64]| {
        let problem = FrictionProblem { delassus, velocity: &[0.5], friction: &[], compliance: &[] };
        let [mut matrices, mut vectors] = memory_of(0.0, sizes);
        let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
        let (mut columns, laws) = ([1.0], (&[law][..], |_, _| JointLaw::zero()));
        let margin = impulse_derivatives_with_joints(&problem, laws, (impulses, &[]), &mut columns, memory);
        assert!(!margin.is_nan() || columns == [0.0]);
        margin
    };
    assert!(changed(&[1.0], [4, 13], &[-0.5]) > 0.0);
    assert!(changed(&[1.0], [3, 13], &[-0.5]).is_nan() && changed(&[1.0], [4, 12], &[-0.5]).is_nan());
    assert!(changed(&[], [4, 13], &[-0.5]).is_nan() && changed(&[1.0], [4, 13], &[-0.5, 0.0]).is_nan());
}

/// Rows of contacts and of coordinates.
const NA: usize = NR + NV;

/// Steps of random trees with friction and limits in joints obey momentum and all laws, beside contacts and a
/// closed loop. Without friction and limits, steps are as before.
#[test]
fn steps_of_random_trees_with_joints_obey_the_laws() {
    let (mut random, mut seen) = (Random::new(3), [0; 4]);
    let [mut tried, mut solved, mut warm] = [0; 3];
    let settings = FrictionSettings { correction: 0.0, ..Default::default() };
    for closed in [false, true] {
        for_all(|model, x| {
            let kind = if closed { Kind::Closed } else { Kind::OpenWithFactors };
            let (places, surfaces) = (Places::of(model, kind), surfaces(&mut random, false));
            let robot = places.robot(model, x.q.as_slice());
            let (v, tau) = (robot.pad(&x.v), robot.pad(&x.tau));
            let step = |joints: &JointContacts<f64, NV>,
                        start: Option<(&SVector<f64, NR>, &SVector<f64, NV>)>| {
                friction_step_with_joints::<_, _, NV, NB, NC, NR, NA>(
                    &robot,
                    (&v, &tau, DT),
                    &surfaces,
                    joints,
                    &settings,
                    start,
                )
            };
            let (plain, none) = (
                friction_step::<_, _, NV, NB, NC, NR>(&robot, (&v, &tau, DT), &surfaces, &settings, None),
                step(&JointContacts::none(), None),
            );
            assert!(none.1.amax() == 0.0 && none.0.modes == plain.modes);
            assert!((none.0.v - plain.v).amax() < 1e-9 * plain.v.amax().max(1.0));

            let mut joints = JointContacts::none();
            for k in 0..model.nv {
                if random.chance(0.5) {
                    joints.friction[k] = random.uniform(0.0, 3.0);
                }
                if random.chance(0.5) {
                    joints.to_lower[k] = random.uniform(0.0, 0.02);
                }
                if random.chance(0.5) {
                    joints.to_upper[k] = random.uniform(0.0, 0.02);
                }
            }
            let (found, f) = step(&joints, None);
            tried += 1;
            assert!(found.v.iter().chain(&found.impulses).chain(&f).all(|x| x.is_finite()));
            if !found.report.converged {
                return;
            }
            solved += 1;
            // Momentum: M (v+ - v) = dt (tau - b) + J^T impulses + f.
            let (n, q, mut data) = (model.nv, x.q.as_slice(), Data::new(model));
            let after = DVector::from_column_slice(&found.v.as_slice()[..n]);
            let mass = crba(model, &mut data, q).clone();
            let bias = bias(model, &mut data, q, x.v.as_slice()).clone();
            let mut left = &mass * (&after - &x.v) - (&x.tau - bias) * DT;
            let scale = (&mass * (&after - &x.v)).amax().max(1.0);
            left -= DVector::from_column_slice(&f.as_slice()[..n]);
            for (k, surface) in surfaces.iter().enumerate() {
                let rows = rows_of(model, q, places.first[k]);
                let impulse = found.impulses.fixed_rows::<3>(3 * k).into_owned();
                if let Some(second) = places.second[k] {
                    let turned = frame_placement(model, &mut data, q, places.first[k]).rotation * impulse;
                    let rows = &rows - rows_of(model, q, second);
                    let can = (&rows * mass.clone().try_inverse().unwrap() * rows.transpose()).determinant();
                    assert!((&rows * &after).amax() < 1e-7 || can < 1e-6, "the loop stays closed");
                    left -= rows.transpose() * turned;
                    continue;
                }
                left -= rows.transpose() * impulse;
                let Some(surface) = surface else { continue };
                let [before, c] = [&x.v, &after].map(|v| Vector3::from_iterator((&rows * v).iter().copied()));
                let worst = of_surface(surface, (settings.correction, DT), [&before, &c, &impulse]);
                assert!(worst < 1e-8, "{worst:.1e}");
            }
            assert!(left.amax() < 1e-9 * scale, "{:.1e} of {scale:.1e}", left.amax());
            for k in 0..n {
                let law = JointLaw {
                    friction: joints.friction[k] * DT,
                    least: -joints.to_lower[k] / DT,
                    most: joints.to_upper[k] / DT,
                };
                let (f, c) = (f[k], after[k]);
                let worst = of_joint(&law, f, c) / f.abs().max(1.0);
                assert!(worst < 1e-8, "{law:?} {f} {c}");
                let kind = [c <= law.least + 1e-9, c >= law.most - 1e-9, c.abs() < 1e-9, true];
                seen[kind.iter().position(|x| *x).unwrap()] += 1;
            }
            // From the solution, the solution is found again, mostly by Newton's steps alone.
            let again = step(&joints, Some((&found.impulses, &f)));
            assert!(again.0.report.converged, "{:?}", again.0.report);
            warm += usize::from(again.0.report.iterations.sweeps == 0);
            assert!((again.0.v - found.v).amax() < 1e-7 * found.v.amax().max(1.0));
        });
    }
    println!(
        "{solved} of {tried} trees, {warm} again at once; lower, upper limit, sticking, moving: {seen:?}"
    );
    assert!(
        solved * 10 >= tried * 9 && warm * 4 >= solved * 3 && seen.iter().all(|x| *x > 10),
        "{solved} of {tried} {seen:?}"
    );
}
