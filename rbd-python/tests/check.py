"""What the package `rbd` must do: `run.py` calls it where the package is installed.

    check.py ROBOTS VALUES [arm]

ROBOTS is the folder of URDFs, VALUES that of stored values of Pinocchio. With `arm`, only an arm is checked, in some seconds.
"""

import ast
import inspect
import json
import math
import multiprocessing
import pathlib
import pickle
import sys
import threading
import time
import warnings

import numpy as np

import rbd
from common import near, refused

ROBOTS, VALUES = map(pathlib.Path, sys.argv[1:3])
DYNAMICS = ["dynamics", "bodies", "frames", "centroidal", "energy", "coriolis", "regressors"]


def load(name="double_pendulum", **options):
    options = {"functions": DYNAMICS, "allow": ["damping-ignored", "inertia-triangle"]} | options
    return rbd.load(ROBOTS / f"{name}.urdf", **options)


def arrays(result):
    return list(result) if isinstance(result, tuple) else [result]


def random(robot, *states, seed=1):
    rng = np.random.default_rng(seed)
    q = robot.neutral() + rng.normal(size=(*states, robot.NQ))
    for joint in robot.JOINTS:
        first = {"floating": joint.idx_q + 3, "spherical": joint.idx_q}.get(joint.kind)
        if first is not None:
            q[..., first : first + 4] /= np.linalg.norm(q[..., first : first + 4], axis=-1, keepdims=True)
    more = {name: rng.normal(size=(*states, robot.NV)) for name in ("v", "a", "tau", "mu", "lambda_")}
    more |= {"q": q, "q0": q, "q1": q[..., ::-1, :] if states else q, "dv": more["v"]}
    more |= {"t": rng.random(states), "uniform": rng.random((*states, robot.NV))}
    return more | {"fext": rng.normal(size=(*states, robot.NB, 6))}


def calls(robot, *states, seed=1):
    """Every function, with its arguments."""
    given = random(robot, *states, seed=seed)
    for name, function in robot.functions.items():
        names = list(inspect.signature(function).parameters)
        chosen = {"frame": robot.FRAMES[-1], "reference": "local_world_aligned"} if robot.FRAMES else {}
        rest = {key: value for key, value in chosen.items() if key in names}
        takes = [given[key] for key in names if key in given]
        yield name, (lambda *x, f=function, rest=rest, **y: f(*x, **rest, **y)), takes


def values(robots=(("double_pendulum", "floating"), ("iiwa14", "fixed"), ("hyq", "floating"))):
    """Against stored values of Pinocchio."""
    for name, base in robots:
        robot = load(name, base=base)
        stored = json.loads((VALUES / f"{name}.{base}.json").read_text())
        for s in stored["states"]:
            q, v, a, tau, fext = (np.array(s[key]) for key in ("q", "v", "a", "tau", "fext"))
            for key, found in {
                "rnea": robot.rnea(q, v, a),
                "rnea_fext": robot.rnea_fext(q, v, a, fext),
                "bias": robot.bias(q, v),
                "gravity": robot.gravity(q),
                "aba": robot.aba(q, v, tau),
                "crba": robot.crba(q),
                "minv": robot.minv(q),
                "com": robot.center_of_mass(q),
                "kinetic_energy": robot.kinetic_energy(q, v),
                "potential_energy": robot.potential_energy(q),
                "centroidal_momentum_matrix": robot.centroidal_momentum_matrix(q),
                "coriolis_matrix": robot.coriolis_matrix(q, v),
            }.items():
                near(found, s[key], 1e-9, f"{name}: {key}")
            d, e = robot.rnea_derivatives(q, v, a), robot.aba_derivatives(q, v, tau)
            for key, found in {
                "dtau_dq": d.dtau_dq,
                "dtau_dv": d.dtau_dv,
                "crba": d.dtau_da,
                "ddq_dq": e.ddq_dq,
                "ddq_dv": e.ddq_dv,
                "minv": e.ddq_dtau,
            }.items():
                near(found, s[key], 1e-8, f"{name}: {key}")


