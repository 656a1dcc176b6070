//! A register of x86-64 as a [`Pack`](super::Pack), from the names of its intrinsics.

/// Defines a pack of `$n` lanes of `$float` in a `$register`.
///
/// `$int` and `$back` convert to the register's integer form and back. `$blend` selects from two
/// registers by the result of a comparison. `$all` tests whether that result is true in every lane.
/// `$signs` gives the signs of a register as such a result.
///
/// The intrinsics may only be used if the processor has them: the condition of the calling module.
macro_rules! register {
    ($(#[$doc:meta])* $pack:ident, $register:ident, $float:ident, $n:literal, add $add:ident, sub $sub:ident,
     mul $mul:ident, div $div:ident, set $set:ident, fma $fma:ident, sqrt $sqrt:ident, cmp $cmp:ident,
     blend |$a:ident, $b:ident, $mask:ident| $blend:expr, all |$result:ident| $all:expr, signs |$x:ident| $signs:expr,
     and $and:ident, andnot $andnot:ident, xor $xor:ident, shift $shift:ident, int $int:ident, float $back:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $pack(pub(super) $register);

        register!(@operator $pack, Add, add, $add);
        register!(@operator $pack, Sub, sub, $sub);
        register!(@operator $pack, Mul, mul, $mul);
        register!(@operator $pack, Div, div, $div);

        impl core::ops::Neg for $pack {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // A difference, not a flipped bit: the compiler folds it into a fused multiply-add.
                Self::splat(-0.0) - self
            }
        }

        // SAFETY (all blocks): the processor has the instructions (the module's condition).
        impl Pack for $pack {
            lanes_in_order!($float, $n);

            #[inline(always)]
            fn splat(x: $float) -> Self {
                Self(unsafe { $set(x) })
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self(unsafe { $fma(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn select_lt(self, limit: $float, below: Self, otherwise: Self) -> Self {
                let ($a, $b) = (otherwise.0, below.0);
                unsafe {
                    let $mask = $cmp::<_CMP_LT_OQ>(self.0, $set(limit));
                    Self($blend)
                }
            }
            #[inline(always)]
            fn all_within(self, limit: $float) -> bool {
                unsafe {
                    let $result = $cmp::<_CMP_LE_OQ>($andnot($set(-0.0), self.0), $set(limit));
                    $all
                }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn bit_as_sign<const BIT: u32>(self) -> Self {
                let to_sign = 8 * size_of::<$float>() as i32 - 1 - BIT as i32;
                unsafe { Self($and($back($shift($int(self.0), _mm_cvtsi32_si128(to_sign))), $set(-0.0))) }
            }
            #[inline(always)]
            fn choose(self, negative: Self, positive: Self) -> Self {
                let ($a, $b, $x) = (positive.0, negative.0, self.0);
                unsafe {
                    let $mask = $signs;
                    Self($blend)
                }
            }
        }
    };
    (@operator $pack:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl core::ops::$trait for $pack {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the processor has the instruction (the module's condition).
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}
pub(super) use register;
