//! Weighted Hessians of steps under contacts, by every integrator, against hyper-dual numbers.

use super::{by_hyper_duals, is_hessian, state};
use nalgebra::SVector;
use num_dual::HyperDual64;
use rbd::{ContactSettings, ContactStepHessians, Scalar, Step};

macro_rules! robot {
    ($name:ident $integrator:ident $damping:literal) => {
        rbd::rbd_robot! {
            pub struct $name {
                urdf: "robots/double_pendulum.urdf",
                base: floating,
                damping: $damping,
                functions: [rnea_hessian],
                step: $integrator,
                contacts: { "base_link": plane, "link2": point },
                allow: ["damping-ignored"],
            }
        }
    };
}

robot!(Semi semi_implicit false);
robot!(Plain explicit false);
robot!(Runge rk4 false);
robot!(Damped implicit_damping true);

fn settings<T: Scalar>() -> ContactSettings<T, 2> {
    ContactSettings::default().baumgarte(T::zero(), T::from_f64(4.0), [None; 2])
}

fn exact<R, const NQ: usize, const NV: usize, const NR: usize>()
where
    R: ContactStepHessians<NQ, NV, 2, NR>,
{
    let sets = [[true, false], [false, true], [false, false]];
    for (active, (seed, dt)) in sets.iter().zip([(0.0, 0.01), (1.0, 0.03), (2.0, -0.002)]) {
        let (q, [v, tau]) = state::<R, NQ, NV>(seed);
        // The robot weighs half a kilogram.
        let rest = [v, tau * 0.01];
        let (_, weights) = state::<R, NQ, NV>(seed + 0.5);
        let [v, tau] = &rest;
        let (of_q, of_v) = (&weights[0], &weights[1]);
        let got = R::contact_step_hessian(&q, v, tau, dt, active, &settings(), of_q, of_v);
        let wide = HyperDual64::from(dt);
        let step = |q: &SVector<_, NQ>, [v, tau]: [&SVector<_, NV>; 2]| {
            let next = R::contact_step(q, v, tau, wide, active, &settings());
            Step { q: next.q, v: next.v }
        };
        // Contact dynamics multiply rounding by the condition of the mass matrix, whose inertias begin at
        // 2e-5.
        is_hessian(&got, by_hyper_duals::<R, NQ, NV>(&q, &rest, &weights, step), 1e-10);
        let d = R::contact_step_derivatives(&q, v, tau, dt, active, &settings()).step;
        let by_q = d.dq_dq.tr_mul(of_q) + d.dv_dq.tr_mul(of_v);
        assert!((got.dq - by_q).amax() < 1e-11 * by_q.amax());
        if *active == [false; 2] {
            let free = R::step_hessian(&q, v, tau, dt, of_q, of_v);
            assert!((got.dqdq - free.dqdq).amax() < 1e-10 * free.dqdq.amax());
        } else {
            assert!(got.dqdtau.amax() > 0.0);
        }
    }
}

#[test]
fn hessians_under_contacts_agree_with_hyper_dual_numbers() {
    exact::<Semi, { Semi::NQ }, { Semi::NV }, { Semi::CONTACT_ROWS }>();
    exact::<Plain, { Plain::NQ }, { Plain::NV }, { Plain::CONTACT_ROWS }>();
    exact::<Runge, { Runge::NQ }, { Runge::NV }, { Runge::CONTACT_ROWS }>();
    exact::<Damped, { Damped::NQ }, { Damped::NV }, { Damped::CONTACT_ROWS }>();
}
