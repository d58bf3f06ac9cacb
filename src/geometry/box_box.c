// SPDX-License-Identifier: Apache-2.0
// Box against box, in two steps. A search over the 15 directions that can separate two boxes
// finds the one with the largest gap. If it is the normal of a face, the opposite face of the other box
// is clipped against the sides of the first, and each remaining vertex gives a hit.
// If it is normal to two edges, the nearest points of those give one. Order and tolerances are
// MuJoCo's. [collision_box.x1]..[collision_box.x8] in docs/derivations/collision_box.md.
#include "geometry/box_box.h"

#include "geometry/box.h"

// Features of a hit, by kind:
//   INCIDENT_CORNER   [1] reference face, [2] corner of the incident box
//   INCIDENT_EDGE     [1] reference face, [2] edge of the incident box, [3] reference side that
//                     it meets
//   REFERENCE_CORNER  [1] reference face, [2] reference edge, a line along the normal, [3] incident
//                     face that it meets
//   EDGE_PAIR         [1], [2] part of a and of b, an edge or the corner that ends it, plus 27 x
//                     axis of the edge, [3] sign of the normal against e_a x e_b
enum { INCIDENT_CORNER, INCIDENT_EDGE, REFERENCE_CORNER, EDGE_PAIR };

// rounding of the separation test, times the sum of all half sizes
#define SEPARATION_SLACK CR_R(1e-13)
// sin^2 below which two edges span no direction
#define PARALLEL_SIN2 CR_R(1e-16)
// relative gain that an edge pair needs over a face
#define EDGE_PENALTY CR_R(1e-6)
// an edge pair within 8 degrees of the best face must gain this share of its depth
#define ALIGNED_COSINE CR_R(0.99)
#define ALIGNED_PENALTY CR_R(0.05)
// component of the direction below which both sides of a box support it
#define UNDECIDED CR_R(1e-9)
// squared distance of two vertices that count as one, over that of the face's half diagonal
#define SAME_VERTEX CR_R(1e-14)
// cosine below which an edge crosses a plane nowhere in particular
#define PARALLEL_COSINE CR_R(1e-9)

// each box in the frame of the other
typedef struct {
  const cr_shape* box[2];
  cr_real rot[2][9];      // [k]: axes of the other box in the frame of box k, in columns
  cr_real pos[2][3];      // [k]: centre of the other box in the frame of box k
  cr_real rot_abs[2][9];  // absolute values
  cr_real slack;          // rounding that the separation test allows
} couple;

static couple couple_of(const cr_shape* a, const cr_shape* b) {
  couple c = {.box = {a, b}};
  cri_box_local(c.pos[0], a, b->pos);
  cri_box_local(c.pos[1], b, a->pos);
  cr_real total = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      c.rot[0][3 * i + j] =
          a->mat[i] * b->mat[j] + a->mat[3 + i] * b->mat[3 + j] + a->mat[6 + i] * b->mat[6 + j];
      c.rot[1][3 * j + i] = c.rot[0][3 * i + j];
      c.rot_abs[0][3 * i + j] = c.rot_abs[1][3 * j + i] = cr_abs(c.rot[0][3 * i + j]);
    }
    total += a->size[i] + b->size[i];
  }
  c.slack = SEPARATION_SLACK * total;
  return c;
}

// ---- step 1: the direction with the largest gap

typedef struct {
  cr_real gap;  // between the boxes along it, negative in overlap
  int box;      // whose face it is normal to; 2 if it is normal to two edges
  int i, j;     // axis of the face; axes of the edge of a and of the edge of b
} direction;

// Faces that are parallel to round-off, one of each box, have the same gap, and round-off alone would choose
// the reference. If one lies within the other, the larger one is taken: turned by however little, its gap is larger.
static void larger_face(const couple* c, direction* best) {
  int k = best->box, other = 1 - k;
  for (int j = 0; j < 3; j++) {
    if (c->rot_abs[k][3 * best->i + j] < 1 - CR_R(64) * CR_EPS) {
      continue;
    }
    int inside = 0;
    for (int e = 0; e < 3; e++) {
      cr_real half_width = cr_dot3(c->rot_abs[other] + 3 * e, c->box[k]->size);
      inside += e != j && cr_abs(c->pos[other][e]) + half_width < c->box[other]->size[e];
    }
    if (inside == 2) {
      *best = (direction){.gap = best->gap, .box = other, .i = j};
      return;
    }
  }
}

