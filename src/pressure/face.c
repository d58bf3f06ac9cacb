// SPDX-License-Identifier: Apache-2.0
#include "pressure/face.h"

// no face below this share of the square of a's longest edge, and of a's greatest pressure
#define SMALL CR_R(1e-14)
// pressures have one gradient if they differ by less than this share of a's
#define PARALLEL CR_R(1e-12)

// ---- what is cut, [pressure.f1] and [pressure.f2]

static bool both_compliant(const cri_elements* e) {
  return e->other == CRI_COMPLIANT || e->other == CRI_COMPLIANT_SPACE;
}

static bool is_triangle(const cri_elements* e) {
  return e->other == CRI_RIGID || e->other == CRI_RIGID_IN_SPACE;
}

// planes that clip, and their tangents: the shares of the other tetrahedron, or the field of a half-space
static void clips_of(const cri_elements* e, const cri_elements* from, cri_cut* cut) {
  if (e->other == CRI_RIGID_IN_SPACE) {
    memcpy(cut->clip[0], from->a.field, sizeof cut->clip[0]);
  } else {
    memcpy(cut->clip, is_triangle(e) ? from->a.share : from->b.share, sizeof cut->clip);
  }
}

static void cut_of(const cri_elements* e, cri_cut* cut) {
  const cri_tetrahedron *a = &e->a, *b = &e->b;
  static const int nclip[] = {[CRI_COMPLIANT] = 4, [CRI_RIGID] = 4, [CRI_RIGID_IN_SPACE] = 1};
  bool triangle = is_triangle(e);
  cut->nstart = triangle ? 3 : 4;
  cut->nclip = nclip[e->other];
  memcpy(cut->start, triangle ? b->vertex : a->vertex, sizeof cut->start);
  clips_of(e, e, cut);
  if (triangle) {
    cr_real u[3], v[3];
    cr_sub3(u, b->vertex[1], b->vertex[0]);
    cr_sub3(v, b->vertex[2], b->vertex[0]);
    cr_cross3(cut->across, v, u);
    cut->across[3] = -cr_dot3(cut->across, b->vertex[0]);
    return;
  }
  for (int k = 0; k < 4; k++) {
    cut->across[k] = b->field[k] - (both_compliant(e) ? a->field[k] : 0);
  }
}

static void cut_tan_of(const cri_elements* e, const cri_elements* e_tan, cri_cut* cut_tan) {
  const cri_tetrahedron *a = &e_tan->a, *b = &e_tan->b;
  bool triangle = is_triangle(e);
  memcpy(cut_tan->start, triangle ? b->vertex : a->vertex, sizeof cut_tan->start);
  clips_of(e, e_tan, cut_tan);
  if (triangle) {
    cr_real u[3], v[3], u_tan[3], v_tan[3];
    cr_sub3(u, e->b.vertex[1], e->b.vertex[0]);
    cr_sub3(v, e->b.vertex[2], e->b.vertex[0]);
    cr_sub3(u_tan, b->vertex[1], b->vertex[0]);
    cr_sub3(v_tan, b->vertex[2], b->vertex[0]);
    cr_cross3(cut_tan->across, v_tan, u);
    cr_acccross3(cut_tan->across, v, u_tan);
    return;
  }
  for (int k = 0; k < 4; k++) {
    cut_tan->across[k] = b->field[k] - (both_compliant(e) ? a->field[k] : 0);
  }
}

