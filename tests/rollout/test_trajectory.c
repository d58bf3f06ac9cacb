// SPDX-License-Identifier: Apache-2.0
// Trajectories and their gradients: against differences, step by step and over several steps; the
// same bits however much room there is, however many workers, whatever failed before.
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "carom/carom.h"
#include "checks/field_space.h"
#include "engine/data_create.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "model/fields.h"
#include "rollout/trajectory.h"
#include "scenes/random_model.h"
#include "support/allocation.h"
#include "support/close.h"

enum { STEPS = 5, MAX_STATE = 160 };

// ---- a loss: weighted sums of raw coordinates, velocities, activations and controls

typedef struct {
  cr_real q[MAX_STATE], v[MAX_STATE], a[MAX_STATE], u[MAX_STATE];
  int every;                 // looks at every so many steps
  int fail_value, fail_bar;  // steps at which it fails
  bool poison;               // leaves numbers in computed cotangents before it fails
  bool fields;               // also places and accelerations
  cr_rollout* shrink;        // loses its room after two steps
  const cr_model* shrink_model;
} weights;

// gives a rollout data blocks with room for next to nothing
static void take_room_away(cr_rollout* r, const cr_model* m) {
  const cr_capacity room = {1, 2, 4};
  cr_data** blocks[] = {&r->d, &r->work};
  for (int i = 0; i < 2; i++) {
    cr_data* small = NULL;
    assert_int_equal(cri_data_create(&small, m, &room, NULL), CR_OK);
    cri_inputs_copy(m, small, *blocks[i]);
    cri_data_free(*blocks[i]);
    *blocks[i] = small;
  }
}

static bool looks_at(const void* context, int step, int nstep) {
  const weights* w = context;
  if (w->shrink != NULL && step == 2) {
    take_room_away(w->shrink, w->shrink_model);
  }
  return step == nstep || (w->every > 0 && step % w->every == 0);
}

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  const weights* w = context;
  for (int i = 0; i < m->nq; i++) {
    *loss += w->q[i] * d->qpos[i];
  }
  for (int i = 0; i < m->nv; i++) {
    *loss += w->v[i] * d->qvel[i];
  }
  for (int i = 0; i < m->na; i++) {
    *loss += w->a[i] * d->act[i];
  }
  for (int i = 0; i < m->nu; i++) {
    *loss += w->u[i] * d->ctrl[i] * d->ctrl[i];
  }
  for (int i = 0; w->fields && i < m->nv; i++) {
    *loss += CR_R(0.01) * w->a[i] * d->qacc[i];
  }
  for (int i = 0; w->fields && i < m->nbody; i++) {
    *loss += w->u[i] * d->xpos[3 * i + 2];
  }
  return w->fail_value == step ? CR_ERR_NAME : CR_OK;
}

// q' = q (0, delta) / 2, transposed
static void quat_bar(const cr_real q[4], const cr_real b[4], cr_real bar[3]) {
  bar[0] += (-q[1] * b[0] + q[0] * b[1] + q[3] * b[2] - q[2] * b[3]) / 2;
  bar[1] += (-q[2] * b[0] - q[3] * b[1] + q[0] * b[2] + q[1] * b[3]) / 2;
  bar[2] += (-q[3] * b[0] + q[2] * b[1] - q[1] * b[2] + q[0] * b[3]) / 2;
}

