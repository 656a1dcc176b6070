"""Chains and binary trees of any number of links, as the literature measures how cost grows with it.

Each function of each is generated and compiled by itself, as far as that stays within the limits below.
"""

import json
import os
import resource
import subprocess
import time

import build

FUNCTIONS = ["rnea_derivatives", "aba_derivatives"]
# Besides, for spatial ones of these sizes.
OTHERS, SOME = ["rnea", "aba", "crba", "minv"], [8, 30, 100, 500]
# Chains of so many links: fewer states, and what solves with M agrees as far as its condition number, 1e6 to 1e8, lets it.
LONG, LONG_COUNT, LONG_TOLERANCE, SOLVES = 200, 8, 1e-6, ["aba", "aba_derivatives", "minv"]
CALLS = {"rnea": "rnea", "aba": "aba"}
# Seconds of processor time and GiB of memory that the compiler may take for one function, and MB of source that are tried.
LIMIT, MEMORY, LARGEST = 120, 10, 10
SIZES = [2, 3, 5, 8, 12, 20, 30, 50, 100, 200, 500]
# The literature's links move in one plane, where most terms are zero for any program that looks; `spatial` ones do not.
FAMILIES = {
    "chain_z": "chain, parallel axes", "tree_z": "tree, parallel axes",
    "chain": "chain, spatial", "tree": "tree, spatial",
}  # fmt: skip

LINK = """  <link name="link{i}">
    <inertial>
      <origin xyz="{com}"/>
      <mass value="1"/>
      <inertia {inertia}/>
    </inertial>
  </link>
  <joint name="joint{i:03}" type="revolute">
    <parent link="{parent}"/>
    <child link="link{i}"/>
    <origin xyz="{place}"/>
    <axis xyz="{axis}"/>
    <limit lower="-4" upper="4" effort="1" velocity="1"/>
  </joint>
"""


def text(numbers):
    return " ".join(f"{x:.6g}" for x in numbers)


def urdf(family, n):
    """A robot of n revolute joints on a fixed base, each link 1 m long with 1 kg at its middle.

    Parallel axes: all along z, each link along x, Izz = 1 kg m^2 and no other entry. Spatial: axes along x, y and z in
    turn, links along no axis, and no entry of any inertia zero or like another link's.
    """
    shape, _, flat = family.partition("_")
    along = (1, 0, 0) if flat else (2 / 3, 1 / 3, 2 / 3)
    out = [f'<robot name="{family}{n}">\n  <link name="base"/>\n']
    for i in range(n):
        parent = (i - 1) // 2 if shape == "tree" else i - 1
        # As every link's own: diagonal 0.1 to 0.2, off it under a tenth of that, which some body has.
        vary = [0.1 + 0.1 * ((i * k + k) % 17) / 17 for k in (3, 5, 7)] + [0.001 * (1 + (i * k) % 9) for k in (2, 4, 5)]
        inertia = (0, 0, 1, 0, 0, 0) if flat else vary
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        out.append(
            LINK.format(
                i=i,
                com=text(x / 2 for x in along),
                inertia=" ".join(f'{name}="{x:.6g}"' for name, x in zip(names, inertia, strict=True)),
                parent=f"link{parent}" if i else "base",
                place=text(along if i else (0, 0, 0)),
                axis=text((0, 0, 1) if flat else (int(i % 3 == k) for k in range(3))),
            )
        )
    return "".join([*out, "</robot>\n"])


MANIFEST = """[package]
name = "chains"
edition = "2024"

[workspace]

[dependencies]
peers = {{ path = "{here}/rust" }}
rbd = {{ path = "{repo}" }}
nalgebra = "0.35"

[profile.release]
strip = true
"""

PROGRAM = """use peers::{{Jobs, States, jobs, serve}};

include!("{name}.inc");

fn main() {{
    serve(|robot, folder| {{
        let states = States::read(&folder.join(format!("{{robot}}.states"))).fixed();
        Some(Jobs::from([("{function}", jobs::{function}(&states, {type_name}::{call}))]))
    }});
}}
"""


