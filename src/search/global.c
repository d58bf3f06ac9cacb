// SPDX-License-Identifier: Apache-2.0
// Generations of all islands on a pool of threads, island i on thread i mod nthread; between them exchanges, reports, saving.
// What an island does depends on its own random numbers and on exchanges alone, so digits do not depend on threads.
#include "search/global.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/pool.h"
#include "model/misuse.h"
#include "search/island.h"
#include "search/saved.h"

static const cr_island_method* const methods[] = {
    [CR_GLOBAL_RESTARTS] = &cr_restarts,
    [CR_GLOBAL_BASIN_HOPPING] = &cr_basin_hopping,
    [CR_GLOBAL_CMA_ES] = &cr_cma_es,
    [CR_GLOBAL_DIFFERENTIAL_EVOLUTION] = &cr_differential_evolution};
enum { N_METHOD = sizeof methods / sizeof methods[0] };

typedef struct {
  const cr_global_problem* problem;
  const cr_island_method* method;
  cr_global_options options;  // all defaults filled in
  int generation, count;      // count of islands
  int64_t evaluations;
  cr_island* islands;
  cr_status* status;  // of each island, with
  cr_error* errors;
  cr_global_worker* workers;
  cr_pool* pool;
  cr_real *island_room, *worker_room;
  cr_real* sent;  // (1 + islands) (1 + n): what islands receive
  void* state;
} search;

// ---- arguments

static bool has_finite_bounds(const cr_global_problem* p) {
  for (int i = 0; i < p->n; i++) {
    if (!isfinite(p->lower[i]) || !isfinite(p->upper[i]) || !(p->lower[i] <= p->upper[i])) {
      return false;
    }
  }
  return true;
}

static const char* wrong_with_problem(const cr_global_problem* p) {
  bool squares = p->residuals != NULL;
  return p->n < 1 || p->n > 10000               ? "1 to 10000 numbers expected"
         : p->lower == NULL || p->upper == NULL ? "no bounds"
         : !has_finite_bounds(p)                ? "finite bounds expected"
         : !squares && p->evaluate == NULL && p->value == NULL && p->descend == NULL ? "no function"
         : squares && p->m < 1                                         ? "no residuals"
         : squares && p->m > INT32_MAX / (p->n + 1)                    ? "too many residuals"
         : p->ncontext < 0 || (p->ncontext > 0 && p->contexts == NULL) ? "no contexts"
                                                                       : NULL;
}

static const char* wrong_with_options(const cr_global_problem* p, const cr_global_options* o) {
  bool lbfgs = o->local == CR_LOCAL_LBFGS;
  int needed = o->method == CR_GLOBAL_DIFFERENTIAL_EVOLUTION ? 4
               : o->method == CR_GLOBAL_CMA_ES               ? 2
                                                             : 1;
  int population = o->population == 0 ? 16 : o->population;
  return (unsigned)o->method >= N_METHOD                        ? "no such method"
         : (unsigned)o->local > CR_LOCAL_OWN                    ? "no such local method"
         : o->local == CR_LOCAL_OWN && p->descend == NULL       ? "no way down of your own"
         : lbfgs && p->residuals == NULL && p->evaluate == NULL ? "L-BFGS needs a gradient"
         : lbfgs && p->n > 256                                  ? "L-BFGS takes at most 256 numbers"
         : o->local == CR_LOCAL_LEVENBERG_MARQUARDT && p->residuals == NULL
             ? "Levenberg-Marquardt needs residuals"
         : o->islands < 0 || o->generations < 0 || o->nthread < 0 || o->first_island < 0 ||
                 o->save_every < 0 || o->local_iterations < 0
             ? "a count is below zero"
         : population < needed ? "the population is too small for the method"
         : !(o->step >= 0) || !(o->local_tolerance >= 0) ? "a step or a tolerance below zero"
                                                         : NULL;
}

static cr_status check(const cri_call* call, const cr_global_problem* p, const cr_global_options* o,
                       cri_gradient_search* lbfgs, const cr_real* x,
                       const cr_global_result* result) {
  CR_TRY(cri_given(call, p, "the problem"));
  CR_TRY(cri_given(call, o, "options"));
  CR_TRY(cri_given(call, x, "x"));
  CR_TRY(cri_check_size(call, p->size, sizeof *p, "cr_global_problem"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_global_options"));
  if (result != NULL) {
    CR_TRY(cri_check_size(call, result->size, sizeof *result, "cr_global_result"));
  }
  const char* wrong = wrong_with_problem(p);
  wrong = wrong != NULL ? wrong : wrong_with_options(p, o);
  if (wrong != NULL) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %s", call->name, wrong);
  }
  if (o->local == CR_LOCAL_LBFGS && lbfgs == NULL) {
    return cri_fail(call->error, CR_ERR_UNSUPPORTED,
                    "%s: L-BFGS is NLopt's, and this library is without it", call->name);
  }
  for (int i = 0; i < p->n; i++) {
    if (!(p->lower[i] <= x[i] && x[i] <= p->upper[i])) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: x[%d] is not between its bounds", call->name,
                      i);
    }
  }
  return CR_OK;
}

