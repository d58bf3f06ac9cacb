#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One integer of a model file changed at a time, the checksum made right: refused with a sentence, or
# harmless. A few of all the changes there are; fields.long.sh makes many more.
cd "$(mktemp -d "$CAROM_BUILD_DIR/fields.XXXXXX")" || exit 1
trap 'rm -rf "$PWD"' EXIT
"$CAROM_BUILD_DIR/tests/carom_fuzz" fields "$CAROM_SOURCE_DIR/tests/data" "${SEED:-1}" "${COUNT:-600}" > out
code=$?
cat out
opened=$(sed -n 's/.*: \([0-9]*\) opened.*/\1/p' out)
refused=$(sed -n 's/.*supported, \([0-9]*\) refused.*/\1/p' out)
[ "${opened:-0}" -ge 50 ] && [ "${refused:-0}" -ge 200 ] || { echo "opened or refused too few"; exit 1; }
exit $code
