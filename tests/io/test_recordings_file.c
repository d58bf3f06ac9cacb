// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "learn/recordings.h"
#include "scenes/tossed_cube.h"
#include "support/scratch.h"
#include "tools/hdf5.h"

enum { ROWS = 6 };

// a file with three tosses, 0001, 0004 and 0010, that tests spoil before it is saved
typedef struct {
  const char* path;
  cr_h5* file;
  double rows[ROWS * CR_STATE_WIDTH];
} recording;

static void begin(recording* r) {
  assert_int_equal(cri_h5_create(&r->file, (r->path = scratch_path("tosses.h5")), NULL), CR_OK);
  memset(r->rows, 0, sizeof r->rows);
  for (int i = 0; i < ROWS; i++) {
    r->rows[i * CR_STATE_WIDTH + 2] = 1 + i;
    r->rows[i * CR_STATE_WIDTH + 3] = 1;
  }
}

static void add(recording* r, const char* name, int rows, int cols) {
  char set[64];
  (void)snprintf(set, sizeof set, "toss/%s/state", name);
  assert_int_equal(cri_h5_write(r->file, set, r->rows, rows, cols, NULL), CR_OK);
}

static void attribute(recording* r, const char* object, const char* name, double value) {
  assert_int_equal(cri_h5_write_attribute(r->file, object, name, value, NULL), CR_OK);
}

static void add_all(recording* r) {
  begin(r);
  attribute(r, "/", "dt", 0.005);
  add(r, "0001", ROWS, CR_STATE_WIDTH);
  add(r, "0004", ROWS, CR_STATE_WIDTH);
  add(r, "0010", ROWS - 1, CR_STATE_WIDTH);
}

static cr_model cube;

static void setup(void) { tossed_cube(&cube, 0.1); }
static void teardown(void) { cri_model_free(&cube); }
AROUND_FILE(setup, teardown)

static cr_status end(recording* r, cr_recordings** t, cr_error* error) {
  assert_int_equal(cri_h5_save(r->file, NULL), CR_OK);
  cri_h5_close(r->file);
  *t = NULL;
  return cr_recordings_read(t, &cube, r->path, error);
}

static void refuse(recording* r, cr_status status, const char* part) {
  cr_recordings* t;
  cr_error error = {0};
  assert_int_equal(end(r, &t, &error), status);
  if (strstr(error.text, part) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
  assert_null(t);
}

TEST(only_state_and_dt_are_needed) {
  recording r;
  cr_recordings* t;
  add_all(&r);
  assert_int_equal(end(&r, &t, NULL), CR_OK);
  assert_int_equal(t->n, 3);
  assert_true(t->interval == 0.005);
  assert_string_equal(t->run[2].name, "0010");
  assert_int_equal(t->run[2].rows, ROWS - 1);
  assert_true(t->run[1].state[3 * CR_STATE_WIDTH + 2] == 4);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(t->run[i].group, i);
  }
  cr_recordings_destroy(t);
}

TEST(copies_get_the_group_of_their_original) {
  recording r;
  cr_recordings* t;
  add_all(&r);
  add(&r, "0011", ROWS, CR_STATE_WIDTH);
  add(&r, "0012", ROWS, CR_STATE_WIDTH);
  add(&r, "0013", ROWS, CR_STATE_WIDTH);
  attribute(&r, "toss/0001", "copy_of", -1);
  attribute(&r, "toss/0004", "copy_of", 1);
  attribute(&r, "toss/0010", "copy_of", 4);   // a copy of a copy
  attribute(&r, "toss/0011", "copy_of", 99);  // of one that is not here, as is 0012
  attribute(&r, "toss/0012", "copy_of", 99);
  assert_int_equal(end(&r, &t, NULL), CR_OK);
  const int same[] = {0, 0, 0, 3, 3, 5};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      assert_int_equal(t->run[i].group == t->run[k].group, same[i] == same[k]);
    }
  }
  cr_recordings_destroy(t);
}

TEST(what_was_moved_again_is_cut) {
  recording r;
  cr_recordings* t;
  add_all(&r);
  attribute(&r, "toss/0001", "moved_again_at_frame", 3);
  attribute(&r, "toss/0004", "moved_again_at_frame", 100);
  assert_int_equal(end(&r, &t, NULL), CR_OK);
  assert_int_equal(t->run[0].rows, 3);
  assert_int_equal(t->run[1].rows, ROWS);
  cr_recordings_destroy(t);
}

