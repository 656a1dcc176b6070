//! Inverse dynamics: the recursive Newton-Euler algorithm, in two formulations.

use super::Draft;
use super::robot::{Coordinates, SymbolicRobot};
use crate::algebra::{Coriolis, Force, Mat3, Motion, SpatialInertia, Step, Sym3, Transform, Vec3};
use crate::algorithms::strategy::Algorithm;
use crate::signatures::signature::{A, FEXT, TAU, V};
use crate::tree::Moment;
use rbd_ir::graph::Expr;
use rbd_ir::kernel::ArrayId;

/// Arguments of the torques. A missing velocity or acceleration is zero.
#[derive(Clone, Copy)]
pub struct Terms<'a, 'g> {
    pub v: Option<&'a Coordinates<'g>>,
    pub a: Option<&'a Coordinates<'g>>,
    pub fext: Option<ArrayId>,
}

impl<'g> Terms<'_, 'g> {
    fn of(x: Option<&Coordinates<'g>>, robot: &SymbolicRobot<'g>, i: usize) -> Vec<Expr<'g>> {
        x.map_or_else(|| vec![Expr::ZERO; robot.bodies[i].columns.len()], |x| x.of(i).to_vec())
    }

    pub fn velocity(&self, robot: &SymbolicRobot<'g>, i: usize) -> Vec<Expr<'g>> {
        Self::of(self.v, robot, i)
    }

    pub fn acceleration(&self, robot: &SymbolicRobot<'g>, i: usize) -> Vec<Expr<'g>> {
        Self::of(self.a, robot, i)
    }
}

/// Torques from the arguments that the function has: missing velocity, acceleration and external
/// forces are zero.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = draft.optional(V).map(|v| robot.coordinates(v));
    let a = draft.optional(A).map(|a| robot.coordinates(a));
    let terms = Terms { v: v.as_ref(), a: a.as_ref(), fext: draft.optional(FEXT) };
    let tau = match draft.strategy.algorithm {
        Algorithm::NewtonEuler => newton_euler(robot, terms),
        _ => spatial(robot, terms, draft.gyroscopic),
    };
    draft.give(TAU, robot.collect(&tau));
}

/// Form of `v x* I v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gyroscopic {
    /// `v x* I v` as it stands.
    Cross,
    /// `B(I, v) v / 2` (docs/math.md#coriolis-operator), for derivatives, which need B anyway.
    Coriolis,
}

impl Gyroscopic {
    /// `v x* I v`.
    pub fn force<'g>(self, inertia: SpatialInertia<'g>, v: Motion<'g>) -> Force<'g> {
        match self {
            Self::Cross => v.cross_force(inertia * v),
            Self::Coriolis => Coriolis::new(inertia, v) * (v * Expr::constant(0.5)),
        }
    }
}

/// Featherstone's spatial form, in link frames (docs/math.md#rnea).
pub fn spatial<'g>(
    robot: &SymbolicRobot<'g>,
    terms: Terms<'_, 'g>,
    gyroscopic: Gyroscopic,
) -> Coordinates<'g> {
    let mut v: Vec<Motion> = Vec::new();
    let mut a: Vec<Motion> = Vec::new();
    let mut f: Vec<Force> = Vec::new();
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let v_parent = robot.of_carrier(i, &v, Motion::ZERO);
        let world = Motion { lin: robot.minus_gravity(), ang: Vec3::ZERO };
        let a_parent = robot.of_carrier(i, &a, world);
        let v_joint = body.joint_motion(&terms.velocity(robot, i));
        let a_joint = body.joint_motion(&terms.acceleration(robot, i));
        let vi = body.transform.motion_to_child(v_parent) + v_joint;
        let ai = body.transform.motion_to_child(a_parent) + a_joint + vi.cross(v_joint);
        v.push(vi);
        a.push(ai);
        f.push(body.inertia * ai + gyroscopic.force(body.inertia, vi));
    }
    project_forces(robot, terms, f)
}

/// The Newton-Euler form with angular velocity `w`, angular acceleration `al` and the classical
/// acceleration `dd` of each origin: no linear velocity is formed (docs/math.md#newton-euler-form).
///
///  For a joint whose origin moves by `r(q)` in its parent, with joint velocity `[nu; u]`:
///  `dd = R^T (dd_parent + W_parent r) + a_lin + u x nu + 2 w_parent x nu`.
pub fn newton_euler<'g>(robot: &SymbolicRobot<'g>, terms: Terms<'_, 'g>) -> Coordinates<'g> {
    project_forces(robot, terms, newton_euler_forces(robot, terms))
}

/// The force that moves each body alone, in the Newton-Euler form, without external ones.
pub fn newton_euler_forces<'g>(robot: &SymbolicRobot<'g>, terms: Terms<'_, 'g>) -> Vec<Force<'g>> {
    let (mut ws, mut als, mut dds): (Vec<Vec3>, Vec<Vec3>, Vec<Vec3>) = Default::default();
    let mut wides: Vec<Mat3> = Vec::new();
    let mut f: Vec<Force> = Vec::new();
    let world = Moving::world(robot);
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let parent = Moving {
            w: robot.of_carrier(i, &ws, world.w),
            al: robot.of_carrier(i, &als, world.al),
            dd: robot.of_carrier(i, &dds, world.dd),
            wide: robot.of_carrier(i, &wides, world.wide),
        };
        let v_joint = body.joint_motion(&terms.velocity(robot, i));
        let a_joint = body.joint_motion(&terms.acceleration(robot, i));
        let Moving { w, al, dd, wide } = parent.beyond(&body.transform, v_joint, a_joint);
        let inertia = body.inertia;
        f.push(Force {
            lin: dd * inertia.m + wide * inertia.h,
            ang: inertia.h.cross(dd)
                + match robot.tree.bodies[i].moment {
                    Moment::Euler => inertia.j * al + w.cross(inertia.j * w),
                    Moment::SecondMoments => moment_of_field(inertia.j, wide, w),
                    Moment::Entries => moment_by_entries(inertia.j, wide, w, al),
                },
        });
        ws.push(w);
        als.push(al);
        dds.push(dd);
        wides.push(wide);
    }
    f
}

