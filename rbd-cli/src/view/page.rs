//! The page as one file.

use rbd_build::Generated;
use serde_json::Value;

const PAGE: &str = include_str!("../../view/page.html");
const STYLE: &str = include_str!("../../view/style.css");
const SCRIPTS: [&str; 9] = [
    include_str!("../../view/matrices.js"),
    include_str!("../../view/shapes.js"),
    include_str!("../../view/renderer.js"),
    include_str!("../../view/constraints.js"),
    include_str!("../../view/simulation.js"),
    include_str!("../../view/scene.js"),
    include_str!("../../view/camera.js"),
    include_str!("../../view/marks.js"),
    include_str!("../../view/view.js"),
];

/// What the page takes from the robot's module.
const NAMES: &str = "JOINTS, NB, NQ, NV, neutral, integrate, difference, interpolate, gravity, aba_fext, crba, forward_kinematics, \
                     center_of_mass, kinetic_energy, potential_energy";

/// The whole file.
pub fn text(robot: &Generated, data: &Value) -> String {
    // The robot's names are strings within which no tag can end.
    let data = data.to_string().replace('<', "\\u003c");
    let module = robot.source().replace("\nexport ", "\n");
    let script = format!(
        "\"use strict\";\n(() => {{\nconst robot = (() => {{\n{module}\nreturn {{ {NAMES} }};\n}})();\n\n{}}})();",
        SCRIPTS.join("\n")
    );
    // The robot's data come last, since they may contain any word.
    PAGE.replacen("STYLE", STYLE.trim_end(), 1).replacen("SCRIPT", &script, 1).replacen("DATA", &data, 1)
}
