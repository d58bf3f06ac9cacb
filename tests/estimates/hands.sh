#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study hands --short: plans of hands and arms reach their goals, and are shown as pages.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study hands hands.csv planar_hand.xml hands_planar_hand.h5 hands_planar_hand.html hands_bimanual_90.html hands_box_push.html hands_box_pivot.html hands_allegro_30.html
holds hands 'len(j["claims"]) == 5'
finish
