"""Robot dynamics: reads a URDF and makes machine code for that one robot.

    import numpy as np
    import rbd

    arm = rbd.load("iiwa14.urdf")
    tau = arm.rnea(arm.neutral(), np.zeros(arm.NV), np.zeros(arm.NV))

Arrays are of one state, or have first axes for many states, which are broadcast as numpy does. Element [i, j] of a
matrix is its entry in row i and column j. `help(arm.rnea)` has the equation, the shapes and the units of a function.
"""

import importlib as _importlib
import enum as _enum
import inspect as _inspect
import os
import warnings as _warnings
import weakref as _weakref

import numpy as _np

from . import derivatives as _derivatives
from . import joints, physical, results
from ._core import Function, Robot, __version__
from ._core import load as _load
from .identification import Identification, Identified
from .rollouts import RolloutCosts, rollout_costs

__all__ = [
    *("ContactMode", "Function", "Identification", "Identified", "Robot", "RolloutCosts", "UrdfWarning", "__version__", "joints", "load"),
    *("load_text", "physical", "results", "rollout_costs"),
]


def __getattr__(name):
    # Modules whose packages need not be installed.
    if name in ("arrow", "jax", "torch"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"rbd has no attribute {name!r}")


class ContactMode(_enum.IntEnum):
    """What a contact does during `friction_step`: the numbers of its `modes`."""

    OPEN = 0
    STICK = 1
    SLIDE = 2


class UrdfWarning(UserWarning):
    """Something odd in a URDF that was read all the same. `allow=` of `load` silences it by its code."""


def load(urdf, **options):
    """Reads a URDF file and makes machine code of the robot's functions.

    - `base`: `"fixed"` (the default) bolts the root link to the world, with `"floating"` it moves freely
    - `functions`: names of functions or of families of them, such as `"dynamics"`; by default all but those of frames
    - `frames`: links and fixed joints for which there are functions of frames
    - `contacts`: links and fixed joints that may be in contact with the world: a list, or `{"sole": "plane", "tip": "point"}`
    - `closed_loops`: two frames that coincide: `{"bar": ("rod_end", "rocker_end")}`, or with `{"frames": .., "rows": 6}`
    - `fused`: one function for several quantities: `{"Step": ["ddq", "placement(tool0)"]}` makes `step`
    - `step`: an integrator, `"semi_implicit"`, `"explicit"`, `"rk4"` or `"implicit_damping"`: the state after a time
    - `actuated`: joints with motors, whose torques are the controls of `actuated_step` and its kin
    - `gravity`: three numbers, m/s^2; `"runtime"` makes it an argument of functions
    - `lock`: joints that become fixed, each with its position: `{"elbow": 0.5}`
    - `armature`: rotor inertia of joints, kg m^2 or kg: `{"elbow": 0.1}`
    - `damping`: `True` lets the URDF's joint damping enter the dynamics
    - `friction`: lets the URDF's joint friction enter, smoothed by this velocity
    - `inertia`: links whose bodies' inertia is an argument of functions: a list, or `"all"`
    - `loads`: links and fixed joints with loads, whose inertia is an argument of functions
    - `snap`, `shape`, `strict`, `allow`, `allow_unphysical_inertia`: as for the command (docs/options.md)
    - `check`: `False` leaves out the comparison with the generic reference at one random state
    - `engine`: `"avx512"`, `"avx2"` or `"interpreter"`; by default the fastest that the processor has
    - `dtype`: `"float64"` (the default) or `"float32"`, or numpy's types: arithmetic, arguments and results are of it

    Raises `ValueError` with the place in the file if the URDF or an option is wrong.
    """
    path = os.fspath(urdf)
    with open(path, encoding="utf-8") as file:
        return load_text(file.read(), path, **options)


def load_text(text, name="robot.urdf", *, check=True, engine=None, dtype="float64", **options):
    """As `load`, of the text of a URDF. Messages call it `name`."""
    robot = _restore(text, name, _flags(options), check, engine, _dtype(dtype))
    for said in robot.warnings:
        _warnings.warn(said, UrdfWarning, stacklevel=3)
    return robot


