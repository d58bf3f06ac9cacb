// SPDX-License-Identifier: Apache-2.0
// Moments of swaps, by bisection on paths beside the motion.
#include "event/event_probe.h"

#include "collision/collision.h"
#include "math/quat.h"

// length of a shift relative to the sizes of the geoms, and of a turn; and the factor for the next try if contacts
// flicker for as long
#define SHIFT CR_R(1e-6)
#define FARTHER_SHIFT 10
// moments are found to this part of the time it takes to move that far
#define FINE CR_R(1e-7)
// on that path itself contacts are known so long before and after; in between they may be others for so long
#define ASIDE CR_R(3e-2)
#define AT_ONCE CR_R(1e-2)
// how much the two sides of a shift may differ: relative, and in that time
#define UNLIKE CR_R(1e-2)
#define UNLIKE_AT_LEAST CR_R(1e-4)

enum { DIRECTIONS = 12, FARTHER = 7 };

typedef enum { BEFORE, AFTER, NEITHER } side;

// contacts of the pair
typedef struct {
  int n;
  cr_real pos[CR_MAX_HITS][3], normal[CR_MAX_HITS][3], weight[CR_MAX_HITS];
} contacts;

typedef struct {
  const cr_model* m;
  const cri_event_row* row;  // a row of the pair
  cri_place place[2];
  cr_shape_tan velocity[2];
  cr_real shift;      // length of a shift
  cr_real unit;       // time to move by it
  contacts known[2];  // on the path itself, before and after
  cr_real moment;     // on it
} paths;

// distance of a contact from the nearest of others
static cr_real nearest(const contacts* a, int i, const contacts* others, cr_real size) {
  cr_real least = CR_MAX;
  for (int k = 0; k < others->n; k++) {
    cr_real x[3], n[3], heavier = cr_abs(a->weight[i] - others->weight[k]);
    cr_sub3(x, a->pos[i], others->pos[k]);
    cr_sub3(n, a->normal[i], others->normal[k]);
    least = cr_min(least, cr_norm3(x) + size * (cr_norm3(n) + heavier));
  }
  return least;
}

// the largest distance of a contact from the nearest of the others; CR_MAX if there are more or fewer
static cr_real unlike(const contacts* a, const contacts* b, cr_real size) {
  cr_real most = a->n == b->n ? 0 : CR_MAX;
  for (int i = 0; i < a->n && a->n == b->n; i++) {
    most = cr_max(most, cr_max(nearest(a, i, b, size), nearest(b, i, a, size)));
  }
  return most;
}

static void turn(cr_real mat[9], const cr_real w[3], cr_real by) {
  cr_real axis[3], q[4], R[9], old[9];
  cr_copy3(axis, w);
  cr_real angle = by * cr_normalize3(axis);
  cr_quat_axis_angle(q, axis, angle);
  cr_quat_to_mat(R, q);
  cr_copy(old, mat, 9);
  cr_matmul3(mat, R, old);
}

// contacts at the time t, the second geom moved, or either of another size, by `by` in a direction
static void collide(const paths* p, int direction, cr_real by, cr_real t, contacts* found) {
  cri_place at[2] = {p->place[0], p->place[1]};
  cr_hit hit[CR_MAX_HITS];
  cr_real weight[CR_MAX_HITS];
  for (int k = 0; k < 2; k++) {
    cr_accscl3(at[k].pos, p->velocity[k].pos, t);
    turn(at[k].mat, p->velocity[k].rot, t);
  }
  if (direction < 3) {
    at[1].pos[direction] += by;
  } else if (direction < 6) {
    cr_real axis[3] = {direction == 3, direction == 4, direction == 5};
    turn(at[1].mat, axis, by);
  } else {
    at[direction >= 9].size[direction % 3] += by;
  }
  int all = cri_collide_at(p->m, p->row->geom, at, p->row->margin, hit, weight);
  found->n = 0;
  for (int k = 0; k < all; k++) {
    if (hit[k].dist < p->row->margin) {
      cr_copy3(found->pos[found->n], hit[k].pos);
      found->weight[found->n] = weight[k];
      cr_copy3(found->normal[found->n++], hit[k].normal);
    }
  }
}

static side look(const paths* p, int direction, cr_real by, cr_real t) {
  contacts now;
  collide(p, direction, by, t, &now);
  cr_real size = p->row->size;
  cr_real from[2] = {unlike(&now, &p->known[0], size), unlike(&now, &p->known[1], size)};
  return 4 * from[0] < from[1] ? BEFORE : 4 * from[1] < from[0] ? AFTER : NEITHER;
}

