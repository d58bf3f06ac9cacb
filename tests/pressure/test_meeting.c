// SPDX-License-Identifier: Apache-2.0
// Which geoms meet, and in which order; the faces between two of them have the area of the contact surface.
#include "pressure/meeting.h"

#include "engine/driver.h"
#include "pressure/pressure_scene.h"
#include "support/close.h"

static const cr_pressure_options SOFT = {
    .size = sizeof SOFT, .kind = "compliant", .modulus = 1000, .around = 8};
static const cr_pressure_options HARD = {.size = sizeof HARD, .kind = "rigid", .around = 8};

TEST(a_compliant_body_comes_first) {
  cr_model m;
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}, .field = HARD},
      {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}, .field = SOFT},
      {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}}};
  pressure_scene(&m, &HARD, 3, solid);
  int order[2];
  assert_true(cri_meeting_order(&m, 1, 2, order));
  assert_int_equal(order[0], 2);
  assert_int_equal(order[1], 1);
  assert_true(cri_meeting_order(&m, 0, 2, order));
  assert_int_equal(order[0], 2);
  assert_false(cri_meeting_order(&m, 0, 1, order));  // both rigid
  assert_false(cri_meeting_order(&m, 2, 3, order));  // no field
  m.geom_pressure_kind[0] = CR_PRESSURE_COMPLIANT;
  assert_true(cri_meeting_order(&m, 1, 0, order));  // a rigid body in a compliant plane
  assert_int_equal(order[0], 0);
  assert_int_equal(order[1], 1);
  assert_true(cri_meeting_order(&m, 0, 2, order));
  assert_int_equal(order[0], 2);
  m.geom_contype[2] = m.geom_conaffinity[2] = 0;  // the bits of MuJoCo hold
  assert_false(cri_meeting_order(&m, 1, 2, order));
  cri_model_free(&m);
}

static void add_area(void* context, const cri_meeting_face* f) {
  *(cr_real*)context += f->face.area * f->face.normal[2];
  assert_true(f->face.pressure >= 0);
}

// two boxes of equal modulus, one above the other: seen from above the surface is their square
TEST(the_surface_of_two_boxes_is_flat_in_the_middle) {
  cr_model m;
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_BOX, .size = {1, 1, 1}, .field = SOFT},
      {.type = CR_GEOM_BOX, .size = {1, 1, 1}, .field = SOFT}};
  pressure_scene(&m, NULL, 2, solid);
  cr_data* d = test_data(&m);
  const cr_real low[3] = {0, 0, 5}, high[3] = {0, 0, CR_R(6.9)}, up[3] = {0, 0, 1};
  pressure_pose(&m, d, 1, low, up, 0);
  pressure_pose(&m, d, 2, high, up, 0);
  pressure_run(&m, d);
  const int geom[2] = {1, 2};
  cri_meeting x;
  cr_real area = 0;
  cri_meeting_place(&m, d, geom, &x);
  cri_meeting_faces(&x, NULL, 0, add_area, &area);
  // the middle where the sides are farther, and from there slanted to the edges: all of the square seen from above
  assert_close(area, 4, CR_R(1e-10));
  cri_model_free(&m);
}
