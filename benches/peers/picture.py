"""Pictures of races, by matplotlib. The background is transparent and text is grey: they suit light and dark."""

import io

import matplotlib
from matplotlib import pyplot
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

GREY = "#808080"
COLOURS = ["#4e79a7", "#e0812b", "#59a14f", "#d1495b", "#8d6cab"]
LABELLED = (1.0, 2.0, 5.0)

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "rbd", "svg.fonttype": "none", "font.size": 10})
matplotlib.rcParams.update(
    dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], GREY)
)


def written(figure):
    """The figure's SVG, equal bytes for equal numbers."""
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    return text.getvalue()


def bare(axes):
    """Leaves the axes without a frame, with faint horizontal lines behind the data."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0)
    axes.grid(axis="y", color=GREY, alpha=0.35, linewidth=0.8)
    axes.set_axisbelow(True)


def bars(title, groups, names, values):
    """A group a function and a bar a robot: `values` maps (name, group) to a number, and may lack some."""
    figure, axes = pyplot.subplots(figsize=(9.4, 3.4))
    width = 0.84 / len(names)
    for i, name in enumerate(names):
        there = [(j, values[name, group]) for j, group in enumerate(groups) if (name, group) in values]
        places = [j + width * (i - (len(names) - 1) / 2) for j, _ in there]
        drawn = axes.bar(places, [x for _, x in there], 0.9 * width, color=COLOURS[i], label=name)
        axes.bar_label(drawn, [f"{x:.0f}" if x >= 9.95 else f"{x:.1f}" for _, x in there], padding=1, fontsize=7)
    # Where both are as fast.
    axes.axhline(1, color=GREY, linestyle="--", linewidth=1)
    axes.set_xticks(range(len(groups)), list(groups.values()))
    bare(axes)
    axes.set_title(title, loc="left", fontweight="bold", pad=28)
    axes.legend(ncols=len(names), frameon=False, loc="lower left", bbox_to_anchor=(-0.01, 1), handlelength=1)
    return written(figure)


def lines(title, panels):
    """Panels side by side over logarithmic axes: (heading, label of x, {name: (colour's index, dashed, points)})."""
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.6), squeeze=False)
    for axes, (heading, label, of_panel) in zip(all_axes[0], panels, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        for name, (colour, dashed, points) in of_panel.items():
            x, y = zip(*points, strict=True) if points else ((), ())
            axes.plot(x, y, "--" if dashed else "-", color=COLOURS[colour], linewidth=1.6, label=name)
        axes.set_xticks(sorted({x for _, _, points in of_panel.values() for x, _ in points}))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
        low, high = axes.get_ylim()
        axes.yaxis.set_major_locator(LogLocator(subs=LABELLED if high < 300 * low else (1.0,)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        bare(axes)
        axes.set_title(heading, loc="left", fontsize=10)
        axes.set_xlabel(label)
    handles = dict(zip(*reversed(all_axes[0][0].get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles, ncols=2, frameon=False, loc="lower left", bbox_to_anchor=(0.06, 0.98))
    figure.suptitle(title, x=0.07, y=1.06 + 0.06 * ((len(handles) + 1) // 2), ha="left", fontweight="bold")
    return written(figure)
