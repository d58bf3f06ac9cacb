#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study pendulum --short: on runs that it makes, and again on their file as recorded data; files that are something else.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study pendulum pendulum.csv pendulum_fit.csv pendulum_share.csv pendulum_prediction.csv pendulum_network.csv runs.h5
cp pendulum/runs.h5 runs.h5
expect 0 again study pendulum --short --data runs.h5 --output again
cmp -s pendulum/pendulum_fit.csv again/pendulum_fit.csv || fail "the same runs as recorded data: another fit"

# as if it had been interrupted behind the first fit
cp -r pendulum cut
head -2 pendulum/pendulum_fit.csv > cut/pendulum_fit.csv
rm cut/report.txt cut/pendulum.csv
expect 0 cut study pendulum --short --resume --output cut
cmp -s pendulum/pendulum.csv cut/pendulum.csv || fail "resumed: another table"

echo "time,theta" > text.h5
refused 2 "text.h5: " study pendulum --short --data text.h5 --output text
refused 2 "none.h5: " study pendulum --short --data none.h5 --output none
finish
