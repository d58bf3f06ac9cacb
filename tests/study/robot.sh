#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study robot --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study robot robot_arm.csv robot_arm_numbers.csv arm_0.csv
finish
