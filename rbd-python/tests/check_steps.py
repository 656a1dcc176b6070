#!/usr/bin/env python3
"""Steps under contacts and with friction, and rollouts, in an environment that has the wheel: against the step's formula, Newton's
law, the laws of contact, and differences.

    check_steps.py ROBOTS
"""

import pathlib
import pickle
import sys

import numpy as np
import rbd
from common import near, refused

ROBOTS = pathlib.Path(sys.argv[1])
OPTIONS = {"base": "floating", "allow": ["damping-ignored"]}
FEET = ["base_link", "link2"]
ROBOT = ROBOTS / "double_pendulum.urdf"
FUNCTIONS = ["aba", "bias", "crba"]
RNG = np.random.default_rng(4)

legs = rbd.load(ROBOT, contacts=FEET, step="semi_implicit", functions=FUNCTIONS, **OPTIONS)
runge = rbd.load(ROBOT, contacts=FEET, step="rk4", functions=FUNCTIONS, **OPTIONS)


def random(*states):
    q = legs.integrate(legs.neutral(), 0.3 * RNG.normal(size=(*states, legs.NV)))
    return q, RNG.normal(size=(*states, legs.NV)), RNG.normal(size=(*states, legs.NV))


def structure():
    plain = rbd.load(ROBOT, step="explicit", functions=FUNCTIONS, **OPTIONS)
    d = plain.step_derivatives(*random(), 0.01)
    for name in ("dq_dq", "dq_dv", "dq_dtau", "dv_dq", "dv_dv", "dv_dtau"):
        assert not getattr(d, name)[~plain.structure("step_derivatives", name)].any(), name
    assert not plain.structure("step_derivatives", "dq_dtau").any()
    refused(lambda: plain.structure("step_derivatives", "dv_du"), ValueError, "its results are dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau")


def under_contacts():
    q, v, tau = random(4)
    dt, settings = 0.01, {"active": ["link2"], "kd": 5.0, "mu": 1e-4, "iterations": 2, "axes": "local_world_aligned"}
    now, held = legs.contact_step(q, v, tau, dt, **settings), legs.contact_dynamics(q, v, tau, **settings)
    for name in ("ddq", "forces", "residual"):
        near(getattr(now, name), getattr(held, name), 1e-13, name)
    near(now.v, v + dt * held.ddq, 1e-13, "velocity")
    near(now.q, legs.integrate(q, dt * now.v), 1e-13, "configuration")
    free = runge.contact_step(q, v, tau, dt, active=[])
    for found, expected in zip(free, runge.step(q, v, tau, dt)):
        near(found, expected, 1e-12, "no contact is active")
    for robot in (legs, runge):
        d = robot.contact_step_derivatives(q[0], v[0], tau[0], dt, **settings)
        at = robot.contact_step(q[0], v[0], tau[0], dt, **settings)
        near(d.q, at.q, 1e-12, "the same step")
        assert d.dq_dq.shape == (8, 8) and d.forces_dq.shape == (6, 8)
        # Differences of rk4's steps are wrong by 3e-6 with torques of 1e-3, and by 3e-8 with 1e-4.
        for name, size in (("q", 1e-5), ("v", 1e-4), ("tau", 1e-4)):
            for k, e in enumerate(np.eye(robot.NV)):
                there = []
                for h in (size, -size):
                    moved = {"q": q[0], "v": v[0], "tau": tau[0]}
                    moved[name] = robot.integrate(q[0], h * e) if name == "q" else moved[name] + h * e
                    there.append(robot.contact_step(*moved.values(), dt, **settings))
                near(d[2 + "q v tau".split().index(name)][:, k],
                     (robot.difference(at.q, there[0].q) - robot.difference(at.q, there[1].q)) / (2 * size), 1e-6, f"q by {name}")
                for of in ("v", "ddq", "forces"):
                    known = getattr(d, f"d{of}_d{name}" if of == "v" else f"{of}_d{name}")
                    difference = (getattr(there[0], of) - getattr(there[1], of)) / (2 * size)
                    worst = np.abs(known[:, k] - difference).max() / max(np.abs(known).max(), 1.0)
                    assert worst < 1e-6, f"{of} by {name}: {worst:.1e}"
    many, threads = (legs.contact_step_derivatives(q, v, tau, dt, **settings, threads=t) for t in (False, True))
    for a, b in zip(many, threads):
        assert (a == b).all()
    out = tuple(map(np.empty_like, many))
    assert legs.contact_step_derivatives(q, v, tau, dt, **settings, out=out) is out
    assert all((a == b).all() for a, b in zip(many, out))


