// SPDX-License-Identifier: Apache-2.0
// Candidates against the rules read literally: every pair of geoms asked, those in reach sorted; what is
// missing among them may not touch.
#include "collision/broad.h"

#include "collision/collision.h"
#include "kinematics/kinematics.h"
#include "math/vec3.h"
#include "model/build.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MOST = 4096, N_SEED = 60 };

typedef struct {
  int n;
  cr_candidate c[MOST];
} list;

static void collect(void* context, const cr_candidate* candidate) {
  list* l = context;
  assert_true(l->n < MOST);
  l->c[l->n++] = *candidate;
}

// ---- the rules, one by one

static int weld_parent(const cr_model* m, int body) {
  return m->body_weldid[m->body_parentid[m->body_weldid[body]]];
}

static bool named(const cr_model* m, int g1, int g2) {
  for (int i = 0; i < m->npair; i++) {
    if ((m->pair_geom1[i] == g1 && m->pair_geom2[i] == g2) ||
        (m->pair_geom1[i] == g2 && m->pair_geom2[i] == g1)) {
      return true;
    }
  }
  return false;
}

static bool allowed(const cr_model* m, int g1, int g2) {
  int b1 = m->geom_bodyid[g1], b2 = m->geom_bodyid[g2];
  int w1 = m->body_weldid[b1], w2 = m->body_weldid[b2];
  bool bits = (m->geom_contype[g1] & m->geom_conaffinity[g2]) ||
              (m->geom_contype[g2] & m->geom_conaffinity[g1]);
  bool moves = m->body_dofnum[w1] > 0 || m->body_dofnum[w2] > 0;
  bool family = !(m->disableflags & CR_DSBL_FILTERPARENT) && w1 != 0 && w2 != 0 &&
                (w1 == weld_parent(m, b2) || w2 == weld_parent(m, b1));
  bool out = false;
  for (int i = 0; i < m->nexclude; i++) {
    const int32_t* e = m->exclude_body + 2 * i;
    out = out || (e[0] == b1 && e[1] == b2) || (e[0] == b2 && e[1] == b1);
  }
  return bits && moves && w1 != w2 && !family && !out;
}

static bool in_reach(const cr_model* m, const cr_data* d, int g1, int g2, cr_real reach) {
  cr_real dif[3], normal[3];
  cr_sub3(dif, d->geom_xpos + 3 * g2, d->geom_xpos + 3 * g1);
  if (m->geom_type[g1] == CR_GEOM_PLANE) {
    cr_col3(normal, d->geom_xmat + 9 * g1, 2);
    return cr_dot3(normal, dif) <= reach + m->geom_rbound[g2];
  }
  return cr_norm3(dif) <= reach + m->geom_rbound[g1] + m->geom_rbound[g2];
}

// the place of a candidate in the list, most important number first
enum { N_KEY = 5 };

static void key_of(const cr_model* m, const cr_candidate* c, int key[N_KEY]) {
  int b1 = m->geom_bodyid[c->geom[0]], b2 = m->geom_bodyid[c->geom[1]];
  bool by_id = (m->disableflags & CR_DSBL_MIDPHASE) && c->pair < 0 && b1 > b2;
  key[0] = b1 < b2 ? b1 : b2;
  key[1] = b1 < b2 ? b2 : b1;
  key[2] = c->pair < 0 ? MOST : c->pair;
  key[3] = c->geom[by_id ? 1 : 0];
  key[4] = c->geom[by_id ? 0 : 1];
}

static bool before(const cr_model* m, const cr_candidate* a, const cr_candidate* b) {
  int x[N_KEY], y[N_KEY], i = 0;
  key_of(m, a, x);
  key_of(m, b, y);
  while (i < N_KEY - 1 && x[i] == y[i]) {
    i++;
  }
  return x[i] < y[i];
}

static void sort(list* l, const cr_model* m) {
  for (int i = 1; i < l->n; i++) {
    cr_candidate c = l->c[i];
    int k = i;
    for (; k > 0 && before(m, &c, &l->c[k - 1]); k--) {
      l->c[k] = l->c[k - 1];
    }
    l->c[k] = c;
  }
}

