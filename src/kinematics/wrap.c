// SPDX-License-Identifier: Apache-2.0
// The branch is chosen first. A branch is two turns and an arc, each with its gradient by the four
// invariants of the plane. The rest, forward and backward, is the same for all branches.
#include "kinematics/wrap.h"

#include "math/vec3.h"

enum { L0, L1, BETA, RADIUS, MAX_ITERATIONS = 20 };

static const cr_real residual_allowed = CR_R(1e-6);

// an angle in the plane, as numbers in proportion to its cosine and sine: angles add as complex
// numbers multiply, so one arc tangent measures a sum of them
typedef struct {
  cr_real c, s;
} angle;

static angle sum(angle a, angle b) { return (angle){a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s}; }

static cr_real measure(angle a) { return cr_atan2(a.s, a.c); }

// ---- [tendon.g1] the plane

static void into_geom(cr_real p[3], const cr_real world[3], const cr_real pos[3],
                      const cr_real mat[9]) {
  cr_real arm[3];
  cr_sub3(arm, world, pos);
  cr_multmat3(p, mat, arm);
}

static void into_plane(cr_real x[3], const cr_real p[3], bool cylinder) {
  cr_copy3(x, p);
  x[2] = cylinder ? 0 : p[2];
}

// a vector that is not along a: 0 at its largest component, 1 elsewhere
static void other_vector(cr_real e[3], const cr_real a[3]) {
  int i = cr_abs(a[1]) > cr_abs(a[0]) && cr_abs(a[1]) > cr_abs(a[2]) ? 1 : 0;
  i = cr_abs(a[2]) > cr_abs(a[0]) && cr_abs(a[2]) > cr_abs(a[1]) ? 2 : i;
  e[0] = e[1] = e[2] = 1;
  e[i] = 0;
}

static cr_real square(const cr_real a[3]) { return cr_dot3(a, a); }

static void set_normal(cri_wrap* w) {
  w->across = w->follows = 0;
  cr_zero3(w->n);
  w->n[2] = 1;
  if (w->cylinder) {
    return;
  }
  w->follows = 1;
  cr_copy3(w->f, w->x[1]);
  cr_cross3(w->n, w->x[0], w->f);
  w->across = cr_normalize3(w->n);
  if (w->across < CR_MINVAL) {
    w->follows = 0;
    other_vector(w->f, w->x[0]);
    cr_cross3(w->n, w->x[0], w->f);
    w->across = cr_normalize3(w->n);
  }
}

// from a to b about n
static angle between(const cri_wrap* w, const cr_real a[3], const cr_real b[3]) {
  cr_real across[3];
  if (w->cylinder) {
    return (angle){a[0] * b[0] + a[1] * b[1], a[0] * b[1] - a[1] * b[0]};
  }
  cr_cross3(across, a, b);
  return (angle){cr_dot3(a, b), cr_dot3(across, w->n)};
}

static void set_distances(cri_wrap* w) {
  w->l[0] = cr_norm3(w->x[0]);
  w->l[1] = cr_norm3(w->x[1]);
}

// the other side of the plane
static void flip(cri_wrap* w) {
  cr_scl3(w->n, w->n, -1);
  cr_scl3(w->f, w->f, -1);
  w->follows = -w->follows;
}

// squared distance of the segment from the centre
static cr_real nearest(const cri_wrap* w, bool* within) {
  cr_real along[3], at[3];
  cr_sub3(along, w->x[1], w->x[0]);
  cr_real length = cr_dot3(along, along);
  cr_real a = length > 0 ? -cr_dot3(along, w->x[0]) / length : 0;
  *within = a > 0 && a < 1;
  cr_copy3(at, w->x[0]);
  cr_accscl3(at, along, cr_clip(a, 0, 1));
  return cr_dot3(at, at);
}

// ---- around

// winding of the polyline from end to end over the side site: the way of the straight segment, by
// |turn| = |direct| <= pi, or the other way, by 2 pi - |direct|
typedef struct {
  angle direct;
  bool positive, detour;
} winding;

