// SPDX-License-Identifier: Apache-2.0
// A head of eight-byte integers, numbers, a checksum over both.
#include "identify/saving.h"

#include <stdlib.h>

#include "base/fingerprint.h"
#include "base/state_head.h"
#include "model/state_vector.h"

// the head, in this order; what is before LEG has to be as in the search that goes on
enum {
  MAGIC,
  VERSION,
  REAL_SIZE,
  MODEL,
  PARAMETERS,
  MEASUREMENTS,
  OPTIONS,
  SEARCH,
  LEG,
  STEPS,  // of the rounds before
  TOLD,   // steps that progress was told of
  TRIED,
  TAKEN,
  ENDED,
  COUNT,  // numbers of the leg's x with its starts
  N_HEAD
};
static const char* const names[] = {[MAGIC] = "kind of file",
                                    [VERSION] = "version",
                                    [REAL_SIZE] = "size of numbers",
                                    [MODEL] = "model",
                                    [PARAMETERS] = "parameters",
                                    [MEASUREMENTS] = "measurements",
                                    [OPTIONS] = "options of the identification",
                                    [SEARCH] = "tolerance, gauss_newton or stay"};
_Static_assert(LEG == sizeof((cri_saving*)NULL)->identity / sizeof(int64_t), "identity of a state");

enum { START_COST, VALUE, MU, NU, PART, N_FRONT };

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "identification: no memory for the state of a search");
}

// ---- which search it is

// as doubles: a long double has bytes without meaning
static uint64_t add_reals(uint64_t hash, const cr_real* x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    double v = (double)x[i];
    hash = cri_fingerprint(hash, &v, sizeof v);
  }
  return hash;
}

static uint64_t add_count(uint64_t hash, int64_t n) { return cri_fingerprint(hash, &n, sizeof n); }

static uint64_t add_text(uint64_t hash, const char* text) {
  return cri_fingerprint(hash, text, strlen(text) + 1);
}

static cr_status add_measurements(uint64_t* hash, const cri_problem* p, const cr_measurements* ms,
                                  cr_error* error) {
  *hash = add_count(0, cr_measurements_count(ms));
  for (int r = 0; r < cr_measurements_count(ms); r++) {
    *hash = add_text(*hash, cr_measurements_name(ms, r));
    *hash = add_count(*hash, cr_measurements_group(ms, r));
    *hash = add_count(*hash, cr_measurements_channels(ms, r));
    for (int k = 0; k < cr_measurements_channels(ms, r); k++) {
      cr_channel_info c = {.size = sizeof c};
      cr_place at;
      CR_TRY(cr_measurements_get(ms, r, k, &c, error));
      CR_TRY(cri_place_find(&at, p->m, c.place, error));
      size_t rows = (size_t)c.rows;
      *hash = add_text(*hash, c.place);
      *hash = add_count(*hash, c.rows);
      *hash = add_reals(*hash, c.time, rows);
      *hash = add_reals(*hash, c.values, rows * (size_t)at.count);
      *hash = add_reals(*hash, (const cr_real[]){c.noise, c.delay}, 2);
    }
  }
  return CR_OK;
}

static uint64_t options_of(const cr_identification_options* o) {
  const cr_real numbers[] = {o->window, o->continuity, o->huber, o->held_out, o->longest_delay};
  uint64_t hash = add_reals(0, numbers, sizeof numbers / sizeof numbers[0]);
  hash = add_count(add_count(hash, (int64_t)o->start), o->seed);
  hash = add_count(add_count(hash, o->ndelayed), o->nshifted);
  for (int i = 0; i < o->nheld; i++) {
    hash = add_text(hash, o->held[i]);
  }
  if (o->adaptive != NULL) {
    const cr_adaptive* a = o->adaptive;
    const cr_real steps[] = {a->rtol, a->atol, a->first_step, a->largest_step, a->p, a->i, a->d};
    hash = add_reals(hash, steps, sizeof steps / sizeof steps[0]);
    hash = add_count(add_count(add_count(hash, a->events), a->quaternions), a->max_steps);
  }
  for (int i = 0; i < o->ndelayed; i++) {
    hash = add_text(hash, o->delayed[i]);
  }
  for (int i = 0; i < o->nshifted; i++) {
    hash = add_text(hash, o->shifted[i]);
  }
  return hash;
}

