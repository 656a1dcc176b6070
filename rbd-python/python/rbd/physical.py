"""Least squares for the inertial parameters of bodies that can exist.

The pseudo-inertia of a body is the matrix [[S, h], [h^T, m]] of its mass m, first moments h and second moments S. A body with a
density has a positive definite one, and every positive definite one is that of a body (Wensing, Kim and Slotine, IEEE RA-L
3(1), 2018). The divergence from a prior P0 is log det P0 - log det P + tr(P0^-1 P) - 4. It is convex and does not depend on the
frame (Lee, Wensing and Park, IEEE T-RO 36(3), 2020).
"""

import warnings

import numpy as np

from ._core import fold

__all__ = ["Bodies", "from_pseudo_inertia", "is_physical", "pseudo_inertia", "solve_bodies"]


def pseudo_inertia(parameters):
    """The pseudo-inertias (.., 4, 4) of inertial parameters (.., 10)."""
    return np.tensordot(np.asarray(parameters, dtype=float), _BASIS, 1)


def from_pseudo_inertia(matrices):
    """The inertial parameters (.., 10) of pseudo-inertias (.., 4, 4)."""
    p = np.asarray(matrices, dtype=float)
    s, h = p[..., :3, :3], p[..., :3, 3]
    j = np.trace(s, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - s
    of = [j[..., 0, 0], j[..., 0, 1], j[..., 1, 1], j[..., 0, 2], j[..., 1, 2], j[..., 2, 2]]
    return np.stack([p[..., 3, 3], h[..., 0], h[..., 1], h[..., 2], *of], axis=-1)


def is_physical(parameters, tolerance=0.0):
    """Whether bodies with these inertial parameters (.., 10) can exist: no eigenvalue of a pseudo-inertia is less than -tolerance."""
    return np.linalg.eigvalsh(pseudo_inertia(parameters))[..., 0] >= -tolerance


def _basis():
    """The pseudo-inertia of each parameter alone."""
    basis = np.zeros((10, 4, 4))
    basis[0, 3, 3] = 1
    for i in range(3):
        basis[1 + i, i, 3] = basis[1 + i, 3, i] = 1
    for k, (i, j) in enumerate([(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]):
        inertia = np.zeros((3, 3))
        inertia[i, j] = inertia[j, i] = 1
        basis[4 + k, :3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia
    return basis


_BASIS = _basis()
# Newton steps for a weight: measured torques of a robot take some ten.
_MOST = 50


class Bodies:
    """Prior inertial parameters (NB, 10), and the inverses of their pseudo-inertias."""

    def __init__(self, prior):
        self.prior = np.array(prior, dtype=float)
        p = pseudo_inertia(self.prior)
        # Points, rods and links without mass have no inverse: a ball of some 5 cm is added, of a thousandth of the mass.
        ball = np.diag([5e-4, 5e-4, 5e-4, 1.0])
        mean = max(float(self.prior[:, 0].mean()), 1e-3)
        for k, own in enumerate(p):
            values = np.linalg.eigvalsh(own)
            if values[0] < 1e-8 * max(values[-1], 1e-3 * mean):
                p[k] += (1e-3 * max(own[3, 3], mean) + max(-values[0], 0.0) / 5e-4) * ball
        self.start, self.inverses = p, np.linalg.inv(p)


def solve_bodies(triangle, bodies, weight):
    """Minimises |A x - b|^2 / 2 + weight * (divergences of the bodies + |rest|^2 / 2), with x = (inertial parameters, rest).

    `triangle` is R of the QR decomposition of [A b]. Damped Newton steps, each a least-squares problem, for a weight that
    falls to the one that is asked for.
    """
    n = len(bodies.start)
    x = np.concatenate([from_pseudo_inertia(bodies.start).ravel(), np.zeros(triangle.shape[1] - 1 - 10 * n)])
    if not np.isfinite(triangle).all():
        raise ValueError("torques or states are too large: their squares are not finite")
    now = max(float(np.sum((triangle[:, :-1] @ x - triangle[:, -1]) ** 2)), weight)
    while now > weight:
        now = max(now / 10, weight)
        # On the way close is near enough.
        x, _ = _newton(triangle, bodies, now, x, 0.1)
    x, is_close = _newton(triangle, bodies, weight, x, 1e-6)
    if not is_close:
        said = "the inertias are not the best ones yet: torques are hardly those of such a robot; try a larger prior_weight"
        warnings.warn(said, RuntimeWarning, stacklevel=3)
    return x


def _newton(triangle, bodies, weight, x, close):
    n, size, own = len(bodies.start), len(x), 10 * len(bodies.start)
    a, root = triangle[:, :-1], np.sqrt(weight)
    for _ in range(_MOST):
        lower = np.linalg.cholesky(pseudo_inertia(x[:own].reshape(n, 10)))
        inverse = np.linalg.inv(lower)
        # Rows whose squares are the divergences' Hessian, and what they are to be: at the minimum L^T P0^-1 L is the identity.
        relative = inverse[:, None] @ _BASIS @ np.swapaxes(inverse, 1, 2)[:, None]
        wanted = np.swapaxes(lower, 1, 2) @ bodies.inverses @ lower
        rows = np.zeros((16 * n + size - own, size + 1))
        for k in range(n):
            rows[16 * k : 16 * k + 16, 10 * k : 10 * k + 10] = relative[k].reshape(10, 16).T
        rows[: 16 * n, size] = (wanted - np.eye(4)).ravel()
        rows[16 * n :, own:size] = np.eye(size - own)
        rows[16 * n :, size] = x[own:]
        rest = a @ x - triangle[:, -1]
        both = np.column_stack([a, rest])
        both[-1, -1] = abs(both[-1, -1])
        fold(both, root * rows)
        step = -_solved(both[:-1, :-1], both[:-1, -1])
        # How far that moves the bodies, relative to what they are.
        turned = np.einsum("kp,kpij->kij", step[:own].reshape(n, 10), relative)
        moved = np.linalg.eigvalsh(turned)
        size_of = float(np.linalg.norm(moved))
        part = min(1.0, -0.9 / min(float(moved.min()), -0.9))
        # The cost along the step: its slope is minus its curvature, as the step is Newton's.
        flat = np.sum((a @ step) ** 2) + weight * np.sum(step[own:] ** 2)
        curvature = flat + weight * size_of**2
        while True:
            change = part**2 / 2 * flat - part * curvature + weight * (part * moved - np.log1p(part * moved)).sum()
            after = x + part * step
            if change <= 0 and _are_definite(pseudo_inertia(after[:own].reshape(n, 10))):
                break
            part /= 2
            if part < 1e-6:
                # Rounding hides what is left to gain.
                return x, False
        x = after
        if size_of < close:
            return x, True
    return x, False


def _are_definite(matrices):
    try:
        np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        return False
    return True


def _solved(triangle, b):
    """The solution of an upper triangular system."""
    x = np.array(b)
    for i in reversed(range(len(x))):
        x[i] /= triangle[i, i]
        x[:i] -= triangle[:i, i] * x[i]
    return x