static winding winding_of(const cri_wrap* w, const cr_real* side) {
  winding v = {.direct = between(w, w->x[0], w->x[1])};
  v.positive = v.direct.s >= 0;
  if (side == NULL) {
    return v;
  }
  cr_real s[3], off[3];
  into_plane(s, side, w->cylinder);
  cr_copy3(off, s);
  cr_accscl3(off, w->n, -cr_dot3(s, w->n));
  if (square(off) < CR_MINVAL * CR_MINVAL) {
    cr_copy3(s, w->x[0]);
    if (w->cylinder) {
      s[0] = 1;
      s[1] = s[2] = 0;
    }
  }
  // If both legs turn the same way, the polyline does too. It is a detour if the segment turns the other way.
  // This cannot be where both turn by less than a right angle, whatever the segment's sine rounds to. Legs
  // that turn against each other leave less than half a turn, that of the segment.
  angle a = between(w, w->x[0], s), b = between(w, s, w->x[1]);
  if ((a.s < 0) == (b.s < 0)) {
    v.positive = a.s >= 0;
    v.detour = (v.positive ? v.direct.s < 0 : v.direct.s > 0) && (a.c < 0 || b.c < 0);
  }
  return v;
}

// [tendon.g2] psi_0 = acos(r / l_0), psi_1 = -acos(r / l_1)
static void set_tangents(cri_wrap* w) {
  cr_real r = w->r;
  cr_zero(w->arc_grad, 4);
  for (int k = 0; k < 2; k++) {
    cr_real l = w->l[k], tangent = cr_sqrt(cr_max(0, l * l - r * r)), sign = k == 0 ? 1 : -1;
    cr_real slope = 1 / cr_max(tangent, CR_MINVAL);
    w->leg[k].base = k;
    w->leg[k].c = r / l;
    w->leg[k].s = sign * tangent / l;
    cr_zero(w->leg[k].grad, 4);
    w->leg[k].grad[k] = sign * r / l * slope;
    w->leg[k].grad[RADIUS] = -sign * slope;
    w->arc_grad[k] = -r * r / l * slope;
    w->arc_grad[RADIUS] += r * slope;
  }
}

// arc = r theta, after set_tangents
static void set_arc(cri_wrap* w, cr_real theta) {
  w->theta = theta;
  w->arc = w->r * theta;
  w->arc_grad[BETA] = w->r;
  w->arc_grad[RADIUS] += theta;
}

static bool around(cri_wrap* w, const cr_real* side) {
  cr_real r = w->r, gap[3];
  cr_sub3(gap, w->x[1], w->x[0]);
  if (square(w->x[0]) < r * r || square(w->x[1]) < r * r || r < CR_MINVAL ||
      square(gap) < CR_MINVAL) {
    return false;
  }
  bool within, clear = nearest(w, &within) > r * r;
  if (clear && side == NULL) {
    return false;
  }
  set_normal(w);
  winding v = winding_of(w, side);
  if (clear && !v.detour) {
    return false;
  }
  set_distances(w);
  w->branch = v.positive ? 1 : -1;
  if (w->branch < 0) {
    flip(w);
  }

  set_tangents(w);
  // [tendon.g2] theta = beta - psi_0 + psi_1, between 0 and pi, of a detour and 2 pi
  angle beta = {v.direct.c, v.detour ? -cr_abs(v.direct.s) : cr_abs(v.direct.s)};
  angle psi_0 = {w->leg[0].c, w->leg[0].s}, psi_1 = {w->leg[1].c, -w->leg[1].s};
  cr_real theta = -measure(sum(sum(psi_0, psi_1), (angle){beta.c, -beta.s}));
  theta += theta < (v.detour ? 0 : -CR_PI / 2) ? 2 * CR_PI : 0;
  set_arc(w, theta);
  return theta >= 0;
}

// ---- inside

// one of the two terms asin(A sin phi): with its derivatives by phi and A
typedef struct {
  angle value;
  cr_real by_phi, by_phi2, by_A, by_phi_A;
} ray;

