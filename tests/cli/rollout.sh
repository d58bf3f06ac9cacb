#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom rollout: what it prints and records, where a simulation starts, bad input, divergence, a full
# disk.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
cube=$data/cube.xml
pendulum=$data/double_pendulum.xml
walker=$data/walker.xml

# ---- the object: free fall by semi-implicit Euler is known
expect 0 fall rollout "$cube" --time 0.1 --json --print qpos[2] xpos[cube] gravity \
  'contact[floor:cube].dist'
holds fall 'set(j) == {"time", "steps", "final", "print", "seconds", "warnings"}' \
  'j["steps"] == 50 and close(j["time"], 0.1, 1e-12) and j["warnings"] == []' \
  'set(j["final"]) == {"qpos", "qvel", "act"} and j["final"]["act"] == []' \
  'close(j["final"]["qpos"][2], 0.2 - 9.81 * 0.002 ** 2 * 50 * 51 / 2, 1e-12)' \
  'close(j["final"]["qvel"][2], -9.81 * 0.1, 1e-12)' \
  'list(j["print"]) == ["qpos[2]", "xpos[cube]", "gravity", "contact[floor:cube].dist"]' \
  'j["print"]["qpos[2]"] == j["final"]["qpos"][2] == j["print"]["xpos[cube]"][2]' \
  'j["print"]["gravity"] == [0, 0, -9.81] and j["print"]["contact[floor:cube].dist"] is None'
[ -s fall.err ] && fail "$(cat fall.err)"

# a keyframe also places mocap bodies
cat > mocap.xml << 'MODEL'
<mujoco><worldbody><body name='t' mocap='true' pos='1 1 1'><geom size='.1'/></body>
<body><freejoint/><geom size='.1'/></body></worldbody>
<keyframe><key name='moved' mpos='4 5 6' mquat='0 0 1 0'/></keyframe></mujoco>
MODEL
expect 0 mocap rollout mocap.xml --keyframe moved --time 0.01 --json --print xpos[t] xquat[t]
holds mocap 'j["print"] == {"xpos[t]": [4, 5, 6], "xquat[t]": [0, 0, 1, 0]}'

# the state of the end, and everything at it
expect 0 rest rollout "$cube" --keyframe rest --time 1 --json \
  --print 'contact[floor:cube].dist' 'contact[floor:cube][3].pos.z' 'qacc' 'qpos'
holds rest '-1e-3 < j["print"]["contact[floor:cube].dist"] < 0' \
  'abs(j["print"]["contact[floor:cube][3].pos.z"]) < 1e-3 and len(j["print"]["qacc"]) == 6' \
  'max(abs(x) for x in j["print"]["qacc"]) < 1e-6 and j["print"]["qpos"] == j["final"]["qpos"]'

expect 0 text rollout "$cube" --time 0.1 --print qpos[2] 'contact[floor:cube].dist'
grep -q "^50 steps, 0.1 s simulated in" text.out || fail "$(cat text.out)"
grep -q "^qpos\[2\] = 0.1" text.out || fail "$(cat text.out)"
grep -q "no such contact now" text.out || fail "$(cat text.out)"

# ---- where it starts
expect 0 key rollout "$pendulum" --keyframe raised --time 0.005 --json
expect 0 number rollout "$pendulum" --keyframe 0 --time 0.005 --json
expect 0 set rollout "$pendulum" --time 0.005 --json --set qpos=2.5,0.4 'qvel[elbow]=-1' \
  'act[elbow]=0.1' --ctrl shoulder=0.2 'ctrl[1]=0.3'
final='import json, sys; print(json.load(open(sys.argv[1]))["final"])'
[ "$(python3 -c "$final" key.out)" = "$(python3 -c "$final" number.out)" ] || fail "keyframe 0"
[ "$(python3 -c "$final" key.out)" = "$(python3 -c "$final" set.out)" ] || fail "keyframe and --set"
expect 0 both rollout "$pendulum" --keyframe raised --set qpos=1 --time 0.005 --json --print qpos0
holds both 'abs(j["final"]["qpos"][0] - 1) < 0.1 and abs(j["final"]["qpos"][1] - 1) < 0.1'
expect 0 heavy rollout "$pendulum" --set 'body_mass[lower]=5' gravity.z=-1 --time 0.005 --json \
  --print 'body_mass[lower]' gravity.z
