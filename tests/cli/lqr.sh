#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom lqr: equilibria and gains; what cannot be held.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
tasks=$CAROM_SOURCE_DIR/examples/tasks

for model in cartpole acrobot; do
  expect 0 $model lqr "$tasks/$model.xml" --csv $model.csv --json
  holds $model 'j["radius_open"] > 1 > j["radius"]' 'j["end"] < 1e-3 * j["farthest"]' \
    'len(j["gain"]) == 1 and len(j["gain"][0]) == 4'
done
[ "$(head -n 1 cartpole.csv)" = "control,qpos[slider],qpos[hinge],qvel[slider],qvel[hinge]" ] || fail "$(head -n 1 cartpole.csv)"

# the Jacobian of the step, the gain and SciPy's solve_discrete_are agree (SciPy 1.17.1: figures of tests/control/test_riccati.c);
# here the closed loop is that of the Jacobian which carom grad prints
expect 0 step grad "$tasks/cartpole.xml" --jacobian --json
python3 - << 'PYTHON' || fail "the gain does not solve the equation"
import json
step, lqr = json.load(open("step.out")), json.load(open("cartpole.out"))
A, B, K = step["by_state"], step["by_ctrl"], lqr["gain"]
n = len(A)
M = [[A[i][j] - B[i][0] * K[0][j] for j in range(n)] for i in range(n)]
Q = [1, 1, 0.1, 0.1]
def mul(X, Y): return [[sum(X[i][k] * Y[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
T = lambda X: [list(row) for row in zip(*X)]
# P as the sum of the costs of the closed loop; K = (1 + B'PB)^-1 B'PA
P, G = [[(Q[i] if i == j else 0) + K[0][i] * K[0][j] for j in range(n)] for i in range(n)], M
for _ in range(40):
    P = [[a + b for a, b in zip(x, y)] for x, y in zip(P, mul(T(G), mul(P, G)))]
    G = mul(G, G)
BP = [sum(B[k][0] * P[k][j] for k in range(n)) for j in range(n)]
s = 1 + sum(BP[k] * B[k][0] for k in range(n))
gain = [sum(BP[k] * A[k][j] for k in range(n)) / s for j in range(n)]
assert all(abs(a - b) < 1e-8 * max(map(abs, gain)) for a, b in zip(gain, K[0])), (gain, K[0])
PYTHON

# a pose between, which the motor has to hold
cat > arm.xml << 'MODEL'
<mujoco><worldbody><body><joint name='elbow' axis='0 1 0' damping='.1'/><geom type='capsule' size='.03' fromto='0 0 0 .4 0 0'/></body>
</worldbody><actuator><motor joint='elbow' ctrllimited='true' ctrlrange='-20 20'/></actuator></mujoco>
MODEL
expect 0 arm lqr arm.xml --set 'qpos[elbow]=0.3' --hold-pose --json
holds arm 'j["qpos"] == [0.3] and abs(j["ctrl"][0]) > 0.5 and j["radius"] < 1'

# what falls comes to rest first; its place on the floor is out of reach of the motor
cat > lever.xml << 'MODEL'
<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .3'><joint type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>
<geom type='box' size='.2 .1 .1' mass='2'/><body pos='0 0 .1'><joint name='lever' axis='0 1 0' stiffness='10' damping='.1'/>
<geom type='capsule' size='.03' fromto='0 0 0 0 0 .4'/></body></body></worldbody>
<actuator><motor joint='lever' ctrllimited='true' ctrlrange='-2 2'/></actuator></mujoco>
MODEL
expect 3 falls lqr lever.xml
says falls "let it settle first"
expect 3 free lqr lever.xml --settle 5
says free "--discount 0.999999 leaves alone what no control reaches"
expect 0 lever lqr lever.xml --settle 5 --discount 0.9999 --json
holds lever 'abs(j["radius"] - 1) < 1e-6 and len(j["A"]) == 6 and len(j["B"]) == 6' 'j["end"] < 1.1 * j["farthest"]'
expect 2 growing lqr lever.xml --discount 2
says growing "at most 1 is expected"
expect 2 passive lqr "$data/cube.xml"
says passive "the model has no controls"
expect 3 pose lqr "$tasks/acrobot.xml" --set 'qpos[shoulder]=0.5' --hold-pose
says pose "still accelerates by"
expect 2 missing lqr missing.xml
says missing "missing.xml"
finish
