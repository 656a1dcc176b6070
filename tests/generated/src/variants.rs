//! One robot written in several equivalent ways, or with one option changed. Also a part of the
//! build script.

use crate::trees::{Tree, rename};
use crate::urdf::{GROUND, Joint, Link, Urdf};
use nalgebra::{Matrix3, Rotation3, Vector3};
use rbd_build::Function;
use rbd_runtime::JointKind;
use rbd_runtime::random::{Options, Random, random_model};
use rbd_runtime::spatial::{Inertia, Placement};

/// The joint whose axis is flipped.
pub const FLIPPED: &str = "joint_2";
/// The joint that is locked, and where.
pub const LOCKED: (&str, f64) = ("joint_3", -0.4);
/// Rotation of the whole robot.
pub fn turn() -> Rotation3<f64> {
    Rotation3::from_euler_angles(0.3, -0.5, 1.1)
}
/// Armature by joint.
pub const ARMATURE: [(&str, f64); 2] = [("joint_1", 0.3), ("joint_4", 0.05)];

/// A tree of six joints of one coordinate: 0 carries 1 and 3, 1 carries 2, 3 carries 4, 4 carries 5.
pub fn original() -> Urdf {
    let options = Options { bodies: 6, branching: 0.0, on_world: 0.0, damping: true, ..Options::default() };
    let mut model = random_model(77, &options);
    model.bodies[3].parent = Some(0);
    model.bodies[FLIPPED[6..].parse::<usize>().expect("a number")].kind = JointKind::Revolute;
    Urdf { name: "original".into(), ..Urdf::of(&model) }
}

/// The original and its variants, by stem.
pub fn variants() -> Vec<Tree> {
    let mut all: Vec<Tree> = [
        ("original", original()),
        ("siblings", siblings()),
        ("renamed", renamed()),
        ("with_fixed", with_fixed()),
        ("split", split()),
        ("flipped", flipped()),
        ("turned", turned()),
        ("lock_option", original()),
        ("lock_edited", lock_edited()),
        ("armature", original()),
        ("damping", original()),
        ("weightless", original()),
        ("mimic", mimic()),
    ]
    .into_iter()
    .map(|(stem, urdf)| Tree::new(stem, urdf))
    .collect();
    for tree in &mut all {
        use Function::{Aba, AbaDerivatives, Bias, Crba, Gravity, Minv, Rnea, RneaDerivatives};
        tree.functions = vec![Rnea, Bias, Gravity, Aba, Crba, Minv, RneaDerivatives, AbaDerivatives];
        match tree.stem.as_str() {
            "lock_option" => tree.lock = vec![(LOCKED.0.into(), LOCKED.1)],
            "armature" => tree.armature = ARMATURE.map(|(joint, x)| (joint.into(), x)).into(),
            "damping" => tree.damping = true,
            "weightless" => tree.gravity = Some([0.0; 3]),
            "turned" => tree.gravity = Some((turn() * Vector3::new(0.0, 0.0, -9.81)).into()),
            _ => {}
        }
    }
    all
}

/// Links and joints in the opposite order.
fn siblings() -> Urdf {
    let mut urdf = original();
    urdf.links.reverse();
    urdf.joints.reverse();
    urdf
}

fn renamed() -> Urdf {
    let mut urdf = original();
    rename(&mut urdf);
    urdf
}

fn fixed_joint(name: &str, parent: &str, child: &str, origin: Placement<f64>) -> Joint {
    Joint {
        name: name.into(),
        kind: None,
        parent: parent.into(),
        child: child.into(),
        origin,
        axis: Vector3::zeros(),
        mimic: None,
        damping: 0.0,
    }
}

