//! Inertia that a joint cannot feel moves to its parent (docs/math.md#regrouping).
//!
//! A share dI may move if the joint's motion leaves it as it is and it has no force along the
//! joint. The remaining inertia need not be physical: masses vanish, matrices are indefinite. Every
//! algorithm here is polynomial in inertia except for ABA's D, which does not change.

use super::rounding::terms_moved;
use super::{Tree, inertia_moved, magnitudes, rounding};
use nalgebra::{Matrix3, Vector3};
use rbd_runtime::JointKind;
use rbd_runtime::spatial::Inertia;

/// Share of `J = diag(t, t, 0)` to move, which a revolute joint about z cannot feel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spin {
    /// `t = Jyy`: the body's own Jyy vanishes.
    Yy,
    /// `t = Jxx`: Jxx vanishes.
    Xx,
    /// `t = (Jxx + Jyy - Jzz) / 2`: the second moment along z vanishes.
    AlongZ,
}

impl Tree {
    /// Moves inertia towards the root, leaves first. Inertia that reaches the world affects no
    /// motion and is stored separately.
    pub(super) fn regroup(&mut self) {
        for i in (0..self.bodies.len()).rev() {
            let Some(spin) = self.rewrite.bodies[i].share else { continue };
            let kind = self.bodies[i].kind;
            let lane = &mut self.bodies[i].lanes[0];
            let Inertia { mass, h, j } = lane.inertia;
            let t = match spin {
                Spin::Yy => j[(1, 1)],
                Spin::Xx => j[(0, 0)],
                Spin::AlongZ => (j[(0, 0)] + j[(1, 1)] - j[(2, 2)]) / 2.0,
            };
            let about_z = Matrix3::from_diagonal(&Vector3::new(t, t, 0.0));
            let moves = match kind {
                JointKind::Revolute | JointKind::Continuous => {
                    Inertia { mass, h: Vector3::new(0.0, 0.0, h.z), j: about_z }
                }
                JointKind::Prismatic => Inertia { mass: 0.0, h: Vector3::zeros(), j },
                JointKind::Planar => Inertia { mass: 0.0, h: Vector3::zeros(), j: about_z },
                JointKind::Spherical => Inertia { mass, h: Vector3::zeros(), j: Matrix3::zeros() },
                JointKind::Floating => continue,
            };
            let terms = magnitudes(&moves);
            lane.terms = plus(&lane.terms, &terms);
            lane.inertia = rounding::inertia(&minus(&lane.inertia, &moves), &lane.terms);
            let placement = lane.placement;
            if let Some(parent) = self.bodies[i].parent() {
                let lane = &mut self.bodies[parent].lanes[0];
                lane.terms = plus(&lane.terms, &terms_moved(&terms, &placement));
                let sum = plus(&lane.inertia, &inertia_moved(&moves, &placement));
                lane.inertia = rounding::inertia(&sum, &lane.terms);
            } else {
                self.bodies[i].lanes[0].unfelt = moves;
            }
        }
    }
}

fn plus(a: &Inertia<f64>, b: &Inertia<f64>) -> Inertia<f64> {
    Inertia { mass: a.mass + b.mass, h: a.h + b.h, j: a.j + b.j }
}

/// `a - b`. Equal numbers give exactly zero.
fn minus(a: &Inertia<f64>, b: &Inertia<f64>) -> Inertia<f64> {
    Inertia { mass: a.mass - b.mass, h: a.h - b.h, j: a.j - b.j }
}