class Chain:
    """One function of one chain or tree: what the generator says of it, and what the compiler."""

    def __init__(self, folder, family, n, function):
        self.family, self.n, self.function = family, n, function
        self.robot = f"{family}{n}"
        self.name = f"{self.robot}_{function}"
        self.crate = folder / "chains"
        self.urdf = self.crate / f"{self.robot}.urdf"
        self.program = folder / "native" / "release" / self.name
        self.compiled = None

    def generate(self, rbd):
        """Counts of operations, joints, and the source with the seconds that it took."""
        self.urdf.write_text(urdf(self.family, self.n))
        options = ["--functions", self.function, self.urdf]
        report = json.loads(build.output([rbd, "report", "--json", *options]))
        self.count = report["functions"][0]["total"]
        self.formulation = report["functions"][0]["formulation"]
        self.joints = [f"{x['name']}:{x['idx_q']}:{x['idx_v']}" for x in report["joints"]]
        start = time.monotonic()
        source = build.output([rbd, "generate", *options])
        self.generator_s, self.source_mb = time.monotonic() - start, len(source) / 1e6
        self.text = {
            f"{self.name}.inc": source,
            f"{self.name}.rs": PROGRAM.format(
                name=self.name, function=self.function, type_name=report["type"],
                call=CALLS.get(self.function, f"{self.function}_into"),
            ),
        }

    def compile(self, folder):
        """Seconds of processor time and bytes of the program, or None where it is too much. Not again if unchanged."""
        known, bins = self.crate / f"{self.name}.json", self.crate / "src" / "bin"
        same = all((bins / x).exists() and (bins / x).read_text() == text for x, text in self.text.items())
        if not same:
            known.unlink(missing_ok=True)
            for name, text in self.text.items():
                (bins / name).write_text(text)
        if known.exists():
            self.compiled = json.loads(known.read_text())
        if not known.exists() or self.compiled:
            made = self.program.stat().st_mtime if self.program.exists() else None
            found = self.build(folder) if self.source_mb <= LARGEST else None
            # Where cargo had nothing to do, what the compiler took is what it took then.
            if not (found and self.compiled and made == self.program.stat().st_mtime):
                self.compiled = found
            known.write_text(json.dumps(self.compiled))
        return self.compiled

    def build(self, folder):
        environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "native"), "RUSTFLAGS": build.NATIVE}
        command = ["cargo", "build", "--release", "--quiet", "-j1", "--bin", self.name]

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY << 30, MEMORY << 30))

        pipe = subprocess.PIPE
        process = subprocess.Popen(command, cwd=self.crate, env=environment, stderr=pipe, preexec_fn=limit)
        error = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = usage.ru_utime + usage.ru_stime
        print(f"{self.name}: {self.source_mb:.2f} MB, {seconds:.1f} s", flush=True)
        if status == 0:
            return seconds, self.program.stat().st_size
        # A signal ended the compiler, or it had no more memory.
        if not any(x in error for x in ("signal", "memory allocation", "out of memory")):
            raise SystemExit(error)
        return None


def prepare(folder):
    """The generator's command, and a crate with a program for each function."""
    bins = folder / "chains" / "src" / "bin"
    bins.mkdir(parents=True, exist_ok=True)
    (folder / "chains" / "Cargo.toml").write_text(MANIFEST.format(here=build.HERE, repo=build.REPO))
    (folder / "chains" / "src" / "main.rs").write_text("fn main() {}\n")
    build.cargo(folder, "native", build.NATIVE, "-p", "rbd-cli", crate=build.REPO)
    # What the programs stand on, so that it counts for none of them.
    build.cargo(folder, "native", build.NATIVE, "--bin", "chains", crate=folder / "chains")
    return folder / "native" / "release" / "rbd"