/// Each joint hangs on its parent through a massless link on a fixed joint.
fn with_fixed() -> Urdf {
    let mut urdf = original();
    let r = &mut Random::new(5);
    for i in 0..urdf.joints.len() {
        let name = format!("between_{i}");
        let step = Placement { rotation: r.rotation(), translation: r.vector3(0.3) };
        let joint = &mut urdf.joints[i];
        let first = fixed_joint(&format!("to_{name}"), &joint.parent, &name, step);
        let back = step.rotation.transpose();
        joint.origin = Placement {
            rotation: back * joint.origin.rotation,
            translation: back * (joint.origin.translation - step.translation),
        };
        joint.parent = name.clone();
        urdf.joints.push(first);
        urdf.links.push(Link { name, inertia: None });
    }
    urdf
}

/// One body in two parts, the smaller of which hangs on a fixed joint in a frame of its own.
fn split() -> Urdf {
    let mut urdf = original();
    let r = &mut Random::new(6);
    let at = Placement { rotation: r.rotation(), translation: r.vector3(0.2) };
    let whole = urdf.link("link_1").inertia.as_mut().expect("a mass");
    let scaled = |i: &Inertia<f64>, x: f64| Inertia { mass: i.mass * x, h: i.h * x, j: i.j * x };
    // Where the whole is, seen from the half's frame.
    let back = at.rotation.transpose();
    let half =
        moved(&scaled(whole, 0.3), &Placement { rotation: back, translation: -(back * at.translation) });
    *whole = scaled(whole, 0.7);
    urdf.links.push(Link { name: "half".into(), inertia: Some(half) });
    urdf.joints.push(fixed_joint("glue", "link_1", "half", at));
    urdf
}

/// An inertia in a frame that is placed `at`: R Jc R^T about the centre of mass, then Steiner.
fn moved(i: &Inertia<f64>, at: &Placement<f64>) -> Inertia<f64> {
    let steiner = |m: f64, c: &Vector3<f64>| (Matrix3::identity() * c.dot(c) - c * c.transpose()) * m;
    let c = i.h / i.mass;
    let about_com = i.j - steiner(i.mass, &c);
    let c = at.rotation * c + at.translation;
    let j = at.rotation * about_com * at.rotation.transpose() + steiner(i.mass, &c);
    Inertia { mass: i.mass, h: c * i.mass, j }
}

fn flipped() -> Urdf {
    let mut urdf = original();
    let joint = urdf.joint(FLIPPED);
    joint.axis = -joint.axis;
    urdf
}

/// A robot on the ground is turned together with gravity.
fn turned() -> Urdf {
    let mut urdf = original();
    for joint in urdf.joints.iter_mut().filter(|j| j.parent == GROUND) {
        joint.origin = Placement {
            rotation: turn().matrix() * joint.origin.rotation,
            translation: turn() * joint.origin.translation,
        };
    }
    urdf
}

/// The locked joint made fixed by hand.
fn lock_edited() -> Urdf {
    let mut urdf = original();
    let joint = urdf.joint(LOCKED.0);
    let axis = nalgebra::Unit::new_normalize(joint.axis);
    if joint.kind == Some(JointKind::Prismatic) {
        joint.origin.translation += joint.origin.rotation * axis.into_inner() * LOCKED.1;
    } else {
        joint.origin.rotation *= Rotation3::from_axis_angle(&axis, LOCKED.1).matrix();
    }
    (joint.kind, joint.axis, joint.damping) = (None, Vector3::zeros(), 0.0);
    urdf
}

/// Joints 2 and 5 follow joint 1 and joint 3.
fn mimic() -> Urdf {
    let mut urdf = original();
    for (follower, leader, multiplier, offset) in MIMIC {
        urdf.joint(follower).mimic = Some((leader.into(), multiplier, offset));
    }
    urdf
}

/// Follower, leader, multiplier and offset of the variant with mimic joints.
pub const MIMIC: [(&str, &str, f64, f64); 2] =
    [("joint_2", "joint_1", -1.3, 0.2), ("joint_5", "joint_3", 0.6, -0.5)];
