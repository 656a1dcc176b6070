//! The factored mass matrix.
//!
//! If every joint has its own coordinates, it is factored by rows. If joints share coordinates, it
//! is factored over the degrees of freedom: the tree's sparsity is lost then, and limbs cannot be
//! lanes.

pub mod ltl;
pub mod ltl_simd;

use super::robot::{Coordinates, SymbolicRobot};
use super::{ExprMatrix, crba};
use ltl::Ltl;
use ltl_simd::{PackedLtl, Rows, mass_matrix};
use rbd_ir::kernel::ArrayId;

/// `M = L^T D L`.
pub enum MassFactors<'g> {
    /// One row a column of a body.
    Rows(PackedLtl<'g>),
    /// One row a degree of freedom.
    Dofs(Ltl<'g>),
}

impl<'g> MassFactors<'g> {
    /// The factors of this robot's mass matrix.
    pub fn new(robot: &SymbolicRobot<'g>) -> Self {
        if robot.tree.has_mimic {
            return Self::Dofs(Ltl::new(&crba::crba(robot)));
        }
        let rows = Rows::new(robot);
        let m = mass_matrix(robot, &rows);
        Self::Rows(PackedLtl::new(robot, rows, &m))
    }

    /// `M^-1 (tau - bias)` over the degrees of freedom.
    pub fn accelerations(
        &self,
        robot: &SymbolicRobot<'g>,
        tau: ArrayId,
        bias: &Coordinates<'g>,
    ) -> ExprMatrix<'g> {
        let ddq = self.acceleration_coordinates(robot, tau, bias);
        match self {
            Self::Rows(_) => robot.collect(&ddq),
            Self::Dofs(_) => self.drive(robot, tau, bias, |ltl, drive| ltl.solve(drive)),
        }
    }

    /// Accelerations as [`Coordinates`] of the bodies.
    pub fn acceleration_coordinates(
        &self,
        robot: &SymbolicRobot<'g>,
        tau: ArrayId,
        bias: &Coordinates<'g>,
    ) -> Coordinates<'g> {
        match self {
            Self::Rows(ltl) => {
                let (tau, bias) = (ltl.rows().vector(&robot.coordinates(tau)), ltl.rows().vector(bias));
                let drive: Vec<_> = tau.into_iter().zip(bias).map(|(tau, bias)| tau - bias).collect();
                ltl.rows().coordinates(&ltl.solve(robot, &drive))
            }
            Self::Dofs(_) => {
                let ddq = self.drive(robot, tau, bias, |ltl, drive| ltl.solve(drive));
                robot.spread(&|k| ddq[(k, 0)])
            }
        }
    }

    fn drive(
        &self,
        robot: &SymbolicRobot<'g>,
        tau: ArrayId,
        bias: &Coordinates<'g>,
        solve: impl FnOnce(&Ltl<'g>, &ExprMatrix<'g>) -> ExprMatrix<'g>,
    ) -> ExprMatrix<'g> {
        let Self::Dofs(ltl) = self else { unreachable!("by rows otherwise") };
        let mut drive = robot.collect(bias).map(|x| -x);
        for k in 0..robot.tree.nv {
            drive[(k, 0)] += robot.graph.input(tau.0, k);
        }
        solve(ltl, &drive)
    }

    /// `M^-1 b`, column by column.
    pub fn solve(&self, robot: &SymbolicRobot<'g>, b: &ExprMatrix<'g>) -> ExprMatrix<'g> {
        match self {
            Self::Dofs(ltl) => ltl.solve(b),
            Self::Rows(ltl) => {
                let mut out = ExprMatrix::zeros(b.rows(), b.columns());
                for j in 0..b.columns() {
                    let x = ltl.solve(robot, &ltl.rows().gather(robot, &b.column(j)));
                    let x = robot.collect(&ltl.rows().coordinates(&x));
                    for i in 0..b.rows() {
                        out[(i, j)] = x[(i, 0)];
                    }
                }
                out
            }
        }
    }

    /// `M^-1` over the degrees of freedom.
    pub fn inverse(&self, robot: &SymbolicRobot<'g>) -> ExprMatrix<'g> {
        match self {
            Self::Rows(ltl) => ltl.inverse(robot),
            Self::Dofs(ltl) => ltl.inverse(),
        }
    }

    /// `G = L^-1`, as sparse as M's lower triangle, and the diagonal of `D^-1` over the degrees of freedom:
    /// `M^-1 = G D^-1 G^T`.
    pub fn factors_of_inverse(&self, robot: &SymbolicRobot<'g>) -> (ExprMatrix<'g>, ExprMatrix<'g>) {
        match self {
            Self::Rows(ltl) => ltl.factors_of_inverse(robot),
            Self::Dofs(ltl) => ltl.factors_of_inverse(),
        }
    }
}
