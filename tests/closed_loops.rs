//! Closed loops of generated robots: a four-bar linkage, with a closed-form equation of motion, and legs with
//! rods on their soles, beside the reference. The algorithms are tested on random trees
//! (`rbd-runtime/tests/contacts/closed_loops.rs`).

use crate::contacts_of_any;
use nalgebra::{DMatrix, SMatrix, SVector, Vector3};
use num_dual::Dual64;
use rbd::reference::{self, Contact, Data, Holding, constrained_dynamics};
use rbd::{ContactKind, ContactSettings, Model, Scalar};

rbd::rbd_robot! {
    pub struct FourBar {
        urdf: "rbd-build/tests/good/four_bar.urdf",
        functions: [aba, rnea_hessian],
        closed_loops: { "bar": { frames: ["rod_end", "rocker_end"], rows: 3 } },
    }
}

rbd::rbd_robot! {
    pub struct Sliding {
        urdf: "rbd-build/tests/good/four_bar.urdf",
        functions: [
            rnea, aba, aba_derivatives, rnea_hessian, rnea_hessian_fext, aba_hessian, rnea_second_derivatives,
            aba_second_derivatives,
        ],
        friction: { smoothing: 0.2 },
        shape: { rnea_hessian: loops, rnea_hessian_fext: straight },
    }
}

rbd::rbd_robot! {
    pub struct ClosedLegs {
        urdf: "benches/peers/closed_legs.urdf",
        base: floating,
        functions: [aba],
        // Fewer joints compile sooner.
        lock: {
            "left_hip_yaw": 0.2, "right_hip_yaw": -0.1, "left_spring": 0, "right_spring": 0, "left_toe_pitch": 0,
            "right_toe_pitch": 0, "left_toe_roll": 0, "right_toe_roll": 0, "left_rod_z": 0, "right_rod_z": 0,
        },
        contacts: { "left_sole": plane, "right_sole": point },
        closed_loops: {
            "left_rod": { frames: ["left_heel", "left_rod_end"], rows: 3 },
            "right_rod": { frames: ["right_heel", "right_rod_end"], rows: 3 },
        },
    }
}

const GRAVITY: f64 = 9.81;
const LENGTH: f64 = 0.3;
/// Inertias about the pivots; the rod does not turn, and moves as a point of the crank's end.
const INERTIA: f64 = 0.009 + 0.8 * 0.12 * 0.12 + 0.007 + 0.6 * 0.17 * 0.17 + 0.5 * LENGTH * LENGTH;
/// First moment of the mass along the crank.
const MOMENT: f64 = 0.8 * 0.12 + 0.6 * 0.17 + 0.5 * LENGTH;

/// Rates of all joints with the angle of the crank.
const WITH_CRANK: Vector3<f64> = Vector3::new(1.0, -1.0, 1.0);
const CLOSED: [bool; 1] = FourBarContact::active(&[FourBarContact::Bar]);

fn exact() -> ContactSettings<f64, { FourBar::NC }> {
    ContactSettings::default()
}

#[test]
fn a_closed_loop_is_a_contact() {
    assert_eq!(FourBarContact::ALL, [FourBarContact::Bar]);
    assert_eq!((FourBar::NC, FourBar::CONTACT_ROWS), (1, 3));
    let bar = FourBarContact::Bar;
    assert_eq!((bar.name(), bar.kind(), bar.rows()), ("bar", ContactKind::Point, 0..3));
    assert_eq!((bar.frame(), bar.second()), (FourBarFrame::RodEnd, Some(FourBarFrame::RockerEnd)));
}

#[test]
fn a_closed_loop_holds_by_the_trait() {
    let (q, v) = (WITH_CRANK * 0.7, WITH_CRANK * 1.5);
    contacts_of_any::hold::<FourBar, _, _, _, _>(&q, &v, &Vector3::new(0.7, 0.2, -0.4), &CLOSED);
}

