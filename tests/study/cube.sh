#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study cube --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study cube cube.csv cube_fit.csv cube_path.csv cube_0.crb tosses.h5
finish
