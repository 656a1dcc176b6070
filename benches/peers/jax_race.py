#!/usr/bin/env python3
"""Races rbd.jax with frax, adam and jaxsim under jit on the CPU, and prints a table.

    benches/peers/jax_race.py [--robot iiwa14] [--batches 1 256 4096] [--functions rnea aba jacobian] [--python PYTHON]

Installs the peers and the wheel of rbd into `target/peers/jax` first; that needs the package registry, Rust and some minutes. PYTHON
is an interpreter that has all of them already. Each side is jitted and, but for one state, mapped by vmap, in double
precision and on all cores. A side is raced if its results agree with rbd's to 1e-8 of the largest entry. Sides take turns in random
order; medians are printed, in microseconds a call. jaxsim reads URDFs by Gazebo's program `gz`: without it, it is left out.

`jacobian` is the derivative of forward dynamics by q, v and tau, by jax.jacfwd for peers and rbd alike.
"""

import argparse
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import time

import environment

REPO = pathlib.Path(__file__).resolve().parent.parent.parent
# Versions that were raced together; jaxsim names the versions of jax that it takes.
PACKAGES = ["frax==0.1.0", "adam-robotics[jax]==0.5.0", "jaxsim==0.9.0"]


def of_rbd(path, _):
    import rbd

    arm = rbd.load(path, functions=["rnea", "aba", "aba_derivatives"], allow=["damping-ignored", "inertia-triangle"])
    return arm.jax.rnea, arm.jax.aba


def of_frax(path, _):
    import numpy as np
    from frax.core.robot import Robot

    robot, up = Robot(str(path)), np.array([0, 0, 9.81, 0, 0, 0])
    return lambda q, v, a: robot.rnea(q, v, a, up, None), lambda q, v, tau: robot.forward_dynamics(q, v, tau, None)


def of_adam(path, joints):
    import jax.numpy as jnp
    from adam.jax import KinDynComputations

    robot = KinDynComputations(str(path), joints, gravity=jnp.array([0, 0, -9.81, 0, 0, 0]))
    base, still = jnp.eye(4), jnp.zeros(6)

    # Its functions are of floating bases: here the base is held.
    def rnea(q, v, a):
        return robot.bias_force(base, q, still, v)[6:] + robot.mass_matrix(base, q)[6:, 6:] @ a

    def aba(q, v, tau):
        bias = robot.bias_force(base, q, still, v)[6:]
        return jnp.linalg.solve(robot.mass_matrix(base, q)[6:, 6:], tau - bias)

    return rnea, aba


def of_jaxsim(path, joints):
    import jaxsim.api as js

    text = path.read_text()
    if 'link name="world"' not in text:
        import xml.etree.ElementTree as tree

        root = tree.fromstring(text)
        children = {joint.find("child").get("link") for joint in root.iter("joint") if joint.find("child") is not None}
        (base,) = {link.get("name") for link in root.findall("link")} - children
        root.append(tree.fromstring('<link name="world"/>'))
        fixed = f'<joint name="to_world" type="fixed"><parent link="world"/><child link="{base}"/></joint>'
        root.append(tree.fromstring(fixed))
        text = tree.tostring(root, encoding="unicode")
    model = js.model.JaxSimModel.build_from_model_description(text, is_urdf=True, considered_joints=joints, gravity=9.81)
    # Its joints may be in another order.
    names = list(model.joint_names())
    to, back = [joints.index(name) for name in names], [names.index(name) for name in joints]

    def data(q, v):
        import jax.numpy as jnp

        order = jnp.array(to)
        return js.data.JaxSimModelData.build(model, joint_positions=q[order], joint_velocities=v[order])

    def take(x, order):
        import jax.numpy as jnp

        return x[jnp.array(order)]

    def rnea(q, v, a):
        return take(js.model.inverse_dynamics(model, data(q, v), joint_accelerations=take(a, to))[1], back)

    def aba(q, v, tau):
        return take(js.model.forward_dynamics_aba(model, data(q, v), joint_forces=take(tau, to))[1], back)

    return rnea, aba