// time at which the contacts change on the path that is `by` away, at once up to round-off
static bool find_moment(const paths* p, int direction, cr_real by, cr_real* t) {
  cr_real a = -p->unit, b = p->unit;
  for (int i = 0; i < FARTHER && look(p, direction, by, a) == AFTER; i++) {
    b = a;
    a *= 4;
  }
  for (int i = 0; i < FARTHER && look(p, direction, by, b) == BEFORE; i++) {
    a = b;
    b *= 4;
  }
  if (look(p, direction, by, a) != BEFORE || look(p, direction, by, b) != AFTER) {
    return false;
  }
  while (b - a > FINE * p->unit) {
    cr_real middle = (a + b) / 2;
    *(look(p, direction, by, middle) == BEFORE ? &a : &b) = middle;
  }
  *t = (a + b) / 2;
  return look(p, direction, by, *t + AT_ONCE * p->unit) == AFTER;
}

static bool find_slope(const paths* p, int direction, cr_real eps, cr_real* slope) {
  cr_real up, down;
  if (!find_moment(p, direction, eps, &up) || !find_moment(p, direction, -eps, &down)) {
    return false;
  }
  *slope = (up - down) / (2 * eps);
  up -= p->moment;
  down -= p->moment;
  return cr_abs(up + down) <= UNLIKE * cr_max(cr_abs(up), cr_abs(down)) + UNLIKE_AT_LEAST * p->unit;
}

static const cri_event_row* row_of(const cri_event_list* list, cr_real pair) {
  for (int i = 0; i < list->n; i++) {
    if (list->row[i].first && list->row[i].pair == pair) {
      return &list->row[i];
    }
  }
  return NULL;
}

// false if nothing moves, or changes in the time h before the state of d
static bool begin(paths* p, const cr_model* m, const cr_data* d, cr_real h) {
  cr_real way[3], spin[3];
  for (int k = 0; k < 2; k++) {
    int geom = p->row->geom[k];
    cr_copy3(p->place[k].pos, d->geom_xpos + 3 * geom);
    cr_copy(p->place[k].mat, d->geom_xmat + 9 * geom, 9);
    cr_copy3(p->place[k].size, m->geom_size + 3 * geom);
    p->velocity[k] = cri_collision_shape_velocity(m, d, geom);
  }
  cr_sub3(way, p->velocity[1].pos, p->velocity[0].pos);
  cr_sub3(spin, p->velocity[1].rot, p->velocity[0].rot);
  cr_real size = p->row->size, speed = cr_norm3(way) + size * cr_norm3(spin);
  p->unit = p->shift * size / speed;
  if (!(speed > 0 && p->unit < CR_MAX)) {
    return false;
  }
  const cr_real at[2] = {-ASIDE * p->unit - 2 * h, ASIDE * p->unit};
  for (int k = 0; k < 2; k++) {
    collide(p, 0, 0, at[k], &p->known[k]);
  }
  return look(p, 0, 0, at[0]) == BEFORE && look(p, 0, 0, at[1]) == AFTER &&
         find_moment(p, 0, 0, &p->moment);
}

// [event.e6] a motion of both together changes nothing: the first geom gets the opposite
static void set_first(const paths* p, cr_shape_tan moment[2]) {
  cr_real arm[3];
  cr_sub3(arm, p->place[1].pos, p->place[0].pos);
  cr_cross3(moment[0].rot, arm, moment[1].pos);
  for (int k = 0; k < 3; k++) {
    moment[0].pos[k] = -moment[1].pos[k];
    moment[0].rot[k] = -moment[0].rot[k] - moment[1].rot[k];
  }
}

static bool has_size(const cr_model* m, int geom, int k) {
  int type = m->geom_type[geom];
  return type != CR_GEOM_PLANE && type != CR_GEOM_MESH && m->geom_size[3 * geom + k] > 0;
}

// all slopes at one length of a shift
static bool probe(paths* p, const cr_model* m, const cr_data* d, cr_real h, cri_event_sign* sign) {
  if (!begin(p, m, d, h)) {
    return false;
  }
  for (int i = 0; i < DIRECTIONS; i++) {
    cr_shape_tan* x = &sign->moment[i < 6 || i >= 9];
    cr_real* slope = i < 3 ? &x->pos[i] : i < 6 ? &x->rot[i - 3] : &x->size[i % 3];
    cr_real eps = p->shift * (i >= 3 && i < 6 ? 1 : p->row->size);
    if ((i < 6 || has_size(m, p->row->geom[i >= 9], i % 3)) && !find_slope(p, i, eps, slope)) {
      return false;
    }
  }
  set_first(p, sign->moment);
  return true;
}

bool cri_probe(const cr_model* m, const cr_data* d, const cri_event_list* before,
               const cri_event_list* after, cr_real pair, cr_real h, cri_event_sign* sign) {
  paths p = {.m = m, .row = row_of(after, pair), .shift = SHIFT};
  p.row = p.row == NULL ? row_of(before, pair) : p.row;
  if (p.row == NULL || p.row->size == 0 || m->geom_type[p.row->geom[0]] == CR_GEOM_HFIELD) {
    return false;
  }
  *sign = (cri_event_sign){.was = -1, .now = -1, .probed = true};
  memcpy(sign->geom, p.row->geom, sizeof sign->geom);
  if (probe(&p, m, d, h, sign)) {
    return true;
  }
  p.shift *= FARTHER_SHIFT;
  return probe(&p, m, d, h, sign);
}
