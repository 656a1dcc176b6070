//! Inertias and gravity that functions of contacts are given at run time.

use super::call::{Given, Of};
use super::{Contacts, call};
use crate::{Error, Loaded, Workspace};
use rbd_runtime::Model;

/// Inertias and gravity that are given at run time, of a robot that takes them. An empty one is the URDF's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters<'a> {
    /// Ten numbers for each of [`rbd_runtime::model::RunTime::inertias`], in their order: m, hx, hy, hz, Jxx,
    /// Jxy, Jyy, Jxz, Jyz, Jzz.
    pub inertia: &'a [f64],
    /// Gravitational acceleration in the world, m/s^2.
    pub gravity: &'a [f64],
}

/// A loaded robot with inertias and gravity of one's own. It has the functions of contacts.
///
/// Made by [`Loaded::contacts_with`].
#[derive(Clone, Copy, Debug)]
pub struct ContactsWithParameters<'a> {
    robot: &'a Loaded,
    parameters: Parameters<'a>,
}

impl Loaded {
    /// Functions of contacts with these inertias and this gravity, in place of the URDF's.
    ///
    /// Their lengths are checked when a function is called.
    #[must_use]
    pub fn contacts_with<'a>(&'a self, parameters: Parameters<'a>) -> ContactsWithParameters<'a> {
        ContactsWithParameters { robot: self, parameters }
    }

    pub(super) fn contact(
        &self,
        workspace: &mut Workspace,
        of: Of,
        given: Given<'_>,
        outputs: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        call::contact((self, Parameters::default()), workspace, of, given, outputs)
    }
}

impl ContactsWithParameters<'_> {
    pub(super) fn contact(
        &self,
        workspace: &mut Workspace,
        of: Of,
        given: Given<'_>,
        outputs: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        call::contact((self.robot, self.parameters), workspace, of, given, outputs)
    }
}

/// A robot's own inertias and gravity, as far as its functions take any.
#[derive(Clone, Debug)]
pub(super) struct Own {
    inertia: Vec<f64>,
    gravity: Vec<f64>,
}

impl Own {
    /// The URDF's inertias, no loads, and the option's gravity.
    pub fn of(model: &Model<f64>) -> Self {
        let inertia = model.run_time.inertias.iter().flat_map(|given| match given.whole {
            true => model.bodies[given.body].inertia.parameters(),
            false => [0.0; 10],
        });
        let gravity = if model.run_time.gravity { model.gravity.as_slice() } else { &[] };
        Self { inertia: inertia.collect(), gravity: gravity.to_vec() }
    }
}

impl Contacts {
    /// What was given, and the robot's own in place of what was not.
    ///
    /// # Errors
    /// If a length is another one than the robot's.
    pub(super) fn parameters<'a>(
        &'a self,
        function: &'static str,
        given: Parameters<'a>,
    ) -> Result<Parameters<'a>, Error> {
        let either = |name: &'static str, own: &'a [f64], given: &'a [f64]| match given.len() {
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
