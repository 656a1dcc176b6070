//! A call of a function of contacts: its arguments are checked, and the runtime computes it in matrices of
//! one of a few sizes.

use super::at::At;
use super::{Compiled, ContactSettings, Contacts, MOST_BLOCKS, MOST_BODIES, MOST_GROUPS};
use crate::stack::with_stack;
use crate::{Error, Loaded, Number, Parameters, Workspace};
use nalgebra::{SMatrix, SVector};
use rbd_build::functions::{CONTACT_FUNCTIONS, ContactParam, ContactSpec};
use rbd_build::products;
use rbd_build::signature::Sizes;
use rbd_runtime::contact;
use rbd_runtime::linalg::{ColumnGroup, RowBlock};
use rbd_runtime::{ContactDynamicsDerivatives, ContactImpulseDerivatives};
use std::cell::RefCell;

/// What a function of contacts is given. Each function reads what it takes.
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
    /// Computes it by matrices of the robot's size. [`Number::contacts`] calls it, so that it is compiled in
    /// this crate and not again in those that use it.
    #[inline(always)]
    pub fn solve(self) {
        // Robots have no contacts then, and nothing below is compiled.
        if !cfg!(feature = "contacts") {
            return;
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
        with_stack(compiled.stack::<T>(), run);
    }
}

