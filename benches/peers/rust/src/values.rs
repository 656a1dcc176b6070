//! Results of functions: where they begin, and their numbers for the comparison.

use nalgebra::SMatrix;
use rbd::contact::{ContactDynamics, ContactDynamicsDerivatives};
use rbd::spatial::Placement;
use rbd::{CentroidalDerivatives, FrameAccelerationDerivatives, FrameVelocityDerivatives};

/// A result: its initial value, and the numbers to compare.
pub trait Value {
    fn nothing() -> Self;
    fn flat(&self, all: &mut Vec<f64>);
}

impl Value for f64 {
    fn nothing() -> Self {
        0.0
    }
    fn flat(&self, all: &mut Vec<f64>) {
        all.push(*self);
    }
}

impl<const R: usize, const C: usize> Value for SMatrix<f64, R, C> {
    fn nothing() -> Self {
        Self::zeros()
    }
    fn flat(&self, all: &mut Vec<f64>) {
        all.extend(self.iter());
    }
}

impl Value for Placement<f64> {
    fn nothing() -> Self {
        Self::identity()
    }
    fn flat(&self, all: &mut Vec<f64>) {
        all.extend(self.rotation.iter().chain(&self.translation));
    }
}

impl<V: Value, const N: usize> Value for [V; N] {
    fn nothing() -> Self {
        core::array::from_fn(|_| V::nothing())
    }
    fn flat(&self, all: &mut Vec<f64>) {
        self.iter().for_each(|x| x.flat(all));
    }
}

/// Implements `Value` for these fields of a struct, which Pinocchio also gives.
macro_rules! value {
    ($name:ident < $($n:ident),+ >, $nothing:expr, $($field:ident)+) => {
        impl<$(const $n: usize),+> Value for $name<f64, $($n),+> {
            fn nothing() -> Self {
                $nothing
            }
            fn flat(&self, all: &mut Vec<f64>) {
                $(self.$field.flat(all);)+
            }
        }
    };
}
value!(FrameVelocityDerivatives<NV>, Self::zeros(), dv_dq dv_dv);
value!(FrameAccelerationDerivatives<NV>, Self::zeros(), da_dq da_dv da_da);
value!(CentroidalDerivatives<NV>, Self::zeros(), dmomentum_dq drate_dq drate_dv drate_da);
value!(ContactDynamicsDerivatives<NV, NR>, Self::zeros(), ddq forces ddq_dq ddq_dv ddq_dtau forces_dq forces_dv forces_dtau);

impl<const NV: usize, const NR: usize> Value for ContactDynamics<f64, NV, NR> {
    fn nothing() -> Self {
        Self { ddq: SMatrix::zeros(), forces: SMatrix::zeros(), residual: SMatrix::zeros() }
    }
    fn flat(&self, all: &mut Vec<f64>) {
        self.ddq.flat(all);
        self.forces.flat(all);
    }
}
