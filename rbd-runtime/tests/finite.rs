//! The maps of the rotation group never compute anything infinite or NaN, not even on the side that
//! a selection discards. A lane type computes both sides, and a reverse sweep or a trap would see
//! it.

use num_dual::Dual64;
use rbd_runtime::Scalar;
use rbd_runtime::manifold::*;
use rbd_runtime::random::Random;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A dual number that panics if it becomes infinite or NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Strict(Dual64);

fn strict(x: Dual64) -> Strict {
    assert!(x.re.is_finite() && x.eps.is_finite(), "{x:?}");
    Strict(x)
}

macro_rules! operator {
    ($op:ident, $f:ident, $assign:ident, $g:ident) => {
        impl $op for Strict {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                strict(self.0.$f(other.0))
            }
        }
        impl $assign for Strict {
            fn $g(&mut self, other: Self) {
                *self = self.$f(other);
            }
        }
    };
}
operator!(Add, add, AddAssign, add_assign);
operator!(Sub, sub, SubAssign, sub_assign);
operator!(Mul, mul, MulAssign, mul_assign);
operator!(Div, div, DivAssign, div_assign);

impl Neg for Strict {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl num_traits::Zero for Strict {
    fn zero() -> Self {
        Self(0.0.into())
    }
    fn is_zero(&self) -> bool {
        self.0.re == 0.0
    }
}

impl num_traits::One for Strict {
    fn one() -> Self {
        Self(1.0.into())
    }
}

impl Scalar for Strict {
    fn from_f64(x: f64) -> Self {
        strict(x.into())
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = Scalar::sin_cos(self.0);
        (strict(s), strict(c))
    }
    fn sqrt(self) -> Self {
        strict(Scalar::sqrt(self.0))
    }
    fn atan2(self, x: Self) -> Self {
        strict(Scalar::atan2(self.0, x.0))
    }
    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
        Self(self.0.select_lt(limit, below.0, otherwise.0))
    }
}

/// At no turn, at every limit, near and at half a turn: with derivatives.
#[test]
fn every_intermediate_value_is_finite() {
    let r = &mut Random::new(1);
    let pi = std::f64::consts::PI;
    for angle in
        [0.0, 1e-300, 1e-160, 1e-20, 1e-8, 1e-3, 0.2, 0.5, 1.0, 2.0, 3.0, pi - 1e-9, pi, 4.0, 2.0 * pi]
    {
        for _ in 0..10 {
            let (v, w, p, q) = (r.vector3(1.0), r.unit3() * angle, r.vector3(1.0), r.quaternion());
            let mut variable = |x: f64| Strict(Dual64::new(x, r.uniform(-1.0, 1.0)));
            let dv = [v.x, v.y, v.z, w.x, w.y, w.z].map(&mut variable);
            let q = [p.x, p.y, p.z, q[0], q[1], q[2], q[3]].map(&mut variable);
            let _ = difference_floating(q, integrate_floating(q, dv));
            let ([x, y, _, ..], [qx, qy, qz, ..]) = (dv, q);
            let dv = [x, y, variable(angle)];
            let q = [qx, qy, qz];
            let _ = difference_planar(q, integrate_planar(q, dv));
        }
    }
    let half_turn = [0.6, 0.0, 0.8, 0.0].map(|x| Strict(Dual64::new(x, 0.5)));
    let none = [0.0, 0.0, 0.0, 1.0].map(Strict::from_f64);
    let _ = difference_spherical(none, half_turn);
    let _ = difference_spherical(half_turn, half_turn);
}
