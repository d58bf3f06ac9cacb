// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "support/close.h"

#include "search/saved.h"

enum { ISLANDS = 3, N = 2, P = 4 };

typedef struct {
  cr_global_options options;
  cr_island islands[ISLANDS];
  cr_real numbers[ISLANDS][100];
} sea;

static const cr_real lower[] = {-1, 10}, upper[] = {1, 30}, other[] = {1, 31};
static cr_error error;

static void make(sea* s, uint64_t seed) {
  s->options = (cr_global_options){.method = CR_GLOBAL_RESTARTS, .islands = ISLANDS, .seed = seed};
  for (int i = 0; i < ISLANDS; i++) {
    cr_island* island = &s->islands[i];
    *island = (cr_island){.n = N,
                          .population = P,
                          .lower = lower,
                          .upper = upper,
                          .options = &s->options,
                          .random = cr_random_seed(seed, (uint64_t)i)};
    island->count = cri_island_count(&cr_restarts, N, P);
    cri_island_bind(island, s->numbers[i]);
    for (size_t k = 0; k < island->count; k++) {
      island->numbers[k] = cr_random_uniform(&island->random);
    }
  }
}

static void refuse(const void* bytes, size_t size, sea* s, const char* what) {
  int generation;
  int64_t evaluations;
  assert_int_equal(
      cri_state_read(bytes, size, s->islands, ISLANDS, &generation, &evaluations, &error),
      CR_ERR_FORMAT);
  if (strstr(error.text, what) == NULL) {
    fail_msg("'%s' is not about %s", error.text, what);
  }
}

TEST(state_comes_back) {
  sea a, b;
  int generation = 0;
  int64_t evaluations = 0;
  make(&a, 4);
  make(&b, 4);
  size_t size = cri_state_size(a.islands, ISLANDS);
  void* bytes = malloc(size);
  cri_state_write(bytes, a.islands, ISLANDS, 17, 1234567890123);
  for (int i = 0; i < ISLANDS; i++) {
    (void)cr_random_bits(&b.islands[i].random);
    b.islands[i].numbers[3] = -1;
  }
  assert_int_equal(
      cri_state_read(bytes, size, b.islands, ISLANDS, &generation, &evaluations, &error), CR_OK);
  assert_int_equal(generation, 17);
  assert_true(evaluations == 1234567890123);
  for (int i = 0; i < ISLANDS; i++) {
    assert_memory_equal(&a.islands[i].random, &b.islands[i].random, sizeof(cr_random));
    assert_memory_equal(a.islands[i].numbers, b.islands[i].numbers,
                        a.islands[i].count * sizeof(cr_real));
  }
  free(bytes);
}

TEST(state_of_another_search_is_refused) {
  sea a, b;
  make(&a, 4);
  size_t size = cri_state_size(a.islands, ISLANDS);
  char* bytes = malloc(size);
  cri_state_write(bytes, a.islands, ISLANDS, 17, 5);
  make(&b, 5);
  refuse(bytes, size, &b, "seed");
  make(&b, 4);
  b.options.method = CR_GLOBAL_CMA_ES;
  refuse(bytes, size, &b, "method");
  make(&b, 4);
  for (int i = 0; i < ISLANDS; i++) {
    b.islands[i].upper = other;
  }
  refuse(bytes, size, &b, "bounds");
  make(&b, 4);
  refuse(bytes, size - 1, &b, "bytes");
  refuse(state, 7, &b, "7 bytes");
  bytes[0]++;
  refuse(bytes, size, &b, "kind of file");
  free(bytes);
}