#[test]
fn hessians_of_a_closed_loop_are_exact() {
    let (q, v, tau) = (WITH_CRANK * 0.7, WITH_CRANK * 1.5, Vector3::new(0.7, 0.2, -0.4));
    let open = Vector3::new(0.2, -0.3, 0.9);
    for q in [q, q + open * 0.3] {
        for v in [v, v + open] {
            // Compliant: rows across the plane of the linkage vanish.
            let settings = exact().proximal(0.02, 1).baumgarte(9.0, 5.0, [None]);
            let [mu, kp, kd] = [0.02, 9.0, 5.0].map(Dual64::from);
            let of_dual = ContactSettings::default().proximal(mu, 1).baumgarte(kp, kd, [None]);
            let at = [q.as_slice(), v.as_slice(), tau.as_slice()];
            contacts_of_any::have_hessians::<FourBar, _, _, _, _>(at, &CLOSED, (&settings, &of_dual));
        }
    }
}

/// `I ddq = tau + g h cos(q)`, with q downward from the horizontal.
#[test]
fn a_parallelogram_moves_as_its_equation_says() {
    for (angle, speed) in [(0.4, 0.0), (1.3, 2.0), (-2.0, -3.5), (std::f64::consts::FRAC_PI_2, 5.0)] {
        let (q, v) = (WITH_CRANK * angle, WITH_CRANK * speed);
        let tau = Vector3::new(0.7, 0.2, -0.4);
        let along = tau.dot(&WITH_CRANK);
        let got = FourBar::contact_dynamics_derivatives(&q, &v, &tau, &CLOSED, &exact());
        let expected = (along + GRAVITY * MOMENT * angle.cos()) / INERTIA;
        assert!((got.ddq - WITH_CRANK * expected).amax() < 1e-10 * expected.abs().max(1.0), "{}", got.ddq);
        assert!(got.residual.amax() < 1e-10, "{}", got.residual);
        // Across the plane no force acts.
        assert_eq!(got.forces.y, 0.0);
        let by_angle = got.ddq_dq * WITH_CRANK;
        let expected = -GRAVITY * MOMENT * angle.sin() / INERTIA;
        assert!((by_angle - WITH_CRANK * expected).amax() < 1e-9 * expected.abs().max(1.0), "{by_angle}");
        assert!((got.ddq_dv * WITH_CRANK).amax() < 1e-9, "{}", got.ddq_dv);
        assert!((got.ddq_dtau * WITH_CRANK - WITH_CRANK * (3.0 / INERTIA)).amax() < 1e-9);
        // Open, it is a tree.
        let open = FourBar::contact_dynamics(&q, &v, &tau, &[false], &exact());
        assert!((open.ddq - FourBar::aba(&q, &v, &tau)).amax() < 1e-9);
    }
}

/// Swings for two seconds: the energy stays constant, and Baumgarte's terms keep the loop closed.
#[test]
fn a_four_bar_swings() {
    let settings = exact().baumgarte(1e4, 200.0, [None]);
    let accelerations = |q: &SVector<f64, 3>, v: &SVector<f64, 3>| {
        FourBar::contact_dynamics(q, v, &Vector3::zeros(), &CLOSED, &settings).ddq
    };
    let energy = |angle: f64, speed: f64| INERTIA * speed * speed / 2.0 - GRAVITY * MOMENT * angle.sin();
    let (mut q, mut v, h) = (WITH_CRANK * 0.3, Vector3::zeros(), 1e-3);
    for _ in 0..2000 {
        // Runge and Kutta's method of second order.
        let (a, half) = (accelerations(&q, &v), h / 2.0);
        let (between, faster) = (q + v * half, v + a * half);
        let a = accelerations(&between, &faster);
        (q, v) = (q + faster * h, v + a * h);
    }
    let lost = energy(0.3, 0.0) - energy(q[0], v[0]);
    assert!(lost.abs() < 1e-4 * GRAVITY * MOMENT, "{lost}");
    let apart = FourBar::contact_errors(&q, &CLOSED, &settings);
    assert!(apart.norm() < 1e-6, "{apart}");
}

/// The reference's contacts of the legs, those that are active, and their rows.
fn on_legs<T: Scalar>(model: &Model<T>, active: &[bool; ClosedLegs::NC]) -> (Vec<Contact<T>>, Vec<usize>) {
    let frame = |of: ClosedLegsFrame| model.frames.iter().position(|f| f.name == of.name()).expect("a frame");
    let active = ClosedLegsContact::ALL.into_iter().zip(active).filter(|(_, active)| **active);
    let contact = |of: ClosedLegsContact| Contact {
        frame: frame(of.frame()),
        kind: of.kind(),
        anchor: None,
        second: of.second().map(frame),
    };
    let of = active.map(|(of, _)| (contact(of), of.rows()));
    let (contacts, rows): (Vec<_>, Vec<_>) = of.unzip();
    (contacts, rows.into_iter().flatten().collect())
}

