// SPDX-License-Identifier: Apache-2.0
#include "pressure/meeting.h"

#include "collision/broad.h"
#include "pressure/pressure_mesh.h"

// ---- which geoms

static bool has_elements(const cr_model* m, int geom) { return m->geom_pressure_tetnum[geom] > 0; }

static bool is_compliant(const cr_model* m, int geom) {
  return m->geom_pressure_kind[geom] == CR_PRESSURE_COMPLIANT;
}

// first comes a compliant body, else a compliant plane
static int rank(const cr_model* m, int geom) {
  return !is_compliant(m, geom) ? 2 : has_elements(m, geom) ? 0 : 1;
}

bool cri_meeting_order(const cr_model* m, int geom1, int geom2, int order[2]) {
  const bool swap = rank(m, geom2) < rank(m, geom1);
  order[0] = swap ? geom2 : geom1;
  order[1] = swap ? geom1 : geom2;
  return cri_pair_by_pressure(m, geom1, geom2) && cri_pair_possible(m, geom1, geom2);
}

static cri_other other_of(const cr_model* m, const int geom[2]) {
  if (!has_elements(m, geom[0])) {
    return CRI_RIGID_IN_SPACE;
  }
  if (has_elements(m, geom[1])) {
    return is_compliant(m, geom[1]) ? CRI_COMPLIANT : CRI_RIGID;
  }
  return is_compliant(m, geom[1]) ? CRI_COMPLIANT_SPACE : CRI_RIGID_SPACE;
}

int cri_meeting_space(const cri_meeting* x) {
  return x->other == CRI_RIGID_IN_SPACE ? 0 : x->other <= CRI_COMPLIANT_SPACE ? 1 : -1;
}

// ---- elements of a geom

static const int32_t* tet_of(const cri_meeting* x, int side, int i) {
  return x->m->pressure_tet + 4 * (x->m->geom_pressure_tetadr[x->geom[side]] + i);
}

static const cr_real* numbers_of(const cri_meeting* x, int side) {
  return x->m->geom_pressure + CR_PRESSURE_WIDTH * x->geom[side];
}

static const cr_real* size_of(const cri_meeting* x, int side) {
  return x->m->geom_size + 3 * x->geom[side];
}

// vertex v of the model, in the frame of its own geom
static void own_vertex(const cri_meeting* x, int side, int v, cr_real pos[3]) {
  cri_pressure_vertex(x->m->pressure_rest + 3 * v, x->m->pressure_place + 9 * v, size_of(x, side),
                      pos);
}

// the same in the frame of the first
static void vertex(const cri_meeting* x, int side, int v, cr_real pos[3]) {
  if (side == 0) {
    own_vertex(x, 0, v, pos);
    return;
  }
  cr_real own[3];
  own_vertex(x, 1, v, own);
  cr_mulmat3(pos, x->R, own);
  cr_acc3(pos, x->t);
}

// ---- boxes

typedef struct {
  const cri_meeting* x;
  int side;
  cr_real margin;  // by which boxes grow
} one_side;

// of two elements or more in the frame of their geom
static void node_box(const cri_meeting* x, int side, int lo, int hi, cr_real box[6]) {
  const int row = x->m->geom_pressure_tetadr[x->geom[side]] + cri_box_tree_middle(lo, hi);
  cri_pressure_box(x->m->pressure_bound + CRI_PRESSURE_BOUND * row, size_of(x, side), box);
}

static void grow(cr_real margin, cr_real box[6]) {
  for (int k = 0; k < 3; k++) {
    box[k] -= margin;
    box[3 + k] += margin;
  }
}

static void box_in_own_frame(const void* context, int lo, int hi, cr_real box[6]) {
  const one_side* s = context;
  node_box(s->x, s->side, lo, hi, box);
  grow(s->margin, box);
}

// the box about a box of the second
static void turn_box(const cri_meeting* x, cr_real box[6]) {
  cr_real centre[3], half[3], moved[3];
  for (int k = 0; k < 3; k++) {
    centre[k] = (box[k] + box[3 + k]) / 2;
    half[k] = (box[3 + k] - box[k]) / 2;
  }
  cr_mulmat3(moved, x->R, centre);
  cr_acc3(moved, x->t);
  for (int k = 0; k < 3; k++) {
    const cr_real* row = x->R + 3 * k;
    const cr_real reach =
        cr_abs(row[0]) * half[0] + cr_abs(row[1]) * half[1] + cr_abs(row[2]) * half[2];
    box[k] = moved[k] - reach;
    box[3 + k] = moved[k] + reach;
  }
}

