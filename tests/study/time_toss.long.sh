#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study time-toss --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study time-toss time_toss.csv
finish
