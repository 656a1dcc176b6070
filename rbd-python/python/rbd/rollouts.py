"""Costs of rollouts for sampling controllers, and what of any number of them is kept.

    costs = rbd.rollout_costs(arm, q, v, controls, dt=0.01, cost=lambda k, q, v, u: (q**2).sum(-1))
    found = rbd.RolloutCosts(temperature=0.1).update(costs, controls)
    found.merge(others)                                    # of another process
    found.mean_controls, found.best_controls

Weights are those of model predictive path integral control: exp(-cost / temperature) (Williams, Aldrich and Theodorou, JGCD 40(2),
2017).
"""

import numpy as np

from . import packed

__all__ = ["RolloutCosts", "rollout_costs"]


def rollout_costs(robot, q, v, controls, *, dt, cost, final=None, threads=False, **parameters):
    """The cost of each rollout: the sum over steps of `cost(k, q, v, u)`, and at the end `final(q, v)`.

    `controls`, (rollouts, steps, NV), are the torques. `q` and `v` are where all rollouts begin, or have a row for each.
    A step is semi-implicit: v by `aba`, then q by the new v. Costs are functions of the states of all rollouts, and give a
    number for each. `parameters` are `inertia` and `gravity`, the same for all or one for each rollout. No trajectory is kept.
    """
    controls = np.asarray(controls, dtype=robot.dtype)
    if controls.ndim != 3 or controls.shape[2] != robot.NV:
        raise ValueError(f"rollout_costs: controls has shape {controls.shape}; it must be (rollouts, steps, {robot.NV})")
    rollouts, steps, _ = controls.shape
    q = np.array(np.broadcast_to(np.asarray(q, dtype=robot.dtype), (rollouts, robot.NQ)))
    v = np.array(np.broadcast_to(np.asarray(v, dtype=robot.dtype), (rollouts, robot.NV)))
    total, ddq, after = np.zeros(rollouts), np.empty_like(v), np.empty_like(q)
    # A rollout may fly apart: its cost is then not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(steps):
            u = np.ascontiguousarray(controls[:, k])
            total += cost(k, q, v, u)
            # Not `robot.step`: `aba` computes states in lanes, and takes inertia and gravity.
            robot.aba(q, v, u, out=ddq, threads=threads, **parameters)
            v += dt * ddq
            robot.integrate(q, dt * v, out=after, threads=threads)
            q, after = after, q
        return total if final is None else total + final(q, v)


class RolloutCosts:
    """The best rollout, and means over all of them with the weights exp(-cost / temperature).

    - `rollouts`: how many, and `failed`: how many of them have a cost that is not finite; these count for nothing else
    - `best_cost`, `best_controls`: of the rollout with the least cost
    - `mean_controls`: the weighted mean
    - `effective`: to how many equal ones the weights amount
    - `mean_cost`, `cost_deviation`: without weights
    - `free_energy`: -temperature * log of the mean of exp(-cost / temperature)
    """

    def __init__(self, temperature):
        if not temperature > 0:
            raise ValueError(f"temperature is {temperature}; it must be greater than 0")
        self.temperature = float(temperature)
        self.rollouts = self.failed = 0
        self.best_cost, self.best_controls = np.inf, None
        # Weights are relative to that of the best rollout, so that none overflows.
        self._weight = self._weight2 = self._mean = self._squares = 0.0
        self._controls = None

    def update(self, costs, controls):
        """Takes rollouts, and returns itself: costs (rollouts,), and their controls (rollouts, ..)."""
        costs, controls = np.asarray(costs, dtype=float), np.asarray(controls, dtype=float)
        if costs.ndim != 1 or controls.shape[:1] != costs.shape:
            shapes = f"costs {costs.shape} and controls {controls.shape}"
            raise ValueError(f"update: {shapes} must be (rollouts,) and (rollouts, ..), of equally many rollouts")
        other, finite = RolloutCosts(self.temperature), np.isfinite(costs)
        other.rollouts, other.failed = len(costs), int((~finite).sum())
        if finite.any():
            # The usual case copies nothing.
            own, steps = (costs, controls) if finite.all() else (costs[finite], controls[finite])
            best = int(own.argmin())
            other.best_cost, other.best_controls = float(own[best]), steps[best].copy()
            weights = np.exp((other.best_cost - own) / self.temperature)
            other._weight, other._weight2 = float(weights.sum()), float(weights @ weights)
            other._controls = np.tensordot(weights, steps, 1)
            other._mean = float(own.mean())
            other._squares = float(((own - other._mean) ** 2).sum())
        return self.merge(other)

    def merge(self, other):
        """Takes the rollouts of another one, of the same temperature, and returns itself."""
        if self.temperature != other.temperature:
            raise ValueError(f"temperatures differ: {self.temperature} and {other.temperature}")
        mine, theirs = self.rollouts - self.failed, other.rollouts - other.failed
        self.rollouts, self.failed = self.rollouts + other.rollouts, self.failed + other.failed
        if not theirs:
            return self
        if mine and self._controls.shape != other._controls.shape:
            raise ValueError(f"controls have shapes {self._controls.shape} and {other._controls.shape}; they must be the same")
        least = min(self.best_cost, other.best_cost)
        old = np.exp((least - self.best_cost) / self.temperature) if mine else 0.0
        new = np.exp((least - other.best_cost) / self.temperature)
        self._controls = new * other._controls if self._controls is None else old * self._controls + new * other._controls
        self._weight = old * self._weight + new * other._weight
        self._weight2 = old**2 * self._weight2 + new**2 * other._weight2
        apart, both = other._mean - self._mean, mine + theirs
        self._mean += apart * theirs / both
        self._squares += other._squares + apart**2 * mine * theirs / both
        if other.best_cost < self.best_cost:
            self.best_cost, self.best_controls = other.best_cost, other.best_controls
        return self

    @property
    def mean_controls(self):
        return None if self._controls is None else self._controls / self._weight

    @property
    def effective(self):
        return self._weight**2 / self._weight2 if self._weight2 else 0.0

    @property
    def mean_cost(self):
        return self._mean if self.rollouts > self.failed else np.nan

    @property
    def cost_deviation(self):
        there = self.rollouts - self.failed
        return float(np.sqrt(self._squares / there)) if there else np.nan

    @property
    def free_energy(self):
        there = self.rollouts - self.failed
        return float(self.best_cost - self.temperature * np.log(self._weight / there)) if there else np.inf

    def to_bytes(self):
        """All of it, for another machine."""
        none = np.zeros(0)
        numbers = [self.best_cost, self._weight, self._weight2, self._mean, self._squares]
        arrays = {"numbers": numbers, "best": none, "controls": none}
        if self._controls is not None:
            arrays |= {"best": self.best_controls, "controls": self._controls}
        return packed.pack("RolloutCosts", [self.temperature, self.rollouts, self.failed], arrays)

    @classmethod
    def from_bytes(cls, data):
        """The one that `to_bytes` wrote."""
        (temperature, rollouts, failed), arrays = packed.unpack("RolloutCosts", data)
        made = cls(temperature)
        made.rollouts, made.failed = rollouts, failed
        made.best_cost, made._weight, made._weight2, made._mean, made._squares = map(float, arrays["numbers"])
        if rollouts > failed:
            made.best_controls, made._controls = arrays["best"], arrays["controls"]
        return made

    def __reduce__(self):
        return RolloutCosts.from_bytes, (self.to_bytes(),)

    def __repr__(self):
        return f"<costs of {self.rollouts} rollouts: the least is {self.best_cost:.6g}>"
