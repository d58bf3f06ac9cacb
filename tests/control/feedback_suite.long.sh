#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom lqr on every model of dm_control's suite against SciPy (feedback_suite.py). FEEDBACK_PYTHON is a Python with SciPy; without it one is made beside
# the build. Where it or the models cannot be had, nothing is compared.
folder=$CAROM_BUILD_DIR/feedback
python=${FEEDBACK_PYTHON:-$folder/python/bin/python}
mkdir -p "$folder"
if [ ! -x "$python" ]; then
  python3 -m venv --clear "$folder/python" && "$python" -m pip install -q -r "$CAROM_SOURCE_DIR/tests/control/requirements.txt" > "$folder/pip.log" 2>&1 ||
    { rm -rf "$folder/python"; echo "SciPy cannot be installed here ($folder/pip.log): nothing is compared"; exit 0; }
fi
if [ ! -d "$folder/dm_control" ]; then
  grep -A 1 '^dm_control' "$CAROM_SOURCE_DIR/cmake/models.txt" > "$folder/models.txt"
  python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.12 --require-hashes --dest "$folder" \
    -r "$folder/models.txt" > "$folder/pip.log" 2>&1 && python3 -m zipfile -e "$folder"/dm_control-*.whl "$folder" ||
    { echo "the models cannot be fetched here ($folder/pip.log): nothing is compared"; exit 0; }
fi
"$python" "$CAROM_SOURCE_DIR/tests/control/feedback_suite.py" "$CAROM" "$folder/dm_control/suite"
