// SPDX-License-Identifier: Apache-2.0
// The program of a folder of tests/: runs the test files named on the command line (test_bias.c is
// `bias`), or all of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

enum { NAME = 64 };

// a file and its tests, which add themselves before main
typedef struct {
  char name[NAME];
  struct CMUnitTest* tests;
  size_t n;
  test_fixture setup, teardown, setup_each, teardown_each;
  int (*more)(void);
} file;

static file* files;
static int nfile;
static const file* running;

static void* grown(void* array, size_t n, size_t size) {
  void* more = realloc(array, n * size);
  if (more == NULL) {
    abort();
  }
  return more;
}

// tests/FOLDER/test_bias.c: bias
static void name_of(const char* path, char name[NAME]) {
  const char* last = strrchr(path, '/');
  const char* base = last != NULL ? last + 1 : path;
  base += strncmp(base, "test_", 5) == 0 ? 5 : 0;
  (void)snprintf(name, NAME, "%.*s", (int)strcspn(base, "."), base);
}

static file* file_of(const char* path) {
  char name[NAME];
  name_of(path, name);
  for (int i = nfile - 1; i >= 0; i--) {
    if (strcmp(files[i].name, name) == 0) {
      return &files[i];
    }
  }
  files = grown(files, (size_t)nfile + 1, sizeof *files);
  files[nfile] = (file){0};
  (void)strcpy(files[nfile].name, name);
  return &files[nfile++];
}

void test_around_file(const char* path, test_fixture setup, test_fixture teardown) {
  file* f = file_of(path);
  f->setup = setup;
  f->teardown = teardown;
}

void test_around_each(const char* path, test_fixture setup, test_fixture teardown) {
  file* f = file_of(path);
  f->setup_each = setup;
  f->teardown_each = teardown;
}

void test_more(const char* path, int (*run)(void)) { file_of(path)->more = run; }

static void call(test_fixture f) {
  if (f != NULL) {
    f();
  }
}

static int open_file(void** state) {
  assert_true(scratch_open());
  call(running->setup);
  test_keep(true);
  return 0;
}

static int close_file(void** state) {
  call(running->teardown);
  test_keep(false);
  test_release();
  assert_true(scratch_close());
  return 0;
}

static int open_test(void** state) {
  call(running->setup_each);
  return 0;
}

static int close_test(void** state) {
  call(running->teardown_each);
  test_release();
  return 0;
}

void test_add(const char* path, const char* name, CMUnitTestFunction run) {
  file* f = file_of(path);
  f->tests = grown(f->tests, f->n + 1, sizeof *f->tests);
  f->tests[f->n++] = (struct CMUnitTest){
      .name = name, .test_func = run, .setup_func = open_test, .teardown_func = close_test};
}

static int run_file(const file* f) {
  running = f;
  int failed = 0;
  if (f->n > 0) {
    failed = _cmocka_run_group_tests(f->name, f->tests, f->n, open_file, close_file);
  }
  return failed + (f->more != NULL ? f->more() : 0);
}

static bool wanted(const file* f, int argc, char** argv) {
  for (int k = 1; k < argc; k++) {
    if (strcmp(argv[k], f->name) == 0) {
      return true;
    }
  }
  return argc == 1;
}

int main(int argc, char** argv) {
  int failed = 0, ran = 0;
  for (int i = 0; i < nfile; i++) {
    if (wanted(&files[i], argc, argv)) {
      ran++;
      failed += run_file(&files[i]);
    }
    free(files[i].tests);
  }
  free(files);
  if (ran == 0) {
    (void)fprintf(stderr, "no such test\n");
    return 2;
  }
  return failed != 0;
}
