// SPDX-License-Identifier: Apache-2.0
// A short run of tests/fuzz/solves.c on the models of tests/data.
#include <dirent.h>
#include <stdio.h>

#include "checks/io_solves.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

enum { STATES = 400 };

static void hold(const char* path) {
  solves_tally t = {0};
  char why[SOLVES_SENTENCE];
  if (!solves_run(path, 1, STATES, 1e9, &t, why)) {
    return;  // URDF, or a model that does not move
  }
  assert_true(2 * t.stepped > t.states && t.states > STATES / 2);
  assert_int_equal(t.unknown, 0);
  if (t.silent > 0 || t.needless > 0) {
    fail_msg("%s: %d silent: %s; %d needless: %s", path, t.silent, t.silent_at, t.needless,
             t.needless_at);
  }
}

TEST(steps_are_right_or_say_why_not) {
  DIR* folder = opendir(CAROM_SOURCE_DIR "/tests/data");
  int models = 0;
  assert_non_null(folder);
  for (const struct dirent* file = readdir(folder); file != NULL; file = readdir(folder)) {
    size_t n = strlen(file->d_name);
    if (n > 4 && strcmp(file->d_name + n - 4, ".xml") == 0) {
      hold(mjcf_path(file->d_name));
      models++;
    }
  }
  (void)closedir(folder);
  assert_true(models >= 20);
}
