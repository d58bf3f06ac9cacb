// SPDX-License-Identifier: Apache-2.0
#include "geometry/gjk_epa.h"

enum { MOST_DESCENT = 100, MOST_GROWTH = 300, MOST_VERTEX = MOST_GROWTH + 8, MOST_FACE = 800 };

// cosine of the angle within which there is at most one optimum: for surfaces that are curved
// everywhere, and for those with edges
#define NEAR CR_R(0.99999)
#define NEAR_EDGES CR_R(0.9999999)

// allowed difference of two bounds, in units of the shapes' size
#define SLACK CR_R(1e-10)

// a point of the difference a - b, and its points on a and b
typedef struct {
  cr_real w[3], a[3], b[3];
  int32_t id_a, id_b;
  int32_t near_a, near_b;  // where searches near it begin
} vertex;

// the point farthest along the unit vector n
static void support(cr_core* a, cr_core* b, const cr_real n[3], vertex* v) {
  cr_real minus[3];
  cr_scl3(minus, n, -1);
  v->id_a = cri_support(a, n, v->a);
  v->id_b = cri_support(b, minus, v->b);
  v->near_a = a->near;
  v->near_b = b->near;
  cr_sub3(v->w, v->a, v->b);
}

// ---- nearest point of a simplex to the origin, as weights of its corners

static cr_real on_segment(const cr_real p[3], const cr_real q[3], cr_real weight[2]) {
  cr_real e[3], x[3];
  cr_sub3(e, q, p);
  cr_real square = cr_dot3(e, e);
  cr_real f = square > 0 ? cr_clip(-cr_dot3(p, e) / square, 0, 1) : 0;
  weight[0] = 1 - f;
  weight[1] = f;
  cr_copy3(x, p);
  cr_accscl3(x, e, f);
  return cr_dot3(x, x);
}

// the signed areas of the origin's projection decide; outside, the best of the three sides
static cr_real on_triangle(const cr_real* p[3], cr_real weight[3]) {
  cr_real e1[3], e2[3], n[3], r[3], area[3];
  cr_sub3(e1, p[1], p[0]);
  cr_sub3(e2, p[2], p[0]);
  cr_cross3(n, e1, e2);
  cr_real square = cr_dot3(n, n);
  bool inside = square > 0;
  for (int k = 0; k < 3; k++) {
    cr_cross3(r, p[(k + 1) % 3], p[(k + 2) % 3]);
    area[k] = cr_dot3(r, n);
    inside = inside && area[k] > 0;
  }
  if (inside) {
    cr_real sum = area[0] + area[1] + area[2], height = cr_dot3(p[0], n);
    for (int k = 0; k < 3; k++) {
      weight[k] = area[k] / sum;
    }
    return height * height / square;
  }
  cr_real best = CR_MAX;
  for (int k = 0; k < 3; k++) {
    cr_real pair[2], d = on_segment(p[k], p[(k + 1) % 3], pair);
    if (d < best) {
      best = d;
      weight[k] = pair[0];
      weight[(k + 1) % 3] = pair[1];
      weight[(k + 2) % 3] = 0;
    }
  }
  return best;
}

