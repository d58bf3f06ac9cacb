// SPDX-License-Identifier: Apache-2.0
// Recordings come back number by number; a disk that is full leaves nothing behind.
#include "io/recording.h"

#include <stdio.h>
#include <stdlib.h>

#include "scenes/io_mjcf.h"
#include "support/scratch.h"
#include "support/test.h"
#include "tools/hdf5.h"

enum { STEPS = 7 };

static cr_model model;
static cr_rollout* rollout;
static cr_error error;

static void open_rollout(const char* file) {
  mjModel* mj = mjcf_data(file);
  model = mjcf_model(mj);
  mj_deleteModel(mj);
  assert_int_equal(cr_rollout_create(&rollout, &model, STEPS + 2, NULL, 0, &error), CR_OK);
  for (int i = 0; i < (STEPS + 2) * model.nu; i++) {
    rollout->ctrl[i] = 0.1 * i;
  }
  assert_int_equal(cr_rollout_run(rollout, &model, STEPS, NULL, &error), CR_OK);
}

static void close_rollout(void) {
  cr_rollout_destroy(rollout);
  cri_model_free(&model);
}

static void assert_set(const cr_h5* file, const char* name, const cr_real* expected, int rows,
                       int cols) {
  double* values = NULL;
  int r = 0, c = 0;
  if (cri_h5_read(file, name, &values, &r, &c, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(r, rows);
  assert_int_equal(c, cols);
  assert_memory_equal(values, expected, (size_t)(rows * cols) * sizeof *values);
  free(values);
}

// compares a set with numbers that lie in the rollout's stored states, the first of them at `first`
static void assert_states(const cr_h5* file, const char* name, const cr_real* first, int cols) {
  cr_real* all = calloc((size_t)((STEPS + 1) * cols), sizeof *all);
  ptrdiff_t offset = first - cri_rollout_kept(rollout, &model, 0).time;
  assert_non_null(all);
  for (int k = 0; k <= STEPS; k++) {
    cr_copy(all + k * cols, cri_rollout_kept(rollout, &model, k).time + offset, cols);
  }
  assert_set(file, name, all, STEPS + 1, cols);
  free(all);
}

TEST(everything_comes_back) {
  const char* path = scratch_path("run.h5");
  cr_h5* file = NULL;
  double timestep = 0;
  bool present = false;
  open_rollout("double_pendulum.xml");
  assert_int_equal(cri_recording_write(path, &model, rollout, &error), CR_OK);
  assert_int_equal(scratch_count(), 1);
  assert_int_equal(cri_h5_open(&file, path, &error), CR_OK);
  assert_states(file, "time", cri_rollout_kept(rollout, &model, 0).time, 1);
  assert_states(file, "qpos", cri_rollout_kept(rollout, &model, 0).state.qpos.x, 2);
  assert_states(file, "qvel", cri_rollout_kept(rollout, &model, 0).state.qvel.x, 2);
  assert_states(file, "act", cri_rollout_kept(rollout, &model, 0).state.act.x, 1);
  assert_set(file, "ctrl", rollout->ctrl, STEPS, 2);
  assert_int_equal(cri_h5_read_attribute(file, "/", "timestep", &timestep, &present, &error),
                   CR_OK);
  assert_true(present && timestep == model.timestep);
  cri_h5_close(file);
  close_rollout();
}

TEST(what_a_model_does_not_have) {
  const char* path = scratch_path("cube.h5");
  cr_h5* file = NULL;
  open_rollout("cube.xml");
  assert_int_equal(cri_recording_write(path, &model, rollout, &error), CR_OK);
  assert_int_equal(cri_h5_open(&file, path, &error), CR_OK);
  assert_states(file, "qpos", cri_rollout_kept(rollout, &model, 0).state.qpos.x, 7);
  assert_false(cri_h5_has(file, "ctrl"));
  assert_false(cri_h5_has(file, "act"));
  cri_h5_close(file);
  close_rollout();
}

// numbers by name at every state: those of the state itself, and a sensor's
TEST(named_numbers) {
  static const char* const names[] = {"qvel[0]", "gyro", "contact[floor:block].dist"};
  const char* path = scratch_path("named.h5");
  cr_place places[3];
  cr_h5* file = NULL;
  double* values = NULL;
  int rows, cols;
  open_rollout("sensors.xml");
  for (int i = 0; i < 3; i++) {
    assert_int_equal(cri_place_find(&places[i], &model, names[i], &error), CR_OK);
  }
  const cr_record_list list = {names, places, 3};
  assert_int_equal(cri_recording_write_places(path, &model, rollout, &list, &error), CR_OK);
  assert_int_equal(cri_h5_open(&file, path, &error), CR_OK);
  assert_states(file, "qpos", cri_rollout_kept(rollout, &model, 0).state.qpos.x, model.nq);
  assert_int_equal(cri_h5_read(file, "qvel[0]", &values, &rows, &cols, &error), CR_OK);
  assert_int_equal(rows * cols, STEPS + 1);
  for (int k = 0; k <= STEPS; k++) {
    assert_true(values[k] == *cri_rollout_kept(rollout, &model, k).state.qvel.x);
  }
  free(values);
  assert_int_equal(cri_h5_read(file, "gyro", &values, &rows, &cols, &error), CR_OK);
  assert_int_equal(rows, STEPS + 1);
  assert_int_equal(cols, 3);
  for (int k = 0; k < 3; k++) {  // the last row is that of the last state
    assert_true(values[3 * STEPS + k] == cri_place_value(&places[1], &model, rollout->d)[k]);
  }
  free(values);
  assert_true(cri_h5_has(file, names[2]));
  cri_h5_close(file);
  close_rollout();
}

// what every recording has anyway, and what is asked for twice
TEST(names_that_are_there_already_add_nothing) {
  static const char* const names[] = {"qvel", "gyro", "qpos", "ctrl", "gyro"};
  const char* path = scratch_path("twice.h5");
  cr_h5* file = NULL;
  open_rollout("sensors.xml");
  assert_true(model.nu > 0);
  assert_int_equal(cr_rollout_save(rollout, &model, path, names, 5, &error), CR_OK);
  assert_int_equal(cri_h5_open(&file, path, &error), CR_OK);
  assert_states(file, "qpos", cri_rollout_kept(rollout, &model, 0).state.qpos.x, model.nq);
  assert_states(file, "qvel", cri_rollout_kept(rollout, &model, 0).state.qvel.x, model.nv);
  assert_set(file, "ctrl", rollout->ctrl, STEPS, model.nu);
  assert_true(cri_h5_has(file, "gyro"));
  cri_h5_close(file);
  close_rollout();
}

TEST(places_that_cannot_be_written) {
  open_rollout("cube.xml");
  const char* path = scratch_path("no/such/folder.h5");
  assert_int_equal(cri_recording_write(path, &model, rollout, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, path));
  assert_int_equal(cri_recording_write(scratch_path("."), &model, rollout, &error), CR_ERR_FILE);
  close_rollout();
}

TEST(a_full_disk) {
  open_rollout("cube.xml");
  int files = scratch_count();
  for (long bytes = 0; bytes < 4000; bytes = 2 * bytes + 1) {
    const char* path = scratch_path("full.h5");
    scratch_disk_full(true, bytes);
    cr_status status = cri_recording_write(path, &model, rollout, &error);
    scratch_disk_full(false, 0);
    assert_int_equal(status, CR_ERR_FILE);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(scratch_count(), files);
  }
  // what was there before stays as it was
  const char* path = scratch_path("kept.h5");
  cr_h5* file = NULL;
  assert_int_equal(cri_recording_write(path, &model, rollout, &error), CR_OK);
  scratch_disk_full(true, 100);
  assert_int_equal(cri_recording_write(path, &model, rollout, &error), CR_ERR_FILE);
  scratch_disk_full(false, 0);
  assert_int_equal(scratch_count(), files + 1);
  assert_int_equal(cri_h5_open(&file, path, &error), CR_OK);
  assert_states(file, "qpos", cri_rollout_kept(rollout, &model, 0).state.qpos.x, 7);
  cri_h5_close(file);
  close_rollout();
}
