// SPDX-License-Identifier: Apache-2.0
// The thread pool: every item once, by the worker it belongs to, and the same answers from any
// number of workers.
#include <stdio.h>

#include "base/pool.h"
#include "base/real.h"
#include "support/test.h"

enum { MAX_ITEMS = 100 };

typedef struct {
  int runs[MAX_ITEMS], worker[MAX_ITEMS];
  int fail_from, fail_every;  // items that fail
  cr_real value[MAX_ITEMS];
} work_table;

static cr_status note(void* context, int item, int worker) {
  work_table* t = context;
  t->runs[item]++;
  t->worker[item] = worker;
  for (int k = 1; k <= 200 + 50 * (item % 7); k++) {
    t->value[item] += cr_sin((cr_real)(item + k)) / (cr_real)k;
  }
  bool fails = t->fail_every > 0 && item >= t->fail_from && item % t->fail_every == 0;
  return fails ? (cr_status)(CR_ERR_ARG + item % 5) : CR_OK;
}

static cr_pool* pool_of(int nworker) {
  cr_pool* pool = NULL;
  cr_error error;
  assert_int_equal(cr_pool_create(&pool, nworker, &error), CR_OK);
  return pool;
}

TEST(every_item_once) {
  for (int n = 1; n <= 8; n++) {
    cr_pool* pool = pool_of(n);
    assert_int_equal(cr_pool_size(pool), n);
    for (int nitem = 0; nitem <= MAX_ITEMS; nitem += 9) {
      work_table t = {0};
      assert_int_equal(cr_pool_run(pool, nitem, note, &t), CR_OK);
      for (int i = 0; i < MAX_ITEMS; i++) {
        assert_int_equal(t.runs[i], i < nitem ? 1 : 0);
        assert_int_equal(t.worker[i], i < nitem ? i % n : 0);
      }
    }
    cr_pool_free(pool);
  }
}

TEST(same_bits_for_any_number_of_workers) {
  work_table first = {0};
  for (int n = 1; n <= 8; n *= 2) {
    work_table t = {0};
    cr_pool* pool = pool_of(n);
    assert_int_equal(cr_pool_run(pool, MAX_ITEMS, note, &t), CR_OK);
    cr_pool_free(pool);
    first = n == 1 ? t : first;
    for (int i = 0; i < MAX_ITEMS; i++) {
      assert_true(t.value[i] == first.value[i] && t.value[i] != 0);
    }
  }
}

// item 21 is the first that fails, whoever comes to it when
TEST(the_lowest_failure_counts) {
  for (int n = 1; n <= 8; n++) {
    cr_pool* pool = pool_of(n);
    work_table t = {.fail_from = 20, .fail_every = 3};
    cr_status expected = (cr_status)(CR_ERR_ARG + 21 % 5);
    assert_int_equal(cr_pool_run(pool, MAX_ITEMS, note, &t), expected);
    for (int i = 0; i < 21; i++) {
      assert_int_equal(t.runs[i], 1);
    }
    // a failure is forgotten by the next run
    work_table again = {0};
    assert_int_equal(cr_pool_run(pool, MAX_ITEMS, note, &again), CR_OK);
    cr_pool_free(pool);
  }
}

TEST(many_short_runs) {
  cr_pool* pool = pool_of(3);
  work_table t = {0};
  for (int k = 0; k < 500; k++) {
    assert_int_equal(cr_pool_run(pool, 2, note, &t), CR_OK);
  }
  assert_int_equal(t.runs[0], 500);
  assert_int_equal(t.runs[1], 500);
  cr_pool_free(pool);
}

TEST(one_worker_a_processor) {
  cr_pool* pool = pool_of(0);
  assert_true(cr_pool_size(pool) >= 1);
  work_table t = {0};
  assert_int_equal(cr_pool_run(pool, 10, note, &t), CR_OK);
  cr_pool_free(pool);
  cr_pool_free(NULL);
}
