//! Factors of the mass matrix with the rows of all contacts: forward dynamics under contacts without the
//! inverse of the mass matrix (docs/math.md#contacts).
//!
//! With `M = L^T D L` and `Y = L^-T J^T`, which is as sparse as `J^T`: the Delassus matrix is `Y^T D^-1 Y`,
//! accelerations without contacts are `L^-1 D^-1 y` with `y = L^-T (tau - b)`, and those of the rows are
//! `Y^T D^-1 y`. Forces f make `y + Y f` of y.

use super::aba_derivatives::give_inverse;
use super::contact_rows::SideBySide;
use super::mass_matrix::MassFactors;
use super::mass_matrix::ltl_simd::{PackedLtl, Rows, mass_matrix};
use super::robot::SymbolicRobot;
use super::rows_by_factors::RowsByFactors;
use super::{Draft, ExprMatrix, rnea};
use crate::algebra::Motion;
use crate::signatures::contact_rows::{ContactRow, PIVOTS, REDUCED_TORQUES, UNIT_FACTORS};
use crate::signatures::signature::{DDQ, TAU_GIVEN, V};
use rbd_ir::graph::Expr;
use rbd_ir::kernel::ArrayId;
use std::collections::BTreeMap;

/// Factors, and rows of all contacts: their velocities, and their accelerations without forces.
pub fn factors<'g>(robot: &SymbolicRobot<'g>, contacts: &[ContactRow], draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let tau = robot.coordinates(draft.param(TAU_GIVEN));
    let bias = rnea::newton_euler(robot, rnea::Terms { v: Some(&v), a: None, fext: None });
    let rows = Rows::new(robot);
    let m = mass_matrix(robot, &rows);
    let ltl = PackedLtl::new(robot, rows, &m);
    let drive: Vec<Expr> = {
        let (tau, bias) = (ltl.rows().vector(&tau), ltl.rows().vector(&bias));
        tau.into_iter().zip(bias).map(|(tau, bias)| tau - bias).collect()
    };
    let y = ltl.solve_inward(robot, &drive);
    let scaled: Vec<Expr> = y.iter().zip(ltl.d_inv()).map(|(y, d_inv)| *y * *d_inv).collect();

    let of_contacts = RowsByFactors::new(robot, contacts, &v, |side, visit| {
        for (at, row, column) in &solved_inward(&ltl, side) {
            visit(*at, column, scaled[*row]);
        }
    });

    let mut unit_factors = ExprMatrix::zeros(draft.sizes().nf, 1);
    for (at, (k, i, lane)) in entries(ltl.rows()).enumerate() {
        unit_factors[(at, 0)] = ltl.entry(k, i).lane(lane);
    }
    let [mut pivots, mut reduced] = [0; 2].map(|_| ExprMatrix::zeros(robot.tree.nv, 1));
    for (k, (d_inv, y)) in ltl.d_inv().iter().zip(&y).enumerate() {
        for lane in 0..ltl.rows().lanes_of(k) {
            let dof = ltl.rows().dof(k, lane);
            (pivots[(dof, 0)], reduced[(dof, 0)]) = (d_inv.lane(lane), y.lane(lane));
        }
    }
    draft.give(UNIT_FACTORS, unit_factors);
    draft.give(PIVOTS, pivots);
    draft.give(REDUCED_TORQUES, reduced);
    of_contacts.give(draft);
}

/// Accelerations by the factors, from reduced torques.
pub fn accelerations<'g>(robot: &SymbolicRobot<'g>, _: &[ContactRow], draft: &mut Draft<'g>) {
    let ltl = given_factors(robot, draft);
    let reduced = draft.earlier(REDUCED_TORQUES.name, REDUCED_TORQUES);
    let y = of_rows(robot, ltl.rows(), reduced);
    let ddq = ltl.rows().coordinates(&ltl.solve_outward(robot, y));
    draft.give(DDQ, robot.collect(&ddq));
}

/// The inverse of the mass matrix by its factors.
pub fn inverse<'g>(robot: &SymbolicRobot<'g>, _: &[ContactRow], draft: &mut Draft<'g>) {
    let ltl = given_factors(robot, draft);
    give_inverse(robot, &MassFactors::Rows(ltl), draft);
}

/// The factors that [`factors`] made.
fn given_factors<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) -> PackedLtl<'g> {
    let [unit_factors, pivots] = [UNIT_FACTORS, PIVOTS].map(|output| draft.earlier(output.name, output));
    let (graph, rows) = (robot.graph, Rows::new(robot));
    let mut lanes: BTreeMap<(usize, usize), Vec<Expr>> = BTreeMap::new();
    for (at, (k, i, _)) in entries(&rows).enumerate() {
        lanes.entry((k, i)).or_default().push(graph.input(unit_factors.0, at));
    }
    let mut l = ExprMatrix::zeros(rows.count(), rows.count());
    for (at, lanes) in lanes {
        l[at] = graph.gather(&lanes);
    }
    let d_inv = of_rows(robot, &rows, pivots);
    PackedLtl::of_factors(rows, l, d_inv)
}

/// Numbers of the degrees of freedom, as rows of the factors have them.
fn of_rows<'g>(robot: &SymbolicRobot<'g>, rows: &Rows, array: ArrayId) -> Vec<Expr<'g>> {
    let of_row = |k: usize| -> Vec<Expr> {
        (0..rows.lanes_of(k)).map(|lane| robot.graph.input(array.0, rows.dof(k, lane))).collect()
    };
    (0..rows.count()).map(|k| robot.graph.gather(&of_row(k))).collect()
}

/// Number of entries of L below the diagonal, lane by lane.
pub fn entries_of_factors(robot: &SymbolicRobot<'_>) -> usize {
    entries(&Rows::new(robot)).count()
}

/// Entries of L below the diagonal: row, ancestor and lane. Lanes are next to one another.
fn entries(rows: &Rows) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    let of_row = move |k: usize| {
        let lanes = move |i: usize| (0..rows.lanes_of(k)).map(move |lane| (k, i, lane));
        rows.above(k).flat_map(lanes)
    };
    (0..rows.count()).flat_map(of_row)
}

/// Columns of `L^-T J^T` for the bodies on the way: body and column, row of the factors, and the column.
fn solved_inward<'g>(
    ltl: &PackedLtl<'g>,
    side: &SideBySide<'_, 'g>,
) -> Vec<((usize, usize), usize, Motion<'g>)> {
    let with_row = |(at, column): ((usize, usize), _)| (at, ltl.rows().index(at), column);
    let mut columns: Vec<_> = side.jacobian().into_iter().map(with_row).collect();
    for last in (1..columns.len()).rev() {
        let (before, from) = columns.split_at_mut(last);
        let (_, row, column) = from[0];
        for (_, other, to) in before {
            // Of a closed loop, some are on another path.
            if ltl.rows().is_above(row, *other) {
                *to = *to - column * ltl.entry(row, *other);
            }
        }
    }
    columns
}
