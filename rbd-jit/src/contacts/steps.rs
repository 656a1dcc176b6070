//! The discrete step under contacts: the runtime's integrators, on accelerations under contacts.

use super::call::{Given, Of, Problem};
use super::{ContactSettings, Contacts, Parameters};
use crate::results::Results;
use crate::steps::{Steps, check, fit, next};
use crate::{Error, Loaded, Number, StepDerivatives, Workspace};
use rbd_runtime::Integrator;
use rbd_runtime::step::{
    self, Accelerations, DerivativesOut, MovingJoint, Scratch, State, StepRobot, Weighted,
};

/// Accelerations and contact forces, as `contact_dynamics` has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactDynamics<T = f64> {
    /// Accelerations (nv).
    pub ddq: Vec<T>,
    /// Forces of all contacts, row by row (nr), N, N m.
    pub forces: Vec<T>,
    /// What is left of the contacts' equations, row by row (nr).
    pub residual: Vec<T>,
}

/// Accelerations and contact forces with their derivatives, as `contact_dynamics_derivatives` has them.
/// Matrices are by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactDynamicsDerivatives<T = f64> {
    /// Accelerations (nv).
    pub ddq: Vec<T>,
    /// Forces of all contacts, row by row (nr), N, N m.
    pub forces: Vec<T>,
    /// What is left of the contacts' equations, row by row (nr).
    pub residual: Vec<T>,
    /// Derivative of the accelerations by the configuration (nv x nv).
    pub ddq_dq: Vec<T>,
    /// Derivative of the accelerations by the velocity (nv x nv).
    pub ddq_dv: Vec<T>,
    /// Derivative of the accelerations by the torques (nv x nv).
    pub ddq_dtau: Vec<T>,
    /// Derivative of the forces by the configuration (nr x nv).
    pub forces_dq: Vec<T>,
    /// Derivative of the forces by the velocity (nr x nv).
    pub forces_dv: Vec<T>,
    /// Derivative of the forces by the torques (nr x nv).
    pub forces_dtau: Vec<T>,
}

/// Results of `contact_step`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactStep<T = f64> {
    /// Next configuration (nq).
    pub q: Vec<T>,
    /// Next velocity (nv).
    pub v: Vec<T>,
    /// Accelerations and contact forces at the beginning of the step.
    pub dynamics: ContactDynamics<T>,
}

/// Results of `contact_step_derivatives`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactStepDerivatives<T = f64> {
    /// The next state and its derivatives.
    pub step: StepDerivatives<T>,
    /// Accelerations and contact forces at the beginning of the step, with their derivatives.
    pub dynamics: ContactDynamicsDerivatives<T>,
}

impl<T> Results<T, 5> for ContactStep<T> {
    fn all(&mut self) -> [&mut Vec<T>; 5] {
        let Self { q, v, dynamics: ContactDynamics { ddq, forces, residual } } = self;
        [q, v, ddq, forces, residual]
    }
}

impl<T> Results<T, 17> for ContactStepDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 17] {
        let ContactDynamicsDerivatives {
            ddq,
            forces,
            residual,
            ddq_dq,
            ddq_dv,
            ddq_dtau,
            forces_dq,
            forces_dv,
            forces_dtau,
        } = &mut self.dynamics;
        let StepDerivatives { q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau } = &mut self.step;
        let (by, forces_by) = ([ddq_dq, ddq_dv, ddq_dtau], [forces_dq, forces_dv, forces_dtau]);
        let ([a, b, c], [d, e, f]) = (by, forces_by);
        [q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau, ddq, forces, residual, a, b, c, d, e, f]
    }
}

/// Results of dynamics under contacts: accelerations, forces, residual, and derivatives if there are any.
type Dynamics<'a, T, const N: usize> = [&'a mut [T]; N];

/// A robot whose contacts hold, with memory for results of its dynamics.
struct UnderContacts<'r, 'm, T: Number, const N: usize> {
    robot: &'r Loaded<T>,
    steps: &'r Steps,
    contacts: &'r Contacts<T>,
    parameters: Parameters<'r, T>,
    work: &'m mut [T],
    active: &'m [bool],
    settings: ContactSettings<'m, T>,
    /// Results of the first call, at the beginning of the step, go here.
    begins: Dynamics<'m, T, N>,
    /// Results of later calls go here.
    later: Dynamics<'m, T, N>,
    is_later: bool,
}

