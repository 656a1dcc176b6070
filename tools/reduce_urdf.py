#!/usr/bin/env python3
"""Reduce a published URDF (expanded, no xacro) to the facts that dynamics needs.

    tools/reduce_urdf.py IN.urdf OUT.urdf --source "package 1.0, path" --licence "BSD-3-Clause"

Kept: links with their inertial (origin, mass, inertia) and joints (type, origin, parent, child, axis, limit,
mimic, dynamics), in the published order, every number exactly as the published text writes it, odd entries
included (a mimic on a fixed joint stays, for readers must cope with it). Dropped: everything else.
The same input gives the same bytes. Standard library only.
"""

import argparse
import xml.etree.ElementTree as ET
from xml.sax.saxutils import quoteattr

# Element -> the attributes that are kept, in the order in which they are written.
KEPT = {
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "parent": ("link",),
    "child": ("link",),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "mimic": ("joint", "multiplier", "offset"),
    "dynamics": ("damping", "friction"),
}
INERTIAL = ("origin", "mass", "inertia")
JOINT = ("origin", "parent", "child", "axis", "limit", "mimic", "dynamics")


def tag_line(element, indent):
    attributes = "".join(
        f" {name}={quoteattr(' '.join(element.get(name).split()))}"
        for name in KEPT[element.tag]
        if element.get(name) is not None
    )
    return f"{indent}<{element.tag}{attributes}/>"


def children(element, names, indent):
    found = (element.find(name) for name in names)
    return [tag_line(child, indent) for child in found if child is not None]


def link_lines(link):
    name = quoteattr(link.get("name"))
    inertial = link.find("inertial")
    if inertial is None:
        return [f"  <link name={name}/>"]
    return [
        f"  <link name={name}>",
        "    <inertial>",
        *children(inertial, INERTIAL, " " * 6),
        "    </inertial>",
        "  </link>",
    ]


def joint_lines(joint):
    return [
        f"  <joint name={quoteattr(joint.get('name'))} type={quoteattr(joint.get('type'))}>",
        *children(joint, JOINT, " " * 4),
        "  </joint>",
    ]


def reduce_urdf(text, source, licence):
    """The reduced URDF as text. `text` is the published file, as bytes or str."""
    robot = ET.fromstring(text)
    if robot.tag != "robot":
        raise ValueError(f"root element is <{robot.tag}>, not <robot>")
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!--",
        "  Kinematic and inertial facts only; written by tools/reduce_urdf.py, do not edit.",
        f"  Source: {source}",
        f"  Licence of the source: {licence}",
        "-->",
        f"<robot name={quoteattr(robot.get('name', ''))}>",
    ]
    # Transmissions and plugins may hold <joint> elements of their own: only the robot's own children count.
    for element in robot:
        if element.tag == "link":
            lines += link_lines(element)
        elif element.tag == "joint":
            lines += joint_lines(element)
    lines.append("</robot>")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--source", required=True, help="package, version and path of the published file")
    parser.add_argument("--licence", required=True)
    arguments = parser.parse_args()
    with open(arguments.input, "rb") as file:
        reduced = reduce_urdf(file.read(), arguments.source, arguments.licence)
    with open(arguments.output, "w", encoding="utf-8", newline="\n") as file:
        file.write(reduced)


if __name__ == "__main__":
    main()
