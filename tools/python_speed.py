#!/usr/bin/env python3
"""Times of `rbd.load` and of Pinocchio in Python, in one run: microseconds a call, nanoseconds a state of a batch.

    python tools/python_speed.py URDF [--floating] [--engine avx512|avx2|interpreter]

`pip install ./rbd-python pin`; without Pinocchio only ours are timed. Each figure is the least of several repetitions: on a
machine with other load it is still too large. Both are checked to agree first.
"""

import argparse
import os
import time

import numpy as np

import rbd

STATES = 4096


def least(call, seconds=0.5):
    """Seconds a call, the least of repetitions of a millisecond, which other programs do not interrupt each time."""
    call()
    start = time.perf_counter()
    call()
    times = max(1, int(1e-3 / max(time.perf_counter() - start, 1e-7)))
    best, end = float("inf"), time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        for _ in range(times):
            call()
        now = time.perf_counter()
        best = min(best, (now - start) / times)
        if now > end:
            return best


def pinocchio(urdf, floating):
    """Functions of one state, by the names of ours."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(urdf)
    data = model.createData()
    # What is called, and the part of each result that the two are compared by.
    upper = np.triu
    return {
        "rnea": (lambda q, v, a: pin.rnea(model, data, q, v, a), lambda x: x, lambda x: x),
        "aba": (lambda q, v, a: pin.aba(model, data, q, v, a), lambda x: x, lambda x: x),
        "crba": (lambda q: pin.crba(model, data, q), upper, upper),
        "minv": (lambda q: pin.computeMinverse(model, data, q), upper, upper),
        "rnea_derivatives": (
            lambda q, v, a: pin.computeRNEADerivatives(model, data, q, v, a),
            lambda x: x[0],
            lambda x: x.dtau_dq,
        ),
        "aba_derivatives": (
            lambda q, v, a: pin.computeABADerivatives(model, data, q, v, a),
            lambda x: x[0],
            lambda x: x.ddq_dq,
        ),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urdf")
    parser.add_argument("--floating", action="store_true")
    parser.add_argument("--engine", help="what computes ours; by default the fastest")
    given = parser.parse_args()
    robot = rbd.load(given.urdf, base="floating" if given.floating else "fixed", engine=given.engine)
    theirs = pinocchio(given.urdf, given.floating)
    rng = np.random.default_rng(0)
    v, a = rng.normal(size=(2, STATES, robot.NV))
    q = robot.integrate(np.tile(robot.neutral(), (STATES, 1)), rng.normal(size=(STATES, robot.NV)))
    names = ["rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"]
    print(f"{robot.NAME}, {robot.engine}: {robot.NV} degrees of freedom, {os.cpu_count()} cores, batches of {STATES} states\n")
    head = ["function", "a call, us", "out=", "pin, a call", "batch, ns a state", "threads"]
    print("| " + " | ".join(head) + " |\n|---|" + "---:|" * (len(head) - 1))
    for name in names:
        ours = getattr(robot, name)
        many = (q,) if name in ("crba", "minv") else (q, v, a)
        one = [x[0].copy() for x in many]
        result = ours(*one)
        row = [f"{least(lambda: ours(*one)) * 1e6:.2f}", f"{least(lambda: ours(*one, out=result)) * 1e6:.2f}"]
        if theirs:
            call, of_theirs, of_ours = theirs[name]
            expected, found = of_theirs(call(*one)), of_ours(result)
            assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max(), f"{name} differs"
            row.append(f"{least(lambda: call(*one)) * 1e6:.2f}")
        else:
            row.append("-")
        # Into arrays that are there: new ones of this size cost what the system takes to map memory.
        out = ours(*many)
        for threads in (False, True):
            seconds = least(lambda: ours(*many, out=out, threads=threads))
            row.append(f"{seconds / STATES * 1e9:.0f}")
        print("| " + " | ".join([f"`{name}`", *row]) + " |")


if __name__ == "__main__":
    main()