/// Two loops and two soles, some or all: accelerations, forces, and their derivatives along a direction.
#[test]
fn loops_and_soles_agree_with_one_dense_system() {
    const NV: usize = ClosedLegs::NV;
    let numbers = |first: f64| SVector::<f64, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin());
    let q = ClosedLegs::integrate(&ClosedLegs::neutral(), &(numbers(0.3) * 0.4));
    let (v, tau, e, none) = (numbers(1.1), numbers(2.4) * 20.0, numbers(0.8), SVector::<f64, NV>::zeros());
    let (model, d) = (ClosedLegs::model::<f64>(), ClosedLegs::model::<Dual64>());
    let close = |what: &str, got: &[f64], expected: &[f64], tolerance: f64| {
        assert_eq!(got.len(), expected.len());
        let largest = expected.iter().fold(1.0, |x: f64, y| x.max(y.abs()));
        let error = got.iter().zip(expected).fold(0.0, |x: f64, (a, b)| x.max((a - b).abs()));
        assert!(error <= tolerance * largest, "{what}: {error:.1e} of {largest:.1e}");
    };
    for active in [[true; 4], [false, false, true, true], [true, false, false, true]] {
        // By kernels of all rows; and compliant, frame by frame.
        for (mu, kp, kd) in [(0.0, 0.0, 0.0), (0.0, 0.0, 5.0), (0.02, 9.0, 5.0)] {
            let settings = ContactSettings::default().proximal(mu, 1).baumgarte(kp, kd, [None; 4]);
            let got = ClosedLegs::contact_dynamics_derivatives(&q, &v, &tau, &active, &settings);
            let plain = ClosedLegs::contact_dynamics(&q, &v, &tau, &active, &settings);
            assert_eq!((got.ddq, got.forces), (plain.ddq, plain.forces));
            let (contacts, rows) = on_legs(&model, &active);
            let given = (q.as_slice(), v.as_slice(), tau.as_slice());
            let expected = constrained_dynamics(
                &model,
                &mut Data::new(&model),
                given,
                &contacts,
                Holding { mu, kp, kd },
            );
            let some = |x: &[f64]| -> Vec<f64> { rows.iter().map(|row| x[*row]).collect() };
            close("ddq", got.ddq.as_slice(), expected.ddq.as_slice(), 1e-10);
            close("forces", &some(got.forces.as_slice()), expected.forces.as_slice(), 1e-10);
            let of =
                [(got.ddq_dq, got.forces_dq), (got.ddq_dv, got.forces_dv), (got.ddq_dtau, got.forces_dtau)];
            for (by, (ddq, forces)) in of.into_iter().enumerate() {
                let dual =
                    |x: &SVector<f64, NV>, k: usize| x.zip_map(if k == by { &e } else { &none }, Dual64::new);
                let q = d.integrate(q.map(Dual64::from).as_slice(), dual(&none, 0).as_slice());
                let (v, tau) = (dual(&v, 1), dual(&tau, 2));
                let [mu, kp, kd] = [mu, kp, kd].map(Dual64::from);
                let given = (q.as_slice(), v.as_slice(), tau.as_slice());
                let (contacts, _) = on_legs(&d, &active);
                let moved =
                    constrained_dynamics(&d, &mut Data::new(&d), given, &contacts, Holding { mu, kp, kd });
                close("ddq", (ddq * e).as_slice(), moved.ddq.map(|x| x.eps).as_slice(), 1e-9);
                let exact = moved.forces.map(|x| x.eps);
                close("forces", &some((forces * e).as_slice()), exact.as_slice(), 1e-9);
            }
        }
    }
}

