// SPDX-License-Identifier: Apache-2.0
#include "geometry/face_clipping.h"

#include "geometry/box.h"
#include "geometry/facet.h"
#include "geometry/polygon.h"

// MuJoCo 4.0.0: up to these angles two faces count as parallel (5.13 degrees), and a line and a face (5.09 degrees)
#define FACE_COSINE CR_R(0.996)
#define EDGE_SINE CR_R(0.0888)

enum { FACES = 1, LINE_OF_A = 2, LINE_OF_B = 3 };
enum { MOST_CORNERS = 128 };

// ---- clipping. A side is 2 i for side i of the clipped polygon, 2 i + 1 for side i of the
// clipping polygon; the ends of a line have sides 0 and 2.

typedef struct {
  cr_real p[3];
  int32_t before, after;  // sides that cross here
} corner;

typedef struct {
  int n;
  corner c[2 * MOST_CORNERS];
} polygon;

// inward normal of the plane through the side from p to q, along the face's normal
static void side_normal(const cri_flat* f, const cr_real p[3], const cr_real q[3], cr_real in[3]) {
  cr_real edge[3];
  cr_sub3(edge, q, p);
  cr_cross3(in, edge, f->normal);
  cr_normalize3(in);
}

// the normal of side i; p a point on it
static void side_plane(const cri_flat* f, int i, cr_real in[3], cr_real p[3]) {
  cr_real q[3];
  cri_flat_corner(f, i, p);
  cri_flat_corner(f, (i + 1) % f->n, q);
  side_normal(f, p, q, in);
}

// how far inside a plane each corner is; true if all of them are
static bool heights(const polygon* x, const cr_real in[3], const cr_real p[3], cr_real* height) {
  bool all = true;
  for (int i = 0; i < x->n; i++) {
    cr_real arm[3];
    cr_sub3(arm, x->c[i].p, p);
    height[i] = cr_dot3(arm, in);
    all = all && height[i] > -CR_MINVAL;
  }
  return all;
}

// Every cut, also one that leaves all corners, makes the second corner the first. The walk that chooses four
// of many begins there, as MuJoCo's does. `uncut` are the sides before this one that left all of them.
static void clip_side(const polygon* from, const cr_real* height, int uncut, int32_t side,
                      polygon* to) {
  to->n = 0;
  for (int k = 0; k < from->n; k++) {
    int i = (k + uncut) % from->n, next = i + 1 < from->n ? i + 1 : 0;
    const corner *P = &from->c[i], *Q = &from->c[next];
    cr_real at_P = height[i], at_Q = height[next], step[3];
    bool inside_P = at_P > -CR_MINVAL, inside_Q = at_Q > -CR_MINVAL;
    if (inside_P != inside_Q && at_P != at_Q) {
      corner* X = &to->c[to->n++];
      cr_sub3(step, Q->p, P->p);
      cr_copy3(X->p, P->p);
      cr_accscl3(X->p, step, cr_clip(at_P / (at_P - at_Q), 0, 1));
      X->before = inside_P ? P->after : side;
      X->after = inside_P ? side : P->after;
    }
    if (inside_Q) {
      to->c[to->n++] = *Q;
    }
  }
}

// makes corner `by` the first
static void turn_round(polygon* x, int by) {
  corner turned[2 * MOST_CORNERS];
  if (x->n == 0 || by % x->n == 0) {
    return;
  }
  for (int i = 0; i < x->n; i++) {
    turned[i] = x->c[(i + by) % x->n];
  }
  for (int i = 0; i < x->n; i++) {
    x->c[i] = turned[i];
  }
}

// clips by all sides of the face, drops corners beyond the margin above it
static polygon* clip(const cri_flat* f, cr_real margin, polygon* x, polygon* y) {
  cr_real first[3], p[3], q[3], in[3], height[2 * MOST_CORNERS];
  int uncut = 0;
  cri_flat_corner(f, 0, first);
  cr_copy3(p, first);
  for (int i = 0; i < f->n; i++) {
    if (i + 1 < f->n) {
      cri_flat_corner(f, i + 1, q);
    } else {
      cr_copy3(q, first);
    }
    side_normal(f, p, q, in);
    if (heights(x, in, p, height)) {
      uncut++;
    } else {
      clip_side(x, height, uncut, 2 * i + 1, y);
      polygon* swap = x;
      x = y;
      y = swap;
      uncut = 0;
    }
    cr_copy3(p, q);
  }
  turn_round(x, uncut);
  int kept = 0;
  for (int i = 0; i < x->n; i++) {
    cr_real arm[3];
    cr_sub3(arm, x->c[i].p, first);
    if (cr_dot3(arm, f->normal) <= margin) {
      x->c[kept++] = x->c[i];
    }
  }
  x->n = kept;
  return x;
}

