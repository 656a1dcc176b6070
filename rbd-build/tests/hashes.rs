//! Hashes of each target's text, for each robot and set of options: `tests/golden/hashes.txt`.
//!
//! A change that only moves code leaves all hashes as they are. Texts for people to read are
//! recorded next to them, in `tests/golden`.

#[path = "common/hashes.rs"]
mod file_hashes;

use file_hashes::Files;
use rbd_build::emit::Module;
use rbd_build::{C, Gpu, Js, Robot};

/// All files that a target writes for a robot.
fn written(target: &str, robot: &Robot) -> Files {
    let planned = match target {
        "rust" => {
            return robot.trace().map(|made| {
                // As the macro has it: laying the text out takes longer than all else.
                let Module { head, body, kernels_head, kernels } = made.module();
                vec![("head".into(), head), ("body".into(), body), (kernels_head, kernels)]
            });
        }
        "rust-outline" => return robot.outline().map(|made| vec![("robot.rs".into(), made.text.body)]),
        "c" => robot.plan(C::default()),
        "c-float" => robot.plan(C { float: true, ..C::default() }),
        "casadi" => robot.plan(C { casadi: true, ..C::default() }),
        "acados" => robot.plan(C { acados: true, ..C::default() }),
        "gpu" => robot.plan(Gpu::default()),
        "gpu-float" => robot.plan(Gpu { float: true }),
        "js" => robot.plan(Js),
        _ => panic!("there is no target {target}"),
    };
    planned.map(|made| made.files())
}

#[test]
fn what_is_written_is_what_was_recorded() {
    file_hashes::check("tests/golden/hashes.txt", written);
}
