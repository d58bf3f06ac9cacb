// SPDX-License-Identifier: Apache-2.0
// carom batch: many rollouts of one model and their gradients, over the threads of a machine and, under
// mpirun, over machines. Chunk by chunk every rank works on its share of the rows, and rank 0 writes them
// in order: so the file has the same bits whatever the numbers of ranks and threads, and no process
// holds more than a chunk.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/batch_rows.h"
#include "cli/commands.h"
#include "cli/ranks.h"
#include "cli/setup.h"
#include "integrate/inputs.h"
#include "io/checkpoint.h"
#include "io/files.h"
#include "io/progress.h"
#include "model/names.h"
#include "rollout/batch.h"

enum { ROLLOUTS_A_THREAD = 16, MAX_THREADS = 1024 };  // of a chunk
enum { MAX_PARAMETERS = CR_BATCH_COLUMNS + CR_MAX_LIST };

typedef struct {
  cr_setup_options setup;
  cr_text_list wrt, spread;
  const char *input, *out, *loss, *at;
  int count, seed, threads, chunk;
  bool resume;
} batch_options;

typedef struct {
  const batch_options* o;
  cr_ranks ranks;
  cr_setup setup;
  cr_model variant;
  const cr_model* backward;
  int nstep, count, chunk, room;  // room: rows of a chunk that one rank works on, at most
  // what all rollouts have in common
  cr_data* start;
  cr_real* ctrl;  // nstep x nu
  // what they do not
  cr_h5* input;
  cr_batch_column columns[CR_BATCH_COLUMNS];
  int ncolumn;
  // parameters of the batch: those columns, and those of a gradient
  const char* parameters[MAX_PARAMETERS];
  cr_real* parameters_bar[MAX_PARAMETERS];
  int nparameter;
  // results
  cr_batch_output output;
  cr_batch_result results[CR_MAX_LIST + 4];
  int nresult;
  cr_real *mine, *all;  // rows of one result: of this rank, and at rank 0 of all
  void* memory[3 * CR_BATCH_COLUMNS + 16];
  int nmemory;
  // the engine
  cr_batch* batch;
  cr_expression* expressions[MAX_THREADS];  // one a worker
  cr_adaptive adaptive;
  cr_batch_file file;
  int done;
  double seconds;
  cr_real* mean;  // of all results, one after the other
} batch;

// n numbers a row, and a few more
static cr_status take(batch* b, cr_real** x, size_t rows, size_t n, cr_error* error) {
  size_t more = (size_t)b->setup.m.nv + 1;
  *x = calloc(rows * n + more, sizeof **x);
  b->memory[b->nmemory++] = *x;
  return *x != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "no memory for %zu rollouts of %zu numbers", rows, n);
}

// ---- what differs from rollout to rollout

static int width_of(const batch* b, cr_field_id id) {
  const cr_model* m = &b->setup.m;
  return id == CR_FIELD_ctrl ? b->nstep * m->nu
                             : cri_field_rows(m, NULL, id) * cri_field_width(m, id);
}

static cr_batch_column* column_of(batch* b, cr_field_id id) {
  for (int i = 0; i < b->ncolumn; i++) {
    if (b->columns[i].id == id) {
      return &b->columns[i];
    }
  }
  return NULL;
}

static bool is_state(cr_field_id id) {
  return id == CR_FIELD_qpos || id == CR_FIELD_qvel || id == CR_FIELD_act || id == CR_FIELD_ctrl;
}

static cr_status add_column(batch* b, const char* name, const char* what, cr_batch_column** out,
                            cr_error* error) {
  cr_field_id id = cri_field_find(name);
  if (id == CR_N_FIELD || (!is_state(id) && cri_field(id)->kind != CR_KIND_PARAM)) {
    return cri_fail(error, CR_ERR_NAME,
                    "%s: '%s' is none of qpos, qvel, act, ctrl, and no parameter of the model",
                    what, name);
  }
  *out = column_of(b, id);
  if (*out == NULL) {
    if (b->ncolumn == CR_BATCH_COLUMNS) {
      return cri_fail(error, CR_ERR_ARG, "%s: more than %d fields", what, (int)CR_BATCH_COLUMNS);
    }
    const cr_model* m = &b->setup.m;
    const cr_real* base = id == CR_FIELD_ctrl ? b->ctrl : cri_field_real(m, b->start, id);
    *out = &b->columns[b->ncolumn++];
    **out = (cr_batch_column){
        .id = id, .name = cri_field(id)->name, .width = width_of(b, id), .base = base};
  }
  return CR_OK;
}