def law(robot, q, v, tau, dt, found, **given):
    """Momentum, and the next configuration."""
    jacobian = robot.contact_jacobian(q, axes="local_world_aligned")
    gained = np.einsum("...ij,...j->...i", robot.crba(q, **{k: x for k, x in given.items() if k == "inertia"}), found.v - v)
    pushed = dt * (tau - robot.bias(q, v, **given)) + np.einsum("...ij,...i->...j", jacobian, found.impulses)
    near(gained, pushed, 1e-9, "momentum")
    near(found.q, robot.integrate(q, dt * found.v), 1e-12, "configuration")
    return np.einsum("...ij,...j->...i", jacobian, found.v).reshape(*found.modes.shape, 3)


def friction():
    q, v, tau = random(40)
    dt, mu = 1e-3, np.array([0.4, 1.2])
    distance = np.where(RNG.random((40, 2)) < 0.2, np.nan, -1e-4)
    found = legs.friction_step(q, v, tau, dt, distance, mu)
    assert found.converged.dtype == bool and found.converged.all()
    assert found.modes.dtype == np.int8 and found.iterations.dtype == np.int64 and found.residuals.shape == (40, 4)
    velocity, impulses = law(legs, q, v, tau, dt, found), found.impulses.reshape(40, 2, 3)
    across, slip = (np.linalg.norm(x[..., :2], axis=-1) for x in (impulses, velocity))
    assert (across <= mu * impulses[..., 2] + 1e-9).all() and (impulses[..., 2] >= 0).all()
    is_open, sticks, slides = (found.modes == mode for mode in rbd.ContactMode)
    assert is_open.any() and sticks.any() and slides.any()
    assert (impulses[is_open] == 0).all() and is_open[np.isnan(distance)].all()
    # Near surfaces take back a share of the penetration.
    near(velocity[~is_open][:, 2], np.full((~is_open).sum(), 0.2 * 1e-4 / dt), 1e-6, "normal velocity")
    assert slip[sticks].max() < 1e-7
    near(across[slides], (mu * impulses[..., 2])[slides], 1e-6, "sliding")
    # One state, a number for all contacts, threads, and the impulses of the last step.
    one = legs.friction_step(q[0], v[0], tau[0], dt, distance[0], 0.6, normal=[0, 0, 2.0])
    assert isinstance(bool(one.converged), bool) and one.modes.shape == (2,)
    near(one.v, legs.friction_step(q[0], v[0], tau[0], dt, distance[0], [0.6, 0.6]).v, 1e-12, "one number for all")
    for a, b in zip(found, legs.friction_step(q, v, tau, dt, distance, mu, threads=True)):
        assert (a == b).all()
    for last in (found, found.impulses):
        again = legs.friction_step(q, v, tau, dt, distance, mu, last=last)
        near(again.v, found.v, 1e-7, "begun from the solution")
        assert again.iterations.sum() <= found.iterations.sum()
    assert (legs.friction_step(q, v, tau, dt, distance, mu, last=None).v == found.v).all()
    # An impact with restitution, on compliant ground.
    hit = legs.friction_step(q, v, tau, 0.0, [0.0, np.inf], 0.0, restitution=0.5)
    assert (hit.q == q).all()
    before = np.einsum("sij,sj->si", legs.contact_jacobian(q, axes="local_world_aligned"), v)[:, 2]
    after = law(legs, q, v, tau, 0.0, hit)[:, 0, 2]
    falls = before < 0
    near(after[falls], -0.5 * before[falls], 1e-6, "restitution")
    soft = legs.friction_step(q, v, tau, 0.0, [0.0, np.nan], 0.0, compliance=0.3)
    near(law(legs, q, v, tau, 0.0, soft)[falls, 0, 2], -0.3 * soft.impulses[falls, 2], 1e-6, "compliance")
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is type(found) and all((a == b).all() for a, b in zip(again, found))


