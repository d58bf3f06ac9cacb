// SPDX-License-Identifier: Apache-2.0
// Controls from CSV and HDF5, and everything that can be wrong with such a file.
#include "io/controls.h"

#include <stdio.h>

#include "scenes/io_mjcf.h"
#include "support/scratch.h"
#include "support/test.h"
#include "tools/hdf5.h"

static cr_error error;
static cr_model models[4];  // with so many controls

static void setup(void) {
  static const char* const motors[] = {
      "", "<motor name='right' joint='a'/>",
      "<motor name='left' joint='a'/><motor name='right' joint='a'/>",
      "<motor name='left' joint='a'/><motor name='right' joint='a'/><motor joint='a'/>"};
  for (int i = 0; i < 4; i++) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body></worldbody>"
                   "<actuator>%s</actuator></mujoco>",
                   motors[i]);
    mjModel* mj = mjcf_compile(text);
    models[i] = mjcf_model(mj);
    mj_deleteModel(mj);
  }
}

static void teardown(void) {
  for (int i = 0; i < 4; i++) {
    cri_model_free(&models[i]);
  }
}

AROUND_FILE(setup, teardown)

enum { EVERY = 1 };  // hundredths of a second from row to row

static cr_status reads(cr_real* ctrl, int nstep, int nu, const char* path) {
  return cri_controls_read(ctrl, &models[nu], nstep, CR_R(0.01) * EVERY, path, &error);
}

static void assert_reads(const char* path, int nstep, int nu, const cr_real* expected) {
  cr_real ctrl[16] = {0};
  if (reads(ctrl, nstep, nu, path) != CR_OK) {
    fail_msg("%s", error.text);
  }
  for (int i = 0; i < nstep * nu; i++) {
    assert_true(ctrl[i] == expected[i]);
  }
}

