//! Steps and rollouts of many states are those of one state after the other.

use super::{DampedAfloat, Plain, Runge, Semi, T, state};
use nalgebra::SVector;
use rbd::batch::Float;
use rbd::{DiscreteDynamics, Mechanism, RolloutGradients, Step, StepDerivatives};

const LANES: usize = <f64 as Float>::LANES;

/// Equal to some roundings of the largest number.
fn close<'a>(found: impl IntoIterator<Item = &'a f64>, expected: impl IntoIterator<Item = &'a f64>) {
    let (found, expected): (Vec<f64>, Vec<f64>) =
        (found.into_iter().copied().collect(), expected.into_iter().copied().collect());
    let largest = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).abs() <= 1e-12 * largest, "{a:e}, not {b:e} beside {largest:e}");
    }
}

fn same_state<const NQ: usize, const NV: usize>(a: &Step<f64, NQ, NV>, b: &Step<f64, NQ, NV>) {
    close(&a.q, &b.q);
    close(&a.v, &b.v);
}

fn check<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>() {
    let batch = <R as Mechanism<NQ, NV>>::batch();
    let dt = 0.01;
    for n in [0, 1, LANES - 1, LANES, 2 * LANES + 1] {
        let states: Vec<_> = (0..n).map(|k| state::<R, NQ, NV>(0.37 * k as f64)).collect();
        let q: Vec<_> = states.iter().map(|(q, _)| *q).collect();
        let v: Vec<_> = states.iter().map(|(_, [v, _])| *v).collect();
        let tau: Vec<_> = states.iter().map(|(_, [_, tau])| *tau).collect();

        let mut next = vec![Step::zeros(); n];
        batch.step(&q, &v, &tau, dt, &mut next);
        let mut d = vec![StepDerivatives::zeros(); n];
        // Twice: what a result holds before does not matter.
        for _ in 0..2 {
            batch.step_derivatives(&q, &v, &tau, dt, &mut d);
        }
        for k in 0..n {
            same_state(&next[k], &R::step(&q[k], &v[k], &tau[k], dt));
            let one = R::step_derivatives(&q[k], &v[k], &tau[k], dt);
            same_state(&Step { q: d[k].q, v: d[k].v }, &Step { q: one.q, v: one.v });
            let of_q = [(d[k].dq_dq, one.dq_dq), (d[k].dq_dv, one.dq_dv), (d[k].dq_dtau, one.dq_dtau)];
            let of_v = [(d[k].dv_dq, one.dv_dq), (d[k].dv_dv, one.dv_dv), (d[k].dv_dtau, one.dv_dtau)];
            for (found, expected) in of_q.iter().chain(&of_v) {
                close(found, expected);
            }
        }

        // Rollouts of five steps, each with controls of its own.
        const STEPS: usize = 5;
        let controls: Vec<SVector<f64, NV>> = (0..n * STEPS)
            .map(|k| SVector::from_fn(|i, _| ((k / STEPS * 3 + k) as f64 + 0.7 * i as f64).sin()))
            .collect();
        let mut found = vec![Step::zeros(); n * STEPS];
        batch.rollout(&q, &v, &controls, dt, &mut found);
        let weights = |k: usize| {
            let of = |at: f64| SVector::<f64, NV>::from_fn(|i, _| (at + k as f64 + 1.3 * i as f64).cos());
            (of(0.2), of(0.9))
        };
        let mut gradient: Vec<_> = (0..n * STEPS).map(weights).collect();
        let (mut by_controls, mut by_first) =
            (vec![SVector::zeros(); n * STEPS], vec![(SVector::zeros(), SVector::zeros()); n]);
        let to = RolloutGradients { states: &mut gradient, controls: &mut by_controls, first: &mut by_first };
        batch.rollout_adjoint(&q, &v, &controls, dt, &found, to);
        for k in 0..n {
            let all = k * STEPS..(k + 1) * STEPS;
            let (controls, mut one) = (&controls[all.clone()], [Step::zeros(); STEPS]);
            R::rollout(&q[k], &v[k], controls, dt, &mut one);
            found[all.clone()].iter().zip(&one).for_each(|(a, b)| same_state(a, b));
            let mut own: Vec<_> = all.clone().map(weights).collect();
            let mut by_control = [SVector::zeros(); STEPS];
            let first = R::rollout_adjoint(&q[k], &v[k], controls, dt, &one, &mut own, &mut by_control);
            let numbers = |of: &[(SVector<f64, NV>, SVector<f64, NV>)]| -> Vec<f64> {
                of.iter().flat_map(|(q, v)| q.iter().chain(v.iter()).copied().collect::<Vec<_>>()).collect()
            };
            close(&numbers(&gradient[all.clone()]), &numbers(&own));
            close(&numbers(&[by_first[k]]), &numbers(&[first]));
            close(by_controls[all].iter().flatten(), by_control.iter().flatten());
        }
    }
}

