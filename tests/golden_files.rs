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
