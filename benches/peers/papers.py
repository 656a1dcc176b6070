#!/usr/bin/env python3
"""The tables of the papers that rbd's methods come from, measured again on this machine with rbd beside Pinocchio.

    benches/peers/papers.py [--folder FOLDER] [--rounds N] [--parts PART ..] [--sizes N ..] [--dry]

Works in the folder of race.py, which installs and compiles what is missing. Writes PAPERS.md beside this file,
docs/batches.svg and docs/chains.svg; --dry only prints, and so does leaving out parts or sizes.
"""

import argparse
import pathlib
import subprocess

import build
import chains
import race

# Carpentier and Mansard, table I: microseconds for a KUKA LWR, HyQ and Atlas, Pinocchio of 2018 at 2.2 GHz.
TABLE = [
    ("inverse dynamics (ID)", "rnea", ["rnea"], (1.20, 2.14, 5.51)),
    ("analytical derivatives of ID", "rnea_derivatives", ["rnea_derivatives"], (3.34, 7.01, 16.72)),
    ("finite differences of ID", "rnea_differences", ["rnea_differences"], (21.26, 88.52, 452.46)),
    ("forward dynamics (FD)", "aba", race.WAYS["aba"], (1.78, 4.28, 9.81)),
    ("analytical derivatives of FD", "aba_derivatives", ["aba_derivatives"], (5.78, 14.24, 45.20)),
    ("finite differences of FD", "aba_differences", ["aba_differences:world", "aba_differences:local"],
     (22.67, 94.23, 470.14)),
    ("M⁻¹, dedicated algorithm", "minv", ["minv:aba"], (1.82, 4.86, 12.70)),
    ("M⁻¹, Cholesky", "minv", ["minv:cholesky"], (1.88, 5.82, 28.29)),
]  # fmt: skip
ROBOTS = {"iiwa14": "KUKA LWR", "hyq": "HyQ", "g1": "Atlas"}
# What forward differences with a step of 1e-8 can be asked for.
COARSE = 5e-3
STATES = [16, 32, 64, 128]
BATCH = {
    "Pinocchio, one by one": (3, ["aba_derivatives_batch"]), "ours, one by one": (1, ["aba_derivatives_batch"]),
    "ours, lanes": (0, ["aba_derivatives_batch:lanes"]),
    "ours, lanes on all cores": (2, ["aba_derivatives_batch:threads"]),
}  # fmt: skip


