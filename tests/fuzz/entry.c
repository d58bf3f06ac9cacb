// SPDX-License-Identifier: Apache-2.0
#include "fuzz/entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "carom/model.h"
#include "carom/step.h"
#include "engine/data_create.h"
#include "model/data.h"

enum { MOST_NV = 150, MOST_GEOMS = 200, STEPS = 3 };

static void wrong(const char* what) {
  (void)fprintf(stderr, "WRONG: %s\n", what);
  (void)fflush(stderr);
  abort();
}

static bool all_finite(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

static void step_model(const cr_model* m, fuzz_counts* counts) {
  cr_data *d = NULL, *work = NULL, *bar = NULL;
  if (cri_data_create(&d, m, NULL, NULL) != CR_OK) {
    return;
  }
  cr_status status = CR_OK;
  for (int k = 0; k < STEPS && status == CR_OK; k++) {
    status = cr_step(m, d);
    if (status == CR_OK && !(all_finite(d->qpos_next, m->nq) && all_finite(d->qvel_next, m->nv) &&
                             all_finite(d->act_next, m->na))) {
      wrong("a step that is well has numbers that are not finite");
    }
    if (status == CR_OK && k + 1 < STEPS) {
      cr_advance(m, d);
    }
  }
  counts->stepped += status == CR_OK;
  counts->diverged += status != CR_OK;
  if (status == CR_OK && cri_data_create(&work, m, NULL, NULL) == CR_OK &&
      cri_data_twin(&bar, m, d, CR_DATA_COTANGENT, NULL, NULL) == CR_OK) {
    for (int i = 0; i < m->nv; i++) {
      bar->qvel_next[i] = 1;
    }
    (void)cr_step_vjp(m, m, d, work, bar);
  }
  cri_data_free(bar);
  cri_data_free(work);
  cri_data_free(d);
}

static void save_and_open(const cr_model* m) {
  cr_error error;
  cr_model* back = NULL;
  if (cr_model_save(m, "again.crm", &error) == CR_OK) {
    if (cr_model_open(&back, "again.crm", &error) != CR_OK) {
      (void)fprintf(stderr, "%s\n", error.text);
      wrong("a model that opened does not open from its own file");
    }
    cr_model_destroy(back);
  }
}

static void write_input(const char* path, const unsigned char* data, size_t n) {
  FILE* file = fopen(path, "wb");
  if (file == NULL || fwrite(data, 1, n, file) != n || fclose(file) != 0) {
    (void)fprintf(stderr, "cannot write %s\n", path);
    _Exit(3);
  }
}

void fuzz_try(fuzz_kind kind, const unsigned char* data, size_t n, cr_random* r,
              fuzz_counts* counts) {
  static const char* const paths[N_FUZZ_KIND] = {"input.xml", "input.urdf", "input.crm"};
  cr_model* m = NULL;
  cr_error error = {0};
  cr_urdf_options o = {.size = sizeof o,
                       .floating = cr_random_int(r, 2) == 0,
                       .ground = cr_random_int(r, 2) == 0,
                       .no_self_collision = cr_random_int(r, 4) == 0,
                       .servo_kp = cr_random_int(r, 2) == 0 ? 10 : 0};
  write_input(paths[kind], data, n);
  cr_status status = cr_model_open_urdf(&m, paths[kind], &o, &error);
  if (status != CR_OK) {
    if (error.status != status || error.text[0] == 0) {
      wrong("a refusal without a sentence");
    }
    *(status == CR_ERR_UNSUPPORTED ? &counts->unsupported : &counts->refused) += 1;
    return;
  }
  counts->opened++;
  if (m->nv <= MOST_NV && m->ngeom <= MOST_GEOMS) {
    step_model(m, counts);
  }
  if (kind != FUZZ_MODEL) {
    save_and_open(m);
  }
  cr_model_destroy(m);
}
