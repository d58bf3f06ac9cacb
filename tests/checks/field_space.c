// SPDX-License-Identifier: Apache-2.0
// The spaces of fields. Operators are walked through their sparse structure by one iterator.
#include "checks/field_space.h"

#include <assert.h>

#include "actuator/setpoint.h"
#include "inertia/effective_mass.h"
#include "math/quat.h"
#include "scenes/random_model.h"

// ---- arrays

bool field_smooth(cr_field_id id) {
  cr_field_kind kind = cri_field(id)->kind;
  bool real = kind == CR_KIND_PARAM || kind == CR_KIND_STATE || kind == CR_KIND_REAL;
  return kind == CR_KIND_OP || (real && cri_field(id)->tangent != CR_TANGENT_NONE);
}

int field_tangent_size(const cr_model* m, const cr_data* d, cr_field_id id) {
  return field_smooth(id) ? cri_field_tangent_size(m, d, id) : 0;
}

cr_real* field_tangent(const cr_model* m, const cr_data* twin, cr_field_id id) {
  return cri_field_of_model(id) ? cri_field_real(&twin->par, NULL, id)
                                : cri_field_real(m, twin, id);
}

cr_pairs* field_pairs(const cr_data* bar, cr_field_id id) {
  assert(cri_field(id)->kind == CR_KIND_OP);
  return (cr_pairs*)(void*)((char*)(uintptr_t)(const void*)bar + cri_field(id)->pairs);
}

// ---- operators: row by row

typedef struct {
  int rows;
  const int32_t *rownnz, *rowadr, *colind;
} structure;

static structure structure_of(const cr_model* m, const cr_data* d, cr_field_id id) {
  switch ((int)id) {
    case CR_FIELD_M:
      return (structure){m->nv, m->M_rownnz, m->M_rowadr, m->M_colind};
    case CR_FIELD_efm_fluid:
      return (structure){d->nefmfluid > 0 ? m->nv : 0, m->M_rownnz, m->M_rowadr, m->M_colind};
    case CR_FIELD_efc_J:
      return (structure){d->nefc, d->efc_J_rownnz, d->efc_J_rowadr, d->efc_J_colind};
    case CR_FIELD_ten_J:
      return (structure){m->ntendon, m->ten_J_rownnz, m->ten_J_rowadr, m->ten_J_colind};
    default:
      assert(id == CR_FIELD_actuator_moment);
      return (structure){m->nout, d->moment_rownnz, d->moment_rowadr, d->moment_colind};
  }
}

// row of non-zero `entry`
static int row_of(const structure* s, int entry) {
  for (int i = 0; i < s->rows; i++) {
    if (entry >= s->rowadr[i] && entry < s->rowadr[i] + s->rownnz[i]) {
      return i;
    }
  }
  return -1;
}

static void operator_dot(const structure* s, bool symmetric, const cr_pairs* pairs,
                         const cr_real* values, field_product* product) {
  for (int k = 0; k < pairs->n; k++) {
    const cr_real *l = cri_pair_left(pairs, k), *r = cri_pair_right(pairs, k);
    for (int i = 0; i < s->rows; i++) {
      for (int a = s->rowadr[i]; a < s->rowadr[i] + s->rownnz[i]; a++) {
        int j = s->colind[a];
        cr_real term = l[i] * values[a] * r[j];
        cr_real mirror = symmetric && i != j ? l[j] * values[a] * r[i] : 0;
        product->sum += term + mirror;
        product->absolute += cr_abs(term) + cr_abs(mirror);
      }
    }
  }
}

// ---- entries without derivative: by definition, or since the value is a switch of its own

// coordinates of quaternions inside qpos_spring
static bool in_quaternion(const cr_model* m, int entry) {
  for (int i = 0; i < m->njnt; i++) {
    int k = entry - m->jnt_qposadr[i];
    if (m->jnt_type[i] == CR_JNT_FREE && k >= 3 && k < 7) {
      return true;
    }
    if (m->jnt_type[i] == CR_JNT_BALL && k >= 0 && k < 4) {
      return true;
    }
  }
  return false;
}

// output of an actuator whose setpoint lives on a circle
static bool moves_servo(const cr_model* m, int out) {
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator_outadr[i] == out) {
      return cri_servo_period(m, i) > 0;
    }
  }
  return false;
}

// a servo whose gains put it on a circle
static bool circles_by_gains(const cr_model* m, int i) {
  return m->actuator_gaintype[i] == CR_GAIN_FIXED && cri_servo_period(m, i) > 0;
}

