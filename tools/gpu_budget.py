#!/usr/bin/env python3
"""Registers and spills of generated kernels on a GPU, by NVIDIA's compilers and without a GPU.

    tools/gpu_budget.py [--rbd COMMAND] [--robots iiwa14,go2] [--float | --double] [--table]

COMMAND is the command `rbd`, by default built by cargo. Needs `pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12`:
NVRTC makes PTX of the text, and ptxas the code for sm_90, which it says the registers of. What each function may spill is
in BUDGETS: nothing of an arm's, and in `float` nothing of a quadruped's. `--table` prints rows for docs/gpu.md.
"""

import argparse
import ctypes
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHITECTURE = 90
# Robot: base, and for each function the bytes that a thread of any of its kernels stores to memory as it has no registers left,
# in `float` and in `double`; None is not compiled, for that takes minutes. By NVRTC and ptxas 12.9.
BUDGETS = {
    "iiwa14": (
        "fixed",
        {
            "rnea": (0, 0),
            "aba": (0, 0),
            "minv": (0, 0),
            "rnea_derivatives": (0, 0),
            "aba_derivatives": (0, 0),
            "rnea_hessian": (0, 0),
            "aba_hessian": (0, 0),
        },
    ),
    "go2": (
        "floating",
        {
            "rnea": (0, 128),
            "aba": (0, 932),
            "minv": (0, 616),
            "rnea_derivatives": (0, 2204),
            "aba_derivatives": (0, 1768),
            "rnea_hessian": (0, 5832),
        },
    ),
    "hyq": (
        "floating",
        {
            "rnea": (0, 280),
            "aba": (0, 976),
            "minv": (0, 664),
            "rnea_derivatives": (0, 2480),
            "aba_derivatives": (0, 2116),
            "contact_dynamics": (0, 2740),
            "contact_dynamics_derivatives": (352, 2740),
        },
    ),
    "g1": ("floating", {"rnea": (0, None), "aba": (4704, None), "crba": (0, None), "rnea_derivatives": (2112, None)}),
}
# Points at which functions of contacts hold a robot.
CONTACTS = {"hyq": "lf_foot,rf_foot,lh_foot,rh_foot"}
# Numbers at once that the generator takes to fit the registers of a thread (rbd-build/src/emit/gpu/mod.rs), and bytes that a
# kernel with no more of them spills at the most.
FITS = {"float": (250, 0), "double": (118, 164)}
# Other versions of the compilers choose registers a little differently.
MORE = 1.1


def skip(what):
    print(f"skipped: {what}")
    sys.exit(0)


def package(name):
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None:
        skip(f"{name} is not installed (pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12)")
    return pathlib.Path(list(found.submodule_search_locations)[0])


def ptx(library, text):
    """What NVRTC makes of a text."""
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"robot.cu", 0, None, None)
    options = [f"--gpu-architecture=compute_{ARCHITECTURE}".encode()]
    failed = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))

    def said(what):
        size = ctypes.c_size_t()
        getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(library, f"nvrtcGet{what}")(program, buffer)
        return buffer.value.decode()

    if failed:
        raise SystemExit(said("ProgramLog"))
    made = said("PTX")
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return made


def used(ptxas, folder, text):
    """Registers, bytes spilled and bytes of stack of each kernel, and bytes of code."""
    (folder / "robot.ptx").write_text(text)
    command = [ptxas, "-v", f"-arch=sm_{ARCHITECTURE}", folder / "robot.ptx", "-o", folder / "robot.cubin"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    kernels = {}
    for part in re.split(r"Compiling entry function '", said)[1:]:
        stack, stores, loads = map(int, re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part).groups())
        kernels[part.split("'")[0]] = (int(re.search(r"Used (\d+) registers", part)[1]), stores, loads, stack)
    return kernels, (folder / "robot.cubin").stat().st_size


def generate(rbd, robot, base, function, real, folder):
    command = rbd.split() if rbd else ["cargo", "run", "--quiet", "--release", "-p", "rbd-cli", "--"]
    options = (["--floating"] if base == "floating" else []) + (["--float"] if real == "float" else [])
    urdf = ROOT / "robots" / f"{robot}.urdf"
    if function.startswith("contact_"):
        # Functions of contacts come with these, beside a short one.
        function, options = "bias", [*options, "--contacts", CONTACTS[robot]]
    command += ["generate", "--target", "cuda", urdf, "-o", folder, "--functions", function, *options]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    return (folder / f"{robot}.cuh").read_text()


def numbers_at_once(text, kernel):
    """Registers that the generator takes a kernel to need for numbers: what the text says of its parts."""
    function = re.sub(r"_kernel$", "", re.sub(r"_kernel(\d+)$", r"_step\1", kernel))
    begin = text.index(f"static void {function}(")
    end = text.index("\n}\n", begin)
    # A step may be another function's.
    called = re.search(r"\n    (\w+_step\d+)\(part, stride,", text[begin:end])
    if called:
        return numbers_at_once(text, called[1].replace("_step", "_kernel"))
    return max((int(n) for n in re.findall(r"/\* (\d+) numbers at once\. \*/", text[begin:end])), default=0)


def parts(text, kernel):
    found = re.search(rf"#define {kernel.upper()}_PARTS (\d+)", text)
    return int(found[1]) if found else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rbd")
    parser.add_argument("--robots", default=",".join(BUDGETS))
    parser.add_argument("--float", dest="reals", action="store_const", const=["float"], default=["float", "double"])
    parser.add_argument("--double", dest="reals", action="store_const", const=["double"])
    parser.add_argument("--functions")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    library = ctypes.CDLL(str(package("nvidia.cuda_nvrtc") / "lib" / "libnvrtc.so.12"))
    ptxas = package("nvidia.cuda_nvcc") / "bin" / "ptxas"
    over = []
    for robot in given.robots.split(","):
        base, budget = BUDGETS[robot]
        functions = given.functions.split(",") if given.functions else budget
        for real in given.reals:
            for function in functions:
                # What is asked for by name and not recorded may spill what it will.
                allowed = budget.get(function, (float("inf"),) * 2)[real == "double"]
                if allowed is None and not given.functions:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    folder = pathlib.Path(folder)
                    text = generate(given.rbd, robot, base, function, real, folder)
                    began = time.time()
                    kernels, code = used(ptxas, folder, ptx(library, text))
                    took = time.time() - began
                own = {name: of for name, of in kernels.items() if re.fullmatch(rf"{robot}_{function}_kernel\d*", name)}
                for name, (registers, stores, loads, stack) in sorted(own.items()):
                    count, kernel = parts(text, name), name.removeprefix(f"{robot}_")
                    at_once = numbers_at_once(text, name)
                    if given.table:
                        print(f"| {robot} `{kernel}` | {real} | {count} | {at_once} | {registers} | {stores} / {loads} | {stack} |", flush=True)
                    else:
                        print(
                            f"{robot} {kernel}, {real}: {count} parts, {at_once} numbers at once, {registers} registers, {stores} bytes spilled and {loads} read, "
                            f"{stack} of stack, {code / 1024:.0f} KiB of code with others, compiled in {took:.0f} s",
                            flush=True,
                        )
                    if allowed is not None and stores > MORE * allowed:
                        over.append(f"{name} of {real} spills {stores} bytes, and {allowed} are allowed")
                    # The text of loops has no count.
                    if 0 < at_once <= FITS[real][0] and stores > MORE * FITS[real][1]:
                        over.append(f"{name} of {real} spills {stores} bytes, and its {at_once} numbers at once are thought to fit")
    if over:
        raise SystemExit("\n".join(over))


if __name__ == "__main__":
    main()
