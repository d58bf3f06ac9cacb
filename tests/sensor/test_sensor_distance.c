// SPDX-License-Identifier: Apache-2.0
// Relations of the three sensors of a gap to each other, to bodies and their geoms, and beyond the cutoff.
#include "sensor/sensor_distance.h"

#include "checks/measured.h"
#include "collision/distance.h"
#include "math/vec3.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static void read_gap(measured* s, cr_sensor_type type, int objtype, int a, int reftype, int b,
                     cr_real cutoff, cr_real* y) {
  measured_sensor(s, type, objtype, a, reftype, b);
  s->m.sensor_cutoff[0] = cutoff;
  cri_sensor_distance(&s->m, s->d, 0, y);
}

// fromto is the distance long, along the normal
TEST(the_three_agree) {
  int apart = 0, overlapping = 0;
  for (int seed = 0; seed < 16; seed++) {
    measured s;
    measured_open(&s, seed, STATE_CONTACT);
    for (int g = 1; g < s.m.ngeom && s.m.nsensordata >= 6 && s.m.nsensor > 0; g++) {
      cr_real dist, normal[3], fromto[6], along[3];
      read_gap(&s, CR_SENS_GEOMDIST, CR_OBJ_GEOM, g - 1, CR_OBJ_GEOM, g, 3, &dist);
      read_gap(&s, CR_SENS_GEOMNORMAL, CR_OBJ_GEOM, g - 1, CR_OBJ_GEOM, g, 3, normal);
      read_gap(&s, CR_SENS_GEOMFROMTO, CR_OBJ_GEOM, g - 1, CR_OBJ_GEOM, g, 3, fromto);
      if (dist == 3 || dist == 0) {
        continue;
      }
      cr_sub3(along, fromto + 3, fromto);
      assert_close(cr_norm3(along), cr_abs(dist), 10 * ROUND_OFF);
      assert_close(cr_dot3(along, normal), cr_abs(dist), 10 * ROUND_OFF);
      assert_close(cr_norm3(normal), 1, 10 * ROUND_OFF);
      apart += dist > 0;
      overlapping += dist < 0;
    }
    measured_close(&s);
  }
  assert_true(apart > 20 && overlapping > 3);
}

// of two bodies the nearest two geoms count
TEST(bodies_are_their_geoms) {
  int several = 0;
  for (int seed = 0; seed < 16; seed++) {
    measured s;
    measured_open(&s, seed, STATE_FLIGHT);
    for (int b = 1; b < s.m.nbody && s.m.nsensor > 0; b++) {
      int n = s.m.body_geomnum[b] * s.m.body_geomnum[0];
      cr_real dist, least = 4;
      read_gap(&s, CR_SENS_GEOMDIST, CR_OBJ_BODY, b, CR_OBJ_BODY, 0, 4, &dist);
      for (int k = 0; k < n; k++) {
        cr_real one;
        read_gap(&s, CR_SENS_GEOMDIST, CR_OBJ_GEOM, s.m.body_geomadr[b] + k / s.m.body_geomnum[0],
                 CR_OBJ_GEOM, s.m.body_geomadr[0] + k % s.m.body_geomnum[0], 4, &one);
        least = cr_min(least, one);
      }
      assert_true(dist == least);
      several += n > 1 && dist < 4;
    }
    measured_close(&s);
  }
  assert_true(several > 3);
}

TEST(nothing_beyond_the_cutoff) {
  measured s;
  measured_open(&s, 2, STATE_FLIGHT);
  cr_real dist, y[6] = {1, 1, 1, 1, 1, 1};
  int last = s.m.ngeom - 1;
  s.d->geom_xpos[3 * last] += 100;
  read_gap(&s, CR_SENS_GEOMDIST, CR_OBJ_GEOM, last - 1, CR_OBJ_GEOM, last, 2, &dist);
  assert_true(dist == 2);
  read_gap(&s, CR_SENS_GEOMFROMTO, CR_OBJ_GEOM, last - 1, CR_OBJ_GEOM, last, 2, y);
  assert_true(cr_is_zero(y, 6));
  cri_sensor_distance_tan(&s.m, s.d, s.tan, 0, y);
  assert_true(cr_is_zero(y, 6));
  measured_close(&s);
}
