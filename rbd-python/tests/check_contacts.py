"""What robots with contacts, fused functions and second derivatives must do: `run.py` calls it where `rbd` is installed.

    check_contacts.py ROBOTS

By laws between functions: motion under contacts obeys Newton's law and holds the contacts.
"""

import pathlib
import pickle
import sys

import numpy as np

import rbd
from common import near

ROBOT = pathlib.Path(sys.argv[1]) / "double_pendulum.urdf"
OPTIONS = {"base": "floating", "allow": ["damping-ignored"]}
legs = rbd.load(
    ROBOT,
    functions=["rnea", "bias", "crba"],
    contacts=["base_link", "link2"],
    fused={"Step": ["tau", "ddq", "tool: placement(link2)", "com"]},
    **OPTIONS,
)

RNG = np.random.default_rng(3)


def refused(call, kind, said):
    try:
        call()
    except kind as error:
        assert said in str(error) and "\n" not in str(error), f"{error} does not say: {said}"
    else:
        raise AssertionError(f"not refused: {said}")


def random(states):
    q = legs.integrate(np.tile(legs.neutral(), (states, 1)), RNG.normal(size=(states, legs.NV)))
    return q, RNG.normal(size=(states, legs.NV)), RNG.normal(size=(states, legs.NV))


def fused():
    q, v, tau = random(20)
    a = tau - v
    s = legs.step(q, v, a, tau)
    assert s._fields == ("tau", "ddq", "tool", "com")
    near(s.tau, legs.rnea(q, v, a), 1e-13, "torques")
    near(np.einsum("sij,sj->si", legs.crba(q), s.ddq) + legs.bias(q, v), tau, 1e-11, "Newton's law")
    near(s.tool, legs.contact_placements(q)[:, 1], 1e-13, "a pose")
    near(legs.step(q[2], v[2], a[2], tau[2]).com, s.com[2], 1e-13, "one state")


def law(q, v, ddq, forces, jacobian):
    """M ddq + bias - J^T forces."""
    return legs.crba(q) @ ddq + legs.bias(q, v) - jacobian.T @ forces


def contacts():
    assert legs.CONTACTS == ("base_link", "link2") and legs.NC == 2
    assert legs.contact_rows["link2"] == slice(3, 6, 1)
    q, v, tau = random(6)
    for k in range(6):
        x, w, t = q[k], v[k], tau[k]
        for active in (["link2"], ["base_link", "link2"], []):
            jacobian = legs.contact_jacobian(x, active=active)
            mask = [name in active for name in legs.CONTACTS]
            now = legs.contact_dynamics(x, w, t, active=active)
            held = legs.contact_dynamics(x, w, t, active=np.array(mask))
            assert all((a == b).all() for a, b in zip(now, held)), "names and truth values"
            near(law(x, w, now.ddq, now.forces, jacobian), t, 1e-9, "Newton's law")
            assert np.abs(now.residual).max() < 1e-9
            still = legs.contact_dynamics(x, 0 * w, t, active=mask)
            assert np.abs(jacobian @ still.ddq).max() < 1e-9, "a contact that holds"
            for name, is_active in zip(legs.CONTACTS, mask):
                forces = now.forces[legs.contact_rows[name]]
                assert (forces != 0).all() if is_active else (forces == 0).all()
            near(legs.delassus(x, active=active), jacobian @ np.linalg.inv(legs.crba(x)) @ jacobian.T, 1e-9, "delassus")
            inverse = legs.contact_inverse_dynamics(x, w, now.ddq, now.forces)
            near(inverse, t, 1e-9, "inverse dynamics")
            hit = legs.contact_impulse(x, w, active=active, restitution=0.25)
            near(jacobian @ hit.v_plus, -0.25 * jacobian @ w, 1e-9, "an impact")
            near(legs.crba(x) @ (hit.v_plus - w), jacobian.T @ hit.impulses, 1e-9, "momentum")
    # By default all of them.
    assert (legs.contact_dynamics(q, v, tau).ddq == legs.contact_dynamics(q, v, tau, active=[True, True]).ddq).all()


