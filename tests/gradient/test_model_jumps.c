// SPDX-License-Identifier: Apache-2.0
// A box moved over another one: contact at points jumps, pressure fields do not; ranges, units and what is refused.
#include "carom/trust.h"

#include "engine/constants.h"
#include "pressure/pressure_scene.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data* d;
} scene;

static void open_scene(scene* s, const char* kind) {
  const cr_pressure_options field = {
      .size = sizeof field, .kind = kind, .modulus = CR_R(1e5), .around = 8};
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_BOX, .size = {CR_R(0.1), CR_R(0.12), CR_R(0.1)}, .field = field},
      {.type = CR_GEOM_BOX, .size = {CR_R(0.08), CR_R(0.07), CR_R(0.09)}, .field = field}};
  const cr_real low[3] = {0, 0, 1}, high[3] = {0, 0, CR_R(1.18)}, up[3] = {0, 0, 1};
  pressure_scene(&s->m, NULL, 2, solid);
  s->d = test_data(&s->m);
  assert_int_equal(cr_constants(&s->m, s->d), CR_OK);
  pressure_pose(&s->m, s->d, 1, low, up, 0);
  pressure_pose(&s->m, s->d, 2, high, up, CR_R(0.3));
}

// the upper box along x, over the edge of the lower one
static cr_jumps_result sweep(const scene* s, cr_jump* first) {
  const cr_jumps_options options = {.size = sizeof options,
                                    .coordinate = "qvel[6]",
                                    .from = 0,
                                    .to = CR_R(0.25),
                                    .steps = 60,
                                    .tolerance = CR_R(1e-6)};
  cr_error error = {0};
  cr_jumps* jumps = NULL;
  cr_jumps_result r = {.size = sizeof r};
  if (cr_jumps_of_model(&jumps, &s->m, s->d, &options, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(cr_jumps_get_result(jumps, &r, &error), CR_OK);
  first->size = sizeof *first;
  if (r.count > 0) {
    assert_int_equal(cr_jumps_get(jumps, 0, first, &error), CR_OK);
  }
  cr_jumps_destroy(jumps);
  return r;
}

TEST(points_jump_and_pressure_fields_do_not) {
  scene s;
  cr_jump first;
  open_scene(&s, NULL);
  cr_jumps_result points = sweep(&s, &first);
  assert_true(points.count > 0);
  assert_true(points.contacts >= 4);
  assert_true(points.largest[0] > 0 && points.largest[1] > 0);
  assert_true(first.relative > CR_R(1e-3));
  assert_true(first.at > 0 && first.at < CR_R(0.25));
  test_release();
  cri_model_free(&s.m);

  open_scene(&s, "compliant");
  cr_jumps_result fields = sweep(&s, &first);
  assert_int_equal(fields.count, 0);
  assert_int_equal(fields.contacts, 0);
  assert_true(fields.largest[0] > 1);
  test_release();
  cri_model_free(&s.m);
}

static cr_status with(const scene* s, const char* coordinate, cr_real range[2], cr_error* error) {
  const cr_jumps_options options = {
      .size = sizeof options, .coordinate = coordinate, .steps = 2, .tolerance = 10};
  cr_jumps* jumps;
  cr_jumps_result r = {.size = sizeof r};
  CR_TRY(cr_jumps_of_model(&jumps, &s->m, s->d, &options, error));
  assert_int_equal(cr_jumps_get_result(jumps, &r, error), CR_OK);
  range[0] = r.from;
  range[1] = r.to;
  cr_jumps_destroy(jumps);
  return CR_OK;
}

TEST(ranges_follow_the_size_of_the_body) {
  scene s;
  cr_error error = {0};
  cr_real range[2];
  open_scene(&s, NULL);
  assert_int_equal(with(&s, "qvel[8]", range, &error), CR_OK);
  assert_close(range[1], CR_R(0.1) * cr_sqrt(CR_R(0.0064) + CR_R(0.0049) + CR_R(0.0081)),
               CR_R(1e-12));
  assert_close(range[0], -range[1], 0);
  assert_int_equal(with(&s, "qvel[10]", range, &error), CR_OK);
  assert_close(range[1], CR_R(0.2), CR_R(1e-15));
  assert_int_equal(with(&s, "qvel", range, &error), CR_ERR_NAME);
  assert_non_null(strstr(error.text, "is not one number of qvel"));
  assert_int_equal(with(&s, "qpos[8]", range, &error), CR_ERR_NAME);
  assert_int_equal(with(&s, "qvel[nobody]", range, &error), CR_ERR_NAME);
  cri_model_free(&s.m);
}
