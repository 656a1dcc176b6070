"""Checks of stored values against urdf_tree.py: relative errors, a key each.

An error is the largest entry's difference over the largest entry. Forward dynamics is checked by putting it back into
inverse dynamics, derivatives by central differences of inverse dynamics along `Tree.integrate`, the Coriolis matrix by
C v = bias - gravity and by dM/dt = C + C^T.
"""

import numpy as np

from urdf_tree import GRAVITY, compose, motion_into

# Bounds on the relative error: exact comparisons, and those through finite differences.
EXACT, DIFFERENCES = 1e-11, 1e-8
STEP = 2e-3


def relative(x, y, scale=None):
    scale = np.abs(y).max() if scale is None else scale
    return float(np.abs(np.asarray(x) - y).max() / (scale if scale > 0 else 1.0))


def slope(f):
    """df/de at 0, fourth order."""
    h = STEP
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def by_q(tree, q, f):
    return np.stack([slope(lambda e, j=j: f(tree.integrate(q, e * j))) for j in np.eye(tree.nv)], 1)


def by_v(v, f):
    return np.stack([slope(lambda e, j=j: f(v + e * j)) for j in np.eye(len(v))], 1)


def velocities(tree, q, v):
    out = []
    for body, m in zip(tree.bodies, tree.placements(q)):
        joint = tree.subspace(body) @ v[tree.columns(body)]
        out.append(joint if body.parent < 0 else motion_into(m) @ out[body.parent] + joint)
    return out


def check_dynamics(tree, s, found):
    q, v, a, tau, fext = (np.asarray(s[k]) for k in ("q", "v", "a", "tau", "fext"))
    zero, m = 0 * v, tree.mass_matrix(q)
    found("rnea", relative(s["rnea"], tree.rnea(q, v, a)))
    found("rnea_fext", relative(s["rnea_fext"], tree.rnea(q, v, a, fext)))
    found("bias", relative(s["bias"], tree.rnea(q, v, zero)))
    found("gravity", relative(s["gravity"], tree.rnea(q, zero, zero)))
    found("crba", relative(s["crba"], m))
    found("minv", relative(m @ s["minv"], np.eye(tree.nv)))
    # How much of a torque's error is left where large accelerations cancel in it.
    size = np.abs(m).max()
    for key, force in (("aba", None), ("aba_fext", fext)):
        back = tree.rnea(q, v, s[key], force)
        found(key, relative(back, tau, max(np.abs(tau).max(), size * np.abs(s[key]).max(), 1e-300)))
    for key, force in (("", None), ("_fext", fext)):
        expected = by_q(tree, q, lambda x, f=force: tree.rnea(x, v, a, f))
        found(f"dtau_dq{key} (differences)", relative(s[f"dtau_dq{key}"], expected))
        ddq = s[f"aba{key}"]
        for variable, expected in (
            ("q", by_q(tree, q, lambda x, f=force: tree.rnea(x, v, ddq, f))),
            ("v", by_v(v, lambda x, f=force: tree.rnea(q, x, ddq, f))),
        ):
            # In free fall (a vertical first joint without a motor) what is expected is the rounding of zero.
            scale = max(np.abs(expected).max(), np.abs(s["dtau_dq"]).max())
            found(f"ddq_d{variable}{key} (differences)", relative(m @ s[f"ddq_d{variable}{key}"], -expected, scale))
    found("dtau_dv (differences)", relative(s["dtau_dv"], by_v(v, lambda x: tree.rnea(q, x, a))))


def check_kinematics(tree, s, found):
    q, v = np.asarray(s["q"]), np.asarray(s["v"])
    world, velocity = tree.world(q), velocities(tree, q, v)
    columns = [velocities(tree, q, e) for e in np.eye(tree.nv)]
    for frame in s["frames"]:
        body, offset = tree.links[frame["link"]]
        r, p = compose(world[body], offset) if body >= 0 else offset
        x = motion_into(offset)
        at = [x @ c[body] if body >= 0 else np.zeros(6) for c in columns]
        found("frame placement", relative(np.column_stack([frame["rotation"], frame["translation"]]), np.column_stack([r, p])))
        found("frame jacobian", relative(frame["jacobian"], np.stack(at, 1)))
        found("frame velocity", relative(frame["velocity"], x @ velocity[body] if body >= 0 else np.zeros(6)))
    masses = [b.inertia[0, 0] for b in tree.bodies]
    moments = [np.array([b.inertia[5, 1], b.inertia[3, 2], b.inertia[4, 0]]) for b in tree.bodies]
    com = sum(m * p + r @ h for m, h, (r, p) in zip(masses, moments, world)) / sum(masses)
    kinetic = sum(u @ b.inertia @ u for b, u in zip(tree.bodies, velocity)) / 2
    found("com", relative(s["com"], com))
    found("kinetic_energy", relative(s["kinetic_energy"], np.array(kinetic)))
    found("potential_energy", relative(s["potential_energy"], np.array(-sum(masses) * GRAVITY @ com)))
    momentum = np.zeros((6, tree.nv))
    for i, b in enumerate(tree.bodies):
        r, p = world[i]
        to_com = motion_into((r.T, r.T @ (com - p)))  # from the body's axes to the world's, at the centre of mass
        momentum += np.linalg.inv(to_com).T @ b.inertia @ np.stack([c[i] for c in columns], 1)
    found("centroidal_momentum_matrix", relative(s["centroidal_momentum_matrix"], momentum))
    c, coriolis = np.asarray(s["coriolis_matrix"]), np.asarray(s["bias"]) - s["gravity"]
    found("coriolis_matrix times v", relative(c @ v, coriolis, np.abs(s["bias"]).max()))
    rate = slope(lambda e: tree.mass_matrix(tree.integrate(q, e * v)))
    found("coriolis_matrix (differences)", relative(c + c.T, rate))


def check_manifold(tree, manifold, found):
    q0, q1, dv = (np.asarray(manifold[k]) for k in ("q0", "q1", "dv"))
    found("integrate", relative(manifold["integrate"], tree.integrate(q0, dv)))
    reached = tree.integrate(q0, np.asarray(manifold["difference"]))
    if tree.floating and reached[3:7] @ q1[3:7] < 0:
        reached[3:7] *= -1  # both quaternions are the same rotation
    found("difference", relative(reached, q1))


def check(tree, states, manifold):
    """Relative errors by name; raises where one is above its bound."""
    worst = {}

    def found(name, error):
        bound = DIFFERENCES if "differences" in name else EXACT
        if not error <= bound:
            raise AssertionError(f"{name}: relative error {error:.1e} above {bound:.0e}")
        worst[name] = max(worst.get(name, 0.0), error)

    for s in states:
        check_dynamics(tree, s, found)
        check_kinematics(tree, s, found)
    check_manifold(tree, manifold, found)
    return worst