// inside: 0; outside, the best of the faces that face the origin
static cr_real on_tetrahedron(const cr_real* p[4], cr_real weight[4]) {
  static const int face[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
  cr_real best = CR_MAX;
  bool inside = true;
  for (int k = 0; k < 4; k++) {
    const cr_real* q[3] = {p[face[k][0]], p[face[k][1]], p[face[k][2]]};
    cr_real e1[3], e2[3], e3[3], n[3], part[3];
    cr_sub3(e1, q[1], q[0]);
    cr_sub3(e2, q[2], q[0]);
    cr_sub3(e3, p[face[k][3]], q[0]);
    cr_cross3(n, e1, e2);
    cr_real side = cr_dot3(n, e3), origin = -cr_dot3(n, q[0]);
    if (side * origin > 0) {
      continue;
    }
    inside = false;
    cr_real d = on_triangle(q, part);
    if (d < best) {
      best = d;
      cr_zero(weight, 4);
      for (int i = 0; i < 3; i++) {
        weight[face[k][i]] = part[i];
      }
    }
  }
  return inside ? 0 : best;
}

// keeps the corners that carry the nearest point; returns false if the origin is inside
static bool reduce(vertex v[4], int* n, cr_real weight[4], cr_real nearest[3]) {
  const cr_real* p[4] = {v[0].w, v[1].w, v[2].w, v[3].w};
  cr_real square = 1;
  weight[0] = 1;
  if (*n == 2) {
    (void)on_segment(p[0], p[1], weight);
  } else if (*n == 3) {
    (void)on_triangle(p, weight);
  } else if (*n == 4) {
    square = on_tetrahedron(p, weight);
  }
  if (*n == 4 && square == 0) {
    return false;
  }
  int kept = 0;
  cr_zero3(nearest);
  for (int i = 0; i < *n; i++) {
    if (weight[i] > 0) {
      weight[kept] = weight[i];
      v[kept++] = v[i];
      cr_accscl3(nearest, v[kept - 1].w, weight[kept - 1]);
    }
  }
  *n = kept;
  return true;
}

// ---- from corners to an optimum

// a trial and the best result so far
typedef struct {
  cr_core *a, *b;
  const cr_optimum* guess;  // its normal, on_a, on_b
  cr_real least;            // the distance of the answer is at least this
  cr_real enough;           // a value from which on it is the answer, up to round-off
  cr_optimum best;
} trials;

// Gain that a trial needs on one shape. A rim bounds its disk, a straight line may cross a face as a
// diagonal. If both answer, the flat part is taken: next to a rim's axis its points are only
// round-off, and a line would leave the normal free to turn about it.
static cr_real ahead(cr_touch_kind kind, cr_touch_kind best) {
  bool rim = kind == CR_TOUCH_RIM, line = kind == CR_TOUCH_EDGE;
  return best != CR_TOUCH_FACE ? 0 : rim ? SLACK : line ? CR_R(64) * CR_EPS : 0;
}

static cr_real threshold(const trials* t, const cr_optimum* trial) {
  cr_real share =
      cr_max(ahead(trial->a.kind, t->best.a.kind), ahead(trial->b.kind, t->best.b.kind));
  return t->best.dist + share * (t->a->shape->bound + t->b->shape->bound);
}

static void try_touches(trials* t, const cr_touch* ta, int na, const cr_touch* tb, int nb) {
  for (int i = 0; i < na; i++) {
    for (int k = 0; k < nb && t->best.dist < t->enough; k++) {
      cr_optimum trial = *t->guess;
      trial.a = ta[i];
      trial.b = tb[k];
      if (cri_optimum(t->a, t->b, &trial) && trial.dist >= t->least &&
          trial.dist > threshold(t, &trial)) {
        t->best = trial;
      }
    }
  }
}

// A face and a nearly parallel feature do not meet along its length, nor do two such lines. Only the
// point farthest along the face's own normal touches, or an end of a line.
static void try_ends(trials* t, const cr_touch* ta, int na, const cr_touch* tb, int nb) {
  for (int i = 0; i < na + nb; i++) {
    bool of_a = i < na;
    const cr_touch* own = of_a ? &ta[i] : &tb[i - na];
    cr_core* other = of_a ? t->b : t->a;
    cr_real normal[3], p[3];
    cr_touch end[CR_MAX_TOUCH];
    if (cri_touch_axis(of_a ? t->a : t->b, own, normal) == 2) {
      cr_scl3(normal, normal, -1);
      int32_t id = cri_support(other, normal, p);
      int n = cri_touches(other, normal, &id, 1, end);
      try_touches(t, of_a ? own : end, of_a ? 1 : n, of_a ? end : own, of_a ? n : 1);
    }
    int n = cri_touch_ends(of_a ? t->a : t->b, own, end);
    try_touches(t, of_a ? end : ta, of_a ? n : na, of_a ? tb : end, of_a ? nb : n);
  }
}

// An end of one line touches another: if the two are parallel they share a part, and the lines
// touch. An end and a line answer as well, at a place of their own.
static void prefer_lines(trials* t, const cr_touch* ta, int na, const cr_touch* tb, int nb) {
  cr_real axis_a[3], axis_b[3], c[3];
  int dim_a = cri_touch_axis(t->a, &t->best.a, axis_a);
  int dim_b = cri_touch_axis(t->b, &t->best.b, axis_b);
  if (dim_a + dim_b != 1) {
    return;
  }
  const cr_touch* other = dim_a == 1 ? tb : ta;
  for (int i = 0; i < (dim_a == 1 ? nb : na); i++) {
    cr_real* axis = dim_a == 1 ? axis_b : axis_a;
    if (cri_touch_axis(dim_a == 1 ? t->b : t->a, &other[i], axis) != 1) {
      continue;
    }
    cr_cross3(c, axis_a, axis_b);
    cr_optimum trial = t->best;
    *(dim_a == 1 ? &trial.b : &trial.a) = other[i];
    cr_real tiny = CR_R(64) * CR_EPS * (t->a->shape->bound + t->b->shape->bound);
    if (cr_norm3(c) <= SLACK && cri_optimum(t->a, t->b, &trial) &&
        trial.dist >= t->best.dist - tiny) {
      t->best = trial;
      return;
    }
  }
}

// bounds of the answer's distance: at least and at most, up to round-off
typedef struct {
  cr_real least, most;
} bounds;

// tries the features on which the corners may lie. The guess is normal, on_a, on_b of x, and it has
// reached the least distance already. `last`: the guess will not get any better
static bool settle(cr_core* a, cr_core* b, const vertex* const* v, int n, bounds dist, bool last,
                   cr_optimum* x) {
  cr_touch ta[CR_MAX_TOUCH], tb[CR_MAX_TOUCH];
  int32_t id_a[4], id_b[4];
  cr_real minus[3];
  for (int i = 0; i < n; i++) {
    id_a[i] = v[i]->id_a;
    id_b[i] = v[i]->id_b;
  }
  cr_scl3(minus, x->normal, -1);
  int na = cri_touches(a, x->normal, id_a, n, ta), nb = cri_touches(b, minus, id_b, n, tb);
  cr_real slack = SLACK * (a->shape->bound + b->shape->bound);
  trials t = {.a = a,
              .b = b,
              .guess = x,
              .least = dist.least - slack,
              .enough = dist.most - slack,
              .best = {.dist = -CR_MAX}};
  try_touches(&t, ta, na, tb, nb);
  if (last && t.best.dist == -CR_MAX) {
    try_ends(&t, ta, na, tb, nb);
  }
  if (t.best.dist > -CR_MAX) {
    prefer_lines(&t, ta, na, tb, nb);
    *x = t.best;
    cr_zero(x->slide[0], 4);
    if (n == 3) {
      cri_optimum_slide(a, b, (const cr_real* [3]){v[0]->a, v[1]->a, v[2]->a},
                        (const cr_real* [3]){v[0]->b, v[1]->b, v[2]->b}, x);
    }
    return true;
  }
  x->a = na > 0 ? ta[0] : (cr_touch){CR_TOUCH_NONE, {0, 0, 0}};
  x->b = nb > 0 ? tb[0] : (cr_touch){CR_TOUCH_NONE, {0, 0, 0}};
  return false;
}

static void weighted(const vertex* const* v, int n, const cr_real* weight, cr_optimum* x) {
  cr_zero3(x->on_a);
  cr_zero3(x->on_b);
  for (int i = 0; i < n; i++) {
    cr_accscl3(x->on_a, v[i]->a, weight[i]);
    cr_accscl3(x->on_b, v[i]->b, weight[i]);
  }
}

// ---- apart: descent

typedef enum { FAR, APART, OVERLAP } verdict;

// [collision_convex.n1] the nearest point v of a growing simplex; n = -v/|v|, and -n . w is a lower bound
static verdict descend(cr_core* a, cr_core* b, cr_real reach, vertex simplex[4], int* n,
                       cr_optimum* x, bool* exact) {
  bool flat = cri_core_flat(a) && cri_core_flat(b);
  cr_real size = a->shape->bound + b->shape->bound, v[3], weight[4] = {1, 0, 0, 0};
  cr_real ask = CR_R(0.05), last = CR_MAX;
  cr_sub3(v, a->pos, b->pos);
  *n = 0;
  *exact = false;
  for (int k = 0; k < MOST_DESCENT; k++) {
    cr_real length = cr_norm3(v);
    if (length < CR_R(1e-12) * size) {
      if (*n > 0) {
        return OVERLAP;
      }
      v[0] = length = 1;
      v[1] = v[2] = 0;
    }
    cr_scl3(x->normal, v, -1 / length);
    support(a, b, x->normal, simplex + *n);
    cr_real bound = -cr_dot3(x->normal, simplex[*n].w), gap = length - bound;
    if (bound > reach) {
      return FAR;
    }

    // near enough to identify the features
    bool known = false;
    for (int i = 0; flat && i < *n; i++) {
      known = known || (simplex[i].id_a == simplex[*n].id_a && simplex[i].id_b == simplex[*n].id_b);
    }
    bool done = *n > 0 && (known || gap <= CR_R(8) * CR_EPS * (length + size) || length >= last);
    if (bound > 0 && *n > 0 && (done || gap < ask * (flat ? 0 : length))) {
      const vertex* corner[4] = {simplex, simplex + 1, simplex + 2, simplex + 3};
      weighted(corner, *n, weight, x);
      x->dist = length;
      *exact = settle(a, b, corner, *n, (bounds){bound, bound}, done, x);
      if (*exact || done) {
        return APART;
      }
      ask /= 16;
    }
    if (done) {
      return bound > 0 ? APART : OVERLAP;
    }
    last = *n > 0 ? length : CR_MAX;
    ++*n;
    if (!reduce(simplex, n, weight, v)) {
      return OVERLAP;
    }
  }
  return cr_norm3(v) > CR_R(1e-9) * size ? APART : OVERLAP;
}

// ---- overlapping: growth

typedef struct {
  int32_t v[3];
  int32_t beside[3];  // the face across the edge from v[k] to v[k + 1]
  cr_real n[3];       // outward
  cr_real d;          // n . w over the face; the largest number if there is no normal
  bool alive;
} face;

typedef struct {
  vertex v[MOST_VERTEX];
  face f[MOST_FACE];
  cr_real open[MOST_FACE];  // d of a face that may hide the optimum; the largest number for others
  int32_t free[MOST_FACE];  // faces that may be used again
  int nv, nf, nfree;
} polytope;

// returns the face, -1 if there is no room
static int32_t add_face(polytope* p, int32_t i, int32_t j, int32_t k) {
  if (p->nfree == 0 && p->nf >= MOST_FACE) {
    return -1;
  }
  int32_t id = p->nfree > 0 ? p->free[--p->nfree] : p->nf++;
  face* f = &p->f[id];
  cr_real e1[3], e2[3];
  f->v[0] = i;
  f->v[1] = j;
  f->v[2] = k;
  f->d = CR_MAX;
  f->alive = true;
  cr_sub3(e1, p->v[j].w, p->v[i].w);
  cr_sub3(e2, p->v[k].w, p->v[i].w);
  cr_cross3(f->n, e1, e2);
  cr_real square = cr_dot3(f->n, f->n);
  if (square > CR_R(1e-24) * cr_dot3(e1, e1) * cr_dot3(e2, e2) && square > 0) {
    cr_scl3(f->n, f->n, 1 / cr_sqrt(square));
    f->d = cr_dot3(f->n, p->v[i].w);
  }
  p->open[id] = f->d;
  return id;
}

// a unit vector across v, which may be zero
static void across(const cr_real v[3], cr_real n[3]) {
  int k = cr_abs(v[0]) < cr_abs(v[1]) ? 0 : 1;
  k = cr_abs(v[2]) < cr_abs(v[k]) ? 2 : k;
  cr_real axis[3] = {0, 0, 0};
  axis[k] = 1;
  cr_cross3(n, v, axis);
  if (cr_normalize3(n) == 0) {
    cr_copy3(n, axis);
  }
}

// [collision_convex.n2] a first tetrahedron, from the corners of the descent and more support points
static bool begin(cr_core* a, cr_core* b, polytope* p, const vertex* simplex, int n, cr_real size) {
  static const cr_real axis[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  cr_real tiny = CR_R(1e-10) * size;
  p->nv = p->nf = p->nfree = 0;
  for (int pass = 0; p->nv < 4 && pass < 18; pass++) {
    vertex* w = &p->v[p->nv];
    if (pass < n) {
      *w = simplex[pass];
    } else if (p->nv == 3) {
      // along the normal of the triangle, then against it
      cr_real e1[3], e2[3], normal[3];
      cr_sub3(e1, p->v[1].w, p->v[0].w);
      cr_sub3(e2, p->v[2].w, p->v[0].w);
      cr_cross3(normal, e1, e2);
      cr_normalize3(normal);
      cr_scl3(normal, normal, pass % 2 ? -1 : 1);
      support(a, b, normal, w);
    } else if (p->nv == 2) {
      // across the edge, in two directions and against them
      cr_real e[3], way[3], other[3];
      cr_sub3(e, p->v[1].w, p->v[0].w);
      across(e, way);
      cr_cross3(other, e, way);
      cr_normalize3(other);
      cr_scl3(way, pass % 4 < 2 ? way : other, pass % 2 ? -1 : 1);
      support(a, b, way, w);
    } else {
      support(a, b, axis[(pass - n) % 6], w);
    }

    // does it add a dimension? The first corner does
    cr_real e[3], d[3], c[3], height = 0;
    if (p->nv > 0) {
      cr_sub3(d, w->w, p->v[0].w);
      height = cr_norm3(d);
    }
    if (p->nv > 1) {
      cr_sub3(e, p->v[1].w, p->v[0].w);
      cr_cross3(c, e, d);
      height = cr_norm3(c) / cr_norm3(e);
    }
    if (p->nv > 2) {
      cr_real e2[3];
      cr_sub3(e2, p->v[2].w, p->v[0].w);
      cr_cross3(c, e, e2);
      cr_normalize3(c);
      height = cr_dot3(c, d);
    }
    if (p->nv == 0 || cr_abs(height) > tiny) {
      p->nv++;
      if (p->nv == 4 && height > 0) {
        vertex keep = p->v[0];
        p->v[0] = p->v[1];
        p->v[1] = keep;
      }
    }
  }
  if (p->nv < 4) {
    return false;
  }
  static const int32_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {0, 2, 3}};
  static const int32_t beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {0, 2, 1}};
  for (int i = 0; i < 4; i++) {
    face* f = &p->f[add_face(p, corner[i][0], corner[i][1], corner[i][2])];
    memcpy(f->beside, beside[i], sizeof f->beside);
  }
  return true;
}

