#!/usr/bin/env python3
"""Times of C's functions under contacts, as multiples of free dynamics' in the same run.

Usage: benches/c/contacts.py [--compiler gcc] [--rbd PATH]
Builds `rbd` unless a path is given, writes HyQ on four feet and G1 on two soles, compiles them and runs them.
"""
import argparse
import pathlib
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ROBOTS = {
    "hyq": "lf_foot,rf_foot,lh_foot,rh_foot",
    "g1": "left_ankle_roll_link=plane,right_ankle_roll_link=plane",
}
# Functions under contacts, each with the free one whose time is the unit.
UNITS = {
    "contact_dynamics": "aba",
    "contact_dynamics_derivatives": "aba_derivatives",
    "contact_impulse": "aba",
    "delassus": "aba",
    "contact_jacobian": "aba",
}


def built():
    """The command, in release mode."""
    subprocess.run(["cargo", "build", "--release", "--package", "rbd-cli"], cwd=REPOSITORY, check=True)
    return REPOSITORY / "target" / "release" / "rbd"


def times(rbd, compiler, robot, contacts, folder):
    """Microseconds a call of each function."""
    urdf = REPOSITORY / "robots" / f"{robot}.urdf"
    options = ["--target", "c", "--floating", "--functions", "aba,aba_derivatives", "--contacts", contacts]
    subprocess.run([rbd, "generate", *options, urdf, "-o", folder], check=True, capture_output=True)
    names = {"HEADER": f'"{robot}.h"', "PREFIX": robot, "CAPITALS": robot.upper()}
    defined = [f"-D{name}={value}" for name, value in names.items()]
    program = pathlib.Path(folder) / f"{robot}.out"
    sources = [REPOSITORY / "benches" / "c" / "contacts.c", pathlib.Path(folder) / f"{robot}.c"]
    flags = ["-std=c99", "-O3", "-march=native", f"-I{folder}"]
    subprocess.run([compiler, *flags, *defined, *sources, "-lm", "-o", program], check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: float(time) for name, time in (line.split() for line in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--rbd", help="the command, if it is built")
    given = parser.parse_args()
    rbd = given.rbd or built()
    print("| robot | function | us | times | of |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for robot, contacts in ROBOTS.items():
            found = times(rbd, given.compiler, robot, contacts, folder)
            for function, unit in UNITS.items():
                ratio = found[function] / found[unit]
                print(f"| {robot} | `{function}` | {found[function]:.2f} | {ratio:.2f} | `{unit}` |")


if __name__ == "__main__":
    main()
