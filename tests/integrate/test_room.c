// SPDX-License-Identifier: Apache-2.0
// Scratch, pairs, contacts and rows that do not hold what a step or its derivatives need: always a
// status that names stage and size, never a write out of bounds (the sanitizers watch the ends of
// the blocks given here), and the same numbers as before once there is room again.
#include <stdio.h>
#include <stdlib.h>

#include "engine/data_create.h"
#include "engine/pipeline.h"
#include "integrate/step.h"
#include "integrate/step_jacobian.h"
#include "scenes/random_model.h"
#include "support/test.h"

enum { MODELS = 12, SHARES = 6 };

typedef struct {
  cr_model m;
  cr_data *d, *work, *tan, *bar;
  uint64_t seed;
} scene;

typedef cr_status run(scene* s);

static bool begin(scene* s, uint64_t seed, int integrator) {
  *s = (scene){.seed = seed};
  assert_int_equal(random_model(&s->m, seed, NULL), CR_OK);
  s->m.integrator = integrator;
  if (integrator == CR_INT_DISCRETE) {
    random_model_discrete(&s->m);
  }
  s->d = test_data(&s->m);
  s->work = test_data(&s->m);
  s->tan = test_twin(&s->m, s->d, CR_DATA_TANGENT);
  s->bar = test_twin(&s->m, s->d, CR_DATA_COTANGENT);
  random_state(&s->m, s->d, seed, STATE_CONTACT);
  return cr_step(&s->m, s->d) == CR_OK;
}

static void end(scene* s) {
  test_release();
  cri_model_free(&s->m);
}

static cr_status forward(scene* s) {
  random_state(&s->m, s->d, s->seed, STATE_CONTACT);
  return cr_step(&s->m, s->d);
}

static cr_status tangent(scene* s) {
  cri_twin_clear(s->tan);
  for (int i = 0; i < s->m.nv; i++) {
    s->tan->qvel[i] = s->tan->qpos[i] = 1;
  }
  return cr_step_jvp(&s->m, s->d, s->work, s->tan);
}

static cr_status cotangent(scene* s) {
  cri_twin_clear(s->bar);
  cri_model_twin_zero(&s->bar->par, &s->m);
  for (int i = 0; i < s->m.nv; i++) {
    s->bar->qvel_next[i] = s->bar->qpos_next[i] = 1;
  }
  return cr_step_vjp(&s->m, &s->m, s->d, s->work, s->bar);
}

static cr_real sum_of(const cr_model* m, const cr_data* x) {
  cr_real sum = 0;
  for (int i = 0; i < m->nv; i++) {
    sum += x->qvel[i] + (x->qvel_next == NULL ? 0 : 3 * x->qvel_next[i]) + 7 * x->qpos[i];
  }
  return sum;
}

// runs with all, then with parts of the scratch that it took
static int with_less_scratch(scene* s, cr_data* owner, const cr_data* result, run* f) {
  owner->scratch_peak = 0;
  assert_int_equal(f(s), CR_OK);
  cr_real *whole = owner->scratch, sum = sum_of(&s->m, result);
  size_t size = owner->scratch_size, peak = owner->scratch_peak;
  int refused = 0;
  for (size_t k = 0; k < SHARES && peak > 0; k++) {
    owner->scratch_size = peak * k / SHARES;
    owner->scratch = malloc(owner->scratch_size * sizeof(cr_real) + (owner->scratch_size == 0));
    cr_status status = f(s);
    if (status != CR_ERR_CAPACITY || strstr(owner->error.text, "scratch: ") == NULL) {
      fail_msg("model %d, %zu of %zu: status %d, '%s'", (int)s->seed, owner->scratch_size, peak,
               (int)status, owner->error.text);
    }
    (void)cri_room_check(owner, "what was asked for on the way out");
    refused++;
    free(owner->scratch);
    owner->scratch = whole;
    owner->scratch_size = size;
    owner->scratch_used = 0;
  }
  assert_int_equal(f(s), CR_OK);
  assert_true(sum_of(&s->m, result) == sum);
  return refused;
}

static const int integrators[] = {CR_INT_EULER,        CR_INT_RK4,      CR_INT_IMPLICIT,
                                  CR_INT_IMPLICITFAST, CR_INT_DISCRETE, CR_INT_BOSH3};
enum { INTEGRATORS = (int)(sizeof integrators / sizeof integrators[0]) };

