# SPDX-License-Identifier: Apache-2.0
# Recordings of a pendulum with friction, the model without it, and a blueprint of what it may depend on; to be sourced by scripts of
# tests/cli: free.xml, friction.yaml, run1.h5 to run4.h5.
cat > rig.xml << 'XML'
<mujoco><option timestep="0.01"/><worldbody><body name="arm"><joint name="hip" axis="0 1 0" damping="0.08"/>
<geom size=".03" type="sphere" pos="0 0 -.4" mass=".5"/></body></worldbody></mujoco>
XML
sed 's/ damping="0.08"//' rig.xml > free.xml
cat > friction.yaml << 'YAML'
corrections:
  - name: friction
    target: qfrc_passive[hip]
    inputs:
      - place: qvel[hip]
        scale: 0.2
      - place: qpos[hip]
      - place: time
    layers:
      - width: 4
    lasso: 5
    group_lasso: 5
YAML
for run in "1 0.5" "2 -0.9" "3 1.5" "4 -1.3"; do
  expect 0 record rollout rig.xml --time 1.2 --set "qpos[hip]=${run#* }" --out "run${run% *}.h5"
done
train=(train free.xml run1.h5 run2.h5 run3.h5 run4.h5 --blueprint friction.yaml --held-runs run4 --learning-rate 0.03
  --final-rate 0.003)
