//! Steps under contacts and rollouts with inertia and gravity at run time, and of controls of some joints:
//! against forms without them, dual numbers, and adjoints against sensitivities.

use super::{close, state, tangent};
use nalgebra::{DMatrix, SVector};
use num_dual::Dual64;
use rbd::{
    ActuatedContactStepsWithParameters, ActuatedSteps, ActuatedStepsWithParameters, ContactSettings,
    ContactStepsWithParameters, Scalar, Step, StepsWithParameters,
};

rbd::rbd_robot! {
    pub struct Held {
        urdf: "tests/step/damped.urdf",
        damping: true,
        functions: [aba, parameter_derivatives],
        step: implicit_damping,
        contacts: { "finger": plane, "kite": point },
        actuated: ["elbow", "shoulder", "rail"],
        inertia: { runtime: ["arm"], loads: ["finger"] },
        gravity: runtime,
    }
}
rbd::rbd_robot! {
    pub struct Acrobat {
        urdf: "robots/double_pendulum.urdf",
        base: floating,
        functions: [aba],
        step: rk4,
        contacts: ["base_link", "link2"],
        actuated: ["joint2"],
        gravity: runtime,
    }
}

const SETS: [[bool; 2]; 3] = [[true, true], [false, true], [false, false]];
const DT: f64 = 0.02;
const STEPS: usize = 5;

/// By how much the torques on a light robot are less.
const LIGHT: f64 = 0.01;

fn settings<T: Scalar>() -> ContactSettings<T, 2> {
    ContactSettings::default().baumgarte(T::zero(), T::from_f64(4.0), [None; 2])
}

/// Others than the URDF's.
fn held() -> HeldParameters<f64> {
    let mut given = HeldParameters::default();
    let arm = given[HeldInertia::Arm].map(|x| 1.4 * x);
    given[HeldInertia::Arm] = arm;
    given[HeldInertia::Finger] = rbd::spatial::Inertia::point(0.3, [0.02, -0.01, 0.05]).parameters();
    given.gravity = [0.5, 1.0, -8.0];
    given
}

fn acrobat() -> AcrobatParameters<f64> {
    AcrobatParameters { gravity: [0.5, 1.0, -8.0] }
}

/// A and B under contacts with parameters, by dual numbers.
fn under_contacts<R, const NQ: usize, const NV: usize, const NR: usize>(
    given: &R::Parameters<f64>,
    wide: &R::Parameters<Dual64>,
    default: &R::Parameters<f64>,
    strength: f64,
) where
    R: ContactStepsWithParameters<NQ, NV, 2, NR> + StepsWithParameters<NQ, NV>,
{
    for (active, seed) in SETS.iter().zip([0.0, 1.0, 2.0]) {
        let (q, [v, tau]) = state::<R, NQ, NV>(seed);
        let tau = tau * strength;
        let own = R::contact_step(&q, &v, &tau, DT, active, &settings());
        assert_eq!(own, R::contact_step_with(default, &q, &v, &tau, DT, active, &settings()));
        let by_default = R::contact_step_derivatives(&q, &v, &tau, DT, active, &settings());
        let again = R::contact_step_derivatives_with(default, &q, &v, &tau, DT, active, &settings());
        assert_eq!(by_default, again);

        let next = R::contact_step_with(given, &q, &v, &tau, DT, active, &settings());
        assert!((next.v - own.v).amax() > 1e-3);
        if *active == [false; 2] {
            let free = R::step_with(given, &q, &v, &tau, DT);
            let [of_q, of_v] =
                [(next.q - free.q).amax() / free.q.amax(), (next.v - free.v).amax() / free.v.amax()];
            assert!(of_q < 1e-12 && of_v < 1e-11, "{of_q:.1e} {of_v:.1e}");
        }
        let d = R::contact_step_derivatives_with(given, &q, &v, &tau, DT, active, &settings());
        let at = Step { q: next.q, v: next.v };
        let columns: Vec<_> = (0..3 * NV)
            .map(|j| {
                let unit = |of: usize| {
                    SVector::<Dual64, NV>::from_fn(|k, _| Dual64::new(0.0, f64::from(j == of * NV + k)))
                };
                let q = R::integrate(&q.map(Dual64::from), &unit(0));
                let (v, tau) = (v.map(Dual64::from) + unit(1), tau.map(Dual64::from) + unit(2));
                let dt = Dual64::from(DT);
                let step = R::contact_step_with(wide, &q, &v, &tau, dt, active, &settings());
                tangent::<R, NQ, NV>(&at, &Step { q: step.q, v: step.v })
            })
            .collect();
        let mut found = DMatrix::zeros(2 * NV, 3 * NV);
        let blocks =
            [[d.step.dq_dq, d.step.dq_dv, d.step.dq_dtau], [d.step.dv_dq, d.step.dv_dv, d.step.dv_dtau]];
        for (row, blocks) in blocks.iter().enumerate() {
            for (column, block) in blocks.iter().enumerate() {
                found.view_mut((row * NV, column * NV), (NV, NV)).copy_from(block);
            }
        }
        close(&found, &DMatrix::from_columns(&columns));
    }
}

