//! The pose of a robot in the world matters only for gravity.

use crate::common::{close, for_all_afloat};
use nalgebra::{DVector, Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};
use rbd_runtime::Model;
use rbd_runtime::random::State;
use rbd_runtime::spatial::Placement;

/// All floating robots with nothing else on the world, and with only their joints' own forces on
/// the base.
fn for_floating(mut check: impl FnMut(&Model<f64>, &State)) {
    for_all_afloat(|mut model, x| {
        // The base's coordinates are those of its frame in the world.
        model.bodies[0].placement =
            Placement { rotation: Matrix3::identity(), translation: Vector3::zeros() };
        check(&model, x);
    });
}

fn orientation(q: &DVector<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(q[6], q[3], q[4], q[5]))
}

/// Gravity is an acceleration of the base the other way: `ID(q, v, a; g) = ID(q, v, a - R^T g; 0)`.
#[test]
fn gravity_is_an_acceleration_of_the_base() {
    for_floating(|model, x| {
        let with = model.rnea(x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let mut weightless = model.clone();
        weightless.gravity = Vector3::zeros();
        let mut a = x.a.clone();
        let up = orientation(&x.q).inverse() * -model.gravity;
        for k in 0..3 {
            a[k] += up[k];
        }
        close("torques", &weightless.rnea(x.q.as_slice(), x.v.as_slice(), a.as_slice()), &with, 1e-12);
    });
}

/// A robot that is moved and turned together with gravity has equal torques, accelerations and
/// derivatives: velocities and tangents of the base are in its own frame.
#[test]
fn turning_base_and_gravity_changes_nothing() {
    for_floating(|model, x| {
        let turn = Rotation3::from_euler_angles(0.4, -1.1, 2.3);
        let mut turned = model.clone();
        turned.gravity = turn * model.gravity;
        let mut q = x.q.clone();
        let place = turn * Vector3::new(q[0], q[1], q[2]) + Vector3::new(3.0, -1.0, 0.5);
        let turned_to = UnitQuaternion::from_rotation_matrix(&turn) * orientation(&x.q);
        q.rows_mut(0, 3).copy_from(&place);
        q.rows_mut(3, 4).copy_from(&turned_to.coords);
        let (v, a, tau) = (x.v.as_slice(), x.a.as_slice(), x.tau.as_slice());
        let (here, there) = (x.q.as_slice(), q.as_slice());
        close("M", &turned.crba(there), &model.crba(here), 1e-12);
        let (one, other) = (
            model.rnea_derivatives(here, v, a, Some(&x.fext)),
            turned.rnea_derivatives(there, v, a, Some(&x.fext)),
        );
        close("tau", &other.tau, &one.tau, 1e-11);
        close("dtau_dq", &other.dtau_dq, &one.dtau_dq, 1e-11);
        close("dtau_dv", &other.dtau_dv, &one.dtau_dv, 1e-11);
        let condition = {
            let eigenvalues = model.crba(here).symmetric_eigenvalues();
            eigenvalues.max() / eigenvalues.min()
        };
        let limit = (1e-14 * condition).max(1e-11);
        close("ddq", &turned.aba(there, v, tau), &model.aba(here, v, tau), limit);
    });
}
