// SPDX-License-Identifier: Apache-2.0
// The table of pairs, the frame of a contact, the loop over candidates, the loops over contacts.
#include "collision/collision.h"

#include "collision/broad.h"
#include "collision/contact_merge.h"
#include "collision/merge_share.h"
#include "collision/soft_hull.h"
#include "collision/soft_pairs.h"
#include "geometry/box.h"
#include "geometry/box_box.h"
#include "geometry/capsule_box.h"
#include "geometry/convex_pair.h"
#include "geometry/feature_solve.h"
#include "geometry/hfield.h"
#include "geometry/pair_distance.h"
#include "geometry/plane.h"
#include "geometry/plane_convex.h"
#include "geometry/sphere_capsule.h"
#include "math/quat.h"
#include "model/build.h"

#define PAIR(name) \
  { cri_##name, cri_##name##_tan, cri_##name##_bar }

// rows: type of the first shape; columns: type of the second, never lower
static const cr_pair TABLE[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE] = {
    [CR_GEOM_PLANE] = {[CR_GEOM_SPHERE] = PAIR(plane_sphere),
                       [CR_GEOM_CAPSULE] = PAIR(plane_capsule),
                       [CR_GEOM_ELLIPSOID] = PAIR(plane_ellipsoid),
                       [CR_GEOM_CYLINDER] = PAIR(plane_cylinder),
                       [CR_GEOM_BOX] = PAIR(plane_box),
                       [CR_GEOM_MESH] = PAIR(plane_hull)},
    [CR_GEOM_HFIELD] = {[CR_GEOM_SPHERE] = PAIR(hfield_convex),
                        [CR_GEOM_CAPSULE] = PAIR(hfield_convex),
                        [CR_GEOM_ELLIPSOID] = PAIR(hfield_convex),
                        [CR_GEOM_CYLINDER] = PAIR(hfield_convex),
                        [CR_GEOM_BOX] = PAIR(hfield_convex),
                        [CR_GEOM_MESH] = PAIR(hfield_convex)},
    [CR_GEOM_SPHERE] = {[CR_GEOM_SPHERE] = {cri_sphere_sphere, cri_axes_tan, cri_axes_bar},
                        [CR_GEOM_CAPSULE] = {cri_sphere_capsule, cri_axes_tan, cri_axes_bar},
                        [CR_GEOM_ELLIPSOID] = PAIR(convex_pair),
                        [CR_GEOM_CYLINDER] = PAIR(sphere_cylinder),
                        [CR_GEOM_BOX] = PAIR(sphere_box),
                        [CR_GEOM_MESH] = PAIR(convex_pair)},
    [CR_GEOM_CAPSULE] = {[CR_GEOM_CAPSULE] = {cri_capsule_capsule, cri_axes_tan, cri_axes_bar},
                         [CR_GEOM_ELLIPSOID] = PAIR(convex_pair),
                         [CR_GEOM_CYLINDER] = PAIR(convex_pair),
                         [CR_GEOM_BOX] = PAIR(capsule_box),
                         [CR_GEOM_MESH] = PAIR(convex_pair)},
    [CR_GEOM_ELLIPSOID] = {[CR_GEOM_ELLIPSOID] = PAIR(convex_pair),
                           [CR_GEOM_CYLINDER] = PAIR(convex_pair),
                           [CR_GEOM_BOX] = PAIR(convex_pair),
                           [CR_GEOM_MESH] = PAIR(convex_pair)},
    [CR_GEOM_CYLINDER] = {[CR_GEOM_CYLINDER] = PAIR(convex_pair),
                          [CR_GEOM_BOX] = PAIR(convex_pair),
                          [CR_GEOM_MESH] = PAIR(convex_pair)},
    [CR_GEOM_BOX] = {[CR_GEOM_BOX] = PAIR(box_box), [CR_GEOM_MESH] = PAIR(convex_pair)},
    [CR_GEOM_MESH] = {[CR_GEOM_MESH] = PAIR(convex_pair)},
};

// with soft collision: pairs that the published formulas cover, or leave unchanged
static const cr_pair SOFT[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE] = {
    [CR_GEOM_PLANE] = {[CR_GEOM_SPHERE] = PAIR(soft_plane_sphere),
                       [CR_GEOM_CAPSULE] = PAIR(soft_plane_capsule),
                       [CR_GEOM_ELLIPSOID] = PAIR(soft_plane_ellipsoid),
                       [CR_GEOM_CYLINDER] = PAIR(soft_plane_cylinder),
                       [CR_GEOM_BOX] = PAIR(soft_plane_hull),
                       [CR_GEOM_MESH] = PAIR(soft_plane_hull)},
    [CR_GEOM_SPHERE] = {[CR_GEOM_SPHERE] = PAIR(soft_sphere_sphere),
                        [CR_GEOM_CAPSULE] = PAIR(soft_sphere_capsule),
                        [CR_GEOM_BOX] = PAIR(sphere_box),
                        [CR_GEOM_MESH] = PAIR(convex_pair)},
    [CR_GEOM_CAPSULE] = {[CR_GEOM_CAPSULE] = PAIR(soft_capsule_capsule),
                         [CR_GEOM_BOX] = PAIR(capsule_box),
                         [CR_GEOM_MESH] = PAIR(convex_pair)},
};

// with smooth collision: a plane tests all corners
static const cr_pair ALL_OF_BOX = {cri_plane_box_all, cri_plane_box_tan, cri_plane_box_bar};
static const cr_pair ALL_OF_HULL = {cri_plane_hull_all, cri_plane_hull_tan, cri_plane_hull_bar};

static const cr_pair* pair_by(int collision, int type1, int type2) {
  bool smooth = collision == CR_COLLISION_SMOOTH && type1 == CR_GEOM_PLANE;
  if (smooth && (type2 == CR_GEOM_BOX || type2 == CR_GEOM_MESH)) {
    return type2 == CR_GEOM_BOX ? &ALL_OF_BOX : &ALL_OF_HULL;
  }
  return collision == CR_COLLISION_SOFT ? &SOFT[type1][type2] : &TABLE[type1][type2];
}

const cr_pair* cri_collision_pair(int type1, int type2) {
  bool known = type1 >= 0 && type1 < CR_N_GEOM_TYPE && type2 >= 0 && type2 < CR_N_GEOM_TYPE;
  return known && TABLE[type1][type2].detect != NULL ? &TABLE[type1][type2] : NULL;
}

// planes and height fields do not meet among themselves
static bool stand_still(int type1, int type2) {
  return type1 >= 0 && type1 <= CR_GEOM_HFIELD && type2 >= 0 && type2 <= CR_GEOM_HFIELD;
}

bool cri_collision_supported(int type1, int type2) {
  return stand_still(type1, type2) || cri_collision_pair(type1, type2) != NULL;
}

bool cri_collision_soft(int type1, int type2) {
  return stand_still(type1, type2) || SOFT[type1][type2].detect != NULL;
}

// ---- the frame

// numbers for derivatives of the frame, stored in a row of contact_axes
typedef struct {
  cr_real normal[3], tangent[3];
  cr_real along;   // n . hint
  cr_real length;  // |h|, or 0 if the tangent is held
} axes;

static axes load_axes(const cr_real row[8]) {
  axes x = {.along = row[6], .length = row[7]};
  cr_copy3(x.normal, row);
  cr_copy3(x.tangent, row + 3);
  return x;
}

// returns what the first tangent follows, contact_axis
static int32_t complete(const cr_hit* hit, cr_real frame[9], cr_real saved[8]) {
  axes x;
  int32_t axis = 0;
  cr_copy3(x.normal, hit->normal);
  cr_normalize3(x.normal);

  // [collision.k1] the direction of the first tangent, e_y or e_z if the pair gives none
  cr_copy3(x.tangent, hit->hint);
  if (cr_dot3(hit->hint, hit->hint) < CR_R(0.25)) {
    bool y = cr_abs(x.normal[1]) < CR_R(0.5);
    axis = y ? 1 : 2;
    x.tangent[0] = 0;
    x.tangent[1] = y ? 1 : 0;
    x.tangent[2] = y ? 0 : 1;
  }

  // [collision.k2] made orthogonal to the normal and of unit length
  x.along = cr_dot3(x.normal, x.tangent);
  cr_accscl3(x.tangent, x.normal, -x.along);
  x.length = cr_normalize3(x.tangent);
  x.length = x.length < CR_TINY_LENGTH ? 0 : x.length;

  cr_copy3(frame, x.normal);
  cr_copy3(frame + 3, x.tangent);
  cr_cross3(frame + 6, x.normal, x.tangent);
  cr_copy3(saved, x.normal);
  cr_copy3(saved + 3, x.tangent);
  saved[6] = x.along;
  saved[7] = x.length;
  return x.length > 0 ? axis : axis + 3;
}

// [collision.k3] the frame turns with w = n x n_tan + n (t2 . (hint_tan - (n . hint) n_tan))/|h|
static void frame_turn(const axes* x, const cr_hit_tan* hit_tan, const cr_real third[3],
                       cr_real w[3]) {
  cr_cross3(w, x->normal, hit_tan->normal);
  if (x->length > 0) {
    cr_real spin = cr_dot3(third, hit_tan->hint) - x->along * cr_dot3(third, hit_tan->normal);
    cr_accscl3(w, x->normal, spin / x->length);
  }
}

static void frame_tan(const axes* x, const cr_hit_tan* hit_tan, cr_real rows_tan[9]) {
  cr_real third[3], w[3];
  cr_cross3(third, x->normal, x->tangent);
  frame_turn(x, hit_tan, third, w);
  cr_cross3(rows_tan, w, x->normal);
  cr_cross3(rows_tan + 3, w, x->tangent);
  cr_cross3(rows_tan + 6, w, third);
}

// [collision.k3]' into the cotangents of normal and hint
static void frame_bar(const axes* x, const cr_real rows_bar[9], cr_hit_tan* hit_bar) {
  cr_real third[3], w_bar[3] = {0, 0, 0};
  cr_cross3(third, x->normal, x->tangent);
  cr_acccross3(w_bar, x->normal, rows_bar);
  cr_acccross3(w_bar, x->tangent, rows_bar + 3);
  cr_acccross3(w_bar, third, rows_bar + 6);
  cr_cross3(hit_bar->normal, w_bar, x->normal);
  cr_zero3(hit_bar->hint);
  if (x->length > 0) {
    cr_real spin_bar = cr_dot3(w_bar, x->normal) / x->length;
    cr_accscl3(hit_bar->normal, third, -spin_bar * x->along);
    cr_accscl3(hit_bar->hint, third, spin_bar);
  }
}

// ---- shapes

// a shape with its hull or height field
typedef struct {
  cr_shape shape;
  cr_hull hull;
  cr_terrain terrain;
} solid;

static void hull_of(const cr_model* m, int mesh, cr_hull* h) {
  int vert = m->mesh_vertadr[mesh], poly = m->mesh_polyadr[mesh], graph = m->mesh_graphadr[mesh];
  *h = (cr_hull){.nvert = m->mesh_vertnum[mesh],
                 .npoly = m->mesh_polynum[mesh],
                 .vert = m->mesh_vert + 3 * (ptrdiff_t)vert,
                 .graph = graph < 0 ? NULL : m->mesh_graph + graph,
                 .start = m->mesh_start + 27 * (ptrdiff_t)mesh,
                 .normal = m->mesh_polynormal + 3 * (ptrdiff_t)poly,
                 .adr = m->mesh_polyvertadr + poly,
                 .num = m->mesh_polyvertnum + poly,
                 .polygon = m->mesh_polyvert,
                 .mapadr = m->mesh_polymapadr + vert,
                 .mapnum = m->mesh_polymapnum + vert,
                 .map = m->mesh_polymap};
}

// the same without its place
static void shape_of_type(const cr_model* m, int geom, solid* s) {
  s->shape = (cr_shape){.size = m->geom_size + 3 * geom,
                        .type = m->geom_type[geom],
                        .single = (m->disableflags & CR_DSBL_MULTICCD) != 0,
                        .all = m->collision == CR_COLLISION_SMOOTH,
                        .bound = cri_geom_bound(m, geom),
                        .softness = m->softness,
                        .hull = &s->hull,
                        .terrain = &s->terrain};
  if (s->shape.type == CR_GEOM_MESH) {
    hull_of(m, m->geom_dataid[geom], &s->hull);
  } else if (s->shape.type == CR_GEOM_HFIELD) {
    int id = m->geom_dataid[geom];
    s->terrain = (cr_terrain){.nrow = m->hfield_nrow[id],
                              .ncol = m->hfield_ncol[id],
                              .size = m->hfield_size + 4 * id,
                              .data = m->hfield_data + m->hfield_adr[id]};
  }
}

static void shape_at(const cr_model* m, const cr_real* xpos, const cr_real* xmat, int geom,
                     solid* s) {
  shape_of_type(m, geom, s);
  s->shape.pos = xpos + 3 * geom;
  s->shape.mat = xmat + 9 * geom;
}

static void shape_of(const cr_model* m, const cr_data* d, int geom, solid* s) {
  shape_at(m, d->geom_xpos, d->geom_xmat, geom, s);
}

cr_shape_tan cri_collision_shape_tan(const cr_data* d, const cr_data* tan, int geom) {
  cr_shape_tan s_tan;
  cr_copy3(s_tan.pos, tan->geom_xpos + 3 * geom);
  cr_rot_vec(s_tan.rot, d->geom_xmat + 9 * geom, tan->geom_xmat + 9 * geom);
  cr_copy3(s_tan.size, cri_par_tan(tan->par.geom_size, geom, 3));
  return s_tan;
}

void cri_collision_shape_bar(const cr_data* d, const cr_shape_tan* s_bar, int geom, cr_data* bar) {
  cr_acc3(bar->geom_xpos + 3 * geom, s_bar->pos);
  cr_accrot(bar->geom_xmat + 9 * geom, s_bar->rot, 1, d->geom_xmat + 9 * geom);
  if (bar->par.geom_size != NULL) {
    cr_acc3(bar->par.geom_size + 3 * geom, s_bar->size);
  }
}

// effect of the parameters of a height field, if the geom is one, at a contact: [collision_hfield.e4] of hfield.c
static void add_lift(const cr_model* m, const cr_data* tan, int geom, const cr_shape* s,
                     const cr_shape* other, const int32_t feature[4], const cr_real local[6],
                     cr_shape_tan* s_tan) {
  if (s->type == CR_GEOM_HFIELD && (tan->par.hfield_size != NULL || tan->par.hfield_data != NULL)) {
    int32_t id = m->geom_dataid[geom], place[3];
    cr_real height_tan[3];
    cri_hfield_heights(s->terrain, feature, place);
    for (int k = 0; k < 3; k++) {
      height_tan[k] = *cri_par_tan(tan->par.hfield_data, m->hfield_adr[id] + place[k], 1);
    }
    cri_hfield_lift_tan(s, other, feature, local, cri_par_tan(tan->par.hfield_size, id, 4),
                        height_tan, s_tan);
  }
}

static void lift_bar(const cr_model* m, cr_data* bar, int geom, const cr_shape* s,
                     const cr_shape* other, const int32_t feature[4], const cr_real local[6],
                     const cr_shape_tan* s_bar) {
  if (s->type == CR_GEOM_HFIELD && (bar->par.hfield_size != NULL || bar->par.hfield_data != NULL)) {
    int32_t id = m->geom_dataid[geom], place[3];
    cr_real size_bar[4] = {0}, height_bar[3] = {0};
    cri_hfield_heights(s->terrain, feature, place);
    cri_hfield_lift_bar(s, other, feature, local, s_bar, size_bar, height_bar);
    for (int k = 0; bar->par.hfield_size != NULL && k < 4; k++) {
      bar->par.hfield_size[4 * id + k] += size_bar[k];
    }
    for (int k = 0; bar->par.hfield_data != NULL && k < 3; k++) {
      bar->par.hfield_data[m->hfield_adr[id] + place[k]] += height_bar[k];
    }
  }
}

static const cr_pair* pair_of(const cr_model* m, const int32_t geom[2]) {
  return pair_by(m->collision, m->geom_type[geom[0]], m->geom_type[geom[1]]);
}

int cri_pair_hits(const cr_pair* pair, const cr_model* m, const cr_real* xpos, const cr_real* xmat,
                  const int32_t geom[2], cr_real reach, bool single, cr_hit hit[CR_MAX_HITS]) {
  if (pair->detect == NULL) {
    return 0;
  }
  solid a, b;
  shape_at(m, xpos, xmat, geom[0], &a);
  shape_at(m, xpos, xmat, geom[1], &b);
  a.shape.single = a.shape.single || single;
  return pair->detect(&a.shape, &b.shape, reach, hit);
}

void cri_pair_hit_tan(const cr_pair* pair, const cr_model* m, const cr_data* d, const cr_data* tan,
                      const int32_t geom[2], const int32_t feature[4], const cr_real local[6],
                      cr_hit_tan* hit_tan) {
  solid a, b;
  shape_of(m, d, geom[0], &a);
  shape_of(m, d, geom[1], &b);
  cr_shape_tan a_tan = cri_collision_shape_tan(d, tan, geom[0]),
               b_tan = cri_collision_shape_tan(d, tan, geom[1]);
  add_lift(m, tan, geom[0], &a.shape, &b.shape, feature, local, &a_tan);
  pair->tan(&a.shape, &b.shape, feature, local, &a_tan, &b_tan, hit_tan);
}

void cri_pair_hit_bar(const cr_pair* pair, const cr_model* m, const cr_data* d, cr_data* bar,
                      const int32_t geom[2], const int32_t feature[4], const cr_real local[6],
                      const cr_hit_tan* hit_bar) {
  solid a, b;
  shape_of(m, d, geom[0], &a);
  shape_of(m, d, geom[1], &b);
  cr_shape_tan a_bar = {{0}, {0}, {0}}, b_bar = {{0}, {0}, {0}};
  pair->bar(&a.shape, &b.shape, feature, local, hit_bar, &a_bar, &b_bar);
  lift_bar(m, bar, geom[0], &a.shape, &b.shape, feature, local, &a_bar);
  cri_collision_shape_bar(d, &a_bar, geom[0], bar);
  cri_collision_shape_bar(d, &b_bar, geom[1], bar);
}

int cri_collide(const cr_model* m, const cr_real* xpos, const cr_real* xmat, const int32_t geom[2],
                cr_real reach, cr_hit hit[CR_MAX_HITS]) {
  return cri_pair_hits(pair_of(m, geom), m, xpos, xmat, geom, reach, false, hit);
}

cr_real cri_collide_depth(const cr_model* m, const cr_real* xpos, const cr_real* xmat,
                          const int32_t geom[2], const int32_t feature[4], const cr_real n[3]) {
  solid a, b;
  shape_at(m, xpos, xmat, geom[0], &a);
  shape_at(m, xpos, xmat, geom[1], &b);
  if (a.shape.type == CR_GEOM_HFIELD) {
    return cri_hfield_depth(&a.shape, &b.shape, feature, n);
  }
  return cri_convex_depth(&a.shape, &b.shape, n);
}

// turned about a point of the world by a small angle
static void tilt(cri_place* s, const cr_real p[3], const cr_real axis[3], cr_real angle) {
  cr_real q[4], turn[9], mat[9], arm[3], moved[3];
  cr_quat_axis_angle(q, axis, angle);
  cr_quat_to_mat(turn, q);
  cr_matmul3(mat, turn, s->mat);
  cr_copy(s->mat, mat, 9);
  cr_sub3(arm, s->pos, p);
  cr_mulmat3(moved, turn, arm);
  cr_add3(s->pos, p, moved);
}

static cri_place place_of(const cr_model* m, const cr_data* d, int geom) {
  cri_place p;
  cr_copy3(p.pos, d->geom_xpos + 3 * geom);
  cr_copy(p.mat, d->geom_xmat + 9 * geom, 9);
  cr_copy3(p.size, m->geom_size + 3 * geom);
  return p;
}

bool cri_collision_leaps(const cr_model* m, const cr_data* d, int first, int n) {
  static const cr_real ANGLE = CR_R(1e-8), FAR = CR_R(1e-4);
  const int32_t* geom = d->contact_geom + 2 * first;
  cri_place place[2] = {place_of(m, d, geom[0]), place_of(m, d, geom[1])};
  cr_hit hit[CR_MAX_HITS], near[CR_MAX_HITS];
  cr_real weight[CR_MAX_HITS], size = cri_geom_bound(m, geom[1]), reach = -CR_MAX;
  for (int i = first; i < first + n; i++) {
    reach = cr_max(reach, d->contact_dist[i]);
  }
  int count = cri_collide_at(m, geom, place, reach + FAR * size, hit, weight);
  for (int k = 0; k < 4 * count; k++) {
    // about each of the two tangents, to both sides
    cri_place moved[2] = {place[0], place[1]};
    cr_real t[2][3], gap[3];
    const cr_hit* at = &hit[k / 4];
    cri_plane_basis(at->normal, t[0], t[1]);
    tilt(&moved[1], at->pos, t[k % 2], k % 4 < 2 ? ANGLE : -ANGLE);
    if (cri_collide_at(m, geom, moved, reach + FAR * size, near, weight) != count) {
      return true;
    }
    cr_sub3(gap, near[k / 4].pos, at->pos);
    if (cr_norm3(gap) > FAR * size) {
      return true;
    }
  }
  return false;
}

bool cri_collision_general(int type1, int type2) {
  const cr_pair* pair = cri_collision_pair(type1, type2);
  return pair != NULL && (pair->detect == cri_convex_pair || pair->detect == cri_hfield_convex);
}

// ---- smooth collision

static cri_merge_share sharing_of(const cr_model* m, const int32_t geom[2]) {
  return cri_merge_share_of(m, geom,
                            cri_collision_general(m->geom_type[geom[0]], m->geom_type[geom[1]]));
}

// number of contacts from i on that are merged into one
static int shared_from(const cr_data* d, int i) {
  int n = 1;
  while (i + n < d->ncon && d->contact_follows[i + n] != 0) {
    n++;
  }
  return n;
}

static void save_own(cr_data* d, int i, const cr_hit_tan* own) {
  cr_real* row = d->contact_own + 10 * i;
  row[0] = own->dist;
  cr_copy3(row + 1, own->pos);
  cr_copy3(row + 4, own->normal);
  cr_copy3(row + 7, own->hint);
}

static void load_own(const cr_data* d, int i, int n, cr_hit_tan* own) {
  for (int k = 0; k < n; k++) {
    const cr_real* row = d->contact_own + 10 * (i + k);
    own[k].dist = row[0];
    cr_copy3(own[k].pos, row + 1);
    cr_copy3(own[k].normal, row + 4);
    cr_copy3(own[k].hint, row + 7);
  }
}

// Merges n hits: keeps those with a share, with the numbers of their mean; `own` gets their own numbers. Returns
// how many are kept, 0 if the mean is beyond the reach
static int share(cr_hit hit[CR_MAX_HITS], int n, cr_real reach, cr_real length,
                 cr_hit_tan own[CR_MAX_HITS], cr_real* weight) {
  for (int i = 0; i < n; i++) {
    own[i] = cri_contact_merge_row(&hit[i]);
  }
  cr_real dist = n > 0 ? cri_contact_merge_dist(own, n, length) : CR_MAX;
  if (dist > reach) {
    return 0;
  }
  int kept = 0;
  for (int i = 0; i < n; i++) {
    if (cri_contact_merge_keeps(own[i].dist, dist, length)) {
      own[kept] = own[i];
      hit[kept++] = hit[i];
    }
  }
  cr_hit_tan mean = cri_contact_merge(own, kept, length, weight);
  for (int i = 0; i < kept; i++) {
    hit[i].dist = mean.dist;
    cr_copy3(hit[i].pos, mean.pos);
    cr_copy3(hit[i].normal, mean.normal);
    cr_copy3(hit[i].hint, mean.hint);
  }
  return kept;
}

int cri_collide_at(const cr_model* m, const int32_t geom[2], const cri_place place[2],
                   cr_real reach, cr_hit hit[CR_MAX_HITS], cr_real weight[CR_MAX_HITS]) {
  const cr_pair* pair = pair_of(m, geom);
  solid x[2];
  for (int k = 0; k < 2; k++) {
    shape_of_type(m, geom[k], &x[k]);
    x[k].shape.pos = place[k].pos;
    x[k].shape.mat = place[k].mat;
    x[k].shape.size = place[k].size;
  }
  cr_real length = sharing_of(m, geom).length;
  int n = pair->detect == NULL ? 0 : pair->detect(&x[0].shape, &x[1].shape, reach + length, hit);
  if (length > 0) {
    cr_hit_tan own[CR_MAX_HITS];
    return share(hit, n, reach, length, own, weight) > 0;
  }
  for (int i = 0; i < n; i++) {
    weight[i] = 1;
  }
  return n;
}

// contacts i .. i + n, of own tangents hit_tan; all get the tangent of their mean
static void shared_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, int n,
                       cr_hit_tan* hit_tan) {
  cri_merge_share s = sharing_of(m, d->contact_geom + 2 * i);
  cr_zero(tan->contact_weight + i, n);
  if (s.length == 0) {
    return;
  }
  cr_hit_tan own[CR_MAX_HITS];
  load_own(d, i, n, own);
  cr_real length_tan =
      s.slope == 0 ? 0 : s.slope * cri_par_tan(tan->par.geom_size, s.geom, 3)[s.size];
  cr_hit_tan mean_tan =
      cri_contact_merge_tan(own, n, s.length, hit_tan, length_tan, tan->contact_weight + i);
  for (int k = 0; k < n; k++) {
    hit_tan[k] = mean_tan;
  }
}

