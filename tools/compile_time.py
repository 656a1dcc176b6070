#!/usr/bin/env python3
"""What one `rbd_robot!` call with dynamics and first derivatives, all of them called, adds to the release build of a fresh crate: time and peak memory.

    python3 tools/compile_time.py [robot[:floating] ...] [--options "shape: loops"]
    python3 tools/compile_time.py --check [robot[:floating] ...]

With `--check`, what a save costs instead: `cargo check`, as editors run it, and `cargo build`, with the default profile after
a file was touched. The macro is in the same crate, for `cargo build` with and without what was generated before
(`target/rbd`), or in a crate of its own. The program calls one function, `aba`.

Builds a tiny program that calls all of these functions with f64, and the same program without the robot, both
with their dependencies already built, and what was generated before taken away. Seconds of processor time are those of cargo and all that it starts, and
barely depend on what else the machine does; wall-clock seconds do. Python alone, no packages.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time

import probe

CRATE = probe.folder("compile_time")
DEFAULT = ["iiwa14", "hyq:floating", "talos_reduced:floating"]

CHECKED = ["iiwa14", "hyq:floating", "g1:floating"]

MACHINE = """
rbd::rbd_robot! { pub struct Machine { urdf: "%s", base: %s } }
"""

PROGRAM = MACHINE.replace(" } }", ", functions: [dynamics] } }") + """
use nalgebra::SVector;
use std::hint::black_box;

fn every<R: rbd::Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(fext: &R::Forces<f64>) {
    let q = black_box(R::neutral());
    let v = black_box(SVector::zeros());
    let q = R::integrate(&q, &v);
    black_box(R::difference(&q, &q));
    black_box((R::rnea(&q, &v, &v), R::rnea_fext(&q, &v, &v, fext), R::bias(&q, &v), R::gravity(&q)));
    black_box((R::aba(&q, &v, &v), R::aba_fext(&q, &v, &v, fext), R::crba(&q), R::minv(&q)));
    black_box((R::rnea_derivatives(&q, &v, &v), R::rnea_derivatives_fext(&q, &v, &v, fext)));
    black_box((R::aba_derivatives(&q, &v, &v), R::aba_derivatives_fext(&q, &v, &v, fext)));
}

fn main() {
    every::<Machine, { Machine::NQ }, { Machine::NV }>(&[SVector::zeros(); Machine::NB]);
}
"""

EMPTY = """
fn main() {
    std::hint::black_box(nalgebra::SVector::<f64, 7>::zeros());
}
"""


USER = """
use robots::Machine;
fn main() {
    let q = Machine::neutral::<f64>();
    let v = nalgebra::SVector::zeros();
    println!("{}", Machine::aba(&q, &v, &v));
}
"""


def measured(command, cwd, log_name):
    """Wall-clock seconds, processor seconds and peak MiB of the largest process."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(CRATE / "target")}
    start = time.monotonic()
    # What went wrong, cargo says; the robot's warnings are not of interest here.
    log = open(CRATE / log_name, "w+")
    cargo = subprocess.Popen(command, cwd=cwd, env=environment, stderr=log)
    _, status, usage = os.wait4(cargo.pid, 0)
    wall = time.monotonic() - start
    if status != 0:
        log.seek(0)
        sys.exit(log.read())
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def check(robots):
    own, user, alone = CRATE / "robots", CRATE / "user", CRATE / "alone"
    for crate in (own, user, alone):
        (crate / "src").mkdir(parents=True, exist_ok=True)
    (own / "Cargo.toml").write_text(probe.manifest("robots"))
    (user / "Cargo.toml").write_text(probe.manifest("user") + 'robots = { path = "../robots" }\n')
    (alone / "Cargo.toml").write_text(probe.manifest("alone"))

    def save(command, crate, file):
        (crate / "src" / file).touch()
        return measured(["cargo", command, "--quiet"], crate, "log")

    print("| processor, s; wall clock, s; peak memory, MiB | `check`, same crate | `check`, crate of its own "
          "| `build`, same crate, generated anew | `build`, same crate, kept | `build`, crate of its own |")
    print("|---|" + "---:|" * 5)
    for robot in robots or CHECKED:
        name, _, base = robot.partition(":")
        machine = MACHINE % (probe.ROOT / "robots" / f"{name}.urdf", base or "fixed")
        (own / "src" / "lib.rs").write_text(machine)
        (user / "src" / "main.rs").write_text(USER)
        (alone / "src" / "main.rs").write_text("mod other;" + machine + USER.replace("use robots::Machine;", ""))
        (alone / "src" / "other.rs").write_text("")
        shown = []
        for command in "check", "build":
            save(command, alone, "other.rs")  # the dependencies, and what is generated
            save(command, user, "main.rs")
            if command == "build":
                shutil.rmtree(CRATE / "target" / "rbd", ignore_errors=True)
                shown.append(save(command, alone, "other.rs"))
            shown.append(save(command, alone, "other.rs"))
            shown.append(save(command, user, "main.rs"))
        cells = [f"{processor:.1f}; {wall:.1f}; {peak:.0f}" for wall, processor, peak in shown]
        print(f"| {name}{', floating' if base else ''} | " + " | ".join(cells) + " |", flush=True)


def build(program):
    """Wall-clock seconds, processor seconds, peak MiB of the largest process, bytes of the program."""
    shutil.rmtree(CRATE / "target" / "rbd", ignore_errors=True)
    (CRATE / "src" / "main.rs").write_text(program)
    wall, processor, peak = measured(["cargo", "build", "--release", "--quiet"], CRATE, "log")
    size = (CRATE / "target" / "release" / "compile_time").stat().st_size
    return wall, processor, peak, size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="what a save costs")
    parser.add_argument("--options", default="", help="more options for the macro (docs/options.md)")
    parser.add_argument("robots", nargs="*", metavar="robot[:floating]", help=f"by default {' '.join(DEFAULT)}")
    arguments = parser.parse_args()
    (CRATE / "src").mkdir(parents=True, exist_ok=True)
    if arguments.check:
        return check(arguments.robots)
    (CRATE / "Cargo.toml").write_text(probe.manifest("compile_time"))
    build(EMPTY)  # the dependencies
    build(EMPTY + "\n")
    empty = build(EMPTY)
    print(f"Without a robot: {empty[0]:.1f} s, {empty[1]:.1f} s of processor time, {empty[2]:.0f} MiB at its peak.\n")
    print("| with dynamics and first derivatives | more wall clock, s | more processor time, s | peak memory, MiB | larger program, KiB |")
    print("|---|---:|---:|---:|---:|")
    for robot in arguments.robots or DEFAULT:
        name, _, base = robot.partition(":")
        base_and_options = f"{base or 'fixed'}{', ' if arguments.options else ''}{arguments.options}"
        program = PROGRAM % (probe.ROOT / "robots" / f"{name}.urdf", base_and_options)
        wall, processor, peak, size = build(program)
        print(
            f"| {name}{', floating' if base else ''} | {wall - empty[0]:.1f} | {processor - empty[1]:.1f} "
            f"| {peak:.0f} | {(size - empty[3]) / 1024:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
