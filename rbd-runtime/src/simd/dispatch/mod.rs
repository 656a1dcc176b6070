//! Chooses at run time the best instructions that the processor has, without compiler flags.
//!
//! A stock x86-64 build may use no more than SSE2: two `f64` a register, and no fused multiply-add.
//! Nearly every processor has more. Each large function is therefore a [`Dispatched`]: its arguments,
//! and an `#[inline(always)]` body that is generic over the scalar.
//!
//! [`Scalar::dispatch`] asks the processor at each call (a load and a test; the answer is cached).
//! It runs the body either as compiled, or inside a function that may use AVX2 and FMA. There the
//! body's scalar is another type with the same bits, each of whose operations is one of those
//! instructions.
//!
//! - Loops over a robot's degrees of freedom ([`Dispatched::WIDE`]) have AVX-512 too, where the
//!   processor does. So have products of matrices that straight-line code calls.
//! - With the feature `avx512`, the lanes that fill a register of AVX-512
//!   ([`F64x8`](crate::lanes::F64x8), [`F32x16`](crate::lanes::F32x16)) are in one register, if the
//!   processor has it. The results are bit for bit those of AVX2.
//! - Results may differ in the last digits between processors with and without FMA, as between
//!   builds with and without it. On one machine results are reproducible.
//! - Dual numbers, complex numbers and user-defined scalars run as compiled: they would gain
//!   nothing.
//! - Where the target already has AVX2 and FMA (`-C target-cpu=native`), on other architectures,
//!   and without the feature `dispatch`, there is no choice and only one copy of the code.
//! - With debug assertions, operations are calls and not inlined (`cfg_attr` on each). Without
//!   optimisation each inlined operation keeps its own variables: a humanoid's functions took three
//!   times the stack. Loops over a robot's bodies then take a fifth of the code and of the compile
//!   time.
//! - A body too large to compile in one piece calls `S::nested` on inner ones, which keeps the
//!   choice without asking again (`S::dispatch` works too). Straight-line code is cut into
//!   [`Part`]s.
//!
//! ```
//! use nalgebra::SVector;
//! use rbd_runtime::{Scalar, dispatch::{Dispatched, Recast}};
//!
//! struct Dot<'a, T> {
//!     a: &'a SVector<T, 3>,
//!     b: &'a SVector<T, 3>,
//! }
//! impl<T: Scalar> Dispatched<T> for Dot<'_, T> {
//!     type Output = T;
//!     #[inline(always)]
//!     fn run<S: Scalar>(self, recast: Recast<T, S>) -> T {
//!         let (a, b) = (recast.matrix(self.a), recast.matrix(self.b));
//!         recast.back(a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0])))
//!     }
//! }
//! let (a, b) = (SVector::from([1.0, 2.0, 3.0]), SVector::from([4.0, 5.0, 6.0]));
//! assert_eq!(f64::dispatch(Dot { a: &a, b: &b }), 32.0);
//! ```

#[cfg(all(
    feature = "dispatch",
    target_arch = "x86_64",
    not(all(target_feature = "avx2", target_feature = "fma"))
))]
#[path = "avx2.rs"]
mod choice;
#[cfg(not(all(
    feature = "dispatch",
    target_arch = "x86_64",
    not(all(target_feature = "avx2", target_feature = "fma"))
)))]
#[path = "none.rs"]
mod choice;

mod dispatched;
mod part;

use crate::Scalar;
use crate::limbs::LimbScalar;
use crate::spatial::Placement;
pub(crate) use choice::{
    Fused32, Fused32x4, Fused32x8, Fused32x16, Fused64, Fused64x2, Fused64x4, Fused64x8, Loop32, Loop64,
    Wide32x16, Wide64x8, best, best_limbs, best_wide,
};
use core::marker::PhantomData;
use core::mem::transmute_copy;
pub(crate) use dispatched::dispatched;
use nalgebra::SMatrix;
pub(crate) use part::as_compiled as part_as_compiled;
pub use part::{Part, Slots};

/// A function's arguments, and its body.
pub trait Dispatched<T: Scalar> {
    /// Type that the function returns.
    type Output;

    /// Runs with AVX-512 if the processor has it.
    ///
    /// That costs a third copy of the body. It pays for loops over wide registers
    /// ([`crate::loops`]), not for straight-line code.
    const WIDE: bool = false;

    /// The body, computing with `S`, which has the values of `T`.
    ///
    /// The body must be `#[inline(always)]`, and so must everything that it calls that computes
    /// with `S`. Closures and functions that take closures (`map`, iterator adapters, most of
    /// nalgebra's methods) are not inlined so. Their results stay right, but each operation in them
    /// becomes a call. Loops and indexing are fine.
    fn run<S: Scalar>(self, recast: Recast<T, S>) -> Self::Output;

