// SPDX-License-Identifier: Apache-2.0
// The blocks: every dof and actuator is in one block with its own columns. Everything outside is
// zero by the tangent of the dynamics too.
#include "integrate/jacobian_blocks.h"

#include "base/random.h"
#include "engine/forward.h"
#include "engine/pipeline.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data *d, *tan, *motion;  // `tan` holds the blocks in its scratch
  cri_blocks blocks;
} fixture;

// every other one without what couples most trees of random models: tendons, equalities, actuators
static void open(fixture* f, uint64_t seed, bool whole) {
  assert_int_equal(random_model(&f->m, seed, NULL), CR_OK);
  if (seed % 2 != 0) {
    f->m.ntendon = f->m.neq = f->m.nactuator = f->m.nout = 0;
  }
  f->d = test_data(&f->m);
  random_state(&f->m, f->d, seed, (state_kind)(seed / 4 % N_STATE_KIND));
  assert_int_equal(cri_dynamics(&f->m, f->d), CR_OK);
  for (int k = 0; k < 2; k++) {
    cr_data** twin = k == 0 ? &f->tan : &f->motion;
    assert_int_equal(cri_data_twin(twin, &f->m, f->d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  }
  cri_sections s = {.n = 3, .at = {{0, false}, {f->m.nv, false}, {2 * f->m.nv, true}}};
  f->blocks = cri_blocks_find(&f->m, f->d, &s, whole, f->tan);
}

static void close(fixture* f) {
  cri_data_free(f->tan);
  cri_data_free(f->motion);
  cri_model_free(&f->m);
}

// column c of block k?
static bool has(const fixture* f, int k, int c) {
  CR_EACH(i, cri_block_columns(&f->blocks, k)) {
    if (i == c) {
      return true;
    }
  }
  return false;
}

TEST(blocks_hold_everything_once) {
  for (uint64_t seed = 0; seed < 40; seed++) {
    fixture f;
    open(&f, seed, seed % 4 == 0);
    int dofs = 0, actuators = 0;
    assert_true(seed % 4 != 0 || f.blocks.n <= 1);
    for (int k = 0; k < f.blocks.n; k++) {
      CR_EACH(i, cri_block_dofs(&f.blocks, k)) {
        assert_int_equal(f.blocks.of_dof[i], k);
        assert_true(has(&f, k, i) && has(&f, k, f.m.nv + i));
        dofs++;
      }
      CR_EACH(a, cri_block_actuators(&f.blocks, k)) {
        assert_true(has(&f, k, 2 * f.m.nv + f.m.actuator_outadr[a]));
        actuators++;
      }
      cr_runs columns = cri_block_columns(&f.blocks, k);
      for (int r = 0; r < columns.n; r++) {
        assert_true(columns.run[r].begin % CR_COLUMN_GROUP == 0);
        assert_true(columns.run[r].end % CR_COLUMN_GROUP == 0);
      }
    }
    assert_int_equal(dofs, f.m.nv);
    assert_int_equal(actuators, f.m.nactuator);
    close(&f);
  }
}

// a velocity of one block moves no acceleration of another
TEST(blocks_do_not_move_each_other) {
  int several = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    fixture f;
    open(&f, seed, false);
    cr_random r = cr_random_seed(seed, 4);
    several += f.blocks.n > 1;
    for (int k = 0; k < f.blocks.n && f.blocks.n > 1; k++) {
      cri_twin_clear(f.motion);
      for (int i = 0; i < f.m.nv; i++) {
        f.motion->qpos[i] = f.blocks.of_dof[i] == k ? cr_random_normal(&r) : 0;
        f.motion->qvel[i] = f.blocks.of_dof[i] == k ? cr_random_normal(&r) : 0;
      }
      assert_int_equal(cri_forward_jvp(&f.m, f.d, f.motion), CR_OK);
      for (int i = 0; i < f.m.nv; i++) {
        assert_true(f.blocks.of_dof[i] == k || f.motion->qacc[i] == 0);
      }
    }
    close(&f);
  }
  assert_true(several > 3);
}