// [collision_convex.h7] The corners of a hull's polygon are not quite in one plane. If two sides of a cross inside
// of b, the point depends on the order of the cuts: the plane of b's first corner is used there.
static void flatten(const cri_flat* a, const cri_flat* b, corner* v) {
  cr_real p[3], arm[3];
  if (v->before % 2 != 0 && v->after % 2 != 0) {
    cri_flat_corner(b, 0, p);
    cr_sub3(arm, v->p, p);
    cr_accscl3(v->p, a->normal, -cr_dot3(arm, b->normal) / cr_dot3(a->normal, b->normal));
  }
}

// ---- measures

// [collision_convex.h1]-[collision_convex.h3]
static void measure_faces(const cri_flat* a, const cri_flat* b, const cr_real v[3], cr_hit* hit) {
  cr_real p[3], arm[3];
  cri_flat_corner(a, 0, p);
  cr_sub3(arm, v, p);
  cr_real s = cr_dot3(arm, a->normal);
  hit->dist = -s * cr_dot3(a->normal, b->normal);
  cr_copy3(hit->pos, v);
  cr_accscl3(hit->pos, a->normal, -s);
  cr_accscl3(hit->pos, b->normal, -hit->dist / 2);
  cr_scl3(hit->normal, b->normal, -1);
}

// [collision_convex.h5]
static void measure_line(const cri_flat* f, bool face_of_a, const cr_real v[3], cr_hit* hit) {
  cr_real p[3], arm[3];
  cri_flat_corner(f, 0, p);
  cr_sub3(arm, v, p);
  hit->dist = cr_dot3(arm, f->normal);
  cr_copy3(hit->pos, v);
  cr_accscl3(hit->pos, f->normal, -hit->dist / 2);
  cr_scl3(hit->normal, f->normal, face_of_a ? 1 : -1);
}

// ---- detection

typedef struct {
  int mode;
  int32_t id_a, id_b;
} choice;

// the two faces most opposed, both turned to the other shape
static bool opposed_faces(const cr_core* a, const cr_core* b, const cr_optimum* x, choice* found) {
  int32_t ids_a[CRI_MOST_FACETS], ids_b[CRI_MOST_FACETS];
  int na = cri_flats_near(a, &x->a, ids_a), nb = cri_flats_near(b, &x->b, ids_b);
  cr_real best = -FACE_COSINE;
  found->mode = 0;
  for (int i = 0; i < na; i++) {
    cri_flat fa = cri_flat_of(a, ids_a[i]);
    if (cr_dot3(fa.normal, x->normal) <= EDGE_SINE) {
      continue;
    }
    for (int k = 0; k < nb; k++) {
      cri_flat fb = cri_flat_of(b, ids_b[k]);
      cr_real along = cr_dot3(fa.normal, fb.normal);
      if (cr_dot3(fb.normal, x->normal) < -EDGE_SINE && along < best) {
        best = along;
        *found = (choice){FACES, ids_a[i], ids_b[k]};
      }
    }
  }
  return found->mode != 0;
}

// a line of the first shape along a face of the second, which is turned against n. On a round side
// the line is that towards the face, so the face has to be where the optimum is
static bool line_on_face(const cr_core* a, const cr_core* b, const cr_touch* ta, const cr_touch* tb,
                         const cr_real n[3], int32_t* line_id, int32_t* face_id) {
  int32_t lines[CRI_MOST_FACETS], faces[CRI_MOST_FACETS];
  int nline = cri_lines_near(a, ta, lines), nface = cri_flats_near(b, tb, faces);
  for (int i = 0; i < nface; i++) {
    cri_flat f = cri_flat_of(b, faces[i]);
    cr_real m[3], along = -cr_dot3(f.normal, n);
    if (along <= CR_MINVAL || (cri_has_round_side(a) && along < FACE_COSINE)) {
      continue;
    }
    cr_scl3(m, f.normal, -1);
    for (int k = 0; k < nline; k++) {
      cri_dual l = cri_dual_of(a, lines[k], m);
      if (cr_abs(cr_dot3(l.axis, f.normal)) < EDGE_SINE) {
        *line_id = lines[k];
        *face_id = faces[i];
        return true;
      }
    }
  }
  return false;
}

