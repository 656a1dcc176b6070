#!/usr/bin/env python3
"""An optimal motion by `step` of the C for CasADi, with exact Hessians, beside the same problem in CasADi's own expressions.

    tests/casadi/step.py [RBD]

The dynamics beside are Lagrange's equations of the energies, which CasADi differentiates. They share nothing with rbd. The time
of a step is a variable too. RBD is the command, by default built by cargo. Needs gcc and `pip install casadi numpy`. Seconds.
"""

import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
URDF = ROOT / "robots" / "double_pendulum.urdf"
STEPS = 40


def skip(what):
    print(f"skipped: {what}")
    sys.exit(0)


try:
    import casadi as ca
except ImportError:
    skip("casadi is not installed")
if not shutil.which("gcc"):
    skip("gcc is not installed")


def numbers(element, name, default):
    text = None if element is None else element.get(name)
    return [float(x) for x in (text or default).split()]


def turn(axis, angle):
    """The rotation about a unit axis."""
    x = ca.skew(ca.DM(axis))
    return ca.DM.eye(3) + ca.sin(angle) * x + (1 - ca.cos(angle)) * x @ x


def fixed(origin):
    """Rotation and translation of an `<origin>`."""
    roll, pitch, yaw = numbers(origin, "rpy", "0 0 0")
    rotation = turn([0, 0, 1], yaw) @ turn([0, 1, 0], pitch) @ turn([1, 0, 0], roll)
    return rotation, ca.DM(numbers(origin, "xyz", "0 0 0"))


def energies(q, v):
    """Kinetic and potential energy of a chain of revolute joints, by frames in the world."""
    robot = xml.parse(URDF).getroot()
    links = {link.get("name"): link for link in robot.findall("link")}
    joints = robot.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    at = next(name for name in links if name not in children)
    rotation, place = ca.SX.eye(3), ca.SX.zeros(3)
    spin = ca.SX.zeros(3)
    kinetic = potential = k = 0
    while True:
        joint = next((joint for joint in joints if joint.find("parent").get("link") == at), None)
        if joint is None:
            assert k == q.numel(), "the chain has as many joints as coordinates"
            return kinetic, potential
        turned, moved = fixed(joint.find("origin"))
        place = place + rotation @ moved
        rotation = rotation @ turned
        if joint.get("type") != "fixed":
            axis = numbers(joint.find("axis"), "xyz", "1 0 0")
            length = math.sqrt(sum(x * x for x in axis))
            axis = [x / length for x in axis]
            spin = spin + rotation @ ca.DM(axis) * v[k]
            rotation = rotation @ turn(axis, q[k])
            k += 1
        at = joint.find("child").get("link")
        inertial = links[at].find("inertial")
        if inertial is None:
            continue
        own, center = fixed(inertial.find("origin"))
        mass = float(inertial.find("mass").get("value"))
        of = {name: float(inertial.find("inertia").get(name)) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        inertia = ca.DM(
            [[of["ixx"], of["ixy"], of["ixz"]], [of["ixy"], of["iyy"], of["iyz"]], [of["ixz"], of["iyz"], of["izz"]]]
        )
        heavy = place + rotation @ center
        velocity = ca.jtimes(heavy, q, v)
        local = (rotation @ own).T @ spin
        kinetic += (mass * ca.dot(velocity, velocity) + ca.dot(local, inertia @ local)) / 2
        potential += mass * 9.81 * heavy[2]


def own_step(n):
    """Semi-implicit Euler by Lagrange's equations."""
    q, v, u, dt = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("u", n), ca.SX.sym("dt")
    kinetic, potential = energies(q, v)
    momentum = ca.gradient(kinetic, v)
    mass = ca.jacobian(momentum, v)
    rest = ca.jtimes(momentum, q, v) - ca.gradient(kinetic - potential, q)
    next_v = v + dt * ca.solve(mass, u - rest)
    return ca.Function("own", [ca.vertcat(q, v), u, dt], [ca.vertcat(q + dt * next_v, next_v)])


def solved(step, n):
    """The pendulum swings up, with little torque and in a time that is chosen too."""
    opti = ca.Opti()
    x, u, dt = opti.variable(2 * n, STEPS + 1), opti.variable(n, STEPS), opti.variable()
    opti.minimize(ca.sumsqr(u) / 20 * dt + 0.01 * ca.sumsqr(x[n:, :]) * dt + 5 * dt)
    for k in range(STEPS):
        opti.subject_to(x[:, k + 1] == step(x[:, k], u[:, k], dt))
    opti.subject_to(x[:, 0] == 0)
    opti.subject_to(x[:, STEPS] == ca.vertcat(1.2, -0.7, ca.DM.zeros(2 * n - 2)))
    opti.subject_to(opti.bounded(0.01, dt, 0.1))
    opti.set_initial(dt, 0.03)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "tol": 1e-10})
    return opti, opti.solve()


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else "cargo run --quiet --release -p rbd-cli --"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        options = "generate --target c --casadi --functions aba --step semi_implicit --name arm"
        subprocess.run([*command.split(), *options.split(), str(URDF), "-o", str(folder)], check=True, cwd=ROOT)
        sources = [str(folder / "arm.c"), str(folder / "arm_casadi.c")]
        library = str(folder / "libarm.so")
        subprocess.run(["gcc", "-O2", "-fPIC", "-shared", *sources, "-o", library, "-lm"], check=True)
        n = 2
        step, own = ca.external("arm_casadi_step", library), own_step(n)
        state = ca.DM([0.3, -0.8, 1.1, 0.4])
        gap = ca.mmax(ca.fabs(step(state, [0.5, -0.2], 0.04) - own(state, [0.5, -0.2], 0.04)))
        assert gap < 1e-13, gap
        (opti, solution), (other, known) = solved(step, n), solved(own, n)
        stats, beside = solution.stats(), known.stats()
        assert stats["success"] and stats["n_call_nlp_hess_l"] > 0, stats["return_status"]
        x, multipliers = solution.value(opti.x), solution.value(opti.lam_g)
        errors = {"x": float(ca.mmax(ca.fabs(x - known.value(other.x)))), "f": abs(solution.value(opti.f) - known.value(other.f))}
        hessians = []
        for problem in (opti, other):
            lagrangian = problem.f + ca.dot(problem.lam_g, problem.g)
            both = ca.Function("both", [problem.x, problem.lam_g], [ca.hessian(lagrangian, problem.x)[0], ca.jacobian(problem.g, problem.x)])
            hessians.append(both(x, multipliers))
        for name, found, expected in zip(("hessian", "jacobian"), *hessians):
            errors[name] = float(ca.mmax(ca.fabs(found - expected)) / ca.mmax(ca.fabs(expected)))
        print(f"step by IPOPT: {stats['iter_count']} and {beside['iter_count']} iterations; differences {errors}")
        assert errors["x"] < 1e-7 and errors["f"] < 1e-9, errors
        assert errors["hessian"] < 1e-10 and errors["jacobian"] < 1e-10, errors


if __name__ == "__main__":
    main()
