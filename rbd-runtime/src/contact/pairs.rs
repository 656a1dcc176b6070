//! Products of all pairs of coordinates on a chain, eight at once
//! (docs/math.md#second-derivatives-under-contacts).

#![allow(
    clippy::needless_range_loop,
    reason = "components by their number; iterators and closures would not be allowed the instructions of a kernel"
)]

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::loops::algebra::*;
use crate::loops::{LANES, Lane, Register};
use nalgebra::{SMatrix, SVector};

/// Vectors of a coordinate where it is the inner one of a pair: the products of its column with the
/// weights, with those of second derivatives, with the forces, and with those of the centripetal
/// acceleration.
type Inner<T> = [T; 24];

/// Motions along a chain, and sums of products of all pairs of its coordinates.
pub(super) struct Pairs<'a, T, const NV: usize> {
    /// Coordinates of v.
    pub at: &'a [usize; NV],
    /// Positions of their joints, ascending.
    pub order: &'a [usize; NV],
    /// True for joints that are passed from child to parent.
    pub reversed: &'a [bool; NV],
    /// Number of coordinates.
    pub count: usize,
    /// Columns of the Jacobian.
    pub columns: &'a [[T; 6]; NV],
    /// Velocities, accelerations, multipliers of the torques.
    pub given: [&'a SVector<T, NV>; 3],
    /// Weights of the rows, and forces.
    pub weights: &'a [[T; 6]; 2],
    /// Baumgarte's damping.
    pub kd: &'a SVector<T, 1>,
    /// True if the rows are a point's classical acceleration.
    pub is_point: bool,
    /// Destination of the vectors of each coordinate, used where it is the outer one.
    ///
    /// The vectors are derivatives of the rows by q, of the velocity by q, of `J m` by q with the opposite
    /// sign, of the rows by v, and the column.
    pub outer: &'a mut SMatrix<T, 30, NV>,
    /// Velocity, acceleration and the motion `J m` at the end.
    pub motions: &'a mut SMatrix<T, 6, 3>,
    /// Matrices to which sums are added: second derivatives by q and q, q and v, v and v, q and a.
    pub to: [&'a mut SMatrix<T, NV, NV>; 4],
}

dispatched!(Pairs<NV: usize>, wide, X8);

impl<T: Scalar, const NV: usize> Pairs<'_, T, NV> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, X: Register<Of = S>>(self, recast: Recast<T, S>) {
        let Self { at, order, reversed, count, columns, given, weights, kd, is_point, outer, motions, to } =
            self;
        let count = count.min(NV);
        let [v, a, m] = given;
        let [v, a, m] =
            [&recast.matrix(v).data.0[0], &recast.matrix(a).data.0[0], &recast.matrix(m).data.0[0]];
        let (columns, weights, kd) =
            (recast.rows(columns), recast.rows(weights), recast.matrix(kd).data.0[0][0]);
        let outer = &mut recast.matrix_mut(outer).data.0;
        let motions = &mut recast.matrix_mut(motions).data.0;
        let none = [S::zero(); 6];
        let (mut velocity, mut acceleration, mut motion) = (none, none, none);
        // Velocities that a coordinate moves the rest of the chain against, and at the ends of joints.
        let (mut against, mut through) = ([none; NV], [none; NV]);
        let mut k = 0;
        while k < count {
            let mut end = k;
            let (mut own_velocity, mut own_acceleration, mut own_motion) = (none, none, none);
            while end < count && order[end] == order[k] {
                let c = at[end];
                if c < NV {
                    own_velocity = scale_add(v[c], columns[end], own_velocity);
                    own_acceleration = scale_add(a[c], columns[end], own_acceleration);
                    own_motion = scale_add(m[c], columns[end], own_motion);
                }
                end += 1;
            }
            let before = [velocity, acceleration, motion];
            acceleration = add(acceleration, add(own_acceleration, motion_cross(velocity, own_velocity)));
            velocity = add(velocity, own_velocity);
            motion = add(motion, own_motion);
            let [of_velocity, of_acceleration, of_motion] =
                if reversed[k] { [velocity, acceleration, motion] } else { before };
            while k < end && k < count {
                let j = columns[k];
                put(&mut outer[k], 0, motion_cross(of_acceleration, j));
                put(&mut outer[k], 6, motion_cross(of_velocity, j));
                put(&mut outer[k], 12, neg(motion_cross(of_motion, j)));
                put(&mut outer[k], 18, motion_cross(before[0], j));
                put(&mut outer[k], 24, j);
                (against[k], through[k]) = (of_velocity, velocity);
                k += 1;
            }
        }
        *motions = [velocity, acceleration, motion];
        let [rows, forces] = *weights;
        let mut inner = [[S::zero(); 24]; NV];
        let of_velocity = centripetal_weights(linear(rows), velocity);
        for k in 0..count {
            let (j, rest) = (columns[k], sub(velocity, against[k]));
            let (by_q, c, by_v) = (take(&outer[k], 0), take(&outer[k], 6), take(&outer[k], 18));
            let by_q = add(by_q, motion_cross(c, rest));
            put(&mut outer[k], 0, scale_add(kd, c, by_q));
            let by_v = add(by_v, motion_cross(j, sub(velocity, through[k])));
            put(&mut outer[k], 18, scale_add(kd, j, by_v));
            let mut g = force_cross(motion_cross(j, rest), rows);
            if is_point {
                g = add(g, add(force_cross(j, of_velocity), centripetal_weights(linear(rows), c)));
                put(&mut inner[k], 18, centripetal_weights(linear(rows), j));
            }
            put(&mut inner[k], 0, force_cross(j, rows));
            put(&mut inner[k], 6, g);
            put(&mut inner[k], 12, force_cross(j, forces));
        }
        let [qq, qv, vv, qa] = to;
        let (qq, qv) = (&mut recast.matrix_mut(qq).data.0, &mut recast.matrix_mut(qv).data.0);
        let (vv, qa) = (&mut recast.matrix_mut(vv).data.0, &mut recast.matrix_mut(qa).data.0);
        let mut first = 0;
        while first < count {
            let [f, g, h, t] = panel::<S, X, NV>(&inner, first, count);
            let mut last = 0;
            for l in 0..LANES {
                if first + l < count {
                    last = order[first + l];
                }
            }
            for k in 0..count {
                // Neither carries the other the other way round.
                if order[k] > last {
                    break;
                }
                let of = &outer[k];
                let zero = X::splat(S::zero());
                let (mut by_qq, mut more_qq, mut by_qv, mut by_vq) = (zero, zero, zero, zero);
                let (mut by_qa, mut within) = (zero, zero);
                for c in 0..6 {
                    let (a, v, m) = (X::splat(of[c]), X::splat(of[6 + c]), X::splat(of[12 + c]));
                    let (d, j) = (X::splat(of[18 + c]), X::splat(of[24 + c]));
                    by_qq = m.mul_add(h[c], a.mul_add(f[c], by_qq));
                    more_qq = v.mul_add(g[c], more_qq);
                    by_qv = j.mul_add(g[c], d.mul_add(f[c], by_qv));
                    by_vq = v.mul_add(t[c], v.mul_add(f[c], by_vq));
                    by_qa = j.mul_add(f[c], by_qa);
                    within = j.mul_add(t[c], within);
                }
                let (by_qq, by_qv, by_vq) = ((by_qq + more_qq).lanes(), by_qv.lanes(), by_vq.lanes());
                let (by_vv, by_qa, within) = ((by_qa + within).lanes(), by_qa.lanes(), within.lanes());
                let c = at[k].min(NV - 1);
                // Lanes of the joint itself lie between those that carry it and those that it carries.
                let (mut l, lanes) = (0, (count - first).min(LANES));
                while l < lanes && first + l < NV && order[first + l] < order[k] {
                    l += 1;
                }
                while l < lanes && first + l < NV && order[first + l] == order[k] {
                    let r = at[first + l].min(NV - 1);
                    // Within a joint, derivatives are taken first along the column's coordinate if the
                    // joint is passed from child to parent, and along the row's otherwise.
                    vv[c][r] += within[l];
                    if reversed[k] {
                        qq[r][c] += by_qq[l];
                        qv[c][r] += by_qv[l];
                        qa[c][r] += by_qa[l];
                    } else {
                        qq[c][r] += by_qq[l];
                        qv[r][c] += by_vq[l];
                    }
                    l += 1;
                }
                while l < lanes && first + l < NV {
                    let r = at[first + l].min(NV - 1);
                    qq[c][r] += by_qq[l];
                    qq[r][c] += by_qq[l];
                    qv[c][r] += by_qv[l];
                    qv[r][c] += by_vq[l];
                    vv[c][r] += by_vv[l];
                    vv[r][c] += by_vv[l];
                    qa[c][r] += by_qa[l];
                    l += 1;
                }
            }
            first += LANES;
        }
    }
}