// 1 a corner, 2 an edge, 3 a face; a round end or rim counts as a corner
static int extent_of(const cr_core* c, const cr_touch* t) {
  if (c->shape->type == CR_GEOM_CAPSULE) {
    return 1;
  }
  if (c->shape->type == CR_GEOM_CYLINDER) {
    return t->kind == CR_TOUCH_SIDE ? 2 : 1;
  }
  return t->kind == CR_TOUCH_FACE ? 3 : t->kind == CR_TOUCH_EDGE ? 2 : 1;
}

static choice choose(const cr_core* a, const cr_core* b, const cr_optimum* x) {
  choice c = {0, 0, 0};
  int32_t ids[CRI_MOST_FACETS];
  int extent_a = extent_of(a, &x->a), extent_b = extent_of(b, &x->b);
  if (opposed_faces(a, b, x, &c)) {
    return c;
  }
  bool faces_a = cri_flats_near(a, &x->a, ids) > 0, faces_b = cri_flats_near(b, &x->b, ids) > 0;
  if (extent_a < 3 && faces_b && (extent_a <= extent_b || !faces_a)) {
    if (line_on_face(a, b, &x->a, &x->b, x->normal, &c.id_a, &c.id_b)) {
      c.mode = LINE_OF_A;
    }
  } else if (extent_b < 3) {
    cr_real minus[3];
    cr_scl3(minus, x->normal, -1);
    if (line_on_face(b, a, &x->b, &x->a, minus, &c.id_b, &c.id_a)) {
      c.mode = LINE_OF_B;
    }
  }
  return c;
}

static void put_polygon(const cri_flat* f, polygon* x) {
  x->n = f->n;
  for (int i = 0; i < f->n; i++) {
    cri_flat_corner(f, i, x->c[i].p);
    x->c[i].before = 2 * ((i + f->n - 1) % f->n);
    x->c[i].after = 2 * i;
  }
}

static void put_line(const cri_dual* l, polygon* x) {
  x->n = 2;
  for (int e = 0; e < 2; e++) {
    cr_copy3(x->c[e].p, l->end[e]);
    x->c[e].before = 2 * (1 - e);
    x->c[e].after = 2 * e;
  }
}

// the two corners of a clipped line that are farthest apart
static int ends_of(const polygon* x, int keep[2]) {
  cr_real most = -1;
  keep[0] = 0;
  keep[1] = 1;
  for (int i = 0; x->n > 2 && i < x->n; i++) {
    for (int k = i + 1; k < x->n; k++) {
      cr_real d[3];
      cr_sub3(d, x->c[k].p, x->c[i].p);
      if (cr_dot3(d, d) > most) {
        most = cr_dot3(d, d);
        keep[0] = i;
        keep[1] = k;
      }
    }
  }
  return x->n < 2 ? x->n : 2;
}

static int corners_of(const polygon* x, bool all, int keep[CR_MAX_HITS]) {
  int most = all ? CR_MAX_HITS : 4;
  for (int k = 0; k < most; k++) {
    keep[k] = k;
  }
  if (x->n > 4 && !all) {
    cr_real p[3 * 2 * MOST_CORNERS];
    for (int i = 0; i < x->n; i++) {
      cr_copy3(p + 3 * i, x->c[i].p);
    }
    cri_quad(p, x->n, keep);
  }
  return x->n < most ? x->n : most;
}

static bool may_have_several(const cr_core* a, const cr_core* b) {
  int32_t ta = a->shape->type, tb = b->shape->type;
  bool face_a = ta == CR_GEOM_CYLINDER || ta == CR_GEOM_BOX || ta == CR_GEOM_MESH;
  bool face_b = tb == CR_GEOM_CYLINDER || tb == CR_GEOM_BOX || tb == CR_GEOM_MESH;
  bool hulls = (ta != CR_GEOM_MESH || a->shape->hull->npoly > 0) &&
               (tb != CR_GEOM_MESH || b->shape->hull->npoly > 0);
  return hulls && !a->shape->single &&
         ((face_a && face_b) || (ta == CR_GEOM_CAPSULE && face_b) ||
          (tb == CR_GEOM_CAPSULE && face_a));
}

