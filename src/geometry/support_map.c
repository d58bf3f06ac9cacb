// SPDX-License-Identifier: Apache-2.0
#include "geometry/support_map.h"

#include "geometry/box.h"

cr_core cri_core(const cr_shape* shape, const cr_real origin[3]) {
  bool round = shape->type == CR_GEOM_SPHERE || shape->type == CR_GEOM_CAPSULE;
  cr_core c = {.shape = shape, .radius = round ? shape->size[0] : 0, .near = -1};
  cr_sub3(c.pos, shape->pos, origin);
  return c;
}

bool cri_core_flat(const cr_core* c) {
  return c->shape->type != CR_GEOM_ELLIPSOID && c->shape->type != CR_GEOM_CYLINDER;
}

// p = pos + R x
static void place(const cr_core* c, const cr_real x[3], cr_real p[3]) {
  cr_mulmat3(p, c->shape->mat, x);
  cr_acc3(p, c->pos);
}

// x = R' (p - pos)
static void unplace(const cr_core* c, const cr_real p[3], cr_real x[3]) {
  cr_real arm[3];
  cr_sub3(arm, p, c->pos);
  cr_multmat3(x, c->shape->mat, arm);
}

// ---- support points

// hulls of fewer vertices than this are searched one by one
enum { FEW_VERTICES = 10 };

static int32_t best_of_all(const cr_hull* h, const cr_real u[3]) {
  int32_t best = 0;
  cr_real most = cr_dot3(h->vert, u);
  for (int32_t i = 1; i < h->nvert; i++) {
    cr_real along = cr_dot3(h->vert + 3 * i, u);
    if (along > most) {
      most = along;
      best = i;
    }
  }
  return best;
}

// the part of a box at which a unit vector points: a sign if it is more along an axis than halfway from
// an edge to a corner or from a face to an edge
static int32_t part_towards(const cr_real u[3]) {
  const cr_real least = CR_R(0.35);
  int32_t part = 0;
  for (int k = 0; k < 3; k++) {
    part += cri_part(k, (u[k] > least) - (u[k] < -least));
  }
  return part;
}

// Goes uphill along the edges of the hull; its vertices have numbers of their own, `near` is one of them. It
// starts there or at the vertex that is known for directions like u, whichever is farther up.
static int32_t climb(const cr_hull* h, const cr_real u[3], int32_t* near) {
  int32_t n = h->graph[0];
  const int32_t *adr = h->graph + 2, *vertex = adr + n, *edge = vertex + n;
  int32_t best = h->start[13 + part_towards(u)], from = -1;
  cr_real most = cr_dot3(h->vert + 3 * vertex[best], u);
  if (*near >= 0) {
    cr_real along = cr_dot3(h->vert + 3 * vertex[*near], u);
    best = along > most ? *near : best;
    most = cr_max(most, along);
  }
  while (best != from) {
    from = best;
    for (int32_t k = adr[from]; edge[k] >= 0; k++) {
      cr_real along = cr_dot3(h->vert + 3 * vertex[edge[k]], u);
      if (along > most) {
        most = along;
        best = edge[k];
      }
    }
  }
  *near = best;
  return vertex[best];
}

// x_i = s_i^2 u_i / |S u|, the point of an ellipsoid with the outward normal u
static void ellipsoid_point(const cr_real s[3], const cr_real u[3], cr_real x[3]) {
  cr_real y[3] = {s[0] * u[0], s[1] * u[1], s[2] * u[2]};
  cr_real q = cr_norm3(y);
  q = q > 0 ? 1 / q : 0;
  for (int k = 0; k < 3; k++) {
    x[k] = s[k] * y[k] * q;
  }
}

