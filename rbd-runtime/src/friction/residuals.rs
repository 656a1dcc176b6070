//! Residuals of impulses and velocities in the laws of contact.

use super::cone::{corrected, project};
use super::joints::JointLaw;
use super::real::{Real, abs, is_finite, max, norm};

/// Residuals of a solution in the laws of contact: the largest over all contacts.
///
/// Velocities `c` and impulses `f` have two tangential rows and the normal's. Compliance and the targets of
/// restitution and penetration are part of `c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionResiduals<T> {
    /// Signorini's complementarity `|f_n c_n|`, J.
    pub signorini: T,
    /// Coulomb's law as dissipation, `|f_t . c_t + mu f_n |c_t||`, J: zero if friction is opposite to the
    /// sliding and as large as the cone allows.
    pub coulomb: T,
    /// Violation of the cones: `-c_n`, m/s, and `-f_n` and `|f_t| - mu f_n`, N s.
    pub feasibility: T,
    /// Change of the impulses by a fixed-point step, without units: scaled to contacts of one kilogram, and
    /// by the largest velocity without impulses.
    ///
    /// It is stricter than the products, which are small if both factors are.
    pub natural: T,
}

impl<T: Real> FrictionResiduals<T> {
    /// No residual.
    #[must_use]
    pub fn zero() -> Self {
        let zero = T::zero();
        Self { signorini: zero, coulomb: zero, feasibility: zero, natural: zero }
    }

    /// The largest residual.
    #[must_use]
    pub fn largest(&self) -> T {
        let Self { signorini, coulomb, feasibility, natural } = *self;
        [coulomb, feasibility, natural].into_iter().fold(signorini, worse)
    }

    /// True if all residuals are at most the tolerance, relative to a velocity and an energy.
    pub(super) fn are_within(&self, tolerance: T, velocity: T, energy: T) -> bool {
        let Self { signorini, coulomb, feasibility, natural } = *self;
        // NaN is never within.
        let small = |x: T, scale: T| x <= tolerance * max(scale, T::one());
        small(signorini, energy)
            && small(coulomb, energy)
            && small(feasibility, velocity)
            && small(natural, T::zero())
    }

    /// Adds a joint's coordinate: what its velocity lacks to the limits.
    pub(super) fn add_joint(&mut self, c: T, law: &JointLaw<T>) {
        // A limit that is no number is none.
        for outside in [law.least - c, c - law.most] {
            self.feasibility = worse(self.feasibility, max(outside, T::zero()));
        }
    }

    /// Adds a contact, in the units of the problem.
    pub(super) fn add(&mut self, f: [T; 3], c: [T; 3], mu: T) {
        let ([fx, fy, fz], [cx, cy, cz]) = (f, c);
        let dissipated = fx.mul_add(cx, fy * cy) + mu * fz * norm([cx, cy]);
        let outside = max(max(-cz, -fz), norm([fx, fy]) - mu * fz);
        self.signorini = worse(self.signorini, abs(fz * cz));
        self.coulomb = worse(self.coulomb, abs(dissipated));
        self.feasibility = worse(self.feasibility, max(outside, T::zero()));
    }
}

/// The larger one; what is not finite is the worst.
pub(super) fn worse<T: Real>(a: T, b: T) -> T {
    if !is_finite(a) || a >= b { a } else { b }
}

/// Change of one contact's impulse by a fixed-point step, in each row.
pub(super) fn natural<T: Real>(f: [T; 3], c: [T; 3], mu: T) -> [T; 3] {
    let c = corrected(c, mu);
    let to = project(core::array::from_fn(|r| f[r] - c[r]), mu);
    core::array::from_fn(|r| f[r] - to[r])
}
