//! Hashes of each target's text, for each robot and set of options: `tests/golden/hashes.txt`.
//!
//! A change that only moves code leaves all hashes as they are. Texts for people to read are
//! recorded next to them, in `tests/golden`.

#[path = "common/hashes.rs"]
mod hashes;

use hashes::Files;
use rbd_build::emit::Module;
use rbd_build::{COptions, GpuOptions, Robot, RuntimeAt};

/// All files that a target writes for a robot.
fn written(target: &str, robot: &Robot) -> Files {
    match target {
        "rust" => robot.trace().map(|made| {
            // As the macro has it: laying the text out takes longer than all else.
            let Module { head, body, kernels_head, kernels } = made.module();
            vec![("head".into(), head), ("body".into(), body), (kernels_head, kernels)]
        }),
        "rust-outline" => robot.outline().map(|made| vec![("robot.rs".into(), made.text.body)]),
        "c" => robot.trace_c(COptions::default()).map(|made| made.files()),
        "c-float" => robot.trace_c(COptions { float: true, ..COptions::default() }).map(|made| made.files()),
        "casadi" => robot.trace_c(COptions { casadi: true, ..COptions::default() }).map(|made| made.files()),
        "gpu" => robot.trace_gpu(GpuOptions::default()).map(|made| vec![made.file()]),
        "gpu-float" => robot.trace_gpu(GpuOptions { float: true }).map(|made| vec![made.file()]),
        "python" => robot.trace_python(RuntimeAt::Registry).map(|made| made.files()),
        _ => panic!("there is no target {target}"),
    }
}

#[test]
fn what_is_written_is_what_was_recorded() {
    hashes::check("tests/golden/hashes.txt", written);
}
