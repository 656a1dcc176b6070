//! `rbd generate`: what a build script would write, in a file of one's own.

use crate::options::Making;
use crate::output;
use crate::output::Error;
use rbd_build::Cache;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write the Rust of one robot
#[derive(clap::Args)]
pub struct Arguments {
    /// The robot
    #[arg(value_name = "FILE.urdf")]
    urdf: PathBuf,
    /// Where to write; by default the standard output
    #[arg(short, long, value_name = "FILE.rs")]
    output: Option<PathBuf>,
    /// Path of the module that generated code finds the runtime in; without the crate `rbd`, it is
    /// `::rbd_runtime::__private`
    #[arg(long, value_name = "PATH", default_value = "::rbd::__private")]
    runtime_path: String,
    #[command(flatten)]
    making: Making,
}

/// Generates all before anything is written.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    if let Some(fault) = arguments.making.reading.fault() {
        return Err(Error::Request(fault));
    }
    let urdf = &arguments.urdf;
    if let Some(output) = &arguments.output
        && let (Ok(a), Ok(b)) = (urdf.canonicalize(), output.canonicalize())
        && a == b
    {
        return Err(Error::Request(format!("{} is the URDF itself", output.display())));
    }
    let robot = arguments.making.robot(urdf).runtime_path(&arguments.runtime_path);
    let written = robot.source(&Cache::near([urdf]))?;
    let warnings = written.warnings.brief();
    if !warnings.is_empty() {
        eprintln!("{warnings}\n");
    }
    match &arguments.output {
        None => output::print(&written.text)?,
        Some(path) => {
            output::write_file(path, &written.text)?;
            eprintln!(
                "wrote {}: {} with {} functions, {} bytes",
                path.display(),
                written.type_name,
                written.functions,
                written.text.len()
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
