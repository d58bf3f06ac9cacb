// SPDX-License-Identifier: Apache-2.0
#include "tools/numbered_path.h"

#include <stdio.h>
#include <string.h>

bool cri_path_is_numbered(const char* path) { return strchr(path, '%') != NULL; }

// digits of the number, and the length of its mark; 0 if there is something else
static int digits_of(const char* path, size_t* length) {
  const char* at = strchr(path, '%');
  bool padded = at[1] == '0' && at[2] >= '2' && at[2] <= '9';
  *length = padded ? 4 : 2;
  bool right = at[*length - 1] == 'd' && strchr(at + 1, '%') == NULL;
  return !right ? 0 : padded ? at[2] - '0' : 1;
}

bool cri_path_number_is_right(const char* path) {
  size_t length;
  return cri_path_is_numbered(path) && digits_of(path, &length) > 0;
}

void cri_path_number(char* to, size_t size, const char* path, int k) {
  size_t length;
  int digits = digits_of(path, &length);
  const char* at = strchr(path, '%');
  (void)snprintf(to, size, "%.*s%0*d%s", (int)(at - path), path, digits, k, at + length);
}
