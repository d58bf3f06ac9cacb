// SPDX-License-Identifier: Apache-2.0
// A network alone for a tossed body.
#include "recorded/cube_mlp.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/real.h"
#include "base/status.h"
#include "carom/minimise.h"

enum { WIDTH = 64, BATCH = 128, ROW = CR_CUBE_ROW, IN = CR_CUBE_IN, OUT = CR_CUBE_OUT };

// ---- training

typedef struct {
  cr_cube_mlp* mlp;
  cr_real *in, *out;  // normalised samples
  int n;
  int32_t* order;
  int epoch;
  uint64_t seed;
  cr_real* room;
  bool (*stop)(void* context);
  void* context;
} school;

static int batches(const school* s) { return (s->n + BATCH - 1) / BATCH; }

static void shuffle(school* s, int epoch) {
  if (epoch != s->epoch) {
    cr_random random = cr_random_seed(s->seed, (uint64_t)epoch);
    cr_random_shuffle(&random, s->order, s->n);
    s->epoch = epoch;
  }
}

static cr_status evaluate(void* context, int iteration, const cr_real* x, cr_real* value,
                          cr_real* gradient, cr_error* error) {
  school* s = context;
  const cr_network* net = s->mlp->network;
  int first = iteration % batches(s) * BATCH, n = s->n - first < BATCH ? s->n - first : BATCH;
  if (first == 0 && s->stop != NULL && s->stop(s->context)) {
    return cri_fail(error, CR_ERR_INTERRUPTED, "stopped");
  }
  shuffle(s, iteration / batches(s));
  *value = 0;
  cr_zero(gradient, cr_network_nweight(net));
  for (int k = first; k < first + n; k++) {
    cr_real y[OUT], bar[OUT];
    const cr_real *in = s->in + (ptrdiff_t)IN * s->order[k],
                  *out = s->out + (ptrdiff_t)OUT * s->order[k];
    cr_network_forward(net, x, in, NULL, y, NULL, s->room);
    for (int i = 0; i < OUT; i++) {
      cr_real off = y[i] - out[i];
      *value += off * off / (cr_real)(OUT * n);
      bar[i] = 2 * off / (cr_real)(OUT * n);
    }
    cr_network_vjp(net, x, bar, NULL, gradient, NULL, NULL, s->room);
  }
  return CR_OK;
}

// of the columns of n rows
static void moments(const cr_real* rows, int n, int columns, cr_real* mean, cr_real* deviation) {
  for (int k = 0; k < columns; k++) {
    cr_real sum = 0, square = 0;
    for (int i = 0; i < n; i++) {
      sum += rows[(ptrdiff_t)columns * i + k];
      square += rows[(ptrdiff_t)columns * i + k] * rows[(ptrdiff_t)columns * i + k];
    }
    mean[k] = sum / (cr_real)n;
    deviation[k] = cr_sqrt(cr_max(square / (cr_real)n - mean[k] * mean[k], CR_R(1e-12)));
  }
}

static void normalise(school* s) {
  cr_cube_mlp* mlp = s->mlp;
  cr_real none[OUT];
  moments(s->in, s->n, IN, mlp->mean, mlp->scale);
  moments(s->out, s->n, OUT, none, mlp->gain);
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < IN; k++) {
      cr_real* x = &s->in[(ptrdiff_t)IN * i + k];
      *x = (*x - mlp->mean[k]) / mlp->scale[k];
    }
    for (int k = 0; k < OUT; k++) {
      s->out[(ptrdiff_t)OUT * i + k] /= mlp->gain[k];
    }
  }
  for (int k = 0; k < IN; k++) {
    mlp->scale[k] = 1 / mlp->scale[k];
  }
}

