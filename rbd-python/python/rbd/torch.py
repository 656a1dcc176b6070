"""A robot's functions for torch, on CPUs: reverse mode, `torch.vmap`, and shapes for compilers.

    import torch, rbd
    arm = rbd.load("iiwa14.urdf")
    tau = rbd.torch.rnea(arm, q, v, a)                     # or arm.torch.rnea(q, v, a)
    tau.sum().backward()

Derivatives are those of `rbd.jax`, of the first order and in reverse mode only: custom operators of torch have no forward
mode. They are by coordinates. A gradient by a quaternion is tangent to the unit quaternions.

Tensors of float32 are computed in double precision and given back as float32. A robot that was loaded with `dtype="float32"` computes in
single precision and gives float32.
"""

import functools
import itertools
import weakref

import numpy as np
import torch
from torch.utils import _pytree

from . import derivatives
from .manifold import Manifold

__all__ = ["Functions", "functions"]

_robots = weakref.WeakKeyDictionary()
# Operators take numbers, not robots.
_by_number = weakref.WeakValueDictionary()
_numbers = itertools.count(1)


def functions(robot):
    """The functions of a robot that `rbd.load` gave; also its attribute `torch`."""
    if robot not in _robots:
        _robots[robot] = Functions(robot)
    return _robots[robot]


def __getattr__(name):
    return derivatives.robot_first(__name__, name, functions)


class Functions:
    """A robot's functions for torch, by the names of the robot's own. Functions of frames take frame and axes by position."""

    def __init__(self, robot):
        # Not the robot: it is a key of `_robots`.
        self._functions = derivatives.shared(robot)
        self._manifold = Manifold(torch, torch.linalg.cross, robot.JOINTS)
        self._name = robot.NAME
        self._dtype = torch.float32 if robot.dtype == np.float32 else None
        self._number = next(_numbers)
        _by_number[self._number] = self
        self._forms = {name: derivatives.Form(name, function) for name, function in self._functions.items()}
        for name, form in self._forms.items():
            # This class has one that can be differentiated.
            if name != "integrate":
                setattr(self, name, _wrapped(self, form))

    def __getattr__(self, name):
        raise derivatives.missing(self._name, name, "torch")

    def integrate(self, q, dv):
        """The configuration reached from `q` by the tangent vector `dv` (a velocity times a time)."""
        (q, dv), _ = self._forms["integrate"].bind((q, dv), {})
        q, dv = _tensors("integrate", (q, dv), ("q", "dv"), self._dtype)
        lead = torch.broadcast_shapes(q.shape[:-1], dv.shape[:-1])
        return self._manifold.integrate(q.expand(*lead, q.shape[-1]), dv.expand(*lead, dv.shape[-1]))


def _tensors(name, values, names, wanted):
    """Tensors of one type, float32 or float64, on the CPU: of the type that is wanted, if one is."""
    found = [value if isinstance(value, torch.Tensor) else torch.as_tensor(np.asarray(value)) for value in values]
    # Numbers that are no tensors, such as default parameters, do not make a call double.
    typed = [x.dtype for x, value in zip(found, values) if isinstance(value, torch.Tensor)] or [x.dtype for x in found]
    typed = [dtype for dtype in typed if dtype.is_floating_point]
    dtype = wanted or (torch.float64 if torch.float64 in typed or not typed else torch.float32)
    for x, argument in zip(found, names):
        if x.device.type != "cpu":
            raise TypeError(f"{name}: {argument} is on {x.device}; rbd.torch takes tensors on the CPU")
        if x.dtype.is_complex:
            raise TypeError(f"{name}: {argument} is complex; it must be real")
    return [x.to(dtype) for x in found]


def _wrapped(robot, form):
    """A function of tensors; those of frames take a frame, and axes, after them."""
    names = [argument for argument, _ in form.takes]
    operator = _operator(form)
    if form.result:
        _known(form.result)

    def wrapped(*arguments, **keywords):
        arrays, choice = form.bind(arguments, keywords)
        found = operator(robot._number, *_tensors(form.name, arrays, names, robot._dtype), *choice)
        return form.result(*found) if form.result else found

    return form.describe(wrapped)


@functools.cache
def _known(result):
    """Lets transformations of torch return this class of results."""
    _pytree.register_pytree_node(result, lambda x: (list(x), None), lambda x, _: result(*x))


def _robot(number):
    robot = _by_number.get(number)
    if robot is None:
        raise RuntimeError(f"the robot number {number} of an operator is no longer there: keep it while tensors need it")
    return robot


_operators = {}


def _operator(form):
    """The operator of all functions with this name and form: `rbd::rnea`, with parameters `rbd::rnea_inertia_gravity`."""
    names = [argument for argument, _ in form.takes]
    schema = ["int robot", *(f"Tensor {name}" for name in names), *(f"str {name}" for name in form.chosen)]
    gives = "Tensor" if form.result is None else f"({', '.join(['Tensor'] * len(form.gives))})"
    schema = f"({', '.join(schema)}) -> {gives}"
    key = form.name, schema
    if key not in _operators:
        name = "_".join([form.name, *(name for name in names if name in form.given)])
        # Fused functions of several robots may have one name, and take different arguments.
        same = sum(other.startswith(f"{name}#") for other in _named)
        _named.add(f"{name}#{same}")
        _operators[key] = _made(f"rbd::{name}_{same + 1}" if same else f"rbd::{name}", form.name, names, schema)
    return _operators[key]


_named = set()