TEST(scratch_too_small_is_a_status) {
  int refused = 0, models = 0;
  for (int k = 0; k < INTEGRATORS; k++) {
    for (uint64_t seed = 0; seed < MODELS; seed++) {
      scene s;
      if (begin(&s, seed, integrators[k])) {
        refused += with_less_scratch(&s, s.d, s.d, forward);
        refused += with_less_scratch(&s, s.tan, s.tan, tangent);
        refused += with_less_scratch(&s, s.bar, s.bar, cotangent);
        models++;
      }
      end(&s);
    }
  }
  assert_true(models > INTEGRATORS * MODELS / 2);
  assert_true(refused > 2 * SHARES * models);
}

// one operator's pairs, less than its cotangent needs
static cr_status with_pairs(scene* s, cr_pairs* p, int max) {
  cr_pairs kept = *p;
  p->max = p->room = max;
  p->left = p->room_left = malloc((size_t)max * (size_t)p->left_size * sizeof(cr_real) + 1);
  p->right = p->room_right = malloc((size_t)max * (size_t)p->right_size * sizeof(cr_real) + 1);
  cr_status status = cotangent(s);
  free(p->room_left);
  free(p->room_right);
  *p = kept;
  return status;
}

TEST(too_few_pairs_are_a_status) {
  int refused = 0;
  for (int k = 0; k < INTEGRATORS; k++) {
    for (uint64_t seed = 0; seed < MODELS; seed++) {
      scene s;
      bool runs = begin(&s, seed, integrators[k]) && cotangent(&s) == CR_OK;
      cr_real sum = sum_of(&s.m, s.bar);
      for (int id = CR_N_MODEL_FIELD; id < CR_N_FIELD && runs; id++) {
        const cr_field* f = cri_field((cr_field_id)id);
        for (int max = 1; f->kind == CR_KIND_OP && max < 4; max++) {
          cr_status status = with_pairs(&s, (cr_pairs*)(void*)((char*)s.bar + f->pairs), max);
          if (status == CR_OK) {
            assert_true(sum_of(&s.m, s.bar) == sum);
            continue;
          }
          assert_int_equal(status, CR_ERR_CAPACITY);
          assert_non_null(strstr(s.bar->error.text, "pairs needed, there is room for"));
          assert_non_null(strstr(s.bar->error.text, f->name));
          refused++;
        }
      }
      end(&s);
    }
  }
  assert_true(refused > 100);
}

// contacts and rows
TEST(too_few_rows_are_a_status) {
  int refused = 0;
  for (uint64_t seed = 0; seed < 2 * MODELS; seed++) {
    scene s;
    if (!begin(&s, seed, CR_INT_EULER)) {
      end(&s);
      continue;
    }
    const cr_data* d = s.d;
    for (int k = 0; k < 3; k++) {
      int have[3] = {d->ncon, d->nefc, d->nJ}, need = have[k];
      cr_data* small;
      have[k] = need / 2;
      cr_capacity room = {have[0], have[1], have[2]};
      assert_int_equal(cri_data_create(&small, &s.m, &room, NULL), CR_OK);
      random_state(&s.m, small, seed, STATE_CONTACT);
      cr_status status = cr_step(&s.m, small);
      if (need > 0) {
        assert_int_equal(status, CR_ERR_CAPACITY);
        assert_non_null(strstr(small->error.text, " needed"));
        refused++;
      }
      cri_data_free(small);
    }
    end(&s);
  }
  assert_true(refused > MODELS);
}

// pieces given back in any order of push and pop
TEST(scratch_beyond_is_real_memory) {
  scene s;
  (void)begin(&s, 0, CR_INT_EULER);
  cr_data* d = s.d;
  cr_real* whole = d->scratch;
  d->scratch_size = 4;
  d->scratch = malloc(4 * sizeof(cr_real));
  size_t mark = cri_mark(d);
  cr_real* inside = cri_push(d, 3);
  for (int round = 0; round < 3; round++) {
    size_t inner = cri_mark(d);
    cr_real *a = cri_push(d, 100), *b = cri_push(d, 1000);
    for (int i = 0; i < 100; i++) {
      a[i] = 1;
    }
    for (int i = 0; i < 1000; i++) {
      b[i] = 2;
    }
    assert_true(a[99] == 1 && b[0] == 2);
    cri_pop(d, inner);
  }
  inside[2] = 3;
  cri_pop(d, mark);
  assert_int_equal(cri_room_check(d, "me"), CR_ERR_CAPACITY);
  assert_string_equal(d->error.text, "me: scratch: 1103 numbers needed, there is room for 4");
  assert_int_equal(cri_room_check(d, "me"), CR_OK);
  free(d->scratch);
  d->scratch = whole;
  end(&s);
}
