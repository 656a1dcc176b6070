"""What robots of `dtype="float32"` must do: `run.py` calls it where the package is installed.

    check_single.py ROBOTS

Their numbers are compared with those of the robot in double precision, which is given the same rounded arguments.
"""

import inspect
import pathlib
import pickle
import subprocess
import sys

import numpy as np

import rbd
from common import near, refused

ROBOTS = pathlib.Path(sys.argv[1])
FUNCTIONS = ["dynamics", "bodies", "frames", "centroidal", "energy", "coriolis", "regressors"]
INVERSES = ("aba", "minv", "step", "contact_dynamics", "contact_impulse")
# The rounding of a float32. Results differ by so many of them, relative to the largest entry: ten were the most in
# functions without M^-1. With it, a condition number multiplies roundings.
UNIT = 2.0**-24
ROUNDINGS = 32


def load(name, **options):
    options = {"functions": FUNCTIONS, "allow": ["damping-ignored", "inertia-triangle"]} | options
    return rbd.load(ROBOTS / f"{name}.urdf", **options)


def arrays(result):
    return list(result) if isinstance(result, tuple) else [result]


def random(robot, *states, seed=1):
    """Arguments by names, rounded to float32."""
    rng = np.random.default_rng(seed)
    q0, q1 = (robot.random_configuration(rng.random((*states, robot.NV))) for _ in range(2))
    more = {name: rng.normal(size=(*states, robot.NV)) for name in ("v", "a", "tau", "dv", "mu", "lambda_", "lambda_q", "lambda_v")}
    more |= {"q": q0, "q0": q0, "q1": q1, "t": rng.random(states), "dt": rng.random(states) / 100}
    more |= {"uniform": rng.random((*states, robot.NV)), "fext": rng.normal(size=(*states, robot.NB, 6))}
    return {name: np.asarray(x, dtype=np.float32) for name, x in more.items()}


def calls(robot, *states):
    """Every function, with its arguments. Rollouts are in check_steps.py."""
    given = random(robot, *states)
    for name, function in robot.functions.items():
        if "controls" in function.__signature__.parameters:
            continue
        names = list(inspect.signature(function).parameters)
        chosen = {"frame": robot.FRAMES[-1], "reference": "local_world_aligned"} if robot.FRAMES else {}
        yield name, [given[key] for key in names if key in given], {key: x for key, x in chosen.items() if key in names}


def pairs():
    """Robots in both precisions."""
    for name, base in (("iiwa14", "fixed"), ("double_pendulum", "floating"), ("hyq", "floating")):
        options = {"base": base, "step": "semi_implicit"}
        if name != "hyq":
            options["functions"] = [*FUNCTIONS, "second_derivatives"]
        yield load(name, **options), load(name, dtype="float32", **options)


def values():
    """Every function is that of double precision to its digits, alone and in batches, on threads to the last bit."""
    for double, single in pairs():
        assert (double.dtype, single.dtype) == (np.float64, np.float32)
        assert double.functions.keys() == single.functions.keys()
        condition = np.linalg.cond(double.crba(random(double, 40)["q"])).max()
        for n in ((), (40,)):
            for name, given, chosen in calls(single, *n):
                found = arrays(single.functions[name](*given, **chosen))
                expected = arrays(double.functions[name](*given, **chosen))
                roundings = max(ROUNDINGS, condition) if name.startswith(INVERSES) else ROUNDINGS
                for x, y in zip(found, expected, strict=True):
                    assert x.dtype == np.float32 and y.dtype == np.float64, name
                    near(x, y, roundings * UNIT, f"{name} of {single.NAME}")
        for name, given, chosen in calls(single, 3000):
            alone, shared = (arrays(single.functions[name](*given, **chosen, threads=n)) for n in (1, 2))
            assert all(x.tobytes() == y.tobytes() for x, y in zip(alone, shared, strict=True)), f"{name} on threads"


def into():
    """Results go into arrays that are given, of any order."""
    robot = load("double_pendulum", base="floating", dtype="float32")
    for states in ((), (9,), (2, 3)):
        for name, given, chosen in calls(robot, *states):
            result = robot.functions[name](*given, **chosen)
            for order in "CF":
                filled = [np.full(x.shape, 7, np.float32, order) for x in arrays(result)]
                out = tuple(filled) if isinstance(result, tuple) else filled[0]
                assert robot.functions[name](*given, **chosen, out=out) is out
                assert all((x == y).all() for x, y in zip(filled, arrays(result), strict=True)), name


