#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tutorial and the pages of jobs: their commands run, and print what the pages show. Libraries with sanitizers do not link
# into a program without.
[ -z "$CAROM_SANITIZE" ] || exit 0
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$CAROM_SOURCE_DIR/tests/support/page_commands.py" "$CAROM_SOURCE_DIR" "$CAROM" docs/tutorial.md docs/check.md docs/simulate.md \
  docs/gradient.md docs/embed.md docs/batches.md
