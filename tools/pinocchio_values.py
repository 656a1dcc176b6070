#!/usr/bin/env python3
"""Store Pinocchio's results for the robots of robots/ in tests/values/, in this project's conventions.

    pip install pin; tools/pinocchio_values.py [STEM ...]

Pinocchio orders siblings its own way, keeps a continuous joint as (cos, sin) and is loaded without mimic handling, so
every result is mapped: the full velocity is G v with a constant G, torques come back through G^T, and forward dynamics
of a robot with mimic joints goes through G^T M G. Everything stored is then compared with urdf_tree.py, which shares
nothing with Pinocchio; the largest relative error is printed a file, and one above the bound stops the script.
"""

import json
import pathlib
import sys
import zlib

import numpy as np
import pinocchio as pin

import value_checks
from urdf_tree import Tree

REPO = pathlib.Path(__file__).resolve().parent.parent
CASES = {
    "iiwa14": "fixed", "ur5": "fixed", "panda": "fixed floating", "double_pendulum": "fixed floating",
    "baxter": "fixed", "hyq": "fixed floating", "anymal_c": "floating", "solo12": "floating", "go2": "floating",
    "talos": "floating", "talos_reduced": "fixed floating", "g1": "floating", "tiago": "fixed", "tiago_pro": "fixed",
    "pr2": "fixed", "kinova": "fixed", "allegro_hand": "fixed", "icub": "floating",
}  # fmt: skip
NOTES = {
    "matrices": "lists of rows",
    "order": "joints depth-first from the root link, siblings in file order; a mimic joint owns no coordinate",
    "fext": "per body of `joints`, in that body's joint frame, [force; moment]; constant in that frame for derivatives",
    "derivatives": "by q in the tangent space, at (q, v, a) for tau and (q, v, tau) for ddq",
    "frames": "placement in the world; Jacobian and velocity [linear; angular] in the frame's own axes",
    "com, energies, centroidal": "moving bodies only: what is fixed to the world has no share",
}


