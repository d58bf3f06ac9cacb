#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Debian package of the build, unpacked into a folder: the command runs from there, and what a package
# needs is in it.
. "$CAROM_SOURCE_DIR/tests/support/install.sh" || exit 1
if ! command -v dpkg-shlibdeps > /dev/null; then
  echo "there is no dpkg-dev here: nothing is packed"
  exit 0
fi
quietly cpack --config "$CAROM_BUILD_DIR/CPackConfig.cmake" -B "$work/package"
version=$(head -n 1 "$CAROM_SOURCE_DIR/VERSION")
package=package/carom_${version}_$(dpkg --print-architecture).deb
[ -s "$package" ] || fail "there is no $package: $(ls package)"
[ "$(dpkg-deb -f "$package" Package Version | awk '{ print $2 }' | xargs)" = "carom $version" ] || fail "name, version"
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libhdf5 libnlopt0 libopenblas0 libcyaml1 libexpat1 zlib1g; do
  [[ $depends == *$library* ]] || fail "the package depends on $depends, not on $library"
done
dpkg-deb -x "$package" root
dpkg-deb -e "$package" control
# the version of the SONAME: what dpkg-shlibdeps of another package looks up
soname=$(readelf -d root/usr/lib/libcarom.so | sed -n 's/.*soname: \[libcarom\.so\.\(.*\)\]/\1/p')
grep -qxF "libcarom $soname carom (>= $version)" control/shlibs || fail "shlibs: $(cat control/shlibs)"
grep -q ldconfig control/triggers || fail "no trigger of ldconfig"
(cd root && quietly md5sum --quiet -c ../control/md5sums)
finds_beside root/usr/bin/carom root
command_says root/usr/bin/carom
for file in bin/carom lib/libcarom.so lib/carom/libmujoco.so.4.0.0 lib/pkgconfig/carom.pc include/carom/carom.h \
  share/man/man1/carom-grad.1.gz share/bash-completion/completions/carom share/zsh/vendor-completions/_carom \
  share/doc/carom/copyright share/doc/carom/{changelog,NEWS}.gz share/doc/carom/mujoco/LICENSE; do
  [ -s "root/usr/$file" ] || fail "usr/$file is not in the package"
done
dpkg-deb -c "$package" | awk '$2 != "root/root" || $1 ~ /^[^l].*w.*w/ { print }' > open
[ ! -s open ] || fail "files that others than root may change: $(cat open)"
if command -v lintian > /dev/null; then
  lintian --allow-root --fail-on error,warning "$package" > lintian.out 2>&1 || fail "lintian: $(cat lintian.out)"
fi
finish
