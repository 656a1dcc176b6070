#!/usr/bin/env python3
"""A quadruped with a floating base in CasADi, on four feet: derivatives by the coordinates of its quaternion, and a motion by IPOPT.

    tests/casadi/floating.py [RBD]

Values and tangent derivatives are compared with Pinocchio's stored ones, and derivatives by coordinates with differences. RBD is the
command, by default built by cargo. Needs gcc and `pip install casadi numpy`. Half a minute.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FEET = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]
FUNCTIONS = "aba,aba_derivatives,aba_hessian,kinetic_energy,kinetic_energy_derivatives"
NQ, NV = 19, 18


def skip(what):
    print(f"skipped: {what}")
    sys.exit(0)


try:
    import casadi as ca
    import numpy as np
except ImportError:
    skip("casadi and numpy are not installed")
if not shutil.which("gcc"):
    skip("gcc is not installed")


def built(folder):
    """The robot's functions for CasADi, by name."""
    command = sys.argv[1] if len(sys.argv) > 1 else "cargo run --quiet --release -p rbd-cli --"
    options = f"generate --target c --casadi --floating --contacts {','.join(FEET)} --functions {FUNCTIONS} --step semi_implicit"
    source = [str(ROOT / "robots" / "hyq.urdf"), "-o", str(folder)]
    subprocess.run([*command.split(), *options.split(), *source], check=True, cwd=ROOT)
    library = str(folder / "libhyq.so")
    files = [str(folder / name) for name in ("hyq.c", "hyq_casadi.c")]
    subprocess.run(["gcc", "-O2", "-march=native", "-fPIC", "-shared", *files, "-o", library, "-lm"], check=True)
    return lambda name: ca.external(f"hyq_casadi_{name}", library)


def rates(q):
    """E of dq/dt = E v, for a unit quaternion."""
    a, w = q[3:6], q[6]
    cross = np.array(ca.skew(ca.DM(a)))
    matrix = np.zeros((NQ, NV))
    matrix[:3, :3] = np.eye(3) + 2 * w * cross + 2 * cross @ cross
    matrix[3:6, 3:6] = (w * np.eye(3) + cross) / 2
    matrix[6, 3:6] = -a / 2
    matrix[7:, 6:] = np.eye(NV - 6)
    return matrix


def results(function, *arguments):
    found = function(*arguments)
    return [np.array(x) for x in (found if isinstance(found, tuple) else (found,))]


def differences(function, arguments, k):
    """The Jacobians of all results by argument k, by differences of five points."""
    step, columns = 2e-4, []
    for j in range(len(arguments[k])):
        points = []
        for way in (-2, -1, 1, 2):
            moved = [np.array(x, float) for x in arguments]
            moved[k][j] += way * step
            points.append(results(function, *moved))
        columns.append([(a - 8 * b + 8 * c - d)[:, 0] / (12 * step) for a, b, c, d in zip(*points)])
    return [np.array(column).T for column in zip(*columns)]


def jacobians(function, arguments):
    """The results, and all Jacobians that CasADi makes, of a function and of these arguments."""
    symbols = [ca.MX.sym(f"x{k}", len(x)) for k, x in enumerate(arguments)]
    found = function(*symbols)
    found = found if isinstance(found, (tuple, list)) else (found,)
    blocks = [ca.jacobian(result, x) for x in symbols for result in found]
    of_blocks = results(ca.Function("all", symbols, blocks), *arguments)
    n = len(found)
    return [of_blocks[n * k : n * (k + 1)] for k in range(len(arguments))]


def check(name, function, arguments, tolerance=1e-8):
    """Derivatives against differences, of the largest entry of each block."""
    worst = 0
    for k, blocks in enumerate(jacobians(function, arguments)):
        for exact, near in zip(blocks, differences(function, arguments, k)):
            assert exact.shape == near.shape, (name, k, exact.shape, near.shape)
            worst = max(worst, abs(exact - near).max() / (abs(near).max() + 1))
    print(f"{name}: derivatives within {worst:.0e} of differences")
    assert worst < tolerance, (name, worst)


def check_twice(name, function, arguments):
    """Second derivatives of a weighted sum of results, against differences of its gradient."""
    symbols = [ca.MX.sym(f"x{k}", len(x)) for k, x in enumerate(arguments)]
    found, every = function(*symbols), ca.vertcat(*symbols)
    weights = np.array([((7 * k) % 11) / 5 - 1 for k in range(found.numel())])
    gradient = ca.gradient(ca.dot(weights, found), every)
    # The Jacobian of the gradient, which is not made symmetric as `ca.hessian` is.
    whole = results(ca.Function("whole", symbols, [ca.jacobian(gradient, every)]), *arguments)[0]
    assert abs(whole - whole.T).max() < 1e-11 * abs(whole).max(), "second derivatives by coordinates are symmetric"
    near = differences(ca.Function("joined", [every], [gradient]), [np.concatenate(arguments)], 0)[0]
    worst = abs(whole - near).max() / abs(near).max()
    print(f"{name}: second derivatives within {worst:.0e} of differences")
    assert worst < 1e-8, (name, worst)


