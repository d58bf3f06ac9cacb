// SPDX-License-Identifier: Apache-2.0
#include "scenes/chain_model.h"

#include "model/build.h"

enum { MAX_CHAIN = 32 };

static void fill_bodies(cr_model* m) {
  const cr_real pos[] = {CR_R(0.3), CR_R(-0.1), CR_R(0.2)};
  const cr_real ipos[] = {CR_R(0.1), CR_R(0.05), CR_R(-0.02)};
  const cr_real inertia[] = {CR_R(0.02), CR_R(0.03), CR_R(0.04)};
  for (int b = 1; b < m->nbody; b++) {
    m->body_parentid[b] = b - 1;
    m->body_jntnum[b] = 1;
    m->body_mass[b] = CR_R(1.2) + CR_R(0.3) * (cr_real)b;
    cr_copy(m->body_pos + 3 * b, pos, 3);
    cr_copy(m->body_ipos + 3 * b, ipos, 3);
    cr_copy(m->body_inertia + 3 * b, inertia, 3);
  }
}

static void fill_joints(cr_model* m, const int32_t* types) {
  const cr_real axis[] = {CR_R(0.6), 0, CR_R(0.8)};
  for (int j = 0; j < m->njnt; j++) {
    m->jnt_type[j] = types[j];
    cr_copy(m->jnt_axis + 3 * j, axis, 3);
    m->jnt_pos[3 * j + 1] = types[j] == CR_JNT_FREE ? 0 : CR_R(0.07);
  }
}

cr_status chain_model(cr_model* m, int n, const int32_t* types, int nactuator, cr_error* error) {
  int32_t parentid[MAX_CHAIN + 1], jntnum[MAX_CHAIN + 1];
  if (n > MAX_CHAIN) {
    return cri_fail(error, CR_ERR_ARG, "a chain has at most %d bodies", (int)MAX_CHAIN);
  }
  for (int b = 0; b <= n; b++) {
    parentid[b] = b > 0 ? b - 1 : 0;
    jntnum[b] = b > 0;
  }
  *m = (cr_model){.nactuator = nactuator, .nout = nactuator, .nu = nactuator, .na = nactuator};
  CR_TRY(cri_model_sizes(m, n + 1, parentid, jntnum, types, error));
  CR_TRY(cri_model_allocate(m, error));
  cri_model_defaults(m);
  fill_bodies(m);
  fill_joints(m, types);
  CR_TRY(cri_model_derive(m, error));
  return CR_OK;
}
