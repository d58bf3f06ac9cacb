#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study wall --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study wall wall.csv wall_intervals.csv wall_descents.csv wall_medians.csv wall.xml
finish
