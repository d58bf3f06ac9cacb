// SPDX-License-Identifier: Apache-2.0
// Newton's method with the convex law is the convex model: where contacts have no friction and push as MuJoCo's, the
// accelerations of the two agree. Laws that have no solution are told.
#include "solver/newton_model.h"

#include <stdio.h>

#include "carom/model.h"
#include "engine/acceleration.h"
#include "model/added_contact.h"
#include "support/close.h"
#include "support/contact_scene.h"

enum { N_SEED = 12, MOST_NV = 64 };

static cr_error error;

static void push(void* user, cr_contact_call* c) {
  c->zone = c->at->e[0] < 0;
  c->force[0] = c->zone == 1 ? -c->at->D[0] * c->at->e[0] : 0;
  (void)user;
}
static void push_jvp(void* user, cr_contact_call* c) {
  c->force[0] = c->at->e[0] < 0 ? -c->at->D[0] * c->twin->e[0] - c->twin->D[0] * c->at->e[0] : 0;
  (void)user;
}
static void nothing(void* user, cr_contact_call* c) { (void)user, (void)c; }

// leaps at 0: there is no acceleration that balances
static void leap(void* user, cr_contact_call* c) {
  c->force[0] = c->at->e[0] < 0 ? 100 : 0;
  (void)user;
}
static void never(void* user, cr_contact_call* c) {
  c->force[0] = NAN;
  (void)user;
}

static void choose(cr_model* m, const char* name, cr_contact_function* force,
                   cr_contact_function* jvp) {
  const cr_contact_options o = {
      .size = sizeof o, .name = name, .force = force, .jvp = jvp, .vjp = nothing};
  assert_int_equal(cr_model_add_contact_model(m, &o, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "contact_model", name, &error), CR_OK);
}

TEST(with_the_convex_law_it_is_the_convex_model) {
  int pushes = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real a[MOST_NV], most = 0;
    scene_open(&s, seed);
    scene_condim(&s, 1);
    scene_run(&s, "acceleration");
    cr_copy(a, s.d->qacc, s.m.nv);
    for (int i = 0; i < s.m.nv; i++) {
      most = cr_max(most, cr_abs(a[i]));
    }
    choose(&s.m, "push", push, push_jvp);
    cri_data_free(s.d);
    scene_reopen(&s);
    scene_run(&s, "acceleration");
    for (int i = 0; i < s.m.nv; i++) {
      assert_close(s.d->qacc[i], a[i], CR_R(1e7) * CR_EPS * most);
    }
    for (int i = s.d->ne + s.d->nf + s.d->nl; i < s.d->nefc; i++) {
      pushes += s.d->efc_force[i] > 0;
    }
    scene_close(&s);
  }
  assert_true(pushes > 10);
}

// what a scene says about a law, NULL if all went well
static const char* says(int seed, const char* name, cr_contact_function* force, cr_status* status) {
  static char text[512];
  contact_scene s;
  scene_open(&s, seed);
  scene_condim(&s, 1);
  scene_run(&s, "reference");
  choose(&s.m, name, force, nothing);
  cri_data_free(s.d);
  scene_reopen(&s);
  scene_run(&s, "reference");
  *status = cr_acceleration(&s.m, s.d);
  (void)snprintf(text, sizeof text, "%s", s.d->error.text);
  scene_close(&s);
  return text;
}

TEST(laws_without_a_solution_are_told) {
  static const char* const names[] = {"leap", "never"};
  cr_contact_function* const laws[] = {leap, never};
  for (int k = 0; k < 2; k++) {
    int told = 0;
    for (int seed = 1; seed <= N_SEED; seed++) {
      cr_status status;
      const char* text = says(seed, names[k], laws[k], &status);
      if (status != CR_OK) {
        assert_int_equal(status, k == 0 ? CR_ERR_SOLVER : CR_ERR_NONFINITE);
        assert_non_null(strstr(text, names[k]));
        told++;
      }
    }
    assert_true(told > 0);
  }
}
