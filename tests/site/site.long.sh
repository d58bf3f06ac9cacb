#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The documentation site of `make docs`: built strictly, without a broken link; every public function, option and page is in it
# and in its search; nothing is fetched from elsewhere. A link that leads nowhere fails the build. Where the generator cannot be
# installed it says so, and builds nothing.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
python=${SITE_PYTHON:-$CAROM_BUILD_DIR/docs/python/bin/python}
if [ ! -x "$python" ]; then
  mkdir -p "$CAROM_BUILD_DIR/docs"
  if ! { python3 -m venv "$CAROM_BUILD_DIR/docs/python" &&
    "$python" -m pip install -q --disable-pip-version-check -r "$CAROM_SOURCE_DIR/scripts/site/requirements.txt"; } > pip.log 2>&1; then
    rm -rf "$CAROM_BUILD_DIR/docs/python"
    echo "the generator of the site cannot be installed here ($(tail -n 1 pip.log)): nothing is built"
    exit 0
  fi
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$CAROM_SOURCE_DIR/tests/support
"$python" "$CAROM_SOURCE_DIR/scripts/site/make_site.py" "$CAROM" out > site.log 2>&1 || fail "the site: $(cat site.log)"
"$python" "$CAROM_SOURCE_DIR/tests/support/site_pages.py" "$CAROM_SOURCE_DIR" "$CAROM" out || fail "what is in the site"

# what a link that leads nowhere does, in a copy of the pages
mkdir tree
tar -C "$CAROM_SOURCE_DIR" --exclude=./build --exclude=./.git -cf - . | tar -C tree -xf - || fail "no copy of the pages"
echo 'See [this](no_such_page.md) and [that](trust.md#no-such-heading).' >> tree/docs/view.md
"$python" tree/scripts/site/make_site.py "$CAROM" broken > broken.log 2>&1 && fail "links that lead nowhere are accepted"
grep -q "no_such_page.md" broken.log || fail "the page that is not there: $(cat broken.log)"
grep -q "no-such-heading" broken.log || fail "the heading that is not there: $(cat broken.log)"
echo '# A page that nobody finds' > tree/docs/lost.md
"$python" tree/scripts/site/make_site.py "$CAROM" lost > lost.log 2>&1 && fail "a page that docs/README.md does not list is accepted"
grep -q "docs/README.md does not list docs/lost.md" lost.log || fail "$(cat lost.log)"

if python3 -c 'import browser, sys; sys.exit(browser.program() is None)'; then
  python3 "$CAROM_SOURCE_DIR/tests/support/look_site.py" "$work/out/site" || fail "the site in a browser"
fi
finish
