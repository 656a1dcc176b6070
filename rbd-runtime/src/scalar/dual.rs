//! num-dual's numbers: a value with exact derivatives beside it.

use super::Scalar;
use nalgebra::Const;
use num_dual::{Dual, Dual2, Dual2Vec, DualNum, DualVec, HyperDual, HyperDualVec, HyperHyperDual};

/// Implements [`Scalar`] for a type of dual numbers.
///
/// num-dual divides by `x` in `atan2`, which has no derivative on the y axis. Here the point is
/// first rotated back by its real angle, so that the arc tangent is taken near zero; the angle
/// itself is a constant.
macro_rules! dual {
    ($t:ty $(, $n:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$(const $n: usize),*> Scalar for $t {
            #[inline]
            fn from_f64(x: f64) -> Self {
                Self::from(x)
            }

            #[inline]
            fn mul_add(self, a: Self, b: Self) -> Self {
                self * a + b
            }

            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                DualNum::sin_cos(&self)
            }

            #[inline]
            fn sqrt(self) -> Self {
                DualNum::sqrt(&self)
            }

            #[inline]
            fn atan2(self, x: Self) -> Self {
                let angle = self.re.atan2(x.re);
                let (s, c) = angle.sin_cos();
                let mut turned = DualNum::atan(&((self * c - x * s) / (x * c + self * s)));
                turned.re = angle;
                turned
            }

            #[inline]
            fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
                if self.re < limit { below } else { otherwise }
            }
        }
    };
}
dual!(Dual<f64>);
dual!(Dual2<f64>);
dual!(HyperDual<f64>);
dual!(HyperHyperDual<f64>);
dual!(DualVec<f64, Const<N>>, N);
dual!(Dual2Vec<f64, Const<N>>, N);
dual!(HyperDualVec<f64, Const<M>, Const<N>>, M, N);
