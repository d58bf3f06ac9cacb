// SPDX-License-Identifier: Apache-2.0
#include "pressure/pressure.h"

#include "kinematics/tree.h"
#include "pressure/near_list.h"
#include "pressure/pressure_pair.h"

bool cri_pressure_acts(const cr_model* m) {
  const int off = CR_DSBL_CONSTRAINT | CR_DSBL_CONTACT;
  return m->npressuretet > 0 && (m->disableflags & off) == 0;
}

// ---- numbers of a pair

// squares and products of numbers between these, and their inverses, are finite
#define LEAST CR_R(1e-30)
#define MOST CR_R(1e30)

// Refuses numbers that no model should have, but that a stage may make: forces or their derivatives would not be finite.
static cr_status check_numbers(const cr_model* m, int geom, cr_error* error) {
  static const struct {
    int number;
    const char* name;
  } rule[] = {{CR_PRESSURE_MODULUS, "modulus"},
              {CR_PRESSURE_TRANSITION, "transition"},
              {CR_PRESSURE_THICKNESS, "thickness"},
              {CR_PRESSURE_DISSIPATION, "dissipation"}};
  const bool compliant = m->geom_pressure_kind[geom] == CR_PRESSURE_COMPLIANT;
  const bool plane = m->geom_type[geom] == CR_GEOM_PLANE;
  const bool needed[] = {compliant, true, compliant && plane, true};
  for (int k = 0; k < 4; k++) {
    const cr_real x = cri_pressure_numbers_of(m, geom)[rule[k].number];
    const bool any = rule[k].number == CR_PRESSURE_DISSIPATION;  // differences go below 0
    if (needed[k] && !(x >= (any ? -MOST : LEAST) && x <= MOST)) {
      return cri_fail(error, CR_ERR_MODEL,
                      "geom %d ('%s'): its pressure field has a %s of %g, %s to 1e30 expected",
                      geom, cri_name(m, m->name_geomadr, geom), rule[k].name, (double)x,
                      any ? "-1e30" : "1e-30");
    }
  }
  return CR_OK;
}

// slope of the dissipation over the modulus of each geom
static void dissipation_slopes(const cri_meeting* x, const cri_pressure_numbers* p,
                               cr_real slope[2]) {
  const cr_real *a = cri_pressure_numbers_of(x->m, x->geom[0]),
                *b = cri_pressure_numbers_of(x->m, x->geom[1]);
  cr_real sum = a[CR_PRESSURE_MODULUS] + b[CR_PRESSURE_MODULUS];
  cr_real gap = a[CR_PRESSURE_DISSIPATION] - b[CR_PRESSURE_DISSIPATION];
  bool both = x->other == CRI_COMPLIANT || x->other == CRI_COMPLIANT_SPACE;
  slope[0] = both ? -p->share[0] * gap / sum : 0;
  slope[1] = both ? p->share[1] * gap / sum : 0;
}

// [pressure.q1] adds the force on both bodies
static void add_wrench(const cri_world_face* w, const cr_real force[3], cr_real* F) {
  for (int k = 0; k < 2; k++) {
    if (w->body[k] == 0) {
      continue;
    }
    cr_real signed_force[3];
    cr_scl3(signed_force, force, k == 0 ? -1 : 1);
    cr_acccross3(F + 6 * w->body[k], w->arm[k], signed_force);
    cr_acc3(F + 6 * w->body[k] + 3, signed_force);
  }
}

// ---- forward

// the number of a pattern goes on by what a face is made of (FNV-1a)
static uint32_t note(uint32_t hash, int number) { return (hash ^ (uint32_t)number) * 16777619u; }

static uint32_t note_face(uint32_t hash, const cri_meeting* x, const cri_meeting_face* f) {
  const cri_polygon* p = &f->parts.polygon;
  hash = note(note(note(note(hash, x->geom[0]), x->geom[1]), f->i), f->j);
  for (int k = 0; k < p->n; k++) {
    const cri_cut_node* y = &p->node[p->corner[k]];
    hash = note(note(note(hash, y->from), y->to), y->plane);
  }
  return hash;
}

