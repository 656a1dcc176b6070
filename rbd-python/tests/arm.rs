//! The package on numpy with the library of this build: an arm, in seconds. `run.py` builds the wheel and
//! checks everything.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package and its library, as a wheel lays them out.
fn laid_out(at: &Path) {
    let package = at.join("rbd");
    fs::create_dir_all(&package).expect("a folder for the package");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/rbd");
    for file in sources.read_dir().expect("the package").map(|file| file.expect("a file")) {
        if file.path().is_file() {
            fs::copy(file.path(), package.join(file.file_name())).expect("a copy");
        }
    }
    fs::copy(library(), package.join("_core.abi3.so")).expect("the library");
}

/// The library, which Cargo builds beside this program.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("this program");
    let folder = program.parent().expect("a folder").to_owned();
    let name = format!("{}_core{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    [folder.join(&name), folder.join("..").join(&name)]
        .into_iter()
        .filter(|file| file.exists())
        .max_by_key(|file| file.metadata().and_then(|of| of.modified()).ok())
        .expect("the library")
}

/// A Python that has numpy: the machine's, or an environment in which pip can install it.
fn python(at: &Path) -> Option<PathBuf> {
    let runs = |python: &Path, arguments: &[&str]| {
        Command::new(python).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let has_numpy = |python: &Path| runs(python, &["-c", "import numpy"]);
    let (machines, own) = (PathBuf::from("python3"), at.join("environment/bin/python"));
    if has_numpy(&machines) {
        return Some(machines);
    }
    if !has_numpy(&own) {
        runs(&machines, &["-m", "venv", at.join("environment").to_str()?]);
        runs(&own, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy"]);
    }
    has_numpy(&own).then_some(own)
}

#[test]
fn an_arm_in_python() {
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arm");
    laid_out(&at);
    let Some(python) = python(&at) else {
        eprintln!("no python3 with numpy, and pip cannot install it: the package is not checked");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(python)
        .arg(root.join("tests/check.py"))
        .args([root.join("../robots"), root.join("../tests/values")])
        .arg("arm")
        .env("PYTHONPATH", &at)
        .current_dir(&at)
        .output()
        .expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