def friction_derivatives():
    dt, mu, normal = 1e-3, np.array([0.4, 1.2]), np.array([0.1, -0.2, 1.0]) / np.sqrt(1.05)
    height = lambda q: legs.contact_placements(q)[..., :3, 3] @ normal
    compared, directions = 0, np.eye(legs.NV)
    q, v, tau = random(12)
    distance = RNG.choice([-1e-4, np.nan], size=(12, 2), p=[0.7, 0.3])
    found = legs.friction_step_derivatives(q, v, tau, dt, distance, mu, normal=normal)
    assert found.dq_dq.shape == (12, 8, 8) and found.impulses_dq.shape == (12, 6, 8) and found.margin.shape == (12,)
    step = legs.friction_step(q, v, tau, dt, distance, mu, normal=normal)
    for name in step._fields:
        assert (getattr(found, name) == getattr(step, name)).all(), name
    for k in range(12):
        one = legs.friction_step_derivatives(q[k], v[k], tau[k], dt, distance[k], mu, normal=normal)
        for name, a, b in zip(found._fields, found, one):
            assert (a[k] == b).all(), name
        if not one.converged or one.margin < 1e-4:
            continue
        compared += 1
        for name, size in (("q", 2e-6), ("v", 1e-5), ("tau", 1e-3)):
            there = []
            for h in (size, -size):
                moved = {"q": q[k], "v": v[k], "tau": tau[k]}
                moved[name] = legs.integrate(q[k], h * directions) if name == "q" else moved[name] + h * directions
                # Surfaces stay where they are.
                at = distance[k] + height(moved["q"]) - height(q[k])
                there.append(legs.friction_step(*moved.values(), dt, at, mu, normal=normal, last=one))
            if any((t.modes != one.modes).any() for t in there):
                continue
            for of in ("q", "v", "impulses"):
                known = getattr(one, f"{of}_d{name}" if of == "impulses" else f"d{of}_d{name}")
                less = [legs.difference(one.q, t.q) if of == "q" else getattr(t, of) for t in there]
                difference = ((less[0] - less[1]) / (2 * size)).T
                worst = np.abs(known - difference).max() / max(np.abs(known).max(), 1.0)
                assert worst < 1e-5, f"{of} by {name}: {worst:.1e}"
    assert compared >= 6, compared
    again = legs.friction_step_derivatives(q, v, tau, dt, distance, mu, normal=normal, last=found, threads=True)
    near(again.v, found.v, 1e-7, "begun from the solution")


CART = """<robot name="cart"><link name="ground"/>
<link name="cart"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="ground"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="9" velocity="9"/><dynamics friction="3"/></joint></robot>"""


