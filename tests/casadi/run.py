#!/usr/bin/env python3
"""The commands and the programs of docs/c.md for Python, as a reader types them: a call by ctypes, and an `Opti` problem of CasADi,
solved with exact Hessians.

    tests/casadi/run.py [RBD]

RBD is the command, by default built by cargo. Needs gcc and `pip install casadi numpy`. Some seconds.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def skip(what):
    print(f"skipped: {what}")
    sys.exit(0)


try:
    import casadi
except ImportError:
    skip("casadi is not installed")
if not shutil.which("gcc"):
    skip("gcc is not installed")


def run(heading, folder):
    """Runs the commands and the program below a heading, and returns the program's names."""
    section = (ROOT / "docs" / "c.md").read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    shell, program = (re.search(f"```{kind}\n(.*?)```", section, re.S)[1] for kind in ("sh", "python"))
    generate, link = shell.splitlines()
    command = sys.argv[1] if len(sys.argv) > 1 else "cargo run --quiet --release -p rbd-cli --"
    before, output = generate.split(" -o ")
    words = [*before.split(), "-o", str(folder / output)]
    assert words[0] == "rbd", generate
    subprocess.run([*command.split(), *words[1:]], check=True, cwd=ROOT)
    subprocess.run(link.split(), check=True, cwd=folder)
    names = {}
    exec(compile(program.replace("./lib", f"{folder}/lib"), "docs/c.md", "exec"), names)
    return names


def main():
    with tempfile.TemporaryDirectory() as folder:
        names = run("From Python", pathlib.Path(folder))
        np, array, tau = names["np"], names["array"], names["tau"]
        potential = names["library"].iiwa14_potential_energy
        potential.argtypes = [array, array]
        energy = np.zeros((2, 7, 1))
        # Torques at rest are the gradient of the potential energy.
        for k, step in enumerate(1e-6 * np.eye(7)):
            potential(step, energy[0, k]), potential(-step, energy[1, k])
        gravity = (energy[0] - energy[1])[:, 0] / 2e-6
        assert abs(tau - gravity).max() < 1e-6, (tau, gravity)
        print("docs/c.md#from-python: torques at rest are the gradient of the potential energy")
    with tempfile.TemporaryDirectory() as folder:
        names = run("CasADi", pathlib.Path(folder))
        stats = names["solution"].stats()
        calls = {what: stats.get(f"n_call_{what}", 0) for what in ("nlp_hess_l", "nlp_jac_g")}
        assert stats["success"] and all(calls.values()), (stats["return_status"], calls)
        worst = hessian_against_differences(names["opti"], names["solution"])
        print(f"docs/c.md#casadi: {stats['iter_count']} iterations, {calls}, Hessian within {worst:.0e} of differences")


def hessian_against_differences(opti, solution):
    """The Hessian of the Lagrangian along one direction, against differences of its gradient."""
    x, multipliers = opti.x, opti.lam_g
    lagrangian = opti.f + casadi.dot(multipliers, opti.g)
    hessian, gradient = casadi.hessian(lagrangian, x)
    both = casadi.Function("both", [x, multipliers], [hessian, gradient])
    at, weights = solution.value(x), solution.value(multipliers)
    direction = casadi.DM([((7 * i) % 11) / 5 - 1 for i in range(x.numel())])
    step = 1e-5
    ahead, behind = (both(at + sign * step * direction, weights)[1] for sign in (1, -1))
    exact, found = both(at, weights)[0] @ direction, (ahead - behind) / (2 * step)
    worst = float(casadi.mmax(casadi.fabs(exact - found)) / casadi.mmax(casadi.fabs(exact)))
    assert worst < 1e-6, worst
    return worst


if __name__ == "__main__":
    main()