// its transpose: adds to vertices, fields and the shares of the tetrahedron that clips
static void cut_bar_of(const cri_elements* e, const cri_cut* cut_bar, cri_elements* e_bar) {
  const bool triangle = is_triangle(e), space = e->other == CRI_RIGID_IN_SPACE;
  cri_tetrahedron *start = triangle ? &e_bar->b : &e_bar->a,
                  *clip = triangle ? &e_bar->a : &e_bar->b;
  for (int i = 0; i < (triangle ? 3 : 4); i++) {
    cr_acc3(start->vertex[i], cut_bar->start[i]);
  }
  for (int i = 0; i < cut_bar->nclip; i++) {
    for (int k = 0; k < 4; k++) {
      (space ? clip->field : clip->share[i])[k] += cut_bar->clip[i][k];
    }
  }
  if (triangle) {
    cr_real u[3], v[3], u_bar[3], v_bar[3];
    cr_sub3(u, e->b.vertex[1], e->b.vertex[0]);
    cr_sub3(v, e->b.vertex[2], e->b.vertex[0]);
    cr_cross3(v_bar, u, cut_bar->across);
    cr_cross3(u_bar, cut_bar->across, v);
    cr_acc3(start->vertex[1], u_bar);
    cr_acc3(start->vertex[2], v_bar);
    cr_accscl3(start->vertex[0], u_bar, -1);
    cr_accscl3(start->vertex[0], v_bar, -1);
    return;
  }
  for (int k = 0; k < 4; k++) {
    e_bar->b.field[k] += cut_bar->across[k];
    e_bar->a.field[k] -= both_compliant(e) ? cut_bar->across[k] : 0;
  }
}

// ---- area, load and centre, [pressure.f3] and [pressure.f4]

// a triangle between y_0 and two neighbours, or its tangent
typedef struct {
  cr_real u[3], v[3];  // from y_0 to the other corners
  cr_real w;           // twice the area
  cr_real q, r;        // p_0 + 2 p_i + p_i+1, p_0 + p_i + 2 p_i+1
  cr_real sum;         // p_0 + p_i + p_i+1
} wedge;

static const cr_real* corner(const cri_polygon* p, int i) { return p->node[p->corner[i]].pos; }

static void set_pressures(wedge* t, cr_real p0, cr_real p1, cr_real p2) {
  t->sum = p0 + p1 + p2;
  t->q = t->sum + p1;
  t->r = t->sum + p2;
}

static wedge wedge_of(const cri_polygon* p, int i, const cr_real n[3], const cr_real field[4]) {
  const cr_real *y0 = corner(p, 0), *y1 = corner(p, i), *y2 = corner(p, i + 1);
  wedge t;
  cr_real c[3];
  cr_sub3(t.u, y1, y0);
  cr_sub3(t.v, y2, y0);
  cr_cross3(c, t.u, t.v);
  t.w = cr_dot3(n, c);
  set_pressures(&t, cri_affine(field, y0), cri_affine(field, y1), cri_affine(field, y2));
  return t;
}

static cri_face_sums sums_of(const cri_polygon* p, const cr_real n[3], const cr_real field[4]) {
  cri_face_sums x = {.weight = 0};
  for (int i = 1; i + 1 < p->n; i++) {
    wedge t = wedge_of(p, i, n, field);
    x.weight += t.w;
    x.load += t.w * t.sum;
    cr_accscl3(x.moment, t.u, t.w * t.q);
    cr_accscl3(x.moment, t.v, t.w * t.r);
  }
  return x;
}

// tangents of the normal, the field and the corners
typedef struct {
  const cr_real *n, *field;
  cr_real (*pos)[3];
} corner_motion;

static cr_real pressure_tan(const cri_polygon* p, int i, const cr_real field[4],
                            const corner_motion* tan) {
  return cri_affine(tan->field, corner(p, i)) + cr_dot3(field, tan->pos[p->corner[i]]);
}

