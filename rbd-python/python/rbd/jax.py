"""A robot's functions for JAX, on CPUs: `jit`, `vmap`, forward and reverse mode, sharding.

    import jax, rbd
    jax.config.update("jax_enable_x64", True)
    arm = rbd.load("iiwa14.urdf")
    tau = jax.jit(jax.vmap(arm.jax.rnea))(q, v, a)
    dtau = jax.jacobian(arm.jax.rnea)(q, v, a)

Derivatives are the robot's analytical ones: `rnea_derivatives` for `rnea`, `aba_derivatives` for `aba`, Jacobians for
frames. They need not be among the functions that are used, but must be loaded. Derivatives of configurations are by
coordinates. A step of a quaternion counts with its part that turns, so that a gradient is tangent to the unit quaternions;
use `jax.grad` of `lambda dv: f(arm.jax.integrate(q, dv))` at zero for one in the tangent space.

Arrays of float32 are computed in double precision and given back as float32.
"""

import functools
import weakref

import jax
import jax.numpy as jnp
import numpy as np

from . import _core, results

__all__ = ["Functions", "functions"]

_TARGET = "rbd"
_robots = weakref.WeakKeyDictionary()


@functools.cache
def _register():
    jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(_core._xla_handler), platform="cpu")


def functions(robot):
    """The functions of a robot that `rbd.load` gave; also its attribute `jax`."""
    if robot not in _robots:
        _robots[robot] = Functions(robot)
    return _robots[robot]


class Functions:
    """A robot's functions for JAX, by the names of the robot's own. Functions of frames take frame and axes by position."""

    def __init__(self, robot):
        _register()
        # Not the robot: it is a key of `_robots`.
        self._functions = robot.functions
        self._joints = robot.JOINTS
        self._sizes = robot.NQ, robot.NV
        self._name = robot.NAME
        for name, function in self._functions.items():
            # This class has one that can be differentiated.
            if name != "integrate":
                setattr(self, name, _wrapped(self, name, function))

    def __getattr__(self, name):
        raise AttributeError(f"{self._name} has no function {name!r} for JAX; functions= of rbd.load says which are loaded")

    def _known(self, name, of):
        if name not in self._functions:
            raise NotImplementedError(
                f"the derivative of {of} needs {name}, which {self._name} was loaded without: name it in functions="
            )
        return getattr(self, name)

    def integrate(self, q, dv):
        """The configuration reached from `q` by the tangent vector `dv` (a velocity times a time)."""
        return _by_joints(self._joints, lambda joint, q, dv: _INTEGRATE.get(joint.kind, jnp.add)(q, dv), q, dv)

    def tangent(self, q, dq):
        """The tangent vector of a step `dq` of the coordinates at `q`."""
        return _by_joints(self._joints, lambda joint, q, dq: _TANGENT.get(joint.kind, _same)(q, dq), q, dq, at="v")


