#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# python/tests with libcarom and the extension module built for the address and undefined behaviour sanitizers. Python itself is not, so
# the address sanitizer is loaded before it, and leaks are not looked for: Python's own would be found. A small
# quarantine leaves the test of memory that is freed as it is.
set -eu
export CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=all"
. "$CAROM_SOURCE_DIR/tests/python/environment.bash"
# the sanitizer looks for C++'s __cxa_throw when it begins, and ends the process at the first exception if it found none. Python has no C++, and
# JAX and PyTorch throw within themselves: libstdc++ is loaded before them
export LD_PRELOAD="$("${CC:-gcc}" -print-file-name=libasan.so) $("${CC:-gcc}" -print-file-name=libstdc++.so)" PYTHONMALLOC=malloc
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8:strict_string_checks=1:detect_stack_use_after_return=1
# it can fail: a read behind the end of an array of Python
if "$python" - 2> asan_fails.txt << 'PYTHON'
import carom
from carom._c import NULL, ffi, lib
data = carom.Data(carom.load("<mujoco/>"))
half = ffi.cast("carom_part*", ffi.from_buffer(bytearray(8)))
lib.carom_jvps(lib.CAROM_STEP, data.model._ptr, data._ptr, data._ptr, data._ptr, 1, half, 2, NULL, 0)
PYTHON
then
  echo "a read behind an array is not seen"
  exit 1
fi
grep -q "ERROR: AddressSanitizer" asan_fails.txt || { cat asan_fails.txt; exit 1; }
# --capture=sys: a report of the sanitizer is seen
exec "$python" -m pytest -q -p no:cacheprovider --capture=sys --rootdir "$CAROM_SOURCE_DIR/python" "$CAROM_SOURCE_DIR/python/tests"
