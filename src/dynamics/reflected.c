// SPDX-License-Identifier: Apache-2.0
// One loop over dofs, one over actuators. Both laws are linear in everything but the gear.
#include "dynamics/reflected.h"

// first dof and number of dofs of the joint that actuator k acts on; none for other transmissions
typedef struct {
  int first, n;
} dofs;

static dofs driven(const cr_model* m, int k) {
  if (m->actuator_trntype[k] > CR_TRN_JOINTINPARENT) {
    return (dofs){0, 0};
  }
  int j = m->actuator_trnid[2 * k], type = m->jnt_type[j];
  return (dofs){m->jnt_dofadr[j], type == CR_JNT_FREE ? 6 : (type == CR_JNT_BALL ? 3 : 1)};
}

static int gear_of(const cr_model* m, int k) { return 6 * m->actuator_outadr[k]; }

// x_i += s y for the dofs of the actuator's joint, n numbers a dof
static void spread(dofs on, cr_real* x, cr_real s, const cr_real* y, int n) {
  for (int i = on.first; i < on.first + on.n; i++) {
    for (int c = 0; c < n; c++) {
      x[n * i + c] += s * y[c];
    }
  }
}

// y = sum of x_i over those dofs
static void collect(dofs on, const cr_real* x, cr_real* y, int n) {
  cr_zero(y, n);
  for (int i = on.first; i < on.first + on.n; i++) {
    for (int c = 0; c < n; c++) {
      y[c] += x[n * i + c];
    }
  }
}

// ---- armature

void cri_reflected_armature(const cr_model* m, cr_real* armature) {
  cr_copy(armature, m->dof_armature, m->nv);
  for (int k = 0; k < m->nactuator; k++) {
    // [r1]
    cr_real gear = m->actuator_gear[gear_of(m, k)];
    spread(driven(m, k), armature, gear * gear, m->actuator_armature + k, 1);
  }
}

void cri_reflected_armature_jvp(const cr_model* m, const cr_data* tan, cr_real* armature_tan) {
  for (int i = 0; i < m->nv; i++) {
    armature_tan[i] = cri_par_tan(tan->par.dof_armature, i, 1)[0];
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r1] gear^2 a' + 2 gear gear' a
    cr_real gear = m->actuator_gear[gear_of(m, k)];
    cr_real gear_tan = cri_par_tan(tan->par.actuator_gear, m->actuator_outadr[k], 6)[0];
    cr_real a_tan = gear * gear * cri_par_tan(tan->par.actuator_armature, k, 1)[0] +
                    2 * gear * gear_tan * m->actuator_armature[k];
    spread(driven(m, k), armature_tan, 1, &a_tan, 1);
  }
}

void cri_reflected_armature_vjp(const cr_model* m, cr_data* bar, const cr_real* armature_bar) {
  for (int i = 0; bar->par.dof_armature != NULL && i < m->nv; i++) {
    bar->par.dof_armature[i] += armature_bar[i];
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r1]'
    cr_real gear = m->actuator_gear[gear_of(m, k)], sum;
    collect(driven(m, k), armature_bar, &sum, 1);
    if (bar->par.actuator_armature != NULL) {
      bar->par.actuator_armature[k] += gear * gear * sum;
    }
    if (bar->par.actuator_gear != NULL) {
      bar->par.actuator_gear[gear_of(m, k)] += 2 * gear * m->actuator_armature[k] * sum;
    }
  }
}

// ---- damping

// the three coefficients of actuator k before its gear
static void actuator_law(const cr_model* m, int k, cr_real b[3]) {
  b[0] = m->actuator_damping[k];
  b[1] = m->actuator_dampingpoly[2 * k];
  b[2] = m->actuator_dampingpoly[2 * k + 1];
}

void cri_reflected_damping(const cr_model* m, cr_real* b) {
  for (int i = 0; i < m->nv; i++) {
    b[3 * i] = m->dof_damping[i];
    b[3 * i + 1] = m->dof_dampingpoly[2 * i];
    b[3 * i + 2] = m->dof_dampingpoly[2 * i + 1];
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r2]
    cr_real gear = m->actuator_gear[gear_of(m, k)], law[3];
    actuator_law(m, k, law);
    spread(driven(m, k), b, gear * gear, law, 3);
  }
}

