//! The torques of a step: those of all coordinates, or controls of the actuated joints alone.

use super::next;
use super::{Steps, check};
use crate::{Error, Loaded, Number};

/// The torques of a step, or of steps one after the other.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Controls<'a, T> {
    /// Torques of all coordinates.
    All(&'a [T]),
    /// Torques of the coordinates of the actuated joints. Those of others are zero.
    Actuated(&'a [T]),
}

impl<'a, T: Number> Controls<'a, T> {
    /// The function's name, by all torques or by controls.
    pub(crate) fn name(&self, all: &'static str, actuated: &'static str) -> &'static str {
        match self {
            Self::All(_) => all,
            Self::Actuated(_) => actuated,
        }
    }

    /// The numbers, however many.
    pub(crate) fn numbers(&self) -> &'a [T] {
        match self {
            Self::All(numbers) | Self::Actuated(numbers) => numbers,
        }
    }

    /// Other numbers of the same coordinates.
    pub(crate) fn of(self, numbers: &'a [T]) -> Self {
        match self {
            Self::All(_) => Self::All(numbers),
            Self::Actuated(_) => Self::Actuated(numbers),
        }
    }

    /// Number of torques or controls that a step takes.
    pub(crate) fn each(&self, steps: &Steps) -> usize {
        match self {
            Self::All(_) => steps.nv,
            Self::Actuated(_) => steps.actuated.len(),
        }
    }

    /// Name, number and given number of one step's.
    pub(crate) fn length(&self, steps: &Steps) -> (&'static str, usize, usize) {
        let name = if matches!(self, Self::All(_)) { "tau" } else { "u" };
        (name, self.each(steps), self.numbers().len())
    }

    /// The torques of all coordinates. Those of controls are written into memory.
    pub(crate) fn torques(&self, steps: &Steps, memory: &mut &'a mut [T]) -> &'a [T] {
        match self {
            Self::All(tau) => tau,
            Self::Actuated(u) => {
                let tau = next(memory, steps.nv);
                spread(&steps.actuated, u, tau);
                tau
            }
        }
    }
}

/// Writes `S^T u`.
fn spread<T: Number>(actuated: &[usize], u: &[T], tau: &mut [T]) {
    tau.fill(T::zero());
    for (at, u) in actuated.iter().zip(u) {
        tau[*at] = *u;
    }
}

/// Takes the columns of the controls, of so many rows, of a matrix by all torques.
pub(crate) fn columns<T: Number>(actuated: &[usize], by_torques: &[T], rows: usize, to: &mut [T]) {
    for (to, at) in to.chunks_exact_mut(rows.max(1)).zip(actuated) {
        to.copy_from_slice(&by_torques[at * rows..][..rows]);
    }
}

/// Takes rows and columns of the controls, of a matrix of so many rows by all torques.
pub(super) fn block<T: Number>(actuated: &[usize], by_torques: &[T], rows: usize, to: &mut [T]) {
    for (to, column) in to.chunks_exact_mut(actuated.len().max(1)).zip(actuated) {
        columns(actuated, &by_torques[column * rows..][..rows], 1, to);
    }
}

impl Steps {
    /// Velocity coordinates of the controls.
    pub(crate) fn actuated(&self) -> &[usize] {
        &self.actuated
    }

    /// Velocity coordinates of the controls of a function of the option `actuated`.
    pub(crate) fn actuated_for(&self, function: &'static str) -> Result<&[usize], Error> {
        match &self.actuated[..] {
            [] => Err(Error::NotActuated(function)),
            actuated => Ok(actuated),
        }
    }
}

impl<T: Number> Loaded<T> {
    /// Velocity coordinate of each control: those of the joints of the option `actuated`, in its order. There
    /// are none without it.
    pub fn actuated(&self) -> &[usize] {
        self.steps().map_or(&[], |steps| &steps.actuated)
    }

    /// Number of controls.
    pub fn nu(&self) -> usize {
        self.actuated().len()
    }

    /// Writes the torques `S^T u` (nv) of all coordinates: those of the controls (nu), and zero elsewhere.
    ///
    /// # Errors
    /// If the robot was loaded without the options `step` and `actuated`, or a length does not fit.
    pub fn torques(&self, u: &[T], tau: &mut [T]) -> Result<(), Error> {
        let function = "torques";
        let actuated = self.steps_for(function)?.actuated_for(function)?;
        check(function, [("u", actuated.len(), u.len()), ("tau", self.nv(), tau.len())])?;
        spread(actuated, u, tau);
        Ok(())
    }

    /// Writes the columns of the controls, of a derivative by all torques.
    ///
    /// - `by_torques`: a matrix of nv columns and any number of rows, by columns.
    /// - `by_controls`: receives as many rows and nu columns.
    ///
    /// # Errors
    /// Those of [`Self::torques`].
    pub fn of_controls(&self, by_torques: &[T], by_controls: &mut [T]) -> Result<(), Error> {
        let function = "of_controls";
        let actuated = self.steps_for(function)?.actuated_for(function)?;
        let rows = by_torques.len() / self.nv();
        let lengths = [
            ("by_torques", rows * self.nv(), by_torques.len()),
            ("by_controls", rows * actuated.len(), by_controls.len()),
        ];
        check(function, lengths)?;
        columns(actuated, by_torques, rows, by_controls);
        Ok(())
    }
}