static cr_status visit_input(void* context, const char* name) {
  batch* b = ((void**)context)[0];
  cr_error* error = ((void**)context)[1];
  cr_batch_column* c = NULL;
  int rows = 0, width = 0;
  CR_TRY(add_column(b, name, b->o->input, &c, error));
  CR_TRY(cri_h5_shape(b->input, name, &rows, &width, error));
  if (width != c->width) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' has %d numbers a rollout, %d expected",
                    b->o->input, name, width, c->width);
  }
  b->count = b->count == 0 ? rows : b->count;
  if (rows < b->count) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' has %d rows, %d rollouts expected", b->o->input,
                    name, rows, b->count);
  }
  c->from_file = true;
  return CR_OK;
}

static cr_status read_spread(batch* b, const char* text, cr_error* error) {
  char name[256];
  char* end = NULL;
  size_t length = strcspn(text, "=");
  double spread = text[length] == 0 ? -1 : strtod(text + length + 1, &end);
  if (length >= sizeof name || !(spread > 0) || !isfinite(spread) || *end != 0) {
    return cri_fail(error, CR_ERR_ARG, "--random %s: NAME=SPREAD with a positive number expected",
                    text);
  }
  memcpy(name, text, length);
  name[length] = 0;
  cr_batch_column* c = NULL;
  CR_TRY(add_column(b, name, "--random", &c, error));
  c->spread = spread;
  return CR_OK;
}

static cr_status find_columns(batch* b, cr_error* error) {
  const batch_options* o = b->o;
  cr_batch_column* c = NULL;
  void* context[] = {b, error};
  b->count = o->count;
  if (o->input != NULL) {
    CR_TRY(cri_h5_open(&b->input, o->input, error));
    CR_TRY(cri_h5_each(b->input, "/", visit_input, context, error));
  }
  for (int i = 0; i < o->spread.n; i++) {
    CR_TRY(read_spread(b, o->spread.text[i], error));
  }
  if (b->setup.m.nu > 0) {  // controls of every step are rows in any case
    CR_TRY(add_column(b, "ctrl", "controls", &c, error));
  }
  return b->count > 0
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "--count or --input is missing; see carom batch --help");
}

// ---- what comes out

static cr_batch_result* add_result(batch* b, const cr_real* rows, int width, int apart, int first) {
  cr_batch_result* r = &b->results[b->nresult++];
  *r = (cr_batch_result){.rows = rows, .width = width, .apart = apart, .first = first};
  return r;
}

static cr_status find_ends(batch* b, cr_error* error) {
  const cr_model* m = &b->setup.m;
  cr_batch_output* out = &b->output;
  cr_real** to[] = {&out->qpos, &out->qvel, &out->act};
  static const char* const names[] = {"qpos", "qvel", "act"};
  const int width[] = {m->nq, m->nv, m->na};
  for (int i = 0; i < 3; i++) {
    if (width[i] > 0) {
      CR_TRY(take(b, to[i], (size_t)b->room, (size_t)width[i], error));
      (void)snprintf(add_result(b, *to[i], width[i], width[i], 0)->name, 300, "%s", names[i]);
    }
  }
  if (b->o->loss != NULL) {
    CR_TRY(take(b, &out->loss, (size_t)b->room, 1, error));
    cr_batch_result* r = add_result(b, out->loss, 1, 1, 0);
    (void)snprintf(r->name, sizeof r->name, "loss");
    r->single = true;
  }
  return CR_OK;
}

// the index of a parameter of the batch, made where there is none
static int parameter_of(batch* b, const char* name) {
  for (int i = 0; i < b->nparameter; i++) {
    if (strcmp(b->parameters[i], name) == 0) {
      return i;
    }
  }
  b->parameters[b->nparameter] = name;
  return b->nparameter++;
}

// where the gradient by a field goes, made where there is none
static cr_real** bar_of(batch* b, cr_field_id id, int* apart) {
  const cr_model* m = &b->setup.m;
  cr_batch_output* out = &b->output;
  *apart = id == CR_FIELD_ctrl ? width_of(b, id) : cri_field_tangent_size(m, NULL, id);
  switch ((int)id) {
    case CR_FIELD_qpos:
      return &out->qpos_bar;
    case CR_FIELD_qvel:
      return &out->qvel_bar;
    case CR_FIELD_act:
      return &out->act_bar;
    case CR_FIELD_ctrl:
      return &out->ctrl_bar;
    default:
      return &b->parameters_bar[parameter_of(b, cri_field(id)->name)];
  }
}

