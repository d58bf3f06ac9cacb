// SPDX-License-Identifier: Apache-2.0
// Boxes about geoms against points that are in them, gaps that are known, and a heap of meshes of
// which no contact may be lost.
#include "collision/bounds.h"

#include "base/random.h"
#include "collision/broad.h"
#include "collision/collision.h"
#include "kinematics/kinematics.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/build.h"
#include "model/model_check.h"
#include "scenes/hulls.h"
#include "support/close.h"

enum { N_CASE = 20000 };

// ---- two geoms, anywhere

typedef struct {
  int32_t type[2], dataid[2];
  cr_real size[6], rbound[2], box[12], field[4];
  cr_real xpos[6], xmat[18];
  cr_model m;
  cr_data d;
} pair;

static void turn_at_random(cr_random* r, cr_real mat[9]) {
  cr_real q[4];
  for (int k = 0; k < 4; k++) {
    q[k] = cr_random_normal(r);
  }
  (void)cr_quat_normalize(q);
  cr_quat_to_mat(mat, q);
}

static void draw(pair* p, cr_random* r) {
  static const int32_t types[] = {CR_GEOM_HFIELD,    CR_GEOM_SPHERE,   CR_GEOM_CAPSULE,
                                  CR_GEOM_ELLIPSOID, CR_GEOM_CYLINDER, CR_GEOM_BOX,
                                  CR_GEOM_MESH};
  *p = (pair){.dataid = {0, 1}};
  for (int g = 0; g < 2; g++) {
    p->type[g] = types[cr_random_int(r, g == 0 ? 7 : 6) + (g == 0 ? 0 : 1)];
    turn_at_random(r, p->xmat + 9 * g);
    for (int k = 0; k < 3; k++) {
      p->xpos[3 * g + k] = cr_random_normal(r);
      p->size[3 * g + k] = cr_random_range(r, CR_R(0.05), 1);
      p->box[6 * g + k] = cr_random_normal(r);
      p->box[6 * g + 3 + k] = cr_random_range(r, CR_R(0.05), 1);
    }
  }
  for (int k = 0; k < 4; k++) {
    p->field[k] = cr_random_range(r, CR_R(0.1), 1);
  }
  // turned alike, or about one axis, in some: what is across two axes then vanishes
  if (cr_random_int(r, 4) == 0) {
    cr_copy(p->xmat + 9, p->xmat, 9);
  }
  p->m = (cr_model){.ngeom = 2,
                    .nmesh = 2,
                    .nhfield = 1,
                    .geom_type = p->type,
                    .geom_dataid = p->dataid,
                    .geom_size = p->size,
                    .geom_rbound = p->rbound,
                    .mesh_box = p->box,
                    .hfield_size = p->field};
  p->d = (cr_data){.geom_xpos = p->xpos, .geom_xmat = p->xmat};
}

// the box that a geom should have in its own frame, written down once more
static void own_box(const pair* p, int g, cr_real centre[3], cr_real half[3]) {
  const cr_real *size = p->size + 3 * g, *f = p->field;
  bool round = p->type[g] == CR_GEOM_SPHERE || p->type[g] == CR_GEOM_CAPSULE;
  cr_zero3(centre);
  cr_copy3(half, size);
  if (p->type[g] == CR_GEOM_MESH) {
    cr_copy3(centre, p->box + 6 * g);
    cr_copy3(half, p->box + 6 * g + 3);
  } else if (p->type[g] == CR_GEOM_HFIELD) {
    cr_copy3(half, (cr_real[3]){f[0], f[1], (f[2] + f[3]) / 2});
    centre[2] = f[2] - half[2];
  } else if (round || p->type[g] == CR_GEOM_CYLINDER) {
    half[1] = size[0];
    half[2] = p->type[g] == CR_GEOM_SPHERE ? size[0] : size[1] + (round ? size[0] : 0);
  }
}

// a point of the box: a corner, on an edge, on a face, or inside
static void point_of(const pair* p, int g, cr_random* r, cr_real x[3]) {
  cr_real centre[3], half[3], own[3];
  own_box(p, g, centre, half);
  for (int k = 0; k < 3; k++) {
    int where = cr_random_int(r, 3);
    own[k] = centre[k] + half[k] * (where == 0 ? -1 : where == 1 ? 1 : cr_random_range(r, -1, 1));
  }
  cr_mulmat3(x, p->xmat + 9 * g, own);
  cr_acc3(x, p->xpos + 3 * g);
}

