//! All contacts' rows with factors `M = L^T D L`, however these are made (docs/math.md#contacts).

use super::contact_rows::{SideBySide, rows};
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix};
use crate::algebra::Motion;
use crate::signatures::contact_rows::{ContactRow, FREE_ROWS, PATHS, ROW_VELOCITY};
use rbd_ir::graph::Expr;

/// A column of a body, a column of `L^-T J^T` there, and that column's entry of `D^-1 L^-T (tau - b)`.
pub type Visit<'a, 'g> = &'a mut dyn FnMut((usize, usize), &Motion<'g>, Expr<'g>);

/// Contact rows that the kernel of the factors computes.
pub struct RowsByFactors<'g> {
    /// `J L^-1`.
    paths: ExprMatrix<'g>,
    velocities: ExprMatrix<'g>,
    /// Accelerations without forces of contacts.
    free: ExprMatrix<'g>,
}

impl<'g> RowsByFactors<'g> {
    /// The rows; `each_column` visits the columns on the way to contacts that are side by side.
    pub fn new(
        robot: &SymbolicRobot<'g>,
        contacts: &[ContactRow],
        v: &Coordinates<'g>,
        each_column: impl Fn(&SideBySide<'_, 'g>, Visit<'_, 'g>),
    ) -> Self {
        let n = rows(contacts);
        let mut paths = ExprMatrix::zeros(n, robot.tree.nv);
        let [mut velocities, mut free] = [0; 2].map(|_| ExprMatrix::zeros(n, 1));
        for side in SideBySide::all(robot, contacts) {
            let [velocity, mut accelerations] = side.motion(v);
            side.each_row(&velocity, |row, x| velocities[(row, 0)] = x);
            each_column(&side, &mut |at, column, scaled| {
                accelerations += *column * scaled;
                side.each_joint(at, column, |row, joint, x| paths[(row, joint.idx_v + at.1)] = x);
            });
            side.each_row(&accelerations, |row, x| free[(row, 0)] = x);
        }
        Self { paths, velocities, free }
    }

    /// Gives the contact rows as results of the draft.
    pub fn give(self, draft: &mut Draft<'g>) {
        draft.give(PATHS, self.paths);
        draft.give(ROW_VELOCITY, self.velocities);
        draft.give(FREE_ROWS, self.free);
    }
}
