//! Hessians of weighted steps: second-order terms of `integrate`, and Euler's steps
//! (docs/math.md#discrete-step).

use super::arithmetic::{Scratch, add, add_diagonal, add_scaled, columns_mut, copy, scale, scale_matrix};
use super::jacobians::gradients;
use super::robot::{MovingJoint, StepRobot, Weighted};
use super::sandwich::add_sandwich;
use super::turning::{self, Group, Visitor, add_block, part, rows, rows_mut};
use crate::Scalar;
use crate::manifold::Columns;
use crate::manifold::columns::{plus_scaled, times, transposed};

/// Destinations of value, gradient and Hessian of a weighted step.
#[derive(Debug)]
pub struct Blocks<'a, T> {
    /// The value.
    pub value: &'a mut T,
    /// Gradients by q, v and tau.
    pub gradients: [&'a mut [T]; 3],
    /// Blocks by the pairs qq, qv, q tau, vv, v tau and tau tau.
    pub blocks: [&'a mut [T]; 6],
}

/// Pairs of items of q, v and tau, one for the two variables of each of [`Blocks::blocks`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pairs<A: Copy>([q, v, tau]: [A; 3]) -> [[A; 2]; 6] {
    [[q, q], [q, v], [q, tau], [v, v], [v, tau], [tau, tau]]
}

/// A weighted step: at (q, v, tau), of the time dt, weights of q+ and v+.
#[derive(Clone, Copy, Debug)]
pub struct WeightedStep<'a, T> {
    /// Configuration.
    pub q: &'a [T],
    /// Velocity.
    pub v: &'a [T],
    /// Torques.
    pub tau: &'a [T],
    /// Time, s.
    pub dt: T,
    /// Weights in the tangent space at the next configuration.
    pub lambda_q: &'a [T],
    /// Weights of the next velocity.
    pub lambda_v: &'a [T],
}

/// Adds the second-order terms of `integrate(q, u)`, weighted with `lambda`, to a Hessian.
pub(super) struct Curvature<'a, 'b, T> {
    pub(super) u: &'a [T],
    pub(super) lambda: &'a [T],
    /// Derivatives of u by q, v and tau.
    pub(super) by: [&'a [T]; 3],
    /// The weight is that of a fixed function, `difference(at, ..)`. Otherwise it moves with the result.
    pub(super) is_fixed: bool,
    pub(super) out: &'a mut Blocks<'b, T>,
    pub(super) n: usize,
}

/// `(m + m^T) / 2`.
fn symmetric<T: Scalar, const N: usize>(m: &Columns<T, N>) -> Columns<T, N> {
    let half = plus_scaled(&[[T::zero(); N]; N], m, 0.5);
    plus_scaled(&half, &transposed(m), 0.5)
}

impl<T: Scalar> Visitor for Curvature<'_, '_, T> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(lambda)) = (part(self.u, at), part(self.lambda, at)) else { return };
        let (hessian, n) = (G::hessian(u, lambda), self.n);
        let (qu, uu) = match self.is_fixed {
            true => (plus_scaled(&[[T::zero(); N]; N], &hessian.qu, 0.5), symmetric(&hessian.uu)),
            false => (hessian.qu, hessian.uu),
        };
        for (to, both) in self.out.blocks.iter_mut().zip(pairs(self.by)) {
            add_sandwich(to, both, &uu, at, n);
        }
        // The first blocks are those by q.
        for (to, by) in self.out.blocks.iter_mut().zip(self.by) {
            for (to, by) in rows_mut::<T, N>(to, at, n).zip(rows(by, at, n)) {
                for (to, x) in to.iter_mut().zip(times(&qu, by)) {
                    *to += x;
                }
            }
        }
        let ([dqdq, ..], [by_q, ..]) = (&mut self.out.blocks, self.by);
        if self.is_fixed {
            add_block(dqdq, &hessian.qq, at, n);
            // The transposed term: columns of the joint.
            for (k, by) in rows::<T, N>(by_q, at, n).enumerate() {
                for (column, x) in columns_mut(dqdq, n).skip(at).zip(times(&qu, by)) {
                    if let Some(to) = column.get_mut(k) {
                        *to += x;
                    }
                }
            }
        }
    }
}

