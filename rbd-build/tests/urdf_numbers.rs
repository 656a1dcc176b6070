//! Good files: the numbers of the model, worked out by hand.

use nalgebra::{Matrix3, Vector3};
use rbd_build::options::{Base, ReadOptions};
use rbd_build::urdf::{Reading, read, read_file};
use rbd_runtime::spatial::{Inertia, Placement};
use rbd_runtime::{JointKind, JointLimits, Mimic, Model};

const ARM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/good/arm.urdf");

fn model(text: &str, options: &ReadOptions) -> Model<f64> {
    read(text, "test.urdf", options).unwrap_or_else(|e| panic!("{e}")).model
}

fn arm(options: &ReadOptions) -> Reading {
    read_file(ARM, options).unwrap_or_else(|e| panic!("{e}"))
}

#[track_caller]
fn close(a: &Matrix3<f64>, b: &Matrix3<f64>) {
    assert!((a - b).amax() < 1e-14, "{a} {b}");
}

#[track_caller]
fn near(a: &Vector3<f64>, b: [f64; 3]) {
    assert!((a - Vector3::from(b)).amax() < 1e-14, "{a} {b:?}");
}

#[track_caller]
fn same_inertia(a: &Inertia<f64>, b: &Inertia<f64>) {
    assert!((a.mass - b.mass).abs() < 1e-14);
    near(&a.h, b.h.into());
    close(&a.j, &b.j);
}

#[track_caller]
fn same_placement(a: &Placement<f64>, b: &Placement<f64>) {
    near(&a.translation, b.translation.into());
    close(&a.rotation, &b.rotation);
}

fn codes(reading: &Reading) -> Vec<&'static str> {
    reading.warnings.iter().map(|f| f.code).collect()
}

#[test]
fn order_names_and_coordinates() {
    let m = arm(&ReadOptions::default()).model;
    assert_eq!((m.name.as_str(), m.nq, m.nv, m.bodies.len()), ("arm", 2, 2, 2));
    let [shoulder, elbow] = &m.bodies[..] else { panic!() };
    assert_eq!(
        (shoulder.joint.as_str(), shoulder.link.as_str(), shoulder.parent),
        ("shoulder", "upper", None)
    );
    assert_eq!((elbow.joint.as_str(), elbow.link.as_str(), elbow.parent), ("elbow", "lower", Some(0)));
    assert_eq!((shoulder.idx_q, elbow.idx_q, shoulder.idx_v, elbow.idx_v), (0, 1, 0, 1));
    assert_eq!((shoulder.kind, elbow.kind), (JointKind::Revolute, JointKind::Prismatic));
    assert_eq!((shoulder.axis, elbow.axis), (Vector3::z(), Vector3::x()));
    assert_eq!(shoulder.limits, JointLimits { lower: -2.0, upper: 2.0, velocity: 3.0, effort: 40.0 });
    let free = f64::INFINITY;
    assert_eq!(elbow.limits, JointLimits { lower: 0.0, upper: 1.0, velocity: free, effort: free });
    assert_eq!((shoulder.damping, shoulder.friction, shoulder.armature), (0.5, 0.1, 0.0));
    assert_eq!(m.gravity, Vector3::new(0.0, 0.0, -9.81));
    assert!(!m.damping_enters);
}

#[test]
fn fixed_joints_merge() {
    let m = arm(&ReadOptions::default()).model;
    // Pedestal: its centre of mass is 0.25 below its frame, which is 0.5 above the world's.
    same_inertia(
        &m.base_inertia,
        &Inertia {
            mass: 4.0,
            h: Vector3::new(0.0, 0.0, 1.0),
            j: Matrix3::from_diagonal(&Vector3::new(0.1 + 4.0 * 0.0625, 0.1 + 4.0 * 0.0625, 0.05)),
        },
    );
    // Tool: pitched by 90 degrees, so its z is the upper arm's x, and its centre of mass is at
    // (1.5, 0, 0). Its inertial frame is rolled by 90 degrees in it: there y and z change places,
    // so about the tool's axes the inertias are 0.1, 0.25, 0.2, and about the upper arm's 0.2,
    // 0.25, 0.1.
    same_inertia(
        &m.bodies[0].inertia,
        &Inertia {
            mass: 5.0,
            h: Vector3::new(4.5, 0.0, 0.0),
            j: Matrix3::from_diagonal(&Vector3::new(
                0.02 + 0.2,
                0.03 + 0.25 + 3.0 * 2.25,
                0.04 + 0.1 + 3.0 * 2.25,
            )),
        },
    );
    same_inertia(
        &m.bodies[1].inertia,
        &Inertia {
            mass: 1.0,
            h: Vector3::new(0.25, 0.0, 0.0),
            j: Matrix3::new(0.01, 0.001, 0.0, 0.001, 0.0725, 0.0, 0.0, 0.0, 0.0725),
        },
    );
}

