//! Dynamics under contacts, on random trees of every kind of joint: against one dense system, dual
//! numbers and the laws of mechanics.

mod axes;
mod closed_loops;
mod hessian;

use crate::common::{along, close, directions, for_all, unit};
use crate::contacting::Padded;
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use num_dual::Dual64;
use rbd_runtime::contact::{self, ContactSettings};
use rbd_runtime::lanes::F64x4;
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::reference::*;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{
    ContactDynamics, ContactDynamicsDerivatives, ContactImpulse, ContactImpulseDerivatives, ContactKind,
    JointKind, Model, Scalar,
};

/// Degrees of freedom of the largest tree.
const NV: usize = 40;
/// Bodies of the largest tree.
const NB: usize = 9;
/// Contacts.
const NC: usize = 4;
/// Their rows.
const NR: usize = 18;

/// The frames and kinds of a model's contacts: four different bodies, from the last one on.
fn contacts_of<T>(model: &Model<T>) -> [(usize, ContactKind); NC] {
    let n = model.frames.len();
    let kinds = [ContactKind::Point, ContactKind::Plane, ContactKind::Point, ContactKind::Plane];
    core::array::from_fn(|k| (n - 1 - [0, 7, 1, 4][k], kinds[k]))
}

/// Four states in lanes.
fn scalars(states: &[State], of: fn(&State) -> &DVector<f64>) -> DVector<F64x4> {
    let of: Vec<&DVector<f64>> = states.iter().map(of).collect();
    DVector::from_fn(of[0].len(), |k, _| F64x4::from([of[0][k], of[1][k], of[2][k], of[3][k]]))
}

/// The model with its contacts.
fn padded<'m, T: Scalar>(numbers: &Model<f64>, model: &'m Model<T>, q: &[T]) -> Padded<'m, T, NV, NB, NC> {
    Padded::of(numbers, model, q, contacts_of(model))
}

type Settings<T> = ContactSettings<T, NC>;
type Mask = [bool; NC];

/// All, none, and some.
const MASKS: [Mask; 5] = [
    [true; NC],
    [false; NC],
    [true, false, false, true],
    [false, true, false, false],
    [false, false, true, true],
];

/// Anchors near two of the contacts.
fn settings<T: Scalar>(model: &Model<f64>, x: &State) -> Settings<T> {
    let mut data = Data::new(model);
    let other = random_state(model, 77);
    let mut anchors = [None; NC];
    for k in [0, 1] {
        let frame = contacts_of(model)[k].0;
        let here = frame_placement(model, &mut data, x.q.as_slice(), frame);
        let there = frame_placement(model, &mut data, other.q.as_slice(), frame);
        let apart = (there.translation - here.translation) * 0.1;
        // A small turn about an axis that is none of the coordinates'.
        let turn = nalgebra::Rotation3::new(nalgebra::Vector3::new(0.1, -0.25, 0.15)).into_inner();
        let (rotation, translation) = (turn * here.rotation, here.translation + apart);
        let cast = T::from_f64;
        anchors[k] = Some(Placement { rotation: rotation.map(cast), translation: translation.map(cast) });
    }
    let number = T::from_f64;
    Settings::default().proximal(number(0.05), 1).baumgarte(number(9.0), number(5.0), anchors)
}

/// The active contacts as the reference has them.
fn active<T: Scalar>(model: &Model<f64>, mask: &Mask, settings: &Settings<T>) -> Vec<Contact<T>> {
    let all = contacts_of(model).into_iter().zip(settings.anchors).zip(mask);
    let active = all.filter(|(_, active)| **active);
    active.map(|(((frame, kind), anchor), _)| Contact { frame, kind, anchor, second: None }).collect()
}

/// Rows of the active contacts, one after the other.
fn rows_of(model: &Model<f64>, mask: &Mask) -> Vec<usize> {
    let (mut rows, mut row) = (Vec::new(), 0);
    for ((_, kind), active) in contacts_of(model).into_iter().zip(mask) {
        if *active {
            rows.extend(row..row + kind.rows());
        }
        row += kind.rows();
    }
    rows
}

