//! Generated functions, at default options, of any URDFs against the generic reference, without compiling any.
//!
//!     pip install --target models example-robot-data
//!     cargo run --release -p rbd-build --example scan -- $(find models -name '*.urdf' | sort) > docs/scan.md
//!
//! Prints a table: for each file and base, the largest error of any function (without external forces), relative to
//! the largest entry of the result. *exact*: what is generated, run with twice the digits of a double, which shows what
//! making the robot smaller has changed; *doubles*: run in doubles. *rows*: the exact error of each row, as a multiple
//! of what it may be off (1e-12 of its largest entry, or what 512 roundings of the robot's numbers make of it).

#[path = "../tests/common/mod.rs"]
mod common;

use common::scan::{Errors, scan};
use rbd_build::{Base, Function};
use std::path::Path;

/// Of functions that invert M, the derivatives are left to robots that are not large: their search takes seconds.
const MOST_FOR_ABA_DERIVATIVES: usize = 20;

const HEAD: &str = "\
# Published robots against the reference

What `rbd` generates at default options for published URDFs, against the generic reference on the same model, as written by
`rbd-build/examples/scan.rs` (whose head has the command). Functions by loops over tables
are left out. Nothing is compiled: the kernels are run by the interpreter, once with twice the
digits of a double (*exact*: what making the robot smaller before it is traced has changed), once in doubles. Figures are the largest error of
any of these functions at two random states, relative to the largest entry of the result; *rows* is the exact error of the worst row, as a multiple of what
it may be off (1e-12 of its largest entry, or what 512 roundings of the robot's numbers make of it).
First without, then with an inversion of M: `gravity`, `bias`, `rnea`, `crba`, `rnea_derivatives`; `aba`, `minv`, and up to 20 degrees of
freedom `aba_derivatives`.
";

fn main() {
    println!("{HEAD}");
    println!("| file | base | nv | exact | rows | doubles | exact, M inverted | rows | doubles |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut refused = Vec::new();
    for file in std::env::args().skip(1) {
        let path = Path::new(&file);
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
            println!("| {name} | {base:?} | {} | {} | {} |", inverse.nv, figures(inverse), figures(forward));
        }
    }
    println!("\nRefused when read: {}.", refused.join(", "));
}
