//! Rollouts, as functions of Python. States have a row for each step and one more: the first one.

use crate::call::Computes;
use crate::real::Real;
use crate::rows::{By, Dims, Row};
use rbd_jit::{Error, Loaded, Parameters, Workspace};

/// A function of rollouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OfRollout {
    States,
    Sensitivity,
    Adjoint,
}

/// Copies the first row, and returns those after it.
fn after<'a, T: Copy>(rows: &'a mut [T], first: &[T]) -> &'a mut [T] {
    let (own, later) = rows.split_at_mut(first.len());
    own.copy_from_slice(first);
    later
}

impl OfRollout {
    /// Computes one rollout.
    pub fn call<T: Real>(
        self,
        by: By,
        (robot, given): (&Loaded<T>, Parameters<'_, T>),
        work: &mut Workspace<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        let (nq, nv) = (robot.nq(), robot.nv());
        let robot = robot.steps_with(given);
        match (self, inputs, outputs) {
            (Self::States, [q, v, u, [dt]], [qs, vs]) => {
                robot.rollout_in(work, [q, v], by.controls(u), *dt, [after(qs, q), after(vs, v)])
            }
            (Self::Sensitivity, [q, v, u, [dt], of_q, of_v, of_u], [qs, vs, dqs, dvs]) => {
                let (states, changes) = ([after(qs, q), after(vs, v)], [after(dqs, of_q), after(dvs, of_v)]);
                let (controls, direction) = (by.controls(u), [*of_q, *of_v, *of_u]);
                robot.rollout_sensitivity_in(work, [q, v], controls, *dt, direction, states, changes)
            }
            (Self::Adjoint, [qs, vs, u, [dt], of_q, of_v], [dqs, dvs, by_u]) => {
                let ((q, qs), (v, vs)) = (qs.split_at(nq), vs.split_at(nv));
                dqs.copy_from_slice(of_q);
                dvs.copy_from_slice(of_v);
                let ((dq, dqs), (dv, dvs)) = (dqs.split_at_mut(nv), dvs.split_at_mut(nv));
                let (controls, first) = (by.controls(u), [&mut *dq, &mut *dv]);
                let (states, gradient) = ([qs, vs], [dqs, dvs]);
                robot.rollout_adjoint_in(work, [q, v], controls, *dt, states, gradient, by_u, first)?;
                // The gradient by the first state has what later states cost, and its own cost is added.
                dq.iter_mut().zip(*of_q).for_each(|(to, own)| *to += *own);
                dv.iter_mut().zip(*of_v).for_each(|(to, own)| *to += *own);
                Ok(())
            }
            (of, ..) => unreachable!("{of:?} has other arguments"),
        }
    }
}

/// The functions of rollouts. `$of` begins names of those of controls, `$u` is one of the controls by its
/// shape, and `$torques` says what they are.
macro_rules! rows {
    ($kind:ident, $of:literal, $u:ident, $torques:literal) => {
        [
            Row {
                computes: Computes::Rollout(OfRollout::States, By::$kind),
                name: concat!($of, "rollout"),
                doc: concat!(
                    "Steps through the ",
                    $torques,
                    " of each step, of a time `dt`. The first row of the states is where they begin."
                ),
                equation: concat!("q[k + 1], v[k + 1] = ", $of, "step(q[k], v[k], controls[k], dt)"),
                takes: &["q", "v"],
                takes_more: &[rows!(@controls $u, $torques), DT],
                gives: &STATES,
                result: Some("Rollout"),
                keywords: &[],
            },
            Row {
                computes: Computes::Rollout(OfRollout::Sensitivity, By::$kind),
                name: concat!($of, "rollout_sensitivity"),
                doc: "A rollout, with the derivative of each state along one direction of the first state and the \
                      controls.",
                equation: "dx[k + 1] = A[k] dx[k] + B[k] dcontrols[k]",
                takes: &["q", "v"],
                takes_more: &[
                    rows!(@controls $u, $torques),
                    DT,
                    ("dq", Dims::Tangent, "direction of the first configuration, in its tangent space"),
                    ("dv", Dims::Tangent, "direction of the first velocity"),
                    ("dcontrols", Dims::$u, "direction of the controls"),
                ],
                gives: &[
                    STATES[0],
                    STATES[1],
                    ("dq", Dims::Tangents, "change of each configuration, in the tangent space there"),
                    ("dv", Dims::Tangents, "change of each velocity"),
                ],
                result: Some("RolloutSensitivity"),
                keywords: &[],
            },
            Row {
                computes: Computes::Rollout(OfRollout::Adjoint, By::$kind),
                name: concat!($of, "rollout_adjoint"),
                doc: "Gradient of a cost of a rollout by all controls and states. Each step is linearised once, from \
                      the last to the first.",
                equation: "g[k] = dq[k], dv[k] + A[k]^T g[k + 1], dcontrols[k] = B[k]^T g[k + 1]",
                takes: &[],
                takes_more: &[
                    ("q", Dims::Configurations, concat!("configurations, as `", $of, "rollout` gave them")),
                    ("v", Dims::Tangents, concat!("velocities, as `", $of, "rollout` gave them")),
                    rows!(@controls $u, $torques),
                    DT,
                    ("dq", Dims::Tangents, "gradient by each configuration alone, in the tangent space there"),
                    ("dv", Dims::Tangents, "gradient by each velocity alone"),
                ],
                gives: &[
                    ("dq", Dims::Tangents, "gradient of the whole cost by each configuration"),
                    ("dv", Dims::Tangents, "gradient of the whole cost by each velocity"),
                    ("dcontrols", Dims::$u, "gradient of the whole cost by the controls"),
                ],
                result: Some("RolloutAdjoint"),
                keywords: &[],
            },
        ]
    };
    (@controls $u:ident, $torques:literal) => {
        ("controls", Dims::$u, concat!($torques, " of each step; N m, N"))
    };
}

/// An argument or a result: its name, its shape, and what it is.
type Named = (&'static str, Dims, &'static str);

const DT: Named = ("dt", Dims::Scalar, "time of a step; s");

const STATES: [Named; 2] =
    [("q", Dims::Configurations, "configurations; rad, m"), ("v", Dims::Tangents, "velocities; rad/s, m/s")];

/// Rollouts whose controls are all torques.
pub static OF_TORQUES: [Row; 3] = rows!(Torques, "", TorquesOfSteps, "torques");

/// Rollouts whose controls are the torques of the option `actuated`.
pub static OF_CONTROLS: [Row; 3] = rows!(Controls, "actuated_", Controls, "torques of the actuated joints");
