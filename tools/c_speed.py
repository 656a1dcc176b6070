#!/usr/bin/env python3
"""Generated C against generated Rust, on this machine: the same functions of the same robots, timed in turns.

    tools/c_speed.py [RBD] [--folder FOLDER] [--rounds N] [--robots iiwa14 hyq]

RBD is the command, by default built by cargo. Compiles a crate with both in FOLDER (default target/c_speed), C by each of
gcc and clang that is there, checks that they agree, and prints medians. Standard library only.
"""

import argparse
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FUNCTIONS = ["rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"]
FLOATING = {"hyq", "g1", "go2", "anymal_c", "solo12"}
FLAGS = ["-O2", "-march=native", "-c"]
RESULTS = {"rnea": "tau", "aba": "ddq", "crba": "m", "minv": "minv"}
THIRD = {"rnea": "a", "aba": "tau", "rnea_derivatives": "a", "aba_derivatives": "tau"}

MAIN = """
use nalgebra::SVector;
use rbd_runtime::random::random_state;
use std::hint::black_box;
use std::time::Instant;

ROBOTS

type Pass = Box<dyn FnMut()>;

fn race(what: &str, rounds: usize, mut sides: Vec<(String, Pass)>) {
    let mut times = vec![Vec::new(); sides.len()];
    for round in 0..rounds {
        for k in 0..sides.len() {
            // In another order each round.
            let k = (k + round) % sides.len();
            let pass = &mut sides[k].1;
            pass();
            let start = Instant::now();
            for _ in 0..PASSES {
                pass();
            }
            times[k].push(start.elapsed().as_nanos() as f64 / (PASSES * STATES) as f64);
        }
    }
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|t| {
            t.sort_by(f64::total_cmp);
            t[t.len() / 2]
        })
        .collect();
    let shown: Vec<String> = medians.iter().map(|m| format!("{m:.0} ({:.2})", m / medians[0])).collect();
    println!("| {what} | {} |", shown.join(" | "));
}

const STATES: usize = 64;
const PASSES: usize = 20;

fn close<const N: usize>(what: &str, a: &[f64; N], b: &[f64; N]) {
    let largest = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let worst = a.iter().zip(b).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
    assert!(worst <= 1e-9 * largest, "{what}: {worst} of {largest}");
}

fn main() {
    let rounds: usize = std::env::args().nth(1).unwrap().parse().unwrap();
RACES
}
"""