impl<T: Number, const N: usize> UnderContacts<'_, '_, T, N> {
    /// Computes dynamics, and returns their results.
    fn dynamics(&mut self, of: Of, q: &[T], v: &[T], tau: &[T]) -> [&[T]; N] {
        let to = if self.is_later { &mut self.later } else { &mut self.begins };
        self.is_later = true;
        let (robot, contacts, parameters) = (self.robot, self.contacts, self.parameters);
        let (active, settings) = (self.active, self.settings);
        let given = Given { q, state: [v, tau], active, settings, ..Given::default() };
        let outputs = &mut to.each_mut().map(|to| &mut **to)[..];
        T::contacts(Problem { robot, contacts, parameters, work: self.work, of, given, outputs });
        to.each_ref().map(|to| &**to)
    }
}

impl<'r, T: Number, const N: usize> StepRobot<T> for UnderContacts<'r, '_, T, N> {
    type Joints = std::iter::Copied<std::slice::Iter<'r, MovingJoint>>;

    fn joints(&self) -> Self::Joints {
        self.steps.joints()
    }

    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]) {
        self.robot.rounded().integrate_into(q, u, out);
    }

    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        ddq.copy_from_slice(self.dynamics(Of::Dynamics, q, v, tau)[0]);
    }

    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        let found = self.dynamics(Of::DynamicsDerivatives, q, v, tau);
        Accelerations { ddq: found[0], by: [found[3], found[4], found[5]] }
    }

    /// No second derivatives: no step under contacts asks for them.
    fn aba_hessian(&mut self, _: &[T], _: &[T], _: &[T], _: &[T]) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        unreachable!("a step under contacts has no Hessian")
    }
}

impl<T> Contacts<T> {
    /// Lengths of the results of dynamics: of accelerations, forces, residuals, and derivatives.
    fn lengths(&self) -> [usize; 9] {
        let (n, rows) = (self.sizes.nv, self.sizes.nr);
        let (square, wide) = (n * n, rows * n);
        [n, rows, rows, square, square, square, wide, wide, wide]
    }

    /// Numbers of memory that a step takes for results of its later stages.
    pub fn work_of_steps(&self) -> usize {
        self.lengths().iter().sum()
    }
}

