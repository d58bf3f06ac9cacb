// SPDX-License-Identifier: Apache-2.0
// Read-out functions against the fields they read. Against MuJoCo: test_calls_parity.c.
#include "carom/calls.h"

#include "checks/measured.h"
#include "engine/forward.h"
#include "math/spatial.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "support/close.h"

enum { N_SEED = 8, MAX_NV = 64 };

// M M^-1 x = x, M x is that of the dense matrix, and the Newton-Euler force M a + c of bodies alone
TEST(inertia_and_newton_euler) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real M[MAX_NV * MAX_NV], x[MAX_NV], y[MAX_NV], q[MAX_NV], bias[MAX_NV];
    measured_open(&s, seed, STATE_FLIGHT);
    int nv = s.m.nv;
    assert_int_equal(cr_full_m(&s.m, s.d, M), CR_OK);
    mechanism_mul(nv, M, s.d->qvel, x);
    assert_int_equal(cr_mul_m(&s.m, s.d, y, s.d->qvel), CR_OK);
    assert_all_close(y, x, nv, 10 * ROUND_OFF);
    assert_int_equal(cr_solve_m(&s.m, s.d, x, y), CR_OK);
    assert_all_close(x, s.d->qvel, nv, 100000 * ROUND_OFF);
    assert_int_equal(cr_rne(&s.m, s.d, false, q), CR_OK);
    for (int i = 0; i < nv; i++) {
      bias[i] = cr_dot6(s.d->cdof + 6 * i, s.d->bias_frc + 6 * s.m.dof_bodyid[i]);
    }
    assert_all_close(q, bias, nv, 100 * ROUND_OFF);
    // with the inertia of bodies, without that of dofs and tendons
    assert_int_equal(cr_rne(&s.m, s.d, true, q), CR_OK);
    mechanism_inertia(&s.m, s.d, NULL, M);
    mechanism_mul(nv, M, s.d->qacc, y);
    for (int i = 0; i < nv; i++) {
      y[i] += bias[i];
    }
    assert_all_close(q, y, nv, 1000 * ROUND_OFF);
    measured_close(&s);
  }
}

TEST(contacts_are_listed) {
  measured s;
  cr_contact c;
  measured_open(&s, 1, STATE_CONTACT);
  assert_true(cr_contact_count(s.d) > 0);
  for (int i = 0; i < cr_contact_count(s.d); i++) {
    assert_int_equal(cr_contact_get(&s.m, s.d, i, &c), CR_OK);
    assert_int_equal(c.geom[1], s.d->contact_geom[2 * i + 1]);
    assert_true(c.dist == s.d->contact_dist[i] && c.frame[8] == s.d->contact_frame[9 * i + 8]);
    assert_int_equal(c.dim, s.d->contact_dim[i]);
    bool pulls = c.force[0] != 0 || c.force[1] != 0 || c.force[2] != 0;
    assert_true(s.d->contact_efc_address[i] >= 0 || !pulls);
  }
  assert_int_equal(cr_contact_get(&s.m, s.d, -1, &c), CR_ERR_ARG);
  assert_int_equal(cr_contact_get(&s.m, s.d, s.d->ncon, &c), CR_ERR_ARG);
  measured_close(&s);
}

// local axes are the frame's: lengths stay, and what does not exist is refused
TEST(objects_in_their_own_axes) {
  measured s;
  cr_real v[6], u[6], turned[3];
  measured_open(&s, 0, STATE_CONTACT);
  assert_int_equal(cr_object_velocity(&s.m, s.d, CR_FRAME_BODY, 1, v, false), CR_OK);
  assert_int_equal(cr_object_velocity(&s.m, s.d, CR_FRAME_BODY, 1, u, true), CR_OK);
  cr_mulmat3(turned, s.d->ximat + 9, u);
  assert_all_close(turned, v, 3, 10 * ROUND_OFF);
  cr_mulmat3(turned, s.d->ximat + 9, u + 3);
  assert_all_close(turned, v + 3, 3, 10 * ROUND_OFF);
  assert_int_equal(cr_object_acceleration(&s.m, s.d, CR_FRAME_GEOM, 0, v, false), CR_OK);
  assert_int_equal(cr_object_acceleration(&s.m, s.d, CR_FRAME_GEOM, 0, u, true), CR_OK);
  cr_mulmat3(turned, s.d->geom_xmat, u + 3);
  assert_all_close(turned, v + 3, 3, 10 * ROUND_OFF);
  assert_int_equal(cr_object_velocity(&s.m, s.d, CR_FRAME_SITE, s.m.nsite, v, false), CR_ERR_ARG);
  assert_int_equal(cr_object_velocity(&s.m, s.d, (cr_frame)7, 0, v, false), CR_ERR_ARG);
  assert_int_equal(cr_object_acceleration(&s.m, s.d, CR_FRAME_GEOM, -1, v, false), CR_ERR_ARG);
  measured_close(&s);
}
