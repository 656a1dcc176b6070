//! `rbd generate --target python`: a crate, and the wheel that maturin makes of it.

use crate::output::{self, Error};
use crate::source;
use rbd_build::{GeneratedPython, Robot, RuntimeAt};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is wanted of the package.
#[derive(Clone, Copy)]
pub struct Package<'a> {
    /// Where the crate's folder and the wheel are written.
    pub folder: &'a Path,
    /// No wheel.
    pub source_only: bool,
    /// The folder of rbd's source.
    pub rbd: Option<&'a Path>,
}

/// Reads and traces the robot.
pub fn trace(robot: &Robot, package: Package<'_>) -> Result<GeneratedPython, Error> {
    let runtime = match source::folder(package.rbd)? {
        Some(folder) => RuntimeAt::Folder(folder.join("rbd-runtime").display().to_string()),
        None => RuntimeAt::Registry,
    };
    Ok(robot.trace_python(runtime)?)
}

/// Writes the crate, and makes the wheel.
pub fn write(generated: &GeneratedPython, package: Package<'_>) -> Result<(), Error> {
    // Asked for first: who has no maturin learns it before the crate is there, and what to do.
    let maturin = if package.source_only { None } else { Some(maturin()?) };
    let folder = package.folder.join(generated.name());
    output::make_folder(&folder.join("src"))?;
    for (path, text) in generated.files() {
        let path = folder.join(path);
        // What is as it was is not compiled again.
        if std::fs::read_to_string(&path).is_ok_and(|known| known == text) {
            continue;
        }
        output::write_file(&path, &text)?;
    }
    let functions = generated.robot.functions.len();
    eprintln!("wrote {}: a crate with {functions} functions", folder.display());
    let Some(maturin) = maturin else {
        return Ok(());
    };
    wheel(maturin, &folder, package.folder)
}

/// The command, and its first arguments.
type Maturin = (&'static str, &'static [&'static str]);

/// `maturin` of the path, or that of a Python there.
fn maturin() -> Result<Maturin, Error> {
    let ways: [Maturin; 3] =
        [("maturin", &[]), ("python3", &["-m", "maturin"]), ("python", &["-m", "maturin"])];
    let runs = |(command, arguments): &Maturin| {
        let mut asked = Command::new(command);
        asked.args(*arguments).arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    ways.into_iter().find(runs).ok_or_else(|| {
        Error::Request(
            "there is no maturin, which makes the wheel: run `pip install maturin`, or give --source to write the crate alone"
                .into(),
        )
    })
}

fn wheel((command, arguments): Maturin, folder: &Path, wheels: &Path) -> Result<(), Error> {
    let mut build = Command::new(command);
    build.args(arguments).args(["build", "--release", "--manifest-path"]).arg(folder.join("Cargo.toml"));
    build.arg("--out").arg(wheels);
    // Its output is of the command: what this one prints is on the standard error too.
    build.stdout(Stdio::null());
    let shown = format!("{command} {}", arguments.join(" "));
    let status = build.status().map_err(|e| match e.kind() {
        ErrorKind::NotFound => Error::Request(format!("{} is not there", shown.trim())),
        _ => Error::Request(format!("cannot run {}: {e}", shown.trim())),
    })?;
    if !status.success() {
        let crate_folder: PathBuf = folder.into();
        return Err(Error::Request(format!(
            "{} made no wheel; the crate is in {}, and what it said is above",
            shown.trim(),
            crate_folder.display()
        )));
    }
    eprintln!("made the wheel in {}: install it with pip", wheels.display());
    Ok(())
}