#[allow(clippy::too_many_arguments, reason = "as many as the function has")]
impl<T: Number> Loaded<T> {
    /// Checks lengths, and calls with the robot under contacts and the scratch.
    fn with_contact_steps<const N: usize>(
        &self,
        function: &'static str,
        workspace: &mut Workspace<T>,
        [q, v, tau]: [&[T]; 3],
        (active, settings): (&[bool], &ContactSettings<'_, T>),
        [next_q, next_v]: [usize; 2],
        begins: Dynamics<'_, T, N>,
        run: impl FnOnce(&mut UnderContacts<'_, '_, T, N>, Integrator, Scratch<'_, T>),
    ) -> Result<(), Error> {
        let (steps, contacts) = (self.steps_for(function)?, self.contacts_for(function)?);
        let (nq, nv, nc) = (self.nq(), self.nv(), contacts.sizes.nc);
        check(
            function,
            [
                ("q", nq, q.len()),
                ("v", nv, v.len()),
                ("tau", nv, tau.len()),
                ("active", nc, active.len()),
                ("q of the next state", nq, next_q),
                ("v of the next state", nv, next_v),
            ],
        )?;
        if !settings.anchors.is_empty() {
            check(function, [("anchors", nc, settings.anchors.len())])?;
        }
        let names = ["ddq", "forces", "residual"];
        for ((to, expected), k) in begins.iter().zip(contacts.lengths()).zip(0..) {
            check(function, [(names.get(k).copied().unwrap_or("derivatives"), expected, to.len())])?;
        }
        let parameters = contacts.parameters(function, Parameters::default())?;
        let mut memory = workspace.memory();
        let of_functions = self.work_of_functions();
        if memory.len() < of_functions + contacts.work_of_steps() + steps.scratch() {
            return Err(Error::Workspace(function));
        }
        let work = next(&mut memory, of_functions);
        let lengths = contacts.lengths();
        let later = std::array::from_fn(|k| next(&mut memory, lengths[k]));
        let (scratch, _) = steps.split(memory);
        let mut robot = UnderContacts {
            robot: self,
            steps,
            contacts,
            parameters,
            work,
            active,
            settings: *settings,
            begins,
            later,
            is_later: false,
        };
        run(&mut robot, steps.integrator(), scratch);
        Ok(())
    }

    /// Writes the state after a time `dt` (s) under the torques `tau`, with the active contacts held.
    ///
    /// `active` says for each of [`Self::contacts`] whether it holds. Accelerations and forces are those at
    /// the beginning of the step.
    ///
    /// # Errors
    /// If the robot was loaded without the option `step` or without contacts, or a length does not fit.
    pub fn contact_step(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        dt: T,
        active: &[bool],
        settings: &ContactSettings<'_, T>,
        out: &mut ContactStep<T>,
    ) -> Result<(), Error> {
        let contacts = self.contacts_for("contact_step")?;
        let [nv, forces, residual, ..] = contacts.lengths();
        fit(out, [self.nq(), nv, nv, forces, residual]);
        self.contact_step_in(workspace, [q, v, tau], dt, (active, settings), out.slices())
    }

    /// As [`Self::contact_step`], with results in the order of the fields.
    ///
    /// # Errors
    /// Those of [`Self::contact_step`].
    #[doc(hidden)]
    pub fn contact_step_in(
        &self,
        workspace: &mut Workspace<T>,
        [q, v, tau]: [&[T]; 3],
        dt: T,
        held: (&[bool], &ContactSettings<'_, T>),
        [next_q, next_v, ddq, forces, residual]: [&mut [T]; 5],
    ) -> Result<(), Error> {
        let (function, lengths) = ("contact_step", [next_q.len(), next_v.len()]);
        let begins = [ddq, forces, residual];
        self.with_contact_steps(function, workspace, [q, v, tau], held, lengths, begins, |at, by, scratch| {
            step::step(at, by, &State { q, v, tau, dt }, scratch, [next_q, next_v]);
        })
    }

    /// [`Self::contact_step`] with exact derivatives of the next state and of the contact forces.
    ///
    /// `A = [dq_dq dq_dv; dv_dq dv_dv]`, `B = [dq_dtau; dv_dtau]`
    ///
    /// # Errors
    /// Those of [`Self::contact_step`].
    pub fn contact_step_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        dt: T,
        active: &[bool],
        settings: &ContactSettings<'_, T>,
        out: &mut ContactStepDerivatives<T>,
    ) -> Result<(), Error> {
        let contacts = self.contacts_for("contact_step_derivatives")?;
        let [nv, nr, _, square, .., wide] = contacts.lengths();
        let step = [self.nq(), nv, square, square, square, square, square, square];
        let [a, b, c, d, e, f, g, h] = step;
        fit(out, [a, b, c, d, e, f, g, h, nv, nr, nr, square, square, square, wide, wide, wide]);
        self.contact_step_derivatives_in(workspace, [q, v, tau], dt, (active, settings), out.slices())
    }

    /// As [`Self::contact_step_derivatives`], with results in the order of the fields: those of
    /// `step_derivatives`, then those of `contact_dynamics_derivatives`.
    ///
    /// # Errors
    /// Those of [`Self::contact_step`].
    #[doc(hidden)]
    pub fn contact_step_derivatives_in(
        &self,
        workspace: &mut Workspace<T>,
        [q, v, tau]: [&[T]; 3],
        dt: T,
        held: (&[bool], &ContactSettings<'_, T>),
        out: [&mut [T]; 17],
    ) -> Result<(), Error> {
        let [next_q, next_v, a, b, c, d, e, f, begins @ ..] = out;
        let (function, lengths) = ("contact_step_derivatives", [next_q.len(), next_v.len()]);
        let (blocks, square) = ([a, b, c, d, e, f], self.nv() * self.nv());
        for block in &blocks {
            check(function, [("derivatives", square, block.len())])?;
        }
        self.with_contact_steps(function, workspace, [q, v, tau], held, lengths, begins, |at, by, scratch| {
            let mut out = DerivativesOut { q: next_q, v: next_v, blocks };
            step::step_derivatives(at, by, &State { q, v, tau, dt }, scratch, &mut out);
        })
    }
}
