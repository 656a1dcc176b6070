//! The articulated-body inertia of ABA.

use super::{Force, Mat3, Motion, SpatialInertia, Sym3};
use rbd_ir::graph::Expr;
use std::ops::{Add, Mul};

/// A symmetric 6x6 operator from motions to forces, `[M, H; H^T, J]`.
#[derive(Clone, Copy)]
pub struct ArticulatedInertia<'g> {
    pub m: Sym3<'g>,
    pub h: Mat3<'g>,
    pub j: Sym3<'g>,
}

impl<'g> ArticulatedInertia<'g> {
    pub const ZERO: Self = Self { m: Sym3::ZERO, h: Mat3::ZERO, j: Sym3::ZERO };

    /// `self - sum_ab u_a w_ab u_b^T`: the articulated inertia without the joint's motion
    /// (Featherstone's I^a). `wu` are the columns of `W U^T`, transposed.
    pub fn minus_outer(self, u: &[Force<'g>], wu: &[Force<'g>]) -> Self {
        let mut out = self;
        for (u, w) in u.iter().zip(wu) {
            let upper = |a: [Expr<'g>; 3], b: [Expr<'g>; 3]| Sym3 {
                xx: a[0] * b[0],
                yy: a[1] * b[1],
                zz: a[2] * b[2],
                xy: a[0] * b[1],
                xz: a[0] * b[2],
                yz: a[1] * b[2],
            };
            out.m = out.m - upper(u.lin.0, w.lin.0);
            out.j = out.j - upper(u.ang.0, w.ang.0);
            out.h = out.h - Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|k| u.lin[i] * w.ang[k])));
        }
        out
    }

    /// This operator with the rows and columns of the unit motion `k` (0..3 linear, 3..6 angular)
    /// exactly zero. They are zero mathematically, but not after rounding.
    pub fn without(mut self, k: usize) -> Self {
        let zero = Expr::ZERO;
        let clear = |s: &mut Sym3<'g>, k: usize| {
            let mut m = s.to_mat3();
            for i in 0..3 {
                (m[(i, k)], m[(k, i)]) = (zero, zero);
            }
            *s = Sym3::from_upper(m);
        };
        if k < 3 {
            clear(&mut self.m, k);
            self.h.0[k] = [zero; 3];
        } else {
            clear(&mut self.j, k - 3);
            for row in &mut self.h.0 {
                row[k - 3] = zero;
            }
        }
        self
    }

    pub fn map(self, mut f: impl FnMut(Expr<'g>) -> Expr<'g>) -> Self {
        Self { m: self.m.map(&mut f), h: Mat3(self.h.0.map(|r| r.map(&mut f))), j: self.j.map(&mut f) }
    }
}

impl<'g> From<SpatialInertia<'g>> for ArticulatedInertia<'g> {
    fn from(i: SpatialInertia<'g>) -> Self {
        Self { m: Sym3::diagonal(i.m), h: i.h.skew().transpose(), j: i.j }
    }
}

impl<'g> Mul<Motion<'g>> for ArticulatedInertia<'g> {
    type Output = Force<'g>;
    fn mul(self, x: Motion<'g>) -> Force<'g> {
        Force { lin: self.m * x.lin + self.h * x.ang, ang: self.h.transpose_mul(x.lin) + self.j * x.ang }
    }
}

impl<'g> Add for ArticulatedInertia<'g> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { m: self.m + o.m, h: self.h + o.h, j: self.j + o.j }
    }
}
