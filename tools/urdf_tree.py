"""A reduced URDF in this project's conventions, with textbook dynamics in numpy.

Shares nothing with Pinocchio or MuJoCo: the scripts that store values from those libraries check the libraries'
results, and the mapping into our conventions, against this. Slow and plain on purpose.

Joints come depth-first from the root link, siblings in the file's order. Continuous joints are one angle. A mimic
joint moves by q = multiplier * q[followed] + offset and owns no coordinate. Fixed joints merge into their parent.
A floating base is body 0, `root_joint`, with q = [x, y, z, qx, qy, qz, qw] and v in the base frame. Spatial vectors
are [linear; angular] and live in the joint frame of their body.
"""

import dataclasses
import math
import xml.etree.ElementTree as ET

import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def floats(element, name, default):
    text = None if element is None else element.get(name)
    return np.array([float(x) for x in text.split()]) if text is not None else np.array(default, float)


def rotation(axis, angle):
    s = skew(axis)
    return np.eye(3) + math.sin(angle) * s + (1 - math.cos(angle)) * s @ s


def quaternion_rotation(x, y, z, w):
    s = skew([x, y, z])
    return np.eye(3) + 2 * w * s + 2 * s @ s


def origin(element):
    """(R, p) of an <origin>; roll, pitch, yaw about fixed axes."""
    o = element.find("origin")
    r, p, y = floats(o, "rpy", (0, 0, 0))
    ex, ey, ez = np.eye(3)
    return rotation(ez, y) @ rotation(ey, p) @ rotation(ex, r), floats(o, "xyz", (0, 0, 0))


def compose(a, b):
    return a[0] @ b[0], a[0] @ b[1] + a[1]


def motion_into(m):
    """6x6 that takes a motion from the parent into the child, for the child's placement m."""
    r, p = m
    return np.block([[r.T, -r.T @ skew(p)], [np.zeros((3, 3)), r.T]])


def cross_motion(v):
    w, l = skew(v[3:]), skew(v[:3])
    return np.block([[w, l], [np.zeros((3, 3)), w]])


