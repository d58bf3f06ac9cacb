// SPDX-License-Identifier: Apache-2.0
// The loop over the schedule, and the evaluation of the dynamics and its derivatives by it.
#include "engine/driver.h"

#include "engine/added_stage.h"
#include "engine/forward.h"
#include "model/misuse.h"
#include "model/schedule.h"

static inline __attribute__((always_inline)) cr_status run_row(const cri_schedule* s,
                                                               const cr_stage* stage, cri_pass pass,
                                                               bool plain, const cr_model* m,
                                                               const cr_data* d, cr_data* to) {
  if (!plain && stage->added != NULL) {
    int i = (int)(stage - s->row);
    return pass == CRI_FORWARD ? cri_added_forward(s, i, m, to)
           : pass == CRI_JVP   ? cri_added_jvp(s, i, m, d, to)
                               : cri_added_vjp(s, i, m, d, to);
  }
  return pass == CRI_FORWARD ? stage->forward(m, to)
         : pass == CRI_JVP   ? stage->jvp(m, d, to)
                             : stage->vjp(m, d, to);
}

// the loop; compiled for each pass, with and without added stages, a choice of rows or an observer
static inline __attribute__((always_inline)) cr_status drive(const cri_schedule* s, cri_pass pass,
                                                             const cri_rows* rows, bool plain,
                                                             const cr_model* m, const cr_data* d,
                                                             cr_data* to) {
  bool back = pass == CRI_VJP;
  const cr_stage* stage = s->row + (back ? rows->end : rows->first);
  for (int left = rows->end - rows->first; left > 0; left--) {
    stage -= back;
    if (plain || rows->only == NULL || rows->only[stage - s->row]) {
      CR_TRY(run_row(s, stage, pass, plain, m, d, to));
      CR_TRY(cri_room_check(to, stage->name));
      if (back &&
          stage->added == NULL) {  // fields that an added stage changed belong to another stage
        cri_fields_clear(m, d, to, stage->writes, stage->nwrite);
      }
      if (!plain && rows->after != NULL) {
        rows->after(rows->context, (int)(stage - s->row));
      }
    }
    stage += !back;
  }
  return CR_OK;
}

static cr_status drive_any(const cri_schedule* s, cri_pass pass, const cri_rows* rows,
                           const cr_model* m, const cr_data* d, cr_data* to) {
  return pass == CRI_FORWARD ? drive(s, CRI_FORWARD, rows, false, m, d, to)
         : pass == CRI_JVP   ? drive(s, CRI_JVP, rows, false, m, d, to)
                             : drive(s, CRI_VJP, rows, false, m, d, to);
}

// with parameters that stages change
static cr_status drive_view(const cri_schedule* s, cri_pass pass, const cri_rows* rows,
                            const cr_model* m, const cr_data* d, cr_data* to) {
  if (pass == CRI_FORWARD) {
    return drive_any(s, pass, rows, cri_model_at(m, to), d, to);
  }
  cr_status status = drive_any(s, pass, rows, cri_twin_open(m, d, to, false), d, to);
  cri_twin_close(to);
  return status;
}

cr_status cri_drive(const cri_schedule* s, cri_pass pass, const cri_rows* rows, const cr_model* m,
                    const cr_data* d, cr_data* to) {
  if (rows->only != NULL || rows->after != NULL || s->nadded > 0) {
    return (s->nparam > 0 ? drive_view : drive_any)(s, pass, rows, m, d, to);
  }
  return pass == CRI_FORWARD ? drive(s, CRI_FORWARD, rows, true, m, d, to)
         : pass == CRI_JVP   ? drive(s, CRI_JVP, rows, true, m, d, to)
                             : drive(s, CRI_VJP, rows, true, m, d, to);
}

// ---- the evaluation

cr_status cri_dynamics(const cr_model* m, cr_data* d) {
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.end = s->ndynamics};
  d->measured = false;
  d->done = 0;
  CR_TRY(cri_drive(s, CRI_FORWARD, &rows, m, d, d));
  d->done = CRI_DONE_FRAMES | CRI_DONE_FORWARD;
  return CR_OK;
}

cr_status cri_dynamics_to(const cr_model* m, cr_data* d, const char* stage) {
  const cri_schedule* s = cri_schedule_of(m);
  cri_rows rows = {.end = 0};
  for (int i = 0; i < s->ndynamics; i++) {
    rows.end = strcmp(s->row[i].name, stage) == 0 ? i + 1 : rows.end;
  }
  d->done = 0;
  return cri_drive(s, CRI_FORWARD, &rows, m, d, d);
}

cr_status cr_forward(const cr_model* m, cr_data* d) {
  const cri_call call = {"cr_forward", cri_error_of(d)};
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(cri_dynamics(m, d));
  return cri_measure(m, d);
}

cr_status cri_measure(const cr_model* m, cr_data* d) {
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.first = s->ndynamics, .end = s->n};
  CR_TRY(cri_drive(s, CRI_FORWARD, &rows, m, d, d));
  d->measured = true;
  return CR_OK;
}

// rows that have been run on d
static cri_rows rows_run(const cri_schedule* s, const cr_data* d) {
  return (cri_rows){.end = d->measured ? s->n : s->ndynamics};
}

static cr_status check_sweep(const char* name, const cr_model* m, const cr_data* d,
                             const cr_data* twin, cr_data_role role) {
  const cri_call call = {name, cri_error_of(twin != NULL ? twin : d)};
  const char* what = role == CR_DATA_TANGENT ? "tan" : "bar";
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_FORWARD));
  return cri_check_twin(&call, m, d, twin, role, what);
}

cr_status cr_forward_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(check_sweep("cr_forward_jvp", m, d, tan, CR_DATA_TANGENT));
  return cri_forward_jvp(m, d, tan);
}

cr_status cr_forward_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  CR_TRY(check_sweep("cr_forward_vjp", m, d, bar, CR_DATA_COTANGENT));
  return cri_forward_vjp(m, d, bar);
}

cr_status cri_forward_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = rows_run(s, d);
  return cri_drive(s, CRI_JVP, &rows, m, d, tan);
}

cr_status cri_forward_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = rows_run(s, d);
  return cri_drive(s, CRI_VJP, &rows, m, d, bar);
}

cr_status cri_forward_through(const cr_model* m, cr_data* d, const bool* stages) {
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.end = s->n, .only = stages};
  d->measured = false;
  d->done = 0;
  return cri_drive(s, CRI_FORWARD, &rows, m, d, d);
}

cr_status cri_forward_vjp_through(const cr_model* m, const cr_data* d, cr_data* bar,
                                  const bool* stages) {
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.end = s->n, .only = stages};
  return cri_drive(s, CRI_VJP, &rows, m, d, bar);
}
