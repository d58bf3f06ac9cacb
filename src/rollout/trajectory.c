// SPDX-License-Identifier: Apache-2.0
// Trajectories and their gradients by recomputing each step from its stored state.
#include "rollout/trajectory.h"

#include <limits.h>
#include <stdlib.h>

#include "engine/forward.h"
#include "integrate/event.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "model/fields.h"

// ---- memory

static cr_status create_blocks(cr_rollout* r, const cr_model* m, const cr_capacity* capacity,
                               cr_error* error) {
  CR_TRY(cri_data_create(&r->d, m, capacity, error));
  CR_TRY(cri_data_create(&r->work, m, capacity, error));
  return cri_data_twin(&r->bar, m, r->d, CR_DATA_COTANGENT, r->wanted, error);
}

static cr_real* numbers(size_t rows, int width) {
  return calloc(rows * (size_t)width + 1, sizeof(cr_real));
}

static bool allocate_states(cr_rollout* r, const cr_model* m) {
  size_t n = (size_t)r->nstep_max + 1;
  r->wanted = calloc(CR_N_FIELD, sizeof *r->wanted);
  r->ctrl = numbers(n, m->nu);
  r->ctrl_bar = numbers(n, m->nu);
  r->qpos = numbers(n, m->nq);
  r->qvel = numbers(n, m->nv);
  r->act = numbers(n, m->na);
  r->warmstart = numbers(n, m->nv);
  r->time = numbers(n, 1);
  r->first = calloc(n, sizeof *r->first);
  return r->wanted != NULL && r->ctrl != NULL && r->ctrl_bar != NULL && r->qpos != NULL &&
         r->qvel != NULL && r->act != NULL && r->warmstart != NULL && r->time != NULL &&
         r->first != NULL;
}

// more states than can be counted with an int would not fit into memory either
static bool too_long(const cr_model* m, int nstep_max) {
  const int widths[] = {m->nq, m->nv, m->na, m->nu, 1};
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    if (widths[i] > 0 && nstep_max >= INT_MAX / widths[i]) {
      return true;
    }
  }
  return false;
}

cr_status cri_rollout_create(cr_rollout** out, const cr_model* m, int nstep_max, const bool* wanted,
                             cr_error* error) {
  if (nstep_max < 1 || too_long(m, nstep_max)) {
    return cri_fail(error, CR_ERR_ARG, "rollout: %d steps", nstep_max);
  }
  cr_rollout* r = calloc(1, sizeof *r);
  if (r == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "rollout: no memory");
  }
  r->nstep_max = nstep_max;
  cr_status status;
  if (allocate_states(r, m)) {
    memcpy(r->wanted, wanted, CR_N_FIELD * sizeof *wanted);
    status = create_blocks(r, m, NULL, error);
  } else {
    status = cri_fail(error, CR_ERR_MEMORY, "rollout: no memory for %d steps", nstep_max);
  }
  if (status != CR_OK) {
    cr_rollout_free(r);
    return status;
  }
  *out = r;
  return CR_OK;
}

cr_status cr_rollout_create(cr_rollout** out, const cr_model* m, int nstep_max,
                            const char* const* parameters, int nparameter, cr_error* error) {
  bool wanted[CR_N_FIELD] = {false};
  for (int i = 0; i < nparameter; i++) {
    cr_field_id id = cri_field_find(parameters[i]);
    if (id == CR_N_FIELD || cri_field(id)->kind != CR_KIND_PARAM) {
      return cri_fail(error, CR_ERR_NAME, "'%s' is no parameter", parameters[i]);
    }
    wanted[id] = true;
  }
  return cri_rollout_create(out, m, nstep_max, wanted, error);
}

void cr_rollout_free(cr_rollout* r) {
  if (r == NULL) {
    return;
  }
  cri_data_free(r->d);
  cri_data_free(r->work);
  cri_data_free(r->bar);
  free(r->wanted);
  free(r->ctrl);
  free(r->ctrl_bar);
  free(r->qpos);
  free(r->qvel);
  free(r->act);
  free(r->warmstart);
  free(r->time);
  free(r->first);
  cri_tape_free(&r->tape);
  free(r);
}

