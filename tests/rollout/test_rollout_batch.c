// SPDX-License-Identifier: Apache-2.0
// Batches: the bits of each rollout by itself, for any number of threads and in any company; own
// parameters with what follows from them; what goes wrong in one of them.
#include "rollout/rollout_batch.h"

#include <stdlib.h>

#include "base/random.h"
#include "engine/constants.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "model/fields.h"
#include "rollout/trajectory.h"
#include "scenes/random_model.h"
#include "support/allocation.h"
#include "support/close.h"

enum { ITEMS = 9, STEPS = 5 };

// results of ITEMS rollouts, a row each
typedef struct {
  cr_real *loss, *qpos, *qvel, *qpos_bar, *qvel_bar, *ctrl_bar, *mass_bar;
} results;

typedef struct {
  cr_model m;
  cr_data* start;
  cr_real *qpos, *qvel, *act, *ctrl, *mass, *weight;
} bench;

static cr_real* numbers(int n) {
  cr_real* x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static void bench_open(bench* s, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 3);
  assert_int_equal(random_model(&s->m, seed, NULL), CR_OK);
  s->start = test_data(&s->m);
  const cr_model* m = &s->m;
  s->qpos = numbers(ITEMS * m->nq);
  s->qvel = numbers(ITEMS * m->nv);
  s->act = numbers(ITEMS * m->na);
  s->ctrl = numbers(ITEMS * STEPS * m->nu);
  s->mass = numbers(ITEMS * m->nbody);
  s->weight = numbers(m->nv);
  for (int i = 0; i < ITEMS; i++) {
    random_state(m, s->start, 100 * seed + (uint64_t)i, STATE_FLIGHT);
    cr_copy(s->qpos + i * m->nq, s->start->qpos, m->nq);
    cr_copy(s->qvel + i * m->nv, s->start->qvel, m->nv);
    cr_copy(s->act + i * m->na, s->start->act, m->na);
    for (int b = 0; b < m->nbody; b++) {
      cr_real factor = cr_random_range(&r, CR_R(0.9), CR_R(1.1));
      s->mass[i * m->nbody + b] = factor * m->body_mass[b];
    }
  }
  for (int i = 0; i < ITEMS * STEPS * m->nu; i++) {
    s->ctrl[i] = CR_R(0.1) * cr_random_normal(&r);
  }
  for (int i = 0; i < m->nv; i++) {
    s->weight[i] = cr_random_normal(&r);
  }
}

static void bench_close(bench* s) {
  cr_real* all[] = {s->qpos, s->qvel, s->act, s->ctrl, s->mass, s->weight};
  for (int i = 0; i < 6; i++) {
    free(all[i]);
  }
  cri_model_free(&s->m);
}

static results results_open(const cr_model* m) {
  return (results){.loss = numbers(ITEMS),
                   .qpos = numbers(ITEMS * m->nq),
                   .qvel = numbers(ITEMS * m->nv),
                   .qpos_bar = numbers(ITEMS * m->nv),
                   .qvel_bar = numbers(ITEMS * m->nv),
                   .ctrl_bar = numbers(ITEMS * STEPS * m->nu),
                   .mass_bar = numbers(ITEMS * m->nbody)};
}

static void results_close(results* r) {
  cr_real* all[] = {r->loss, r->qpos, r->qvel, r->qpos_bar, r->qvel_bar, r->ctrl_bar, r->mass_bar};
  for (int i = 0; i < 7; i++) {
    free(all[i]);
  }
}

// where row `first` of the results goes
static cr_batch_output output_of(const cr_model* m, const results* r, int first,
                                 cr_real* mass_bar[1]) {
  mass_bar[0] = r->mass_bar + first * m->nbody;
  return (cr_batch_output){.size = sizeof(cr_batch_output),
                           .loss = r->loss + first,
                           .qpos = r->qpos + first * m->nq,
                           .qvel = r->qvel + first * m->nv,
                           .qpos_bar = r->qpos_bar + first * m->nv,
                           .qvel_bar = r->qvel_bar + first * m->nv,
                           .ctrl_bar = r->ctrl_bar + first * STEPS * m->nu,
                           .parameters_bar = mass_bar};
}

