//! Derivatives of forward dynamics: `-M^-1` times the derivatives of inverse dynamics at the
//! resulting acceleration (docs/math.md#derivatives-of-forward-dynamics), in one graph or in two.

use super::mass_matrix::MassFactors;
use super::mass_matrix::ltl::minus_product;
use super::rnea::Gyroscopic;
use super::rnea_derivatives::{RneaDerivatives, rnea_derivatives};
use super::robot::{Coordinates, SymbolicRobot};
use super::root_columns::RootColumns;
use super::{Draft, ExprMatrix, rnea};
use crate::algorithms::strategy::ProductBy;
use crate::signatures::signature::{
    A, DDQ, DDQ_DQ, DDQ_DTAU, DDQ_DV, DTAU_DQ, DTAU_DV, FEXT, MINV, Output, TAU_GIVEN, V,
};
use crate::tree::Place;
use rbd_ir::graph::Expr;
use rbd_ir::kernel::ArrayId;
use rbd_ir::products::{Product, Support};

/// Accelerations, their derivatives by q and v, and M^-1.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    match (draft.strategy.stages, draft.stage) {
        (1, _) => in_one_stage(robot, draft),
        (_, 0) => accelerations_and_inverse(robot, draft),
        _ => derivatives_of_known_accelerations(robot, draft),
    }
}

/// M^-1 alone.
pub fn trace_inverse<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    give_inverse(robot, &MassFactors::new(robot), draft);
}

/// Gives M^-1 by these factors of M.
pub(super) fn give_inverse<'g>(robot: &SymbolicRobot<'g>, factors: &MassFactors<'g>, draft: &mut Draft<'g>) {
    match draft.strategy.product {
        ProductBy::Loops => {
            let factors = Factors::keep(robot, draft, factors, None);
            factors.multiply(draft, MINV);
        }
        _ => {
            draft.give(MINV, factors.inverse(robot));
        }
    }
}

fn in_one_stage<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (v, tau, fext) = (draft.param(V), draft.param(TAU_GIVEN), draft.optional(FEXT));
    let v = robot.coordinates(v);
    let factors = MassFactors::new(robot);
    // The bias in spatial form shares its velocities and forces with IDSVA.
    let bias = rnea::spatial(robot, rnea::Terms { v: Some(&v), a: None, fext }, Gyroscopic::Coriolis);
    let a = factors.acceleration_coordinates(robot, tau, &bias);
    let ddq = factors.accelerations(robot, tau, &bias);
    let d = rnea_derivatives(robot, &v, &a, |i| fext.map(|array| robot.external_force(i, array)));
    let minv = factors.inverse(robot);
    if draft.strategy.product == ProductBy::Loops {
        let sides = RightHandSides::give(robot, draft, &v, d);
        draft.give(DDQ, ddq);
        let minv = draft.give(DDQ_DTAU, minv);
        sides.multiply(robot, draft, minv);
        return;
    }
    let (mut ddq_dq, mut ddq_dv) = if draft.strategy.product == ProductBy::Solve {
        let solve = |d: &ExprMatrix<'g>| factors.solve(robot, d).map(|x: Expr| -x);
        (solve(&d.dtau_dq), solve(&d.dtau_dv))
    } else {
        (minus_product(&minv, &d.dtau_dq), minus_product(&minv, &d.dtau_dv))
    };
    let (known_dq, known_dv) = RootColumns::of(robot, &v);
    known_dq.replace_in(&mut ddq_dq);
    known_dv.replace_in(&mut ddq_dv);
    draft.give(DDQ, ddq);
    draft.give(DDQ_DQ, ddq_dq);
    draft.give(DDQ_DV, ddq_dv);
    draft.give(DDQ_DTAU, minv);
}

fn accelerations_and_inverse<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (v, tau, fext) = (draft.param(V), draft.param(TAU_GIVEN), draft.optional(FEXT));
    let v = robot.coordinates(v);
    let factors = MassFactors::new(robot);
    let bias = rnea::newton_euler(robot, rnea::Terms { v: Some(&v), a: None, fext });
    let ddq = factors.accelerations(robot, tau, &bias);
    // The next stage writes this derivative. Until then its memory holds the factor.
    let factors = Factors::keep(robot, draft, &factors, Some(DDQ_DQ));
    draft.give(DDQ, ddq);
    factors.multiply(draft, DDQ_DTAU);
}