static cr_status value_bar(void* context, const cr_model* m, const cr_data* d, int step,
                           cr_data* bar) {
  const weights* w = context;
  for (int j = 0; j < m->njnt; j++) {
    int q = m->jnt_qposadr[j], v = m->jnt_dofadr[j], type = m->jnt_type[j];
    int n = type == CR_JNT_BALL ? 0 : (type == CR_JNT_FREE ? 3 : 1);
    for (int k = 0; k < n; k++) {
      bar->qpos[v + k] += w->q[q + k];
    }
    if (type == CR_JNT_FREE || type == CR_JNT_BALL) {
      quat_bar(d->qpos + q + n, w->q + q + n, bar->qpos + v + n);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    bar->qvel[i] += w->v[i];
  }
  for (int i = 0; i < m->na; i++) {
    bar->act[i] += w->a[i];
  }
  for (int i = 0; i < m->nu; i++) {
    bar->ctrl[i] += 2 * w->u[i] * d->ctrl[i];
  }
  for (int i = 0; w->fields && i < m->nv; i++) {
    bar->qacc[i] += CR_R(0.01) * w->a[i];
  }
  for (int i = 0; w->fields && i < m->nbody; i++) {
    bar->xpos[3 * i + 2] += w->u[i];
  }
  if (w->poison && w->fail_bar == step) {
    bar->qacc[0] = bar->xpos[3] = 1000;
  }
  return w->fail_bar == step ? CR_ERR_ARG : CR_OK;
}

static weights random_weights(cr_random* r, const cr_model* m) {
  weights w = {.every = 2};
  for (int i = 0; i < MAX_STATE; i++) {
    w.q[i] = cr_random_normal(r);
    w.v[i] = cr_random_normal(r);
    w.a[i] = cr_random_normal(r);
    w.u[i] = cr_random_normal(r);
  }
  assert_in_range(m->nq, 0, MAX_STATE);
  return w;
}

static cr_loss loss_of(weights* w) {
  return (cr_loss){.context = w,
                   .looks_at = looks_at,
                   .value = value,
                   .bar = value_bar,
                   .needs_fields = w->fields};
}

// ---- a rollout of a random model with gradients of all parameters

typedef struct {
  cr_model m;
  cr_rollout* r;
  cr_data* start;
  weights w;
  cr_loss loss;
} bench;

static void set_start(bench* b) {
  cr_data* d = b->r->d;
#define CR_STATE(name, rows, width, tangent, unit, frame, text) \
  cr_copy(d->name, b->start->name, b->m.rows*(width));
#include "model/data_fields.h"
  d->time = 0;
}

static cr_rollout* all_parameters(const cr_model* m, int nstep) {
  bool wanted[CR_N_FIELD] = {false};
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    wanted[i] = cri_field((cr_field_id)i)->kind == CR_KIND_PARAM;
  }
  cr_rollout* r = NULL;
  assert_int_equal(cri_rollout_create(&r, m, nstep, wanted, NULL), CR_OK);
  return r;
}

static void open_bench(bench* b, uint64_t seed, state_kind kind) {
  cr_random r = cr_random_seed(seed, 77);
  assert_int_equal(random_model(&b->m, seed, NULL), CR_OK);
  random_model_calm(&b->m);
  b->r = all_parameters(&b->m, STEPS);
  b->start = test_data(&b->m);
  random_state(&b->m, b->start, seed, kind);
  // bodies of a gram among bodies of a ton: several steps of them need to be short
  b->m.timestep = CR_R(1e-4);
  for (int i = 0; i < b->m.nv; i++) {
    b->start->qfrc_applied[i] *= CR_R(0.01);
  }
  for (int i = 0; i < 6 * b->m.nbody; i++) {
    b->start->xfrc_applied[i] *= CR_R(0.01);
  }
  b->w = random_weights(&r, &b->m);
  b->loss = (cr_loss){0};
  for (int i = 0; i < STEPS * b->m.nu; i++) {
    b->r->ctrl[i] = cr_random_range(&r, CR_R(-1.2), CR_R(1.2));
  }
  set_start(b);
}

static void close_bench(bench* b) {
  cr_rollout_destroy(b->r);
  cri_model_free(&b->m);
}