// an edge of the outline that a point faces: the face beyond it, and which of its edges it is
typedef struct {
  int32_t from, to, beyond, side;
} outline_edge;

static bool sees(const cr_real w[3], const face* f, cr_real slack) {
  return f->d == CR_MAX || cr_dot3(f->n, w) > f->d + slack;
}

// removes the faces that face the newest vertex, beginning at one of them; returns the number of
// edges of their outline, 0 if there is no room
static int clear(polytope* p, int32_t start, cr_real slack, outline_edge edge[MOST_FACE]) {
  int32_t seen[MOST_FACE];
  int nseen = 1, nedge = 0;
  const cr_real* w = p->v[p->nv - 1].w;
  seen[0] = start;
  p->f[start].alive = false;
  p->open[start] = CR_MAX;
  for (int i = 0; i < nseen; i++) {
    const face* f = &p->f[seen[i]];
    for (int k = 0; k < 3; k++) {
      int32_t id = f->beside[k];
      face* g = &p->f[id];
      if (g->alive && sees(w, g, slack)) {
        g->alive = false;
        p->open[id] = CR_MAX;
        seen[nseen++] = id;
      }
    }
  }
  for (int i = 0; i < nseen; i++) {
    const face* f = &p->f[seen[i]];
    for (int k = 0; k < 3; k++) {
      const face* g = &p->f[f->beside[k]];
      if (g->alive) {
        int32_t to = f->v[(k + 1) % 3];
        edge[nedge++] = (outline_edge){f->v[k], to, f->beside[k],
                                       g->v[0] == to   ? 0
                                       : g->v[1] == to ? 1
                                                       : 2};
      }
    }
  }
  for (int i = 0; i < nseen; i++) {
    p->free[p->nfree++] = seen[i];
  }
  return nedge;
}

