"""What `rbd.torch` must do: `run.py` calls it where torch is installed.

    check_torch.py ROBOTS

Values are compared with the robot's own functions, derivatives with differences and with these functions' derivatives.
"""

import pathlib
import subprocess
import sys

import numpy as np
import torch

import rbd
from common import near, refused

ROBOTS = pathlib.Path(sys.argv[1])
ALLOWED = {"allow": ["damping-ignored", "inertia-triangle"]}
FUNCTIONS = ["dynamics", "frames", "centroidal", "energy"]
ARM = rbd.load(ROBOTS / "iiwa14.urdf", functions=FUNCTIONS, frames=["iiwa_link_7"], **ALLOWED)
LEGS = rbd.load(ROBOTS / "double_pendulum.urdf", base="floating", functions=FUNCTIONS, frames=["link2"], **ALLOWED)


def random(*states, seed=0, n=7, needs=False):
    rng = np.random.default_rng(seed)
    return [torch.from_numpy(rng.normal(size=(*states, n))).requires_grad_(needs) for _ in range(3)]


def values():
    """Alone, in batches, mapped over arguments, in both precisions, in both ways of writing."""
    f, (q, v, a), many = ARM.torch, random(), random(5)
    for name in ("rnea", "aba"):
        ours, theirs = getattr(ARM, name), getattr(f, name)
        near(theirs(q, v, a), ours(q, v, a), 0, name)
        near(getattr(rbd.torch, name)(ARM, q, v, a), ours(q, v, a), 0, f"{name}, the robot first")
        near(theirs(*many), ours(*many), 0, f"{name} of states")
        near(torch.vmap(theirs)(*many), ours(*many), 1e-12, f"{name}, mapped")
        near(torch.vmap(theirs, (None, 0, None))(q, many[1], a), ours(q, many[1], a), 1e-12, f"{name}, one argument mapped")
        twice = torch.vmap(torch.vmap(theirs, (None, 0, None)), (0, None, None))(many[0], many[1], a)
        near(twice, ours(many[0][:, None], many[1][None], a), 1e-12, f"{name}, mapped twice")
        mixed = torch.vmap(theirs, (0, None, None))(many[0], torch.stack(many)[:, 0], a)
        near(mixed, ours(many[0][:, None], torch.stack(many)[:, 0], a), 1e-12, f"{name}, mapped beside states")
        single = theirs(*(x.float() for x in many))
        assert single.dtype == torch.float32
        near(single, ours(*many), 1e-4, f"{name} in single precision")
    for name, found in {"aba_derivatives": f.aba_derivatives(*many), "crba": (f.crba(q),)}.items():
        expected = getattr(ARM, name)(*(many if len(found) > 1 else [q]))
        for x, y in zip(found, expected if len(found) > 1 else (expected,), strict=True):
            near(x, y, 0, name)
    near(f.frame_jacobian(q, "iiwa_link_7", "world"), ARM.frame_jacobian(q, "iiwa_link_7", "world"), 0, "frame")
    near(f.integrate(q, v), ARM.integrate(q, v), 1e-15, "integrate")
    legs = rbd.load(ROBOTS / "double_pendulum.urdf", base="floating", contacts=["link2"], functions=["rnea"], **ALLOWED)
    q, (v, tau) = torch.from_numpy(legs.neutral()), random(n=8)[:2]
    for found, expected in zip(legs.torch.contact_dynamics(q, v, tau), legs.contact_dynamics(q, v, tau), strict=True):
        near(found, expected, 0, "contact_dynamics")


def calls(robot, *states):
    """Every function that has derivatives, as one of tensors that need gradients."""
    q, v, a = random(*states, n=robot.nv, seed=2)
    q = torch.from_numpy(robot.integrate(robot.neutral(), q.numpy()))
    x = [y.requires_grad_() for y in (q, v, a)]
    f, frame = robot.torch, robot.FRAMES[-1]
    for name, n in (("gravity", 1), ("bias", 2), ("rnea", 3), ("aba", 3), ("center_of_mass", 1), ("potential_energy", 1)):
        yield name, getattr(f, name), x[:n]
    yield "kinetic_energy", f.kinetic_energy, x[:2]
    yield "frame_placement", lambda q: f.frame_placement(q, frame), x[:1]
    yield "frame_velocity", lambda q, v: f.frame_velocity(q, v, frame, "world"), x[:2]


def derivatives():
    """Against differences, also of broadcast arguments; the robot's own to the last bits."""
    for states in ((), (3,)):
        for name, f, given in calls(ARM, *states):
            assert torch.autograd.gradcheck(f, given, rtol=1e-4, atol=1e-6), name
    q, v, a = random(needs=True)
    many = random(4, needs=True)
    assert torch.autograd.gradcheck(ARM.torch.aba, (q, many[1], a), rtol=1e-4, atol=1e-5)
    for name in ("rnea", "aba"):
        exact = getattr(ARM, f"{name}_derivatives")(*(x.detach() for x in (q, v, a)))[1:]
        f = getattr(ARM.torch, name)
        rows = torch.autograd.functional.jacobian(f, (q, v, a))
        of = torch.func.jacrev(f, (0, 1, 2))(*(x.detach() for x in (q, v, a)))
        for found in (rows, of):
            for x, y in zip(found, exact, strict=True):
                near(x, y, 1e-13, f"{name}'s Jacobian")
    each = torch.vmap(torch.func.grad(lambda q: ARM.torch.potential_energy(q)))(many[0].detach())
    near(each, ARM.gravity(many[0].detach()), 1e-12, "gradients of states")