fn holding<T: Scalar>(settings: &Settings<T>) -> Holding<T> {
    Holding { mu: settings.mu, kp: settings.kp, kd: settings.kd }
}

/// Results of the reference.
fn expected(
    model: &Model<f64>,
    x: &State,
    mask: &Mask,
    settings: &Settings<f64>,
) -> ConstrainedDynamics<f64> {
    let state = (x.q.as_slice(), x.v.as_slice(), x.tau.as_slice());
    let contacts = active(model, mask, settings);
    constrained_dynamics(model, &mut Data::new(model), state, &contacts, holding(settings))
}

fn dynamics(
    model: &Model<f64>,
    x: &State,
    mask: &Mask,
    settings: &Settings<f64>,
) -> ContactDynamics<f64, NV, NR> {
    dynamics_of(&padded(model, model, x.q.as_slice()), x, mask, settings)
}

/// [`dynamics`] by factors of the mass matrix.
fn dynamics_by_factors(
    model: &Model<f64>,
    x: &State,
    mask: &Mask,
    settings: &Settings<f64>,
) -> ContactDynamics<f64, NV, NR> {
    dynamics_of(&padded(model, model, x.q.as_slice()).with_factors(), x, mask, settings)
}

fn dynamics_of(
    robot: &Padded<'_, f64, NV, NB, NC>,
    x: &State,
    mask: &Mask,
    settings: &Settings<f64>,
) -> ContactDynamics<f64, NV, NR> {
    contact::dynamics(robot, &robot.pad(&x.v), &robot.pad(&x.tau), mask, settings)
}

/// A way to the dynamics.
type Way = fn(&Model<f64>, &State, &Mask, &Settings<f64>) -> ContactDynamics<f64, NV, NR>;

const WAYS: [Way; 2] = [dynamics, dynamics_by_factors];

fn some_rows<const C: usize>(m: &SMatrix<f64, NR, C>, rows: &[usize], columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), columns, |r, c| m[(rows[r], c)])
}

#[test]
fn agrees_with_one_dense_system() {
    for_all(|model, x| {
        let settings = settings(model, x);
        for (mask, way) in MASKS.iter().flat_map(|mask| WAYS.map(|way| (mask, way))) {
            let rows = rows_of(model, mask);
            let (got, expected) = (way(model, x, mask, &settings), expected(model, x, mask, &settings));
            close("ddq", got.ddq.rows(0, model.nv).iter(), &expected.ddq, 1e-10);
            close("forces", &some_rows(&got.forces, &rows, 1), &expected.forces, 1e-10);
            // Once, with mu: compliant.
            close(
                "compliance",
                &(got.residual + got.forces * settings.mu),
                &SVector::<f64, NR>::zeros(),
                1e-9,
            );
            let inactive = (0..NR).filter(|r| !rows.contains(r));
            assert!(inactive.into_iter().all(|r| got.forces[r] == 0.0 && got.residual[r] == 0.0));
        }
    });
}

/// The reference's accelerations and forces, moved along one direction in q, v or tau.
fn moved(
    model: &Model<f64>,
    x: &State,
    (mask, is_pulled): (&Mask, bool),
    by: usize,
    e: &DVector<f64>,
) -> [DVector<f64>; 2] {
    let d: Model<Dual64> = model.cast();
    let zero = DVector::zeros(model.nv);
    let dual = |x: &DVector<f64>, k: usize| x.zip_map(if k == by { e } else { &zero }, Dual64::new);
    let q = d.integrate(x.q.map(Dual64::from).as_slice(), dual(&zero, 0).as_slice());
    let (v, tau) = (dual(&x.v, 1), dual(&x.tau, 2));
    let mut settings: Settings<Dual64> = settings(model, x);
    if !is_pulled {
        settings.anchors = [None; NC];
    }
    let state = (q.as_slice(), v.as_slice(), tau.as_slice());
    let contacts = active(model, mask, &settings);
    let found = constrained_dynamics(&d, &mut Data::new(&d), state, &contacts, holding(&settings));
    [found.ddq.map(|x| x.eps), found.forces.map(|x| x.eps)]
}

