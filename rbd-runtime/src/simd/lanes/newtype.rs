//! Scalar implementation of a newtype over a pack of lanes.

/// The arithmetic that `Scalar` asks for, lane by lane, on `struct $name($pack)`.
macro_rules! arithmetic {
    ($name:ident) => {
        $crate::lanes::arithmetic!(@ $name, Add add, AddAssign add_assign);
        $crate::lanes::arithmetic!(@ $name, Sub sub, SubAssign sub_assign);
        $crate::lanes::arithmetic!(@ $name, Mul mul, MulAssign mul_assign);
        $crate::lanes::arithmetic!(@ $name, Div div, DivAssign div_assign);

        impl core::ops::Neg for $name {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn neg(self) -> Self {
                Self($crate::lanes::Pack::opposite(self.0))
            }
        }
        impl num_traits::Zero for $name {
            #[inline(always)]
            fn zero() -> Self {
                Self($crate::lanes::Pack::splat(0.0))
            }
            /// True if every lane is zero.
            #[inline]
            fn is_zero(&self) -> bool {
                *self == Self::zero()
            }
        }
        impl num_traits::One for $name {
            #[inline(always)]
            fn one() -> Self {
                Self($crate::lanes::Pack::splat(1.0))
            }
        }
        /// Equal in every lane.
        impl PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                $crate::lanes::Pack::to_array(self.0) == $crate::lanes::Pack::to_array(other.0)
            }
        }
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&$crate::lanes::Pack::to_array(self.0)).finish()
            }
        }
    };
    (@ $name:ident, $operator:ident $method:ident, $assigning:ident $assign:ident) => {
        impl core::ops::$operator for $name {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $method(self, other: Self) -> Self {
                Self(core::ops::$operator::$method(self.0, other.0))
            }
        }
        impl core::ops::$assigning for $name {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                *self = core::ops::$operator::$method(*self, other);
            }
        }
    };
}

/// `Scalar` for `struct $name($pack)` of lanes `$float`. `$best` runs a kernel on this type,
/// `$nested` one within another one's body.
macro_rules! scalar {
    ($name:ident, $float:ident, $best:path, $nested:path, $part:path) => {
        // An unspecified type is a plain number.
        #[diagnostic::do_not_recommend]
        impl $crate::Scalar for $name {
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_f64(x: f64) -> Self {
                Self($crate::lanes::Pack::splat(x as $float))
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self($crate::lanes::Pack::mul_add(self.0, a.0, b.0))
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn sin_cos(self) -> (Self, Self) {
                let (s, c) = $crate::sincos::of_pack(self.0);
                (Self(s), Self(c))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self($crate::lanes::Pack::sqrt(self.0))
            }
            fn atan2(self, x: Self) -> Self {
                let (mut angle, x) =
                    ($crate::lanes::Pack::to_array(self.0), $crate::lanes::Pack::to_array(x.0));
                for (y, x) in angle.iter_mut().zip(x) {
                    *y = num_traits::Float::atan2(*y, x);
                }
                Self($crate::lanes::Pack::from_array(angle))
            }
            #[inline(always)]
            fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
                Self($crate::lanes::Pack::select_lt(self.0, limit as $float, below.0, otherwise.0))
            }
            #[inline(always)]
            fn dispatch<K: $crate::dispatch::Dispatched<Self>>(kernel: K) -> K::Output {
                $best(kernel)
            }
            #[inline(always)]
            fn nested<K: $crate::dispatch::Dispatched<Self>>(kernel: K) -> K::Output {
                $nested(kernel)
            }
            #[inline(always)]
            fn in_part<P: $crate::dispatch::Part>(part: P, kept: &mut P::Kept) {
                $part(part, kept);
            }
        }
    };
}

pub(crate) use {arithmetic, scalar};
