// SPDX-License-Identifier: Apache-2.0
#include "scenes/io_measured.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/test.h"

enum { MOST_CHANNELS = 8, MOST_CONTROLS = 8 };

typedef struct {
  cr_real* values[MOST_CHANNELS];
  int width[MOST_CHANNELS];
  cr_real *time, *ctrl;
} tape;

static void simulate(tape* t, const cr_model* m, int rows, const cr_real* qpos,
                     const measured_channel* channels, int n, uint64_t seed) {
  cr_error error;
  cr_data* d = NULL;
  int nu = cr_model_count(m, "nu"), nq = cr_model_count(m, "nq");
  must(cr_data_create(&d, m, &error));
  if (qpos != NULL) {
    must(cr_data_set(m, d, "qpos", qpos, nq, &error));
  }
  for (int k = 0; k < rows; k++) {
    cr_real* u = t->ctrl + (ptrdiff_t)k * nu;
    t->time[k] = (cr_real)k * cr_model_timestep(m);
    for (int i = 0; i < nu; i++) {
      u[i] = 3 * cr_sin((CR_R(2.1) + (cr_real)i) * t->time[k]) +
             2 * cr_sin(CR_R(5.3) * t->time[k] + (cr_real)seed);
    }
    if (nu > 0) {
      must(cr_data_set(m, d, "ctrl", u, nu, &error));
    }
    must(cr_forward(m, d));
    for (int c = 0; c < n; c++) {
      int at = k + channels[c].delay;
      if (at < rows) {
        must(cr_data_get(m, d, channels[c].place, t->values[c] + (ptrdiff_t)at * t->width[c],
                         t->width[c], &error));
      }
    }
    must(cr_step(m, d));
    must(cr_advance(m, d));
  }
  cr_data_destroy(d);
}

static void add_channel(cr_measurements* ms, const tape* t, int rows, const measured_channel* c,
                        int i, cr_random* random) {
  cr_error error;
  int kept = 0, width = t->width[i];
  cr_real* times = calloc((size_t)rows + 1, sizeof *times);
  for (int k = c->delay; k < rows; k += c->every, kept++) {
    times[kept] = t->time[k];
    for (int j = 0; j < width; j++) {
      t->values[i][kept * width + j] =
          t->values[i][k * width + j] + c->noise * cr_random_normal(random);
    }
  }
  const cr_channel_info info = {
      .size = sizeof info, .place = c->place, .rows = kept, .time = times, .values = t->values[i]};
  must(cr_measurements_add(ms, &info, &error));
  free(times);
}

void measured_run(cr_measurements* ms, const cr_model* m, const char* name, int rows,
                  const cr_real* qpos, const measured_channel* channels, int n, uint64_t seed) {
  cr_error error;
  int nu = cr_model_count(m, "nu");
  tape t = {.time = calloc((size_t)rows, sizeof(cr_real)),
            .ctrl = calloc((size_t)rows * (size_t)nu + 1, sizeof(cr_real))};
  cr_random random = cr_random_seed(seed, 7);
  assert_true(n <= MOST_CHANNELS && nu <= MOST_CONTROLS);
  for (int c = 0; c < n; c++) {
    cr_place_info at = {.size = sizeof at};
    must(cr_model_place(m, channels[c].place, &at, &error));
    t.width[c] = at.count;
    t.values[c] = calloc((size_t)rows * (size_t)at.count, sizeof(cr_real));
  }
  simulate(&t, m, rows, qpos, channels, n, seed);
  must(cr_measurements_begin(ms, name, (int)seed, &error));
  if (nu > 0) {
    const cr_channel_info control = {
        .size = sizeof control, .place = "ctrl", .rows = rows, .time = t.time, .values = t.ctrl};
    must(cr_measurements_add(ms, &control, &error));
  }
  for (int c = 0; c < n; c++) {
    add_channel(ms, &t, rows, &channels[c], c, &random);
    free(t.values[c]);
  }
  free(t.time);
  free(t.ctrl);
}