// a long double has bytes that hold nothing
static void assert_same(const cr_real* a, const cr_real* b, int n) {
  for (int i = 0; i < n; i++) {
    assert_true(a[i] == b[i]);
  }
}

static void assert_same_bits(const cr_model* m, const results* a, const results* b) {
  assert_same(a->loss, b->loss, ITEMS);
  assert_same(a->qpos, b->qpos, ITEMS * m->nq);
  assert_same(a->qvel, b->qvel, ITEMS * m->nv);
  assert_same(a->qpos_bar, b->qpos_bar, ITEMS * m->nv);
  assert_same(a->qvel_bar, b->qvel_bar, ITEMS * m->nv);
  assert_same(a->ctrl_bar, b->ctrl_bar, ITEMS * STEPS * m->nu);
  assert_same(a->mass_bar, b->mass_bar, ITEMS * m->nbody);
}

// ---- a loss: a weighted sum of the last velocities

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  const bench* s = context;
  (void)step;
  for (int i = 0; i < m->nv; i++) {
    *loss += s->weight[i] * d->qvel[i];
  }
  return CR_OK;
}

static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* out) {
  const bench* s = context;
  (void)d, (void)step;
  for (int i = 0; i < m->nv; i++) {
    out->qvel[i] += s->weight[i];
  }
  return CR_OK;
}

static cr_loss loss_of(void* context, int item, int worker) {
  (void)item, (void)worker;
  return (cr_loss){.context = context, .value = value, .bar = bar};
}

static const char* const mass_only[] = {"body_mass"};

static cr_batch* batch_of(const bench* s, int nthread, bool derive) {
  cr_batch* batch = NULL;
  cr_error error;
  // some within the least memory there can be
  size_t rows = (STEPS + 1) * (2 * (size_t)s->m.nu * sizeof(cr_real) + sizeof(int));
  size_t least = rows + cri_tape_least(&s->m, 0);
  const cr_batch_options o = {.size = sizeof o,
                              .nstep = STEPS,
                              .memory = nthread > 3 ? least : 0,
                              .nthread = nthread,
                              .parameters = mass_only,
                              .nparameter = 1,
                              .derive = derive};
  assert_int_equal(cr_batch_create(&batch, &s->m, &s->m, &o, &error), CR_OK);
  assert_int_equal(cr_batch_threads(batch), nthread);
  return batch;
}

static void run_all(const bench* s, int nthread, const results* to) {
  cr_error error;
  cr_batch* batch = batch_of(s, nthread, true);
  cr_real* mass_bar[1];
  const cr_real* mass[1] = {s->mass};
  const cr_batch_input in = {.size = sizeof in,
                             .qpos = s->qpos,
                             .qvel = s->qvel,
                             .act = s->act,
                             .ctrl = s->ctrl,
                             .parameters = mass};
  cr_batch_output out = output_of(&s->m, to, 0, mass_bar);
  assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, (void*)(uintptr_t)s, &out, &error),
                   CR_OK);
  cr_batch_destroy(batch);
}

// one item in a batch of its own, by a worker that has had another item before
static void run_alone(const bench* s, cr_batch* batch, int i, const results* to) {
  cr_error error;
  const cr_model* m = &s->m;
  cr_real* mass_bar[1];
  const cr_real* mass[1] = {s->mass + i * m->nbody};
  const cr_batch_input in = {.size = sizeof in,
                             .qpos = s->qpos + i * m->nq,
                             .qvel = s->qvel + i * m->nv,
                             .act = s->act + i * m->na,
                             .ctrl = s->ctrl + i * STEPS * m->nu,
                             .parameters = mass};
  cr_batch_output out = output_of(m, to, i, mass_bar);
  assert_int_equal(cr_batch_run(batch, 1, &in, loss_of, (void*)(uintptr_t)s, &out, &error), CR_OK);
}

