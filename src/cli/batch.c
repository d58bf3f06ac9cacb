// SPDX-License-Identifier: Apache-2.0
// carom batch: many rollouts of one model and their gradients, over the threads of a machine and, under
// mpirun, over machines. Chunk by chunk every rank works on its share of the rows, and rank 0 writes them
// in order: so the file has the same bits whatever the numbers of ranks and threads, and no process
// holds more than a chunk.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "carom/state.h"
#include "cli/batch_plan.h"
#include "cli/commands.h"
#include "command/ranks.h"
#include "command/setup.h"
#include "tools/files.h"
#include "tools/progress.h"

enum { ROLLOUTS_A_THREAD = 16, MAX_THREADS = 1024 };  // of a chunk

typedef struct {
  cr_setup_options setup;
  cr_text_list wrt, spread;
  const char *input, *out, *loss, *at;
  int count, seed, threads, chunk;
  bool resume, keep_going;
} batch_options;

typedef struct {
  const batch_options* o;
  cr_ranks ranks;
  cr_setup setup;
  cr_model* variant;  // whose dynamics the backward pass differentiates; NULL: the setup's
  int nstep, count, chunk;
  // what all rollouts have in common
  cr_data* start;
  cr_real* ctrl;  // nstep x nu
  cr_batch_plan plan;
  cr_real *mine, *all;  // rows of one result: of this rank, and at rank 0 of all
  cr_error* ends;       // at rank 0: how the rollouts of a chunk ended
  // the engine
  cr_batch* batch;
  cr_expression* expressions[MAX_THREADS];  // one a worker
  cr_adaptive adaptive;
  cr_batch_file file;
  int done, before;  // rollouts; those of an earlier run that was stopped
  double seconds, begun;
  cr_real* mean;  // of all results, one after the other
} batch;

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
  CR_TRY(b->ranks.rank > 0
             ? CR_OK
             : cr_output_check("--out", o->out, "h5 hdf5", o->setup.force || o->resume, error));
  if (o->threads > MAX_THREADS) {
    return cri_fail(error, CR_ERR_ARG, "--threads %d: 1 to %d expected", o->threads,
                    (int)MAX_THREADS);
  }
  if (o->setup.method.adjoint != NULL && strcmp(o->setup.method.adjoint, "discrete") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--adjoint %s: not for batches", o->setup.method.adjoint);
  }
  if (o->wrt.n > 0 && o->loss == NULL) {
    return cri_fail(error, CR_ERR_ARG, "--wrt %s: needs --loss", o->wrt.text[0]);
  }
  if (o->at != NULL && o->loss == NULL) {
    return cri_fail(error, CR_ERR_ARG, "--at %s: needs --loss", o->at);
  }
  if (o->at != NULL && strcmp(o->at, "every") != 0 && strcmp(o->at, "end") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--at %s: end or every expected", o->at);
  }
  return CR_OK;
}

// state, controls and so on that the options give, without the rollout that they were made for
static cr_status take_start(batch* b, cr_error* error) {
  cr_setup* s = &b->setup;
  CR_TRY(cr_setup_rollout(s, &b->o->setup, NULL, 0, error));
  b->nstep = s->nstep;
  CR_TRY(cr_data_create(&b->start, s->m, error));
  CR_TRY(cr_state_copy(s->m, cr_rollout_data(s->rollout), b->start, CR_STATE_INTEGRATION));
  size_t controls = (size_t)b->nstep * (size_t)s->nu;
  b->plan = (cr_batch_plan){.m = s->m, .start = b->start, .nstep = b->nstep};
  CR_TRY(cr_batch_plan_take(&b->plan, &b->ctrl, 1, controls, error));
  b->plan.ctrl = b->ctrl;
  memcpy(b->ctrl, cr_rollout_ctrl(s->rollout), controls * sizeof *b->ctrl);
  cr_rollout_destroy(s->rollout);
  s->rollout = NULL;
  return CR_OK;
}

