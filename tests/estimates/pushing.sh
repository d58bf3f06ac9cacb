#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study pushing --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study pushing pushing.csv pushing_friction.csv pushing_medians.csv pushing_friction_medians.csv pushing_stiff.xml
finish
