// SPDX-License-Identifier: Apache-2.0
#include "pressure/meeting.h"

#include "collision/broad.h"
#include "pressure/pressure_mesh.h"

// ---- which geoms

static bool has_tetrahedra(const cr_model* m, int geom) {
  return m->geom_pressure_tetnum[geom] > 0;
}

static bool is_compliant(const cr_model* m, int geom) {
  return m->geom_pressure_kind[geom] == CR_PRESSURE_COMPLIANT;
}

bool cri_meeting_order(const cr_model* m, int geom1, int geom2, int order[2]) {
  bool swap = !(is_compliant(m, geom1) && has_tetrahedra(m, geom1));
  order[0] = swap ? geom2 : geom1;
  order[1] = swap ? geom1 : geom2;
  return cri_pair_by_pressure(m, geom1, geom2) && cri_pair_possible(m, geom1, geom2);
}

static cri_other other_of(const cr_model* m, int geom) {
  if (has_tetrahedra(m, geom)) {
    return is_compliant(m, geom) ? CRI_COMPLIANT : CRI_RIGID;
  }
  return is_compliant(m, geom) ? CRI_COMPLIANT_SPACE : CRI_RIGID_SPACE;
}

static const int32_t* tet_of(const cri_meeting* x, int side, int i) {
  return x->m->pressure_tet + 4 * (x->m->geom_pressure_tetadr[x->geom[side]] + i);
}

static int first_vertex(const cri_meeting* x, int side) {
  return x->m->geom_pressure_vertadr[x->geom[side]];
}

// place in a meeting's list of vertex k of tetrahedron i
static cr_real* vertex_of(const cri_meeting* x, const cri_meeting* list, int side, int i, int k) {
  return list->vertex[side] + 3 * (tet_of(x, side, i)[k] - first_vertex(x, side));
}

static cr_real level_of(const cri_meeting* x, int side, int i, int k) {
  return x->m->pressure_level[tet_of(x, side, i)[k]];
}

static cr_real modulus_of(const cri_meeting* x, int side) {
  return x->m->geom_pressure[CR_PRESSURE_WIDTH * x->geom[side]];
}

static bool is_space(const cri_meeting* x) { return x->other <= CRI_COMPLIANT_SPACE; }

// ---- the surface of a rigid body

// The vertex of a tetrahedron opposite to its face on the surface, -1 if it has none: the others have level 0.
static int inner_vertex(const cri_meeting* x, int j) {
  int inner = -1, count = 0;
  for (int k = 0; k < 4; k++) {
    if (level_of(x, 1, j, k) > 0) {
      inner = k;
      count++;
    }
  }
  return count == 1 ? inner : -1;
}