// false if a face separates the boxes by more than `reach`
static bool search_faces(const couple* c, cr_real reach, direction* best) {
  *best = (direction){.gap = -CR_MAX};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) {
      cr_real half_width = cr_dot3(c->rot_abs[k] + 3 * i, c->box[1 - k]->size);
      cr_real gap = cr_abs(c->pos[k][i]) - c->box[k]->size[i] - half_width;
      if (gap > reach) {
        return false;
      }
      if (gap > best->gap) {
        *best = (direction){.gap = gap, .box = k, .i = i};
      }
    }
  }
  larger_face(c, best);
  return true;
}

// Gap along e_i x r_j, r_j axis j of b, in the frame of a: with i, i1, i2 and j, j1, j2 in cyclic
// order the components of that direction are -r_j[i2] on i1 and r_j[i1] on i2 in a, and up to sign
// r_j2[i] on j1 and r_j1[i] on j2 in b. Very low where the edges are parallel.
static cr_real edge_gap(const couple* c, int i, int j) {
  static const int next[5] = {0, 1, 2, 0, 1};
  int i1 = next[i + 1], i2 = next[i + 2], j1 = next[j + 1], j2 = next[j + 2];
  const cr_real *rot = c->rot[0], *r_abs = c->rot_abs[0], *pos = c->pos[0];
  const cr_real *a = c->box[0]->size, *b = c->box[1]->size;
  cr_real r1 = rot[3 * i1 + j], r2 = rot[3 * i2 + j], sin2 = r1 * r1 + r2 * r2;
  if (sin2 < PARALLEL_SIN2) {
    return -CR_MAX;
  }
  cr_real half_a = a[i1] * r_abs[3 * i2 + j] + a[i2] * r_abs[3 * i1 + j];
  cr_real half_b = b[j1] * r_abs[3 * i + j2] + b[j2] * r_abs[3 * i + j1];
  return (cr_abs(pos[i2] * r1 - pos[i1] * r2) - half_a - half_b) / cr_sqrt(sin2);
}

// false if two edges separate the boxes by more than `reach`; a pair of edges replaces the best
// direction so far only if it is clearly better
static bool search_edges(const couple* c, cr_real reach, direction* best) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      cr_real gap = edge_gap(c, i, j);
      if (gap > reach) {
        return false;
      }
      if (gap > best->gap + EDGE_PENALTY * cr_abs(gap)) {
        *best = (direction){.gap = gap, .box = 2, .i = i, .j = j};
      }
    }
  }
  return true;
}

// e_i x r_j in the frame of a, unit
static void edge_normal(cr_real n[3], const couple* c, const direction* edges) {
  cr_real r[3];
  int i = edges->i, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  cr_col3(r, c->rot[0], edges->j);
  n[i] = 0;
  n[i1] = -r[i2];
  n[i2] = r[i1];
  cr_normalize3(n);
}

// an edge pair that nearly repeats the best face yields to it: a face has several contact points
static bool face_will_do(const couple* c, const direction* edges, const direction* face) {
  cr_real n[3], n_k[3];
  edge_normal(n, c, edges);
  cr_copy3(n_k, n);
  if (face->box == 1) {
    cr_multmat3(n_k, c->rot[0], n);
  }
  return cr_abs(n_k[face->i]) > ALIGNED_COSINE &&
         edges->gap < face->gap + ALIGNED_PENALTY * cr_abs(face->gap) + CR_MINVAL;
}

static bool find_direction(const couple* c, cr_real reach, direction* best) {
  direction face;
  if (!search_faces(c, reach, &face)) {
    return false;
  }
  *best = face;
  if (!search_edges(c, reach, best)) {
    return false;
  }
  if (best->box == 2 && face_will_do(c, best, &face)) {
    *best = face;
  }
  return true;
}

// ---- step 2, edges: their nearest points

// an edge of each box and the nearest points on the two, all in the frame of a
typedef struct {
  cr_real w[2][3];
  int32_t part[2];  // the edge, or its corner where the nearest point is at its end
} crossing;