static void box_in_first_frame(const void* context, int lo, int hi, cr_real box[6]) {
  const one_side* s = context;
  if (hi - lo > 1) {
    node_box(s->x, s->side, lo, hi, box);
    if (s->side == 1) {
      turn_box(s->x, box);
    }
  } else {
    const int32_t* tet = tet_of(s->x, s->side, lo);
    cri_box_empty(box);
    for (int k = 0; k < 4 && tet[k] >= 0; k++) {
      cr_real pos[3];
      vertex(s->x, s->side, tet[k], pos);
      cri_box_add(box, pos);
    }
  }
  grow(s->margin, box);
}

cr_real cri_meeting_radius(const cr_model* m, int geom) {
  cr_real box[6], far[3];
  if (!has_elements(m, geom)) {
    return 0;
  }
  cri_pressure_box(m->pressure_bound + CRI_PRESSURE_BOUND * m->geom_pressure_tetadr[geom],
                   m->geom_size + 3 * geom, box);
  for (int k = 0; k < 3; k++) {
    far[k] = cr_max(cr_abs(box[k]), cr_abs(box[3 + k]));
  }
  return cr_norm3(far);
}

// ---- place

// the side of the half-space, of a pair that has one
static int space_side(const cri_meeting* x) { return x->other == CRI_RIGID_IN_SPACE ? 0 : 1; }

// [pressure.m2] slope of the field of a half-space
static cr_real space_slope(const cri_meeting* x) {
  const cr_real* p = numbers_of(x, space_side(x));
  return x->other == CRI_RIGID_SPACE ? 1 : p[CR_PRESSURE_MODULUS] / p[CR_PRESSURE_THICKNESS];
}

static void place_space(cri_meeting* x) {
  const cr_real slope = space_slope(x);
  if (x->other == CRI_RIGID_IN_SPACE) {
    x->space[2] = -slope;
    cr_multmat3(x->space_body, x->R, x->space);
    x->space_body[3] = -slope * x->t[2];
    return;
  }
  cr_real u[3];
  cr_col3(u, x->R, 2);
  cr_scl3(x->space, u, -slope);
  x->space[3] = slope * cr_dot3(u, x->t);
  memcpy(x->space_body, x->space, sizeof x->space);
}

void cri_meeting_place(const cr_model* m, const cr_data* d, const int geom[2], cri_meeting* x) {
  *x = (cri_meeting){.m = m, .geom = {geom[0], geom[1]}, .other = other_of(m, geom), .bad = -1};
  const cr_real *R_a = d->geom_xmat + 9 * geom[0], *R_b = d->geom_xmat + 9 * geom[1];
  cr_real arm[3];
  for (int k = 0; k < 3; k++) {  // [pressure.m1]
    for (int l = 0; l < 3; l++) {
      x->R[3 * k + l] = R_a[k] * R_b[l] + R_a[3 + k] * R_b[3 + l] + R_a[6 + k] * R_b[6 + l];
    }
  }
  cr_sub3(arm, d->geom_xpos + 3 * geom[1], d->geom_xpos + 3 * geom[0]);
  cr_multmat3(x->t, R_a, arm);
  if (cri_meeting_space(x) >= 0) {
    place_space(x);
  }
}

// ---- derivatives of places

static void turn_in_first(const cri_meeting* x, const cr_data* d, const cr_real world[3],
                          cr_real own[3]) {
  cr_multmat3(own, d->geom_xmat + 9 * x->geom[0], world);
}

// [pressure.m2] of E and H; 0 of a rigid half-space
static cr_real slope_tan(const cri_meeting* x, const cri_meeting_motion* motion) {
  const int side = space_side(x);
  return x->other == CRI_RIGID_SPACE
             ? 0
             : (motion->modulus[side] - space_slope(x) * motion->thickness) /
                   numbers_of(x, side)[CR_PRESSURE_THICKNESS];
}

static void slope_bar(const cri_meeting* x, cr_real bar, cri_meeting_motion* motion_bar) {
  const int side = space_side(x);
  if (x->other != CRI_RIGID_SPACE) {
    bar /= numbers_of(x, side)[CR_PRESSURE_THICKNESS];
    motion_bar->modulus[side] += bar;
    motion_bar->thickness -= space_slope(x) * bar;
  }
}

