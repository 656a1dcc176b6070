#!/usr/bin/env python3
"""Text for GPUs run as OpenCL C, on a processor if need be, or as CUDA C++ on a GPU: values of 1024 states.

    tests/gpu/run.py [RBD]
    tests/gpu/run.py [RBD] --cuda FOLDER --compile    # kernels for sm_90, without a GPU
    tests/gpu/run.py [RBD] --cuda FOLDER              # on the GPU

RBD is the command, by default built by cargo. Needs numpy, pyopencl and a device of OpenCL: PoCL makes one of the
processor (`pip install numpy pyopencl pocl-binary-distribution`, or Debian's pocl-opencl-icd). Results are compared with
Pinocchio's stored ones, and those of all states with the robot in C and `double` (gcc). A minute, of which most goes into
PoCL's compiler. With `--cuda`, needs CuPy in place of pyopencl; FOLDER keeps what NVIDIA's compilers made, which
`tools/gpu_budget.py` names.
"""

import argparse
import concurrent.futures
import ctypes
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STATES = 1024
# Robot, base, functions. In `double` derivatives are in parts, those of forward dynamics in three kernels, and Hessians in more.
ROBOTS = [
    ("iiwa14", "fixed", ["rnea", "aba", "minv", "rnea_derivatives", "aba_derivatives", "rnea_hessian", "aba_hessian"]),
]
ARGUMENTS = {
    "rnea": "q v a",
    "aba": "q v tau",
    "minv": "q",
    "rnea_derivatives": "q v a",
    "aba_derivatives": "q v tau",
    "rnea_hessian": "q v a mu",
    "aba_hessian": "q v tau lambda",
}
# Dynamics and steps under contacts: the robot, and results in the order of each target.
FEET = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]
UNDER = ("hyq", "floating", ["aba"], ["--contacts", ",".join(FEET), "--step", "semi_implicit"])
FORCES = ["ddq", "forces", "residual"]
BY = [f"{x}_d{y}" for x in ("ddq", "forces") for y in ("q", "v", "tau")]
BLOCKS = [f"d{x}_d{y}" for x in "qv" for y in ("q", "v", "tau")]
UNDER_CONTACTS = {
    "contact_dynamics": (FORCES, FORCES),
    "contact_dynamics_derivatives": (FORCES + BY, FORCES + BY),
    "contact_impulse": (["v_plus", "impulses", "residual"],) * 2,
    "contact_step": (["q", "v", *FORCES], ["q", "v", *FORCES]),
    "contact_step_derivatives": (["q", "v", *FORCES, *BLOCKS, *BY[3:]], ["q", "v", *BLOCKS, *FORCES, *BY]),
}
# Integrators, with the options of the robot's other steps and the functions that steps are made of.
STEPPING = "double_pendulum"
STEPS = [
    ("semi_implicit", ["--step", "semi_implicit", "--damping", "--actuated", "joint2"], ["aba", "aba_derivatives", "aba_hessian"]),
    ("implicit_damping", ["--step", "implicit_damping", "--damping"], ["aba", "aba_derivatives", "aba_hessian"]),
    ("rk4", ["--step", "rk4", "--damping"], ["aba", "aba_derivatives", "aba_hessian"]),
]
# What there are no stored values of: results, and the power of the degrees of freedom that is their length. First derivatives
# of forward dynamics come with its Hessian.
HESSIAN = {"value": 0, "dq": 1, "dv": 1, "da": 1, "dqdq": 2, "dqdv": 2, "dvdv": 2, "dqda": 2}
FIRST = {"ddq": 1, "ddq_dq": 2, "ddq_dv": 2, "ddq_dtau": 2}
POWERS = {"rnea_hessian": HESSIAN, "aba_hessian": FIRST | HESSIAN}
# What results are called in the stored values.
RESULTS = {
    "rnea": {"tau": "rnea"},
    "aba": {"ddq": "aba"},
    "minv": {"minv": "minv"},
    "rnea_derivatives": {"tau": "rnea", "dtau_dq": "dtau_dq", "dtau_dv": "dtau_dv", "dtau_da": "crba"},
    "aba_derivatives": {"ddq": "aba", "ddq_dq": "ddq_dq", "ddq_dv": "ddq_dv", "ddq_dtau": "minv"},
}
# Of the largest entry of a result. Forward dynamics of an arm with light links lose most.
TOLERANCE = {"double": 1e-9, "float": 2e-3}


