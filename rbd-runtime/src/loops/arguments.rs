//! Arguments of loops.

use crate::Scalar;
use crate::dispatch::Recast;
use nalgebra::SVector;

/// Arguments of loops. Slices that are too short count as zero beyond their end.
pub struct Given<'a, S> {
    /// Configuration.
    pub q: &'a [S],
    /// Velocity. Zero if empty.
    pub v: &'a [S],
    /// Acceleration for inverse dynamics, torque for forward dynamics. Zero if empty.
    pub a: &'a [S],
    /// Weights of torques. Zero if empty.
    pub mu: &'a [S],
    /// Force on each joint's body in its joint frame. Zero if empty.
    pub fext: &'a [SVector<S, 6>],
    /// Sines and cosines of the configuration's coordinates, if they are known.
    pub turned: Option<[&'a [S]; 2]>,
}

impl<'a, T: Scalar> Given<'a, T> {
    /// A state and external forces, without weights.
    #[inline]
    pub(super) fn new(
        [q, v, a]: [&'a [T]; 3],
        turned: Option<[&'a [T]; 2]>,
        fext: Option<&'a [SVector<T, 6>]>,
    ) -> Self {
        Self { q, v, a, mu: &[], fext: fext.unwrap_or(&[]), turned }
    }

    /// Arguments as another scalar.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn recast<S: Scalar>(&self, recast: Recast<T, S>) -> Given<'a, S> {
        Given {
            q: recast.slice(self.q),
            v: recast.slice(self.v),
            a: recast.slice(self.a),
            mu: recast.slice(self.mu),
            fext: recast.matrix_slice(self.fext),
            turned: match self.turned {
                Some([sin, cos]) => Some([recast.slice(sin), recast.slice(cos)]),
                None => None,
            },
        }
    }
}
