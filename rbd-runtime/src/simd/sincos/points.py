#!/usr/bin/env python3
"""Writes points.rs: angles that are hard to reduce, and their sines and cosines to 300 bits, rounded to
the sum of two f64. Needs mpmath. Run it here; the output is committed, so that the tests need neither."""
import random
from mpmath import mp, mpf, cos, floor, nstr, pi, sin

mp.prec = 300
random.seed(7)


def two(x):
    """x as a pair of floats, the second what the first rounds away."""
    high = float(x)
    return high, float(x - mpf(high))


quarter = pi / 2
# The floats up to 1e5 that lie closest to a multiple of pi / 2.
near = sorted((abs(mpf(float(k * quarter)) - k * quarter), float(k * quarter)) for k in range(1, 63662))
points = [x for _, x in near[:40]]
# Next to odd multiples of pi / 4, where the number of quarter turns changes.
points += [float((2 * k + 1) * pi / 4) for k in (0, 1, 2, 3, 10, 101, 5000, 31829)]
points += [0.0, 5e-324, 1e-300, 1e-8, 0.5, 1.0, -1.0, 99999.99999999999, -1e5, 1e5]
points += [random.uniform(-1, 1) * 10 ** random.uniform(-6, 5) for _ in range(42)]

with open("points.rs", "w") as out:
    out.write("// Written by points.py.\n\n")
    out.write("/// Angle, its sine as the sum of two numbers, its cosine likewise.\n#[rustfmt::skip]\n")
    out.write("#[allow(clippy::approx_constant, reason = \"multiples of pi are the hard ones\")]\n")
    out.write(f"pub(super) const POINTS: [[f64; 5]; {len(points)}] = [\n")
    for x in points:
        row = (x, *two(sin(mpf(x))), *two(cos(mpf(x))))
        out.write("    [" + ", ".join(f"{v!r}" for v in row) + "],\n")
    out.write("];\n")