static wedge wedge_tan(const cri_polygon* p, int i, const cr_real n[3], const cr_real field[4],
                       const corner_motion* tan) {
  const wedge t = wedge_of(p, i, n, field);
  const cr_real* y0_tan = tan->pos[p->corner[0]];
  wedge t_tan;
  cr_real c[3], c_tan[3];
  cr_sub3(t_tan.u, tan->pos[p->corner[i]], y0_tan);
  cr_sub3(t_tan.v, tan->pos[p->corner[i + 1]], y0_tan);
  cr_cross3(c, t.u, t.v);
  cr_cross3(c_tan, t_tan.u, t.v);
  cr_acccross3(c_tan, t.u, t_tan.v);
  t_tan.w = cr_dot3(tan->n, c) + cr_dot3(n, c_tan);
  set_pressures(&t_tan, pressure_tan(p, 0, field, tan), pressure_tan(p, i, field, tan),
                pressure_tan(p, i + 1, field, tan));
  return t_tan;
}

static cri_face_sums sums_tan(const cri_polygon* p, const cr_real n[3], const cr_real field[4],
                              const corner_motion* tan) {
  cri_face_sums x_tan = {.weight = 0};
  for (int i = 1; i + 1 < p->n; i++) {
    const wedge t = wedge_of(p, i, n, field), d = wedge_tan(p, i, n, field, tan);
    x_tan.weight += d.w;
    x_tan.load += d.w * t.sum + t.w * d.sum;
    for (int k = 0; k < 3; k++) {
      x_tan.moment[k] += d.w * (t.q * t.u[k] + t.r * t.v[k]) +
                         t.w * (d.q * t.u[k] + d.r * t.v[k] + t.q * d.u[k] + t.r * d.v[k]);
    }
  }
  return x_tan;
}

// cotangents of the pressure at a corner into those of the field and the corner
static void pressure_bar(const cri_polygon* p, int i, const cr_real field[4], cr_real bar,
                         cr_real field_bar[4], cr_real pos_bar[CRI_CUT_NODES][3]) {
  cr_accscl3(field_bar, corner(p, i), bar);
  field_bar[3] += bar;
  cr_accscl3(pos_bar[p->corner[i]], field, bar);
}

// cotangents of the sums into those of the normal, the field and the corners
static void sums_bar(const cri_polygon* p, const cr_real n[3], const cr_real field[4],
                     const cri_face_sums* x_bar, cr_real n_bar[3], cr_real field_bar[4],
                     cr_real pos_bar[CRI_CUT_NODES][3]) {
  cr_real* y0_bar = pos_bar[p->corner[0]];
  for (int i = 1; i + 1 < p->n; i++) {
    const wedge t = wedge_of(p, i, n, field);
    const cr_real along_u = cr_dot3(x_bar->moment, t.u), along_v = cr_dot3(x_bar->moment, t.v);
    cr_real c[3], c_bar[3], u_bar[3], v_bar[3];
    cr_cross3(c, t.u, t.v);
    cr_real w_bar = x_bar->weight + x_bar->load * t.sum + t.q * along_u + t.r * along_v;
    cr_accscl3(n_bar, c, w_bar);
    cr_scl3(c_bar, n, w_bar);
    cr_cross3(u_bar, t.v, c_bar);
    cr_cross3(v_bar, c_bar, t.u);
    cr_accscl3(u_bar, x_bar->moment, t.w * t.q);
    cr_accscl3(v_bar, x_bar->moment, t.w * t.r);
    cr_acc3(pos_bar[p->corner[i]], u_bar);
    cr_acc3(pos_bar[p->corner[i + 1]], v_bar);
    cr_accscl3(y0_bar, u_bar, -1);
    cr_accscl3(y0_bar, v_bar, -1);
    const cr_real all = t.w * (x_bar->load + along_u + along_v);
    pressure_bar(p, 0, field, all, field_bar, pos_bar);
    pressure_bar(p, i, field, all + t.w * along_u, field_bar, pos_bar);
    pressure_bar(p, i + 1, field, all + t.w * along_v, field_bar, pos_bar);
  }
}

// ---- the face

