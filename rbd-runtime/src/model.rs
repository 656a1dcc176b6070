//! A kinematic tree as data.
//!
//! Bodies are the moving links only: fixed joints are merged already. `bodies[i].parent < i`. Units
//! are SI. The frame of body `i` is the frame that joint `i` moves, which coincides with its
//! placement in the parent at the joint's neutral position.

mod run_time;

use crate::spatial::{Inertia, Placement};
use crate::{JointKind, JointLimits, Mimic, Scalar};
use alloc::string::String;
use alloc::vec::Vec;
use nalgebra::Vector3;
pub use run_time::{RunTime, RunTimeInertia};

/// A robot: a tree of moving bodies under gravity.
#[derive(Clone, Debug, PartialEq)]
pub struct Model<T> {
    /// The robot's name in the URDF.
    pub name: String,
    /// Moving bodies, in depth-first order: a parent comes before its children.
    pub bodies: Vec<Body<T>>,
    /// Every link and fixed frame of the URDF, by name.
    pub frames: Vec<Frame<T>>,
    /// Gravitational acceleration in the world, m/s^2; usually [0, 0, -9.81].
    pub gravity: Vector3<T>,
    /// Mass, first moment and inertia of the links rigidly attached to the world (fixed base), in
    /// the world frame.
    pub base_inertia: Inertia<T>,
    /// Number of configuration coordinates.
    pub nq: usize,
    /// Number of velocity coordinates.
    pub nv: usize,
    /// True if each joint's `damping` adds `damping * v` to the torque.
    pub damping_enters: bool,
    /// Smoothing velocity of each joint's Coulomb `friction`, rad/s or m/s, if friction is part of
    /// the torque (docs/math.md#joint-friction).
    pub friction_smoothing: Option<T>,
    /// The bodies in the order of Pinocchio's joints (docs/conventions.md#pinocchios-order).
    pub pinocchio_order: Vec<usize>,
    /// Parameters that generated functions take as an argument. The model has their default values.
    pub run_time: RunTime<T>,
}

impl<T: Scalar> Model<T> {
    /// Damping of each velocity coordinate that is part of the dynamics, N m s/rad or N s/m (nv): zero unless
    /// [`Self::damping_enters`]. That of a mimic joint counts with the ratio's square.
    pub fn damping(&self) -> Vec<T> {
        let mut all = alloc::vec![T::zero(); self.nv];
        for body in self.bodies.iter().filter(|_| self.damping_enters) {
            let ratio = T::from_f64(body.mimic.map_or(1.0, |m| m.multiplier * m.multiplier));
            for of in all.iter_mut().skip(body.idx_v).take(body.kind.nv()) {
                *of += ratio * body.damping;
            }
        }
        all
    }
}

/// A moving body and the joint that carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct Body<T> {
    /// Name of the joint in the URDF (`root_joint` for a floating base).
    pub joint: String,
    /// Name of the link that the joint moves.
    pub link: String,
    /// The body that carries the joint; `None` for the world.
    pub parent: Option<usize>,
    /// Type of the joint.
    pub kind: JointKind,
    /// Unit axis in the joint frame; zero for spherical and floating joints. A planar joint's axis
    /// is the plane's normal; its x and y are those of [`plane_basis`].
    pub axis: Vector3<T>,
    /// The joint frame in the parent's joint frame (in the world, for `parent: None`), at neutral.
    pub placement: Placement<T>,
    /// The body's inertia about its joint frame's origin, fixed links included.
    pub inertia: Inertia<T>,
    /// First configuration coordinate; for a mimic joint, the first coordinate of the joint that it
    /// follows.
    pub idx_q: usize,
    /// First velocity coordinate; for a mimic joint, the first coordinate of the joint that it
    /// follows.
    pub idx_v: usize,
    /// Set where the joint follows another; it then owns no coordinate.
    pub mimic: Option<Mimic>,
    /// Position, speed and effort limits.
    pub limits: JointLimits,
    /// Viscous damping, N m s/rad or N s/m.
    pub damping: T,
    /// Dry friction, N m or N; not part of the dynamics.
    pub friction: T,
    /// Rotor inertia on M's diagonal, kg m^2 or kg.
    pub armature: T,
}