def skip(what):
    print(f"skipped: {what}")
    sys.exit(0)


try:
    import numpy as np
except ImportError as missing:
    skip(f"{missing.name} is not installed")

KINDS = {"double": np.float64, "float": np.float32}


def generate(rbd, target, robot, base, functions, folder, *options):
    command = [rbd] if rbd else ["cargo", "run", "--quiet", "--release", "-p", "rbd-cli", "--"]
    floating = ["--floating"] if base == "floating" else []
    urdf = ROOT / "robots" / f"{robot}.urdf"
    options = [*floating, "--functions", ",".join(functions), *options]
    subprocess.run([*command, "generate", "--target", target, urdf, "-o", folder, *options], check=True, cwd=ROOT, capture_output=True)


def in_cuda(rbd, robot, base, functions, folder, real, *options):
    """The text for GPUs."""
    generate(rbd, "cuda", robot, base, functions, folder, *options, *(["--float"] if real == "float" else []))
    return (folder / f"{robot}.cuh").read_text()


def states_of(stored, floating):
    """The stored states, and others about them; quaternions have unit length."""
    random = np.random.default_rng(1)
    states = {}
    for name, of in {"q": "q", "v": "v", "a": "a", "tau": "tau", "mu": "a", "lambda": "v"}.items():
        known = np.array([s[of] for s in stored])
        x = known[np.arange(STATES) % len(known)] + 0.3 * random.normal(size=(STATES, known.shape[1]))
        if name == "q" and floating:
            x[:, 3:7] /= np.linalg.norm(x[:, 3:7], axis=1)[:, None]
        x[: len(known)] = known
        states[name] = x
    return states


def in_c(folder, robot, function, states, lengths):
    """What the C target gives in double."""
    library = folder / f"{robot}.so"
    if not library.exists():
        subprocess.run(["gcc", "-O1", "-fPIC", "-shared", folder / f"{robot}.c", "-o", library, "-lm"], check=True)
    with_first = function == "aba_hessian"
    call = getattr(ctypes.CDLL(str(library)), f"{robot}_{function}" + "_with_first" * with_first)
    made = np.full((STATES, sum(lengths)), np.nan)
    at = lambda x: ctypes.c_void_p(x.ctypes.data)
    for i in range(STATES):
        # The two structs, one after the other.
        results = [made[i], made[i, sum(lengths[: len(FIRST)]) :]] if with_first else [made[i]]
        call(*[at(np.ascontiguousarray(states[name][i])) for name in ARGUMENTS[function].split()], *map(at, results))
    return np.split(made, np.cumsum(lengths)[:-1], axis=1)


