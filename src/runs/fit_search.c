// SPDX-License-Identifier: Apache-2.0
#include "runs/fit_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "base/status.h"
#include "command/setup.h"

typedef struct {
  const char* name;
  cr_global_method method;
  int population, generations;  // where none are given
} search_kind;

static const search_kind kinds[] = {
    {"restarts", CR_GLOBAL_RESTARTS, 4, 10},
    {"basin-hopping", CR_GLOBAL_BASIN_HOPPING, 4, 10},
    {"cma-es", CR_GLOBAL_CMA_ES, 12, 40},
    {"differential-evolution", CR_GLOBAL_DIFFERENTIAL_EVOLUTION, 8, 30}};
enum { ISLANDS = 4, EXCHANGE_EVERY = 5, DESCENT = 50 };
static const double save_interval = 0.5;  // s, of steps

static const search_kind* kind_of(const cr_fit_runs_options* o) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && o->search != NULL; i++) {
    if (strcmp(o->search, kinds[i].name) == 0) {
      return &kinds[i];
    }
  }
  return NULL;
}

cr_status cr_fit_search_check(const cr_fit_runs_options* o, bool* spread, cr_error* error) {
  const search_kind* kind = kind_of(o);
  *spread = kind != NULL;
  if (kind == NULL && o->search != NULL && strcmp(o->search, "local") != 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "--search %s: local, restarts, basin-hopping, cma-es or differential-evolution "
                    "expected",
                    o->search);
  }
  const char* stray = o->islands > 0       ? "--islands"
                      : o->population > 0  ? "--population"
                      : o->generations > 0 ? "--generations"
                                           : NULL;
  if (kind == NULL && stray != NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s: needs --search, as --search basin-hopping", stray);
  }
  return CR_OK;
}

static int given_or(int given, int otherwise) { return given > 0 ? given : otherwise; }

// ---- which search it is

static uint64_t add_list(uint64_t hash, const cr_text_list* list) {
  for (int i = 0; i < list->n; i++) {
    hash = cri_fingerprint(hash, list->text[i], strlen(list->text[i]) + 1);
  }
  return cri_fingerprint(hash, &list->n, sizeof list->n);
}

cr_status cr_fit_search_name(cr_runs_fit* f, cr_error* error) {
  const cr_fit_runs_options* o = f->o;
  uint64_t* of = f->saving.of;
  of[CR_FIT_OF_MODEL] = cr_model_fingerprint(f->m, 0);
  if (o->blueprint != NULL) {
    CR_TRY(cri_file_fingerprint(&of[CR_FIT_OF_BLUEPRINT], o->blueprint, error));
  }
  of[CR_FIT_OF_DATA] = (uint64_t)o->paths.n;
  for (int i = 1; i < o->paths.n; i++) {
    CR_TRY(cri_file_fingerprint(&of[CR_FIT_OF_DATA], o->paths.text[i], error));
  }
  of[CR_FIT_OF_ESTIMATES] = add_list(0, &o->estimate);
  const cr_text_list* lists[] = {&o->delay,  &o->offset, &o->noise,
                                 &o->column, &o->ignore, &o->held_runs};
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    hash = add_list(hash, lists[i]);
  }
  const double share = isnan(o->held_out) ? -1 : o->held_out;
  const double numbers[] = {o->rate, o->window, o->huber, share, o->continuity, o->seed};
  const cr_adaptive* a = &f->adaptive;
  const cr_real steps[] = {a->rtol, a->atol, a->first_step, a->largest_step};
  const int words[] = {a->events, a->quaternions, a->max_steps};
  hash = cri_fingerprint(cri_fingerprint(hash, steps, sizeof steps), words, sizeof words);
  const char* start = o->start != NULL ? o->start : "estimated";
  hash = cri_fingerprint(hash, numbers, sizeof numbers);
  of[CR_FIT_OF_SETTINGS] = cri_fingerprint(hash, start, strlen(start));
  const search_kind* kind = kind_of(o);
  const char* name = kind != NULL ? kind->name : "local";
  const int counts[] = {o->islands, o->population, o->generations};
  of[CR_FIT_OF_SEARCH] =
      cri_fingerprint(cri_fingerprint(0, name, strlen(name)), counts, sizeof counts);
  const int ranks[] = {f->ranks.rank, f->ranks.size};
  of[CR_FIT_OF_RANKS] = cri_fingerprint(0, ranks, sizeof ranks);
  return CR_OK;
}