def friction_of_joints():
    cart = rbd.load_text(CART, contacts=["cart"], functions=["aba"])
    far, step = np.inf, cart.friction_step_with_joints
    # It slides, it stops within the step, and it comes to its limit: of the URDF, and of the call.
    q, v = np.array([[0.0], [0.0], [0.95], [0.0]]), np.array([[1.0], [0.1], [1.0], [1.0]])
    upper = np.array([[np.nan], [np.nan], [np.nan], [0.01]])
    found = step(q, v, np.zeros(1), 0.1, far, 0.0, joint_friction=[[3.0], [3.0], [0.0], [0.0]], to_upper=upper)
    assert found.converged.all() and type(found).__name__ == "JointFrictionStep"
    near(found.v, [[0.85], [0.0], [0.5], [0.1]], 1e-9, "velocities of the cart")
    near(found.joints, [[-0.3], [-0.2], [-1.0], [-1.8]], 1e-9, "impulses on the cart")
    near(found.q, q + 0.1 * found.v, 1e-12, "configurations of the cart")
    # The URDF's friction by default, no limits, one number for all joints.
    near(step([0.0], [1.0], [0.0], 0.1, far, 0.0).joints, [-0.3], 1e-9, "the URDF's friction")
    near(step([0.95], [1.0], [0.0], 0.1, far, 0.0, joint_friction=0.0, to_upper=np.inf).v, [1.0], 1e-12, "neither")
    # Beyond a limit, a share is taken back.
    near(step([1.1], [0.0], [0.0], 0.1, far, 0.0, joint_friction=0.0).v, [-0.2], 1e-9, "beyond a limit")
    # Contacts and joints obey momentum together. Beginning from the last step gives it again.
    q, v, tau = random(20)
    free = {"joint_friction": 0.0, "to_lower": np.inf, "to_upper": np.inf}
    plain = legs.friction_step(q, v, tau, 1e-3, -1e-4, 0.6)
    near(legs.friction_step_with_joints(q, v, tau, 1e-3, -1e-4, 0.6, **free).v, plain.v, 1e-7, "no friction and no limits")
    rubs = {**free, "joint_friction": [0, 0, 0, 0, 0, 0, 5.0, 50.0]}
    found = legs.friction_step_with_joints(q, v, tau, 1e-3, -1e-4, 0.6, **rubs)
    law(legs, q, v, tau + found.joints / 1e-3, 1e-3, found)
    assert (found.joints[:, :6] == 0).all() and (np.abs(found.joints) <= 1e-3 * np.array(rubs["joint_friction"]) + 1e-12).all()
    slides = np.abs(found.v[:, 6]) > 1e-6
    near(found.joints[slides, 6], -5e-3 * np.sign(found.v[slides, 6]), 1e-7, "joints that move")
    again = legs.friction_step_with_joints(q, v, tau, 1e-3, -1e-4, 0.6, last=found, **rubs)
    same = legs.friction_step_with_joints(q, v, tau, 1e-3, -1e-4, 0.6, last=found.impulses, last_joints=found.joints, **rubs)
    near(again.v, found.v, 1e-7, "begun from the solution")
    by = legs.friction_step_with_joints_derivatives(q, v, tau, 1e-3, -1e-4, 0.6, **rubs)
    assert (by.v == found.v).all() and (by.joints == found.joints).all() and type(by).__name__ == "JointFrictionStepDerivatives"
    # A joint that moves has a constant impulse, one that sticks a velocity of zero.
    known = by.converged & (by.margin > 1e-4)
    assert known.any() and (by.joints_dv[known & slides, 6] == 0).all() and (np.abs(by.dv_dv[known & ~slides, 6]) < 1e-6).all()
    # Before its limit, a cart comes to it: the velocity is the distance over the time.
    one = cart.friction_step_with_joints_derivatives([0.95], [1.0], [0.0], 0.1, far, 0.0)
    near(one.dv_dq, [[-10.0]], 1e-9, "before a limit")
    near(one.joints_dv, [[-2.0]], 1e-9, "the limit takes all speed")
    assert all((a == b).all() for a, b in zip(again, same)) and again.iterations.sum() < found.iterations.sum()


def friction_with_parameters():
    robot = rbd.load(ROBOT, contacts=FEET, inertia="all", gravity="runtime", functions=FUNCTIONS, **OPTIONS)
    q, v, tau = random(6)
    plain = robot.friction_step(q, v, tau, 1e-3, 0.0, 0.7)
    near(plain.v, legs.friction_step(q, v, tau, 1e-3, 0.0, 0.7).v, 1e-9, "the URDF's")
    inertia = robot.default_inertia() * RNG.uniform(0.5, 2, size=(6, 1, 1))
    gravity = robot.default_gravity() + RNG.normal(size=(6, 3))
    found = robot.friction_step(q, v, tau, 1e-3, 0.0, 0.7, inertia=inertia, gravity=gravity)
    law(robot, q, v, tau, 1e-3, found, inertia=inertia, gravity=gravity)
    given = {"inertia": inertia, "gravity": gravity}
    by = robot.friction_step_derivatives(q, v, tau, 1e-3, 0.0, 0.7, **given)
    assert (by.v == found.v).all()
    rubs = robot.friction_step_with_joints(q, v, tau, 1e-3, 0.0, 0.7, joint_friction=2.0, to_lower=np.inf, to_upper=np.inf, **given)
    law(robot, q, v, tau + rubs.joints / 1e-3, 1e-3, rubs, **given)


