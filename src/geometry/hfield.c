// SPDX-License-Identifier: Apache-2.0
#include "geometry/hfield.h"

#include "geometry/convex_pair.h"
#include "geometry/face_clipping.h"
#include "geometry/support_map.h"

// features of the general pair's single hit are below this; the prism counts in units of it
enum { UNIT = CR_MANIFOLD };

// ---- prisms

// Corners 0 to 2 on the base, counter-clockwise seen from above, 3 to 5 on the field above them.
// Polygons: base, top, then the three sides, side k between the corners k and k + 1.
enum { N_CORNER = 6, N_POLYGON = 5, N_ENTRY = 18 };
static const int32_t ADR[N_POLYGON] = {0, 3, 6, 10, 14}, NUM[N_POLYGON] = {3, 3, 4, 4, 4};
static const int32_t POLYGON[N_ENTRY] = {0, 2, 1, 3, 4, 5, 0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5};
static const int32_t MAP_ADR[N_CORNER] = {0, 3, 6, 9, 12, 15};
static const int32_t MAP_NUM[N_CORNER] = {3, 3, 3, 3, 3, 3};
static const int32_t MAP[N_ENTRY] = {0, 2, 4, 0, 3, 2, 0, 4, 3, 1, 2, 4, 1, 3, 2, 1, 4, 3};

typedef struct {
  cr_real vert[3 * N_CORNER], normal[3 * N_POLYGON];  // seen from pos, axes of the field
  cr_real pos[3];                                     // middle of the corners, in the world
  cr_hull hull;
  cr_shape shape;
} prism;

// row and column of a corner of the grid; prisms of one cell follow each other
static void grid_place(const cr_terrain* f, int32_t index, int corner, int32_t* row, int32_t* col) {
  static const int32_t up[2][3] = {{1, 0, 1}, {0, 0, 1}}, right[2][3] = {{0, 0, 1}, {0, 1, 1}};
  int32_t cell = index / 2;
  *row = cell / (f->ncol - 1) + up[index % 2][corner];
  *col = cell % (f->ncol - 1) + right[index % 2][corner];
}

static int32_t height_at(const cr_terrain* f, int32_t index, int corner) {
  int32_t row, col;
  grid_place(f, index, corner, &row, &col);
  return row * f->ncol + col;
}

// position of a corner in units of the half sizes, from -1 to 1
static void ratio_at(const cr_terrain* f, int32_t index, int corner, cr_real ratio[2]) {
  int32_t row, col;
  grid_place(f, index, corner, &row, &col);
  ratio[0] = 2 * (cr_real)col / (cr_real)(f->ncol - 1) - 1;
  ratio[1] = 2 * (cr_real)row / (cr_real)(f->nrow - 1) - 1;
}

// [collision_hfield.e1] a corner of the prism in the frame of the field
static void corner_at(const cr_terrain* f, int32_t index, int corner, cr_real p[3]) {
  cr_real ratio[2];
  ratio_at(f, index, corner % 3, ratio);
  p[0] = ratio[0] * f->size[0];
  p[1] = ratio[1] * f->size[1];
  p[2] = corner < 3 ? -f->size[3] : f->data[height_at(f, index, corner % 3)] * f->size[2];
}

static void normal_of(const cr_real* p, const cr_real* q, const cr_real* r, cr_real n[3]) {
  cr_real e1[3], e2[3];
  cr_sub3(e1, q, p);
  cr_sub3(e2, r, p);
  cr_cross3(n, e1, e2);
  cr_normalize3(n);
}

static void make_prism(const cr_shape* a, int32_t index, prism* p) {
  cr_real middle[3] = {0, 0, 0}, longest = 0;
  for (int k = 0; k < N_CORNER; k++) {
    corner_at(a->terrain, index, k, p->vert + 3 * k);
    cr_accscl3(middle, p->vert + 3 * k, CR_R(1.0) / N_CORNER);
  }
  for (int k = 0; k < N_CORNER; k++) {
    cr_accscl3(p->vert + 3 * k, middle, -1);
    longest = cr_max(longest, cr_norm3(p->vert + 3 * k));
  }
  for (int k = 0; k < N_POLYGON; k++) {
    const int32_t* id = POLYGON + ADR[k];
    normal_of(p->vert + 3 * id[0], p->vert + 3 * id[1], p->vert + 3 * id[2], p->normal + 3 * k);
  }
  cr_mulmat3(p->pos, a->mat, middle);
  cr_acc3(p->pos, a->pos);
  p->hull = (cr_hull){.nvert = N_CORNER,
                      .npoly = N_POLYGON,
                      .vert = p->vert,
                      .normal = p->normal,
                      .adr = ADR,
                      .num = NUM,
                      .polygon = POLYGON,
                      .mapadr = MAP_ADR,
                      .mapnum = MAP_NUM,
                      .map = MAP};
  p->shape = (cr_shape){.pos = p->pos,
                        .mat = a->mat,
                        .size = a->size,
                        .type = CR_GEOM_MESH,
                        .single = true,
                        .bound = longest,
                        .hull = &p->hull};
}

