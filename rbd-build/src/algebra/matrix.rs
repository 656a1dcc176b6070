//! Three-vectors and 3x3 matrices of expressions.

use rbd_ir::graph::Expr;
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub};

/// A vector in space.
#[derive(Clone, Copy)]
pub struct Vec3<'g>(pub [Expr<'g>; 3]);

/// A general 3x3 matrix, `m[(row, column)]`.
#[derive(Clone, Copy)]
pub struct Mat3<'g>(pub [[Expr<'g>; 3]; 3]);

/// A symmetric 3x3 matrix. Each pair of equal entries is stored and computed once.
#[derive(Clone, Copy)]
pub struct Sym3<'g> {
    pub xx: Expr<'g>,
    pub yy: Expr<'g>,
    pub zz: Expr<'g>,
    pub xy: Expr<'g>,
    pub xz: Expr<'g>,
    pub yz: Expr<'g>,
}

/// A type made of expressions in a fixed order.
pub trait Components<'g>: Copy {
    /// The value with these components.
    fn by_components(f: impl FnMut(usize) -> Expr<'g>) -> Self;
    /// The `k`-th number.
    fn component(&self, k: usize) -> Expr<'g>;
}

impl<'g> Components<'g> for Vec3<'g> {
    fn by_components(f: impl FnMut(usize) -> Expr<'g>) -> Self {
        Self([0, 1, 2].map(f))
    }

    fn component(&self, k: usize) -> Expr<'g> {
        self.0[k]
    }
}

impl<'g> Components<'g> for Mat3<'g> {
    fn by_components(mut f: impl FnMut(usize) -> Expr<'g>) -> Self {
        Self([0, 3, 6].map(|row| [row, row + 1, row + 2].map(&mut f)))
    }

    fn component(&self, k: usize) -> Expr<'g> {
        self.0[k / 3][k % 3]
    }
}

impl<'g> Vec3<'g> {
    pub const ZERO: Self = Self([Expr::ZERO; 3]);

    pub fn constant(v: [f64; 3]) -> Self {
        Self(v.map(Expr::constant))
    }

    /// The `k`-th unit vector.
    pub fn unit(k: usize) -> Self {
        let mut e = Self::ZERO;
        e.0[k] = Expr::ONE;
        e
    }

    pub fn dot(self, o: Self) -> Expr<'g> {
        (0..3).map(|k| self.0[k] * o.0[k]).sum()
    }

    pub fn cross(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    /// The matrix `[v]` with `[v] x = v.cross(x)`.
    pub fn skew(self) -> Mat3<'g> {
        let ([x, y, z], o) = (self.0, Expr::ZERO);
        Mat3([[o, -z, y], [z, o, -x], [-y, x, o]])
    }

    pub fn map(self, f: impl FnMut(Expr<'g>) -> Expr<'g>) -> Self {
        Self(self.0.map(f))
    }

    pub fn is_zero(self) -> bool {
        self.0.iter().all(|e| e.is_zero())
    }
}

impl<'g> Mat3<'g> {
    pub const ZERO: Self = Self([[Expr::ZERO; 3]; 3]);
    pub const IDENTITY: Self = {
        let (o, i) = (Expr::ZERO, Expr::ONE);
        Self([[i, o, o], [o, i, o], [o, o, i]])
    };

    /// Rotation about the `axis`-th coordinate axis by the angle with this sine and cosine.
    pub fn rotation(axis: usize, (sin, cos): (Expr<'g>, Expr<'g>)) -> Self {
        let (i, j) = plane(axis);
        let mut r = Self::IDENTITY;
        (r[(i, i)], r[(i, j)], r[(j, i)], r[(j, j)]) = (cos, -sin, sin, cos);
        r
    }

    pub fn transpose(self) -> Self {
        let m = self;
        Self([0, 1, 2].map(|i| [0, 1, 2].map(|j| m[(j, i)])))
    }

