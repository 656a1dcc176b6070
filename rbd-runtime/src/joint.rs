//! Joints of a robot.

/// Type of a joint: the motion of a body relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// One angle about an axis, with limits. nq = nv = 1.
    Revolute,
    /// One angle about an axis, without limits. nq = nv = 1.
    Continuous,
    /// One length along an axis, in metres. nq = nv = 1.
    Prismatic,
    /// q = [x, y, theta] in the joint frame at neutral; v = [vx, vy, w] in the child's frame.
    /// nq = nv = 3. The plane's normal is the joint's axis.
    Planar,
    /// q = unit quaternion [x, y, z, w]; v = the child's angular velocity in its own frame. nq = 4, nv = 3.
    Spherical,
    /// q = [x, y, z, qx, qy, qz, qw]; v = [linear; angular] in the child's frame. nq = 7, nv = 6.
    Floating,
}

impl JointKind {
    /// Number of configuration coordinates.
    pub const fn nq(self) -> usize {
        match self {
            Self::Revolute | Self::Continuous | Self::Prismatic => 1,
            Self::Planar => 3,
            Self::Spherical => 4,
            Self::Floating => 7,
        }
    }

    /// Number of velocity coordinates.
    pub const fn nv(self) -> usize {
        match self {
            Self::Revolute | Self::Continuous | Self::Prismatic => 1,
            Self::Planar | Self::Spherical => 3,
            Self::Floating => 6,
        }
    }
}

/// A joint that follows another: `q = multiplier * q[joint] + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// Index (in `JOINTS`) of the independent joint that is followed, never itself a mimic.
    pub joint: usize,
    /// Ratio of the two joints' velocities.
    pub multiplier: f64,
    /// Value of this joint where the followed joint is zero, in radians or metres.
    pub offset: f64,
}

/// The limits that the URDF states; infinite where it states none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimits {
    /// Smallest position, rad or m.
    pub lower: f64,
    /// Largest position, rad or m.
    pub upper: f64,
    /// Largest speed, rad/s or m/s.
    pub velocity: f64,
    /// Largest torque or force, N m or N.
    pub effort: f64,
}

impl JointLimits {
    /// No limits at all.
    pub const NONE: Self = Self {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        velocity: f64::INFINITY,
        effort: f64::INFINITY,
    };
}

/// One entry of a robot's `JOINTS`: a moving joint and where its coordinates are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Joint {
    /// Name in the URDF; `root_joint` for a floating base.
    pub name: &'static str,
    /// Joint type.
    pub kind: JointKind,
    /// First configuration coordinate; for a mimic joint, the first coordinate of the joint that it
    /// follows.
    pub idx_q: usize,
    /// Number of configuration coordinates; 0 for a mimic joint.
    pub nq: usize,
    /// First velocity coordinate; for a mimic joint, the first coordinate of the joint that it
    /// follows.
    pub idx_v: usize,
    /// Number of velocity coordinates; 0 for a mimic joint.
    pub nv: usize,
    /// Index of the parent joint in `JOINTS`; `None` where the parent is the world or the fixed base.
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
    /// The URDF's dry friction, N m or N. Never enters the dynamics.
    pub friction: f64,
    /// Rotor inertia seen through the gear, kg m^2 or kg, on M's diagonal.
    pub armature: f64,
}

impl Joint {
    /// Constructor for generated code. `indices` are `idx_q, nq, idx_v, nv`; `resistance` is
    /// damping, friction and armature.
    #[doc(hidden)]
    #[must_use]
    pub const fn generated(
        (name, kind): (&'static str, JointKind),
        [idx_q, nq, idx_v, nv]: [usize; 4],
        parent: Option<usize>,
        mimic: Option<Mimic>,
        [lower, upper, velocity, effort]: [f64; 4],
        [damping, friction, armature]: [f64; 3],
    ) -> Self {
        Self {
            name,
            kind,
            idx_q,
            nq,
            idx_v,
            nv,
            parent,
            mimic,
            lower,
            upper,
            velocity,
            effort,
            damping,
            friction,
            armature,
        }
    }
}