def types():
    """All arrays of the robot are float32, and other real numbers are rounded to it."""
    robot = load("double_pendulum", base="floating", dtype="float32", inertia="all", gravity="runtime", functions=["rnea"])
    for name in ("neutral", "lower_limits", "upper_limits", "velocity_limits", "effort_limits", "default_inertia"):
        assert getattr(robot, name)().dtype == np.float32, name
    assert robot.inertial_parameters().dtype == robot.default_gravity().dtype == robot.rnea.dtype == np.float32
    rng = np.random.default_rng(0)
    q, v, a = robot.integrate(robot.neutral(), rng.normal(size=8)), rng.normal(size=8), rng.normal(size=8)
    tau = robot.rnea(q, v, a)
    near(robot.rnea(q, v.astype(np.float32), a.astype(np.float32)), tau, 0, "float64 is rounded")
    near(robot.rnea(q, v.astype(">f4"), a.astype(np.float32)), tau, 0, "byte order")
    near(robot.rnea(q, v, a, gravity=robot.default_gravity()), tau, 0, "default gravity")
    near(robot.rnea(q, [0] * 8, [0] * 8), robot.rnea(q, np.zeros(8), np.zeros(8)), 0, "lists")
    for dtype in ("float32", np.float32, np.dtype("f4"), "single"):
        assert load("double_pendulum", dtype=dtype, functions=["rnea"]).dtype == np.float32
    for dtype in ("float64", float, None):
        assert load("double_pendulum", dtype=dtype, functions=["rnea"]).dtype == np.float64


def contacts():
    """Accelerations, forces and errors under contacts, beside double precision."""
    feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]
    options = {"base": "floating", "contacts": feet, "functions": ["crba"]}
    double, single = load("hyq", **options), load("hyq", dtype="float32", **options)
    x = random(single, 5)
    q, v, tau = x["q"], x["v"], x["tau"]
    condition = np.linalg.cond(double.delassus(q)).max()
    anchors = single.contact_placements(q[0])
    assert anchors.dtype == np.float32
    for settings in ({}, {"active": ["lf_foot", "rh_foot"]}, {"kp": 3.0, "kd": 5.0, "anchors": anchors}):
        wide = settings | ({"anchors": anchors.astype(float)} if "anchors" in settings else {})
        found, expected = single.contact_dynamics(q, v, tau, **settings), double.contact_dynamics(q, v, tau, **wide)
        for name in ("ddq", "forces"):
            x, y = getattr(found, name), getattr(expected, name)
            assert x.dtype == np.float32
            near(x, y, max(ROUNDINGS, condition) * UNIT, f"{name} with {settings.keys()}")
    near(single.contact_jacobian(q), double.contact_jacobian(q), ROUNDINGS * UNIT, "contact_jacobian")
    for call, kind, said in [
        (lambda: single.contact_dynamics(q, v, tau, anchors=anchors.astype(float)), ValueError, "anchors must be an array of float32"),
        (lambda: double.contact_dynamics(q, v, tau, anchors=anchors), ValueError, "anchors must be an array of float64"),
    ]:
        refused(call, kind, said)


def travels():
    """Pickles keep the precision, in this process and in another."""
    robot = load("double_pendulum", dtype="float32", functions=["rnea"])
    assert robot is not load("double_pendulum", functions=["rnea"])
    assert pickle.loads(pickle.dumps(robot)) is robot and pickle.loads(pickle.dumps(robot.rnea)) is not None
    program = "import pickle, sys; f = pickle.load(sys.stdin.buffer); print(f.dtype, f([0, 1], [0, 1], [0, 1]).dtype)"
    done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(robot.rnea), capture_output=True, check=True)
    assert done.stdout.split() == [b"float32", b"float32"]


def rollouts():
    """Costs of rollouts are those of double precision."""
    double, single = (load("iiwa14", dtype=dtype, functions=["aba"]) for dtype in ("float64", "float32"))
    controls = np.random.default_rng(2).normal(size=(6, 10, 7)).astype(np.float32)
    costs = [
        rbd.rollout_costs(arm, arm.neutral(), np.zeros(7), controls, dt=0.01, cost=lambda k, q, v, u: (q**2).sum(-1))
        for arm in (double, single)
    ]
    near(costs[1], costs[0], 1e-4, "costs")


def errors():
    """What is of another type is refused by name."""
    robot = load("double_pendulum", dtype="float32", functions=["rnea", "regressor"])
    q = np.zeros(2, np.float32)
    of_other = "is no type that robots have; it must be float64 or float32"
    for call, kind, said in [
        (lambda: robot.rnea(q, q * 1j, q), TypeError, "rnea: v is of type complex64; it must be an array of real numbers"),
        (lambda: robot.rnea(q, q, q, out=np.zeros(2)), TypeError, "rnea: out for tau must be a numpy array of float32"),
        (lambda: load("double_pendulum", dtype="float16"), TypeError, f"dtype='float16' {of_other}"),
        (lambda: load("double_pendulum", dtype=int), TypeError, of_other),
        (lambda: load("double_pendulum", dtype=">f4"), TypeError, of_other),
        (lambda: load("double_pendulum", dtype="flaot32"), TypeError, of_other),
        (lambda: rbd.Identification(robot), TypeError, "loaded with dtype float32; identification needs a robot of float64"),
    ]:
        refused(call, kind, said)


if __name__ == "__main__":
    for check in (values, into, types, contacts, travels, rollouts, errors):
        check()
        print(f"single precision: {check.__name__}", flush=True)
