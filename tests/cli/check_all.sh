#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom check --all: a folder and a list, every kind of row, files, one bad model beside good ones.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

mkdir -p zoo/sub/.hidden
cp "$data/cube.xml" zoo/cube.xml
cp "$data/double_pendulum.xml" zoo/sub/pendulum.mjcf
echo '<mujoco><worldbody><body/>' > zoo/cut.xml
echo '<mujoco><include file="./sub/part.xml"/></mujoco>' > zoo/whole.xml
echo '<mujoco><worldbody><body><joint/></body></worldbody></mujoco>' > zoo/sub/part.xml
echo '<mujocoinclude><light/></mujocoinclude>' > zoo/sub/light.xml
echo '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>' > zoo/still.xml
echo '<mujoco><option><flag sleep="enable"/></option><worldbody><body><freejoint/><geom size=".1"/>
</body></worldbody></mujoco>' > zoo/sleepy.xml
echo '<mujoco>' > zoo/.dot.xml
echo '<mujoco>' > zoo/sub/.hidden/not.xml
echo 'no model' > zoo/notes.txt

# row NAME KIND: the table in zoo.csv has this row
row() {
  grep -qE "^\"$1\",[0-9]+,$2," zoo.csv || fail "$1 is not '$2': $(grep "^\"$1\"" zoo.csv)"
}

expect 0 all check --all zoo --states 2 --csv zoo.csv --markdown zoo.md
row cube.xml passed
row sub/pendulum.mjcf passed
row still.xml passed
row sleepy.xml refused
row cut.xml "MuJoCo refuses"
row sub/part.xml fragment
row sub/light.xml fragment
row whole.xml "MuJoCo refuses"
grep -qx "Wrote zoo.csv" all.out || fail "the table is not named: $(tail -n 3 all.out)"
expect 2 there check --all zoo --csv zoo.csv
says there "--csv zoo.csv: it exists; --force overwrites it"
expect 2 there check --all zoo --csv zoo.txt
says there "--csv zoo.txt: a name that ends in .csv is expected"
[ "$(wc -l < zoo.csv)" -eq 9 ] || fail "not nine lines: $(cat zoo.csv)"
grep -q "8 files: 3 passed, 0 FAILED, 1 refused, 2 fragments, 2 that MuJoCo refuses" all.out ||
  fail "the sum: $(tail -n 1 all.out)"
grep -q "included by whole.xml" all.out || fail "it does not say who includes the part"
grep -q "flag 'sleep' (enabled)" all.out || fail "it does not say why sleepy.xml is refused"
[ "$(grep -c '^| ' zoo.md)" -eq 9 ] || fail "not nine lines of Markdown: $(cat zoo.md)"
python3 - << 'PYTHON' || fail "zoo.csv: $(cat zoo.csv)"
import csv
rows = {r["model"]: r for r in csv.DictReader(open("zoo.csv"))}
assert [r for r in rows] == sorted(rows)
cube = rows["cube.xml"]
assert cube["nv"] == "6" and 0 <= float(cube["parity"]) < 1e-9 and 0 < float(cube["gradient"]) < 1e-6
assert all(float(cube[k]) > 0 for k in ("mj_step_us", "step_us", "step_vjp_us", "samples"))
assert rows["sleepy.xml"]["nv"] == "6" and rows["sleepy.xml"]["parity"] == ""
PYTHON

# the table does not depend on how many run at once, but for the times
expect 0 one check --all zoo --states 2 --jobs 1 --csv one.csv
[ "$(cut -d, -f1-8 zoo.csv)" = "$(cut -d, -f1-8 one.csv)" ] || fail "another table with one at once"

# a list, with paths as they are from its folder
printf '# two of them\n\n  cube.xml  # this\r\nsub/pendulum.mjcf\nnone.xml\n' > zoo/some.txt
expect 0 list check --all zoo/some.txt --states 1
grep -qE "^cube.xml +6 passed" list.out || fail "the list: $(cat list.out)"
grep -q "none.xml.*cannot be opened" list.out || fail "a file that is not there: $(cat list.out)"

# ---- one that crashes, one that does not end, one that is wrong
cat > bad.c << 'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int wrong;
void* mj_loadXML(const char* path, const void* vfs, char* error, int n);
void* mj_loadXML(const char* path, const void* vfs, char* error, int n) {
  void* (*load)(const char*, const void*, char*, int);
  void* symbol = dlsym(RTLD_NEXT, "mj_loadXML");
  memcpy(&load, &symbol, sizeof load);
  if (strstr(path, "crash")) abort();
  if (strstr(path, "hang")) sleep(60);
  wrong = strstr(path, "wrong") != NULL;
  return load(path, vfs, error, n);
}
void mj_step(const void* m, void* d);
void mj_step(const void* m, void* d) {
  void (*step)(const void*, void*);
  void* symbol = dlsym(RTLD_NEXT, "mj_step");
  memcpy(&step, &symbol, sizeof step);
  step(m, d);
  if (wrong) step(m, d);
}
C
if ! ldd "$CAROM" | grep -q "lib[at]san" && cc -shared -fPIC -o bad.so bad.c -ldl; then
  mkdir bad
  for name in crash good hang wrong; do cp "$data/double_pendulum.xml" bad/$name.xml; done
  LD_PRELOAD=$PWD/bad.so expect 1 bad check --all bad --states 2 --limit 12 --csv zoo.csv --force
  row crash.xml FAILED
  row good.xml passed
  row hang.xml FAILED
  row wrong.xml FAILED
  grep -q "crash.xml.*crashed: Abort" bad.out || fail "no word of the crash: $(cat bad.out)"
  grep -q "hang.xml.*not done after 12 s" bad.out || fail "no word of the limit: $(cat bad.out)"
  grep -q "wrong.xml.*parity .* after " bad.out || fail "no word of the parity: $(cat bad.out)"
else
  echo "not tested: models that crash, hang or fail"
fi

# ---- bad input
mkdir empty
expect 2 no check --all empty
says no "empty: no models in this folder"
expect 2 no check --all none
says no "none: cannot be opened"
expect 2 no check --all zoo --json
says no "--json is for one model"
expect 2 no check --all zoo --limit 0
says no "--limit 0: at least 1 expected"
expect 2 no check --all zoo --jobs 100
says no "--jobs 100: 1 to 64 expected"
expect 2 no check --all zoo --ground
says no "--ground: for one model, not with --all"
expect 2 no check --all
says no "MODEL is missing"
expect 2 no check --all zoo/some.txt --states 1 --csv none/table.csv
says no "none/table.csv"
[ -s no.out ] && fail "the models ran before the table could not be written: $(cat no.out)"
finish
