// SPDX-License-Identifier: Apache-2.0
#include "parity/convex_parity.h"

#include "collision/collision.h"
#include "model/names.h"

// ---- contacts for MuJoCo

static _Thread_local const cr_model* in_use;
static _Thread_local const cr_data* poses_in_use;
static _Thread_local cr_off* off_in_use;
static mjfCollision own[mjNGEOMTYPES][mjNGEOMTYPES];

// The lowest point of a cylinder over a plane: c - half |n . z| - r |n x z|, the sine from n in the
// cylinder's own axes. Within a few ulps of its terms, however small the tilt.
static long double rim_height(const mjModel* mj, const mjData* d, int plane, int cylinder,
                              long double* sine) {
  const mjtNum *P = d->geom_xmat + 9 * plane, *R = d->geom_xmat + 9 * cylinder;
  const mjtNum *p = d->geom_xpos + 3 * plane, *c = d->geom_xpos + 3 * cylinder;
  const mjtNum* size = mj->geom_size + 3 * cylinder;
  long double along[3] = {0}, height = 0;
  for (int i = 0; i < 3; i++) {
    height += ((long double)c[i] - (long double)p[i]) * (long double)P[3 * i + 2];
    for (int k = 0; k < 3; k++) {
      along[k] += (long double)P[3 * i + 2] * (long double)R[3 * i + k];
    }
  }
  *sine = sqrtl(along[0] * along[0] + along[1] * along[1]);
  return height - (long double)size[1] * fabsl(along[2]) - (long double)size[0] * *sine;
}

// MuJoCo's contacts with a cylinder whose rim it has lost to round-off. Near a tilt of 1e-15 it may also
// take another point of the rim as the lowest
static bool rim_is_lost(const mjModel* mj, const mjData* d, int g1, int g2, const mjPreContact* con,
                        int n) {
  long double sine, lowest = rim_height(mj, d, g1, g2, &sine);
  double size = mj->geom_rbound[g2],
         gap = n > 0 ? (double)fabsl((long double)con[0].dist - lowest) : 0;
  if (n == 0 || sine > 1e-3L || (gap <= 1e-13 * size && sine > 1e-14L)) {
    return false;
  }
  if (gap > 1e-13 * size && off_in_use != NULL) {
    cri_off_add(off_in_use, CR_OFF_CYLINDER, gap,
                "%s, tilted by %.1Le over %s: MuJoCo's distance is %.9g, the rim's %.9Lg",
                cri_label(in_use, CRI_OBJECT_geom, g2).text, sine,
                cri_label(in_use, CRI_OBJECT_geom, g1).text, con[0].dist, lowest);
  }
  return true;
}

static bool same_pose(const mjData* d, int g) {
  double far = 0;
  for (int i = 0; i < 9; i++) {
    far = fmax(far, fabs(poses_in_use->geom_xmat[9 * g + i] - d->geom_xmat[9 * g + i]));
    far =
        i < 3 ? fmax(far, fabs(poses_in_use->geom_xpos[3 * g + i] - d->geom_xpos[3 * g + i])) : far;
  }
  return far < 1e-13;
}

static int collide(const mjModel* mj, mjData* d, mjPreContact* con, int g1, int g2, mjtNum margin) {
  bool general = cri_collision_general(mj->geom_type[g1], mj->geom_type[g2]);
  if (in_use == NULL || !general) {
    int theirs = own[mj->geom_type[g1]][mj->geom_type[g2]](mj, d, con, g1, g2, margin);
    if (in_use == NULL || !rim_is_lost(mj, d, g1, g2, con, theirs)) {
      return theirs;
    }
  }
  const int32_t geom[2] = {g1, g2};
  cr_hit hit[CR_MAX_HITS];
  bool same = poses_in_use != NULL && same_pose(d, g1) && same_pose(d, g2);
  const cr_real* xpos = same ? poses_in_use->geom_xpos : d->geom_xpos;
  const cr_real* xmat = same ? poses_in_use->geom_xmat : d->geom_xmat;
  int n = cri_collide(in_use, xpos, xmat, geom, margin, hit);
  for (int i = 0; i < n; i++) {
    con[i].dist = hit[i].dist;
    cr_copy3(con[i].pos, hit[i].pos);
    cr_copy3(con[i].normal, hit[i].normal);
    cr_copy3(con[i].tangent, hit[i].hint);
  }
  return n;
}

// pairs of types that `collide` replaces
static bool replaced(int type1, int type2) {
  return cri_collision_general(type1, type2) ||
         (type1 == CR_GEOM_PLANE && type2 == CR_GEOM_CYLINDER);
}

