# SPDX-License-Identifier: Apache-2.0
"""What the scripts that make models of tasks do with MuJoCo's XML."""

import os
import sys
import xml.etree.ElementTree as xml


def stop(sentence):
    """Ends the script with this sentence and the script's name before it."""
    sys.exit(f"{os.path.splitext(os.path.basename(sys.argv[0]))[0]}: {sentence}")


def parse(path):
    try:
        return xml.parse(path).getroot()
    except (OSError, xml.ParseError) as error:
        stop(f"{os.path.normpath(path)}: {getattr(error, 'strerror', None) or error}")


def drop(root, unwanted):
    for parent in list(root.iter()):
        for child in [c for c in parent if unwanted(c)]:
            parent.remove(child)


def find(root, tag, name):
    for node in root.iter(tag):
        if node.get("name") == name:
            return node
    stop(f"the model has no {tag} '{name}'")


def write(root, folder, name):
    path = os.path.join(folder, name + ".xml")
    xml.ElementTree(root).write(path)
    print(path)