static int count_or(int count, int otherwise) { return count == 0 ? otherwise : count; }

static cr_real number_or(cr_real x, cr_real otherwise) { return x == 0 ? otherwise : x; }

static cr_global_options filled_in(const cr_global_options* o) {
  cr_global_options f = *o;
  bool cma = o->method == CR_GLOBAL_CMA_ES;
  f.local_iterations = count_or(o->local_iterations, 50);
  f.local_tolerance = number_or(o->local_tolerance, CR_R(1e-10));
  f.islands = count_or(o->islands, 4);
  f.population = count_or(o->population, 16);
  f.generations = count_or(o->generations, 100);
  f.exchange_every = count_or(o->exchange_every, 10);
  f.step = number_or(o->step, cma ? CR_R(0.3) : CR_R(0.25));
  f.temperature = cr_max(number_or(o->temperature, CR_R(0.5)), 0);
  f.save_every = count_or(o->save_every, 1);
  return f;
}

// ---- memory

static void end_search(search* s) {
  cr_pool_free(s->pool);
  free(s->islands);
  free(s->status);
  free(s->errors);
  free(s->workers);
  free(s->island_room);
  free(s->worker_room);
  free(s->sent);
  free(s->state);
}

static void bind_islands(search* s, const cr_real* start) {
  const cr_global_problem* p = s->problem;
  size_t count = cri_island_count(s->method, p->n, s->options.population);
  for (int i = 0; i < s->count; i++) {
    cr_island* island = &s->islands[i];
    int number = s->options.first_island + i;
    *island = (cr_island){.n = p->n,
                          .population = s->options.population,
                          .lower = p->lower,
                          .upper = p->upper,
                          .options = &s->options,
                          .start = number == 0 ? start : NULL,
                          .random = cr_random_seed(s->options.seed, (uint64_t)number),
                          .count = count};
    cri_island_bind(island, s->island_room + (size_t)i * count);
    island->best[0] = (cr_real)INFINITY;
  }
}

static void bind_workers(search* s, cri_gradient_search* lbfgs) {
  const cr_global_problem* p = s->problem;
  for (int i = 0; i < cr_pool_size(s->pool); i++) {
    s->workers[i] = (cr_global_worker){.problem = p,
                                       .options = &s->options,
                                       .lbfgs = lbfgs,
                                       .context = p->ncontext > 0 ? p->contexts[i] : p->context};
    cri_worker_bind(&s->workers[i], s->worker_room + (size_t)i * cri_worker_room(p));
  }
}

static cr_status begin_search(search* s, cri_gradient_search* lbfgs, const cr_real* start,
                              cr_error* error) {
  const cr_global_problem* p = s->problem;
  size_t count = (size_t)s->count, n = (size_t)p->n;
  int most = p->ncontext > 0 ? p->ncontext : 1;
  most = most < s->count ? most : s->count;
  if (s->options.nthread > 0 && s->options.nthread < most) {
    most = s->options.nthread;
  }
  CR_TRY(cr_pool_create(&s->pool, most, error));
  size_t workers = (size_t)cr_pool_size(s->pool);
  s->islands = calloc(count, sizeof *s->islands);
  s->status = calloc(count, sizeof *s->status);
  s->errors = calloc(count, sizeof *s->errors);
  s->workers = calloc(workers, sizeof *s->workers);
  s->island_room = calloc(count * cri_island_count(s->method, p->n, s->options.population),
                          sizeof *s->island_room);
  s->worker_room = calloc(workers * cri_worker_room(p), sizeof *s->worker_room);
  s->sent = calloc((count + 1) * (1 + n), sizeof *s->sent);
  if (s->islands == NULL || s->status == NULL || s->errors == NULL || s->workers == NULL ||
      s->island_room == NULL || s->worker_room == NULL || s->sent == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "cr_minimise_global: no memory for %d islands", s->count);
  }
  bind_islands(s, start);
  bind_workers(s, lbfgs);
  s->state = s->options.save != NULL ? malloc(cri_state_size(s->islands, s->count)) : NULL;
  if (s->options.save != NULL && s->state == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "cr_minimise_global: no memory for a state");
  }
  return s->options.resume == NULL
             ? CR_OK
             : cri_state_read(s->options.resume, s->options.resume_size, s->islands, s->count,
                              &s->generation, &s->evaluations, error);
}

// ---- a generation

static cr_status work(void* context, int item, int worker) {
  search* s = context;
  s->status[item] = s->method->generation(&s->islands[item], &s->workers[worker], s->generation,
                                          &s->errors[item]);
  return s->status[item];
}