#[test]
fn derivatives_are_exact() {
    let mut seen = 0;
    for_all(|model, x| {
        seen += 1;
        let mask = &MASKS[[0, 2, 3, 4][seen % 4]];
        let (mut settings, rows, nv) = (settings(model, x), rows_of(model, mask), model.nv);
        let is_pulled = seen % 3 == 0;
        if !is_pulled {
            settings.anchors = [None; NC];
        }
        let mut robot = padded(model, model, x.q.as_slice());
        if seen % 8 < 4 {
            robot = robot.with_factors();
        }
        let got: ContactDynamicsDerivatives<f64, NV, NR> =
            contact::derivatives(&robot, &robot.pad(&x.v), &robot.pad(&x.tau), mask, &settings);
        let plain = dynamics_of(&robot, x, mask, &settings);
        assert_eq!((got.ddq, got.forces, got.residual), (plain.ddq, plain.forces, plain.residual));
        let of = [(got.ddq_dq, got.forces_dq), (got.ddq_dv, got.forces_dv), (got.ddq_dtau, got.forces_dtau)];
        for (by, (ddq, forces)) in of.iter().enumerate() {
            let e = directions(nv);
            let exact =
                |which: usize| along(&e, |e| moved(model, x, (mask, is_pulled), by, e)[which].clone());
            close("ddq", &(ddq.view((0, 0), (nv, nv)) * &e), &exact(0), 1e-9);
            close("forces", &(some_rows(forces, &rows, nv) * &e), &exact(1), 1e-9);
        }
    });
}

/// Chains that float: a plane on one end and a point on the other do not depend on one another.
fn free(mut check: impl FnMut(&Model<f64>, &State)) {
    for seed in crate::common::seeds(6) {
        let kinds = vec![JointKind::Revolute, JointKind::Continuous];
        let options = Options { bodies: 9, floating: true, branching: 0.0, kinds, ..Options::default() };
        let model = random_model(500 + seed, &options);
        check(&model, &random_state(&model, seed));
    }
}

const PLANE_AND_POINT: Mask = [true, true, false, false];

#[test]
fn contacts_hold() {
    free(|model, x| {
        let held = Settings { mu: 0.0, ..settings(model, x) };
        let got = dynamics(model, x, &PLANE_AND_POINT, &held);
        close("residual", &got.residual, &SVector::<f64, NR>::zeros(), 1e-9);
        // By another function of the reference, which uses only kinematics.
        let (q, v) = (x.q.as_slice(), x.v.as_slice());
        let a: Vec<f64> = got.ddq.iter().take(model.nv).copied().collect();
        let data = &mut Data::new(model);
        let reference = rbd_runtime::ReferenceFrame::LocalWorldAligned;
        let frame = contacts_of(model)[0].0;
        assert_eq!(contacts_of(model)[0].1, ContactKind::Point);
        let acceleration = frame_classical_acceleration(model, data, q, v, &a, frame, reference);
        let velocity = frame_velocity(model, data, q, v, frame, reference);
        let apart = frame_placement(model, data, q, frame).translation - held.anchors[0].unwrap().translation;
        let asked = -(velocity.fixed_rows::<3>(0) * held.kd + apart * held.kp);
        close("acceleration of the point", &acceleration.fixed_rows::<3>(0).into_owned(), &asked, 1e-9);
        // The forces are those that inverse dynamics needs.
        let robot = padded(model, model, q);
        let tau = contact::inverse_dynamics(&robot, &robot.pad(&x.v), &got.ddq, &got.forces);
        close("tau", tau.rows(0, model.nv).iter(), &x.tau, 1e-9);
    });
}

