#!/usr/bin/env python3
"""Races batches of Python's functions with those of rbd-jit in Rust: the same robot, states, threads, and one table.

    benches/peers/batches.py [--robot iiwa14] [--floating] [--dtype float64] [--states 64 4096] [--threads 1 2] [--seconds 1]

Needs the package `rbd` (`pip install ./rbd-python`) and Rust. Python writes into arrays that are there (`out=`), and Rust into
slices. Sides take turns, and the least time of all turns counts: other programs make times longer and never shorter. Both
are given the same states, and their results must agree before they are timed.
"""

import argparse
import math
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np

import rbd

REPO = pathlib.Path(__file__).resolve().parent.parent.parent
FUNCTIONS = ["rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"]
# Seconds of a turn, of either side.
TURN = 0.01


class Rust:
    """The program `batches` of rbd-jit, which answers by lines."""

    def __init__(self, urdf, floating, dtype, folder):
        cargo = ["cargo", "build", "--quiet", "--release", "-p", "rbd-jit", "--example", "batches"]
        subprocess.run(cargo, cwd=REPO, check=True)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPO / "target"))
        program = REPO / target / "release" / "examples" / "batches"
        base = "floating" if floating else "fixed"
        command = [program, urdf, base, dtype, folder]
        self.process = subprocess.Popen([str(x) for x in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self, name, states, threads, times):
        """The least seconds of so many repetitions."""
        self.process.stdin.write(f"{name} {states} {threads} {times}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()) * 1e-9


def least(call, times):
    """The least seconds of so many repetitions."""
    # Once for the caches.
    call()
    best = math.inf
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="iiwa14", help="its name among the URDFs in robots/")
    parser.add_argument("--floating", action="store_true")
    parser.add_argument("--dtype", default="float64", choices=["float64", "float32"])
    parser.add_argument("--states", type=int, nargs="+", default=[64, 4096])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=1, help="of turns for each figure, both sides together")
    given = parser.parse_args()
    urdf = REPO / "robots" / f"{given.robot}.urdf"
    base = "floating" if given.floating else "fixed"
    robot = rbd.load(urdf, base=base, dtype=given.dtype, functions=["dynamics"], allow=["damping-ignored", "inertia-triangle"])
    rng, most = np.random.default_rng(0), max(given.states)
    v, a, dv = (rng.normal(size=(most, robot.NV)).astype(robot.dtype) for _ in range(3))
    q = robot.integrate(robot.neutral(), dv)
    with tempfile.TemporaryDirectory() as folder:
        for name, array in (("q", q), ("v", v), ("a", a)):
            array.tofile(pathlib.Path(folder) / name)
        race(robot, Rust(urdf, given.floating, given.dtype, folder), (q, v, a), given, pathlib.Path(folder))


def race(robot, rust, arrays, given, folder):
    """Prints a table."""
    print(f"{robot.NAME}, {robot.engine}, {robot.dtype}, on {os.cpu_count()} cores; least times of turns\n")
    print("| function | states | threads | Rust, ns a state | Python, ns a state | ratio |\n|---|---:|---:|---:|---:|---:|")
    ratios = []
    for name in FUNCTIONS:
        function = robot.functions[name]
        for states in given.states:
            some = [x[:states] for x in arrays[: len(function.inputs)]]
            out = function(*some)
            rust.turn(name, states, 1, 1)
            agree(function, out, folder)
            for threads in given.threads:
                ours, theirs = turns(function, some, out, rust, threads, given.seconds)
                ratios.append(ours / theirs)
                figures = f"{theirs / states * 1e9:.1f} | {ours / states * 1e9:.1f} | {ours / theirs:.2f}"
                print(f"| `{name}` | {states} | {threads} | {figures} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\nPython / Rust: geometric mean {mean:.3f}, largest {max(ratios):.2f}")


def agree(function, out, folder):
    """Rust's results, by columns, are Python's."""
    results = out if isinstance(out, tuple) else (out,)
    for (name, shape), found in zip(function.outputs, results, strict=True):
        theirs = np.fromfile(folder / name, dtype=found.dtype).reshape(-1, *reversed(shape))
        theirs = theirs.transpose(0, *reversed(range(1, theirs.ndim)))
        # Python splits states into other blocks, in which each state has the same bits.
        assert np.array_equal(theirs, found), f"{function.__name__}: {name} differs"


def turns(function, some, out, rust, threads, seconds):
    """The least seconds of a batch in Python and in Rust."""
    def call():
        function(*some, out=out, threads=threads)

    states, best = len(some[0]), [math.inf, math.inf]
    once = least(call, 3)
    times = max(1, int(TURN / once))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        best[0] = min(best[0], least(call, times))
        best[1] = min(best[1], rust.turn(function.__name__, states, threads, times))
    return best


if __name__ == "__main__":
    main()
