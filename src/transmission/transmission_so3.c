// SPDX-License-Identifier: Apache-2.0
// Three outputs at once: the rotation vector of a joint or between two sites.
#include "transmission/transmission_so3.h"

#include "kinematics/relative_chain.h"
#include "math/quat.h"
#include "transmission/transmission_site.h"

static bool on_joint(const cr_model* m, int i) { return m->actuator_trnid[2 * i + 1] < 0; }

// rotation vector of the ball joint of actuator i
static void vector_of(const cr_model* m, const cr_data* d, int i, cr_real e[3]) {
  cr_real unit[4];
  cr_copy(unit, d->qpos + m->jnt_qposadr[m->actuator_trnid[2 * i]], 4);
  cr_quat_normalize(unit);
  cr_quat_log(e, unit);
}

static void bodies_of(const cr_model* m, int i, int body[2]) {
  body[0] = m->site_bodyid[m->actuator_trnid[2 * i]];
  body[1] = m->site_bodyid[m->actuator_trnid[2 * i + 1]];
}

// [transmission.o3] from column k of a rotation, or of its tangent
static void turning(const cr_real* R, int k, cr_real F[2][6]) {
  memset(F, 0, 2 * sizeof F[0]);
  cr_col3(F[0], R, k);
  cr_scl3(F[1], F[0], -1);
}

void cri_transmission_so3(const cr_model* m, cr_data* d, int i) {
  int out = m->actuator_outadr[i], id = m->actuator_trnid[2 * i];
  if (on_joint(m, i)) {
    // [transmission.o1]
    vector_of(m, d, i, d->actuator_length + out);
    for (int k = 0; k < 3; k++) {
      int at = d->moment_rowadr[out] + k;
      d->moment_rowadr[out + k] = at;
      d->moment_rownnz[out + k] = 1;
      d->moment_colind[at] = m->jnt_dofadr[id] + k;
      d->actuator_moment[at] = 1;
    }
    return;
  }
  // [transmission.o2], [transmission.o3]
  int reference = m->actuator_trnid[2 * i + 1], body[2];
  bodies_of(m, i, body);
  cri_turn_between(d->site_xmat + 9 * reference, d->site_xmat + 9 * id, d->actuator_length + out);
  for (int k = 0; k < 3; k++) {
    cr_real F[2][6];
    if (k > 0) {
      d->moment_rowadr[out + k] = d->moment_rowadr[out + k - 1] + d->moment_rownnz[out + k - 1];
    }
    turning(d->site_xmat + 9 * id, k, F);
    cri_relative_chain_row(m, d, out + k, body, F);
  }
}

void cri_transmission_so3_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  int out = m->actuator_outadr[i], id = m->actuator_trnid[2 * i];
  if (on_joint(m, i)) {
    cr_real e[3], J[9];
    vector_of(m, d, i, e);
    cr_so3_jr_inv(J, e);
    cr_mulmat3(tan->actuator_length + out, J, tan->qpos + m->jnt_dofadr[id]);
    cr_zero(tan->actuator_moment + d->moment_rowadr[out], 3);
    return;
  }
  int site[2] = {id, m->actuator_trnid[2 * i + 1]}, body[2];
  cr_real e[3], F[2][6], F_tan[2][6];
  bodies_of(m, i, body);
  cri_turn_between_tan(d, tan, site, e, tan->actuator_length + out);
  for (int k = 0; k < 3; k++) {
    turning(d->site_xmat + 9 * id, k, F);
    turning(tan->site_xmat + 9 * id, k, F_tan);
    cri_relative_chain_row_jvp(m, d, tan, out + k, body, F, F_tan);
  }
}

void cri_transmission_so3_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i) {
  int out = m->actuator_outadr[i], id = m->actuator_trnid[2 * i];
  if (on_joint(m, i)) {
    // [transmission.o1]'
    cr_real e[3], J[9];
    vector_of(m, d, i, e);
    cr_so3_jr_inv(J, e);
    cr_acctmat3(bar->qpos + m->jnt_dofadr[id], J, bar->actuator_length + out);
    return;
  }
  // [transmission.o2]', [transmission.o3]'
  int site[2] = {id, m->actuator_trnid[2 * i + 1]}, body[2];
  bodies_of(m, i, body);
  cri_turn_between_vjp(d, bar, site, bar->actuator_length + out);
  for (int k = 0; k < 3; k++) {
    cr_real F[2][6], F_bar[2][6] = {{0}}, axis_bar[3];
    turning(d->site_xmat + 9 * id, k, F);
    cri_relative_chain_row_vjp(m, d, bar, out + k, body, F, F_bar);
    cr_sub3(axis_bar, F_bar[0], F_bar[1]);
    cr_acccol3(bar->site_xmat + 9 * id, axis_bar, k);
  }
}
