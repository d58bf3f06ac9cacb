// SPDX-License-Identifier: Apache-2.0
#include "support/io_toss.h"

#include "model/check.h"
#include "model/model.h"
#include "support/io_mjcf.h"

typedef struct {
  const toss* t;
  cr_model m;
  cr_rollout* r;
  cr_expression* expression;
  cr_loss loss;
  cr_error error;
} flight;

static void open_model(flight* f) {
  const toss* t = f->t;
  char path[512];
  mjModel* mj;
  if (t->text != NULL) {
    mj = mjcf_compile(t->text);
  } else {
    (void)snprintf(path, sizeof path, "%s/%s", CAROM_SOURCE_DIR, t->file);
    char why[1000];
    mj = mj_loadXML(path, NULL, why, sizeof why);
    assert_non_null(mj);
  }
  f->m = mjcf_model(mj);
  mj_deleteModel(mj);
  f->m.collision = t->collision;
  f->m.softness = t->collision == CR_COLLISION_HARD ? 0 : CR_DEFAULT_SOFTNESS;
  assert_int_equal(cri_model_check(&f->m, &f->error), CR_OK);
  assert_int_equal(cr_model_set_choice(&f->m, "integrator", t->integrator, &f->error), CR_OK);
}

static flight* begin(const toss* t) {
  flight* f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->t = t;
  open_model(f);
  const cr_adaptive options = {.rtol = t->tolerance,
                               .atol = t->tolerance,
                               .grid = t->time,
                               .largest_step = t->events ? 0 : t->time,
                               .events = t->events,
                               .max_steps = t->max_steps > 0 ? t->max_steps : 200000};
  const cr_adjoint adjoint = {.rtol = t->tolerance, .atol = t->tolerance};
  assert_int_equal(cr_rollout_create(&f->r, &f->m, 1, NULL, 0, &f->error), CR_OK);
  assert_int_equal(cr_rollout_adaptive(f->r, &f->m, &options, &f->error), CR_OK);
  if (t->continuous) {
    assert_int_equal(cr_rollout_adjoint(f->r, &f->m, &adjoint, &f->error), CR_OK);
  }
  assert_int_equal(cr_expression_create(&f->expression, &f->m, t->loss, &f->error), CR_OK);
  f->loss = cr_expression_loss(f->expression, false);
  return f;
}

static void end(flight* f) {
  cr_expression_free(f->expression);
  cr_rollout_free(f->r);
  cri_model_free(&f->m);
  free(f);
}

static cr_status fly(flight* f, const cr_real* qvel) {
  int rows, width;
  cr_data_reset(&f->m, cr_rollout_data(f->r));
  cr_real* v = cr_data_view(&f->m, cr_rollout_data(f->r), "qvel", &rows, &width);
  assert_in_range(rows, 1, TOSS_MOST);
  cr_copy(v, qvel, rows);
  return cr_rollout_run(f->r, &f->m, 1, &f->loss, &f->error);
}

toss_result toss_differentiate(const toss* t) {
  toss_result x = {.events = 0};
  flight* f = begin(t);
  x.status = fly(f, t->qvel);
  if (x.status == CR_OK) {
    x.status = cr_rollout_gradient(f->r, &f->m, &f->m, &f->loss, &f->error);
  }
  if (x.status == CR_OK) {
    int rejected, width;
    cr_rollout_steps(f->r, &x.steps, &rejected, &x.events);
    x.uncounted = cr_rollout_uncounted(f->r);
    x.loss = cr_rollout_loss(f->r);
    const cr_real* bar = cr_data_view(&f->m, cr_rollout_bar(f->r), "qvel", &x.nv, &width);
    cr_copy(x.gradient, bar, x.nv);
  } else {
    (void)snprintf(x.error, sizeof x.error, "%.390s", f->error.text);
  }
  end(f);
  return x;
}

void toss_differences(const toss* t, double eps, double difference[TOSS_MOST]) {
  flight* f = begin(t);
  for (int i = 0; i < f->m.nv; i++) {
    cr_real v[TOSS_MOST];
    cr_copy(v, t->qvel, f->m.nv);
    v[i] += eps;
    bool fine = fly(f, v) == CR_OK;
    cr_real plus = cr_rollout_loss(f->r);
    v[i] -= 2 * eps;
    fine = fine && fly(f, v) == CR_OK;
    difference[i] = fine ? (plus - cr_rollout_loss(f->r)) / (2 * eps) : (double)NAN;
  }
  end(f);
}

double toss_apart(const double* a, const double* b, int n) {
  double most = 0, scale = 0;
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(b[i]));
    most = fmax(most, isfinite(a[i] - b[i]) ? fabs(a[i] - b[i]) : (double)INFINITY);
  }
  return most / scale;
}
