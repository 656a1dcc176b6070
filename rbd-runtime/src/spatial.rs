//! Textbook spatial algebra: 6-vectors `[linear; angular]` for motions, `[force; moment]` for
//! forces. No term is pruned: generated code is compared with it.
//!
//! Placements and inertias are kept in their compact forms, (R, p) and (m, h, J), and act on
//! 6-vectors without ever forming a 6x6 matrix. The matrices of the textbook
//! (docs/math.md#spatial-vectors) are here too, for checks and for teaching.

use crate::Scalar;
use core::ops::{Add, AddAssign};
use nalgebra::{Matrix3, Matrix6, SVector, Vector3};

/// A spatial motion `[linear; angular]` or force `[force; moment]`.
pub type Vector6<T> = SVector<T, 6>;

/// The pose of frame b in frame a: a point with coordinates x in b has `rotation * x + translation`
/// in a.
///
/// Its memory layout is that of the 3 x 4 matrix `[rotation, translation]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Placement<T> {
    /// Columns are b's axes in a.
    pub rotation: Matrix3<T>,
    /// b's origin in a, metres.
    pub translation: Vector3<T>,
}

/// A spatial inertia by its ten numbers, about the origin of the frame that it is expressed in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia<T> {
    /// Mass, kg.
    pub mass: T,
    /// First moment `mass * centre_of_mass`, kg m. Unlike the centre itself, it stays meaningful if
    /// regrouping leaves no mass.
    pub h: Vector3<T>,
    /// Rotational inertia about the frame's origin, kg m^2, symmetric.
    pub j: Matrix3<T>,
}

/// `[linear; angular]` as one 6-vector.
#[inline]
pub fn join<T: Scalar>(linear: &Vector3<T>, angular: &Vector3<T>) -> Vector6<T> {
    Vector6::from([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])
}

/// The first three components: velocity, or force.
#[inline]
pub fn linear<T: Scalar>(x: &Vector6<T>) -> Vector3<T> {
    Vector3::new(x[0], x[1], x[2])
}

/// The last three components: angular velocity, or moment.
#[inline]
pub fn angular<T: Scalar>(x: &Vector6<T>) -> Vector3<T> {
    Vector3::new(x[3], x[4], x[5])
}

/// `a . b`: the power of a force on a motion.
#[inline]
pub fn dot<T: Scalar, const N: usize>(a: &SVector<T, N>, b: &SVector<T, N>) -> T {
    let mut sum = a[0] * b[0];
    for k in 1..N {
        sum = a[k].mul_add(b[k], sum);
    }
    sum
}

/// `m x`.
///
/// Written out, because nalgebra's general product also multiplies by one, which the operation
/// counter would count, and never fuses.
#[inline]
pub fn mul<T: Scalar, const R: usize, const C: usize>(
    m: &nalgebra::SMatrix<T, R, C>,
    x: &SVector<T, C>,
) -> SVector<T, R> {
    SVector::from_fn(|r, _| {
        let mut sum = m[(r, 0)] * x[0];
        for c in 1..C {
            sum = m[(r, c)].mul_add(x[c], sum);
        }
        sum
    })
}

/// `m^T x`.
#[inline]
pub fn tr_mul<T: Scalar, const R: usize, const C: usize>(
    m: &nalgebra::SMatrix<T, R, C>,
    x: &SVector<T, R>,
) -> SVector<T, C> {
    SVector::from_fn(|c, _| {
        let mut sum = m[(0, c)] * x[0];
        for r in 1..R {
            sum = m[(r, c)].mul_add(x[r], sum);
        }
        sum
    })
}

/// `a b` for 3x3 matrices.
#[inline]
pub fn mul3<T: Scalar>(a: &Matrix3<T>, b: &Matrix3<T>) -> Matrix3<T> {
    Matrix3::from_fn(|r, c| a[(r, 0)].mul_add(b[(0, c)], a[(r, 1)].mul_add(b[(1, c)], a[(r, 2)] * b[(2, c)])))
}

/// `r m r^T`.
#[inline]
fn turn<T: Scalar>(r: &Matrix3<T>, m: &Matrix3<T>) -> Matrix3<T> {
    mul3(&mul3(r, m), &r.transpose())
}

/// `[a]`, with `[a] b = a x b`.
#[inline]
pub fn skew<T: Scalar>(a: &Vector3<T>) -> Matrix3<T> {
    let o = T::zero();
    Matrix3::new(o, -a.z, a.y, a.z, o, -a.x, -a.y, a.x, o)
}

/// Rotation by an angle, given its sine and cosine, about a unit axis (Rodrigues' formula).
#[inline]
pub fn rotation_about<T: Scalar>(axis: &Vector3<T>, sin: T, cos: T) -> Matrix3<T> {
    let k = T::one() - cos;
    let (x, y, z) = (axis.x, axis.y, axis.z);
    let (kx, ky, kz) = (k * x, k * y, k * z);
    let (sx, sy, sz) = (sin * x, sin * y, sin * z);
    Matrix3::new(
        kx.mul_add(x, cos),
        kx.mul_add(y, -sz),
        kx.mul_add(z, sy),
        kx.mul_add(y, sz),
        ky.mul_add(y, cos),
        ky.mul_add(z, -sx),
        kx.mul_add(z, -sy),
        ky.mul_add(z, sx),
        kz.mul_add(z, cos),
    )
}

