"""What a wheel must do. `run.py` calls it where the wheel is installed.

Values are compared with the stored ones of Pinocchio, with differences of other functions, and with laws between functions.
"""

import ast
import inspect
import json
import pathlib
import pickle
import sys
import threading
import time

import numpy as np
import pendulum as robot

NQ, NV, NB = 9, 8, 3
WORLD = "local_world_aligned"


def near(found, expected, tolerance, what):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}"
    error = np.abs(found - expected).max(initial=0) / max(np.abs(expected).max(initial=0), 1e-3)
    assert error <= tolerance, f"{what}: differs by {error:.1e}"


def stored(path):
    file = json.loads(pathlib.Path(path).read_text())
    states = [{k: np.array(x) if k != "frames" else x for k, x in s.items()} for s in file["states"]]
    return states, {k: np.array(x) for k, x in file["manifold"].items()}


def values(states, manifold):
    """Against Pinocchio's."""
    for s in states:
        q, v, a, tau, fext = (s[k] for k in ("q", "v", "a", "tau", "fext"))
        for name, found in {
            "rnea": robot.rnea(q, v, a),
            "rnea_fext": robot.rnea_fext(q, v, a, fext),
            "bias": robot.bias(q, v),
            "gravity": robot.gravity(q),
            "aba": robot.aba(q, v, tau),
            "aba_fext": robot.aba_fext(q, v, tau, fext),
            "crba": robot.crba(q),
            "minv": robot.minv(q),
            "com": robot.center_of_mass(q),
            "kinetic_energy": robot.kinetic_energy(q, v),
            "potential_energy": robot.potential_energy(q),
            "centroidal_momentum_matrix": robot.centroidal_momentum_matrix(q),
            "coriolis_matrix": robot.coriolis_matrix(q, v),
        }.items():
            near(found, s[name], 1e-10, name)
        d, e = robot.rnea_derivatives(q, v, a), robot.aba_derivatives(q, v, tau)
        f, g = robot.rnea_derivatives_fext(q, v, a, fext), robot.aba_derivatives_fext(q, v, tau, fext)
        for name, found in {
            "dtau_dq": d.dtau_dq,
            "dtau_dv": d.dtau_dv,
            "crba": d.dtau_da,
            "rnea": d.tau,
            "ddq_dq": e.ddq_dq,
            "ddq_dv": e.ddq_dv,
            "minv": e.ddq_dtau,
            "dtau_dq_fext": f.dtau_dq,
            "ddq_dq_fext": g.ddq_dq,
            "ddq_dv_fext": g.ddq_dv,
        }.items():
            near(found, s[name], 1e-9, name)
        # Links are the frames of joints here.
        for pose, frame in zip(robot.forward_kinematics(q), s["frames"], strict=True):
            near(pose[:3, :3], frame["rotation"], 1e-12, "rotation")
            near(pose[:3, 3], frame["translation"], 1e-12, "translation")
            near(pose[3], [0, 0, 0, 1], 0, "last row of a pose")
        tip = s["frames"][-1]
        assert robot.FRAMES == (tip["link"],)
        jacobian = robot.frame_jacobian(q, tip["link"], "local")
        near(jacobian, tip["jacobian"], 1e-12, "frame_jacobian")
        near(robot.frame_velocity(q, v, tip["link"], "local"), tip["velocity"], 1e-12, "frame_velocity")
        near(robot.frame_placement(q, tip["link"]), robot.forward_kinematics(q)[-1], 1e-12, "frame_placement")
        turn = np.kron(np.eye(2), np.array(tip["rotation"]))
        near(robot.frame_jacobian(q, tip["link"], WORLD), turn @ jacobian, 1e-12, "frame_jacobian in the world's axes")
    near(robot.integrate(manifold["q0"], manifold["dv"]), manifold["integrate"], 1e-12, "integrate")
    near(robot.difference(manifold["q0"], manifold["q1"]), manifold["difference"], 1e-11, "difference")


def difference(f, q, step=1e-6):
    """Element [.., j] is the derivative of f along coordinate j, by differences."""
    along = np.eye(NV) * step
    columns = [(f(robot.integrate(q, e)) - f(robot.integrate(q, -e))) / (2 * step) for e in along]
    return np.stack(columns, axis=-1)