// ---- detection

// the box around b in the frame of the field
static void box_of(const cr_shape* a, const cr_shape* b, cr_real low[3], cr_real high[3]) {
  cr_core core = cri_core(b, a->pos);
  for (int k = 0; k < 3; k++) {
    cr_real axis[3], minus[3], p[3];
    cr_col3(axis, a->mat, k);
    cr_scl3(minus, axis, -1);
    (void)cri_support(&core, axis, p);
    high[k] = cr_dot3(axis, p) + core.radius;
    (void)cri_support(&core, minus, p);
    low[k] = cr_dot3(axis, p) - core.radius;
  }
}

// first and last line of the grid around [low, high], of n lines over [-size, size]
static void lines_around(cr_real low, cr_real high, cr_real size, int32_t n, int32_t range[2]) {
  cr_real per = (cr_real)(n - 1) / (2 * size), last = (cr_real)(n - 1);
  range[0] = (int32_t)cr_min(cr_max(cr_floor((low + size) * per), 0), last);
  range[1] = (int32_t)cr_min(cr_max(cr_ceil((high + size) * per), 0), last);
}

static bool all_below(const cr_terrain* f, int32_t index, cr_real z) {
  for (int k = 0; k < 3; k++) {
    if (f->data[height_at(f, index, k)] * f->size[2] >= z) {
      return false;
    }
  }
  return true;
}

// the feature on the prism, packed as in a hit of the general pair
static cr_touch unpack(const int32_t feature[4]) {
  return (cr_touch){
      (cr_touch_kind)(feature[0] % 8),
      {feature[1] & 0xffff, (int32_t)((uint32_t)feature[1] >> 16), feature[3] & 0xffff}};
}

// Names a face by the first three corners of its polygon, whichever three the search ended with. Along a line or
// a face it keeps the three from which the place was weighed.
static void settle_face(const cr_hull* h, int32_t feature[4]) {
  cr_touch t = unpack(feature);
  int32_t polygon = t.kind == CR_TOUCH_FACE ? cri_touch_polygon(h, &t) : -1;
  int32_t other = feature[0] / 8;
  if (polygon >= 0 && other != CR_TOUCH_EDGE && other != CR_TOUCH_SIDE && other != CR_TOUCH_FACE) {
    const int32_t* id = POLYGON + ADR[polygon];
    feature[1] = id[0] | id[1] << 16;
    feature[3] = (int32_t)((uint32_t)feature[3] & 0xffff0000u) | id[2];
  }
}

int cri_hfield_convex(const cr_shape* a, const cr_shape* b, cr_real margin,
                      cr_hit hit[CR_MAX_HITS]) {
  const cr_terrain* f = a->terrain;
  const cr_real* size = f->size;
  cr_real low[3], high[3];
  const cr_real end[2][3] = {{-size[0], -size[1], -size[3]}, {size[0], size[1], size[2]}};
  box_of(a, b, low, high);
  for (int k = 0; k < 3; k++) {
    if (low[k] - margin > end[1][k] || high[k] + margin < end[0][k]) {
      return 0;
    }
  }

  // [collision_hfield.e2] the prisms under the box
  int32_t col[2], row[2];
  int n = 0;
  lines_around(low[0] - margin, high[0] + margin, size[0], f->ncol, col);
  lines_around(low[1] - margin, high[1] + margin, size[1], f->nrow, row);
  for (int32_t r = row[0]; r < row[1]; r++) {
    int32_t first = 2 * (r * (f->ncol - 1) + col[0]), end_of_row = 2 * (r * (f->ncol - 1) + col[1]);
    for (int32_t index = first; index < end_of_row; index++) {
      prism p;
      if (all_below(f, index, low[2] - margin)) {
        continue;
      }
      make_prism(a, index, &p);
      if (cri_convex_pair(&p.shape, b, margin, hit + n) > 0) {
        settle_face(&p.hull, hit[n].feature);
        hit[n].feature[0] += UNIT * index;
        if (++n == CR_MAX_HITS) {
          return n;
        }
      }
    }
  }
  return n;
}

cr_real cri_hfield_depth(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real n[3]) {
  prism p;
  make_prism(a, feature[0] / UNIT, &p);
  return cri_convex_depth(&p.shape, b, n);
}

