#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study heaviside --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study heaviside heaviside.csv heaviside_widths.csv heaviside_1.xml heaviside_5.xml
finish
