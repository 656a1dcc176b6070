#!/usr/bin/env python3
"""The file of `--acados` in a solver of acados, with the exact Hessian, beside the same problem in CasADi and IPOPT: motions of an arm,
and of a floating pendulum whose tip is held, by coordinates with a quaternion.

    tests/acados/run.py [RBD]

RBD is the command, by default built by cargo. Needs gcc, make, CasADi with IPOPT, and acados with `acados_template`. The package
`comma-deps-acados` has acados compiled, and a CasADi without IPOPT, over which `pip install --force-reinstall casadi` puts another.
ACADOS_SOURCE_DIR names an acados of one's own. A minute.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STEPS, DT = 20, 0.05
WEIGHTS = {"q": 1.0, "v": 0.1, "tau": 1e-3, "end": 100.0}


class Arm:
    """Of joints of one coordinate each, free."""

    name, robot, nv = "arm", "robots/iiwa14.urdf", 7
    options, digits = "--functions aba", 1
    start, end = [0, 0.4, 0, -1.2, 0, 0.8, 0], [1.2, -0.6, 0.7, 0.9, -0.5, -0.7, 1]
    function, parameters = "arm_acados_fun", [DT]
    # Functions for CasADi.
    step, more = "arm_casadi_step", []


class Held:
    """A double pendulum whose base is moved by forces, with a point of its last link held where it is."""

    name, robot, nv = "held", "robots/double_pendulum.urdf", 8
    options, digits = "--functions aba,rnea_hessian --floating --contacts link2", 3
    start, end = [0, 0, 0, 0, 0, 0, 1, 0.3, 0.4], [0, 0, 0, 0, 0.6, 0, 0.8, -0.2, 0.9]
    # One contact that holds, Baumgarte's damping, no anchor: zeros, [3 x 4].
    active, settings = [1], [1e-6, 0, 2, 0]
    function, parameters = "held_acados_contact_fun", [DT, *active, *settings, *[0] * 12]
    step, more = "held_casadi_contact_step", [active, settings, None]


def skip(what):
    print(f"skipped: {what}")
    sys.exit(0)


try:
    import casadi as ca
    import numpy as np
except ImportError:
    skip("casadi and numpy are not installed")


def find_acados():
    """Sets what acados asks for, and starts again with its libraries. Returns its module."""
    folder = os.environ.get("ACADOS_SOURCE_DIR")
    try:
        if folder is None:
            import acados

            folder = os.environ["ACADOS_SOURCE_DIR"] = acados.DIR
            os.environ["TERA_PATH"] = acados.TERA_PATH
            os.environ["ACADOS_PYTHON_INTERFACE_PATH"] = acados.TEMPLATE_DIR
        libraries = os.path.join(folder, "lib")
        if libraries not in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
            others = os.environ.get("LD_LIBRARY_PATH", "")
            os.environ["LD_LIBRARY_PATH"] = f"{libraries}:{others}".rstrip(":")
            os.execv(sys.executable, [sys.executable, *sys.argv])
        try:
            import acados_template
        except ImportError:
            from acados import acados_template
    except ImportError:
        skip("acados is not installed")
    return acados_template


def solved_by_acados(template, of, folder, hessian, guess):
    """States and controls, by functions in the generated file alone."""
    n, nx = of.nv, len(of.start) + of.nv
    ocp = template.AcadosOcp()
    ocp.model.name = f"{of.name}_{hessian.lower()}"
    ocp.model.x, ocp.model.u = ca.MX.sym("x", nx), ca.MX.sym("u", n)
    ocp.model.p = ca.MX.sym("p", len(of.parameters))
    ocp.model.dyn_ext_fun_type = "generic"
    ocp.model.dyn_generic_source = f"{of.name}_acados.c"
    ocp.model.dyn_disc_fun = of.function
    ocp.model.dyn_disc_fun_jac = f"{of.function}_jac"
    ocp.model.dyn_disc_fun_jac_hess = f"{of.function}_jac_hess"
    ocp.parameter_values = np.array(of.parameters, dtype=float)
    diagonal = [WEIGHTS["q"]] * len(of.start) + [WEIGHTS["v"]] * n + [WEIGHTS["tau"]] * n
    reference = np.concatenate([of.end, np.zeros(2 * n)])
    cost = ocp.cost
    cost.cost_type = cost.cost_type_e = "LINEAR_LS"
    cost.W = np.diag(diagonal)
    cost.W_e = WEIGHTS["end"] * np.diag(diagonal[:nx])
    cost.Vx = np.vstack([np.eye(nx), np.zeros((n, nx))])
    cost.Vu = np.vstack([np.zeros((nx, n)), np.eye(n)])
    cost.Vx_e = np.eye(nx)
    cost.yref, cost.yref_e = reference, reference[:nx]
    ocp.constraints.x0 = np.concatenate([of.start, np.zeros(n)])
    options = ocp.solver_options
    options.integrator_type = "DISCRETE"
    options.hessian_approx = hessian
    options.regularize_method = "CONVEXIFY" if hessian == "EXACT" else "NO_REGULARIZE"
    options.qp_solver = "PARTIAL_CONDENSING_HPIPM"
    options.nlp_solver_type = "SQP"
    options.nlp_solver_max_iter = 100
    # acados multiplies the cost of a stage with its length, which is thus one.
    options.tf = float(STEPS)
    ocp.dims.N = STEPS
    try:
        options.N_horizon = STEPS
    except AttributeError:
        pass
    for name, value in [("nlp_solver_tol_stat", 1e-8), ("nlp_solver_tol_eq", 1e-9)]:
        setattr(options, name, value)
    ocp.code_export_directory = str(folder / f"{of.name}_{hessian}")
    solver = template.AcadosOcpSolver(ocp, json_file=str(folder / f"{of.name}_{hessian}.json"), verbose=False)
    for k in range(STEPS + 1):
        solver.set(k, "x", guess[0][k])
        if k < STEPS:
            solver.set(k, "u", guess[1][k])
    status = solver.solve()
    if status:
        solver.print_statistics()
    assert status == 0, f"acados ends with status {status}"
    states = np.array([solver.get(k, "x") for k in range(STEPS + 1)])
    controls = np.array([solver.get(k, "u") for k in range(STEPS)])
    return states, controls, solver.get_cost(), int(np.ravel(solver.get_stats("sqp_iter"))[0])


def solved_by_ipopt(of, folder):
    """The same problem by CasADi's `external`, which has exact derivatives too."""
    n, nx = of.nv, len(of.start) + of.nv
    step = ca.external(of.step, str(folder / f"lib{of.name}.so"))
    opti = ca.Opti()
    x, u = opti.variable(nx, STEPS + 1), opti.variable(n, STEPS)
    start, end = (ca.vertcat(q, ca.DM.zeros(n)) for q in (of.start, of.end))
    weights = ca.diag([WEIGHTS["q"]] * len(of.start) + [WEIGHTS["v"]] * n)
    cost = 0
    for k in range(STEPS):
        gap = x[:, k] - end
        cost += (ca.mtimes([gap.T, weights, gap]) + WEIGHTS["tau"] * ca.sumsqr(u[:, k])) / 2
    gap = x[:, STEPS] - end
    cost += WEIGHTS["end"] * ca.mtimes([gap.T, weights, gap]) / 2
    opti.minimize(cost)
    opti.subject_to(x[:, 0] == start)
    for k in range(STEPS):
        more = [ca.DM.zeros(3, 4) if given is None else given for given in of.more]
        after = step(x[:, k], u[:, k], DT, *more)
        opti.subject_to(x[:, k + 1] == (after[0] if of.more else after))
    opti.set_initial(x, ca.repmat(start, 1, STEPS + 1))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "tol": 1e-10})
    solution = opti.solve()
    return solution.value(x).T, solution.value(u).T, solution.value(cost)