def derivatives():
    q, v, tau = (x[0] for x in random(1))
    d = legs.contact_dynamics_derivatives(q, v, tau, active=["link2"])
    of = lambda q, v, tau: legs.contact_dynamics(q, v, tau, active=["link2"])
    # Accelerations are quadratic in v and linear in tau: their differences are exact with any step, and rounding is least with a
    # large one.
    for j, e in enumerate(np.eye(legs.NV)):
        by = {
            "dq": (1e-5, lambda x: of(legs.integrate(q, x), v, tau), 1e-6),
            "dv": (1e-2, lambda x: of(q, v + x, tau), 1e-9),
            "dtau": (1e-2, lambda x: of(q, v, tau + x), 1e-9),
        }
        for name, (step, at, tolerance) in by.items():
            plus, minus = at(step * e), at(-step * e)
            for quantity in ("ddq", "forces"):
                difference = (getattr(plus, quantity) - getattr(minus, quantity)) / (2 * step)
                known = getattr(d, f"{quantity}_{name}")
                worst = np.abs(known[:, j] - difference).max() / max(np.abs(known).max(), 1.0)
                assert worst < tolerance, f"{quantity}_{name}: {worst:.1e}"
    d = legs.contact_impulse_derivatives(q, v, active=["link2"], restitution=0.25)
    of = lambda q, v, e: legs.contact_impulse(q, v, active=["link2"], restitution=e)
    # Velocities after an impact are linear in those before it, and in the restitution.
    near(d.v_plus_drestitution, of(q, v, 1.25).v_plus - d.v_plus, 1e-9, "v_plus_drestitution")
    near(d.impulses_drestitution, of(q, v, 1.25).impulses - d.impulses, 1e-9, "impulses_drestitution")
    near(d.v_plus_dv @ v, d.v_plus, 1e-9, "v_plus_dv")
    near(d.impulses_dv @ v, d.impulses, 1e-9, "impulses_dv")
    for j, e in enumerate(np.eye(legs.NV)):
        plus, minus = (of(legs.integrate(q, x * e), v, 0.25) for x in (1e-5, -1e-5))
        near(d.v_plus_dq[:, j], (plus.v_plus - minus.v_plus) / 2e-5, 1e-6, "v_plus_dq")
        near(d.impulses_dq[:, j], (plus.impulses - minus.impulses) / 2e-5, 1e-6, "impulses_dq")


def settings():
    q, v, tau = (x[0] for x in random(1))
    there = legs.contact_placements(legs.integrate(q, 1e-3 * v))
    jacobian, errors = legs.contact_jacobian(q), legs.contact_errors(q, anchors=there)
    assert np.abs(errors).min() > 0
    pulled = legs.contact_dynamics(q, 0 * v, tau, kp=100.0, anchors=there)
    near(jacobian @ pulled.ddq, -100 * errors, 1e-8, "Baumgarte's stiffness")
    slowed = legs.contact_dynamics(q, v, tau, kd=20.0)
    plain = legs.contact_dynamics(q, v, tau)
    near(jacobian @ (slowed.ddq - plain.ddq), -20 * jacobian @ v, 1e-9, "Baumgarte's damping")
    there[1] = np.nan
    assert (legs.contact_errors(q, anchors=there)[3:] == 0).all()
    soft = legs.contact_dynamics(q, v, tau, mu=0.5)
    near(soft.residual, -0.5 * soft.forces, 1e-8, "a compliant contact")
    world = legs.contact_dynamics(q, v, tau, axes="local_world_aligned")
    first, second = legs.contact_placements(q)[:, :3, :3]
    turn = np.block([[first, np.zeros((3, 3))], [np.zeros((3, 3)), second]])
    near(world.forces, turn @ plain.forces, 1e-9, "forces in the world's axes")
    near(legs.contact_jacobian(q, axes="local_world_aligned"), turn @ jacobian, 1e-12, "a Jacobian in the world's axes")
    near(legs.delassus(q, axes="local_world_aligned"), turn @ legs.delassus(q) @ turn.T, 1e-9, "delassus")
    back = legs.contact_inverse_dynamics(q, v, world.ddq, world.forces, axes="local_world_aligned")
    near(back, tau, 1e-9, "torques under forces in the world's axes")


