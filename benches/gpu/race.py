#!/usr/bin/env python3
"""Times of generated kernels on a GPU, beside GRiD's, frax's and the processor's batches in one run.

    benches/gpu/race.py build FOLDER        # needs no GPU: kernels for sm_90, GRiD's too, and reference values
    benches/gpu/race.py time FOLDER --json FILE    # on the GPU
    benches/gpu/race.py table FILE..        # the table of docs/gpu.md

`build` needs the package `rbd` of this repository (`pip install ./rbd-python`), the command `rbd` (`--rbd`), and NVIDIA's compilers
(`pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12`). GRiD's side needs `pip install grid-rbd==0.6.0` and nvcc. `time` needs
CuPy; with `rbd` it times the processor too, with `frax` and JAX for GPUs frax.

A side is timed if its results agree with rbd's in `double` on the processor: `float` to 2e-3 of the largest entry of a result. Times are of
CUDA graphs with several launches, medians, in nanoseconds a state; frax and the processor are called and waited for. rbd's blocks
have 32, 64 or 128 threads, GRiD's kernels any of their tiers and eleven sizes of blocks: the fastest counts.
"""

import argparse
import concurrent.futures
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = ["damping-ignored", "inertia-triangle"]
# Robot, base, type and functions.
DYNAMICS = ["rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"]
UNDER_CONTACTS = ["contact_dynamics", "contact_dynamics_derivatives", "contact_step", "contact_step_derivatives"]
ROBOTS = [
    ("iiwa14", "fixed", "float", [*DYNAMICS, "rnea_hessian", "aba_hessian"]),
    ("iiwa14", "fixed", "double", DYNAMICS),
    ("go2", "floating", "float", [*DYNAMICS, "rnea_hessian"]),
    ("g1", "floating", "float", ["rnea", "aba", "crba", "rnea_derivatives"]),
    ("iiwa14", "fixed", "float", ["step", "step_derivatives", "step_hessian"]),
    ("go2", "floating", "float", ["step", "step_derivatives"]),
    ("hyq", "floating", "float", UNDER_CONTACTS),
    ("hyq", "floating", "double", UNDER_CONTACTS),
    ("g1", "floating", "float", UNDER_CONTACTS),
]
# What holds a robot under contacts, all of it in each state.
CONTACTS = {
    "hyq": ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
    "g1": ["left_ankle_roll_link=plane", "right_ankle_roll_link=plane"],
}
ARGUMENTS = {
    "rnea": "q v a",
    "aba": "q v tau",
    "crba": "q",
    "minv": "q",
    "rnea_derivatives": "q v a",
    "aba_derivatives": "q v tau",
    "rnea_hessian": "q v a mu",
    "aba_hessian": "q v tau lambda",
    "step": "q v tau dt",
    "step_derivatives": "q v tau dt",
    "step_hessian": "q v tau dt mu lambda",
    "contact_dynamics": "q v tau active settings",
    "contact_dynamics_derivatives": "q v tau active settings",
    "contact_step": "q v tau dt active settings",
    "contact_step_derivatives": "q v tau dt active settings",
}
# GRiD's functions for one of ours, by their numbers in grid.cu; its derivatives are those by q and v, without value and matrix.
GRID = {"rnea": [0], "aba": [1, 2], "crba": [3], "minv": [4], "rnea_derivatives": [5], "aba_derivatives": [6]}
GRID_LIST = "inverse_dynamics,minv,forward_dynamics,aba,inverse_dynamics_gradient,forward_dynamics_gradient,crba"
SIZES = [256, 1024, 4096, 16384, 65536, 262144]
CHECKED = 256
# A result of this many bytes at most; larger batches are left out.
LIMIT = 8e9
TOLERANCE = {"float": 2e-3, "double": 1e-8}


def states(robot, nq, nv, n):
    """Arguments by name, one row a state. The first rows are the same for every `n`."""
    made = {}
    for seed, (name, length) in enumerate({"q": nq, "v": nv, "a": nv, "tau": nv, "mu": nv, "lambda": nv, "dt": 1}.items()):
        made[name] = np.random.default_rng(seed).uniform(-1, 1, (n, length))
    if nq > nv:
        made["q"][:, 3:7] /= np.linalg.norm(made["q"][:, 3:7], axis=1)[:, None]
    made["dt"] *= 0.01
    # All contacts hold, exactly: mu and kd are zero.
    return made | {"active": np.ones((n, len(CONTACTS.get(robot, [])))), "settings": np.zeros((n, 2))}