// where `*x` must be clamped to +-limit: -1, 1, or 0 inside
static int clamp(cr_real* x, cr_real limit) {
  int side = (*x > limit) - (*x < -limit);
  *x = side ? (cr_real)side * limit : *x;
  return side;
}

// centre of an edge in the frame of its box
static void edge_centre(cr_real r[3], const cr_shape* box, int32_t edge) {
  int sign[3];
  cri_part_signs(sign, edge);
  for (int k = 0; k < 3; k++) {
    r[k] = (cr_real)sign[k] * box->size[k];
  }
}

// lines first; then s clamped, t from s, s again from t
static crossing nearest_points(const couple* c, const direction* dir, const int32_t edge[2]) {
  crossing x;
  cr_real u[3], e[3], mid[3];
  edge_centre(x.w[0], c->box[0], edge[0]);
  edge_centre(mid, c->box[1], edge[1]);
  cr_mulmat3(x.w[1], c->rot[0], mid);
  cr_acc3(x.w[1], c->pos[0]);
  cr_sub3(e, x.w[1], x.w[0]);
  cr_col3(u, c->rot[0], dir->j);

  cr_real cosine = u[dir->i], sin2 = 1 - cosine * cosine;
  cr_real along_a = e[dir->i], along_b = cr_dot3(u, e);
  cr_real s = sin2 < CR_MINVAL ? 0 : (along_a - cosine * along_b) / sin2;
  clamp(&s, c->box[0]->size[dir->i]);
  cr_real t = cosine * s - along_b;
  int t_end = clamp(&t, c->box[1]->size[dir->j]);
  s = along_a + cosine * t;
  int s_end = clamp(&s, c->box[0]->size[dir->i]);

  x.w[0][dir->i] += s;
  cr_accscl3(x.w[1], u, t);
  x.part[0] = edge[0] + cri_part(dir->i, s_end);
  x.part[1] = edge[1] + cri_part(dir->j, t_end);
  return x;
}

// the edge along `axis` that reaches furthest in the direction n, and, if a component of n is
// too small to choose the side, also the one on the other side; returns their number
static int support_edges(int32_t edge[2], const cr_real n[3], int axis) {
  int j1 = (axis + 1) % 3, j2 = (axis + 2) % 3;
  int32_t p1 = cri_part(j1, n[j1] >= 0 ? 1 : -1), p2 = cri_part(j2, n[j2] >= 0 ? 1 : -1);
  edge[0] = p1 + p2;
  bool open1 = cr_abs(n[j1]) < UNDECIDED, open2 = cr_abs(n[j2]) < UNDECIDED;
  edge[1] = open1 ? p2 - p1 : p1 - p2;
  return open1 || open2 ? 2 : 1;
}

static int edge_hit(const couple* c, const direction* dir, cr_real reach, cr_hit* hit) {
  cr_real n[3], n_b[3], gap[3];
  edge_normal(n, c, dir);
  int sign = cr_dot3(n, c->pos[0]) < 0 ? -1 : 1;
  cr_scl3(n, n, (cr_real)sign);

  // b looks back along -n: its edges are the opposite ones
  int32_t edge_a[2], edge_b[2];
  cr_multmat3(n_b, c->rot[0], n);
  int na = support_edges(edge_a, n, dir->i), nb = support_edges(edge_b, n_b, dir->j);

  // nearest of the candidates
  crossing best = {.part = {0, 0}};
  cr_real best2 = CR_MAX;
  for (int k = 0; k < na * nb; k++) {
    crossing x = nearest_points(c, dir, (int32_t[]){edge_a[k / nb], -edge_b[k % nb]});
    cr_sub3(gap, x.w[1], x.w[0]);
    cr_real gap2 = cr_dot3(gap, gap);
    if (gap2 < best2) {
      best2 = gap2;
      best = x;
    }
  }

  // [collision_box.x5] dist = normal . (w_b - w_a)
  cr_sub3(gap, best.w[1], best.w[0]);
  cr_real dist = cr_dot3(gap, n);
  if (dist > reach) {
    return 0;
  }
  *hit = (cr_hit){
      .dist = dist,
      .feature = {EDGE_PAIR, best.part[0] + 27 * dir->i, best.part[1] + 27 * dir->j, sign}};

  // to the world
  const cr_shape* a = c->box[0];
  for (int k = 0; k < 2; k++) {
    cr_mulmat3(hit->local + 3 * k, a->mat, best.w[k]);
    cr_acc3(hit->local + 3 * k, a->pos);
  }
  cr_mulmat3(hit->normal, a->mat, n);
  cr_add3(hit->pos, hit->local, hit->local + 3);
  cr_scl3(hit->pos, hit->pos, CR_R(0.5));
  return 1;
}

