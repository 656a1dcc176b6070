//! The step under contacts: derivatives against dual numbers, for each set of active contacts.

use super::{DAMPING, Damped, Plain, Runge, Semi, close, state, tangent};
use nalgebra::{DMatrix, SVector};
use num_dual::Dual64;
use rbd::{ContactSettings, ContactStepDerivatives, ContactSteps, Scalar, Step};

const SETS: [[bool; 2]; 4] = [[true, true], [true, false], [false, true], [false, false]];

/// Contacts that are damped.
fn settings<T: Scalar>() -> ContactSettings<T, 2> {
    ContactSettings::default().baumgarte(T::zero(), T::from_f64(4.0), [None; 2])
}

/// Next state in the tangent space at the next state, above the forces.
fn derivative<R, const NQ: usize, const NV: usize, const NR: usize>(
    q: &SVector<f64, NQ>,
    [v, tau]: &[SVector<f64, NV>; 2],
    dt: f64,
    active: &[bool; 2],
) -> DMatrix<f64>
where
    R: ContactSteps<NQ, NV, 2, NR>,
{
    let next = R::contact_step(q, v, tau, dt, active, &settings());
    let next = Step { q: next.q, v: next.v };
    let columns: Vec<_> = (0..3 * NV)
        .map(|j| {
            let unit = |of: usize| {
                SVector::<Dual64, NV>::from_fn(|k, _| Dual64::new(0.0, f64::from(j == of * NV + k)))
            };
            let moved = R::integrate(&q.map(Dual64::from), &unit(0));
            let (v, tau) = (v.map(Dual64::from) + unit(1), tau.map(Dual64::from) + unit(2));
            let step = R::contact_step(&moved, &v, &tau, Dual64::from(dt), active, &settings());
            let forces = step.dynamics.forces.map(|x| x.eps);
            let state = tangent::<R, NQ, NV>(&next, &Step { q: step.q, v: step.v });
            nalgebra::DVector::from_iterator(2 * NV + NR, state.iter().chain(&forces).copied())
        })
        .collect();
    DMatrix::from_columns(&columns)
}

fn blocks<const NQ: usize, const NV: usize, const NR: usize>(
    d: &ContactStepDerivatives<f64, NQ, NV, NR>,
) -> DMatrix<f64> {
    let (of, forces) = (&d.step, &d.dynamics);
    let mut all = DMatrix::zeros(2 * NV + NR, 3 * NV);
    let rows = [[of.dq_dq, of.dq_dv, of.dq_dtau], [of.dv_dq, of.dv_dv, of.dv_dtau]];
    for (row, blocks) in rows.iter().enumerate() {
        for (column, block) in blocks.iter().enumerate() {
            all.view_mut((row * NV, column * NV), (NV, NV)).copy_from(block);
        }
    }
    for (column, block) in [forces.forces_dq, forces.forces_dv, forces.forces_dtau].iter().enumerate() {
        all.view_mut((2 * NV, column * NV), (NR, NV)).copy_from(block);
    }
    all
}

fn exact<R, const NQ: usize, const NV: usize, const NR: usize>()
where
    R: ContactSteps<NQ, NV, 2, NR>,
{
    for (active, (seed, dt)) in SETS.iter().zip([(0.0, 0.01), (1.0, 0.03), (2.0, -0.02), (3.0, 0.02)]) {
        let (q, rest) = state::<R, NQ, NV>(seed);
        let d = R::contact_step_derivatives(&q, &rest[0], &rest[1], dt, active, &settings());
        let expected = derivative::<R, NQ, NV, NR>(&q, &rest, dt, active);
        // Columns of q and of the forces differ by orders of magnitude: rows of each have their own measure.
        let found = blocks(&d);
        close(&found.rows(0, 2 * NV).into_owned(), &expected.rows(0, 2 * NV).into_owned());
        close(&found.rows(2 * NV, NR).into_owned(), &expected.rows(2 * NV, NR).into_owned());

        let value = R::contact_step(&q, &rest[0], &rest[1], dt, active, &settings());
        assert!((value.q - d.step.q).amax() < 1e-13);
        assert!((value.v - d.step.v).amax() < 1e-11 * value.v.amax().max(1.0));
        let begins = R::contact_dynamics(&q, &rest[0], &rest[1], active, &settings());
        assert_eq!(value.dynamics, begins);
        assert_eq!(d.dynamics, R::contact_dynamics_derivatives(&q, &rest[0], &rest[1], active, &settings()));
        if *active == [false; 2] {
            let free = R::step(&q, &rest[0], &rest[1], dt);
            assert!((value.q - free.q).amax() < 1e-12 && (value.v - free.v).amax() < 1e-11 * free.v.amax());
            assert_eq!(value.dynamics.forces.amax(), 0.0);
        }
    }
}

