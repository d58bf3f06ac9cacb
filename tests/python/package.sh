#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Python package against the libcarom that was built: python/tests, without PyTorch and JAX.
set -eu
. "$CAROM_SOURCE_DIR/tests/python/environment.bash"
"$python" -m pytest -q -p no:cacheprovider --rootdir "$CAROM_SOURCE_DIR/python" "$CAROM_SOURCE_DIR/python/tests"

# ---- the import: quick, and without what it does not need
"$python" - << 'PYTHON'
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
