//! Steps with inertia and gravity at run time: against their formulas and dual numbers.

use nalgebra::{Matrix2, SVector, Vector3};
use num_dual::Dual64;
use rbd::spatial::Inertia;
use rbd::{Scalar, StepsWithParameters};

rbd::rbd_robot! {
    pub struct Semi {
        urdf: "robots/double_pendulum.urdf",
        damping: true,
        functions: [parameter_derivatives],
        inertia: { runtime: ["link1"], loads: ["link2"] },
        gravity: runtime,
        step: semi_implicit,
    }
}
rbd::rbd_robot! {
    pub struct Damped {
        urdf: "robots/double_pendulum.urdf",
        damping: true,
        functions: [crba, bias],
        inertia: { runtime: ["link1"], loads: ["link2"] },
        gravity: runtime,
        step: implicit_damping,
    }
}

type Vector<T = f64> = SVector<T, 2>;

const DT: f64 = 0.02;

fn state() -> [Vector; 3] {
    [[0.4, -1.1], [0.7, 0.3], [-2.0, 1.5]].map(Vector::from)
}

fn semi() -> SemiParameters<f64> {
    let of_link = Inertia::from_com(2.0, &Vector3::new(0.1, 0.0, 0.2), &nalgebra::Matrix3::identity());
    let mut given = SemiParameters::default().with(SemiInertia::Link1, of_link);
    given[SemiInertia::Link2] = Inertia::point(1.5, [0.1, 0.2, -0.3]).parameters();
    given.gravity = [1.0, -2.0, -8.0];
    given
}

fn damped() -> DampedParameters<f64> {
    let SemiParameters { inertia, gravity } = semi();
    DampedParameters { inertia, gravity }
}

#[test]
fn steps_take_inertia_and_gravity_at_run_time() {
    let [q, v, tau] = state();
    // By default those of the URDF.
    let by_default = Semi::step_with(&SemiParameters::default(), &q, &v, &tau, DT);
    assert_eq!(by_default, Semi::step(&q, &v, &tau, DT));
    let next = Semi::step_with(&semi(), &q, &v, &tau, DT);
    let expected = v + Semi::aba_with(&semi(), &q, &v, &tau) * DT;
    assert!((next.v - expected).amax() < 1e-14 && (next.q - q - expected * DT).amax() < 1e-14);
    assert!((next.v - by_default.v).amax() > 1e-3);

    let next = Damped::step_with(&damped(), &q, &v, &tau, DT);
    let m = Damped::crba_with(&damped(), &q) + Matrix2::from_diagonal_element(0.05 * DT);
    let force = tau - Damped::bias_with(&damped(), &q, &v);
    let expected = v + m.try_inverse().unwrap() * force * DT;
    assert!((next.v - expected).amax() < 1e-13 && (next.q - q - expected * DT).amax() < 1e-14);
}

/// A and B, and the Hessian as the derivative of its gradient, along each coordinate of q, v and tau.
fn derivatives_are_exact<R: StepsWithParameters<2, 2>>(
    given: &R::Parameters<f64>,
    wide: &R::Parameters<Dual64>,
) {
    let [q, v, tau] = state();
    let weights = [Vector::from([0.7, -0.4]), Vector::from([1.2, 0.3])];
    let d = R::step_derivatives_with(given, &q, &v, &tau, DT);
    let h = R::step_hessian_with(given, &q, &v, &tau, DT, &weights[0], &weights[1]);
    let dual = |x: Vector, of: usize, j: usize| {
        Vector::from_fn(|k, _| Dual64::new(x[k], f64::from(2 * of + k == j)))
    };
    let close = |found: Vector<Dual64>, expected: Vector| {
        let found = found.map(|x| x.eps);
        assert!((found - expected).amax() < 1e-12 * expected.amax().max(1.0), "{found} is not {expected}");
    };
    for j in 0..6 {
        let (q, v, tau, dt) = (dual(q, 0, j), dual(v, 1, j), dual(tau, 2, j), Dual64::from(DT));
        let next = R::step_with(wide, &q, &v, &tau, dt);
        let blocks = [(d.dq_dq, d.dv_dq), (d.dq_dv, d.dv_dv), (d.dq_dtau, d.dv_dtau)];
        let (of_q, of_v) = blocks[j / 2];
        close(next.q, of_q.column(j % 2).into());
        close(next.v, of_v.column(j % 2).into());
        let weights = weights.map(|x| x.map(Dual64::from));
        let moved = R::step_hessian_with(wide, &q, &v, &tau, dt, &weights[0], &weights[1]);
        let columns = [
            [h.dqdq, h.dqdv.transpose(), h.dqdtau.transpose()],
            [h.dqdv, h.dvdv, h.dvdtau.transpose()],
            [h.dqdtau, h.dvdtau, h.dtaudtau],
        ];
        for (found, block) in [moved.dq, moved.dv, moved.dtau].into_iter().zip(columns[j / 2]) {
            close(found, block.column(j % 2).into());
        }
    }
}

#[test]
fn derivatives_agree_with_dual_numbers() {
    derivatives_are_exact::<Semi>(&semi(), &semi().map(Dual64::from));
    derivatives_are_exact::<Damped>(&damped(), &damped().map(Dual64::from));
}

/// By parameters that are dual numbers, against the derivatives of accelerations.
#[test]
fn parameters_can_be_dual_numbers() {
    let [q, v, tau] = state();
    let d = Semi::aba_parameter_derivatives_with(&semi(), &q, &v, &tau);
    let along = |change: &dyn Fn(&mut SemiParameters<Dual64>)| {
        let mut moved = semi().map(Dual64::from);
        change(&mut moved);
        let [q, v, tau] = state().map(|x| x.map(Dual64::from));
        let next = Semi::step_with(&moved, &q, &v, &tau, Dual64::from_f64(DT));
        assert!((next.q.map(|x| x.eps) - next.v.map(|x| x.eps) * DT).amax() < 1e-15);
        next.v.map(|x| x.eps)
    };
    for (inertia, by) in SemiInertia::ALL.into_iter().zip(&d.ddq_dinertia) {
        for k in 0..10 {
            let found = along(&|moved| moved[inertia][k].eps = 1.0);
            let expected = by.column(k) * DT;
            assert!(
                (found - expected).amax() < 1e-13 * expected.amax().max(1.0),
                "{found} is not {expected}"
            );
        }
    }
    for k in 0..3 {
        let found = along(&|moved| moved.gravity[k].eps = 1.0);
        assert!((found - d.ddq_dgravity.column(k) * DT).amax() < 1e-14);
    }
}
