"""What `rbd.Identification` and `rbd.RolloutCosts` must do: `run.py` calls it where the package is installed.

    check_reducers.py ROBOTS
"""

import pathlib
import pickle
import sys

import numpy as np

import rbd
from common import near, refused

ROBOTS = pathlib.Path(sys.argv[1])
ALLOWED = {"allow": ["damping-ignored", "inertia-triangle"]}
NEEDED = ["rnea", "regressor"]


def robot(name="iiwa14", **options):
    return rbd.load(ROBOTS / f"{name}.urdf", **({"functions": NEEDED} | ALLOWED | options))


def random(arm, n, seed=0):
    q, v, a = np.random.default_rng(seed).normal(size=(3, n, arm.NV))
    if arm.NQ != arm.NV:
        q = arm.random_configuration(np.random.default_rng(seed).random((n, arm.NV)))
    return q, v, a


def other_bodies(arm, seed=1):
    """Inertial parameters of other bodies that can exist: clouds of twenty points in place of each."""
    rng, all_of = np.random.default_rng(seed), []
    for mass, *_ in arm.inertial_parameters():
        at = 0.1 * rng.normal(size=(20, 3)) + 0.1 * rng.normal(size=3)
        each = (mass + 0.3) * rng.dirichlet(np.ones(20))
        j = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(each, at))
        all_of.append([each.sum(), *(each @ at), j[0, 0], j[0, 1], j[1, 1], j[0, 2], j[1, 2], j[2, 2]])
    return np.array(all_of)


def triangle():
    """R^T R is the Gram matrix of regressor and torques; parts that are merged, and bytes, are the whole."""
    for name, base, joints in (("iiwa14", "fixed", ()), ("hyq", "floating", ("viscous", "coulomb", "armature"))):
        arm = robot(name, base=base)
        q, v, a = random(arm, 333)
        tau = arm.rnea(q, v, a) + np.random.default_rng(2).normal(size=(333, arm.NV))
        weights = 0.5 + np.random.default_rng(3).random(arm.NV)
        make = lambda: rbd.Identification(arm, joints=joints, weights=weights)
        whole = make().update(q, v, a, tau)
        y = arm.regressor(q, v, a).reshape(333, arm.NV, -1)
        of = {"armature": a, "viscous": v, "coulomb": np.sign(v)}
        diagonals = [of[x][:, :, None] * np.eye(arm.NV) for x in ("armature", "viscous", "coulomb") if x in joints]
        all_rows = np.concatenate([y, *diagonals, (tau - arm.rnea(q, v, a))[:, :, None]], axis=2) * weights[:, None]
        all_rows = all_rows.reshape(-1, all_rows.shape[2])
        gram = all_rows.T @ all_rows
        r = whole._triangle
        assert (r == np.triu(r)).all() and (np.diag(r) >= 0).all() and whole.states == 333
        near(r.T @ r, gram, 1e-12, f"{name}: R^T R")
        parts = [make().update(q[k::7], v[k::7], a[k::7], tau[k::7]) for k in range(7)]
        for order in (parts, parts[::-1]):
            merged = make()
            for part in order:
                merged.merge(rbd.Identification.from_bytes(arm, part.to_bytes()))
            assert merged.states == 333
            near(merged._triangle.T @ merged._triangle, gram, 1e-12, f"{name}: merged")
            near(merged.solve().residual, whole.solve().residual, 1e-9, f"{name}: residual")
        again = pickle.loads(pickle.dumps(whole))
        assert again.states == 333 and (again._triangle == r).all() and again.joints == whole.joints
        assert len(whole.to_bytes()) < 8 * r.size + 10_000


