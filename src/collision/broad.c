// SPDX-License-Identifier: Apache-2.0
// The filters of the model, the boxes of bodies, the sweep, and the walk over pairs in order.
#include "collision/broad.h"

#include "collision/bounds.h"
#include "math/vec3.h"
#include "model/build.h"

/// Up to this many bodies each box is compared with every other; beyond, sorting is faster.
enum { FEW = 48 };

/// Consecutive bodies of a tree are swept as one, up to this many.
enum { MOST_GROUP = 16 };

/// Words of 32 bits a body for the table of boxes that meet.
enum { ROOM = 128 };

// ---- the filters of the model

static bool bits_match(int32_t type1, int32_t affinity1, int32_t type2, int32_t affinity2) {
  return (type1 & affinity2) != 0 || (type2 & affinity1) != 0;
}

// two bodies that can move against each other, not parent and child
static bool bodies_possible(const cr_model* m, int body1, int body2) {
  int weld1 = m->body_weldid[body1], weld2 = m->body_weldid[body2];
  if (weld1 == weld2 || (m->body_dofnum[weld1] == 0 && m->body_dofnum[weld2] == 0)) {
    return false;
  }
  if ((m->disableflags & CR_DSBL_FILTERPARENT) != 0 || weld1 == 0 || weld2 == 0) {
    return true;
  }
  return weld1 != m->body_weldid[m->body_parentid[weld2]] &&
         weld2 != m->body_weldid[m->body_parentid[weld1]];
}

bool cri_pair_possible(const cr_model* m, int geom1, int geom2) {
  for (int i = 0; i < m->npair; i++) {
    if ((m->pair_geom1[i] == geom1 && m->pair_geom2[i] == geom2) ||
        (m->pair_geom1[i] == geom2 && m->pair_geom2[i] == geom1)) {
      return true;
    }
  }
  int body1 = m->geom_bodyid[geom1], body2 = m->geom_bodyid[geom2];
  if (!bits_match(m->geom_contype[geom1], m->geom_conaffinity[geom1], m->geom_contype[geom2],
                  m->geom_conaffinity[geom2]) ||
      !bodies_possible(m, body1, body2)) {
    return false;
  }
  int low = body1 < body2 ? body1 : body2, high = body1 < body2 ? body2 : body1;
  for (int i = 0; i < m->nexclude; i++) {
    if (m->exclude_body[2 * i] == low && m->exclude_body[2 * i + 1] == high) {
      return false;
    }
  }
  return true;
}

static bool is_compliant(const cr_model* m, int geom) {
  return m->geom_pressure_kind[geom] == CR_PRESSURE_COMPLIANT;
}

bool cri_pair_by_pressure(const cr_model* m, int geom1, int geom2) {
  return m->geom_pressure_kind[geom1] != CR_PRESSURE_NONE &&
         m->geom_pressure_kind[geom2] != CR_PRESSURE_NONE &&
         (is_compliant(m, geom1) || is_compliant(m, geom2)) &&
         (m->geom_pressure_tetnum[geom1] > 0 || m->geom_pressure_tetnum[geom2] > 0);
}

static bool overrides(const cr_model* m) { return (m->enableflags & CR_ENBL_OVERRIDE) != 0; }

cr_real cri_pair_width(const cr_model* m, int geom1, int geom2, int pair) {
  if (m->cfd == 0) {
    return 0;
  }
  cr_real own = pair < 0 ? cr_max(m->geom_cfd[geom1], m->geom_cfd[geom2]) : m->pair_cfd[pair];
  return own > 0 ? own : m->cfd_wc;
}

cr_real cri_pair_reach(const cr_model* m, int geom1, int geom2, int pair) {
  bool mixed = pair < 0;
  cr_real margin = mixed ? m->geom_margin[geom1] + m->geom_margin[geom2] : m->pair_margin[pair];
  cr_real gap = mixed ? m->geom_gap[geom1] + m->geom_gap[geom2] : m->pair_gap[pair];
  margin = overrides(m) ? m->o_margin[0] : margin;
  return margin + cr_max(gap, cri_pair_width(m, geom1, geom2, pair));
}