def group(function):
    """Functions of one text."""
    return "contacts" if function in UNDER_CONTACTS else "steps" if function.startswith("step") else function


def options_of(robot, function):
    """Those of the command `rbd generate`, and those of the package `rbd`."""
    if function in UNDER_CONTACTS:
        # As tests/gpu/run.py has them, whose steps are compiled with them.
        options = ["--functions", "aba", "--contacts", ",".join(CONTACTS[robot]), "--step", "semi_implicit"]
        return options, ["aba"], {"contacts": CONTACTS[robot], "step": "semi_implicit"}
    if function.startswith("step"):
        # Hessians are for arms.
        functions = ["aba", "aba_derivatives", "aba_hessian"][: 3 if robot == "iiwa14" else 2]
        return ["--functions", ",".join(functions), "--step", "semi_implicit"], functions, {"step": "semi_implicit"}
    functions = ["aba_derivatives", "aba_hessian"] if function == "aba_hessian" else [function]
    return ["--functions", function], functions, {}


def results(reference, function, of):
    """Results of the text by the package `rbd`, and the length of each that is not compared."""
    arguments = [of[name] for name in ARGUMENTS[function].split() if name not in ("active", "settings")]
    if "dt" in ARGUMENTS[function]:
        arguments[3] = arguments[3][:, 0]
    made = flat(getattr(reference, function)(*arguments))
    nq, nv = reference.NQ, reference.NV
    if function == "aba_hessian":
        # The text gives first derivatives too, before the Hessian.
        return flat(reference.aba_derivatives(*arguments[:3])) + made
    # What forces leave is rounding, and is not compared.
    if function.startswith("contact_dynamics"):
        return [*made[:2], made[2].shape[1], *made[3:]]
    if function == "contact_step":
        return [*made[:4], made[4].shape[1]]
    if function == "contact_step_derivatives":
        # The state, accelerations and forces, blocks of A and B, and derivatives of the forces.
        return [*made[:2], *made[8:10], made[10].shape[1], *made[2:8], *made[14:]]
    if function == "step_hessian":
        return [nq, nv, nv, nv * nv, nv * nv, nv * nv, *made]
    # Accelerations too.
    return [*made[:2], nv, *made[2:]] if function.startswith("step") else made


def has_zeros(base, function):
    """True for matrices of trees, which `RBD_LEAVE_ZEROS` writes less of."""
    return base == "floating" and function in ("crba", "rnea_derivatives")


def flat(result):
    """Results as rows; matrices by columns."""
    arrays = result if isinstance(result, tuple) else (result,)
    return [x.transpose(0, 2, 1).reshape(len(x), -1) if x.ndim == 3 else x.reshape(len(x), -1) for x in arrays]


def is_chosen(given, robot, real):
    return not given.robots or f"{robot}.{real}" in given.robots.split(",")


# ---- build ----


