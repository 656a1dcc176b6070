#!/usr/bin/env python3
"""Learns a policy through the dynamics: a network balances a double pendulum upright, by gradients of whole rollouts.

    policy.py --urdf double_pendulum.urdf [--iterations N] [--picture policy.svg]

The network sees angles and velocities and gives torques within a limit. Each iteration rolls out a batch of random starts, by
`rbd.torch.step`, and the gradient of the cost comes back through all steps, by `step_derivatives`. Needs torch and, for the picture,
matplotlib.
"""

import argparse
import pathlib
import time

import torch

import rbd
import rbd.torch

STEP, STEPS, BATCH = 0.005, 160, 64
# Largest torque, N m: a third more than gravity asks of the first joint in its worst posture.
LIMIT = 1.5


class Policy(torch.nn.Module):
    """Torques from a state."""

    def __init__(self, n):
        super().__init__()
        layers = [torch.nn.Linear(2 * n, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, n)]
        self.network = torch.nn.Sequential(*layers).double()

    def forward(self, q, v):
        return LIMIT * torch.tanh(self.network(torch.cat([q, 0.2 * v], -1)))


def rollout(arm, policy, q, v):
    """Mean cost of eight tenths of a second, and the states on the way."""
    cost, states = 0, [(q, v)]
    for _ in range(STEPS):
        tau = policy(q, v)
        q, v = rbd.torch.step(arm, q, v, tau, STEP)
        cost = cost + (q.square() + 0.05 * v.square() + 0.01 * tau.square()).sum(-1).mean() / STEPS
        states.append((q, v))
    return cost, states


def starts(n, count, seed):
    some = torch.Generator().manual_seed(seed)
    q, v = (2 * torch.rand((2, count, n), generator=some, dtype=torch.float64) - 1)
    return 0.6 * q, v


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urdf", type=pathlib.Path, required=True)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--picture", type=pathlib.Path)
    given = parser.parse_args()
    # The file states damping, and the pendulum has it here.
    arm = rbd.load(given.urdf, functions=["aba"], step="semi_implicit", damping=True)
    # Tensors are small: waking threads takes longer than they save.
    torch.set_num_threads(1)
    torch.manual_seed(0)
    policy, costs = Policy(arm.nv), []
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, given.iterations)
    begin = time.perf_counter()
    for k in range(given.iterations):
        cost, _ = rollout(arm, policy, *starts(arm.nv, BATCH, k))
        optimizer.zero_grad()
        cost.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        costs.append(cost.item())
    spent = time.perf_counter() - begin
    with torch.no_grad():
        # Starts that it has not seen.
        cost, states = rollout(arm, policy, *starts(arm.nv, BATCH, 10**6))
    angles = torch.stack([q for q, _ in states])
    away = angles[-1].abs().max().item()
    print(
        f"{given.iterations} iterations of {BATCH} rollouts took {spent:.1f} s; the cost fell from {costs[0]:.3f} to {cost:.4f}; "
        f"after {STEP * STEPS:.1f} s the angles are at most {away:.3f} rad from upright"
    )
    if given.picture:
        import matplotlib

        matplotlib.use("agg")
        import matplotlib.pyplot as plt

        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8))
        left.semilogy(costs)
        left.set(xlabel="iteration", ylabel="cost of a rollout")
        right.plot([STEP * k for k in range(STEPS + 1)], angles[:, :16, 0])
        right.set(xlabel="s", ylabel="angle of the first joint, rad")
        figure.tight_layout()
        figure.savefig(given.picture)
    assert cost < 0.2 * costs[0] and away < 0.1


if __name__ == "__main__":
    main()
