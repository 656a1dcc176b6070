//! A call of a function of contacts: its arguments are checked, and the runtime computes it in matrices of
//! one of a few sizes.

use super::at::At;
use super::sizes::OfSize;
use super::{ContactSettings, Contacts, MOST_BODIES};
use crate::stack::with_stack;
use crate::{Error, Loaded, Number, Parameters, Workspace};
use nalgebra::{SMatrix, SVector};
use rbd_build::functions::{CONTACT_FUNCTIONS, ContactParam, ContactSpec};
use rbd_build::signature::Sizes;
use rbd_runtime::contact;
use rbd_runtime::{ContactDynamicsDerivatives, ContactImpulseDerivatives};
use std::cell::RefCell;

/// Arguments of all functions of contacts. Each function reads those that it takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a, T: Number> {
    pub q: &'a [T],
    /// Velocity, and then accelerations or torques.
    pub state: [&'a [T]; 2],
    pub forces: &'a [T],
    pub active: &'a [bool],
    pub restitution: T,
    pub settings: ContactSettings<'a, T>,
}

impl<T: Number> Default for Given<'_, T> {
    fn default() -> Self {
        Self {
            q: &[],
            state: [&[], &[]],
            forces: &[],
            active: &[],
            restitution: T::zero(),
            settings: ContactSettings::default(),
        }
    }
}

/// A function of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Dynamics,
    DynamicsDerivatives,
    Impulse,
    ImpulseDerivatives,
    InverseDynamics,
    Jacobian,
    Delassus,
    Errors,
    Placements,
}

impl Of {
    fn spec(self) -> &'static ContactSpec {
        &CONTACT_FUNCTIONS[self as usize]
    }
}

/// A function of a robot's contacts, with arguments and results that fit.
#[derive(Debug)]
pub struct Problem<'a, 'o, T: Number> {
    pub(super) robot: &'a Loaded<T>,
    pub(super) contacts: &'a Contacts,
    pub(super) parameters: Parameters<'a, T>,
    pub(super) work: &'a mut [T],
    pub(super) of: Of,
    pub(super) given: Given<'a, T>,
    pub(super) outputs: &'a mut [&'o mut [T]],
}

/// Computes a function of a robot's contacts, with these inertias and this gravity.
pub(super) fn contact<T: Number>(
    (robot, parameters): (&Loaded<T>, Parameters<'_, T>),
    workspace: &mut Workspace<T>,
    of: Of,
    given: Given<'_, T>,
    outputs: &mut [&mut [T]],
) -> Result<(), Error> {
    let spec = of.spec();
    let contacts = robot.contacts_for(spec.name)?;
    let parameters = robot.own().unless(spec.name, parameters)?;
    let sizes = contacts.sizes;
    let length = |name: &'static str, expected: usize, given: usize| match given == expected {
        true => Ok(()),
        false => Err(Error::Length { function: spec.name, name, expected, given }),
    };
    let mut state = [given.q, given.state[0], given.state[1]].into_iter();
    for param in spec.params {
        match param {
            ContactParam::State(param) => {
                let (rows, columns) = param.kind.shape().extent(sizes);
                length(param.name, rows * columns, state.next().map_or(0, <[T]>::len))?;
            }
            ContactParam::Forces => length("forces", sizes.nr, given.forces.len())?,
            ContactParam::Active => length("active", sizes.nc, given.active.len())?,
            ContactParam::Settings if !given.settings.anchors.is_empty() => {
                length("anchors", sizes.nc, given.settings.anchors.len())?;
            }
            ContactParam::Settings | ContactParam::Restitution | ContactParam::Axes => {}
        }
    }
    for (output, given) in spec.outputs.iter().zip(outputs.iter()) {
        let (rows, columns) = output.shape.extent(sizes);
        length(output.name, rows * columns, given.len())?;
    }
    let work = workspace.memory();
    if work.len() < robot.work_of_functions() {
        return Err(Error::Workspace(spec.name));
    }
    T::contacts(Problem { robot, contacts, parameters, work, of, given, outputs });
    Ok(())
}

impl<T: Number> Problem<'_, '_, T> {
    /// Computes the function by matrices of the robot's size. [`Number::contacts`] calls it, so that it is
    /// compiled in this crate and not again in those that use it.
    #[inline(always)]
    pub fn solve(self) {
        // Robots have no contacts then, and nothing below is compiled.
        if !cfg!(feature = "contacts") {
            return;
        }
        let compiled = self.contacts.compiled;
        with_stack(compiled.stack::<T>(), || compiled.call::<T, _>(self));
    }
}

