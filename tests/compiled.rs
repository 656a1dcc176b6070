//! Compiled code, by the macro, against the generic reference: every function of an arm, a quadruped on a
//! floating base (with its legs as lanes) and a gripper with joints that follow others.

use nalgebra::{DMatrix, SMatrix, SVector};
use rbd::random::random_state;

rbd::rbd_robot!("robots/iiwa14.urdf");
rbd::rbd_robot!("robots/panda.urdf");
rbd::rbd_robot! {
    /// A quadruped.
    pub struct Hyq { urdf: "robots/hyq.urdf", base: floating }
}

/// The largest difference relative to the largest entry is at most `tolerance`.
fn near<const R: usize, const C: usize>(what: &str, a: &SMatrix<f64, R, C>, b: &[f64], tolerance: f64) {
    let b = SMatrix::<f64, R, C>::from_column_slice(b);
    let error = (a - b).amax() / b.amax().max(1.0);
    assert!(error <= tolerance, "{what}: {error:e}");
}

macro_rules! agrees {
    ($test:ident, $robot:ident, $nq:literal, $nv:literal, $nb:literal) => {
        #[test]
        fn $test() {
            let model = $robot::model::<f64>();
            for seed in 0..5 {
                let s = random_state(&model, seed);
                let (qs, vs, xs) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice());
                let q = SVector::<f64, $nq>::from_column_slice(qs);
                let v = SVector::<f64, $nv>::from_column_slice(vs);
                let x = SVector::<f64, $nv>::from_column_slice(xs);
                let mut fext = [SVector::zeros(); $nb];
                fext.copy_from_slice(&s.fext);
                // What M is inverted for cannot be nearer than rounding times M's condition.
                let m: DMatrix<f64> = model.crba(qs);
                let eigenvalues = m.symmetric_eigenvalues();
                let inverted = (1e-13 * eigenvalues.max() / eigenvalues.min()).max(1e-10);

                near("rnea", &$robot::rnea(&q, &v, &x), model.rnea(qs, vs, xs).as_slice(), 1e-10);
                let tau = model.rnea_fext(qs, vs, xs, &s.fext);
                near("rnea_fext", &$robot::rnea_fext(&q, &v, &x, &fext), tau.as_slice(), 1e-10);
                near("bias", &$robot::bias(&q, &v), model.bias(qs, vs).as_slice(), 1e-10);
                near("gravity", &$robot::gravity(&q), model.gravity_torques(qs).as_slice(), 1e-10);
                near("aba", &$robot::aba(&q, &v, &x), model.aba(qs, vs, xs).as_slice(), inverted);
                let ddq = model.aba_fext(qs, vs, xs, &s.fext);
                near("aba_fext", &$robot::aba_fext(&q, &v, &x, &fext), ddq.as_slice(), inverted);
                near("crba", &$robot::crba(&q), m.as_slice(), 1e-10);
                near("minv", &$robot::minv(&q), model.minv(qs).as_slice(), inverted);
                for forces in [None, Some(&s.fext[..])] {
                    let d = match forces {
                        None => $robot::rnea_derivatives(&q, &v, &x),
                        Some(_) => $robot::rnea_derivatives_fext(&q, &v, &x, &fext),
                    };
                    let e = model.rnea_derivatives(qs, vs, xs, forces);
                    near("tau", &d.tau, e.tau.as_slice(), 1e-10);
                    near("dtau_dq", &d.dtau_dq, e.dtau_dq.as_slice(), 1e-10);
                    near("dtau_dv", &d.dtau_dv, e.dtau_dv.as_slice(), 1e-10);
                    near("dtau_da", &d.dtau_da, e.dtau_da.as_slice(), 1e-10);
                    let d = match forces {
                        None => $robot::aba_derivatives(&q, &v, &x),
                        Some(_) => $robot::aba_derivatives_fext(&q, &v, &x, &fext),
                    };
                    let e = model.aba_derivatives(qs, vs, xs, forces);
                    near("ddq", &d.ddq, e.ddq.as_slice(), inverted);
                    near("ddq_dq", &d.ddq_dq, e.ddq_dq.as_slice(), inverted);
                    near("ddq_dv", &d.ddq_dv, e.ddq_dv.as_slice(), inverted);
                    near("ddq_dtau", &d.ddq_dtau, e.ddq_dtau.as_slice(), inverted);
                }
                // The manifold's maps undo each other.
                let there = $robot::integrate(&q, &(v * 0.3));
                near("difference", &$robot::difference(&q, &there), (v * 0.3).as_slice(), 1e-12);
            }
        }
    };
}

agrees!(an_arm, Iiwa14, 7, 7, 7);
agrees!(a_gripper_that_mimics, Panda, 8, 8, 9);
agrees!(a_quadruped, Hyq, 19, 18, 13);
