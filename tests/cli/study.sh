#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study: bad input is refused with a sentence; a study that is interrupted goes on to the same
# table; any number of threads gives the same digits.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

refused 2 "there is no study 'toys'; did you mean 'toy'?" study toys
refused 2 "there is no study 'marbles'; known: toy, toss" study marbles
refused 2 "the study 'toy' takes no recorded data" study toy --data x.h5
refused 2 "--threads -1" study toy --threads -1
refused 2 "settings.txt: cannot be read" study toy --resume --output none
refused 2 "NAME is missing" study

expect 0 one study toy --short --threads 1 --output one
grep -q "All of this holds" one.out || fail "no verdict: $(cat one.out)"
refused 2 "one: holds result.json of an earlier run; --force overwrites it" study toy --short --output one
expect 0 many study toy --short --threads 3 --json --output many
holds many 'j["passed"] and j["study"] == "toy"'
cmp -s one/toy.csv many/toy.csv || fail "three threads: another table"

# as if it had been interrupted behind 20 rows
cp -r one cut
head -21 one/toy.csv > cut/toy.csv
rm cut/report.txt
expect 0 cut study toy --short --resume --output cut
cmp -s one/toy.csv cut/toy.csv || fail "resumed: another table"
refused 2 "the settings are not those of this study" study toy --resume --output cut
head -c 700 one/toy.csv > cut/toy.csv
refused 2 "does not fit this table" study toy --short --resume --output cut

# Ctrl-C
"$CAROM" study toy --output stopped --threads 1 > stopped.out 2> stopped.err &
process=$!
for _ in $(seq 500); do
  [ -e stopped/wall.xml ] && break
  sleep 0.01
done
kill -INT $process
wait $process
code=$?
[ $code -eq 130 ] || fail "interrupted: exit code $code: $(cat stopped.err)"
says stopped "continue with --resume"
[ -e stopped/toy.csv ] || fail "interrupted: no table"

# Ctrl-C within a row that takes long
"$CAROM" study robot --output robot --threads 1 > robot.out 2> robot.err &
process=$!
for _ in $(seq 3000); do
  [ -e robot/arm_0.csv ] && break
  sleep 0.01
done
kill -INT $process
wait $process
code=$?
[ $code -eq 130 ] || fail "robot, interrupted: exit code $code: $(cat robot.err)"
says robot "continue with --resume"

"$CAROM" study --help | grep -q "a mass and a wall" || fail "--help does not list the studies"

finish
