#!/usr/bin/env python3
"""An arm moves between two postures with little torque: an NLP for CasADi's IPOPT, on generated functions.

    examples/casadi/swing.py [RBD] [--knots N]

RBD is the command, by default built by cargo. Needs a C compiler and `pip install casadi`; with `pip install
adam-robotics[casadi]` the same problem is also solved on dynamics that are written in CasADi and differentiated by it, in
its virtual machine and as C that it generates.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import casadi as ca
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
URDF = ROOT / "robots" / "iiwa14.urdf"
JOINTS = [f"iiwa_joint_{k}" for k in range(1, 8)]
START = [0.0, 0.4, 0.0, -1.2, 0.0, 0.8, 0.0]
END = [1.2, -0.6, 0.7, 0.9, -0.5, -0.7, 1.0]
LARGEST = [176.0, 176.0, 110.0, 110.0, 110.0, 40.0, 40.0]  # N m
SECONDS = 2.0
COMPILE = ["cc", "-O2", "-march=native", "-fPIC", "-shared"]


def generated(folder, command):
    """tau = rnea(q, v, a), from this project: its Jacobian is `rnea_derivatives`, and that of a weighted sum's `rnea_hessian`."""
    command = [command] if command else ["cargo", "run", "--quiet", "--release", "-p", "rbd-cli", "--"]
    functions = ["--functions", "rnea,rnea_derivatives,rnea_hessian"]
    subprocess.run([*command, "generate", "--target", "c", "--casadi", *functions, URDF, "-o", folder], check=True, cwd=ROOT)
    library = folder / "libiiwa14.so"
    subprocess.run([*COMPILE, folder / "iiwa14.c", folder / "iiwa14_casadi.c", "-o", library, "-lm"], check=True)
    return ca.external("iiwa14_casadi_rnea", str(library))


def written_in_casadi():
    """The same by a library that writes dynamics in CasADi; none if it is not installed."""
    try:
        from adam.casadi import KinDynComputations
    except ImportError:
        return None
    robot = KinDynComputations(str(URDF), JOINTS, gravity=np.array([0, 0, -9.81, 0, 0, 0]))
    q, v, a = (ca.SX.sym(name, 7) for name in "qva")
    # The arm stands on the ground: the base's six coordinates are at rest.
    base, rest = ca.SX.eye(4), ca.SX.zeros(6)
    m = robot.mass_matrix_fun()(base, q)[6:, 6:]
    bias = robot.bias_force_fun()(base, q, rest, v)[6:]
    return ca.Function("tau", [q, v, a], [m @ a + bias], ["q", "v", "a"], ["tau"])


def compiled(function, folder):
    """CasADi's own C of a function and its Jacobian."""
    code = ca.CodeGenerator("by_casadi.c")
    code.add(function)
    code.add(function.jacobian())
    code.generate(f"{folder}/")
    library = folder / "by_casadi.so"
    subprocess.run([*COMPILE, folder / "by_casadi.c", "-o", library, "-lm"], check=True)
    return ca.external(function.name(), str(library))


def problem(rnea, knots):
    """Positions, velocities and accelerations at knots; torques within limits; squares of torques and accelerations."""
    h = SECONDS / knots
    q, v, a = (ca.MX.sym(name, 7, n) for name, n in [("q", knots + 1), ("v", knots + 1), ("a", knots)])
    tau = [rnea(q[:, k], v[:, k], a[:, k]) for k in range(knots)]
    zero = [q[:, 0] - START, q[:, -1] - END, v[:, 0], v[:, -1]]
    for k in range(knots):
        zero.append(q[:, k + 1] - q[:, k] - h * v[:, k] - h * h / 2 * a[:, k])
        zero.append(v[:, k + 1] - v[:, k] - h * a[:, k])
    zero = ca.veccat(*zero)
    bound = ca.DM(LARGEST * knots)
    constraints = ca.vertcat(zero, *tau)
    lower = ca.vertcat(ca.DM.zeros(zero.numel()), -bound)
    upper = ca.vertcat(ca.DM.zeros(zero.numel()), bound)
    # Torques of 30 N m cost as much as accelerations of 3 rad/s^2.
    residual = ca.vertcat(ca.veccat(*tau) / 30, ca.vec(a) / 3) * h**0.5
    x = ca.veccat(q, v, a)
    nlp = {"x": x, "f": ca.sumsqr(residual), "g": constraints}
    # Gauss and Newton's Hessian: exact first derivatives are all it needs.
    jacobian, factor = ca.jacobian(residual, x), ca.MX.sym("factor")
    unused = [ca.MX.sym("p", 0), ca.MX.sym("multipliers", constraints.numel())]
    hessian = ca.triu(2 * factor * jacobian.T @ jacobian)
    return nlp, lower, upper, ca.Function("nlp_hess_l", [x, unused[0], factor, unused[1]], [hessian])


