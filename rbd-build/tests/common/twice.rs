//! Numbers with twice the digits of a double, to run the generic reference where doubles lose
//! digits.
//!
//! Their operations are not inlined: inlined, code that is generic over the scalar takes several
//! times as long to compile.

use num_traits::{One, Zero};
use rbd_runtime::Scalar;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use twofloat::TwoFloat;

/// A double-double: some 32 digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twice(TwoFloat);

impl Twice {
    /// Rounded to a double.
    pub fn to_f64(self) -> f64 {
        self.0.hi() + self.0.lo()
    }
}

macro_rules! operators {
    ($($op:ident $f:ident $assign:ident $g:ident)*) => {$(
        impl $op for Twice {
            type Output = Self;
            #[inline(never)]
            fn $f(self, other: Self) -> Self {
                Self($op::$f(self.0, other.0))
            }
        }
        impl $assign for Twice {
            #[inline(never)]
            fn $g(&mut self, other: Self) {
                *self = $op::$f(*self, other);
            }
        }
    )*};
}
operators! { Add add AddAssign add_assign Sub sub SubAssign sub_assign
Mul mul MulAssign mul_assign Div div DivAssign div_assign }

impl Neg for Twice {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Zero for Twice {
    fn zero() -> Self {
        Self::from_f64(0.0)
    }
    fn is_zero(&self) -> bool {
        self.to_f64() == 0.0
    }
}

impl One for Twice {
    fn one() -> Self {
        Self::from_f64(1.0)
    }
}

impl Scalar for Twice {
    fn from_f64(x: f64) -> Self {
        Self(TwoFloat::from(x))
    }

    #[inline(never)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }

    /// By Taylor's series of a 1024th of the angle, which is then doubled ten times.
    #[inline(never)]
    fn sin_cos(self) -> (Self, Self) {
        let small = self / Self::from_f64(1024.0);
        let (mut sin, mut versed) = (small, Self::zero());
        let (mut power, mut factorial) = (small, 1.0);
        for k in 2..20 {
            power *= small;
            factorial *= f64::from(k);
            let term = power / Self::from_f64(factorial * if k % 4 < 2 { 1.0 } else { -1.0 });
            if k % 2 == 0 { versed -= term } else { sin += term }
        }
        // 1 - cos keeps the digits that the cosine of a small angle loses.
        for _ in 0..10 {
            let two = Self::from_f64(2.0);
            (sin, versed) = (two * sin * (Self::one() - versed), two * sin * sin);
        }
        (sin, Self::one() - versed)
    }

    fn sqrt(self) -> Self {
        if self.is_zero() {
            return self;
        }
        // One step of Newton's method doubles the digits.
        let guess = Self::from_f64(self.to_f64().sqrt());
        (guess + self / guess) / Self::from_f64(2.0)
    }

    fn atan2(self, x: Self) -> Self {
        let guess = Self::from_f64(self.to_f64().atan2(x.to_f64()));
        let (s, c) = guess.sin_cos();
        guess + (self * c - x * s) / (self * s + x * c)
    }

    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
        if self.to_f64() < limit { below } else { otherwise }
    }
}