def build(given):
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    import rbd

    for robot, base, real, functions in ROBOTS:
        if not is_chosen(given, robot, real):
            continue
        urdf = ROOT / "robots" / f"{robot}.urdf"
        for function in functions:
            options, loaded, of_package = options_of(robot, function)
            reference = rbd.load(urdf, base=base, functions=loaded, allow=ALLOWED, **of_package)
            known = states(robot, reference.NQ, reference.NV, CHECKED)
            kind = np.float32 if real == "float" else np.float64
            values = {str(i): np.asarray(x, kind) for i, x in enumerate(results(reference, function, known))}
            np.savez(folder / f"{robot}.{real}.{function}.npz", nq=reference.NQ, nv=reference.NV, **values)
            at = folder / f"{robot}.{real}.{group(function)}"
            if at in [job[0].parent for job in jobs]:
                continue
            at.mkdir(exist_ok=True)
            command = [*given.rbd.split(), "generate", "--target", "cuda", urdf, "-o", at, *options]
            command += ["--floating"] * (base == "floating") + ["--float"] * (real == "float")
            subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
            for made in ("kernels.cubin", "zeros.cubin") if has_zeros(base, function) else ("kernels.cubin",):
                jobs.append((at / made, at / f"{robot}.cuh", [sys.executable, __file__, "compile", at / made]))
        if shutil.which(given.grid) and real == "float" and functions[0] in GRID:
            header = folder / f"{robot}.grid.cuh"
            command = [given.grid, *["-f"] * (base == "floating"), "--no-mujoco-kernels", "--algorithm-list", GRID_LIST, urdf]
            subprocess.run([*command, "-n", "grid", "-o", header], check=True, capture_output=True)
            nvcc = [given.nvcc, "-O3", f"-arch={given.arch}", "-std=c++17", "-shared", "-Xcompiler", "-fPIC", f'-DGRID_HEADER="{header}"']
            made = folder / f"{robot}.grid.so"
            jobs.append((made, header, [*nvcc, pathlib.Path(__file__).with_name("grid.cu"), "-o", made]))

    def compile(job):
        made, source, command = job
        of, stamp = hashlib.sha256(source.read_bytes()).hexdigest(), made.with_suffix(made.suffix + ".of")
        if made.exists() and stamp.exists() and stamp.read_text() == of:
            return f"{made} is there"
        began = time.time()
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            return f"FAILED {made}: {ran.stderr[-2000:]}"
        stamp.write_text(of)
        return f"{made.relative_to(folder)} in {time.time() - began:.0f} s"

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for said in pool.map(compile, jobs):
            print(said, flush=True)


def compile_kernels(given):
    """Kernels of the text beside `made`, by NVRTC and ptxas."""
    sys.path.insert(0, str(ROOT / "tools"))
    import gpu_budget

    library = ctypes.CDLL(str(gpu_budget.package("nvidia.cuda_nvrtc") / "lib" / "libnvrtc.so.12"))
    ptxas = gpu_budget.package("nvidia.cuda_nvcc") / "bin" / "ptxas"
    (text,) = (path.read_text() for path in given.made.parent.glob("*.cuh"))
    zeros = "#define RBD_LEAVE_ZEROS\n" * given.made.name.startswith("zeros")
    with tempfile.TemporaryDirectory() as folder:
        gpu_budget.used(ptxas, pathlib.Path(folder), gpu_budget.ptx(library, zeros + text))
        shutil.move(pathlib.Path(folder) / "robot.cubin", given.made)


# ---- time ----


def defined(text, name):
    found = re.search(rf"^#define {name} (\d+)\b", text, re.M)
    return int(found[1]) if found else None


def kernels(text, module, name):
    """The kernels of a function, and the parts of each."""
    count = defined(text, f"{name.upper()}_KERNELS")
    if count is None:
        return [(module.get_function(f"{name}_kernel"), 1)]
    parts = [defined(text, f"{name.upper()}_KERNEL{k}_PARTS") for k in range(1, count + 1)]
    return [(module.get_function(f"{name}_kernel{k}"), n or 1) for k, n in enumerate(parts, 1)]


def per_launch(cp, start):
    """Seconds of one call of `start(stream)`, as part of a CUDA graph of several: the median of many graphs."""
    stream = cp.cuda.Stream(non_blocking=True)
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    with stream:
        start(stream)
        stream.synchronize()
        begin.record(stream)
        start(stream)
        end.record(stream)
        end.synchronize()
        once = cp.cuda.get_elapsed_time(begin, end) * 1e-3
        count = 10 if once < 2e-3 else 2
        stream.begin_capture()
        for _ in range(count):
            start(stream)
        graph = stream.end_capture()
        times = []
        for _ in range(15 if once < 2e-3 else 5):
            begin.record(stream)
            graph.launch(stream)
            end.record(stream)
            end.synchronize()
            times.append(cp.cuda.get_elapsed_time(begin, end) * 1e-3 / count)
    return statistics.median(times)


def off(found, expected):
    """The largest difference, of the largest entry of the result in any state, if not all are zero; NaN if any is."""
    return float(np.abs(found - expected).max() / (np.abs(expected).max() or 1))