def link_inertia(link):
    """6x6 inertia about the link frame."""
    inertial = link.find("inertial")
    if inertial is None:
        return np.zeros((6, 6))
    r, c = origin(inertial)
    m = float(inertial.find("mass").get("value"))
    i = inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (float(i.get(k)) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    j = r @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ r.T
    return np.block([[m * np.eye(3), -m * skew(c)], [m * skew(c), j - m * skew(c) @ skew(c)]])


@dataclasses.dataclass
class Body:
    name: str  # of its joint
    kind: str
    link: str
    parent: int  # -1: the world
    placement: tuple  # joint frame in the parent body's frame, at q = 0
    axis: np.ndarray
    lower: float
    upper: float
    inertia: np.ndarray
    mimic: tuple = None  # (name of the followed joint, multiplier, offset)
    idx_q: int = -1
    nq: int = 0
    idx_v: int = -1
    nv: int = 0
    scale: float = 1.0  # q of the joint = scale * q[idx_q] + shift
    shift: float = 0.0


class Tree:
    def __init__(self, path, floating):
        robot = ET.parse(path).getroot()
        self.floating = floating
        links = {link.get("name"): link for link in robot.findall("link")}
        by_parent, joints = {}, robot.findall("joint")
        for joint in joints:
            by_parent.setdefault(joint.find("parent").get("link"), []).append(joint)
        (root,) = set(links) - {joint.find("child").get("link") for joint in joints}
        self.root, self.bodies, self.links = root, [], {}  # links: name -> (body, placement in it)
        identity = (np.eye(3), np.zeros(3))
        base = -1
        if floating:
            base = 0
            self.bodies.append(Body("root_joint", "floating", root, -1, identity, None, -1, 1, np.zeros((6, 6))))
        self._visit(links, by_parent, root, base, identity)
        self._number()

    def _visit(self, links, by_parent, name, body, placement):
        self.links[name] = (body, placement)
        if body >= 0:
            x = motion_into(placement)
            self.bodies[body].inertia += x.T @ link_inertia(links[name]) @ x
        for joint in by_parent.get(name, []):
            child, here = joint.find("child").get("link"), compose(placement, origin(joint))
            kind = joint.get("type")
            if kind == "fixed":
                self._visit(links, by_parent, child, body, here)
                continue
            if kind not in ("revolute", "continuous", "prismatic"):
                raise ValueError(f"joint type {kind}")
            axis = floats(joint.find("axis"), "xyz", (1, 0, 0))
            limit, mimic = joint.find("limit"), joint.find("mimic")
            lower, upper = (float(floats(limit, key, (0,))[0]) for key in ("lower", "upper"))
            if mimic is not None:
                mimic = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
            self.bodies.append(
                Body(joint.get("name"), kind, child, body, here, axis / np.linalg.norm(axis), lower, upper,
                     np.zeros((6, 6)), mimic)
            )
            self._visit(links, by_parent, child, len(self.bodies) - 1, (np.eye(3), np.zeros(3)))

    def _number(self):
        self.nq = self.nv = 0
        for body in self.bodies:
            if body.mimic is None:
                body.idx_q, body.idx_v = self.nq, self.nv
                body.nq, body.nv = (7, 6) if body.kind == "floating" else (1, 1)
                self.nq, self.nv = self.nq + body.nq, self.nv + body.nv
        by_name = {body.name: body for body in self.bodies}
        for body in self.bodies:
            body.scale, body.shift, followed = 1.0, 0.0, body
            while followed.mimic is not None:
                name, multiplier, offset = followed.mimic
                body.shift += body.scale * offset
                body.scale *= multiplier
                followed = by_name[name]
            body.idx_q, body.idx_v = followed.idx_q, followed.idx_v

    # Motion subspace of a body's joint by the reduced velocity, 6 x nv of the joint it follows.
    def subspace(self, body):
        if body.kind == "floating":
            return np.eye(6)
        s = np.zeros((6, 1))
        s[(slice(0, 3) if body.kind == "prismatic" else slice(3, 6)), 0] = body.axis * body.scale
        return s

    def columns(self, body):
        return slice(body.idx_v, body.idx_v + (6 if body.kind == "floating" else 1))

    def placements(self, q):
        """Placement of each body in its parent."""
        out = []
        for b in self.bodies:
            if b.kind == "floating":
                move = (quaternion_rotation(*q[3:7]), q[:3])
            else:
                x = b.scale * q[b.idx_q] + b.shift
                move = (np.eye(3), b.axis * x) if b.kind == "prismatic" else (rotation(b.axis, x), np.zeros(3))
            out.append(compose(b.placement, move))
        return out

    def world(self, q):
        """Placement of each body in the world."""
        out = []
        for b, m in zip(self.bodies, self.placements(q)):
            out.append(m if b.parent < 0 else compose(out[b.parent], m))
        return out

    def rnea(self, q, v, a, fext=None, gravity=GRAVITY):
        """tau by the recursive Newton-Euler algorithm (Featherstone 2008, table 5.1)."""
        n, tau = len(self.bodies), np.zeros(self.nv)
        x = [motion_into(m) for m in self.placements(q)]
        s = [self.subspace(b) for b in self.bodies]
        vel, acc, f = [None] * n, [None] * n, [None] * n
        base = np.concatenate([-gravity, np.zeros(3)])
        for i, b in enumerate(self.bodies):
            columns = self.columns(b)
            joint = s[i] @ v[columns]
            vel[i] = joint if b.parent < 0 else x[i] @ vel[b.parent] + joint
            cross = cross_motion(vel[i])
            acc[i] = x[i] @ (base if b.parent < 0 else acc[b.parent]) + s[i] @ a[columns] + cross @ joint
            f[i] = b.inertia @ acc[i] - cross.T @ (b.inertia @ vel[i])
            if fext is not None:
                f[i] = f[i] - fext[i]
        for i in reversed(range(n)):
            b = self.bodies[i]
            tau[self.columns(b)] += s[i].T @ f[i]
            if b.parent >= 0:
                f[b.parent] = f[b.parent] + x[i].T @ f[i]
        return tau

    def mass_matrix(self, q):
        zero = np.zeros(self.nv)
        return np.stack([self.rnea(q, zero, e, gravity=np.zeros(3)) for e in np.eye(self.nv)], 1)

    def integrate(self, q, dv):
        """q moved by dv; the base by the exponential of SE(3)."""
        out = np.array(q, float)
        if self.floating:
            out[7:] += dv[6:]
            u, w = dv[:3], dv[3:6]
            t, k = np.linalg.norm(w), skew(w)
            if t < 1e-6:  # the next terms of the series are below rounding
                b, c, half = 0.5, 1 / 6, 0.5 - t * t / 48
            else:
                b, c, half = (1 - math.cos(t)) / t**2, (t - math.sin(t)) / t**3, math.sin(t / 2) / t
            x, y, z, s = q[3:7]
            out[:3] += quaternion_rotation(x, y, z, s) @ ((np.eye(3) + b * k + c * k @ k) @ u)
            d, e = half * w, math.cos(t / 2)
            out[3:6] = s * d + e * q[3:6] + np.cross(q[3:6], d)
            out[6] = s * e - q[3:6] @ d
        else:
            out += dv
        return out

    def neutral(self):
        q = np.zeros(self.nq)
        if self.floating:
            q[6] = 1.0
        return q
