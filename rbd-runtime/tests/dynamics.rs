//! Laws that inverse dynamics, forward dynamics and the mass matrix keep with one another.

use crate::common::{by_columns, close, for_all, unit};
use nalgebra::DMatrix;
use rbd_runtime::random::random_state;

/// Forward dynamics undoes inverse dynamics, and the other way round, with external forces,
/// armature and damping.
#[test]
fn forward_and_inverse_dynamics_undo_each_other() {
    for_all(|model, x| {
        let (q, v) = (x.q.as_slice(), x.v.as_slice());
        let tau = model.rnea_fext(q, v, x.a.as_slice(), &x.fext);
        let a = model.aba_fext(q, v, tau.as_slice(), &x.fext);
        close("fd(id(a))", &a, &x.a, 1e-10);
        let a = model.aba(q, v, x.tau.as_slice());
        close("id(fd(tau))", &model.rnea(q, v, a.as_slice()), &x.tau, 1e-10);
    });
}

/// Inverse dynamics is M a + bias: column j of M is the change for a unit acceleration.
#[test]
fn mass_matrix_is_inverse_dynamics_of_unit_accelerations() {
    for_all(|model, x| {
        let (q, v) = (x.q.as_slice(), x.v.as_slice());
        let bias = model.bias(q, v);
        let m = model.crba(q);
        let columns = by_columns(model.nv, |j| model.rnea(q, v, unit(model.nv, j).as_slice()) - &bias);
        close("M", &m, &columns, 1e-12);
        close("M symmetric", &m, &m.transpose(), 1e-13);
        assert!(m.clone().cholesky().is_some(), "M is not positive definite");
        let zero = vec![0.0; model.nv];
        close("gravity", &model.gravity_torques(q), &model.bias(q, &zero), 1e-13);
        close("M a + bias", &(&m * &x.a + bias), &model.rnea(q, v, x.a.as_slice()), 1e-12);
    });
}

/// The three-pass inverse (and that by factors, for mimic joints) is the inverse of M.
#[test]
fn minv_is_the_inverse_of_the_mass_matrix() {
    for_all(|model, x| {
        let (m, minv) = (model.crba(x.q.as_slice()), model.minv(x.q.as_slice()));
        close("minv symmetric", &minv, &minv.transpose(), 1e-12);
        close("M minv", &(&m * &minv), &DMatrix::identity(model.nv, model.nv), 1e-10);
    });
}

/// A workspace that was used for other states gives the same bits as a new one.
#[test]
fn workspaces_can_be_used_again() {
    use rbd_runtime::reference::{Data, aba, aba_derivatives, crba, minv, rnea, rnea_derivatives};
    for_all(|model, x| {
        let mut data = Data::new(model);
        let other = random_state(model, 77);
        for s in [&other, x] {
            let (q, v, a, tau) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice(), s.tau.as_slice());
            let fresh = || Data::new(model);
            let f = Some(s.fext.as_slice());
            assert_eq!(rnea(model, &mut data, q, v, a, f), rnea(model, &mut fresh(), q, v, a, f));
            assert_eq!(aba(model, &mut data, q, v, tau, f), aba(model, &mut fresh(), q, v, tau, f));
            assert_eq!(crba(model, &mut data, q), crba(model, &mut fresh(), q));
            assert_eq!(minv(model, &mut data, q), minv(model, &mut fresh(), q));
            let (d, e) = (&mut data, &mut fresh());
            assert_eq!(rnea_derivatives(model, d, q, v, a, f), rnea_derivatives(model, e, q, v, a, f));
            assert_eq!(aba_derivatives(model, d, q, v, tau, f), aba_derivatives(model, e, q, v, tau, f));
        }
    });
}
