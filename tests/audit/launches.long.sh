#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Forty random launches, for five minutes at most: no gradient that is wrong is trusted.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
python3 "$CAROM_SOURCE_DIR/tests/audit/launches.py" "$CAROM" 7 40 --seconds 300 > launches.out 2> launches.err ||
  fail "$(cat launches.out launches.err)"
tail -3 launches.out
grep -q "launches, .* trusted and wrong: 0;" launches.out || fail "no table: $(cat launches.out)"
finish
