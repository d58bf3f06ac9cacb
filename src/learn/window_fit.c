// SPDX-License-Identifier: Apache-2.0
// Fits: windows of recordings, those to train on and those held aside. See carom/fit.h.
#include "carom/fit.h"

#include <stdlib.h>

#include "learn/identify.h"
#include "learn/recordings.h"
#include "model/misuse.h"

enum { N_PART = 2 };

struct cr_fit {
  cr_parameters* parameters;
  cr_fit_options options;
  cr_adaptive adaptive;
  cr_adjoint adjoint;
  cri_run* runs;  // those that are used: their rows belong to the recordings
  int nrun;
  int every, batch;
  cr_windows windows;
  cr_pool* pool;
  cr_identify* part[N_PART];
};

// ---- options

static bool weigh(cr_fit_options* o) {
  cr_real* const weights[] = {&o->position, &o->rotation, &o->velocity, &o->spin};
  cr_real sum = 0;
  bool sane = true;
  for (int i = 0; i < 4; i++) {
    sane = sane && *weights[i] >= 0 && isfinite(*weights[i]);
    sum += *weights[i];
  }
  for (int i = 0; i < 4 && sum == 0; i++) {
    *weights[i] = 1;
  }
  return sane;
}

static const char* wrong_option(const cr_fit_options* o, int nrun) {
  return o->steps < 0 || o->stride < 0            ? "a negative number of rows"
         : !(o->held_out >= 0 && o->held_out < 1) ? "the share held out is not between 0 and 1"
         : o->nthread < 0                         ? "a negative number of threads"
         : o->first < 0 || o->run < 0 || o->first > nrun || o->run > nrun - o->first
             ? "recordings that do not exist"
             : NULL;
}

// errors to both sides count
static cr_status take_norm(cr_fit_options* o, cr_error* error) {
  o->norm = o->norm == CR_NORM_NULL ? CR_NORM_POWER : o->norm;
  o->p = o->p == 0 && o->norm == CR_NORM_POWER ? 2 : o->p;
  const cri_norm norm = {o->norm, o->p, o->q};
  return o->norm == CR_NORM_RECTIFY
             ? cri_fail(error, CR_ERR_ARG,
                        "cr_fit_create: rectify takes errors to one side for none")
             : cri_norm_check(&norm, "cr_fit_create", error);
}

static cr_status take_methods(cr_fit* f, cr_error* error) {
  const cri_call call = {"cr_fit_create", error};
  cr_fit_options* o = &f->options;
  if (o->adaptive != NULL) {
    CR_TRY(cri_check_size(&call, o->adaptive->size, sizeof f->adaptive, "cr_adaptive"));
    f->adaptive = *o->adaptive;
    o->adaptive = &f->adaptive;
  }
  if (o->adjoint != NULL) {
    CR_TRY(cri_check_size(&call, o->adjoint->size, sizeof f->adjoint, "cr_adjoint"));
    f->adjoint = *o->adjoint;
    o->adjoint = &f->adjoint;
  }
  return CR_OK;
}

static cr_status take_options(cr_fit* f, const cr_recordings* r, const cr_fit_options* options,
                              cr_error* error) {
  cr_fit_options* o = &f->options;
  *o = *options;
  const char* wrong = wrong_option(o, r->n);
  wrong = wrong == NULL && !weigh(o) ? "a weight is negative or not finite" : wrong;
  if (wrong != NULL) {
    return cri_fail(error, CR_ERR_ARG, "cr_fit_create: %s", wrong);
  }
  CR_TRY(take_norm(o, error));
  o->stride = o->stride > 0 ? o->stride : 1;
  f->nrun = o->run > 0 ? o->run : r->n - o->first;
  f->runs = calloc((size_t)f->nrun + 1, sizeof *f->runs);
  if (f->runs == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory for %d recordings", f->nrun);
  }
  for (int i = 0; i < f->nrun; i++) {
    f->runs[i] = r->run[o->first + i];
  }
  return take_methods(f, error);
}