typedef struct {
  const cr_model* m;
  const cr_data* d;
  cr_data* work;  // whose scratch is used
  cr_real* F;     // 6 a body
  uint32_t pattern;
  int bad;  // a geom whose sizes make flat tetrahedra, -1 none
  // of the pair at hand
  cri_meeting meeting;
  cri_pressure_numbers numbers;
} forward;

static void face_forward(void* context, const cri_meeting_face* f) {
  forward* s = context;
  cri_world_face w;
  cri_traction_parts parts;
  cr_real force[3];
  cri_world_face_set(s->d, &s->meeting, &s->numbers, &f->face, &w);
  bool pushes = cri_traction_force(&w.traction, &parts, force);
  add_wrench(&w, force, s->F);
  s->pattern = note(note_face(s->pattern, &s->meeting, f), pushes);
}

static cr_status pair_forward(void* context, const cri_pressure_pair* pair) {
  forward* s = context;
  for (int k = 0; k < 2; k++) {
    CR_TRY(check_numbers(s->m, pair->geom[k], &s->work->error));
  }
  cri_meeting_place(s->m, s->d, pair->geom, &s->meeting);
  s->numbers = cri_pressure_mix(&s->meeting);
  cri_meeting_faces(&s->meeting, pair->near, pair->n, face_forward, s);
  s->bad = s->meeting.bad >= 0 ? pair->geom[0] : s->bad;
  return CR_OK;
}

static void project(const cr_model* m, const cr_real* cdof, cr_real* F, cr_real* q) {
  cri_tree_gather(m, F, 6);
  for (int i = 0; i < m->nv; i++) {
    q[i] = cr_dot6(cdof + 6 * i, F + 6 * m->dof_bodyid[i]);
  }
}