def batches():
    q, v, tau = random(37)
    for f, arguments in (
        (legs.contact_dynamics, (q, v, tau)),
        (legs.contact_dynamics_derivatives, (q, v, tau)),
        (legs.contact_placements, (q,)),
        (legs.step, (q, v, v, tau)),
    ):
        more = {"active": ["link2"]} if "dynamics" in f.__name__ else {}
        many = f(*arguments, **more)
        threads = f(*arguments, **more, threads=True)
        out = tuple(map(np.empty_like, many)) if isinstance(many, tuple) else np.empty_like(many)
        assert f(*arguments, **more, out=out) is out
        as_list = lambda x: list(x) if isinstance(x, tuple) else [x]
        for x, y, z in zip(as_list(many), as_list(threads), as_list(out)):
            assert (x == y).all() and (x == z).all(), f.__name__
        for k in (0, 36):
            for x, one in zip(as_list(many), as_list(f(*(a[k] for a in arguments), **more))):
                near(x[k], one, 1e-9, f.__name__)


def parameters():
    """Inertias and gravity of each state, by Newton's law."""
    options = {"contacts": ["base_link", "link2"], "functions": ["bias", "crba"], **OPTIONS}
    robot = rbd.load(ROBOT, inertia="all", gravity="runtime", **options)
    q, v, tau = random(6)
    near(robot.contact_dynamics(q, v, tau).ddq, legs.contact_dynamics(q, v, tau).ddq, 1e-9, "the URDF's")
    inertia = robot.default_inertia() * RNG.uniform(0.5, 2, size=(6, 1, 1))
    gravity = robot.default_gravity() + RNG.normal(size=(6, 3))
    given = {"inertia": inertia, "gravity": gravity}
    now = robot.contact_dynamics(q, v, tau, kd=5.0, active=["link2"], **given)
    jacobian, mass = robot.contact_jacobian(q, active=["link2"]), robot.crba(q, inertia=inertia)
    newton = np.einsum("sij,sj->si", mass, now.ddq) + robot.bias(q, v, **given) - np.einsum("sij,si->sj", jacobian, now.forces)
    near(newton, tau, 1e-9, "Newton's law")
    near(robot.contact_inverse_dynamics(q, v, now.ddq, now.forces, **given), tau, 1e-9, "inverse dynamics")
    expected = np.einsum("sij,sjk,slk->sil", jacobian, np.linalg.inv(mass), jacobian)
    near(robot.delassus(q, active=["link2"], **given), expected, 1e-9, "delassus")
    for k in range(6):
        alone = {"inertia": inertia[k], "gravity": gravity[k]}
        near(robot.contact_dynamics(q[k], v[k], tau[k], kd=5.0, active=["link2"], **alone).ddq, now.ddq[k], 1e-12, "alone")
    d = robot.contact_dynamics_derivatives(q[0], v[0], tau[0], active=["link2"], inertia=inertia[0], gravity=gravity[0])
    of = lambda x: robot.contact_dynamics(x, v[0], tau[0], active=["link2"], inertia=inertia[0], gravity=gravity[0])
    for j, e in enumerate(np.eye(robot.NV)):
        plus, minus = (of(robot.integrate(q[0], x * e)) for x in (1e-5, -1e-5))
        near((plus.ddq - minus.ddq) / 2e-5, d.ddq_dq[:, j], 1e-5, "ddq_dq")
    refused(lambda: robot.contact_jacobian(q, **given), TypeError, "contact_jacobian() has no argument 'inertia'")


