//! Rollouts: many steps one after the other, their derivative along a direction, and the gradient of a cost
//! of their states.

use super::controls::columns;
use super::{At, Controls, Steps, StepsWithParameters, next};
use crate::{Error, Loaded, Number, Workspace};
use rbd_runtime::Integrator;
use rbd_runtime::step::{self, DerivativesOut, Scratch, State};

/// States of a rollout, one after the other: configurations and velocities by rows.
type Rows<'a, T> = [&'a mut [T]; 2];

/// `to += matrix x`, of a square matrix by columns.
fn add_product<T: Number>(to: &mut [T], matrix: &[T], x: &[T]) {
    for (column, x) in matrix.chunks_exact(to.len().max(1)).zip(x) {
        for (to, a) in to.iter_mut().zip(column) {
            *to = a.mul_add(*x, *to);
        }
    }
}

/// `to += matrix^T x`, of a square matrix by columns.
fn add_transposed_product<T: Number>(to: &mut [T], matrix: &[T], x: &[T]) {
    for (to, column) in to.iter_mut().zip(matrix.chunks_exact(x.len().max(1))) {
        *to = column.iter().zip(x).fold(*to, |sum, (a, x)| a.mul_add(*x, sum));
    }
}

/// A part of scratch, which the next step takes again.
fn again<'a, T>(scratch: &'a mut Scratch<'_, T>) -> Scratch<'a, T> {
    let Scratch { matrices, vectors, configurations } = scratch;
    Scratch { matrices, vectors, configurations }
}

/// Memory for a step and its derivatives.
struct Linearised<'a, T> {
    q: &'a mut [T],
    v: &'a mut [T],
    /// Derivatives of the next configuration by q, v and tau, then those of the next velocity.
    blocks: [&'a mut [T]; 6],
}

impl<'a, T: Number> Linearised<'a, T> {
    fn new(memory: &mut &'a mut [T], nq: usize, nv: usize) -> Self {
        let (q, v) = (next(memory, nq), next(memory, nv));
        Self { q, v, blocks: std::array::from_fn(|_| next(memory, nv * nv)) }
    }

    fn compute(
        &mut self,
        robot: &mut At<'_, T>,
        integrator: Integrator,
        state: &State<'_, T>,
        scratch: Scratch<'_, T>,
    ) {
        let blocks = self.blocks.each_mut().map(|block| &mut **block);
        let mut out = DerivativesOut { q: self.q, v: self.v, blocks };
        step::step_derivatives(robot, integrator, state, scratch, &mut out);
    }
}

/// The state before step k: the first one, or that after the step before.
fn before<'a, T>([q, v]: [&'a [T]; 2], [qs, vs]: [&'a [T]; 2], k: usize) -> [&'a [T]; 2] {
    match k.checked_sub(1) {
        None => [q, v],
        Some(k) => [&qs[k * q.len()..][..q.len()], &vs[k * v.len()..][..v.len()]],
    }
}

/// A rollout: where it begins, and what it takes.
#[derive(Clone, Copy)]
struct Rollout<'a, T> {
    /// The first configuration and velocity.
    first: [&'a [T]; 2],
    /// Controls of each step, one after the other.
    controls: Controls<'a, T>,
    dt: T,
}

impl<'a, T: Number> Rollout<'a, T> {
    /// Number of steps that the controls are for.
    fn count(&self, steps: &Steps, function: &'static str) -> Result<usize, Error> {
        let (each, given) = (self.controls.each(steps), self.controls.numbers().len());
        match each > 0 && given % each == 0 {
            true => Ok(given / each),
            false => Err(Error::Controls { function, each, given }),
        }
    }

    /// The controls of step k.
    fn at(&self, steps: &Steps, k: usize) -> Controls<'a, T> {
        let each = self.controls.each(steps);
        self.controls.of(&self.controls.numbers()[k * each..][..each])
    }
}