// ---- places

// planes have no bounding sphere: another geom is far if its centre is this far above them
static bool far_above(const cr_data* d, int plane, int geom, cr_real reach) {
  cr_real dif[3], normal[3];
  cr_sub3(dif, d->geom_xpos + 3 * geom, d->geom_xpos + 3 * plane);
  cr_col3(normal, d->geom_xmat + 9 * plane, 2);
  return cr_dot3(dif, normal) > reach;
}

static bool geoms_far(const cr_model* m, const cr_data* d, const cr_real* radius, int geom1,
                      int geom2, cr_real reach) {
  cr_real r1 = radius[geom1], r2 = radius[geom2];
  if (r1 > 0 && r2 > 0) {
    cr_real dif[3], bound = r1 + r2 + reach;
    cr_sub3(dif, d->geom_xpos + 3 * geom1, d->geom_xpos + 3 * geom2);
    if (cr_dot3(dif, dif) > bound * bound) {
      return true;
    }
    bool mesh = m->geom_type[geom1] == CR_GEOM_MESH || m->geom_type[geom2] == CR_GEOM_MESH;
    return mesh && cri_bounds_apart(m, d, geom1, geom2, reach);
  }
  if (m->geom_type[geom1] == CR_GEOM_PLANE && r2 > 0) {
    return far_above(d, geom1, geom2, reach + r2);
  }
  return m->geom_type[geom2] == CR_GEOM_PLANE && r1 > 0 && far_above(d, geom2, geom1, reach + r1);
}

// bodies with geoms that can collide: id, bits, box (low corner, high corner); boxes of their geoms, and
// the radii of the bounding spheres of all geoms
typedef struct {
  int n;
  int32_t *id, *type, *affinity;
  cr_real *box, *geom_box, *radius;
} body_list;

// neighbours in such a list: group k is begin[k] .. begin[k + 1], `box` about all of it; `order` sorts
// groups by where their boxes begin
typedef struct {
  int n;
  int32_t *begin, *order;
  cr_real* box;
} group_list;

// half of the reach, so that two boxes meet if their geoms are in reach; a geom's own reach from
// distance counts whole, since the other geom need not have one
static cr_real half_reach(const cr_model* m, int g) {
  cr_real gap = m->geom_gap[g];
  if (m->cfd != 0) {
    gap = cr_max(gap, m->geom_cfd[g] > 0 ? m->geom_cfd[g] : m->cfd_wc / 2);
  }
  return (overrides(m) ? m->o_margin[0] / 2 : m->geom_margin[g]) + gap;
}

// an empty box
static void empty_box(cr_real box[6]) {
  for (int k = 0; k < 3; k++) {
    box[k] = CR_MAX;
    box[3 + k] = -CR_MAX;
  }
}

static void widen(cr_real box[6], const cr_real by[6]) {
  for (int k = 0; k < 3; k++) {
    box[k] = cr_min(box[k], by[k]);
    box[3 + k] = cr_max(box[3 + k], by[3 + k]);
  }
}

// the boxes of a body's geoms that can collide, and one about them all
static void box_of_body(const cr_model* m, const cr_data* d, int body, cr_real* geom_box,
                        cr_real box[6]) {
  int first = m->body_geomadr[body], end = first + m->body_geomnum[body];
  empty_box(box);
  for (int g = first; g < end; g++) {
    cr_real* own = geom_box + 6 * g;
    if ((m->geom_contype[g] | m->geom_conaffinity[g]) == 0) {
      empty_box(own);
      continue;
    }
    cri_bounds_world(m, d, g, half_reach(m, g), own);
    widen(box, own);
  }
}