static void run_and_differentiate(bench* b) {
  cr_loss loss = loss_of(&b->w);
  cr_error error = {0};
  set_start(b);
  if (cr_rollout_run(b->r, &b->m, STEPS, &loss, &error) != CR_OK ||
      cr_rollout_gradient(b->r, &b->m, &b->m, &loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

// ---- against differences

static const cr_field_id states[] = {CR_FIELD_qpos, CR_FIELD_qvel, CR_FIELD_act,
                                     CR_FIELD_qfrc_applied, CR_FIELD_xfrc_applied};
enum { N_STATES = (int)(sizeof states / sizeof states[0]) };

// which rows are there and how they are: what must not change for a difference to mean anything
static uint64_t discrete(const cr_model* m, const cr_data* d) {
  uint64_t h = (uint64_t)d->ncon * 1000003u + (uint64_t)d->nefc;
  for (int i = 0; i < d->nefc; i++) {
    h = h * 1000003u + (uint64_t)d->efc_state[i];
  }
  for (int i = 0; i < 4 * d->ncon; i++) {
    h = h * 1000003u + (uint64_t)d->contact_feature[i];
  }
  for (int i = 0; i < m->nwrap; i++) {
    h = h * 31u + (uint64_t)(d->wrap_branch[i] + 8);
  }
  for (int i = 0; i < m->ntendon; i++) {
    const cr_real* rest = m->tendon_lengthspring + 2 * i;
    h = h * 3u + (uint64_t)((d->ten_length[i] > rest[0]) + (d->ten_length[i] > rest[1]));
  }
  for (int i = 0; i < m->nactuator; i++) {
    const cr_real* range = m->actuator_forcerange + 2 * i;
    cr_real f = d->actuator_force[m->actuator_outadr[i]];
    h = h * 3u + (uint64_t)(m->actuator_forcelimited[i] && (f <= range[0] || f >= range[1]));
  }
  for (int j = 0; j < m->njnt; j++) {
    const cr_real* range = m->jnt_actfrcrange + 2 * j;
    cr_real f = d->qfrc_actuator[m->jnt_dofadr[j]];
    h = h * 3u + (uint64_t)(m->jnt_actfrclimited[j] && (f <= range[0] || f >= range[1]));
  }
  return h;
}

typedef struct {
  cr_real loss;
  uint64_t discrete;
} outcome;

// the loss of a run from a start moved by h along tan, step by step with the public step
static outcome moved(const bench* b, cr_model* m, cr_data* d, const cr_data* tan,
                     const cr_real* ctrl_tan, cr_real h) {
  outcome o = {0, 0};
  weights w = b->w;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM && cri_field_rows(m, NULL, id) > 0) {
      field_move(&b->m, b->start, tan, id, h, m, d);
    }
  }
#define CR_STATE(name, rows, width, tangent, unit, frame, text) \
  cr_copy(d->name, b->start->name, b->m.rows*(width));
#include "model/data_fields.h"
  for (int i = 0; i < N_STATES; i++) {
    field_move(&b->m, b->start, tan, states[i], h, m, d);
  }
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < m->nu; i++) {
      d->ctrl[i] = b->r->ctrl[k * m->nu + i] + h * ctrl_tan[k * m->nu + i];
    }
    assert_int_equal(cr_step(m, d), CR_OK);
    o.discrete = o.discrete * 31u + discrete(m, d);
    cr_advance(m, d);
    if (looks_at(&w, k + 1, STEPS)) {
      assert_int_equal(w.fields ? cr_forward(m, d) : CR_OK, CR_OK);
      (void)value(&w, m, d, k + 1, &o.loss);
    }
  }
  return o;
}

// true if there was a difference to compare with
static bool compare(bench* b, cr_random* random, cr_real h, cr_real* worst) {
  cr_model m;
  cr_real ctrl_tan[STEPS * 16];
  assert_int_equal(cri_model_copy(&m, &b->m, NULL), CR_OK);
  cr_data* d = test_data(&m);
  cr_data* tan = test_twin(&m, d, CR_DATA_TANGENT);
  field_product product = {0};
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM && cri_field_rows(&m, NULL, id) > 0) {
      field_random_tangent(random, &b->m, b->start, tan, id);
      field_dot(&b->m, b->start, b->r->bar, tan, id, &product);
    }
  }
  for (int i = 0; i < N_STATES; i++) {
    field_random_tangent(random, &b->m, b->start, tan, states[i]);
    field_dot(&b->m, b->start, b->r->bar, tan, states[i], &product);
  }
  for (int i = 0; i < STEPS * m.nu; i++) {
    ctrl_tan[i] = cr_random_normal(random);
    product.sum += b->r->ctrl_bar[i] * ctrl_tan[i];
    product.absolute += cr_abs(b->r->ctrl_bar[i] * ctrl_tan[i]);
  }
  const cr_real at[] = {-2, -1, 0, 1, 2}, weight[] = {1, -8, 0, 8, -1};
  cr_real slope = 0;
  uint64_t same = 0;
  bool smooth = true;
  for (int i = 0; i < 5; i++) {
    outcome o = moved(b, &m, d, tan, ctrl_tan, h * at[i]);
    slope += weight[i] * o.loss / (12 * h);
    same = i == 0 ? o.discrete : same;
    smooth = smooth && o.discrete == same;
    if (at[i] == 0) {
      assert_close(o.loss, b->r->loss, CR_R(1e-10) * (1 + cr_abs(o.loss)));
    }
  }
  if (smooth) {
    *worst = cr_max(*worst, cr_abs(slope - product.sum) / product.absolute);
  }
  cri_model_free(&m);
  return smooth;
}

