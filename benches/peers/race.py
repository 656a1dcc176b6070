#!/usr/bin/env python3
"""Race rbd, in Rust and in C, against Pinocchio, C generated from Pinocchio, and dynibo on this machine.

    benches/peers/race.py [--folder FOLDER] [--rounds N] [--robots iiwa14 hyq ..] [--stock] [--jit] [--c-shape loops ..] [--cpu x86-64-v3] [--dry]

Installs and compiles everything in FOLDER (default target/peers; delete it to be rid of it), checks that all sides
agree, times them in turns, and writes RESULTS.md beside this file and docs/race.svg; --dry only prints.
"""

import argparse
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys

import build

ROBOTS = ["iiwa14", "ur5", "hyq", "g1", "talos_reduced"]
WAYS = {"aba": ["aba:world", "aba:local", "aba:cholesky"], "crba": ["crba:world", "crba:local"],
        "minv": ["minv:aba", "minv:cholesky"]}  # fmt: skip
BATCH_NS = 1e6


def deep_stack():
    """Derivatives of 500 links are megabytes, which `Box::new` has on the stack first."""
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (min(most, 1 << 30) if most > 0 else 1 << 30, most))


class Side:
    """A process that does one thing at a time, when told."""

    def __init__(self, name, command, folder):
        self.name = name
        self.process = subprocess.Popen(
            [str(command), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=deep_stack
        )

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"{self.name} ended at: {' '.join(map(str, words))}")
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def sides(folder, stock, jit):
    found = [Side("ours", folder / "native/release/ours", folder)]
    if stock:
        found.append(Side("ours, stock", folder / "stock/release/ours", folder))
    if jit:
        found.append(Side("ours, at run time", folder / "native/release/jit", folder))
    for name in build.compilers(folder):
        found.append(Side(f"pinocchio.{name}", folder / f"pinocchio.{name}", folder))
    found.append(Side("generated", folder / "generated", folder))
    found.append(Side("C", folder / "ours_c", folder))
    if (folder / "native/release/dynibo").exists():
        found.append(Side("dynibo", folder / "native/release/dynibo", folder))
    return found


def contenders(found, folder, function, c_shapes):
    """(side, what to ask it for) for one function: every way that a side has of computing it."""
    plain = function.removesuffix("_lanes")
    for side in found:
        if side.name.startswith("ours"):
            yield side, function
        elif side.name == "C":
            yield from ((side, f"{plain}:{name}") for name in build.flavours(folder, c_shapes) if plain == function)
        elif side.name == "generated":
            for name in build.compilers(folder):
                yield from ((side, f"{plain}:{name}{end}") for end in ("", "_fast"))
        elif side.name.startswith("pinocchio"):
            yield from ((side, way) for way in WAYS.get(plain, [plain]))
        else:
            yield side, plain


def race(those, folder, robot, rounds, known, left_out=None):
    """Median and quartiles, ns a state, by contender. `known` checks a contender's results before it is timed; what may be
    left out for them is said in `left_out`."""
    runners = {}
    for side, what in those:
        target = folder / "values"
        if side.ask("values", robot.name, what, target) == "none":
            continue
        try:
            known(side.name, what, target)
        except SystemExit as difference:
            # With -ffast-math a compiler may change results, and some do by more than the tolerance: that one is not timed.
            if left_out is None or not what.endswith("_fast"):
                raise
            left_out.append(str(difference))
            continue
        pass_ns = min(float(side.ask("time", robot.name, what, 1)) for _ in range(3))
        runners[side.name, what] = (side, max(1, round(BATCH_NS / pass_ns)), [])
    for _ in range(rounds):
        # In another order each round: none is always the one after the slowest.
        for (_, what), (side, passes, times) in random.sample(list(runners.items()), len(runners)):
            times.append(float(side.ask("time", robot.name, what, passes)) / robot.count)
    return {who: statistics.quantiles(times, n=4) for who, (_, _, times) in runners.items()}


def cpu_option(parser):
    parser.add_argument(
        "--cpu", default="native", help="compile both sides for this kind of processor (x86-64-v3: AVX2); writes nothing"
    )


def enter(folder, cpu="native"):
    """The folder to compile in, from the peers' own Python: Pinocchio's module is there and not here."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    build.install(folder)
    if pathlib.Path(sys.prefix) != folder / "venv":
        os.execv(build.python_of(folder), [str(build.python_of(folder)), *sys.argv])
    if cpu != "native":
        build.compile_for(cpu)
        inner = folder / cpu
        inner.mkdir(exist_ok=True)
        if not (inner / "venv").exists():
            (inner / "venv").symlink_to(folder / "venv")
        return inner
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=pathlib.Path, default=build.REPO / "target" / "peers")
    parser.add_argument("--rounds", type=int, default=61)
    parser.add_argument("--robots", nargs="*", default=ROBOTS, choices=ROBOTS)
    parser.add_argument("--stock", action="store_true", help="also race ours without target flags; long to compile")
    parser.add_argument("--jit", action="store_true", help="also race robots that rbd-jit loads at run time")
    parser.add_argument(
        "--c-shape", nargs="*", default=[], choices=build.C_SHAPES, metavar="SHAPE",
        help="also race our C in these shapes, beside what is written by default",
    )  # fmt: skip
    cpu_option(parser)
    parser.add_argument("--dry", action="store_true", help="print the table and write nothing")
    options = parser.parse_args()
    folder = enter(options.folder, options.cpu)

    import report
    from states import Agreement, Robot

    stock = options.stock
    build.rust(folder, stock)
    if options.jit:
        build.jit(folder)
    build.pinocchio(folder)
    build.codegen(folder)
    joints = build.joints(folder)
    build.ours_in_c(folder, options.robots, joints, options.c_shape)
    robots = [Robot(x, build.REPO / "robots" / f"{x}.urdf", joints[x]) for x in options.robots]
    for robot in robots:
        robot.write(folder)
    build.generated(folder, options.robots)

    found, table, worst, left_out = sides(folder, stock, options.jit), {}, {}, []
    for robot in robots:
        for function in [*build.FUNCTIONS, "aba_derivatives_lanes"]:
            known = Agreement(robot, function.removesuffix("_lanes"), worst)
            those = contenders(found, folder, function, options.c_shape)
            table[robot.name, function] = race(those, folder, robot, options.rounds, known, left_out)
            print(report.line(robot.name, function, table[robot.name, function]), flush=True)
    for side in found:
        side.end()
    text = report.markdown(table, worst, left_out, report.machine(folder), options.rounds)
    print(text)
    if not options.dry and options.cpu == "native":
        (build.HERE / "RESULTS.md").write_text(text, encoding="utf-8")
        picture = build.REPO / "docs" / "race.svg"
        picture.parent.mkdir(exist_ok=True)
        picture.write_text(report.drawn(table), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error}\n{error.stderr or ''}")
