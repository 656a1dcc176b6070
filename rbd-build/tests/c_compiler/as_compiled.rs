//! Numbers for which no instructions are chosen at run time.
//!
//! With them the runtime computes as it is compiled, as C code does.

use num_traits::{One, Zero};
use rbd_runtime::Scalar;
use rbd_runtime::friction::Real;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number of type `F`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct AsCompiled<F>(F);

macro_rules! operations {
    ($($trait:ident $name:ident $assign:ident $name_assign:ident,)*) => {$(
        impl<F: Real> $trait for AsCompiled<F> {
            type Output = Self;
            fn $name(self, other: Self) -> Self {
                Self(self.0.$name(other.0))
            }
        }
        impl<F: Real> $assign for AsCompiled<F> {
            fn $name_assign(&mut self, other: Self) {
                self.0.$name_assign(other.0);
            }
        }
    )*};
}
operations! {
    Add add AddAssign add_assign,
    Sub sub SubAssign sub_assign,
    Mul mul MulAssign mul_assign,
    Div div DivAssign div_assign,
}

impl<F: Real> Neg for AsCompiled<F> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<F: Real> Zero for AsCompiled<F> {
    fn zero() -> Self {
        Self(F::zero())
    }
    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl<F: Real> One for AsCompiled<F> {
    fn one() -> Self {
        Self(F::one())
    }
}

impl<F: Real> Scalar for AsCompiled<F> {
    fn from_f64(x: f64) -> Self {
        Self(F::from_f64(x))
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(self.0.mul_add(a.0, b.0))
    }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.0.sin_cos();
        (Self(sin), Self(cos))
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    fn atan2(self, x: Self) -> Self {
        Self(self.0.atan2(x.0))
    }
    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
        Self(self.0.select_lt(limit, below.0, otherwise.0))
    }
}

impl<F: Real> Real for AsCompiled<F> {
    const TOLERANCE: f64 = F::TOLERANCE;
    const EPSILON: f64 = F::EPSILON;
}

impl<F: Into<f64>> From<AsCompiled<F>> for f64 {
    fn from(x: AsCompiled<F>) -> Self {
        x.0.into()
    }
}
