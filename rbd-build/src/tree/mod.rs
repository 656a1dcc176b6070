//! The model as algorithms see it: joint axes along z, coordinates by position, no rounding error
//! in place of a zero.
//!
//! A [`Model`] keeps the URDF's frames. Here every axis is the z axis of its joint frame, so that
//! motion subspaces are unit vectors and most of their products vanish. Outputs do not change:
//! values in a body's frame are turned on the way in and out.

mod limbs;
mod realign;
mod regroup;
mod rounding;
mod verify;

pub use limbs::Packing;
pub use regroup::Spin;
pub(crate) use rounding::{ROUNDING, compose, inverse};

use nalgebra::{Matrix3, Vector3};
use rbd_runtime::model::plane_basis;
use rbd_runtime::spatial::{Inertia, Placement};
use rbd_runtime::{JointKind, Model};
use rounding::terms_moved;
use std::sync::{Arc, Mutex, PoisonError};

/// A robot ready for tracing.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Moving bodies, parents first.
    pub bodies: Vec<TreeBody>,
    /// Gravitational acceleration in the world.
    pub gravity: [f64; 3],
    /// Number of configuration coordinates.
    pub nq: usize,
    /// Number of velocity coordinates.
    pub nv: usize,
    /// Number of the model's bodies, each of which has an external force.
    pub nb: usize,
    /// True if damping is part of the torque.
    pub damping: bool,
    /// Smoothing velocity of Coulomb friction; zero if friction is not part of the torque.
    pub friction_smoothing: f64,
    /// True if there are mimic joints.
    pub has_mimic: bool,
    /// Number of inertias that are given at run time.
    pub np: usize,
    /// True if gravity is given at run time.
    pub gravity_is_given: bool,
    /// The rewrite that made this tree from the model.
    pub rewrite: Rewrite,
}

/// The trees of one model, each made when it is first asked for.
#[derive(Debug)]
pub struct Trees<'m> {
    model: &'m Model<f64>,
    made: Mutex<Vec<Arc<Tree>>>,
}

impl<'m> Trees<'m> {
    /// No tree yet.
    pub fn new(model: &'m Model<f64>) -> Self {
        Self { model, made: Mutex::default() }
    }

    /// The model.
    pub fn model(&self) -> &'m Model<f64> {
        self.model
    }

    /// The model's tree, rewritten so.
    pub fn get(&self, rewrite: &Rewrite) -> Arc<Tree> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = made.iter().find(|t| t.rewrite == *rewrite) {
            return tree.clone();
        }
        let tree = Arc::new(Tree::new(self.model, rewrite.clone()));
        made.push(tree.clone());
        tree
    }
}

/// A moving body.
#[derive(Clone, Debug)]
pub struct TreeBody {
    /// Type of its joint. Revolute joints turn about z, prismatic ones slide along z, planar ones
    /// move in x and y and turn about z.
    pub kind: JointKind,
    /// The robot's bodies that this stands for, one a lane.
    pub lanes: Vec<Lane>,
    /// Form of the moment of its inertia in RNEA.
    pub moment: Moment,
}

/// A body of the tree and one of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The body.
    pub body: usize,
    /// The body's lane.
    pub lane: usize,
}

/// Numbers that differ between bodies of equal shape.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Index of the body in the model, and of its external force.
    pub body: usize,
    /// Parent of its joint; the world if `None`.
    pub parent: Option<Place>,
    /// The joint frame in its parent's at neutral.
    pub placement: Placement<f64>,
    /// Inertia about the joint frame's origin, without inertias that are given at run time.
    pub inertia: Inertia<f64>,
    /// Indices of inertias that are given at run time, and their frames in the URDF's joint frame.
    /// They are added to the inertia.
    pub given: Vec<(usize, Placement<f64>)>,
    /// For each number of the inertia, the size of the terms that it is a sum of.
    pub terms: Inertia<f64>,
    /// The part of a root's inertia that `inertia` leaves out, in this frame.
    ///
    /// Its joint does not feel it, and the world does not move. It counts for the mass and the
    /// centre of mass.
    pub unfelt: Inertia<f64>,
    /// First configuration coordinate.
    pub idx_q: usize,
    /// First velocity coordinate.
    pub idx_v: usize,
    /// Ratio of the joint's velocity to the coordinate's: a mimic joint's ratio, or -1 if the axis
    /// was turned over.
    pub multiplier: f64,
    /// Joint position where the coordinate is zero.
    pub offset: f64,
    /// Rotor inertia, on M's diagonal.
    pub armature: f64,
    /// Viscous damping.
    pub damping: f64,
    /// Coulomb's friction.
    pub friction: f64,
    /// The joint frame in the URDF's joint frame of the same body.
    pub in_urdf_frame: Placement<f64>,
}

