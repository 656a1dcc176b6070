#!/usr/bin/env python3
"""Draws which unit of a circuit does what in which cycle, from the schedule that `rbd verilog` writes.

    pip install matplotlib
    rbd verilog robots/iiwa14.urdf --multipliers 16 -o circuit
    tools/plot_schedule.py circuit/rbd_iiwa14_rnea_derivatives.csv docs/schedule.svg

The same version of matplotlib writes the same bytes. The background is transparent and text is grey, for light and dark.
"""

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

COLOURS = {"product": "#4e79a7", "sine": "#f28e2b", "sum": "#59a14f"}
GREY = "#808080"


def runs(cycles):
    """Cycles that follow one another as one: the first of them and how many."""
    joined = []
    for cycle in cycles:
        if joined and sum(joined[-1]) == cycle:
            joined[-1] = (joined[-1][0], joined[-1][1] + 1)
        else:
            joined.append((cycle, 1))
    return joined


def main(source, target):
    with open(source) as file:
        rows = list(csv.DictReader(file))
    units = sorted({(row["unit"] != "multiplier", int(row["number"])) for row in rows})
    height = {unit: len(units) - k for k, unit in enumerate(units)}
    matplotlib.rcParams.update({"svg.hashsalt": "rbd", "svg.fonttype": "none", "font.size": 10})
    parts = ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"]
    matplotlib.rcParams.update(dict.fromkeys(parts, GREY))
    figure, axes = plt.subplots(figsize=(9, 0.22 * len(units) + 1.1))
    for work, colour in COLOURS.items():
        found = [row for row in rows if row["work"] == work]
        if not found:
            continue
        for unit, place in height.items():
            cycles = sorted(int(row["cycle"]) for row in found if (row["unit"] != "multiplier", int(row["number"])) == unit)
            axes.broken_barh(runs(cycles), (place - 0.42, 0.84), facecolor=colour, linewidth=0)
        axes.barh([0], [0], color=colour, label=work)
    axes.set_yticks(list(height.values()), [f"{'adder' if adder else 'multiplier'} {n}" for adder, n in units], fontsize=7)
    axes.set_xlabel("cycle from the first input")
    axes.set_xlim(0, max(int(row["cycle"]) for row in rows) + 3)
    axes.set_ylim(0.4, len(units) + 0.6)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.0 + 1.9 / len(units)), ncols=3, frameon=False, fontsize=9)
    for side in ["top", "right"]:
        axes.spines[side].set_visible(False)
    figure.savefig(target, transparent=True, metadata={"Date": None}, bbox_inches="tight")
    print(f"wrote {Path(target)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