#[test]
fn contacts_hold_with_parameters() {
    under_contacts::<Held, { Held::NQ }, { Held::NV }, { Held::CONTACT_ROWS }>(
        &held(),
        &held().map(Dual64::from),
        &HeldParameters::default(),
        1.0,
    );
    under_contacts::<Acrobat, { Acrobat::NQ }, { Acrobat::NV }, { Acrobat::CONTACT_ROWS }>(
        &acrobat(),
        &acrobat().map(Dual64::from),
        &AcrobatParameters::default(),
        LIGHT,
    );
}

/// Numbers without a pattern.
fn numbers<const N: usize>(first: f64) -> SVector<f64, N> {
    SVector::from_fn(|k, _| (first + 1.9 * k as f64).cos())
}

fn rows<const N: usize>(first: f64) -> Vec<SVector<f64, N>> {
    (0..STEPS).map(|k| numbers::<N>(first + 0.7 * k as f64)).collect()
}

fn pairs<const N: usize>(first: f64) -> Vec<(SVector<f64, N>, SVector<f64, N>)> {
    (0..STEPS).map(|k| (numbers(first + k as f64), numbers(first + 0.5 + k as f64))).collect()
}

/// A direction forward and a cost backward have one derivative.
fn one_derivative<const NV: usize, const NU: usize>(
    cost: &[(SVector<f64, NV>, SVector<f64, NV>)],
    changes: &[(SVector<f64, NV>, SVector<f64, NV>)],
    (by_q, by_v): (SVector<f64, NV>, SVector<f64, NV>),
    by_controls: &[SVector<f64, NU>],
    (of_q, of_v, of_controls): (SVector<f64, NV>, SVector<f64, NV>, &[SVector<f64, NU>]),
) {
    let forward: f64 = cost.iter().zip(changes).map(|(by, x)| by.0.dot(&x.0) + by.1.dot(&x.1)).sum();
    let of_controls: f64 = by_controls.iter().zip(of_controls).map(|(by, x)| by.dot(x)).sum();
    let backward = by_q.dot(&of_q) + by_v.dot(&of_v) + of_controls;
    assert!((forward - backward).abs() < 1e-12 * forward.abs().max(1.0), "{forward} is not {backward}");
}

fn rollouts_with<R: StepsWithParameters<NQ, NV>, const NQ: usize, const NV: usize>(
    given: &R::Parameters<f64>,
    default: &R::Parameters<f64>,
    strength: f64,
) {
    let (q, [v, _]) = state::<R, NQ, NV>(0.4);
    let controls: Vec<_> = rows::<NV>(0.2).into_iter().map(|tau| tau * strength).collect();
    let (mut own, mut states) = (vec![Step::zeros(); STEPS], vec![Step::zeros(); STEPS]);
    R::rollout(&q, &v, &controls, DT, &mut own);
    R::rollout_with(default, &q, &v, &controls, DT, &mut states);
    // Constants of the URDF are not folded then.
    for (own, state) in own.iter().zip(&states) {
        let [of_q, of_v] = [(own.q - state.q).amax() / own.q.amax(), (own.v - state.v).amax() / own.v.amax()];
        assert!(of_q < 1e-12 && of_v < 1e-11, "{of_q:.1e} {of_v:.1e}");
    }
    R::rollout_with(given, &q, &v, &controls, DT, &mut states);
    let mut at = Step { q, v };
    for (tau, state) in controls.iter().zip(&states) {
        at = R::step_with(given, &at.q, &at.v, tau, DT);
        assert_eq!(at, *state);
    }
    assert_ne!(own, states);

    let (of_q, of_v, of_controls) = (numbers(3.0), numbers(4.0), rows::<NV>(5.0));
    let (mut again, mut changes) = (states.clone(), pairs(0.0));
    let direction = (&of_q, &of_v, &of_controls[..]);
    R::rollout_sensitivity_with(given, &q, &v, &controls, DT, direction, &mut again, &mut changes);
    let cost = pairs::<NV>(6.0);
    let (mut gradient, mut by_controls) = (cost.clone(), rows::<NV>(0.0));
    let by_first =
        R::rollout_adjoint_with(given, &q, &v, &controls, DT, &states, &mut gradient, &mut by_controls);
    one_derivative(&cost, &changes, by_first, &by_controls, (of_q, of_v, &of_controls));
    // The derivatives are those of the robot with the parameters.
    let d = R::step_derivatives_with(given, &q, &v, &controls[0], DT);
    let first = d.dv_dq * of_q + d.dv_dv * of_v + d.dv_dtau * of_controls[0];
    assert!((changes[0].1 - first).amax() < 1e-12 * first.amax().max(1.0));
}

