//! Changing frames, step by step.

use super::inertia::parallel_axis;
use super::{ArticulatedInertia, Coriolis, Force, Mat3, Motion, SpatialInertia, Sym3, Vec3};
use rbd_ir::graph::Expr;

/// One elementary change of frame, from child to parent.
#[derive(Clone, Copy)]
pub enum Step<'g> {
    /// Vectors turn by this rotation.
    Rotate(Mat3<'g>),
    /// The child's origin is here in the parent.
    Translate(Vec3<'g>),
}

/// A change of frame as a chain of elementary steps, child's end first. A chain of planar rotations and
/// translations is cheaper than its product: a planar rotation of a vector takes four products, and most
/// translations have one or two nonzero entries.
#[derive(Clone)]
pub struct Transform<'g> {
    steps: Vec<Step<'g>>,
}

impl<'g> Transform<'g> {
    /// The chain of these steps, without those that do nothing.
    pub fn new(steps: impl IntoIterator<Item = Step<'g>>) -> Self {
        let matters = |step: &Step<'g>| match step {
            Step::Rotate(r) => !r.is_identity(),
            Step::Translate(p) => !p.is_zero(),
        };
        Self { steps: steps.into_iter().filter(matters).collect() }
    }

    /// A motion in the parent's frame, in the child's: `X m`.
    pub fn motion_to_child(&self, m: Motion<'g>) -> Motion<'g> {
        self.steps.iter().rev().fold(m, |m, step| match step {
            Step::Rotate(r) => Motion { lin: r.transpose_mul(m.lin), ang: r.transpose_mul(m.ang) },
            Step::Translate(p) => Motion { lin: m.lin + m.ang.cross(*p), ang: m.ang },
        })
    }

    /// A motion in the child's frame, in the parent's.
    pub fn motion_to_parent(&self, m: Motion<'g>) -> Motion<'g> {
        self.steps.iter().fold(m, |m, step| match step {
            Step::Rotate(r) => Motion { lin: *r * m.lin, ang: *r * m.ang },
            Step::Translate(p) => Motion { lin: m.lin - m.ang.cross(*p), ang: m.ang },
        })
    }

    /// A free vector in the parent's frame, in the child's.
    pub fn vector_to_child(&self, v: Vec3<'g>) -> Vec3<'g> {
        self.steps.iter().rev().fold(v, |v, step| match step {
            Step::Rotate(r) => r.transpose_mul(v),
            Step::Translate(_) => v,
        })
    }

    /// A free vector in the child's frame, in the parent's.
    pub fn vector_to_parent(&self, v: Vec3<'g>) -> Vec3<'g> {
        self.steps.iter().fold(v, |v, step| match step {
            Step::Rotate(r) => *r * v,
            Step::Translate(_) => v,
        })
    }

    /// Motion of the same point, from the child's axes to the parent's.
    pub fn turn_to_parent(&self, m: Motion<'g>) -> Motion<'g> {
        Motion { lin: self.vector_to_parent(m.lin), ang: self.vector_to_parent(m.ang) }
    }

    /// Force about the same point, from the child's axes to the parent's.
    pub fn turn_force_to_parent(&self, f: Force<'g>) -> Force<'g> {
        Force { lin: self.vector_to_parent(f.lin), ang: self.vector_to_parent(f.ang) }
    }

    /// A point's coordinates in the child's frame, in the parent's.
    pub fn point_to_parent(&self, x: Vec3<'g>) -> Vec3<'g> {
        self.steps.iter().fold(x, |x, step| match step {
            Step::Rotate(r) => *r * x,
            Step::Translate(p) => x + *p,
        })
    }

    /// Mass and first moment in the child's frame, in the parent's.
    pub fn moment_to_parent(&self, (m, h): (Expr<'g>, Vec3<'g>)) -> (Expr<'g>, Vec3<'g>) {
        let h = self.steps.iter().fold(h, |h, step| match step {
            Step::Rotate(r) => *r * h,
            Step::Translate(p) => h + *p * m,
        });
        (m, h)
    }

    /// A force in the child's frame, in the parent's: `X^T f`.
    pub fn force_to_parent(&self, f: Force<'g>) -> Force<'g> {
        self.steps.iter().fold(f, |f, step| match step {
            Step::Rotate(r) => Force { lin: *r * f.lin, ang: *r * f.ang },
            Step::Translate(p) => Force { lin: f.lin, ang: f.ang + p.cross(f.lin) },
        })
    }

    /// An inertia in the child's frame, in the parent's: `X^T I X` (docs/math.md#spatial-vectors).
    pub fn inertia_to_parent(&self, i: SpatialInertia<'g>) -> SpatialInertia<'g> {
        self.steps.iter().fold(i, |i, step| match step {
            Step::Rotate(r) => SpatialInertia { m: i.m, h: *r * i.h, j: i.j.rotated(*r) },
            Step::Translate(p) => {
                // J - [p][h] - [h][p] - m [p][p], as one pair of skew products with k = h + m p / 2.
                let mp = *p * i.m;
                let j = i.j + parallel_axis(*p, i.h + mp * Expr::constant(0.5));
                SpatialInertia { m: i.m, h: i.h + mp, j }
            }
        })
    }

    /// A Coriolis operator in the child's frame, in the parent's: it keeps its shape, N' = N + [p][l].
    pub fn coriolis_to_parent(&self, b: Coriolis<'g>) -> Coriolis<'g> {
        self.steps.iter().fold(b, |b, step| match step {
            Step::Rotate(r) => Coriolis { l: *r * b.l, n: r.conjugate(b.n) },
            Step::Translate(p) => Coriolis { l: b.l, n: b.n + p.skew() * b.l.skew() },
        })
    }

    /// An articulated-body inertia in the child's frame, in the parent's.
    pub fn articulated_to_parent(&self, i: ArticulatedInertia<'g>) -> ArticulatedInertia<'g> {
        self.steps.iter().fold(i, |i, step| match step {
            Step::Rotate(r) => {
                ArticulatedInertia { m: i.m.rotated(*r), h: r.conjugate(i.h), j: i.j.rotated(*r) }
            }
            Step::Translate(p) => {
                // H' = H - M [p];  J' = J + [p] H' + ([p] H)^T
                let skew = p.skew();
                let h = i.h - i.m.to_mat3() * skew;
                let (new, old) = (skew * h, skew * i.h);
                ArticulatedInertia { m: i.m, h, j: i.j + Sym3::from_upper(new + old.transpose()) }
            }
        })
    }

    /// The steps, child's end first.
    pub fn steps(&self) -> &[Step<'g>] {
        &self.steps
    }
}
