#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --blueprint: corrections in YAML for rollout, grad, batch and fit; files with weights; and some thirty mistakes, each refused
# with one sentence.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

cat > arm.xml << 'XML'
<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
<body name="thigh" pos="0 0 1"><joint name="hip" axis="0 1 0" damping="0.1"/>
<geom name="thigh" type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
<body name="shin" pos=".3 0 0"><joint name="knee" axis="0 1 0"/>
<geom name="foot" type="capsule" size=".05" fromto="0 0 0 .3 0 0"/></body></body>
<body name="ball" pos="1 0 .09"><freejoint name="free"/><geom name="ball" size=".1"/></body></worldbody>
<actuator><motor name="motor" joint="hip"/></actuator></mujoco>
XML

cat > good.yaml << 'YAML'
corrections:
  - name: friction
    target: qfrc_passive[*]
    inputs:
      - place: qpos[*]
      - place: qvel[*]
        scale: 0.1
      - place: time
      - place: constant
    layers:
      - width: 6
      - width: 4
        activation: elu
    seed: 2
    random_output: true
  - name: sole
    target: contact[ball:*].friction.0
    act: scale
    inputs:
      - place: contact[*].dist
    layers: [{width: 4}]
YAML
sed 's/random_output: true/random_output: false/' good.yaml > untrained.yaml

# ---- they act, an untrained one changes no bit
expect 0 plain rollout arm.xml --time 0.1 --set 'qvel[free].x=1' --print qpos --json
expect 0 untrained rollout arm.xml --time 0.1 --set 'qvel[free].x=1' --print qpos --json --blueprint untrained.yaml
expect 0 good rollout arm.xml --time 0.1 --set 'qvel[free].x=1' --print qpos --json --blueprint good.yaml
state() { python3 -c 'import json,sys; j = json.load(open(sys.argv[1])); [j.pop(k, None) for k in ("seconds", "simulated", "blueprint")]; print(json.dumps(j, sort_keys=True))' "$1"; }
[ "$(state plain.out)" = "$(state untrained.out)" ] || fail "an untrained correction changes the motion"
[ "$(state plain.out)" = "$(state good.out)" ] && fail "a correction does nothing"

# ---- gradients by the weights
expect 0 grad grad arm.xml --time 0.02 --json --check --blueprint good.yaml --loss 'norm(qpos) + norm(qvel)' \
  --wrt plugin_param 'plugin_param[3]' qvel
holds grad 'all(close(j["gradient"][k], j["differences"][k], 2e-5) for k in j["gradient"])' \
  'abs(j["gradient"]["plugin_param[3]"]) > 1e-9 and len(j["gradient"]["plugin_param"]) == 76'
expect 0 weights rollout arm.xml --time 0.01 --blueprint good.yaml --set plugin_param=0 --print qvel

# ---- a fit finds weights of a drag that the model lacks, and writes them
cat > drag.xml << 'XML'
<mujoco><option timestep="0.005" integrator="RK4"/><worldbody><body name="arm"><joint name="hip" axis="0 1 0" damping="0.08"/>
<geom size=".02" type="sphere" pos="0 0 -.4" mass=".5"/></body></worldbody>
<sensor><jointpos name="enc" joint="hip"/></sensor></mujoco>
XML
sed 's/damping="0.08"//' drag.xml > free.xml
cat > air.yaml << 'YAML'
corrections:
  - name: air
    target: qfrc_passive[hip]
    inputs: [{place: 'qvel[hip]'}]
YAML
expect 0 record rollout drag.xml --time 1 --set 'qpos=0.9' --record enc --out run.h5
expect 0 fit fit free.xml run.h5 --blueprint air.yaml --estimate 'plugin_param[*]' --out fitted --json
holds fit 'abs(j["estimates"]["plugin_param[0]"]["value"] + 0.08) < 1e-6'
[ -s fitted/corrections.crb ] || fail "no weights are written"
expect 0 drag rollout drag.xml --time 1 --set 'qpos=0.9' --print qpos --json
expect 0 corrected rollout free.xml --time 1 --set 'qpos=0.9' --print qpos --json --blueprint fitted/corrections.crb
expect 0 free rollout free.xml --time 1 --set 'qpos=0.9' --print qpos --json
python3 - << 'PYTHON' || fail "the fitted correction is not the drag"
import json
a, b, c = (json.load(open(f"{name}.out"))["print"]["qpos"] for name in ("drag", "corrected", "free"))
a, b, c = (x[0] if isinstance(x, list) else x for x in (a, b, c))
assert abs(a - b) < 1e-5 and abs(a - c) > 0.01, (a, b, c)
PYTHON
head -c 100 fitted/corrections.crb > cut.crb
refused 2 "cut.crb: the checksum is wrong: the file is damaged or truncated" rollout free.xml --time 1 --blueprint cut.crb

