//! The discrete step under contacts: the runtime's integrators, on accelerations under contacts.
//!
//! With implicit damping, accelerations and forces are those under the torques `tau - D (v+ - v)`: contacts
//! hold what damping at the end of the step leaves (docs/math.md#implicit-damping).

use super::call::{Given, Of, Problem};
use super::hessian::HessianCall;
use super::{ContactSettings, Contacts};
use crate::steps::{Controls, Steps, Weights, check, columns, next};
use crate::{Error, Loaded, Number, Parameters, StepsWithParameters, Workspace};
use rbd_runtime::Integrator;
use rbd_runtime::step::{
    self, Accelerations, DerivativesOut, MovingJoint, Scratch, State, StepRobot, Weighted,
};

/// Results of dynamics under contacts: accelerations, forces, residual, and derivatives of accelerations and
/// of forces by q, v and tau. Those of values alone have no derivatives.
type Dynamics<'a, T> = [&'a mut [T]; 9];

/// Index in [`Dynamics`] of the derivative of accelerations by torques.
const BY_TORQUES: usize = 5;

/// Active contacts, and settings of the constraint solver.
pub(super) type Held<'a, T> = (&'a [bool], &'a ContactSettings<'a, T>);

/// A robot whose contacts hold, with memory for results of its dynamics.
struct UnderContacts<'a, T: Number> {
    robot: &'a Loaded<T>,
    steps: &'a Steps,
    contacts: &'a Contacts,
    parameters: Parameters<'a, T>,
    work: &'a mut [T],
    active: &'a [bool],
    settings: ContactSettings<'a, T>,
    /// Results at the beginning of the step go here, and those of later calls to `later`.
    begins: Dynamics<'a, T>,
    later: Dynamics<'a, T>,
    /// Gradient and Hessian of weighted accelerations, and weights of the forces, which are zero. Only a
    /// Hessian has memory for them.
    second: [&'a mut [T]; 8],
    no_forces: &'a [T],
    has_begun: bool,
}

impl<'a, T: Number> UnderContacts<'a, T> {
    /// Computes dynamics into the results of the beginning, or into others. Returns these results.
    fn dynamics(&mut self, of: Of, [q, v, tau]: [&[T]; 3], begins: bool) -> &Dynamics<'a, T> {
        let outputs = if begins { &mut self.begins } else { &mut self.later };
        let (robot, contacts, parameters) = (self.robot, self.contacts, self.parameters);
        let (active, settings) = (self.active, self.settings);
        let given = Given { q, state: [v, tau], active, settings, ..Given::default() };
        let work = &mut *self.work;
        T::contacts(Problem { robot, contacts, parameters, work, of, given, outputs: &mut outputs[..] });
        outputs
    }

    /// True at the first call, with which the step begins.
    fn begins(&mut self) -> bool {
        !std::mem::replace(&mut self.has_begun, true)
    }

    fn is_damped(&self) -> bool {
        self.steps.integrator() == Integrator::ImplicitDamping
    }

    /// Writes dynamics under the torques that act during a step with implicit damping.
    fn dynamics_during(&mut self, at: &State<'_, T>, next_v: &[T], tau: &mut [T]) {
        let each = tau.iter_mut().zip(at.tau).zip(next_v.iter().zip(at.v)).enumerate();
        for (k, ((to, tau), (next, v))) in each {
            *to = *tau - T::from_f64(self.steps.damping(k)) * (*next - *v);
        }
        self.dynamics(Of::Dynamics, [at.q, at.v, tau], true);
    }

    /// Derivatives of dynamics at fixed torques become those of a step with implicit damping, whose torques
    /// `tau - D (v+ - v)` move with it. `gained` are the derivatives of the next velocity.
    fn along_torques(&mut self, gained: [&[T]; 3]) {
        let (steps, n) = (self.steps, self.contacts.sizes.nv);
        let [_, _, _, moved, _, ddq_fixed, _, _, forces_fixed] = &mut self.later;
        let [_, _, _, ddq_dq, ddq_dv, ddq_dtau, forces_dq, forces_dv, forces_dtau] = &mut self.begins;
        for (fixed, by_torques) in [(&mut *ddq_fixed, &mut *ddq_dtau), (forces_fixed, forces_dtau)] {
            fixed.copy_from_slice(by_torques);
            by_torques.fill(T::zero());
        }
        let each = [(ddq_dq, forces_dq), (ddq_dv, forces_dv), (ddq_dtau, forces_dtau)];
        for (k, ((ddq, forces), gained)) in each.into_iter().zip(gained).enumerate() {
            // v and tau enter the torques of their own coordinates.
            let [of_v, of_tau] = [1, 2].map(|of| if k == of { T::one() } else { T::zero() });
            for (at, (to, gained)) in moved.iter_mut().zip(gained).enumerate() {
                let (damping, is_own) = (T::from_f64(steps.damping(at % n)), at % (n + 1) == 0);
                *to = match is_own {
                    true => of_tau - damping * (*gained - of_v),
                    false => -(damping * *gained),
                };
            }
            add_product(ddq, ddq_fixed, moved, n);
            add_product(forces, forces_fixed, moved, n);
        }
    }
}

