// SPDX-License-Identifier: Apache-2.0
// What all methods have in common: digits that do not depend on threads, saving and resuming, parts of a ring, ends.
#include "search/global.h"

#include <pthread.h>
#include <stdlib.h>

#include "support/close.h"
#include "support/landscapes.h"

enum { N = 3, METHODS = 4, GENERATIONS = 12 };

static cr_error error;

static cr_global_options options_of(int method) {
  return (cr_global_options){.size = sizeof(cr_global_options),
                             .method = (cr_global_method)method,
                             .local = CR_LOCAL_LEVENBERG_MARQUARDT,
                             .local_iterations = 4,
                             .islands = 4,
                             .population = 6,
                             .generations = GENERATIONS,
                             .exchange_every = 3,
                             .seed = 11};
}

typedef struct {
  cr_real x[N];
  cr_global_result result;
} end;

static end search(const cr_global_options* o, int threads) {
  landscape lands[4];
  void* contexts[4];
  for (int i = 0; i < 4; i++) {
    lands[i] = landscape_of(N, false);
    contexts[i] = &lands[i];
  }
  cr_global_problem p = landscape_problem(&lands[0], true);
  p.contexts = contexts;
  p.ncontext = threads;
  end e = {.x = {4, CR_R(-3.5), 5}, .result = {.size = sizeof e.result}};
  if (cri_minimise_global(&p, o, NULL, e.x, &e.result, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  long calls = 0;
  for (int i = 0; i < threads; i++) {
    calls += lands[i].calls;
  }
  assert_true(o->resume != NULL || calls == e.result.evaluations);
  return e;
}

static void same(const end* a, const end* b) {
  assert_memory_equal(a->x, b->x, sizeof a->x);
  assert_memory_equal(&a->result.value, &b->result.value, sizeof a->result.value);
  assert_true(a->result.evaluations == b->result.evaluations);
  assert_int_equal(a->result.generations, b->result.generations);
}

TEST(threads_do_not_change_digits) {
  for (int method = 0; method < METHODS; method++) {
    const cr_global_options o = options_of(method);
    const end one = search(&o, 1), two = search(&o, 2), four = search(&o, 4);
    same(&one, &two);
    same(&one, &four);
    assert_int_equal(one.result.generations, GENERATIONS);
    assert_string_equal(one.result.reason, "all generations done");
    cr_global_options other = o;
    other.seed = 12;
    const end another = search(&other, 1);
    assert_true(another.result.evaluations != one.result.evaluations || another.x[0] != one.x[0]);
  }
}

// ---- saving

typedef struct {
  int at, saved;
  size_t size;
  void* state;
} keeper;

static cr_status keep(void* context, int generation, const void* state, size_t size,
                      cr_error* why) {
  keeper* k = context;
  k->saved++;
  if (generation == k->at) {
    k->size = size;
    k->state = malloc(size);
    memcpy(k->state, state, size);
  }
  return CR_OK;
}

// saved after generations with and without an exchange
TEST(resumed_searches_have_the_same_digits) {
  for (int method = 0; method < METHODS; method++) {
    for (int at = 5; at <= 6; at++) {
      keeper k = {.at = at};
      cr_global_options o = options_of(method);
      o.context = &k;
      o.save = keep;
      const end whole = search(&o, 1);
      assert_int_equal(k.saved, GENERATIONS);
      assert_non_null(k.state);
      cr_global_options on = options_of(method);
      on.resume = k.state;
      on.resume_size = k.size;
      const end resumed = search(&on, 2);
      same(&whole, &resumed);
      free(k.state);
    }
  }
}

TEST(saved_now_and_then) {
  keeper k = {.at = -1};
  cr_global_options o = options_of(CR_GLOBAL_RESTARTS);
  o.context = &k;
  o.save = keep;
  o.save_every = 5;
  (void)search(&o, 1);
  assert_int_equal(k.saved, 2);
}

// ---- parts of a ring, in two threads that wait for each other

typedef struct {
  pthread_barrier_t barrier;
  cr_real mail[2][1 + N];
  bool done[2];
} post;

typedef struct {
  post* post;
  int part;
  int method;
  end end;
} half;

static cr_status pass(void* context, int generation, const cr_real* sent, cr_real* received,
                      bool* done, cr_error* why) {
  const half* h = context;
  memcpy(h->post->mail[h->part], sent, sizeof h->post->mail[0]);
  h->post->done[h->part] = *done;
  (void)pthread_barrier_wait(&h->post->barrier);
  memcpy(received, h->post->mail[1 - h->part], sizeof h->post->mail[0]);
  *done = h->post->done[0] || h->post->done[1];
  (void)pthread_barrier_wait(&h->post->barrier);
  return CR_OK;
}

static void* run_half(void* context) {
  half* h = context;
  landscape land = landscape_of(N, false);
  const cr_global_problem p = landscape_problem(&land, true);
  cr_global_options o = options_of(h->method);
  cr_error why;
  o.islands = 2;
  o.first_island = 2 * h->part;
  o.context = h;
  o.exchange = pass;
  h->end = (end){.x = {4, CR_R(-3.5), 5}, .result = {.size = sizeof h->end.result}};
  if (cri_minimise_global(&p, &o, NULL, h->end.x, &h->end.result, &why) != CR_OK) {
    h->end.result.value = (cr_real)NAN;
  }
  return NULL;
}

TEST(a_ring_in_two_parts_is_the_ring) {
  static const int methods[] = {CR_GLOBAL_RESTARTS, CR_GLOBAL_BASIN_HOPPING};
  for (int k = 0; k < 2; k++) {
    cr_global_options o = options_of(methods[k]);
    const end whole = search(&o, 1);
    post mail;
    assert_int_equal(pthread_barrier_init(&mail.barrier, NULL, 2), 0);
    half halves[] = {{.post = &mail, .part = 0, .method = methods[k]},
                     {.post = &mail, .part = 1, .method = methods[k]}};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_half, &halves[1]), 0);
    (void)run_half(&halves[0]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    const end *a = &halves[0].end, *b = &halves[1].end;
    const end* best = b->result.value < a->result.value ? b : a;
    assert_memory_equal(best->x, whole.x, sizeof whole.x);
    assert_true(a->result.evaluations + b->result.evaluations == whole.result.evaluations);
    (void)pthread_barrier_destroy(&mail.barrier);
  }
}

// ---- ends

typedef struct {
  int left, reports;
  cr_real last;
} watcher;

static bool enough(void* context) { return --((watcher*)context)->left < 0; }

static void report(void* context, int generation, cr_real best, const cr_real* x) {
  watcher* w = context;
  assert_int_equal(generation, ++w->reports);
  assert_true(best <= w->last && isfinite(x[0]));
  w->last = best;
}

TEST(stops_with_the_best_so_far) {
  for (int method = 0; method < METHODS; method++) {
    landscape land = landscape_of(N, false);
    const cr_global_problem p = landscape_problem(&land, true);
    cr_global_options o = options_of(method);
    watcher w = {.left = 200, .last = (cr_real)INFINITY};
    o.context = &w;
    o.stop = enough;
    o.progress = report;
    cr_global_result result = {.size = sizeof result};
    cr_real x[N] = {4, CR_R(-3.5), 5}, value, start[N] = {4, CR_R(-3.5), 5}, before;
    assert_int_equal(cri_minimise_global(&p, &o, NULL, x, &result, &error), CR_ERR_INTERRUPTED);
    assert_int_equal(landscape_value(&land, x, &value, NULL), CR_OK);
    assert_int_equal(landscape_value(&land, start, &before, NULL), CR_OK);
    assert_close(value, result.value, 50 * CR_EPS * (1 + value));
    assert_true(value < before);
    assert_true(w.reports >= 1 && w.reports < GENERATIONS);
  }
}

TEST(ends_at_the_target) {
  cr_global_options o = options_of(CR_GLOBAL_BASIN_HOPPING);
  o.generations = 1000;
  o.has_target = true;
  o.target = CR_R(1e-6);
  const end e = search(&o, 2);
  assert_string_equal(e.result.reason, "target reached");
  assert_true(e.result.generations < 1000 && e.result.value <= o.target);
}

TEST(errors_pass_through) {
  for (int method = 0; method < METHODS; method++) {
    landscape land = landscape_of(N, false);
    const cr_global_problem p = landscape_problem(&land, true);
    const cr_global_options o = options_of(method);
    cr_real x[N] = {4, CR_R(-3.5), 5};
    land.fail_at = 40;
    assert_int_equal(cri_minimise_global(&p, &o, NULL, x, NULL, &error), CR_ERR_DIVERGED);
    assert_string_equal(error.text, "this run diverged");
    land.fail_at = -1;
    land.none_above = 4;
    land.instead = (cr_real)NAN;
    assert_int_equal(cri_minimise_global(&p, &o, NULL, x, NULL, &error), CR_ERR_NONFINITE);
    assert_string_equal(error.text, "residual 0 is not a number");
    land.none_above = -6;  // nowhere a value
    land.instead = (cr_real)INFINITY;
    assert_int_equal(cri_minimise_global(&p, &o, NULL, x, NULL, &error), CR_ERR_NONFINITE);
    assert_non_null(strstr(error.text, "no finite value"));
  }
}

// a wall of infinity leaves a search its other side
TEST(places_that_are_none_are_avoided) {
  for (int method = 0; method < METHODS; method++) {
    landscape land = landscape_of(N, false);
    const cr_global_problem p = landscape_problem(&land, true);
    cr_global_options o = options_of(method);
    cr_real x[N] = {4, CR_R(-3.5), 5};
    o.generations = 60;
    land.none_above = CR_R(-0.5);
    land.instead = (cr_real)INFINITY;
    assert_int_equal(cri_minimise_global(&p, &o, NULL, x, NULL, &error), CR_OK);
    assert_true(x[0] <= CR_R(-0.5));
  }
}

static void refuse(const cr_global_problem* p, const cr_global_options* o, cr_status status,
                   const char* what) {
  cr_real x[N] = {4, CR_R(-3.5), 5};
  assert_int_equal(cri_minimise_global(p, o, NULL, x, NULL, &error), status);
  if (strstr(error.text, what) == NULL) {
    fail_msg("'%s' is not about %s", error.text, what);
  }
}

TEST(what_cannot_be_searched_is_refused) {
  landscape land = landscape_of(N, false);
  const cr_global_problem p = landscape_problem(&land, true);
  const cr_global_options o = options_of(CR_GLOBAL_DIFFERENTIAL_EVOLUTION);
  const cr_real open[] = {5, 5, (cr_real)INFINITY}, narrow[] = {5, 5, 4};
  cr_global_problem q = p;
  q.upper = NULL;
  refuse(&q, &o, CR_ERR_ARG, "no bounds");
  q.upper = open;
  refuse(&q, &o, CR_ERR_ARG, "finite bounds expected");
  q.upper = narrow;
  refuse(&q, &o, CR_ERR_ARG, "x[2] is not between its bounds");
  q = p;
  q.residuals = NULL;
  refuse(&q, &o, CR_ERR_ARG, "no function");
  q.value = landscape_value;
  refuse(&q, &o, CR_ERR_ARG, "Levenberg-Marquardt needs residuals");
  cr_global_options r = o;
  r.local = CR_LOCAL_LBFGS;
  refuse(&q, &r, CR_ERR_ARG, "L-BFGS needs a gradient");
  refuse(&p, &r, CR_ERR_UNSUPPORTED, "this library is without it");
  r.local = CR_LOCAL_OWN;
  refuse(&p, &r, CR_ERR_ARG, "no way down of your own");
  r.local = (cr_local_method)(CR_LOCAL_OWN + 1);
  refuse(&p, &r, CR_ERR_ARG, "no such local method");
  r = o;
  r.population = 3;
  refuse(&p, &r, CR_ERR_ARG, "population is too small");
  r = o;
  r.method = (cr_global_method)4;
  refuse(&p, &r, CR_ERR_ARG, "no such method");
  r = o;
  r.resume = &r;
  r.resume_size = 8;
  refuse(&p, &r, CR_ERR_FORMAT, "8 bytes");
}