static void space_tan(const cri_meeting* x, const cri_meeting_motion* motion,
                      cri_meeting_twin* x_tan) {
  cr_real u[3], u_tan[3], slope = space_slope(x), rise = slope_tan(x, motion);
  if (x->other == CRI_RIGID_IN_SPACE) {
    x_tan->space[2] = -rise;
    return;
  }
  cr_col3(u, x->R, 2);
  cr_cross3(u_tan, x_tan->turn, u);
  cr_scl3(x_tan->space, u_tan, -slope);
  cr_accscl3(x_tan->space, u, -rise);
  x_tan->space[3] =
      rise * cr_dot3(u, x->t) + slope * (cr_dot3(u_tan, x->t) + cr_dot3(u, x_tan->shift));
}

// adds to the cotangents of turn and shift
static void space_bar(const cri_meeting* x, const cr_real field_bar[4], cr_real turn_bar[3],
                      cr_real shift_bar[3], cri_meeting_motion* motion_bar) {
  if (x->other == CRI_RIGID_IN_SPACE) {
    slope_bar(x, -field_bar[2], motion_bar);
    return;
  }
  cr_real u[3], u_bar[3], slope = space_slope(x);
  cr_col3(u, x->R, 2);
  cr_scl3(u_bar, field_bar, -slope);
  cr_accscl3(u_bar, x->t, slope * field_bar[3]);
  cr_accscl3(shift_bar, u, slope * field_bar[3]);
  cr_acccross3(turn_bar, u, u_bar);
  slope_bar(x, cr_dot3(u, x->t) * field_bar[3] - cr_dot3(u, field_bar), motion_bar);
}

void cri_meeting_tan(const cri_meeting* x, const cr_data* d, const cri_meeting_motion* motion,
                     cri_meeting_twin* x_tan) {
  cr_real w_a[3], w_b[3], arm[3], turned[3];
  *x_tan = (cri_meeting_twin){.modulus = {motion->modulus[0], motion->modulus[1]}};
  for (int side = 0; side < 2; side++) {
    cr_copy3(x_tan->size[side], motion->shape[side].size);
  }
  turn_in_first(x, d, motion->shape[0].rot, w_a);
  turn_in_first(x, d, motion->shape[1].rot, w_b);
  cr_sub3(x_tan->turn, w_b, w_a);
  cr_sub3(arm, motion->shape[1].pos, motion->shape[0].pos);
  turn_in_first(x, d, arm, x_tan->shift);
  cr_cross3(turned, w_a, x->t);
  cr_sub3(x_tan->shift, x_tan->shift, turned);
  if (cri_meeting_space(x) >= 0) {
    space_tan(x, motion, x_tan);
  }
}

void cri_meeting_bar(const cri_meeting* x, const cr_data* d, const cri_meeting_twin* x_bar,
                     cri_meeting_motion* motion_bar) {
  const cr_real* R_a = d->geom_xmat + 9 * x->geom[0];
  cr_real w_bar[3], t_bar[3], turned[3];
  cr_copy3(w_bar, x_bar->turn);
  cr_copy3(t_bar, x_bar->shift);
  for (int side = 0; side < 2; side++) {
    cr_acc3(motion_bar->shape[side].size, x_bar->size[side]);
    motion_bar->modulus[side] += x_bar->modulus[side];
  }
  if (cri_meeting_space(x) >= 0) {
    space_bar(x, x_bar->space, w_bar, t_bar, motion_bar);
  }
  cr_accmat3(motion_bar->shape[1].rot, R_a, w_bar);
  cr_accmat3(motion_bar->shape[1].pos, R_a, t_bar);
  cr_cross3(turned, x->t, t_bar);  // the shift has - w_a x t
  cr_acc3(w_bar, turned);
  cr_scl3(w_bar, w_bar, -1);
  cr_scl3(t_bar, t_bar, -1);
  cr_accmat3(motion_bar->shape[0].rot, R_a, w_bar);
  cr_accmat3(motion_bar->shape[0].pos, R_a, t_bar);
}

// ---- faces

static void load_vertices(const cri_meeting* x, int side, int i, cri_tetrahedron* t) {
  const int32_t* tet = tet_of(x, side, i);
  for (int k = 0; k < 4 && tet[k] >= 0; k++) {
    vertex(x, side, tet[k], t->vertex[k]);
  }
}

// pressures, shares and field of a tetrahedron that has its vertices
static bool complete(const cri_meeting* x, int side, int i, cri_tetrahedron* t) {
  const cr_real modulus = numbers_of(x, side)[CR_PRESSURE_MODULUS];
  for (int k = 0; k < 4; k++) {
    t->pressure[k] = modulus * x->m->pressure_level[tet_of(x, side, i)[k]];
  }
  return cri_tetrahedron_volume6(t) > 0 && cri_tetrahedron_complete(t);
}

typedef struct {
  cri_meeting* x;
  cri_meeting_visit* visit;
  void* context;
  int loaded[2];  // elements that are in `face`
  cri_meeting_face face;
} search;

