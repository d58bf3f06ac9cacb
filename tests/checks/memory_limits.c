// SPDX-License-Identifier: Apache-2.0
#include "checks/memory_limits.h"

#include <stdio.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "engine/data_create.h"
#include "integrate/inputs.h"
#include "model/fields.h"
#include "rollout/trajectory.h"
#include "scenes/random_model.h"
#include "scenes/tossed_cube.h"
#include "support/close.h"

typedef struct {
  int steps;
  cr_model m;
  cr_data* start;
  cr_rollout* r;
  cr_expression* expression;
  cr_real* gradient;
  int n;  // numbers of a gradient
  bool every, controlled;
} scene;

// ---- everything a gradient leaves, in a row

static void append(cr_real* to, int* n, const cr_real* from, int count) {
  if (to != NULL) {
    cr_copy(to + *n, from, count);
  }
  *n += count;
}

static int flatten(const scene* s, cr_real* to) {
  const cr_model* m = &s->m;
  const cr_data* bar = s->r->bar;
  int n = 0;
  append(to, &n, &s->r->loss, 1);
  append(to, &n, bar->qpos, m->nv);
  append(to, &n, bar->qvel, m->nv);
  append(to, &n, bar->act, m->na);
  append(to, &n, bar->qfrc_applied, m->nv);
  append(to, &n, bar->xfrc_applied, 6 * m->nbody);
  append(to, &n, s->r->ctrl_bar, s->r->nstep * m->nu);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM) {
      append(to, &n, cri_field_real(&bar->par, NULL, id), cri_field_tangent_size(m, NULL, id));
    }
  }
  return n;
}

// ---- scenes

static cr_rollout* all_parameters(const cr_model* m, int steps) {
  bool wanted[CR_N_FIELD] = {false};
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    wanted[i] = cri_field((cr_field_id)i)->kind == CR_KIND_PARAM;
  }
  cr_rollout* r = NULL;
  assert_int_equal(cri_rollout_create(&r, m, steps, wanted, NULL), CR_OK);
  return r;
}

