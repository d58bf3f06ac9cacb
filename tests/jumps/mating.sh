#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study mating --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study mating mating.csv mating_curves.csv mating_points.xml mating_balls.xml mating_fields.xml mating_fields.h5
finish
