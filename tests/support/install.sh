# SPDX-License-Identifier: Apache-2.0
# What the scripts of tests/install share, beside what tests/support/cli.sh has.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
downstream=$CAROM_SOURCE_DIR/tests/install/downstream
model=$CAROM_SOURCE_DIR/examples/cube_toss.xml
# nothing but what a test says is to be found
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH DESTDIR

# quietly WORDS...: runs a command; its output is shown only where it fails
quietly() {
  "$@" > quiet.log 2>&1 || fail "$*: $(tail -n 40 quiet.log)"
}

# command_says CAROM: the gradient of the downstream programs, as a command gives it, in command.out
command_says() {
  "$1" grad "$model" --time 0.5 --set 'qvel[0]=1' 'qvel[4]=-6' --loss 'qpos[0]' --wrt qvel --json \
    > command.out 2> command.err || fail "$1 grad: $(cat command.err)"
}

# same_gradient PROGRAM...: what it prints is what the command says, and of the version in the tree
same_gradient() {
  "$@" "$model" > program.out 2> program.err || fail "$*: $(cat program.err)"
  VERSION=$(head -n 1 "$CAROM_SOURCE_DIR/VERSION") holds program \
    'j["version"] == __import__("os").environ["VERSION"]' \
    'j["loss"] == json.load(open("command.out"))["loss"]' \
    'j["gradient"] == json.load(open("command.out"))["gradient"]' \
    'any(abs(x) > 0.01 for x in j["gradient"]["qvel"])'
}

# finds_beside FILE TREE: a program or library finds all it needs, libmujoco and libcarom in the tree
finds_beside() {
  ldd "$1" > ldd.out
  grep -q "not found" ldd.out && fail "$1: $(cat ldd.out)"
  grep -E 'lib(mujoco|carom)' ldd.out | grep -vF "$(realpath "$2")" | while read -r line; do
    case $(realpath "$(echo "$line" | awk '{ print $3 }')") in
    "$(realpath "$2")"/*) ;;
    *) echo "$line" ;;
    esac
  done > astray.out
  [ ! -s astray.out ] || fail "$1 finds outside $2: $(cat astray.out)"
}
