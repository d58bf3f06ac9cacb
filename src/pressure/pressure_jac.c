// SPDX-License-Identifier: Apache-2.0
// The force of a pair depends on a displacement through the pose of the second geom against the first, so six derivatives of each face
// by unit motions serve all dofs, and three by its velocity.
#include "pressure/pressure_jac.h"

#include "kinematics/body_pair.h"
#include "pressure/pressure.h"
#include "pressure/pressure_pair.h"

typedef struct {
  const cr_model* m;
  const cr_data* d;
  const cri_rigid_transport* carried;
  cri_columns columns;
  cri_body_pair bodies;
  // of the pair at hand, relative to its origin
  cri_meeting meeting;
  cri_pressure_numbers numbers;
  cri_meeting_twin unit[6];  // of the meeting under unit motions of the second geom
  cr_real V[2][6], u[6];     // of the bodies; V_2 - V_1
  cr_real F[6];              // on the second body
  cr_real P[36], Q[36];      // [pressure.y1]: row k the change by unit motion k
} jacobian;

// sum += the wrench of a force at arm from the origin
static void add_force(const cr_real arm[3], const cr_real f[3], cr_real sum[6]) {
  cr_acccross3(sum, arm, f);
  cr_acc3(sum + 3, f);
}

// sum += scale x' A, A six rows of six
static void add_rows(const cr_real x[6], const cr_real* A, cr_real scale, cr_real sum[6]) {
  for (int k = 0; k < 6; k++) {
    cr_accscl6(sum, A + 6 * k, scale * x[k]);
  }
}

// ---- a face

// P: unit motion k of the second geom
static void add_displaced(jacobian* s, const cri_meeting_face* f, const cri_world_face* w,
                          const cri_traction_parts* parts, const cr_real arm[3],
                          const cr_real force[3], int k) {
  const cr_real* R = s->d->geom_xmat + 9 * s->meeting.geom[0];
  cri_elements e_tan;
  cri_face f_tan;
  cri_traction t_tan = {.load = 0};
  cr_real pos_tan[3], force_tan[3];
  cri_meeting_elements_tan(&s->meeting, &s->unit[k], f, &e_tan);
  cri_face_tan(&f->elements, &f->parts, &f->face, &e_tan, &f_tan);
  cr_mulmat3(pos_tan, R, f_tan.pos);
  cr_mulmat3(t_tan.normal, R, f_tan.normal);
  t_tan.load = f_tan.area * f->face.pressure + f->face.area * f_tan.pressure;
  cr_cross3(t_tan.velocity, s->u, pos_tan);
  cri_traction_tan(&w->traction, parts, &t_tan, force_tan);
  cr_acccross3(s->P + 6 * k, pos_tan, force);
  add_force(arm, force_tan, s->P + 6 * k);
}

// Q: unit motion k between the bodies
static void add_moving(jacobian* s, const cri_world_face* w, const cri_traction_parts* parts,
                       const cr_real arm[3], int k) {
  cri_traction t_tan = {.load = 0};
  cr_real force_tan[3], axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
  if (k < 3) {
    cr_cross3(t_tan.velocity, axis, arm);
  } else {
    cr_copy3(t_tan.velocity, axis);
  }
  cri_traction_tan(&w->traction, parts, &t_tan, force_tan);
  add_force(arm, force_tan, s->Q + 6 * k);
}

static void add_face(void* context, const cri_meeting_face* f) {
  jacobian* s = context;
  cri_world_face w;
  cri_traction_parts parts;
  cr_real force[3], arm[3];
  cri_world_face_set(s->d, &s->meeting, &s->numbers, &f->face, &w);
  cri_traction_force(&w.traction, &parts, force);
  cr_sub3(arm, w.pos, s->bodies.origin);
  add_force(arm, force, s->F);
  for (int k = 0; k < 6; k++) {
    add_displaced(s, f, &w, &parts, arm, force, k);
    add_moving(s, &w, &parts, arm, k);
  }
}

// ---- a pair

