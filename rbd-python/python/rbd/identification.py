"""Inertial parameters from measured torques, of any number of states in kilobytes.

    measured = rbd.Identification(arm).update(q, v, a, tau)
    measured.merge(others)                                 # of another process
    inertia = measured.solve().inertia                     # (NB, 10), of bodies that can exist

Torques are linear in the inertial parameters x: tau = Y(q, v, a) x, with `arm.regressor`. Of all states only the triangle R
of a QR decomposition of [Y tau] is kept, with tau beyond that of the robot as it was loaded. The R of two parts, one above the other, has the triangle of the whole.
"""

from typing import NamedTuple

import numpy as np

from . import packed
from ._core import fold
from .physical import Bodies, solve_bodies

__all__ = ["Identification", "Identified"]

_JOINTS = ("armature", "viscous", "coulomb")
# Numbers of a block of the regressor, which stays in the second-level cache.
_BLOCK = 32 * 1024
# The least weight of the prior, of the mean square of torques.
_LEAST = 1e-14


class Identified(NamedTuple):
    """What `Identification.solve` finds.

    - `inertia`, (NB, 10): inertial parameters of the bodies, in the order of `inertial_parameters()`
    - `armature`, `viscous`, `coulomb`, (NV,): of the joints, beyond those of the robot, or None if they were not asked for
    - `residual`: root of the mean square of what is left of torques times their weights
    - `rank`: how many combinations of the parameters the torques tell; others are as in the prior
    """

    inertia: np.ndarray
    armature: "np.ndarray | None"
    viscous: "np.ndarray | None"
    coulomb: "np.ndarray | None"
    residual: float
    rank: int


