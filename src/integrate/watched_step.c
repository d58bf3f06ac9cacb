// SPDX-License-Identifier: Apache-2.0
// Steps that are watched. See carom/profile.h.
#include "carom/profile.h"
#include "engine/driver.h"
#include "inertia/effective_mass.h"
#include "integrate/euler.h"
#include "integrate/inputs.h"
#include "model/misuse.h"

int cr_step_stages(const cr_model* m) { return m != NULL ? cri_schedule_of(m)->ndynamics : 0; }

typedef struct {
  cr_stage_watch watch;
  void* context;
} watcher;

static void tell(const watcher* w, int stage) {
  if (w->watch != NULL) {
    w->watch(w->context, stage);
  }
}

static void after_row(void* context, int row) { tell(context, row); }

static cr_status drive(watcher* w, cri_pass pass, const cr_model* m, const cr_data* d,
                       cr_data* to) {
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.end = s->ndynamics, .after = after_row, .context = w};
  return cri_drive(s, pass, &rows, m, d, to);
}

static cr_status check(const cri_call* call, const cr_model* m, const cr_data* d) {
  const char* why = cri_tableau_of(m->integrator) != NULL ? "an integrator of several stages"
                    : cri_effective_mass_rests(m, d)      ? "a point that the step leaps over"
                                                          : NULL;
  return why == NULL
             ? CR_OK
             : cri_fail(call->error, CR_ERR_UNSUPPORTED, "%s: not with %s", call->name, why);
}

cr_status cr_step_watched(const cr_model* m, cr_data* d, cr_stage_watch watch, void* context) {
  const cri_call call = {"cr_step_watched", cri_error_of(d)};
  watcher w = {watch, context};
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(cri_check_method(&call, m));
  if (cri_tableau_of(m->integrator) != NULL) {
    return check(&call, m, d);
  }
  d->done = 0;
  d->measured = false;
  CR_TRY(cri_coordinates_check(m, d, d->qpos, d->qvel, "the state"));
  tell(&w, -1);
  CR_TRY(drive(&w, CRI_FORWARD, m, d, d));
  CR_TRY(cri_values_check(m, d, d->qacc, m->nv, m->dof_jntid, "qacc", "the state"));
  CR_TRY(cr_euler(m, d));
  tell(&w, cr_step_stages(m));
  CR_TRY(cri_room_check(d, "integrator"));
  CR_TRY(cri_state_check(m, d, cri_state_next(m, d), "the next state"));
  d->done = CRI_DONE_FRAMES | CRI_DONE_FORWARD | CRI_DONE_STEP;
  return CR_OK;
}

cr_status cr_step_jvp_watched(const cr_model* m, const cr_data* d, cr_data* tan,
                              cr_stage_watch watch, void* context) {
  const cri_call call = {"cr_step_jvp_watched", cri_error_of(tan != NULL ? tan : d)};
  watcher w = {watch, context};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  CR_TRY(cri_check_twin(&call, m, d, tan, CR_DATA_TANGENT, "tan"));
  CR_TRY(check(&call, m, d));
  tell(&w, -1);
  CR_TRY(drive(&w, CRI_JVP, m, d, tan));
  CR_TRY(cr_euler_jvp(m, d, tan));
  tell(&w, cr_step_stages(m));
  return cri_room_check(tan, "integrator");
}

cr_status cr_step_vjp_watched(const cr_model* m, const cr_data* d, cr_data* bar,
                              cr_stage_watch watch, void* context) {
  const cri_call call = {"cr_step_vjp_watched", cri_error_of(bar != NULL ? bar : d)};
  watcher w = {watch, context};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  CR_TRY(cri_check_twin(&call, m, d, bar, CR_DATA_COTANGENT, "bar"));
  CR_TRY(check(&call, m, d));
  tell(&w, -1);
  CR_TRY(cr_euler_vjp(m, d, bar));
  tell(&w, cr_step_stages(m));
  CR_TRY(cri_room_check(bar, "integrator"));
  CR_TRY(drive(&w, CRI_VJP, m, d, bar));
  cri_state_zero(cri_state_twin_next(m, bar));
  return CR_OK;
}
