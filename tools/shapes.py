#!/usr/bin/env python3
"""Times each shape of code of a function, and what the generator would choose: what `LoopCosts` is calibrated by. `aba_hessian` is made of two other functions, in the shape asked for.

    python3 tools/shapes.py chain:30 g1:floating [--functions minv,..] [--flags=-Ctarget-cpu=native] [--rbd COMMAND] [--states 64,1024]

A robot is a file of robots/ (`:floating` sets it free), a path, or `chain:N` or `tree:N`: N links about axes x, y and z in
turn, with inertias of no symmetry, on a fixed base. All shapes are in one program and are called in turn, eight states a
time; the figures are medians and minima over rounds. Shapes whose text is as another's are not compiled again.

With `--states` so many states are computed with a result each, in each shape one by one and by `batch::map` in lanes, on one
thread: what the choice of a batch is to be compared with.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = ["straight", "limbs", "loops"]
TAKES = {"minv": "q", "crba": "q", "rnea_derivatives": "q, v, a", "aba_derivatives": "q, v, a"}
# Vectors are returned; matrices are written where they are to be.
VECTORS = {"rnea": "q, v, a", "aba": "q, v, a", "bias": "q, v", "gravity": "q"}
TAKES |= VECTORS
# What second derivatives are weighted with is the velocity here.
TAKES |= {"rnea_hessian": "q, v, a, v", "aba_hessian": "q, v, a, v", "rnea_second_derivatives": "q, v, a"}

LINK = """<link name="l{i}"><inertial><origin xyz="{c} {h} {c}"/><mass value="1"/>
<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0.003" ixz="0.005" iyz="0.002"/></inertial></link>
<joint name="j{i:03}" type="continuous"><parent link="{parent}"/><child link="l{i}"/>
<origin xyz="{place}"/><axis xyz="{axis}"/></joint>
"""


def made(family, n):
    """The URDF of a chain or a binary tree."""
    out = [f'<robot name="{family}{n}"><link name="base"/>']
    for i in range(n):
        above = (i - 1) // 2 if family == "tree" else i - 1
        x, y, z = (0.1 + 0.1 * ((i * k + k) % 17) / 17 for k in (3, 5, 7))
        place = "0.666667 0.333333 0.666667" if i else "0 0 0"
        axis = " ".join(str(int(i % 3 == k)) for k in range(3))
        parent = f"l{above}" if i else "base"
        out.append(LINK.format(i=i, c=0.333333, h=0.166667, x=x, y=y, z=z, parent=parent, place=place, axis=axis))
    return "\n".join([*out, "</robot>"])


PROGRAM = """use nalgebra::SVector;
use std::hint::black_box;
use std::time::Instant;

{modules}
const NQ: usize = {nq};
const NV: usize = {nv};
type State = (SVector<f64, NQ>, SVector<f64, NV>, SVector<f64, NV>);