/// Inner vectors of eight coordinates, component by component. Lanes beyond the last one are zero.
#[cfg_attr(not(debug_assertions), inline(always))]
fn panel<S: Scalar, X: Register<Of = S>, const NV: usize>(
    inner: &[Inner<S>; NV],
    first: usize,
    count: usize,
) -> [[X; 6]; 4] {
    let mut lanes = [[S::zero(); LANES]; 24];
    for l in 0..LANES {
        if first + l < count && first + l < NV {
            for c in 0..24 {
                lanes[c][l] = inner[first + l][c];
            }
        }
    }
    let mut panel = [[X::splat(S::zero()); 6]; 4];
    for c in 0..6 {
        for k in 0..4 {
            panel[k][c] = X::load(&lanes[6 * k + c]);
        }
    }
    panel
}

/// The force whose power on a motion is the change of `weights . (w x v)` at this velocity.
#[cfg_attr(not(debug_assertions), inline(always))]
fn centripetal_weights<L: Lane>(weights: V3<L>, velocity: V6<L>) -> V6<L> {
    join(cross(weights, angular(velocity)), cross(linear(velocity), weights))
}

/// Writes six numbers.
#[cfg_attr(not(debug_assertions), inline(always))]
fn put<S: Scalar, const N: usize>(to: &mut [S; N], from: usize, x: V6<S>) {
    for c in 0..6 {
        if from + c < N {
            to[from + c] = x[c];
        }
    }
}

/// Reads six numbers.
#[cfg_attr(not(debug_assertions), inline(always))]
fn take<S: Scalar>(of: &[S; 30], from: usize) -> V6<S> {
    let mut x = [S::zero(); 6];
    for c in 0..6 {
        if from + c < 30 {
            x[c] = of[from + c];
        }
    }
    x
}