// [collision_convex.n3] replaces the faces that face the newest vertex by a fan over their outline
static bool grow(polytope* p, int32_t start, cr_real slack) {
  outline_edge edge[MOST_FACE];
  int32_t fan[MOST_FACE], from[MOST_VERTEX], newest = p->nv - 1;
  int nedge = clear(p, start, slack, edge);
  if (nedge < 3 || nedge > p->nfree + MOST_FACE - p->nf) {
    return false;
  }
  for (int i = 0; i < p->nv; i++) {
    from[i] = -1;
  }
  for (int i = 0; i < nedge; i++) {
    fan[i] = add_face(p, edge[i].from, edge[i].to, newest);
    p->f[fan[i]].beside[0] = edge[i].beyond;
    p->f[edge[i].beyond].beside[edge[i].side] = fan[i];
    if (from[edge[i].from] >= 0) {
      return false;  // no simple loop: round-off
    }
    from[edge[i].from] = fan[i];
  }
  for (int i = 0; i < nedge; i++) {
    int32_t next = from[edge[i].to];
    if (next < 0) {
      return false;
    }
    p->f[fan[i]].beside[1] = next;
    p->f[next].beside[2] = fan[i];
  }
  return true;
}

static int lowest(const polytope* p) {
  cr_real least = CR_MAX;
  int best = -1;
  for (int i = 0; i < p->nf; i++) {
    if (p->open[i] < least) {
      least = p->open[i];
      best = i;
    }
  }
  return best;
}

