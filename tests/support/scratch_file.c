// SPDX-License-Identifier: Apache-2.0
// Files that a test writes.
#include "support/scratch_file.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void folder(char path[SCRATCH_PATH]) {
  (void)snprintf(path, SCRATCH_PATH, "%s/scratch", CAROM_BINARY_DIR);
  (void)mkdir(path, 0777);
  size_t n = strlen(path);
  (void)snprintf(path + n, SCRATCH_PATH - n, "/%ld", (long)getpid());
  (void)mkdir(path, 0777);
}

const char* scratch_path(char path[SCRATCH_PATH], const char* name) {
  folder(path);
  size_t n = strlen(path);
  (void)snprintf(path + n, SCRATCH_PATH - n, "/%s", name);
  return path;
}

const char* scratch_text(char path[SCRATCH_PATH], const char* name, const char* text) {
  FILE* file = fopen(scratch_path(path, name), "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  return path;
}

void scratch_clear(void) {
  char path[SCRATCH_PATH];
  folder(path);
  DIR* dir = opendir(path);
  assert_non_null(dir);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    char file[SCRATCH_PATH];
    (void)unlink(scratch_path(file, entry->d_name));
  }
  (void)closedir(dir);
  (void)rmdir(path);
}