def _wrapped(robot, name, function):
    """A function of arrays; those of frames take a frame, and axes, after them."""
    takes = [(argument, tuple(shape)) for argument, shape in function.inputs]
    gives = [tuple(shape) for _, shape in function.outputs]
    names = list(function.__signature__.parameters)
    chosen = [name for name in names if name in ("frame", "reference")]
    given = {argument for argument in names[len(takes) + len(chosen) :]} & {"inertia", "gravity"}
    required = [argument for argument, _ in takes if argument not in given]
    result = getattr(results, function._result) if function._result else None

    def call(number, *arrays):
        dtype = jnp.result_type(float, *arrays)
        leads = [np.shape(x)[: np.ndim(x) - len(shape)] for x, (_, shape) in zip(arrays, takes, strict=True)]
        lead = np.broadcast_shapes(*leads)
        # Axes of length one stand for all states: nothing is copied.
        full = [
            jnp.asarray(x, dtype).reshape((1,) * (len(lead) - len(own)) + own + shape)
            for x, own, (_, shape) in zip(arrays, leads, takes, strict=True)
        ]
        outputs = [jax.ShapeDtypeStruct(lead + shape, dtype) for shape in gives]
        found = jax.ffi.ffi_call(_TARGET, outputs, vmap_method="expand_dims")(*full, function=np.int64(number))
        return result(*found) if result else found[0]

    @functools.cache
    def of(choice):
        number = function._xla(**dict(zip(chosen, choice, strict=True)))

        @jax.custom_jvp
        def differentiable(*arrays):
            return call(number, *arrays)

        @functools.partial(differentiable.defjvp, symbolic_zeros=True)
        def _(primals, tangents):
            at = dict(zip((argument for argument, _ in takes), primals, strict=True))
            # Only what moves: the rest has no derivative to be asked for.
            steps = {argument: step for argument, step in zip(at, tangents, strict=True) if not _is_zero(step)}
            if "q" in steps:
                steps["q"] = robot.tangent(at["q"], steps["q"])
            value = differentiable(*primals)
            terms = _RULES.get(name, {})
            unknown = steps.keys() - terms.keys()
            if unknown:
                raise NotImplementedError(f"{name} has no derivative by {', '.join(sorted(unknown))} for JAX")
            call = _Call(robot, name, choice, at)
            moved = sum(terms[argument](call, step) for argument, step in steps.items())
            return value, moved if steps else jnp.zeros_like(value)

        return differentiable

    defaults = function._defaults()

    def wrapped(*arguments, **keywords):
        values = dict(zip(required + chosen, arguments))
        if len(arguments) > len(required) + len(chosen) or values.keys() & keywords.keys():
            raise TypeError(f"{name}() takes {', '.join(required + chosen)}")
        values |= keywords
        missing = [argument for argument in required + chosen if argument not in values]
        unknown = values.keys() - set(required + chosen) - given
        if missing or unknown:
            raise TypeError(f"{name}() takes {', '.join(required + chosen)}")
        choice = tuple(values.pop(key) for key in chosen)
        for argument, shape in takes:
            if argument not in values:
                values[argument] = defaults[argument]
            if np.shape(values[argument])[np.ndim(values[argument]) - len(shape) :] != shape:
                found = np.shape(values[argument])
                raise ValueError(f"{name}: {argument} has shape {found}; it must be {shape}, or have axes for states before")
        return of(choice)(*(values[argument] for argument, _ in takes))

    wrapped.__name__ = wrapped.__qualname__ = name
    wrapped.__doc__ = function.__doc__
    wrapped.__signature__ = function.__signature__.replace(
        parameters=[p for p in function.__signature__.parameters.values() if p.name not in ("out", "threads")]
    )
    return wrapped


# Forward mode: for each function and argument, what a step of the argument adds to the result. Each is linear in the step,
# so that JAX transposes it for reverse mode. Steps of q are tangent vectors.


class _Call:
    """A call whose derivative is asked for: functions of the robot are computed once."""

    def __init__(self, robot, name, choice, at):
        self.robot, self.name, self.choice, self.at = robot, name, choice, at
        self.known = {}

    def of(self, function, *arguments, keywords=()):
        """A function of the arguments with these names; zeros stand for one that the call does not have."""
        if function not in self.known:
            zeros = jnp.zeros(self.at["q"].shape[:-1] + (self.robot._sizes[1],), self.at["q"].dtype)
            values = [self.at.get(name, zeros) for name in arguments]
            more = {name: self.at[name] for name in ("inertia", "gravity") if name in self.at}
            self.known[function] = self.robot._known(function, self.name)(*values, *self.choice, *keywords, **more)
        return self.known[function]


def _is_zero(step):
    return isinstance(step, jax.custom_derivatives.SymbolicZero)


def _times(matrix, step):
    return jnp.einsum("...ij,...j->...i", matrix, step)


def _dot(gradient, step):
    return jnp.sum(gradient * step, axis=-1)


def _by(product, field, function, *arguments):
    return lambda call, step: product(getattr(call.of(function, *arguments), field), step)


