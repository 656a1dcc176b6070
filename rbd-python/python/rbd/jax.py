"""A robot's functions for JAX, on CPUs: `jit`, `vmap`, forward and reverse mode, sharding.

    import jax, rbd
    jax.config.update("jax_enable_x64", True)
    arm = rbd.load("iiwa14.urdf")
    tau = jax.jit(jax.vmap(arm.jax.rnea))(q, v, a)
    dtau = jax.jacobian(arm.jax.rnea)(q, v, a)

`rbd.jax.rnea(arm, q, v, a)` is `arm.jax.rnea(q, v, a)`, and so for every function.

Derivatives are the robot's analytical ones: `rnea_derivatives` for `rnea`, `aba_derivatives` for `aba`, Jacobians for
frames. They need not be among the functions that are used, but must be loaded. Derivatives of configurations are by
coordinates. A step of a quaternion counts with its part that turns, so that a gradient is tangent to the unit quaternions;
use `jax.grad` of `lambda dv: f(arm.jax.integrate(q, dv))` at zero for one in the tangent space.

Arrays of float32 are computed in double precision and given back as float32. A robot that was loaded with `dtype="float32"` computes in
single precision, and takes and gives float32 alone.
"""

import functools
import weakref

import jax
import jax.numpy as jnp
import numpy as np

from . import _core, derivatives
from .manifold import Manifold

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


def __getattr__(name):
    return derivatives.robot_first(__name__, name, functions)


class Functions:
    """A robot's functions for JAX, by the names of the robot's own. Functions of frames take frame and axes by position."""

    def __init__(self, robot):
        _register()
        # Not the robot: it is a key of `_robots`.
        self._functions = derivatives.shared(robot)
        self._manifold = Manifold(jnp, jnp.cross, robot.JOINTS)
        self._nv = robot.NV
        # Robots of double precision give what they are given.
        self._dtype = jnp.float32 if robot.dtype == np.float32 else None
        self._name = robot.NAME
        for name, function in self._functions.items():
            # This class has one that can be differentiated.
            if name != "integrate":
                setattr(self, name, _wrapped(self, name, function))

    def __getattr__(self, name):
        raise derivatives.missing(self._name, name, "JAX")

    def integrate(self, q, dv):
        """The configuration reached from `q` by the tangent vector `dv` (a velocity times a time)."""
        return self._manifold.integrate(jnp.asarray(q, self._dtype), jnp.asarray(dv, self._dtype))

    def tangent(self, q, dq):
        """The tangent vector of a step `dq` of the coordinates at `q`."""
        return self._manifold.tangent(jnp.asarray(q, self._dtype), jnp.asarray(dq, self._dtype))


def _wrapped(robot, name, function):
    """A function of arrays; those of frames take a frame, and axes, after them."""
    form = derivatives.Form(name, function)

    def call(number, *arrays):
        dtype = jnp.result_type(float, *arrays)
        leads = [np.shape(x)[: np.ndim(x) - len(shape)] for x, (_, shape) in zip(arrays, form.takes, strict=True)]
        lead = np.broadcast_shapes(*leads)
        # Axes of length one stand for all states: nothing is copied.
        full = [
            jnp.asarray(x, dtype).reshape((1,) * (len(lead) - len(own)) + own + shape)
            for x, own, (_, shape) in zip(arrays, leads, form.takes, strict=True)
        ]
        outputs = [jax.ShapeDtypeStruct(lead + shape, dtype) for shape in form.gives]
        found = jax.ffi.ffi_call(_TARGET, outputs, vmap_method="expand_dims")(*full, function=np.int64(number))
        return form.result(*found) if form.result else found[0]

    @functools.cache
    def of(choice):
        number = function._xla(**dict(zip(form.chosen, choice, strict=True)))

        @jax.custom_jvp
        def differentiable(*arrays):
            return call(number, *arrays)

        @functools.partial(differentiable.defjvp, symbolic_zeros=True)
        def _(primals, tangents):
            at = dict(zip((argument for argument, _ in form.takes), primals, strict=True))
            # Only what moves: the rest has no derivative to be asked for.
            steps = {argument: step for argument, step in zip(at, tangents, strict=True) if not _is_zero(step)}
            if "q" in steps:
                steps["q"] = robot.tangent(at["q"], steps["q"])
            value = differentiable(*primals)
            call = _Call(robot, name, dict(zip(form.chosen, choice, strict=True)), at)
            terms = derivatives.terms(form, steps, "JAX")
            values = value if form.result else (value,)
            moved = [jnp.zeros_like(x) for x in values]
            for argument, of_results in terms.items():
                for k, term in enumerate(of_results):
                    moved[k] = moved[k] + _moved(call, term, values[k], steps[argument])
            return value, form.result(*moved) if form.result else moved[0]

        return differentiable

    def wrapped(*arguments, **keywords):
        arrays, choice = form.bind(arguments, keywords)
        if robot._dtype:
            # Outside of the derivative, so that gradients have the arguments' type.
            arrays = [jnp.asarray(x, robot._dtype) for x in arrays]
        return of(choice)(*arrays)

    return form.describe(wrapped)


# Forward mode: what a step of an argument adds to the result. It is linear in the step, so that JAX transposes it for reverse
# mode. Steps of q are tangent vectors.


class _Call:
    """A call whose derivative is asked for: functions of the robot are computed once."""

    def __init__(self, robot, name, choice, at):
        self.robot, self.name, self.choice, self.at = robot, name, choice, at
        self.known = {}

    def of(self, term):
        """The derivative of a term; zeros stand for arguments that the call does not have."""
        function = term.function
        if function not in self.known:
            if function not in self.robot._functions:
                raise derivatives.needed(self.robot._name, function, self.name)
            zeros = jnp.zeros(self.at["q"].shape[:-1] + (self.robot._nv,), self.at["q"].dtype)
            values = {name: self.at.get(name, zeros) for name, _ in self.robot._functions[function].inputs}
            more = {"reference": term.reference} if term.reference else {}
            self.known[function] = getattr(self.robot, function)(**values, **self.choice, **more)
        found = self.known[function]
        return getattr(found, term.field) if term.field else found


def _is_zero(step):
    return isinstance(step, jax.custom_derivatives.SymbolicZero)


def _moved(call, term, value, step):
    derivative = call.of(term)
    if term.kind in derivatives.FORWARD:
        return jnp.einsum(derivatives.FORWARD[term.kind], derivative, step)
    twist = jnp.einsum(derivatives.FORWARD["matrix"], derivative, step)
    if term.kind == "configuration":
        return call.robot._manifold.step(value, twist)
    rotation = value[..., :3, :3]
    shift = jnp.einsum("...ij,...j->...i", rotation, twist[..., :3])[..., None]
    top = jnp.concatenate([rotation @ _cross(twist[..., 3:]), shift], axis=-1)
    return jnp.concatenate([top, jnp.zeros_like(value[..., :1, :])], axis=-2)


def _cross(w):
    """The matrix of the cross product by w."""
    zero = jnp.zeros_like(w[..., 0])
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    rows = [jnp.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    return jnp.stack(rows, axis=-2)
