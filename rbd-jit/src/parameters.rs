//! Inertias and gravity that functions are given at run time.

use crate::function::MOST_INPUTS;
use crate::{Error, Function, Number};
use rbd_build::signature::INERTIA;
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

impl<'a, T: Number> Parameters<'a, T> {
    /// Arguments of a function: these, and the parameters that it takes after them.
    pub(crate) fn after(
        self,
        arguments: impl IntoIterator<Item = &'a [T]>,
        function: &Function<T>,
    ) -> [&'a [T]; MOST_INPUTS] {
        let mut all: [&[T]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        let mut own = arguments.into_iter();
        for (to, input) in all.iter_mut().zip(function.inputs()) {
            let given = || if input.name == INERTIA.name { self.inertia } else { self.gravity };
            *to = own.next().unwrap_or_else(given);
        }
        all
    }
}

/// A robot's own inertias and gravity, as far as its functions take any.
#[derive(Clone, Debug)]
pub(crate) struct Own<T> {
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

    /// Parameters that were given, and the robot's own in place of those that were not.
    ///
    /// # Errors
    /// If a length is another one than the robot's.
    pub fn unless<'a>(
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
            inertia: either("inertia", &self.inertia, given.inertia)?,
            gravity: either("gravity", &self.gravity, given.gravity)?,
        })
    }
}
