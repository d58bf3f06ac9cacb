// SPDX-License-Identifier: Apache-2.0
// One block of numbers: states grow from its left end, notes from its right end.
#include "rollout/tape.h"

#include <limits.h>
#include <stdlib.h>

enum { NOTE = 2 };  // numbers of a note: length, and flag and event in one

// ---- layout

static size_t width_of(const cr_model* m) { return (size_t)(2 + cri_state_size(m) + m->nv); }

static cr_real* row(const cri_tape* t, int k) { return t->memory + (size_t)k * t->width; }

static cr_real* checkpoint(const cri_tape* t, int k) { return row(t, CRI_TAPE_BESIDE + k); }

static int step_of(const cri_tape* t, int k) { return (int)checkpoint(t, k)[0]; }

static cr_real* note(const cri_tape* t, int i) {
  return t->memory + t->room - (size_t)NOTE * ((size_t)i + 1);
}

// states for which there is room beside the stored ones
static int spare(const cri_tape* t) {
  size_t used = (size_t)NOTE * (size_t)t->noted + (size_t)(CRI_TAPE_BESIDE + t->n) * t->width;
  size_t states = used < t->room ? (t->room - used) / t->width : 0;
  return states < INT_MAX / 2 ? (int)states : INT_MAX / 2;
}

static cri_kept parts(cr_real* x, const cr_model* m) {
  return (cri_kept){.time = x + 1,
                    .state = cri_state_at(cri_state_sizes(m), 1, x + 2),
                    .warmstart = x + 2 + cri_state_size(m)};
}

static void write_row(cr_real* x, const cr_model* m, int step, const cr_data* d) {
  cri_kept s = parts(x, m);
  x[0] = (cr_real)step;
  *s.time = d->time;
  cri_state_copy(s.state, cri_state_of(m, d));
  cr_copy(s.warmstart, d->qacc_warmstart, m->nv);
}

static void read_row(cr_real* x, const cr_model* m, cr_data* d) {
  cri_kept s = parts(x, m);
  d->time = *s.time;
  cri_state_copy(cri_state_of(m, d), s.state);
  cr_copy(d->qacc_warmstart, s.warmstart, m->nv);
}

// ---- memory

size_t cri_tape_least(const cr_model* m, int notes) {
  size_t numbers = (CRI_TAPE_BESIDE + 1) * width_of(m) + (size_t)NOTE * (size_t)notes;
  return numbers * sizeof(cr_real);
}

cr_status cri_tape_reserve(cri_tape* t, const cr_model* m, int states, size_t bytes,
                           cr_error* error) {
  cri_tape_free(t);
  t->limited = bytes > 0;
  t->width = width_of(m);
  t->room = bytes > 0 ? bytes / sizeof(cr_real) : ((size_t)states + CRI_TAPE_BESIDE) * t->width;
  t->memory = malloc(t->room * sizeof(cr_real));
  return t->memory != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "rollout: no memory for %d states", states);
}

void cri_tape_free(cri_tape* t) {
  free(t->memory);
  *t = (cri_tape){.n = 0};
}

void cri_tape_begin(cri_tape* t, int nstep) {
  t->n = t->noted = t->lost = t->next = 0;
  t->last = nstep - 1;
  t->every = 1;
}

static cr_status grow(cri_tape* t, cr_error* error) {
  size_t room = t->room + t->room / 2 + 64 * (t->width + NOTE),
         notes = (size_t)NOTE * (size_t)t->noted;
  cr_real* memory = t->noted < INT_MAX / 2 ? realloc(t->memory, room * sizeof *memory) : NULL;
  if (memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "rollout: no memory for more than %d steps", t->noted);
  }
  memmove(memory + room - notes, memory + t->room - notes, notes * sizeof *memory);
  t->memory = memory;
  t->room = room;
  return CR_OK;
}

// keeps only every second one
static void thin(cri_tape* t) {
  int n = 0;
  t->every *= 2;
  for (int k = 0; k < t->n; k++) {
    if (step_of(t, k) % t->every == 0) {
      memmove(checkpoint(t, n++), checkpoint(t, k), t->width * sizeof(cr_real));
    }
  }
  t->n = n;
}

// ---- checkpoints

