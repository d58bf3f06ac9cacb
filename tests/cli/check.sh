#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom check: passes on our models, its object has all keys with every exit code, bad input.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

keys='set(j) >= {"model", "nv", "supported", "unsupported", "ignored", "parity", "gradient",
                 "dot_product_error", "time_us", "passed"} and
      set(j["parity"]) >= {"max_relative_error", "worst_field"} and
      set(j["gradient"]) >= {"max_relative_error", "worst", "kinks", "samples"} and
      set(j["time_us"]) >= {"mj_step", "step", "step_vjp", "mjd_transitionFD"}'

# ---- models that pass
for model in cube double_pendulum walker; do
  expect 0 passed check "$data/$model.xml" --states 5 --json
  [ -s passed.err ] && fail "$model: $(cat passed.err)"
  holds passed "$keys" 'j["passed"] is True and j["supported"] is True' 'j["unsupported"] == []' \
    'j["parity"]["max_relative_error"] <= 1e-9 and j["gradient"]["max_relative_error"] <= 1e-6' \
    'j["gradient"]["samples"] > 300 and j["gradient"]["kinks"] < j["gradient"]["samples"] / 5' \
    'j["dot_product_error"] <= 1e-10 and j["parity"]["states"] == 5' \
    'all(j["time_us"][k] > 0 for k in ("mj_step", "step", "step_vjp", "mjd_transitionFD"))' \
    '"error" not in j and set(j["residual"]) == {"mujoco", "carom"}' \
    "j['model'].endswith('$model.xml') and j['nv'] == {'cube': 6, 'double_pendulum': 2, 'walker': 15}['$model']"
done
holds passed '"Euler" in j["time_us"]["note"] and "RK4" in j["time_us"]["note"]'

expect 0 text check "$data/walker.xml" --states 3
head -n 1 text.out | grep -q "^passed: parity" || fail "no verdict: $(tail -n 1 text.out)"
[ "$(wc -l < text.out)" -lt 12 ] || fail "too much without --verbose: $(cat text.out)"
expect 0 text check "$data/walker.xml" --states 3 --verbose
grep -q "^  qacc  *[0-9]" text.out || fail "no table of fields with --verbose"
grep -q "mjd_transitionFD with Euler" text.out || fail "the text does not say that FD runs with Euler"

# the same seed, the same states; another seed, others
expect 0 first check "$data/cube.xml" --states 4 --seed 5 --json
expect 0 second check "$data/cube.xml" --states 4 --seed 5 --json
expect 0 third check "$data/cube.xml" --states 4 --seed 6 --json
parity='import json, sys; print(json.load(open(sys.argv[1]))["parity"]["fields"])'
[ "$(python3 -c "$parity" first.out)" = "$(python3 -c "$parity" second.out)" ] || fail "seed 5 twice"
[ "$(python3 -c "$parity" first.out)" = "$(python3 -c "$parity" third.out)" ] && fail "seed 5 and 6"

# ---- what MuJoCo decides at edges; where its number is off it is named
for model in clipped_damper simple_body; do
  expect 0 edges check "$data/$model.xml" --states 3 --seed 5 --json
  holds edges 'j["passed"] is True and j["parity"]["edges"] > j["parity"]["states"]' 'j["parity"]["mujoco_is_off"] == {}'
done
cat > can.xml << 'XML'
<mujoco><worldbody><geom name="ground" type="plane" size="1 1 1"/>
<body><freejoint/><geom name="can" type="cylinder" size=".1 .1"/></body></worldbody>
<keyframe><key qpos="0 0 .0999 1 3e-13 4e-13 0"/></keyframe></mujoco>
XML
expect 0 can check can.xml --states 1 --json
holds can 'j["parity"]["mujoco_is_off"]["nearly flat cylinders"]["times"] > 0' \
  '"geom \x27can\x27, tilted by" in j["parity"]["mujoco_is_off"]["nearly flat cylinders"]["worst"]'
expect 0 can check can.xml --states 1
grep -q "MuJoCo's is off here, .* times (docs/parity.md, nearly flat cylinders): geom 'can'" can.out || fail "nothing of the rim"
# ---- forces of which rounding alone is left: said, with the geoms, and no failure
cat > wheel.xml << 'XML'
<mujoco><worldbody><geom name="ground" type="plane" size="1 1 1"/>
  <body pos="0 0 .06"><joint name="axle" axis="1 0 0"/>
    <geom name="left" type="sphere" size=".1" pos="-.3 0 0"/>
    <geom name="right" type="sphere" size=".1" pos=".3 0 0"/></body></worldbody></mujoco>
XML
expect 0 wheel check wheel.xml --states 8 --json
holds wheel "\"the contact of geom 'ground' and geom 'left'\" in j['conflict']" \
  '"axle" in j["conflict"] and j["why"] == "" and j["rounding"] == 0'
