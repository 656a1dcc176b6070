//! Items that generated code refers to. Private to generated code: they may change in any version.

pub use crate::batch::{self, Batch, Cost};
pub use crate::contact;
pub use crate::dispatch::{Dispatched, Part, Recast, Slots};
pub use crate::frame::{Frames, ReferenceFrame};
pub use crate::functions::*;
pub use crate::left_out::{OptionContacts, OptionFrames, OptionFunctions};
pub use crate::limbs::{LimbScalar, Limbs};
pub use crate::linalg::{
    ColumnGroup, GramProduct, NegativeProduct, RefinedSolution, RowBlock, SymmetricInverse,
};
pub use crate::loops;
pub use crate::manifold;
pub use crate::mechanism::{DifferenceJacobians, IntegrateJacobians, Mechanism};
#[cfg(feature = "alloc")]
pub use crate::model::Model;
pub use crate::order::{CoordinateOrder, coordinate_order};
pub use crate::posture::{Angles, Configuration, Taken};
pub use crate::spatial::{Inertia, Placement};
pub use crate::step::{
    ActuatedContactDynamicsDerivatives, ActuatedContactStepDerivatives, ActuatedContactSteps,
    ActuatedStepDerivatives, ActuatedStepHessian, ActuatedSteps, ContactStep, ContactStepDerivatives,
    ContactStepHessians, ContactSteps, ContactStepsWithParameters, DiscreteDynamics, Integrator, Step,
    StepDerivatives, StepHessian, StepsWithParameters,
};
pub use crate::structure::{Structure, find_structure};
pub use crate::tables::{BodyTable, FrameTable, RobotTable, assert_version, joint_index};
pub use crate::{Joint, JointKind, Mimic, Posture, Scalar, left_out, when_alloc};
pub use core::array::from_ref;
pub use core::default::Default;
pub use core::marker::{Copy, PhantomData};
pub use core::ops::{Fn, Index, IndexMut, Range};
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{bool, str, usize};
pub use core::{f64, primitive};
pub use nalgebra::{SMatrix, SVector};

use nalgebra::ArrayStorage;

/// Steps with friction: the solver, and the parts of it that robots have.
pub mod friction {
    pub use crate::friction::*;
    pub use crate::step::{
        FrictionContacts, FrictionStep, FrictionStepDerivatives, JointFrictionStep,
        JointFrictionStepDerivatives, all_impulses_of, impulses_of,
    };
}

/// Functions with the names of the variables of generated methods.
///
/// Generated methods share a scope with the user's own items. A pattern may shadow a function, but
/// not a constant or a unit struct. With a function of that name in a nearer scope, the name is
/// free for a variable.
#[allow(missing_docs)]
pub mod names {
    macro_rules! functions {
        ($($name:ident)*) => { $(pub const fn $name() {})* };
    }
    functions!(a active all angles at axes contact dt dv fext first forces found function inertia joints kappa lambda lane lanes last mu frame name of out output parameters q q0 q1 reference restitution settings state surfaces tau to v);
}

/// Vector of `N` numbers.
#[inline(always)]
pub fn vector<T, const N: usize>(x: [T; N]) -> SVector<T, N> {
    SVector::from_data(ArrayStorage([x]))
}

/// Rows of constants.
#[inline(always)]
pub fn constants<T: Scalar, const R: usize, const N: usize>(rows: [[f64; R]; N]) -> [[T; R]; N] {
    rows.map(|row| row.map(T::from_f64))
}

/// A matrix for a kernel to write to.
#[inline(always)]
pub fn zeros<T: Scalar, const R: usize, const C: usize>() -> SMatrix<T, R, C> {
    SMatrix::from_data(ArrayStorage([[T::zero(); R]; C]))
}

