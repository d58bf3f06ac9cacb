#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mended defects that are put back, one at a time: the audit finds each. The Python is that of models.long.sh.
folder=$CAROM_SOURCE_DIR/tests/audit
python=${AUDIT_PYTHON:-$CAROM_BUILD_DIR/audit/python/bin/python}
if [ ! -x "$python" ]; then
  python3 -m venv "$CAROM_BUILD_DIR/audit/python" || exit 1
  "$python" -m pip install -q -r "$folder/requirements.txt" || exit 1
fi
out=$(mktemp -d "$CAROM_BUILD_DIR/putback.XXXXXX") || exit 1
mujoco=$(sed -n 's/^CAROM_MUJOCO_DIR:[A-Z]*=//p' "$CAROM_BUILD_DIR/CMakeCache.txt")
nice "$python" "$folder/putback.py" --mujoco "$mujoco" --out "$out"
code=$?
rm -rf "$out"
exit $code
