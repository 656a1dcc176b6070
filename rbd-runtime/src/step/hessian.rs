//! Hessians of weighted steps: what `integrate` has of second order, and Euler's steps
//! (docs/math.md#discrete-step).

use super::arithmetic::{add_diagonal, plus_scaled, scale};
use super::turning::{self, Group, Visitor, add_block, part, rows, rows_mut, set_part, times, transposed};
use super::{DiscreteDynamics, StepHessian};
use crate::__private::zeros;
use crate::manifold::Columns;
use crate::{AbaDerivatives, AbaHessian, Joint, Scalar};
use nalgebra::{SMatrix, SVector};

/// The blocks of a Hessian by q, v and tau.
pub(super) type Blocks<T, const NV: usize> = StepHessian<T, NV>;

impl<T: Scalar, const NV: usize> Blocks<T, NV> {
    /// Each block that is kept, with the places of its two variables among q, v and tau.
    pub(super) fn pairs(&mut self) -> [(&mut SMatrix<T, NV, NV>, usize, usize); 6] {
        [
            (&mut self.dqdq, 0, 0),
            (&mut self.dqdv, 0, 1),
            (&mut self.dqdtau, 0, 2),
            (&mut self.dvdv, 1, 1),
            (&mut self.dvdtau, 1, 2),
            (&mut self.dtaudtau, 2, 2),
        ]
    }
}

struct Gradients<'a, T, const NV: usize> {
    u: &'a SVector<T, NV>,
    lambda: &'a SVector<T, NV>,
    to: [SVector<T, NV>; 2],
}

impl<T: Scalar, const NV: usize> Visitor for Gradients<'_, T, NV> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(lambda)) = (part(self.u, at), part(self.lambda, at)) else { return };
        let (of_q, of_u) = G::jacobians(u);
        for (to, by) in self.to.iter_mut().zip([of_q, of_u]) {
            set_part::<T, NV, N>(to, at, turning::transposed_times(&by, &lambda));
        }
    }
}

/// `J_q^T lambda` and `J_u^T lambda`, J being the Jacobians of `integrate(q, u)`.
pub(super) fn gradients<T: Scalar, const NV: usize>(
    joints: &[Joint],
    u: &SVector<T, NV>,
    lambda: &SVector<T, NV>,
) -> [SVector<T, NV>; 2] {
    let mut gradients = Gradients { u, lambda, to: [*lambda; 2] };
    turning::visit(joints, &mut gradients);
    gradients.to
}

/// `to += left^T middle right`, by the rows of a joint.
pub(super) fn add_sandwich<T: Scalar, const NV: usize, const N: usize>(
    to: &mut SMatrix<T, NV, NV>,
    (left, right): (&SMatrix<T, NV, NV>, &SMatrix<T, NV, NV>),
    middle: &Columns<T, N>,
    at: usize,
) {
    for (to, right) in to.data.0.iter_mut().zip(rows::<T, NV, N>(right, at)) {
        let moved = times(middle, right);
        for (to, left) in to.iter_mut().zip(rows::<T, NV, N>(left, at)) {
            *to = left.iter().zip(&moved).fold(*to, |sum, (a, b)| a.mul_add(*b, sum));
        }
    }
}

/// Adds to a Hessian what `lambda`, a weight of `integrate(q, u)`, has of second order.
pub(super) struct Curvature<'a, T, const NV: usize> {
    pub(super) u: &'a SVector<T, NV>,
    pub(super) lambda: &'a SVector<T, NV>,
    /// Derivatives of u by q, v and tau.
    pub(super) by: [&'a SMatrix<T, NV, NV>; 3],
    /// The weight is that of a fixed function, `difference(at, ..)`. Otherwise it moves with the result.
    pub(super) is_fixed: bool,
    pub(super) out: &'a mut Blocks<T, NV>,
}

/// `(m + m^T) / 2`.
fn symmetric<T: Scalar, const N: usize>(m: &Columns<T, N>) -> Columns<T, N> {
    let half = turning::plus_scaled(&[[T::zero(); N]; N], m, 0.5);
    turning::plus_scaled(&half, &transposed(m), 0.5)
}

impl<T: Scalar, const NV: usize> Visitor for Curvature<'_, T, NV> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(lambda)) = (part(self.u, at), part(self.lambda, at)) else { return };
        let hessian = G::hessian(u, lambda);
        let (qu, uu) = match self.is_fixed {
            true => (turning::plus_scaled(&[[T::zero(); N]; N], &hessian.qu, 0.5), symmetric(&hessian.uu)),
            false => (hessian.qu, hessian.uu),
        };
        let [by_q, by_v, by_tau] = self.by;
        for (to, x, y) in self.out.pairs() {
            add_sandwich(to, (self.by[x], self.by[y]), &uu, at);
        }
        let out = &mut *self.out;
        for (to, by) in [(&mut out.dqdq, by_q), (&mut out.dqdv, by_v), (&mut out.dqdtau, by_tau)] {
            for (to, by) in rows_mut::<T, NV, N>(to, at).zip(rows(by, at)) {
                for (to, x) in to.iter_mut().zip(times(&qu, by)) {
                    *to += x;
                }
            }
        }
        if self.is_fixed {
            add_block(&mut out.dqdq, &hessian.qq, at);
            // The transposed term: columns of the joint.
            for (k, by) in rows::<T, NV, N>(by_q, at).enumerate() {
                for (column, x) in out.dqdq.data.0.iter_mut().skip(at).zip(times(&qu, by)) {
                    if let Some(to) = column.get_mut(k) {
                        *to += x;
                    }
                }
            }
        }
    }
}

