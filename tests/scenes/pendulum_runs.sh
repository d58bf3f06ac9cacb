# SPDX-License-Identifier: Apache-2.0
# Recordings of a pendulum with friction, the model without it, and a blueprint of what it may depend on; to be sourced by scripts of
# tests/cli: free.xml, friction.yaml, run1.h5 to run4.h5, as docs/training.md has them.
cp "$CAROM_SOURCE_DIR/examples/pendulum_rig.xml" rig.xml
cp "$CAROM_SOURCE_DIR/examples/pendulum.xml" free.xml
cp "$CAROM_SOURCE_DIR/examples/friction.yaml" friction.yaml
for run in "1 0.5" "2 -0.9" "3 1.5" "4 -1.3"; do
  expect 0 record rollout rig.xml --time 1.2 --set "qpos[hip]=${run#* }" --out "run${run% *}.h5"
done
train=(train free.xml run1.h5 run2.h5 run3.h5 run4.h5 --blueprint friction.yaml --held-runs run4 --learning-rate 0.03
  --final-rate 0.003)