/// Joint friction as it is compiled, against the reference.
#[test]
fn a_pivot_slides() {
    let (q, model) = (Vector3::new(0.4, -0.3, 0.9), Sliding::model::<f64>());
    assert_eq!(model.friction_smoothing, Some(0.2));
    let tau = Vector3::new(0.7, 0.2, -0.4);
    for v in [Vector3::zeros(), Vector3::new(0.5, -0.2, 0.1), Vector3::new(1.0, 2.0, -30.0)] {
        let bare = FourBar::model::<f64>().rnea(q.as_slice(), v.as_slice(), tau.as_slice());
        let torques = Sliding::rnea(&q, &v, &tau);
        let friction = 0.3 * v.z / (v.z * v.z + 0.04).sqrt();
        let expected = Vector3::from_column_slice(bare.as_slice()) + Vector3::z() * friction;
        assert!((torques - expected).amax() < 1e-12, "{torques}");
        let got = Sliding::aba_derivatives(&q, &v, &tau);
        let expected = model.aba_derivatives(q.as_slice(), v.as_slice(), tau.as_slice(), None);
        for (got, expected) in [(got.ddq_dq, &expected.ddq_dq), (got.ddq_dv, &expected.ddq_dv)] {
            assert!((got - expected).amax() < 1e-10 * expected.amax().max(1.0), "{got}{expected}");
        }
        assert!((Sliding::aba(&q, &v, &torques) - tau).amax() < 1e-10);
    }
}

/// Second derivatives with friction: added to those of loops over tables, and in straight lines.
#[test]
fn a_pivot_slides_to_second_order() {
    let (q, v, a) =
        (Vector3::new(0.4, -0.3, 0.9), Vector3::new(0.5, -0.2, 0.1), Vector3::new(0.7, 0.2, -0.4));
    let (model, mu) = (Sliding::model::<f64>(), Vector3::new(0.3, -1.2, 2.0));
    let (qs, vs, xs) = (q.as_slice(), v.as_slice(), a.as_slice());
    let close = |got: &[SMatrix<f64, 3, 3>; 3], expected: &[DMatrix<f64>]| {
        for (got, expected) in got.iter().zip(expected) {
            assert!((got - expected).amax() < 1e-9, "{got}{expected}");
        }
    };
    let expected = reference::rnea_second_derivatives(&model, &mut Data::new(&model), qs, vs, xs, None);
    assert!(expected.d2tau_dvdv[2][(2, 2)].abs() > 1.0);
    let got = Sliding::rnea_second_derivatives(&q, &v, &a);
    close(&got.d2tau_dqdq, &expected.d2tau_dqdq);
    close(&got.d2tau_dqdv, &expected.d2tau_dqdv);
    close(&got.d2tau_dvdv, &expected.d2tau_dvdv);
    let torques = model.rnea(qs, vs, xs);
    for hessian in [
        Sliding::rnea_hessian(&q, &v, &a, &mu),
        Sliding::rnea_hessian_fext(&q, &v, &a, &[SVector::zeros(); 3], &mu),
    ] {
        assert!((hessian.value - (mu.x * torques[0] + mu.y * torques[1] + mu.z * torques[2])).abs() < 1e-12);
        for (k, page) in expected.d2tau_dvdv.iter().enumerate() {
            let row = page.tr_mul(&DMatrix::from_column_slice(3, 1, mu.as_slice()));
            (0..3).for_each(|j| assert!((hessian.dvdv[(j, k)] - row[j]).abs() < 1e-9));
        }
    }
    let expected = reference::aba_second_derivatives(&model, &mut Data::new(&model), qs, vs, xs, None);
    let got = Sliding::aba_second_derivatives(&q, &v, &a);
    close(&got.d2ddq_dqdq, &expected.d2ddq_dqdq);
    close(&got.d2ddq_dqdv, &expected.d2ddq_dqdv);
    let scale = expected.d2ddq_dvdv.iter().map(|page| page.amax()).fold(1.0, f64::max);
    for (k, expected) in expected.d2ddq_dvdv.iter().enumerate() {
        assert!((got.d2ddq_dvdv[k] - expected).amax() < 1e-12 * scale, "{expected}");
        let hessian = Sliding::aba_hessian(&q, &v, &a, &mu);
        let row = expected.tr_mul(&DMatrix::from_column_slice(3, 1, mu.as_slice()));
        (0..3).for_each(|j| assert!((hessian.dvdv[(j, k)] - row[j]).abs() < 1e-11 * scale));
    }
}
