// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Carom's calls beside MuJoCo's functions of the same purpose, at varied states of models.
#include <mujoco/mujoco.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "io/mujoco.h"
#include "model/names.h"
#include "model/sensors.h"
#include "parity/parity.h"
#include "scenes/io_mjcf.h"
#include "support/test.h"

enum { STATES = 6 };
static const double bound = 1e-9;

typedef struct {
  mjModel* mj;
  mjData* theirs;
  cr_model m;
  cr_data* ours;
  double *a, *b;  // room for two results
} sides;

// ours against theirs, relative to the largest of theirs and to `size`
static void same(const char* what, const double* ours, const double* theirs, int n, double size) {
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(theirs[i]));
  }
  for (int i = 0; i < n; i++) {
    if (!(fabs(ours[i] - theirs[i]) <= bound * size)) {
      fail_msg("%s[%d]: %.12g, MuJoCo %.12g", what, i, ours[i], theirs[i]);
    }
  }
}

static void compare_inertia(sides* s) {
  int nv = s->m.nv;
  assert_int_equal(cr_full_m(&s->m, s->ours, s->a), CR_OK);
  mj_fullM(s->mj, s->theirs, s->b);
  same("fullM", s->a, s->b, nv * nv, 0);
  assert_int_equal(cr_mul_m(&s->m, s->ours, s->a, s->ours->qvel), CR_OK);
  mj_mulM(s->mj, s->theirs, s->b, s->theirs->qvel);
  same("mulM", s->a, s->b, nv, 0);
  assert_int_equal(cr_solve_m(&s->m, s->ours, s->a, s->ours->qfrc_smooth), CR_OK);
  mj_solveM(s->mj, s->theirs, s->b, s->theirs->qfrc_smooth, 1);
  same("solveM", s->a, s->b, nv, 0);
  for (int flag = 0; flag < 2; flag++) {
    assert_int_equal(cr_rne(&s->m, s->ours, flag == 1, s->a), CR_OK);
    mj_rne(s->mj, s->theirs, flag, s->b);
    same("rne", s->a, s->b, nv, 1);
  }
}

static void compare_jacobians(sides* s) {
  int nv = s->m.nv;
  double *p = s->a, *r = s->a + 3 * nv, *mp = s->b, *mr = s->b + 3 * nv;
  const double point[3] = {0.3, -0.2, 0.5}, force[3] = {1, 2, 3}, torque[3] = {-3, 1, 2};
  for (int b = 0; b < s->m.nbody; b++) {
    cr_jac(&s->m, s->ours, p, r, point, b);
    mj_jac(s->mj, s->theirs, mp, mr, point, b);
    same("jac", s->a, s->b, 6 * nv, 1);
    cr_jac_body(&s->m, s->ours, p, r, b);
    mj_jacBody(s->mj, s->theirs, mp, mr, b);
    same("jacBody", s->a, s->b, 6 * nv, 1);
    cr_jac_body_com(&s->m, s->ours, p, r, b);
    mj_jacBodyCom(s->mj, s->theirs, mp, mr, b);
    same("jacBodyCom", s->a, s->b, 6 * nv, 1);
    cr_jac_dot(&s->m, s->ours, p, r, point, b);
    mj_jacDot(s->mj, s->theirs, mp, mr, point, b);
    same("jacDot", s->a, s->b, 6 * nv, 1);
    cr_angmom_mat(&s->m, s->ours, p, b);
    mj_angmomMat(s->mj, s->theirs, mp, b);
    same("angmomMat", p, mp, 3 * nv, 0);
    if (cr_jac_subtree_com(&s->m, s->ours, p, b) == CR_OK) {
      mj_jacSubtreeCom(s->mj, s->theirs, mp, b);
      same("jacSubtreeCom", p, mp, 3 * nv, 1);
    }
    mju_zero(p, nv);
    mju_zero(mp, nv);
    cr_apply_ft(&s->m, s->ours, force, torque, point, b, p);
    mj_applyFT(s->mj, s->theirs, force, torque, point, b, mp);
    same("applyFT", p, mp, nv, 1);
  }
  for (int g = 0; g < s->m.ngeom; g++) {
    cr_jac_geom(&s->m, s->ours, p, r, g);
    mj_jacGeom(s->mj, s->theirs, mp, mr, g);
    same("jacGeom", s->a, s->b, 6 * nv, 1);
  }
  for (int i = 0; i < s->m.nsite; i++) {
    cr_jac_site(&s->m, s->ours, p, r, i);
    mj_jacSite(s->mj, s->theirs, mp, mr, i);
    same("jacSite", s->a, s->b, 6 * nv, 1);
  }
}