static bool settle_face(cr_core* a, cr_core* b, const polytope* p, const face* f, cr_real gap,
                        bool last, cr_optimum* x) {
  const vertex* corner[3] = {&p->v[f->v[0]], &p->v[f->v[1]], &p->v[f->v[2]]};
  cr_real foot[3], weight[3], sum = 0;
  cr_scl3(foot, f->n, f->d);
  for (int k = 0; k < 3; k++) {
    cr_real e1[3], e2[3], c[3];
    cr_sub3(e1, corner[(k + 1) % 3]->w, foot);
    cr_sub3(e2, corner[(k + 2) % 3]->w, foot);
    cr_cross3(c, e1, e2);
    weight[k] = cr_max(cr_dot3(c, f->n), 0);
    sum += weight[k];
  }
  for (int k = 0; k < 3; k++) {
    weight[k] = sum > 0 ? weight[k] / sum : CR_R(1.0) / 3;
  }
  weighted(corner, 3, weight, x);
  cr_copy3(x->normal, f->n);
  x->dist = -f->d;
  cr_real least = -f->d - gap;
  return settle(a, b, corner, 3, (bounds){least, last ? -f->d : least}, last, x);
}

// [collision_convex.n5] No direction at an angle psi from a face's normal has less than d cos(psi) + r sin(psi), with r
// how far inside the face the foot of the origin lies. So a better optimum than one of depth D can only be
// within psi_1 of the face or beyond psi_2, where that is D. If psi_1 is small and the face near the
// optimum, directions within psi_1 belong to the optimum: the faces up to psi_2 are done.
static bool fence(polytope* p, const face* f, const cr_optimum* best, cr_real near) {
  cr_real depth = -best->dist, foot[3], inside = CR_MAX;
  if (cr_dot3(f->n, best->normal) < near || depth <= 0) {
    return false;
  }
  cr_scl3(foot, f->n, f->d);
  for (int k = 0; k < 3; k++) {
    const cr_real* v = p->v[f->v[k]].w;
    cr_real edge[3], in[3], arm[3];
    cr_sub3(edge, p->v[f->v[(k + 1) % 3]].w, v);
    cr_cross3(in, f->n, edge);
    cr_normalize3(in);
    cr_sub3(arm, foot, v);
    inside = cr_min(inside, cr_dot3(arm, in));
  }
  cr_real reach = cr_sqrt(f->d * f->d + inside * inside);
  if (inside <= 0 || reach < depth) {
    return false;
  }
  cr_real middle = cr_atan2(inside, f->d), half = cr_acos(depth / reach);
  if (cr_cos(middle - half) < near) {
    return false;
  }
  const cr_real n[3] = {f->n[0], f->n[1], f->n[2]};
  cr_real outer = middle + half < CR_PI ? cr_cos(middle + half) : -1;
  for (int i = 0; i < p->nf; i++) {
    if (cr_dot3(p->f[i].n, n) > outer) {
      p->open[i] = CR_MAX;
    }
  }
  return true;
}

