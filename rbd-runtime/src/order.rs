//! The order of coordinates in other libraries.

use crate::Joint;

/// Another library's order of a robot's coordinates (docs/conventions.md#pinocchios-order).
///
/// `q_other[i] = q[order.q[i]]` and `v_other[i] = v[order.v[i]]`; accelerations and torques have
/// the order of v. An angle that the other library stores as cosine and sine is one entry here.
///
/// ```
/// # use rbd_runtime::CoordinateOrder;
/// let order = CoordinateOrder { q: [0, 2, 1], v: [0, 2, 1] };
/// let (v, mut v_other) = ([1.0, 2.0, 3.0], [0.0; 3]);
/// for i in 0..3 {
///     v_other[i] = v[order.v[i]];
/// }
/// let back = order.inverse().v;
/// assert_eq!((v_other, back.map(|i| v_other[i])), ([1.0, 3.0, 2.0], v));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordinateOrder<const NQ: usize, const NV: usize> {
    /// For each entry of the other library's configuration, its index in q.
    pub q: [usize; NQ],
    /// For each entry of the other library's velocity, its index in v.
    pub v: [usize; NV],
}

impl<const NQ: usize, const NV: usize> CoordinateOrder<NQ, NV> {
    /// The way back: `q[i] = q_other[order.inverse().q[i]]`.
    #[must_use]
    pub const fn inverse(&self) -> Self {
        Self { q: inverse(&self.q), v: inverse(&self.v) }
    }
}

const fn inverse<const N: usize>(order: &[usize; N]) -> [usize; N] {
    let (mut back, mut i) = ([0; N], 0);
    while i < N {
        if order[i] < N {
            back[order[i]] = i;
        }
        i += 1;
    }
    back
}

/// The order of coordinates where joints come so, each of those named by its place in `joints`.
#[must_use]
pub const fn coordinate_order<const NQ: usize, const NV: usize>(
    joints: &[Joint],
    order: &[usize],
) -> CoordinateOrder<NQ, NV> {
    let (mut q, mut v, mut at) = ([0; NQ], [0; NV], 0);
    let (mut next_q, mut next_v) = (0, 0);
    while at < order.len() {
        if order[at] < joints.len() {
            let joint = &joints[order[at]];
            let (mut k, mut l) = (0, 0);
            while k < joint.nq && next_q < NQ {
                q[next_q] = joint.idx_q + k;
                (k, next_q) = (k + 1, next_q + 1);
            }
            while l < joint.nv && next_v < NV {
                v[next_v] = joint.idx_v + l;
                (l, next_v) = (l + 1, next_v + 1);
            }
        }
        at += 1;
    }
    CoordinateOrder { q, v }
}
