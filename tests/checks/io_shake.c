// SPDX-License-Identifier: Apache-2.0
#include "checks/io_shake.h"

#include <stdio.h>
#include <string.h>

#include "collision/collision.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

// ---- the model

static int put_mesh(char* text, size_t room, const char* name, const hull_store* s) {
  int n = snprintf(text, room, "<mesh name='%s' vertex='", name);
  for (int i = 0; i < 3 * s->hull.nvert; i++) {
    n += snprintf(text + n, room - (size_t)n, "%.9g ", (double)s->vert[i]);
  }
  return n + snprintf(text + n, room - (size_t)n, "'/>");
}

static const char* const TYPES[CR_N_GEOM_TYPE] = {"plane",     "",         "sphere", "capsule",
                                                  "ellipsoid", "cylinder", "box",    "mesh"};

// first geom of a type or hull; the second is the next
static int geom_of(const solid* s, const shake_bench* b) {
  int hull = 0;
  while (s->type == CR_GEOM_MESH && b->hull[hull] != s->hull) {
    hull++;
  }
  return s->type == CR_GEOM_PLANE ? 0 : 1 + 2 * (s->type - CR_GEOM_SPHERE + hull);
}

static void hull_of(const cr_model* m, int mesh, cr_hull* h) {
  int vert = m->mesh_vertadr[mesh], poly = m->mesh_polyadr[mesh];
  *h = (cr_hull){.nvert = m->mesh_vertnum[mesh],
                 .npoly = m->mesh_polynum[mesh],
                 .vert = m->mesh_vert + 3 * (ptrdiff_t)vert,
                 .graph = m->mesh_graph + m->mesh_graphadr[mesh],
                 .start = m->mesh_start + 27 * (ptrdiff_t)mesh,
                 .normal = m->mesh_polynormal + 3 * (ptrdiff_t)poly,
                 .adr = m->mesh_polyvertadr + poly,
                 .num = m->mesh_polyvertnum + poly,
                 .polygon = m->mesh_polyvert,
                 .mapadr = m->mesh_polymapadr + vert,
                 .mapnum = m->mesh_polymapnum + vert,
                 .map = m->mesh_polymap};
}

void shake_bench_open(shake_bench* b) {
  static char text[32768];
  static hull_store store[SHAKE_HULLS];
  hull_prism(&store[0], 3, CR_R(0.5), CR_R(0.4));
  hull_prism(&store[1], 5, CR_R(0.3), CR_R(0.01));
  hull_spindle(&store[2], 6, CR_R(0.4), CR_R(0.5));
  hull_prism(&store[3], 16, CR_R(0.5), CR_R(0.5));
  size_t n = (size_t)snprintf(
      text, sizeof text, "<mujoco><option ccd_tolerance='1e-11' ccd_iterations='300'/><asset>");
  for (int i = 0; i < SHAKE_HULLS; i++) {
    const char name[2] = {(char)('a' + i), 0};
    n += (size_t)put_mesh(text + n, sizeof text - n, name, &store[i]);
  }
  n += (size_t)snprintf(text + n, sizeof text - n,
                        "</asset><worldbody><geom type='plane' size='1 1 1'/>");
  for (int type = CR_GEOM_SPHERE; type < CR_GEOM_MESH + SHAKE_HULLS; type++) {
    for (int k = 0; k < 2; k++) {
      bool mesh = type >= CR_GEOM_MESH;
      n += (size_t)snprintf(text + n, sizeof text - n, "<geom type='%s' size='1 1 1' %s%c%s/>",
                            TYPES[mesh ? CR_GEOM_MESH : type], mesh ? "mesh='" : "",
                            mesh ? 'a' + type - CR_GEOM_MESH : ' ', mesh ? "'" : "");
    }
  }
  (void)snprintf(text + n, sizeof text - n, "</worldbody></mujoco>");
  b->mj = mjcf_compile(text);
  b->m = mjcf_model(b->mj);
  b->d = mj_makeData(b->mj);
  for (int i = 0; i < SHAKE_HULLS; i++) {
    hull_of(&b->m, i, &b->store[i]);
    b->hull[i] = &b->store[i];
  }
}

void shake_bench_close(shake_bench* b) {
  mj_deleteData(b->d);
  cri_model_free(&b->m);
  mj_deleteModel(b->mj);
}

// ---- beside MuJoCo

static int place(shake_bench* b, const solid* s, bool second) {
  int g = geom_of(s, b) + second;
  mju_copy3(b->d->geom_xpos + 3 * g, s->pos);
  mju_copy(b->d->geom_xmat + 9 * g, s->mat, 9);
  if (s->type != CR_GEOM_MESH && s->type != CR_GEOM_PLANE) {
    mju_copy3(b->mj->geom_size + 3 * g, s->size);
    b->mj->geom_rbound[g] = solid_shape(s).bound;
  }
  return g;
}

// MuJoCo's distance: a negative one is the length of a motion that parts the two, so it can not be
// above ours
static void beside_distance(shake_bench* b, const shake_pair* p, cr_real dist, shake_tally* t) {
  mjtNum ends[6];
  int g1 = place(b, &p->a, false), g2 = place(b, &p->b, true);
  cr_real size = cr_max(p->size, cr_abs(dist));
  cr_real theirs = mj_geomDistance(b->mj, b->d, g1, g2, 1e6, ends);
  if (dist > 0) {
    t->apart++;
    t->same += cr_abs(theirs - dist) < CR_R(1e-9) * size;
  } else {
    t->overlap++;
    t->worse += theirs < dist - CR_R(1e-9) * size;
    // what MuJoCo says is less deep counts if it is true along its own direction
    mjtNum n[3];
    mju_sub3(n, ends, ends + 3);
    if (theirs > dist && mju_normalize3(n) > 0) {
      t->beyond = cr_max(t->beyond, (shake_extent(&p->a, &p->b, n) - dist) / size);
    }
  }
}