# ---- a parameter that depends on the state: the stiffness of a spring, which the fit finds exactly
cat > harder.xml << 'XML'
<mujoco><option timestep="0.005" integrator="RK4"/><worldbody><body name="arm"><joint name="hip" axis="0 1 0" stiffness="2 1.5"/>
<geom size=".02" type="sphere" pos="0 0 -.4" mass=".5"/></body></worldbody>
<sensor><jointpos name="enc" joint="hip"/></sensor></mujoco>
XML
sed 's/stiffness="2 1.5"/stiffness="2"/' harder.xml > linear.xml
cat > spring.yaml << 'YAML'
corrections:
  - name: spring
    target: jnt_stiffness[hip]
    inputs: [{place: 'qpos[hip]'}]
YAML
expect 0 record rollout harder.xml --time 1 --set 'qpos=0.9' --record enc --out spring.h5
expect 0 fit fit linear.xml spring.h5 --blueprint spring.yaml --estimate 'plugin_param[*]' --out sprung --json
holds fit 'abs(j["estimates"]["plugin_param[0]"]["value"] - 1.5) < 1e-6'

# ---- parameters and operators: gradients by weights, by the corrected number and by the state; untrained ones change no bit
cat > inner.yaml << 'YAML'
corrections:
  - name: oil
    target: dof_damping[hip]
    act: scale
    inputs: [{place: 'qvel[hip]'}, {place: 'xpos[shin]'}]
    layers: [{width: 4}]
    output_scale: 0.1
    random_output: true
  - name: sole
    target: geom_friction[ball][0]
    act: scale
    inputs: [{place: 'geom_xpos[ball]'}]
    output_scale: 0.1
    random_output: true
  - name: coupling
    target: M[hip,knee]
    inputs: [{place: 'qpos[knee]'}]
    output_scale: 0.001
    random_output: true
  - name: gear
    target: actuator_moment[motor]
    act: scale
    inputs: [{place: 'qpos[hip]'}]
    output_scale: 0.1
    random_output: true
YAML
sed 's/random_output: true/random_output: false/' inner.yaml > inner_untrained.yaml
expect 0 grad grad arm.xml --time 0.02 --json --check --blueprint inner.yaml --set 'qvel[free].x=1' --set 'qvel[hip]=2' --set ctrl=1 \
  --loss 'norm(qpos) + norm(qvel)' --wrt plugin_param 'dof_damping[hip]' 'geom_friction[ball]' qvel
holds grad 'all(close(j["gradient"][k], j["differences"][k], 2e-5) for k in j["gradient"])' \
  'abs(j["gradient"]["dof_damping[hip]"]) > 1e-6'
expect 0 bare rollout arm.xml --time 0.1 --set 'qvel[free].x=1' --print qpos --json
expect 0 untrained rollout arm.xml --time 0.1 --set 'qvel[free].x=1' --print qpos --json --blueprint inner_untrained.yaml
[ "$(state bare.out)" = "$(state untrained.out)" ] || fail "an untrained correction of parameters changes the motion"
expect 0 inner rollout arm.xml --time 0.1 --set 'qvel[free].x=1' --print qpos --json --blueprint inner.yaml
[ "$(state bare.out)" = "$(state inner.out)" ] && fail "corrections of parameters do nothing"

# ---- an untrained correction agrees with MuJoCo, and gradients by its weights with differences
expect 0 check check arm.xml --states 4 --blueprint untrained.yaml --json
holds check 'j["passed"]' 'j["gradient"]["samples"] > 0'
expect 1 trained check arm.xml --states 2 --blueprint good.yaml

# ---- batches
expect 0 batch batch arm.xml --time 0.02 --blueprint good.yaml --loss 'norm(qvel)' --wrt plugin_param --count 3 --out batch.h5