TEST(boxes_with_points_in_reach_are_not_apart) {
  cr_random r = cr_random_seed(1, 0);
  for (int i = 0; i < N_CASE; i++) {
    pair p;
    cr_real a[3], b[3], way[3], reach = cr_random_int(&r, 2) * cr_random_uniform(&r);
    draw(&p, &r);
    point_of(&p, 0, &r, a);
    point_of(&p, 1, &r, b);
    for (int k = 0; k < 3; k++) {
      way[k] = cr_random_normal(&r);
    }
    cr_normalize3(way);
    // moves the second so that its point is `reach` away from that of the first
    for (int k = 0; k < 3; k++) {
      p.xpos[3 + k] += a[k] + reach * way[k] - b[k];
    }
    assert_false(cri_bounds_apart(&p.m, &p.d, 0, 1, reach));
    assert_false(cri_bounds_apart(&p.m, &p.d, 1, 0, reach));
  }
}

// how far a box extends along n from its centre
static cr_real extent(const pair* p, int g, const cr_real n[3], cr_real centre[3]) {
  cr_real own[3], half[3], u[3];
  own_box(p, g, own, half);
  cr_mulmat3(centre, p->xmat + 9 * g, own);
  cr_acc3(centre, p->xpos + 3 * g);
  cr_multmat3(u, p->xmat + 9 * g, n);
  return cr_abs(u[0]) * half[0] + cr_abs(u[1]) * half[1] + cr_abs(u[2]) * half[2];
}

TEST(gaps_beyond_the_reach_are_seen) {
  cr_random r = cr_random_seed(2, 0);
  for (int i = 0; i < N_CASE; i++) {
    pair p;
    cr_real n[3], e1[3], e2[3], ca[3], cb[3], reach = cr_random_uniform(&r), length = 1;
    draw(&p, &r);
    // a normal of the first, of the second, or across an edge of both
    int kind = cr_random_int(&r, 3);
    cr_col3(e1, p.xmat, cr_random_int(&r, 3));
    cr_col3(e2, p.xmat + 9, cr_random_int(&r, 3));
    cr_copy3(n, kind == 0 ? e1 : e2);
    if (kind == 2) {
      cr_cross3(n, e1, e2);
      length = cr_normalize3(n);
      if (length < CR_R(0.1)) {
        continue;
      }
    }
    cr_real wide = extent(&p, 0, n, ca) + extent(&p, 1, n, cb);
    cr_real gap = (wide + reach) * CR_R(1e-5) + reach / length,
            now = cr_dot3(n, cb) - cr_dot3(n, ca);
    cr_accscl3(p.xpos + 3, n, wide + gap - now);
    assert_true(cri_bounds_apart(&p.m, &p.d, 0, 1, reach));
    assert_true(cri_bounds_apart(&p.m, &p.d, 1, 0, reach));
  }
}

// the point of the geom itself that is farthest along a unit vector; of a height field, of its box
static void farthest(const pair* p, int g, const cr_real n[3], cr_real x[3]) {
  cr_real own[3], half[3], u[3];
  const cr_real* size = p->size + 3 * g;
  own_box(p, g, own, half);
  cr_multmat3(u, p->xmat + 9 * g, n);
  cr_real across = cr_sqrt(u[0] * u[0] + u[1] * u[1]), q = 0;
  for (int k = 0; k < 3; k++) {
    q += size[k] * size[k] * u[k] * u[k];
  }
  for (int k = 0; k < 3; k++) {
    cr_real way = u[k] > 0 ? 1 : -1;
    switch (p->type[g]) {
      case CR_GEOM_SPHERE:
        own[k] = size[0] * u[k];
        break;
      case CR_GEOM_CAPSULE:
        own[k] = size[0] * u[k] + (k == 2 ? way * size[1] : 0);
        break;
      case CR_GEOM_ELLIPSOID:
        own[k] = size[k] * size[k] * u[k] / cr_sqrt(q);
        break;
      case CR_GEOM_CYLINDER:
        own[k] = k == 2 ? way * size[1] : size[0] * u[k] / across;
        break;
      default:
        own[k] += way * half[k];
    }
  }
  cr_mulmat3(x, p->xmat + 9 * g, own);
  cr_acc3(x, p->xpos + 3 * g);
}