int32_t cri_support(cr_core* c, const cr_real m[3], cr_real p[3]) {
  const cr_real* size = c->shape->size;
  cr_real u[3], x[3] = {0, 0, 0};
  int32_t id = 0;
  cr_multmat3(u, c->shape->mat, m);
  switch (c->shape->type) {
    case CR_GEOM_CAPSULE:
      id = u[2] >= 0;
      x[2] = id ? size[1] : -size[1];
      break;
    case CR_GEOM_ELLIPSOID:
      ellipsoid_point(size, u, x);
      break;
    case CR_GEOM_CYLINDER: {
      cr_real rho = cr_sqrt(u[0] * u[0] + u[1] * u[1]);
      cr_real scale = rho > CR_MINVAL ? size[0] / rho : 0;
      id = u[2] >= 0;
      x[0] = scale * u[0];
      x[1] = scale * u[1];
      x[2] = id ? size[1] : -size[1];
      break;
    }
    case CR_GEOM_BOX:
      for (int k = 0; k < 3; k++) {
        id |= u[k] >= 0 ? 1 << k : 0;
        x[k] = u[k] >= 0 ? size[k] : -size[k];
      }
      break;
    case CR_GEOM_MESH: {
      const cr_hull* h = c->shape->hull;
      bool few = h->graph == NULL || h->nvert < FEW_VERTICES;
      id = few ? best_of_all(h, u) : climb(h, u, &c->near);
      cr_copy3(x, h->vert + 3 * id);
      break;
    }
    default:
      break;
  }
  place(c, x, p);
  return id;
}

// ---- features

// signs that all corners share
static int32_t part_of_corners(const int32_t* id, int n) {
  int32_t all = 7, any = 0, part = 13;
  for (int i = 0; i < n; i++) {
    all &= id[i];
    any |= id[i];
  }
  for (int k = 0; k < 3; k++) {
    int sign = (all >> k & 1) - !(any >> k & 1);
    part += cri_part(k, sign);
  }
  return part;
}

static int touches_box(const cr_real u[3], const int32_t* id, int n, cr_touch* t) {
  static const cr_touch_kind kind[4] = {CR_TOUCH_NONE, CR_TOUCH_FACE, CR_TOUCH_EDGE,
                                        CR_TOUCH_POINT};
  int sign[3], count = 0;
  int32_t part = part_of_corners(id, n);
  cri_part_signs(sign, part - 13);
  int naxis = (sign[0] != 0) + (sign[1] != 0) + (sign[2] != 0);
  if (naxis > 0) {
    t[count++] = (cr_touch){kind[naxis], {part, 0, 0}};
  }

  // the face and the edge at which the normal points
  for (int k = 0; k < 3; k++) {
    int32_t face = 13 + cri_part(k, u[k] > 0 ? 1 : -1);
    if (cr_abs(u[k]) > CR_R(0.95) && face != part) {
      t[count++] = (cr_touch){CR_TOUCH_FACE, {face, 0, 0}};
    }
  }
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    int32_t edge = 13 + cri_part(i, u[i] > 0 ? 1 : -1) + cri_part(j, u[j] > 0 ? 1 : -1);
    if (cr_abs(u[k]) < CR_R(0.1) && edge != part && count < CR_MAX_TOUCH) {
      t[count++] = (cr_touch){CR_TOUCH_EDGE, {edge, 0, 0}};
    }
  }
  return count;
}

static int touches_cylinder(const cr_real u[3], const int32_t* id, int n, cr_touch* t) {
  bool both = false;
  int count = 0;
  for (int i = 1; i < n; i++) {
    both = both || id[i] != id[0];
  }
  int32_t disk = u[2] >= 0;
  cr_real rho = cr_sqrt(u[0] * u[0] + u[1] * u[1]);
  if (both) {
    t[count++] = (cr_touch){CR_TOUCH_SIDE, {0, 0, 0}};
  }
  if (rho < CR_R(0.5)) {
    t[count++] = (cr_touch){CR_TOUCH_FACE, {disk, 0, 0}};
  }
  t[count++] = (cr_touch){CR_TOUCH_RIM, {disk, 0, 0}};
  if (!both && cr_abs(u[2]) < CR_R(0.3)) {
    t[count++] = (cr_touch){CR_TOUCH_SIDE, {0, 0, 0}};
  }
  return count;
}

// polygons that hold all n vertices: writes up to two, returns their number
static int common_polygons(const cr_hull* h, const int32_t* vertex, int n, int32_t found[2]) {
  int count = 0;
  const int32_t* first = h->map + h->mapadr[vertex[0]];
  for (int i = 0; i < h->mapnum[vertex[0]] && count < 2; i++) {
    bool all = true;
    for (int k = 1; k < n && all; k++) {
      const int32_t* other = h->map + h->mapadr[vertex[k]];
      all = false;
      for (int j = 0; j < h->mapnum[vertex[k]]; j++) {
        all = all || other[j] == first[i];
      }
    }
    if (all) {
      found[count++] = first[i];
    }
  }
  return count;
}

