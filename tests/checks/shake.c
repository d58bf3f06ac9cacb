// SPDX-License-Identifier: Apache-2.0
#include "checks/shake.h"

#include "geometry/convex_pair.h"
#include "geometry/hfield.h"
#include "math/quat.h"
#include "model/model.h"
#include "scenes/random_model.h"

// ---- extents and insides, straight from the definitions

static void to_local(const solid* s, const cr_real p[3], cr_real x[3]) {
  cr_real arm[3];
  cr_sub3(arm, p, s->pos);
  cr_multmat3(x, s->mat, arm);
}

// largest n . x over the shape, seen from its centre; n in its own frame
static cr_real extent(const solid* s, const cr_real n[3]) {
  const cr_real* z = s->size;
  switch (s->type) {
    case CR_GEOM_SPHERE:
      return z[0];
    case CR_GEOM_CAPSULE:
      return z[0] + z[1] * cr_abs(n[2]);
    case CR_GEOM_ELLIPSOID: {
      const cr_real y[3] = {z[0] * n[0], z[1] * n[1], z[2] * n[2]};
      return cr_norm3(y);
    }
    case CR_GEOM_CYLINDER:
      return z[0] * cr_sqrt(n[0] * n[0] + n[1] * n[1]) + z[1] * cr_abs(n[2]);
    case CR_GEOM_BOX:
      return z[0] * cr_abs(n[0]) + z[1] * cr_abs(n[1]) + z[2] * cr_abs(n[2]);
    default: {
      cr_real most = -CR_MAX;
      for (int i = 0; i < s->hull->nvert; i++) {
        most = cr_max(most, cr_dot3(s->hull->vert + 3 * i, n));
      }
      return most;
    }
  }
}

cr_real shake_extent(const solid* a, const solid* b, const cr_real n[3]) {
  cr_real minus[3], na[3], nb[3], arm[3];
  cr_scl3(minus, n, -1);
  cr_multmat3(na, a->mat, n);
  cr_multmat3(nb, b->mat, minus);
  cr_sub3(arm, b->pos, a->pos);
  return cr_dot3(arm, n) - extent(a, na) - extent(b, nb);
}

cr_real shake_lowest(const solid* s, const cr_real n[3]) {
  cr_real minus[3], u[3];
  cr_scl3(minus, n, -1);
  cr_multmat3(u, s->mat, minus);
  return cr_dot3(s->pos, n) - extent(s, u);
}

// at most this far outside, negative or zero inside
static cr_real outside(const solid* s, const cr_real p[3]) {
  cr_real x[3];
  const cr_real* z = s->size;
  to_local(s, p, x);
  switch (s->type) {
    case CR_GEOM_SPHERE:
      return cr_norm3(x) - z[0];
    case CR_GEOM_CAPSULE:
      x[2] -= cr_clip(x[2], -z[1], z[1]);
      return cr_norm3(x) - z[0];
    case CR_GEOM_ELLIPSOID: {
      const cr_real y[3] = {x[0] / z[0], x[1] / z[1], x[2] / z[2]};
      cr_real q = cr_norm3(y);
      return q > 1 ? cr_norm3(x) * (1 - 1 / q) : 0;
    }
    case CR_GEOM_CYLINDER: {
      cr_real around = cr_max(cr_sqrt(x[0] * x[0] + x[1] * x[1]) - z[0], 0);
      cr_real along = cr_max(cr_abs(x[2]) - z[1], 0);
      return cr_sqrt(around * around + along * along);
    }
    case CR_GEOM_BOX: {
      for (int k = 0; k < 3; k++) {
        x[k] -= cr_clip(x[k], -z[k], z[k]);
      }
      return cr_norm3(x);
    }
    default: {
      cr_real most = 0;
      for (int i = 0; i < s->hull->npoly; i++) {
        cr_real arm[3];
        cr_sub3(arm, x, s->hull->vert + 3 * s->hull->polygon[s->hull->adr[i]]);
        most = cr_max(most, cr_dot3(arm, s->hull->normal + 3 * i));
      }
      return most;
    }
  }
}

static cr_real bound(const solid* s) { return solid_shape(s).bound; }

// ---- drawing

static cr_real decades(cr_random* r, cr_real low, cr_real high) {
  return cr_pow(10, cr_random_range(r, low, high));
}

static void draw_size(cr_random* r, solid* s, cr_real scale) {
  for (int k = 0; k < 3; k++) {
    s->size[k] = scale * cr_random_range(r, CR_R(0.1), 1);
  }
  if (random_chance(r, CR_R(0.15))) {
    s->size[cr_random_int(r, 3)] *= decades(r, -4, 0);
  }
  if (random_chance(r, CR_R(0.1))) {
    s->size[1] = s->size[0];
  }
}

