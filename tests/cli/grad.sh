#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom grad: against its own differences, the shapes of what it prints, contacts from distance, bad
# input.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
cube=$data/cube.xml
pendulum=$data/double_pendulum.xml
walker=$data/walker.xml

matches='all(close(j["gradient"][k], j["differences"][k], 2e-5) for k in j["gradient"])'
moves='all(close(j["gradient"][k], 0, 0) is False for k in j["gradient"])'

# ---- against differences, on each model
expect 0 pendulum grad "$pendulum" --keyframe raised --time 0.1 --json --check \
  --loss 'site_xpos[tip].z + 0.1 * norm(qvel) ^ 2 + sum(ctrl ^ 2)' --at every \
  --wrt qpos qvel act ctrl 'ctrl[elbow]' 'qpos[1]' 'tangent[0]' 'qvel[shoulder]' \
  body_mass body_inertia body_ipos body_quat 'body_pos[lower].z' jnt_axis dof_damping dof_armature \
  gravity actuator_gainprm actuator_gear qfrc_applied 'xfrc_applied[lower]'
holds pendulum 'set(j) >= {"loss", "gradient", "steps", "seconds", "differences"}' \
  'j["steps"] == 20 and set(j["seconds"]) == {"forward", "backward"}' "$matches" \
  'len(j["gradient"]["ctrl"]) == 20 and len(j["gradient"]["ctrl"][0]) == 2' \
  'close(j["gradient"]["ctrl[elbow]"], sum(row[1] for row in j["gradient"]["ctrl"]), 1e-10)' \
  'len(j["gradient"]["qpos"]) == 2 and j["gradient"]["qpos[1]"] == j["gradient"]["qpos"][1]' \
  'j["gradient"]["tangent[0]"] == j["gradient"]["qpos"][0]' \
  'len(j["gradient"]["body_quat"]) == 9 and len(j["gradient"]["gravity"]) == 3' \
  'abs(j["gradient"]["body_pos[lower].z"]) > 0.1 and abs(j["gradient"]["act"]) > 1e-4'

expect 0 cube grad "$cube" --keyframe tilted --time 0.06 --json --check \
  --loss 'norm(qpos) + qvel[3]' \
  --wrt qpos qvel 'tangent[4]' 'geom_size[cube]' 'geom_friction[0]' 'geom_friction[1]' \
  'geom_solref[cube]' 'geom_solimp[cube]' 'body_mass[cube]' 'body_inertia[cube]' 'body_ipos[cube]'
holds cube "$matches" 'len(j["gradient"]["qpos"]) == 6' \
  'max(abs(x) for x in j["gradient"]["geom_size[cube]"]) > 1e-3'

expect 0 walker grad "$walker" --keyframe stand --time 0.02 --json --check \
  --loss 'xpos[torso].z + 0.01 * sum(qacc) + sum(actuator_force)' \
  --wrt qpos qvel act 'geom_size[left_foot]' 'jnt_stiffness' 'dof_frictionloss[left_knee]' \
  'actuator_biasprm[left_hip]' 'body_quat[left_shin]'
holds walker "$matches" 'len(j["gradient"]["qpos"]) == 15 and j["steps"] == 10'

