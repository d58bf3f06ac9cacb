#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom view --live: what a browser makes of a page. 200 steps are those of the command; the simulation is faster than real time; the
# mouse and a finger pull a body; sliders move controls and parameters, and the gradient follows; a failure ends in a sentence.
# With CAROM_LIVE_PICTURE=FILE.png also writes the picture of docs/view.md; CAROM_LIVE_ROBOT=MODEL is looked at too.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
export PYTHONPATH=$CAROM_SOURCE_DIR/tests/support PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import browser, sys; sys.exit(browser.program() is None)'; then
  echo "view_browser_live: there is no Chromium (apt-get install chromium); skipped"
  exit 0
fi
toss=$CAROM_SOURCE_DIR/examples/cube_toss.xml
"$CAROM" view "$toss" --live --parameter 'body_mass[cube]' 'geom_friction[cube][0]' 'gravity[2]=-20:1' --out live.html > /dev/null 2> live.err
if grep -q "run \`make wasm\`" live.err; then
  echo "view_browser_live: this build has no core as WebAssembly (make wasm); skipped"
  exit 0
fi
expect 0 arm view "$CAROM_SOURCE_DIR/examples/arm.xml" --live --out arm.html
if [ -n "${CAROM_LIVE_ROBOT:-}" ]; then
  expect 0 robot view "$CAROM_LIVE_ROBOT" --live --out robot.html
fi
expect 0 end rollout "$toss" --time "$(python3 -c 'print(200 * 0.006756756756756757)')" --set qvel=0.3,0.8,1.2,3,2,-4 --out end.csv
qpos=$(python3 -c '
import csv
head, *rows = csv.reader(open("end.csv"))
print(",".join(x for title, x in zip(head, rows[-1]) if title.startswith("qpos[")))')
python3 "$CAROM_SOURCE_DIR/tests/support/look_live.py" "$work" "$qpos" "${CAROM_LIVE_PICTURE:-}" || fail "the pages in a browser"
finish