static void compare_objects(sides* s) {
  static const int kinds[] = {mjOBJ_BODY, mjOBJ_XBODY, mjOBJ_GEOM, mjOBJ_SITE};
  mj_rnePostConstraint(s->mj, s->theirs);
  for (int k = 0; k < 4; k++) {
    int n = k < 2 ? s->m.nbody : (k == 2 ? s->m.ngeom : s->m.nsite);
    for (int id = 0; id < n; id++) {
      for (int local = 0; local < 2; local++) {
        cr_object_velocity(&s->m, s->ours, (cr_frame)kinds[k], id, s->a, local == 1);
        mj_objectVelocity(s->mj, s->theirs, kinds[k], id, s->b, local);
        same("objectVelocity", s->a, s->b, 6, 1);
        cr_object_acceleration(&s->m, s->ours, (cr_frame)kinds[k], id, s->a, local == 1);
        mj_objectAcceleration(s->mj, s->theirs, kinds[k], id, s->b, local);
        same("objectAcceleration", s->a, s->b, 6, 1);
      }
    }
  }
}

// MuJoCo lists two points of a geom only where the tendon touches it, and a line of its own for each pulley
static void compare_tendon(sides* s, int tendon) {
  enum { PULLEY = -2 };
  const mjData* d = s->theirs;
  int n = 0, at = 0, theirs = d->ten_wrapadr[tendon];
  const cr_model* m = &s->m;
  assert_int_equal(cr_tendon_path(m, s->ours, tendon, s->a, 64, &n), CR_OK);
  for (int k = m->tendon_adr[tendon]; k < m->tendon_adr[tendon] + m->tendon_num[tendon]; k++) {
    int type = m->wrap_type[k], points = type == CR_WRAP_SITE ? 1 : 2;
    if (type == CR_WRAP_JOINT) {
      continue;
    }
    if (type == CR_WRAP_PULLEY) {
      assert_int_equal(d->wrap_obj[theirs++], PULLEY);
      continue;
    }
    if (points == 1 || d->wrap_obj[theirs] >= 0) {
      same("wrap_xpos", s->a + 3 * at, d->wrap_xpos + 3 * theirs, 3 * points, 1);
      theirs += points;
    }
    at += points;
  }
  assert_int_equal(at, n);
  assert_int_equal(theirs, d->ten_wrapadr[tendon] + d->ten_wrapnum[tendon]);
}

static void compare_tendons(sides* s) {
  int n;
  for (int t = 0; t < s->m.ntendon; t++) {
    compare_tendon(s, t);
  }
  assert_int_equal(cr_tendon_path(&s->m, s->ours, s->m.ntendon, s->a, 64, &n), CR_ERR_ARG);
}

// contacts of both come in the same order but where several of one pair lie side by side: sums
static void compare_contacts(sides* s) {
  double ours[6] = {0}, theirs[6], sum[6] = {0};
  cr_contact c;
  assert_int_equal(cr_contact_count(s->ours), s->theirs->ncon);
  for (int i = 0; i < s->theirs->ncon; i++) {
    assert_int_equal(cr_contact_get(&s->m, s->ours, i, &c), CR_OK);
    mj_contactForce(s->mj, s->theirs, i, theirs);
    for (int k = 0; k < 3; k++) {
      ours[k] += c.force[k];
      ours[3 + k] += fabs(c.torque[k]);
      sum[k] += theirs[k];
      sum[3 + k] += fabs(theirs[3 + k]);
    }
  }
  same("contactForce", ours, sum, 6, 1);
}

// all pairs of geoms; of curved ones MuJoCo's search ends at a tolerance, and where an edge lies along a
// face several points have the distance
static bool is_curved(const sides* s, int geom) {
  int type = s->m.geom_type[geom];
  return type == CR_GEOM_ELLIPSOID || type == CR_GEOM_CYLINDER;
}