static cr_status run_islands(search* s, cr_error* error) {
  for (int i = 0; i < s->count; i++) {
    s->status[i] = CR_OK;
  }
  cr_status status = cr_pool_run(s->pool, s->count, work, s);
  for (int i = 0; i < s->count && status != CR_OK; i++) {
    if (s->status[i] != CR_OK) {
      return cri_fail(error, status, "%s", s->errors[i].text);
    }
  }
  return status;
}

static int64_t evaluations_of(search* s) {
  for (int i = 0; i < cr_pool_size(s->pool); i++) {
    s->evaluations += s->workers[i].evaluations;
    s->workers[i].evaluations = 0;
  }
  return s->evaluations;
}

// the best ever: value, then x
static const cr_real* best_of(const search* s) {
  const cr_real* best = s->islands[0].best;
  for (int i = 1; i < s->count; i++) {
    best = s->islands[i].best[0] < best[0] ? s->islands[i].best : best;
  }
  return best;
}

static bool on_target(const search* s) {
  return s->options.has_target && best_of(s)[0] <= s->options.target;
}

// the best of each island's population goes on to the next island
static cr_status exchange(search* s, bool* done, cr_error* error) {
  int n = s->problem->n, width = n + 1;
  // room 0 is for what comes to the first island
  for (int i = 0; i < s->count; i++) {
    const cr_island* from = &s->islands[i];
    cr_real* to = s->sent + (i + 1) * width;
    int best = cri_island_lowest(from);
    to[0] = from->values[best];
    cr_copy(to + 1, cri_island_at(from, best), n);
  }
  const cr_real* last = s->sent + s->count * width;
  cr_copy(s->sent, last, width);
  if (s->options.exchange != NULL) {
    *done = on_target(s);
    CR_TRY(s->options.exchange(s->options.context, s->generation, last, s->sent, done, error));
  }
  for (int i = 0; i < s->count && (s->count > 1 || s->options.exchange != NULL); i++) {
    const cr_real* place = s->sent + i * width;
    s->method->receive(&s->islands[i], place[0], place + 1);
  }
  return CR_OK;
}

static cr_status save(search* s, cr_error* error) {
  const cr_global_options* o = &s->options;
  if (o->save == NULL || s->generation % o->save_every != 0) {
    return CR_OK;
  }
  cri_state_write(s->state, s->islands, s->count, s->generation, s->evaluations);
  return o->save(o->context, s->generation, s->state, cri_state_size(s->islands, s->count), error);
}

// generations until the last one or a target
static cr_status run(search* s, const char** reason, cr_error* error) {
  const cr_global_options* o = &s->options;
  *reason = "all generations done";
  while (s->generation < o->generations) {
    bool done = false;
    CR_TRY(run_islands(s, error));
    (void)evaluations_of(s);
    s->generation++;
    if (o->exchange_every > 0 && s->generation % o->exchange_every == 0) {
      CR_TRY(exchange(s, &done, error));
    }
    if (o->progress != NULL) {
      o->progress(o->context, s->generation, best_of(s)[0], best_of(s) + 1);
    }
    CR_TRY(save(s, error));
    if (done || (o->exchange == NULL && on_target(s))) {
      *reason = "target reached";
      break;
    }
  }
  return CR_OK;
}

// down from the best place, where the method has not been so already
static cr_status finish(search* s, cr_error* error) {
  const cr_real* best = best_of(s);
  if (!isfinite(best[0])) {
    return cri_fail(error, CR_ERR_NONFINITE, "cr_minimise_global: no finite value was found");
  }
  if (s->options.local == CR_LOCAL_NONE || s->method == &cr_restarts ||
      s->method == &cr_basin_hopping) {
    return CR_OK;
  }
  cr_real value;
  cr_copy(s->sent, best + 1, s->problem->n);
  CR_TRY(cri_worker_descend(&s->workers[0], s->sent, &value, error));
  cri_island_note(&s->islands[0], value, s->sent);
  return CR_OK;
}

cr_status cri_minimise_global(const cr_global_problem* p, const cr_global_options* o,
                              cri_gradient_search* lbfgs, cr_real* x, cr_global_result* result,
                              cr_error* error) {
  const cri_call call = {"cr_minimise_global", error};
  CR_TRY(check(&call, p, o, lbfgs, x, result));
  search s = {.problem = p, .method = methods[o->method], .options = filled_in(o)};
  s.count = s.options.islands;
  const char* reason = "";
  cr_status status = begin_search(&s, lbfgs, x, error);
  bool begun = status == CR_OK;
  status = begun ? run(&s, &reason, error) : status;
  status = status == CR_OK ? finish(&s, error) : status;
  if (begun && result != NULL) {
    result->value = best_of(&s)[0];
    result->generations = s.generation;
    result->evaluations = evaluations_of(&s);
    result->reason = reason;
  }
  if (begun && isfinite(best_of(&s)[0])) {
    cr_copy(x, best_of(&s) + 1, p->n);
  }
  end_search(&s);
  return status;
}
