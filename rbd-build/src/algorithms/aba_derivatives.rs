//! Derivatives of forward dynamics: `-M^-1` times those of inverse dynamics at the consistent
//! acceleration (docs/math.md#derivatives-of-forward-dynamics), in one graph or in two.

use super::dense::minus_product;
use super::factors::MassFactors;
use super::joints::{Coordinates, Input, Robot};
use super::rnea::Gyroscopic;
use super::rnea_derivatives::{RneaDerivatives, rnea_derivatives};
use super::root_columns::RootColumns;
use super::{Array, rnea};
use crate::function::{Formulation, Outputs};
use crate::graph::Expr;
use crate::products::{DIAGONAL, Product, ProductKind, SCRATCH, Support};
use crate::tree::Place;

/// ddq, its derivatives by q and v, and M^-1.
pub fn aba_derivatives<'g>(
    robot: &Robot<'g>,
    v: Input,
    tau: Input,
    fext: Option<Input>,
    formulation: Formulation,
) -> (Outputs<'g>, Vec<Product>) {
    let v = robot.coordinates(v);
    let factors = MassFactors::new(robot);
    if formulation == Formulation::Stages {
        let bias = rnea::newton_euler(robot, rnea::Terms { v: Some(&v), a: None, fext });
        let ddq = factors.accelerations(robot, tau, &bias);
        let (mut outputs, products) = looped_inverse(robot, &factors, "ddq_dtau");
        outputs.push(("ddq", ddq));
        return (outputs, products);
    }
    // The bias in spatial form shares its velocities and forces with IDSVA.
    let bias = rnea::spatial(robot, rnea::Terms { v: Some(&v), a: None, fext }, Gyroscopic::Coriolis);
    let a = factors.acceleration_coordinates(robot, tau, &bias);
    let ddq = factors.accelerations(robot, tau, &bias);
    let d = rnea_derivatives(robot, &v, &a, fext);
    let minv = factors.inverse(robot);
    if formulation == Formulation::LoopedProduct {
        let (mut outputs, products) = looped_products(robot, &v, d);
        outputs.extend([("ddq", ddq), ("ddq_dtau", minv)]);
        return (outputs, products);
    }
    let (mut ddq_dq, mut ddq_dv) = if formulation == Formulation::Solve {
        let solve = |d: &Array<'g>| factors.solve(robot, d).map(|x: Expr| -x);
        (solve(&d.dtau_dq), solve(&d.dtau_dv))
    } else {
        (minus_product(&minv, &d.dtau_dq), minus_product(&minv, &d.dtau_dv))
    };
    let (known_dq, known_dv) = RootColumns::of(robot, &v);
    known_dq.replace_in(&mut ddq_dq);
    known_dv.replace_in(&mut ddq_dv);
    (vec![("ddq", ddq), ("ddq_dq", ddq_dq), ("ddq_dv", ddq_dv), ("ddq_dtau", minv)], Vec::new())
}

/// The factors of M^-1, and their product by loops.
pub fn looped_inverse<'g>(
    robot: &Robot<'g>,
    factors: &MassFactors<'g>,
    result: &'static str,
) -> (Outputs<'g>, Vec<Product>) {
    let (g, d_inv) = factors.factors_of_inverse(robot);
    let n = robot.tree.nv;
    // Joints that share a coordinate fill in what the tree leaves empty.
    let lower = if robot.tree.has_mimic { Support::new(n, |r, c| c <= r) } else { relatives(robot).lower() };
    let product = Product::new((SCRATCH, &lower), (DIAGONAL, &lower.transpose()), result, ProductKind::Gram);
    (vec![(SCRATCH, g), (DIAGONAL, d_inv)], vec![product])
}

/// The derivatives of inverse dynamics, and `-M^-1` times each by loops, where M^-1 is there already.
pub fn looped_products<'g>(
    robot: &Robot<'g>,
    v: &Coordinates<'g>,
    mut d: RneaDerivatives<'g>,
) -> (Outputs<'g>, Vec<Product>) {
    let relatives = relatives(robot);
    let (known_dq, known_dv) = RootColumns::of(robot, v);
    // Products are made in place: what is known of the result may stand there already.
    known_dq.replace_in(&mut d.dtau_dq);
    known_dv.replace_in(&mut d.dtau_dv);
    let product = |x, result, known: RootColumns| {
        Product::new(("ddq_dtau", &relatives.inverse()), (x, &relatives), result, ProductKind::Negative)
            .without_columns(&known.places())
    };
    let products = vec![product("dtau_dq", "ddq_dq", known_dq), product("dtau_dv", "ddq_dv", known_dv)];
    (vec![("dtau_dq", d.dtau_dq), ("dtau_dv", d.dtau_dv)], products)
}

/// Which degrees of freedom lie on one path: where M, and the derivatives of inverse dynamics, may differ from zero.
fn relatives(robot: &Robot<'_>) -> Support {
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
