//! Products with the block-diagonal Jacobians of `integrate`.

use super::turning::{self, Group, Visitor, add_block, part, rows_mut, times};
use crate::{Joint, Scalar};
use nalgebra::{SMatrix, SVector};

struct Through<'a, T, const NV: usize, const K: usize> {
    u: &'a SVector<T, NV>,
    by_q: &'a mut SMatrix<T, NV, NV>,
    others: [&'a mut SMatrix<T, NV, NV>; K],
}

impl<T: Scalar, const NV: usize, const K: usize> Visitor for Through<'_, T, NV, K> {
    #[inline(always)]
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let Some(u) = part(self.u, at) else { return };
        let (of_q, of_u) = G::jacobians(u);
        for matrix in core::iter::once(&mut *self.by_q).chain(self.others.iter_mut().map(|of| &mut **of)) {
            for rows in rows_mut::<T, NV, N>(matrix, at) {
                *rows = times(&of_u, rows);
            }
        }
        add_block(self.by_q, &of_q, at);
    }
}

/// Multiplies derivatives of a motion `u` from the left by the derivative of `integrate(q, u)` by `u`,
/// and adds the derivative by `q` to `by_q`.
#[inline(always)]
pub(super) fn through_integrate<T: Scalar, const NV: usize, const K: usize>(
    joints: &[Joint],
    u: &SVector<T, NV>,
    by_q: &mut SMatrix<T, NV, NV>,
    others: [&mut SMatrix<T, NV, NV>; K],
) {
    for joint in joints.iter().filter(|joint| joint.nv == 1) {
        add_block(by_q, &[[T::one()]], joint.idx_v);
    }
    turning::visit(joints, &mut Through { u, by_q, others });
}
