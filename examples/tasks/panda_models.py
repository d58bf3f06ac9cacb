#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the models of the panda tasks from MuJoCo Menagerie's.

    python3 examples/tasks/panda_models.py MENAGERIE FOLDER

MENAGERIE is the folder that has franka_emika_panda/panda.xml. FOLDER gets reach.xml and push.xml. The arm
has Menagerie's joints and masses. A control is a torque as a part of the joint's largest one; gravity is
compensated, as the robot itself does. The hand is closed: the fingers do not move. Links are drawn as
capsules, and only the tip of the fingers touches.
"""

import argparse
import os
import xml.etree.ElementTree as xml

from mjcf import drop, find, parse, write

HOME = "0 0 0 -1.57079 0 1.57079 -0.7853"
BEHIND = "0 0.28011 0 -2.69401 0 2.97412 -0.7853"  # the tip at x = 0.4 m, z = 0.03 m, the hand downwards
TORQUE = ("87", "87", "87", "87", "12", "12", "12")  # Nm
UNTOUCHED = {"contype": "0", "conaffinity": "0"}
LINK = {"type": "capsule", "size": "0.05", "rgba": "0.9 0.9 0.92 1", **UNTOUCHED}


def is_left_out(node):
    sections = ("asset", "keyframe", "tendon", "equality", "contact", "actuator")
    return (
        node.tag in sections
        or node.tag == "geom"
        and node.get("class") is not None
        or node.get("class") == "finger"
    )


def draw(body):
    """A capsule from the origin of a body to that of each body on it."""
    for child in body.findall("body"):
        if "pos" in child.attrib and body.get("name") != "hand":
            xml.SubElement(body, "geom", LINK, fromto="0 0 0 " + child.get("pos"))


def arm(path, home):
    root = parse(path)
    drop(root, is_left_out)
    root.find("compiler").attrib.pop("meshdir", None)
    for body in root.iter("body"):
        body.set("gravcomp", "1")
        draw(body)
    motors = xml.SubElement(root, "actuator")
    for i, torque in enumerate(TORQUE):
        xml.SubElement(
            motors, "motor", name=f"joint{i + 1}", joint=f"joint{i + 1}", gear=torque, ctrlrange="-1 1"
        )
    hand = find(root, "body", "hand")
    xml.SubElement(
        hand, "geom", type="box", size="0.02 0.1 0.03", pos="0 0 0.03", rgba="0.3 0.3 0.35 1", **UNTOUCHED
    )
    xml.SubElement(
        hand,
        "geom",
        name="tip",
        type="capsule",
        fromto="0 0 0.06 0 0 0.1",
        size="0.012",
        mass="0",
        rgba="0.3 0.3 0.35 1",
    )
    xml.SubElement(hand, "site", name="tip", pos="0 0 0.112", size="0.005")
    key = xml.SubElement(xml.SubElement(root, "keyframe"), "key", name="home", qpos=home)
    return root, key


def reach(path):
    root, _ = arm(path, HOME)
    world = root.find("worldbody")
    xml.SubElement(world, "site", name="target", pos="0.4 0.3 0.4", size="0.02", rgba="0.2 0.8 0.2 0.6")
    return root


def push(path):
    """A box of 0.5 kg on the table that the arm stands on."""
    root, key = arm(path, BEHIND)
    world = root.find("worldbody")
    xml.SubElement(world, "geom", name="table", type="plane", size="1 1 0.1", rgba="0.55 0.6 0.62 1")
    box = xml.SubElement(world, "body", name="box", pos="0.5 0 0.03")
    xml.SubElement(box, "freejoint", name="box")
    xml.SubElement(
        box,
        "geom",
        name="box",
        type="box",
        size="0.04 0.04 0.03",
        mass="0.5",
        friction="0.4 0.005 0.0001",
        rgba="0.95 0.45 0.1 1",
    )
    xml.SubElement(
        world,
        "site",
        name="goal",
        type="box",
        pos="0.65 0.1 0.03",
        size="0.04 0.04 0.03",
        rgba="0.2 0.8 0.2 0.4",
    )
    key.set("qpos", BEHIND + " 0.5 0 0.03 1 0 0 0")
    return root


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("menagerie")
    parser.add_argument("folder")
    o = parser.parse_args()
    path = os.path.join(o.menagerie, "franka_emika_panda/panda.xml")
    os.makedirs(o.folder, exist_ok=True)
    for name, make in (("reach", reach), ("push", push)):
        write(make(path), o.folder, name)


if __name__ == "__main__":
    main()
