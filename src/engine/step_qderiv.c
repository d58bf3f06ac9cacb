// SPDX-License-Identifier: Apache-2.0
// Four matrices, one diagonal and three in M's pattern, behind one product.
#include "engine/step_qderiv.h"

#include "force/damper.h"
#include "inertia/qderiv.h"

cri_step_qderiv cri_step_qderiv_of(const cr_model* m) {
  const int off = CR_DSBL_EULERDAMP | CR_DSBL_DAMPER;
  switch (m->integrator) {
    case CR_INT_EULER:
      return (m->disableflags & off) == 0 && cri_damps(m) ? CR_STEP_QDERIV_DAMPING
                                                          : CR_STEP_QDERIV_NONE;
    case CR_INT_IMPLICIT:
      return CR_STEP_QDERIV_ALL;
    case CR_INT_IMPLICITFAST:
      return CR_STEP_QDERIV_FAST;
    default:
      return CR_STEP_QDERIV_NONE;
  }
}

static cri_qderiv_kind matrix_of(cri_step_qderiv kind) {
  return kind == CR_STEP_QDERIV_ALL ? CR_QDERIV_ALL : CR_QDERIV_FAST;
}

static void damping_mul(const cr_model* m, const cr_data* d, cr_real s, const cr_real* x,
                        cr_real* y, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* D = cri_push(work, (size_t)m->nv);
  cri_damper_qderiv(m, d, CR_DAMPED_DOFS, D, work);
  for (int i = 0; i < m->nv; i++) {
    y[i] -= s * D[i] * x[i];
  }
  cri_pop(work, mark);
}

// y += s D x, D_ij of row i and its column j in lower, where the diagonal is too, D_ji in upper
static void pattern_mul(const cr_model* m, const cr_real* lower, const cr_real* upper, cr_real s,
                        const cr_real* x, cr_real* y, bool transposed) {
  const cr_real* below = transposed ? upper : lower;
  const cr_real* above = transposed ? lower : upper;
  for (int i = 0; i < m->nv; i++) {
    int diagonal = m->M_rowadr[i] + m->M_rownnz[i] - 1;
    for (int k = m->M_rowadr[i]; k < diagonal; k++) {
      int j = m->M_colind[k];
      y[i] += s * below[k] * x[j];
      y[j] += s * above[k] * x[i];
    }
    y[i] += s * lower[diagonal] * x[i];
  }
}

void cri_step_qderiv_mul(const cr_model* m, const cr_data* d, cri_step_qderiv kind, cr_real s,
                         const cr_real* x, cr_real* y, bool transposed, cr_data* work) {
  if (kind == CR_STEP_QDERIV_NONE) {
    return;
  }
  if (kind == CR_STEP_QDERIV_DAMPING) {
    damping_mul(m, d, s, x, y, work);
    return;
  }
  size_t mark = cri_mark(work);
  cr_real *lower = cri_push(work, (size_t)m->nC), *upper = cri_push(work, (size_t)m->nC);
  if (kind == CR_STEP_QDERIV_GYRO) {
    cri_bias_qderiv(m, d, d->efm_free, lower, upper, work);
  } else {
    cri_qderiv(m, d, matrix_of(kind), lower, upper, work);
  }
  pattern_mul(m, lower, upper, s, x, y, transposed);
  cri_pop(work, mark);
}

// s x, in scratch
static cr_real* scaled(const cr_model* m, const cr_real* x, cr_real s, cr_data* owner) {
  cr_real* y = cri_push(owner, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    y[i] = s * x[i];
  }
  return y;
}

void cri_step_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_step_qderiv kind,
                         cr_real s, const cr_real* x, cr_real* y) {
  size_t mark = cri_mark(tan);
  if (kind == CR_STEP_QDERIV_DAMPING) {
    cr_real* D_tan = cri_push(tan, (size_t)m->nv);
    cri_damper_qderiv_jvp(m, d, tan, CR_DAMPED_DOFS, D_tan);
    for (int i = 0; i < m->nv; i++) {
      y[i] -= s * D_tan[i] * x[i];
    }
  } else if (kind == CR_STEP_QDERIV_GYRO) {
    cri_bias_qderiv_jvp(m, d, tan, d->efm_free, scaled(m, x, s, tan), y);
  } else if (kind != CR_STEP_QDERIV_NONE) {
    cri_qderiv_jvp(m, d, tan, matrix_of(kind), scaled(m, x, s, tan), y);
  }
  cri_pop(tan, mark);
}

void cri_step_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_step_qderiv kind,
                         cr_real s, const cr_real* l, const cr_real* r) {
  size_t mark = cri_mark(bar);
  if (kind == CR_STEP_QDERIV_DAMPING) {
    cr_real* D_bar = cri_push(bar, (size_t)m->nv);
    for (int i = 0; i < m->nv; i++) {
      D_bar[i] = -s * l[i] * r[i];
    }
    cri_damper_qderiv_vjp(m, d, bar, CR_DAMPED_DOFS, D_bar);
  } else if (kind == CR_STEP_QDERIV_GYRO) {
    cri_bias_qderiv_vjp(m, d, bar, d->efm_free, l, r, s);
  } else if (kind != CR_STEP_QDERIV_NONE) {
    cri_qderiv_vjp(m, d, bar, matrix_of(kind), l, r, s);
  }
  cri_pop(bar, mark);
}
