#!/usr/bin/env python3
"""Store Pinocchio's second-order derivatives of inverse dynamics in tests/values/second_order/.

    pip install pin cmeel-eigen cmeel-urdfdom-headers; tools/pinocchio_second_order.py [CASE ...]

Pinocchio has them in C++ only: builds second_order.cpp (g++, about a minute) against the packages' headers and takes
the first state of tests/values/CASE.json. Each tensor is compared with differences of Pinocchio's first derivatives.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pinocchio as pin

from pinocchio_values import REPO, Mapped, plain
from value_checks import relative, slope

CASES = ["iiwa14.fixed", "ur5.fixed", "double_pendulum.fixed", "hyq.floating"]
LAYOUT = (
    "list over k of [i][j] matrices: the derivative of tau_i by the first variable's j-th, "
    "then the second variable's k-th component; q in the tangent space"
)
BOUND = 1e-9
# As Pinocchio's own build sets them.
DEFINITIONS = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]  # fmt: skip


def build(folder):
    prefix = next(p for p in pathlib.Path(pin.__file__).parents if p.name == "cmeel.prefix")
    include, lib = prefix / "include", prefix / "lib"
    program = pathlib.Path(folder) / "second_order"
    headers = [f"-I{x}" for x in (include, include / "eigen3", include / "urdfdom_headers")]
    libraries = [f"-L{lib}", "-lpinocchio_parsers", "-lpinocchio_default", f"-Wl,-rpath,{lib}"]
    source = pathlib.Path(__file__).with_name("second_order.cpp")
    command = ["g++", "-std=c++17", "-O1", *DEFINITIONS, *headers, str(source), "-o", str(program), *libraries]
    subprocess.run(command, check=True)
    return program


def make(program, case):
    stem, base = case.split(".")
    stored = json.loads((REPO / "tests" / "values" / f"{case}.json").read_text())
    m = Mapped(REPO / stored["urdf"], base == "floating")
    q, v, a = (np.array(stored["states"][0][k]) for k in ("q", "v", "a"))
    numbers = np.concatenate([m.full(q), m.g @ v, m.g @ a])
    text = subprocess.run(
        [program, REPO / stored["urdf"], base], input=" ".join(map(repr, map(float, numbers))),
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    n = m.model.nv
    # Pinocchio: qq[i,j,k] = d/dq_k dtau_i/dq_j; vv likewise; qv[i,j,k] = d/dq_j dtau_i/dv_k; aq[i,j,k] = dM_ij/dq_k.
    qq, vv, qv, aq = (
        np.einsum("ijk,ia,jb,kc->abc", x, m.g, m.g, m.g) for x in np.array(text.split(), float).reshape(4, n, n, n)
    )
    found = {
        "d2tau_dqdq": qq.transpose(2, 0, 1), "d2tau_dqdv": qv.transpose(2, 0, 1),
        "d2tau_dvdv": vv.transpose(2, 0, 1), "d2tau_dqda": aq.transpose(1, 0, 2),
    }  # fmt: skip
    unit = np.eye(m.tree.nv)
    along = {
        "d2tau_dqdq": lambda e: m.rnea_derivatives(m.tree.integrate(q, e), v, a)[0],
        "d2tau_dqdv": lambda e: m.rnea_derivatives(q, v + e, a)[0],
        "d2tau_dvdv": lambda e: m.rnea_derivatives(q, v + e, a)[1],
        "d2tau_dqda": lambda e: m.rnea_derivatives(q, v, a + e)[0],
    }
    errors = {}
    for key, f in along.items():
        expected = np.stack([slope(lambda h, j=j, f=f: f(h * j)) for j in unit])
        errors[key] = relative(found[key], expected)
    print(f"{case}: against differences: " + ", ".join(f"{key} {error:.0e}" for key, error in errors.items()))
    if max(errors.values()) > BOUND:
        raise AssertionError(f"{case}: relative error above {BOUND:.0e}")
    value = {key: stored[key] for key in ("robot", "urdf", "base", "library", "nq", "nv", "nb", "joints")}
    value["script"], value["layout"] = "tools/pinocchio_second_order.py", LAYOUT
    value |= {"q": q, "v": v, "a": a, **found}
    target = REPO / "tests" / "values" / "second_order" / f"{case}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(plain(value), separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for case in sys.argv[1:] or CASES:
            make(program, case)
