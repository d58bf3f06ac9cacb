// SPDX-License-Identifier: Apache-2.0
// Trajectories; their gradients compute each step again from its state.
#include "rollout/trajectory.h"

#include <limits.h>
#include <stdlib.h>

#include "base/locale.h"
#include "engine/data_create.h"
#include "engine/forward.h"
#include "event/event_jump.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "model/fields.h"
#include "model/state_vector.h"
#include "solver/contact_model.h"

// ---- memory

static cr_status create_blocks(cr_rollout* r, const cr_model* m, const cr_capacity* capacity,
                               cr_error* error) {
  CR_TRY(cri_data_create(&r->d, m, capacity, error));
  CR_TRY(cri_data_create(&r->work, m, capacity, error));
  CR_TRY(cri_step_blocks_create(&r->blocks, m, r->d, r->budget > 0 ? 0 : r->nstep_max, error));
  return cri_data_twin(&r->bar, m, r->d, CR_DATA_COTANGENT, r->wanted, error);
}

static cr_real* numbers(size_t rows, int width) {
  return calloc(rows * (size_t)width + 1, sizeof(cr_real));
}

static bool allocate_rows(cr_rollout* r, const cr_model* m) {
  size_t n = (size_t)r->nstep_max + 1;
  r->wanted = calloc(CR_N_FIELD, sizeof *r->wanted);
  r->ctrl = numbers(n, m->nu);
  r->ctrl_bar = numbers(n, m->nu);
  r->first = calloc(n, sizeof *r->first);
  return r->wanted != NULL && r->ctrl != NULL && r->ctrl_bar != NULL && r->first != NULL;
}

// more states than can be counted with an int would not fit into memory either
static bool too_long(const cr_model* m, int nstep_max) {
  const int widths[] = {cri_state_size(m), m->nu, 1};
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
    return cri_fail(error, CR_ERR_ARG, "rollout: %d steps are %s", nstep_max,
                    nstep_max < 1 ? "none" : "more than their states can be counted");
  }
  cr_rollout* r = calloc(1, sizeof *r);
  if (r == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "rollout: no memory");
  }
  r->nstep_max = nstep_max;
  cr_status status;
  if (allocate_rows(r, m)) {
    memcpy(r->wanted, wanted, CR_N_FIELD * sizeof *wanted);
    status = create_blocks(r, m, NULL, error);
  } else {
    status = cri_fail(error, CR_ERR_MEMORY, "rollout: no memory for %d steps", nstep_max);
  }
  if (status == CR_OK) {
    status = cri_tape_reserve(&r->tape, m, nstep_max, 0, error);
  }
  if (status != CR_OK) {
    cr_rollout_destroy(r);
    return status;
  }
  *out = r;
  return CR_OK;
}