// ---- step 2, face: the incident face clipped against the sides of the reference face

// a vertex of the polygon, and the side of the polygon from it to the next one
typedef struct {
  cr_real x[3];  // along the reference's two other axes; height above the reference face
  int kind;      // kind and parts as in the features
  int32_t line, plane;
  bool clipped;  // the side lies on a side plane of the reference, else on an edge of the
  int32_t side;  // incident face: that part
} vertex;

enum { MAX_VERTEX = 12, MOST_HITS = 8 };

typedef struct {
  int ref;           // box that owns the reference face
  int axis[3];       // its two other axes, its normal's
  int32_t face;      // reference face
  int32_t incident;  // incident face, of the other box
  int n;
  vertex* v;  // one of the two buffers
  vertex buffer[2][MAX_VERTEX];
} polygon;

// the face of the other box most opposed to the reference face
static int32_t incident_face(const couple* c, int ref, int axis, int sign) {
  const cr_real* row = c->rot[ref] + 3 * axis;
  int k = cr_abs(row[1]) > cr_abs(row[0]) ? 1 : 0;
  k = cr_abs(row[2]) > cr_abs(row[k]) ? 2 : k;
  return cri_part(k, (cr_real)sign * row[k] > 0 ? -1 : 1);
}

static int part_axis(int32_t face) { return face == 1 || face == -1 ? 0 : face % 9 ? 1 : 2; }

// the incident face in the coordinates of the reference, counterclockwise on the incident's axes
static void start_polygon(polygon* p, const couple* c, const direction* dir) {
  static const int corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  const cr_real *rot = c->rot[dir->box], *pos = c->pos[dir->box];
  const cr_real *ref_size = c->box[dir->box]->size, *size = c->box[1 - dir->box]->size;
  int sign = pos[dir->i] >= 0 ? 1 : -1;
  p->ref = dir->box;
  p->axis[0] = (dir->i + 1) % 3;
  p->axis[1] = (dir->i + 2) % 3;
  p->axis[2] = dir->i;
  p->face = cri_part(dir->i, sign);
  p->incident = incident_face(c, dir->box, dir->i, sign);
  p->n = 4;
  p->v = p->buffer[0];

  // centre of the face and its two half edges
  int b = part_axis(p->incident), bu = (b + 1) % 3, bv = (b + 2) % 3;
  cr_real out = p->incident > 0 ? size[b] : -size[b];
  for (int r = 0; r < 3; r++) {
    const cr_real* row = rot + 3 * p->axis[r];
    cr_real mid = pos[p->axis[r]] + out * row[b], u = size[bu] * row[bu], v = size[bv] * row[bv];
    if (r == 2) {
      mid = (cr_real)sign * mid - ref_size[dir->i];
      u *= (cr_real)sign;
      v *= (cr_real)sign;
    }
    for (int k = 0; k < 4; k++) {
      p->v[k].x[r] = mid + (cr_real)corner[k][0] * u + (cr_real)corner[k][1] * v;
    }
  }

  // vertex k lies on two edges of the incident box, one of which leads to vertex k + 1
  for (int k = 0; k < 4; k++) {
    int32_t on_u = cri_part(bu, corner[k][0]), on_v = cri_part(bv, corner[k][1]);
    p->v[k].kind = INCIDENT_CORNER;
    p->v[k].line = p->incident + on_u + on_v;
    p->v[k].plane = 0;
    p->v[k].clipped = false;
    p->v[k].side = p->incident + (k % 2 ? on_u : on_v);
  }
}