#ifdef CR_LONG_DOUBLE
static const double bound = 1e-9, step_size = 1e-5;
#else
static const double bound = 1e-6, step_size = 2e-5;
#endif

static void gradients_match_differences(state_kind kind, bool fields) {
  cr_random random = cr_random_seed(11, 1);
  cr_real worst = 0;
  int samples = 0, compared = 0;
  for (uint64_t seed = 0; seed < 16; seed++) {
    bench b;
    open_bench(&b, seed, kind);
    b.w.fields = fields;
    run_and_differentiate(&b);
    for (int k = 0; k < 3; k++, samples++) {
      compared += compare(&b, &random, (cr_real)step_size, &worst);
    }
    close_bench(&b);
  }
  print_message("worst %.1e, %d of %d compared\n", (double)worst, compared, samples);
  assert_true((double)worst < bound);
  assert_true(compared >= samples * 8 / 10);
}

TEST(gradients_in_flight) { gradients_match_differences(STATE_FLIGHT, false); }

TEST(gradients_in_contact) { gradients_match_differences(STATE_CONTACT, false); }

TEST(gradients_of_computed_fields) { gradients_match_differences(STATE_CONTACT, true); }

// ---- room

static void assert_same_bits(const cr_real* a, const cr_real* b, int n) {
  if (n > 0) {
    for (int i = 0; i < n; i++) {  // padding of long double is no number
      assert_true(a[i] == b[i]);
    }
  }
}

// the states that both hold
static void assert_same_states(const bench* a, const bench* b) {
  const cr_model* m = &a->m;
  for (int k = 0; k <= STEPS; k++) {
    cri_kept x = cri_rollout_kept(a->r, m, k), y = cri_rollout_kept(b->r, m, k);
    assert_non_null(x.time);
    assert_non_null(y.time);
    assert_same_bits(x.state.qpos.x, y.state.qpos.x, m->nq);
    assert_same_bits(x.state.qvel.x, y.state.qvel.x, m->nv);
    assert_same_bits(x.state.act.x, y.state.act.x, m->na);
    assert_same_bits(x.warmstart, y.warmstart, m->nv);
  }
}

static void assert_same_results(const bench* a, const bench* b) {
  const cr_model* m = &a->m;
  assert_true(a->r->loss == b->r->loss);
  assert_same_states(a, b);
  assert_same_bits(a->r->ctrl_bar, b->r->ctrl_bar, STEPS * m->nu);
  assert_same_bits(a->r->bar->qpos, b->r->bar->qpos, m->nv);
  assert_same_bits(a->r->bar->qvel, b->r->bar->qvel, m->nv);
  assert_same_bits(a->r->bar->act, b->r->bar->act, m->na);
  assert_same_bits(a->r->bar->xfrc_applied, b->r->bar->xfrc_applied, 6 * m->nbody);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM) {
      assert_same_bits(cri_field_real(&a->r->bar->par, NULL, id),
                       cri_field_real(&b->r->bar->par, NULL, id),
                       cri_field_tangent_size(m, NULL, id));
    }
  }
}

// gives a rollout blocks with this much room
static void set_room(bench* b, cr_capacity room) {
  cr_rollout* r = b->r;
  cri_step_blocks_free(&r->blocks);
  cri_data_free(r->d);
  cri_data_free(r->work);
  cri_data_free(r->bar);
  assert_int_equal(cri_data_create(&r->d, &b->m, &room, NULL), CR_OK);
  assert_int_equal(cri_data_create(&r->work, &b->m, &room, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&r->bar, &b->m, r->d, CR_DATA_COTANGENT, r->wanted, NULL), CR_OK);
}

