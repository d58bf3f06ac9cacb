// SPDX-License-Identifier: Apache-2.0
// Files of packages, from the file that names them and from a package path.
#include "io/package.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scratch.h"

// packages/arm/urdf/arm.urdf, packages/arm/meshes/hand.stl, packages/hand/meshes/finger.stl
static int setup(void** state) {
  int result = scratch_open(state);
  static const char* const files[] = {"packages/arm/urdf/arm.urdf", "packages/arm/meshes/hand.stl",
                                      "packages/hand/meshes/finger.stl"};
  for (int i = 0; i < 3; i++) {
    char folder[CR_MAX_PATH];
    assert_int_equal(cri_path_folder(folder, scratch_path(files[i]), NULL), CR_OK);
    assert_int_equal(cri_folder_make(folder, NULL), CR_OK);
    (void)scratch_write(files[i], "x");
  }
  return result;
}

static int teardown(void** state) {
  (void)system("rm -rf packages");
  return scratch_close(state);
}

static bool find(const char* name, const char* package_path, const char* expected) {
  char from[CR_MAX_PATH], found[CR_MAX_PATH] = "";
  (void)snprintf(from, sizeof from, "%s", scratch_path("packages/arm/urdf/arm.urdf"));
  bool is = cri_package_find(found, name, from, package_path);
  size_t n = strlen(found), length = strlen(expected);
  return is && n >= length && strcmp(found + n - length, expected) == 0;
}

static void from_the_file_upwards(void** state) {
  (void)state;
  // the folder called arm is above the file; hand lies beside it
  assert_true(find("package://arm/meshes/hand.stl", NULL, "packages/arm/meshes/hand.stl"));
  assert_true(find("package://hand/meshes/finger.stl", NULL, "packages/hand/meshes/finger.stl"));
  assert_true(find("model://hand/meshes/finger.stl", NULL, "packages/hand/meshes/finger.stl"));
  assert_false(find("package://arm/meshes/none.stl", NULL, ""));
  assert_false(find("package://leg/meshes/hand.stl", NULL, ""));
  assert_false(find("package:///meshes/hand.stl", NULL, ""));
  assert_false(find("package://", NULL, ""));
  assert_false(find("package://arm/meshes", NULL, ""));  // a folder
}

static void from_a_path(void** state) {
  (void)state;
  char packages[CR_MAX_PATH], arm[CR_MAX_PATH + 8];
  (void)snprintf(packages, sizeof packages, "%s", scratch_path("packages"));
  (void)snprintf(arm, sizeof arm, "%s/arm/", packages);
  assert_true(find("package://arm/meshes/hand.stl", packages, "packages/arm/meshes/hand.stl"));
  assert_true(find("package://arm/meshes/hand.stl", arm, "packages/arm/meshes/hand.stl"));
  assert_false(find("package://hand/meshes/finger.stl", arm, ""));  // nowhere else is looked
  assert_false(find("package://arm/meshes/hand.stl", "no/such/folder", ""));
}

static void schemes(void** state) {
  (void)state;
  char name[CR_MAX_PATH];
  (void)snprintf(name, sizeof name, "file://%s", scratch_path("packages/arm/meshes/hand.stl"));
  assert_true(find(name, NULL, "packages/arm/meshes/hand.stl"));
  assert_true(cri_package_is(name));
  assert_true(cri_package_is("package://a/b"));
  assert_false(cri_package_is("a/b.stl"));
  assert_false(cri_package_is("/package://a"));
  assert_false(find("a/b.stl", NULL, ""));
  char longest[2 * CR_MAX_PATH] = "package://arm/";
  memset(longest + strlen(longest), 'x', sizeof longest - strlen(longest) - 1);
  longest[sizeof longest - 1] = 0;
  assert_false(find(longest, NULL, ""));
}

int test_package(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(from_the_file_upwards),
      cmocka_unit_test(from_a_path),
      cmocka_unit_test(schemes),
  };
  return cmocka_run_group_tests_name("package", tests, setup, teardown);
}