// [collision_convex.n6] Too thin for a polytope: the first corners span the whole difference, up to round-off,
// and across them it is thinnest.
static bool settle_thin(cr_core* a, cr_core* b, const polytope* p, cr_optimum* x) {
  const vertex* corner[3] = {&p->v[0], &p->v[1], &p->v[2]};
  cr_real e1[3] = {0, 0, 0}, e2[3], minus[3], weight[3] = {1, 0, 0};
  int n = p->nv < 3 ? p->nv : 3;
  if (n == 3) {
    cr_sub3(e1, corner[1]->w, corner[0]->w);
    cr_sub3(e2, corner[2]->w, corner[0]->w);
    cr_cross3(x->normal, e1, e2);
    cr_normalize3(x->normal);
    (void)on_triangle((const cr_real* [3]){corner[0]->w, corner[1]->w, corner[2]->w}, weight);
  } else {
    if (n == 2) {
      cr_sub3(e1, corner[1]->w, corner[0]->w);
      (void)on_segment(corner[0]->w, corner[1]->w, weight);
    }
    across(e1, x->normal);
  }

  // of its two sides the nearer one
  vertex over, under;
  support(a, b, x->normal, &over);
  cr_scl3(minus, x->normal, -1);
  support(a, b, minus, &under);
  cr_real depth = cr_dot3(x->normal, over.w), other = cr_dot3(minus, under.w);
  if (other < depth) {
    cr_copy3(x->normal, minus);
    depth = other;
  }
  x->dist = -depth;
  weighted(corner, n, weight, x);
  return settle(a, b, corner, n, (bounds){-depth, -depth}, true, x);
}