// ---- down from x

static cr_status save_step(void* context, int step, const void* state, size_t size,
                           cr_error* error) {
  cr_runs_fit* f = context;
  return cr_fit_saving_keep(&f->saving, CR_FIT_SOLVE, step, state, size, save_interval, error);
}

static cr_status solve(cr_runs_fit* f, bool stay, cr_error* error) {
  cr_fit_saving* s = &f->saving;
  cr_fit_state from = {0};
  if (s->phase == CR_FIT_SOLVE) {
    from = s->last;  // kept until the search has read it
    s->last = (cr_fit_state){0};
  }
  const cr_search search = {.size = sizeof search,
                            .save = save_step,
                            .context = f,
                            .resume = from.bytes,
                            .resume_size = from.size,
                            .stay = stay};
  f->end.size = sizeof f->end;
  cr_error inner = {0};
  cr_status status = cr_identification_solve(f->id, &search, f->x, &f->end, &inner);
  free(from.bytes);
  if (status == CR_ERR_FORMAT && from.bytes != NULL) {
    return cri_fail(error, status, "%s: %s", s->path, inner.text);
  }
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", inner.text);
}

// ---- the lowest of many valleys

typedef struct {
  cr_runs_fit* f;
  const search_kind* kind;
  int n, nworker;
  cr_parameters** parameters;  // one a worker, with
  cr_identification** ids;
  cr_real *lower, *upper;  // n each
  cr_real* room;           // of the two above, of what ranks bring together, and of:
  cr_real* x;              // n
  int generations, from;   // from: those that were done before
  bool told;               // all ranks know that one has failed
  cr_real best;            // of the islands here after a generation
  unsigned char* state;    // best, then the library's state
  double begin;
} global;

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "--search: no memory");
}

static bool asks_to_stop(void* context) {
  const global* g = context;
  return g->f->stop != NULL && g->f->stop(NULL);
}

static void tell_generation(void* context, int generation, cr_real best, const cr_real* x) {
  global* g = context;
  (void)x;
  g->best = best;
  cr_progress* p = &g->f->progress;
  if (g->f->ranks.rank > 0 || !cri_progress_due(p)) {
    return;
  }
  char text[200];
  double spent = cri_seconds() - g->begin;
  double done = (double)(generation - g->from) / (g->generations - g->from);
  (void)snprintf(text, sizeof text, "generation %d of %d  best %.6g  %.1f s", generation,
                 g->generations, (double)best, cri_seconds() - p->start);
  cri_progress_left(p, text, spent, done, "");
}

static cr_status save_generation(void* context, int generation, const void* state, size_t size,
                                 cr_error* error) {
  global* g = context;
  size_t whole = sizeof g->best + size;
  if (g->state == NULL) {
    g->state = malloc(whole);  // all states of a search have one size
    if (g->state == NULL) {
      return no_memory(error);
    }
  }
  memcpy(g->state, &g->best, sizeof g->best);
  memcpy(g->state + sizeof g->best, state, size);
  return cr_fit_saving_keep(&g->f->saving, CR_FIT_GLOBAL, generation, g->state, whole, 0, error);
}

// Ranks meet at exchanges and at the end. One that has failed comes to the next meeting too, so that none waits for it.
static cr_status meet(global* g, cr_status status, cr_error* error) {
  status = cr_ranks_agree(&g->f->ranks, status, error);
  g->told = status != CR_OK;
  return status;
}

static cr_status exchange(void* context, int generation, const cr_real* sent, cr_real* received,
                          bool* done, cr_error* error) {
  global* g = context;
  (void)generation, (void)done;
  CR_TRY(meet(g, CR_OK, error));
  return cr_ranks_pass(&g->f->ranks, sent, received, (size_t)(g->n + 1) * sizeof *sent, error);
}

