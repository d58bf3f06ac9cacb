#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom plan: a plan and its files, the same for any number of threads, going on, following a plant; and tasks that make no sense.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
tasks=$CAROM_SOURCE_DIR/examples/tasks

# ---- a plan
expect 0 plan plan "$tasks/cartpole.yaml" --set horizon=1 planner.iterations=15 --out one --threads 1 --json
holds plan 'j["method"] == "ilqr" and j["steps"] == 100 and not j["mpc"] and 0 < j["iterations"] <= 15' \
  'list(j["terms"]) == ["upright", "middle", "rest", "effort"]' \
  'close(sum(j["terms"].values()), j["cost"], 1e-9) and j["folder"] == "one"'
[ -s one/motion.h5 ] || fail "no recording"
head -n 1 one/cost.csv | grep -qx "iteration,cost,seconds,rollouts,failed,processor_seconds" || fail "$(head -n 1 one/cost.csv)"
awk -F, 'NR > 2 && $2 > last {exit 1} {last = $2}' one/cost.csv || fail "costs rise"
awk -F, 'NR > 1 && !($6 > last) {exit 1} NR > 1 {last = $6}' one/cost.csv || fail "no processor time"
[ "$(head -n 1 one/knots.csv)" = push ] || fail "$(head -n 1 one/knots.csv)"

# the recording has the motion of the plan
expect 0 again rollout "$tasks/cartpole.xml" --time 1 --set 'qpos[hinge]=3' --ctrl one/knots.csv --json
expect 0 text plan "$tasks/cartpole.yaml" --set horizon=1 planner.iterations=15 --out two --threads 2
cmp -s one/knots.csv two/knots.csv || fail "two threads give other digits"
grep -q "^all " text.out || fail "$(cat text.out)"

# ---- every method, and the controls it knows
for set in "method=gradient rate=0.1" "method=gradient descent=lbfgs controls=cubic knots=8" "method=sampling controls=linear knots=8" \
  "method=cem controls=zero knots=10 colour=pink" "method=mppi colour=brown" "method=mixed samples=16 elite=2 rate=0.1" \
  "method=ilqr controls=zero knots=20"; do
  # shellcheck disable=SC2086
  expect 0 method plan "$tasks/cartpole.yaml" --set horizon=0.5 planner.iterations=4 $(printf 'planner.%s ' $set) --out method --json --force
  holds method 'j["iterations"] == 4 and j["cost"] > 0'
done

# ---- under noise: a push over a gap, for any number of threads; after a stop the same digits
expect 0 push plan "$tasks/push.yaml" --out push --threads 1 --json
holds push 'j["cost"] < 0.02'
expect 0 still plan "$tasks/push.yaml" --set planner.estimator= planner.sigma= --out still --json
holds still 'close(j["cost"], 0.8, 1e-9)'
set -- plan "$tasks/push.yaml" --set planner.rate=0.5
expect 0 whole "$@" planner.iterations=12 --out shaken --threads 2
expect 0 part "$@" planner.iterations=7 --out shaken_part --threads 1
expect 0 rest "$@" planner.iterations=12 --out shaken_part --resume --threads 3
cmp -s shaken/knots.csv shaken_part/knots.csv || fail "other digits after --resume"
refused 2 "estimator 'second': first, zeroth or alpha expected" plan "$tasks/push.yaml" --set planner.estimator=second --out no
refused 2 "sigma has 2 numbers; one, or 1 for the controls" plan "$tasks/push.yaml" --set 'planner.sigma=1 2' --out no
refused 2 "sigma: only with an estimator" plan "$tasks/push.yaml" --set planner.estimator= --out no
refused 2 "an estimator needs method gradient" plan "$tasks/push.yaml" --set planner.method=cem --out no

