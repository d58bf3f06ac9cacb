// SPDX-License-Identifier: Apache-2.0
// Training of gates.
#include "physics/gate_training.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/real.h"
#include "base/status.h"
#include "carom/minimise.h"

// windows of `steps` predicted rows, one every `stride` rows; passes over all of them, in at least so many steps of Adam and at most so many
typedef struct {
  int steps, stride, passes, least, most;
  cr_real rate, final_rate;
} stage;

static const stage stages[] = {{1, 1, 40, 1500, 4000, CR_R(1e-2), CR_R(3e-4)},
                               {5, 2, 10, 400, 1000, CR_R(3e-3), CR_R(1e-4)},
                               {15, 7, 10, 200, 500, CR_R(1e-3), CR_R(3e-5)}};
enum { N_STAGE = (int)(sizeof stages / sizeof stages[0]), MOST_STEPS = 15, BATCH = 64 };
// an error of 0.1 m/s counts as one of 1 rad/s; below these errors the loss is smooth
static const cr_real velocity_weight = 10, least_velocity = CR_R(1e-3), least_spin = CR_R(1e-2);
static const cr_real clip = 100;  // a longer gradient is cut to this length

typedef struct {
  const cri_gates* g;
  const cri_gate_lesson* lesson;
  const stage* at;
  const cr_real** window;  // [n] first row of each
  int32_t* order;          // [n] of this pass
  int n, pass;
  size_t nroom;
  cr_real *room, *rows;  // [MOST_STEPS][nroom], [MOST_STEPS + 1][CRI_STATE]
} training;

// ---- a window

// adds to the cotangent of a row what its error says
static cr_real error_of(const cr_real* row, const cr_real* seen, cr_real weight, cr_real* row_bar) {
  cr_real sum = 0;
  for (int kind = 0; kind < 2; kind++) {
    const int first = CRI_POSE + 3 * kind;
    const cr_real least = kind == 0 ? least_velocity : least_spin;
    const cr_real factor = weight * (kind == 0 ? velocity_weight : 1);
    cr_real squares = least * least;
    for (int k = first; k < first + 3; k++) {
      squares += (row[k] - seen[k]) * (row[k] - seen[k]);
    }
    for (int k = first; k < first + 3; k++) {
      row_bar[k] += factor * (row[k] - seen[k]) / cr_sqrt(squares);
    }
    sum += factor * cr_sqrt(squares);
  }
  return sum;
}

static cr_real window_loss(const training* t, const cr_real* p, const cr_real* seen, cr_real weight,
                           cr_real* p_bar) {
  const int steps = t->at->steps;
  cr_real bar[MOST_STEPS + 1][CRI_STATE] = {{0}}, loss = 0;
  cr_copy(t->rows, seen, CRI_STATE);
  for (int i = 0; i < steps; i++) {
    cr_real* row = t->rows + (ptrdiff_t)CRI_STATE * i;
    cri_gates_step(t->g, p, row, row + CRI_STATE, t->room + t->nroom * (size_t)i);
    loss += error_of(row + CRI_STATE, seen + (ptrdiff_t)CRI_STATE * (i + 1),
                     weight / (cr_real)steps, bar[i + 1]);
  }
  for (int i = steps - 1; i >= 0; i--) {
    const cr_real* row = t->rows + (ptrdiff_t)CRI_STATE * i;
    cri_gates_step_vjp(t->g, p, row, row + CRI_STATE, bar[i + 1], p_bar, bar[i],
                       t->room + t->nroom * (size_t)i);
  }
  return loss;
}

// ---- a batch of windows

static void shorten(cr_real* gradient, int n) {
  cr_real squares = 0;
  for (int i = 0; i < n; i++) {
    squares += gradient[i] * gradient[i];
  }
  for (int i = 0; i < n && squares > clip * clip; i++) {
    gradient[i] *= clip / cr_sqrt(squares);
  }
}