void cri_convex_parity_use(const cr_model* m, const cr_data* at, cr_off* off) {
  in_use = m;
  poses_in_use = at;
  off_in_use = off;
  for (int i = 0; i < CR_N_GEOM_TYPE; i++) {
    for (int k = 0; k < CR_N_GEOM_TYPE; k++) {
      if (replaced(i, k) && mjCOLLISIONFUNC[i][k] != collide) {
        own[i][k] = mjCOLLISIONFUNC[i][k];
        mjCOLLISIONFUNC[i][k] = collide;
      }
    }
  }
}

// ---- unique numbers

bool cri_convex_parity_applies(const cr_model* m) {
  for (int i = 0; i < m->ngeom; i++) {
    int type = m->geom_type[i];
    bool collides = m->geom_contype[i] != 0 || m->geom_conaffinity[i] != 0 || m->npair > 0;
    if (collides && (type == CR_GEOM_ELLIPSOID || type == CR_GEOM_CYLINDER ||
                     type == CR_GEOM_MESH || type == CR_GEOM_HFIELD)) {
      return true;
    }
  }
  return false;
}

enum { MOST = CR_MAX_HITS };

// contacts of one pair of geoms
typedef struct {
  int n, deepest;
  int at[MOST];  // in the list of contacts
  double dist[MOST];
  mjtNum pos[MOST][3], normal[MOST][3];
} group;

static void add(group* g, int at, double dist, const mjtNum pos[3], const mjtNum normal[3]) {
  if (g->n == MOST) {
    return;
  }
  if (g->n == 0 || dist < g->dist[g->deepest]) {
    g->deepest = g->n;
  }
  g->at[g->n] = at;
  g->dist[g->n] = dist;
  mju_copy3(g->pos[g->n], pos);
  mju_copy3(g->normal[g->n++], normal);
}

static group of_mujoco(const mjData* d, const int32_t geom[2]) {
  group g = {0};
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = &d->contact[i];
    if (c->geom[0] == geom[0] && c->geom[1] == geom[1]) {
      add(&g, i, c->dist, c->pos, c->frame);
    }
  }
  return g;
}

static group of_carom(const cr_data* d, const int32_t geom[2]) {
  group g = {0};
  for (int i = 0; i < d->ncon; i++) {
    if (memcmp(d->contact_geom + 2 * i, geom, 2 * sizeof geom[0]) == 0) {
      add(&g, i, d->contact_dist[i], d->contact_pos + 3 * i, d->contact_frame + 9 * i);
    }
  }
  return g;
}

// Over two planes the distance is linear in the place: three contacts of one side give the distance at
// those of the other. Returns the largest difference, -1 if three contacts are on a line.
static double plane_error(const group* ours, const group* theirs) {
  mjtNum e1[3], e2[3], c[3], arm[3], r[3];
  for (int k = 2; k < theirs->n; k++) {
    mju_sub3(e1, theirs->pos[1], theirs->pos[0]);
    mju_sub3(e2, theirs->pos[k], theirs->pos[0]);
    mju_cross(c, e1, e2);
    double area = mju_dot3(c, c);
    if (area < 1e-6 * mju_dot3(e1, e1) * mju_dot3(e2, e2)) {
      continue;
    }
    double worst = 0;
    for (int i = 0; i < ours->n; i++) {
      mju_sub3(arm, ours->pos[i], theirs->pos[0]);
      mju_cross(r, arm, e2);
      double u = mju_dot3(r, c) / area;
      mju_cross(r, e1, arm);
      double v = mju_dot3(r, c) / area;
      double expected = theirs->dist[0] + u * (theirs->dist[1] - theirs->dist[0]) +
                        v * (theirs->dist[k] - theirs->dist[0]);
      worst = fmax(worst, fabs(ours->dist[i] - expected));
    }
    return worst;
  }
  return -1;
}

static bool first_of_its_pair(const cr_data* d, int i) {
  for (int k = 0; k < i; k++) {
    if (memcmp(d->contact_geom + 2 * k, d->contact_geom + 2 * i, 2 * sizeof(int32_t)) == 0) {
      return false;
    }
  }
  return true;
}

// one contact in both engines, and the geoms' depth along either normal: the support of one shape
// less that of the other, which is independent of any search
typedef struct {
  double ours, theirs;              // depths
  double along_ours, along_theirs;  // along the two normals
  bool alone;                       // ours is the only contact of its pair
} depths;

