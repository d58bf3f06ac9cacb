#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with a short list of checks, each of which finds mistakes rather than tastes.
# Usage: run_tidy.sh BUILD_FOLDER, which must have been configured.
set -eu

if ! command -v clang-tidy > /dev/null; then
  echo "run_tidy: clang-tidy is not here, skipped"
  exit 0
fi

checks='-*'
checks="$checks,readability-braces-around-statements,readability-misleading-indentation"
checks="$checks,bugprone-sizeof-expression,bugprone-suspicious-*,bugprone-infinite-loop"
checks="$checks,bugprone-integer-division,bugprone-too-small-loop-variable,bugprone-branch-clone"
checks="$checks,bugprone-misplaced-*,bugprone-signed-char-misuse"
checks="$checks,clang-analyzer-core.*,clang-analyzer-deadcode.*,clang-analyzer-unix.*"

find src -name '*.c' | sort |
  xargs -n 4 -P "$(nproc)" clang-tidy --quiet -p "$1" --warnings-as-errors='*' --checks="$checks"