typedef struct {
  const cri_meeting* x;
  cri_box_visit* visit;
  void* context;
} near_search;

static void make_face(search* s) {
  if (cri_face_make(&s->face.elements, &s->face.parts, &s->face.face)) {
    s->visit(s->context, &s->face);
  }
}

// puts an element into the face; false if it is flat
static bool load(search* s, int side, int i) {
  cri_elements* e = &s->face.elements;
  cri_tetrahedron* t = side == 0 ? &e->a : &e->b;
  if (s->loaded[side] == i) {
    return true;
  }
  load_vertices(s->x, side, i, t);
  s->loaded[side] = i;
  if ((side == 0 || s->x->other == CRI_COMPLIANT) && !complete(s->x, side, i, t)) {
    s->x->bad = i;
    s->loaded[side] = -1;
    return false;
  }
  return true;
}

static void meet_element(void* context, int i, int j) {
  search* s = context;
  s->face.i = i;
  s->face.j = j;
  if (load(s, 0, i) && load(s, 1, j)) {
    make_face(s);
  }
}

// whether an element has points in the half-space, and a tetrahedron at a rigid one also points outside
static bool cuts_space(const cri_meeting* x, const cri_tetrahedron* t, int n) {
  int inside = 0;
  for (int k = 0; k < n; k++) {
    inside += cri_affine(x->space, t->vertex[k]) >= 0;
  }
  return inside > 0 && (x->other != CRI_RIGID_SPACE || inside < n);
}

static void meet_space(void* context, int i, int unused) {
  (void)unused;
  search* s = context;
  const cri_meeting* x = s->x;
  cri_elements* e = &s->face.elements;
  const int body = x->other == CRI_RIGID_IN_SPACE ? 1 : 0;
  load_vertices(x, body, i, body == 0 ? &e->a : &e->b);
  s->face.i = body == 0 ? i : 0;
  s->face.j = body == 0 ? 0 : i;
  if (!cuts_space(x, body == 0 ? &e->a : &e->b, body == 0 ? 4 : 3)) {
    return;
  }
  if (body == 0 && !complete(x, 0, i, &e->a)) {
    s->x->bad = i;
    return;
  }
  make_face(s);
}

// whether the field of a half-space has values in a box, at a rigid one also its surface
static bool reaches_space(const void* context, const cr_real box[6]) {
  const cri_meeting* x = ((const near_search*)context)->x;
  const cr_real* field = x->space_body;
  cr_real least = field[3], most = field[3];
  for (int k = 0; k < 3; k++) {
    const cr_real low = field[k] * box[k], high = field[k] * box[3 + k];
    least += cr_min(low, high);
    most += cr_max(low, high);
  }
  return most >= 0 && (x->other != CRI_RIGID_SPACE || least <= 0);
}

static void visit_near(void* context, int i, int j) {
  const near_search* s = context;
  s->visit(s->context, i, j);
}

static cri_box_tree tree_of(const one_side* s, cri_box_of* of) {
  return (cri_box_tree){s->x->m->geom_pressure_tetnum[s->x->geom[s->side]], of, s};
}

void cri_meeting_near(const cri_meeting* x, cr_real margin, cri_box_visit* visit, void* context) {
  near_search s = {x, visit, context};
  const int space = cri_meeting_space(x);
  if (space >= 0) {
    const one_side body = {x, 1 - space, margin};
    const cri_box_tree tree = tree_of(&body, box_in_own_frame);
    cri_box_tree_walk(&tree, reaches_space, visit_near, &s);
  } else {
    const one_side first = {x, 0, margin / 2}, second = {x, 1, margin / 2};
    const cri_box_tree a = tree_of(&first, box_in_first_frame),
                       b = tree_of(&second, box_in_first_frame);
    cri_box_tree_pairs(&a, &b, visit, context);
  }
}

void cri_meeting_faces(cri_meeting* x, const int32_t* near, int n, cri_meeting_visit* visit,
                       void* context) {
  search s = {.x = x, .visit = visit, .context = context, .loaded = {-1, -1}};
  const int space = cri_meeting_space(x);
  cri_box_visit* meet = space >= 0 ? meet_space : meet_element;
  s.face.elements.other = x->other;
  if (space >= 0) {
    memcpy((space == 0 ? &s.face.elements.a : &s.face.elements.b)->field, x->space,
           sizeof x->space);
  }
  if (near == NULL) {
    cri_meeting_near(x, 0, meet, &s);
  }
  for (int k = 0; near != NULL && k < n; k++) {
    meet(&s, near[2 * k], near[2 * k + 1]);
  }
}