_Static_assert(OPTIONS + 1 == CRI_N_IDENTITY, "identity of a state");

cr_status cri_saving_identity(const cri_problem* p, const cr_measurements* ms,
                              const cr_identification_options* o, int64_t kind, int64_t* identity,
                              cr_error* error) {
  cr_real x[CR_MAX_PARAMETERS], values[CR_MAX_PARAMETERS];
  uint64_t measurements;
  cri_parameters_start(p->parameters, x);
  cri_parameters_values(p->parameters, x, values);
  CR_TRY(cri_parameters_apply(p->parameters, values, error));
  CR_TRY(add_measurements(&measurements, p, ms, error));
  identity[MAGIC] = kind;
  identity[VERSION] = 1;
  identity[REAL_SIZE] = (int64_t)sizeof(cr_real);
  identity[MODEL] = (int64_t)cr_model_fingerprint(p->m, 0);
  identity[PARAMETERS] = (int64_t)cri_parameters_fingerprint(p->parameters, 0);
  identity[MEASUREMENTS] = (int64_t)measurements;
  identity[OPTIONS] = (int64_t)options_of(o);
  return CR_OK;
}

cr_status cri_saving_create(cri_saving* s, cri_search* whole, const cr_measurements* ms,
                            const cr_identification_options* options, const cr_search* search,
                            cr_search_end* end, cr_error* error) {
  *s = (cri_saving){.options = search, .whole = whole, .end = end};
  s->identity[SEARCH] = (int64_t)add_reals(
      add_count(add_count(0, search->gauss_newton), search->stay), &search->tolerance, 1);
  const int64_t kind = INT64_C(0x796669746e656469);  // "identify"
  return cri_saving_identity(&whole->p, ms, options, kind, s->identity, error);
}

void cri_saving_free(cri_saving* s) {
  free(s->numbers);
  free(s->bytes);
}

// ---- sizes

static size_t x_of(const cri_problem* p) { return (size_t)p->n + (size_t)p->nspan * (size_t)p->nx; }

static size_t bases_of(const cri_problem* p) {
  return (size_t)p->nspan * (size_t)cri_state_size(p->m);
}

// numbers of a state whose leg has `count` numbers
static size_t numbers_of(const cri_problem* p, size_t count) {
  return N_FRONT + (size_t)p->nplace + x_of(p) + bases_of(p) + 2 * count;
}

static size_t size_of(const cri_problem* p, size_t count) {
  return (N_HEAD + 1) * sizeof(int64_t) + numbers_of(p, count) * sizeof(cr_real);
}

// ---- save

static char* put(char* at, const void* data, size_t n) {
  memcpy(at, data, n);
  return at + n;
}

static char* put_reals(char* at, const cr_real* x, size_t n) { return put(at, x, n * sizeof *x); }

cr_status cri_saving_save(cri_saving* s, const cri_search* leg, const cr_damped_state* state,
                          cr_error* error) {
  const cri_problem* p = &s->whole->p;
  size_t count = x_of(&leg->p), size = size_of(p, count);
  if (s->options->save == NULL) {
    return CR_OK;
  }
  if (size > s->room) {
    free(s->bytes);
    s->room = 0;
    s->bytes = calloc(size, 1);
    if (s->bytes == NULL) {
      return no_memory(error);
    }
    s->room = size;
  }
  int64_t head[N_HEAD];
  memcpy(head, s->identity, sizeof s->identity);
  head[LEG] = s->leg;
  head[STEPS] = s->end->steps;
  head[TOLD] = leg->steps;
  head[TRIED] = state->tried;
  head[TAKEN] = state->taken;
  head[ENDED] = state->ended;
  head[COUNT] = (int64_t)count;
  const cr_real front[N_FRONT] = {[START_COST] = s->end->start_cost,
                                  [VALUE] = state->value,
                                  [MU] = state->mu,
                                  [NU] = state->nu,
                                  [PART] = state->part};
  char* at = put_reals(put(s->bytes, head, sizeof head), front, N_FRONT);
  for (int k = 0; k < p->nplace; k++) {
    at = put_reals(at, &p->places[k].noise, 1);
  }
  at = put_reals(put_reals(at, p->x, x_of(p)), p->state, bases_of(p));
  at = put_reals(put_reals(at, state->x, count), state->scale, count);
  uint64_t sum = cri_fingerprint(0, s->bytes, (size_t)(at - s->bytes));
  (void)put(at, &sum, sizeof sum);
  return s->options->save(s->options->context, leg->steps - 1, s->bytes, size, error);
}