/// By the inverse of M, which agrees with factors of M.
fn impulse(model: &Model<f64>, x: &State, mask: &Mask, restitution: f64) -> ContactImpulse<f64, NV, NR> {
    let robot = padded(model, model, x.q.as_slice());
    let of = |robot: &Padded<'_, f64, NV, NB, NC>| -> ContactImpulse<f64, NV, NR> {
        contact::impulse(robot, &robot.pad(&x.v), mask, restitution, &Settings::default())
    };
    let (by_inverse, by_factors) = (of(&robot), of(&padded(model, model, x.q.as_slice()).with_factors()));
    close("v+ by factors", &by_factors.v_plus, &by_inverse.v_plus, 1e-9);
    close("residual by factors", &by_factors.residual, &by_inverse.residual, 1e-9);
    by_inverse
}

/// `J v+ = -e J v-`; the energy loss is that of the jump for e = 0 (Carnot), and zero for e = 1.
#[test]
fn impacts_obey_their_laws() {
    free(|model, x| {
        let q = x.q.as_slice();
        let (mass, data) = (model.crba(q), &mut Data::new(model));
        let contacts = active(model, &PLANE_AND_POINT, &Settings::default());
        let none = Holding { mu: 0.0, kp: 0.0, kd: 0.0 };
        let jacobian = contact_rows(model, data, q, x.v.as_slice(), &contacts, none).0;
        let energy = |v: &DVector<f64>| (v.transpose() * &mass * v)[0] / 2.0;
        for restitution in [0.0, 0.4, 1.0] {
            let got = impulse(model, x, &PLANE_AND_POINT, restitution);
            let plus = DVector::from_iterator(model.nv, got.v_plus.iter().take(model.nv).copied());
            close("J v+", &(&jacobian * &plus), &(&jacobian * &x.v * -restitution), 1e-10);
            let lost = energy(&x.v) - energy(&plus);
            let jump = energy(&(&plus - &x.v)) * (1.0 - restitution) / (1.0 + restitution);
            close("energy lost", &[lost], &[jump], 1e-10);
            let expected =
                constrained_impulse(model, data, (q, x.v.as_slice()), &contacts, (restitution, 0.0));
            let rows = rows_of(model, &PLANE_AND_POINT);
            close("v+", &plus, &expected.ddq, 1e-10);
            close("impulses", &some_rows(&got.impulses, &rows, 1), &expected.forces, 1e-10);
        }
    });
}

/// Chains with all contacts on one body, which is at rest. On a moving body, the accelerations of
/// points differ, and contacts contradict one another.
fn on_one_body(mut check: impl FnMut(&Model<f64>, &State)) {
    free(|model, x| {
        let (mut model, mut x) = (model.clone(), x.clone());
        for (frame, _) in contacts_of(&model) {
            model.frames[frame].body = Some(4);
        }
        let stopped = impulse(&model, &x, &MASKS[3], 0.0).v_plus;
        x.v.copy_from(&stopped.rows(0, model.nv));
        check(&model, &x);
    });
}

