// SPDX-License-Identifier: Apache-2.0
// Dampers, see damper.h: a polynomial of |v| whose coefficients force/reflected gathers.
#include "force/damper.h"

static int count(const cr_model* m, cri_damped what) {
  return what == CR_DAMPED_DOFS ? m->nv : m->ntendon;
}

static cr_real* velocity(const cr_data* d, cri_damped what) {
  return what == CR_DAMPED_DOFS ? d->qvel : d->ten_velocity;
}

// the laws of all of them
static const cr_real* laws(const cr_model* m, cri_damped what, cr_data* work) {
  cr_real* b = cri_push(work, 3 * (size_t)count(m, what));
  if (what == CR_DAMPED_DOFS) {
    cri_reflected_damping(m, b);
  } else {
    cri_tendon_damping(m, b);
  }
  return b;
}

static const cr_real* laws_tan(const cr_model* m, cr_data* tan, cri_damped what) {
  cr_real* b_tan = cri_push(tan, 3 * (size_t)count(m, what));
  if (what == CR_DAMPED_DOFS) {
    cri_reflected_damping_jvp(m, tan, b_tan);
  } else {
    cri_tendon_damping_jvp(m, tan, b_tan);
  }
  return b_tan;
}

static void laws_vjp(const cr_model* m, cr_data* bar, cri_damped what, const cr_real* b_bar) {
  if (what == CR_DAMPED_DOFS) {
    cri_reflected_damping_vjp(m, bar, b_bar);
  } else {
    cri_tendon_damping_vjp(m, bar, b_bar);
  }
}

// ---- forces

void cri_damper_forces(const cr_model* m, const cr_data* d, cri_damped what, cr_real* f,
                       cr_data* work) {
  size_t mark = cri_mark(work);
  const cr_real *b = laws(m, what, work), *v = velocity(d, what);
  for (int i = 0; i < count(m, what); i++) {
    // [passive.p2], [passive.p6]
    f[i] = -cri_damping_chord(b + 3 * i, v[i]) * v[i];
  }
  cri_pop(work, mark);
}

void cri_damper_forces_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_damped what,
                           cr_real* f_tan) {
  size_t mark = cri_mark(tan);
  const cr_real *b = laws(m, what, tan), *b_tan = laws_tan(m, tan, what);
  const cr_real *v = velocity(d, what), *v_tan = velocity(tan, what);
  for (int i = 0; i < count(m, what); i++) {
    // [passive.p2], [passive.p6] -(b0' + b1' |v| + b2' v^2) v - D v'
    f_tan[i] = -cri_damping_chord(b_tan + 3 * i, v[i]) * v[i] -
               cri_damping_slope(b + 3 * i, v[i]) * v_tan[i];
  }
  cri_pop(tan, mark);
}

void cri_damper_forces_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_damped what,
                           const cr_real* f_bar) {
  size_t mark = cri_mark(bar), n = (size_t)count(m, what);
  const cr_real *b = laws(m, what, bar), *v = velocity(d, what);
  cr_real *b_bar = cri_push(bar, 3 * n), *v_bar = velocity(bar, what);
  cr_zero(b_bar, 3 * (int)n);
  for (int i = 0; i < (int)n; i++) {
    // [passive.p2]', [passive.p6]' v_bar -= D f_bar, b_bar = -(1, |v|, v^2) v f_bar
    v_bar[i] -= cri_damping_slope(b + 3 * i, v[i]) * f_bar[i];
    cri_polynomial_bar(CR_POLY_CHORD, cr_abs(v[i]), -v[i] * f_bar[i], b_bar + 3 * i);
  }
  laws_vjp(m, bar, what, b_bar);
  cri_pop(bar, mark);
}

// ---- slopes

void cri_damper_qderiv(const cr_model* m, const cr_data* d, cri_damped what, cr_real* D,
                       cr_data* work) {
  size_t mark = cri_mark(work);
  const cr_real *b = laws(m, what, work), *v = velocity(d, what);
  for (int i = 0; i < count(m, what); i++) {
    // [passive.r3]
    D[i] = cri_damping_slope(b + 3 * i, v[i]);
  }
  cri_pop(work, mark);
}

void cri_damper_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_damped what,
                           cr_real* D_tan) {
  size_t mark = cri_mark(tan);
  const cr_real *b = laws(m, what, tan), *b_tan = laws_tan(m, tan, what);
  const cr_real *v = velocity(d, what), *v_tan = velocity(tan, what);
  for (int i = 0; i < count(m, what); i++) {
    // [passive.r3]
    D_tan[i] =
        cri_damping_slope(b_tan + 3 * i, v[i]) + cri_damping_bend(b + 3 * i, v[i]) * v_tan[i];
  }
  cri_pop(tan, mark);
}

void cri_damper_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_damped what,
                           const cr_real* D_bar) {
  size_t mark = cri_mark(bar), n = (size_t)count(m, what);
  const cr_real *b = laws(m, what, bar), *v = velocity(d, what);
  cr_real *b_bar = cri_push(bar, 3 * n), *v_bar = velocity(bar, what);
  cr_zero(b_bar, 3 * (int)n);
  for (int i = 0; i < (int)n; i++) {
    // [passive.r3]'
    v_bar[i] += D_bar[i] * cri_damping_bend(b + 3 * i, v[i]);
    cri_polynomial_bar(CR_POLY_STIFFNESS, cr_abs(v[i]), D_bar[i], b_bar + 3 * i);
  }
  laws_vjp(m, bar, what, b_bar);
  cri_pop(bar, mark);
}

void cri_damper_bends(const cr_model* m, const cr_data* d, cri_damped what, cr_real* B,
                      cr_data* work) {
  size_t mark = cri_mark(work);
  const cr_real *b = laws(m, what, work), *v = velocity(d, what);
  for (int i = 0; i < count(m, what); i++) {
    B[i] = cri_damping_bend(b + 3 * i, v[i]);
  }
  cri_pop(work, mark);
}

void cri_damper_sides(const cr_model* m, const cr_data* d, cri_damped what, int32_t* side,
                      cr_data* work) {
  size_t mark = cri_mark(work);
  const cr_real *b = laws(m, what, work), *v = velocity(d, what);
  for (int i = 0; i < count(m, what); i++) {
    side[i] = b[3 * i + 1] != 0 && v[i] < 0;
  }
  cri_pop(work, mark);
}