// the same by hand
static void run_by_hand(const bench* s, int i, const results* to) {
  const cr_model* m = &s->m;
  cr_error error;
  cr_model own;
  cr_rollout* r = NULL;
  const char* const names[] = {"body_mass",         "body_invweight0", "dof_invweight0",
                               "tendon_invweight0", "tendon_length0",  "actuator_acc0"};
  assert_int_equal(cri_model_copy(&own, m, &error), CR_OK);
  assert_int_equal(cr_rollout_create(&r, &own, STEPS, names, 6, &error), CR_OK);
  cr_copy(own.body_mass, s->mass + i * m->nbody, m->nbody);
  assert_int_equal(cr_constants(&own, r->work), CR_OK);
  cr_copy(r->d->qpos, s->qpos + i * m->nq, m->nq);
  cr_copy(r->d->qvel, s->qvel + i * m->nv, m->nv);
  cr_copy(r->d->act, s->act + i * m->na, m->na);
  cr_copy(r->ctrl, s->ctrl + i * STEPS * m->nu, STEPS * m->nu);
  cr_loss loss = loss_of((void*)(uintptr_t)s, i, 0);
  assert_int_equal(cr_rollout_run(r, &own, STEPS, &loss, &error), CR_OK);
  to->loss[i] = r->loss;
  cr_copy(to->qpos + i * m->nq, r->d->qpos, m->nq);
  cr_copy(to->qvel + i * m->nv, r->d->qvel, m->nv);
  assert_int_equal(cr_rollout_gradient(r, &own, &own, &loss, &error), CR_OK);
  assert_int_equal(cr_constants_vjp(&own, r->work, r->bar), CR_OK);
  cr_copy(to->qpos_bar + i * m->nv, r->bar->qpos, m->nv);
  cr_copy(to->qvel_bar + i * m->nv, r->bar->qvel, m->nv);
  cr_copy(to->ctrl_bar + i * STEPS * m->nu, r->ctrl_bar, STEPS * m->nu);
  cr_copy(to->mass_bar + i * m->nbody, r->bar->par.body_mass, m->nbody);
  cr_rollout_destroy(r);
  cri_model_free(&own);
}

TEST(same_bits_alone_together_and_by_hand) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    bench s;
    bench_open(&s, seed);
    results first = results_open(&s.m), other = results_open(&s.m), hand = results_open(&s.m);
    run_all(&s, 1, &first);
    for (int nthread = 2; nthread <= 5; nthread++) {
      run_all(&s, nthread, &other);
      assert_same_bits(&s.m, &other, &first);
    }
    cr_batch* batch = batch_of(&s, 1, true);
    for (int i = ITEMS - 1; i >= 0; i--) {
      run_alone(&s, batch, i, &other);
      run_by_hand(&s, i, &hand);
    }
    assert_same_bits(&s.m, &other, &first);
    assert_same_bits(&s.m, &hand, &first);
    cr_batch_destroy(batch);
    results_close(&first);
    results_close(&other);
    results_close(&hand);
    bench_close(&s);
  }
}

// the gradients of runs that were kept are those of runs that are followed by their gradients
static void run_kept(const bench* s, int nthread, const results* to) {
  cr_error error;
  cr_batch *first = batch_of(s, 1, true), *second = batch_of(s, nthread, true);
  size_t size = cr_batch_kept_size(first);
  assert_int_equal(size, (STEPS + 1) * (size_t)(2 + cri_state_size(&s->m) + s->m.nv));
  cr_real *kept = numbers(ITEMS * (int)size), *loss = numbers(ITEMS), *mass_bar[1];
  const cr_real* mass[1] = {s->mass};
  cr_batch_input in = {.size = sizeof in,
                       .qpos = s->qpos,
                       .qvel = s->qvel,
                       .act = s->act,
                       .ctrl = s->ctrl,
                       .parameters = mass};
  cr_batch_output out = {.size = sizeof out, .loss = loss, .kept = kept};
  assert_int_equal(cr_batch_run(first, ITEMS, &in, loss_of, (void*)(uintptr_t)s, &out, &error),
                   CR_OK);
  out = output_of(&s->m, to, 0, mass_bar);
  in.kept = kept;
  assert_int_equal(cr_batch_run(second, ITEMS, &in, loss_of, (void*)(uintptr_t)s, &out, &error),
                   CR_OK);
  for (int i = 0; i < ITEMS; i++) {
    assert_true(to->loss[i] == 0);
  }
  kept[size * 2 + size / (STEPS + 1)] = 7;  // the number of a step of rollout 2
  assert_int_equal(cr_batch_run(second, ITEMS, &in, loss_of, (void*)(uintptr_t)s, &out, &error),
                   CR_ERR_ARG);
  assert_non_null(strstr(error.text, "rollout 2: the numbers given as a kept run are none"));
  cr_copy(to->loss, loss, ITEMS);
  cr_batch_destroy(first);
  cr_batch_destroy(second);
  free(kept);
  free(loss);
}