# ---- going on after the end: the history grows
cp one/cost.csv before.csv
expect 0 more plan "$tasks/cartpole.yaml" --set horizon=1 planner.iterations=3 --out one --threads 1 --resume --json
holds more 'j["iterations"] > 3'
[ "$(wc -l < one/cost.csv)" -gt "$(wc -l < before.csv)" ] || fail "the history does not go on"
awk -F, 'NR > 1 && !($6 > last && $3 > wall) {exit 1} NR > 1 {last = $6; wall = $3}' one/cost.csv || fail "times do not go on"
refused 2 "one: holds motion.h5 of an earlier plan; --force overwrites it, --resume goes on" plan "$tasks/cartpole.yaml" --out one
expect 2 new plan "$tasks/cartpole.yaml" --out none --resume
says new "none/planner.h5"

# ---- stopped and gone on: the digits of a plan that was not
for method in ilqr gradient cem mixed; do
  set -- plan "$tasks/cartpole.yaml" --set horizon=0.5 planner.samples=12 planner.method=$method
  expect 0 whole "$@" planner.iterations=6 --out whole --force
  expect 0 part "$@" planner.iterations=4 --out part --force
  expect 0 rest "$@" planner.iterations=6 --out part --resume
  cmp -s whole/knots.csv part/knots.csv || fail "$method: other digits after --resume"
  [ "$(cut -d, -f1,2 whole/cost.csv)" = "$(cut -d, -f1,2 part/cost.csv)" ] || fail "$method: another history"
done
expect 2 other plan "$tasks/cartpole.yaml" --set horizon=0.5 planner.method=ilqr --out part --resume
says other "part/planner.h5: was written by another method than ilqr"
expect 2 longer plan "$tasks/cartpole.yaml" --set horizon=0.6 planner.samples=12 planner.method=mixed --out part --resume
says longer "is of another planner"
expect 2 dearer plan "$tasks/cartpole.yaml" --set horizon=0.5 planner.samples=12 planner.method=mixed cost.effort.weight=3 --out part --resume
says dearer "model, start or cost is another"

# ---- a plant that follows: itself, a heavier one, one that answers late and shakes
expect 0 follow plan "$tasks/cartpole.yaml" --mpc --set horizon=0.5 planner.iterations=5 mpc.time=0.2 --out follow --json
holds follow 'j["mpc"] and j["plans"] == 10 and j["cost"] > 0'
sed 's/mass="0.1"/mass="0.15"/' "$tasks/cartpole.xml" > heavy.xml
expect 0 heavy plan "$tasks/cartpole.yaml" --mpc --out heavy --json --set horizon=0.5 planner.iterations=5 mpc.time=0.2 \
  "mpc.plant=$PWD/heavy.xml" mpc.noise=0.1 mpc.delay=2
holds heavy 'j["plans"] == 10'
expect 0 heavier plan "$tasks/cartpole.yaml" --mpc --out heavier --json --set horizon=0.5 planner.iterations=5 mpc.time=0.2 \
  "mpc.plant=$PWD/heavy.xml" mpc.noise=0.1 mpc.delay=2
holds heavier "j['cost'] == $(python3 -c 'import json; print(repr(json.load(open("heavy.out"))["cost"]))')"

# ---- a plant that does not wait
expect 0 live plan "$tasks/cartpole.yaml" --mpc --real-time --out live --json --set horizon=0.3 planner.iterations=5 mpc.time=0.5
holds live 'j["plans"] > 1 and j["failed_plans"] == 0 and j["motion_seconds"] > 0.45 and j["mean_age"] <= j["largest_age"]'
expect 0 table plan "$tasks/cartpole.yaml" --mpc --real-time --force --out live --set horizon=0.3 planner.iterations=2 mpc.time=0.2
grep -q "a plan is .* ms old" table.out || fail "no age in the table"
expect 2 alone plan "$tasks/cartpole.yaml" --real-time
says alone "only with --mpc"

# ---- an orientation, a target, a recording as the reference
cat > reach.yaml << TASK
model: $tasks/cartpole.xml
horizon: 0.3
cost:
  - {name: follow, of: qpos, residual: place, reference: one/motion.h5, weight: 1}
  - {name: tip, of: "site_xpos[tip]", residual: place, target: "0.1 0 2", terminal: 1}