static ray ray_of(cr_real A, angle phi) {
  cr_real s = A * phi.s, u = cr_sqrt(cr_max(0, 1 - s * s)), u1 = 1 / u, u3 = u1 * u1 * u1;
  return (ray){.value = {u, s},
               .by_phi = A * phi.c * u1,
               .by_phi2 = -s * (1 - A * A) * u3,
               .by_A = phi.s * u1,
               .by_phi_A = phi.c * u3};
}

// [tendon.g3] phi, and the state of its iteration
typedef struct {
  angle phi;
  ray ray[2];       // of A and B
  angle turn[2];    // asin(A sin phi) - phi: angle by which each ray is turned, backwards
  cr_real grad[3];  // of phi by A, B, G
} touch;

// Newton's method from pi / 2. There f is concave and falls, so that phi comes down to the root and
// f stays between -pi and 0, where its tangent determines it. Returns the iterations, -1: no root.
static int find_touch(const cr_real A[2], angle G, touch* t) {
  cr_real phi = CR_PI / 2;
  t->phi = (angle){0, 1};
  cr_zero3(t->grad);
  for (int i = 0; i <= MAX_ITERATIONS; i++) {
    for (int k = 0; k < 2; k++) {
      t->ray[k] = ray_of(A[k], t->phi);
      t->turn[k] = sum(t->ray[k].value, (angle){t->phi.c, -t->phi.s});
    }
    const ray *a = t->ray, *b = t->ray + 1;
    cr_real f = measure(sum(sum(t->turn[0], t->turn[1]), G)), df = a->by_phi + b->by_phi - 2;
    if (f > (i == 0 ? 0 : residual_allowed)) {
      return -1;
    }
    if (cr_abs(f) <= residual_allowed) {
      return i;
    }
    if (df > -CR_MINVAL || i == MAX_ITERATIONS) {
      return -1;
    }
    // phi -= f / f': its derivative is -f_x / f' + f (f'' phi_x + f'_x) / f'^2
    cr_real by[3] = {a->by_A, b->by_A, 1}, cross[3] = {a->by_phi_A, b->by_phi_A, 0};
    cr_real step = f / df, scale = 1 / df;
    for (int k = 0; k < 3; k++) {
      cr_real bend = (a->by_phi2 + b->by_phi2) * t->grad[k] + cross[k];
      t->grad[k] = (step * bend - by[k]) * scale;
    }
    phi -= step;
    t->phi = (angle){cr_cos(phi), cr_sin(phi)};
  }
  return -1;
}

// direction of x_0 + x_1, as a turn of x_0
static void average(cri_wrap* w, angle G, cr_real sign) {
  cr_real l0 = w->l[0], l1 = w->l[1];
  cr_real along = l0 + l1 * G.c, up = l1 * G.s, size = along * along + up * up;
  cr_real *grad = w->leg[0].grad, length = cr_sqrt(size);
  w->leg[0].c = along / length;
  w->leg[0].s = sign * up / length;
  grad[L0] = -sign * up / size;
  grad[L1] = sign * l0 * G.s / size;
  grad[BETA] = (l1 * l1 + l0 * l1 * G.c) / size;
}

// [tendon.g3] psi = phi - asin(A sin phi), from the end that is turned counter-clockwise
static void reflect(cri_wrap* w, const touch* t, const cr_real A[2], cr_real sign) {
  int base = sign > 0 ? 0 : 1;
  const ray* q = &t->ray[base];
  cr_real by[3], *grad = w->leg[0].grad;
  for (int k = 0; k < 3; k++) {
    by[k] = (1 - q->by_phi) * t->grad[k] - (k == base ? q->by_A : 0);
  }
  w->leg[0].base = base;
  w->leg[0].c = t->turn[base].c;
  w->leg[0].s = -t->turn[base].s;
  for (int k = 0; k < 2; k++) {
    grad[k] = -by[k] * A[k] / w->l[k];
    grad[RADIUS] += by[k] / w->l[k];
  }
  grad[BETA] = by[2] * sign;
}

// one point, no arc
static void set_reflection(cri_wrap* w) {
  w->leg[1].base = w->leg[0].base;
  w->leg[1].c = w->leg[0].c;
  w->leg[1].s = w->leg[0].s;
  cr_copy(w->leg[1].grad, w->leg[0].grad, 4);
  w->theta = w->arc = 0;
  cr_zero(w->arc_grad, 4);
}

