#!/usr/bin/env python3
"""Race rbd's second derivatives against Pinocchio's on this machine.

    benches/peers/second.py [--folder FOLDER] [--rounds N] [--robots iiwa14 hyq ..] [--cpu x86-64-v3] [--dry]

Works in the folder of race.py, which installs what is missing, compiles both sides' second derivatives, checks that they
agree, times them in turns, and writes SECOND.md beside this file; --dry only prints. Pinocchio has the tensors of inverse
dynamics and no other second derivatives: its time for these stands beside everything that rbd has.
"""

import argparse
import pathlib
import subprocess

import build
import race

ROBOTS = ["iiwa14", "hyq", "talos_reduced"]
# What is raced, and of Pinocchio's what it is compared with.
ROWS = {
    "rnea_derivatives": ("first derivatives of torques", "rnea_derivatives"),
    "rnea_second_derivatives": ("all second derivatives of torques", "rnea_second_derivatives"),
    "rnea_hessian": ("Hessians of weighted torques", "rnea_second_derivatives"),
    "aba_derivatives": ("first derivatives of accelerations", None),
    "aba_hessian": ("these, and Hessians of weighted accelerations", None),
}
TIMED_ONLY = ["rnea_derivatives", "aba_derivatives", "aba_hessian"]
TOLERANCE = 1e-8


def tensors(robot, path, pinocchio):
    """Four tensors a state, [state][tensor][second][first][torque] in our order."""
    import numpy as np

    n, order = robot.nv, np.argsort(robot.our_v)
    all = np.fromfile(path, "<f8").reshape(robot.count, 4, n, n, n)
    if pinocchio:
        # Its last one is by a, then q.
        all[:, 3] = all[:, 3].transpose(0, 2, 1, 3).copy()
        all = all[:, :, order][:, :, :, order][:, :, :, :, order]
    return all


class Agreement:
    """Checks results before they are timed: all as the tensors of the first who is asked."""

    def __init__(self, robot):
        self.robot, self.tensors, self.worst = robot, None, 0.0

    def __call__(self, side, what, path):
        import numpy as np

        if what in TIMED_ONLY:
            return
        if what == "rnea_hessian":
            n = self.robot.nv
            found = np.fromfile(path, "<f8").reshape(self.robot.count, 4, n, n)
            weights = self.robot.states()[0][:, self.robot.model.nq :][:, :n]
            # Stored [second][first], as columns.
            expected = np.einsum("stkji,si->stkj", self.tensors, weights)
        else:
            found = tensors(self.robot, path, side.startswith("pinocchio"))
            if self.tensors is None:
                self.tensors = found
            expected = self.tensors
        for x, y in zip(found, expected, strict=True):
            for tensor, known in zip(x, y, strict=True):
                error = float(np.abs(tensor - known).max() / np.abs(known).max())
                self.worst = max(self.worst, error)
                if not error <= TOLERANCE:
                    raise SystemExit(f"{self.robot.name} {what}: {side} differs by {error:.1e}")


def compile_sides(folder):
    build.cargo(folder, "native", build.NATIVE, "--bin", "second")
    source = build.HERE / "cpp"
    for name, (compiler, _) in build.compilers(folder).items():
        target = folder / f"second.{name}"
        if build.newer(target, *(source / x for x in ("second.cpp", "worker.hpp", "model.hpp"))):
            flags = ["-std=c++17", *build.FAST, *build.DEFINITIONS, *build.headers(folder)]
            build.timed(target.name, [*compiler, *flags, source / "second.cpp", "-o", target])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=pathlib.Path, default=build.REPO / "target" / "peers")
    parser.add_argument("--rounds", type=int, default=61)
    parser.add_argument("--robots", nargs="*", default=ROBOTS, choices=ROBOTS)
    race.cpu_option(parser)
    parser.add_argument("--dry", action="store_true", help="print the table and write nothing")
    options = parser.parse_args()
    folder = race.enter(options.folder, options.cpu)

    import report
    from states import Robot

    compile_sides(folder)
    ours = race.Side("ours", folder / "native/release/second", folder)
    theirs = [race.Side(f"pinocchio.{x}", folder / f"second.{x}", folder) for x in build.compilers(folder)]
    lines = build.output([folder / "native/release/second", "joints"]).splitlines()
    joints = {robot: rest.split() for robot, rest in (x.split(" ", 1) for x in lines)}
    out, worst = [], 0.0
    for name in options.robots:
        robot = Robot(name, build.REPO / "robots" / f"{name}.urdf", joints[name], 16)
        robot.write(folder)
        known = Agreement(robot)
        those = [(ours, x) for x in ["rnea_second_derivatives", *ROWS]]
        those = list(dict.fromkeys(those)) + [(x, y) for x in theirs for y in ("rnea_second_derivatives", "rnea_derivatives")]
        times = race.race(those, folder, robot, options.rounds, known)
        worst = max(worst, known.worst)
        for function, (what, peer) in ROWS.items():
            row = [name, what, report.cell(times["ours", function])]
            found = {who: x for who, x in times.items() if who[0] != "ours" and who[1] == peer}
            if found:
                (side, _), best = min(found.items(), key=lambda item: item[1][1])
                row += [report.cell(best), side.split(".")[1], f"**{best[1] / times['ours', function][1]:.1f}**"]
            else:
                row += ["", "", ""]
            out.append(f"| {' | '.join(row)} |")
            print(out[-1], flush=True)
    for side in [ours, *theirs]:
        side.end()
    head = [
        "# Second derivatives beside Pinocchio's", "",
        "Written by `benches/peers/second.py`. What is timed, and how, is as in race.py ([README.md](README.md)).", "",
        *(f"- {x}" for x in list(report.machine(folder))[:-1]),
        f"- Pinocchio {report.version('pin')}",
        f"- largest relative difference of any tensor, and of any Hessian from the tensors: {worst:.0e}", "",
        f"ns a state, median of {options.rounds} rounds, in brackets the quartiles; sines and cosines included. x is the ratio of the medians, in",
        "one run. Pinocchio has no Hessians of weighted sums: what stands beside ours is its time for the tensors of torques, from which they",
        "would have to be formed. It has no second derivatives of accelerations.", "",
        "| | | rbd | Pinocchio | compiler | x |", "|---|---|---:|---:|---|---:|",
    ]  # fmt: skip
    text = "\n".join([*head, *out]) + "\n"
    if not options.dry and options.cpu == "native":
        (build.HERE / "SECOND.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error}\n{error.stderr or ''}")
