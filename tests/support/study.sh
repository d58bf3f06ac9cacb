# SPDX-License-Identifier: Apache-2.0
# The short variant of one study: what it claims holds, and its files are there. To be sourced with
# the name of the study; ends with `finish`, as tests/support/cli.sh.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

# study NAME TABLES...: exit code 0, every claim holds, tables, picture, report and result are there
study() {
  local name=$1
  shift
  expect 0 "$name" study "$name" --short --json --output "$name"
  holds "$name" 'j["passed"] and j["short"] and len(j["claims"]) > 0' \
    'all(c["holds"] for c in j["claims"])'
  for file in "${name//-/_}.png" "${name//-/_}.gp" report.txt result.json "$@"; do
    [ -s "$name/$file" ] || fail "$name/$file is missing"
  done
}