static cr_status add_gradient(batch* b, const char* name, cr_error* error) {
  cr_place place;
  CR_TRY(cri_place_find(&place, &b->setup.m, name, error));
  cr_field_id id = place.field;
  if (!is_state(id) && cri_field(id)->kind != CR_KIND_PARAM) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: neither state, control nor parameter", name);
  }
  if (place.tan_count == 0 || (id == CR_FIELD_ctrl && strcmp(name, "ctrl") != 0)) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: %s", name,
                    id == CR_FIELD_ctrl ? "name the whole of it, ctrl"
                    : place.count == 0  ? "the model has none of these"
                                        : "part of a quaternion; name the whole of it");
  }
  int apart;
  cr_real** bar = bar_of(b, id, &apart);
  if (*bar == NULL) {
    CR_TRY(take(b, bar, (size_t)b->room, (size_t)apart, error));
  }
  int width = id == CR_FIELD_ctrl ? apart : place.tan_count;
  cr_batch_result* r = add_result(b, *bar, width, apart, place.tan_first);
  (void)snprintf(r->name, sizeof r->name, "gradient/%s", name);
  return CR_OK;
}

static cr_status find_results(batch* b, cr_error* error) {
  const batch_options* o = b->o;
  if (o->wrt.n > 0 && o->loss == NULL) {
    return cri_fail(error, CR_ERR_ARG, "--wrt %s: needs --loss", o->wrt.text[0]);
  }
  if (o->at != NULL && strcmp(o->at, "every") != 0 && strcmp(o->at, "end") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--at %s: end or every expected", o->at);
  }
  CR_TRY(find_ends(b, error));
  for (int i = 0; i < b->ncolumn; i++) {
    if (!is_state(b->columns[i].id)) {
      (void)parameter_of(b, b->columns[i].name);
    }
  }
  for (int i = 0; i < o->wrt.n; i++) {
    CR_TRY(add_gradient(b, o->wrt.text[i], error));
  }
  b->output.parameters_bar = b->parameters_bar;
  int widest = 1, together = 0;
  for (int i = 0; i < b->nresult; i++) {
    widest = b->results[i].width > widest ? b->results[i].width : widest;
    together += b->results[i].width;
  }
  CR_TRY(take(b, &b->mean, 1, (size_t)together, error));
  CR_TRY(take(b, &b->mine, (size_t)b->room, (size_t)widest, error));
  return b->ranks.rank == 0 ? take(b, &b->all, (size_t)b->chunk, (size_t)widest, error) : CR_OK;
}

// ---- preparation

static cr_status check_options(const batch* b, cr_error* error) {
  const batch_options* o = b->o;
  if (o->setup.model_path == NULL || o->out == NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s is missing; see carom batch --help",
                    o->out == NULL ? "--out" : "a model");
  }
  if (cri_file_same(o->out, o->setup.model_path) ||
      (o->input != NULL && cri_file_same(o->out, o->input))) {
    return cri_fail(error, CR_ERR_ARG, "--out %s: that is the %s", o->out,
                    cri_file_same(o->out, o->setup.model_path) ? "model" : "input");
  }
  if (o->threads < 0 || o->threads > MAX_THREADS) {
    return cri_fail(error, CR_ERR_ARG, "--threads %d: 0 (as many as fit) to %d expected",
                    o->threads, (int)MAX_THREADS);
  }
  if (o->setup.method.adjoint != NULL && strcmp(o->setup.method.adjoint, "discrete") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--adjoint %s: not for batches", o->setup.method.adjoint);
  }
  return CR_OK;
}

// state, controls and so on that the options give, without the rollout that they were made for
static cr_status take_start(batch* b, cr_error* error) {
  cr_setup* s = &b->setup;
  CR_TRY(cr_setup_rollout(s, &b->o->setup, cri_no_params, error));
  b->nstep = s->nstep;
  CR_TRY(cri_data_create(&b->start, &s->m, NULL, error));
  cri_inputs_copy(&s->m, b->start, s->rollout->d);
  size_t controls = (size_t)b->nstep * (size_t)s->m.nu;
  CR_TRY(take(b, &b->ctrl, 1, controls, error));
  memcpy(b->ctrl, s->rollout->ctrl, controls * sizeof *b->ctrl);
  cr_rollout_free(s->rollout);
  s->rollout = NULL;
  return CR_OK;
}

