// SPDX-License-Identifier: Apache-2.0
#include "collision/distance.h"

#include "collision/collision.h"
#include "geometry/convex_pair.h"
#include "model/build.h"

// contacts of boxes are corners of their faces, and need not contain the nearest points
static const cr_pair BOXES = {cri_convex_pair, cri_convex_pair_tan, cri_convex_pair_bar};

static const cr_pair* pair_for(int type1, int type2) {
  bool boxes = type1 == CR_GEOM_BOX && type2 == CR_GEOM_BOX;
  return boxes ? &BOXES : cri_collision_pair(type1, type2);
}

// true if bounding spheres are farther apart; a plane has none
static bool out_of_reach(const cr_model* m, const cr_data* d, const int32_t geom[2],
                         cr_real reach) {
  cr_real offset[3], bound = cri_geom_bound(m, geom[0]) + cri_geom_bound(m, geom[1]);
  cr_sub3(offset, d->geom_xpos + 3 * geom[1], d->geom_xpos + 3 * geom[0]);
  return m->geom_type[geom[0]] != CR_GEOM_PLANE && cr_norm3(offset) > bound + reach;
}

bool cri_distance_of(const cr_model* m, const cr_data* d, int geom1, int geom2, cr_real reach,
                     cri_distance* x) {
  bool swap = m->geom_type[geom1] > m->geom_type[geom2];
  cr_hit hit[CR_MAX_HITS];
  *x = (cri_distance){
      .geom = {swap ? geom2 : geom1, swap ? geom1 : geom2}, .sign = swap ? -1 : 1, .dist = reach};
  x->pair = pair_for(m->geom_type[x->geom[0]], m->geom_type[x->geom[1]]);
  if (x->pair == NULL || out_of_reach(m, d, x->geom, reach)) {
    return false;
  }
  int n = cri_pair_hits(x->pair, m, d->geom_xpos, d->geom_xmat, x->geom, reach, true, hit),
      best = -1;
  for (int i = 0; i < n; i++) {
    if (hit[i].dist < x->dist) {
      best = i;
      x->dist = hit[i].dist;
    }
  }
  if (best < 0) {
    return false;
  }
  x->hit = hit[best];
  cr_copy3(x->pos, x->hit.pos);
  cr_scl3(x->normal, x->hit.normal, x->sign);
  return true;
}

void cri_distance_ends(const cri_distance* x, cr_real fromto[6]) {
  for (int end = 0; end < 2; end++) {
    cr_copy3(fromto + 3 * end, x->pos);
    cr_accscl3(fromto + 3 * end, x->normal, (end == 1 ? x->dist : -x->dist) / 2);
  }
}

void cri_distance_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                      const cri_distance* x, cr_hit_tan* x_tan) {
  cri_pair_hit_tan(x->pair, m, d, tan, x->geom, x->hit.feature, x->hit.local, x_tan);
  cr_scl3(x_tan->normal, x_tan->normal, x->sign);
}

void cri_distance_bar(const cr_model* m, const cr_data* d, cr_data* bar, const cri_distance* x,
                      const cr_hit_tan* x_bar) {
  cr_hit_tan hit_bar = {.dist = x_bar->dist};
  cr_copy3(hit_bar.pos, x_bar->pos);
  cr_scl3(hit_bar.normal, x_bar->normal, x->sign);
  cri_pair_hit_bar(x->pair, m, d, bar, x->geom, x->hit.feature, x->hit.local, &hit_bar);
}
