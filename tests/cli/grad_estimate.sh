#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom grad --estimator: the gradient of the mean of a jump and of a smooth loss, tables, any number of threads, mistakes.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
arm=$CAROM_SOURCE_DIR/examples/arm.xml

# tells NAME WORDS: they are in what was printed
tells() { grep -qF -- "$2" "$1.out" || fail "$1: '$2' is not in what was printed"; }

# ---- a smooth loss: all three agree within their intervals, the first order with the plain gradient
plain=(grad "$arm" --time 0.1 --loss 'site_xpos[tip].z' --wrt qpos 'ctrl[shoulder]' --json)
expect 0 plain "${plain[@]}"
noise=(--sigma qpos=0.01 'ctrl[shoulder]=0.1' --samples 400 --draws antithetic --confidence 0.999)
for kind in first zeroth alpha; do
  expect 0 $kind "${plain[@]}" --estimator $kind "${noise[@]}"
  holds $kind 'j["samples"] == 400 and j["draws"] == "antithetic" and len(j["error"]["qpos"]) == len(j["gradient"]["qpos"])'
  python3 - plain.out $kind.out << 'PYTHON' || fail "$kind: not the plain gradient"
import json, sys
plain, e = (json.load(open(path)) for path in sys.argv[1:])
for name in ("qpos", "ctrl[shoulder]"):
    as_list = lambda x: x if isinstance(x, list) else [x]
    for g, x, off in zip(as_list(plain["gradient"][name]), as_list(e["gradient"][name]), as_list(e["error"][name])):
        assert abs(g - x) <= off + 2e-3 * abs(g) + 1e-5, (name, g, x, off)
PYTHON
done
holds first 'j["zeroth_variance"] is None and j["first_variance"] > 0'
holds zeroth 'j["first_variance"] is None and "alpha" not in j'
holds alpha 'j["alpha"] > 0.9 and j["verdict"] == "free" and "may be chance" in j["text"]'

# ---- any number of threads, and the table
expect 0 one "${plain[@]}" --estimator alpha "${noise[@]}" --threads 1
expect 0 three "${plain[@]}" --estimator alpha "${noise[@]}" --threads 3 --csv table.csv
python3 - one.out three.out table.csv << 'PYTHON' || fail "three threads give other digits, or another table"
import csv, json, sys
one, three = (json.load(open(path)) for path in sys.argv[1:3])
assert one["gradient"] == three["gradient"] and one["error"] == three["error"]
rows = list(csv.DictReader(open(sys.argv[3])))
assert [float(r["gradient"]) for r in rows if r["by"].startswith("qpos")] == three["gradient"]["qpos"]
assert float(rows[-1]["error"]) > 0
PYTHON

# ---- ranks: the same digits, said once
if has_ranks; then
  "${RANKS[@]}" -n 3 "$CAROM" "${plain[@]}" --estimator alpha "${noise[@]}" > ranks.out 2> ranks.err || fail "three ranks: $(cat ranks.err)"
  python3 - one.out ranks.out << 'PYTHON' || fail "three ranks give other digits"
import json, sys
one, ranks = (json.load(open(path)) for path in sys.argv[1:])
assert one["gradient"] == ranks["gradient"] and one["error"] == ranks["error"] and one["mean"] == ranks["mean"]
PYTHON
  "${RANKS[@]}" -n 2 "$CAROM" grad "$arm" --time 0.1 --loss 'log(qpos[shoulder] + 0.2)' --wrt qpos --estimator first --sigma qpos=0.5 \
    > fails.out 2> fails.err && fail "a rank fails, and the estimate does not"
  grep -q "^carom grad: rank [01] of 2: .*sample" fails.err || fail "$(cat fails.err)"
  [ "$(grep -c "^carom grad" fails.err)" -eq 1 ] || fail "said more than once: $(cat fails.err)"
else
  echo "no mpirun, or a build without MPI: several ranks are not tested"
fi