// steps, or intervals of the grid, from row to row
static cr_status take_steps(cr_fit* f, const cr_recordings* r, cr_error* error) {
  const cr_model* m = cri_parameters_model(f->parameters);
  cr_real step =
      f->options.adaptive != NULL && f->adaptive.grid > 0 ? f->adaptive.grid : m->timestep;
  cr_real ratio = r->interval / step, every = cr_floor(ratio + CR_R(0.5));
  if (!(every >= 1 && every <= 1e6) || cr_abs(ratio - every) > CR_R(1e-6) * every) {
    return cri_fail(
        error, CR_ERR_ARG, "rows of the recordings are %.9g s apart, no multiple of the %s %.9g s",
        (double)r->interval, f->options.adaptive != NULL ? "grid" : "time step", (double)step);
  }
  f->every = (int)every;
  return CR_OK;
}

static cr_status check_sizes(const cr_recordings* r, const cr_model* m, cr_error* error) {
  const cri_state ours = cri_state_sizes(m);
  bool same = r->nu == m->nu;
  for (int k = 0; k < CRI_N_STATE; k++) {
    same = same && r->sizes.part[k].n == ours.part[k].n;
  }
  return same ? CR_OK
              : cri_fail(error, CR_ERR_ARG,
                         "the recordings are of another model: rows of %d numbers with %d "
                         "coordinates, not of %d with %d",
                         r->width, r->sizes.qpos.n, cri_state_width(m), ours.qpos.n);
}

// ---- creation

static cr_status make_parts(cr_fit* f, cr_error* error) {
  const cr_fit_options* o = &f->options;
  for (int i = 0; i < N_PART; i++) {
    const cr_identify_def def = {
        .parameters = f->parameters,
        .tosses = f->runs,
        .windows = i == CR_FIT_TRAIN ? f->windows.train : f->windows.held,
        .nwindow = i == CR_FIT_TRAIN ? f->windows.ntrain : f->windows.nheld,
        .nstep = f->windows.longest,
        .every = f->every,
        .adaptive = o->adaptive,
        .memory = o->memory,
        .adjoint = o->adjoint,
        .weights = {o->position, o->rotation, o->velocity, o->spin},
        .norm = {o->norm, o->p, o->q},
        .more = o->more,
        .cfd = o->cfd,
        .pool = f->pool,
        .stop = o->stop,
        .stop_context = o->context,
    };
    CR_TRY(cr_identify_create(&f->part[i], &def, error));
  }
  return CR_OK;
}

static cr_status make(cr_fit* f, const cr_recordings* r, const cr_fit_options* o, cr_error* error) {
  CR_TRY(check_sizes(r, cri_parameters_model(f->parameters), error));
  CR_TRY(take_options(f, r, o, error));
  CR_TRY(take_steps(f, r, error));
  CR_TRY(cr_windows_cut(&f->windows, f->runs, f->nrun, o->steps > 0 ? o->steps + 1 : 0,
                        f->options.stride, o->held_out, (uint64_t)o->seed, error));
  CR_TRY(cr_pool_create(&f->pool, o->nthread, error));
  return make_parts(f, error);
}

cr_status cr_fit_create(cr_fit** out, cr_parameters* parameters, const cr_recordings* r,
                        const cr_fit_options* o, cr_error* error) {
  const cri_call call = {"cr_fit_create", error};
  CR_TRY(cri_given(&call, out, "where the fit goes"));
  CR_TRY(cri_given(&call, parameters, "the parameters"));
  CR_TRY(cri_given(&call, r, "the recordings"));
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_fit_options"));
  cr_fit* f = calloc(1, sizeof *f);
  if (f == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  }
  f->parameters = parameters;
  cr_status status = make(f, r, o, error);
  if (status != CR_OK) {
    cr_fit_destroy(f);
    return status;
  }
  *out = f;
  return CR_OK;
}

void cr_fit_destroy(cr_fit* f) {
  if (f == NULL) {
    return;
  }
  for (int i = 0; i < N_PART; i++) {
    cr_identify_free(f->part[i]);
  }
  cr_pool_free(f->pool);
  cr_windows_free(&f->windows);
  free(f->runs);
  free(f);
}

