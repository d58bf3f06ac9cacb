#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Gradients at the edges of what values may be: the numbers, and that carom check goes there.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

# ---- a tendon spring at its rest length, where every model with one begins
cat > rest.xml << 'XML'
<mujoco>
  <option timestep=".01" gravity="0 0 0"/>
  <worldbody>
    <body><joint name="j" axis="0 1 0"/><geom size=".1" mass="1"/></body>
  </worldbody>
  <tendon><fixed name="t" stiffness="10"><joint joint="j" coef="1"/></fixed></tendon>
</mujoco>
XML
for row in euler:-25 implicit:-25 implicitfast:-25 discrete:-20; do
  slope=${row#*:}
  expect 0 spring grad rest.xml --integrator "${row%:*}" --time .01 --loss 'qvel[0]' --wrt qpos --json
  holds spring "close([j['gradient']['qpos']], [$slope], 1e-12)"
  expect 0 jacobian grad rest.xml --integrator "${row%:*}" --jacobian
  python3 - "$slope" << 'PYTHON' || fail "$row: $(cat jacobian.out)"
import sys
row = open("jacobian.out").read().split("qvel[j],")[-1].split(",")
sys.exit(abs(float(row[0]) - float(sys.argv[1])) > 1e-10)
PYTHON
done

# ---- parameters at zero: what is beside them
cat > motor.xml << 'XML'
<mujoco>
  <option integrator="discrete" timestep=".01" gravity="0 0 0"/>
  <worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" mass="1"/></body></worldbody>
  <actuator><motor name="m" joint="j"/></actuator>
</mujoco>
XML
sed 's/<motor name="m" joint="j"/<position name="m" joint="j" kp="1"/' motor.xml > servo.xml
at="--set qvel=2 --set qpos=.3 --time .01 --loss qvel[0] --json"
expect 0 zero grad motor.xml $at --ctrl m=1 --wrt dof_damping jnt_stiffness dof_frictionloss
holds zero 'close(j["gradient"]["dof_damping"], -11.25) and close(j["gradient"]["jnt_stiffness"], -0.8625)' \
  'close(j["gradient"]["dof_frictionloss"], -2.5)'
for integrator in euler implicit implicitfast rk4 tsit5; do
  expect 0 loss grad motor.xml $at --ctrl m=1 --integrator $integrator --wrt dof_frictionloss
  holds loss 'close(j["gradient"]["dof_frictionloss"], -2.5)'
done
expect 0 kv grad servo.xml $at --wrt 'actuator_biasprm[0][2]'
holds kv 'close(j["gradient"]["actuator_biasprm[0][2]"], 2.97441998810)'

# ---- contacts that do not pull, and one of two solmix: both can only grow
cat > ball.xml << 'XML'
<mujoco>
  <option timestep=".002"/>
  <worldbody>
    <geom name="floor" type="plane" solmix="0" solref=".05 1" size="1 1 .1"/>
    <body pos="0 0 .099"><freejoint/><geom name="ball" size=".1" mass="1"/></body>
  </worldbody>
</mujoco>
XML
sed 's/<\/mujoco>/<contact><pair geom1="floor" geom2="ball"\/><\/contact><\/mujoco>/' ball.xml > pair.xml
for integrator in euler implicit implicitfast discrete rk4; do
  for cone in pyramidal elliptic; do
    sed "s/<option/<option cone=\"$cone\"/" ball.xml > cone.xml
    sed "s/<option/<option cone=\"$cone\"/" pair.xml > cone_pair.xml
    at="--integrator $integrator --time .002 --loss qvel[2]+.5*qvel[0] --set qvel=1,0,0,0,0,0 --json"
    expect 0 pull grad cone.xml $at --wrt geom_adhesion geom_solmix
    expect 0 beside grad cone.xml $at --wrt geom_adhesion geom_solmix \
      --set 'geom_adhesion[ball]=1e-6' --set 'geom_solmix[floor]=1e-6'
    expect 0 pair grad cone_pair.xml $at --wrt pair_adhesion
    python3 - << 'PYTHON' || fail "$integrator, $cone: $(cat pull.out beside.out pair.out)"
import json, sys
at, beside, pair = (json.load(open(f + ".out"))["gradient"] for f in ("pull", "beside", "pair"))
for name in at:
    at[name], beside[name] = (x if isinstance(x, list) else [x] for x in (at[name], beside[name]))
largest = [max(map(abs, at[name])) for name in at]
off = [abs(a - b) / max(map(abs, beside[n])) for n in at for a, b in zip(at[n], beside[n])]
only = pair["pair_adhesion"]
only = only[0] if isinstance(only, list) else only
sys.exit(min(largest) < 1e-4 or max(off) > 1e-3 or abs(only) < 1e-4)
PYTHON
  done
done

# ---- a muscle at rest can only be excited
cat > muscle.xml << 'XML'
<mujoco>
  <option timestep=".002"/>
  <worldbody>
    <body><joint name="j" axis="0 1 0" damping=".05"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" mass=".5"/></body>
  </worldbody>
  <actuator><muscle name="m" joint="j" lengthrange="-2 2" gear="-.1"/></actuator>
</mujoco>
XML
expect 0 muscle grad muscle.xml --time .002 --loss 'act[0]' --wrt ctrl act --ctrl m=0 --json
holds muscle 'close(j["gradient"]["ctrl"], [[0.4]], 1e-12) and close(j["gradient"]["act"], 0.975, 1e-12)'
expect 0 muscle grad muscle.xml --time .1 --loss 'qpos[0]' --wrt ctrl --ctrl m=0 --json
holds muscle 'close(j["gradient"]["ctrl"][0], [0.220595824], 1e-6)'

# the stages of a Runge-Kutta step follow what moved the first one: excitation only rises, activation only
# decays; h / tau is 1 here on the way up
sed 's/timestep=".002"/timestep=".005" integrator="RK4"/' muscle.xml > stages.xml
expect 0 stages grad stages.xml --time .005 --loss 'act[0]' --wrt ctrl act --ctrl m=0 --json
holds stages 'close(j["gradient"]["ctrl"], [[0.625]], 1e-9) and close(j["gradient"]["act"], 0.939413071, 1e-8)'
expect 0 stages grad stages.xml --jacobian --json --ctrl m=0
holds stages 'close(j["by_ctrl"][-1], [0.625], 1e-9)'
expect 0 stages grad stages.xml --time .005 --loss 'qvel[0]' --wrt ctrl act --ctrl m=0 --json
expect 0 little grad stages.xml --time .005 --loss 'qvel[0]' --wrt ctrl --ctrl m=1e-5 --json
expect 0 held grad stages.xml --time .005 --loss 'qvel[0]' --wrt act --ctrl m=0 --set 'act[0]=1e-5' --json
python3 - << 'PYTHON' || fail "stages: $(cat stages.out little.out held.out)"
import json, sys
at, little, held = (json.load(open(f + ".out"))["gradient"] for f in ("stages", "little", "held"))
pairs = ((at["ctrl"][0][0], little["ctrl"][0][0]), (at["act"], held["act"]))
sys.exit(any(abs(a - b) > 1e-3 * abs(b) for a, b in pairs))
PYTHON

# ---- a control at the end of its range that pushes an activation beyond the opposite end of its own: both
# stay, and so does a muscle that its range keeps from excitation; beyond the range the range has the slope
cat > ends.xml << 'XML'
<mujoco>
  <option timestep=".002"/>
  <worldbody>
    <body><joint name="j" type="slide"/><geom size=".05" mass="1"/></body>
  </worldbody>
  <actuator>
    <general name="f" joint="j" dyntype="filter" dynprm=".25" ctrllimited="true" ctrlrange="-.5 0" actlimited="true" actrange="0 1"/>
    <muscle name="m" joint="j" lengthrange="-2 2" ctrllimited="true" ctrlrange="-1 0"/>
  </actuator>
</mujoco>
XML
for integrator in Euler implicitfast discrete; do
  sed "s/<option/<option integrator=\"$integrator\"/" ends.xml > end.xml
  expect 0 end grad end.xml --time .002 --loss 'act[0]+act[1]+qvel[0]' --wrt ctrl act --ctrl f=0 m=0 --json
  holds end 'j["gradient"]["ctrl"] == [[0, 0]] and close(j["gradient"]["act"][0], 0.992 + 0.002, 1e-4)'
done
sed 's/actlimited/actearly="true" actlimited/; s/<option/<option integrator="RK4"/' ends.xml > early.xml
expect 0 end grad early.xml --time .002 --loss 'act[0]+act[1]+qvel[0]' --wrt ctrl --ctrl f=0 m=0 --json
holds end 'j["gradient"]["ctrl"] == [[0, 0]]'
expect 0 end grad ends.xml --time .002 --loss 'act[1]' --wrt actuator_ctrlrange --ctrl f=0 m=.3 --json
holds end 'close(j["gradient"]["actuator_ctrlrange"], [0, 0, 0, 0.4], 1e-9)'

# ---- the integrator discrete, a gain by length and velocity at a control of 0: the slope to one side
cat > gain.xml << 'XML'
<mujoco>
  <option timestep=".01" integrator="discrete"/>
  <worldbody>
    <body><joint name="j" type="slide" axis="1 0 0"/><joint name="k" axis="0 1 0"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" mass=".5"/></body>
  </worldbody>
  <actuator><general name="g" joint="k" gaintype="affine" gainprm=".1 GAINS"/></actuator>
</mujoco>
XML
for gains in "3 -2" "-3 2" "3 2" "-3 -2"; do
  sed "s/GAINS/$gains/" gain.xml > gains.xml
  at="--time .01 --loss qvel[0]+qvel[1]+qpos[1] --wrt ctrl --set qvel[1]=2 --json"
  expect 0 gain grad gains.xml $at --ctrl g=0
  expect 0 more grad gains.xml $at --ctrl g=1e-7
  python3 - << 'PYTHON' || fail "gains $gains: $(cat gain.out more.out)"
import json, sys
a, b = (json.load(open(f + ".out"))["gradient"]["ctrl"][0][0] for f in ("gain", "more"))
sys.exit(abs(a - b) > 1e-5 * abs(b))
PYTHON
done

# ---- a gear that takes a setpoint off its circle is a switch, and carom check leaves it out
cat > circle.xml << 'XML'
<mujoco>
  <worldbody>
    <site name="fixed" euler="-51 140 -132"/>
    <body><joint type="slide"/><geom size=".03"/><site name="moved"/></body>
  </worldbody>
  <actuator><position name="m" site="fixed" refsite="moved" gear="0 0 0 -.7 .6 .4"/></actuator>
  <keyframe><key name="turned" ctrl="1.9522"/></keyframe>
</mujoco>
XML
expect 0 circle check circle.xml --states 2 --json
holds circle 'j["passed"] is True'

# ---- bodies that touch exactly, and fall: whether they press is rounding, and any friction loss decides it
cat > touch.xml << 'XML'
<mujoco>
  <default><geom size=".1"/></default>
  <worldbody>
    <body pos=".1 0 0"><freejoint/><geom/></body>
    <body pos=".3 0 0"><freejoint/><geom/></body>
    <body pos=".6 0 0"><joint type="slide" axis="1 0 0"/><joint type="slide"/><geom/></body>
    <body pos=".6 0 .2"><joint type="slide" axis="1 0 0"/><joint type="slide"/><geom/></body>
  </worldbody>
</mujoco>
XML
expect 0 touch check touch.xml --states 2 --json
holds touch 'j["passed"] is True and j["edges"]["kinks"] > 0'
expect 0 told grad touch.xml --time .002 --loss 'qvel[2]' --wrt dof_frictionloss --json
holds told 'sum("touch exactly where their contact begins" in x for x in j["two_slopes"]) == 2'

# ---- where both slopes can be reached and differ, grad says which it has
expect 0 told grad muscle.xml --time .002 --loss 'act[0]' --wrt ctrl act --ctrl m=.3 --set 'act[0]=.3' --json
holds told 'len(j["two_slopes"]) == 1 and "equals act[0] of actuator" in j["two_slopes"][0]'
expect 0 told grad muscle.xml --time .002 --loss 'act[0]' --wrt ctrl act --ctrl m=.3 --set 'act[0]=.2' --json
holds told '"two_slopes" not in j'
expect 0 told grad circle.xml --time .002 --loss 'qvel[0]' --wrt actuator_gear
grep -q '^two slopes at the start: actuator_gear of actuator' told.out || fail "circle: $(cat told.out)"
cat > tendons.xml << 'XML'
<mujoco>
  <worldbody>
    <site name="a"/>
    <body><joint name="j" type="slide" axis="1 0 0" limited="true" range="0 1"/><geom size=".03"/><site name="b"/></body>
  </worldbody>
  <tendon>
    <fixed name="rest" stiffness="3" springlength="0 0"><joint joint="j" coef="1"/></fixed>
    <fixed name="near" stiffness="3" springlength=".3 .3"><joint joint="j" coef="1"/></fixed>
    <spatial name="point"><site site="a"/><site site="b"/></spatial>
  </tendon>
</mujoco>
XML
expect 0 told grad tendons.xml --time .002 --loss 'qvel[0]' --wrt tendon_lengthspring --json
holds told 'sum("both ends equal" in x for x in j["two_slopes"]) >= 1'
holds told 'sum("half for each" in x for x in j["two_slopes"]) >= 1'
holds told 'sum("has no length" in x for x in j["two_slopes"]) == 1'
holds told 'sum("where its limit begins" in x for x in j["two_slopes"]) == 1'
for q in .29999999999999993 .30000000000000004; do
  expect 0 told grad tendons.xml --time .002 --loss 'qvel[0]' --set qpos=$q --wrt tendon_lengthspring --json
  holds told 'sum("rounding oversteps" in x for x in j["two_slopes"]) == 1'
done
expect 0 told grad tendons.xml --time .002 --loss 'qvel[0]' --set qpos=.3000001 --wrt tendon_lengthspring --json
holds told '"both ends equal" not in str(j.get("two_slopes"))'
expect 0 told grad tendons.xml --integrator discrete --time .002 --loss 'qvel[0]' --wrt tendon_stiffness --json
holds told 'sum("at its rest length" in x for x in j["two_slopes"]) == 1'

cat > holds.xml << 'XML'
<mujoco>
  <worldbody><body name="b"><freejoint/><geom size=".03"/></body></worldbody>
  <equality><weld name="w" body1="b" solimp="0 .9 .01 .5 POWER"/></equality>
</mujoco>
XML
for power in 1 2; do
  sed "s/POWER/$power/" holds.xml > holds.$power.xml
  expect 0 told grad holds.$power.xml --time .002 --loss 'qvel[0]' --wrt qpos --json
  holds told "str(j.get(\"two_slopes\")).count(\"equality constraint 'w' holds but for rounding\") == 2 - $power"
done
expect 0 told grad holds.1.xml --time .002 --loss 'qvel[0]' --wrt qpos --set 'qpos[0]=1e-6' --json
holds told '"two_slopes" not in j'

# ---- a weld within one body, whose rows of rotation are all zero, and their forces are not
cat > weld.xml << 'XML'
<mujoco>
  <option><flag diagexact="enable"/></option>
  <worldbody>
    <body><freejoint/><site name="a"/>
      <body><geom size=".05 .06 .04"/><site name="b" pos=".001 .08 .084" euler="59 -55 -129"/></body>
    </body>
  </worldbody>
  <equality><weld site1="a" site2="b"/></equality>
</mujoco>
XML
turned="--set qpos=-.1,-.2,.06,.5616426154430747,.6104648639455115,.5485521671183935,-.10478903738447479"
expect 0 rows grad weld.xml $turned --jacobian --json
for i in 0 1 2 3 4 5; do
  expect 0 weld grad weld.xml $turned --time .002 --loss "qvel[$i]" --wrt qpos --json
  python3 - $i << 'PYTHON' || fail "weld, qvel[$i]: $(cat weld.out)"
import json, sys
row = json.load(open("rows.out"))["by_state"][6 + int(sys.argv[1])][:6]
g = json.load(open("weld.out"))["gradient"]["qpos"]
sys.exit(max(abs(a - b) for a, b in zip(row, g)) > 1e-8 * (1 + max(map(abs, row))))
PYTHON
done

# ---- expressions without a derivative are refused
refused 3 "-1 ^ 0 has no derivative by its second number" grad rest.xml --time .01 \
  --loss '(0-1)^qvel[0]' --wrt qvel
refused 3 "0 ^ 0.5 has no derivative by its first number" grad rest.xml --time .01 \
  --loss 'qvel[0]^0.5' --wrt qvel
refused 3 "a value is not finite" grad rest.xml --time .01 --loss '1/qvel[0]' --wrt qvel

# ---- carom check visits them all
for integrator in Euler implicit implicitfast discrete RK4; do
  sed "s/timestep=/integrator=\"$integrator\" timestep=/" "$data/edges.xml" > edges.xml
  expect 0 edges check edges.xml --states 2 --json
  # the start, two keyframes, controls three times, joints twice, and fields at zero
  holds edges 'j["passed"] is True and j["edges"]["places"] >= 20 and j["edges"]["samples"] > 400' \
    'j["edges"]["max_relative_error"] <= 1e-6 and j["edges"]["kinks"] > 0' \
    'len(j["edges"]["kinks_told"]) > 0 and all(" on the left, " in k for k in j["edges"]["kinks_told"])' \
    'j["edges"]["places_without_a_step"] == 1'
done
expect 0 text check "$data/edges.xml" --states 1 --verbose
grep -q "gradient at [0-9]* edges: worst error" text.out || fail "no edges: $(cat text.out)"
grep -q "kink: act\[0\] at keyframe bent: .* on the left, .* on the right" text.out ||
  fail "no kink named: $(cat text.out)"
grep -q "1 places have no step; body_mass 0: joint 2 \"rail\"" text.out || fail "$(cat text.out)"

# ---- a capsule upright on a plane: tilted any way, its contact's first tangent is another one
cat > upright.xml << 'XML'
<mujoco>
  <option cone="elliptic" o_margin=".004" o_friction=".9 .8 .01 .004 .005"><flag override="enable"/></option>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos=".5 0 .146"><freejoint/><geom name="top" type="capsule" size=".05 .1"/></body>
  </worldbody>
</mujoco>
XML
expect 0 upright check upright.xml --states 3 --seed 5 --json
holds upright 'j["passed"] is True and j["edges"]["kinks"] > 0'
expect 0 told grad upright.xml --time .002 --loss 'qvel[2]' --wrt qvel --json
holds told 'sum("is along the axis of one" in x for x in j["two_slopes"]) == 1'
expect 0 told grad upright.xml --time .002 --loss 'qvel[2]' --wrt qvel --set 'qpos[2]=.077' 'qpos[3]=.8' 'qpos[4]=.6' --json
holds told '"two_slopes" not in j'

# ---- a slide at the very end of its range, and a wind without a medium that would blow it beyond: stages of RK4
# would meet the limit, and the derivative is that of within. In the middle of its range there is one slope
cat > blown.xml << 'XML'
<mujoco>
  <option integrator="RK4" timestep=".001" gravity="0 0 0" wind="-1 0 0" viscosity="0"/>
  <worldbody>
    <body>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <joint type="slide" axis="1 0 0" limited="true" range="0 1" solimplimit=".5 .9 1e-4 .5 2"/>
    </body>
  </worldbody>
</mujoco>
XML
sed 's/range="0 1"/range="-1 1"/' blown.xml > inside.xml
expect 0 blown check blown.xml --states 2 --json
expect 0 inside check inside.xml --states 2 --json
holds blown 'j["passed"] is True'
holds inside 'j["passed"] is True'
python3 - << 'PYTHON' || fail "the end of the range adds no kinks"
import json, sys
blown, inside = (json.load(open(f"{name}.out"))["edges"] for name in ("blown", "inside"))
sys.exit(blown["kinks"] <= inside["kinks"])
PYTHON

# ---- a cylinder that stands flat: its points of contact run round the rim as soon as it tilts
for tilt in 0 5e-8 1e-5; do
  cat > flat.xml << XML
<mujoco>
  <option timestep=".002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos="0 0 .0999" euler="$tilt 0 0"><freejoint/><geom type="cylinder" size=".05 .1" mass="1"/></body>
  </worldbody>
</mujoco>
XML
  for wrt in qpos qvel; do
    expect 0 flat grad flat.xml --time .002 --loss 'qvel[3]' --wrt $wrt --json
    case $tilt$wrt in 1e-5qpos|*qvel) told=0 ;; *) told=1 ;; esac
    holds flat "sum('stands flat' in s for s in j.get('two_slopes', [])) == $told"
  done
  sed 's/timestep/integrator="RK4" timestep/' flat.xml > stages.xml
  expect 0 flat grad stages.xml --time .002 --loss 'qvel[3]' --wrt qvel --json
  case $tilt in 1e-5) told=0 ;; *) told=1 ;; esac
  holds flat "sum('stands flat' in s for s in j.get('two_slopes', [])) == $told"
done

finish