static cr_status evaluate(void* context, int batch, const cr_real* p, cr_real* value,
                          cr_real* gradient, cr_error* error) {
  training* t = context;
  const bool all = batch == CR_ALL_DATA;
  const int size = all || t->n < BATCH ? t->n : BATCH, batches = t->n / size;
  if (t->lesson->stop != NULL && t->lesson->stop(t->lesson->context)) {
    return cri_fail(error, CR_ERR_INTERRUPTED, "interrupted");
  }
  if (!all && batch / batches != t->pass) {
    t->pass = batch / batches;
    cr_random random = cr_random_seed(t->lesson->seed, (uint64_t)t->pass + (1U << 20));
    cr_random_shuffle(&random, t->order, t->n);
  }
  *value = 0;
  cr_zero(gradient, t->g->n);
  for (int i = 0; i < size; i++) {
    const int window = all ? i : t->order[size * (batch % batches) + i];
    *value += window_loss(t, p, t->window[window], 1 / (cr_real)size, gradient);
  }
  shorten(gradient, t->g->n);
  return CR_OK;
}

// ---- stages

static cr_status cut(training* t, const cri_sighted* tosses, cr_error* error) {
  t->n = 0;
  for (int i = 0; i < tosses->n; i++) {
    int rows;
    const cr_real* seen = cri_sighted_toss(tosses, i, &rows);
    for (int row = 0; row + t->at->steps < rows; row += t->at->stride) {
      t->window[t->n++] = seen + (ptrdiff_t)CRI_STATE * row;
    }
  }
  return t->n > 0 ? CR_OK
                  : cri_fail(error, CR_ERR_ARG, "no toss has more than %d rows", t->at->steps);
}

static cr_status run_stage(training* t, const cri_sighted* tosses, cr_real* p, cr_error* error) {
  CR_TRY(cut(t, tosses, error));
  const int steps = t->at->passes * (t->n / BATCH + 1);
  const cr_adam_options adam = {.size = sizeof adam,
                                .iterations = (steps < t->at->least  ? t->at->least
                                               : steps > t->at->most ? t->at->most
                                                                     : steps) /
                                              t->lesson->share,
                                .rate = t->at->rate,
                                .final_rate = t->at->final_rate,
                                .batches = true};
  const cr_minimise_problem problem = {
      .size = sizeof problem, .n = t->g->n, .evaluate = evaluate, .context = t};
  t->pass = -1;
  return cr_minimise_adam(&problem, &adam, p, NULL, error);
}

static cr_status run_all(training* t, const cri_sighted* tosses, cr_real* p, cr_real* loss,
                         cr_real* gradient, cr_error* error) {
  for (int i = 0; i < N_STAGE; i++) {
    t->at = &stages[i];
    CR_TRY(run_stage(t, tosses, p, error));
  }
  t->at = &stages[0];
  CR_TRY(cut(t, tosses, error));
  return evaluate(t, CR_ALL_DATA, p, loss, gradient, error);
}

cr_status cri_gates_train(const cri_gates* g, const cri_gate_lesson* lesson,
                          const cri_sighted* tosses, cr_real* p, cr_real* loss, cr_error* error) {
  const size_t rows = (size_t)tosses->first[tosses->n] + 1;
  training t = {.g = g, .lesson = lesson, .nroom = cri_gates_room(g)};
  t.window = malloc(rows * sizeof *t.window);
  t.order = malloc(rows * sizeof *t.order);
  t.room =
      malloc((MOST_STEPS * t.nroom + (MOST_STEPS + 1) * CRI_STATE + (size_t)g->n) * sizeof *t.room);
  cr_status status = t.window != NULL && t.order != NULL && t.room != NULL
                         ? CR_OK
                         : cri_fail(error, CR_ERR_MEMORY, "no memory for gates of contact");
  if (status == CR_OK) {
    t.rows = t.room + MOST_STEPS * t.nroom;
    status = cri_gates_start(g, lesson->seed, p, error);
  }
  status = status == CR_OK
               ? run_all(&t, tosses, p, loss, t.rows + (MOST_STEPS + 1) * CRI_STATE, error)
               : status;
  free(t.room);
  free(t.order);
  free(t.window);
  return status;
}

// ---- in the place of a simulator

static cr_status instead(void* context, const cr_real* state, cr_real* next, cr_error* error) {
  const cri_gated* gated = context;
  cri_gates_step(gated->g, gated->p, state, next, gated->room);
  for (int k = 0; k < CRI_STATE; k++) {
    if (!isfinite((double)next[k])) {
      return cri_fail(error, CR_ERR_NONFINITE, "a step of the gates is not finite");
    }
  }
  return CR_OK;
}

cri_addition cri_gated_addition(cri_gated* gated) { return (cri_addition){instead, gated}; }
