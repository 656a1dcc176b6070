//! The friction cone `K = {f: |f_t| <= mu f_n}`: projection onto it, and the modes of a contact.

use super::ContactMode;
use super::real::{Real, norm};

/// Velocity with De Saxcé's correction: `mu |c_t|` is added to the normal's.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn corrected<T: Real>([x, y, z]: [T; 3], mu: T) -> [T; 3] {
    [x, y, mu.mul_add(norm([x, y]), z)]
}

/// The nearest point of the cone (docs/math.md#contacts-with-friction).
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn project<T: Real>([x, y, z]: [T; 3], mu: T) -> [T; 3] {
    let (zero, across) = (T::zero(), norm([x, y]));
    // The polar first: without friction, the normal's line below the tip is within both conditions.
    if mu * across <= -z {
        return [zero; 3];
    }
    if across <= mu * z {
        return [x, y, z];
    }
    let up = mu.mul_add(across, z) / mu.mul_add(mu, T::one());
    // Here `across` is not zero, since the point is neither in the cone nor in its polar.
    let share = mu * up / across;
    [x * share, y * share, up]
}

/// The mode in which a contact is, by where a fixed-point step from impulse `f` and velocity `c` leads.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn mode<T: Real>(f: [T; 3], c: [T; 3], mu: T) -> ContactMode {
    let [x, y, z] = core::array::from_fn(|r| f[r] - c[r]);
    if z > T::zero() {
        if norm([x, y]) < mu * z { ContactMode::Stick } else { ContactMode::Slide }
    } else {
        // Of NaN too.
        ContactMode::Open
    }
}
