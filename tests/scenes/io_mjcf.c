// SPDX-License-Identifier: Apache-2.0
#include "scenes/io_mjcf.h"

#include <stdio.h>

#include "model/model_check.h"
#include "support/scratch.h"
#include "support/test.h"

static mjModel* load(const char* path) {
  mjModel* mj = NULL;
  cr_error error = {0};
  if (cri_mujoco_load(&mj, path, NULL, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return mj;
}

mjModel* mjcf_compile(const char* text) { return load(scratch_write("model.xml", text)); }

const char* mjcf_path(const char* name) {
  static char path[512];
  (void)snprintf(path, sizeof path, "%s/tests/data/%s", CAROM_SOURCE_DIR, name);
  return path;
}

mjModel* mjcf_data(const char* name) { return load(mjcf_path(name)); }

cr_model mjcf_model(const mjModel* mj) {
  cr_model m;
  cr_error error = {0};
  if (cri_model_from_mjmodel(&m, mj, &error) != CR_OK || cri_model_check(&m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return m;
}
