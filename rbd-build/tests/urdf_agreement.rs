//! Comparison with an independent URDF parser, `urdf-rs`. Its numbers are assembled here by other
//! means: transforms as quaternions, inertias as sums over each body's links.

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use rbd_build::options::{Base, ReadOptions};
use rbd_build::urdf::read;
use rbd_runtime::spatial::{Inertia, Placement};
use rbd_runtime::{JointKind, Model};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use urdf_rs::{JointType, Pose, Robot};

fn files() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("good"), here.join("../../robots")];
    let entries = folders.iter().filter_map(|f| std::fs::read_dir(f).ok()).flatten();
    let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "urdf"));
    files.sort();
    files
}

fn pose(p: &Pose) -> Isometry3<f64> {
    let about = |axis, angle| UnitQuaternion::from_axis_angle(&axis, angle);
    let [roll, pitch, yaw] = *p.rpy;
    let rotation =
        about(Vector3::z_axis(), yaw) * about(Vector3::y_axis(), pitch) * about(Vector3::x_axis(), roll);
    Isometry3::from_parts(Translation3::from(*p.xyz), rotation)
}

#[track_caller]
fn same_placement(a: &Placement<f64>, b: &Isometry3<f64>, what: &str) {
    assert!((a.translation - b.translation.vector).amax() < 1e-12, "{what}: {a:?} {b}");
    assert!((a.rotation - b.rotation.to_rotation_matrix().matrix()).amax() < 1e-12, "{what}: {a:?} {b}");
}

#[track_caller]
fn same(a: f64, b: f64, what: &str) {
    assert!(a == b || (a - b).abs() < 1e-12 * (1.0 + a.abs()), "{what}: {a} {b}");
}

fn kind(t: &JointType) -> Option<JointKind> {
    Some(match t {
        JointType::Revolute => JointKind::Revolute,
        JointType::Continuous => JointKind::Continuous,
        JointType::Prismatic => JointKind::Prismatic,
        JointType::Floating => JointKind::Floating,
        JointType::Planar => JointKind::Planar,
        JointType::Spherical => JointKind::Spherical,
        JointType::Fixed => return None,
    })
}

/// Mass, first moment and inertia about the body's origin of one link placed in it.
fn add(sum: &mut Inertia<f64>, link: &urdf_rs::Link, in_body: &Isometry3<f64>) {
    let i = &link.inertial;
    let at = in_body * pose(&i.origin);
    let (m, c, t) = (i.mass.value, at.translation.vector, &i.inertia);
    let r = at.rotation.to_rotation_matrix();
    let central = Matrix3::new(t.ixx, t.ixy, t.ixz, t.ixy, t.iyy, t.iyz, t.ixz, t.iyz, t.izz);
    let cross = c.cross_matrix();
    sum.mass += m;
    sum.h += c * m;
    sum.j += r.matrix() * central * r.matrix().transpose() - cross * cross * m;
}

fn compare(model: &Model<f64>, robot: &Robot) {
    assert_eq!(model.name, robot.name);
    let above: HashMap<&str, &urdf_rs::Joint> =
        robot.joints.iter().map(|j| (j.child.link.as_str(), j)).collect();
    let joint_of: HashMap<&str, usize> =
        model.bodies.iter().enumerate().map(|(i, b)| (b.joint.as_str(), i)).collect();
    // Where a link is in its body: up through fixed joints.
    let place = |link: &str| {
        let (mut link, mut at) = (link, Isometry3::identity());
        loop {
            match above.get(link) {
                None => return (None, at),
                Some(j) if kind(&j.joint_type).is_some() => return (Some(joint_of[j.name.as_str()]), at),
                Some(j) => {
                    at = pose(&j.origin) * at;
                    link = &j.parent.link;
                }
            }
        }
    };
    let none = Inertia { mass: 0.0, h: Vector3::zeros(), j: Matrix3::zeros() };
    let (mut base, mut sums) = (none, vec![none; model.bodies.len()]);
    let frames: HashMap<&str, _> = model.frames.iter().map(|f| (f.name.as_str(), f)).collect();
    for link in &robot.links {
        let (body, at) = place(&link.name);
        assert_eq!(frames[link.name.as_str()].body, body, "{}", link.name);
        same_placement(&frames[link.name.as_str()].placement, &at, &link.name);
        add(body.map_or(&mut base, |b| &mut sums[b]), link, &at);
    }
    for (ours, theirs) in
        model.bodies.iter().map(|b| &b.inertia).chain([&model.base_inertia]).zip(sums.iter().chain([&base]))
    {
        same(ours.mass, theirs.mass, "mass");
        assert!((ours.h - theirs.h).amax() < 1e-12 && (ours.j - theirs.j).amax() < 1e-12);
    }
    let mut moving = 0;
    for joint in &robot.joints {
        let name = joint.name.as_str();
        let Some(kind) = kind(&joint.joint_type) else {
            let (body, at) = place(&joint.child.link);
            if robot.links.iter().all(|l| l.name != name) {
                assert_eq!(frames[name].body, body);
                same_placement(&frames[name].placement, &at, name);
            }
            continue;
        };
        moving += 1;
        let body = &model.bodies[joint_of[name]];
        let (parent, at) = place(&joint.parent.link);
        assert_eq!((body.kind, body.parent, &body.link), (kind, parent, &joint.child.link));
        same_placement(&body.placement, &(at * pose(&joint.origin)), name);
        if kind.nv() == 1 || kind == JointKind::Planar {
            let axis = Vector3::from(*joint.axis.xyz);
            assert!((body.axis - axis.normalize()).amax() < 1e-14, "{name}");
        }
        let (l, t) = (&body.limits, &joint.limit);
        // The other parser says 0 for a missing limit; here that is unlimited.
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        let bound = |ours, theirs| same(finite(ours), finite(theirs), name);
        if kind != JointKind::Continuous {
            bound(l.lower, t.lower);
            bound(l.upper, t.upper);
        }
        bound(l.velocity, t.velocity);
        bound(l.effort, t.effort);
        let (damping, friction) = joint.dynamics.as_ref().map_or((0.0, 0.0), |d| (d.damping, d.friction));
        assert_eq!((body.damping, body.friction), (damping, friction), "{name}");
        assert_eq!(body.mimic.is_some(), joint.mimic.is_some());
        // Down the chain of mimic joints, to the joint that moves by itself.
        let (mut ratio, mut offset, mut end) = (1.0, 0.0, joint);
        while let Some(mimic) = &end.mimic {
            offset += ratio * mimic.offset.unwrap_or(0.0);
            ratio *= mimic.multiplier.unwrap_or(1.0);
            end = robot.joints.iter().find(|j| j.name == mimic.joint).unwrap();
        }
        if let Some(mimic) = body.mimic {
            assert_eq!(model.bodies[mimic.joint].joint, end.name);
            same(mimic.multiplier, ratio, name);
            same(mimic.offset, offset, name);
        }
    }
    assert_eq!(model.bodies.len(), moving);
}