// its transpose, on cotangents
static void shared_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i, int n,
                       cr_hit_tan* hit_bar) {
  cri_merge_share s = sharing_of(m, d->contact_geom + 2 * i);
  if (s.length == 0) {
    return;
  }
  cr_hit_tan own[CR_MAX_HITS], mean_bar = hit_bar[0];
  load_own(d, i, n, own);
  for (int k = 1; k < n; k++) {
    mean_bar.dist += hit_bar[k].dist;
    cr_acc3(mean_bar.pos, hit_bar[k].pos);
    cr_acc3(mean_bar.normal, hit_bar[k].normal);
    cr_acc3(mean_bar.hint, hit_bar[k].hint);
  }
  cr_real length_bar =
      cri_contact_merge_bar(own, n, s.length, &mean_bar, bar->contact_weight[i], hit_bar);
  if (s.slope != 0 && bar->par.geom_size != NULL) {
    bar->par.geom_size[3 * s.geom + s.size] += s.slope * length_bar;
  }
}

// ---- the stage

typedef struct {
  const cr_model* m;
  cr_data* d;
  int needed;              // contacts found
  int32_t unsupported[2];  // two geoms that meet without functions, -1 none
} detection;

static void store(cr_data* d, int i, const cr_candidate* c, const cr_hit* hit) {
  d->contact_dist[i] = hit->dist;
  d->contact_weight[i] = 1;
  d->contact_follows[i] = 0;
  cr_copy3(d->contact_pos + 3 * i, hit->pos);
  d->contact_axis[i] = complete(hit, d->contact_frame + 9 * i, d->contact_axes + 8 * i);
  memcpy(d->contact_geom + 2 * i, c->geom, sizeof c->geom);
  d->contact_pair[i] = c->pair;
  memcpy(d->contact_feature + 4 * i, hit->feature, sizeof hit->feature);
  memcpy(d->contact_local + 6 * i, hit->local, sizeof hit->local);
}