cr_status cr_rollout_create(cr_rollout** out, const cr_model* m, int nstep_max,
                            const char* const* parameters, int nparameter, cr_error* error) {
  const cri_call call = {"cr_rollout_create", error};
  CR_TRY(cri_given(&call, out, "where the rollout goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(nparameter > 0 ? cri_given(&call, parameters, "parameters") : CR_OK);
  bool wanted[CR_N_FIELD] = {false};
  for (int i = 0; i < nparameter; i++) {
    CR_TRY(cri_given(&call, parameters[i], "a parameter"));
    cr_field_id id = cri_field_find(parameters[i]);
    if (id == CR_N_FIELD || cri_field(id)->kind != CR_KIND_PARAM) {
      const char* near = id == CR_N_FIELD ? cri_field_nearest(parameters[i]) : "";
      return cri_fail(error, CR_ERR_NAME, "'%s' is no parameter%s%s%s", parameters[i],
                      near[0] != 0 ? "; did you mean '" : "", near, near[0] != 0 ? "'?" : "");
    }
    wanted[id] = true;
  }
  return cri_rollout_create(out, m, nstep_max, wanted, error);
}

void cr_rollout_destroy(cr_rollout* r) {
  if (r == NULL) {
    return;
  }
  cri_data_free(r->d);
  cri_data_free(r->work);
  cri_data_free(r->bar);
  free(r->wanted);
  free(r->ctrl);
  free(r->ctrl_bar);
  free(r->first);
  cri_tape_free(&r->tape);
  cri_step_blocks_free(&r->blocks);
  cri_adjoint_free(&r->adjoint);
  free(r);
}

// accumulated by a backward pass so far: the cotangents of inputs and parameters
static void copy_gathered(const cr_model* m, cr_data* to, const cr_data* from) {
  cri_state_copy(cri_state_twin(m, to), cri_state_twin(m, from));
  cri_state_copy(cri_state_twin_next(m, to), cri_state_twin_next(m, from));
  cr_copy(to->ctrl, from->ctrl, m->nu);
  cr_copy(to->qfrc_applied, from->qfrc_applied, m->nv);
  cr_copy(to->xfrc_applied, from->xfrc_applied, 6 * m->nbody);
}

static void swap_blocks(cr_data* a, cr_data* b) {
  cr_data kept = *a;
  *a = *b;
  *b = kept;
}

// doubles the room for contacts and rows, keeping inputs and accumulated cotangents. The blocks stay
// in place for their holders; their arrays move
static cr_status grow(cr_rollout* r, const cr_model* m, cr_error* error) {
  const cr_data* d = r->d;
  cr_capacity c = {2 * d->ncon_max + 8, 2 * d->nefc_max + 32, 2 * d->nJ_max + 32 * m->nv};
  cr_rollout larger = {.wanted = r->wanted, .nstep_max = r->nstep_max, .budget = r->budget};
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
    cri_step_blocks blocks = r->blocks;
    r->blocks = larger.blocks;
    larger.blocks = blocks;
    r->at = NULL;  // the current step, begun again
  }
  cri_step_blocks_free(&larger.blocks);
  cri_data_free(larger.d);
  cri_data_free(larger.work);
  cri_data_free(larger.bar);
  return status;
}

// ---- forward

// an evaluation at the state in r->d
typedef cr_status evaluation(cr_rollout* r, const cr_model* m);

static cr_status forward(cr_rollout* r, const cr_model* m) { return cr_forward(m, r->d); }

// what a loss reads
static cr_status see(cr_rollout* r, const cr_model* m) {
  return r->look[0] == NULL ? forward(r, m) : cri_forward_through(m, r->d, r->look[0]);
}
static cr_status see_backward(cr_rollout* r, const cr_model* m) {
  return r->look[1] == NULL ? forward(r, m) : cri_forward_through(m, r->d, r->look[1]);
}
static cr_status see_vjp(cr_rollout* r, const cr_model* m) {
  return r->look[1] == NULL ? cri_forward_vjp(m, r->d, r->bar)
                            : cri_forward_vjp_through(m, r->d, r->bar, r->look[1]);
}

// the block of the current step
static cr_data* at_hand(const cr_rollout* r) { return r->at != NULL ? r->at : r->d; }

static cr_status step(cr_rollout* r, const cr_model* m) { return cri_step(m, at_hand(r)); }

// if contacts or rows do not fit, grows and repeats
static cr_status evaluate(cr_rollout* r, const cr_model* m, evaluation* f, int k, cr_error* error) {
  cr_status status = f(r, m);
  while (status == CR_ERR_CAPACITY) {
    CR_TRY(grow(r, m, error));
    status = f(r, m);
  }
  if (status != CR_OK) {
    return cri_fail(error, status, "step %d (time %.9g): %s", k, (double)r->d->time,
                    at_hand(r)->error.text);
  }
  int iterations = at_hand(r)->solver_iterations;
  if (iterations > r->solver_iterations_max) {
    r->solver_iterations_max = iterations;
  }
  return CR_OK;
}

// ---- controls: row k holds over interval k, or they change linearly to row k + 1

static bool is_linear(const cr_rollout* r) { return r->adaptive && r->options.linear; }

// start time of interval k
static cr_real start_of(const cr_rollout* r, const cr_model* m, int k) {
  cr_real grid = r->options.grid > 0 ? r->options.grid : m->timestep;
  return r->start + (cr_real)k * grid;
}

static cri_ramp ramp_of(cr_rollout* r, const cr_model* m, int k) {
  size_t from = (size_t)k * (size_t)m->nu, to = from + (k + 1 < r->nstep ? (size_t)m->nu : 0);
  return (cri_ramp){.from = r->ctrl + from,
                    .to = r->ctrl + to,
                    .start = start_of(r, m, k),
                    .length = start_of(r, m, k + 1) - start_of(r, m, k),
                    .from_bar = r->ctrl_bar + from,
                    .to_bar = r->ctrl_bar + to};
}

// the controls in interval k at the time of r->d
static void set_control(cr_rollout* r, const cr_model* m, int k) {
  if (is_linear(r)) {
    cri_ramp ramp = ramp_of(r, m, k);
    cri_ramp_at(&ramp, r->d->time, m->nu, r->d->ctrl);
  } else {
    cr_copy(r->d->ctrl, r->ctrl + (size_t)k * (size_t)m->nu, m->nu);
  }
}

// the transpose, if the cotangents are those at the time of r->d
static void take_ctrl_bar(cr_rollout* r, const cr_model* m, int k) {
  cri_ramp ramp = ramp_of(r, m, k);
  if (is_linear(r)) {
    cri_ramp_vjp(&ramp, r->d->time, m->nu, r->bar->ctrl);
    return;
  }
  for (int i = 0; i < m->nu; i++) {
    ramp.from_bar[i] += r->bar->ctrl[i];
  }
  cr_zero(r->bar->ctrl, m->nu);
}

// ---- the loss

static bool looks_at(const cr_loss* loss, int step, int nstep) {
  if (loss == NULL) {
    return false;
  }
  return loss->looks_at == NULL ? step == nstep : loss->looks_at(loss->context, step, nstep);
}

// `said`: sentence of the loss in the data's error, "" if there is none
static cr_status loss_failed(cr_status status, const char* said, int step, cr_error* error) {
  const char* why = said[0] != 0            ? said
                    : status == CR_ERR_NAME ? "a contact that it names does not exist"
                                            : cr_status_text(status);
  return cri_fail(error, status, "the loss after step %d: %s", step, why);
}

static cr_status add_loss(cr_rollout* r, const cr_model* m, const cr_loss* loss, int step,
                          cr_error* error) {
  if (!looks_at(loss, step, r->nstep)) {
    return CR_OK;
  }
  if (loss->needs_fields) {
    CR_TRY(evaluate(r, m, see, step, error));
  }
  r->d->error.text[0] = 0;
  cr_status status = loss->value(loss->context, m, r->d, step, &r->loss);
  if (status == CR_OK && !isfinite(r->loss)) {
    status = CR_ERR_NONFINITE;
  }
  return status == CR_OK ? CR_OK : loss_failed(status, r->d->error.text, step, error);
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

// true if nothing reads the results of step k in r->d but its state: no callback, no end of a run. A loss reads
// the state, or evaluates it in r->d first
static bool is_unseen(const cr_rollout* r, int k) {
  return (r->control == NULL || r->control_of_state) && k + 1 < r->nstep;
}

static cr_status run_step(cr_rollout* r, const cr_model* m, int k, cr_error* error) {
  CR_TRY(cri_tape_keep(&r->tape, m, r->d, k, error));
  cr_data* block = NULL;
  if (!r->no_gradient && is_unseen(r, k)) {
    block = cri_step_blocks_take(&r->blocks, m, r->d, k, r->nstep);
  }
  r->at = block;
  cr_status status = evaluate(r, m, step, k + 1, error);
  r->rows += status == CR_OK ? at_hand(r)->nefc : 0;
  if (status == CR_OK && r->at != NULL) {  // it has not grown
    cri_step_blocks_give(&r->blocks, m, r->d, block, k);
  }
  r->at = NULL;
  CR_TRY(status);
  cri_advance(m, r->d);
  return CR_OK;
}

// ---- adaptive: an interval of the grid has steps of its own

// Repeats the step before, from r->work, in a block that has grown: it ends with the same bits, so that its last stage
// is known there too.
static cr_status know_again(cr_rollout* r, const cr_model* m) {
  const cri_ramp* ramp = is_linear(r) ? &r->ramp : NULL;
  cri_inputs_copy(m, r->d, r->work);
  CR_TRY(cri_adaptive_repeat(&r->options, ramp, m, r->d, r->before.known, r->before.h));
  cri_adaptive_advance(&r->options, m, r->d, r->before.h);
  if (ramp != NULL) {
    cri_ramp_at(ramp, r->d->time, m->nu, r->d->ctrl);
  }
  r->forgotten = false;
  return CR_OK;
}

static cr_status adaptive_step(cr_rollout* r, const cr_model* m) {
  CR_TRY(r->forgotten ? know_again(r, m) : CR_OK);
  const cri_controller before = r->controller;
  r->made.known = before.known;
  cr_status status = cri_adaptive_step(&r->options, is_linear(r) ? &r->ramp : NULL, m, r->d, r->end,
                                       &r->controller, &r->made.h);
  if (status == CR_ERR_CAPACITY) {  // the same search again, in a block without results
    r->controller = before;
    r->forgotten = before.known;
  }
  r->made.event = r->controller.event;
  return status;
}

// the last step of an interval ends on the grid, to the last bit
static void adaptive_advance(cr_rollout* r, const cr_model* m) {
  bool last = r->made.h == r->end - r->d->time;
  cri_adaptive_advance(&r->options, m, r->d, r->made.h);
  r->d->time = last ? r->end : r->d->time;
}

// another control begins: the first stage is not that of the step before
static cr_status run_interval(cr_rollout* r, const cr_model* m, int k, cr_error* error) {
  int i = r->first[k];
  r->end = start_of(r, m, k + 1);
  r->ramp = ramp_of(r, m, k);
  r->controller.known = r->forgotten = false;
  for (; r->d->time < r->end; i++) {
    set_control(r, m, k);
    CR_TRY(cri_tape_keep(&r->tape, m, r->d, i, error));
    CR_TRY(evaluate(r, m, adaptive_step, k + 1, error));
    r->rows += r->d->nefc;
    CR_TRY(cri_tape_note(&r->tape, &r->made, error));
    cri_inputs_copy(m, r->work, r->d);
    r->before = r->made;
    adaptive_advance(r, m);
  }
  r->first[k + 1] = i;
  set_control(r, m, k);
  return CR_OK;
}

cr_status cr_rollout_run(cr_rollout* r, const cr_model* m, int nstep, const cr_loss* loss,
                         cr_error* error) {
  const cri_call call = {"cr_rollout_run", error};
  CR_TRY(cri_rollout_check(&call, r, m));
  CR_TRY(cri_check_method(&call, m));
  CR_TRY(loss != NULL && loss->value == NULL ? cri_is_null(&call, "the loss's value") : CR_OK);
  if (nstep < 1 || nstep > r->nstep_max) {
    return cri_fail(error, CR_ERR_ARG, "rollout: %d steps, room for %d", nstep, r->nstep_max);
  }
  if (r->control != NULL && is_linear(r)) {
    return cri_fail(error, CR_ERR_ARG,
                    "rollout: controls that a callback gives are held, not linear");
  }
  r->nstep = nstep;
  r->ran = false;
  r->loss = 0;
  r->solver_iterations_max = 0;
  r->rows = 0;
  r->start = r->d->time;
  r->controller = cri_controller_begin(m, &r->options);
  cri_tape_begin(&r->tape, r->adaptive ? -1 : nstep);
  cri_step_blocks_forget(&r->blocks);
  for (int k = 0; k < nstep; k++) {
    CR_TRY(take_control(r, m, k, error));
    CR_TRY(r->adaptive ? run_interval(r, m, k, error) : run_step(r, m, k, error));
    CR_TRY(add_loss(r, m, loss, k + 1, error));
  }
  cri_tape_put(&r->tape, m, CRI_TAPE_END, r->d);
  r->ran = true;
  return CR_OK;
}

// ---- a run kept elsewhere

size_t cri_rollout_kept_size(const cr_rollout* r) {
  bool whole = !r->adaptive && r->budget == 0;
  return whole ? ((size_t)r->nstep_max + 1) * r->tape.width : 0;
}

void cri_rollout_put_away(const cr_rollout* r, cr_real* to) {
  cri_tape_write(&r->tape, r->nstep_max, to);
}

cr_status cri_rollout_take_back(cr_rollout* r, const cr_model* m, const cr_real* from,
                                cr_error* error) {
  if (!cri_tape_read(&r->tape, r->nstep_max, from)) {
    return cri_fail(error, CR_ERR_ARG, "the numbers given as a kept run are none");
  }
  r->nstep = r->nstep_max;
  r->loss = 0;
  r->solver_iterations_max = 0;
  r->start = *cri_tape_kept(&r->tape, m, 0).time;
  cri_step_blocks_forget(&r->blocks);
  r->ran = true;
  return CR_OK;
}

// ---- states of the run again

static cr_status repeat(cr_rollout* r, const cr_model* m) {
  return cri_adaptive_repeat(&r->options, is_linear(r) ? &r->ramp : NULL, m, r->d, r->made.known,
                             r->made.h);
}

int cri_rollout_first(const cr_rollout* r, int k) { return r->adaptive ? r->first[k] : k; }

// the interval of step i
static int interval_of(const cr_rollout* r, int i) {
  int low = 0, high = r->nstep;
  while (r->adaptive && high - low > 1) {
    int middle = low + (high - low) / 2;
    if (r->first[middle] <= i) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return r->adaptive ? low : i;
}

// step i from the state in r->d, as it was made
cr_status cri_rollout_again(cr_rollout* r, const cr_model* m, int i, int k, cr_error* error) {
  set_control(r, m, k);
  if (!r->adaptive) {
    return evaluate(r, m, step, k + 1, error);
  }
  r->made = cri_tape_noted(&r->tape, i);
  r->ramp = ramp_of(r, m, k);
  return evaluate(r, m, repeat, k + 1, error);
}

void cri_rollout_advance(cr_rollout* r, const cr_model* m, int k) {
  if (!r->adaptive) {
    cri_advance(m, r->d);
    return;
  }
  r->end = start_of(r, m, k + 1);
  adaptive_advance(r, m);
}

// puts the state before step i into r->d
static cr_status find_state(cr_rollout* r, const cr_model* m, int i, cr_error* error) {
  for (int at = cri_tape_restore(&r->tape, m, i, r->d); at < i; at++) {
    int k = interval_of(r, at);
    CR_TRY(cri_tape_keep(&r->tape, m, r->d, at, error));
    CR_TRY(cri_rollout_again(r, m, at, k, error));
    cri_rollout_advance(r, m, k);
  }
  return CR_OK;
}

cr_status cri_rollout_restore(cr_rollout* r, const cr_model* m, int k, cr_error* error) {
  if (k == r->nstep) {
    cri_tape_get(&r->tape, m, CRI_TAPE_END, r->d);
  } else {
    CR_TRY(find_state(r, m, cri_rollout_first(r, k), error));
  }
  set_control(r, m, k < r->nstep ? k : r->nstep - 1);
  return CR_OK;
}

cri_kept cri_rollout_kept(const cr_rollout* r, const cr_model* m, int k) {
  return k == r->nstep ? cri_tape_end(&r->tape, m)
                       : cri_tape_kept(&r->tape, m, cri_rollout_first(r, k));
}

void cri_rollout_look(cr_rollout* r, const bool* stages, const bool* backward) {
  r->look[0] = stages;
  r->look[1] = backward;
}

cr_status cri_rollout_see(cr_rollout* r, const cr_model* m, int step, cr_error* error) {
  return evaluate(r, m, see, step, error);
}

cr_status cri_rollout_forward(cr_rollout* r, const cr_model* m, int step, cr_error* error) {
  CR_TRY(cri_rollout_restore(r, m, step, error));
  set_control(r, m, step > 0 ? step - 1 : 0);
  return evaluate(r, m, forward, step, error);
}

// ---- backward

static void clear_gathered(cr_rollout* r, const cr_model* m) {
  cr_data* bar = r->bar;
  cri_state_zero(cri_state_twin(m, bar));
  cr_zero(bar->ctrl, m->nu);
  cr_zero(bar->qfrc_applied, m->nv);
  cr_zero(bar->xfrc_applied, 6 * m->nbody);
  cri_model_twin_zero(&bar->par, m);
  cr_zero(r->ctrl_bar, r->nstep * m->nu);
}

static cr_status add_loss_bar(cr_rollout* r, const cr_model* m, const cr_model* m_backward,
                              const cr_loss* loss, int step, cr_error* error) {
  if (!looks_at(loss, step, r->nstep)) {
    return CR_OK;
  }
  cri_tape_get(&r->tape, m, CRI_TAPE_HERE, r->d);
  set_control(r, m, step - 1);
  if (loss->needs_fields) {
    CR_TRY(evaluate(r, m_backward, see_backward, step, error));
  }
  r->d->error.text[0] = 0;
  cr_status status = loss->bar(loss->context, m, r->d, step, r->bar);
  if (status != CR_OK) {
    return loss_failed(status, r->d->error.text, step, error);
  }
  if (loss->needs_fields) {
    status = see_vjp(r, m_backward);
    if (status != CR_OK) {
      return cri_fail(error, status, "backward through the loss after step %d: %s", step,
                      r->bar->error.text);
    }
  }
  take_ctrl_bar(r, m, step - 1);
  return CR_OK;
}

// the current state of the backward pass, at the end of a step of interval k, into r->work
static void keep_end(cr_rollout* r, const cr_model* m, int k) {
  cri_tape_get(&r->tape, m, CRI_TAPE_HERE, r->d);
  set_control(r, m, k);
  cri_inputs_copy(m, r->work, r->d);
}

// the events of a step of interval k and length h, from the state in r->d to that in r->work
static cr_status event_bar(cr_rollout* r, const cr_model* m, int k, cr_real h, cr_error* error) {
  cr_real time = r->d->time;
  set_control(r, m, k);
  cr_status status = cri_jump_vjp(m, r->d, r->work, h, r->bar);
  if (status == CR_OK) {
    r->d->time = r->work->time;
    take_ctrl_bar(r, m, k);
    r->d->time = time;
  }
  if (status == CR_ERR_CAPACITY || status == CR_OK) {
    return status;
  }
  return cri_fail(error, status, "backward through the event at time %.9g: %s",
                  (double)r->work->time, r->d->error.text);
}

// counts steps whose derivative depends on the direction; the last one met is the first in time
static void note_undetermined(cr_rollout* r, const cr_model* m, const cr_data* made) {
  cri_doubt doubt;
  if (cri_contact_model(m)->in_doubt(m, made, r->work, &doubt)) {
    r->undetermined++;
    (void)cri_print(r->doubt, sizeof r->doubt,
                    "undetermined steps: %d, the first at time %.9g, where %s", r->undetermined,
                    (double)made->time, doubt.text);
  }
}

// step i of interval k, from its end, where the backward pass is, to its beginning
static cr_status step_bar(cr_rollout* r, const cr_model* m, const cr_model* m_backward, int i,
                          int k, cr_error* error) {
  bool event = r->adaptive && cri_tape_noted(&r->tape, i).event;
  const cr_data* made = cri_step_blocks_find(&r->blocks, i);
  if (made != NULL) {
    cri_inputs_copy(m, r->d, made);
    cri_tape_put(&r->tape, m, CRI_TAPE_HERE, r->d);
  } else {
    if (event) {
      keep_end(r, m, k);
    }
    CR_TRY(find_state(r, m, i, error));
    cri_tape_put(&r->tape, m, CRI_TAPE_HERE, r->d);
    if (event) {
      CR_TRY(event_bar(r, m, k, cri_tape_noted(&r->tape, i).h, error));
    }
    CR_TRY(cri_rollout_again(r, m, i, k, error));
    made = r->d;
  }
  note_undetermined(r, m, made);
  cri_state_give_next_twin(m, r->bar);
  const cri_ramp* ramp = is_linear(r) ? &r->ramp : NULL;
  cr_status status = r->adaptive ? cri_adaptive_step_vjp(&r->options, ramp, m, m_backward, r->d,
                                                         r->made.h, r->work, r->bar)
                                 : cri_step_vjp(m, m_backward, made, r->work, r->bar);
  if (status != CR_OK) {
    return cri_fail(error, status, "backward through step %d: %s", k + 1, r->bar->error.text);
  }
  return CR_OK;
}

static cr_status interval_bar(cr_rollout* r, const cr_model* m, const cr_model* m_backward, int k,
                              cr_error* error) {
  int begin = cri_rollout_first(r, k), end = cri_rollout_first(r, k + 1);
  if (r->adjoint.continuous) {
    const cri_ramp ramp = ramp_of(r, m, k);
    return cri_adjoint_interval(r, m, m_backward, k, is_linear(r) ? &ramp : NULL, begin, end,
                                find_state, error);
  }
  for (int i = end - 1; i >= begin; i--) {
    CR_TRY(step_bar(r, m, m_backward, i, k, error));
  }
  return CR_OK;
}

// what the control of step k, whose cotangent is whole, says of the state before it
static cr_status control_bar(cr_rollout* r, const cr_model* m, int k, cr_error* error) {
  if (r->control_bar == NULL) {
    return CR_OK;
  }
  cri_tape_get(&r->tape, m, CRI_TAPE_HERE, r->d);
  const cr_real* bar = r->ctrl_bar + (size_t)k * (size_t)m->nu;
  cr_status status = r->control_bar(r->control_bar_context, m, r->d, k, bar, r->bar);
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "backward through the control of step %d: %s",
                                    k + 1, cr_status_text(status));
}

static cr_status sweep(cr_rollout* r, const cr_model* m, const cr_model* m_backward,
                       const cr_loss* loss, cr_error* error) {
  clear_gathered(r, m);
  r->undetermined = 0;
  r->doubt[0] = 0;
  if (r->adjoint.continuous) {
    CR_TRY(cri_adjoint_begin(r, m, error));
  }
  cri_tape_get(&r->tape, m, CRI_TAPE_END, r->d);
  cri_tape_put(&r->tape, m, CRI_TAPE_HERE, r->d);
  for (int k = r->nstep - 1; k >= 0; k--) {
    CR_TRY(add_loss_bar(r, m, m_backward, loss, k + 1, error));
    CR_TRY(interval_bar(r, m, m_backward, k, error));
    take_ctrl_bar(r, m, k);
    CR_TRY(control_bar(r, m, k, error));
  }
  return CR_OK;
}

// bytes that grow with the number of steps, beside the tape
static size_t rows_size(const cr_rollout* r, const cr_model* m) {
  return ((size_t)r->nstep_max + 1) * (2 * (size_t)m->nu * sizeof(cr_real) + sizeof(int));
}

size_t cri_rollout_least(const cr_rollout* r, const cr_model* m) {
  return rows_size(r, m) + cri_tape_least(m, 0);
}

static cr_status too_little(const cr_rollout* r, const cr_model* m, int notes, cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY,
                  "rollout: %zu bytes are too little for a gradient over %d steps: it needs at "
                  "least %zu",
                  r->budget, notes > 0 ? notes : r->nstep_max,
                  rows_size(r, m) + cri_tape_least(m, notes));
}

cr_status cr_rollout_gradient(cr_rollout* r, const cr_model* m, const cr_model* m_backward,
                              const cr_loss* loss, cr_error* error) {
  const cri_call call = {"cr_rollout_gradient", error};
  CR_TRY(cri_rollout_check(&call, r, m));
  CR_TRY(cri_check_variant(&call, m_backward, r->d, "m_backward"));
  CR_TRY(loss != NULL && loss->bar == NULL ? cri_is_null(&call, "the loss's bar") : CR_OK);
  if (!r->ran) {
    return cri_fail(error, CR_ERR_ARG, "rollout: a gradient needs a run that came to its end");
  }
  if (r->tape.lost > 0) {
    return too_little(r, m, r->tape.noted + r->tape.lost, error);
  }
  if (r->control_bar != NULL && r->adjoint.continuous) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "rollout: the continuous adjoint knows no controls that depend on the state");
  }
  cr_status status = sweep(r, m, m_backward, loss, error);
  while (status == CR_ERR_CAPACITY) {  // more contacts within reach of the backward pass
    CR_TRY(grow(r, m, error));
    status = sweep(r, m, m_backward, loss, error);
  }
  if (status != CR_OK) {  // the pass is incomplete
    cri_twin_clear(r->bar);
  }
  return status;
}