# ---- mistakes
mistakes=0
# wrong WORDS SED-SCRIPT: exit code 2, one line with the file and WORDS, after a change of good.yaml
wrong() {
  mistakes=$((mistakes + 1))
  sed -E "$2" good.yaml > bad.yaml
  cmp -s good.yaml bad.yaml && fail "'$2' changes nothing"
  expect 2 wrong rollout arm.xml --time 0.01 --blueprint bad.yaml
  [ "$(wc -l < wrong.err)" = 1 ] || fail "$2: more than a line: $(cat wrong.err)"
  says wrong bad.yaml
  says wrong "$1"
}
wrong "no field 'qfrc_pasive'; did you mean 'qfrc_passive'?" 's/qfrc_passive/qfrc_pasive/'
wrong "'qfrc_passive[elb*]' names nothing" 's/qfrc_passive\[\*\]/qfrc_passive[elb*]/'
wrong "there is no 'elbow'" 's/qfrc_passive\[\*\]/qfrc_passive[elbow]/'
wrong "has a [*], but the target has none" 's/qfrc_passive\[\*\]/qfrc_passive[hip]/'
wrong "is of each body" 's/place: qpos\[\*\]/place: xpos[*]/'
wrong "is a pattern; in an input [*] stands" 's/place: qpos\[\*\]/place: qpos[h*]/'
wrong "'qvl'" 's/place: qvel\[\*\]/place: qvl/'
wrong "there is no field 'qvl'" 's/place: qvel\[\*\]/place: qvl[*]/'
wrong "only a correction of contacts can read it" 's/place: time/place: contact[*].dist/'
wrong "reads qacc, which 'acceleration' makes, but 'smooth' has used qfrc_passive" 's/place: time/place: qacc/'
wrong "reads qfrc_bias, which 'bias' makes, but 'constraint' has used contact_friction" 's/place: contact\[\*\].dist/place: qfrc_bias/'
wrong "xquat" 's/place: time/place: xquat/'
wrong "names a geom that the model has not" 's/contact\[ball/contact[bal/'
wrong "needs two geoms in its bracket" 's/contact\[ball:\*\]/contact[ball]/'
wrong "is no field of contacts" 's/friction\.0/fiction/'
wrong "is no field of contacts" 's/friction\.0/friction.7/'
wrong "stands for the member's own" 's/place: contact\[\*\]/place: contact[ball:*]/'
wrong "cannot change a shape, whose bounds are found" 's/qfrc_passive\[\*\]/geom_size/; s/\[\*\]$/[hip]/'
wrong "reads qfrc_bias, which 'bias' makes, but 'passive' has used dof_damping" 's/qfrc_passive/dof_damping/; s/place: time/place: qfrc_bias/'
wrong "is no entry" 's/qfrc_passive\[\*\]/M[hip,6]/; s/\[\*\]$/[hip]/'
wrong "has to be as M[hip,knee]" 's/qfrc_passive\[\*\]/M[hip]/; s/\[\*\]$/[hip]/'
wrong "qvel is an input of the step" 's/qfrc_passive\[\*\]/qvel/; s/\[\*\]$/[hip]/'
wrong "cannot change the unknowns of the acceleration" 's/qfrc_passive\[\*\]/qacc/; s/\[\*\]$/[hip]/'
wrong "act: 'multiply' is not one of: add, scale, replace, blend" 's/act: scale/act: multiply/'
wrong "'target' is missing" '/target: qfrc/d'
wrong "'name' is missing" 's/- name: friction/- seed: 3/; s/seed: 2/tau: 1/'
wrong "'place' is missing" 's/- place: time/- scale: 2/'
wrong "'width' is missing" 's/- width: 6/- activation: tanh/'
wrong "unknown key 'traget'" 's/target: qfrc/traget: qfrc/'
wrong "unknown key 'plase'" 's/place: time/plase: time/'
wrong "unknown key 'witdh'" 's/width: 6/witdh: 6/'
wrong "unknown key 'correction'" 's/^corrections:/correction:/'
wrong "width: 0 is not between" 's/width: 6/width: 0/'
wrong "width: '6x' is not a number" 's/width: 6/width: 6x/'
wrong "width: 2.5 is not a whole number" 's/width: 6/width: 2.5/'
wrong "activation: 'relo' is not one of" 's/activation: elu/activation: relo/'
wrong "scale: 'fast' is not a number" 's/scale: 0.1/scale: fast/'
wrong "scale: an input times 0 says nothing" 's/scale: 0.1/scale: 0/'
wrong "there is a stage 'friction' already" 's/name: sole/name: friction/'
wrong "'passive'" 's/name: sole/name: passive/'
wrong "is no name of letters" 's/name: sole/name: so le/'
wrong "correction 'friction': l2: -1 is not between" 's/seed: 2/l2: -1/'
wrong "correction 'friction': lasso: -0.1 is not between" 's/seed: 2/lasso: -0.1/'
wrong "correction 'friction': group_lasso: 'much' is not a number" 's/seed: 2/group_lasso: much/'
wrong "unknown key 'group_laso'" 's/seed: 2/group_laso: 1/'
wrong "correction 'friction': l2 is of layers above the first" '/layers:$/,/elu/d; s/seed: 2/l2: 1/'
wrong "cannot remember" 's/\{width: 4\}/{width: 4, kind: gru}/'
wrong "a list expected" '/- place: contact/d; s/^    inputs:$/    inputs: 3/; /- place/d; /scale: 0.1/d'
[ $mistakes -ge 35 ] || fail "only $mistakes mistakes"
expect 2 none rollout arm.xml --time 0.01 --blueprint none.yaml
says none 'none.yaml'
: > empty.yaml
expect 2 empty rollout arm.xml --time 0.01 --blueprint empty.yaml
says empty 'empty.yaml'
expect 2 model rollout arm.xml --time 0.01 --blueprint arm.xml
says model 'arm.xml'
finish
