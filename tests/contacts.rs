//! Contacts of a generated robot: the methods agree with the reference, for every set of active
//! contacts.
//!
//! The algorithms are tested on random trees (`rbd-runtime/tests/contacts/main.rs`). Tested here is
//! the generated code around them.

use crate::contacts_of_any;
use nalgebra::{DMatrix, DVector, SVector};
use num_dual::Dual64;
use rbd::reference::{
    Contact, Data, Holding, constrained_dynamics, constrained_impulse, contact_rows, frame_placement,
};
use rbd::spatial::Placement;
use rbd::{ContactAxes, ContactKind, ContactSettings, Model, Posture, Scalar};

// By the name that generated code has for its type parameter.
rbd::rbd_robot! {
    pub struct T {
        urdf: "robots/double_pendulum.urdf",
        base: floating,
        functions: [crba, rnea_hessian],
        frames: { "hand": { link: "link2", xyz: [0.1, -0.2, 0.4], rpy: [0.3, 0.2, -0.5] } },
        contacts: { "link1": plane, "hand", "base_link": point },
    }
}

use {T as Acrobat, TContact as AcrobatContact, TFrame as AcrobatFrame};

const NQ: usize = Acrobat::NQ;
const NV: usize = Acrobat::NV;
const NC: usize = Acrobat::NC;
const NR: usize = Acrobat::CONTACT_ROWS;
type Vector<const N: usize> = SVector<f64, N>;

fn state() -> (Vector<NQ>, Vector<NV>, Vector<NV>) {
    let numbers = |first: f64| Vector::<NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin());
    let q = Acrobat::integrate(&Acrobat::neutral(), &numbers(0.3));
    (q, numbers(1.1), numbers(2.4) * 5.0)
}

fn settings<T: Scalar>() -> ContactSettings<T, NC> {
    let (here, number) = (Acrobat::contact_placements(&state().0), T::from_f64);
    let anchors = here.map(|at| {
        let moved = at.translation.add_scalar(0.05);
        Some(Placement { rotation: at.rotation.map(number), translation: moved.map(number) })
    });
    ContactSettings::default().proximal(number(0.02), 1).baumgarte(number(9.0), number(5.0), anchors)
}

/// Results of the reference, with the rows of the active contacts.
fn referred<T: Scalar>(model: &Model<T>, active: &[bool; NC]) -> (Vec<Contact<T>>, Vec<usize>) {
    let (mut contacts, mut rows) = (Vec::new(), Vec::new());
    for (k, contact) in AcrobatContact::ALL.into_iter().enumerate().filter(|(k, _)| active[*k]) {
        let frame = model.frames.iter().position(|f| f.name == contact.name()).unwrap();
        contacts.push(Contact { frame, kind: contact.kind(), anchor: settings().anchors[k], second: None });
        rows.extend(contact.rows());
    }
    (contacts, rows)
}

fn holding<T: Scalar>() -> Holding<T> {
    let ContactSettings { mu, kp, kd, .. } = settings();
    Holding { mu, kp, kd }
}

#[track_caller]
fn close(got: DMatrix<f64>, expected: DMatrix<f64>) {
    assert_eq!(got.shape(), expected.shape());
    let error = (&got - &expected).amax() / expected.amax().max(1.0);
    assert!(error < 1e-10 || got.is_empty(), "{error:.1e}: {got}{expected}");
}

fn column(x: &[f64]) -> DMatrix<f64> {
    DMatrix::from_column_slice(x.len(), 1, x)
}

fn masks() -> impl Iterator<Item = [bool; NC]> {
    (0..1 << NC).map(|bits| core::array::from_fn(|k| bits >> k & 1 == 1))
}

#[test]
fn contacts_are_a_type() {
    use AcrobatContact::*;
    assert_eq!(AcrobatContact::ALL, [Link1, Hand, BaseLink]);
    assert_eq!(AcrobatContact::ALL.map(AcrobatContact::name), ["link1", "hand", "base_link"]);
    assert_eq!(AcrobatContact::ALL.map(AcrobatContact::rows), [0..6, 6..9, 9..12]);
    assert_eq!(Link1.kind(), ContactKind::Plane);
    assert_eq!((Hand.frame(), NC, NR), (AcrobatFrame::Hand, 3, 12));
    const SOME: [bool; NC] = AcrobatContact::active(&[BaseLink, Link1]);
    assert_eq!(SOME, [true, false, true]);
}

#[test]
fn contacts_hold_by_the_trait() {
    let (q, v, tau) = state();
    // All rows of these contacts are independent.
    for active in [[true, false, false], [false, true, true]] {
        contacts_of_any::hold::<Acrobat, NQ, NV, NC, NR>(&q, &v, &tau, &active);
    }
}