holds heavy 'j["print"] == {"body_mass[lower]": 5, "gravity.z": -1}'

# ---- integrator, time step, time
expect 0 euler rollout "$walker" --keyframe stand --integrator euler --time 0.02 --json
expect 0 rk4 rollout "$walker" --keyframe stand --integrator rk4 --time 0.02 --json
expect 0 own rollout "$walker" --keyframe stand --time 0.02 --json
[ "$(python3 -c "$final" rk4.out)" = "$(python3 -c "$final" own.out)" ] || fail "the file says RK4"
[ "$(python3 -c "$final" rk4.out)" = "$(python3 -c "$final" euler.out)" ] && fail "Euler is not RK4"
expect 0 fine rollout "$walker" --keyframe stand --timestep 0.0005 --time 0.02 --json
holds fine 'j["steps"] == 40 and len(j["final"]["qpos"]) == 17'

# ---- the same digits twice
expect 0 again rollout "$walker" --keyframe stand --time 0.02 --json
[ "$(python3 -c "$final" again.out)" = "$(python3 -c "$final" own.out)" ] || fail "other digits"

# ---- controls from a file, and the recording as one
printf 'shoulder,elbow\n' > ctrl.csv
for k in $(seq 40); do echo "0.$((k % 7)),-0.$((k % 5))" >> ctrl.csv; done
expect 0 csv rollout "$pendulum" --ctrl ctrl.csv --time 0.2 --out run.h5 --json
expect 0 h5 rollout "$pendulum" --ctrl run.h5 --time 0.2 --json
[ "$(python3 -c "$final" csv.out)" = "$(python3 -c "$final" h5.out)" ] || fail "the recorded controls"
# columns are found by name; with a time, which has to be that of the steps
awk -F, 'NR == 1 { print "elbow,time,shoulder"; next } { printf "%s,%.3f,%s\n", $2, 7 + 0.005 * (NR - 2), $1 }' \
  ctrl.csv > other.csv
expect 0 other rollout "$pendulum" --ctrl other.csv --time 0.2 --json
[ "$(python3 -c "$final" csv.out)" = "$(python3 -c "$final" other.out)" ] || fail "columns in another order"
sed 1d ctrl.csv > plain.csv
expect 0 plain rollout "$pendulum" --ctrl plain.csv --time 0.2 --json
[ "$(python3 -c "$final" csv.out)" = "$(python3 -c "$final" plain.out)" ] || fail "columns without names"
refused 2 "other.csv: line 3: time 7.005 is 0.005 after the first row; controls change every 0.01 s" \
  rollout "$pendulum" --ctrl other.csv --time 0.2 --timestep 0.01
refused 2 "row 1 of time: time 0.005 is 0.005 after" \
  rollout "$pendulum" --ctrl run.h5 --time 0.2 --timestep 0.01
sed '1s/elbow/knee/' ctrl.csv > knee.csv
refused 2 "knee.csv: line 1: there is no control 'knee'; there are: time, shoulder, elbow" \
  rollout "$pendulum" --ctrl knee.csv --time 0.2
cut -d, -f1 ctrl.csv > single.csv
refused 2 "single.csv: line 1: a column for 'elbow' is missing" \
  rollout "$pendulum" --ctrl single.csv --time 0.2
refused 2 "--ctrl elbow=1: --ctrl ctrl.csv gives all controls already" \
  rollout "$pendulum" --ctrl elbow=1 ctrl.csv --time 0.2
if command -v h5dump > /dev/null; then
  h5dump -H run.h5 > header.txt || fail "h5dump cannot read run.h5"
  for set in time qpos qvel act ctrl timestep carom_version; do
    grep -q "\"$set\"" header.txt || fail "run.h5 has no $set"
  done
  grep -A 2 '"qpos"' header.txt | grep -q "( 41, 2 )" || fail "$(grep -A 2 qpos header.txt)"
