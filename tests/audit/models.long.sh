#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random models against MuJoCo's Python package: no finding that is not explained. Twenty minutes at most.
# AUDIT_PYTHON is a Python that has the packages of requirements.txt; without it one is made beside the build.
# A library with sanitizers does not load into Python: tests/CMakeLists.txt leaves this out there.
folder=$CAROM_SOURCE_DIR/tests/audit
python=${AUDIT_PYTHON:-$CAROM_BUILD_DIR/audit/python/bin/python}
if [ ! -x "$python" ]; then
  python3 -m venv "$CAROM_BUILD_DIR/audit/python" || exit 1
  "$python" -m pip install -q -r "$folder/requirements.txt" || exit 1
fi
out=$(mktemp -d "$CAROM_BUILD_DIR/audit.XXXXXX") || exit 1
code=0
# first seed, models and minutes of each kind of model, see generator.py
for part in "1 100 8" "10000 60 7" "30000 30 5"; do
  read -r seed count minutes <<<"$part"
  nice "$python" "$folder/audit.py" --lib "$CAROM_BUILD_DIR/libcarom.so" --carom "$CAROM" --seed "$seed" --count "$count" \
    --minutes "$minutes" --out "$out/$seed" || code=1
  sed -n '/unexplained/p' "$out/$seed/report.md"
done
[ $code -ne 0 ] || rm -rf "$out"
exit $code
