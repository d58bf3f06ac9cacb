#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study contact-jumps --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study contact-jumps contact_jumps.csv contact_jumps_curves.csv jumps_edge.xml jumps_edge_fields.xml
finish
