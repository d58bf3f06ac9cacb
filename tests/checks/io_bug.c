// SPDX-License-Identifier: Apache-2.0
#include "checks/io_bug.h"

#include <stdlib.h>

#include "base/random.h"
#include "carom/step.h"
#include "kinematics/configuration.h"
#include "rollout/step_check.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

void bug_open(bug_scene* s, const char* mjcf, cr_real spread) {
  cr_random r = cr_random_seed(11, 3);
  mjModel* mj = mjcf_compile(mjcf);
  s->m = mjcf_model(mj);
  mj_deleteModel(mj);
  s->d = test_data(&s->m);
  s->tan = test_twin(&s->m, s->d, CR_DATA_TANGENT);
  s->bar = test_twin(&s->m, s->d, CR_DATA_COTANGENT);
  cr_real* way = calloc((size_t)s->m.nv, sizeof *way);
  for (int i = 0; i < s->m.nv; i++) {
    way[i] = cr_random_normal(&r);
    s->d->qvel[i] = cr_random_normal(&r);
  }
  cri_configuration_move(&s->m, s->m.qpos0, way, spread, s->d->qpos);
  free(way);
}

void bug_close(bug_scene* s) { cri_model_free(&s->m); }

void bug_forward(bug_scene* s) {
  if (cr_forward(&s->m, s->d) != CR_OK) {
    fail_msg("%s", s->d->error.text);
  }
}

void bug_forward_jvp(bug_scene* s) { assert_int_equal(cr_forward_jvp(&s->m, s->d, s->tan), CR_OK); }

void bug_check_step(const bug_scene* s) {
  cr_step_check* check;
  cr_step_check_result result = {0};
  cr_error error = {0};
  cr_random r = cr_random_seed(12, 3);
  assert_int_equal(cr_step_check_create(&check, &s->m, 12, &error), CR_OK);
  if (cr_step_check_run(check, s->d, &r, &result, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  cr_step_check_free(check);
  if (!(result.max_error <= CR_R(1e-6)) || 5 * result.kinks > result.samples) {
    fail_msg("error %g at %s, %d kinks of %d", (double)result.max_error, result.worst, result.kinks,
             result.samples);
  }
}

cr_real* bug_dense_J(const bug_scene* s) {
  const cr_data* d = s->d;
  size_t nv = (size_t)s->m.nv;
  cr_real* J = calloc((size_t)d->nefc * nv + 1, sizeof *J);
  for (int i = 0; i < d->nefc; i++) {
    for (int k = 0; k < d->efc_J_rownnz[i]; k++) {
      int at = d->efc_J_rowadr[i] + k;
      J[(size_t)i * nv + (size_t)d->efc_J_colind[at]] = d->efc_J[at];
    }
  }
  return J;
}