// where the side of the polygon from v to w, at heights dv and dw of opposite sign over a plane of
// the reference, crosses that plane
static vertex cross_plane(const vertex* v, const vertex* w, cr_real dv, cr_real dw, int32_t plane,
                          int32_t incident) {
  vertex r;
  cr_real t = dv / (dv - dw);
  for (int k = 0; k < 3; k++) {
    r.x[k] = v->x[k] + t * (w->x[k] - v->x[k]);
  }
  r.kind = v->clipped ? REFERENCE_CORNER : INCIDENT_EDGE;
  r.line = v->clipped ? v->side + plane : v->side;
  r.plane = v->clipped ? incident : plane;

  // inwards it goes on along the same side, outwards the plane cuts a new one
  r.clipped = dv < 0 || v->clipped;
  r.side = dv < 0 ? plane : v->side;
  return r;
}

static void append(polygon* p, vertex v) {
  if (p->n < MAX_VERTEX) {
    p->v[p->n++] = v;
  }
}

// keeps what lies on the inner side of sign x[k] <= limit
static void clip(polygon* p, int k, int sign, cr_real limit) {
  cr_real d[MAX_VERTEX];
  bool inside = true;
  for (int i = 0; i < p->n; i++) {
    d[i] = (cr_real)sign * p->v[i].x[k] - limit;
    inside = inside && d[i] <= 0;
  }
  if (inside) {
    return;
  }
  int32_t plane = cri_part(p->axis[k], sign);
  const vertex* old = p->v;
  int n = p->n;
  p->v = p->buffer[old == p->buffer[0]];
  p->n = 0;
  for (int i = 0; i < n; i++) {
    int next = i + 1 == n ? 0 : i + 1;
    if (d[i] <= 0) {
      append(p, old[i]);
      // on the plane, and leaving: the next side is the plane's
      if (d[i] == 0 && d[next] > 0) {
        p->v[p->n - 1].clipped = true;
        p->v[p->n - 1].side = plane;
      }
    }
    if ((d[i] < 0 && d[next] > 0) || (d[i] > 0 && d[next] < 0)) {
      append(p, cross_plane(&old[i], &old[next], d[i], d[next], plane, p->incident));
    }
  }
}

// drops vertices higher than `margin` and those that repeat an earlier one
static void select_vertices(polygon* p, const cr_real size[3], cr_real margin) {
  cr_real lx = size[p->axis[0]], ly = size[p->axis[1]];
  cr_real same2 = SAME_VERTEX * (lx * lx + ly * ly);
  int n = 0;
  for (int i = 0; i < p->n; i++) {
    bool keep = p->v[i].x[2] <= margin;
    for (int q = 0; q < n && keep; q++) {
      cr_real dx = p->v[q].x[0] - p->v[i].x[0], dy = p->v[q].x[1] - p->v[i].x[1];
      keep = dx * dx + dy * dy >= same2;
    }
    if (keep) {
      p->v[n++] = p->v[i];
    }
  }
  p->n = n < MOST_HITS ? n : MOST_HITS;
}

static int face_hits(const couple* c, const direction* dir, cr_real margin, cr_hit* hit) {
  polygon p;
  const cr_shape* ref = c->box[dir->box];
  start_polygon(&p, c, dir);
  for (int k = 0; k < 2; k++) {
    clip(&p, k, 1, ref->size[p.axis[k]]);
    clip(&p, k, -1, ref->size[p.axis[k]]);
  }
  select_vertices(&p, ref->size, margin);

  // [collision_box.x4] dist, pos halfway between the vertex and the reference face, normal from a to b
  cr_real nu[3], sign = p.face > 0 ? 1 : -1;
  cri_part_normal(nu, ref, p.face);
  for (int k = 0; k < p.n; k++) {
    const vertex* v = &p.v[k];
    hit[k] = (cr_hit){.dist = v->x[2], .feature = {v->kind + 4 * p.ref, p.face, v->line, v->plane}};
    cr_real r[3];
    r[p.axis[0]] = v->x[0];
    r[p.axis[1]] = v->x[1];
    r[p.axis[2]] = sign * (ref->size[dir->i] + v->x[2] / 2);
    cr_mulmat3(hit[k].pos, ref->mat, r);
    cr_acc3(hit[k].pos, ref->pos);
    cr_scl3(hit[k].normal, nu, p.ref ? -1 : 1);
    cr_copy3(hit[k].local, hit[k].pos);
    cr_accscl3(hit[k].local, nu, v->x[2] / 2);
  }
  return p.n;
}