/// A vector with zeros behind these numbers.
pub(super) fn padded<T: Number, const N: usize>(numbers: &[T]) -> SVector<T, N> {
    let mut vector = SVector::<T, N>::zeros();
    vector.as_mut_slice()[..numbers.len()].copy_from_slice(numbers);
    vector
}

/// Active contacts and settings, padded to the number of contacts that the runtime is compiled for.
pub(super) fn held<T: Number, const NC: usize>(
    given: &[bool],
    settings: &ContactSettings<'_, T>,
) -> ([bool; NC], rbd_runtime::ContactSettings<T, NC>) {
    let mut active = [false; NC];
    active.iter_mut().zip(given).for_each(|(to, is)| *to = *is);
    let ContactSettings { mu, iterations, kp, kd, axes, .. } = *settings;
    let mut anchors = [None; NC];
    anchors.iter_mut().zip(settings.anchors).for_each(|(to, anchor)| *to = *anchor);
    (active, rbd_runtime::ContactSettings { mu, iterations, kp, kd, anchors, axes })
}

impl<T: Number> OfSize for Problem<'_, '_, T> {
    type Output = ();

    fn call<const NV: usize, const NC: usize, const NR: usize, const NA: usize>(self) {
        let Problem { robot, contacts, parameters, work, of, given, outputs } = self;
        let at = At {
            robot,
            contacts,
            tables: contacts.tables[..].try_into().expect("there are as many"),
            q: given.q,
            parameters,
            work: RefCell::new(work),
        };
        let (active, settings) = held::<T, NC>(given.active, &given.settings);
        let call = Call::<T, NV, NC, NR> { at, given, active, settings };
        match of {
            Of::Dynamics => call.dynamics(outputs),
            Of::DynamicsDerivatives => call.derivatives(outputs),
            Of::Impulse => call.impulse(outputs),
            Of::ImpulseDerivatives => call.impulse_derivatives(outputs),
            Of::InverseDynamics => call.inverse_dynamics(outputs),
            Of::Jacobian => call.jacobian(outputs),
            Of::Delassus => call.delassus(outputs),
            Of::Errors => call.errors(outputs),
            Of::Placements => {
                for (k, out) in outputs[0].chunks_exact_mut(12).enumerate() {
                    call.at.call(call.at.frame(k).placement, &[], &mut [out]);
                }
            }
        }
    }
}

/// A call by matrices of these sizes. Each function has a stack frame of its own: all of them in one are
/// hundreds of pages, and the beginning of a function touches each page of its frame.
struct Call<'a, T: Number, const NV: usize, const NC: usize, const NR: usize> {
    at: At<'a, T, NC>,
    given: Given<'a, T>,
    active: [bool; NC],
    settings: rbd_runtime::ContactSettings<T, NC>,
}

