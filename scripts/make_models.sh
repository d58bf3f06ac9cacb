#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/models.md: carom check over all models of the folders given, a section each.
# Usage: make_models.sh CAROM OUTPUT FOLDER... (STATES: states a model, 20 if not set)
set -eu

carom=$1
output=$2
shift 2
table=$output.table.md
part=$output.part
trap 'rm -f "$table" "$part"' EXIT
failed=0
states=${STATES:-20}

{
  echo "# Models"
  echo
  echo "Made by \`make models\` ($(date -u +%Y-%m-%d)), Carom $("$carom" --version), from"
  sed -n 's/^\([a-z_]*\)==\([0-9.]*\).*/`\1` \2,/p' cmake/models.txt | paste -sd' ' |
    sed 's/,$/ (PyPI; `cmake\/models.txt` has their hashes)./'
  cat << TEXT

Every MJCF and URDF file below each folder is listed. Each model that loads is compared with MuJoCo 4.0.0 at $states states by \`carom check\`:
TEXT
  cat << 'TEXT'

- *parity*: the largest difference of a field relative to the field's size; bound 1e-9. Contacts of general convex pairs (ellipsoid,
  cylinder, mesh) are compared by their distance, which is unique (bound 1e-6 of the geoms' size). MuJoCo then computes with Carom's
  contacts, so that the same 1e-9 holds for all other fields.
- *gradient*: the worst entry of the vjp of a step against extrapolated differences, of state, controls and all parameters (in large models
  a sample of each field); bound 1e-6. *kinks*: entries, of all, that are not compared. Their two sides differ in discrete state, or
  rows that move nothing leave only round-off times their forces (`src/rollout/step_check.h`); bound one in five.
- *dot product*: jvp against vjp; bound 1e-10.
- times in microseconds, with several models at once on one machine, so only a rough guide (bench/RESULTS.md has better ones). FD is
  `mjd_transitionFD`.

*refused*: the model uses an unsupported feature; the first one is given. *fragment*: no model by itself. *MuJoCo refuses*: libmujoco
does not compile the file in its place; its sentence is given.
TEXT
} > "$part"

for folder in "$@"; do
  echo "$folder"
  "$carom" check --all "$folder" --states "$states" --markdown "$table" --force || failed=1
  printf '\n## %s\n\n' "$(basename "$folder")" >> "$part"
  cat "$table" >> "$part"
done
mv "$part" "$output"
echo "Wrote $output"
exit $failed