/// Two points and two planes on one body: the accelerations are those under one plane; the proximal
/// forces are the least.
#[test]
fn redundant_contacts_are_solved() {
    on_one_body(|model, x| {
        let (one, all) = (dynamics(model, x, &MASKS[3], &Settings::default()), [true; NC]);
        let [exact, shared] = [Settings::default(), Settings::default().proximal(1e-6, 8)]
            .map(|settings| WAYS.map(|way| way(model, x, &all, &settings)));
        for got in exact.iter().chain(&shared) {
            close("ddq", &got.ddq, &one.ddq, 1e-8);
            close("residual", &got.residual, &SVector::<f64, NR>::zeros(), 1e-8);
        }
        let ([exact, _], [shared, by_factors]) = (exact, shared);
        close("least forces by factors", &by_factors.forces, &shared.forces, 1e-6);
        // The least forces, by the pseudoinverse.
        let robot = padded(model, model, x.q.as_slice());
        let delassus: SMatrix<f64, NR, NR> = contact::delassus(&robot, &all);
        assert_eq!(delassus.rank(1e-9), 6);
        let robot_of_factors = padded(model, model, x.q.as_slice()).with_factors();
        let by_factors: SMatrix<f64, NR, NR> = contact::delassus(&robot_of_factors, &all);
        close("delassus by factors", &by_factors, &delassus, 1e-10);
        let rhs = delassus * exact.forces;
        let least = delassus.pseudo_inverse(1e-9).unwrap() * rhs;
        close("least forces", &shared.forces, &least, 1e-6);
        // Impacts and derivatives are finite, and the latter those under the one plane.
        let hit: ContactImpulse<f64, NV, NR> = impulse(model, x, &all, 0.0);
        close("J v+", &hit.residual, &SVector::<f64, NR>::zeros(), 1e-8);
        let derivatives = |mask, settings: &Settings<f64>| -> ContactDynamicsDerivatives<f64, NV, NR> {
            contact::derivatives(&robot, &robot.pad(&x.v), &robot.pad(&x.tau), mask, settings)
        };
        let derivatives_by_factors = |settings: &Settings<f64>| -> ContactDynamicsDerivatives<f64, NV, NR> {
            contact::derivatives(&robot_of_factors, &robot.pad(&x.v), &robot.pad(&x.tau), &all, settings)
        };
        let of_hit = |mask| -> ContactImpulseDerivatives<f64, NV, NR> {
            contact::impulse_derivatives(&robot, &robot.pad(&x.v), mask, 0.3, &Settings::default())
        };
        close("v_plus_dq", &of_hit(&all).v_plus_dq, &of_hit(&MASKS[3]).v_plus_dq, 1e-6);
        close("v_plus_dv", &of_hit(&all).v_plus_dv, &of_hit(&MASKS[3]).v_plus_dv, 1e-6);
        let one = derivatives(&MASKS[3], &Settings::default());
        for settings in [Settings::default(), Settings::default().proximal(1e-6, 8)] {
            for got in [derivatives(&all, &settings), derivatives_by_factors(&settings)] {
                close("ddq_dq", &got.ddq_dq, &one.ddq_dq, 1e-6);
                close("ddq_dv", &got.ddq_dv, &one.ddq_dv, 1e-6);
                close("ddq_dtau", &got.ddq_dtau, &one.ddq_dtau, 1e-6);
                assert!(got.forces_dq.iter().all(|x| x.is_finite()));
            }
        }
    });
}

/// Contacts of one body that are pulled to places that it cannot reach together: finite, and the
/// residual tells.
#[test]
fn contradictions_are_told() {
    on_one_body(|model, x| {
        for (mu, iterations) in [(0.0, 1), (1e-6, 5)] {
            let pulled = settings(model, x).proximal(mu, iterations);
            for way in WAYS {
                let got = way(model, x, &[true; NC], &pulled);
                assert!(got.ddq.iter().chain(&got.forces).all(|x| x.is_finite()));
                assert!(got.residual.amax() > 1e-3, "{}", got.residual.amax());
            }
        }
    });
}

/// A robot whose last contact is NaN.
#[test]
fn what_is_not_active_does_not_matter() {
    free(|model, x| {
        let (mask, mut held) = ([true, true, false, false], settings(model, x));
        let good = WAYS.map(|way| way(model, x, &mask, &held));
        let mut broken = model.clone();
        for frame in [contacts_of(model)[2].0, contacts_of(model)[3].0] {
            broken.frames[frame].placement.translation.x = f64::NAN;
        }
        let nan = Placement::identity().compose(&broken.frames[contacts_of(model)[3].0].placement);
        held.anchors[3] = Some(nan);
        assert_eq!(WAYS.map(|way| way(&broken, x, &mask, &held)), good);
        // An active contact does matter.
        for way in WAYS {
            let bad = way(&broken, x, &[true; NC], &held);
            assert!(bad.residual.iter().any(|x| x.is_nan()));
        }
    });
}