// what a backward pass has gathered so far: the cotangents of inputs and parameters
static void copy_gathered(const cr_model* m, cr_data* to, const cr_data* from) {
  cr_copy(to->qpos, from->qpos, m->nv);
  cr_copy(to->qvel, from->qvel, m->nv);
  cr_copy(to->act, from->act, m->na);
  cr_copy(to->ctrl, from->ctrl, m->nu);
  cr_copy(to->qpos_next, from->qpos_next, m->nv);
  cr_copy(to->qvel_next, from->qvel_next, m->nv);
  cr_copy(to->act_next, from->act_next, m->na);
  cr_copy(to->qfrc_applied, from->qfrc_applied, m->nv);
  cr_copy(to->xfrc_applied, from->xfrc_applied, 6 * m->nbody);
}

static void swap_blocks(cr_data* a, cr_data* b) {
  cr_data kept = *a;
  *a = *b;
  *b = kept;
}

// doubles the room for contacts and rows, keeping inputs and gathered cotangents; the blocks stay
// where they are for those who hold them, their arrays move
static cr_status grow(cr_rollout* r, const cr_model* m, cr_error* error) {
  const cr_data* d = r->d;
  cr_capacity c = {2 * d->ncon_max + 8, 2 * d->nefc_max + 32, 2 * d->nJ_max + 32 * m->nv};
  cr_rollout larger = {.wanted = r->wanted};
  cr_status status = create_blocks(&larger, m, &c, error);
  if (status == CR_OK) {
    cri_inputs_copy(m, larger.d, r->d);
    cri_inputs_copy(m, larger.work, r->work);
    copy_gathered(m, larger.bar, r->bar);
    cr_model par = larger.bar->par;
    larger.bar->par = r->bar->par;
    r->bar->par = par;
    larger.d->want_M = r->d->want_M;
    swap_blocks(r->d, larger.d);
    swap_blocks(r->work, larger.work);
    swap_blocks(r->bar, larger.bar);
  }
  cri_data_free(larger.d);
  cri_data_free(larger.work);
  cri_data_free(larger.bar);
  return status;
}

// ---- forward

static void store(cr_rollout* r, const cr_model* m, int k) {
  size_t row = (size_t)k;
  cr_copy(r->qpos + row * (size_t)m->nq, r->d->qpos, m->nq);
  cr_copy(r->qvel + row * (size_t)m->nv, r->d->qvel, m->nv);
  cr_copy(r->act + row * (size_t)m->na, r->d->act, m->na);
  cr_copy(r->warmstart + row * (size_t)m->nv, r->d->qacc_warmstart, m->nv);
  r->time[row] = r->d->time;
}

void cri_rollout_restore(cr_rollout* r, const cr_model* m, int k) {
  size_t row = (size_t)k;
  int control = k < r->nstep ? k : r->nstep - 1;
  cr_copy(r->d->qpos, r->qpos + row * (size_t)m->nq, m->nq);
  cr_copy(r->d->qvel, r->qvel + row * (size_t)m->nv, m->nv);
  cr_copy(r->d->act, r->act + row * (size_t)m->na, m->na);
  cr_copy(r->d->qacc_warmstart, r->warmstart + row * (size_t)m->nv, m->nv);
  cr_copy(r->d->ctrl, r->ctrl + (size_t)(control < 0 ? 0 : control) * (size_t)m->nu, m->nu);
  r->d->time = r->time[row];
}

// what is evaluated at the state in r->d
typedef cr_status evaluation(cr_rollout* r, const cr_model* m);

static cr_status forward(cr_rollout* r, const cr_model* m) { return cr_forward(m, r->d); }

static cr_status step(cr_rollout* r, const cr_model* m) { return cr_step(m, r->d); }

// where contacts or rows do not fit, grows and repeats
static cr_status evaluate(cr_rollout* r, const cr_model* m, evaluation* f, int k, cr_error* error) {
  cr_status status = f(r, m);
  while (status == CR_ERR_CAPACITY) {
    CR_TRY(grow(r, m, error));
    status = f(r, m);
  }
  if (status != CR_OK) {
    return cri_fail(error, status, "step %d (time %.9g): %s", k, (double)r->d->time,
                    r->d->error.text);
  }
  if (r->d->solver_iterations > r->solver_iterations_max) {
    r->solver_iterations_max = r->d->solver_iterations;
  }
  return CR_OK;
}

