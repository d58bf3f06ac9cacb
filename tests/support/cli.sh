# SPDX-License-Identifier: Apache-2.0
# What the scripts of tests/cli share; to be sourced. They run in a folder of their own, and end with
# `finish`.
set -u
data=$CAROM_SOURCE_DIR/tests/data
work=$(mktemp -d "$CAROM_BUILD_DIR/cli.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect CODE NAME ARGUMENTS...: runs carom, leaves its output in NAME.out and NAME.err
expect() {
  local code=$1 name=$2
  shift 2
  "$CAROM" "$@" > "$name.out" 2> "$name.err"
  local got=$?
  [ $got -eq "$code" ] || fail "carom $*: exit code $got, expected $code: $(cat "$name.err")"
}

# says NAME WORDS: the error is one line, and names what is wrong
says() {
  grep -qF -- "$2" "$1.err" || fail "'$(cat "$1.err")' does not say '$2'"
  [ "$(wc -l < "$1.err")" -eq 1 ] || fail "not one line: $(cat "$1.err")"
}

# holds NAME EXPRESSIONS...: each is true of the JSON object j in NAME.out
holds() {
  local name=$1
  shift
  python3 - "$name.out" "$@" << 'PYTHON' || fail "$name: $(head -c 2000 "$name.out")"
import json, math, sys
j = json.load(open(sys.argv[1]))
def close(a, b, tolerance=1e-6):
    """Numbers, or lists of them, relative to the largest."""
    flat = lambda x: [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
    a, b = flat(a), flat(b)
    scale = max([abs(x) for x in b] + [1e-9])
    return len(a) == len(b) and all(abs(x - y) <= tolerance * scale for x, y in zip(a, b))
for expression in sys.argv[2:]:
    if not eval("(" + expression + ")"):
        print("not true:", expression)
        sys.exit(1)
PYTHON
}

# refused CODE WORDS ARGUMENTS...: one clear sentence, with --json also as `error` of the object
refused() {
  local code=$1 words=$2
  shift 2
  expect "$code" plain "$@"
  says plain "$words"
  [ -s plain.out ] && fail "carom $*: something on standard output: $(cat plain.out)"
  expect "$code" json "$@" --json
  says json "$words"
  WORDS=$words holds json '__import__("os").environ["WORDS"] in j["error"]'
}

# has_ranks: mpirun starts this carom as several ranks; then RANKS begins such a command, and -n N ARGUMENTS... follow
has_ranks() {
  command -v mpirun > /dev/null && ldd "$CAROM" | grep -q libmpi || return 1
  RANKS=(env "LSAN_OPTIONS=${LSAN_OPTIONS:-}:detect_leaks=0" mpirun)  # what MPI itself leaves behind is not ours
  mpirun --version | grep -q "Open MPI" && RANKS+=(--oversubscribe)
  mpirun --version | grep -q "Open MPI" && [ "$(id -u)" -eq 0 ] && RANKS+=(--allow-run-as-root)
  return 0
}

finish() {
  [ $failures -eq 0 ] && echo "all as it should be"
  exit $((failures > 0))
}