static void draw_solid(cr_random* r, solid* s, int32_t type, const cr_hull* const* hull, int nhull,
                       cr_real scale) {
  *s = solid_random(r, 1, 2, 0);
  s->type = type;
  draw_size(r, s, scale);
  if (type == CR_GEOM_MESH) {
    s->hull = hull[cr_random_int(r, nhull)];
    cr_zero3(s->size);
  }
}

// one of the 24 turns of a cube
static void cube_turn(cr_random* r, cr_real mat[9]) {
  int i = cr_random_int(r, 3), j = (i + 1 + cr_random_int(r, 2)) % 3;
  cr_real x[3] = {0, 0, 0}, y[3] = {0, 0, 0}, z[3];
  x[i] = random_chance(r, CR_R(0.5)) ? 1 : -1;
  y[j] = random_chance(r, CR_R(0.5)) ? 1 : -1;
  cr_cross3(z, x, y);
  for (int k = 0; k < 3; k++) {
    mat[3 * k] = x[k];
    mat[3 * k + 1] = y[k];
    mat[3 * k + 2] = z[k];
  }
}

// b's axes along those of a, and b at corners, edges, faces of a, or anywhere
static void align(cr_random* r, shake_pair* p) {
  cr_real turn[9], reach = bound(&p->a) + bound(&p->b);
  cube_turn(r, turn);
  if (random_chance(r, CR_R(0.5))) {
    const cr_real eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    cr_copy(p->a.mat, eye, 9);
  }
  cr_matmul3(p->b.mat, p->a.mat, turn);
  cr_real x[3];
  for (int k = 0; k < 3; k++) {
    int place = cr_random_int(r, 4);
    cr_real size = p->a.type == CR_GEOM_MESH ? bound(&p->a) : p->a.size[k];
    x[k] = place == 3 ? cr_random_range(r, -reach, reach) : (cr_real)(place - 1) * size;
  }
  cr_mulmat3(p->b.pos, p->a.mat, x);
  cr_acc3(p->b.pos, p->a.pos);
}

static void tilt(cr_random* r, solid* s) {
  cr_real axis[3];
  random_unit3(r, axis);
  solid_turn(s, axis, decades(r, -12, -2));
}

static void anywhere(cr_random* r, shake_pair* p, cr_real far) {
  cr_real way[3];
  random_unit3(r, way);
  cr_copy3(p->b.pos, p->a.pos);
  cr_accscl3(p->b.pos, way, far * (bound(&p->a) + bound(&p->b)));
}

// moves b until the two touch, or nearly
static void touch(cr_random* r, shake_pair* p) {
  cr_shape a = solid_shape(&p->a), b = solid_shape(&p->b);
  cr_hit hit[CR_MAX_HITS];
  a.single = true;
  if (cri_convex_pair(&a, &b, CR_MAX, hit) == 1) {
    cr_real gap = random_chance(r, CR_R(0.5)) ? 0 : p->size * decades(r, -15, -3);
    gap = random_chance(r, CR_R(0.5)) ? gap : -gap;
    cr_accscl3(p->b.pos, hit->normal, gap - hit->dist);
  }
}

void shake_draw(cr_random* r, int32_t type_a, int32_t type_b, const cr_hull* const* hull, int nhull,
                shake_pair* p) {
  bool odd = random_chance(r, CR_R(0.3));
  bool mesh = type_a == CR_GEOM_MESH || type_b == CR_GEOM_MESH;
  cr_real scale = mesh ? 1 : (odd ? decades(r, -4, 3) : 1);
  draw_solid(r, &p->a, type_a, hull, nhull, scale * (odd ? decades(r, -2, 2) : 1));
  draw_solid(r, &p->b, type_b, hull, nhull, scale);
  p->size = bound(&p->a) + bound(&p->b);
  p->kind = (shake_kind)cr_random_int(r, N_SHAKE);
  if (random_chance(r, CR_R(0.5))) {
    cr_real way[3];
    random_unit3(r, way);
    cr_accscl3(p->a.pos, way, p->size);
  }
  anywhere(r, p, cr_random_uniform(r));
  switch (p->kind) {
    case SHAKE_FAR:
      anywhere(r, p, decades(r, 0, 3));
      break;
    case SHAKE_ALIGNED:
      align(r, p);
      break;
    case SHAKE_NEARLY:
      align(r, p);
      tilt(r, &p->b);
      break;
    case SHAKE_COINCIDENT:
      if (random_chance(r, CR_R(0.5))) {
        align(r, p);
      }
      cr_copy3(p->b.pos, p->a.pos);
      break;
    case SHAKE_TOUCHING:
      touch(r, p);
      break;
    case SHAKE_FLUSH:
      align(r, p);
      touch(r, p);
      break;
    default:
      break;
  }
}

