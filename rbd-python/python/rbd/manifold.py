"""The manifold of configurations, a joint at a time, for arrays of JAX or of torch."""


class Manifold:
    """Functions of the configurations of these joints. `xp` has numpy's functions, and `cross` is the product of vectors."""

    def __init__(self, xp, cross, joints):
        self.xp, self.cross, self.joints = xp, cross, joints
        self.is_flat = not any(joint.kind in _WIDE and joint.mimic is None for joint in joints)

    def integrate(self, q, dv):
        """The configuration reached from `q` by the tangent vector `dv`."""
        return self._by_joints("integrate", q, dv, False)

    def tangent(self, q, dq):
        """The tangent vector of a step `dq` of the coordinates at `q`."""
        return self._by_joints("tangent", q, dq, True)

    def gradient(self, q, dv):
        """The gradient by coordinates at `q` of one by tangent vectors: the transpose of `tangent`."""
        return self._by_joints("gradient", q, dv, False)

    def step(self, q, dv):
        """The step of the coordinates at `q` that a small tangent vector `dv` makes."""
        return self._by_joints("step", q, dv, False)

    def pulled(self, q, dq):
        """The gradient by tangent vectors at `q` of one by coordinates: the transpose of `step`."""
        return self._by_joints("pulled", q, dq, True)

    def _by_joints(self, name, q, x, is_of_q):
        """Joins the results of a function of each joint's own coordinates."""
        if self.is_flat:
            return q + x if name == "integrate" else x
        parts = []
        for joint in self.joints:
            if joint.mimic is None:
                first, n = (joint.idx_q, joint.nq) if is_of_q else (joint.idx_v, joint.nv)
                own_q, own = q[..., joint.idx_q : joint.idx_q + joint.nq], x[..., first : first + n]
                if joint.kind in _WIDE:
                    parts.append(getattr(self, f"_{name}_{joint.kind}")(own_q, own))
                else:
                    parts.append(own_q + own if name == "integrate" else own)
        return self._join(*parts)

    def _join(self, *parts):
        return self.xp.concatenate(parts, axis=-1)

    def _product(self, a, b):
        """Of quaternions x, y, z, w."""
        u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
        return self._join(s * v + t * u + self.cross(u, v), s * t - (u * v).sum(axis=-1, keepdims=True))

    def _conjugate(self, q):
        return self._join(-q[..., :3], q[..., 3:])

    def _rotated(self, q, x):
        """The vector x turned by a unit quaternion."""
        u, s = q[..., :3], q[..., 3:]
        return x + 2 * self.cross(u, self.cross(u, x) + s * x)

    def _series(self, w2):
        """sin(t/2)/t, cos(t/2), (1 - cos t)/t^2 and (t - sin t)/t^3 of t^2, smooth at zero."""
        xp = self.xp
        small = w2 < 1e-4
        t2 = xp.where(small, 1.0, w2)
        t = xp.sqrt(t2)
        x = xp.where(small, w2, 0.0)
        return (
            xp.where(small, 0.5 - x / 48 + x * x / 3840, xp.sin(t / 2) / t),
            xp.where(small, 1 - x / 8 + x * x / 384, xp.cos(t / 2)),
            xp.where(small, 0.5 - x / 24 + x * x / 720, (1 - xp.cos(t)) / t2),
            xp.where(small, 1 / 6 - x / 120 + x * x / 5040, (t - xp.sin(t)) / (t2 * t)),
        )

    def _exp(self, w):
        """The unit quaternion of a rotation vector."""
        half_sinc, cos, _, _ = self._series((w * w).sum(axis=-1, keepdims=True))
        return self._join(half_sinc * w, cos)

    def _moved(self, u, w):
        """How far a body goes that moves with these velocities for one second, in its first axes."""
        _, _, b, c = self._series((w * w).sum(axis=-1, keepdims=True))
        return u + b * self.cross(w, u) + c * self.cross(w, self.cross(w, u))

    def _turned(self, angle, x):
        """The vector x of a plane turned by an angle."""
        xp = self.xp
        c, s = xp.cos(angle), xp.sin(angle)
        return self._join(c * x[..., :1] - s * x[..., 1:], s * x[..., :1] + c * x[..., 1:])

    # The angular velocity of a step of a quaternion, in the child's frame: its part along q counts for nothing.

    def _tangent_spherical(self, q, dq):
        return 2 * self._product(self._conjugate(q), dq)[..., :3] / (q * q).sum(axis=-1, keepdims=True)

    def _gradient_spherical(self, q, dv):
        return 2 * self._product(q, self._join(dv, self.xp.zeros_like(dv[..., :1]))) / (q * q).sum(axis=-1, keepdims=True)

    def _step_spherical(self, q, dv):
        return 0.5 * self._product(q, self._join(dv, self.xp.zeros_like(dv[..., :1])))

    def _pulled_spherical(self, q, dq):
        return 0.5 * self._product(self._conjugate(q), dq)[..., :3]

    def _integrate_spherical(self, q, dv):
        return self._product(q, self._exp(dv))

    def _tangent_floating(self, q, dq):
        turn = q[..., 3:]
        return self._join(self._rotated(self._conjugate(turn), dq[..., :3]), self._tangent_spherical(turn, dq[..., 3:]))

    def _gradient_floating(self, q, dv):
        turn = q[..., 3:]
        return self._join(self._rotated(turn, dv[..., :3]), self._gradient_spherical(turn, dv[..., 3:]))

    def _step_floating(self, q, dv):
        turn = q[..., 3:]
        return self._join(self._rotated(turn, dv[..., :3]), self._step_spherical(turn, dv[..., 3:]))

    def _pulled_floating(self, q, dq):
        turn = q[..., 3:]
        return self._join(self._rotated(self._conjugate(turn), dq[..., :3]), self._pulled_spherical(turn, dq[..., 3:]))

    def _integrate_floating(self, q, dv):
        p, turn, u, w = q[..., :3], q[..., 3:], dv[..., :3], dv[..., 3:]
        return self._join(p + self._rotated(turn, self._moved(u, w)), self._integrate_spherical(turn, w))

    def _tangent_planar(self, q, dq):
        return self._join(self._turned(-q[..., 2:], dq[..., :2]), dq[..., 2:])

    def _gradient_planar(self, q, dv):
        return self._join(self._turned(q[..., 2:], dv[..., :2]), dv[..., 2:])

    # Lengths are kept, so that the inverse is the transpose.

    def _step_planar(self, q, dv):
        return self._gradient_planar(q, dv)

    def _pulled_planar(self, q, dq):
        return self._tangent_planar(q, dq)

    def _integrate_planar(self, q, dv):
        zero = self.xp.zeros_like(dv[..., :1])
        u, w = self._join(dv[..., :2], zero), self._join(zero, zero, dv[..., 2:])
        return self._join(q[..., :2] + self._turned(q[..., 2:], self._moved(u, w)[..., :2]), q[..., 2:] + dv[..., 2:])


_WIDE = ("floating", "spherical", "planar")
