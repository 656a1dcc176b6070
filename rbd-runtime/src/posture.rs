//! A configuration whose sines and cosines are known.

use crate::__private::Sealed;
use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};
use nalgebra::SVector;

/// A configuration with the sines and cosines of its coordinates. Functions take it in place of
/// `q`.
///
/// Several functions at one configuration then share the sines and cosines. A sensor that measures
/// sine and cosine needs no angle.
///
/// Only coordinates of turning joints are read from `sin` and `cos` (revolute, continuous, and a
/// planar joint's third); other entries are ignored. For a mimic joint whose ratio is not 1 or -1,
/// sine and cosine are computed from q.
///
/// ```
/// use nalgebra::SVector;
/// use rbd_runtime::Posture;
///
/// let posture = Posture::of(SVector::from([0.0, 0.5]));
/// assert_eq!((posture.sin[0], posture.cos[0]), (0.0, 1.0));
/// assert!((posture.sin[1] - 0.5_f64.sin()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posture<T, const NQ: usize> {
    /// The configuration; rad, m, unit quaternions.
    pub q: SVector<T, NQ>,
    /// Sines of its coordinates.
    pub sin: SVector<T, NQ>,
    /// Cosines of its coordinates.
    pub cos: SVector<T, NQ>,
}

impl<T: Scalar, const NQ: usize> Posture<T, NQ> {
    /// Takes sines and cosines of all coordinates, as accurate as those that every other function takes
    /// ([`crate::sincos`]).
    #[inline]
    #[must_use]
    pub fn of(q: SVector<T, NQ>) -> Self {
        T::dispatch(Of { q: &q })
    }
}

/// Configuration argument of generated functions: the vector `q`, or a [`Posture`] if sines and
/// cosines are known.
///
/// No other type implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no configuration of {NQ} coordinates",
    label = "expected `SVector<T, {NQ}>` or `Posture<T, {NQ}>`"
)]
pub trait Configuration<T, const NQ: usize>: Sealed {
    /// Source of a kernel's sines and cosines.
    #[doc(hidden)]
    type Angles<'a>: Angles<T, NQ>
    where
        Self: 'a;
    /// The coordinates.
    fn coordinates(&self) -> &SVector<T, NQ>;
    /// The sines and cosines, if they are known.
    #[doc(hidden)]
    fn angles(&self) -> Self::Angles<'_>;
}

impl<T, const NQ: usize> Sealed for SVector<T, NQ> {}
impl<T, const NQ: usize> Configuration<T, NQ> for SVector<T, NQ> {
    type Angles<'a>
        = Taken
    where
        Self: 'a;
    #[inline(always)]
    fn coordinates(&self) -> &SVector<T, NQ> {
        self
    }
    #[inline(always)]
    fn angles(&self) -> Taken {
        Taken
    }
}

impl<T, const NQ: usize> Sealed for Posture<T, NQ> {}
impl<T, const NQ: usize> Configuration<T, NQ> for Posture<T, NQ> {
    type Angles<'a>
        = &'a Self
    where
        Self: 'a;
    #[inline(always)]
    fn coordinates(&self) -> &SVector<T, NQ> {
        &self.q
    }
    #[inline(always)]
    fn angles(&self) -> &Self {
        self
    }
}

// A reference to a reference, as closures over slices have, is one too.
impl<C: Sealed> Sealed for &C {}
impl<T, C: Configuration<T, NQ>, const NQ: usize> Configuration<T, NQ> for &C {
    type Angles<'a>
        = C::Angles<'a>
    where
        Self: 'a;
    #[inline(always)]
    fn coordinates(&self) -> &SVector<T, NQ> {
        C::coordinates(self)
    }
    #[inline(always)]
    fn angles(&self) -> C::Angles<'_> {
        C::angles(self)
    }
}

struct Of<'a, T, const NQ: usize> {
    q: &'a SVector<T, NQ>,
}

impl<T: Scalar, const NQ: usize> Dispatched<T> for Of<'_, T, NQ> {
    type Output = Posture<T, NQ>;

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) -> Posture<T, NQ> {
        let [q] = recast.matrix(self.q).data.0;
        let (sin, cos) = S::sin_cos_all(q);
        let (sin, cos) = (crate::__private::vector(sin), crate::__private::vector(cos));
        Posture { q: *self.q, sin: recast.matrix_back(sin), cos: recast.matrix_back(cos) }
    }
}

/// Source of a kernel's sines and cosines.
#[doc(hidden)]
pub trait Angles<T, const NQ: usize>: Copy {
    /// Sines and cosines of the configuration's coordinates, if they are known.
    fn given(&self) -> Option<(&SVector<T, NQ>, &SVector<T, NQ>)>;
}

/// Sines and cosines taken from the configuration.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Taken;

impl<T, const NQ: usize> Angles<T, NQ> for Taken {
    #[inline(always)]
    fn given(&self) -> Option<(&SVector<T, NQ>, &SVector<T, NQ>)> {
        None
    }
}

impl<T, const NQ: usize> Angles<T, NQ> for &Posture<T, NQ> {
    #[inline(always)]
    fn given(&self) -> Option<(&SVector<T, NQ>, &SVector<T, NQ>)> {
        Some((&self.sin, &self.cos))
    }
}
