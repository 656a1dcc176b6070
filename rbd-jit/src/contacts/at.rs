//! A robot in one configuration, as the runtime's functions of contacts ask for it.

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
    let numbers = matrix.as_mut_slice();
    for column in (1..n).rev() {
        numbers.copy_within(column * n..(column + 1) * n, column * N);
    }
    // Between the columns, what was not overwritten is of others.
    for column in 0..n {
        numbers[column * N + n..(column + 1) * N].fill(T::zero());
    }
}

/// A robot in one configuration, as the runtime asks for it.
pub(super) struct At<'a, T: Number, const NC: usize> {
    pub robot: &'a Loaded<T>,
    pub contacts: &'a Contacts,
    pub tables: &'a [ContactTable; NC],
    pub q: &'a [T],
    pub parameters: Parameters<'a, T>,
    pub relatives: [&'a [ColumnGroup<'a>]; 2],
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

    fn nv(&self) -> usize {
        self.contacts.sizes.nv
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
    type Factors = [T; 0];

    fn factors() -> [T; 0] {
        []
    }

    fn contacts(&self) -> &[ContactTable; NC] {
        self.tables
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
        self.relatives
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
