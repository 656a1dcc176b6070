"""Results of race.py, as text and as a picture."""

import pathlib
import platform
from importlib.metadata import version

import build

LABELS = {
    "rnea": "rnea", "aba": "aba", "crba": "crba", "minv": "minv", "rnea_derivatives": "rnea deriv.",
    "aba_derivatives": "aba deriv.", "aba_derivatives_lanes": "aba deriv., lanes",
}  # fmt: skip


def best(times, prefix, end=None):
    """The fastest contender of a kind: who, and its quartiles."""
    kind = {
        who: x for who, x in times.items()
        if who[0].startswith(prefix) and (end is None or who[1].endswith("_fast") == (end == "_fast"))
    }  # fmt: skip
    return min(kind.items(), key=lambda item: item[1][1], default=(None, None))


def number(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def cell(quartiles):
    low, middle, high = quartiles
    return f"{number(middle)} ({number(low)} to {number(high)})"


def way(who):
    compiler, what = who[0].split(".")[1], who[1].partition(":")[2]
    return f"{what}, {compiler}" if what else compiler


def ratios(times):
    """Ours, and how many times as long each kind of peer takes."""
    ours = times["ours", next(what for side, what in times if side == "ours")]
    kinds = {
        "pinocchio": best(times, "pinocchio"),
        "ieee": best(times, "generated", ""),
        "fast": best(times, "generated", "_fast"),
        "dynibo": best(times, "dynibo"),
    }
    kinds |= {f"our C, {what.partition(':')[2]}": ((side, what), x) for (side, what), x in times.items() if side == "C"}
    return ours, {k: (who, x, x[1] / ours[1]) for k, (who, x) in kinds.items() if who}


def line(robot, function, times):
    ours, found = ratios(times)
    return f"{robot} {function}: ours {cell(ours)}; " + ", ".join(f"{k} {r:.1f}x" for k, (_, _, r) in found.items())


def machine(folder):
    """What ran where, line by line."""
    info = pathlib.Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")]
    flags = next((x.split(":", 1)[1].split() for x in lines if x.startswith("flags")), [])
    wide = [x for x in ("avx2", "fma", "avx512f") if x in flags]
    yield f"{names[0] if names else platform.processor()}, {len(names)} cores, {', '.join(wide)}; {platform.system()}"
    yield f"{build.output(['rustc', '--version'])}, release, `{build.NATIVE}`"
    for name, (compiler, _) in build.compilers(folder).items():
        first = build.output([*compiler, "--version"]).splitlines()[0]
        yield f"{name}: {first}, `{' '.join(build.FAST)}`"
    names = {"pin": "Pinocchio", "cmeel-cppadcodegen": "CppADCodeGen", "cmeel-cppad": "CppAD", "cmeel-eigen": "Eigen"}
    text = [f"{label} {version(package)}" for package, label in names.items()]
    pinned = next(x for x in (build.HERE / "rust/Cargo.toml").read_text().splitlines() if x.startswith("dynibo = { v"))
    yield ", ".join([*text, "dynibo " + pinned.split('"')[1].lstrip("=")])


def markdown(table, worst, left_out, machine_lines, rounds):
    out = ["# Comparison with other libraries on one machine", "", "Written by `benches/peers/race.py`; [README.md](README.md) says what is compared.", ""]
    out += [f"- {x}" for x in machine_lines]
    agree = ", ".join(f"{side} {error:.0e}" for side, error in worst.items() if side != "ours")
    out += [
        f"- largest relative difference from rbd, over all states and robots: {agree}",
        *(f"- not timed, for its results with `-ffast-math` are others: {x}" for x in left_out), "",
        f"ns/state, median of {rounds} rounds, in brackets the quartiles. x is the ratio of a peer's median to",
        "that of rbd (column 3). C is the code that CppADCodeGen generates from Pinocchio's",
        "functions, with the faster compiler: strict IEEE 754, and with `-ffast-math`.", "",
    ]  # fmt: skip
    raced = any(side == "ours, stock" for times in table.values() for side, _ in times)
    loaded = any(side == "ours, at run time" for times in table.values() for side, _ in times)
    out += [
        f"| | | rbd |{' rbd, no target flags |' * raced}{' at run time | of rbd |' * loaded} Pinocchio | variant, compiler | x | C | x | C, fast | x | dynibo | x |",
        f"|---|---|---:|{'---:|' * raced}{'---:|---:|' * loaded}---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (robot, function), times in table.items():
        ours, found = ratios(times)
        _, stock = best(times, "ours, stock")
        who, pinocchio, ratio = found["pinocchio"]
        row = [robot, LABELS[function], cell(ours), *([number(stock[1])] if stock else [])]
        _, at_run_time = best(times, "ours, at run time")
        row += [number(at_run_time[1]), f"{at_run_time[1] / ours[1]:.2f}"] if at_run_time else [""] * (2 * loaded)
        row += [cell(pinocchio), way(who), f"**{ratio:.1f}**"]
        for kind in ("ieee", "fast", "dynibo"):
            _, quartiles, ratio = found.get(kind, (None, None, None))
            row += [number(quartiles[1]), f"{ratio:.1f}"] if quartiles else ["", ""]
        out.append(f"| {' | '.join(row)} |")
    out += ["", *of_c(table)]
    return "\n".join(out) + "\n"


def of_c(table):
    """What rbd writes in C, beside what it writes in Rust and what CppADCodeGen writes in C."""
    compilers = sorted({what.partition(":")[2] for times in table.values() for side, what in times if side == "C"})
    yield from [
        "## rbd's C",
        "",
        "ns/state of what `rbd generate --target c` writes, by each compiler. Behind each the ratio to Rust's median of the",
        "same run; in the last columns CppADCodeGen's C by the faster compiler, and its ratio to ours by the faster one.",
        "",
        f"| | | Rust | {' | '.join(f'C, {x} | of Rust' for x in compilers)} | CppADCodeGen | x | with -ffast-math | x |",
        f"|---|---|---:|{'---:|---:|' * len(compilers)}---:|---:|---:|---:|",
    ]
    for (robot, function), times in table.items():
        if not any(side == "C" for side, _ in times):
            continue
        ours, found = ratios(times)
        row, least = [robot, LABELS[function], number(ours[1])], best(times, "C")[1][1]
        for compiler in compilers:
            _, quartiles, ratio = found[f"our C, {compiler}"]
            row += [number(quartiles[1]), f"**{ratio:.2f}**"]
        for kind in ("ieee", "fast"):
            _, quartiles, _ = found.get(kind, (None, None, None))
            row += [number(quartiles[1]), f"{quartiles[1] / least:.1f}"] if quartiles else ["", ""]
        yield f"| {' | '.join(row)} |"


def drawn(table):
    """Pinocchio's time over ours as a picture, a group a function and a bar a robot."""
    import picture

    robots = list(dict.fromkeys(robot for robot, _ in table))
    functions = {function: LABELS[function] for _, function in table}
    ratio = {key: ratios(times)[1]["pinocchio"][2] for key, times in table.items()}
    return picture.bars("How many times as long as rbd Pinocchio takes, a state", functions, robots, ratio)