def _leads(robot, name, arrays):
    """Axes of states: of each array, and of the result."""
    takes = robot._forms[name].takes
    leads = [x.shape[: x.dim() - len(shape)] for x, (_, shape) in zip(arrays, takes, strict=True)]
    return leads, torch.broadcast_shapes(*leads)


def _made(operator, name, names, schema):
    n = len(names)

    def compute(number, *arguments):
        robot = _robot(number)
        form = robot._forms[name]
        arrays, choice = arguments[:n], arguments[n:]
        values = {argument: x.numpy(force=True) for argument, x in zip(names, arrays, strict=True)}
        found = robot._functions[name](**values, **dict(zip(form.chosen, choice, strict=True)))
        found = [torch.from_numpy(np.asarray(x)).contiguous().to(arrays[0].dtype) for x in (found if form.result else (found,))]
        return tuple(found) if form.result else found[0]

    def fake(number, *arguments):
        robot = _robot(number)
        form, arrays = robot._forms[name], arguments[:n]
        _, lead = _leads(robot, name, arrays)
        found = [arrays[0].new_empty((*lead, *shape)) for shape in form.gives]
        return tuple(found) if form.result else found[0]

    def mapped(again, places, number, *arguments):
        robot = _robot(number)
        form, arrays, places = robot._forms[name], list(arguments[:n]), places[1 : n + 1]
        own = [x.dim() - (place is not None) - len(shape) for x, place, (_, shape) in zip(arrays, places, form.takes, strict=True)]
        for k, (x, place) in enumerate(zip(arrays, places)):
            if place is not None:
                x = x.movedim(place, 0)
                # The mapped axis comes first, before all axes of states.
                arrays[k] = x.reshape(x.shape[0], *(1,) * (max(own) - own[k]), *x.shape[1:])
        found = again(number, *arrays, *arguments[n:])
        return found, (0,) * len(found) if form.result else 0

    def keep(ctx, inputs, output):
        # The robot itself too: it must be there when the gradient is asked for.
        ctx.robot, ctx.choice = _robot(inputs[0]), inputs[n + 1 :]
        ctx.save_for_backward(*inputs[1 : n + 1])

    def gradients_of(ctx, *gradients):
        moved = [argument for argument, needs in zip(names, ctx.needs_input_grad[1 : n + 1]) if needs]
        at = dict(zip(names, ctx.saved_tensors, strict=True))
        found = _gradients(ctx.robot, name, at, ctx.choice, moved, gradients)
        return None, *(found.get(argument) for argument in names), *(None,) * len(ctx.choice)

    defined = torch.library.custom_op(operator, compute, mutates_args=(), device_types="cpu", schema=schema)
    defined.register_fake(fake)
    defined.register_vmap(lambda info, places, *given: mapped(defined, places, *given))
    defined.register_autograd(gradients_of, setup_context=keep)

    class Transformed(torch.autograd.Function):
        """The operator for `torch.func`, whose transformations do not see an operator's own gradient."""

        forward = staticmethod(lambda *given: defined(*given))
        setup_context = staticmethod(keep)
        backward = staticmethod(gradients_of)
        vmap = staticmethod(lambda info, places, *given: mapped(Transformed.apply, places, *given))

    return Transformed.apply


def _gradients(robot, name, at, choice, moved, gradients):
    """The gradients by arguments of a call, of the gradients of its results."""
    terms, found, known = derivatives.terms(robot._forms[name], moved, "torch"), {}, {}
    for argument, of_results in terms.items():
        total = 0
        for term, gradient in zip(of_results, gradients, strict=True):
            if term.function not in known:
                known[term.function] = _derivative(robot, name, term, at, choice)
            results = known[term.function]
            derivative = getattr(results, term.field) if term.field else results
            if term.kind == "placement":
                gradient = _by_twist(robot, at, choice, gradient)
            if term.kind == "configuration":
                gradient = robot._manifold.pulled(results.q, gradient)
            kind = term.kind if term.kind in derivatives.BACKWARD else "matrix"
            total = total + torch.einsum(derivatives.BACKWARD[kind], derivative, gradient)
        if argument == "q":
            q = at["q"].expand(*total.shape[:-1], at["q"].shape[-1])
            total = robot._manifold.gradient(q, total)
        found[argument] = total.sum_to_size(at[argument].shape)
    return found


def _derivative(robot, name, term, at, choice):
    """The derivative of a term; zeros stand for arguments that the call does not have."""
    form = robot._forms.get(term.function)
    if form is None:
        raise derivatives.needed(robot._name, term.function, name)
    values = [at[argument] if argument in at else at["q"].new_zeros(shape) for argument, shape in form.takes]
    more = (term.reference,) if term.reference else ()
    found = _operator(form)(robot._number, *values, *choice, *more)
    return form.result(*found) if form.result else found


def _by_twist(robot, at, choice, gradient):
    """The gradient by a twist in the frame's axes, of one by its pose."""
    pose = _operator(robot._forms["frame_placement"])(robot._number, at["q"], *choice)
    turn = pose[..., :3, :3].transpose(-1, -2)
    shift, a = (turn @ gradient[..., :3, 3:])[..., 0], turn @ gradient[..., :3, :3]
    spin = [a[..., 2, 1] - a[..., 1, 2], a[..., 0, 2] - a[..., 2, 0], a[..., 1, 0] - a[..., 0, 1]]
    return torch.cat([shift, torch.stack(spin, dim=-1)], dim=-1)