    pub fn column(self, j: usize) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|i| self[(i, j)]))
    }

    pub fn row(self, i: usize) -> Vec3<'g> {
        Vec3(self.0[i])
    }

    /// Product with the transpose: `self^T v`.
    pub fn transpose_mul(self, v: Vec3<'g>) -> Vec3<'g> {
        self.transpose() * v
    }

    /// The axis, sine and cosine, if this turns about a coordinate axis.
    pub fn planar(self) -> Option<(usize, Expr<'g>, Expr<'g>)> {
        (0..3).find(|&k| self.keeps_axis(k)).map(|k| {
            let (i, j) = plane(k);
            (k, self[(j, i)], self[(i, i)])
        })
    }

    pub fn is_identity(self) -> bool {
        (0..3).all(|k| self.keeps_axis(k))
    }

    /// Returns whether row and column `k` are those of the identity.
    ///
    /// A one on the diagonal is not enough: in doubles, the cosine of 1e-8 is one, and its sine is
    /// not zero.
    fn keeps_axis(self, k: usize) -> bool {
        let (i, j) = plane(k);
        self[(k, k)].is_one() && [(i, k), (k, i), (j, k), (k, j)].iter().all(|&at| self[at].is_zero())
    }

    /// `R N R^T` for this rotation R.
    ///
    /// In the plane of a planar rotation, with block `[a b; e d]`, one product `E = s (a - d) + c (b + e)`
    /// gives all four: `a - s E`, `d + s E`, `c E - e`, `c E - b`.
    /// With sine and cosine of twice the angle it would not be less.
    pub fn conjugate(self, n: Self) -> Self {
        let Some((k, s, c)) = self.planar() else {
            return self * n * self.transpose();
        };
        let (i, j) = plane(k);
        let mut out = n;
        (out[(i, i)], out[(j, j)], out[(i, j)], out[(j, i)]) =
            turn_block((n[(i, i)], n[(j, j)], n[(i, j)], n[(j, i)]), s, c, || c * (n[(i, j)] + n[(j, i)]));
        (out[(i, k)], out[(j, k)]) = turn(n[(i, k)], n[(j, k)], s, c);
        (out[(k, i)], out[(k, j)]) = turn(n[(k, i)], n[(k, j)], s, c);
        out
    }
}

/// The two axes that a rotation about `axis` turns, in cyclic order.
fn plane(axis: usize) -> (usize, usize) {
    ((axis + 1) % 3, (axis + 2) % 3)
}

/// A vector of the plane, rotated.
fn turn<'g>(x: Expr<'g>, y: Expr<'g>, s: Expr<'g>, c: Expr<'g>) -> (Expr<'g>, Expr<'g>) {
    (c * x - s * y, s * x + c * y)
}

/// A 2x2 block `(a, d, b, e)` = `[a b; e d]`, rotated; `twice_c_sum` is `c (b + e)`.
fn turn_block<'g>(
    (a, d, b, e): (Expr<'g>, Expr<'g>, Expr<'g>, Expr<'g>),
    s: Expr<'g>,
    c: Expr<'g>,
    c_sum: impl FnOnce() -> Expr<'g>,
) -> (Expr<'g>, Expr<'g>, Expr<'g>, Expr<'g>) {
    // Right angles and half turns only permute; the general formula would not see that.
    if c.is_zero() {
        return (d, a, -e, -b);
    }
    if s.is_zero() {
        return (a, d, b, e);
    }
    let t = s * (a - d) + c_sum();
    (a - s * t, d + s * t, c * t - e, c * t - b)
}

impl<'g> Sym3<'g> {
    pub const ZERO: Self = {
        let o = Expr::ZERO;
        Self { xx: o, yy: o, zz: o, xy: o, xz: o, yz: o }
    };

    /// The symmetric matrix with this upper triangle.
    pub fn from_upper(m: Mat3<'g>) -> Self {
        Self { xx: m[(0, 0)], yy: m[(1, 1)], zz: m[(2, 2)], xy: m[(0, 1)], xz: m[(0, 2)], yz: m[(1, 2)] }
    }

