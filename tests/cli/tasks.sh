#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each task of examples/tasks but those of the hand opens, and its first iterations lower its cost. Models that are not Carom's are made here, small
# ones with the same names; DM_CONTROL_SUITE, a folder with dm_control's models, and MENAGERIE add the real ones.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
tasks=$CAROM_SOURCE_DIR/examples/tasks

# lowers TASK SETTINGS...: both as one plan and with a plant
lowers() {
  local task=$1
  shift
  expect 0 plan plan "$tasks/$task.yaml" --out plan --force --json --set planner.iterations=6 "$@"
  holds plan 'j["method"] == "ilqr" and j["iterations"] == 6 and 0 < j["cost"] < 1e6'
  awk -F, 'NR == 2 {first = $2} {last = $2} END {exit !(last < first)}' plan/cost.csv || fail "$task: $(cat plan/cost.csv)"
  expect 0 mpc plan "$tasks/$task.yaml" --mpc --out mpc --force --json --set planner.iterations=3 mpc.time=0.04 "$@"
  holds mpc 'j["plans"] >= 1 and j["cost"] > 0'
}

# ---- Carom's own models
lowers cartpole horizon=0.5
lowers acrobot horizon=0.5

# ---- a biped in the plane, and one in space
leg() {  # leg SIDE Y: with a foot
  cat << BODY
<body name="$1_thigh" pos="0 $2 -0.3"><joint name="$1_hip" axis="0 -1 0"/><geom size="0.05" fromto="0 0 0 0 0 -0.4"/>
  <body name="$1_shin" pos="0 0 -0.45"><joint name="$1_knee" axis="0 -1 0"/><geom size="0.04" fromto="0 0 0 0 0 -0.4"/>
    <body name="$1_foot" pos="0 0 -0.45"><joint name="$1_ankle" axis="0 -1 0"/><geom size="0.04" fromto="-0.05 0 0 0.15 0 0"/></body></body></body>
BODY
}
biped() {  # biped FILE JOINTS HEIGHT
  cat > "$1" << MODEL
<mujoco>
  <default><joint damping="0.1" armature="0.01"/><geom type="capsule" contype="1" conaffinity="0"/><motor ctrllimited="true" ctrlrange="-1 1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="10 10 1" conaffinity="1"/>
    <body name="torso" pos="0 0 $3">$2<geom size="0.07" fromto="0 0 -0.3 0 0 0.1"/>
      <body name="head" pos="0 0 0.2"><geom type="sphere" size="0.08"/></body>
      <body name="left_hand" pos="0.1 0.2 0"><geom size="0.03" fromto="0 0 0 0 0 -0.1"/></body>
      <body name="right_hand" pos="0.1 -0.2 0"><geom size="0.03" fromto="0 0 0 0 0 -0.1"/></body>
      <body name="pelvis" pos="0 0 -0.3"><geom type="sphere" size="0.08"/></body>
      $(leg left 0.09) $(leg right -0.09)
    </body>
  </worldbody>
  <actuator>
    $(for joint in left_hip left_knee left_ankle right_hip right_knee right_ankle; do echo "<motor name=\"$joint\" joint=\"$joint\" gear=\"50\"/>"; done)
  </actuator>
  <sensor><subtreelinvel name="torso_subtreelinvel" body="torso"/></sensor>
</mujoco>
MODEL
}
mkdir small
biped small/walker.xml '<joint name="rootz" type="slide" axis="0 0 1"/><joint name="rootx" type="slide" axis="1 0 0"/><joint name="rooty" axis="0 1 0"/>' 1.3
biped small/humanoid.xml '<freejoint name="root"/>' 1.5
for suite in small ${DM_CONTROL_SUITE:+"$DM_CONTROL_SUITE"}; do
  for task in walker_stand walker_walk humanoid_stand humanoid_walk; do
    lowers $task horizon=0.1 "model=$(realpath "$suite")/${task%_*}.xml"
  done
done

# ---- an arm with the names of MuJoCo Menagerie's
mkdir -p small/franka_emika_panda
{
  echo '<mujoco><compiler angle="radian" meshdir="assets" autolimits="true"/><default><default class="panda"><joint axis="0 0 1" armature="0.1"/>
    <default class="finger"><joint type="slide"/></default><default class="visual"><geom type="mesh"/></default></default></default>
    <asset><mesh name="drawn" file="missing.stl"/></asset><worldbody><body name="link0" childclass="panda">'
  for i in 1 2 3 4 5 6 7; do
    [ $((i % 2)) = 1 ] && at='pos="0 0 0.15"' || at='pos="0.1 0 0" quat="1 -1 0 0"'
    [ "$i" = 7 ] && at='pos="0.4 0 -0.5" quat="0 1 0 0"'
    echo "<body name=\"link$i\" $at><inertial mass=\"1\" pos=\"0 0 0\" diaginertia=\"0.01 0.01 0.01\"/><joint name=\"joint$i\"/>
      <geom mesh=\"drawn\" class=\"visual\"/>"
  done
  echo '<body name="hand" pos="0 0 0.1"><inertial mass="0.5" pos="0 0 0" diaginertia="0.001 0.001 0.001"/>
    <body name="left_finger"><inertial mass="0.1" pos="0 0 0" diaginertia="1e-5 1e-5 1e-5"/><joint name="finger_joint1" class="finger"/></body></body>'
  for i in 1 2 3 4 5 6 7; do echo '</body>'; done
  echo '</body></worldbody><tendon><fixed name="split"><joint joint="finger_joint1" coef="1"/></fixed></tendon>
    <actuator><general name="actuator1" joint="joint1"/><general name="grip" tendon="split"/></actuator><keyframe><key/></keyframe></mujoco>'
} > small/franka_emika_panda/panda.xml
for menagerie in small ${MENAGERIE:+"$MENAGERIE"}; do
  rm -rf made
  python3 "$tasks/panda_models.py" "$menagerie" made > made.txt || fail "panda_models.py"
  [ "$(tr '\n' ' ' < made.txt)" = "made/reach.xml made/push.xml " ] || fail "$(cat made.txt)"
  for task in panda_reach panda_push; do
    lowers $task horizon=0.1 "model=$PWD/made/${task#*_}.xml"
    holds mpc 'all(g["value"] >= 0 for g in j["goals"].values())'
  done
done

# ---- what is no arm: one sentence
python3 "$tasks/panda_models.py" nowhere made 2> nowhere.err && fail "models of nothing"
says nowhere "panda_models: nowhere/franka_emika_panda/panda.xml: No such file or directory"
sed -i 's/"hand"/"wrist"/' small/franka_emika_panda/panda.xml
python3 "$tasks/panda_models.py" small made 2> hand.err && fail "an arm without a hand"
says hand "panda_models: the model has no body 'hand'"
finish