#[test]
fn batches_of_steps_are_steps_one_by_one() {
    check::<Semi, { Semi::NQ }, { Semi::NV }>();
    check::<Plain, { Plain::NQ }, { Plain::NV }>();
    check::<Runge, { Runge::NQ }, { Runge::NV }>();
    check::<DampedAfloat, { DampedAfloat::NQ }, { DampedAfloat::NV }>();
}

/// Results on threads are those on one, to the last bit.
#[cfg(feature = "rayon")]
#[test]
fn rollouts_do_not_depend_on_threads() {
    const NV: usize = Semi::NV;
    let (n, steps) = (150, 4);
    let states: Vec<_> = (0..n).map(|k| state::<Semi, { Semi::NQ }, NV>(0.37 * k as f64)).collect();
    let q: Vec<_> = states.iter().map(|(q, _)| *q).collect();
    let v: Vec<_> = states.iter().map(|(_, [v, _])| *v).collect();
    let controls: Vec<SVector<f64, NV>> =
        (0..n * steps).map(|k| SVector::from_fn(|i, _| (k as f64 + 0.7 * i as f64).sin())).collect();
    let all = |threads: usize| {
        let batch = Semi::batch().threads(threads);
        let mut found = vec![Step::zeros(); n * steps];
        batch.rollout(&q, &v, &controls, 0.01, &mut found);
        let mut gradient: Vec<_> = controls.iter().map(|u| (*u, u * 2.0)).collect();
        let (mut by_controls, mut by_first) = (controls.clone(), gradient[..n].to_vec());
        let to = RolloutGradients { states: &mut gradient, controls: &mut by_controls, first: &mut by_first };
        batch.rollout_adjoint(&q, &v, &controls, 0.01, &found, to);
        (found, gradient, by_controls, by_first)
    };
    let alone = all(1);
    for threads in [2, 3, usize::MAX] {
        assert!(all(threads) == alone);
    }
}

#[test]
fn rollouts_may_have_no_steps() {
    let (q, [v, _]) = state::<T, { T::NQ }, { T::NV }>(0.1);
    let mut by_first = [(v, v); 2];
    T::batch().rollout(&[q; 2], &[v; 2], &[], 0.1, &mut []);
    let to = RolloutGradients { states: &mut [], controls: &mut [], first: &mut by_first };
    T::batch().rollout_adjoint(&[q; 2], &[v; 2], &[], 0.1, &[], to);
    assert!(by_first.iter().all(|(of_q, of_v)| of_q.norm() == 0.0 && of_v.norm() == 0.0));
}

#[test]
#[should_panic(expected = "7 controls are not as many for each of 2 rollouts")]
fn rollouts_have_as_many_steps_each() {
    let (q, [v, tau]) = state::<T, { T::NQ }, { T::NV }>(0.1);
    T::batch().rollout(&[q; 2], &[v; 2], &[tau; 7], 0.1, &mut [Step::zeros(); 7]);
}