// smooth: hits farther apart than the reach count too, if others are within it
static void add_shared(detection* x, const cr_candidate* c, cr_real length) {
  cr_hit hit[CR_MAX_HITS];
  cr_hit_tan own[CR_MAX_HITS];
  cr_real weight;
  int n = cri_collide(x->m, x->d->geom_xpos, x->d->geom_xmat, c->geom, c->reach + length, hit);
  int kept = share(hit, n, c->reach, length, own, &weight);
  for (int i = 0; i < kept; i++, x->needed++) {
    if (x->needed < x->d->ncon_max) {
      store(x->d, x->needed, c, &hit[i]);
      save_own(x->d, x->needed, &own[i]);
      x->d->contact_weight[x->needed] = i == 0 ? weight : 0;
      x->d->contact_follows[x->needed] = i > 0;
    }
  }
}

static void look(void* context, const cr_candidate* c) {
  detection* x = context;
  if (cri_pair_by_pressure(x->m, c->geom[0], c->geom[1])) {
    return;
  }
  int type1 = x->m->geom_type[c->geom[0]], type2 = x->m->geom_type[c->geom[1]];
  if (!stand_still(type1, type2) && pair_by(x->m->collision, type1, type2)->detect == NULL) {
    memcpy(x->unsupported, c->geom, sizeof c->geom);
    return;
  }
  cri_merge_share s = sharing_of(x->m, c->geom);
  if (s.length > 0) {
    add_shared(x, c, s.length);
    return;
  }
  cr_hit hit[CR_MAX_HITS];
  int n = cri_collide(x->m, x->d->geom_xpos, x->d->geom_xmat, c->geom, c->reach, hit);
  for (int i = 0; i < n; i++, x->needed++) {
    if (x->needed < x->d->ncon_max) {
      store(x->d, x->needed, c, &hit[i]);
    }
  }
}

