"""What `rbd.jax` must do: `run.py` calls it where jax is installed.

    check_jax.py ROBOTS

Values are compared with the robot's own functions, derivatives with these functions' derivatives and with differences.
"""

import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

import rbd
from common import near, refused

jax.config.update("jax_enable_x64", True)
ROBOTS = pathlib.Path(sys.argv[1])
ALLOWED = {"allow": ["damping-ignored", "inertia-triangle"]}
FUNCTIONS = ["dynamics", "frames", "centroidal", "energy"]
ARM = rbd.load(ROBOTS / "iiwa14.urdf", functions=FUNCTIONS, frames=["iiwa_link_7"], **ALLOWED)
LEGS = rbd.load(ROBOTS / "hyq.urdf", base="floating", functions=FUNCTIONS, frames=["lf_foot"], **ALLOWED)


def random(*states, seed=0):
    return np.random.default_rng(seed).normal(size=(3, *states, 7))


def values():
    """Alone, compiled, mapped over arguments in each way, on several threads, in both precisions."""
    f = ARM.jax
    q, v, a = random()
    many = random(5)
    for name in ("rnea", "aba"):
        ours, theirs = getattr(ARM, name), getattr(f, name)
        near(theirs(q, v, a), ours(q, v, a), 0, name)
        near(jax.jit(theirs)(*many), ours(*many), 0, f"{name} of states")
        near(jax.jit(jax.vmap(theirs))(*many), ours(*many), 0, f"{name}, mapped")
        near(jax.vmap(theirs, (None, 0, None))(q, many[1], a), ours(q, many[1], a), 0, f"{name}, one argument mapped")
        twice = jax.vmap(jax.vmap(theirs, (None, 0, None)), (0, None, None))(many[0], many[1], a)
        near(twice, ours(many[0][:, None], many[1][None], a), 0, f"{name}, mapped twice")
        large = random(20_000)
        near(jax.jit(theirs)(*large), ours(*large), 0, f"{name} on threads")
        single = theirs(*(jnp.float32(x) for x in many))
        assert single.dtype == jnp.float32
        near(single, ours(*many), 1e-4, f"{name} in single precision")
        near(getattr(rbd.jax, name)(ARM, *many), ours(*many), 0, f"{name}, the robot first")
    near(f.frame_jacobian(q, "iiwa_link_7", "world"), ARM.frame_jacobian(q, "iiwa_link_7", "world"), 0, "frame")


def derivatives():
    """Forward and reverse mode are the robot's own derivatives."""
    q, v, a = random()
    for name, of in (("rnea", ARM.rnea_derivatives), ("aba", ARM.aba_derivatives)):
        f, expected = getattr(ARM.jax, name), of(q, v, a)[1:]
        for mode in (jax.jacfwd, jax.jacrev):
            for found, exact in zip(mode(f, (0, 1, 2))(q, v, a), expected, strict=True):
                near(found, exact, 1e-14, f"{name} by {mode.__name__}")


def manifold():
    """In the tangent space of a floating base: against differences, in both modes."""
    f, rng = LEGS.jax, np.random.default_rng(1)
    q, (v, a) = np.array(LEGS.neutral()), rng.normal(size=(2, 18))
    q[:3], q[7:] = rng.normal(size=3), rng.normal(size=12)
    q[3:7] = (lambda x: x / np.linalg.norm(x))(rng.normal(size=4))
    zero, steps = np.zeros(18), 1e-6 * np.eye(18)
    near(f.integrate(q, zero), q, 1e-15, "no step")
    near(f.tangent(q, jax.jvp(lambda dv: f.integrate(q, dv), (zero,), (v,))[1]), v, 1e-12, "tangent of a step")
    for name, *rest in (
        *(("rnea", v, a), ("aba", v, a), ("gravity",), ("bias", v), ("center_of_mass",), ("kinetic_energy", v)),
        *(("potential_energy",), ("frame_placement", "lf_foot"), ("frame_velocity", v, "lf_foot", "local")),
    ):
        of = lambda dv: getattr(f, name)(f.integrate(q, dv), *rest)
        forward, reverse = jax.jacfwd(of)(zero), jax.jacrev(of)(zero)
        near(forward, np.stack([(of(h) - of(-h)) / 2e-6 for h in steps], axis=-1), 1e-7, name)
        near(forward, reverse, 1e-12, f"{name}, reverse mode")
    # A quaternion that grows turns nothing.
    near(f.tangent(q, np.concatenate([np.zeros(3), q[3:7], np.zeros(12)])), zero, 1e-12, "along the quaternion")


