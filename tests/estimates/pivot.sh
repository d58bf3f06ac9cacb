#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study pivot --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study pivot pivot.csv pivot_descents.csv pivot_medians.csv pivot.xml
finish
