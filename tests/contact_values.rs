//! Dynamics under contacts against stored values of Pinocchio's `constraintDynamics`, their
//! derivatives and `impulseDynamics` (`tests/values/README.md` describes how they are made).
//!
//! Tested are the reference, and the runtime's functions, which generated methods call, on the
//! reference's matrices.

#[path = "../rbd-runtime/tests/contacting/mod.rs"]
pub mod contacting;

use contacting::Padded;
use nalgebra::{SMatrix, Vector3};
use rbd_build::options::{Base, ReadOptions};
use rbd_runtime::contact::{self, ContactSettings};
use rbd_runtime::reference::{Contact, Data, Holding, constrained_dynamics, constrained_impulse};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{ContactDynamicsDerivatives, ContactImpulse, ContactKind, Model};
use serde_json::Value;
use std::path::Path;

/// All numbers of nested lists, in order.
fn numbers(x: &Value) -> Vec<f64> {
    match x {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        x => vec![x.as_f64().expect("a number")],
    }
}

/// Asserts equality with the stored numbers, relative to the largest.
#[track_caller]
fn close(stored: &Value, name: &str, got: &[f64]) {
    let expected = numbers(&stored[name]);
    assert_eq!(got.len(), expected.len(), "{name}");
    let largest = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let error = got.iter().zip(&expected).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / largest;
    assert!(error < 1e-10, "{name} of {}: {error:.1e}", stored["robot"]);
}

/// Stored by rows.
fn by_rows<const R: usize, const C: usize>(m: &SMatrix<f64, R, C>, columns: usize) -> Vec<f64> {
    (0..R).flat_map(|r| (0..columns).map(move |c| (r, c))).map(|at| m[at]).collect()
}

fn read(case: &str) -> (Value, Model<f64>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("tests/values/contacts").join(case);
    let stored: Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect("stored values")).expect("values");
    let base = if stored["base"] == "floating" { Base::Floating } else { Base::Fixed };
    // As Pinocchio reads it: 1.57079632679 stays as it is, although a right angle is only 5e-12
    // away.
    let options = ReadOptions { base, snap: Some(0.0), ..Default::default() };
    let urdf = root.join(stored["urdf"].as_str().expect("a path"));
    let reading = rbd_build::urdf::read_file(urdf.to_str().expect("a path"), &options).expect("a robot");
    (stored, reading.model)
}

fn check<const NV: usize, const NB: usize, const NC: usize, const NR: usize>(case: &str) {
    let (stored, model) = read(case);
    assert_eq!((model.nv, model.bodies.len()), (NV, NB));
    let kind = if stored["kind"] == "point" { ContactKind::Point } else { ContactKind::Plane };
    let names = stored["contacts"].as_array().expect("names");
    let contacts: [(usize, ContactKind); NC] = core::array::from_fn(|k| {
        (model.frames.iter().position(|f| names[k] == f.name.as_str()).expect("a frame"), kind)
    });
    let list = |name: &str| nalgebra::DVector::from_vec(numbers(&stored[name]));
    let (q, v, tau) = (list("q"), list("v"), list("tau"));
    let number = |name: &str| stored[name].as_f64().expect("a number");
    let (kp, kd, restitution) = (number("kp"), number("kd"), number("restitution"));
    let at = Vector3::from_iterator(numbers(&stored["anchor"]));
    let anchor = Some(Placement { translation: at, ..Placement::identity() });
    let settings = ContactSettings::default().baumgarte(kp, kd, [anchor; NC]);

    let robot: Padded<'_, f64, NV, NB, NC> = Padded::of(&model, &model, q.as_slice(), contacts);
    let (x, u) = (robot.pad(&v), robot.pad(&tau));
    let got: ContactDynamicsDerivatives<f64, NV, NR> =
        contact::derivatives(&robot, &x, &u, &[true; NC], &settings);
    close(&stored, "ddq", got.ddq.as_slice());
    close(&stored, "forces", got.forces.as_slice());
    for (name, m) in [("ddq_dq", got.ddq_dq), ("ddq_dv", got.ddq_dv), ("ddq_dtau", got.ddq_dtau)] {
        close(&stored, name, &by_rows(&m, NV));
    }
    let forces =
        [("forces_dq", got.forces_dq), ("forces_dv", got.forces_dv), ("forces_dtau", got.forces_dtau)];
    for (name, m) in forces {
        close(&stored, name, &by_rows(&m, NV));
    }
    let hit: ContactImpulse<f64, NV, NR> = contact::impulse(&robot, &x, &[true; NC], restitution, &settings);
    close(&stored, "v_plus", hit.v_plus.as_slice());
    close(&stored, "impulses", hit.impulses.as_slice());

    let all: Vec<Contact<f64>> =
        contacts.iter().map(|&(frame, kind)| Contact { frame, kind, anchor, second: None }).collect();
    let data = &mut Data::new(&model);
    let given = (q.as_slice(), v.as_slice(), tau.as_slice());
    let expected = constrained_dynamics(&model, data, given, &all, Holding { mu: 0.0, kp, kd });
    close(&stored, "ddq", expected.ddq.as_slice());
    close(&stored, "forces", expected.forces.as_slice());
    let hit = constrained_impulse(&model, data, (q.as_slice(), v.as_slice()), &all, (restitution, 0.0));
    close(&stored, "v_plus", hit.ddq.as_slice());
    close(&stored, "impulses", hit.forces.as_slice());
}

#[test]
fn four_feet_of_a_quadruped() {
    check::<18, 13, 4, 12>("hyq.floating.json");
}

#[test]
fn two_soles_of_a_humanoid() {
    check::<38, 33, 2, 12>("talos_reduced.floating.json");
}