cr_status cr_collision(const cr_model* m, cr_data* d) {
  d->ncon = 0;
  if ((m->disableflags & (CR_DSBL_CONSTRAINT | CR_DSBL_CONTACT)) != 0) {
    return CR_OK;
  }
  detection x = {.m = m, .d = d, .unsupported = {-1, -1}};
  cri_candidates(m, d, look, &x);
  d->ncon = x.needed < d->ncon_max ? x.needed : d->ncon_max;
  if (x.unsupported[0] >= 0) {
    return cri_fail(
        &d->error, CR_ERR_UNSUPPORTED,
        "geoms %d ('%s') and %d ('%s') meet: contacts of their types are not supported%s",
        x.unsupported[0], cri_name(m, m->name_geomadr, x.unsupported[0]), x.unsupported[1],
        cri_name(m, m->name_geomadr, x.unsupported[1]),
        m->collision == CR_COLLISION_SOFT ? " by soft collision detection" : "");
  }
  if (x.needed > d->ncon_max) {
    return cri_fail(&d->error, CR_ERR_CAPACITY, "contacts: %d needed, there is room for %d",
                    x.needed, d->ncon_max);
  }
  return CR_OK;
}

cr_status cr_collision_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_hit_tan hit_tan[CR_MAX_HITS];
  for (int i = 0, n; i < d->ncon; i += n) {
    n = shared_from(d, i);
    for (int k = 0; k < n; k++) {
      const int32_t* geom = d->contact_geom + 2 * (i + k);
      cri_pair_hit_tan(pair_of(m, geom), m, d, tan, geom, d->contact_feature + 4 * (i + k),
                       d->contact_local + 6 * (i + k), &hit_tan[k]);
    }
    shared_tan(m, d, tan, i, n, hit_tan);
    for (int k = 0; k < n; k++) {
      axes x = load_axes(d->contact_axes + 8 * (i + k));
      tan->contact_dist[i + k] = hit_tan[k].dist;
      cr_copy3(tan->contact_pos + 3 * (i + k), hit_tan[k].pos);
      frame_tan(&x, &hit_tan[k], tan->contact_frame + 9 * (i + k));
    }
  }
  return CR_OK;
}

