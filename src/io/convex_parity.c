// SPDX-License-Identifier: Apache-2.0
#include "io/convex_parity.h"

#include "collision/collision.h"

// ---- contacts for MuJoCo

static _Thread_local const cr_model* in_use;
static mjfCollision own[mjNGEOMTYPES][mjNGEOMTYPES];

static int collide(const mjModel* mj, mjData* d, mjPreContact* con, int g1, int g2, mjtNum margin) {
  if (in_use == NULL) {
    return own[mj->geom_type[g1]][mj->geom_type[g2]](mj, d, con, g1, g2, margin);
  }
  const int32_t geom[2] = {g1, g2};
  cr_hit hit[CR_MAX_HITS];
  int n = cri_collide(in_use, d->geom_xpos, d->geom_xmat, geom, margin, hit);
  for (int i = 0; i < n; i++) {
    con[i].dist = hit[i].dist;
    cr_copy3(con[i].pos, hit[i].pos);
    cr_copy3(con[i].normal, hit[i].normal);
    cr_copy3(con[i].tangent, hit[i].hint);
  }
  return n;
}

void cri_convex_parity_use(const cr_model* m) {
  in_use = m;
  for (int i = 0; i < CR_N_GEOM_TYPE; i++) {
    for (int k = 0; k < CR_N_GEOM_TYPE; k++) {
      if (cri_collision_general(i, k) && mjCOLLISIONFUNC[i][k] != collide) {
        own[i][k] = mjCOLLISIONFUNC[i][k];
        mjCOLLISIONFUNC[i][k] = collide;
      }
    }
  }
}

// ---- what is unique

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

// contacts of one pair of geoms: how many, and the deepest
typedef struct {
  int n;
  double dist;
  double normal[3];
} group;

static void add(group* g, double dist, const mjtNum normal[3]) {
  if (g->n == 0 || dist < g->dist) {
    g->dist = dist;
    mju_copy3(g->normal, normal);
  }
  g->n++;
}

static group of_mujoco(const mjData* d, const int32_t geom[2]) {
  group g = {0};
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = &d->contact[i];
    if (c->geom[0] == geom[0] && c->geom[1] == geom[1]) {
      add(&g, c->dist, c->frame);
    }
  }
  return g;
}

static group of_carom(const cr_data* d, const int32_t geom[2]) {
  group g = {0};
  for (int i = 0; i < d->ncon; i++) {
    if (memcmp(d->contact_geom + 2 * i, geom, 2 * sizeof geom[0]) == 0) {
      add(&g, d->contact_dist[i], d->contact_frame + 9 * i);
    }
  }
  return g;
}

static bool first_of_its_pair(const cr_data* d, int i) {
  for (int k = 0; k < i; k++) {
    if (memcmp(d->contact_geom + 2 * k, d->contact_geom + 2 * i, 2 * sizeof(int32_t)) == 0) {
      return false;
    }
  }
  return true;
}

void cri_convex_parity_compare(const cr_model* m, const cr_data* d, const mjData* reference,
                               cr_convex_parity* result) {
  for (int i = 0; i < d->ncon; i++) {
    const int32_t* geom = d->contact_geom + 2 * i;
    if (!cri_collision_general(m->geom_type[geom[0]], m->geom_type[geom[1]]) ||
        !first_of_its_pair(d, i)) {
      continue;
    }
    group ours = of_carom(d, geom), theirs = of_mujoco(reference, geom);
    double size = m->geom_rbound[geom[0]] + m->geom_rbound[geom[1]];
    result->pairs++;
    result->other_count += ours.n != theirs.n;
    if (theirs.n == 0) {
      continue;
    }
    double error = fabs(ours.dist - theirs.dist) / size;
    result->distance = error > result->distance ? error : result->distance;
    result->other_normal += mju_dot3(ours.normal, theirs.normal) < 0.999;
  }
}
