// SPDX-License-Identifier: Apache-2.0
// Repeats the steps of a run, each with its jvp.
#include "rollout/tangent.h"

#include <stdlib.h>

#include "base/random.h"
#include "event/event_jump.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "model/state_vector.h"

static cr_status failed(const cr_data* where, cr_status status, int k, cr_error* error) {
  return cri_fail(error, status, "tangent of step %d: %s", k + 1, where->error.text);
}

// step i of interval k, from the state in r->d
static cr_status step_jvp(cr_rollout* r, const cr_model* m, int i, int k, cr_data* tan,
                          cr_error* error) {
  CR_TRY(cri_rollout_again(r, m, i, k, error));
  const cri_ramp* ramp = r->options.linear ? &r->ramp : NULL;
  cr_status status =
      r->adaptive ? cri_adaptive_step_jvp(&r->options, ramp, m, r->d, r->made.h, r->work, tan)
                  : cri_step_jvp(m, r->d, r->work, tan);
  if (status != CR_OK) {
    return failed(tan, status, k, error);
  }
  cri_state_take_next_twin(m, tan);  // the tangent of the state before the next step
  cri_inputs_copy(m, r->work, r->d);
  cri_rollout_advance(r, m, k);
  if (!r->adaptive || !r->made.event) {
    return CR_OK;
  }
  status = cri_jump_jvp(m, r->work, r->d, r->made.h, tan);
  return status == CR_OK ? CR_OK : failed(r->work, status, k, error);
}

cr_status cri_rollout_jvp(cr_rollout* r, const cr_model* m, cr_data* tan, cri_tangent_look* look,
                          void* context, cr_error* error) {
  CR_TRY(cri_rollout_restore(r, m, 0, error));
  for (int k = 0; k < r->nstep; k++) {
    for (int i = cri_rollout_first(r, k); i < cri_rollout_first(r, k + 1); i++) {
      CR_TRY(step_jvp(r, m, i, k, tan, error));
      if (look != NULL) {
        look(context, m, tan, r->d->time);
      }
    }
  }
  return CR_OK;
}

// ---- growth

static cr_status seed_value(void* context, const cr_model* m, const cr_data* d, int step,
                            cr_real* loss) {
  (void)context, (void)m, (void)d, (void)step, (void)loss;
  return CR_OK;
}

// a loss whose cotangent at the end is the tangent in `context`
static cr_status seed_bar(void* context, const cr_model* m, const cr_data* d, int step,
                          cr_data* bar) {
  (void)d, (void)step;
  cri_state_add(cri_state_twin(m, bar), 1, cri_state_twin(m, context));
  return CR_OK;
}

cr_real cri_tangent_norm(const cr_model* m, const cr_data* tan) {
  const cri_state s = cri_state_twin(m, tan);
  cr_real sum = 0;
  for (int k = 0; k < CRI_N_STATE; k++) {
    for (int i = 0; i < s.part[k].n; i++) {
      sum += s.part[k].x[i] * s.part[k].x[i];
    }
  }
  return cr_sqrt(sum);
}

static void set_state(const cr_model* m, cr_data* tan, const cr_data* from, cr_real scale) {
  const cri_state to = cri_state_twin(m, tan);
  cri_state_zero(to);
  cri_state_add(to, scale, cri_state_twin(m, from));
}

static void random_start(const cr_model* m, cr_data* bar) {
  cr_random random = cr_random_seed(1, 1);
  const cri_state s = cri_state_twin(m, bar);
  for (int k = 0; k < CRI_N_STATE; k++) {
    for (int i = 0; i < s.part[k].n; i++) {
      s.part[k].x[i] = cr_random_normal(&random);
    }
  }
}

static cr_status iterate(cr_rollout* r, const cr_model* m, cr_data* tan, cri_tangent_look* look,
                         void* context, cr_real* growth, cr_error* error) {
  enum { MOST = 30 };
  const cr_loss loss = {.context = tan, .value = seed_value, .bar = seed_bar};
  random_start(m, r->bar);
  for (int k = 0; k < MOST; k++) {
    cr_real length = cri_tangent_norm(m, r->bar), before = *growth;
    if (!(length > 0)) {  // no effect of the start is left
      return CR_OK;
    }
    set_state(m, tan, r->bar, 1 / length);
    CR_TRY(cri_rollout_jvp(r, m, tan, look, context, error));
    *growth = cri_tangent_norm(m, tan);
    if (cr_abs(*growth - before) <= CR_R(1e-3) * *growth) {
      return CR_OK;
    }
    CR_TRY(cr_rollout_gradient(r, m, m, &loss, error));
  }
  return CR_OK;
}

cr_status cri_rollout_growth(cr_rollout* r, const cr_model* m, cri_tangent_look* look,
                             void* context, cr_real* growth, cr_error* error) {
  cr_data* tan = NULL;
  bool continuous = r->adjoint.continuous;
  *growth = 0;
  CR_TRY(cri_data_twin(&tan, m, r->d, CR_DATA_TANGENT, cri_no_params, error));
  r->adjoint.continuous = false;  // the transpose of the tangent, to the last bit
  cr_status status = iterate(r, m, tan, look, context, growth, error);
  r->adjoint.continuous = continuous;
  cri_data_free(tan);
  return status;
}
