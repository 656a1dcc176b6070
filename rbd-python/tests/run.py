#!/usr/bin/env python3
"""Builds the wheel, installs it in a fresh environment, and checks it there.

    rbd-python/tests/run.py [--wheel FILE] [--no-arrow] [--no-engines] [--no-jax] [--no-notebook] [--no-torch]

Needs maturin (`pip install maturin`) and, for numpy, pyarrow, jax and torch, a registry of Python packages.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(command, **more):
    subprocess.run([str(x) for x in command], check=True, **more)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path, help="do not build it again")
    parser.add_argument("--no-arrow", action="store_true", help="leave out what needs pyarrow")
    parser.add_argument("--no-engines", action="store_true", help="leave out Dask, Ray and Spark, which are large")
    parser.add_argument("--no-jax", action="store_true", help="leave out what needs jax")
    parser.add_argument("--no-notebook", action="store_true", help="leave out the tutorial, which needs jax too")
    parser.add_argument("--no-torch", action="store_true", help="leave out what needs torch, which is large")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        wheel = given.wheel
        if wheel is None:
            run(["maturin", "build", "--quiet", "--out", folder], cwd=HERE.parent)
            (wheel,) = folder.glob("rbd-*.whl")
        venv.create(folder / "environment", with_pip=True)
        python = folder / "environment" / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*install, wheel.resolve()])
        # From a folder without the sources.
        run([python, HERE / "check.py", ROOT / "robots", ROOT / "tests" / "values"], cwd=folder)
        run([python, HERE / "check_contacts.py", ROOT / "robots"], cwd=folder)
        run([python, HERE / "check_steps.py", ROOT / "robots"], cwd=folder)
        run([python, HERE / "check_controls.py", ROOT / "robots"], cwd=folder)
        run([python, HERE / "check_reducers.py", ROOT / "robots"], cwd=folder)
        run([python, HERE / "check_single.py", ROOT / "robots"], cwd=folder)
        if given.no_arrow or subprocess.run([str(x) for x in [*install, "pyarrow"]]).returncode != 0:
            print("no pyarrow: columns are not checked")
        else:
            # The test says which of these are not there.
            for package in ("polars", "duckdb", "datafusion"):
                subprocess.run([str(x) for x in [*install, package]])
            run([python, HERE / "check_arrow.py", ROOT / "robots"], cwd=folder)
            if given.no_engines:
                print("engines of several machines are not checked")
            else:
                for packages in (["dask"], ["ray[data]"], ["pyspark"], ["mcap", "mcap-protobuf-support", "mcap-ros2-support"]):
                    subprocess.run([str(x) for x in [*install, *packages]])
                run([python, HERE / "check_engines.py", ROOT / "robots", HERE.parent / "examples"], cwd=folder)
        if given.no_jax or subprocess.run([str(x) for x in [*install, "jax"]]).returncode != 0:
            print("no jax: its functions are not checked")
        else:
            run([python, HERE / "check_jax.py", ROOT / "robots"], cwd=folder)
            notebook = ["nbclient", "nbformat", "ipykernel", "matplotlib"]
            if given.no_notebook or subprocess.run([str(x) for x in [*install, *notebook]]).returncode != 0:
                print("no nbclient: the notebook is not run")
            else:
                run([python, HERE / "check_notebook.py", HERE.parent / "examples" / "tutorial.ipynb"], cwd=folder)
        if given.no_torch or subprocess.run([str(x) for x in [*install, "torch>=2.5"]]).returncode != 0:
            print("no torch: its functions are not checked")
        else:
            run([python, HERE / "check_torch.py", ROOT / "robots"], cwd=folder)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} failed")