/// Rotation matrix of a unit quaternion `[x, y, z, w]`.
#[inline]
pub fn rotation_of_quaternion<T: Scalar>(q: &[T; 4]) -> Matrix3<T> {
    let [x, y, z, w] = *q;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let one = T::one();
    Matrix3::new(
        one - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        one - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        one - (xx + yy),
    )
}

impl<T: Scalar> Placement<T> {
    /// The two frames coincide.
    pub fn identity() -> Self {
        Self { rotation: Matrix3::identity(), translation: Vector3::zeros() }
    }

    /// `a_M_b.compose(b_M_c)` is `a_M_c`.
    #[inline]
    #[must_use]
    pub fn compose(&self, other: &Self) -> Self {
        Self {
            rotation: mul3(&self.rotation, &other.rotation),
            translation: self.act_point(&other.translation),
        }
    }

    /// `b_M_a` of `a_M_b`.
    #[inline]
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { rotation: self.rotation.transpose(), translation: -tr_mul(&self.rotation, &self.translation) }
    }

    /// A point's coordinates in a, from those in b.
    #[inline]
    pub fn act_point(&self, x: &Vector3<T>) -> Vector3<T> {
        mul(&self.rotation, x) + self.translation
    }

    /// A motion in a's frame and about a's origin, from that in b: `[R nu + p x R w; R w]`.
    #[inline]
    pub fn act_motion(&self, m: &Vector6<T>) -> Vector6<T> {
        let w = mul(&self.rotation, &angular(m));
        join(&(mul(&self.rotation, &linear(m)) + self.translation.cross(&w)), &w)
    }

    /// A motion in b, from that in a: `[R^T (nu + w x p); R^T w]`.
    #[inline]
    pub fn act_inv_motion(&self, m: &Vector6<T>) -> Vector6<T> {
        let w = angular(m);
        let nu = linear(m) + w.cross(&self.translation);
        join(&tr_mul(&self.rotation, &nu), &tr_mul(&self.rotation, &w))
    }

    /// A force in a, from that in b: `[R l; R n + p x R l]`.
    #[inline]
    pub fn act_force(&self, f: &Vector6<T>) -> Vector6<T> {
        let l = mul(&self.rotation, &linear(f));
        join(&l, &(mul(&self.rotation, &angular(f)) + self.translation.cross(&l)))
    }

    /// A force in b, from that in a: `[R^T l; R^T (n - p x l)]`.
    #[inline]
    pub fn act_inv_force(&self, f: &Vector6<T>) -> Vector6<T> {
        let l = linear(f);
        let n = angular(f) - self.translation.cross(&l);
        join(&tr_mul(&self.rotation, &l), &tr_mul(&self.rotation, &n))
    }

    /// The 6x6 matrix of [`act_motion`](Self::act_motion): `[R, [p] R; 0, R]`.
    pub fn motion_matrix(&self) -> Matrix6<T> {
        let mut x = Matrix6::zeros();
        let pr = mul3(&skew(&self.translation), &self.rotation);
        x.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.rotation);
        x.fixed_view_mut::<3, 3>(0, 3).copy_from(&pr);
        x.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.rotation);
        x
    }

    /// The 6x6 matrix of [`act_force`](Self::act_force): `[R, 0; [p] R, R]`, the inverse transpose of
    /// [`motion_matrix`](Self::motion_matrix).
    pub fn force_matrix(&self) -> Matrix6<T> {
        let mut x = Matrix6::zeros();
        let pr = mul3(&skew(&self.translation), &self.rotation);
        x.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.rotation);
        x.fixed_view_mut::<3, 3>(3, 0).copy_from(&pr);
        x.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.rotation);
        x
    }

    /// A symmetric operator from motions to forces (an articulated inertia), in a from that in b:
    /// `X* I X*^T` with X* the [`force_matrix`](Self::force_matrix), by its 3x3 blocks.
    pub fn act_operator(&self, i: &Matrix6<T>) -> Matrix6<T> {
        let block = |r, c| turn(&self.rotation, &i.fixed_view::<3, 3>(r, c).into_owned());
        let p = skew(&self.translation);
        let (a, b, d) = (block(0, 0), block(0, 3), block(3, 3));
        let shifted = b - mul3(&a, &p);
        let mut out = Matrix6::zeros();
        out.fixed_view_mut::<3, 3>(0, 0).copy_from(&a);
        out.fixed_view_mut::<3, 3>(0, 3).copy_from(&shifted);
        out.fixed_view_mut::<3, 3>(3, 0).copy_from(&shifted.transpose());
        let d = d + mul3(&p, &b) - mul3(&shifted.transpose(), &p);
        out.fixed_view_mut::<3, 3>(3, 3).copy_from(&d);
        out
    }
}

