//! Rigid-body inertia by its ten numbers.

use super::{Force, Motion, Sym3, Vec3};
use rbd_ir::graph::Expr;
use std::ops::Add;

/// A spatial inertia `[m 1, -[h]; [h], J]` about the origin of its frame (docs/math.md#spatial-vectors).
/// `h` is the first moment; it stays meaningful where regrouping leaves no mass.
#[derive(Clone, Copy)]
pub struct SpatialInertia<'g> {
    pub m: Expr<'g>,
    pub h: Vec3<'g>,
    pub j: Sym3<'g>,
}

impl<'g> SpatialInertia<'g> {
    pub const ZERO: Self = Self { m: Expr::ZERO, h: Vec3::ZERO, j: Sym3::ZERO };

    /// The variation `x o I = (x x*) I - I (x x)` of an inertia carried by the motion `x`: of inertia's
    /// shape, with no mass.
    pub fn variation(self, x: Motion<'g>) -> Self {
        let (h, nu, w) = (self.h, x.lin, x.ang);
        // -[nu][h] - [h][nu] = 2 (nu.h) 1 - nu h^T - h nu^T
        let d = nu.dot(h) * 2.0;
        let outer = nu_h_symmetric(nu, h);
        // [w] J - J [w] = A + A^T with A = [w] J
        let a = w.skew() * self.j.to_mat3();
        let turn = Sym3::from_upper(a + a.transpose());
        Self { m: Expr::ZERO, h: nu * self.m + w.cross(h), j: Sym3::diagonal(d) - outer + turn }
    }

    pub fn map(self, mut f: impl FnMut(Expr<'g>) -> Expr<'g>) -> Self {
        Self { m: f(self.m), h: self.h.map(&mut f), j: self.j.map(&mut f) }
    }
}

/// `a b^T + b a^T`.
fn nu_h_symmetric<'g>(a: Vec3<'g>, b: Vec3<'g>) -> Sym3<'g> {
    let pair = |i: usize, j: usize| a[i] * b[j] + b[i] * a[j];
    Sym3 { xx: pair(0, 0), yy: pair(1, 1), zz: pair(2, 2), xy: pair(0, 1), xz: pair(0, 2), yz: pair(1, 2) }
}

/// `-[p][k] - [k][p] = 2 (p.k) 1 - p k^T - k p^T`, by entries, so that no term is added and
/// subtracted again.
pub(super) fn parallel_axis<'g>(p: Vec3<'g>, k: Vec3<'g>) -> Sym3<'g> {
    let [x, y, z] = [0, 1, 2].map(|i| p[i] * k[i] * 2.0);
    let off = |i: usize, j: usize| -(p[i] * k[j] + p[j] * k[i]);
    Sym3 { xx: y + z, yy: x + z, zz: x + y, xy: off(0, 1), xz: off(0, 2), yz: off(1, 2) }
}

impl<'g> std::ops::Mul<Motion<'g>> for SpatialInertia<'g> {
    type Output = Force<'g>;
    fn mul(self, x: Motion<'g>) -> Force<'g> {
        Force { lin: x.lin * self.m + x.ang.cross(self.h), ang: self.h.cross(x.lin) + self.j * x.ang }
    }
}

impl<'g> Add for SpatialInertia<'g> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { m: self.m + o.m, h: self.h + o.h, j: self.j + o.j }
    }
}