#[test]
fn rollouts_take_parameters() {
    rollouts_with::<Held, { Held::NQ }, { Held::NV }>(&held(), &HeldParameters::default(), 1.0);
    rollouts_with::<Acrobat, { Acrobat::NQ }, { Acrobat::NV }>(
        &acrobat(),
        &AcrobatParameters::default(),
        LIGHT,
    );
}

/// Parameters act as torques `-Y` of each step, `Y` being the derivative of inverse dynamics by them at the
/// step's mean acceleration: against dual numbers.
#[test]
fn rollouts_have_gradients_by_parameters() {
    let (q, [v, _]) = state::<Held, { Held::NQ }, { Held::NV }>(0.4);
    let (given, controls) = (held(), rows::<{ Held::NV }>(0.2));
    let mut states = vec![Step::zeros(); STEPS];
    Held::rollout_with(&given, &q, &v, &controls, DT, &mut states);
    let cost = pairs::<{ Held::NV }>(6.0);
    let (mut gradient, mut by_controls) = (cost.clone(), rows::<{ Held::NV }>(0.0));
    let _ =
        Held::rollout_adjoint_with(&given, &q, &v, &controls, DT, &states, &mut gradient, &mut by_controls);
    let mut found = HeldParameters { inertia: [[0.0; 10]; 2], gravity: [0.0; 3] };
    let mut at = Step { q, v };
    for (state, by_control) in states.iter().zip(&by_controls) {
        let a = (state.v - at.v) / DT;
        let d = Held::rnea_parameter_derivatives_with(&given, &at.q, &at.v, &a);
        for (to, of) in found.inertia.iter_mut().zip(&d.dtau_dinertia) {
            (0..10).for_each(|k| to[k] -= of.column(k).dot(by_control));
        }
        (0..3).for_each(|k| found.gravity[k] -= d.dtau_dgravity.column(k).dot(by_control));
        at = *state;
    }

    let (q, v) = (q.map(Dual64::from), v.map(Dual64::from));
    let controls: Vec<_> = controls.iter().map(|tau| tau.map(Dual64::from)).collect();
    let mut moved = vec![Step::zeros(); STEPS];
    for k in 0..23 {
        let mut given = given.map(Dual64::from);
        match k {
            20.. => given.gravity[k - 20].eps = 1.0,
            _ => given.inertia[k / 10][k % 10].eps = 1.0,
        }
        Held::rollout_with(&given, &q, &v, &controls, Dual64::from(DT), &mut moved);
        let expected: f64 = (states.iter().zip(&moved).zip(&cost))
            .map(|((at, moved), (of_q, of_v))| {
                let change = tangent::<Held, { Held::NQ }, { Held::NV }>(at, moved);
                of_q.iter().chain(of_v).zip(&change).map(|(cost, x)| cost * x).sum::<f64>()
            })
            .sum();
        let found = if k < 20 { found.inertia[k / 10][k % 10] } else { found.gravity[k - 20] };
        assert!((found - expected).abs() < 1e-11 * expected.abs().max(1.0), "{k}: {found} is not {expected}");
    }
}

