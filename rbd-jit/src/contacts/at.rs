//! A robot in one configuration, as the runtime's functions of contacts ask for it.

use super::rows::RowsKernel;
use super::{Contacts, MOST_BODIES, OfFrame};
use crate::{Loaded, Number, Parameters};
use nalgebra::{SMatrix, SVector};
use rbd_runtime::contact::{ContactTable, Mechanics, PathJoint, SecondOrderMechanics};
use rbd_runtime::linalg::ColumnGroup;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{FrameAccelerationDerivatives, FrameVelocityDerivatives, RneaDerivatives, RneaHessian};
use std::cell::RefCell;

/// Moves a square matrix of `n` columns, at the beginning of a larger one, to where its entries belong.
fn spread<T: Number, const N: usize>(n: usize, matrix: &mut SMatrix<T, N, N>) {
    spread_columns((n, n), N, matrix.as_mut_slice());
}

/// Moves a matrix of these rows and columns, at the beginning of a larger one whose columns have `stride`
/// numbers, to where its entries belong.
fn spread_columns<T: Number>((rows, columns): (usize, usize), stride: usize, numbers: &mut [T]) {
    for column in (1..columns).rev() {
        numbers.copy_within(column * rows..(column + 1) * rows, column * stride);
    }
    // Between the columns, what was not overwritten is of others.
    for column in 0..columns {
        numbers[column * stride + rows..(column + 1) * stride].fill(T::zero());
    }
}

/// A robot in one configuration, as the runtime asks for it.
pub(super) struct At<'a, T: Number, const NC: usize> {
    pub robot: &'a Loaded<T>,
    pub contacts: &'a Contacts,
    pub tables: &'a [ContactTable; NC],
    pub q: &'a [T],
    pub parameters: Parameters<'a, T>,
    pub work: RefCell<&'a mut [T]>,
}

impl<T: Number, const NC: usize> At<'_, T, NC> {
    pub fn frame(&self, contact: usize) -> OfFrame {
        self.contacts.frames[contact].expect("it is a frame of a contact")
    }

    /// Calls a function with `q`, these arguments after it, and then the parameters that it takes.
    pub fn call(&self, function: usize, arguments: &[&[T]], outputs: &mut [&mut [T]]) {
        let function = &self.robot.functions()[function];
        let own = std::iter::once(self.q).chain(arguments.iter().copied());
        let inputs = self.parameters.after(own, function);
        function.run_one(&inputs[..function.inputs().len()], outputs, &mut self.work.borrow_mut());
    }

    /// Calls a kernel of all contacts' rows with `q` and these arguments, if there is one.
    fn rows_by<'k>(
        &'k self,
        kernel: RowsKernel,
        arguments: &[&'k [T]],
        outputs: impl FnOnce(&mut [T], &mut dyn FnMut(&mut [&mut [T]])),
    ) -> bool {
        let Some(kernel) = self.robot.rows().get(kernel) else { return false };
        let own = std::iter::once(self.q).chain(arguments.iter().copied());
        let inputs = self.parameters.after(own, kernel);
        let inputs = &inputs[..kernel.inputs().len()];
        let mut work = self.work.borrow_mut();
        let (work, factors) = work.split_at_mut(self.robot.most_work());
        outputs(factors, &mut |outputs| kernel.run_one(inputs, outputs, work));
        true
    }

    fn nv(&self) -> usize {
        self.contacts.sizes.nv
    }

    fn nr(&self) -> usize {
        self.contacts.sizes.nr
    }

    /// [`spread_columns`] of a matrix with a column for each of NV coordinates and a row for each row of
    /// contacts.
    fn spread_rows<const NV: usize>(&self, numbers: &mut [T]) {
        spread_columns((self.nr(), self.nv()), numbers.len() / NV, numbers);
    }

    fn motion<'m, const N: usize>(&self, matrix: &'m mut SMatrix<T, 6, N>) -> &'m mut [T] {
        &mut matrix.as_mut_slice()[..6 * self.nv()]
    }

    fn forces<'m>(
        &self,
        fext: &[SVector<T, 6>; MOST_BODIES],
        numbers: &'m mut [T; 6 * MOST_BODIES],
    ) -> &'m [T] {
        for (to, force) in numbers.as_chunks_mut::<6>().0.iter_mut().zip(fext) {
            *to = force.data.0[0];
        }
        &numbers[..6 * self.contacts.sizes.nb]
    }
}

