// SPDX-License-Identifier: Apache-2.0
// Files that commands write. See command/output.h.
#include "command/output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/files.h"

bool cr_output_is(const char* path, const char* ending) {
  const char* dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot + 1, ending) == 0;
}

static cr_status check_ending(const char* option, const char* path, const char* endings,
                              cr_error* error) {
  const char* dot = strrchr(path, '.');
  char list[96] = "";
  size_t used = 0;
  for (const char* at = endings; *at != 0;) {
    size_t n = strcspn(at, " ");
    const char* rest = at + n + strspn(at + n, " ");
    if (dot != NULL && strlen(dot + 1) == n && strncmp(dot + 1, at, n) == 0) {
      return CR_OK;
    }
    int put = snprintf(list + used, sizeof list - used, "%s.%.*s",
                       used == 0    ? ""
                       : *rest != 0 ? ", "
                                    : " or ",
                       (int)n, at);
    used += put > 0 && used + (size_t)put < sizeof list ? (size_t)put : 0;
    at = rest;
  }
  return cri_fail(error, CR_ERR_ARG, "%s %s: a name that ends in %s is expected", option, path,
                  list);
}

cr_status cr_output_check(const char* option, const char* path, const char* endings, bool force,
                          cr_error* error) {
  struct stat there;
  if (path == NULL) {
    return CR_OK;
  }
  CR_TRY(endings != NULL ? check_ending(option, path, endings, error) : CR_OK);
  if (!force && stat(path, &there) == 0 && S_ISREG(there.st_mode)) {
    return cri_fail(error, CR_ERR_FILE, "%s %s: it exists; --force overwrites it", option, path);
  }
  return cri_file_writable(path, error);
}

void cr_output_tell(const char* path) {
  if (path != NULL) {
    (void)printf("Wrote %s\n", path);
  }
}