def derivatives(s):
    """Element [i, j] is that of output i by coordinate j: against differences."""
    q, v, a, tau, mu = s["q"], s["v"], s["a"], s["tau"], np.linspace(-1, 1, NV)
    d = robot.rnea_derivatives(q, v, a)
    assert np.abs(d.dtau_dq - d.dtau_dq.T).max() > 0.1, "an order by columns would not be seen"
    near(d.dtau_dq, difference(lambda q: robot.rnea(q, v, a), q), 1e-7, "dtau_dq")
    h = robot.rnea_hessian(q, v, a, mu)
    near(h.value, mu @ d.tau, 1e-12, "value")
    near(h.dq, mu @ d.dtau_dq, 1e-11, "dq")
    near(h.dqdq, difference(lambda q: robot.rnea_hessian(q, v, a, mu).dq, q), 1e-7, "dqdq")
    near(h.dqdv.T, difference(lambda q: robot.rnea_hessian(q, v, a, mu).dv, q), 1e-7, "dqdv")
    t = robot.rnea_second_derivatives(q, v, a)
    near(t.d2tau_dqdq, difference(lambda q: robot.rnea_derivatives(q, v, a).dtau_dq, q), 1e-7, "d2tau_dqdq")
    dtau_dv = lambda q: robot.rnea_derivatives(q, v, a).dtau_dv
    near(np.swapaxes(t.d2tau_dqdv, 1, 2), difference(dtau_dv, q), 1e-7, "d2tau_dqdv")
    h = robot.aba_hessian(q, v, tau, lambda_=mu)
    near(h.dqdq, difference(lambda q: robot.aba_hessian(q, v, tau, mu).dq, q), 1e-6, "dqdq of aba")
    t = robot.aba_second_derivatives(q, v, tau)
    near(t.d2ddq_dqdq, difference(lambda q: robot.aba_derivatives(q, v, tau).ddq_dq, q), 1e-6, "d2ddq_dqdq")
    c = robot.centroidal_derivatives(q, v, a)
    near(c.drate_dq, difference(lambda q: robot.centroidal_momentum_rate(q, v, a), q), 1e-7, "drate_dq")
    near(robot.kinetic_energy_derivatives(q, v).denergy_dv, robot.crba(q) @ v, 1e-12, "denergy_dv")
    f = robot.frame_acceleration_derivatives(q, v, a, robot.FRAMES[0], "world")
    acceleration = lambda q: robot.frame_acceleration(q, v, a, robot.FRAMES[0], "world")
    near(f.da_dq, difference(acceleration, q), 1e-7, "da_dq")


def moves(manifold):
    """The manifold: Jacobians against differences, the way between configurations, limits of random ones."""
    q0, q1, dv = (manifold[k] for k in ("q0", "q1", "dv"))
    to = robot.integrate(q0, dv)
    after = lambda q: robot.difference(to, q)
    d = robot.integrate_jacobians(q0, dv)
    assert d._fields == ("dq", "dv")
    near(d.dq, difference(lambda q: after(robot.integrate(q, dv)), q0), 1e-7, "dq")
    by_dv = [after(robot.integrate(q0, dv + e)) - after(robot.integrate(q0, dv - e)) for e in np.eye(NV) * 1e-6]
    near(d.dv, np.stack(by_dv, axis=-1) / 2e-6, 1e-7, "dv")
    d = robot.difference_jacobians(q0, q1)
    assert d._fields == ("dq0", "dq1")
    near(d.dq0, difference(lambda q: robot.difference(q, q1), q0), 1e-7, "dq0")
    near(d.dq1, difference(lambda q: robot.difference(q0, q), q1), 1e-7, "dq1")
    # One time for all states or each its own, as a number, an array, or one of numpy's.
    many = [np.tile(q, (5, 1)) for q in (q0, q1)]
    times = np.linspace(0, 1, 5)
    way = robot.interpolate(*many, times)
    for t, q in zip(times, way, strict=True):
        near(q, robot.integrate(q0, t * robot.difference(q0, q1)), 1e-12, f"at {t}")
        near(q, robot.interpolate(q0, q1, t), 1e-12, f"one state at {t}")
        assert (robot.interpolate(q0, q1, t) == robot.interpolate(q0, q1, np.array(t))).all()
    assert (robot.interpolate(*many, 0.5) == way[2]).all() and (robot.interpolate(*many, 1, threads=True) == way[4]).all()
    single = [q.astype(np.float32) for q in many]
    assert robot.interpolate(*single, 0.5).dtype == np.float32
    near(robot.interpolate(*single, 0.5), robot.interpolate(*many, 0.5), 1e-5, "single precision")
    for t, kind, said in [
        ("half", TypeError, "interpolate: t is of type str; it must be a numpy array of float64"),
        (times[:3], ValueError, "interpolate: t has shape (3,); it must be (5,), as q0 has 5 states"),
    ]:
        refused(lambda: robot.interpolate(*many, t), kind, said)
    uniform = np.random.default_rng(5).random((1000, NV))
    q = robot.random_configuration(uniform)
    near(np.linalg.norm(q[:, 3:7], axis=1), np.ones(1000), 1e-14, "quaternions")
    assert np.abs(q[:, :3]).max() <= 1 and np.abs(q[:, :3].mean(axis=0)).max() < 0.1
    assert np.abs(q[:, 3:7].mean(axis=0)).max() < 0.1
    lower, upper = robot.lower_limits()[7:], robot.upper_limits()[7:]
    assert (q[:, 7:] >= lower).all() and (q[:, 7:] <= upper).all()
    near(robot.random_configuration(np.zeros(NV))[7:], lower, 1e-15, "of zeros")


