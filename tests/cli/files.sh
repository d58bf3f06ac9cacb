#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files that lie, runs that share an output, runs that are ended from outside.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

# bend IN OUT FIELD INDEX VALUE: a number of a model file changed, the checksum made right
bend() {
  python3 - "$@" << 'PYTHON'
import struct, sys
source, target, field, index, value = sys.argv[1:]
b, at = bytearray(open(source, "rb").read()), 16
while at < len(b) - 8:
    length = b[at]
    name, kind = b[at + 1:at + 1 + length].decode(), chr(b[at + 1 + length])
    count = struct.unpack_from("<Q", b, at + 2 + length)[0]
    at += 10 + length
    size = {"d": 8, "i": 4, "c": 1}[kind]
    if name == field:
        number = float(value) if kind == "d" else int(value)
        struct.pack_into("<" + {"d": "d", "i": "i"}[kind], b, at + size * int(index), number)
    at += size * count
checksum = 0xCBF29CE484222325
for byte in b[:-8]:
    checksum = (checksum ^ byte) * 0x100000001B3 % 2**64
b[-8:] = struct.pack("<Q", checksum)
open(target, "wb").write(b)
PYTHON
}

# ---- model files
for name in tendon_rows shapes walker; do
  expect 0 made rollout "$data/$name.xml" --time 0.002 --save-model $name.crm
done
# lies MODEL FIELD INDEX VALUE WORDS
lies() {
  bend "$1.crm" lie.crm "$2" "$3" "$4" || fail "$2 is no field"
  expect 2 lie rollout lie.crm --time 0.002
  says lie "$5"
}
lies walker tree_dofnum 0 5 "tree_dofnum[0] is 5, but parents and joints make it"
lies walker body_parentid 3 3 "body_parentid is 3, but a parent comes before its children"
lies walker geom_bodyid 2 -1 "geom_bodyid is -1, out of range [0, "
lies walker actuator_trnid 0 2147483647 "actuator_trnid is no joint (2.14748365e+09)"
lies walker nbody 0 2147483647 "nbody is 2147483647"
lies walker nkey 0 1000 "'key_time' has 1000 rows, more than the file holds"
lies walker none 0 9 "the count 'none' is 9; in every model it is 1"
lies walker body_mass 1 -1 "body_mass is negative (-1)"
lies walker geom_condim 0 5 "geom_condim is no choice (5)"
lies walker geom_size 1 nan "geom_size is not finite"
lies tendon_rows site_bodyid 1 4 "ten_J_rownnz leaves out a dof that moves its path"
lies shapes hfield_data 3 1e247 "hfield_data is longer than 1e10 m"

# ---- results of an earlier fit stay
small=(fit "$CAROM_SOURCE_DIR/examples/cube_side.yaml" --set made.tosses=4 made.rows=30 made.tolerance=10
       optimisers.0.iterations=2 --threads 1 --out results)
expect 0 first "${small[@]}"
cp results/result.json kept.json
expect 2 again "${small[@]}"
says again "results: holds result.json of an earlier fit; --force overwrites it, --resume goes on"
cmp -s results/result.json kept.json || fail "a fit that was refused changed the results"
expect 0 forced "${small[@]}" --force
expect 0 resumed "${small[@]}" --resume

# ---- one run at a time writes to a folder
exec 9< results
flock 9
expect 2 shared "${small[@]}" --force
says shared "results: another run is writing to this folder"
flock -u 9

# ---- asked to end, a fit saves what it has
for signal in TERM HUP; do
  rm -rf ended
  "$CAROM" fit "$CAROM_SOURCE_DIR/examples/cube_side.yaml" --threads 1 --out ended > ended.out 2> ended.err &
  process=$!
  for _ in $(seq 1000); do
    [ -e ended/history.csv ] && [ "$(wc -l < ended/history.csv)" -ge 2 ] && break
    sleep 0.02
  done
  kill -$signal $process
  wait $process
  code=$?
  [ $code -eq 130 ] || fail "SIG$signal: exit code $code: $(cat ended.err)"
  says ended "--resume goes on"
  [ -s ended/checkpoint.txt ] || fail "SIG$signal: nothing saved"
done

# ---- two batches with one output: one of them has it, the other says so
batch=(batch "$data/walker.xml" --time 0.1 --threads 1 --chunk 5 --loss 'norm(qpos)^2' --wrt qpos --random qvel=0.5)
expect 0 alone "${batch[@]}" --count 60 --out alone.h5
"$CAROM" "${batch[@]}" --count 4000 --out both.h5 > long.out 2> long.err &
process=$!
for _ in $(seq 500); do
  [ -s both.h5.part ] && break
  sleep 0.02
done
expect 2 other "${batch[@]}" --count 60 --out both.h5
says other "both.h5.part: another run is writing to this file"
kill $process
wait $process 2> /dev/null
expect 0 later "${batch[@]}" --count 60 --out both.h5
cmp -s alone.h5 both.h5 || fail "after a run that was killed: other bytes"

finish
