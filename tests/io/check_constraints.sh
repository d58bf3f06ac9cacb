#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Models with every kind of constraint row, and of force that depends on velocity, against MuJoCo: fields, steps, gradients of a step.
set -e
for model in rolling override equality tendon_rows sticky diagexact implicit discrete; do
  "$CAROM" check "$CAROM_SOURCE_DIR/tests/data/$model.xml" --states 6 > /dev/null || {
    echo "carom check fails on tests/data/$model.xml"
    exit 1
  }
done

# the exact diagonal beside the effective inertia
both=$(mktemp "$CAROM_BUILD_DIR/discrete.XXXXXX")
trap 'rm -f "$both"' EXIT
sed 's/impratio="1.5"\/>/impratio="1.5"><flag diagexact="enable"\/><\/option>/' \
  "$CAROM_SOURCE_DIR/tests/data/discrete.xml" > "$both"
grep -q diagexact "$both"
"$CAROM" check "$both" --states 4 > /dev/null || {
  echo "carom check fails on discrete.xml with diagexact"
  exit 1
}

# and both in a medium: as boxes, as ellipsoids
for shape in none ellipsoid; do
  sed 's/integrator="discrete"/integrator="discrete" density="60" viscosity="0.3" wind="1 -.5 .3"/
       s/<default>/<default><geom fluidshape="'$shape'"\/>/' "$both" > "$both.medium"
  trap 'rm -f "$both" "$both.medium"' EXIT
  grep -q viscosity "$both.medium"
  "$CAROM" check "$both.medium" --states 3 > /dev/null || {
    echo "carom check fails on discrete.xml with diagexact in a medium, fluidshape $shape"
    exit 1
  }
done

# a mass so large that a row is as hard as rows get, at its limit and on the floor
cat > "$both" <<'END'
<mujoco>
  <option integrator="discrete"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body><joint name="j" type="slide" axis="0 0 1" range="0 1" limited="true"/><geom size=".1" mass="1e16" contype="0" conaffinity="0"/></body>
    <body pos="1 0 .1"><joint name="k" type="slide" axis="0 0 1"/><geom size=".1" mass="1e16"/></body>
  </worldbody>
  <keyframe><key qpos="-.01 -.01"/></keyframe>
</mujoco>
END
"$CAROM" check "$both" --states 1 --json > "$both.json" || true
trap 'rm -f "$both" "$both.medium" "$both.json"' EXIT
python3 - "$both.json" << 'END'
import json, sys
fields = json.load(open(sys.argv[1]))["parity"]["fields"]
for name in ("efc_D", "qacc"):
    worst = fields[name]
    if worst["absolute"] > 1e-12 * worst["scale"]:
        sys.exit(f"{name} of bodies of 1e16 kg differs: {worst}")
END

# a motor whose current settles in 1e-8 s: what cancels in its rate does not drown the rest
cat > "$both" <<'END'
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
  </worldbody>
  <actuator><dcmotor joint="j" motorconst="0.05" resistance="0.8" inductance="1e-8"/></actuator>
</mujoco>
END
"$CAROM" check "$both" --states 4 > /dev/null || {
  echo "carom check fails on a motor of short time constant"
  exit 1
}