class Identification:
    """Measured torques of a robot, from which `solve` finds inertial parameters.

    - `joints`: also `"armature"` (torque by a), `"viscous"` (by v) and `"coulomb"` (by the sign of v) of each joint
    - `weights`, (NV,): what torques are multiplied by, such as one over their noise; 0 for those that are not measured

    The robot must be loaded with the functions `regressor` and `rnea`, in double precision. Its own armature, damping and friction count as known.
    """

    def __init__(self, robot, *, joints=(), weights=None):
        joints = [joints] if isinstance(joints, str) else joints
        if unknown := set(joints) - set(_JOINTS):
            raise ValueError(f"joints has {sorted(unknown)[0]!r}; there are {', '.join(_JOINTS)}")
        if robot.dtype != float:
            raise TypeError(f"{robot.NAME} was loaded with dtype float32; identification needs a robot of float64")
        self.robot = robot
        self.joints = tuple(name for name in _JOINTS if name in joints)
        self.weights = np.ones(robot.NV) if weights is None else np.array(weights, dtype=float)
        if self.weights.shape != (robot.NV,):
            raise ValueError(f"weights has shape {self.weights.shape}; it must be {(robot.NV,)}")
        if missing := [name for name in ("regressor", "rnea") if name not in robot.functions]:
            raise ValueError(f"{robot.NAME} was loaded without {missing[0]}, which identification needs: name it in functions=")
        self.states = 0
        self._is_plain = bool((self.weights == 1).all())
        self._own = robot.inertial_parameters()
        self._parameters = 10 * robot.NB + robot.NV * len(self.joints)
        self._triangle = np.zeros((self._parameters + 1,) * 2)

    def update(self, *arguments, **names):
        """Takes measured states, and returns itself: `update(q, v, a, tau)` with arrays of one state or of many.

        `update(table)` takes the columns q, v, a and tau of an Arrow table, batch or reader, or those that keywords name:
        `update(table, tau="observation.effort")`. Rows with a null or a number that is not finite are left out.
        """
        if len(arguments) == 1 and (hasattr(arguments[0], "__arrow_c_stream__") or hasattr(arguments[0], "__arrow_c_array__")):
            for arrays in _rows(arguments[0], names, {"q": self.robot.NQ, "v": self.robot.NV, "a": self.robot.NV, "tau": self.robot.NV}):
                self._take(*arrays)
            return self
        given = dict(zip(("q", "v", "a", "tau"), arguments))
        if len(arguments) > 4 or given.keys() & names.keys() or (given | names).keys() != {"q", "v", "a", "tau"}:
            raise TypeError("update() takes a table, or q, v, a and tau")
        of, robot = given | names, self.robot
        shapes = {name: robot.NQ if name == "q" else robot.NV for name in of}
        arrays = {name: np.asarray(array, dtype=float) for name, array in of.items()}
        for name, array in arrays.items():
            if array.shape[-1:] != (shapes[name],):
                raise ValueError(f"update: {name} has shape {array.shape}; it must be {(shapes[name],)}, or have axes for states before")
        lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
        full = [np.broadcast_to(arrays[name], (*lead, shapes[name])).reshape(-1, shapes[name]) for name in ("q", "v", "a", "tau")]
        self._take(*full)
        return self

    def merge(self, other):
        """Takes the states of another one, of the same robot, and returns itself."""
        mine, theirs = self._is_of(), other._is_of()
        if mine.keys() != theirs.keys() or any(not np.array_equal(mine[key], theirs[key]) for key in mine):
            raise ValueError("only identifications of the same robot, with the same options, can be merged")
        fold(self._triangle, other._triangle.copy())
        self.states += other.states
        return self

    def to_bytes(self):
        """All that is known of the states, for another machine."""
        of = self._is_of()
        arrays = {"weights": of.pop("weights"), "own": of.pop("own"), "triangle": self._triangle}
        return packed.pack("Identification", [of, self.states], arrays)

    @classmethod
    def from_bytes(cls, robot, data):
        """The one that `to_bytes` wrote, of the same robot."""
        (head, states), arrays = packed.unpack("Identification", data)
        same = head["of"] == list(robot.joint_names) and np.array_equal(arrays["own"], robot.inertial_parameters())
        if not same:
            raise ValueError(f"these bytes are not of this robot, but of {head['robot']} with joints {', '.join(head['of'])}")
        made = cls(robot, joints=head["joints"], weights=arrays["weights"])
        made.states, made._triangle = states, arrays["triangle"]
        return made

    def __reduce__(self):
        return Identification.from_bytes, (self.robot, self.to_bytes())

    def __repr__(self):
        return f"<identification of {self.robot.NAME}: {self.states} states>"

    def solve(self, prior=None, *, prior_weight=0.1):
        """The inertial parameters that explain the torques best, of bodies that can exist: positive definite pseudo-inertia.

        The torques' log-likelihood falls by |what is left of them|^2 / (2 s^2), with the variance s^2 that least squares
        leaves. From it `prior_weight` times the log-det divergence of pseudo-inertias from those of `prior`, (NB, 10), is
        subtracted. By default the prior is the robot. What torques do not tell stays near it. The problem is convex, and
        Newton's method finds the maximum.
        """
        if not self.states:
            raise ValueError("there is nothing to solve: update was not called with any state")
        bodies = Bodies(self.robot.inertial_parameters() if prior is None else prior)
        if bodies.prior.shape != (self.robot.NB, 10):
            raise ValueError(f"prior has shape {bodies.prior.shape}; it must be {(self.robot.NB, 10)}")
        scale = 1 / np.sqrt(self.states)
        triangle, n = self._triangle * scale, 10 * self.robot.NB
        a, b = triangle[:, :-1], triangle[:, -1]
        # From torques beyond those of the robot to torques.
        b += a[:, :n] @ self._own.ravel()
        span, values, _ = np.linalg.svd(a)
        rank, measured = int((values > 1e-10 * values[0]).sum()), int(np.count_nonzero(self.weights))
        variance = self.states * float(np.sum((span[:, rank:].T @ b) ** 2)) / max(self.states * measured - rank, 1)
        # Torques without noise: so little that they are explained to seven digits, and so much that rounding is less.
        least = max(_LEAST * float(b @ b), np.finfo(float).tiny)
        x = solve_bodies(triangle, bodies, max(prior_weight * variance / self.states, least))
        joints = {}
        for k, name in enumerate(self.joints):
            joints[name] = x[n + k * self.robot.NV : n + (k + 1) * self.robot.NV]
        return Identified(
            inertia=x[:n].reshape(-1, 10),
            armature=joints.get("armature"),
            viscous=joints.get("viscous"),
            coulomb=joints.get("coulomb"),
            residual=float(np.linalg.norm(a @ x - b)) / np.sqrt(max(measured, 1)),
            rank=rank,
        )

    def _is_of(self):
        """What two must have in common."""
        robot = self.robot
        head = {"robot": robot.NAME, "of": list(robot.joint_names), "joints": list(self.joints)}
        return head | {"weights": self.weights, "own": self._own}

    def _take(self, q, v, a, tau):
        """States in blocks, each stacked below the triangle."""
        there = np.isfinite(q).all(1) & np.isfinite(v).all(1) & np.isfinite(a).all(1) & np.isfinite(tau).all(1)
        if not there.all():
            q, v, a, tau = q[there], v[there], a[there], tau[there]
        robot, n = self.robot, self._parameters
        block = max(_BLOCK // (robot.NV * (n + 1)), 8)
        # The memory of all blocks: new memory costs more than the dynamics.
        most, parameters = min(block, len(q)), 10 * robot.NB
        regressor, stack = np.empty((most, robot.NV, robot.NB, 10)), np.zeros((most, robot.NV, n + 1))
        for first in range(0, len(q), block):
            here = slice(first, first + block)
            states = len(q[here])
            rows = stack[:states]
            y = robot.regressor(q[here], v[here], a[here], out=regressor[:states])
            rows[:, :, :parameters] = y.reshape(states, robot.NV, parameters)
            # What the last block left in the columns of joints.
            rows[:, :, parameters:] = 0
            of = {"armature": a[here], "viscous": v[here], "coulomb": np.sign(v[here])}
            for k, name in enumerate(self.joints):
                start = parameters + k * robot.NV
                rows[:, range(robot.NV), range(start, start + robot.NV)] = of[name]
            # Beyond what the robot does as it was loaded, by its armature, damping and friction too.
            rows[:, :, n] = tau[here] - robot.rnea(q[here], v[here], a[here])
            if not self._is_plain:
                rows *= self.weights[:, None]
            fold(self._triangle, rows.reshape(-1, n + 1))
            self.states += states


def _rows(table, names, sizes):
    """Arrays of the rows of a table that are there, chunk by chunk."""
    from . import columns

    table = columns.imported(table)
    if unknown := names.keys() - sizes.keys():
        raise TypeError(f"update() takes the names of columns by {', '.join(sizes)}, not by {sorted(unknown)[0]}")
    sources = {argument: names.get(argument, argument) for argument in sizes}
    if not hasattr(table, "schema"):
        raise TypeError("update() takes a table, or q, v, a and tau")
    if missing := [source for source in sources.values() if source not in table.schema.names]:
        raise ValueError(f"update: the table has no column {missing[0]!r}; name others by {', '.join(f'{x}=' for x in sizes)}")
    batches = [table] if not hasattr(table, "to_batches") and hasattr(table, "num_rows") else table
    if hasattr(table, "to_batches"):
        batches = table.select(list(dict.fromkeys(sources.values()))).to_batches()
    for batch in batches:
        found = [columns.numbers(batch.column(source), (sizes[x],), f"update: {x}") for x, source in sources.items()]
        valid = [own for _, own in found if own is not None]
        arrays = [array.astype(float, copy=False) for array, _ in found]
        yield [array[np.logical_and.reduce(valid)] for array in arrays] if valid else arrays