def manifold():
    """In the tangent space of a floating base."""
    zero = torch.zeros(LEGS.nv, dtype=torch.float64, requires_grad=True)
    for name, f, given in calls(LEGS):
        q, *rest = (x.detach() for x in given)
        of = lambda dv: f(LEGS.torch.integrate(q, dv), *rest)
        assert torch.autograd.gradcheck(of, (zero,), rtol=1e-4, atol=1e-4), name
    q, v, _ = (x.detach() for x in next(given for name, _, given in calls(LEGS) if name == "rnea"))
    near(LEGS.torch.integrate(q, v), LEGS.integrate(q, v), 1e-14, "integrate")
    g = torch.autograd.functional.jacobian(lambda q: LEGS.torch.rnea(q, v, v), q)
    near(g[:, 3:7] @ q[3:7], np.zeros(LEGS.nv), 1e-12, "along the quaternion")


def parameters():
    """Derivatives by inertias and gravity."""
    functions = ["rnea", "aba", "rnea_derivatives", "aba_derivatives", "parameter_derivatives"]
    robot = rbd.load(ROBOTS / "double_pendulum.urdf", functions=functions, inertia="all", gravity="runtime", **ALLOWED)
    q, v, a = random(n=2)
    at = torch.from_numpy(robot.default_inertia()), torch.from_numpy(robot.default_gravity())
    for name in ("rnea", "aba"):
        of = lambda inertia, gravity: getattr(robot.torch, name)(q, v, a, inertia=inertia, gravity=gravity)
        exact = getattr(robot, f"{name}_parameter_derivatives")(q, v, a)[1:]
        for found, expected in zip(torch.autograd.functional.jacobian(of, at), exact, strict=True):
            near(found, expected, 1e-12, f"{name} by parameters")
    assert robot.torch.rnea(q.float(), v.float(), a.float()).dtype == torch.float32


def steps():
    """The discrete step: the arm's own derivatives, and differences for a floating base."""
    arm = rbd.load(ROBOTS / "iiwa14.urdf", functions=["aba"], step="semi_implicit", **ALLOWED)
    q, v, tau = random(needs=True)
    many, dt = random(5), 0.01
    for mapped in (arm.torch.step(*many, dt), torch.vmap(lambda *x: arm.torch.step(*x, dt))(*many)):
        for found, expected in zip(mapped, arm.step(*many, dt), strict=True):
            near(found, expected, 0, "steps")
    exact = arm.step_derivatives(*(x.detach() for x in (q, v, tau)), dt)
    rows = torch.autograd.functional.jacobian(lambda *x: tuple(rbd.torch.step(arm, *x, dt)), (q, v, tau))
    for result, row in zip(("q", "v"), rows, strict=True):
        for name, matrix in zip(("q", "v", "tau"), row, strict=True):
            near(matrix, getattr(exact, f"d{result}_d{name}"), 1e-14, f"d{result}_d{name}")
    # One result alone.
    arm.torch.step(q, v, tau, dt).v.sum().backward()
    near(tau.grad, exact.dv_dtau.sum(axis=0), 1e-14, "gradient of the next velocity")
    time = torch.tensor(dt, requires_grad=True)
    refused(lambda: arm.torch.step(q, v, tau, time).v.sum().backward(), NotImplementedError, "step has no derivative by dt")
    torch.library.opcheck(torch.ops.rbd.step.default, (arm.torch._number, *random(3), torch.tensor(dt, dtype=torch.float64)))
    with_load = {"functions": ["aba"], "step": "semi_implicit", "actuated": ["iiwa_joint_2"], "loads": ["iiwa_link_7"]}
    driven = rbd.load(ROBOTS / "iiwa14.urdf", **with_load, **ALLOWED)
    q, v, u = (x.detach() for x in (q, v, tau[:1]))
    load = np.array([[2.0, 0, 0, 0.2, 0.03, 0, 0.03, 0, 0, 0.001]])
    exact = driven.actuated_step_derivatives(q, v, u, dt, inertia=load)
    rows = torch.autograd.functional.jacobian(lambda *x: tuple(driven.torch.actuated_step(*x, dt, inertia=load)), (q, v, u))
    for result, row in zip(("q", "v"), rows, strict=True):
        for name, matrix in zip(("q", "v", "u"), row, strict=True):
            near(matrix, getattr(exact, f"d{result}_d{name}"), 1e-14, f"d{result}_d{name} of controls")
    rng = np.random.default_rng(6)
    for integrator in ("semi_implicit", "explicit", "rk4"):
        options = {"base": "floating", "functions": ["aba"], "step": integrator, **ALLOWED}
        legs = rbd.load(ROBOTS / "hyq.urdf", **options)
        q = torch.from_numpy(legs.integrate(legs.neutral(), rng.normal(size=legs.nv)))
        dv, v, tau = (torch.from_numpy(x).requires_grad_() for x in rng.normal(size=(3, legs.nv)))
        of = lambda dv, v, tau: tuple(legs.torch.step(legs.torch.integrate(q, dv), v, tau, 0.05))
        assert torch.autograd.gradcheck(of, (dv, v, tau), rtol=1e-4, atol=1e-5), integrator