TEST(room_grows_and_changes_nothing) {
  int grown = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    bench a, b;
    open_bench(&a, seed, STATE_CONTACT);
    open_bench(&b, seed, STATE_CONTACT);
    set_room(&b, (cr_capacity){1, 2, 4});
    const cr_data *d = b.r->d, *bar = b.r->bar;
    run_and_differentiate(&a);
    run_and_differentiate(&b);
    assert_same_results(&a, &b);
    grown += b.r->d->nefc_max > 2;
    assert_ptr_equal(d, b.r->d);  // those who hold the blocks still do
    assert_ptr_equal(bar, b.r->bar);
    close_bench(&a);
    close_bench(&b);
  }
  assert_true(grown >= 9);
}

TEST(room_grows_in_the_middle_of_a_sweep) {
  int grown = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    bench a, b;
    open_bench(&a, seed, STATE_CONTACT);
    open_bench(&b, seed, STATE_CONTACT);
    a.w.fields = b.w.fields = seed % 2 == 1;
    run_and_differentiate(&a);
    cr_loss loss = loss_of(&b.w);
    assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, &loss, NULL), CR_OK);
    b.w.shrink = b.r;
    b.w.shrink_model = &b.m;
    assert_int_equal(cr_rollout_gradient(b.r, &b.m, &b.m, &loss, NULL), CR_OK);
    assert_same_results(&a, &b);
    grown += b.r->d->nefc_max > 2;
    close_bench(&a);
    close_bench(&b);
  }
  assert_true(grown >= 9);
}

// the backward pass sees more contacts than the forward pass had
TEST(room_grows_in_the_backward_pass) {
  int grown = 0;
  for (uint64_t seed = 0; seed < 32; seed++) {
    bench a, b;
    open_bench(&a, seed / 2, STATE_CONTACT);
    open_bench(&b, seed / 2, STATE_CONTACT);
    // with computed fields in the loss it grows in the middle of the sweep, else that starts anew
    a.w.fields = b.w.fields = seed % 2 == 1;
    a.w.every = b.w.every = STEPS + 1 - (int)(seed % 2);
    cr_model far_a = random_model_far(&a.m), far_b = random_model_far(&b.m);
    cr_loss loss_a = loss_of(&a.w), loss_b = loss_of(&b.w);
    set_room(&a, (cr_capacity){500, 3000, 100000});
    set_room(&b, (cr_capacity){1, 2, 4});
    set_start(&a);
    set_start(&b);
    assert_int_equal(cr_rollout_run(a.r, &a.m, STEPS, &loss_a, NULL), CR_OK);
    assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, &loss_b, NULL), CR_OK);
    int room = b.r->d->ncon_max;
    assert_int_equal(cr_rollout_gradient(a.r, &a.m, &far_a, &loss_a, NULL), CR_OK);
    assert_int_equal(cr_rollout_gradient(b.r, &b.m, &far_b, &loss_b, NULL), CR_OK);
    assert_same_results(&a, &b);
    grown += b.r->d->ncon_max > room;
    close_bench(&a);
    close_bench(&b);
  }
  assert_true(grown >= 4);
}

// ---- contacts from distance

TEST(distance_changes_the_gradient_and_nothing_else) {
  int differs = 0;
  for (uint64_t seed = 1; seed < 20; seed += 4) {
    bench plain, far;
    open_bench(&plain, seed, STATE_CONTACT);
    open_bench(&far, seed, STATE_CONTACT);
    run_and_differentiate(&plain);
    cr_model variant = random_model_far(&far.m);
    cr_loss loss = loss_of(&far.w);
    set_start(&far);
    assert_int_equal(cr_rollout_run(far.r, &far.m, STEPS, &loss, NULL), CR_OK);
    assert_int_equal(cr_rollout_gradient(far.r, &far.m, &variant, &loss, NULL), CR_OK);
    assert_true(plain.r->loss == far.r->loss);
    assert_same_states(&plain, &far);
    for (int i = 0; i < far.m.nv; i++) {
      assert_true(isfinite(far.r->bar->qpos[i]));
      differs += plain.r->bar->qpos[i] != far.r->bar->qpos[i];
    }
    // and a plain gradient afterwards is the plain gradient
    assert_int_equal(cr_rollout_gradient(far.r, &far.m, &far.m, &loss, NULL), CR_OK);
    assert_same_results(&plain, &far);
    close_bench(&plain);
    close_bench(&far);
  }
  assert_true(differs > 20);
}

