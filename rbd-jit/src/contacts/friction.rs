//! The step with friction, on slices: the runtime's step, in matrices of the sizes that contacts have.

use super::at::At;
use super::call::padded;
use super::{Compiled, Contacts, ContactsWithParameters};
use crate::stack::with_stack;
use crate::steps::check;
use crate::{Error, Loaded, Number, Parameters, Workspace};
use rbd_build::signature::Sizes;
use rbd_runtime::ContactKind;
use rbd_runtime::contact::{FrictionVelocities, friction_step};
use rbd_runtime::friction::{
    ContactMode, ContactSurface, FrictionIterations, FrictionReport, FrictionResiduals, FrictionSettings,
};
use std::cell::RefCell;

/// Results of `friction_step`: the next state, impulses, and how far they are from the laws of contact.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionStep<T = f64> {
    /// Configuration after the step (nq).
    pub q: Vec<T>,
    /// Velocity after the step (nv).
    pub v: Vec<T>,
    /// Impulses of the world on the robot, row by row, in the world's axes (nr), N s.
    ///
    /// Rows of closed loops are in the axes of the loop's first frame.
    pub impulses: Vec<T>,
    /// Mode of each contact (nc). Closed loops stick.
    pub modes: Vec<ContactMode>,
    /// How far the contacts are from the laws of contact.
    pub residuals: FrictionResiduals<T>,
    /// What the solution took.
    pub iterations: FrictionIterations,
    /// Whether all residuals are at most the tolerance. If not, impulses are in their cones, and the others
    /// are the best that were found.
    pub converged: bool,
}

impl<T: Number> Default for FrictionStep<T> {
    fn default() -> Self {
        let zero = T::zero();
        Self {
            q: Vec::new(),
            v: Vec::new(),
            impulses: Vec::new(),
            modes: Vec::new(),
            residuals: FrictionResiduals { signorini: zero, coulomb: zero, feasibility: zero, natural: zero },
            iterations: FrictionIterations::default(),
            converged: false,
        }
    }
}

/// What a step with friction is given.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct FrictionGiven<'a, T> {
    /// Configuration.
    pub q: &'a [T],
    /// Velocity.
    pub v: &'a [T],
    /// Torques.
    pub tau: &'a [T],
    /// Time, s.
    pub dt: T,
    /// What each contact meets.
    pub surfaces: &'a [Option<ContactSurface<T>>],
    /// Settings of the step and its solver.
    pub settings: &'a FrictionSettings<T>,
    /// Impulses of the last step, from which the solver begins.
    pub start: Option<&'a [T]>,
}

/// Where the results of a step with friction go.
#[doc(hidden)]
#[derive(Debug)]
pub struct FrictionOut<'a, T> {
    /// Configuration.
    pub q: &'a mut [T],
    /// Velocity.
    pub v: &'a mut [T],
    /// Impulses.
    pub impulses: &'a mut [T],
    /// Modes.
    pub modes: &'a mut [ContactMode],
}

/// A step with friction, with arguments and results that fit.
#[derive(Debug)]
pub struct FrictionCall<'a, 'o, T: Number> {
    robot: &'a Loaded<T>,
    contacts: &'a Contacts,
    parameters: Parameters<'a, T>,
    work: &'a mut [T],
    given: FrictionGiven<'a, T>,
    out: FrictionOut<'o, T>,
}

impl<T: Number> FrictionCall<'_, '_, T> {
    /// Computes it by matrices of the robot's size. [`Number::friction`] calls it, so that it is compiled in
    /// this crate and not again in those that use it.
    #[inline(always)]
    pub fn solve(self) -> FrictionReport<T> {
        // Robots have no contacts then, and nothing below is compiled.
        if !cfg!(feature = "contacts") {
            let FrictionStep { residuals, iterations, converged, .. } = FrictionStep::default();
            return FrictionReport { residuals, iterations, converged };
        }
        let compiled = self.contacts.compiled;
        let run = || {
            if T::IS_DOUBLE {
                match compiled {
                    Compiled::Small => return run::<T, 24, 8, 24>(self),
                    Compiled::Large => return run::<T, 64, 32, 96>(self),
                    Compiled::Medium | Compiled::Largest => {}
                }
            }
            match compiled {
                Compiled::Small | Compiled::Medium => run::<T, 40, 16, 48>(self),
                Compiled::Large | Compiled::Largest => run::<T, 128, 64, 192>(self),
            }
        };
        with_stack(compiled.stack_with_friction::<T>(), run)
    }
}