def _alone(product, function, *arguments):
    return lambda call, step: product(call.of(function, *arguments), step)


def _by_inertia(derivative, step):
    return jnp.einsum("...ikp,...kp->...i", derivative, step)


def _of_dynamics(value, third, *names, fext=()):
    """Torques or accelerations by those arguments of theirs that have these names."""
    function, arguments = f"{_function_of(value)}_derivatives", ("q", "v", third)
    terms = {
        "q": _by(_times, f"{value}_dq", function + "".join(fext), *arguments, *(["fext"] if fext else [])),
        "v": _by(_times, f"{value}_dv", function + "".join(fext), *arguments, *(["fext"] if fext else [])),
        third: _by(_times, f"{value}_d{third}", function + "".join(fext), *arguments, *(["fext"] if fext else [])),
    }
    if not fext:
        of_parameters = f"{_function_of(value)}_parameter_derivatives"
        terms["inertia"] = _by(_by_inertia, f"{value}_dinertia", of_parameters, *arguments)
        terms["gravity"] = _by(_times, f"{value}_dgravity", of_parameters, *arguments)
        names += ("inertia", "gravity")
    return {name: terms[name] for name in names}


def _function_of(value):
    return {"dtau": "rnea", "ddq": "aba"}[value]


def _cross(w):
    """The matrix of the cross product by w."""
    zero = jnp.zeros_like(w[..., 0])
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    rows = [jnp.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    return jnp.stack(rows, axis=-2)


def _placement_by_q(call, step):
    pose = call.of("frame_placement", "q")
    twist = _times(call.of("frame_jacobian", "q", keywords=("local",)), step)
    rotation = pose[..., :3, :3]
    turned = rotation @ _cross(twist[..., 3:])
    top = jnp.concatenate([turned, _times(rotation, twist[..., :3])[..., None]], axis=-1)
    return jnp.concatenate([top, jnp.zeros_like(pose[..., :1, :])], axis=-2)


_RULES = {
    "rnea": _of_dynamics("dtau", "a", "q", "v", "a"),
    "rnea_fext": _of_dynamics("dtau", "a", "q", "v", "a", fext=("_fext",)),
    "bias": _of_dynamics("dtau", "a", "q", "v"),
    "gravity": _of_dynamics("dtau", "a", "q"),
    "aba": _of_dynamics("ddq", "tau", "q", "v", "tau"),
    "aba_fext": _of_dynamics("ddq", "tau", "q", "v", "tau", fext=("_fext",)),
    "center_of_mass": {"q": _alone(_times, "center_of_mass_jacobian", "q")},
    "potential_energy": {"q": _alone(_dot, "gravity", "q")},
    "kinetic_energy": {
        "q": _by(_dot, "denergy_dq", "kinetic_energy_derivatives", "q", "v"),
        "v": _by(_dot, "denergy_dv", "kinetic_energy_derivatives", "q", "v"),
    },
    "frame_placement": {"q": _placement_by_q},
    "frame_velocity": {
        "q": _by(_times, "dv_dq", "frame_velocity_derivatives", "q", "v"),
        "v": _by(_times, "dv_dv", "frame_velocity_derivatives", "q", "v"),
    },
}

# The manifold of configurations, a joint at a time.


def _by_joints(joints, f, q, x, at="q"):
    """Joins the results of a function of each joint's own coordinates."""
    wide = [k for k, joint in enumerate(joints) if joint.kind in _TANGENT and joint.mimic is None]
    if not wide:
        return f(joints[0]._replace(kind="revolute"), q, x) if joints else x
    parts = []
    for joint in joints:
        if joint.mimic is None:
            x_at = (joint.idx_q, joint.nq) if x.shape[-1] == q.shape[-1] and at == "v" else (joint.idx_v, joint.nv)
            own_q = q[..., joint.idx_q : joint.idx_q + joint.nq]
            parts.append(f(joint, own_q, x[..., x_at[0] : sum(x_at)]))
    return jnp.concatenate(parts, axis=-1)


def _same(q, x):
    return x


def _product(a, b):
    """Of quaternions x, y, z, w."""
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    return jnp.concatenate([s * v + t * u + jnp.cross(u, v), s * t - jnp.sum(u * v, axis=-1, keepdims=True)], axis=-1)


def _conjugate(q):
    return q * jnp.array([-1, -1, -1, 1], q.dtype)


def _rotated(q, x):
    """The vector x turned by a unit quaternion."""
    u, s = q[..., :3], q[..., 3:]
    return x + 2 * jnp.cross(u, jnp.cross(u, x) + s * x)


def _turn(q, dq):
    """The angular velocity of a step of a quaternion, in the child's frame; its part along q counts for nothing."""
    return 2 * _product(_conjugate(q), dq)[..., :3] / jnp.sum(q * q, axis=-1, keepdims=True)


def _series(w2):
    """sin(t/2)/t, cos(t/2), (1 - cos t)/t^2 and (t - sin t)/t^3 of t^2, smooth at zero."""
    small = w2 < 1e-4
    t2 = jnp.where(small, 1.0, w2)
    t = jnp.sqrt(t2)
    x = jnp.where(small, w2, 0.0)
    return (
        jnp.where(small, 0.5 - x / 48 + x * x / 3840, jnp.sin(t / 2) / t),
        jnp.where(small, 1 - x / 8 + x * x / 384, jnp.cos(t / 2)),
        jnp.where(small, 0.5 - x / 24 + x * x / 720, (1 - jnp.cos(t)) / t2),
        jnp.where(small, 1 / 6 - x / 120 + x * x / 5040, (t - jnp.sin(t)) / (t2 * t)),
    )


def _exp(w):
    """The unit quaternion of a rotation vector."""
    half_sinc, cos, _, _ = _series(jnp.sum(w * w, axis=-1, keepdims=True))
    return jnp.concatenate([half_sinc * w, cos], axis=-1)


def _integrate_floating(q, dv):
    p, turn, u, w = q[..., :3], q[..., 3:], dv[..., :3], dv[..., 3:]
    _, _, b, c = _series(jnp.sum(w * w, axis=-1, keepdims=True))
    moved = u + b * jnp.cross(w, u) + c * jnp.cross(w, jnp.cross(w, u))
    return jnp.concatenate([p + _rotated(turn, moved), _product(turn, _exp(w))], axis=-1)


def _planar_rotation(angle, x):
    c, s = jnp.cos(angle)[..., None], jnp.sin(angle)[..., None]
    return jnp.concatenate([c * x[..., :1] - s * x[..., 1:], s * x[..., :1] + c * x[..., 1:]], axis=-1)


def _integrate_planar(q, dv):
    w = jnp.concatenate([jnp.zeros_like(dv[..., :2]), dv[..., 2:]], axis=-1)
    u = jnp.concatenate([dv[..., :2], jnp.zeros_like(dv[..., :1])], axis=-1)
    _, _, b, c = _series(jnp.sum(w * w, axis=-1, keepdims=True))
    moved = u + b * jnp.cross(w, u) + c * jnp.cross(w, jnp.cross(w, u))
    return jnp.concatenate([q[..., :2] + _planar_rotation(q[..., 2], moved[..., :2]), q[..., 2:] + dv[..., 2:]], axis=-1)


_INTEGRATE = {
    "floating": _integrate_floating,
    "spherical": lambda q, dv: _product(q, _exp(dv)),
    "planar": _integrate_planar,
}

# Steps of coordinates as velocities in the child's frame.
_TANGENT = {
    "floating": lambda q, dq: jnp.concatenate(
        [_rotated(_conjugate(q[..., 3:]), dq[..., :3]), _turn(q[..., 3:], dq[..., 3:])], axis=-1
    ),
    "spherical": _turn,
    "planar": lambda q, dq: jnp.concatenate([_planar_rotation(-q[..., 2], dq[..., :2]), dq[..., 2:]], axis=-1),
}
