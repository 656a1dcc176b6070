//! The recorded generated files, compiled as they are and compared with the generic reference.
//!
//! This target is separate from `trust`, which writes them: it must build when they do not.

use nalgebra::{DMatrix, SMatrix, SVector};
use rbd::{DifferenceJacobians, IntegrateJacobians, Mechanism};

#[path = "golden_files/batches.rs"]
mod batches;
#[path = "golden_files/lanes.rs"]
mod lanes;
#[path = "golden_files/second_order.rs"]
mod second_order;
#[path = "golden_files/zeros.rs"]
mod zeros;

mod double_pendulum {
    include!("golden/double_pendulum.rs");
}
mod gripper {
    include!("golden/gripper.rs");
}
mod body {
    include!("golden/body.rs");
}

fn dynamic<const N: usize>(m: &SMatrix<f64, N, N>) -> DMatrix<f64> {
    DMatrix::from_column_slice(N, N, m.as_slice())
}

/// The manifold: derivatives against the model's, and relations that follow from `integrate` and
/// `difference`.
fn moves<R: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>(q: &SVector<f64, NQ>, v: &SVector<f64, NV>) {
    let model = R::model::<f64>();
    let IntegrateJacobians { dq, dv } = R::integrate_jacobians(q, v);
    let of_model = model.integrate_jacobians(v.as_slice());
    assert_eq!((of_model.dq, of_model.dv), (dynamic(&dq), dynamic(&dv)));
    let there = R::integrate(q, v);
    let DifferenceJacobians { dq0, dq1 } = R::difference_jacobians(q, &there);
    let of_model = model.difference_jacobians(q.as_slice(), there.as_slice());
    assert_eq!((of_model.dq0, of_model.dq1), (dynamic(&dq0), dynamic(&dq1)));
    // `difference(q, integrate(q, v)) = v`, differentiated by v and by q.
    assert!((dq1 * dv - SMatrix::<f64, NV, NV>::identity()).iter().all(|x| x.abs() < 1e-12));
    assert!((dq0 + dq1 * dq).iter().all(|x| x.abs() < 1e-12));
    assert!(R::is_near(&R::interpolate(q, &there, 1.0), &there, 1e-14));
    assert!(R::is_near(&R::interpolate(q, &there, 0.25), &R::integrate(q, &(v * 0.25)), 1e-14));
    assert!(!R::is_near(q, &there, 1e-3) && !R::is_near(q, &(q * f64::NAN), f64::INFINITY));
    let stretched =
        q.map_with_location(|i, _, x| if model.nq > model.nv && (3..7).contains(&i) { 3.0 * x } else { x });
    assert!(R::is_near(&R::normalize(&stretched), q, 1e-14));
    let matrix = SMatrix::<f64, NV, 5>::from_fn(|i, j| (1.0 + 0.7 * i as f64 + 2.3 * j as f64).sin());
    for jacobian in [dq, dv, dq0, dq1] {
        assert!((R::transport(&jacobian, &matrix) - jacobian * matrix).iter().all(|x| x.abs() < 1e-14));
    }
    random_configurations::<R, NQ, NV>();
}

/// Within the limits, of unit length, different ones, and not all on one side.
fn random_configurations<R: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>() {
    let (low, high) = (R::lower_limits::<f64>(), R::upper_limits::<f64>());
    let mut random = rbd::random::Random::new(5);
    let all: Vec<_> = (0..200).map(|_| R::random_configuration(|| random.uniform(0.0, 1.0))).collect();
    for q in &all {
        assert!(
            q.iter().zip(&low).all(|(x, low)| x >= low) && q.iter().zip(&high).all(|(x, high)| x <= high)
        );
        assert!((R::normalize(q) - q).iter().all(|x| x.abs() < 1e-14));
    }
    for k in 0..NQ {
        let (low, high) = if low[k].is_finite() { (low[k], high[k]) } else { (-1.0, 1.0) };
        let (least, most) = all.iter().fold((high, low), |(a, b), q| (q[k].min(a), q[k].max(b)));
        assert!(
            least <= low + 0.2 * (high - low) && most >= high - 0.2 * (high - low),
            "{k}: {least} to {most}"
        );
    }
    // The ends of the range of `uniform` are allowed.
    assert!([0.0, 1.0].iter().all(|x| R::random_configuration(|| *x).iter().all(|x| x.is_finite())));
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
            moves::<$robot, { <$robot>::NQ }, $nv>(&q, &v);
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