/// Computes a step by matrices of these sizes.
fn run<T: Number, const NV: usize, const NC: usize, const NR: usize>(
    call: FrictionCall<'_, '_, T>,
) -> FrictionReport<T> {
    let FrictionCall { robot, contacts, parameters, work, given, out } = call;
    let Sizes { nv, nr, nc, .. } = contacts.sizes;
    let at: At<'_, T, NC> = At {
        robot,
        contacts,
        tables: contacts.tables[..].try_into().expect("there are as many"),
        q: given.q,
        parameters,
        // Only derivatives read them.
        relatives: [&[], &[]],
        work: RefCell::new(work),
    };
    let [v, tau] = [given.v, given.tau].map(padded::<T, NV>);
    let start = given.start.map(padded::<T, NR>);
    let mut surfaces = [None; NC];
    surfaces[..nc].copy_from_slice(given.surfaces);
    let found: FrictionVelocities<T, NV, NC, NR> =
        friction_step(&at, (&v, &tau, given.dt), &surfaces, given.settings, start.as_ref());
    robot.rounded().integrate_into(given.q, &found.motion.as_slice()[..nv], out.q);
    out.v.copy_from_slice(&found.v.as_slice()[..nv]);
    out.impulses.copy_from_slice(&found.impulses.as_slice()[..nr]);
    out.modes.copy_from_slice(&found.modes[..nc]);
    found.report
}

impl<T: Number> Loaded<T> {
    /// Why the robot has no step with friction, if it has none.
    ///
    /// # Errors
    /// If the robot was loaded without contacts, or one of them is a plane.
    pub fn friction_is_there(&self) -> Result<(), Error> {
        let contacts = self.contacts_for("friction_step")?;
        // A closed loop is held, of whatever kind it is.
        let is_plane = |of: &&super::Contact| of.kind == ContactKind::Plane && of.second.is_none();
        let plane = contacts.all().iter().find(is_plane);
        plane.map_or(Ok(()), |contact| Err(Error::Plane(contact.name.clone())))
    }
}

/// Computes a step of a robot with these inertias and this gravity.
fn step<T: Number>(
    (robot, parameters): (&Loaded<T>, Parameters<'_, T>),
    workspace: &mut Workspace<T>,
    given: FrictionGiven<'_, T>,
    out: FrictionOut<'_, T>,
) -> Result<FrictionReport<T>, Error> {
    let function = "friction_step";
    robot.friction_is_there()?;
    let contacts = robot.contacts_for(function)?;
    let parameters = robot.own().unless(function, parameters)?;
    let Sizes { nq, nv, nr, nc, .. } = contacts.sizes;
    let lengths = [
        ("q", nq, given.q.len()),
        ("v", nv, given.v.len()),
        ("tau", nv, given.tau.len()),
        ("surfaces", nc, given.surfaces.len()),
        ("last.impulses", nr, given.start.map_or(nr, <[T]>::len)),
        ("next q", nq, out.q.len()),
        ("next v", nv, out.v.len()),
        ("impulses", nr, out.impulses.len()),
        ("modes", nc, out.modes.len()),
    ];
    check(function, lengths)?;
    let work = workspace.memory();
    if work.len() < robot.work_of_functions() {
        return Err(Error::Workspace(function));
    }
    Ok(T::friction(FrictionCall { robot, contacts, parameters, work, given, out }))
}

macro_rules! steps_with_friction {
    ($robot:ty) => {
        #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
        impl<T: Number> $robot {
            /// The state after a time `dt` (s) under torques and contacts with friction.
            ///
            /// `M (v+ - v) = dt (tau - b) + J^T impulses`, `q+ = integrate(q, dt v+)`
            ///
            /// - `surfaces`: what each of [`Loaded::contacts`] meets, or `None` if nothing is near. Closed
            ///   loops ignore theirs.
            /// - `last`: result of the last step, from which the solver begins.
            ///
            /// With `dt = 0`, it is an impact: velocities change, and positions do not.
            ///
            /// # Errors
            /// If the robot was loaded without contacts, one of them is a plane, or a length does not fit.
            pub fn friction_step(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                dt: T,
                surfaces: &[Option<ContactSurface<T>>],
                settings: &FrictionSettings<T>,
                last: Option<&FrictionStep<T>>,
                out: &mut FrictionStep<T>,
            ) -> Result<(), Error> {
                let sizes = self.with_parameters().0.contacts_for("friction_step")?.sizes;
                out.q.resize(sizes.nq, T::zero());
                out.v.resize(sizes.nv, T::zero());
                out.impulses.resize(sizes.nr, T::zero());
                out.modes.resize(sizes.nc, ContactMode::Open);
                let start = last.map(|last| &last.impulses[..]);
                let given = FrictionGiven { q, v, tau, dt, surfaces, settings, start };
                let FrictionStep { q, v, impulses, modes, .. } = out;
                let report =
                    self.friction_step_in(workspace, given, FrictionOut { q, v, impulses, modes })?;
                FrictionReport {
                    residuals: out.residuals,
                    iterations: out.iterations,
                    converged: out.converged,
                } = report;
                Ok(())
            }

            /// As [`Self::friction_step`], on slices.
            ///
            /// # Errors
            /// Those of [`Self::friction_step`].
            #[doc(hidden)]
            pub fn friction_step_in(
                &self,
                workspace: &mut Workspace<T>,
                given: FrictionGiven<'_, T>,
                out: FrictionOut<'_, T>,
            ) -> Result<FrictionReport<T>, Error> {
                step(self.with_parameters(), workspace, given, out)
            }
        }
    };
}

steps_with_friction!(Loaded<T>);
steps_with_friction!(ContactsWithParameters<'_, T>);