// [collision.k3] motion of contact i by the tangent of its hit
static cri_contact_motion motion_of(const cr_data* d, int i, const cr_hit_tan* hit_tan) {
  axes x = load_axes(d->contact_axes + 8 * i);
  cri_contact_motion motion;
  cr_real third[3];
  cr_cross3(third, x.normal, x.tangent);
  motion.dist = hit_tan->dist;
  cr_copy3(motion.pos, hit_tan->pos);
  frame_turn(&x, hit_tan, third, motion.turn);
  return motion;
}

static void shapes_tan(const cr_model* m, const cr_data* d, int i, const cr_shape_tan* a_tan,
                       const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  const int32_t* geom = d->contact_geom + 2 * i;
  solid a, b;
  shape_of(m, d, geom[0], &a);
  shape_of(m, d, geom[1], &b);
  pair_of(m, geom)->tan(&a.shape, &b.shape, d->contact_feature + 4 * i, d->contact_local + 6 * i,
                        a_tan, b_tan, hit_tan);
}

cri_contact_motion cri_collision_motion(const cr_model* m, const cr_data* d, int i,
                                        const cr_shape_tan* a_tan, const cr_shape_tan* b_tan) {
  cr_hit_tan hit_tan;
  shapes_tan(m, d, i, a_tan, b_tan, &hit_tan);
  return motion_of(d, i, &hit_tan);
}

