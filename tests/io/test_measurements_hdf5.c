// SPDX-License-Identifier: Apache-2.0
// Runs in HDF5: groups of run, or the root; rates, groups and units as attributes.
#include "scenes/io_arm.h"
#include "support/close.h"
#include "support/scratch.h"
#include "tools/hdf5.h"

static cr_model* m;
static const double numbers[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5};

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static cr_h5* begin(const char** path) {
  cr_h5* file = NULL;
  assert_int_equal(cri_h5_create(&file, *path = scratch_path("a.h5"), NULL), CR_OK);
  return file;
}

static void write_set(cr_h5* file, const char* name, int rows, int cols) {
  assert_int_equal(cri_h5_write(file, name, numbers, rows, cols, NULL), CR_OK);
}

static void attribute(cr_h5* file, const char* object, const char* name, double value) {
  assert_int_equal(cri_h5_write_attribute(file, object, name, value, NULL), CR_OK);
}

static void end(cr_h5* file) {
  assert_int_equal(cri_h5_save(file, NULL), CR_OK);
  cri_h5_close(file);
}

TEST(runs_are_read) {
  const char* path;
  cr_h5* file = begin(&path);
  write_set(file, "run/b/time", 2, 0);
  write_set(file, "run/b/gyro", 2, 3);
  write_set(file, "run/a/encoder", 6, 0);
  assert_int_equal(cri_h5_write_text(file, "run/a/encoder", "unit", "deg", NULL), CR_OK);
  attribute(file, "run/a", "rate", 50);
  attribute(file, "run/a", "group", 9);
  end(file);
  cr_measurements* s = arm_read(m, path, NULL);
  assert_int_equal(cr_measurements_count(s), 2);
  assert_string_equal(cr_measurements_name(s, 0), "a");
  assert_int_equal(cr_measurements_group(s, 0), 9);
  assert_int_equal(cr_measurements_group(s, 1), 10);
  assert_close(arm_channel(s, 0, "encoder").values[1], 0.1 * CR_PI / 180, 1e-15);
  assert_close(arm_channel(s, 0, "encoder").time[1], 0.02, 1e-15);
  assert_true(arm_channel(s, 1, "gyro").values[5] == 0.5);
  cr_measurements_destroy(s);
}

TEST(the_root_is_a_run) {
  const char* path;
  cr_h5* file = begin(&path);
  write_set(file, "encoder", 6, 0);
  write_set(file, "tacho", 3, 1);
  write_set(file, "tacho.time", 3, 0);
  attribute(file, "/", "rate", 10);
  end(file);
  cr_measurements* s = arm_read(m, path, NULL);
  assert_string_equal(cr_measurements_name(s, 0), "a");
  assert_close(arm_channel(s, 0, "encoder").time[5], 0.5, 1e-15);
  assert_close(arm_channel(s, 0, "tacho").time[2], 0.2, 1e-15);
  cr_measurements_destroy(s);
}

TEST(mistakes_are_named) {
  const char* path;
  cr_h5* file = begin(&path);
  write_set(file, "run/b/encoder", 2, 0);
  end(file);
  arm_refuses(m, path, NULL, "'encoder' has no times: neither 'time', 'encoder.time' nor 'rate'");
  file = begin(&path);
  write_set(file, "run/b/encoder", 2, 0);
  attribute(file, "/", "rate", -1);
  end(file);
  arm_refuses(m, path, NULL, "attribute 'rate' of 'run/b' is -1");
  file = begin(&path);
  write_set(file, "toss/0001/state", 2, 2);
  end(file);
  arm_refuses(m, path, NULL, "'toss'");
  file = begin(&path);
  write_set(file, "run/a/time", 2, 0);
  write_set(file, "run/a/encodr", 2, 0);
  end(file);
  arm_refuses(m, path, NULL, "did you mean encoder?");
}

TEST(damaged_files_are_refused) {
  static char bytes[1 << 16];
  const char* path;
  cr_h5* file = begin(&path);
  write_set(file, "time", 2, 0);
  write_set(file, "encoder", 2, 0);
  end(file);
  FILE* in = fopen(path, "rb");
  assert_non_null(in);
  size_t n = fread(bytes, 1, sizeof bytes, in);
  (void)fclose(in);
  for (size_t size = 1; size < n; size += 1 + n / 40) {
    FILE* out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    (void)fclose(out);
    arm_refuses(m, path, NULL, "");
  }
}
