//! Products with the block-diagonal Jacobians of `integrate`.

use super::robot::MovingJoint;
use super::turning::{self, Group, Visitor, add_block, part, rows_mut, set_part};
use crate::Scalar;
use crate::manifold::columns::{times, transposed_times};

struct Through<'a, T, const K: usize> {
    u: &'a [T],
    by_q: &'a mut [T],
    others: [&'a mut [T]; K],
    n: usize,
}

impl<T: Scalar, const K: usize> Visitor for Through<'_, T, K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let Some(u) = part(self.u, at) else { return };
        let (of_q, of_u) = G::jacobians(u);
        for matrix in core::iter::once(&mut *self.by_q).chain(self.others.iter_mut().map(|of| &mut **of)) {
            for rows in rows_mut::<T, N>(matrix, at, self.n) {
                *rows = times(&of_u, rows);
            }
        }
        add_block(self.by_q, &of_q, at, self.n);
    }
}

/// Multiplies derivatives of a motion `u` from the left by the derivative of `integrate(q, u)` by `u`,
/// and adds the derivative by `q` to `by_q`. `n` is the number of velocities.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn through_integrate<T: Scalar, const K: usize>(
    joints: impl Iterator<Item = MovingJoint> + Clone,
    u: &[T],
    by_q: &mut [T],
    others: [&mut [T]; K],
    n: usize,
) {
    for joint in joints.clone().filter(|joint| joint.nv == 1) {
        if let Some(own) = by_q.get_mut(joint.idx_v * (n + 1)) {
            *own += T::one();
        }
    }
    turning::visit(joints, &mut Through { u, by_q, others, n });
}

struct Gradients<'a, T> {
    u: &'a [T],
    lambda: &'a [T],
    to: [&'a mut [T]; 2],
}

impl<T: Scalar> Visitor for Gradients<'_, T> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(lambda)) = (part(self.u, at), part(self.lambda, at)) else { return };
        let (of_q, of_u) = G::jacobians(u);
        for (to, by) in self.to.iter_mut().zip([of_q, of_u]) {
            set_part::<T, N>(to, at, transposed_times(&by, &lambda));
        }
    }
}

/// Writes `J_q^T lambda` and `J_u^T lambda`, J being the Jacobians of `integrate(q, u)`.
pub(super) fn gradients<T: Scalar>(
    joints: impl Iterator<Item = MovingJoint>,
    u: &[T],
    lambda: &[T],
    [by_q, by_u]: [&mut [T]; 2],
) {
    super::arithmetic::copy(by_q, lambda);
    super::arithmetic::copy(by_u, lambda);
    turning::visit(joints, &mut Gradients { u, lambda, to: [by_q, by_u] });
}
