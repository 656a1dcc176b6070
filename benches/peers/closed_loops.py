#!/usr/bin/env python3
"""Race rbd's dynamics of a robot with closed loops against Pinocchio's on this machine.

    benches/peers/closed_loops.py [--folder FOLDER] [--rounds N] [--cpu x86-64-v3] [--dry]

Works in the folder of race.py, which installs what is missing, compiles both sides, checks that they agree, times them in
turns, and writes CLOSED_LOOPS.md beside this file; --dry only prints. The robot is closed_legs.urdf: two legs, in each of
which a rod closes a loop, on two soles.
"""

import argparse
import pathlib
import subprocess

import build
import kinematics
import race

ROBOT = "closed_legs"
STANDING = ("plane", ["left_sole", "right_sole"])
LOOPS = [["left_heel", "left_rod_end"], ["right_heel", "right_rod_end"]]
# What is raced: what it is made of, and what Pinocchio is called for it.
ROWS = {
    "contact_dynamics": ("N C", "constraintDynamics"),
    "contact_dynamics_derivatives": (
        "N C NxN NxN NxN CxN CxN CxN",
        "constraintDynamics, computeConstraintDynamicsDerivatives",
    ),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=pathlib.Path, default=build.REPO / "target" / "peers")
    parser.add_argument("--rounds", type=int, default=61)
    race.cpu_option(parser)
    parser.add_argument("--dry", action="store_true", help="print the table and write nothing")
    options = parser.parse_args()
    folder = race.enter(options.folder, options.cpu)

    import report
    from states import ClosedRobot

    kinematics.compile_sides(folder, "closed_loops")
    program = folder / "native/release/closed_loops"
    _, *joints = build.output([program, "joints"]).split()
    robot = ClosedRobot(ROBOT, build.HERE / f"{ROBOT}.urdf", joints, 32, loops=LOOPS)
    robot.write(folder)
    kinematics.write_frames(folder, robot, STANDING[1][0], STANDING, LOOPS)
    ours = race.Side("ours", program, folder)
    theirs = [race.Side(f"pinocchio.{x}", folder / f"kinematics.{x}", folder) for x in build.compilers(folder)]
    out, worst = ["", "| | rbd | Pinocchio | compiler | x | called there |", "|---|---:|---:|---|---:|---|"], 0.0
    for function, (parts, called) in ROWS.items():
        known = kinematics.Agreement(robot, parts, 18)
        times = race.race([(side, function) for side in [ours, *theirs]], folder, robot, options.rounds, known)
        worst = max(worst, known.worst)
        out.append(kinematics.row(function, times, called))
        print(out[-1], flush=True)
    for side in [ours, *theirs]:
        side.end()
    head = [
        "# Closed loops beside Pinocchio's", "",
        "Written by `benches/peers/closed_loops.py`. What is timed, and how, is as in race.py ([README.md](README.md)).", "",
        *(f"- {x}" for x in list(report.machine(folder))[:-1]),
        f"- Pinocchio {report.version('pin')}",
        f"- largest relative difference of any result: {worst:.0e}", "",
        f"ns a state, median of {options.rounds} rounds, in brackets the quartiles; sines and cosines included. x is the ratio of the medians, in",
        "one run. The robot is `closed_legs.urdf`, made up for this race: a base that floats, two legs of eight joints, and in each a rod",
        f"on a ball joint that closes a loop, {robot.nv} degrees of freedom. Both soles are planes and both loops points: 18 rows, without",
        "Baumgarte's terms. States close the loops, positions and velocities.",
    ]  # fmt: skip
    text = "\n".join([*head, *out]) + "\n"
    if not options.dry and options.cpu == "native":
        (build.HERE / "CLOSED_LOOPS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error}\n{error.stderr or ''}")