fn main() {{
    let mut seed = 1_u64;
    let mut number = || {{
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }};
    let states: Vec<State> = (0..{states}).map(|_| {{
        let mut q: SVector<f64, NQ> = SVector::from_fn(|_, _| number());
        if NQ != NV {{
            let length = q.fixed_rows::<4>(3).norm();
            q.fixed_rows_mut::<4>(3).unscale_mut(length);
        }}
        (q, SVector::from_fn(|_, _| number()), SVector::from_fn(|_, _| number()))
    }}).collect();
    let all_q: Vec<_> = states.iter().map(|s| s.0).collect();
    let all_v: Vec<_> = states.iter().map(|s| s.1).collect();
    let all_a: Vec<_> = states.iter().map(|s| s.2).collect();
    let (states, all_q, all_v, all_a) = (&states[..], &all_q[..], &all_v[..], &all_a[..]);
    let _ = (all_q, all_v, all_a);
    let mut calls: Vec<(&str, usize, Box<dyn FnMut() + '_>)> = Vec::new();
{calls}
    let mut times = vec![Vec::new(); calls.len()];
    for round in 0..{rounds} {{
        for (times, (_, n, call)) in times.iter_mut().zip(&mut calls) {{
            // As many states of each.
            if round % (*n / 8) != 0 {{
                continue;
            }}
            let start = Instant::now();
            call();
            times.push(start.elapsed().as_nanos() as f64 / *n as f64);
        }}
    }}
    for (times, (name, ..)) in times.iter_mut().zip(&calls) {{
        times.sort_by(f64::total_cmp);
        println!("{{name}} {{:.0}} {{:.0}}", times[times.len() / 2], times[0]);
    }}
}}
"""

CALL = """    let mut out = Box::new({module}::{kind}::{function}({zero}));
    calls.push(("{function} {shape}", 8, Box::new(move || {{
        for (q, v, a) in black_box(states) {{
            let _ = (v, a);
            {into}&mut *out{end};
            black_box(&out);
        }}
    }})));
"""

BATCH = """    let mut out = vec![{module}::{kind}::{function}({zero}); {n}];
    calls.push(("{function} {shape},one_by_one,{n}", {n}, Box::new(move || {{
        for ((q, v, a), out) in black_box(&states[..{n}]).iter().zip(&mut out) {{
            let _ = (v, a);
            {into}out{end};
        }}
        black_box(&out);
    }})));
    let mut out = vec![{module}::{kind}::{function}({zero}); {n}];
    calls.push(("{function} {shape},in_lanes,{n}", {n}, Box::new(move || {{
        rbd::batch::map(black_box(({slices},)), &mut out, |({names},), out| {{
            {into}out{end};
        }});
        black_box(&out);
    }})));
"""

MANIFEST = """[package]
name = "shapes"
edition = "2024"
[workspace]
[dependencies]
rbd = {{ package = "rbd-runtime", path = "{root}/rbd-runtime" }}
nalgebra = "0.35"

"""


def run(command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def race(robot, options, folder):
    """For each function and shape: nanoseconds, median and least, and the cost that the generator compares."""
    name, _, how = robot.partition(":")
    urdf = ROOT / "robots" / f"{name}.urdf" if not name.endswith(".urdf") else pathlib.Path(name)
    flags = ["--floating"] if how == "floating" else []
    if name in ("chain", "tree"):
        urdf = folder / f"{name}{how}.urdf"
        urdf.write_text(made(name, int(how)))
    (folder / "src").mkdir(exist_ok=True)
    (folder / "Cargo.toml").write_text(MANIFEST.format(root=ROOT))
    modules, calls, seen, costs = "", "", {}, {}
    for function in options.functions.split(","):
        for shape in ["chosen", *SHAPES]:
            asked = [] if shape == "chosen" else ["--shape", shape]
            common = ["--functions", function, *asked, *flags, str(urdf)]
            report = json.loads(run([*options.rbd.split(), "report", "--json", *common]))
            described = report["functions"][0]
            costs[function, shape] = (described["cost"], described["formulation"])
            if shape == "chosen":
                continue
            source = run([*options.rbd.split(), "generate", *common])
            if source in seen:
                continue
            seen[source] = True
            module = f"{function}_{shape}"
            (folder / "src" / f"{module}.rs").write_text(source)
            modules += f"#[allow(dead_code)]\nmod {module};\n"
            zero = ", ".join(f"&states[0].{'qva'.index(x)}" for x in TAKES[function].split(", "))
            names = list(dict.fromkeys(TAKES[function].split(", ")))
            path = f"{module}::{report['type']}::{function}"
            into = (f"*({{}}) = {path}({TAKES[function]})" if function in VECTORS else
                    f"{path}_into({TAKES[function]}, {{}})").split("{}")
            call = {
                "into": into[0],
                "end": into[1],
                "module": module,
                "kind": report["type"],
                "function": function,
                "shape": shape,
                "zero": zero,
                "takes": TAKES[function],
                "names": ", ".join(names),
            }
            for n in options.states:
                slices = ", ".join(f"&all_{name}[..{n}]" for name in names)
                calls += BATCH.format(n=n, slices=slices, **call)
            if not options.states:
                calls += CALL.format(**call)
    sizes = {"states": max([8, *options.states]), "nq": report["nq"], "nv": report["nv"], "rounds": options.rounds}
    program = PROGRAM.format(modules=modules, calls=calls, **sizes)
    (folder / "src" / "main.rs").write_text(program)
    flags = options.flags.replace(",", " ")
    environment = {**os.environ, "RUSTFLAGS": flags}
    environment.setdefault("CARGO_TARGET_DIR", str(ROOT / "target" / "shapes"))
    cargo = [*options.cargo.split(), "run", "--release", "--quiet"]
    text = run(cargo, cwd=folder, env=environment)
    times = {}
    for line in text.splitlines():
        function, shape, median, least = line.split()
        times[function, shape] = (float(median), float(least))
    return times, costs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="+")
    parser.add_argument("--functions", default=",".join(TAKES))
    parser.add_argument("--flags", default="", help="RUSTFLAGS, with commas for spaces")
    states = {"type": lambda text: [int(n) for n in text.split(",")], "default": []}
    parser.add_argument("--states", **states, help="numbers of states of batches, multiples of 8")
    parser.add_argument("--rounds", type=int, default=1501)
    parser.add_argument("--cargo", default="cargo", help="cargo, or what runs it")
    parser.add_argument("--rbd", default="cargo run --release --quiet -p rbd-cli --", help="the command")
    options = parser.parse_args()
    print("| robot | function | shape | ns, median | least | cost | |")
    print("|---|---|---|---:|---:|---:|---|")
    for robot in options.robots:
        with tempfile.TemporaryDirectory() as folder:
            times, costs = race(robot, options, pathlib.Path(folder))
        for (function, shape), (median, least) in times.items():
            shape, *how = shape.split(",")
            cost, formulation = costs[function, shape]
            formulation = ", ".join([formulation, *how])
            chosen = "chosen" if costs[function, "chosen"] == costs[function, shape] else ""
            print(f"| {robot} | `{function}` | {shape}: {formulation} | {median:.0f} | {least:.0f} | {cost} | {chosen} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
