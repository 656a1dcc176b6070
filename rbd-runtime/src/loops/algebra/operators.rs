//! Inertias, their changes and Coriolis operators. Components are numbers or registers.
//!
//! Formulas are in docs/math.md#coriolis-operator.

use super::vectors::*;
use crate::simd::Lane;

/// An inertia: `m`, `h`, and xx, xy, xz, yy, yz, zz of J.
pub type Inertia<L> = [L; 10];

/// Inertia from its mass, first moment, and second moments xx, xy, xz, yy, yz, zz.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn inertia_of<L: Lane>(mass: L, x: [L; 9]) -> Inertia<L> {
    let [hx, hy, hz, xx, xy, xz, yy, yz, zz] = x;
    [mass, hx, hy, hz, yy + zz, -xy, -xz, xx + zz, -yz, xx + yy]
}

/// Product `I y`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn inertia_times<L: Lane>(i: Inertia<L>, y: V6<L>) -> V6<L> {
    let (m, h, j) = (i[0], [i[1], i[2], i[3]], [i[4], i[5], i[6], i[7], i[8], i[9]]);
    let w = angular(y);
    join(cross_add(w, h, scale(m, linear(y))), symmetric_add(j, w, cross(h, linear(y))))
}

/// Change `x o I` of an inertia by a motion x: an inertia without mass, so h and J.
pub type Change<L> = [L; 9];

/// Change `x o I` of an inertia.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn carried_inertia<L: Lane>(x: V6<L>, i: Inertia<L>) -> Change<L> {
    let (nu, w, h) = (linear(x), angular(x), [i[1], i[2], i[3]]);
    let l = cross_add(w, h, scale(i[0], nu));
    // [w] J by columns. -J [w] is its transpose.
    let x = cross(w, [i[4], i[5], i[6]]);
    let y = cross(w, [i[5], i[7], i[8]]);
    let z = cross(w, [i[6], i[8], i[9]]);
    // -[nu][h] - [h][nu] = 2 (h . nu) 1 - h nu^T - nu h^T
    let hn = dot(h, nu);
    let twice = hn + hn;
    [
        l[0],
        l[1],
        l[2],
        outer_twice(nu, h, 0, 0, x[0] + x[0]) + twice,
        outer_twice(nu, h, 0, 1, y[0] + x[1]),
        outer_twice(nu, h, 0, 2, z[0] + x[2]),
        outer_twice(nu, h, 1, 1, y[1] + y[1]) + twice,
        outer_twice(nu, h, 1, 2, z[1] + y[2]),
        outer_twice(nu, h, 2, 2, z[2] + z[2]) + twice,
    ]
}

/// Sum `sum - a_r b_c - b_r a_c`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn outer_twice<L: Lane>(a: V3<L>, b: V3<L>, r: usize, c: usize, sum: L) -> L {
    (-a[r]).mul_add(b[c], (-b[r]).mul_add(a[c], sum))
}

/// Product `(x o I) y`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn change_times<L: Lane>(u: Change<L>, y: V6<L>) -> V6<L> {
    join(cross(angular(y), [u[0], u[1], u[2]]), change_moment(u, y))
}

/// Moment of `(x o I) y`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn change_moment<L: Lane>(u: Change<L>, y: V6<L>) -> V3<L> {
    let j = [u[3], u[4], u[5], u[6], u[7], u[8]];
    symmetric_add(j, angular(y), cross([u[0], u[1], u[2]], linear(y)))
}

/// A Coriolis operator: `l` and the columns of `N`.
pub type Coriolis<L> = [L; 12];

#[cfg_attr(not(debug_assertions), inline(always))]
fn parts<L: Lane>(b: Coriolis<L>) -> (V3<L>, [L; 9]) {
    ([b[0], b[1], b[2]], [b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11]])
}

/// Coriolis operator from twice the momentum, and the negated angular block by rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn coriolis_of<L: Lane>(x: [L; 12]) -> Coriolis<L> {
    let [lx, ly, lz, a, b, c, d, e, f, g, h, i] = x;
    [-lx, -ly, -lz, -a, -d, -g, -b, -e, -h, -c, -f, -i]
}

/// Product `B y`. Only angular components of y matter.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn coriolis_times<L: Lane>(b: Coriolis<L>, w: V3<L>) -> V6<L> {
    let (l, n) = parts(b);
    join(cross(l, w), turn(n, w))
}

/// Moment of `B^T y`. The force is zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn coriolis_transposed<L: Lane>(b: Coriolis<L>, y: V6<L>) -> V3<L> {
    let (l, n) = parts(b);
    let (nu, w) = (linear(y), angular(y));
    let c = cross(nu, l);
    [
        dot_add([n[0], n[1], n[2]], w, c[0]),
        dot_add([n[3], n[4], n[5]], w, c[1]),
        dot_add([n[6], n[7], n[8]], w, c[2]),
    ]
}

/// Coriolis operator `B(I, x)`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn coriolis<L: Lane>(i: Inertia<L>, x: V6<L>) -> Coriolis<L> {
    let (nu, w, h) = (linear(x), angular(x), [i[1], i[2], i[3]]);
    let l = cross_add(w, h, scale(i[0], nu));
    let t = L::number(0.5) * (i[4] + (i[7] + i[9]));
    let x = cross(w, [t - i[4], -i[5], -i[6]]);
    let y = cross(w, [-i[5], t - i[7], -i[8]]);
    let z = cross(w, [-i[6], -i[8], t - i[9]]);
    // [h][nu] = nu h^T - (h . nu) 1
    let hn = dot(h, nu);
    let minus_two = L::number(-2.0);
    let l = scale(minus_two, l);
    [
        l[0],
        l[1],
        l[2],
        minus_two * (nu[0].mul_add(h[0], x[0]) - hn),
        minus_two * nu[1].mul_add(h[0], x[1]),
        minus_two * nu[2].mul_add(h[0], x[2]),
        minus_two * nu[0].mul_add(h[1], y[0]),
        minus_two * (nu[1].mul_add(h[1], y[1]) - hn),
        minus_two * nu[2].mul_add(h[1], y[2]),
        minus_two * nu[0].mul_add(h[2], z[0]),
        minus_two * nu[1].mul_add(h[2], z[1]),
        minus_two * (nu[2].mul_add(h[2], z[2]) - hn),
    ]
}

/// Change `x o B` of a Coriolis operator by a motion x.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn carried_coriolis<L: Lane>(x: V6<L>, b: Coriolis<L>) -> Coriolis<L> {
    let (l, n) = parts(b);
    let (nu, w) = (linear(x), angular(x));
    let m = cross(w, l);
    // [nu][l] = l nu^T - (nu . l) 1
    let nl = dot(nu, l);
    let mut out = [m[0]; 12];
    (out[1], out[2]) = (m[1], m[2]);
    for c in 0..3 {
        let turned = cross(w, [n[3 * c], n[3 * c + 1], n[3 * c + 2]]);
        for r in 0..3 {
            out[3 + 3 * c + r] = l[r].mul_add(nu[c], turned[r]);
        }
    }
    for r in 0..3 {
        // Row r of N [w].
        let row = cross([n[r], n[3 + r], n[6 + r]], w);
        for c in 0..3 {
            out[3 + 3 * c + r] = out[3 + 3 * c + r] - row[c];
        }
        out[3 + 4 * r] = out[3 + 4 * r] - nl;
    }
    out
}