    pub fn to_mat3(self) -> Mat3<'g> {
        let Self { xx, yy, zz, xy, xz, yz } = self;
        Mat3([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    }

    /// `x 1`.
    pub fn diagonal(x: Expr<'g>) -> Self {
        Self { xx: x, yy: x, zz: x, ..Self::ZERO }
    }

    /// `R S R^T`; see [`Mat3::conjugate`].
    pub fn rotated(self, r: Mat3<'g>) -> Self {
        let Some((k, s, c)) = r.planar() else {
            let half = r * self.to_mat3();
            let entry = |i: usize, j: usize| half.row(i).dot(r.row(j));
            return Self {
                xx: entry(0, 0),
                yy: entry(1, 1),
                zz: entry(2, 2),
                xy: entry(0, 1),
                xz: entry(0, 2),
                yz: entry(1, 2),
            };
        };
        let m = self.to_mat3();
        let (i, j) = plane(k);
        let (a, d, b) = (m[(i, i)], m[(j, j)], m[(i, j)]);
        let mut out = m;
        let (a, d, b, _) = turn_block((a, d, b, b), s, c, || (c * 2.0) * b);
        (out[(i, i)], out[(j, j)]) = (a, d);
        (out[(i, j)], out[(j, i)]) = (b, b);
        let (x, y) = turn(m[(i, k)], m[(j, k)], s, c);
        (out[(i, k)], out[(k, i)], out[(j, k)], out[(k, j)]) = (x, x, y, y);
        Self::from_upper(out)
    }

    pub fn map(self, mut f: impl FnMut(Expr<'g>) -> Expr<'g>) -> Self {
        let Self { xx, yy, zz, xy, xz, yz } = self;
        Self { xx: f(xx), yy: f(yy), zz: f(zz), xy: f(xy), xz: f(xz), yz: f(yz) }
    }
}

impl<'g> Index<(usize, usize)> for Mat3<'g> {
    type Output = Expr<'g>;
    fn index(&self, (i, j): (usize, usize)) -> &Expr<'g> {
        &self.0[i][j]
    }
}

impl<'g> IndexMut<(usize, usize)> for Mat3<'g> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Expr<'g> {
        &mut self.0[i][j]
    }
}

impl<'g> Index<usize> for Vec3<'g> {
    type Output = Expr<'g>;
    fn index(&self, k: usize) -> &Expr<'g> {
        &self.0[k]
    }
}

impl<'g> Add for Vec3<'g> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] + o.0[k]))
    }
}

impl<'g> Sub for Vec3<'g> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] - o.0[k]))
    }
}

impl<'g> Neg for Vec3<'g> {
    type Output = Self;
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

impl<'g> Mul<Expr<'g>> for Vec3<'g> {
    type Output = Self;
    fn mul(self, x: Expr<'g>) -> Self {
        self.map(|e| e * x)
    }
}

impl AddAssign for Vec3<'_> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<'g> Mul<Vec3<'g>> for Mat3<'g> {
    type Output = Vec3<'g>;
    fn mul(self, v: Vec3<'g>) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|i| self.row(i).dot(v)))
    }
}

impl<'g> Mul for Mat3<'g> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self([0, 1, 2].map(|i| [0, 1, 2].map(|j| self.row(i).dot(o.column(j)))))
    }
}

impl<'g> Add for Mat3<'g> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self([0, 1, 2].map(|i| [0, 1, 2].map(|j| self[(i, j)] + o[(i, j)])))
    }
}

impl<'g> Sub for Mat3<'g> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self([0, 1, 2].map(|i| [0, 1, 2].map(|j| self[(i, j)] - o[(i, j)])))
    }
}

impl<'g> Mul<Expr<'g>> for Mat3<'g> {
    type Output = Self;
    fn mul(self, x: Expr<'g>) -> Self {
        Self(self.0.map(|row| row.map(|e| e * x)))
    }
}

impl<'g> Mul<Vec3<'g>> for Sym3<'g> {
    type Output = Vec3<'g>;
    fn mul(self, v: Vec3<'g>) -> Vec3<'g> {
        self.to_mat3() * v
    }
}

impl<'g> Add for Sym3<'g> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}

impl<'g> Sub for Sym3<'g> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self {
            xx: self.xx - o.xx,
            yy: self.yy - o.yy,
            zz: self.zz - o.zz,
            xy: self.xy - o.xy,
            xz: self.xz - o.xz,
            yz: self.yz - o.yz,
        }
    }
}
