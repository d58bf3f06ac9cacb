#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study stiff-contact-physics --short; after a stop --resume computes the rows that are missing, and no others.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
name=stiff-contact-physics
study $name stiff_contact_physics.csv stiff_contact_physics_oracle.csv stiff_contact_wrong.csv \
  box.xml box_ice.xml box_elastic.xml hull.xml stiff_contact_shape.csv \
  stiff_contact_gates.csv stiff_contact_gates.png cube_hard.xml
grep -q "minutes of processor time" $name.err || fail "it does not say how long it takes"
cp $name/stiff_contact_physics.csv whole.csv
cp $name/stiff_contact_wrong.csv wrong.csv
head -6 whole.csv > $name/stiff_contact_physics.csv
head -12 wrong.csv > $name/stiff_contact_wrong.csv
cp $name/stiff_contact_shape.csv shape.csv
head -6 shape.csv > $name/stiff_contact_shape.csv
cp $name/stiff_contact_gates.csv gates.csv
head -6 gates.csv > $name/stiff_contact_gates.csv
expect 0 again study $name --short --json --resume --output $name
cmp -s shape.csv $name/stiff_contact_shape.csv || fail "--resume came to other numbers of shapes"
cmp -s wrong.csv $name/stiff_contact_wrong.csv || fail "--resume came to other numbers of wrong laws"
cmp -s gates.csv $name/stiff_contact_gates.csv || fail "--resume came to other numbers of gates"
cmp -s whole.csv $name/stiff_contact_physics.csv || fail "--resume came to other numbers"
finish
