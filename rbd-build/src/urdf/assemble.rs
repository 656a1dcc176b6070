//! Puts links and joints together: moving bodies in depth-first order, all that is fixed merged.

use super::inertial::Inertial;
use super::parts::{Joint, Link, subject};
use super::rigid;
use super::roles::{ROOT_JOINT, Role};
use super::tree::Tree;
use crate::urdf::findings::{At, Report};
use crate::urdf::options::{Base, ReadOptions};
use nalgebra::{Matrix3, Vector3};
use rbd_runtime::model::{Body, Frame, RunTime};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{JointKind, JointLimits, Mimic, Model};
use std::collections::HashSet;

/// The model, and where its bodies and links come from.
pub(super) struct Assembled {
    pub model: Model<f64>,
    /// For each body, its place in the file.
    pub places: Vec<Place>,
    /// For each link, the body that contains it.
    pub body_of: Vec<Option<usize>>,
    /// The frames of links that carry no joint.
    pub leaves: Vec<usize>,
}

/// Source of a body in the file.
pub(super) struct Place {
    /// The body's joint in the file, or the root link for a floating base.
    pub at: At,
    /// Subject of messages, such as ``joint `elbow` ``.
    pub subject: String,
    /// Index of the joint in the file; `None` for a floating base.
    joint: Option<usize>,
}

/// A link to be placed, and the body that it is placed on.
struct Pending {
    link: usize,
    /// The joint above; `None` for the root.
    joint: Option<usize>,
    /// The body that carries the joint's parent link, and that link's placement in it.
    body: Option<usize>,
    placement: Placement<f64>,
}