def guess(knots):
    """A straight line from start to end, at rest."""
    q = [ca.DM(START) + (ca.DM(END) - ca.DM(START)) * k / knots for k in range(knots + 1)]
    return ca.vertcat(*q, ca.DM.zeros(7 * (2 * knots + 1)))


def solve(rnea, knots, exact, repeats=5):
    """Cost, iterations, and medians of seconds: in all, and in the functions and their derivatives. By Gauss and Newton's
    Hessian, or by the exact one of the Lagrangian, as CasADi makes it of the functions' derivatives."""
    nlp, lower, upper, hessian = problem(rnea, knots)
    quiet = {"print_level": 0, "sb": "yes", "tol": 1e-6}
    options = {"print_time": False, "ipopt": quiet}
    if not exact:
        options["hess_lag"] = hessian
    solver = ca.nlpsol("swing", "ipopt", nlp, options)
    times, inside = [], []
    for _ in range(repeats):
        begin = time.perf_counter()
        solution = solver(x0=guess(knots), lbg=lower, ubg=upper)
        times.append(time.perf_counter() - begin)
        stats = solver.stats()
        assert stats["success"], stats["return_status"]
        inside.append(sum(t for name, t in stats.items() if name.startswith("t_wall_nlp_")))
    return float(solution["f"]), stats["iter_count"], statistics.median(times), statistics.median(inside)


def agree(one, other):
    """The worst difference of two functions and their Jacobians, of the largest entry, at a few states."""
    worst = 0.0
    q, v, a = (ca.MX.sym(name, 7) for name in "qva")
    both = []
    for f in (one, other):
        tau = f(q, v, a)
        both.append(ca.Function("all", [q, v, a], [tau, ca.jacobian(tau, q), ca.jacobian(tau, v), ca.jacobian(tau, a)]))
    for k in range(5):
        state = [ca.DM([((7 * i + 3 * k + j) % 11) / 5 - 1 for i in range(7)]) for j in range(3)]
        for x, y in zip(*(f(*state) for f in both)):
            worst = max(worst, float(ca.mmax(ca.fabs(x - y)) / ca.mmax(ca.fabs(y))))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rbd", nargs="?", help="the command")
    parser.add_argument("--knots", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        sides = {"rbd, C": generated(folder, options.rbd)}
        other = written_in_casadi()
        if other is None:
            print("adam-robotics is not installed: nothing to compare with")
        else:
            print(f"torques and Jacobians differ by at most {agree(sides['rbd, C'], other):.1e} of the largest entry")
            sides["adam, CasADi's AD"] = other
            sides["adam, CasADi's AD as C"] = compiled(other, folder)
        print(f"\niiwa14, {options.knots} knots\n\n| torques by | Hessian | cost | iterations | solved in, ms | in functions, ms |")
        print("|---|---|---:|---:|---:|---:|")
        for exact in (False, True):
            for name, rnea in sides.items():
                if exact and name.endswith(" as C"):
                    continue  # It has no second derivatives: their C would take the compiler minutes.
                cost, iterations, seconds, inside = solve(rnea, options.knots, exact)
                of = "exact" if exact else "Gauss-Newton"
                print(f"| {name} | {of} | {cost:.6f} | {iterations} | {seconds * 1e3:.0f} | {inside * 1e3:.1f} |", flush=True)


if __name__ == "__main__":
    main()