// ---- derivatives

static const int32_t* split(const int32_t feature[4], int32_t pair_feature[4]) {
  memcpy(pair_feature, feature, 4 * sizeof feature[0]);
  pair_feature[0] %= UNIT;
  return pair_feature;
}

void cri_hfield_convex_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                           const cr_real local[6], const cr_shape_tan* a_tan,
                           const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  int32_t of_pair[4];
  prism p;
  make_prism(a, feature[0] / UNIT, &p);

  // [collision_hfield.e3] the prism moves with the field
  cr_shape_tan p_tan = *a_tan;
  cr_real arm[3];
  cr_sub3(arm, p.pos, a->pos);
  cr_acccross3(p_tan.pos, a_tan->rot, arm);
  cri_convex_pair_tan(&p.shape, b, split(feature, of_pair), local, &p_tan, b_tan, hit_tan);
}

void cri_hfield_convex_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                           const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                           cr_shape_tan* b_bar) {
  int32_t of_pair[4];
  prism p;
  make_prism(a, feature[0] / UNIT, &p);
  cr_shape_tan p_bar = {{0}, {0}, {0}};
  cri_convex_pair_bar(&p.shape, b, split(feature, of_pair), local, hit_bar, &p_bar, b_bar);

  // [collision_hfield.e3]'
  cr_real arm[3];
  cr_sub3(arm, p.pos, a->pos);
  cr_acc3(a_bar->pos, p_bar.pos);
  cr_acc3(a_bar->rot, p_bar.rot);
  cr_acccross3(a_bar->rot, arm, p_bar.pos);
}

// ---- derivatives: sizes and heights

// the corners of a feature in the frame of the field, and edges from the first to the others
typedef struct {
  int n;  // 1 point, 2 edge, 3 face
  int32_t id[3];
  cr_real p[3], edge[2][3];
} frame;

static frame frame_of(const cr_terrain* f, const int32_t feature[4]) {
  cr_touch t = unpack(feature);
  frame x = {.n = t.kind == CR_TOUCH_FACE ? 3 : t.kind == CR_TOUCH_EDGE ? 2 : 1};
  memcpy(x.id, t.id, sizeof x.id);
  corner_at(f, feature[0] / UNIT, x.id[0], x.p);
  for (int k = 1; k < x.n; k++) {
    cr_real q[3];
    corner_at(f, feature[0] / UNIT, x.id[k], q);
    cr_sub3(x.edge[k - 1], q, x.p);
  }
  return x;
}

void cri_hfield_heights(const cr_terrain* terrain, const int32_t feature[4], int32_t height[3]) {
  for (int k = 0; k < 3; k++) {
    height[k] = height_at(terrain, feature[0] / UNIT, k);
  }
}

// [collision_hfield.e1] velocity of a corner, and its transpose
static void corner_tan(const cr_terrain* f, int32_t index, int corner, const cr_real size_tan[4],
                       const cr_real height_tan[3], cr_real u[3]) {
  cr_real ratio[2];
  ratio_at(f, index, corner % 3, ratio);
  u[0] = ratio[0] * size_tan[0];
  u[1] = ratio[1] * size_tan[1];
  u[2] = corner < 3 ? -size_tan[3]
                    : height_tan[corner - 3] * f->size[2] +
                          f->data[height_at(f, index, corner - 3)] * size_tan[2];
}

static void corner_bar(const cr_terrain* f, int32_t index, int corner, const cr_real u_bar[3],
                       cr_real size_bar[4], cr_real height_bar[3]) {
  cr_real ratio[2];
  ratio_at(f, index, corner % 3, ratio);
  size_bar[0] += ratio[0] * u_bar[0];
  size_bar[1] += ratio[1] * u_bar[1];
  if (corner < 3) {
    size_bar[3] -= u_bar[2];
  } else {
    height_bar[corner - 3] += f->size[2] * u_bar[2];
    size_bar[2] += f->data[height_at(f, index, corner - 3)] * u_bar[2];
  }
}

// unit normal of a face, and the length of the cross product of its edges
static cr_real face_normal(const frame* x, cr_real n[3]) {
  cr_cross3(n, x->edge[0], x->edge[1]);
  return cr_normalize3(n);
}

