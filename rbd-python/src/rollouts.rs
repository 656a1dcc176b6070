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

/// All functions of rollouts.
pub static ROWS: [Row; 3] = [
    Row {
        computes: Computes::Rollout(OfRollout::States, By::Torques),
        name: "rollout",
        doc: "Steps through controls, one a step of a time `dt`. The first row of the states is where they \
              begin.",
        equation: "q[k + 1], v[k + 1] = step(q[k], v[k], controls[k], dt)",
        takes: &["q", "v", "controls", "dt"],
        takes_more: &[],
        gives: &[
            ("q", Dims::Configurations, "configurations; rad, m"),
            ("v", Dims::Tangents, "velocities; rad/s, m/s"),
        ],
        result: Some("Rollout"),
        keywords: &[],
    },
    Row {
        computes: Computes::Rollout(OfRollout::Sensitivity, By::Torques),
        name: "rollout_sensitivity",
        doc: "A rollout, with the derivative of each state along one direction of the first state and the \
              controls.",
        equation: "dx[k + 1] = A[k] dx[k] + B[k] dcontrols[k]",
        takes: &["q", "v", "controls", "dt"],
        takes_more: &[
            ("dq", Dims::Tangent, "direction of the first configuration, in its tangent space"),
            ("dv", Dims::Tangent, "direction of the first velocity"),
            ("dcontrols", Dims::TorquesOfSteps, "direction of the controls"),
        ],
        gives: &[
            ("q", Dims::Configurations, "configurations; rad, m"),
            ("v", Dims::Tangents, "velocities; rad/s, m/s"),
            ("dq", Dims::Tangents, "change of each configuration, in the tangent space there"),
            ("dv", Dims::Tangents, "change of each velocity"),
        ],
        result: Some("RolloutSensitivity"),
        keywords: &[],
    },
    Row {
        computes: Computes::Rollout(OfRollout::Adjoint, By::Torques),
        name: "rollout_adjoint",
        doc: "Gradient of a cost of a rollout by all controls and states. Each step is linearised once, from \
              the last to the first.",
        equation: "g[k] = dq[k], dv[k] + A[k]^T g[k + 1], dcontrols[k] = B[k]^T g[k + 1]",
        takes: &[],
        takes_more: &[
            ("q", Dims::Configurations, "configurations, as `rollout` gave them"),
            ("v", Dims::Tangents, "velocities, as `rollout` gave them"),
            ("controls", Dims::TorquesOfSteps, "torques of each step; N m, N"),
            ("dt", Dims::Scalar, "time of a step; s"),
            ("dq", Dims::Tangents, "gradient by each configuration alone, in the tangent space there"),
            ("dv", Dims::Tangents, "gradient by each velocity alone"),
        ],
        gives: &[
            ("dq", Dims::Tangents, "gradient of the whole cost by each configuration"),
            ("dv", Dims::Tangents, "gradient of the whole cost by each velocity"),
            ("dcontrols", Dims::TorquesOfSteps, "gradient of the whole cost by the controls"),
        ],
        result: Some("RolloutAdjoint"),
        keywords: &[],
    },
];

/// Rollouts whose controls are the torques of the option `actuated`.
pub static OF_CONTROLS: [Row; 3] = [
    Row {
        computes: Computes::Rollout(OfRollout::States, By::Controls),
        name: "actuated_rollout",
        doc: "`rollout` through controls of the actuated joints alone.",
        equation: "q[k + 1], v[k + 1] = actuated_step(q[k], v[k], controls[k], dt)",
        takes: &["q", "v"],
        takes_more: &[
            ("controls", Dims::Controls, "torques of the actuated joints, of each step; N m, N"),
            ("dt", Dims::Scalar, "time of a step; s"),
        ],
        gives: &[
            ("q", Dims::Configurations, "configurations; rad, m"),
            ("v", Dims::Tangents, "velocities; rad/s, m/s"),
        ],
        result: Some("Rollout"),
        keywords: &[],
    },
    Row {
        computes: Computes::Rollout(OfRollout::Sensitivity, By::Controls),
        name: "actuated_rollout_sensitivity",
        doc: "`rollout_sensitivity` of controls of the actuated joints alone.",
        equation: "dx[k + 1] = A[k] dx[k] + B[k] dcontrols[k]",
        takes: &["q", "v"],
        takes_more: &[
            ("controls", Dims::Controls, "torques of the actuated joints, of each step; N m, N"),
            ("dt", Dims::Scalar, "time of a step; s"),
            ("dq", Dims::Tangent, "direction of the first configuration, in its tangent space"),
            ("dv", Dims::Tangent, "direction of the first velocity"),
            ("dcontrols", Dims::Controls, "direction of the controls"),
        ],
        gives: &[
            ("q", Dims::Configurations, "configurations; rad, m"),
            ("v", Dims::Tangents, "velocities; rad/s, m/s"),
            ("dq", Dims::Tangents, "change of each configuration, in the tangent space there"),
            ("dv", Dims::Tangents, "change of each velocity"),
        ],
        result: Some("RolloutSensitivity"),
        keywords: &[],
    },
    Row {
        computes: Computes::Rollout(OfRollout::Adjoint, By::Controls),
        name: "actuated_rollout_adjoint",
        doc: "`rollout_adjoint` of controls of the actuated joints alone.",
        equation: "g[k] = dq[k], dv[k] + A[k]^T g[k + 1], dcontrols[k] = B[k]^T g[k + 1]",
        takes: &[],
        takes_more: &[
            ("q", Dims::Configurations, "configurations, as `actuated_rollout` gave them"),
            ("v", Dims::Tangents, "velocities, as `actuated_rollout` gave them"),
            ("controls", Dims::Controls, "torques of the actuated joints, of each step; N m, N"),
            ("dt", Dims::Scalar, "time of a step; s"),
            ("dq", Dims::Tangents, "gradient by each configuration alone, in the tangent space there"),
            ("dv", Dims::Tangents, "gradient by each velocity alone"),
        ],
        gives: &[
            ("dq", Dims::Tangents, "gradient of the whole cost by each configuration"),
            ("dv", Dims::Tangents, "gradient of the whole cost by each velocity"),
            ("dcontrols", Dims::Controls, "gradient of the whole cost by the controls"),
        ],
        result: Some("RolloutAdjoint"),
        keywords: &[],
    },
];
