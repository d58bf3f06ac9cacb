#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study box-push --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study box-push box_push.csv box_push_plans.csv box_push_points.xml box_push_smooth.xml box_push_fields.xml box_push_fields.h5
finish