TEST(csv) {
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

// columns are found by name, in whatever order, however they are written
TEST(columns_by_name) {
  const cr_real expected[] = {1, -2.5, 3e-3, 4};
  assert_reads(scratch_write("swap.csv", "right,left\n-2.5,1\n4,3e-3\n"), 2, 2, expected);
  assert_reads(scratch_write("quotes.csv", "\"right\", 'left' \r\n-2.5,1\r\n4,3e-3\r\n"), 2, 2,
               expected);
  assert_reads(scratch_write("bom.csv", "\xef\xbb\xbfright,left\n-2.5,1\n4,3e-3\n"), 2, 2,
               expected);
  assert_reads(scratch_write("numbers.csv", "ctrl[1],ctrl[left]\n-2.5,1\n4,3e-3\n"), 2, 2,
               expected);
  assert_reads(scratch_write("numpy.csv", "# right,left\n-2.5,1\n4,3e-3\n"), 2, 2, expected);
  assert_reads(scratch_write("time.csv", "right,time,left\n-2.5,3.5,1\n4,3.51,3e-3\n"), 2, 2,
               expected);
  assert_reads(scratch_write("rounded.csv", "time,right,left\n0,-2.5,1\n0.01002,4,3e-3\n"), 2, 2,
               expected);
}

TEST(hdf5) {
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

static void a_set_with(const char* path, const char* columns, const double* time) {
  const double values[] = {1, 2, 3, 4};
  cr_h5* file = NULL;
  assert_int_equal(cri_h5_create(&file, path, &error), CR_OK);
  assert_int_equal(cri_h5_write(file, "ctrl", values, 2, 2, &error), CR_OK);
  assert_int_equal(cri_h5_write_text(file, "ctrl", "columns", columns, &error), CR_OK);
  assert_int_equal(time != NULL ? cri_h5_write(file, "time", time, 2, 0, &error) : CR_OK, CR_OK);
  assert_int_equal(cri_h5_save(file, &error), CR_OK);
  cri_h5_close(file);
}

static void refused(const char* path, int nstep, int nu, cr_status status, const char* because) {
  cr_real ctrl[64] = {0};
  error = (cr_error){0};
  assert_int_equal(reads(ctrl, nstep, nu, path), status);
  if (strstr(error.text, because) == NULL || strstr(error.text, path) == NULL) {
    fail_msg("'%s' does not say '%s' and '%s'", error.text, path, because);
  }
}

TEST(bad_csv) {
  refused(scratch_path("none.csv"), 1, 1, CR_ERR_FILE, "cannot be opened");
  refused(scratch_write("a.csv", "1,2\n3,4\n"), 3, 2, CR_ERR_FORMAT,
          "2 rows, the rollout has 3 steps");
  refused(scratch_write("b.csv", "1,2\n3\n"), 2, 2, CR_ERR_FORMAT, "line 2: 2 numbers");
  refused(scratch_write("c.csv", "1,2,3\n"), 1, 2, CR_ERR_FORMAT, "line 1: 2 numbers");
  refused(scratch_write("d.csv", "1,2\nleft,right\n"), 2, 2, CR_ERR_FORMAT, "line 2");
  refused(scratch_write("e.csv", "left,right\nup,down\n"), 1, 2, CR_ERR_FORMAT, "line 2");
  refused(scratch_write("l.csv", "time,left,right\n0,1,2\n0.02,3,4\n"), 2, 2, CR_ERR_FORMAT,
          "line 3: time 0.02 is 0.02 after the first row; controls change every 0.01 s");
  refused(scratch_write("m.csv", "time,left,right\n1,1,2\n1,3,4\n"), 2, 2, CR_ERR_FORMAT,
          "line 3: time 1 comes after 1; it has to increase");
  refused(scratch_write("n.csv", "elbow,left\n1,2\n"), 1, 2, CR_ERR_FORMAT,
          "line 1: there is no control 'elbow'; there are: time, left, right");
  refused(scratch_write("o.csv", "time,left\n0,2\n"), 1, 2, CR_ERR_FORMAT,
          "line 1: a column for 'right' is missing");
  refused(scratch_write("p.csv", "left,left,right\n1,2,3\n"), 1, 2, CR_ERR_FORMAT,
          "line 1: column 'left' is there twice");
  refused(scratch_write("q.csv", "0,1,2\n"), 1, 2, CR_ERR_FORMAT,
          "name all of them in a first line");
  refused(scratch_write("r.csv", "# time, left, elbow\n0,1,2\n"), 1, 2, CR_ERR_FORMAT,
          "line 1: there is no control 'elbow'");
  refused(scratch_write("s.csv", "left right\n1,2\n"), 1, 2, CR_ERR_FORMAT,
          "line 1: there is no control 'left right'");
  refused(scratch_write("f.csv", "1,nan\n"), 1, 2, CR_ERR_FORMAT, "row 0, column 1 is not finite");
  refused(scratch_write("g.csv", "1,2\n1e999,3\n"), 2, 2, CR_ERR_FORMAT, "row 1, column 0");
  refused(scratch_write("h.csv", "1;2\n"), 1, 2, CR_ERR_FORMAT, "line 1");
  refused(scratch_write("i.csv", ""), 1, 2, CR_ERR_FORMAT, "is empty");
  refused(scratch_write("j.csv", "\n"), 1, 2, CR_ERR_FORMAT, "0 rows");
  refused(scratch_write("j.csv", "1,2,\n"), 1, 2, CR_ERR_FORMAT, "line 1");
  refused(scratch_write("k.csv", "1\n"), 1, 0, CR_ERR_ARG, "no controls");
}

TEST(bad_hdf5) {
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

TEST(hdf5_with_names_and_times) {
  const cr_real as_they_are[] = {1, 2, 3, 4}, swapped[] = {2, 1, 4, 3};
  const double good[] = {7, 7.01}, bad[] = {0, 10};
  const char* path = scratch_path("names.h5");
  a_set_with(path, "left,right", good);
  assert_reads(path, 2, 2, as_they_are);
  a_set_with(path, "right,left", NULL);
  assert_reads(path, 2, 2, swapped);
  a_set_with(path, "right,elbow", NULL);
  refused(path, 2, 2, CR_ERR_FORMAT, "'columns' of ctrl: there is no control 'elbow'");
  a_set_with(path, "left,right", bad);
  refused(path, 2, 2, CR_ERR_FORMAT, "row 1 of time: time 10 is 10 after the first row");
}