static bool inside(cri_wrap* w) {
  cr_real r = w->r;
  bool within;
  if (square(w->x[0]) <= r * r || square(w->x[1]) <= r * r || r < CR_MINVAL ||
      (nearest(w, &within) <= r * r && within)) {
    return false;
  }
  set_normal(w);
  set_distances(w);
  angle beta = between(w, w->x[0], w->x[1]);
  cr_real size = cr_sqrt(beta.c * beta.c + beta.s * beta.s), sign = beta.s > 0 ? 1 : -1;
  angle G = {beta.c / size, cr_abs(beta.s) / size};
  if (G.c < -1 + CR_MINVAL) {
    return false;
  }
  w->leg[0].base = 0;
  cr_zero(w->leg[0].grad, 4);
  const cr_real A[2] = {r / w->l[0], r / w->l[1]};
  touch t;
  int iterations = G.c > 1 - CR_MINVAL ? -1 : find_touch(A, G, &t);
  w->branch = CR_WRAP_INSIDE + (iterations < 0 ? MAX_ITERATIONS + 1 : iterations);
  if (iterations < 0) {
    average(w, G, sign);
  } else {
    reflect(w, &t, A, sign);
  }
  set_reflection(w);
  return true;
}

// ---- touching points

// u = x cos psi + n x x sin psi
static void turned(const cri_wrap* w, int k, cr_real u[3]) {
  const cr_real* x = w->x[w->leg[k].base];
  cr_real side[3];
  cr_cross3(side, w->n, x);
  cr_scl3(u, x, w->leg[k].c);
  cr_accscl3(u, side, w->leg[k].s);
}

// [tendon.g2] t = (r / l) u
static void place(cri_wrap* w, int k) {
  cr_real u[3];
  turned(w, k, u);
  cr_scl3(w->t[k], u, w->r / w->l[w->leg[k].base]);
}

static void place_tan(const cri_wrap* w, int k, cr_real x_tan[2][3], const cr_real n_tan[3],
                      const cr_real I_tan[4], cr_real t_tan[3]) {
  int base = w->leg[k].base;
  cr_real l = w->l[base], A = w->r / l, A_tan = (I_tan[RADIUS] - A * I_tan[base]) / l;
  cr_real u[3], across[3], psi_tan = 0;
  for (int i = 0; i < 4; i++) {
    psi_tan += w->leg[k].grad[i] * I_tan[i];
  }
  turned(w, k, u);
  cr_cross3(across, w->n, u);
  cr_scl3(t_tan, u, A_tan);
  cr_accscl3(t_tan, across, A * psi_tan);
  cr_accscl3(t_tan, x_tan[base], A * w->leg[k].c);
  cr_cross3(across, n_tan, w->x[base]);
  cr_acccross3(across, w->n, x_tan[base]);
  cr_accscl3(t_tan, across, A * w->leg[k].s);
}

static void place_bar(const cri_wrap* w, int k, const cr_real t_bar[3], cr_real x_bar[2][3],
                      cr_real n_bar[3], cr_real I_bar[4]) {
  int base = w->leg[k].base;
  cr_real l = w->l[base], A = w->r / l, u[3], across[3];
  turned(w, k, u);
  cr_cross3(across, w->n, u);
  cr_real psi_bar = A * cr_dot3(t_bar, across), A_bar = cr_dot3(t_bar, u);
  for (int i = 0; i < 4; i++) {
    I_bar[i] += w->leg[k].grad[i] * psi_bar;
  }
  I_bar[RADIUS] += A_bar / l;
  I_bar[base] -= A_bar * A / l;
  cr_accscl3(x_bar[base], t_bar, A * w->leg[k].c);
  cr_cross3(across, t_bar, w->n);
  cr_accscl3(x_bar[base], across, A * w->leg[k].s);
  cr_cross3(across, w->x[base], t_bar);
  cr_accscl3(n_bar, across, A * w->leg[k].s);
}

// ---- invariants and normal