impl<'a, T: Number> StepsWithParameters<'a, T> {
    fn rollout_of(
        self,
        workspace: &mut Workspace<T>,
        of: Rollout<'_, T>,
        [qs, vs]: Rows<'_, T>,
    ) -> Result<(), Error> {
        let function = of.controls.name("rollout", "actuated_rollout");
        let steps = self.steps(function, &of.controls)?;
        let ([q, v], [nq, nv], n) = (of.first, [steps.nq, steps.nv], of.count(steps, function)?);
        let lengths =
            [("q", nq, q.len()), ("v", nv, v.len()), ("qs", n * nq, qs.len()), ("vs", n * nv, vs.len())];
        let (mut at, mut scratch, memory) = self.ready(function, workspace, lengths)?;
        for k in 0..n {
            let tau = of.at(steps, k).torques(steps, &mut &mut *memory);
            let (done_q, to_q) = qs.split_at_mut(k * nq);
            let (done_v, to_v) = vs.split_at_mut(k * nv);
            let [q, v] = before([q, v], [done_q, done_v], k);
            let (to, state) = ([&mut to_q[..nq], &mut to_v[..nv]], State { q, v, tau, dt: of.dt });
            step::step(&mut at, steps.integrator, &state, again(&mut scratch), to);
        }
        Ok(())
    }

    fn sensitivity_of(
        self,
        workspace: &mut Workspace<T>,
        of: Rollout<'_, T>,
        [of_q, of_v, of_controls]: [&[T]; 3],
        [qs, vs]: Rows<'_, T>,
        [dqs, dvs]: Rows<'_, T>,
    ) -> Result<(), Error> {
        let function = of.controls.name("rollout_sensitivity", "actuated_rollout_sensitivity");
        let steps = self.steps(function, &of.controls)?;
        let ([q, v], [nq, nv], n) = (of.first, [steps.nq, steps.nv], of.count(steps, function)?);
        let lengths = [
            ("q", nq, q.len()),
            ("v", nv, v.len()),
            ("direction of q", nv, of_q.len()),
            ("direction of v", nv, of_v.len()),
            ("direction of controls", of.controls.numbers().len(), of_controls.len()),
            ("qs", n * nq, qs.len()),
            ("vs", n * nv, vs.len()),
            ("changes of q", n * nv, dqs.len()),
            ("changes of v", n * nv, dvs.len()),
        ];
        let (mut at, mut scratch, mut memory) = self.ready(function, workspace, lengths)?;
        let mut d = Linearised::new(&mut memory, nq, nv);
        let along = Rollout { controls: of.controls.of(of_controls), ..of };
        for k in 0..n {
            let mut memory = &mut *memory;
            let [tau, of_tau] = [of, along].map(|of| of.at(steps, k).torques(steps, &mut memory));
            let [q, v] = before([q, v], [qs, vs], k);
            d.compute(&mut at, steps.integrator, &State { q, v, tau, dt: of.dt }, again(&mut scratch));
            qs[k * nq..][..nq].copy_from_slice(d.q);
            vs[k * nv..][..nv].copy_from_slice(d.v);
            let (done_q, to_q) = dqs.split_at_mut(k * nv);
            let (done_v, to_v) = dvs.split_at_mut(k * nv);
            let [was_q, was_v] = before([of_q, of_v], [done_q, done_v], k);
            let (by_q, by_v) = d.blocks.split_at(3);
            for (to, blocks) in [(&mut to_q[..nv], by_q), (&mut to_v[..nv], by_v)] {
                to.fill(T::zero());
                for (block, moved) in blocks.iter().zip([was_q, was_v, of_tau]) {
                    add_product(to, block, moved);
                }
            }
        }
        Ok(())
    }

