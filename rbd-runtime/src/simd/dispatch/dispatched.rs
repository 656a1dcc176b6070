//! Kernels that are generic over the registers of their scalar.

/// Implements [`Dispatched`](super::Dispatched) by a method `with`, generic over the scalar and these
/// registers.
///
/// `R4` and `X8` are the registers of [`LimbScalar`](crate::limbs::LimbScalar), arrays for a scalar without
/// registers. With `wide`, the kernel runs with AVX-512 if the processor has it.
macro_rules! dispatched {
    ($name:ident $(<$($n:ident: $of:ty),*>)?, wide, $($x:ident),+) => {
        $crate::dispatch::dispatched!(@ $name, [$($($n: $of),*)?], true, $($x),+);
    };
    ($name:ident $(<$($n:ident: $of:ty),*>)?, $($x:ident),+) => {
        $crate::dispatch::dispatched!(@ $name, [$($($n: $of),*)?], false, $($x),+);
    };
    (@ $name:ident, [$($n:ident: $of:ty),*], $wide:literal, $($x:ident),+) => {
        impl<T: $crate::Scalar, $(const $n: $of),*> $crate::dispatch::Dispatched<T> for $name<'_, T, $($n),*> {
            type Output = ();
            const WIDE: bool = $wide;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run<S: $crate::Scalar>(self, recast: $crate::dispatch::Recast<T, S>) {
                self.with::<S, $($crate::dispatch::dispatched!(@ S $x)),+>(recast);
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run_limbs<S: $crate::limbs::LimbScalar>(self, recast: $crate::dispatch::Recast<T, S>) {
                self.with::<S, $(S::$x),+>(recast);
            }
        }
    };
    (@ $scalar:ident R4) => { $crate::limbs::Plain<$scalar, 4> };
    (@ $scalar:ident X8) => { $crate::limbs::Plain<$scalar, 8> };
}
pub(crate) use dispatched;
