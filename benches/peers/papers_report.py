"""What papers.py found, as text and as pictures."""

import build
import chains
import picture
import report

SIDES = {"rnea_derivatives": "derivatives of inverse dynamics", "aba_derivatives": "derivatives of forward dynamics"}


def micro(nanoseconds):
    return [x / 1000 for x in nanoseconds]


def head(folder, papers):
    lines = list(report.machine(folder))
    agree = max((x for side, x in papers.worst.items() if side != "ours"), default=0.0)
    yield from [
        "# The papers' tables, measured again", "",
        "Written by `benches/peers/papers.py`. What is timed, and how, is as in race.py ([README.md](README.md)): medians of",
        f"{papers.rounds} rounds in which all sides alternate in random order, in brackets the quartiles, sines and cosines",
        "included. x is the ratio of Pinocchio's time to that of rbd, in one run. A paper's own figures are from other",
        "machines and older versions: compare them with each other, not with the columns beside them.",
        "", *(f"- {x}" for x in lines[:-1]), f"- {lines[-1].split(',')[0]}",
        f"- largest relative difference of any result from that of rbd, without finite differences: {agree:.0e}", "",
    ]  # fmt: skip


def derivatives(rows, papers):
    worst = ", ".join(f"{x:.0e} ({side.replace('ours', 'rbd')})" for side, x in sorted(papers.worst_differences.items()))
    yield from [
        "## Derivatives of inverse and forward dynamics", "",
        "Table I of Carpentier and Mansard, *Analytical derivatives of rigid body dynamics algorithms*, RSS 2018: microseconds per",
        "state. The paper has a KUKA LWR, HyQ and Atlas (36 degrees of freedom) and Pinocchio of 2018 at 2.2 GHz; here are the",
        "iiwa14, HyQ and the G1 (35), the last two floating. Derivatives come with the value and M or M⁻¹. Finite differences are",
        "forward, step 1e-8, each side's through its own functions: 2 nv + 1 values, `integrate` for each column by q, and M or M⁻¹",
        "by its own algorithm. rbd has one `minv`, shown in both of the last rows; Pinocchio's fills half of M⁻¹. The largest",
        f"error of finite differences, relative to the matrix's largest entry: {worst}.", "",
        "| | | paper's robot, 2018 | Pinocchio | variant, compiler | rbd | x |", "|---|---|---:|---:|---|---:|---:|",
    ]  # fmt: skip
    for robot, what, published, who, theirs, ours in rows:
        cells = [robot, what, f"{published:.2f}", report.cell(micro(theirs)), report.way(who), report.cell(micro(ours))]
        yield f"| {' | '.join(cells)} | **{theirs[1] / ours[1]:.1f}** |"
    yield ""


def batches(rows):
    names = list(rows[0][1])
    yield from [
        "## Derivatives of forward dynamics for many states", "",
        "Figures 2 and 3 of Plancher, Neuman, Bourgeat, Kuindersma, Devadas and Reddi, *Accelerating robot dynamics gradients on a",
        "CPU, GPU, and FPGA*, RA-L 2021, ask for the gradient of forward dynamics of an iiwa14 at 16 to 128 states. Microseconds for",
        "all of them, from q, v and tau in arrays to ddq, its two derivatives and M⁻¹ of each state in an array. Reading into lanes and",
        "writing out of them is included; M⁻¹, an input in the paper, is computed by both sides. The paper's CPU",
        "uses four threads; here all columns but the last use one core.", "",
        f"| states | {' | '.join(names).replace('ours', 'rbd')} | x, one by one | x, lanes | x, all cores |",
        "|---:|" + "---:|" * (len(names) + 3),
    ]  # fmt: skip
    for n, times in rows:
        theirs, *ours = times.values()
        ratios = [f"**{theirs[1] / x[1]:.1f}**" for x in ours]
        yield f"| {n} | {' | '.join(report.cell(x) for x in times.values())} | {' | '.join(ratios)} |"
    yield from ["", "![Microseconds against the number of states](../../docs/batches.svg)", ""]


def batches_picture(rows, kinds):
    lines = {name: (kind[0], False, [(n, times[name][1]) for n, times in rows]) for name, kind in kinds.items()}
    panel = ("iiwa14, microseconds for all states", "states", lines)
    return picture.lines("Derivatives of forward dynamics of many states", [panel])