/// The terms of explicit Euler, whose u is dt v.
struct AlongVelocity<'a, T, const NV: usize> {
    u: &'a SVector<T, NV>,
    lambda: &'a SVector<T, NV>,
    dt: T,
    out: &'a mut Blocks<T, NV>,
}

impl<T: Scalar, const NV: usize> Visitor for AlongVelocity<'_, T, NV> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(lambda)) = (part(self.u, at), part(self.lambda, at)) else { return };
        let (hessian, dt) = (G::hessian(u, lambda), self.dt);
        let half = dt * T::from_f64(0.5);
        add_block(&mut self.out.dqdq, &hessian.qq, at);
        add_block(&mut self.out.dqdv, &hessian.qu.map(|column| column.map(|x| x * half)), at);
        let uu = symmetric(&hessian.uu).map(|column| column.map(|x| x * (dt * dt)));
        add_block(&mut self.out.dvdv, &uu, at);
    }
}

/// `lambda_q . q+` of joints of one coordinate, and `lambda_v . v+`.
pub(super) fn value<T: Scalar, const NQ: usize, const NV: usize>(
    joints: &[Joint],
    (q, v): (&SVector<T, NQ>, &SVector<T, NV>),
    [lambda_q, lambda_v]: [&SVector<T, NV>; 2],
) -> T {
    let of_q = joints
        .iter()
        .filter(|joint| joint.nv == 1)
        .filter_map(|joint| Some((q.data.0[0].get(joint.idx_q)?, lambda_q.data.0[0].get(joint.idx_v)?)));
    let of_v = v.data.0[0].iter().zip(&lambda_v.data.0[0]);
    of_q.chain(of_v).fold(T::zero(), |sum, (x, lambda)| x.mul_add(*lambda, sum))
}

pub(super) fn euler<R, T: Scalar, const NQ: usize, const NV: usize, const SEMI: bool>(
    q: &SVector<T, NQ>,
    [v, tau]: [&SVector<T, NV>; 2],
    dt: T,
    [lambda_q, lambda_v]: [&SVector<T, NV>; 2],
    out: &mut StepHessian<T, NV>,
) where
    R: DiscreteDynamics<NQ, NV> + ?Sized,
{
    let turns = turning::any(R::JOINTS);
    let (mut first, mut second) = (AbaDerivatives::zeros(), AbaHessian::zeros());
    // Where joints turn, the weight of accelerations depends on the way, and so on accelerations.
    let mut along = match (SEMI, turns) {
        (true, true) => plus_scaled(v, &R::aba(q, v, tau), dt),
        (true, false) => zeros(),
        (false, _) => *v,
    };
    along *= dt;
    let [by_q, by_u] = gradients(R::JOINTS, &along, lambda_q);
    let by_v = plus_scaled(lambda_v, &by_u, dt);
    let weight = if SEMI { &by_v } else { lambda_v };
    R::weighted_accelerations(q, v, tau, weight, &mut first, &mut second);
    let next = plus_scaled(v, &first.ddq, dt);
    if SEMI {
        along = next * dt;
    }
    out.value = value(R::JOINTS, (&R::integrate(q, &along), &next), [lambda_q, lambda_v]);
    out.dq = plus_scaled(&by_q, &second.dq, dt);
    out.dv = plus_scaled(&by_v, &second.dv, dt);
    out.dtau = second.dtau * dt;
    scale(&mut out.dqdq, &second.dqdq, dt);
    scale(&mut out.dqdv, &second.dqdv, dt);
    scale(&mut out.dvdv, &second.dvdv, dt);
    scale(&mut out.dqdtau, &second.dqdtau, dt);
    (out.dvdtau, out.dtaudtau) = (zeros(), zeros());
    if turns && SEMI {
        let mut by: [SMatrix<T, NV, NV>; 3] = [first.ddq_dq, first.ddq_dv, first.ddq_dtau];
        for by in &mut by {
            *by *= dt * dt;
        }
        add_diagonal(&mut by[1], dt);
        let by = [&by[0], &by[1], &by[2]];
        let mut curvature = Curvature { u: &along, lambda: lambda_q, by, is_fixed: true, out };
        turning::visit(R::JOINTS, &mut curvature);
    } else if turns {
        turning::visit(R::JOINTS, &mut AlongVelocity { u: &along, lambda: lambda_q, dt, out });
    }
}