def second_derivatives():
    robot = rbd.load(ROBOT, functions=["dynamics", "second_derivatives"], **OPTIONS)
    q, v, a = (x[0] for x in random(1))
    mu = RNG.normal(size=robot.NV)
    for name, first, by in (("rnea", "tau", "a"), ("aba", "ddq", "tau")):
        of = getattr(robot, f"{name}_derivatives")
        tensors = getattr(robot, f"{name}_second_derivatives")(q, v, a)
        fields = [field for field in tensors._fields if field.endswith("dqdq") or field.endswith("dvdv")]
        assert len(fields) == 2
        for k, e in enumerate(np.eye(robot.NV)):
            by_q = [getattr(of(robot.integrate(q, h * e), v, a), f"{'d' * (name == 'rnea')}{first}_dq") for h in (1e-5, -1e-5)]
            near((by_q[0] - by_q[1]) / 2e-5, getattr(tensors, fields[0])[:, :, k], 1e-6, f"{name}: {fields[0]}")
            by_v = [getattr(of(q, v + h * e, a), f"{'d' * (name == 'rnea')}{first}_dv") for h in (1e-3, -1e-3)]
            near((by_v[0] - by_v[1]) / 2e-3, getattr(tensors, fields[1])[:, :, k], 1e-8, f"{name}: {fields[1]}")
        many = getattr(robot, f"{name}_second_derivatives")(*(np.tile(x, (5, 1)) for x in (q, v, a)))
        for x, y in zip(many, tensors):
            near(x[3], y, 1e-12, f"{name}, batch")
    hessian = robot.rnea_hessian(q, v, a, mu)
    assert np.abs(hessian[1] - mu @ robot.rnea_derivatives(q, v, a).dtau_dq).max() < 1e-9


def hessians():
    robot = rbd.load(ROBOT, functions=["rnea_hessian"], contacts=["base_link", "link2"], **OPTIONS)
    q, v, tau = random(5)
    tau = 0.01 * tau
    weights, of_forces = RNG.normal(size=(5, robot.NV)), RNG.normal(size=(5, 6))
    how = {"active": ["link2"], "kd": 3.0, "axes": "local_world_aligned"}

    def gradient(q, v, tau):
        d = robot.contact_dynamics_derivatives(q, v, tau, **how)
        by = lambda name: [np.einsum("sij,si->sj", getattr(d, f"{of}_d{name}"), w) for of, w in (("ddq", weights), ("forces", of_forces))]
        return (weights * d.ddq).sum(1) + (of_forces * d.forces).sum(1), *(sum(by(name)) for name in ("q", "v", "tau"))

    h = robot.contact_dynamics_hessian(q, v, tau, weights, of_forces, **how)
    for name, found, expected in zip(h._fields, h, gradient(q, v, tau)):
        near(found, expected, 1e-10, name)
    along = RNG.normal(size=(5, robot.NV))
    size = 1e-5
    for by, name, moved in (
        ("dqdq", 1, lambda h: (robot.integrate(q, h * along), v, tau)),
        ("dqdv", 1, lambda h: (q, v + h * along, tau)),
        ("dvdv", 2, lambda h: (q, v + h * along, tau)),
        ("dqdtau", 1, lambda h: (q, v, tau + h * along)),
    ):
        difference = (gradient(*moved(size))[name] - gradient(*moved(-size))[name]) / (2 * size)
        near(np.einsum("sij,sj->si", getattr(h, by), along), difference, 1e-5, by)
    one = robot.contact_dynamics_hessian(q[2], v[2], tau[2], weights[2], of_forces[2], **how)
    for a, b, c in zip(one, h, robot.contact_dynamics_hessian(q, v, tau, weights, of_forces, **how, threads=True), strict=True):
        assert (a == b[2]).all() and (b == c).all()
    step_hessian(robot, q, v, tau, how)
    refused(lambda: robot.contact_dynamics_hessian(q, v, tau, weights, weights), ValueError, "kappa has shape (5, 8); it must be (6,)")
    refused(lambda: legs.contact_dynamics_hessian, AttributeError, "`rnea_hessian` is not among the functions")