def single():
    robot = rbd.load(ROBOT, contacts=FEET, step="rk4", functions=FUNCTIONS, dtype="float32", **OPTIONS)
    q, v, tau = random(5)
    found = robot.friction_step(q, v, tau, 1e-3, 0.0, 0.7)
    # An impact may have several solutions: double precision begins from that of single precision.
    expected = legs.friction_step(q, v, tau, 1e-3, 0.0, 0.7, last=found.impulses)
    assert found.v.dtype == np.float32 and found.modes.dtype == np.int8 and found.converged.all()
    near(found.v, expected.v, 1e-3, "a step with friction")
    free = {"joint_friction": 0.0, "to_lower": np.inf, "to_upper": np.inf}
    near(robot.friction_step_with_joints(q, v, tau, 1e-3, 0.0, 0.7, last=found, **free).v, found.v, 1e-3, "no joint rubs")
    by = robot.friction_step_derivatives(q, v, tau, 1e-3, 0.0, 0.7)
    assert by.dv_dq.dtype == np.float32 and (by.v == found.v).all()
    # Where modes agree, derivatives do.
    doubles = legs.friction_step_derivatives(q, v, tau, 1e-3, 0.0, 0.7, last=found.impulses)
    same = (doubles.modes == by.modes).all(-1) & (doubles.margin > 1e-3)
    assert same.any()
    near(by.dv_dv[same], doubles.dv_dv[same], 1e-2, "derivatives")
    near(robot.contact_step(q, v, tau, 0.01, mu=1e-2).v, runge.contact_step(q, v, tau, 0.01, mu=1e-2).v, 1e-3, "under contacts")
    controls = 0.01 * RNG.normal(size=(5, 7, legs.NV))
    near(robot.rollout(q, v, controls, 2e-3).q, runge.rollout(q, v, controls, 2e-3).q, 1e-4, "a rollout")


def rollouts():
    steps, dt = 9, 2e-3
    for robot in (legs, runge):
        q, v, _ = random(3)
        u = 0.01 * RNG.normal(size=(3, steps, robot.NV))
        found = robot.rollout(q, v, u, dt)
        assert found.q.shape == (3, steps + 1, robot.NQ) and found.v.shape == (3, steps + 1, robot.NV)
        at_q, at_v = q, v
        for k in range(steps):
            assert (found.q[:, k] == at_q).all() and (found.v[:, k] == at_v).all()
            at_q, at_v = robot.step(at_q, at_v, u[:, k], dt)
        assert (found.q[:, -1] == at_q).all()
        # One first state for all controls, threads, `out`, and no controls at all.
        same = robot.rollout(q[0], v[0], u, dt, threads=True)
        assert (same.q[0] == found.q[0]).all()
        out = tuple(map(np.empty_like, found))
        assert robot.rollout(q, v, u, dt, out=out) is out and (out[0] == found.q).all()
        one = robot.rollout(q[1], v[1], u[1], dt)
        assert (one.v == found.v[1]).all()
        assert (robot.rollout(q[0], v[0], u[0, :0], dt).q == q[:1]).all()

        # Forward and backward, beside differences.
        dq, dv = RNG.normal(size=(2, 3, robot.NV))
        du = 0.01 * RNG.normal(size=u.shape)
        moved = robot.rollout_sensitivity(q, v, u, dt, dq, dv, du)
        near(moved.q, found.q, 1e-13, "states")
        assert (moved.dq[:, 0] == dq).all() and (moved.dv[:, 0] == dv).all()
        plus, minus = (robot.rollout(robot.integrate(q, h * dq), v + h * dv, u + h * du, dt) for h in (1e-5, -1e-5))
        near(moved.dv, (plus.v - minus.v) / 2e-5, 1e-7, "velocities")
        near(moved.dq, (robot.difference(found.q, plus.q) - robot.difference(found.q, minus.q)) / 2e-5, 1e-7, "configurations")
        gq, gv = RNG.normal(size=(2, 3, steps + 1, robot.NV))
        back = robot.rollout_adjoint(found.q, found.v, u, dt, gq, gv)
        assert back.dcontrols.shape == u.shape and back.dq.shape == gq.shape
        forward = (moved.dq * gq + moved.dv * gv).sum((1, 2))
        near((back.dcontrols * du).sum((1, 2)) + (back.dq[:, 0] * dq + back.dv[:, 0] * dv).sum(1), forward, 1e-10, "one derivative")
        near(back.dq[:, -1], gq[:, -1], 1e-15, "the last state")


