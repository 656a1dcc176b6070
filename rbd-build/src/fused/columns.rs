//! Quantities from matrices that a fused function also computes, such as the Jacobian times the
//! velocity (docs/math.md#fused-functions). Without the fused matrix, each quantity's own algorithm
//! is cheaper.

use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::{Draft, ExprMatrix, center_of_mass, centroidal, crba, energy, frames, rnea};
use crate::signatures::quantities::{COM_JACOBIAN, COM_VELOCITY, KINETIC_ENERGY, MOMENTUM, VELOCITY};
use crate::signatures::signature::{A, TAU, V};
use crate::table::functions::Function;
use rbd_ir::graph::Expr;
use rbd_ir::kernel::ArrayId;

/// Functions whose results must be available to compute this one from them; none if that is
/// impossible.
pub fn needed(function: Function) -> &'static [Function] {
    match function {
        Function::FrameVelocity => &[Function::FrameJacobian],
        Function::CenterOfMassVelocity | Function::Gravity => &[Function::CenterOfMassJacobian],
        Function::CenterOfMassJacobian | Function::CentroidalMomentum => {
            &[Function::CentroidalMomentumMatrix]
        }
        Function::KineticEnergy => &[Function::Crba],
        Function::Rnea => &[Function::Crba, Function::Bias],
        _ => &[],
    }
}

/// Computes it so.
pub fn trace<'g>(function: Function, robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    match function {
        Function::FrameVelocity => {
            let v = draft.param(V);
            let j = frames::jacobian_of(&frames::Frame::of(robot, draft));
            draft.give(VELOCITY, times(robot, &j, v));
        }
        Function::CenterOfMassVelocity => {
            let v = draft.param(V);
            let j = com_jacobian(robot, draft);
            draft.give(COM_VELOCITY, times(robot, &j, v));
        }
        Function::CentroidalMomentum => {
            let v = draft.param(V);
            draft.give(MOMENTUM, times(robot, &centroidal::matrix_of(robot), v));
        }
        Function::CenterOfMassJacobian => {
            let j = com_jacobian(robot, draft);
            draft.give(COM_JACOBIAN, j);
        }
        Function::Gravity => {
            let (j, mass, minus_gravity) = (com_jacobian(robot, draft), robot.mass(), robot.minus_gravity());
            let mut tau = ExprMatrix::zeros(j.columns(), 1);
            for column in 0..j.columns() {
                let torque = |row: usize| j[(row, column)] * (minus_gravity[row] * mass);
                tau[(column, 0)] = (0..3).map(torque).sum();
            }
            draft.give(TAU, tau);
        }
        Function::KineticEnergy => {
            let v = draft.param(V);
            let momentum = times(robot, &crba::crba(robot), v);
            let of_row = |k: usize| robot.graph.input(v.0, k) * momentum[(k, 0)];
            let twice: Expr = (0..momentum.rows()).map(of_row).sum();
            draft.give(KINETIC_ENERGY, energy::number(twice * Expr::constant(0.5)));
        }
        Function::Rnea => {
            let (v, a) = (draft.param(V), draft.param(A));
            let of_a = times(robot, &crba::crba(robot), a);
            let v = robot.coordinates(v);
            let bias = rnea::newton_euler(robot, rnea::Terms { v: Some(&v), a: None, fext: None });
            let mut tau = robot.collect(&bias);
            (0..tau.rows()).for_each(|k| tau[(k, 0)] += of_a[(k, 0)]);
            draft.give(TAU, tau);
        }
        other => unreachable!("`{}` has an algorithm of its own alone", other.name()),
    }
}

/// The Jacobian of the centre of mass as it was computed: by its own algorithm or from the momentum
/// matrix, since the linear momentum is the mass times the velocity of the centre of mass.
fn com_jacobian<'g>(robot: &SymbolicRobot<'g>, draft: &Draft<'g>) -> ExprMatrix<'g> {
    if !draft.by_momentum {
        return center_of_mass::jacobian_of(robot);
    }
    let (momentum, component) = (centroidal::matrix_of(robot), robot.mass().recip());
    let mut j = ExprMatrix::zeros(3, momentum.columns());
    for column in 0..j.columns() {
        (0..3).for_each(|row| j[(row, column)] = momentum[(row, column)] * component);
    }
    j
}

/// A matrix times an input.
fn times<'g>(robot: &SymbolicRobot<'g>, matrix: &ExprMatrix<'g>, x: ArrayId) -> ExprMatrix<'g> {
    let mut out = ExprMatrix::zeros(matrix.rows(), 1);
    for row in 0..matrix.rows() {
        let term = |k: usize| matrix[(row, k)] * robot.graph.input(x.0, k);
        out[(row, 0)] = (0..matrix.columns()).map(term).sum();
    }
    out
}
