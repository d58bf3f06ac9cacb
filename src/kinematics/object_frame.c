// SPDX-License-Identifier: Apache-2.0
// Velocities and accelerations are moved from the point of the tree to that of the object by one map,
// linear in the motion and in the arm.
#include "kinematics/object_frame.h"

#include "math/quat.h"
#include "math/spatial.h"

cri_object cri_object_of(const cr_model* m, const cr_data* x, int type, int id) {
  switch (type) {
    case CR_OBJ_BODY:
      return (cri_object){id, x->xipos + 3 * id, x->ximat + 9 * id};
    case CR_OBJ_XBODY:
      return (cri_object){id, x->xpos + 3 * id, x->xmat + 9 * id};
    case CR_OBJ_GEOM:
      return (cri_object){m->geom_bodyid[id], x->geom_xpos + 3 * id, x->geom_xmat + 9 * id};
    default:
      return (cri_object){m->site_bodyid[id], x->site_xpos + 3 * id, x->site_xmat + 9 * id};
  }
}

void cri_object_quat(const cr_model* m, const cr_data* d, int type, int id, cr_real q[4]) {
  const cri_object o = cri_object_of(m, d, type, id);
  cr_real known[4], sum = 0;
  switch (type) {
    case CR_OBJ_BODY:
      cr_quat_mul(known, d->xquat + 4 * id, m->body_iquat + 4 * id);
      break;
    case CR_OBJ_GEOM:
      cr_quat_mul(known, d->xquat + 4 * o.body, m->geom_quat + 4 * id);
      break;
    default:
      cr_copy(known, (type == CR_OBJ_XBODY ? d->xquat : d->site_xquat) + 4 * id, 4);
      break;
  }
  cr_quat_of_mat(q, o.mat);
  for (int k = 0; k < 4; k++) {
    sum += q[k] * known[k];
  }
  for (int k = 0; k < 4; k++) {
    q[k] = sum < 0 ? -q[k] : q[k];
  }
}

// ---- a motion V of the tree's point, at the arm r: (w, V_lin + w x r)

static void at(cr_real v[6], const cr_real V[6], const cr_real r[3]) {
  cr_copy6(v, V);
  cr_acccross3(v + 3, V, r);
}

static void at_tan(cr_real v_tan[6], const cr_real V[6], const cr_real r[3], const cr_real V_tan[6],
                   const cr_real r_tan[3]) {
  at(v_tan, V_tan, r);
  cr_acccross3(v_tan + 3, V, r_tan);
}

static void at_bar(const cr_real v_bar[6], const cr_real V[6], const cr_real r[3], cr_real V_bar[6],
                   cr_real r_bar[3]) {
  cr_acc6(V_bar, v_bar);
  cr_acccross3(V_bar, r, v_bar + 3);
  cr_acccross3(r_bar, v_bar + 3, V);
}

static void arm(cr_real r[3], const cr_model* m, const cr_data* x, const cri_object* o) {
  cr_sub3(r, o->pos, x->subtree_com + 3 * m->body_rootid[o->body]);
}

static void arm_bar(const cr_model* m, cr_data* bar, const cri_object* o_bar,
                    const cr_real r_bar[3]) {
  cr_acc3(o_bar->pos, r_bar);
  cr_accscl3(bar->subtree_com + 3 * m->body_rootid[o_bar->body], r_bar, -1);
}

// ---- velocity

void cri_object_velocity(const cr_model* m, const cr_data* d, const cri_object* o, cr_real v[6]) {
  cr_real r[3];
  // [sensor.o1]
  arm(r, m, d, o);
  at(v, d->cvel + 6 * o->body, r);
}

void cri_object_velocity_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                             const cri_object* o, const cri_object* o_tan, cr_real v_tan[6]) {
  cr_real r[3], r_tan[3];
  // [sensor.o1]
  arm(r, m, d, o);
  arm(r_tan, m, tan, o_tan);
  at_tan(v_tan, d->cvel + 6 * o->body, r, tan->cvel + 6 * o->body, r_tan);
}

void cri_object_velocity_bar(const cr_model* m, const cr_data* d, cr_data* bar, const cri_object* o,
                             const cri_object* o_bar, const cr_real v_bar[6]) {
  cr_real r[3], r_bar[3] = {0};
  // [sensor.o1]'
  arm(r, m, d, o);
  at_bar(v_bar, d->cvel + 6 * o->body, r, bar->cvel + 6 * o->body, r_bar);
  arm_bar(m, bar, o_bar, r_bar);
}

// ---- acceleration

void cri_object_acceleration(const cr_model* m, const cr_data* d, const cri_object* o,
                             cr_real a[6]) {
  cr_real r[3], v[6];
  // [sensor.o2]
  arm(r, m, d, o);
  at(v, d->cvel + 6 * o->body, r);
  at(a, d->cacc + 6 * o->body, r);
  cr_acccross3(a + 3, v, v + 3);
}

void cri_object_acceleration_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                                 const cri_object* o, const cri_object* o_tan, cr_real a_tan[6]) {
  const cr_real *V = d->cvel + 6 * o->body, *A = d->cacc + 6 * o->body;
  cr_real r[3], r_tan[3], v[6], v_tan[6];
  // [sensor.o2]
  arm(r, m, d, o);
  arm(r_tan, m, tan, o_tan);
  at(v, V, r);
  at_tan(v_tan, V, r, tan->cvel + 6 * o->body, r_tan);
  at_tan(a_tan, A, r, tan->cacc + 6 * o->body, r_tan);
  cr_acccross3(a_tan + 3, v_tan, v + 3);
  cr_acccross3(a_tan + 3, v, v_tan + 3);
}

void cri_object_acceleration_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                                 const cri_object* o, const cri_object* o_bar,
                                 const cr_real a_bar[6]) {
  const cr_real *V = d->cvel + 6 * o->body, *A = d->cacc + 6 * o->body;
  cr_real r[3], r_bar[3] = {0}, v[6], v_bar[6];
  // [sensor.o2]'
  arm(r, m, d, o);
  at(v, V, r);
  cr_cross3(v_bar, v + 3, a_bar + 3);
  cr_cross3(v_bar + 3, a_bar + 3, v);
  at_bar(v_bar, V, r, bar->cvel + 6 * o->body, r_bar);
  at_bar(a_bar, A, r, bar->cacc + 6 * o->body, r_bar);
  arm_bar(m, bar, o_bar, r_bar);
}