/// Rewrite of the tree. Torques, accelerations and everything over joints stay as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    /// True if joint frames are turned and shifted along their axes so that their children's
    /// placements have few numbers (docs/math.md#frame-alignment).
    pub realign: bool,
    /// Form of each body of the model.
    pub bodies: Vec<BodyForm>,
}

/// Form of one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyForm {
    /// Share of the inertia that its joint cannot feel to move to its parent, if any
    /// (docs/math.md#regrouping).
    pub share: Option<Spin>,
    /// Form of the moment of its inertia in RNEA.
    pub moment: Moment,
    /// Place of its frame's origin on its axis.
    pub origin: Origin,
}

/// Place on its axis of a rotating body's origin, which is free (docs/math.md#frame-alignment).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nearest to the axis of the child that carries most.
    AtChild,
    /// Nearest to its parent's origin.
    AtParent,
}

/// Form of a body's moment `J al + w x J w`. All forms give the same value; the cheapest differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Euler's equation.
    Euler,
    /// Second moments and the acceleration field.
    SecondMoments,
    /// Entries of J: its diagonal with `al` and products of `w`, the others with the acceleration
    /// field.
    Entries,
}

impl Rewrite {
    /// One form for every body of the model.
    pub fn uniform(model: &Model<f64>, realign: bool, form: BodyForm) -> Self {
        Self { realign, bodies: vec![form; model.bodies.len()] }
    }
}

impl Tree {
    /// The tree of a model.
    pub fn new(model: &Model<f64>, rewrite: Rewrite) -> Self {
        let mut bodies: Vec<TreeBody> = Vec::with_capacity(model.bodies.len());
        for (index, body) in model.bodies.iter().enumerate() {
            let (turn, sign) = z_to_axis(body.kind, &body.axis);
            // T_i <- C_parent^-1 T_i C_i, with inertia and forces in the turned frame.
            let c = Placement { rotation: turn, translation: Vector3::zeros() };
            let mut placement = compose(&body.placement, &c);
            if let Some(parent) = body.parent {
                placement = compose(&inverse(&bodies[parent].lanes[0].in_urdf_frame), &placement);
            }
            let (multiplier, offset) = match body.mimic {
                Some(mimic) => (mimic.multiplier * sign, mimic.offset * sign),
                None => (sign, 0.0),
            };
            let given =
                || model.run_time.inertias.iter().enumerate().filter(move |(_, given)| given.body == index);
            let is_given = given().any(|(_, given)| given.whole);
            let inertia = if is_given { Inertia::zero() } else { body.inertia };
            let terms = terms_moved(&magnitudes(&inertia), &inverse(&c));
            let lane = Lane {
                body: index,
                parent: body.parent.map(|p| Place { body: p, lane: 0 }),
                placement,
                inertia: rounding::inertia(&inertia_seen_from(&inertia, &c), &terms),
                given: given().map(|(k, given)| (k, given.placement)).collect(),
                terms,
                unfelt: Inertia::zero(),
                idx_q: body.idx_q,
                idx_v: body.idx_v,
                multiplier,
                offset,
                armature: body.armature,
                damping: if model.damping_enters { body.damping } else { 0.0 },
                friction: if model.friction_smoothing.is_some() { body.friction } else { 0.0 },
                in_urdf_frame: c,
            };
            let moment = rewrite.bodies[index].moment;
            bodies.push(TreeBody { kind: body.kind, lanes: vec![lane], moment });
        }
        let mut tree = Self {
            bodies,
            gravity: model.gravity.into(),
            nq: model.nq,
            nv: model.nv,
            nb: model.bodies.len(),
            damping: model.damping_enters,
            friction_smoothing: model.friction_smoothing.unwrap_or(0.0),
            has_mimic: model.bodies.iter().any(|b| b.mimic.is_some()),
            np: model.run_time.inertias.len(),
            gravity_is_given: model.run_time.gravity,
            rewrite,
        };
        tree.realign(tree.rewrite.realign);
        tree.regroup();
        tree.verify(model);
        tree
    }