// ---- what is in it

static cr_status check_part(const cri_call* call, const cr_fit* f, cr_fit_part part) {
  CR_TRY(cri_given(call, f, "the fit"));
  return part == CR_FIT_TRAIN || part == CR_FIT_HELD
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "%s: there is no part %d", call->name, (int)part);
}

static cr_real standing_loss(const cr_fit* f, const cr_window_place* places, int n) {
  const cr_fit_options* o = &f->options;
  const cr_model* m = cri_parameters_model(f->parameters);
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    const cr_window_place* at = &places[i];
    size_t row = (size_t)at->row * (size_t)cri_state_width(m);
    const cr_window w = {.state = f->runs[at->toss].state + row,
                         .nstep = at->steps > 0 ? at->steps : f->windows.longest,
                         .weights = {o->position, o->rotation, o->velocity, o->spin},
                         .norm = {o->norm, o->p, o->q}};
    sum += cr_window_standing_loss(&w, m);
  }
  return n > 0 ? sum / (cr_real)n : 0;
}

cr_status cr_fit_get_info(const cr_fit* f, cr_fit_part part, cr_fit_info* info, cr_error* error) {
  const cri_call call = {"cr_fit_get_info", error};
  CR_TRY(check_part(&call, f, part));
  CR_TRY(cri_given(&call, info, "where the numbers go"));
  const cr_windows* w = &f->windows;
  bool train = part == CR_FIT_TRAIN;
  const cr_fit_info found = {
      .windows = train ? w->ntrain : w->nheld,
      .groups = train ? w->train_groups : w->held_groups,
      .longest = w->longest,
      .standing_loss = standing_loss(f, train ? w->train : w->held, train ? w->ntrain : w->nheld)};
  return cri_give(&call, info, &found, sizeof found, "cr_fit_info");
}

cr_status cr_fit_set_batch(cr_fit* f, int windows, cr_error* error) {
  const cri_call call = {"cr_fit_set_batch", error};
  CR_TRY(cri_given(&call, f, "the fit"));
  if (windows < 0) {
    return cri_fail(error, CR_ERR_ARG, "cr_fit_set_batch: %d windows", windows);
  }
  f->batch = windows;
  return CR_OK;
}

int cr_fit_threads(const cr_fit* f) { return f != NULL ? cr_pool_size(f->pool) : 0; }

// ---- evaluation

cr_status cr_fit_evaluate(cr_fit* f, cr_fit_part part, int batch, const cr_real* x,
                          cr_fit_value* value, cr_error* error) {
  const cri_call call = {"cr_fit_evaluate", error};
  CR_TRY(check_part(&call, f, part));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, value, "where the value goes"));
  CR_TRY(cri_check_size(&call, value->size, sizeof *value, "cr_fit_value"));
  if (batch < CR_ALL_DATA) {
    return cri_fail(error, CR_ERR_ARG, "cr_fit_evaluate: no such batch");
  }
  cr_evaluation e = {.gradient = value->gradient};
  cr_objective o = cr_identify_objective(f->part[part], f->batch, (uint64_t)f->options.seed);
  CR_TRY(o.evaluate(o.context, part == CR_FIT_TRAIN ? batch : CR_ALL_DATA, x, &e, error));
  value->loss = e.value;
  value->windows = e.windows;
  value->zero_windows = e.zero_windows;
  value->contact_free = e.contact_free;
  value->more = e.more;
  return CR_OK;
}

cr_status cr_fit_objective(void* fit, int batch, const cr_real* x, cr_real* value,
                           cr_real* gradient, cr_error* error) {
  const cri_call call = {"cr_fit_objective", error};
  CR_TRY(cri_given(&call, value, "where the value goes"));
  CR_TRY(cri_given(&call, gradient, "the gradient"));
  cr_fit_value v = {.size = sizeof v, .gradient = gradient};
  CR_TRY(cr_fit_evaluate(fit, CR_FIT_TRAIN, batch, x, &v, error));
  *value = v.loss;
  return CR_OK;
}