int cri_box_box(const cr_shape* a, const cr_shape* b, cr_real margin, cr_hit hit[CR_MAX_HITS]) {
  couple c = couple_of(a, b);
  direction dir;
  if (!find_direction(&c, margin + c.slack, &dir)) {
    return 0;
  }
  return dir.box == 2 ? edge_hit(&c, &dir, margin + c.slack, hit)
                      : face_hits(&c, &dir, margin, hit);
}

// ---- derivatives: on a face

// the shapes, tangents or cotangents of a face hit
typedef struct {
  int ref, line, plane;  // 0 for a, 1 for b; plane -1: the point is a corner of its box
} roles;

static roles roles_of(const int32_t feature[4]) {
  int kind = feature[0] % 4, ref = feature[0] / 4;
  roles r = {.ref = ref, .line = kind == REFERENCE_CORNER ? ref : 1 - ref};
  r.plane = kind == INCIDENT_CORNER ? -1 : 1 - r.line;
  return r;
}

// Direction of the line on which P slides, and the normal m of the plane on which it stays, over
// m . d: so that the slide is d (m/(m . d)) . (velocity of the plane - velocity of the line).
static void slide_of(cr_real d[3], cr_real m[3], const cr_shape* line, const cr_shape* plane,
                     const int32_t feature[4]) {
  int sign[3];
  cri_part_signs(sign, feature[2]);
  cr_col3(d, line->mat, sign[0] == 0 ? 0 : sign[1] == 0 ? 1 : 2);
  cri_part_normal(m, plane, feature[3]);
  cr_real cosine = cr_dot3(m, d);
  cr_scl3(m, m, cr_abs(cosine) < PARALLEL_COSINE ? 0 : 1 / cosine);
}

static void face_tan(const cr_shape* const shape[2], const int32_t feature[4],
                     const cr_real local[6], const cr_shape_tan* const tan[2],
                     cr_hit_tan* hit_tan) {
  roles r = roles_of(feature);
  const cr_shape* ref = shape[r.ref];
  const cr_real* P = local;
  cr_real nu[3], P_tan[3], u[3], nu_tan[3];

  // [collision_box.x1] a point fixed to the corner or line
  cri_part_tan(P_tan, shape[r.line], feature[2], P, tan[r.line]);

  // [collision_box.x2] slides along the line, to stay on the plane
  if (r.plane >= 0) {
    cr_real d[3], m[3];
    slide_of(d, m, shape[r.line], shape[r.plane], feature);
    cri_part_tan(u, shape[r.plane], feature[3], P, tan[r.plane]);
    cr_sub3(u, u, P_tan);
    cr_accscl3(P_tan, d, cr_dot3(m, u));
  }

  // [collision_box.x3] dist = nu . (P - q) - l
  cri_part_normal(nu, ref, feature[1]);
  cri_part_tan(u, ref, feature[1], P, tan[r.ref]);
  cr_sub3(u, P_tan, u);
  hit_tan->dist = cr_dot3(nu, u);

  // [collision_box.x4] pos = P - dist/2 nu, normal = +-nu
  cr_real arm[3];
  cr_sub3(arm, P, ref->pos);
  cr_real l = ref->size[part_axis(feature[1])], dist = cr_dot3(nu, arm) - l;
  cr_cross3(nu_tan, tan[r.ref]->rot, nu);
  cr_copy3(hit_tan->pos, P_tan);
  cr_accscl3(hit_tan->pos, nu, -hit_tan->dist / 2);
  cr_accscl3(hit_tan->pos, nu_tan, -dist / 2);
  cr_scl3(hit_tan->normal, nu_tan, r.ref ? -1 : 1);
}