int cri_face_clipping(const cr_core* a, const cr_core* b, const cr_optimum* x, cr_real margin,
                      cr_hit hit[CR_MAX_HITS]) {
  if (!may_have_several(a, b)) {
    return 0;
  }
  choice c = choose(a, b, x);
  if (c.mode == 0) {
    return 0;
  }
  polygon first, second, *left;
  cri_flat fa = {.n = 0}, fb = {.n = 0};
  cr_real m[3];
  int keep[CR_MAX_HITS], n;
  if (c.mode == FACES) {
    fa = cri_flat_of(a, c.id_a);
    fb = cri_flat_of(b, c.id_b);
    if (fa.n > MOST_CORNERS || fb.n > MOST_CORNERS || fa.n + fb.n > 2 * MOST_CORNERS - 2) {
      return 0;
    }
    put_polygon(&fb, &first);
    left = clip(&fa, margin, &first, &second);
    n = corners_of(left, a->shape->all, keep);
    for (int i = 0; i < n && b->shape->type == CR_GEOM_MESH; i++) {
      flatten(&fa, &fb, &left->c[keep[i]]);
    }
  } else {
    cri_flat* face = c.mode == LINE_OF_A ? &fb : &fa;
    *face = c.mode == LINE_OF_A ? cri_flat_of(b, c.id_b) : cri_flat_of(a, c.id_a);
    if (face->n > MOST_CORNERS) {
      return 0;
    }
    cr_scl3(m, face->normal, -1);
    cri_dual l = c.mode == LINE_OF_A ? cri_dual_of(a, c.id_a, m) : cri_dual_of(b, c.id_b, m);
    put_line(&l, &first);
    left = clip(face, margin, &first, &second);
    n = ends_of(left, keep);
  }
  for (int i = 0; i < n; i++) {
    const corner* v = &left->c[keep[i]];
    hit[i] =
        (cr_hit){.feature = {CR_MANIFOLD * c.mode, c.id_a, c.id_b, cri_pack(v->before, v->after)}};
    cr_copy3(hit[i].local, v->p);
    if (c.mode == FACES) {
      measure_faces(&fa, &fb, v->p, &hit[i]);
    } else {
      measure_line(c.mode == LINE_OF_A ? &fb : &fa, c.mode == LINE_OF_B, v->p, &hit[i]);
    }
  }
  return n;
}

// ---- derivatives: motion of points that scale with their shape

// sizes along the axes of the shape: of a cylinder radius, radius, half length; of a hull none
static cr_real size_along(const cr_core* c, int k, int* size) {
  *size = c->shape->type == CR_GEOM_BOX ? k : k == 2;
  return c->shape->type == CR_GEOM_MESH ? 0 : c->shape->size[*size];
}

// [collision_convex.h6] velocity of p as fixed to the shape; q the point whose position gives the effect of the shape's growth
static void drift_tan(const cr_core* c, const cr_real p[3], const cr_real q[3],
                      const cr_shape_tan* s_tan, cr_real v[3]) {
  cr_real arm[3], x[3], stretch[3];
  cr_sub3(arm, q, c->pos);
  cr_multmat3(x, c->shape->mat, arm);
  for (int k = 0; k < 3; k++) {
    int size;
    cr_real length = size_along(c, k, &size);
    stretch[k] = length > 0 ? x[k] / length * s_tan->size[size] : 0;
  }
  cr_mulmat3(v, c->shape->mat, stretch);
  cr_sub3(arm, p, c->pos);
  cr_acc3(v, s_tan->pos);
  cr_acccross3(v, s_tan->rot, arm);
}

static void drift_bar(const cr_core* c, const cr_real p[3], const cr_real q[3],
                      const cr_real v_bar[3], cr_shape_tan* s_bar) {
  cr_real arm[3], x[3], stretch_bar[3];
  cr_sub3(arm, q, c->pos);
  cr_multmat3(x, c->shape->mat, arm);
  cr_multmat3(stretch_bar, c->shape->mat, v_bar);
  for (int k = 0; k < 3; k++) {
    int size;
    cr_real length = size_along(c, k, &size);
    s_bar->size[size] += length > 0 ? x[k] / length * stretch_bar[k] : 0;
  }
  cr_sub3(arm, p, c->pos);
  cr_acc3(s_bar->pos, v_bar);
  cr_acccross3(s_bar->rot, arm, v_bar);
}

