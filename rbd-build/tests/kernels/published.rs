//! Generated functions, at default options, of any URDFs against the generic reference, without
//! compiling any.
//!
//!     pip install --target models example-robot-data
//!     RBD_SCAN=models cargo test -p rbd-build-tests --test kernels -- --ignored published
//!
//! writes docs/scan.md, with a table: for each file and base, the largest error of any function
//! (without external forces), relative to the largest entry of the result. *exact*: generated code
//! run with twice the digits of a double, which shows the effect of simplifying the robot;
//! *doubles*: run in doubles. *rows*: the exact error of each row, as a multiple of the allowed
//! error (1e-12 of its largest entry, or the effect of 512 roundings of the robot's numbers).

use crate::common::scan::{Errors, scan};
use rbd_build::{Base, Function};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Most velocities for which derivatives of functions that invert M are scanned: the search for
/// larger robots takes seconds.
const MOST_FOR_ABA_DERIVATIVES: usize = 20;

const HEAD: &str = "\
# Published robots against the reference

What `rbd` generates at default options for published URDFs, against the generic reference on the same model, as written by
`rbd-build/tests/kernels/published.rs` (whose head has the command). Functions by loops over tables
are left out. Nothing is compiled: the kernels are run by the interpreter, once with twice the
digits of a double (*exact*: what making the robot smaller before it is traced has changed), once in doubles. Figures are the largest error of
any of these functions at two random states, relative to the largest entry of the result; *rows* is the exact error of the worst row, as a multiple of what
it may be off (1e-12 of its largest entry, or what 512 roundings of the robot's numbers make of it).
First without, then with an inversion of M: `gravity`, `bias`, `rnea`, `crba`, `rnea_derivatives`; `aba`, `minv`, and up to 20 degrees of
freedom `aba_derivatives`.
";

/// The URDFs in a folder and in those below it.
fn search(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            search(&path, files);
        } else if path.extension().is_some_and(|e| e == "urdf") {
            files.push(path);
        }
    }
}

#[test]
#[ignore = "writes docs/scan.md from published robots, which are not in the repository"]
fn published_robots() {
    let folder = std::env::var_os("RBD_SCAN").expect("RBD_SCAN: the folder with published robots");
    let mut files = Vec::new();
    search(Path::new(&folder), &mut files);
    files.sort();
    let mut page = format!("{HEAD}\n");
    page += "| file | base | nv | exact | rows | doubles | exact, M inverted | rows | doubles |\n";
    page += "|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
    let mut refused = Vec::new();
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for base in [Base::Fixed, Base::Floating] {
            let inverse = [
                Function::Gravity,
                Function::Bias,
                Function::Rnea,
                Function::Crba,
                Function::RneaDerivatives,
            ];
            let Some(inverse) = scan(path, base, &inverse, 2) else {
                refused.push(format!("{name} ({base:?})"));
                continue;
            };
            let mut forward = vec![Function::Aba, Function::Minv];
            if inverse.nv <= MOST_FOR_ABA_DERIVATIVES {
                forward.push(Function::AbaDerivatives);
            }
            let forward = scan(path, base, &forward, 2).unwrap_or_default();
            let figures =
                |Errors { exact, rows, doubles, .. }| format!("{exact:.0e} | {rows:.0e} | {doubles:.0e}");
            let (nv, inverse, forward) = (inverse.nv, figures(inverse), figures(forward));
            writeln!(page, "| {name} | {base:?} | {nv} | {inverse} | {forward} |").expect("a String");
        }
    }
    writeln!(page, "\nRefused when read: {}.", refused.join(", ")).expect("a String");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scan.md");
    std::fs::write(path, page).expect("docs/scan.md");
}
