//! Methods of [`Model`] that allocate their workspace: for tests and for trying things out.

use super::{AbaDerivatives, Data, RneaDerivatives};
use crate::spatial::Vector6;
use crate::{Model, Scalar};
use nalgebra::{DMatrix, DVector};

impl<T: Scalar> Model<T> {
    /// Inverse dynamics, [`rnea`](super::rnea()).
    pub fn rnea(&self, q: &[T], v: &[T], a: &[T]) -> DVector<T> {
        super::rnea(self, &mut Data::new(self), q, v, a, None).clone()
    }

    /// Inverse dynamics with external forces, [`rnea`](super::rnea()).
    pub fn rnea_fext(&self, q: &[T], v: &[T], a: &[T], fext: &[Vector6<T>]) -> DVector<T> {
        super::rnea(self, &mut Data::new(self), q, v, a, Some(fext)).clone()
    }

    /// `C(q, v) v + g(q)`, [`bias`](super::bias).
    pub fn bias(&self, q: &[T], v: &[T]) -> DVector<T> {
        super::bias(self, &mut Data::new(self), q, v).clone()
    }

    /// `g(q)`, [`gravity`](super::gravity). Not `gravity`, which is the field.
    pub fn gravity_torques(&self, q: &[T]) -> DVector<T> {
        super::gravity(self, &mut Data::new(self), q).clone()
    }

    /// Forward dynamics, [`aba`](super::aba()).
    pub fn aba(&self, q: &[T], v: &[T], tau: &[T]) -> DVector<T> {
        super::aba(self, &mut Data::new(self), q, v, tau, None).clone()
    }

    /// Forward dynamics with external forces, [`aba`](super::aba()).
    pub fn aba_fext(&self, q: &[T], v: &[T], tau: &[T], fext: &[Vector6<T>]) -> DVector<T> {
        super::aba(self, &mut Data::new(self), q, v, tau, Some(fext)).clone()
    }

    /// The mass matrix, [`crba`](super::crba()).
    pub fn crba(&self, q: &[T]) -> DMatrix<T> {
        super::crba(self, &mut Data::new(self), q).clone()
    }

    /// The inverse of the mass matrix, [`minv`](super::minv()).
    pub fn minv(&self, q: &[T]) -> DMatrix<T> {
        super::minv(self, &mut Data::new(self), q).clone()
    }

    /// Inverse dynamics' derivatives, [`rnea_derivatives`](super::rnea_derivatives()).
    pub fn rnea_derivatives(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: Option<&[Vector6<T>]>,
    ) -> RneaDerivatives<T> {
        super::rnea_derivatives(self, &mut Data::new(self), q, v, a, fext).clone()
    }

    /// Forward dynamics' derivatives, [`aba_derivatives`](super::aba_derivatives()).
    pub fn aba_derivatives(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: Option<&[Vector6<T>]>,
    ) -> AbaDerivatives<T> {
        super::aba_derivatives(self, &mut Data::new(self), q, v, tau, fext).clone()
    }
}