// a sentence with all numbers that lack bounds
static cr_status get_bounds(global* g, cr_error* error) {
  cr_error inner = {0};
  cr_status status = cr_identification_get_bounds(g->f->id, g->lower, g->upper, &inner);
  if (status == CR_OK) {
    return CR_OK;
  }
  char list[512] = "";
  int used = 0;
  for (int i = 0; i < g->n; i++) {
    if (!isfinite(g->lower[i]) || !isfinite(g->upper[i])) {
      size_t at = strlen(list);
      (void)snprintf(list + at, sizeof list - at, "%s%s", used++ > 0 ? ", " : "",
                     cr_identification_name(g->f->id, i));
    }
  }
  return used == 0 ? cri_fail(error, status, "%s", inner.text)
                   : cri_fail(error, CR_ERR_ARG,
                              "--search %s needs finite bounds, which %s lack%s: --estimate "
                              "'WHAT=START:LOW:HIGH' gives them",
                              g->kind->name, list, used == 1 ? "s" : "");
}

static cr_status make_workers(global* g, int islands, cr_error* error) {
  const cr_runs_fit* f = g->f;
  long processors = f->ranks.size > 1 ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
  int threads = given_or(f->o->threads, processors > 0 ? (int)processors : 1);
  g->nworker = threads < islands ? threads : islands;
  g->parameters = calloc((size_t)g->nworker, sizeof *g->parameters);
  g->ids = calloc((size_t)g->nworker, sizeof *g->ids);
  if (g->parameters == NULL || g->ids == NULL) {
    return no_memory(error);
  }
  for (int i = 0; i < g->nworker; i++) {
    CR_TRY(cr_fit_setup_identification(g->f, threads / g->nworker, &g->parameters[i], &g->ids[i],
                                       error));
  }
  return CR_OK;
}

static cr_status prepare(global* g, int islands, cr_error* error) {
  cr_runs_fit* f = g->f;
  size_t n = (size_t)g->n;
  if (islands < 1) {
    return cri_fail(error, CR_ERR_ARG, "--islands %d: at least one for each of %d ranks expected",
                    given_or(f->o->islands, ISLANDS), f->ranks.size);
  }
  g->room = calloc(3 * n + (n + 1) * (size_t)(f->ranks.size + 1), sizeof *g->room);
  if (g->room == NULL) {
    return no_memory(error);
  }
  g->x = g->room;
  g->lower = g->x + n;
  g->upper = g->lower + n;
  CR_TRY(get_bounds(g, error));
  for (int i = 0; i < g->n; i++) {
    g->x[i] = cr_min(cr_max(f->x[i], g->lower[i]), g->upper[i]);
  }
  return make_workers(g, islands, error);
}

// the islands of this rank, to the end
static cr_status run_islands(global* g, int first, int islands, cr_error* error) {
  cr_runs_fit* f = g->f;
  const cr_fit_runs_options* o = f->o;
  bool many = f->ranks.size > 1;
  cr_fit_state from = {0};
  if (f->saving.phase == CR_FIT_GLOBAL && f->saving.last.size > sizeof g->best) {
    from = f->saving.last;
    memcpy(&g->best, from.bytes, sizeof g->best);
  }
  const cr_global_problem problem = {.size = sizeof problem,
                                     .n = g->n,
                                     .lower = g->lower,
                                     .upper = g->upper,
                                     .contexts = (void* const*)g->ids,
                                     .ncontext = g->nworker,
                                     .descend = cr_identification_descend};
  unsigned char* resume = malloc(from.size + 1);
  if (resume == NULL) {
    return no_memory(error);
  }
  if (from.size > 0) {
    memcpy(resume, from.bytes + sizeof g->best, from.size - sizeof g->best);
  }
  const cr_global_options options = {.size = sizeof options,
                                     .method = g->kind->method,
                                     .local = CR_LOCAL_OWN,
                                     .local_iterations = DESCENT,
                                     .islands = islands,
                                     .population = given_or(o->population, g->kind->population),
                                     .generations = g->generations,
                                     .seed = (uint64_t)o->seed,
                                     .exchange_every = EXCHANGE_EVERY,
                                     .context = g,
                                     .stop = asks_to_stop,
                                     .progress = tell_generation,
                                     .save = save_generation,
                                     // ranks are together at exchanges only
                                     .save_every = many ? EXCHANGE_EVERY : 1,
                                     .resume = from.size > 0 ? resume : NULL,
                                     .resume_size = from.size > 0 ? from.size - sizeof g->best : 0,
                                     .exchange = many ? exchange : NULL,
                                     .first_island = first};
  cr_global_result result = {.size = sizeof result};
  cr_error inner = {0};
  cr_status status = cr_minimise_global(&problem, &options, g->x, &result, &inner);
  free(resume);
  if (many && status == CR_ERR_NONFINITE && result.generations == g->generations &&
      !isfinite(g->best)) {
    return CR_OK;  // another rank may have found one
  }
  if (status == CR_ERR_FORMAT) {
    return cri_fail(error, status, "%s: %s", f->saving.path, inner.text);
  }
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", inner.text);
}

