#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A project adds the source tree with add_subdirectory and gets the libraries by the same names, and nothing else.
. "$CAROM_SOURCE_DIR/tests/support/install.sh" || exit 1
command_says "$CAROM"
quietly cmake -S "$downstream" -B project -DCAROM_TREE="$CAROM_SOURCE_DIR" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCAROM_MUJOCO_DIR="$(sed -n 's/^CAROM_MUJOCO_DIR:PATH=//p' "$CAROM_BUILD_DIR/CMakeCache.txt")"
quietly cmake --build project -j 2
for program in in_c in_c_static; do
  same_gradient project/$program
done
quietly cmake --install project --prefix "$work/tree"
[ -z "$(find tree -type f 2> /dev/null)" ] || fail "add_subdirectory installs $(find tree -type f)"
finish