fn derivatives_of_known_accelerations<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (v, a, fext) = (draft.param(V), draft.earlier(A.name, DDQ), draft.optional(FEXT));
    let minv = draft.earlier(DDQ_DTAU.name, DDQ_DTAU);
    let v = robot.coordinates(v);
    let force_on = |i| fext.map(|array| robot.external_force(i, array));
    let d = rnea_derivatives(robot, &v, &robot.coordinates(a), force_on);
    RightHandSides::give(robot, draft, &v, d).multiply(robot, draft, minv);
}

/// Factors of M^-1, stored for a product by loops.
struct Factors {
    g: (ArrayId, Support),
    d: ArrayId,
}

impl Factors {
    /// G is as large as a result, so it may use that result's memory.
    fn keep<'g>(
        robot: &SymbolicRobot<'g>,
        draft: &mut Draft<'g>,
        factors: &MassFactors<'g>,
        lent: Option<Output>,
    ) -> Self {
        let (g, d_inv) = factors.factors_of_inverse(robot);
        let n = robot.tree.nv;
        // Joints that share a coordinate fill entries that the tree leaves empty.
        let lower =
            if robot.tree.has_mimic { Support::new(n, |r, c| c <= r) } else { relatives(robot).lower() };
        Self { g: (draft.keep("g", lent, g), lower), d: draft.keep("d", None, d_inv) }
    }

    fn multiply(self, draft: &mut Draft<'_>, result: Output) {
        let out = draft.make(result.name, result);
        let (g, lower) = self.g;
        draft.products.push(Product::gram((g, &lower), self.d, out));
    }
}

/// Derivatives of inverse dynamics, stored in the place of the results, and the results' known
/// columns.
struct RightHandSides([(ArrayId, Vec<usize>); 2]);

impl RightHandSides {
    fn give<'g>(
        robot: &SymbolicRobot<'g>,
        draft: &mut Draft<'g>,
        v: &Coordinates<'g>,
        mut d: RneaDerivatives<'g>,
    ) -> Self {
        let (known_dq, known_dv) = RootColumns::of(robot, v);
        // Products are in place, so known columns of the result may be stored already.
        known_dq.replace_in(&mut d.dtau_dq);
        known_dv.replace_in(&mut d.dtau_dv);
        Self([
            (draft.give_named(DTAU_DQ.name, DDQ_DQ, d.dtau_dq), known_dq.places()),
            (draft.give_named(DTAU_DV.name, DDQ_DV, d.dtau_dv), known_dv.places()),
        ])
    }

    /// `-M^-1` times each, by loops.
    fn multiply<'g>(self, robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>, minv: ArrayId) {
        let relatives = relatives(robot);
        for (side, known) in self.0 {
            let product = Product::negative((minv, &relatives.inverse()), (side, &relatives));
            draft.products.push(product.without_columns(&known));
        }
    }
}

/// Pairs of degrees of freedom on one path: the entries where M and the derivatives of inverse
/// dynamics may be nonzero.
fn relatives(robot: &SymbolicRobot<'_>) -> Support {
    let n = robot.tree.nv;
    let mut related = vec![false; n * n];
    for i in robot.outward() {
        for (lane, l) in robot.tree.bodies[i].lanes.iter().enumerate() {
            for place in robot.tree.path(Place { body: i, lane }) {
                let ancestor = &robot.tree.bodies[place.body].lanes[place.lane];
                for row in 0..robot.bodies[i].columns.len() {
                    for column in 0..robot.bodies[place.body].columns.len() {
                        let (row, column) = (l.idx_v + row, ancestor.idx_v + column);
                        related[row * n + column] = true;
                        related[column * n + row] = true;
                    }
                }
            }
        }
    }
    Support::new(n, |r, c| related[r * n + c])
}