def errors():
    q, v, tau = random()
    said = "rollout: controls has shape (8,); it must be (N, 8), or (..., N, 8) for many states"
    refused(lambda: legs.rollout(q, v, tau, 0.1), ValueError, said)
    said = "rollout_adjoint: q has shape (3, 9); it must be (5, 9), or (..., 5, 9) for many states"
    u, rows = np.zeros((4, 8)), np.zeros((5, 8))
    refused(lambda: legs.rollout_adjoint(np.zeros((3, 9)), rows, u, 0.1, rows, rows), ValueError, said)
    refused(lambda: legs.rollout(q, v, dt=0.1), TypeError, "rollout() was not given controls")
    refused(lambda: legs.friction_step(q, v, tau, 0.1, np.zeros(3), 0.5), ValueError, "friction_step: distance has shape (3,)")
    refused(lambda: legs.friction_step(q, v, tau, 0.1, 0.0, 0.5, sweeps=-1), ValueError, "sweeps must be a whole number from 0 on")
    refused(lambda: legs.friction_step(q, v, tau, 0.1, 0.0, 0.5, out=()), TypeError, "friction_step() has no out: modes are no real numbers")
    said = "friction_step_with_joints: to_lower has shape (3,)"
    refused(lambda: legs.friction_step_with_joints(q, v, tau, 0.1, 0.0, 0.5, to_lower=np.zeros(3)), ValueError, said)
    joints = legs.friction_step_with_joints(q, v, tau, 0.1, 0.0, 0.5)
    twice = lambda: legs.friction_step_with_joints(q, v, tau, 0.1, 0.0, 0.5, last_joints=np.zeros(8), last=joints)
    refused(twice, TypeError, "friction_step_with_joints() was given last_joints twice")
    refused(lambda: legs.friction_step_derivatives(q, v, tau, 0.1, np.zeros(3), 0.5), ValueError, "distance has shape (3,)")
    refused(lambda: legs.contact_step(q, v, tau, 0.1, active=["hand"]), ValueError, "contact_step: active must be a list of contacts")
    free = rbd.load(ROBOT, functions=["aba"], step="explicit", **OPTIONS)
    refused(lambda: free.contact_step, AttributeError, "`contacts=` of rbd.load names contacts")
    refused(lambda: free.friction_step, AttributeError, "`friction_step` is not among the functions")
    plane = rbd.load(ROBOT, functions=["aba"], contacts={"link2": "plane"}, **OPTIONS)
    refused(lambda: free.friction_step_derivatives, AttributeError, "is not among the functions")
    refused(lambda: plane.friction_step_with_joints, AttributeError, "the contact `link2` is a plane")
    refused(lambda: plane.friction_step, AttributeError, "the contact `link2` is a plane; list its corners as points")
    for name in ("rollout", "contact_step"):
        refused(lambda: getattr(plane, name), AttributeError, f"`{name}` comes with the option `step`")


def describes_itself():
    assert str(legs.rollout.__signature__) == "(q, v, controls, dt, *, out=None, threads=False)"
    assert "- gives `q`, (N + 1, 9): configurations" in legs.rollout.__doc__ and "(N, 8)" in legs.rollout.__doc__
    signature = legs.friction_step.__signature__.parameters
    assert list(signature)[:6] == ["q", "v", "tau", "dt", "distance", "friction"]
    assert signature["last"].default is None and signature["sweeps"].default == 5
    assert "by default upwards" in legs.friction_step.__doc__ and "`tolerance`" in legs.friction_step.__doc__
    assert {"contact_step", "contact_step_derivatives", "friction_step", "rollout"} <= legs.functions.keys()
    assert {"friction_step_derivatives", "friction_step_with_joints"} <= legs.functions.keys()
    assert "friction_step_with_joints_derivatives" in legs.functions
    assert "- gives `impulses_dq`, (6, 8): of the impulses by the configuration" in legs.friction_step_derivatives.__doc__
    signature = legs.friction_step_with_joints.__signature__.parameters
    assert list(signature)[10:14] == ["joint_friction", "to_lower", "to_upper", "last_joints"]
    again = pickle.loads(pickle.dumps(legs.rollout))
    q, v, tau = random()
    assert (again(q, v, tau[None], 0.1).q == legs.rollout(q, v, tau[None], 0.1).q).all()


CHECKS = (structure, under_contacts, friction, friction_derivatives, friction_of_joints, friction_with_parameters, single, rollouts, errors)
for check in (*CHECKS, describes_itself):
    check()
    print(f"{check.__name__}: ok")
