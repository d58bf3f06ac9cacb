#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The build is installed and moved; the command runs from there, and programs in C and C++ are built against
# it with pkg-config and with find_package, and say what the command says.
. "$CAROM_SOURCE_DIR/tests/support/install.sh" || exit 1

quietly cmake --install "$CAROM_BUILD_DIR" --prefix "$work/first"
mv first "moved tree"
tree="$work/moved tree"
lib=$(dirname "$(find "$tree" -name libcarom.a)")

# ---- what is there
version=$(head -n 1 "$CAROM_SOURCE_DIR/VERSION")
soname=libcarom.so.$(echo "$version" | sed 's/^\(0\.[0-9]*\)\..*/\1/; s/^\([1-9][0-9]*\)\..*/\1/')
readelf -d "$lib/libcarom.so" | grep -qF "Library soname: [$soname]" || fail "SONAME is not $soname"
[ "$(readlink "$lib/libcarom.so")" = "$soname" ] || fail "libcarom.so is no link to $soname"
[ "$(readlink "$lib/$soname")" = "libcarom.so.$version" ] || fail "$soname is no link to libcarom.so.$version"
nm -D --defined-only "$lib/libcarom.so" | awk '{ print $3 }' | sort > exported
sort "$CAROM_SOURCE_DIR/cmake/symbols.txt" | diff exported - > symbols.diff || fail "exported: $(cat symbols.diff)"
quietly python3 "$CAROM_SOURCE_DIR/scripts/check_headers.py" "$tree/include"
(cd "$tree/include" && find . -name '*.h' | sort) > headers
(cd "$CAROM_SOURCE_DIR/include" && find . -name '*.h' | sort) | diff headers - || fail "other headers"
for file in share/doc/carom/{LICENSE,CHANGELOG.md,mujoco/LICENSE} share/man/man1/carom{,-grad}.1 \
  share/bash-completion/completions/carom share/zsh/site-functions/_carom \
  share/fish/vendor_completions.d/carom.fish; do
  [ -s "$tree/$file" ] || fail "$file is not installed"
done
# nothing in it knows where it was built or first installed
grep -rlF -e "$work/first" -e "$CAROM_BUILD_DIR" "$tree/share" "$lib/cmake" "$lib/pkgconfig" "$tree/include" > known
[ ! -s known ] || fail "paths of the build in $(cat known)"
for file in "$tree/bin/carom" "$lib/libcarom.so"; do
  readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -F "$CAROM_SOURCE_DIR" && fail "$file looks in the source tree"
  finds_beside "$file" "$tree"
done

# ---- the command and the library from the moved tree
command_says "$tree/bin/carom"

# ---- C with pkg-config, shared and static
export PKG_CONFIG_PATH=$lib/pkgconfig
[ "$(pkg-config --modversion carom)" = "$version" ] || fail "carom.pc: another version"
eval "flags=($(pkg-config --cflags --libs carom))"
# shellcheck disable=SC2154
quietly gcc -std=c11 -Wall -Werror "$downstream/main.c" -o by_pkg_config "${flags[@]}" "-Wl,-rpath,$lib" -lm
finds_beside by_pkg_config "$tree"
same_gradient ./by_pkg_config
eval "flags=($(pkg-config --cflags --libs --static carom | sed 's/-lcarom\b/-l:libcarom.a/'))"
quietly gcc -std=c11 "$downstream/main.c" -o by_pkg_config_static "${flags[@]}"
ldd by_pkg_config_static | grep libcarom && fail "the static program needs libcarom.so"
same_gradient ./by_pkg_config_static
unset PKG_CONFIG_PATH

# ---- C and C++ with find_package
quietly cmake -S "$downstream" -B project -DCMAKE_PREFIX_PATH="$tree" -DCAROM_WANTED="${version%.*}" \
  -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror"
quietly cmake --build project
for program in in_c in_cpp in_c_static; do
  finds_beside project/$program "$tree"
  same_gradient project/$program
done
# without the packages of a static link there is the shared library all the same, and a sentence
mkdir bare
cat > bare/CMakeLists.txt << 'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(bare LANGUAGES C)
find_package(carom REQUIRED ${COMPONENTS})
get_target_property(where carom::carom LOCATION)
CMAKE
mkdir empty
PKG_CONFIG_LIBDIR=$work/empty quietly cmake -S bare -B bare/shared -DCMAKE_PREFIX_PATH="$tree"
PKG_CONFIG_LIBDIR=$work/empty cmake -S bare -B bare/static -DCMAKE_PREFIX_PATH="$tree" "-DCOMPONENTS=COMPONENTS;static" \
  > static.log 2>&1 && fail "find_package(carom COMPONENTS static) is content without HDF5"
tr -s ' \n' ' ' < static.log | grep -qF "the static library also needs: hdf5" || fail "$(cat static.log)"
# another minor version may have another API before 1.0, another major one after
cmake -S "$downstream" -B other -DCMAKE_PREFIX_PATH="$tree" -DCAROM_WANTED=99.0 > other.log 2>&1 &&
  fail "find_package(carom 99.0) is content with $version"
case $version in
0.*)
  cmake -S "$downstream" -B other -DCMAKE_PREFIX_PATH="$tree" -DCAROM_WANTED=0.0.9 > other.log 2>&1 &&
    fail "find_package(carom 0.0.9) is content with $version"
  ;;
esac

# ---- into a staging folder, and away again
DESTDIR=$work/stage quietly cmake --install "$CAROM_BUILD_DIR" --prefix "/opt/a b"
mkdir -p "stage/opt/a b/include/carom" && : > "stage/opt/a b/include/carom/mine.h"
quietly sh "$CAROM_SOURCE_DIR/scripts/uninstall.sh" "$CAROM_BUILD_DIR" "/opt/a b" "$work/stage"
left=$(cd stage && find . ! -type d)
[ "$left" = "./opt/a b/include/carom/mine.h" ] || fail "make uninstall leaves: $left"
[ ! -e "stage/opt/a b/lib/carom" ] || fail "make uninstall leaves lib/carom"
finish