def states():
    """As one by one, for any number of states; on threads to the last bit; into arrays that are given."""
    robot = load(base="floating")
    for n in (0, 1, 3, 8, 11, 300):
        for name, f, given in calls(robot, n):
            many = arrays(f(*given))
            assert all(x.shape[0] == n and x.flags.c_contiguous for x in many), name
            for k in range(0, n, 7):
                for found, expected in zip(many, arrays(f(*(x[k] for x in given))), strict=True):
                    near(found[k], expected, 1e-12, f"{name}, state {k} of {n}")
    # Matrices of seven rows and columns, which are no whole number of tiles.
    for name, f, given in calls(load("iiwa14"), 11):
        for found, expected in zip(arrays(f(*given)), arrays(f(*(x[10] for x in given))), strict=True):
            near(found[10], expected, 1e-12, f"{name}, the last of eleven states")
    for name, f, given in calls(robot, 5000):
        alone, shared = arrays(f(*given)), arrays(f(*given, threads=2))
        assert all((x == y).all() for x, y in zip(alone, shared, strict=True)), f"{name} on threads"
    for states in ((), (9,), (2, 3)):
        for name, f, given in calls(robot, *states):
            result = f(*given)
            for order in "CF":
                filled = [np.full(x.shape, 7.0, order=order) for x in arrays(result)]
                out = tuple(filled) if isinstance(result, tuple) else filled[0]
                assert f(*given, out=out) is out
                assert all((x == y).all() for x, y in zip(filled, arrays(result), strict=True)), name


def leaves_zeros():
    """Entries that are zero in every state are left alone where the caller says that they are zero."""
    robot = load("hyq", base="floating", functions=["crba", "rnea_derivatives", "rnea"])
    f, names = robot.rnea_derivatives, ("tau", "dtau_dq", "dtau_dv", "dtau_da")
    nonzero = [robot.structure("rnea_derivatives", name) if name != "tau" else np.full(robot.NV, True) for name in names]
    assert not all(x.all() for x in nonzero)
    for states in ((), (9,), (2, 300)):
        out = None
        # New arrays, the first of these, which have zeros, and arrays that are copied to.
        for seed in (1, 2, 3):
            given = [random(robot, *states, seed=seed)[name] for name in ("q", "v", "a")]
            full = tuple(np.full_like(x, 7.0) for x in f(*given))
            assert f(*given, out=full) is full
            new = f(*given)
            out = new if out is None else f(*given, out=out, leaving_zeros=True)
            sliced = tuple(np.zeros((*x.shape, 2))[..., 0] for x in full)
            f(*given, out=sliced, leaving_zeros=True)
            for a, b, c, d, is_nonzero in zip(full, new, out, sliced, nonzero, strict=True):
                assert (a == b).all() and (a == c).all() and (a == d).all()
                assert (a[..., ~is_nonzero] == 0).all()
        given = [random(robot, *states)[name] for name in ("q", "v", "a")]
        try:
            f(*given, out=full, leaving_zeros=True)
            for x, is_nonzero in zip(full, nonzero, strict=True):
                x[..., ~is_nonzero] = 7.0
            f(*given, out=full, leaving_zeros=True)
            # Batches leave whole blocks alone.
            assert states or any((x == 7.0).any() for x in full), "nothing is left alone"
        except ValueError as fault:
            # Builds with debug assertions.
            assert "zero" in str(fault)
    assert str(f.__signature__) == "(q, v, a, *, leaving_zeros=False, out=None, threads=False)"
    refused(lambda: robot.rnea(*given, leaving_zeros=True), TypeError, "rnea() has no argument 'leaving_zeros'")
    refused(lambda: f(*given, leaving_zeros="yes"), TypeError, "rnea_derivatives: leaving_zeros must be True or False")


