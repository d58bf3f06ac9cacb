// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "fit/fit_record.h"

// sum of x_i^4 / 4; counts calls, fails at a number of them
typedef struct {
  int calls, fail_at;
} quartic;

static cr_status value(void* context, int batch, const cr_real* x, cr_fit_value* e,
                       cr_error* error) {
  quartic* q = context;
  if (q->calls++ == q->fail_at) {
    return cri_fail(error, CR_ERR_INTERRUPTED, "interrupted");
  }
  e->loss = 0;
  e->windows = 10 + batch;
  for (int i = 0; i < 2; i++) {
    e->gradient[i] = x[i] * x[i] * x[i];
    e->loss += x[i] * e->gradient[i] / 4;
  }
  return CR_OK;
}

static cr_status count_fresh(void* context, const cr_record* record, int i, bool fresh,
                             cr_error* error) {
  int* counts = context;
  counts[fresh]++;
  assert_int_equal(i, counts[0] + counts[1] - 1);
  assert_true(cr_record_count(record) > i);
  return CR_OK;
}

static const cr_adam_options adam = {.size = sizeof adam,
                                     .iterations = 30,
                                     .rate = CR_R(0.1),
                                     .final_rate = CR_R(0.01),
                                     .b1 = CR_R(0.5),
                                     .b2 = CR_R(0.9),
                                     .eps = CR_R(1e-8),
                                     .batches = true};

static cr_status search(cr_record* r, quartic* q, int counts[2], cr_real x[2]) {
  static const cr_real low[] = {-9, -9}, high[] = {9, 9};
  const cr_minimise_problem problem = {.size = sizeof problem,
                                       .n = 2,
                                       .evaluate = cr_record_ask,
                                       .context = r,
                                       .lower = low,
                                       .upper = high};
  cr_record_begin(r, value, q, count_fresh, counts);
  x[0] = 2;
  x[1] = -1;
  return cr_minimise_adam(&problem, &adam, x, NULL, NULL);
}

static void assert_same(const cr_real a[2], const cr_real b[2]) {
  assert_true(a[0] == b[0] && a[1] == b[1]);
}

TEST(a_resumed_search_ends_with_the_same_bits) {
  cr_record *whole = NULL, *cut = NULL;
  cr_real expected[2], x[2];
  int counts[2] = {0, 0}, first[2] = {0, 0}, second[2] = {0, 0};
  assert_int_equal(cr_record_create(&whole, 2, NULL), CR_OK);
  assert_int_equal(cr_record_create(&cut, 2, NULL), CR_OK);
  quartic q = {.fail_at = -1};
  assert_int_equal(search(whole, &q, counts, expected), CR_OK);
  assert_int_equal(counts[1], 30);

  quartic stops = {.fail_at = 11};
  assert_int_equal(search(cut, &stops, first, x), CR_ERR_INTERRUPTED);
  assert_int_equal(cr_record_count(cut), 11);
  quartic goes_on = {.fail_at = -1};
  assert_int_equal(search(cut, &goes_on, second, x), CR_OK);
  assert_int_equal(second[0], 11);
  assert_int_equal(goes_on.calls, 19);
  assert_same(x, expected);
  for (int i = 0; i < 30; i++) {
    cr_record_row a = cr_record_get(whole, i), b = cr_record_get(cut, i);
    assert_int_equal(a.batch, i);
    assert_int_equal(b.e.windows, 10 + i);
    assert_same(a.x, b.x);
    assert_same(a.e.gradient, b.e.gradient);
  }
  cr_record_free(whole);
  cr_record_free(cut);
}

TEST(another_question_drops_the_rest) {
  cr_record* r = NULL;
  quartic q = {.fail_at = -1};
  cr_real x[] = {1, 2}, g[2], loss;
  int counts[2] = {0, 0};
  assert_int_equal(cr_record_create(&r, 2, NULL), CR_OK);
  cr_record_begin(r, value, &q, count_fresh, counts);
  for (int i = 0; i < 3; i++) {
    x[0] = i;
    assert_int_equal(cr_record_ask(r, 0, x, &loss, g, NULL), CR_OK);
  }
  counts[0] = counts[1] = 0;
  cr_record_begin(r, value, &q, count_fresh, counts);
  x[0] = 0;
  assert_int_equal(cr_record_ask(r, 0, x, &loss, g, NULL), CR_OK);
  x[0] = CR_R(0.5);
  assert_int_equal(cr_record_ask(r, 0, x, &loss, g, NULL), CR_OK);
  assert_int_equal(cr_record_count(r), 2);
  assert_int_equal(q.calls, 4);
  assert_close(g[0], CR_R(0.125), 0);

  // once more the same: no new row
  assert_int_equal(cr_record_ask(r, 0, x, &loss, g, NULL), CR_OK);
  assert_int_equal(cr_record_count(r), 2);
  assert_int_equal(q.calls, 4);
  cr_record_free(r);
}
