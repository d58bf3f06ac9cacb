#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fields.sh, over a good part of all changes.
SEED=2 COUNT=20000 exec bash "$CAROM_SOURCE_DIR/tests/fuzz/fields.sh"