def robot(name, compilers):
    """The crate's text for a robot: the macro, and the races."""
    kind = name.capitalize()
    base = "floating" if name in FLOATING else "fixed"
    macro = f'rbd::rbd_robot! {{ pub struct {kind} {{ urdf: "robots/{name}.urdf", base: {base}, functions: [{", ".join(FUNCTIONS)}] }} }}\n'
    text = f"""
    {{
        const NQ: usize = {kind}::NQ;
        const NV: usize = {kind}::NV;
        let model = {kind}::model::<f64>();
        let states: Vec<_> = (0..STATES as u64).map(|k| random_state(&model, k)).collect();
        let states: Vec<_> = states.iter().map(|s| (
            SVector::<f64, NQ>::from_column_slice(s.q.as_slice()), SVector::<f64, NV>::from_column_slice(s.v.as_slice()),
            SVector::<f64, NV>::from_column_slice(s.a.as_slice()), SVector::<f64, NV>::from_column_slice(s.tau.as_slice()))).collect();
"""
    for function in FUNCTIONS:
        third = THIRD.get(function)
        arguments = ["q"] if third is None else ["q", "v", third]
        given = ", ".join(arguments)
        pointers = ", ".join(f"{x}.as_ptr()" for x in arguments)
        types = ", ".join(["*const f64"] * len(arguments))
        result = RESULTS.get(function)
        sides = ", ".join(f'("{c}", {name}_{c}_{function} as unsafe extern "C" fn({types}, *mut f64))' for c in compilers)
        foreign = ", ".join(f"{x}: *const f64" for x in arguments)
        for c in compilers:
            macro += f'unsafe extern "C" {{ fn {name}_{c}_{function}({foreign}, out: *mut f64); }}\n'
        into = function if function in ("rnea", "aba") else f"{function}_into"
        call = f"out = {kind}::{into}({given})" if into == function else f"{kind}::{into}({given}, &mut out)"
        if result is None:
            zero = f"rbd::{'Rnea' if function.startswith('rnea') else 'Aba'}Derivatives::<f64, NV>::zeros()"
            size = "NV + 3 * NV * NV"
            # One array after the other, as the fields of both structs are.
            fields = ["tau", "dtau_dq", "dtau_dv", "dtau_da"] if function.startswith("rnea") else ["ddq", "ddq_dq", "ddq_dv", "ddq_dtau"]
            flat = " ".join(f"all.extend_from_slice(out.{f}.as_slice());" for f in fields)
        else:
            size = "NV" if function in ("rnea", "aba") else "NV * NV"
            zero = f"nalgebra::SMatrix::<f64, NV, {'1' if size == 'NV' else 'NV'}>::zeros()"
            flat = "all.extend_from_slice(out.as_slice());"
        text += f"""
        {{
            let mut sides: Vec<(String, Pass)> = Vec::new();
            let own = states.clone();
            let mut out = {zero};
            sides.push(("Rust".into(), Box::new(move || for (q, v, a, tau) in &own {{
                let _ = (q, v, a, tau);
                {call};
                black_box(&out);
            }})));
            for (compiler, call) in [{sides}] {{
                // As the header says.
                let call: unsafe extern "C" fn({types}, *mut f64) = call;
                let mut found = vec![0.0; {size}];
                for (q, v, a, tau) in &states {{
                    let _ = (v, a, tau);
                    unsafe {{ call({pointers}, found.as_mut_ptr()) }};
                    let mut out = {zero};
                    {call};
                    let mut all: Vec<f64> = Vec::new();
                    {flat}
                    close::<{{ {size} }}>("{name} {function}", all.as_slice().try_into().unwrap(), found.as_slice().try_into().unwrap());
                }}
                let own = states.clone();
                sides.push((compiler.to_string(), Box::new(move || for (q, v, a, tau) in &own {{
                    let _ = (v, a, tau);
                    unsafe {{ call({pointers}, found.as_mut_ptr()) }};
                    black_box(&found);
                }})));
            }}
            race("{name} `{function}`", rounds, sides);
        }}
"""
    return macro, text + "    }\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rbd", nargs="?", help="the command")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "c_speed")
    parser.add_argument("--target", type=pathlib.Path, help="cargo's target folder")
    parser.add_argument("--rounds", type=int, default=61)
    parser.add_argument("--robots", nargs="*", default=["iiwa14", "hyq"])
    options = parser.parse_args()
    folder = options.folder.resolve()
    (folder / "src").mkdir(parents=True, exist_ok=True)
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    command = [options.rbd] if options.rbd else ["cargo", "run", "--quiet", "--release", "-p", "rbd-cli", "--"]
    macros, races, objects = "", "", []
    for name in options.robots:
        base = ["--floating"] if name in FLOATING else []
        urdf = ROOT / "robots" / f"{name}.urdf"
        for compiler in compilers:
            # A name of its own for each: they are linked into one program.
            own = f"{name}_{compiler}"
            c = ["generate", "--target", "c", "--name", own, "--functions", ",".join(FUNCTIONS), *base, urdf, "-o", folder]
            subprocess.run([*command, *c], check=True, cwd=ROOT, stderr=subprocess.DEVNULL)
            subprocess.run([compiler, *FLAGS, f"{own}.c", "-o", f"{own}.o"], check=True, cwd=folder)
            objects.append(folder / f"{own}.o")
        macro, race = robot(name, compilers)
        macros, races = macros + macro, races + race
    (folder / "src" / "main.rs").write_text(MAIN.replace("ROBOTS", macros).replace("RACES", races))
    if not (folder / "robots").exists():
        (folder / "robots").symlink_to(ROOT / "robots")
    (folder / "Cargo.toml").write_text(
        f"""[package]\nname = "c-speed"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]
rbd = {{ path = "{ROOT}" }}\nrbd-runtime = {{ path = "{ROOT}/rbd-runtime", features = ["std"] }}
nalgebra = "0.35"\n\n[profile.release.build-override]\nopt-level = 2\n"""
    )
    arguments = "".join(f'    println!("cargo::rustc-link-arg={x}");\n' for x in [*objects, "-lm"])
    (folder / "build.rs").write_text(f"fn main() {{\n{arguments}}}\n")
    shutil.copy(ROOT / "Cargo.lock", folder / "Cargo.lock")
    environment = {**os.environ, "RUSTFLAGS": "-C target-cpu=native", "CARGO_TARGET_DIR": str(options.target or folder / "build")}
    subprocess.run(["cargo", "build", "--release", "--quiet"], check=True, cwd=folder, env=environment)
    for compiler in compilers:
        print(subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0])
    print(f"\n| ns a state (times of Rust) | Rust | {' | '.join(compilers)} |\n|---|{'---:|' * (len(compilers) + 1)}", flush=True)
    subprocess.run([(options.target or folder / "build") / "release" / "c-speed", str(options.rounds)], check=True)


if __name__ == "__main__":
    main()