// ---- the search for a better normal

// climbs from n by steps that shrink; returns the largest extent
static cr_real climb(const shake_pair* p, cr_real n[3], cr_real best) {
  cr_real step = CR_R(0.1);
  for (int tries = 0; tries < 150 && step > CR_R(1e-11); tries++) {
    cr_real t1[3], t2[3], trial[3], better = best, at[3] = {0, 0, 1};
    int k = cr_abs(n[0]) < CR_R(0.6) ? 0 : 1;
    const cr_real e[3] = {k == 0, k == 1, 0};
    cr_cross3(t1, n, e);
    cr_normalize3(t1);
    cr_cross3(t2, n, t1);
    for (int i = 0; i < 8; i++) {
      static const cr_real cosine[8] = {1, CR_R(0.7), 0, CR_R(-0.7), -1, CR_R(-0.7), 0, CR_R(0.7)};
      cr_copy3(trial, n);
      cr_accscl3(trial, t1, step * cosine[i]);
      cr_accscl3(trial, t2, step * cosine[(i + 2) % 8]);
      cr_normalize3(trial);
      cr_real value = shake_extent(&p->a, &p->b, trial);
      if (value > better) {
        better = value;
        cr_copy3(at, trial);
      }
    }
    if (better > best) {
      best = better;
      cr_copy3(n, at);
    } else {
      step /= 4;
    }
  }
  return best;
}

// largest extent over axes of both, over random normals, and from the best of these uphill
static cr_real largest_extent(const shake_pair* p, cr_random* r) {
  enum { N_RANDOM = 48 };
  cr_real n[3] = {0, 0, 1}, best[3] = {0, 0, 1}, most = -CR_MAX;
  for (int i = 0; i < N_RANDOM + 13; i++) {
    if (i < N_RANDOM) {
      random_unit3(r, n);
    } else if (i < N_RANDOM + 12) {
      int k = i - N_RANDOM;
      cr_col3(n, k < 6 ? p->a.mat : p->b.mat, k % 3);
      cr_scl3(n, n, k % 6 < 3 ? 1 : -1);
    } else {
      cr_sub3(n, p->b.pos, p->a.pos);
      if (cr_normalize3(n) == 0) {
        continue;
      }
    }
    cr_real value = shake_extent(&p->a, &p->b, n);
    if (value > most) {
      most = value;
      cr_copy3(best, n);
    }
  }
  return climb(p, best, most);
}

bool shake_parted(const shake_pair* p, cr_real by) {
  cr_shape a = solid_shape(&p->a), b = solid_shape(&p->b);
  cr_hit hit[CR_MAX_HITS];
  a.single = true;
  return cri_convex_pair(&a, &b, CR_MAX, hit) == 1 && shake_extent(&p->a, &p->b, hit->normal) >= by;
}

// ---- the check

shake_result shake_hit(const shake_pair* p, const cr_hit* hit, cr_random* r) {
  const cr_real* n = hit->normal;
  shake_result x = {.dist = hit->dist};
  cr_real on_a[3], on_b[3], size = cr_max(p->size, cr_abs(hit->dist));
  hit_points(hit, on_a, on_b);
  x.sane =
      isfinite(hit->dist) && isfinite(cr_norm3(hit->pos)) && cr_abs(cr_norm3(n) - 1) < CR_R(1e-12);
  x.extent = cr_abs(shake_extent(&p->a, &p->b, n) - hit->dist) / size;
  x.outside = cr_max(cr_max(outside(&p->a, on_a), outside(&p->b, on_b)), 0) / size;
  if (hit->dist < 0) {
    x.deeper = cr_max(largest_extent(p, r) - hit->dist, 0) / size;
  }
  return x;
}

shake_result shake_check(const shake_pair* p, cr_random* r) {
  cr_shape a = solid_shape(&p->a), b = solid_shape(&p->b);
  cr_hit hit[CR_MAX_HITS];
  a.single = true;
  return cri_convex_pair(&a, &b, CR_MAX, hit) == 1 ? shake_hit(p, hit, r)
                                                   : (shake_result){.sane = false};
}

// ---- height fields

// feature[0] counts prisms in units of SHAKE_PRISM
enum { MOST_LINES = 6, SHAKE_PRISM = 64 };

typedef struct {
  cr_real size[4], data[MOST_LINES * MOST_LINES];
  cr_terrain terrain;
} field;