class Mapped:
    """A Pinocchio model behind our coordinates."""

    def __init__(self, path, floating):
        self.tree = Tree(path, floating)
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        m = self.model = pin.buildModelFromUrdf(str(path), *root)
        m.gravity.linear = np.array([0.0, 0.0, -9.81])
        m.armature = np.zeros(m.nv)
        self.data = m.createData()
        self.ids = [m.getJointId(body.name) for body in self.tree.bodies]
        assert sorted(self.ids) == list(range(1, m.njoints)), "joints differ"
        self.mimic = any(body.mimic for body in self.tree.bodies)
        self.g = np.zeros((m.nv, self.tree.nv))
        for body, i in zip(self.tree.bodies, self.ids):
            first, n = m.idx_vs[i], m.nvs[i]
            self.g[first : first + n, body.idx_v : body.idx_v + n] = body.scale * np.eye(n)

    def full(self, q):
        out = np.zeros(self.model.nq)
        for body, i in zip(self.tree.bodies, self.ids):
            first, n = self.model.idx_qs[i], self.model.nqs[i]
            if n == 7:
                out[first : first + 7] = q[:7]
            else:
                x = body.scale * q[body.idx_q] + body.shift
                out[first : first + n] = [np.cos(x), np.sin(x)] if n == 2 else x
        return out

    def forces(self, fext):
        out = pin.StdVec_Force()
        by_id = dict(zip(self.ids, fext))
        for i in range(self.model.njoints):
            out.append(pin.Force(np.array(by_id.get(i, np.zeros(6)), float)))
        return out

    def rnea(self, q, v, a, *forces):
        return self.g.T @ pin.rnea(self.model, self.data, self.full(q), self.g @ v, self.g @ a, *forces)

    def rnea_derivatives(self, q, v, a, *forces):
        found = pin.computeRNEADerivatives(self.model, self.data, self.full(q), self.g @ v, self.g @ a, *forces)
        return [self.g.T @ x @ self.g for x in found[:2]]

    def crba(self, q):
        m = np.triu(pin.crba(self.model, self.data, self.full(q)))
        return self.g.T @ (m + np.triu(m, 1).T) @ self.g

    def minv(self, q):
        if self.mimic:
            return np.linalg.inv(self.crba(q))
        m = np.triu(pin.computeMinverse(self.model, self.data, self.full(q)))
        return self.g.T @ (m + np.triu(m, 1).T) @ self.g

    def aba(self, q, v, tau, *forces):
        if self.mimic:
            return np.linalg.solve(self.crba(q), tau - self.rnea(q, v, 0 * v, *forces))
        # Without mimic joints G is a permutation.
        return self.g.T @ pin.aba(self.model, self.data, self.full(q), self.g @ v, self.g @ tau, *forces)

    def aba_derivatives(self, q, v, tau, *forces):
        if self.mimic:
            ddq, m = self.aba(q, v, tau, *forces), self.crba(q)
            return [-np.linalg.solve(m, x) for x in self.rnea_derivatives(q, v, ddq, *forces)]
        found = pin.computeABADerivatives(
            self.model, self.data, self.full(q), self.g @ v, self.g @ tau, *forces
        )
        return [self.g.T @ x @ self.g for x in found[:2]]

    def frame(self, link, q, v):
        m, d = self.model, self.data
        (i,) = [i for i, f in enumerate(m.frames) if f.name == link and f.type == pin.FrameType.BODY]
        pin.framesForwardKinematics(m, d, self.full(q))
        jacobian = pin.computeFrameJacobian(m, d, self.full(q), i, pin.LOCAL) @ self.g
        pin.forwardKinematics(m, d, self.full(q), self.g @ v)
        return {
            "link": link,
            "rotation": d.oMf[i].rotation.copy(),
            "translation": d.oMf[i].translation.copy(),
            "jacobian": jacobian,
            "velocity": pin.getFrameVelocity(m, d, i, pin.LOCAL).vector.copy(),
        }

    def whole_body(self, q, v):
        m, d, x, u = self.model, self.data, self.full(q), self.g @ v
        return {
            "com": pin.centerOfMass(m, d, x).copy(),
            "kinetic_energy": float(pin.computeKineticEnergy(m, d, x, u)),
            "potential_energy": float(pin.computePotentialEnergy(m, d, x)),
            "centroidal_momentum_matrix": pin.computeCentroidalMap(m, d, x) @ self.g,
            "coriolis_matrix": self.g.T @ pin.computeCoriolisMatrix(m, d, x, u) @ self.g,
        }

    def integrate(self, q, dv):
        out = q + dv if not self.tree.floating else np.concatenate([np.zeros(7), q[7:] + dv[6:]])
        if self.tree.floating:
            out[:7] = pin.integrate(self.model, self.full(q), self.g @ dv)[:7]
        return out

    def difference(self, q0, q1):
        if not self.tree.floating:
            return q1 - q0
        base = pin.difference(self.model, self.full(q0), self.full(q1))[:6]
        return np.concatenate([base, q1[7:] - q0[7:]])


def random_q(tree, rng):
    q = np.zeros(tree.nq)
    for body in tree.bodies:
        if body.kind == "floating":
            quaternion = rng.normal(size=4)
            q[:7] = np.concatenate([rng.uniform(-1, 1, 3).round(6), quaternion / np.linalg.norm(quaternion)])
        elif body.nq:
            low, high = body.lower, body.upper
            if body.kind == "continuous" or high - low < 1e-9:
                low, high = -3.0, 3.0
            q[body.idx_q] = round(rng.uniform(max(low, -3), min(high, 3)), 6)
    return q


def random_inputs(mapped, rng, at_rest):
    tree = mapped.tree
    zero = np.zeros(tree.nv)
    q = tree.neutral() if at_rest else random_q(tree, rng)
    v, a = (zero, zero) if at_rest else (rng.normal(size=tree.nv).round(6) for _ in range(2))
    # External forces and torques in proportion to what they act on, so that accelerations stay moderate.
    scale = np.array([5.0, 5, 5, 0.25, 0.25, 0.25])
    fext = np.array([max(b.inertia[0, 0], 0.01) * scale * rng.normal(size=6) for b in tree.bodies]).round(6)
    tau = zero if at_rest else mapped.rnea(q, v, rng.normal(size=tree.nv))
    tau = np.array([float(f"{x:.6g}") for x in tau])
    return {"q": q, "v": v, "a": a, "tau": tau, "fext": fext}