def broadcasts():
    """As numpy's own functions; numbers of other types and orders are converted."""
    robot = load()
    x = random(robot, 4, 5)
    q, v, a = x["q"], x["v"], x["a"]
    tau = robot.rnea(q, v, a)
    for k in range(4):
        near(robot.rnea(q[k], v[k], a[k]), tau[k], 0, "axes for states")
    near(robot.rnea(q[0, 0], v, a), robot.rnea(np.broadcast_to(q[0, 0], q.shape), v, a), 0, "one q for all")
    near(robot.rnea(q[:, :1], v, a)[2, 3], robot.rnea(q[2, 0], v[2, 3], a[2, 3]), 1e-12, "one q a row")
    near(robot.rnea(q[:1, :1], v[0, 0], a[0, 0]), robot.rnea(q[0, 0], v[0, 0], a[0, 0])[None, None], 0, "ones")
    near(robot.rnea(np.asfortranarray(q), v[..., ::-1][..., ::-1], a), tau, 0, "strides")
    near(robot.rnea(q.astype(">f8"), v, a), tau, 0, "byte order")
    single = q.astype(np.float32)
    near(robot.rnea(single, v, a), robot.rnea(single.astype(float), v, a), 0, "float32")
    near(robot.rnea([0, 0], [0, 0], (1, 2)), robot.rnea(np.zeros(2), np.zeros(2), np.array([1.0, 2.0])), 0, "lists")
    odd = np.frombuffer(bytes(17), dtype=np.uint8)[1:].view(np.float64)
    assert robot.gravity(odd).shape == (2,)


def laws():
    """Between functions."""
    robot = load("hyq", base="floating")
    x = random(robot, 50)
    q, v, a = x["q"], x["v"], x["a"]
    tau = robot.rnea(q, v, a)
    near(robot.aba(q, v, tau), a, 1e-8, "aba undoes rnea")
    near(np.einsum("sij,sj->si", robot.crba(q), a) + robot.bias(q, v), tau, 1e-10, "M a + b")
    near(robot.rnea_derivatives(q, v, a).dtau_da, robot.crba(q), 1e-12, "M twice")
    y = robot.regressor(q, v, a)
    inertia = np.linalg.lstsq(y.reshape(-1, robot.NB * 10), tau.ravel(), rcond=None)[0]
    x = random(robot, 3, seed=2)
    q, v, a = x["q"], x["v"], x["a"]
    near(robot.regressor(q, v, a).reshape(3, robot.NV, -1) @ inertia, robot.rnea(q, v, a), 1e-8, "regressor")


def manifold():
    """Laws, and differences."""
    robot = load("hyq", base="floating", functions=["rnea"])
    x, y = random(robot, 20), random(robot, 20, seed=2)
    q0, q1, dv = x["q"], y["q"], 0.3 * x["v"]
    near(robot.integrate(q0, robot.difference(q0, robot.integrate(q0, dv))), robot.integrate(q0, dv), 1e-12, "there")
    near(robot.difference(q0, robot.integrate(q0, dv)), dv, 1e-10, "and back")
    near(robot.interpolate(q0, q1, 0.0)[:, :3], q0[:, :3], 1e-12, "the beginning")
    near(robot.difference(q0, robot.interpolate(q0, q1, 0.5)) * 2, robot.difference(q0, q1), 1e-9, "half the way")
    steps = 1e-6 * np.eye(robot.NV)
    a, b = robot.integrate_jacobians(q0, dv), robot.difference_jacobians(q0, q1)
    for k, h in enumerate(steps):
        here, there = robot.integrate(q0, dv), robot.difference(q0, q1)
        near(robot.difference(here, robot.integrate(robot.integrate(q0, h), dv)) * 1e6, a.dq[:, :, k], 1e-4, "dq")
        near(robot.difference(here, robot.integrate(q0, dv + h)) * 1e6, a.dv[:, :, k], 1e-4, "dv")
        near((robot.difference(robot.integrate(q0, h), q1) - there) * 1e6, b.dq0[:, :, k], 1e-4, "dq0")
        near((robot.difference(q0, robot.integrate(q1, h)) - there) * 1e6, b.dq1[:, :, k], 1e-4, "dq1")
    arm = load("iiwa14", functions=["rnea"])
    q = arm.random_configuration(np.random.default_rng(0).random((1000, 7)))
    assert (q >= arm.lower_limits()).all() and (q <= arm.upper_limits()).all() and np.ptp(q, axis=0).min() > 3


