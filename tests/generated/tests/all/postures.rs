//! Functions with known sines and cosines, against those that compute them.

use crate::common::{error, inverts, tolerance};
use generated_tests::{Inputs, Outputs, fixed};
use nalgebra::{DMatrix, SVector};
use rbd::{Joint, JointKind, Posture, Scalar};
use rbd_build::Function;
use rbd_runtime::random::random_state;

/// Flags of a robot's coordinates that are angles, and whether all of its rotating joints take
/// sines and cosines of these angles.
fn angles(joints: &[Joint], nq: usize) -> (Vec<bool>, bool) {
    let mut angles = vec![false; nq];
    let mut all = true;
    for joint in joints {
        match joint.kind {
            JointKind::Revolute | JointKind::Continuous => angles[joint.idx_q] = true,
            JointKind::Planar => angles[joint.idx_q + 2] = true,
            _ => {}
        }
        all &= joint.mimic.is_none_or(|m| m.multiplier.abs() == 1.0);
    }
    (angles, all)
}

/// A posture with only the sines and cosines of angles, and only the other coordinates.
fn posture<T: Scalar, const NQ: usize>(joints: &[Joint], q: &[T]) -> Posture<T, NQ> {
    let (angles, all) = angles(joints, NQ);
    let nothing = T::from_f64(f64::NAN);
    let mut posture = Posture::of(fixed(q));
    for (k, is_angle) in angles.into_iter().enumerate() {
        if !is_angle {
            (posture.sin[k], posture.cos[k]) = (nothing, nothing);
        } else if all {
            posture.q[k] = nothing;
        }
    }
    posture
}

fn compare(robot: &str, function: Function, got: &Outputs<f64>, expected: &Outputs<f64>, m: &DMatrix<f64>) {
    assert_eq!(got.len(), expected.len());
    for ((name, got), (same, expected)) in got.iter().zip(expected) {
        assert_eq!(name, same);
        // Sines of sums are made of products.
        let tolerance = if inverts(function) { tolerance(function, m, f64::EPSILON) } else { 1e-12 };
        let error = error(got, expected, 1.0);
        assert!(error <= tolerance, "{robot}, {}, {name}: {error:e} above {tolerance:e}", function.name());
    }
}

/// Functions of a type at one state.
macro_rules! compare_each {
    ([$type:ident $subject:ident $m:ident $way:ident $x:ident $at:ident] $($function:ident)*) => { $(
        let function = Function::from_name(stringify!($function)).expect("known");
        let got = rbd_runtime::function_row!($function [generated_tests::call] $type, $way, $x, $at);
        compare($subject.name, function, &got, &$subject.run(function, $x), &$m);
    )* };
}

/// Every function of a type at a few states.
macro_rules! check {
    ($($module:ident)::+, $type:ident) => {{
        use generated_tests::$($module)::+::$type;
        let subject = generated_tests::Subject::<f64>::of::<$type>(stringify!($($module)::+));
        let model = (subject.model)();
        for seed in 0..3 {
            let x = Inputs::from(&random_state(&model, seed));
            let at = &posture::<f64, { $type::NQ }>(&$type::JOINTS, &x.q);
            let m = subject.get(Function::Crba, "m", &x);
            let (way, x) = (generated_tests::Way::Inherent, &x);
            rbd_runtime::dynamics_functions!([compare_each] [$type subject m way x at]);
        }
    }};
}

#[test]
fn given_sines_and_cosines_are_all_that_is_asked_of_angles() {
    check!(robots::ur5_fixed, Ur5);
    check!(robots::panda_fixed, Panda);
    check!(robots::hyq_fixed, Hyq);
    #[cfg(feature = "all-robots")]
    check!(robots::hyq_floating, Hyq);
}

/// Every joint kind, mimic joints of any ratio among them.
#[test]
fn given_sines_and_cosines_on_random_trees() {
    check!(random::tree_0, Tree0);
    check!(random::tree_1, Tree1);
    check!(random::tree_2, Tree2);
    #[cfg(feature = "all-robots")]
    check!(random::tree_3, Tree3);
}

/// Written results, and lanes.
#[test]
fn given_sines_and_cosines_into_memory_and_in_lanes() {
    use generated_tests::robots::iiwa14_fixed::Iiwa14;
    use rbd::lanes::F64x4;
    let wave = |rate: f64| {
        SVector::from_fn(|i, _| F64x4::from([0.1, 0.2, 0.3, 0.4].map(|k| (k + rate * i as f64).sin())))
    };
    let (q, v, tau): (SVector<F64x4, 7>, _, _) = (wave(0.7), wave(1.3), wave(2.1));
    let at = &Posture::of(q);
    let mut d: rbd::AbaDerivatives<F64x4, 7> = rbd::AbaDerivatives::zeros();
    d.ddq_dq.fill(F64x4::splat(f64::NAN));
    Iiwa14::aba_derivatives_into(at, &v, &tau, &mut d);
    let expected = Iiwa14::aba_derivatives(&q, &v, &tau);
    for (got, expected) in d.ddq_dq.iter().zip(&expected.ddq_dq) {
        for (x, y) in got.to_array().into_iter().zip(expected.to_array()) {
            assert!((x - y).abs() <= 1e-10 * (1.0 + y.abs()), "{x} {y}");
        }
    }
}
