"""States, models and results, in each side's order of joints. Needs numpy and Pinocchio's Python module."""

import zlib

import numpy as np
import pinocchio as pin

COUNT = 64
# What a function's result is made of; the derivatives have all of it.
PARTS = {"rnea": "vector", "aba": "vector", "crba": "symmetric", "minv": "symmetric"}
# rbd takes right angles written to eleven decimals or more for what they are, and forward dynamics makes more of that.
TOLERANCE = 1e-8


class Robot:
    """One robot with random states, and where Pinocchio has each of our coordinates."""

    def __init__(self, name, urdf, joints, count=COUNT):
        self.name, self.count = name, count
        self.joints = [(x, int(q), int(v)) for x, q, v in (j.rsplit(":", 2) for j in joints)]
        self.floating = self.joints[0][0] == "root_joint"
        root = (pin.JointModelFreeFlyer(),) if self.floating else ()
        m = self.model = pin.buildModelFromUrdf(str(urdf), *root)
        m.armature = np.zeros(m.nv)
        self.nv = m.nv
        # our_q[i] is where we keep what Pinocchio keeps at i.
        self.our_q, self.our_v = np.zeros(m.nq, int), np.zeros(m.nv, int)
        for joint, q, v in self.joints:
            i = m.getJointId(joint)
            self.our_q[m.idx_qs[i] : m.idx_qs[i] + m.nqs[i]] = np.arange(q, q + m.nqs[i])
            self.our_v[m.idx_vs[i] : m.idx_vs[i] + m.nvs[i]] = np.arange(v, v + m.nvs[i])
        assert sorted(self.our_q) == list(range(m.nq)), f"{name}: joints differ"

    def configuration(self, rng):
        q = rng.uniform(-3, 3, self.model.nq)
        if self.floating:
            q[3:7] /= np.linalg.norm(q[3:7])
        return q

    def velocity(self, rng, q):
        return rng.normal(size=self.nv)

    def states(self):
        """Rows of q, v, a, tau in our order and in Pinocchio's."""
        m, data = self.model, self.model.createData()
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        ours, theirs = [], []
        for _ in range(self.count):
            q = self.configuration(rng)
            v, a = self.velocity(rng, q), rng.normal(size=m.nv)
            # Torques of some other acceleration, so that none of ours is wild.
            tau = pin.rnea(m, data, q, v, rng.normal(size=m.nv))
            theirs.append(np.concatenate([q, v, a, tau]))
            back_q, back = np.argsort(self.our_q), np.argsort(self.our_v)
            ours.append(np.concatenate([q[back_q], v[back], a[back], tau[back]]))
        return np.array(ours), np.array(theirs)

    def write(self, folder):
        """The states for all sides, and the model as cpp/model.hpp reads it."""
        m = self.model
        for rows, end in zip(self.states(), ("states", "pinocchio.states")):
            numbers = np.concatenate([[m.nq, m.nv, self.count], rows.ravel()])
            (folder / f"{self.name}.{end}").write_bytes(numbers.astype("<f8").tobytes())
        (folder / f"{self.name}.joints").write_text(" ".join(f"{x}:{q}:{v}" for x, q, v in self.joints))
        lines = [str(m.njoints - 1)]
        for i in range(1, m.njoints):
            kind, place, body = m.joints[i].shortname(), m.jointPlacements[i], m.inertias[i]
            axis = m.joints[i].extract().axis if kind.endswith("Unaligned") else np.zeros(3)
            parts = [place.rotation, place.translation, axis, [body.mass], body.lever, body.inertia]
            numbers = np.concatenate([np.ravel(x) for x in parts])
            lines.append(f"{kind} {m.parents[i]} " + " ".join(repr(float(x)) for x in numbers))
        text, model = "\n".join(lines) + "\n", folder / f"{self.name}.model"
        # Untouched unless it changes: C is generated from it.
        if not model.exists() or model.read_text() != text:
            model.write_text(text)

    def results(self, function, path, pinocchio, packed):
        """One list of vectors and matrices a state, in our order.

        Pinocchio's symmetric matrices are only half filled; generated C packs that half.
        """
        n = self.nv
        order = np.argsort(self.our_v) if pinocchio else np.arange(n)
        upper = tuple(np.array([(r, c) for c in range(n) for r in range(c + 1)]).T)

        def take(row):
            for kind in PARTS.get(function, "vector square square symmetric").split():
                if kind == "vector":
                    part, row = row[:n][order], row[n:]
                elif kind == "symmetric" and packed:
                    part = np.zeros((n, n))
                    part[upper], row = row[: len(upper[0])], row[len(upper[0]) :]
                else:
                    part, row = row[: n * n].reshape(n, n).T, row[n * n :]
                if kind == "symmetric" and pinocchio:
                    part = np.triu(part) + np.triu(part, 1).T
                yield part if kind == "vector" else part[np.ix_(order, order)]
            assert not len(row), f"{self.name} {function}: a result of another size"

        return [list(take(row)) for row in np.fromfile(path, "<f8").reshape(self.count, -1)]