TEST(kept_runs_have_the_same_gradients) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    bench s;
    bench_open(&s, seed);
    results first = results_open(&s.m), other = results_open(&s.m);
    run_all(&s, 1, &first);
    for (int nthread = 1; nthread <= 3; nthread++) {
      run_kept(&s, nthread, &other);
      assert_same_bits(&s.m, &other, &first);
    }
    results_close(&first);
    results_close(&other);
    bench_close(&s);
  }
}

TEST(what_cannot_be_kept_is_refused) {
  bench s;
  bench_open(&s, 2);
  cr_error error;
  cr_real one = 0;
  cr_batch* batch = batch_of(&s, 4, false);  // with a limit on memory
  assert_int_equal(cr_batch_kept_size(batch), 0);
  const cr_batch_input in = {.size = sizeof in}, again = {.size = sizeof again, .kept = &one};
  const cr_batch_output out = {.size = sizeof out, .kept = &one}, none = {.size = sizeof none};
  assert_int_equal(cr_batch_run(batch, 1, &in, NULL, NULL, &out, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "cannot be kept"));
  assert_int_equal(cr_batch_run(batch, 1, &again, NULL, NULL, &none, &error), CR_ERR_ARG);
  assert_int_equal(cr_batch_kept_size(NULL), 0);
  cr_batch_destroy(batch);
  bench_close(&s);
}

// the states after every step are those of steps one by one, also where only some are asked for
TEST(states_after_every_step) {
  bench s;
  bench_open(&s, 4);
  cr_error error;
  const cr_model* m = &s.m;
  cr_batch* batch = batch_of(&s, 2, false);
  cr_real *qpos = numbers(ITEMS * STEPS * m->nq), *qvel = numbers(ITEMS * STEPS * m->nv);
  const cr_batch_input in = {
      .size = sizeof in, .qpos = s.qpos, .qvel = s.qvel, .act = s.act, .ctrl = s.ctrl};
  const cr_batch_output out = {.size = sizeof out, .qpos_path = qpos, .qvel_path = qvel};
  assert_int_equal(cr_batch_run(batch, ITEMS, &in, NULL, NULL, &out, &error), CR_OK);
  cr_data* d = test_data(m);
  for (int i = 0; i < ITEMS; i++) {
    cr_data_reset(m, d);
    cr_copy(d->qpos, s.qpos + i * m->nq, m->nq);
    cr_copy(d->qvel, s.qvel + i * m->nv, m->nv);
    cr_copy(d->act, s.act + i * m->na, m->na);
    for (int k = i * STEPS; k < (i + 1) * STEPS; k++) {
      cr_copy(d->ctrl, s.ctrl + k * m->nu, m->nu);
      assert_int_equal(cr_step(m, d), CR_OK);
      assert_int_equal(cr_advance(m, d), CR_OK);
      assert_same(qpos + k * m->nq, d->qpos, m->nq);
      assert_same(qvel + k * m->nv, d->qvel, m->nv);
    }
  }
  cr_batch_destroy(batch);
  batch = batch_of(&s, 4, false);  // with a limit on memory
  assert_int_equal(cr_batch_run(batch, ITEMS, &in, NULL, NULL, &out, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "states after every step are not kept"));
  cr_batch_destroy(batch);
  free(qpos);
  free(qvel);
  bench_close(&s);
}

