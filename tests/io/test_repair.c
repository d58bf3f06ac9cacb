// SPDX-License-Identifier: Apache-2.0
// The attribute that MuJoCo 4.0.0 no longer knows: taken out of a file and of those it includes, with
// a warning each. The files do not change, and other mistakes stay mistakes.
#include "io/repair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mujoco.h"
#include "support/scratch.h"
#include "support/test.h"
#include "tools/files.h"

#define BODY "<body><freejoint/><geom size='.1'/></body>"
#define OLD "<compiler angle='radian' convexhull=\"false\"/>"

static cr_load_report report;
static cr_error error;

static cr_status load(const char* path, mjtSize nv) {
  mjModel* mj = NULL;
  error = (cr_error){0};
  cri_load_report_free(&report);
  cr_status status = cri_mujoco_load(&mj, path, &report, &error);
  if (status == CR_OK) {
    assert_int_equal(mj->nv, nv);
  }
  mj_deleteModel(mj);
  return status;
}

TEST(taken_out_with_a_warning) {
  const char* path =
      scratch_write("old.xml", "<mujoco>" OLD "<worldbody>" BODY "</worldbody></mujoco>");
  assert_int_equal(load(path, 6), CR_OK);
  assert_int_equal(report.warnings.n, 1);
  assert_non_null(strstr(report.warnings.text[0], "old.xml: the attribute 'convexhull'"));
  char* text;
  size_t n;
  assert_int_equal(cri_file_read(path, &text, &n, &error), CR_OK);
  assert_non_null(strstr(text, OLD));
  free(text);
  // the report is not a must
  mjModel* mj = NULL;
  assert_int_equal(cri_mujoco_load(&mj, path, NULL, &error), CR_OK);
  mj_deleteModel(mj);
}

TEST(also_of_included_files) {
  (void)scratch_write("deep.xml", "<mujoco>" OLD "</mujoco>");
  (void)scratch_write("part.xml",
                      "<mujoco><!-- <include file='none.xml'/> -->" OLD
                      "<include file='deep.xml'/><worldbody>" BODY "</worldbody></mujoco>");
  const char* path = scratch_write(
      "whole.xml", "<mujoco><include file='part.xml'/><worldbody>" BODY "</worldbody></mujoco>");
  assert_int_equal(load(path, 12), CR_OK);
  assert_int_equal(report.warnings.n, 2);
}

TEST(other_mistakes_stay) {
  assert_int_equal(load(scratch_write("a.xml", "<mujoco><compiler concave='false'/></mujoco>"), 0),
                   CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "concave"));
  assert_int_equal(load(scratch_write("b.xml", "<mujoco>" OLD "<worldbdy/></mujoco>"), 0),
                   CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "worldbdy"));
  assert_int_equal(load(scratch_write("c.xml", "<mujoco><geom convexhull='false'/></mujoco>"), 0),
                   CR_ERR_MODEL);
  assert_int_equal(load(scratch_write("good.xml", "<mujoco/>"), 0), CR_OK);
  assert_int_equal(report.warnings.n, 0);
}

// MuJoCo's file system in memory knows no folders: it would take one file for both
TEST(two_files_of_one_name_are_refused) {
  assert_int_equal(cri_folder_make(scratch_path("sub"), &error), CR_OK);
  (void)scratch_write("sub/same.xml", "<mujoco>" OLD "</mujoco>");
  (void)scratch_write("same.xml", "<mujoco><worldbody>" BODY "</worldbody></mujoco>");
  const char* path = scratch_write(
      "two.xml", "<mujoco><include file='sub/same.xml'/><include file='same.xml'/></mujoco>");
  assert_int_equal(load(path, 0), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "two files named 'same.xml'"));
  assert_int_equal(remove(scratch_path("sub/same.xml")), 0);
  assert_int_equal(remove(scratch_path("sub")), 0);
}

static void close_all(void) { cri_load_report_free(&report); }

AROUND_FILE(NULL, close_all)
