// SPDX-License-Identifier: Apache-2.0
// The name that a misspelt one most likely means.
#ifndef CR_BASE_NEAREST_H
#define CR_BASE_NEAREST_H

#include <stddef.h>

/// A search over names that are offered one after the other.
typedef struct {
  char word[64];     // what was written
  const char* name;  // the nearest of the names offered, "" while none is near
  int least;         // edits between the two
  char hint[112];    // of cri_nearest_hint
} cri_nearest;

/// Edits that turn a into b: letters changed, put in or left out. 40 where b is longer than that.
int cri_edits(const char* a, const char* b);

/// Begins with a word of a length. Longer words than 63 letters have no name near them.
void cri_nearest_begin(cri_nearest* nearest, const char* word, size_t length);

/// Offers a name, which has to outlive the search. Of equally near names the first one stays.
void cri_nearest_offer(cri_nearest* nearest, const char* name);

/// "; did you mean 'NAME'?", or "" where none is near. Belongs to the search.
const char* cri_nearest_hint(cri_nearest* nearest);

#endif