static void invariants_tan(const cri_wrap* w, cr_real x_tan[2][3], cr_real r_tan,
                           cr_real I_tan[4]) {
  I_tan[BETA] = 0;
  I_tan[RADIUS] = r_tan;
  for (int k = 0; k < 2; k++) {
    cr_real side[3], l = w->l[k];
    cr_cross3(side, w->n, w->x[k]);
    I_tan[k] = cr_dot3(w->x[k], x_tan[k]) / l;
    // beta grows where the second end goes around, and shrinks with the first
    I_tan[BETA] += (k == 1 ? 1 : -1) * cr_dot3(side, x_tan[k]) / (l * l);
  }
}

static void invariants_bar(const cri_wrap* w, const cr_real I_bar[4], cr_real x_bar[2][3],
                           cr_real* r_bar) {
  for (int k = 0; k < 2; k++) {
    cr_real side[3], l = w->l[k];
    cr_cross3(side, w->n, w->x[k]);
    cr_accscl3(x_bar[k], w->x[k], I_bar[k] / l);
    cr_accscl3(x_bar[k], side, (k == 1 ? 1 : -1) * I_bar[BETA] / (l * l));
  }
  *r_bar += I_bar[RADIUS];
}

// n = x_0 x f / |x_0 x f|
static void normal_tan(const cri_wrap* w, cr_real x_tan[2][3], cr_real n_tan[3]) {
  cr_zero3(n_tan);
  if (!w->cylinder) {
    cr_real g[3], f_tan[3];
    cr_scl3(f_tan, x_tan[1], w->follows);
    cr_cross3(g, x_tan[0], w->f);
    cr_acccross3(g, w->x[0], f_tan);
    cr_normalize3_tan(n_tan, w->n, w->across, g);
  }
}

static void normal_bar(const cri_wrap* w, const cr_real n_bar[3], cr_real x_bar[2][3]) {
  if (!w->cylinder) {
    cr_real g[3], f_bar[3];
    cr_normalize3_tan(g, w->n, w->across, n_bar);
    cr_acccross3(x_bar[0], w->f, g);
    cr_cross3(f_bar, g, w->x[0]);
    cr_accscl3(x_bar[1], f_bar, w->follows);
  }
}

// ---- [tendon.g4] cylinders: z rises by `slope` per planar length

static cr_real reach(const cri_wrap* w, int k, cr_real away[3]) {
  cr_sub3(away, w->x[k], w->t[k]);
  away[2] = 0;
  return cr_norm3(away);
}

static cr_real rise(const cri_wrap* w) { return cr_sqrt(1 + w->slope * w->slope); }

static void raise(cri_wrap* w) {
  cr_real away[3];
  w->reach[0] = reach(w, 0, away);
  w->reach[1] = reach(w, 1, away);
  w->slope = (w->p[1][2] - w->p[0][2]) / (w->reach[0] + w->arc + w->reach[1]);
  w->t[0][2] = w->p[0][2] + w->slope * w->reach[0];
  w->t[1][2] = w->p[0][2] + w->slope * (w->reach[0] + w->arc);
  w->length = w->arc * rise(w);
}

// t_tan: planar on entry
static void raise_tan(const cri_wrap* w, cr_real p_tan[2][3], cr_real arc_tan, cr_real t_tan[2][3],
                      cr_real* length_tan) {
  cr_real total = w->reach[0] + w->arc + w->reach[1], reach_tan[2];
  for (int k = 0; k < 2; k++) {
    cr_real away[3], move[3], l = cr_max(reach(w, k, away), CR_MINVAL);
    cr_sub3(move, p_tan[k], t_tan[k]);
    reach_tan[k] = cr_dot3(away, move) / l;
  }
  cr_real slope_tan =
      (p_tan[1][2] - p_tan[0][2] - w->slope * (reach_tan[0] + arc_tan + reach_tan[1])) / total;
  t_tan[0][2] = p_tan[0][2] + slope_tan * w->reach[0] + w->slope * reach_tan[0];
  t_tan[1][2] = t_tan[0][2] + slope_tan * w->arc + w->slope * arc_tan;
  *length_tan = arc_tan * rise(w) + w->arc * w->slope * slope_tan / rise(w);
}

