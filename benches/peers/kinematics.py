#!/usr/bin/env python3
"""Race rbd's kinematics, quantities of the whole body, and dynamics under contacts against Pinocchio's on this machine.

    benches/peers/kinematics.py [--folder FOLDER] [--rounds N] [--robots iiwa14 hyq ..] [--cpu x86-64-v3] [--dry]

Works in the folder of race.py, which installs what is missing, compiles both sides, checks that they agree, times them in
turns, and writes KINEMATICS.md beside this file; --dry only prints.
"""

import argparse
import pathlib
import subprocess

import build
import race

# The frame that is raced.
ROBOTS = {"iiwa14": "iiwa_link_7", "hyq": "lf_foot", "g1": "right_rubber_hand", "talos_reduced": "gripper_right_base_link"}
# The frames of contacts, and what they are: of 12 rows together.
STANDING = {
    "hyq": ("point", ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]),
    "g1": ("plane", ["left_ankle_roll_link", "right_ankle_roll_link"]),
    "talos_reduced": ("plane", ["left_sole_link", "right_sole_link"]),
}
# Humanoids that also lean on two hands: planes, 24 rows in all.
LEANING = {
    "g1": ["left_rubber_hand", "right_rubber_hand"],
    "talos_reduced": ["gripper_left_base_link", "gripper_right_base_link"],
}
# What is raced: what it is made of, and what Pinocchio is called for it. N stands for nv, B for ten parameters a body,
# C for the contacts' rows. After a colon stands another way of Pinocchio's, whose accelerations alone are compared.
KINEMATICS = {
    "forward_kinematics": ("bodies", "forwardKinematics"),
    "frame_placement": ("12", "forwardKinematics, updateFramePlacement"),
    "frame_jacobian_local": ("6xN", "computeFrameJacobian"),
    "frame_jacobian_world": ("6xN", "computeFrameJacobian"),
    "frame_jacobian_local_world_aligned": ("6xN", "computeFrameJacobian"),
    "frame_velocity": ("6", "forwardKinematics, getFrameVelocity"),
    "frame_acceleration": ("6", "forwardKinematics, getFrameAcceleration"),
    "frame_classical_acceleration": ("6", "forwardKinematics, getFrameClassicalAcceleration"),
    "frame_velocity_derivatives": (
        "6xN 6xN",
        "computeForwardKinematicsDerivatives, getFrameVelocityDerivatives",
    ),
    "frame_acceleration_derivatives": (
        "6xN 6xN 6xN",
        "computeForwardKinematicsDerivatives, getFrameAccelerationDerivatives",
    ),
}
BODY = {
    "center_of_mass": ("3", "centerOfMass"),
    "center_of_mass_velocity": ("3", "centerOfMass"),
    "center_of_mass_jacobian": ("3xN", "jacobianCenterOfMass"),
    "centroidal_momentum": ("6", "computeCentroidalMomentum"),
    "centroidal_momentum_matrix": ("6xN", "computeCentroidalMap"),
    "centroidal_momentum_rate": ("6", "computeCentroidalMomentumTimeVariation"),
    "centroidal_derivatives": ("6xN 6xN 6xN 6xN", "computeCentroidalDynamicsDerivatives"),
    "kinetic_energy": ("1", "computeKineticEnergy"),
    "potential_energy": ("1", "computePotentialEnergy"),
    "coriolis_matrix": ("NxN", "computeCoriolisMatrix"),
    "regressor": ("NxB", "computeJointTorqueRegressor"),
    "kinetic_energy_regressor": ("1xB", "computeKineticEnergyRegressor"),
    "potential_energy_regressor": ("1xB", "computePotentialEnergyRegressor"),
}
CONTACTS = {
    "contact_jacobian": ("CxN", "computeJointJacobians, getFrameJacobian"),
    "contact_dynamics": ("N C", "constraintDynamics"),
    "contact_accelerations:pv": ("N", "pv"),
    "contact_accelerations:constrainedABA": ("N", "constrainedABA"),
    "contact_dynamics_derivatives": (
        "N C NxN NxN NxN CxN CxN CxN",
        "constraintDynamics, computeConstraintDynamicsDerivatives",
    ),
}
TOLERANCE = 1e-8


