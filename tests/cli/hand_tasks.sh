#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The hand tasks: examples/tasks/hand_models.py makes their models from a small tree with MyoSuite's names, and each task plans with them.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
tasks=$CAROM_SOURCE_DIR/examples/tasks

# ---- a tree with MyoSuite's folders and names: a hand of one finger, and an arm with a prosthesis
hand=suite/envs/myo/assets/hand arm=suite/envs/myo/assets/arm parts=suite/simhive/myo_sim/parts
mkdir -p $hand $arm $parts
cat > $parts/defaults.xml << PART
<mujocoinclude>
  <compiler angle="radian" meshdir=".." texturedir=".." convexhull="false"/>
  <option timestep="0.002"/>
  <default><default class="skin"><geom type="capsule" solimp=".8 .8 .01" material="skin"/></default></default>
  <asset><texture name="flat" type="2d" file="missing.png"/><material name="skin" texture="flat"/>
    <mesh name="bone" file="missing.stl"/></asset>
</mujocoinclude>
PART
cat > $parts/hand.xml << PART
<mujocoinclude>
  <body name="trapezium" pos="-0.2 -0.5 1.4"><joint name="pro_sup" axis="0 1 0" range="-1.6 1.6" limited="true"/>
    <geom mesh="bone" type="mesh" contype="0" conaffinity="0"/>
    <geom class="skin" size="0.03" fromto="0 0 0 0 -0.1 0"/>
    <site name="S_grasp" pos="0 -0.05 -0.05"/><site name="target1_site" pos="0 0 -0.05"/><site name="target2_site" pos="0 -0.1 -0.05"/>
  </body>
</mujocoinclude>
PART
model() {  # model FILE ELEMENTS: the hand and these bodies
  cat > "$1" << MODEL
<mujoco>
  <include file="../../../../simhive/myo_sim/parts/defaults.xml"/>
  <worldbody><include file="../../../../simhive/myo_sim/parts/hand.xml"/>$2</worldbody>
  <actuator><motor name="turn" joint="pro_sup" ctrlrange="-1 1" ctrllimited="true"/></actuator>
  <keyframe><key/></keyframe>
</mujoco>
MODEL
}
ball() { echo "<body name=\"$1\" pos=\"$2 -0.5 1.5\"><freejoint/><geom name=\"$1\" size=\"0.02\"/><site name=\"$1_site\"/></body>"; }
model $hand/myohand_baoding.xml "$(ball ball1 -0.2)$(ball ball2 -0.1)"
die='<body name="Object"><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/><geom type="box" size=".02 .02 .02"/>
  <joint name="OBJTx" type="slide"/><site name="object_o"/></body><body name="target"><geom size="0.1" contype="0" conaffinity="0"/></body>'
model $hand/myohand_die.xml "$die"
model $arm/myoarm_bionic_bimanual.xml '<body name="prosthesis/palm" pos="0.2 0 0.7"><joint name="prosthesis/Lelbow" axis="1 0 0"/>
  <geom size="0.02"/></body><body name="manip_object"><freejoint/><geom size="0.1"/></body>'

python3 "$tasks/hand_models.py" suite made > made.txt || fail "hand_models.py"
[ "$(tr '\n' ' ' < made.txt)" = "made/swap.xml made/swap_cfd.xml made/cube.xml made/cube_cfd.xml made/table.xml made/table_cfd.xml made/tennis.xml " ] ||
  fail "$(cat made.txt)"

# ---- skin, options and what was left out
for name in swap:0 swap_cfd:0.1 table:0 table_cfd:0.1; do
  expect 0 look rollout "made/${name%:*}.xml" --time 0.0025 --print geom_solimp
  grep -q "^1 steps" look.out || fail "another time step: $(cat look.out)"
  awk -v d0="${name#*:}" '$1 == "geom_solimp" {exit !($3 == d0 && $4 == 0.95 && $5 == 0.001)}' look.out || fail "$(cat look.out)"
done
grep -q 'missing' made/*.xml && fail "textures and drawn meshes are left"
grep -q 'name="manip_object"' made/tennis.xml && fail "the old object is left"
grep -q 'solref="-100000 0"' made/tennis.xml || fail "the racket is not elastic"

# ---- every task plans with its model, with contacts from distance too
for name in swap:swap cube:cube table:table_cfd tennis:tennis; do
  for cfd in "" "0 0.1 0.001 1 4"; do
    expect 0 plan plan "$tasks/hand_${name%:*}.yaml" --out plan --force --json --set "model=$PWD/made/${name#*:}.xml" horizon=0.02 \
      planner.iterations=2 "planner.cfd=$cfd"
    holds plan 'j["steps"] == 8 and j["cost"] > 0 and j["goals"] and all(g["value"] >= 0 for g in j["goals"].values())'
  done
done

# ---- a folder that is none: one sentence
python3 "$tasks/hand_models.py" nowhere made 2> nowhere.err && fail "models of nothing"
says nowhere "hand_models: nowhere/envs/myo/assets/hand/myohand_baoding.xml: No such file or directory"
rm $parts/hand.xml
python3 "$tasks/hand_models.py" suite made 2> part.err && fail "an include of nothing"
says part "suite/simhive/myo_sim/parts/hand.xml: No such file or directory"
finish