# ---- contacts of fixed steps: the plain gradient misleads, and it is said what to use instead
toss=(grad "$CAROM_SOURCE_DIR/examples/cube_toss.xml" --time 0.5 --set 'qvel[4]=-6' --loss 'qpos[0]' --wrt qvel)
expect 1 trust "${toss[@]}" --trust
tells trust "instead: the gradient of the mean under noise, --estimator alpha --sigma NAME=S"
expect 0 biased "${toss[@]}" --estimator alpha --sigma qvel=0.1 --samples 512
tells biased "it is biased"
tells biased "d mean / d qvel[cube][0] = "

# ---- linear models of a step: a ball 2 mm above contact
cat > above.xml <<'XML'
<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="1 1 .1"/><body pos="0 0 .102"><joint name="z" type="slide" axis="0 0 1"/>
<geom size=".1" mass="1"/></body></worldbody><actuator><motor name="u" joint="z"/></actuator></mujoco>
XML
noise=(--sigma qpos=0.003 qvel=0.05 ctrl=0.5 --samples 4096)
expect 0 exact grad above.xml --jacobian --json
for kind in first zeroth alpha; do
  expect 0 "$kind" grad above.xml --jacobian --estimator "$kind" "${noise[@]}" --threads 2 --json
  expect 0 "again" grad above.xml --jacobian --estimator "$kind" "${noise[@]}" --threads 1 --json
  cmp -s "$kind.out" again.out || fail "$kind: threads change digits"
done
holds exact 'j["by_state"][1][0] == 0'
holds first 'j["estimator"] == "first" and j["samples"] == 4096 and -8 < j["by_state"][1][0] < -5'
holds zeroth '-20 < j["by_state"][1][0] < -13 and j["by_state_error"][1][0] < 3 and len(j["offset"]) == 2' \
  'abs(j["by_ctrl"][1][0] - 0.0077) < 0.015'
holds alpha '-20 < j["by_state"][1][0] < -13 and j["by_state_error"][1][0] < 3'
expect 0 table grad above.xml --jacobian --estimator zeroth "${noise[@]}" --csv linear.csv
head -n 1 linear.csv | grep -qxF 'next,qpos[z],qvel[z],ctrl[u],offset' || fail "$(head -n 1 linear.csv)"
[ "$(wc -l < linear.csv)" -eq 5 ] || fail "$(cat linear.csv)"
if has_ranks; then
  "${RANKS[@]}" -n 3 "$CAROM" grad above.xml --jacobian --estimator alpha "${noise[@]}" --json > ranks.out 2> ranks.err || fail "three ranks: $(cat ranks.err)"
  cmp -s alpha.out ranks.out || fail "three ranks give another linear model"
fi

# ---- mistakes
for case in "--samples 5|--samples: only with --estimator" "--estimator second --sigma qvel=1|--estimator second: first, zeroth or alpha expected" \
  "--estimator first|--sigma qvel=S is missing" "--estimator first --sigma qvel=x|--sigma qvel=x: a number of 0 or more" \
  "--estimator first --sigma qpos=1|--sigma qpos=1: NAME=S with a NAME of --wrt" "--estimator zeroth --sigma qvel=0|standard deviation of number 0 is 0" \
  "--estimator first --sigma qvel=1 --samples 7 --draws antithetic|an even number" "--estimator first --sigma qvel=1 --bias 2|--bias 2: only with --estimator alpha" \
  "--estimator first --sigma qvel=1 --trust|--estimator: not with --trust" "--estimator first --sigma qvel=1 --draws sobol|--draws sobol: random, antithetic or quasi expected" \
  "--jacobian --estimator first|--loss: not with --jacobian"; do
  read -ra options <<< "${case%%|*}"
  expect 2 mistake "${toss[@]}" "${options[@]}"
  says mistake "${case#*|}"
done
refused 2 "--sigma NAME=S of ctrl or a part of the state is missing" grad above.xml --jacobian --estimator first
refused 2 "--sigma xpos=1: NAME=S with ctrl or a part of the state, as qvel, is expected" grad above.xml --jacobian --estimator first --sigma xpos=1
refused 2 "--wrt: not with --jacobian --estimator" grad above.xml --jacobian --estimator first --sigma qpos=1 --wrt body_mass
refused 2 "--bias: not with --jacobian" grad above.xml --jacobian --estimator alpha --sigma qpos=1 --bias 1
refused 2 "--samples: only with --estimator" grad above.xml --jacobian --samples 5
finish