// Square of the longest edge of a, or of the triangle in a half-space, and the greatest pressure there.
static void scale_of(const cri_elements* e, cr_real* size2, cr_real* most) {
  const cr_real* p = e->a.pressure;
  *size2 = 0;
  if (e->other != CRI_RIGID_IN_SPACE) {
    *size2 = cri_tetrahedron_size2(&e->a);
    *most = cr_max(cr_max(p[0], p[1]), cr_max(p[2], p[3]));
    return;
  }
  for (int k = 0; k < 3; k++) {
    cr_real edge[3];
    cr_sub3(edge, e->b.vertex[(k + 1) % 3], e->b.vertex[k]);
    *size2 = cr_max(*size2, cr_dot3(edge, edge));
  }
  *most = cr_norm3(e->a.field) * cr_sqrt(*size2);
}

bool cri_face_make(const cri_elements* e, cri_face_parts* parts, cri_face* f) {
  const cri_polygon* p = &parts->polygon;
  const cri_face_sums* x = &parts->sums;
  cut_of(e, &parts->cut);
  cr_copy3(f->normal, parts->cut.across);
  const cr_real length = parts->length = cr_norm3(f->normal);
  if (!(length > (both_compliant(e) ? PARALLEL * cr_norm3(e->a.field) : 0))) {
    return false;
  }
  cr_scl3(f->normal, f->normal, 1 / length);
  cri_cut_polygon(&parts->cut, &parts->polygon);
  if (p->n < 3) {
    return false;
  }
  parts->sums = sums_of(p, f->normal, e->a.field);
  f->area = x->weight / 2;
  f->pressure = x->load / (3 * x->weight);  // [pressure.f4]
  cr_real size2, most;
  scale_of(e, &size2, &most);
  if (!(f->area > SMALL * size2) || !(f->pressure > SMALL * most)) {
    return false;
  }
  cr_copy3(f->pos, corner(p, 0));
  cr_accscl3(f->pos, x->moment, 1 / (4 * x->load));
  f->gradient = -cr_dot3(f->normal, e->a.field);
  if (both_compliant(e)) {  // [pressure.f5]
    f->gradient *= cr_dot3(f->normal, e->b.field) / length;
  }
  return true;
}

// [pressure.f5] rises of both pressures along the normal
static void rises(const cri_elements* e, const cri_face* f, cr_real* k_a, cr_real* k_b) {
  *k_a = -cr_dot3(f->normal, e->a.field);
  *k_b = both_compliant(e) ? cr_dot3(f->normal, e->b.field) : 0;
}

void cri_face_tan(const cri_elements* e, const cri_face_parts* parts, const cri_face* f,
                  const cri_elements* e_tan, cri_face* f_tan) {
  const cri_polygon* p = &parts->polygon;
  const cri_face_sums* x = &parts->sums;
  cri_cut cut_tan;
  cr_real pos_tan[CRI_CUT_NODES][3], k_a, k_b;
  rises(e, f, &k_a, &k_b);
  cut_tan_of(e, e_tan, &cut_tan);
  cr_normalize3_tan(f_tan->normal, f->normal, parts->length, cut_tan.across);
  cri_cut_polygon_tan(&parts->cut, p, &cut_tan, pos_tan);
  const corner_motion tan = {f_tan->normal, e_tan->a.field, pos_tan};
  cri_face_sums x_tan = sums_tan(p, f->normal, e->a.field, &tan);
  f_tan->area = x_tan.weight / 2;
  f_tan->pressure = (x_tan.load / 3 - f->pressure * x_tan.weight) / x->weight;  // [pressure.f4]
  for (int k = 0; k < 3; k++) {
    cr_real arm4 = x->moment[k] / x->load;
    f_tan->pos[k] =
        pos_tan[p->corner[0]][k] + (x_tan.moment[k] - arm4 * x_tan.load) / (4 * x->load);
  }
  cr_real k_a_tan = -cr_dot3(f_tan->normal, e->a.field) - cr_dot3(f->normal, e_tan->a.field);
  f_tan->gradient = k_a_tan;
  if (both_compliant(e)) {
    cr_real k_b_tan = cr_dot3(f_tan->normal, e->b.field) + cr_dot3(f->normal, e_tan->b.field);
    cr_real length_tan = cr_dot3(f->normal, cut_tan.across);
    f_tan->gradient =
        (k_a_tan * k_b + k_a * k_b_tan - k_a * k_b / parts->length * length_tan) / parts->length;
  }
}

