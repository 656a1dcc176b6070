//! The numbers that robots are loaded for: double and single precision.

use crate::Engine;
use crate::contacts::{FrictionCall, HessianCall, Problem};
use crate::lanes::{Beside, InLanes};
use rbd_runtime::friction::{FrictionReport, Real};
#[cfg(feature = "single")]
use rbd_runtime::lanes::{F32x8, F32x16};
use rbd_runtime::lanes::{F64x2, F64x4, F64x8};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

/// A type of numbers that robots are loaded for: `f64`, or with the feature `single` (default) `f32`.
pub trait Number: Real + Default + Send + Sync + sealed::Sealed {
    /// True of `f64`.
    #[doc(hidden)]
    const IS_DOUBLE: bool = size_of::<Self>() == size_of::<f64>();
    /// Not a number.
    #[doc(hidden)]
    const NAN: Self;

    /// `self * a + b`, rounded once.
    #[doc(hidden)]
    #[must_use]
    fn fused(self, a: Self, b: Self) -> Self;

    /// The number with its sign flipped if the other has one.
    #[doc(hidden)]
    #[must_use]
    fn flipped(self, signs: Self) -> Self;

    /// Writes the number's bytes, as they are in memory.
    #[doc(hidden)]
    fn write(self, to: &mut [u8]);

    /// Bits of the number, in an integer of as many bytes or more.
    #[doc(hidden)]
    fn bits(self) -> u64;

    /// The number in double precision.
    #[doc(hidden)]
    fn double(self) -> f64;

    /// Computes a function of contacts.
    #[doc(hidden)]
    fn contacts(problem: Problem<'_, '_, Self>);

    /// Computes a Hessian of contact dynamics.
    #[doc(hidden)]
    fn contact_hessian(call: HessianCall<'_, '_, Self>);

    /// Computes a step with friction.
    #[doc(hidden)]
    fn friction(call: FrictionCall<'_, '_, Self>) -> FrictionReport<Self>;

    /// Computes with a scalar that holds a number of each of `states` states.
    ///
    /// # Panics
    /// If no engine has so many states side by side.
    #[doc(hidden)]
    fn in_lanes(states: usize, body: impl InLanes<Self>);

    /// Number of states of a batch that this engine computes side by side.
    #[doc(hidden)]
    fn states(engine: Engine) -> usize {
        match engine {
            Engine::Avx512 | Engine::Avx2 => engine.states() * size_of::<f64>() / size_of::<Self>(),
            Engine::Neon if Self::IS_DOUBLE => engine.states(),
            Engine::Neon | Engine::Interpreter => 1,
        }
    }
}

macro_rules! number {
    ($number:ident, $($states:literal: $lanes:ident),+) => {
        impl Number for $number {
            const NAN: Self = $number::NAN;

            fn fused(self, a: Self, b: Self) -> Self {
                $number::mul_add(self, a, b)
            }

            fn flipped(self, signs: Self) -> Self {
                $number::from_bits($number::to_bits(self) ^ $number::to_bits(signs))
            }

            fn write(self, to: &mut [u8]) {
                to.copy_from_slice(&$number::to_ne_bytes(self));
            }

            fn bits(self) -> u64 {
                u64::from($number::to_bits(self))
            }

            fn double(self) -> f64 {
                f64::from(self)
            }

            fn contacts(problem: Problem<'_, '_, Self>) {
                problem.solve();
            }

            fn contact_hessian(call: HessianCall<'_, '_, Self>) {
                call.solve();
            }

            fn friction(call: FrictionCall<'_, '_, Self>) -> FrictionReport<Self> {
                call.solve()
            }

            fn in_lanes(states: usize, body: impl InLanes<Self>) {
                match states {
                    $(
                        // SAFETY: the type is transparent around one or more registers, that is, so many
                        // numbers in order.
                        $states => body.run(unsafe { Beside::<Self, $lanes>::new() }),
                    )+
                    _ => unreachable!("no engine has {states} states side by side"),
                }
            }
        }
    };
}

number!(f64, 2: F64x2, 4: F64x4, 8: F64x8);
#[cfg(feature = "single")]
number!(f32, 8: F32x8, 16: F32x16);
