// SPDX-License-Identifier: Apache-2.0
// Zones of all shapes: points and rays against sampling along the ray.
#include "sensor/sensor_zone.h"

#include "math/quat.h"
#include "scenes/random_model.h"
#include "support/close.h"

static const int shapes[] = {CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID, CR_GEOM_CYLINDER,
                             CR_GEOM_BOX};
static cr_real size[3], pos[3], mat[9];
static int32_t type;

static void zone(cr_model* m, cr_data* d) {
  *m = (cr_model){.nsite = 1, .site_type = &type, .site_size = size};
  memset(d, 0, sizeof *d);
  d->site_xpos = pos;
  d->site_xmat = mat;
}

// a ray meets the zone if and only if one of many points along it lies inside; grazing ones aside
TEST(rays_meet_what_holds_their_points) {
  cr_random r = cr_random_seed(1, 1);
  cr_model m;
  cr_data d;
  zone(&m, &d);
  int hits = 0, misses = 0, unclear = 0;
  for (int n = 0; n < 1000; n++) {
    cr_real q[4], point[3], along[3];
    type = shapes[n % 5];
    random_unit_quat(&r, q);
    cr_quat_to_mat(mat, q);
    for (int k = 0; k < 3; k++) {
      size[k] = cr_random_range(&r, CR_R(0.2), CR_R(0.6));
      pos[k] = cr_random_normal(&r);
      point[k] = pos[k] + cr_random_range(&r, CR_R(-0.9), CR_R(0.9));
    }
    random_unit3(&r, along);
    bool hit = cri_sensor_zone_hit(&m, &d, 0, point, along), inside = false;
    for (int k = 0; k < 4000 && !inside; k++) {
      cr_real x[3];
      cr_copy3(x, point);
      cr_accscl3(x, along, CR_R(0.001) * (cr_real)k);
      inside = cri_sensor_zone_holds(&m, &d, 0, x);
    }
    assert_true(hit || !inside);
    unclear += hit && !inside;
    hits += hit;
    misses += !hit;
  }
  assert_true(hits > 100 && misses > 100 && unclear < 10);
}

TEST(points_in_closed_form) {
  static const struct {
    int type;
    cr_real in[3], out[3];
  } cases[] = {
      {CR_GEOM_SPHERE, {CR_R(0.9), 0, 0}, {CR_R(0.8), CR_R(0.7), 0}},
      {CR_GEOM_CAPSULE, {CR_R(0.7), CR_R(0.6), CR_R(1.9)}, {CR_R(0.8), 0, CR_R(2.8)}},
      {CR_GEOM_ELLIPSOID, {CR_R(0.5), CR_R(1.1), CR_R(1.9)}, {CR_R(0.5), CR_R(1.5), CR_R(1.9)}},
      {CR_GEOM_CYLINDER, {CR_R(0.7), CR_R(0.7), CR_R(1.9)}, {CR_R(0.8), CR_R(0.7), 0}},
      {CR_GEOM_BOX, {CR_R(0.9), CR_R(1.9), CR_R(2.9)}, {0, CR_R(2.1), 0}},
  };
  cr_model m;
  cr_data d;
  zone(&m, &d);
  cr_zero3(pos);
  cr_zero(mat, 9);
  mat[0] = mat[4] = mat[8] = 1;
  for (int k = 0; k < 3; k++) {
    size[k] = k + 1;
  }
  for (int i = 0; i < 5; i++) {
    type = cases[i].type;
    assert_true(cri_sensor_zone_known(type));
    assert_true(cri_sensor_zone_holds(&m, &d, 0, cases[i].in));
    assert_false(cri_sensor_zone_holds(&m, &d, 0, cases[i].out));
  }
  // on the surface is not inside, but a ray that starts there meets it
  const cr_real surface[3] = {1, 0, 0}, up[3] = {0, 0, 1};
  type = CR_GEOM_BOX;
  assert_false(cri_sensor_zone_holds(&m, &d, 0, surface));
  assert_true(cri_sensor_zone_hit(&m, &d, 0, surface, up));
  assert_false(cri_sensor_zone_known(CR_GEOM_MESH));
  type = CR_GEOM_MESH;
  assert_false(cri_sensor_zone_holds(&m, &d, 0, pos));
  assert_false(cri_sensor_zone_hit(&m, &d, 0, pos, up));
}