    /// Returns whether no other body moves with this one's coordinates.
    pub fn owns_coordinates(&self, i: usize) -> bool {
        let own = &self.bodies[i].lanes[0];
        self.bodies.iter().flat_map(|b| &b.lanes).all(|l| l.body == own.body || l.idx_v != own.idx_v)
    }

    /// Place of a body of the model.
    pub fn place_of(&self, body: usize) -> Place {
        let lane_of = |b: &TreeBody| b.lanes.iter().position(|l| l.body == body);
        let found =
            self.bodies.iter().enumerate().find_map(|(i, b)| Some(Place { body: i, lane: lane_of(b)? }));
        found.expect("each body of the model is a lane of one")
    }

    /// From here to the root.
    pub fn path(&self, from: Place) -> impl Iterator<Item = Place> + '_ {
        std::iter::successors(Some(from), |p| self.bodies[p.body].lanes[p.lane].parent)
    }

    /// The lane of body `j` that carries this, if any does.
    pub fn carrying_lane(&self, j: usize, of: Place) -> Option<usize> {
        self.path(of).find(|p| p.body == j).map(|p| p.lane)
    }
}

impl TreeBody {
    /// Parent of its joint, before limbs are lanes.
    fn parent(&self) -> Option<usize> {
        self.lanes[0].parent.map(|p| p.body)
    }
}

/// The rotation that takes z to the axis, or to its opposite (then the sign is -1).
fn z_to_axis(kind: JointKind, axis: &Vector3<f64>) -> (Matrix3<f64>, f64) {
    if matches!(kind, JointKind::Spherical | JointKind::Floating) {
        return (Matrix3::identity(), 1.0);
    }
    // A planar joint's coordinates are tied to its normal; it is not turned over.
    let largest = axis.iamax();
    let flip = kind != JointKind::Planar && axis[largest] < 0.0;
    let sign = if flip { -1.0 } else { 1.0 };
    let z = axis * sign;
    let (x, y) = if kind != JointKind::Planar && z == Vector3::ith(largest, 1.0) {
        // Along a coordinate axis: the cyclic permutation, which is exact.
        (Vector3::ith((largest + 1) % 3, 1.0), Vector3::ith((largest + 2) % 3, 1.0))
    } else {
        plane_basis(&z)
    };
    (Matrix3::from_columns(&[x, y, z]), sign)
}

/// An inertia expressed in the frame `c` of its own frame: `c^-1` acting on it
/// (docs/math.md#spatial-vectors).
pub(crate) fn inertia_seen_from(i: &Inertia<f64>, c: &Placement<f64>) -> Inertia<f64> {
    inertia_moved(i, &inverse(c))
}

/// An inertia of the frame that is placed at `t`, expressed in t's parent frame.
pub(crate) fn inertia_moved(i: &Inertia<f64>, t: &Placement<f64>) -> Inertia<f64> {
    let (r, p) = (&t.rotation, &t.translation);
    let h = r * i.h;
    let k = h + p * (i.mass / 2.0);
    let parallel = Matrix3::identity() * (2.0 * p.dot(&k)) - p * k.transpose() - k * p.transpose();
    Inertia { mass: i.mass, h: h + p * i.mass, j: r * i.j * r.transpose() + parallel }
}

/// Numbers of an inertia without their signs.
fn magnitudes(i: &Inertia<f64>) -> Inertia<f64> {
    Inertia { mass: i.mass.abs(), h: i.h.abs(), j: i.j.abs() }
}