#[test]
fn hessians_are_exact() {
    let (q, v, tau) = state();
    let at = [q.as_slice(), v.as_slice(), tau.as_slice()];
    let pulled = (&settings(), &settings());
    let plain = (&ContactSettings::default(), &ContactSettings::default());
    for active in masks() {
        contacts_of_any::have_hessians::<Acrobat, NQ, NV, NC, NR>(at, &active, pulled);
    }
    // All rows of these contacts are independent.
    for active in [[true, false, false], [false, true, true]] {
        contacts_of_any::have_hessians::<Acrobat, NQ, NV, NC, NR>(at, &active, plain);
    }
}

#[test]
fn dynamics_agree_with_the_reference() {
    let ((q, v, tau), model) = (state(), Acrobat::model::<f64>());
    let given = (q.as_slice(), v.as_slice(), tau.as_slice());
    let mut data = Data::new(&model);
    for active in masks() {
        let (contacts, rows) = referred(&model, &active);
        let some = |m: &DMatrix<f64>| m.select_rows(&rows);
        let got = Acrobat::contact_dynamics(&q, &v, &tau, &active, &settings());
        let expected = constrained_dynamics(&model, &mut data, given, &contacts, holding());
        close(column(got.ddq.as_slice()), column(expected.ddq.as_slice()));
        close(some(&column(got.forces.as_slice())), column(expected.forces.as_slice()));
        assert!((0..NR).all(|row| rows.contains(&row) || got.forces[row] == 0.0));
        // With known sines and cosines.
        assert_eq!(Acrobat::contact_dynamics(&Posture::of(q), &v, &tau, &active, &settings()), got);
        let back = Acrobat::contact_inverse_dynamics(&q, &v, &got.ddq, &got.forces);
        close(column(back.as_slice()), column(tau.as_slice()));
        let (jacobian, _) = contact_rows(&model, &mut data, q.as_slice(), v.as_slice(), &contacts, holding());
        let wide = Acrobat::contact_jacobian(&q, &active);
        close(some(&DMatrix::from_column_slice(NR, NV, wide.as_slice())), jacobian);
        let delassus = wide * Acrobat::minv(&q) * wide.transpose();
        close(column(Acrobat::delassus(&q, &active).as_slice()), column(delassus.as_slice()));
    }
}

#[test]
fn impacts_agree_with_the_reference() {
    let ((q, v, _), model) = (state(), Acrobat::model::<f64>());
    // Of the plane and the points on the other bodies, together, rows depend on one another.
    for active in masks().filter(|active| active.iter().filter(|x| **x).count() == 1) {
        let (contacts, rows) = referred(&model, &active);
        let got = Acrobat::contact_impulse(&q, &v, &active, 0.3, &ContactSettings::default());
        let given = (q.as_slice(), v.as_slice());
        let expected = constrained_impulse(&model, &mut Data::new(&model), given, &contacts, (0.3, 0.0));
        close(column(got.v_plus.as_slice()), column(expected.ddq.as_slice()));
        let impulses = column(got.impulses.as_slice()).select_rows(&rows);
        close(impulses, column(expected.forces.as_slice()));
    }
}

/// Forces in the world's axes are those in the contacts' own axes, turned. Their derivatives
/// include that of the rotation.
#[test]
fn forces_in_the_worlds_axes() {
    let ((q, v, tau), world) = (state(), ContactAxes::LocalWorldAligned);
    let (feet, all) = (Acrobat::contact_placements(&q), [true; NC]);
    let found = Acrobat::contact_dynamics_derivatives(&q, &v, &tau, &all, &settings().in_axes(world));
    let own = Acrobat::contact_dynamics(&q, &v, &tau, &all, &settings()).forces;
    let mut turned = own;
    for (contact, foot) in AcrobatContact::ALL.into_iter().zip(feet) {
        for first in contact.rows().step_by(3) {
            let three = foot.rotation * own.fixed_rows::<3>(first);
            turned.fixed_rows_mut::<3>(first).copy_from(&three);
        }
    }
    close(column(found.forces.as_slice()), column(turned.as_slice()));
    let back = Acrobat::contact_inverse_dynamics_in(&q, &v, &found.ddq, &found.forces, world);
    close(column(back.as_slice()), column(tau.as_slice()));
    let jacobian = Acrobat::contact_jacobian_in(&q, &all, world);
    let delassus = jacobian * Acrobat::minv(&q) * jacobian.transpose();
    close(column(Acrobat::delassus_in(&q, &all, world).as_slice()), column(delassus.as_slice()));
    // The reference's forces, turned with the frames of dual numbers.
    let model = Acrobat::model::<Dual64>();
    let ((contacts, _), mut data) = (referred(&model, &all), Data::new(&model));
    for j in 0..NV {
        let dq: [Dual64; NV] = core::array::from_fn(|i| Dual64::new(0.0, f64::from(i == j)));
        let q = model.integrate(q.map(Dual64::from).as_slice(), &dq);
        let [v, tau] = [v, tau].map(|x| x.map(Dual64::from));
        let given = (q.as_slice(), v.as_slice(), tau.as_slice());
        let own = constrained_dynamics(&model, &mut data, given, &contacts, holding()).forces;
        let mut exact = Vec::new();
        for contact in &contacts {
            let turn = frame_placement(&model, &mut data, q.as_slice(), contact.frame).rotation;
            for _ in 0..contact.kind.rows() / 3 {
                let three = own.fixed_rows::<3>(exact.len()).into_owned();
                exact.extend((0..3).map(|r| (turn.row(r) * three)[0].eps));
            }
        }
        close(column(found.forces_dq.column(j).clone_owned().as_slice()), column(&exact));
    }
}