bool field_entry_smooth(const cr_model* m, const cr_data* d, cr_field_id id, int entry) {
  const cr_real* x = cri_field_real(m, d, id);
  if (cri_effective_mass_switch(m, id, entry)) {
    return false;
  }
  switch ((int)id) {
    case CR_FIELD_efc_KBIP:
      return entry % 4 != 3;
    case CR_FIELD_qpos_spring:
      return !in_quaternion(m, entry);
    case CR_FIELD_wrap_prm:
      // the side site of a geom is a number of a site
      return m->wrap_type[entry] != CR_WRAP_SPHERE && m->wrap_type[entry] != CR_WRAP_CYLINDER;
    case CR_FIELD_geom_solmix:
      // without weight, a geom counts only if the other has none either
      return x[entry] > 0;
    case CR_FIELD_dof_frictionloss:
    case CR_FIELD_tendon_frictionloss:
      // a dof without friction loss has no row, one with a little has
      return x[entry] > 0;
    case CR_FIELD_pair_solreffriction:
    case CR_FIELD_contact_solreffriction:
      // two zeros stand for solref
      return x[entry - entry % 2] != 0 || x[entry - entry % 2 + 1] != 0;
    case CR_FIELD_efc_force:
      // a row without force is beside the kink of its law, and of a touch sensor
      return x[entry] != 0;
    case CR_FIELD_geom_adhesion:
    case CR_FIELD_pair_adhesion:
    case CR_FIELD_contact_adhesion:
      // a contact that does not pull has no rows in its gap
      return x[entry] != 0;
    case CR_FIELD_ten_bias:
      // that of a tendon in a plane or at rest is round-off
      return cr_abs(x[entry]) > CR_R(1e-9);
    case CR_FIELD_ten_velocity:
      // the slope of a damper with v |v|, which the integrator discrete takes, bends at rest
      return x[entry] != 0 || m->integrator != CR_INT_DISCRETE;
    case CR_FIELD_actuator_dynprm:
      return !cri_controller_switch(m, entry / 10, false, entry % 10);
    case CR_FIELD_tendon_armature:
      // no armature at all has no derivative
      return m->tendon_inertial[entry] != 0;
    case CR_FIELD_actuator_armature:
      return m->actuator_trntype[entry] != CR_TRN_TENDON ||
             m->tendon_inertial[m->actuator_trnid[2 * entry]] != 0;
    case CR_FIELD_actuator_gainprm:
      // a servo on a circle is one only while its gains are each other's negative
      return (entry % 10 != 0 || !circles_by_gains(m, entry / 10)) &&
             !cri_controller_switch(m, entry / 10, true, entry % 10);
    case CR_FIELD_actuator_biasprm:
      return entry % 10 != 1 || !circles_by_gains(m, entry / 10);
    case CR_FIELD_actuator_gear:
      // and while it only turns
      return x[entry] != 0 || !moves_servo(m, entry / 6);
    case CR_FIELD_geom_fluid:
      // the first number switches the ellipsoid on
      return entry % 12 != 0 || x[entry] != 0;
    case CR_FIELD_jnt_solimp:
    case CR_FIELD_dof_solimp:
    case CR_FIELD_geom_solimp:
    case CR_FIELD_pair_solimp:
    case CR_FIELD_eq_solimp:
    case CR_FIELD_tendon_solimp_lim:
    case CR_FIELD_tendon_solimp_fri:
    case CR_FIELD_o_solimp:
    case CR_FIELD_contact_solimp:
      // powers below 1 count as 1
      return entry % 5 != 4 || x[entry] != 1;
    default:
      return true;
  }
}

// ---- directions

static cr_real largest(const cr_real* x, int n) {
  cr_real most = 0;
  for (int i = 0; i < n; i++) {
    most = cr_max(most, cr_abs(x[i]));
  }
  return most;
}

static void random_turns(cr_random* r, const cr_real* R, int rows, bool by_rows, cr_real* tan) {
  for (int i = 0; i < rows; i++, R += 9, tan += 9) {
    cr_real w[3] = {cr_random_normal(r), cr_random_normal(r), cr_random_normal(r)};
    for (int k = 0; by_rows && k < 3; k++) {
      cr_cross3(tan + 3 * k, w, R + 3 * k);
    }
    if (!by_rows) {
      cr_rot_tan(tan, w, R);
    }
  }
}

// In units of the entry, or of its row where it is zero. Zero armature moves in units of the least
// inertia that there is: less than none is an error.
static void random_relative(cr_random* r, const cr_real* x, int rows, int width, cr_field_id id,
                            cr_real* tan) {
  cr_real idle = id == CR_FIELD_dof_armature ? CR_R(1e-6) : CR_R(0.1);
  for (int i = 0; i < rows; i++, x += width, tan += width) {
    cr_real most = largest(x, width);
    for (int k = 0; k < width; k++) {
      cr_real unit = x[k] != 0 ? cr_abs(x[k]) : idle * (most > 0 ? most : 1);
      tan[k] = unit * cr_random_normal(r);
    }
  }
}

