//! Products with the block-diagonal Jacobians of `integrate`, and the brackets of joints' motions.

use crate::manifold::{
    Columns, integrate_floating_jacobians, integrate_planar_jacobians, integrate_spherical_jacobians,
};
use crate::{Joint, JointKind, Scalar};
use nalgebra::{SMatrix, SVector};

/// Adds `x` to each entry of the diagonal.
pub(super) fn add_diagonal<T: Scalar, const N: usize>(to: &mut SMatrix<T, N, N>, x: T) {
    for (k, column) in to.data.0.iter_mut().enumerate() {
        if let Some(to) = column.get_mut(k) {
            *to += x;
        }
    }
}

/// Multiplies derivatives of a motion `u` from the left by the derivative of `integrate(q, u)` by `u`,
/// and adds the derivative by `q` to `by_q`.
pub(super) fn through_integrate<T: Scalar, const NV: usize>(
    joints: &[Joint],
    u: &SVector<T, NV>,
    by_q: &mut SMatrix<T, NV, NV>,
    others: [Option<&mut SMatrix<T, NV, NV>>; 2],
) {
    let [mut first, mut second] = others;
    for joint in joints {
        let at = joint.idx_v;
        match joint.kind {
            // A mimic joint has no coordinate.
            _ if joint.nv == 0 => {}
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {
                if let Some(x) = by_q.data.0.get_mut(at).and_then(|column| column.get_mut(at)) {
                    *x += T::one();
                }
            }
            JointKind::Planar | JointKind::Spherical => {
                let Some(u) = motion(u, at) else { continue };
                let (of_q, of_u) = match joint.kind {
                    JointKind::Planar => integrate_planar_jacobians(u),
                    _ => integrate_spherical_jacobians(u),
                };
                for matrix in [Some(&mut *by_q), first.as_deref_mut(), second.as_deref_mut()] {
                    turn(matrix, &of_u, at);
                }
                add(by_q, &of_q, at);
            }
            JointKind::Floating => {
                let Some(u) = motion(u, at) else { continue };
                let (of_q, of_u) = integrate_floating_jacobians(u);
                for matrix in [Some(&mut *by_q), first.as_deref_mut(), second.as_deref_mut()] {
                    turn(matrix, &of_u, at);
                }
                add(by_q, &of_q, at);
            }
        }
    }
}

fn motion<T: Scalar, const NV: usize, const N: usize>(u: &SVector<T, NV>, at: usize) -> Option<[T; N]> {
    u.data.0[0].get(at..)?.first_chunk().copied()
}

/// Multiplies the rows of a joint from the left by its block.
fn turn<T: Scalar, const NV: usize, const N: usize>(
    matrix: Option<&mut SMatrix<T, NV, NV>>,
    block: &Columns<T, N>,
    at: usize,
) {
    let columns = matrix.into_iter().flat_map(|matrix| &mut matrix.data.0);
    for rows in columns.filter_map(|column| column.get_mut(at..)?.first_chunk_mut::<N>()) {
        let mut sum = [T::zero(); N];
        for (x, column) in rows.iter().zip(block) {
            for (sum, entry) in sum.iter_mut().zip(column) {
                *sum = entry.mul_add(*x, *sum);
            }
        }
        *rows = sum;
    }
}

/// Adds a joint's block to the diagonal.
fn add<T: Scalar, const NV: usize, const N: usize>(
    matrix: &mut SMatrix<T, NV, NV>,
    block: &Columns<T, N>,
    at: usize,
) {
    for (column, block) in matrix.data.0.iter_mut().skip(at).zip(block) {
        if let Some(rows) = column.get_mut(at..).and_then(<[T]>::first_chunk_mut::<N>) {
            for (x, entry) in rows.iter_mut().zip(block) {
                *x += *entry;
            }
        }
    }
}

/// The bracket `[a, b]` of two motions, joint by joint: how the order of two small motions matters.
pub(super) fn bracket<T: Scalar, const NV: usize>(
    joints: &[Joint],
    a: &SVector<T, NV>,
    b: &SVector<T, NV>,
) -> SVector<T, NV> {
    let mut out = crate::__private::zeros::<T, NV, 1>();
    for joint in joints {
        let at = joint.idx_v;
        let to = out.data.0[0].get_mut(at..);
        match joint.kind {
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {}
            JointKind::Planar => {
                if let (Some([ax, ay, aw]), Some([bx, by, bw])) = (motion(a, at), motion(b, at)) {
                    place(to, [bw * ay - aw * by, aw * bx - bw * ax, T::zero()]);
                }
            }
            JointKind::Spherical => {
                if let (Some(a), Some(b)) = (motion(a, at), motion(b, at)) {
                    place(to, cross(a, b));
                }
            }
            JointKind::Floating => {
                if let (Some([a0, a1, a2, a3, a4, a5]), Some([b0, b1, b2, b3, b4, b5])) =
                    (motion(a, at), motion(b, at))
                {
                    let (av, aw, bv, bw) = ([a0, a1, a2], [a3, a4, a5], [b0, b1, b2], [b3, b4, b5]);
                    let ([x, y, z], [dx, dy, dz], [wx, wy, wz]) =
                        (cross(aw, bv), cross(av, bw), cross(aw, bw));
                    place(to, [x + dx, y + dy, z + dz, wx, wy, wz]);
                }
            }
        }
    }
    out
}

fn place<T: Scalar, const N: usize>(to: Option<&mut [T]>, from: [T; N]) {
    if let Some(to) = to.and_then(<[T]>::first_chunk_mut::<N>) {
        *to = from;
    }
}

fn cross<T: Scalar>([ax, ay, az]: [T; 3], [bx, by, bz]: [T; 3]) -> [T; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}
