// SPDX-License-Identifier: Apache-2.0
#include "checks/parameter_check.h"

#include <stdio.h>

#include "base/random.h"
#include "checks/field_space.h"
#include "integrate/step.h"
#include "support/test.h"

enum { MOST_NUMBERS = 64 };

cr_parameter parameter_of(const char* name, cr_fit_kind kind, const char* target, cr_real start) {
  cr_parameter p = {
      .kind = kind, .start = start, .lower = -(cr_real)INFINITY, .upper = (cr_real)INFINITY};
  (void)snprintf(p.name, sizeof p.name, "%s", name);
  (void)snprintf(p.target, sizeof p.target, "%s", target);
  return p;
}

cr_parameters* parameters_bound(const cr_model* m, const cr_parameter* items, int n) {
  cr_parameters* ps = NULL;
  cr_error error = {0};
  if (cri_parameters_create(&ps, items, n, m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return ps;
}

// ---- a step from a random state

typedef struct {
  cr_parameters* ps;
  const cr_model* m;
  cr_data *d, *bar, *tan;
  cr_real weights[MOST_NUMBERS];
  int n;
} bench;

static void apply(bench* b, const cr_real* x) {
  cr_real p[MOST_NUMBERS];
  cr_error error = {0};
  cri_parameters_values(b->ps, x, p);
  if (cri_parameters_apply(b->ps, p, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static cr_real step_at(bench* b, const cr_real* x) {
  cr_real sum = 0;
  apply(b, x);
  assert_int_equal(cr_step(b->m, b->d), CR_OK);
  for (int i = 0; i < b->m->nv; i++) {
    sum += b->weights[i] * b->d->qvel_next[i];
  }
  return sum;
}

static void open_bench(bench* b, cr_parameters* ps, uint64_t seed) {
  cr_random random = cr_random_seed(seed, 77);
  *b = (bench){.ps = ps, .m = cri_parameters_model(ps), .n = cri_parameters_count(ps)};
  assert_true(b->n <= MOST_NUMBERS && b->m->nv <= MOST_NUMBERS);
  b->d = test_data(b->m);
  for (int i = 0; i < b->m->nv; i++) {
    b->d->qvel[i] = 2 * cr_random_normal(&random);
    b->d->qfrc_applied[i] = cr_random_normal(&random);
    b->weights[i] = cr_random_normal(&random) / b->m->timestep;
  }
  for (int i = 0; i < 6 * b->m->nbody; i++) {
    b->d->xfrc_applied[i] = cr_random_normal(&random);
  }
  assert_int_equal(
      cri_data_twin(&b->bar, b->m, b->d, CR_DATA_COTANGENT, cri_parameters_wanted(ps), NULL),
      CR_OK);
  assert_int_equal(
      cri_data_twin(&b->tan, b->m, b->d, CR_DATA_TANGENT, cri_parameters_wanted(ps), NULL), CR_OK);
}

static void close_bench(bench* b) {
  cri_data_free(b->bar);
  cri_data_free(b->tan);
}

static void push(bench* b, const cr_real* x, int i) {
  cri_twin_clear(b->tan);
  assert_int_equal(cri_parameters_pushforward(b->ps, x, i, b->tan, NULL), CR_OK);
}

// ---- inner products of fields

static void check_products(bench* b, const cr_real* x, cr_random* random, parameter_errors* e) {
  static cr_real products[MOST_NUMBERS], scales[MOST_NUMBERS];
  cr_real x_bar[MOST_NUMBERS];
  const bool* wanted = cri_parameters_wanted(b->ps);
  cri_model_twin_zero(&b->bar->par, b->m);
  for (int f = 0; f < CR_N_MODEL_FIELD; f++) {
    if (wanted[f]) {
      field_random_cotangent(random, b->m, b->d, b->bar, (cr_field_id)f);
    }
  }
  for (int i = 0; i < b->n; i++) {
    field_product product = {0};
    push(b, x, i);
    for (int f = 0; f < CR_N_MODEL_FIELD; f++) {
      if (wanted[f]) {
        field_dot(b->m, b->d, b->bar, b->tan, (cr_field_id)f, &product);
      }
    }
    products[i] = product.sum;
    scales[i] = cr_max(product.absolute, 1);
  }
  assert_int_equal(cr_parameters_gradient(b->ps, b->bar, x, x_bar, NULL), CR_OK);
  for (int i = 0; i < b->n; i++) {
    e->products = cr_max(e->products, cr_abs(products[i] - x_bar[i]) / scales[i]);
  }
}

// ---- the step

static void check_step(bench* b, cr_real* x, const parameter_tolerance* how, parameter_errors* e) {
  const cr_real h = how->step * cr_pow(CR_EPS, CR_R(0.2)) / 4;
  cr_real x_bar[MOST_NUMBERS], largest = 0;
  (void)step_at(b, x);
  cri_twin_clear(b->bar);
  cri_model_twin_zero(&b->bar->par, b->m);
  cr_copy(b->bar->qvel_next, b->weights, b->m->nv);
  assert_int_equal(cr_step_vjp(b->m, b->m, b->d, NULL, b->bar), CR_OK);
  assert_int_equal(cr_parameters_gradient(b->ps, b->bar, x, x_bar, NULL), CR_OK);
  for (int i = 0; i < b->n; i++) {
    largest = cr_max(largest, cr_abs(x_bar[i]));
  }
  assert_true(largest > 0);
  for (int i = 0; i < b->n; i++) {
    static const cr_real central[][2] = {{-2, 1}, {-1, -8}, {0, 0}, {1, 8}, {2, -1}};
    static const cr_real one_sided[][2] = {{0, -25}, {1, 48}, {2, -36}, {3, 16}, {4, -3}};
    const cr_real(*rule)[2] = how->forward ? one_sided : central, at = x[i];
    cr_real slope = 0, tangent = 0;
    push(b, x, i);
    assert_int_equal(cr_step_jvp(b->m, b->d, NULL, b->tan), CR_OK);
    for (int k = 0; k < b->m->nv; k++) {
      tangent += b->weights[k] * b->tan->qvel_next[k];
    }
    for (int k = 0; k < 5; k++) {
      x[i] = at + rule[k][0] * h;
      slope += rule[k][1] * step_at(b, x) / (12 * h);
    }
    x[i] = at;
    (void)step_at(b, x);
    e->tangents = cr_max(e->tangents, cr_abs(tangent - x_bar[i]) / largest);
    e->differences = cr_max(e->differences, cr_abs(slope - x_bar[i]) / largest);
  }
}

parameter_errors parameters_check(cr_parameters* ps, const cr_real* away,
                                  const parameter_tolerance* how, uint64_t seed) {
  bench b;
  cr_real x[MOST_NUMBERS];
  cr_random random = cr_random_seed(seed, 78);
  parameter_errors e = {0};
  open_bench(&b, ps, seed);
  cri_parameters_start(ps, x);
  for (int i = 0; i < b.n && away != NULL; i++) {
    x[i] += away[i];
  }
  apply(&b, x);
  check_products(&b, x, &random, &e);
  check_step(&b, x, how, &e);
  close_bench(&b);
  return e;
}

void parameters_are_right(const cr_model* m, const cr_parameter* items, int n, const cr_real* away,
                          parameter_tolerance tolerance) {
  for (uint64_t seed = 0; seed < 3; seed++) {
    cr_parameters* ps = parameters_bound(m, items, n);
    parameter_errors e = parameters_check(ps, away, &tolerance, seed);
    print_message("products %.1e, tangents %.1e, differences %.1e\n", (double)e.products,
                  (double)e.tangents, (double)e.differences);
    assert_true(e.products < tolerance.round_off);
    assert_true(e.tangents < tolerance.round_off);
    assert_true(e.differences < tolerance.by_difference);
    cri_parameters_free(ps);
  }
}

void parameters_refused(const cr_model* m, const cr_parameter* items, int n, cr_status status,
                        const char* part) {
  cr_parameters* ps = NULL;
  cr_error error = {0};
  assert_int_equal(cri_parameters_create(&ps, items, n, m, &error), status);
  assert_null(ps);
  if (strstr(error.text, part) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
}