static void triangle_normal(const cr_hull* h, const int32_t id[3], cr_real n[3]) {
  cr_real e1[3], e2[3];
  cr_sub3(e1, h->vert + 3 * id[1], h->vert + 3 * id[0]);
  cr_sub3(e2, h->vert + 3 * id[2], h->vert + 3 * id[0]);
  cr_cross3(n, e1, e2);
  cr_normalize3(n);
}

// A face by three vertices of a polygon: the vertices of a polygon in single precision are not quite on one
// plane, so three identify it.
static cr_touch face_of(const cr_hull* h, int32_t polygon, int32_t a, int32_t b, int32_t c) {
  cr_touch t = {CR_TOUCH_FACE, {a, b, c}};
  cr_real n[3];
  triangle_normal(h, t.id, n);
  if (cr_dot3(n, h->normal + 3 * polygon) < 0) {
    t.id[1] = c;
    t.id[2] = b;
  }
  return t;
}

static cr_touch face_of_polygon(const cr_hull* h, int32_t polygon) {
  const int32_t* id = h->polygon + h->adr[polygon];
  int n = h->num[polygon];
  return face_of(h, polygon, id[0], id[n / 3], id[2 * n / 3]);
}

// Corners of the hull that no polygon has: MuJoCo's polygons omit a vertex that lies in a face up to
// a small angle, but its support points are of all vertices. Then three of them are a separate
// face, two an edge.
static int touches_between_polygons(const cr_hull* h, const cr_real u[3], const int32_t* vertex,
                                    int n, cr_touch* t) {
  cr_real normal[3];
  if (n == 2) {
    bool swap = vertex[0] > vertex[1];
    *t = (cr_touch){CR_TOUCH_EDGE, {vertex[swap], vertex[!swap]}};
    return 1;
  }
  triangle_normal(h, vertex, normal);
  cr_real along = cr_dot3(normal, u);
  if (cr_abs(along) < CR_R(0.95)) {
    return 0;
  }
  *t = (cr_touch){CR_TOUCH_FACE, {vertex[0], vertex[along > 0 ? 1 : 2], vertex[along > 0 ? 2 : 1]}};
  return 1;
}

static int touches_hull(const cr_hull* h, const cr_real u[3], const int32_t* id, int n,
                        cr_touch* t) {
  int32_t vertex[4] = {0}, found[2];
  int nvertex = 0, count = 0;
  for (int i = 0; i < n; i++) {
    bool known = false;
    for (int k = 0; k < nvertex; k++) {
      known = known || vertex[k] == id[i];
    }
    if (!known) {
      vertex[nvertex++] = id[i];
    }
  }
  if (nvertex == 1) {
    t[count++] = (cr_touch){CR_TOUCH_POINT, {vertex[0], 0, 0}};
  } else {
    int npoly = common_polygons(h, vertex, nvertex, found);
    if (nvertex == 2 && npoly == 1) {
      // the diagonal of a polygon: in single precision the polygon is bent along some of them
      t[count++] = face_of_polygon(h, found[0]);
    }
    if (nvertex == 2 && npoly > 0) {
      bool swap = vertex[0] > vertex[1];
      t[count++] = (cr_touch){CR_TOUCH_EDGE, {vertex[swap], vertex[!swap]}};
    } else if (nvertex > 2 && npoly > 0) {
      t[count++] = face_of(h, found[0], vertex[0], vertex[1], vertex[2]);
    } else if (npoly == 0) {
      count += touches_between_polygons(h, u, vertex, nvertex, t);
    }
  }

  // the face at the first vertex at which the normal points
  cr_real most = CR_R(0.95);
  int32_t face = -1;
  for (int i = 0; i < h->mapnum[vertex[0]]; i++) {
    int32_t p = h->map[h->mapadr[vertex[0]] + i];
    cr_real along = cr_dot3(h->normal + 3 * p, u);
    if (along > most) {
      most = along;
      face = p;
    }
  }
  if (face >= 0) {
    t[count++] = face_of_polygon(h, face);
  }
  return count;
}