// ---- public functions

cr_status cr_rollout_set_adaptive(cr_rollout* r, const cr_model* m, const cr_adaptive* options,
                                  cr_error* error) {
  const cri_call call = {"cr_rollout_set_adaptive", error};
  CR_TRY(cri_rollout_check(&call, r, m));
  if (options != NULL) {
    CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_adaptive"));
    CR_TRY(cri_adaptive_check(m, options, error));
  }
  r->adaptive = options != NULL;
  r->ran = false;
  r->options = options != NULL ? *options : (cr_adaptive){.rtol = 0};
  return CR_OK;
}

cr_status cr_rollout_set_memory(cr_rollout* r, const cr_model* m, size_t bytes, cr_error* error) {
  const cri_call call = {"cr_rollout_set_memory", error};
  CR_TRY(cri_rollout_check(&call, r, m));
  size_t rows = rows_size(r, m);
  r->budget = bytes;
  r->ran = false;
  if (bytes > 0 && bytes < cri_rollout_least(r, m)) {
    return too_little(r, m, 0, error);
  }
  cri_step_blocks_free(&r->blocks);
  CR_TRY(cri_step_blocks_create(&r->blocks, m, r->d, bytes > 0 ? 0 : r->nstep_max, error));
  return cri_tape_reserve(&r->tape, m, r->nstep_max, bytes > 0 ? bytes - rows : 0, error);
}