static bool looks_at(const cr_loss* loss, int step, int nstep) {
  if (loss == NULL) {
    return false;
  }
  return loss->looks_at == NULL ? step == nstep : loss->looks_at(loss->context, step, nstep);
}

// the state after `step` steps, under the control of the last of them; the first under its own
static void restore_end(cr_rollout* r, const cr_model* m, int step) {
  cri_rollout_restore(r, m, step);
  if (step == 0) {
    return;
  }
  cr_copy(r->d->ctrl, r->ctrl + (size_t)(step - 1) * (size_t)m->nu, m->nu);
}

cr_status cri_rollout_forward(cr_rollout* r, const cr_model* m, int step, cr_error* error) {
  restore_end(r, m, step);
  return evaluate(r, m, forward, step, error);
}

static cr_status loss_failed(cr_status status, int step, cr_error* error) {
  const char* why =
      status == CR_ERR_NAME ? "a contact that it names does not exist" : cr_status_text(status);
  return cri_fail(error, status, "the loss after step %d: %s", step, why);
}

static cr_status add_loss(cr_rollout* r, const cr_model* m, const cr_loss* loss, int step,
                          cr_error* error) {
  if (!looks_at(loss, step, r->nstep)) {
    return CR_OK;
  }
  if (loss->needs_fields) {
    CR_TRY(cri_rollout_forward(r, m, step, error));
  }
  cr_status status = loss->value(loss->context, m, r->d, step, &r->loss);
  if (status == CR_OK && !isfinite(r->loss)) {
    status = CR_ERR_NONFINITE;
  }
  return status == CR_OK ? CR_OK : loss_failed(status, step, error);
}

// the control of step k, from the callback or as it was set
static cr_status take_control(cr_rollout* r, const cr_model* m, int k, cr_error* error) {
  cr_real* ctrl = r->ctrl + (size_t)k * (size_t)m->nu;
  cr_status status = r->control == NULL ? CR_OK : r->control(r->control_context, m, r->d, k, ctrl);
  if (status != CR_OK) {
    return cri_fail(error, status, "the control of step %d: %s", k + 1, cr_status_text(status));
  }
  cr_copy(r->d->ctrl, ctrl, m->nu);
  return CR_OK;
}

static cr_status run_step(cr_rollout* r, const cr_model* m, int k, cr_error* error) {
  CR_TRY(evaluate(r, m, step, k + 1, error));
  cr_advance(m, r->d);
  return CR_OK;
}

// ---- adaptive: a step is an interval of the grid, with steps of its own

static cr_real grid_time(const cr_rollout* r, const cr_model* m, int k) {
  cr_real grid = r->options.grid > 0 ? r->options.grid : m->timestep;
  return r->time[0] + (cr_real)k * grid;
}

static cr_status adaptive_step(cr_rollout* r, const cr_model* m) {
  r->known = r->controller.known;
  cr_status status = cri_adaptive_step(&r->options, m, r->d, r->end, &r->controller, &r->length);
  if (status == CR_ERR_CAPACITY) {
    r->controller.known = false;  // a block that grew has not evaluated anything
  }
  return status;
}

// another control begins: the first stage is not that of the step before
static cr_status run_interval(cr_rollout* r, const cr_model* m, int k, cr_error* error) {
  r->first[k] = r->tape.n;
  r->end = grid_time(r, m, k + 1);
  r->controller.known = false;
  while (r->d->time < r->end) {
    CR_TRY(cri_tape_push(&r->tape, m, r->d, error));
    CR_TRY(evaluate(r, m, adaptive_step, k + 1, error));
    cri_tape_step(&r->tape, r->length, r->known, r->controller.event);
    bool last = r->length == r->end - r->d->time;
    cri_adaptive_advance(m, r->d, r->length);
    r->d->time = last ? r->end : r->d->time;
  }
  r->first[k + 1] = r->tape.n;
  return CR_OK;
}

