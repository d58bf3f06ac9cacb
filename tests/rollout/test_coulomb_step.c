// SPDX-License-Identifier: Apache-2.0
// Steps with a contact model that is not symmetric: gradients against differences with every integrator, the
// Jacobian of a step against its tangents, and a rollout from few checkpoints.
#include <stdlib.h>

#include "base/random.h"
#include "carom/step.h"
#include "integrate/step_jacobian.h"
#include "rollout/step_check.h"
#include "rollout/trajectory.h"
#include "scenes/contact_scene.h"
#include "scenes/coulomb.h"
#include "scenes/random_model.h"
#include "support/close.h"

// a heap of bodies on a plane, or trees, at rest in contact
static void open_scene(contact_scene* s, int seed, int integrator) {
  scene_open(s, seed);
  cri_data_free(s->d);
  s->m.cone = CR_CONE_ELLIPTIC;
  s->m.cfd = 0;
  s->m.integrator = integrator;
  if (integrator == CR_INT_DISCRETE) {
    random_model_discrete(&s->m);
  } else {
    random_model_calm(&s->m);
  }
  s->m.enableflags &= ~CR_ENBL_DIAGEXACT;
  cr_zero(s->m.geom_adhesion, s->m.ngeom);
  cr_zero(s->m.pair_adhesion, s->m.npair);
  cr_zero(s->m.geom_surfacevel, 6 * s->m.ngeom);
  coulomb_choose(&s->m, false);
  scene_reopen(s);
}

static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST,
                                  CR_INT_DISCRETE, CR_INT_RK4};
#ifdef CR_LONG_DOUBLE
enum { SEEDS = 1 };
#else
enum { SEEDS = 3 };
#endif
enum { INTEGRATORS = (int)(sizeof integrators / sizeof integrators[0]) };

static int contacts_that_push(const contact_scene* s) {
  int n = 0;
  for (int i = 0; i < s->d->nefc; i++) {
    n += s->d->efc_type[i] == CR_CNSTR_CONTACT_ELLIPTIC && s->d->efc_force[i] != 0;
  }
  return n;
}

TEST(gradients_are_those_of_differences) {
  for (int k = 0; k < INTEGRATORS; k++) {
    int samples = 0, kinks = 0, pushes = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      cr_error error = {0};
      cr_step_check* check;
      cr_step_check_result result = {0};
      cr_random random = cr_random_seed((uint64_t)seed, 3);
      contact_scene s;
      open_scene(&s, seed, integrators[k]);
      if (cr_step(&s.m, s.d) != CR_OK) {
        fail_msg("seed %d: %s", seed, s.d->error.text);
      }
      pushes += contacts_that_push(&s);
      assert_int_equal(cr_step_check_create(&check, &s.m, 1, &error), CR_OK);
      if (cr_step_check_run(check, s.d, &random, &result, &error) != CR_OK) {
        fail_msg("seed %d: %s", seed, error.text);
      }
      if (!(result.max_error <= CR_R(1e-6))) {
        fail_msg("integrator %d, seed %d: error %g at %s", integrators[k], seed,
                 (double)result.max_error, result.worst);
      }
      assert_true(result.dot_error <= CR_R(1e-10));
      samples += result.samples;
      kinks += result.kinks;
      cr_step_check_free(check);
      scene_close(&s);
    }
    assert_true(pushes > SEEDS && samples > 30 * SEEDS && 5 * kinks < samples);
  }
}

// leaves out what has no columns of its own, and what couples most trees of random models
static void simplify(contact_scene* s) {
  cr_model* m = &s->m;
  m->ntendon = m->neq = m->nactuator = m->nout = m->nu = m->na = 0;
  m->density[0] = m->viscosity[0] = 0;
  m->collision = CR_COLLISION_HARD;
  memset(m->jnt_actgravcomp, 0, (size_t)m->njnt * sizeof *m->jnt_actgravcomp);
  cri_data_free(s->d);
  scene_reopen(s);
}

// the columns of contacts with a solve for all of them, and the rows of cotangents by the transpose
TEST(the_jacobian_is_that_of_tangents) {
  int fast = 0;
  for (int k = 0; k < 3; k++) {
    for (int seed = 1; seed <= 4 * SEEDS; seed++) {
      contact_scene s;
      cr_error error = {0};
      cr_jacobian* work;
      open_scene(&s, seed, integrators[k]);
      simplify(&s);
      if (cr_step(&s.m, s.d) != CR_OK) {
        fail_msg("seed %d: %s", seed, s.d->error.text);
      }
      int nx = 2 * s.m.nv;
      size_t n = (size_t)(nx * nx);
      cr_real *x = calloc(n + 1, sizeof *x), *y = calloc(n + 1, sizeof *y);
      assert_int_equal(cr_jacobian_create(&work, &s.m, s.d, &error), CR_OK);
      assert_int_equal(cr_step_jacobian(&s.m, s.d, work, x, NULL, NULL), CR_OK);
      bool columns = cr_jacobian_fallback(work) == NULL;
      fast += columns && contacts_that_push(&s) > 0;
      assert_int_equal(cri_step_jacobian_columns(&s.m, s.d, work, y, NULL, NULL), CR_OK);
      for (int j = 0; j < nx; j++) {
        cr_real size = 0;
        for (int i = 0; i < nx; i++) {
          size = cr_max(size, cr_abs(y[i * nx + j]));
        }
        for (int i = 0; i < nx; i++) {
          assert_close(x[i * nx + j], y[i * nx + j], CR_R(1e-9) * size);
        }
      }
      free(x);
      free(y);
      cr_jacobian_destroy(work);
      scene_close(&s);
    }
  }
  assert_true(fast > 6 * SEEDS);
}