class Agreement:
    """Checks results before they are timed: all as those of the first who is asked."""

    def __init__(self, robot, parts, contact_rows=0):
        self.robot, self.parts, self.contact_rows = robot, parts.split(), contact_rows
        self.known, self.worst = None, 0.0

    def matrices(self, path, pinocchio):
        """One list of matrices a state, in our order."""
        import numpy as np

        robot, n = self.robot, self.robot.nv
        identity = np.arange(n)
        velocities = np.argsort(robot.our_v) if pinocchio else identity
        # Pinocchio's bodies, each where we have it.
        ids = [robot.model.getJointId(name) - 1 for name, _, _ in robot.joints]
        bodies = np.array(ids) if pinocchio else np.arange(len(ids))
        columns = (10 * bodies[:, None] + np.arange(10)).ravel()
        order = {"N": velocities, "B": columns, "C": np.arange(self.contact_rows)}

        def part(kind, row):
            if kind == "bodies":
                return row.reshape(-1, 12)[bodies].copy()
            rows, _, cols = kind.partition("x")
            sizes = [order[x] if x in order else np.arange(int(x or 1)) for x in (rows, cols)]
            return row.reshape(len(sizes[1]), len(sizes[0])).T[np.ix_(*sizes)]

        def size(kind):
            count = {"bodies": 12 * len(ids), "N": n, "B": 10 * len(ids), "C": self.contact_rows}
            factors = [count[x] if x in count else int(x) for x in kind.split("x")]
            return factors[0] * (factors[1] if len(factors) > 1 else 1)

        ends = np.cumsum([size(kind) for kind in self.parts])
        rows = np.fromfile(path, "<f8").reshape(robot.count, ends[-1])
        return [[part(k, x) for k, x in zip(self.parts, np.split(row, ends[:-1]), strict=True)] for row in rows]

    def __call__(self, side, what, path):
        from states import difference

        found = self.matrices(path, side.startswith("pinocchio"))
        self.known = self.known or found
        error = difference(found, self.known)
        self.worst = max(self.worst, error)
        if not error <= TOLERANCE:
            raise SystemExit(f"{self.robot.name} {what}: {side} differs by {error:.1e}")


def compile_sides(folder, ours="kinematics"):
    build.cargo(folder, "native", build.NATIVE, "--bin", ours)
    source = build.HERE / "cpp"
    for name, (compiler, _) in build.compilers(folder).items():
        target = folder / f"kinematics.{name}"
        if build.newer(target, *(source / x for x in ("kinematics.cpp", "worker.hpp", "model.hpp"))):
            flags = ["-std=c++17", *build.FAST, *build.DEFINITIONS, *build.headers(folder)]
            build.timed(target.name, [*compiler, *flags, source / "kinematics.cpp", "-o", target])


def write_frames(folder, robot, raced, standing, loops=()):
    """Frames as cpp/kinematics.cpp reads them: what for, on what joint, and where. Those of a closed loop follow one another."""
    import pinocchio as pin

    lines = []
    kind, contacts = standing
    uses = [("raced", raced), *((kind, x) for x in contacts), *(("loop", x) for pair in loops for x in pair)]
    for use, name in uses:
        frame = robot.model.frames[robot.model.getFrameId(name, pin.FrameType.BODY)]
        numbers = [*frame.placement.rotation.ravel(), *frame.placement.translation]
        lines.append(f"{use} {name} {frame.parentJoint} " + " ".join(repr(float(x)) for x in numbers))
    (folder / f"{robot.name}.frames").write_text("\n".join(lines) + "\n")


def row(function, times, called):
    """A line of the table: rbd's time and the least one of Pinocchio."""
    import report

    function = function.partition(":")[0]
    mine = times["ours", function]
    function = "contact_dynamics" if function == "contact_accelerations" else function
    who, best = report.best(times, "pinocchio")
    cells = [f"`{function}`", report.cell(mine), report.cell(best), who[0].split(".")[1]]
    return f"| {' | '.join([*cells, f'**{best[1] / mine[1]:.1f}**', f'`{called}`'])} |"


