#!/usr/bin/env python3
"""Store the order of Pinocchio's joints for the robots of robots/, and for one with many siblings.

    pip install pin; tools/pinocchio_joints.py

`names` of Pinocchio's model without the world. Mimic joints are among them; Pinocchio reads them as free joints by default, and as
joints without coordinates of their own with `mimic=True`: the order is the same.
"""

import json
import pathlib

import pinocchio as pin

REPO = pathlib.Path(__file__).resolve().parent.parent
OUT = REPO / "tests/values/order/pinocchio.json"

files = sorted((REPO / "robots").glob("*.urdf")) + [REPO / "rbd-build/tests/good/siblings.urdf"]
names = {str(file.relative_to(REPO)): list(pin.buildModelFromUrdf(str(file)).names)[1:] for file in files}
head = {"library": f"pinocchio {pin.__version__}", "script": "tools/pinocchio_joints.py"}
lines = ",\n".join(f"  {json.dumps(file)}: {json.dumps(of)}" for file, of in names.items())
OUT.write_text(f'{json.dumps(head)[:-1]}, "joints": {{\n{lines}\n}}}}\n')
print(f"{OUT.relative_to(REPO)}: {len(names)} robots")
