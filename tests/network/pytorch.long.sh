#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Networks against PyTorch and ONNX files against onnx, onnxruntime and PyTorch's exporter (pytorch.py). NETWORK_PYTHON is a Python that has the
# packages of requirements.txt; without it one is made beside the build. Where they cannot be installed, nothing is compared.
# A library with sanitizers does not load into Python.
folder=$CAROM_SOURCE_DIR/tests/network
if nm -D "$CAROM_BUILD_DIR/libcarom.so" 2> /dev/null | grep -q __asan_init; then
  echo "the library has sanitizers: nothing is compared"
  exit 0
fi
python=${NETWORK_PYTHON:-$CAROM_BUILD_DIR/network/python/bin/python}
if [ ! -x "$python" ]; then
  rm -rf "$CAROM_BUILD_DIR/network/python"
  log=$CAROM_BUILD_DIR/network/pip.log
  mkdir -p "$CAROM_BUILD_DIR/network"
  # the CPU's build of torch is a tenth of the one in PyPI
  if ! { python3 -m venv "$CAROM_BUILD_DIR/network/python" &&
    { "$python" -m pip install -q --retries 0 --timeout 15 --index-url https://download.pytorch.org/whl/cpu \
        "$(grep torch "$folder/requirements.txt")" || true; } &&
    "$python" -m pip install -q -r "$folder/requirements.txt"; } > "$log" 2>&1; then
    rm -rf "$CAROM_BUILD_DIR/network/python"
    echo "PyTorch cannot be installed here ($log): nothing is compared"
    exit 0
  fi
fi
out=$(mktemp -d) || exit 1
"$python" "$folder/pytorch.py" --lib "$CAROM_BUILD_DIR/libcarom.so" --out "$out"
code=$?
rm -rf "$out"
exit $code