static body_list list_bodies(const cr_model* m, cr_data* d) {
  size_t n = (size_t)m->nbody;
  body_list list = {.id = cri_push_int(d, 3 * n), .box = cri_push(d, 6 * n)};
  list.geom_box = cri_push(d, 6 * (size_t)m->ngeom);
  list.radius = cri_push(d, (size_t)m->ngeom);
  list.type = list.id + n;
  list.affinity = list.type + n;
  for (int g = 0; g < m->ngeom; g++) {
    list.radius[g] = cri_geom_bound(m, g);
  }
  for (int body = 0; body < m->nbody; body++) {
    int32_t type = 0, affinity = 0;
    int first = m->body_geomadr[body], end = first + m->body_geomnum[body];
    for (int g = first; g < end; g++) {
      type |= m->geom_contype[g];
      affinity |= m->geom_conaffinity[g];
    }
    if ((type | affinity) != 0) {
      list.id[list.n] = body;
      list.type[list.n] = type;
      list.affinity[list.n] = affinity;
      box_of_body(m, d, body, list.geom_box, list.box + 6 * (size_t)list.n++);
    }
  }
  return list;
}

// ---- sweep

static group_list group_bodies(const cr_model* m, const body_list* list, cr_data* d) {
  size_t n = (size_t)list->n;
  group_list groups = {.begin = cri_push_int(d, n + 1), .box = cri_push(d, 6 * n)};
  groups.order = cri_push_int(d, n);
  for (int i = 0; i < list->n; i++) {
    int last = groups.n - 1, tree = m->body_treeid[list->id[i]];
    bool joins = last >= 0 && tree >= 0 && m->body_treeid[list->id[i - 1]] == tree &&
                 i - groups.begin[last] < MOST_GROUP;
    if (!joins) {
      groups.begin[groups.n] = i;
      empty_box(groups.box + 6 * (ptrdiff_t)groups.n++);
    }
    widen(groups.box + 6 * (ptrdiff_t)(groups.n - 1), list->box + 6 * (ptrdiff_t)i);
  }
  groups.begin[groups.n] = list->n;
  return groups;
}

// the axis along which the boxes spread most, by the variance of their low corners
static int widest_axis(const group_list* groups) {
  cr_real widest = -1;
  int axis = 0;
  for (int k = 0; k < 3; k++) {
    cr_real sum = 0, squares = 0, n = 0;
    for (int i = 0; i < groups->n; i++) {
      cr_real x = groups->box[6 * i + k];
      bool finite = x > -CR_MAX;  // planes begin nowhere
      sum += finite ? x : 0;
      squares += finite ? x * x : 0;
      n += finite;
    }
    cr_real spread = squares - sum * sum / cr_max(n, 1);
    axis = spread > widest ? k : axis;
    widest = cr_max(spread, widest);
  }
  return axis;
}

// Shell's sort of the order by the boxes' beginnings
static void sort_along(const group_list* groups, int axis) {
  const cr_real* begin = groups->box + axis;
  for (int i = 0; i < groups->n; i++) {
    groups->order[i] = i;
  }
  int gap = 1;
  while (gap < groups->n) {
    gap = 3 * gap + 1;
  }
  for (; gap > 0; gap /= 3) {
    for (int i = gap; i < groups->n; i++) {
      int32_t moved = groups->order[i];
      int k = i;
      for (; k >= gap && begin[6 * groups->order[k - gap]] > begin[6 * moved]; k -= gap) {
        groups->order[k] = groups->order[k - gap];
      }
      groups->order[k] = moved;
    }
  }
}

// Rows first .. end - 1 of a table: bit j of row i - first is set where the boxes i < j meet.
typedef struct {
  int first, end;
  uint32_t* bits;
  size_t words;
} table;

// all pairs of two groups, or of one with itself
static void meet(const body_list* list, const group_list* groups, int low, int high, table* t) {
  int end = groups->begin[low + 1] < t->end ? groups->begin[low + 1] : t->end;
  for (int i = groups->begin[low] > t->first ? groups->begin[low] : t->first; i < end; i++) {
    uint32_t* row = t->bits + (size_t)(i - t->first) * t->words;
    for (int j = low == high ? i + 1 : groups->begin[high]; j < groups->begin[high + 1]; j++) {
      if (cri_bounds_meet(list->box + 6 * (ptrdiff_t)i, list->box + 6 * (ptrdiff_t)j)) {
        row[j >> 5] |= 1u << (j & 31);
      }
    }
  }
}

