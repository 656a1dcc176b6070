//! A robot's description in generated code: sizes, joints, and the `Model`.

use rbd_runtime::spatial::{Inertia, Placement};
use rbd_runtime::{Mimic, Model};
use std::fmt::Write;

pub fn write(text: &mut String, type_name: &str, model: &Model<f64>) {
    let (nq, nv, nb) = (model.nq, model.nv, model.bodies.len());
    let _ = write!(
        text,
        "const TABLES: rt::RobotTable<{nb}, {}> = rt::RobotTable {{\n\
         name: {:?},\njoints: [\n",
        model.frames.len(),
        model.name
    );
    for b in &model.bodies {
        let l = b.limits;
        let _ = writeln!(
            text,
            "rt::Joint::generated(({:?}, rt::JointKind::{:?}), [{}, {}, {}, {}], {}, {}, [{}, {}, {}, {}], [{}, {}, {}]),",
            b.joint,
            b.kind,
            b.idx_q,
            b.nq(),
            b.idx_v,
            b.nv(),
            index(b.parent),
            mimic(b.mimic),
            number(l.lower),
            number(l.upper),
            number(l.velocity),
            number(l.effort),
            number(b.damping),
            number(b.friction),
            number(b.armature),
        );
    }
    text.push_str("],\nbodies: [\n");
    for b in &model.bodies {
        let _ = writeln!(
            text,
            "rt::BodyTable {{ link: {:?}, axis: {}, placement: {}, inertia: {} }},",
            b.link,
            numbers(b.axis.as_slice()),
            placement(&b.placement),
            inertia(&b.inertia)
        );
    }
    text.push_str("],\nframes: [\n");
    for f in &model.frames {
        let _ = writeln!(
            text,
            "rt::FrameTable {{ name: {:?}, body: {}, placement: {} }},",
            f.name,
            index(f.body),
            placement(&f.placement)
        );
    }
    let _ = write!(
        text,
        "],\ngravity: {},\nbase_inertia: {},\npinocchio_order: {:?},\ndamping_enters: {},\nfriction_smoothing: {},\n}};\n\
         /// # Sizes and joints\n\
         impl {type_name} {{\n\
         /// Configuration coordinates.\n\
         pub const NQ: rt::usize = {nq};\n\
         /// Velocity coordinates: the size of v, a and tau.\n\
         pub const NV: rt::usize = {nv};\n\
         /// Moving bodies: one a moving joint, mimic joints and a floating base included.\n\
         pub const NB: rt::usize = {nb};\n\
         /// The robot's name in the URDF.\n\
         pub const NAME: &'static rt::str = TABLES.name;\n\
         /// The moving joints, depth first from the root, siblings in the URDF's order.\n\
         pub const JOINTS: [rt::Joint; {nb}] = TABLES.joints;\n\
         /// The place in [`Self::JOINTS`] of the joint with this name, also in const context:\n\
         /// `const KNEE: usize = Robot::joint(\"knee\").unwrap();`\n\
         #[must_use]\n\
         pub const fn joint(name: &rt::str) -> rt::Option<rt::usize> {{ rt::joint_index(&TABLES.joints, name) }}\n\
         /// The order in which Pinocchio has q and v: `v_pinocchio[i] = v[order.v[i]]`.\n\
         #[must_use]\n\
         pub const fn pinocchio_order() -> rt::CoordinateOrder<{nq}, {nv}> {{\n\
         rt::coordinate_order(&TABLES.joints, &TABLES.pinocchio_order)\n\
         }}\n\
         }}\n\
         rt::when_alloc! {{\n\
         impl {type_name} {{\n\
         /// This robot as data, for the generic reference algorithms.\n\
         #[must_use]\n\
         pub fn model<T: rt::Scalar>() -> rt::Model<T> {{ rt::Model::from_tables(&TABLES) }}\n\
         }}\n}}\n",
        numbers(model.gravity.as_slice()),
        inertia(&model.base_inertia),
        model.pinocchio_order,
        model.damping_enters,
        model.friction_smoothing.map_or("rt::None".into(), |x| format!("rt::Some({x:?})")),
    );
}

fn index(i: Option<usize>) -> String {
    i.map_or("rt::None".into(), |i| format!("rt::Some({i})"))
}

fn mimic(m: Option<Mimic>) -> String {
    m.map_or("rt::None".into(), |m| {
        format!(
            "rt::Some(rt::Mimic {{ joint: {}, multiplier: {}, offset: {} }})",
            m.joint,
            number(m.multiplier),
            number(m.offset)
        )
    })
}

fn number(x: f64) -> String {
    if x == f64::INFINITY {
        "rt::f64::INFINITY".into()
    } else if x == f64::NEG_INFINITY {
        "rt::f64::NEG_INFINITY".into()
    } else {
        format!("{x:?}")
    }
}

fn numbers(x: &[f64]) -> String {
    format!("[{}]", x.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", "))
}

/// Rotation by rows, then the translation.
pub fn placement(p: &Placement<f64>) -> String {
    let r = p.rotation.transpose();
    let rows: Vec<String> = r.column_iter().map(|c| numbers(c.clone_owned().as_slice())).collect();
    format!("([{}], {})", rows.join(", "), numbers(p.translation.as_slice()))
}

/// Mass, first moment, and xx, yy, zz, xy, xz, yz of the rotational inertia.
fn inertia(i: &Inertia<f64>) -> String {
    let j = &i.j;
    let j = [j[(0, 0)], j[(1, 1)], j[(2, 2)], j[(0, 1)], j[(0, 2)], j[(1, 2)]];
    format!("({}, {}, {})", number(i.mass), numbers(i.h.as_slice()), numbers(&j))
}
