//! Computes derivatives of accelerations in the memory of a step's derivatives, which they become there.

use super::{DiscreteDynamics, StepDerivatives};
use crate::structure::find_structure;
use crate::{AbaDerivatives, Scalar};
use core::mem::offset_of;

impl<T: Scalar, const NQ: usize, const NV: usize> StepDerivatives<T, NQ, NV> {
    /// The next velocity and its derivatives, as memory for accelerations and their derivatives.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn as_accelerations(&mut self) -> &mut AbaDerivatives<T, NV> {
        const {
            let ours = [offset_of!(Self, dv_dq), offset_of!(Self, dv_dv), offset_of!(Self, dv_dtau)];
            let theirs = [
                offset_of!(AbaDerivatives<T, NV>, ddq_dq),
                offset_of!(AbaDerivatives<T, NV>, ddq_dv),
                offset_of!(AbaDerivatives<T, NV>, ddq_dtau),
            ];
            let mut k = 0;
            while k < 3 {
                assert!(ours[k] - offset_of!(Self, v) == theirs[k]);
                k += 1;
            }
            assert!(offset_of!(AbaDerivatives<T, NV>, ddq) == 0);
            assert!(offset_of!(Self, v) % align_of::<AbaDerivatives<T, NV>>() == 0);
            assert!(offset_of!(Self, v) + size_of::<AbaDerivatives<T, NV>>() <= size_of::<Self>());
        }
        // SAFETY: from `v` on there are a vector and three matrices of `T`, at the offsets and of the types
        // that the fields of `AbaDerivatives` have. They are aligned and within `self`, whose borrow the
        // result has. The result has no other bytes, since both structs are `repr(C)` without padding:
        // sizes of arrays are multiples of the alignment of `T`.
        unsafe { &mut *core::ptr::from_mut(self).byte_add(offset_of!(Self, v)).cast() }
    }
}

/// Columns of a result of `aba_derivatives` with entries that are zero in every state, which it leaves alone.
const fn columns_with_zeros<R, const NQ: usize, const NV: usize>(output: &str) -> [bool; NV]
where
    R: DiscreteDynamics<NQ, NV> + ?Sized,
{
    let mut has_zeros = [true; NV];
    if let Some(structure) = find_structure(R::STRUCTURES, "aba_derivatives", output) {
        let mut column = 0;
        while column < NV {
            let (mut row, mut zeros) = (0, 0);
            while row < NV {
                zeros += structure.is_zero(row, column) as usize;
                row += 1;
            }
            has_zeros[column] = zeros > 0;
            column += 1;
        }
    }
    has_zeros
}

/// Sets to zero the entries that `aba_derivatives` leaves alone.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn clear<R, T: Scalar, const NQ: usize, const NV: usize>(of: &mut AbaDerivatives<T, NV>)
where
    R: DiscreteDynamics<NQ, NV> + ?Sized,
{
    let columns = const {
        [
            columns_with_zeros::<R, NQ, NV>("ddq_dq"),
            columns_with_zeros::<R, NQ, NV>("ddq_dv"),
            columns_with_zeros::<R, NQ, NV>("ddq_dtau"),
        ]
    };
    for (matrix, columns) in [&mut of.ddq_dq, &mut of.ddq_dv, &mut of.ddq_dtau].into_iter().zip(&columns) {
        for (column, has_zeros) in matrix.data.0.iter_mut().zip(columns) {
            if *has_zeros {
                *column = [T::zero(); NV];
            }
        }
    }
}
