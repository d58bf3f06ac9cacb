// SPDX-License-Identifier: Apache-2.0
// Recordings against the motion that MuJoCo makes: noise, ticks, delay; the file is read back as what was added.
#include "study/robot_record.h"

#include <math.h>
#include <string.h>

#include "carom/measure.h"
#include "carom/mujoco.h"
#include "support/scratch.h"
#include "support/test.h"

enum { ROWS = 400 };

static double deviation(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum / n);
}

TEST(a_recording_is_the_motion_with_noise) {
  char path[CR_MAX_PATH];
  mjModel* mj = NULL;
  cr_robot_recording r;
  static double encoder[ROWS * 7], gyro[ROWS * 3], late[ROWS * 3];
  assert_int_equal(cri_robot_write(scratch_path(""), CR_ROBOT_ARM, path, NULL), CR_OK);
  assert_int_equal(cr_mujoco_compile(&mj, path, NULL, NULL, NULL), CR_OK);
  mjData* d = mj_makeData(mj);
  assert_int_equal(cri_robot_record(&r, mj, d, CR_ROBOT_ARM, 5, ROWS, NULL), CR_OK);
  mj_resetData(mj, d);
  memcpy(d->qpos, r.qpos, 7 * sizeof *r.qpos);
  memcpy(d->qvel, r.qvel, 7 * sizeof *r.qvel);
  for (int k = 0; k < ROWS; k++) {
    memcpy(d->ctrl, r.ctrl + (ptrdiff_t)k * 7, 7 * sizeof *r.ctrl);
    memcpy(encoder + (ptrdiff_t)k * 7, d->qpos, 7 * sizeof *encoder);
    mj_step(mj, d);
    memcpy(gyro + (ptrdiff_t)k * 3, d->sensordata, 3 * sizeof *gyro);
    for (int i = 0; i < 3 && k >= 2; i++) {  // 5 ms late: a step and a quarter
      late[3 * k + i] = 0.75 * gyro[3 * (k - 1) + i] + 0.25 * gyro[3 * (k - 2) + i];
    }
  }
  double noise = deviation(r.encoder, encoder, 7 * ROWS) / cri_robot_noise.encoder;
  assert_true(noise > 0.95 && noise < 1.05);
  noise = deviation(r.gyro + 6, late + 6, 3 * ROWS - 6) / cri_robot_noise.gyro;
  assert_true(noise > 0.93 && noise < 1.07);
  for (int i = 0; i < 7 * ROWS; i++) {
    double ticks = r.encoder[i] / cri_robot_noise.tick;
    assert_true(fabs(ticks - round(ticks)) < 1e-9);
  }
  cri_robot_recording_free(&r);
  mj_deleteData(d);
  mj_deleteModel(mj);
}

TEST(the_file_has_what_was_added) {
  char path[CR_MAX_PATH];
  mjModel* mj = NULL;
  cr_model* m = NULL;
  cr_robot_recording r;
  cr_measurements *added = NULL, *read = NULL;
  assert_int_equal(cri_robot_write(scratch_path(""), CR_ROBOT_QUADRUPED, path, NULL), CR_OK);
  assert_int_equal(cr_mujoco_compile(&mj, path, NULL, NULL, NULL), CR_OK);
  assert_int_equal(cr_model_open(&m, path, NULL), CR_OK);
  mjData* d = mj_makeData(mj);
  assert_int_equal(cri_robot_record(&r, mj, d, CR_ROBOT_QUADRUPED, 0, 40, NULL), CR_OK);
  assert_int_equal(cri_robot_measurements(&added, &r, m, NULL), CR_OK);
  assert_int_equal(cri_robot_save(&r, m, scratch_path(""), CR_ROBOT_QUADRUPED, NULL), CR_OK);
  assert_int_equal(cr_measurements_create(&read, m, NULL), CR_OK);
  assert_int_equal(cr_measurements_read(read, scratch_path("quadruped_0.csv"), NULL, NULL), CR_OK);
  assert_int_equal(cr_measurements_channels(added, 0), cr_measurements_channels(read, 0));
  for (int i = 0; i < cr_measurements_channels(added, 0); i++) {
    cr_channel_info a = {.size = sizeof a}, b = {.size = sizeof b};
    bool found = false;
    assert_int_equal(cr_measurements_get(added, 0, i, &a, NULL), CR_OK);
    for (int k = 0; k < cr_measurements_channels(read, 0); k++) {
      assert_int_equal(cr_measurements_get(read, 0, k, &b, NULL), CR_OK);
      if (strcmp(a.place, b.place) == 0) {
        found = true;
        assert_true(b.rows >= 1 && fabs((double)(a.values[0] - b.values[0])) < 1e-9);
      }
    }
    assert_true(found);
  }
  cr_measurements_destroy(added);
  cr_measurements_destroy(read);
  cri_robot_recording_free(&r);
  mj_deleteData(d);
  cr_model_destroy(m);
  mj_deleteModel(mj);
}
