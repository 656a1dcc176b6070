//! Loops over tables: the module that is the same for every robot, a robot's tables, and calls.

use super::spell::item;
use crate::emit::c_family::tables::{
    above, angles, component, joint_end, joint_kind, last_row, reach, slides, up,
};
use crate::table::routines::RoutineRow;
use rbd_ir::calls::{Call, Routine};
use rbd_runtime::Model;
use rbd_runtime::loops::WORLD;
use rbd_runtime::loops::of_model::Owned;
use std::fmt::Write;

/// Name of the module's file.
pub const FILE: &str = "rbd_loops.js";

/// Most rows of a table, whose indices are `Int16Array`.
pub const MOST_ROWS: usize = i16::MAX as usize;

/// Sources of the module, in order.
const SOURCES: [&str; 7] = [
    include_str!("text/loops/work.js"),
    include_str!("text/loops/motion.js"),
    include_str!("text/loops/subtrees.js"),
    include_str!("text/loops/pairs.js"),
    include_str!("text/loops/articulated.js"),
    include_str!("text/loops/second.js"),
    include_str!("text/loops/forward.js"),
];

/// Text of the module.
pub fn module() -> String {
    let memory =
        ["_angles", "_sines", "_cosines"].map(|name| format!("const {name} = new Float64Array(1);\n"));
    let sines = include_str!("text/sines.js");
    let version = env!("CARGO_PKG_VERSION");
    let (head, rest) = SOURCES[0].split_once("\n\n").unwrap_or((SOURCES[0], ""));
    let mut text = format!(
        "/* Of rbd {version}, for every robot that it wrote. */\n{head}\n\n{}\n{sines}",
        memory.concat()
    );
    text += rest;
    SOURCES[1..].iter().for_each(|source| text += source);
    text
}

/// The line that gives a robot's module the loops.
pub fn import() -> String {
    format!("import {{ tableLoops }} from \"./{FILE}\";\n\n")
}

/// A robot's loops.
pub fn text(model: &Model<f64>) -> String {
    let robot = Owned::from_model(model).expect("joints are numbered depth first");
    let (t, numbers) = (&robot.topology(), robot.numbers());
    let of = |name: &str| component(&numbers, name);
    let angles = angles(t, &of("ratio")[0]);
    let up = up(t, model.nv);
    let whole: [(&str, Vec<u16>); 17] = [
        ("above", above(t)),
        ("first", t.first.to_vec()),
        ("joint_end", joint_end(t)),
        ("end", t.end.to_vec()),
        ("coordinate", t.coordinate.to_vec()),
        ("position", t.position.to_vec()),
        ("segment", t.segment.to_vec()),
        ("angle", angles.iter().map(|(angle, _)| *angle as u16).collect()),
        ("joint_first", t.joints.iter().map(|j| j.first).collect()),
        ("joint_last", t.joints.iter().map(last_row).collect()),
        ("joint_position", t.joints.iter().map(|j| j.position).collect()),
        ("joint_kind", t.joints.iter().map(joint_kind).collect()),
        ("segment_first", t.segments.iter().map(|s| s.first).collect()),
        ("segment_parent", t.segments.iter().map(|s| s.parent).collect()),
        ("segment_rides", t.segments.iter().map(|s| u16::from(s.rides)).collect()),
        ("reach", reach(&up)),
        ("up", up),
    ];
    let mut text = format!("const _loops = tableLoops({{\n    floats: {},\n", t.floats());
    let spelled = |x: u16| if x == WORLD { "-1".into() } else { x.to_string() };
    for (name, numbers) in whole {
        let numbers: Vec<String> = numbers.into_iter().map(spelled).collect();
        array(&mut text, "Int16Array", name, &numbers);
    }
    // Numbers of a row come one after the other.
    for name in ["placement", "joint_frame", "center", "spread", "ratio", "offset", "mass", "subtree_mass"] {
        let rows = (0..t.rows).flat_map(|row| of(name).iter().map(move |column| column[row]));
        array(&mut text, "Float64Array", name, &rows.map(item).collect::<Vec<_>>());
    }
    let turning = angles.iter().map(|(_, turns)| f64::from(u8::from(*turns)));
    let rubs = model.bodies.iter().flat_map(|body| vec![body.friction; body.kind.nv()]);
    let [armature, damping] = robot.on_coordinates().map(<[f64]>::to_vec);
    let rest: [(&str, Vec<f64>); 5] = [
        ("turning", turning.collect()),
        ("rubs", rubs.collect()),
        ("armature", armature),
        ("damping", damping),
        ("gravity", robot.gravity().to_vec()),
    ];
    for (name, numbers) in rest {
        array(&mut text, "Float64Array", name, &numbers.into_iter().map(item).collect::<Vec<_>>());
    }
    let smoothing = model.friction_smoothing.filter(|_| slides(model)).unwrap_or_default();
    let _ = write!(text, "    smoothing: {},\n}});\n\n", item(smoothing));
    text
}

fn array(text: &mut String, of: &str, name: &str, numbers: &[String]) {
    let lines = numbers.chunks(20).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n        ");
    let _ = writeln!(text, "    {name}: new {of}([\n        {lines}]),");
}

/// A call of a routine on arrays; `array` names one.
pub fn call(call: &Call, array: impl Fn(rbd_ir::kernel::ArrayId) -> String) -> String {
    let name = RoutineRow::of(call).in_js.expect("it is offered for JavaScript");
    let given = call.arguments.iter().map(|id| id.map_or("null".into(), &array));
    let written = call.scratch.iter().chain(&call.results).map(|id| array(*id));
    let mut all: Vec<String> = given.chain(written).collect();
    if call.routine == Routine::AbaDerivatives {
        all.push(call.terms.as_deref().is_some_and(|terms| terms.knows_base).to_string());
    }
    format!("_loops.{name}({});", all.join(", "))
}
