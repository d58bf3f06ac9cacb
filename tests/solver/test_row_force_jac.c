// SPDX-License-Identifier: Apache-2.0
// Slopes of row forces: those of a limit by hand, and of all rows against the force law.
#include "solver/row_force_jac.h"

#include "base/random.h"
#include "constraint/rows.h"
#include "scenes/chain_model.h"
#include "scenes/contact_scene.h"
#include "solver/friction_cone.h"
#include "support/close.h"

static cri_row_force_jac slopes_of(contact_scene* s, cr_data** tan) {
  assert_int_equal(cri_data_twin(tan, &s->m, s->d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  return cri_row_force_jac_of(&s->m, s->d, *tan);
}

// f = -D e, e = a + b v + K I r, D = I / ((1 - I) A)
TEST(limits_by_hand) {
  int found = 0;
  for (int seed = 0; seed < 24; seed++) {
    contact_scene s;
    cr_data* tan;
    scene_open(&s, seed);
    if ((s.m.enableflags & CR_ENBL_DIAGEXACT) != 0 || s.m.integrator == CR_INT_DISCRETE) {
      scene_close(&s);
      continue;
    }
    scene_run(&s, "acceleration");
    cri_row_force_jac x = slopes_of(&s, &tan);
    const cr_data* d = s.d;
    for (int i = d->ne + d->nf; i < d->ne + d->nf + d->nl; i++) {
      const cr_real* KBIP = d->efc_KBIP + 4 * i;
      cr_real I = KBIP[2], e = d->acc_jar[i], r = d->efc_pos[i] - d->efc_margin[i];
      bool active = e < 0;
      cr_real D_r = d->efc_D[i] / (I * (1 - I)) * KBIP[3];
      assert_close(x.F[i * x.width], active ? -d->efc_D[i] : 0, ROUND_OFF * d->efc_D[i]);
      assert_close(x.b[i], KBIP[1], ROUND_OFF * KBIP[1]);
      assert_close(x.e_r[i], KBIP[0] * (I + KBIP[3] * r), 100 * ROUND_OFF * KBIP[0]);
      assert_close(x.by_r[i], active ? -D_r * e : 0, 100 * ROUND_OFF * cr_abs(D_r * e));
      found += active;
    }
    cri_data_free(tan);
    scene_close(&s);
  }
  assert_true(found > 0);
}

// along a random direction: F against differences of the law, where no row changes its zone
TEST(F_is_the_slope_of_the_law) {
  const cr_real h = CR_R(1e-7);
  int compared = 0;
  for (int seed = 0; seed < 24; seed++) {
    contact_scene s;
    cr_data* tan;
    scene_open(&s, seed);
    scene_run(&s, "acceleration");
    int n = s.d->nefc;
    cri_row_force_jac x = slopes_of(&s, &tan);
    cr_random r = cr_random_seed((uint64_t)seed, 5);
    size_t mark = cri_mark(s.d), size = (size_t)n;
    cr_real *u = cri_push(s.d, size), *f = cri_push(s.d, 2 * size), *e = cri_push(s.d, size);
    int32_t* zone = cri_push_int(s.d, 2 * size);
    for (int i = 0; i < n; i++) {
      u[i] = cr_random_normal(&r) * (1 + cr_abs(s.d->acc_jar[i]));
    }
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < n; i++) {
        e[i] = s.d->acc_jar[i] + (side == 0 ? -h : h) * u[i];
      }
      cri_constraint_force(s.d, cri_all_rows(s.d), e, f + side * n, zone + side * n);
    }
    for (int i = 0, block; i < n; i += block) {
      block = cri_rows_block(&s.m, s.d, i);
      for (int k = i; k < i + block; k++) {
        cr_real expected = (f[n + k] - f[k]) / (2 * h), got = 0, scale = 0;
        for (int l = 0; l < block; l++) {
          got += x.F[k * x.width + l] * u[i + l];
          scale += cr_abs(x.F[k * x.width + l] * u[i + l]);
        }
        if (zone[k] == zone[n + k] && zone[k] == s.d->efc_state[k]) {
          cr_real tolerance = CR_R(1e-5) * scale + CR_R(1e-7) * cr_abs(f[k]) / h * CR_R(1e-7);
          assert_close(got, expected, tolerance);
          compared++;
        }
      }
    }
    cri_pop(s.d, mark);
    cri_data_free(tan);
    scene_close(&s);
  }
  assert_true(compared > 100);
}
