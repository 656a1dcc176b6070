#!/usr/bin/env python3
"""Moves an arm's flange from place to place by sampling model predictive control (MPPI), with workers on one machine or many.

    sampling_mpc.py --urdf iiwa14.urdf --flange iiwa_link_7 [--engine local|ray] [--workers N] [--rollouts K] [--picture mpc.svg]

At each step the workers sample torques around the last plan and roll the arm out. They answer with the weighted means of their
samples, in kilobytes, which are merged. Rollouts are dealt in portions of 256, and merged in the portions' order: any number of
workers moves the arm in the same way, to the last bit. On a cluster of Ray: `ray job submit -- python sampling_mpc.py .. --engine ray
--workers 64`. Needs numpy and, for the picture, matplotlib.
"""

import argparse
import pathlib
import sys
import time

import numpy as np

import rbd

PORTION = 256


class Worker:
    """Samples and rolls out: the arm travels to it once."""

    def __init__(self, arm, flange, horizon, dt, temperature, spread):
        self.arm, self.flange, self.dt, self.temperature = arm, flange, dt, temperature
        self.horizon, self.spread = horizon, spread
        # Seconds of this thread that rbd does not take: numbers at random, and the costs' own arithmetic.
        self.outside = 0.0

    def cost(self, goal):
        def of(k, q, v, u):
            at = self.arm.frame_placement(q, self.flange)[:, :3, 3]
            before = time.thread_time()
            costs = 40 * ((at - goal) ** 2).sum(-1) + 0.01 * (v**2).sum(-1)
            self.outside += time.thread_time() - before
            return costs

        return of

    def work(self, portions, q, v, plan, goal, step):
        """Costs of these portions of the rollouts of a step, each in bytes; seconds of this thread in all and outside of rbd."""
        start, parts, self.outside = time.thread_time(), [], 0.0
        for portion in portions:
            before = time.thread_time()
            noise = np.random.default_rng([step, portion]).normal(size=(PORTION, *plan.shape))
            # Noise that changes slowly moves the arm; that of single instants averages out.
            for k in range(1, self.horizon):
                noise[:, k] = 0.8 * noise[:, k - 1] + 0.6 * noise[:, k]
            controls = plan + self.spread * noise
            self.outside += time.thread_time() - before
            held = controls + self.arm.gravity(q)
            costs = rbd.rollout_costs(self.arm, q, v, held, dt=self.dt, cost=self.cost(goal))
            parts.append(rbd.RolloutCosts(self.temperature).update(costs, controls).to_bytes())
        return parts, time.thread_time() - start, self.outside


def deal(engine, workers, arguments):
    """A function that runs `work` of every worker on its share of portions, and one that ends them."""
    if engine == "ray":
        import ray

        ray.init(num_cpus=workers, include_dashboard=False, ignore_reinit_error=True)
        actor = ray.remote(num_cpus=1)(Worker)
        # What does not change travels once.
        actors = [actor.remote(*arguments) for _ in range(workers)]
        return lambda shares, *rest: ray.get([a.work.remote(s, *rest) for a, s in zip(actors, shares)]), ray.shutdown
    if workers == 1:
        worker = Worker(*arguments)
        return lambda shares, *rest: [worker.work(shares[0], *rest)], lambda: None
    import concurrent.futures
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    pool = concurrent.futures.ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=arguments)
    return lambda shares, *rest: list(pool.map(_work, shares, *([x] * workers for x in rest))), pool.shutdown


def _begin(*arguments):
    global _worker
    _worker = Worker(*arguments)


def _work(*arguments):
    return _worker.work(*arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urdf", required=True)
    parser.add_argument("--flange", required=True, help="a link, whose place is controlled")
    parser.add_argument("--engine", choices=["local", "ray"], default="local")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rollouts", type=int, default=1024, help=f"a multiple of {PORTION}")
    parser.add_argument("--horizon", type=int, default=25)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--picture", type=pathlib.Path)
    given = parser.parse_args()
    functions = ["aba", "gravity", "crba", "frame_placement"]
    allowed = ["damping-ignored", "inertia-triangle"]
    joints = rbd.load(given.urdf, functions=["gravity"], allow=allowed).joint_names
    # Rotors behind gears make light wrists slow enough for steps of 20 ms.
    rotors = {joint: 0.1 for joint in joints}
    arm = rbd.load(given.urdf, functions=functions, frames=[given.flange], armature=rotors, allow=allowed)
    dt, q, v = 0.02, np.clip(np.full(arm.NQ, 0.5), arm.lower_limits(), arm.upper_limits()), np.zeros(arm.NV)
    spread = 4.0 * np.diag(arm.crba(q))
    run, end = deal(given.engine, given.workers, (arm, given.flange, given.horizon, dt, 1.0, spread))
    plan, portions = np.zeros((given.horizon, arm.NV)), range(max(given.rollouts // PORTION, 1))
    shares = [list(portions[k :: given.workers]) for k in range(given.workers)]
    here = arm.frame_placement(q, given.flange)[:3, 3]
    goals = [here, here * [-0.6, 1.0, 1.0], here * [0.8, 0.7, 0.7]]
    path, used, outside, start = [], 0.0, 0.0, time.perf_counter()
    for step in range(given.steps):
        goal = goals[min(step * len(goals) // given.steps, len(goals) - 1)]
        whole, parts = rbd.RolloutCosts(1.0), {}
        for share, (own, seconds, other) in zip(shares, run(shares, q, v, plan, goal, step)):
            parts |= dict(zip(share, own))
            used, outside = used + seconds, outside + other
        for portion in portions:
            whole.merge(rbd.RolloutCosts.from_bytes(parts[portion]))
        plan = whole.mean_controls
        v = v + dt * arm.aba(q, v, plan[0] + arm.gravity(q))
        q = arm.integrate(q, dt * v)
        plan = np.vstack([plan[1:], np.zeros((1, arm.NV))])
        away = np.linalg.norm(arm.frame_placement(q, given.flange)[:3, 3] - goal)
        path.append((away, whole.best_cost, whole.mean_cost, whole.effective))
    wall, path = time.perf_counter() - start, np.array(path)
    end()
    states = given.steps * len(portions) * PORTION * given.horizon
    last = path[-given.steps // 10 :, 0].mean()
    print(f"{given.steps} steps of {len(portions) * PORTION} rollouts by {given.engine}, {given.workers} workers: {wall:.2f} s")
    print(f"{states / used:.3g} states/s a core; {outside / used:.0%} of that time outside of rbd; {len(whole.to_bytes())} bytes an answer")
    print(f"the flange is {last * 1e3:.0f} mm away at the end: {path[-1, 0].hex()}")
    if given.picture:
        import matplotlib

        matplotlib.use("agg")
        import matplotlib.pyplot as plt

        t = dt * np.arange(given.steps)
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8))
        left.plot(t, path[:, 0])
        left.set(xlabel="time, s", ylabel="distance to the goal, m", ylim=(0, None))
        right.semilogy(t, path[:, 2], label="mean rollout")
        right.semilogy(t, path[:, 1], label="best rollout")
        right.set(xlabel="time, s", ylabel="cost")
        right.legend()
        figure.tight_layout()
        figure.savefig(given.picture)
    if not last < 0.05:
        sys.exit("the flange is not where it should be")


if __name__ == "__main__":
    main()