/// Writes an entry of a result, whose columns are `to`.
///
/// # Panics
/// If there is no such entry. Generated code names entries that there are, which optimised builds see.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn put<T: Copy, const R: usize, const C: usize>(to: &mut [[T; R]; C], row: usize, column: usize, x: T) {
    to[column][row] = x;
}

/// Says that a result is not zero where its function leaves zeros alone.
pub(crate) const NOT_ZERO: &str = "`out` is not zero where its function leaves zeros alone: make it by `zeros()`, or \
                                   reuse that of an earlier call of this function for this robot";

/// Checks that a result is zero in entries that a kernel leaves alone, in runs by columns.
///
/// # Panics
/// If one is not. Generated code calls it in debug builds only.
pub fn check_zeros<T: Scalar, const R: usize, const C: usize>(
    of: &SMatrix<T, R, C>,
    runs: &[(usize, usize)],
) {
    let is_zero = |run: &[T]| run.iter().all(|x| *x == T::zero());
    assert!(runs.iter().all(|(from, to)| of.as_slice().get(*from..*to).is_some_and(is_zero)), "{NOT_ZERO}");
}

/// External forces of zero.
#[inline(always)]
pub fn no_forces<T: Scalar, const NB: usize>() -> [SVector<T, 6>; NB] {
    [zeros(); NB]
}

/// A number for a kernel to write to.
#[inline(always)]
pub fn zero<T: Scalar>() -> T {
    T::zero()
}

/// An array of matrices for a kernel to write to.
#[inline(always)]
pub fn tensor_zeros<T: Scalar, const R: usize, const C: usize, const N: usize>() -> [SMatrix<T, R, C>; N] {
    [zeros(); N]
}

/// Body of a function in an outline: `cargo check` is given outlines and compiles no code for them.
///
/// # Panics
/// Always. It is reached only if a program runs code that was generated for a check.
#[cold]
pub fn outline() -> ! {
    panic!(
        "this is an outline of a robot, for `cargo check`; build it without the option that leaves code out"
    )
}

/// Poses for a kernel to write to.
#[inline(always)]
pub fn placements_identity<T: Scalar, const N: usize>() -> [Placement<T>; N] {
    [Placement::identity(); N]
}

/// Implemented by generated code and this runtime only, so that adding a method breaks no user.
pub trait Sealed {}

/// Keeps its argument where the runtime has an allocator.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[macro_export]
macro_rules! when_alloc {
    ($($items:tt)*) => { $($items)* };
}

/// Keeps its argument where the runtime has an allocator.
#[cfg(not(feature = "alloc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! when_alloc {
    ($($items:tt)*) => {};
}

/// [`Mechanism::random_configuration`] of numbers that are there, in any scalar.
pub fn random_configuration<M: Mechanism<NQ, NV> + ?Sized, T: Scalar, const NQ: usize, const NV: usize>(
    uniform: &SVector<T, NV>,
) -> SVector<T, NQ> {
    let mut q = M::neutral::<T>();
    // A mimic joint has no part.
    for joint in M::JOINTS.iter().filter(|joint| joint.nq > 0) {
        if let (Some(uniform), Some(q)) =
            (uniform.data.0[0].get(joint.idx_v..), q.data.0[0].get_mut(joint.idx_q..))
        {
            manifold::random::configuration(joint.kind, (joint.lower, joint.upper), uniform, q);
        }
    }
    q
}

/// Writes square blocks, by columns, to the diagonals of two matrices, from a row on.
#[inline]
pub fn place_blocks<T: Copy, const NV: usize, const N: usize>(
    to: [&mut SMatrix<T, NV, NV>; 2],
    (a, b): ([[T; N]; N], [[T; N]; N]),
    at: usize,
) {
    for (to, block) in to.into_iter().zip([a, b]) {
        for (to, column) in to.data.0.iter_mut().skip(at).zip(&block) {
            if let Some(to) = to.get_mut(at..).and_then(<[T]>::first_chunk_mut::<N>) {
                *to = *column;
            }
        }
    }
}
