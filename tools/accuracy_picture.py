#!/usr/bin/env python3
"""Draws what `cargo bench -p rbd-benches --bench accuracy` prints (on standard input) as docs/accuracy.svg, and prints it on.

Needs matplotlib (`pip install matplotlib`)."""

import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "rbd"  # the same file each time
matplotlib.rcParams["svg.fonttype"] = "none"
import matplotlib.pyplot as plt

OUT = pathlib.Path(__file__).parent.parent / "docs" / "accuracy.svg"


def tables(lines):
    """{robot: [(method, mean absolute, RMS, largest relative)]}"""
    found, robot = {}, None
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 4 or set(cells[1]) <= set("-:"):
            continue
        if cells[1] == "mean absolute":
            robot = cells[0]
            found[robot] = []
        else:
            found[robot].append((cells[0], *map(float, cells[1:])))
    return found


def main():
    text = sys.stdin.read()
    print(text, end="")
    robots = tables(text.splitlines())
    if not robots:
        sys.exit("no table on standard input")
    figure, axes = plt.subplots(figsize=(10, 3.6))
    height = 0.8 / len(robots)
    for k, (robot, rows) in enumerate(robots.items()):
        places = [i + k * height for i in range(len(rows))]
        axes.barh(places, [row[3] for row in rows], height=height, label=robot)
        axes.set_yticks([i + 0.4 - height / 2 for i in range(len(rows))], [row[0] for row in rows], fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(left=1e-16)
    axes.invert_yaxis()
    axes.set_xlabel("largest error, relative to the largest entry of its tensor")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(OUT, metadata={"Date": None}, transparent=True)


if __name__ == "__main__":
    main()