impl<T: Number, const NV: usize, const NC: usize> Mechanics<T, NV, MOST_BODIES, NC> for At<'_, T, NC> {
    /// Placeholder: the factors are in the workspace.
    type Factors = [T; 0];

    fn factors() -> [T; 0] {
        []
    }

    const HAS_FACTORS: bool = true;

    fn contacts(&self) -> &[ContactTable; NC] {
        self.tables
    }

    fn contact_count(&self) -> usize {
        self.contacts.sizes.nc
    }

    fn rows(&self, jt: &mut [T]) -> bool {
        let is_there = self.rows_by(RowsKernel::Rows, &[], |_, run| run(&mut [&mut *jt]));
        if is_there {
            spread_columns((self.nv(), self.nr()), NV, jt);
        }
        is_there
    }

    fn row_jacobian(&self, jacobian: &mut [T]) -> bool {
        let is_there = self.rows_by(RowsKernel::Jacobian, &[], |_, run| run(&mut [&mut *jacobian]));
        if is_there {
            self.spread_rows::<NV>(jacobian);
        }
        is_there
    }

    fn row_motion(&self, v: &SVector<T, NV>, velocities: &mut [T], accelerations: &mut [T]) -> bool {
        let v = &v.as_slice()[..self.nv()];
        self.rows_by(RowsKernel::Motion, &[v], |_, run| run(&mut [velocities, accelerations]))
    }

    fn row_derivatives(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        by_q: &mut [T],
        by_v: &mut [T],
        velocities_by_q: &mut [T],
    ) -> bool {
        let arguments = [v, a].map(|x| &x.as_slice()[..self.nv()]);
        let outputs = &mut [&mut *by_q, &mut *by_v, &mut *velocities_by_q];
        let is_there = self.rows_by(RowsKernel::Derivatives, &arguments, |_, run| run(outputs));
        if is_there {
            for matrix in [by_q, by_v, velocities_by_q] {
                self.spread_rows::<NV>(matrix);
            }
        }
        is_there
    }

    fn row_factors(
        &self,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        _: &mut [T],
        pivots: &mut [T],
        reduced: &mut [T],
        paths: &mut [T],
        velocities: &mut [T],
        accelerations: &mut [T],
    ) -> bool {
        let arguments = [v, tau].map(|x| &x.as_slice()[..self.nv()]);
        let is_there = self.rows_by(RowsKernel::Factors, &arguments, |factors, run| {
            run(&mut [factors, pivots, reduced, &mut *paths, velocities, accelerations]);
        });
        if is_there {
            self.spread_rows::<NV>(paths);
        }
        is_there
    }

    fn accelerations(
        &self,
        _: &mut [T],
        pivots: &mut [T],
        reduced: &mut [T],
        accelerations: &mut [T],
    ) -> bool {
        self.rows_by(RowsKernel::Accelerations, &[], |factors, run| {
            run(&mut [factors, pivots, reduced, accelerations]);
        })
    }

    fn has_limbs(&self) -> bool {
        self.robot.rows().get(RowsKernel::Constrained).is_some()
    }

    fn constrained_accelerations(
        &self,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        activity: &mut [T],
        pulls: &mut [T],
        gains: &mut [T],
        accelerations: &mut [T],
        forces: &mut [T],
        residual: &mut [T],
        dependence: &mut [T],
    ) -> bool {
        let arguments = [v, tau].map(|x| &x.as_slice()[..self.nv()]);
        self.rows_by(RowsKernel::Constrained, &arguments, |_, run| {
            run(&mut [activity, pulls, gains, accelerations, forces, residual, dependence]);
        })
    }

    fn inverse(&self, _: &mut [T], pivots: &mut [T], minv: &mut [T]) -> bool {
        let is_there = self.rows_by(RowsKernel::Inverse, &[], |factors, run| {
            run(&mut [factors, pivots, &mut *minv]);
        });
        if is_there {
            spread_columns((self.nv(), self.nv()), NV, minv);
        }
        is_there
    }

    fn row_and_torque_derivatives(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &mut [T],
        by_q: &mut [T],
        by_v: &mut [T],
        velocities_by_q: &mut [T],
        torques_by_q: &mut [T],
        torques_by_v: &mut [T],
    ) -> bool {
        let arguments = [v, a].map(|x| &x.as_slice()[..self.nv()]);
        let outputs = &mut [
            forces,
            &mut *by_q,
            &mut *by_v,
            &mut *velocities_by_q,
            &mut *torques_by_q,
            &mut *torques_by_v,
        ];
        let is_there = self.rows_by(RowsKernel::WithTorques, &arguments, |_, run| run(outputs));
        if is_there {
            for matrix in [by_q, by_v, velocities_by_q] {
                self.spread_rows::<NV>(matrix);
            }
            for matrix in [torques_by_q, torques_by_v] {
                spread_columns((self.nv(), self.nv()), NV, matrix);
            }
        }
        is_there
    }

    fn placement(&self, contact: usize) -> Placement<T> {
        let mut at = Placement::identity();
        // Contacts that only fill the table are nowhere.
        if let Some(frame) = self.contacts.frames[contact] {
            let mut numbers = [T::zero(); 12];
            self.call(frame.placement, &[], &mut [&mut numbers]);
            at.rotation.as_mut_slice().copy_from_slice(&numbers[..9]);
            at.translation.as_mut_slice().copy_from_slice(&numbers[9..]);
        }
        at
    }

    fn jacobian(&self, contact: usize, out: &mut SMatrix<T, 6, NV>) {
        self.call(self.frame(contact).jacobian, &[], &mut [self.motion(out)]);
    }

    fn velocity(&self, contact: usize, v: &SVector<T, NV>, out: &mut SVector<T, 6>) {
        let v = &v.as_slice()[..self.nv()];
        self.call(self.frame(contact).velocity, &[v], &mut [out.as_mut_slice()]);
    }

    fn bias_acceleration(&self, contact: usize, v: &SVector<T, NV>, out: &mut SVector<T, 6>) {
        let v = &v.as_slice()[..self.nv()];
        self.call(self.frame(contact).bias_acceleration, &[v], &mut [out.as_mut_slice()]);
    }

    fn velocity_derivatives(
        &self,
        contact: usize,
        v: &SVector<T, NV>,
        out: &mut FrameVelocityDerivatives<T, NV>,
    ) {
        let v = &v.as_slice()[..self.nv()];
        let out =
            &mut [out.velocity.as_mut_slice(), self.motion(&mut out.dv_dq), self.motion(&mut out.dv_dv)];
        self.call(self.frame(contact).velocity_derivatives, &[v], out);
    }

    fn acceleration_derivatives(
        &self,
        contact: usize,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut FrameAccelerationDerivatives<T, NV>,
    ) {
        let [v, a] = [v, a].map(|x| &x.as_slice()[..self.nv()]);
        let FrameAccelerationDerivatives { acceleration, da_dq, da_dv, da_da } = out;
        let out =
            &mut [acceleration.as_mut_slice(), self.motion(da_dq), self.motion(da_dv), self.motion(da_da)];
        self.call(self.frame(contact).acceleration_derivatives, &[v, a], out);
    }

    fn minv(&self, out: &mut SMatrix<T, NV, NV>) {
        let n = self.nv();
        self.call(self.contacts.minv, &[], &mut [&mut out.as_mut_slice()[..n * n]]);
        spread(n, out);
    }

    fn bias(&self, v: &SVector<T, NV>) -> SVector<T, NV> {
        let (n, mut tau) = (self.nv(), SVector::<T, NV>::zeros());
        self.call(self.contacts.bias, &[&v.as_slice()[..n]], &mut [&mut tau.as_mut_slice()[..n]]);
        tau
    }

    fn rnea_fext(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &[SVector<T, 6>; MOST_BODIES],
    ) -> SVector<T, NV> {
        let (n, mut tau, mut forces) = (self.nv(), SVector::<T, NV>::zeros(), [T::zero(); 6 * MOST_BODIES]);
        let arguments = [&v.as_slice()[..n], &a.as_slice()[..n], self.forces(fext, &mut forces)];
        self.call(self.contacts.rnea_fext, &arguments, &mut [&mut tau.as_mut_slice()[..n]]);
        tau
    }

    fn rnea_derivatives_fext(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &[SVector<T, 6>; MOST_BODIES],
        out: &mut RneaDerivatives<T, NV>,
    ) {
        let (n, mut forces) = (self.nv(), [T::zero(); 6 * MOST_BODIES]);
        let arguments = [&v.as_slice()[..n], &a.as_slice()[..n], self.forces(fext, &mut forces)];
        let RneaDerivatives { tau, dtau_dq, dtau_dv, dtau_da } = out;
        let outputs = &mut [
            &mut tau.as_mut_slice()[..n],
            &mut dtau_dq.as_mut_slice()[..n * n],
            &mut dtau_dv.as_mut_slice()[..n * n],
            &mut dtau_da.as_mut_slice()[..n * n],
        ];
        self.call(self.contacts.rnea_derivatives_fext, &arguments, outputs);
        for matrix in [dtau_dq, dtau_dv, dtau_da] {
            spread(n, matrix);
        }
    }

    fn relatives(&self) -> [&[ColumnGroup<'_>]; 2] {
        self.contacts.relatives
    }

    fn beside_root(&self) -> Option<[&[ColumnGroup<'_>]; 2]> {
        self.contacts.beside_root
    }
}

impl<T: Number, const NV: usize, const NC: usize> SecondOrderMechanics<T, NV, MOST_BODIES, NC>
    for At<'_, T, NC>
{
    fn paths(&self, contact: usize) -> [&[PathJoint]; 2] {
        let paths = self.contacts.paths.as_ref().and_then(|all| all.get(contact));
        paths.map_or([&[], &[]], |paths| paths.each_ref().map(Vec::as_slice))
    }

    fn rnea_hessian(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        mu: &SVector<T, NV>,
        out: &mut RneaHessian<T, NV>,
    ) {
        let n = self.nv();
        let arguments = [v, a, mu].map(|x| &x.as_slice()[..n]);
        let RneaHessian { value, dq, dv, da, dqdq, dqdv, dvdv, dqda } = out;
        let [dq, dv, da] = [dq, dv, da].map(|x| &mut x.as_mut_slice()[..n]);
        let outputs = &mut [
            std::slice::from_mut(value),
            dq,
            dv,
            da,
            &mut dqdq.as_mut_slice()[..n * n],
            &mut dqdv.as_mut_slice()[..n * n],
            &mut dvdv.as_mut_slice()[..n * n],
            &mut dqda.as_mut_slice()[..n * n],
        ];
        let function = self.contacts.rnea_hessian.expect("it is asked for before");
        self.call(function, &arguments, outputs);
        for matrix in [dqdq, dqdv, dvdv, dqda] {
            spread(n, matrix);
        }
    }
}