def recovers():
    """The robot that is solved for moves as the one that was measured, at states that were not."""
    for name, base in (("iiwa14", "fixed"), ("hyq", "floating")):
        arm = robot(name, base=base, inertia="all")
        near(arm.default_inertia(), arm.inertial_parameters(), 0, "inertias are in the order of bodies")
        true = other_bodies(arm)
        assert rbd.physical.is_physical(true).all()
        q, v, a = random(arm, 500)
        found = rbd.Identification(arm).update(q, v, a, arm.rnea(q, v, a, inertia=true)).solve()
        assert rbd.physical.is_physical(found.inertia).all()
        q, v, a = random(arm, 50, seed=7)
        tau = arm.rnea(q, v, a, inertia=true)
        assert np.abs(arm.rnea(q, v, a) - tau).max() > 1, "the URDF's own inertias would do"
        near(arm.rnea(q, v, a, inertia=found.inertia), tau, 1e-7, f"{name}: torques")
    # What torques do not tell is as it was.
    arm = robot(inertia="all")
    near(rbd.Identification(arm).update(q[:0, :7], v[:0, :7], a[:0, :7], a[:0, :7]).states, 0, 0, "no states")
    still = random(arm, 5)[0]
    found = rbd.Identification(arm).update(still, 0 * still, 0 * still, arm.rnea(still, 0 * still, 0 * still)).solve()
    near(found.inertia, arm.inertial_parameters(), 1e-9, "the prior explains the torques")


def joints():
    """Friction and rotors are found beside inertias, beyond those of the robot."""
    arm = robot(inertia="all", armature={"iiwa_joint_1": 0.4}, damping=True)
    true, (q, v, a) = other_bodies(arm), random(arm, 2000)
    armature, viscous, coulomb = np.random.default_rng(5).random((3, 7))
    tau = arm.rnea(q, v, a, inertia=true) + armature * a + viscous * v + coulomb * np.sign(v)
    names = ("armature", "viscous", "coulomb")
    found = rbd.Identification(arm, joints=names).update(q, v, a, tau).solve()
    near(found.viscous, viscous, 1e-6, "viscous friction")
    near(found.coulomb, coulomb, 1e-6, "dry friction")
    moved = arm.rnea(q, v, a, inertia=found.inertia) + found.armature * a
    near(moved, arm.rnea(q, v, a, inertia=true) + armature * a, 1e-6, "inertias and rotors")


def physical():
    """With noise and few states least squares finds bodies that cannot exist. The solution is the best of those that can."""
    arm = robot(inertia="all")
    prior, true, rng = arm.inertial_parameters(), other_bodies(arm), np.random.default_rng(4)
    q, v, a = random(arm, 12)
    tau = arm.rnea(q, v, a, inertia=true) + 3 * rng.normal(size=(12, 7))
    y = arm.regressor(q, v, a).reshape(12 * 7, 70)
    plain = np.linalg.lstsq(y, tau.ravel() - y @ prior.ravel(), rcond=1e-9)[0].reshape(7, 10) + prior
    assert not rbd.physical.is_physical(plain).all(), "least squares alone would do"
    near(rbd.physical.from_pseudo_inertia(rbd.physical.pseudo_inertia(plain)), plain, 1e-15, "there and back")
    found = rbd.Identification(arm).update(q, v, a, tau).solve(prior_weight=0.3)
    assert rbd.physical.is_physical(found.inertia).all()

    def pseudo(x):
        # As the definition has it: S = tr(J) / 2 - J.
        m, h = x[0], x[1:4]
        j = np.array([[x[4], x[5], x[7]], [x[5], x[6], x[8]], [x[7], x[8], x[9]]])
        return np.block([[np.trace(j) / 2 * np.eye(3) - j, h[:, None]], [h[None], np.array([[m]])]])

    left = ((y @ plain.ravel() - tau.ravel()) ** 2).sum()
    weight = 0.3 * left / (12 * 7 - np.linalg.matrix_rank(y, tol=1e-9)) / 12

    def cost(x):
        away = 0.0
        for k in range(7):
            p, p0 = pseudo(x[10 * k : 10 * k + 10]), pseudo(prior[k])
            away += np.linalg.slogdet(p0)[1] - np.linalg.slogdet(p)[1] + np.trace(np.linalg.solve(p0, p)) - 4
        return ((y @ x - tau.ravel()) ** 2).sum() / 12 / 2 + weight * away

    x = found.inertia.ravel()
    # Along any direction the cost grows both ways: it is convex, so that this is its minimum.
    for direction in rng.normal(size=(50, 7, 10)):
        step = 1e-3 * (direction * np.abs(found.inertia).max(axis=1, keepdims=True)).ravel()
        while min(np.linalg.eigvalsh(pseudo((x + s * step)[10 * k :][:10])).min() for k in range(7) for s in (-1, 1)) <= 0:
            step /= 2
        # Well within, where the cost is nearly quadratic.
        step /= 50
        down, here, up = cost(x - step), cost(x), cost(x + step)
        assert down > here < up
        slope, bend = (up - down) / 2, up + down - 2 * here
        assert abs(slope) < 0.05 * bend, f"the minimum is {slope / bend:.1e} of a step away"
    near(found.residual, np.sqrt(((y @ x - tau.ravel()) ** 2).mean()), 1e-9, "residual")


