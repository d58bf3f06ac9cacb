// SPDX-License-Identifier: Apache-2.0
#include "support/scratch.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LENGTH = 512, RING = 8 };

static char folder[64], home[LENGTH];

static void remove_file(const char* path) { (void)remove(path); }

bool scratch_open(void) {
  (void)strcpy(folder, "/tmp/carom_test_XXXXXX");
  return getcwd(home, sizeof home) != NULL && mkdtemp(folder) != NULL && chdir(folder) == 0;
}

// calls visit for every file in the folder and returns their number
static int each(void (*visit)(const char* path)) {
  DIR* dir = opendir(folder);
  int n = 0;
  if (dir == NULL) {
    return 0;
  }
  for (const struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      n++;
      if (visit != NULL) {
        visit(scratch_path(entry->d_name));
      }
    }
  }
  (void)closedir(dir);
  return n;
}

bool scratch_close(void) {
  (void)each(remove_file);
  return chdir(home) == 0 && rmdir(folder) == 0;
}

const char* scratch_path(const char* name) {
  static char ring[RING][LENGTH];
  static int next;
  next = (next + 1) % RING;
  (void)snprintf(ring[next], LENGTH, "%s/%s", folder, name);
  return ring[next];
}

const char* scratch_write(const char* name, const char* text) {
  const char* path = scratch_path(name);
  FILE* file = fopen(path, "wb");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
    (void)fprintf(stderr, "%s: cannot be written\n", path);
    abort();
  }
  return path;
}

int scratch_count(void) { return each(NULL); }

bool scratch_has(const char* name) { return access(scratch_path(name), F_OK) == 0; }

void scratch_disk_full(bool on, long bytes) {
  static struct rlimit kept;
  static void (*handler)(int);
  if (on) {
    (void)getrlimit(RLIMIT_FSIZE, &kept);
    handler = signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = kept.rlim_max};
    (void)setrlimit(RLIMIT_FSIZE, &limit);
  } else {
    (void)setrlimit(RLIMIT_FSIZE, &kept);
    (void)signal(SIGXFSZ, handler);
  }
}