static void compare_distances(sides* s) {
  for (int g = 0; g < s->m.ngeom; g++) {
    for (int h = 0; h < s->m.ngeom; h++) {
      cr_real dist;
      if (g == h) {
        continue;  // MuJoCo has none
      }
      assert_int_equal(cr_geom_distance(&s->m, s->ours, g, h, 0.7, &dist, s->a), CR_OK);
      double theirs = mj_geomDistance(s->mj, s->theirs, g, h, 0.7, s->b);
      bool loose = is_curved(s, g) || is_curved(s, h);
      if (!(fabs(dist - theirs) <= (loose ? 1e-3 : 1e-12))) {
        fail_msg("geoms %d, %d: %.12g, MuJoCo %.12g", g, h, dist, theirs);
      }
      int first = s->m.geom_type[g], second = s->m.geom_type[h];
      bool edges = (first == CR_GEOM_BOX && second >= CR_GEOM_CAPSULE) ||
                   (second == CR_GEOM_BOX && first >= CR_GEOM_CAPSULE);
      if (!loose && !edges && dist < 0.7) {
        mju_subFrom(s->a, s->a + 3, 3);
        mju_subFrom(s->b, s->b + 3, 3);
        same("geomDistance", s->a, s->b, 3, 1);
      }
    }
  }
  cr_real dist;
  assert_int_equal(cr_geom_distance(&s->m, s->ours, 0, s->m.ngeom, 1, &dist, NULL), CR_ERR_ARG);
}

// the same force from the same acceleration, not that of forward dynamics
static void compare_inverse_of(sides* s, const char* what) {
  assert_int_equal(cr_inverse(&s->m, s->ours), CR_OK);
  mj_inverse(s->mj, s->theirs);
  double size = 1;
  for (int i = 0; i < s->m.nv; i++) {
    size = fmax(size, fabs(s->theirs->qfrc_constraint[i]) + fabs(s->theirs->qfrc_bias[i]));
  }
  same(what, s->ours->qfrc_inverse, s->theirs->qfrc_inverse, s->m.nv, size);
  same("qfrc_constraint", s->ours->qfrc_constraint, s->theirs->qfrc_constraint, s->m.nv, size);
}

static void compare_inverse(sides* s) {
  for (int i = 0; i < s->m.nv; i++) {
    s->ours->qacc[i] = s->theirs->qacc[i] = 0.5 * s->theirs->qacc[i] + 0.1 * (i % 3);
  }
  compare_inverse_of(s, "qfrc_inverse");
  s->m.enableflags |= CR_ENBL_INVDISCRETE;
  s->mj->opt.enableflags |= mjENBL_INVDISCRETE;
  compare_inverse_of(s, "qfrc_inverse with invdiscrete");
  s->m.enableflags &= ~CR_ENBL_INVDISCRETE;
  s->mj->opt.enableflags &= ~mjENBL_INVDISCRETE;
}

static void compare_states(sides* s) {
  static const int parts[] = {mjSTATE_PHYSICS, mjSTATE_FULLPHYSICS, mjSTATE_USER,
                              mjSTATE_INTEGRATION, mjSTATE_QPOS | mjSTATE_CTRL};
  for (int k = 0; k < 5; k++) {
    int n = cr_state_size(&s->m, parts[k]);
    assert_int_equal(n, mj_stateSize(s->mj, parts[k]));
    assert_int_equal(cr_state_get(&s->m, s->ours, s->a, parts[k]), CR_OK);
    mj_getState(s->mj, s->theirs, s->b, parts[k]);
    same("state", s->a, s->b, n, 0);
  }
  cr_differentiate_pos(&s->m, s->a, 0.1, s->m.qpos0, s->ours->qpos, NULL);
  mj_differentiatePos(s->mj, s->b, 0.1, s->mj->qpos0, s->theirs->qpos);
  same("differentiatePos", s->a, s->b, s->m.nv, 1);
  mju_copy(s->a, s->ours->qpos, s->m.nq);
  mju_copy(s->b, s->theirs->qpos, s->m.nq);
  cr_integrate_pos(&s->m, s->a, s->ours->qvel, 0.1, NULL);
  mj_integratePos(s->mj, s->b, s->theirs->qvel, 0.1);
  same("integratePos", s->a, s->b, s->m.nq, 1);
}

