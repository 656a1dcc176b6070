#!/usr/bin/env python3
"""Steps and rollouts of controls of some joints, and with inertias and gravity that are given at run time, in an environment that
has the wheel: against those of all torques, the step's formula, and differences.

    check_controls.py ROBOTS
"""

import pathlib
import pickle
import sys

import numpy as np
import rbd
from common import near, refused

ROBOTS = pathlib.Path(sys.argv[1])
ROBOT = ROBOTS / "double_pendulum.urdf"
OPTIONS = {"base": "floating", "allow": ["damping-ignored"], "functions": ["aba", "crba"]}
RNG = np.random.default_rng(8)
DT = 0.01

INTEGRATORS = ("semi_implicit", "explicit", "rk4")


def load(integrator="semi_implicit", **more):
    # In this order, which is not the robot's.
    return rbd.load(ROBOT, step=integrator, actuated=["joint2", "joint1"], contacts=["base_link", "link2"], **OPTIONS, **more)


def random(robot, *states):
    q = robot.integrate(robot.neutral(), 0.3 * RNG.normal(size=(*states, robot.NV)))
    return q, RNG.normal(size=(*states, robot.NV)), RNG.normal(size=(*states, robot.NU))


def torques(robot, u):
    """Those of all coordinates."""
    tau = np.zeros((*u.shape[:-1], robot.NV))
    tau[..., list(robot.ACTUATED)] = u
    return tau


def equal(found, expected, what):
    """All results have the bits of others, by these columns of matrices and rows of gradients by torques."""
    assert len(found) == len(expected)
    for name, a, b in zip(found._fields, found, expected, strict=True):
        assert a.shape == b.shape and (a == b).all(), f"{what}: {name}"


def chosen(robot, of_torques, columns):
    """Results by all torques, of which those by torques become those by controls."""
    at = list(robot.ACTUATED)
    both, last = columns
    results = [x[..., at] if name in both or name in last else x for name, x in zip(of_torques._fields, of_torques, strict=True)]
    return [x[..., at, :] if name in last else x for name, x in zip(of_torques._fields, results, strict=True)]


def controls():
    settings = {"active": ["link2"], "kd": 5.0, "mu": 1e-4}
    for integrator in INTEGRATORS:
        robot = load(integrator)
        assert robot.NU == 2 and [robot.joint_names[k - 5] for k in robot.ACTUATED] == ["joint2", "joint1"]
        q, v, u = random(robot, 4)
        tau = torques(robot, u)
        equal(robot.actuated_step(q, v, u, DT), robot.step(q, v, tau, DT), "a step")
        equal(robot.actuated_contact_step(q, v, u, DT, **settings), robot.contact_step(q, v, tau, DT, **settings), "under contacts")
        known = robot.step_derivatives(q, v, tau, DT)
        equal(robot.actuated_step_derivatives(q, v, u, DT), chosen(robot, known, (("dq_dtau", "dv_dtau"), ())), "derivatives")
        known = robot.contact_step_derivatives(q, v, tau, DT, **settings)
        found = robot.actuated_contact_step_derivatives(q, v, u, DT, **settings)
        by_torques = ("dq_dtau", "dv_dtau", "ddq_dtau", "forces_dtau")
        equal(found, chosen(robot, known, (by_torques, ())), "derivatives under contacts")
        assert found.dv_du.shape == (4, 8, 2) and found.forces_du.shape == (4, 6, 2)
        weights = RNG.normal(size=(2, 4, robot.NV))
        known = robot.step_hessian(q, v, tau, DT, *weights)
        found = robot.actuated_step_hessian(q, v, u, DT, *weights)
        equal(found, chosen(robot, known, (("dtau", "dqdtau", "dvdtau"), ("dtaudtau",))), "Hessian")
        assert found.dudu.shape == (4, 2, 2) and found.dqdu.shape == (4, 8, 2)
    # One state, threads, `out`, and a pickle.
    many = robot.actuated_step_derivatives(q, v, u, DT)
    equal(robot.actuated_step_derivatives(q, v, u, DT, threads=True), many, "threads")
    out = tuple(map(np.empty_like, many))
    assert robot.actuated_step_derivatives(q, v, u, DT, out=out) is out
    equal(many, out, "out")
    equal(pickle.loads(pickle.dumps(robot.actuated_step))(q[0], v[0], u[0], DT), [x[0] for x in robot.actuated_step(q, v, u, DT)], "a pickle")


