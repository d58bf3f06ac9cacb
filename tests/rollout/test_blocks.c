// SPDX-License-Identifier: Apache-2.0
// Steps kept as they were made: the gradient has the same bits with them, without them, where they grow,
// and a second time.
#include "rollout/blocks.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "rollout/trajectory.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MODELS = 12, STEPS = 70 };  // more than there are blocks for

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  (void)context, (void)step;
  for (int i = 0; i < m->nv; i++) {
    *loss += (i + 1) * d->qvel[i];
  }
  return CR_OK;
}

static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* to) {
  (void)context, (void)d, (void)step;
  for (int i = 0; i < m->nv; i++) {
    to->qvel[i] += i + 1;
  }
  return CR_OK;
}

static const cr_loss loss = {.value = value, .bar = bar};
static const char* const mass[] = {"body_mass"};

static bool start(cr_rollout* r, const cr_model* m, uint64_t seed) {
  random_state(m, r->d, seed, seed % 2 == 0 ? STATE_CONTACT : STATE_FLIGHT);
  for (int k = 0; k < STEPS * m->nu; k++) {
    r->ctrl[k] = CR_R(0.01) * (k % 7);
  }
  return cr_rollout_run(r, m, STEPS, &loss, NULL) == CR_OK;
}

static void assert_same_gradient(const cr_model* m, const cr_rollout* a, const cr_rollout* b) {
  for (int i = 0; i < m->nv; i++) {
    assert_true(a->bar->qpos[i] == b->bar->qpos[i] && a->bar->qvel[i] == b->bar->qvel[i]);
    assert_true(a->bar->qfrc_applied[i] == b->bar->qfrc_applied[i]);
  }
  for (int i = 0; i < m->nbody; i++) {
    assert_true(a->bar->par.body_mass[i] == b->bar->par.body_mass[i]);
  }
  for (int k = 0; k < STEPS * m->nu; k++) {
    assert_true(a->ctrl_bar[k] == b->ctrl_bar[k]);
  }
}

static cr_rollout* rollout_of(const cr_model* m, size_t memory) {
  cr_rollout* r = NULL;
  assert_int_equal(cr_rollout_create(&r, m, STEPS, mass, 1, NULL), CR_OK);
  assert_int_equal(cr_rollout_set_memory(r, m, memory, NULL), CR_OK);
  return r;
}

TEST(same_bits_with_and_without) {
  int compared = 0;
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    m.integrator = CR_INT_EULER;
    m.timestep /= 4;
    cr_rollout *kept = rollout_of(&m, 0), *again = rollout_of(&m, (size_t)1 << 28);
    assert_true(kept->blocks.n > 0 && kept->blocks.n < STEPS && again->blocks.n == 0);
    if (start(kept, &m, seed) && start(again, &m, seed)) {
      assert_null(cri_step_blocks_find(&kept->blocks, STEPS - 1));  // it is read
      assert_non_null(cri_step_blocks_find(&kept->blocks, STEPS - 2));
      assert_non_null(cri_step_blocks_find(&kept->blocks, STEPS - kept->blocks.n));
      assert_null(cri_step_blocks_find(&kept->blocks, STEPS - kept->blocks.n - 1));
      assert_true(kept->loss == again->loss);
      assert_int_equal(cr_rollout_gradient(again, &m, &m, &loss, NULL), CR_OK);
      for (int time = 0; time < 2; time++) {
        assert_int_equal(cr_rollout_gradient(kept, &m, &m, &loss, NULL), CR_OK);
        assert_same_gradient(&m, kept, again);
      }
      compared++;
    }
    cr_rollout_destroy(kept);
    cr_rollout_destroy(again);
    cri_model_free(&m);
  }
  assert_true(2 * compared > MODELS);
}

// a step that does not fit makes room for itself, and the blocks are as large from then on
TEST(they_grow) {
  cr_model m;
  assert_int_equal(random_model(&m, 1, NULL), CR_OK);
  m.integrator = CR_INT_EULER;
  m.timestep /= 4;
  cr_rollout *kept = rollout_of(&m, 0), *again = rollout_of(&m, (size_t)1 << 28);
  cr_capacity small = {1, 4, 8 * m.nv};
  cri_step_blocks_free(&kept->blocks);
  cri_data_free(kept->d);
  assert_int_equal(cri_data_create(&kept->d, &m, &small, NULL), CR_OK);
  assert_int_equal(cri_step_blocks_create(&kept->blocks, &m, kept->d, STEPS, NULL), CR_OK);
  assert_true(start(kept, &m, 2) && start(again, &m, 2));
  assert_true(kept->d->nefc_max > 4);
  assert_true(kept->blocks.blocks[0]->nefc_max == kept->d->nefc_max);
  assert_int_equal(cr_rollout_gradient(kept, &m, &m, &loss, NULL), CR_OK);
  assert_int_equal(cr_rollout_gradient(again, &m, &m, &loss, NULL), CR_OK);
  assert_same_gradient(&m, kept, again);
  cr_rollout_destroy(kept);
  cr_rollout_destroy(again);
  cri_model_free(&m);
}
