#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The digits of a set of small models are those that tests/golden/digits.txt has: in extended precision to
# round-off, in double to what it leaves of them. `digits.sh --record` writes the file anew.
set -u
here=$CAROM_SOURCE_DIR/tests
programs=$CAROM_BUILD_DIR/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# a step in extended precision and in double take the same branches in all of these
for model in actuators ball controllers cube diagexact discrete double_pendulum edges equality implicit sensors shapes \
  simple_body sticky tendon_rows two_balls walker; do
  step=$(sed -n 's/.*timestep="\([^"]*\)".*/\1/p' "$here/data/$model.xml" | head -1)
  "$CAROM" rollout "$here/data/$model.xml" --time "${step:-0.002}" --save-model $model.crm > out 2>&1 ||
    { cat out; exit 1; }
done

if [ "${1-}" = --record ]; then
  "$programs/carom_digits.long_double" ./*.crm > "$here/golden/digits.txt"
  exit
fi
failed=0
"$programs/carom_digits" ./*.crm > double.txt || failed=1
python3 "$here/../scripts/compare_digits.py" "$here/golden/digits.txt" double.txt 1e-10 || failed=1
if [ -x "$programs/carom_digits.long_double" ]; then
  "$programs/carom_digits.long_double" ./*.crm > long_double.txt || failed=1
  python3 "$here/../scripts/compare_digits.py" "$here/golden/digits.txt" long_double.txt 1e-13 || failed=1
fi
# it can fail: one digit changed
sed '0,/ qvel /s/\( qvel -\{0,1\}[0-9]*\.[0-9]\{5\}\)\([0-9]\)/\17\2/' double.txt > changed.txt
python3 "$here/../scripts/compare_digits.py" double.txt changed.txt 1e-10 > out && { echo "a changed digit is not seen"; failed=1; }
exit $failed