/// Motion of a body in its frame, in the Newton-Euler form.
#[derive(Clone, Copy)]
pub struct Moving<'g> {
    /// Angular velocity.
    pub w: Vec3<'g>,
    /// Angular acceleration.
    pub al: Vec3<'g>,
    /// Classical acceleration of its origin, including the world's for gravity.
    pub dd: Vec3<'g>,
    /// `[al] + [w][w]`.
    pub wide: Mat3<'g>,
}

impl<'g> Moving<'g> {
    /// The world, which accelerates upward in place of gravity.
    pub fn world(robot: &SymbolicRobot<'g>) -> Self {
        Self { w: Vec3::ZERO, al: Vec3::ZERO, dd: robot.minus_gravity(), wide: Mat3::ZERO }
    }

    /// A body beyond a joint that moves so.
    pub fn beyond(&self, transform: &Transform<'g>, v_joint: Motion<'g>, a_joint: Motion<'g>) -> Self {
        let to_child = |x| transform.vector_to_child(x);
        let (nu, u) = (v_joint.lin, v_joint.ang);
        let w_here = to_child(self.w);
        let w = w_here + u;
        let al = to_child(self.al) + a_joint.ang + w_here.cross(u);
        let two = Expr::constant(2.0);
        // dd + W r, step by step: the acceleration of the point where the child's origin is.
        let mut dd = self.dd;
        let mut wide_here = self.wide;
        for step in transform.steps().iter().rev() {
            match step {
                Step::Translate(p) => dd += wide_here * *p,
                Step::Rotate(r) => {
                    dd = r.transpose_mul(dd);
                    // Only translations still to come need W in the new axes.
                    wide_here = r.transpose().conjugate(wide_here);
                }
            }
        }
        dd += a_joint.lin + u.cross(nu) + w_here.cross(nu) * two;
        Self { w, al, dd, wide: acceleration_field(al, w) }
    }
}

/// `[al] + [w][w]`: a point at `r` accelerates by this times `r`.
pub fn acceleration_field<'g>(al: Vec3<'g>, w: Vec3<'g>) -> Mat3<'g> {
    let [x, y, z] = w.0;
    let (xx, yy, zz) = (x * x, y * y, z * z);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let [ax, ay, az] = al.0;
    Mat3([[-(yy + zz), xy - az, xz + ay], [xy + az, -(xx + zz), yz - ax], [xz - ay, yz + ax, -(xx + yy)]])
}

/// `J al + w x J w`, the moment of the acceleration field W of a body: the axial vector of `W P`, with the
/// second moments `P = tr(J)/2 1 - J`. W's entries are needed anyway.
fn moment_of_field<'g>(j: Sym3<'g>, wide: Mat3<'g>, w: Vec3<'g>) -> Vec3<'g> {
    let half = Expr::constant(0.5);
    let p = [(j.yy + j.zz - j.xx) * half, (j.zz + j.xx - j.yy) * half, (j.xx + j.yy - j.zz) * half];
    // Products of inertia, by the axis that they leave out.
    let off = [-j.yz, -j.xz, -j.xy];
    let square = w.map(Expr::square);
    Vec3([0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        p[j] * wide[(k, j)] - p[k] * wide[(j, k)] + off[k] * wide[(k, i)] - off[j] * wide[(j, i)]
            + off[i] * (square[k] - square[j])
    }))
}

/// The moment with J's diagonal on `al` and on products of `w`. A diagonal entry that vanishes, or
/// two equal ones, save a term.
fn moment_by_entries<'g>(j: Sym3<'g>, wide: Mat3<'g>, w: Vec3<'g>, al: Vec3<'g>) -> Vec3<'g> {
    let diagonal = [j.xx, j.yy, j.zz];
    // By the axis that they leave out.
    let off = [j.yz, j.xz, j.xy];
    let square = w.map(Expr::square);
    Vec3([0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        diagonal[i] * al.0[i] + (diagonal[k] - diagonal[j]) * (w.0[j] * w.0[k]) - off[k] * wide[(k, i)]
            + off[j] * wide[(j, i)]
            + off[i] * (square[j] - square[k])
    }))
}

/// The inward pass, which both forms share: torques are the joints' parts of the forces beyond
/// them.
fn project_forces<'g>(
    robot: &SymbolicRobot<'g>,
    terms: Terms<'_, 'g>,
    mut f: Vec<Force<'g>>,
) -> Coordinates<'g> {
    let mut tau = Vec::new();
    for i in robot.inward() {
        let body = &robot.bodies[i];
        if let Some(array) = terms.fext {
            f[i] = f[i] - robot.external_force(i, array);
        }
        let (v, a) = (terms.velocity(robot, i), terms.acceleration(robot, i));
        let torque =
            |(k, s): (usize, &Motion<'g>)| s.dot(f[i]) + body.armature * a[k] + body.resistance(v[k]);
        tau.push(body.columns.iter().enumerate().map(torque).collect());
        let moved = body.transform.force_to_parent(f[i]);
        for (parent, sum) in robot.to_carriers(i) {
            f[parent] += moved.map(sum);
        }
    }
    tau.reverse();
    Coordinates(tau)
}
