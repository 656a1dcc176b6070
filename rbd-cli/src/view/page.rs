//! The page as one file.

use rbd_build::emit::js;
use rbd_build::{Function, Generated};
use serde_json::Value;

const PAGE: &str = include_str!("../../view/page.html");
const STYLE: &str = include_str!("../../view/style.css");
/// The first ones need no browser: tests run them in Node.js.
const SCRIPTS: [&str; 11] = [
    include_str!("../../view/matrices.js"),
    include_str!("../../view/friction.js"),
    include_str!("../../view/ground.js"),
    include_str!("../../view/constraints.js"),
    include_str!("../../view/simulation.js"),
    include_str!("../../view/shapes.js"),
    include_str!("../../view/renderer.js"),
    include_str!("../../view/scene.js"),
    include_str!("../../view/camera.js"),
    include_str!("../../view/marks.js"),
    include_str!("../../view/view.js"),
];

/// Names that the page takes from the robot's module.
const NAMES: &str = "JOINTS, NB, NQ, NV, neutral, integrate, difference, interpolate, gravity, aba_fext, crba, forward_kinematics, \
                     center_of_mass, kinetic_energy, potential_energy";

/// The whole file.
pub fn text(robot: &Generated, data: &Value) -> String {
    // The robot's names are strings within which no tag can end.
    let data = data.to_string().replace('<', "\\u003c");
    let has_inverse = robot.functions.iter().any(|plan| plan.function == Function::Minv);
    let names = if has_inverse { format!("{NAMES}, minv") } else { NAMES.to_owned() };
    let inner = |text: &str| text.replace("\nexport ", "\n");
    let module = inner(&robot.source()).replacen(&js::import_of_loops(), "", 1);
    let files = robot.files();
    // A module of its own, which the robot's takes.
    let loops = files.iter().find(|(name, _)| name == js::LOOPS_FILE).map(|(_, text)| {
        format!("const tableLoops = (() => {{\n{}\nreturn tableLoops;\n}})();\n\n", inner(text))
    });
    let loops = loops.unwrap_or_default();
    let script = format!(
        "\"use strict\";\n(() => {{\n{loops}const robot = (() => {{\n{module}\nreturn {{ {names} }};\n}})();\n\n{}}})();",
        SCRIPTS.join("\n")
    );
    // The robot's data come last, since they may contain any word.
    PAGE.replacen("STYLE", STYLE.trim_end(), 1).replacen("SCRIPT", &script, 1).replacen("DATA", &data, 1)
}
