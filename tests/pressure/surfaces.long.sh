#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Contact surfaces of pressure fields against Drake's (surfaces.py). DRAKE_PYTHON is a Python that has the packages of requirements.txt;
# without it one is made beside the build. Where they cannot be installed, nothing is compared. A library with sanitizers does not load into Python.
folder=$CAROM_SOURCE_DIR/tests/pressure
if nm -D "$CAROM_BUILD_DIR/libcarom.so" 2> /dev/null | grep -q __asan_init; then
  echo "the library has sanitizers: nothing is compared"
  exit 0
fi
python=${DRAKE_PYTHON:-$CAROM_BUILD_DIR/drake/python/bin/python}
if [ ! -x "$python" ]; then
  rm -rf "$CAROM_BUILD_DIR/drake/python"
  log=$CAROM_BUILD_DIR/drake/pip.log
  mkdir -p "$CAROM_BUILD_DIR/drake"
  if ! { python3 -m venv "$CAROM_BUILD_DIR/drake/python" &&
    "$python" -m pip install -q --retries 0 --timeout 15 -r "$folder/requirements.txt"; } > "$log" 2>&1; then
    rm -rf "$CAROM_BUILD_DIR/drake/python"
    echo "Drake cannot be installed here ($log): nothing is compared"
    exit 0
  fi
fi
exec "$python" "$folder/surfaces.py" --lib "$CAROM_BUILD_DIR/libcarom.so" --poses "${POSES:-1000}" 2> >(grep -v "WARNING:drake" >&2)