cr_status cr_rollout_run(cr_rollout* r, const cr_model* m, int nstep, const cr_loss* loss,
                         cr_error* error) {
  if (nstep < 1 || nstep > r->nstep_max) {
    return cri_fail(error, CR_ERR_ARG, "rollout: %d steps, room for %d", nstep, r->nstep_max);
  }
  r->nstep = nstep;
  r->loss = 0;
  r->solver_iterations_max = 0;
  store(r, m, 0);
  cri_tape_clear(&r->tape);
  r->controller = cri_controller_begin(m, &r->options);
  for (int k = 0; k < nstep; k++) {
    CR_TRY(take_control(r, m, k, error));
    CR_TRY(r->adaptive ? run_interval(r, m, k, error) : run_step(r, m, k, error));
    store(r, m, k + 1);
    CR_TRY(add_loss(r, m, loss, k + 1, error));
  }
  return CR_OK;
}

// ---- backward

static void clear_gathered(cr_rollout* r, const cr_model* m) {
  cr_data* bar = r->bar;
  cr_zero(bar->qpos, m->nv);
  cr_zero(bar->qvel, m->nv);
  cr_zero(bar->act, m->na);
  cr_zero(bar->ctrl, m->nu);
  cr_zero(bar->qfrc_applied, m->nv);
  cr_zero(bar->xfrc_applied, 6 * m->nbody);
  cri_model_twin_zero(&bar->par, m);
  cr_zero(r->ctrl_bar, r->nstep * m->nu);
}

static void take_ctrl_bar(cr_rollout* r, const cr_model* m, int k) {
  for (int i = 0; i < m->nu; i++) {
    r->ctrl_bar[(size_t)k * (size_t)m->nu + (size_t)i] += r->bar->ctrl[i];
  }
  cr_zero(r->bar->ctrl, m->nu);
}

static cr_status add_loss_bar(cr_rollout* r, const cr_model* m, const cr_model* m_backward,
                              const cr_loss* loss, int step, cr_error* error) {
  if (!looks_at(loss, step, r->nstep)) {
    return CR_OK;
  }
  restore_end(r, m, step);
  if (loss->needs_fields) {
    CR_TRY(evaluate(r, m_backward, forward, step, error));
  }
  cr_status status = loss->bar(loss->context, m, r->d, step, r->bar);
  if (status != CR_OK) {
    return loss_failed(status, step, error);
  }
  if (loss->needs_fields) {
    status = cr_forward_vjp(m_backward, r->d, r->bar);
    if (status != CR_OK) {
      return cri_fail(error, status, "backward through the loss after step %d: %s", step,
                      r->bar->error.text);
    }
  }
  take_ctrl_bar(r, m, step - 1);
  return CR_OK;
}

// the cotangent of the state after the step becomes the seed, that of the state before it is next
static void swap_state_bar(const cr_model* m, cr_data* bar) {
  cr_copy(bar->qpos_next, bar->qpos, m->nv);
  cr_copy(bar->qvel_next, bar->qvel, m->nv);
  cr_copy(bar->act_next, bar->act, m->na);
  cr_zero(bar->qpos, m->nv);
  cr_zero(bar->qvel, m->nv);
  cr_zero(bar->act, m->na);
}

static cr_status repeat(cr_rollout* r, const cr_model* m) {
  return cri_adaptive_repeat(m, r->d, r->controller.known, r->length);
}

// at the end of the i-th of the steps on the tape, which lies in step k
static cr_status event_bar(cr_rollout* r, const cr_model* m, int k, int i, cr_error* error) {
  if (i + 1 < r->first[k + 1]) {
    (void)cri_tape_restore(&r->tape, m, i + 1, r->d);
  } else {
    cri_rollout_restore(r, m, k + 1);
    cr_copy(r->d->ctrl, r->ctrl + (size_t)k * (size_t)m->nu, m->nu);
  }
  cr_status status = cri_event_vjp(m, r->d, r->tape.event[i], r->work, r->bar);
  if (status == CR_ERR_CAPACITY || status == CR_OK) {
    return status;
  }
  return cri_fail(error, status, "backward through the event at time %.9g: %s", (double)r->d->time,
                  r->d->error.text);
}