#[test]
fn placements_and_frames() {
    let m = arm(&ReadOptions::default()).model;
    let quarter_z = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    near(&m.bodies[0].placement.translation, [0.0, 0.0, 0.6]);
    close(&m.bodies[0].placement.rotation, &quarter_z);
    near(&m.bodies[1].placement.translation, [0.0, 2.0, 0.0]);
    let frames: Vec<_> = m.frames.iter().map(|f| (f.name.as_str(), f.body)).collect();
    // Depth first; the link `tip` wins over the fixed joint of its name.
    let expected = [
        ("world", None),
        ("bolts", None),
        ("pedestal", None),
        ("upper", Some(0)),
        ("flange", Some(0)),
        ("tool", Some(0)),
        ("tip", Some(0)),
        ("lower", Some(1)),
    ];
    assert_eq!(frames, expected);
    let quarter_y = Matrix3::new(0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0);
    for frame in &m.frames[4..7] {
        near(&frame.placement.translation, [1.0, 0.0, 0.0]);
        close(&frame.placement.rotation, &quarter_y);
    }
}

#[test]
fn roll_pitch_yaw_are_about_fixed_axes() {
    let text = two_links(r#"<origin rpy="0.3 -0.7 1.1"/>"#, "revolute", "");
    let r = model(&text, &ReadOptions::default()).bodies[0].placement.rotation;
    let about = |axis, angle| *nalgebra::Rotation3::from_axis_angle(&axis, angle).matrix();
    let (x, y, z) = (Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis());
    close(&r, &(about(z, 1.1) * about(y, -0.7) * about(x, 0.3)));
}

#[test]
fn floating_base_is_body_zero() {
    let m = arm(&ReadOptions { base: Base::Floating, ..Default::default() }).model;
    let root = &m.bodies[0];
    assert_eq!(
        (root.joint.as_str(), root.link.as_str(), root.kind),
        ("root_joint", "world", JointKind::Floating)
    );
    assert_eq!((m.nq, m.nv), (9, 8));
    assert_eq!((m.bodies[1].parent, m.bodies[1].idx_q, m.bodies[1].idx_v), (Some(0), 7, 6));
    assert_eq!((root.inertia.mass, m.base_inertia.mass), (4.0, 0.0));
    assert_eq!(m.frames[0].body, Some(0));
}

#[test]
fn a_locked_joint_is_a_fixed_one() {
    let text = std::fs::read_to_string(ARM).unwrap();
    let options = ReadOptions {
        lock: [("elbow".to_owned(), 0.75)].into(),
        armature: [("shoulder".to_owned(), 0.2)].into(),
        ..Default::default()
    };
    let locked = model(&text, &options);
    let edited = text
        .replace(r#"name="elbow" type="prismatic""#, r#"name="elbow" type="fixed""#)
        .replace(r#"xyz="0 2 0""#, r#"xyz="0.75 2 0""#);
    assert_ne!(text, edited);
    let by_hand = model(&edited, &ReadOptions { lock: Default::default(), ..options });
    assert_eq!(locked, by_hand);
    assert_eq!(locked.bodies[0].armature, 0.2);

    let options = ReadOptions { lock: [("shoulder".to_owned(), -0.4)].into(), ..Default::default() };
    let locked = model(&text, &options);
    let edited = text
        .replace(r#"name="shoulder" type="revolute""#, r#"name="shoulder" type="fixed""#)
        .replace(r#"rpy="0 0 1.5707963267948966""#, r#"rpy="0 0 1.1707963267948966""#);
    assert_ne!(text, edited);
    let by_hand = model(&edited, &ReadOptions::default());
    assert_eq!((locked.bodies.len(), locked.frames.len()), (1, 9));
    same_placement(&locked.bodies[0].placement, &by_hand.bodies[0].placement);
    same_inertia(&locked.base_inertia, &by_hand.base_inertia);
    for (a, b) in locked.frames.iter().zip(&by_hand.frames) {
        assert_eq!((&a.name, a.body), (&b.name, b.body));
        same_placement(&a.placement, &b.placement);
    }
}

#[test]
fn locking_turns_about_any_axis() {
    let text = two_links(r#"<axis xyz="1 -2 2"/>"#, "continuous", "");
    let more = r#"<link name="c"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="next" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint></robot>"#;
    let text = text.replace("</robot>", more);
    let m = model(&text, &ReadOptions { lock: [("j".to_owned(), 2.5)].into(), ..Default::default() });
    let axis = nalgebra::Unit::new_normalize(Vector3::new(1.0, -2.0, 2.0));
    close(&m.bodies[0].placement.rotation, nalgebra::Rotation3::from_axis_angle(&axis, 2.5).matrix());
}

/// A fixed link `a` and a body `b` on a joint `j`.
fn two_links(inside_joint: &str, kind: &str, rest: &str) -> String {
    format!(
        r#"<robot name="two"><link name="a"/>
        <link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
        <joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside_joint}</joint>{rest}</robot>"#
    )
}

/// One link on the base for each joint, in the given order: name and content of its `<joint>`.
fn fan(joints: &[(&str, &str)]) -> String {
    let mut text = r#"<robot name="fan"><link name="base"/>"#.to_owned();
    for (name, inside) in joints {
        text += &format!(
            r#"<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
            <joint name="{name}" type="continuous"><parent link="base"/><child link="{name}"/>{inside}</joint>"#
        );
    }
    text + "</robot>"
}

#[test]
fn mimic_chains_flatten() {
    // a = 2 b + 1, b = -3 c + 0.5, so a = -6 c + 2; c comes last in the file.
    let text = fan(&[
        ("a", r#"<mimic joint="b" multiplier="2" offset="1"/>"#),
        ("b", r#"<mimic joint="c" multiplier="-3" offset="0.5"/>"#),
        ("free", ""),
        ("c", ""),
        ("d", r#"<mimic joint="c"/>"#),
    ]);
    let m = model(&text, &ReadOptions::default());
    assert_eq!((m.nq, m.nv), (2, 2));
    assert_eq!(m.bodies[0].mimic, Some(Mimic { joint: 3, multiplier: -6.0, offset: 2.0 }));
    assert_eq!(m.bodies[1].mimic, Some(Mimic { joint: 3, multiplier: -3.0, offset: 0.5 }));
    assert_eq!(m.bodies[4].mimic, Some(Mimic { joint: 3, multiplier: 1.0, offset: 0.0 }));
    let indices: Vec<_> = m.bodies.iter().map(|b| (b.idx_q, b.idx_v, b.nq())).collect();
    assert_eq!(indices, [(1, 1, 0), (1, 1, 0), (0, 0, 1), (1, 1, 1), (1, 1, 0)]);

    // Where the leader is locked at 0.25, b stands at -0.25 and a at 0.5.
    let locked = model(&text, &ReadOptions { lock: [("c".to_owned(), 0.25)].into(), ..Default::default() });
    let at = |c: f64, b: f64, a: f64, d: f64| {
        let lock = [("c", c), ("b", b), ("a", a), ("d", d)].map(|(n, x)| (n.to_owned(), x)).into();
        model(&text, &ReadOptions { lock, ..Default::default() })
    };
    assert_eq!(locked, at(0.25, -0.25, 0.5, 0.25));
    assert_ne!(locked, at(0.25, -0.25, 0.6, 0.25));
    assert_eq!(locked.bodies.len(), 1);
}

#[test]
fn what_follows_a_fixed_joint_stands_at_its_offset() {
    let text = include_str!("odd/mimic-of-fixed.urdf");
    let m = model(text, &ReadOptions::default());
    let alone = text.replace(r#"<mimic joint="elbow" multiplier="2" offset="0.5"/>"#, "");
    let locked =
        |x| model(&alone, &ReadOptions { lock: [("wrist".to_owned(), x)].into(), ..Default::default() });
    assert_eq!((m.nv, &m), (1, &locked(0.5)));
    assert_ne!(m, locked(0.0));
    // A joint's own lock takes precedence.
    let lock = [("wrist".to_owned(), 0.25)].into();
    assert_eq!(model(text, &ReadOptions { lock, ..Default::default() }), locked(0.25));
}

#[test]
fn siblings_keep_the_order_of_their_joints() {
    let m = model(&fan(&[("zeta", ""), ("alpha", ""), ("mid", "")]), &ReadOptions::default());
    let names: Vec<_> = m.bodies.iter().map(|b| b.joint.as_str()).collect();
    assert_eq!(names, ["zeta", "alpha", "mid"]);
}

#[test]
fn every_joint_type() {
    for (name, kind, nq, nv) in [
        ("revolute", JointKind::Revolute, 1, 1),
        ("continuous", JointKind::Continuous, 1, 1),
        ("prismatic", JointKind::Prismatic, 1, 1),
        ("planar", JointKind::Planar, 3, 3),
        ("spherical", JointKind::Spherical, 4, 3),
        ("ball", JointKind::Spherical, 4, 3),
        ("floating", JointKind::Floating, 7, 6),
    ] {
        let m = model(&two_links(r#"<axis xyz="0 -3 0"/>"#, name, ""), &ReadOptions::default());
        let has_axis = nq == 1 || kind == JointKind::Planar;
        let axis = if has_axis { -Vector3::y() } else { Vector3::zeros() };
        assert_eq!((m.bodies[0].kind, m.nq, m.nv, m.bodies[0].axis), (kind, nq, nv, axis));
    }
}

#[test]
fn names_stay_as_they_are() {
    let text = two_links("", "continuous", "").replace(r#""b""#, r#"" größe/1.2 fn &amp;""#);
    let m = model(&text, &ReadOptions::default());
    assert_eq!(m.bodies[0].link, " größe/1.2 fn &");
}

#[test]
fn what_dynamics_do_not_need_is_not_judged() {
    let clean = two_links("", "continuous", "");
    let odd = "\u{feff}\n<!-- a --><?xml version='1.0'?>".to_owned()
        + &clean.replace(
            "</robot>",
            r#"<undeclared:thing x:y="${pi}"><deep/></undeclared:thing><link2/><sensor/>
               <f:link xmlns:f="urn:f" name="a"/><gazebo><![CDATA[<link>]]></gazebo></robot>"#,
        );
    let options = ReadOptions::default();
    let reading = read(&odd, "odd.urdf", &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(reading.model, model(&clean, &options));
}

#[test]
fn warnings_of_the_arm() {
    assert_eq!(codes(&arm(&ReadOptions::default())), ["unexpanded-xacro", "damping-ignored"]);
    // The path of a mesh is xacro that nobody expanded, and that dynamics does not read.
    assert_eq!(codes(&arm(&ReadOptions { damping: true, ..Default::default() })), ["unexpanded-xacro"]);
    assert!(read_file(ARM, &ReadOptions { strict: true, ..Default::default() }).unwrap_err().has_errors());
}

/// A quaternion gives the rotation of roll, pitch and yaw, in every `<origin>`, and at any length.
#[test]
fn quaternions_are_rotations() {
    let text = |origin: &str| {
        format!(
            "<robot name='r' version='1.1'><link name='a'/><link name='b'><inertial><origin xyz='1 2 3' {origin}/>\
             <mass value='2'/><inertia ixx='1' ixy='0.1' ixz='0.2' iyy='1.5' iyz='0.3' izz='2'/></inertial></link>\
             <joint name='j' type='continuous'><origin xyz='4 5 6' {origin}/><parent link='a'/><child link='b'/></joint></robot>"
        )
    };
    // About z by 90, about (1, 1, 1) by 120 degrees, and about x by an angle of cosine 0.28.
    for (quaternion, rpy) in [
        ("0 0 1 1", "0 0 1.5707963267948966"),
        ("-0.5 -0.5 -0.5 -0.5", "1.5707963267948966 0 1.5707963267948966"),
        ("3 0 0 4", "1.2870022175865687 0 0"),
        ("0.18 0.3 -0.4 0.8", ""),
    ] {
        let q: Vec<f64> = quaternion.split(' ').map(|x| x.parse().unwrap()).collect();
        let q = nalgebra::Quaternion::new(q[3], q[0], q[1], q[2]);
        let expected = *nalgebra::UnitQuaternion::from_quaternion(q).to_rotation_matrix().matrix();
        let m = model(&text(&format!("quat_xyzw='{quaternion}'")), &ReadOptions::default());
        let (body, rotation) = (&m.bodies[0], m.bodies[0].placement.rotation);
        assert!((rotation - expected).amax() < 4e-15, "{quaternion}: {rotation}");
        assert_eq!(body.placement.translation.as_slice(), [4.0, 5.0, 6.0]);
        if rpy.is_empty() {
            continue;
        }
        let by_angles = model(&text(&format!("rpy='{rpy}'")), &ReadOptions::default());
        let other = &by_angles.bodies[0];
        assert!((rotation - other.placement.rotation).amax() < 4e-15, "{quaternion}");
        assert!((body.inertia.j - other.inertia.j).amax() < 1e-13 && body.inertia.h == other.inertia.h);
    }
    // A quarter turn of any length is exact.
    let r =
        model(&text("quat_xyzw='0.7071 0 0 0.7071'"), &ReadOptions::default()).bodies[0].placement.rotation;
    assert_eq!(r, Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0));
}

/// Reversed limits are no error, and leave the joint without limits, which are not part of
/// dynamics.
#[test]
fn reversed_limits_are_none() {
    let text = two_links(r#"<limit lower="1" upper="-1" velocity="2" effort="3"/>"#, "revolute", "");
    let limits = model(&text, &ReadOptions::default()).bodies[0].limits;
    assert_eq!((limits.lower, limits.upper), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((limits.velocity, limits.effort), (2.0, 3.0));
}

/// With axes and origins of any direction, which shows that the joint's motion comes after its
/// origin.
#[test]
fn a_locked_joint_is_the_moving_one_at_its_position() {
    for (kind, axis) in [("revolute", "0.6 0 0.8"), ("prismatic", "0.6 0 0.8"), ("continuous", "0 1 0")] {
        let link = |name: &str| {
            format!(
                r#"<link name="{name}"><inertial><origin xyz="0.1 -0.2 0.3"/><mass value="2"/>
                <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0.02" izz="0.15"/></inertial></link>"#
            )
        };
        let joint = |name: &str, kind: &str, axis: &str, from: &str, to: &str| {
            format!(
                r#"<joint name="{name}" type="{kind}"><parent link="{from}"/><child link="{to}"/>
                <origin xyz="0.3 0.5 -0.2" rpy="0.4 -0.7 1.1"/><axis xyz="{axis}"/>
                <limit lower="-3" upper="3" velocity="1" effort="1"/></joint>"#
            )
        };
        let text = [
            r#"<robot name="chain"><link name="ground"/>"#.to_owned(),
            ["a", "b", "c"].map(link).concat(),
            joint("first", "revolute", "0 0 1", "ground", "a"),
            joint("second", kind, axis, "a", "b"),
            joint("third", "revolute", "1 0 0", "b", "c"),
            "</robot>".to_owned(),
        ]
        .concat();
        let moving = model(&text, &ReadOptions::default());
        let lock = [("second".to_owned(), 0.7)].into();
        let locked = model(&text, &ReadOptions { lock, ..Default::default() });
        let whole = moving.rnea(&[0.3, 0.7, -0.5], &[1.1, 0.0, 0.6], &[-0.4, 0.0, 2.0]);
        let rest = locked.rnea(&[0.3, -0.5], &[1.1, 0.6], &[-0.4, 2.0]);
        assert!(
            (whole[0] - rest[0]).abs() < 1e-13 && (whole[2] - rest[1]).abs() < 1e-13,
            "{kind}: {whole} {rest}"
        );
    }
}

/// Beyond a hundredth of a radian nobody means a right angle; and an option that is no number is none.
#[test]
fn snapping_is_refused_where_it_would_turn_frames() {
    let text = std::fs::read_to_string(ARM).unwrap();
    for snap in [0.5, -1e-5, f64::NAN, f64::INFINITY] {
        let refused = read(&text, "arm.urdf", &ReadOptions { snap: Some(snap), ..Default::default() });
        assert!(refused.unwrap_err().to_string().contains("snap-out-of-range"), "{snap}");
    }
}

/// Relative to the largest principal inertia, or to a link's mass times ten nanometres squared:
/// less is rounding, at any size.
#[test]
fn an_inertia_may_be_negative_by_rounding_alone() {
    let read_with = |mass: f64, scale: f64, least: f64| {
        let text = format!(
            r#"<robot name="r"><link name="ground"/><link name="l"><inertial><mass value="{mass:e}"/>
            <inertia ixx="{scale:e}" ixy="0" ixz="0" iyy="{scale:e}" iyz="0" izz="{:e}"/></inertial></link>
            <joint name="j" type="continuous"><parent link="ground"/><child link="l"/><axis xyz="1 0 0"/></joint></robot>"#,
            least * scale
        );
        read(&text, "r.urdf", &ReadOptions::default()).is_ok()
    };
    for (mass, scale) in [(1.0, 0.1), (1e-9, 1e-17)] {
        assert!(read_with(mass, scale, -1e-11), "{mass}");
        assert!(!read_with(mass, scale, -1e-4), "{mass}");
    }
    // An exporter's rounding of a zero, next to nothing larger and a mass of a gram.
    assert!(read_with(1e-3, 1e-20, -1.0));
    assert!(!read_with(1e-3, 1e-18, -1.0));
}