fi
expect 0 none rollout "$pendulum" --time 0.005 --json --ctrl ctrl=0.1

# ---- warnings; models that nothing moves in
echo '<mujoco><option noslip_iterations="3"/><worldbody><body><freejoint/><geom size=".1"/></body>
</worldbody></mujoco>' > noslip.xml
expect 0 warned rollout noslip.xml --time 0.01 --json
holds warned 'len(j["warnings"]) == 1 and "noslip_iterations" in j["warnings"][0]'
echo '<mujoco><worldbody><geom size=".1"/></worldbody></mujoco>' > still.xml
expect 0 still rollout still.xml --time 0.01 --json --print 'geom_xpos[0]' --out still.h5
holds still 'j["final"] == {"qpos": [], "qvel": [], "act": []}'

# ---- bad input: the model
printf '<mujoco><worldbody><body>' > cut.xml
printf 'CAROMMDL and then nothing of it that makes sense' > cut.crm
echo '<mujoco><worldbody><body><joint name="knee" stiffness="1" springyield=".5"/><geom size=".1"/>
</body></worldbody></mujoco>' > plastic.xml
refused 2 "none.xml: cannot be opened" rollout none.xml
refused 2 "cut.xml: XML" rollout cut.xml
refused 2 "cut.crm: the checksum is wrong: the file is damaged or truncated" rollout cut.crm
refused 2 "joint 'knee' (plasticity): not supported yet" rollout plastic.xml
holds json "j['unsupported'] == [\"joint 'knee' (plasticity): not supported yet\"]"

# ---- what is written is never the model
cp "$cube" own.xml
refused 2 "--out own.xml: this file is the model" rollout own.xml --time 0.01 --out own.xml
refused 2 "--save-model ./own.xml: this file is the model" rollout own.xml --time 0.01 --save-model ./own.xml
refused 2 "--out and --save-model: both one" rollout own.xml --time 0.01 --out one --save-model one
cmp -s own.xml "$cube" || fail "the model was written over"
mkdir folder
refused 2 "folder: is a folder, not a file" rollout own.xml --time 0.01 --save-model folder
refused 2 "none/m.crm: cannot be written: No such file or directory" \
  rollout own.xml --time 0.01 --save-model none/m.crm

# ---- bad input: numbers and names
refused 2 "--set qpos=nan: the value is not finite" rollout "$cube" --set qpos=nan
refused 2 "--set qvel[0]=inf: the value is not finite" rollout "$cube" --set 'qvel[0]=inf'
refused 2 "joint 'root': its quaternion, qpos[3] to qpos[6], has length 2, not 1" \
  rollout "$cube" --set 'qpos=0,0,1,2,0,0,0'
refused 2 "has length 1.4" rollout "$cube" --set 'qpos[4]=1'
refused 2 "body 'cube': body_mass is negative (-1)" rollout "$cube" --set 'body_mass[cube]=-1'
refused 2 "body_quat is not of unit length (2)" rollout "$cube" --set 'body_quat[1]=2,0,0,0'
refused 2 "joint 'elbow': jnt_axis is not of unit length (2)" \
  rollout "$pendulum" --set 'jnt_axis[elbow]=0,2,0'
refused 2 "'qposs': there is no field 'qposs'" rollout "$cube" --set qposs=1
refused 2 "'body_mass[dice]': there is no 'dice'; there are: world, cube" \
  rollout "$cube" --set 'body_mass[dice]=1'
refused 2 "qpos has 7 numbers, 2 given" rollout "$cube" --set qpos=1,2
refused 2 "',2' is not a number" rollout "$cube" --set qpos=1,,2
refused 2 "NAME=VALUE expected" rollout "$cube" --set qpos
refused 2 "xpos[1] is computed, not set" rollout "$cube" --set 'xpos[1]=1'
refused 2 "'act[shoulder]': 'shoulder' has none" rollout "$pendulum" --set 'act[shoulder]=1'
refused 2 "did you mean 'body_mass'?" rollout "$cube" --print body_mas
refused 2 "--set timestep=0.001: that is an option: --timestep" rollout "$cube" --set timestep=0.001
refused 2 "--set cone=1: cone is set in the model file" rollout "$cube" --set cone=1
refused 2 "--out q.txt: a name that ends in .h5, .hdf5 or .csv is expected" rollout "$cube" --time 0.01 --out q.txt
refused 2 "--out q: a name that ends in" rollout "$cube" --time 0.01 --out q