// a copy of the model in the place of the model: the same numbers
TEST(an_equal_model_backward_is_no_other_model) {
  for (uint64_t seed = 0; seed < 8; seed++) {
    bench a, b;
    open_bench(&a, seed, STATE_CONTACT);
    open_bench(&b, seed, STATE_CONTACT);
    run_and_differentiate(&a);
    cr_loss loss = loss_of(&b.w);
    cr_model same = b.m;
    set_start(&b);
    assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, &loss, NULL), CR_OK);
    assert_int_equal(cr_rollout_gradient(b.r, &b.m, &same, &loss, NULL), CR_OK);
    assert_all_close(b.r->bar->qvel, a.r->bar->qvel, b.m.nv, CR_R(1e-9));
    assert_all_close(b.r->bar->qpos, a.r->bar->qpos, b.m.nv, CR_R(1e-9));
    close_bench(&a);
    close_bench(&b);
  }
}

// ---- workers

typedef struct {
  bench* benches;
} worker_context;

static cr_status work_on(void* context, int item, int worker) {
  bench* b = ((worker_context*)context)->benches + item;
  cr_loss loss = loss_of(&b->w);
  (void)worker;
  set_start(b);
  CR_TRY(cr_rollout_run(b->r, &b->m, STEPS, &loss, NULL));
  return cr_rollout_gradient(b->r, &b->m, &b->m, &loss, NULL);
}

TEST(same_bits_for_any_number_of_workers) {
  enum { ITEMS = 12 };
  static const int workers[] = {1, 2, 8};
  static bench benches[3][ITEMS];
  for (int k = 0; k < 3; k++) {
    cr_pool* pool = NULL;
    worker_context context = {benches[k]};
    for (int i = 0; i < ITEMS; i++) {
      open_bench(&benches[k][i], (uint64_t)i, STATE_CONTACT);
    }
    assert_int_equal(cr_pool_create(&pool, workers[k], NULL), CR_OK);
    assert_int_equal(cr_pool_run(pool, ITEMS, work_on, &context), CR_OK);
    cr_pool_free(pool);
    for (int i = 0; i < ITEMS; i++) {
      assert_same_results(&benches[0][i], &benches[k][i]);
    }
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < ITEMS; i++) {
      close_bench(&benches[k][i]);
    }
  }
}

// ---- replay, controls, repetition

TEST(states_replay_bit_for_bit) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    bench b;
    open_bench(&b, seed, STATE_CONTACT);
    run_and_differentiate(&b);
    for (int k = STEPS - 1; k >= 0; k--) {
      assert_int_equal(cri_rollout_restore(b.r, &b.m, k, NULL), CR_OK);
      assert_int_equal(cr_step(&b.m, b.r->d), CR_OK);
      cr_advance(&b.m, b.r->d);
      cri_kept next = cri_rollout_kept(b.r, &b.m, k + 1);
      assert_same_bits(b.r->d->qpos, next.state.qpos.x, b.m.nq);
      assert_same_bits(b.r->d->qvel, next.state.qvel.x, b.m.nv);
      assert_true(b.r->d->time == *next.time);
    }
    close_bench(&b);
  }
}

// the loss sees the control of the step that ended: each control once
TEST(controls_count_once) {
  bench b;
  uint64_t seed = 0;
  open_bench(&b, seed, STATE_FLIGHT);
  while (b.m.nu == 0) {
    close_bench(&b);
    open_bench(&b, ++seed, STATE_FLIGHT);
  }
  weights only = {.every = 1};
  only.u[0] = 1;
  b.w = only;
  run_and_differentiate(&b);
  cr_real sum = 0;
  for (int k = 0; k < STEPS; k++) {
    cr_real u = b.r->ctrl[k * b.m.nu];
    sum += u * u;
    assert_close(b.r->ctrl_bar[k * b.m.nu], 2 * u, CR_R(1e-15));
  }
  assert_close(b.r->loss, sum, CR_R(1e-14));
  close_bench(&b);
}

