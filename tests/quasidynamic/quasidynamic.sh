#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom quasidynamic: steps from rest to rest, exact and smoothed, their derivatives, and what is refused.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
hand=$CAROM_SOURCE_DIR/examples/tasks/planar_hand.xml

# a finger that closes pushes the ball away and turns it; all modes agree on it
for mode in pyramid cone; do
  for smooth in "" "--smooth 1000"; do
    expect 0 push quasidynamic "$hand" --keyframe grasp --ctrl left_1=-1.1 --steps 5 --mode $mode $smooth --jacobian --json
    holds push 'j["steps"] == 5 and len(j["qpos"]) == 6 and j["residual"] < 1e-9' 'j["qpos"][5][4] > 0.02' \
      'sum(c["force"][0] > 0.1 for c in j["contacts"]) >= 2' 'len(j["A"]) == 7 and len(j["B"][0]) == 4'
  done
done

# B is the difference of two runs
expect 0 one quasidynamic "$hand" --keyframe grasp --ctrl left_1=-1.1 --smooth 100 --jacobian --json
expect 0 two quasidynamic "$hand" --keyframe grasp --ctrl left_1=-1.099999 --smooth 100 --jacobian --json
python3 - << 'PYTHON' || fail "B is not the difference"
import json
one, two = json.load(open("one.out")), json.load(open("two.out"))
for i in range(7):
    assert abs((two["qpos"][1][i] - one["qpos"][1][i]) / 1e-6 - one["B"][i][0]) < 1e-4
PYTHON

# setpoints from a file, poses to a file
printf 'left_1,left_2,right_1,right_2\n-0.9,-0.62,0.9,0.62\n-1,-0.7,0.9,0.62\n' > u.csv
expect 0 table quasidynamic "$hand" --keyframe grasp --u u.csv --steps 2 --csv poses.csv
grep -q "^2 steps of 0.1 s, pyramid, exact" table.out || fail "$(cat table.out)"
grep -q "Wrote poses.csv" table.out || fail "$(cat table.out)"
[ "$(head -n 1 poses.csv | cut -d, -f1-3)" = "time,qpos[left_1],qpos[left_2]" ] || fail "$(head -n 1 poses.csv)"
[ "$(wc -l < poses.csv)" = 4 ] || fail "poses.csv has $(wc -l < poses.csv) lines"

expect 0 by quasidynamic "$hand" --keyframe grasp --ctrl left_1=-1.1 --wrt 'geom_friction[ball][0]' 'body_mass[ball]' --json
holds by 'len(j["by_parameters"]) == 7 and len(j["by_parameters"][0]) == 2'

# predictive control finds its way over a gap; its plan is a recording that pictures are made of
expect 0 control quasidynamic "$hand" --keyframe grasp --planner mpc --steps 20 --iterations 8 --change 0.1 --execute --json \
  --goal 'qpos[ball_turn]=-0.4' 'qpos[ball_y]=0' 'qpos[ball_z]=0.35' --weigh 'qpos[ball_turn]=10' 'qpos[ball_z]=10' --out plan.h5
holds control 'j["cost"] < 0.6 * j["cost_before"]' 'len(j["plan"]) == 21' 'j["distance"] < 0.4' 'j["executed_to_plan"] < 0.2' \
  'max(abs(a - b) for p, q in zip(j["plan"], j["plan"][1:]) for a, b in zip(p["ctrl"], q["ctrl"])) < 0.1001'
expect 0 exact quasidynamic "$hand" --keyframe grasp --planner mpc --steps 5 --iterations 2 --change 0.1 --estimator exact --json \
  --goal 'qpos[ball_turn]=-0.4'
expect 0 noise quasidynamic "$hand" --keyframe grasp --planner mpc --steps 5 --iterations 2 --change 0.1 --estimator zeroth \
  --samples 20 --goal 'qpos[ball_turn]=-0.4'
grep -q "^the plan has 5 steps and ends" noise.out || fail "$(cat noise.out)"
# a box that is tipped over its edge wants models without what the pose does to the next pose
tip=(quasidynamic "$CAROM_SOURCE_DIR/examples/tasks/box_pivot.xml" --keyframe start --set 'qpos[hand_z]=0.5' --planner mpc --steps 120 --iterations 5 --change 0.05 --reach 10
  --goal 'qpos[box_y]=1' 'qpos[box_z]=0.5' 'qpos[box_turn]=-1.5708' --weigh 'qpos[box_y]=5' 'qpos[box_z]=5' 'qpos[box_turn]=50'
  --effort 1000 --json)