pub(super) fn model(
    name: &str,
    links: &[Link<'_>],
    joints: &[Joint<'_>],
    tree: &Tree,
    roles: &[Role],
    options: &ReadOptions,
    report: &mut Report,
) -> Option<Assembled> {
    let mut model = Model {
        name: name.to_owned(),
        bodies: Vec::new(),
        frames: Vec::new(),
        gravity: Vector3::from(options.gravity),
        base_inertia: rigid::no_inertia(),
        nq: 0,
        nv: 0,
        damping_enters: options.damping,
        friction_smoothing: options.friction,
        pinocchio_order: Vec::new(),
        run_time: RunTime::none(),
    };
    let (mut places, mut leaves) = (Vec::new(), Vec::new());
    let mut body_of = vec![None; links.len()];
    if options.base == Base::Floating {
        let root = &links[tree.root];
        model.bodies.push(floating_base(root));
        places.push(Place { at: root.at, subject: subject("link", Some(root.name)), joint: None });
    }
    let link_names: HashSet<&str> = links.iter().map(|l| l.name).collect();
    let body = (!model.bodies.is_empty()).then_some(0);
    let mut pending = vec![Pending { link: tree.root, joint: None, body, placement: rigid::identity() }];
    while let Some(Pending { link, joint, mut body, mut placement }) = pending.pop() {
        if let Some(index) = joint {
            let joint = &joints[index];
            placement = rigid::compose(&placement, &joint.origin);
            match roles[index] {
                Role::Still(position) => {
                    placement = rigid::compose(&placement, &moved(joint, position));
                    if !link_names.contains(joint.name) {
                        model.frames.push(Frame { name: joint.name.to_owned(), body, placement });
                    }
                }
                Role::Moves(kind) | Role::Follows { kind, .. } => {
                    model.bodies.push(moving(joint, kind, links[link].name, body, placement, options));
                    places.push(Place { at: joint.at, subject: joint.subject.clone(), joint: Some(index) });
                    (body, placement) = (Some(model.bodies.len() - 1), rigid::identity());
                }
            }
        }
        body_of[link] = body;
        if tree.joints_of[link].is_empty() {
            leaves.push(model.frames.len());
        }
        model.frames.push(Frame { name: links[link].name.to_owned(), body, placement });
        let inertia = rigid::in_outer_frame(&placement, &links[link].inertial.inertia());
        match body {
            Some(body) => rigid::add(&mut model.bodies[body].inertia, &inertia),
            None => rigid::add(&mut model.base_inertia, &inertia),
        }
        // Last in, first out: the first joint of the file comes next.
        for &joint in tree.joints_of[link].iter().rev() {
            pending.push(Pending { link: tree.child[joint], joint: Some(joint), body, placement });
        }
    }
    coordinates(&mut model, &places, roles, joints.len());
    model.pinocchio_order = pinocchio_order(&places, joints, tree);
    if model.nv == 0 {
        report.error(
            "no-moving-joint",
            links[tree.root].at,
            "robot",
            "nothing moves: the base is fixed and so is every joint",
            "let a joint move, or choose a floating base",
        );
        return None;
    }
    Some(Assembled { model, places, body_of, leaves })
}

/// Warns of masses that are missing, or that no motion feels. `unfelt`: bodies reported as massless.
pub(super) fn judge_masses(
    assembled: &Assembled,
    links: &[Link<'_>],
    tree: &Tree,
    unfelt: &[bool],
    report: &mut Report,
) {
    let bodies = &assembled.model.bodies;
    for (index, link) in links.iter().enumerate() {
        let body = assembled.body_of[index];
        let missing = matches!(link.inertial, Inertial::Absent) && !link.has_stray_inertial;
        if missing && tree.joints_of[index].is_empty() && !body.is_some_and(|b| unfelt[b]) {
            // A leaf without geometry that is fixed to something is a mere frame: a tool centre, a camera.
            let moved = body.is_some_and(|b| bodies[b].link == link.name);
            if moved || (link.has_geometry && body.is_some()) {
                report.warn(
                    "missing-inertial",
                    link.at,
                    subject("link", Some(link.name)),
                    "it ends the chain without an `<inertial>`; it is taken as massless",
                    "add an `<inertial>` if it has mass",
                );
            }
        }
        if index == tree.root && body.is_none() && link.inertial.inertia().mass > 0.0 {
            report.note(
                "inertia-on-fixed-root",
                link.at,
                subject("link", Some(link.name)),
                "the root of a fixed base never moves, so its inertia has no effect",
                "nothing is wrong if the base is meant to be fixed; otherwise choose a floating base",
            );
        }
    }
}

fn floating_base(root: &Link<'_>) -> Body<f64> {
    Body {
        joint: ROOT_JOINT.to_owned(),
        link: root.name.to_owned(),
        parent: None,
        kind: JointKind::Floating,
        axis: Vector3::zeros(),
        placement: rigid::identity(),
        inertia: rigid::no_inertia(),
        idx_q: 0,
        idx_v: 0,
        mimic: None,
        limits: JointLimits::NONE,
        damping: 0.0,
        friction: 0.0,
        armature: 0.0,
    }
}

fn moving(
    joint: &Joint<'_>,
    kind: JointKind,
    link: &str,
    parent: Option<usize>,
    placement: Placement<f64>,
    options: &ReadOptions,
) -> Body<f64> {
    Body {
        joint: joint.name.to_owned(),
        link: link.to_owned(),
        parent,
        kind,
        axis: joint.axis,
        placement,
        inertia: rigid::no_inertia(),
        // Both indices and the mimic are set when all bodies are known.
        idx_q: 0,
        idx_v: 0,
        mimic: None,
        limits: joint.limits,
        damping: joint.damping,
        friction: joint.friction,
        armature: options.armature.get(joint.name).copied().unwrap_or(0.0),
    }
}

/// Pose that a locked or fixed joint adds to its origin.
fn moved(joint: &Joint<'_>, position: Option<f64>) -> Placement<f64> {
    use super::parts::Type;
    let Some(position) = position else { return rigid::identity() };
    match joint.kind {
        Type::Moving(JointKind::Prismatic) => {
            Placement { rotation: Matrix3::identity(), translation: joint.axis * position }
        }
        _ => Placement { rotation: rigid::turn(&joint.axis, position), translation: Vector3::zeros() },
    }
}

/// The bodies in the order of Pinocchio's joints: depth first as ours, but the joints on a link by
/// their names' bytes, fixed ones among them.
fn pinocchio_order(places: &[Place], joints: &[Joint<'_>], tree: &Tree) -> Vec<usize> {
    let mut body_of = vec![None; joints.len()];
    for (index, place) in places.iter().enumerate() {
        if let Some(joint) = place.joint {
            body_of[joint] = Some(index);
        }
    }
    let (mut order, mut pending) = (Vec::with_capacity(places.len()), vec![(None, tree.root)]);
    // A floating base has no joint in the file.
    order.extend((0..places.len()).filter(|&index| places[index].joint.is_none()));
    while let Some((joint, link)) = pending.pop() {
        order.extend(joint.and_then(|joint: usize| body_of[joint]));
        let mut of_link = tree.joints_of[link].clone();
        // Last in, first out.
        of_link.sort_by_key(|&joint| std::cmp::Reverse(joints[joint].name));
        pending.extend(of_link.into_iter().map(|joint| (Some(joint), tree.child[joint])));
    }
    order
}

/// Numbers the coordinates in the order of the bodies; a joint that follows has its leader's.
fn coordinates(model: &mut Model<f64>, places: &[Place], roles: &[Role], joints: usize) {
    let mut body_of = vec![usize::MAX; joints];
    for (index, place) in places.iter().enumerate() {
        if let Some(joint) = place.joint {
            body_of[joint] = index;
        }
    }
    let followed = |place: &Place| match roles[place.joint?] {
        Role::Follows { joint, multiplier, offset, .. } => {
            Some(Mimic { joint: body_of[joint], multiplier, offset })
        }
        _ => None,
    };
    for (body, place) in model.bodies.iter_mut().zip(places) {
        body.mimic = followed(place);
        if body.mimic.is_none() {
            (body.idx_q, body.idx_v) = (model.nq, model.nv);
            model.nq += body.kind.nq();
            model.nv += body.kind.nv();
        }
    }
    for index in 0..model.bodies.len() {
        if let Some(mimic) = model.bodies[index].mimic {
            let leader = &model.bodies[mimic.joint];
            (model.bodies[index].idx_q, model.bodies[index].idx_v) = (leader.idx_q, leader.idx_v);
        }
    }
}
