// SPDX-License-Identifier: Apache-2.0
// The search for files of packages.
#define _XOPEN_SOURCE 700  // realpath
#include "io/package.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char* behind(const char* text, const char* start) {
  size_t n = strlen(start);
  return strncmp(text, start, n) == 0 ? text + n : NULL;
}

static const char* in_package(const char* name) {
  const char* rest = behind(name, "package://");
  return rest != NULL ? rest : behind(name, "model://");
}

bool cri_package_is(const char* name) {
  return in_package(name) != NULL || behind(name, "file://") != NULL;
}

static bool is_file(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool try(char found[CR_MAX_PATH], const char* folder, const char* rest) {
  return cri_path_join(found, folder, rest, NULL) == CR_OK && is_file(found);
}

// FOLDER/NAME/PATH, or FOLDER/PATH in a folder called NAME; `rest` is NAME/PATH
static bool look_in(char found[CR_MAX_PATH], const char* folder, const char* rest) {
  size_t n = strcspn(rest, "/"), length = strlen(folder);
  if (try(found, folder, rest)) {
    return true;
  }
  bool same = n > 0 && rest[n] == '/' && length > n && folder[length - n - 1] == '/' &&
              strncmp(folder + length - n, rest, n) == 0;
  return same && try(found, folder, rest + n + 1);
}

// the folder with all links and dots resolved
static bool whole(char folder[CR_MAX_PATH], const char* path) {
  char* resolved = realpath(path, NULL);
  bool fits = resolved != NULL && strlen(resolved) < CR_MAX_PATH;
  if (fits) {
    (void)snprintf(folder, CR_MAX_PATH, "%s", resolved);
  }
  free(resolved);
  return fits;
}

bool cri_package_find(char found[CR_MAX_PATH], const char* name, const char* from,
                      const char* package_path) {
  char folder[CR_MAX_PATH];
  const char* rest = behind(name, "file://");
  if (rest != NULL) {
    return try(found, "", rest);
  }
  rest = in_package(name);
  if (rest == NULL || rest[0] == '/') {
    return false;
  }
  if (package_path != NULL) {
    return whole(folder, package_path) && look_in(found, folder, rest);
  }
  if (!whole(folder, from)) {
    return false;
  }
  for (char* slash = strrchr(folder, '/'); slash != NULL; slash = strrchr(folder, '/')) {
    *slash = 0;
    if (look_in(found, folder[0] != 0 ? folder : "/", rest)) {
      return true;
    }
  }
  return false;
}