def step_hessian(free, q, v, tau, how):
    """Weighted steps under contacts: the gradient of the derivatives, and its differences."""
    refused(lambda: free.contact_step_hessian, AttributeError, "comes with the option `step`")
    robot = rbd.load(ROBOT, functions=["aba"], contacts=["base_link", "link2"], step="rk4", **OPTIONS)
    refused(lambda: robot.contact_step_hessian, AttributeError, "`rnea_hessian` is not among the functions")
    options = {"functions": ["rnea_hessian"], "contacts": ["base_link", "link2"], "actuated": ["joint2"]} | OPTIONS
    for integrator in ("semi_implicit", "rk4"):
        robot = rbd.load(ROBOT, step=integrator, **options)
        # Weights of a configuration that turns move with it: differences do not say how.
        of_q, of_v, along = np.zeros((5, robot.NV)), *RNG.normal(size=(2, 5, robot.NV))

        def gradient(q, v, tau):
            d = robot.contact_step_derivatives(q, v, tau, 0.01, **how)
            return [np.einsum("sij,si->sj", by, of_v) for by in (d.dv_dq, d.dv_dv, d.dv_dtau)]

        h = robot.contact_step_hessian(q, v, tau, 0.01, of_q, of_v, **how)
        for name, found, expected in zip(("dq", "dv", "dtau"), h[1:4], gradient(q, v, tau), strict=True):
            near(found, expected, 1e-10, name)
        size = 1e-5
        for by, k, moved in (
            ("dqdq", 0, lambda h: (robot.integrate(q, h * along), v, tau)),
            ("dvdv", 1, lambda h: (q, v + h * along, tau)),
            ("dvdtau", 1, lambda h: (q, v, tau + h * along)),
        ):
            difference = (gradient(*moved(size))[k] - gradient(*moved(-size))[k]) / (2 * size)
            near(np.einsum("sij,sj->si", getattr(h, by), along), difference, 1e-5, by)
        k, u = robot.ACTUATED[0], np.zeros((5, 1))
        torques = np.zeros_like(tau)
        u[:, 0] = torques[:, k] = tau[:, k]
        full = robot.contact_step_hessian(q, v, torques, 0.01, of_v, of_v, **how)
        part = robot.actuated_contact_step_hessian(q, v, u, 0.01, of_v, of_v, **how)
        assert (part.dqdu[..., 0] == full.dqdtau[..., k]).all() and (part.dudu[:, 0, 0] == full.dtaudtau[:, k, k]).all()
        assert (part.dqdq == full.dqdq).all() and part.value.shape == (5,)


def errors():
    q, v, tau = (x[0] for x in random(1))
    said = 'contact_dynamics: active must be a list of contacts, of "base_link", "link2", or 2 truth values in that order'
    for wrong in (["hand"], "link2", [True], [0.5, 1.0], 3, ["link2", True]):
        refused(lambda: legs.contact_dynamics(q, v, tau, active=wrong), ValueError, said)
    said = "contact_errors: anchors must be an array of float64, of shape (2, 4, 4) for all states"
    refused(lambda: legs.contact_errors(q, anchors=np.eye(4)), ValueError, said)
    said = "contact_inverse_dynamics: forces has shape (5,); it must be (6,)"
    refused(lambda: legs.contact_inverse_dynamics(q, v, tau, np.zeros(5)), ValueError, said)
    refused(lambda: legs.contact_impulse(q, v, restitution="much"), ValueError, "restitution must be a number")
    refused(lambda: legs.contact_dynamics(q, v, tau, axes="world"), ValueError, 'axes is \'world\'; it must be one of "local"')
    refused(lambda: legs.contact_jacobian(q, kp=1.0), TypeError, "contact_jacobian() has no argument 'kp'")


def pickles():
    q, v, tau = (x[0] for x in random(1))
    for result in (legs.step(q, v, v, tau), legs.contact_dynamics(q, v, tau)):
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and all((x == y).all() for x, y in zip(again, result))
    again = pickle.loads(pickle.dumps(legs))
    assert (again.contact_dynamics(q, v, tau).ddq == legs.contact_dynamics(q, v, tau).ddq).all()


for check in (fused, contacts, derivatives, settings, batches, parameters, second_derivatives, hessians, errors, pickles):
    check()
    print(f"{check.__name__}: ok")
