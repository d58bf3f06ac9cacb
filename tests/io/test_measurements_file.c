// SPDX-License-Identifier: Apache-2.0
// Files of measurements by ending; their runs; options.
#include "scenes/io_arm.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_model* m;

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static const char table[] = "time,encoder\n0,1\n1,2\n";

TEST(files_become_runs) {
  cr_measurements* s = arm_read(m, scratch_write("one.two.csv", table), NULL);
  const cr_measurements_file o = {.size = sizeof o, .run = "again"};
  assert_int_equal(cr_measurements_read(s, scratch_path("one.two.csv"), &o, NULL), CR_OK);
  assert_int_equal(cr_measurements_read(s, scratch_write("b.tsv", table), NULL, NULL), CR_OK);
  assert_int_equal(cr_measurements_count(s), 3);
  assert_string_equal(cr_measurements_name(s, 0), "one.two");
  assert_string_equal(cr_measurements_name(s, 1), "again");
  assert_int_equal(cr_measurements_group(s, 0), 0);
  assert_int_equal(cr_measurements_group(s, 2), 2);
  cr_error error;
  assert_int_equal(cr_measurements_read(s, scratch_path("b.tsv"), NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "b.tsv: there is a run 'b' already"));
  assert_int_equal(cr_measurements_count(s), 3);
  cr_measurements_destroy(s);
}

TEST(other_endings_are_refused) {
  arm_refuses(m, scratch_write("a.npy", "x"), NULL, "one array has no name; numpy.savez");
  arm_refuses(m, scratch_write("a.mat", "x"), NULL, "ends in .csv, .npz, .h5 or .hdf5");
  arm_refuses(m, scratch_write("a.npz", table), NULL, "is not a .npz file, or is damaged");
  arm_refuses(m, scratch_write("a.h5", table), NULL, "this is not an HDF5 file, or it is damaged");
}

TEST(options_are_checked) {
  static const char* const wrong[] = {"encoder"};
  const char* path = scratch_write("a.csv", table);
  cr_measurements* s = arm_measurements(m);
  cr_measurements_file o = {.size = 0};
  assert_int_equal(cr_measurements_read(s, path, &o, NULL), CR_ERR_ARG);
  o = (cr_measurements_file){.size = sizeof o, .rate = -1};
  assert_int_equal(cr_measurements_read(s, path, &o, NULL), CR_ERR_ARG);
  o = (cr_measurements_file){.size = sizeof o, .ncolumn = 1};
  assert_int_equal(cr_measurements_read(s, path, &o, NULL), CR_ERR_ARG);
  o.columns = wrong;
  assert_int_equal(cr_measurements_read(s, path, &o, NULL), CR_ERR_ARG);
  assert_int_equal(cr_measurements_count(s), 1);
  cr_measurements_destroy(s);
  o = (cr_measurements_file){.size = sizeof o, .rate = 100};
  arm_refuses(m, path, &o, "the times have 1 rows a second, the rate is 100");
  arm_refuses(m, scratch_write("a.csv", "# rate: 50 Hz\nencoder\n1\n"), &o,
              "the file says 50 rows a second, the options 100");
  s = arm_read(m, scratch_write("a.csv", "encoder\n1\n2\n"), &o);
  assert_close(arm_channel(s, 0, "encoder").time[1], 0.01, 1e-15);
  cr_measurements_destroy(s);
}

TEST(names_of_runs_have_a_limit) {
  arm_refuses(
      m,
      scratch_write("a234567890123456789012345678901234567890123456789012345678901234.csv", table),
      NULL, "a name has at most 63 characters; the member run");
}