static void add(list* l, const cr_model* m, const cr_data* d, int g1, int g2, int pair) {
  bool swap = m->geom_type[g1] > m->geom_type[g2];
  cr_candidate c = {{swap ? g2 : g1, swap ? g1 : g2}, pair, cri_pair_reach(m, g1, g2, pair)};
  if (in_reach(m, d, c.geom[0], c.geom[1], c.reach)) {
    l->c[l->n++] = c;
  }
}

static void expect(list* l, const cr_model* m, const cr_data* d) {
  for (int i = 0; i < m->npair; i++) {
    add(l, m, d, m->pair_geom1[i], m->pair_geom2[i], i);
  }
  for (int g1 = 0; g1 < m->ngeom; g1++) {
    for (int g2 = g1 + 1; g2 < m->ngeom; g2++) {
      if (allowed(m, g1, g2) && !named(m, g1, g2)) {
        add(l, m, d, g1, g2, -1);
      }
    }
  }
  sort(l, m);
}

// ---- tests

static bool same(const cr_candidate* a, const cr_candidate* b) {
  return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] && a->pair == b->pair;
}

// left out of those whose bounding spheres are in reach: because of their boxes
static void assert_no_contact(const cr_model* m, const cr_data* d, const cr_candidate* c) {
  cr_hit hit[CR_MAX_HITS];
  assert_true(c->pair < 0);
  assert_int_equal(cri_collide(m, d->geom_xpos, d->geom_xmat, c->geom, c->reach, hit), 0);
}

// returns the number of candidates found; adds to `left_out`
static int compare_lists(const cr_model* m, cr_data* d, int* left_out) {
  static list found, expected;
  found.n = expected.n = 0;
  size_t mark = cri_mark(d);
  cri_candidates(m, d, collect, &found);
  assert_int_equal(cri_mark(d), mark);
  expect(&expected, m, d);
  int k = 0;
  for (int i = 0; i < expected.n; i++) {
    if (k < found.n && same(&found.c[k], &expected.c[i])) {
      assert_close(found.c[k++].reach, expected.c[i].reach, 0);
    } else {
      assert_no_contact(m, d, &expected.c[i]);
      ++*left_out;
    }
  }
  assert_int_equal(k, found.n);
  return found.n;
}

static int compare_all(int32_t flags, int32_t cfd) {
  int total = 0, left_out = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    m.disableflags |= flags;
    m.cfd = cfd;
    m.cfd_wc = CR_R(0.5);
    for (int g = 0; cfd && g < m.ngeom; g++) {
      m.geom_cfd[g] = (seed + (uint64_t)g) % 3 == 0 ? CR_R(0.2) * (cr_real)(1 + g % 5) : 0;
    }
    random_state(&m, d, seed, seed % 3 == 0 ? STATE_FLIGHT : STATE_CONTACT);
    assert_int_equal(cr_kinematics(&m, d), CR_OK);
    total += compare_lists(&m, d, &left_out);
    cri_model_free(&m);
  }
  assert_true(total > 100 && (cfd || left_out > 10));
  return total;
}

TEST(candidates_are_what_may_touch) { compare_all(0, 0); }

TEST(candidates_without_midphase_are_in_order_of_ids) { compare_all(CR_DSBL_MIDPHASE, 0); }

TEST(candidates_without_parent_filter_are_more) {
  assert_true(compare_all(CR_DSBL_FILTERPARENT, 0) > compare_all(0, 0));
}

TEST(candidates_from_distance_are_more) { assert_true(compare_all(0, 1) > compare_all(0, 0)); }