static void face_bar(const cr_shape* const shape[2], const int32_t feature[4],
                     const cr_real local[6], const cr_hit_tan* hit_bar,
                     cr_shape_tan* const bar[2]) {
  roles r = roles_of(feature);
  const cr_shape* ref = shape[r.ref];
  const cr_real* P = local;
  cr_real nu[3], arm[3], P_bar[3], u_bar[3], nu_bar[3];
  cri_part_normal(nu, ref, feature[1]);
  cr_sub3(arm, P, ref->pos);

  // [collision_box.x4]'
  cr_real l = ref->size[part_axis(feature[1])], dist = cr_dot3(nu, arm) - l;
  cr_copy3(P_bar, hit_bar->pos);
  cr_real dist_bar = hit_bar->dist - cr_dot3(nu, hit_bar->pos) / 2;
  cr_scl3(nu_bar, hit_bar->normal, r.ref ? -1 : 1);
  cr_accscl3(nu_bar, hit_bar->pos, -dist / 2);
  cr_acccross3(bar[r.ref]->rot, nu, nu_bar);

  // [collision_box.x3]'
  cr_accscl3(P_bar, nu, dist_bar);
  cr_scl3(u_bar, nu, -dist_bar);
  cri_part_bar(bar[r.ref], ref, feature[1], P, u_bar);

  // [collision_box.x2]'
  if (r.plane >= 0) {
    cr_real d[3], m[3];
    slide_of(d, m, shape[r.line], shape[r.plane], feature);
    cr_scl3(u_bar, m, cr_dot3(d, P_bar));
    cri_part_bar(bar[r.plane], shape[r.plane], feature[3], P, u_bar);
    cr_accscl3(P_bar, u_bar, -1);
  }

  // [collision_box.x1]'
  cri_part_bar(bar[r.line], shape[r.line], feature[2], P, P_bar);
}

// ---- derivatives: two edges

// numbers for both directions of an edge pair
typedef struct {
  const cr_real* w[2];  // nearest points
  cr_real e[2][3];      // directions of the edges
  cr_real gap[3];       // w_b - w_a
  cr_real n[3];         // normal, from a to b
  cr_real slope;        // sign/|e_a x e_b|
  cr_real cosine;       // e_a . e_b
  int32_t part[2];
  // s_tan = ss A + st B, t_tan = ts A + tt B for the changes A, B of e_a . gap and e_b . gap
  cr_real ss, st, ts, tt;
} edge_pair;

static edge_pair edge_pair_of(const cr_shape* const shape[2], const int32_t feature[4],
                              const cr_real local[6]) {
  edge_pair x = {.w = {local, local + 3}};
  bool free[2];
  for (int k = 0; k < 2; k++) {
    int sign[3], axis = (feature[1 + k] + 13) / 27;
    x.part[k] = feature[1 + k] - 27 * axis;
    cri_part_signs(sign, x.part[k]);
    free[k] = sign[axis] == 0;
    cr_col3(x.e[k], shape[k]->mat, axis);
  }
  cr_sub3(x.gap, x.w[1], x.w[0]);
  cr_cross3(x.n, x.e[0], x.e[1]);
  cr_real sign = (cr_real)feature[3];
  x.slope = sign / cr_normalize3(x.n);
  cr_scl3(x.n, x.n, sign);
  x.cosine = cr_dot3(x.e[0], x.e[1]);

  // the nearest point of a free edge keeps its direction orthogonal to the gap
  cr_real sin2 = 1 - x.cosine * x.cosine;
  if (free[0] && free[1] && sin2 >= CR_MINVAL) {
    x.ss = 1 / sin2;
    x.st = -x.cosine / sin2;
    x.ts = x.cosine / sin2;
    x.tt = -1 / sin2;
  } else if (free[0] != free[1]) {
    x.ss = free[0] ? 1 : 0;
    x.tt = free[1] ? -1 : 0;
  }
  return x;
}

