#!/usr/bin/env python3
"""Generated C on emulated microcontrollers: values, bytes of code and of stack.

    tests/cortex_m/run.py [RBD]

RBD is the command, by default built by cargo. Needs arm-none-eabi-gcc with newlib and qemu-system-arm (Debian:
gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm). Standard library only. QEMU counts no cycles: no times.
"""

import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FUNCTIONS = ["rnea", "aba", "minv", "rnea_derivatives", "aba_derivatives"]
# Single precision: of each result's largest entry.
TOLERANCE = {"rnea": 1e-6, "aba": 1e-4, "minv": 1e-4, "dtau_dq": 1e-6, "dtau_dv": 1e-6, "ddq_dq": 1e-4, "ddq_dv": 1e-4}
BOARDS = {"Cortex-M4F": ("cortex-m4", "fpv4-sp-d16", "mps2-an386"), "Cortex-M7F": ("cortex-m7", "fpv5-sp-d16", "mps2-an500")}


def output(command, **more):
    return subprocess.run([str(x) for x in command], check=True, capture_output=True, text=True, **more).stdout


def table(name, states, key):
    rows = ", ".join("{" + ", ".join(f"{float(x)!r}f" for x in s[key]) + "}" for s in states)
    return f"static const float {name}[STATES][7] = {{{rows}}};\n"


def generate(folder, rbd):
    """The robot in C, and the states."""
    command = [rbd] if rbd else ["cargo", "run", "--quiet", "--release", "-p", "rbd-cli", "--"]
    urdf = ROOT / "robots" / "iiwa14.urdf"
    output([*command, "generate", "--target", "c", "--float", "--functions", ",".join(FUNCTIONS), urdf, "-o", folder], cwd=ROOT)
    states = json.loads((ROOT / "tests" / "values" / "iiwa14.fixed.json").read_text())["states"]
    text = f"#define STATES {len(states)}\n"
    for name, key in [("q", "q"), ("v", "v"), ("a", "a"), ("given", "tau")]:
        text += table(name, states, key)
    (folder / "states.h").write_text(text)
    return states


def columns(x):
    """Numbers by columns: a vector, or a matrix that is stored as rows."""
    return [row[j] for j in range(len(x[0])) for row in x] if isinstance(x[0], list) else x


def check(states, lines):
    """The worst difference from the stored values, by result."""
    worst = dict.fromkeys(TOLERANCE, 0.0)
    values = [line.split() for line in lines if line.split() and line.split()[0] in TOLERANCE]
    assert len(values) == len(TOLERANCE) * len(states), f"{len(values)} results"
    for k, (name, *bits) in enumerate(values):
        found = [struct.unpack(">f", bytes.fromhex(x))[0] for x in bits]
        wanted = columns(states[k // len(TOLERANCE)][name])
        assert len(found) == len(wanted)
        scale = max(map(abs, wanted)) or 1.0
        errors = [abs(x - y) / scale for x, y in zip(found, wanted)]
        assert all(e <= TOLERANCE[name] for e in errors), f"{name}: {max(errors):.1e}"
        worst[name] = max(worst[name], *errors)
    return worst


def board(folder, states, cpu, fpu, machine):
    """Bytes of code and of stack by function, and the worst difference."""
    flags = ["-std=c99", "-O2", f"-mcpu={cpu}", "-mthumb", "-mfloat-abi=hard", f"-mfpu={fpu}", "-ffunction-sections"]
    gcc = ["arm-none-eabi-gcc", *flags]
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
    output([*gcc, *warnings, "-c", folder / "iiwa14.c", "-o", folder / "iiwa14.o"])
    link = ["-ffreestanding", "-nostartfiles", "-Wl,--gc-sections", "-T", HERE / "board.ld", "-I", folder]
    output([*gcc, *link, HERE / "main.c", folder / "iiwa14.o", "-lm", "--specs=nosys.specs", "-o", folder / "main.elf"])
    symbols = output(["arm-none-eabi-nm", "-S", "--defined-only", folder / "iiwa14.o"])
    sizes = {m[2]: int(m[1], 16) for m in re.finditer(r"^\w+ (\w+) [tT] iiwa14_(\w+)$", symbols, re.M)}
    qemu = ["qemu-system-arm", "-M", machine, "-nographic", "-semihosting-config", "enable=on,target=native"]
    ran = subprocess.run([*qemu, "-kernel", folder / "main.elf"], capture_output=True, text=True, timeout=120)
    lines = (ran.stdout + ran.stderr).splitlines()
    depths = {}
    for line in lines:
        if m := re.fullmatch(r"stack (\w+) (\w+) ", line):
            depths[m[1]] = max(depths.get(m[1], 0), int(m[2], 16))
    # The second stage of a function, if it is not inlined, and sines and cosines are shared.
    code = {f: sizes[f] + sizes[f"{f}_at"] for f in FUNCTIONS}
    shared = sum(n for f, n in sizes.items() if "sin_cos" in f or f in ("rows", "blocks", "negative_product", "gram_product"))
    return code, shared, depths, check(states, lines)


def main():
    missing = [x for x in ("arm-none-eabi-gcc", "qemu-system-arm") if not shutil.which(x)]
    if missing:
        print(f"skipped: {' and '.join(missing)} not found")
        return
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        states = generate(folder, sys.argv[1] if len(sys.argv) > 1 else None)
        print(output(["arm-none-eabi-gcc", "--version"]).splitlines()[0])
        print("\n| iiwa14, `float`, -O2 | " + " | ".join(f"`{f}`" for f in FUNCTIONS) + " | shared |")
        print("|---|" + "---:|" * (len(FUNCTIONS) + 1))
        for name, (cpu, fpu, machine) in BOARDS.items():
            code, shared, depths, worst = board(folder, states, cpu, fpu, machine)
            print(f"| {name}: code, bytes | " + " | ".join(str(code[f]) for f in FUNCTIONS) + f" | {shared} |")
            print("| deepest stack, bytes | " + " | ".join(str(depths[f]) for f in FUNCTIONS) + " | |")
            errors = ", ".join(f"`{x}` {e:.0e}" for x, e in worst.items())
            print(f"\n{name}, worst difference from stored values, of the largest entry: {errors}\n", file=sys.stderr)


if __name__ == "__main__":
    main()