#[test]
fn derivatives_agree_with_dual_numbers() {
    exact::<Semi, { Semi::NQ }, { Semi::NV }, { Semi::CONTACT_ROWS }>();
    exact::<Plain, { Plain::NQ }, { Plain::NV }, { Plain::CONTACT_ROWS }>();
    exact::<Runge, { Runge::NQ }, { Runge::NV }, { Runge::CONTACT_ROWS }>();
}

/// With implicit damping, damping acts at the end of the step, and so do the forces in the result.
#[test]
fn contacts_hold_under_implicit_damping() {
    const NQ: usize = Damped::NQ;
    const NV: usize = Damped::NV;
    const NR: usize = Damped::CONTACT_ROWS;
    for (active, (seed, dt)) in SETS.iter().zip([(0.0, 0.01), (1.0, 0.3), (2.0, 0.05), (3.0, 0.02)]) {
        let (q, rest) = state::<Damped, NQ, NV>(seed);
        let [v, tau] = &rest;
        let next = Damped::contact_step(&q, v, tau, dt, active, &settings());
        // The equation of motion, by inverse dynamics.
        let ddq = (next.v - v) / dt;
        let damped = SVector::<f64, NV>::from_fn(|k, _| DAMPING[k] * (next.v - v)[k]);
        let forces = Damped::contact_jacobian(&q, active).tr_mul(&next.dynamics.forces);
        let applied = Damped::rnea(&q, v, &ddq) + damped;
        let error = (applied - tau - forces).amax() / applied.amax();
        assert!(error < 1e-11, "{error:.1e}");
        assert!((next.dynamics.ddq - ddq).amax() < 1e-10 * ddq.amax());
        assert!((next.q - Damped::integrate(&q, &(next.v * dt))).amax() < 1e-12);
        if *active == [false; 2] {
            let free = Damped::step(&q, v, tau, dt);
            assert!((next.q - free.q).amax() < 1e-12 && (next.v - free.v).amax() < 1e-11 * free.v.amax());
        }

        let d = Damped::contact_step_derivatives(&q, v, tau, dt, active, &settings());
        let (found, expected) = (blocks(&d), derivative::<Damped, NQ, NV, NR>(&q, &rest, dt, active));
        close(&found.rows(0, 2 * NV).into_owned(), &expected.rows(0, 2 * NV).into_owned());
        close(&found.rows(2 * NV, NR).into_owned(), &expected.rows(2 * NV, NR).into_owned());
        assert!((next.v - d.step.v).amax() < 1e-11 * next.v.amax().max(1.0));
        let of_velocity = [(d.step.dv_dq, d.dynamics.ddq_dq), (d.step.dv_dtau, d.dynamics.ddq_dtau)];
        for (of_velocity, of_ddq) in of_velocity {
            assert!((of_velocity - of_ddq * dt).amax() < 1e-11 * of_velocity.amax().max(1.0));
        }
    }
}

/// Feet that are held without any damping move away with the integrator's order, and no faster.
#[test]
fn held_contacts_stay() {
    const NV: usize = Runge::NV;
    let active = [true; 2];
    // A velocity that keeps both contacts.
    let (q, [v, tau]) = state::<Runge, { Runge::NQ }, NV>(0.4);
    let held = Runge::contact_impulse(&q, &v, &active, 0.0, &ContactSettings::default()).v_plus;
    let places = Runge::contact_placements(&q);
    let moved = |steps: usize| {
        let (mut at, mut v) = (q, held);
        for _ in 0..steps {
            let next = Runge::contact_step(
                &at,
                &v,
                &(tau * 0.2),
                0.05 / steps as f64,
                &active,
                &ContactSettings::default(),
            );
            (at, v) = (next.q, next.v);
        }
        let now = Runge::contact_placements(&at);
        let distance = |k: usize| (now[k].translation - places[k].translation).norm();
        distance(0).max(distance(1))
    };
    let (coarse, fine) = (moved(5), moved(10));
    assert!(coarse < 1e-5, "{coarse:e}");
    assert!(fine < 0.1 * coarse, "{coarse:e}, {fine:e}");
    // The state has moved meanwhile.
    assert!((v - held).amax() > 1e-3);
}
