//! Complex numbers, for derivatives by the complex step: `f'(x) = Im f(x + ih) / h` for a tiny h.

use super::Scalar;
use num_complex::Complex;
use num_traits::Float;

#[diagnostic::do_not_recommend]
impl Scalar for Complex<f64> {
    #[inline]
    fn from_f64(x: f64) -> Self {
        Self::new(x, 0.0)
    }

    #[inline]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }

    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }

    #[inline]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    /// Analytic continuation of the real function.
    ///
    /// The point `(x, self)` is rotated back by its real angle, which leaves an arc tangent near
    /// zero. num-complex's own arc tangent, a difference of logarithms, would lose a step as small
    /// as 1e-30.
    fn atan2(self, x: Self) -> Self {
        let angle = Float::atan2(self.re, x.re);
        let (s, c) = Float::sin_cos(angle);
        let w = (self * c - x * s) / (x * c + self * s);
        let (a, b) = (w.re, w.im);
        let re = 0.5 * Float::atan2(2.0 * a, 1.0 - a * a - b * b);
        let im = 0.25 * Float::ln_1p(4.0 * b / (a * a + (1.0 - b) * (1.0 - b)));
        Self::new(angle + re, im)
    }

    #[inline]
    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
        if self.re < limit { below } else { otherwise }
    }
}
