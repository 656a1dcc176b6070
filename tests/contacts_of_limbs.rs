//! Contacts with limbs of their own: a generated robot beside the reference, for every set of active
//! contacts, with stretched limbs and without.

use nalgebra::{DMatrix, SVector};
use num_dual::Dual64;
use rbd::reference::{Contact, Data, Holding, constrained_dynamics};
use rbd::{ContactDynamics, ContactSettings, Scalar};

rbd::rbd_robot! {
    pub struct ThreeLimbs {
        urdf: "rbd-build/tests/good/three_limbs.urdf",
        base: floating,
        functions: [crba],
        contacts: ["left_foot", "right_foot", "hand"],
    }
}

const NQ: usize = ThreeLimbs::NQ;
const NV: usize = ThreeLimbs::NV;
const NC: usize = ThreeLimbs::NC;
const NR: usize = ThreeLimbs::CONTACT_ROWS;
type Vector<const N: usize> = SVector<f64, N>;

/// A state. Joints in the middle of limbs are `bent` times what they would be, from stretched, and so are the
/// others unless `knees` alone are.
fn state(bent: f64, knees: bool) -> (Vector<NQ>, Vector<NV>, Vector<NV>) {
    let numbers = |first: f64| Vector::<NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin());
    let mut to = numbers(0.3);
    let joints = to.iter_mut().skip(6).enumerate();
    joints.filter(|(k, _)| !knees || k % 3 == 2).for_each(|(_, x)| *x *= bent);
    (ThreeLimbs::integrate(&ThreeLimbs::neutral(), &to), numbers(1.1), numbers(2.4) * 5.0)
}

fn masks() -> impl Iterator<Item = [bool; NC]> {
    (0..1 << NC).map(|bits| core::array::from_fn(|k| bits >> k & 1 == 1))
}

/// Settings without and with all terms.
fn settings<T: Scalar>(q: &Vector<NQ>) -> [ContactSettings<T, NC>; 2] {
    let number = T::from_f64;
    let anchors = ThreeLimbs::contact_placements(q).map(|at| {
        let moved = at.translation.add_scalar(0.05);
        Some(rbd::spatial::Placement { rotation: at.rotation.map(number), translation: moved.map(number) })
    });
    let all = ContactSettings::default().proximal(number(0.02), 1);
    [ContactSettings::default(), all.baumgarte(number(9.0), number(5.0), anchors)]
}

/// The reference's accelerations, and forces of all rows.
fn reference(
    (q, v, tau): &(Vector<NQ>, Vector<NV>, Vector<NV>),
    active: &[bool; NC],
    settings: &ContactSettings<f64, NC>,
) -> (Vector<NV>, Vector<NR>) {
    let model = ThreeLimbs::model::<f64>();
    let (mut contacts, mut rows) = (Vec::new(), Vec::new());
    for (k, contact) in ThreeLimbsContact::ALL.into_iter().enumerate().filter(|(k, _)| active[*k]) {
        let frame = model.frames.iter().position(|f| f.name == contact.name()).unwrap();
        contacts.push(Contact { frame, kind: contact.kind(), anchor: settings.anchors[k], second: None });
        rows.extend(contact.rows());
    }
    let holding = Holding { mu: settings.mu, kp: settings.kp, kd: settings.kd };
    let given = (q.as_slice(), v.as_slice(), tau.as_slice());
    let found = constrained_dynamics(&model, &mut Data::new(&model), given, &contacts, holding);
    let mut forces = Vector::<NR>::zeros();
    rows.iter().zip(&found.forces).for_each(|(row, force)| forces[*row] = *force);
    (Vector::from_column_slice(found.ddq.as_slice()), forces)
}

#[track_caller]
fn close(what: &str, got: &[f64], expected: &[f64], tolerance: f64) {
    let [got, expected] = [got, expected].map(|x| DMatrix::from_column_slice(x.len(), 1, x));
    let error = (&got - &expected).amax() / expected.amax().max(1.0);
    assert!(error < tolerance, "{what}: {error:.1e}: {got}{expected}");
}