def _dtype(given):
    """The name of a type of numbers."""
    try:
        found = _np.dtype(given).str
    except TypeError:
        found = ""
    for name in ("float64", "float32"):
        # Of the machine's byte order.
        if found == _np.dtype(name).str:
            return name
    raise TypeError(f"load(): dtype={given!r} is no type that robots have; it must be float64 or float32")


def _flags(options):
    """The flags of the command that options stand for, with their values."""
    flags = []
    for name, value in options.items():
        if value is None:
            continue
        write = _WRITERS.get(name)
        if write is None:
            raise TypeError(f"load() has no option {name!r}; there are {', '.join(sorted(_WRITERS))}")
        try:
            flags += write(value)
        except (TypeError, ValueError, AttributeError) as error:
            raise TypeError(f"load(): {name}={value!r} is not what the option takes; see help(rbd.load)") from error
    return flags


def _switch(flag):
    return lambda value: [(flag, "")] if _is_true(value) else []


def _is_true(value):
    if not isinstance(value, bool):
        raise TypeError("neither True nor False")
    return value


def _number(flag):
    return lambda value: [(flag, repr(float(value)))]


def _by_joint(flag):
    return lambda value: [(flag, f"{joint}={float(x)!r}") for joint, x in value.items()]


def _texts(flag):
    return lambda value: [(flag, text) for text in _list(value)]


def _list(value):
    items = [value] if isinstance(value, str) else list(value)
    if not all(isinstance(item, str) for item in items):
        raise TypeError("not a list of names")
    return items


def _base(value):
    return {"fixed": [], "floating": [("floating", "")]}[value] if value in ("fixed", "floating") else _wrong()


def _wrong():
    raise ValueError("none of the values")


def _gravity(value):
    if isinstance(value, str):
        return [("gravity-at-run-time", "")] if value == "runtime" else _wrong()
    return [("gravity", ",".join(repr(float(x)) for x in value))]


def _shape(value):
    if isinstance(value, str):
        return [("shape", value)]
    return [("shape", f"{function}={shape}") for function, shape in value.items()]


def _one(flag):
    return lambda value: [(flag, value)] if isinstance(value, str) else _wrong()


def _contacts(value):
    if isinstance(value, str) or not hasattr(value, "items"):
        return [("contacts", name) for name in _list(value)]
    return [("contacts", f"{name}={kind}") for name, kind in value.items()]


def _closed_loops(value):
    def written(name, frames, rows=3):
        a, b = frames
        return "closed-loops", f"{name}={a}:{b}:{rows}"

    return [written(name, **of) if hasattr(of, "items") else written(name, of) for name, of in value.items()]


def _fused(value):
    return [("fused", f"{name}: {', '.join(_list(quantities))}") for name, quantities in value.items()]


_WRITERS = {
    "base": _base,
    "gravity": _gravity,
    "functions": _texts("functions"),
    "frames": _texts("frames"),
    "contacts": _contacts,
    "closed_loops": _closed_loops,
    "fused": _fused,
    "lock": _by_joint("lock"),
    "armature": _by_joint("armature"),
    "inertia": _texts("inertia-at-run-time"),
    "loads": _texts("loads"),
    "damping": _switch("damping"),
    "friction": _number("friction"),
    "step": _one("step"),
    "actuated": _texts("actuated"),
    "snap": _number("snap"),
    "shape": _shape,
    "strict": _switch("strict"),
    "allow": _texts("allow"),
    "allow_unphysical_inertia": _switch("allow-unphysical-inertia"),
}

# A robot that is sent to a process many times is loaded there once, as long as something holds it.
_loaded = _weakref.WeakValueDictionary()


def _restore(text, name, flags, check, engine=None, dtype="float64"):
    key = (text, name, tuple(flags), check, engine, dtype)
    robot = _loaded.get(key)
    if robot is None:
        robot = _loaded[key] = _load(text, name, flags, check, engine, dtype)
        _derivatives.known(robot)
    return robot


def _function(source, name):
    return getattr(_restore(*source), name)


def _signature(text):
    # Of names that are ours: `(q, v, a, *, out=None, threads=False)`.
    return _inspect.signature(eval(f"lambda {text[1:-1]}: None"))  # noqa: S307
