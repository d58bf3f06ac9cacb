#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom itself: version, help of every command, commands that do not exist, output that cannot be
# written.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

expect 0 version --version
grep -qxF "$(head -n 1 "$CAROM_SOURCE_DIR/VERSION")" version.out || fail "$(cat version.out)"

expect 0 help --help
[ -s help.err ] && fail "--help writes to standard error"
for command in check follow rollout grad batch fit train plan quasidynamic lqr estimate view render bench study; do
  grep -q "^  $command " help.out || fail "--help does not list $command"
  expect 0 one $command --help
  grep -q "^usage: carom $command " one.out || fail "$command --help: $(head -n 1 one.out)"
  grep -q -- "--json" one.out || fail "$command --help does not list --json"
  grep -q "exit code: 0 done, 1 the check failed, 2 bad input" one.out || fail "$command: exit codes"
  [ -s one.err ] && fail "$command --help writes to standard error"
  expect 0 late $command model.xml --bogus --help
  cmp -s one.out late.out || fail "$command: --help behind other options differs"
done

# ---- help: two examples each, what matters first, no line longer than the terminal is wide; --help-all has the rest
for command in check follow rollout grad batch fit train plan quasidynamic lqr estimate view render bench study; do
  expect 0 one $command --help
  expect 0 all $command --help-all
  [ "$(grep -c "^  carom $command " one.out)" -eq 2 ] || fail "$command: not two examples"
  [ "$(awk 'length > 79' one.out all.out | wc -l)" -eq 0 ] || fail "$command: $(awk 'length > 79' one.out all.out | head -n 1)"
  "$CAROM" $command --help=rows | awk -F'\t' '$2 ~ /^--/ { print $2 }' | sort > rows.txt
  grep -o "^  --[a-z-]*" all.out | tr -d ' ' | sort > all.txt
  cmp -s rows.txt all.txt || fail "$command --help-all: not all options: $(diff rows.txt all.txt)"
  grep -o "^  --[a-z-]*" one.out | tr -d ' ' | sort > one.txt
  [ -z "$(comm -23 one.txt all.txt)" ] || fail "$command --help: $(comm -23 one.txt all.txt)"
  left=$(($(wc -l < all.txt) - $(wc -l < one.txt)))
  [ $left -eq 0 ] || grep -q "^$left more options: carom $command --help-all" one.out || fail "$command: the rest is not named"
  COLUMNS=50 "$CAROM" $command --help-all > narrow.out
  # a single word may be longer
  [ "$(awk 'length > 49 && !/^ *[^ ]*$/ && !/^  --[^ ]* [^ ]*$/ && !/^usage/' narrow.out | wc -l)" -eq 0 ] ||
    fail "$command: $(awk 'length > 49' narrow.out | head -n 1)"
done

# a terminal that is wider or narrower
export PYTHONDONTWRITEBYTECODE=1
terminal=$CAROM_SOURCE_DIR/tests/support/terminal.py
python3 "$terminal" 60 "$CAROM" grad --help-all > narrow.out || fail "help at a terminal"
python3 "$terminal" 120 "$CAROM" grad --help-all > wide.out
[ "$(wc -L < narrow.out)" -le 60 ] || fail "at 60 columns: $(awk 'length > 59' narrow.out | head -n 1)"
[ "$(wc -L < wide.out)" -gt 90 ] && [ "$(wc -L < wide.out)" -lt 120 ] || fail "at 120 columns: $(wc -L < wide.out)"

# how far it is, and how long it still takes
batch=(batch "$data/cube.xml" --time 0.4 --count 3000 --random qvel=0.1 --threads 1 --out many.h5)
python3 "$terminal" 80 "$CAROM" "${batch[@]}" > progress.out || fail "batch: $(tail -n 2 progress.out)"
grep -q "[0-9]* of 3000 rollouts, about [0-9]* s left" progress.out || fail "no time left: $(head -c 500 progress.out)"
python3 "$terminal" 200 "$CAROM" fit "$CAROM_SOURCE_DIR/examples/cube_side.yaml" --set made.tosses=10 --out fitted > progress.out ||
  fail "fit: $(tail -n 2 progress.out)"
grep -q "evaluation [0-9]* of at most 60 .*, about [0-9]* s left at most" progress.out || fail "no time left: $(head -c 500 progress.out)"
python3 "$terminal" 120 "$CAROM" plan "$CAROM_SOURCE_DIR/examples/tasks/cartpole.yaml" --set planner.iterations=20 --out planned > progress.out ||
  fail "plan: $(tail -n 2 progress.out)"
grep -q "iteration [0-9]* of 20: cost .*, about [0-9]* s left at most" progress.out || fail "no time left: $(head -c 500 progress.out)"

