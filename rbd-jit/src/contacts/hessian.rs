//! Hessians of weighted accelerations and contact forces, on slices: the runtime's, in matrices of the
//! sizes that contacts have.

use super::at::At;
use super::call::padded;
use super::sizes::OfSize;
use super::{ContactSettings, Contacts, ContactsWithParameters};
use crate::results::Results;
use crate::stack::with_stack;
use crate::steps::{check, fit};
use crate::{Error, Loaded, Number, Parameters, Workspace};
use nalgebra::SMatrix;
use rbd_build::signature::Sizes;
use rbd_runtime::ContactDynamicsDerivatives;
use rbd_runtime::contact::hessian_with_first_into;
use std::cell::RefCell;

const FUNCTION: &str = "contact_dynamics_hessian";

/// Results of `contact_dynamics_hessian`: value, gradient and Hessian of weighted accelerations and forces.
/// Matrices are nv x nv, by columns.
///
/// Second derivatives by v and tau, and by tau twice, are zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactDynamicsHessian<T = f64> {
    /// `lambda . ddq + kappa . forces` (1).
    pub value: Vec<T>,
    /// Gradient in the tangent space of the configuration (nv).
    pub dq: Vec<T>,
    /// Gradient by the velocity (nv).
    pub dv: Vec<T>,
    /// Gradient by the torques (nv).
    pub dtau: Vec<T>,
    /// Derivative of `dq` by the configuration. It is not symmetric where joints have several coordinates.
    pub dqdq: Vec<T>,
    /// Derivative of `dq` by the velocity.
    pub dqdv: Vec<T>,
    /// Derivative of `dv` by the velocity.
    pub dvdv: Vec<T>,
    /// Derivative of `dq` by the torques.
    pub dqdtau: Vec<T>,
}

impl<T> Results<T, 8> for ContactDynamicsHessian<T> {
    fn all(&mut self) -> [&mut Vec<T>; 8] {
        let Self { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau } = self;
        [value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau]
    }
}