def derivatives(of):
    """Functions and their derivatives, at Pinocchio's state, and with a quaternion that is no unit one."""
    stored = json.loads((ROOT / "tests" / "values" / "contacts" / "hyq.floating.json").read_text())
    q, v, tau = (np.array(stored[name]) for name in ("q", "v", "tau"))
    anchor = np.column_stack([np.eye(3), stored["anchor"]])
    anchors, settings = np.tile(anchor, (1, 4)), [0, stored["kp"], stored["kd"], 0]
    dynamics = of("contact_dynamics")
    assert dynamics.is_diff_in() == [True, True, True, False, False, False]
    held = lambda q, v, tau: dynamics(q, v, tau, np.ones(4), settings, anchors)
    found = results(held, q, v, tau)
    blocks = jacobians(held, [q, v, tau])
    pairs = [(found[0][:, 0], "ddq"), (found[1][:, 0], "forces")]
    for k, (by, turned) in enumerate([("q", rates(q)), ("v", np.eye(NV)), ("tau", np.eye(NV))]):
        pairs += [(blocks[k][0] @ turned, f"ddq_d{by}"), (blocks[k][1] @ turned, f"forces_d{by}")]
    worst = max(abs(x - np.array(stored[name])).max() / abs(np.array(stored[name])).max() for x, name in pairs)
    print(f"contact_dynamics: within {worst:.0e} of Pinocchio's values and derivatives")
    assert worst < 1e-9, worst
    # No turn along the quaternion itself.
    assert abs(blocks[0][0][:, 3:7] @ q[3:7]).max() < 1e-9 * abs(blocks[0][0]).max()
    impulse = of("contact_impulse")
    of_impulse = lambda q, v, restitution: impulse(q, v, np.ones(4), restitution, np.zeros(4))
    after = results(of_impulse, q, v, [stored["restitution"]])
    for x, name in zip(after, ("v_plus", "impulses")):
        assert abs(x[:, 0] - stored[name]).max() < 1e-9 * abs(np.array(stored[name])).max(), name

    long = np.concatenate([q[:3], 1.3 * q[3:7], q[7:]])
    assert abs(results(held, long, v, tau)[0] - found[0]).max() < 1e-9, "a function of the quaternion's direction"
    some, aligned = np.array([1, 0, 1, 1]), [1e-3, 5, 6, 1]
    check("contact_dynamics, aligned", lambda *x: dynamics(*x, some, aligned, anchors), [long, v, tau])
    check("contact_impulse", of_impulse, [long, v, [0.4]])
    state = np.concatenate([long, v])
    check("step", of("step"), [state, tau, [0.02]])
    step = of("contact_step")
    check("contact_step", lambda x, u, dt: step(x, u, dt, some, aligned, anchors), [state, tau, [0.02]])
    check("aba", of("aba"), [long, v, tau])
    check("kinetic_energy", of("kinetic_energy"), [long, v])
    check("integrate", of("integrate"), [long, 0.3 * v])
    after = results(of("integrate"), q, 0.3 * v)[0][:, 0]
    assert abs(results(of("difference"), q, after)[0][:, 0] - 0.3 * v).max() < 1e-12
    check("difference", of("difference"), [long, after])

    check_twice("aba", of("aba"), [long, v, tau])
    joined = lambda q, v, tau: ca.vertcat(*dynamics(q, v, tau, some, aligned, anchors))
    check_twice("contact_dynamics, aligned", joined, [long, v, tau])
    check_twice("step", of("step"), [state, tau, [0.02]])
    joined = lambda x, u, dt: ca.vertcat(*step(x, u, dt, some, aligned, anchors))
    check_twice("contact_step, aligned", joined, [state, tau, [0.02]])


def holding(of, state):
    """Torques that hold the robot at rest, or as nearly as they can."""
    dynamics, held = of("contact_dynamics"), (np.ones(4), [0, 0, 0, 1], np.zeros((3, 16)))
    ddq = lambda u: results(dynamics, state[:NQ], state[NQ:], np.concatenate([np.zeros(6), u]), *held)[0][:, 0]
    free = ddq(np.zeros(12))
    return np.linalg.lstsq(np.array([ddq(e) - free for e in np.eye(12)]).T, -free, rcond=None)[0]


