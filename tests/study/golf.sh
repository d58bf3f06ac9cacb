#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study golf --short, and its network in a command of its own.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study golf golf.csv golf_flights.csv golf.crb golf.xml
expect 0 fly rollout golf/golf.xml --blueprint golf/golf.crb --time 1 --print qpos
finish