static cr_status make_engine(batch* b, cr_error* error) {
  const cr_setup_options* o = &b->o->setup;
  const cr_model* m = &b->setup.m;
  cr_batch_options e = {.nstep = b->nstep,
                        .nthread = b->o->threads == 0 && b->ranks.size > 1 ? 1 : b->o->threads,
                        .parameters = b->parameters,
                        .nparameter = b->nparameter,
                        .derive = o->derive && b->nparameter > 0};
  CR_TRY(cr_method_memory(&o->method, &e.memory, error));
  if (cr_method_is_adaptive(&o->method)) {
    b->adaptive = cr_method_tolerances(&o->method, o->time / b->nstep);
    e.adaptive = &b->adaptive;
  }
  CR_TRY(cr_method_backward(&o->method, m, &b->variant, &b->backward, error));
  CR_TRY(cr_batch_create(&b->batch, m, b->backward, &e, error));
  for (int i = 0; i < cr_batch_threads(b->batch) && b->o->loss != NULL; i++) {
    if (i == MAX_THREADS) {
      return cri_fail(error, CR_ERR_ARG, "more than %d threads", (int)MAX_THREADS);
    }
    CR_TRY(cr_expression_create(&b->expressions[i], m, b->o->loss, error));
  }
  return CR_OK;
}

static cr_status size_chunks(batch* b, cr_error* error) {
  int threads = b->o->threads > 0 ? b->o->threads : 8;
  b->chunk = b->o->chunk > 0 ? b->o->chunk : ROLLOUTS_A_THREAD * threads * b->ranks.size;
  b->chunk = b->chunk < b->count ? b->chunk : b->count;
  b->room = b->chunk / b->ranks.size + 1;
  for (int i = 0; i < b->ncolumn; i++) {
    cr_batch_column* c = &b->columns[i];
    CR_TRY(take(b, &c->rows, (size_t)b->room, (size_t)c->width, error));
  }
  return CR_OK;
}

static cr_status prepare(batch* b, cr_error* error) {
  CR_TRY(check_options(b, error));
  CR_TRY(cr_setup_load(&b->setup, &b->o->setup, error));
  CR_TRY(take_start(b, error));
  CR_TRY(find_columns(b, error));
  CR_TRY(size_chunks(b, error));
  CR_TRY(find_results(b, error));
  return make_engine(b, error);
}

static uint64_t fingerprint_start(const batch* b, uint64_t hash) {
  const cr_model* m = &b->setup.m;
  for (int i = 0; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_STATE) {
      size_t n = (size_t)cri_field_rows(m, b->start, id) * (size_t)cri_field_width(m, id);
      hash = cri_fingerprint(hash, cri_field_real(m, b->start, id), n * sizeof(cr_real));
    }
  }
  return cri_fingerprint(hash, b->ctrl, (size_t)b->nstep * (size_t)m->nu * sizeof(cr_real));
}

static uint64_t fingerprint_steps(const cr_adaptive* a, uint64_t hash) {
  const cr_real numbers[] = {a->rtol, a->atol, a->first_step, a->largest_step, a->grid};
  const int32_t choices[] = {a->linear, a->quaternions, a->events, a->max_steps};
  return cri_fingerprint(cri_fingerprint(hash, numbers, sizeof numbers), choices, sizeof choices);
}

// of all that decides what is in the file
static uint64_t fingerprint_of(const batch* b) {
  uint64_t hash = cri_fingerprint_model(cri_fingerprint_model(0, &b->setup.m), b->backward);
  const int32_t numbers[] = {b->nstep, b->count, b->o->seed, b->o->setup.derive};
  hash = cri_fingerprint(hash, numbers, sizeof numbers);
  hash = fingerprint_steps(&b->adaptive, fingerprint_start(b, hash));
  for (int i = 0; i < b->ncolumn; i++) {
    hash = cri_fingerprint(hash, &b->columns[i].spread, sizeof b->columns[i].spread);
  }
  for (int i = 0; i < b->nresult; i++) {
    hash = cri_fingerprint(hash, b->results[i].name, strlen(b->results[i].name));
  }
  const char* texts[] = {b->o->loss, b->o->at, b->o->input};
  for (int i = 0; i < 3; i++) {
    hash = texts[i] == NULL ? hash : cri_fingerprint(hash, texts[i], strlen(texts[i]) + 1);
  }
  return hash;
}

// ---- chunks

static cr_loss loss_of(void* context, int item, int worker) {
  const batch* b = context;
  (void)item;
  bool every = b->o->at != NULL && strcmp(b->o->at, "every") == 0;
  return cr_expression_loss(b->expressions[worker], every);
}

