// SPDX-License-Identifier: Apache-2.0
// The states of a finished run. carom/rollout.h documents the public functions.
#include "model/state_vector.h"
#include "rollout/switches.h"
#include "rollout/trajectory.h"

// checks that there was a run, with steps first ... last
static cr_status check_ran(const cri_call* call, const cr_rollout* r, const cr_model* m, int first,
                           int last) {
  CR_TRY(cri_rollout_check(call, r, m));
  if (!r->ran) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: needs a run that came to its end", call->name);
  }
  return first >= 0 && first <= last && last <= r->nstep
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "%s: steps %d to %d of a run of %d", call->name,
                        first, last, r->nstep);
}

static void copy_row(cr_real* to, const cr_real* from, int row, int width) {
  if (to != NULL) {
    cr_copy(to + (ptrdiff_t)row * width, from, width);
  }
}

cr_status cr_rollout_get_states(const cr_rollout* r, const cr_model* m, int first, int n,
                                cr_real* time, cr_real* qpos, cr_real* qvel, cr_real* act,
                                cr_error* error) {
  const cri_call call = {"cr_rollout_get_states", error};
  cr_real* const to[CRI_N_STATE] = {qpos, qvel, act};
  CR_TRY(check_ran(&call, r, m, first, n > 0 ? first + n - 1 : first));
  for (int i = 0; i < n; i++) {
    cri_kept kept = cri_rollout_kept(r, m, first + i);
    if (kept.time == NULL) {
      return cri_fail(error, CR_ERR_ARG,
                      "cr_rollout_get_states: the state after step %d is not kept within the limit "
                      "of memory; cr_rollout_restore makes it again",
                      first + i);
    }
    copy_row(time, kept.time, i, 1);
    for (int k = 0; k < CRI_N_STATE; k++) {
      copy_row(to[k], kept.state.part[k].x, i, kept.state.part[k].n);
    }
  }
  return CR_OK;
}

cr_status cr_rollout_restore(cr_rollout* r, const cr_model* m, int k, cr_error* error) {
  const cri_call call = {"cr_rollout_restore", error};
  CR_TRY(check_ran(&call, r, m, k, k));
  return cri_rollout_restore(r, m, k, error);
}

cr_status cr_rollout_forward(cr_rollout* r, const cr_model* m, int step, cr_error* error) {
  const cri_call call = {"cr_rollout_forward", error};
  CR_TRY(check_ran(&call, r, m, step, step));
  return cri_rollout_forward(r, m, step, error);
}

cr_status cr_rollout_switches(cr_rollout* r, const cr_model* m, int* n, cr_error* error) {
  const cri_call call = {"cr_rollout_switches", error};
  CR_TRY(check_ran(&call, r, m, 0, 0));
  CR_TRY(cri_given(&call, n, "n"));
  cri_switches switches = {0};
  cr_status status = cri_switches_of(&switches, r, m, error);
  *n = switches.n - 1;
  cri_switches_free(&switches);
  return status;
}

cr_real cr_rollout_uncounted_time(const cr_rollout* r) {
  return r != NULL && r->controller.missed > 0 ? r->controller.first_missed : (cr_real)NAN;
}
