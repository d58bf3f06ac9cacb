// SPDX-License-Identifier: Apache-2.0
// Rows of A and B come from sweeps back, one for each number of the state after a step, as of steps of one length.
#include "predict/adaptive_interval.h"

#include "event/event_jump.h"
#include "integrate/inputs.h"
#include "model/state_vector.h"
#include "predict/sensitivity.h"

static void keep_row(cri_predictor* w, const cri_problem* p, int row) {
  cri_sensitivity_collect(w, p, w->A + (ptrdiff_t)row * p->nx, w->B + (ptrdiff_t)row * p->np);
}

// S over the step of length h from the state in w->d
static cr_status over_step(cri_predictor* w, const cri_problem* p, cr_real h) {
  const cr_model* m = p->m;
  const cri_state next = cri_state_twin_next(m, w->bar);
  int row = 0;
  for (int k = 0; k < CRI_N_STATE; k++) {
    for (int i = 0; i < next.part[k].n; i++) {
      cri_sensitivity_clear(w, p);
      next.part[k].x[i] = 1;
      CR_TRY(cri_adaptive_step_vjp(&p->adaptive, NULL, m, m, w->d, h, w->work, w->bar));
      keep_row(w, p, row++);
    }
  }
  cri_sensitivity_advance(w, p);
  return CR_OK;
}

// S over the events of this step, from w->before to the state in w->d
static cr_status over_events(cri_predictor* w, const cri_problem* p, cr_real h) {
  const cr_model* m = p->m;
  const cri_state end = cri_state_twin(m, w->bar);
  int row = 0;
  cri_inputs_copy(m, w->work, w->d);
  for (int k = 0; k < CRI_N_STATE; k++) {
    for (int i = 0; i < end.part[k].n; i++) {
      cri_sensitivity_clear(w, p);
      end.part[k].x[i] = 1;
      cr_status status = cri_jump_vjp(m, w->before, w->work, h, w->bar);
      if (status != CR_OK) {
        w->d->error = w->before->error;
        return status;
      }
      keep_row(w, p, row++);
    }
  }
  cri_sensitivity_advance(w, p);
  return CR_OK;
}

cr_status cri_adaptive_interval(cri_predictor* w, const cri_problem* p, cr_real end, bool derive) {
  const cr_model* m = p->m;
  cr_data* d = w->d;
  w->controller.known = false;  // another control begins
  while (d->time < end) {
    cr_real h;
    CR_TRY(cri_adaptive_step(&p->adaptive, NULL, m, d, end, &w->controller, &h));
    CR_TRY(derive ? over_step(w, p, h) : CR_OK);
    bool event = derive && w->controller.event;
    if (event) {
      cri_inputs_copy(m, w->before, d);
    }
    bool last = h == end - d->time;  // ends on the grid, to the last bit
    cri_adaptive_advance(&p->adaptive, m, d, h);
    d->time = last ? end : d->time;
    CR_TRY(event ? over_events(w, p, h) : CR_OK);
  }
  return CR_OK;
}