/// Calls with the entries of derivatives of inverse dynamics that may be nonzero, as borrowed groups.
pub(super) fn relatives_of(contacts: &Contacts, call: impl FnOnce([&[ColumnGroup<'_>]; 2])) {
    let none = RowBlock { rows: (0, 0), terms: &[] };
    let mut blocks = [[none; MOST_BLOCKS]; 2];
    let mut groups = [[ColumnGroup { columns: (0, 0), blocks: &[] }; MOST_GROUPS]; 2];
    let [first, second] = &mut blocks;
    let [first_groups, second_groups] = &mut groups;
    let counts = [
        borrowed(&contacts.relatives[0], first, first_groups),
        borrowed(&contacts.relatives[1], second, second_groups),
    ];
    call([&first_groups[..counts[0]], &second_groups[..counts[1]]]);
}

/// A vector with zeros behind these numbers.
pub(super) fn padded<T: Number, const N: usize>(numbers: &[T]) -> SVector<T, N> {
    let mut vector = SVector::<T, N>::zeros();
    vector.as_mut_slice()[..numbers.len()].copy_from_slice(numbers);
    vector
}

/// Which contacts hold, and how, of as many as the runtime is compiled for.
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

/// Computes a function by matrices of these sizes, of arguments and results that fit.
fn run<T: Number, const NV: usize, const NC: usize, const NR: usize>(problem: Problem<'_, '_, T>) {
    relatives_of(problem.contacts, |relatives| run_with::<T, NV, NC, NR>(problem, relatives));
}

fn run_with<T: Number, const NV: usize, const NC: usize, const NR: usize>(
    problem: Problem<'_, '_, T>,
    relatives: [&[ColumnGroup<'_>]; 2],
) {
    let Problem { robot, contacts, parameters, work, of, given, outputs } = problem;
    let Sizes { nv, nr, .. } = contacts.sizes;
    let at: At<'_, T, NC> = At {
        robot,
        contacts,
        tables: contacts.tables[..].try_into().expect("there are as many"),
        q: given.q,
        parameters,
        relatives,
        work: RefCell::new(work),
    };
    let vector = |x: &[T]| {
        let mut out = SVector::<T, NV>::zeros();
        out.as_mut_slice()[..nv].copy_from_slice(&x[..nv]);
        out
    };
    let (active, settings) = held::<T, NC>(given.active, &given.settings);
    let axes = settings.axes;
    let (tall, rows) = ((nv, 1), (nr, 1));
    let (square, wide) = ((nv, nv), (nr, nv));
    match of {
        Of::Dynamics => {
            let [v, tau] = given.state.map(vector);
            let out: rbd_runtime::ContactDynamics<T, NV, NR> =
                contact::dynamics(&at, &v, &tau, &active, &settings);
            put(&out.ddq, tall, outputs[0]);
            put(&out.forces, rows, outputs[1]);
            put(&out.residual, rows, outputs[2]);
        }
        Of::DynamicsDerivatives => {
            let [v, tau] = given.state.map(vector);
            let mut out = ContactDynamicsDerivatives::<T, NV, NR>::zeros();
            contact::derivatives_into(&at, &v, &tau, &active, &settings, &mut out);
            put(&out.ddq, tall, outputs[0]);
            put(&out.forces, rows, outputs[1]);
            put(&out.residual, rows, outputs[2]);
            put(&out.ddq_dq, square, outputs[3]);
            put(&out.ddq_dv, square, outputs[4]);
            put(&out.ddq_dtau, square, outputs[5]);
            put(&out.forces_dq, wide, outputs[6]);
            put(&out.forces_dv, wide, outputs[7]);
            put(&out.forces_dtau, wide, outputs[8]);
        }
        Of::Impulse => {
            let v = vector(given.state[0]);
            let out: rbd_runtime::ContactImpulse<T, NV, NR> =
                contact::impulse(&at, &v, &active, given.restitution, &settings);
            put(&out.v_plus, tall, outputs[0]);
            put(&out.impulses, rows, outputs[1]);
            put(&out.residual, rows, outputs[2]);
        }
        Of::ImpulseDerivatives => {
            let v = vector(given.state[0]);
            let mut out = ContactImpulseDerivatives::<T, NV, NR>::zeros();
            contact::impulse_derivatives_into(&at, &v, &active, given.restitution, &settings, &mut out);
            put(&out.v_plus, tall, outputs[0]);
            put(&out.impulses, rows, outputs[1]);
            put(&out.residual, rows, outputs[2]);
            put(&out.v_plus_dq, square, outputs[3]);
            put(&out.v_plus_dv, square, outputs[4]);
            put(&out.v_plus_drestitution, tall, outputs[5]);
            put(&out.impulses_dq, wide, outputs[6]);
            put(&out.impulses_dv, wide, outputs[7]);
            put(&out.impulses_drestitution, rows, outputs[8]);
        }
        Of::InverseDynamics => {
            let [v, a] = given.state.map(vector);
            let mut forces = SVector::<T, NR>::zeros();
            forces.as_mut_slice()[..nr].copy_from_slice(given.forces);
            put(&contact::inverse_dynamics_in(&at, &v, &a, &forces, axes), tall, outputs[0]);
        }
        Of::Jacobian => {
            let out: SMatrix<T, NR, NV> = contact::jacobian_in(&at, &active, axes);
            put(&out, wide, outputs[0]);
        }
        Of::Delassus => {
            let out: SMatrix<T, NR, NR> =
                contact::delassus_in::<_, _, NV, MOST_BODIES, NC, NR>(&at, &active, axes);
            put(&out, (nr, nr), outputs[0]);
        }
        Of::Errors => {
            let out: SVector<T, NR> =
                contact::errors::<_, _, NV, MOST_BODIES, NC, NR>(&at, &active, &settings);
            put(&out, rows, outputs[0]);
        }
        Of::Placements => {
            for (k, out) in outputs[0].chunks_exact_mut(12).enumerate() {
                at.call(at.frame(k).placement, &[], &mut [out]);
            }
        }
    }
}

/// Writes the groups as borrowed ones. Returns how many there are.
fn borrowed<'b>(
    of: &'b [products::ColumnGroup],
    blocks: &'b mut [RowBlock<'b>; MOST_BLOCKS],
    groups: &mut [ColumnGroup<'b>; MOST_GROUPS],
) -> usize {
    let all = of.iter().flat_map(|group| &group.blocks);
    for (to, block) in blocks.iter_mut().zip(all) {
        *to = RowBlock { rows: block.rows, terms: &block.terms };
    }
    let mut rest: &'b [RowBlock<'b>] = blocks;
    for (to, group) in groups.iter_mut().zip(of) {
        let (own, later) = rest.split_at(group.blocks.len());
        *to = ColumnGroup { columns: group.columns, blocks: own };
        rest = later;
    }
    of.len()
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
