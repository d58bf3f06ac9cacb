// SPDX-License-Identifier: Apache-2.0
// A head of eight-byte integers, the bounds, then islands one after the other.
#include "search/saved.h"

#include "base/state_head.h"

// the head, in this order; what is before GENERATION has to be as in the search that goes on
enum {
  MAGIC,
  REAL_SIZE,
  METHOD,
  LOCAL,
  NUMBERS,
  POPULATION,
  ISLANDS,
  FIRST_ISLAND,
  SEED,
  GENERATION,
  EVALUATIONS,
  N_HEAD
};
static const char* const names[] = {
    [MAGIC] = "kind of file",       [REAL_SIZE] = "size of numbers", [METHOD] = "method",
    [LOCAL] = "local method",       [NUMBERS] = "count of numbers",  [POPULATION] = "population",
    [ISLANDS] = "count of islands", [FIRST_ISLAND] = "first island", [SEED] = "seed"};

static void make_head(int64_t* head, const cr_island* s, int count) {
  const cr_global_options* o = s->options;
  head[MAGIC] = INT64_C(0x3168637261657343);  // "Csearch1"
  head[REAL_SIZE] = (int64_t)sizeof(cr_real);
  head[METHOD] = o->method;
  head[LOCAL] = o->local;
  head[NUMBERS] = s->n;
  head[POPULATION] = s->population;
  head[ISLANDS] = count;
  head[FIRST_ISLAND] = o->first_island;
  memcpy(&head[SEED], &o->seed, sizeof o->seed);
}

static size_t bounds_size(const cr_island* s) { return 2 * (size_t)s->n * sizeof(cr_real); }

static size_t island_size(const cr_island* s) {
  return sizeof s->random + s->count * sizeof(cr_real);
}

size_t cri_state_size(const cr_island* islands, int count) {
  return N_HEAD * sizeof(int64_t) + bounds_size(islands) + (size_t)count * island_size(islands);
}

void cri_state_write(void* state, const cr_island* islands, int count, int generation,
                     int64_t evaluations) {
  char* at = state;
  int64_t head[N_HEAD];
  make_head(head, islands, count);
  head[GENERATION] = generation;
  head[EVALUATIONS] = evaluations;
  memcpy(at, head, sizeof head);
  at += sizeof head;
  memcpy(at, islands->lower, bounds_size(islands) / 2);
  memcpy(at + bounds_size(islands) / 2, islands->upper, bounds_size(islands) / 2);
  at += bounds_size(islands);
  for (int i = 0; i < count; i++) {
    memcpy(at, &islands[i].random, sizeof islands[i].random);
    memcpy(at + sizeof islands[i].random, islands[i].numbers, islands[i].count * sizeof(cr_real));
    at += island_size(&islands[i]);
  }
}

cr_status cri_state_read(const void* state, size_t size, cr_island* islands, int count,
                         int* generation, int64_t* evaluations, cr_error* error) {
  const char* at = state;
  int64_t head[N_HEAD], expected[N_HEAD];
  if (size < sizeof head) {
    return cri_fail(error, CR_ERR_FORMAT, "the state to resume has %zu bytes", size);
  }
  memcpy(head, at, sizeof head);
  at += sizeof head;
  make_head(expected, islands, count);
  CR_TRY(cri_state_head_check(head, expected, names, GENERATION, error));
  if (size != cri_state_size(islands, count)) {
    return cri_fail(error, CR_ERR_FORMAT, "the state to resume has %zu bytes; %zu expected", size,
                    cri_state_size(islands, count));
  }
  size_t half = bounds_size(islands) / 2;
  if (memcmp(at, islands->lower, half) != 0 || memcmp(at + half, islands->upper, half) != 0) {
    return cri_fail(error, CR_ERR_FORMAT, "the state to resume is of another search: its bounds");
  }
  at += 2 * half;
  for (int i = 0; i < count; i++) {
    memcpy(&islands[i].random, at, sizeof islands[i].random);
    memcpy(islands[i].numbers, at + sizeof islands[i].random, islands[i].count * sizeof(cr_real));
    at += island_size(&islands[i]);
  }
  *generation = (int)head[GENERATION];
  *evaluations = head[EVALUATIONS];
  return CR_OK;
}
