// SPDX-License-Identifier: Apache-2.0
// Random scenes for the tests of src/constraint and src/solver, see contact_scene.h.
#include "scenes/contact_scene.h"

#include <stdio.h>
#include <stdlib.h>

#include "checks/stage_check.h"
#include "engine/data_create.h"
#include "engine/driver.h"
#include "scenes/random_model.h"
#include "support/test.h"

void scene_open(contact_scene* s, int seed) {
  s->seed = seed;
  assert_int_equal(random_model(&s->m, (uint64_t)seed, NULL), CR_OK);
  scene_reopen(s);
}

void scene_reopen(contact_scene* s) {
  cr_capacity c = cri_capacity_default(&s->m);
  c.nefc *= 4;
  c.nJ *= 4;
  assert_int_equal(cri_data_create(&s->d, &s->m, &c, NULL), CR_OK);
  random_state(&s->m, s->d, (uint64_t)s->seed, STATE_CONTACT);
}

void scene_close(contact_scene* s) {
  cri_data_free(s->d);
  cri_model_free(&s->m);
}

static int row_of(const char* stage) {
  int i = 0;
  while (strcmp(cr_pipeline[i].name, stage) != 0) {
    i++;
    assert_true(i < cr_npipeline);
  }
  return i;
}

void scene_run(contact_scene* s, const char* stage) {
  const cri_schedule whole = {.row = cr_pipeline, .n = cr_npipeline};
  const cri_rows rows = {.end = row_of(stage) + 1};
  if (cri_drive(&whole, CRI_FORWARD, &rows, &s->m, NULL, s->d) != CR_OK) {
    fail_msg("seed %d, up to %s: %s", s->seed, stage, s->d->error.text);
  }
}

void scene_condim(contact_scene* s, int dim) {
  for (int i = 0; i < s->m.ngeom; i++) {
    s->m.geom_condim[i] = dim;
  }
  for (int i = 0; i < s->m.npair; i++) {
    s->m.pair_dim[i] = dim;
  }
}

static cr_real* zeros(int n) {
  cr_real* x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

cr_real* scene_dense_J(const contact_scene* s) {
  const cr_data* d = s->d;
  cr_real* J = zeros(d->nefc * s->m.nv);
  for (int i = 0; i < d->nefc; i++) {
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
      J[i * s->m.nv + d->efc_J_colind[k]] = d->efc_J[k];
    }
  }
  return J;
}

cr_real* scene_dense_M(const contact_scene* s) {
  int nv = s->m.nv;
  cr_real* M = zeros(nv * nv);
  for (int i = 0; i < nv; i++) {
    for (int k = s->m.M_rowadr[i]; k < s->m.M_rowadr[i] + s->m.M_rownnz[i]; k++) {
      int j = s->m.M_colind[k];
      M[i * nv + j] = M[j * nv + i] = s->d->M[k];
    }
  }
  return M;
}

void scene_check_stages(contact_scene* s, const char* first, const char* last) {
  static stage_report reports[64];
  char label[64];
  (void)snprintf(label, sizeof label, "seed %d", s->seed);
  memset(reports, 0, sizeof reports);
  stage_check(reports, &s->m, s->d, cr_pipeline, cr_npipeline, row_of(first), row_of(last),
              (uint64_t)s->seed, label);
  for (int i = row_of(first); i <= row_of(last); i++) {
    stage_report_assert(&reports[i], cr_pipeline[i].name);
  }
}

void connect_weld_scene_open(connect_weld_scene* w, int type, bool sites) {
  for (int seed = 1; seed < 400; seed++) {
    scene_open(&w->s, seed);
    for (w->eq = 0; w->eq < w->s.m.neq; w->eq++) {
      bool of_sites = w->s.m.eq_objtype[w->eq] == CR_OBJ_SITE;
      if (w->s.m.eq_type[w->eq] == type && of_sites == sites) {
        w->s.d->eq_active[w->eq] = 1;
        scene_run(&w->s, "kinematics");
        return;
      }
    }
    scene_close(&w->s);
  }
  fail_msg("no scene with a constraint of type %d", type);
}
