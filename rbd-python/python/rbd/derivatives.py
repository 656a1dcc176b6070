"""The table of derivatives by which functions are differentiated, for JAX and for torch, and how both take calls."""

from typing import NamedTuple

import numpy as np

from . import _core, results

# How a derivative is multiplied by a step of the argument, and by a gradient of the result.
FORWARD = {"matrix": "...ij,...j->...i", "gradient": "...j,...j->...", "tensor": "...ikp,...kp->...i"}
BACKWARD = {"matrix": "...ij,...i->...j", "gradient": "...j,...->...j", "tensor": "...ikp,...i->...kp"}


class Term(NamedTuple):
    """The derivative of a result by one argument: a function of the robot, or a field of its results.

    `kind` is one of `FORWARD`, or one of two matrices whose rows are tangent vectors of the result. `placement` is a Jacobian
    of a frame in its own axes. `configuration` is of a configuration, which the function gives as its field `q`.
    Arguments are taken by name from the call, and are zero if it has none of that name. Derivatives by q are by tangent vectors.
    """

    kind: str
    function: str
    field: "str | None" = None
    reference: "str | None" = None


def _of_steps(function, *names):
    """Both results of a step by these arguments."""
    return {name: (Term("configuration", function, f"dq_d{name}"), Term("matrix", function, f"dv_d{name}")) for name in names}


def _of_dynamics(value, third, *names, fext=""):
    """Torques or accelerations by those arguments of theirs that have these names."""
    of = {"dtau": "rnea", "ddq": "aba"}[value]
    terms = {name: Term("matrix", f"{of}_derivatives{fext}", f"{value}_d{name}") for name in ("q", "v", third)}
    terms = {name: terms[name] for name in names}
    if not fext:
        terms["inertia"] = Term("tensor", f"{of}_parameter_derivatives", f"{value}_dinertia")
        terms["gravity"] = Term("matrix", f"{of}_parameter_derivatives", f"{value}_dgravity")
    return terms


# By arguments: a term, or for several results a tuple of one for each.
TERMS = {
    "rnea": _of_dynamics("dtau", "a", "q", "v", "a"),
    "rnea_fext": _of_dynamics("dtau", "a", "q", "v", "a", fext="_fext"),
    "bias": _of_dynamics("dtau", "a", "q", "v"),
    "gravity": _of_dynamics("dtau", "a", "q"),
    "aba": _of_dynamics("ddq", "tau", "q", "v", "tau"),
    "aba_fext": _of_dynamics("ddq", "tau", "q", "v", "tau", fext="_fext"),
    "center_of_mass": {"q": Term("matrix", "center_of_mass_jacobian")},
    "potential_energy": {"q": Term("gradient", "gravity")},
    "kinetic_energy": {
        "q": Term("gradient", "kinetic_energy_derivatives", "denergy_dq"),
        "v": Term("gradient", "kinetic_energy_derivatives", "denergy_dv"),
    },
    "frame_placement": {"q": Term("placement", "frame_jacobian", reference="local")},
    "frame_velocity": {
        "q": Term("matrix", "frame_velocity_derivatives", "dv_dq"),
        "v": Term("matrix", "frame_velocity_derivatives", "dv_dv"),
    },
    "step": _of_steps("step_derivatives", "q", "v", "tau"),
    "actuated_step": _of_steps("actuated_step_derivatives", "q", "v", "u"),
}


def terms(form, moved, package):
    """The terms of a function by the arguments that move: for each argument, one term a result."""
    known = TERMS.get(form.name, {})
    if form.name == "step" and "dt" not in form.names:
        # A fused function of this name.
        known = {}
    unknown = [argument for argument in moved if argument not in known]
    if unknown:
        raise NotImplementedError(f"{form.name} has no derivative by {', '.join(sorted(unknown))} for {package}")
    each = {argument: known[argument] for argument in moved}
    return {argument: (term,) if isinstance(term, Term) else term for argument, term in each.items()}