expect 0 wheel check wheel.xml --states 8
grep -q "against each other" wheel.out || fail "nothing about what opposes what"

# ---- an arm that its light link does not bear in double precision
cat > light.xml << 'XML'
<mujoco><worldbody><body><joint name="light" axis="0 1 0"/>
  <inertial pos="0 0 0" mass="1e-7" diaginertia="1e-7 1e-7 1e-7"/>
  <body><joint axis="0 1 0"/><inertial pos=".3 0 .1" mass="30" diaginertia="1 1 1"/></body></body>
  </worldbody></mujoco>
XML
"$CAROM" check light.xml --states 3 > light.out 2> /dev/null
grep -q 'rounding may be .* of the acceleration of joint 0 "light"' light.out || fail "nothing about rounding"

# ---- nothing that moves
cat > still.xml << 'XML'
<mujoco><worldbody><geom type="plane" size="1 1 1"/><camera name="eye"/></worldbody></mujoco>
XML
expect 0 still check still.xml --json
holds still "$keys" 'j["passed"] is True and j["nv"] == 0' \
  'j["ignored"] == ["cameras (1 in the model)"]'
expect 0 still check still.xml

# ---- the answer is no: a MuJoCo that steps twice where it should step once
cat > other.c << 'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void mj_step(const void* m, void* d);
void mj_step(const void* m, void* d) {
  void (*step)(const void*, void*);
  void* symbol = dlsym(RTLD_NEXT, "mj_step");
  memcpy(&step, &symbol, sizeof step);
  step(m, d);
  step(m, d);
}
C
if ! ldd "$CAROM" | grep -q "lib[at]san" && cc -shared -fPIC -o other.so other.c -ldl; then
  LD_PRELOAD=$PWD/other.so expect 1 no check "$data/cube.xml" --states 3 --json
  holds no "$keys" 'j["passed"] is False and j["supported"] is True and "error" not in j' \
    'j["parity"]["max_relative_error"] > 1e-9 and " after " in j["parity"]["worst_field"]' \
    'j["gradient"]["max_relative_error"] <= 1e-6'
  LD_PRELOAD=$PWD/other.so expect 1 no check "$data/cube.xml" --states 3
  grep -q "^NOT passed" no.out || fail "no verdict: $(tail -n 1 no.out)"
else
  echo "not tested: the answer no"
fi

# ---- refused by name, all at once
cat > refused.xml << 'XML'
<mujoco><option><flag sleep="enable" speculative="enable"/></option><worldbody><light/>
<body name="a"><joint name="knee" stiffness="1" springyield=".5"/><geom size=".1"/></body>
</worldbody></mujoco>
XML
expect 2 refused check refused.xml --json
holds refused "$keys" 'j["passed"] is False and j["supported"] is False and j["nv"] == 1' \
  "\"joint 'knee' (plasticity): not supported yet\" in j['unsupported']" \
  "\"flag 'sleep' (enabled): not supported yet\" in j['unsupported']" \
  "\"flag 'speculative' (enabled): not supported yet\" in j['unsupported']" \
  'len(j["unsupported"]) == 3 and j["ignored"] == ["lights (1 in the model)"] and "error" in j'
[ "$(wc -l < refused.err)" -eq 3 ] || fail "not all on standard error: $(cat refused.err)"
expect 2 refused check refused.xml
[ -s refused.out ] && fail "something on standard output: $(cat refused.out)"

# ---- bad input
printf '<mujoco><worldbody><body>' > cut.xml
printf 'CAROMMDL and then nothing of it that makes sense' > cut.crm
echo '<mujoco><worldbody><body><freejoint/><geom size=".1" mass="-1"/></body></worldbody></mujoco>' \
  > negative.xml
refused 2 "none.xml: cannot be opened" check none.xml
refused 2 "cut.xml: XML" check cut.xml
refused 2 "cut.crm: a Carom model file, which MuJoCo cannot read" check cut.crm
refused 2 "negative.xml: Error: mass" check negative.xml
refused 2 "--states 0: at least 1 expected" check "$data/cube.xml" --states 0
refused 2 "--states -3: at least 1 expected" check "$data/cube.xml" --states -3
for option in "--csv t.csv" "--markdown t.md" "--jobs 2" "--limit 5"; do
  refused 2 "${option% *}: only with --all" check "$data/cube.xml" $option
done
expect 2 nothing check none.xml --json
holds nothing "$keys" 'j["passed"] is False and j["supported"] is False'
expect 2 nothing check --json
holds nothing "$keys" 'j["model"] == ""'

[ -e MUJOCO_LOG.TXT ] && fail "MuJoCo left a log file"
finish