// ids and names, both ways, of every kind of the object table
static void compare_names(sides* s) {
  for (int k = 0; k < CRI_N_OBJECT; k++) {
    const cri_object_info* kind = cri_object_info_of((cri_object_kind)k);
    int n = kind->names == CRI_UNNAMED ? 0 : cr_model_count(&s->m, kind->rows);
    for (int id = 0; id < n; id++) {
      const char* name = mj_id2name(s->mj, kind->type, id);
      assert_string_equal(cr_model_name(&s->m, kind->kind, id), name == NULL ? "" : name);
      if (name != NULL && name[0] != 0) {
        assert_int_equal(cr_model_id(&s->m, kind->kind, name), id);
      }
    }
    assert_int_equal(cr_model_id(&s->m, kind->kind, "no such name"), -1);
    assert_null(cr_model_name(&s->m, kind->kind, n));
  }
  assert_int_equal(cr_model_id(&s->m, "no such kind", "x"), -1);
}

static void side_by_side_with(const char* file, int integrator) {
  sides s = {.mj = mjcf_data(file)};
  cr_parity_bench* bench;
  cr_random random = cr_random_seed(3, 1);
  s.mj->opt.integrator = integrator;
  s.m = mjcf_model(s.mj);
  size_t room = (size_t)(6 * s.m.nv * (s.m.nv + 6) + 4000);
  s.a = calloc(room, sizeof *s.a);
  s.b = calloc(room, sizeof *s.b);
  s.theirs = mj_makeData(s.mj);
  s.ours = test_data(&s.m);
  assert_int_equal(cr_parity_create(&bench, s.mj, &s.m, NULL), CR_OK);
  compare_names(&s);
  for (int k = 0; k < STATES; k++) {
    assert_int_equal(cr_parity_next_state(bench, &random, s.ours, NULL), CR_OK);
    assert_int_equal(cr_state_get(&s.m, s.ours, s.a, CR_STATE_INTEGRATION), CR_OK);
    mj_setState(s.mj, s.theirs, s.a, mjSTATE_INTEGRATION);
    assert_int_equal(cr_forward(&s.m, s.ours), CR_OK);
    mj_forward(s.mj, s.theirs);
    compare_states(&s);
    compare_inertia(&s);
    compare_jacobians(&s);
    compare_objects(&s);
    compare_contacts(&s);
    compare_distances(&s);
    compare_tendons(&s);
    compare_inverse(&s);
  }
  cr_parity_free(bench);
  cri_model_free(&s.m);
  mj_deleteData(s.theirs);
  mj_deleteModel(s.mj);
  free(s.a);
  free(s.b);
}

static void side_by_side(const char* file) { side_by_side_with(file, mjINT_EULER); }

TEST(trees_in_contact) { side_by_side("walker.xml"); }
TEST(tossed_cube) { side_by_side("cube.xml"); }
TEST(connect_welds_and_sensors) { side_by_side("sensors.xml"); }
TEST(rolling_contacts) { side_by_side("rolling.xml"); }
TEST(effective_inertia) {
  side_by_side_with("double_pendulum.xml", mjINT_DISCRETE);
  side_by_side_with("tendon_rows.xml", mjINT_DISCRETE);
}
TEST(implicit_integrators) {
  static const int integrators[] = {mjINT_IMPLICIT, mjINT_IMPLICITFAST};
  for (int k = 0; k < 2; k++) {
    side_by_side_with("implicit.xml", integrators[k]);
    side_by_side_with("tendon_rows.xml", integrators[k]);
    side_by_side_with("walker.xml", integrators[k]);
    side_by_side_with("cube.xml", integrators[k]);
  }
}
// bodies that fly alone, in and out of contact
TEST(free_bodies_with_discrete) {
  side_by_side_with("cube.xml", mjINT_DISCRETE);
  side_by_side_with("rolling.xml", mjINT_DISCRETE);
  side_by_side_with("discrete.xml", mjINT_DISCRETE);
}
TEST(sticky_contacts) { side_by_side("sticky.xml"); }
