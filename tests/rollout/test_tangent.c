// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Tangents of rollouts: the transpose of their gradients, also through events; their growth against
// the singular values of the whole matrix.
#include "rollout/tangent.h"

#include "base/random.h"
#include "carom/carom.h"
#include "support/close.h"

enum { MOST = 16 };

typedef struct {
  cr_model* m;
  cr_rollout* r;
  cr_data* tan;
} bench;

static const char cube[] = CAROM_SOURCE_DIR "/tests/data/toss_cube.xml";
static const char pendulum[] = CAROM_SOURCE_DIR "/tests/data/double_pendulum.xml";

// nstep steps, or intervals, of h; a tolerance of 0: fixed steps
static void begin(bench* b, const char* file, const char* integrator, double h, int nstep,
                  double tol) {
  cr_error error;
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = tol,
                               .atol = tol,
                               .grid = h,
                               .events = strcmp(integrator, "tsit5") == 0};
  assert_int_equal(cr_model_open(&b->m, file, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(b->m, "integrator", integrator, &error), CR_OK);
  assert_int_equal(cr_model_set_option(b->m, "timestep", h, &error), CR_OK);
  assert_int_equal(cr_rollout_create(&b->r, b->m, nstep, NULL, 0, &error), CR_OK);
  if (tol > 0) {
    assert_int_equal(cr_rollout_set_adaptive(b->r, b->m, &options, &error), CR_OK);
  }
  for (int i = 0; i < b->m->nv; i++) {
    b->r->d->qvel[i] = 0.3 * (i + 1) - 0.1 * i * i;
  }
  if (b->m->nv == 6) {
    b->r->d->qvel[2] = -1.5;
  }
  if (cr_rollout_run(b->r, b->m, nstep, NULL, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(cri_data_twin(&b->tan, b->m, b->r->d, CR_DATA_TANGENT, cri_no_params, &error),
                   CR_OK);
}

static void end(bench* b) {
  cri_data_free(b->tan);
  cr_rollout_destroy(b->r);
  cr_model_destroy(b->m);
}

static int size(const bench* b) { return 2 * b->m->nv + b->m->na; }

static void put(const bench* b, cr_data* twin, const cr_real* x) {
  cr_copy(twin->qpos, x, b->m->nv);
  cr_copy(twin->qvel, x + b->m->nv, b->m->nv);
  cr_copy(twin->act, x + 2 * b->m->nv, b->m->na);
}

static void get(const bench* b, const cr_data* twin, cr_real* x) {
  cr_copy(x, twin->qpos, b->m->nv);
  cr_copy(x + b->m->nv, twin->qvel, b->m->nv);
  cr_copy(x + 2 * b->m->nv, twin->act, b->m->na);
}

static cr_status nothing(void* context, const cr_model* m, const cr_data* d, int step,
                         cr_real* loss) {
  return CR_OK;
}

static cr_status given(void* context, const cr_model* m, const cr_data* d, int step, cr_data* bar) {
  const cr_real* y = context;
  for (int i = 0; i < m->nv; i++) {
    bar->qpos[i] += y[i];
    bar->qvel[i] += y[m->nv + i];
  }
  for (int i = 0; i < m->na; i++) {
    bar->act[i] += y[2 * m->nv + i];
  }
  return CR_OK;
}

static void transposes(const bench* b) {
  cr_random random = cr_random_seed(3, 1);
  for (int k = 0; k < 4; k++) {
    cr_real x[MOST], y[MOST], jx[MOST], jy[MOST], left = 0, right = 0, scale = 0;
    for (int i = 0; i < size(b); i++) {
      x[i] = cr_random_normal(&random);
      y[i] = cr_random_normal(&random);
    }
    const cr_loss loss = {.context = y, .value = nothing, .bar = given};
    put(b, b->tan, x);
    assert_int_equal(cri_rollout_jvp(b->r, b->m, b->tan, NULL, NULL, NULL), CR_OK);
    get(b, b->tan, jx);
    assert_int_equal(cr_rollout_gradient(b->r, b->m, b->m, &loss, NULL), CR_OK);
    get(b, b->r->bar, jy);
    for (int i = 0; i < size(b); i++) {
      left += y[i] * jx[i];
      right += jy[i] * x[i];
      scale += cr_abs(y[i] * jx[i]) + cr_abs(jy[i] * x[i]);
    }
    assert_close(left, right, 1e-9 * scale);
    assert_true(scale > 0.1);
  }
}

TEST(are_the_transpose_of_gradients) {
  bench b;
  static const char* const fixed[] = {"euler", "rk4", "tsit5"};
  for (int i = 0; i < 3; i++) {
    begin(&b, pendulum, fixed[i], 0.005, 30, 0);
    transposes(&b);
    end(&b);
    begin(&b, cube, fixed[i], 0.002, 100, 0);
    transposes(&b);
    end(&b);
  }
  begin(&b, pendulum, "dopri8", 0.05, 4, 1e-9);
  transposes(&b);
  end(&b);
  int accepted, rejected, events;
  begin(&b, cube, "tsit5", 0.1, 3, 1e-8);
  cr_rollout_steps(b.r, &accepted, &rejected, &events);
  assert_true(events > 0);
  transposes(&b);
  end(&b);
}

typedef struct {
  cr_real first, last, time;
  int looks;
} seen;

static void look(void* context, const cr_model* m, const cr_data* tan, cr_real time) {
  seen* s = context;
  s->first = s->time == 0 || time < s->time ? cri_tangent_norm(m, tan) : s->first;
  s->last = cri_tangent_norm(m, tan);
  s->looks++;
  s->time = time;
}

// the largest singular value of the matrix of all columns, by power iteration on it
TEST(growth_is_the_largest_singular_value) {
  bench b;
  begin(&b, pendulum, "tsit5", 0.25, 4, 1e-9);
  int n = size(&b);
  cr_real J[MOST][MOST], v[MOST], growth, sigma = 0;
  for (int k = 0; k < n; k++) {
    cr_real x[MOST] = {0};
    x[k] = 1;
    v[k] = 1 + 0.1 * k;
    put(&b, b.tan, x);
    assert_int_equal(cri_rollout_jvp(b.r, b.m, b.tan, NULL, NULL, NULL), CR_OK);
    get(&b, b.tan, J[k]);
  }
  for (int round = 0; round < 200; round++) {
    cr_real y[MOST] = {0}, length = 0;
    for (int k = 0; k < n; k++) {
      length += v[k] * v[k];
    }
    for (int k = 0; k < n; k++) {
      v[k] /= sqrt(length);
      for (int i = 0; i < n; i++) {
        y[i] += J[k][i] * v[k];
      }
    }
    sigma = 0;
    for (int i = 0; i < n; i++) {
      sigma += y[i] * y[i];
    }
    for (int k = 0; k < n; k++) {
      v[k] = 0;
      for (int i = 0; i < n; i++) {
        v[k] += J[k][i] * y[i];
      }
    }
  }
  seen s = {.time = 0};
  assert_int_equal(cri_rollout_growth(b.r, b.m, look, &s, &growth, NULL), CR_OK);
  assert_close(growth, sqrt(sigma), 2e-3 * sqrt(sigma));
  // on its way from length 1
  assert_close(s.last, growth, 1e-12 * growth);
  assert_close(s.time, 1, 1e-12);
  assert_true(s.looks > 10 && s.first > 0.5 && s.first < 2);
  end(&b);
}