// t_bar: on return only its planar part counts; gives the cotangent of the arc
static cr_real raise_bar(const cri_wrap* w, cr_real t_bar[2][3], cr_real length_bar,
                         cr_real p_bar[2][3]) {
  cr_real total = w->reach[0] + w->arc + w->reach[1], high = t_bar[0][2] + t_bar[1][2];
  cr_real arc_bar = length_bar * rise(w) + t_bar[1][2] * w->slope;
  cr_real slope_bar =
      length_bar * w->arc * w->slope / rise(w) + t_bar[1][2] * w->arc + high * w->reach[0];
  cr_real share = slope_bar / total;
  p_bar[0][2] += high - share;
  p_bar[1][2] += share;
  arc_bar -= share * w->slope;
  for (int k = 0; k < 2; k++) {
    cr_real away[3], l = cr_max(reach(w, k, away), CR_MINVAL);
    cr_real reach_bar = (k == 0 ? high * w->slope : 0) - share * w->slope;
    t_bar[k][2] = 0;
    cr_accscl3(p_bar[k], away, reach_bar / l);
    cr_accscl3(t_bar[k], away, -reach_bar / l);
  }
  return arc_bar;
}

// ---- the whole

static void begin(cri_wrap* w, const cr_real end_0[3], const cr_real end_1[3], const cr_real pos[3],
                  const cr_real mat[9], cr_real r, bool cylinder) {
  w->branch = CR_WRAP_NOT;
  w->cylinder = cylinder;
  w->pos = pos;
  w->mat = mat;
  w->r = r;
  // [tendon.g1] p = mat' (end - pos)
  into_geom(w->p[0], end_0, pos, mat);
  into_geom(w->p[1], end_1, pos, mat);
  into_plane(w->x[0], w->p[0], cylinder);
  into_plane(w->x[1], w->p[1], cylinder);
}

static void finish(cri_wrap* w) {
  place(w, 0);
  place(w, 1);
  w->length = w->arc;
  if (w->cylinder) {
    raise(w);
  }
  for (int k = 0; k < 2; k++) {
    cr_copy3(w->point[k], w->pos);
    cr_accmat3(w->point[k], w->mat, w->t[k]);
  }
}

bool cri_wrap_path(cri_wrap* w, const cr_real end_0[3], const cr_real end_1[3],
                   const cr_real pos[3], const cr_real mat[9], cr_real r, bool cylinder,
                   const cr_real* side) {
  cr_real s[3];
  begin(w, end_0, end_1, pos, mat, r, cylinder);
  if (square(w->p[0]) < CR_MINVAL * CR_MINVAL || square(w->p[1]) < CR_MINVAL * CR_MINVAL) {
    return false;
  }
  if (side != NULL) {
    into_geom(s, side, pos, mat);
  }
  bool wraps = side != NULL && square(s) < r * r ? inside(w) : around(w, side != NULL ? s : NULL);
  if (wraps) {
    finish(w);
  } else {
    w->branch = CR_WRAP_NOT;
  }
  return wraps;
}

void cri_wrap_keep(const cri_wrap* w, cr_real kept[CR_WRAP_KEPT]) {
  kept[0] = w->theta;
  kept[1] = (cr_real)w->leg[0].base;
  kept[2] = w->leg[0].c;
  kept[3] = w->leg[0].s;
  cr_copy(kept + 4, w->leg[0].grad, 4);
}

void cri_wrap_recall(cri_wrap* w, const cr_real end_0[3], const cr_real end_1[3],
                     const cr_real pos[3], const cr_real mat[9], cr_real r, bool cylinder,
                     int branch, const cr_real kept[CR_WRAP_KEPT]) {
  begin(w, end_0, end_1, pos, mat, r, cylinder);
  set_normal(w);
  set_distances(w);
  w->branch = branch;
  if (branch < 0) {
    flip(w);
  }
  if (branch < CR_WRAP_INSIDE) {
    set_tangents(w);
    set_arc(w, kept[0]);
  } else {
    w->leg[0].base = (int)kept[1];
    w->leg[0].c = kept[2];
    w->leg[0].s = kept[3];
    cr_copy(w->leg[0].grad, kept + 4, 4);
    set_reflection(w);
  }
  finish(w);
}