def steps():
    """Next states beside their formula, derivatives and Hessians beside differences."""
    options = {"base": "floating", "functions": ["aba"]}
    hyq = load("hyq", step="semi_implicit", **options)
    x = random(hyq, 5)
    q, v, tau, dt = x["q"], x["v"], x["tau"], 0.01
    next_v = v + dt * hyq.aba(q, v, tau)
    now = hyq.step(q, v, tau, dt)
    near(now.v, next_v, 1e-12, "velocity after a step")
    near(now.q, hyq.integrate(q, dt * next_v), 1e-12, "configuration after a step")
    assert now.q.shape == (5, hyq.nq) and hyq.step(q, v, tau, [0.0] * 5).q.shape == (5, hyq.nq)
    near(hyq.step(q[0], v[0], tau[0], dt).v, now.v[0], 0, "one state")
    for step in ("semi_implicit", "explicit", "rk4"):
        robot = load("hyq", step=step, **options)
        at, d = robot.step(q, v, tau, dt), robot.step_derivatives(q, v, tau, dt)
        near(d.q, at.q, 1e-12, "next configuration")
        of_q, of_v = np.random.default_rng(3).normal(size=(2, robot.nv))
        hessian = robot.step_hessian(q, v, tau, dt, of_q, of_v)
        names, h = ("q", "v", "tau"), 1e-5
        for j, unit in enumerate(np.eye(robot.nv)):
            for k, name in enumerate(names):
                changes = []
                for sign in (-h, h):
                    moved = [robot.integrate(q, sign * unit) if k == 0 else q, v, tau]
                    moved[k] = moved[k] if k == 0 else moved[k] + sign * unit
                    there = robot.step(*moved, dt)
                    gradients = robot.step_derivatives(*moved, dt)
                    # At another state the weight is of another tangent space: the gradient of what the Hessian is of.
                    back = robot.difference_jacobians(at.q, there.q).dq1
                    weight = np.einsum("i,...ij->...j", of_q, back)
                    of = [
                        np.einsum("...i,...ij->...j", weight, getattr(gradients, f"dq_d{of}"))
                        + np.einsum("i,...ij->...j", of_v, getattr(gradients, f"dv_d{of}"))
                        for of in names[: k + 1]
                    ]
                    changes.append((robot.difference(at.q, there.q), there.v, *of))
                dq, dv, *of = [(b - a) / (2 * h) for a, b in zip(*changes)]
                near(getattr(d, f"dq_d{name}")[..., j], dq, 1e-6, f"dq_d{name} of {step}")
                near(getattr(d, f"dv_d{name}")[..., j], dv, 1e-6, f"dv_d{name} of {step}")
                for other, found in zip(names, of):
                    near(getattr(hessian, f"d{other}d{name}")[..., j], found, 1e-5, f"d{other}d{name} of {step}")


def parameters():
    """Inertia and gravity of each state."""
    options = {"functions": ["rnea", "aba_derivatives", "rnea_parameter_derivatives"]}
    robot = load("double_pendulum", inertia=["link1"], loads=["link2"], gravity="runtime", **options)
    assert robot.INERTIAS == ("link1", "link2")
    inertia, gravity = robot.default_inertia(), robot.default_gravity()
    assert inertia.shape == (2, 10) and (inertia[1] == 0).all() and inertia[0, 0] > 0
    x = random(robot, 6)
    q, v, a = x["q"], x["v"], x["a"]
    near(robot.rnea(q, v, a), load(functions=["rnea"]).rnea(q, v, a), 1e-12, "defaults")
    near(robot.rnea(q, v, a, inertia=inertia, gravity=gravity), robot.rnea(q, v, a), 0, "defaults that are given")
    inertias = inertia + np.arange(6)[:, None, None] * [[[0.1] + [0.0] * 9]]
    each = robot.rnea(q, v, a, inertia=inertias)
    for k in range(6):
        near(each[k], robot.rnea(q[k], v[k], a[k], inertia=inertias[k]), 1e-12, "inertia of each state")
    moon = robot.rnea(q, 0 * v, 0 * a, gravity=[0, 0, -1.62])
    near(moon, robot.rnea(q, 0 * v, 0 * a) * 1.62 / 9.81, 1e-12, "gravity of the moon")
    d = robot.rnea_parameter_derivatives(q, v, a)
    near((each - robot.rnea(q, v, a))[3], d.dtau_dinertia[3, :, :, 0].sum(axis=1) * 0.3, 1e-9, "linear in the mass")


