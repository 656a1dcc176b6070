//! Steps of many states, and many rollouts, each computed in the way that takes the least time.

use super::rollouts::{gradient_before, plus};
use super::{DiscreteDynamics, Integrator, Step, StepDerivatives};
use crate::__private::zeros;
use crate::batch::{Batch, Facts, Float, Lanewise, goes_in_lanes, unpack_lane};
use nalgebra::SVector;

/// Gradient of a cost by a state: by the configuration, in its tangent space, and by the velocity.
type Gradient<T, const NV: usize> = (SVector<T, NV>, SVector<T, NV>);

/// Gradients of costs of many [rollouts](Batch::rollout), which [`Batch::rollout_adjoint`] writes.
#[derive(Debug)]
pub struct RolloutGradients<'a, T, const NV: usize> {
    /// Gradient of the cost by each state, with the part by `q` in the tangent space there.
    ///
    /// On entry, the cost is that of the state alone. On return, it is the rollout's whole cost.
    pub states: &'a mut [(SVector<T, NV>, SVector<T, NV>)],
    /// Gradient of the cost by each control.
    pub controls: &'a mut [SVector<T, NV>],
    /// Gradient of the cost by the first state of each rollout.
    pub first: &'a mut [(SVector<T, NV>, SVector<T, NV>)],
}

/// Many rollouts of as many steps each. Configurations and velocities are those at the beginning. Controls
/// and states are those of the first rollout in order, then those of the second, and so on.
#[derive(Clone, Copy)]
struct Rollouts<'a, T, const NQ: usize, const NV: usize> {
    q: &'a [SVector<T, NQ>],
    v: &'a [SVector<T, NV>],
    controls: &'a [SVector<T, NV>],
    steps: usize,
}

impl<'a, T: Float, const NQ: usize, const NV: usize> Rollouts<'a, T, NQ, NV> {
    #[track_caller]
    fn new(q: &'a [SVector<T, NQ>], v: &'a [SVector<T, NV>], controls: &'a [SVector<T, NV>]) -> Self {
        let (rollouts, all) = (q.len(), controls.len());
        let steps = all / rollouts.max(1);
        assert!(v.len() == rollouts, "there are {rollouts} configurations, and {} velocities", v.len());
        assert!(all == steps * rollouts, "{all} controls are not as many for each of {rollouts} rollouts");
        Self { q, v, controls, steps }
    }

    #[track_caller]
    fn check(&self, what: &str, given: usize, needed: usize) {
        assert!(given == needed, "there must be {needed} {what}, and there are {given}");
    }

    /// The first state of a rollout.
    fn first(&self, rollout: usize) -> Step<T, NQ, NV> {
        Step { q: self.q[rollout], v: self.v[rollout] }
    }

    /// The first states of rollouts.
    fn pack_first(&self, rollout: impl Fn(usize) -> usize + Copy) -> Step<T::Lanes, NQ, NV> {
        Step {
            q: Lanewise::pack(|lane| &self.q[rollout(lane)]),
            v: Lanewise::pack(|lane| &self.v[rollout(lane)]),
        }
    }
}

