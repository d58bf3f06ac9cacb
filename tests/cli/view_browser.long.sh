#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom view: what a browser makes of a page. Pictures at several times, on a screen and on a phone: a cube is where the
# recording says, textures are where libmujoco has them, nothing is fetched, the console is silent, touch and keys work, ten seconds play at 30 frames a second,
# with textures on every pixel too.
# With CAROM_VIEW_PICTURE=FILE.png also writes the picture of docs/view.md.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
export PYTHONPATH=$CAROM_SOURCE_DIR/tests/support PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import browser, sys; sys.exit(browser.program() is None)'; then
  echo "view_browser: there is no Chromium (apt-get install chromium); skipped"
  exit 0
fi
toss=$CAROM_SOURCE_DIR/examples/cube_toss.xml
for k in 1 2 3; do
  expect 0 toss rollout "$toss" --time 10 --timestep 0.005 --set "qvel=0.$k,0.8,1.2,3,$k,-4" --out toss$k.h5
done
expect 0 page view "$toss" toss1.h5 --out toss.html
expect 0 page view "$toss" toss1.h5 toss2.h5 toss3.h5 --fps 100 --plot 'qpos[cube].z' 'contact[board:cube].dist' --out tosses.html
for k in 1 2 3; do
  expect 0 toss rollout "$toss" --time 1 --timestep 0.0025 --set "qvel=0.$k,0.8,1.2,3,$k,-4" --out short$k.h5
done
expect 0 page view "$toss" short1.h5 short2.h5 short3.h5 --fps 400 --plot 'qpos[cube].z' 'contact[board:cube].dist' 'energy' --out picture.html
cat > room.xml << 'MODEL'
<mujoco><asset><texture name='squares' type='2d' builtin='checker' rgb1='1 0 0' rgb2='0 0 1' width='64' height='64'/>
<texture name='faces' type='cube' builtin='flat' rgb1='0 1 0' rgb2='1 1 0' width='32' height='192'/><material name='floor' texture='squares' texrepeat='3 2'/>
<material name='die' texture='faces'/></asset><worldbody><geom type='plane' size='2 1 .1' material='floor'/>
<geom type='box' size='.1 .1 .1' pos='.1 .3 .5' material='die'/></worldbody></mujoco>
MODEL
expect 0 page view room.xml --out room.html
sed '/plane/s/<geom[^>]*plane[^>]*>//' room.xml > die.xml
expect 0 page view die.xml --out die.html
# a room: every pixel has a texture, and meshes swing
balls=$(for k in 0 1 2 3 4 5; do
  echo "<body pos='$((k - 3)) 0 1.5'><joint axis='0 1 0' damping='.01'/><geom type='mesh' mesh='ball' pos='0 0 -.4' material='bone' contype='0' conaffinity='0'/></body>"
done)
cat > swing.xml << MODEL
<mujoco><asset><texture name='squares' type='2d' builtin='checker' rgb1='.8 .6 .4' rgb2='.7 .5 .3' width='256' height='256'/>
<texture name='marked' type='cube' builtin='flat' mark='cross' rgb1='.8 .8 .8' markrgb='.5 .5 .5' width='128' height='768'/>
<material name='floor' texture='squares' texrepeat='9 9'/><material name='bone' texture='marked'/>
<mesh name='ball' builtin='sphere' params='3' scale='.1 .1 .2'/></asset>
<worldbody><geom type='plane' size='6 6 .1' material='floor'/><geom type='box' size='6 .1 3' pos='0 -6 3' material='bone'/>
<geom type='box' size='.1 6 3' pos='-6 0 3' material='bone'/>$balls</worldbody></mujoco>
MODEL
expect 0 swing rollout swing.xml --time 10 --timestep 0.005 --set qvel=3,3,3,3,3,3 --out swing.h5
expect 0 page view swing.xml swing.h5 --out swing.html
cat > soft.xml << 'MODEL'
<mujoco><worldbody><geom name='floor' type='plane' size='1 1 .1'/><body pos='0 0 .06'><freejoint/>
<geom name='ball' type='sphere' size='.1' rgba='.7 .7 .7 1'/></body></worldbody><custom><text name='pressure:floor' data='rigid'/>
<text name='pressure:ball' data='compliant modulus=1e5 around=64'/></custom></mujoco>
MODEL
expect 0 page view soft.xml --out soft.html
python3 "$CAROM_SOURCE_DIR/tests/support/look.py" "$work" "${CAROM_VIEW_PICTURE:-}" || fail "the pages in a browser"
finish
