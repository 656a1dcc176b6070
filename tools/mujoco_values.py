#!/usr/bin/env python3
"""Store MuJoCo's inverse and forward dynamics and mass matrix at the states of tests/values/, as a second witness.

    pip install mujoco; tools/mujoco_values.py [CASE ...]

MuJoCo loads the same reduced URDFs, with no damping, friction, armature, limits or contacts. It keeps an inertia as
principal moments and a quaternion, which costs digits. A free joint's linear velocity is in world axes and its
quaternion has w first; both are mapped. Mimic joints would be constraints there, so robots that have them are left out;
so are those that MuJoCo refuses for a link's inertia (hyq, anymal_c, tiago, allegro_hand: rounded or unphysical ones).
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

from urdf_tree import Tree, quaternion_rotation

REPO = pathlib.Path(__file__).resolve().parent.parent
VALUES = REPO / "tests" / "values"
CASES = [
    "iiwa14.fixed", "ur5.fixed", "double_pendulum.fixed", "kinova.fixed", "solo12.floating", "go2.floating",
    "g1.floating", "talos_reduced.floating", "icub.floating",
]  # fmt: skip
# Bound on the difference to the stored values, over the largest entry.
BOUND = 1e-9


def load(path, floating):
    robot = ET.parse(path).getroot()
    options = {
        "balanceinertia": "false", "boundmass": "0", "boundinertia": "0", "fusestatic": "true",
        "discardvisual": "true", "strippath": "true", "angle": "radian", "autolimits": "false",
    }  # fmt: skip
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", options)
    for joint in robot.findall("joint"):
        for name in ("limit", "dynamics", "mimic"):
            for element in joint.findall(name):
                joint.remove(element)
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
    if floating:
        children = {joint.find("child").get("link") for joint in robot.findall("joint")}
        (root,) = {link.get("name") for link in robot.findall("link")} - children
        # A link above the root that stands for the world, and a free joint between them.
        ET.SubElement(robot, "link", {"name": "mujoco_world"})
        joint = ET.SubElement(robot, "joint", {"name": "root_joint", "type": "floating"})
        ET.SubElement(joint, "parent", {"link": "mujoco_world"})
        ET.SubElement(joint, "child", {"link": root})
    model = mujoco.MjModel.from_xml_string(ET.tostring(robot, encoding="unicode"))
    model.opt.gravity[:] = [0, 0, -9.81]
    model.dof_damping[:] = 0
    model.dof_armature[:] = 0
    model.dof_frictionloss[:] = 0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    return model


class Mapped:
    def __init__(self, path, floating):
        self.tree, self.model = Tree(path, floating), load(path, floating)
        self.data = mujoco.MjData(self.model)
        m = self.model
        self.q_index, self.v_index = [], []
        for body in self.tree.bodies:
            joint = m.joint(body.name)
            nq, nv = (7, 6) if body.kind == "floating" else (1, 1)
            self.q_index += range(joint.qposadr[0], joint.qposadr[0] + nq)
            self.v_index += range(joint.dofadr[0], joint.dofadr[0] + nv)
        assert len(self.q_index) == m.nq and len(self.v_index) == m.nv

    def set(self, q, v):
        """Sets the state; returns E and its rate times v, where MuJoCo's velocity is E v in our joint order."""
        q = np.array(q)
        e, rate = np.eye(self.tree.nv), np.zeros(self.tree.nv)
        if self.tree.floating:
            r = quaternion_rotation(*q[3:7])
            e[:3, :3] = r
            rate[:3] = r @ np.cross(v[3:6], v[:3])  # d/dt (R v) = R (a + w x v)
            q[3:7] = q[[6, 3, 4, 5]]
        self.data.qpos[self.q_index] = q
        self.data.qvel[self.v_index] = e @ v
        return e, rate

    def rnea(self, q, v, a):
        e, rate = self.set(q, v)
        self.data.qacc[self.v_index] = e @ a + rate
        mujoco.mj_inverse(self.model, self.data)
        return e.T @ self.data.qfrc_inverse[self.v_index]

    def aba(self, q, v, tau):
        e, rate = self.set(q, v)
        self.data.qfrc_applied[self.v_index] = e @ tau  # E is orthogonal
        mujoco.mj_forward(self.model, self.data)
        return e.T @ (self.data.qacc[self.v_index] - rate)

    def crba(self, q):
        e, _ = self.set(q, np.zeros(self.tree.nv))
        mujoco.mj_forward(self.model, self.data)
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return e.T @ full[np.ix_(self.v_index, self.v_index)] @ e


def make(case):
    stem, base = case.split(".")
    stored = json.loads((VALUES / f"{case}.json").read_text())
    mapped = Mapped(REPO / stored["urdf"], base == "floating")
    states, worst = [], {}
    for s in stored["states"]:
        q, v, a, tau = (np.array(s[k]) for k in ("q", "v", "a", "tau"))
        found = {
            "rnea": mapped.rnea(q, v, a), "bias": mapped.rnea(q, v, 0 * v), "aba": mapped.aba(q, v, tau),
            "crba": mapped.crba(q),
        }  # fmt: skip
        for key, value in found.items():
            error = np.abs(value - s[key]).max() / np.abs(s[key]).max()
            worst[key] = max(worst.get(key, 0.0), error)
        inputs = {"q": q, "v": v, "a": a, "tau": tau}
        states.append({key: (value + 0.0).tolist() for key, value in (inputs | found).items()})
    print(f"{case}: against Pinocchio: " + ", ".join(f"{key} {error:.1e}" for key, error in worst.items()))
    if max(worst.values()) > BOUND:
        raise AssertionError(f"{case}: differs from the stored values by more than {BOUND:.0e}")
    value = {key: stored[key] for key in ("robot", "urdf", "base", "nq", "nv", "nb", "joints")}
    value["library"], value["script"] = f"mujoco {mujoco.__version__}", "tools/mujoco_values.py"
    target = VALUES / "mujoco" / f"{case}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps(value, separators=(",", ":"))[:-1]
    lines = ",\n".join(json.dumps(s, separators=(",", ":")) for s in states)
    target.write_text(f'{head},\n"states":[\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    for case in sys.argv[1:] or CASES:
        make(case)
