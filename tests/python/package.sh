#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Python package against the libcarom that was built: python/tests, without PyTorch and JAX. Packages are installed once,
# in a virtual environment of the build folder.
set -eu
venv=$CAROM_BUILD_DIR/python/venv
wanted=$CAROM_SOURCE_DIR/tests/python/requirements.txt
if ! cmp -s "$wanted" "$venv/installed.txt"; then
  mkdir -p "$CAROM_BUILD_DIR/python"
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  cp "$wanted" "$venv/installed.txt"
fi
package=$CAROM_BUILD_DIR/python/package
"$venv/bin/python" "$CAROM_SOURCE_DIR/python/build_here.py" "$CAROM_BUILD_DIR/libcarom.so" "$package"
cd "$package"
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1
"$venv/bin/python" -m pytest -q -p no:cacheprovider --rootdir "$CAROM_SOURCE_DIR/python" "$CAROM_SOURCE_DIR/python/tests"

# ---- the import: quick, and without what it does not need
"$venv/bin/python" - << 'PYTHON'
import resource
import subprocess
import sys


def seconds(code):
    """Least processor time of five runs."""
    best = 9.0
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


loaded = subprocess.run([sys.executable, "-c", "import carom, sys; print(*sorted(set(sys.modules) & "
                         "{'numpy', 'torch', 'jax', 'gymnasium', 'mujoco'}))"], check=True, capture_output=True, text=True).stdout.strip()
assert loaded == "", f"import carom also imports {loaded}"
numpy, carom, loaded = seconds("import numpy"), seconds("import carom"), seconds("import carom; carom.Model")
print(f"import numpy: {numpy:.3f} s, import carom: {carom:.3f} s, with models: {loaded:.3f} s, of a processor")
assert carom < 0.2 and loaded - numpy < 0.2, "import carom is slow"
PYTHON
