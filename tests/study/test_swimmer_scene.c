// SPDX-License-Identifier: Apache-2.0
// Swimmers: idle actuators tell the velocities of links in their own frames; a mirror image of a motion is a motion of mirrored controls.
#include "study/swimmer_scene.h"

#include <stdio.h>

#include "base/real.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

enum { ROWS = 101, SEED = 7, STREAM = 2 };

static cr_error error;

static cr_model* open_swimmer(int links, int medium) {
  cr_notebook book = {.nclaim = 0};
  cr_model* m = NULL;
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  must(cri_swimmer_open(&book, links, medium, &m, &error));
  return m;
}

TEST(a_mirror_image_is_a_motion) {
  cr_model* m = open_swimmer(6, CR_SWIMMER_WATER_25);
  cr_swimmer_motion motion;
  cr_states again;
  cr_real moved = 0;
  must(cri_swimmer_move(&motion, m, SEED, STREAM, 1, ROWS, &error));
  cri_swimmer_mirror(&motion);
  must(cri_states_drive(&again, m, motion.states.q, motion.states.v, motion.ctrl, ROWS, &error));
  for (int i = 0; i < ROWS * motion.dofs; i++) {
    assert_close(again.q[i], motion.states.q[i], CR_R(1e-10));
    moved = cr_max(moved, cr_abs(again.q[i] - again.q[i % motion.dofs]));
  }
  assert_true(moved > CR_R(0.1));
  cri_states_free(&again);
  cri_swimmer_free(&motion);
  cr_model_destroy(m);
}

// a swimmer whose head points to y and moves along y: all of it is surge
TEST(idle_actuators_belong_to_frames_of_links) {
  cr_model* m = open_swimmer(2, CR_SWIMMER_VACUUM);
  cr_data* d = NULL;
  must(cr_data_create(&d, m, &error));
  cr_data_view(m, d, "qpos", NULL, NULL)[CR_SWIMMER_HEADING] = CR_PI / 2;
  cr_data_view(m, d, "qvel", NULL, NULL)[1] = CR_R(0.3);
  must(cr_forward(m, d));
  const cr_real* velocity = cr_data_view(m, d, "actuator_velocity", NULL, NULL);
  for (int link = 0; link < 2; link++) {
    const cr_real* own = velocity + 1 + CR_SWIMMER_PUSHES * link;
    assert_close(own[CR_SWIMMER_SURGE], CR_R(0.3), CR_R(1e-12));
    assert_close(own[CR_SWIMMER_SWAY], 0, CR_R(1e-12));
    assert_close(own[CR_SWIMMER_YAW], 0, CR_R(1e-12));
  }
  cr_data_destroy(d);
  cr_model_destroy(m);
}

// as the study draws them: ten to learn from, twenty to predict, five seeds
TEST(six_links_in_air_stay_in_bounds) {
  cr_model *air = open_swimmer(6, CR_SWIMMER_AIR_25), *vacuum = open_swimmer(6, CR_SWIMMER_VACUUM);
  for (uint64_t k = 0; k < 150; k++) {
    cr_swimmer_motion motion;
    uint64_t seed = 500000 + 1000 * (1 + k / 30) + k % 30 % 20, stream = 3 + (k % 30 >= 10);
    must(
        cri_swimmer_move(&motion, k % 2 == 0 ? air : vacuum, seed, stream, CR_R(0.3), 901, &error));
    cri_swimmer_free(&motion);
  }
  cr_model_destroy(vacuum);
  cr_model_destroy(air);
}