// [collision_convex.h7] a corner is where three planes meet, each carried by a shape: N_i . (v_tan - u_i) = 0. So
// v_tan = sum over i of D_i (N_i . u_i), D the inverse of N, by columns.
typedef struct {
  cr_real N[3][3], D[3][3];
  const cr_core* core[3];
  bool fixed;  // a corner of b itself
} meeting;

static meeting meeting_of(const cri_flat* fa, const cri_flat* fb, int32_t lines) {
  int32_t side[2] = {lines & 0xffff, (int32_t)((uint32_t)lines >> 16)};
  meeting m = {.fixed = side[0] % 2 == 0 && side[1] % 2 == 0};
  cr_real p[3];
  cr_copy3(m.N[0], fb->normal);
  m.core[0] = fb->core;
  for (int i = 0; i < 2; i++) {
    const cri_flat* f = side[i] % 2 ? fa : fb;
    int k = side[i] / 2 % f->n;
    side_plane(f, k, m.N[i + 1], p);
    m.core[i + 1] = f->core;
    // corners of a hull's polygon are not quite in one plane: on an edge of b itself, its own line
    if (f == fb) {
      cr_real edge[3];
      cri_flat_corner(f, (k + 1) % f->n, edge);
      cr_sub3(edge, edge, p);
      cr_cross3(m.N[0], m.N[i + 1], edge);
      cr_normalize3(m.N[0]);
    }
  }
  for (int i = 0; i < 3; i++) {
    cr_cross3(m.D[i], m.N[(i + 1) % 3], m.N[(i + 2) % 3]);
  }
  cr_real volume = cr_dot3(m.N[0], m.D[0]);
  m.fixed = m.fixed || cr_abs(volume) < CR_R(1e-9);
  for (int i = 0; i < 3 && !m.fixed; i++) {
    cr_scl3(m.D[i], m.D[i], 1 / volume);
  }
  return m;
}

static void meeting_tan(const meeting* m, const cr_core* a, const cr_real v[3],
                        const cr_shape_tan* a_tan, const cr_shape_tan* b_tan, cr_real v_tan[3]) {
  cr_real u[3];
  if (m->fixed) {
    drift_tan(m->core[0], v, v, b_tan, v_tan);
    return;
  }
  cr_zero3(v_tan);
  for (int i = 0; i < 3; i++) {
    drift_tan(m->core[i], v, v, m->core[i] == a ? a_tan : b_tan, u);
    cr_accscl3(v_tan, m->D[i], cr_dot3(m->N[i], u));
  }
}

static void meeting_bar(const meeting* m, const cr_core* a, const cr_real v[3],
                        const cr_real v_bar[3], cr_shape_tan* a_bar, cr_shape_tan* b_bar) {
  cr_real u_bar[3];
  if (m->fixed) {
    drift_bar(m->core[0], v, v, v_bar, b_bar);
    return;
  }
  for (int i = 0; i < 3; i++) {
    cr_scl3(u_bar, m->N[i], cr_dot3(m->D[i], v_bar));
    drift_bar(m->core[i], v, v, u_bar, m->core[i] == a ? a_bar : b_bar);
  }
}

// the foot of v on a face
static void foot_of(const cri_flat* f, const cr_real v[3], cr_real* s, cr_real foot[3]) {
  cr_real p[3], arm[3];
  cri_flat_corner(f, 0, p);
  cr_sub3(arm, v, p);
  *s = cr_dot3(arm, f->normal);
  cr_copy3(foot, v);
  cr_accscl3(foot, f->normal, -*s);
}

