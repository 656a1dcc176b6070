//! Costs of the loops over tables, by which a target weighs them against straight lines.

use super::{solved_derivatives, solved_inverse, windows};
use rbd_ir::graph::OperationCount;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::{LANES, WORLD};

/// Cost of loops over tables, in operations of straight-line code that runs from the cache.
///
/// The costs for Rust are calibrated on the two processors of docs/shapes.md, by published arms,
/// legs and chains. `rbd-build/tests/shapes.rs` holds the choice to the rows of that page, some of
/// which were kept out of the fit.
#[derive(Clone, Copy, Debug)]
pub struct LoopCosts {
    /// A call of the mass matrix, or of tensors.
    pub per_call: usize,
    /// Eight rows.
    pub per_register: usize,
    /// A row of the register, if it has to wait for the row before.
    pub per_row: usize,
    /// First derivatives of torques: a call, and a row.
    pub derivatives: [usize; 2],
    /// First derivatives of accelerations, beside products: two thirds of a call, and of a row.
    pub forward: [usize; 2],
    /// Factor for first derivatives of robots with mimic joints, whose results are added up number
    /// by number.
    pub merged: usize,
    /// A register of rows above a column.
    pub above: usize,
    /// A register of rows below a column.
    pub below: usize,
    /// A register of results that is written.
    pub per_store: usize,
    /// Torques alone: a call, eight rows, and a row.
    pub torques: [usize; 3],
    /// Accelerations alone: cost of a call, of a register, of a row.
    pub accelerations: [usize; 3],
    /// A row of eight columns that are solved for: inward, and outward.
    pub per_solved: [usize; 2],
    /// The Hessian of weighted torques, in tenths of their derivatives.
    pub hessian_tenths: usize,
    /// Tensors of torques: a register of rows, of a pair of degrees of freedom on one path. It is
    /// asked for where tensors can be had without loops, too.
    pub per_pair: usize,
}

impl LoopCosts {
    /// Mass matrix: without velocities and forces, and with a third of the results. The rest waits
    /// more.
    pub(crate) fn mass_matrix(&self, robot: &Owned) -> usize {
        let (above, below) = windows(robot);
        let rows = robot.rows();
        let stores = robot.topology().windows.len() * rows;
        let all = self.per_call
            + rows.div_ceil(LANES) * self.per_register / 3
            + rows * self.per_row / 2
            + (above * self.above + below * self.below + stores * self.per_store) / 3;
        all * 7 / 5
    }

    pub(crate) fn vector(robot: &Owned, [per_call, per_register, per_row]: [usize; 3]) -> usize {
        per_call + robot.rows().div_ceil(LANES) * per_register + robot.rows() * per_row
    }

    /// The Hessian of weighted torques: a second pass over bodies and twice the pairs' work, but
    /// half of the results.
    pub(crate) fn hessian(&self, robot: &Owned) -> usize {
        self.derivatives(robot) * self.hessian_tenths / 10
    }

    /// Operations of the Hessian's loops, as [`routines::count_of`] gives for calls.
    pub(crate) fn count_of_hessian(&self, robot: &Owned) -> OperationCount {
        let (_, below) = windows(robot);
        let fused = 48 * LANES * below + 900 * robot.rows();
        OperationCount { adds: fused, muls: fused, ..OperationCount::default() }
    }

    /// All second derivatives of torques.
    pub(crate) fn tensors(&self, robot: &Owned) -> usize {
        self.passes(robot, [self.per_call, self.per_row]) + registers_of_pairs(robot) * self.per_pair
    }

    /// Arithmetic of all second derivatives of torques.
    pub(crate) fn count_of_tensors(&self, robot: &Owned) -> OperationCount {
        let fused = 48 * LANES * registers_of_pairs(robot) + 900 * robot.rows();
        OperationCount { adds: fused, muls: fused, ..OperationCount::default() }
    }

    pub(crate) fn derivatives(&self, robot: &Owned) -> usize {
        self.passes(robot, self.derivatives) * self.merging(robot)
    }

    /// Derivatives of accelerations without products. Quantities that do not depend on
    /// accelerations are computed once.
    pub(crate) fn forward_derivatives(&self, robot: &Owned) -> usize {
        self.passes(robot, self.forward) * self.merging(robot) * 3 / 2
    }

    /// The inverse by articulated bodies.
    pub(crate) fn solved_inverse(&self, robot: &Owned) -> usize {
        Self::vector(robot, self.accelerations) + self.solved(solved_inverse(robot))
    }

    /// Derivatives of accelerations, whose columns are solved for.
    pub(crate) fn solved_derivatives(&self, robot: &Owned) -> usize {
        Self::vector(robot, self.accelerations)
            + self.passes(robot, self.derivatives)
            + self.solved(solved_derivatives(robot))
    }

    fn solved(&self, [inward, outward]: [usize; 2]) -> usize {
        let [by_inward, by_outward] = self.per_solved;
        inward * by_inward + outward * by_outward
    }

    fn merging(&self, robot: &Owned) -> usize {
        if robot.topology().merges() { self.merged } else { 1 }
    }

    /// Passes over the bodies, and pairs of rows and columns that are written.
    fn passes(&self, robot: &Owned, [per_call, per_row]: [usize; 2]) -> usize {
        let (above, below) = windows(robot);
        let rows = robot.rows();
        let stores = robot.topology().windows.len() * rows;
        per_call
            + rows.div_ceil(LANES) * self.per_register
            + rows * per_row
            + above * self.above
            + below * self.below
            + stores * self.per_store
    }
}

/// Registers of the tensors: for each row, the registers of rows on a path with it, times the rows
/// of that path.
fn registers_of_pairs(robot: &Owned) -> usize {
    let topology = robot.topology();
    let mut above = vec![0; robot.rows()];
    let mut all = 0;
    for joint in topology.joints {
        let (first, count) = (usize::from(joint.first), joint.kind.nv());
        let before = if joint.parent == WORLD { 0 } else { above[usize::from(joint.parent)] + 1 };
        let below = usize::from(topology.end[first]).saturating_sub(first);
        all += count * (before + count) * (before + below).div_ceil(LANES);
        for (k, row) in above[first..first + count].iter_mut().enumerate() {
            *row = before + k;
        }
    }
    all
}