// ---- derivatives of elements

// e: the element; one of a rigid body has three vertices
static void vertices_tan(const cri_meeting* x, const cri_meeting_twin* x_tan, int side, int i,
                         const cri_tetrahedron* e, cri_tetrahedron* e_tan) {
  const int32_t* tet = tet_of(x, side, i);
  for (int k = 0; k < 4 && tet[k] >= 0; k++) {
    const cr_real* place = x->m->pressure_place + 9 * tet[k];
    if (side == 0) {
      cri_pressure_vertex_tan(place, x_tan->size[0], e_tan->vertex[k]);
      continue;
    }
    cr_real own_tan[3], off[3];
    cri_pressure_vertex_tan(place, x_tan->size[1], own_tan);
    cr_sub3(off, e->vertex[k], x->t);
    cr_mulmat3(e_tan->vertex[k], x->R, own_tan);
    cr_acccross3(e_tan->vertex[k], x_tan->turn, off);
    cr_acc3(e_tan->vertex[k], x_tan->shift);
  }
}

static void vertices_bar(const cri_meeting* x, const cri_tetrahedron* e_bar, int side, int i,
                         const cri_tetrahedron* e, cri_meeting_twin* x_bar) {
  const int32_t* tet = tet_of(x, side, i);
  for (int k = 0; k < 4 && tet[k] >= 0; k++) {
    const cr_real *place = x->m->pressure_place + 9 * tet[k], *bar = e_bar->vertex[k];
    if (side == 0) {
      cri_pressure_vertex_bar(place, bar, x_bar->size[0]);
      continue;
    }
    cr_real own_bar[3], off[3];
    cr_multmat3(own_bar, x->R, bar);
    cri_pressure_vertex_bar(place, own_bar, x_bar->size[1]);
    cr_sub3(off, e->vertex[k], x->t);
    cr_acccross3(x_bar->turn, off, bar);
    cr_acc3(x_bar->shift, bar);
  }
}

static void tet_tan(const cri_meeting* x, const cri_meeting_twin* x_tan, int side, int i,
                    const cri_tetrahedron* t, cri_tetrahedron* t_tan) {
  vertices_tan(x, x_tan, side, i, t, t_tan);
  for (int k = 0; k < 4; k++) {
    t_tan->pressure[k] = x_tan->modulus[side] * x->m->pressure_level[tet_of(x, side, i)[k]];
  }
  cri_tetrahedron_complete_tan(t, t_tan);
}

static void tet_bar(const cri_meeting* x, const cri_tetrahedron* t_bar, int side, int i,
                    const cri_tetrahedron* t, cri_meeting_twin* x_bar) {
  vertices_bar(x, t_bar, side, i, t, x_bar);
  for (int k = 0; k < 4; k++) {
    x_bar->modulus[side] += t_bar->pressure[k] * x->m->pressure_level[tet_of(x, side, i)[k]];
  }
}

void cri_meeting_elements_tan(const cri_meeting* x, const cri_meeting_twin* x_tan,
                              const cri_meeting_face* f, cri_elements* e_tan) {
  const cri_elements* e = &f->elements;
  const int space = cri_meeting_space(x);
  e_tan->other = x->other;
  if (space >= 0) {
    memcpy((space == 0 ? &e_tan->a : &e_tan->b)->field, x_tan->space, sizeof x_tan->space);
  }
  if (space != 0) {
    tet_tan(x, x_tan, 0, f->i, &e->a, &e_tan->a);
  }
  if (x->other == CRI_COMPLIANT) {
    tet_tan(x, x_tan, 1, f->j, &e->b, &e_tan->b);
  } else if (space != 1) {
    vertices_tan(x, x_tan, 1, f->j, &e->b, &e_tan->b);
  }
}

void cri_meeting_elements_bar(const cri_meeting* x, const cri_elements* e_bar,
                              const cri_meeting_face* f, cri_meeting_twin* x_bar) {
  const cri_elements* e = &f->elements;
  const int space = cri_meeting_space(x);
  for (int k = 0; k < 4 && space >= 0; k++) {
    x_bar->space[k] += (space == 0 ? &e_bar->a : &e_bar->b)->field[k];
  }
  if (space != 0) {
    tet_bar(x, &e_bar->a, 0, f->i, &e->a, x_bar);
  }
  if (x->other == CRI_COMPLIANT) {
    tet_bar(x, &e_bar->b, 1, f->j, &e->b, x_bar);
  } else if (space != 1) {
    vertices_bar(x, &e_bar->b, 1, f->j, &e->b, x_bar);
  }
}