TEST(world_boxes_hold_what_is_in_reach) {
  cr_random r = cr_random_seed(3, 0);
  int tight = 0, loose = 0;
  for (int i = 0; i < N_CASE; i++) {
    pair p;
    cr_real x[3], box[6], reach = cr_random_uniform(&r);
    draw(&p, &r);
    int g = cr_random_int(&r, 2), axis = cr_random_int(&r, 3), high = cr_random_int(&r, 2);
    cr_real n[3] = {0, 0, 0}, way = high ? 1 : -1;
    n[axis] = way;
    farthest(&p, g, n, x);
    cri_bounds_world(&p.m, &p.d, g, reach, box);
    cr_real room = way * (box[3 * high + axis] - x[axis]) - reach;
    assert_true(room >= -8 * CR_EPS * (1 + cr_abs(x[axis])));

    // and are no larger than that, but for what is round without a ball about it
    bool loosely = p.type[g] == CR_GEOM_ELLIPSOID || p.type[g] == CR_GEOM_CYLINDER;
    assert_true(loosely || room < CR_R(1e-7));
    tight += !loosely;
    loose += loosely;
  }
  assert_true(tight > N_CASE / 4 && loose > N_CASE / 10);
}

TEST(planes_are_everywhere) {
  pair p;
  cr_real box[6], other[6];
  cr_random r = cr_random_seed(4, 0);
  draw(&p, &r);
  p.type[0] = CR_GEOM_PLANE;
  cri_bounds_world(&p.m, &p.d, 0, 0, box);
  for (int k = 0; k < 3; k++) {
    p.xpos[3 + k] = CR_R(1e6) * cr_random_normal(&r);
  }
  cri_bounds_world(&p.m, &p.d, 1, 0, other);
  assert_true(cri_bounds_meet(box, other) && cri_bounds_meet(other, box));
}

// ---- a heap of bodies, each with a few meshes

enum { N_BODY = 12, N_EACH = 4, N_GEOM = N_BODY * N_EACH, MOST = 4096 };

typedef struct {
  int n;
  int32_t geom[MOST][2];
} list;

static void note(list* l, const int32_t geom[2]) {
  assert_true(l->n < MOST);
  memcpy(l->geom[l->n++], geom, 2 * sizeof *geom);
}

static void collect(void* context, const cr_candidate* c) { note(context, c->geom); }

static void put_mesh(cr_model* m, const hull_store* s) {
  const cr_hull* h = &s->hull;
  int nmap = h->mapadr[h->nvert - 1] + h->mapnum[h->nvert - 1];
  memcpy(m->mesh_vert, h->vert, 3 * (size_t)h->nvert * sizeof *h->vert);
  memcpy(m->mesh_polynormal, h->normal, 3 * (size_t)h->npoly * sizeof *h->normal);
  memcpy(m->mesh_polyvertadr, h->adr, (size_t)h->npoly * sizeof *h->adr);
  memcpy(m->mesh_polyvertnum, h->num, (size_t)h->npoly * sizeof *h->num);
  memcpy(m->mesh_polyvert, h->polygon, (size_t)m->nmeshpolyvert * sizeof *h->polygon);
  memcpy(m->mesh_polymapadr, h->mapadr, (size_t)h->nvert * sizeof *h->mapadr);
  memcpy(m->mesh_polymapnum, h->mapnum, (size_t)h->nvert * sizeof *h->mapnum);
  memcpy(m->mesh_polymap, h->map, (size_t)nmap * sizeof *h->map);
  m->mesh_vertnum[0] = h->nvert;
  m->mesh_polynum[0] = h->npoly;
  m->mesh_graphadr[0] = -1;
}

