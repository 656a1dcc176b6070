#!/usr/bin/env python3
"""A wheel is built, installed in a fresh environment, and checked there by `check.py`.

    tests/python/run.py [--rbd COMMAND] [--wheel FILE]

COMMAND is the command `rbd`, by default built by cargo; FILE a wheel that an earlier run made (`--keep FOLDER`). Needs
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


def wheel(folder, rbd):
    command = rbd.split() if rbd else ["cargo", "run", "--quiet", "--release", "-p", "rbd-cli", "--"]
    urdf = ROOT / "robots" / "double_pendulum.urdf"
    options = ["--floating", "--functions", FUNCTIONS, "--name", "pendulum", "--allow", "damping-ignored"]
    run([*command, "generate", "--target", "python", *options, urdf, "-o", folder], cwd=ROOT)
    return next(folder.glob("pendulum_dynamics-*.whl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rbd", help="the command")
    parser.add_argument("--wheel", type=pathlib.Path, help="do not build this again")
    parser.add_argument("--keep", type=pathlib.Path, help="where to leave crate and wheel")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        built = given.wheel or wheel(given.keep or folder / "wheels", given.rbd)
        environment = folder / "environment"
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", built.resolve()])
        values = ROOT / "tests" / "values" / "double_pendulum.floating.json"
        # From a folder without the module in it.
        run([python, HERE / "check.py", values], cwd=folder)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} failed")
