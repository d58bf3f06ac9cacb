// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Pushes from files: the frame of the start, what is left out, and files that are wrong.
#include "support/close.h"

#include <math.h>
#include <string.h>

#include "carom/carom.h"
#include "recorded/push_data.h"
#include "support/scratch.h"
#include "tools/hdf5.h"

enum { ROWS = 120, FINGER_ROWS = 90 };

typedef struct {
  int pushes;
  double still;         // number of a push that did not move, -1: none
  const char* surface;  // of the last push; NULL: as the others
  double speed;         // m/s
  double object[4];     // added to row 50 of `object` of push 0
  bool no_mass;
} wrong;

// the finger goes along x from 0.1 s on; the body goes with it and turns by 0.2 rad, from pose (0.3, -0.1, 3)
static void write_push(cr_h5* file, const wrong* w, int i) {
  static double body[ROWS][4], finger[FINGER_ROWS][3];
  char name[48];
  double time = 0.03 / w->speed + 0.2, c = cos(3), s = sin(3);
  for (int k = 0; k < ROWS; k++) {
    double t = time * k / (ROWS - 1), way = fmin(fmax(t - 0.1, 0) * w->speed, 0.03);
    double yaw = 3 + 0.2 * way / 0.03;
    double row[4] = {t, 0.3 + c * way, -0.1 + s * way, yaw > 3.1415926 ? yaw - 6.283185307 : yaw};
    for (int j = 0; j < 4; j++) {
      body[k][j] = row[j] + (i == 0 && k == 50 ? w->object[j] : 0);
    }
  }
  for (int k = 0; k < FINGER_ROWS; k++) {
    double t = time * k / (FINGER_ROWS - 1), way = fmin(fmax(t - 0.1, 0) * w->speed, 0.03) - 0.05;
    finger[k][0] = t;
    finger[k][1] = 0.3 + c * way;
    finger[k][2] = -0.1 + s * way;
  }
  (void)snprintf(name, sizeof name, "push/%03d/object", i);
  assert_int_equal(cri_h5_write(file, name, body[0], ROWS, 4, NULL), CR_OK);
  (void)snprintf(name, sizeof name, "push/%03d/tip", i);
  assert_int_equal(cri_h5_write(file, name, finger[0], FINGER_ROWS, 3, NULL), CR_OK);
  (void)snprintf(name, sizeof name, "push/%03d", i);
  bool other = w->surface != NULL && i == w->pushes - 1;
  assert_int_equal(cri_h5_write_text(file, name, "shape", "square", NULL), CR_OK);
  assert_int_equal(cri_h5_write_text(file, name, "surface", other ? w->surface : "steel", NULL),
                   CR_OK);
  assert_int_equal(cri_h5_write_attribute(file, name, "object_moved", i != (int)w->still, NULL),
                   CR_OK);
}

static void write(const char* path, const wrong* w) {
  static const double square[] = {-0.04, -0.04, -0.04, 0.04, 0.04, 0.04, 0.04, -0.04};
  cr_h5* file = NULL;
  assert_int_equal(cri_h5_create(&file, path, NULL), CR_OK);
  assert_int_equal(cri_h5_write_attribute(file, "/", "pusher_radius_m", 0.005, NULL), CR_OK);
  assert_int_equal(cri_h5_write(file, "shape/square/polygon", square, 4, 2, NULL), CR_OK);
  if (!w->no_mass) {
    assert_int_equal(cri_h5_write_attribute(file, "shape/square", "mass_kg", 0.6, NULL), CR_OK);
  }
  assert_int_equal(cri_h5_write_attribute(file, "shape/square", "inertia_kg_m2", 7e-4, NULL),
                   CR_OK);
  for (int i = 0; i < w->pushes; i++) {
    write_push(file, w, i);
  }
  assert_int_equal(cri_h5_save(file, NULL), CR_OK);
  cri_h5_close(file);
}