def random(states, seed=1):
    rng = np.random.default_rng(seed)
    q = robot.integrate(np.tile(robot.neutral(), (states, 1)), rng.normal(size=(states, NV)))
    return q, rng.normal(size=(states, NV)), rng.normal(size=(states, NV))


def regressors():
    """Parameters that explain torques explain the energies too."""
    q, v, a = random(40)
    y = robot.regressor(q, v, a)
    assert y.shape == (40, NV, NB, 10)
    pi = np.linalg.lstsq(y.reshape(-1, NB * 10), robot.rnea(q, v, a).ravel(), rcond=None)[0]
    q, v, a = random(7, seed=2)
    near(robot.regressor(q, v, a).reshape(7, NV, -1) @ pi, robot.rnea(q, v, a), 1e-10, "torques by regressor")
    kinetic = robot.kinetic_energy_regressor(q, v)
    assert kinetic.shape == (7, NB, 10)
    near(kinetic.reshape(7, -1) @ pi, robot.kinetic_energy(q, v), 1e-10, "kinetic energy by regressor")
    potential = robot.potential_energy_regressor(q).reshape(7, -1) @ pi
    near(potential, robot.potential_energy(q), 1e-10, "potential energy by regressor")


def arrays(result):
    return list(result) if isinstance(result, tuple) else [result]


def calls(states):
    """Every function, on so many states: by name, a function and its arrays."""
    q, v, a = random(states)
    more = {"q": q, "v": v, "a": a, "tau": v + a, "fext": np.sin(np.arange(states * NB * 6)).reshape(-1, NB, 6)}
    more |= {"t": np.linspace(0, 1, states), "uniform": np.abs(np.sin(v))}
    more |= {"mu": a - v, "lambda_": a - 2 * v, "dv": v, "q0": q, "q1": q[::-1].copy()}
    for name in functions():
        names = list(inspect.signature(getattr(robot, name)).parameters)
        given = [more[p] for p in names if p in more]
        if given:
            rest = {p: x for p, x in (("frame", robot.FRAMES[0]), ("reference", WORLD)) if p in names}
            yield name, (lambda *x, f=getattr(robot, name), rest=rest, **y: f(*x, **rest, **y)), given


def functions():
    return [name for name, f in vars(robot).items() if inspect.isbuiltin(f)]


def batches():
    """As one by one, on any number of states; in single precision; on threads to the last bit; into given arrays."""
    for states in [0, 1, 3, 4, 5, 8, 11, 16, 17, 100]:
        for name, f, given in calls(states):
            many = arrays(f(*given))
            assert all(x.dtype == np.float64 and x.shape[0] == states and x.flags.c_contiguous for x in many)
            for k in range(states):
                for found, expected in zip(many, arrays(f(*(x[k] for x in given))), strict=True):
                    near(found[k], expected, 1e-9, f"{name}, state {k} of {states}")
    for name, f, given in calls(1000):
        for numbers, tolerance in ((np.float64, 0), (np.float32, 2e-2)):
            x = [x.astype(numbers) for x in given]
            single = f(*x)
            assert all(y.dtype == numbers for y in arrays(single))
            filled = [np.full_like(y, 7) for y in arrays(single)]
            out = type(single)(*filled) if isinstance(single, tuple) else filled[0]
            assert f(*x, out=out, threads=True) is out
            for found, expected, exact in zip(arrays(out), arrays(single), arrays(f(*given)), strict=True):
                assert (found == expected).all(), f"{name} on threads"
                near(expected, exact, tolerance, f"{name} in {numbers.__name__}")
        one = [x[0] for x in given]
        result = f(*one)
        out = tuple(map(np.zeros_like, result)) if isinstance(result, tuple) else np.zeros_like(result)
        assert f(*one, out=out) is out
        assert all((x == y).all() for x, y in zip(arrays(out), arrays(result), strict=True)), name


