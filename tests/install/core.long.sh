#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The core alone is built and installed without any third-party library, and a program is linked with it.
. "$CAROM_SOURCE_DIR/tests/support/install.sh" || exit 1
quietly cmake -S "$CAROM_SOURCE_DIR" -B build -DCAROM_IO=OFF -DCAROM_TESTS=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo
quietly cmake --build build -j 2
quietly cmake --install build --prefix "$work/first"
mv first tree
lib=$(dirname "$(find "$work/tree" -name libcarom.a)")
readelf -d "$lib/libcarom.so" | awk '/NEEDED/ { print $NF }' | grep -vE '\[(libm|libc|ld-linux.*)\.so' > others
[ ! -s others ] || fail "the core needs $(cat others)"
readelf -d "$lib/libcarom.so" | grep -E 'R(UN)?PATH' && fail "the core has a RUNPATH"
[ ! -e tree/bin ] || fail "the core has programs"
# carom/mujoco.h is Carom's own header, and needs none of MuJoCo's
find tree -name '*mujoco*' ! -path '*/include/carom/mujoco.h' > brought
[ ! -s brought ] || fail "the core brings $(cat brought)"

# it exports every public function, also those that say what they would need; a program sees its version
nm -D --defined-only "$lib/libcarom.so" | awk '{ print $3 }' | sort > exported
sort "$CAROM_SOURCE_DIR/cmake/symbols.txt" | comm -3 - exported > other
[ ! -s other ] || fail "not both in the list and exported: $(cat other)"
cat > version.c << 'C'
#include <carom/carom.h>
#include <stdio.h>
int main(int argc, char** argv) {
  cr_model* m = NULL;
  cr_error error = {0};
  cr_status status = argc > 1 ? cr_model_open(&m, argv[1], &error) : CR_OK;
  (void)printf("%s %s %d%s\n", cr_version(), cr_status_text(status), cr_model_count(m, "nq"), error.text);
  cr_model_destroy(m);
  mjModel* mj = NULL;
  cr_check* check = NULL;
  if (argc > 2) {
    (void)cr_mujoco_compile(&mj, argv[1], NULL, NULL, &error);
    (void)printf("%s\n", error.text);
    (void)cr_recordings_read(NULL, NULL, argv[2], &error);
    (void)printf("%s\n", error.text);
    (void)cr_check_create(&check, &error);
    (void)printf("%s\n", error.text);
  }
  return 0;
}
C
cat > CMakeLists.txt << 'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(core LANGUAGES C)
find_package(carom REQUIRED COMPONENTS static)
add_executable(shared version.c)
target_link_libraries(shared PRIVATE carom::carom)
add_executable(static version.c)
target_link_libraries(static PRIVATE carom::carom_static)
CMAKE
quietly cmake -S . -B project -DCMAKE_PREFIX_PATH="$work/tree"
quietly cmake --build project
eval "flags=($(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs carom))"
# shellcheck disable=SC2154
quietly gcc version.c -o by_pkg_config "${flags[@]}" "-Wl,-rpath,$lib"
# a model file that the command wrote opens in the core; MJCF says what it needs
"$CAROM" rollout "$CAROM_SOURCE_DIR/examples/arm.xml" --save-model arm.crm > /dev/null || fail "no model file"
for program in project/shared project/static ./by_pkg_config; do
  said="$($program arm.crm)"
  [ "$said" = "$(head -n 1 "$CAROM_SOURCE_DIR/VERSION") success 2" ] || fail "$program: $said"
  said="$($program "$CAROM_SOURCE_DIR/examples/arm.xml")"
  case $said in *"need a library built with libmujoco"*) ;; *) fail "$program: $said" ;; esac
  said="$($program arm.crm all | tail -n +2)"
  [ "$said" = "cr_mujoco_compile: this library was built without libmujoco (CAROM_IO=OFF)
cr_recordings_read: this library was built without HDF5 (CAROM_IO=OFF)
cr_check_create: this library was built without libmujoco (CAROM_IO=OFF)" ] || fail "$program: $said"
done
finish
