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
import subprocess
import sys
import time

command = [sys.executable, "-c", "import carom, sys; print(*sorted(set(sys.modules) & {'torch', 'jax', 'gymnasium', 'mujoco'}))"]
best = 9.0
for _ in range(5):
    start = time.perf_counter()
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    plain = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    best = min(best, (plain - start) - (time.perf_counter() - plain))
print(f"import carom: {best:.3f} s")
assert loaded == "", f"import carom also imports {loaded}"
assert best < 0.5, "import carom is slow"
PYTHON