static cr_status make_engine(batch* b, cr_error* error) {
  const cr_setup_options* o = &b->o->setup;
  const cr_model* m = b->setup.m;
  cr_batch_options e = {.size = sizeof e,
                        .nstep = b->nstep,
                        .nthread = b->o->threads == 0 && b->ranks.size > 1 ? 1 : b->o->threads,
                        .parameters = b->plan.parameters,
                        .nparameter = b->plan.nparameter,
                        .derive = o->derive && b->plan.nparameter > 0};
  CR_TRY(cr_method_memory(&o->method, &e.memory, error));
  if (cr_method_is_adaptive(&o->method)) {
    b->adaptive = cr_method_tolerances(&o->method, o->time / b->nstep);
    e.adaptive = &b->adaptive;
  }
  CR_TRY(cr_method_backward(&o->method, m, &b->variant, error));
  CR_TRY(cr_batch_create(&b->batch, m, b->variant != NULL ? b->variant : m, &e, error));
  for (int i = 0; i < cr_batch_threads(b->batch) && b->o->loss != NULL; i++) {
    if (i == MAX_THREADS) {
      return cri_fail(error, CR_ERR_ARG, "more than %d threads", (int)MAX_THREADS);
    }
    CR_TRY(cr_expression_create(&b->expressions[i], m, b->o->loss, error));
  }
  return CR_OK;
}

static void size_chunks(batch* b) {
  int threads = b->o->threads > 0 ? b->o->threads : 8;
  b->chunk = b->o->chunk > 0 ? b->o->chunk : ROLLOUTS_A_THREAD * threads * b->ranks.size;
  b->chunk = b->chunk < b->count ? b->chunk : b->count;
  b->plan.room = b->chunk / b->ranks.size + 1;
}

// room for what goes from rank to rank
static cr_status make_room(batch* b, cr_error* error) {
  cr_batch_plan* p = &b->plan;
  CR_TRY(cr_batch_plan_take(p, &b->mean, 1, (size_t)p->together, error));
  CR_TRY(cr_batch_plan_take(p, &b->mine, (size_t)p->room, (size_t)p->widest, error));
  if (b->ranks.rank > 0) {
    return CR_OK;
  }
  CR_TRY(cr_batch_plan_take(p, &b->all, (size_t)b->chunk, (size_t)p->widest, error));
  b->ends = b->o->keep_going ? calloc((size_t)b->chunk, sizeof *b->ends) : NULL;
  return b->ends != NULL || !b->o->keep_going
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "no memory for the ends of %d rollouts", b->chunk);
}

static cr_status prepare(batch* b, cr_error* error) {
  const batch_options* o = b->o;
  CR_TRY(check_options(b, error));
  CR_TRY(cr_setup_load(&b->setup, &o->setup, error));
  CR_TRY(take_start(b, error));
  CR_TRY(cr_batch_plan_inputs(&b->plan, o->input, &o->spread, o->count, error));
  b->count = b->plan.rows;
  if (b->count == 0) {
    return cri_fail(error, CR_ERR_ARG, "--count or --input is missing; see carom batch --help");
  }
  size_chunks(b);
  CR_TRY(cr_batch_plan_outputs(&b->plan, o->loss != NULL, &o->wrt, o->keep_going, error));
  CR_TRY(make_room(b, error));
  return make_engine(b, error);
}

static uint64_t fingerprint_start(const batch* b, uint64_t hash) {
  const cr_model* m = b->setup.m;
  for (int i = 0; i < cr_field_count(); i++) {
    cr_field_info f = {.size = sizeof f};
    int rows, width;
    if (cr_field_get(m, i, &f, NULL) == CR_OK && f.kind == CR_KIND_STATE) {
      const cr_real* x = cr_data_view(m, b->start, f.name, &rows, &width);
      hash = cri_fingerprint(hash, x, (size_t)rows * (size_t)width * sizeof *x);
    }
  }
  return cri_fingerprint(hash, b->ctrl, (size_t)b->nstep * (size_t)b->setup.nu * sizeof(cr_real));
}

static uint64_t fingerprint_steps(const cr_adaptive* a, uint64_t hash) {
  const cr_real numbers[] = {a->rtol, a->atol, a->first_step, a->largest_step, a->grid};
  const int32_t choices[] = {a->linear, a->quaternions, a->events, a->max_steps};
  return cri_fingerprint(cri_fingerprint(hash, numbers, sizeof numbers), choices, sizeof choices);
}

