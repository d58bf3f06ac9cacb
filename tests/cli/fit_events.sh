#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom fit with steps that end in events: it says which events its derivatives do not count. The feet of a planar walker
# chatter from 0.166 s on; before, all events count.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"

leg() {
  echo "<body pos='0 $1 -.3'><joint axis='0 -1 0' range='-20 100'/><geom pos='0 0 -.225' size='.05 .225'/><body pos='0 0 -.7'>"
  echo "<joint axis='0 -1 0' pos='0 0 .25' range='-150 0'/><geom size='.04 .25'/><body pos='.06 0 -.25'>"
  echo "<joint axis='0 -1 0' pos='-.06 0 0' range='-45 45'/><geom zaxis='1 0 0' size='.05 .1'/></body></body></body>"
}
cat > walker.xml << XML
<mujoco>
  <compiler autolimits="true"/>
  <option timestep=".0025"/>
  <default>
    <joint damping=".1" armature=".01" solimplimit="0 .99 .01"/>
    <geom type="capsule" contype="1" conaffinity="0" friction=".7 .1 .1"/>
  </default>
  <worldbody>
    <geom type="plane" conaffinity="1" size="250 .8 .2"/>
    <body name="torso" pos="0 0 1.3">
      <joint axis="0 0 1" type="slide" armature="0" damping="0"/>
      <joint axis="1 0 0" type="slide" armature="0" damping="0"/>
      <joint axis="0 -1 0" armature="0" damping="0"/>
      <geom size=".07 .3"/>
      $(leg -.05) $(leg .05)
    </body>
  </worldbody>
</mujoco>
XML
steps=(--integrator bosh3 --rtol 1e-6 --events)
for time in 0.05 0.19; do
  expect 0 "made$time" rollout walker.xml --set qvel=0,-2,1,1,1,1,1,1,1 --time $time "${steps[@]}" --grid 0.01 --out "run$time.h5"
  "$CAROM" fit walker.xml "run$time.h5" --estimate 'body_mass[torso]' --start measured "${steps[@]}" \
    --out "fit$time" > "fit$time.out" 2> "fit$time.err"
  [ $? -le 1 ] || fail "$time s: $(cat "fit$time.err")"
done
grep -q uncounted fit0.05.out && fail "before the chatter: $(grep uncounted fit0.05.out)"
grep -q '^uncounted events: [0-9]*; derivatives lack their part' fit0.19.out || fail "the chatter: $(cat fit0.19.out)"
grep -q '"uncounted_events": *0[,}]' fit0.05/result.json || fail "result.json: uncounted events before the chatter"
finish
