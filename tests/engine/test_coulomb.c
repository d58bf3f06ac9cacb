// SPDX-License-Identifier: Apache-2.0
// A contact model that is not symmetric takes part in everything: acceleration, inverse dynamics, the
// generic checks of the stages, and solves with the linearised system both ways.
#include <stdio.h>
#include <stdlib.h>

#include "carom/inverse.h"
#include "carom/step.h"
#include "checks/stage_check.h"
#include "engine/acceleration.h"
#include "engine/data_create.h"
#include "engine/inverse.h"
#include "kinematics/configuration.h"
#include "scenes/contact_scene.h"
#include "scenes/coulomb.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64 };

static void open_scene(contact_scene* s, int seed) {
  scene_open(s, seed);
  cri_data_free(s->d);
  s->m.cone = CR_CONE_ELLIPTIC;
  coulomb_choose(&s->m, seed % 3 == 0);
  scene_reopen(s);
}

static int contacts_that_push(const contact_scene* s) {
  int n = 0;
  for (int i = 0; i < s->d->nefc; i++) {
    n += s->d->efc_type[i] == CR_CNSTR_CONTACT_ELLIPTIC && s->d->efc_force[i] != 0;
  }
  return n;
}

// M a = tau + J' f, and friction against the slip by Coulomb's share of the normal force
TEST(acceleration_balances) {
  int pushes = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed);
    scene_run(&s, "acceleration");
    int nv = s.m.nv;
    cr_real *J = scene_dense_J(&s), *M = scene_dense_M(&s);
    for (int i = 0; i < nv; i++) {
      cr_real left = -s.d->qfrc_smooth[i] - s.d->qfrc_shift[i], size = cr_abs(left);
      for (int j = 0; j < nv; j++) {
        left += M[i * nv + j] * s.d->qacc[j];
        size = cr_max(size, cr_abs(M[i * nv + j] * s.d->qacc[j]));
      }
      for (int r = 0; r < s.d->nefc; r++) {
        left -= J[r * nv + i] * s.d->efc_force[r];
        size = cr_max(size, cr_abs(J[r * nv + i] * s.d->efc_force[r]));
      }
      assert_close(left, 0, CR_R(1e5) * CR_EPS * (1 + size));
    }
    pushes += contacts_that_push(&s);
    free(J);
    free(M);
    scene_close(&s);
  }
  assert_true(pushes > 10);
}

// H of the rows is far from its transpose, and both solves are those of H
TEST(solves_are_those_of_an_unsymmetric_matrix) {
  cr_random r = cr_random_seed(4, 4);
  cr_real most = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed);
    scene_run(&s, "acceleration");
    int nv = s.m.nv;
    if (s.d->nefc == 0) {
      scene_close(&s);
      continue;
    }
    cr_real x[MAX_NV], y[MAX_NV], z[MAX_NV], left = 0, right = 0, other = 0, size = 0;
    for (int i = 0; i < nv; i++) {
      x[i] = y[i] = cr_random_normal(&r);
      z[i] = cr_random_normal(&r);
    }
    cr_real seeds[2][MAX_NV];
    cr_copy(seeds[0], x, nv);
    cr_copy(seeds[1], z, nv);
    // z' H^-1 x = x' H^-T z
    cri_acceleration_solve(&s.m, s.d, x, s.d);
    cri_acceleration_solve_transposed(&s.m, s.d, z, s.d);
    // y = H^-1 z is another than H^-T z
    cr_copy(y, seeds[1], nv);
    cri_acceleration_solve(&s.m, s.d, y, s.d);
    for (int i = 0; i < nv; i++) {
      other += seeds[0][i] * y[i];
      left += seeds[1][i] * x[i];
      right += seeds[0][i] * z[i];
      size += cr_abs(seeds[1][i] * x[i]) + cr_abs(seeds[0][i] * z[i]);
    }
    assert_close(left, right, CR_R(1e5) * CR_EPS * size);
    most = cr_max(most, cr_abs(left - other) / size);
    scene_close(&s);
  }
  assert_true(most > CR_R(0.01));
}

// the generic checks of every stage: contract, differences, products
TEST(stages_pass_the_generic_checks) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed);
    scene_check_stages(&s, "constraint", "acceleration");
    scene_close(&s);
  }
}

// ---- inverse dynamics

