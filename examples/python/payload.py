#!/usr/bin/env python3
"""What does the arm hold? System identification from torques.

    pip install ./rbd-python
    examples/python/payload.py [--plot FILE.png]

The arm moves with a weight in its hand, of which nothing is known. The torques that the sensors give (here computed from
the acceleration of the weight, with noise) are more than those of the empty arm. What is more is linear in the weight's mass,
first moments and inertia: the columns of the torque regressor for the last body, and a least-squares problem.
"""

import argparse
import pathlib

import numpy as np

import rbd

URDF = pathlib.Path(__file__).resolve().parents[2] / "robots" / "iiwa14.urdf"
robot = rbd.load(URDF, functions=["rnea", "rnea_fext", "regressor", "forward_kinematics"])
MASS, PLACE = 2.3, np.array([0.03, -0.02, 0.11])  # kg; m, in the last joint's frame
NOISE = 0.2  # N m
GRAVITY = np.array([0.0, 0.0, -9.81])
SECONDS, SAMPLES = 10.0, 2000


def motion(t, seed=0):
    """Positions, velocities and accelerations: a sum of sines for each joint."""
    rng = np.random.default_rng(seed)
    q = np.zeros((len(t), robot.NQ))
    v, a = np.zeros_like(q), np.zeros_like(q)
    for harmonic in range(1, 5):
        w = 2 * np.pi * harmonic / SECONDS
        size, phase = rng.uniform(-0.4, 0.4, robot.NQ), rng.uniform(0, 2 * np.pi, robot.NQ)
        angle = w * t[:, None] + phase
        q += size * np.sin(angle)
        v += size * w * np.cos(angle)
        a -= size * w**2 * np.sin(angle)
    return q, v, a


def hand(t):
    """The pose of the last body at each time, (states, 4, 4)."""
    return robot.forward_kinematics(motion(t)[0])[:, -1]


def measured(t):
    """Torques with the weight in hand: it pulls with m (g - its acceleration), here by differences."""
    h, point = 1e-3, np.append(PLACE, 1.0)
    before, now, after = (hand(t + k * h) @ point for k in (-1, 0, 1))
    pull = MASS * (GRAVITY - ((before - 2 * now + after) / h**2)[:, :3])
    # In the last body's frame: rows times a rotation are its transpose times columns.
    pull = np.einsum("si,sij->sj", pull, hand(t)[:, :3, :3])
    fext = np.zeros((len(t), robot.NB, 6))
    fext[:, -1] = np.hstack([pull, np.cross(PLACE, pull)])
    torques = robot.rnea_fext(*motion(t), fext)
    return torques + np.random.default_rng(1).normal(scale=NOISE, size=torques.shape)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", help="draw the torques of the second joint")
    given = parser.parse_args()
    t = np.linspace(0.0, SECONDS, SAMPLES)
    state, torques = motion(t), measured(t)
    empty = robot.rnea(*state)
    # The parameters of the last body: m, hx, hy, hz, and the inertia about its joint's origin.
    columns = robot.regressor(*state)[:, :, -1, :]
    found = np.linalg.lstsq(columns.reshape(-1, 10), (torques - empty).ravel(), rcond=None)[0]
    mass, place = found[0], found[1:4] / found[0]
    explained = empty + columns @ found
    print(f"mass  {mass:.3f} kg, held {MASS} kg")
    print(f"place {place.round(4)} m, held at {PLACE}")
    without, left = (np.sqrt(np.mean((torques - x) ** 2)) for x in (empty, explained))
    print(f"torques unexplained: {without:.2f} N m before, {left:.2f} N m after, noise {NOISE} N m")
    assert abs(mass - MASS) < 0.02 and np.abs(place - PLACE).max() < 0.005
    assert abs(left - NOISE) < 0.02
    if given.plot:
        import matplotlib.pyplot as plt

        for torque, label in ((torques, "measured"), (empty, "empty arm"), (explained, "with what was found")):
            plt.plot(t, torque[:, 1], label=label)
        plt.xlabel("s")
        plt.ylabel("N m, second joint")
        plt.legend()
        plt.savefig(given.plot)


if __name__ == "__main__":
    main()
