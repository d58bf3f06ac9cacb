// SPDX-License-Identifier: Apache-2.0
// The matrix of the acceleration: what of it is an inverse inertia, and its products against the
// tangent of the dynamics along random directions.
#include "integrate/acceleration_jac.h"

#include <stdlib.h>

#include "engine/forward.h"
#include "engine/pipeline.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data* d;
  cri_acceleration_jac c;
} fixture;

// false where a state has no columns
static bool open(fixture* f, uint64_t seed, state_kind kind) {
  assert_int_equal(random_model(&f->m, seed, NULL), CR_OK);
  f->m.integrator = CR_INT_EULER;
  f->d = test_data(&f->m);
  random_state(&f->m, f->d, seed, kind);
  assert_int_equal(cr_forward(&f->m, f->d), CR_OK);
  size_t v = (size_t)f->m.nv, a = (size_t)f->m.nactuator + 1;
  f->c = (cri_acceleration_jac){.ld = (3 * f->m.nv + f->m.nout + 7) / 8 * 8, .with_forces = true};
  size_t n = v * (size_t)f->c.ld;
  assert_int_equal(cri_data_twin(&f->c.tan, &f->m, f->d, CR_DATA_TANGENT, cri_no_params, NULL),
                   CR_OK);
  f->c.X = calloc(2 * n + (size_t)f->m.nC + 2 * a, sizeof(cr_real));
  f->c.Z = f->c.X + n;
  f->c.L = f->c.Z + n;
  f->c.slope_by_act = f->c.L + f->m.nC;
  f->c.slope_by_ctrl = f->c.slope_by_act + a;
  f->c.slopes = calloc(a, sizeof *f->c.slopes);
  f->c.curvatures.at = calloc((size_t)f->m.ntendon + 1, sizeof(int32_t));
  f->c.curvatures.numbers = calloc(cri_curvatures_size(&f->m) + 1, sizeof(cr_real));
  return cri_acceleration_why(&f->m, f->d) == NULL;
}

static void close(fixture* f) {
  free(f->c.X);
  free(f->c.slopes);
  free(f->c.curvatures.at);
  free(f->c.curvatures.numbers);
  cri_data_free(f->c.tan);
  cri_model_free(&f->m);
}

static void check(void (*property)(fixture*)) {
  int found = 0;
  for (uint64_t seed = 0; seed < 64; seed++) {
    for (int kind = 0; kind < N_STATE_KIND; kind++) {
      fixture f;
      if (open(&f, seed, (state_kind)kind)) {
        cri_acceleration_blocks(&f.m, f.d, &f.c, seed % 2 == 0);
        size_t blocks = cri_mark(f.c.tan);
        assert_int_equal(cri_acceleration_jac_set(&f.m, f.d, &f.c), CR_OK);
        assert_int_equal(f.c.tan->scratch_used, blocks);
        property(&f);
        found++;
      }
      close(&f);
    }
  }
  assert_true(found > 3);
}

// applied forces: H^-1, symmetric and positive; outputs: its product with the moments
static void forces_act_through_an_inverse(fixture* f) {
  const cr_model* m = &f->m;
  const cr_real* inverse = f->c.X + cri_acceleration_applied(m);
  for (int i = 0; i < m->nv; i++) {
    assert_true(inverse[i * f->c.ld + i] > 0);
    for (int j = 0; j < i; j++) {
      cr_real scale = cr_sqrt(inverse[i * f->c.ld + i] * inverse[j * f->c.ld + j]);
      assert_close(inverse[i * f->c.ld + j], inverse[j * f->c.ld + i], 1000 * ROUND_OFF * scale);
    }
  }
  bool held = false;
  for (int j = 0; j < m->njnt; j++) {
    held = held || m->jnt_actfrclimited[j] != 0;
  }
  for (int o = 0; o < m->nout && !held; o++) {
    for (int i = 0; i < m->nv; i++) {
      cr_real sum = 0, scale = 0;
      for (int k = f->d->moment_rowadr[o]; k < f->d->moment_rowadr[o] + f->d->moment_rownnz[o];
           k++) {
        cr_real x = inverse[i * f->c.ld + f->d->moment_colind[k]] * f->d->actuator_moment[k];
        sum += x;
        scale += cr_abs(x);
      }
      assert_close(f->c.X[i * f->c.ld + 2 * m->nv + o], sum, 1000 * ROUND_OFF * scale);
    }
  }
}

TEST(inverse_inertia) { check(forces_act_through_an_inverse); }

// along a random direction of coordinates and velocities
static void tangent_along(fixture* f) {
  const cr_model* m = &f->m;
  cr_data* tan = f->c.tan;
  cr_random r = cr_random_seed((uint64_t)m->nv, 3);
  cr_real* got = calloc((size_t)m->nv, sizeof *got);
  cri_acceleration_clear(m, tan);
  for (int j = 0; j < m->nv; j++) {
    tan->qpos[j] = cr_random_normal(&r);
    tan->qvel[j] = cr_random_normal(&r);
    for (int i = 0; i < m->nv; i++) {
      const cr_real* x = f->c.X + i * f->c.ld;
      got[i] += x[j] * tan->qpos[j] + x[m->nv + j] * tan->qvel[j];
    }
  }
  assert_int_equal(cr_forward_jvp(m, f->d, tan), CR_OK);
  assert_all_close(got, tan->qacc, m->nv, 1000 * ROUND_OFF);
  free(got);
}

TEST(products_are_tangents) { check(tangent_along); }

// a stage that nobody wrote columns for: the Jacobian has to do without
TEST(a_stage_without_columns_is_named) {
  static const int32_t types[] = {CR_JNT_HINGE, CR_JNT_BALL};
  cr_model m;
  cr_stage rows[CR_MAX_STAGES];
  assert_int_equal(chain_model(&m, 2, types, 1, NULL), CR_OK);
  cr_data* d = test_data(&m);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  assert_null(cri_acceleration_why(&m, d));
  for (int at = 0; at < cr_ndynamics; at++) {
    for (int i = 0; i < cr_npipeline; i++) {
      rows[i < at ? i : i + 1] = cr_pipeline[i];
    }
    rows[at] = (cr_stage){.name = "new"};
    m.schedule = cri_schedule_create(rows, cr_npipeline + 1, cr_ndynamics, cr_ndynamics + 1);
    assert_string_equal(cri_acceleration_why(&m, d), "new");
    cri_schedule_release(m.schedule);
  }
  m.schedule = NULL;
  cri_model_free(&m);
}