cr_status cr_pressure(const cr_model* m, cr_data* d) {
  cr_zero(d->qfrc_pressure, m->nv);
  d->pressure_pattern[0] = 0;
  if (!cri_pressure_acts(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  forward s = {.m = m, .d = d, .work = d, .pattern = 2166136261u, .bad = -1};
  s.F = cri_push(d, 6 * (size_t)m->nbody);
  cr_zero(s.F, 6 * m->nbody);
  cri_near_list_make(m, d);
  cr_status status = cri_pressure_pairs(m, d, pair_forward, &s);
  if (status != CR_OK) {
    cri_pop(d, mark);
    return status;
  }
  project(m, d->cdof, s.F, d->qfrc_pressure);
  d->pressure_pattern[0] = (int32_t)(s.pattern & 0x7fffffffu);
  cri_pop(d, mark);
  if (s.bad >= 0) {
    return cri_fail(&d->error, CR_ERR_MODEL,
                    "geom %d ('%s'): its size makes tetrahedra of its pressure field flat", s.bad,
                    cri_name(m, m->name_geomadr, s.bad));
  }
  return CR_OK;
}

// ---- tangent

typedef struct {
  forward base;
  cr_data* tan;
  cr_real* F_tan;
  cri_meeting_motion motion;
  cri_meeting_twin meeting_tan;
  cri_pressure_numbers numbers_tan;
} tangent;

static cri_meeting_motion motion_of(const cr_data* d, const cr_data* tan, const cri_meeting* x) {
  cri_meeting_motion motion = {.thickness = 0};
  for (int k = 0; k < 2; k++) {
    motion.shape[k] = cri_collision_shape_tan(d, tan, x->geom[k]);
    motion.modulus[k] = cri_par_tan(tan->par.geom_pressure, x->geom[k], CR_PRESSURE_WIDTH)[0];
  }
  const int space = cri_meeting_space(x);
  if (space >= 0) {
    motion.thickness = cri_par_tan(tan->par.geom_pressure, x->geom[space],
                                   CR_PRESSURE_WIDTH)[CR_PRESSURE_THICKNESS];
  }
  return motion;
}

static cri_pressure_numbers mixed_tan(const cri_meeting* x, const cri_pressure_numbers* p,
                                      const cr_model* par) {
  cri_pressure_numbers p_tan = {.dissipation = 0};
  cr_real slope[2];
  dissipation_slopes(x, p, slope);
  for (int k = 0; k < 2; k++) {
    const cr_real* own = cri_par_tan(par->geom_pressure, x->geom[k], CR_PRESSURE_WIDTH);
    p_tan.dissipation +=
        p->share[k] * own[CR_PRESSURE_DISSIPATION] + slope[k] * own[CR_PRESSURE_MODULUS];
    p_tan.transition += own[CR_PRESSURE_TRANSITION] / 2;
  }
  p_tan.friction = cri_par_tan(par->geom_friction, x->geom[p->slippery], 3)[0];
  return p_tan;
}

// tangent of a face in the world; arm: those of w
static void world_tan(const tangent* s, const cri_world_face* w, const cri_face* f,
                      const cri_face* f_tan, cri_world_face* w_tan) {
  const cri_meeting* x = &s->base.meeting;
  const cr_real *R = s->base.d->geom_xmat + 9 * x->geom[0], *turn = s->motion.shape[0].rot;
  cr_real from_origin[3];
  cr_sub3(from_origin, w->pos, s->base.d->geom_xpos + 3 * x->geom[0]);
  cr_mulmat3(w_tan->pos, R, f_tan->pos);
  cr_acc3(w_tan->pos, s->motion.shape[0].pos);
  cr_acccross3(w_tan->pos, turn, from_origin);
  cr_mulmat3(w_tan->traction.normal, R, f_tan->normal);
  cr_acccross3(w_tan->traction.normal, turn, w->traction.normal);
  w_tan->traction.load = f_tan->area * f->pressure + f->area * f_tan->pressure;
  w_tan->traction.dissipation = s->numbers_tan.dissipation;
  w_tan->traction.friction = s->numbers_tan.friction;
  w_tan->traction.transition = s->numbers_tan.transition;
  cr_zero3(w_tan->traction.velocity);
  for (int k = 0; k < 2; k++) {
    if (w->body[k] == 0) {
      continue;
    }
    int root = x->m->body_rootid[w->body[k]];
    const cr_real *V = s->base.d->cvel + 6 * w->body[k], *V_tan = s->tan->cvel + 6 * w->body[k];
    cr_real v_tan[3];
    cr_sub3(w_tan->arm[k], w_tan->pos, s->tan->subtree_com + 3 * root);
    cr_cross3(v_tan, V_tan, w->arm[k]);
    cr_acccross3(v_tan, V, w_tan->arm[k]);
    cr_acc3(v_tan, V_tan + 3);
    cr_accscl3(w_tan->traction.velocity, v_tan, k == 0 ? -1 : 1);
  }
}

static void face_tangent(void* context, const cri_meeting_face* f) {
  tangent* s = context;
  cri_elements e_tan;
  cri_face f_tan;
  cri_world_face w, w_tan;
  cri_traction_parts parts;
  cr_real force[3], force_tan[3];
  cri_meeting_elements_tan(&s->base.meeting, &s->meeting_tan, f, &e_tan);
  cri_face_tan(&f->elements, &f->parts, &f->face, &e_tan, &f_tan);
  cri_world_face_set(s->base.d, &s->base.meeting, &s->base.numbers, &f->face, &w);
  world_tan(s, &w, &f->face, &f_tan, &w_tan);
  cri_traction_force(&w.traction, &parts, force);
  cri_traction_tan(&w.traction, &parts, &w_tan.traction, force_tan);
  add_wrench(&w, force, s->base.F);
  add_wrench(&w, force_tan, s->F_tan);
  for (int k = 0; k < 2; k++) {  // [pressure.q1] the arms move
    if (w.body[k] != 0) {
      cr_real torque[3];
      cr_cross3(torque, w_tan.arm[k], force);
      cr_accscl3(s->F_tan + 6 * w.body[k], torque, k == 0 ? -1 : 1);
    }
  }
}

static cr_status pair_tangent(void* context, const cri_pressure_pair* pair) {
  tangent* s = context;
  cri_meeting* x = &s->base.meeting;
  cri_meeting_place(s->base.m, s->base.d, pair->geom, x);
  s->base.numbers = cri_pressure_mix(x);
  s->motion = motion_of(s->base.d, s->tan, x);
  s->numbers_tan = mixed_tan(x, &s->base.numbers, &s->tan->par);
  cri_meeting_tan(x, s->base.d, &s->motion, &s->meeting_tan);
  cri_meeting_faces(x, pair->near, pair->n, face_tangent, s);
  return CR_OK;
}

cr_status cr_pressure_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->qfrc_pressure, m->nv);
  if (!cri_pressure_acts(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(tan), n = 6 * (size_t)m->nbody;
  tangent s = {.base = {.m = m, .d = d, .work = tan}, .tan = tan};
  s.base.F = cri_push(tan, n);
  s.F_tan = cri_push(tan, n);
  cr_zero(s.base.F, (int)n);
  cr_zero(s.F_tan, (int)n);
  CR_TRY(cri_pressure_pairs(m, d, pair_tangent, &s));
  project(m, d->cdof, s.F_tan, tan->qfrc_pressure);
  cri_tree_gather(m, s.base.F, 6);
  for (int i = 0; i < m->nv; i++) {
    tan->qfrc_pressure[i] += cr_dot6(tan->cdof + 6 * i, s.base.F + 6 * m->dof_bodyid[i]);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// ---- cotangent

typedef struct {
  forward base;
  cr_data* bar;
  const cr_real* W;  // motions of the bodies that the cotangent of the forces makes
  cri_meeting_motion motion_bar;
  cri_meeting_twin meeting_bar;
  cri_pressure_numbers numbers_bar;
} cotangent;

// [pressure.q1]' cotangents of the force and of the centre of pressure; those of the centres of mass are added
static void wrench_bar(const cotangent* s, const cri_world_face* w, const cr_real force[3],
                       cr_real force_bar[3], cr_real pos_bar[3]) {
  cr_zero3(force_bar);
  cr_zero3(pos_bar);
  for (int k = 0; k < 2; k++) {
    if (w->body[k] == 0) {
      continue;
    }
    const cr_real *W = s->W + 6 * w->body[k], sign = k == 0 ? -1 : 1;
    cr_real v[3], arm_bar[3];
    cr_cross3(v, W, w->arm[k]);
    cr_acc3(v, W + 3);
    cr_accscl3(force_bar, v, sign);
    cr_cross3(arm_bar, force, W);
    cr_scl3(arm_bar, arm_bar, sign);
    cr_acc3(pos_bar, arm_bar);
    cr_accscl3(s->bar->subtree_com + 3 * s->base.m->body_rootid[w->body[k]], arm_bar, -1);
  }
}

static void velocity_bar(const cotangent* s, const cri_world_face* w, const cr_real v_bar[3],
                         cr_real pos_bar[3]) {
  for (int k = 0; k < 2; k++) {
    if (w->body[k] == 0) {
      continue;
    }
    const cr_real* V = s->base.d->cvel + 6 * w->body[k];
    cr_real* V_bar = s->bar->cvel + 6 * w->body[k];
    cr_real own_bar[3], arm_bar[3];
    cr_scl3(own_bar, v_bar, k == 0 ? -1 : 1);
    cr_acc3(V_bar + 3, own_bar);
    cr_acccross3(V_bar, w->arm[k], own_bar);
    cr_cross3(arm_bar, own_bar, V);
    cr_acc3(pos_bar, arm_bar);
    cr_accscl3(s->bar->subtree_com + 3 * s->base.m->body_rootid[w->body[k]], arm_bar, -1);
  }
}

// cotangents of centre and normal into those of the face and of the first geom's pose
static void frame_bar(cotangent* s, const cri_world_face* w, const cr_real pos_bar[3],
                      const cr_real normal_bar[3], cri_face* f_bar) {
  const cri_meeting* x = &s->base.meeting;
  const cr_real* R = s->base.d->geom_xmat + 9 * x->geom[0];
  cr_shape_tan* a_bar = &s->motion_bar.shape[0];
  cr_real from_origin[3];
  cr_sub3(from_origin, w->pos, s->base.d->geom_xpos + 3 * x->geom[0]);
  cr_multmat3(f_bar->pos, R, pos_bar);
  cr_multmat3(f_bar->normal, R, normal_bar);
  cr_acc3(a_bar->pos, pos_bar);
  cr_acccross3(a_bar->rot, from_origin, pos_bar);
  cr_acccross3(a_bar->rot, w->traction.normal, normal_bar);
}

static void face_cotangent(void* context, const cri_meeting_face* f) {
  cotangent* s = context;
  cri_world_face w;
  cri_traction_parts parts;
  cri_traction t_bar = {.load = 0};
  cri_face f_bar = {.gradient = 0};
  cri_elements e_bar;
  cr_real force[3], force_bar[3], pos_bar[3];
  cri_world_face_set(s->base.d, &s->base.meeting, &s->base.numbers, &f->face, &w);
  cri_traction_force(&w.traction, &parts, force);
  add_wrench(&w, force, s->base.F);
  wrench_bar(s, &w, force, force_bar, pos_bar);
  cri_traction_bar(&w.traction, &parts, force_bar, &t_bar);
  velocity_bar(s, &w, t_bar.velocity, pos_bar);
  frame_bar(s, &w, pos_bar, t_bar.normal, &f_bar);
  f_bar.area = t_bar.load * f->face.pressure;
  f_bar.pressure = t_bar.load * f->face.area;
  s->numbers_bar.dissipation += t_bar.dissipation;
  s->numbers_bar.friction += t_bar.friction;
  s->numbers_bar.transition += t_bar.transition;
  cri_face_bar(&f->elements, &f->parts, &f->face, &f_bar, &e_bar);
  cri_meeting_elements_bar(&s->base.meeting, &e_bar, f, &s->meeting_bar);
}

// [pressure.q2]' and the moduli, into the parameters
static void numbers_bar(const cotangent* s) {
  const cri_meeting* x = &s->base.meeting;
  const cri_pressure_numbers *p = &s->base.numbers, *p_bar = &s->numbers_bar;
  cr_model* par = &s->bar->par;
  cr_real slope[2];
  dissipation_slopes(x, p, slope);
  for (int k = 0; k < 2; k++) {
    cr_real own[CR_PRESSURE_WIDTH] = {0};
    own[CR_PRESSURE_MODULUS] = s->motion_bar.modulus[k] + slope[k] * p_bar->dissipation;
    own[CR_PRESSURE_DISSIPATION] = p->share[k] * p_bar->dissipation;
    own[CR_PRESSURE_TRANSITION] = p_bar->transition / 2;
    own[CR_PRESSURE_THICKNESS] = k == cri_meeting_space(x) ? s->motion_bar.thickness : 0;
    cri_par_add(par->geom_pressure, x->geom[k], CR_PRESSURE_WIDTH, own);
  }
  cri_par_add1(par->geom_friction, 3 * x->geom[p->slippery], p_bar->friction);
}

static cr_status pair_cotangent(void* context, const cri_pressure_pair* pair) {
  cotangent* s = context;
  cri_meeting* x = &s->base.meeting;
  cri_meeting_place(s->base.m, s->base.d, pair->geom, x);
  s->base.numbers = cri_pressure_mix(x);
  s->motion_bar = (cri_meeting_motion){.thickness = 0};
  s->numbers_bar = (cri_pressure_numbers){.dissipation = 0};
  s->meeting_bar = (cri_meeting_twin){.turn = {0}};
  cri_meeting_faces(x, pair->near, pair->n, face_cotangent, s);
  cri_meeting_bar(x, s->base.d, &s->meeting_bar, &s->motion_bar);
  for (int k = 0; k < 2; k++) {
    cri_collision_shape_bar(s->base.d, &s->motion_bar.shape[k], x->geom[k], s->bar);
  }
  numbers_bar(s);
  return CR_OK;
}

cr_status cr_pressure_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (!cri_pressure_acts(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar), n = 6 * (size_t)m->nbody;
  cr_real *W = cri_push(bar, n), *F = cri_push(bar, n);
  cr_zero(W, (int)n);
  cr_zero(F, (int)n);
  cri_tree_motions(m, d->cdof, bar->qfrc_pressure, W);
  cotangent s = {.base = {.m = m, .d = d, .work = bar, .F = F}, .bar = bar, .W = W};
  CR_TRY(cri_pressure_pairs(m, d, pair_cotangent, &s));
  cri_tree_gather(m, F, 6);
  for (int i = 0; i < m->nv; i++) {
    cr_accscl6(bar->cdof + 6 * i, F + 6 * m->dof_bodyid[i], bar->qfrc_pressure[i]);
  }
  cri_pop(bar, mark);
  return CR_OK;
}