// this rank's rollouts first ... first + n - 1
static cr_status work(batch* b, int first, int n, cr_error* error) {
  const cr_real* parameters[MAX_PARAMETERS] = {NULL};
  cr_batch_input in = {.parameters = parameters, .start = b->start, .first = first};
  for (int i = 0; i < b->ncolumn; i++) {
    cr_batch_column* c = &b->columns[i];
    CR_TRY(cr_batch_fill(c, &b->setup.m, b->input, (uint64_t)b->o->seed, first, n, error));
    if (!is_state(c->id)) {
      parameters[parameter_of(b, c->name)] = c->rows;
    }
  }
  const cr_field_id states[] = {CR_FIELD_qpos, CR_FIELD_qvel, CR_FIELD_act, CR_FIELD_ctrl};
  const cr_real** to[] = {&in.qpos, &in.qvel, &in.act, &in.ctrl};
  for (int i = 0; i < 4; i++) {
    const cr_batch_column* c = column_of(b, states[i]);
    *to[i] = c == NULL ? NULL : c->rows;
  }
  return cr_batch_run(b->batch, n, &in, b->o->loss == NULL ? NULL : loss_of, b, &b->output, error);
}

// results of rollouts first ... first + n - 1, of which this rank has `count`, to the file
static cr_status collect(batch* b, int first, int n, int count, cr_error* error) {
  cr_status status = CR_OK;
  for (int i = 0; i < b->nresult; i++) {
    const cr_batch_result* r = &b->results[i];
    for (int k = 0; k < count; k++) {
      const cr_real* from = r->rows + (size_t)k * (size_t)r->apart + r->first;
      cr_copy(b->mine + (size_t)k * (size_t)r->width, from, r->width);
    }
    CR_TRY(cr_ranks_gather(&b->ranks, b->mine, n, r->width, b->all, error));
    if (b->ranks.rank == 0 && status == CR_OK) {
      status = cr_batch_file_put(&b->file, r, first, n, b->all, error);
    }
  }
  if (b->ranks.rank == 0 && status == CR_OK) {
    status = cr_batch_file_done(&b->file, first + n, error);
  }
  return status;
}

static void say(const batch* b, cr_progress* progress) {
  char text[100];
  if (b->ranks.rank == 0 && cri_progress_due(progress)) {
    (void)snprintf(text, sizeof text, "%d of %d rollouts", b->done, b->count);
    cri_progress_line(progress, text);
  }
}

static cr_status run_chunks(batch* b, cr_progress* progress, cr_error* error) {
  while (b->done < b->count) {
    int n = b->count - b->done < b->chunk ? b->count - b->done : b->chunk, first, count;
    cr_ranks_share(&b->ranks, b->ranks.rank, n, &first, &count);
    cr_status status = work(b, b->done + first, count, error);
    CR_TRY(cr_ranks_agree(&b->ranks, status, error));
    CR_TRY(cr_ranks_agree(&b->ranks, collect(b, b->done, n, count, error), error));
    b->done += n;
    say(b, progress);
  }
  return CR_OK;
}

// ---- the run

static cr_status open_file(batch* b, cr_error* error) {
  b->file.rollouts = b->count;
  return b->ranks.rank == 0
             ? cr_batch_file_open(&b->file, b->o->out, b->o->resume, fingerprint_of(b), b->results,
                                  b->nresult, &b->done, error)
             : CR_OK;
}

static cr_status finish(batch* b, cr_error* error) {
  cr_real* mean = b->mean;
  for (int i = 0; i < b->nresult; i++) {
    const cr_batch_result* r = &b->results[i];
    CR_TRY(cr_batch_file_mean(&b->file, r, b->all, b->chunk, mean, error));
    mean += r->width;
  }
  return cr_batch_file_finish(&b->file, error);
}

static cr_status run(batch* b, cr_error* error) {
  CR_TRY(cr_ranks_open(&b->ranks, error));
  CR_TRY(cr_ranks_agree(&b->ranks, prepare(b, error), error));
  CR_TRY(cr_ranks_agree(&b->ranks, open_file(b, error), error));
  CR_TRY(cr_ranks_tell(&b->ranks, &b->done, error));
  cr_progress progress = cri_progress_begin();
  double begin = cri_seconds();
  cr_status status = run_chunks(b, &progress, error);
  b->seconds = cri_seconds() - begin;
  cri_progress_end(&progress);
  CR_TRY(status);
  status = b->ranks.rank == 0 ? finish(b, error) : CR_OK;
  return cr_ranks_agree(&b->ranks, status, error);
}