// corners of the face opposite to vertex k, counter-clockwise seen from outside, of a tetrahedron of positive volume
static const int FACE[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// ---- boxes

typedef struct {
  const cri_meeting* x;
  int side;
} one_side;

static void tet_box(const void* context, int i, cr_real box[6]) {
  const one_side* s = context;
  int inner = s->side == 1 && s->x->other == CRI_RIGID ? inner_vertex(s->x, i) : -2;
  for (int k = 0; k < 4; k++) {
    if (inner == -2 || (inner >= 0 && k != inner)) {
      cri_box_add(box, vertex_of(s->x, s->x, s->side, i, k));
    }
  }
}

static cri_box_tree tree_of(const cri_meeting* x, int side) {
  return (cri_box_tree){x->m->geom_pressure_tetnum[x->geom[side]], x->box[side]};
}

// ---- place

static void push_vertices(cr_data* work, cri_meeting* x, cri_meeting* list) {
  for (int side = 0; side < 2; side++) {
    list->vertex[side] = cri_push(work, 3 * (size_t)x->m->geom_pressure_vertnum[x->geom[side]]);
  }
}

// [pressure.m2] slope of the field of a half-space
static cr_real space_slope(const cri_meeting* x) {
  const cr_real* p = x->m->geom_pressure + CR_PRESSURE_WIDTH * x->geom[1];
  return x->other == CRI_COMPLIANT_SPACE ? p[CR_PRESSURE_MODULUS] / p[CR_PRESSURE_THICKNESS] : 1;
}

static void place_space(cri_meeting* x) {
  cr_real u[3], slope = space_slope(x);
  cr_col3(u, x->R, 2);
  cr_scl3(x->space, u, -slope);
  x->space[3] = slope * cr_dot3(u, x->t);
}

static const cr_real* place_of(const cri_meeting* x, int side, int k) {
  return x->m->pressure_place + 9 * (first_vertex(x, side) + k);
}

static const cr_real* size_of(const cri_meeting* x, int side) {
  return x->m->geom_size + 3 * x->geom[side];
}

static void place_vertices(cri_meeting* x) {
  for (int k = 0; k < x->m->geom_pressure_vertnum[x->geom[0]]; k++) {
    cri_pressure_vertex(place_of(x, 0, k), size_of(x, 0), x->vertex[0] + 3 * k);
  }
  for (int k = 0; k < x->m->geom_pressure_vertnum[x->geom[1]]; k++) {
    cr_real own[3], *v = x->vertex[1] + 3 * k;
    cri_pressure_vertex(place_of(x, 1, k), size_of(x, 1), own);
    cr_mulmat3(v, x->R, own);
    cr_acc3(v, x->t);
  }
}

void cri_meeting_place(const cr_model* m, const cr_data* d, const int geom[2], cr_data* work,
                       cri_meeting* x) {
  *x = (cri_meeting){.m = m, .geom = {geom[0], geom[1]}, .other = other_of(m, geom[1]), .bad = -1};
  const cr_real *R_a = d->geom_xmat + 9 * geom[0], *R_b = d->geom_xmat + 9 * geom[1];
  cr_real arm[3];
  for (int k = 0; k < 3; k++) {  // [pressure.m1]
    for (int l = 0; l < 3; l++) {
      x->R[3 * k + l] = R_a[k] * R_b[l] + R_a[3 + k] * R_b[3 + l] + R_a[6 + k] * R_b[6 + l];
    }
  }
  cr_sub3(arm, d->geom_xpos + 3 * geom[1], d->geom_xpos + 3 * geom[0]);
  cr_multmat3(x->t, R_a, arm);
  push_vertices(work, x, x);
  place_vertices(x);
  if (is_space(x)) {
    place_space(x);
  }
  for (int side = 0; side < 2; side++) {
    int n = m->geom_pressure_tetnum[geom[side]];
    x->box[side] = cri_push(work, 6 * (size_t)cri_box_tree_size(n));
    cri_box_tree_fit(n, tet_box, &(one_side){x, side}, x->box[side]);
  }
}

// ---- derivatives of places: w turns of the two geoms in the frame of the first

static void turn_in_first(const cri_meeting* x, const cr_data* d, const cr_real world[3],
                          cr_real own[3]) {
  cr_multmat3(own, d->geom_xmat + 9 * x->geom[0], world);
}

static void space_tan(const cri_meeting* x, const cri_meeting_motion* motion, const cr_real w[3],
                      const cr_real t_tan[3], cr_real field_tan[4]) {
  cr_real u[3], u_tan[3], slope = space_slope(x), slope_tan = 0;
  cr_col3(u, x->R, 2);
  cr_cross3(u_tan, w, u);
  if (x->other == CRI_COMPLIANT_SPACE) {
    const cr_real* p = x->m->geom_pressure + CR_PRESSURE_WIDTH * x->geom[1];
    slope_tan = (motion->modulus[1] - slope * motion->thickness) / p[CR_PRESSURE_THICKNESS];
  }
  cr_scl3(field_tan, u_tan, -slope);
  cr_accscl3(field_tan, u, -slope_tan);
  field_tan[3] = slope_tan * cr_dot3(u, x->t) + slope * (cr_dot3(u_tan, x->t) + cr_dot3(u, t_tan));
}

static void space_bar(const cri_meeting* x, const cr_real field_bar[4],
                      cri_meeting_motion* motion_bar, cr_real w_bar[3], cr_real t_bar[3]) {
  cr_real u[3], u_bar[3], slope = space_slope(x);
  cr_col3(u, x->R, 2);
  cr_scl3(u_bar, field_bar, -slope);
  cr_accscl3(u_bar, x->t, slope * field_bar[3]);
  cr_accscl3(t_bar, u, slope * field_bar[3]);
  cr_acccross3(w_bar, u, u_bar);
  if (x->other == CRI_COMPLIANT_SPACE) {
    const cr_real* p = x->m->geom_pressure + CR_PRESSURE_WIDTH * x->geom[1];
    cr_real slope_bar =
        (cr_dot3(u, x->t) * field_bar[3] - cr_dot3(u, field_bar)) / p[CR_PRESSURE_THICKNESS];
    motion_bar->modulus[1] += slope_bar;
    motion_bar->thickness -= slope * slope_bar;
  }
}

void cri_meeting_tan(const cri_meeting* x, const cr_data* d, const cri_meeting_motion* motion,
                     cr_data* work, cri_meeting* x_tan) {
  *x_tan = *x;
  push_vertices(work, x_tan, x_tan);
  cr_real w_a[3], w_b[3], w[3], arm[3], t_tan[3], turned[3];
  turn_in_first(x, d, motion->shape[0].rot, w_a);
  turn_in_first(x, d, motion->shape[1].rot, w_b);
  cr_sub3(w, w_b, w_a);
  cr_sub3(arm, motion->shape[1].pos, motion->shape[0].pos);
  turn_in_first(x, d, arm, t_tan);
  cr_cross3(turned, w_a, x->t);
  cr_sub3(t_tan, t_tan, turned);
  for (int k = 0; k < x->m->geom_pressure_vertnum[x->geom[0]]; k++) {
    cri_pressure_vertex(place_of(x, 0, k), motion->shape[0].size, x_tan->vertex[0] + 3 * k);
  }
  for (int k = 0; k < x->m->geom_pressure_vertnum[x->geom[1]]; k++) {
    cr_real own_tan[3], off[3], *v_tan = x_tan->vertex[1] + 3 * k;
    cri_pressure_vertex(place_of(x, 1, k), motion->shape[1].size, own_tan);
    cr_sub3(off, x->vertex[1] + 3 * k, x->t);
    cr_mulmat3(v_tan, x->R, own_tan);
    cr_acccross3(v_tan, w, off);
    cr_acc3(v_tan, t_tan);
  }
  if (is_space(x)) {
    space_tan(x, motion, w, t_tan, x_tan->space);
  }
}

void cri_meeting_twin(const cri_meeting* x, cr_data* work, cri_meeting* x_bar) {
  *x_bar = *x;
  push_vertices(work, x_bar, x_bar);
  cr_zero(x_bar->space, 4);
  for (int side = 0; side < 2; side++) {
    cr_zero(x_bar->vertex[side], 3 * x->m->geom_pressure_vertnum[x->geom[side]]);
  }
}

void cri_meeting_bar(const cri_meeting* x, const cr_data* d, const cri_meeting* x_bar,
                     cri_meeting_motion* motion_bar) {
  const cr_real* R_a = d->geom_xmat + 9 * x->geom[0];
  cr_real w_bar[3] = {0}, t_bar[3] = {0}, turned[3];
  for (int k = 0; k < x->m->geom_pressure_vertnum[x->geom[0]]; k++) {
    cri_pressure_vertex_bar(place_of(x, 0, k), x_bar->vertex[0] + 3 * k, motion_bar->shape[0].size);
  }
  for (int k = 0; k < x->m->geom_pressure_vertnum[x->geom[1]]; k++) {
    const cr_real* v_bar = x_bar->vertex[1] + 3 * k;
    cr_real own_bar[3], off[3];
    cr_multmat3(own_bar, x->R, v_bar);
    cri_pressure_vertex_bar(place_of(x, 1, k), own_bar, motion_bar->shape[1].size);
    cr_sub3(off, x->vertex[1] + 3 * k, x->t);
    cr_acccross3(w_bar, off, v_bar);
    cr_acc3(t_bar, v_bar);
  }
  if (is_space(x)) {
    space_bar(x, x_bar->space, motion_bar, w_bar, t_bar);
  }
  cr_accmat3(motion_bar->shape[1].rot, R_a, w_bar);
  cr_accmat3(motion_bar->shape[1].pos, R_a, t_bar);
  cr_cross3(turned, x->t, t_bar);  // t_tan has - w_a x t
  cr_acc3(w_bar, turned);
  cr_scl3(w_bar, w_bar, -1);
  cr_scl3(t_bar, t_bar, -1);
  cr_accmat3(motion_bar->shape[0].rot, R_a, w_bar);
  cr_accmat3(motion_bar->shape[0].pos, R_a, t_bar);
}

// ---- faces

static bool load_tet(const cri_meeting* x, int side, int i, cri_tetrahedron* t) {
  cr_real modulus = modulus_of(x, side);
  for (int k = 0; k < 4; k++) {
    cr_copy3(t->vertex[k], vertex_of(x, x, side, i, k));
    t->pressure[k] = modulus * level_of(x, side, i, k);
  }
  return cri_tetrahedron_complete(t) && cri_tetrahedron_volume6(t) > 0;
}

static void load_triangle(const cri_meeting* x, const cri_meeting* list, int j,
                          cri_tetrahedron* t) {
  const int* face = FACE[inner_vertex(x, j)];
  for (int k = 0; k < 3; k++) {
    cr_copy3(t->vertex[k], vertex_of(x, list, 1, j, face[k]));
  }
}

typedef struct {
  cri_meeting* x;
  cri_meeting_visit* visit;
  void* context;
  cri_meeting_face face;
} search;

static void meet(void* context, int i, int j) {
  search* s = context;
  cri_meeting* x = s->x;
  cri_elements* e = &s->face.elements;
  s->face.i = i;
  s->face.j = j;
  e->other = x->other;
  if (!load_tet(x, 0, i, &e->a) || (x->other == CRI_COMPLIANT && !load_tet(x, 1, j, &e->b))) {
    x->bad = i;
    return;
  }
  if (is_space(x)) {
    memcpy(e->b.field, x->space, sizeof x->space);
  } else if (x->other == CRI_RIGID) {
    load_triangle(x, x, j, &e->b);
  }
  if (cri_face_make(e, &s->face.polygon, &s->face.face)) {
    s->visit(s->context, &s->face);
  }
}

// least and greatest value of the field of a half-space in a box
static bool reaches_space(const void* context, const cr_real box[6]) {
  const cri_meeting* x = ((const search*)context)->x;
  cr_real least = x->space[3], most = x->space[3];
  for (int k = 0; k < 3; k++) {
    cr_real low = x->space[k] * box[k], high = x->space[k] * box[3 + k];
    least += cr_min(low, high);
    most += cr_max(low, high);
  }
  return most >= 0 && (x->other == CRI_COMPLIANT_SPACE || least <= 0);
}

void cri_meeting_faces(cri_meeting* x, cri_meeting_visit* visit, void* context) {
  search s = {.x = x, .visit = visit, .context = context};
  cri_box_tree a = tree_of(x, 0), b = tree_of(x, 1);
  if (is_space(x)) {
    cri_box_tree_walk(&a, reaches_space, meet, &s);
  } else {
    cri_box_tree_pairs(&a, &b, meet, &s);
  }
}

static void tet_tan(const cri_meeting* x, const cri_meeting* x_tan, int side, int i,
                    cr_real modulus_tan, const cri_tetrahedron* t, cri_tetrahedron* t_tan) {
  for (int k = 0; k < 4; k++) {
    cr_copy3(t_tan->vertex[k], vertex_of(x, x_tan, side, i, k));
    t_tan->pressure[k] = modulus_tan * level_of(x, side, i, k);
  }
  cri_tetrahedron_complete_tan(t, t_tan);
}

void cri_meeting_elements_tan(const cri_meeting* x, const cri_meeting* x_tan,
                              const cr_real modulus_tan[2], const cri_meeting_face* f,
                              cri_elements* e_tan) {
  e_tan->other = x->other;
  tet_tan(x, x_tan, 0, f->i, modulus_tan[0], &f->elements.a, &e_tan->a);
  if (is_space(x)) {
    memcpy(e_tan->b.field, x_tan->space, sizeof x_tan->space);
  } else if (x->other == CRI_RIGID) {
    load_triangle(x, x_tan, f->j, &e_tan->b);
  } else {
    tet_tan(x, x_tan, 1, f->j, modulus_tan[1], &f->elements.b, &e_tan->b);
  }
}

static void tet_bar(const cri_meeting* x, const cri_tetrahedron* t_bar, int side, int i,
                    cri_meeting* x_bar, cr_real* modulus_bar) {
  for (int k = 0; k < 4; k++) {
    cr_acc3(vertex_of(x, x_bar, side, i, k), t_bar->vertex[k]);
    *modulus_bar += t_bar->pressure[k] * level_of(x, side, i, k);
  }
}

void cri_meeting_elements_bar(const cri_meeting* x, const cri_elements* e_bar,
                              const cri_meeting_face* f, cri_meeting* x_bar,
                              cr_real modulus_bar[2]) {
  tet_bar(x, &e_bar->a, 0, f->i, x_bar, &modulus_bar[0]);
  if (is_space(x)) {
    for (int k = 0; k < 4; k++) {
      x_bar->space[k] += e_bar->b.field[k];
    }
  } else if (x->other == CRI_RIGID) {
    const int* face = FACE[inner_vertex(x, f->j)];
    for (int k = 0; k < 3; k++) {
      cr_acc3(vertex_of(x, x_bar, 1, f->j, face[k]), e_bar->b.vertex[k]);
    }
  } else {
    tet_bar(x, &e_bar->b, 1, f->j, x_bar, &modulus_bar[1]);
  }
}