def single():
    """A robot of float32: values and gradients, of arguments of either type."""
    arm = rbd.load(ROBOTS / "iiwa14.urdf", dtype="float32", functions=FUNCTIONS, frames=["iiwa_link_7"], **ALLOWED)
    for n in ((), (5,)):
        wide = random(*n)
        for given in (wide, [x.float() for x in wide]):
            x = [y.clone().requires_grad_() for y in given]
            found = arm.torch.aba(*x)
            assert found.dtype == torch.float32
            near(found.detach(), arm.aba(*wide), 0, "aba in single precision")
            found.sum().backward()
            exact = arm.aba_derivatives(*wide)
            for y, matrix in zip(x, exact[1:], strict=True):
                assert y.grad.dtype == y.dtype
                near(y.grad, matrix.sum(axis=-2), 1e-6, "gradients in single precision")
    q, v, _ = random()
    assert arm.torch.integrate(q, v).dtype == torch.float32
    torch.library.opcheck(torch.ops.rbd.rnea.default, (arm.torch._number, *(x.float() for x in random())))


def operators():
    """What torch asks of operators: schema, shapes without values, gradients, and a compiler's view."""
    for needs in (False, True):
        for states in ((), (3,)):
            x = random(*states, needs=needs)
            # The number by which operators know the robot.
            number = ARM.torch._number
            torch.library.opcheck(torch.ops.rbd.rnea.default, (number, *x))
            torch.library.opcheck(torch.ops.rbd.aba.default, (number, *x))
            torch.library.opcheck(torch.ops.rbd.frame_placement.default, (number, x[0], "iiwa_link_7"))
    torch.library.opcheck(torch.ops.rbd.aba_derivatives.default, (ARM.torch._number, *random(3)))


def rollout():
    """Gradients of a rollout of 100 steps, against forward sensitivities by the robot's own derivatives of accelerations."""
    h, n = 0.005, 100
    controls = np.random.default_rng(4).normal(size=(n, 7)) * 5
    arm = rbd.load(ROBOTS / "iiwa14.urdf", functions=["aba"], step="semi_implicit", **ALLOWED)

    def by_aba(q, v, tau):
        v = v + h * rbd.torch.aba(ARM, q, v, tau)
        return q + h * v, v

    def gradient(step):
        given = torch.from_numpy(controls).requires_grad_()
        q, v = torch.full((7,), 0.3, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
        for tau in given:
            q, v = step(q, v, tau)
        ((q**2).sum() + (v**2).sum()).backward()
        return given.grad

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
    near(gradient(lambda q, v, tau: arm.torch.step(q, v, tau, h)), exact, 1e-10, "gradient of a rollout of steps")


def errors():
    """Sentences."""
    f, (q, v, a) = ARM.torch, random(needs=True)
    alone = rbd.load(ROBOTS / "iiwa14.urdf", functions=["rnea"], **ALLOWED)
    for call, kind, said in [
        (lambda: f.rnea(q[:5], v, a), ValueError, "rnea: q has shape (5,); it must be (7,), or have axes for states before"),
        (lambda: f.rnea(q, v), TypeError, "rnea() takes q, v, a"),
        (lambda: f.rneo, AttributeError, "iiwa14 has no function 'rneo' for torch"),
        (lambda: rbd.torch.rneo, AttributeError, "rbd.torch has no function 'rneo'"),
        (lambda: rbd.torch.rnea(q, v, a), TypeError, "rbd.torch.rnea takes a robot first, not Tensor"),
        (lambda: f.rnea(q.to("meta"), v, a), TypeError, "q is on meta; rbd.torch takes tensors on the CPU"),
        (lambda: f.crba(q).sum().backward(), NotImplementedError, "crba has no derivative by q for torch"),
        (lambda: alone.torch.rnea(q, v, a).sum().backward(), NotImplementedError, "of rnea needs rnea_derivatives"),
        (lambda: f.frame_placement(q, "hand"), ValueError, 'frame is "hand"; it must be one of "iiwa_link_7"'),
    ]:
        refused(call, kind, said)


def policy():
    """The example learns to balance, and says so by itself."""
    example = pathlib.Path(__file__).resolve().parent.parent / "examples" / "policy.py"
    subprocess.run([sys.executable, example, "--urdf", ROBOTS / "double_pendulum.urdf", "--iterations", "40"], check=True)


if __name__ == "__main__":
    for check in (values, derivatives, manifold, parameters, steps, single, operators, rollout, errors, policy):
        check()
        print(f"torch: {check.__name__}", flush=True)