static void open_heap(cr_model* m, const hull_store* s, cr_random* r) {
  int32_t parent[N_BODY + 1] = {0}, joints[N_BODY + 1] = {0}, type[N_BODY] = {CR_JNT_FREE};
  const cr_hull* h = &s->hull;
  cr_error error;
  for (int i = 1; i <= N_BODY; i++) {
    joints[i] = 1;
  }
  *m = (cr_model){.ngeom = N_GEOM,
                  .nmesh = 1,
                  .nmeshvert = h->nvert,
                  .nmeshpoly = h->npoly,
                  .nmeshpolyvert = h->adr[h->npoly - 1] + h->num[h->npoly - 1],
                  .nmeshpolymap = h->mapadr[h->nvert - 1] + h->mapnum[h->nvert - 1]};
  assert_int_equal(cri_model_sizes(m, N_BODY + 1, parent, joints, type, &error), CR_OK);
  assert_int_equal(cri_model_allocate(m, &error), CR_OK);
  cri_model_defaults(m);
  put_mesh(m, s);
  for (int i = 1; i <= N_BODY; i++) {
    m->body_jntnum[i] = 1;
    m->body_mass[i] = 1;
    for (int k = 0; k < 3; k++) {
      m->body_inertia[3 * i + k] = 1;
      m->body_pos[3 * i + k] = cr_random_range(r, -1, 1);
    }
  }
  for (int g = 0; g < N_GEOM; g++) {
    m->geom_bodyid[g] = 1 + g / N_EACH;
    m->geom_type[g] = cr_random_int(r, 4) == 0 ? CR_GEOM_CAPSULE : CR_GEOM_MESH;
    m->geom_dataid[g] = m->geom_type[g] == CR_GEOM_MESH ? 0 : -1;
    m->geom_rbound[g] = CR_R(0.7);
    m->geom_margin[g] = CR_R(0.01) * cr_random_uniform(r);
    m->geom_contype[g] = m->geom_conaffinity[g] = cr_random_int(r, 8) > 0;
    for (int k = 0; k < 4; k++) {
      m->geom_quat[4 * g + k] = cr_random_normal(r);
    }
    for (int k = 0; k < 3; k++) {
      m->geom_size[3 * g + k] = CR_R(0.1);
      m->geom_pos[3 * g + k] = cr_random_range(r, CR_R(-0.4), CR_R(0.4));
    }
  }
  assert_int_equal(cri_model_derive(m, &error), CR_OK);
}

TEST(no_contact_of_a_heap_is_lost) {
  cr_random r = cr_random_seed(5, 0);
  hull_store s;
  int contacts = 0, candidates = 0, spheres = 0;
  hull_prism(&s, 5, CR_R(0.15), CR_R(0.68));
  for (int round = 0; round < 10; round++) {
    cr_model m;
    list found = {0};
    open_heap(&m, &s, &r);
    cr_data* d = test_data(&m);
    assert_int_equal(cr_kinematics(&m, d), CR_OK);
    cri_candidates(&m, d, collect, &found);
    for (int g1 = 0; g1 < N_GEOM; g1++) {
      for (int g2 = g1 + 1; g2 < N_GEOM; g2++) {
        if (!cri_pair_possible(&m, g1, g2)) {
          continue;
        }
        bool swap = m.geom_type[g1] > m.geom_type[g2], listed = false;
        int32_t geom[2] = {swap ? g2 : g1, swap ? g1 : g2};
        cr_hit hit[CR_MAX_HITS];
        int n =
            cri_collide(&m, d->geom_xpos, d->geom_xmat, geom, cri_pair_reach(&m, g1, g2, -1), hit);
        for (int i = 0; i < found.n; i++) {
          listed = listed || (found.geom[i][0] == geom[0] && found.geom[i][1] == geom[1]);
        }
        assert_true(n == 0 || listed);
        contacts += n > 0;
        cr_real gap[3];
        cr_sub3(gap, d->geom_xpos + 3 * g1, d->geom_xpos + 3 * g2);
        spheres += cr_norm3(gap) < cri_geom_bound(&m, g1) + cri_geom_bound(&m, g2);
      }
    }
    candidates += found.n;
    cri_model_free(&m);
  }
  // enough of both, and most of what spheres leave is gone
  assert_true(contacts > 100);
  assert_true(candidates >= contacts && 2 * candidates < spheres);
}

TEST(boxes_that_do_not_hold_their_mesh_are_refused) {
  cr_random r = cr_random_seed(6, 0);
  hull_store s;
  cr_model m;
  cr_error error = {0};
  hull_prism(&s, 4, CR_R(0.1), CR_R(0.2));
  open_heap(&m, &s, &r);
  assert_int_equal(cri_model_check(&m, &error), CR_OK);
  m.mesh_box[5] *= CR_R(0.999);
  assert_int_equal(cri_model_check(&m, &error), CR_ERR_MODEL);
  assert_string_equal(error.text, "mesh 0: mesh_box does not hold its vertices");
  cri_model_free(&m);
}
