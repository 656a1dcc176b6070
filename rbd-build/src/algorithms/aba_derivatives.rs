//! Derivatives of forward dynamics: `-M^-1` times those of inverse dynamics at the consistent
//! acceleration (000 equation 24; PAPERS 4), in one graph.

use super::dense::minus_product;
use super::factors::MassFactors;
use super::joints::{Input, Robot};
use super::rnea::Gyroscopic;
use super::{Array, rnea, rnea_derivatives::rnea_derivatives};
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
    let factors = MassFactors::new(robot);
    let minv = factors.inverse(robot);
    // The bias in spatial form shares its velocities and forces with IDSVA.
    let bias = rnea::spatial(robot, rnea::Terms { v: Some(&v), a: None, fext }, Gyroscopic::Coriolis);
    let a = factors.acceleration_coordinates(robot, tau, &bias);
    let ddq = factors.accelerations(robot, tau, &bias);
    let d = rnea_derivatives(robot, &v, &a, fext);
    let (ddq_dq, ddq_dv) = match formulation {
        Formulation::LoopedProduct => {
            let outputs =
                vec![("ddq", ddq), ("dtau_dq", d.dtau_dq), ("dtau_dv", d.dtau_dv), ("ddq_dtau", minv)];
            return (outputs, Finish::MinusMinvTimes);
        }
        Formulation::Solve => {
            let solve = |d: &Array<'g>| factors.solve(robot, d).map(|x: Expr| -x);
            (solve(&d.dtau_dq), solve(&d.dtau_dv))
        }
        _ => (minus_product(&minv, &d.dtau_dq), minus_product(&minv, &d.dtau_dv)),
    };
    let outputs = vec![("ddq", ddq), ("ddq_dq", ddq_dq), ("ddq_dv", ddq_dv), ("ddq_dtau", minv)];
    (outputs, Finish::Nothing)
}
