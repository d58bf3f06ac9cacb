// SPDX-License-Identifier: Apache-2.0
// The two sweeps of a tree: what they sum, that they are transposes, what they leave alone.
#include "kinematics/tree.h"

#include "model/data.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 8 };

typedef struct {
  cr_model m;
  cr_data* d;
  cr_random r;
} fixture;

static void begin(fixture* f, uint64_t seed) {
  assert_int_equal(random_model(&f->m, seed, NULL), CR_OK);
  f->d = test_data(&f->m);
  f->r = cr_random_seed(seed, 11);
  for (int i = 0; i < 6 * f->m.nv; i++) {
    f->d->cdof[i] = cr_random_normal(&f->r);
  }
  for (int i = 0; i < f->m.nv; i++) {
    f->d->qvel[i] = cr_random_normal(&f->r);
  }
}

static void end(fixture* f) { cri_model_free(&f->m); }

TEST(tree_motion_is_the_sum_over_ancestors) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    fixture f;
    begin(&f, seed);
    cr_real* V = f.d->cvel;
    const cr_real world[6] = {1, 2, 3, 4, 5, 6};
    cr_copy6(V, world);
    cri_tree_motions(&f.m, f.d->cdof, f.d->qvel, V);
    for (int b = 1; b < f.m.nbody; b++) {
      cr_real expected[6];
      cr_copy6(expected, world);
      for (int j = 0; j < f.m.nv; j++) {
        if (mechanism_moves(&f.m, j, b)) {
          cr_accscl6(expected, f.d->cdof + 6 * j, f.d->qvel[j]);
        }
      }
      assert_all_close(V + 6 * b, expected, 6, CR_R(1e-14));
    }
    end(&f);
  }
}

TEST(tree_gather_is_the_transpose_of_motions) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    fixture f;
    begin(&f, seed);
    const cr_model* m = &f.m;
    cr_real *V = f.d->cvel, *F = f.d->bias_frc, down = 0, up = 0;
    cr_zero6(V);
    cri_tree_motions(m, f.d->cdof, f.d->qvel, V);
    for (int b = 1; b < m->nbody; b++) {
      for (int k = 0; k < 6; k++) {
        F[6 * b + k] = cr_random_normal(&f.r);
      }
      down += cr_dot6(V + 6 * b, F + 6 * b);
    }
    cri_tree_gather(m, F, 6);
    for (int j = 0; j < m->nv; j++) {
      up += f.d->qvel[j] * cr_dot6(f.d->cdof + 6 * j, F + 6 * m->dof_bodyid[j]);
    }
    assert_close(up, down, CR_R(1e-12));
    assert_true(cr_abs(down) > CR_R(1e-3));
    end(&f);
  }
}

TEST(tree_gather_leaves_static_bodies_alone) {
  int seen = 0;
  for (uint64_t seed = 0; seed < 2 * N_SEED; seed++) {
    fixture f;
    begin(&f, seed);
    cr_real* F = f.d->bias_frc;
    for (int b = 0; b < f.m.nbody; b++) {
      for (int k = 0; k < 6; k++) {
        F[6 * b + k] = cri_tree_moves(&f.m, b) ? 1 : -7;
      }
    }
    cri_tree_gather(&f.m, F, 6);
    for (int b = 0; b < f.m.nbody; b++) {
      seen += b > 0 && !cri_tree_moves(&f.m, b);
      assert_true(cri_tree_moves(&f.m, b) ? F[6 * b] >= 1 : F[6 * b] == -7);
    }
    end(&f);
  }
  assert_true(seen > 0);
}