# what the examples of help say works, where the repository has its files
mkdir examples.d
cd examples.d || exit 1
cp -r "$CAROM_SOURCE_DIR/examples" examples
for command in check follow rollout grad batch plan quasidynamic lqr view bench; do
  "$CAROM" $command --help=rows | awk -F'\t' '$1 == "example" { print $4 }' | grep -v "arm.xml --input" > lines.txt
  while read -r line; do
    case $line in *" check --all "* | *cartpole*) continue ;; esac  # minutes
    eval "\"\$CAROM\" ${line#carom }" > line.out 2>&1 || fail "example of help: $line: $(cat line.out)"
  done < lines.txt
done
cd "$work" || exit 1

# ---- nearest names
refused 2 "unknown option '--tim'; did you mean '--time'?" rollout model.xml --tim 3
expect 2 near rolout model.xml
grep -qF "carom: unknown command 'rolout'; did you mean 'rollout'?" near.err || fail "$(head -n 1 near.err)"
refused 2 "'qpos[elbw]': there is no 'elbw'; did you mean 'elbow'?" rollout "$data/double_pendulum.xml" --print 'qpos[elbw]'
refused 2 "none with this name or number; did you mean 'raised'?" rollout "$data/double_pendulum.xml" --keyframe rased
refused 2 "'contact[flor:cube].dist': no geom 'flor'; did you mean 'floor'?" rollout "$data/cube.xml" --print 'contact[flor:cube].dist'
refused 2 "'ctrl[sholder]': there is no 'sholder'; did you mean 'shoulder'?" rollout "$data/double_pendulum.xml" --ctrl sholder=1

# ---- other ways to ask
for version in -V version; do
  expect 0 asked $version
  cmp -s version.out asked.out || fail "$version: $(cat asked.out)"
done
for help in -h help; do
  expect 0 asked $help
  cmp -s help.out asked.out || fail "$help: $(cat asked.out)"
done
expect 0 one grad --help
for help in "grad -h" "help grad" "-h grad" "--help grad" "grad model.xml -h"; do
  # shellcheck disable=SC2086
  expect 0 asked $help
  cmp -s one.out asked.out || fail "$help: $(cat asked.out)"
done
expect 2 unknown help simulate
grep -qF "carom: unknown command 'simulate'" unknown.err || fail "$(cat unknown.err)"

expect 2 none
grep -q "^usage: carom COMMAND" none.err || fail "no usage without arguments"
[ -s none.out ] && fail "usage on standard output"
expect 2 unknown simulate model.xml
grep -qF "carom: unknown command 'simulate'" unknown.err || fail "$(cat unknown.err)"

# ---- every command: options that are none, with an object if one was asked for
for command in check rollout grad fit train; do
  refused 2 "unknown option '--bogus'" $command model.xml --bogus
  [ $command = fit ] || [ $command = train ] || refused 2 "one argument too many" $command model.xml other.xml
  refused 2 "is missing" $command
  refused 2 "--json takes no value" $command model.xml --json=yes
done
expect 2 last check model.xml --json --states
says last "--states: a value is missing"
holds last 'j["error"] == "--states: a value is missing"'
refused 2 "--states: '1.5' is not a whole number" check model.xml --states 1.5
refused 2 "--time: 'soon' is not a number" rollout model.xml --time soon
refused 2 "--time: 'nan' is not a number" rollout model.xml --time=nan
refused 2 "--time: '' is not a number" rollout model.xml --time=

# the command is named once
grep -qx "carom check: MODEL is missing; see carom check --help" <("$CAROM" check 2>&1) ||
  fail "$("$CAROM" check 2>&1)"

# ---- every command that reads a model: files that are none
: > empty.xml
mkdir -p folder.xml
for command in check follow rollout "grad --loss qpos[0] --wrt qpos" bench; do
  expect 2 folder $command folder.xml
  says folder "folder.xml: is a folder, not a file"
  expect 2 none $command none.xml
  says none "none.xml: cannot be opened: No such file or directory"
  expect 2 empty $command empty.xml
  says empty "empty.xml: the file is empty"
done

# ---- zero is a value too, where a number has to be positive
for option in rtol atol grid first-step largest-step adjoint-rtol adjoint-atol softness; do
  expect 2 zero rollout model.xml --$option 0
  says zero "--$option 0: a positive number expected"
done
refused 2 "--max-steps 0: at least 1 expected" rollout model.xml --max-steps 0

# ---- standard output on a full disk
if [ -w /dev/full ]; then
  for options in "--json" ""; do
    "$CAROM" rollout "$data/cube.xml" --time 0.01 $options > /dev/full 2> full.err
    [ $? -eq 2 ] || fail "standard output cannot be written: no exit code 2"
    grep -q "standard output cannot be written" full.err || fail "$(cat full.err)"
  done
fi

finish
