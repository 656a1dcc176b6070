#!/usr/bin/env python3
"""The file of `--acados` in a solver of acados, with the exact Hessian, beside the same problem in CasADi and IPOPT.

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
START, END = [0, 0.4, 0, -1.2, 0, 0.8, 0], [1.2, -0.6, 0.7, 0.9, -0.5, -0.7, 1]
WEIGHTS = {"q": 1.0, "v": 0.1, "tau": 1e-3, "end": 100.0}


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


def solved_by_acados(template, folder, hessian, guess):
    """States and controls, by functions in the generated file alone."""
    n = 7
    x, u, dt = ca.MX.sym("x", 2 * n), ca.MX.sym("u", n), ca.MX.sym("dt")
    ocp = template.AcadosOcp()
    ocp.model.name = f"arm_{hessian.lower()}"
    ocp.model.x, ocp.model.u, ocp.model.p = x, u, dt
    ocp.model.dyn_ext_fun_type = "generic"
    ocp.model.dyn_generic_source = "arm_acados.c"
    ocp.model.dyn_disc_fun = "arm_acados_fun"
    ocp.model.dyn_disc_fun_jac = "arm_acados_fun_jac"
    ocp.model.dyn_disc_fun_jac_hess = "arm_acados_fun_jac_hess"
    ocp.parameter_values = np.array([DT])
    diagonal = [WEIGHTS["q"]] * n + [WEIGHTS["v"]] * n + [WEIGHTS["tau"]] * n
    reference = np.concatenate([END, np.zeros(2 * n)])
    cost = ocp.cost
    cost.cost_type = cost.cost_type_e = "LINEAR_LS"
    cost.W = np.diag(diagonal)
    cost.W_e = WEIGHTS["end"] * np.diag(diagonal[: 2 * n])
    cost.Vx = np.vstack([np.eye(2 * n), np.zeros((n, 2 * n))])
    cost.Vu = np.vstack([np.zeros((2 * n, n)), np.eye(n)])
    cost.Vx_e = np.eye(2 * n)
    cost.yref, cost.yref_e = reference, reference[: 2 * n]
    ocp.constraints.x0 = np.concatenate([START, np.zeros(n)])
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
    ocp.code_export_directory = str(folder / f"acados_{hessian}")
    solver = template.AcadosOcpSolver(ocp, json_file=str(folder / f"{hessian}.json"), verbose=False)
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


def solved_by_ipopt(folder):
    """The same problem by CasADi's `external`, which has exact derivatives too."""
    n = 7
    step = ca.external("arm_casadi_step", str(folder / "libarm.so"))
    opti = ca.Opti()
    x, u = opti.variable(2 * n, STEPS + 1), opti.variable(n, STEPS)
    end = ca.vertcat(END, ca.DM.zeros(n))
    weights = ca.diag([WEIGHTS["q"]] * n + [WEIGHTS["v"]] * n)
    cost = 0
    for k in range(STEPS):
        gap = x[:, k] - end
        cost += (ca.mtimes([gap.T, weights, gap]) + WEIGHTS["tau"] * ca.sumsqr(u[:, k])) / 2
    gap = x[:, STEPS] - end
    cost += WEIGHTS["end"] * ca.mtimes([gap.T, weights, gap]) / 2
    opti.minimize(cost)
    opti.subject_to(x[:, 0] == ca.vertcat(START, ca.DM.zeros(n)))
    for k in range(STEPS):
        opti.subject_to(x[:, k + 1] == step(x[:, k], u[:, k], DT))
    opti.set_initial(x, ca.repmat(ca.vertcat(START, ca.DM.zeros(n)), 1, STEPS + 1))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "tol": 1e-10})
    solution = opti.solve()
    return solution.value(x).T, solution.value(u).T, solution.value(cost)


def main():
    template = find_acados()
    command = sys.argv[1] if len(sys.argv) > 1 else "cargo run --quiet --release -p rbd-cli --"
    if not shutil.which("gcc") or not shutil.which("make"):
        skip("gcc and make are not installed")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        generate = "generate --target c --acados --casadi --functions aba --step semi_implicit --name arm robots/iiwa14.urdf -o"
        subprocess.run([*command.split(), *generate.split(), str(folder)], check=True, cwd=ROOT)
        sources = [str(folder / "arm.c"), str(folder / "arm_casadi.c")]
        library = str(folder / "libarm.so")
        subprocess.run(["gcc", "-O2", "-march=native", "-fPIC", "-shared", *sources, "-o", library, "-lm"], check=True)
        states, controls, cost = solved_by_ipopt(folder)
        os.chdir(folder)
        rest = np.concatenate([START, np.zeros(7)])
        guess = np.tile(rest, (STEPS + 1, 1)), np.zeros((STEPS, 7))
        for hessian in ["GAUSS_NEWTON", "EXACT"]:
            of = solved_by_acados(template, folder, hessian, guess)
            # Newton's method has no line search here: it starts near the solution, with rounded controls.
            guess = of[0], np.round(of[1], 1)
            errors = [np.abs(found - known).max() for found, known in zip(of, (states, controls, cost))]
            print(f"acados, {hessian}: {of[3]} iterations, cost {of[2]:.9f}; from IPOPT's x {errors[0]:.1e}, u {errors[1]:.1e}")
            assert max(errors) < 1e-5, errors
            assert hessian != "EXACT" or of[3] <= 8, "Newton's method converges in few iterations if the Hessian is exact"


if __name__ == "__main__":
    main()
