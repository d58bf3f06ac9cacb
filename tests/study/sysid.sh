#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study sysid --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study sysid sysid.csv sysid_1.csv tosses.h5
finish
