// SPDX-License-Identifier: Apache-2.0
// Courses on tosses without noise, whose truth is known.
#include "support/close.h"

#include "notebook/course.h"
#include "scenes/tossed_cube.h"

enum { N = 4, ROWS = 70, MOST = 64 };

static const cr_parameter_info items[] = {
    {.size = sizeof(cr_parameter_info),
     .name = "side",
     .target = "cube",
     .kind = CR_FIT_BOX_SIDE,
     .transform = CR_TRANSFORM_LOG,
     .start = CR_R(0.1),
     .lower = CR_R(0.03),
     .upper = CR_R(0.3)},
    {.size = sizeof(cr_parameter_info),
     .name = "mu",
     .target = "geom_friction[cube][0]",
     .transform = CR_TRANSFORM_LOG,
     .start = CR_R(0.4),
     .lower = CR_R(0.02),
     .upper = 2},
};
static const cr_course_stage stages[] = {{4, 6, 30, CR_R(0.05)}, {20, 12, 15, CR_R(0.01)}};

// what was told
typedef struct {
  int n, stage[MOST];
  cr_real side[MOST], loss[MOST];
} told;

static void watch(void* context, int stage, const cr_real* p, cr_real loss) {
  told* t = context;
  assert_true(t->n < MOST);
  t->stage[t->n] = stage;
  t->side[t->n] = p[0];
  t->loss[t->n++] = loss;
}

static cr_course begin(cr_model* m, told* t, cr_recordings** tosses) {
  const cr_throw o = {.tosses = N, .rows = ROWS, .seed = 1};
  tossed_cube(m, CR_R(0.1));
  m->cfd_d0 = CR_R(0.05);
  m->cfd_mc = CR_R(0.001);
  m->cfd_pc = 12;
  *t = (told){0};
  assert_int_equal(cr_recordings_create(tosses, m, m->timestep, NULL), CR_OK);
  assert_int_equal(cri_throw(&o, m, *tosses, NULL), CR_OK);
  return (cr_course){.m = m,
                     .items = items,
                     .nitem = 2,
                     .recordings = *tosses,
                     .stages = stages,
                     .nstage = 2,
                     .adam = cr_course_adam,
                     .norm = CR_NORM_POWER,
                     .p = 1,
                     .nthread = 1,
                     .watch = watch,
                     .watch_context = t};
}

static void end(cr_model* m, cr_recordings* tosses) {
  cr_recordings_destroy(tosses);
  cri_model_free(m);
}

// from a cube that never touches the board: no gradient without contacts from distance
TEST(a_course_finds_its_way) {
  cr_model m;
  told t;
  cr_recordings* tosses;
  cr_course c = begin(&m, &t, &tosses);
  cr_real p[] = {CR_R(0.06), CR_R(0.4)}, before, after;
  assert_int_equal(cr_course_score(&c, p, &before, NULL), CR_OK);
  assert_int_equal(cr_course_run(&c, p, NULL), CR_OK);
  assert_int_equal(cr_course_score(&c, p, &after, NULL), CR_OK);
  assert_close(p[0], CR_R(0.1), CR_R(0.003));
  assert_true(after < before / 3);

  // every evaluation was told, in order, and each stage begins where the one before was best
  int second = 0;
  while (second < t.n && t.stage[second] == 0) {
    second++;
  }
  assert_true(second >= stages[0].iterations && t.n - second >= stages[1].iterations);
  cr_real least = t.loss[0], best = t.side[0];
  for (int i = 1; i < second; i++) {
    best = t.loss[i] < least ? t.side[i] : best;
    least = cr_min(least, t.loss[i]);
  }
  assert_close(t.side[0], CR_R(0.06), CR_R(1e-12));
  assert_close(t.side[second], best, CR_R(1e-12));
  for (int i = second; i < t.n; i++) {
    assert_int_equal(t.stage[i], 1);
  }
  end(&m, tosses);
}

TEST(without_reach_there_is_no_way) {
  cr_model m;
  told t;
  cr_recordings* tosses;
  cr_course c = begin(&m, &t, &tosses);
  const cr_course_stage blind = {4, 6, 5, 0};
  cr_real p[] = {CR_R(0.05), CR_R(0.4)};
  c.stages = &blind;
  c.nstage = 1;
  assert_int_equal(cr_course_run(&c, p, NULL), CR_OK);
  assert_close(p[0], CR_R(0.05), CR_R(1e-12));
  end(&m, tosses);
}

TEST(the_score_is_least_at_the_truth) {
  cr_model m;
  told t;
  cr_recordings* tosses;
  cr_course c = begin(&m, &t, &tosses);
  // the recorded velocities are differences, so it does not vanish
  const cr_real truth[] = {CR_R(0.1), m.geom_friction[3]};
  cr_real there, beside;
  assert_int_equal(cr_course_score(&c, truth, &there, NULL), CR_OK);
  const cr_real factors[3][2] = {{CR_R(0.95), 1}, {CR_R(1.05), 1}, {1, 2}};
  for (int i = 0; i < 3; i++) {
    const cr_real p[] = {truth[0] * factors[i][0], truth[1] * factors[i][1]};
    assert_int_equal(cr_course_score(&c, p, &beside, NULL), CR_OK);
    assert_true(there < beside);
  }
  end(&m, tosses);
}

static bool at_once(void* context) {
  (void)context;
  return true;
}

TEST(what_cannot_be_is_refused) {
  cr_model m;
  told t;
  cr_recordings* tosses;
  cr_error error = {0};
  cr_course c = begin(&m, &t, &tosses);
  const cr_course_stage too_long = {ROWS, 1, 5, CR_R(0.01)};
  cr_real p[] = {CR_R(0.06), CR_R(0.4)};
  c.stop = at_once;
  assert_int_equal(cr_course_run(&c, p, &error), CR_ERR_INTERRUPTED);
  c.stop = NULL;
  c.stages = &too_long;
  assert_int_equal(cr_course_run(&c, p, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "no window of 71 rows"));
  c.nitem = 0;
  assert_int_equal(cr_course_run(&c, p, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "0 parameters"));
  end(&m, tosses);
}