static void sweep(const body_list* list, const group_list* groups, int axis, table* t) {
  memset(t->bits, 0, (size_t)(t->end - t->first) * t->words * sizeof *t->bits);
  for (int p = 0; p < groups->n; p++) {
    int i = groups->order[p];
    const cr_real* box = groups->box + 6 * (ptrdiff_t)i;
    if (groups->begin[i + 1] - groups->begin[i] > 1) {
      meet(list, groups, i, i, t);
    }
    for (int q = p + 1; q < groups->n; q++) {
      int j = groups->order[q];
      const cr_real* other = groups->box + 6 * (ptrdiff_t)j;
      if (other[axis] > box[3 + axis]) {
        break;
      }
      if (cri_bounds_meet(box, other)) {
        meet(list, groups, i < j ? i : j, i < j ? j : i, t);
      }
    }
  }
}

// ---- the walk

typedef struct {
  const cr_model* m;
  const cr_data* d;
  const cr_real* radius;  // of the geoms' bounding spheres
  cr_candidate_visit* visit;
  void* context;
  int pair, exclude;           // first explicit pair, exclude not yet passed
  int merged_from, merged_to;  // explicit pairs of the current body pair
} walk;

static void offer(const walk* w, int geom1, int geom2, int pair) {
  const cr_model* m = w->m;
  cr_real reach = cri_pair_reach(m, geom1, geom2, pair);
  if (geoms_far(m, w->d, w->radius, geom1, geom2, reach)) {
    return;
  }
  bool swap = m->geom_type[geom1] > m->geom_type[geom2];
  cr_candidate c = {{swap ? geom2 : geom1, swap ? geom1 : geom2}, pair, reach};
  w->visit(w->context, &c);
}

// place of a body pair in the order
static int64_t rank(const cr_model* m, int body1, int body2) {
  return body1 < body2 ? (int64_t)body1 * m->nbody + body2 : (int64_t)body2 * m->nbody + body1;
}

// skips explicit pairs up to this place; remembers those at it
static void merge_pairs(walk* w, int64_t place) {
  const cr_model* m = w->m;
  w->merged_from = w->merged_to = w->pair;
  for (; w->pair < m->npair; w->pair++) {
    int geom1 = m->pair_geom1[w->pair], geom2 = m->pair_geom2[w->pair];
    int64_t at = rank(m, m->geom_bodyid[geom1], m->geom_bodyid[geom2]);
    if (at > place) {
      break;
    }
    offer(w, geom1, geom2, w->pair);
    w->merged_from = at < place ? w->pair + 1 : w->merged_from;
    w->merged_to = w->pair + 1;
  }
}

static bool excluded(walk* w, int64_t place) {
  const cr_model* m = w->m;
  for (; w->exclude < m->nexclude; w->exclude++) {
    const int32_t* body = m->exclude_body + 2 * w->exclude;
    int64_t at = rank(m, body[0], body[1]);
    if (at >= place) {
      return at == place;
    }
  }
  return false;
}

static void offer_geoms(const walk* w, int geom1, int geom2) {
  const cr_model* m = w->m;
  if (!bits_match(m->geom_contype[geom1], m->geom_conaffinity[geom1], m->geom_contype[geom2],
                  m->geom_conaffinity[geom2])) {
    return;
  }
  for (int k = w->merged_from; k < w->merged_to; k++) {
    if ((m->pair_geom1[k] == geom1 && m->pair_geom2[k] == geom2) ||
        (m->pair_geom1[k] == geom2 && m->pair_geom2[k] == geom1)) {
      return;
    }
  }
  offer(w, geom1, geom2, -1);
}

// passes the pairs and excludes that the model lists up to these bodies; false if they are excluded
static bool pass_lists(walk* w, int body1, int body2) {
  if (w->m->npair == 0 && w->m->nexclude == 0) {
    return true;
  }
  int64_t place = rank(w->m, body1, body2);
  merge_pairs(w, place);
  return !excluded(w, place);
}

