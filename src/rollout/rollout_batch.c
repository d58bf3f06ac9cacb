// SPDX-License-Identifier: Apache-2.0
// Each worker has a rollout, and a model of its own if rollouts have parameters of their own. A
// rollout sets all its inputs and writes its own rows, so neither the other rollouts nor the worker
// matter.
#include "rollout/rollout_batch.h"

#include <stdlib.h>

#include "base/pool.h"
#include "engine/constants.h"
#include "integrate/inputs.h"
#include "model/fields.h"
#include "model/model_check.h"
#include "model/state_vector.h"
#include "rollout/trajectory.h"

typedef struct {
  cr_model m, m_backward;  // copies, if there are parameters
  cr_rollout* rollout;
  cr_error error;
  int failed;  // the rollout of the error
} worker;

struct cr_batch {
  const cr_model *m, *m_backward;
  cr_batch_options o;
  cr_field_id* id;  // of the parameters
  bool wanted[CR_N_FIELD];
  cr_pool* pool;
  worker* workers;
  int nworker;
};

// arguments of one run
typedef struct {
  cr_batch* b;
  const cr_batch_input* in;
  const cr_batch_output* out;
  cr_batch_loss loss;
  void* context;
  bool gradient;
} batch_run;

static size_t size_of(const cr_model* m, cr_field_id id) {
  return (size_t)cri_field_rows(m, NULL, id) * (size_t)cri_field_width(m, id);
}

// ---- creation

static cr_status bind_parameters(cr_batch* b, cr_error* error) {
  b->id = calloc((size_t)b->o.nparameter + 1, sizeof *b->id);
  if (b->id == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "batch: no memory");
  }
  for (int i = 0; i < b->o.nparameter; i++) {
    cr_field_id id = cri_field_find(b->o.parameters[i]);
    if (id == CR_N_FIELD || cri_field(id)->kind != CR_KIND_PARAM) {
      return cri_fail(error, CR_ERR_NAME, "batch: '%s' is no parameter", b->o.parameters[i]);
    }
    if (b->wanted[id] || (b->o.derive && cri_field_is_derived(id))) {
      return cri_fail(error, CR_ERR_ARG, "batch: '%s' is there twice, or is derived",
                      b->o.parameters[i]);
    }
    b->id[i] = id;
    b->wanted[id] = true;
  }
  for (int k = 0; k < CR_N_DERIVED && b->o.derive; k++) {
    b->wanted[cri_derived_fields[k]] = true;
  }
  return CR_OK;
}

static cr_status create_worker(const cr_batch* b, worker* w, cr_error* error) {
  const cr_model* m = b->m;
  if (b->o.nparameter > 0) {
    CR_TRY(cri_model_copy(&w->m, b->m, error));
    CR_TRY(cri_model_copy(&w->m_backward, b->m_backward, error));
    m = &w->m;
  }
  CR_TRY(cri_rollout_create(&w->rollout, m, b->o.nstep, b->wanted, error));
  CR_TRY(cr_rollout_set_adaptive(w->rollout, m, b->o.adaptive, error));
  return b->o.memory > 0 ? cr_rollout_set_memory(w->rollout, m, b->o.memory, error) : CR_OK;
}

static cr_status create(cr_batch* b, cr_error* error) {
  CR_TRY(bind_parameters(b, error));
  CR_TRY(cr_pool_create(&b->pool, b->o.nthread, error));
  b->nworker = cr_pool_size(b->pool);
  b->workers = calloc((size_t)b->nworker, sizeof *b->workers);
  if (b->workers == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "batch: no memory");
  }
  for (int i = 0; i < b->nworker; i++) {
    CR_TRY(create_worker(b, &b->workers[i], error));
  }
  return CR_OK;
}