// an axis stays a unit vector
static void keep_length(const cr_real* x, int rows, cr_real* tan) {
  for (int i = 0; i < rows; i++) {
    cr_accscl3(tan + 3 * i, x + 3 * i, -cr_dot3(tan + 3 * i, x + 3 * i));
  }
}

void field_random_tangent(cr_random* r, const cr_model* m, const cr_data* d, cr_data* tan,
                          cr_field_id id) {
  int n = field_tangent_size(m, d, id), rows = cri_field_rows(m, d, id);
  cr_real* x_tan = field_tangent(m, tan, id);
  const cr_real* x = cri_field_real(m, d, id);
  cr_tangent kind = cri_field(id)->tangent;
  if (kind == CR_TANGENT_ROT || kind == CR_TANGENT_FRAME) {
    random_turns(r, x, rows, kind == CR_TANGENT_FRAME, x_tan);
  } else if (kind == CR_TANGENT_SAME && cri_field(id)->kind != CR_KIND_OP) {
    random_relative(r, x, rows, cri_field_width(m, id), id, x_tan);
  } else {
    for (int i = 0; i < n; i++) {
      x_tan[i] = cr_random_normal(r);
    }
  }
  if (id == CR_FIELD_jnt_axis) {
    keep_length(x, rows, x_tan);
  }
  for (int i = 0; i < n; i++) {
    x_tan[i] = field_entry_smooth(m, d, id, i) ? x_tan[i] : 0;
  }
}

void field_random_cotangent(cr_random* r, const cr_model* m, const cr_data* d, cr_data* bar,
                            cr_field_id id) {
  if (cri_field(id)->kind == CR_KIND_OP) {
    cr_pairs* pairs = field_pairs(bar, id);
    int k = cri_pairs_add(pairs);
    structure s = structure_of(m, d, id);
    for (int i = 0; i < s.rows; i++) {
      cri_pair_left(pairs, k)[i] = cr_random_normal(r);
    }
    for (int i = 0; i < m->nv; i++) {
      cri_pair_right(pairs, k)[i] = cr_random_normal(r);
    }
    return;
  }
  cr_real* x_bar = field_tangent(m, bar, id);
  for (int i = 0; i < field_tangent_size(m, d, id); i++) {
    cr_real x = cr_random_normal(r);
    x_bar[i] = field_entry_smooth(m, d, id, i) ? x : 0;
  }
}

void field_unit_cotangent(const cr_model* m, const cr_data* d, cr_data* bar, cr_field_id id,
                          int entry) {
  if (cri_field(id)->kind == CR_KIND_OP) {
    cr_pairs* pairs = field_pairs(bar, id);
    structure s = structure_of(m, d, id);
    int k = cri_pairs_add(pairs), row = row_of(&s, entry);
    if (row >= 0) {
      cri_pair_left(pairs, k)[row] = 1;
      cri_pair_right(pairs, k)[s.colind[entry]] = 1;
    }
  } else {
    field_tangent(m, bar, id)[entry] += field_entry_smooth(m, d, id, entry);
  }
}

void field_clear(const cr_model* m, const cr_data* d, cr_data* twin, cr_field_id id) {
  if (!field_smooth(id)) {
    return;
  }
  if (cri_field(id)->kind == CR_KIND_OP && twin->role == CR_DATA_COTANGENT) {
    field_pairs(twin, id)->n = 0;
  } else if (field_tangent(m, twin, id) != NULL) {
    cr_zero(field_tangent(m, twin, id), field_tangent_size(m, d, id));
  }
}

// ---- steps

static void move_quats(const cr_real* from, const cr_real* tan, int rows, cr_real h, cr_real* to) {
  for (int i = 0; i < rows; i++) {
    cr_copy(to + 4 * i, from + 4 * i, 4);
    cr_quat_integrate(to + 4 * i, tan + 3 * i, h);
  }
}

static void move_qpos(const cr_model* m, const cr_real* q, const cr_real* v, cr_real h,
                      cr_real* to) {
  cr_copy(to, q, m->nq);
  for (int i = 0; i < m->njnt; i++) {
    cr_real* x = to + m->jnt_qposadr[i];
    const cr_real* w = v + m->jnt_dofadr[i];
    switch (m->jnt_type[i]) {
      case CR_JNT_FREE:
        cr_accscl3(x, w, h);
        cr_quat_integrate(x + 3, w + 3, h);
        break;
      case CR_JNT_BALL:
        cr_quat_integrate(x, w, h);
        break;
      default:
        x[0] += h * w[0];
        break;
    }
  }
}