/// `to += left right`, of a square matrix on the right. Matrices are by columns.
fn add_product<T: Number>(to: &mut [T], left: &[T], right: &[T], n: usize) {
    let rows = to.len() / n.max(1);
    if rows == 0 {
        return;
    }
    for (to, right) in to.chunks_exact_mut(rows).zip(right.chunks_exact(n)) {
        for (left, x) in left.chunks_exact(rows).zip(right) {
            to.iter_mut().zip(left).for_each(|(to, left)| *to = left.mul_add(*x, *to));
        }
    }
}

impl<'a, T: Number> StepRobot<T> for UnderContacts<'a, T> {
    type Joints = std::iter::Copied<std::slice::Iter<'a, MovingJoint>>;

    fn joints(&self) -> Self::Joints {
        self.steps.joints()
    }

    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]) {
        self.robot.rounded().integrate_into(q, u, out);
    }

    fn damping(&self, coordinate: usize) -> f64 {
        self.steps.damping(coordinate)
    }

    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        let begins = self.begins();
        ddq.copy_from_slice(self.dynamics(Of::Dynamics, [q, v, tau], begins)[0]);
    }

    /// The results do not belong to the step: torques are found by them.
    fn aba_by_torques(&mut self, q: &[T], v: &[T], tau: &[T]) -> [&[T]; 2] {
        let found = self.dynamics(Of::DynamicsDerivatives, [q, v, tau], false);
        [found[0], found[BY_TORQUES]]
    }

    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        let begins = self.begins();
        let [ddq, _, _, by_q, by_v, by_tau, ..] = self.dynamics(Of::DynamicsDerivatives, [q, v, tau], begins);
        Accelerations { ddq, by: [by_q, by_v, by_tau] }
    }

    fn aba_hessian(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
    ) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        let [ddq, _, _, by_q, by_v, by_tau, ..] = &mut self.later;
        let first = Some([&mut **ddq, &mut **by_q, &mut **by_v, &mut **by_tau]);
        let out = self.second.each_mut().map(|to| &mut **to);
        let (of, held) = ((self.robot, self.contacts, self.parameters), (self.active, self.settings));
        HessianCall::new(of, &mut *self.work, q, [v, tau, lambda], self.no_forces, held, first, out).call();
        let [ddq, _, _, by_q, by_v, by_tau, ..] = &self.later;
        let [_, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau] = &self.second;
        let second = Weighted { gradients: [dq, dv, dtau], dqdq, dqdv, dvdv, dqdtau };
        (Accelerations { ddq, by: [by_q, by_v, by_tau] }, second)
    }
}

impl Contacts {
    /// Lengths of the results of dynamics: of accelerations, forces, residuals, and derivatives.
    pub(super) fn lengths(&self) -> [usize; 9] {
        let (n, rows) = (self.sizes.nv, self.sizes.nr);
        let (square, wide) = (n * n, rows * n);
        [n, rows, rows, square, square, square, wide, wide, wide]
    }

    /// Lengths of what controls are turned to torques by: two torques, and derivatives by torques of the next
    /// configuration, the next velocity, accelerations and forces.
    fn lengths_of_controls(&self) -> [usize; 6] {
        let (n, rows) = (self.sizes.nv, self.sizes.nr);
        [n, n, n * n, n * n, n * n, rows * n]
    }

    /// Lengths of the results of Hessians.
    fn lengths_of_hessians(&self) -> [usize; 8] {
        let n = self.sizes.nv;
        [1, n, n, n, n * n, n * n, n * n, n * n]
    }