static void edges_tan(const cr_shape* const shape[2], const int32_t feature[4],
                      const cr_real local[6], const cr_shape_tan* const tan[2],
                      cr_hit_tan* hit_tan) {
  edge_pair x = edge_pair_of(shape, feature, local);
  cr_real w_tan[2][3], e_tan[2][3], gap_tan[3], cross_tan[3], y[3];

  // [collision_box.x5] points fixed to the edges, edge directions
  for (int k = 0; k < 2; k++) {
    cri_part_tan(w_tan[k], shape[k], x.part[k], x.w[k], tan[k]);
    cr_cross3(e_tan[k], tan[k]->rot, x.e[k]);
  }
  cr_sub3(gap_tan, w_tan[1], w_tan[0]);

  // [collision_box.x6] normal
  cr_cross3(cross_tan, e_tan[0], x.e[1]);
  cr_acccross3(cross_tan, x.e[0], e_tan[1]);
  cr_scl3(y, cross_tan, x.slope);
  cr_normalize3_tan(hit_tan->normal, x.n, 1, y);

  // [collision_box.x7] dist: the nearest points slide across the normal
  hit_tan->dist = cr_dot3(x.n, gap_tan) + cr_dot3(hit_tan->normal, x.gap);

  // [collision_box.x8] pos = (w_a + w_b)/2, both sliding on their edges
  cr_real A = cr_dot3(x.e[0], gap_tan) + cr_dot3(e_tan[0], x.gap);
  cr_real B = cr_dot3(x.e[1], gap_tan) + cr_dot3(e_tan[1], x.gap);
  cr_add3(hit_tan->pos, w_tan[0], w_tan[1]);
  cr_accscl3(hit_tan->pos, x.e[0], x.ss * A + x.st * B);
  cr_accscl3(hit_tan->pos, x.e[1], x.ts * A + x.tt * B);
  cr_scl3(hit_tan->pos, hit_tan->pos, CR_R(0.5));
}

static void edges_bar(const cr_shape* const shape[2], const int32_t feature[4],
                      const cr_real local[6], const cr_hit_tan* hit_bar,
                      cr_shape_tan* const bar[2]) {
  edge_pair x = edge_pair_of(shape, feature, local);
  cr_real w_bar[2][3], e_bar[2][3], gap_bar[3], normal_bar[3], y_bar[3];

  // [collision_box.x8]'
  cr_real s_bar = cr_dot3(x.e[0], hit_bar->pos) / 2, t_bar = cr_dot3(x.e[1], hit_bar->pos) / 2;
  cr_real A_bar = x.ss * s_bar + x.ts * t_bar, B_bar = x.st * s_bar + x.tt * t_bar;
  cr_scl3(gap_bar, x.e[0], A_bar);
  cr_accscl3(gap_bar, x.e[1], B_bar);
  cr_scl3(e_bar[0], x.gap, A_bar);
  cr_scl3(e_bar[1], x.gap, B_bar);

  // [collision_box.x7]'
  cr_accscl3(gap_bar, x.n, hit_bar->dist);
  cr_copy3(normal_bar, hit_bar->normal);
  cr_accscl3(normal_bar, x.gap, hit_bar->dist);

  // [collision_box.x6]'
  cr_normalize3_tan(y_bar, x.n, 1, normal_bar);
  cr_scl3(y_bar, y_bar, x.slope);
  cr_acccross3(e_bar[0], x.e[1], y_bar);
  cr_acccross3(e_bar[1], y_bar, x.e[0]);

  // [collision_box.x5]'
  cr_scl3(w_bar[0], hit_bar->pos, CR_R(0.5));
  cr_copy3(w_bar[1], w_bar[0]);
  cr_accscl3(w_bar[0], gap_bar, -1);
  cr_acc3(w_bar[1], gap_bar);
  for (int k = 0; k < 2; k++) {
    cri_part_bar(bar[k], shape[k], x.part[k], x.w[k], w_bar[k]);
    cr_acccross3(bar[k]->rot, x.e[k], e_bar[k]);
  }
}

void cri_box_box_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                     const cr_real local[6], const cr_shape_tan* a_tan, const cr_shape_tan* b_tan,
                     cr_hit_tan* hit_tan) {
  const cr_shape* shape[2] = {a, b};
  const cr_shape_tan* tan[2] = {a_tan, b_tan};
  cr_zero3(hit_tan->hint);
  if (feature[0] == EDGE_PAIR) {
    edges_tan(shape, feature, local, tan, hit_tan);
  } else {
    face_tan(shape, feature, local, tan, hit_tan);
  }
}

void cri_box_box_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                     const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                     cr_shape_tan* b_bar) {
  const cr_shape* shape[2] = {a, b};
  cr_shape_tan* bar[2] = {a_bar, b_bar};
  if (feature[0] == EDGE_PAIR) {
    edges_bar(shape, feature, local, hit_bar, bar);
  } else {
    face_bar(shape, feature, local, hit_bar, bar);
  }
}