impl<T: Number, const NV: usize, const NC: usize, const NR: usize> Call<'_, T, NV, NC, NR> {
    /// Velocities, and then accelerations or torques.
    fn state(&self) -> [SVector<T, NV>; 2] {
        self.given.state.map(padded)
    }

    fn sizes(&self) -> Sizes {
        self.at.contacts.sizes
    }

    #[inline(never)]
    fn dynamics(&self, outputs: &mut [&mut [T]]) {
        let Self { at, active, settings, .. } = self;
        let [v, tau] = self.state();
        let out: rbd_runtime::ContactDynamics<T, NV, NR> = contact::dynamics(at, &v, &tau, active, settings);
        let Sizes { nv, nr, .. } = self.sizes();
        put(&out.ddq, (nv, 1), outputs[0]);
        put(&out.forces, (nr, 1), outputs[1]);
        put(&out.residual, (nr, 1), outputs[2]);
    }

    #[inline(never)]
    fn derivatives(&self, outputs: &mut [&mut [T]]) {
        let Self { at, active, settings, .. } = self;
        let [v, tau] = self.state();
        let mut out = ContactDynamicsDerivatives::<T, NV, NR>::zeros();
        contact::derivatives_into(at, &v, &tau, active, settings, &mut out);
        let Sizes { nv, nr, .. } = self.sizes();
        put(&out.ddq, (nv, 1), outputs[0]);
        put(&out.forces, (nr, 1), outputs[1]);
        put(&out.residual, (nr, 1), outputs[2]);
        put(&out.ddq_dq, (nv, nv), outputs[3]);
        put(&out.ddq_dv, (nv, nv), outputs[4]);
        put(&out.ddq_dtau, (nv, nv), outputs[5]);
        put(&out.forces_dq, (nr, nv), outputs[6]);
        put(&out.forces_dv, (nr, nv), outputs[7]);
        put(&out.forces_dtau, (nr, nv), outputs[8]);
    }

    #[inline(never)]
    fn impulse(&self, outputs: &mut [&mut [T]]) {
        let Self { at, active, settings, given } = self;
        let [v, _] = self.state();
        let out: rbd_runtime::ContactImpulse<T, NV, NR> =
            contact::impulse(at, &v, active, given.restitution, settings);
        let Sizes { nv, nr, .. } = self.sizes();
        put(&out.v_plus, (nv, 1), outputs[0]);
        put(&out.impulses, (nr, 1), outputs[1]);
        put(&out.residual, (nr, 1), outputs[2]);
    }

    #[inline(never)]
    fn impulse_derivatives(&self, outputs: &mut [&mut [T]]) {
        let Self { at, active, settings, given } = self;
        let [v, _] = self.state();
        let mut out = ContactImpulseDerivatives::<T, NV, NR>::zeros();
        contact::impulse_derivatives_into(at, &v, active, given.restitution, settings, &mut out);
        let Sizes { nv, nr, .. } = self.sizes();
        put(&out.v_plus, (nv, 1), outputs[0]);
        put(&out.impulses, (nr, 1), outputs[1]);
        put(&out.residual, (nr, 1), outputs[2]);
        put(&out.v_plus_dq, (nv, nv), outputs[3]);
        put(&out.v_plus_dv, (nv, nv), outputs[4]);
        put(&out.v_plus_drestitution, (nv, 1), outputs[5]);
        put(&out.impulses_dq, (nr, nv), outputs[6]);
        put(&out.impulses_dv, (nr, nv), outputs[7]);
        put(&out.impulses_drestitution, (nr, 1), outputs[8]);
    }

    #[inline(never)]
    fn inverse_dynamics(&self, outputs: &mut [&mut [T]]) {
        let ([v, a], forces) = (self.state(), padded::<T, NR>(self.given.forces));
        let torques = contact::inverse_dynamics_in(&self.at, &v, &a, &forces, self.settings.axes);
        put(&torques, (self.sizes().nv, 1), outputs[0]);
    }

    #[inline(never)]
    fn jacobian(&self, outputs: &mut [&mut [T]]) {
        let out: SMatrix<T, NR, NV> = contact::jacobian_in(&self.at, &self.active, self.settings.axes);
        put(&out, (self.sizes().nr, self.sizes().nv), outputs[0]);
    }

    #[inline(never)]
    fn delassus(&self, outputs: &mut [&mut [T]]) {
        let axes = self.settings.axes;
        let out: SMatrix<T, NR, NR> =
            contact::delassus_in::<_, _, NV, MOST_BODIES, NC, NR>(&self.at, &self.active, axes);
        put(&out, (self.sizes().nr, self.sizes().nr), outputs[0]);
    }

    #[inline(never)]
    fn errors(&self, outputs: &mut [&mut [T]]) {
        let Self { at, active, settings, .. } = self;
        let out: SVector<T, NR> = contact::errors::<_, _, NV, MOST_BODIES, NC, NR>(at, active, settings);
        put(&out, (self.sizes().nr, 1), outputs[0]);
    }
}

/// Writes the first rows and columns of a matrix.
pub(super) fn put<T: Number, const R: usize, const C: usize>(
    from: &SMatrix<T, R, C>,
    (rows, columns): (usize, usize),
    out: &mut [T],
) {
    for (to, column) in out.chunks_exact_mut(rows.max(1)).zip(&from.data.0).take(columns) {
        to.copy_from_slice(&column[..rows]);
    }
}

#[cfg(test)]
mod tests {
    use super::{CONTACT_FUNCTIONS, ContactSpec, Of};

    /// The table's order is the functions' here.
    #[test]
    fn functions_are_rows_of_the_table() {
        let of = |spec: &ContactSpec| match spec.name {
            "contact_dynamics" => Of::Dynamics,
            "contact_dynamics_derivatives" => Of::DynamicsDerivatives,
            "contact_impulse" => Of::Impulse,
            "contact_impulse_derivatives" => Of::ImpulseDerivatives,
            "contact_inverse_dynamics" => Of::InverseDynamics,
            "contact_jacobian" => Of::Jacobian,
            "delassus" => Of::Delassus,
            "contact_errors" => Of::Errors,
            "contact_placements" => Of::Placements,
            other => panic!("{other} is not there"),
        };
        for (k, spec) in CONTACT_FUNCTIONS.iter().enumerate() {
            assert_eq!(of(spec) as usize, k);
        }
    }
}
