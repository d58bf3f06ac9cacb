# SPDX-License-Identifier: Apache-2.0
"""scripts/check_layers.py finds a program that goes past the public headers, and a core that uses tools."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["CAROM_SOURCE_DIR"])


def check(tree):
    done = subprocess.run([sys.executable, str(tree / "scripts/check_layers.py")],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def add_include(tree, path, name):
    file = tree / path
    text = file.read_text()
    file.write_text(text + f'\n#include "{name}"\n')
    code, output = check(tree)
    file.write_text(text)
    assert code == 1 and f"{path}" in output and name in output, output


with tempfile.TemporaryDirectory() as folder:
    tree = Path(folder)
    for name in ("include", "src", "scripts"):
        shutil.copytree(SOURCE / name, tree / name)
    (tree / "tests").symlink_to(SOURCE / "tests")
    code, output = check(tree)
    assert code == 0, output
    add_include(tree, "src/cli/main.c", "model/model.h")
    add_include(tree, "src/bench/timing.c", "engine/pipeline.h")
    add_include(tree, "src/notebook/table.c", "gradient/trust.h")
    add_include(tree, "src/fit/throw.c", "rollout/trajectory.h")
    add_include(tree, "src/rollout/rollout_batch.c", "tools/json.h")
    add_include(tree, "src/tools/json.c", "model/model.h")