static cr_status check_create(cr_batch** out, const cr_model* m, const cr_model* m_backward,
                              const cr_batch_options* options, cr_error* error) {
  const cri_call call = {"cr_batch_create", error};
  CR_TRY(cri_given(&call, out, "where the batch goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, m_backward, "m_backward"));
  CR_TRY(cri_given(&call, options, "options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_batch_options"));
  CR_TRY(options->nparameter > 0 ? cri_given(&call, options->parameters, "parameters") : CR_OK);
  for (int i = 0; i < options->nparameter; i++) {
    CR_TRY(cri_given(&call, options->parameters[i], "a parameter"));
  }
  const cri_shape shape = cri_shape_of(m);
  return cri_has_shape(m_backward, &shape)
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "cr_batch_create: m_backward is another model");
}

cr_status cr_batch_create(cr_batch** out, const cr_model* m, const cr_model* m_backward,
                          const cr_batch_options* options, cr_error* error) {
  CR_TRY(check_create(out, m, m_backward, options, error));
  if (options->nstep < 1 || options->nthread < 0 || options->nparameter < 0) {
    return cri_fail(error, CR_ERR_ARG, "batch: %d steps, %d threads, %d parameters", options->nstep,
                    options->nthread, options->nparameter);
  }
  cr_batch* b = calloc(1, sizeof *b);
  if (b == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "batch: no memory");
  }
  b->m = m;
  b->m_backward = m_backward;
  b->o = *options;
  b->o.derive = b->o.derive && b->o.nparameter > 0;
  cr_status status = create(b, error);
  // the targets of these pointers need not outlive this call
  b->o.parameters = NULL;
  b->o.adaptive = NULL;
  if (status != CR_OK) {
    cr_batch_destroy(b);
    return status;
  }
  *out = b;
  return CR_OK;
}

void cr_batch_destroy(cr_batch* b) {
  if (b == NULL) {
    return;
  }
  for (int i = 0; b->workers != NULL && i < b->nworker; i++) {
    cr_rollout_destroy(b->workers[i].rollout);
    cri_model_free(&b->workers[i].m);
    cri_model_free(&b->workers[i].m_backward);
  }
  cr_pool_free(b->pool);
  free(b->workers);
  free(b->id);
  free(b);
}

int cr_batch_threads(const cr_batch* b) { return b != NULL ? b->nworker : 0; }

size_t cr_batch_kept_size(const cr_batch* b) {
  return b != NULL ? cri_rollout_kept_size(b->workers[0].rollout) : 0;
}

// ---- one rollout

// the rows of quantities that evolve in an input or output, in the order of the table; those without a row begin as in
// `start` and are not returned
#define STATE_ROWS(x, bar) \
  { (x)->qpos##bar, (x)->qvel##bar, (x)->act##bar }

static bool wants_path(const cr_batch_output* out) {
  return out->qpos_path != NULL || out->qvel_path != NULL || out->act_path != NULL;
}

// row `item` of an array with n numbers a row; without an array the value for all rows
static void take_row(cr_real* to, const cr_real* from, int item, size_t n, const cr_real* common) {
  const cr_real* row = from != NULL ? from + (size_t)item * n : common;
  if (n > 0 && row != to) {
    memcpy(to, row, n * sizeof *to);
  }
}

static void give_row(cr_real* to, int item, const cr_real* from, size_t n) {
  if (to != NULL && n > 0) {
    memcpy(to + (size_t)item * n, from, n * sizeof *to);
  }
}

static void clear_row(cr_real* to, int item, size_t n) {
  for (size_t i = 0; to != NULL && i < n; i++) {
    to[(size_t)item * n + i] = 0;
  }
}

// puts the parameters of this rollout into both models of the worker, and derives the constants
static cr_status set_parameters(const batch_run* run, worker* w, int item, cr_error* error) {
  const cr_batch* b = run->b;
  cr_model* both[2] = {&w->m, &w->m_backward};
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < b->o.nparameter; i++) {
      const cr_real* rows = run->in->parameters == NULL ? NULL : run->in->parameters[i];
      take_row(cri_field_real(both[side], NULL, b->id[i]), rows, item, size_of(b->m, b->id[i]),
               cri_field_real(b->m, NULL, b->id[i]));
    }
    CR_TRY(cri_model_check(both[side], error));
    cr_status status = b->o.derive ? cr_constants(both[side], w->rollout->work) : CR_OK;
    if (status != CR_OK) {
      return cri_fail(error, status, "%s", w->rollout->work->error.text);
    }
  }
  return CR_OK;
}

static void set_start(const batch_run* run, const cr_model* m, cr_rollout* r, int item) {
  const cr_batch_input* in = run->in;
  size_t nstep = (size_t)run->b->o.nstep, nu = (size_t)m->nu;
  cr_data* d = r->d;
  cri_data_reset(m, d);
  if (in->start != NULL) {
    cri_inputs_copy(m, d, in->start);
  }
  const cr_real* const rows[CRI_N_STATE] = STATE_ROWS(in, );
  const cri_state start = cri_state_of(m, d);
  for (int k = 0; k < CRI_N_STATE; k++) {
    take_row(start.part[k].x, rows[k], item, (size_t)start.part[k].n, start.part[k].x);
  }
  for (size_t k = 0; k < nstep; k++) {
    cr_copy(r->ctrl + k * nu, d->ctrl, m->nu);
  }
  take_row(r->ctrl, in->ctrl, item, nstep * nu, r->ctrl);
}