// contacts of two shapes that have functions of their own
static void beside_contacts(shake_bench* b, const shake_pair* p, shake_tally* t) {
  const cr_pair* pair = cri_collision_pair(p->a.type, p->b.type);
  mjfCollision* theirs = &mjCOLLISIONFUNC[p->a.type][p->b.type];
  if (cri_collision_general(p->a.type, p->b.type) || *theirs == NULL) {
    return;
  }
  cr_hit hit[CR_MAX_HITS];
  mjPreContact con[mjMAXCONPAIR];
  cr_shape a = solid_shape(&p->a), c = solid_shape(&p->b);
  cr_real margin = CR_R(0.1) * p->size, worst = 0;
  int g1 = place(b, &p->a, false), g2 = place(b, &p->b, true);
  int n = pair->detect(&a, &c, margin, hit), m = (*theirs)(b->mj, b->d, con, g1, g2, margin);
  for (int k = 0; k < n && n == m; k++) {
    cr_real apart = mju_dist3(con[k].pos, hit[k].pos) / p->size;
    worst = cr_max(worst, cr_abs(con[k].dist - hit[k].dist) / p->size);
    worst = cr_max(worst, cr_max(apart, mju_dist3(con[k].normal, hit[k].normal)));
  }
  t->closed++;
  t->alike += n == m && worst < CR_R(1e-9);
  t->contact = cr_max(t->contact, worst);
}

// ---- tallies

static void add(shake_tally* t, const shake_result* x) {
  t->pairs++;
  t->insane += !x->sane;
  t->wrong += !(x->extent < CR_R(1e-9) && x->deeper < CR_R(1e-9));
  t->off += !(x->outside < CR_R(1e-7));  // the numbers of meshes are single precision
  t->extent = cr_max(t->extent, x->extent);
  t->outside = cr_max(t->outside, x->outside);
  t->deeper = cr_max(t->deeper, x->deeper);
}

static void field_and_shape(const shake_bench* b, cr_random* r,
                            shake_tally tally[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE]) {
  int type = CR_GEOM_SPHERE + cr_random_int(r, 6);
  shake_field_result x = shake_field(r, type, b->hull, SHAKE_HULLS);
  shake_tally* t = &tally[CR_GEOM_HFIELD][type];
  add(t, &x.worst);
  t->wrong += x.missed > 0;
}

void shake_one(shake_bench* b, uint64_t seed, uint64_t index,
               shake_tally tally[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE]) {
  cr_random r = cr_random_seed(seed, index);
  if (index % 16 == 15) {
    field_and_shape(b, &r, tally);
    return;
  }
  int i = CR_GEOM_SPHERE + cr_random_int(&r, 6), k = CR_GEOM_SPHERE + cr_random_int(&r, 6);
  shake_pair p;
  shake_draw(&r, i < k ? i : k, i < k ? k : i, b->hull, SHAKE_HULLS, &p);
  shake_tally* t = &tally[p.a.type][p.b.type];
  shake_result x = shake_check(&p, &r);
  add(t, &x);
  beside_distance(b, &p, x.dist, t);
  beside_contacts(b, &p, t);

  // the first as a plane
  solid plane = p.a;
  plane.type = CR_GEOM_PLANE;
  p.a = plane;
  beside_contacts(b, &p, &tally[CR_GEOM_PLANE][p.b.type]);
}

shake_tally shake_total(shake_tally tally[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE]) {
  shake_tally sum = {.pairs = 0};
  for (int i = 0; i < CR_N_GEOM_TYPE * CR_N_GEOM_TYPE; i++) {
    const shake_tally* t = &tally[i / CR_N_GEOM_TYPE][i % CR_N_GEOM_TYPE];
    sum.pairs += t->pairs;
    sum.insane += t->insane;
    sum.wrong += t->wrong;
    sum.off += t->off;
    sum.apart += t->apart;
    sum.same += t->same;
    sum.overlap += t->overlap;
    sum.worse += t->worse;
    sum.closed += t->closed;
    sum.alike += t->alike;
    sum.extent = cr_max(sum.extent, t->extent);
    sum.outside = cr_max(sum.outside, t->outside);
    sum.deeper = cr_max(sum.deeper, t->deeper);
    sum.beyond = cr_max(sum.beyond, t->beyond);
    sum.contact = cr_max(sum.contact, t->contact);
  }
  return sum;
}

void shake_test(uint64_t seed, long pairs, long off) {
  static shake_tally tally[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE];
  shake_bench bench;
  memset(tally, 0, sizeof tally);
  shake_bench_open(&bench);
  for (long i = 0; i < pairs; i++) {
    shake_one(&bench, seed, (uint64_t)i, tally);
  }
  shake_bench_close(&bench);
  shake_tally t = shake_total(tally);
  print_message(
      "points off %ld; apart %ld, MuJoCo differs in %ld; overlapping %ld, deeper in %ld, "
      "less by %.1e; closed %ld, other contacts in %ld\n",
      t.off, t.apart, t.apart - t.same, t.overlap, t.worse, (double)t.beyond, t.closed,
      t.closed - t.alike);
  assert_int_equal(t.pairs, pairs);
  assert_int_equal(t.insane, 0);
  assert_int_equal(t.wrong, 0);
  assert_true(t.off <= off);
  assert_true(t.beyond < 1e-9);
  assert_true(t.same > 8 * t.apart / 10);
  assert_true(t.alike > 98 * t.closed / 100);
}
