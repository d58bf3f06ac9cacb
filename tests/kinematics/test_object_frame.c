// SPDX-License-Identifier: Apache-2.0
// Velocities of objects against the motion of their frames, accelerations against what gravity does.
#include "kinematics/object_frame.h"

#include "checks/measured.h"
#include "engine/forward.h"
#include "math/quat.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "support/close.h"

enum { N_SEED = 8 };

static const int kinds[] = {CR_OBJ_BODY, CR_OBJ_XBODY, CR_OBJ_GEOM, CR_OBJ_SITE};

static int count(const cr_model* m, int type) {
  return type == CR_OBJ_GEOM ? m->ngeom : (type == CR_OBJ_SITE ? m->nsite : m->nbody);
}

// (x(h) - x(-h)) / 2h and the turn from R(-h) to R(h), extrapolated by eye: h small
TEST(velocity_is_the_rate_of_the_frame) {
  const cr_real h = CR_R(1e-4);
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_data* at[2];
    measured_open(&s, seed, STATE_FLIGHT);
    for (int k = 0; k < 2; k++) {
      at[k] = test_data(&s.m);
      cri_data_copy(&s.m, at[k], s.d);
      mechanism_move(&s.m, s.d, s.d->qvel, k == 0 ? -h : h, at[k]);
      assert_int_equal(cr_forward(&s.m, at[k]), CR_OK);
    }
    for (int k = 0; k < 4; k++) {
      for (int id = 0; id < count(&s.m, kinds[k]); id++) {
        cri_object o = cri_object_of(&s.m, s.d, kinds[k], id);
        cri_object a = cri_object_of(&s.m, at[0], kinds[k], id);
        cri_object b = cri_object_of(&s.m, at[1], kinds[k], id);
        cr_real v[6], x[3], R[9], w[3];
        cri_object_velocity(&s.m, s.d, &o, v);
        cr_sub3(x, b.pos, a.pos);
        for (int i = 0; i < 9; i++) {
          R[i] = b.mat[i] - a.mat[i];
        }
        cr_rot_vec(w, o.mat, R);
        for (int i = 0; i < 3; i++) {
          assert_close(v[3 + i], x[i] / (2 * h), CR_R(2e-5));
          assert_close(v[i], w[i] / (2 * h), CR_R(2e-5));
        }
      }
    }
    measured_close(&s);
  }
}

// the quaternion turns as the matrix does, and is the one of kinematics
TEST(quaternions_are_those_of_the_frames) {
  measured s;
  measured_open(&s, 0, STATE_CONTACT);
  for (int k = 0; k < 4; k++) {
    for (int id = 0; id < count(&s.m, kinds[k]); id++) {
      cr_real q[4], R[9], known[4];
      cri_object_quat(&s.m, s.d, kinds[k], id, q);
      cr_quat_to_mat(R, q);
      assert_all_close(R, cri_object_of(&s.m, s.d, kinds[k], id).mat, 9, 10 * ROUND_OFF);
      if (kinds[k] == CR_OBJ_GEOM) {
        cr_quat_mul(known, s.d->xquat + 4 * s.m.geom_bodyid[id], s.m.geom_quat + 4 * id);
        assert_all_close(q, known, 4, 10 * ROUND_OFF);
      } else if (kinds[k] == CR_OBJ_XBODY) {
        assert_all_close(q, s.d->xquat + 4 * id, 4, 10 * ROUND_OFF);
      }
    }
  }
  measured_close(&s);
}

// on a body that turns about its own axis, w x (w x r); on a static one, gravity upside down
TEST(accelerations_in_closed_form) {
  cr_model m;
  const int32_t hinge = CR_JNT_HINGE;
  assert_int_equal(chain_model(&m, 1, &hinge, 0, NULL), CR_OK);
  cr_data* d = test_data(&m);
  d->qvel[0] = 3;
  assert_int_equal(cr_forward(&m, d), CR_OK);
  cri_object world = cri_object_of(&m, d, CR_OBJ_XBODY, 0), body = cri_object_of(&m, d, 1, 1);
  cr_real a[6], r[3], w[3], v[3], expected[3], alpha[3];
  cri_object_acceleration(&m, d, &world, a);
  assert_close(a[5], CR_R(9.81), ROUND_OFF);
  cri_object_acceleration(&m, d, &body, a);
  cr_sub3(r, d->xipos + 3, d->xanchor);
  cr_scl3(w, d->xaxis, 3);
  cr_scl3(alpha, d->xaxis, d->qacc[0]);
  cr_cross3(v, w, r);
  cr_cross3(expected, w, v);
  cr_acccross3(expected, alpha, r);
  expected[2] += CR_R(9.81);
  assert_all_close(a + 3, expected, 3, 100 * ROUND_OFF);
  cri_model_free(&m);
}
