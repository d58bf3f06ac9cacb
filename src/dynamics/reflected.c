// SPDX-License-Identifier: Apache-2.0
// One loop over dofs or tendons, one over actuators. Both laws are linear in everything but the gear.
#include "dynamics/reflected.h"

// what is damped and has armature
typedef enum { DOFS, TENDONS } kind;

static int count(const cr_model* m, kind of) { return of == DOFS ? m->nv : m->ntendon; }

// the rows that actuator k acts on: all dofs of its joint, its tendon, or none
typedef struct {
  int first, n;
} rows;

static rows driven(const cr_model* m, kind of, int k) {
  int type = m->actuator_trntype[k], id = m->actuator_trnid[2 * k];
  if (of == TENDONS) {
    return (rows){id, type == CR_TRN_TENDON ? 1 : 0};
  }
  if (type > CR_TRN_JOINTINPARENT) {
    return (rows){0, 0};
  }
  int joint = m->jnt_type[id];
  return (rows){m->jnt_dofadr[id], joint == CR_JNT_FREE ? 6 : (joint == CR_JNT_BALL ? 3 : 1)};
}

static int gear_of(const cr_model* m, int k) { return 6 * m->actuator_outadr[k]; }

// x_i += s y for those rows, n numbers a row
static void spread(rows on, cr_real* x, cr_real s, const cr_real* y, int n) {
  for (int i = on.first; i < on.first + on.n; i++) {
    for (int c = 0; c < n; c++) {
      x[n * i + c] += s * y[c];
    }
  }
}

// y = sum of x_i over them
static void collect(rows on, const cr_real* x, cr_real* y, int n) {
  cr_zero(y, n);
  for (int i = on.first; i < on.first + on.n; i++) {
    for (int c = 0; c < n; c++) {
      y[c] += x[n * i + c];
    }
  }
}

// ---- armature

static cr_real* own_armature(const cr_model* m, kind of) {
  return of == DOFS ? m->dof_armature : m->tendon_armature;
}

static void armature_of(const cr_model* m, kind of, cr_real* armature) {
  cr_copy(armature, own_armature(m, of), count(m, of));
  for (int k = 0; k < m->nactuator; k++) {
    // [r1]
    if (m->actuator_armature[k] != 0) {
      cr_real gear = m->actuator_gear[gear_of(m, k)];
      spread(driven(m, of, k), armature, gear * gear, m->actuator_armature + k, 1);
    }
  }
}

static void armature_tan_of(const cr_model* m, kind of, const cr_data* tan, cr_real* armature_tan) {
  for (int i = 0; i < count(m, of); i++) {
    armature_tan[i] = cri_par_tan(own_armature(&tan->par, of), i, 1)[0];
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r1] gear^2 a' + 2 gear gear' a
    cr_real gear = m->actuator_gear[gear_of(m, k)];
    cr_real gear_tan = cri_par_tan(tan->par.actuator_gear, m->actuator_outadr[k], 6)[0];
    cr_real a_tan = gear * gear * cri_par_tan(tan->par.actuator_armature, k, 1)[0] +
                    2 * gear * gear_tan * m->actuator_armature[k];
    spread(driven(m, of, k), armature_tan, 1, &a_tan, 1);
  }
}

static void armature_vjp_of(const cr_model* m, kind of, cr_data* bar, const cr_real* armature_bar) {
  cr_real* own_bar = own_armature(&bar->par, of);
  for (int i = 0; own_bar != NULL && i < count(m, of); i++) {
    own_bar[i] += armature_bar[i];
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r1]'
    cr_real gear = m->actuator_gear[gear_of(m, k)], sum;
    collect(driven(m, of, k), armature_bar, &sum, 1);
    if (bar->par.actuator_armature != NULL) {
      bar->par.actuator_armature[k] += gear * gear * sum;
    }
    if (bar->par.actuator_gear != NULL) {
      bar->par.actuator_gear[gear_of(m, k)] += 2 * gear * m->actuator_armature[k] * sum;
    }
  }
}

void cri_reflected_armature(const cr_model* m, cr_real* armature) {
  armature_of(m, DOFS, armature);
}
void cri_reflected_armature_jvp(const cr_model* m, const cr_data* tan, cr_real* armature_tan) {
  armature_tan_of(m, DOFS, tan, armature_tan);
}
void cri_reflected_armature_vjp(const cr_model* m, cr_data* bar, const cr_real* armature_bar) {
  armature_vjp_of(m, DOFS, bar, armature_bar);
}

