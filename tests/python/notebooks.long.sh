#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The notebooks of examples/notebooks, each from a clean kernel (run_notebooks.py). NOTEBOOK_PYTHON is a Python that has the packages of
# notebooks.txt; without it one is made beside the build. Where they cannot be installed nothing runs, and without PyTorch the notebook that
# needs it does not.
set -u
here=$CAROM_SOURCE_DIR/tests/python
folder=$CAROM_BUILD_DIR/python/notebooks
python=${NOTEBOOK_PYTHON:-$folder/bin/python}
# an installation that was stopped leaves a Python without the packages: the mark comes last
mark=$folder/installed
if [ -z "${NOTEBOOK_PYTHON:-}" ] && [ ! -e "$mark" ]; then
  mkdir -p "$CAROM_BUILD_DIR/python"
  log=$CAROM_BUILD_DIR/python/notebooks.log
  if ! { python3 -m venv --clear "$folder" && "$python" -m pip install -q -r "$here/notebooks.txt"; } > "$log" 2>&1; then
    rm -rf "$folder"
    echo "Jupyter cannot be installed here ($log): no notebook was run"
    exit 0
  fi
  # the CPU's build of torch is a tenth of the one in PyPI
  "$python" -m pip install -q --retries 0 --timeout 15 --index-url https://download.pytorch.org/whl/cpu torch >> "$log" 2>&1 ||
    "$python" -m pip install -q torch >> "$log" 2>&1 || echo "PyTorch cannot be installed here ($log)"
  touch "$mark"
fi
package=$CAROM_BUILD_DIR/python/notebook_package
"$python" "$CAROM_SOURCE_DIR/python/build_here.py" "$CAROM_BUILD_DIR/libcarom.so" "$package" || exit 1
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1
exec "$python" "$here/run_notebooks.py" "$CAROM_SOURCE_DIR/examples/notebooks" "$@"
