#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study continuity --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study continuity continuity.csv continuity_curves.csv continuity_floor.xml
finish