def check(template, of, command, folder):
    options = f"--target c --acados --casadi --step semi_implicit --name {of.name} {of.options}"
    generate = ["generate", *options.split(), of.robot, "-o", str(folder)]
    subprocess.run([*command.split(), *generate], check=True, cwd=ROOT)
    sources = [str(folder / f"{of.name}.c"), str(folder / f"{of.name}_casadi.c")]
    library = str(folder / f"lib{of.name}.so")
    subprocess.run(["gcc", "-O2", "-march=native", "-fPIC", "-shared", *sources, "-o", library, "-lm"], check=True)
    states, controls, cost = solved_by_ipopt(of, folder)
    os.chdir(folder)
    rest = np.concatenate([of.start, np.zeros(of.nv)])
    guess = np.tile(rest, (STEPS + 1, 1)), np.zeros((STEPS, of.nv))
    for hessian in ["GAUSS_NEWTON", "EXACT"]:
        found = solved_by_acados(template, of, folder, hessian, guess)
        # Newton's method has no line search here: it starts near the solution, with rounded controls.
        guess = found[0], np.round(found[1], of.digits)
        errors = [np.abs(found - known).max() for found, known in zip(found, (states, controls, cost))]
        print(f"acados, {of.name}, {hessian}: {found[3]} iterations, cost {found[2]:.9f}; from IPOPT's x {errors[0]:.1e}, u {errors[1]:.1e}")
        assert max(errors) < 1e-5, errors
        assert hessian != "EXACT" or found[3] <= 8, "Newton's method converges in few iterations if the Hessian is exact"


def main():
    template = find_acados()
    command = sys.argv[1] if len(sys.argv) > 1 else "cargo run --quiet --release -p rbd-cli --"
    if not shutil.which("gcc") or not shutil.which("make"):
        skip("gcc and make are not installed")
    for of in [Arm, Held]:
        with tempfile.TemporaryDirectory() as folder:
            check(template, of, command, pathlib.Path(folder))


if __name__ == "__main__":
    main()
