#!/usr/bin/env python3
"""Wheels are built, installed in a fresh environment, and checked there by `check.py` and `check_more.py`.

    tests/python/run.py [--rbd COMMAND] [--wheels FOLDER]

COMMAND is the command `rbd`, by default built by cargo; FOLDER has wheels that an earlier run made (`--keep FOLDER`). Needs
maturin (`pip install maturin`) and, for numpy, a registry of Python packages. Some minutes to compile.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# All there are: the robot is small.
FUNCTIONS = (
    "inverse_dynamics,forward_dynamics,mass_matrix,inverse_mass_matrix,inverse_dynamics_derivatives,"
    "forward_dynamics_derivatives,external_forces,bodies,frames,centroidal,centroidal_dynamics_derivatives,energy,"
    "coriolis,regressors,second_derivatives"
)


def run(command, **more):
    subprocess.run([str(x) for x in command], check=True, **more)


# Modules, and options of what they are of: the second has parameters at run time, the third contacts and a fused function.
MODULES = {
    "pendulum": ["--floating", "--functions", FUNCTIONS],
    "arm": [
        *["--functions", "rnea,aba_derivatives,rnea_parameter_derivatives", "--loads", "link2"],
        *["--inertia-at-run-time", "link1", "--gravity-at-run-time"],
    ],
    "legs": [
        *["--floating", "--functions", "rnea,bias,crba", "--contacts", "base_link,link2"],
        *["--fused", "Step: tau, ddq, tool: placement(link2), com"],
    ],
}


def build(folder, rbd):
    command = rbd.split() if rbd else ["cargo", "run", "--quiet", "--release", "-p", "rbd-cli", "--"]
    urdf = ROOT / "robots" / "double_pendulum.urdf"
    for module, options in MODULES.items():
        options = [*options, "--name", module, "--allow", "damping-ignored"]
        run([*command, "generate", "--target", "python", *options, urdf, "-o", folder], cwd=ROOT)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rbd", help="the command")
    parser.add_argument("--wheels", type=pathlib.Path, help="do not build these again")
    parser.add_argument("--keep", type=pathlib.Path, help="where to leave crates and wheels")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        built = given.wheels or build(given.keep or folder / "wheels", given.rbd)
        wheels = [next(built.glob(f"{module}_dynamics-*.whl")).resolve() for module in MODULES]
        environment = folder / "environment"
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wheels])
        values = ROOT / "tests" / "values" / "double_pendulum.floating.json"
        # From a folder without the module in it.
        run([python, HERE / "check.py", values], cwd=folder)
        run([python, HERE / "check_more.py"], cwd=folder)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} failed")