// what is not given is the model's start, no control, the model's parameters; nothing stays behind
TEST(defaults_follow_what_was_given) {
  bench s;
  bench_open(&s, 2);
  cr_error error;
  results plain = results_open(&s.m), after = results_open(&s.m);
  const cr_batch_input nothing = {.size = sizeof nothing};
  cr_real* mass_bar[1];
  cr_batch_output out = output_of(&s.m, &plain, 0, mass_bar);
  cr_batch* batch = batch_of(&s, 2, false);
  assert_int_equal(cr_batch_run(batch, ITEMS, &nothing, loss_of, &s, &out, &error), CR_OK);
  for (int i = 1; i < ITEMS; i++) {
    assert_true(plain.loss[i] == plain.loss[0]);
  }
  const cr_real* mass[1] = {s.mass};
  const cr_batch_input in = {.size = sizeof in,
                             .qpos = s.qpos,
                             .qvel = s.qvel,
                             .act = s.act,
                             .ctrl = s.ctrl,
                             .parameters = mass};
  out = output_of(&s.m, &after, 0, mass_bar);
  assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, &s, &out, &error), CR_OK);
  assert_true(after.loss[1] != after.loss[0]);
  assert_int_equal(cr_batch_run(batch, ITEMS, &nothing, loss_of, &s, &out, &error), CR_OK);
  assert_same_bits(&s.m, &after, &plain);
  cr_batch_destroy(batch);
  results_close(&plain);
  results_close(&after);
  bench_close(&s);
}

// the loss without its gradient, and the end without a loss
TEST(only_what_is_asked) {
  bench s;
  bench_open(&s, 3);
  cr_error error;
  results all = results_open(&s.m), some = results_open(&s.m);
  run_all(&s, 2, &all);
  cr_batch* batch = batch_of(&s, 2, true);
  const cr_real* mass[1] = {s.mass};
  const cr_batch_input in = {.size = sizeof in,
                             .qpos = s.qpos,
                             .qvel = s.qvel,
                             .act = s.act,
                             .ctrl = s.ctrl,
                             .parameters = mass};
  cr_batch_output out = {.size = sizeof out, .loss = some.loss};
  assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, &s, &out, &error), CR_OK);
  assert_same(some.loss, all.loss, ITEMS);
  out = (cr_batch_output){.size = sizeof(cr_batch_output), .qpos = some.qpos};
  assert_int_equal(cr_batch_run(batch, ITEMS, &in, NULL, NULL, &out, &error), CR_OK);
  assert_same(some.qpos, all.qpos, ITEMS * s.m.nq);

  out = (cr_batch_output){.size = sizeof(cr_batch_output), .qpos_bar = some.qpos_bar};
  assert_int_equal(cr_batch_run(batch, ITEMS, &in, NULL, NULL, &out, &error), CR_ERR_ARG);
  assert_int_equal(cr_batch_run(batch, -1, &in, loss_of, &s, &out, &error), CR_ERR_ARG);
  assert_int_equal(cr_batch_run(batch, 0, &in, loss_of, &s, &out, &error), CR_OK);
  cr_batch_destroy(batch);
  results_close(&all);
  results_close(&some);
  bench_close(&s);
}