TEST(pushes_are_in_the_frame_of_the_body_at_the_start) {
  const wrong w = {.pushes = 8, .still = 3, .surface = "wood", .speed = 0.1};
  cr_push_data data;
  write(scratch_path("pushes.h5"), &w);
  assert_int_equal(cri_push_read(&data, scratch_path("pushes.h5"), NULL), CR_OK);
  int n, first = cri_push_of_shape(&data, 0, &n);
  assert_true(data.n == 6 && data.nshape == 1 && data.still == 1 && data.alone == 1);
  assert_true(first == 0 && n == 6 && cri_outline_area(&data.shape[0].outline) > 0);
  const cr_push* p = &data.push[0];
  for (int k = 0; k < 4; k++) {
    assert_true(fabs(p->body[0][k]) < 1e-12);
  }
  // the path is along x, also across the jump of the angle
  assert_true(fabs(p->body[p->nbody - 1][1] - 0.03) < 1e-6);
  assert_true(fabs(p->body[p->nbody - 1][2]) < 1e-6);
  assert_true(fabs(p->body[p->nbody - 1][3] - 0.2) < 1e-6);
  assert_true(fabs(p->size - 0.03) < 1e-6 && fabs(p->speed - 0.1) < 0.01);
  // 20 ms of rest before, 50 ms behind
  assert_true(p->time > 0.3 + 0.05 && p->time < 0.3 + 0.09);
  double at[2];
  cri_push_finger(p, p->finger[40][0], at);
  assert_true(fabs(at[0] - p->finger[40][1]) < 1e-12 && fabs(at[1]) < 1e-9);
  cri_push_finger(p, 0.2, at);
  assert_true(at[0] > -0.05 && at[0] < -0.02);
  cri_push_finger(p, -5, at);
  assert_true(fabs(at[0] + 0.05) < 1e-9);
  cri_push_finger(p, 99, at);
  assert_true(fabs(at[0] + 0.02) < 1e-9);
  cri_push_free(&data);
}

TEST(slow_pushes_become_as_fast_as_the_slowest_that_is_simulated) {
  const wrong w = {.pushes = 6, .still = -1, .speed = 0.01};
  cr_push_data data;
  write(scratch_path("slow.h5"), &w);
  assert_int_equal(cri_push_read(&data, scratch_path("slow.h5"), NULL), CR_OK);
  assert_true(fabs(data.push[0].speed - 0.01) < 0.001);
  assert_true(data.push[0].time > 0.7 && data.push[0].time < 0.85);
  assert_true(fabs(data.push[0].size - 0.03) < 5e-4);  // rows are 27 ms apart
  cri_push_free(&data);
}

TEST(wrong_files_are_refused) {
  static const struct {
    wrong file;
    const char* says;
  } cases[] = {
      {{5, -1, NULL, 0.1, {0}, false}, "no shape has 6 pushes that moved it on one surface"},
      {{6, 0, NULL, 0.1, {0}, false}, "no shape has 6 pushes"},
      {{6, -1, "wood", 0.1, {0}, false}, "no shape has 6 pushes"},
      {{6, -1, NULL, 0.1, {0, (double)NAN}, false},
       "push/000/object, row 50: a number is not finite"},
      {{6, -1, NULL, 0.1, {-1}, false}, "push/000/object, row 50: times do not increase"},
      {{6, -1, NULL, 0.1, {0}, true}, "shape/square: attribute mass_kg is missing"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    cr_push_data data;
    cr_error error = {0};
    const char* path = scratch_path("wrong.h5");
    write(path, &cases[k].file);
    assert_true(cri_push_read(&data, path, &error) != CR_OK);
    if (strstr(error.text, cases[k].says) == NULL || strstr(error.text, "wrong.h5") == NULL) {
      fail_msg("case %d: %s", (int)k, error.text);
    }
    cri_push_free(&data);
  }
}
