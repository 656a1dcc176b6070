//! Scalar rows of joints: dry friction and limits, as one monotone law of a coordinate.

use super::real::{Real, abs, max};
use crate::Mechanism;
use nalgebra::SVector;

/// The law of a joint's coordinate: dry friction, and velocities between which its limits hold it.
///
/// The impulse f on the coordinate is in `-F sign(c)` for velocities c between the limits. At a limit it also
/// pushes back. In one formula, `f` is in minus the subdifferential of `F |c|` plus the indicator of
/// `least <= c <= most`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLaw<T> {
    /// Largest impulse of dry friction F, N m s or N s, from 0 on: the torque times the time of the step.
    pub friction: T,
    /// Least velocity, rad/s or m/s; minus infinity without a lower limit.
    pub least: T,
    /// Largest velocity; infinity without an upper limit.
    pub most: T,
}

/// Dry friction of a robot's coordinates, and distances from their limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointContacts<T, const NV: usize> {
    /// Largest torque or force of dry friction (NV), N m or N. Zero for none.
    pub friction: SVector<T, NV>,
    /// Distance from the lower limit (NV), rad or m: infinite for none, negative beyond it.
    pub to_lower: SVector<T, NV>,
    /// Distance from the upper limit (NV).
    pub to_upper: SVector<T, NV>,
}

impl<T: Real, const NV: usize> JointContacts<T, NV> {
    /// Neither friction nor limits.
    #[must_use]
    pub fn none() -> Self {
        let infinite = SVector::from_element(T::from_f64(f64::INFINITY));
        Self { friction: SVector::from_element(T::zero()), to_lower: infinite, to_upper: infinite }
    }

    /// Friction and limits of the robot's URDF, at a configuration.
    ///
    /// Joints of several coordinates have none, and neither have continuous and mimic joints.
    #[must_use]
    pub fn of<R, const NQ: usize>(q: &SVector<T, NQ>) -> Self
    where
        R: Mechanism<NQ, NV> + ?Sized,
    {
        let mut all = Self::none();
        for joint in R::JOINTS.iter().filter(|joint| joint.nv == 1 && joint.mimic.is_none()) {
            let at = joint.idx_v;
            if let Some(friction) = all.friction.get_mut(at) {
                *friction = T::from_f64(joint.friction);
            }
            if joint.nq != 1 {
                continue;
            }
            let Some(q) = q.get(joint.idx_q) else { continue };
            if let (Some(lower), Some(upper)) = (all.to_lower.get_mut(at), all.to_upper.get_mut(at)) {
                (*lower, *upper) = (*q - T::from_f64(joint.lower), T::from_f64(joint.upper) - *q);
            }
        }
        all
    }

    /// True if a coordinate has friction or a limit.
    pub(crate) fn holds(&self, k: usize) -> bool {
        let infinite = T::from_f64(f64::INFINITY);
        let is =
            |of: &SVector<T, NV>, holds: fn(T, T) -> bool| of.get(k).is_some_and(|x| holds(*x, infinite));
        is(&self.friction, |x, _| x > T::zero())
            || is(&self.to_lower, |x, most| x < most)
            || is(&self.to_upper, |x, most| x < most)
    }

    /// The law of a coordinate in a step of this time. A share of what is beyond a limit is taken back.
    pub(crate) fn law(&self, k: usize, dt: T, correction: T) -> JointLaw<T> {
        let (zero, infinite) = (T::zero(), T::from_f64(f64::INFINITY));
        let reach = |of: &SVector<T, NV>| {
            let distance = of.get(k).copied().unwrap_or(infinite);
            match (dt > zero, distance > zero) {
                (true, true) => distance / dt,
                (true, false) => correction * distance / dt,
                // An impact: no time passes.
                (false, true) => infinite,
                (false, false) => zero,
            }
        };
        let friction = if dt > zero { self.friction.get(k).copied().unwrap_or(zero) * dt } else { zero };
        JointLaw { friction, least: -reach(&self.to_lower), most: reach(&self.to_upper) }
    }