void cr_rollout_steps(const cr_rollout* r, int* accepted, int* rejected, int* events) {
  cri_count(events, r != NULL ? r->controller.events : 0);
  cri_count(accepted, r != NULL ? r->controller.accepted : 0);
  cri_count(rejected, r != NULL ? r->controller.rejected : 0);
}

int cr_rollout_uncounted(const cr_rollout* r) { return r != NULL ? r->controller.missed : 0; }

const char* cr_rollout_doubt(const cr_rollout* r) { return r != NULL ? r->doubt : ""; }

void cr_rollout_set_control(cr_rollout* r, cr_control control, void* context) {
  if (r != NULL) {
    r->control = control;
    r->control_context = context;
  }
}

void cr_rollout_set_control_bar(cr_rollout* r, cr_control_bar bar, void* context) {
  if (r != NULL) {
    r->control_bar = bar;
    r->control_bar_context = context;
  }
}

cr_data* cr_rollout_data(cr_rollout* r) { return r != NULL ? r->d : NULL; }
cr_real* cr_rollout_ctrl(cr_rollout* r) { return r != NULL ? r->ctrl : NULL; }
cr_real cr_rollout_loss(const cr_rollout* r) { return r != NULL ? r->loss : (cr_real)NAN; }
cr_data* cr_rollout_bar(cr_rollout* r) { return r != NULL ? r->bar : NULL; }
const cr_real* cr_rollout_ctrl_bar(const cr_rollout* r) { return r != NULL ? r->ctrl_bar : NULL; }
