// SPDX-License-Identifier: Apache-2.0
// Sweeps from any start come near the forces that solve the whole: an independent way to the solution of Newton's
// method, on random scenes with contacts, limits, friction loss and equality constraints.
#include "law/gauss_seidel.h"

#include "carom/model.h"
#include "engine/implicit_inertia_solve.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

enum { N_SEED = 16, MOST_NV = 64, MOST_ROWS = 600 };

static cr_error error;

TEST(sweeps_end_at_the_solution_of_newtons_method) {
  int agree = 0, rows = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real f[MOST_ROWS], a[MOST_NV];
    scene_open(&s, seed);
    s.m.cone = CR_CONE_ELLIPTIC;
    s.m.integrator = CR_INT_EULER;
    assert_int_equal(cr_model_set_choice(&s.m, "contact_model", "ncp", &error), CR_OK);
    cri_data_free(s.d);
    scene_reopen(&s);
    // Newton's method alone
    s.m.ncp_sweeps = 0;
    scene_run(&s, "acceleration");
    assert_true(s.d->nefc <= MOST_ROWS);
    cr_zero(f, s.d->nefc);
    int n = cri_gauss_seidel(&s.m, s.d, cri_implicit_inertia_solve, 20000, f, a);
    rows += s.d->nefc;
    if (n < 20000) {
      assert_all_close(a, s.d->qacc, s.m.nv, CR_R(1e-4));
      agree += s.d->nefc > 0;
    }
    scene_close(&s);
  }
  print_message("%d of %d scenes came to rest, %d rows\n", agree, N_SEED, rows);
  assert_true(agree > N_SEED / 2 && rows > 100);
}