// all that has no rows starts as a data block says; a quaternion has three numbers in a gradient
TEST(a_start_for_all_and_turns) {
  static const char* const turns[] = {"body_quat"};
  enum { SOME = 3 };
  bench s;
  bench_open(&s, 4);
  const cr_model* m = &s.m;
  cr_error error;
  cr_batch* batch = NULL;
  cr_rollout* r = NULL;
  cr_real *loss = numbers(SOME), *bar = numbers(SOME * 3 * m->nbody);
  cr_real* const quat_bar[1] = {bar};
  const cr_batch_options o = {
      .size = sizeof o, .nstep = STEPS, .nthread = 2, .parameters = turns, .nparameter = 1};
  assert_int_equal(cr_batch_create(&batch, m, m, &o, &error), CR_OK);
  s.start->qfrc_applied[m->nv - 1] = CR_R(0.3);
  const cr_batch_input in = {.size = sizeof in, .qvel = s.qvel, .start = s.start, .first = 40};
  const cr_batch_output out = {.size = sizeof out, .loss = loss, .parameters_bar = quat_bar};
  assert_int_equal(cr_batch_run(batch, SOME, &in, loss_of, &s, &out, &error), CR_OK);

  assert_int_equal(cr_rollout_create(&r, m, STEPS, turns, 1, &error), CR_OK);
  for (int i = 0; i < SOME; i++) {
    cri_inputs_copy(m, r->d, s.start);
    cr_copy(r->d->qvel, s.qvel + i * m->nv, m->nv);
    for (int k = 0; k < STEPS; k++) {
      cr_copy(r->ctrl + k * m->nu, s.start->ctrl, m->nu);
    }
    cr_loss weighted = loss_of(&s, i, 0);
    assert_int_equal(cr_rollout_run(r, m, STEPS, &weighted, &error), CR_OK);
    assert_true(r->loss == loss[i]);
    assert_int_equal(cr_rollout_gradient(r, m, m, &weighted, &error), CR_OK);
    assert_same(bar + i * 3 * m->nbody, r->bar->par.body_quat, 3 * m->nbody);
  }
  s.qvel[1 * m->nv] = (cr_real)NAN;
  assert_int_equal(cr_batch_run(batch, SOME, &in, loss_of, &s, &out, &error), CR_ERR_DIVERGED);
  assert_non_null(strstr(error.text, "rollout 41: step 1"));
  cr_rollout_destroy(r);
  cr_batch_destroy(batch);
  free(loss);
  free(bar);
  bench_close(&s);
}

TEST(one_that_fails_is_named) {
  bench s;
  bench_open(&s, 4);
  cr_error error;
  results r = results_open(&s.m);
  const cr_real* mass[1] = {s.mass};
  const cr_batch_input in = {.size = sizeof in,
                             .qpos = s.qpos,
                             .qvel = s.qvel,
                             .act = s.act,
                             .ctrl = s.ctrl,
                             .parameters = mass};
  cr_batch_output out = {.size = sizeof out, .loss = r.loss};
  for (int nthread = 1; nthread <= 3; nthread++) {
    cr_batch* batch = batch_of(&s, nthread, false);
    s.qvel[4 * s.m.nv] = (cr_real)NAN;
    s.mass[6 * s.m.nbody + 1] = -1;
    assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, &s, &out, &error), CR_ERR_DIVERGED);
    assert_non_null(strstr(error.text, "rollout 4: step 1"));
    s.qvel[4 * s.m.nv] = 0;
    assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, &s, &out, &error), CR_ERR_MODEL);
    assert_non_null(strstr(error.text, "rollout 6: "));
    assert_non_null(strstr(error.text, "body_mass"));
    s.mass[6 * s.m.nbody + 1] = 1;
    assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, &s, &out, &error), CR_OK);
    cr_batch_destroy(batch);
  }
  results_close(&r);
  bench_close(&s);
}

// ---- a batch that goes on

static cr_status bar_fails(void* context, const cr_model* m, const cr_data* d, int step,
                           cr_data* out) {
  (void)context, (void)m, (void)d, (void)step, (void)out;
  return CR_ERR_NAME;
}

// rollout 1 fails on its way back
static cr_loss loss_that_fails(void* context, int item, int worker) {
  (void)worker;
  return (cr_loss){.context = context, .value = value, .bar = item == 1 ? bar_fails : bar};
}

static void assert_zero(const cr_real* x, int item, int n) {
  for (int i = 0; i < n; i++) {
    assert_true(x[item * n + i] == 0);
  }
}

static void assert_zero_rows(const cr_model* m, const results* r, int item) {
  assert_zero(r->loss, item, 1);
  assert_zero(r->qpos, item, m->nq);
  assert_zero(r->qvel, item, m->nv);
  assert_zero(r->qpos_bar, item, m->nv);
  assert_zero(r->qvel_bar, item, m->nv);
  assert_zero(r->ctrl_bar, item, STEPS * m->nu);
  assert_zero(r->mass_bar, item, m->nbody);
}

// before the first step, in the model, in the last step where there are controls, on the way back
static void poison(bench* s) {
  s->qvel[4 * s->m.nv] = (cr_real)NAN;
  s->mass[6 * s->m.nbody + 1] = -1;
  if (s->m.nu > 0) {
    s->ctrl[(8 * STEPS - 1) * s->m.nu] = (cr_real)NAN;
  }
}