def wrong_states():
    """Rows with what is no number count for nothing; what cannot be merged is refused."""
    arm = robot()
    q, v, a = random(arm, 20)
    tau = arm.rnea(q, v, a) + 1
    holes = tau.copy()
    holes[3, 2], holes[11, 0] = np.nan, np.inf
    kept = np.delete(np.arange(20), [3, 11])
    with_holes, without = (rbd.Identification(arm).update(*x) for x in ((q, v, a, holes), (q[kept], v[kept], a[kept], tau[kept])))
    assert with_holes.states == 18 and (with_holes._triangle == without._triangle).all()
    one_by_one = rbd.Identification(arm)
    for k in range(20):
        one_by_one.update(q[k], v[k], a[k], tau=tau[k])
    whole = rbd.Identification(arm).update(q, v, a, tau)
    near(one_by_one._triangle.T @ one_by_one._triangle, whole._triangle.T @ whole._triangle, 1e-12, "one by one")
    other = robot("double_pendulum")
    for call, kind, said in [
        (lambda: rbd.Identification(arm).update(q, v, a), TypeError, "update() takes a table, or q, v, a and tau"),
        (lambda: rbd.Identification(arm).update(q[:, :6], v, a, tau), ValueError, "update: q has shape (20, 6); it must be (7,)"),
        (lambda: rbd.Identification(arm).solve(), ValueError, "there is nothing to solve"),
        (lambda: whole.solve(np.ones((6, 10))), ValueError, "prior has shape (6, 10); it must be (7, 10)"),
        (lambda: whole.merge(rbd.Identification(other)), ValueError, "only identifications of the same robot"),
        (lambda: whole.merge(rbd.Identification(arm, joints="viscous")), ValueError, "only identifications of the same robot"),
        (lambda: rbd.Identification(arm, joints=["stiction"]), ValueError, "joints has 'stiction'; there are armature,"),
        (lambda: rbd.Identification(arm, weights=[1.0]), ValueError, "weights has shape (1,); it must be (7,)"),
        (lambda: rbd.Identification(robot(functions=["rnea"])), ValueError, "was loaded without regressor"),
        (lambda: rbd.Identification.from_bytes(other, whole.to_bytes()), ValueError, "not of this robot, but of iiwa14"),
        (lambda: rbd.Identification.from_bytes(arm, b"{}"), ValueError, "these bytes are no Identification"),
        (lambda: rbd.Identification.from_bytes(arm, whole.to_bytes()[:-8]), ValueError, "after its first line"),
        (lambda: rbd._core.fold(np.zeros((3, 3)), np.zeros((2, 4))), ValueError, "fold: arrays must be of shapes"),
        (lambda: rbd._core.fold(np.zeros((3, 3)), np.zeros((2, 6))[:, ::2]), ValueError, "in C's order"),
    ]:
        refused(call, kind, said)


