//! Derivatives of forward dynamics: `-M^-1` times those of inverse dynamics at the consistent
//! acceleration (000 equation 24; PAPERS 4), in one graph.

use super::dense::{Ltl, minus_product};
use super::joints::{Input, Robot};
use super::{Array, crba, rnea, rnea_derivatives::rnea_derivatives};
use crate::function::{Finish, Formulation};
use crate::graph::Expr;

/// ddq, its derivatives by q and v, and M^-1.
pub fn aba_derivatives<'g>(
    robot: &Robot<'g>,
    v: Input,
    tau: Input,
    fext: Option<Input>,
    formulation: Formulation,
) -> (Vec<(&'static str, Array<'g>)>, Finish) {
    let v = robot.coordinates(v);
    let m = crba::crba(robot);
    let factors = Ltl::new(&m);
    let minv = factors.inverse();
    // The bias in spatial form shares its velocities and forces with IDSVA.
    let bias = rnea::spatial(robot, rnea::Terms { v: Some(&v), a: None, fext });
    let mut drive = Array::zeros(robot.tree.nv, 1);
    for k in 0..robot.tree.nv {
        drive[(k, 0)] = robot.graph.input(tau.0, k) - bias[(k, 0)];
    }
    // M^-1 is there anyway; the product with it has no chain of dependent steps.
    let ddq = minus_product(&minv, &drive).map(|x: Expr| -x);
    let d = rnea_derivatives(robot, &v, &robot.spread(&|k| ddq[(k, 0)]), fext);
    let (ddq_dq, ddq_dv) = match formulation {
        Formulation::LoopedProduct => {
            let outputs =
                vec![("ddq", ddq), ("dtau_dq", d.dtau_dq), ("dtau_dv", d.dtau_dv), ("ddq_dtau", minv)];
            return (outputs, Finish::MinusMinvTimes);
        }
        Formulation::Solve => {
            let solve = |d: &Array<'g>| factors.solve(d).map(|x: Expr| -x);
            (solve(&d.dtau_dq), solve(&d.dtau_dv))
        }
        _ => (minus_product(&minv, &d.dtau_dq), minus_product(&minv, &d.dtau_dv)),
    };
    let outputs = vec![("ddq", ddq), ("ddq_dq", ddq_dq), ("ddq_dv", ddq_dv), ("ddq_dtau", minv)];
    (outputs, Finish::Nothing)
}