static void run_on(const bench* s, int nthread, const results* to, cr_error error[ITEMS]) {
  cr_error any = {.text = ""};
  cr_batch* batch = batch_of(s, nthread, true);
  cr_real* mass_bar[1];
  const cr_real* mass[1] = {s->mass};
  const cr_batch_input in = {.size = sizeof in,
                             .qpos = s->qpos,
                             .qvel = s->qvel,
                             .act = s->act,
                             .ctrl = s->ctrl,
                             .parameters = mass,
                             .first = 40};
  cr_batch_output out = output_of(&s->m, to, 0, mass_bar);
  out.error = error;
  assert_int_equal(
      cr_batch_run(batch, ITEMS, &in, loss_that_fails, (void*)(uintptr_t)s, &out, &any), CR_OK);
  assert_string_equal(any.text, "");
  cr_batch_destroy(batch);
}

// rollouts of the same worker come out as if those that fail had never been
TEST(failures_leave_the_others_alone) {
  int late = 0;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    bench s;
    bench_open(&s, seed);
    results whole = results_open(&s.m), some = results_open(&s.m);
    cr_error error[ITEMS];
    run_all(&s, 1, &whole);
    poison(&s);
    for (int nthread = 1; nthread <= 4; nthread += nthread) {
      memset(error, 7, sizeof error);
      run_on(&s, nthread, &some, error);
      assert_int_equal(error[1].status, CR_ERR_NAME);
      assert_non_null(strstr(error[1].text, "rollout 41: "));
      assert_int_equal(error[4].status, CR_ERR_DIVERGED);
      assert_non_null(strstr(error[4].text, "rollout 44: step 1 "));
      assert_int_equal(error[6].status, CR_ERR_MODEL);
      assert_non_null(strstr(error[6].text, "rollout 46: "));
      if (s.m.nu > 0) {
        assert_int_not_equal(error[7].status, CR_OK);
        assert_non_null(strstr(error[7].text, "rollout 47: step 5 "));
        late++;
      }
      for (int i = 0; i < ITEMS; i++) {
        if (error[i].status != CR_OK) {
          assert_zero_rows(&s.m, &some, i);
          continue;
        }
        assert_true(i != 1 && i != 4 && i != 6);
        assert_string_equal(error[i].text, "");
        int nq = s.m.nq, nv = s.m.nv, nbody = s.m.nbody, controls = STEPS * s.m.nu;
        assert_same(some.loss + i, whole.loss + i, 1);
        assert_same(some.qpos + i * nq, whole.qpos + i * nq, nq);
        assert_same(some.qvel_bar + i * nv, whole.qvel_bar + i * nv, nv);
        assert_same(some.ctrl_bar + i * controls, whole.ctrl_bar + i * controls, controls);
        assert_same(some.mass_bar + i * nbody, whole.mass_bar + i * nbody, nbody);
      }
    }
    results_close(&whole);
    results_close(&some);
    bench_close(&s);
  }
  assert_true(late > 0);
}

// ---- allocations

// the first rollout of each thread may allocate, and in contact one with more contacts than any before
TEST(nothing_is_allocated_after_the_first) {
  if (allocation_count() < 0) {
    skip();
  }
  for (uint64_t seed = 1; seed <= 3; seed++) {
    for (int nthread = 1; nthread <= 4; nthread++) {
      bench s;
      bench_open(&s, seed);
      results r = results_open(&s.m);
      cr_error error;
      cr_batch* batch = batch_of(&s, nthread, true);
      cr_real* mass_bar[1];
      const cr_real* mass[1] = {s.mass};
      const cr_batch_input in = {.size = sizeof in,
                                 .qpos = s.qpos,
                                 .qvel = s.qvel,
                                 .act = s.act,
                                 .ctrl = s.ctrl,
                                 .parameters = mass};
      cr_batch_output out = output_of(&s.m, &r, 0, mass_bar);
      assert_int_equal(cr_batch_run(batch, nthread, &in, loss_of, &s, &out, &error), CR_OK);
      long before = allocation_count();
      for (int round = 0; round < 2; round++) {
        assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, &s, &out, &error), CR_OK);
      }
      assert_int_equal(allocation_count(), before);
      cr_batch_destroy(batch);
      results_close(&r);
      bench_close(&s);
    }
  }
}

