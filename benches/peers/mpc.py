#!/usr/bin/env python3
"""Races a whole-body optimal control problem of HyQ on four feet with crocoddyl, and writes MPC.md.

    benches/peers/mpc.py [--steps 25] [--turns 9] [--folder FOLDER] [--python PYTHON]

Installs crocoddyl into FOLDER (default target/peers/mpc) first, and compiles rbd's side for this processor; PYTHON is an interpreter
that has crocoddyl already. Both solve the same problem from the same start: the trunk moves in half a second, with the feet held.
Dynamics, cost, integrator (semi-implicit Euler), Gauss-Newton Hessians, line search and the end of the iterations are the same. Costs
and torques of both solutions must agree before anything is timed. One thread each; sides take turns, and medians are compared.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import environment

HERE = pathlib.Path(__file__).resolve().parent
REPO = HERE.parent.parent
# With pin 4.1.0, crocoddyl's wheel 3.2.1 ends without a word.
PACKAGES = ["crocoddyl==3.2.1", "pin==4.0.0"]
LEGS = ["lf", "rf", "lh", "rh"]
STEP = 0.02
TORQUES = 1e-3
# Of the state's error: the base's place and orientation, joints, velocities.
WEIGHTS = [1e3] * 3 + [1e2] * 3 + [1.0] * 12 + [1.0] * 18
MOVE = [0.05, 0.02, -0.04]


def standing(model):
    """Configuration with bent knees, by the joints' names."""
    import pinocchio

    q = pinocchio.neutral(model)
    for leg in LEGS:
        sign = 1 if leg.endswith("f") else -1
        for joint, angle in (("hfe", 0.75), ("kfe", -1.5)):
            q[model.joints[model.getJointId(f"{leg}_{joint}_joint")].idx_q] = sign * angle
    return q


def problem_of(model, q, steps):
    """The problem as crocoddyl takes it."""
    import crocoddyl
    import numpy
    import pinocchio

    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    contacts = crocoddyl.ContactModelMultiple(state, actuation.nu)
    for leg in LEGS:
        frame = model.getFrameId(f"{leg}_foot")
        point = (state, frame, numpy.zeros(3), pinocchio.LOCAL, actuation.nu, numpy.zeros(2))
        contacts.addContact(leg, crocoddyl.ContactModel3D(*point))
    goal = q.copy()
    goal[:3] += MOVE
    off = crocoddyl.ResidualModelState(state, numpy.r_[goal, numpy.zeros(model.nv)], actuation.nu)
    weighted = crocoddyl.ActivationModelWeightedQuad(numpy.array(WEIGHTS))

    def node(dt):
        costs = crocoddyl.CostModelSum(state, actuation.nu)
        costs.addCost("state", crocoddyl.CostModelResidual(state, weighted, off), 1.0)
        if dt:
            torques = crocoddyl.ResidualModelControl(state, actuation.nu)
            costs.addCost("torques", crocoddyl.CostModelResidual(state, torques), TORQUES)
        dynamics = crocoddyl.DifferentialActionModelContactFwdDynamics(state, actuation, contacts, costs, 0.0, True)
        return crocoddyl.IntegratedActionModelEuler(dynamics, dt)

    start = numpy.r_[q, numpy.zeros(model.nv)]
    problem = crocoddyl.ShootingProblem(start, [node(STEP)] * steps, node(0.0))
    problem.nthreads = 1
    return problem, start, goal


def order_of(model, joints):
    """For each of these joints, its place among the model's actuated ones."""
    return [model.joints[model.getJointId(joint)].idx_v - 6 for joint in joints]