expect 0 whole "${tip[@]}"
expect 0 tipped "${tip[@]}" --decoupled
holds tipped 'j["cost"] < 2500' "j['cost'] < 0.7 * $(python3 -c 'import json; print(json.load(open("whole.out"))["cost"])')"
expect 0 page view "$hand" plan.h5 --out plan.html
expect 0 tree quasidynamic "$hand" --keyframe grasp --goal 'qpos[ball_turn]=3.1416' --out tree.h5 --csv tree.csv --json
holds tree 'j["reached"] and j["nodes"] < 1000'
grep -q "qpos\[ball_turn\]" tree.csv || fail "$(head -n 1 tree.csv)"
expect 0 both view "$hand" tree.h5 --out tree.html
# a cube in the palm of four fingers turns; in full dynamics fingers move to new grasps, and plans follow plans
cube=$CAROM_SOURCE_DIR/examples/tasks/allegro_cube.xml
expect 0 cube quasidynamic "$cube" --keyframe open --turn cube=0,0,17 --reach 0.025 --smooth 3000 --stepsize 0.2 --length 0.1 \
  --tolerance 0.1 --execute --replans 1 --json --out cube.h5
holds cube 'j["reached"] and j["distance"] <= 0.1' 'j["plans"] in (1, 2)' 'len(j["executed"]) == 23' 'j["executed"][18] > 0.02'
expect 0 cubes view "$cube" cube.h5 --out cube.html
expect 0 feedback quasidynamic "$hand" --keyframe grasp --goal 'qpos[ball_turn]=3.1416' --execute --json
holds feedback 'j["reached"] and j["plans"] < 8 and j["executed_to_goal"] < 0.01' 'abs(j["executed"][6] - 3.1416) < 0.01'
expect 0 open quasidynamic "$hand" --keyframe grasp --goal 'qpos[ball_turn]=0.3' --execute --open-loop --json
holds open 'j["plans"] == 1 and j["executed_to_plan"] < 0.2'
expect 2 turn quasidynamic "$cube" --keyframe open --turn cube=0,0
says turn "--turn cube=0,0: JOINT=X,Y,Z in degrees is expected"
expect 2 hinge quasidynamic "$cube" --keyframe open --turn index_0=0,0,9
says hinge "joint 'index_0' is no ball or free joint"
expect 2 planner quasidynamic "$hand" --goal 'qpos[ball_turn]=1' --planner rrt
says planner "--planner rrt: tree or mpc is expected"
expect 2 estimator quasidynamic "$hand" --goal 'qpos[ball_turn]=1' --planner mpc --estimator alpha
says estimator "--estimator alpha: barrier, exact, first or zeroth is expected"
expect 2 both quasidynamic "$hand" --goal 'qpos[ball_turn]=1' --planner mpc --estimator first --smooth 100
says both "--smooth goes with --estimator barrier"
expect 2 weight quasidynamic "$hand" --goal 'qpos[ball_turn]=1' --planner mpc --weigh 'qvel[ball_turn]=1'
says weight "--weigh qvel[ball_turn]=1: a coordinate is expected"
cat > sites.xml << 'XML'
<mujoco><worldbody><body><joint name="a"/><geom size=".1"/><site name="p"/><site name="q"/><site name="r"/></body></worldbody>
<actuator><position site="r" kp="1"/></actuator></mujoco>
XML
for planner in tree mpc; do
  expect 2 sites quasidynamic sites.xml --goal 'qpos[a]=1' --planner $planner
  grep -q "no position servo" sites.err || fail "$planner: $(cat sites.err)"
done
expect 2 number quasidynamic "$hand" --goal 'qpos[ball_turn]=x'
says number "NAME=VALUE is expected"

expect 2 mode quasidynamic "$hand" --mode round
says mode "--mode round: pyramid or cone is expected"
expect 2 motors quasidynamic "$CAROM_SOURCE_DIR/examples/tasks/acrobot.xml"
says motors "no position servo"
expect 2 passive quasidynamic "$data/cube.xml"
says passive "the model has no actuators"
expect 2 range quasidynamic "$hand" --keyframe grasp --ctrl left_2=1
says range "outside its ctrlrange"
expect 2 short quasidynamic "$hand" --keyframe grasp --u u.csv --steps 3
expect 3 none quasidynamic "$hand" --keyframe grasp --inertia none
says none "nothing resists dof 4, of joint 'ball_y'"
expect 2 name quasidynamic "$hand" --keyframe grasp --wrt mass
finish