// the states after every step, as the rollout has stored them
static void give_path(const batch_run* run, const cr_model* m, const cr_rollout* r, int item) {
  cr_real* const rows[CRI_N_STATE] = STATE_ROWS(run->out, _path);
  int nstep = run->b->o.nstep;
  for (int step = 0; step < nstep && wants_path(run->out); step++) {
    cri_kept kept = cri_rollout_kept(r, m, step + 1);
    for (int k = 0; k < CRI_N_STATE; k++) {
      size_t n = (size_t)kept.state.part[k].n;
      size_t path = (size_t)item * (size_t)nstep * n;
      give_row(rows[k] == NULL ? NULL : rows[k] + path, step, kept.state.part[k].x, n);
    }
  }
}

static void give_end(const batch_run* run, const cr_model* m, const cr_rollout* r, int item) {
  const cr_batch_output* out = run->out;
  give_row(out->loss, item, &r->loss, 1);
  cri_kept end = cri_rollout_kept(r, m, r->nstep);
  cr_real* const rows[CRI_N_STATE] = STATE_ROWS(out, );
  for (int k = 0; k < CRI_N_STATE; k++) {
    give_row(rows[k], item, end.state.part[k].x, (size_t)end.state.part[k].n);
  }
}

static void give_gradient(const batch_run* run, const cr_model* m, const cr_rollout* r, int item) {
  const cr_batch* b = run->b;
  const cr_batch_output* out = run->out;
  cr_real* const rows[CRI_N_STATE] = STATE_ROWS(out, _bar);
  const cri_state bar = cri_state_twin(m, r->bar);
  for (int k = 0; k < CRI_N_STATE; k++) {
    give_row(rows[k], item, bar.part[k].x, (size_t)bar.part[k].n);
  }
  give_row(out->ctrl_bar, item, r->ctrl_bar, (size_t)b->o.nstep * (size_t)m->nu);
  for (int i = 0; out->parameters_bar != NULL && i < b->o.nparameter; i++) {
    give_row(out->parameters_bar[i], item, cri_field_real(&r->bar->par, NULL, b->id[i]),
             (size_t)cri_field_tangent_size(m, NULL, b->id[i]));
  }
}

// a rollout that failed has zeros in every row, whatever it had computed
static void clear_rows(const batch_run* run, int item) {
  const cr_batch* b = run->b;
  const cr_batch_output* out = run->out;
  const cr_model* m = b->m;
  cr_real *const rows[CRI_N_STATE] = STATE_ROWS(out, ),
                 *const paths[CRI_N_STATE] = STATE_ROWS(out, _path),
                 *const bars[CRI_N_STATE] = STATE_ROWS(out, _bar);
  const cri_state end = cri_state_sizes(m), bar = cri_state_tangent_sizes(m);
  for (int k = 0; k < CRI_N_STATE; k++) {
    clear_row(rows[k], item, (size_t)end.part[k].n);
    clear_row(paths[k], item, (size_t)end.part[k].n * (size_t)b->o.nstep);
    clear_row(bars[k], item, (size_t)bar.part[k].n);
  }
  clear_row(out->loss, item, 1);
  clear_row(out->kept, item, cr_batch_kept_size(b));
  clear_row(out->ctrl_bar, item, (size_t)b->o.nstep * (size_t)m->nu);
  for (int i = 0; out->parameters_bar != NULL && i < b->o.nparameter; i++) {
    clear_row(out->parameters_bar[i], item, (size_t)cri_field_tangent_size(m, NULL, b->id[i]));
  }
}

static cr_status gradient(const batch_run* run, worker* w, const cr_model* m,
                          const cr_model* m_backward, const cr_loss* loss, cr_error* error) {
  cr_rollout* r = w->rollout;
  CR_TRY(cr_rollout_gradient(r, m, m_backward, loss, error));
  cr_status status = run->b->o.derive ? cr_constants_vjp(m, r->work, r->bar) : CR_OK;
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", r->work->error.text);
}

// runs the rollout, or takes it back as it was kept
static cr_status begin(const batch_run* run, worker* w, const cr_model* m, int item,
                       const cr_loss* loss, cr_error* error) {
  size_t kept = (size_t)item * cr_batch_kept_size(run->b);
  if (run->in->kept != NULL) {
    return cri_rollout_take_back(w->rollout, m, run->in->kept + kept, error);
  }
  w->rollout->no_gradient = !run->gradient;
  CR_TRY(cr_rollout_run(w->rollout, m, run->b->o.nstep, loss, error));
  if (run->out->kept != NULL) {
    cri_rollout_put_away(w->rollout, run->out->kept + kept);
  }
  return CR_OK;
}

