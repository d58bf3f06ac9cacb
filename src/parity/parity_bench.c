// SPDX-License-Identifier: Apache-2.0
// Memory of a comparison: MuJoCo's data, its options, a model with the integrator discrete.
#include "parity/parity_bench.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "io/mujoco.h"
#include "model/added_contact.h"
#include "model/model_check.h"
#include "model/model_options.h"

// true if the data have room of their own
static cr_status make_discrete(cr_parity_bench* b, cr_error* error) {
  cr_capacity room = cri_capacity_default(b->m);
  room = (cr_capacity){2 * room.ncon, 2 * room.nefc, 2 * room.nJ};
  b->discrete = *b->m;
  b->discrete.memory = NULL;
  b->discrete.integrator = CR_INT_DISCRETE;
  CR_TRY(cri_model_check(&b->discrete, error));
  return cri_data_create(&b->discrete_data, &b->discrete, &room, error);
}

static cr_status make_data(void* context) {
  cr_parity_bench* b = context;
  b->state = mj_makeData(b->mj);
  b->d = mj_makeData(b->mj);
  b->scratch = mj_makeData(b->mj);
  b->kept = mj_makeData(b->mj);
  return CR_OK;
}

void cri_parity_options(mjModel* mj) {
  mj->opt.solver = mjSOL_NEWTON;
  mj->opt.tolerance = 0;
  mj->opt.iterations = 200;
  mj->opt.ls_iterations = 100;
  mj->opt.noslip_iterations = 0;
  mj->opt.ccd_tolerance = 1e-10;
  mj->opt.ccd_iterations = 200;
}

cr_status cr_parity_create(cr_parity_bench** out, mjModel* mj, const cr_model* m, cr_error* error) {
  if (!cri_all_convex(m)) {
    const cri_option* o = cri_option_find("contact_model");
    return cri_fail(error, CR_ERR_UNSUPPORTED, "MuJoCo has no contact model '%s' to compare with",
                    cri_choice_word(m, o, m->contact_model));
  }
  cr_parity_bench* b = calloc(1, sizeof *b);
  if (b == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "parity: no memory");
  }
  b->mj = mj;
  b->m = m;
  b->file_options = mj->opt;
  cri_parity_options(mj);
  cr_status status = cri_mujoco_guard(make_data, b, "MuJoCo's data", error);
  if (status != CR_OK) {
    cr_parity_free(b);
    return status;
  }
  if (m->integrator != CR_INT_DISCRETE && make_discrete(b, NULL) != CR_OK) {
    b->discrete_data = NULL;
  }
  *out = b;
  return CR_OK;
}

void cr_parity_free(cr_parity_bench* b) {
  if (b != NULL) {
    mj_deleteData(b->state);
    mj_deleteData(b->d);
    mj_deleteData(b->scratch);
    mj_deleteData(b->kept);
    cri_data_free(b->discrete_data);
    free(b);
  }
}