    /// Derivative of [`Self::law`] by the law's own coordinate, along which the distances change.
    pub(crate) fn law_by_coordinate(&self, k: usize, dt: T, correction: T) -> JointLaw<T> {
        let zero = T::zero();
        let rate = |of: &SVector<T, NV>| match (dt > zero, of.get(k).is_some_and(|distance| *distance > zero))
        {
            (true, true) => T::one() / dt,
            (true, false) => correction / dt,
            (false, _) => zero,
        };
        JointLaw { friction: zero, least: -rate(&self.to_lower), most: -rate(&self.to_upper) }
    }
}

/// Mode of a joint's coordinate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JointMode {
    /// Moving: the impulse is known.
    Moves,
    /// Held by friction.
    Sticks,
    /// At the least velocity: that of the lower limit.
    AtLeast,
    /// At the largest velocity.
    AtMost,
}

impl<T: Real> JointLaw<T> {
    /// All zero: the derivative of a law that does not change.
    #[must_use]
    pub fn zero() -> Self {
        Self { friction: T::zero(), least: T::zero(), most: T::zero() }
    }

    /// The law in scaled units. NaN and negative friction are none; NaN is no limit.
    pub(super) fn scaled(&self, of_impulse: T, of_velocity: T) -> [T; 3] {
        let (zero, infinite) = (T::zero(), T::from_f64(f64::INFINITY));
        let friction = if self.friction > zero { self.friction * of_impulse } else { zero };
        let least = if self.least > -infinite { self.least * of_velocity } else { -infinite };
        let most = if self.most < infinite { self.most * of_velocity } else { infinite };
        [friction, least, most]
    }
}

/// The proximal map of the friction's potential, times `rho`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn soft<T: Real>(friction: T, x: T, rho: T) -> T {
    let bound = friction * rho;
    let size = max(abs(x) - bound, T::zero());
    if x < T::zero() { -size } else { size }
}

/// The proximal map of the law's potential, times `rho`: the velocity that is nearest to x.
#[cfg_attr(not(debug_assertions), inline(always))]
fn nearest<T: Real>([friction, least, most]: [T; 3], x: T, rho: T) -> T {
    let soft = soft(friction, x, rho);
    let up = if soft > least { soft } else { least };
    // A range that is empty ends at its upper end.
    if up < most { up } else { most }
}

/// The impulse to which a step of weight `rho` leads, from `p`: an impulse less a velocity over rho.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn project<T: Real>(law: [T; 3], p: T, rho: T) -> T {
    p + nearest(law, -(p * rho), rho) / rho
}

/// The mode of a coordinate, by where a step from impulse f and velocity c leads. Beside it, what is known:
/// the impulse of a coordinate that moves, the velocity of any other.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn mode<T: Real>(law: [T; 3], f: T, c: T) -> (JointMode, T) {
    let [friction, least, most] = law;
    let (zero, x) = (T::zero(), c - f);
    let u = nearest(law, x, T::one());
    // Between the limits and moving, friction is as large as it may be. Without friction, a velocity of zero
    // is as any other.
    let moves = u > least && u < most && (u != zero || friction == zero);
    match moves {
        true if friction == zero => (JointMode::Moves, zero),
        true => (JointMode::Moves, if u > zero { -friction } else { friction }),
        false if u >= most => (JointMode::AtMost, u),
        false if u <= least => (JointMode::AtLeast, u),
        false => (JointMode::Sticks, u),
    }
}

/// Distance of a coordinate from another mode, as a velocity.
///
/// The modes are those of where `c - f` lies: beyond the limits, between them, or within friction's reach.
pub(super) fn margin<T: Real>(law: [T; 3], f: T, c: T) -> T {
    let [friction, least, most] = law;
    let (zero, x) = (T::zero(), c - f);
    let soft = soft(friction, x, T::one());
    let up = if soft > least { soft } else { least };
    match mode(law, f, c).0 {
        JointMode::AtMost => up - most,
        JointMode::AtLeast => nearer(least - soft, most - least),
        // A limit that comes to zero moves what sticks.
        JointMode::Sticks => nearer(friction - abs(x), nearer(-least, most)),
        JointMode::Moves => {
            let inside = nearer(soft - least, most - soft);
            if friction > zero { nearer(inside, abs(soft)) } else { inside }
        }
    }
}

/// The smaller number; NaN if one is NaN.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn nearer<T: Real>(a: T, b: T) -> T {
    if a <= b {
        a
    } else if b < a {
        b
    } else {
        // One is NaN, and so is the sum.
        a + b
    }
}