def parameters():
    """Derivatives by inertias and gravity."""
    robot = rbd.load(
        ROBOTS / "double_pendulum.urdf",
        functions=["rnea", "aba", "rnea_derivatives", "aba_derivatives", "parameter_derivatives"],
        inertia="all",
        gravity="runtime",
        **ALLOWED,
    )
    q, v, a = np.random.default_rng(3).normal(size=(3, 2))
    for name in ("rnea", "aba"):
        of = lambda inertia, gravity: getattr(robot.jax, name)(q, v, a, inertia=inertia, gravity=gravity)
        at = robot.default_inertia(), robot.default_gravity()
        exact = getattr(robot, f"{name}_parameter_derivatives")(q, v, a)[1:]
        for found, expected in zip(jax.jacrev(of, (0, 1))(*at), exact, strict=True):
            near(found, expected, 1e-12, f"{name} by parameters")
        near(getattr(robot.jax, name)(q, v, a), getattr(robot, name)(q, v, a), 0, f"{name} by default")


def contacts():
    """All of them hold."""
    robot = rbd.load(ROBOTS / "hyq.urdf", base="floating", contacts=["lf_foot", "rh_foot"], functions=["rnea"], **ALLOWED)
    v, tau = np.random.default_rng(7).normal(size=(2, 5, 18))
    q = robot.integrate(robot.neutral(), v)
    for found, expected in zip(jax.jit(robot.jax.contact_dynamics)(q, v, tau), robot.contact_dynamics(q, v, tau), strict=True):
        near(found, expected, 0, "contact_dynamics")
    refused(lambda: robot.jax.contact_dynamics(q, v, tau, kd=1.0), TypeError, "contact_dynamics() takes q, v, tau")