// of all that decides what is in the file
static cr_status fingerprint_of(const batch* b, uint64_t* out, cr_error* error) {
  const cr_batch_plan* p = &b->plan;
  const batch_options* o = b->o;
  uint64_t hash = cr_model_fingerprint(b->setup.m, 0);
  hash = cr_model_fingerprint(b->variant != NULL ? b->variant : b->setup.m, hash);
  const int32_t numbers[] = {b->nstep, b->count, o->seed, o->setup.derive, o->keep_going};
  hash = cri_fingerprint(hash, numbers, sizeof numbers);
  hash = fingerprint_steps(&b->adaptive, fingerprint_start(b, hash));
  for (int i = 0; i < p->ncolumn; i++) {
    hash = cri_fingerprint(hash, &p->columns[i].spread, sizeof p->columns[i].spread);
  }
  for (int i = 0; i < p->nresult; i++) {
    hash = cri_fingerprint(hash, p->results[i].name, strlen(p->results[i].name));
  }
  const char* texts[] = {b->o->loss, b->o->at};
  for (int i = 0; i < 2; i++) {
    hash = texts[i] == NULL ? hash : cri_fingerprint(hash, texts[i], strlen(texts[i]) + 1);
  }
  *out = hash;
  return o->input == NULL ? CR_OK : cri_file_fingerprint(out, o->input, error);
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
  cr_batch_input in;
  CR_TRY(cr_batch_plan_fill(&b->plan, (uint64_t)b->o->seed, first, n, &in, error));
  return cr_batch_run(b->batch, n, &in, b->o->loss == NULL ? NULL : loss_of, b, &b->plan.output,
                      error);
}

// results of rollouts first ... first + n - 1, of which this rank has `count`, to the file
static cr_status collect(batch* b, int first, int n, int count, cr_error* error) {
  const cr_batch_plan* p = &b->plan;
  cr_status status = CR_OK;
  for (int i = 0; i < p->nresult; i++) {
    const cr_batch_result* r = &p->results[i];
    for (int k = 0; k < count; k++) {
      const cr_real* from = r->rows + (size_t)k * (size_t)r->apart + r->first;
      cr_copy(b->mine + (size_t)k * (size_t)r->width, from, r->width);
    }
    size_t size = (size_t)r->width * sizeof *b->mine;
    CR_TRY(cr_ranks_gather(&b->ranks, b->mine, n, size, b->all, error));
    if (b->ranks.rank == 0 && status == CR_OK) {
      status = cr_batch_file_put(&b->file, i, first, n, b->all, error);
    }
  }
  if (b->o->keep_going) {
    CR_TRY(cr_ranks_gather(&b->ranks, p->output.error, n, sizeof *b->ends, b->ends, error));
    if (b->ranks.rank == 0 && status == CR_OK) {
      status = cr_batch_file_put_ends(&b->file, first, n, b->ends, error);
    }
  }
  if (b->ranks.rank == 0 && status == CR_OK) {
    status = cr_batch_file_done(&b->file, first, n, error);
  }
  return status;
}

