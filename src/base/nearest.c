// SPDX-License-Identifier: Apache-2.0
// Distances of words by edits, and the nearest of several names.
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

int cri_edits(const char* a, const char* b) {
  enum { MOST = 40 };
  int row[MOST + 1], n = (int)strlen(b);
  for (int j = 0; j <= n && n <= MOST; j++) {
    row[j] = j;
  }
  for (int i = 1; a[i - 1] != 0 && n <= MOST; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int above = row[j], changed = diagonal + (a[i - 1] != b[j - 1]);
      int moved = (above < row[j - 1] ? above : row[j - 1]) + 1;
      row[j] = changed < moved ? changed : moved;
      diagonal = above;
    }
  }
  return n <= MOST ? row[n] : MOST;
}

void cri_nearest_begin(cri_nearest* n, const char* word, size_t length) {
  *n = (cri_nearest){.name = ""};
  if (length < sizeof n->word) {
    memcpy(n->word, word, length);
    n->least = 1 + (int)length / 4;  // farther than this is another word
  }
}

void cri_nearest_offer(cri_nearest* n, const char* name) {
  int distance = n->word[0] != 0 && name[0] != 0 ? cri_edits(n->word, name) : n->least + 1;
  if (distance < n->least + (n->name[0] == 0)) {
    n->least = distance;
    n->name = name;
  }
}

const char* cri_nearest_hint(cri_nearest* n) {
  n->hint[0] = 0;
  if (n->name[0] != 0) {
    (void)snprintf(n->hint, sizeof n->hint, "; did you mean '%.80s'?", n->name);
  }
  return n->hint;
}