# differences of fixed steps through contacts are those of these steps, and say so
holds pendulum 'j["differences_of"] == "the motion"'
fall=(grad "$CAROM_SOURCE_DIR/examples/cube_toss.xml" --time 0.4 --timestep 0.005 --loss 'qpos[2]' --wrt 'qvel[2]' --check)
expect 0 fall "${fall[@]}" --json
holds fall 'j["differences_of"] == "these steps"'
expect 0 fall "${fall[@]}"
grep -q "^central differences of these steps: contacts or limits change . times" fall.out || fail "$(cat fall.out)"
expect 0 fall "${fall[@]}" --json --integrator tsit5 --rtol 1e-6 --events
holds fall 'j["differences_of"] == "the motion"'
# without --check there are no differences
expect 0 bare grad "$pendulum" --time 0.1 --loss qvel[0] --wrt qvel --json
holds bare 'set(j) == {"loss", "gradient", "steps", "seconds"}'
expect 0 text grad "$pendulum" --time 0.1 --loss qvel[0] --wrt qvel gravity --check
grep -q "^loss .* after 20 steps" text.out || fail "$(cat text.out)"
[ "$(grep -c "^d loss / d gravity\[.\] = .*(central difference" text.out)" -eq 3 ] || fail "$(cat text.out)"

# ---- derived constants follow when asked: the regularisation of contacts rests on them
for derive in "" --derive; do
  expect 0 derived$derive grad "$cube" --keyframe rest --time 0.02 $derive --json --check \
    --loss 'qpos[2]' --wrt 'body_mass[cube]' 'body_inertia[cube]'
  holds derived$derive "$matches"
done
cmp -s derived.out derived--derive.out && fail "--derive changes nothing"

# ---- a loss of everything on the way
expect 0 end grad "$cube" --time 0.01 --loss 'qpos[2]' --wrt 'qpos[2]' --json
expect 0 every grad "$cube" --time 0.01 --loss 'qpos[2]' --at every --wrt 'qpos[2]' --json
holds end 'close(j["gradient"]["qpos[2]"], 1, 1e-12)'
holds every 'close(j["gradient"]["qpos[2]"], 5, 1e-12)'

# ---- contacts from distance: the same motion, another gradient
fly=(grad "$cube" --time 0.02 --loss 'qpos[2]' --wrt 'geom_size[cube]' 'qpos' --json)
expect 0 plain "${fly[@]}"
expect 0 far "${fly[@]}" --cfd 0.1,0.2,0.3,0.5,2
holds plain 'j["gradient"]["geom_size[cube]"] == [0, 0, 0]'
holds far 'j["gradient"]["geom_size[cube]"] != [0, 0, 0]'
loss='import json, sys; print(json.load(open(sys.argv[1]))["loss"])'
[ "$(python3 -c "$loss" plain.out)" = "$(python3 -c "$loss" far.out)" ] || fail "--cfd changes the loss"
expect 0 softer "${fly[@]}" --cfd 0.1,0.2,0.3,0.5,2,0.1
expect 0 own "${fly[@]}" --cfd 0.1,0.2,1e-6,0.5,2 --set 'geom_cfd[cube]=0.3'
holds own 'j["gradient"]["geom_size[cube]"] != [0, 0, 0]'
# a mesh and an ellipsoid over a height field
over=(grad "$data/shapes.xml" --time 0.1 --loss 'norm(qpos)^2' --at every --wrt qvel --json)
expect 0 shapes "${over[@]}"
expect 0 shapes_far "${over[@]}" --cfd 0.1,0.2,0.5,0.5,2
[ "$(python3 -c "$loss" shapes.out)" = "$(python3 -c "$loss" shapes_far.out)" ] || fail "--cfd changes the loss"
python3 -c 'import json, sys
a, b = [json.load(open(f))["gradient"]["qvel"] for f in sys.argv[1:]]
sys.exit(a == b)' shapes.out shapes_far.out || fail "--cfd changes nothing over a height field"

# ---- muscles without kinks: another motion, and its own gradient, also at the switch, where act = ctrl
muscles=("$data/actuators.xml" --time 0.02 --loss 'norm(qvel)^2' --wrt 'ctrl[muscle]' act --json --check
  --set act=0.5 --set ctrl=0.5)
expect 0 kinked grad "${muscles[@]}"
holds kinked 'not close(j["gradient"]["ctrl[muscle]"], j["differences"]["ctrl[muscle]"], 0.1)'
expect 0 smooth grad "${muscles[@]}" --muscle-smooth 0.2
holds smooth "$matches"

# ---- soft collision: another motion, and its own gradient
expect 0 soft grad "$cube" --keyframe rest --time 0.02 --loss 'qpos[2]' --wrt 'qvel[2]' --json --check --collision soft
holds soft "$matches"
expect 0 softer grad "$cube" --keyframe rest --time 0.02 --loss 'qpos[2]' --wrt 'qvel[2]' --json --collision soft --softness 0.2
expect 0 hard grad "$cube" --keyframe rest --time 0.02 --loss 'qpos[2]' --wrt 'qvel[2]' --json --collision hard
cmp -s soft.out hard.out && fail "--collision soft changes nothing"
[ "$(python3 -c "$loss" soft.out)" != "$(python3 -c "$loss" softer.out)" ] || fail "--softness changes nothing"
# ---- contacts of Hunt and Crossley: another motion, and its own gradient, by the numbers of its law too
crossley=(grad "$cube" --keyframe rest --time 0.02 --loss 'qpos[2]+qvel[2]' --wrt 'qvel[2]' geom_hunt_crossley --json --check)
expect 0 crossley "${crossley[@]}" --contact-model hunt_crossley --set qpos[2]=0.043
holds crossley "$matches"
expect 0 convex "${crossley[@]}" --set qpos[2]=0.043
[ "$(python3 -c "$loss" crossley.out)" != "$(python3 -c "$loss" convex.out)" ] || fail "--contact-model changes nothing"
expect 0 ncp "${crossley[@]}" --contact-model ncp --set qpos[2]=0.043 --wrt ncp_baumgarte
holds ncp "$matches"
# ---- controls that change linearly, the plain quaternion equation
printf '0.5,-0.4\n-0.6,0.8\n0.9,0.1\n-0.2,0.7\n' > ramps.csv
ramps=(grad "$pendulum" --keyframe raised --time 0.02 --loss 'norm(qvel)^2 + sum(ctrl^2)' --at every --wrt ctrl qvel
       --integrator tsit5 --rtol 1e-10 --grid 0.005 --ctrl ramps.csv --json --check)
expect 0 held "${ramps[@]}" --controls held
expect 0 linear "${ramps[@]}" --controls linear
for name in held linear; do
  holds $name "$matches" 'len(j["gradient"]["ctrl"]) == 4'
done
cmp -s held.out linear.out && fail "--controls changes nothing"
turns=(grad "$cube" --keyframe tilted --time 0.05 --loss 'norm(qpos) + qvel[3]' --wrt qpos qvel --integrator tsit5
       --rtol 1e-9)
expect 0 manifold "${turns[@]}" --json --rotations manifold
expect 0 quaternion "${turns[@]}" --json --rotations quaternion
cmp -s manifold.out quaternion.out && fail "--rotations changes nothing"
python3 - << 'PYTHON' || fail "--rotations quaternion: another gradient"
import json
a, b = (json.load(open(name + ".out")) for name in ("manifold", "quaternion"))
apart = max(abs(x - y) for k in a["gradient"] for x, y in zip(a["gradient"][k], b["gradient"][k]))
assert apart < 1e-4 and abs(a["loss"] - b["loss"]) < 1e-7, (apart, a["loss"] - b["loss"])
PYTHON
refused 2 "--controls ramp: held or linear expected" "${turns[@]}" --controls ramp
refused 2 "--rotations: only with --rtol or --atol" grad "$cube" --loss 'qpos[2]' --wrt qvel --rotations quaternion

# ---- a limit on memory changes nothing
for steps in "" "--integrator tsit5 --rtol 1e-6 --grid 0.002"; do
  limits=(grad "$walker" --keyframe stand --time 0.2 --loss 'xpos[torso].z + norm(qvel)^2' --at every
          --wrt qpos qvel ctrl 'body_mass' $steps)
  expect 0 free "${limits[@]}"
  for bytes in 30K 0.1M 1G; do
    expect 0 limited "${limits[@]}" --memory $bytes
    cmp -s <(tail -n +2 free.out) <(tail -n +2 limited.out) || fail "--memory $bytes $steps: another gradient"
  done
done
refused 2 "rollout: 1 bytes are too little for a gradient over 100 steps: it needs at least" \
  "${limits[@]}" --memory 1
for bytes in 0 -1 x 1KB 1e20 ""; do
  refused 2 "--memory $bytes: bytes expected" "${limits[@]}" --memory "$bytes"
done
refused 2 "--out records all states: not within --memory 1M" rollout "$cube" --out x.h5 --memory 1M

# ---- and smooth
expect 0 smooth grad "$cube" --keyframe rest --time 0.02 --loss 'qpos[2]' --wrt 'qvel[2]' 'qpos' --json --check --collision smooth
holds smooth "$matches"
# ---- the gradient of the equation: the same on a smooth motion, better where a contact enters
swing=(grad "$pendulum" --keyframe raised --time 0.3 --json --integrator tsit5 --rtol 1e-8 --grid 0.05
  --loss 'norm(qvel) ^ 2 + site_xpos[tip].x' --at every --wrt qpos qvel act ctrl body_mass gravity)
expect 0 steps "${swing[@]}"
for states in interpolated integrated; do
  expect 0 $states "${swing[@]}" --adjoint continuous --adjoint-states $states
  python3 - steps.out $states.out <<'END' || fail "$states: another gradient than that of the steps"
import json, sys
def flat(x):
    return [x] if not isinstance(x, list) else [z for y in x for z in flat(y)]
a, b = (json.load(open(name))["gradient"] for name in sys.argv[1:])
far = max(abs(x - y) for k in a for x, y in zip(flat(a[k]), flat(b[k])))
sys.exit(0 if a.keys() == b.keys() and far < 1e-5 else 1)
END
done
toss=(grad "$CAROM_SOURCE_DIR/examples/cube_toss.xml" --time 0.5 --set 'qvel[0]=1' --set 'qvel[4]=-6'
  --loss 'qpos[0]' --wrt 'qvel[2]' --integrator tsit5 --rtol 1e-6 --atol 1e-6 --events)
expect 0 toss "${toss[@]}" --json --adjoint continuous --adjoint-rtol 1e-7 --adjoint-atol 1e-9
holds toss 'close(j["gradient"]["qvel[2]"], 0.0703, 0.01)'
refused 2 "--adjoint often: discrete or continuous expected" "${toss[@]}" --adjoint often
refused 2 "--adjoint-rtol: only with --adjoint continuous" "${toss[@]}" --adjoint-rtol 1e-3
refused 2 "--adjoint-states: only with --adjoint continuous" "${toss[@]}" --adjoint-states integrated
refused 2 "--adjoint-states all: interpolated, integrated or backward expected" \
  "${toss[@]}" --adjoint continuous --adjoint-states all
refused 2 "--adjoint-atol -1: a positive number expected" "${toss[@]}" --adjoint continuous --adjoint-atol -1
refused 2 "the integrator must be an explicit method" \
  grad "$cube" --loss 'qpos[2]' --wrt qpos --adjoint continuous
refused 2 "('right_knee') has a limited activation" \
  grad "$walker" --time 0.01 --loss 'qpos[2]' --wrt qpos --adjoint continuous

# ---- what a gradient rests on
expect 0 trust "${swing[@]}" --trust
holds trust 'j["trust"]["verdict"] == "trust"' 'j["trust"]["text"].startswith("trust: ")' \
  'j["trust"]["switches"] == 0 and j["trust"]["chaotic_beyond"] is None and j["trust"]["growth"] > 1' \
  'close(j["trust"]["slope"], j["trust"]["quotient"], 1e-2 * j["trust"]["slope"])' \
  'close(j["trust"]["refined"], 1e-8, 1e-14) and j["trust"]["change"] < 1e-3'
expect 0 exact "${toss[@]}" --rtol 1e-5 --atol 1e-5 --json --trust
holds exact 'j["trust"]["verdict"] == "trust"' 'close(j["gradient"]["qvel[2]"], 0.0703, 0.001)'
bounce=(grad "$CAROM_SOURCE_DIR/tests/data/toss_cube.xml" --time 1 --set qvel=0,-0.1,-2,0,0,0 --loss 'qpos[1]' --wrt qvel
  --integrator tsit5 --json)
expect 1 coarse "${bounce[@]}" --rtol 1e-4 --atol 1e-4 --trust
holds coarse 'j["trust"]["verdict"] == "refine" and 1e-11 < j["trust"]["refined"] < 1e-4'
fine=$(python3 -c 'import json; print(json.load(open("coarse.out"))["trust"]["refined"])')
expect 0 fine "${bounce[@]}" --rtol "$fine" --atol "$fine"
holds fine 'close(j["gradient"]["qvel"][2], 0.5778, 0.02)'
expect 1 uncounted grad "$CAROM_SOURCE_DIR/examples/cube_toss.xml" --time 0.5 --set 'qvel[0]=1' --set 'qvel[4]=-6' \
  --loss 'qpos[0]' --wrt 'qvel[2]' --integrator tsit5 --rtol 1e-6 --atol 1e-6 --trust --verbose
head -n 1 uncounted.out | grep -q "^do not trust (events): the gradient predicts .*, differences give .*rerun with --events" uncounted.out || fail "$(cat uncounted.out)"
grep -q "^  growth of the tangent: " uncounted.out || fail "$(cat uncounted.out)"
# a pendulum that stands on its head: a change of nothing moves it anywhere, which is said without being asked
upright=(grad "$pendulum" --set gravity=0,0,9.81 --loss 'qpos[0]' --wrt qvel --integrator rk4 --time)
expect 0 stands "${upright[@]}" 6
grep -q "^beyond use: the gradient says that a change by 1e-12 " stands.out || fail "$(cat stands.out)"
expect 0 stands "${upright[@]}" 6 --json
holds stands 'j["beyond_use"]' 'max(map(abs, j["gradient"]["qvel"])) > 1e12'
expect 0 stands "${upright[@]}" 1 --json
holds stands '"beyond_use" not in j'
# parameters and controls of every step are moved too, with constants derived from them; and put back
probed=(grad "$walker" --keyframe stand --time 0.01 --loss 'xpos[torso].z' --wrt body_mass ctrl 'body_quat[left_shin]' \
  --derive --json --reach 1e-4)
expect 0 probed "${probed[@]}" --trust --check
holds probed "$matches" 'j["trust"]["verdict"] == "trust"' 'j["trust"]["reach"] == 1e-4'

# ---- bad input
good=(grad "$cube" --time 0.01 --loss 'qpos[2]')
refused 2 "muscle_smooth: -1 is not in [0, 10]" "${good[@]}" --wrt qpos --muscle-smooth -1
refused 2 "collision 'round': hard, soft or smooth expected" "${good[@]}" --wrt qpos --collision round
refused 2 "contact_model 'round': convex" "${good[@]}" --wrt qpos --contact-model round
refused 2 "contact model 'ncp' makes forces of a whole step" "${good[@]}" --wrt qpos --contact-model ncp --integrator rk4
refused 2 "--friction-law: only with --contact-model hunt_crossley" "${good[@]}" --wrt qpos --friction-law brown
refused 2 "that is an option: --contact-model" "${good[@]}" --wrt qpos --set contact_model=1
refused 2 "--softness: only with --collision soft or smooth" "${good[@]}" --wrt qpos --softness 1
refused 2 "--softness -1: a positive number expected" "${good[@]}" --wrt qpos --collision soft --softness -1
refused 2 "--reach 0.1: only with --trust" "${good[@]}" --wrt qpos --reach 0.1
refused 2 "--reach -1: a positive number expected" "${good[@]}" --wrt qpos --trust --reach -1
refused 2 "--loss is missing" grad "$cube" --wrt qpos
refused 2 "--wrt is missing" "${good[@]}"
refused 2 "'colour': there is no field 'colour'" "${good[@]}" --wrt colour
refused 2 "'body_mass[dice]': there is no 'dice'; there are: world, cube" \
  "${good[@]}" --wrt 'body_mass[dice]'
refused 2 "--wrt xpos: neither state, control nor parameter" "${good[@]}" --wrt xpos
refused 2 "--wrt geom_gap: neither state, control nor parameter" "${good[@]}" --wrt geom_gap
refused 2 "--wrt qpos[3]: a quaternion, or part of one; for its directions use tangent[j]" \
  "${good[@]}" --wrt 'qpos[3]'
refused 2 "--wrt body_quat[1].w: a quaternion, or part of one; name the whole of it (3 numbers)" \
  "${good[@]}" --wrt 'body_quat[1].w'
refused 2 "--wrt qpos_spring: a quaternion" "${good[@]}" --wrt qpos_spring
refused 2 "--wrt ctrl: the model has none of these" "${good[@]}" --wrt ctrl
refused 2 "at '': a name, a number or '(' expected" grad "$cube" --loss '1 +' --wrt qpos
refused 2 "a loss is one number" grad "$cube" --loss qpos --wrt qpos
refused 2 "there is no field 'height'" grad "$cube" --loss height --wrt qpos
refused 2 "--at often: end or every expected" "${good[@]}" --wrt qpos --at often
refused 2 "--eps 0: a positive number expected" "${good[@]}" --wrt qpos --eps 0
for cfd in 1 0.1,0.2,0.3,0.5 0.1,0.2,-1,0.5,2 2,0.2,0.3,0.5,2 0.1,0.2,0.3,0.5,2,0.1,7 a,b,c,d,e \
  0.1,0.2,0.3,nan,2; do
  refused 2 "--cfd $cfd: " "${good[@]}" --wrt qpos --cfd $cfd
done
refused 2 "body 'cube': body_mass is negative (-1)" "${good[@]}" --wrt qpos --set 'body_mass[cube]=-1'
refused 2 "has length 2, not 1" "${good[@]}" --wrt qpos --set 'qpos=0,0,1,2,0,0,0'
refused 2 "the value is not finite" "${good[@]}" --wrt qpos --set 'qvel[0]=nan'

# ---- what there is no number for
refused 2 "the loss after step 5: a contact that it names does not exist" \
  grad "$cube" --time 0.01 --loss 'contact[floor:cube].dist' --wrt qpos
refused 3 "the loss after step 5: a value is not finite" \
  grad "$cube" --time 0.01 --loss '1 / (qpos[0] - qpos[0])' --wrt qpos
refused 3 "0 ^ 0.5 has no derivative by its first number, which moves" \
  grad "$cube" --time 0.01 --loss 'abs(qvel[0]) ^ 0.5' --wrt qvel
# finite as a value, with finite factors, but beyond all numbers as a gradient
refused 3 "the gradient with respect to qvel, number 0, is" \
  grad "$cube" --time 0.01 --loss '1e300 * qvel[0] * 1e300' --wrt qvel
refused 3 "step 1 (time 0): " "${good[@]}" --wrt qpos --set 'qvel[0]=1e11'

[ -e MUJOCO_LOG.TXT ] && fail "MuJoCo left a log file"
# ---- the Jacobian of a step: its rows are gradients of the next state
expect 0 jac grad "$pendulum" --keyframe raised --jacobian --json
holds jac 'j["nv"] == 2 and len(j["by_state"]) == len(j["by_state"][0]) == 4 + j["na"]' \
  'len(j["by_ctrl"][0]) == j["nu"] and len(j["by_qfrc_applied"][0]) == 2' \
  '"column_by_column" not in j'
expect 0 row grad "$pendulum" --keyframe raised --time 0.005 --loss 'qvel[1]' --wrt qpos qvel ctrl --json
python3 - << 'PYTHON' || fail "a row of the Jacobian is not the gradient"
import json
j, g = json.load(open("jac.out")), json.load(open("row.out"))["gradient"]
row = j["by_state"][3][:4] + j["by_ctrl"][3]
assert len(row) > 4 and all(abs(a - b) <= 1e-12 * (1 + abs(b))
                            for a, b in zip(row, g["qpos"] + g["qvel"] + g["ctrl"][0]))
PYTHON
expect 0 last grad "$walker" --keyframe stand --time 0.02 --jacobian --csv last.csv
[ "$(wc -l < last.csv)" -gt 30 ] || fail "$(cat last.csv)"
head -1 last.csv | grep -q "^next,tangent\[root\]\[0\],.*qpos\[left_knee\],.*qvel\[root\]\[5\],.*qfrc_applied\[left_knee\]" || fail "$(head -1 last.csv)"
expect 0 printed grad "$walker" --keyframe stand --time 0.02 --jacobian
cmp -s last.csv printed.out || fail "the file is not what is printed"
expect 0 chain grad "$pendulum" --jacobian --integrator rk4 --json
holds chain '"column_by_column" not in j'
expect 0 discrete grad "$pendulum" --jacobian --integrator discrete --json
holds discrete '"discrete" in j["column_by_column"]'
# a pole on its joint: how soft the contact is depends on where it goes
cat > pole.xml << XML
<mujoco><option integrator="discrete" timestep=".01"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body pos="0 0 .24"><joint type="hinge" axis="0 1 0" damping=".1"/>
<geom name="tip" size=".05" pos="0 0 -.2" mass=".3"/></body></worldbody></mujoco>
XML
expect 0 pole grad pole.xml --time 0.02 --json --loss 'qvel[0]' --wrt qpos
holds pole 'j["doubt"].startswith("undetermined steps: 2, the first at time 0, where the contact of geom")' \
  '"moves nothing" in j["doubt"]'
expect 0 words grad pole.xml --time 0.02 --loss 'qvel[0]' --wrt qpos
grep -q '^undetermined steps: 2,' words.out || fail "$(cat words.out)"
expect 0 matrix grad pole.xml --jacobian --json
holds matrix '"moves nothing" in j["doubt"]'
expect 0 euler grad pole.xml --time 0.02 --integrator euler --json --loss 'qvel[0]' --wrt qpos
holds euler '"doubt" not in j'
expect 0 check check pole.xml --states 1 --json
holds check '"moves nothing" in j["doubt"]'
# by parameters too
for derive in "" --derive; do
  expect 0 by$derive grad "$cube" --keyframe rest --jacobian $derive --json \
    --wrt 'body_mass[cube]' gravity 'body_quat[cube]'
  expect 0 of$derive grad "$cube" --keyframe rest --time 0.002 $derive --json --loss 'qvel[2]' \
    --wrt 'body_mass[cube]' gravity 'body_quat[cube]'
  python3 - by$derive.out of$derive.out << 'PYTHON' || fail "by parameters: not the gradient $derive"
import json, sys
j, g = json.load(open(sys.argv[1]))["by_parameter"], json.load(open(sys.argv[2]))["gradient"]
assert list(j) == list(g) and j["gravity"][8][2] > 1e-6
for name, got in j.items():
    want = g[name] if isinstance(g[name], list) else [g[name]]
    assert len(got) == 12 and all(abs(a - b) <= 1e-12 * (1 + abs(b)) for a, b in zip(got[8], want))
PYTHON
done
expect 0 columns grad "$cube" --keyframe rest --jacobian --wrt 'body_mass[cube]' gravity
head -1 columns.out | grep -qF ',qfrc_applied[root][5],body_mass[cube],gravity[0],gravity[1],gravity[2]' ||
  fail "$(head -1 columns.out)"
refused 2 "Jacobian by qpos: not a parameter" grad "$cube" --jacobian --wrt qpos
refused 2 "Jacobian by dof_invweight0: derived from other parameters here" \
  grad "$cube" --jacobian --wrt dof_invweight0 --derive
# options that would do nothing
for option in "--loss qpos[0]" "--at end" --check "--eps 1e-5" --trust "--reach 1e-2" "--adjoint continuous"; do
  refused 2 "${option%% *}: not with --jacobian" grad "$pendulum" --jacobian $option
done
refused 2 "--eps 1e-05: only with --check" "${good[@]}" --wrt qpos --eps 1e-5
refused 2 "--memory 5M: one step stores nothing" grad "$cube" --jacobian --memory 5M
for memory in "" "--memory 16K"; do
  expect 0 late grad "$walker" --keyframe stand --time 0.3 --jacobian $memory --csv "late$memory.csv"
done
cmp -s late.csv "late--memory 16K.csv" || fail "a limit of memory changes the Jacobian"
refused 2 "--csv x.txt: a name that ends in .csv is expected" grad "$pendulum" --loss 'qpos[0]' --wrt qpos --csv x.txt
refused 2 "--verbose: only with --trust" grad "$pendulum" --loss 'qpos[0]' --wrt qpos --verbose

# ---- labels, and a table of the gradient
expect 0 labels grad "$pendulum" --time 0.01 --loss 'qpos[0]' --wrt ctrl 'tangent[elbow]' body_mass 'body_quat[lower]' --check --csv x.csv
for name in 'ctrl\[elbow\] in step 1' 'qpos\[elbow\]' 'body_mass\[lower\]' 'body_quat\[lower\] about z'; do
  grep -q "^d loss / d $name = " labels.out || fail "no $name: $(cat labels.out)"
done
grep -qx "Wrote x.csv" labels.out || fail "the file is not named: $(cat labels.out)"
grep -q "^by,step,gradient,difference$" x.csv || fail "$(head -n 1 x.csv)"
grep -q "^ctrl\[elbow\],1,[-0-9.e]*,[-0-9.e]*$" x.csv || fail "$(cat x.csv)"
refused 2 "--csv x.csv: it exists; --force overwrites it" grad "$pendulum" --loss 'qpos[0]' --wrt qpos --csv x.csv
refused 2 "one step of the time step" grad "$pendulum" --jacobian --integrator tsit5 --rtol 1e-6
# terms of cost as carom plan has them: at the end of a rollout of one step the quadratic norm is half of a sum of squares
cat > cost.yaml << 'YAML'
cost:
  - {name: fast, of: qvel, residual: place, terminal: 2}
  - {name: high, of: "qpos[shoulder]^2", norm: l2, p: 0.1, weight: 0.5}
YAML
cost=(grad "$data/double_pendulum.xml" --set 'qpos[shoulder]=0.4' --time 0.1 --wrt qpos)
expect 0 terms "${cost[@]}" --json --cost cost.yaml --check
holds terms 'close(j["loss"], j["terms"]["fast"] + j["terms"]["high"])' 'all(x > 0 for x in j["terms"].values())' \
  'close(j["gradient"]["qpos"], j["differences"]["qpos"], 1e-5)'
expect 0 plain "${cost[@]}" --json --loss 'sum(qvel^2)'
python3 - << 'PYTHON' || fail "terms are not those of the expression"
import json
terms, plain = json.load(open("terms.out")), json.load(open("plain.out"))
assert abs(terms["terms"]["fast"] - plain["loss"]) < 1e-12 * plain["loss"], (terms["terms"], plain["loss"])
PYTHON
printf 'cost:\n  - {name: none, of: qposs, weight: 1}\n' > bad.yaml
refused 2 "qposs" "${cost[@]}" --cost bad.yaml
printf 'model: x.xml\n' > bad.yaml
refused 2 "Missing required mapping field: cost" "${cost[@]}" --cost bad.yaml
refused 2 "--cost: not with --loss" "${cost[@]}" --cost cost.yaml --loss 'qpos[0]'
finish
