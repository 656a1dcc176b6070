//! Forward dynamics: the articulated-body algorithm (docs/math.md#aba).

use super::mass_matrix::MassFactors;
use super::mass_matrix::ltl::inverse_symmetric;
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix, rnea};
use crate::algebra::{ArticulatedInertia, Force, Motion, Vec3};
use crate::algorithms::strategy::Algorithm;
use crate::signatures::signature::{DDQ, FEXT, TAU_GIVEN, V};
use rbd_ir::graph::Expr;
use rbd_ir::kernel::ArrayId;

/// Accelerations, by articulated bodies or by the factors of the mass matrix.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (v, tau, fext) = (draft.param(V), draft.param(TAU_GIVEN), draft.optional(FEXT));
    let v = robot.coordinates(v);
    let ddq = match draft.strategy.algorithm {
        Algorithm::Factors => by_factors(robot, &v, tau, fext),
        _ => aba(robot, &v, &robot.coordinates(tau), fext),
    };
    draft.give(DDQ, ddq);
}

/// Factors of a joint's articulated body: `U = I^A S`, `D^-1` and `D^-1 U^T`.
pub struct JointFactors<'g> {
    pub u: Vec<Force<'g>>,
    pub d_inv: ExprMatrix<'g>,
    /// Row a is `sum_b D^-1_ab U_b`, a force.
    pub d_inv_u: Vec<Force<'g>>,
}

impl<'g> JointFactors<'g> {
    fn new(robot: &SymbolicRobot<'g>, i: usize, inertia: &ArticulatedInertia<'g>) -> Self {
        let body = &robot.bodies[i];
        let n = body.columns.len();
        let u: Vec<Force> = body.columns.iter().map(|s| *inertia * *s).collect();
        let mut d = ExprMatrix::zeros(n, n);
        for a in 0..n {
            for b in 0..=a {
                let entry = body.columns[b].dot(u[a]);
                d[(a, b)] = entry + if a == b { body.armature } else { Expr::ZERO };
            }
        }
        let d_inv = inverse_symmetric(&d);
        let d_inv_u = (0..n).map(|a| (0..n).fold(Force::ZERO, |sum, b| sum + u[b] * d_inv[(a, b)])).collect();
        Self { u, d_inv, d_inv_u }
    }
}

/// Articulated-body inertias (each as its joint sees it) and handles, for every body.
pub fn articulate<'g>(robot: &SymbolicRobot<'g>) -> (Vec<ArticulatedInertia<'g>>, Vec<JointFactors<'g>>) {
    let mut inertia: Vec<ArticulatedInertia> = robot.bodies.iter().map(|b| b.inertia.into()).collect();
    let mut handles: Vec<JointFactors> = Vec::new();
    let mut left: Vec<ArticulatedInertia> = vec![ArticulatedInertia::ZERO; inertia.len()];
    for i in robot.inward() {
        let body = &robot.bodies[i];
        let handle = JointFactors::new(robot, i, &inertia[i]);
        if !robot.is_root(i) {
            let mut ia = inertia[i].minus_outer(&handle.u, &handle.d_inv_u);
            // I^a S = 0 exactly, unless the rotor keeps a share.
            if body.armature.is_zero() {
                for s in &body.columns {
                    ia = ia.without(unit_index(s));
                }
            }
            left[i] = ia;
            let moved = body.transform.articulated_to_parent(ia);
            for (parent, sum) in robot.to_carriers(i) {
                inertia[parent] = inertia[parent] + moved.map(sum);
            }
        }
        handles.push(handle);
    }
    handles.reverse();
    (left, handles)
}

/// The accelerations under torques `tau`, with optional external forces. Needs a tree without mimic joints.
pub fn aba<'g>(
    robot: &SymbolicRobot<'g>,
    v: &Coordinates<'g>,
    tau: &Coordinates<'g>,
    fext: Option<ArrayId>,
) -> ExprMatrix<'g> {
    let mut velocity: Vec<Motion> = Vec::new();
    let mut c: Vec<Motion> = Vec::new();
    let mut p: Vec<Force> = Vec::new();
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let v_joint = body.joint_motion(v.of(i));
        let v_parent = robot.of_carrier(i, &velocity, Motion::ZERO);
        let vi = body.transform.motion_to_child(v_parent) + v_joint;
        c.push(vi.cross(v_joint));
        let force = vi.cross_force(body.inertia * vi);
        p.push(fext.map_or(force, |array| force - robot.external_force(i, array)));
        velocity.push(vi);
    }

    let (left, handles) = articulate(robot);
    let mut u: Vec<Vec<Expr>> = Vec::new();
    for i in robot.inward() {
        let body = &robot.bodies[i];
        let torque = tau.of(i).iter().zip(v.of(i)).zip(&body.columns);
        let ui: Vec<Expr> = torque.map(|((tau, v), s)| *tau - body.resistance(*v) - s.dot(p[i])).collect();
        if !robot.is_root(i) {
            // p^a = p + I^a c + U D^-1 u
            let mut pa = p[i] + left[i] * c[i];
            for (row, ui) in handles[i].d_inv_u.iter().zip(&ui) {
                pa += *row * *ui;
            }
            let moved = body.transform.force_to_parent(pa);
            for (parent, sum) in robot.to_carriers(i) {
                p[parent] += moved.map(sum);
            }
        }
        u.push(ui);
    }
    u.reverse();

    let mut a: Vec<Motion> = Vec::new();
    let mut ddq = ExprMatrix::zeros(robot.tree.nv, 1);
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let world = Motion { lin: robot.minus_gravity(), ang: Vec3::ZERO };
        let a_parent = robot.of_carrier(i, &a, world);
        let mut ai = body.transform.motion_to_child(a_parent) + c[i];
        let x = joint_acceleration(&handles[i], &u[i], ai);
        for (k, x) in x.iter().enumerate() {
            robot.add_to_vector(&mut ddq, (i, k), *x);
        }
        ai += body.joint_motion(&x);
        a.push(ai);
    }
    ddq
}

/// `D^-1 (u - U^T a)`, as `D^-1 u - (D^-1 U^T) a`.
fn joint_acceleration<'g>(handle: &JointFactors<'g>, u: &[Expr<'g>], a: Motion<'g>) -> Vec<Expr<'g>> {
    (0..u.len())
        .map(|k| {
            if let [u] = u {
                return handle.d_inv[(0, 0)] * (*u - a.dot(handle.u[0]));
            }
            let drive: Expr = (0..u.len()).map(|b| handle.d_inv[(k, b)] * (u[b] - a.dot(handle.u[b]))).sum();
            drive
        })
        .collect()
}

/// Index of the coordinate motion that a column is.
pub fn unit_index(s: &Motion<'_>) -> usize {
    let entries = s.lin.0.iter().chain(&s.ang.0);
    let one = entries.enumerate().find(|(_, e)| e.is_one());
    one.expect("this is a bug of rbd: a joint's column in its own frame is no coordinate motion").0
}

/// Accelerations by solving with the factors of the mass matrix. Cheaper for short chains, and the
/// only way if joints share a coordinate.
pub fn by_factors<'g>(
    robot: &SymbolicRobot<'g>,
    v: &Coordinates<'g>,
    tau: ArrayId,
    fext: Option<ArrayId>,
) -> ExprMatrix<'g> {
    let bias = rnea::newton_euler(robot, rnea::Terms { v: Some(v), a: None, fext });
    MassFactors::new(robot).accelerations(robot, tau, &bias)
}
