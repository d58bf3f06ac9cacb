// SPDX-License-Identifier: Apache-2.0
// With all contacts Hunt-Crossley's no dense solve is needed: the acceleration, its derivatives and its linear solves
// are those of Newton's method over all rows, which a rule that says the same for one pair of geoms brings about.
#include "solver/explicit_model.h"

#include "carom/contact.h"
#include "carom/model.h"
#include "engine/acceleration.h"
#include "engine/data_create.h"
#include "model/added_contact.h"
#include "scenes/contact_scene.h"
#include "solver/contact_law.h"
#include "solver/newton_model.h"
#include "support/close.h"

enum { N_SEED = 12, MOST_NV = 64 };

static cr_error error;

static void open_scene(contact_scene* s, int seed) {
  scene_open(s, seed);
  cri_data_free(s->d);
  s->m.cone = CR_CONE_ELLIPTIC;
  assert_int_equal(cr_model_set_choice(&s->m, "contact_model", "hunt_crossley", &error), CR_OK);
  scene_reopen(s);
}

// a rule of the convex model for a geom that touches nothing but itself: Newton's method solves for all
static void choose_newton(contact_scene* s) {
  assert_int_equal(cr_model_set_contact_pair(&s->m, 0, 0, "convex", &error), CR_OK);
  assert_ptr_equal(cri_contact_model(&s->m), &cri_newton);
  cri_data_free(s->d);
  scene_reopen(s);
}

TEST(it_agrees_with_newtons_method) {
  int pushes = 0, others = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real a[MOST_NV], q[MOST_NV], x[MOST_NV], y[MOST_NV];
    open_scene(&s, seed);
    assert_ptr_equal(cri_contact_model(&s.m), &cri_explicit);
    scene_run(&s, "acceleration");
    int nv = s.m.nv;
    for (int i = 0; i < s.d->nefc; i++) {
      bool contact = s.d->efc_type[i] >= CR_CNSTR_CONTACT_FRICTIONLESS;
      pushes += contact && s.d->efc_force[i] != 0;
      others += !contact && s.d->efc_force[i] != 0;
    }
    cr_copy(a, s.d->qacc, nv);
    cr_copy(q, s.d->qfrc_constraint, nv);
    for (int i = 0; i < nv; i++) {
      x[i] = y[i] = 1 + i % 3;
    }
    cri_acceleration_solve(&s.m, s.d, x, s.d);
    if (s.m.ngeom == 0) {
      scene_close(&s);
      continue;
    }
    choose_newton(&s);
    scene_run(&s, "acceleration");
    assert_all_close(a, s.d->qacc, nv, CR_R(1e6) * CR_EPS);
    assert_all_close(q, s.d->qfrc_constraint, nv, CR_R(1e6) * CR_EPS);
    if (s.d->nefc > 0) {
      cri_acceleration_solve(&s.m, s.d, y, s.d);
      assert_all_close(x, y, nv, CR_R(1e6) * CR_EPS);
    }
    scene_close(&s);
  }
  assert_true(pushes > 20 && others > 5);
}

// M a = tau + J' f to rounding, with the forces of the law
TEST(stages_pass_the_generic_checks) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed);
    s.m.friction_law = seed % 4;
    scene_check_stages(&s, "mixing", "acceleration");
    scene_close(&s);
  }
}

// no room for a square matrix
TEST(data_have_no_dense_factor) {
  contact_scene s;
  open_scene(&s, 1);
  assert_int_equal(cri_contact_room(&s.m), (int64_t)s.m.nv * (s.m.nv + 1) / 2);
  assert_int_equal(cri_contact_model(&s.m)->sees_motion(&s.m), true);
  choose_newton(&s);
  assert_int_equal(cri_contact_room(&s.m), (int64_t)s.m.nv * s.m.nv);
  scene_close(&s);
}

TEST(a_pyramid_is_refused) {
  int refused = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed);
    s.m.cone = CR_CONE_PYRAMIDAL;
    cri_data_free(s.d);
    scene_reopen(&s);
    scene_run(&s, "reference");
    refused += cri_contact_law_check(&s.m, s.d) == CR_ERR_UNSUPPORTED;
    scene_close(&s);
  }
  assert_true(refused > 0);
}
