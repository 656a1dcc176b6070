//! Inertias and gravity that functions of contacts are given at run time.

use super::call;
use super::call::{Given, Of};
use crate::{Error, Loaded, Number, Parameters, Workspace};

/// A loaded robot with inertias and gravity of one's own. It has the functions of contacts.
///
/// Made by [`Loaded::contacts_with`].
#[derive(Clone, Copy, Debug)]
pub struct ContactsWithParameters<'a, T: Number = f64> {
    robot: &'a Loaded<T>,
    parameters: Parameters<'a, T>,
}

impl<T: Number> Loaded<T> {
    /// Functions of contacts with these inertias and this gravity, in place of the URDF's.
    ///
    /// Their lengths are checked when a function is called.
    #[must_use]
    pub fn contacts_with<'a>(&'a self, parameters: Parameters<'a, T>) -> ContactsWithParameters<'a, T> {
        ContactsWithParameters { robot: self, parameters }
    }

    pub(super) fn with_parameters(&self) -> (&Self, Parameters<'_, T>) {
        (self, Parameters::default())
    }

    pub(super) fn contact(
        &self,
        workspace: &mut Workspace<T>,
        of: Of,
        given: Given<'_, T>,
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        call::contact(self.with_parameters(), workspace, of, given, outputs)
    }
}

impl<T: Number> ContactsWithParameters<'_, T> {
    pub(super) fn with_parameters(&self) -> (&Loaded<T>, Parameters<'_, T>) {
        (self.robot, self.parameters)
    }

    pub(super) fn contact(
        &self,
        workspace: &mut Workspace<T>,
        of: Of,
        given: Given<'_, T>,
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        call::contact(self.with_parameters(), workspace, of, given, outputs)
    }
}
