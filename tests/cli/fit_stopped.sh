#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom fit MODEL RUN... that does not come to its end: one rank of many killed, Ctrl-C while intervals or plans are computed, a full
# disk in each file that is written. The search is never lost, and --resume comes to the same digits.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"

model="$data/driven_arm.xml"
python3 "$CAROM_SOURCE_DIR/tests/scenes/driven_arm.py" 1.csv 1 driven
head -n 161 1.csv > short.csv
bounded=('density:arm=1.6:0.1:4' 'dof_damping[hip]=0.2:0.001:0.5')
fit=(fit "$model" short.csv --as-recorded --estimate "${bounded[@]}" --json)

# the same numbers, whatever time they took
same() {
  python3 - "$@" << 'PYTHON' || fail "$1 and $2 do not have the same digits"
import json, sys
a, b = (json.load(open(n + "/result.json")) for n in sys.argv[1:3])
sys.exit(any(a[k] != b[k] for k in ("estimates", "places", "cost", "steps", "untold")))
PYTHON
}

# ---- a full disk, in each file: nothing is left half written, and what was searched is there for --resume
expect 0 whole "${fit[@]}" --save whole.xml --out whole
if [ -w /dev/full ]; then
  mkdir begin
  ln -s /dev/full begin/search.state.tmp
  expect 2 begin "${fit[@]}" --out begin
  says begin "begin/search.state: cannot be written: No space left on device"
  expect 0 begin "${fit[@]}" --out begin
  same whole begin
  files=$(python3 -c 'import json; print(*json.load(open("whole.out"))["files"])')
  [ "$(wc -w <<< "$files")" -ge 5 ] || fail "too few files: $files"
  for file in $files model.xml; do
    rm -rf full model.xml
    mkdir full
    place=full/$file
    [ $file = model.xml ] && place=model.xml
    ln -s /dev/full $place.tmp
    expect 2 full "${fit[@]}" --save model.xml --out full
    says full "$place: cannot be written: No space left on device"
    [ -e $place ] && fail "$place is there, of a full disk"
    [ -e full/search.state ] || fail "$place: the search is lost"
    rm -f $place.tmp
    expect 0 again "${fit[@]}" --save model.xml --out full --resume
    same whole full
    cmp -s whole.xml model.xml || fail "$place: another model"
    [ -e full/search.state ] && fail "$place: the saved search is left behind"
  done
  # while it searches: the state before is kept
  many=("${fit[@]}" --search restarts --islands 2 --population 1 --generations 8)
  expect 0 all "${many[@]}" --out all
  "$CAROM" "${many[@]}" --out middle > /dev/null 2> middle.err &
  pid=$!
  for ((i = 0; i < 2000; i++)); do
    [ -e middle/search.state ] && [ "$(stat -c %s middle/search.state)" -gt 300 ] && break
    sleep 0.01
  done
  until ln -s /dev/full middle/search.state.tmp 2> /dev/null || ! kill -0 $pid 2> /dev/null; do :; done
  wait $pid
  code=$?
  rm -f middle/search.state.tmp
  if [ $code -eq 2 ]; then
    says middle "middle/search.state: cannot be written: No space left on device"
    expect 0 middle "${many[@]}" --out middle --resume
  else
    echo "the search had its state written before the disk was full: $code $(cat middle.err)"
  fi
  same all middle
fi

# ---- Ctrl-C, where the progress line on a terminal has come to something
cat > at_terminal.py << 'PYTHON'
# at_terminal.py PATTERN COMMAND...: SIGINT where standard error, a terminal, shows the pattern; '' for none. Prints what it showed
import os, pty, re, signal, subprocess, sys
pattern, command = sys.argv[1], sys.argv[2:]
ours, theirs = pty.openpty()
run = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL)
os.close(theirs)
text, sent = "", False
while True:
    try:
        piece = os.read(ours, 4096)
    except OSError:
        break
    if not piece:
        break
    text += piece.decode()
    if pattern and not sent and re.search(pattern, text):
        sent = True
        run.send_signal(signal.SIGINT)
print(text.replace("\r\033[K", "\n"))
sys.exit(run.wait())
PYTHON
# interrupted NAME PATTERN ARGUMENTS...
interrupted() {
  local name=$1 pattern=$2
  shift 2
  python3 at_terminal.py "$pattern" "$CAROM" "$@" > $name.said
  local code=$?
  [ $code -eq 130 ] || fail "$name: exit code $code, not 130: $(tail -3 $name.said)"
}
profile=(fit "$model" 1.csv --as-recorded --estimate density:arm 'dof_damping[hip]' --profile all)
# enough runs for the search to last
for ((i = 0; i < 24; i++)); do cp 1.csv run$i.csv; done
interrupted local 'step .* left of this round' fit "$model" run*.csv --as-recorded --held-out 0 \
  --estimate density:arm=8 'dof_damping[hip]=1' --out local
interrupted profile 'profile 2 of 2: step .* left' "${profile[@]}" --out profile
grep -q "intervals by profile.* saved in profile, and --resume" profile.said || fail "$(tail -3 profile.said)"
[ -e profile/result.json ] && fail "an interrupted profile left a result"
expect 0 profiled "${profile[@]}" --out profiled
expect 0 resumed "${profile[@]}" --out profile --resume
same profiled profile
plans=(fit "$model")
for ((i = 0; i < 60; i++)); do cp 1.csv plan$i.csv && plans+=(plan$i.csv); done
plans+=(--as-recorded --estimate density:arm 'dof_damping[hip]' --observe 'enc=0.002@1000' --design)
interrupted design 'plan [0-9]* of 60 .* left' "${plans[@]}" --out design
grep -q "interrupted after [0-9]* of 60 plans; nothing is written" design.said || fail "$(tail -3 design.said)"
[ -e design/design.json ] && fail "an interrupted design left a result"

# ---- one rank of four is killed: of each rank the last interval is lost
if has_ranks; then
  many=("${fit[@]}" --search basin-hopping --islands 4 --population 1 --generations 8)
  expect 0 one "${many[@]}" --out one
  "${RANKS[@]}" -n 4 "$CAROM" "${many[@]}" --out four > four.out 2> four.err &
  pid=$!
  # the fifth generation is saved where the file is longer than at the beginning
  for ((i = 0; i < 6000; i++)); do
    [ -e four/search.2of4.state ] && [ "$(stat -c %s four/search.2of4.state)" -gt 300 ] && break
    kill -0 $pid 2> /dev/null || break
    sleep 0.01
  done
  ranks=($(pgrep -P $pid -x carom))
  [ ${#ranks[@]} -eq 4 ] || fail "${#ranks[@]} ranks are running, not four: $(cat four.err)"
  kill -KILL "${ranks[2]}"
  wait $pid && fail "mpirun does not say that a rank was killed"
  [ -e four/result.json ] && fail "a search that lost a rank left a result"
  python3 - << 'PYTHON' || fail "more than the last interval is lost"
import struct, sys
steps = []
for rank in range(4):
    data = open(f"four/search.{rank}of4.state", "rb").read()
    steps.append(struct.unpack_from("<17Q", data)[13])
print("generations saved:", steps)
sys.exit(not (5 <= min(steps) and max(steps) - min(steps) <= 5))
PYTHON
  "${RANKS[@]}" -n 4 "$CAROM" "${many[@]}" --out four --resume > four.out 2> four.err || fail "four ranks: $(cat four.err)"
  same one four
fi
finish
