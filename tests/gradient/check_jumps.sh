#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom check --jumps: jumps of a box over an edge, none with pressure fields, ranges, exit codes, bad input.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

scene() {
  cat << XML
<mujoco><worldbody><geom name="ledge" type="box" size=".5 .2 .5" pos=".5 0 -.5"/>
<body name="box" pos=".02 0 .0495"><freejoint name="box"/><geom name="box" type="box" size=".05 .05 .05" mass="1"/></body>
</worldbody>$1</mujoco>
XML
}
scene "" > points.xml
scene '<custom><text name="pressure:ledge" data="rigid"/><text name="pressure:box" data="compliant modulus=1e5"/></custom>' > field.xml
over="--coordinate qvel[box][0] --from -.1 --to .1 --settle 0"

# ---- the centre of the box moves over the edge: contacts change sides, and the torque jumps
expect 1 points check points.xml --jumps $over --json
holds points 'j["passed"] is False and j["jumps"] == len(j["sweeps"][0]["jumps"]) > 0' \
  'j["sweeps"][0]["coordinate"] == "qvel[box][0]" and j["sweeps"][0]["from"] == -0.1 and j["sweeps"][0]["to"] == 0.1' \
  'j["sweeps"][0]["jumps"][0]["relative"] > 0.1 and -0.1 < j["sweeps"][0]["jumps"][0]["at"] < 0.1' \
  'j["sweeps"][0]["contacts"] >= 4 and j["sweeps"][0]["largest_force"] > 0'
expect 0 field check field.xml --jumps $over --tolerance 1e-6 --json
holds field 'j["passed"] is True and j["jumps"] == 0 and j["sweeps"][0]["largest_torque"] > 0'

# a wider tolerance passes; the text begins with the verdict, and --verbose lists more
expect 0 wide check points.xml --jumps $over --tolerance 2
grep -q "^passed: no jump above 2 of the largest" wide.out || fail "$(cat wide.out)"
expect 1 text check points.xml --jumps $over
head -n 1 text.out | grep -q "^NOT passed: .* jumps\? above 0.001 .* at qvel\[box\]\[0\] = " || fail "$(cat text.out)"
grep -q "^    at .*; contacts [0-9]* to [0-9]*$" text.out || fail "no jump is listed: $(cat text.out)"
turn="--coordinate qvel[box][4] --from -1 --to 1 --settle 0"
expect 1 one check points.xml --jumps $turn
expect 1 two check points.xml --jumps $turn --verbose
[ "$(grep -c '^    at' one.out) $(grep -c '^    at' two.out)" = "1 2" ] || fail "--verbose: $(cat one.out two.out)"

# ---- all coordinates, after motion
expect 0 all check "$data/cube.xml" --jumps --json
holds all 'len(j["sweeps"]) == 6' 'j["sweeps"][2]["to"] == -j["sweeps"][2]["from"] > 0' 'j["sweeps"][4]["to"] == 0.2'

# ---- bad input
expect 2 far check "$data/double_pendulum.xml" --jumps
grep -q "no sweep touches anything" far.err || fail "$(cat far.err)"
refused() {  # sentence, arguments
  local sentence="$1"
  shift
  expect 2 refused check points.xml "$@"
  grep -q -e "$sentence" refused.err || fail "$*: $(cat refused.err)"
}
refused "--settle: only with --jumps" --settle 1
refused "--all: not with --jumps" --jumps --all
refused "--csv: not with --jumps" --jumps --csv a.csv
refused "--from needs --to" --jumps --from 1
refused "for one --coordinate" --jumps --from 1 --to 2
refused "is not below" --jumps --coordinate 'qvel[box][0]' --from 2 --to 1
refused "there is no" --jumps --coordinate 'qvel[nobody]'
refused "is not one number of qvel" --jumps --coordinate 'qvel[box]'
refused "keyframe" --jumps --keyframe none

finish