// settles from a normal and its support points, if along it the two are less deep than the known
// optimum; returns true if that is beaten. No other normal has more than the distance `most`
static bool try_normal(cr_core* a, cr_core* b, const cr_real n[3], cr_real most, cr_real size,
                       cr_optimum* best) {
  vertex w;
  const vertex* corner[1] = {&w};
  cr_optimum x;
  support(a, b, n, &w);
  cr_real dist = -cr_dot3(n, w.w), one = 1;
  if (dist <= best->dist + CR_R(32) * CR_EPS * size) {
    return false;
  }
  cr_copy3(x.normal, n);
  weighted(corner, 1, &one, &x);
  if (!settle(a, b, corner, 1, (bounds){dist, most}, true, &x)) {
    return false;
  }
  *best = x;
  return true;
}

// [collision_convex.n7] For a growth that ends without a proof, as it does if a whole circle of normals is equally deep: tries
// the normals of all flat parts, and the axes of the others.
static bool try_axes(cr_core* a, cr_core* b, const cr_core* of, cr_real size, cr_optimum* best) {
  const cr_shape* s = of->shape;
  bool hull = s->type == CR_GEOM_MESH, beaten = false;
  for (int i = 0; i < (hull ? s->hull->npoly : 3); i++) {
    cr_real n[3], minus[3];
    if (hull) {
      cr_mulmat3(n, s->mat, s->hull->normal + 3 * i);
    } else {
      cr_col3(n, s->mat, i);
    }
    cr_scl3(minus, n, -1);
    beaten = try_normal(a, b, n, CR_MAX, size, best) || beaten;
    beaten = try_normal(a, b, minus, CR_MAX, size, best) || beaten;
  }
  return beaten;
}

// the same from every face that may still hide something better
static bool try_faces(cr_core* a, cr_core* b, const polytope* p, cr_real tiny, cr_optimum* best) {
  bool beaten = false;
  for (int i = 0; i < p->nf; i++) {
    const face* f = &p->f[i];
    cr_optimum x;
    if (p->open[i] < -best->dist - tiny && settle_face(a, b, p, f, -f->d - best->dist, true, &x) &&
        x.dist > best->dist) {
      *best = x;
      beaten = true;
    }
  }
  return beaten;
}

// the support point over a face; the search begins at its corners farthest along the normal
static void support_over(cr_core* a, cr_core* b, const polytope* p, const face* f, vertex* w) {
  const vertex *far_a = &p->v[f->v[0]], *far_b = far_a;
  for (int k = 1; k < 3; k++) {
    const vertex* v = &p->v[f->v[k]];
    far_a = cr_dot3(f->n, v->a) > cr_dot3(f->n, far_a->a) ? v : far_a;
    far_b = cr_dot3(f->n, v->b) < cr_dot3(f->n, far_b->b) ? v : far_b;
  }
  a->near = far_a->near_a;
  b->near = far_b->near_b;
  support(a, b, f->n, w);
}

