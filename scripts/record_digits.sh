#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records the digits (tests/golden/digits.c) of every model below some folders, in double and in extended
# precision:  scripts/record_digits.sh OUT FOLDER...   needs `make tests`; writes OUT/double.txt and
# OUT/extended.txt. Before and after a change:  scripts/compare_digits.py BEFORE/extended.txt AFTER/extended.txt 1e-13
set -eu
out=$1
shift
mkdir -p "$out/models"
for folder in "$@"; do
  find "$folder" -name '*.xml' -o -name '*.urdf' | sort | while read -r path; do
    name=$(echo "$path" | tr '/ ' '__')
    [ -e "$out/models/$name.crm" ] && continue
    save="--save-model $out/models/$name.crm --force"
    said=$(timeout 60 build/tests/carom rollout "$path" --time 0.01 $save 2>&1 > /dev/null) ||
      timeout 60 build/tests/carom rollout "$path" --time "$(echo "$said" | sed -n 's/.*not a multiple of the time step //p')" \
        $save > /dev/null 2>&1 || true
  done
done
for precision in "" .long_double; do
  file=$out/double.txt
  [ -z "$precision" ] || file=$out/extended.txt
  for model in "$out"/models/*.crm; do
    timeout 300 build/tests/tests/carom_digits$precision "$model" || echo "$(basename "$model") stopped 0 0"
  done > "$file"
  wc -l "$file"
done