TEST(bad_recordings_are_named) {
  recording r;
  begin(&r);
  add(&r, "0001", ROWS, CR_STATE_WIDTH);
  refuse(&r, CR_ERR_FORMAT, "attribute dt, seconds from row to row, is missing");
  begin(&r);
  attribute(&r, "/", "dt", -1);
  add(&r, "0001", ROWS, CR_STATE_WIDTH);
  refuse(&r, CR_ERR_FORMAT, "is not positive");
  begin(&r);
  attribute(&r, "/", "dt", 1);
  refuse(&r, CR_ERR_FORMAT, "there is no group 'toss'");
  add_all(&r);
  add(&r, "0020", ROWS, 12);
  refuse(&r, CR_ERR_FORMAT, "'toss/0020/state' has 6 rows of 12 numbers, not of 13");
  add_all(&r);
  r.rows[2 * CR_STATE_WIDTH + 8] = (double)NAN;
  add(&r, "0020", ROWS, CR_STATE_WIDTH);
  refuse(&r, CR_ERR_FORMAT, "recording 0020, row 2: vy is not finite");
  add_all(&r);
  r.rows[5 * CR_STATE_WIDTH + 4] = 0.1;
  add(&r, "0020", ROWS, CR_STATE_WIDTH);
  refuse(&r, CR_ERR_FORMAT, "recording 0020, row 5: the quaternion has length 1.00498756, not 1");
  add_all(&r);
  assert_int_equal(cri_h5_write(r.file, "toss/0020/pose", r.rows, 1, 1, NULL), CR_OK);
  refuse(&r, CR_ERR_FORMAT, "there is no data set 'toss/0020/state'");
}

TEST(what_is_written_reads_back) {
  recording r;
  cr_recordings *t, *again;
  const char* path;
  add_all(&r);
  assert_int_equal(end(&r, &t, NULL), CR_OK);
  assert_int_equal(cr_recordings_write(t, (path = scratch_path("again.h5")), "a title", NULL),
                   CR_OK);
  assert_int_equal(cr_recordings_read(&again, &cube, path, NULL), CR_OK);
  assert_int_equal(again->n, t->n);
  assert_true(again->interval == t->interval);
  for (int i = 0; i < t->n; i++) {
    assert_string_equal(again->run[i].name, t->run[i].name);
    assert_int_equal(again->run[i].rows, t->run[i].rows);
    assert_memory_equal(again->run[i].state, t->run[i].state,
                        (size_t)t->run[i].rows * CR_STATE_WIDTH * sizeof(double));
  }
  cr_recordings_destroy(t);
  cr_recordings_destroy(again);
}

// of any model: qpos, qvel, act and ctrl in the group 'run', with the names of their columns
TEST(recordings_of_an_arm) {
  static const char text[] =
      "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/><body pos='0 0 .3'><joint "
      "name='b' type='ball'/><geom size='.1'/></body></body></worldbody><actuator><motor "
      "joint='a'/>"
      "</actuator></mujoco>";
  enum { WIDTH = 5 + 4 + 1 };
  cr_model* m = NULL;
  cr_recordings *made = NULL, *read = NULL;
  cr_error error = {0};
  cr_recording_info run = {.size = sizeof run, .name = "first", .rows = 3, .group = 4};
  cr_real rows[3 * WIDTH] = {0};
  const char* path = scratch_path("arm.h5");
  for (int k = 0; k < 3; k++) {
    rows[k * WIDTH] = k;
    rows[k * WIDTH + 1] = 1;
    rows[k * WIDTH + 9] = -k;
  }
  run.values = rows;
  assert_int_equal(cr_model_open(&m, scratch_write("arm.xml", text), &error), CR_OK);
  assert_int_equal(cr_recordings_create(&made, m, 0.01, &error), CR_OK);
  assert_int_equal(cr_recordings_add(made, &run, &error), CR_OK);
  run.name = "second";
  rows[WIDTH + 1] = 2;
  assert_int_equal(cr_recordings_add(made, &run, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "recording second, row 1: the quaternion has length 2"));
  rows[WIDTH + 1] = 1;
  rows[WIDTH + 9] = (cr_real)NAN;
  assert_int_equal(cr_recordings_add(made, &run, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "row 1: ctrl[0] is not finite"));
  run.name = "a/b";
  assert_int_equal(cr_recordings_add(made, &run, &error), CR_ERR_ARG);
  assert_int_equal(cr_recordings_write(made, path, "an arm", &error), CR_OK);
  if (cr_recordings_read(&read, m, path, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(cr_recordings_count(read), 1);
  assert_int_equal(cr_recordings_get(read, 0, &run, &error), CR_OK);
  assert_string_equal(run.name, "first");
  assert_true(run.rows == 3 && run.values[2 * WIDTH + 9] == -2);
  assert_true(cr_recordings_interval(read) == 0.01);
  cr_recordings_destroy(read);
  assert_int_equal(cr_recordings_read(&read, &cube, path, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "'run/first/state' has 3 rows of 10 numbers, not of 13"));
  cr_recordings_destroy(made);
  cr_model_destroy(m);
}