void cri_tendon_armature(const cr_model* m, cr_real* armature) {
  armature_of(m, TENDONS, armature);
}
void cri_tendon_armature_jvp(const cr_model* m, const cr_data* tan, cr_real* armature_tan) {
  armature_tan_of(m, TENDONS, tan, armature_tan);
}
void cri_tendon_armature_vjp(const cr_model* m, cr_data* bar, const cr_real* armature_bar) {
  armature_vjp_of(m, TENDONS, bar, armature_bar);
}

// ---- damping

// the three coefficients of actuator k before its gear
static void actuator_law(const cr_model* m, int k, cr_real b[3]) {
  b[0] = m->actuator_damping[k];
  b[1] = m->actuator_dampingpoly[2 * k];
  b[2] = m->actuator_dampingpoly[2 * k + 1];
}

static cr_real* own_damping(const cr_model* m, kind of) {
  return of == DOFS ? m->dof_damping : m->tendon_damping;
}

static cr_real* own_poly(const cr_model* m, kind of) {
  return of == DOFS ? m->dof_dampingpoly : m->tendon_dampingpoly;
}

static void damping_of(const cr_model* m, kind of, cr_real* b) {
  const cr_real *own = own_damping(m, of), *poly = own_poly(m, of);
  for (int i = 0; i < count(m, of); i++) {
    b[3 * i] = own[i];
    b[3 * i + 1] = poly[2 * i];
    b[3 * i + 2] = poly[2 * i + 1];
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r2]
    cr_real law[3];
    actuator_law(m, k, law);
    if (law[0] != 0 || law[1] != 0 || law[2] != 0) {
      cr_real gear = m->actuator_gear[gear_of(m, k)];
      spread(driven(m, of, k), b, gear * gear, law, 3);
    }
  }
}

static void damping_tan_of(const cr_model* m, kind of, const cr_data* tan, cr_real* b_tan) {
  for (int i = 0; i < count(m, of); i++) {
    const cr_real* poly_tan = cri_par_tan(own_poly(&tan->par, of), i, 2);
    b_tan[3 * i] = cri_par_tan(own_damping(&tan->par, of), i, 1)[0];
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
    spread(driven(m, of, k), b_tan, gear * gear, law_tan, 3);
    spread(driven(m, of, k), b_tan, 2 * gear * gear_tan, law, 3);
  }
}

static void damping_vjp_of(const cr_model* m, kind of, cr_data* bar, const cr_real* b_bar) {
  const cr_model* par = &bar->par;
  cr_real *own_bar = own_damping(par, of), *poly_bar = own_poly(par, of);
  for (int i = 0; i < count(m, of); i++) {
    if (own_bar != NULL) {
      own_bar[i] += b_bar[3 * i];
    }
    for (int c = 0; poly_bar != NULL && c < 2; c++) {
      poly_bar[2 * i + c] += b_bar[3 * i + 1 + c];
    }
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [r2]'
    cr_real gear = m->actuator_gear[gear_of(m, k)], law[3], sum[3];
    actuator_law(m, k, law);
    collect(driven(m, of, k), b_bar, sum, 3);
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

void cri_reflected_damping(const cr_model* m, cr_real* b) { damping_of(m, DOFS, b); }
void cri_reflected_damping_jvp(const cr_model* m, const cr_data* tan, cr_real* b_tan) {
  damping_tan_of(m, DOFS, tan, b_tan);
}
void cri_reflected_damping_vjp(const cr_model* m, cr_data* bar, const cr_real* b_bar) {
  damping_vjp_of(m, DOFS, bar, b_bar);
}

void cri_tendon_damping(const cr_model* m, cr_real* b) { damping_of(m, TENDONS, b); }
void cri_tendon_damping_jvp(const cr_model* m, const cr_data* tan, cr_real* b_tan) {
  damping_tan_of(m, TENDONS, tan, b_tan);
}
void cri_tendon_damping_vjp(const cr_model* m, cr_data* bar, const cr_real* b_bar) {
  damping_vjp_of(m, TENDONS, bar, b_bar);
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
    if (driven(m, DOFS, k).n > 0 && (b[0] != 0 || b[1] != 0 || b[2] != 0)) {
      return true;
    }
  }
  return false;
}

bool cri_damping_wanted(const cr_model* par) {
  return par->dof_damping != NULL || par->dof_dampingpoly != NULL ||
         par->actuator_damping != NULL || par->actuator_dampingpoly != NULL;
}
