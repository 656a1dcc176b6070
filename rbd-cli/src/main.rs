//! The command `rbd`: checks URDFs, generates specialised dynamics, makes crates of robots, shows the
//! savings of specialising, and times robots on this machine.

mod bench;
mod check;
mod deep;
mod generate;
mod new;
mod options;
mod output;
mod progress;
mod report;
mod source;
mod verilog;
mod view;

use clap::{Parser, Subcommand};
use std::error::Error as _;
use std::iter::successors;
use std::process::ExitCode;

/// Robot dynamics specialised for one robot.
#[derive(Parser)]
#[command(name = "rbd", version, about, propagate_version = true)]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Bench(bench::Arguments),
    Check(check::Arguments),
    Generate(generate::Arguments),
    New(new::Arguments),
    Report(report::Arguments),
    Verilog(verilog::Arguments),
    View(view::Arguments),
}

fn main() -> ExitCode {
    // Wrong arguments end here, with code 2.
    let result = match Command::parse().task {
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Check(arguments) => check::run(&arguments),
        Task::Generate(arguments) => generate::run(&arguments),
        Task::New(arguments) => new::run(&arguments),
        Task::Report(arguments) => report::run(&arguments),
        Task::Verilog(arguments) => verilog::run(&arguments),
        Task::View(arguments) => view::run(&arguments),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            // With its causes, such as the system's message about a file.
            let causes = successors(error.source(), |cause| (*cause).source());
            let text = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
            // A report on a robot states the severity of each finding itself.
            let is_report = matches!(error, output::Error::Robot(rbd_build::Error::Urdf(_)));
            eprintln!("{}{text}", if is_report { "" } else { "error: " });
            ExitCode::FAILURE
        }
    }
}
