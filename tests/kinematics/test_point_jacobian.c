// SPDX-License-Identifier: Apache-2.0
// Jacobians against velocities of objects and tangents of positions; their rate against differences.
#include "carom/jacobian.h"

#include "checks/measured.h"
#include "kinematics/object_frame.h"
#include "scenes/chain_model.h"
#include "support/close.h"

enum { N_SEED = 8, MAX_NV = 64 };

// rows of a 3 x nv matrix times qvel
static void times_qvel(const measured* s, const cr_real* jac, cr_real v[3]) {
  for (int k = 0; k < 3; k++) {
    v[k] = 0;
    for (int i = 0; i < s->m.nv; i++) {
      v[k] += jac[k * s->m.nv + i] * s->d->qvel[i];
    }
  }
}

static void close3(const cr_real a[3], const cr_real b[3], cr_real tolerance) {
  for (int k = 0; k < 3; k++) {
    assert_close(a[k], b[k], tolerance * (1 + cr_abs(b[k])));
  }
}

typedef cr_status jacobian(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                           int id);

TEST(velocities_are_jacobians_times_qvel) {
  static const struct {
    int type;
    jacobian* of;
  } kinds[] = {{CR_OBJ_XBODY, cr_jac_body},
               {CR_OBJ_BODY, cr_jac_body_com},
               {CR_OBJ_GEOM, cr_jac_geom},
               {CR_OBJ_SITE, cr_jac_site}};
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real jacp[3 * MAX_NV], jacr[3 * MAX_NV], v[6], w[3], u[3];
    measured_open(&s, seed, STATE_CONTACT);
    for (int k = 0; k < 4; k++) {
      int n = k < 2 ? s.m.nbody : (k == 2 ? s.m.ngeom : s.m.nsite);
      for (int id = 0; id < n; id++) {
        cri_object o = cri_object_of(&s.m, s.d, kinds[k].type, id);
        cri_object_velocity(&s.m, s.d, &o, v);
        assert_int_equal(kinds[k].of(&s.m, s.d, jacp, jacr, id), CR_OK);
        times_qvel(&s, jacr, w);
        times_qvel(&s, jacp, u);
        close3(w, v, 10 * ROUND_OFF);
        close3(u, v + 3, 10 * ROUND_OFF);
      }
      assert_int_equal(kinds[k].of(&s.m, s.d, jacp, jacr, n), CR_ERR_ARG);
      assert_int_equal(kinds[k].of(&s.m, s.d, jacp, jacr, -1), CR_ERR_ARG);
    }
    measured_close(&s);
  }
}

TEST(momenta_are_matrices_times_qvel) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real A[3 * MAX_NV], v[3];
    measured_open(&s, seed, STATE_CONTACT);
    for (int b = 0; b < s.m.nbody; b++) {
      assert_int_equal(cr_angmom_mat(&s.m, s.d, A, b), CR_OK);
      times_qvel(&s, A, v);
      close3(v, s.d->subtree_angmom + 3 * b, 100 * ROUND_OFF);
      cr_status status = cr_jac_subtree_com(&s.m, s.d, A, b);
      times_qvel(&s, A, v);
      if (status == CR_OK) {
        close3(v, s.d->subtree_linvel + 3 * b, 100 * ROUND_OFF);
      }
    }
    measured_close(&s);
  }
}

// (J(q + h v) - J(q - h v)) / 2h, the point moving with its body
TEST(rates_are_differences) {
  const cr_real h = CR_R(1e-4);
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_data* at[2];
    cr_real dot[2][3 * MAX_NV], jac[2][2][3 * MAX_NV];
    measured_open(&s, seed, STATE_FLIGHT);
    int body = s.m.nbody - 1, nv = s.m.nv;
    for (int k = 0; k < 2; k++) {
      at[k] = test_data(&s.m);
      measured_move(&s, k == 0 ? -h : h, at[k]);
      assert_int_equal(cr_jac_body_com(&s.m, at[k], jac[k][0], jac[k][1], body), CR_OK);
    }
    const cr_real* x = s.d->xipos + 3 * body;
    assert_int_equal(cr_jac_dot(&s.m, s.d, dot[0], dot[1], x, body), CR_OK);
    for (int part = 0; part < 2; part++) {
      for (int i = 0; i < 3 * nv; i++) {
        cr_real rate = (jac[1][part][i] - jac[0][part][i]) / (2 * h);
        assert_close(dot[part][i], rate, CR_R(1e-4));
      }
    }
    measured_close(&s);
  }
}

// J' f, one force or torque at a time
TEST(forces_are_transposes) {
  measured s;
  cr_real jacp[3 * MAX_NV], jacr[3 * MAX_NV], q[MAX_NV] = {0}, expected[MAX_NV] = {0};
  const cr_real f[3] = {1, -2, 3}, n[3] = {4, 5, -6}, point[3] = {CR_R(0.3), CR_R(0.1), 1};
  measured_open(&s, 0, STATE_CONTACT);
  int body = s.m.nbody - 1;
  assert_int_equal(cr_jac(&s.m, s.d, jacp, jacr, point, body), CR_OK);
  for (int i = 0; i < s.m.nv; i++) {
    for (int k = 0; k < 3; k++) {
      expected[i] += jacp[k * s.m.nv + i] * f[k] + jacr[k * s.m.nv + i] * n[k];
    }
  }
  assert_int_equal(cr_apply_ft(&s.m, s.d, f, NULL, point, body, q), CR_OK);
  assert_int_equal(cr_apply_ft(&s.m, s.d, NULL, n, point, body, q), CR_OK);
  assert_all_close(q, expected, s.m.nv, 10 * ROUND_OFF);
  assert_int_equal(cr_apply_ft(&s.m, s.d, f, n, point, s.m.nbody, q), CR_ERR_ARG);
  // NULL leaves a part out
  assert_int_equal(cr_jac(&s.m, s.d, NULL, NULL, point, body), CR_OK);
  measured_close(&s);
}