static void open_random(scene* s, int steps, uint64_t seed) {
  static const int integrators[] = {CR_INT_EULER, CR_INT_RK4, CR_INT_TSIT5};
  *s = (scene){.steps = steps, .every = seed % 2 == 0, .controlled = seed % 3 == 0};
  cr_error error;
  assert_int_equal(random_model(&s->m, seed, NULL), CR_OK);
  random_model_calm(&s->m);
  s->m.integrator = integrators[seed % 3];
  s->m.timestep = CR_R(1e-4);
  s->start = test_data(&s->m);
  random_state(&s->m, s->start, seed, STATE_CONTACT);
  for (int i = 0; i < s->m.nv; i++) {
    s->start->qfrc_applied[i] *= CR_R(0.01);
  }
  for (int i = 0; i < 6 * s->m.nbody; i++) {
    s->start->xfrc_applied[i] *= CR_R(0.01);
  }
  s->r = all_parameters(&s->m, steps);
  cr_random r = cr_random_seed(seed, 5);
  for (int i = 0; i < steps * s->m.nu; i++) {
    s->r->ctrl[i] = cr_random_range(&r, -1, 1);
  }
  const char* loss = s->m.nu > 0 ? "sum(qvel) + sum(xpos) + norm(qpos)^2 + sum(ctrl^2)"
                                 : "sum(qvel) + sum(xpos) + norm(qpos)^2";
  if (cr_expression_create(&s->expression, &s->m, loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void open_cube(scene* s, int steps, cr_real tolerance, bool events) {
  *s = (scene){.steps = steps, .every = true};
  tossed_cube(&s->m, CR_R(0.1));
  s->m.integrator = CR_INT_TSIT5;
  s->start = test_data(&s->m);
  s->start->qpos[2] = CR_R(0.12);
  cr_real* v = s->start->qvel;
  v[0] = 1;
  v[2] = -1;
  v[3] = CR_R(0.7);
  v[4] = -6;
  s->r = all_parameters(&s->m, steps);
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = tolerance,
                               .atol = tolerance,
                               .grid = CR_R(0.01),
                               .events = events};
  assert_int_equal(cr_rollout_set_adaptive(s->r, &s->m, &options, NULL), CR_OK);
  assert_int_equal(
      cr_expression_create(&s->expression, &s->m, "qpos[0] + xpos[1].z * qvel[4]", NULL), CR_OK);
}

static void close_scene(scene* s) {
  cr_expression_destroy(s->expression);
  cr_rollout_destroy(s->r);
  cri_model_free(&s->m);
  free(s->gradient);
}

// ---- one gradient

static cr_status control(void* context, const cr_model* m, const cr_data* d, int step,
                         cr_real* ctrl) {
  int* calls = context;
  assert_int_equal(step, (*calls)++);
  for (int i = 0; i < m->nu; i++) {
    ctrl[i] = cr_sin(d->qvel[i % m->nv] + (cr_real)step);
  }
  return CR_OK;
}

static cr_status differentiate(scene* s, const cr_model* m_backward, cr_error* error) {
  int calls = 0;
  cr_loss loss = cr_expression_loss(s->expression, s->every);
  if (s->controlled) {
    cr_rollout_set_control(s->r, control, &calls);
  }
  cri_inputs_copy(&s->m, s->r->d, s->start);
  CR_TRY(cr_rollout_run(s->r, &s->m, s->steps, &loss, error));
  assert_int_equal(calls, s->controlled ? s->steps : 0);
  return cr_rollout_gradient(s->r, &s->m, m_backward, &loss, error);
}

static void keep_gradient(scene* s, const cr_model* m_backward) {
  cr_error error;
  if (differentiate(s, m_backward, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  s->n = flatten(s, NULL);
  s->gradient = malloc((size_t)s->n * sizeof *s->gradient);
  assert_non_null(s->gradient);
  flatten(s, s->gradient);
}

static void assert_same_gradient(const scene* s) {
  cr_real* now = malloc((size_t)s->n * sizeof *now);
  assert_non_null(now);
  assert_int_equal(flatten(s, now), s->n);
  for (int i = 0; i < s->n; i++) {
    assert_true(now[i] == s->gradient[i]);
  }
  free(now);
}

// the least that the library names, with its sentence checked
static size_t least_of(scene* s, size_t bytes) {
  cr_error error = {0};
  size_t named = 0, given = 0;
  int steps = 0;
  cr_status status = cr_rollout_set_memory(s->r, &s->m, bytes, &error);
  if (status == CR_OK) {
    status = differentiate(s, &s->m, &error);
  }
  assert_int_equal(status, CR_ERR_MEMORY);
  assert_int_equal(
      sscanf(error.text,
             "rollout: %zu bytes are too little for a gradient over %d steps: it needs "
             "at least %zu",
             &given, &steps, &named),
      3);
  assert_int_equal(given, bytes);
  assert_true(named > bytes);
  return named;
}

static void run_within(scene* s, size_t bytes, const cr_model* m_backward) {
  cr_error error = {0};
  if (cr_rollout_set_memory(s->r, &s->m, bytes, &error) != CR_OK ||
      differentiate(s, m_backward, &error) != CR_OK) {
    fail_msg("%zu bytes: %s", bytes, error.text);
  }
  assert_same_gradient(s);
}

// bytes of a stored state
static size_t state_size(const cr_model* m) { return cri_tape_least(m, 0) / 3; }

// ---- what holds

void memory_every_limit(const memory_range* range) {
  for (uint64_t seed = 0; seed < range->seeds; seed++) {
    scene s;
    open_random(&s, range->steps, seed);
    keep_gradient(&s, &s.m);
    size_t least = least_of(&s, 1);
    assert_int_equal(least_of(&s, least - 1), least);
    for (int i = 0; i < range->nmore; i++) {
      run_within(&s, least + range->more[i] * state_size(&s.m), &s.m);
    }
    // and once more from what the last gradient left, and without a limit again
    cr_loss loss = cr_expression_loss(s.expression, s.every);
    run_within(&s, least + 3 * state_size(&s.m), &s.m);
    assert_int_equal(cr_rollout_gradient(s.r, &s.m, &s.m, &loss, NULL), CR_OK);
    assert_same_gradient(&s);
    run_within(&s, 0, &s.m);
    close_scene(&s);
  }
}

void memory_adaptive(const memory_range* range) {
  for (int events = 0; events < 2; events++) {
    scene s;
    open_cube(&s, range->steps, range->tolerance, events == 1);
    keep_gradient(&s, &s.m);
    int accepted, rejected, found;
    cr_rollout_steps(s.r, &accepted, &rejected, &found);
    assert_true(accepted > 2 * range->steps && (found > 0) == (events == 1));
    // at first the least without any step, then that of the steps there are
    size_t least = least_of(&s, 1);
    least = least_of(&s, least);
    assert_int_equal(least_of(&s, least - 1), least);
    for (int i = 0; i < range->nmore; i += range->stride) {
      run_within(&s, least + range->more[i] * state_size(&s.m), &s.m);
    }
    close_scene(&s);
  }
}

void memory_adaptive_machines(const memory_range* range) {
  int compared = 0;
  for (uint64_t seed = 2; seed < 9; seed += 3) {
    scene s;
    open_random(&s, range->steps, seed);
    const cr_adaptive options = {.size = sizeof options,
                                 .rtol = CR_R(1e-3),
                                 .atol = CR_R(1e-3),
                                 .grid = CR_R(2e-5),
                                 .linear = seed > 2,
                                 .quaternions = seed > 5,
                                 .max_steps = 4000};
    assert_int_equal(cr_rollout_set_adaptive(s.r, &s.m, &options, NULL), CR_OK);
    cr_error error;
    if (differentiate(&s, &s.m, &error) == CR_OK) {
      keep_gradient(&s, &s.m);
      size_t least = least_of(&s, least_of(&s, 1));
      run_within(&s, least, &s.m);
      run_within(&s, least + 4 * state_size(&s.m), &s.m);
      compared++;
    }
    close_scene(&s);
  }
  assert_true(compared > 0);
}

// blocks with room for next to nothing, before and between the runs
static void shrink(scene* s) {
  const cr_capacity room = {1, 2, 4};
  cr_rollout* r = s->r;
  cri_data_free(r->d);
  cri_data_free(r->work);
  cri_data_free(r->bar);
  assert_int_equal(cri_data_create(&r->d, &s->m, &room, NULL), CR_OK);
  assert_int_equal(cri_data_create(&r->work, &s->m, &room, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&r->bar, &s->m, r->d, CR_DATA_COTANGENT, r->wanted, NULL), CR_OK);
}

void memory_room_grows(const memory_range* range) {
  int grown = 0, runs = 0;
  for (uint64_t seed = 0; seed < range->seeds; seed++) {
    scene s;
    open_random(&s, range->steps, seed);
    cr_model far = random_model_far(&s.m);
    keep_gradient(&s, &far);
    size_t least = least_of(&s, 1);
    for (int i = 0; i < range->nmore; i += range->stride) {
      shrink(&s);
      run_within(&s, least + range->more[i] * state_size(&s.m), &far);
      grown += s.r->d->nefc_max > 2;
      runs++;
    }
    close_scene(&s);
  }
  assert_true(2 * grown >= runs);
}
