#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom fit MODEL RUN...: a search that is stopped goes on to the same digits; global searches, on threads and over ranks.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"

model="$data/driven_arm.xml"
for i in 1 2; do python3 "$CAROM_SOURCE_DIR/tests/scenes/driven_arm.py" $i.csv $i driven; done
bounded=('density:arm=1.6:0.1:4' 'dof_damping[hip]=0.2:0.001:0.5')
fit=(fit "$model" 1.csv 2.csv --as-recorded --estimate "${bounded[@]}" --json)

# the same numbers, whatever time they took
same() {
  python3 - "$@" << 'PYTHON' || fail "$1 and $2 do not have the same digits"
import json, sys
a, b = (json.load(open(n + "/result.json")) for n in sys.argv[1:3])
sys.exit(any(a[k] != b[k] for k in ("estimates", "places", "cost", "steps", "untold")))
PYTHON
}

# killed without a warning, and stopped by a signal: the rest comes to the same digits
expect 0 whole "${fit[@]}" --out whole
killed=0
for delay in 0.1 0.4; do
  rm -rf cut
  "$CAROM" "${fit[@]}" --out cut > /dev/null 2>&1 &
  pid=$!
  sleep $delay
  kill -KILL $pid 2> /dev/null
  wait $pid 2> /dev/null
  [ -e cut/search.state ] || continue
  [ -e cut/result.json ] && fail "a fit that was killed left a result"
  killed=$((killed + 1))
  refused 2 "cut/search.state: is there of an interrupted fit" "${fit[@]:0:${#fit[@]}-1}" --out cut
  cp -r cut other
  expect 2 other "${fit[@]}" --huber 3 --out other --resume
  says other "search.state"
  rm -rf other
  expect 0 resumed "${fit[@]}" --out cut --resume
  same whole cut
  [ -e cut/search.state ] && fail "the saved search is left behind"
done
echo "killed $killed times with something saved"
rm -rf cut
"$CAROM" "${fit[@]}" --search basin-hopping --generations 60 --out cut > /dev/null 2> stopped.err &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
[ $? -eq 130 ] || fail "a fit that was stopped does not end with 130"
grep -q "resume goes on" stopped.err || fail "what to do is not said: $(cat stopped.err)"
refused 2 "nothing/search.state is not there" "${fit[@]:0:${#fit[@]}-1}" --out nothing --resume

# global searches find what the local one finds, with the same digits on any number of threads
head -n 161 1.csv > short.csv
fit=(fit "$model" short.csv --as-recorded --estimate "${bounded[@]}" --json)
expect 0 short "${fit[@]}" --out short
for threads in 1 2; do
  expect 0 global "${fit[@]}" --search basin-hopping --islands 2 --population 2 --generations 1 --threads $threads \
    --out basin-hopping.$threads
done
same basin-hopping.1 basin-hopping.2
for method in restarts cma-es differential-evolution; do
  expect 0 global "${fit[@]}" --search $method --islands 1 --population 4 --generations 1 --out $method.1
done
python3 - << 'PYTHON' || fail "the global searches do not find the solution"
import json, sys
right = json.load(open("short/result.json"))["estimates"]
for name in ("restarts.1", "basin-hopping.1"):
    found = json.load(open(name + "/result.json"))["estimates"]
    for key, e in right.items():
        half = (e["upper"] - e["lower"]) / 2
        if abs(found[key]["value"] - e["value"]) > 0.1 * half:
            sys.exit(f"{name} {key} {found[key]} {e}")
PYTHON

refused 2 "--search hops: local, restarts, basin-hopping" fit "$model" 1.csv --as-recorded --estimate density:arm --search hops
refused 2 "--islands: needs --search" fit "$model" 1.csv --as-recorded --estimate density:arm --islands 3
refused 2 "LOW:HIGH" fit "$model" 1.csv --as-recorded --estimate inertia:arm --search restarts --out open

# islands over ranks: the same digits as in one process
if has_ranks; then
  many=("${fit[@]}" --search basin-hopping --islands 4 --population 1 --generations 2)
  expect 0 one "${many[@]}" --out one
  "${RANKS[@]}" -n 4 "$CAROM" "${many[@]}" --out four > four.out 2> four.err || fail "four ranks: $(cat four.err)"
  same one four
fi
finish
