#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study toy --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study toy toy.csv
finish