def threads_by_work():
    """A batch of little work starts no thread; one of much does."""
    if sys.platform != "linux":
        return
    count = lambda: len(list(pathlib.Path("/proc/self/task").iterdir()))
    few, many = random(100), random(100_000)
    alone = count()
    robot.gravity(few[0], threads=True)
    robot.rnea(*few, threads=True)
    assert count() == alone
    robot.rnea(*many, threads=True)
    assert count() > alone


def refused(call, kind, said):
    try:
        call()
    except kind as error:
        assert said in str(error), f"{error} does not say: {said}"
        assert "\n" not in str(error)
    else:
        raise AssertionError(f"not refused: {said}")


def errors():
    """Each in one sentence that names the argument."""
    q, v, a = random(5)
    one = [x[0] for x in (q, v, a)]
    rnea = robot.rnea
    locked = np.zeros(NV)
    locked.flags.writeable = False
    odd = np.frombuffer(bytes(8 * NV + 1), dtype=np.uint8)[1:].view(np.float64)
    wide, d = np.zeros((5, 2 * NV)), robot.rnea_derivatives(*one)
    for call, kind, said in [
        (lambda: rnea(one[0][:5], *one[1:]), ValueError, "rnea: q has shape (5,); it must be (9,) or (states, 9)"),
        (lambda: rnea(one[0], one[1][:5], one[2]), ValueError, "rnea: v has shape (5,); it must be (8,), as q is of one state"),
        (lambda: rnea(q, v[:3], a), ValueError, "rnea: v has shape (3, 8); it must be (5, 8), as q has 5 states"),
        (lambda: rnea(q, one[1], a), ValueError, "rnea: v has shape (8,); it must be (5, 8), as q has 5 states"),
        (lambda: rnea(q, wide[:, ::2], a), ValueError, "rnea: v must be contiguous in C's order, and has strides (128, 16)"),
        (lambda: rnea(np.asfortranarray(q), v, a), ValueError, "rnea: q must be contiguous in C's order"),
        (lambda: rnea(one[0], odd, one[2]), ValueError, "rnea: v must be contiguous in C's order"),
        (lambda: rnea(q, v.astype(np.float32), a), TypeError, "rnea: v is of float32; it must be of float64, as q is"),
        (lambda: rnea(q, v.astype(int), a), TypeError, "rnea: v is of int64; it must be float64 or float32"),
        (lambda: rnea(q.astype(">f8"), v, a), TypeError, "rnea: q is of >f8; it must be float64 or float32"),
        (lambda: rnea([0.0] * NQ, *one[1:]), TypeError, "rnea: q is of type list; it must be a numpy array of float64"),
        (lambda: rnea(*one[:2], None), TypeError, "rnea: a is of type NoneType; it must be a numpy array"),
        (lambda: rnea(*one, out=np.zeros(7)), ValueError, "rnea: out has shape (7,); it must be (8,), as q is of one state"),
        (lambda: rnea(*one, out=locked), ValueError, "rnea: out cannot be written to"),
        (lambda: rnea(*one, out=one[2]), ValueError, "rnea: out for tau overlaps another array of the call"),
        (lambda: rnea(q, v, a, out=a), ValueError, "rnea: out for tau overlaps another array of the call"),
        (lambda: rnea(*one, out=np.zeros(NV, np.float32)), TypeError, "rnea: out is of float32; it must be of float64"),
        (lambda: robot.rnea_derivatives(*one, out=d.tau), TypeError, "out must be what it returns, a tuple RneaDerivatives of tau,"),
        (lambda: robot.rnea_derivatives(*one, out=(*d[:3], d[2])), ValueError, "out for dtau_da overlaps another array"),
        (lambda: robot.frame_placement(one[0], "hand"), ValueError, 'frame_placement: frame is "hand"; it must be one of "link2"'),
        (lambda: robot.frame_jacobian(one[0], "link2", "body"), ValueError, 'frame_jacobian: reference is "body"; it must be one of "local",'),
    ]:
        refused(call, kind, said)
    # What may not be written to can be read.
    assert rnea(one[0], locked, one[2]).shape == (NV,)
    locked.flags.writeable = True


def releases_the_interpreter():
    """Another thread goes on while a batch is computed."""
    states = 4096
    while True:
        q, v, a = random(states)
        start = time.perf_counter()
        robot.aba(q, v, a)
        if time.perf_counter() - start > 0.2:
            break
        states *= 2
    done, ticks = threading.Event(), 0
    worker = threading.Thread(target=lambda: (robot.aba(q, v, a), done.set()))
    worker.start()
    while not done.is_set():
        time.sleep(0.002)
        ticks += 1
    worker.join()
    # With the interpreter held it would be two or three, before and after the call.
    assert ticks > 10, f"{ticks} steps beside a batch"


