//! Inertias and gravity that steps are given at run time.

use crate::{Loaded, Number, Parameters};

/// A loaded robot with inertias and gravity of one's own. It has the functions of steps.
///
/// Made by [`Loaded::steps_with`].
#[derive(Clone, Copy, Debug)]
pub struct StepsWithParameters<'a, T: Number = f64> {
    pub(crate) robot: &'a Loaded<T>,
    pub(crate) parameters: Parameters<'a, T>,
}

impl<T: Number> Loaded<T> {
    /// Functions of steps with these inertias and this gravity, in place of the URDF's.
    ///
    /// Their lengths are checked when a function is called.
    #[must_use]
    pub fn steps_with<'a>(&'a self, parameters: Parameters<'a, T>) -> StepsWithParameters<'a, T> {
        StepsWithParameters { robot: self, parameters }
    }

    /// Functions of steps with the URDF's inertias and gravity.
    pub(crate) fn given(&self) -> StepsWithParameters<'_, T> {
        self.steps_with(Parameters::default())
    }
}

impl<T: Number> StepsWithParameters<'_, T> {
    pub(crate) fn given(&self) -> Self {
        *self
    }
}