static void draw_field(cr_random* r, field* f) {
  int kind = cr_random_int(r, 4);
  f->terrain = (cr_terrain){.nrow = 2 + cr_random_int(r, MOST_LINES - 1),
                            .ncol = 2 + cr_random_int(r, MOST_LINES - 1),
                            .size = f->size,
                            .data = f->data};
  for (int k = 0; k < 4; k++) {
    f->size[k] = cr_random_range(r, CR_R(0.1), 1) * (k < 2 ? 2 : 1);
  }
  if (random_chance(r, CR_R(0.2))) {
    f->size[2 + cr_random_int(r, 2)] *= decades(r, -4, 0);
  }
  for (int k = 0; k < f->terrain.nrow * f->terrain.ncol; k++) {
    // level, on the ground, stepped, rough
    const cr_real height[4] = {CR_R(0.5), 0, (cr_real)cr_random_int(r, 2), cr_random_uniform(r)};
    f->data[k] = height[kind];
  }
}

// over, in or under a place of the field, or a little beside it
static void place_on_field(cr_random* r, const field* f, shake_pair* p) {
  cr_real x[3], reach = bound(&p->b);
  for (int k = 0; k < 3; k++) {
    cr_real low = k == 2 ? -f->size[3] : -f->size[k], high = f->size[k];
    x[k] = cr_random_range(r, low - CR_R(0.5) * reach, high + CR_R(0.5) * reach);
  }
  if (random_chance(r, CR_R(0.3))) {
    cr_copy(p->b.mat, p->a.mat, 9);
    x[2] = f->size[2] * CR_R(0.5) + p->b.size[2];  // flush on level ground, if it is a box
  }
  cr_mulmat3(p->b.pos, p->a.mat, x);
  cr_acc3(p->b.pos, p->a.pos);
}

// prism `index` of the field, cell by cell along the rows, two to a cell, as a hull of its own; the
// cell's diagonal goes from its first corner to the opposite one
static solid prism_of(const solid* s, const field* f, int32_t index, hull_store* store) {
  static const int32_t up[2][3] = {{1, 0, 1}, {0, 0, 1}}, right[2][3] = {{0, 0, 1}, {0, 1, 1}};
  const cr_terrain* t = &f->terrain;
  cr_real corner[6][3];
  for (int k = 0; k < 6; k++) {
    int row = index / 2 / (t->ncol - 1) + up[index % 2][k % 3];
    int col = index / 2 % (t->ncol - 1) + right[index % 2][k % 3];
    corner[k][0] = (2 * (cr_real)col / (cr_real)(t->ncol - 1) - 1) * f->size[0];
    corner[k][1] = (2 * (cr_real)row / (cr_real)(t->nrow - 1) - 1) * f->size[1];
    corner[k][2] = k < 3 ? -f->size[3] : f->data[row * t->ncol + col] * f->size[2];
  }
  hull_wedge(store, (const cr_real(*)[3])corner);
  solid prism = *s;
  prism.type = CR_GEOM_MESH;
  prism.hull = &store->hull;
  prism.terrain = NULL;
  cr_zero3(prism.size);
  return prism;
}

static void add_worst(shake_result* worst, const shake_result* x) {
  worst->sane = worst->sane && x->sane;
  worst->extent = cr_max(worst->extent, x->extent);
  worst->outside = cr_max(worst->outside, x->outside);
  worst->deeper = cr_max(worst->deeper, x->deeper);
}

shake_field_result shake_field(cr_random* r, int32_t type, const cr_hull* const* hull, int nhull) {
  field f;
  hull_store store;
  cr_hit hit[CR_MAX_HITS];
  shake_pair p;
  shake_field_result x = {.worst = {.sane = true}};
  draw_field(r, &f);
  p.a = solid_random(r, 1, 2, 1);
  p.a.type = CR_GEOM_HFIELD;
  p.a.terrain = &f.terrain;
  draw_solid(r, &p.b, type, hull, nhull, 1);
  place_on_field(r, &f, &p);
  cr_shape a = solid_shape(&p.a), b = solid_shape(&p.b);
  cr_real margin = random_chance(r, CR_R(0.5)) ? 0 : CR_R(0.2) * cr_random_uniform(r);
  x.hits = cri_hfield_convex(&a, &b, margin, hit);
  int nprism = 2 * (f.terrain.nrow - 1) * (f.terrain.ncol - 1);
  for (int32_t i = 0, k = 0; i < nprism && k < CR_MAX_HITS; i++) {
    shake_pair one = {.a = prism_of(&p.a, &f, i, &store), .b = p.b};
    one.size = bound(&one.a) + bound(&one.b);
    if (k < x.hits && hit[k].feature[0] / SHAKE_PRISM == i) {
      shake_result found = shake_hit(&one, &hit[k++], r);
      add_worst(&x.worst, &found);
    } else {
      x.missed += !shake_parted(&one, margin - CR_R(1e-9) * one.size);
    }
  }
  return x;
}
