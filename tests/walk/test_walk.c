// SPDX-License-Identifier: Apache-2.0
// A short walk of Carom's own robot: it goes where it is to go, repeats to the bit, and its recording is a motion of the model.
#include "walk/walk.h"

#include "support/close.h"
#include "tools/hdf5.h"
#include "walk/robot.h"

static cr_status decide(void* context, const cr_body_view* view, double force[CR_LEGS][3],
                        cr_error* e) {
  return cri_force_plan_decide(context, view, force, e);
}

static void wanted(const void* course, double time, double to[3]) {
  const double* speed = course;
  double share = time < 0.5 ? 0 : 1;
  for (int k = 0; k < 3; k++) {
    to[k] = share * speed[k];
  }
}

typedef struct {
  cr_legged robot;
  cr_model* m;
  cr_force_plan* plan;
  cr_walk walk;
} scene;

static void begin(scene* s, const double speed[3], double time) {
  s->m = open_robot(&s->robot);
  s->walk = (cr_walk){.robot = &s->robot,
                      .options = cri_walk_options(&s->robot),
                      .decide = decide,
                      .time = time,
                      .wanted = wanted,
                      .course = speed,
                      .seed = 3,
                      .noise = 1};
  must(cri_force_plan_create(&s->plan, &s->walk.options.costs, CR_QP_INTERIOR, &error));
  s->walk.context = s->plan;
}

static void end(scene* s) {
  cri_force_plan_destroy(s->plan);
  cr_model_destroy(s->m);
}

TEST(it_walks_ahead_to_the_left_and_turns) {
  static const double speed[3] = {0.4, 0.1, 0.3};
  scene s;
  cr_walk_end first;
  begin(&s, speed, 2.5);
  must(cri_walk_run(&s.walk, &first, &error));
  assert_true(isinf(first.fell));
  assert_int_equal(first.rows, 5);
  const double* last = first.row + (ptrdiff_t)CR_WALK_COLUMNS * 4;
  assert_close(last[CR_WALK_TIME], 2.5, 1e-9);
  assert_close(last[CR_WALK_SPEED], 0.4, 0.08);
  assert_close(last[CR_WALK_SPEED + 1], 0.1, 0.06);
  assert_close(last[CR_WALK_SPEED + 2], 0.3, 0.03);
  assert_close(last[CR_WALK_HEIGHT], 0.37, 0.03);
  assert_true(last[CR_WALK_ESTIMATE] < 0.05 && last[CR_WALK_ESTIMATE] > 0);
  assert_true(last[CR_WALK_TILT] < 0.1);
  assert_true(first.duty > 0.5 && first.duty < 0.7);
  assert_true(first.diagonal > 0.9);
  assert_true(first.decisions > 250);
  cri_walk_free(&first);
  end(&s);
}

TEST(it_repeats_to_the_bit_and_its_recording_is_a_motion_of_the_model) {
  static const double speed[3] = {0.3, 0, 0};
  double *qpos[2] = {NULL, NULL}, *ctrl = NULL;
  int rows = 0, width = 0, nu = 0;
  scene s;
  for (int round = 0; round < 2; round++) {
    cr_walk_end walked;
    cr_h5* file;
    begin(&s, speed, 0.4);
    const char* path = scratch_path(round == 0 ? "a.h5" : "b.h5");
    s.walk.record = path;
    must(cri_walk_run(&s.walk, &walked, &error));
    cri_walk_free(&walked);
    must(cri_h5_open(&file, path, &error));
    must(cri_h5_read(file, "qpos", &qpos[round], &rows, &width, &error));
    if (round == 0) {
      must(cri_h5_read(file, "ctrl", &ctrl, &rows, &nu, &error));
    }
    cri_h5_close(file);
    if (round == 0) {
      end(&s);
    }
  }
  assert_int_equal(rows, 401);
  assert_memory_equal(qpos[0], qpos[1], (size_t)rows * (size_t)width * sizeof(double));
  cr_rollout* r;
  must(cr_rollout_create(&r, s.m, 400, NULL, 0, &error));
  must(cri_legged_stand(&s.robot, cr_rollout_data(r), &error));
  memcpy(cr_rollout_ctrl(r), ctrl, (size_t)400 * (size_t)nu * sizeof(double));
  must(cr_rollout_run(r, s.m, 400, NULL, &error));
  const cr_real* at = cr_data_view(s.m, cr_rollout_data(r), "qpos", NULL, NULL);
  for (int k = 0; k < width; k++) {
    assert_close(at[k], qpos[0][(ptrdiff_t)400 * width + k], 1e-9);
  }
  cr_rollout_destroy(r);
  free(qpos[0]);
  free(qpos[1]);
  free(ctrl);
  end(&s);
}

TEST(a_push_that_no_robot_survives_ends_the_walk) {
  static const double speed[3] = {0, 0, 0};
  scene s;
  cr_walk_end walked;
  begin(&s, speed, 2);
  const cr_shove shove = {.start = 0.2, .length = 0.2, .force = {0, 2000, 0}};
  s.walk.shove = &shove;
  s.walk.nshove = 1;
  must(cri_walk_run(&s.walk, &walked, &error));
  assert_true(walked.fell > 0.2 && walked.fell < 1);
  assert_close(walked.row[(ptrdiff_t)CR_WALK_COLUMNS * (walked.rows - 1)], walked.fell, 1e-12);
  cri_walk_free(&walked);
  end(&s);
}

static bool stop(void) { return true; }

TEST(a_user_can_stop_it) {
  static const double speed[3] = {0, 0, 0};
  scene s;
  cr_walk_end walked;
  begin(&s, speed, 2);
  s.walk.stop = stop;
  assert_int_equal(cri_walk_run(&s.walk, &walked, &error), CR_ERR_INTERRUPTED);
  cri_walk_free(&walked);
  end(&s);
}