int cri_tape_split(int steps, int states) {
  int64_t s = states, t = 0, beta = 1, before = 0, first = 0;
  if (states <= 1) {
    return steps;
  }
  // beta(s, t), beta(s, t - 1), beta(s, t - 2)
  while (beta < steps) {
    t++;
    first = before;
    before = beta;
    beta = beta * (s + t) / t;
  }
  int64_t distance = steps - (beta - before);
  distance = distance > first ? distance : first;
  return distance > 1 ? (int)distance : 1;
}

static void plan(cri_tape* t, int step) {
  if (t->last >= 0) {
    t->next = step + (t->limited ? cri_tape_split(t->last + 1 - step, 1 + spare(t)) : 1);
  } else {
    t->next = (step / t->every + 1) * t->every;
  }
}

cr_status cri_tape_keep(cri_tape* t, const cr_model* m, const cr_data* d, int step,
                        cr_error* error) {
  if (step != t->next) {
    return CR_OK;
  }
  if (spare(t) == 0 && !t->limited) {
    CR_TRY(grow(t, error));
  }
  while (spare(t) == 0 && t->last < 0 && t->n > 1) {
    thin(t);
  }
  if (spare(t) > 0 && step % t->every == 0) {
    write_row(checkpoint(t, t->n++), m, step, d);
  }
  plan(t, step);
  return CR_OK;
}

int cri_tape_restore(cri_tape* t, const cr_model* m, int step, cr_data* d) {
  // the last one not behind the step lies in [low, high)
  int low = 0, high = t->n;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (step_of(t, middle) <= step) {
      low = middle;
    } else {
      high = middle;
    }
  }
  int found = step_of(t, low);
  read_row(checkpoint(t, low), m, d);
  if (found < step) {
    t->n = low + 1;
    t->last = step;
    t->every = 1;
    plan(t, found);
  }
  return found;
}

cri_kept cri_tape_kept(const cri_tape* t, const cr_model* m, int step) {
  bool kept = step < t->n && step_of(t, step) == step;
  return kept ? parts(checkpoint(t, step), m) : (cri_kept){.time = NULL};
}

void cri_tape_put(cri_tape* t, const cr_model* m, int beside, const cr_data* d) {
  write_row(row(t, beside), m, 0, d);
}

void cri_tape_get(const cri_tape* t, const cr_model* m, int beside, cr_data* d) {
  read_row(row(t, beside), m, d);
}

cri_kept cri_tape_end(const cri_tape* t, const cr_model* m) {
  return parts(row(t, CRI_TAPE_END), m);
}

// ---- a run kept elsewhere

void cri_tape_write(const cri_tape* t, int steps, cr_real* to) {
  memcpy(to, checkpoint(t, 0), (size_t)steps * t->width * sizeof *to);
  memcpy(to + (size_t)steps * t->width, row(t, CRI_TAPE_END), t->width * sizeof *to);
}

bool cri_tape_read(cri_tape* t, int steps, const cr_real* from) {
  for (int k = 0; k < steps; k++) {
    if (from[(size_t)k * t->width] != (cr_real)k) {
      return false;
    }
  }
  cri_tape_begin(t, steps);
  t->n = steps;
  t->next = steps;
  memcpy(checkpoint(t, 0), from, (size_t)steps * t->width * sizeof *from);
  memcpy(row(t, CRI_TAPE_END), from + (size_t)steps * t->width, t->width * sizeof *from);
  return true;
}

// ---- notes

static bool has_room_for_note(const cri_tape* t) {
  size_t states = (size_t)(CRI_TAPE_BESIDE + t->n) * t->width;
  return states + (size_t)NOTE * ((size_t)t->noted + 1) <= t->room;
}

cr_status cri_tape_note(cri_tape* t, const cri_note* how, cr_error* error) {
  if (!has_room_for_note(t) && !t->limited) {
    CR_TRY(grow(t, error));
  }
  while (!has_room_for_note(t) && t->n > 1) {
    thin(t);
  }
  if (t->lost > 0 || !has_room_for_note(t)) {
    t->lost++;
    return CR_OK;
  }
  cr_real* x = note(t, t->noted++);
  x[0] = how->h;
  x[1] = (cr_real)(2 * how->event + how->known);
  return CR_OK;
}

cri_note cri_tape_noted(const cri_tape* t, int step) {
  const cr_real* x = note(t, step);
  int mark = (int)x[1];
  return (cri_note){.h = x[0], .known = mark % 2 == 1, .event = mark / 2 == 1};
}