// the steps inside step k, last to first
static cr_status interval_bar(cr_rollout* r, const cr_model* m, const cr_model* m_backward, int k,
                              cr_error* error) {
  cr_copy(r->d->ctrl, r->ctrl + (size_t)k * (size_t)m->nu, m->nu);
  for (int i = r->first[k + 1] - 1; i >= r->first[k]; i--) {
    if (r->tape.event[i] >= 0) {
      CR_TRY(event_bar(r, m, k, i, error));
    }
    r->length = cri_tape_restore(&r->tape, m, i, r->d);
    r->controller.known = r->tape.known[i];
    CR_TRY(evaluate(r, m, repeat, k + 1, error));
    swap_state_bar(m, r->bar);
    cr_status status = cri_adaptive_step_vjp(m, m_backward, r->d, r->length, r->work, r->bar);
    if (status != CR_OK) {
      return cri_fail(error, status, "backward through step %d: %s", k + 1, r->bar->error.text);
    }
  }
  take_ctrl_bar(r, m, k);
  return CR_OK;
}

static cr_status step_bar(cr_rollout* r, const cr_model* m, const cr_model* m_backward, int k,
                          cr_error* error) {
  cri_rollout_restore(r, m, k);
  CR_TRY(evaluate(r, m, step, k + 1, error));
  swap_state_bar(m, r->bar);
  cr_status status = cr_step_vjp(m, m_backward, r->d, r->work, r->bar);
  if (status != CR_OK) {
    return cri_fail(error, status, "backward through step %d: %s", k + 1, r->bar->error.text);
  }
  take_ctrl_bar(r, m, k);
  return CR_OK;
}

static cr_status sweep(cr_rollout* r, const cr_model* m, const cr_model* m_backward,
                       const cr_loss* loss, cr_error* error) {
  clear_gathered(r, m);
  for (int k = r->nstep; k > 0; k--) {
    CR_TRY(add_loss_bar(r, m, m_backward, loss, k, error));
    CR_TRY(r->adaptive ? interval_bar(r, m, m_backward, k - 1, error)
                       : step_bar(r, m, m_backward, k - 1, error));
  }
  return CR_OK;
}

// what a sweep that failed left in the middle of things
static void clear_bar(cr_data* bar) {
  memset(bar->memory, 0, bar->memory_size);
#define CR_OP(name, left, right, nnz, text) bar->name##_pairs.n = 0;
#include "model/data_fields.h"
  bar->scratch_used = 0;
}

cr_status cr_rollout_gradient(cr_rollout* r, const cr_model* m, const cr_model* m_backward,
                              const cr_loss* loss, cr_error* error) {
  cr_status status = sweep(r, m, m_backward, loss, error);
  while (status == CR_ERR_CAPACITY) {  // more contacts within reach of the backward pass
    CR_TRY(grow(r, m, error));
    status = sweep(r, m, m_backward, loss, error);
  }
  if (status != CR_OK) {
    clear_bar(r->bar);
  }
  return status;
}

// ---- what a user sees

cr_status cr_rollout_adaptive(cr_rollout* r, const cr_model* m, const cr_adaptive* options,
                              cr_error* error) {
  if (options != NULL) {
    CR_TRY(cri_adaptive_check(m, options, error));
  }
  r->adaptive = options != NULL;
  r->options = options != NULL ? *options : (cr_adaptive){.rtol = 0};
  return CR_OK;
}

void cr_rollout_steps(const cr_rollout* r, int* accepted, int* rejected, int* events) {
  *events = r->controller.events;
  *accepted = r->controller.accepted;
  *rejected = r->controller.rejected;
}

cr_data* cr_rollout_data(cr_rollout* r) { return r->d; }
void cr_rollout_set_control(cr_rollout* r, cr_control control, void* context) {
  r->control = control;
  r->control_context = context;
}
cr_real* cr_rollout_ctrl(cr_rollout* r) { return r->ctrl; }
cr_real cr_rollout_loss(const cr_rollout* r) { return r->loss; }
cr_data* cr_rollout_bar(cr_rollout* r) { return r->bar; }
const cr_real* cr_rollout_ctrl_bar(const cr_rollout* r) { return r->ctrl_bar; }