def ours(program, problem, rounds):
    """rbd's solution and medians of its times, s."""
    text = "\n".join(repr(float(x)) for x in problem)
    done = subprocess.run([program, str(rounds)], input=text, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def compiled(folder):
    environment = {**os.environ, "RUSTFLAGS": "-C target-cpu=native"}
    environment["CARGO_TARGET_DIR"] = str(folder / "rust")
    manifest = HERE / "rust" / "Cargo.toml"
    command = ["cargo", "build", "--release", "--quiet", "--bin", "mpc", "--manifest-path", str(manifest)]
    subprocess.run(command, check=True, env=environment)
    return folder / "rust" / "release" / "mpc"


def joints_of(urdf):
    """HyQ's legs in the order of rbd's coordinates, which is that of the URDF."""
    import xml.etree.ElementTree as tree

    joints = tree.parse(urdf).getroot().findall("joint")
    return [joint.get("name") for joint in joints if joint.get("type") not in ("fixed", "floating")]


def theirs(problem, guess, rounds):
    """Medians of crocoddyl's times, s, and its solver after the last solution."""
    import crocoddyl

    torques, states = guess
    solver = crocoddyl.SolverDDP(problem)
    solver.th_stop = 1e-9

    def median(call):
        times = []
        for _ in range(rounds):
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
        return statistics.median(times)

    solve = median(lambda: solver.solve(states, torques, 100, True))
    value = median(lambda: problem.calc(states, torques))
    derivatives = median(lambda: problem.calcDiff(states, torques))
    problem.calc(states, torques)
    problem.calcDiff(states, torques)
    return {"solve": solve, "value": value, "derivatives": derivatives}, solver


def race(arguments):
    import crocoddyl
    import numpy
    import pinocchio

    urdf = REPO / "robots" / "hyq.urdf"
    model = pinocchio.buildModelFromUrdf(str(urdf), pinocchio.JointModelFreeFlyer())
    q = standing(model)
    problem, start, goal = problem_of(model, q, arguments.steps)
    torques = problem.quasiStatic([start] * arguments.steps)
    guess = (torques, problem.rollout(torques))
    order = order_of(model, joints_of(urdf))
    of_q = [*range(7), *(7 + k for k in order)]
    numbers = [arguments.steps, STEP, *q[of_q], *goal[of_q], *WEIGHTS, TORQUES, *(u[k] for u in torques for k in order)]
    program = compiled(arguments.folder)

    found = ours(program, numbers, 1)
    _, solver = theirs(problem, guess, 1)
    own = numpy.array(found["torques"]).reshape(arguments.steps, -1)
    peer = numpy.array([u[order] for u in solver.us])
    apart = abs(own - peer).max() / abs(peer).max()
    costs = abs(found["cost"] - solver.cost) / solver.cost
    print(f"costs {found['cost']:.9f} and {solver.cost:.9f}, torques {apart:.1e} apart of the largest")
    if costs > 1e-8 or apart > 1e-4:
        sys.exit("the solutions are not the same: nothing is timed")

    keys = ["value", "derivatives", "solve"]
    times = {"rbd": {key: [] for key in [*keys, "backward"]}, "crocoddyl": {key: [] for key in keys}}
    for _ in range(arguments.turns):
        for key, time_of in ours(program, numbers, 21).items():
            if key in times["rbd"]:
                times["rbd"][key].append(time_of)
        for key, time_of in theirs(problem, guess, 21)[0].items():
            times["crocoddyl"][key].append(time_of)
    medians = {side: {key: statistics.median(x) for key, x in of.items()} for side, of in times.items()}
    facts = {
        "iterations": (found["iterations"], solver.iter + 1),
        "apart": apart,
        "versions": (crocoddyl.__version__, pinocchio.__version__),
    }
    return medians, facts


def report(medians, facts, steps):
    own, peer = medians["rbd"], medians["crocoddyl"]
    rows = [
        ("a rollout, for each step", "value", steps, 1e6, "us"),
        ("A, B and the cost's derivatives, for each step", "derivatives", steps, 1e6, "us"),
        ("a whole solve", "solve", 1, 1e3, "ms"),
    ]
    lines = ["| | rbd | crocoddyl | x |", "|---|---:|---:|---:|"]
    for what, key, by, unit, name in rows:
        a, b = (side[key] / by * unit for side in (own, peer))
        lines.append(f"| {what}, {name} | {a:.2f} | {b:.2f} | **{b / a:.1f}** |")
    processor = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    iterations = " and ".join(str(k) for k in facts["iterations"])
    return f"""# Whole-body optimal control beside crocoddyl

Written by `benches/peers/mpc.py`, which states the problem: HyQ on four feet, {steps} steps of {STEP} s, the trunk moves.

- {processor}, one thread each, sides in turns, medians
- rbd: `contact_step` and `contact_step_derivatives`, compiled for this processor; the solver is `rust/src/bin/mpc/`
- crocoddyl {facts["versions"][0]} with Pinocchio {facts["versions"][1]}, their wheels, which are compiled for any x86-64; its `SolverDDP`
- iterations: {iterations}; largest difference of torques {facts["apart"]:.0e} of the largest torque

{chr(10).join(lines)}

In each of rbd's iterations, the backward pass takes {own["backward"] * 1e6:.0f} us, the linearisation {own["derivatives"] * 1e6:.0f} us and a rollout
{own["value"] * 1e6:.0f} us.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--folder", type=pathlib.Path, default=REPO / "target" / "peers" / "mpc")
    parser.add_argument("--python", help="an interpreter that has crocoddyl")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        python = arguments.python or environment.install(arguments.folder / "venv", PACKAGES)
        os.execv(python, [str(python), __file__, *sys.argv[1:], "--inside"])
    page = report(*race(arguments), arguments.steps)
    print(page)
    if arguments.steps == 25:
        (HERE / "MPC.md").write_text(page)


if __name__ == "__main__":
    main()