int32_t cri_touch_polygon(const cr_hull* h, const cr_touch* t) {
  int32_t found[2];
  return common_polygons(h, t->id, 3, found) > 0 ? found[0] : -1;
}

int cri_touches(const cr_core* c, const cr_real m[3], const int32_t* id, int n,
                cr_touch touch[CR_MAX_TOUCH]) {
  cr_real u[3];
  cr_multmat3(u, c->shape->mat, m);
  switch (c->shape->type) {
    case CR_GEOM_CAPSULE: {
      bool both = false;
      for (int i = 1; i < n; i++) {
        both = both || id[i] != id[0];
      }
      touch[0] = both ? (cr_touch){CR_TOUCH_EDGE, {1, 0, 0}}
                      : (cr_touch){CR_TOUCH_POINT, {2 * id[0], 0, 0}};
      touch[1] = (cr_touch){CR_TOUCH_EDGE, {1, 0, 0}};
      return both || cr_abs(u[2]) > CR_R(0.3) ? 1 : 2;
    }
    case CR_GEOM_ELLIPSOID:
      touch[0] = (cr_touch){CR_TOUCH_SMOOTH, {0, 0, 0}};
      return 1;
    case CR_GEOM_CYLINDER:
      return touches_cylinder(u, id, n, touch);
    case CR_GEOM_BOX:
      return touches_box(u, id, n, touch);
    case CR_GEOM_MESH:
      return touches_hull(c->shape->hull, u, id, n, touch);
    default:
      touch[0] = (cr_touch){CR_TOUCH_POINT, {0, 0, 0}};
      return 1;
  }
}

int cri_touch_ends(const cr_core* c, const cr_touch* t, cr_touch end[2]) {
  if (t->kind != CR_TOUCH_EDGE && t->kind != CR_TOUCH_SIDE) {
    return 0;
  }
  int sign[3], along = 0;
  for (int i = 0; i < 2; i++) {
    end[i] = (cr_touch){CR_TOUCH_POINT, {0, 0, 0}};
    switch (c->shape->type) {
      case CR_GEOM_CAPSULE:
        end[i].id[0] = 2 * i;
        break;
      case CR_GEOM_CYLINDER:
        end[i] = (cr_touch){CR_TOUCH_RIM, {i, 0, 0}};
        break;
      case CR_GEOM_BOX:
        cri_part_signs(sign, t->id[0] - 13);
        along = sign[0] == 0 ? 0 : sign[1] == 0 ? 1 : 2;
        end[i].id[0] = t->id[0] + cri_part(along, 2 * i - 1);
        break;
      default:
        end[i].id[0] = t->id[i];
        break;
    }
  }
  return 2;
}

// ---- geometry of a feature

void cri_touch_point(const cr_core* c, const cr_touch* t, const cr_real m[3], cr_real p[3]) {
  const cr_real* size = c->shape->size;
  cr_real u[3], x[3] = {0, 0, 0};
  cr_multmat3(u, c->shape->mat, m);
  switch (c->shape->type) {
    case CR_GEOM_CAPSULE:
      x[2] = (cr_real)(t->id[0] - 1) * size[1];
      break;
    case CR_GEOM_ELLIPSOID:
      ellipsoid_point(size, u, x);
      break;
    case CR_GEOM_CYLINDER: {
      cr_real rho = cr_sqrt(u[0] * u[0] + u[1] * u[1]);
      cr_real scale = rho > 0 && t->kind != CR_TOUCH_FACE ? size[0] / rho : 0;
      x[0] = scale * u[0];
      x[1] = scale * u[1];
      x[2] = t->kind == CR_TOUCH_SIDE ? 0 : t->id[0] ? size[1] : -size[1];
      break;
    }
    case CR_GEOM_BOX: {
      int sign[3];
      cri_part_signs(sign, t->id[0] - 13);
      for (int k = 0; k < 3; k++) {
        x[k] = (cr_real)sign[k] * size[k];
      }
      break;
    }
    case CR_GEOM_MESH: {
      const cr_hull* h = c->shape->hull;
      cr_copy3(x, h->vert + 3 * t->id[0]);
      break;
    }
    default:
      break;
  }
  place(c, x, p);
}