// [pressure.f5]'
static void gradient_bar(const cri_elements* e, cr_real length, const cri_face* f, cr_real g_bar,
                         cr_real n_bar[3], cr_real across_bar[4], cri_elements* e_bar) {
  cr_real k_a_bar = g_bar, k_a, k_b;
  rises(e, f, &k_a, &k_b);
  if (both_compliant(e)) {
    cr_real k_b_bar = g_bar * k_a / length;
    k_a_bar = g_bar * k_b / length;
    cr_accscl3(across_bar, f->normal, -g_bar * k_a * k_b / (length * length));
    cr_accscl3(n_bar, e->b.field, k_b_bar);
    cr_accscl3(e_bar->b.field, f->normal, k_b_bar);
  }
  cr_accscl3(n_bar, e->a.field, -k_a_bar);
  cr_accscl3(e_bar->a.field, f->normal, -k_a_bar);
}

// Before cotangents are summed; shares have one where the tetrahedron clips.
static void start_bar(cri_tetrahedron* t_bar, bool clips) {
  cr_zero(t_bar->vertex[0], 12);
  cr_zero(t_bar->pressure, 4);
  cr_zero(t_bar->field, 4);
  cr_zero(t_bar->share[0], clips ? 16 : 0);
}

void cri_face_bar(const cri_elements* e, const cri_face_parts* parts, const cri_face* f,
                  const cri_face* f_bar, cri_elements* e_bar) {
  const cri_polygon* p = &parts->polygon;
  const cri_face_sums* x = &parts->sums;
  cri_cut cut_bar = {.nclip = parts->cut.nclip};
  cr_real pos_bar[CRI_CUT_NODES][3], n_bar[3], unit_bar[3];
  const bool a_clips = e->other == CRI_RIGID, b_clips = e->other == CRI_COMPLIANT;
  start_bar(&e_bar->a, a_clips);
  if (e->other <= CRI_COMPLIANT_SPACE) {
    cr_zero(e_bar->b.field, 4);
  } else {
    start_bar(&e_bar->b, b_clips);
  }
  cr_zero(pos_bar[0], 3 * p->nnode);
  cr_copy3(n_bar, f_bar->normal);
  gradient_bar(e, parts->length, f, f_bar->gradient, n_bar, cut_bar.across, e_bar);

  // [pressure.f3]', [pressure.f4]'
  cri_face_sums x_bar = {.load = f_bar->pressure / (3 * x->weight)};
  x_bar.weight = f_bar->area / 2 - f_bar->pressure * f->pressure / x->weight;
  x_bar.load -= cr_dot3(f_bar->pos, x->moment) / (4 * x->load * x->load);
  cr_scl3(x_bar.moment, f_bar->pos, 1 / (4 * x->load));
  cr_acc3(pos_bar[p->corner[0]], f_bar->pos);
  sums_bar(p, f->normal, e->a.field, &x_bar, n_bar, e_bar->a.field, pos_bar);
  cr_normalize3_tan(unit_bar, f->normal, parts->length, n_bar);
  cr_acc3(cut_bar.across, unit_bar);
  cri_cut_polygon_bar(&parts->cut, p, pos_bar, &cut_bar);
  cut_bar_of(e, &cut_bar, e_bar);

  if (a_clips) {
    cri_tetrahedron_complete_bar(&e->a, &e_bar->a);
  } else if (e->other != CRI_RIGID_IN_SPACE) {
    cri_tetrahedron_field_bar(&e->a, &e_bar->a);
  }
  if (b_clips) {
    cri_tetrahedron_complete_bar(&e->b, &e_bar->b);
  }
}
