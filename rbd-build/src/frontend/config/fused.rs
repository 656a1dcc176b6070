//! The option for fused functions.

use super::step::METHODS_OF_STEPS;
use super::{Error, Robot};
use crate::fused::{Fault, Fused, FusedFunction};
use crate::table::family::METHODS_OF_ALL;
use crate::table::functions::{FUNCTIONS, contact_functions};
use crate::urdf::Reading;

/// Methods of robots with contacts that are no rows of a table, without `_into`.
const METHODS_OF_CONTACTS: [&str; 11] = [
    "contact_dynamics_hessian",
    "contact_dynamics_hessian_with",
    "contact_dynamics_hessian_with_first_with",
    "friction_step",
    "friction_step_derivatives",
    "friction_step_derivatives_with",
    "friction_step_with",
    "friction_step_with_joints",
    "friction_step_with_joints_derivatives",
    "friction_step_with_joints_derivatives_with",
    "friction_step_with_joints_with",
];

/// Methods for frames that a generated type has beside its functions.
const TAKEN: [&str; 2] = ["frame", "transport"];

impl From<Fault> for Error {
    fn from(Fault(what): Fault) -> Self {
        Self::Option { name: "fused", what }
    }
}

impl Robot {
    /// Generates one function for several quantities.
    ///
    /// Common parts such as sines, changes of frame and inertias are computed once.
    /// The result is a struct next to the robot's type, with a field for each quantity.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), rbd_build::Error> {
    /// let step =
    ///     "Step: ddq, ddq_dq, ddq_dv, placement(tool0), jacobian(tool0, local_world_aligned), com".parse()?;
    /// rbd_build::Robot::from_urdf("robots/arm.urdf").fused(step).generate()?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn fused(mut self, fused: Fused) -> Self {
        for (name, _) in fused.entries().iter().filter_map(|entry| entry.frame()) {
            if self.read.fused_frames.iter().all(|known| known != name) {
                self.read.fused_frames.push(name.to_owned());
            }
        }
        self.fused.push(fused);
        self
    }

    /// Checks the lists of quantities and that names of fused functions are unique.
    pub(super) fn check_fused(&self, reading: &Reading) -> Result<(), Error> {
        if !self.fused.is_empty() && !reading.model.run_time.is_none() {
            let what =
                "inertia and gravity are constants in fused functions; leave out what is given at run time";
            return Err(Fault(what.into()).into());
        }
        for (k, fused) in self.fused.iter().enumerate() {
            FusedFunction::new(fused, &reading.model)?;
            let (name, method) = (fused.name(), fused.method());
            let earlier = self.fused[..k].iter();
            if earlier.clone().any(|f| f.name() == name) {
                return Err(Fault(format!("there is another type `{name}`")).into());
            }
            let plain = method.strip_suffix("_into").unwrap_or(&method);
            let plain = plain.strip_suffix("_with_first").unwrap_or(plain);
            let of_table = FUNCTIONS.iter().any(|spec| spec.name == plain)
                || contact_functions().any(|(spec, form)| form.name(spec.name) == plain)
                || METHODS_OF_CONTACTS.contains(&plain);
            let taken = [&TAKEN[..], &METHODS_OF_ALL].concat().contains(&method.as_str())
                || earlier.into_iter().any(|f| f.method() == plain);
            let of_step = self.rust.step.is_some() && METHODS_OF_STEPS.contains(&plain);
            if of_table || taken || of_step {
                let what = format!("there is another function `{method}`; call the result something else");
                return Err(Fault(what).into());
            }
        }
        Ok(())
    }

    /// Fused functions of the robot read from the URDF.
    pub(super) fn calls(&self, reading: &Reading) -> Vec<FusedFunction> {
        let calls = self.fused.iter().map(|fused| FusedFunction::new(fused, &reading.model));
        calls.map(|call| call.expect("lists are judged with the other options")).collect()
    }
}