// all geoms of two bodies whose boxes meet, in order: those of body1 have lower ids
static void offer_bodies(const walk* w, const body_list* list, int i, int j) {
  const cr_model* m = w->m;
  const int32_t* type = m->geom_type;
  const cr_real *geom = list->geom_box, *box1 = list->box + 6 * i, *box2 = list->box + 6 * j;
  int body1 = list->id[i], body2 = list->id[j];
  int first1 = m->body_geomadr[body1], end1 = first1 + m->body_geomnum[body1];
  int first2 = m->body_geomadr[body2], end2 = first2 + m->body_geomnum[body2];
  if (end1 - first1 == 1 && end2 - first2 == 1) {
    offer_geoms(w, first1, first2);  // the bodies' boxes are the geoms'
    return;
  }
  bool by_id = (m->disableflags & CR_DSBL_MIDPHASE) != 0;
  int32_t highest = 0;  // type of body1's geoms that are near
  for (int g1 = first1; g1 < end1; g1++) {
    if (cri_bounds_meet(geom + 6 * g1, box2)) {
      highest = type[g1] > highest ? type[g1] : highest;
      for (int g2 = first2; g2 < end2; g2++) {
        if ((by_id || type[g1] <= type[g2]) && cri_bounds_meet(geom + 6 * g1, geom + 6 * g2)) {
          offer_geoms(w, g1, g2);
        }
      }
    }
  }
  for (int g2 = first2; g2 < end2 && !by_id; g2++) {
    if (type[g2] < highest && cri_bounds_meet(geom + 6 * g2, box1)) {
      for (int g1 = first1; g1 < end1; g1++) {
        if (type[g1] > type[g2] && cri_bounds_meet(geom + 6 * g1, geom + 6 * g2)) {
          offer_geoms(w, g1, g2);
        }
      }
    }
  }
}

// body pair i < j of the list, whose boxes meet
static void walk_pair(walk* w, const body_list* list, int i, int j) {
  const cr_model* m = w->m;
  int body1 = list->id[i], body2 = list->id[j];
  if (bits_match(list->type[i], list->affinity[i], list->type[j], list->affinity[j]) &&
      bodies_possible(m, body1, body2) && pass_lists(w, body1, body2)) {
    offer_bodies(w, list, i, j);
  }
}

static void walk_few(walk* w, const body_list* list) {
  const cr_real* box = list->box;
  for (int i = 0, n = list->n; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      if (cri_bounds_meet(box + 6 * (ptrdiff_t)i, box + 6 * (ptrdiff_t)j)) {
        walk_pair(w, list, i, j);
      }
    }
  }
}

// as many rows of bits at a time as the scratch has room for: all of them up to 4096 bodies
static void walk_many(walk* w, const body_list* list, cr_data* d) {
  group_list groups = group_bodies(w->m, list, d);
  size_t room = ROOM * (size_t)w->m->nbody, words = ((size_t)list->n + 31) / 32;
  table t = {.bits = (uint32_t*)cri_push_int(d, room), .words = words};
  int axis = widest_axis(&groups), block = (int)(room / words);
  sort_along(&groups, axis);
  for (; t.first < list->n; t.first = t.end) {
    t.end = list->n - t.first < block ? list->n : t.first + block;
    sweep(list, &groups, axis, &t);
    for (int i = t.first; i < t.end; i++) {
      const uint32_t* row = t.bits + (size_t)(i - t.first) * words;
      for (size_t k = 0; k < words; k++) {
        for (uint32_t rest = row[k]; rest != 0; rest &= rest - 1) {
          walk_pair(w, list, i, (int)(32 * k) + __builtin_ctz(rest));
        }
      }
    }
  }
}

void cri_candidates(const cr_model* m, cr_data* d, cr_candidate_visit* visit, void* context) {
  size_t mark = cri_mark(d);
  walk w = {.m = m, .d = d, .visit = visit, .context = context};
  body_list list = list_bodies(m, d);
  w.radius = list.radius;
  if (list.n <= FEW) {
    walk_few(&w, &list);
  } else {
    walk_many(&w, &list, d);
  }
  merge_pairs(&w, INT64_MAX);
  cri_pop(d, mark);
}