/// Any scalar: dual numbers give the derivatives once more, lanes each state's result.
#[test]
fn other_scalars_agree() {
    let mut seen = 0;
    free(|model, x| {
        seen += 1;
        let nv = model.nv;
        let held: Settings<Dual64> = settings(model, x);
        let (e, zero) = (unit(nv, seen), DVector::zeros(nv));
        let d: Model<Dual64> = model.cast();
        let dual = |x: &DVector<f64>, e: &DVector<f64>| x.zip_map(e, Dual64::new);
        let q = d.integrate(x.q.map(Dual64::from).as_slice(), dual(&zero, &e).as_slice());
        let robot = padded(model, &d, q.as_slice());
        let (v, tau) = (robot.pad(&dual(&x.v, &zero)), robot.pad(&dual(&x.tau, &zero)));
        let got: ContactDynamics<Dual64, NV, NR> =
            contact::dynamics(&robot, &v, &tau, &PLANE_AND_POINT, &held);
        let robot = padded(model, model, x.q.as_slice());
        let (v, tau) = (robot.pad(&x.v), robot.pad(&x.tau));
        let exact: ContactDynamicsDerivatives<f64, NV, NR> =
            contact::derivatives(&robot, &v, &tau, &PLANE_AND_POINT, &settings(model, x));
        close("along q", &got.ddq.map(|x| x.eps), exact.ddq_dq.column(seen).iter(), 1e-9);

        let lanes: Model<F64x4> = model.cast();
        let states: Vec<State> = (0..4).map(|k| random_state(model, 40 + k)).collect();
        let together = |of: fn(&State) -> &DVector<f64>| scalars(&states, of);
        let robot = padded(model, &lanes, together(|x| &x.q).as_slice());
        let (v, tau) = (robot.pad(&together(|x| &x.v)), robot.pad(&together(|x| &x.tau)));
        let held = Settings::default().proximal(F64x4::from_f64(0.01), 2);
        let got: ContactDynamics<F64x4, NV, NR> =
            contact::dynamics(&robot, &v, &tau, &PLANE_AND_POINT, &held);
        let by_factors: ContactDynamics<F64x4, NV, NR> =
            contact::dynamics(&robot.with_factors(), &v, &tau, &PLANE_AND_POINT, &held);
        for (lane, x) in states.iter().enumerate() {
            for (got, way) in [&got, &by_factors].into_iter().zip(WAYS) {
                let alone = way(model, x, &PLANE_AND_POINT, &Settings::default().proximal(0.01, 2));
                close("lane", &got.ddq.map(|x| x.to_array()[lane]), &alone.ddq, 1e-11);
                close("lane", &got.forces.map(|x| x.to_array()[lane]), &alone.forces, 1e-11);
            }
        }
    });
}

/// Redundant rows are found in seven digits too.
#[test]
fn single_precision_sees_redundant_rows() {
    on_one_body(|model, x| {
        let single: Model<f32> = model.cast();
        let q = x.q.map(|x| x as f32);
        let robot = padded(model, &single, q.as_slice());
        let (v, tau) = (robot.pad(&x.v.map(|x| x as f32)), robot.pad(&x.tau.map(|x| x as f32)));
        let expected = dynamics(model, x, &[true; NC], &Settings::default()).ddq;
        let scale = expected.amax().max(1.0);
        for held in [Settings::default(), Settings::default().proximal(1e-3, 5)] {
            let got: ContactDynamics<f32, NV, NR> = contact::dynamics(&robot, &v, &tau, &[true; NC], &held);
            let error = (got.ddq.map(f64::from) - expected).amax() / scale;
            assert!(error < 2e-2, "{error:.1e}");
        }
    });
}