static void faces_tan(const cri_flat* fa, const cri_flat* fb, int32_t lines, const cr_real v[3],
                      const cr_shape_tan* a_tan, const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  cr_real s, foot[3], v_tan[3], u[3], na_tan[3], nb_tan[3];
  meeting m = meeting_of(fa, fb, lines);
  meeting_tan(&m, fa->core, v, a_tan, b_tan, v_tan);
  foot_of(fa, v, &s, foot);
  drift_tan(fa->core, v, foot, a_tan, u);
  cr_cross3(na_tan, a_tan->rot, fa->normal);
  cr_cross3(nb_tan, b_tan->rot, fb->normal);

  // [collision_convex.h1] s = n_a . (v - p_a)   [collision_convex.h2] dist = -s n_a . n_b
  cr_real c = cr_dot3(fa->normal, fb->normal);
  cr_real s_tan = cr_dot3(fa->normal, v_tan) - cr_dot3(fa->normal, u);
  cr_real c_tan = cr_dot3(na_tan, fb->normal) + cr_dot3(fa->normal, nb_tan);
  hit_tan->dist = -s_tan * c - s * c_tan;

  // [collision_convex.h3] pos = v - s n_a - dist/2 n_b, normal = -n_b
  cr_copy3(hit_tan->pos, v_tan);
  cr_accscl3(hit_tan->pos, fa->normal, -s_tan);
  cr_accscl3(hit_tan->pos, na_tan, -s);
  cr_accscl3(hit_tan->pos, fb->normal, -hit_tan->dist / 2);
  cr_accscl3(hit_tan->pos, nb_tan, s * c / 2);
  cr_scl3(hit_tan->normal, nb_tan, -1);
}

static void faces_bar(const cri_flat* fa, const cri_flat* fb, int32_t lines, const cr_real v[3],
                      const cr_hit_tan* hit_bar, cr_shape_tan* a_bar, cr_shape_tan* b_bar) {
  cr_real s, foot[3], v_bar[3], u_bar[3], na_bar[3], nb_bar[3];
  meeting m = meeting_of(fa, fb, lines);
  foot_of(fa, v, &s, foot);
  cr_real c = cr_dot3(fa->normal, fb->normal);

  // [collision_convex.h3]'
  cr_copy3(v_bar, hit_bar->pos);
  cr_real dist_bar = hit_bar->dist - cr_dot3(fb->normal, hit_bar->pos) / 2;
  cr_real s_bar = -cr_dot3(fa->normal, hit_bar->pos);
  cr_scl3(na_bar, hit_bar->pos, -s);
  cr_scl3(nb_bar, hit_bar->pos, s * c / 2);
  cr_accscl3(nb_bar, hit_bar->normal, -1);

  // [collision_convex.h2]', [collision_convex.h1]'
  s_bar -= dist_bar * c;
  cr_accscl3(na_bar, fb->normal, -dist_bar * s);
  cr_accscl3(nb_bar, fa->normal, -dist_bar * s);
  cr_accscl3(v_bar, fa->normal, s_bar);
  cr_scl3(u_bar, fa->normal, -s_bar);

  cr_acccross3(a_bar->rot, fa->normal, na_bar);
  cr_acccross3(b_bar->rot, fb->normal, nb_bar);
  drift_bar(fa->core, v, foot, u_bar, a_bar);
  meeting_bar(&m, fa->core, v, v_bar, a_bar, b_bar);
}

// ---- derivatives: a point on a line

// position of v on a line: at an end, or where the line crosses a side of the face
typedef struct {
  cri_dual l;
  cr_real m[3];     // -normal of the face: the line's outward direction
  cr_real axis[3];  // of a round shape
  cr_real place;    // along it, from the centre
  int end;          // 0 or 1, -1 a crossing
  cr_real in[3];    // normal of the side
  cr_real slope;    // in . axis of the line
} spot;

static spot spot_of(const cr_core* c, const cri_flat* f, int32_t id, int32_t lines,
                    const cr_real v[3]) {
  int32_t before = lines & 0xffff, after = (int32_t)((uint32_t)lines >> 16);
  spot s = {.end = -1};
  cr_real p[3], arm[3];
  cr_scl3(s.m, f->normal, -1);
  s.l = cri_dual_of(c, id, s.m);
  cr_col3(s.axis, c->shape->mat, 2);
  cr_sub3(arm, v, c->pos);
  s.place = cr_dot3(arm, s.axis);
  if (before % 2 == 0 && after % 2 == 0) {
    s.end = after / 2;
  } else {
    side_plane(f, (before % 2 ? before : after) / 2, s.in, p);
    s.slope = cr_dot3(s.in, s.l.axis);
    s.end = cr_abs(s.slope) < CR_R(1e-9) ? 0 : -1;
  }
  return s;
}