def leaks_nothing():
    """A hundred thousand calls leave no object and no memory behind."""
    q, v, a = (x[0] for x in random(1))
    out, batch = robot.rnea(q, v, a), random(3)

    def some(times):
        for _ in range(times):
            robot.rnea(q, v, a)
            robot.rnea(q, v, a, out=out)
            robot.rnea_derivatives(q, v, a)
            robot.rnea_derivatives(*batch)
            try:
                robot.rnea(q, v, a[:3])
            except ValueError:
                pass

    def held():
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) if sys.platform == "linux" else 0
        return sys.getallocatedblocks(), pages * 4096

    some(1000)
    before = [sys.getrefcount(x) for x in (q, v, a, out)]
    blocks, memory = held()
    some(20_000)
    more_blocks, more_memory = held()
    assert [sys.getrefcount(x) for x in (q, v, a, out)] == before
    assert more_blocks - blocks < 1000, f"{more_blocks - blocks} objects left"
    assert more_memory - memory < 4_000_000, f"{more_memory - memory} bytes left"


def describes_itself():
    """Sizes, joints, and a stub that lists what there is, with the same parameters."""
    assert (robot.NQ, robot.NV, robot.NB, robot.NAME) == (NQ, NV, NB, "2dof_planar")
    assert robot.joint_names == ("root_joint", "joint1", "joint2")
    base, joint, _ = robot.JOINTS
    assert (base.kind, base.nq, base.nv, base.parent) == ("floating", 7, 6, None)
    assert (joint.kind, joint.idx_q, joint.idx_v, joint.parent, joint.damping) == ("revolute", 7, 6, 0, 0.05)
    order = robot.pinocchio_order()
    assert (order.q == np.arange(NQ)).all() and (order.v == np.arange(NV)).all()
    other = robot.pinocchio_order(["universe", "joint2", "root_joint", "joint1"])
    assert list(other.q) == [8, *range(8)] and list(other.v) == [7, *range(7)]
    for names, said in {
        ("joint1", "joint2"): "the joint \"root_joint\" is missing",
        ("root_joint", "joint1", "joint1", "joint2"): "the joint \"joint1\" is there twice",
        ("elbow",): "there is no joint \"elbow\"",
    }.items():
        try:
            robot.pinocchio_order(list(names))
        except ValueError as error:
            assert str(error) == said, error
        else:
            raise AssertionError(f"{names} were taken")
    near(robot.neutral(), [0, 0, 0, 0, 0, 0, 1, 0, 0], 0, "neutral")
    assert robot.lower_limits()[0] == -np.inf and robot.lower_limits()[7] == 0.0
    assert robot.velocity_limits().shape == robot.effort_limits().shape == (NV,)
    d = robot.rnea_derivatives(*(x[0] for x in random(1)))
    assert d._fields == ("tau", "dtau_dq", "dtau_dv", "dtau_da")
    again = pickle.loads(pickle.dumps(d))
    assert type(again) is robot.RneaDerivatives and (again.dtau_dq == d.dtau_dq).all()
    folder = pathlib.Path(robot.__file__).parent
    assert (folder / "py.typed").is_file()
    stub = ast.parse((folder / "__init__.pyi").read_text())
    listed = {
        node.name: [x.arg for x in node.args.args + node.args.kwonlyargs]
        for node in stub.body
        if isinstance(node, ast.FunctionDef)
    }
    there = {name: list(inspect.signature(getattr(robot, name)).parameters) for name in functions()}
    assert listed == there
    assert all(getattr(robot, name).__doc__ for name in there)
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    for name, node in classes.items():
        fields = [x.target.id for x in node.body if isinstance(x, ast.AnnAssign)]
        assert fields == list(getattr(robot, name)._fields), name


def main():
    states, manifold = stored(sys.argv[1])
    checks = {
        # First, before any threads are there.
        "threads": threads_by_work,
        "values": lambda: values(states, manifold),
        "derivatives": lambda: derivatives(states[0]),
        "regressors": regressors,
        "manifold": lambda: moves(manifold),
        "batches": batches,
        "errors": errors,
        "interpreter": releases_the_interpreter,
        "leaks": leaks_nothing,
        "description": describes_itself,
    }
    for name, check in checks.items():
        check()
        print(f"{name}: right", flush=True)


if __name__ == "__main__":
    main()
