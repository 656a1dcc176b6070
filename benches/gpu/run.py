#!/usr/bin/env python3
"""Times of many states on a GPU, with transfers and without, beside the CPU's batches in the same run.

    rbd generate --target cuda --float robots/iiwa14.urdf -o gpu
    benches/gpu/run.py gpu/iiwa14.cuh --urdf robots/iiwa14.urdf

Needs an NVIDIA GPU and CuPy, and for the CPU's side `pip install ./rbd-python`. The text must be `float`; the CPU computes in
double. NOT RUN YET: there was no GPU.
"""

import argparse
import pathlib
import re
import statistics
import time

import cupy as cp
import numpy as np

SIZES = [16, 64, 256, 1024, 4096, 16384, 65536]
ROUNDS, BLOCK = 31, 128
ARGUMENTS = {"rnea": "qva", "aba": "qvt", "minv": "q", "rnea_derivatives": "qva", "aba_derivatives": "qvt"}


def defined(text, name):
    found = re.search(rf"^#define {name} (\d+)\b", text, re.M)
    return int(found[1]) if found else None


def kernels(text, module, name):
    """The kernels of a function, and the parts of each."""
    count = defined(text, f"{name.upper()}_KERNELS")
    if count is None:
        return [(module.get_function(f"{name}_kernel"), 1)]
    parts = [defined(text, f"{name.upper()}_KERNEL{k}_PARTS") for k in range(1, count + 1)]
    return [(module.get_function(f"{name}_kernel{k}"), n) for k, n in enumerate(parts, 1)]


def lengths(text, name, arguments):
    """Numbers of a state in each result, as the comment above the function says."""
    head = text[: text.index(f"static void {name}")]
    sizes = re.findall(r"/\* Numbers of a state: (.*)\. \*/", head)[-1]
    return [int(part.split()[1]) for part in sizes.split(", ")][arguments:]


def median(call, sync):
    call()
    sync()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        call()
        sync()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def median_on_device(call):
    call()
    times = []
    for _ in range(ROUNDS):
        before, after = cp.cuda.Event(), cp.cuda.Event()
        before.record()
        call()
        after.record()
        after.synchronize()
        times.append(cp.cuda.get_elapsed_time(before, after) * 1e-3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--urdf", help="the robot, for the CPU's side")
    parser.add_argument("--functions", default="rnea,aba,rnea_derivatives,aba_derivatives")
    given = parser.parse_args()
    text, robot = given.text.read_text(), given.text.stem
    module = cp.RawModule(code=text, options=("--std=c++17",))
    cpu = None
    if given.urdf:
        import rbd

        cpu = rbd.load(given.urdf, functions=given.functions.split(","))
    else:
        print("no --urdf: the CPU is not timed")
    nq, nv = (defined(text, f"{robot.upper()}_{n}") for n in ("NQ", "NV"))
    if nq != nv:
        raise SystemExit("states are drawn for robots without quaternions only")
    device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{robot}, float, {device}, the CPU in double: microseconds of a batch, medians of {ROUNDS}")
    print("| function | states | GPU | with transfers | CPU, one thread | CPU, all |\n|---|---:|---:|---:|---:|---:|")
    random = np.random.default_rng(1)
    for function in given.functions.split(","):
        name, arguments = f"{robot}_{function}", ARGUMENTS[function]
        started = kernels(text, module, name)
        for n in SIZES:
            # Entry k of state i is [k, i] on the GPU, and [i, k] for the CPU.
            host = [random.uniform(-1, 1, (nv, n)).astype(np.float32) for _ in arguments]
            on_gpu = [cp.asarray(x) for x in host]
            results = [cp.empty((k, n), cp.float32) for k in lengths(text, name, len(arguments))]

            def launch(inputs=on_gpu, outputs=results, n=n):
                for kernel, parts in started:
                    kernel((-(-n // BLOCK), parts), (BLOCK,), (np.uint32(n), *inputs, *outputs))

            def with_transfers(host=host, outputs=results):
                launch([cp.asarray(x) for x in host])
                return [cp.asnumpy(x) for x in outputs]

            row = [median_on_device(launch), median(with_transfers, cp.cuda.Stream.null.synchronize)]
            if cpu:
                states = [np.ascontiguousarray(x.T, dtype=float) for x in host]
                call = getattr(cpu, function)
                out = call(*states)
                check([out] if isinstance(out, np.ndarray) else out, results, nv)
                row += [median(lambda: call(*states, out=out, threads=t), lambda: None) for t in (False, True)]
            print(f"| `{function}` | {n} | " + " | ".join(f"{1e6 * t:.1f}" for t in row) + " |", flush=True)


def check(of_cpu, of_gpu, nv):
    """What is timed gives the same: `float`, of the largest entry."""
    for expected, found in zip(of_cpu, of_gpu):
        found = cp.asnumpy(found)
        if expected.ndim == 3:
            # By columns there, by rows here.
            found = found.reshape(nv, nv, -1).transpose(2, 1, 0)
        else:
            found = found.T
        scale = np.abs(expected).max()
        assert np.abs(found - expected).max() <= 1e-3 * scale, "the GPU and the CPU differ"


if __name__ == "__main__":
    main()
