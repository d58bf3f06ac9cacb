// SPDX-License-Identifier: Apache-2.0
// Bodies that grip: a box that stands on the floor, hovers in the gap, or flies.
#include "transmission/transmission_body.h"

#include "engine/forward.h"
#include "model/build.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static cr_model m;
static cr_data* d;

// a ball of radius 0.1 that slides along z above the floor, and along x
static void begin(int cone, int dim) {
  const int32_t parents[] = {0, 0}, jntnum[] = {0, 2}, types[] = {CR_JNT_SLIDE, CR_JNT_SLIDE};
  m = (cr_model){.ngeom = 2, .nactuator = 2, .nout = 2, .nu = 2};
  assert_int_equal(cri_model_sizes(&m, 2, parents, jntnum, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&m, NULL), CR_OK);
  cri_model_defaults(&m);
  m.cone = cone;
  m.body_parentid[1] = 0;
  m.body_jntnum[1] = 2;
  m.jnt_type[0] = m.jnt_type[1] = CR_JNT_SLIDE;
  cr_zero(m.jnt_axis, 6);
  m.jnt_axis[0] = m.jnt_axis[5] = 1;
  m.body_mass[1] = 1;
  m.body_inertia[3] = m.body_inertia[4] = m.body_inertia[5] = CR_R(0.01);
  m.geom_type[0] = CR_GEOM_PLANE;
  m.geom_size[0] = m.geom_size[1] = m.geom_size[2] = 1;
  m.geom_bodyid[1] = 1;
  m.geom_type[1] = CR_GEOM_SPHERE;
  m.geom_size[3] = CR_R(0.1);
  m.geom_condim[1] = dim;
  m.geom_gap[1] = CR_R(0.2);
  // both the ball and the floor grip
  for (int i = 0; i < 2; i++) {
    m.actuator_trntype[i] = CR_TRN_BODY;
    m.actuator_trnid[2 * i] = i;
    m.actuator_trnid[2 * i + 1] = -1;
    m.actuator_gainprm[10 * i] = 3;
  }
  assert_int_equal(cri_model_derive(&m, NULL), CR_OK);
  d = test_data(&m);
}

static void end(void) { cri_model_free(&m); }

static void at_height(cr_real z) {
  d->qpos[1] = z;
  d->ctrl[1] = CR_R(0.5);
  assert_int_equal(cr_forward(&m, d), CR_OK);
}

// entry of a row
static cr_real entry(int out, int dof) {
  for (int k = d->moment_rowadr[out]; k < d->moment_rowadr[out] + d->moment_rownnz[out]; k++) {
    if (d->moment_colind[k] == dof) {
      return d->actuator_moment[k];
    }
  }
  return 0;
}

TEST(it_pulls_along_the_normal) {
  static const int cones[] = {CR_CONE_PYRAMIDAL, CR_CONE_ELLIPTIC}, dims[] = {1, 3, 4, 6};
  for (int c = 0; c < 2; c++) {
    for (int k = 0; k < 4; k++) {
      begin(cones[c], dims[k]);
      // touching, then within the gap: the same pull, -3 / 2 along z
      for (int gap = 0; gap < 2; gap++) {
        at_height(gap ? CR_R(0.25) : CR_R(0.099));
        assert_int_equal(d->ncon, 1);
        assert_int_equal(d->contact_exclude[0], gap);
        for (int out = 0; out < 2; out++) {
          assert_close(entry(out, 0), 0, 20 * ROUND_OFF);
          assert_close(entry(out, 1), -1, 20 * ROUND_OFF);
          assert_close(d->actuator_length[out], 0, 0);
        }
        assert_close(d->qfrc_actuator[1], CR_R(-1.5), 40 * ROUND_OFF);
      }
      end();
    }
  }
}

TEST(what_touches_nothing_does_not_pull) {
  begin(CR_CONE_ELLIPTIC, 3);
  at_height(CR_R(0.5));
  assert_int_equal(d->ncon, 0);
  assert_int_equal(d->moment_rownnz[0], 0);
  assert_close(d->qfrc_actuator[1], 0, 0);
  at_height(CR_R(0.099));
  assert_int_equal(d->moment_rownnz[0], 2);
  // without contacts nothing is gripped
  m.disableflags |= CR_DSBL_CONTACT;
  at_height(CR_R(0.099));
  assert_close(d->qfrc_actuator[1], 0, 0);
  end();
}
