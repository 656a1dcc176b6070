#!/usr/bin/env python3
"""Draws the schedule of a circuit: its units, and the cycles in which they begin pieces of work.

    pip install matplotlib; tools/plot_schedule.py circuit/rbd_iiwa14_rnea.csv rbd_iiwa14_rnea.svg

Without arguments, docs/schedule.svg from docs/schedule.csv, which `cargo xtask bless` writes. The same version of matplotlib
writes the same bytes. The background is transparent and text is grey, for light and dark.
"""

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).resolve().parent.parent / "docs"
UNITS = ["multiplier", "adder", "divider"]
COLOURS = {"product": "#4e79a7", "sine": "#f28e2b", "sum": "#59a14f", "quotient": "#e15759"}
GREY = "#808080"


def bars(cycles):
    """Cycles that follow one another, as (first, how many)."""
    found = []
    for cycle in cycles:
        if found and sum(found[-1]) == cycle:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((cycle, 1))
    return found


def main():
    schedule, picture = sys.argv[1:] or [DOCS / "schedule.csv", DOCS / "schedule.svg"]
    matplotlib.rcParams.update({"svg.hashsalt": "rbd", "svg.fonttype": "none", "font.size": 9})
    parts = ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"]
    matplotlib.rcParams.update(dict.fromkeys(parts, GREY))
    busy = {}
    for row in csv.DictReader(Path(schedule).read_text().splitlines()):
        unit = (UNITS.index(row["unit"]), int(row["number"]))
        busy.setdefault(unit, {}).setdefault(row["work"], []).append(int(row["cycle"]))
    units = sorted(busy)
    figure, axes = plt.subplots(figsize=(9, 1 + 0.16 * len(units)))
    for y, unit in enumerate(units):
        for work, cycles in busy[unit].items():
            axes.broken_barh(bars(cycles), (y - 0.4, 0.8), color=COLOURS[work], linewidth=0)
    for work, colour in COLOURS.items():
        if any(work in works for works in busy.values()):
            axes.bar(0, 0, color=colour, label=work)
    axes.set_yticks(range(len(units)), [f"{UNITS[kind]} {number}" for kind, number in units])
    axes.invert_yaxis()
    axes.margins(x=0, y=0.01)
    axes.set_xlabel("cycle from the first input")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(COLOURS))
    figure.savefig(picture, transparent=True, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
