#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom follow: the two engines stay together where nothing is chaotic, and the words where they do not.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

expect 0 cube follow "$data/cube.xml" --steps 200 --json
holds cube 'j["steps"] == 200 and len(j["carom"]) == 200 and len(j["twin"]) == 200' \
  'max(j["carom"]) < 1e-9' 'max(j["twin"][:10]) == 0 < min(j["twin"][10:]) and max(j["twin"]) < 1e-9'
expect 0 walker follow "$data/walker.xml" --steps 30 --seed 3
grep -qE "^ +1 +[0-9.e+-]+ +[0-9.e+-]+ " walker.out || fail "no first step: $(cat walker.out)"
grep -qE "^ +30 " walker.out || fail "no last step: $(cat walker.out)"
grep -q "first step beyond" walker.out || fail "no summary: $(cat walker.out)"

# a state that blows up ends it
cat > wild.xml << 'XML'
<mujoco><option timestep=".1"/><worldbody><body><joint stiffness="1e6" range="-1 1"/>
<geom size=".1"/></body></worldbody><actuator><motor joint="#" gear="1e9"/></actuator></mujoco>
XML
sed -i 's/<joint /<joint name="#" /' wild.xml
expect 0 wild follow wild.xml --steps 300
grep -q "the state diverges in MuJoCo" wild.out || fail "it does not say that it ended: $(cat wild.out)"

echo '<mujoco><option><flag sleep="enable"/></option><worldbody><body><freejoint/><geom size=".1"/>
</body></worldbody></mujoco>' > sleepy.xml
refused 2 "flag 'sleep'" follow sleepy.xml
refused 2 "--steps 0" follow "$data/cube.xml" --steps 0
refused 2 "none.xml: cannot be opened" follow none.xml
finish
