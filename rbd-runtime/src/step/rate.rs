//! The rate of a motion `u` from `q` under a velocity `v` at `integrate(q, u)`, of which Runge and Kutta's
//! method takes three terms: `v + [u, v]/2 + [u, [u, v]]/12`.

use super::hessian::{Blocks, add_sandwich};
use super::turning::{
    self, Group, Visitor, part, plus_scaled, product, rows, rows_mut, set_part, times, transposed,
    transposed_times,
};
use crate::manifold::Columns;
use crate::{Joint, Scalar};
use nalgebra::{SMatrix, SVector};

const TWELFTH: f64 = 1.0 / 12.0;

struct Rate<'a, T, const NV: usize> {
    u: &'a SVector<T, NV>,
    v: &'a SVector<T, NV>,
    out: SVector<T, NV>,
}

impl<T: Scalar, const NV: usize> Visitor for Rate<'_, T, NV> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(v)) = (part(self.u, at), part(self.v, at)) else { return };
        let ad = G::ad(u);
        let once = times(&ad, &v);
        let twice = times(&ad, &once);
        let (half, twelfth) = (T::from_f64(0.5), T::from_f64(TWELFTH));
        let mut out = v;
        for ((out, once), twice) in out.iter_mut().zip(once).zip(twice) {
            *out = once.mul_add(half, twice.mul_add(twelfth, *out));
        }
        set_part::<T, NV, N>(&mut self.out, at, out);
    }
}

/// Rate of `u` under the velocity `v`.
pub(super) fn rate<T: Scalar, const NV: usize>(
    joints: &[Joint],
    u: &SVector<T, NV>,
    v: &SVector<T, NV>,
) -> SVector<T, NV> {
    let mut rate = Rate { u, v, out: *v };
    turning::visit(joints, &mut rate);
    rate.out
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

struct Along<'a, T, const NV: usize> {
    u: &'a SVector<T, NV>,
    v: &'a SVector<T, NV>,
    of_u: &'a SMatrix<T, NV, NV>,
    of_v: &'a SMatrix<T, NV, NV>,
    out: &'a mut SMatrix<T, NV, NV>,
}

impl<T: Scalar, const NV: usize> Visitor for Along<'_, T, NV> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(v)) = (part(self.u, at), part(self.v, at)) else { return };
        let [by_u, by_v] = jacobians::<G, T, N>(u, v);
        let all = rows_mut::<T, NV, N>(self.out, at).zip(rows(self.of_u, at)).zip(rows(self.of_v, at));
        for ((out, of_u), of_v) in all {
            *out = times(&by_u, of_u);
            for (out, x) in out.iter_mut().zip(times(&by_v, of_v)) {
                *out += x;
            }
        }
    }
}

/// Derivatives of [`rate`], from those of u and of v.
pub(super) fn derivatives<T: Scalar, const NV: usize>(
    joints: &[Joint],
    [u, v]: [&SVector<T, NV>; 2],
    [of_u, of_v]: [&SMatrix<T, NV, NV>; 2],
    out: &mut SMatrix<T, NV, NV>,
) {
    *out = *of_v;
    turning::visit(joints, &mut Along { u, v, of_u, of_v, out });
}

struct Back<'a, T, const NV: usize> {
    u: &'a SVector<T, NV>,
    v: &'a SVector<T, NV>,
    weight: &'a SVector<T, NV>,
    by_u: [&'a SMatrix<T, NV, NV>; 3],
    by_v: [&'a SMatrix<T, NV, NV>; 3],
    to: [SVector<T, NV>; 2],
    out: &'a mut Blocks<T, NV>,
}

impl<T: Scalar, const NV: usize> Visitor for Back<'_, T, NV> {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize) {
        let (Some(u), Some(v)) = (part(self.u, at), part(self.v, at)) else { return };
        let Some(weight) = part(self.weight, at) else { return };
        let jacobians = jacobians::<G, T, N>(u, v);
        for (to, by) in self.to.iter_mut().zip(&jacobians) {
            set_part::<T, NV, N>(to, at, transposed_times(by, &weight));
        }
        let (of_u, of_v, zero) = (G::ad(u), G::ad(v), [[T::zero(); N]; N]);
        let bracket = G::weighted_bracket(&weight);
        let once = product(&bracket, &of_v);
        let uu = plus_scaled(&plus_scaled(&zero, &once, TWELFTH), &transposed(&once), TWELFTH);
        let uv = plus_scaled(&plus_scaled(&zero, &bracket, -0.5), &product(&bracket, &of_u), -TWELFTH);
        let moved = G::weighted_bracket(&transposed_times(&of_u, &weight));
        let uv = plus_scaled(&uv, &moved, -TWELFTH);
        let vu = transposed(&uv);
        for (to, x, y) in self.out.pairs() {
            add_sandwich(to, (self.by_u[x], self.by_u[y]), &uu, at);
            add_sandwich(to, (self.by_u[x], self.by_v[y]), &uv, at);
            add_sandwich(to, (self.by_v[x], self.by_u[y]), &vu, at);
        }
    }
}

/// Of a weighted rate: gradients by u and by v, and its Hessian, added to `out`, by derivatives of both.
pub(super) fn back<T: Scalar, const NV: usize>(
    joints: &[Joint],
    [u, v]: [&SVector<T, NV>; 2],
    weight: &SVector<T, NV>,
    [by_u, by_v]: [[&SMatrix<T, NV, NV>; 3]; 2],
    out: &mut Blocks<T, NV>,
) -> [SVector<T, NV>; 2] {
    let to = [crate::__private::zeros(), *weight];
    let mut back = Back { u, v, weight, by_u, by_v, to, out };
    turning::visit(joints, &mut back);
    back.to
}
