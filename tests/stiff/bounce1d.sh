#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study bounce1d --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study bounce1d bounce1d.csv bounce1d_search.csv bounce1d_band.csv
finish