// motion of the shape of a geom with its body
cr_shape_tan cri_collision_shape_velocity(const cr_model* m, const cr_data* d, int geom) {
  int body = m->geom_bodyid[geom];
  const cr_real* v = d->cvel + 6 * body;
  cr_shape_tan s_tan = {{0}, {0}, {0}};
  cr_real arm[3];
  cr_sub3(arm, d->geom_xpos + 3 * geom, d->subtree_com + 3 * m->body_rootid[body]);
  cr_copy3(s_tan.rot, v);
  cr_copy3(s_tan.pos, v + 3);
  cr_acccross3(s_tan.pos, v, arm);
  return s_tan;
}

// the rates of contacts from i on that are merged into one, each separately. Returns their number
static int own_rates(const cr_model* m, const cr_data* d, int i, cr_hit_tan rate[CR_MAX_HITS]) {
  int n = shared_from(d, i);
  const int32_t* geom = d->contact_geom + 2 * i;
  cr_shape_tan a_tan = cri_collision_shape_velocity(m, d, geom[0]),
               b_tan = cri_collision_shape_velocity(m, d, geom[1]);
  for (int k = 0; k < n; k++) {
    shapes_tan(m, d, i + k, &a_tan, &b_tan, &rate[k]);
  }
  return n;
}

