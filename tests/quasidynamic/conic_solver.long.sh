#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom quasidynamic against Clarabel on problems made by MuJoCo's Python bindings (conic_solver.py). CONIC_PYTHON is a Python with both;
# without it one is made beside the build. Where they cannot be had, nothing is compared.
folder=$CAROM_BUILD_DIR/conic
python=${CONIC_PYTHON:-$folder/python/bin/python}
mkdir -p "$folder"
if [ ! -x "$python" ]; then
  python3 -m venv --clear "$folder/python" && "$python" -m pip install -q -r "$CAROM_SOURCE_DIR/tests/quasidynamic/requirements.txt" > "$folder/pip.log" 2>&1 ||
    { rm -rf "$folder/python"; echo "Clarabel cannot be installed here ($folder/pip.log): nothing is compared"; exit 0; }
fi
"$python" "$CAROM_SOURCE_DIR/tests/quasidynamic/conic_solver.py" "$CAROM" "$CAROM_SOURCE_DIR/examples/tasks/planar_hand.xml"
