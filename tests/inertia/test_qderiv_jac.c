// SPDX-License-Identifier: Apache-2.0
// The columns of D r against differences of D, along random directions of everything it depends on.
#include "inertia/qderiv_jac.h"

#include <stdlib.h>

#include "engine/forward.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MAX_NV = 64 };

static cr_real lower[MAX_NV * MAX_NV], upper[MAX_NV * MAX_NV];

// y += s D r
static void add_product(const cr_model* m, cr_data* d, cri_qderiv_kind kind, const cr_real* r,
                        cr_real s, cr_real* y) {
  cri_qderiv(m, d, kind, lower, upper, d);
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      int j = m->M_colind[k];
      y[i] += s * lower[k] * r[j];
      y[j] += i == j ? 0 : s * upper[k] * r[i];
    }
  }
}

typedef struct {
  cr_real q[MAX_NV], act[MAX_NV], ctrl[MAX_NV];
} direction;

// false where a tendon's path changes its kind on the way
static bool difference(const cr_model* m, const cr_data* d, cr_data* moved, cri_qderiv_kind kind,
                       const direction* to, const cr_real* r, cr_real* rate) {
  bool same = true;
  static const cr_real weight[] = {1, -8, 8, -1};
  const cr_real h = CR_R(1e-4);
  for (int k = 0; k < 4; k++) {
    cr_real s = h * (cr_real)(k < 2 ? k - 2 : k - 1);
    mechanism_move(m, d, to->q, s, moved);
    for (int i = 0; i < m->nv; i++) {
      moved->qvel[i] = d->qvel[i] + s * to->q[i];
    }
    for (int i = 0; i < m->na; i++) {
      moved->act[i] = d->act[i] + s * to->act[i];
    }
    for (int i = 0; i < m->nu; i++) {
      moved->ctrl[i] = d->ctrl[i] + s * to->ctrl[i];
    }
    assert_int_equal(cr_forward(m, moved), CR_OK);
    add_product(m, moved, kind, r, weight[k] / (12 * h), rate);
    same = same && memcmp(moved->wrap_branch, d->wrap_branch,
                          (size_t)m->nwrap * sizeof *d->wrap_branch) == 0;
  }
  return same;
}

static bool check(cr_model* m, uint64_t seed, cri_qderiv_kind kind) {
  cr_data* tan;
  cr_data* d = test_data(m);
  cr_data* moved = test_data(m);
  assert_int_equal(cri_data_twin(&tan, m, d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  random_state(m, d, seed, STATE_FLIGHT);
  assert_int_equal(cr_forward(m, d), CR_OK);
  cri_data_copy(m, moved, d);
  size_t v = (size_t)m->nv, width = 2 * v + (size_t)m->nout;
  cr_real* numbers = calloc(v * width + 2 * (size_t)m->nactuator, sizeof *numbers);
  cri_curvatures bends = {calloc((size_t)m->ntendon + 1, sizeof(int32_t)),
                          calloc(cri_curvatures_size(m) + 1, sizeof(cr_real))};
  cri_qderiv_jac to = {{(int)width, numbers, numbers + v, numbers + 2 * v}, 2, NULL, NULL};
  to.by_act = numbers + v * width;
  to.by_ctrl = to.by_act + m->nactuator;
  direction along;
  cr_real r[MAX_NV], rate[MAX_NV] = {0}, got[MAX_NV] = {0};
  cr_random random = cr_random_seed(seed, 6);
  for (int i = 0; i < MAX_NV; i++) {
    along.q[i] = cr_random_normal(&random);
    along.act[i] = cr_random_normal(&random);
    along.ctrl[i] = cr_random_normal(&random);
    r[i] = cr_random_normal(&random);
  }
  cri_curvatures_set(m, d, &bends, tan);
  cri_qderiv_jac_add(m, d, kind, r, &bends, &to, tan);
  bool same = difference(m, d, moved, kind, &along, r, rate);
  for (int i = 0; i < m->nv; i++) {
    const cr_real* row = numbers + i * to.columns.ld;
    for (int j = 0; j < m->nv; j++) {
      got[i] += (row[j] + row[m->nv + j]) * along.q[j] / 2;  // twice, by the scale
    }
    for (int k = 0; k < m->nactuator; k++) {
      int a = m->actuator_actadr[k];
      cr_real c = to.by_ctrl[k] * along.ctrl[m->actuator_ctrladr[k]];
      c += a < 0 ? 0 : to.by_act[k] * along.act[a];
      got[i] += row[2 * m->nv + m->actuator_outadr[k]] * c / 2;
    }
  }
  if (same) {
    assert_all_close(got, rate, m->nv, CR_R(1e-5));  // paths from inside are good to 1e-6
  }
  free(numbers);
  free(bends.at);
  free(bends.numbers);
  cri_data_free(tan);
  return same;
}

TEST(columns_are_differences) {
  int found = 0;
  for (uint64_t seed = 0; seed < 64; seed++) {
    cr_model m;
    const char* why;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    m.disableflags |= CR_DSBL_CONSTRAINT;
    m.integrator = CR_INT_IMPLICIT;
    m.density[0] = m.viscosity[0] = 0;
    if (m.nv <= MAX_NV && cri_qderiv_has_jac(&m, &why) && cri_forces_along_lengths(&m, &why)) {
      found += check(&m, seed, CR_QDERIV_ALL);
      found += check(&m, seed, CR_QDERIV_FAST);
    }
    cri_model_free(&m);
  }
  assert_true(found > 3);
}