// [collision_hfield.e4] the rotation of an edge or a face whose edges change by d
static void turn_tan(const frame* x, const cr_real d[2][3], cr_real w[3]) {
  cr_zero3(w);
  if (x->n == 2) {
    cr_cross3(w, x->edge[0], d[0]);
    cr_scl3(w, w, 1 / cr_dot3(x->edge[0], x->edge[0]));
  } else if (x->n == 3) {
    cr_real n[3], cross_tan[3];
    cr_real area = face_normal(x, n);
    cr_cross3(cross_tan, d[0], x->edge[1]);
    cr_acccross3(cross_tan, x->edge[0], d[1]);
    cr_cross3(w, n, cross_tan);
    cr_scl3(w, w, 1 / area);
  }
}

static void turn_bar(const frame* x, const cr_real w_bar[3], cr_real d_bar[2][3]) {
  if (x->n == 2) {
    cr_cross3(d_bar[0], w_bar, x->edge[0]);
    cr_scl3(d_bar[0], d_bar[0], 1 / cr_dot3(x->edge[0], x->edge[0]));
  } else if (x->n == 3) {
    cr_real n[3], cross_bar[3];
    cr_real area = face_normal(x, n);
    cr_cross3(cross_bar, w_bar, n);
    cr_scl3(cross_bar, cross_bar, 1 / area);
    cr_cross3(d_bar[0], x->edge[1], cross_bar);
    cr_cross3(d_bar[1], cross_bar, x->edge[0]);
  }
}

// [collision_hfield.e5] the place of a hit on its feature: p + sum over k of part[k] edge[k], and all of it
static void place_on(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                     const cr_real local[6], const frame* x, cr_real place[3], cr_real part[2]) {
  int32_t of_pair[4];
  prism p;
  cr_real world[3], arm[3], n[3], across[3];
  make_prism(a, feature[0] / UNIT, &p);
  cri_convex_point(&p.shape, b, split(feature, of_pair), local, world);
  cr_sub3(arm, world, a->pos);
  cr_multmat3(place, a->mat, arm);
  cr_sub3(arm, place, x->p);
  part[0] = part[1] = 0;
  if (x->n == 2) {
    part[0] = cr_dot3(arm, x->edge[0]) / cr_dot3(x->edge[0], x->edge[0]);
  } else if (x->n == 3) {
    cr_cross3(n, x->edge[0], x->edge[1]);
    for (int k = 0; k < 2; k++) {
      cr_cross3(across, n, x->edge[1 - k]);
      part[k] = cr_dot3(arm, across) / cr_dot3(x->edge[k], across);
    }
  }
}

void cri_hfield_lift_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_real size_tan[4],
                         const cr_real height_tan[3], cr_shape_tan* s_tan) {
  frame x = frame_of(a->terrain, feature);
  int32_t index = feature[0] / UNIT;
  cr_real u[3], v[3], d[2][3], w[3], place[3], part[2];
  place_on(a, b, feature, local, &x, place, part);
  corner_tan(a->terrain, index, x.id[0], size_tan, height_tan, u);
  for (int k = 1; k < x.n; k++) {
    corner_tan(a->terrain, index, x.id[k], size_tan, height_tan, v);
    cr_sub3(d[k - 1], v, u);
  }

  // [collision_hfield.e4] it turns by w   [collision_hfield.e5] its place moves by u + sum of part d = v + w x place
  turn_tan(&x, (const cr_real(*)[3])d, w);
  for (int k = 1; k < x.n; k++) {
    cr_accscl3(u, d[k - 1], part[k - 1]);
  }
  cr_cross3(v, place, w);
  cr_acc3(v, u);
  cr_accmat3(s_tan->pos, a->mat, v);
  cr_accmat3(s_tan->rot, a->mat, w);
}

void cri_hfield_lift_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_shape_tan* s_bar, cr_real size_bar[4],
                         cr_real height_bar[3]) {
  frame x = frame_of(a->terrain, feature);
  int32_t index = feature[0] / UNIT;
  cr_real u_bar[3], w_bar[3], d_bar[2][3], place[3], part[2];
  place_on(a, b, feature, local, &x, place, part);

  // [collision_hfield.e5]', [collision_hfield.e4]'
  cr_multmat3(u_bar, a->mat, s_bar->pos);
  cr_multmat3(w_bar, a->mat, s_bar->rot);
  cr_acccross3(w_bar, u_bar, place);
  turn_bar(&x, w_bar, d_bar);
  cr_real first_bar[3];
  cr_copy3(first_bar, u_bar);
  for (int k = 1; k < x.n; k++) {
    cr_accscl3(d_bar[k - 1], u_bar, part[k - 1]);
    corner_bar(a->terrain, index, x.id[k], d_bar[k - 1], size_bar, height_bar);
    cr_accscl3(first_bar, d_bar[k - 1], -1);
  }
  corner_bar(a->terrain, index, x.id[0], first_bar, size_bar, height_bar);
}