/// A Hessian of a robot's contacts, with arguments and results that fit.
#[derive(Debug)]
pub struct HessianCall<'a, 'o, T: Number> {
    robot: &'a Loaded<T>,
    contacts: &'a Contacts,
    parameters: Parameters<'a, T>,
    work: &'a mut [T],
    q: &'a [T],
    /// Velocity, torques, and weights of accelerations.
    tangent: [&'a [T]; 3],
    kappa: &'a [T],
    active: &'a [bool],
    settings: ContactSettings<'a, T>,
    /// Accelerations and their derivatives by q, v and tau, if they are asked for.
    first: Option<[&'o mut [T]; 4]>,
    out: [&'o mut [T]; 8],
}

impl<'a, 'o, T: Number> HessianCall<'a, 'o, T> {
    /// A call whose lengths are checked.
    #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
    pub(super) fn new(
        (robot, contacts, parameters): (&'a Loaded<T>, &'a Contacts, Parameters<'a, T>),
        work: &'a mut [T],
        q: &'a [T],
        tangent: [&'a [T]; 3],
        kappa: &'a [T],
        (active, settings): (&'a [bool], ContactSettings<'a, T>),
        first: Option<[&'o mut [T]; 4]>,
        out: [&'o mut [T]; 8],
    ) -> Self {
        Self { robot, contacts, parameters, work, q, tangent, kappa, active, settings, first, out }
    }

    /// Computes the Hessian.
    pub(super) fn call(self) {
        T::contact_hessian(self);
    }

    /// Computes the Hessian by matrices of the robot's size. [`Number::contact_hessian`] calls it, so that it
    /// is compiled in this crate and not again in those that use it.
    #[inline(always)]
    pub fn solve(self) {
        // Robots have no contacts then, and nothing below is compiled.
        if !cfg!(feature = "contacts") {
            return;
        }
        let compiled = self.contacts.compiled;
        with_stack(compiled.stack_of_hessians::<T>(), || compiled.call::<T, _>(self));
    }
}

impl<T: Number> OfSize for HessianCall<'_, '_, T> {
    type Output = ();

    #[inline(never)]
    fn call<const NV: usize, const NC: usize, const NR: usize, const NA: usize>(self) {
        let HessianCall {
            robot,
            contacts,
            parameters,
            work,
            q,
            tangent,
            kappa,
            active,
            settings,
            first: asked,
            out,
        } = self;
        let n = contacts.sizes.nv;
        let tables = contacts.tables[..].try_into().expect("there are as many");
        let work = RefCell::new(work);
        let at: At<'_, T, NC> = At { robot, contacts, tables, q, parameters, work };
        let [v, tau, lambda] = tangent.map(padded::<T, NV>);
        let kappa = padded::<T, NR>(kappa);
        let (active, settings) = super::call::held::<T, NC>(active, &settings);
        let mut first = ContactDynamicsDerivatives::<T, NV, NR>::zeros();
        let mut found = rbd_runtime::contact::ContactDynamicsHessian::<T, NV>::zeros();
        let weights = (&lambda, &kappa);
        hessian_with_first_into(&at, (&v, &tau), &active, &settings, weights, &mut first, &mut found);
        let [value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau] = out;
        value[0] = found.value;
        for (to, from) in [(dq, &found.dq), (dv, &found.dv), (dtau, &found.dtau)] {
            to.copy_from_slice(&from.as_slice()[..n]);
        }
        let blocks = [(dqdq, &found.dqdq), (dqdv, &found.dqdv), (dvdv, &found.dvdv), (dqdtau, &found.dqdtau)];
        for (to, from) in blocks {
            put(from, n, to);
        }
        if let Some([ddq, by_q, by_v, by_tau]) = asked {
            ddq.copy_from_slice(&first.ddq.as_slice()[..n]);
            for (to, from) in [(by_q, &first.ddq_dq), (by_v, &first.ddq_dv), (by_tau, &first.ddq_dtau)] {
                put(from, n, to);
            }
        }
    }
}

/// Writes the first rows and columns of a square matrix.
fn put<T: Number, const N: usize>(from: &SMatrix<T, N, N>, n: usize, to: &mut [T]) {
    for (to, column) in to.chunks_exact_mut(n.max(1)).zip(&from.data.0) {
        to.copy_from_slice(&column[..n]);
    }
}

impl<T: Number> Loaded<T> {
    /// Why the robot has no Hessians of contact dynamics, if it has none.
    ///
    /// # Errors
    /// If the robot was loaded without contacts or `rnea_hessian`, or a mimic joint and the joint that it
    /// follows are both on the way to one contact.
    pub fn contact_hessian_is_there(&self) -> Result<(), Error> {
        self.has_contact_hessian(FUNCTION)
    }

    /// Why the robot lacks a function that is made of Hessians of contact dynamics, if it does.
    pub(super) fn has_contact_hessian(&self, function: &'static str) -> Result<(), Error> {
        let contacts = self.contacts_for(function)?;
        if contacts.paths.is_none() {
            let why = "a mimic joint and the joint that it follows are both on the way to one contact";
            return Err(Error::NotThereYet { function, why });
        }
        self.function("rnea_hessian").map(|_| ())
    }
}

/// Computes a Hessian of a robot with these inertias and this gravity.
fn hessian<T: Number>(
    (robot, parameters): (&Loaded<T>, Parameters<'_, T>),
    workspace: &mut Workspace<T>,
    q: &[T],
    tangent: [&[T]; 3],
    kappa: &[T],
    (active, settings): (&[bool], &ContactSettings<'_, T>),
    out: [&mut [T]; 8],
) -> Result<(), Error> {
    robot.contact_hessian_is_there()?;
    let contacts = robot.contacts_for(FUNCTION)?;
    let parameters = robot.own().unless(FUNCTION, parameters)?;
    let Sizes { nq, nv, nr, nc, .. } = contacts.sizes;
    let [v, tau, lambda] = tangent;
    let square = nv * nv;
    check(
        FUNCTION,
        [
            ("q", nq, q.len()),
            ("v", nv, v.len()),
            ("tau", nv, tau.len()),
            ("active", nc, active.len()),
            ("lambda", nv, lambda.len()),
            ("kappa", nr, kappa.len()),
        ],
    )?;
    if !settings.anchors.is_empty() {
        check(FUNCTION, [("anchors", nc, settings.anchors.len())])?;
    }
    let names = ["value", "dq", "dv", "dtau", "dqdq", "dqdv", "dvdv", "dqdtau"];
    let lengths = [1, nv, nv, nv, square, square, square, square];
    for ((name, length), out) in names.into_iter().zip(lengths).zip(&out) {
        check(FUNCTION, [(name, length, out.len())])?;
    }
    let work = workspace.memory();
    if work.len() < robot.work_of_functions() {
        return Err(Error::Workspace(FUNCTION));
    }
    let (settings, first) = (*settings, None);
    let held = (active, settings);
    HessianCall::new((robot, contacts, parameters), work, q, tangent, kappa, held, first, out).call();
    Ok(())
}

macro_rules! hessians_of_contacts {
    ($robot:ty) => {
        #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
        impl<T: Number> $robot {
            /// Value, gradient and Hessian of weighted accelerations and forces under contacts.
            ///
            /// `value = lambda . ddq + kappa . forces` of [`Self::contact_dynamics`]
            ///
            /// - `lambda`: weights of the accelerations (nv).
            /// - `kappa`: weights of the forces of all contacts (nr), in the axes of the settings. Those of
            ///   inactive contacts do not count.
            ///
            /// # Errors
            /// If a length does not fit, and those of [`Loaded::contact_hessian_is_there`].
            pub fn contact_dynamics_hessian(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                lambda: &[T],
                kappa: &[T],
                out: &mut ContactDynamicsHessian<T>,
            ) -> Result<(), Error> {
                let nv = self.with_parameters().0.nv();
                let square = nv * nv;
                fit(out, [1, nv, nv, nv, square, square, square, square]);
                let tangent = [v, tau, lambda];
                self.contact_dynamics_hessian_in(
                    workspace,
                    q,
                    tangent,
                    kappa,
                    (active, settings),
                    out.slices(),
                )
            }

            /// Implements [`Self::contact_dynamics_hessian`], with results in the order of the fields.
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics_hessian`].
            #[doc(hidden)]
            pub fn contact_dynamics_hessian_in(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                tangent: [&[T]; 3],
                kappa: &[T],
                held: (&[bool], &ContactSettings<'_, T>),
                out: [&mut [T]; 8],
            ) -> Result<(), Error> {
                hessian(self.with_parameters(), workspace, q, tangent, kappa, held, out)
            }
        }
    };
}

hessians_of_contacts!(Loaded<T>);
hessians_of_contacts!(ContactsWithParameters<'_, T>);
