// SPDX-License-Identifier: Apache-2.0
// One loop over dofs or tendons, one over actuators. Both laws are linear in everything but the gear.
#include "force/reflected.h"

// the elements with damping and armature
typedef enum { DOFS, TENDONS } kind;

static int count(const cr_model* m, kind of) { return of == DOFS ? m->nv : m->ntendon; }

// the rows on which actuator k acts: all dofs of its joint, its tendon, or none
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
  return (rows){m->jnt_dofadr[id], cri_joint_dofs(joint)};
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
    // [passive.r1]
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
    // [passive.r1] gear^2 a' + 2 gear gear' a
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
    // [passive.r1]'
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

const cri_coefficient_fields cri_dof_damper_fields = {CR_FIELD_dof_damping,
                                                      CR_FIELD_dof_dampingpoly};
const cri_coefficient_fields cri_tendon_damper_fields = {CR_FIELD_tendon_damping,
                                                         CR_FIELD_tendon_dampingpoly};
const cri_coefficient_fields cri_actuator_damper_fields = {CR_FIELD_actuator_damping,
                                                           CR_FIELD_actuator_dampingpoly};

static cri_coefficients own_damping(const cr_model* m, kind of) {
  return of == DOFS ? (cri_coefficients){m->dof_damping, m->dof_dampingpoly}
                    : (cri_coefficients){m->tendon_damping, m->tendon_dampingpoly};
}

// the coefficients of an actuator before its gear
static cri_coefficients added_damping(const cr_model* m) {
  return (cri_coefficients){m->actuator_damping, m->actuator_dampingpoly};
}

static void damping_of(const cr_model* m, kind of, cr_real* b) {
  for (int i = 0; i < count(m, of); i++) {
    cri_coefficients_of(own_damping(m, of), i, b + 3 * i);
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [passive.r2]
    cr_real law[3];
    cri_coefficients_of(added_damping(m), k, law);
    if (!cri_coefficients_zero(law)) {
      cr_real gear = m->actuator_gear[gear_of(m, k)];
      spread(driven(m, of, k), b, gear * gear, law, 3);
    }
  }
}

static void damping_tan_of(const cr_model* m, kind of, const cr_data* tan, cr_real* b_tan) {
  for (int i = 0; i < count(m, of); i++) {
    cri_coefficients_tan(own_damping(&tan->par, of), i, b_tan + 3 * i);
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [passive.r2] gear^2 b' + 2 gear gear' b
    cr_real gear = m->actuator_gear[gear_of(m, k)], law[3], law_tan[3];
    cr_real gear_tan = cri_par_tan(tan->par.actuator_gear, m->actuator_outadr[k], 6)[0];
    cri_coefficients_of(added_damping(m), k, law);
    cri_coefficients_tan(added_damping(&tan->par), k, law_tan);
    spread(driven(m, of, k), b_tan, gear * gear, law_tan, 3);
    spread(driven(m, of, k), b_tan, 2 * gear * gear_tan, law, 3);
  }
}

static void damping_vjp_of(const cr_model* m, kind of, cr_data* bar, const cr_real* b_bar) {
  const cr_model* par = &bar->par;
  for (int i = 0; i < count(m, of); i++) {
    cri_coefficients_bar(own_damping(par, of), i, b_bar + 3 * i);
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [passive.r2]'
    cr_real gear = m->actuator_gear[gear_of(m, k)], law[3], sum[3], law_bar[3];
    cri_coefficients_of(added_damping(m), k, law);
    collect(driven(m, of, k), b_bar, sum, 3);
    for (int c = 0; c < 3; c++) {
      law_bar[c] = gear * gear * sum[c];
    }
    cri_coefficients_bar(added_damping(par), k, law_bar);
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

bool cri_damps(const cr_model* m) {
  for (int i = 0; i < m->nv; i++) {
    cr_real b[3];
    cri_coefficients_of(own_damping(m, DOFS), i, b);
    if (b[0] > 0 || b[1] != 0 || b[2] != 0) {
      return true;
    }
  }
  for (int k = 0; k < m->nactuator; k++) {
    cr_real b[3];
    cri_coefficients_of(added_damping(m), k, b);
    if (driven(m, DOFS, k).n > 0 && !cri_coefficients_zero(b)) {
      return true;
    }
  }
  return false;
}

bool cri_damps_dofs(cr_field_id id) {
  return id == cri_dof_damper_fields.first || id == cri_dof_damper_fields.rest ||
         id == cri_actuator_damper_fields.first || id == cri_actuator_damper_fields.rest;
}

bool cri_damping_wanted(const cr_model* par) {
  return cri_coefficients_wanted(own_damping(par, DOFS)) ||
         cri_coefficients_wanted(added_damping(par));
}