    /// The body for scalars with limb registers, where limbs of equal shape can be SIMD lanes.
    #[inline(always)]
    fn run_limbs<S: LimbScalar>(self, recast: Recast<T, S>) -> Self::Output
    where
        Self: Sized,
    {
        self.run(recast)
    }
}

/// Proof that `S` has the layout of `T` and that every bit pattern means the same number in both.
///
/// Data of one type can then be read and written in place as the other. A recast copies bits. It is
/// sound for user-defined types too, by its bound: a [`Scalar`] is `Copy` and `'static`, so nothing
/// is dropped twice and no borrow outlives its owner.
// Invariant in both: a proof about one pair of types is never one about a subtype.
#[derive(Debug)]
pub struct Recast<T, S>(Pair<T, S>);

/// Marker that owns neither type and is invariant in both.
type Pair<T, S> = PhantomData<fn(T, S) -> (T, S)>;

impl<T, S> Clone for Recast<T, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S> Copy for Recast<T, S> {}

impl<T: Scalar> Recast<T, T> {
    /// The trivial recast of a type to itself, to call a body directly.
    #[inline(always)]
    #[must_use]
    pub fn identity() -> Self {
        Self(PhantomData)
    }
}

impl<T: Scalar, S: Scalar> Recast<T, S> {
    /// # Safety
    /// Every bit pattern of `T` is a value of `S` and the reverse. Sizes are equal. The alignment
    /// of `S` is at most that of `T`.
    #[allow(dead_code, reason = "only where there is a choice")]
    #[inline(always)]
    const unsafe fn new() -> Self {
        assert!(size_of::<T>() == size_of::<S>() && align_of::<S>() <= align_of::<T>());
        Self(PhantomData)
    }

    /// A matrix or vector, read as `S`.
    #[inline(always)]
    #[must_use]
    pub fn matrix<const R: usize, const C: usize>(self, matrix: &SMatrix<T, R, C>) -> &SMatrix<S, R, C> {
        // SAFETY: nalgebra's static matrix is `repr(C)` around `repr(transparent)` around `[[T; R]; C]`,
        // so its layout follows from that of `T`, which `S` shares (`new`).
        unsafe { &*core::ptr::from_ref(matrix).cast() }
    }

    /// A matrix or vector, written as `S`.
    #[inline(always)]
    #[must_use]
    pub fn matrix_mut<const R: usize, const C: usize>(
        self,
        matrix: &mut SMatrix<T, R, C>,
    ) -> &mut SMatrix<S, R, C> {
        // SAFETY: as in `matrix`; a value written as `S` is also a `T`.
        unsafe { &mut *core::ptr::from_mut(matrix).cast() }
    }

    /// Numbers as a matrix, by columns, if there are as many as it has entries.
    #[inline(always)]
    #[must_use]
    pub fn matrix_of<const R: usize, const C: usize>(self, numbers: &[T]) -> Option<&SMatrix<S, R, C>> {
        // SAFETY: as in `matrix`; there are as many numbers as the matrix has, and they need no other
        // alignment.
        (numbers.len() == R * C).then(|| unsafe { &*numbers.as_ptr().cast() })
    }

    /// [`Self::matrix_of`], to be written.
    #[inline(always)]
    #[must_use]
    pub fn matrix_of_mut<const R: usize, const C: usize>(
        self,
        numbers: &mut [T],
    ) -> Option<&mut SMatrix<S, R, C>> {
        // SAFETY: as in `matrix_mut`; there are as many numbers as the matrix has, and they need no other
        // alignment.
        (numbers.len() == R * C).then(|| unsafe { &mut *numbers.as_mut_ptr().cast() })
    }

    /// An array of matrices or vectors (external forces, second derivatives), read as `S`.
    #[inline(always)]
    #[must_use]
    pub fn matrices<const R: usize, const C: usize, const N: usize>(
        self,
        matrices: &[SMatrix<T, R, C>; N],
    ) -> &[SMatrix<S, R, C>; N] {
        // SAFETY: as in `matrix`; an array adds nothing between its elements.
        unsafe { &*core::ptr::from_ref(matrices).cast() }
    }

    /// An array of matrices or vectors, written as `S`.
    #[inline(always)]
    #[must_use]
    pub fn matrices_mut<const R: usize, const C: usize, const N: usize>(
        self,
        matrices: &mut [SMatrix<T, R, C>; N],
    ) -> &mut [SMatrix<S, R, C>; N] {
        // SAFETY: as in `matrix_mut`; an array adds nothing between its elements.
        unsafe { &mut *core::ptr::from_mut(matrices).cast() }
    }