impl<T> Body<T> {
    /// Coordinates that this joint owns: 0 for a mimic joint.
    pub fn nq(&self) -> usize {
        if self.mimic.is_some() { 0 } else { self.kind.nq() }
    }

    /// Velocity coordinates that this joint owns: 0 for a mimic joint.
    pub fn nv(&self) -> usize {
        if self.mimic.is_some() { 0 } else { self.kind.nv() }
    }
}

/// A named frame that rides on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<T> {
    /// Name of the link (or fixed joint) in the URDF.
    pub name: String,
    /// The body that carries it; `None` for the world.
    pub body: Option<usize>,
    /// The frame in the body's joint frame (in the world, for `body: None`).
    pub placement: Placement<T>,
}

impl Model<f64> {
    /// The robot in another scalar.
    pub fn cast<T: Scalar>(&self) -> Model<T> {
        let c = T::from_f64;
        let v3 = |v: &Vector3<f64>| v.map(c);
        let placement =
            |p: &Placement<f64>| Placement { rotation: p.rotation.map(c), translation: v3(&p.translation) };
        let inertia = |i: &Inertia<f64>| Inertia { mass: c(i.mass), h: v3(&i.h), j: i.j.map(c) };
        Model {
            name: self.name.clone(),
            bodies: self
                .bodies
                .iter()
                .map(|b| Body {
                    joint: b.joint.clone(),
                    link: b.link.clone(),
                    parent: b.parent,
                    kind: b.kind,
                    axis: v3(&b.axis),
                    placement: placement(&b.placement),
                    inertia: inertia(&b.inertia),
                    idx_q: b.idx_q,
                    idx_v: b.idx_v,
                    mimic: b.mimic,
                    limits: b.limits,
                    damping: c(b.damping),
                    friction: c(b.friction),
                    armature: c(b.armature),
                })
                .collect(),
            frames: self
                .frames
                .iter()
                .map(|f| Frame { name: f.name.clone(), body: f.body, placement: placement(&f.placement) })
                .collect(),
            gravity: v3(&self.gravity),
            base_inertia: inertia(&self.base_inertia),
            nq: self.nq,
            nv: self.nv,
            damping_enters: self.damping_enters,
            friction_smoothing: self.friction_smoothing.map(c),
            pinocchio_order: self.pinocchio_order.clone(),
            run_time: self.run_time.map(placement),
        }
    }
}

/// Unit vectors x, y that form a right-handed frame with `normal`: the directions of a planar
/// joint's first two coordinates.
///
/// For the z axis they are x and y themselves. Otherwise x is the coordinate axis least aligned
/// with the normal, made orthogonal to it. A normal within 1e-12 rad of z counts as z in this
/// choice, so that rounding does not turn the frame. The vectors are still computed from the normal
/// itself.
pub fn plane_basis<T: Scalar>(normal: &Vector3<T>) -> (Vector3<T>, Vector3<T>) {
    let (zero, one) = (T::zero(), T::one());
    let n = normal;
    // Choices by `select_lt` rather than branches, so that every scalar takes them; the first of equals wins.
    let magnitude = n.map(|x| x.select_lt(0.0, -x, x));
    let from_z = n - Vector3::z();
    // Taken for zero near z, and so the least.
    let x_magnitude = from_z.dot(&from_z).select_lt(1e-24, zero, magnitude.x);
    let y_less = magnitude.y - x_magnitude;
    let least = y_less.select_lt(0.0, magnitude.y, x_magnitude);
    let z_least = magnitude.z - least;
    let e = Vector3::new(
        z_least.select_lt(0.0, zero, y_less.select_lt(0.0, zero, one)),
        z_least.select_lt(0.0, zero, y_less.select_lt(0.0, one, zero)),
        z_least.select_lt(0.0, one, zero),
    );
    let x = e - n * n.dot(&e);
    let x = x / x.dot(&x).sqrt();
    (x, n.cross(&x))
}
