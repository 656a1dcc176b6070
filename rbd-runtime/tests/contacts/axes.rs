//! Rows in the world's axes, on random trees with contacts and closed loops. They are turned by
//! hand from the contacts' own axes, and their derivatives come from dual numbers.

use super::closed_loops::{MASKS, active, contacts, expected, padded, settings, with_pivot};
use super::{NR, NV};
use crate::common::{along, close, directions, for_all};
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use num_dual::Dual64;
use rbd_runtime::contact;
use rbd_runtime::reference::{Data, constrained_impulse, frame_placement};
use rbd_runtime::{
    ContactAxes, ContactDynamics, ContactDynamicsDerivatives, ContactImpulse, ContactImpulseDerivatives,
    Model, Scalar,
};

const WORLD: ContactAxes = ContactAxes::LocalWorldAligned;

/// Rows of the active contacts in the world's axes. Each three of them are turned with the
/// contact's first frame.
fn turned<T: Scalar>(model: &Model<T>, q: &[T], mask: &[bool; 4], own: &DVector<T>) -> DVector<T> {
    let (mut data, mut out) = (Data::new(model), Vec::new());
    for ((frame, kind), _) in contacts(model).0.into_iter().zip(mask).filter(|(_, active)| **active) {
        let rotation = frame_placement(model, &mut data, q, frame).rotation;
        for _ in 0..kind.rows() / 3 {
            let first = out.len();
            out.extend((0..3).map(|r| (0..3).fold(T::zero(), |x, c| x + rotation[(r, c)] * own[first + c])));
        }
    }
    DVector::from_vec(out)
}

/// These rows alone.
fn some(all: &SVector<f64, NR>, rows: &[usize]) -> DVector<f64> {
    DVector::from_iterator(rows.len(), rows.iter().map(|r| all[*r]))
}

#[test]
fn rows_in_the_worlds_axes_are_turned_ones() {
    let mut seen = 0;
    for_all(|model, x| {
        seen += 1;
        let (model, mask) = (&with_pivot(model), &MASKS[seen % 4]);
        let (rows, q) = (active(model, mask).1, x.q.as_slice());
        let robot = padded(model, model, q);
        let (v, tau) = (robot.pad(&x.v), robot.pad(&x.tau));
        let (own, world) = (settings::<f64>(), settings().in_axes(WORLD));
        let agree = |what: &str, found: &SVector<f64, NR>, own: &SVector<f64, NR>| {
            close(what, &some(found, &rows), &turned(model, q, mask, &some(own, &rows)), 1e-12);
            assert!((0..NR).all(|r| rows.contains(&r) || found[r] == 0.0));
        };
        let dynamics = |settings| -> ContactDynamics<f64, NV, NR> {
            contact::dynamics(&robot, &v, &tau, mask, settings)
        };
        let (found, plain) = (dynamics(&world), dynamics(&own));
        assert_eq!(found.ddq, plain.ddq);
        agree("forces", &found.forces, &plain.forces);
        agree("residual", &found.residual, &plain.residual);
        let impulse =
            |settings| -> ContactImpulse<f64, NV, NR> { contact::impulse(&robot, &v, mask, 0.3, settings) };
        let (hit, hit_own) = (impulse(&world), impulse(&own));
        assert_eq!(hit.v_plus, hit_own.v_plus);
        agree("impulses", &hit.impulses, &hit_own.impulses);
        agree("residual", &hit.residual, &hit_own.residual);
        let errors: [SVector<f64, NR>; 2] = [&world, &own].map(|s| contact::errors(&robot, mask, s));
        agree("errors", &errors[0], &errors[1]);
        let [tau_world, tau_own] = [(found.forces, WORLD), (plain.forces, ContactAxes::Local)]
            .map(|(forces, axes)| contact::inverse_dynamics_in(&robot, &v, &found.ddq, &forces, axes));
        close("tau", &tau_world, &tau_own, 1e-12);
        let jacobian: SMatrix<f64, NR, NV> = contact::jacobian_in(&robot, mask, WORLD);
        let of_own: SMatrix<f64, NR, NV> = contact::jacobian(&robot, mask);
        agree("J v", &(jacobian * v), &(of_own * v));
        let delassus: SMatrix<f64, NR, NR> = contact::delassus_in(&robot, mask, WORLD);
        // `J M^-1 J^T`, by the response of the velocities to impulses.
        let mut minv = SMatrix::<f64, NV, NV>::zeros();
        contact::Mechanics::minv(&robot, &mut minv);
        close("delassus", &delassus, &(jacobian * minv * jacobian.transpose()), 1e-10);
    });
}

#[test]
fn derivatives_in_the_worlds_axes_are_exact() {
    let mut seen = 0;
    for_all(|model, x| {
        seen += 1;
        let model = &with_pivot(model);
        let (mask, nv, d, restitution) = (&MASKS[seen % 4], model.nv, model.cast::<Dual64>(), 0.3);
        let (rows, of_d) = (active(model, mask).1, active(&d, mask).0);
        let robot = padded(model, model, x.q.as_slice());
        let (v, tau, held) = (robot.pad(&x.v), robot.pad(&x.tau), settings().in_axes(WORLD));
        let got: ContactDynamicsDerivatives<f64, NV, NR> =
            contact::derivatives(&robot, &v, &tau, mask, &held);
        let hit: ContactImpulseDerivatives<f64, NV, NR> =
            contact::impulse_derivatives(&robot, &v, mask, restitution, &held);
        let plain: ContactDynamics<f64, NV, NR> = contact::dynamics(&robot, &v, &tau, mask, &held);
        assert_eq!((got.forces, got.residual), (plain.forces, plain.residual));
        // Forces and impulses along a direction in q, v or tau, and one of the restitution.
        let moved = |by: usize, e: &DVector<f64>, de: f64| {
            let zero = DVector::zeros(nv);
            let dual = |x: &DVector<f64>, k: usize| x.zip_map(if k == by { e } else { &zero }, Dual64::new);
            let q = d.integrate(x.q.map(Dual64::from).as_slice(), dual(&zero, 0).as_slice());
            let (v, tau) = (dual(&x.v, 1), dual(&x.tau, 2));
            let (q, how) = (q.as_slice(), (Dual64::new(restitution, de), settings::<Dual64>().mu));
            let forces = expected(&d, (q, v.as_slice(), tau.as_slice()), mask).forces;
            let hit = constrained_impulse(&d, &mut Data::new(&d), (q, v.as_slice()), &of_d, how);
            [forces, hit.forces].map(|own| turned(&d, q, mask, &own).map(|x| x.eps))
        };
        let check = |what: &str, got: &SMatrix<f64, NR, NV>, by: usize, which: usize| {
            let e = directions(nv);
            let exact = along(&e, |e| moved(by, e, 0.0)[which].clone());
            let got = DMatrix::from_fn(rows.len(), nv, |r, c| got[(rows[r], c)]);
            close(what, &(got * &e), &exact, 1e-9);
        };
        check("forces_dq", &got.forces_dq, 0, 0);
        check("forces_dv", &got.forces_dv, 1, 0);
        check("forces_dtau", &got.forces_dtau, 2, 0);
        check("impulses_dq", &hit.impulses_dq, 0, 1);
        check("impulses_dv", &hit.impulses_dv, 1, 1);
        let exact = &moved(0, &DVector::zeros(nv), 1.0)[1];
        close("impulses_drestitution", &some(&hit.impulses_drestitution, &rows), exact, 1e-9);
    });
}
