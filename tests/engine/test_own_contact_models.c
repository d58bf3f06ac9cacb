// SPDX-License-Identifier: Apache-2.0
// Carom's own contact models in random scenes, one for all contacts or several in one model: the generic checks of the
// stages, inverse dynamics, solves with the linearised system and its transpose.
#include "carom/contact.h"
#include "carom/inverse.h"
#include "carom/model.h"
#include "carom/step.h"
#include "checks/stage_check.h"
#include "engine/acceleration.h"
#include "engine/data_create.h"
#include "engine/inverse.h"
#include "scenes/contact_scene.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64 };

static cr_error error;

static void set_pair(cr_model* m, int geom, const char* word) {
  assert_int_equal(cr_model_set_contact_pair(m, geom, -1, word, &error), CR_OK);
}

// `mixed`: geoms take turns
static void open_scene(contact_scene* s, int seed, bool mixed) {
  static const char* const words[] = {"convex", "hunt_crossley", "ncp"};
  scene_open(s, seed);
  cri_data_free(s->d);
  s->m.cone = CR_CONE_ELLIPTIC;
  s->m.integrator = seed % 3 == 0 ? CR_INT_DISCRETE : CR_INT_EULER;
  s->m.friction_law = seed % 4;
  assert_int_equal(cr_model_set_choice(&s->m, "contact_model", "ncp", &error), CR_OK);
  for (int i = 0; mixed && i < s->m.ngeom; i++) {
    set_pair(&s->m, i, words[(i + seed) % 3]);
  }
  scene_reopen(s);
}

static int contacts_that_push(const contact_scene* s) {
  int n = 0;
  for (int i = 0; i < s->d->nefc; i++) {
    n += s->d->efc_type[i] >= CR_CNSTR_CONTACT_FRICTIONLESS && s->d->efc_force[i] != 0;
  }
  return n;
}

TEST(stages_pass_the_generic_checks) {
  for (int seed = 1; seed <= N_SEED / 2; seed++) {
    contact_scene s;
    open_scene(&s, seed, seed % 2 == 0);
    scene_check_stages(&s, "mixing", "acceleration");
    scene_close(&s);
  }
}

// the forces behind the acceleration that forward dynamics have found
TEST(inverse_takes_the_acceleration_back) {
  int pushes = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed, seed % 2 == 0);
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
  assert_true(pushes > 50);
}

// z' H^-1 x = x' H^-T z, H not symmetric
TEST(solves_have_their_transposes) {
  cr_random r = cr_random_seed(4, 6);
  cr_real most = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed, false);
    scene_run(&s, "acceleration");
    cr_real x[MAX_NV], y[MAX_NV], z[MAX_NV], left = 0, right = 0, other = 0, size = 0;
    cr_real seeds[2][MAX_NV];
    for (int i = 0; i < s.m.nv; i++) {
      x[i] = seeds[0][i] = cr_random_normal(&r);
      y[i] = z[i] = seeds[1][i] = cr_random_normal(&r);
    }
    cri_acceleration_solve(&s.m, s.d, x, s.d);
    cri_acceleration_solve(&s.m, s.d, y, s.d);
    cri_acceleration_solve_transposed(&s.m, s.d, z, s.d);
    for (int i = 0; i < s.m.nv; i++) {
      left += seeds[1][i] * x[i];
      right += seeds[0][i] * z[i];
      other += seeds[0][i] * y[i];
      size += cr_abs(seeds[1][i] * x[i]) + cr_abs(seeds[0][i] * z[i]);
    }
    assert_close(left, right, CR_R(1e5) * CR_EPS * size);
    most = cr_max(most, cr_abs(left - other) / size);
    scene_close(&s);
  }
  assert_true(most > CR_R(1e-3));
}