static void print(const batch* b) {
  int threads = cr_batch_threads(b->batch);
  if (!b->o->setup.json) {
    (void)printf("%d rollouts of %d steps in %.3g s (%d rank%s, %d thread%s each): %s\n", b->count,
                 b->nstep, b->seconds, b->ranks.size, b->ranks.size == 1 ? "" : "s", threads,
                 threads == 1 ? "" : "s", b->o->out);
    return;
  }
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_int(&j, "rollouts", b->count);
  cr_json_int(&j, "steps", b->nstep);
  cr_json_int(&j, "ranks", b->ranks.size);
  cr_json_int(&j, "threads", threads);
  cr_json_int(&j, "chunk", b->chunk);
  cr_json_real(&j, "seconds", b->seconds);
  cr_json_string(&j, "out", b->o->out);
  cr_json_open(&j, "mean", '{');  // over the rollouts
  const cr_real* mean = b->mean;
  for (int i = 0; i < b->nresult; i++) {
    cr_json_numbers(&j, b->results[i].name, mean, b->results[i].width);
    mean += b->results[i].width;
  }
  cr_json_close(&j, '}');
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void release(batch* b) {
  for (int i = 0; i < MAX_THREADS; i++) {
    cr_expression_free(b->expressions[i]);
  }
  for (int i = 0; i < b->nmemory; i++) {
    free(b->memory[i]);
  }
  cr_batch_free(b->batch);
  cr_batch_file_close(&b->file);
  cri_h5_close(b->input);
  cri_data_free(b->start);
  cr_setup_free(&b->setup);
  cr_ranks_close(&b->ranks);
}

int cr_cli_batch(int argc, char** argv) {
  batch_options o = {.setup = CR_SETUP_DEFAULTS};
  const cr_option rows[] = {
      CR_SETUP_OPTIONS(o.setup),
      {"--count", CR_OPT_COUNT, &o.count, "N", "rollouts (default: the rows of --input)"},
      {"--input", CR_OPT_TEXT, &o.input, "FILE.h5",
       "a row a rollout in each data set: qpos, qvel, act, ctrl (of all steps), body_mass ..."},
      {"--random", CR_OPT_LIST, &o.spread, "NAME=SPREAD",
       "normal numbers times SPREAD, added to states or controls; parameters times exp of them"},
      {"--seed", CR_OPT_INT, &o.seed, "S", "of --random (default 0)"},
      {"--loss", CR_OPT_TEXT, &o.loss, "EXPR", "as site_xpos[tip].z or norm(qpos)^2"},
      {"--at", CR_OPT_TEXT, &o.at, "end|every", "at the end (default), or summed over all steps"},
      {"--wrt", CR_OPT_LIST, &o.wrt, "NAME...",
       "gradient of each rollout's loss: qpos, qvel, act, ctrl (of every step), or a parameter"},
      {"--threads", CR_OPT_INT, &o.threads, "N",
       "threads of a process (default: one a processor; under mpirun 1)"},
      {"--chunk", CR_OPT_COUNT, &o.chunk, "N",
       "rollouts between two writes; memory grows with it (default 16 a thread and rank)"},
      {"--out", CR_OPT_TEXT, &o.out, "FILE.h5",
       "losses, last states and gradients, a row a rollout; FILE.h5.part while it grows"},
      {"--resume", CR_OPT_FLAG, &o.resume, "", "continue FILE.h5.part of a run that was stopped"},
  };
  const cr_command_line line = {"batch",
                                "Many rollouts and their gradients, over threads and, as mpirun -n "
                                "N carom batch ..., over machines.",
                                rows, (int)(sizeof rows / sizeof rows[0])};
  cr_error error = {0};
  bool help = false;
  batch* b = calloc(1, sizeof *b);
  if (b == NULL) {
    return 2;
  }
  b->o = &o;
  b->ranks.size = 1;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help) {
    cr_options_print_help(&line);
  } else if (status == CR_OK) {
    status = run(b, &error);
  }
  bool speaks = b->ranks.rank == 0;
  int code = cr_status_exit_code(status);
  if (status != CR_OK && speaks) {
    code = cr_cli_fail("batch", o.setup.json, &error, &b->setup.report);
  } else if (!help && speaks) {
    print(b);
  }
  release(b);
  free(b);
  return code;
}
