// SPDX-License-Identifier: Apache-2.0
// Cotangents of the numbers of bodies against the vjps of the stages that they go through, from given cotangents of M and of the bias
// force.
#include "inertia/inertial_bar.h"

#include "force/bias.h"
#include "inertia/inertia.h"
#include "integrate/step.h"
#include "kinematics/com.h"
#include "kinematics/kinematics.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 24 };

static void seed_bar(const cr_model* m, cr_data* bar, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 8);
  int k = cri_pairs_add(&bar->M_pairs);
  for (int i = 0; i < m->nv; i++) {
    cri_pair_left(&bar->M_pairs, k)[i] = cr_random_normal(&r);
    cri_pair_right(&bar->M_pairs, k)[i] = cr_random_normal(&r);
    bar->qfrc_bias[i] = cr_random_normal(&r);
  }
}

static void close_all(const cr_real* a, const cr_real* b, int n, const char* what) {
  cr_real scale = CR_R(1e-3);
  for (int i = 0; i < n; i++) {
    scale = cr_max(scale, cr_abs(a[i]));
  }
  for (int i = 0; i < n; i++) {
    assert_close_at(b[i], a[i], CR_R(1e-11) * scale, what, __FILE__, __LINE__);
  }
}

TEST(bodies_get_what_the_stages_give) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    cr_data *a = test_twin(&m, d, CR_DATA_COTANGENT), *b = test_twin(&m, d, CR_DATA_COTANGENT);
    random_state(&m, d, seed, STATE_FLIGHT);
    if (cr_step(&m, d) == CR_OK) {
      seed_bar(&m, a, seed);
      seed_bar(&m, b, seed);
      assert_int_equal(cr_bias_vjp(&m, d, a), CR_OK);
      assert_int_equal(cr_inertia_vjp(&m, d, a), CR_OK);
      // bodies alone: what moves is held
      cr_zero(a->cdof, 6 * m.nv);
      assert_int_equal(cr_com_vjp(&m, d, a), CR_OK);
      assert_int_equal(cr_kinematics_vjp(&m, d, a), CR_OK);
      cri_inertial_bar(&m, d, b);
      // static bodies have no part in it, though their place is a summand of a centre of mass
      for (int i = 1; i < m.nbody; i++) {
        if (m.body_treeid[i] >= 0) {
          close_all(a->par.body_inertia + 3 * i, b->par.body_inertia + 3 * i, 3, "body_inertia");
          close_all(a->par.body_iquat + 3 * i, b->par.body_iquat + 3 * i, 3, "body_iquat");
        }
      }
      close_all(a->par.dof_armature, b->par.dof_armature, m.nv, "dof_armature");
      assert_int_equal(b->M_pairs.n, 0);
      for (int i = 0; i < m.nv; i++) {
        assert_true(b->qfrc_bias[i] == 0);
      }
    }
    test_release();
    cri_model_free(&m);
  }
}