// in contact a block grows where there are more contacts than any before, adaptive steps where there are more
// than any before: once all have been seen, nothing is allocated, whatever the steps and the memory
TEST(nothing_is_allocated_a_second_time) {
  if (allocation_count() < 0) {
    skip();
  }
  const cr_adaptive steps = {
      .size = sizeof steps, .rtol = CR_R(1e-2), .atol = CR_R(1e-3), .max_steps = 3000};
  for (uint64_t seed = 1; seed <= 3; seed++) {
    for (int adaptive = 0; adaptive < 2; adaptive++) {
      bench s;
      bench_open(&s, seed);
      for (int i = 0; i < ITEMS && adaptive == 0; i++) {
        random_state(&s.m, s.start, 50 * seed + (uint64_t)i, STATE_CONTACT);
        cr_copy(s.qpos + i * s.m.nq, s.start->qpos, s.m.nq);
        cr_copy(s.qvel + i * s.m.nv, s.start->qvel, s.m.nv);
      }
      random_model_calm(&s.m);
      s.m.integrator = adaptive == 1 ? CR_INT_TSIT5 : s.m.integrator;
      results r = results_open(&s.m);
      cr_error any, error[ITEMS];
      cr_batch* batch = NULL;
      const cr_batch_options o = {.size = sizeof o,
                                  .nstep = STEPS,
                                  .nthread = 2,
                                  .parameters = mass_only,
                                  .nparameter = 1,
                                  .adaptive = adaptive == 1 ? &steps : NULL};
      assert_int_equal(cr_batch_create(&batch, &s.m, &s.m, &o, &any), CR_OK);
      cr_real* mass_bar[1];
      const cr_real* mass[1] = {s.mass};
      const cr_batch_input in = {.size = sizeof in,
                                 .qpos = s.qpos,
                                 .qvel = s.qvel,
                                 .act = s.act,
                                 .ctrl = s.ctrl,
                                 .parameters = mass};
      cr_batch_output out = output_of(&s.m, &r, 0, mass_bar);
      out.error = error;
      assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, &s, &out, &any), CR_OK);
      long before = allocation_count();
      assert_int_equal(cr_batch_run(batch, ITEMS, &in, loss_of, &s, &out, &any), CR_OK);
      assert_int_equal(allocation_count(), before);
      int well = 0;
      for (int i = 0; i < ITEMS; i++) {
        well += error[i].status == CR_OK;
      }
      assert_true(well > ITEMS / 2);
      cr_batch_destroy(batch);
      results_close(&r);
      bench_close(&s);
    }
  }
}

TEST(bad_options_are_refused) {
  bench s;
  bench_open(&s, 5);
  cr_error error;
  cr_batch* batch = NULL;
  const char* const unknown[] = {"body_mess"};
  const char* const twice[] = {"body_mass", "body_mass"};
  const char* const made[] = {"dof_invweight0"};
  cr_batch_options o = {.size = sizeof o, .nstep = 2, .parameters = unknown, .nparameter = 1};
  assert_int_equal(cr_batch_create(&batch, &s.m, &s.m, &o, &error), CR_ERR_NAME);
  assert_non_null(strstr(error.text, "body_mess"));
  o = (cr_batch_options){
      .size = sizeof(cr_batch_options), .nstep = 2, .parameters = twice, .nparameter = 2};
  assert_int_equal(cr_batch_create(&batch, &s.m, &s.m, &o, &error), CR_ERR_ARG);
  o = (cr_batch_options){.size = sizeof(cr_batch_options),
                         .nstep = 2,
                         .parameters = made,
                         .nparameter = 1,
                         .derive = true};
  assert_int_equal(cr_batch_create(&batch, &s.m, &s.m, &o, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "dof_invweight0"));
  o = (cr_batch_options){.size = sizeof(cr_batch_options), .nstep = 0};
  assert_int_equal(cr_batch_create(&batch, &s.m, &s.m, &o, &error), CR_ERR_ARG);
  assert_null(batch);
  bench_close(&s);
}