def errors():
    """Each says where, what and what to do."""
    robot = load(base="floating")
    x = random(robot)
    q, v, a = x["q"], x["v"], x["a"]
    rnea, d = robot.rnea, robot.rnea_derivatives(q, v, a)
    locked = np.zeros(robot.NV)
    locked.flags.writeable = False
    for call, kind, said in [
        (lambda: rnea(q[:5], v, a), ValueError, "rnea: q has shape (5,); it must be (9,), or (..., 9) for many states"),
        (lambda: rnea(q, v[:5], a), ValueError, "rnea: v has shape (5,); it must be (8,)"),
        (lambda: rnea(q, np.zeros((3, 8)), np.zeros((5, 8))), ValueError, "rnea: a has states (5,), which do not fit (3,)"),
        (lambda: rnea(q, v), TypeError, "rnea() was not given a"),
        (lambda: rnea(q, v, a, a), TypeError, "rnea() takes 3 positional arguments, and was given 4"),
        (lambda: rnea(q, v, a, v=v), TypeError, "rnea() was given v twice"),
        (lambda: rnea(q, v, a, u=v), TypeError, "rnea() has no argument 'u'"),
        (lambda: rnea(q, v, None), TypeError, "rnea: a is of type NoneType; it must be an array of real numbers"),
        (lambda: rnea(q, v * 1j, a), TypeError, "rnea: v is of type complex128"),
        (lambda: rnea(q, v, a, out=np.zeros(7)), ValueError, "rnea: out for tau has shape (7,); it must be (8,)"),
        (lambda: rnea(q, v, a, out=locked), ValueError, "rnea: out for tau cannot be written to"),
        (lambda: rnea(q, v, a, out=a), ValueError, "rnea: out for tau overlaps another array of the call"),
        (lambda: rnea(q, v, a, out=np.zeros(8, np.float32)), TypeError, "rnea: out for tau must be a numpy array of float64"),
        (lambda: robot.rnea_derivatives(q, v, a, out=d.tau), TypeError, "a tuple RneaDerivatives of tau, dtau_dq"),
        (lambda: rnea(q, v, a, threads="all"), ValueError, "rnea: threads is 'all'; it must be True, False or a number"),
        (lambda: robot.frame_placement(q, "hand"), ValueError, 'frame_placement: frame is "hand"; it must be one of "link2"'),
        (lambda: robot.frame_jacobian(q, "link2", "body"), ValueError, 'reference is "body"; it must be one of "local"'),
        (lambda: robot.rnaa, AttributeError, "no attribute or function 'rnaa'"),
        (lambda: load(functions=["rnea"]).aba, AttributeError, "`aba` is not among the functions that this robot was loaded with"),
        (lambda: load(functions=["aba"]).step, AttributeError, "`step` comes with the option `step`"),
        (lambda: load(step="midpoint"), ValueError, "semi_implicit"),
        (lambda: load(step=4), TypeError, "step=4 is not what the option takes"),
        (lambda: load(functions=["rneo"]), ValueError, "did you mean `rnea`?"),
        (lambda: load(functions=["aba"], step="rk4", actuated=["elbow"]), ValueError, "elbow"),
        (lambda: load(functions=["aba"], step="rk4").actuated_step, AttributeError, "`actuated=` of rbd.load names joints with motors"),
        (lambda: load(base="free"), TypeError, "base='free' is not what the option takes"),
        (lambda: load(bases="fixed"), TypeError, "no option 'bases'; there are actuated, allow,"),
        (lambda: load(lock={"elbow": 1.0}), ValueError, "elbow"),
        (lambda: rbd.load_text("<robot name='r'><link/></robot>"), ValueError, "robot.urdf:1:17"),
        (lambda: rbd.load("nowhere.urdf"), FileNotFoundError, "nowhere.urdf"),
    ]:
        refused(call, kind, said)
    assert rnea(q, locked, a).shape == (8,)


def options():
    """Every option of the generator is one of `load`, or is listed here."""
    assert set(rbd._core.option_names()) - set(rbd._WRITERS) == {"urdf"}
    robot = load("iiwa14", lock={"iiwa_joint_7": 0.5}, armature={"iiwa_joint_1": 0.1}, gravity=(0, 0, -1.62), damping=True)
    assert robot.NV == 6 and robot.JOINTS[0].armature == 0.1 and robot.default_gravity()[2] == -1.62
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        load(allow=None)
    assert any(w.category is rbd.UrdfWarning and "damping-ignored" in str(w.message) for w in said)


