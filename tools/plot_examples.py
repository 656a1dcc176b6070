#!/usr/bin/env python3
"""Runs examples and draws the curves that they write, `target/curves/NAME.csv`, as docs/NAME.svg.

    pip install matplotlib; tools/plot_examples.py [trot energy ..]

Without names, all examples that have a picture.
"""

import csv
import os
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ["collision", "energy", "identification", "integrators", "throw", "trot"]
COLOURS = ["#b2182b", "#2166ac", "#d9862b", "#888888"]


def read(example):
    """What is below, and of each panel its scale and its curves."""
    label, *rows = (ROOT / "target" / "curves" / f"{example}.csv").read_text().splitlines()
    panels = {}
    for row in csv.DictReader(rows):
        scale, curves = panels.setdefault(row["panel"], (row["scale"], {}))
        xs, ys = curves.setdefault(row["curve"], ([], []))
        xs.append(float(row["x"]))
        ys.append(float(row["y"]))
    return label.removeprefix("# "), panels


def draw(example):
    below, panels = read(example)
    figure, all_axes = plt.subplots(len(panels), sharex=True, squeeze=False, figsize=(7.6, 0.6 + 2 * len(panels)))
    for axes, (title, (scale, curves)) in zip(all_axes[:, 0], panels.items()):
        for colour, (name, (xs, ys)) in zip(COLOURS, curves.items()):
            axes.plot(xs, ys, color=colour, linewidth=1.2, label=name)
        if scale == "log-log":
            axes.set_xscale("log")
        axes.set_yscale(scale.removeprefix("log-"))
        axes.set_title(title, loc="left", fontsize=10)
        axes.grid(color="#dddddd")
        axes.spines[["top", "right"]].set_visible(False)
        if any(curves):
            axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)
    all_axes[-1, 0].set_xlabel(below)
    figure.savefig(ROOT / "docs" / f"{example}.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def main():
    matplotlib.rcParams.update({"svg.hashsalt": "rbd", "svg.fonttype": "none", "path.simplify_threshold": 0.5})
    # Examples write below the working folder, whichever the target folder is.
    os.chdir(ROOT)
    for example in sys.argv[1:] or EXAMPLES:
        subprocess.run(["cargo", "run", "--release", "--example", example], check=True)
        draw(example)


if __name__ == "__main__":
    main()
