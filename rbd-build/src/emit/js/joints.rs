//! The robot's data: sizes, joints, and the order of Pinocchio's coordinates.

use super::spell::{item, string, table};
use rbd_runtime::Model;
use rbd_runtime::model::Body;
use std::fmt::Write;

/// Constants of the module.
pub fn text(model: &Model<f64>) -> String {
    let mut text = format!(
        "export const NAME = {};\nexport const NQ = {}, NV = {}, NB = {};\n\nexport const JOINTS = Object.freeze([\n",
        string(&model.name),
        model.nq,
        model.nv,
        model.bodies.len()
    );
    for body in &model.bodies {
        let _ = writeln!(text, "    Object.freeze({{ {} }}),", joint(body));
    }
    text += "]);\n\n";
    let bodies = || model.pinocchio_order.iter().map(|&k| &model.bodies[k]);
    let q = table(bodies().flat_map(|b| b.idx_q..b.idx_q + b.nq()));
    let v = table(bodies().flat_map(|b| b.idx_v..b.idx_v + b.nv()));
    for (name, order) in [("Q", q), ("V", v)] {
        let _ = writeln!(text, "export const PINOCCHIO_{name} = Object.freeze([{order}]);");
    }
    text + "\n"
}

fn joint(body: &Body<f64>) -> String {
    let index = |i: Option<usize>| i.map_or("null".into(), |i| i.to_string());
    let mimic = body.mimic.map_or("null".into(), |m| {
        let (multiplier, offset) = (item(m.multiplier), item(m.offset));
        format!("Object.freeze({{ joint: {}, multiplier: {multiplier}, offset: {offset} }})", m.joint)
    });
    let whole =
        [("idx_q", body.idx_q), ("nq", body.nq()), ("idx_v", body.idx_v), ("nv", body.nv())].into_iter();
    let numbers = [
        ("lower", body.limits.lower),
        ("upper", body.limits.upper),
        ("velocity", body.limits.velocity),
        ("effort", body.limits.effort),
        ("damping", body.damping),
        ("friction", body.friction),
        ("armature", body.armature),
    ];
    let mut items = vec![
        format!("name: {}", string(&body.joint)),
        format!("kind: \"{}\"", format!("{:?}", body.kind).to_lowercase()),
    ];
    items.extend(whole.map(|(name, n)| format!("{name}: {n}")));
    items.extend([format!("parent: {}", index(body.parent)), format!("mimic: {mimic}")]);
    items.extend(numbers.map(|(name, x)| format!("{name}: {}", item(x))));
    items.join(", ")
}