def engines():
    """AVX-512 and AVX2 give the same bits, alone and in batches; without machine code answers are near."""
    of = ["dynamics", "bodies", "centroidal", "energy", "coriolis", "regressors", "frames"]
    for name, base in (("iiwa14", "fixed"), ("hyq", "floating"), ("double_pendulum", "floating")):
        there = {}
        for engine in ("avx512", "avx2", "interpreter"):
            try:
                there[engine] = load(name, base=base, engine=engine, functions=of)
            except RuntimeError as error:
                assert "this processor has no" in str(error), error
                print(f"engines: no {engine}")
                continue
            assert there[engine].engine == engine
            assert pickle.loads(pickle.dumps(there[engine])) is there[engine]
        first, *others = there.values()
        for n in ((), (21,)):
            for other in others:
                for (key, f, given), (_, g, _) in zip(calls(first, *n), calls(other, *n), strict=True):
                    for x, y in zip(arrays(f(*given)), arrays(g(*given)), strict=True):
                        what = f"{name}: {key} by {first.engine} and {other.engine}"
                        if "interpreter" in (first.engine, other.engine):
                            near(x, y, 1e-9, what)
                        else:
                            assert x.tobytes() == y.tobytes(), f"{what} differ by {np.abs(x - y).max()}"
    refused(lambda: load(engine="sse2"), ValueError, 'engine is "sse2"; it must be one of avx512, avx2, interpreter')


def describes_itself():
    """Sizes, joints, documentation; a stub that lists what there is."""
    robot = load(base="floating")
    assert (robot.NQ, robot.NV, robot.NB, robot.NAME) == (9, 8, 3, "2dof_planar")
    assert (robot.nq, robot.nv, robot.nb) == (9, 8, 3)
    assert robot.joint_names == ("root_joint", "joint1", "joint2") and robot.FRAMES == ("link2",)
    base, joint, _ = robot.JOINTS
    assert (base.kind, base.nq, base.nv, base.parent) == ("floating", 7, 6, None)
    assert (joint.kind, joint.idx_q, joint.idx_v, joint.parent, joint.damping) == ("revolute", 7, 6, 0, 0.05)
    near(robot.neutral(), [0, 0, 0, 0, 0, 0, 1, 0, 0], 0, "neutral")
    assert robot.lower_limits()[0] == -math.inf and robot.lower_limits()[7] == 0.0
    assert robot.velocity_limits().shape == robot.effort_limits().shape == (8,)
    order = robot.pinocchio_order(["universe", "joint2", "root_joint", "joint1"])
    assert list(order.q) == [8, *range(8)] and list(order.v) == [7, *range(7)]
    refused(lambda: robot.pinocchio_order(["elbow"]), ValueError, 'there is no joint "elbow"')
    legs = load("hyq", base="floating", functions=["rnea"])
    assert list(legs.pinocchio_order().v) != list(range(legs.NV))
    legs = load("hyq", base="floating", functions=["crba"])
    structure, m = legs.structure("crba", "m"), legs.crba(random(legs)["q"])
    # Legs share no path, so that their entries of M are zero.
    assert structure.dtype == bool and structure.shape == (18, 18) and structure.sum() == 196
    assert (structure == (m != 0)).all()
    refused(lambda: legs.structure("crba", "minv"), ValueError, "crba has no matrix 'minv'; its results are m")
    refused(lambda: legs.structure("minv", "minv"), ValueError, "minv")
    for name, function in robot.functions.items():
        assert function.__name__ == name and function is getattr(robot, name)
        assert list(inspect.signature(function).parameters)[-2:] == ["out", "threads"]
        for argument, _ in function.inputs + function.outputs:
            assert f"`{argument}`" in function.__doc__, f"{name} says nothing of {argument}"
    assert repr(robot.rnea) == "<function rnea(q, v, a, *, out=None, threads=False) of 2dof_planar>"
    folder = pathlib.Path(rbd.__file__).parent
    assert (folder / "py.typed").is_file()
    stub = ast.parse((folder / "_core.pyi").read_text())
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    for name, node in classes.items():
        methods = {x.name for x in node.body if isinstance(x, ast.FunctionDef) and not x.name.startswith("__")}
        there = {x for x in dir(getattr(rbd, name)) if not x.startswith("_")}
        assert methods == there, f"{name}: {methods ^ there}"


def there(robot, q):
    return robot.gravity(q), robot.rnea_derivatives