class Ours:
    def __init__(self, cp, folder, robot, real, function, kernels_of="kernels.cubin"):
        at = folder / f"{robot}.{real}.{group(function)}"
        self.cp, self.text = cp, (at / f"{robot}.cuh").read_text()
        self.module = cp.RawModule(path=str(at / kernels_of))
        self.before = cp.nan if kernels_of == "kernels.cubin" else 0
        self.kernels = kernels(self.text, self.module, f"{robot}_{function}")
        self.real = cp.float32 if real == "float" else cp.float64
        work = defined(self.text, f"{robot}_{function}_work".upper())
        self.work = [work] if work else []

    def prepare(self, n, arguments, lengths):
        cp = self.cp
        self.n = n
        self.given = [cp.asarray(np.ascontiguousarray(x.T), self.real) for x in arguments]
        self.made = [cp.full((k, n), self.before, self.real) for k in [*lengths, *self.work]]

    def start(self, stream, block=128):
        with stream:
            for kernel, parts in self.kernels:
                kernel((-(-self.n // block), parts), (block,), (np.uint32(self.n), *self.given, *self.made))

    def checked(self, expected):
        self.start(self.cp.cuda.Stream.null)
        made = self.made[: len(expected)]
        found = [self.cp.asnumpy(x[:, :CHECKED]).T for x in made]
        assert all(bool(self.cp.isfinite(x).all()) for x in made), "not all states are computed"
        return float(np.max([off(x, y[: self.n]) for x, y in zip(found, expected, strict=True) if y.ndim]))

    def time(self):
        return min((per_launch(self.cp, lambda s: self.start(s, block)), block) for block in (32, 64, 128))

    def each(self, block):
        """Seconds of each kernel alone."""
        times = []
        for kernel, parts in self.kernels:

            def start(stream, kernel=kernel, parts=parts):
                with stream:
                    kernel((-(-self.n // block), parts), (block,), (np.uint32(self.n), *self.given, *self.made))

            times.append(per_launch(self.cp, start))
        return times


class Grid:
    THREADS = [32, 64, 96, 128, 160, 192, 256, 320, 352, 448, 512]

    def __init__(self, cp, library, nq, nv):
        self.cp, self.nq, self.nv = cp, nq, nv
        self.library = ctypes.CDLL(str(library))
        self.library.grid_prepare.restype = ctypes.c_size_t
        self.workspace_of_block = self.library.grid_prepare()
        # As many blocks as a large GPU keeps at once; each goes through its states.
        self.most = 132 * 32
        self.workspace = cp.empty(self.most * self.workspace_of_block, cp.uint8)

    def prepare(self, n, given, length):
        cp, self.n = self.cp, n
        x, a = np.zeros((n, 3 * self.nq), np.float32), np.zeros((n, self.nq), np.float32)
        x[:, : self.nq] = given["q"]
        x[:, self.nq : self.nq + self.nv] = given["v"]
        x[:, 2 * self.nq : 2 * self.nq + self.nv] = given["tau"]
        a[:, : self.nv] = given["a"]
        self.x, self.a = cp.asarray(x), cp.asarray(a)
        # Vectors are as long as q.
        self.length = length
        self.made = cp.full((n, self.nq if length == self.nv else length), cp.nan, cp.float32)

    def start(self, stream, function, tier, threads, blocks):
        pointer = lambda x: ctypes.c_void_p(x.data.ptr)
        arrays = map(pointer, (self.x, self.a, self.made, self.workspace))
        return self.library.grid_start(function, tier, blocks, threads, self.n, *arrays, ctypes.c_void_p(stream.ptr))

    def time(self, functions, expected):
        """The fastest way and its time; how far its results are off."""
        stream, ways = self.cp.cuda.Stream(non_blocking=True), []
        for function in functions:
            for tier in (0, 1, 2):
                for threads in self.THREADS:
                    for blocks in {min(self.n, self.most), min(self.n, self.most // 4)}:
                        if self.start(stream, function, tier, threads, blocks):
                            continue
                        stream.synchronize()
                        before, after = self.cp.cuda.Event(), self.cp.cuda.Event()
                        before.record(stream)
                        self.start(stream, function, tier, threads, blocks)
                        after.record(stream)
                        after.synchronize()
                        ways.append((self.cp.cuda.get_elapsed_time(before, after), (function, tier, threads, blocks)))
        # The best few again, as a graph.
        _, best = min((per_launch(self.cp, lambda s: self.start(s, *way)), way) for _, way in sorted(ways)[:4])
        took = per_launch(self.cp, lambda s: self.start(s, *best))
        self.made[...] = self.cp.nan
        self.start(stream, *best)
        stream.synchronize()
        found = self.cp.asnumpy(self.made[:CHECKED, : self.length])
        if functions == GRID["minv"]:
            # A triangle, and zeros.
            square = (-1, self.nv, self.nv)
            kept = np.triu(np.ones((self.nv, self.nv), bool))
            given = kept if abs(np.tril(found[0].reshape(square[1:]), -1)).max() == 0 else kept.T
            expected = [np.where(given, expected[0].reshape(square), 0).reshape(len(expected[0]), -1)]
        return took, best, max(off(x, y[: self.n]) for x, y in zip(np.split(found, len(expected), axis=1), expected, strict=True))


def waited(call, rounds=7):
    call()
    call()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def frax_functions(robot):
    """frax's inverse and forward dynamics, mapped and compiled; nothing if it cannot be had or has no such robot."""
    try:
        import jax

        # Or products have the few digits of TF32.
        jax.config.update("jax_default_matmul_precision", "highest")
        from frax.core.robot import Robot

        arm, up = Robot(str(ROOT / "robots" / f"{robot}.urdf")), np.array([0, 0, 9.81, 0, 0, 0], np.float32)
        rnea = jax.jit(jax.vmap(lambda q, v, a: arm.rnea(q, v, a, up, None)))
        aba = jax.jit(jax.vmap(lambda q, v, tau: arm.forward_dynamics(q, v, tau, None)))
        return jax, {"rnea": rnea, "aba": aba}
    except Exception as problem:  # whatever JAX or frax raise, the others are timed
        print(f"frax is not timed: {problem}")
        return None, {}


def race(given):
    import cupy as cp

    device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    cores = len(os.sched_getaffinity(0))
    print(f"{device}, {cores} cores; nanoseconds a state")
    rows = []
    for robot, base, real, functions in ROBOTS:
        if not is_chosen(given, robot, real):
            continue
        dynamics = functions[0] in DYNAMICS
        library = given.folder / f"{robot}.grid.so"
        jax, frax = frax_functions(robot) if dynamics and base == "fixed" and real == "float" and not given.no_frax else (None, {})
        try:
            import rbd
        except ImportError:
            rbd = None
            print("the package rbd is not there: the processor is not timed")
        print(f"\n{robot}, {real}\n| function | states | rbd | block | zeros left | GRiD | frax | {cores} cores | off |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
        for function in functions:
            known = given.folder / f"{robot}.{real}.{function}.npz"
            if not known.exists() or not (given.folder / f"{robot}.{real}.{group(function)}" / "kernels.cubin").exists():
                print(f"| `{function}` | is not built |")
                continue
            values = np.load(known)
            nq, nv = int(values["nq"]), int(values["nv"])
            expected = [values[str(i)] for i in range(len(values) - 2)]
            lengths = [x.shape[1] if x.ndim else int(x) for x in expected]
            grid = Grid(cp, library, nq, nv) if library.exists() and real == "float" and function in GRID else None
            _, loaded, of_package = options_of(robot, function)
            kind = "float32" if real == "float" else "float64"
            cpu = rbd and rbd.load(ROOT / "robots" / f"{robot}.urdf", base=base, functions=loaded, allow=ALLOWED, dtype=kind, **of_package)
            ours = Ours(cp, given.folder, robot, real, function)
            left = Ours(cp, given.folder, robot, real, function, "zeros.cubin") if has_zeros(base, function) else None
            for n in given.sizes:
                if sum([*lengths, *ours.work]) * n * 8 > LIMIT:
                    continue
                of = states(robot, nq, nv, n)
                names = ARGUMENTS[function].split()
                ours.prepare(n, [of[name] for name in names], lengths)
                wrong = ours.checked(expected)
                took, block = ours.time()
                row = {"robot": robot, "real": real, "function": function, "states": n, "rbd": took, "block": block, "off": wrong, "device": device}
                if given.kernels:
                    print(f"{robot} {function}, {n} states, us: " + ", ".join(f"{1e6 * x:.1f}" for x in ours.each(block)))
                if not wrong <= TOLERANCE[real]:
                    row["WRONG"] = True
                ours.given = ours.made = None
                if left:
                    left.prepare(n, [of[name] for name in names], lengths)
                    row["zeros_off"] = left.checked(expected)
                    row["zeros"], _ = left.time()
                    left.given = left.made = None
                if grid:
                    # Derivatives by q and v; a value or a matrix alone otherwise.
                    wanted = expected[1:3] if function.endswith("derivatives") else expected
                    grid.prepare(n, of, sum(x.shape[1] for x in wanted))
                    row["grid"], row["grid_way"], row["grid_off"] = grid.time(GRID[function], wanted)
                    grid.x = grid.a = grid.made = None
                if function in frax and n >= 4096:
                    on_gpu = [jax.device_put(of[name].astype(np.float32)) for name in names]
                    run = lambda: jax.block_until_ready(frax[function](*on_gpu))
                    row["frax_off"] = off(np.asarray(run())[:CHECKED], expected[0][:n])
                    row["frax"] = waited(run)
                if cpu and n <= 65536:
                    on_cpu = [np.ascontiguousarray(of[name], cpu.dtype) for name in names if name not in ("active", "settings")]
                    if "dt" in names:
                        on_cpu[3] = on_cpu[3][:, 0]
                    call = getattr(cpu, function)
                    out = call(*on_cpu)
                    row["cpu"] = waited(lambda: call(*on_cpu, out=out, threads=True))
                cp.get_default_memory_pool().free_all_blocks()
                rows.append(row)
                shown = lambda key: f"{row[key] / n * 1e9:.2f}" if key in row and row.get(f"{key}_off", 0) <= 2e-3 else f"off {row[key + '_off']:.0e}" if key in row else ""
                print(f"| `{function}` | {n} | {shown('rbd')} | {block} | {shown('zeros')} | {shown('grid')} | {shown('frax')} | {shown('cpu')} | {wrong:.0e}{' WRONG' * ('WRONG' in row)} |", flush=True)
    if given.json:
        given.json.write_text(json.dumps(rows))
    if any("WRONG" in row for row in rows):
        raise SystemExit("results are wrong")


# ---- table ----


def table(given):
    rows = [row for file in given.files for row in json.loads(file.read_text())]
    assert not any("WRONG" in row for row in rows)
    (device,) = {row["device"] for row in rows}
    at = {(row["robot"], row["real"], row["function"], row["states"]): row for row in rows}
    print(f"{device}\n| robot, function | type | 256 | 4096 | 65536 | zeros left | GRiD: 256 | 4096 | 65536 | frax: 65536 | processor |")
    print("|---|---|" + "---:|" * 9)
    for robot, real, function in dict.fromkeys((row["robot"], row["real"], row["function"]) for row in rows):

        def ns(side, n):
            row = at.get((robot, real, function, n), {})
            agrees = row.get(f"{side}_off", 0) <= 2e-3
            return f"{row[side] / n * 1e9:.2f}" if side in row and agrees else ""

        cells = [ns("rbd", n) for n in (256, 4096, 65536)] + [ns("zeros", 65536)]
        cells += [ns("grid", n) for n in (256, 4096, 65536)] + [ns("frax", 65536), ns("cpu", 65536)]
        print(f"| {robot} `{function}` | {real} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    builds = commands.add_parser("build")
    builds.add_argument("folder", type=pathlib.Path)
    builds.add_argument("--rbd", default="cargo run --quiet --release -p rbd-cli --")
    builds.add_argument("--nvcc", default="nvcc")
    builds.add_argument("--grid", default="grid-generate")
    builds.add_argument("--arch", default="sm_90")
    builds.add_argument("--jobs", type=int, default=2)
    builds.add_argument("--robots", help="such as iiwa14.float,go2.float; by default all")
    builds.set_defaults(call=build)
    compiles = commands.add_parser("compile")
    compiles.add_argument("made", type=pathlib.Path)
    compiles.set_defaults(call=compile_kernels)
    times = commands.add_parser("time")
    times.add_argument("folder", type=pathlib.Path)
    times.add_argument("--robots", help="such as iiwa14.float,go2.float; by default all that are built")
    times.add_argument("--sizes", type=lambda x: [int(n) for n in x.split(",")], default=SIZES)
    times.add_argument("--json", type=pathlib.Path)
    times.add_argument("--no-frax", action="store_true")
    times.add_argument("--kernels", action="store_true", help="the time of each kernel of a function too")
    times.set_defaults(call=race)
    tables = commands.add_parser("table")
    tables.add_argument("files", type=pathlib.Path, nargs="+")
    tables.set_defaults(call=table)
    given = parser.parse_args()
    given.call(given)


if __name__ == "__main__":
    main()