void cri_reflected_damping_jvp(const cr_model* m, const cr_data* tan, cr_real* b_tan) {
  for (int i = 0; i < m->nv; i++) {
    const cr_real* poly_tan = cri_par_tan(tan->par.dof_dampingpoly, i, 2);
    b_tan[3 * i] = cri_par_tan(tan->par.dof_damping, i, 1)[0];
    b_tan[3 * i + 1] = poly_tan[0];
    b_tan[3 * i + 2] = poly_tan[1];
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r2] gear^2 b' + 2 gear gear' b
    cr_real gear = m->actuator_gear[gear_of(m, k)], law[3];
    cr_real gear_tan = cri_par_tan(tan->par.actuator_gear, m->actuator_outadr[k], 6)[0];
    const cr_real* poly_tan = cri_par_tan(tan->par.actuator_dampingpoly, k, 2);
    const cr_real law_tan[3] = {cri_par_tan(tan->par.actuator_damping, k, 1)[0], poly_tan[0],
                                poly_tan[1]};
    actuator_law(m, k, law);
    spread(driven(m, k), b_tan, gear * gear, law_tan, 3);
    spread(driven(m, k), b_tan, 2 * gear * gear_tan, law, 3);
  }
}

void cri_reflected_damping_vjp(const cr_model* m, cr_data* bar, const cr_real* b_bar) {
  const cr_model* par = &bar->par;
  for (int i = 0; i < m->nv; i++) {
    if (par->dof_damping != NULL) {
      par->dof_damping[i] += b_bar[3 * i];
    }
    for (int c = 0; par->dof_dampingpoly != NULL && c < 2; c++) {
      par->dof_dampingpoly[2 * i + c] += b_bar[3 * i + 1 + c];
    }
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r2]'
    cr_real gear = m->actuator_gear[gear_of(m, k)], law[3], sum[3];
    actuator_law(m, k, law);
    collect(driven(m, k), b_bar, sum, 3);
    if (par->actuator_damping != NULL) {
      par->actuator_damping[k] += gear * gear * sum[0];
    }
    for (int c = 0; par->actuator_dampingpoly != NULL && c < 2; c++) {
      par->actuator_dampingpoly[2 * k + c] += gear * gear * sum[1 + c];
    }
    if (par->actuator_gear != NULL) {
      par->actuator_gear[gear_of(m, k)] +=
          2 * gear * (law[0] * sum[0] + law[1] * sum[1] + law[2] * sum[2]);
    }
  }
}

void cri_damping_slopes_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* D_tan) {
  size_t mark = cri_mark(tan);
  cr_real* b = cri_push(tan, 3 * (size_t)m->nv);
  cr_real* b_tan = cri_push(tan, 3 * (size_t)m->nv);
  cri_reflected_damping(m, b);
  cri_reflected_damping_jvp(m, tan, b_tan);
  for (int i = 0; i < m->nv; i++) {
    // [r3]
    D_tan[i] = cri_damping_slope(b_tan + 3 * i, d->qvel[i]) +
               cri_damping_bend(b + 3 * i, d->qvel[i]) * tan->qvel[i];
  }
  cri_pop(tan, mark);
}

void cri_damping_slopes_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                            const cr_real* D_bar) {
  size_t mark = cri_mark(bar);
  cr_real* b = cri_push(bar, 3 * (size_t)m->nv);
  cr_real* b_bar = cri_push(bar, 3 * (size_t)m->nv);
  cri_reflected_damping(m, b);
  for (int i = 0; i < m->nv; i++) {
    // [r3]'
    cr_real v = d->qvel[i];
    bar->qvel[i] += D_bar[i] * cri_damping_bend(b + 3 * i, v);
    b_bar[3 * i] = D_bar[i];
    b_bar[3 * i + 1] = 2 * cr_abs(v) * D_bar[i];
    b_bar[3 * i + 2] = 3 * v * v * D_bar[i];
  }
  cri_reflected_damping_vjp(m, bar, b_bar);
  cri_pop(bar, mark);
}

bool cri_damps(const cr_model* m) {
  for (int i = 0; i < m->nv; i++) {
    const cr_real* poly = m->dof_dampingpoly + 2 * (size_t)i;
    if (m->dof_damping[i] > 0 || poly[0] != 0 || poly[1] != 0) {
      return true;
    }
  }
  for (int k = 0; k < m->nactuator; k++) {
    cr_real b[3];
    actuator_law(m, k, b);
    if (driven(m, k).n > 0 && (b[0] != 0 || b[1] != 0 || b[2] != 0)) {
      return true;
    }
  }
  return false;
}

bool cri_damping_wanted(const cr_model* par) {
  return par->dof_damping != NULL || par->dof_dampingpoly != NULL ||
         par->actuator_damping != NULL || par->actuator_dampingpoly != NULL;
}