class OpenCL:
    """The first device of OpenCL."""

    def __init__(self):
        try:
            import pyopencl
        except ImportError as missing:
            skip(f"{missing.name} is not installed")
        devices = [d for p in pyopencl.get_platforms() for d in p.get_devices()]
        if not devices:
            skip("there is no device of OpenCL")
        self.cl, device = pyopencl, devices[0]
        self.name = f"{device.name.strip()}, {device.version.strip()}"
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context)

    def program(self, text):
        return self.cl.Program(self.context, text).build()

    def run(self, text, program, name, arguments, lengths, real):
        """All states by the kernels of a function, one after the other."""
        cl, kind = self.cl, np.dtype(KINDS[real])
        read = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        # Entry k of state i is [k * n + i].
        given = [cl.Buffer(self.context, read, hostbuf=np.ascontiguousarray(x.T, kind)) for x in arguments]
        made = [np.full((n, STATES), np.nan, kind) for n in lengths]
        both = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        results = [cl.Buffer(self.context, both, hostbuf=x) for x in made]
        for kernel, parts in kernels(text, name):
            run = getattr(program, kernel)
            run(self.queue, (-(-STATES // 64) * 64, parts), (64, 1), np.uint32(STATES), *given, *results)
        for x, result in zip(made, results):
            cl.enqueue_copy(self.queue, x, result)
        self.queue.finish()
        return [x.T.astype(float) for x in made]


class Cuda:
    """A GPU of NVIDIA's, with kernels that were compiled before, or are now."""

    def __init__(self, folder):
        try:
            import cupy
        except ImportError as missing:
            skip(f"{missing.name} is not installed")
        self.cupy, self.folder = cupy, folder
        self.name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def program(self, text):
        before = kept(self.folder, text)
        return self.cupy.RawModule(path=str(before)) if before.exists() else self.cupy.RawModule(code=text, options=("--std=c++17",))

    def run(self, text, program, name, arguments, lengths, real):
        """As [`OpenCL.run`]."""
        cupy, kind = self.cupy, KINDS[real]
        given = [cupy.asarray(np.ascontiguousarray(x.T, kind)) for x in arguments]
        made = [cupy.full((n, STATES), np.nan, kind) for n in lengths]
        for kernel, parts in kernels(text, name):
            program.get_function(kernel)((-(-STATES // 64), parts), (64,), (np.uint32(STATES), *given, *made))
        return [cupy.asnumpy(x).T.astype(float) for x in made]


def kept(folder, text):
    """The file of this text's kernels."""
    return folder / (hashlib.sha256(text.encode()).hexdigest()[:16] + ".cubin")


def compiled(folder, rbd):
    """Compiles for sm_90 what is not in the folder."""
    sys.path.insert(0, str(ROOT / "tools"))
    import gpu_budget

    library = ctypes.CDLL(str(gpu_budget.package("nvidia.cuda_nvrtc") / "lib" / "libnvrtc.so.12"))
    ptxas = gpu_budget.package("nvidia.cuda_nvcc") / "bin" / "ptxas"
    folder.mkdir(parents=True, exist_ok=True)

    def compile(job):
        (robot, base, functions, options), real = job
        with tempfile.TemporaryDirectory() as made:
            made, began = pathlib.Path(made), time.time()
            text = in_cuda(rbd, robot, base, functions, made, real, *options)
            if not kept(folder, text).exists():
                gpu_budget.used(ptxas, made, gpu_budget.ptx(library, text))
                shutil.move(made / "robot.cubin", kept(folder, text))
        return f"{robot}, {real}, {' '.join([*functions, *options])}: {time.time() - began:.0f} s"

    robots = [(*of, []) for of in ROBOTS] + [UNDER] + [(STEPPING, "floating", f, o) for _, o, f in STEPS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for said in pool.map(compile, [(robot, real) for robot in robots for real in KINDS]):
            print(said, flush=True)


def defined(text, name):
    for line in text.splitlines():
        if line.startswith(f"#define {name} "):
            return int(line.split()[2])
    return None


def kernels(text, name):
    """The kernels of a function, and the parts of each."""
    count = defined(text, f"{name.upper()}_KERNELS")
    if count is None:
        return [(f"{name}_kernel", 1)]
    return [(f"{name}_kernel{k}", defined(text, f"{name.upper()}_KERNEL{k}_PARTS")) for k in range(1, count + 1)]


def worst(found, expected, least=0):
    """The largest difference, of the largest entry of the state's result. A NaN is no number below a tolerance."""
    scale = np.maximum(np.abs(expected).max(axis=1, keepdims=True), least)
    return float((np.abs(found - expected) / np.where(scale == 0, 1, scale)).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rbd", nargs="?")
    parser.add_argument("--cuda", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--compile", action="store_true")
    asked = parser.parse_args()
    rbd = asked.rbd
    if asked.compile:
        return compiled(asked.cuda, rbd)
    if not shutil.which("gcc"):
        skip("gcc is not found")
    device = Cuda(asked.cuda) if asked.cuda else OpenCL()
    print(f"{STATES} states on {device.name}")
    for robot, base, functions in ROBOTS:
        stored = json.loads((ROOT / "tests" / "values" / f"{robot}.{base}.json").read_text())["states"]
        states = states_of(stored, base == "floating")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            generate(rbd, "c", robot, base, functions, folder)
            for real in KINDS:
                text = in_cuda(rbd, robot, base, functions, folder, real)
                program = device.program(text)
                for function in functions:
                    check(device, text, program, folder, robot, function, states, stored, real)
            if robot == "iiwa14" and not asked.cuda:
                documented(rbd, folder)
    contacts(device, rbd)
    steps(device, rbd)


class Settings(ctypes.Structure):
    """Settings of contacts in C, for four of them."""

    _fields_ = [("mu", ctypes.c_double), ("iterations", ctypes.c_int), ("kp", ctypes.c_double), ("kd", ctypes.c_double)]
    _fields_ += [("anchors", ctypes.c_void_p * 4), ("axes", ctypes.c_int)]


def contacts(device, rbd):
    """Dynamics and steps with their derivatives, and impacts, each state with feet of its own on the ground, against C in double."""
    robot, _, functions, options = UNDER
    stored = json.loads((ROOT / "tests" / "values" / f"{robot}.floating.json").read_text())["states"]
    states = states_of(stored, True)
    random = np.random.default_rng(2)
    active = random.integers(0, 2, (STATES, len(FEET))).astype(float)
    active[:4] = [[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0]]
    # mu and kd; without mu every other time.
    settings = np.stack([0.05 * (np.arange(STATES) % 2), 10 * random.random(STATES)], axis=1)
    # The longest times would turn the base by thousands of radians, of which float has no derivatives.
    times = random.uniform(-0.002, 0.01, (STATES, 1))
    restitutions = random.uniform(0, 1, (STATES, 1))
    n, rows = states["v"].shape[1], 3 * len(FEET)
    sizes = {"q": states["q"].shape[1], "v": n, "ddq": n, "forces": rows, "residual": rows}
    sizes |= {"v_plus": n, "impulses": rows}
    sizes |= {f"{x}_d{y}": n * sizes[x] for x in ("ddq", "forces") for y in ("q", "v", "tau")}
    sizes |= {name: n * n for name in BLOCKS}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        generate(rbd, "c", robot, "floating", functions, folder, *options)
        library = folder / f"{robot}.so"
        subprocess.run(["gcc", "-O1", "-fPIC", "-shared", folder / f"{robot}.c", "-o", library, "-lm"], check=True)
        library = ctypes.CDLL(str(library))
        for real, kind in KINDS.items():
            text = in_cuda(rbd, robot, "floating", functions, folder, real, *options)
            program = device.program(text)
            given = (*(states[name] for name in ("q", "v", "tau")), times, active, restitutions, settings)
            rounded = [x.astype(kind).astype(float) for x in given]
            for function, (names, names_in_c) in UNDER_CONTACTS.items():
                is_step, is_impact = "step" in function, "impulse" in function
                left_out = {"tau": is_impact, "time": not is_step, "restitution": not is_impact}
                of_each = zip(("q", "v", "tau", "time", "active", "restitution", "settings"), rounded)
                arguments = [x for name, x in of_each if not left_out.get(name)]
                lengths = [sizes[name] for name in names]
                work = defined(text, f"{robot.upper()}_{function.upper()}_WORK")
                found = device.run(text, program, f"{robot}_{function}", arguments, [*lengths, work], real)
                in_c = [sizes[name] for name in names_in_c]
                made = np.full((STATES, sum(in_c)), np.nan)
                call = getattr(library, f"{robot}_{function}")
                for i, (q, v, tau, (time,), holds, (bounce,), (mu, kd)) in enumerate(zip(*rounded)):
                    of = Settings(mu=mu, iterations=1, kd=kd)
                    holds = (ctypes.c_int * len(FEET))(*map(int, holds))
                    at = [ctypes.c_void_p(np.ascontiguousarray(x).ctypes.data) for x in (q, v, tau, made[i])]
                    before = [] if is_impact else [at[2]] + [ctypes.c_double(time)] * is_step
                    call(*at[:2], *before, holds, *[ctypes.c_double(bounce)] * is_impact, ctypes.byref(of), at[3])
                of_c = dict(zip(names_in_c, np.split(made, np.cumsum(in_c)[:-1], axis=1)))
                expected = [of_c[name] for name in names]
                # What forces leave is compared with accelerations of the rows without forces, of some 1000 m/s^2.
                of_result = {
                    name: worst(x, y) if name != "residual" else float(abs(x - y).max()) / 1e3
                    for name, x, y in zip(names, found, expected)
                }
                print(f"{robot} {function}, {real}: " + ", ".join(f"{name} {x:.0e}" for name, x in of_result.items()), flush=True)
                assert all(x <= TOLERANCE[real] for x in of_result.values()), f"{robot} {function} differs"


def steps(device, rbd):
    """The discrete step of a floating robot with its derivatives, each state by a time of its own, against C in double."""
    robot = STEPPING
    stored = json.loads((ROOT / "tests" / "values" / f"{robot}.floating.json").read_text())["states"]
    states = states_of(stored, True)
    for integrator, options, functions in STEPS:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            generate(rbd, "c", robot, "floating", ["aba"], folder, *options)
            library = folder / f"{robot}.so"
            subprocess.run(["gcc", "-O1", "-fPIC", "-shared", folder / f"{robot}.c", "-o", library, "-lm"], check=True)
            library = ctypes.CDLL(str(library))
            for real in KINDS:
                text = in_cuda(rbd, robot, "floating", functions, folder, real, *options)
                program = device.program(text)
                of_integrator(device, (text, program, library), robot, integrator, states, real)


def of_integrator(device, made, robot, integrator, states, real):
    """All functions of steps that the text has."""
    text, program, library = made
    nq, nv = states["q"].shape[1], states["v"].shape[1]
    times = np.random.default_rng(3).uniform(-0.1, 0.5, (STATES, 1))
    kind = KINDS[real]
    for actuated in [False, True]:
        # The last joint's torque, or all of them.
        nu = 1 if actuated else nv
        blocks = {name: nv * (nu if "tau" in name else nv) for name in BLOCKS}
        hessian = {"value": 1, "dq": nv, "dv": nv, "dtau": nu, "dqdq": nv * nv, "dqdv": nv * nv, "dvdv": nv * nv}
        hessian |= {"dqdtau": nv * nu, "dvdtau": nv * nu, "dtaudtau": nu * nu}
        # Results in C, one after the other, and what the GPU has besides: accelerations after the state, first derivatives before
        # the Hessian.
        state, first = {"q": nq, "v": nv}, {"ddq_dq": nv * nv, "ddq_dv": nv * nv, "ddq_dtau": nv * nu}
        of_c = {
            "step": (state, (2, [nv])),
            "step_derivatives": (state | blocks, (2, [nv])),
            "step_hessian": (hessian, (0, [nq, nv, nv, *first.values()])),
        }
        for function, (results, (at, more)) in of_c.items():
            name = f"{robot}_actuated_{function}" if actuated else f"{robot}_{function}"
            if f" {name}(" not in text:
                assert actuated, f"there is no {name}"
                continue
            # The longest times turn the base by thousands of radians, of which float has no derivatives.
            dt = times / (500 if integrator == "rk4" else 1 if function == "step" and integrator == "semi_implicit" else 50)
            # Back in time, damping may have no solution.
            dt = abs(dt) if integrator == "implicit_damping" else dt
            weights = [states[name] for name in ("mu", "lambda")] if function == "step_hessian" else []
            given = (states["q"], states["v"], states["tau"][:, nv - nu :], dt, *weights)
            rounded = [x.astype(kind).astype(float) for x in given]
            lengths = list(results.values())
            work = defined(text, f"{name.upper()}_WORK")
            all_lengths = [*lengths[:at], *more, *lengths[at:], *([work] if work else [])]
            found = device.run(text, program, name, rounded, all_lengths, real)
            found = [*found[:at], *found[at + len(more) : len(lengths) + len(more)]]
            made = np.full((STATES, sum(lengths)), np.nan)
            call = getattr(library, name)
            for i, (q, v, tau, time, *weights) in enumerate(zip(*rounded)):
                at_state = [ctypes.c_void_p(np.ascontiguousarray(x).ctypes.data) for x in (q, v, tau, *weights, made[i])]
                call(*at_state[:3], ctypes.c_double(time[0]), *at_state[3:])
            known = np.split(made, np.cumsum(lengths)[:-1], axis=1)
            # Blocks that are nearly zero have the rounding of the others, and values that of their terms.
            least = max(float(np.median(np.abs(x))) for x in known[1:]) if function == "step_hessian" else 0
            of_result = {name: worst(x, y, least) for name, x, y in zip(results, found, known)}
            print(f"{name}, {integrator}, {real}: " + ", ".join(f"{of} {x:.0e}" for of, x in of_result.items()), flush=True)
            assert all(x <= TOLERANCE[real] for x in of_result.values()), "steps differ"


def documented(rbd, folder):
    """The lines of docs/gpu.md for PyOpenCL, in all states at rest."""
    generate(rbd, "cuda", "iiwa14", "fixed", ["aba"], folder / "gpu", "--float")
    blocks = re.findall("```python\n(.*?)```", (ROOT / "docs" / "gpu.md").read_text(), re.S)
    lines = next(block for block in blocks if "pyopencl" in block)
    names = {}
    exec(compile(lines.replace("gpu/iiwa14", f"{folder}/gpu/iiwa14"), "docs/gpu.md", "exec"), names)
    found = names["ddq"].get().T.astype(float)
    at_rest = {name: np.zeros((STATES, 7)) for name in ("q", "v", "tau")}
    expected = in_c(folder, "iiwa14", "aba", at_rest, [7])[0][:1]
    assert worst(found, np.broadcast_to(expected, found.shape)) <= TOLERANCE["float"], "docs/gpu.md"
    print(f"docs/gpu.md, PyOpenCL: {len(found)} states")


def check(device, text, program, folder, robot, function, states, stored, real):
    known = {name: np.array([np.array(s[key]).T.ravel() for s in stored]) for name, key in RESULTS.get(function, {}).items()}
    n = states["v"].shape[1]
    lengths = {name: n**power for name, power in POWERS.get(function, {}).items()}
    lengths = lengths or {name: x.shape[1] for name, x in known.items()}
    kind = KINDS[real]
    rounded = {name: x.astype(kind).astype(float) for name, x in states.items()}
    arguments = [states[name] for name in ARGUMENTS[function].split()]
    found = device.run(text, program, f"{robot}_{function}", arguments, list(lengths.values()), real)
    expected = in_c(folder, robot, function, rounded, list(lengths.values()))
    by_c = {name: worst(x, y) for name, x, y in zip(lengths, found, expected)}
    by_stored = {name: worst(x[: len(stored)], known[name]) for name, x in zip(lengths, found) if name in known}
    of_stored = lambda name: f" ({by_stored[name]:.0e})" if name in by_stored else ""
    print(f"{robot} {function}, {real}: " + ", ".join(f"{name} {x:.0e}{of_stored(name)}" for name, x in by_c.items()), flush=True)
    assert all(x <= TOLERANCE[real] for x in [*by_c.values(), *by_stored.values()]), f"{robot} {function} differs"


if __name__ == "__main__":
    main()