cri_contact_motion cri_collision_velocity(const cr_model* m, const cr_data* d, int i) {
  cr_hit_tan own[CR_MAX_HITS], hit_tan[CR_MAX_HITS];
  int n = own_rates(m, d, i, hit_tan);
  cri_merge_share s = sharing_of(m, d->contact_geom + 2 * i);
  if (s.length > 0) {
    cr_real weight_tan;
    load_own(d, i, n, own);
    hit_tan[0] = cri_contact_merge_tan(own, n, s.length, hit_tan, 0, &weight_tan);
  }
  return motion_of(d, i, &hit_tan[0]);
}

int cri_collision_parts(const cr_model* m, const cr_data* d, int i,
                        cri_contact_part part[CR_MAX_HITS]) {
  cr_real length = sharing_of(m, d->contact_geom + 2 * i).length, weight_tan, sum = 0;
  if (length == 0) {
    return 0;
  }
  cr_hit_tan own[CR_MAX_HITS], rate[CR_MAX_HITS];
  int n = own_rates(m, d, i, rate);
  load_own(d, i, n, own);
  cr_hit_tan mean = cri_contact_merge_tan(own, n, length, rate, 0, &weight_tan);
  for (int k = 0; k < n; k++) {
    cr_real gap = own[k].dist - d->contact_dist[i];
    part[k] = (cri_contact_part){
        .at = own[k],
        .rate = rate[k],
        .share = cri_contact_merge_kappa(own[k].dist, d->contact_dist[i], length),
        .left = 1 - gap / length,
        .left_rate = (mean.dist - rate[k].dist) / length};
    sum += part[k].share;
  }
  for (int k = 0; k < n; k++) {
    part[k].share /= sum;
  }
  return n;
}

cr_status cr_collision_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  cr_hit_tan hit_bar[CR_MAX_HITS];
  for (int i = 0, n; i < d->ncon; i += n) {
    n = shared_from(d, i);
    for (int k = 0; k < n; k++) {
      axes x = load_axes(d->contact_axes + 8 * (i + k));
      hit_bar[k].dist = bar->contact_dist[i + k];
      cr_copy3(hit_bar[k].pos, bar->contact_pos + 3 * (i + k));
      frame_bar(&x, bar->contact_frame + 9 * (i + k), &hit_bar[k]);
    }
    shared_bar(m, d, bar, i, n, hit_bar);
    for (int k = 0; k < n; k++) {
      const int32_t* geom = d->contact_geom + 2 * (i + k);
      cri_pair_hit_bar(pair_of(m, geom), m, d, bar, geom, d->contact_feature + 4 * (i + k),
                       d->contact_local + 6 * (i + k), &hit_bar[k]);
    }
  }
  return CR_OK;
}
