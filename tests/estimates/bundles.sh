#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study bundles --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study bundles bundles.csv bundles_curves.csv bundles_pushing.xml
finish