#[test]
fn both_parsers_read_the_same_numbers() {
    let mut compared = Vec::new();
    // Published robots have such links, too light to matter. Every angle is taken as written:
    // `urdf-rs` snaps none.
    let options = ReadOptions { allow_unphysical_inertia: true, snap: Some(0.0), ..Default::default() };
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let ours = read(&text, name, &options).unwrap_or_else(|e| panic!("{e}"));
        // The other parser knows neither the type `ball`, nor a declaration after a blank line, nor
        // undeclared prefixes. Files that it still refuses are not compared.
        let theirs = text
            .trim_start()
            .replace("type=\"ball\"", "type=\"spherical\"")
            .replace("sensor:plugin", "plugin");
        match urdf_rs::read_from_string(&theirs) {
            Ok(robot) => {
                println!("{name}");
                compare(&ours.model, &robot);
                compared.push(name.to_owned());
            }
            Err(e) => println!("{name}: not read by urdf-rs: {e}"),
        }
    }
    println!("compared: {compared:?}");
    for must in ["arm.urdf", "gripper.urdf"] {
        assert!(compared.iter().any(|c| c == must), "{must} was not compared");
    }
}

/// A robot read through `urdf-rs` equals the file's, to the last bit. Limits of zero, which are
/// none, are the exception.
#[cfg(feature = "urdf-rs")]
#[test]
fn a_robot_of_urdf_rs_is_the_files() {
    let mut compared = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(theirs) = urdf_rs::read_from_string(&text) else { continue };
        // It knows no inertia of rotors.
        if text.contains("armature") {
            continue;
        }
        let read = |robot: rbd_build::Robot| robot.allow_unphysical_inertia(true).read().unwrap().model;
        let (ours, theirs) =
            (read(rbd_build::Robot::from_urdf(&path)), read(rbd_build::Robot::from_urdf_rs(&theirs)));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(
            (ours.nq, ours.nv, ours.bodies.len()),
            (theirs.nq, theirs.nv, theirs.bodies.len()),
            "{name}"
        );
        for (a, b) in ours.bodies.iter().zip(theirs.bodies) {
            let limits = |body: &rbd_runtime::model::Body<f64>| {
                let of = &body.limits;
                [of.lower, of.upper, of.effort, of.velocity]
                    .map(|x| if x == 0.0 { f64::INFINITY } else { x.abs() })
            };
            assert_eq!(limits(a), limits(&b), "{name}, {}", a.joint);
            assert_eq!(*a, rbd_runtime::model::Body { limits: a.limits, ..b }, "{name}");
        }
        compared.push(name);
    }
    println!("compared: {compared:?}");
    assert!(compared.len() > 20, "{compared:?}");
}

/// `tests/values/order/pinocchio.json` has the order of Pinocchio's own reader.
#[test]
fn joints_are_ordered_as_pinocchio_has_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("tests/values/order/pinocchio.json")).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
    let stored = stored["joints"].as_object().unwrap();
    let mut others = Vec::new();
    for (file, names) in stored {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        let names: Vec<&str> = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        // Tiago's file has inertias that no body has.
        let options = ReadOptions { allow_unphysical_inertia: true, ..Default::default() };
        let model = read(&text, file, &options).unwrap().model;
        let joints = model.pinocchio_order.iter().map(|&k| model.bodies[k].joint.as_str());
        assert!(joints.eq(names.iter().copied()), "{file}");
        if !model.pinocchio_order.is_sorted() {
            others.push(file.as_str());
        }
        if file == "robots/hyq.urdf" {
            let floating = ReadOptions { base: Base::Floating, ..Default::default() };
            let model = read(&text, file, &floating).unwrap().model;
            let joints = model.pinocchio_order.iter().map(|&k| model.bodies[k].joint.as_str());
            assert!(joints.eq(["root_joint"].into_iter().chain(names)), "{file}");
        }
    }
    // Where names are in another order than the file.
    assert!(
        ["robots/hyq.urdf", "rbd-build/tests/good/siblings.urdf"].iter().all(|f| others.contains(f)),
        "{others:?}"
    );
}