    /// Rows of numbers (such as inertias given at run time), read as `S`.
    #[inline(always)]
    #[must_use]
    pub fn rows<const R: usize, const N: usize>(self, rows: &[[T; R]; N]) -> &[[S; R]; N] {
        // SAFETY: `new`; an array adds nothing between its elements.
        unsafe { &*core::ptr::from_ref(rows).cast() }
    }

    /// One number, written as `S`.
    #[inline(always)]
    #[must_use]
    pub fn number_mut(self, x: &mut T) -> &mut SMatrix<S, 1, 1> {
        // SAFETY: as in `matrix_mut`; a matrix of one number has its layout.
        unsafe { &mut *core::ptr::from_mut(x).cast() }
    }

    /// An array of matrices, written as `S`, side by side: `WIDE` is `C * N`.
    #[inline(always)]
    #[must_use]
    pub fn tensor_mut<const R: usize, const C: usize, const N: usize, const WIDE: usize>(
        self,
        matrices: &mut [SMatrix<T, R, C>; N],
    ) -> &mut SMatrix<S, R, WIDE> {
        const { assert!(WIDE == C * N) };
        // SAFETY: as in `matrix_mut`; storage is by columns, and an array adds nothing between its elements.
        unsafe { &mut *core::ptr::from_mut(matrices).cast() }
    }

    /// A pose, written as the matrix `[rotation, translation]` of `S`.
    #[inline(always)]
    #[must_use]
    pub fn placement_mut(self, placement: &mut Placement<T>) -> &mut SMatrix<S, 3, 4> {
        // SAFETY: as in `matrix_mut`; a placement is `repr(C)`, a 3 x 3 matrix and then a vector of
        // the same scalar. Its twelve numbers therefore lie one after the other, by columns.
        unsafe { &mut *core::ptr::from_mut(placement).cast() }
    }

    /// Poses, written so side by side: `WIDE` is `4 * N`.
    #[inline(always)]
    #[must_use]
    pub fn placements_mut<const N: usize, const WIDE: usize>(
        self,
        placements: &mut [Placement<T>; N],
    ) -> &mut SMatrix<S, 3, WIDE> {
        const { assert!(WIDE == 4 * N) };
        // SAFETY: as in `placement_mut`; an array adds nothing between its elements.
        unsafe { &mut *core::ptr::from_mut(placements).cast() }
    }

    /// One number as `S`.
    #[inline(always)]
    #[must_use]
    pub fn scalar(self, x: T) -> S {
        // SAFETY: `new`.
        unsafe { transmute_copy(&x) }
    }

    /// One number as `T` again.
    #[inline(always)]
    #[must_use]
    pub fn back(self, x: S) -> T {
        // SAFETY: `new`; the copy does not need `T`'s alignment.
        unsafe { transmute_copy(&x) }
    }

    /// Numbers in a row, read as `S`.
    #[inline(always)]
    #[must_use]
    pub fn slice(self, numbers: &[T]) -> &[S] {
        // SAFETY: `new`; the length and the size of an element are kept.
        unsafe { core::slice::from_raw_parts(numbers.as_ptr().cast(), numbers.len()) }
    }

    /// Numbers in a row, written as `S`.
    #[inline(always)]
    #[must_use]
    pub fn slice_mut(self, numbers: &mut [T]) -> &mut [S] {
        // SAFETY: as in `slice`; a value written as `S` is also a `T`.
        unsafe { core::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), numbers.len()) }
    }

    /// Matrices or vectors (such as external forces) in a row, read as `S`.
    #[inline(always)]
    #[must_use]
    pub fn matrix_slice<const R: usize, const C: usize>(
        self,
        matrices: &[SMatrix<T, R, C>],
    ) -> &[SMatrix<S, R, C>] {
        // SAFETY: as in `matrix`; the length and the size of an element are kept.
        unsafe { core::slice::from_raw_parts(matrices.as_ptr().cast(), matrices.len()) }
    }

    /// A matrix or vector as `T` again.
    #[inline(always)]
    #[must_use]
    pub fn matrix_back<const R: usize, const C: usize>(self, matrix: SMatrix<S, R, C>) -> SMatrix<T, R, C> {
        // SAFETY: as in `matrix`; the copy does not need `T`'s alignment.
        unsafe { transmute_copy(&matrix) }
    }
}

/// The body with the instructions that this is compiled for, out of line.
#[inline(never)]
pub(crate) fn as_compiled<T: Scalar, K: Dispatched<T>>(body: K) -> K::Output {
    body.run(Recast::<T, T>::identity())
}

/// Runs the body as compiled, for a scalar with limb registers.
#[inline(never)]
pub(crate) fn limbs_as_compiled<T: LimbScalar, K: Dispatched<T>>(body: K) -> K::Output {
    body.run_limbs(Recast::<T, T>::identity())
}

#[cfg(test)]
mod tests;