def travels():
    """Robots, functions and results are pickled; processes that are forked go on."""
    robot = load()
    assert pickle.loads(pickle.dumps(robot)) is robot
    x = random(robot, 3)
    d = robot.rnea_derivatives(x["q"], x["v"], x["a"])
    again = pickle.loads(pickle.dumps(d))
    assert type(again) is rbd.results.RneaDerivatives and (again.dtau_dq == d.dtau_dq).all()
    robot.gravity(x["q"], threads=True)
    for how in ("fork", "spawn"):
        with multiprocessing.get_context(how).Pool(1) as pool:
            tau, function = pool.apply(there, (robot, x["q"]))
        near(tau, robot.gravity(x["q"]), 0, how)
        near(function(x["q"], x["v"], x["a"]).tau, d.tau, 0, how)


def releases_the_interpreter():
    """Another thread goes on while a batch is computed."""
    robot, n = load("iiwa14", functions=["aba"]), 4096
    while True:
        x = random(robot, n)
        start = time.perf_counter()
        robot.aba(x["q"], x["v"], x["tau"])
        if time.perf_counter() - start > 0.2:
            break
        n *= 2
    done, ticks = threading.Event(), 0
    worker = threading.Thread(target=lambda: (robot.aba(x["q"], x["v"], x["tau"]), done.set()))
    worker.start()
    while not done.is_set():
        time.sleep(0.002)
        ticks += 1
    worker.join()
    assert ticks > 10, f"{ticks} steps beside a batch"


def leaks_nothing():
    """Calls leave no object and no memory behind, and robots that are dropped neither."""
    robot = load()
    x = random(robot)
    q, v, a = x["q"], x["v"], x["a"]
    out, batch = robot.rnea(q, v, a), random(robot, 3)

    def some(times):
        for _ in range(times):
            robot.rnea(q, v, a)
            robot.rnea(q, v, a, out=out)
            robot.rnea_derivatives(batch["q"], batch["v"], batch["a"])
            try:
                robot.rnea(q, v, a[:1])
            except ValueError:
                pass

    def held():
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) if sys.platform == "linux" else 0
        return sys.getallocatedblocks(), pages * 4096

    some(1000)
    before = [sys.getrefcount(x) for x in (q, v, a, out)]
    blocks, memory = held()
    some(25_000)
    more_blocks, more_memory = held()
    assert [sys.getrefcount(x) for x in (q, v, a, out)] == before
    assert more_blocks - blocks < 1000, f"{more_blocks - blocks} objects left"
    assert more_memory - memory < 4_000_000, f"{more_memory - memory} bytes left"
    for k in range(30):
        if k == 10:
            _, memory = held()
        assert load(functions=["rnea"], gravity=(0, 0, -9 - k / 8)).rnea(q, v, a).shape == (2,)
    _, more_memory = held()
    assert more_memory - memory < 8_000_000, f"{more_memory - memory} bytes left by robots"


def arm():
    """An arm of seven joints: values, states side by side, results that are given, errors, and another process. And a robot
    with the functions that have the most arguments and results."""
    standing = load("double_pendulum", base="floating", functions=["aba"], contacts=["link2"], step="semi_implicit")
    assert {"contact_step_derivatives", "friction_step_with_joints_derivatives"} <= set(dir(standing))
    values([("iiwa14", "fixed")])
    robot = load("iiwa14")
    for name, f, given in calls(robot, 11):
        many = arrays(f(*given))
        for found, expected in zip(many, arrays(f(*(x[10] for x in given))), strict=True):
            near(found[10], expected, 1e-12, f"{name}, the last of eleven states")
    leaves_zeros()
    q, tau = np.zeros(7), np.empty(7)
    assert robot.gravity(q, out=tau) is tau
    refused(lambda: robot.gravity(np.zeros(6)), ValueError, "7")
    again = pickle.loads(pickle.dumps(robot))
    assert (again.rnea(q, q, q) == robot.rnea(q, q, q)).all()


def main():
    if sys.argv[3:] == ["arm"]:
        return arm()
    for check in (
        *(values, states, leaves_zeros, broadcasts, laws, manifold, steps, parameters, errors, options, engines, describes_itself, travels),
        *(releases_the_interpreter, leaks_nothing),
    ):
        start = time.perf_counter()
        check()
        print(f"{check.__name__}: {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