    /// Numbers of memory that a step takes for results of its later stages, for Hessians with the weights of
    /// forces, and for torques.
    pub fn work_of_steps(&self) -> usize {
        let of_hessians = self.lengths_of_hessians().iter().sum::<usize>() + self.sizes.nr;
        of_hessians + self.lengths().iter().chain(&self.lengths_of_controls()).sum::<usize>()
    }
}

/// A robot whose contacts hold, scratch, and what is left of the memory.
type Ready<'a, T> = (UnderContacts<'a, T>, Scratch<'a, T>, &'a mut [T]);

/// No memory.
fn nothing<'a, T>() -> &'a mut [T] {
    &mut []
}

impl<'a, T: Number> StepsWithParameters<'a, T> {
    /// Checks lengths, and takes the workspace apart: the robot under contacts, whose results have no place
    /// yet, scratch, and other memory.
    fn under_contacts(
        self,
        function: &'static str,
        workspace: &'a mut Workspace<T>,
        [q, v]: [&[T]; 2],
        controls: &Controls<'_, T>,
        (active, settings): Held<'a, T>,
        next_state: [usize; 2],
    ) -> Result<Ready<'a, T>, Error> {
        let steps = self.steps(function, controls)?;
        let contacts = self.robot.contacts_for(function)?;
        let (nq, nv, nc) = (contacts.sizes.nq, contacts.sizes.nv, contacts.sizes.nc);
        check(
            function,
            [
                ("q", nq, q.len()),
                ("v", nv, v.len()),
                controls.length(steps),
                ("active", nc, active.len()),
                ("q of the next state", nq, next_state[0]),
                ("v of the next state", nv, next_state[1]),
            ],
        )?;
        if !settings.anchors.is_empty() {
            check(function, [("anchors", nc, settings.anchors.len())])?;
        }
        let parameters = self.robot.own().unless(function, self.parameters)?;
        let mut memory = workspace.memory();
        let of_functions = self.robot.work_of_functions();
        if memory.len() < of_functions + contacts.work_of_steps() + steps.scratch() {
            return Err(Error::Workspace(function));
        }
        let work = next(&mut memory, of_functions);
        let later = contacts.lengths().map(|length| next(&mut memory, length));
        let (scratch, rest) = steps.split(memory);
        let robot = UnderContacts {
            robot: self.robot,
            steps,
            contacts,
            parameters,
            work,
            active,
            settings: *settings,
            begins: [(); 9].map(|()| nothing()),
            later,
            second: [(); 8].map(|()| nothing()),
            no_forces: &[],
            has_begun: false,
        };
        Ok((robot, scratch, rest))
    }

    /// Writes the next state, accelerations, forces and residual.
    pub(super) fn contact_step_of(
        self,
        workspace: &mut Workspace<T>,
        [q, v]: [&[T]; 2],
        controls: Controls<'_, T>,
        dt: T,
        held: Held<'_, T>,
        [next_q, next_v, ddq, forces, residual]: [&mut [T]; 5],
    ) -> Result<(), Error> {
        let function = controls.name("contact_step", "actuated_contact_step");
        let next_state = [next_q.len(), next_v.len()];
        let (mut at, scratch, mut memory) =
            self.under_contacts(function, workspace, [q, v], &controls, held, next_state)?;
        let [n, nr, ..] = at.contacts.lengths();
        let results = [("ddq", n, ddq.len()), ("forces", nr, forces.len()), ("residual", nr, residual.len())];
        check(function, results)?;
        for (to, result) in at.begins.iter_mut().zip([ddq, forces, residual]) {
            *to = result;
        }
        let (steps, tau) = (at.steps, controls.torques(at.steps, &mut memory));
        let state = State { q, v, tau, dt };
        step::step(&mut at, steps.integrator(), &state, scratch, [next_q, &mut *next_v]);
        if at.is_damped() {
            at.dynamics_during(&state, next_v, next(&mut memory, n));
        }
        Ok(())
    }

    /// Writes the next state, accelerations, forces and residual with their derivatives, in the order of the
    /// fields of the results.
    pub(super) fn contact_derivatives_of(
        self,
        workspace: &mut Workspace<T>,
        [q, v]: [&[T]; 2],
        controls: Controls<'_, T>,
        dt: T,
        held: Held<'_, T>,
        out: [&mut [T]; 17],
    ) -> Result<(), Error> {
        let function = controls.name("contact_step_derivatives", "actuated_contact_step_derivatives");
        let [next_q, next_v, dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du, dynamics @ ..] = out;
        let [ddq, forces, residual, ddq_dq, ddq_dv, ddq_du, forces_dq, forces_dv, forces_du] = dynamics;
        let next_state = [next_q.len(), next_v.len()];
        let (mut at, scratch, mut memory) =
            self.under_contacts(function, workspace, [q, v], &controls, held, next_state)?;
        let (steps, [n, nr, _, square, .., wide]) = (self.steps(function, &controls)?, at.contacts.lengths());
        let each = controls.each(steps);
        let results = [("ddq", n, ddq.len()), ("forces", nr, forces.len()), ("residual", nr, residual.len())];
        check(function, results)?;
        for of in [&*dq_dq, &*dq_dv, &*dv_dq, &*dv_dv, &*ddq_dq, &*ddq_dv] {
            check(function, [("derivatives", square, of.len())])?;
        }
        for of in [&*forces_dq, &*forces_dv] {
            check(function, [("derivatives", wide, of.len())])?;
        }
        let mut by_controls = [dq_du, dv_du, ddq_du, forces_du];
        let rows = [n, n, n, nr];
        for (of, rows) in by_controls.iter().zip(rows) {
            check(function, [("derivatives", rows * each, of.len())])?;
        }

        let state = State { q, v, tau: controls.torques(steps, &mut memory), dt };
        let mut by_torques = match controls {
            Controls::All(_) => None,
            Controls::Actuated(_) => Some(rows.map(|rows| next(&mut memory, rows * n))),
        };
        let [dq_dtau, dv_dtau, ddq_dtau, forces_dtau] =
            by_torques.as_mut().unwrap_or(&mut by_controls).each_mut().map(|of| &mut **of);
        at.begins = [ddq, forces, residual, ddq_dq, ddq_dv, ddq_dtau, forces_dq, forces_dv, forces_dtau];
        let blocks = [dq_dq, dq_dv, dq_dtau, &mut *dv_dq, &mut *dv_dv, &mut *dv_dtau];
        let mut out = DerivativesOut { q: next_q, v: next_v, blocks };
        step::step_derivatives(&mut at, steps.integrator(), &state, scratch, &mut out);
        if at.is_damped() {
            at.along_torques([dv_dq, dv_dv, dv_dtau]);
        }
        if let Some(by_torques) = by_torques {
            for ((to, of), rows) in by_controls.into_iter().zip(by_torques).zip(rows) {
                columns(steps.actuated(), of, rows, to);
            }
        }
        Ok(())
    }
    /// Writes value, gradient and Hessian of a weighted step, in the order of the fields of the results.
    #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
    pub(super) fn contact_hessian_of(
        self,
        workspace: &mut Workspace<T>,
        [q, v]: [&[T]; 2],
        controls: Controls<'_, T>,
        dt: T,
        held: Held<'_, T>,
        lambda: [&[T]; 2],
        out: [&mut [T]; 10],
    ) -> Result<(), Error> {
        let function = controls.name("contact_step_hessian", "actuated_contact_step_hessian");
        self.robot.has_contact_hessian(function)?;
        let sizes = self.robot.contacts_for(function)?.sizes;
        let next_state = [sizes.nq, sizes.nv];
        let (mut at, scratch, mut memory) =
            self.under_contacts(function, workspace, [q, v], &controls, held, next_state)?;
        let (n, steps) = (sizes.nv, at.steps);
        let (square, each) = (n * n, controls.each(steps));
        let lengths = [1, n, n, each, square, square, square, n * each, n * each, each * each];
        for (length, of) in lengths.into_iter().zip(&out) {
            check(function, [("a result", length, of.len())])?;
        }
        check(function, [("lambda_q", n, lambda[0].len()), ("lambda_v", n, lambda[1].len())])?;
        at.second = at.contacts.lengths_of_hessians().map(|length| next(&mut memory, length));
        let no_forces = next(&mut memory, sizes.nr);
        no_forces.fill(T::zero());
        at.no_forces = no_forces;
        // No results belong to the beginning of the step.
        at.has_begun = true;
        Weights { dt, lambda }.write(&mut at, steps, [q, v], controls, scratch, &mut memory, out);
        Ok(())
    }
}
