//! The recorded generated files, compiled as they are and compared with the generic reference. A target
//! apart from `trust`, which writes them: it must build when they do not.

use nalgebra::SVector;

mod double_pendulum {
    include!("golden/double_pendulum.rs");
}
mod gripper {
    include!("golden/gripper.rs");
}
mod body {
    include!("golden/body.rs");
}

#[test]
fn recorded_files_compute() {
    macro_rules! agrees {
        ($robot:ty, $nv:literal) => {
            let v = SVector::<f64, $nv>::from_fn(|i, _| 0.3 + 0.2 * i as f64);
            let q = <$robot>::integrate(&<$robot>::neutral(), &v);
            let model = <$robot>::model::<f64>();
            let tau = model.rnea(q.as_slice(), v.as_slice(), v.as_slice());
            let ddq = model.aba(q.as_slice(), v.as_slice(), v.as_slice());
            let m = model.crba(q.as_slice());
            assert!((<$robot>::rnea(&q, &v, &v) - tau).iter().all(|x| x.abs() < 1e-12));
            assert!((<$robot>::crba(&q) - m).iter().all(|x| x.abs() < 1e-12));
            let small = 1e-10 * (1.0 + ddq.amax());
            assert!((<$robot>::aba(&q, &v, &v) - &ddq).iter().all(|x| x.abs() < small));
        };
    }
    agrees!(double_pendulum::DoublePendulum, 2);
    agrees!(gripper::Gripper, 2);
    agrees!(body::Body, 6);
}

/// Generated functions are generic over the scalar: fixed point needs nothing of its own.
#[test]
fn recorded_files_run_in_fixed_point() {
    use rbd_runtime::{Fixed, Scalar};
    type Robot = double_pendulum::DoublePendulum;
    for k in 0..100 {
        let [q, v, a] =
            [1.7, 0.9, 2.3].map(|m| SVector::<f64, 2>::from_fn(|i, _| (m * (k + 31 * i) as f64).sin()));
        let [fq, fv, fa] = [q, v, a].map(|x| x.map(Fixed::<16>::from_f64));
        let (exact, found) = (Robot::rnea(&q, &v, &a), Robot::rnea(&fq, &fv, &fa).map(Fixed::to_f64));
        let (exact_d, found_d) =
            (Robot::rnea_derivatives(&q, &v, &a), Robot::rnea_derivatives(&fq, &fv, &fa));
        assert!((exact - found).amax() < 1e-3, "{exact} {found}");
        assert!((exact_d.dtau_dq - found_d.dtau_dq.map(Fixed::to_f64)).amax() < 1e-3);
    }
}
