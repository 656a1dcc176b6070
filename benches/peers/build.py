"""Installs the peers into a folder and compiles all sides. Standard library only: it makes the environment itself."""

import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
REPO = HERE.parent.parent
PACKAGES = [
    "pin==4.1.0", "matplotlib==3.10.7",
    "cmeel-eigen==3.4.1", "cmeel-cppad==20250000.2", "cmeel-cppadcodegen==2.4.3", "ziglang==0.17.0",
]  # fmt: skip
# As Pinocchio's own build sets them.
DEFINITIONS = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]  # fmt: skip
FAST = ["-O3", "-march=native", "-DNDEBUG"]
# Where generated C is raced. On humanoids it is slower than the library, and takes minutes a function to compile.
GENERATED = ["iiwa14", "ur5", "hyq"]
FUNCTIONS = ["rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"]


def run(command, **more):
    return subprocess.run([str(x) for x in command], check=True, **more)


def output(command):
    return run(command, capture_output=True, text=True).stdout.strip()


def python_of(folder):
    return folder / "venv" / "bin" / "python"


def install(folder):
    """Pinocchio with its headers, CppADCodeGen's, clang and matplotlib, in a Python environment of their own."""
    stamp = folder / "venv" / "installed"
    if stamp.exists() and stamp.read_text() == " ".join(PACKAGES):
        return
    run([sys.executable, "-m", "venv", folder / "venv"])
    pip = [python_of(folder), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, *PACKAGES[:2]])
    # Headers and programs alone: what else these packages name is not needed to compile against them.
    run([*pip, "--no-deps", *PACKAGES[2:]])
    stamp.write_text(" ".join(PACKAGES))


def compilers(folder):
    """C++ and C compilers by name: gcc, and clang, the machine's or else the one that was installed."""
    found = {}
    if shutil.which("g++"):
        found["gcc"] = (["g++"], ["gcc"])
    if shutil.which("clang++"):
        found["clang"] = (["clang++"], ["clang"])
    else:
        zig = [python_of(folder), "-m", "ziglang"]
        # It checks for undefined behaviour unless told not to.
        found["clang"] = ([*zig, "c++", "-fno-sanitize=undefined"], [*zig, "cc", "-fno-sanitize=undefined"])
    return found


def newer(target, *sources):
    """Whether a target has to be made again."""
    return not target.exists() or any(x.stat().st_mtime > target.stat().st_mtime for x in sources)


def timed(what, command, **more):
    start = time.monotonic()
    run(command, **more)
    print(f"{what}: {time.monotonic() - start:.0f} s", flush=True)


def headers(folder):
    """Where the installed libraries' headers are, as options of a compiler."""
    prefix = next((folder / "venv" / "lib").glob("python3*")) / "site-packages" / "cmeel.prefix" / "include"
    return ["-isystem", prefix, "-isystem", prefix / "eigen3"]


def pinocchio(folder):
    """Pinocchio's side once a compiler."""
    source = HERE / "cpp"
    common = [source / "worker.hpp", source / "model.hpp"]
    for name, (compiler, _) in compilers(folder).items():
        target = folder / f"pinocchio.{name}"
        if newer(target, source / "pinocchio.cpp", *common):
            flags = ["-std=c++17", *FAST, *DEFINITIONS, *headers(folder)]
            timed(target.name, [*compiler, *flags, source / "pinocchio.cpp", "-o", target])


def codegen(folder):
    """The printer of C, and the side that runs what it prints."""
    source = HERE / "cpp"
    compiler = next(iter(compilers(folder).values()))[0]
    target = folder / "codegen"
    if newer(target, source / "codegen.cpp", source / "model.hpp"):
        # Its own speed matters to nobody.
        flags = ["-std=c++17", "-O0", "-DNDEBUG", *DEFINITIONS, *headers(folder)]
        timed(target.name, [*compiler, *flags, source / "codegen.cpp", "-o", target])
    target = folder / "generated"
    if newer(target, source / "generated.cpp", source / "worker.hpp"):
        timed(target.name, [*compiler, "-std=c++17", "-O2", source / "generated.cpp", "-o", target, "-ldl"])


