// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Random models of many features against MuJoCo: every field, and a step of every integrator, at states and
// their edges.
#include <stdio.h>
#include <stdlib.h>

#include "engine/data_create.h"
#include "parity/parity.h"
#include "scenes/io_mjcf.h"
#include "scenes/io_random_mjcf.h"
#include "support/test.h"

enum { MODELS = 60, STATES = 3 };

typedef struct {
  int models, simple, beyond, excused, integrators;
} tally;

static void count(tally* t, const cr_model* m, const cr_parity* p) {
  static const char* const steps[] = {"qvel after Euler", "qvel after RK4", "qvel after implicit",
                                      "qvel after implicitfast", "qvel after discrete"};
  t->models++;
  for (int b = 1; b < m->nbody; b++) {
    t->simple += m->body_dofnum[b] > 1 && cri_is_diagonal(m, m->body_dofadr[b]);
  }
  for (int i = 0; i < m->nu; i++) {
    t->beyond += m->actuator_ctrllimited[i] != 0;
  }
  for (int k = 0; k < CR_N_OFF; k++) {
    t->excused += p->off.times[k];
  }
  for (int i = 0; i < p->n; i++) {
    for (int k = 0; k < 5; k++) {
      t->integrators |= strcmp(p->rows[i].name, steps[k]) == 0 ? 1 << k : 0;
    }
  }
}

static void check_model(uint64_t seed, tally* t) {
  static char text[RANDOM_MJCF_SIZE];
  random_mjcf(seed, text);
  mjModel* mj = mjcf_compile(text);
  cr_model m = mjcf_model(mj);
  cr_parity_bench* bench;
  cr_data* d;
  cr_error error = {0};
  cr_random r = cr_random_seed(seed, 1);
  cr_parity* p = calloc(1, sizeof *p);
  const char* field;
  assert_non_null(p);
  assert_int_equal(cr_parity_create(&bench, mj, &m, &error), CR_OK);
  assert_int_equal(cri_data_create(&d, &m, NULL, &error), CR_OK);
  for (int k = 0; k < STATES; k++) {
    if (cr_parity_next_state(bench, &r, d, &error) != CR_OK ||
        cr_parity_compare(bench, d, p, &error) != CR_OK) {
      fail_msg("model %d: %s\n%s", (int)seed, error.text, text);
    }
  }
  double worst = cr_parity_worst(p, &field);
  if (!(worst <= 1e-9)) {
    fail_msg("model %d: %s differs by %g\n%s", (int)seed, field, worst, text);
  }
  count(t, &m, p);
  free(p);
  cr_parity_free(bench);
  cri_data_free(d);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

TEST(models_agree) {
  tally t = {0};
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    check_model(seed, &t);
  }
  print_message("%d models, %d simple bodies, %d limited controls, %d steps of MuJoCo's left out\n",
                t.models, t.simple, t.beyond, t.excused);
  assert_true(t.simple > 10 && t.beyond > 60);
  assert_true(t.excused < MODELS * STATES);
  assert_int_equal(t.integrators, 31);
}
