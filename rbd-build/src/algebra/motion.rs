//! Spatial motions and forces.

use super::{Components, Vec3};
use rbd_ir::graph::Expr;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A spatial motion `[linear; angular]`.
#[derive(Clone, Copy)]
pub struct Motion<'g> {
    pub lin: Vec3<'g>,
    pub ang: Vec3<'g>,
}

/// A spatial force `[force; moment]`.
#[derive(Clone, Copy)]
pub struct Force<'g> {
    pub lin: Vec3<'g>,
    pub ang: Vec3<'g>,
}

impl<'g> Motion<'g> {
    pub const ZERO: Self = Self { lin: Vec3::ZERO, ang: Vec3::ZERO };

    /// The unit motion along (0..3) or about (3..6) a coordinate axis.
    pub fn unit(k: usize) -> Self {
        if k < 3 {
            Self { lin: Vec3::unit(k), ..Self::ZERO }
        } else {
            Self { ang: Vec3::unit(k - 3), ..Self::ZERO }
        }
    }

    /// `self x m`, motion on motion.
    pub fn cross(self, m: Self) -> Self {
        Self { lin: self.ang.cross(m.lin) + self.lin.cross(m.ang), ang: self.ang.cross(m.ang) }
    }

    /// `self x* f`, motion on force.
    pub fn cross_force(self, f: Force<'g>) -> Force<'g> {
        Force { lin: self.ang.cross(f.lin), ang: self.ang.cross(f.ang) + self.lin.cross(f.lin) }
    }

    /// This motion with the linear part of the point `p` of its frame.
    pub fn of_point(self, p: Vec3<'g>) -> Self {
        Self { lin: self.lin + self.ang.cross(p), ang: self.ang }
    }

    /// Power of `f` along this motion.
    pub fn dot(self, f: Force<'g>) -> Expr<'g> {
        self.lin.dot(f.lin) + self.ang.dot(f.ang)
    }
}

impl<'g> Force<'g> {
    pub const ZERO: Self = Self { lin: Vec3::ZERO, ang: Vec3::ZERO };

    pub fn map(self, mut f: impl FnMut(Expr<'g>) -> Expr<'g>) -> Self {
        Self { lin: self.lin.map(&mut f), ang: self.ang.map(&mut f) }
    }

    /// This force with its moment about the point `p` of its frame.
    pub fn about(self, p: Vec3<'g>) -> Self {
        Self { lin: self.lin, ang: self.ang - p.cross(self.lin) }
    }
}

impl<'g> Components<'g> for Motion<'g> {
    fn by_components(mut f: impl FnMut(usize) -> Expr<'g>) -> Self {
        Self { lin: Vec3([0, 1, 2].map(&mut f)), ang: Vec3([3, 4, 5].map(f)) }
    }

    fn component(&self, k: usize) -> Expr<'g> {
        if k < 3 { self.lin[k] } else { self.ang[k - 3] }
    }
}

impl<'g> Components<'g> for Force<'g> {
    fn by_components(mut f: impl FnMut(usize) -> Expr<'g>) -> Self {
        Self { lin: Vec3([0, 1, 2].map(&mut f)), ang: Vec3([3, 4, 5].map(f)) }
    }

    fn component(&self, k: usize) -> Expr<'g> {
        if k < 3 { self.lin[k] } else { self.ang[k - 3] }
    }
}

macro_rules! vector_space {
    ($($type:ident)*) => {$(
        impl<'g> Add for $type<'g> {
            type Output = Self;
            fn add(self, o: Self) -> Self {
                Self { lin: self.lin + o.lin, ang: self.ang + o.ang }
            }
        }
        impl<'g> Sub for $type<'g> {
            type Output = Self;
            fn sub(self, o: Self) -> Self {
                Self { lin: self.lin - o.lin, ang: self.ang - o.ang }
            }
        }
        impl<'g> Neg for $type<'g> {
            type Output = Self;
            fn neg(self) -> Self {
                Self { lin: -self.lin, ang: -self.ang }
            }
        }
        impl<'g> Mul<Expr<'g>> for $type<'g> {
            type Output = Self;
            fn mul(self, x: Expr<'g>) -> Self {
                Self { lin: self.lin * x, ang: self.ang * x }
            }
        }
        impl AddAssign for $type<'_> {
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
    )*};
}
vector_space!(Motion Force);
