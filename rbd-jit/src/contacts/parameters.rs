//! Inertias and gravity that functions of contacts are given at run time.

use super::call::{Given, Of};
use super::{Contacts, call};
use crate::{Error, Loaded, Number, Workspace};
use rbd_runtime::Model;

/// Inertias and gravity that are given at run time, of a robot that takes them. An empty one is the URDF's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters<'a, T = f64> {
    /// Ten numbers for each of [`rbd_runtime::model::RunTime::inertias`], in their order: m, hx, hy, hz, Jxx,
    /// Jxy, Jyy, Jxz, Jyz, Jzz.
    pub inertia: &'a [T],
    /// Gravitational acceleration in the world, m/s^2.
    pub gravity: &'a [T],
}

impl<T> Default for Parameters<'_, T> {
    fn default() -> Self {
        Self { inertia: &[], gravity: &[] }
    }
}

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

/// A robot's own inertias and gravity, as far as its functions take any.
#[derive(Clone, Debug)]
pub(super) struct Own<T> {
    inertia: Vec<T>,
    gravity: Vec<T>,
}

impl<T: Number> Own<T> {
    /// The URDF's inertias, no loads, and the option's gravity.
    pub fn of(model: &Model<f64>) -> Self {
        let inertia = model.run_time.inertias.iter().flat_map(|given| match given.whole {
            true => model.bodies[given.body].inertia.parameters(),
            false => [0.0; 10],
        });
        let gravity = if model.run_time.gravity { model.gravity.as_slice() } else { &[] };
        Self {
            inertia: inertia.map(T::from_f64).collect(),
            gravity: gravity.iter().map(|x| T::from_f64(*x)).collect(),
        }
    }
}

impl<T: Number> Contacts<T> {
    /// What was given, and the robot's own in place of what was not.
    ///
    /// # Errors
    /// If a length is another one than the robot's.
    pub(super) fn parameters<'a>(
        &'a self,
        function: &'static str,
        given: Parameters<'a, T>,
    ) -> Result<Parameters<'a, T>, Error> {
        let either = |name: &'static str, own: &'a [T], given: &'a [T]| match given.len() {
            0 => Ok(own),
            length if length == own.len() => Ok(given),
            length => Err(Error::Length { function, name, expected: own.len(), given: length }),
        };
        Ok(Parameters {
            inertia: either("inertia", &self.own.inertia, given.inertia)?,
            gravity: either("gravity", &self.own.gravity, given.gravity)?,
        })
    }
}
