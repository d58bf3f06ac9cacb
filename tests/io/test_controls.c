// SPDX-License-Identifier: Apache-2.0
// Controls from CSV and HDF5, and everything that can be wrong with such a file.
#include "io/controls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "io/hdf5.h"
#include "support/scratch.h"

static cr_error error;

static void assert_reads(const char* path, int nstep, int nu, const cr_real* expected) {
  cr_real ctrl[16] = {0};
  if (cri_controls_read(ctrl, nstep, nu, path, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  for (int i = 0; i < nstep * nu; i++) {
    assert_true(ctrl[i] == expected[i]);
  }
}

static void csv(void** state) {
  (void)state;
  const cr_real expected[] = {1, -2.5, 3e-3, 4, 5, 6};
  assert_reads(scratch_write("plain.csv", "1,-2.5\n3e-3,4\n5,6\n"), 3, 2, expected);
  assert_reads(scratch_write("last.csv", "1,-2.5\n3e-3,4\n5,6"), 3, 2, expected);
  assert_reads(scratch_write("spaces.csv", " 1 , -2.5 \n\t3e-3,\t4\r\n5,6 \r\n"), 3, 2, expected);
  assert_reads(scratch_write("head.csv", "left,right\n1,-2.5\n3e-3,4\n5,6\n"), 3, 2, expected);
  assert_reads(scratch_write("comments.csv",
                             "# from a robot\n\nleft,right\n1,-2.5\n# a pause\n\r\n3e-3,4\n5,6\n"),
               3, 2, expected);
  // rows beyond the last step are not needed
  assert_reads(scratch_write("more.csv", "1,-2.5\n3e-3,4\nwhatever"), 2, 2, expected);
  const cr_real single[] = {0.5, 0.25};
  assert_reads(scratch_write("single.csv", "0.5\n.25\n"), 2, 1, single);
}

static void hdf5(void** state) {
  (void)state;
  const double values[] = {1, 2, 3, 4, 5, 6};
  static const char* const names[] = {"controls.h5", "controls.hdf5"};
  for (int i = 0; i < 2; i++) {
    cr_h5* file = NULL;
    const char* path = scratch_path(names[i]);
    assert_int_equal(cri_h5_create(&file, path, &error), CR_OK);
    assert_int_equal(cri_h5_write(file, "ctrl", values, 3, 2, &error), CR_OK);
    assert_int_equal(cri_h5_save(file, &error), CR_OK);
    cri_h5_close(file);
    assert_reads(path, 3, 2, values);
    assert_reads(path, 2, 2, values);
  }
}

static void refused(const char* path, int nstep, int nu, cr_status status, const char* because) {
  cr_real ctrl[64] = {0};
  error = (cr_error){0};
  assert_int_equal(cri_controls_read(ctrl, nstep, nu, path, &error), status);
  if (strstr(error.text, because) == NULL || strstr(error.text, path) == NULL) {
    fail_msg("'%s' does not say '%s' and '%s'", error.text, path, because);
  }
}

static void bad_csv(void** state) {
  (void)state;
  refused(scratch_path("none.csv"), 1, 1, CR_ERR_FILE, "cannot be opened");
  refused(scratch_write("a.csv", "1,2\n3,4\n"), 3, 2, CR_ERR_FORMAT,
          "2 rows, the rollout has 3 steps");
  refused(scratch_write("b.csv", "1,2\n3\n"), 2, 2, CR_ERR_FORMAT, "line 2: 2 numbers");
  refused(scratch_write("c.csv", "1,2,3\n"), 1, 2, CR_ERR_FORMAT, "line 1: 2 numbers");
  refused(scratch_write("d.csv", "1,2\nleft,right\n"), 2, 2, CR_ERR_FORMAT, "line 2");
  refused(scratch_write("e.csv", "left,right\nup,down\n"), 1, 2, CR_ERR_FORMAT, "line 2");
  refused(scratch_write("f.csv", "1,nan\n"), 1, 2, CR_ERR_FORMAT, "row 0, column 1 is not finite");
  refused(scratch_write("g.csv", "1,2\n1e999,3\n"), 2, 2, CR_ERR_FORMAT, "row 1, column 0");
  refused(scratch_write("h.csv", "1;2\n"), 1, 2, CR_ERR_FORMAT, "line 1");
  refused(scratch_write("i.csv", ""), 1, 2, CR_ERR_FORMAT, "is empty");
  refused(scratch_write("j.csv", "\n"), 1, 2, CR_ERR_FORMAT, "0 rows");
  refused(scratch_write("j.csv", "1,2,\n"), 1, 2, CR_ERR_FORMAT, "line 1");
  refused(scratch_write("k.csv", "1\n"), 1, 0, CR_ERR_ARG, "no controls");
}

static void bad_hdf5(void** state) {
  (void)state;
  const double values[] = {1, 2, 3, 4, 5, (double)NAN};
  refused(scratch_path("none.h5"), 1, 1, CR_ERR_FILE, "");
  refused(scratch_write("text.h5", "1,2\n"), 1, 2, CR_ERR_FORMAT, "not an HDF5 file");
  cr_h5* file = NULL;
  const char* path = scratch_path("other.h5");
  assert_int_equal(cri_h5_create(&file, path, &error), CR_OK);
  assert_int_equal(cri_h5_write(file, "qpos", values, 3, 2, &error), CR_OK);
  assert_int_equal(cri_h5_save(file, &error), CR_OK);
  refused(path, 3, 2, CR_ERR_FORMAT, "'ctrl'");
  assert_int_equal(cri_h5_write(file, "ctrl", values, 3, 2, &error), CR_OK);
  assert_int_equal(cri_h5_save(file, &error), CR_OK);
  cri_h5_close(file);
  refused(path, 4, 2, CR_ERR_FORMAT, "ctrl is 3 x 2, at least 4 x 2 expected");
  refused(path, 3, 3, CR_ERR_FORMAT, "ctrl is 3 x 2, at least 3 x 3 expected");
  refused(path, 3, 2, CR_ERR_FORMAT, "row 2, column 1 is not finite");
}

int test_controls(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(csv),
      cmocka_unit_test(hdf5),
      cmocka_unit_test(bad_csv),
      cmocka_unit_test(bad_hdf5),
  };
  return cmocka_run_group_tests_name("controls", tests, scratch_open, scratch_close);
}
