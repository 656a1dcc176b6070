#!/usr/bin/env python3
"""Store Pinocchio's dynamics under contacts in tests/values/contacts/.

    pip install pin; tools/pinocchio_contacts.py [CASE ...]

Accelerations and forces of constraintDynamics with Baumgarte's terms, their derivatives by
computeConstraintDynamicsDerivatives, and impulseDynamics, at the first state of tests/values/CASE.json. Derivatives of
accelerations are compared with differences, accelerations and velocities with one dense system.
"""

import json
import pathlib
import sys

import numpy as np
import pinocchio as pin

from pinocchio_values import REPO, Mapped, plain
from value_checks import relative, slope

POINT, PLANE = pin.ContactType.CONTACT_3D, pin.ContactType.CONTACT_6D
# Of a plane Pinocchio's distance is the logarithm of the whole placement, which is another than ours: no stiffness there.
CASES = {
    "hyq.floating": (["lf_foot", "rf_foot", "lh_foot", "rh_foot"], POINT, 7.0, 5.0),
    "talos_reduced.floating": (["left_sole_link", "right_sole_link"], PLANE, 0.0, 5.0),
}  # fmt: skip
RESTITUTION = 0.4
ANCHOR = np.array([0.3, -0.2, 0.1])
NOTES = {
    "forces": "on the robot, in the contact's own axes, contact after contact: three rows of a point, six of a plane",
    "derivatives": "lists of rows; by q in the tangent space",
    "anchor": "where in the world, with its axes, every point is pulled by kp; 0 for planes",
}
BOUND = 1e-8


def rows(m, q, frames, size):
    found = [pin.computeFrameJacobian(m.model, m.data, m.full(q), f, pin.LOCAL)[:size] @ m.g for f in frames]
    return np.vstack(found)


def make(case):
    names, kind, kp, kd = CASES[case]
    stem, base = case.split(".")
    stored = json.loads((REPO / "tests" / "values" / f"{case}.json").read_text())
    m = Mapped(REPO / stored["urdf"], base == "floating")
    q, v, tau = (np.array(stored["states"][0][k]) for k in ("q", "v", "tau"))
    size = 3 if kind == POINT else 6
    contacts, contact_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    frames = [m.model.getFrameId(name, pin.FrameType.BODY) for name in names]
    for f in frames:
        frame, at = m.model.frames[f], pin.SE3(np.eye(3), ANCHOR)
        contact = pin.RigidConstraintModel(kind, m.model, frame.parentJoint, frame.placement, 0, at, pin.LOCAL)
        contact.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(kp, kd))
        contacts.append(contact)
        contact_data.append(contact.createData())
    pin.initConstraintDynamics(m.model, m.data, contacts, contact_data)

    def dynamics(q, v, tau):
        once = pin.ProximalSettings(1e-14, 0.0, 1)
        ddq = pin.constraintDynamics(
            m.model, m.data, m.full(q), m.g @ v, m.g @ tau, contacts, contact_data, once
        )
        return m.g.T @ ddq

    ddq = dynamics(q, v, tau)
    forces = np.concatenate([x.contact_force.vector[:size] for x in contact_data])
    pin.computeConstraintDynamicsDerivatives(m.model, m.data, contacts, contact_data)
    found = {"ddq": ddq, "forces": forces}
    for by in ("dq", "dv", "dtau"):
        found[f"ddq_{by}"] = m.g.T @ getattr(m.data, f"ddq_{by}") @ m.g
        # Pinocchio's forces here are those on the world.
        found[f"forces_{by}"] = getattr(m.data, f"dlambda_{by}") @ m.g
    jacobian = rows(m, q, frames, size)
    # What the forces do.
    errors = {"ddq": relative(m.rnea(q, v, ddq) - tau, jacobian.T @ forces)}
    along = {
        "dq": lambda e: (m.tree.integrate(q, e), v, tau),
        "dv": lambda e: (q, v + e, tau),
        "dtau": lambda e: (q, v, tau + e),
    }
    for by, at in along.items():
        def moved(e, at=at):
            ddq = dynamics(*at(e))
            return np.concatenate([ddq, *(x.contact_force.vector[:size] for x in contact_data)])

        expected = np.stack([slope(lambda h, j=j: moved(h * j)) for j in np.eye(m.tree.nv)], 1)
        errors[f"ddq_{by}"] = relative(found[f"ddq_{by}"], expected[: m.tree.nv])
        errors[f"forces_{by}"] = relative(found[f"forces_{by}"], expected[m.tree.nv :])
    pin.crba(m.model, m.data, m.full(q))
    plus = pin.impulseDynamics(m.model, m.data, m.full(q), m.g @ v, jacobian @ m.g.T, RESTITUTION, 0.0)
    found["v_plus"], found["impulses"] = m.g.T @ plus, m.data.impulse_c.copy()
    errors["v_plus"] = relative(jacobian @ found["v_plus"], -RESTITUTION * (jacobian @ v))
    errors["impulses"] = relative(m.crba(q) @ (found["v_plus"] - v), jacobian.T @ found["impulses"])
    print(f"{case}: " + ", ".join(f"{key} {error:.0e}" for key, error in errors.items()))
    if max(errors.values()) > BOUND:
        raise AssertionError(f"{case}: relative error above {BOUND:.0e}")
    value = {key: stored[key] for key in ("robot", "urdf", "base", "library", "nq", "nv", "nb", "joints")}
    value["script"], value["notes"] = "tools/pinocchio_contacts.py", NOTES
    value |= {"contacts": names, "kind": "point" if kind == POINT else "plane", "kp": kp, "kd": kd}
    value |= {"anchor": ANCHOR, "restitution": RESTITUTION, "q": q, "v": v, "tau": tau, **found}
    target = REPO / "tests" / "values" / "contacts" / f"{case}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(plain(value), separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for case in sys.argv[1:] or CASES:
        make(case)