/// Rollouts of controls have the bits of those of the torques.
#[test]
fn rollouts_take_controls() {
    const NU: usize = Held::NU;
    let (q, [v, _]) = state::<Held, { Held::NQ }, { Held::NV }>(0.4);
    let controls = rows::<NU>(0.2);
    let torques = |of: &[SVector<f64, NU>]| of.iter().map(Held::torques).collect::<Vec<_>>();
    let (mut states, mut known) = (vec![Step::zeros(); STEPS], vec![Step::zeros(); STEPS]);
    Held::actuated_rollout(&q, &v, &controls, DT, &mut states);
    <Held as rbd::DiscreteDynamics<_, _>>::rollout(&q, &v, &torques(&controls), DT, &mut known);
    assert_eq!(states, known);

    let (of_q, of_v, of_controls) = (numbers(3.0), numbers(4.0), rows::<NU>(5.0));
    let (mut changes, mut known_changes) = (pairs(0.0), pairs(1.0));
    let direction = (&of_q, &of_v, &of_controls[..]);
    Held::actuated_rollout_sensitivity(&q, &v, &controls, DT, direction, &mut states, &mut changes);
    let along = torques(&of_controls);
    <Held as rbd::DiscreteDynamics<_, _>>::rollout_sensitivity(
        &q,
        &v,
        &torques(&controls),
        DT,
        (&of_q, &of_v, &along),
        &mut known,
        &mut known_changes,
    );
    assert_eq!((&states, &changes), (&known, &known_changes));

    let cost = pairs::<{ Held::NV }>(6.0);
    let (mut gradient, mut by_controls) = (cost.clone(), rows::<NU>(0.0));
    let by_first =
        Held::actuated_rollout_adjoint(&q, &v, &controls, DT, &states, &mut gradient, &mut by_controls);
    one_derivative(&cost, &changes, by_first, &by_controls, (of_q, of_v, &of_controls));
    let (mut known_gradient, mut by_torques) = (cost, rows::<{ Held::NV }>(0.0));
    let known_first = <Held as rbd::DiscreteDynamics<_, _>>::rollout_adjoint(
        &q,
        &v,
        &torques(&controls),
        DT,
        &known,
        &mut known_gradient,
        &mut by_torques,
    );
    assert_eq!((by_first, gradient), (known_first, known_gradient));
    for (by_control, by_torques) in by_controls.iter().zip(&by_torques) {
        assert_eq!(
            *by_control,
            SVector::from(<Held as ActuatedSteps<_, _, NU>>::ACTUATED.map(|k| by_torques[k]))
        );
    }
}

#[test]
fn steps_under_contacts_take_controls() {
    const NV: usize = Held::NV;
    for (active, seed) in SETS.iter().zip([0.0, 1.0, 2.0]) {
        let (q, [v, _]) = state::<Held, { Held::NQ }, NV>(seed);
        let u = numbers::<{ Held::NU }>(seed);
        let tau = Held::torques(&u);
        let next = Held::actuated_contact_step(&q, &v, &u, DT, active, &settings());
        assert_eq!(next, Held::contact_step(&q, &v, &tau, DT, active, &settings()));
        let d = Held::actuated_contact_step_derivatives(&q, &v, &u, DT, active, &settings());
        let known = Held::contact_step_derivatives(&q, &v, &tau, DT, active, &settings());
        let (of, by) = (&d.step, &known.step);
        assert_eq!((of.q, of.v), (by.q, by.v));
        assert_eq!([of.dq_dq, of.dq_dv, of.dv_dq, of.dv_dv], [by.dq_dq, by.dq_dv, by.dv_dq, by.dv_dv]);
        let (held, all) = (&d.dynamics, &known.dynamics);
        assert_eq!((held.ddq, held.forces, held.residual), (all.ddq, all.forces, all.residual));
        assert_eq!([held.ddq_dq, held.ddq_dv], [all.ddq_dq, all.ddq_dv]);
        assert_eq!([held.forces_dq, held.forces_dv], [all.forces_dq, all.forces_dv]);
        for (j, column) in <Held as ActuatedSteps<_, _, { Held::NU }>>::ACTUATED.into_iter().enumerate() {
            assert_eq!(of.dq_du.column(j), by.dq_dtau.column(column));
            assert_eq!(of.dv_du.column(j), by.dv_dtau.column(column));
            assert_eq!(held.ddq_du.column(j), all.ddq_dtau.column(column));
            assert_eq!(held.forces_du.column(j), all.forces_dtau.column(column));
        }
    }
}

