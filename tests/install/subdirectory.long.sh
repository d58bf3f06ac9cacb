#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A project adds the source tree with add_subdirectory and gets the libraries by the same names, and nothing else.
. "$CAROM_SOURCE_DIR/tests/support/install.sh" || exit 1
command_says "$CAROM"
# a MuJoCo of the system: no copy of it is installed
ln -s "$(sed -n 's/^CAROM_MUJOCO_DIR:PATH=//p' "$CAROM_BUILD_DIR/CMakeCache.txt")" "$work/mujoco"
quietly cmake -S "$downstream" -B project -DCAROM_TREE="$CAROM_SOURCE_DIR" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCAROM_MUJOCO_DIR="$work/mujoco"
quietly cmake --build project -j 2
for program in in_c in_c_static; do
  same_gradient project/$program
done
quietly cmake --install project --prefix "$work/tree"
[ -z "$(find tree -type f 2> /dev/null)" ] || fail "add_subdirectory installs $(find tree -type f)"

# asked for, it is installed as by itself, and looks for that MuJoCo where it is
quietly cmake -S "$downstream" -B project -DCAROM_INSTALL=ON
quietly cmake --build project -j 2
quietly cmake --install project --prefix "$work/first"
mv first tree
[ -z "$(find tree -name 'libmujoco*')" ] || fail "a MuJoCo of the system is installed again"
lib=$(dirname "$(find "$work/tree" -name libcarom.a)")
readelf -d "$lib/libcarom.so" | grep -qF "$work/mujoco]" || fail "$(readelf -d "$lib/libcarom.so" | grep RUNPATH)"
quietly cmake -S "$downstream" -B other -DCMAKE_PREFIX_PATH="$work/tree" -DCAROM_WANTED=
quietly cmake --build other
for program in in_c in_cpp in_c_static; do
  same_gradient other/$program
done
finish