/// `a x b` of two motions: the rate of b where it is carried by the motion a.
#[inline]
pub fn motion_cross<T: Scalar>(a: &Vector6<T>, b: &Vector6<T>) -> Vector6<T> {
    let (nu, w) = (linear(a), angular(a));
    let (nu_b, w_b) = (linear(b), angular(b));
    join(&(w.cross(&nu_b) + nu.cross(&w_b)), &w.cross(&w_b))
}

/// `m x* f` of a motion and a force: the rate of f where it is carried by the motion m.
#[inline]
pub fn force_cross<T: Scalar>(m: &Vector6<T>, f: &Vector6<T>) -> Vector6<T> {
    let (nu, w) = (linear(m), angular(m));
    let (l, n) = (linear(f), angular(f));
    join(&w.cross(&l), &(w.cross(&n) + nu.cross(&l)))
}

/// The 6x6 matrix of [`motion_cross`]: `[[w], [nu]; 0, [w]]`.
pub fn motion_cross_matrix<T: Scalar>(m: &Vector6<T>) -> Matrix6<T> {
    let (nu, w) = (skew(&linear(m)), skew(&angular(m)));
    let mut x = Matrix6::zeros();
    x.fixed_view_mut::<3, 3>(0, 0).copy_from(&w);
    x.fixed_view_mut::<3, 3>(0, 3).copy_from(&nu);
    x.fixed_view_mut::<3, 3>(3, 3).copy_from(&w);
    x
}

/// The 6x6 matrix of [`force_cross`]: `[[w], 0; [nu], [w]]`, the negative transpose of
/// [`motion_cross_matrix`].
pub fn force_cross_matrix<T: Scalar>(m: &Vector6<T>) -> Matrix6<T> {
    -motion_cross_matrix(m).transpose()
}

impl<T: Scalar> Inertia<T> {
    /// No mass and no inertia.
    pub fn zero() -> Self {
        Self { mass: T::zero(), h: Vector3::zeros(), j: Matrix3::zeros() }
    }

    /// Inertia from mass, centre of mass and rotational inertia about the centre of mass (axes of the frame).
    pub fn from_com(mass: T, com: &Vector3<T>, at_com: &Matrix3<T>) -> Self {
        let h = com * mass;
        let j = at_com + Matrix3::identity() * dot(&h, com) - outer(&h, com);
        Self { mass, h, j }
    }

    /// The centre of mass, metres. NaN where there is no mass.
    pub fn com(&self) -> Vector3<T> {
        self.h / self.mass
    }

    /// The force (momentum) `[m nu + w x h; h x nu + J w]` of a motion.
    #[inline]
    pub fn apply(&self, m: &Vector6<T>) -> Vector6<T> {
        let (nu, w) = (linear(m), angular(m));
        join(&(nu * self.mass + w.cross(&self.h)), &(self.h.cross(&nu) + mul(&self.j, &w)))
    }

    /// The inertia expressed in frame a, from its form in frame b; `a_from_b` is b's pose in a.
    ///
    /// With y = R h: `h' = y + m p`, `J' = R J R^T - [p][y] - [y][p] - m [p][p]` (the parallel axis
    /// theorem without a centre of mass).
    #[inline]
    #[must_use]
    pub fn transformed(&self, a_from_b: &Placement<T>) -> Self {
        let p = a_from_b.translation;
        let y = mul(&a_from_b.rotation, &self.h);
        let mp = p * self.mass;
        // -[p][y] - [y][p] - m [p][p] = 2 (p.u) 1 - u p^T - p u^T with u = y + m p / 2
        let u = y + mp * T::from_f64(0.5);
        let up = outer(&u, &p);
        let twice = (up.m11 + up.m22 + up.m33) * T::from_f64(2.0);
        let mut j = turn(&a_from_b.rotation, &self.j) - up - up.transpose();
        for k in 0..3 {
            j[(k, k)] += twice;
        }
        Self { mass: self.mass, h: y + mp, j }
    }

    /// The 6x6 matrix of [`apply`](Self::apply): `[m 1, -[h]; [h], J]`.
    pub fn matrix(&self) -> Matrix6<T> {
        let h = skew(&self.h);
        let mut x = Matrix6::zeros();
        for k in 0..3 {
            x[(k, k)] = self.mass;
        }
        x.fixed_view_mut::<3, 3>(0, 3).copy_from(&-h);
        x.fixed_view_mut::<3, 3>(3, 0).copy_from(&h);
        x.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.j);
        x
    }
}

/// `a b^T`.
#[inline]
fn outer<T: Scalar>(a: &Vector3<T>, b: &Vector3<T>) -> Matrix3<T> {
    Matrix3::from_fn(|r, c| a[r] * b[c])
}

impl<T: Scalar> Add for Inertia<T> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { mass: self.mass + other.mass, h: self.h + other.h, j: self.j + other.j }
    }
}

impl<T: Scalar> AddAssign for Inertia<T> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