SIDES = {"rbd": of_rbd, "frax": of_frax, "adam": of_adam, "jaxsim": of_jaxsim}


def race(given):
    import jax
    import jax.numpy as jnp
    import numpy as np

    import rbd

    jax.config.update("jax_enable_x64", True)
    path = REPO / "robots" / f"{given.robot}.urdf"
    arm = rbd.load(path, functions=["rnea"], allow=["damping-ignored", "inertia-triangle"])
    sides, joints = {}, list(arm.joint_names)
    for name, make in SIDES.items():
        try:
            rnea, aba = make(path, joints)
            sides[name] = {"rnea": rnea, "aba": aba, "jacobian": jax.jacfwd(aba, (0, 1, 2))}
        except Exception as error:
            print(f"{name} is not raced: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
    rng, rows = np.random.default_rng(0), []
    for function in given.functions:
        for batch in given.batches:
            some = [jnp.asarray(x) for x in rng.normal(size=(3, batch, arm.NV))]
            some = [x[0] for x in some] if batch == 1 else some
            calls, compiled, expected = {}, {}, None
            for name, functions in sides.items():
                of = functions[function]
                call = jax.jit(of if batch == 1 else jax.vmap(of))
                start = time.perf_counter()
                try:
                    found = [np.asarray(x) for x in jax.tree.leaves(jax.block_until_ready(call(*some)))]
                except Exception as error:
                    print(f"{name} has no {function}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
                    continue
                compiled[name] = time.perf_counter() - start
                expected = expected or found
                away = max(np.abs(x - y).max() / np.abs(y).max() for x, y in zip(found, expected, strict=True))
                if away < 1e-8:
                    calls[name] = call
                else:
                    print(f"{name} is not raced: its {function} is {away:.1e} away from rbd's")
            times = {name: [] for name in calls}
            # As many calls as fill some milliseconds.
            often = {}
            for name, call in calls.items():
                start = time.perf_counter()
                jax.block_until_ready(call(*some))
                often[name] = max(1, min(200, int(5e-3 / (time.perf_counter() - start))))
            turns = list(calls) * given.turns
            random.Random(1).shuffle(turns)
            for name in turns:
                start = time.perf_counter()
                for _ in range(often[name]):
                    found = calls[name](*some)
                jax.block_until_ready(found)
                times[name].append((time.perf_counter() - start) / often[name] * 1e6)
            rows.append((function, batch, {name: statistics.median(x) for name, x in times.items()}, compiled))
    names = list(sides)
    print(f"\n{given.robot}, jax {jax.__version__}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}, {platform.processor() or platform.machine()}\n")
    print("| function | states | " + " | ".join(f"{name}, us" for name in names) + " | best of the others / rbd |")
    print("|---|---:|" + "---:|" * (len(names) + 1))
    for function, batch, found, _ in rows:
        others = [x for name, x in found.items() if name != "rbd"]
        ratio = f"{min(others) / found['rbd']:.1f}" if others else ""
        cells = " | ".join(f"{found[name]:.1f}" if name in found else "" for name in names)
        print(f"| {function} | {batch} | {cells} | {ratio} |")
    print("\nseconds until the first result: ", end="")
    print("; ".join(f"{f} of {b}: " + ", ".join(f"{name} {x:.1f}" for name, x in c.items()) for f, b, _, c in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="iiwa14", help="an arm of the folder robots")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 256, 4096])
    parser.add_argument("--functions", nargs="+", default=["rnea", "aba", "jacobian"], choices=["rnea", "aba", "jacobian"])
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--python", help="an interpreter that has all sides")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        return race(given)
    python = given.python or environment.install(REPO / "target" / "peers" / "jax", [*PACKAGES, str(REPO / "rbd-python")])
    sys.exit(subprocess.run([str(python), __file__, *sys.argv[1:], "--here"]).returncode)


if __name__ == "__main__":
    main()