def chain_tables(rows, papers):
    apart = max((x for side, x in papers.worst_long.items() if side != "ours"), default=0.0)
    yield from [
        "## Cost against the number of links", "",
        "Singh, Russell and Wensing, *Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra*,",
        "RA-L 2022, time serial chains and trees of N links on a fixed base. Parallel axes, theirs: all joints along z, each link",
        "1 m long along x, 1 kg at its middle, Izz = 1 kg m² and nothing else. Such a robot moves in a plane, gravity does no",
        "work, and most terms are structural zeros that a generator eliminates and a library does not. The spatial ones are the",
        "fair comparison: axes along x, y and z in turn, links along no axis, and for each link an inertia",
        "of its own without zeros.", "",
        "Operations are additions, subtractions, multiplications and divisions, block products included.",
        f"A function that takes the compiler more than {chains.LIMIT} s of processor time or {chains.MEMORY} GiB of memory, or has more than",
        f"{chains.LARGEST} MB of source, has no times. Compile time is rustc's for the one function with",
        f"`{build.NATIVE}`; program is the growth of the stripped executable against that of two links. From {chains.LONG} links on there are",
        f"{chains.LONG_COUNT} states instead of 64, and results are apart by up to {apart:.0e} of the largest entry: the condition number of a chain's M is 1e6 to 1e8.", "",
    ]  # fmt: skip
    smallest = {(c.family, c.function): c.compiled[1] for c, _ in reversed(rows) if c.compiled}
    for family, name in chains.FAMILIES.items():
        for function in chains.FUNCTIONS:
            those = [(c, t) for c, t in rows if (c.family, c.function) == (family, function)]
            yield from [
                f"**{name[0].upper()}{name[1:]}: {SIDES[function]}**, microseconds", "",
                "| N | operations | Pinocchio | rbd | x | generator, s | source, MB | compiler, s | program, KiB |",
                "|---:|" + "---:|" * 8,
            ]  # fmt: skip
            for c, times in those:
                cells = [str(c.n), f"{c.count}"]
                if times:
                    _, theirs, ours = times
                    ratio = f"**{theirs[1] / ours[1]:.1f}**"
                    cells += [report.cell(micro(theirs)), report.cell(micro(ours)), ratio]
                else:
                    cells += ["", "", ""]
                cells += [f"{c.generator_s:.1f}", f"{c.source_mb:.2f}"]
                grown = c.compiled and (c.compiled[1] - smallest[family, function]) / 1024
                cells += [f"{c.compiled[0]:.0f}", f"{grown:.0f}"] if c.compiled else ["over", ""]
                yield f"| {' | '.join(cells)} |"
            yield ""
    yield from other_functions(rows)
    yield from ["![Microseconds against the number of links](../../docs/chains.svg)", ""]


def other_functions(rows):
    yield from [
        "**Spatial, other functions**, microseconds: Pinocchio, rbd, and the ratio", "",
        f"| | N | {' | '.join(f'`{x}`' for x in chains.OTHERS)} |", "|---|---:|" + "---:|" * len(chains.OTHERS),
    ]  # fmt: skip
    found = {(c.family, c.n, c.function): t for c, t in rows if c.function in chains.OTHERS}
    for family, n in dict.fromkeys((family, n) for family, n, _ in found):
        cells = []
        for function in chains.OTHERS:
            times = found[family, n, function]
            theirs, ours = (times[1][1] / 1000, times[2][1] / 1000) if times else (0, 0)
            cells.append(f"{report.number(theirs)}, {report.number(ours)}, **{theirs / ours:.1f}**" if times else "")
        yield f"| {chains.FAMILIES[family]} | {n} | {' | '.join(cells)} |"
    yield ""


def chains_picture(rows):
    panels = []
    for function, heading in SIDES.items():
        lines = {}
        for i, (family, name) in enumerate(chains.FAMILIES.items()):
            for k, side in enumerate(["Pinocchio", "ours"], start=1):
                found = [(c.n, t[k][1] / 1000) for c, t in rows if t and (c.family, c.function) == (family, function)]
                lines[f"{name}, {side}"] = (i, side == "Pinocchio", found)
        panels.append((f"{heading}, microseconds", "links", lines))
    return picture.lines("Cost against the number of links, both axes logarithmic", panels)
