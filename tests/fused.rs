//! Fused functions, compiled: the generated code around the kernel.
//!
//! Kernels are compared with the reference on random trees (`rbd-build/tests/kernels/fused.rs`).

use nalgebra::{SMatrix, SVector};
use num_dual::Dual64;
use rbd::lanes::F64x4;
use rbd::{Posture, ReferenceFrame, Scalar};

// By the name that generated code has for a type parameter.
rbd::rbd_robot! {
    pub struct S {
        urdf: "robots/double_pendulum.urdf",
        base: floating,
        functions: [aba_derivatives, aba_derivatives_fext, rnea_fext, frame_placement, frame_jacobian, forward_kinematics, kinetic_energy],
        frames: { "hand": { link: "link2", xyz: [0.1, -0.2, 0.4], rpy: [0.3, 0.2, -0.5] } },
        fused: {
            Step: [ddq, ddq_dq, placement("hand"), jacobian: jacobian("hand", local_world_aligned), kinetic_energy],
            UnderForces: [fext, tau, accelerations: ddq, placements],
        },
    }
}

use {S as Acrobat, SFrame as AcrobatFrame};

const NQ: usize = Acrobat::NQ;
const NV: usize = Acrobat::NV;

fn state<T: Scalar>() -> (SVector<T, NQ>, [SVector<T, NV>; 3]) {
    let numbers = |first: f64| SVector::<f64, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin());
    let q = Acrobat::integrate(&Acrobat::neutral(), &numbers(0.3));
    (q.map(T::from_f64), [1.1, 2.4, 0.7].map(|first| numbers(first).map(T::from_f64)))
}

#[track_caller]
fn close<const R: usize, const C: usize>(
    found: SMatrix<f64, R, C>,
    expected: SMatrix<f64, R, C>,
    within: f64,
) {
    let error = (found - expected).amax() / expected.amax().max(1.0);
    assert!(error <= within, "{error:.1e}: {found}{expected}");
}

/// Each field equals the single function's result.
#[test]
fn fields_are_what_functions_give() {
    let (q, [v, tau, _]) = state::<f64>();
    let step = Acrobat::step(&q, &v, &tau);
    let alone = Acrobat::aba_derivatives(&q, &v, &tau);
    close(step.ddq, alone.ddq, 1e-12);
    close(step.ddq_dq, alone.ddq_dq, 1e-12);
    let (frame, reference) = (AcrobatFrame::Hand, ReferenceFrame::LocalWorldAligned);
    close(step.jacobian, Acrobat::frame_jacobian(&q, frame, reference), 1e-14);
    let hand = Acrobat::frame_placement(&q, frame);
    close(step.placement_hand.rotation, hand.rotation, 1e-14);
    close(step.placement_hand.translation, hand.translation, 1e-14);
    assert!((step.kinetic_energy - Acrobat::kinetic_energy(&q, &v)).abs() < 1e-13 * step.kinetic_energy);

    // Whatever was in it before, and sines and cosines that the caller has.
    let mut out = Step::zeros();
    assert_eq!((out, out.ddq.amax()), (Step::default(), 0.0));
    out.ddq_dq.fill(f64::NAN);
    out.kinetic_energy = f64::NAN;
    Acrobat::step_into(&q, &v, &tau, &mut out);
    assert_eq!(out, step);
    assert_eq!(Acrobat::step(&Posture::of(q), &v, &tau), step);
}

/// Arguments in the usual order; `a` and `tau` are two of them.
#[test]
fn external_forces_and_both_directions() {
    let (q, [v, tau, a]) = state::<f64>();
    let fext = core::array::from_fn(|i| SVector::from_fn(|k, _| (0.4 + i as f64 + 0.9 * k as f64).cos()));
    let both = Acrobat::under_forces(&q, &v, &a, &tau, &fext);
    close(both.tau, Acrobat::rnea_fext(&q, &v, &a, &fext), 1e-13);
    close(both.accelerations, Acrobat::aba_derivatives_fext(&q, &v, &tau, &fext).ddq, 1e-12);
    for (found, expected) in both.placements.iter().zip(Acrobat::forward_kinematics(&q)) {
        close(found.translation, expected.translation, 1e-14);
        close(found.rotation, expected.rotation, 1e-14);
    }
}

#[test]
fn every_scalar() {
    let (q, [v, tau, _]) = state::<f64>();
    let expected = Acrobat::step(&q, &v, &tau);

    let (q32, [v32, tau32, _]) = state::<f32>();
    let single = Acrobat::step(&q32, &v32, &tau32);
    close(single.ddq.map(f64::from), expected.ddq, 1e-4);
    close(single.jacobian.map(f64::from), expected.jacobian, 1e-5);

    // Four states in lanes, all equal.
    let (q4, [v4, tau4, _]) = state::<F64x4>();
    let lanes = Acrobat::step(&q4, &v4, &tau4);
    for lane in 0..4 {
        close(lanes.ddq.map(|x| x.to_array()[lane]), expected.ddq, 1e-12);
    }

    // A dual number's derivative by the torque of a joint is a column of M^-1.
    let (qd, [vd, mut taud, _]) = state::<Dual64>();
    taud[7].eps = 1.0;
    let dual = Acrobat::step(&qd, &vd, &taud);
    let column = Acrobat::aba_derivatives(&q, &v, &tau).ddq_dtau.column(7).into_owned();
    close(dual.ddq.map(|x| x.re), expected.ddq, 1e-12);
    close(dual.ddq.map(|x| x.eps), column, 1e-12);
}

/// Many states by `batch`, a last group that is not full among them.
#[test]
fn batches() {
    let states: Vec<_> = (0..7)
        .map(|k| {
            let (q, x) = state::<f64>();
            (q, x.map(|x| x * (1.0 + k as f64)))
        })
        .collect();
    let q: Vec<_> = states.iter().map(|s| s.0).collect();
    let [v, tau] = [0, 1].map(|k| states.iter().map(|s| s.1[k]).collect::<Vec<_>>());
    let mut out = vec![Step::zeros(); 7];
    rbd::batch::map((&q[..], &v[..], &tau[..]), &mut out, |(q, v, tau), out| {
        Acrobat::step_into(q, v, tau, out)
    });
    for (k, found) in out.iter().enumerate() {
        let expected = Acrobat::step(&q[k], &v[k], &tau[k]);
        close(found.ddq_dq, expected.ddq_dq, 1e-12);
        close(found.placement_hand.translation, expected.placement_hand.translation, 1e-14);
    }
}

/// The user's own names do not interfere, inside a function either; the robot and its result are
/// named like type parameters.
#[test]
fn a_robot_inside_of_a_function() {
    #[allow(dead_code)]
    struct SVector;
    rbd::rbd_robot! {
        pub struct N { urdf: "robots/double_pendulum.urdf", functions: [], fused: { I: [com, M] } }
    }
    let few = N::i(&N::neutral::<f64>());
    assert!(few.m[(0, 0)] > 0.0 && few.com.norm() > 0.0);
}
