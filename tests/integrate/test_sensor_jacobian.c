// SPDX-License-Identifier: Apache-2.0
// The Jacobians of all sensors against tangents and cotangents of cr_forward, which engine/pipeline holds against differences, over random
// models; and calls that are refused.
#include "carom/step_jacobian.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "carom/step.h"
#include "model/state_vector.h"
#include "scenes/random_model.h"
#include "support/allocation.h"
#include "support/close.h"

enum { MODELS = 96 };
#ifdef CR_LONG_DOUBLE
#define TOLERANCE CR_R(1e-12)
#else
#define TOLERANCE CR_R(1e-9)  // light bodies lose some digits
#endif

typedef struct {
  cr_model m;
  cr_data *d, *tan, *bar;
  cr_sensor_jacobian* work;
  int nx, ny;
  cr_real *C, *D, *x, *should, *y;  // ny nx, ny nu; room for nx + nu twice, and for ny
} fixture;

// the first sensors alone: then there are fewer rows than columns
static void keep_few(cr_model* m, uint64_t seed) {
  int last = (int)(seed % 4);
  if (last < m->nsensor) {
    m->nsensor = last + 1;
    m->nsensordata = m->sensor_adr[last] + m->sensor_dim[last];
  }
}

static fixture fixture_of(uint64_t seed) {
  fixture f = {.d = NULL};
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  if (seed % 3 == 0) {
    keep_few(&f.m, seed);
  }
  f.d = test_data(&f.m);
  assert_int_equal(cri_data_twin(&f.tan, &f.m, f.d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&f.bar, &f.m, f.d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  assert_int_equal(cr_sensor_jacobian_create(&f.work, &f.m, f.d, NULL), CR_OK);
  f.nx = cri_state_tangent_size(&f.m);
  f.ny = f.m.nsensordata;
  size_t nx = (size_t)f.nx, ny = (size_t)f.ny, nu = (size_t)f.m.nu;
  f.C = calloc(ny * (nx + nu) + 2 * (nx + nu) + ny + 1, sizeof *f.C);
  assert_non_null(f.C);
  f.D = f.C + ny * nx;
  f.x = f.D + ny * nu;
  f.should = f.x + nx + nu;
  f.y = f.should + nx + nu;
  return f;
}

static void fixture_free(fixture* f) {
  cr_sensor_jacobian_destroy(f->work);
  cri_data_free(f->bar);
  cri_data_free(f->tan);
  free(f->C);
  cri_model_free(&f->m);
}

static void draw(cr_random* random, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(random);
  }
}

// C x + D u against the tangent of cr_forward
static void check_tangent(fixture* f, cr_random* random) {
  cr_real *x = f->x, *u = f->x + f->nx;
  draw(random, x, f->nx + f->m.nu);
  cri_twin_clear(f->tan);
  cri_state_copy(cri_state_twin(&f->m, f->tan), cri_state_at(cri_state_tangent_sizes(&f->m), 1, x));
  cr_copy(f->tan->ctrl, u, f->m.nu);
  assert_int_equal(cr_forward_jvp(&f->m, f->d, f->tan), CR_OK);
  for (ptrdiff_t i = 0; i < f->ny; i++) {
    f->y[i] = 0;
    for (ptrdiff_t j = 0; j < f->nx; j++) {
      f->y[i] += f->C[i * f->nx + j] * x[j];
    }
    for (ptrdiff_t j = 0; j < f->m.nu; j++) {
      f->y[i] += f->D[i * f->m.nu + j] * u[j];
    }
  }
  assert_all_close(f->y, f->tan->sensordata, f->ny, TOLERANCE);
}

// y'(C, D) against its cotangents
static void check_cotangent(fixture* f, cr_random* random) {
  cr_real *x = f->x, *u = f->x + f->nx;
  draw(random, f->y, f->ny);
  cri_twin_clear(f->bar);
  cr_copy(f->bar->sensordata, f->y, f->ny);
  assert_int_equal(cr_forward_vjp(&f->m, f->d, f->bar), CR_OK);
  cr_zero(x, f->nx + f->m.nu);
  for (ptrdiff_t i = 0; i < f->ny; i++) {
    for (ptrdiff_t j = 0; j < f->nx; j++) {
      x[j] += f->y[i] * f->C[i * f->nx + j];
    }
    for (ptrdiff_t j = 0; j < f->m.nu; j++) {
      u[j] += f->y[i] * f->D[i * f->m.nu + j];
    }
  }
  cr_real* should = f->should;
  const cri_state all = cri_state_at(cri_state_tangent_sizes(&f->m), 1, should);
  cri_state_copy(all, cri_state_twin(&f->m, f->bar));
  cr_copy(should + f->nx, f->bar->ctrl, f->m.nu);
  assert_all_close(x, should, f->nx + f->m.nu, TOLERANCE);
}

// columns of some models, rows of others; all sensors of random models come by
TEST(they_are_the_derivatives_of_forward) {
  int by_columns = 0, by_rows = 0;
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    fixture f = fixture_of(seed);
    cr_random random = cr_random_seed(seed, 91);
    random_state(&f.m, f.d, seed, seed % 2 == 0 ? STATE_FLIGHT : STATE_CONTACT);
    assert_int_equal(cr_forward(&f.m, f.d), CR_OK);
    long before = allocation_count();
    assert_int_equal(cr_sensordata_jacobian(&f.m, f.d, f.work, f.C, f.D), CR_OK);
    assert_int_equal(allocation_count(), before);
    check_tangent(&f, &random);
    check_cotangent(&f, &random);
    *(f.ny < f.nx + f.m.nu ? &by_rows : &by_columns) += f.ny > 0;
    fixture_free(&f);
  }
  assert_true(by_columns > 10 && by_rows > 10);
}

// each alone, and after a step, whose sensors are not computed
TEST(parts_may_be_left_out_and_forward_has_to_come_first) {
  fixture f = fixture_of(1);
  cr_real* alone = calloc((size_t)f.ny * (size_t)(f.nx + f.m.nu) + 1, sizeof *alone);
  assert_non_null(alone);
  random_state(&f.m, f.d, 1, STATE_FLIGHT);
  assert_int_equal(cr_sensordata_jacobian(&f.m, f.d, f.work, f.C, f.D), CR_ERR_ARG);
  assert_int_equal(cr_forward(&f.m, f.d), CR_OK);
  assert_int_equal(cr_sensordata_jacobian(&f.m, f.d, f.work, f.C, f.D), CR_OK);
  assert_int_equal(cr_sensordata_jacobian(&f.m, f.d, f.work, alone, NULL), CR_OK);
  assert_memory_equal(alone, f.C, (size_t)f.ny * (size_t)f.nx * sizeof *alone);
  assert_int_equal(cr_sensordata_jacobian(&f.m, f.d, f.work, NULL, alone), CR_OK);
  assert_memory_equal(alone, f.D, (size_t)f.ny * (size_t)f.m.nu * sizeof *alone);
  assert_int_equal(cr_step(&f.m, f.d), CR_OK);
  assert_int_equal(cr_sensordata_jacobian(&f.m, f.d, f.work, f.C, f.D), CR_ERR_ARG);
  assert_non_null(strstr(cr_sensor_jacobian_error(f.work), "call cr_forward at this state first"));
  free(alone);
  fixture_free(&f);
}