void cri_wrap_path_tan(const cri_wrap* w, const cr_real end_0_tan[3], const cr_real end_1_tan[3],
                       const cr_real pos_tan[3], const cr_real mat_tan[9], cr_real r_tan,
                       cr_real point_tan[2][3], cr_real* length_tan) {
  const cr_real* end_tan[2] = {end_0_tan, end_1_tan};
  cr_real p_tan[2][3], x_tan[2][3], t_tan[2][3], n_tan[3], I_tan[4], arc_tan = 0;
  // [tendon.g1] mat' (end' - pos') + (mat')' (end - pos), with end - pos = mat p
  for (int k = 0; k < 2; k++) {
    cr_real arm[3];
    cr_sub3(arm, end_tan[k], pos_tan);
    cr_multmat3(p_tan[k], w->mat, arm);
    cr_mulmat3(arm, w->mat, w->p[k]);
    cr_acctmat3(p_tan[k], mat_tan, arm);
    into_plane(x_tan[k], p_tan[k], w->cylinder);
  }
  invariants_tan(w, x_tan, r_tan, I_tan);
  normal_tan(w, x_tan, n_tan);
  // [tendon.g2], [tendon.g3]
  for (int i = 0; i < 4; i++) {
    arc_tan += w->arc_grad[i] * I_tan[i];
  }
  place_tan(w, 0, x_tan, n_tan, I_tan, t_tan[0]);
  place_tan(w, 1, x_tan, n_tan, I_tan, t_tan[1]);
  // [tendon.g4]
  *length_tan = arc_tan;
  if (w->cylinder) {
    raise_tan(w, p_tan, arc_tan, t_tan, length_tan);
  }
  for (int k = 0; k < 2; k++) {
    cr_copy3(point_tan[k], pos_tan);
    cr_accmat3(point_tan[k], w->mat, t_tan[k]);
    cr_accmat3(point_tan[k], mat_tan, w->t[k]);
  }
}

void cri_wrap_path_bar(const cri_wrap* w, cr_real point_bar[2][3], cr_real length_bar,
                       cr_real end_0_bar[3], cr_real end_1_bar[3], cr_real pos_bar[3],
                       cr_real mat_bar[9], cr_real* r_bar) {
  cr_real p_bar[2][3] = {{0}}, x_bar[2][3] = {{0}}, t_bar[2][3], n_bar[3] = {0}, I_bar[4] = {0};
  cr_real arc_bar = length_bar;
  for (int k = 0; k < 2; k++) {
    cr_acc3(pos_bar, point_bar[k]);
    cr_accouter3(mat_bar, point_bar[k], w->t[k]);
    cr_multmat3(t_bar[k], w->mat, point_bar[k]);
  }
  // [tendon.g4]'
  if (w->cylinder) {
    arc_bar = raise_bar(w, t_bar, length_bar, p_bar);
  }
  // [tendon.g3]', [tendon.g2]'
  place_bar(w, 1, t_bar[1], x_bar, n_bar, I_bar);
  place_bar(w, 0, t_bar[0], x_bar, n_bar, I_bar);
  for (int i = 0; i < 4; i++) {
    I_bar[i] += w->arc_grad[i] * arc_bar;
  }
  normal_bar(w, n_bar, x_bar);
  invariants_bar(w, I_bar, x_bar, r_bar);
  // [tendon.g1]'
  cr_real* end_bar[2] = {end_0_bar, end_1_bar};
  for (int k = 0; k < 2; k++) {
    cr_real arm[3];
    into_plane(x_bar[k], x_bar[k], w->cylinder);
    cr_acc3(p_bar[k], x_bar[k]);
    cr_mulmat3(arm, w->mat, p_bar[k]);
    cr_acc3(end_bar[k], arm);
    cr_accscl3(pos_bar, arm, -1);
    cr_mulmat3(arm, w->mat, w->p[k]);
    cr_accouter3(mat_bar, arm, p_bar[k]);
  }
}