// The best of all ranks comes to rank 0: what was best before the last way down decides, as in one process.
static cr_status gather(global* g, cr_error* error) {
  cr_runs_fit* f = g->f;
  int width = g->n + 1;
  cr_real *mine = g->upper + g->n, *all = mine + width;
  mine[0] = g->best;
  cr_copy(mine + 1, g->x, g->n);
  CR_TRY(cr_ranks_gather(&f->ranks, mine, f->ranks.size, (size_t)width * sizeof *mine, all, error));
  if (f->ranks.rank > 0) {
    return CR_OK;
  }
  const cr_real* best = all;
  for (int i = 1; i < f->ranks.size; i++) {
    best = all[i * width] < best[0] ? all + i * width : best;
  }
  cr_copy(f->x, best + 1, g->n);
  return isfinite(best[0]) ? CR_OK
                           : cri_fail(error, CR_ERR_NONFINITE,
                                      "--search %s: no simulation went to its end", g->kind->name);
}

static cr_status find_valley(global* g, cr_error* error) {
  cr_runs_fit* f = g->f;
  int first, islands;
  cr_ranks_share(&f->ranks, f->ranks.rank, given_or(f->o->islands, ISLANDS), &first, &islands);
  CR_TRY(cr_ranks_agree(&f->ranks, prepare(g, islands, error), error));
  int from = f->saving.phase == CR_FIT_GLOBAL ? (int)f->saving.last.step : 0;
  CR_TRY(cr_ranks_lowest(&f->ranks, &from, error));
  cr_status status = cr_fit_saving_go_back(&f->saving, from, error);
  CR_TRY(cr_ranks_agree(&f->ranks, status, error));
  g->from = from;
  g->begin = cri_seconds();
  f->many = true;
  status = run_islands(g, first, islands, error);
  f->many = false;
  if (!g->told) {
    status = meet(g, status, error);
  }
  CR_TRY(status);
  return cr_ranks_agree(&f->ranks, gather(g, error), error);
}

static cr_status search_valleys(cr_runs_fit* f, cr_error* error) {
  const search_kind* kind = kind_of(f->o);
  global g = {.f = f,
              .kind = kind,
              .n = cr_identification_count(f->id),
              .generations = given_or(f->o->generations, kind->generations),
              .best = (cr_real)INFINITY};
  cr_status status = find_valley(&g, error);
  for (int i = 0; i < g.nworker; i++) {
    cr_identification_destroy(g.ids != NULL ? g.ids[i] : NULL);
    cr_parameters_destroy(g.parameters != NULL ? g.parameters[i] : NULL);
  }
  free(g.ids);
  free(g.parameters);
  free(g.room);
  free(g.state);
  return status;
}

cr_status cr_fit_search(cr_runs_fit* f, cr_error* error) {
  bool spread = kind_of(f->o) != NULL;
  int phase = (int)f->saving.phase;
  CR_TRY(cr_ranks_tell(&f->ranks, &phase, error));
  if (spread && phase != CR_FIT_SOLVE) {
    CR_TRY(search_valleys(f, error));
  }
  cr_status status = f->ranks.rank == 0 ? solve(f, spread, error) : CR_OK;
  return cr_ranks_agree(&f->ranks, status, error);
}