# ---- a table: a row a state, names in the first line; it reads as a recording, and is not overwritten unless asked to
expect 0 table rollout "$pendulum" --ctrl ctrl.csv --time 0.2 --out run.csv --record qvel 'site_xpos[tip]' 'site_xpos[0]'
grep -qx "Wrote run.csv" table.out || fail "the file is not named: $(cat table.out)"
grep -q "^qpos\[elbow\] = " table.out || fail "no names in $(cat table.out)"
[ "$(wc -l < run.csv)" -eq 42 ] || fail "rows: $(wc -l < run.csv)"
head -n 1 run.csv | grep -q "^time,qpos\[shoulder\],qpos\[elbow\],qvel\[shoulder\],qvel\[elbow\],act\[elbow\],ctrl\[shoulder\],ctrl\[elbow\]," ||
  fail "$(head -n 1 run.csv)"
[ "$(head -n 1 run.csv | grep -o qvel | wc -l)" -eq 2 ] || fail "a number twice: $(head -n 1 run.csv)"
python3 - csv.out run.csv << 'PYTHON' || fail "the table is not the motion"
import csv, json, sys
rows = list(csv.reader(open(sys.argv[2])))
last = dict(zip(rows[0], rows[-1]))
end = json.load(open(sys.argv[1]))["final"]
assert [float(last[f"qpos[{n}]"]) for n in ("shoulder", "elbow")] == end["qpos"], last
assert last["ctrl[elbow]"] == "" and float(dict(zip(rows[0], rows[2]))["ctrl[elbow]"]) == -0.2
PYTHON
refused 2 "--out run.csv: it exists; --force overwrites it" rollout "$pendulum" --time 0.01 --out run.csv
refused 2 "--save-model run.csv: it exists; --force overwrites it" rollout "$pendulum" --time 0.01 --save-model run.csv
[ "$(wc -l < run.csv)" -eq 42 ] || fail "the table was overwritten"
expect 0 forced rollout "$pendulum" --time 0.01 --out run.csv --force
[ "$(wc -l < run.csv)" -eq 4 ] || fail "--force does not overwrite"
# numbers of a joint, by letter or number, as --print and --set have them
expect 0 parts rollout "$cube" --time 0.002 --set 'qpos[root].z=0.4' 'qvel[root][3]=0' 'qpos[root][1]=0.25' \
  --print 'qpos[root].z' 'qpos[2]' 'qpos[root][1]' --json
holds parts 'j["print"]["qpos[root].z"] == j["print"]["qpos[2]"] and abs(j["print"]["qpos[2]"] - 0.4) < 1e-3' \
  'j["print"]["qpos[root][1]"] == 0.25'
refused 2 "component 7 of 7" rollout "$cube" --set 'qpos[root][7]=1'
refused 2 "there is no field 'colour'" rollout "$cube" --print colour
refused 2 "a tangent has no value" rollout "$cube" --print 'tangent[0]'
refused 2 "--time 0: a positive time" rollout "$cube" --time 0
refused 2 "--time -1: a positive time" rollout "$cube" --time -1
refused 2 "--time 0.003 is not a multiple of the time step 0.002" rollout "$cube" --time 0.003
refused 2 "option timestep: 0 is not positive" rollout "$cube" --timestep 0
refused 2 "option timestep: -0.1 is not positive" rollout "$cube" --timestep -0.1
refused 2 "integrator 'verlet': euler, rk4, implicit, implicitfast, discrete, tsit5, dopri5, dopri8, bosh3, heun, midpoint, ralston or forward-euler expected" rollout "$cube" --integrator verlet
# the help names every integrator that there is
expect 0 help rollout --help
for word in $(sed "s/.*'verlet': //; s/ expected.*//; s/ or / /; s/,//g" plain.err); do
  grep -qw -- "$word" help.out || fail "--help does not name the integrator '$word'"