// [collision_convex.h4] tangent of the offset: m turns with the face, the axis with its own shape
static void offset_tan(const spot* s, const cr_core* c, const cr_shape_tan* line_tan,
                       const cr_shape_tan* face_tan, cr_real r[3]) {
  cr_real m_tan[3], axis_tan[3], across[3], along = cr_dot3(s->m, s->axis);
  cr_cross3(m_tan, face_tan->rot, s->m);
  cr_cross3(axis_tan, line_tan->rot, s->axis);
  cr_copy3(across, s->m);
  cr_accscl3(across, s->axis, -along);
  cr_copy3(r, m_tan);
  cr_accscl3(r, s->axis, -cr_dot3(m_tan, s->axis) - cr_dot3(s->m, axis_tan));
  cr_accscl3(r, axis_tan, -along);
  if (c->shape->type == CR_GEOM_CYLINDER) {
    cr_real u_tan[3], length = cr_normalize3(across);
    cr_normalize3_tan(u_tan, across, length, r);
    cr_copy3(r, u_tan);
  }
  cr_scl3(r, r, c->shape->size[0]);
  cr_accscl3(r, across, line_tan->size[0]);
}

static void offset_bar(const spot* s, const cr_core* c, const cr_real r_bar[3],
                       cr_shape_tan* line_bar, cr_shape_tan* face_bar) {
  cr_real across[3], g[3], m_bar[3], axis_bar[3], along = cr_dot3(s->m, s->axis);
  cr_copy3(across, s->m);
  cr_accscl3(across, s->axis, -along);
  cr_scl3(g, r_bar, c->shape->size[0]);
  if (c->shape->type == CR_GEOM_CYLINDER) {
    cr_real u[3], length = cr_normalize3(across);
    cr_normalize3_tan(u, across, length, g);
    cr_copy3(g, u);
  }
  line_bar->size[0] += cr_dot3(across, r_bar);
  cr_real f = -cr_dot3(s->axis, g);
  cr_copy3(m_bar, g);
  cr_accscl3(m_bar, s->axis, f);
  cr_scl3(axis_bar, s->m, f);
  cr_accscl3(axis_bar, g, -along);
  cr_acccross3(face_bar->rot, s->m, m_bar);
  cr_acccross3(line_bar->rot, s->axis, axis_bar);
}

// v fixed to its place on the line
static void on_line_tan(const spot* s, const cr_core* c, const cr_real v[3],
                        const cr_shape_tan* line_tan, const cr_shape_tan* face_tan,
                        cr_real v_tan[3]) {
  if (!cri_has_round_side(c)) {
    drift_tan(c, v, v, line_tan, v_tan);
    return;
  }
  cr_real axis_tan[3];
  offset_tan(s, c, line_tan, face_tan, v_tan);
  cr_cross3(axis_tan, line_tan->rot, s->axis);
  cr_accscl3(v_tan, axis_tan, s->place);
  cr_acc3(v_tan, line_tan->pos);
  if (s->end >= 0) {
    cr_accscl3(v_tan, s->axis, s->end ? line_tan->size[1] : -line_tan->size[1]);
  }
}

static void on_line_bar(const spot* s, const cr_core* c, const cr_real v[3], const cr_real v_bar[3],
                        cr_shape_tan* line_bar, cr_shape_tan* face_bar) {
  if (!cri_has_round_side(c)) {
    drift_bar(c, v, v, v_bar, line_bar);
    return;
  }
  cr_real axis_bar[3];
  offset_bar(s, c, v_bar, line_bar, face_bar);
  cr_scl3(axis_bar, v_bar, s->place);
  cr_acccross3(line_bar->rot, s->axis, axis_bar);
  cr_acc3(line_bar->pos, v_bar);
  if (s->end >= 0) {
    cr_real along = cr_dot3(s->axis, v_bar);
    line_bar->size[1] += s->end ? along : -along;
  }
}

