#!/usr/bin/env python3
"""Races steps with friction of HyQ with MuJoCo's, and writes FRICTION.md.

    benches/peers/friction.py [--steps 1000] [--turns 9] [--folder FOLDER] [--python PYTHON] [--dry]

Installs MuJoCo's wheel into FOLDER (default target/peers/friction) first, and compiles rbd's side for this processor; PYTHON is an
interpreter that has mujoco already. HyQ stands on four points of level ground, its joints held by springs and dampers, and is pushed
aside. Both sides have the URDF's inertias, semi-implicit Euler's steps of a millisecond, cones that are not cut to pyramids, and the
impulses of the step before to begin with. MuJoCo's contacts yield a little, and its step looks for contacts too, of four small balls and
a plane. Positions of the base must agree to some millimetres before anything is timed. One thread each; sides take turns, and medians
are compared.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import xml.etree.ElementTree as tree

import environment

HERE = pathlib.Path(__file__).resolve().parent
REPO = HERE.parent.parent
URDF = REPO / "robots" / "hyq.urdf"
PACKAGES = ["mujoco==4.0.0"]
LEGS = ["lf", "rf", "lh", "rh"]
DT = 1e-3
# N m/rad and N m s/rad of each joint.
GAINS = [1500.0, 30.0]
# First velocity of the base, m/s, aside and forward.
PUSH = [0.3, 0.5, 0.0]
FRICTION = {"rubber": 0.8, "ice": 0.1}
# Of MuJoCo's feet, m: contacts are at the lowest point of a ball.
RADIUS = 1e-3
# Largest difference of the base's last positions, m.
APART = 1e-2


def compiled(folder):
    environment = {**os.environ, "RUSTFLAGS": "-C target-cpu=native", "CARGO_TARGET_DIR": str(folder / "rust")}
    manifest = HERE / "rust" / "Cargo.toml"
    command = ["cargo", "build", "--release", "--quiet", "--bin", "friction", "--manifest-path", str(manifest)]
    subprocess.run(command, check=True, env=environment)
    return folder / "rust" / "release" / "friction"


def joints():
    """HyQ's joints in the order of rbd's coordinates, which is that of the URDF, each with its angle of standing."""
    names = [j.get("name") for j in tree.parse(URDF).getroot().findall("joint") if j.get("type") == "revolute"]
    bent = {"hfe": 0.75, "kfe": -1.5}
    sign = lambda leg: 1 if leg.endswith("f") else -1
    return {name: sign(name.split("_")[0]) * bent.get(name.split("_")[1], 0.0) for name in names}


def model_of(mujoco, friction, angles):
    """HyQ in MuJoCo: the URDF's inertias, a floating base, balls at the feet, springs and dampers at the joints."""
    root = tree.parse(URDF).getroot()
    options = tree.SubElement(tree.SubElement(root, "mujoco"), "compiler")
    options.attrib = {"fusestatic": "false", "discardvisual": "true", "balanceinertia": "false", "boundmass": "0"}
    # MuJoCo refuses inertias of 1e-6 kg m^2 in every entry, which the base and the feet have.
    for inertia in root.iter("inertia"):
        if inertia.get("ixx") == inertia.get("ixy"):
            for entry in ("ixy", "ixz", "iyz"):
                inertia.set(entry, "0")
    spec = mujoco.MjSpec.from_string(tree.tostring(root, encoding="unicode"))
    base = spec.worldbody.first_body()
    base.add_freejoint()
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=[friction, 0, 0], contype=0, conaffinity=1, condim=3
    )
    for leg in LEGS:
        foot = spec.body(f"{leg}_foot")
        foot.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0, 0], friction=[friction, 0, 0], contype=1, conaffinity=0, condim=3, mass=0
        )
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.frictionloss, joint.armature = 0, 0
            joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
            joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
            actuator = spec.add_actuator(trntype=mujoco.mjtTrn.mjTRN_JOINT, target=joint.name)
            actuator.set_to_position(kp=GAINS[0], kv=GAINS[1])
    # As stiff as its steps allow: otherwise the feet sink in by centimetres, and creep.
    for geom in spec.geoms:
        geom.solref, geom.solimp = [2 * DT, 1], [0.99, 0.999, 1e-3, 0.5, 2]
    spec.option.impratio = 10
    spec.option.timestep = DT
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model = spec.compile()
    # The URDF's damping, which rbd's robot leaves out.
    model.dof_damping[:] = 0
    data = mujoco.MjData(model)
    for name, angle in angles.items():
        data.qpos[model.joint(name).qposadr[0]] = angle
        data.ctrl[model.joint(name).dofadr[0] - 6] = angle
    data.qpos[2] = 0
    mujoco.mj_kinematics(model, data)
    data.qpos[2] = RADIUS - min(data.body(f"{leg}_foot").xpos[2] for leg in LEGS)
    data.qvel[:3] = PUSH
    return model, data, data.qpos.copy(), data.qvel.copy()