int cri_touch_axis(const cr_core* c, const cr_touch* t, cr_real axis[3]) {
  cr_real x[3] = {0, 0, 1};
  if (t->kind != CR_TOUCH_EDGE && t->kind != CR_TOUCH_SIDE && t->kind != CR_TOUCH_FACE) {
    return 0;
  }
  bool face = t->kind == CR_TOUCH_FACE;
  if (c->shape->type == CR_GEOM_BOX) {
    int sign[3];
    cri_part_signs(sign, t->id[0] - 13);
    for (int k = 0; k < 3; k++) {
      x[k] = face ? (cr_real)sign[k] : (cr_real)(sign[k] == 0);
    }
  } else if (c->shape->type == CR_GEOM_MESH) {
    const cr_hull* h = c->shape->hull;
    if (face) {
      triangle_normal(h, t->id, x);
    } else {
      cr_sub3(x, h->vert + 3 * t->id[1], h->vert + 3 * t->id[0]);
      cr_normalize3(x);
    }
  } else if (face) {
    x[2] = t->id[0] ? 1 : -1;
  }
  cr_mulmat3(axis, c->shape->mat, x);
  return face ? 2 : 1;
}

void cri_touch_bend(const cr_core* c, const cr_touch* t, const cr_real m[3], const cr_real x[3],
                    cr_real r[3]) {
  cr_zero3(r);
  if (t->kind == CR_TOUCH_SMOOTH) {
    // [collision_convex.c2] W = R (S^2 - s s') R' / |S u|, s the support point
    const cr_real* size = c->shape->size;
    cr_real u[3], y[3], s[3], w[3];
    cr_multmat3(u, c->shape->mat, m);
    cr_multmat3(y, c->shape->mat, x);
    ellipsoid_point(size, u, s);
    cr_real q = cr_dot3(s, u), along = cr_dot3(s, y);
    for (int k = 0; k < 3; k++) {
      w[k] = q > 0 ? (size[k] * size[k] * y[k] - s[k] * along) / q : 0;
    }
    cr_mulmat3(r, c->shape->mat, w);
  } else if (t->kind == CR_TOUCH_RIM || t->kind == CR_TOUCH_SIDE) {
    // [collision_convex.c3] W = radius/rho t t', t = axis x m / rho
    cr_real axis[3], around[3];
    cr_col3(axis, c->shape->mat, 2);
    cr_cross3(around, axis, m);
    cr_real rho = cr_normalize3(around);
    if (rho > 0) {
      cr_scl3(r, around, cr_dot3(around, x) * c->shape->size[0] / rho);
    }
  }
}

static bool corners_hold(const cr_hull* h, const int32_t* corner, int n, const cr_real normal[3],
                         const cr_real x[3], cr_real slack) {
  for (int i = 0; i < n; i++) {
    const cr_real* v = h->vert + 3 * corner[i];
    cr_real edge[3], out[3], arm[3];
    cr_sub3(edge, h->vert + 3 * corner[(i + 1) % n], v);
    cr_cross3(out, edge, normal);
    cr_normalize3(out);
    cr_sub3(arm, x, v);
    if (cr_dot3(arm, out) > slack) {
      return false;
    }
  }
  return true;
}

static bool face_holds(const cr_hull* h, const cr_touch* t, const cr_real x[3], cr_real slack) {
  int32_t p = cri_touch_polygon(h, t);
  if (p >= 0) {
    return corners_hold(h, h->polygon + h->adr[p], h->num[p], h->normal + 3 * p, x, slack);
  }
  cr_real normal[3];
  triangle_normal(h, t->id, normal);
  return corners_hold(h, t->id, 3, normal, x, slack);
}

// keeps the part of the span with slope * t <= height
static void cut(cr_real slope, cr_real height, cr_real span[2]) {
  if (cr_abs(slope) > CR_R(1e-12)) {
    cr_real t = height / slope;
    span[0] = slope < 0 ? cr_max(span[0], t) : span[0];
    span[1] = slope > 0 ? cr_min(span[1], t) : span[1];
  }
}

static void cut_slab(cr_real x, cr_real u, cr_real size, cr_real span[2]) {
  cut(u, size - x, span);
  cut(-u, size + x, span);
}