// enough bodies for the sweep: spheres in a box, and one large one, above a plane; `length` in a chain
static void sweep_chains(int length) {
  enum { N = 150 };
  int32_t parent[N + 1] = {0}, joints[N + 1], type[N];
  for (int i = 0; i < N; i++) {
    bool first = i % length == 0;
    joints[i + 1] = 1;
    parent[i + 1] = first ? 0 : i;
    type[i] = first ? CR_JNT_FREE : CR_JNT_HINGE;
  }
  joints[0] = 0;
  cr_model m = {.ngeom = N + 1};
  assert_int_equal(cri_model_sizes(&m, N + 1, parent, joints, type, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&m, NULL), CR_OK);
  cri_model_defaults(&m);
  cr_random r = cr_random_seed(7, 0);
  for (int i = 1; i <= N; i++) {
    m.body_jntnum[i] = 1;
    m.body_parentid[i] = parent[i];
    m.jnt_type[i - 1] = type[i - 1];
    m.jnt_axis[3 * i - 1] = 1;
    m.geom_bodyid[i] = i;
    m.geom_type[i] = CR_GEOM_SPHERE;
    m.geom_size[3 * i] = i == N / 2 ? 1 : CR_R(0.1);
    m.body_mass[i] = m.body_inertia[3 * i] = m.body_inertia[3 * i + 1] = 1;
    m.body_inertia[3 * i + 2] = 1;
  }
  m.geom_type[0] = CR_GEOM_PLANE;
  assert_int_equal(cri_model_derive(&m, NULL), CR_OK);
  cr_data* d = test_data(&m);
  assert_int_equal(cr_kinematics(&m, d), CR_OK);

  // stretched along each axis in turn
  for (int k = 0, left_out = 0; k < 6; k++) {
    for (int i = 3; i < 3 * (N + 1); i++) {
      d->geom_xpos[i] = cr_random_range(&r, -1, 1) * (i % 3 == k % 3 ? 3 : CR_R(0.6));
    }
    assert_true(compare_lists(&m, d, &left_out) > 100);
  }
  cri_model_free(&m);
}

TEST(many_bodies_are_swept) {
  sweep_chains(1);
  sweep_chains(7);
  sweep_chains(50);
}

TEST(pair_is_possible_by_the_rules_or_by_name) {
  int both[2] = {0, 0};
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    for (int g1 = 0; g1 < m.ngeom; g1++) {
      for (int g2 = 0; g2 < m.ngeom; g2++) {
        bool possible = cri_pair_possible(&m, g1, g2);
        assert_int_equal(possible, named(&m, g1, g2) || (g1 != g2 && allowed(&m, g1, g2)));
        both[possible]++;
      }
    }
    cri_model_free(&m);
  }
  assert_true(both[0] > 100 && both[1] > 100);
}

TEST(reach_adds_margins_and_gaps) {
  cr_real margin[2] = {CR_R(0.1), CR_R(0.2)}, gap[2] = {CR_R(0.03), CR_R(0.04)};
  cr_real pair_margin[1] = {CR_R(0.5)}, pair_gap[1] = {CR_R(0.25)};
  cr_real geom_cfd[2] = {0, 0}, pair_cfd[1] = {0};
  cr_model m = {.geom_margin = margin,
                .geom_gap = gap,
                .geom_cfd = geom_cfd,
                .pair_cfd = pair_cfd,
                .pair_margin = pair_margin,
                .pair_gap = pair_gap,
                .cfd_wc = CR_R(0.6)};
  assert_close(cri_pair_reach(&m, 0, 1, -1), CR_R(0.37), 4 * CR_EPS);
  assert_close(cri_pair_reach(&m, 0, 1, 0), CR_R(0.75), 4 * CR_EPS);
  m.cfd = 1;  // the reach counts from where forces begin: beyond the margin, in place of the gap
  assert_close(cri_pair_reach(&m, 0, 1, -1), CR_R(0.9), 4 * CR_EPS);
  assert_close(cri_pair_reach(&m, 0, 1, 0), CR_R(1.1), 4 * CR_EPS);
  geom_cfd[0] = CR_R(0.1);  // its own reach: the larger of two geoms', or that of the explicit pair
  geom_cfd[1] = CR_R(0.7);
  pair_cfd[0] = CR_R(0.35);
  assert_close(cri_pair_reach(&m, 0, 1, -1), 1, 4 * CR_EPS);
  assert_close(cri_pair_reach(&m, 0, 1, 0), CR_R(0.85), 4 * CR_EPS);
  assert_close(cri_pair_width(&m, 0, 1, 0), CR_R(0.35), 0);
  m.cfd = 0;
  assert_close(cri_pair_width(&m, 0, 1, -1), 0, 0);
}