static void say(const batch* b, cr_progress* progress) {
  char text[100];
  if (b->ranks.rank == 0 && cri_progress_due(progress)) {
    (void)snprintf(text, sizeof text, "%d of %d rollouts", b->done, b->count);
    cri_progress_left(progress, text, cri_seconds() - b->begun,
                      (double)(b->done - b->before) / (b->count - b->before), "");
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
  b->file = (cr_batch_file){.rollouts = b->count,
                            .chunk = b->chunk,
                            .ends = b->o->keep_going,
                            .results = b->plan.results,
                            .nresult = b->plan.nresult};
  if (b->ranks.rank > 0) {
    return CR_OK;
  }
  uint64_t fingerprint;
  CR_TRY(fingerprint_of(b, &fingerprint, error));
  CR_TRY(cr_batch_file_open(&b->file, b->o->out, b->o->resume, fingerprint, &b->done, error));
  return cr_batch_file_verify(&b->file, b->done, b->all, error);
}

static cr_status finish(batch* b, cr_error* error) {
  cr_real* mean = b->mean;
  CR_TRY(cr_batch_file_count(&b->file, b->all, b->chunk, error));
  for (int i = 0; i < b->plan.nresult; i++) {
    const cr_batch_result* r = &b->plan.results[i];
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
  b->begun = cri_seconds();
  b->before = b->done;
  cr_status status = run_chunks(b, &progress, error);
  b->seconds = cri_seconds() - b->begun;
  cri_progress_end(&progress);
  CR_TRY(status);
  status = b->ranks.rank == 0 ? finish(b, error) : CR_OK;
  CR_TRY(cr_ranks_agree(&b->ranks, status, error));
  return cr_ranks_tell(&b->ranks, &b->file.failed, error);
}

// what is said at the end of a batch that went on; false where nothing failed
static bool sum_up(const batch* b, cr_error* error) {
  if (b->file.failed > 0) {
    (void)cri_fail(error, CR_ERR_DIVERGED,
                   "%d of %d rollouts failed, as `status` and `failure` of %s say; the first: %s",
                   b->file.failed, b->count, b->o->out, b->file.sentence);
  }
  return b->file.failed > 0;
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
  cr_json_int(&j, "failed", b->file.failed);
  cr_json_real(&j, "seconds", b->seconds);
  cr_json_string(&j, "out", b->o->out);
  cr_json_open(&j, "mean", '{');  // over the rollouts that did not fail
  const cr_real* mean = b->mean;
  for (int i = 0; i < b->plan.nresult; i++) {
    cr_json_numbers(&j, b->plan.results[i].name, mean, b->plan.results[i].width);
    mean += b->plan.results[i].width;
  }
  cr_json_close(&j, '}');
  cr_error error;
  if (sum_up(b, &error)) {
    cr_json_string(&j, "error", error.text);
  }
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void release(batch* b) {
  for (int i = 0; i < MAX_THREADS; i++) {
    cr_expression_destroy(b->expressions[i]);
  }
  cr_batch_destroy(b->batch);
  cr_batch_file_close(&b->file);
  cr_batch_plan_free(&b->plan);
  free(b->ends);
  cr_data_destroy(b->start);
  cr_model_destroy(b->variant);
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
      {"--threads", CR_OPT_COUNT, &o.threads, "N",
       "threads of a process (default: one a processor; under mpirun 1)"},
      {"--chunk", CR_OPT_COUNT, &o.chunk, "N",
       "rollouts between two writes; memory grows with it (default 16 a thread and rank)"},
      {"--out", CR_OPT_TEXT, &o.out, "FILE.h5",
       "losses, last states and gradients, a row a rollout; FILE.h5.part while it grows"},
      {"--resume", CR_OPT_FLAG, &o.resume, "", "continue FILE.h5.part of a run that was stopped"},
      {"--keep-going", CR_OPT_FLAG, &o.keep_going, "",
       "a rollout that fails has its status and a sentence in the file, and the others go on; exit "
       "code 3 at the end"},
  };
  const cr_command_line line = {"batch",
                                "Many rollouts and their gradients, over threads and, as mpirun -n "
                                "N carom batch ..., over machines.",
                                rows,
                                (int)(sizeof rows / sizeof rows[0]),
                                "--count --random --input --time --loss --wrt --out --threads "
                                "--resume --force --json",
                                {"batch examples/arm.xml --count 1000 --random qpos=0.1 --loss "
                                 "'site_xpos[tip].z' --wrt qpos --out many.h5",
                                 "batch arm.xml --input starts.h5 --time 2 --out ends.h5"}};
  cr_error error = {0};
  cr_help help = CR_HELP_NONE;
  batch* b = calloc(1, sizeof *b);
  if (b == NULL) {
    return cr_cli_no_memory("batch");
  }
  b->o = &o;
  b->ranks.size = 1;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
  } else if (status == CR_OK) {
    status = run(b, &error);
  }
  bool speaks = b->ranks.rank == 0;
  int code = cr_status_exit_code(status);
  if (status != CR_OK && speaks) {
    code = cr_cli_fail("batch", o.setup.json, &error, b->setup.report);
  } else if (help == CR_HELP_NONE && speaks) {
    print(b);
  }
  if (status == CR_OK && sum_up(b, &error)) {  // a numerical failure, whichever it was
    code = cr_status_exit_code(error.status);
    if (speaks) {
      (void)fprintf(stderr, "carom batch: %s\n", error.text);
    }
  }
  release(b);
  free(b);
  return code;
}
