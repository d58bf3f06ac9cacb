// SPDX-License-Identifier: Apache-2.0
// Dofs between two bodies, against the definition; forces, against the power they exert.
#include "kinematics/relative_chain.h"

#include "engine/data_create.h"
#include "engine/forward.h"
#include "math/spatial.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

static void open_model(cr_model* m, cr_data** d, uint64_t seed) {
  assert_int_equal(random_model(m, seed, NULL), CR_OK);
  assert_int_equal(cri_data_create(d, m, NULL, NULL), CR_OK);
  random_state(m, *d, seed, STATE_CONTACT);
  assert_int_equal(cr_forward(m, *d), CR_OK);
}

// every dof that moves one of the bodies and not the other comes up once, from the leaves
TEST(dofs_are_those_that_move_one_body) {
  int found = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    cr_model m;
    cr_data* d = NULL;
    open_model(&m, &d, seed);
    for (int a = 0; a < m.nbody; a++) {
      for (int b = 0; b < m.nbody; b++) {
        cri_relative_chain walk = cri_relative_chain_of(&m, a, b);
        int side = -1, last = m.nv, n = 0;
        for (int j = cri_relative_chain_next(&m, &walk, &side); j >= 0;
             j = cri_relative_chain_next(&m, &walk, &side), n++) {
          assert_true(j < last);
          assert_true(mechanism_moves(&m, j, side == 0 ? a : b));
          assert_false(mechanism_moves(&m, j, side == 0 ? b : a));
          last = j;
        }
        for (int j = 0; j < m.nv; j++) {
          n -= mechanism_moves(&m, j, a) != mechanism_moves(&m, j, b);
          found++;
        }
        assert_int_equal(n, 0);
      }
    }
    cri_data_free(d);
    cri_model_free(&m);
  }
  assert_true(found > 1000);
}

// V . F is the power of torque and force at a point that moves with the body
TEST(a_force_exerts_its_power) {
  cr_model m;
  cr_data* d = NULL;
  open_model(&m, &d, 3);
  for (int b = 1; b < m.nbody; b++) {
    const cr_real x[3] = {1, CR_R(-0.5), 2}, t[3] = {CR_R(0.3), 1, -1}, f[3] = {2, CR_R(0.1), 1};
    const cr_real *V = d->cvel + 6 * b, *com = cri_relative_chain_com(&m, d, b);
    cr_real F[6], arm[3], u[3];
    cri_relative_chain_force(&m, d, b, x, t, f, F);
    cr_sub3(arm, x, com);
    cr_copy3(u, V + 3);
    cr_acccross3(u, V, arm);
    assert_close(cr_dot6(V, F), cr_dot3(V, t) + cr_dot3(u, f), CR_R(1e-11) * (1 + cr_norm3(u)));
  }
  cri_data_free(d);
  cri_model_free(&m);
}