static void gather(school* s, const cr_recordings* tosses) {
  for (int i = 0; i < cr_recordings_count(tosses); i++) {
    cr_recording_info toss = {.size = sizeof toss};
    (void)cr_recordings_get(tosses, i, &toss, NULL);
    for (int k = 0; k + 1 < toss.rows; k++, s->n++) {
      const cr_real* row = toss.values + (ptrdiff_t)ROW * k;
      cri_cube_read(row, s->in + (ptrdiff_t)IN * s->n);
      cri_cube_gain(&s->mlp->flight, row, row + ROW, s->out + (ptrdiff_t)OUT * s->n);
    }
  }
}

static cr_status learn(school* s, int epochs, cr_error* error) {
  const cr_network* net = s->mlp->network;
  const cr_minimise_problem problem = {
      .size = sizeof problem, .n = cr_network_nweight(net), .evaluate = evaluate, .context = s};
  const cr_adam_options how = {.size = sizeof how,
                               .iterations = epochs * batches(s),
                               .rate = CR_R(2e-3),
                               .final_rate = CR_R(2e-5),
                               .weight_decay = CR_R(1e-3),
                               .batches = true};
  CR_TRY(cr_network_init(net, s->seed, false, s->mlp->weight, error));
  return cr_minimise_adam(&problem, &how, s->mlp->weight, NULL, error);
}

cr_status cri_cube_mlp_train(cr_cube_mlp* mlp, const cr_recordings* tosses, int epochs,
                             uint64_t seed, bool (*stop)(void* context), void* context,
                             cr_error* error) {
  static const cr_layer layers[] = {
      {.size = sizeof layers[0], .width = WIDTH, .activation = CR_ACTIVATION_RELU},
      {.size = sizeof layers[0], .width = WIDTH, .activation = CR_ACTIVATION_RELU},
      {.size = sizeof layers[0], .width = OUT, .activation = CR_ACTIVATION_IDENTITY}};
  size_t n = (size_t)cri_cube_rows(tosses);
  *mlp = (cr_cube_mlp){.flight = {cr_recordings_interval(tosses), CR_R(9.81)}};
  CR_TRY(n > 1 ? CR_OK : cri_fail(error, CR_ERR_ARG, "no rows to learn from"));
  CR_TRY(cr_network_create(&mlp->network, IN, layers, 3, error));
  school s = {.mlp = mlp, .epoch = -1, .seed = seed, .stop = stop, .context = context};
  mlp->weight = calloc((size_t)cr_network_nweight(mlp->network), sizeof *mlp->weight);
  s.in = calloc(n * IN, sizeof *s.in);
  s.out = calloc(n * OUT, sizeof *s.out);
  s.order = calloc(n, sizeof *s.order);
  s.room = calloc((size_t)cr_network_nroom(mlp->network) + 1, sizeof *s.room);
  cr_status status = CR_OK;
  if (mlp->weight == NULL || s.in == NULL || s.out == NULL || s.order == NULL || s.room == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "no memory for %zu rows", n);
  } else {
    gather(&s, tosses);
    normalise(&s);
    status = learn(&s, epochs, error);
  }
  free(s.room);
  free(s.order);
  free(s.out);
  free(s.in);
  return status;
}

void cri_cube_mlp_free(cr_cube_mlp* mlp) {
  cr_network_destroy(mlp->network);
  free(mlp->weight);
  *mlp = (cr_cube_mlp){.network = NULL};
}

// ---- predictions

void cri_cube_mlp_predict(const cr_cube_mlp* mlp, cr_real* rows, int n, cr_real* room) {
  for (int k = 0; k + 1 < n; k++) {
    const cr_real* row = rows + (ptrdiff_t)ROW * k;
    cr_real in[IN], out[OUT];
    cri_cube_read(row, in);
    for (int i = 0; i < IN; i++) {
      in[i] = (in[i] - mlp->mean[i]) * mlp->scale[i];
    }
    cr_network_forward(mlp->network, mlp->weight, in, NULL, out, NULL, room);
    for (int i = 0; i < OUT; i++) {
      out[i] *= mlp->gain[i];
    }
    cri_cube_advance(&mlp->flight, row, out, rows + (ptrdiff_t)ROW * (k + 1));
  }
}
