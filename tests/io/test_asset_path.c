// SPDX-License-Identifier: Apache-2.0
// Folders of assets as seen from another place, and a specification that finds its meshes and textures from there.
#define _XOPEN_SOURCE 700  // realpath
#include "io/asset_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/test.h"

static cr_error error;
static char seen[CR_MAX_PATH];

static void folders(void) {
  assert_int_equal(cri_folder_make("robot/meshes", &error), CR_OK);
  assert_int_equal(cri_folder_make("found", &error), CR_OK);
}

static void remove_folders(void) {
  (void)remove("robot/meshes/wedge.obj");
  (void)remove("robot/m.xml");
  assert_int_equal(rmdir("robot/meshes"), 0);
  assert_int_equal(rmdir("robot"), 0);
  assert_int_equal(rmdir("found"), 0);
}

AROUND_EACH(folders, remove_folders)

TEST(a_folder_is_named_from_another) {
  assert_true(cri_asset_folder(seen, "robot/meshes", "found"));
  assert_string_equal(seen, "../robot/meshes/");
  assert_true(cri_asset_folder(seen, "robot/meshes", "robot"));
  assert_string_equal(seen, "meshes/");
  assert_true(cri_asset_folder(seen, "", "robot/meshes"));
  assert_string_equal(seen, "../../");
  assert_true(cri_asset_folder(seen, "robot/../robot", "robot"));
  assert_string_equal(seen, "");
}

TEST(without_a_common_folder_it_is_absolute) {
  char* root = realpath("/usr", NULL);
  assert_non_null(root);
  assert_true(cri_asset_folder(seen, root, "found"));
  assert_int_equal(strncmp(seen, root, strlen(root)), 0);
  free(root);
}

TEST(no_folder_no_path) {
  assert_false(cri_asset_folder(seen, "nowhere", "found"));
  assert_false(cri_asset_folder(seen, "robot", "nowhere"));
}

static void write_text(const char* path, const char* text) {
  assert_int_equal(cri_file_write(path, text, strlen(text), &error), CR_OK);
}

TEST(a_specification_finds_its_meshes_from_the_new_place) {
  char said[500];
  write_text("robot/meshes/wedge.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  write_text(
      "robot/m.xml",
      "<mujoco><compiler meshdir='meshes'/><asset><mesh file='wedge.obj'/></asset><worldbody>"
      "<body><freejoint/><geom type='mesh' mesh='wedge'/></body></worldbody></mujoco>");
  mjSpec* spec = mj_parseXML("robot/m.xml", NULL, said, (int)sizeof said);
  assert_non_null(spec);
  cri_assets_move(spec, "robot/m.xml", "found");
  assert_string_equal(mjs_getString(spec->compiler.meshdir), "../robot/meshes/");
  mjModel* mj = mj_compile(spec, NULL);
  assert_non_null(mj);
  assert_int_equal(mj->nmeshvert, 4);
  mj_deleteModel(mj);
  mj_deleteSpec(spec);
}
