#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the models of the hand tasks from MyoSuite's.

    python3 examples/tasks/hand_models.py MYOSUITE FOLDER

MYOSUITE is the folder that has envs/ and simhive/: myosuite/ in a checkout of MyoSuite with its submodules. FOLDER gets the
models of the tasks examples/tasks/hand_*.yaml. A name that ends in _cfd is for contacts from distance: contacts of the skin
begin with the impedance 0.1, which contacts from distance have too.
"""

import argparse
import os
import xml.etree.ElementTree as xml

from mjcf import drop, find, parse, write

SKIN = {"solref": "0.02 1", "solimp": "0 0.95 0.001 0.5 2"}
SKIN_CFD = "0.1 0.95 0.001 0.5 2"
KEPT = ("lunate", "capitate")  # bones whose masses come from their meshes; the prosthesis has more


def include(node, folder):
    """Puts the children of included files in place of the includes. Paths are as seen from the main file."""
    children = []
    for child in node:
        inner = include(parse(os.path.join(folder, child.get("file"))), folder) if child.tag == "include" else None
        children += list(inner) if inner is not None else [include(child, folder)]
    node[:] = children
    return node


def is_kept(mesh):
    return mesh in KEPT or mesh.startswith("prosthesis/")


def read(path):
    """The model in one piece, without textures and without the meshes that are only drawn."""
    folder = os.path.dirname(os.path.abspath(path))
    root = include(parse(path), folder)
    drop(root, lambda n: n.tag in ("texture", "visual", "light", "statistic", "size"))
    drop(root, lambda n: n.tag == "material" or n.tag == "mesh" and not is_kept(n.get("name", "")))
    drop(root, lambda n: n.tag == "geom" and "mesh" in n.attrib and not is_kept(n.get("mesh")))
    for node in root.iter():
        node.attrib.pop("material", None)
    for compiler in root.iter("compiler"):
        compiler.attrib.pop("texturedir", None)
        compiler.attrib.pop("convexhull", None)  # newer MuJoCo does not know it
        if "meshdir" in compiler.attrib:
            compiler.set("meshdir", os.path.normpath(os.path.join(folder, "../../../../simhive/myo_sim")))
    return root


def set_options(root):
    drop(root, lambda n: n.tag == "option")
    xml.SubElement(root, "option", timestep="0.0025", solver="Newton", iterations="4", ls_iterations="16")


def set_skin(root):
    for node in root.iter("default"):
        if node.get("class") == "skin":
            node.find("geom").attrib.update(SKIN)


def from_distance(root):
    """The same model for contacts from distance."""
    for node in root.iter("geom"):
        if node.get("solimp") == SKIN["solimp"]:
            node.set("solimp", SKIN_CFD)
    return root


def hand(path):
    root = read(path)
    set_options(root)
    set_skin(root)
    for node in root.iter("geom"):  # skin is drawn
        if node.get("class") == "skin":
            node.set("group", "0")
    return root


def swap(path):
    """Two balls in the open hand, palm up."""
    root = hand(path)
    for name in ("ball1", "ball2"):
        find(root, "geom", name).attrib.update(SKIN)
    return root


def cube(path, place):
    """The die as one box that moves freely, in place of its rounded edges and slides. One face has a mark."""
    root = hand(path)
    body = find(root, "body", "Object")
    body[:] = [n for n in body if n.tag in ("inertial", "site")]
    body.set("name", "cube")
    body.set("pos", place)
    body.attrib.pop("user", None)
    xml.SubElement(body, "freejoint", name="cube")
    xml.SubElement(body, "geom", SKIN, name="cube", type="box", size="0.0284 0.0284 0.0284", condim="4", rgba="0.5 0.6 0.8 1")
    xml.SubElement(body, "geom", name="mark", type="box", size="0.001 0.02 0.02", pos="-0.028 0 0", rgba="0.9 0.3 0.1 1",
                   contype="0", conaffinity="0")
    drop(root, lambda n: n.get("name") == "target")
    return root


def cube_hand(path):
    """A cube in the open hand, palm up."""
    return cube(path, "-0.24 -0.535 1.46")


def cube_table(path):
    """A cube on a table, beside the palm of the upright hand, which does not touch it."""
    root = cube(path, "-0.145 -0.61 1.3934")
    xml.SubElement(root.find("worldbody"), "geom", SKIN, name="table", type="box", size="0.2 0.2 0.02",
                   pos="-0.155 -0.575 1.345", rgba="0.7 0.6 0.5 1")
    xml.SubElement(root.find("worldbody"), "site", name="place", pos="-0.145 -0.61 1.3934")
    return root


def tennis(path):
    """Two arms: a racket is welded to the prosthesis, a ball passes beside it. The prosthesis itself touches nothing."""
    root = read(path)
    set_options(root)
    drop(root, lambda n: n.tag in ("keyframe", "sensor") or n.get("name") in ("manip_object", "start", "goal"))
    for node in root.iter("geom"):
        if node.get("mesh", "").startswith("prosthesis/"):
            node.attrib.update(contype="0", conaffinity="0")
    racket = xml.SubElement(find(root, "body", "prosthesis/palm"), "body", name="racket", pos="0.03 -0.09 0")
    common = {"solref": "-100000 0", "condim": "3", "contype": "1", "conaffinity": "1", "priority": "1"}
    xml.SubElement(racket, "geom", name="grip", type="capsule", fromto="0 0 0 0 -0.2 0", size="0.012", mass="0.1",
                   contype="0", conaffinity="0")
    xml.SubElement(racket, "geom", common, name="racket", type="cylinder", size="0.12 0.01", pos="0 -0.32 0", mass="0.12")
    world = root.find("worldbody")
    ball = xml.SubElement(world, "body", name="ball", pos="0.2 -0.3 0.7")
    xml.SubElement(ball, "freejoint", name="ball")
    xml.SubElement(ball, "geom", name="ball", type="sphere", size="0.033", mass="0.058", contype="1", conaffinity="1", rgba="0.8 0.9 0.2 1")
    xml.SubElement(world, "site", name="goal", type="sphere", pos="0.45 -0.2 0.05", size="0.05", rgba="0.2 0.8 0.2 0.5")
    return root


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("myosuite")
    parser.add_argument("folder")
    o = parser.parse_args()
    assets = os.path.join(o.myosuite, "envs/myo/assets")
    os.makedirs(o.folder, exist_ok=True)
    for name, make, source in (
        ("swap", swap, "hand/myohand_baoding.xml"),
        ("cube", cube_hand, "hand/myohand_die.xml"),
        ("table", cube_table, "hand/myohand_die.xml"),
        ("tennis", tennis, "arm/myoarm_bionic_bimanual.xml"),
    ):
        root = make(os.path.join(assets, source))
        write(root, o.folder, name)
        if name != "tennis":  # a racket has no skin
            write(from_distance(root), o.folder, name + "_cfd")


if __name__ == "__main__":
    main()
