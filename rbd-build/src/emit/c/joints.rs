//! Table of a robot's joints.

use super::Writer;
use super::spell::{string, table};
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

/// Longest string written as a literal, well below the 4095 characters that C99 guarantees.
const LONGEST_LITERAL: usize = 1000;

const KINDS: [(JointKind, &str); 6] = [
    (JointKind::Revolute, "one angle, with limits"),
    (JointKind::Continuous, "one angle, without limits"),
    (JointKind::Prismatic, "one length, m"),
    (JointKind::Planar, "q: x, y, angle; v: x, y, angle, in the child's frame"),
    (JointKind::Spherical, "q: unit quaternion x, y, z, w; v: angular velocity in the child's frame"),
    (JointKind::Floating, "q: x, y, z, unit quaternion; v: linear, angular, in the child's frame"),
];

fn kind_name(prefix: &str, kind: JointKind) -> String {
    format!("{prefix}_{kind:?}").to_uppercase()
}

/// Writes the table's types and its declaration.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>) {
    let (prefix, real) = (c.prefix, c.real.name());
    let _ = writeln!(text, "typedef enum {{");
    for (kind, doc) in KINDS {
        let _ = writeln!(text, "    {}, /* {doc} */", kind_name(prefix, kind));
    }
    // C90 and C++98 refuse a comma after the last item.
    if let Some(comma) = text.rfind(", /*") {
        text.replace_range(comma..=comma, "");
    }
    let _ = write!(
        text,
        "}} {prefix}_joint_kind_t;\n\n\
         /* A moving joint. A limit that the URDF does not state is the largest number. */\n\
         typedef struct {{\n    \
         const char *name;\n    \
         {prefix}_joint_kind_t kind;\n    \
         int idx_q, nq; /* first coordinate in q, and how many */\n    \
         int idx_v, nv; /* the same in v, a and tau */\n    \
         int parent; /* the joint before it, -1 for none */\n    \
         int mimic; /* the joint that it follows, -1 for none */\n    \
         {real} multiplier, offset; /* as multiplier * q + offset */\n    \
         {real} lower, upper; /* position, rad or m */\n    \
         {real} velocity, effort; /* largest speed and torque */\n    \
         {real} damping, friction, armature;\n\
         }} {prefix}_joint_t;\n\n\
         /* The moving joints, depth first from the root. */\n\
         extern const {prefix}_joint_t {prefix}_joints[{}];\n\
         /* Pinocchio's order: q_pinocchio[i] is q[{prefix}_pinocchio_q[i]], and v_pinocchio[i] is v[{prefix}_pinocchio_v[i]]. */\n\
         extern const int {prefix}_pinocchio_q[{}];\n\
         extern const int {prefix}_pinocchio_v[{}];\n\
         /* The robot's name in the URDF. */\n\
         extern const char {prefix}_name[];\n\n",
        model.bodies.len().max(1),
        model.nq.max(1),
        model.nv.max(1)
    );
}

/// Writes the table.
pub fn define(text: &mut String, c: &Writer<'_>, model: &Model<f64>) {
    let prefix = c.prefix;
    if model.name.len() > LONGEST_LITERAL {
        let _ = writeln!(text, "const char {prefix}_name[] = {};", bytes(&model.name));
    } else {
        let _ = writeln!(text, "const char {prefix}_name[] = {};", string(&model.name));
    }
    let mut names = Vec::new();
    for (k, b) in model.bodies.iter().enumerate() {
        if b.joint.len() > LONGEST_LITERAL {
            let _ = writeln!(text, "static const char {prefix}_name_of_{k}[] = {};", bytes(&b.joint));
            names.push(format!("{prefix}_name_of_{k}"));
        } else {
            names.push(string(&b.joint));
        }
    }
    let _ = writeln!(text, "\nconst {prefix}_joint_t {prefix}_joints[{}] = {{", model.bodies.len().max(1));
    let index = |i: Option<usize>| i.map_or("-1".into(), |i| i.to_string());
    let number = |x: f64| c.real.limit(x);
    for (b, name) in model.bodies.iter().zip(names) {
        let (l, m) = (b.limits, b.mimic);
        let numbers = [
            m.map_or(1.0, |m| m.multiplier),
            m.map_or(0.0, |m| m.offset),
            l.lower,
            l.upper,
            l.velocity,
            l.effort,
            b.damping,
            b.friction,
            b.armature,
        ];
        let _ = writeln!(
            text,
            "    {{{name}, {}, {}, {}, {}, {}, {}, {}, {}}},",
            kind_name(prefix, b.kind),
            b.idx_q,
            b.nq(),
            b.idx_v,
            b.nv(),
            index(b.parent),
            index(m.map(|m| m.joint)),
            numbers.map(number).join(", ")
        );
    }
    if model.bodies.is_empty() {
        let _ = writeln!(
            text,
            "    {{\"\", {}, 0, 0, 0, 0, -1, -1, {}}},",
            kind_name(prefix, JointKind::Revolute),
            ["0"; 9].join(", ")
        );
    }
    text.push_str("};\n\n");
    let joints = || model.pinocchio_order.iter().map(|&k| &model.bodies[k]);
    let q: Vec<usize> = joints().flat_map(|b| b.idx_q..b.idx_q + b.nq()).collect();
    let v: Vec<usize> = joints().flat_map(|b| b.idx_v..b.idx_v + b.nv()).collect();
    for (name, order) in [("q", q), ("v", v)] {
        let numbers = if order.is_empty() { "0".into() } else { table(&order) };
        let length = order.len().max(1);
        let _ = writeln!(text, "const int {prefix}_pinocchio_{name}[{length}] = {{\n        {numbers}}};\n");
    }
}

/// A string, byte by byte.
fn bytes(text: &str) -> String {
    // Bytes above 127 as negative numbers, for compilers with signed `char`.
    let numbers: Vec<String> =
        text.bytes().map(|b| b.cast_signed().to_string()).chain(["0".into()]).collect();
    let lines: Vec<String> = numbers.chunks(24).map(|line| line.join(", ")).collect();
    format!("{{\n    {}}}", lines.join(",\n    "))
}