static void cut_disk(const cr_real x[3], const cr_real u[3], cr_real radius, cr_real span[2]) {
  cr_real a = u[0] * u[0] + u[1] * u[1], b = x[0] * u[0] + x[1] * u[1];
  if (a > 0) {
    cr_real square = b * b - a * (x[0] * x[0] + x[1] * x[1] - radius * radius);
    cr_real root = square > 0 ? cr_sqrt(square) : 0;
    span[0] = cr_max(span[0], (-b - root) / a);
    span[1] = cr_min(span[1], (-b + root) / a);
  }
}

static void cut_hull(const cr_hull* h, const cr_touch* t, const cr_real x[3], const cr_real u[3],
                     cr_real span[2]) {
  cr_real edge[3], out[3], arm[3];
  if (t->kind == CR_TOUCH_EDGE) {
    cr_sub3(edge, h->vert + 3 * t->id[1], h->vert + 3 * t->id[0]);
    cr_sub3(arm, x, h->vert + 3 * t->id[0]);
    cr_real length = cr_normalize3(edge), along = cr_dot3(arm, edge), slope = cr_dot3(u, edge);
    cut(slope, length - along, span);
    cut(-slope, along, span);
    return;
  }
  int32_t p = cri_touch_polygon(h, t);
  const int32_t* corner = p < 0 ? t->id : h->polygon + h->adr[p];
  int n = p < 0 ? 3 : h->num[p];
  cr_real normal[3];
  triangle_normal(h, t->id, normal);
  for (int i = 0; i < n; i++) {
    const cr_real* v = h->vert + 3 * corner[i];
    cr_sub3(edge, h->vert + 3 * corner[(i + 1) % n], v);
    cr_cross3(out, edge, p < 0 ? normal : h->normal + 3 * p);
    cr_normalize3(out);
    cr_sub3(arm, v, x);
    cut(cr_dot3(u, out), cr_dot3(arm, out), span);
  }
}

void cri_touch_span(const cr_core* c, const cr_touch* t, const cr_real p[3], const cr_real u[3],
                    cr_real span[2]) {
  const cr_real* size = c->shape->size;
  cr_real x[3], way[3];
  unplace(c, p, x);
  cr_multmat3(way, c->shape->mat, u);
  span[0] = -CR_MAX;
  span[1] = CR_MAX;
  switch (c->shape->type) {
    case CR_GEOM_CAPSULE:
      cut_slab(x[2], way[2], size[1], span);
      break;
    case CR_GEOM_CYLINDER:
      if (t->kind == CR_TOUCH_FACE) {
        cut_disk(x, way, size[0], span);
      } else {
        cut_slab(x[2], way[2], size[1], span);
      }
      break;
    case CR_GEOM_BOX: {
      int sign[3];
      cri_part_signs(sign, t->id[0] - 13);
      for (int k = 0; k < 3; k++) {
        if (sign[k] == 0) {
          cut_slab(x[k], way[k], size[k], span);
        }
      }
      break;
    }
    case CR_GEOM_MESH:
      cut_hull(c->shape->hull, t, x, way, span);
      break;
    default:
      break;
  }
}

bool cri_touch_holds(const cr_core* c, const cr_touch* t, const cr_real p[3], cr_real slack) {
  const cr_real* size = c->shape->size;
  cr_real x[3];
  unplace(c, p, x);
  switch (c->shape->type) {
    case CR_GEOM_CAPSULE:
      return t->kind == CR_TOUCH_POINT || cr_abs(x[2]) <= size[1] + slack;
    case CR_GEOM_CYLINDER:
      if (t->kind == CR_TOUCH_FACE) {
        return cr_sqrt(x[0] * x[0] + x[1] * x[1]) <= size[0] + slack;
      }
      return t->kind == CR_TOUCH_RIM || cr_abs(x[2]) <= size[1] + slack;
    case CR_GEOM_BOX: {
      for (int k = 0; k < 3; k++) {
        if (cr_abs(x[k]) > size[k] + slack) {
          return false;
        }
      }
      return true;
    }
    case CR_GEOM_MESH: {
      const cr_hull* h = c->shape->hull;
      if (t->kind == CR_TOUCH_FACE) {
        return face_holds(h, t, x, slack);
      }
      if (t->kind == CR_TOUCH_EDGE) {
        cr_real edge[3], arm[3];
        cr_sub3(edge, h->vert + 3 * t->id[1], h->vert + 3 * t->id[0]);
        cr_sub3(arm, x, h->vert + 3 * t->id[0]);
        cr_real length = cr_normalize3(edge), along = cr_dot3(arm, edge);
        return along >= -slack && along <= length + slack;
      }
      return true;
    }
    default:
      return true;
  }
}

