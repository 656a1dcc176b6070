//! The Coriolis operator B(I, x) of IDSVA.

use super::{Force, Mat3, Motion, SpatialInertia, Sym3, Vec3};
use rbd_ir::graph::Expr;
use std::ops::Add;

/// `B(I, x) = (x x*) I - I (x x) + (I x)~`, twice the body Coriolis matrix of [Singh-2022].
///
/// It has the shape `[0, [l]; 0, N]` with `l = -2 (m nu + w x h)` and
/// `N = -2 ([w] Sigma + [h][nu])`, `Sigma = tr(J)/2 1 - J` (docs/math.md#coriolis-operator). These
/// are twelve numbers, and only angular motion enters.
#[derive(Clone, Copy)]
pub struct Coriolis<'g> {
    pub l: Vec3<'g>,
    pub n: Mat3<'g>,
}

impl<'g> Coriolis<'g> {
    pub const ZERO: Self = Self { l: Vec3::ZERO, n: Mat3::ZERO };

    /// `B(I, x)`. The factor -2 goes into the inertia, which is often constant.
    pub fn new(inertia: SpatialInertia<'g>, x: Motion<'g>) -> Self {
        let (m2, h2) = (inertia.m * -2.0, inertia.h * Expr::constant(-2.0));
        // -2 Sigma, by entries: its diagonal is J - tr(J)/2 doubled, e.g. Jxx - Jyy - Jzz.
        let j = inertia.j;
        let sigma2 = Sym3 {
            xx: j.xx - j.yy - j.zz,
            yy: j.yy - j.xx - j.zz,
            zz: j.zz - j.xx - j.yy,
            xy: j.xy * 2.0,
            xz: j.xz * 2.0,
            yz: j.yz * 2.0,
        };
        // [h][nu] = nu h^T - (h.nu) 1
        let (nu, w) = (x.lin, x.ang);
        let mut n = w.skew() * sigma2.to_mat3();
        for i in 0..3 {
            for k in 0..3 {
                n[(i, k)] += if i == k {
                    // nu_i h_i - h.nu, without adding and subtracting the same product
                    -(0..3).filter(|&o| o != i).map(|o| h2[o] * nu[o]).sum::<Expr<'g>>()
                } else {
                    nu[i] * h2[k]
                };
            }
        }
        Self { l: nu * m2 + w.cross(h2), n }
    }

    /// `B^T x`: a force with no linear part, `[0; -l x x_lin + N^T x_ang]`.
    pub fn transpose_mul(self, x: Motion<'g>) -> Force<'g> {
        Force { lin: Vec3::ZERO, ang: self.n.transpose_mul(x.ang) - self.l.cross(x.lin) }
    }

    /// Variation `x o B = (x x*) B - B (x x)` of an operator carried by the motion `x`.
    ///
    /// It has the shape of B, with `l' = w x l` and `N' = [w] N - N [w] + [nu][l]`.
    pub fn variation(self, x: Motion<'g>) -> Self {
        let (nu, w) = (x.lin, x.ang);
        let mut n = w.skew() * self.n - self.n * w.skew();
        // [nu][l] = l nu^T - (l.nu) 1
        for i in 0..3 {
            for k in 0..3 {
                n[(i, k)] += if i == k {
                    -(0..3).filter(|&o| o != i).map(|o| self.l[o] * nu[o]).sum::<Expr<'g>>()
                } else {
                    self.l[i] * nu[k]
                };
            }
        }
        Self { l: w.cross(self.l), n }
    }

    pub fn map(self, mut f: impl FnMut(Expr<'g>) -> Expr<'g>) -> Self {
        Self { l: self.l.map(&mut f), n: Mat3(self.n.0.map(|row| row.map(&mut f))) }
    }
}

impl<'g> std::ops::Mul<Motion<'g>> for Coriolis<'g> {
    type Output = Force<'g>;
    fn mul(self, x: Motion<'g>) -> Force<'g> {
        Force { lin: self.l.cross(x.ang), ang: self.n * x.ang }
    }
}

impl<'g> Add for Coriolis<'g> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { l: self.l + o.l, n: self.n + o.n }
    }
}
