//! `cargo xtask`: commands for people who change rbd.

use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask bless

  bless   writes all recorded files anew: texts, hashes, costs, messages. Read the difference before you commit it.";

/// Tests that write recorded files, as arguments of `cargo test`. Later tests compile the files of
/// earlier ones.
const RECORDED: &[&str] = &[
    "-p rbd-build-tests --test texts -- runtime_functions methods_at_run_time options::table",
    "-p rbd-build-tests --test reader -- files_are",
    "-p rbd-build-tests --test texts --test c_target --test gpu_target --test js_target -- recorded",
    "-p rbd-verilog-tests --test hashes --test hardware -- recorded iiwa14_takes",
    "-p rbd-cli --test command -- recorded",
    "-p rbd-test-robots --test trust -- golden costs",
    "--workspace --test ui -- message --ignored",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bless"] => bless(),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::FAILURE
        }
    }
}

/// Runs each group of tests with `RBD_BLESS=1`, and `TRYBUILD=overwrite` for messages. The first that fails
/// ends it.
fn bless() -> ExitCode {
    for tests in RECORDED {
        eprintln!("cargo test {tests}");
        let mut command = Command::new(env!("CARGO"));
        command.arg("test").args(tests.split(' ')).envs([("RBD_BLESS", "1"), ("TRYBUILD", "overwrite")]);
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => {
                eprintln!("cargo test {tests}: {status}");
                return ExitCode::FAILURE;
            }
            Err(fault) => {
                eprintln!("cargo cannot be run: {fault}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
