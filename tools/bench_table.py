#!/usr/bin/env python3
"""Prints the tables of docs/benchmarks.md from the last run of `cargo bench -p rbd-benches`: medians and their ratios.

    cargo bench -p rbd-benches
    python3 tools/bench_table.py [target directory]

The target directory is CARGO_TARGET_DIR or `target` where it is not given; that of every robot's benches is
`benches/robots/target`. Python alone, no packages.
"""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

ROBOTS = ["iiwa14", "ur5", "hyq"]
FLOATING = ["hyq", "anymal_c", "solo12", "go2", "g1", "talos_reduced", "icub", "talos"]
FUNCTIONS = [
    "rnea", "rnea_fext", "bias", "gravity", "aba", "aba_fext", "crba", "minv", "rnea_derivatives", "aba_derivatives",
]
BATCHES = ["one by one", "lanes", "lanes, threads"]
WAYS = ["chain rule", "central differences", "dual numbers"]


def medians(folder):
    """Nanoseconds by (group, benchmark)."""
    found = {}
    for path in folder.glob("*/*/new/benchmark.json"):
        about = json.loads(path.read_text())
        estimates = json.loads((path.parent / "estimates.json").read_text())
        found[about["group_id"], about["function_id"]] = estimates["median"]["point_estimate"]
    return found


def processor():
    """The processor's name, as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def table(head, rows):
    """A table in Markdown, numbers to the right."""
    print("| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("CARGO_TARGET_DIR", "target")
    ns = medians(Path(target) / "criterion")
    if not ns:
        sys.exit(f"no results under {target}/criterion: run `cargo bench` first")
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    flags = os.environ.get("RUSTFLAGS", "no target flags")
    print(f"{processor()}, {platform.system()}, rustc {rustc}, {flags}. ns a call, medians of one run; in brackets "
          "how many times as long the generic reference takes.\n")

    # The quickest `crba` first, which is about the smallest robot.
    found = {group.split(".")[1]: t for (group, way), t in ns.items() if group.endswith(".crba") and way == "generated"}
    robots = ROBOTS if set(found) <= set(ROBOTS) else sorted(found, key=found.get)
    names = {x: f"{x}, floating" if x in FLOATING else x for x in robots}

    def cell(robot, function):
        group = f"dynamics.{robot}.{function}"
        own, reference = ns.get((group, "generated")), ns.get((group, "reference"))
        return f"{own:.0f} ({reference / own:.1f})" if own and reference else ""

    if robots == ROBOTS:
        table(["", *names.values()], [[f"`{f}`", *(cell(x, f) for x in robots)] for f in FUNCTIONS])
    else:
        table(["", *(f"`{f}`" for f in FUNCTIONS)], [[names[x], *(cell(x, f) for f in FUNCTIONS)] for x in robots])

    rows = []
    for function in FUNCTIONS:
        group = f"dynamics.iiwa14.{function}"
        four, one = ns.get((group, "4 states")), ns.get((group, "generated"))
        if four and one:
            rows.append([f"`{function}`", f"{one:.0f}", f"{four / 4:.1f}", f"{4 * one / four:.1f}"])
    if rows:
        table(["iiwa14", "one state, ns", "four at once, ns/state", "ratio"], rows)

    rows = []
    for n in [16, 32, 64, 128]:
        times = [ns.get((f"batch.iiwa14.{n}", way)) for way in BATCHES]
        if all(times):
            rows.append([str(n), *(f"{t / n:.0f}" for t in times)])
    if rows:
        table(["states, iiwa14 `aba_derivatives`, ns/state", *BATCHES], rows)

    rows = []
    for function in ["rnea", "aba"]:
        for robot, name in names.items():
            group = f"derivatives.{robot}.{function}"
            own = ns.get((group, "generated"))
            if own:
                others = [ns.get((group, way)) for way in WAYS]
                row = [f"`{function}_derivatives`, {name}", f"{own:.0f}"]
                rows.append(row + [f"{other / own:.1f}" if other else "" for other in others])
    table(["", "generated, ns", *WAYS], rows)


if __name__ == "__main__":
    main()