// the forces behind the acceleration that forward dynamics have found
TEST(inverse_takes_the_acceleration_back) {
  int pushes = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed);
    assert_int_equal(cr_forward(&s.m, s.d), CR_OK);
    pushes += contacts_that_push(&s);
    cr_real force[MAX_NV], size = 1;
    for (int i = 0; i < s.m.nv; i++) {
      force[i] = s.d->qfrc_smooth[i] + s.d->qfrc_bias[i] - s.d->qfrc_passive[i];
      size = cr_max(size, cr_abs(s.d->qfrc_smooth[i]) + cr_abs(s.d->qfrc_constraint[i]));
    }
    assert_int_equal(cr_inverse(&s.m, s.d), CR_OK);
    assert_all_close(s.d->qfrc_inverse, force, s.m.nv, CR_R(1e6) * CR_EPS * size);
    scene_close(&s);
  }
  assert_true(pushes > 10);
}

static void move(const cr_model* m, const cr_data* d, const cr_data* tan, cr_real h, cr_data* to) {
  cri_data_copy(m, to, d);
  cri_configuration_move(m, d->qpos, tan->qpos, h, to->qpos);
  for (int i = 0; i < m->nv; i++) {
    to->qvel[i] = d->qvel[i] + h * tan->qvel[i];
    to->qacc[i] = d->qacc[i] + h * tan->qacc[i];
  }
}

// along state and acceleration: the jvp against differences, the vjp against the jvp
static bool inverse_derivative(contact_scene* s, cr_random* r) {
  const cr_real h = CR_R(1e-6);
  int nv = s->m.nv;
  cr_data *tan, *bar, *moved;
  cr_real f[2][MAX_NV], left = 0, right = 0, total = 0, size = 1;
  assert_int_equal(cri_data_twin(&tan, &s->m, s->d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&bar, &s->m, s->d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  const cr_capacity room = {s->d->ncon_max, s->d->nefc_max, s->d->nJ_max};
  assert_int_equal(cri_data_create(&moved, &s->m, &room, NULL), CR_OK);
  assert_int_equal(cr_inverse(&s->m, s->d), CR_OK);
  for (int i = 0; i < nv; i++) {
    tan->qpos[i] = CR_R(0.01) * cr_random_normal(r);
    tan->qvel[i] = cr_random_normal(r);
    tan->qacc[i] = cr_random_normal(r);
    bar->qfrc_inverse[i] = cr_random_normal(r);
  }
  cr_real weight[MAX_NV];
  cr_copy(weight, bar->qfrc_inverse, nv);
  assert_int_equal(cr_inverse_jvp(&s->m, s->d, tan), CR_OK);
  assert_int_equal(cr_inverse_vjp(&s->m, s->d, bar), CR_OK);
  for (int i = 0; i < nv; i++) {
    cr_real terms[] = {bar->qpos[i] * tan->qpos[i], bar->qvel[i] * tan->qvel[i],
                       bar->qacc[i] * tan->qacc[i]};
    left += weight[i] * tan->qfrc_inverse[i];
    right += terms[0] + terms[1] + terms[2];
    total += cr_abs(terms[0]) + cr_abs(terms[1]) + cr_abs(terms[2]);
    size = cr_max(size, cr_abs(tan->qfrc_inverse[i]));
  }
  assert_close(left, right, CR_R(1e6) * CR_EPS * total);
  bool same = true;
  uint64_t at = stage_discrete_state(&s->m, s->d);
  for (int side = 0; side < 2; side++) {
    move(&s->m, s->d, tan, side == 0 ? -h : h, moved);
    same = same && cr_inverse(&s->m, moved) == CR_OK && stage_discrete_state(&s->m, moved) == at;
    cr_copy(f[side], moved->qfrc_inverse, nv);
  }
  for (int i = 0; i < nv && same; i++) {
    assert_close(tan->qfrc_inverse[i], (f[1][i] - f[0][i]) / (2 * h), CR_R(1e-5) * size);
  }
  cri_data_free(tan);
  cri_data_free(bar);
  cri_data_free(moved);
  return same;
}

TEST(inverse_has_its_derivatives) {
  cr_random r = cr_random_seed(5, 4);
  int compared = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed);
    assert_int_equal(cr_forward(&s.m, s.d), CR_OK);
    compared += inverse_derivative(&s, &r) && contacts_that_push(&s) > 0;
    scene_close(&s);
  }
  assert_true(compared > N_SEED / 3);
}