def generated(folder, robots):
    """C for each function of some robots, compiled with and without -ffast-math by each compiler."""
    for robot in [x for x in GENERATED if x in robots]:
        model = folder / f"{robot}.model"
        if newer(folder / f"{robot}.{FUNCTIONS[-1]}.c", folder / "codegen", model):
            timed(f"{robot}, C", [folder / "codegen", folder / robot])
        for function in FUNCTIONS:
            source = folder / f"{robot}.{function}.c"
            for name, (_, compiler) in compilers(folder).items():
                for end, more in (("", []), ("_fast", ["-ffast-math"])):
                    target = folder / f"{robot}.{function}.{name}{end}.so"
                    if newer(target, source):
                        flags = [*FAST, *more, "-fPIC", "-shared"]
                        timed(target.name, [*compiler, *flags, source, "-o", target, "-lm"])


C_SHAPES = ["straight", "limbs", "loops"]


def flavours(folder, shapes):
    """Our C by what its libraries are called: by each compiler as it is by default, and in these shapes."""
    return [name + end for end in ("", *(f".{shape}" for shape in shapes)) for name in compilers(folder)]


def ours_in_c(folder, robots, joints, shapes):
    """What `rbd generate --target c` writes of each robot, by default and in these shapes, by each compiler, and the side that
    runs it."""
    cargo(folder, "native", NATIVE, "-p", "rbd-cli", crate=REPO)
    source = HERE / "cpp"
    target = folder / "ours_c"
    if newer(target, source / "ours_c.cpp", source / "worker.hpp"):
        compiler = next(iter(compilers(folder).values()))[0]
        timed(target.name, [*compiler, "-std=c++17", "-O2", source / "ours_c.cpp", "-o", target, "-ldl"])
    for robot, shape in itertools.product(robots, [None, *shapes]):
        base = ["--floating"] if joints[robot][0].startswith("root_joint:") else []
        base += ["--shape", shape] if shape else []
        options = ["--target", "c", *base, "--functions", ",".join(FUNCTIONS), REPO / "robots" / f"{robot}.urdf"]
        end = f".{shape}" if shape else ""
        new, kept = folder / "c.new", folder / f"c{end}"
        run([folder / "native/release/rbd", "generate", *options, "-o", new], stderr=subprocess.PIPE)
        kept.mkdir(exist_ok=True)
        # Untouched unless it changes.
        for file in (f"{robot}.h", f"{robot}.c"):
            if not (kept / file).exists() or (kept / file).read_bytes() != (new / file).read_bytes():
                shutil.copy(new / file, kept / file)
        for name, (_, compiler) in compilers(folder).items():
            library = folder / f"{robot}.ours.{name}{end}.so"
            if newer(library, kept / f"{robot}.c", kept / f"{robot}.h"):
                flags = ["-std=c99", *FAST, "-fPIC", "-shared"]
                timed(library.name, [*compiler, *flags, kept / f"{robot}.c", "-o", library, "-lm"])


NATIVE = "-C target-cpu=native"


def compile_for(cpu):
    """From now on both sides for this kind of processor, by its name in compilers' options, and not for the machine's own."""
    global NATIVE
    FAST[FAST.index("-march=native")] = f"-march={cpu}"
    NATIVE = f"-C target-cpu={cpu}"


def cargo(folder, target, flags, *what, crate=HERE / "rust", **more):
    """A release build, into a folder of its own by what flags it has."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / target), "RUSTFLAGS": flags}
    # One job: what the race waits for longest is one crate, and other users of the machine are spared.
    command = ["cargo", "build", "--release", "--quiet", "-j1", *what]
    # The generator's remarks on the URDFs are of no interest here.
    timed(f"{what[-1]}, {target}", command, cwd=crate, env=environment, stderr=subprocess.PIPE, text=True, **more)


def rust(folder, stock):
    """Ours for this processor and, if wanted, for any; dynibo for this processor."""
    cargo(folder, "native", NATIVE, "--bin", "ours")
    if stock:
        cargo(folder, "stock", "", "--bin", "ours")
    try:
        cargo(folder, "native", NATIVE, "--features", "dynibo", "--bin", "dynibo")
    except subprocess.CalledProcessError as error:
        print(f"{error.stderr}\nno dynibo; the race goes on without it")


def jit(folder):
    """Ours for robots that are loaded at run time."""
    cargo(folder, "native", NATIVE, "--features", "jit", "--bin", "jit")


def joints(folder):
    """Where each of our robots has its coordinates, a list a robot."""
    lines = output([folder / "native/release/ours", "joints"]).splitlines()
    return {robot: rest.split() for robot, rest in (x.split(" ", 1) for x in lines)}