// [collision_convex.n4] the lowest face bounds the depth from below, the support point over it from above
static bool expand(cr_core* a, cr_core* b, polytope* p, cr_real size, cr_optimum* x) {
  cr_real tiny = CR_R(32) * CR_EPS * size, slack = CR_R(2) * CR_EPS * size;
  bool exact = false, proved = false;
  bool curved = !cri_core_flat(a) || !cri_core_flat(b);
  cr_real ask =
      curved ? CR_R(0.1) * size : 0;  // flat shapes end at a face of the difference itself
  bool ball = a->shape->type == CR_GEOM_ELLIPSOID || b->shape->type == CR_GEOM_ELLIPSOID;
  cr_real near = ball ? NEAR : NEAR_EDGES;
  cr_optimum best = {.dist = -CR_MAX};
  cr_real reached = -CR_MAX, along[3] = {0, 0, 1};
  x->dist = -CR_MAX;
  for (int k = 0; k < MOST_GROWTH; k++) {
    int i = lowest(p);
    if (i < 0) {
      proved = exact;
      break;
    }
    face f = p->f[i];
    if (exact && f.d >= -best.dist - tiny) {
      proved = true;
      break;
    }

    if (exact && curved && fence(p, &f, &best, near)) {
      continue;
    }
    vertex* w = &p->v[p->nv];
    support_over(a, b, p, &f, w);
    cr_real gap = cr_dot3(f.n, w->w) - f.d;
    if (-f.d - gap > reached) {
      reached = -f.d - gap;
      cr_copy3(along, f.n);
    }

    // with an optimum known, only smaller depths are of interest
    bool better = !exact || f.d + gap < -best.dist - tiny;
    if ((gap < ask && better) || gap <= tiny) {
      bool found = settle_face(a, b, p, &f, gap, gap <= tiny, x);
      if (found && (!exact || x->dist > best.dist)) {
        best = *x;
        exact = true;
      }
      ask = found ? ask : gap / 8;
      if (gap <= tiny) {
        p->open[i] = CR_MAX;
        if (!exact) {
          break;
        }
        continue;
      }
    }
    p->nv++;
    if (p->nv >= MOST_VERTEX || !grow(p, i, slack)) {
      break;
    }
  }
  if (!proved) {
    best.dist = exact ? best.dist : reached - SLACK * size;
    exact = try_faces(a, b, p, tiny, &best) || exact;
    exact = try_axes(a, b, a, size, &best) || exact;
    exact = try_axes(a, b, b, size, &best) || exact;
  }
  if (exact) {
    *x = best;
  } else if (x->dist == -CR_MAX) {
    exact = settle_thin(a, b, p, x);
  } else {
    x->dist = reached;
    cr_copy3(x->normal, along);
  }
  return exact;
}

// [collision_convex.n8] True if they overlap by no more than the difference of two bounds along the descent's last normal: no
// other can be less deep.
static bool settle_touching(cr_core* a, cr_core* b, cr_real size, cr_optimum* x) {
  cr_optimum found = {.dist = -SLACK * size};
  if (!try_normal(a, b, x->normal, 0, size, &found)) {
    return false;
  }
  *x = found;
  return true;
}

static cr_real reached_along(cr_core* a, cr_core* b, const cr_real n[3]) {
  vertex w;
  support(a, b, n, &w);
  return -cr_dot3(n, w.w);
}

cr_nearest cri_gjk_epa(cr_core* a, cr_core* b, cr_real reach, cr_optimum* x) {
  vertex simplex[4];
  int n;
  bool exact;
  cr_zero(x->slide[0], 4);
  verdict v = descend(a, b, reach, simplex, &n, x, &exact);
  if (v == FAR) {
    return CR_NEAREST_FAR;
  }
  cr_real size = a->shape->bound + b->shape->bound;
  if (v == APART && !exact) {
    // the descent got stuck on corners too near to each other
    cr_optimum best = {.dist = reached_along(a, b, x->normal) - SLACK * size};
    exact = try_axes(a, b, a, size, &best);
    exact = try_axes(a, b, b, size, &best) || exact;
    *x = exact ? best : *x;
    x->dist = exact ? x->dist : best.dist + SLACK * size;
  }
  if (v == OVERLAP && settle_touching(a, b, size, x)) {
    exact = true;
  } else if (v == OVERLAP) {
    polytope p;
    exact = begin(a, b, &p, simplex, n > 4 ? 4 : n, size) ? expand(a, b, &p, size, x)
                                                          : settle_thin(a, b, &p, x);
  }
  if (x->dist > reach) {
    return CR_NEAREST_FAR;
  }
  return exact ? CR_NEAREST_EXACT : CR_NEAREST_ROUGH;
}
