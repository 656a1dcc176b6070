//! Columns of forward dynamics' derivatives that need no product with M^-1.
//!
//! Along the translations of a root joint, gravity and its velocity crossed with itself act like
//! accelerations. Inverse dynamics changes there by columns of M itself, `M[:, lin] r`, and
//! `M^-1 M[:, lin] r` is r.
//!
//! Nine of a floating base's twelve columns therefore need no product. Nothing depends on its
//! position, turning it only turns gravity, and its linear velocity enters only as `w x v`. Other
//! root joints gain in part: an arm that rotates about the vertical does not feel its angle.

use super::ExprMatrix;
use super::robot::{Coordinates, SymbolicRobot};
use crate::algebra::{Motion, Vec3};
use rbd_ir::graph::Expr;
use std::collections::BTreeMap;

/// By column, the nonzero entries: row and value.
#[derive(Default)]
pub struct RootColumns<'g>(BTreeMap<usize, Vec<(usize, Expr<'g>)>>);

impl<'g> RootColumns<'g> {
    /// Columns of `ddq_dq` and of `ddq_dv`.
    pub fn of(robot: &SymbolicRobot<'g>, v: &Coordinates<'g>) -> (Self, Self) {
        let (mut dq, mut dv) = (Self::default(), Self::default());
        for i in robot.outward() {
            let body = &robot.bodies[i];
            if !robot.is_root(i) || !robot.tree.owns_coordinates(i) {
                continue;
            }
            let world = Motion { lin: robot.minus_gravity(), ang: Vec3::ZERO };
            let a_parent = body.transform.motion_to_child(world);
            let vi = body.joint_motion(v.of(i));
            for (k, s) in body.columns.iter().enumerate() {
                // The rates of IDSVA where the parent rests (docs/math.md#root-columns).
                dq.add(robot, (i, k), a_parent.cross(*s));
                // Angular columns also enter by B, and damping acts directly.
                if s.ang.is_zero() && !body.resists() {
                    dv.add(robot, (i, k), vi.cross(*s));
                }
            }
        }
        (dq, dv)
    }

    /// Takes the `k`-th column of root body `i`, where inverse dynamics changes like by the
    /// acceleration `rate`, if the joint can accelerate so.
    fn add(&mut self, robot: &SymbolicRobot<'g>, (i, k): (usize, usize), rate: Motion<'g>) {
        let body = &robot.bodies[i];
        let along = |axis: usize| body.columns.iter().position(|s| s.lin[axis].is_one());
        let felt: Vec<usize> = (0..3).filter(|&axis| !rate.lin[axis].is_zero()).collect();
        // A rotor's inertia is of the joint's own acceleration alone.
        let possible = rate.ang.is_zero()
            && felt.iter().all(|&axis| along(axis).is_some())
            && (felt.is_empty() || body.armature.is_zero());
        if !possible {
            return;
        }
        for (lane, l) in robot.tree.bodies[i].lanes.iter().enumerate() {
            let entry = |&axis: &usize| Some((l.idx_v + along(axis)?, -rate.lin[axis].lane(lane)));
            self.0.insert(l.idx_v + k, felt.iter().filter_map(entry).collect());
        }
    }

    /// Indices of the columns.
    pub fn places(&self) -> Vec<usize> {
        self.0.keys().copied().collect()
    }

    /// The columns, each with its nonzero entries.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &[(usize, Expr<'g>)])> {
        self.0.iter().map(|(column, entries)| (*column, &entries[..]))
    }

    /// Overwrites these columns of a matrix.
    pub fn replace_in(&self, matrix: &mut ExprMatrix<'g>) {
        for (&column, entries) in &self.0 {
            for row in 0..matrix.rows() {
                matrix[(row, column)] = Expr::ZERO;
            }
            for &(row, x) in entries {
                matrix[(row, column)] = x;
            }
        }
    }
}
