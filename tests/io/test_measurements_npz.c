// SPDX-License-Identifier: Apache-2.0
// Runs in .npz: one, or several below run/NAME/.
#include "scenes/io_arm.h"
#include "support/close.h"
#include "support/io_npz.h"

static cr_model* m;
static npz_file z;
static const double numbers[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5};

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
static void clear(void) { memset(&z, 0, sizeof z); }
AROUND_FILE(setup, teardown)
AROUND_EACH(clear, NULL)

static const char* path_of(void) {
  npz_end(&z);
  return npz_save(&z, "a.npz", z.size);
}

TEST(one_run_is_read) {
  npz_doubles(&z, "time", 2, 0, numbers);
  npz_doubles(&z, "gyro", 2, 3, numbers);
  npz_doubles(&z, "encoder [deg]", 6, 0, numbers);
  npz_doubles(&z, "encoder.time [ms]", 6, 0, numbers);
  cr_measurements* s = arm_read(m, path_of(), NULL);
  assert_int_equal(cr_measurements_channels(s, 0), 2);
  assert_string_equal(cr_measurements_name(s, 0), "a");
  assert_true(arm_channel(s, 0, "gyro").values[4] == 0.4);
  cr_channel_info c = arm_channel(s, 0, "encoder");
  assert_int_equal(c.rows, 6);
  assert_close(c.values[5], 0.5 * CR_PI / 180, 1e-15);
  assert_close(c.time[5], 0.0005, 1e-15);
  cr_measurements_destroy(s);
}

TEST(several_runs_are_read) {
  npz_doubles(&z, "run/b/time", 2, 0, numbers);
  npz_doubles(&z, "run/a/encoder", 3, 0, numbers);
  npz_doubles(&z, "run/b/encoder", 2, 0, numbers);
  const double rate = 50;
  npz_add(&z, "run/a/rate", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", &rate, 8,
          false);
  const char* path = path_of();
  cr_measurements* s = arm_read(m, path, NULL);
  assert_int_equal(cr_measurements_count(s), 2);
  assert_string_equal(cr_measurements_name(s, 0), "b");
  assert_string_equal(cr_measurements_name(s, 1), "a");
  assert_close(arm_channel(s, 1, "encoder").time[2], 0.04, 1e-15);
  const cr_measurements_file o = {.size = sizeof o, .run = "day1"};
  assert_int_equal(cr_measurements_read(s, path, &o, NULL), CR_OK);
  assert_string_equal(cr_measurements_name(s, 2), "day1/b");
  cr_measurements_destroy(s);
}

TEST(a_file_without_arrays_is_refused) { arm_refuses(m, path_of(), NULL, "has no arrays"); }

TEST(damaged_files_are_refused) {
  npz_doubles(&z, "time", 2, 0, numbers);
  npz_doubles(&z, "encoder", 2, 0, numbers);
  npz_end(&z);
  arm_refuses(m, npz_save(&z, "a.npz", z.size - 1), NULL, "is not a .npz file, or is damaged");
}