TASK
expect 0 reach plan reach.yaml --set planner.iterations=3 --json
holds reach 'list(j["terms"]) == ["follow", "tip"] and j["folder"] == "plan_reach"'

# ---- goals judge the motion of a plan and that of a plant; fields of the model are set for both
cat > goals.yaml << TASK
model: $tasks/cartpole.xml
horizon: 0.3
set:
  - {field: "body_mass[pole]", value: 0.2}
  - {field: gravity, value: "0 0 0"}
start:
  - {place: "qvel[slider]", value: 1}
cost:
  - {name: effort, of: ctrl, residual: place, weight: 1}
goal:
  - {name: far, of: "0.1005 - qpos[slider]", below: 0}
  - {name: never, of: "1 + qpos[slider]", below: 1}
  - {name: always, of: "norm(qpos)", below: 10}
planner: {method: gradient, iterations: 2}
mpc: {time: 0.3, every: 10, iterations: 1}
TASK
for how in "" --mpc; do
  # shellcheck disable=SC2086
  expect 0 goals plan goals.yaml --force --json $how
  holds goals 'list(j["goals"]) == ["far", "never", "always"] and j["goals"]["far"]["below"] == 0' \
    'j["goals"]["never"]["since"] is None and close(j["goals"]["never"]["value"], 1.3, 0.02)' \
    'close(j["goals"]["always"]["since"], 0.01, 1e-9)' '0.1 < j["goals"]["far"]["since"] < 0.12' \
    'close(j["goals"]["far"]["value"], 1.1005 - j["goals"]["never"]["value"], 1e-9)'
done
expect 0 table plan goals.yaml --force --set set.1.value="0 0 -50" 'goal.always.of=norm(qvel)'
grep -Eq "^never +1\.[0-9]+ +1 +not reached$" table.out || fail "$(cat table.out)"
wrong_goal() {
  # shellcheck disable=SC2086
  expect 2 wrong plan goals.yaml --force --set $1
  says wrong "$2"
}
wrong_goal 'goal.far.of=qpos[nothing]' "goals.yaml: goal.far: of: "
wrong_goal 'goal.far.of=qpos[nothing] planner.iterations=100000000' "goal.far: of: "
wrong_goal 'goal.far.of=qpos' "goal.far: of: "
wrong_goal goal.far.below=low "goal.far: below"
wrong_goal 'set.0.field=body_mass[nothing]' "nothing"
expect 0 option plan goals.yaml --force --set set.0.field=timestep set.0.value=0.005 --json
holds option 'j["steps"] == 60'
wrong_goal 'set.0.field=timestep set.0.value=-1' "timestep"
wrong_goal "set.1.value=0,0" "gravity"
wrong_goal "set.1.value=0,0,down" "set: gravity: '0,0,down' is not a list of numbers"
wrong_goal "planner.cfd_iterations=3" "planner: cfd_iterations: only with cfd"
wrong_goal "planner.cfd=0,0.1,1,1" "five or six numbers are expected, not 4"

# ---- a plan begins with the controls of the start: a servo that a keyframe sets to its place stays there
cat > servo.xml << MODEL
<mujoco>
  <worldbody><body><joint name="slide" type="slide"/><geom size="0.1"/></body></worldbody>
  <option gravity="0 0 0"/>
  <actuator><position name="servo" joint="slide" kp="100" ctrlrange="-2 2" ctrllimited="true"/></actuator>
  <keyframe><key name="aside" qpos="1" ctrl="1"/></keyframe>
</mujoco>
MODEL
cat > servo.yaml << TASK
model: servo.xml
horizon: 0.1
keyframe: aside
cost:
  - {name: place, of: "qpos[slide] - 1", weight: 1}