class Papers:
    """What is measured, and the sides that it is measured with."""

    def __init__(self, folder, rounds):
        self.folder, self.rounds = folder, rounds
        self.sides = [race.Side("ours", folder / "native/release/ours", folder), *self.pinocchios()]
        self.joints = build.joints(folder)
        self.worst, self.worst_differences, self.worst_long = {}, {}, {}

    def pinocchios(self):
        names = [f"pinocchio.{x}" for x in build.compilers(self.folder)]
        return [race.Side(name, self.folder / name, self.folder) for name in names]

    def race(self, robot, ours, theirs, known, sides=None):
        those = [(s, x) for s in sides or self.sides for x in (ours if s.name == "ours" else theirs)]
        return race.race(those, self.folder, robot, self.rounds, known)

    def derivatives(self):
        """Rows of robot, what, published, way, Pinocchio's and our quartiles."""
        from states import Agreement, Robot

        for column, name in enumerate(ROBOTS):
            robot = Robot(name, build.REPO / "robots" / f"{name}.urdf", self.joints[name])
            robot.write(self.folder)
            times = {}
            for what, ours, theirs, published in TABLE:
                if ours not in times:
                    # All ways of a function in one race, also those that are another row's.
                    ways = [x for _, function, ways, _ in TABLE if function == ours for x in ways]
                    known = Agreement(robot, ours, self.worst)
                    if ours.endswith("_differences"):
                        exact, target = ours.replace("differences", "derivatives"), self.folder / "values"
                        self.sides[0].ask("values", name, exact, target)
                        expected = robot.results(exact, target, False, packed=False)
                        known = Agreement(robot, exact, self.worst_differences, expected, COARSE)
                    times[ours] = self.race(robot, [ours], ways, known)
                yield name, what, published[column], *pair(times[ours], theirs)

    def batches(self):
        """Microseconds for so many states, quartiles by way."""
        from states import Agreement, Robot

        for n in STATES:
            robot = Robot(f"iiwa14.{n}", build.REPO / "robots" / "iiwa14.urdf", self.joints["iiwa14"], n)
            robot.write(self.folder)
            known = Agreement(robot, "aba_derivatives", self.worst)
            ours = [x for name, (_, ways) in BATCH.items() if name.startswith("ours") for x in ways]
            times = self.race(robot, ours, BATCH["Pinocchio, one by one"][1], known)
            found = {"Pinocchio, one by one": fastest(times, "pinocchio")[1]}
            for name, (_, ways) in BATCH.items():
                if name.startswith("ours"):
                    found[name] = fastest(times, "ours", ways)[1]
            yield n, {name: [x * n / 1000 for x in quartiles] for name, quartiles in found.items()}

    def chains(self, sizes):
        """Each chain with its functions: what is known of it, and where it was compiled both sides' quartiles."""
        from states import COUNT, TOLERANCE, Agreement, Robot

        rbd = chains.prepare(self.folder)
        for family in chains.FAMILIES:
            for n in sizes:
                others = chains.OTHERS if n in chains.SOME and not family.endswith("_z") else []
                for function in [*chains.FUNCTIONS, *others]:
                    chain = chains.Chain(self.folder, family, n, function)
                    chain.generate(rbd)
                    times = None
                    if chain.compile(self.folder):
                        robot = Robot(chain.robot, chain.urdf, chain.joints, COUNT if n < chains.LONG else chains.LONG_COUNT)
                        robot.write(self.folder)
                        own = race.Side("ours", chain.program, self.folder)
                        # Processes of their own: Pinocchio's data of 500 links are 4 GB, second derivatives among them.
                        theirs = self.pinocchios()
                        long = n >= chains.LONG
                        tolerance = chains.LONG_TOLERANCE if long and function in chains.SOLVES else TOLERANCE
                        known = Agreement(robot, function, self.worst_long if long else self.worst, None, tolerance)
                        ways = race.WAYS.get(function, [function])
                        times = pair(self.race(robot, [function], ways, known, [own, *theirs]))
                        for side in (own, *theirs):
                            side.end()
                    yield chain, times


def fastest(times, side, ways=None):
    """The fastest contender of a side: who, and its quartiles."""
    those = {who: x for who, x in times.items() if who[0].startswith(side) and (ways is None or who[1] in ways)}
    return min(those.items(), key=lambda item: item[1][1])


def pair(times, ways=None):
    """Pinocchio's fastest way and compiler, its quartiles, and ours."""
    who, theirs = fastest(times, "pinocchio", ways)
    return who, theirs, fastest(times, "ours")[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=pathlib.Path, default=build.REPO / "target" / "peers")
    parser.add_argument("--rounds", type=int, default=61)
    parts = ["derivatives", "batches", "chains"]
    parser.add_argument("--parts", nargs="*", default=parts, choices=parts)
    parser.add_argument("--sizes", nargs="*", type=int, default=chains.SIZES, help="numbers of links")
    parser.add_argument("--dry", action="store_true", help="print the report and write nothing")
    options = parser.parse_args()
    folder = race.enter(options.folder)

    import papers_report as report

    build.cargo(folder, "native", build.NATIVE, "--bin", "ours")
    build.pinocchio(folder)
    papers, text, pictures = Papers(folder, options.rounds), [], {}
    if "derivatives" in options.parts:
        text += report.derivatives(list(papers.derivatives()), papers)
    if "batches" in options.parts:
        rows = list(papers.batches())
        text += report.batches(rows)
        pictures["batches"] = report.batches_picture(rows, BATCH)
    if "chains" in options.parts:
        rows = list(papers.chains(options.sizes))
        text += report.chain_tables(rows, papers)
        pictures["chains"] = report.chains_picture(rows)
    for side in papers.sides:
        side.end()
    text = "\n".join([*report.head(folder, papers), *text]) + "\n"
    print(text)
    if not options.dry and options.parts == parts and options.sizes == chains.SIZES:
        (build.HERE / "PAPERS.md").write_text(text, encoding="utf-8")
        for name, picture in pictures.items():
            (build.REPO / "docs" / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error}\n{error.stderr or ''}")
