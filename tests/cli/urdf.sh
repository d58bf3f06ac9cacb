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

# links without inertia, in a chain and in a fork, with a mimic joint: the model that the rules make is
# the same in both engines
cat > massless.urdf << 'XML'
<robot name="massless">
  <link name="base"/>
  <link name="yaw"/>
  <link name="pitch">
    <inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="arm">
    <collision><origin xyz="0 0 0.2"/><geometry><capsule radius="0.05" length="0.3"/></geometry></collision>
  </link>
  <link name="tool">
    <inertial><origin xyz="0 0 0.1"/><mass value="0.4"/>
      <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="finger">
    <inertial><origin xyz="0.02 0 0.05"/><mass value="0.1"/>
      <inertia ixx="1e-4" iyy="1e-4" izz="5e-5" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="j1" type="continuous"><parent link="base"/><child link="yaw"/><axis xyz="0 0 1"/></joint>
  <joint name="j2" type="continuous"><parent link="yaw"/><child link="pitch"/><axis xyz="0 1 0"/></joint>
  <joint name="j3" type="revolute"><parent link="pitch"/><child link="arm"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="20" velocity="3"/><dynamics damping="0.1" friction="0.05"/></joint>
  <joint name="j4" type="revolute"><parent link="arm"/><child link="tool"/><origin xyz="0 0 0.4"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="20" velocity="3"/></joint>
  <joint name="j5" type="revolute"><parent link="arm"/><child link="finger"/><origin xyz="0.1 0 0.4"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="20" velocity="3"/>
    <mimic joint="j4" multiplier="-0.5" offset="0.2"/></joint>
</robot>
XML
expect 0 massless check massless.urdf --servo 10,1 --states 4 --json
holds massless 'j["passed"] is True and j["nv"] == 5 and len(j["warnings"]) == 4'

# the same options with follow; other formats have none of them
expect 0 follow follow "$dog" --base floating --ground --no-self-collision --servo 80,2 --steps 20 --json
holds follow 'j["steps"] == 20 and max(j["carom"]) < 1e-9'
for option in "--base floating" "--package-path ." "--servo 1,1" --ground --no-self-collision; do
  refused 2 "${option% *}: only for URDF files; $data/cube.xml is none" rollout "$data/cube.xml" $option
done

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