static void difference_qpos(const cr_model* m, const cr_real* q, const cr_real* origin,
                            cr_real* v) {
  for (int i = 0; i < m->njnt; i++) {
    const cr_real *a = q + m->jnt_qposadr[i], *b = origin + m->jnt_qposadr[i];
    cr_real* w = v + m->jnt_dofadr[i];
    switch (m->jnt_type[i]) {
      case CR_JNT_FREE:
        cr_sub3(w, a, b);
        cr_quat_sub(w + 3, a + 3, b + 3);
        break;
      case CR_JNT_BALL:
        cr_quat_sub(w, a, b);
        break;
      default:
        w[0] = a[0] - b[0];
        break;
    }
  }
}

// every rotation by its own world vector, given by its tangent
static void move_turns(const cr_real* from, const cr_real* tan, int rows, bool by_rows, cr_real h,
                       cr_real* to) {
  for (int i = 0; i < rows; i++, from += 9, tan += 9, to += 9) {
    cr_real R[9], R_tan[9], w[3], turn[4] = {1, 0, 0, 0}, Q[9], moved[9];
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        int source = by_rows ? 3 * b + a : 3 * a + b;
        R[3 * a + b] = from[source];
        R_tan[3 * a + b] = tan[source];
      }
    }
    cr_rot_vec(w, R, R_tan);
    cr_quat_integrate(turn, w, h);
    cr_quat_to_mat(Q, turn);
    cr_matmul3(moved, Q, R);
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        to[by_rows ? 3 * b + a : 3 * a + b] = moved[3 * a + b];
      }
    }
  }
}

void field_move(const cr_model* m, const cr_data* d, const cr_data* tan, cr_field_id id, cr_real h,
                cr_model* m_to, cr_data* d_to) {
  const cr_field* f = cri_field(id);
  assert(f->kind != CR_KIND_OP && field_smooth(id));
  const cr_real *from = cri_field_real(m, d, id), *t = field_tangent(m, tan, id);
  cr_real* to = cri_field_real(m_to, d_to, id);
  int rows = cri_field_rows(m, d, id), n = field_tangent_size(m, d, id);
  switch (f->tangent) {
    case CR_TANGENT_QPOS:
      move_qpos(m, from, t, h, to);
      break;
    case CR_TANGENT_QUAT:
      move_quats(from, t, rows, h, to);
      break;
    case CR_TANGENT_ROT:
    case CR_TANGENT_FRAME:
      move_turns(from, t, rows, f->tangent == CR_TANGENT_FRAME, h, to);
      break;
    default:
      for (int i = 0; i < n; i++) {
        to[i] = from[i] + h * t[i];
      }
      break;
  }
  for (int i = 0; id == CR_FIELD_jnt_axis && i < rows; i++) {
    cr_normalize3(to + 3 * i);
  }
}

void field_values(const cr_model* m, const cr_data* d, const cr_data* origin, cr_field_id id,
                  cr_real* x) {
  if (cri_field(id)->tangent == CR_TANGENT_QPOS) {
    difference_qpos(m, cri_field_real(m, d, id), cri_field_real(m, origin, id), x);
  } else {
    cr_copy(x, cri_field_real(m, d, id), field_tangent_size(m, d, id));
  }
}

static cr_real largest_pair(const cr_pairs* pairs, int rows) {
  cr_real most = 0;
  for (int k = 0; k < pairs->n; k++) {
    cr_real left = largest(cri_pair_left(pairs, k), rows);
    most = cr_max(most, left * largest(cri_pair_right(pairs, k), pairs->right_size));
  }
  return most;
}

void field_dot(const cr_model* m, const cr_data* d, const cr_data* bar, const cr_data* tan,
               cr_field_id id, field_product* product) {
  const cr_real *t = field_tangent(m, tan, id), *x = cri_field_real(m, d, id);
  int n = field_tangent_size(m, d, id);
  bool has_value = id != CR_FIELD_M || d->M_formed;
  cr_real size = cr_max(largest(t, n), has_value ? largest(x, n) : 0);
  if (cri_field(id)->kind == CR_KIND_OP) {
    structure s = structure_of(m, d, id);
    operator_dot(&s, id == CR_FIELD_M || id == CR_FIELD_efm_fluid, field_pairs(bar, id), t,
                 product);
    product->size += size * largest_pair(field_pairs(bar, id), s.rows);
    return;
  }
  const cr_real* b = field_tangent(m, bar, id);
  for (int i = 0; i < n; i++) {
    cr_real term = field_entry_smooth(m, d, id, i) ? b[i] * t[i] : 0;
    product->sum += term;
    product->absolute += cr_abs(term);
  }
  product->size += size * largest(b, n);
}
