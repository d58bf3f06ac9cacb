#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study toss --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study toss toss.csv toss_ball.xml
finish