/// Steps of robots with the option `step`. For those under contacts, and those of controls of some joints,
/// there is [`map`](crate::batch::map).
impl<R, const NQ: usize, const NV: usize> Batch<R, NQ, NV>
where
    R: DiscreteDynamics<NQ, NV>,
{
    /// The state after a time `dt` (s) under torques that are constant meanwhile, for each state.
    ///
    /// - `q` (NQ), `v` (NV), `tau` (NV): a state and its torques
    /// - `next`: the state after the step
    #[track_caller]
    pub fn step<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        dt: T,
        next: &mut [Step<T, NQ, NV>],
    ) {
        let of = Facts::<0>::new::<R, NQ, NV>("aba", []);
        if const { goes_in_lanes::<R, T, NQ, NV>("aba") } {
            self.in_lanes(of, (q, v, tau), next, |(q, v, tau), out| {
                *out = R::step(q, v, tau, T::gather(|_| dt))
            });
        } else {
            self.alone(of, (q, v, tau), next, |(q, v, tau), out| *out = R::step(q, v, tau, dt));
        }
    }

    /// The state after a time `dt` (s) and its derivatives, for each state.
    ///
    /// - `q` (NQ), `v` (NV), `tau` (NV): a state and its torques
    /// - `d`: the next state, and the blocks of A and B
    #[track_caller]
    pub fn step_derivatives<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        dt: T,
        d: &mut [StepDerivatives<T, NQ, NV>],
    ) {
        let of = Facts::<0>::new::<R, NQ, NV>("aba_derivatives", []);
        if const { goes_in_lanes::<R, T, NQ, NV>("aba_derivatives") } {
            self.in_lanes(of, (q, v, tau), d, |(q, v, tau), out| {
                R::step_derivatives_into(q, v, tau, T::gather(|_| dt), out);
            });
        } else {
            self.alone(of, (q, v, tau), d, |(q, v, tau), out| {
                R::step_derivatives_into(q, v, tau, dt, out);
            });
        }
    }

    /// Many rollouts, of as many steps each: the state after each step.
    ///
    /// - `q` (NQ), `v` (NV): the first state of each rollout
    /// - `controls` (NV): the torques of each step of the first rollout, then those of the second, and so on
    /// - `states`: the state after each step, in the order of `controls`
    ///
    /// # Panics
    /// If `controls` are not as many for each rollout, or states are not as many.
    #[track_caller]
    pub fn rollout<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        controls: &[SVector<T, NV>],
        dt: T,
        states: &mut [Step<T, NQ, NV>],
    ) {
        let all = Rollouts::new(q, v, controls);
        all.check("states", states.len(), controls.len());
        let work = Self::work::<T>("aba") * all.steps;
        self.in_pieces_of(all.steps, work, states, |start, states| {
            let rollouts = start..start + states.len() / all.steps;
            if const { goes_in_lanes::<R, T, NQ, NV>("aba") } {
                Self::rollouts_in_lanes(&all, rollouts, dt, states);
            } else {
                for (rollout, states) in rollouts.zip(states.chunks_exact_mut(all.steps)) {
                    let first = all.first(rollout);
                    let controls = &all.controls[rollout * all.steps..][..all.steps];
                    R::rollout(&first.q, &first.v, controls, dt, states);
                }
            }
        });
    }

    /// Writes the states of these rollouts to `states`.
    fn rollouts_in_lanes<T: Float>(
        all: &Rollouts<'_, T, NQ, NV>,
        rollouts: core::ops::Range<usize>,
        dt: T,
        states: &mut [Step<T, NQ, NV>],
    ) {
        let (steps, dt) = (all.steps, T::gather(|_| dt));
        let last = rollouts.end - 1;
        for (group, states) in states.chunks_mut(T::LANES * steps).enumerate() {
            let rollout = |lane: usize| last.min(rollouts.start + group * T::LANES + lane);
            let mut now = all.pack_first(rollout);
            for k in 0..steps {
                let tau = Lanewise::pack(|lane| &all.controls[rollout(lane) * steps + k]);
                now = R::step(&now.q, &now.v, &tau, dt);
                for (lane, state) in states[k..].iter_mut().step_by(steps).enumerate() {
                    unpack_lane(&now, lane, state);
                }
            }
        }
    }

    /// Gradient of a cost of each of many [rollouts](Self::rollout) by all of its controls and its first
    /// state.
    ///
    /// - `q`, `v`, `controls`: as of the rollouts
    /// - `states`: written by [`Self::rollout`] for the same `controls`
    /// - `gradients`: given by each state alone, and written by states, controls and first states
    ///
    /// # Panics
    /// If `controls` are not as many for each rollout, or an argument's length is another.
    #[track_caller]
    pub fn rollout_adjoint<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        controls: &[SVector<T, NV>],
        dt: T,
        states: &[Step<T, NQ, NV>],
        gradients: RolloutGradients<'_, T, NV>,
    ) {
        let all = Rollouts::new(q, v, controls);
        let RolloutGradients { states: gradient, controls: by_controls, first: by_first } = gradients;
        all.check("states", states.len(), controls.len());
        all.check("gradients by states", gradient.len(), controls.len());
        all.check("gradients by controls", by_controls.len(), controls.len());
        all.check("gradients by first states", by_first.len(), q.len());
        let steps = all.steps;
        if steps == 0 {
            by_first.fill((zeros(), zeros()));
            return;
        }
        let adjoint = |start: usize, to: RolloutGradients<'_, T, NV>| {
            if const { goes_in_lanes::<R, T, NQ, NV>("aba_derivatives") } {
                Self::adjoints_in_lanes(&all, start, dt, states, to);
                return;
            }
            let RolloutGradients { states: gradient, controls: by_controls, first: by_first } = to;
            let each =
                gradient.chunks_exact_mut(steps).zip(by_controls.chunks_exact_mut(steps)).zip(by_first);
            for (rollout, ((gradient, by_controls), by_first)) in (start..).zip(each) {
                let (first, own) = (all.first(rollout), rollout * steps..(rollout + 1) * steps);
                let (controls, states) = (&controls[own.clone()], &states[own]);
                *by_first =
                    R::rollout_adjoint(&first.q, &first.v, controls, dt, states, gradient, by_controls);
            }
        };
        #[cfg(feature = "rayon")]
        if let Some(piece) = self.piece(q.len(), Self::work::<T>("aba_derivatives") * steps) {
            use rayon::prelude::*;
            gradient
                .par_chunks_mut(piece * steps)
                .zip(by_controls.par_chunks_mut(piece * steps))
                .zip(by_first.par_chunks_mut(piece))
                .enumerate()
                .for_each(|(k, ((states, controls), first))| {
                    adjoint(k * piece, RolloutGradients { states, controls, first });
                });
            return;
        }
        adjoint(0, RolloutGradients { states: gradient, controls: by_controls, first: by_first });
    }

    /// [`Self::rollout_adjoint`] of some rollouts, the first of which is number `start`.
    fn adjoints_in_lanes<T: Float>(
        all: &Rollouts<'_, T, NQ, NV>,
        start: usize,
        dt: T,
        states: &[Step<T, NQ, NV>],
        to: RolloutGradients<'_, T, NV>,
    ) {
        let RolloutGradients { states: gradient, controls: by_controls, first: by_first } = to;
        let (steps, dt) = (all.steps, T::gather(|_| dt));
        let last = start + by_first.len() - 1;
        let size = T::LANES * steps;
        let groups = gradient.chunks_mut(size).zip(by_controls.chunks_mut(size));
        let mut d = StepDerivatives::zeros();
        for (group, ((gradient, by_controls), by_first)) in
            groups.zip(by_first.chunks_mut(T::LANES)).enumerate()
        {
            let rollout = |lane: usize| last.min(start + group * T::LANES + lane);
            let count = by_first.len();
            let mut later: Gradient<T::Lanes, NV> = (zeros(), zeros());
            for k in (0..steps).rev() {
                let before: Step<_, NQ, NV> = match k {
                    0 => all.pack_first(rollout),
                    _ => Lanewise::pack(|lane| &states[rollout(lane) * steps + k - 1]),
                };
                let tau = Lanewise::pack(|lane| &all.controls[rollout(lane) * steps + k]);
                let own = |lane: usize| lane.min(count - 1) * steps + k;
                let alone: Gradient<_, NV> = (
                    Lanewise::pack(|lane| &gradient[own(lane)].0),
                    Lanewise::pack(|lane| &gradient[own(lane)].1),
                );
                let whole = plus(&alone, &later);
                R::step_derivatives_into(&before.q, &before.v, &tau, dt, &mut d);
                let by_control;
                (later, by_control) = gradient_before(&d, &whole);
                for lane in 0..count {
                    let (of_q, of_v) = &mut gradient[own(lane)];
                    unpack_lane(&whole.0, lane, of_q);
                    unpack_lane(&whole.1, lane, of_v);
                    unpack_lane(&by_control, lane, &mut by_controls[own(lane)]);
                }
            }
            for (lane, (of_q, of_v)) in by_first.iter_mut().enumerate() {
                unpack_lane(&later.0, lane, of_q);
                unpack_lane(&later.1, lane, of_v);
            }
        }
    }

    /// Cost of a step that calls this function, in operations in lanes.
    const fn work<T: Float>(function: &'static str) -> usize {
        let calls = match R::INTEGRATOR {
            Integrator::Rk4 => 4,
            Integrator::SemiImplicit | Integrator::Explicit | Integrator::ImplicitDamping => 1,
        };
        calls * Facts::<0>::new::<R, NQ, NV>(function, []).cost.work::<T>()
    }
}