/// The terms of explicit Euler, whose u is dt v.
struct AlongVelocity<'a, 'b, T> {
    u: &'a [T],
    lambda: &'a [T],
    dt: T,
    out: &'a mut Blocks<'b, T>,
    n: usize,
}

impl<T: Scalar> Visitor for AlongVelocity<'_, '_, T> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(lambda)) = (part(self.u, at), part(self.lambda, at)) else { return };
        let (hessian, dt) = (G::hessian(u, lambda), self.dt);
        let half = dt * T::from_f64(0.5);
        let [dqdq, dqdv, _, dvdv, ..] = &mut self.out.blocks;
        add_block(dqdq, &hessian.qq, at, self.n);
        add_block(dqdv, &hessian.qu.map(|column| column.map(|x| x * half)), at, self.n);
        let uu = symmetric(&hessian.uu).map(|column| column.map(|x| x * (dt * dt)));
        add_block(dvdv, &uu, at, self.n);
    }
}

/// `lambda_q . q+` of joints of one coordinate, and `lambda_v . v+`.
pub(super) fn value<T: Scalar>(
    joints: impl Iterator<Item = MovingJoint>,
    [q, v]: [&[T]; 2],
    of: &WeightedStep<'_, T>,
) -> T {
    let of_q = joints
        .filter(|joint| joint.nv == 1)
        .filter_map(|joint| Some((q.get(joint.idx_q)?, of.lambda_q.get(joint.idx_v)?)));
    of_q.chain(v.iter().zip(of.lambda_v)).fold(T::zero(), |sum, (x, lambda)| x.mul_add(*lambda, sum))
}

pub(super) fn euler<R: StepRobot<T>, T: Scalar, const SEMI: bool>(
    robot: &mut R,
    of: &WeightedStep<'_, T>,
    mut scratch: Scratch<'_, T>,
    out: &mut Blocks<'_, T>,
) {
    let WeightedStep { q, v, tau, dt, lambda_q, lambda_v } = *of;
    let (n, turns) = (v.len(), robot.turns());
    let [next, along, by_q, by_u, by_v, ddq] = core::array::from_fn(|_| scratch.vector(n));
    // Where joints turn, the weight of accelerations depends on the way, and so on accelerations.
    copy(next, v);
    if SEMI && turns {
        robot.aba(q, v, tau, ddq);
        add_scaled(next, ddq, dt);
    }
    scale(along, next, dt);
    gradients(robot.joints(), along, lambda_q, [by_q, by_u]);
    copy(by_v, lambda_v);
    add_scaled(by_v, by_u, dt);
    let weight = if SEMI { &*by_v } else { lambda_v };
    let mut by = scratch.matrices(n);
    {
        let (first, second) = robot.aba_hessian(q, v, tau, weight);
        copy(next, v);
        add_scaled(next, first.ddq, dt);
        scale_all(out, &second, dt);
        if SEMI && turns {
            for (to, from) in by.iter_mut().zip(first.by) {
                scale_matrix(to, from, dt * dt);
            }
            add_diagonal(by[1], dt, n);
        }
    }
    if SEMI {
        scale(along, next, dt);
    }
    for (to, more) in out.gradients.iter_mut().zip([&*by_q, &*by_v]) {
        add(to, more);
    }
    let next_q = scratch.configuration(q.len());
    robot.integrate(q, along, next_q);
    *out.value = value(robot.joints(), [next_q, next], of);
    if turns && SEMI {
        let by = by.each_ref().map(|by| &**by);
        let mut curvature = Curvature { u: along, lambda: lambda_q, by, is_fixed: true, out, n };
        turning::visit(robot.joints(), &mut curvature);
    } else if turns {
        turning::visit(robot.joints(), &mut AlongVelocity { u: along, lambda: lambda_q, dt, out, n });
    }
}

/// Writes weighted accelerations times dt. Blocks that they do not have are zero.
fn scale_all<T: Scalar>(out: &mut Blocks<'_, T>, of: &Weighted<'_, T>, dt: T) {
    for (to, from) in out.gradients.iter_mut().zip(of.gradients) {
        scale(to, from, dt);
    }
    let [qq, qv, qt, vv, vt, tt] = &mut out.blocks;
    for (to, from) in [(qq, of.dqdq), (qv, of.dqdv), (qt, of.dqdtau), (vv, of.dvdv)] {
        scale_matrix(to, from, dt);
    }
    vt.fill(T::zero());
    tt.fill(T::zero());
}