def steps():
    """The discrete step in both modes: the arm's own derivatives, and differences for a floating base."""
    arm = rbd.load(ROBOTS / "iiwa14.urdf", functions=["aba"], step="semi_implicit", **ALLOWED)
    (q, v, tau), many, dt = random(), random(5), 0.01
    mapped = jax.jit(jax.vmap(arm.jax.step, (0, 0, 0, None)))(*many, dt)
    for found, expected in zip(mapped, arm.step(*many, dt), strict=True):
        near(found, expected, 0, "steps")
    near(rbd.jax.step(arm, q, v, tau, dt).v, arm.step(q, v, tau, dt).v, 0, "a step, the robot first")
    exact = arm.step_derivatives(q, v, tau, dt)
    for mode in (jax.jacfwd, jax.jacrev):
        found = mode(arm.jax.step, (0, 1, 2))(q, v, tau, dt)
        for result in ("q", "v"):
            for name, matrix in zip(("q", "v", "tau"), getattr(found, result), strict=True):
                near(matrix, getattr(exact, f"d{result}_d{name}"), 1e-14, f"d{result}_d{name} by {mode.__name__}")
    refused(lambda: jax.grad(lambda dt: arm.jax.step(q, v, tau, dt).v[0])(dt), NotImplementedError, "step has no derivative by dt")
    with_load = {"functions": ["aba"], "step": "semi_implicit", "actuated": ["iiwa_joint_2", "iiwa_joint_1"], "loads": ["iiwa_link_7"]}
    driven = rbd.load(ROBOTS / "iiwa14.urdf", **with_load, **ALLOWED)
    u, load = tau[:2], np.array([[2.0, 0, 0, 0.2, 0.03, 0, 0.03, 0, 0, 0.001]])
    near(driven.jax.actuated_step(q, v, u, dt, inertia=load).v, driven.actuated_step(q, v, u, dt, inertia=load).v, 0, "with a load")
    exact = driven.actuated_step_derivatives(q, v, u, dt, inertia=load)
    assert np.abs(exact.dv_du - driven.actuated_step_derivatives(q, v, u, dt).dv_du).max() > 1e-4
    for mode in (jax.jacfwd, jax.jacrev):
        found = mode(lambda *at: driven.jax.actuated_step(*at, dt, inertia=load), (0, 1, 2))(q, v, u)
        for result in ("q", "v"):
            for name, matrix in zip(("q", "v", "u"), getattr(found, result), strict=True):
                near(matrix, getattr(exact, f"d{result}_d{name}"), 1e-14, f"d{result}_d{name} of controls by {mode.__name__}")
    by_load = jax.grad(lambda load: driven.jax.step(q, v, tau, dt, inertia=load).v[0])
    refused(lambda: by_load(load), NotImplementedError, "step has no derivative by inertia")
    rng, zero, h = np.random.default_rng(6), np.zeros(18), 1e-6 * np.eye(18)
    for integrator in ("semi_implicit", "explicit", "rk4"):
        legs = rbd.load(ROBOTS / "hyq.urdf", base="floating", functions=["aba"], step=integrator, **ALLOWED)
        q, (v, tau) = legs.integrate(legs.neutral(), rng.normal(size=18)), rng.normal(size=(2, 18))
        for k, name in enumerate(("q", "v", "tau")):
            def of(x):
                at = [q, v, tau]
                at[k] = legs.jax.integrate(q, x) if name == "q" else at[k] + x
                return jnp.concatenate(legs.jax.step(*at, 0.05))

            forward, reverse = jax.jacfwd(of)(zero), jax.jacrev(of)(zero)
            differences = np.stack([(of(x) - of(-x)) / 2e-6 for x in h], axis=-1)
            near(forward, differences, 1e-7, f"{integrator} step by {name}")
            near(reverse, forward, 1e-12, f"{integrator} step by {name}, reverse mode")


def single():
    """A robot of float32: values, derivatives in both modes, arguments of either type."""
    options = {"functions": FUNCTIONS, "frames": ["lf_foot"], "base": "floating", **ALLOWED}
    legs = rbd.load(ROBOTS / "hyq.urdf", dtype="float32", **options)
    f, (v, a) = legs.jax, np.random.default_rng(8).normal(size=(2, 5, 18)).astype(np.float32)
    q = legs.integrate(legs.neutral(), v)
    for name in ("rnea", "aba"):
        for given in ((q, v, a), [np.float64(x) for x in (q, v, a)]):
            found = jax.jit(getattr(f, name))(*given)
            assert found.dtype == jnp.float32
            near(found, getattr(legs, name)(q, v, a), 0, f"{name} in single precision")
        exact = getattr(legs, f"{name}_derivatives")(q[0], v[0], a[0])
        for mode in (jax.jacfwd, jax.jacrev):
            for found, expected in zip(mode(getattr(f, name), (1, 2))(q[0], v[0], a[0]), exact[2:], strict=True):
                assert found.dtype == jnp.float32
                near(found, expected, 1e-6, f"{name} in single precision by {mode.__name__}")
    wide = np.float64(q[0])
    slope = jax.grad(lambda q: f.potential_energy(q))(wide)
    assert slope.dtype == jnp.float64
    near(slope, jax.grad(lambda q: LEGS.jax.potential_energy(q))(wide), 1e-5, "a gradient of double precision")
    near(f.frame_placement(q, "lf_foot"), legs.frame_placement(q, "lf_foot"), 0, "frame")