class ClosedRobot(Robot):
    """A robot with closed loops, each two frames whose origins coincide. They do in its states, and stay so by the velocities."""

    def __init__(self, *given, loops):
        super().__init__(*given)
        self.loops = [[self.model.getFrameId(x) for x in pair] for pair in loops]
        # Joints within loops, which are closed in the neutral configuration.
        self.within = np.abs(self.apart(pin.neutral(self.model))[1]).max(axis=0) > 1e-9

    def apart(self, q):
        """How far the loops' points are apart in the world's axes, and the Jacobian of that."""
        m, data = self.model, self.model.createData()
        pin.computeJointJacobians(m, data, q)
        pin.updateFramePlacements(m, data)
        places = [[data.oMf[x].translation for x in pair] for pair in self.loops]
        moved = [[pin.getFrameJacobian(m, data, x, pin.LOCAL_WORLD_ALIGNED)[:3] for x in pair] for pair in self.loops]
        return np.concatenate([a - b for a, b in places]), np.vstack([a - b for a, b in moved])

    def configuration(self, rng):
        m, q = self.model, super().configuration(rng)
        for i in range(1, m.njoints):
            # Beyond half a radian many loops could not be closed.
            if self.within[m.idx_vs[i]]:
                q[m.idx_qs[i]] /= 6
        for _ in range(100):
            error, jacobian = self.apart(q)
            if np.abs(error).max() < 1e-13:
                return q
            step = np.zeros(self.nv)
            step[self.within] = -np.linalg.pinv(jacobian[:, self.within]) @ error
            q = pin.integrate(m, q, step)
        return self.configuration(rng)

    def velocity(self, rng, q):
        v, jacobian = super().velocity(rng, q), self.apart(q)[1]
        return v - np.linalg.pinv(jacobian) @ (jacobian @ v)


def difference(found, expected):
    """The largest difference of any state, relative to the largest entry of its vector or matrix."""
    pairs = [(x, y) for s, t in zip(found, expected, strict=True) for x, y in zip(s, t, strict=True)]
    return max(float(np.abs(x - y).max() / max(np.abs(y).max(), 1e-300)) for x, y in pairs)


class Agreement:
    """Checks a contender's results before it is timed: all as the first one's, or as `expected`."""

    def __init__(self, robot, function, worst, expected=None, tolerance=TOLERANCE):
        self.robot, self.function, self.worst = robot, function, worst
        self.expected, self.tolerance = expected, tolerance

    def __call__(self, side, what, path):
        theirs = side.startswith(("pinocchio", "generated"))
        results = self.robot.results(self.function, path, theirs, packed=side == "generated")
        self.expected = self.expected or results
        error = difference(results, self.expected)
        if error > self.tolerance:
            raise SystemExit(f"{self.robot.name} {what}: {side} differs from ours by {error:.1e}")
        self.worst[side] = max(self.worst.get(side, 0.0), error)