done
refused 2 "--events: only with --rtol or --atol" rollout "$cube" --integrator tsit5 --events
refused 2 "--grid: only with --rtol or --atol" rollout "$cube" --integrator tsit5 --grid 0.1
refused 2 "--max-steps 5: only with --rtol or --atol" rollout "$cube" --max-steps 5
refused 2 "tolerances need an integrator with an error estimate" rollout "$cube" --rtol 1e-6
expect 0 located rollout "$cube" --integrator dopri8 --rtol 1e-6 --events --time 0.2 --json
holds located 'j["time"] == 0.2'
refused 3 "3 steps end at time" rollout "$cube" --integrator tsit5 --rtol 1e-9 --max-steps 3
expect 0 adaptive rollout "$cube" --integrator tsit5 --rtol 1e-8 --events --time 0.2 --json
holds adaptive 'j["time"] == 0.2 and j["steps"] > 1'
refused 2 "--keyframe jump: the model has 2 keyframes, none with this name or number" rollout "$cube" --keyframe jump
refused 2 "--keyframe 2" rollout "$cube" --keyframe 2
refused 2 "there is no 'knee'; there are: shoulder, elbow" rollout "$pendulum" --ctrl knee=1
refused 2 "none.csv: cannot be opened" rollout "$pendulum" --ctrl none.csv
refused 2 "ctrl.csv: 40 rows, the rollout has 41 steps" \
  rollout "$pendulum" --ctrl ctrl.csv --time 0.205
refused 2 "the model has no controls" rollout "$cube" --ctrl ctrl.csv
echo '<mujoco><worldbody><body name="hand" mocap="true"><geom size=".1"/></body></worldbody>
</mujoco>' > mocap.xml
refused 2 "mocap_quat[0] has length 2, not 1" rollout mocap.xml --set 'mocap_quat[hand]=2,0,0,0'

# ---- numerical failure: exit code 3 and the step
refused 3 "step 1 (time 0): " rollout "$cube" --set 'qvel[0]=1e11'
echo '<mujoco><option timestep=".1"/><worldbody><body><joint name="j" type="slide"
stiffness="1e6"/><geom size=".1" mass=".1"/></body></worldbody></mujoco>' > stiff.xml
expect 3 diverged rollout stiff.xml --set qpos=1 --time 10 --out diverged.h5 --json
says diverged "step "
says diverged "(joint 'j')"
holds diverged 'j["error"].startswith("step ") and list(j) == ["error"]'
[ -e diverged.h5 ] && fail "a recording of a simulation that diverged"

# ---- a full disk: nothing half-written, what was there is kept
files=$(ls | wc -l)
expect 2 full rollout "$cube" --out no/such/folder.h5
says full "no/such/folder.h5: cannot be written: No such file or directory"
if [ -w /dev/full ]; then
  ln -s /dev/full full.h5.tmp
  expect 2 full rollout "$cube" --out full.h5 --json
  says full "full.h5: cannot be written: No space left on device"
  holds full '"full.h5" in j["error"]'
  [ -e full.h5 ] && fail "a full disk left a file"
  rm -f full.h5.tmp
fi
(
  ulimit -f 1
  expect 2 limit rollout "$walker" --time 1 --out limit.h5
  says limit "limit.h5: cannot be written: File too large"
  exit $failures
) || fail "with a limit on the size of files"
[ -e limit.h5 ] || [ -e limit.h5.tmp ] && fail "a limit on the size of files left a file"
cp run.h5 kept.h5
(
  ulimit -f 1
  expect 2 limit rollout "$walker" --time 1 --out kept.h5 --force
  exit $failures
) || fail "with a limit on the size of files"
cmp -s run.h5 kept.h5 || fail "the file that was there has changed"

[ -e MUJOCO_LOG.TXT ] && fail "MuJoCo left a log file"
finish
