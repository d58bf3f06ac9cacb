// SPDX-License-Identifier: Apache-2.0
// A rollout as a table: every number comes back, as a recording of measured signals reads it.
#include "io/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/measure.h"
#include "scenes/io_mjcf.h"
#include "support/scratch.h"
#include "support/test.h"
#include "tools/files.h"

enum { STEPS = 7 };

static cr_model model;
static cr_rollout* rollout;
static cr_error error;

static void run_it(const char* file) {
  mjModel* mj = mjcf_data(file);
  model = mjcf_model(mj);
  mj_deleteModel(mj);
  assert_int_equal(cr_rollout_create(&rollout, &model, STEPS, NULL, 0, &error), CR_OK);
  for (int i = 0; i < STEPS * model.nu; i++) {
    rollout->ctrl[i] = 0.1 * i;
  }
  assert_int_equal(cr_rollout_run(rollout, &model, STEPS, NULL, &error), CR_OK);
}

static void end_it(void) {
  cr_rollout_destroy(rollout);
  cri_model_free(&model);
}

static char* text_of(const char* path) {
  char* text = NULL;
  size_t n;
  assert_int_equal(cri_file_read(path, &text, &n, &error), CR_OK);
  return text;
}

// cell `column` of line `row`, counted from 0, into text
static void cell_of(const char* all, int row, int column, char text[64]) {
  for (int i = 0; i < row; i++) {
    all = strchr(all, '\n') + 1;
  }
  for (int i = 0; i < column; i++) {
    all = strchr(all, ',') + 1;
  }
  (void)snprintf(text, 64, "%.*s", (int)strcspn(all, ",\n"), all);
}

TEST(every_number_comes_back) {
  const char* path = scratch_path("run.csv");
  char cell[64];
  run_it("double_pendulum.xml");
  assert_int_equal(cr_rollout_save(rollout, &model, path, NULL, 0, &error), CR_OK);
  assert_int_equal(scratch_count(), 1);
  char* text = text_of(path);
  assert_memory_equal(text, "time,qpos[shoulder],", strlen("time,qpos[shoulder],"));
  for (int k = 0; k <= STEPS; k++) {
    cri_kept kept = cri_rollout_kept(rollout, &model, k);
    cell_of(text, 1 + k, 0, cell);
    assert_true(strtod(cell, NULL) == (double)*kept.time);
    for (int i = 0; i < 2; i++) {
      cell_of(text, 1 + k, 1 + i, cell);
      assert_true(strtod(cell, NULL) == (double)kept.state.qpos.x[i]);
      cell_of(text, 1 + k, 6 + i, cell);
      assert_true(k < STEPS ? strtod(cell, NULL) == (double)rollout->ctrl[2 * k + i]
                            : cell[0] == 0);
    }
  }
  free(text);
  end_it();
}

// a contact that does not exist is an empty cell; what is there already gets no second column
TEST(contacts_and_names_that_are_there) {
  static const char* const names[] = {"contact[floor:cube].dist", "qvel", "contact[floor:cube].pos",
                                      "xpos[cube]", "xpos[cube].z"};
  const char* path = scratch_path("cube.csv");
  char cell[64];
  run_it("cube.xml");
  assert_int_equal(cr_rollout_save(rollout, &model, path, names, 5, &error), CR_OK);
  char* text = text_of(path);
  text[strcspn(text, "\n")] = 0;
  const char* end = strstr(text, ",contact[floor:cube].dist,");
  assert_non_null(end);
  assert_string_equal(
      end,
      ",contact[floor:cube].dist,contact[floor:cube].pos.0,contact[floor:cube].pos.1,"
      "contact[floor:cube].pos.2,xpos[cube][0],xpos[cube][1],xpos[cube][2]");
  text[strlen(text)] = '\n';
  cell_of(text, 1, 14, cell);
  assert_string_equal(cell, "");  // the cube is in the air
  cell_of(text, 1, 20, cell);
  assert_true(strtod(cell, NULL) == (double)cri_rollout_kept(rollout, &model, 0).state.qpos.x[2]);
  free(text);
  end_it();
}

TEST(it_reads_as_a_recording) {
  const char* path = scratch_path("read.csv");
  cr_measurements* measurements = NULL;
  run_it("double_pendulum.xml");
  assert_int_equal(cr_rollout_save(rollout, &model, path, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_measurements_create(&measurements, &model, &error), CR_OK);
  cr_status status = cr_measurements_read(measurements, path, NULL, &error);
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(cr_measurements_count(measurements), 1);
  cr_measurements_destroy(measurements);
  end_it();
}

TEST(files_that_cannot_be_written) {
  run_it("cube.xml");
  const char* path = scratch_path("no/such/folder.csv");
  assert_int_equal(cr_rollout_save(rollout, &model, path, NULL, 0, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, path));
  assert_true(cri_recording_is_csv("a.csv"));
  assert_false(cri_recording_is_csv(".csv") || cri_recording_is_csv("a.csv.h5") ||
               cri_recording_is_csv("csv"));
  end_it();
}
