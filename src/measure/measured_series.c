// SPDX-License-Identifier: Apache-2.0
// What several checks of measurements need: the list of sentences, and one number of a channel over time.
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "measure/measurement_doubt.h"

void cri_doubts_add(cri_doubts* list, const cri_measured_run* run, bool sure, const char* about,
                    const char* numbers, const char* cause) {
  char key[320];
  (void)snprintf(key, sizeof key, "%.200s|%.110s", about, cause);
  for (int i = 0; i < list->n; i++) {
    if (strcmp(list->doubt[i].key, key) == 0) {
      list->doubt[i].runs++;
      list->doubt[i].sure = list->doubt[i].sure || sure;
      return;
    }
  }
  if (list->n == list->capacity) {
    int capacity = 2 * list->capacity + 8;
    cri_doubt* more = realloc(list->doubt, (size_t)capacity * sizeof *more);
    if (more == NULL) {
      list->full = true;
      return;
    }
    list->doubt = more;
    list->capacity = capacity;
  }
  cri_doubt* d = &list->doubt[list->n++];
  *d = (cri_doubt){.runs = 1, .sure = sure};
  (void)strcpy(d->key, key);
  (void)snprintf(d->text, sizeof d->text, "run '%s': %.150s %.80s%.95s", run->name, about, numbers,
                 cause);
}

static int by_size(const void* a, const void* b) {
  cr_real x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static cr_real median_spacing(const cri_series* s) {
  int n = s->n - 1;
  cr_real* spacing = n > 0 ? malloc((size_t)n * sizeof *spacing) : NULL;
  if (spacing == NULL) {
    return 0;
  }
  for (int i = 0; i < n; i++) {
    spacing[i] = s->time[i + 1] - s->time[i];
  }
  qsort(spacing, (size_t)n, sizeof *spacing, by_size);
  cr_real median = spacing[n / 2];
  free(spacing);
  return median;
}

bool cri_series_of(cri_series* s, const cri_channel* c, int k) {
  *s = (cri_series){.time = malloc((size_t)c->rows * sizeof *s->time),
                    .value = malloc((size_t)c->rows * sizeof *s->value)};
  if (s->time == NULL || s->value == NULL) {
    cri_series_free(s);
    return false;
  }
  for (int i = 0; i < c->rows; i++) {
    cr_real x = c->values[(size_t)i * (size_t)c->width + (size_t)k];
    if (!isnan(x)) {
      s->time[s->n] = c->time[i];
      s->value[s->n++] = x;
    }
  }
  s->spacing = median_spacing(s);
  return true;
}

void cri_series_free(cri_series* s) {
  free(s->time);
  free(s->value);
  *s = (cri_series){.n = 0};
}
