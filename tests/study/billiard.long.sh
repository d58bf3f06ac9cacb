#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study billiard --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study billiard billiard.csv billiard_train.csv
finish