def frame_links(tree):
    """Up to four telling links: the root or its like, one in the middle, the last, and one behind a fixed joint."""
    moving = [link for link, (body, _) in tree.links.items() if body >= 0]
    offset = [link for link in moving if np.abs(tree.links[link][1][1]).max() > 0]
    mimic = [body.link for body in tree.bodies if body.mimic]
    chosen = [tree.root, moving[len(moving) // 2], moving[-1], *offset[-1:], *mimic[:1]]
    return list(dict.fromkeys(chosen))


def state(mapped, inputs, links):
    q, v, a, tau, fext = (inputs[k] for k in ("q", "v", "a", "tau", "fext"))
    forces, zero = mapped.forces(fext), 0 * v
    out = dict(inputs)
    out["rnea"] = mapped.rnea(q, v, a)
    out["rnea_fext"] = mapped.rnea(q, v, a, forces)
    out["bias"] = mapped.rnea(q, v, zero)
    out["gravity"] = mapped.rnea(q, zero, zero)
    out["aba"] = mapped.aba(q, v, tau)
    out["aba_fext"] = mapped.aba(q, v, tau, forces)
    out["crba"], out["minv"] = mapped.crba(q), mapped.minv(q)
    out["dtau_dq"], out["dtau_dv"] = mapped.rnea_derivatives(q, v, a)
    out["dtau_dq_fext"], _ = mapped.rnea_derivatives(q, v, a, forces)
    out["ddq_dq"], out["ddq_dv"] = mapped.aba_derivatives(q, v, tau)
    out["ddq_dq_fext"], out["ddq_dv_fext"] = mapped.aba_derivatives(q, v, tau, forces)
    out.update(mapped.whole_body(q, v))
    out["frames"] = [mapped.frame(link, q, v) for link in links]
    return out


def plain(x):
    """Lists of floats that read back bit for bit (Python writes the shortest such text, at most 17 digits)."""
    if isinstance(x, dict):
        return {k: plain(y) for k, y in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(y) for y in x]
    if isinstance(x, np.ndarray):
        return (x + 0.0).tolist()  # no negative zeros
    return x


def make(stem, base):
    path, case = f"robots/{stem}.urdf", f"{stem}.{base}"
    mapped = Mapped(REPO / path, base == "floating")
    tree, seed = mapped.tree, zlib.crc32(case.encode())
    rng = np.random.default_rng(seed)
    count = 3 if tree.nv <= 20 else 2 if tree.nv <= 30 else 1
    inputs = [random_inputs(mapped, rng, False) for _ in range(count)]
    if tree.nv <= 20:
        inputs.append(random_inputs(mapped, rng, True))
    states = [state(mapped, x, frame_links(tree)) for x in inputs]
    q0, q1, dv = random_q(tree, rng), random_q(tree, rng), rng.normal(size=tree.nv).round(6)
    manifold = {
        "q0": q0, "q1": q1, "dv": dv,
        "integrate": mapped.integrate(q0, dv), "difference": mapped.difference(q0, q1),
    }  # fmt: skip
    worst = value_checks.check(tree, states, manifold)
    value = {
        "robot": stem, "urdf": path, "base": base, "library": f"pinocchio {pin.__version__}",
        "script": "tools/pinocchio_values.py", "seed": seed, "nq": tree.nq, "nv": tree.nv, "nb": len(tree.bodies),
        "joints": [body.name for body in tree.bodies], "notes": NOTES, "states": states, "manifold": manifold,
    }  # fmt: skip
    target = REPO / "tests" / "values" / f"{case}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    # One state a line, so that a change shows where it is.
    states_text = ",\n".join(json.dumps(plain(x), separators=(",", ":")) for x in value.pop("states"))
    head = json.dumps(plain(value), separators=(",", ":"))[:-1]
    target.write_text(f'{head},\n"states":[\n{states_text}\n]}}\n', encoding="utf-8")
    names = ", ".join(f"{key} {error:.0e}" for key, error in sorted(worst.items(), key=lambda x: -x[1])[:5])
    print(f"{case}: nq {tree.nq} nv {tree.nv} nb {len(tree.bodies)}; worst: {names}; {target.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    for stem in sys.argv[1:] or CASES:
        for base in CASES[stem].split():
            make(stem, base)
