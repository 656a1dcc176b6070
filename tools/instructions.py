#!/usr/bin/env python3
"""Instructions that one call of each generated function executes: the same each time, whatever else the machine does.

    python3 tools/instructions.py [robot[:floating] ...]

For the default build and for `-C target-cpu=native`, f64, one state. The program is run step by step under ptrace, with
one call and with several; counts are the difference a call. valgrind would do, did it know all of AVX2 (3.19 does not
know a move between registers that compilers write). Needs Linux on x86-64; Python alone, no packages.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys

import probe

CRATE = probe.folder("instructions")
DEFAULT = ["iiwa14", "ur5", "hyq:floating"]
CALLS = 4
BUILDS = {"default": "", "native": "-C target-cpu=native"}

PROGRAM = """
use nalgebra::{SMatrix, SVector};
use std::hint::black_box;

rbd::rbd_robot! { pub struct Machine { urdf: "%s", base: %s, functions: [%s] } }
const NV: usize = Machine::NV;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    // The first call finds out what the processor has, and is not counted.
    let calls = 1 + words[2].parse::<usize>().unwrap();
    let wave = |rate: f64| SVector::<f64, NV>::from_fn(|i, _| (1.0 + rate * i as f64).sin());
    let (v, x) = (&wave(1.3), &wave(2.1));
    let q = &Machine::integrate(&Machine::neutral(), &wave(0.7));
    let (m, d) = (&mut SMatrix::<f64, NV, NV>::zeros(), &mut rbd::AbaDerivatives::<f64, NV>::zeros());
    let r = &mut rbd::RneaDerivatives::<f64, NV>::zeros();
    for i in 0..calls {
        if i == 1 {
            // A system call that nothing else makes: here the steps begin.
            std::os::unix::process::parent_id();
        }
        let (q, v, x) = black_box((q, v, x));
        match words[1].as_str() {
            "bias" => drop(black_box(Machine::bias(q, v))),
            "gravity" => drop(black_box(Machine::gravity(q))),
            "rnea" => drop(black_box(Machine::rnea(q, v, x))),
            "aba" => drop(black_box(Machine::aba(q, v, x))),
            "crba" => Machine::crba_into(q, black_box(&mut *m)),
            "minv" => Machine::minv_into(q, black_box(&mut *m)),
            "rnea_derivatives" => Machine::rnea_derivatives_into(q, v, x, black_box(&mut *r)),
            "aba_derivatives" => Machine::aba_derivatives_into(q, v, x, black_box(&mut *d)),
            other => panic!("no function {other}"),
        }
    }
}
"""
FUNCTIONS = re.findall(r'"(\w+)" =>', PROGRAM)


def build(robot, flags):
    """The program of one robot, compiled with these flags."""
    name, _, base = robot.partition(":")
    source = PROGRAM % (probe.ROOT / "robots" / f"{name}.urdf", base or "fixed", ", ".join(FUNCTIONS))
    (CRATE / "src" / "main.rs").write_text(source)
    target = CRATE / ("native" if flags else "default")
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "RUSTFLAGS": flags}
    command = ["cargo", "build", "--release", "--quiet", "-j1"]
    made = subprocess.run(command, cwd=CRATE, env=environment, capture_output=True, text=True)
    if made.returncode:
        sys.exit(made.stderr)
    return target / "release" / "instructions"


def executed(program, function, calls):
    """Instructions of a process from where the calls begin to its end."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    trace_me, peek_user, single_step, syscall = 0, 3, 9, 24
    rip, orig_rax, getppid = 8 * 16, 8 * 15, 110
    child = os.fork()
    if child == 0:
        libc.ptrace(trace_me, 0, None, None)
        os.execv(program, [str(program), function, str(calls)])
    os.waitpid(child, 0)
    while libc.ptrace(peek_user, child, orig_rax, None) != getppid:
        libc.ptrace(syscall, child, None, None)
        if not os.WIFSTOPPED(os.waitpid(child, 0)[1]):
            sys.exit(f"{program} ended before its calls")
    count, before = 0, None
    while True:
        libc.ptrace(single_step, child, None, None)
        status = os.waitpid(child, 0)[1]
        if not os.WIFSTOPPED(status):
            break
        if os.WSTOPSIG(status) != signal.SIGTRAP:
            sys.exit(f"{program}: {signal.strsignal(os.WSTOPSIG(status))}")
        here = libc.ptrace(peek_user, child, rip, None)
        # A repeated instruction stops once a repetition.
        count, before = count + (here != before), here
    return count


def main():
    (CRATE / "src").mkdir(parents=True, exist_ok=True)
    (CRATE / "Cargo.toml").write_text(probe.manifest("instructions"))
    robots = sys.argv[1:] or DEFAULT
    columns = []
    for robot in robots:
        for flags in BUILDS.values():
            program = build(robot, flags)
            counts = [[executed(program, f, n) for n in (1, 1 + CALLS)] for f in FUNCTIONS]
            columns.append([round((many - one) / CALLS) for one, many in counts])
    heads = [f"{robot.replace(':', ', ')}, {name}" for robot in robots for name in BUILDS]
    print("| " + " | ".join(["", *heads]) + " |\n|---" + "|---:" * len(heads) + "|")
    for function, row in zip(FUNCTIONS, zip(*columns)):
        print("| " + " | ".join([f"`{function}`", *map(str, row)]) + " |")


if __name__ == "__main__":
    main()
