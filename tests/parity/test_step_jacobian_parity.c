// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The Jacobian of a step against centred differences of MuJoCo's steps, along simulations.
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "integrate/step.h"
#include "integrate/step_jacobian.h"
#include "parity/parity.h"
#include "scenes/io_mjcf.h"
#include "support/test.h"

enum { STATES = 12, STEPS = 25 };

typedef struct {
  int compared, off, direct;
  double worst;
} tally;

// what differences say of an entry is good to 1e-5 of the largest of its column: they cancel nine
// digits of sixteen, and solves differ in the last
static void compare(tally* t, const cr_real* ours, const mjtNum* theirs, int rows, int columns) {
  for (int k = 0; k < columns; k++) {
    double scale = 1e-6;
    for (int i = 0; i < rows; i++) {
      scale = fmax(scale, fabs(theirs[i * columns + k]));
    }
    for (int i = 0; i < rows; i++) {
      double off = fabs((double)ours[i * columns + k] - theirs[i * columns + k]) / scale;
      t->worst = fmax(t->worst, off);
      t->compared++;
      t->off += !(off <= 1e-5);
    }
  }
}

static tally check(mjModel* mj) {
  tally t = {0};
  mj->opt.integrator = mjINT_EULER;
  cri_parity_options(mj);
  cr_model m = mjcf_model(mj);
  mjData* from = mj_makeData(mj);
  cr_jacobian* work;
  cr_data* d = test_data(&m);
  assert_int_equal(cr_jacobian_create(&work, &m, d, NULL), CR_OK);
  size_t nx = (size_t)(2 * m.nv + m.na), nu = (size_t)m.nu;
  cr_real *x = calloc(nx * nx, sizeof *x), *ctrl = calloc(nx * nu + 1, sizeof *ctrl);
  mjtNum *A = calloc(nx * nx, sizeof *A), *B = calloc(nx * nu + 1, sizeof *B);
  cr_random r = cr_random_seed(3, 0);
  if (mj->nkey > 0) {
    mj_resetDataKeyframe(mj, from, 0);
  }
  for (int k = 0; k < STATES; k++) {
    for (int step = 0; step < STEPS; step++) {
      for (int i = 0; i < m.nu; i++) {
        from->ctrl[i] = 0.3 * (double)cr_random_normal(&r);
      }
      mj_step(mj, from);
    }
    cri_mujoco_state(&m, from, d);
    assert_int_equal(cr_step(&m, d), CR_OK);
    assert_int_equal(cr_step_jacobian(&m, d, work, x, ctrl, NULL), CR_OK);
    mjd_transitionFD(mj, from, 1e-6, 1, A, B, NULL, NULL);
    t.direct += cr_jacobian_fallback(work) == NULL;
    compare(&t, x, A, (int)nx, (int)nx);
    compare(&t, ctrl, B, (int)nx, (int)nu);
  }
  free(x);
  free(ctrl);
  free(A);
  free(B);
  mj_deleteData(from);
  cr_jacobian_destroy(work);
  cri_model_free(&m);
  mj_deleteModel(mj);
  return t;
}

TEST(differences_agree) {
  static const struct {
    const char* file;
    bool direct;
  } models[] = {{"double_pendulum.xml", true}, {"cube.xml", true},    {"walker.xml", true},
                {"tendon_rows.xml", true},     {"rolling.xml", true}, {"equality.xml", false}};
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    tally t = check(mjcf_data(models[i].file));
    print_message("%s: %d entries, worst %.1e\n", models[i].file, t.compared, t.worst);
    assert_int_equal(t.off, 0);
    assert_true(t.direct == STATES || !models[i].direct);
  }
}
