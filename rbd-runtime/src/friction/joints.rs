//! Scalar rows of joints: dry friction and limits, as one monotone law of a coordinate.

use super::real::{Real, abs, max};

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

/// What a coordinate does: its velocity, or its impulse, is known.
#[derive(Clone, Copy)]
pub(super) enum JointMode<T> {
    /// It moves, under this impulse.
    Moves(T),
    /// It has this velocity: zero, or that of a limit.
    Held(T),
}

impl<T: Real> JointLaw<T> {
    /// The law in scaled units. NaN and negative friction are none; NaN is no limit.
    pub(super) fn scaled(&self, of_impulse: T, of_velocity: T) -> [T; 3] {
        let (zero, infinite) = (T::zero(), T::from_f64(f64::INFINITY));
        let friction = if self.friction > zero { self.friction * of_impulse } else { zero };
        let least = if self.least > -infinite { self.least * of_velocity } else { -infinite };
        let most = if self.most < infinite { self.most * of_velocity } else { infinite };
        [friction, least, most]
    }
}

/// The proximal map of the law's potential, times `rho`: the velocity that is nearest to x.
#[inline(always)]
fn nearest<T: Real>([friction, least, most]: [T; 3], x: T, rho: T) -> T {
    let bound = friction * rho;
    let size = max(abs(x) - bound, T::zero());
    let soft = if x < T::zero() { -size } else { size };
    let up = if soft > least { soft } else { least };
    // A range that is empty ends at its upper end.
    if up < most { up } else { most }
}

/// The impulse to which a step of weight `rho` leads, from `p`: an impulse less a velocity over rho.
#[inline(always)]
pub(super) fn project<T: Real>(law: [T; 3], p: T, rho: T) -> T {
    p + nearest(law, -(p * rho), rho) / rho
}

/// The mode of a coordinate, by where a step from impulse f and velocity c leads.
#[inline(always)]
pub(super) fn mode<T: Real>(law: [T; 3], f: T, c: T) -> JointMode<T> {
    let [friction, least, most] = law;
    let (zero, x) = (T::zero(), c - f);
    let u = nearest(law, x, T::one());
    // Between the limits and moving, friction is as large as it may be. Without friction, a velocity of zero
    // is as any other.
    let moves = u > least && u < most && (u != zero || friction == zero);
    match moves {
        true if friction == zero => JointMode::Moves(zero),
        true => JointMode::Moves(if u > zero { -friction } else { friction }),
        false => JointMode::Held(u),
    }
}