def rollouts():
    """Costs are those of rollouts one by one."""
    arm = robot(functions=["aba"], gravity="runtime")
    rng = np.random.default_rng(0)
    q0, v0, controls = rng.normal(size=7), rng.normal(size=7), rng.normal(size=(6, 5, 7))
    gravity = [0, 0, -9.81] + rng.normal(size=(6, 3))
    stage = lambda k, q, v, u: (k + 1) * (q**2).sum(-1) + (u**2).sum(-1)
    final = lambda q, v: 10 * (v**2).sum(-1)
    found = rbd.rollout_costs(arm, q0, v0, controls, dt=0.01, cost=stage, final=final, gravity=gravity)
    for i in range(6):
        q, v, total = q0, v0, 0.0
        for k in range(5):
            total += (k + 1) * q @ q + controls[i, k] @ controls[i, k]
            v = v + 0.01 * arm.aba(q, v, controls[i, k], gravity=gravity[i])
            q = q + 0.01 * v
        near(found[i], total + 10 * v @ v, 1e-12, "cost")
    legs = robot("hyq", base="floating", functions=["aba"])
    q, v, u = legs.neutral(), rng.normal(size=18), rng.normal(size=(2, 3, 18))
    found = rbd.rollout_costs(legs, q, v, u, dt=0.01, cost=lambda k, q, v, u: (q**2).sum(-1))
    for i in range(2):
        p, w, total = q, v, 0.0
        for k in range(3):
            total += p @ p
            w = w + 0.01 * legs.aba(p, w, u[i, k])
            p = legs.integrate(p, 0.01 * w)
        near(found[i], total, 1e-12, "cost with a floating base")
    refused(lambda: rbd.rollout_costs(arm, q0, v0, controls[0], dt=0.01, cost=stage), ValueError, "it must be (rollouts, steps, 7)")


def costs():
    """Means and the best, as formulas have them; parts that are merged, and bytes, are the whole."""
    rng = np.random.default_rng(1)
    costs, controls = 1e4 + 50 * rng.normal(size=300), rng.normal(size=(300, 4, 2))
    costs[[5, 17]] = np.nan, np.inf
    for temperature in (0.01, 10.0, 1e5):
        whole = rbd.RolloutCosts(temperature).update(costs, controls)
        parts = [rbd.RolloutCosts(temperature).update(costs[k::5], controls[k::5]) for k in range(5)]
        merged = rbd.RolloutCosts(temperature)
        for part in parts[::-1]:
            merged.merge(rbd.RolloutCosts.from_bytes(part.to_bytes()))
        there = np.isfinite(costs)
        own, steps = costs[there], controls[there]
        weights = np.exp(-(own - own.min()) / temperature)
        for found in (whole, merged, pickle.loads(pickle.dumps(merged))):
            assert (found.rollouts, found.failed, found.best_cost) == (300, 2, own.min())
            near(found.best_controls, steps[own.argmin()], 0, "best")
            near(found.mean_controls, (weights[:, None, None] * steps).sum(0) / weights.sum(), 1e-12, "mean")
            near(found.effective, weights.sum() ** 2 / (weights**2).sum(), 1e-12, "effective rollouts")
            near(found.mean_cost, own.mean(), 1e-12, "mean cost")
            near(found.cost_deviation, own.std(), 1e-9, "deviation")
            near(found.free_energy, own.min() - temperature * np.log(weights.mean()), 1e-12, "free energy")
    none = rbd.RolloutCosts(1.0).update([np.inf], np.zeros((1, 4, 2)))
    assert none.mean_controls is None and none.best_cost == np.inf and none.effective == 0
    assert none.merge(rbd.RolloutCosts(1.0).update([2.0], np.ones((1, 4, 2)))).best_cost == 2.0 and none.failed == 1
    assert rbd.RolloutCosts.from_bytes(rbd.RolloutCosts(1.0).to_bytes()).rollouts == 0
    for call, said in [
        (lambda: rbd.RolloutCosts(0.0), "temperature is 0.0"),
        (lambda: whole.merge(rbd.RolloutCosts(2.0)), "temperatures differ"),
        (lambda: whole.update(costs, controls[:3]), "of equally many rollouts"),
        (lambda: whole.update(costs, controls[:, :3]), "they must be the same"),
        (lambda: rbd.RolloutCosts.from_bytes(b""), "these bytes are no RolloutCosts"),
    ]:
        refused(call, ValueError, said)


if __name__ == "__main__":
    for check in (triangle, recovers, joints, physical, wrong_states, rollouts, costs):
        check()
        print(f"reducers: {check.__name__}", flush=True)