TEST(a_second_time_is_like_the_first) {
  for (uint64_t seed = 0; seed < 8; seed++) {
    bench a, b;
    open_bench(&a, seed, STATE_CONTACT);
    open_bench(&b, seed, STATE_CONTACT);
    run_and_differentiate(&a);
    run_and_differentiate(&b);
    cr_loss loss = loss_of(&b.w);
    assert_int_equal(cr_rollout_gradient(b.r, &b.m, &b.m, &loss, NULL), CR_OK);
    assert_same_results(&a, &b);
    run_and_differentiate(&b);
    assert_same_results(&a, &b);
    close_bench(&a);
    close_bench(&b);
  }
}

TEST(nothing_is_allocated) {
  if (allocation_count() < 0) {
    skip();
  }
  bench b;
  open_bench(&b, 5, STATE_CONTACT);
  cr_loss loss = loss_of(&b.w);
  long before = allocation_count();
  cr_status run = cr_rollout_run(b.r, &b.m, STEPS, &loss, NULL);
  cr_status gradient = cr_rollout_gradient(b.r, &b.m, &b.m, &loss, NULL);
  long after = allocation_count();
  assert_int_equal(run, CR_OK);
  assert_int_equal(gradient, CR_OK);
  assert_int_equal(after, before);
  close_bench(&b);
}

// ---- failures

TEST(divergence_carries_the_step) {
  for (int integrator = 0; integrator < 2; integrator++) {
    bench b;
    cr_error error = {0};
    uint64_t seed = 0;
    open_bench(&b, seed, STATE_FLIGHT);
    while (b.m.nu == 0 || b.m.actuator_ctrllimited[0] || b.m.actuator_forcelimited[0]) {
      close_bench(&b);
      open_bench(&b, ++seed, STATE_FLIGHT);
    }
    b.m.integrator = integrator;
    const cr_real bad[] = {(cr_real)NAN, CR_R(1e200)};
    for (int i = 0; i < 2; i++) {
      b.r->ctrl[3 * b.m.nu] = bad[i];
      set_start(&b);
      cr_status status = cr_rollout_run(b.r, &b.m, STEPS, NULL, &error);
      assert_int_equal(cr_status_exit_code(status), 3);
      assert_int_equal(status, error.status);
      assert_non_null(strstr(error.text, "step 4 (time 0.0003): "));
    }
    b.start->qvel[0] = (cr_real)INFINITY;
    set_start(&b);
    assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, NULL, &error), CR_ERR_DIVERGED);
    assert_non_null(strstr(error.text, "step 1 (time 0)"));
    assert_non_null(strstr(error.text, "qvel[0]"));
    close_bench(&b);
  }
}

TEST(a_loss_that_fails_is_named) {
  bench b;
  cr_error error = {0};
  open_bench(&b, 1, STATE_CONTACT);
  cr_loss loss = loss_of(&b.w);
  b.w.fail_value = 4;
  assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, &loss, &error), CR_ERR_NAME);
  assert_int_equal(error.status, CR_ERR_NAME);
  assert_non_null(strstr(error.text, "the loss after step 4"));
  b.w.fail_value = 0;
  b.w.v[0] = (cr_real)INFINITY;
  set_start(&b);
  assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, &loss, &error), CR_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "the loss after step 2"));
  close_bench(&b);
}

TEST(a_failed_gradient_leaves_nothing_behind) {
  bench a, b;
  cr_error error = {0};
  open_bench(&a, 1, STATE_CONTACT);
  open_bench(&b, 1, STATE_CONTACT);
  run_and_differentiate(&a);
  cr_loss loss = loss_of(&b.w);
  assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, &loss, &error), CR_OK);
  b.w.fail_bar = 4;
  b.w.poison = true;
  assert_int_equal(cr_rollout_gradient(b.r, &b.m, &b.m, &loss, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "the loss after step 4"));
  b.w.fail_bar = 0;
  assert_int_equal(cr_rollout_gradient(b.r, &b.m, &b.m, &loss, &error), CR_OK);
  assert_same_results(&a, &b);
  close_bench(&a);
  close_bench(&b);
}

