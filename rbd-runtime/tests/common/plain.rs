//! A double whose arithmetic runs as compiled. Code that is generic over the scalar is compiled for
//! it once, and not for every processor as for `f64`.

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use num_traits::{One, Zero};
use rbd_runtime::Scalar;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain(pub f64);

macro_rules! operator {
    ($trait:ident $method:ident $assign:ident $to:ident) => {
        impl $trait for Plain {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
        impl $assign for Plain {
            #[inline]
            fn $to(&mut self, other: Self) {
                *self = $trait::$method(*self, other);
            }
        }
    };
}
operator!(Add add AddAssign add_assign);
operator!(Sub sub SubAssign sub_assign);
operator!(Mul mul MulAssign mul_assign);
operator!(Div div DivAssign div_assign);

impl Neg for Plain {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
impl Zero for Plain {
    #[inline]
    fn zero() -> Self {
        Self(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
}
impl One for Plain {
    #[inline]
    fn one() -> Self {
        Self(1.0)
    }
}
impl Scalar for Plain {
    #[inline]
    fn from_f64(x: f64) -> Self {
        Self(x)
    }
    #[inline]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(self.0 * a.0 + b.0)
    }
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.0.sin_cos();
        (Self(s), Self(c))
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    fn atan2(self, x: Self) -> Self {
        Self(self.0.atan2(x.0))
    }
    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
        if self.0 < limit { below } else { otherwise }
    }
}
