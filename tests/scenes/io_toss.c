// SPDX-License-Identifier: Apache-2.0
#include "scenes/io_toss.h"

#include "engine/data_create.h"
#include "model/model.h"
#include "model/model_check.h"
#include "rollout/trajectory.h"
#include "scenes/io_mjcf.h"

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
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = t->tolerance,
                               .atol = t->tolerance,
                               .grid = t->time,
                               .largest_step = t->events ? 0 : t->time,
                               .events = t->events,
                               .max_steps = t->max_steps > 0 ? t->max_steps : 200000};
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = t->tolerance, .atol = t->tolerance};
  assert_int_equal(cr_rollout_create(&f->r, &f->m, 1, NULL, 0, &f->error), CR_OK);
  assert_int_equal(cr_rollout_set_adaptive(f->r, &f->m, &options, &f->error), CR_OK);
  if (t->continuous) {
    assert_int_equal(cr_rollout_set_adjoint(f->r, &f->m, &adjoint, &f->error), CR_OK);
  }
  assert_int_equal(cr_expression_create(&f->expression, &f->m, t->loss, &f->error), CR_OK);
  f->loss = cr_expression_loss(f->expression, false);
  return f;
}

static void end(flight* f) {
  cr_expression_destroy(f->expression);
  cr_rollout_destroy(f->r);
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

static toss_result differentiate(flight* f) {
  toss_result x = {.events = 0};
  x.status = fly(f, f->t->qvel);
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
  return x;
}

toss_result toss_differentiate(const toss* t) {
  flight* f = begin(t);
  toss_result x = differentiate(f);
  end(f);
  return x;
}

// NaN in all memory of d; its scratch alone where it is a twin
static void poison(cr_data* d) {
  size_t size = d->scratch_size * sizeof(cr_real);
  memset(d->scratch, 0xff, size);
  if (d->role == CR_DATA_PLAIN) {
    memset(d->memory, 0xff, d->field_size);
  }
}

// data blocks with room for next to nothing
static void take_room_away(flight* f) {
  cr_rollout* r = f->r;
  const cr_capacity room = {1, 5, 100};
  cri_data_free(r->d);
  cri_data_free(r->work);
  cri_data_free(r->bar);
  assert_int_equal(cri_data_create(&r->d, &f->m, &room, NULL), CR_OK);
  assert_int_equal(cri_data_create(&r->work, &f->m, &room, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&r->bar, &f->m, r->d, CR_DATA_COTANGENT, r->wanted, NULL), CR_OK);
}

void toss_repeat(const toss* t, toss_result result[TOSS_TIMES]) {
  flight* f = begin(t);
  result[0] = differentiate(f);
  result[1] = differentiate(f);
  poison(f->r->d);
  poison(f->r->work);
  poison(f->r->bar);
  result[2] = differentiate(f);
  take_room_away(f);
  result[3] = differentiate(f);
  end(f);
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