static void assert_nothing_to_differentiate(bench* b, const cr_loss* loss) {
  cr_error error = {0};
  assert_int_equal(cr_rollout_gradient(b->r, &b->m, &b->m, loss, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "needs a run"));
}

TEST(a_gradient_needs_a_whole_run) {
  bench b;
  open_bench(&b, 1, STATE_CONTACT);
  cr_loss loss = loss_of(&b.w);
  assert_nothing_to_differentiate(&b, &loss);
  run_and_differentiate(&b);
  // one that ends early, another budget, other steps
  b.start->qvel[0] = (cr_real)NAN;
  set_start(&b);
  assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, &loss, NULL), CR_ERR_DIVERGED);
  assert_nothing_to_differentiate(&b, &loss);
  b.start->qvel[0] = 0;
  set_start(&b);
  run_and_differentiate(&b);
  assert_int_equal(cr_rollout_set_memory(b.r, &b.m, (size_t)1 << 20, NULL), CR_OK);
  assert_nothing_to_differentiate(&b, &loss);
  run_and_differentiate(&b);
  assert_int_equal(cr_rollout_set_adaptive(b.r, &b.m, NULL, NULL), CR_OK);
  assert_nothing_to_differentiate(&b, &loss);
  close_bench(&b);
}

TEST(bad_arguments) {
  bench b;
  cr_rollout* r = NULL;
  cr_error error = {0};
  const char* const good[] = {"body_mass", "gravity"};
  const char* const bad[] = {"body_mass", "qpos"};
  open_bench(&b, 0, STATE_FLIGHT);
  assert_int_equal(cr_rollout_run(b.r, &b.m, 0, NULL, &error), CR_ERR_ARG);
  assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS + 1, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "6 steps, room for 5"));
  assert_int_equal(cr_rollout_create(&r, &b.m, 3, bad, 2, &error), CR_ERR_NAME);
  assert_string_equal(error.text, "'qpos' is no parameter");
  assert_int_equal(cr_rollout_create(&r, &b.m, 0, good, 2, &error), CR_ERR_ARG);
  assert_int_equal(cr_rollout_create(&r, &b.m, 2000000000, good, 2, &error), CR_ERR_ARG);
  assert_null(r);
  assert_int_equal(cr_rollout_create(&r, &b.m, 3, good, 2, &error), CR_OK);
  assert_non_null(r->bar->par.body_mass);
  assert_non_null(r->bar->par.gravity);
  assert_null(r->bar->par.body_pos);
  assert_ptr_equal(cr_rollout_data(r), r->d);
  assert_ptr_equal(cr_rollout_ctrl(r), r->ctrl);
  assert_ptr_equal(cr_rollout_bar(r), r->bar);
  assert_ptr_equal(cr_rollout_ctrl_bar(r), r->ctrl_bar);
  cr_rollout_destroy(r);
  cr_rollout_destroy(NULL);
  close_bench(&b);
}

// what is at the end of a run, and the forward evaluation there
TEST(the_last_state) {
  bench b;
  open_bench(&b, 5, STATE_CONTACT);
  assert_int_equal(cr_rollout_run(b.r, &b.m, STEPS, NULL, NULL), CR_OK);
  assert_same_bits(b.r->d->qpos, cri_rollout_kept(b.r, &b.m, STEPS).state.qpos.x, b.m.nq);
  assert_close(cr_data_time(b.r->d), STEPS * b.m.timestep, CR_R(1e-15));
  assert_true(cr_rollout_loss(b.r) == 0);
  set_room(&b, (cr_capacity){1, 2, 4});
  assert_int_equal(cri_rollout_forward(b.r, &b.m, STEPS, NULL), CR_OK);
  assert_true(b.r->d->ncon > 1);
  assert_same_bits(b.r->d->qpos, cri_rollout_kept(b.r, &b.m, STEPS).state.qpos.x, b.m.nq);
  assert_same_bits(b.r->d->ctrl, b.r->ctrl + (STEPS - 1) * b.m.nu, b.m.nu);
  close_bench(&b);
}
