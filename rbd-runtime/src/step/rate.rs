//! The rate of a motion `u` from `q` under a velocity `v` at `integrate(q, u)`, of which Runge and Kutta's
//! method takes three terms: `v + [u, v]/2 + [u, [u, v]]/12`.

use super::arithmetic::copy;
use super::hessian::{Blocks, pairs};
use super::robot::MovingJoint;
use super::sandwich::add_sandwich;
use super::turning::{self, Group, Visitor, part, rows, rows_mut, set_part};
use crate::Scalar;
use crate::manifold::Columns;
use crate::manifold::columns::{plus_scaled, product, times, transposed, transposed_times};

const TWELFTH: f64 = 1.0 / 12.0;

struct Rate<'a, T> {
    u: &'a [T],
    v: &'a [T],
    out: &'a mut [T],
}

impl<T: Scalar> Visitor for Rate<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(v)) = (part::<T, N>(self.u, at), part::<T, N>(self.v, at)) else { return };
        let ad = G::ad(u);
        let once = times(&ad, &v);
        let twice = times(&ad, &once);
        let (half, twelfth) = (T::from_f64(0.5), T::from_f64(TWELFTH));
        let mut out = v;
        for ((out, once), twice) in out.iter_mut().zip(once).zip(twice) {
            *out = once.mul_add(half, twice.mul_add(twelfth, *out));
        }
        set_part(self.out, at, out);
    }
}

/// Writes the rate of `u` under the velocity `v`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn rate<T: Scalar>(joints: impl Iterator<Item = MovingJoint>, u: &[T], v: &[T], out: &mut [T]) {
    copy(out, v);
    turning::visit(joints, &mut Rate { u, v, out });
}

/// Derivatives of one joint's rate by u and by v.
fn jacobians<G: Group<N>, T: Scalar, const N: usize>(u: [T; N], v: [T; N]) -> [Columns<T, N>; 2] {
    let (of_u, of_v) = (G::ad(u), G::ad(v));
    let of_both = G::ad(times(&of_u, &v));
    let zero = [[T::zero(); N]; N];
    let by_u = plus_scaled(&zero, &of_v, -0.5);
    let by_u = plus_scaled(&plus_scaled(&by_u, &of_both, -TWELFTH), &product(&of_u, &of_v), -TWELFTH);
    let mut by_v = plus_scaled(&plus_scaled(&zero, &of_u, 0.5), &product(&of_u, &of_u), TWELFTH);
    for (k, column) in by_v.iter_mut().enumerate() {
        if let Some(x) = column.get_mut(k) {
            *x += T::one();
        }
    }
    [by_u, by_v]
}

struct Along<'a, T> {
    at: [&'a [T]; 2],
    by: [&'a [T]; 2],
    out: &'a mut [T],
    n: usize,
}

impl<T: Scalar> Visitor for Along<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let [Some(u), Some(v)] = self.at.map(|x| part(x, at)) else { return };
        let [by_u, by_v] = jacobians::<G, T, N>(u, v);
        let [of_u, of_v] = self.by.map(|by| rows::<T, N>(by, at, self.n));
        for ((out, of_u), of_v) in rows_mut::<T, N>(self.out, at, self.n).zip(of_u).zip(of_v) {
            *out = times(&by_u, of_u);
            for (out, x) in out.iter_mut().zip(times(&by_v, of_v)) {
                *out += x;
            }
        }
    }
}

/// Derivatives of [`rate`] at u and v, from those of u and of v.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn derivatives<T: Scalar>(
    joints: impl Iterator<Item = MovingJoint>,
    at: [&[T]; 2],
    by: [&[T]; 2],
    out: &mut [T],
    n: usize,
) {
    copy(out, by[1]);
    turning::visit(joints, &mut Along { at, by, out, n });
}

struct Back<'a, 'b, T> {
    at: [&'a [T]; 2],
    weight: &'a [T],
    by_u: [&'a [T]; 3],
    by_v: [&'a [T]; 3],
    to: [&'a mut [T]; 2],
    out: &'a mut Blocks<'b, T>,
    n: usize,
}

impl<T: Scalar> Visitor for Back<'_, '_, T> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let [Some(u), Some(v)] = self.at.map(|x| part(x, at)) else { return };
        let Some(weight) = part(self.weight, at) else { return };
        let jacobians = jacobians::<G, T, N>(u, v);
        for (to, by) in self.to.iter_mut().zip(&jacobians) {
            set_part(to, at, transposed_times(by, &weight));
        }
        let (of_u, of_v, zero) = (G::ad(u), G::ad(v), [[T::zero(); N]; N]);
        let bracket = G::weighted_bracket(&weight);
        let once = product(&bracket, &of_v);
        let uu = plus_scaled(&plus_scaled(&zero, &once, TWELFTH), &transposed(&once), TWELFTH);
        let uv = plus_scaled(&plus_scaled(&zero, &bracket, -0.5), &product(&bracket, &of_u), -TWELFTH);
        let moved = G::weighted_bracket(&transposed_times(&of_u, &weight));
        let uv = plus_scaled(&uv, &moved, -TWELFTH);
        let vu = transposed(&uv);
        let ([u_q, u_v, u_tau], [v_q, v_v, v_tau]) = (self.by_u, self.by_v);
        let each = pairs([(u_q, v_q), (u_v, v_v), (u_tau, v_tau)]);
        for (to, [(u_x, v_x), (u_y, v_y)]) in self.out.blocks.iter_mut().zip(each) {
            add_sandwich(to, [u_x, u_y], &uu, at, self.n);
            add_sandwich(to, [u_x, v_y], &uv, at, self.n);
            add_sandwich(to, [v_x, u_y], &vu, at, self.n);
        }
    }
}

/// Writes gradients of a weighted rate by u and v, and adds its Hessian, by derivatives of both.
pub(super) fn back<T: Scalar>(
    joints: impl Iterator<Item = MovingJoint>,
    at: [&[T]; 2],
    weight: &[T],
    [by_u, by_v]: [[&[T]; 3]; 2],
    [to_u, to_v]: [&mut [T]; 2],
    out: &mut Blocks<'_, T>,
    n: usize,
) {
    to_u.fill(T::zero());
    copy(to_v, weight);
    turning::visit(joints, &mut Back { at, weight, by_u, by_v, to: [to_u, to_v], out, n });
}