    fn adjoint_of(
        self,
        workspace: &mut Workspace<T>,
        of: Rollout<'_, T>,
        [qs, vs]: [&[T]; 2],
        [of_q, of_v]: Rows<'_, T>,
        by_controls: &mut [T],
        [first_q, first_v]: Rows<'_, T>,
    ) -> Result<(), Error> {
        let function = of.controls.name("rollout_adjoint", "actuated_rollout_adjoint");
        let steps = self.steps(function, &of.controls)?;
        let ([q, v], [nq, nv], n) = (of.first, [steps.nq, steps.nv], of.count(steps, function)?);
        let lengths = [
            ("q", nq, q.len()),
            ("v", nv, v.len()),
            ("qs", n * nq, qs.len()),
            ("vs", n * nv, vs.len()),
            ("gradient by q", n * nv, of_q.len()),
            ("gradient by v", n * nv, of_v.len()),
            ("gradient by controls", of.controls.numbers().len(), by_controls.len()),
            ("gradient by the first q", nv, first_q.len()),
            ("gradient by the first v", nv, first_v.len()),
        ];
        let (mut at, mut scratch, mut memory) = self.ready(function, workspace, lengths)?;
        let mut d = Linearised::new(&mut memory, nq, nv);
        first_q.fill(T::zero());
        first_v.fill(T::zero());
        let by_each = by_controls.chunks_exact_mut(of.controls.each(steps));
        let each = of_q.chunks_exact_mut(nv).zip(of_v.chunks_exact_mut(nv));
        for (k, (by_control, (of_q, of_v))) in by_each.zip(each).enumerate().rev() {
            // What later states cost is by then the gradient by the state before them.
            for (to, later) in [(&mut *of_q, &*first_q), (&mut *of_v, &*first_v)] {
                to.iter_mut().zip(later).for_each(|(to, later)| *to += *later);
            }
            let mut memory = &mut *memory;
            let tau = of.at(steps, k).torques(steps, &mut memory);
            let [q, v] = before([q, v], [qs, vs], k);
            d.compute(&mut at, steps.integrator, &State { q, v, tau, dt: of.dt }, again(&mut scratch));
            let by_tau = next(&mut memory, nv);
            for (block, to) in [&mut *first_q, &mut *first_v, &mut *by_tau].into_iter().enumerate() {
                to.fill(T::zero());
                add_transposed_product(to, d.blocks[block], of_q);
                add_transposed_product(to, d.blocks[3 + block], of_v);
            }
            match of.controls {
                Controls::All(_) => by_control.copy_from_slice(by_tau),
                Controls::Actuated(_) => columns(&steps.actuated, by_tau, 1, by_control),
            }
        }
        Ok(())
    }
}