def motion(of, is_exact, is_held):
    """The base goes down and leans, with all feet on the ground and within pyramids of friction.

    By the exact Hessian or that of the cost alone, from torques that hold the robot or from none.
    """
    count, dt, friction, least = 20, 0.025, 0.6, 20
    start = np.zeros(NQ + NV)
    start[2], start[6] = 0.6, 1
    start[7:NQ] = [0, 0.7, -1.4, 0, 0.7, -1.4, 0, -0.7, 1.4, 0, -0.7, 1.4]
    end = start.copy()
    end[2], end[3:7] = 0.5, [0, np.sin(0.1), 0, np.cos(0.1)]
    one, torques = ca.MX.sym("x", NQ + NV), ca.MX.sym("u", 12)
    # Exactly held, with rows in the world's axes; no torque on the base.
    step = of("contact_step")(one, ca.vertcat(np.zeros(6), torques), dt, np.ones(4), [0, 0, 0, 1], np.zeros((3, 16)))
    step = ca.Function("step", [one, torques], list(step))
    x, u = ca.MX.sym("x", NQ + NV, count), ca.MX.sym("u", 12, count)
    next_x, forces = step.map(count)(ca.horzcat(start, x[:, :-1]), u)
    cones = []
    for foot in range(4):
        along_x, along_y, up = (forces[3 * foot + row, :] for row in range(3))
        cones.append(up - least)
        cones += [friction * up + way * side for side in (along_x, along_y) for way in (1, -1)]
    cones = ca.vec(ca.vertcat(*cones))
    weights = np.concatenate([np.full(7, 100), np.full(12, 0.1), np.full(NV, 0.05)])
    gaps = [ca.dot(weights, (x[:, k] - end) ** 2) * (10 if k == count - 1 else dt) for k in range(count)]
    cost = (ca.sumsqr(u) * 1e-4 * dt + sum(gaps)) / 2
    variables, constraints = ca.veccat(x, u), ca.vertcat(ca.vec(x - next_x), cones)
    by_cost, multipliers = ca.MX.sym("by_cost"), ca.MX.sym("multipliers", constraints.numel())
    given, names = [variables, ca.MX.sym("p", 0), by_cost, multipliers], ["x", "p", "lam_f", "lam_g"]
    hessian = ca.triu(by_cost * ca.hessian(cost, variables)[0])
    hessian = ca.Function("hessian", given, [hessian], names, ["triu_hess_gamma_x_x"])
    options = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-8, "max_iter": 200}}
    if not is_exact:
        options["hess_lag"] = hessian
    solver = ca.nlpsol("solver", "ipopt", {"x": variables, "f": cost, "g": constraints}, options)
    upper = np.concatenate([np.zeros(x.numel()), np.full(cones.numel(), np.inf)])
    first = holding(of, start) if is_held else np.zeros(12)
    began = time.perf_counter()
    found = solver(x0=np.concatenate([np.tile(start, count), np.tile(first, count)]), lbg=0, ubg=upper)
    took, stats = time.perf_counter() - began, solver.stats()
    assert stats["success"], stats["return_status"]
    states = np.array(found["x"])[: x.numel(), 0].reshape(count, NQ + NV)
    lengths = abs(np.linalg.norm(states[:, 3:7], axis=1) - 1).max()
    placement = [of(f"{foot}_frame_placement") for foot in FEET]
    slip = max(abs(results(f, states[-1, :NQ])[0] - results(f, start[:NQ])[0])[:, 3].max() for f in placement)
    base = abs(states[-1, :7] - end[:7]).max()
    kind = ("exact Hessian" if is_exact else "Hessian of the cost") + (", from torques that hold" if is_held else "")
    print(f"a motion on four feet, {kind}: {stats['iter_count']} iterations in {took:.1f} s, cost {float(found['f']):.6f}")
    print(f"    base within {base:.3f} of its end, feet move {1e3 * slip:.2f} mm")
    assert lengths < 1e-9 and base < 0.02 and slip < 5e-3, (lengths, base, slip)
    return stats["iter_count"], float(found["f"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        of = built(pathlib.Path(folder))
        derivatives(of)
        found = [motion(of, is_exact, is_held) for is_held in (False, True) for is_exact in (False, True)]
        costs = [cost for _, cost in found]
        assert max(costs) - min(costs) < 1e-6 * costs[0], costs
        assert found[3][0] < found[2][0], "from a good guess the exact Hessian takes fewer iterations"


if __name__ == "__main__":
    main()
