//! Joints of a loaded robot.

use rbd_runtime::{JointKind, Mimic, Model};

/// A moving joint, with the fields of a compiled robot's `JOINTS`.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name in the URDF; `root_joint` for a floating base.
    pub name: String,
    /// Kind of joint.
    pub kind: JointKind,
    /// First configuration coordinate; for a mimic joint, that of the joint that it follows.
    pub idx_q: usize,
    /// Number of configuration coordinates; 0 for a mimic joint.
    pub nq: usize,
    /// First velocity coordinate; for a mimic joint, that of the joint that it follows.
    pub idx_v: usize,
    /// Number of velocity coordinates; 0 for a mimic joint.
    pub nv: usize,
    /// Index of the parent joint; `None` where the parent is the world or the fixed base.
    pub parent: Option<usize>,
    /// Joint that a mimic joint follows, with ratio and offset.
    pub mimic: Option<Mimic>,
    /// Smallest position, rad or m (negative infinity where the URDF states none).
    pub lower: f64,
    /// Largest position, rad or m (infinity where the URDF states none).
    pub upper: f64,
    /// Largest speed, rad/s or m/s (infinity where the URDF states none).
    pub velocity: f64,
    /// Largest torque or force, N m or N (infinity where the URDF states none).
    pub effort: f64,
    /// The URDF's viscous damping, N m s/rad or N s/m. Enters the dynamics only where asked for.
    pub damping: f64,
    /// The URDF's dry friction, N m or N. Enters the dynamics only where asked for.
    pub friction: f64,
    /// Rotor inertia seen through the gear, kg m^2 or kg, on M's diagonal.
    pub armature: f64,
}

impl Joint {
    /// Joints of a robot, in the order of its bodies.
    pub(crate) fn all(model: &Model<f64>) -> Vec<Self> {
        let joints = model.bodies.iter().map(|body| Self {
            name: body.joint.clone(),
            kind: body.kind,
            idx_q: body.idx_q,
            nq: body.nq(),
            idx_v: body.idx_v,
            nv: body.nv(),
            parent: body.parent,
            mimic: body.mimic,
            lower: body.limits.lower,
            upper: body.limits.upper,
            velocity: body.limits.velocity,
            effort: body.limits.effort,
            damping: body.damping,
            friction: body.friction,
            armature: body.armature,
        });
        joints.collect()
    }
}