/// Controls with parameters have the bits of torques with these, and with the default ones those of controls.
#[test]
fn controls_take_parameters() {
    const NV: usize = Held::NV;
    let (q, [v, _]) = state::<Held, { Held::NQ }, NV>(0.7);
    let (u, given) = (numbers::<{ Held::NU }>(1.0), held());
    let tau = Held::torques(&u);
    assert_eq!(Held::actuated_step_with(&given, &q, &v, &u, DT), Held::step_with(&given, &q, &v, &tau, DT));
    let own = HeldParameters::default();
    let by_own = Held::actuated_step_derivatives(&q, &v, &u, DT);
    assert_eq!(Held::actuated_step_derivatives_with(&own, &q, &v, &u, DT), by_own);
    let by_given = Held::actuated_step_derivatives_with(&given, &q, &v, &u, DT);
    let by_torques = Held::step_derivatives_with(&given, &q, &v, &tau, DT);
    assert_eq!((by_given.dq_dq, by_given.dv_dv), (by_torques.dq_dq, by_torques.dv_dv));
    assert_eq!(by_given.dv_du, Held::of_controls(&by_torques.dv_dtau));
    assert!((by_given.dv_du - by_own.dv_du).amax() > 1e-6, "parameters matter");

    let of = [numbers::<NV>(2.0), numbers::<NV>(3.0)];
    let h = Held::actuated_step_hessian_with(&own, &q, &v, &u, DT, &of[0], &of[1]);
    assert_eq!(h, Held::actuated_step_hessian(&q, &v, &u, DT, &of[0], &of[1]));
    let h = Held::actuated_step_hessian_with(&given, &q, &v, &u, DT, &of[0], &of[1]);
    let by_torques = Held::step_hessian_with(&given, &q, &v, &tau, DT, &of[0], &of[1]);
    assert_eq!((h.value, h.dqdv), (by_torques.value, by_torques.dqdv));
    assert_eq!(h.dvdu, Held::of_controls(&by_torques.dvdtau));

    let settings = settings();
    for active in &SETS {
        let next = Held::actuated_contact_step_with(&given, &q, &v, &u, DT, active, &settings);
        assert_eq!(next, Held::contact_step_with(&given, &q, &v, &tau, DT, active, &settings));
        let d = Held::actuated_contact_step_derivatives_with(&given, &q, &v, &u, DT, active, &settings);
        let all = Held::contact_step_derivatives_with(&given, &q, &v, &tau, DT, active, &settings);
        assert_eq!((d.step.dv_dq, d.dynamics.forces_dq), (all.step.dv_dq, all.dynamics.forces_dq));
        assert_eq!(d.step.dv_du, Held::of_controls(&all.step.dv_dtau));
        assert_eq!(d.dynamics.forces_du, Held::of_controls(&all.dynamics.forces_dtau));
    }
}

/// Rollouts of controls with parameters: states of rollouts of torques, and one derivative both ways.
#[test]
fn rollouts_of_controls_take_parameters() {
    const NU: usize = Held::NU;
    let (q, [v, _]) = state::<Held, { Held::NQ }, { Held::NV }>(0.4);
    let (controls, given) = (rows::<NU>(0.2), held());
    let torques: Vec<_> = controls.iter().map(Held::torques).collect();
    let (mut states, mut known) = (vec![Step::zeros(); STEPS], vec![Step::zeros(); STEPS]);
    Held::actuated_rollout_with(&given, &q, &v, &controls, DT, &mut states);
    Held::rollout_with(&given, &q, &v, &torques, DT, &mut known);
    assert_eq!(states, known);
    let (of_q, of_v, of_controls) = (numbers(3.0), numbers(4.0), rows::<NU>(5.0));
    let (mut changes, direction) = (pairs(0.0), (&of_q, &of_v, &of_controls[..]));
    Held::actuated_rollout_sensitivity_with(
        &given,
        &q,
        &v,
        &controls,
        DT,
        direction,
        &mut states,
        &mut changes,
    );
    assert_eq!(states, known);
    let cost = pairs::<{ Held::NV }>(6.0);
    let (mut gradient, mut by_controls) = (cost.clone(), rows::<NU>(0.0));
    let by_first = Held::actuated_rollout_adjoint_with(
        &given,
        &q,
        &v,
        &controls,
        DT,
        &states,
        &mut gradient,
        &mut by_controls,
    );
    one_derivative(&cost, &changes, by_first, &by_controls, (of_q, of_v, &of_controls));
}