def raced(out, worst, title, functions, sides, folder, robot, rounds, contact_rows):
    """Races these functions, writes their table, and returns the largest difference."""
    ours, *theirs = sides
    out += ["", f"## {title}", "", "| | rbd | Pinocchio | compiler | x | called there |", "|---|---:|---:|---|---:|---|"]
    for function, (parts, peer) in functions.items():
        known = Agreement(robot, parts, contact_rows)
        those = [(ours, function.partition(":")[0]), *((side, function) for side in theirs)]
        times = race.race(those, folder, robot, rounds, known)
        worst = max(worst, known.worst)
        out.append(row(function, times, peer))
        print(robot.name, out[-1], flush=True)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=pathlib.Path, default=build.REPO / "target" / "peers")
    parser.add_argument("--rounds", type=int, default=61)
    parser.add_argument("--robots", nargs="*", default=list(ROBOTS), choices=ROBOTS)
    race.cpu_option(parser)
    parser.add_argument("--dry", action="store_true", help="print the table and write nothing")
    options = parser.parse_args()
    folder = race.enter(options.folder, options.cpu)

    import report
    from states import Robot

    compile_sides(folder)
    program = folder / "native/release/kinematics"
    lines = build.output([program, "joints"]).splitlines()
    joints = {robot: rest.split() for robot, rest in (x.split(" ", 1) for x in lines)}
    ours = race.Side("ours", program, folder)
    theirs = [race.Side(f"pinocchio.{x}", folder / f"kinematics.{x}", folder) for x in build.compilers(folder)]
    out, worst = [], 0.0
    sides = [ours, *theirs]
    for name in options.robots:
        urdf, standing = build.REPO / "robots" / f"{name}.urdf", STANDING.get(name, ("", []))
        robot = Robot(name, urdf, joints[name], 32)
        robot.write(folder)
        write_frames(folder, robot, ROBOTS[name], standing)
        contacts = CONTACTS if name in STANDING else {}
        for title, functions in [("kinematics", KINEMATICS), ("the whole body", BODY), ("contacts", contacts)]:
            if functions:
                worst = raced(out, worst, f"{name}, {title}", functions, sides, folder, robot, options.rounds, 12)
        if name in LEANING:
            robot = Robot(f"{name}_leaning", urdf, joints[name], 32)
            robot.write(folder)
            write_frames(folder, robot, ROBOTS[name], (standing[0], standing[1] + LEANING[name]))
            title = f"{name}, contacts of soles and hands"
            worst = raced(out, worst, title, CONTACTS, sides, folder, robot, options.rounds, 24)
    for side in [ours, *theirs]:
        side.end()
    head = [
        "# Kinematics, the whole body, and contacts beside Pinocchio's", "",
        "Written by `benches/peers/kinematics.py`. What is timed, and how, is as in race.py ([README.md](README.md)).", "",
        *(f"- {x}" for x in list(report.machine(folder))[:-1]),
        f"- Pinocchio {report.version('pin')}",
        f"- largest relative difference of any result: {worst:.0e}", "",
        f"ns a state, median of {options.rounds} rounds, in brackets the quartiles; sines and cosines included. x is the ratio of the medians, in",
        "one run. Functions of a frame are of the hand or a foot, in its own axes where nothing else is said; rbd computes what is on the way from",
        "the root to it. Of Pinocchio those functions are called that a user would call for this result alone: those that compute placements,",
        "velocities and derivatives do so for all joints. Contacts are HyQ's four feet as points, and both soles",
        "of humanoids as planes, then both hands too, without Baumgarte's terms. `pv` and `constrainedABA` are of Pinocchio, too: their",
        "accelerations alone are compared. `constrainedABA` iterates until its residual is below 1e-9.",
    ]  # fmt: skip
    text = "\n".join([*head, *out]) + "\n"
    if not options.dry and options.cpu == "native":
        (build.HERE / "KINEMATICS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error}\n{error.stderr or ''}")
