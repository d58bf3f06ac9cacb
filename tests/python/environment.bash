# SPDX-License-Identifier: Apache-2.0
# For the tests of this folder: installs the packages of requirements.txt once, in a virtual environment of the build folder, and
# builds the package against the libcarom of the build. Sets `python` and `package`.
venv=$CAROM_BUILD_DIR/python/venv
wanted=$CAROM_SOURCE_DIR/tests/python/requirements.txt
if ! cmp -s "$wanted" "$venv/installed.txt"; then
  mkdir -p "$CAROM_BUILD_DIR/python"
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  cp "$wanted" "$venv/installed.txt"
fi
python=$venv/bin/python
package=$CAROM_BUILD_DIR/python/package
"$python" "$CAROM_SOURCE_DIR/python/build_here.py" "$CAROM_BUILD_DIR/libcarom.so" "$package"
cd "$package"
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1
