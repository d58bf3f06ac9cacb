#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study curling --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study curling curling.csv curling.xml
finish
