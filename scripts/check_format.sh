#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares every C file with what clang-format 14 makes of it; with --fix, rewrites the files.
# Another version formats differently, so with it (or with none) the check says so and is skipped.
set -eu

tool=clang-format-14
command -v $tool > /dev/null || tool=clang-format
if ! $tool --version 2> /dev/null | grep -q 'version 14\.'; then
  echo "check_format: clang-format 14 is not here, skipped"
  exit 0
fi

files=$(find include src tests bench examples python -name '*.[ch]' 2> /dev/null | sort)
if [ "${1:-}" = "--fix" ]; then
  $tool --style=file -i $files
  exit 0
fi

wrong=0
for file in $files; do
  if ! $tool --style=file "$file" | cmp -s - "$file"; then
    echo "$file: not as clang-format has it; run make format"
    wrong=1
  fi
done
[ $wrong -eq 0 ] && echo "format: all files as clang-format has them"
exit $wrong
