#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# URDF on the command line: its options, and a four-legged robot that stands.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

dog="$data/quadruped.urdf"
expect 0 passed check "$dog" --base floating --ground --servo 80,2 --states 3 --json
holds passed 'j["passed"] is True and j["nv"] == 18' \
  'j["parity"]["max_relative_error"] <= 1e-9 and j["gradient"]["max_relative_error"] <= 1e-6'
expect 0 fixed check "$dog" --base fixed --states 2 --json
holds fixed 'j["nv"] == 12'

pose=()
for leg in front_left front_right rear_left rear_right; do
  pose+=(--set "qpos[${leg}_hip_pitch]=0.6" --set "qpos[${leg}_knee]=-1.2")
  pose+=(--ctrl "${leg}_hip_pitch=0.6" --ctrl "${leg}_knee=-1.2")
done
expect 0 stand rollout "$dog" --base floating --ground --no-self-collision --servo 80,2 --time 2 \
  --set 'qpos[2]=0.37' "${pose[@]}" --json
holds stand '0.33 < j["final"]["qpos"][2] < 0.36 and j["final"]["qpos"][3] > 0.999' \
  'max(abs(v) for v in j["final"]["qvel"]) < 0.01'

# without servos it falls
expect 0 fall rollout "$dog" --base floating --ground --time 2 --set 'qpos[2]=0.37' --json
holds fall 'j["final"]["qpos"][2] < 0.2'

refused 2 "--base loose: fixed or floating expected" rollout "$dog" --base loose
refused 2 "--servo 1: two gains KP,KV expected" rollout "$dog" --servo 1
refused 2 "--servo 1,-1: two gains KP,KV expected" check "$dog" --servo 1,-1
cat > bad.urdf << 'XML'
<robot name="bad">
  <link name="base"/>
  <link name="arm"><inertial><mass value="one"/></inertial></link>
</robot>
XML
refused 2 "bad.urdf:3: <mass> of link 'arm': value=\"one\": 1 number expected" check bad.urdf
finish
