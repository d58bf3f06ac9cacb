// SPDX-License-Identifier: Apache-2.0
// Files of packages, from the file that names them and from a package path.
#include "io/package.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

// packages/arm/urdf/arm.urdf, packages/arm/meshes/hand.stl, packages/hand/meshes/finger.stl
static void setup(void) {
  static const char* const files[] = {"packages/arm/urdf/arm.urdf", "packages/arm/meshes/hand.stl",
                                      "packages/hand/meshes/finger.stl"};
  for (int i = 0; i < 3; i++) {
    char folder[CR_MAX_PATH];
    assert_int_equal(cri_path_folder(folder, scratch_path(files[i]), NULL), CR_OK);
    assert_int_equal(cri_folder_make(folder, NULL), CR_OK);
    (void)scratch_write(files[i], "x");
  }
}

static void teardown(void) { (void)system("rm -rf packages"); }

AROUND_FILE(setup, teardown)

static bool find(const char* name, const char* package_path, const char* expected) {
  char from[CR_MAX_PATH], found[CR_MAX_PATH] = "";
  (void)snprintf(from, sizeof from, "%s", scratch_path("packages/arm/urdf/arm.urdf"));
  bool is = cri_package_find(found, name, from, package_path);
  size_t n = strlen(found), length = strlen(expected);
  return is && n >= length && strcmp(found + n - length, expected) == 0;
}

TEST(from_the_file_upwards) {
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

TEST(from_a_path) {
  char packages[CR_MAX_PATH], arm[CR_MAX_PATH + 8];
  (void)snprintf(packages, sizeof packages, "%s", scratch_path("packages"));
  (void)snprintf(arm, sizeof arm, "%s/arm/", packages);
  assert_true(find("package://arm/meshes/hand.stl", packages, "packages/arm/meshes/hand.stl"));
  assert_true(find("package://arm/meshes/hand.stl", arm, "packages/arm/meshes/hand.stl"));
  assert_false(find("package://hand/meshes/finger.stl", arm, ""));  // nowhere else is looked
  assert_false(find("package://arm/meshes/hand.stl", "no/such/folder", ""));
}

TEST(schemes) {
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