def rollout():
    """Gradients of a rollout of 100 steps, against forward sensitivities by the robot's own derivatives of accelerations."""
    h, n = 0.005, 100
    controls = np.random.default_rng(4).normal(size=(n, 7)) * 5
    arm = rbd.load(ROBOTS / "iiwa14.urdf", functions=["aba"], step="semi_implicit", **ALLOWED)

    def by_aba(q, v, tau):
        v = v + h * ARM.jax.aba(q, v, tau)
        return q + h * v, v

    def gradient(step):
        def cost(controls):
            (q, v), _ = jax.lax.scan(lambda at, tau: (step(*at, tau), None), (jnp.full(7, 0.3), jnp.zeros(7)), controls)
            return jnp.sum(q**2) + jnp.sum(v**2)

        return jax.jit(jax.grad(cost))(controls)

    q, v = np.full(7, 0.3), np.zeros(7)
    dq, dv = np.zeros((7, n, 7)), np.zeros((7, n, 7))
    for k, tau in enumerate(controls):
        d = ARM.aba_derivatives(q, v, tau)
        da = np.tensordot(d.ddq_dq, dq, 1) + np.tensordot(d.ddq_dv, dv, 1)
        da[:, k] += d.ddq_dtau
        v = v + h * d.ddq
        dv = dv + h * da
        q, dq = q + h * v, dq + h * dv
    exact = 2 * np.tensordot(q, dq, 1) + 2 * np.tensordot(v, dv, 1)
    near(gradient(by_aba), exact, 1e-10, "gradient of a rollout")
    near(gradient(lambda q, v, tau: tuple(arm.jax.step(q, v, tau, h))), exact, 1e-10, "gradient of a rollout of steps")


def sharding():
    """States on several devices stay where they are."""
    mesh = jax.make_mesh((4,), ("states",))
    many = random(8)
    step = jax.jit(jax.shard_map(ARM.jax.rnea, mesh=mesh, in_specs=P("states"), out_specs=P("states"), check_vma=False))
    put = [jax.device_put(x, jax.NamedSharding(mesh, P("states"))) for x in many]
    near(step(*put), ARM.rnea(*many), 0, "sharded")
    assert "all-gather" not in step.lower(*put).compile().as_text()


def errors():
    """Sentences."""
    f, (q, v, a) = ARM.jax, random()
    alone = rbd.load(ROBOTS / "iiwa14.urdf", functions=["rnea"], **ALLOWED)
    for call, kind, said in [
        (lambda: f.rnea(q[:5], v, a), ValueError, "rnea: q has shape (5,); it must be (7,), or have axes for states before"),
        (lambda: f.rnea(q, v), TypeError, "rnea() takes q, v, a"),
        (lambda: f.rneo, AttributeError, "iiwa14 has no function 'rneo' for JAX"),
        (lambda: rbd.jax.rneo, AttributeError, "rbd.jax has no function 'rneo'"),
        (lambda: rbd.jax.rnea(q, v, a), TypeError, "rbd.jax.rnea takes a robot first, not ndarray"),
        (lambda: rbd.jax.crba(alone, q), AttributeError, "iiwa14 has no function 'crba' for JAX"),
        (lambda: jax.jacfwd(f.crba)(q), NotImplementedError, "crba has no derivative by q for JAX"),
        (lambda: f.frame_placement(q, "hand"), ValueError, 'frame is "hand"; it must be one of "iiwa_link_7"'),
    ]:
        refused(call, kind, said)
    refused(lambda: jax.jacfwd(alone.jax.rnea)(q, v, a), NotImplementedError, "the derivative of rnea needs rnea_derivatives")


if __name__ == "__main__":
    for check in (values, derivatives, manifold, parameters, contacts, steps, single, rollout, sharding, errors):
        check()
        print(f"jax: {check.__name__}", flush=True)