// twins of the meeting under unit motions of the second geom about the origin
static void set_units(jacobian* s) {
  for (int k = 0; k < 6; k++) {
    cri_meeting_motion motion = {.thickness = 0};
    cr_shape_tan* second = &motion.shape[1];
    if (k < 3) {
      cr_real arm[3];
      second->rot[k] = 1;
      cr_sub3(arm, s->d->geom_xpos + 3 * s->meeting.geom[1], s->bodies.origin);
      cr_cross3(second->pos, second->rot, arm);
    } else {
      second->pos[k - 3] = 1;
    }
    cri_meeting_tan(&s->meeting, s->d, &motion, &s->unit[k]);
  }
}

static void at_origin(const jacobian* s, int side, const cr_real M[6], cr_real out[6]) {
  cri_body_pair_motion(s->m, s->d, s->bodies.origin, s->bodies.body[side], M, out);
}

// [pressure.y1], [pressure.y2] dof k of the pair
static void set_column(jacobian* s, int k) {
  cri_pair_column* x = &s->bodies.column[k];
  const int side = s->bodies.side[k], of = (side & CRI_PAIR_SECOND) != 0;
  cr_real before[6], rate[6] = {0};
  at_origin(s, of, s->carried->V + 6 * s->bodies.dof[k], before);
  for (int body = 0; body < 2; body++) {
    if ((side & (body == 0 ? CRI_PAIR_FIRST : CRI_PAIR_SECOND)) != 0) {
      cr_real beyond[6], turned[6];
      for (int l = 0; l < 6; l++) {
        beyond[l] = s->V[body][l] - before[l];
      }
      cr_cross_motion(turned, x->S, beyond);
      cr_accscl6(rate, turned, body == 0 ? -1 : 1);
    }
  }
  cr_cross_force(x->carried, x->S, s->F);
  add_rows(rate, s->Q, 1, x->by_q);
  if ((side & CRI_PAIR_FIRST) != 0) {  // both bodies, less the second
    cr_real turned[6];
    cr_cross_motion(turned, x->S, s->u);
    cr_acc6(x->by_q, x->carried);
    add_rows(turned, s->Q, -1, x->by_q);
    add_rows(x->S, s->P, -1, x->by_q);
  }
  if ((side & CRI_PAIR_SECOND) != 0) {
    add_rows(x->S, s->P, 1, x->by_q);
  }
  add_rows(x->S, s->Q, cri_body_pair_sign(side), x->by_v);
}

static cr_status add_pair(void* context, const cri_pressure_pair* pair) {
  jacobian* s = context;
  const int* geom = pair->geom;
  const int body[2] = {s->m->geom_bodyid[geom[0]], s->m->geom_bodyid[geom[1]]};
  cri_body_pair_begin(s->m, s->d, body, s->d->geom_xpos + 3 * geom[0], &s->bodies);
  cri_meeting_place(s->m, s->d, geom, &s->meeting);
  s->numbers = cri_pressure_mix(&s->meeting);
  set_units(s);
  for (int k = 0; k < 2; k++) {
    at_origin(s, k, s->carried->body_V + 6 * body[k], s->V[k]);
  }
  for (int k = 0; k < 6; k++) {
    s->u[k] = s->V[1][k] - s->V[0][k];
  }
  cr_zero6(s->F);
  cr_zero(s->P, 36);
  cr_zero(s->Q, 36);
  cri_meeting_faces(&s->meeting, pair->near, pair->n, add_face, s);
  for (int k = 0; k < s->bodies.n; k++) {
    set_column(s, k);
  }
  cri_body_pair_write(s->m, &s->bodies, s->columns);
  return CR_OK;
}

void cri_pressure_jac(const cr_model* m, const cr_data* d, const cri_rigid_transport* carried,
                      cri_columns columns, cr_data* work) {
  if (!cri_pressure_acts(m)) {
    return;
  }
  size_t mark = cri_mark(work);
  jacobian s = {.m = m, .d = d, .carried = carried, .columns = columns};
  s.bodies = cri_body_pair_of(m, work);
  (void)cri_pressure_pairs(m, d, add_pair, &s);  // which has no errors
  cri_pop(work, mark);
}