// ---- resume

static cr_status damaged(cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT, "the state to resume is damaged");
}

static bool is_count(int64_t n, int64_t most) { return n >= 0 && n <= most; }

static cr_status check_bytes(const cri_saving* s, int64_t* head, cr_error* error) {
  const char* bytes = s->options->resume;
  size_t size = s->options->resume_size;
  if (size < (N_HEAD + 1) * sizeof *head) {
    return cri_fail(error, CR_ERR_FORMAT, "the state to resume has %zu bytes", size);
  }
  memcpy(head, bytes, N_HEAD * sizeof *head);
  CR_TRY(cri_state_head_check(head, s->identity, names, LEG, error));
  uint64_t sum;
  memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
  bool whole = sum == cri_fingerprint(0, bytes, size - sizeof sum) &&
               is_count(head[LEG], CRI_FIRST_ROUND + CRI_MOST_ROUNDS - 1) &&
               is_count(head[STEPS], INT32_MAX) && is_count(head[TOLD], INT32_MAX) &&
               is_count(head[TRIED], INT32_MAX) && is_count(head[TAKEN], head[TRIED]) &&
               is_count(head[COUNT], INT32_MAX) && is_count(head[ENDED], 1) && head[TOLD] > 0;
  return whole && size == size_of(&s->whole->p, (size_t)head[COUNT]) ? CR_OK : damaged(error);
}

cr_status cri_saving_read(cri_saving* s, cr_error* error) {
  cri_problem* p = &s->whole->p;
  int64_t head[N_HEAD];
  CR_TRY(check_bytes(s, head, error));
  size_t count = (size_t)head[COUNT], n = numbers_of(p, count);
  s->numbers = calloc(n, sizeof *s->numbers);
  if (s->numbers == NULL) {
    return no_memory(error);
  }
  memcpy(s->numbers, (const char*)s->options->resume + sizeof head, n * sizeof *s->numbers);
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(s->numbers[i])) {
      return damaged(error);
    }
  }
  const cr_real *front = s->numbers, *at = front + N_FRONT;
  for (int k = 0; k < p->nplace; k++) {
    p->places[k].noise = *at++;
  }
  memcpy(p->x, at, x_of(p) * sizeof *at);
  at += x_of(p);
  memcpy(p->state, at, bases_of(p) * sizeof *at);
  at += bases_of(p);
  s->from = (cr_damped_state){.value = front[VALUE],
                              .mu = front[MU],
                              .nu = front[NU],
                              .part = front[PART],
                              .tried = (int)head[TRIED],
                              .taken = (int)head[TAKEN],
                              .ended = head[ENDED] != 0,
                              .x = at,
                              .scale = at + count};
  s->count = (int)count;
  s->resumed = true;
  s->leg = s->from_leg = (int)head[LEG];
  // a search that goes on linearises at the last step once more, and tells of it again
  s->whole->steps = (int)head[TOLD] - (head[ENDED] == 0);
  s->end->start_cost = front[START_COST];
  s->end->steps = (int)head[STEPS];
  s->end->rounds = s->leg > CRI_FIRST_ROUND ? s->leg - CRI_FIRST_ROUND : 0;
  return CR_OK;
}

cr_status cri_saving_resume(cri_saving* s, int count, const cr_damped_state** from,
                            cr_error* error) {
  *from = NULL;
  if (!s->resumed) {
    return CR_OK;
  }
  if (s->leg != s->from_leg || count != s->count) {
    return damaged(error);
  }
  s->resumed = false;
  *from = &s->from;
  return CR_OK;
}
