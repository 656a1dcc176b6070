//! Placement of a frame: rotation and translation, multiplied out.

use super::inertia::parallel_axis;
use super::{Components, Force, Mat3, Motion, SpatialInertia, Step, Transform, Vec3};
use rbd_ir::graph::Expr;

/// Pose of frame b in frame a: `x_a = rotation x_b + translation`.
///
/// For moving many vectors by a long chain of steps, its product is cheaper than the steps of a
/// [`Transform`].
#[derive(Clone, Copy)]
pub struct Placement<'g> {
    /// Columns are b's axes in a.
    pub rotation: Mat3<'g>,
    /// b's origin in a.
    pub translation: Vec3<'g>,
}

impl<'g> Placement<'g> {
    /// The frames coincide.
    pub const IDENTITY: Self = Self { rotation: Mat3::IDENTITY, translation: Vec3::ZERO };

    /// Placement in a of a frame that the transform places in b.
    pub fn then(self, transform: &Transform<'g>) -> Self {
        transform.steps().iter().rev().fold(self, |at, step| match step {
            Step::Rotate(r) => Self { rotation: at.rotation * *r, ..at },
            Step::Translate(p) => Self { translation: at.translation + at.rotation * *p, ..at },
        })
    }

    /// Placement in a of the transform's parent, if this is the placement of its child.
    pub fn before(self, transform: &Transform<'g>) -> Self {
        transform.steps().iter().fold(self, |at, step| match step {
            Step::Rotate(r) => Self { rotation: at.rotation * r.transpose(), ..at },
            Step::Translate(p) => Self { translation: at.translation - at.rotation * *p, ..at },
        })
    }

    /// Placement in the transform's parent of a frame with this placement in its child.
    pub fn within(self, transform: &Transform<'g>) -> Self {
        Self {
            rotation: transform.steps().iter().fold(self.rotation, |rotation, step| match step {
                Step::Rotate(r) => *r * rotation,
                Step::Translate(_) => rotation,
            }),
            translation: transform.point_to_parent(self.translation),
        }
    }

    /// A motion in b, in a's frame and of the point at a's origin.
    pub fn act_motion(&self, m: Motion<'g>) -> Motion<'g> {
        let ang = self.rotation * m.ang;
        Motion { lin: self.rotation * m.lin + self.translation.cross(ang), ang }
    }

    /// A motion in a, in b's frame and of the point at b's origin.
    pub fn act_inv_motion(&self, m: Motion<'g>) -> Motion<'g> {
        let m = m.of_point(self.translation);
        Motion { lin: self.rotation.transpose_mul(m.lin), ang: self.rotation.transpose_mul(m.ang) }
    }

    /// A force in b, in a's frame and about a's origin.
    pub fn act_force(&self, f: Force<'g>) -> Force<'g> {
        let lin = self.rotation * f.lin;
        Force { lin, ang: self.rotation * f.ang + self.translation.cross(lin) }
    }

    /// A force in a, in b's frame and about b's origin.
    pub fn act_inv_force(&self, f: Force<'g>) -> Force<'g> {
        let f = f.about(self.translation);
        Force { lin: self.rotation.transpose_mul(f.lin), ang: self.rotation.transpose_mul(f.ang) }
    }

    /// An inertia in b, in a's frame and about a's origin.
    pub fn act_inertia(&self, i: SpatialInertia<'g>) -> SpatialInertia<'g> {
        let (h, p) = (self.rotation * i.h, self.translation);
        let mp = p * i.m;
        let j = i.j.rotated(self.rotation) + parallel_axis(p, h + mp * Expr::constant(0.5));
        SpatialInertia { m: i.m, h: h + mp, j }
    }
}

/// The rotation by columns, then the translation: as a 3 x 4 matrix is stored.
impl<'g> Components<'g> for Placement<'g> {
    fn by_components(mut f: impl FnMut(usize) -> Expr<'g>) -> Self {
        let rotation = Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| f(3 * j + i))));
        Self { rotation, translation: Vec3([9, 10, 11].map(f)) }
    }

    fn component(&self, k: usize) -> Expr<'g> {
        if k < 9 { self.rotation[(k % 3, k / 3)] } else { self.translation[k - 9] }
    }
}