static depths depths_of(const cr_model* m, const cr_data* d, const group* ours, int i,
                        const group* theirs, int k) {
  const int32_t *geom = d->contact_geom + 2 * ours->at[i],
                *feature = d->contact_feature + 4 * ours->at[i];
  return (depths){.ours = -ours->dist[i],
                  .theirs = -theirs->dist[k],
                  .alone = ours->n == 1 || m->geom_type[geom[0]] == CR_GEOM_HFIELD,
                  .along_ours = cri_collide_depth(m, d->geom_xpos, d->geom_xmat, geom, feature,
                                                  ours->normal[i]),
                  .along_theirs = cri_collide_depth(m, d->geom_xpos, d->geom_xmat, geom, feature,
                                                    theirs->normal[k])};
}

// error of ours: more than the depth of the geoms along the other normal or along its own; or less
// than along its own, unless it is the corner of a face, which may be higher than the face's lowest
static double error_of(const depths* x) {
  double beyond = x->ours - x->along_ours;
  return fmax(fmax(0, x->ours - x->along_theirs), x->alone ? fabs(beyond) : beyond);
}

// true if theirs is not the least, or has no normal
static void name_off(const cr_model* m, const int32_t geom[2], const depths* x, double size,
                     cr_off* off) {
  const double slack = CR_CONVEX_PARITY_BOUND * size;
  if (error_of(x) > slack ||
      (x->along_theirs <= x->ours + slack && fabs(x->along_theirs - x->theirs) <= slack)) {
    return;
  }
  cri_off_add(
      off, CR_OFF_CONVEX, fabs(x->theirs - x->ours),
      "%s and %s: MuJoCo's depth is %.6g, but along its normal they overlap by %.6g, and along "
      "Carom's by %.6g, the least",
      cri_label(m, CRI_OBJECT_geom, geom[0]).text, cri_label(m, CRI_OBJECT_geom, geom[1]).text,
      x->theirs, x->along_theirs, x->along_ours);
}

static void compare_convex(const cr_model* m, const cr_data* d, const group* ours,
                           const group* theirs, double size, cr_convex_parity* result,
                           cr_off* off) {
  const mjtNum* normal = ours->normal[ours->deepest];
  bool same = mju_dot3(normal, theirs->normal[theirs->deepest]) > 0.999;
  double error = fabs(ours->dist[ours->deepest] - theirs->dist[theirs->deepest]);
  if (error > CR_CONVEX_PARITY_BOUND * size) {
    // other points on the same two planes; or MuJoCo's normal belongs to a face nearby, or to no optimum:
    // then along it the geoms are deeper in each other than along ours
    double plane = same ? plane_error(ours, theirs) : -1;
    depths x = depths_of(m, d, ours, ours->deepest, theirs, theirs->deepest);
    error = plane >= 0 ? fmin(plane, error_of(&x)) : error_of(&x);
    result->other_points++;
    if (!(plane >= 0 && plane <= CR_CONVEX_PARITY_BOUND * size)) {
      name_off(m, d->contact_geom + 2 * ours->at[0], &x, size, off);
    }
  }
  result->distance = fmax(result->distance, error / size);
  result->other_normal += !same;
}

// Prism by prism, in the same order. MuJoCo's search ends too early for boxes and meshes without a
// margin, at a distance that no normal has.
static void compare_field(const cr_model* m, const cr_data* d, const group* ours,
                          const group* theirs, double size, cr_convex_parity* result, cr_off* off) {
  bool same = true, other = false;
  for (int k = 0; k < ours->n && ours->n == theirs->n; k++) {
    double error = fabs(ours->dist[k] - theirs->dist[k]);
    if (error > CR_CONVEX_PARITY_BOUND * size) {
      depths x = depths_of(m, d, ours, k, theirs, k);
      error = error_of(&x);
      other = true;
      name_off(m, d->contact_geom + 2 * ours->at[k], &x, size, off);
    }
    same = same && mju_dot3(ours->normal[k], theirs->normal[k]) > 0.999;
    result->distance = fmax(result->distance, error / size);
  }
  result->other_points += other;
  result->other_normal += !same;
}

void cri_convex_parity_compare(const cr_model* m, const cr_data* d, const mjData* reference,
                               cr_convex_parity* result, cr_off* off) {
  for (int i = 0; i < d->ncon; i++) {
    const int32_t* geom = d->contact_geom + 2 * i;
    if (!cri_collision_general(m->geom_type[geom[0]], m->geom_type[geom[1]]) ||
        !first_of_its_pair(d, i)) {
      continue;
    }
    group ours = of_carom(d, geom), theirs = of_mujoco(reference, geom);
    bool field = m->geom_type[geom[0]] == CR_GEOM_HFIELD;
    double size = m->geom_rbound[geom[1]] + (field ? 0 : m->geom_rbound[geom[0]]);
    result->pairs++;
    result->other_count += ours.n != theirs.n;
    if (theirs.n > 0) {
      (field ? compare_field : compare_convex)(m, d, &ours, &theirs, size, result, off);
    }
  }
}
