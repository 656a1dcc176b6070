//! Tensors of several states side by side, by straight lines and by loops, equal those of one state
//! after the other.

use super::{body, double_pendulum, gripper};
use nalgebra::{SMatrix, SVector};
use rbd::batch;

rbd::rbd_robot! {
    struct Iiwa14 {
        urdf: "robots/iiwa14.urdf",
        functions: [rnea_second_derivatives, rnea_second_derivatives_fext],
    }
}

rbd::rbd_robot! {
    struct Ur5 {
        urdf: "robots/ur5.urdf",
        functions: [rnea_second_derivatives, rnea_second_derivatives_fext],
    }
}

/// Difference relative to the largest entry.
fn differ<const N: usize>(found: &[SMatrix<f64, N, N>; N], expected: &[SMatrix<f64, N, N>; N]) -> f64 {
    let largest = expected.iter().fold(1.0_f64, |m, page| m.max(page.amax()));
    let differences =
        found.iter().zip(expected).flat_map(|(a, b)| (a - b).iter().copied().collect::<Vec<_>>());
    // Not by the largest of all differences: NaN must not pass.
    differences.fold(0.0, |m, x| if x.abs() <= m { m } else { x.abs() }) / largest
}

macro_rules! agree {
    ($robot:ty, $nq:literal, $nv:literal) => {{
        let name = stringify!($robot);
        // A group that is full, and one that is not.
        let wave =
            |rate: f64, k: usize| SVector::<f64, $nv>::from_fn(|i, _| (k as f64 + rate * i as f64).sin());
        let states = 0..19;
        let q: Vec<SVector<f64, $nq>> =
            states.clone().map(|k| <$robot>::integrate(&<$robot>::neutral(), &wave(2.9, k))).collect();
        let v: Vec<_> = states.clone().map(|k| wave(0.7, k)).collect();
        let a: Vec<_> = states.clone().map(|k| wave(1.3, k)).collect();
        let force =
            |k: usize, b: usize| SVector::<f64, 6>::from_fn(|i, _| (k as f64 + (b + 2 * i) as f64).cos());
        let fext: Vec<[SVector<f64, 6>; <$robot>::NB]> =
            states.map(|k| std::array::from_fn(|b| force(k, b))).collect();
        let nothing = rbd::RneaSecondDerivatives::<f64, $nv>::zeros();
        let mut found = vec![nothing.clone(); q.len()];
        let mut expected = found.clone();
        for under_forces in [false, true] {
            if under_forces {
                batch::map((&q[..], &v[..], &a[..], &fext[..]), &mut found, |(q, v, a, fext), out| {
                    <$robot>::rnea_second_derivatives_fext_into(q, v, a, fext, out);
                });
                batch::one_by_one(
                    (&q[..], &v[..], &a[..], &fext[..]),
                    &mut expected,
                    |(q, v, a, fext), out| {
                        <$robot>::rnea_second_derivatives_fext_into(q, v, a, fext, out);
                    },
                );
            } else {
                batch::map((&q[..], &v[..], &a[..]), &mut found, |(q, v, a), out| {
                    <$robot>::rnea_second_derivatives_into(q, v, a, out);
                });
                batch::one_by_one((&q[..], &v[..], &a[..]), &mut expected, |(q, v, a), out| {
                    <$robot>::rnea_second_derivatives_into(q, v, a, out);
                });
            }
            for (found, expected) in found.iter().zip(&expected) {
                for (tensor, found, expected) in [
                    ("qq", &found.d2tau_dqdq, &expected.d2tau_dqdq),
                    ("qv", &found.d2tau_dqdv, &expected.d2tau_dqdv),
                    ("vv", &found.d2tau_dvdv, &expected.d2tau_dvdv),
                    ("qa", &found.d2tau_dqda, &expected.d2tau_dqda),
                ] {
                    let apart = differ(found, expected);
                    assert!(apart <= 1e-12, "{name}, {tensor}: {apart:e}, forces: {under_forces}");
                }
            }
        }
    }};
}

#[test]
fn tensors_in_lanes_are_those_of_single_states() {
    agree!(double_pendulum::DoublePendulum, 2, 2);
    agree!(gripper::Gripper, 2, 2);
    agree!(body::Body, 7, 6);
    agree!(Ur5, 6, 6);
    agree!(Iiwa14, 7, 7);
}

/// Structural zeros are left as they were; debug builds refuse other numbers there.
#[cfg_attr(debug_assertions, should_panic(expected = "make it by `zeros()`"))]
#[test]
fn structural_zeros_are_left_alone_in_lanes() {
    type T = rbd::lanes::F64x4;
    let x = SVector::<T, 6>::from_fn(|i, _| T::splat(0.3 + i as f64));
    let mut out = rbd::RneaSecondDerivatives::<T, 6>::zeros();
    // The first joint turns about a vertical axis: no torque depends on how far.
    out.d2tau_dqdq[0].fill(T::splat(7.0));
    Ur5::rnea_second_derivatives_into(&x, &x, &x, &mut out);
    assert!(out.d2tau_dqdq[0].iter().all(|x| *x == T::splat(7.0)));
}