// ---- motion of a point of a feature

// derivative of a point of the feature, in the frame of the shape, by each size: the columns of G
static void by_size(const cr_core* c, const cr_touch* t, const cr_real m[3], const cr_real p[3],
                    cr_real G[9]) {
  const cr_real* size = c->shape->size;
  cr_zero(G, 9);
  switch (c->shape->type) {
    case CR_GEOM_CAPSULE: {
      cr_real x[3];
      unplace(c, p, x);
      G[7] = t->id[0] == 1 && size[1] > 0 ? x[2] / size[1] : (cr_real)(t->id[0] - 1);
      break;
    }
    case CR_GEOM_ELLIPSOID: {
      // [collision_convex.c4] at a fixed normal: ds/dS_k = u_k S_k (2 e_k - u_k s / q) / q, q = |S u| = s . u
      cr_real u[3], s[3];
      cr_multmat3(u, c->shape->mat, m);
      ellipsoid_point(size, u, s);
      cr_real q = cr_dot3(s, u);
      for (int k = 0; k < 3 && q > 0; k++) {
        cr_real f = u[k] * size[k] / q;
        for (int i = 0; i < 3; i++) {
          G[3 * i + k] = f * ((i == k ? 2 : 0) - u[k] * s[i] / q);
        }
      }
      break;
    }
    case CR_GEOM_CYLINDER: {
      cr_real x[3];
      unplace(c, p, x);
      cr_real rho = cr_sqrt(x[0] * x[0] + x[1] * x[1]);
      if (t->kind != CR_TOUCH_FACE && rho > 0) {
        G[0] = x[0] / rho;
        G[3] = x[1] / rho;
      }
      // along its side the cylinder stretches evenly
      G[7] = t->kind != CR_TOUCH_SIDE ? (t->id[0] ? 1 : -1) : size[1] > 0 ? x[2] / size[1] : 0;
      break;
    }
    case CR_GEOM_BOX: {
      // along an edge or face the box stretches evenly
      int sign[3];
      cr_real x[3];
      cri_part_signs(sign, t->id[0] - 13);
      unplace(c, p, x);
      for (int k = 0; k < 3; k++) {
        G[4 * k] = sign[k] == 0 && size[k] > 0 ? x[k] / size[k] : (cr_real)sign[k];
      }
      break;
    }
    default:
      break;
  }
}

void cri_touch_tan(const cr_core* c, const cr_touch* t, const cr_real m[3], const cr_real p[3],
                   const cr_shape_tan* s_tan, cr_real v[3]) {
  // [collision_convex.c5] v = pos_tan + rot x (p - pos) + R G size_tan
  cr_real G[9], arm[3], stretch[3];
  by_size(c, t, m, p, G);
  cr_sub3(arm, p, c->pos);
  cr_mulmat3(stretch, G, s_tan->size);
  cr_mulmat3(v, c->shape->mat, stretch);
  cr_acc3(v, s_tan->pos);
  cr_acccross3(v, s_tan->rot, arm);
}

void cri_touch_bar(const cr_core* c, const cr_touch* t, const cr_real m[3], const cr_real p[3],
                   const cr_real v_bar[3], cr_shape_tan* s_bar) {
  // [collision_convex.c5]'
  cr_real G[9], arm[3], stretch_bar[3];
  by_size(c, t, m, p, G);
  cr_sub3(arm, p, c->pos);
  cr_acc3(s_bar->pos, v_bar);
  cr_acccross3(s_bar->rot, arm, v_bar);
  cr_multmat3(stretch_bar, c->shape->mat, v_bar);
  cr_acctmat3(s_bar->size, G, stretch_bar);
}