TASK
for set in "method=gradient rate=1e-9" "method=sampling controls=linear knots=3"; do
  # shellcheck disable=SC2086
  expect 0 servo plan servo.yaml --force --json --set planner.iterations=1 $(printf 'planner.%s ' $set)
  holds servo 'j["cost"] == 0'
done
sed -e 's/^keyframe.*/start: [{place: qpos, value: 1}, {place: "ctrl[servo]", value: 1}]/' servo.yaml > start.yaml
expect 0 start plan start.yaml --json --set planner.method=gradient planner.rate=1e-9 planner.iterations=1
holds start 'j["cost"] == 0'

# ---- contacts from distance: a scale of its own gives another plan than the default, which is a tenth of the reach
cat > ball.xml << MODEL
<mujoco>
  <worldbody>
    <body pos="0 0 0.3"><joint name="lift" type="slide" axis="0 0 1"/><geom type="sphere" size="0.1"/></body>
    <body pos="0 0 0.501"><joint name="fly" type="slide" axis="0 0 1"/><geom type="sphere" size="0.1"/></body>
  </worldbody>
  <option gravity="0 0 0"/>
  <actuator><motor name="lift" joint="lift" ctrlrange="-500 500" ctrllimited="true"/></actuator>
</mujoco>
MODEL
cat > ball.yaml << TASK
model: ball.xml
horizon: 0.1
cost:
  - {name: up, of: "1 - qpos[fly]", terminal: 1}
planner: {method: gradient, iterations: 12, rate: 5}
TASK
for scale in "" " 0.05" " 0.4"; do
  expect 0 "cfd${scale# }" plan ball.yaml --out "cfd${scale# }" --json --set "planner.cfd=0 0.1 0.5 1 2$scale"
done
expect 0 blind plan ball.yaml --out blind --json
holds blind 'j["cost"] == 0.5'
holds cfd 'j["cost"] < 0.499'
cmp -s cfd/knots.csv cfd0.05/knots.csv || fail "the scale is not a tenth of the reach"
cmp -s cfd/knots.csv cfd0.4/knots.csv && fail "the scale changes nothing"
# in the first iterations alone: all of them are as many as there are, fewer give another plan, which is not worse than none
for n in 4 12; do
  expect 0 "first$n" plan ball.yaml --out "first$n" --json --set "planner.cfd=0 0.1 0.5 1 2" "planner.cfd_iterations=$n"
done
cmp -s cfd/knots.csv first12/knots.csv || fail "12 of 12 iterations are not all"
cmp -s cfd/knots.csv first4/knots.csv && fail "4 of 12 iterations are all"
holds first4 'j["cost"] < 0.4999'

# ---- tasks that make no sense
wrong() {
  expect "$1" wrong plan "$tasks/cartpole.yaml" --out wrong --set "$2"
  says wrong "$3"
}
wrong 2 horizon=0 "horizon: 0 s are 0 steps"
wrong 2 planner.method=best "planner: method"
wrong 2 cost.upright.of=nothing "cost 'upright': "
wrong 2 cost.upright.weight=-1 "cost.upright: weight"
wrong 2 cost.rest.target=1 "cost.rest: target has 1 numbers, qvel 2"
wrong 2 cost.upright.target=1 "an expression has its target in it"
wrong 2 cost.upright.p=0 "p above 0 is needed"
wrong 2 planner.controls=linear "0 knots of controls 'linear' over 250 steps"
wrong 2 keyframe=home "no such keyframe"
wrong 2 model=missing.xml "missing.xml"
wrong 2 cost.upright.reference=missing.h5 "missing.h5"
wrong 3 'cost.upright.of=log(0-1-qvel[0]^2)' "nothing that was tried has a cost; the plan itself: "
printf 'model: %s\nhorizon: 1\ncost: []\n' "$tasks/cartpole.xml" > empty.yaml
expect 2 empty plan empty.yaml
says empty "cost: there are no terms"
expect 2 none plan
says none "TASK.yaml is missing"
expect 2 both plan "$tasks/cartpole.yaml" --mpc --resume
says both "--resume goes on with one plan"
finish
