#!/usr/bin/env python3
"""Draws docs/speed.svg, the picture of the README, from docs/speed.csv: how many times as fast as Pinocchio.

    pip install matplotlib; tools/plot_speed.py

The same version of matplotlib writes the same bytes. The background is transparent and text is grey, for light and dark.
"""

import csv
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).resolve().parent.parent / "docs"
ROBOTS = {"iiwa14": "iiwa14, arm\n7 dof", "hyq": "HyQ, quadruped\n18 dof", "g1": "G1, humanoid\n35 dof"}
FUNCTIONS = {"rnea": "#4e79a7", "aba": "#f28e2b", "aba_derivatives": "#59a14f"}
GREY = "#808080"
WIDTH = 0.26


def ratios():
    """Ratio by (robot, function)."""
    lines = (line for line in (DOCS / "speed.csv").read_text().splitlines() if not line.startswith("#"))
    return {(row["robot"], row["function"]): float(row["ratio"]) for row in csv.DictReader(lines)}


def main():
    matplotlib.rcParams.update({"svg.hashsalt": "rbd", "svg.fonttype": "none", "font.size": 11})
    parts = ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"]
    matplotlib.rcParams.update(dict.fromkeys(parts, GREY))
    found = ratios()
    figure, axes = plt.subplots(figsize=(8, 3.2))
    for k, (function, colour) in enumerate(FUNCTIONS.items()):
        places = [i + (k - 1) * WIDTH for i in range(len(ROBOTS))]
        heights = [found[robot, function] for robot in ROBOTS]
        bars = axes.bar(places, heights, WIDTH * 0.9, color=colour, label=function)
        axes.bar_label(bars, fmt="%.1f", padding=2, color=GREY)
    axes.axhline(1, color=GREY, linewidth=1, linestyle="--")
    axes.text(len(ROBOTS) - 0.12, 1.15, "Pinocchio", ha="right", va="bottom", fontsize=9)
    axes.set_xticks(range(len(ROBOTS)), ROBOTS.values())
    axes.set_xlim(-0.6, len(ROBOTS) - 0.1)
    axes.set_ylabel("speed, Pinocchio 4.1 = 1")
    axes.set_ylim(0, max(found.values()) * 1.15)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper right", bbox_to_anchor=(1.0, 1.08), ncols=3)
    figure.savefig(DOCS / "speed.svg", transparent=True, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