def rollouts():
    steps = 7
    for integrator in ("semi_implicit", "rk4"):
        robot = load(integrator)
        q, v, _ = random(robot, 3)
        u, du = 0.01 * RNG.normal(size=(2, 3, steps, robot.NU))
        found = robot.actuated_rollout(q, v, u, DT)
        equal(found, robot.rollout(q, v, torques(robot, u), DT), "a rollout")
        dq, dv = RNG.normal(size=(2, 3, robot.NV))
        moved = robot.actuated_rollout_sensitivity(q, v, u, DT, dq, dv, du)
        equal(moved, robot.rollout_sensitivity(q, v, torques(robot, u), DT, dq, dv, torques(robot, du)), "along a direction")
        gq, gv = RNG.normal(size=(2, 3, steps + 1, robot.NV))
        back = robot.actuated_rollout_adjoint(found.q, found.v, u, DT, gq, gv)
        known = robot.rollout_adjoint(found.q, found.v, torques(robot, u), DT, gq, gv)
        assert back.dcontrols.shape == u.shape
        equal(back, chosen(robot, known, (("dcontrols",), ())), "the adjoint")


def parameters():
    plain = load()
    robot = load(inertia="all", gravity="runtime")
    q, v, u = random(robot, 5)
    tau, states = torques(robot, u), range(5)
    for found, expected in zip(robot.step(q, v, tau, DT), plain.step(q, v, tau, DT), strict=True):
        near(found, expected, 1e-12, "the URDF's")
    given = {
        "inertia": robot.default_inertia() * RNG.uniform(0.5, 2, size=(5, 1, 1)),
        "gravity": robot.default_gravity() + RNG.normal(size=(5, 3)),
    }
    # The formula, with a set for each state.
    found = robot.step(q, v, tau, DT, **given)
    ddq = robot.aba(q, v, tau, **given)
    near(found.v, v + DT * ddq, 1e-14, "velocity")
    near(found.q, robot.integrate(q, DT * found.v), 1e-14, "configuration")
    assert np.abs(ddq - robot.aba(q, v, tau)).max() > 1.0
    equal(robot.actuated_step(q, v, u, DT, **given), found, "controls")
    held = robot.contact_dynamics(q, v, tau, **given, kd=3.0)
    near(robot.contact_step(q, v, tau, DT, **given, kd=3.0).ddq, held.ddq, 1e-12, "under contacts")
    near(robot.contact_step_derivatives(q, v, tau, DT, **given, kd=3.0).forces, held.forces, 1e-12, "forces")
    # Derivatives beside differences.
    weights = RNG.normal(size=(2, 5, robot.NV))
    d, h = robot.step_derivatives(q, v, tau, DT, **given), robot.step_hessian(q, v, tau, DT, *weights, **given)
    near(d.v, found.v, 1e-13, "derivatives' own step")
    direction = RNG.normal(size=(5, robot.NV))
    plus, minus = (robot.step(q, v + x * direction, tau, DT, **given) for x in (1e-4, -1e-4))
    near(np.einsum("sij,sj->si", d.dv_dv, direction), (plus.v - minus.v) / 2e-4, 1e-8, "by v")
    plus, minus = (robot.step(robot.integrate(q, x * direction), v, tau, DT, **given) for x in (1e-5, -1e-5))
    near(np.einsum("sij,sj->si", d.dv_dq, direction), (plus.v - minus.v) / 2e-5, 1e-6, "by q")
    near(h.dq, sum(np.einsum("sij,si->sj", m, x) for m, x in zip((d.dq_dq, d.dv_dq), weights)), 1e-10, "a gradient")
    # Each rollout has its own.
    controls = 0.01 * RNG.normal(size=(5, 6, robot.NV))
    states_of = robot.rollout(q, v, controls, DT, **given)
    at = [q, v]
    for k in range(6):
        at = robot.step(*at, controls[:, k], DT, **given)
    assert (states_of.q[:, -1] == at.q).all() and (states_of.v[:, -1] == at.v).all()
    one = {name: numbers[2] for name, numbers in given.items()}
    assert (robot.rollout(q[2], v[2], controls[2], DT, **one).v == states_of.v[2]).all()
    gq, gv = RNG.normal(size=(2, 5, 7, robot.NV))
    back = robot.rollout_adjoint(states_of.q, states_of.v, controls, DT, gq, gv, **given)
    for k in states:
        own = {name: numbers[k] for name, numbers in given.items()}
        one = robot.rollout_adjoint(states_of.q[k], states_of.v[k], controls[k], DT, gq[k], gv[k], **own)
        equal(one, [x[k] for x in back], "an adjoint alone")
    direction = 0.01 * RNG.normal(size=controls.shape)
    zero = np.zeros((5, robot.NV))
    moved = robot.rollout_sensitivity(q, v, controls, DT, zero, zero, direction, **given)
    forward = (moved.dq * gq + moved.dv * gv).sum((1, 2))
    near((back.dcontrols * direction).sum((1, 2)), forward, 1e-10, "one derivative")
    # The gradient by inertias: parameters act as torques.
    learner = rbd.load(ROBOT, step="semi_implicit", inertia="all", **{**OPTIONS, "functions": ["aba", "parameter_derivatives"]})
    q, v, controls, inertia = q[0], v[0], controls[0], learner.default_inertia()
    states = learner.rollout(q, v, controls, DT, inertia=inertia)
    g = learner.rollout_adjoint(states.q, states.v, controls, DT, gq[0], gv[0], inertia=inertia)
    mean = np.diff(states.v, axis=0) / DT
    y = learner.rnea_parameter_derivatives(states.q[:-1], states.v[:-1], mean, inertia=inertia)
    by_inertia = -np.einsum("kipj,ki->pj", y.dtau_dinertia, g.dcontrols)
    assert by_inertia.shape == inertia.shape
    direction = RNG.normal(size=inertia.shape) * np.abs(inertia)
    plus, minus = (learner.rollout(q, v, controls, DT, inertia=inertia + x * direction) for x in (1e-6, -1e-6))
    moved_q = (learner.difference(states.q, plus.q) - learner.difference(states.q, minus.q)) / 2e-6
    expected = (moved_q * gq[0]).sum() + ((plus.v - minus.v) / 2e-6 * gv[0]).sum()
    near((by_inertia * direction).sum(), expected, 1e-5, "by inertias")
    assert str(robot.step.__signature__) == "(q, v, tau, dt, *, inertia=None, gravity=None, out=None, threads=False)"


def errors():
    robot = load()
    q, v, u = random(robot)
    refused(lambda: robot.actuated_step(q, v, np.zeros(8), DT), ValueError, "actuated_step: u has shape (8,); it must be (2,)")
    said = "actuated_rollout: controls has shape (2,); it must be (N, 2), or (..., N, 2) for many states"
    refused(lambda: robot.actuated_rollout(q, v, u, DT), ValueError, said)
    refused(lambda: robot.step(q, v, np.zeros(8), DT, gravity=[0, 0, -1]), TypeError, "step() has no argument 'gravity'")
    free = rbd.load(ROBOT, step="rk4", **OPTIONS)
    assert free.NU == 0 and free.ACTUATED == () and "actuated_step" not in free.functions
    refused(lambda: free.actuated_rollout, AttributeError, "`actuated=` of rbd.load names joints with motors")
    refused(lambda: rbd.load(ROBOT, actuated=["joint1"], **OPTIONS), ValueError, "step")


for check in (controls, rollouts, parameters, errors):
    check()
    print(f"{check.__name__}: ok")