def ours(program, problem, runs):
    text = "\n".join(repr(float(x)) for x in problem)
    done = subprocess.run([program, str(runs)], input=text, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def race(arguments):
    import mujoco

    angles, program = joints(), compiled(arguments.folder)
    rows = {}
    for name, friction in FRICTION.items():
        model, data, q, v = model_of(mujoco, friction, angles)
        assert model.nv == 18 and model.nu == 12
        control = data.ctrl.copy()

        def theirs():
            """A run: its time."""
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, control
            begin = time.perf_counter()
            mujoco.mj_step(model, data, arguments.steps)
            return time.perf_counter() - begin

        # Quaternions are w, x, y, z there. Feet are points here, so that the base is a ball's radius lower.
        height = q[2] - RADIUS
        own = [*q[:2], height, 0, 0, 0, 1, *angles.values()]
        problem = [arguments.steps, DT, friction, *GAINS, *PUSH, *own]
        found = ours(program, problem, 1)
        theirs()
        if found["converged"] != arguments.steps:
            sys.exit(f"{arguments.steps - found['converged']} steps did not converge: nothing is timed")
        ends = [found["q"][:3], [*data.qpos[:2], data.qpos[2] - RADIUS]]
        apart = max(abs(a - b) for a, b in zip(*ends))
        moved = ((ends[0][0] - own[0]) ** 2 + (ends[0][1] - own[1]) ** 2) ** 0.5
        print(f"{name}: the base ends {moved:.3f} m away, {apart * 1e3:.1f} mm apart; height {ends[0][2]:.3f} and {ends[1][2]:.3f} m")
        print(f"  contacts of all steps: {found['open']} open, {found['sliding']} slide")
        if apart > APART:
            sys.exit("the ends are not the same: nothing is timed")
        times = {"rbd": [], "MuJoCo": []}
        for _ in range(arguments.turns):
            times["rbd"].append(statistics.median(ours(program, problem, 11)["times"]))
            times["MuJoCo"].append(statistics.median(theirs() for _ in range(11)))
        medians = {side: statistics.median(x) / arguments.steps * 1e6 for side, x in times.items()}
        rows[name] = (friction, moved, apart, found, medians)
    return rows, mujoco.__version__


def report(rows, version, steps):
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    lines = ["| ground | coefficient | base moves, m | ends apart, mm | rbd, us a step | MuJoCo, us a step | x |", "|---|" + "---:|" * 6]
    for name, (friction, moved, apart, _, medians) in rows.items():
        a, b = medians["rbd"], medians["MuJoCo"]
        lines.append(f"| {name} | {friction} | {moved:.2f} | {apart * 1e3:.1f} | {a:.2f} | {b:.2f} | **{b / a:.1f}** |")
    return f"""# Steps with friction beside MuJoCo

Written by `benches/peers/friction.py`, which states the problem: HyQ stands on four points and is pushed aside, {steps} steps of {DT * 1e3:g} ms.

- {processor}, one thread each, sides in turns, medians
- rbd: `friction_step` from the impulses of the step before, placements of the feet and the joints' controllers, compiled for this processor;
  every step converges to 1e-9
- MuJoCo {version}, its wheel: `mj_step` with elliptic cones and Newton's method. It also looks for contacts, of four balls and a plane, and its
  contacts yield

{chr(10).join(lines)}

Published for comparison, on another processor: *Simple* (Le Lidec and others, 2024, [arXiv 2409.07107](https://arxiv.org/abs/2409.07107))
takes 5 us for derivatives of a step with 7 degrees of freedom, and 95 us with 36.
[docs/benchmarks.md](../../docs/benchmarks.md#contacts) has those of rbd.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--folder", type=pathlib.Path, default=REPO / "target" / "peers" / "friction")
    parser.add_argument("--python", help="an interpreter that has mujoco")
    parser.add_argument("--dry", action="store_true", help="print the table and write nothing")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        python = arguments.python or environment.install(arguments.folder / "venv", PACKAGES)
        os.execv(python, [str(python), __file__, *sys.argv[1:], "--inside"])
    rows, version = race(arguments)
    page = report(rows, version, arguments.steps)
    print(page)
    if arguments.steps == 1000 and not arguments.dry:
        (HERE / "FRICTION.md").write_text(page)


if __name__ == "__main__":
    main()