static void line_tan_of(const cr_core* c, const cri_flat* f, bool face_of_a, int32_t id,
                        int32_t lines, const cr_real v[3], const cr_shape_tan* line_tan,
                        const cr_shape_tan* face_tan, cr_hit_tan* hit_tan) {
  cr_real dist, foot[3], v_tan[3], u[3], n_tan[3];
  spot s = spot_of(c, f, id, lines, v);
  on_line_tan(&s, c, v, line_tan, face_tan, v_tan);

  // [collision_convex.h7] a crossing slides along the line: in . (v_tan - u) = 0, u fixed to the side
  if (s.end < 0) {
    drift_tan(f->core, v, v, face_tan, u);
    cr_real slide = (cr_dot3(s.in, u) - cr_dot3(s.in, v_tan)) / s.slope;
    cr_accscl3(v_tan, s.l.axis, slide);
  }

  // [collision_convex.h5]
  foot_of(f, v, &dist, foot);
  drift_tan(f->core, v, foot, face_tan, u);
  cr_cross3(n_tan, face_tan->rot, f->normal);
  hit_tan->dist = cr_dot3(f->normal, v_tan) - cr_dot3(f->normal, u);
  cr_copy3(hit_tan->pos, v_tan);
  cr_accscl3(hit_tan->pos, f->normal, -hit_tan->dist / 2);
  cr_accscl3(hit_tan->pos, n_tan, -dist / 2);
  cr_scl3(hit_tan->normal, n_tan, face_of_a ? 1 : -1);
}

static void line_bar_of(const cr_core* c, const cri_flat* f, bool face_of_a, int32_t id,
                        int32_t lines, const cr_real v[3], const cr_hit_tan* hit_bar,
                        cr_shape_tan* line_bar, cr_shape_tan* face_bar) {
  cr_real dist, foot[3], v_bar[3], u_bar[3], n_bar[3];
  spot s = spot_of(c, f, id, lines, v);
  foot_of(f, v, &dist, foot);

  // [collision_convex.h5]'
  cr_real dist_bar = hit_bar->dist - cr_dot3(f->normal, hit_bar->pos) / 2;
  cr_scl3(n_bar, hit_bar->normal, face_of_a ? 1 : -1);
  cr_accscl3(n_bar, hit_bar->pos, -dist / 2);
  cr_copy3(v_bar, hit_bar->pos);
  cr_accscl3(v_bar, f->normal, dist_bar);
  cr_scl3(u_bar, f->normal, -dist_bar);
  cr_acccross3(face_bar->rot, f->normal, n_bar);
  drift_bar(f->core, v, foot, u_bar, face_bar);

  // [collision_convex.h7]'
  if (s.end < 0) {
    cr_real slide_bar = cr_dot3(s.l.axis, v_bar) / s.slope;
    cr_scl3(u_bar, s.in, slide_bar);
    drift_bar(f->core, v, v, u_bar, face_bar);
    cr_accscl3(v_bar, s.in, -slide_bar);
  }
  on_line_bar(&s, c, v, v_bar, line_bar, face_bar);
}

void cri_face_clipping_tan(const cr_core* a, const cr_core* b, const int32_t feature[4],
                           const cr_real local[6], const cr_shape_tan* a_tan,
                           const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  int mode = feature[0] / CR_MANIFOLD;
  cr_zero3(hit_tan->hint);
  if (mode == FACES) {
    cri_flat fa = cri_flat_of(a, feature[1]), fb = cri_flat_of(b, feature[2]);
    faces_tan(&fa, &fb, feature[3], local, a_tan, b_tan, hit_tan);
  } else if (mode == LINE_OF_A) {
    cri_flat f = cri_flat_of(b, feature[2]);
    line_tan_of(a, &f, false, feature[1], feature[3], local, a_tan, b_tan, hit_tan);
  } else {
    cri_flat f = cri_flat_of(a, feature[1]);
    line_tan_of(b, &f, true, feature[2], feature[3], local, b_tan, a_tan, hit_tan);
  }
}

void cri_face_clipping_bar(const cr_core* a, const cr_core* b, const int32_t feature[4],
                           const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                           cr_shape_tan* b_bar) {
  int mode = feature[0] / CR_MANIFOLD;
  if (mode == FACES) {
    cri_flat fa = cri_flat_of(a, feature[1]), fb = cri_flat_of(b, feature[2]);
    faces_bar(&fa, &fb, feature[3], local, hit_bar, a_bar, b_bar);
  } else if (mode == LINE_OF_A) {
    cri_flat f = cri_flat_of(b, feature[2]);
    line_bar_of(a, &f, false, feature[1], feature[3], local, hit_bar, a_bar, b_bar);
  } else {
    cri_flat f = cri_flat_of(a, feature[1]);
    line_bar_of(b, &f, true, feature[2], feature[3], local, hit_bar, b_bar, a_bar);
  }
}
