#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study push --short: on pushes that it makes, and again on their file as recorded data; resumed; files that are something else.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study push push.csv push_fit.csv push_errors.csv push_path_square.csv push_0_0.crb pushes.h5
cp push/pushes.h5 pushes.h5

# as if it had been interrupted behind the numbers, and on the same pushes as recorded data
cp -r push cut
rm cut/report.txt cut/push.csv
expect 0 cut study push --short --resume --output cut
cmp -s push/push.csv cut/push.csv || fail "resumed: another table"
expect 0 again study push --short --data pushes.h5 --output again
cmp -s push/push.csv again/push.csv || fail "the same pushes as recorded data: another table"

echo "time,x,y" > text.h5
refused 2 "text.h5: " study push --short --data text.h5 --output text
refused 2 "none.h5: " study push --short --data none.h5 --output none
finish