class Form:
    """What a function takes and gives: arrays, then for functions of frames the frame and its axes."""

    def __init__(self, name, function):
        self.name = name
        self.takes = [(argument, tuple(shape)) for argument, shape in function.inputs]
        self.names = [argument for argument, _ in self.takes]
        self.gives = [tuple(shape) for _, shape in function.outputs]
        signature = function.__signature__
        names = list(signature.parameters)
        self.chosen = [name for name in names if name in ("frame", "reference")]
        self.defaults = function._defaults()
        self.given = set(self.defaults)
        self.required = [argument for argument, _ in self.takes if argument not in self.given]
        fields = [field for field, _ in function.outputs]
        self.result = results._named(function._result, fields) if function._result else None
        self.doc = function.__doc__
        arrays = {argument for argument, _ in self.takes}
        self.settings = [name for name in names if name not in {*arrays, *self.chosen, "out", "threads"}]
        known = {*self.required, *self.chosen, *self.given}
        self.signature = signature.replace(parameters=[p for p in signature.parameters.values() if p.name in known])

    def bind(self, arguments, keywords):
        """The arrays of a call in order, and what chooses the frame."""
        name, positions = self.name, self.required + self.chosen
        values = dict(zip(positions, arguments))
        repeated = len(arguments) > len(positions) or values.keys() & keywords.keys()
        values |= keywords
        missing = [argument for argument in positions if argument not in values]
        unknown = values.keys() - set(positions) - self.given
        if repeated or missing or unknown:
            raise TypeError(f"{name}() takes {', '.join(positions)}")
        choice = tuple(values.pop(key) for key in self.chosen)
        for argument, shape in self.takes:
            found = np.shape(values.setdefault(argument, self.defaults.get(argument)))
            if found[max(len(found) - len(shape), 0) :] != shape:
                found = tuple(found)
                raise ValueError(f"{name}: {argument} has shape {found}; it must be {shape}, or have axes for states before")
        return [values[argument] for argument, _ in self.takes], choice

    def describe(self, wrapped):
        """Makes the documentation of the function that of the wrapped one."""
        wrapped.__name__ = wrapped.__qualname__ = self.name
        wrapped.__doc__, wrapped.__signature__ = self.doc, self.signature
        return wrapped


# There for numpy alone: modes of contacts are no real numbers, and rollouts have as many rows as controls.
_ROLLOUTS = ("rollout", "rollout_adjoint", "rollout_sensitivity")
_FRICTION = (
    "friction_step",
    "friction_step_derivatives",
    "friction_step_with_joints",
    "friction_step_with_joints_derivatives",
)
_OF_NUMPY = (*_FRICTION, *_ROLLOUTS, *(f"actuated_{name}" for name in _ROLLOUTS))


def shared(robot):
    """The functions of a robot that are there for arrays of other packages too."""
    return {name: function for name, function in robot.functions.items() if not function._is_of_numpy}


def missing(robot, name, package):
    """That a robot has no such function."""
    if name in _OF_NUMPY:
        return AttributeError(f"{name} is there for numpy alone, and not for {package}")
    return AttributeError(f"{robot} has no function {name!r} for {package}; functions= of rbd.load says which are loaded")


def needed(robot, function, of):
    """That a derivative needs a function that is not loaded."""
    return NotImplementedError(f"the derivative of {of} needs {function}, which {robot} was loaded without: name it in functions=")


def robot_first(module, name, functions):
    """The function `name` of any robot, for a module: `name(robot, ..)`."""
    if name not in _core.function_names() and name not in _fused:
        raise AttributeError(f"{module} has no function {name!r}; arm.functions lists those of a robot")

    def called(robot, *arguments, **keywords):
        if not isinstance(robot, _core.Robot):
            raise TypeError(f"{module}.{name} takes a robot first, not {type(robot).__name__}")
        return getattr(functions(robot), name)(*arguments, **keywords)

    called.__name__, called.__qualname__, called.__module__ = name, name, module
    called.__doc__ = f"The function {name} of a robot: `{name}(robot, ..)` is `robot.{module.partition('.')[2]}.{name}(..)`."
    return called


# Names of functions that are fused for a robot.
_fused = set()


def known(robot):
    """Keeps the names of a robot's functions for `robot_first`."""
    _fused.update(robot.functions)
