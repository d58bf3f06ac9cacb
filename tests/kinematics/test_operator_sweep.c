// SPDX-License-Identifier: Apache-2.0
// Motions and forces of many pairs at once: the motions against those of one vector at a time, and
// the cotangent of cdof as the transpose of how the motions depend on it.
#include "kinematics/operator_sweep.h"

#include "base/random.h"
#include "engine/forward.h"
#include "kinematics/tree.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { PAIRS = 3, MAX_BODY = 64 };

TEST(motions_and_their_transpose) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    cr_model m;
    cr_data *d = NULL, *bar = NULL;
    cr_random r = cr_random_seed(seed, 1);
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    d = test_data(&m);
    assert_int_equal(cr_data_create_cotangent(&bar, &m, d, NULL), CR_OK);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    assert_in_range(m.nbody, 1, MAX_BODY);

    cr_pairs* pairs = &bar->efc_J_pairs;
    for (int k = 0; k < PAIRS; k++) {
      cri_pairs_add(pairs);
      for (int i = 0; i < m.nv; i++) {
        cri_pair_right(pairs, k)[i] = cr_random_normal(&r);
      }
    }
    cri_operator_sweep s = cri_operator_sweep_begin(&m, d, bar, pairs);
    for (int k = 0; k < PAIRS; k++) {
      cr_real V[6 * MAX_BODY] = {0};
      cri_tree_motions(&m, d->cdof, cri_pair_right(pairs, k), V);
      for (int b = 0; b < m.nbody; b++) {
        for (int i = 0; i < 6; i++) {
          assert_close(s.V[6 * (PAIRS * b + k) + i], V[6 * b + i],
                       CR_R(1e-14) * (1 + cr_abs(V[6 * b + i])));
          assert_true(s.F[6 * (PAIRS * b + k) + i] == 0);
        }
      }
    }

    // F . (motions that a change of cdof makes) is (the cotangent of cdof) . (the change)
    cr_real* change = cri_push(d, 6 * (size_t)m.nv);
    cr_real by_motions = 0, by_cotangent = 0, V[6 * MAX_BODY] = {0};
    for (int i = 0; i < 6 * m.nv; i++) {
      change[i] = cr_random_normal(&r);
    }
    for (int k = 0; k < PAIRS; k++) {
      cri_tree_motions(&m, change, cri_pair_right(pairs, k), V);
      for (int b = 0; b < m.nbody; b++) {
        for (int i = 0; cri_tree_moves(&m, b) && i < 6; i++) {
          cr_real f = cr_random_normal(&r);
          s.F[6 * (PAIRS * b + k) + i] = f;
          by_motions += f * V[6 * b + i];
        }
      }
    }
    cr_zero(bar->cdof, 6 * m.nv);
    cri_operator_sweep_end(&m, bar, pairs, &s);
    for (int i = 0; i < 6 * m.nv; i++) {
      by_cotangent += bar->cdof[i] * change[i];
    }
    assert_close(by_cotangent, by_motions, CR_R(1e-11));
    cri_data_free(bar);
    cri_model_free(&m);
  }
}