/// Bent limbs have the kernel of limbs, nearly stretched ones of some lanes and stretched ones do not.
#[test]
fn dynamics_agree_with_the_reference() {
    let bent = [1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-6, 0.0];
    for (bent, knees) in bent.into_iter().flat_map(|bent| [(bent, false), (bent, true)]) {
        let state = state(bent, knees);
        let (q, v, tau) = &state;
        for (active, settings) in masks().flat_map(|active| settings(q).map(|settings| (active, settings))) {
            let found = ThreeLimbs::contact_dynamics(q, v, tau, &active, &settings);
            let (ddq, forces) = reference(&state, &active, &settings);
            let what = format!("bent by {bent}, knees {knees}, {active:?}, mu {}", settings.mu);
            close(&what, found.ddq.as_slice(), ddq.as_slice(), 1e-10);
            close(&what, found.forces.as_slice(), forces.as_slice(), 1e-10);
            close(&what, found.residual.as_slice(), (-forces * settings.mu).as_slice(), 1e-10);
            for (k, contact) in ThreeLimbsContact::ALL.into_iter().enumerate().filter(|(k, _)| !active[*k]) {
                assert!(
                    contact.rows().all(|row| found.forces[row] == 0.0 && found.residual[row] == 0.0),
                    "{k}"
                );
            }
        }
    }
}

/// Derivatives have factors of all rows together: duals through the kernel of limbs are another way.
#[test]
fn duals_through_the_kernel_of_limbs_are_the_derivatives() {
    let (q, v, tau) = state(1.0, false);
    for active in masks() {
        let [_, settings] = settings::<f64>(&q);
        let [_, of_duals] = self::settings::<Dual64>(&q);
        let expected = ThreeLimbs::contact_dynamics_derivatives(&q, &v, &tau, &active, &settings);
        for j in 0..NV {
            let moved = |x: &Vector<NV>, by: bool| {
                SVector::<Dual64, NV>::from_fn(|i, _| Dual64::new(x[i], if by && i == j { 1.0 } else { 0.0 }))
            };
            let at = |by: usize| -> ContactDynamics<Dual64, NV, NR> {
                let zero = Vector::<NV>::zeros();
                let q = ThreeLimbs::integrate(&q.map(Dual64::from), &moved(&zero, by == 0));
                let (v, tau) = (moved(&v, by == 1), moved(&tau, by == 2));
                ThreeLimbs::contact_dynamics(&q, &v, &tau, &active, &of_duals)
            };
            let ddq = [expected.ddq_dq, expected.ddq_dv, expected.ddq_dtau];
            let forces = [expected.forces_dq, expected.forces_dv, expected.forces_dtau];
            for (by, (ddq, forces)) in ddq.into_iter().zip(forces).enumerate() {
                let found = at(by);
                let scale = |x: f64| 1.0 / x.max(1.0);
                let (of_ddq, of_forces) = (scale(ddq.amax()), scale(forces.amax()));
                let what = format!("{active:?}, {by}, column {j}");
                let eps = |x: &[Dual64], of: f64| x.iter().map(|x| x.eps * of).collect::<Vec<_>>();
                let column = |x: &[f64], of: f64| x.iter().map(|x| x * of).collect::<Vec<_>>();
                let [a, b] = [eps(found.ddq.as_slice(), of_ddq), column(ddq.column(j).as_slice(), of_ddq)];
                close(&what, &a, &b, 1e-10);
                let [a, b] =
                    [eps(found.forces.as_slice(), of_forces), column(forces.column(j).as_slice(), of_forces)];
                close(&what, &a, &b, 1e-10);
            }
        }
    }
}

/// A NaN in the state is one in the residual.
#[test]
fn nan_is_not_lost() {
    let (q, mut v, tau) = state(1.0, false);
    v[8] = f64::NAN;
    let found = ThreeLimbs::contact_dynamics(&q, &v, &tau, &[true; NC], &ContactSettings::default());
    assert!(found.residual.iter().any(|x| x.is_nan()) && found.ddq.iter().any(|x| x.is_nan()));
}