#[test]
fn derivatives_of_impacts_are_those_of_dual_numbers() {
    let ((q, v, _), model) = (state(), Acrobat::model::<Dual64>());
    let (mut data, e) = (Data::new(&model), 0.3);
    for active in masks() {
        let (contacts, rows) = referred(&model, &active);
        let got = Acrobat::contact_impulse_derivatives(&q, &v, &active, e, &settings());
        let mut exact = |dq: &[f64], dv: &[f64], de: f64| {
            let dq: Vec<_> = dq.iter().map(|x| Dual64::new(0.0, *x)).collect();
            let q = model.integrate(q.map(Dual64::from).as_slice(), &dq);
            let v = DVector::from_fn(NV, |i, _| Dual64::new(v[i], dv[i]));
            let (given, how) = ((q.as_slice(), v.as_slice()), (Dual64::new(e, de), settings().mu));
            let found = constrained_impulse(&model, &mut data, given, &contacts, how);
            [found.ddq, found.forces].map(|x| column(x.map(|x| x.eps).as_slice()))
        };
        let some = |x: &[f64]| column(x).select_rows(&rows);
        for j in 0..NV {
            let unit = Vector::<NV>::from_fn(|i, _| f64::from(i == j));
            let (unit, zero) = (unit.as_slice(), [0.0; NV]);
            let [v_plus, impulses] = exact(unit, &zero, 0.0);
            close(column(got.v_plus_dq.column(j).clone_owned().as_slice()), v_plus);
            close(some(got.impulses_dq.column(j).clone_owned().as_slice()), impulses);
            let [v_plus, impulses] = exact(&zero, unit, 0.0);
            close(column(got.v_plus_dv.column(j).clone_owned().as_slice()), v_plus);
            close(some(got.impulses_dv.column(j).clone_owned().as_slice()), impulses);
        }
        let [v_plus, impulses] = exact(&[0.0; NV], &[0.0; NV], 1.0);
        close(column(got.v_plus_drestitution.as_slice()), v_plus);
        close(some(got.impulses_drestitution.as_slice()), impulses);
    }
}

#[test]
fn derivatives_are_those_of_dual_numbers() {
    let ((q, v, tau), model) = (state(), Acrobat::model::<Dual64>());
    let mut data = Data::new(&model);
    for active in masks() {
        let (contacts, rows) = referred(&model, &active);
        let got = Acrobat::contact_dynamics_derivatives(&q, &v, &tau, &active, &settings());
        let of = [(got.ddq_dq, got.forces_dq), (got.ddq_dv, got.forces_dv), (got.ddq_dtau, got.forces_dtau)];
        for (by, (ddq, forces)) in of.into_iter().enumerate() {
            // Blocks as a whole: of links this light M^-1 has entries of 4e4, and a column of a block may
            // be a small difference of such numbers.
            let mut exact = [DMatrix::zeros(NV, NV), DMatrix::zeros(rows.len(), NV)];
            for j in 0..NV {
                let moved = |k: usize, x: &[f64]| -> DVector<Dual64> {
                    let eps = |i: usize| if k == by && i == j { 1.0 } else { 0.0 };
                    DVector::from_fn(NV, |i, _| Dual64::new(x[i], eps(i)))
                };
                let zero = [0.0; NV];
                let q = q.map(Dual64::from);
                let q = model.integrate(q.as_slice(), moved(0, &zero).as_slice());
                let (v, tau) = (moved(1, v.as_slice()), moved(2, tau.as_slice()));
                let given = (q.as_slice(), v.as_slice(), tau.as_slice());
                let of = constrained_dynamics(&model, &mut data, given, &contacts, holding());
                exact[0].set_column(j, &of.ddq.map(|x| x.eps));
                exact[1].set_column(j, &of.forces.map(|x| x.eps));
            }
            let [by_ddq, by_forces] = exact;
            close(DMatrix::from_column_slice(NV, NV, ddq.as_slice()), by_ddq);
            close(DMatrix::from_column_slice(NR, NV, forces.as_slice()).select_rows(&rows), by_forces);
        }
    }
}