static cr_status rollout(const batch_run* run, worker* w, int item, int index, cr_error* error) {
  const cr_batch* b = run->b;
  bool own = b->o.nparameter > 0;
  const cr_model *m = own ? &w->m : b->m, *m_backward = own ? &w->m_backward : b->m_backward;
  CR_TRY(own ? set_parameters(run, w, item, error) : CR_OK);
  set_start(run, m, w->rollout, item);
  cr_loss loss = run->loss == NULL ? (cr_loss){0} : run->loss(run->context, item, index);
  const cr_loss* asked = run->loss == NULL ? NULL : &loss;
  CR_TRY(begin(run, w, m, item, asked, error));
  give_path(run, m, w->rollout, item);
  give_end(run, m, w->rollout, item);
  if (run->gradient) {
    CR_TRY(gradient(run, w, m, m_backward, asked, error));
    give_gradient(run, m, w->rollout, item);
  }
  return CR_OK;
}

// records how a rollout ended, so that the others go on. Without memory none would, and the list of failures
// would depend on the machine.
static cr_status note(const batch_run* run, int item, cr_status status, const cr_error* error) {
  cr_error* ended = &run->out->error[item];
  ended->status = status;
  ended->text[0] = 0;
  if (status == CR_OK || status == CR_ERR_MEMORY) {
    return status;
  }
  clear_rows(run, item);
  (void)cri_fail(ended, status, "rollout %d: %s", run->in->first + item, error->text);
  return CR_OK;
}

static cr_status item_of(void* context, int item, int index) {
  const batch_run* run = context;
  worker* w = &run->b->workers[index];
  cr_status status = rollout(run, w, item, index, &w->error);
  status = run->out->error == NULL ? status : note(run, item, status, &w->error);
  w->failed = status != CR_OK ? item : -1;
  return status;
}

// ---- all

static bool wants_gradient(const cr_batch* b, const cr_batch_output* out) {
  cr_real* const bars[CRI_N_STATE] = STATE_ROWS(out, _bar);
  bool wanted = out->ctrl_bar != NULL;
  for (int k = 0; k < CRI_N_STATE; k++) {
    wanted = wanted || bars[k] != NULL;
  }
  for (int i = 0; out->parameters_bar != NULL && i < b->o.nparameter; i++) {
    wanted = wanted || out->parameters_bar[i] != NULL;
  }
  return wanted;
}

cr_status cr_batch_run(cr_batch* b, int n, const cr_batch_input* input, cr_batch_loss loss,
                       void* context, const cr_batch_output* output, cr_error* error) {
  const cri_call call = {"cr_batch_run", error};
  CR_TRY(cri_given(&call, b, "the batch"));
  CR_TRY(cri_given(&call, input, "input"));
  CR_TRY(cri_given(&call, output, "output"));
  CR_TRY(cri_check_size(&call, input->size, sizeof *input, "cr_batch_input"));
  CR_TRY(cri_check_size(&call, output->size, sizeof *output, "cr_batch_output"));
  if (input->start != NULL) {
    CR_TRY(cri_check_data(&call, b->m, input->start, CR_DATA_PLAIN, "input->start"));
  }
  batch_run run = {b, input, output, loss, context, wants_gradient(b, output)};
  if (n < 0 || (loss == NULL && (run.gradient || output->loss != NULL))) {
    return cri_fail(error, CR_ERR_ARG,
                    n < 0 ? "batch: %d rollouts" : "batch: %d rollouts without a loss", n);
  }
  if ((input->kept != NULL || output->kept != NULL) && cr_batch_kept_size(b) == 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "batch: runs with adaptive steps or a limit on memory cannot be kept");
  }
  if (wants_path(output) && b->o.memory > 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "batch: with a limit on memory states after every step are not kept");
  }
  for (int i = 0; i < b->nworker; i++) {
    b->workers[i].failed = -1;
  }
  cr_status status = cr_pool_run(b->pool, n, item_of, &run);
  const worker* first = NULL;
  for (int i = 0; i < b->nworker; i++) {
    const worker* w = &b->workers[i];
    if (w->failed >= 0 && (first == NULL || w->failed < first->failed)) {
      first = w;
    }
  }
  if (first == NULL) {
    return status;
  }
  return cri_fail(error, status, "rollout %d: %s", input->first + first->failed, first->error.text);
}
