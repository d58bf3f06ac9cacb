// SPDX-License-Identifier: Apache-2.0
// Writers of one file at once leave one of their files, and readers see nothing else meanwhile; what
// fails leaves what was there.
#include "base/whole_file.h"
#include "support/scratch.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITERS = 4, ROUNDS = 60, MOST = 200000 };

static char path[512], temporary[520];

static void setup(void) {
  (void)snprintf(path, sizeof path, "%s", scratch_path("file"));
  (void)snprintf(temporary, sizeof temporary, "%s.tmp", path);
}

AROUND_FILE(setup, NULL)

// writer k writes n(k) times its own letter
static size_t length_of(int k) { return (size_t)(MOST / (k + 1)); }

static void write_rounds(int k) {
  static char text[MOST];
  memset(text, 'a' + k, sizeof text);
  for (int i = 0; i < ROUNDS; i++) {
    if (cri_whole_file_write(path, text, length_of(k), NULL) != CR_OK) {
      _exit(1);
    }
  }
  _exit(0);
}

static void check_whole(void) {
  static char text[MOST + 1];
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return;  // none yet
  }
  size_t n = fread(text, 1, sizeof text, file);
  (void)fclose(file);
  int k = text[0] - 'a';
  assert_true(n > 0 && k >= 0 && k < WRITERS);
  assert_int_equal(n, length_of(k));
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(text[i], text[0]);
  }
}

TEST(the_last_of_several_writers_wins) {
  pid_t id[WRITERS];
  for (int k = 0; k < WRITERS; k++) {
    id[k] = fork();
    if (id[k] == 0) {
      write_rounds(k);
    }
    assert_true(id[k] > 0);
  }
  for (int i = 0; i < 200; i++) {
    check_whole();
  }
  for (int k = 0; k < WRITERS; k++) {
    int status = 1;
    assert_int_equal(waitpid(id[k], &status, 0), id[k]);
    assert_int_equal(status, 0);
  }
  check_whole();
  assert_int_not_equal(access(temporary, F_OK), 0);
}

// what a writer that was killed left behind is no obstacle, and none of it remains
TEST(a_temporary_file_is_used_again) {
  FILE* file = fopen(temporary, "wb");
  assert_non_null(file);
  assert_true(fputs("what a writer that was killed has left", file) > 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(cri_whole_file_write(path, "new", 3, NULL), CR_OK);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_size, 3);
}

TEST(a_failure_leaves_what_was_there) {
  cr_error error = {0};
  assert_int_equal(cri_whole_file_write(path, "old", 3, NULL), CR_OK);
  assert_int_equal(symlink("/dev/full", temporary), 0);
  assert_int_equal(cri_whole_file_write(path, "new and longer", 14, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "cannot be written: No space left on device"));
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_size, 3);
  assert_int_equal(cri_whole_file_write("/no/such/folder/file", "x", 1, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "/no/such/folder/file: cannot be written"));
}
