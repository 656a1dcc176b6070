//! Surfaces that contacts meet.

use super::Real;
use nalgebra::Vector3;

/// The surface under a contact, as far as it is seen from there.
///
/// Collision detection is the caller's: a plane, a height field, or the nearest point of another body that
/// does not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSurface<T> {
    /// Normal of the surface in the world, towards the robot. Its length does not matter. If it is zero,
    /// there is no contact.
    pub normal: Vector3<T>,
    /// Distance from the surface along the normal, m: negative, if the contact is inside.
    pub distance: T,
    /// Coefficient of friction mu, not negative. A larger one than 1e6 is as 1e6.
    pub friction: T,
    /// Coefficient of restitution: velocity of separation over that of approach, 0 to 1.
    pub restitution: T,
    /// Compliance, 1/kg, not negative: velocity by which a contact yields, over its impulse.
    ///
    /// It is added to the diagonal of the Delassus matrix. Redundant contacts then have one solution.
    pub compliance: T,
}

impl<T: Real> ContactSurface<T> {
    /// A rigid surface without rebound.
    #[must_use]
    pub fn new(normal: Vector3<T>, distance: T, friction: T) -> Self {
        Self { normal, distance, friction, restitution: T::zero(), compliance: T::zero() }
    }

    /// Level ground at this distance below the contact.
    #[must_use]
    pub fn ground(distance: T, friction: T) -> Self {
        Self::new(Vector3::new(T::zero(), T::zero(), T::one()), distance, friction)
    }

    /// The surface with a coefficient of restitution.
    #[must_use]
    pub fn with_restitution(self, restitution: T) -> Self {
        Self { restitution, ..self }
    }

    /// The surface with a compliance, 1/kg.
    #[must_use]
    pub fn with_compliance(self, compliance: T) -> Self {
        Self { compliance, ..self }
    }
}