macro_rules! rollouts {
    ($robot:ty) => {
        #[allow(clippy::too_many_arguments, reason = "arguments and results are slices, one each")]
        impl<T: Number> $robot {
            /// Steps through `controls`, one a step of a time `dt` (s), and writes the state after each.
            ///
            /// - `controls`: torques (N, nv), row by row.
            /// - `qs`, `vs`: receive configurations (N, nq) and velocities (N, nv), row by row.
            ///
            /// # Errors
            /// If the robot was loaded without the option `step`, or a length does not fit.
            pub fn rollout(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                controls: &[T],
                dt: T,
                qs: &mut [T],
                vs: &mut [T],
            ) -> Result<(), Error> {
                self.rollout_in(workspace, [q, v], Controls::All(controls), dt, [qs, vs])
            }

            /// [`Self::rollout`] with the derivative of each state along one direction.
            ///
            /// - `direction`: change of the first configuration in its tangent space (nv), of the first
            ///   velocity (nv), and of each control (N, nv).
            /// - `states`: receives configurations (N, nq) and velocities (N, nv).
            /// - `changes`: receives the change of each configuration in the tangent space there, and of each
            ///   velocity, (N, nv) each.
            ///
            /// # Errors
            /// Those of [`Self::rollout`].
            pub fn rollout_sensitivity(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                controls: &[T],
                dt: T,
                direction: [&[T]; 3],
                states: Rows<'_, T>,
                changes: Rows<'_, T>,
            ) -> Result<(), Error> {
                let controls = Controls::All(controls);
                self.rollout_sensitivity_in(workspace, [q, v], controls, dt, direction, states, changes)
            }

            /// Gradient of a cost of a [rollout](Self::rollout) by all controls and the first state.
            ///
            /// - `states`: configurations (N, nq) and velocities (N, nv), written by [`Self::rollout`] for
            ///   the same controls.
            /// - `gradient`: gradient of the cost by each state alone, (N, nv) by q, in the tangent space
            ///   there, and (N, nv) by v. It is overwritten with the gradient of the whole cost by that
            ///   state.
            /// - `by_controls`: receives the gradient by each control (N, nv).
            /// - `by_first`: receives the gradient by the first configuration, in its tangent space, and
            ///   velocity (nv each).
            ///
            /// Each step is linearised once, from the last to the first.
            ///
            /// # Errors
            /// Those of [`Self::rollout`].
            pub fn rollout_adjoint(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                controls: &[T],
                dt: T,
                states: [&[T]; 2],
                gradient: Rows<'_, T>,
                by_controls: &mut [T],
                by_first: Rows<'_, T>,
            ) -> Result<(), Error> {
                let (first, controls) = ([q, v], Controls::All(controls));
                self.rollout_adjoint_in(
                    workspace,
                    first,
                    controls,
                    dt,
                    states,
                    gradient,
                    by_controls,
                    by_first,
                )
            }

            /// [`Self::rollout`] with controls of the actuated joints: `controls` are (N, nu).
            ///
            /// # Errors
            /// Those of [`Self::rollout`], and [`Error::NotActuated`] for a robot without the option
            /// `actuated`.
            pub fn actuated_rollout(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                controls: &[T],
                dt: T,
                qs: &mut [T],
                vs: &mut [T],
            ) -> Result<(), Error> {
                self.rollout_in(workspace, [q, v], Controls::Actuated(controls), dt, [qs, vs])
            }

            /// [`Self::rollout_sensitivity`] with controls of the actuated joints: `controls` and their
            /// change, the last of `direction`, are (N, nu).
            ///
            /// # Errors
            /// Those of [`Self::actuated_rollout`].
            pub fn actuated_rollout_sensitivity(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                controls: &[T],
                dt: T,
                direction: [&[T]; 3],
                states: Rows<'_, T>,
                changes: Rows<'_, T>,
            ) -> Result<(), Error> {
                let controls = Controls::Actuated(controls);
                self.rollout_sensitivity_in(workspace, [q, v], controls, dt, direction, states, changes)
            }

            /// [`Self::rollout_adjoint`] with controls of the actuated joints: `controls` and `by_controls`
            /// are (N, nu).
            ///
            /// # Errors
            /// Those of [`Self::actuated_rollout`].
            pub fn actuated_rollout_adjoint(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                controls: &[T],
                dt: T,
                states: [&[T]; 2],
                gradient: Rows<'_, T>,
                by_controls: &mut [T],
                by_first: Rows<'_, T>,
            ) -> Result<(), Error> {
                let (first, controls) = ([q, v], Controls::Actuated(controls));
                self.rollout_adjoint_in(
                    workspace,
                    first,
                    controls,
                    dt,
                    states,
                    gradient,
                    by_controls,
                    by_first,
                )
            }

            /// Implements [`Self::rollout`] and [`Self::actuated_rollout`].
            ///
            /// # Errors
            /// Those of [`Self::actuated_rollout`].
            #[doc(hidden)]
            pub fn rollout_in(
                &self,
                workspace: &mut Workspace<T>,
                first: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                states: Rows<'_, T>,
            ) -> Result<(), Error> {
                self.given().rollout_of(workspace, Rollout { first, controls, dt }, states)
            }

            /// Implements [`Self::rollout_sensitivity`] and [`Self::actuated_rollout_sensitivity`].
            ///
            /// # Errors
            /// Those of [`Self::actuated_rollout`].
            #[doc(hidden)]
            pub fn rollout_sensitivity_in(
                &self,
                workspace: &mut Workspace<T>,
                first: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                direction: [&[T]; 3],
                states: Rows<'_, T>,
                changes: Rows<'_, T>,
            ) -> Result<(), Error> {
                let of = Rollout { first, controls, dt };
                self.given().sensitivity_of(workspace, of, direction, states, changes)
            }

            /// Implements [`Self::rollout_adjoint`] and [`Self::actuated_rollout_adjoint`].
            ///
            /// # Errors
            /// Those of [`Self::actuated_rollout`].
            #[doc(hidden)]
            pub fn rollout_adjoint_in(
                &self,
                workspace: &mut Workspace<T>,
                first: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                states: [&[T]; 2],
                gradient: Rows<'_, T>,
                by_controls: &mut [T],
                by_first: Rows<'_, T>,
            ) -> Result<(), Error> {
                let of = Rollout { first, controls, dt };
                self.given().adjoint_of(workspace, of, states, gradient, by_controls, by_first)
            }
        }
    };
}

rollouts!(Loaded<T>);
rollouts!(StepsWithParameters<'_, T>);
