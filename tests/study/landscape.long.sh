#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study landscape --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study landscape landscape.csv
finish
