//! `rbd generate`: writes what a build script would write to a file, or the robot in another
//! language.
//!
//! Targets are an option and not commands of their own: reading, choosing functions and naming are
//! the same for all.

use crate::options::Making;
use crate::output;
use crate::output::Error;
use crate::progress::Progress;
use rbd_build::{C, Cache, Findings, Generated, Gpu, Js, Target};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A language to generate.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Language {
    /// A module in one file, for the crate `rbd` or `rbd-runtime`
    Rust,
    /// C99: a header and a source, which need nothing but a sine and a cosine
    C,
    /// One header for CUDA C++, HIP, OpenCL C and C: device functions, and kernels for many states
    Cuda,
    /// An ES module for browsers and Node.js, and its types for TypeScript
    Js,
    /// Nothing is written for it: `rbd.load` reads the URDF (docs/python.md)
    #[value(hide = true)]
    Python,
}

/// Write the code of one robot
#[derive(clap::Args)]
pub struct Arguments {
    /// The robot
    #[arg(value_name = "FILE.urdf")]
    urdf: PathBuf,
    /// The language
    #[arg(short, long, value_enum, default_value = "rust")]
    target: Language,
    /// Where to write: for Rust a file, by default the standard output; for all others a folder,
    /// which is made if it is not there
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// For Rust: path of the module that generated code finds the runtime in, by default
    /// `::rbd::__private`; without the crate `rbd`, it is `::rbd_runtime::__private`
    #[arg(long, value_name = "PATH")]
    runtime_path: Option<String>,
    /// For C and CUDA: `float` instead of `double`
    #[arg(long)]
    float: bool,
    /// For C: a third file, with which CasADi's `external` calls the functions and has their exact
    /// Jacobians and Hessians. By default `rnea_hessian` and `aba_hessian` are then written too;
    /// name them if you give `--functions`
    #[arg(long)]
    casadi: bool,
    /// For C: a file with the discrete step as acados calls it; it needs `--step`
    #[arg(long)]
    acados: bool,
    #[command(flatten)]
    making: Making,
}

/// Message for users of Python.
const NO_PYTHON: &str = "Python needs no generated code: `pip install ./rbd-python` in a clone of rbd, then \
                         `rbd.load(\"robot.urdf\")` has the functions (docs/python.md)";

/// Generates all before anything is written.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    if let Some(fault) = of_another_target(arguments) {
        return Err(Error::Request(fault));
    }
    let &Arguments { float, casadi, acados, .. } = arguments;
    match arguments.target {
        Language::Rust => rust(arguments)?,
        Language::C => files(arguments, C { float, casadi, acados })?,
        Language::Cuda => files(arguments, Gpu { float })?,
        Language::Js => files(arguments, Js)?,
        Language::Python => return Err(Error::Request(NO_PYTHON.into())),
    }
    Ok(ExitCode::SUCCESS)
}

/// An option that the target does not have.
fn of_another_target(arguments: &Arguments) -> Option<String> {
    let given: [(bool, &str, &[Language], &str); 4] = [
        (arguments.runtime_path.is_some(), "--runtime-path", &[Language::Rust], "rust"),
        (arguments.float, "--float", &[Language::C, Language::Cuda], "c or cuda"),
        (arguments.casadi, "--casadi", &[Language::C], "c"),
        (arguments.acados, "--acados", &[Language::C], "c"),
    ];
    let (_, option, _, name) =
        given.into_iter().find(|(given, _, of, _)| *given && !of.contains(&arguments.target))?;
    Some(format!("{option} is for --target {name}"))
}

fn rust(arguments: &Arguments) -> Result<(), Error> {
    let urdf = &arguments.urdf;
    if let Some(output) = &arguments.output
        && is_urdf(output, urdf)
    {
        return Err(Error::Request(format!("{} is the URDF itself", output.display())));
    }
    let mut robot = arguments.making.robot(urdf)?;
    if let Some(path) = &arguments.runtime_path {
        robot = robot.runtime_path(path);
    }
    let progress = Progress::new("reading the URDF");
    let written = progress.of(robot).source(&Cache::near([urdf]))?;
    drop(progress);
    warn(&written.warnings);
    match &arguments.output {
        None => output::print(&written.text)?,
        Some(path) => {
            output::write_file(path, &written.text)?;
            wrote(path, &written.type_name, written.functions, written.text.len());
        }
    }
    Ok(())
}

/// The folder to write to.
fn folder(arguments: &Arguments) -> Result<&Path, Error> {
    let asked = || Error::Request("say in which folder the files are written, with -o FOLDER".into());
    arguments.output.as_deref().ok_or_else(asked)
}

/// Reads the robot and plans its functions.
fn planned(arguments: &Arguments, target: impl Target + 'static) -> Result<Generated, Error> {
    let progress = Progress::new("reading the URDF");
    let generated = progress.of(arguments.making.robot(&arguments.urdf)?).plan(target)?;
    drop(progress);
    warn(&generated.warnings);
    Ok(generated)
}

/// Files by name, in a folder that is made if it is not there.
fn files(arguments: &Arguments, target: impl Target + 'static) -> Result<(), Error> {
    let folder = folder(arguments)?;
    let generated = planned(arguments, target)?;
    let files = generated.files().into_iter();
    let files: Vec<(PathBuf, String)> = files.map(|(name, text)| (folder.join(name), text)).collect();
    if let Some((path, _)) = files.iter().find(|(path, _)| is_urdf(path, &arguments.urdf)) {
        return Err(Error::Request(format!("{} is the URDF itself", path.display())));
    }
    output::make_folder(folder)?;
    let functions = generated.functions.len() + generated.fused.len();
    for (path, text) in &files {
        output::write_file(path, text)?;
        wrote(path, &generated.name, functions, text.len());
    }
    Ok(())
}

fn is_urdf(output: &Path, urdf: &Path) -> bool {
    matches!((urdf.canonicalize(), output.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn warn(warnings: &Findings) {
    let warnings = warnings.brief();
    if !warnings.is_empty() {
        eprintln!("{warnings}\n");
    }
}

fn wrote(path: &Path, name: &str, functions: usize, bytes: usize) {
    eprintln!("wrote {}: {name} with {functions} functions, {bytes} bytes", path.display());
}
